// The contact law of the position and velocity problems: Alart and Curnier's augmented Lagrangian
// at the level of one contact [Galvez2020, 4.1; AlartCurnier1991], and the multipliers of a
// linearised problem. With xi = r - p g (g: gap and slip, or velocities with restitution) the law
// reads
//
//     r = P(xi),    P = 0 for xi_N < 0 (gap), (xi_N, mu xi_N tau) for |xi_T| >= mu xi_N (slip),
//                   xi otherwise (stick),    tau = xi_T / |xi_T|
//
// and Newton's method on it, together with y = y0 + B H^T r, is (1 - D + p D W) r = P - D (r_k + p
// H y0) with D = dP/dxi. Contacts with a gap have r = 0 and drop out.
#include <string.h>

#include "linalg/block_lu.h"
#include "nonsmooth/auto.h"
#include "schemes/nonsmooth_alpha.h"
#include "schemes/problem_hook.h"

// Contacts that stick redundantly (a box on its corners) leave W singular. The step of a proximal
// point method, this part of a contact's own mobility times the change of r, makes it regular and
// does not change the solution.
#define REGULARISATION 1e-9

na_status pcs_na_contact_law(const nonsmooth_alpha *s, int32_t slot, const double *r, double *P,
                             double *D)
{
    const int32_t n = s->contact_rows[slot].size;
    const double *g = s->local + 3 * slot, mu = s->contacts_end[slot].law.friction;
    const double p = s->penalty[slot] > 0 ? s->penalty[slot] : s->mass;
    double xi[3] = {0, 0, 0}, size = 0;
    for (int32_t i = 0; i < n; ++i)
        xi[i] = r[i] - p * g[i];
    for (int32_t i = 0; i < n; ++i)
        P[i] = 0;
    if (D)
        memset(D, 0, sizeof(double) * (size_t)(n * n));
    if (!(xi[0] >= 0))
        return NA_GAP;
    P[0] = xi[0];
    if (D)
        D[0] = 1;
    if (n == 1)
        return NA_STICK;
    size = hypot(xi[1], xi[2]);
    if (size < mu * xi[0]) {
        for (int32_t i = 1; i < n; ++i) {
            P[i] = xi[i];
            if (D)
                D[i * n + i] = 1;
        }
        return NA_STICK;
    }
    if (!(size > 0)) // no direction: no friction force
        return NA_SLIP;
    for (int32_t i = 1; i < n; ++i) {
        P[i] = mu * xi[0] * xi[i] / size;
        if (!D)
            continue;
        D[i * n] = mu * xi[i] / size;
        for (int32_t j = 1; j < n; ++j)
            D[i * n + j] = mu * xi[0] / size * ((i == j) - xi[i] * xi[j] / (size * size));
    }
    return NA_SLIP;
}

// H y of one slot
static void multiply(const nonsmooth_alpha *s, int32_t slot, const double *y, double *out)
{
    const pcs_row_block *row = &s->contact_rows[slot];
    for (int32_t i = 0; i < row->size; ++i)
        out[i] = pcs_model_row_multiply(s->base.model, row, i, y);
}

// W of the first n active slots, and their penalties if not chosen by the user.
static pcs_status find_delassus(nonsmooth_alpha *s, int32_t n, pcs_block_matrix *W)
{
    const pcs_row_block **H = PCS_ARENA_ARRAY(&s->arena, const pcs_row_block *, n);
    if (!H)
        return pcs_error(s->base.ctx, PCS_ERROR_MEMORY, "no memory for %d contacts", (int)n);
    for (int32_t k = 0; k < n; ++k)
        H[k] = &s->contact_rows[s->active[k]];
    return pcs_na_delassus(s, n, H, W);
}

static void find_penalties(nonsmooth_alpha *s, int32_t n, const pcs_block_matrix *W)
{
    const double chosen = s->base.options[NA_SCALE_MASS];
    for (int32_t k = 0; k < n; ++k) {
        const double *block = W->value + W->value_start[W->diagonal[k]];
        const int32_t size = W->offset[k + 1] - W->offset[k];
        double trace = 0;
        for (int32_t i = 0; i < size; ++i)
            trace += block[i * size + i];
        s->penalty[s->active[k]] = chosen > 0 ? chosen : trace > 0 ? size / trace : s->mass;
    }
}

// The linear system (E + F (W + eps)) r = c + F eps r_k of the active contacts, with E = 1 - D,
// F = p D, c = P - D (r_k + p H y0) and eps the regularisation of each contact.
typedef struct newton_system {
    int32_t n;
    pcs_block_matrix W;      // with eps on the diagonal
    double *E, *F, *c, *eps; // blocks, blocks, rows, one for each contact
} newton_system;

