// The contact problems of a Moreau-Jean step. Impacts follow each other in rounds.
//
// A contact that closes in the step may be hit by a body that another contact of the same step has
// set in motion, and Newton's law needs the velocity before its impact, which is not v_k. A round
// is one impact in Moreau's form from the velocity u^- that the round before has left:
//     K* \ni u + (e_N min(u_N^-, 0), e_T u_T^-) \perp r \in K    for the contacts with u_N^- <= 0.
// Contacts that separate (u_N^- > 0) are out of it: held at u >= 0 they would be hit by the others,
// and r (u^- + u)/2 > 0 is energy gained; one that the solution hits has its impact in the next
// round. The impulses of impacts are spent, those of contacts at rest are solved for anew.
#include "schemes/moreau_jean.h"

#include <string.h>

#include "nonsmooth/auto.h"
#include "nonsmooth/nsgs.h"
#include "schemes/problem_hook.h"

// Rounds of a step after which all contacts are taken to rest, and contact problems of an iteration
// after which penetrations are left to the projection.
enum { ROUNDS_MAX = 50, TRIES_MAX = 100 };

// The problem of a round, packed.
typedef struct round_problem {
    int32_t n;
    const int32_t *slot;
    const pcs_row_block **H;
    int32_t *offset;
    double *mu, *q, *r, *u;
    pcs_block_matrix *W;
    const double *before; // contact velocities at the beginning of the step, or NULL
} round_problem;

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

static pcs_status solve_again(moreau_jean *s, const round_problem *round,
                              const pcs_friction_contact *problem, pcs_solve_opts opts,
                              pcs_solve_info *info)
{
    const size_t bytes = sizeof(double) * (size_t)round->offset[round->n];
    double *r = pcs_arena_alloc(&s->arena, bytes, 1), *u = pcs_arena_alloc(&s->arena, bytes, 1);
    if (!r || !u)
        return PCS_ERROR_MEMORY;
    memset(r, 0, bytes);
    opts.max_iterations = opts.max_iterations > INT32_MAX / SECOND_SWEEPS
                              ? INT32_MAX
                              : SECOND_SWEEPS * opts.max_iterations;
    pcs_solve_info second;
    pcs_status status = accept_rounding(pcs_friction_solve_inside(problem, &pcs_solver_gauss_seidel,
                                                                  &opts, second_try, &s->arena, r,
                                                                  u, &second),
                                        &second);
    if (status < 0)
        return status;
    second.iterations += info->iterations;
    if (second.residual.scaled < info->residual.scaled) {
        memcpy(round->r, r, bytes);
        memcpy(round->u, u, bytes);
        *info = second;
    }
    return status;
}

// The first guess of a step that is longer or shorter than the last one: its impulses, or its forces
// over this step, whichever is nearer to a solution. Impulses of forces go with the length, those of
// impacts do not. Forces at rest are a solution again, and the solver, which begins there, leaves
// them as they are, also where others would do: contacts often have more components than their
// bodies have equations.
static pcs_status guess_impulses(moreau_jean *s, const round_problem *round,
                                 const pcs_friction_contact *problem)
{
    const int32_t n = round->offset[round->n];
    const pcs_arena_mark mark = pcs_arena_get_mark(&s->arena);
    double *r = PCS_ARENA_ARRAY(&s->arena, double, n);
    if (!r)
        return PCS_ERROR_MEMORY;
    for (int32_t i = 0; i < n; ++i)
        r[i] = s->stretch * round->r[i];
    pcs_friction_contact_velocity(problem, r, round->u);
    const double forces = pcs_friction_contact_error(problem, PCS_MEASURE_SCALED, r, round->u);
    pcs_friction_contact_velocity(problem, round->r, round->u);
    if (forces < pcs_friction_contact_error(problem, PCS_MEASURE_SCALED, round->r, round->u)) {
        memcpy(round->r, r, sizeof(double) * (size_t)n);
        s->warm = s->stretch;
    }
    s->stretch = 1;
    pcs_arena_release(&s->arena, mark);
    return PCS_OK;
}

