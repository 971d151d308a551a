// Contacts that take part in a Moreau-Jean step: those that the forecast finds closed, those that
// carried a load, and those that the end of the step would penetrate.
#include "schemes/moreau_jean.h"

#include <string.h>

#include "schemes/impact_law.h"

// First component of pcs_contact_velocity, which is all that activation looks at.
double pcs_mj_normal_velocity(const pcs_model *model, const pcs_contact *contact, const double *v)
{
    const pcs_row_block *row = &contact->row;
    double sum = contact->surface[0];
    for (int32_t k = 0; k < row->n_nodes; ++k) {
        const pcs_node *node = pcs_model_node(model, row->node[k]);
        for (int32_t j = 0; j < node->n_v; ++j)
            sum += row->J[k][j] * v[node->v + j];
    }
    return sum;
}

// A contact that stays closed while its normal turns (a bead in a bowl, a plane on a swinging body)
// needs the velocity rows where it will be, as joints do: U_N at the end is H_N v_{k+1} plus
// (H_N(q_k [+] h v_k) - H_N) v_k, and U_N at the start is extrapolated from both. Without this a
// smooth slide would be first order and lose energy. A contact that closes in this step and
// approaches more slowly than its normal turns needs it too: it would leave again with the
// turning's velocity. Zero for all others that were open.
static void find_turning(moreau_jean *s, const pcs_state *state)
{
    const pcs_model *model = s->base.model;
    const pcs_neighbours *near = &s->neighbours;
    const double closed = s->base.options[MJ_PROJECTION_TOLERANCE];
    bool needed = false;
    for (int32_t k = 0; k < near->n_near; ++k) {
        const int32_t i = near->near[k];
        s->turning[i] = 0;
        needed = needed || (int)state->status[i] != PCS_OPEN || s->contacts[i].gap <= closed;
    }
    if (!needed || !(s->theta < 1))
        return; // with theta = 1 the forecast is the end
    for (int32_t i = 0; i < model->n_v; ++i)
        s->x[i] = s->h * s->v_k[i];
    pcs_model_retract(model, s->q_k, s->x, s->q_end);
    pcs_configuration_follow(model, &s->end, s->t_k + s->h, s->q_end, s->v_k,
                             (pcs_turns){s->turns, s->q_k, s->x}, s->external);
    pcs_neighbours_contacts(near, &s->end, true, s->contacts_end);
    for (int32_t k = 0; k < near->n_near; ++k) {
        const int32_t i = near->near[k];
        const pcs_contact *now = &s->contacts[i], *then = &s->contacts_end[i];
        const bool open = (int)state->status[i] == PCS_OPEN;
        if ((open && now->gap > closed) || now->gap == HUGE_VAL || then->gap == HUGE_VAL ||
            now->face != then->face)
            continue;
        const double u = pcs_mj_normal_velocity(model, now, s->v_k);
        const double turning = pcs_mj_normal_velocity(model, then, s->v_k) - u;
        if (!open || fabs(u) <= fabs(turning))
            s->turning[i] = turning;
    }
}

// The part of U_N at the forecast that is the turning of the normal since the start of the step.
static double turned_to_forecast(const moreau_jean *s, int32_t slot)
{
    return s->turning[slot] != 0 ? s->theta / (1 - s->theta) * s->turning[slot] : 0;
}

void pcs_mj_add_active(moreau_jean *s, const pcs_state *state, int32_t slot)
{
    const pcs_contact *contact = &s->contacts[slot];
    const int32_t k = s->n_active, at = s->offset[k], size = contact->row.size;
    double *u_k = s->u_k + at;
    pcs_contact_velocity(s->base.model, contact, s->v_k, u_k);
    u_k[0] -= turned_to_forecast(s, slot);
    memset(s->spent + at, 0, sizeof(double) * (size_t)size);
    memset(s->restitution + at, 0, sizeof(double) * (size_t)size);
    s->approach[k] = 0;
    s->out[k] = false;
    for (int32_t j = 0; j < size; ++j)
        s->r[at + j] = s->warm * state->r[3 * slot + j];
    s->mu[k] = contact->law.friction;
    s->active[k] = slot;
    s->is_active[slot] = true;
    s->H[k] = &contact->row;
    s->offset[++s->n_active] = at + size;
}

