// Event-driven integration [Haddouni2015, 3.1-3.4; Acary lectures 3.1-3.2]: smooth phases by one
// of the integrators of integrator.h, in which joints and closed contacts are equations, up to the
// next event; impact and new status there.
//
//     I0 all contacts,  I1 = { gap <= gap_tolerance },  I2 = { in I1, u_N <= velocity_tolerance };
//     contacts of I2 stick or slide. The rows of a phase are the joints and I2.
//
// The march takes steps of its own length and runs ahead of the output times, which are
// interpolated; so the motion does not depend on the output step.
#include "schemes/event_driven.h"

#include <string.h>

#include "schemes/start.h"

static event_driven *self(pcs_scheme *scheme)
{
    return (event_driven *)scheme;
}

// ---- Memory ----

static bool init_sample(event_driven *s, pcs_ed_sample *sample)
{
    const int64_t slots = s->base.model->n_slots, curves = s->base.model->n_faces - slots;
    sample->value = PCS_NEW_ARRAY(s->base.ctx, double, ED_FUNCTIONS *slots + curves);
    return sample->value != NULL;
}

static bool init_set(event_driven *s)
{
    pcs_context *ctx = s->base.ctx;
    pcs_ed_set *set = &s->set;
    const int64_t n = s->base.model->n_slots;
    double **full[] = {&set->r, &set->u, &set->before, &s->restitution};
    bool good = PCS_NEW_LIST(ctx, full, 3 * n);
    set->slot = PCS_NEW_ARRAY(ctx, int32_t, n);
    set->offset = PCS_NEW_ARRAY(ctx, int32_t, n + 1);
    set->H = PCS_NEW_ARRAY(ctx, const pcs_row_block *, n);
    set->slides = PCS_NEW_ARRAY(ctx, uint8_t, n);
    set->idle = PCS_NEW_ARRAY(ctx, double, n);
    set->direction = pcs_calloc(ctx, (size_t)n, sizeof *set->direction);
    set->mu = PCS_NEW_ARRAY(ctx, double, n);
    set->mobility = PCS_NEW_ARRAY(ctx, double, n);
    set->tangent = pcs_calloc(ctx, (size_t)n, sizeof *set->tangent);
    return good && set->slot && set->offset && set->H && set->slides && set->idle &&
           set->direction && set->mu && set->mobility && set->tangent;
}

static bool init_arrays(event_driven *s)
{
    pcs_context *ctx = s->base.ctx;
    const pcs_model *m = s->base.model;
    const int64_t slots = m->n_slots, curves = m->n_faces - slots;
    struct {
        double **array;
        int64_t n;
    } list[] = {
        {&s->q, m->n_q},
        {&s->v, m->n_v},
        {&s->v_minus, m->n_v},
        {&s->f, m->n_v},
        {&s->x, m->n_v},
        {&s->rounding, m->n_v},
        {&s->turns, m->n_turns},
        {&s->turns_q, m->n_q},
        {&s->external_seen, m->externals.count},
        {&s->external, m->externals.count + 2},
        {&s->convective, m->n_rows},
        {&s->p_row, m->n_rows},
        {&s->p_sum, m->n_rows},
        {&s->root, ED_FUNCTIONS * slots + curves},
        {&s->curve_edge, curves},
        {&s->gradient[0], m->n_v},
        {&s->gradient[1], m->n_v},
        {&s->level, slots},
        {&s->slip_level, slots},
        {&s->approach, slots},
        {&s->last_impact, slots},
        {&s->touched, slots},
        {&s->status, slots},
        {&s->r_sum, 3 * slots},
        {&s->force, 3 * slots},
        {&s->node_force[0], 3 * slots},
        {&s->node_force[1], 3 * slots},
        {&s->node_force[2], 3 * slots},
        {&s->node_lambda[0], m->n_rows},
        {&s->node_lambda[1], m->n_rows},
        {&s->node_lambda[2], m->n_rows},
        {&s->warm, 3 * slots},
    };
    bool good = true;
    for (size_t i = 0; i < sizeof list / sizeof *list; ++i)
        good = (*list[i].array = PCS_NEW_ARRAY(ctx, double, list[i].n)) && good;
    s->cause = PCS_NEW_ARRAY(ctx, uint8_t, m->n_faces);
    s->slip_direction = pcs_calloc(ctx, (size_t)slots, sizeof *s->slip_direction);
    s->contacts = pcs_model_contacts_create(ctx, m);
    s->spare = PCS_NEW_ARRAY(ctx, bool, slots);
    s->flying = PCS_NEW_ARRAY(ctx, bool, slots);
    s->place[0] = PCS_NEW_ARRAY(ctx, pcs_gap_place, slots);
    s->place[1] = PCS_NEW_ARRAY(ctx, pcs_gap_place, slots);
    s->stopping = PCS_NEW_ARRAY(ctx, bool, slots);
    s->suspect = PCS_NEW_ARRAY(ctx, bool, ED_FUNCTIONS *slots + curves);
    s->curve_face = PCS_NEW_ARRAY(ctx, int32_t, curves);
    s->curve_next = PCS_NEW_ARRAY(ctx, int32_t, curves);
    return good && s->place[0] && s->place[1] && s->spare && s->flying && s->stopping &&
           s->suspect && s->curve_face && s->curve_next && s->cause && s->slip_direction &&
           s->contacts;
}

