// Velocity problem of the nonsmooth generalized-alpha step [Galvez2020, (3.31), (3.45),
// (4.41)-(4.46)]: joints, Newton's impact law and Coulomb's law, for the contacts that the position
// problem closed. Unknowns W, Lambda and the impulses r at v = v~ + W, with q fixed:
//
//     M(q) W = h f* + G(q)^T Lambda + H(q)^T r,     G(q) v = rate
//     f* = f(q, v) - f(q~, v~) + (G(q) - G(q~))^T lambda~ - (M(q) - M(q~)) v'~
//     contacts: 0 <= u_N + e_N u_N,n \perp r_N >= 0, and Coulomb's law for u_T + e_T u_T,n
//
//     [M + h C  -G^T] [x]   [-r          ]
//     [G          0 ] [p] = [-(G v - rate)]
// The velocities u_n before are those of t_n (find_restitution). As in the other schemes
// (impact_law.h), restitution acts on approach only and e_T at impacts only: taken literally, e_T
// would turn a sliding body round in every step. A contact that separates with the smooth velocity
// takes no part; if the impact of others hits it, its own impact follows in the next round, from the
// velocities that this one has left (pcs_na_next_round). The variants no_forces and coupled leave
// f* out.
#include <string.h>

#include "schemes/impact_law.h"
#include "schemes/nonsmooth_alpha.h"

// Normal velocity where the gap closes. The position problem moves the contact there, over the gap
// g_n, along which the forces of the step work: with the acceleration a of the smooth motion
// u^2 = u_n^2 - 2 a g_n. Where they slow the approach, u_n would give back more than arrives.
static double velocity_at_touch(double u_n, double gap, double a)
{
    const bool slows = u_n < 0 && a > 0 && gap > 0 && gap != HUGE_VAL;
    return slows ? -sqrt(fmax(u_n * u_n - 2 * a * gap, 0)) : u_n;
}

// Largest speed that the forces of this step can give a contact.
static double resting_speed(const nonsmooth_alpha *s, const pcs_contact *contact)
{
    return pcs_contact_speed_change(s->base.model, contact, s->v_n, s->v_smooth);
}

// Whether the normal velocity u before is that of an impact. What approaches no faster than the
// forces of a step make it comes to rest, as in Moreau-Jean; but not the nodes of a mesh, whose
// vibration is no reason to rest. With round numbers an approach is a multiple of that speed:
// rounding must not decide for each corner of a box.
static bool is_impact(const nonsmooth_alpha *s, const pcs_contact *contact, double u)
{
    const bool flexible = pcs_na_is_flexible(s->base.model, &contact->row);
    const double rest = flexible ? 0 : resting_speed(s, contact);
    return -u > rest + s->still;
}

// u_n, and e u_n, which the law adds to the velocities after. A contact that stays closed while its
// normal turns has u_n = 0 with the rows of q_n alone. But the impulse acts along the rows of
// q_{n+1}, and along them the contact must not leave faster than it came: the slower of the two
// approaches is given back. The work of an impact, faster than the normal turns, is that along
// q_{n+1}.
static void find_restitution(nonsmooth_alpha *s, int32_t i)
{
    const pcs_contact *before = &s->contacts_start[i], *now = &s->contacts_end[i];
    double *u = s->u_n + 3 * i, *e = s->restitution + 3 * i, u_now[3] = {0, 0, 0};
    memset(u, 0, 3 * sizeof(double));
    memset(e, 0, 3 * sizeof(double));
    pcs_contact_velocity(s->base.model, now, s->v_n, u_now);
    // A slot without a contact point at t_n is measured where it closes.
    pcs_contact_velocity(s->base.model, before->gap == HUGE_VAL ? now : before, s->v_n, u);
    double u_smooth[3];
    pcs_contact_velocity(s->base.model, now, s->v_smooth, u_smooth);
    const double a = (u_smooth[0] - u_now[0]) / s->h;
    u[0] = velocity_at_touch(u[0], before->gap, a);
    u_now[0] = velocity_at_touch(u_now[0], before->gap, a);
    pcs_impact_restitution(&now->law, now->row.size, u, s->base.options[NA_IMPACT_SPEED], 0, e);
    e[0] = fmin(fmax(e[0], now->law.restitution * u_now[0]), 0);
    if (!is_impact(s, now, u[0]))
        memset(e, 0, 3 * sizeof(double));
    if (u[0] < -fabs(u_now[0] - u[0]))
        u[0] = u_now[0];
}

