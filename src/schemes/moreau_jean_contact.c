// The contact problem of a Moreau-Jean step: activation by forecast, restitution, impulses.
#include "schemes/moreau_jean.h"

#include <string.h>

#include "nonsmooth/auto.h"
#include "nonsmooth/nsgs.h"
#include "schemes/impact_law.h"
#include "schemes/problem_hook.h"

// First component of pcs_contact_velocity, which is all that activation looks at.
static double normal_velocity(const pcs_model *model, const pcs_contact *contact, const double *v)
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
    const double closed = s->base.options[MJ_PROJECTION_TOLERANCE];
    bool needed = false;
    for (int32_t i = 0; i < model->n_slots; ++i) {
        s->turning[i] = 0;
        needed = needed || (int)state->status[i] != PCS_OPEN || s->contacts[i].gap <= closed;
    }
    if (!needed || !(s->theta < 1))
        return; // with theta = 1 the forecast is the end
    for (int32_t i = 0; i < model->n_v; ++i)
        s->x[i] = s->h * s->v_k[i];
    pcs_model_retract(model, s->q_k, s->x, s->q_end);
    pcs_configuration_update(model, &s->end, s->t_k + s->h, s->q_end, s->v_k, s->turns,
                             s->external);
    pcs_model_contacts(model, &s->end, true, s->contacts_end);
    for (int32_t i = 0; i < model->n_slots; ++i) {
        const pcs_contact *now = &s->contacts[i], *then = &s->contacts_end[i];
        const bool open = (int)state->status[i] == PCS_OPEN;
        if ((open && now->gap > closed) || now->gap == HUGE_VAL || then->gap == HUGE_VAL ||
            now->face != then->face)
            continue;
        const double u = normal_velocity(model, now, s->v_k);
        const double turning = normal_velocity(model, then, s->v_k) - u;
        if (!open || fabs(u) <= fabs(turning))
            s->turning[i] = turning;
    }
}

// Appends a slot, whose rows are evaluated, to the active contacts.
static void add_active(moreau_jean *s, const pcs_state *state, int32_t slot)
{
    const pcs_contact *contact = &s->contacts[slot];
    const int32_t k = s->n_active, at = s->offset[k], size = contact->row.size;
    double *e = s->restitution + at, u_k[3];
    pcs_contact_velocity(s->base.model, contact, s->v_k, u_k);
    if (s->turning[slot] != 0)
        u_k[0] -= s->theta / (1 - s->theta) * s->turning[slot];
    // Restitution acts on approach only [Brogliato2002], tangential restitution at impacts only.
    bool impact = u_k[0] < -s->base.options[MJ_IMPACT_SPEED];
    e[0] = u_k[0] < 0 ? contact->law.restitution * u_k[0] : 0;
    for (int32_t j = 1; j < size; ++j)
        e[j] = impact ? contact->law.tangential_restitution * u_k[j] : 0;
    memcpy(s->u_k + at, u_k, sizeof(double) * (size_t)size);
    memcpy(s->r + at, state->r + 3 * slot, sizeof(double) * (size_t)size);
    s->mu[k] = contact->law.friction;
    s->active[k] = slot;
    s->is_active[slot] = true;
    s->H[k] = &contact->row;
    s->offset[++s->n_active] = at + size;
    s->W_ready = false;
}

void pcs_mj_activate(moreau_jean *s, const pcs_state *state)
{
    const pcs_model *model = s->base.model;
    const double *option = s->base.options;
    s->n_active = 0;
    s->W_ready = false;
    s->offset[0] = 0;
    if (model->n_slots == 0)
        return;
    pcs_model_contacts(model, &s->forecast, true, s->contacts);
    find_turning(s, state);
    // The configuration stands at q_k [+] theta h v_k; the forecast of the activation may look
    // less or more far ahead: g~ = g + (gamma - theta) h u_N. Gaps are known to the projection's
    // tolerance: a body that touches to rounding is in contact and does not fall for a step.
    const double ahead = (option[MJ_FORECAST] - option[MJ_THETA]) * s->h;
    for (int32_t i = 0; i < model->n_slots; ++i) {
        s->is_active[i] = false;
        if (s->contacts[i].gap == HUGE_VAL)
            continue;
        double gap = s->contacts[i].gap;
        if (ahead != 0)
            gap += ahead * normal_velocity(model, &s->contacts[i], s->v_k);
        bool active = gap <= option[MJ_PROJECTION_TOLERANCE];
        // A step over an impact is so short that what touches is closed in the forecast, even if it
        // separates: such a contact takes part if the impact hits it (impact_law.h).
        if (s->forced)
            active = s->forced[i] || (active && pcs_impact_takes_part(
                                                    normal_velocity(model, &s->contacts[i], s->v_k),
                                                    option[MJ_IMPACT_SPEED]));
        if (active)
            add_active(s, state, i);
    }
}

