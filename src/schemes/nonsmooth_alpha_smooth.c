// Smooth problem of the nonsmooth generalized-alpha step [Galvez2020, (3.34)-(3.35)]: free flight
// with joints as velocities, contacts ignored. Unknowns v'~ and lambda~ at the end of the step:
//
//     M(q~) v'~ = f(q~, v~, t) + G(q~)^T lambda~,     G(q~) v~ = rate
//     (1 - alpha_m) a + alpha_m a_n = (1 - alpha_f) v'~ + alpha_f v'~_n
//     v~ = v_n + h (1 - gamma) a_n + h gamma a
//     d~ = h v_n + h^2 (1/2 - beta) a_n + h^2 beta a,     q~ = q_n [+] d~
//
// It starts from the total q_n and v_n, but from the smooth v'~_n and a_n. With x the change of
// v'~:
//     [M + c_v C + c_q K T        -G^T] [x]   [-r]        K with the geometric terms of joints
//     [G + (c_q/c_v) (G v)_q T      0 ] [p] = [-(G v - rate)/c_v]
// The coupled variant takes all terms at the total q and v instead, with the same matrix.
#include <string.h>

#include "schemes/nonsmooth_alpha.h"

void pcs_na_predict(nonsmooth_alpha *s)
{
    const pcs_model *m = s->base.model;
    const double h = s->h, share = (1 - s->alpha_f) / (1 - s->alpha_m);
    s->c_v = h * s->gamma * share;
    s->c_q = h * h * s->beta * share;
    for (int32_t i = 0; i < m->n_v; ++i) {
        // a = share v'~ + known
        const double a = s->a_n[i];
        const double known = (s->alpha_f * s->rate_n[i] - s->alpha_m * a) / (1 - s->alpha_m);
        s->start_v[i] = s->v_n[i] + h * ((1 - s->gamma) * a + s->gamma * known);
        s->start_d[i] = h * s->v_n[i] + h * h * ((0.5 - s->beta) * a + s->beta * known);
    }
    for (int k = 0; k < NA_LEVELS; ++k) {
        memset(s->iterate[k].x, 0, sizeof(double) * (size_t)m->n_v);
        memset(s->iterate[k].p, 0, sizeof(double) * (size_t)m->n_rows);
        memset(s->iterate[k].r, 0, 3 * sizeof(double) * (size_t)m->n_slots);
    }
    memset(s->rounding, 0, sizeof(double) * (size_t)m->n_v);
    memset(s->penalty, 0, sizeof(double) * (size_t)m->n_slots);
    pcs_configuration_update(m, &s->start, s->t_n, s->q_n, s->v_n, s->turns, s->external);
    if (m->n_slots > 0)
        pcs_model_contacts(m, &s->start, true, s->contacts_start);
}

static const pcs_configuration *place(const nonsmooth_alpha *s)
{
    return s->variant == NA_COUPLED ? &s->end : &s->smooth;
}

// v~, d~ and the configuration of the terms for the iterate at hand.
static void update_configuration(nonsmooth_alpha *s)
{
    const pcs_model *m = s->base.model;
    const double *rate = s->iterate[NA_SMOOTH].x, *U = s->iterate[NA_POSITION].x;
    const double *W = s->iterate[NA_VELOCITY].x, t = s->t_n + s->h;
    for (int32_t i = 0; i < m->n_v; ++i) {
        s->v_smooth[i] = s->start_v[i] + s->c_v * rate[i];
        s->d_smooth[i] = s->start_d[i] + s->c_q * rate[i];
    }
    if (s->variant == NA_COUPLED) {
        for (int32_t i = 0; i < m->n_v; ++i) {
            s->d[i] = s->d_smooth[i] + U[i];
            s->v[i] = s->v_smooth[i] + W[i];
        }
        pcs_model_retract(m, s->q_n, s->d, s->q_end);
        pcs_configuration_follow(m, &s->end, t, s->q_end, s->v, (pcs_turns){s->turns, s->q_n, s->d},
                                 s->external);
    } else {
        pcs_model_retract(m, s->q_n, s->d_smooth, s->q_smooth);
        pcs_configuration_follow(m, &s->smooth, t, s->q_smooth, s->v_smooth,
                                 (pcs_turns){s->turns, s->q_n, s->d_smooth}, s->external);
    }
}

