// The earliest event of a step, found on its dense output [Haddouni2015, 3.2 and 3.13].
//
// Every event is a function that is positive in the phase and falls to zero: the gap of an open
// contact, the normal force of a closed one, the distance of a sticking force from the cone, the
// speed of sliding along its direction, the way to the end of a face. Gaps have bounds along the
// motion and are not passed over (gap_search.h); the others are sampled at a few instants, and have
// an event between two of them if they end below zero (docs/theory/event-search.md). The root is
// located by
//     linear     one linear interpolation of the values at both ends    (order study, IM1)
//     quadratic  value and rate at the start, value at the end          (IM2)
//     bracket    Newton's method in a bracket to the stated precision    (IM3)
// and the step is computed again up to it. With `bracket` a closing gap is then corrected by
// Newton's method on the step itself, since the dense output is of lower order than the step.
//
// A function that begins a phase at zero (a ball that has just bounced) has its event only after it
// has been positive; values within the noise of the function do not count as either.
#include <float.h>
#include <string.h>

#include "model/node.h"
#include "schemes/event_driven.h"

// ---- Samples ----

void pcs_ed_look(event_driven *s, const pcs_smooth_point *point, bool convective)
{
    const pcs_model *model = s->base.model;
    s->c.face = s->phase.face;
    s->c.axis = s->phase.axis;
    pcs_configuration_follow(model, &s->c, point->t, point->q, point->v,
                             (pcs_turns){s->turns, s->turns_q, NULL}, s->external);
    pcs_model_contacts(model, &s->c, true, s->contacts);
    if (convective)
        pcs_model_contacts_convective(model, &s->c, s->contacts);
}

// Margin of a sticking force to the cone, or speed along the direction of sliding.
static double tangent_value(const event_driven *s, int32_t slot, const pcs_smooth_point *point,
                            const double *u)
{
    const pcs_contact *contact = &s->contacts[slot];
    const int32_t size = contact->row.size;
    if (size == 1 || contact->law.friction == 0)
        return HUGE_VAL;
    if (s->phase.mode[slot] == PCS_MODE_SLIDE) {
        const double *d = s->slip_direction[slot];
        return u[1] * d[0] + (size == 3 ? u[2] * d[1] : 0) - s->slip_level[slot];
    }
    if (s->indeterminate)
        return HUGE_VAL;
    const double *F = point->lambda + pcs_smooth_slot_row(s->march->smooth, slot);
    return contact->law.friction * F[0] - (size == 3 ? hypot(F[1], F[2]) : fabs(F[1]));
}

static void sample_slot(event_driven *s, int32_t slot, const pcs_smooth_point *point,
                        pcs_ed_sample *sample)
{
    const pcs_contact *contact = &s->contacts[slot];
    double *value = sample->value + ED_FUNCTIONS * slot, u[3];
    value[ED_GAP] = value[ED_FORCE] = value[ED_TANGENT] = value[ED_END_OF_FACE] = HUGE_VAL;
    if (contact->gap == HUGE_VAL || s->phase.mode[slot] == PCS_MODE_OPEN)
        return; // gaps have a search of their own
    pcs_contact_velocity(s->base.model, contact, point->v, u);
    if (!s->indeterminate)
        value[ED_FORCE] = point->lambda[pcs_smooth_slot_row(s->march->smooth, slot)];
    value[ED_TANGENT] = tangent_value(s, slot, point, u);
    value[ED_END_OF_FACE] = contact->edge;
}

static pcs_status take_sample(event_driven *s, double t, bool cones, pcs_ed_sample *sample)
{
    const pcs_model *model = s->base.model;
    pcs_status status;
    const pcs_smooth_point *point = pcs_ed_point(s, t, &status);
    PCS_TRY(status);
    cones = cones && s->indeterminate;
    pcs_ed_look(s, point, cones);
    sample->t = t;
    sample->consistent = true;
    for (int32_t i = 0; i < model->n_slots; ++i)
        sample_slot(s, i, point, sample);
    double *ends = sample->value + ED_FUNCTIONS * model->n_slots;
    if (model->n_faces > model->n_slots)
        pcs_model_curve_edges(model, &s->c, ends, s->curve_face, s->curve_next);
    for (int32_t i = 0; i < model->n_faces - model->n_slots; ++i)
        ends[i] = s->curve_next[i] < 0 ? HUGE_VAL : ends[i];
    return cones ? pcs_ed_consistent(s, &sample->consistent) : PCS_OK;
}

