// The state at output times, which may lie inside a step of the march; impulses, work, the memory
// of a resumed run. Impulses are integrals of the forces (Simpson's rule on the dense output, order
// 4) plus those of impacts. Work is integrated by the march; inside a step by the same rule on the
// powers.
#include <string.h>

#include "schemes/event_driven.h"

const pcs_smooth_point *pcs_ed_point(event_driven *s, double t, pcs_status *status)
{
    *status = PCS_OK;
    if (t >= s->march->to.t)
        return &s->march->to;
    if (t <= s->march->from.t)
        return &s->march->from;
    *status = pcs_march_dense(s->march, t, &s->point);
    return &s->point;
}

static bool has_closed(const event_driven *s)
{
    for (int32_t i = 0; i < s->base.model->n_slots; ++i)
        if (s->phase.mode[i] != PCS_MODE_OPEN)
            return true;
    return false;
}

// ---- What is integrated along a step ----

// Powers of the forces by account at a point that is looked at, with its slot forces in `force`.
static void find_powers(event_driven *s, const pcs_smooth_point *point, const double *force,
                        double *rate)
{
    const pcs_model *model = s->base.model;
    pcs_power power = {.v = point->v};
    pcs_rows rows = {s->rows, NULL, NULL, NULL};
    pcs_model_forces(model, &s->c, s->f, &power);
    pcs_model_rows(model, &s->c, &rows);
    memset(rate, 0, sizeof(double) * PCS_WORK_COUNT);
    rate[PCS_WORK_APPLIED] = power.applied;
    rate[PCS_WORK_ACTUATOR] = power.actuator;
    rate[PCS_WORK_DAMPING] = power.damping;
    rate[PCS_WORK_DRIVER] = pcs_model_driven_work(model, s->rows, point->lambda, point->v);
    for (int32_t i = 0; i < model->n_slots; ++i) {
        const pcs_contact *contact = &s->contacts[i];
        double u[3];
        if (s->phase.mode[i] == PCS_MODE_OPEN || contact->gap == HUGE_VAL)
            continue;
        pcs_contact_velocity(model, contact, point->v, u);
        for (int32_t j = 0; j < contact->row.size; ++j) {
            rate[j == 0 ? PCS_WORK_IMPACT : PCS_WORK_FRICTION] += force[3 * i + j] * u[j];
            rate[PCS_WORK_DRIVER] -= force[3 * i + j] * contact->surface[j];
        }
    }
}

// Instant i of three: start, middle and end of the step.
static const pcs_smooth_point *node_point(event_driven *s, int i, pcs_status *status)
{
    const double start = s->march->from.t, end = s->march->to.t;
    return pcs_ed_point(s, i == 0 ? start : i == 1 ? 0.5 * (start + end) : end, status);
}

// Forces at the three nodes, once for each step that asks for them.
static pcs_status sample_forces(event_driven *s)
{
    const pcs_model *model = s->base.model;
    const bool closed = has_closed(s);
    for (int i = 0; !s->sampled && i < 3; ++i) {
        pcs_status status;
        const pcs_smooth_point *point = node_point(s, i, &status);
        PCS_TRY(status);
        memcpy(s->node_lambda[i], point->lambda, sizeof(double) * (size_t)model->n_rows);
        memset(s->node_force[i], 0, sizeof(double) * 3 * (size_t)model->n_slots);
        if (!closed)
            continue;
        pcs_ed_look(s, point, s->indeterminate);
        PCS_TRY(pcs_ed_forces(s, point, s->node_force[i]));
    }
    s->sampled = true;
    return PCS_OK;
}

// Powers at the three nodes, once for each step with an output inside.
static pcs_status sample_powers(event_driven *s)
{
    if (s->powers_sampled)
        return PCS_OK;
    PCS_TRY(sample_forces(s));
    for (int i = 0; i < 3; ++i) {
        pcs_status status;
        const pcs_smooth_point *point = node_point(s, i, &status);
        PCS_TRY(status);
        pcs_ed_look(s, point, false);
        find_powers(s, point, s->node_force[i], s->node_power[i]);
    }
    s->powers_sampled = true;
    return PCS_OK;
}

// Integrals from the start to the part x of the step of the three parabolas that are 1 at one node
// and 0 at the others, over the length of the step; 1/6, 4/6, 1/6 for the whole of it.
static void node_weights(double x, double weight[3])
{
    weight[0] = x * (1 + x * (-1.5 + x * (2.0 / 3)));
    weight[1] = x * x * (2 - x * (4.0 / 3));
    weight[2] = x * x * (-0.5 + x * (2.0 / 3));
}

