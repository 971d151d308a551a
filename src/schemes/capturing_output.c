// What the capturing scheme leaves in the state: forces at the instant of a smooth end, impulses
// over the whole output step, works, events.
#include "schemes/capturing.h"

#include <math.h>
#include <string.h>

void pcs_capturing_store_smooth(capturing *s, pcs_state *state)
{
    const pcs_model *m = s->mj.base.model;
    const pcs_smooth_point *from = &s->march->from, *to = &s->march->to;
    const double h = to->t - from->t;
    pcs_capturing_look(s, state, to->t, to->q, to->v, s->gap_to, s->rate_to);
    for (int32_t i = 0; i < m->n_slots; ++i) {
        int32_t row = pcs_smooth_slot_row(s->march->smooth, i);
        double *u = state->u + 3 * i, *force = state->force + 3 * i, *r = state->r + 3 * i;
        memset(u, 0, 3 * sizeof *u);
        memset(force, 0, 3 * sizeof *force);
        memset(r, 0, 3 * sizeof *r);
        if (row >= 0) {
            pcs_contact_velocity(m, &s->mj.contacts_end[i], to->v, u);
            force[0] = to->lambda[row];
            r[0] = 0.5 * h * (from->lambda[row] + force[0]);
        }
        state->gap[i] = s->gap_to[i];
        state->status[i] = row < 0                              ? PCS_OPEN
                           : s->mj.contacts_end[i].row.size > 1 ? PCS_SLIP
                                                                : PCS_CLOSED;
    }
    for (int32_t i = 0; i < PCS_WORK_COUNT; ++i)
        if (i != PCS_WORK_START_ENERGY)
            state->work[i] += to->work[i] - from->work[i];
    memcpy(state->q, to->q, sizeof(double) * (size_t)m->n_q);
    memcpy(state->v, to->v, sizeof(double) * (size_t)m->n_v);
    memcpy(state->a, to->a, sizeof(double) * (size_t)m->n_v);
    for (int32_t i = 0; i < m->n_rows; ++i) {
        state->lambda[i] = to->lambda[i];
        state->p[i] = 0.5 * h * (from->lambda[i] + to->lambda[i]);
        s->joint_impulse[i] += state->p[i];
    }
    pcs_state_book_contacts(state, m->n_slots, true);
    *state->t = to->t;
    *state->h = h;
    pcs_event_log_contacts(&s->mj.base.events, to->t, state->status);
    pcs_model_update_turns(m, &s->mj.end, state->turns);
}

static double largest(const double *x, int32_t n)
{
    double most = 0;
    for (int32_t i = 0; i < n; ++i)
        most = fmax(most, fabs(x[i]));
    return most;
}

void pcs_capturing_finish(capturing *s, pcs_state *state, pcs_step_report *report)
{
    const pcs_model *m = s->mj.base.model;
    pcs_rows rows = {s->mj.rows_end, s->mj.g, s->mj.rate, NULL};
    pcs_capturing_look(s, state, *state->t, state->q, state->v, s->gap_to, s->rate_to);
    report->contacts = 0;
    for (int32_t i = 0; i < m->n_slots; ++i) {
        pcs_depth_see(&report->penetration, -s->gap_to[i], i, *state->t);
        report->contacts += (int)state->status[i] != PCS_OPEN;
    }
    pcs_model_rows(m, &s->mj.end, &rows);
    report->drift = fmax(report->drift, largest(s->mj.g, m->n_rows));
    pcs_model_rows_multiply(m, s->mj.rows_end, state->v, s->mj.p_step);
    for (int32_t i = 0; i < m->n_rows; ++i)
        s->mj.p_step[i] -= s->mj.rate[i];
    report->velocity_drift = fmax(report->velocity_drift, largest(s->mj.p_step, m->n_rows));
    report->kinetic = pcs_model_kinetic(m, &s->mj.end);
    report->potential = pcs_model_potential(m, &s->mj.end);
    for (int32_t i = 0; i < 3 * m->n_slots; ++i) {
        state->r[i] = state->impulse[i];
        state->impulse[i] += s->impulse_frame[i];
    }
    // A mean over an interval around an impact is no force; that over the output step is one.
    if (*state->h <= s->width) {
        for (int32_t i = 0; i < 3 * m->n_slots; ++i)
            state->force[i] = state->r[i] / report->h;
        for (int32_t i = 0; i < m->n_rows; ++i)
            state->lambda[i] = s->joint_impulse[i] / report->h;
        for (int32_t i = 0; i < m->n_v; ++i)
            state->a[i] *= *state->h / report->h;
    }
    memcpy(state->p, s->joint_impulse, sizeof(double) * (size_t)m->n_rows);
    *state->h = report->h;
}