static void fill_block(const nonsmooth_alpha *s, newton_system *system, int32_t k,
                       const double *r_k, const double *y0)
{
    const int32_t slot = s->active[k], n = s->contact_rows[slot].size;
    const double p = s->penalty[slot] > 0 ? s->penalty[slot] : s->mass;
    double *E = system->E + PCS_BLOCK_LU_STRIDE * k, *F = system->F + PCS_BLOCK_LU_STRIDE * k;
    double *c = system->c + system->W.offset[k];
    double *W = system->W.value + system->W.value_start[system->W.diagonal[k]];
    double P[3], D[9], Hy[3];
    system->eps[k] = 0;
    for (int32_t i = 0; i < n; ++i)
        system->eps[k] += REGULARISATION / n * W[i * n + i];
    pcs_na_contact_law(s, slot, r_k, P, D);
    multiply(s, slot, y0, Hy);
    for (int32_t i = 0; i < n; ++i) {
        W[i * n + i] += system->eps[k];
        c[i] = P[i];
        for (int32_t j = 0; j < n; ++j) {
            E[i * n + j] = (i == j) - D[i * n + j];
            F[i * n + j] = p * D[i * n + j];
            c[i] -= D[i * n + j] * (r_k[j] + p * Hy[j]);
        }
    }
}

// out = c - (E + F W) r, W without its regularisation
static void find_defect(const newton_system *system, const double *r, double *Wr, double *out)
{
    const pcs_block_matrix *W = &system->W;
    pcs_block_matrix_multiply(W, r, Wr);
    for (int32_t k = 0; k < system->n; ++k) {
        const int32_t at = W->offset[k], n = W->offset[k + 1] - at;
        const double *E = system->E + PCS_BLOCK_LU_STRIDE * k;
        const double *F = system->F + PCS_BLOCK_LU_STRIDE * k;
        for (int32_t i = 0; i < n; ++i) {
            out[at + i] = system->c[at + i];
            for (int32_t j = 0; j < n; ++j)
                out[at + i] -= E[i * n + j] * r[at + j] +
                               F[i * n + j] * (Wr[at + j] - system->eps[k] * r[at + j]);
        }
    }
}

// Proximal steps r <- r + (E + F (W + eps))^{-1} (c - (E + F W) r): each makes the error smaller by
// the regularisation, except in directions that nothing determines, where r stays what it was.
static pcs_status solve_system(nonsmooth_alpha *s, const newton_system *system, double *r)
{
    enum { PROXIMAL_STEPS = 2 };
    const int32_t rows = system->W.offset[system->n];
    double *Wr = PCS_ARENA_ARRAY(&s->arena, double, rows);
    double *step = PCS_ARENA_ARRAY(&s->arena, double, rows);
    pcs_block_lu *lu;
    if (!Wr || !step)
        return pcs_error(s->base.ctx, PCS_ERROR_MEMORY, "no memory for %d contacts", system->n);
    PCS_TRY(pcs_block_lu_analyse(&s->arena, &system->W, NULL, &lu));
    if (pcs_block_lu_factor(lu, &system->W, system->E, system->F, NULL) >= 0) {
        PCS_TRY(pcs_context_go_on(s->base.ctx));
        return PCS_NOT_CONVERGED;
    }
    for (int k = 0; k < PROXIMAL_STEPS; ++k) {
        find_defect(system, r, Wr, step);
        pcs_block_lu_solve(lu, step);
        for (int32_t i = 0; i < rows; ++i)
            r[i] += step[i];
    }
    return PCS_OK;
}