// Gap, with the normal velocity u at the end of the step, below which a contact touches. Impacts less
// than this part of a step apart are one, as in Moreau-Jean: corners of a box that lands flat where a
// step ends are found on either side of zero.
static double touching_gap(const nonsmooth_alpha *s, double u)
{
    const double together = 1e-6;
    return fmax(10 * s->base.options[NA_CONSTRAINT_TOLERANCE], together * s->h * fabs(u));
}

// Contacts that the position problem leaves without a load, but as near as touching: they belong to
// the impact of those beside them. Loads alone do not tell, since a corner that lands at the very end
// of a step, or lies there unloaded, has none. A contact that rests under a load is found so by every
// impact of the step, also if the position problem, which knows no restitution, has lifted it.
static void find_touching(nonsmooth_alpha *s)
{
    const pcs_model *m = s->base.model;
    for (int32_t i = 0; i < m->n_slots; ++i) {
        const pcs_contact *contact = &s->contacts_end[i];
        double u[3];
        if (s->touched[i] || contact->gap == HUGE_VAL || pcs_na_is_flexible(m, &contact->row))
            continue;
        pcs_contact_velocity(m, contact, s->v_smooth, u);
        s->touched[i] = contact->gap <= touching_gap(s, u[0]) ||
                        (s->persistent[i] && s->iterate[NA_SMOOTH].r[3 * i] > 0);
    }
}

// Whether a contact that touches takes part in the first round: not if it separates under the forces
// of the step, or if the smooth motion would not have closed it: then others have, by their impact,
// and it is hit. Of a contact that carried a force and was at rest the smooth motion does not tell: it
// contains the contact's own force, or a free flight that the corrections take back. Nodes of meshes
// move by vibrations, too.
static bool takes_part(const nonsmooth_alpha *s, int32_t i)
{
    const double speed = s->base.options[NA_IMPACT_SPEED];
    const bool flexible = pcs_na_is_flexible(s->base.model, &s->contacts_end[i].row);
    double u[3];
    pcs_contact_velocity(s->base.model, &s->contacts_end[i], s->v_smooth, u);
    const bool closes = flexible || s->variant == NA_COUPLED ||
                        s->forecast[i] <= touching_gap(s, u[0]);
    const bool rested = (s->persistent[i] && s->iterate[NA_SMOOTH].r[3 * i] > 0) ||
                        (s->force_n[3 * i] > 0 && pcs_impact_takes_part(s->u_n[3 * i], speed) &&
                         flexible);
    return rested || (closes && pcs_impact_takes_part(u[0], speed));
}

// First iterate: the correction and the impulses of the positions over the step. Where the laws allow
// several solutions (bodies wedged between walls that stick, or slide ever faster), the velocity must
// be that of the motion which the positions have taken. Velocities of meshes vibrate, and are
// not those of a step.
static void follow_position(nonsmooth_alpha *s)
{
    const pcs_model *m = s->base.model;
    if (s->variant != NA_DECOUPLED || m->meshes.count > 0)
        return;
    for (int32_t i = 0; i < m->n_v; ++i)
        s->iterate[NA_VELOCITY].x[i] = s->iterate[NA_POSITION].x[i] / s->h;
    for (int32_t i = 0; i < m->n_rows; ++i)
        s->iterate[NA_VELOCITY].p[i] = s->iterate[NA_POSITION].p[i] / s->h;
    for (int32_t i = 0; i < 3 * m->n_slots; ++i)
        s->iterate[NA_VELOCITY].r[i] = s->iterate[NA_POSITION].r[i] / s->h;
}