// Largest approach speed that the forces of this step can give a contact: the sum over its nodes of
// |H_N (v_free - v_k)|.
static double resting_speed(const moreau_jean *s, const pcs_contact *contact)
{
    double speed = 0;
    for (int32_t e = 0; e < contact->row.n_nodes; ++e) {
        const pcs_node *node = pcs_model_node(s->base.model, contact->row.node[e]);
        double change = 0;
        for (int32_t j = 0; j < node->n_v; ++j)
            change += contact->row.J[e][j] * (s->v_free[node->v + j] - s->v_k[node->v + j]);
        speed += fabs(change);
    }
    return speed;
}

int32_t pcs_mj_activate_reached(moreau_jean *s, const pcs_state *state, const double *v,
                                bool resting)
{
    const pcs_model *model = s->base.model;
    int32_t added = 0;
    // From the forecast to the end: q_k + h v_{k+a} - (q_k + theta h v_k).
    const double from_k = (1 - s->a - s->theta) * s->h, from_v = s->a * s->h;
    for (int32_t i = 0; i < model->n_slots; ++i) {
        const pcs_contact *contact = &s->contacts[i];
        if (s->is_active[i] || contact->gap == HUGE_VAL)
            continue;
        const double u_k = normal_velocity(model, contact, s->v_k);
        const double u = normal_velocity(model, contact, v);
        // A contact that carried a load, does not open and is within the reach of the step's forces
        // stays in: the solver's error opens gaps bit by bit, two bodies in free fall do not close
        // theirs, and a stack that is left without a corner for one step falls.
        bool carried = !resting && (int)state->status[i] != PCS_OPEN &&
                       u_k <= s->base.options[MJ_IMPACT_SPEED] &&
                       contact->gap <= from_v * resting_speed(s, contact);
        if (!carried && contact->gap + from_k * u_k + from_v * u >= 0)
            continue;
        if (resting && -u > resting_speed(s, contact))
            continue;
        add_active(s, state, i);
        ++added;
    }
    return added;
}

// The second try after a failure: sweeps from rest, damped, and many more of them.
static const double second_try[PCS_GAUSS_SEIDEL_OPTIONS] = {
    [PCS_GAUSS_SEIDEL_RELAXATION] = 0.8,
    [PCS_GAUSS_SEIDEL_ORDER] = PCS_ORDER_AUTO,
};
enum { SECOND_SWEEPS = 10 }; // times the option

// A step must end soon, and the errors of many steps add up: few restarts and steps along the
// central path, but a polish.
static const double first_try[PCS_AUTO_OPTIONS] = {
    [PCS_AUTO_SWEEPS] = 200,    [PCS_AUTO_NEWTON_STEPS] = 40, [PCS_AUTO_RESTARTS] = 2,
    [PCS_AUTO_PATH_STEPS] = 50, [PCS_AUTO_POLISH] = 1,
};

// A residual that only the rounding of r keeps above the tolerance counts as converged.
static pcs_status accept_rounding(pcs_status status, const pcs_solve_info *info)
{
    return status == PCS_NOT_CONVERGED && info->at_rounding ? PCS_OK : status;
}

static pcs_status solve_again(moreau_jean *s, const pcs_friction_contact *problem,
                              pcs_solve_opts opts, pcs_solve_info *info)
{
    const size_t bytes = sizeof(double) * (size_t)s->offset[s->n_active];
    double *r = pcs_arena_alloc(&s->arena, bytes, 1), *u = pcs_arena_alloc(&s->arena, bytes, 1);
    if (!r || !u)
        return PCS_ERROR_MEMORY;
    memset(r, 0, bytes);
    opts.max_iterations = opts.max_iterations > INT32_MAX / SECOND_SWEEPS
                              ? INT32_MAX
                              : SECOND_SWEEPS * opts.max_iterations;
    pcs_solve_info second;
    pcs_status status = accept_rounding(pcs_friction_solve(problem, &pcs_solver_gauss_seidel, &opts,
                                                           second_try, &s->arena, r, u, &second),
                                        &second);
    if (status < 0)
        return status;
    second.iterations += info->iterations;
    if (second.residual.scaled < info->residual.scaled) {
        memcpy(s->r, r, bytes);
        memcpy(s->u, u, bytes);
        *info = second;
    }
    return status;
}

