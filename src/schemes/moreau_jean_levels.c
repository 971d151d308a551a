// Contacts of flexible bodies in a Moreau-Jean step: one law for displacements, one for velocities.
//
// The energy of a step with theta = 1/2 changes by r.(U_k + U_{k+1})/2 [Acary lectures 3.6]. The
// law at U_{k+1} makes that negative only if r.U_k is, as at an impact of rigid bodies. The node of
// a mesh may come with U_k > 0 and be turned by elastic forces within the step; stopped at
// U_{k+1} = 0, normally or by friction, it has been given r U_k/2. So the step is made in two parts:
//     M (w - v_k) = h f(q_{k+theta}) + H^T s,  q_{k+1} = q_k [+] h ((1-a) v_k + a w),
//                         law of s with (g_{k+1}, slip over the step)/(a h)                    (1)
//     M (v_{k+1} - v_k) = h f(q_{k+theta}) + H^T r,   law of r with U_{k+1}, what (1) closes    (2)
// For linear forces and gaps, theta = a = 1/2, d = H (q_{k+1} - q_k), l = s - r:
//     E_{k+1} - E_k = s.d/h - l.U_{k+1} - l.(H M^-1 H^T) l / 2.
// s_N d_N = -s_N g_k <= 0 and s_T.d_T <= 0; l_N U_N = s_N U_N >= 0: every term takes energy, whatever
// the stiffness. (1) has the matrix A of the step, (2) that of the mass; without elastic forces both
// are the same, and (1) is the projection of positions with multipliers of their own.
#include <string.h>

#include "schemes/moreau_jean.h"

// Contact problems of an iteration after which penetrations are left to the projection.
enum { TRIES_MAX = 100 };

// Length of the displacements of a slot's nodes, summed.
static double way_of_nodes(const moreau_jean *s, const pcs_contact *contact, const double *x)
{
    double way = 0;
    for (int32_t e = 0; e < contact->row.n_nodes; ++e) {
        const pcs_node *node = pcs_model_node(s->base.model, contact->row.node[e]);
        double square = 0;
        for (int32_t j = 0; j < node->n_v && j < pcs_node_translations(node->kind); ++j)
            square += x[node->v + j] * x[node->v + j];
        way += sqrt(square);
    }
    return way;
}

// Times the tolerances of a step's parts, that energy may be known to.
enum { GAIN_MARGIN = 10 };

enum { FACE_NODES = 3 }; // of a row over a face at least: the node and two corners

// Penetration that projections may leave.
static double projected(const moreau_jean *s)
{
    enum { PARTS = 10000 }; // of the tolerance
    return PARTS * s->base.options[MJ_PROJECTION_TOLERANCE];
}

// A distance changes by no more than the ways of the nodes it is measured between. Where a gap has
// fallen by more, the node has come in where nothing looks: edges that cross pass each other, and
// later a node finds itself in the middle of a body. Pushed out at once it would be thrown out, with
// any energy. It is kept from going deeper, and comes out as the motion allows.
static bool is_jump(const moreau_jean *s, int32_t slot, const pcs_contact *now, double way)
{
    return s->gap_k[slot] - now->gap > way + projected(s);
}

bool pcs_mj_starts_inside(const moreau_jean *s, const pcs_contact *contact, double gap)
{
    return contact->row.n_nodes >= FACE_NODES && gap < -projected(s);
}

static bool is_inside(const moreau_jean *s, int32_t slot, const pcs_contact *now, double way)
{
    return pcs_mj_starts_inside(s, now, s->gap_k[slot]) ||
           (now->row.n_nodes >= FACE_NODES && is_jump(s, slot, now, way));
}

// The gap at the start of the step along the rows of the forecast.
static double gap_at_start(const moreau_jean *s, const pcs_contact *contact)
{
    return contact->gap - s->theta * s->h * pcs_mj_normal_velocity(s->base.model, contact, s->v_k);
}