pcs_status pcs_ed_book(event_driven *s, double t)
{
    const pcs_model *model = s->base.model;
    const double from = s->march->from.t, length = s->march->to.t - from;
    const double start = s->booked, end = fmin(t, s->march->to.t);
    if (!s->has_step || !(end > start))
        return PCS_OK;
    s->booked = end;
    if (model->n_rows == 0 && !has_closed(s))
        return PCS_OK;
    double low[3], high[3];
    node_weights((start - from) / length, low);
    node_weights((end - from) / length, high);
    PCS_TRY(sample_forces(s));
    for (int i = 0; i < 3; ++i) {
        const double weight = length * (high[i] - low[i]);
        for (int32_t k = 0; k < model->n_rows; ++k)
            s->p_sum[k] += weight * s->node_lambda[i][k];
        for (int32_t k = 0; k < 3 * model->n_slots; ++k)
            s->r_sum[k] += weight * s->node_force[i][k];
    }
    return PCS_OK;
}

// Accounts at time t: those of the march at an end of the step; inside it the same parabolas, with
// what they miss of the march's whole step shared out evenly.
static pcs_status work_at(event_driven *s, double t, double *work)
{
    const pcs_march *march = s->march;
    const bool inside = s->has_step && t < march->to.t;
    const double start_energy = work[PCS_WORK_START_ENERGY];
    const double length = march->to.t - march->from.t, x = (t - march->from.t) / length;
    double part[3], whole[3];
    if (inside) {
        PCS_TRY(sample_powers(s));
        node_weights(x, part);
        node_weights(1, whole);
    }
    for (int32_t i = 0; i < PCS_WORK_COUNT; ++i) {
        work[i] = s->work_base[i] + (inside ? march->from.work[i] : march->to.work[i]);
        double missing = march->to.work[i] - march->from.work[i];
        for (int k = 0; inside && k < 3; ++k) {
            work[i] += length * part[k] * s->node_power[k][i];
            missing -= length * whole[k] * s->node_power[k][i];
        }
        work[i] += inside ? x * missing : 0;
    }
    work[PCS_WORK_START_ENERGY] = start_energy;
    return PCS_OK;
}

// ---- The state ----

static void store_contacts(event_driven *s, const pcs_smooth_point *point, pcs_state *state)
{
    const pcs_model *model = s->base.model;
    for (int32_t i = 0; i < model->n_slots; ++i) {
        const pcs_contact *contact = &s->contacts[i];
        double *u = state->u + 3 * i;
        state->gap[i] = contact->gap;
        state->status[i] = s->status[i];
        memset(u, 0, 3 * sizeof *u);
        if (s->phase.mode[i] != PCS_MODE_OPEN && contact->gap != HUGE_VAL)
            pcs_contact_velocity(model, contact, point->v, u);
        if (contact->gap != HUGE_VAL)
            pcs_depth_see(&s->penetration, -contact->gap, i, point->t);
    }
    memcpy(state->force, s->force, sizeof(double) * 3 * (size_t)model->n_slots);
    memcpy(state->r, s->r_sum, sizeof(double) * 3 * (size_t)model->n_slots);
    memset(s->r_sum, 0, sizeof(double) * 3 * (size_t)model->n_slots);
    pcs_state_book_contacts(state, model->n_slots, true);
}

pcs_status pcs_ed_output(event_driven *s, pcs_state *state, double t)
{
    const pcs_model *model = s->base.model;
    pcs_status status;
    PCS_TRY(pcs_ed_book(s, t));
    PCS_TRY(work_at(s, t, state->work));
    const pcs_smooth_point *point = pcs_ed_point(s, t, &status);
    PCS_TRY(status);
    memcpy(state->q, point->q, sizeof(double) * (size_t)model->n_q);
    memcpy(state->v, point->v, sizeof(double) * (size_t)model->n_v);
    memcpy(state->a, point->a, sizeof(double) * (size_t)model->n_v);
    memcpy(state->lambda, point->lambda, sizeof(double) * (size_t)model->n_rows);
    memcpy(state->p, s->p_sum, sizeof(double) * (size_t)model->n_rows);
    memset(s->p_sum, 0, sizeof(double) * (size_t)model->n_rows);
    pcs_ed_look(s, point, s->indeterminate);
    PCS_TRY(pcs_ed_forces(s, point, s->force));
    store_contacts(s, point, state);
    pcs_model_update_turns(model, &s->c, state->turns);
    s->kinetic = pcs_model_kinetic(model, &s->c);
    s->potential = pcs_model_potential(model, &s->c);
    *state->t = t;
    if (t >= s->march->to.t)
        s->has_step = false; // nothing more is asked of it, nor kept for a resumed run
    return PCS_OK;
}

