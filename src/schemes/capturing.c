// Capturing scheme of any order [Acary lectures 3.10; Mannshardt 1978; Acary 2009].
//
// Smooth parts are steps of an integrator of order p; a step in which a contact closes is made
// again:
//     1  the integrator's step on [t_k, t_{k+1}]; nothing closes or pulls: accepted
//     2  rough location by its dense output: t* in [t_a, t_b], t_b - t_a = C h^(p+1)
//     3  the integrator on [t_k, t_a]
//     4  a Moreau-Jean step on [t_a, t_b], with the contacts that close forced to be active
//     5  from 1 on [t_b, t_{k+1}], as often as needed (accumulations)
// The local error of the positions is O(h^(p+1)). Contacts that stay closed without friction are
// equations of the smooth part, with their multipliers watched. Closed contacts with friction,
// phases that cannot be decided and steps with too many events are left to Moreau-Jean steps.
#include "schemes/capturing.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { CONTROL_FIXED, CONTROL_ADAPTIVE };
enum { STABILISE_NONE, STABILISE_PROJECTION };
// As in the table of integrators.
static const char *const integrators[] = {"heun",   "bs32",   "rk4",    "rkf45", "dopri5", "hem5",
                                          "phem56", "alpha2", "alpha3", "auto",  NULL};
enum { INTEGRATOR_AUTO = 9 };
static const char *const controls[] = {"fixed", "adaptive", NULL};
static const char *const stabilisations[] = {"none", "projection", NULL};

static const pcs_option options[CAP_OPTION_COUNT] = {
    MJ_OPTION_ROWS,
    [CAP_INTEGRATOR] = PCS_CHOICE_ROW("integrator", INTEGRATOR_AUTO, INTEGRATOR_AUTO, integrators,
                                      "method of the smooth parts; its order is that of the "
                                      "scheme; auto: alpha2 for a model with "
                                      "meshes, else rk4"),
    [CAP_STEP_CONTROL] = PCS_CHOICE_ROW(
        "step_control", CONTROL_FIXED, CONTROL_ADAPTIVE, controls,
        "fixed: one step between outputs; adaptive: as many as the tolerance asks for"),
    [CAP_TOLERANCE] = PCS_REAL_ROW("tolerance", 1e-8, 1e-14, 1,
                                   "error of an adaptive smooth step, m or rad"),
    [CAP_FIRST_STEP] = PCS_REAL_ROW("first_step", 0, 0, 1e9,
                                    "adaptive: first length, s; 0: chosen from the motion"),
    [CAP_SMALLEST_STEP] = PCS_REAL_ROW("smallest_step", 1e-10, 1e-15, 1e9,
                                       "adaptive: shortest length, s"),
    [CAP_LARGEST_STEP] = PCS_REAL_ROW("largest_step", 1e9, 1e-15, 1e9,
                                      "adaptive: longest length, s"),
    [CAP_SAFETY] = PCS_REAL_ROW("safety", 0.9, 0.1, 1, "factor on the step that the error allows"),
    [CAP_GROWTH] = PCS_REAL_ROW("growth", 10, 1, 100, "largest ratio of a step to the one before"),
    [CAP_STABILISATION] = PCS_CHOICE_ROW(
        "stabilisation", STABILISE_PROJECTION, STABILISE_PROJECTION, stabilisations,
        "after a smooth step: none, or projection on joints and closed contacts"),
    [CAP_LOCATION_CONSTANT] = PCS_REAL_ROW(
        "location_constant", 1, 1e-9, 1e9,
        "C in the width C h^(p+1) of the interval in which an impact is located, s^-p"),
    [CAP_LOCATION_FLOOR] = PCS_REAL_ROW("location_floor", 1e-12, 1e-15, 1,
                                        "smallest width of that interval, s"),
    [CAP_REST_GAP] = PCS_REAL_ROW(
        "rest_gap", 1e-12, 1e-15, 1,
        "a contact stays closed that touches this closely without speed, or would rise less, m or "
        "rad"),
    [CAP_EVENTS_MAX] = PCS_INTEGER_ROW(
        "events_max", 1000, 1, 1e9,
        "events between two outputs, after which Moreau-Jean steps take over, and flights shorter "
        "than an eighth of that in a row, after which a contact stays closed"),
    [CAP_TIME_STEP] = PCS_REAL_ROW("time_step", 0, 0, 1e9,
                                   "length of the Moreau-Jean steps while closed contacts have "
                                   "friction, s; 0: the time between outputs"),
};