// A node inside is held at the gap that it had, g_k, and its displacement at d = 0, which is the same
// to the order of the step: the gap bends alike on both sides of the forecast.
void pcs_mj_find_inside(moreau_jean *s)
{
    for (int32_t i = 0; i < s->base.model->n_slots; ++i) {
        const pcs_contact *contact = &s->contacts[i];
        s->found[i] = s->found_ahead[i] = 0;
        if (!(contact->gap < -projected(s)))
            continue;
        const double way = way_of_nodes(s, contact, s->x);
        if (!is_inside(s, i, contact, way))
            continue;
        const double start = gap_at_start(s, contact);
        s->found_ahead[i] = fmin(start, 0);
        s->found[i] = is_jump(s, i, contact, way) ? s->found_ahead[i] : fmin(s->gap_k[i], 0);
    }
}

// Faces that a node comes upon at the end of the step are not in the problem of the displacements:
// the projection would push the node out against all stiffness. Beyond what counts as grazing
// (passage.h) the step is to be taken in parts; where it must stand, the node is found inside.
bool pcs_mj_meets_faces(moreau_jean *s)
{
    const double grazing = 1e-3, bent = 1e-2; // of the way
    bool meets = false;
    for (int32_t i = 0; i < s->base.model->n_slots; ++i) {
        const pcs_contact *contact = &s->contacts_end[i];
        if (!(contact->gap < s->found[i] - projected(s)) || contact->row.n_nodes < FACE_NODES)
            continue;
        const double way = way_of_nodes(s, contact, s->way);
        const bool known = s->is_active[i] && contact->face == s->contacts[i].face;
        if (!(s->found[i] - contact->gap > (known ? bent : grazing) * way))
            continue;
        meets = meets || !is_inside(s, i, contact, way);
        s->found[i] = contact->gap;
    }
    return meets && !s->keep_diverged && !s->keep_passage;
}

// What the law of the displacements adds to the velocity w: u = (gap at the end, slip)/(a h).
// Without `projection: all` penetration is left as it is, and a closed contact only kept from
// going deeper.
static void add_way_so_far(moreau_jean *s, int32_t first)
{
    const pcs_model *model = s->base.model;
    const bool ahead = pcs_mj_looks_ahead(s);
    for (int32_t k = first; k < s->n_active; ++k) {
        const pcs_contact *contact = &s->contacts[s->active[k]];
        double *way = s->restitution + s->offset[k];
        pcs_contact_velocity(model, contact, s->v_k, way);
        for (int32_t j = 0; j < contact->row.size; ++j)
            way[j] *= (1 - s->a) / s->a;
        if (ahead)
            way[0] = (pcs_mj_gap_at_end(s, contact, 0) - s->found_ahead[s->active[k]]) /
                     (s->a * s->h);
    }
}

// Adds the contacts that the displacements would penetrate; how many.
static int32_t add_penetrated(moreau_jean *s, const pcs_state *state)
{
    const int32_t before = s->n_active;
    for (int32_t i = 0; i < s->base.model->n_slots; ++i) {
        const pcs_contact *contact = &s->contacts[i];
        if (s->is_active[i] || contact->gap == HUGE_VAL)
            continue;
        const double u = pcs_mj_normal_velocity(s->base.model, contact, s->v);
        if (pcs_mj_gap_at_end(s, contact, u) < s->found_ahead[i])
            pcs_mj_add_active(s, state, i);
    }
    return s->n_active - before;
}

pcs_status pcs_mj_solve_displacements(moreau_jean *s, const pcs_state *state,
                                      pcs_step_report *report)
{
    const bool ahead = pcs_mj_looks_ahead(s);
    pcs_status status = PCS_OK;
    s->of_displacements = true;
    pcs_mj_activate_free(s, state, ahead);
    add_way_so_far(s, 0);
    for (int32_t tries = 0; s->n_active > 0; ++tries) {
        const int32_t n = s->n_active;
        status = pcs_mj_solve_round(s, report);
        PCS_TRY(status);
        if (!ahead || tries == TRIES_MAX || add_penetrated(s, state) == 0)
            break;
        add_way_so_far(s, n);
    }
    return status;
}