// Of the next output step.
static void begin_accounts(event_driven *s)
{
    s->impacts = s->solver_iterations = 0;
    s->residual = s->drift = s->velocity_drift = 0;
    s->penetration = (pcs_depth){0};
}

void pcs_ed_report(event_driven *s, pcs_state *state, double h, pcs_step_report *report)
{
    const pcs_model *model = s->base.model;
    const pcs_march_counts *now = &s->march->counts;
    *report = (pcs_step_report){
        .h = h,
        .impacts = s->impacts,
        .solver_iterations = s->solver_iterations,
        .rejected = (int32_t)(now->rejected - s->counted.rejected),
        .accepted = now->accepted - s->counted.accepted,
        .evaluations = pcs_smooth_evaluations(s->march->smooth) - s->evaluations,
        .smallest_step = now->smallest,
        .residual = s->residual,
        .penetration = s->penetration,
        .drift = s->drift,
        .velocity_drift = s->velocity_drift,
        .kinetic = s->kinetic,
        .potential = s->potential,
        .error = now->error - s->counted.error,
    };
    for (int32_t i = 0; i < model->n_slots; ++i)
        report->contacts += s->phase.mode[i] != PCS_MODE_OPEN;
    const uint8_t *redundant = pcs_saddle_redundant_rows(s->saddle);
    for (int32_t i = 0; i < model->n_rows; ++i)
        report->redundant_rows += redundant[i];
    report->redundant_rows += now->singular > s->counted.singular; // at least
    if (report->accepted == 0)
        report->accepted = -1; // the output lies inside a step that is counted already
    *state->h = h;
    s->counted = *now;
    begin_accounts(s);
}

// ---- Memory ----

// One pass over all that a resumed run needs, in either direction or to count it.
typedef struct passage {
    double *at; // NULL: count
    int64_t count;
    bool load;
} passage;

static void pass(passage *p, double *x, int64_t n)
{
    if (p->at && n > 0 && p->load)
        memcpy(x, p->at + p->count, sizeof(double) * (size_t)n);
    else if (p->at && n > 0)
        memcpy(p->at + p->count, x, sizeof(double) * (size_t)n);
    p->count += n;
}

static void pass_flag(passage *p, bool *flag)
{
    double x = p->at && !p->load ? *flag : 0;
    pass(p, &x, 1);
    if (p->at)
        *flag = x != 0;
}

static void pass_count(passage *p, int64_t *count)
{
    double x = (double)*count; // below 2^53
    pass(p, &x, 1);
    *count = (int64_t)x;
}

static void pass_counts(passage *p, pcs_march_counts *counts)
{
    pass_count(p, &counts->accepted);
    pass_count(p, &counts->rejected);
    pass(p, &counts->smallest, 1);
    pass(p, &counts->sum, 1);
    pass(p, &counts->error, 1);
    pass(p, &counts->drift, 1);
    pass(p, &counts->velocity_drift, 1);
    pass_flag(p, &counts->stiff);
    pass(p, &counts->stiff_time, 1);
    pass(p, &counts->position.widest, 1);
    pass(p, &counts->least_pivot, 1);
    pass(p, &counts->position.distance, 1);
    pass(p, &counts->position.closing, 1);
    pass_count(p, &counts->singular);
    pass(p, &counts->singular_time, 1);
}

static void pass_phase(passage *p, event_driven *s)
{
    const pcs_model *model = s->base.model;
    for (int32_t i = 0; i < model->n_slots; ++i) {
        double mode = s->phase.mode[i];
        pass(p, &mode, 1);
        s->phase.mode[i] = (uint8_t)mode;
        pass(p, s->phase.direction[i], 2);
        pass(p, &s->phase.gap[i], 1);
        double axis = s->phase.axis[i];
        pass(p, &axis, 1);
        s->phase.axis[i] = (uint8_t)axis;
        pass_flag(p, &s->spare[i]);
    }
    for (int32_t i = 0; i < model->n_faces; ++i) {
        double face = s->phase.face[i], cause = s->cause[i];
        pass(p, &face, 1);
        pass(p, &cause, 1);
        s->phase.face[i] = (int32_t)face;
        s->cause[i] = (uint8_t)cause;
    }
}

// Forces at the nodes of the step depend on the guess that each solve began with.
static void pass_nodes(passage *p, event_driven *s)
{
    pass_flag(p, &s->sampled);
    pass_flag(p, &s->powers_sampled);
    for (int i = 0; i < 3; ++i) {
        pass(p, s->node_force[i], 3 * (int64_t)s->base.model->n_slots);
        pass(p, s->node_lambda[i], s->base.model->n_rows);
        pass(p, s->node_power[i], PCS_WORK_COUNT);
    }
}