static pcs_status solve_problem(moreau_jean *s, const round_problem *round, pcs_solve_info *info)
{
    const double *option = s->base.options;
    pcs_friction_contact problem = {
        .W = round->W, .q = round->q, .mu = round->mu, .before = round->before};
    pcs_solve_opts opts = pcs_solve_default();
    opts.measure = PCS_MEASURE_SCALED;
    opts.tolerance = option[MJ_SOLVER_TOLERANCE];
    opts.max_iterations = (int32_t)option[MJ_SOLVER_ITERATIONS];
    if (s->stretch != 1)
        PCS_TRY(guess_impulses(s, round, &problem));
    pcs_status status = pcs_friction_solve_inside(&problem, &pcs_solver_auto, &opts, first_try,
                                                  &s->arena, round->r, round->u, info);
    status = accept_rounding(status, info);
    if (status == PCS_NOT_CONVERGED && (int)option[MJ_ON_FAILURE] == MJ_NEXT_SOLVER)
        return solve_again(s, round, &problem, opts, info);
    return status;
}

// Names the body or, if all are finite, the contact behind a NaN or an infinity in the problem.
static pcs_status not_finite(const moreau_jean *s, const round_problem *round)
{
    const pcs_model *model = s->base.model;
    const double t = s->t_k + s->h;
    char name[PCS_NODE_NAME_SIZE];
    for (int32_t i = 0; i < 2 * model->n_v; ++i) { // a force first: joints spread it
        const int32_t k = i < model->n_v ? i : i - model->n_v;
        if (!isfinite(i < model->n_v ? s->f[k] : s->v_free[k]))
            return pcs_error(s->base.ctx, PCS_ERROR_NUMERIC,
                             "t = %g: the %s of %s is not a number; check its forces, or take a "
                             "smaller %s",
                             t, i < model->n_v ? "force" : "velocity",
                             pcs_model_velocity_name(model, k, name), pcs_scheme_finer(&s->base));
    }
    for (int32_t k = 0; k < round->n; ++k)
        for (int32_t i = round->offset[k]; i < round->offset[k + 1]; ++i)
            if (!isfinite(round->q[i]))
                return pcs_error(s->base.ctx, PCS_ERROR_NUMERIC,
                                 "t = %g: the relative velocity of contact '%s' is not a number; "
                                 "check its surface speed",
                                 t, model->slot_names.data[round->slot[k]]);
    return pcs_error(s->base.ctx, PCS_ERROR_NUMERIC,
                     "t = %g: the contact problem has a NaN or an infinity", t);
}

static pcs_status offer_problem(const moreau_jean *s, const round_problem *round,
                                const pcs_solve_info *info, pcs_status status)
{
    pcs_problem_step step = {
        .step = s->base.step,
        .time = s->t_k + s->h,
        .length = s->h,
        .contacts = round->n,
        .iterations = info->iterations,
        .residual = info->residual.scaled,
        .status = status,
    };
    return pcs_scheme_offer_problem(&s->base, &step, round->W, round->q, round->mu, round->r);
}

// ---- A round ----

// The problem of all contacts, in the storage of the scheme; its W is kept over Newton's iterations.
static pcs_status pack_all(moreau_jean *s, round_problem *round)
{
    *round = (round_problem){s->n_active, s->active, s->H, s->offset, s->mu,
                             s->q_c,      s->r,      s->u, &s->W,     NULL};
    if (!s->of_displacements)
        round->before = s->u_k;
    if (s->W_contacts == s->n_active)
        return PCS_OK;
    PCS_TRY(pcs_saddle_delassus(s->saddle, round->n, round->H, &s->arena, &s->W));
    s->W_contacts = s->n_active;
    return PCS_OK;
}

