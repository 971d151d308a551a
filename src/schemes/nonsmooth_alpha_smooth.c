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

// Start vectors and first iterates.
static void predict_motion(nonsmooth_alpha *s)
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
}

void pcs_na_predict(nonsmooth_alpha *s)
{
    const pcs_model *m = s->base.model;
    predict_motion(s);
    pcs_configuration_update(m, &s->start, s->t_n, s->q_n, s->v_n, s->turns, s->external);
    if (m->n_slots > 0)
        pcs_model_contacts(m, &s->start, true, s->contacts_start);
}

// ---- Persistent contacts ----

na_part pcs_na_part_of(const nonsmooth_alpha *s, int32_t slot)
{
    return !s->persistent[slot] ? NA_APART : s->slipping[slot] ? NA_SLIPPING : NA_RESTING;
}

// Nodes of meshes, which stand between those of bodies and of systems. Their contacts open and close
// with vibrations that a step need not resolve; accelerations of t_n would wake these.
bool pcs_na_is_flexible(const pcs_model *m, const pcs_row_block *row)
{
    for (int32_t e = 0; e < row->n_nodes; ++e)
        for (int32_t k = 0; k < m->meshes.count; ++k) {
            const pcs_mesh *mesh = &m->meshes.data[k];
            if (row->node[e] >= mesh->first_node && row->node[e] < mesh->first_node + mesh->n_nodes)
                return true;
        }
    return false;
}

// Contacts of rigid bodies that are closed at t_n and neither separate nor approach, up to what the
// problems of the last step have left.
static void find_persistent(nonsmooth_alpha *s)
{
    const double left = 10; // tolerances
    const pcs_model *m = s->base.model;
    const double tolerance = s->base.options[NA_CONSTRAINT_TOLERANCE];
    double speed = 1;
    for (int32_t i = 0; i < m->n_v; ++i)
        speed = fmax(speed, fabs(s->v_n[i]));
    const double *option = s->base.options;
    const bool wanted = s->variant == NA_DECOUPLED &&
                        (int)option[NA_RESTING_CONTACTS] == NA_IN_SMOOTH &&
                        (int)option[NA_POSITION_FRICTION] == NA_YES;
    s->still = fmax(s->base.options[NA_IMPACT_SPEED], left * tolerance * speed);
    s->n_persistent = 0;
    for (int32_t i = 0; i < m->n_slots; ++i) {
        const pcs_contact *contact = &s->contacts_start[i];
        double u[3] = {0, 0, 0};
        s->persistent[i] = s->slipping[i] = false;
        if (!wanted || pcs_na_is_flexible(m, &contact->row) || !(contact->gap <= left * tolerance))
            continue;
        pcs_contact_velocity(m, contact, s->v_n, u);
        s->persistent[i] = fabs(u[0]) <= s->still;
        s->slipping[i] = s->persistent[i] && contact->row.size > 1 &&
                         hypot(u[1], contact->row.size > 2 ? u[2] : 0) > s->still;
        s->n_persistent += s->persistent[i];
    }
}

// The accelerations of t_n with the contacts: the smooth problem of a step so short that nothing
// moves in it, by Euler's method (v~ = v_n + h v'~). Where it does not converge those of before
// stay, which is an error of first order. Where no contact force exists (Painleve) its solution is an
// impulse without collision, and v'~ would be that over the short step: a contact with friction whose
// state changes even in this step is set apart, and the corrections make the impulse. Without friction
// forces always exist.
static pcs_status restart_accelerations(nonsmooth_alpha *s, pcs_step_report *report)
{
    const double part = 0.01; // of the step: below its own error of a_n, above the rounding of v_n
    const double h = s->h, alpha_m = s->alpha_m, alpha_f = s->alpha_f;
    const double gamma = s->gamma, beta = s->beta;
    pcs_status status;
    s->h *= part;
    s->alpha_m = s->alpha_f = 0;
    s->gamma = 1;
    s->beta = 0.5;
    do {
        predict_motion(s);
        status = pcs_na_solve(s, NA_SMOOTH, report);
    } while (status == PCS_OK && pcs_na_part_contacts(s, true));
    s->h = h;
    s->alpha_m = alpha_m;
    s->alpha_f = alpha_f;
    s->gamma = gamma;
    s->beta = beta;
    if (status == PCS_OK) {
        memcpy(s->new_rate, s->iterate[NA_SMOOTH].x, sizeof(double) * (size_t)s->base.model->n_v);
        s->rate_n = s->a_n = s->new_rate;
    }
    return status < 0 ? status : PCS_OK;
}

// Where contacts have changed, the first iterate takes the others for loaded, whatever rounding has
// left of their velocities. More of the last force would also hand on what redundant contacts leave
// undetermined of it, which was another set's.
static void start_forces(nonsmooth_alpha *s)
{
    const double part = 1e-9;
    for (int32_t i = 0; i < s->base.model->n_slots; ++i)
        if (s->persistent[i])
            s->iterate[NA_SMOOTH].r[3 * i] = part * s->force_n[3 * i];
}

// Where the contacts are the same, their last forces are the first iterate: the solution nearest to
// them follows, also in what no law decides. At rest they are the solution, with v'~ = 0: the last
// v'~ would add up over the steps what the tolerance has left of it.
static void keep_forces(nonsmooth_alpha *s, const pcs_state *state)
{
    const pcs_model *m = s->base.model;
    memcpy(s->iterate[NA_SMOOTH].r, state->memory + pcs_na_force_index(m),
           3 * sizeof(double) * (size_t)m->n_slots);
}