// What is kept in the state: the length that an adaptive march proposes, the largest pivot it has
// seen (singular.h), mode and short flights of each slot, and the memory of an implicit method with what is known of it (capturing_memory) and the
// power of damping.
enum { MEMORY_STEP, MEMORY_KNOWN, MEMORY_DAMPING, MEMORY_WIDEST, MEMORY_MODES };

// ---- Memory ----

static int64_t memory(const pcs_scheme *scheme)
{
    return MEMORY_MODES + 2 * (int64_t)scheme->model->n_slots + 2 * (int64_t)scheme->model->n_v;
}

static pcs_status init(pcs_scheme *scheme)
{
    capturing *s = (capturing *)scheme;
    pcs_context *ctx = scheme->ctx;
    const pcs_model *m = scheme->model;
    PCS_TRY(pcs_moreau_jean_class.init(scheme));
    PCS_TRY(pcs_gap_search_create(ctx, m, &s->gaps));
    PCS_TRY(pcs_phase_init(ctx, m, &s->phase));
    PCS_TRY(pcs_smooth_point_init(ctx, m, &s->probe));
    double **of_slots[] = {&s->gap_from, &s->rate_from, &s->gap_to,
                           &s->rate_to,  &s->level,     &s->low_flights};
    bool good = PCS_NEW_LIST(ctx, of_slots, m->n_slots);
    s->forced = PCS_NEW_ARRAY(ctx, bool, m->n_slots);
    s->face_from = PCS_NEW_ARRAY(ctx, int32_t, m->n_slots);
    s->joint_impulse = PCS_NEW_ARRAY(ctx, double, m->n_rows);
    s->filter = PCS_NEW_ARRAY(ctx, double, 2 * (int64_t)m->n_v);
    s->impulse_frame = PCS_NEW_ARRAY(ctx, double, 3 * (int64_t)m->n_slots);
    good = good && s->filter && s->forced && s->face_from && s->joint_impulse && s->impulse_frame;
    return good ? PCS_OK : PCS_ERROR_MEMORY;
}

static void destroy(pcs_scheme *scheme)
{
    capturing *s = (capturing *)scheme;
    pcs_context *ctx = scheme->ctx;
    void *arrays[] = {s->gap_from,      s->rate_from, s->gap_to,     s->rate_to,
                      s->face_from,     s->level,     s->forced,     s->joint_impulse,
                      s->impulse_frame, s->filter,    s->low_flights};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i)
        pcs_free(ctx, arrays[i]);
    pcs_gap_search_destroy(s->gaps);
    pcs_march_destroy(s->march);
    pcs_phase_free(ctx, &s->phase);
    pcs_smooth_point_free(ctx, &s->probe);
    pcs_moreau_jean_class.free(scheme);
}

