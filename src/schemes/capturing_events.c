// The capturing scheme's events: which contacts stay closed at an instant, and whether one closes
// or pulls in a smooth step, located to the width that the order asks for. Closing is searched with
// bounds of the motion (gap_search.h), pulling is looked at where a step ends.
#include "schemes/capturing.h"

#include <math.h>

void pcs_capturing_look(capturing *s, const pcs_state *state, double t, const double *q,
                        const double *v, double *gap, double *rate)
{
    const pcs_model *m = s->mj.base.model;
    pcs_configuration_follow(m, &s->mj.end, t, q, v, (pcs_turns){state->turns, state->q, NULL},
                             state->external);
    pcs_model_contacts(m, &s->mj.end, true, s->mj.contacts_end);
    for (int32_t i = 0; i < m->n_slots; ++i) {
        double u[3] = {0, 0, 0};
        gap[i] = s->mj.contacts_end[i].gap;
        if (gap[i] != HUGE_VAL)
            pcs_contact_velocity(m, &s->mj.contacts_end[i], v, u);
        rate[i] = u[0];
    }
}

// Time between impacts below which they are one, as in Moreau-Jean steps of the same length.
double pcs_capturing_together(const capturing *s)
{
    return MJ_TOGETHER * (s->end - s->begin);
}

// Corners of a box that lands flat close together but for the error of what was before: those that
// close within the time of one impact are part of it.
static void force_together(capturing *s, const double *gap, const double *rate)
{
    const double together = pcs_capturing_together(s);
    for (int32_t i = 0; i < s->mj.base.model->n_slots; ++i)
        s->forced[i] = s->forced[i] || (rate[i] < 0 && gap[i] <= -together * rate[i]);
}

// ---- What stays closed ----

// Whether smooth steps do not hold a closed contact: with friction, and a node of a mesh that edges
// have let in. Smooth steps would project it out against all stiffness, Moreau-Jean steps hold it.
static bool is_stepped(const capturing *s, int32_t slot)
{
    const pcs_contact *contact = &s->mj.contacts_end[slot];
    return contact->law.friction > 0 || pcs_mj_starts_inside(&s->mj, contact, contact->gap);
}

// Contacts that touch and neither approach nor leave become closed, the others open. Counts them;
// those that approach are `forced`, their number is *impacts. What a Moreau-Jean step has held
// closed stays so, although its normal velocity at the end is zero only to the order of that step.
static int32_t mark_touching(capturing *s, const pcs_state *state, int32_t *impacts, bool *stepped)
{
    const pcs_model *m = s->mj.base.model;
    const double speed = s->mj.base.options[MJ_IMPACT_SPEED];
    int32_t closed = 0;
    *impacts = 0;
    *stepped = false;
    for (int32_t i = 0; i < m->n_slots; ++i) {
        const double gap = s->gap_from[i], rate = s->rate_from[i];
        const bool held = (int)state->status[i] != PCS_OPEN && fabs(state->u[3 * i]) <= speed;
        const bool was_closed = held || s->phase.mode[i] != PCS_MODE_OPEN;
        const bool touches = gap != HUGE_VAL &&
                             (was_closed || gap <= s->mj.base.options[CAP_REST_GAP]);
        const bool rests = touches && (held || fabs(rate) <= speed);
        s->forced[i] = touches && !rests && (was_closed || gap <= 0) && rate < 0;
        s->phase.mode[i] = rests ? PCS_MODE_SLIDE : PCS_MODE_OPEN;
        closed += rests;
        *impacts += s->forced[i];
        *stepped = *stepped || (rests && is_stepped(s, i));
    }
    return closed;
}

// Begins the march with the present phase, on the manifold of its rows. Closed contacts are held on
// their face: the stages of a step beyond its end must not see the next one, whose normal is
// another.
static pcs_status begin_march(capturing *s, pcs_state *state, bool closed, bool *smooth)
{
    const double tolerance = s->mj.base.options[MJ_PROJECTION_TOLERANCE];
    for (int32_t i = 0; i < s->mj.base.model->n_slots; ++i)
        s->phase.face[i] = s->phase.mode[i] == PCS_MODE_OPEN ? -1 : s->mj.contacts_end[i].face;
    if (closed) {
        PCS_TRY(pcs_smooth_set_phase(s->march->smooth, &s->phase));
        pcs_status status = pcs_smooth_project(s->march->smooth, *state->t, state->q, state->v,
                                               tolerance, true, true);
        PCS_TRY(status);
        *smooth = status == PCS_OK;
        if (!*smooth)
            return PCS_OK;
    }
    return pcs_march_begin(s->march, &s->phase, *state->t, state->q, state->v, true);
}