pcs_status pcs_ed_init(event_driven *s)
{
    pcs_context *ctx = s->base.ctx;
    const pcs_model *m = s->base.model;
    pcs_arena_init(&s->arena, ctx);
    if (!init_arrays(s) || !init_set(s) || !init_sample(s, &s->before) ||
        !init_sample(s, &s->after) || !init_sample(s, &s->trial))
        return PCS_ERROR_MEMORY;
    PCS_TRY(pcs_gap_search_create(ctx, m, &s->gaps));
    PCS_TRY(pcs_phase_init(ctx, m, &s->phase));
    PCS_TRY(pcs_smooth_point_init(ctx, m, &s->point));
    PCS_TRY(pcs_configuration_init(ctx, m, &s->c));
    PCS_TRY(pcs_model_row_blocks_create(ctx, m, &s->rows, &s->row_values));
    s->memory = PCS_NEW_ARRAY(ctx, double, pcs_ed_memory(s));
    return s->memory ? pcs_model_saddle_with_rows(ctx, m, m->row_blocks.count, s->rows, &s->saddle)
                     : PCS_ERROR_MEMORY;
}

void pcs_ed_free(event_driven *s)
{
    pcs_context *ctx = s->base.ctx;
    void *arrays[] = {s->q,
                      s->v,
                      s->v_minus,
                      s->f,
                      s->x,
                      s->rounding,
                      s->turns,
                      s->turns_q,
                      s->external_seen,
                      s->external,
                      s->sides[0],
                      s->sides[1],
                      s->convective,
                      s->p_row,
                      s->p_sum,
                      s->root,
                      s->suspect,
                      s->spare,
                      s->flying,
                      s->place[0],
                      s->place[1],
                      s->stopping,
                      s->curve_edge,
                      s->gradient[0],
                      s->gradient[1],
                      s->curve_face,
                      s->curve_next,
                      s->level,
                      s->slip_level,
                      s->approach,
                      s->last_impact,
                      s->touched,
                      s->status,
                      s->r_sum,
                      s->force,
                      s->node_force[0],
                      s->node_force[1],
                      s->node_force[2],
                      s->node_lambda[0],
                      s->node_lambda[1],
                      s->node_lambda[2],
                      s->warm,
                      s->cause,
                      s->slip_direction,
                      s->restitution,
                      s->set.r,
                      s->set.u,
                      s->set.before,
                      s->set.slot,
                      s->set.offset,
                      (void *)s->set.H,
                      s->set.slides,
                      s->set.idle,
                      s->set.direction,
                      s->set.mu,
                      s->set.mobility,
                      s->set.tangent,
                      s->rows,
                      s->row_values,
                      s->memory,
                      s->before.value,
                      s->after.value,
                      s->trial.value};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i)
        pcs_free(ctx, arrays[i]);
    pcs_model_contacts_destroy(ctx, s->contacts);
    pcs_gap_search_destroy(s->gaps);
    pcs_configuration_free(ctx, &s->c);
    pcs_phase_free(ctx, &s->phase);
    pcs_smooth_point_free(ctx, &s->point);
    pcs_saddle_destroy(s->saddle);
    pcs_march_destroy(s->march);
    pcs_arena_free(&s->arena);
}