void pcs_na_begin_velocity(nonsmooth_alpha *s)
{
    const pcs_model *m = s->base.model;
    const size_t bytes = sizeof(double) * (size_t)m->n_v;
    s->rounds = 0;
    follow_position(s);
    if (s->variant != NA_COUPLED)
        find_touching(s);
    memset(s->spent, 0, 3 * sizeof(double) * (size_t)m->n_slots);
    for (int32_t i = 0; i < m->n_slots; ++i) {
        s->closed[i] = s->touched[i];
        if (!s->closed[i])
            continue;
        s->contact_rows[i] = s->contacts_end[i].row;
        find_restitution(s, i);
        s->closed[i] = takes_part(s, i);
        s->approach[i] = s->closed[i] ? -s->u_n[3 * i] : 0;
        if (!s->closed[i])
            memset(s->iterate[NA_VELOCITY].r + 3 * i, 0, 3 * sizeof(double));
    }
    pcs_model_mass_multiply(m, &s->end, s->v_smooth, s->momentum);
    // h ((G - G~)^T lambda~ - (M - M~) v'~) - h f~
    memset(s->change, 0, bytes);
    if (s->variant != NA_DECOUPLED)
        return;
    pcs_model_rows_add_transposed(m, s->rows_end, s->iterate[NA_SMOOTH].p, s->change);
    pcs_model_mass_multiply(m, &s->end, s->iterate[NA_SMOOTH].x, s->work);
    for (int32_t i = 0; i < m->n_v; ++i)
        s->change[i] += s->momentum_smooth[i] - s->work[i] - s->reaction_smooth[i] - s->f_smooth[i];
}

// One touching contact in the next round, with its velocity u before it: what has rebounded is
// spent, what separates is out, what is hit gets its restitution, as in moreau_jean_rounds.c.
static void prepare_contact(nonsmooth_alpha *s, int32_t i, const double *u, bool hit)
{
    const pcs_contact *contact = &s->contacts_end[i];
    const double speed = s->base.options[NA_IMPACT_SPEED];
    double *r = s->iterate[NA_VELOCITY].r + 3 * i, *e = s->restitution + 3 * i;
    if (e[0] < 0 || s->spent[3 * i] > 0) {
        for (int32_t j = 0; j < 3; ++j)
            s->spent[3 * i + j] += r[j];
        memset(r, 0, 3 * sizeof(double));
    }
    memset(e, 0, 3 * sizeof(double));
    s->closed[i] = hit || pcs_impact_takes_part(u[0], speed);
    if (!hit)
        return;
    s->approach[i] = fmax(s->approach[i], -u[0]);
    if (!is_impact(s, contact, u[0]))
        return;
    pcs_impact_restitution(&contact->law, contact->row.size, u, speed, 0, e);
    e[0] = fmax(e[0], fmin(u[0] + resting_speed(s, contact), 0));
}

// All touching contacts at rest, without restitution: where impacts follow each other without end.
static void rest_all(nonsmooth_alpha *s)
{
    const pcs_model *m = s->base.model;
    memset(s->spent, 0, 3 * sizeof(double) * (size_t)m->n_slots);
    memset(s->restitution, 0, 3 * sizeof(double) * (size_t)m->n_slots);
    memcpy(s->closed, s->touched, sizeof(bool) * (size_t)m->n_slots);
}

// Whether a contact that is out is hit by the velocity at hand. Bodies that touched at the beginning
// are hit there, wherever the velocities of before have taken them in the step: faster than the forces
// of the step can make it, the approach is that of an impact beside it, at the same instant.
static bool is_hit(const nonsmooth_alpha *s, int32_t i)
{
    const pcs_contact *contact = &s->contacts_end[i];
    double u[3];
    if (s->closed[i] || contact->gap == HUGE_VAL)
        return false;
    pcs_contact_velocity(s->base.model, contact, s->v, u);
    if (s->touched[i])
        return u[0] < -s->base.options[NA_IMPACT_SPEED];
    return s->contacts_start[i].gap <= touching_gap(s, 0) &&
           !pcs_na_is_flexible(s->base.model, &contact->row) && is_impact(s, contact, u[0]);
}

// The contacts that are out and hit by the velocity at hand, into s->hit.
static bool find_hit(nonsmooth_alpha *s)
{
    bool any = false;
    for (int32_t i = 0; i < s->base.model->n_slots; ++i) {
        s->hit[i] = is_hit(s, i);
        any = any || s->hit[i];
        if (s->hit[i] && !s->touched[i]) {
            s->touched[i] = true;
            s->approach[i] = 0;
            s->contact_rows[i] = s->contacts_end[i].row;
            find_restitution(s, i);
            memset(s->iterate[NA_VELOCITY].r + 3 * i, 0, 3 * sizeof(double));
        }
    }
    return any;
}