// The problem of those that are not out, in step memory.
static pcs_status pack_some(moreau_jean *s, round_problem *round)
{
    const int32_t most = s->n_active, rows = s->offset[s->n_active];
    int32_t *slot = PCS_ARENA_ARRAY(&s->arena, int32_t, most);
    *round = (round_problem){.slot = slot,
                             .H = PCS_ARENA_ARRAY(&s->arena, const pcs_row_block *, most),
                             .offset = PCS_ARENA_ARRAY(&s->arena, int32_t, most + 1),
                             .mu = PCS_ARENA_ARRAY(&s->arena, double, most),
                             .q = PCS_ARENA_ARRAY(&s->arena, double, rows),
                             .r = PCS_ARENA_ARRAY(&s->arena, double, rows),
                             .u = PCS_ARENA_ARRAY(&s->arena, double, rows),
                             .W = PCS_ARENA_ARRAY(&s->arena, pcs_block_matrix, 1)};
    if (!slot || !round->H || !round->offset || !round->mu || !round->q || !round->r || !round->u ||
        !round->W)
        return PCS_ERROR_MEMORY;
    round->offset[0] = 0;
    for (int32_t k = 0; k < most; ++k) {
        if (s->out[k])
            continue;
        const int32_t n = round->n++, at = round->offset[n], size = s->H[k]->size;
        slot[n] = s->active[k];
        round->H[n] = s->H[k];
        round->mu[n] = s->mu[k];
        for (int32_t j = 0; j < size; ++j)
            round->r[at + j] = s->r[s->offset[k] + j] - s->spent[s->offset[k] + j];
        round->offset[n + 1] = at + size;
    }
    return pcs_saddle_delassus(s->saddle, round->n, round->H, &s->arena, round->W);
}

