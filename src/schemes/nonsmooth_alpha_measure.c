// What a nonsmooth generalized-alpha step leaves behind: energies and work, penetration and drift,
// and the new state. The kinetic energy changes by the impulses of a step along the mean v of the
// velocities before and after it: contacts and damping, taken at both ends, work along v, other
// forces along the way d. What forces do along h v and not along d is the numerical remainder.
#include <string.h>

#include "schemes/nonsmooth_alpha.h"

static pcs_contact_state contact_state(const nonsmooth_alpha *s, int32_t slot, const double *r,
                                       const double *u)
{
    const int32_t size = s->contacts_end[slot].row.size;
    if (!(r[0] > 0))
        return PCS_OPEN;
    if (size == 1)
        return PCS_CLOSED;
    const double r_T = size == 3 ? hypot(r[1], r[2]) : fabs(r[1]);
    const double u_T = size == 3 ? hypot(u[1], u[2]) : fabs(u[1]);
    const double inside = 1e-9; // relative distance from the cone that counts as inside
    if (r_T < s->contacts_end[slot].law.friction * r[0] * (1 - inside))
        return PCS_STICK;
    return u_T > s->base.options[NA_IMPACT_SPEED] ? PCS_SLIP : PCS_STICK;
}

static void contact_work(nonsmooth_alpha *s, pcs_state *state, pcs_step_report *report)
{
    for (int32_t i = 0; i < s->base.model->n_slots; ++i) {
        const double *r = s->iterate[NA_VELOCITY].r + 3 * i, *u_n = s->u_n + 3 * i;
        const pcs_contact *contact = &s->contacts_end[i];
        double u[3];
        if (!s->touched[i])
            continue;
        pcs_contact_velocity(s->base.model, contact, s->v, u);
        for (int32_t j = 0; j < contact->row.size; ++j) {
            state->work[j == 0 ? PCS_WORK_IMPACT : PCS_WORK_FRICTION] += 0.5 * r[j] *
                                                                         (u_n[j] + u[j]);
            state->work[PCS_WORK_DRIVER] -= r[j] * contact->surface[j];
        }
        ++report->contacts;
        const bool was_open = state->r[3 * i] == 0; // the state is still that of t_n
        if (r[0] > 0 && was_open && s->approach[i] > s->base.options[NA_IMPACT_SPEED]) {
            ++report->impacts;
            pcs_event_log_impact(&s->base.events, i, s->approach[i], r, contact->row.size);
        }
    }
}

// p = h lambda~ + Lambda into s->g, and what drives gave at the beginning of the step
static void joint_impulses(nonsmooth_alpha *s)
{
    for (int32_t i = 0; i < s->base.model->n_rows; ++i) {
        s->g[i] = s->h * s->iterate[NA_SMOOTH].p[i] + s->iterate[NA_VELOCITY].p[i] + s->driven[i];
        s->driven[i] = 0;
    }
}

// lambda~ is a force at t_{n+1}, Lambda an impulse over the step: the one works as forces do, by
// the powers at both ends, the other along the mean velocity in s->work.
static void driven_work(nonsmooth_alpha *s, pcs_state *state)
{
    const pcs_model *m = s->base.model;
    double *begin = &state->memory[pcs_na_power_index(m)];
    const double end = pcs_model_driven_work(m, s->rows_end, s->iterate[NA_SMOOTH].p, s->v);
    state->work[PCS_WORK_DRIVER] += 0.5 * s->h * (*begin + end) +
                                    pcs_model_driven_work(m, s->rows_end, s->iterate[NA_VELOCITY].p,
                                                          s->work);
    *begin = end;
}

// Forces of time and place work along the way d, as the potential does: in a step with an elastic
// impact the mean velocity is zero, the way to the contact is not. Damping, a force of the
// velocities, works along the mean velocity.
static void force_work(nonsmooth_alpha *s, pcs_state *state)
{
    const pcs_model *m = s->base.model;
    pcs_power begin = {.v = s->work}, end = begin;
    for (int32_t i = 0; i < m->n_v; ++i)
        s->work[i] = s->d[i] / s->h;
    pcs_model_powers(m, &s->start, s->f, &begin);
    pcs_model_powers(m, &s->end, s->f, &end);
    state->work[PCS_WORK_APPLIED] += 0.5 * s->h * (begin.applied + end.applied);
    state->work[PCS_WORK_ACTUATOR] += 0.5 * s->h * (begin.actuator + end.actuator);
    for (int32_t i = 0; i < m->n_v; ++i)
        s->work[i] = 0.5 * (s->v_n[i] + s->v[i]);
    pcs_model_powers(m, &s->start, s->f, &begin);
    pcs_model_powers(m, &s->end, s->f, &end);
    state->work[PCS_WORK_DAMPING] += 0.5 * s->h * (begin.damping + end.damping);
    driven_work(s, state);
}

static pcs_status check_finite(const nonsmooth_alpha *s)
{
    const pcs_model *m = s->base.model;
    // A force first: joints spread it over the velocities of others.
    for (int32_t i = 0; i < 2 * m->n_v; ++i) {
        const bool force = i < m->n_v;
        const int32_t k = force ? i : i - m->n_v;
        char name[PCS_NODE_NAME_SIZE];
        if (!isfinite(force ? s->f_smooth[k] : s->v[k]))
            return pcs_error(s->base.ctx, PCS_ERROR_NUMERIC,
                             "t = %g: the %s of %s is not a number; check its forces, or take a "
                             "smaller step",
                             s->t_n + s->h, force ? "force" : "velocity",
                             pcs_model_velocity_name(m, k, name));
    }
    return PCS_OK;
}