// Functions: ED_FUNCTIONS for each slot, then the end of the face for each curve joint.
static int32_t count_functions(const event_driven *s)
{
    const pcs_model *model = s->base.model;
    return ED_FUNCTIONS * model->n_slots + model->n_faces - model->n_slots;
}

static int32_t kind_of(const event_driven *s, int32_t function)
{
    return function < ED_FUNCTIONS * s->base.model->n_slots ? function % ED_FUNCTIONS
                                                            : ED_END_OF_FACE;
}

// Slot, or the curve joint's number behind the slots.
static int32_t object_of(const event_driven *s, int32_t function)
{
    const int32_t slots = s->base.model->n_slots;
    return function < ED_FUNCTIONS * slots ? function / ED_FUNCTIONS
                                           : slots + function - ED_FUNCTIONS * slots;
}

static double noise_of(const event_driven *s, int32_t function)
{
    const double *option = s->base.options;
    const int32_t slot = object_of(s, function);
    switch (kind_of(s, function)) {
    case ED_GAP:
        return s->gap_noise;
    case ED_FORCE:
        return s->force_noise;
    case ED_TANGENT:
        return s->phase.mode[slot] == PCS_MODE_STICK ? s->force_noise
                                                     : option[ED_VELOCITY_TOLERANCE];
    default:
        return option[ED_GAP_TOLERANCE];
    }
}

static pcs_ed_cause cause_of(const event_driven *s, int32_t function)
{
    switch (kind_of(s, function)) {
    case ED_GAP:
        return ED_CLOSING;
    case ED_FORCE:
        return ED_RELEASE;
    case ED_TANGENT:
        return s->phase.mode[object_of(s, function)] == PCS_MODE_STICK ? ED_STICK_END : ED_SLIP_END;
    default:
        return ED_EDGE;
    }
}

// ---- Roots ----

static double time_precision(const event_driven *s, double t)
{
    return fmax(s->base.options[ED_EVENT_TOLERANCE], 2 * DBL_EPSILON * fabs(t));
}

// An end of a bracket.
typedef struct place {
    double t, value;
} place;

// `value` of a function at t.
static pcs_status value_at(event_driven *s, int32_t function, double t, place *out)
{
    PCS_TRY(take_sample(s, t, false, &s->trial));
    *out = (place){t, s->trial.value[function]};
    return PCS_OK;
}

// False position with halved weights (Illinois), bisection when it does not halve the bracket in
// three steps. a.value > 0 >= b.value; the last positive place is left in a, the other in b. Ends
// before the precision is reached when the root is sure to be too early to be used.
static pcs_status close_bracket(event_driven *s, int32_t function, place *a, place *b)
{
    enum { ITERATIONS_MAX = 200, TRIES = 3 };
    double weight_a = a->value, weight_b = b->value, width = b->t - a->t;
    int tries = 0, side = 0;
    for (int i = 0;
         i < ITERATIONS_MAX && b->t - a->t > time_precision(s, b->t) && !(b->t < s->too_early);
         ++i) {
        const double edge = 0.5 * time_precision(s, b->t);
        double t = (a->t * weight_b - b->t * weight_a) / (weight_b - weight_a);
        if (tries >= TRIES || !isfinite(t))
            t = 0.5 * (a->t + b->t);
        t = fmin(fmax(t, a->t + edge), b->t - edge); // so that the bracket closes from both sides
        if (t <= a->t || t >= b->t)
            break;
        place now;
        PCS_TRY(value_at(s, function, t, &now));
        if (now.value > 0) {
            *a = now;
            weight_a = now.value;
            weight_b *= side > 0 ? 0.5 : 1;
            side = 1;
        } else {
            *b = now;
            weight_b = now.value;
            weight_a *= side < 0 ? 0.5 : 1;
            side = -1;
        }
        if (b->t - a->t <= 0.5 * width || tries >= TRIES) {
            width = b->t - a->t;
            tries = 0;
            weight_a = a->value;
            weight_b = b->value;
        } else {
            ++tries;
        }
    }
    return PCS_OK;
}

// ---- Beginnings ----
//
// A contact that is let go where its force vanished, or slips where friction reaches the cone, has
// neither relative speed nor acceleration there: nothing jumps. It leaves with the third power of
// time, which a method of order 2 does not have, and the polynomial through its d = 0 and v > 0 at
// the end of a step dips below zero, whatever the length of the step. What begins at zero has begun
// in the right direction if the step's own velocity and acceleration point there at both ends.