static pcs_status create_march(capturing *s)
{
    const double *option = s->mj.base.options;
    const char *name = integrators[(int)option[CAP_INTEGRATOR]];
    pcs_march_opts opts = pcs_march_default();
    opts.class = pcs_integrator_choose(name, s->mj.base.model, "rk4");
    if (!opts.class)
        return pcs_error(s->mj.base.ctx, PCS_ERROR_INPUT, "there is no integrator '%s'", name);
    opts.fixed = (int)option[CAP_STEP_CONTROL] == CONTROL_FIXED;
    opts.tolerance = option[CAP_TOLERANCE];
    // Fixed steps get the length of each output step; 1 s stands for it until then.
    opts.first_step = opts.fixed ? 1 : option[CAP_FIRST_STEP];
    opts.smallest_step = option[CAP_SMALLEST_STEP];
    opts.largest_step = option[CAP_LARGEST_STEP];
    opts.safety = option[CAP_SAFETY];
    opts.growth = option[CAP_GROWTH];
    opts.stabilisation = (int)option[CAP_STABILISATION] == STABILISE_PROJECTION
                             ? PCS_STABILISE_PROJECTION
                             : PCS_STABILISE_NONE;
    opts.projection_tolerance = option[MJ_PROJECTION_TOLERANCE];
    return pcs_march_create(s->mj.base.ctx, s->mj.base.model, &opts, &s->march);
}

static pcs_status start(pcs_scheme *scheme, pcs_state *state, pcs_statistics *statistics)
{
    capturing *s = (capturing *)scheme;
    memset(state->memory, 0, sizeof(double) * (size_t)memory(scheme));
    PCS_TRY(create_march(s)); // the options are known now
    return pcs_moreau_jean_class.start(scheme, state, statistics);
}

// The filter of an implicit method forgets the accelerations before a jump of the forces.
static pcs_status restart(pcs_scheme *scheme, pcs_state *state)
{
    (void)scheme;
    state->memory[MEMORY_KNOWN] = CAPTURING_NO_MEMORY;
    return PCS_OK;
}

// ---- The parts of a step ----

// A contact that a Moreau-Jean step has held on one face and left on another is not at rest on
// that: its velocity is zero along the normal of the first. It gets the one along the normal at
// hand, and is decided anew.
static void see_faces(capturing *s, pcs_state *state)
{
    const pcs_model *m = s->mj.base.model;
    bool looked = false;
    for (int32_t i = 0; i < m->n_slots; ++i) {
        if ((int)state->status[i] == PCS_OPEN ||
            s->mj.contacts[i].face == s->mj.contacts_end[i].face)
            continue;
        if (!looked)
            pcs_capturing_look(s, state, *state->t, state->q, state->v, s->gap_from, s->rate_from);
        looked = true;
        state->u[3 * i] = s->rate_from[i];
        s->phase.mode[i] = PCS_MODE_OPEN;
    }
}

// What an implicit method goes on with behind a Moreau-Jean step. Over an impact that is the memory
// from before (hand_over_filter). A contact with friction that stays closed is stepped over for as
// long as it does, and the memory would be that of another motion. With the midpoint rule in place of
// its own step, d = h (v_n + v_{n-1})/2, generalized-alpha has one solution:
//     v_n - v_{n-1} = h ((1 - gamma) a_{n-1} + gamma a_n),
//     d = h v_{n-1} + h^2 ((1/2 - beta) a_{n-1} + beta a_n)     =>   a_n = (v_n - v_{n-1})/h.
static void remember_step(capturing *s, const pcs_state *state, double damping)
{
    const size_t n = (size_t)s->mj.base.model->n_v;
    if (s->march->opts.class->implicit && !s->mj.forced && !s->mj.impacts) {
        memcpy(s->filter, state->a, sizeof(double) * n);
        memcpy(s->filter + n, state->a, sizeof(double) * n);
        s->damping = damping;
        s->known = CAPTURING_PRESENT;
    } else if (s->known == CAPTURING_PRESENT) {
        s->known = CAPTURING_BEFORE_IMPACT;
    }
}

static pcs_status moreau_jean_step(capturing *s, pcs_state *state, double h,
                                   pcs_step_report *report)
{
    pcs_step_report part;
    const double damping = state->work[PCS_WORK_DAMPING];
    pcs_status status = pcs_moreau_jean_class.step(&s->mj.base, state, h, &part);
    PCS_TRY(status);
    see_faces(s, state);
    remember_step(s, state, (state->work[PCS_WORK_DAMPING] - damping) / h);
    pcs_step_report_add(report, &part);
    for (int32_t i = 0; i < s->mj.base.model->n_rows; ++i)
        s->joint_impulse[i] += state->p[i];
    return status;
}