void pcs_mj_activate(moreau_jean *s, const pcs_state *state)
{
    const pcs_model *model = s->base.model;
    const double *option = s->base.options;
    s->n_active = 0;
    s->n_rounds = s->n_struck = 0;
    s->impacts = false;
    s->W_contacts = 0;
    s->offset[0] = 0;
    if (model->n_slots == 0)
        return;
    pcs_neighbours_contacts(&s->neighbours, &s->forecast, true, s->contacts);
    memset(s->is_active, 0, sizeof(bool) * (size_t)model->n_slots);
    if (s->two_levels && pcs_mj_looks_ahead(s))
        pcs_mj_find_inside(s);
    else {
        memset(s->found, 0, sizeof(double) * (size_t)model->n_slots);
        memset(s->found_ahead, 0, sizeof(double) * (size_t)model->n_slots);
    }
    find_turning(s, state);
    // The configuration stands at q_k [+] theta h v_k; the forecast of the activation may look
    // less or more far ahead: g~ = g + (gamma - theta) h u_N. Gaps are known to the projection's
    // tolerance: a body that touches to rounding is in contact and does not fall for a step.
    const double ahead = (option[MJ_FORECAST] - option[MJ_THETA]) * s->h;
    for (int32_t k = 0; k < s->neighbours.n_near; ++k) {
        const int32_t i = s->neighbours.near[k];
        if (s->contacts[i].gap == HUGE_VAL)
            continue;
        double gap = s->contacts[i].gap;
        if (ahead != 0)
            gap += ahead * pcs_mj_normal_velocity(model, &s->contacts[i], s->v_k);
        bool active = gap <= option[MJ_PROJECTION_TOLERANCE];
        // A step over an impact is so short that what touches is closed in the forecast, even if it
        // separates: such a contact takes part if the impact hits it (impact_law.h).
        if (s->forced)
            active = s->forced[i] ||
                     (active &&
                      pcs_impact_takes_part(pcs_mj_normal_velocity(model, &s->contacts[i], s->v_k),
                                            option[MJ_IMPACT_SPEED]));
        if (active)
            pcs_mj_add_active(s, state, i);
    }
}

double pcs_mj_resting_speed(const moreau_jean *s, const pcs_contact *contact)
{
    return pcs_contact_speed_change(s->base.model, contact, s->v_k, s->v_free);
}

double pcs_mj_starting_speed(const moreau_jean *s, int32_t slot)
{
    return pcs_mj_resting_speed(s, &s->contacts[slot]) + fabs(turned_to_forecast(s, slot));
}

double pcs_mj_gap_at_end(const moreau_jean *s, const pcs_contact *contact, double u)
{
    // From the forecast to the end: q_k + h v_{k+a} - (q_k + theta h v_k).
    const double from_k = (1 - s->a - s->theta) * s->h, from_v = s->a * s->h;
    return contact->gap + from_k * pcs_mj_normal_velocity(s->base.model, contact, s->v_k) +
           from_v * u;
}

// Times the tolerance of the contact problem that a contact at rest may open with.
enum { SOLVER_ERROR = 10 };

// A contact that carried a load, opens no faster than the forces of this step can close it and is
// within their reach stays in: the solver's error opens gaps bit by bit, two bodies in free fall do
// not close theirs, and a stack that is left without a corner for one step falls. A step that does
// not look ahead lets slow bounces go; there the contact stays whose opening is the solver's error.
// Where bodies slide or roll on each other, the forecast, straight along v_k, leaves the surface with
// the turning of the normal. That is no opening: velocity and gap are those without it.
static bool stays(const moreau_jean *s, const pcs_state *state, int32_t slot, bool ahead)
{
    const pcs_contact *contact = &s->contacts[slot];
    if ((int)state->status[slot] == PCS_OPEN)
        return false;
    const double speed = ahead ? pcs_mj_starting_speed(s, slot) : pcs_mj_resting_speed(s, contact);
    const double part = ahead ? 1 : fmin(1, SOLVER_ERROR * s->base.options[MJ_SOLVER_TOLERANCE]);
    const double turned = turned_to_forecast(s, slot);
    return pcs_mj_normal_velocity(s->base.model, contact, s->v_k) - turned <= part * speed &&
           contact->gap - 0.5 * s->theta * s->h * turned <= s->a * s->h * speed;
}

// Whether the contact, with the normal velocity u at the end of the step, would be penetrated then.
static bool closes(const moreau_jean *s, const pcs_contact *contact, double u)
{
    const double reach = fmax(s->base.options[MJ_PROJECTION_TOLERANCE], -s->together * u);
    return pcs_mj_gap_at_end(s, contact, u) < (u < 0 ? reach : 0);
}