// Adds what only the projection has closed, on faces that the nodes came upon at the end, with the
// rows of the end: lifted without being stopped, such a contact would be fed.
static void add_projected(moreau_jean *s, const pcs_state *state)
{
    enum { MARGIN = 10 }; // times the tolerance: projected gaps
    const double closed = MARGIN * s->base.options[MJ_PROJECTION_TOLERANCE];
    bool rows = false;
    for (int32_t i = 0; i < s->base.model->n_slots; ++i) {
        if (s->is_active[i] || !(s->contacts_end[i].gap - s->found[i] <= closed))
            continue;
        if (!rows)
            pcs_model_contacts(s->base.model, &s->end, true, s->contacts_end);
        rows = true;
        pcs_contact *contact = &s->contacts[i];
        *contact = s->contacts_end[i];
        for (int32_t e = 0; e < contact->row.n_nodes; ++e)
            if (contact->row.J[e] == s->contacts_end[i].J[e])
                contact->row.J[e] = contact->J[e];
        s->turning[i] = 0;
        pcs_mj_add_active(s, state, i);
    }
}

// Active from now on: what the displacements have closed.
static void keep_closed(moreau_jean *s, const pcs_state *state)
{
    const bool ahead = pcs_mj_looks_ahead(s);
    const int32_t n = s->n_active;
    memset(s->r_way, 0, sizeof(double) * 3 * (size_t)s->base.model->n_slots);
    for (int32_t k = 0; k < n; ++k)
        memcpy(s->r_way + 3 * s->active[k], s->r + s->offset[k],
               sizeof(double) * (size_t)s->H[k]->size);
    s->n_active = s->n_struck = 0;
    for (int32_t k = 0; k < n; ++k) {
        const int32_t slot = s->active[k];
        const double *r = s->r_way + 3 * slot;
        const double gap = s->contacts_end[slot].gap - s->found[slot];
        s->is_active[slot] = !ahead || r[0] > 0 || gap <= s->base.options[MJ_PROJECTION_TOLERANCE];
        if (!s->is_active[slot])
            continue;
        pcs_mj_add_active(s, state, slot);
        memcpy(s->r + s->offset[s->n_active - 1], r,
               sizeof(double) * (size_t)s->contacts[slot].row.size);
    }
    if (ahead)
        add_projected(s, state);
    s->W_contacts = 0;
}

// The configuration half-way along the displacements, with their projection, and its forces.
static void forces_on_the_way(moreau_jean *s, pcs_power *power)
{
    const pcs_model *m = s->base.model;
    pcs_model_difference(m, s->q_end, s->q_k, s->x);
    for (int32_t i = 0; i < m->n_v; ++i) {
        s->v_work[i] = s->x[i] / s->h;
        s->v_way[i] = s->v_k[i] + (s->v_work[i] - s->v_k[i]) / s->a;
        s->v_middle[i] = s->v_k[i] + s->theta * (s->v_way[i] - s->v_k[i]);
        s->x[i] *= s->theta;
    }
    pcs_model_retract(m, s->q_k, s->x, s->q_middle);
    pcs_configuration_follow(m, &s->middle, s->t_k + s->theta * s->h, s->q_middle, s->v_middle,
                             (pcs_turns){s->turns, s->q_k, s->x}, s->external);
    power->v = s->v_work;
    pcs_model_forces(m, &s->middle, s->f, power);
}

// Error of the displacements against those of the velocities, for schemes that choose their steps:
// penetration that the velocities would have added, or the gap at which they hold a contact at rest.
static double violation(const moreau_jean *s)
{
    double most = 0;
    for (int32_t k = 0; k < s->n_active; ++k) {
        const pcs_contact *contact = &s->contacts[s->active[k]];
        const double u = pcs_mj_normal_velocity(s->base.model, contact, s->v);
        const double gap = pcs_mj_gap_at_end(s, contact, u) - s->found_ahead[s->active[k]];
        most = fmax(most, fmin(s->gap_k[s->active[k]], 0) - gap);
        if (s->r[s->offset[k]] > 0 && s->restitution[s->offset[k]] == 0)
            most = fmax(most, gap);
    }
    return most;
}

// Work of all contacts over the step.
static double work_of_contacts(const moreau_jean *s)
{
    double sum = 0;
    for (int32_t k = 0; k < s->n_active; ++k) {
        double work[3];
        pcs_mj_work_of_contact(s, k, work);
        for (int32_t j = 0; j < s->H[k]->size; ++j)
            sum += work[j];
    }
    return sum;
}