// Step 4: over [t_a, t_b] with the forced contacts active.
static pcs_status impact_step(capturing *s, pcs_state *state, double t_b, pcs_step_report *report)
{
    s->mj.forced = s->forced;
    s->mj.together = pcs_capturing_together(s);
    pcs_status status = moreau_jean_step(s, state, t_b - *state->t, report);
    s->mj.forced = NULL;
    *state->t = t_b;
    return status;
}

// Moreau-Jean where the smooth equations do not hold: the first of equal steps up to `until`.
static pcs_status time_stepping(capturing *s, pcs_state *state, double until,
                                pcs_step_report *report)
{
    const double rest = until - *state->t, length = s->mj.base.options[CAP_TIME_STEP];
    const double part = 1e-9; // of a step that is still rounding
    const double steps = length > 0 ? fmax(ceil(rest / length - part), 1) : 1;
    const double h = rest / steps, t = steps > 1 ? *state->t + h : until;
    pcs_status status = moreau_jean_step(s, state, h, report);
    *state->t = t;
    report->time_stepping += h;
    ++report->accepted;
    report->smallest_step = report->smallest_step > 0 ? fmin(report->smallest_step, h) : h;
    return status;
}

// Generalized-alpha filters the accelerations; a filter that began anew in each output step would
// let the high frequencies of a mesh grow. It goes on over impacts too, with the accelerations
// before them: those after an impact, of damped elements of which one node has got another
// velocity, are beyond what a step resolves. That costs O(h^2) at each impact, the order of the
// method.
static void hand_over_filter(capturing *s)
{
    const size_t n = (size_t)s->mj.base.model->n_v;
    if (s->known != CAPTURING_NO_MEMORY)
        memcpy(s->march->to.extra, s->filter, sizeof(double) * n);
    if (s->known == CAPTURING_BEFORE_IMPACT)
        memcpy(s->march->to.a, s->filter + n, sizeof(double) * n);
    s->march->integrator->after_jump = s->known == CAPTURING_BEFORE_IMPACT;
    s->march->integrator->damping_before = s->damping;
}

static void keep_filter(capturing *s)
{
    const size_t n = (size_t)s->mj.base.model->n_v;
    if (!s->march->opts.class->implicit)
        return;
    memcpy(s->filter, s->march->to.extra, sizeof(double) * n);
    memcpy(s->filter + n, s->march->to.a, sizeof(double) * n);
    s->damping = s->march->integrator->damping;
    s->known = CAPTURING_PRESENT;
}

static void count_smooth(capturing *s, pcs_step_report *report)
{
    const double h = s->march->to.t - s->march->from.t;
    ++report->accepted;
    report->smallest_step = report->smallest_step > 0 ? fmin(report->smallest_step, h) : h;
}

// Angle, relative to the length of a row, by which a closed contact may turn in a fixed explicit step:
// rk4 has an error of 1e-5 of it there.
static const double TURN_MOST = 0.25;

// Rate at which the rows of a closed contact turn: from those of the phase, in contacts_end, to those
// a moment `ahead`, in contacts.
static double turning_rate(const capturing *s, int32_t slot, double ahead)
{
    const pcs_model *m = s->mj.base.model;
    const pcs_row_block *now = &s->mj.contacts_end[slot].row, *then = &s->mj.contacts[slot].row;
    double change = 0, size = 0;
    for (int32_t e = 0; e < now->n_nodes && e < then->n_nodes; ++e) {
        const pcs_node *node = pcs_model_node(m, now->node[e]);
        for (int32_t j = 0; j < node->n_v && j < pcs_node_translations(node->kind); ++j) {
            const double d = then->J[e][j] - now->J[e][j];
            change += d * d;
            size += now->J[e][j] * now->J[e][j];
        }
    }
    return size > 0 ? sqrt(change / size) / ahead : 0;
}