// ---- Start ----

static pcs_status create_march(event_driven *s)
{
    const double *option = s->base.options;
    const char *integrator = pcs_ed_options[ED_INTEGRATOR].choices[(int)option[ED_INTEGRATOR]];
    pcs_march_opts opts = pcs_march_default();
    opts.class = pcs_integrator_choose(integrator, s->base.model, "phem56");
    opts.fixed = option[ED_STEP_CONTROL] != 0;
    opts.tolerance = option[ED_TOLERANCE];
    opts.norm = (pcs_norm_kind)(int)option[ED_ERROR_NORM];
    opts.relative = option[ED_RELATIVE];
    opts.first_step = option[ED_FIRST_STEP];
    opts.smallest_step = option[ED_SMALLEST_STEP];
    opts.largest_step = option[ED_LARGEST_STEP];
    opts.safety = option[ED_SAFETY];
    opts.growth = option[ED_GROWTH];
    opts.drift_max = option[ED_DRIFT_MAX] > 0 ? option[ED_DRIFT_MAX] : HUGE_VAL;
    opts.stabilisation = (pcs_stabilisation)(int)option[ED_STABILISATION];
    opts.baumgarte = (pcs_baumgarte){option[ED_BAUMGARTE_ALPHA], option[ED_BAUMGARTE_BETA]};
    opts.projection_tolerance = option[ED_PROJECTION_TOLERANCE];
    opts.integrator.rho_infinity = option[ED_RHO_INFINITY];
    opts.integrator.newton_tolerance = option[ED_NEWTON_TOLERANCE];
    opts.integrator.newton_iterations = (int32_t)option[ED_NEWTON_ITERATIONS];
    opts.integrator.estimate_constant = option[ED_ESTIMATE_CONSTANT];
    opts.integrator.ggl = opts.stabilisation == PCS_STABILISE_GGL;
    if (!opts.class)
        return pcs_error(s->base.ctx, PCS_ERROR_ARGUMENT, "there is no integrator '%s'",
                         integrator);
    if (opts.fixed && !(opts.first_step > 0))
        return pcs_error(s->base.ctx, PCS_ERROR_INPUT,
                         "step_control: fixed needs the length of the steps; set first_step");
    return pcs_march_create(s->base.ctx, s->base.model, &opts, &s->march);
}

pcs_status pcs_ed_start(event_driven *s, pcs_state *state, pcs_statistics *statistics)
{
    const pcs_model *m = s->base.model;
    pcs_start_opts opts = {s->base.options[ED_PROJECTION_TOLERANCE],
                           s->base.options[ED_ASSEMBLY_LIMIT]};
    PCS_TRY(create_march(s));
    PCS_TRY(pcs_ed_init_switches(s));
    PCS_TRY(
        pcs_start_state(s->base.ctx, m, &opts, *state->t, s->saddle, s->rows, state, statistics));
    pcs_start_measure(m, s->saddle, &s->c, s->contacts, state, statistics);
    memcpy(s->external, state->external, sizeof(double) * (size_t)(m->externals.count + 2));
    pcs_ed_save(s, state);
    return PCS_OK;
}

// The first phase begins with an event: contacts may touch, and approach, from the start.
static void begin_run(event_driven *s, const pcs_state *state)
{
    const pcs_model *m = s->base.model;
    pcs_smooth_point *to = &s->march->to;
    to->t = s->booked = *state->t;
    memcpy(to->q, state->q, sizeof(double) * (size_t)m->n_q);
    memcpy(to->v, state->v, sizeof(double) * (size_t)m->n_v);
    memcpy(s->turns, state->turns, sizeof(double) * (size_t)m->n_turns);
    memcpy(s->turns_q, state->q, sizeof(double) * (size_t)m->n_q);
    memcpy(s->external_seen, state->external, sizeof(double) * (size_t)m->externals.count);
    s->zeno_since = *state->t;
    s->last_event = s->last_switch = -HUGE_VAL;
    for (int32_t i = 0; i < m->n_slots; ++i)
        s->last_impact[i] = s->touched[i] = -HUGE_VAL;
    s->started = s->pending = s->all = true;
    s->has_step = false;
}