// Relative velocity and acceleration of a slot at an end of the step, by the equations of motion.
static void relative_motion(event_driven *s, int32_t slot, const pcs_smooth_point *point, double *u,
                            double *a)
{
    const pcs_model *model = s->base.model;
    const pcs_contact *contact = &s->contacts[slot];
    pcs_ed_look(s, point, true);
    memset(u, 0, 3 * sizeof *u);
    memset(a, 0, 3 * sizeof *a);
    if (contact->gap == HUGE_VAL)
        return;
    pcs_contact_velocity(model, contact, point->v, u);
    for (int32_t j = 0; j < contact->row.size; ++j) {
        a[j] = contact->convective[j];
        for (int32_t e = 0; e < contact->row.n_nodes; ++e) {
            const pcs_node *node = pcs_model_node(model, contact->row.node[e]);
            for (int32_t k = 0; k < node->n_v; ++k)
                a[j] += contact->row.J[e][j * node->n_v + k] * point->a[node->v + k];
        }
    }
}

// Whether the relative motion of a slot along d, (1, 0, 0) for its gap, begins along d. In a step of
// 1e-11 s the velocity that it gets is less than the rounding of those it is a difference of: the
// accelerations alone tell then.
static bool begins_along(event_driven *s, int32_t slot, const double d[3])
{
    const double noise = 1e-9; // of the larger acceleration; the smaller one vanishes to that
    const double several = 16; // roundings
    double speed = 0;
    for (int32_t i = 0; i < s->base.model->n_v; ++i)
        speed = fmax(speed, fabs(s->march->to.v[i]));
    double u[2] = {0, 0}, a[2] = {0, 0};
    for (int end = 0; end < 2; ++end) {
        double velocity[3], acceleration[3];
        relative_motion(s, slot, end ? &s->march->to : &s->march->from, velocity, acceleration);
        for (int j = 0; j < 3; ++j) {
            u[end] += d[j] * velocity[j];
            a[end] += d[j] * acceleration[j];
        }
    }
    return u[0] >= -s->base.options[ED_VELOCITY_TOLERANCE] &&
           u[1] > -several * DBL_EPSILON * speed && a[1] > 0 && a[0] >= -noise * a[1];
}

// A function that began at zero, within its noise, and ends below: the last time it was positive,
// searched by halving towards the start. False: it never was, and its event is at the start.
static pcs_status find_positive(event_driven *s, int32_t function, place *a, const place *b,
                                bool *found)
{
    const double start = a->t;
    *found = false;
    for (double part = 0.5; part * (b->t - start) > time_precision(s, b->t); part *= 0.5) {
        place now;
        PCS_TRY(value_at(s, function, start + part * (b->t - start), &now));
        if (now.value > 0) {
            *a = now;
            *found = true;
            return PCS_OK;
        }
    }
    return PCS_OK;
}

// Time of the function's event between the two samples, HUGE_VAL: none.
static pcs_status find_root(event_driven *s, int32_t function, double *root)
{
    place a = {s->before.t, s->before.value[function]};
    place b = {s->after.t, s->after.value[function]};
    const double noise = noise_of(s, function);
    bool found = true;
    *root = HUGE_VAL;
    if (a.value == HUGE_VAL || b.value == HUGE_VAL ||
        b.value >= (a.value > noise || s->suspect[function] ? 0 : -noise))
        return PCS_OK;
    if (!(a.value > noise))
        PCS_TRY(find_positive(s, function, &a, &b, &found));
    if (!found) {
        const int32_t slot = object_of(s, function);
        const double *d = slot < s->base.model->n_slots ? s->slip_direction[slot] : NULL;
        const bool slips = cause_of(s, function) == ED_SLIP_END &&
                           begins_along(s, slot, (double[]){0, d[0], d[1]});
        *root = slips ? HUGE_VAL : a.t;
        return PCS_OK;
    }
    if ((int)s->base.options[ED_LOCATOR] == ED_LINEAR) {
        *root = a.t + (b.t - a.t) * a.value / (a.value - b.value);
        return PCS_OK;
    }
    PCS_TRY(close_bracket(s, function, &a, &b));
    *root = a.t;
    return PCS_OK;
}

// ---- Gaps ----