// End of the next smooth step. A pin that slides round in its hole turns its contact by radians in an
// output step; a fixed step of an explicit method has no estimate that would see it, and is a part of
// the output step that resolves it.
static double resolved_until(capturing *s, const pcs_state *state)
{
    const pcs_model *m = s->mj.base.model;
    const double rest = s->end - *state->t, ahead = 1e-3 * rest;
    bool closed = false;
    for (int32_t i = 0; i < m->n_slots; ++i)
        closed = closed || s->phase.mode[i] != PCS_MODE_OPEN;
    if (!closed || !s->march->opts.fixed || s->march->opts.class->implicit)
        return s->end;
    for (int32_t i = 0; i < m->n_v; ++i)
        s->mj.x[i] = ahead * state->v[i];
    pcs_model_retract(m, state->q, s->mj.x, s->mj.q_forecast);
    pcs_configuration_follow(m, &s->mj.forecast, *state->t + ahead, s->mj.q_forecast, state->v,
                             (pcs_turns){state->turns, state->q, s->mj.x}, state->external);
    pcs_model_contacts(m, &s->mj.forecast, true, s->mj.contacts);
    double rate = 0;
    for (int32_t i = 0; i < m->n_slots; ++i)
        if (s->phase.mode[i] != PCS_MODE_OPEN && s->mj.contacts[i].gap != HUGE_VAL)
            rate = fmax(rate, turning_rate(s, i, ahead));
    const double parts = ceil(rest * rate / TURN_MOST);
    return parts > 1 ? *state->t + rest / parts : s->end;
}

// Whether the smooth step ends above all energy that the run was given, by more than a part of what
// moves. Generalized-alpha is stable for linear forces; an element that turns by tenths of a radian
// while its vibrations are not resolved may be fed any energy by one step, in flight. A shorter step
// does not.
static bool has_gained(capturing *s, const pcs_state *state)
{
    static const pcs_work given[] = {PCS_WORK_APPLIED, PCS_WORK_ACTUATOR, PCS_WORK_DRIVER};
    const double part = 1e-3;
    const pcs_model *m = s->mj.base.model;
    const pcs_smooth_point *from = &s->march->from, *to = &s->march->to;
    if (m->meshes.count == 0 || !s->march->opts.fixed || !s->march->opts.class->implicit)
        return false;
    double most = state->work[PCS_WORK_START_ENERGY];
    for (size_t i = 0; i < sizeof given / sizeof *given; ++i)
        most += state->work[given[i]] + to->work[given[i]] - from->work[given[i]];
    pcs_configuration_follow(m, &s->mj.end, to->t, to->q, to->v,
                             (pcs_turns){state->turns, state->q, NULL}, state->external);
    const double kinetic = pcs_model_kinetic(m, &s->mj.end);
    return kinetic + pcs_model_potential(m, &s->mj.end) > most + part * kinetic;
}

// The smooth step to the middle of the last one.
static pcs_status halve(capturing *s)
{
    return pcs_march_cut(s->march, 0.5 * (s->march->from.t + s->march->to.t));
}

// Steps 2 and 3. The event is located on the dense output of one step, and the step up to t_a is
// another: where the first does not resolve the vibrations of a mesh, the second may end deep inside
// a contact, and step 4 would push it out with any energy. Then the event is sought in the second,
// from depth to depth less than half the one before, else in its first half.
static pcs_status search_and_cut(capturing *s, const pcs_state *state, capturing_event *kind,
                                 double *t_a, double *t_b)
{
    enum { HALVINGS_MAX = 10 };
    int halvings = 0;
    while (halvings < HALVINGS_MAX && has_gained(s, state)) {
        ++halvings;
        PCS_TRY(halve(s));
    }
    for (double last = HUGE_VAL;;) {
        PCS_TRY(pcs_capturing_search(s, state, kind, t_a, t_b));
        if (*kind == CAPTURING_NOTHING || *kind == CAPTURING_EDGE || !(*t_a > s->march->from.t))
            return PCS_OK;
        PCS_TRY(pcs_march_cut(s->march, *t_a));
        const double depth = *kind == CAPTURING_IMPACT ? pcs_capturing_depth(s, state) : 0;
        const bool gained = halvings < HALVINGS_MAX && has_gained(s, state);
        if (!(depth > 0) && !gained)
            return PCS_OK;
        if (depth > 0.5 * last || gained)
            PCS_TRY(halve(s));
        halvings += gained;
        last = depth > 0 ? depth : HUGE_VAL;
    }
}