// Without an impact in the step so far, forces alone have closed the contacts that are hit, on their
// way through others: they are part of the first round.
static bool join_first_round(nonsmooth_alpha *s)
{
    for (int32_t i = 0; i < s->base.model->n_slots; ++i)
        if (s->closed[i] && is_impact(s, &s->contacts_end[i], s->u_n[3 * i]))
            return false;
    for (int32_t i = 0; i < s->base.model->n_slots; ++i)
        s->closed[i] = s->closed[i] || s->hit[i];
    return true;
}

bool pcs_na_next_round(nonsmooth_alpha *s)
{
    enum { ROUNDS_MAX = 50 };
    const pcs_model *m = s->base.model;
    if (s->rounds > ROUNDS_MAX || !find_hit(s))
        return false;
    if (s->rounds == 0 && join_first_round(s))
        return true;
    if (++s->rounds > ROUNDS_MAX) {
        rest_all(s);
        return true;
    }
    for (int32_t i = 0; i < m->n_slots; ++i) {
        double u[3];
        if (!s->touched[i])
            continue;
        pcs_contact_velocity(m, &s->contacts_end[i], s->v, u);
        prepare_contact(s, i, u, s->hit[i]);
    }
    return true;
}

void pcs_na_add_rounds(nonsmooth_alpha *s)
{
    for (int32_t i = 0; s->rounds > 0 && i < 3 * s->base.model->n_slots; ++i)
        s->iterate[NA_VELOCITY].r[i] += s->spent[i];
}

void pcs_na_evaluate_velocity(nonsmooth_alpha *s)
{
    const pcs_model *m = s->base.model;
    const size_t bytes = sizeof(double) * (size_t)m->n_v;
    const double *W = s->iterate[NA_VELOCITY].x;
    for (int32_t i = 0; i < m->n_v; ++i)
        s->v[i] = s->v_smooth[i] + W[i];
    pcs_configuration_follow(m, &s->end, s->t_n + s->h, s->q_end, s->v,
                             (pcs_turns){s->turns, s->q_n, s->d}, s->external);
    memset(s->residual, 0, bytes);
    memset(s->scale, 0, bytes);
    pcs_model_mass_multiply(m, &s->end, W, s->work);
    pcs_na_add_term(s, 1, s->work);
    pcs_na_add_rounding(s, 1, s->momentum);
    if (s->variant == NA_DECOUPLED) {
        if (!s->f_of_position || memcmp(s->v, s->v_smooth, bytes) != 0) {
            pcs_model_forces(m, &s->end, s->f, NULL);
            s->f_of_position = false;
        }
        for (int32_t i = 0; i < m->n_v; ++i)
            s->work[i] = s->f[i] + s->change[i];
        pcs_na_add_term(s, -s->h, s->work);
        pcs_na_add_rounding(s, s->h, s->f);
        pcs_na_add_force_rounding(s, s->h);
        pcs_na_add_rounding(s, s->h, s->reaction_smooth);
        pcs_na_add_rounding(s, s->h, s->momentum_smooth);
    }
    pcs_na_subtract_rows(s, s->rows_end, s->iterate[NA_VELOCITY].p);
    pcs_na_subtract_contacts(s, s->iterate[NA_VELOCITY].r);
    pcs_na_subtract_spent(s);
    pcs_rows rows = {NULL, NULL, s->rate, NULL};
    pcs_model_rows(m, &s->end, &rows);
    pcs_model_rows_multiply(m, s->rows_end, s->v, s->row_residual);
    for (int32_t i = 0; i < m->n_rows; ++i)
        s->row_residual[i] -= s->rate[i];
    for (int32_t i = 0; i < m->n_slots; ++i) {
        if (!s->closed[i])
            continue;
        pcs_contact_velocity(m, &s->contacts_end[i], s->v, s->local + 3 * i);
        for (int32_t j = 0; j < s->contact_rows[i].size; ++j)
            s->local[3 * i + j] += s->restitution[3 * i + j];
    }
}

pcs_status pcs_na_matrix_velocity(nonsmooth_alpha *s)
{
    const pcs_model *m = s->base.model;
    const double scale_C = s->variant == NA_DECOUPLED ? s->h : 0;
    pcs_model_matrix(m, &s->end, 0, scale_C, s->of_velocity);
    return pcs_na_factor(s, s->of_velocity, s->rows_end, NULL);
}