// Time of the closing of a gap that is open at one end of the part and closed at the other, by the
// interpolations of the order study.
static double interpolate(const event_driven *s, const pcs_gap_place *a, const pcs_gap_place *b,
                          double level)
{
    const double h = b->t - a->t, gap = a->gap - level, end = b->gap - level, v = a->rate;
    if ((int)s->base.options[ED_LOCATOR] == ED_LINEAR)
        return a->t + h * gap / (gap - end);
    // gap + v x + c x^2 = 0, x in (0, h], the root that a falling function has
    const double c = (end - gap - v * h) / (h * h), root = sqrt(v * v - 4 * gap * c);
    return a->t + (v <= 0 ? 2 * gap / (-v + root) : (-v - root) / (2 * c));
}

// Time at which the gap of an open slot closes between the ends of the part, not later than
// `latest`; HUGE_VAL: it does not.
static double find_closing(event_driven *s, int32_t slot, double latest)
{
    const double *option = s->base.options;
    pcs_gap_place a = s->place[0][slot], b = s->place[1][slot];
    const pcs_gap_rules rules = {.level = s->level[slot],
                                 .noise = s->gap_noise,
                                 .tolerance = option[ED_GAP_TOLERANCE],
                                 .precision = time_precision(s, b.t),
                                 .too_early = s->too_early,
                                 .suspect = s->suspect[ED_FUNCTIONS * slot + ED_GAP]};
    const bool closed = b.gap < rules.level;
    if ((int)option[ED_LOCATOR] != ED_BRACKET && closed && a.gap < HUGE_VAL &&
        a.gap > rules.level + rules.noise)
        return interpolate(s, &a, &b, rules.level);
    if (!closed && pcs_gap_search_is_clear(s->gaps, slot, &rules, &a, &b))
        return HUGE_VAL;
    if (latest < b.t) // another contact closes before
        pcs_gap_search_look(s->gaps, slot, latest, &a, &b);
    bool starts_closed;
    if (pcs_gap_search_first(s->gaps, slot, &rules, &a, &b, &starts_closed))
        return a.t;
    if (!starts_closed)
        return HUGE_VAL;
    // Within gap_tolerance a dip is an error of the method.
    const bool leaves = b.gap > rules.level - rules.tolerance &&
                        begins_along(s, slot, (double[]){1, 0, 0});
    return leaves ? HUGE_VAL : a.t;
}

// First instant at which no forces in the cones keep the phase of indeterminate contacts.
static pcs_status find_inconsistent(event_driven *s, double *root)
{
    const double soon =
        1e-6; // part of the interval: a phase that fails at once is seen to fail there
    const double start = s->before.t;
    double a = start, b = s->after.t;
    *root = HUGE_VAL;
    if (s->after.consistent)
        return PCS_OK;
    while (b - a > time_precision(s, b) && b - start > soon * (s->after.t - start)) {
        double t = 0.5 * (a + b);
        if (t <= a || t >= b)
            break;
        PCS_TRY(take_sample(s, t, true, &s->trial));
        if (s->trial.consistent)
            a = t;
        else
            b = t;
    }
    *root = b;
    return PCS_OK;
}

// ---- The search ----

// Earliest event of the part between the samples `before` and `after`, if there are any, and the
// places of the gaps; causes of all within the cluster.
static pcs_status search_interval(event_driven *s, bool sampled, double *first, int32_t *which)
{
    const int32_t n = count_functions(s);
    const int32_t gaps = ED_FUNCTIONS * s->base.model->n_slots;
    double inconsistent = HUGE_VAL;
    *first = HUGE_VAL;
    *which = -1;
    for (int32_t i = 0; i < n; ++i) {
        const bool gap = i < gaps && i % ED_FUNCTIONS == ED_GAP;
        s->root[i] = HUGE_VAL;
        if (gap && s->phase.mode[i / ED_FUNCTIONS] == PCS_MODE_OPEN)
            s->root[i] = find_closing(s, i / ED_FUNCTIONS, *first + s->base.options[ED_CLUSTER]);
        else if (!gap && sampled)
            PCS_TRY(find_root(s, i, &s->root[i]));
        if (s->root[i] < *first) {
            *first = s->root[i];
            *which = i;
        }
    }
    if (sampled)
        PCS_TRY(find_inconsistent(s, &inconsistent));
    if (inconsistent < *first) {
        *first = inconsistent;
        *which = -1;
    }
    if (*first == HUGE_VAL)
        return PCS_OK;
    const double cluster = *first + s->base.options[ED_CLUSTER];
    for (int32_t i = 0; i < n; ++i)
        if (s->root[i] <= cluster && s->cause[object_of(s, i)] == ED_NOTHING)
            s->cause[object_of(s, i)] = (uint8_t)cause_of(s, i);
    if (inconsistent <= cluster)
        for (int32_t i = 0; i < s->base.model->n_slots; ++i)
            if (s->phase.mode[i] != PCS_MODE_OPEN && s->cause[i] == ED_NOTHING)
                s->cause[i] = ED_INCONSISTENT;
    return PCS_OK;
}