void pcs_na_evaluate_smooth(nonsmooth_alpha *s)
{
    const pcs_model *m = s->base.model;
    const size_t bytes = sizeof(double) * (size_t)m->n_v;
    update_configuration(s);
    pcs_rows rows = {s->rows_smooth, NULL, s->rate, NULL};
    pcs_model_rows(m, place(s), &rows);
    pcs_model_forces(m, place(s), s->f_smooth, NULL);
    pcs_model_mass_multiply(m, place(s), s->iterate[NA_SMOOTH].x, s->momentum_smooth);
    memset(s->residual, 0, bytes);
    memset(s->scale, 0, bytes);
    pcs_na_add_term(s, 1, s->momentum_smooth);
    pcs_na_add_term(s, -1, s->f_smooth);
    pcs_na_add_force_rounding(s, 1);
    pcs_na_subtract_rows(s, s->rows_smooth, s->iterate[NA_SMOOTH].p);
    pcs_model_rows_multiply(m, s->rows_smooth, s->v_smooth, s->row_residual);
    for (int32_t i = 0; i < m->n_rows; ++i)
        s->row_residual[i] -= s->rate[i];
}

// rows_right = G + (c_q/c_v) d(G v)/dq T; rows_smooth has G
static void fill_rows(nonsmooth_alpha *s)
{
    const pcs_model *m = s->base.model;
    for (int32_t k = 0; k < m->row_blocks.count; ++k)
        for (int32_t e = 0; e < s->rows_right[k].n_nodes; ++e) {
            const pcs_node *node = pcs_model_node(m, s->rows_right[k].node[e]);
            memset(s->rows_right[k].J[e], 0,
                   sizeof(double) * (size_t)(s->rows_right[k].size * node->n_v));
        }
    pcs_model_rate_tangent(m, place(s), s->c_q / s->c_v, s->rows_right);
    pcs_na_chart_rows(s, s->variant == NA_COUPLED ? s->d : s->d_smooth, s->rows_right);
    for (int32_t k = 0; k < m->row_blocks.count; ++k)
        for (int32_t e = 0; e < s->rows_right[k].n_nodes; ++e) {
            const pcs_node *node = pcs_model_node(m, s->rows_right[k].node[e]);
            for (int32_t i = 0; i < s->rows_right[k].size * node->n_v; ++i)
                s->rows_right[k].J[e][i] += s->rows_smooth[k].J[e][i];
        }
}

pcs_status pcs_na_matrix_smooth(nonsmooth_alpha *s)
{
    const pcs_model *m = s->base.model;
    const pcs_configuration *c = place(s);
    pcs_na_clear_matrix(s);
    pcs_model_add_tangent(m, c, s->c_q, 0, s->saddle);
    if (m->meshes.count > 0)
        pcs_model_force_rounding(m, c, s->saddle, s->c_q, s->work, s->rounding);
    pcs_model_mass_tangent(m, c, s->iterate[NA_SMOOTH].x, s->c_q, s->saddle);
    pcs_model_row_tangent(m, c, s->iterate[NA_SMOOTH].p, -s->c_q, s->saddle);
    pcs_na_chart_matrix(s, s->variant == NA_COUPLED ? s->d : s->d_smooth, false);
    pcs_model_add_mass(m, c, s->saddle);
    pcs_model_add_tangent(m, c, 0, s->c_v, s->saddle);
    fill_rows(s);
    return pcs_na_factor(s, s->saddle, s->rows_right, s->rows_smooth);
}

void pcs_na_freeze_smooth(nonsmooth_alpha *s)
{
    const pcs_model *m = s->base.model;
    memset(s->reaction_smooth, 0, sizeof(double) * (size_t)m->n_v);
    pcs_model_rows_add_transposed(m, s->rows_smooth, s->iterate[NA_SMOOTH].p, s->reaction_smooth);
}