void pcs_mj_activate_free(moreau_jean *s, const pcs_state *state, bool ahead)
{
    const pcs_model *model = s->base.model;
    pcs_mj_check_reach(s, s->v_free);
    for (int32_t k = 0; k < s->neighbours.n_near; ++k) {
        const int32_t i = s->neighbours.near[k];
        const pcs_contact *contact = &s->contacts[i];
        if (s->is_active[i] || contact->gap == HUGE_VAL)
            continue;
        const double u = pcs_mj_normal_velocity(model, contact, s->v_free);
        if ((ahead && closes(s, contact, u)) || stays(s, state, i, ahead))
            pcs_mj_add_active(s, state, i);
    }
}

// Whether the contact is hit with the velocity v that the rounds so far have left: it would be
// penetrated at the end. Bodies that touched at the beginning are hit there, whatever the way in the
// step, which is half of the velocity before: faster than the forces of the step can make it, the
// approach is that of an impact beside it, at the same instant.
static bool is_hit(const moreau_jean *s, int32_t slot)
{
    const pcs_contact *contact = &s->contacts[slot];
    const double u = pcs_mj_normal_velocity(s->base.model, contact, s->v);
    if (!(u < -s->noise))
        return false;
    return closes(s, contact, u) || (s->gap_k[slot] <= s->base.options[MJ_PROJECTION_TOLERANCE] &&
                                     -u > pcs_mj_resting_speed(s, contact) + s->noise);
}

int32_t pcs_mj_activate_hit(moreau_jean *s, const pcs_state *state)
{
    int32_t found = 0;
    pcs_mj_check_reach(s, s->v);
    for (int32_t k = 0; k < s->n_active; ++k) // that have left, and come back
        if (s->out[k] && is_hit(s, s->active[k])) {
            s->hit[k] = true;
            ++found;
        }
    for (int32_t k = 0; k < s->neighbours.n_near; ++k) {
        const int32_t i = s->neighbours.near[k];
        if (s->is_active[i] || s->contacts[i].gap == HUGE_VAL)
            continue;
        if (is_hit(s, i)) {
            s->hit[s->n_active] = true;
            pcs_mj_add_active(s, state, i);
            ++found;
        }
    }
    return found;
}

// Corners of a box that lies on another are closed to the error of the solver, some of them not to the
// tolerance of the projection. One that is left out of an impact would be hit by it a moment later,
// in a round of its own, and the box would be turned. Impacts so close are one.
int32_t pcs_mj_activate_touching(moreau_jean *s, const pcs_state *state)
{
    const pcs_model *model = s->base.model;
    int32_t found = 0;
    for (int32_t k = 0; k < s->neighbours.n_near; ++k) {
        const int32_t i = s->neighbours.near[k];
        const pcs_contact *contact = &s->contacts[i];
        if (s->is_active[i] || contact->gap == HUGE_VAL)
            continue;
        const double u = pcs_mj_normal_velocity(model, contact, s->v);
        if (!(u < -s->noise) || contact->gap > -s->together * u ||
            fabs(pcs_mj_normal_velocity(model, contact, s->v_before)) > s->noise)
            continue;
        pcs_mj_add_active(s, state, i);
        ++found;
    }
    return found;
}

// x += J^T r, or |J^T| |r|; a component stays in a register while its rows are added.
static void add_transposed(int32_t rows, int32_t n, const double *J, const double *r, bool absolute,
                           double *x)
{
    for (int32_t j = 0; j < n; ++j) {
        double sum = x[j];
        for (int32_t i = 0; i < rows; ++i) {
            const double part = J[i * n + j] * r[i];
            sum += absolute ? fabs(part) : part;
        }
        x[j] = sum;
    }
}

void pcs_mj_add_contact_impulses(const moreau_jean *s, double *x, bool absolute)
{
    const pcs_model *model = s->base.model;
    for (int32_t k = 0; k < s->n_active; ++k) {
        const pcs_row_block *row = s->H[k];
        const double *r = s->r + s->offset[k];
        for (int32_t e = 0; e < row->n_nodes; ++e) {
            const pcs_node *node = pcs_model_node(model, row->node[e]);
            if (row->size == 3 && node->n_v == 6) // sizes known to the compiler
                add_transposed(3, 6, row->J[e], r, absolute, x + node->v);
            else
                add_transposed(row->size, node->n_v, row->J[e], r, absolute, x + node->v);
        }
    }
}
