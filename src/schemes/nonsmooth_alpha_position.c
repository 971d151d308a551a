// Position problem of the nonsmooth generalized-alpha step [Galvez2020, (3.29), (3.39),
// (4.15)-(4.36)]: joints, non-penetration and Coulomb's law on the slip of the whole step. Unknowns
// U, nu and the multipliers xi of contacts, at q = q_n [+] (d~ + U):
//
//     M(q~) U = h^2 f^p + G(q)^T nu + H(q)^T xi,     g(t, q) = 0
//     f^p = f(q, v~) - f(q~, v~) + (G(q) - G(q~))^T lambda~
//     contacts: 0 <= gap \perp xi_N >= 0,  |xi_T| <= mu xi_N, slip opposed to xi_T
//
// With y the change of q, y = T(d) dU, and K with the geometric terms of joints and contacts:
//     [M(q~) T^{-1} + h^2 K   -G^T] [y]   [-r]
//     [G                        0 ] [p] = [-g]
// The variant no_forces leaves f^p out; the coupled one leaves it out and takes M(q).
#include <string.h>

#include "schemes/nonsmooth_alpha.h"

// Penetration, in tolerances of the gaps, from which on a node is taken to be inside.
enum { HELD_MARGIN = 10000 };

static void update_configuration(nonsmooth_alpha *s)
{
    const pcs_model *m = s->base.model;
    for (int32_t i = 0; i < m->n_v; ++i)
        s->d[i] = s->d_smooth[i] + s->iterate[NA_POSITION].x[i];
    pcs_model_retract(m, s->q_n, s->d, s->q_end);
    pcs_configuration_follow(m, &s->end, s->t_n + s->h, s->q_end, s->v_smooth,
                             (pcs_turns){s->turns, s->q_n, s->d}, s->external);
}

// A node that edges which cross have let into a mesh, seen where a gap has fallen by more than its
// nodes have moved, is held where it is found and later kept from going deeper: pushed out within a
// step it would be thrown out, with any energy (as in moreau_jean_levels.c).
void pcs_na_find_inside(nonsmooth_alpha *s)
{
    enum { FACE_NODES = 3 }; // of a row over a face at least: the node and two corners
    const pcs_model *m = s->base.model;
    const double closed = HELD_MARGIN * s->base.options[NA_CONSTRAINT_TOLERANCE];
    memset(s->held, 0, sizeof(double) * (size_t)m->n_slots);
    if (m->meshes.count == 0 || m->n_slots == 0)
        return;
    pcs_model_contacts(m, &s->smooth, true, s->contacts_end);
    for (int32_t i = 0; i < m->n_slots; ++i) {
        const pcs_contact *contact = &s->contacts_end[i];
        const double before = s->contacts_start[i].gap;
        if (!(contact->gap < -closed) || contact->row.n_nodes < FACE_NODES)
            continue;
        double way = closed;
        for (int32_t e = 0; e < contact->row.n_nodes; ++e) {
            const pcs_node *node = pcs_model_node(m, contact->row.node[e]);
            double square = 0;
            for (int32_t j = 0; j < node->n_v && j < pcs_node_translations(node->kind); ++j)
                square += s->d_smooth[node->v + j] * s->d_smooth[node->v + j];
            way += sqrt(square);
        }
        if (before - contact->gap > way)
            s->held[i] = contact->gap;
        else if (before < -closed)
            s->held[i] = before;
    }
}

// Gaps, slips and the rows that take part. Without friction a contact has its normal row alone.
static void evaluate_contacts(nonsmooth_alpha *s)
{
    const pcs_model *m = s->base.model;
    const bool friction = (int)s->base.options[NA_POSITION_FRICTION] == NA_YES;
    if (m->n_slots == 0)
        return;
    pcs_model_contacts(m, &s->end, true, s->contacts_end);
    pcs_model_contacts_slip(m, &s->start, s->contacts_start, &s->end, s->contacts_end, s->slip);
    for (int32_t i = 0; i < m->n_slots; ++i) {
        const pcs_contact *contact = &s->contacts_end[i];
        s->closed[i] = contact->gap != HUGE_VAL;
        if (!s->closed[i]) {
            memset(s->iterate[NA_POSITION].r + 3 * i, 0, 3 * sizeof(double));
            continue;
        }
        s->contact_rows[i] = contact->row;
        if (!friction || !(contact->law.friction > 0))
            s->contact_rows[i].size = 1;
        s->local[3 * i] = contact->gap - s->held[i];
        s->local[3 * i + 1] = s->slip[2 * i];
        s->local[3 * i + 2] = s->slip[2 * i + 1];
    }
}