pcs_status pcs_na_restart_smooth(nonsmooth_alpha *s, pcs_step_report *report)
{
    PCS_TRY(restart_accelerations(s, report));
    predict_motion(s);
    start_forces(s);
    return PCS_OK;
}

pcs_status pcs_na_begin_smooth(nonsmooth_alpha *s, const pcs_state *state, pcs_step_report *report)
{
    const pcs_model *m = s->base.model;
    bool changed = false;
    find_persistent(s);
    for (int32_t i = 0; i < m->n_slots; ++i)
        changed = changed ||
                  (na_part)state->memory[pcs_na_part_index(m) + i] != pcs_na_part_of(s, i);
    if (changed)
        return pcs_na_restart_smooth(s, report);
    keep_forces(s, state);
    return PCS_OK;
}

// Whether a persistent contact is at the end of the smooth problem what it was at t_n: at rest, or
// slipping forward. On the border of the cone a contact may be at rest, as forces of a jam are not
// unique.
static bool is_same(const nonsmooth_alpha *s, int32_t i)
{
    double P[3], u[3] = {0, 0, 0}, speed = 0, along = 0;
    const double *r = s->iterate[NA_SMOOTH].r + 3 * i;
    if (!s->closed[i] || pcs_na_contact_law(s, i, r, P, NULL) == NA_GAP)
        return s->force_n[3 * i] == 0;
    pcs_contact_velocity(s->base.model, &s->contacts_start[i], s->v_n, u);
    for (int32_t j = 1; j < s->contact_rows[i].size; ++j) {
        const double now = s->c_v * s->local[3 * i + j];
        speed = hypot(speed, now);
        along += u[j] * now;
    }
    return s->slipping[i] ? speed > s->still && along > 0 : speed <= s->still;
}

bool pcs_na_part_contacts(nonsmooth_alpha *s, bool with_friction)
{
    bool changed = false;
    for (int32_t i = 0; i < s->base.model->n_slots; ++i) {
        const bool counts = !with_friction || s->contact_rows[i].size > 1;
        if (!s->persistent[i] || !counts || is_same(s, i))
            continue;
        s->persistent[i] = s->slipping[i] = false;
        --s->n_persistent;
        changed = true;
    }
    return changed;
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

// Velocities of the persistent contacts, in units of v'~, and their forces.
static void evaluate_contacts(nonsmooth_alpha *s)
{
    const pcs_model *m = s->base.model;
    if (s->n_persistent == 0)
        return;
    pcs_model_contacts(m, &s->smooth, true, s->contacts_end);
    for (int32_t i = 0; i < m->n_slots; ++i) {
        s->closed[i] = s->persistent[i] && s->contacts_end[i].gap != HUGE_VAL;
        if (!s->closed[i]) {
            memset(s->iterate[NA_SMOOTH].r + 3 * i, 0, 3 * sizeof(double));
            continue;
        }
        s->contact_rows[i] = s->contacts_end[i].row;
        pcs_contact_velocity(m, &s->contacts_end[i], s->v_smooth, s->local + 3 * i);
        for (int32_t j = 0; j < s->contact_rows[i].size; ++j)
            s->local[3 * i + j] /= s->c_v;
    }
    pcs_na_subtract_contacts(s, s->iterate[NA_SMOOTH].r);
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
    evaluate_contacts(s);
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
    if (s->n_persistent > 0)
        pcs_model_contact_tangent(m, c, s->contacts_end, s->iterate[NA_SMOOTH].r, -s->c_q,
                                  s->saddle);
    pcs_na_chart_matrix(s, s->variant == NA_COUPLED ? s->d : s->d_smooth, false);
    pcs_model_add_mass(m, c, s->saddle);
    pcs_model_add_tangent(m, c, 0, s->c_v, s->saddle);
    fill_rows(s);
    return pcs_na_factor(s, s->saddle, s->rows_right, s->rows_smooth);
}

// x += J^T r of a block
static void add_force(const pcs_model *m, const pcs_row_block *block, const double *r, double *x)
{
    for (int32_t e = 0; e < block->n_nodes; ++e) {
        const pcs_node *node = pcs_model_node(m, block->node[e]);
        for (int32_t i = 0; i < block->size; ++i)
            for (int32_t j = 0; j < node->n_v; ++j)
                x[node->v + j] += block->J[e][i * node->n_v + j] * r[i];
    }
}

void pcs_na_freeze_smooth(nonsmooth_alpha *s)
{
    const pcs_model *m = s->base.model;
    if (m->n_slots > 0)
        pcs_model_contacts(m, &s->smooth, true, s->contacts_end);
    for (int32_t i = 0; i < m->n_slots; ++i)
        s->forecast[i] = s->contacts_end[i].gap;
    memset(s->reaction_smooth, 0, sizeof(double) * (size_t)m->n_v);
    pcs_model_rows_add_transposed(m, s->rows_smooth, s->iterate[NA_SMOOTH].p, s->reaction_smooth);
    for (int32_t i = 0; i < m->n_slots && s->n_persistent > 0; ++i) {
        const double *r = s->iterate[NA_SMOOTH].r + 3 * i;
        if (!s->closed[i])
            continue;
        add_force(m, &s->contact_rows[i], r, s->reaction_smooth);
        for (int32_t j = 0; j < s->contact_rows[i].size; ++j) {
            s->iterate[NA_POSITION].r[3 * i + j] = s->h * s->h * r[j];
            s->iterate[NA_VELOCITY].r[3 * i + j] = s->h * r[j];
        }
    }
}