// The dense output has placed the end of the step where its gap is zero; the step's own gap there
// is zero only to the order of the dense output. Newton's method on the length of the step.
static pcs_status polish(event_driven *s, int32_t slot, double latest)
{
    enum { ITERATIONS_MAX = 4 };
    pcs_march *march = s->march;
    for (int i = 0; i < ITERATIONS_MAX; ++i) {
        double u[3];
        pcs_ed_look(s, &march->to, false);
        pcs_contact_velocity(s->base.model, &s->contacts[slot], march->to.v, u);
        if (s->contacts[slot].gap == HUGE_VAL || !(u[0] < -s->base.options[ED_VELOCITY_TOLERANCE]))
            return PCS_OK;
        const double late = (s->contacts[slot].gap - s->level[slot]) / u[0];
        const double t = march->to.t - late, precision = time_precision(s, t);
        if (fabs(late) <= precision || t <= march->from.t + precision || t >= latest)
            return PCS_OK;
        march->counts.sum += latest - march->to.t; // as if the whole step were still there
        march->to.t = latest;
        PCS_TRY(pcs_march_cut(march, t));
    }
    return PCS_OK;
}

// Where forces of dense output are interpolated, that of the function's contact has not vanished at
// the end of the step that is computed up to its root, by what the step does not resolve; a body
// that contacts hold has steps that its motion does not shorten. The secant method on the length of
// the step. A contact that is let go while it presses, or pulls, would leave at another time.
static pcs_status polish_force(event_driven *s, int32_t function, double latest)
{
    enum { ITERATIONS_MAX = 8 };
    pcs_march *march = s->march;
    place a, b;
    PCS_TRY(value_at(s, function, march->from.t, &a));
    PCS_TRY(value_at(s, function, march->to.t, &b));
    for (int i = 0; i < ITERATIONS_MAX && fabs(b.value) > noise_of(s, function); ++i) {
        const double t = b.t - b.value * (b.t - a.t) / (b.value - a.value);
        const double precision = time_precision(s, t);
        if (!(fabs(t - b.t) > precision) || !(t > march->from.t + precision) || !(t < latest))
            return PCS_OK;
        march->counts.sum += latest - march->to.t; // as if the whole step were still there
        march->to.t = latest;
        PCS_TRY(pcs_march_cut(march, t));
        a = b;
        PCS_TRY(value_at(s, function, march->to.t, &b));
    }
    return PCS_OK;
}

static void set_slip_directions(event_driven *s)
{
    const pcs_model *model = s->base.model;
    for (int32_t i = 0; i < model->n_slots; ++i) {
        memcpy(s->slip_direction[i], s->phase.direction[i], sizeof s->slip_direction[i]);
        if (s->phase.mode[i] != PCS_MODE_SLIDE || s->contacts[i].row.size != 3 ||
            s->contacts[i].gap == HUGE_VAL)
            continue;
        double u[3];
        pcs_contact_velocity(model, &s->contacts[i], s->march->from.v, u);
        double speed = hypot(u[1], u[2]);
        if (speed > s->base.options[ED_VELOCITY_TOLERANCE]) {
            s->slip_direction[i][0] = u[1] / speed;
            s->slip_direction[i][1] = u[2] / speed;
        }
    }
}

static void swap_samples(pcs_ed_sample *a, pcs_ed_sample *b)
{
    pcs_ed_sample x = *a;
    *a = *b;
    *b = x;
}

// ---- The parts of a step ----

static bool has_closed_contact(const event_driven *s)
{
    for (int32_t i = 0; i < s->base.model->n_slots; ++i)
        if (s->phase.mode[i] != PCS_MODE_OPEN)
            return true;
    return false;
}