pcs_status pcs_na_contact_newton(nonsmooth_alpha *s, na_level level, const double *y0)
{
    const double *r_k = s->iterate[level].r;
    newton_system system = {.n = 0};
    for (int32_t i = 0; i < s->base.model->n_slots; ++i) {
        double P[3];
        if (s->closed[i] && pcs_na_contact_law(s, i, r_k + 3 * i, P, NULL) != NA_GAP)
            s->active[system.n++] = i;
    }
    const int32_t n = system.n;
    if (n == 0)
        return PCS_OK;
    PCS_TRY(find_delassus(s, n, &system.W));
    system.E = PCS_ARENA_ARRAY(&s->arena, double, (int64_t)PCS_BLOCK_LU_STRIDE *n);
    system.F = PCS_ARENA_ARRAY(&s->arena, double, (int64_t)PCS_BLOCK_LU_STRIDE *n);
    system.c = PCS_ARENA_ARRAY(&s->arena, double, 3 * (int64_t)n);
    system.eps = PCS_ARENA_ARRAY(&s->arena, double, n);
    double *r = PCS_ARENA_ARRAY(&s->arena, double, 3 * (int64_t)n);
    if (!system.E || !system.F || !system.c || !system.eps || !r)
        return pcs_error(s->base.ctx, PCS_ERROR_MEMORY, "no memory for %d contacts", (int)n);
    for (int32_t k = 0; k < n; ++k) {
        const int32_t slot = s->active[k], at = system.W.offset[k];
        fill_block(s, &system, k, r_k + 3 * slot, y0);
        memcpy(r + at, r_k + 3 * slot, sizeof(double) * (size_t)(system.W.offset[k + 1] - at));
    }
    find_penalties(s, n, &system.W);
    const pcs_status status = solve_system(s, &system, r);
    if (status != PCS_OK)
        return status;
    for (int32_t k = 0; k < n; ++k)
        memcpy(s->direction.r + 3 * s->active[k], r + system.W.offset[k],
               sizeof(double) * (size_t)(system.W.offset[k + 1] - system.W.offset[k]));
    return PCS_OK;
}

// ---- Complementarity ----

// A step must end soon: few restarts and steps along the central path, but a polish.
static const double solver_options[PCS_AUTO_OPTIONS] = {
    [PCS_AUTO_SWEEPS] = 200,    [PCS_AUTO_NEWTON_STEPS] = 40, [PCS_AUTO_RESTARTS] = 2,
    [PCS_AUTO_PATH_STEPS] = 50, [PCS_AUTO_POLISH] = 1,
};

// Solves for the multipliers of the first n active slots. *none: they have been shown to have no
// solution.
static pcs_status solve_active(nonsmooth_alpha *s, int32_t n, const double *y0, bool *none,
                               pcs_step_report *report)
{
    pcs_block_matrix W;
    PCS_TRY(find_delassus(s, n, &W));
    find_penalties(s, n, &W);
    double *q = PCS_ARENA_ARRAY(&s->arena, double, 3 * (int64_t)n);
    double *r = PCS_ARENA_ARRAY(&s->arena, double, 3 * (int64_t)n);
    double *u = PCS_ARENA_ARRAY(&s->arena, double, 3 * (int64_t)n);
    double *mu = PCS_ARENA_ARRAY(&s->arena, double, n);
    if (!q || !r || !u || !mu)
        return pcs_error(s->base.ctx, PCS_ERROR_MEMORY, "no memory for %d contacts", (int)n);
    for (int32_t k = 0; k < n; ++k) {
        const int32_t slot = s->active[k];
        multiply(s, slot, y0, q + W.offset[k]);
        for (int32_t i = W.offset[k]; i < W.offset[k + 1]; ++i) {
            q[i] += s->local[3 * slot + i - W.offset[k]];
            r[i] = s->direction.r[3 * slot + i - W.offset[k]];
        }
        mu[k] = s->contacts_end[slot].law.friction;
    }
    const pcs_friction_contact problem = {.W = &W, .q = q, .mu = mu};
    pcs_solve_opts opts = pcs_solve_default();
    opts.measure = PCS_MEASURE_SCALED;
    opts.tolerance = s->base.options[NA_SOLVER_TOLERANCE];
    opts.max_iterations = (int32_t)s->base.options[NA_SOLVER_ITERATIONS];
    pcs_solve_info info;
    // Whether the answer is good enough is seen when the problem is evaluated again.
    PCS_TRY(pcs_friction_solve_inside(&problem, &pcs_solver_auto, &opts, solver_options, &s->arena,
                                      r, u, &info));
    report->solver_iterations += info.iterations;
    *none = info.solutions == 0;
    for (int32_t k = 0; k < n; ++k)
        memcpy(s->direction.r + 3 * s->active[k], r + W.offset[k],
               sizeof(double) * (size_t)(W.offset[k + 1] - W.offset[k]));
    return PCS_OK;
}

// y = y0 + B H^T r of the multipliers found
static void corrected(nonsmooth_alpha *s, int32_t n, const double *y0, double *y)
{
    const pcs_model *m = s->base.model;
    memset(y, 0, sizeof(double) * (size_t)m->n_v);
    memset(s->g, 0, sizeof(double) * (size_t)m->n_rows);
    for (int32_t k = 0; k < n; ++k) {
        const pcs_row_block *row = &s->contact_rows[s->active[k]];
        const double *r = s->direction.r + 3 * s->active[k];
        for (int32_t e = 0; e < row->n_nodes; ++e) {
            const pcs_node *node = pcs_model_node(m, row->node[e]);
            for (int32_t i = 0; i < row->size; ++i)
                for (int32_t j = 0; j < node->n_v; ++j)
                    y[node->v + j] += row->J[e][i * node->n_v + j] * r[i];
        }
    }
    pcs_saddle_solve(s->used, y, s->g);
    for (int32_t i = 0; i < m->n_v; ++i)
        y[i] += y0[i];
}

