// The contact problem of a Moreau-Jean step: activation by forecast, restitution, impulses.
#include "schemes/moreau_jean.h"

#include <string.h>

#include "nonsmooth/auto.h"
#include "nonsmooth/nsgs.h"
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
    double *u_k = s->u_k + at;
    pcs_contact_velocity(s->base.model, contact, s->v_k, u_k);
    if (s->turning[slot] != 0)
        u_k[0] -= s->theta / (1 - s->theta) * s->turning[slot];
    memset(s->spent + at, 0, sizeof(double) * (size_t)size);
    memcpy(s->r + at, state->r + 3 * slot, sizeof(double) * (size_t)size);
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
    s->W_contacts = 0;
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
        if ((s->forced && s->forced[i]) || gap <= option[MJ_PROJECTION_TOLERANCE])
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

int32_t pcs_mj_activate_reached(moreau_jean *s, const pcs_state *state, const double *v, bool free)
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
        bool carried = free && (int)state->status[i] != PCS_OPEN &&
                       u_k <= s->base.options[MJ_IMPACT_SPEED] &&
                       contact->gap <= from_v * resting_speed(s, contact);
        if (!carried && contact->gap + from_k * u_k + from_v * u >= 0)
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

// Solves for r, the impulses on top of those spent, and u at the free velocity.
static pcs_status solve_contacts(moreau_jean *s, pcs_step_report *report)
{
    const pcs_model *model = s->base.model;
    if (s->W_contacts != s->n_active) {
        PCS_TRY(pcs_saddle_delassus(s->saddle, s->n_active, s->H, &s->arena, &s->W));
        s->W_contacts = s->n_active;
    }
    // Problem in u = U_{k+1} + e U:  q = H v_free + W spent + surface + turning + e U
    memset(s->u, 0, sizeof(double) * (size_t)s->offset[s->n_active]);
    if (s->n_rounds > 0)
        pcs_block_matrix_multiply(&s->W, s->spent, s->u);
    for (int32_t k = 0; k < s->n_active; ++k) {
        double *q = s->q_c + s->offset[k];
        pcs_contact_velocity(model, &s->contacts[s->active[k]], s->v_free, q);
        for (int32_t j = 0; j < s->H[k]->size; ++j)
            q[j] += s->u[s->offset[k] + j] + s->restitution[s->offset[k] + j];
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

// v = v_free + B H^T r, p = joint impulses of both
static void apply_impulses(moreau_jean *s)
{
    const pcs_model *m = s->base.model;
    memset(s->x, 0, sizeof(double) * (size_t)m->n_v);
    memset(s->p_step, 0, sizeof(double) * (size_t)m->n_rows);
    pcs_mj_add_contact_impulses(s, s->x, false);
    pcs_saddle_solve(s->saddle, s->x, s->p_step);
    for (int32_t i = 0; i < m->n_v; ++i)
        s->v[i] = s->v_free[i] + s->x[i];
    for (int32_t i = 0; i < m->n_rows; ++i)
        s->p[i] = s->p_free[i] + s->p_step[i];
}

// ---- Rounds ----
//
// A contact that closes in the step may be hit by a body that another contact of the same step has
// set in motion. Newton's law needs the velocity before its impact, which is not v_k: the impacts
// follow each other. A round is one impact in Moreau's form from the velocity that the last round
// left. What an impact with restitution has given is spent; contacts that rest are solved for
// anew in each round, so that r stays complementary to their velocity.

// Rounds of a step after which all contacts are taken to rest, and contact problems of an iteration
// after which penetrations are left to the projection.
enum { ROUNDS_MAX = 20, TRIES_MAX = 60 };

// Whether contacts that the end of the step would penetrate take part.
static bool looks_ahead(const moreau_jean *s)
{
    return (int)s->base.options[MJ_PROJECTION] == MJ_PROJECT_ALL && s->base.model->n_slots > 0;
}

// Restitution of contact k, from the velocity u before its impact: on approach only [Brogliato2002],
// and only above the speed that the forces of the step themselves can make: below it the contact
// rests. In a later round the forces of the step have moved the contact by half of that speed on
// average: leaving with more than |u| less that speed would feed energy in.
static void set_restitution(moreau_jean *s, int32_t k, const double *u, bool later)
{
    const pcs_contact *contact = &s->contacts[s->active[k]];
    double *e = s->restitution + s->offset[k];
    const double speed = looks_ahead(s) ? resting_speed(s, contact) : 0;
    const bool impact = -u[0] > fmax(speed, s->base.options[MJ_IMPACT_SPEED]);
    s->approach[k] = impact ? -u[0] : 0;
    e[0] = -u[0] > speed ? contact->law.restitution * u[0] : 0;
    if (later)
        e[0] = fmax(e[0], fmin(u[0] + speed, 0));
    for (int32_t j = 1; j < contact->row.size; ++j)
        e[j] = impact ? contact->law.tangential_restitution * u[j] : 0;
}

// Restitution of the contacts from `first` on, which the velocity v hits; whether one rebounds.
// Without an impact in the step so far, forces alone have made that velocity, on their way through
// other contacts: nothing is hit, all come to rest.
static bool hit(moreau_jean *s, int32_t first)
{
    bool impact = false, rebounds = false;
    for (int32_t k = 0; k < first; ++k)
        impact = impact || s->approach[k] > 0;
    for (int32_t k = first; k < s->n_active; ++k) {
        double u[3] = {0, 0, 0};
        if (impact) {
            pcs_contact_velocity(s->base.model, &s->contacts[s->active[k]], s->v, u);
            u[0] += s->turning[s->active[k]];
        }
        set_restitution(s, k, u, true);
        rebounds = rebounds || s->restitution[s->offset[k]] < 0;
    }
    return rebounds;
}

// Impulses of the first n contacts, where they rebound, are spent.
static void spend(moreau_jean *s, int32_t n)
{
    for (int32_t k = 0; k < n; ++k) {
        const size_t bytes = sizeof(double) * (size_t)s->H[k]->size;
        double *e = s->restitution + s->offset[k], *spent = s->spent + s->offset[k];
        if (!(e[0] < 0) && spent[0] == 0)
            continue;
        memcpy(spent, s->r + s->offset[k], bytes);
        memset(e, 0, bytes);
    }
}

// All contacts at rest, without restitution: where impacts follow each other without end in a step.
static void rest_all(moreau_jean *s)
{
    const size_t bytes = sizeof(double) * (size_t)s->offset[s->n_active];
    memset(s->spent, 0, bytes);
    memset(s->restitution, 0, bytes);
}

static pcs_status solve_round(moreau_jean *s, pcs_step_report *report)
{
    const int32_t n = s->n_rounds > 0 ? s->offset[s->n_active] : 0;
    for (int32_t i = 0; i < n; ++i)
        s->r[i] -= s->spent[i];
    pcs_status status = solve_contacts(s, report);
    PCS_TRY(status);
    for (int32_t i = 0; i < n; ++i)
        s->r[i] += s->spent[i];
    apply_impulses(s);
    return status;
}

// In Newton's iterations after the first, the impulses spent and the restitutions stay as they were
// found in it: velocities before later impacts change by the smooth forces alone, which is O(h).
pcs_status pcs_mj_solve_rounds(moreau_jean *s, const pcs_state *state, pcs_step_report *report)
{
    const bool ahead = looks_ahead(s);
    if (ahead)
        pcs_mj_activate_reached(s, state, s->v_free, true);
    for (int32_t k = s->n_struck; k < s->n_active; ++k)
        set_restitution(s, k, s->u_k + s->offset[k], false);
    pcs_status status = PCS_OK;
    for (int32_t tries = 0; s->n_active > 0; ++tries) {
        const int32_t first = s->n_struck = s->n_active;
        status = solve_round(s, report);
        PCS_TRY(status);
        if (!ahead || tries == TRIES_MAX ||
            pcs_mj_activate_reached(s, state, s->v, false) == 0)
            break;
        if (!hit(s, first))
            continue;
        spend(s, first);
        if (++s->n_rounds > ROUNDS_MAX)
            rest_all(s);
    }
    return status;
}