static bool has_estimated_gap(const event_driven *s)
{
    for (int32_t i = 0; i < s->base.model->n_slots; ++i)
        if (s->phase.mode[i] == PCS_MODE_OPEN && !pcs_gap_search_is_bounded(s->gaps, i))
            return true;
    return false;
}

// Functions without bounds are looked at in parts of the step in which, besides, no node turns by
// more than a radian: the forces of a body that spins freely go up and down many times in a step
// that its smooth coordinates allow.
static int32_t count_parts(const event_driven *s, bool sampled)
{
    const pcs_model *model = s->base.model;
    const double radians = 1, most = 1e6, h = s->march->to.t - s->march->from.t;
    double rate = 0;
    if (!sampled && !has_estimated_gap(s) && (int)s->base.options[ED_LOCATOR] == ED_BRACKET)
        return 1;
    for (int32_t k = 0; k < model->nodes.count; ++k) {
        const pcs_node *node = pcs_model_node(model, k);
        for (int32_t i = pcs_node_translations(node->kind); i < node->n_v; ++i)
            rate = fmax(
                rate, fmax(fabs(s->march->from.v[node->v + i]), fabs(s->march->to.v[node->v + i])));
    }
    return (int32_t)fmin(fmax(s->base.options[ED_SAMPLES], ceil(h * rate / radians)), most);
}

// The dense output of the step as a motion.
static pcs_status begin_motion(event_driven *s)
{
    const pcs_march *march = s->march;
    const pcs_smooth_point *from = &march->from, *to = &march->to;
    pcs_motion *motion = pcs_gap_search_motion(s->gaps);
    PCS_TRY(march->integrator->class->path(march->integrator, motion->c));
    pcs_gap_search_begin(s->gaps, from->t, march->whole > 0 ? march->whole : to->t - from->t,
                         from->q, PCS_PATH_DEGREE, s->turns, s->external, s->phase.face);
    motion->q_end = march->whole > 0 ? NULL : to->q;
    motion->v_end = to->v;
    return PCS_OK;
}

static void look_at_gaps(event_driven *s, double t, const pcs_gap_place *near,
                         pcs_gap_place *places)
{
    for (int32_t i = 0; i < s->base.model->n_slots; ++i)
        if (s->phase.mode[i] == PCS_MODE_OPEN)
            pcs_gap_search_look(s->gaps, i, t, near ? &near[i] : NULL, &places[i]);
}

// Earliest event of the step as it is.
static pcs_status search_step(event_driven *s, double *first, int32_t *which)
{
    const pcs_model *model = s->base.model;
    const bool sampled = has_closed_contact(s) || model->n_faces > model->n_slots;
    const int32_t parts = count_parts(s, sampled);
    const double start = s->march->from.t, end = s->march->to.t;
    memset(s->cause, ED_NOTHING, (size_t)model->n_faces);
    *first = HUGE_VAL;
    PCS_TRY(begin_motion(s));
    look_at_gaps(s, start, NULL, s->place[0]);
    if (sampled)
        PCS_TRY(take_sample(s, start, false, &s->before));
    for (int32_t k = 1; k <= parts && *first == HUGE_VAL; ++k) {
        const double t = k == parts ? end : start + (end - start) / parts * k;
        look_at_gaps(s, t, s->place[0], s->place[1]);
        if (sampled)
            PCS_TRY(take_sample(s, t, true, &s->after));
        PCS_TRY(search_interval(s, sampled, first, which));
        swap_samples(&s->before, &s->after);
        pcs_gap_place *places = s->place[0];
        s->place[0] = s->place[1];
        s->place[1] = places;
    }
    return PCS_OK;
}

// In space friction has no direction where a slip ends: a step computed up to there, or with that
// place at one of its stages, has no use.
static bool is_slip_end_in_space(const event_driven *s, int32_t function)
{
    const int32_t slot = object_of(s, function);
    return kind_of(s, function) == ED_TANGENT && s->phase.mode[slot] == PCS_MODE_SLIDE &&
           s->contacts[slot].row.size == 3;
}