// ---- Steps of the march ----

static pcs_status check_finite(const event_driven *s)
{
    const pcs_model *m = s->base.model;
    const pcs_smooth_point *to = &s->march->to;
    char name[PCS_NODE_NAME_SIZE];
    for (int32_t i = 0; i < m->n_v; ++i)
        if (!isfinite(to->v[i]) || !isfinite(to->a[i]))
            return pcs_error(s->base.ctx, PCS_ERROR_NUMERIC,
                             "t = %g: the %s of %s is not a number; check its forces", to->t,
                             isfinite(to->v[i]) ? "acceleration" : "velocity",
                             pcs_model_velocity_name(m, i, name));
    return PCS_OK;
}

// Time at which formulas switch next, as far as the next step may reach; HUGE_VAL: not there.
static double next_switch(const event_driven *s, double limit)
{
    const pcs_march *march = s->march;
    pcs_switches *switches = s->base.switches;
    const double longest = 2.0; // times the planned length: more than a step is ever stretched
    const double planned = march->opts.fixed ? march->opts.first_step
                                             : fmin(march->h_next, march->opts.largest_step);
    return pcs_switches_next(switches, march->to.t,
                             fmin(limit + 2 * switches->rounding, march->to.t + longest * planned));
}

// Formulas have one of their two values at the switch itself. They see times inside the window
// alone, so that no stage at the end of a step finds the other side.
static void open_window(event_driven *s, double from)
{
    pcs_switches_window(s->base.switches, from, HUGE_VAL,
                        s->external + s->base.model->externals.count);
}

static void close_window(event_driven *s, double to)
{
    double *window = s->external + s->base.model->externals.count;
    window[1] = fmax(to - s->base.switches->rounding, window[0]);
}

// Once it costs something: a few steps at the limit of stability are those of a motion that dies out,
// or of a contact that comes to roll.
static void warn_stiff(event_driven *s)
{
    enum { MANY = 1000 }; // steps on end
    const pcs_march *march = s->march;
    if (march->stiff_steps < MANY || s->warned_stiff)
        return;
    s->warned_stiff = true;
    pcs_log(s->base.ctx, PCS_LOG_WARNING,
            "t = %g: the system is stiff: stability, not the tolerance, limits the steps of %s to "
            "%.2g s (%.1g steps for a second); integrator: alpha2 takes longer ones",
            march->counts.stiff_time, march->opts.class->name, march->h, 1 / march->h);
}

// After a step: branches of angles, gaps that have opened, closed contacts that have drifted.
static void follow(event_driven *s)
{
    const pcs_model *m = s->base.model;
    for (int32_t i = 0; i < m->n_rows; ++i) { // of the joints; contacts have their penetration
        s->drift = fmax(s->drift, fabs(s->march->g[i]));
        s->velocity_drift = fmax(s->velocity_drift, fabs(s->march->g_rate[i]));
    }
    pcs_ed_look(s, &s->march->to, false);
    pcs_model_update_turns(m, &s->c, s->turns);
    memcpy(s->turns_q, s->march->to.q, sizeof(double) * (size_t)m->n_q);
    for (int32_t i = 0; i < m->n_slots; ++i) {
        if (s->contacts[i].gap == HUGE_VAL)
            continue;
        pcs_depth_see(&s->penetration, -s->contacts[i].gap, i, s->march->to.t);
        if (s->spare[i])
            continue;
        if (s->phase.mode[i] == PCS_MODE_OPEN)
            s->level[i] = s->contacts[i].gap > s->level[i] ? fmin(s->contacts[i].gap, 0)
                                                           : s->level[i];
        else if (fabs(s->contacts[i].gap) > s->base.options[ED_GAP_TOLERANCE])
            s->pending =
                true; // drift: the phase begins anew, projected [Haddouni2015, 3.2, step 6]
    }
}