// Steps 1 to 4 from the state on, whose phase has been found and begun.
static pcs_status smooth_part(capturing *s, pcs_state *state, pcs_step_report *report, bool *event)
{
    capturing_event kind;
    double t_a, t_b;
    hand_over_filter(s);
    if (pcs_march_lands(s->march)) // smooth steps neither begin nor end well in a singular position
        return time_stepping(s, state, s->end, report);
    const pcs_status stepped = pcs_march_step(s->march, resolved_until(s, state));
    const bool fixed = s->march->opts.fixed && s->march->opts.class->implicit;
    if (stepped == PCS_ERROR_NUMERIC && fixed)
        return time_stepping(s, state, s->end, report); // no solution near: see on_failure there
    PCS_TRY(stepped);
    if (pcs_march_lands(s->march))
        return time_stepping(s, state, s->march->to.t, report);
    const pcs_status found = search_and_cut(s, state, &kind, &t_a, &t_b);
    if (found == PCS_ERROR_NUMERIC && fixed)
        return time_stepping(s, state, s->end, report);
    PCS_TRY(found);
    *event = kind != CAPTURING_NOTHING;
    if (kind == CAPTURING_EDGE)
        return time_stepping(s, state, t_b, report);
    if (kind == CAPTURING_NOTHING || t_a > s->march->from.t) {
        count_smooth(s, report);
        pcs_capturing_store_smooth(s, state);
        keep_filter(s);
    }
    return kind == CAPTURING_IMPACT ? impact_step(s, state, t_b, report) : PCS_OK;
}

// Width of the interval of an event, C h^(p+1), not below what the clock resolves.
static double location_width(const capturing *s, double h)
{
    const double *option = s->mj.base.options;
    const double clock = 16 * DBL_EPSILON * fmax(fabs(s->begin), fabs(s->end));
    const double most = 1.0 / 32; // of the step: C h^(p+1) says nothing for h near 1 s
    const double width = option[CAP_LOCATION_CONSTANT] * pow(h, s->march->opts.class->order + 1);
    return fmin(fmax(fmin(width, most * h), fmax(option[CAP_LOCATION_FLOOR], clock)), 0.5 * h);
}

// From the state to the end of the output step, part by part.
static pcs_status run_parts(capturing *s, pcs_state *state, pcs_step_report *report)
{
    const int64_t events_max = (int64_t)s->mj.base.options[CAP_EVENTS_MAX];
    int64_t events = 0;
    pcs_status worst = PCS_OK;
    while (*state->t < s->end) {
        bool smooth = false, impact = false, event = false;
        if (events < events_max)
            PCS_TRY(pcs_capturing_find_phase(s, state, &smooth, &impact));
        pcs_status status;
        if (impact) {
            status = impact_step(s, state, fmin(*state->t + s->width, s->end), report);
            event = true;
        } else if (smooth) {
            status = smooth_part(s, state, report, &event);
        } else {
            status = time_stepping(s, state, s->end, report);
        }
        PCS_TRY(status);
        worst = status > worst ? status : worst;
        events += event;
    }
    return worst;
}