// A contact that closes in a long step, soon after its start, and in the short one is zero to rounding
// from the start to the end: its flight was lower than the rounding of its gap. If it approaches at
// the end it closes there; otherwise a step so short would follow the other without an event, and the
// run would creep.
static void close_low_flights(event_driven *s, double *first, int32_t *which)
{
    const double start = s->march->from.t, end = s->march->to.t;
    for (int32_t i = 0; i < s->base.model->n_slots; ++i) {
        const int32_t function = ED_FUNCTIONS * i + ED_GAP;
        pcs_gap_place a, b;
        if (!s->suspect[function] || s->phase.mode[i] != PCS_MODE_OPEN)
            continue;
        pcs_gap_search_look(s->gaps, i, start, NULL, &a);
        pcs_gap_search_look(s->gaps, i, end, &a, &b);
        if (fabs(a.gap - s->level[i]) > s->gap_noise || fabs(b.gap - s->level[i]) > s->gap_noise ||
            !(b.rate < 0))
            continue;
        s->root[function] = *first = end;
        s->cause[i] = ED_CLOSING;
        *which = function;
    }
}

// An event soon after the start is looked for again in a shorter step: the error of the dense
// output of a long one may be larger than all that the function does before the event. A bounce of
// 1e-7 s in a step of 1e-3 s is lost in it. The step is only ever computed again up to the event's
// place.
static pcs_status search_closer(event_driven *s, double *first, int32_t *which)
{
    const double soon = 0.05, tries_end = 1e4; // part of the step; its least length in precisions
    const pcs_march *march = s->march;
    const double start = march->from.t;
    const int32_t n = count_functions(s);
    memset(s->suspect, 0, sizeof *s->suspect * (size_t)n);
    for (;;) {
        const double length = march->to.t - start;
        const bool may_repeat = (int)s->base.options[ED_LOCATOR] == ED_BRACKET &&
                                length >= tries_end * time_precision(s, start);
        s->too_early = may_repeat ? start + soon * length : -HUGE_VAL;
        PCS_TRY(search_step(s, first, which));
        if (*first == HUGE_VAL)
            close_low_flights(s, first, which);
        if (!may_repeat || *first >= s->too_early)
            return PCS_OK;
        if (*which >= 0 && is_slip_end_in_space(s, *which)) {
            s->too_early = -HUGE_VAL;
            return search_step(s, first, which);
        }
        for (int32_t i = 0; i < n; ++i) // what has fallen beyond its noise need not do so again
            s->suspect[i] = s->suspect[i] || s->root[i] < HUGE_VAL;
        PCS_TRY(pcs_march_cut(s->march, start + fmax(2 * (*first - start), soon * length)));
    }
}

// In space friction has no direction where a slip ends: a step computed up to there would have its
// last stages in that place.
static bool is_singular(const event_driven *s)
{
    for (int32_t i = 0; i < s->base.model->n_slots; ++i)
        if (s->cause[i] == ED_SLIP_END && s->contacts[i].row.size == 3)
            return true;
    return false;
}

pcs_status pcs_ed_search(event_driven *s)
{
    pcs_march *march = s->march;
    double first = HUGE_VAL;
    int32_t which = -1;
    memset(s->cause, ED_NOTHING, (size_t)s->base.model->n_faces);
    if (s->base.model->n_faces == 0)
        return PCS_OK;
    const bool closed = has_closed_contact(s);
    if (closed) {
        pcs_ed_look(s, &march->from, false);
        set_slip_directions(s);
    }
    // Without closed contacts no event depends on forces.
    march->integrator->dense_use = closed ? PCS_DENSE_SEARCH : PCS_DENSE_MOTION;
    const pcs_status status = search_closer(s, &first, &which);
    march->integrator->dense_use = PCS_DENSE_STATE;
    PCS_TRY(status);
    if (first == HUGE_VAL)
        return PCS_OK;
    const double start = march->from.t, end = march->to.t;
    s->pending = true;
    if (first <= start + time_precision(s, start)) { // the event is at the start: no step
        pcs_smooth_point_copy(s->base.model, &march->to, &march->from);
        s->has_step = false;
        return PCS_OK;
    }
    if (first < end)
        PCS_TRY(is_singular(s) ? pcs_march_cut_dense(march, first) : pcs_march_cut(march, first));
    if (which >= 0 && kind_of(s, which) == ED_GAP && (int)s->base.options[ED_LOCATOR] == ED_BRACKET)
        return polish(s, object_of(s, which), end);
    const bool force = which >= 0 &&
                       (cause_of(s, which) == ED_RELEASE || cause_of(s, which) == ED_STICK_END);
    // Without forces of time the estimate has chosen the step, and it resolves them.
    if (force && first < end && march->resolution && march->integrator->class->interpolates_forces)
        return polish_force(s, which, end);
    return PCS_OK;
}