// The point is that of the march, or the scheme's own where there is no march yet.
static void pass_point(passage *p, const pcs_model *model, pcs_smooth_point *point)
{
    pass(p, &point->t, 1);
    pass(p, point->q, model->n_q);
    pass(p, point->v, model->n_v);
    pass(p, point->a, model->n_v);
    pass(p, point->lambda, pcs_smooth_rows_max(model));
    pass(p, point->extra, model->n_v);
    pass(p, point->work, PCS_WORK_COUNT);
}

// h: length of the last step of the march, which its next one is measured against; also where the march
// has nothing else to keep of that step.
static void pass_all(passage *p, event_driven *s, pcs_smooth_point *to, pcs_march_counts *counts,
                     double *h, double *h_next)
{
    const pcs_model *model = s->base.model;
    const int64_t slots = model->n_slots;
    pass_flag(p, &s->started);
    pass_flag(p, &s->has_step);
    pass_flag(p, &s->pending);
    pass_flag(p, &s->all);
    pass_flag(p, &s->indeterminate);
    pass_flag(p, &s->warned_stiff);
    pass_count(p, &s->zeno_events);
    pass_count(p, &s->painleve);
    pass_count(p, &s->repeats);
    pass_count(p, &s->chatter);
    pass_count(p, &s->quiet);
    pass(p, &s->last_switch, 1);
    pass(p, &s->planned, 1);
    pass(p, &s->leap, 1);
    pass(p, &s->last_event, 1);
    pass(p, &s->zeno_since, 1);
    pass(p, &s->force_noise, 1);
    pass(p, &s->gap_noise, 1);
    pass(p, &s->booked, 1);
    pass(p, h, 1);
    pass(p, h_next, 1);
    pass(p, s->work_base, PCS_WORK_COUNT);
    pass(p, s->turns, model->n_turns);
    pass(p, s->external_seen, model->externals.count);
    pass(p, s->external + model->externals.count, 2);
    pass(p, s->level, slots);
    pass(p, s->slip_level, slots);
    pass(p, s->last_impact, slots);
    pass(p, s->touched, slots);
    pass(p, s->r_sum, 3 * slots);
    pass(p, s->warm, 3 * slots);
    pass(p, s->status, slots);
    pass(p, s->p_sum, model->n_rows);
    pass_nodes(p, s);
    pass_counts(p, counts);
    pass_phase(p, s);
    pass_point(p, model, to);
}

int64_t pcs_ed_memory(event_driven *s)
{
    passage p = {0};
    pcs_march_counts counts = {0};
    double h = 0, h_next = 0;
    pass_all(&p, s, &s->point, &counts, &h, &h_next);
    s->memory_count = p.count + pcs_march_memory(s->base.model);
    return s->memory_count;
}

void pcs_ed_save(event_driven *s, pcs_state *state)
{
    passage p = {state->memory, 0, false};
    pass_all(&p, s, &s->march->to, &s->march->counts, &s->march->h, &s->march->h_next);
    memset(state->memory + p.count, 0, sizeof(double) * (size_t)(s->memory_count - p.count));
    if (s->has_step)
        pcs_march_save(s->march, state->memory + p.count);
    memcpy(s->memory, state->memory, sizeof(double) * (size_t)s->memory_count);
    s->inside = false;
}

// A step that was given up has left the march somewhere on its way.
bool pcs_ed_is_saved(const event_driven *s, const pcs_state *state)
{
    return !s->inside &&
           memcmp(s->memory, state->memory, sizeof(double) * (size_t)s->memory_count) == 0;
}

pcs_status pcs_ed_load(event_driven *s, const pcs_state *state)
{
    pcs_march *march = s->march;
    passage p = {state->memory, 0, true};
    pcs_march_counts counts;
    double h, h_next;
    pass_all(&p, s, &s->point, &counts, &h, &h_next);
    memcpy(s->memory, state->memory, sizeof(double) * (size_t)s->memory_count);
    memcpy(s->turns_q, s->point.q, sizeof(double) * (size_t)s->base.model->n_q);
    begin_accounts(s);
    if (!s->started)
        return PCS_OK;
    if (s->has_step) {
        PCS_TRY(pcs_march_load(march, &s->phase, state->memory + p.count));
    } else {
        PCS_TRY(pcs_march_begin(march, &s->phase, s->point.t, s->point.q, s->point.v, false));
        pcs_smooth_point_copy(s->base.model, &march->to, &s->point);
        march->h = h;
    }
    march->h_next = h_next;
    march->counts = s->counted = counts;
    pcs_ed_look(s, &march->to, false); // sizes and laws of the contacts are asked for before
    return PCS_OK;
}