// The tangents of closed contacts in space follow the axis that is farther from the normal where the
// step begins, all along it: what is compared within a step must not jump with them. Where an axis
// changes, the direction of the phase and friction at the start of the step have other components.
static pcs_status choose_axes(event_driven *s, bool *changed)
{
    const pcs_model *m = s->base.model;
    pcs_march *march = s->march;
    const uint8_t *before = march->phase.axis;
    uint8_t *axis = s->phase.axis;
    for (int32_t i = 0; i < m->n_slots; ++i)
        axis[i] = s->phase.mode[i] == PCS_MODE_OPEN ? PCS_TANGENTS_FREE : PCS_TANGENTS_FARTHER;
    pcs_ed_look(s, &march->to, false);
    for (int32_t i = 0; i < m->n_slots; ++i) {
        if (axis[i] == PCS_TANGENTS_FREE)
            continue;
        axis[i] = s->contacts[i].axis;
        *changed = *changed || before[i] != axis[i];
    }
    if (!*changed)
        return PCS_OK;
    pcs_smooth_drift(march->smooth, march->to.t, march->to.q, march->to.v, NULL, NULL);
    const pcs_contact *old = pcs_smooth_contacts(march->smooth); // with the axes before
    for (int32_t i = 0; i < m->n_slots; ++i) {
        const pcs_contact *contact = &s->contacts[i];
        double *d = s->phase.direction[i];
        if (axis[i] == before[i] || s->phase.mode[i] != PCS_MODE_SLIDE || contact->row.size != 3)
            continue;
        const pcs_vec3 way = pcs_v3_axpy(pcs_v3_scale(d[0], old[i].tangent1), d[1],
                                         old[i].tangent2);
        d[0] = pcs_v3_dot(way, contact->tangent1);
        d[1] = pcs_v3_dot(way, contact->tangent2);
    }
    pcs_phase_copy(m, &march->phase, &s->phase);
    PCS_TRY(pcs_smooth_set_phase(march->smooth, &s->phase));
    return pcs_smooth_accelerations(march->smooth, march->to.t, march->to.q, march->to.v, s->x,
                                    march->to.lambda, NULL);
}

// In space the direction of sliding turns along the way; the phase keeps the one of the end of the
// last step, from which a reversal is told. Until the next step begins it has the one that the last
// step was computed with, so that a resumed run makes the same step again.
static pcs_status follow_directions(event_driven *s)
{
    const pcs_model *m = s->base.model;
    bool closed = false, changed = false, turned = false;
    for (int32_t i = 0; m->dimension == 3 && i < m->n_slots; ++i)
        closed = closed || (s->phase.mode[i] != PCS_MODE_OPEN && s->contacts[i].row.size == 3);
    if (!closed)
        return PCS_OK;
    if (s->pending) // an event of the last step, with its axes
        pcs_ed_look(s, &s->march->to, false);
    else
        PCS_TRY(choose_axes(s, &changed));
    for (int32_t i = 0; i < m->n_slots; ++i) {
        double u[3];
        if (s->phase.mode[i] != PCS_MODE_SLIDE || s->contacts[i].row.size != 3)
            continue;
        pcs_contact_velocity(m, &s->contacts[i], s->march->to.v, u);
        const double speed = hypot(u[1], u[2]);
        if (!(speed > s->base.options[ED_VELOCITY_TOLERANCE]) || s->cause[i] == ED_SLIP_END)
            continue;
        s->phase.direction[i][0] = u[1] / speed;
        s->phase.direction[i][1] = u[2] / speed;
        s->slip_level[i] = 0;
        turned = true;
    }
    return turned ? pcs_smooth_set_phase(s->march->smooth, &s->phase) : PCS_OK;
}