// The closed contact that pulls most, or -1.
static int32_t strongest_pull(const capturing *s, const pcs_smooth_point *point)
{
    double worst = 0;
    int32_t found = -1;
    for (int32_t i = 0; i < s->mj.base.model->n_slots; ++i) {
        int32_t row = pcs_smooth_slot_row(s->march->smooth, i);
        if (row >= 0 && point->lambda[row] < worst) {
            worst = point->lambda[row];
            found = i;
        }
    }
    return found;
}

// Normal acceleration of a contact at the beginning of the march.
static double normal_acceleration(const capturing *s, int32_t slot)
{
    const pcs_model *m = s->mj.base.model;
    const pcs_contact *contact = &s->mj.contacts_end[slot];
    double acceleration = contact->convective[0];
    for (int32_t e = 0; e < contact->row.n_nodes; ++e) {
        const pcs_node *node = pcs_model_node(m, contact->row.node[e]);
        for (int32_t j = 0; j < node->n_v; ++j)
            acceleration += contact->row.J[e][j] * s->march->to.a[node->v + j];
    }
    return acceleration;
}

// Complementarity at acceleration level by letting go, one after the other, what pulls. If one that
// was let go accelerates into the other body all the same, the question which contacts stay closed
// has not been answered: *smooth is false. (Corners of a box that the others hold have
// accelerations of the size of rounding: what makes no speed until the output counts as none.)
static pcs_status let_go(capturing *s, pcs_state *state, int32_t closed, bool *smooth)
{
    const pcs_model *m = s->mj.base.model;
    const double speed = s->mj.base.options[MJ_IMPACT_SPEED];
    bool any = false;
    for (int32_t i = 0; i < m->n_slots; ++i)
        s->forced[i] = false; // here: let go
    for (int32_t left = closed;; --left) {
        PCS_TRY(begin_march(s, state, left > 0, smooth));
        if (!*smooth)
            return PCS_OK;
        int32_t slot = strongest_pull(s, &s->march->to);
        if (slot < 0)
            break;
        s->phase.mode[slot] = PCS_MODE_OPEN;
        s->forced[slot] = any = true;
    }
    for (int32_t i = 0; i < m->n_slots && any; ++i)
        if (s->forced[i] && normal_acceleration(s, i) * (s->end - *state->t) < -speed)
            *smooth = false;
    return PCS_OK;
}

// Whether a contact that has just left starts one more of its short flights and has had more than
// events_max of them without a longer one. The order p of the scheme is that for impacts whose number
// does not grow with 1/h; these do: a damped spring that presses on a stop with e = 1 bounces 1e6
// times before the flights rise by less than rest_gap. Moreau-Jean steps take flights of two steps
// for rest (docs/theory/moreau-jean.md); a sixteenth of that is an error of a h^2/512 in position.
static bool has_bounced_enough(capturing *s, int32_t slot, double acceleration)
{
    const double short_flight = 1.0 / 8; // of the output step
    const bool low = 2 * s->rate_from[slot] <= -acceleration * short_flight * (s->end - s->begin);
    s->low_flights[slot] = low ? s->low_flights[slot] + 1 : 0;
    return s->low_flights[slot] > s->mj.base.options[CAP_EVENTS_MAX];
}

// Contacts that leave, but would rise by less than rest_gap before they fall back, are at rest: the
// end of an accumulation, whose flights soon are below the rounding of the positions. So are those
// whose short flights do not end. How many.
static int32_t stop_low_flights(capturing *s, bool *stepped)
{
    const pcs_model *m = s->mj.base.model;
    const double height = s->mj.base.options[CAP_REST_GAP];
    int32_t stopped = 0;
    for (int32_t i = 0; i < m->n_slots; ++i) {
        const double gap = s->gap_from[i], rate = s->rate_from[i];
        // The Moreau-Jean step over an impact ends up to `width` behind it.
        if (s->phase.mode[i] != PCS_MODE_OPEN || !(rate > 0) || gap > height + 2 * rate * s->width)
            continue;
        const double acceleration = normal_acceleration(s, i);
        const bool tiny = gap <= height && rate * rate <= -2 * acceleration * height;
        if (!has_bounced_enough(s, i, acceleration) && !tiny)
            continue;
        s->low_flights[i] = 0;
        s->phase.mode[i] = PCS_MODE_SLIDE;
        *stepped = *stepped || is_stepped(s, i);
        ++stopped;
    }
    return stopped;
}