void pcs_na_evaluate_position(nonsmooth_alpha *s)
{
    const pcs_model *m = s->base.model;
    const size_t bytes = sizeof(double) * (size_t)m->n_v;
    const double h2 = s->h * s->h, *U = s->iterate[NA_POSITION].x;
    update_configuration(s);
    pcs_rows rows = {s->rows_end, s->row_residual, NULL, NULL};
    pcs_model_rows(m, &s->end, &rows);
    evaluate_contacts(s);
    memset(s->residual, 0, bytes);
    memset(s->scale, 0, bytes);
    pcs_model_mass_multiply(m, s->variant == NA_COUPLED ? &s->end : &s->smooth, U, s->work);
    pcs_na_add_term(s, 1, s->work);
    if (s->variant == NA_DECOUPLED) {
        // The first iterate is the end of the smooth problem, whose forces are known.
        if (memcmp(s->q_end, s->q_smooth, sizeof(double) * (size_t)m->n_q) == 0)
            memcpy(s->f, s->f_smooth, bytes);
        else
            pcs_model_forces(m, &s->end, s->f, NULL);
        s->f_of_position = true;
        memcpy(s->work, s->reaction_smooth, bytes);
        for (int32_t i = 0; i < m->n_v; ++i)
            s->work[i] += s->f_smooth[i] - s->f[i];
        for (int32_t i = 0; i < m->n_rows; ++i)
            s->g[i] = -s->iterate[NA_SMOOTH].p[i];
        pcs_model_rows_add_transposed(m, s->rows_end, s->g, s->work);
        pcs_na_add_term(s, h2, s->work);
        pcs_na_add_rounding(s, h2, s->f_smooth);
        pcs_na_add_force_rounding(s, h2);
        pcs_na_add_rounding(s, h2, s->reaction_smooth);
    }
    pcs_na_subtract_rows(s, s->rows_end, s->iterate[NA_POSITION].p);
    pcs_na_subtract_contacts(s, s->iterate[NA_POSITION].r);
}

pcs_status pcs_na_matrix_position(nonsmooth_alpha *s)
{
    const pcs_model *m = s->base.model;
    const bool forces = s->variant == NA_DECOUPLED, coupled = s->variant == NA_COUPLED;
    const double h2 = s->h * s->h;
    pcs_na_clear_matrix(s);
    pcs_model_add_mass(m, coupled ? &s->end : &s->smooth, s->saddle);
    pcs_na_chart_matrix(s, s->d, true);
    if (forces)
        pcs_model_add_tangent(m, &s->end, h2, 0, s->saddle);
    if (coupled)
        pcs_model_mass_tangent(m, &s->end, s->iterate[NA_POSITION].x, 1, s->saddle);
    for (int32_t i = 0; i < m->n_rows; ++i)
        s->g[i] = s->iterate[NA_POSITION].p[i] + (forces ? h2 * s->iterate[NA_SMOOTH].p[i] : 0);
    pcs_model_row_tangent(m, &s->end, s->g, -1, s->saddle);
    if (m->n_slots > 0)
        pcs_model_contact_tangent(m, &s->end, s->contacts_end, s->iterate[NA_POSITION].r, -1,
                                  s->saddle);
    return pcs_na_factor(s, s->saddle, s->rows_end, NULL);
}

void pcs_na_freeze_position(nonsmooth_alpha *s)
{
    for (int32_t i = 0; i < s->base.model->n_slots; ++i) {
        double P[3];
        s->touched[i] = s->closed[i] && pcs_na_contact_law(s, i, s->iterate[NA_POSITION].r + 3 * i,
                                                           P, NULL) != NA_GAP;
    }
}