pcs_status pcs_ed_advance(event_driven *s, double limit)
{
    pcs_march *march = s->march;
    PCS_TRY(pcs_ed_book(s, march->to.t));
    PCS_TRY(follow_directions(s));
    if (s->pending) {
        PCS_TRY(pcs_ed_leap(s));
        open_window(s, march->to.t);
        return pcs_ed_handle(s);
    }
    const double jump = next_switch(s, limit);
    close_window(s, jump);
    const pcs_status status = pcs_march_step(march, fmin(limit, jump));
    if (status == PCS_ERROR_NUMERIC && march->h_failed > 0) {
        bool jams;
        PCS_TRY(pcs_ed_find_jam(s, &jams));
        if (jams)
            return PCS_OK;
    }
    PCS_TRY(status);
    s->has_step = true;
    s->sampled = s->powers_sampled = false;
    s->booked = march->from.t;
    PCS_TRY(check_finite(s));
    double switched;
    PCS_TRY(pcs_ed_search_switches(s, &switched));
    PCS_TRY(pcs_ed_search(s));
    if (march->to.t == switched) // no contact has an event before it
        s->pending = s->all = true;
    else
        s->leap = 0;
    if (march->to.t >= jump - s->base.switches->rounding)
        s->pending = s->all = true;
    follow(s);
    warn_stiff(s);
    return PCS_OK;
}

static void see_inputs(event_driven *s, const pcs_state *state)
{
    const size_t bytes = sizeof(double) * (size_t)s->base.model->externals.count;
    if (bytes > 0 && memcmp(s->external_seen, state->external, bytes) != 0) {
        memcpy(s->external_seen, state->external, bytes);
        s->pending = s->all = true; // forces jump
        s->has_step = false;
    }
}

pcs_status pcs_ed_prepare(event_driven *s, const pcs_state *state)
{
    memcpy(s->external, state->external, sizeof(double) * (size_t)s->base.model->externals.count);
    pcs_smooth_bind(s->march->smooth, s->turns, s->external);
    pcs_smooth_bind_origin(s->march->smooth, s->turns_q);
    if (!pcs_ed_is_saved(s, state))
        PCS_TRY(pcs_ed_load(s, state));
    if (!s->started)
        begin_run(s, state);
    s->evaluations = pcs_smooth_evaluations(s->march->smooth);
    s->inside = true;
    see_inputs(s, state);
    return PCS_OK;
}

static pcs_status step(pcs_scheme *scheme, pcs_state *state, double h, pcs_step_report *report)
{
    event_driven *s = self(scheme);
    const double target = *state->t + h;
    const bool exact = (int)scheme->options[ED_OUTPUT] == ED_EXACT ||
                       scheme->model->externals.count > 0;
    PCS_TRY(pcs_ed_prepare(s, state));
    while (s->march->to.t < target || (s->pending && s->march->to.t <= target))
        PCS_TRY(pcs_ed_advance(s, exact ? target : HUGE_VAL));
    PCS_TRY(pcs_ed_output(s, state, target));
    pcs_ed_report(s, state, h, report);
    pcs_ed_save(s, state);
    return PCS_OK;
}

static pcs_status init(pcs_scheme *scheme)
{
    return pcs_ed_init(self(scheme));
}

static void destroy(pcs_scheme *scheme)
{
    pcs_ed_free(self(scheme));
}

static int64_t memory(const pcs_scheme *scheme)
{
    return ((const event_driven *)scheme)->memory_count;
}

static pcs_status start(pcs_scheme *scheme, pcs_state *state, pcs_statistics *statistics)
{
    return pcs_ed_start(self(scheme), state, statistics);
}

static const uint8_t *redundant_rows(const pcs_scheme *scheme)
{
    return pcs_saddle_redundant_rows(((const event_driven *)scheme)->saddle);
}

static void reached(const pcs_scheme *scheme, double *t, const double **q, const double **v)
{
    const pcs_march *march = ((const event_driven *)scheme)->march;
    *t = march->to.t;
    *q = march->to.q;
    *v = march->to.v;
}

const pcs_scheme_class pcs_event_driven_class = {
    .name = "event-driven",
    .help = "event-driven: smooth phases by a high-order integrator, impacts at their exact times; "
            "an integrator's name as the scheme (phem56, hem5, dopri5, rkf45, rk4, alpha2, alpha3) "
            "means this one with that integrator",
    .options = pcs_ed_options,
    .n_options = ED_OPTION_COUNT,
    .size = sizeof(event_driven),
    .memory = memory,
    .init = init,
    .free = destroy,
    .start = start,
    .step = step,
    .turns_corners = true,
    .locates_switches = true,
    .reached = reached,
    .redundant_rows = redundant_rows,
    .refined_by = PCS_REFINED_TOLERANCE,
    .fixed_refined_by = PCS_REFINED_FIRST_STEP,
};