pcs_status pcs_capturing_find_phase(capturing *s, pcs_state *state, bool *smooth, bool *impact)
{
    const pcs_model *m = s->mj.base.model;
    int32_t impacts;
    bool stepped;
    pcs_capturing_look(s, state, *state->t, state->q, state->v, s->gap_from, s->rate_from);
    pcs_model_contacts_convective(m, &s->mj.end, s->mj.contacts_end);
    int32_t closed = mark_touching(s, state, &impacts, &stepped);
    *impact = impacts > 0;
    *smooth = !*impact && !stepped;
    if (*impact) { // what rests takes part in the impact
        force_together(s, s->gap_from, s->rate_from);
        for (int32_t i = 0; i < m->n_slots; ++i)
            s->forced[i] = s->forced[i] || s->phase.mode[i] != PCS_MODE_OPEN;
    }
    if (!*smooth)
        return PCS_OK;
    PCS_TRY(let_go(s, state, closed, smooth));
    if (!*smooth)
        return PCS_OK;
    const int32_t stopped = stop_low_flights(s, &stepped);
    *smooth = !stepped;
    if (stopped == 0 || stepped)
        return PCS_OK;
    return let_go(s, state, closed + stopped, smooth);
}

// ---- Events in a step ----

// State of the open and closed contacts at an instant of the last step, compared with the limits of
// the step: true where one has closed or pulls.
static bool is_behind(capturing *s, const pcs_state *state, const pcs_smooth_point *point,
                      bool *closes)
{
    const pcs_model *m = s->mj.base.model;
    bool pulls = false;
    *closes = false;
    pcs_capturing_look(s, state, point->t, point->q, point->v, s->gap_to, s->rate_to);
    for (int32_t i = 0; i < m->n_slots; ++i) {
        int32_t row = pcs_smooth_slot_row(s->march->smooth, i);
        if (row < 0)
            *closes = *closes || s->gap_to[i] < s->level[i];
        else
            pulls = pulls || point->lambda[row] < 0;
    }
    return *closes || pulls;
}

// The dense output of the step as a motion.
static pcs_status begin_motion(capturing *s, const pcs_state *state)
{
    const pcs_march *march = s->march;
    const pcs_smooth_point *from = &march->from, *to = &march->to;
    pcs_motion *motion = pcs_gap_search_motion(s->gaps);
    PCS_TRY(march->integrator->class->path(march->integrator, motion->c));
    pcs_gap_search_begin(s->gaps, from->t, to->t - from->t, from->q, PCS_PATH_DEGREE, state->turns,
                         state->external, NULL);
    motion->q_end = to->q;
    motion->v_end = to->v;
    return PCS_OK;
}

// The first instant at which an open contact is found closed, not behind `latest`; HUGE_VAL: none.
// *open: the last one before at which it is open.
static double find_closing(capturing *s, int32_t slot, double latest, double *open)
{
    const pcs_gap_rules rules = {.level = s->level[slot],
                                 .tolerance = s->mj.base.options[MJ_PROJECTION_TOLERANCE],
                                 .precision = s->mj.base.options[CAP_LOCATION_FLOOR],
                                 .too_early = -HUGE_VAL};
    pcs_gap_place a, b;
    bool starts_closed;
    pcs_gap_search_look(s->gaps, slot, s->march->from.t, NULL, &a);
    pcs_gap_search_look(s->gaps, slot, latest, &a, &b);
    const bool found = pcs_gap_search_first(s->gaps, slot, &rules, &a, &b, &starts_closed);
    *open = a.t;
    if (found)
        return b.t;
    return starts_closed ? fmin(a.t + s->width, latest) : HUGE_VAL;
}

// Whether a closed contact has gone over to another face; looks at the contacts evaluated last.
static bool crosses_edge(const capturing *s)
{
    for (int32_t i = 0; i < s->mj.base.model->n_slots; ++i)
        if (pcs_smooth_slot_row(s->march->smooth, i) >= 0 &&
            s->mj.contacts_end[i].face != s->face_from[i])
            return true;
    return false;
}

// Limits of the step for all contacts, and the first closing in it: s->hit and s->hit_time. *behind:
// something has closed or pulls where the step ends.
static pcs_status look_into_step(capturing *s, const pcs_state *state, bool *behind)
{
    const pcs_model *m = s->mj.base.model;
    const pcs_smooth_point *from = &s->march->from, *to = &s->march->to;
    const double tolerance = s->mj.base.options[MJ_PROJECTION_TOLERANCE],
                 speed = s->mj.base.options[MJ_IMPACT_SPEED];
    pcs_capturing_look(s, state, from->t, from->q, from->v, s->gap_from, s->rate_from);
    for (int32_t i = 0; i < m->n_slots; ++i) {
        s->face_from[i] = s->mj.contacts_end[i].face;
        // A contact that leaves closes again where it began. One that was let go has no speed yet:
        // its gap is known to the projection's tolerance alone. (That tolerance for all would give
        // back to a ball, at each bounce, the speed of a fall through it.)
        const bool let_go = s->gap_from[i] <= tolerance && s->rate_from[i] <= speed;
        s->level[i] = fmin(s->gap_from[i], 0) - (let_go ? tolerance : 0);
    }
    bool closes;
    *behind = is_behind(s, state, to, &closes);
    s->edge = crosses_edge(s);
    s->hit = -1;
    s->hit_time = HUGE_VAL;
    if (s->edge)
        return PCS_OK;
    PCS_TRY(begin_motion(s, state));
    for (int32_t i = 0; i < m->n_slots; ++i) {
        if (pcs_smooth_slot_row(s->march->smooth, i) >= 0 ||
            pcs_gap_search_is_far(s->gaps, i, s->gap_from[i], s->gap_to[i]))
            continue;
        double open;
        const double t = find_closing(s, i, fmin(s->hit_time, to->t), &open);
        if (t < s->hit_time) {
            s->hit_time = t;
            s->hit_open = open;
            s->hit = i;
        }
    }
    return PCS_OK;
}