static pcs_status solve_problem(moreau_jean *s, const pcs_friction_contact *problem,
                                pcs_solve_info *info)
{
    const double *option = s->base.options;
    pcs_solve_opts opts = pcs_solve_default();
    opts.measure = PCS_MEASURE_SCALED;
    opts.tolerance = option[MJ_SOLVER_TOLERANCE];
    opts.max_iterations = (int32_t)option[MJ_SOLVER_ITERATIONS];
    pcs_status status = accept_rounding(pcs_friction_solve(problem, &pcs_solver_auto, &opts,
                                                           first_try, &s->arena, s->r, s->u, info),
                                        info);
    if (status == PCS_NOT_CONVERGED && (int)option[MJ_ON_FAILURE] == MJ_NEXT_SOLVER)
        return solve_again(s, problem, opts, info);
    return status;
}

// Names the body or, if all are finite, the contact behind a NaN or an infinity in the problem.
static pcs_status not_finite(const moreau_jean *s)
{
    const pcs_model *model = s->base.model;
    const double t = s->t_k + s->h;
    char name[PCS_NODE_NAME_SIZE];
    for (int32_t i = 0; i < 2 * model->n_v; ++i) { // a force first: joints spread it
        const int32_t k = i < model->n_v ? i : i - model->n_v;
        if (!isfinite(i < model->n_v ? s->f[k] : s->v_free[k]))
            return pcs_error(s->base.ctx, PCS_ERROR_NUMERIC,
                             "t = %g: the %s of %s is not a number; check its forces, or take a "
                             "smaller step",
                             t, i < model->n_v ? "force" : "velocity",
                             pcs_model_velocity_name(model, k, name));
    }
    for (int32_t k = 0; k < s->n_active; ++k)
        for (int32_t i = s->offset[k]; i < s->offset[k + 1]; ++i)
            if (!isfinite(s->q_c[i]))
                return pcs_error(s->base.ctx, PCS_ERROR_NUMERIC,
                                 "t = %g: the relative velocity of contact '%s' is not a number; "
                                 "check its surface speed",
                                 t, model->slot_names.data[s->active[k]]);
    return pcs_error(s->base.ctx, PCS_ERROR_NUMERIC,
                     "t = %g: the contact problem has a NaN or an infinity", t);
}

static pcs_status offer_problem(const moreau_jean *s, const pcs_solve_info *info, pcs_status status)
{
    pcs_problem_step step = {
        .step = s->base.step,
        .time = s->t_k + s->h,
        .length = s->h,
        .contacts = s->n_active,
        .iterations = info->iterations,
        .residual = info->residual.scaled,
        .status = status,
    };
    return pcs_scheme_offer_problem(&s->base, &step, &s->W, s->q_c, s->mu, s->r);
}

pcs_status pcs_mj_solve_contacts(moreau_jean *s, pcs_step_report *report)
{
    const pcs_model *model = s->base.model;
    if (!s->W_ready) {
        PCS_TRY(pcs_saddle_delassus(s->saddle, s->n_active, s->H, &s->arena, &s->W));
        s->W_ready = true;
    }
    // Problem in u = U_{k+1} + e U_k:  q = H v_free + surface + turning + e U_k
    for (int32_t k = 0; k < s->n_active; ++k) {
        double *q = s->q_c + s->offset[k];
        pcs_contact_velocity(model, &s->contacts[s->active[k]], s->v_free, q);
        for (int32_t j = 0; j < s->H[k]->size; ++j)
            q[j] += s->restitution[s->offset[k] + j];
        q[0] += s->turning[s->active[k]];
    }
    pcs_friction_contact problem = {.W = &s->W, .q = s->q_c, .mu = s->mu};
    pcs_solve_info info;
    pcs_arena_mark mark = pcs_arena_get_mark(&s->arena);
    pcs_status status = solve_problem(s, &problem, &info);
    pcs_arena_release(&s->arena, mark);
    if (status == PCS_ERROR_NUMERIC)
        return not_finite(s);
    report->residual = info.residual.scaled;
    report->solver_iterations += info.iterations;
    if (s->base.problem_hook && status >= 0)
        PCS_TRY(offer_problem(s, &info, status));
    return status;
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