// Velocities of the closed contacts. Restitution gives back what an approach had; where elastic
// forces have already turned the node that is more than the step has taken, and contacts rest.
static pcs_status solve_velocities(moreau_jean *s, const pcs_state *state, pcs_step_report *report)
{
    pcs_status status = pcs_mj_solve_closed(s, state, false, report);
    PCS_TRY(status);
    bool rebounds = false;
    for (int32_t i = 0; i < s->offset[s->n_active]; ++i)
        rebounds = rebounds || s->restitution[i] != 0 || s->spent[i] != 0;
    if (!rebounds || !(work_of_contacts(s) > 0))
        return status;
    return pcs_mj_solve_closed(s, state, true, report);
}

pcs_status pcs_mj_settle(moreau_jean *s, const pcs_state *state, pcs_power *power,
                         pcs_step_report *report)
{
    const pcs_model *m = s->base.model;
    for (int32_t i = 0; i < m->n_slots; ++i)
        pcs_depth_see(&report->penetration, -s->contacts_end[i].gap, i, s->t_k + s->h);
    keep_closed(s, state);
    s->of_displacements = false;
    if (s->n_active == 0)
        return PCS_OK;
    forces_on_the_way(s, power);
    pcs_model_matrix(m, &s->middle, 0, 0, s->saddle);
    PCS_TRY(pcs_mj_factor(s));
    pcs_model_rows_multiply(m, s->rows, s->v_k, s->p_step);
    for (int32_t i = 0; i < m->n_rows; ++i)
        s->p_step[i] = s->rate[i] - s->p_step[i];
    for (int32_t i = 0; i < m->n_v; ++i)
        s->x[i] = s->h * s->f[i];
    pcs_saddle_solve(s->saddle, s->x, s->p_step);
    for (int32_t i = 0; i < m->n_v; ++i)
        s->v[i] = s->v_free[i] = s->v_k[i] + s->x[i];
    memcpy(s->p_free, s->p_step, sizeof(double) * (size_t)m->n_rows);
    memcpy(s->p, s->p_step, sizeof(double) * (size_t)m->n_rows);
    pcs_status status = solve_velocities(s, state, report);
    s->violation = fmax(s->violation, violation(s));
    return status;
}

// ---- Energy ----

// What the contacts of the step have given to the motion, beyond the tolerances of its parts. With
// M (v_{k+1} - v_k) = h f + H^T r + G^T p and the middle force of the displacements d, T + V changes by
//     (h f + H^T r).(v_k + v_{k+1})/2 - f.d,
// joints left out; moving surfaces have their part in H.
bool pcs_mj_contacts_feed(moreau_jean *s)
{
    const pcs_model *m = s->base.model;
    const double *option = s->base.options;
    double gain = 0, terms = 0, load = 0, work = 0;
    for (int32_t i = 0; i < m->n_v; ++i) {
        const double mean = 0.5 * (s->v_k[i] + s->v[i]);
        gain += s->h * s->f[i] * (mean - s->v_work[i]);
        terms += s->h * fabs(s->f[i]) * (fabs(mean) + fabs(s->v_work[i]));
    }
    for (int32_t k = 0; k < s->n_active; ++k) {
        const double *r = s->r + s->offset[k], *r_way = s->r_way + 3 * s->active[k];
        double start[3], end[3];
        pcs_contact_velocity(m, &s->contacts[s->active[k]], s->v_k, start);
        pcs_contact_velocity(m, &s->contacts[s->active[k]], s->v, end);
        for (int32_t j = 0; j < s->H[k]->size; ++j) {
            gain += 0.5 * r[j] * (start[j] + end[j]);
            work += fabs(r[j]) * (fabs(start[j]) + fabs(end[j]));
        }
        load += fmax(r[0], r_way[0]) / s->h;
    }
    if (m->n_rows > 0) { // what joints leave is not the contacts'
        pcs_model_rows_multiply(m, s->rows, s->v_work, s->p_step);
        for (int32_t i = 0; i < m->n_rows; ++i)
            terms += fabs(s->p[i] * (s->p_step[i] - s->rate[i])) / option[MJ_NEWTON_TOLERANCE];
    }
    return gain >
           GAIN_MARGIN * (option[MJ_NEWTON_TOLERANCE] * terms + option[MJ_SOLVER_TOLERANCE] * work +
                          option[MJ_PROJECTION_TOLERANCE] * load);
}