double pcs_capturing_depth(capturing *s, const pcs_state *state)
{
    const pcs_model *m = s->mj.base.model;
    const pcs_smooth_point *to = &s->march->to;
    const double tolerance = s->mj.base.options[MJ_PROJECTION_TOLERANCE];
    double deepest = 0;
    pcs_capturing_look(s, state, to->t, to->q, to->v, s->gap_to, s->rate_to);
    for (int32_t i = 0; i < m->n_slots; ++i) {
        const double misplaced = tolerance + s->width * fmax(-s->rate_to[i], 0);
        if (pcs_smooth_slot_row(s->march->smooth, i) < 0)
            deepest = fmax(deepest, s->level[i] - s->gap_to[i] - misplaced);
    }
    return deepest;
}

// Bisection to the width of an event's interval: *low lies before, *high behind the event.
static pcs_status bisect(capturing *s, const pcs_state *state, double *low, double *high)
{
    bool closes;
    while (*high - *low > s->width) {
        double middle = 0.5 * (*low + *high);
        if (!(middle > *low) || !(middle < *high))
            break;
        PCS_TRY(pcs_march_dense(s->march, middle, &s->probe));
        *(is_behind(s, state, &s->probe, &closes) ? high : low) = middle;
    }
    return PCS_OK;
}

// Whether the contact that closes first is at time t the one that it is where it closes: on the face
// of a shelf or of a tooth, not beside it.
static bool is_same_contact(capturing *s, double t)
{
    const double cosine = 0.9; // of normals that the step over the impact may take for the other
    pcs_gap_place at, closing;
    pcs_gap_search_look(s->gaps, s->hit, t, NULL, &at);
    pcs_gap_search_look(s->gaps, s->hit, s->hit_open, NULL, &closing);
    if (at.gap == HUGE_VAL || closing.gap == HUGE_VAL)
        return false;
    return at.n_barriers == 0 ||
           pcs_v3_dot(at.barrier[0].n, closing.barrier[0].n) >=
               cosine * pcs_v3_dot(closing.barrier[0].n, closing.barrier[0].n);
}

pcs_status pcs_capturing_search(capturing *s, const pcs_state *state, capturing_event *event,
                                double *t_a, double *t_b)
{
    const pcs_model *m = s->mj.base.model;
    const double start = s->march->from.t, end = s->march->to.t;
    double low = start, high = end;
    bool behind = false, closes;
    *event = CAPTURING_NOTHING;
    if (m->n_slots == 0)
        return PCS_OK;
    PCS_TRY(look_into_step(s, state, &behind));
    if (s->edge) {
        *event = CAPTURING_EDGE;
        *t_a = start;
        *t_b = end;
        return PCS_OK;
    }
    if (!behind && s->hit < 0)
        return PCS_OK;
    if (behind)
        PCS_TRY(bisect(s, state, &low, &high));
    const bool hidden = s->hit >= 0 && (!behind || s->hit_time <= low);
    if (hidden) { // a contact that has opened again before the end, or before another closes
        low = start;
        high = s->hit_time;
        PCS_TRY(bisect(s, state, &low, &high));
    }
    if (s->hit >= 0 && low < s->hit_open && high >= s->hit_time && !is_same_contact(s, low)) {
        low = s->hit_open;
        high = s->hit_time;
    }
    const pcs_smooth_point *at = &s->march->to;
    if (high < end) {
        PCS_TRY(pcs_march_dense(s->march, high, &s->probe));
        at = &s->probe;
    }
    is_behind(s, state, at, &closes);
    const bool hit = s->hit >= 0 && high == s->hit_time; // maybe by less than rounding
    closes = closes || hit;
    for (int32_t i = 0; i < m->n_slots; ++i)
        s->forced[i] = pcs_smooth_slot_row(s->march->smooth, i) >= 0 ||
                       s->gap_to[i] < s->level[i] || (hit && i == s->hit);
    if (closes)
        force_together(s, s->gap_to, s->rate_to);
    *event = closes ? CAPTURING_IMPACT : CAPTURING_RELEASE;
    *t_a = closes ? low : high; // a contact that opens needs no interval
    *t_b = high;
    return PCS_OK;
}