static void measure_errors(nonsmooth_alpha *s, pcs_step_report *report)
{
    const pcs_model *m = s->base.model;
    const double *option = s->base.options;
    for (int k = 0; k < NA_LEVELS; ++k) {
        report->newton_residual = fmax(report->newton_residual,
                                       s->error[k].momentum * option[NA_NEWTON_TOLERANCE]);
        report->residual = fmax(report->residual,
                                s->error[k].contacts * option[NA_CONSTRAINT_TOLERANCE]);
    }
    pcs_rows rows = {NULL, s->g, s->rate, NULL};
    pcs_model_rows(m, &s->end, &rows);
    pcs_model_rows_multiply(m, s->rows_end, s->v, s->row_residual);
    for (int32_t i = 0; i < m->n_rows; ++i) {
        report->drift = fmax(report->drift, fabs(s->g[i]));
        report->velocity_drift = fmax(report->velocity_drift,
                                      fabs(s->row_residual[i] - s->rate[i]));
    }
    for (int32_t i = 0; i < m->n_slots; ++i)
        pcs_depth_see(&report->penetration, -s->contacts_end[i].gap, i, s->t_n + s->h);
    const uint8_t *redundant = pcs_saddle_redundant_rows(s->saddle);
    for (int32_t i = 0; i < m->n_rows; ++i)
        report->redundant_rows += redundant[i];
    if (pcs_singular_step(&s->position, s->h, pcs_saddle_smallest_pivot(s->saddle)) && s->has_loops)
        ++report->redundant_rows; // at least
}

pcs_status pcs_na_measure(nonsmooth_alpha *s, pcs_state *state, pcs_step_report *report)
{
    const pcs_model *m = s->base.model;
    PCS_TRY(check_finite(s));
    report->kinetic = pcs_model_kinetic(m, &s->end);
    report->potential = pcs_model_potential(m, &s->end);
    if (!isfinite(report->kinetic) || !isfinite(report->potential))
        return pcs_error(s->base.ctx, PCS_ERROR_NUMERIC,
                         "t = %g: the energy is not a finite number; take a smaller step",
                         s->t_n + s->h);
    report->h = s->h;
    measure_errors(s, report);
    force_work(s, state);
    contact_work(s, state, report);
    return PCS_OK;
}

static void store_contacts(nonsmooth_alpha *s, pcs_state *state)
{
    for (int32_t i = 0; i < s->base.model->n_slots; ++i) {
        const double *found = s->iterate[NA_VELOCITY].r + 3 * i;
        double *r = state->r + 3 * i, *u = state->u + 3 * i;
        state->gap[i] = s->contacts_end[i].gap;
        state->status[i] = PCS_OPEN;
        memset(r, 0, 3 * sizeof(double));
        memset(u, 0, 3 * sizeof(double));
        if (!s->touched[i])
            continue;
        memcpy(r, found, sizeof(double) * (size_t)s->contacts_end[i].row.size);
        pcs_contact_velocity(s->base.model, &s->contacts_end[i], s->v, u);
        state->status[i] = contact_state(s, i, r, u);
    }
    for (int32_t i = 0; i < 3 * s->base.model->n_slots; ++i)
        state->force[i] = state->r[i] / s->h;
    pcs_state_book_contacts(state, s->base.model->n_slots, true);
}

void pcs_na_store(nonsmooth_alpha *s, pcs_state *state)
{
    const pcs_model *m = s->base.model;
    const double *rate = s->iterate[NA_SMOOTH].x;
    double *memory = state->memory; // of t_n still; the step may have begun from other values
    store_contacts(s, state);
    joint_impulses(s);
    for (int32_t i = 0; i < m->n_v; ++i) {
        state->a[i] = (s->v[i] - state->v[i]) / s->h;
        memory[m->n_v + i] = ((1 - s->alpha_f) * rate[i] + s->alpha_f * s->rate_n[i] -
                              s->alpha_m * s->a_n[i]) /
                             (1 - s->alpha_m);
        memory[i] = rate[i];
    }
    for (int32_t i = 0; i < m->n_slots; ++i)
        memory[pcs_na_part_index(m) + i] = pcs_na_part_of(s, i);
    memcpy(memory + pcs_na_force_index(m), s->iterate[NA_SMOOTH].r,
           3 * sizeof(double) * (size_t)m->n_slots);
    for (int32_t i = 0; i < m->n_rows; ++i) {
        state->p[i] = s->g[i];
        state->lambda[i] = s->g[i] / s->h;
    }
    memcpy(state->q, s->q_end, sizeof(double) * (size_t)m->n_q);
    memcpy(state->v, s->v, sizeof(double) * (size_t)m->n_v);
    *state->h = s->h;
    *state->t = s->t_n + s->h;
    pcs_event_log_contacts(&s->base.events, *state->t, state->status);
    pcs_model_update_turns(m, &s->end, state->turns);
}