pcs_status pcs_na_contact_complementarity(nonsmooth_alpha *s, na_level level, const double *y0,
                                          pcs_step_report *report)
{
    enum { ROUNDS_MAX = 20 };
    const pcs_model *m = s->base.model;
    const double *y = y0;
    bool *listed = PCS_ARENA_ARRAY(&s->arena, bool, m->n_slots);
    int32_t n = 0;
    bool none = false;
    if (!listed)
        return pcs_error(s->base.ctx, PCS_ERROR_MEMORY, "no memory for %d contacts", m->n_slots);
    memset(listed, 0, sizeof(bool) * (size_t)m->n_slots);
    memcpy(s->direction.r, s->iterate[level].r, 3 * sizeof(double) * (size_t)m->n_slots);
    // Contacts that are loaded, closed or that the correction closes; then those that the
    // multipliers found close.
    for (int round = 0; round < ROUNDS_MAX; ++round) {
        const int32_t before = n;
        for (int32_t i = 0; i < m->n_slots; ++i) {
            double change[3];
            if (!s->closed[i] || listed[i])
                continue;
            multiply(s, i, y, change);
            const double gap = s->local[3 * i];
            if (gap + change[0] > 0 && (round > 0 || (gap > 0 && s->direction.r[3 * i] == 0)))
                continue;
            listed[i] = true;
            s->active[n++] = i;
        }
        if (n == before)
            break;
        pcs_arena_mark mark = pcs_arena_get_mark(&s->arena);
        pcs_status status = solve_active(s, n, y0, &none, report);
        pcs_arena_release(&s->arena, mark);
        PCS_TRY(status);
        corrected(s, n, y0, s->work);
        y = s->work;
    }
    // Velocities and impulses are linear in each other, so a next iteration would only show again,
    // by all states of the contacts, that the impact law has no solution.
    if (none && level == NA_VELOCITY)
        return PCS_NOT_CONVERGED;
    for (int32_t i = 0; i < m->n_slots; ++i)
        if (!listed[i])
            memset(s->direction.r + 3 * i, 0, 3 * sizeof(double));
    return PCS_OK;
}

// ---- For others ----

pcs_status pcs_na_offer_problem(nonsmooth_alpha *s, const pcs_step_report *report)
{
    int32_t n = 0;
    for (int32_t i = 0; i < s->base.model->n_slots; ++i)
        if (s->closed[i]) // in the velocity problem
            s->active[n++] = i;
    if (!s->base.problem_hook || n == 0)
        return PCS_OK;
    pcs_block_matrix W;
    PCS_TRY(pcs_na_matrix_velocity(s));
    PCS_TRY(find_delassus(s, n, &W));
    double *q = PCS_ARENA_ARRAY(&s->arena, double, 3 * (int64_t)n);
    double *r = PCS_ARENA_ARRAY(&s->arena, double, 3 * (int64_t)n);
    double *mu = PCS_ARENA_ARRAY(&s->arena, double, n);
    if (!q || !r || !mu)
        return pcs_error(s->base.ctx, PCS_ERROR_MEMORY, "no memory for %d contacts", (int)n);
    for (int32_t k = 0; k < n; ++k) {
        const int32_t slot = s->active[k], at = W.offset[k];
        memcpy(r + at, s->iterate[NA_VELOCITY].r + 3 * slot,
               sizeof(double) * (size_t)(W.offset[k + 1] - at));
        mu[k] = s->contacts_end[slot].law.friction;
    }
    // u = W r + q is known at the solution.
    pcs_block_matrix_multiply(&W, r, q);
    for (int32_t k = 0; k < n; ++k)
        for (int32_t i = W.offset[k]; i < W.offset[k + 1]; ++i)
            q[i] = s->local[3 * s->active[k] + i - W.offset[k]] - q[i];
    const pcs_problem_step step = {
        .step = s->base.step,
        .time = s->t_n + s->h,
        .length = s->h,
        .contacts = n,
        .iterations = report->newton_iterations,
        .residual = s->error[NA_VELOCITY].contacts * s->base.options[NA_CONSTRAINT_TOLERANCE],
        .status = PCS_OK,
    };
    return pcs_scheme_offer_problem(&s->base, &step, &W, q, mu, r);
}