// Back to the arrays of all: r is the sum with what was spent; contacts that are out keep theirs.
static void unpack_some(moreau_jean *s, const round_problem *round)
{
    int32_t n = 0;
    for (int32_t k = 0; k < s->n_active; ++k) {
        const int32_t at = s->offset[k], size = s->H[k]->size;
        memcpy(s->r + at, s->spent + at, sizeof(double) * (size_t)size);
        if (s->out[k])
            continue;
        for (int32_t j = 0; j < size; ++j) {
            s->r[at + j] += round->r[round->offset[n] + j];
            s->u[at + j] = round->u[round->offset[n] + j];
        }
        ++n;
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

// Velocity with the impulses spent alone, in s->v.
static void apply_spent(moreau_jean *s)
{
    double *r = s->r;
    s->r = s->spent;
    apply_impulses(s);
    s->r = r;
}

// u = U_{k+1} + e U^- of the contacts that are out, for the accounts: U_{k+1} alone.
static void velocities_out(moreau_jean *s)
{
    for (int32_t k = 0; k < s->n_active; ++k) {
        if (!s->out[k])
            continue;
        double *u = s->u + s->offset[k];
        pcs_contact_velocity(s->base.model, &s->contacts[s->active[k]], s->v, u);
        u[0] += s->turning[s->active[k]];
    }
}

pcs_status pcs_mj_solve_round(moreau_jean *s, pcs_step_report *report)
{
    const bool all = s->n_rounds == 0;
    pcs_arena_mark mark = pcs_arena_get_mark(&s->arena);
    round_problem round;
    if (all) {
        PCS_TRY(pack_all(s, &round));
        mark = pcs_arena_get_mark(&s->arena); // W stays
    } else {
        PCS_TRY(pack_some(s, &round));
        apply_spent(s);
    }
    // Problem in u = U_{k+1} + e U^-:  q = H (v_free and what was spent) + surface + turning + e U^-
    for (int32_t k = 0, n = 0; k < s->n_active; ++k) {
        if (!all && s->out[k])
            continue;
        double *q = round.q + round.offset[n++];
        pcs_contact_velocity(s->base.model, &s->contacts[s->active[k]], all ? s->v_free : s->v, q);
        for (int32_t j = 0; j < s->H[k]->size; ++j)
            q[j] += s->restitution[s->offset[k] + j];
        if (!s->of_displacements)
            q[0] += s->turning[s->active[k]];
    }
    pcs_solve_info info;
    pcs_status status = solve_problem(s, &round, &info);
    if (status == PCS_ERROR_NUMERIC)
        return not_finite(s, &round);
    PCS_TRY(status);
    report->residual = info.residual.scaled;
    report->solver_iterations += info.iterations;
    if (s->base.problem_hook)
        PCS_TRY(offer_problem(s, &round, &info, status));
    if (!all)
        unpack_some(s, &round);
    pcs_arena_release(&s->arena, mark);
    apply_impulses(s);
    velocities_out(s);
    return status;
}

// ---- From round to round ----

bool pcs_mj_looks_ahead(const moreau_jean *s)
{
    return (int)s->base.options[MJ_PROJECTION] == MJ_PROJECT_ALL && s->base.model->n_slots > 0;
}

// Restitution of contact k, from the velocity u before its impact: on approach only [Brogliato2002],
// and only above the speed that the forces of the step themselves can make, or at its start the
// turning of a closed contact: below it the contact rests. In a later round the forces of the step
// have moved the contact by half of that speed on average: leaving with more than |u| less that speed
// would feed energy in. With round numbers an approach is a multiple of that speed: the solver's noise
// must not decide for each corner of a box.
static void set_restitution(moreau_jean *s, int32_t k, const double *u, bool later)
{
    const pcs_contact *contact = &s->contacts[s->active[k]];
    double *e = s->restitution + s->offset[k];
    const bool ahead = pcs_mj_looks_ahead(s);
    const double speed = ahead ? pcs_mj_resting_speed(s, contact) : 0;
    const double slow = later || !ahead ? speed : pcs_mj_starting_speed(s, s->active[k]);
    const double rest = ahead ? slow + s->noise : 0;
    const bool impact = -u[0] > fmax(rest, s->base.options[MJ_IMPACT_SPEED]);
    e[0] = -u[0] > rest ? contact->law.restitution * u[0] : 0;
    if (later)
        e[0] = fmax(e[0], fmin(u[0] + speed, 0));
    for (int32_t j = 1; j < contact->row.size; ++j)
        e[j] = impact ? contact->law.tangential_restitution * u[j] : 0;
    if (impact) {
        s->impacts = true;
        s->approach[k] = fmax(s->approach[k], -u[0]);
    }
}

// Velocities below are zero to the solver, whose tolerance is relative to the largest of them.
static double solver_noise(const moreau_jean *s)
{
    double largest = 0;
    for (int32_t k = 0; k < s->n_active; ++k)
        largest = fmax(largest, fabs(pcs_mj_normal_velocity(
                                    s->base.model, &s->contacts[s->active[k]], s->v_free)));
    return fmax(s->base.options[MJ_IMPACT_SPEED], s->base.options[MJ_SOLVER_TOLERANCE] * largest);
}

// Whether the last step has held the contact closed: an impulse, and the velocity zero by its law.
// Where it has moved to, and turned, its velocity is zero to the order of that step alone, O(h^2) of
// either sign, which says nothing about separating.
static bool was_held(const moreau_jean *s, const pcs_state *state, int32_t slot)
{
    return (int)state->status[slot] != PCS_OPEN && fabs(state->u[3 * slot]) <= s->noise;
}

// Before any impulse: restitution of the contacts that are new, from v_k. Beside impacts, contacts
// that separate are out.
static void begin_impacts(moreau_jean *s, const pcs_state *state)
{
    s->noise = solver_noise(s);
    for (int32_t k = s->n_struck; k < s->n_active; ++k)
        set_restitution(s, k, s->u_k + s->offset[k], false);
    s->n_struck = s->n_active;
    if (s->n_rounds > 0 || !s->impacts)
        return;
    const bool ahead = pcs_mj_looks_ahead(s);
    for (int32_t k = 0; k < s->n_active; ++k) {
        s->out[k] = s->u_k[s->offset[k]] > s->noise && !was_held(s, state, s->active[k]);
        if (!ahead) // nothing is hit again: what the free velocity closes must stay in
            s->out[k] = s->out[k] &&
                        pcs_mj_normal_velocity(s->base.model, &s->contacts[s->active[k]],
                                               s->v_free) > s->noise;
        s->n_rounds = s->out[k] ? 1 : s->n_rounds;
    }
}

// Prepares the next round from the present velocity: what has rebounded is spent, what separates is
// out, what is hit gets its restitution. Without an impact in the step so far, forces alone have
// changed the velocity of the contacts that are hit, on their way through others: they are part of
// the first round, with the velocity that they had before.
static void next_round(moreau_jean *s, const pcs_state *state)
{
    if (!s->impacts) {
        memset(s->hit, 0, sizeof(bool) * (size_t)s->n_active);
        begin_impacts(s, state);
        return;
    }
    s->n_struck = s->n_active;
    ++s->n_rounds;
    memcpy(s->v_before, s->v, sizeof(double) * (size_t)s->base.model->n_v);
    for (int32_t k = 0; k < s->n_active; ++k) {
        const int32_t at = s->offset[k], size = s->H[k]->size;
        double u[3];
        pcs_contact_velocity(s->base.model, &s->contacts[s->active[k]], s->v, u);
        u[0] += s->turning[s->active[k]];
        s->out[k] = !s->hit[k] && u[0] > s->noise;
        if (s->approach[k] > 0) {
            memcpy(s->spent + at, s->r + at, sizeof(double) * (size_t)size);
            memset(s->restitution + at, 0, sizeof(double) * (size_t)size);
        }
        if (s->hit[k])
            set_restitution(s, k, u, true);
        s->hit[k] = false;
    }
}

// All contacts at rest, without restitution: where impacts follow each other without end.
static void rest_all(moreau_jean *s)
{
    const size_t bytes = sizeof(double) * (size_t)s->offset[s->n_active];
    memset(s->spent, 0, bytes);
    memset(s->restitution, 0, bytes);
    memset(s->out, 0, sizeof(bool) * (size_t)s->n_active);
}

// In Newton's iterations after the first, the impulses spent and the restitutions stay as they were
// found in it: velocities before later impacts change by the smooth forces alone, which is O(h).
pcs_status pcs_mj_solve_rounds(moreau_jean *s, const pcs_state *state, pcs_step_report *report)
{
    const bool ahead = pcs_mj_looks_ahead(s);
    if (s->base.model->n_slots > 0)
        pcs_mj_activate_free(s, state, ahead);
    memcpy(s->v_before, s->v_k, sizeof(double) * (size_t)s->base.model->n_v);
    begin_impacts(s, state);
    pcs_status status = PCS_OK;
    for (int32_t tries = 0; s->n_active > 0; ++tries) {
        status = pcs_mj_solve_round(s, report);
        PCS_TRY(status);
        if (!ahead || tries == TRIES_MAX)
            break;
        if (s->impacts && pcs_mj_activate_touching(s, state) > 0) {
            s->n_struck = s->n_active;
            continue;
        }
        if (pcs_mj_activate_hit(s, state) == 0)
            break;
        next_round(s, state);
        if (s->n_rounds > ROUNDS_MAX)
            rest_all(s);
    }
    return status;
}

// Contacts that separated and are hit among the others.
static bool find_hit(moreau_jean *s)
{
    bool found = false;
    for (int32_t k = 0; k < s->n_active; ++k) {
        const pcs_contact *contact = &s->contacts[s->active[k]];
        s->hit[k] = s->out[k] && pcs_mj_normal_velocity(s->base.model, contact, s->v) < -s->noise;
        found = found || s->hit[k];
    }
    return found;
}

pcs_status pcs_mj_solve_closed(moreau_jean *s, const pcs_state *state, bool rest,
                               pcs_step_report *report)
{
    pcs_status status = PCS_OK;
    bool rebounds = false;
    begin_impacts(s, state);
    for (int32_t i = 0; i < s->offset[s->n_active] && !rest; ++i)
        rebounds = rebounds || s->restitution[i] != 0;
    if (!rebounds) { // one problem takes energy whatever separates (moreau_jean_levels.c)
        s->n_rounds = 0;
        rest_all(s);
    }
    for (int32_t tries = 0; s->n_active > 0; ++tries) {
        status = pcs_mj_solve_round(s, report);
        PCS_TRY(status);
        if (!rebounds || tries == TRIES_MAX || !find_hit(s))
            break;
        next_round(s, state);
        if (s->n_rounds > ROUNDS_MAX)
            rest_all(s);
    }
    return status;
}