static pcs_status step(pcs_scheme *scheme, pcs_state *state, double h, pcs_step_report *report)
{
    capturing *s = (capturing *)scheme;
    const pcs_model *m = scheme->model;
    *report = (pcs_step_report){0};
    s->begin = *state->t;
    s->end = s->begin + h;
    s->width = location_width(s, h);
    if (s->march->opts.fixed)
        s->march->opts.first_step = h;
    s->march->h_next = state->memory[MEMORY_STEP];
    pcs_smooth_bind(s->march->smooth, state->turns, state->external);
    pcs_smooth_bind_origin(s->march->smooth, state->q);
    for (int32_t i = 0; i < m->n_slots; ++i) {
        s->phase.mode[i] = (uint8_t)state->memory[MEMORY_MODES + i];
        if ((int)state->status[i] == PCS_OPEN) // impulses of the last output step are no warm start
            memset(state->r + 3 * i, 0, 3 * sizeof(double));
    }
    s->march->counts.position.widest = state->memory[MEMORY_WIDEST];
    // Its accounts begin anew: their rounding must not be that of what came before a checkpoint.
    memset(s->march->to.work, 0, sizeof s->march->to.work);
    memcpy(s->march->phase.mode, s->phase.mode, (size_t)m->n_slots);
    const size_t filter_bytes = 2 * sizeof(double) * (size_t)m->n_v;
    s->known = (capturing_memory)(int)state->memory[MEMORY_KNOWN];
    s->damping = state->memory[MEMORY_DAMPING];
    const size_t slot_bytes = sizeof(double) * (size_t)m->n_slots;
    double *low_flights = state->memory + MEMORY_MODES + m->n_slots;
    double *filter = low_flights + m->n_slots;
    memcpy(s->low_flights, low_flights, slot_bytes);
    memcpy(s->filter, filter, filter_bytes);
    memset(s->joint_impulse, 0, sizeof(double) * (size_t)m->n_rows);
    memcpy(s->impulse_frame, state->impulse, 3 * slot_bytes);
    memset(state->impulse, 0, 3 * slot_bytes); // counts this step alone, up to pcs_capturing_finish
    s->march->counts.error = 0; // a sum of this step alone has the same bits in a resumed run
    const pcs_march_counts before = s->march->counts;
    const int64_t evaluations = pcs_smooth_evaluations(s->march->smooth);
    pcs_status status = run_parts(s, state, report);
    PCS_TRY(status);
    report->h = h;
    report->rejected += (int32_t)(s->march->counts.rejected - before.rejected);
    report->error = s->march->counts.error;
    report->evaluations = pcs_smooth_evaluations(s->march->smooth) - evaluations;
    report->redundant_rows += s->march->counts.singular > before.singular; // at least
    pcs_capturing_finish(s, state, report);
    state->memory[MEMORY_STEP] = s->march->h_next;
    state->memory[MEMORY_KNOWN] = s->known;
    state->memory[MEMORY_DAMPING] = s->damping;
    state->memory[MEMORY_WIDEST] = s->march->counts.position.widest;
    memcpy(low_flights, s->low_flights, slot_bytes);
    memcpy(filter, s->filter, filter_bytes);
    for (int32_t i = 0; i < m->n_slots; ++i)
        state->memory[MEMORY_MODES + i] = s->phase.mode[i];
    return status;
}

static const uint8_t *redundant_rows(const pcs_scheme *scheme)
{
    return pcs_moreau_jean_class.redundant_rows(scheme);
}

const pcs_scheme_class pcs_capturing_class = {
    .name = "capturing",
    .help = "steps of any order between impacts, Moreau-Jean over a short interval around each",
    .options = options,
    .n_options = CAP_OPTION_COUNT,
    .size = sizeof(capturing),
    .memory = memory,
    .init = init,
    .free = destroy,
    .start = start,
    .step = step,
    .restart = restart,
    .redundant_rows = redundant_rows,
    .refined_by = PCS_REFINED_TOLERANCE,
    .fixed_refined_by = PCS_REFINED_STEP,
};
