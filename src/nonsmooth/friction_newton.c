// Semismooth Newton for F(r, W r + q) = 0, one function for each contact (contact_function.c):
//     (A + B W) dr = -F,   A = dF/dr, B = dF/du block-diagonal   [AlartCurnier1991; QiSun1993]
// A proximal term u = W r + q + D (r - c) adds B D to A. Where the matrix is singular (redundant
// contacts) a small D alone, without c, bends the direction until there is one.
// Line search on |F|: nonmonotone Armijo [GrippoLamparielloLucidi1986] or Goldstein-Price.
#include "nonsmooth/friction_newton.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "math/cone.h"
#include "nonsmooth/nsgs.h"

// Relative to trace(W_ii): first regularisation of a singular matrix, its growth and its limit.
static const double BEND_FIRST = 1e-12, BEND_GROWTH = 1e3, BEND_MAX = 1e-2;
// Merit |F|^2/2 must fall by DECREASE of what the slope promises; Goldstein-Price asks also that it
// falls by no more than INCREASE of it, else the step is too short.
static const double DECREASE = 1e-3, INCREASE = 0.9;
enum { MAX_HALVINGS = 20, DEFAULT_STEPS = 200, SWEEPS_MAX = 1000000 };
// Extragradient: the step rho = factor / trace(W_ii) shrinks when |rho (G(r) - G(r'))| exceeds
// TOO_LONG |r - r'| and grows when it is below TOO_SHORT [Khobotov1987].
static const double TOO_LONG = 0.9, TOO_SHORT = 0.3, SHRINK = 2.0 / 3.0, GROW = 1.5;

static const char *const searches[] = {"none", "armijo", "goldstein-price", NULL};
static const char *const starts[] = {"gauss-seidel", "extragradient", NULL};

static const pcs_option options[PCS_NEWTON_OPTIONS] = {
    [PCS_NEWTON_SEARCH] = {"line_search", PCS_OPTION_CHOICE, PCS_SEARCH_ARMIJO, 0, 2, searches,
                           "how a step is shortened: not at all, or until the merit falls"},
    [PCS_NEWTON_START] = {"start", PCS_OPTION_CHOICE, PCS_START_GAUSS_SEIDEL, 0, 1, starts,
                          "what comes before Newton"},
    [PCS_NEWTON_START_ITERATIONS] = {"start_iterations", PCS_OPTION_INTEGER, 10, 0, SWEEPS_MAX,
                                     NULL, "iterations of the start; 0: none"},
};

static void set_contact(pcs_newton_work *work, int32_t i, double largest)
{
    const pcs_block_matrix *W = work->problem->W;
    const int32_t size = W->offset[i + 1] - W->offset[i];
    const double *block = W->value + W->value_start[W->diagonal[i]];
    double tangential = 0.0;
    for (int32_t k = 1; k < size; k++)
        tangential += block[k * size + k] / (double)(size - 1);
    const double normal = block[0] > DBL_EPSILON * largest ? block[0] : largest;
    if (!(tangential > DBL_EPSILON * largest))
        tangential = normal;
    work->contact[i] = (pcs_contact_data){.size = size,
                                          .mu = size > 1 ? work->problem->mu[i] : 0.0,
                                          .rho_N = 1.0 / normal,
                                          .rho_T = 1.0 / tangential};
    work->trace[i] = (normal + (double)(size - 1) * tangential) / (double)size;
    work->D[i] = 0.0;
}

pcs_status pcs_newton_work_init(pcs_newton_work *work, const pcs_friction_contact *problem,
                                pcs_contact_function function, pcs_newton_search search,
                                pcs_arena *arena)
{
    const pcs_block_matrix *W = problem->W;
    const int32_t n = W->n, rows = W->offset[n];
    *work = (pcs_newton_work){
        .problem = problem, .function = function, .search = search, .n = n, .rows = rows};
    work->contact = PCS_ARENA_ARRAY(arena, pcs_contact_data, n);
    work->trace = PCS_ARENA_ARRAY(arena, double, 2 * (int64_t)n);
    work->u = PCS_ARENA_ARRAY(arena, double, 5 * (int64_t)rows);
    work->E = PCS_ARENA_ARRAY(arena, double, 2 * PCS_BLOCK_LU_STRIDE * (int64_t)n);
    if (!work->contact || !work->trace || !work->u || !work->E)
        return PCS_ERROR_MEMORY;
    work->D = work->trace + n;
    work->value = work->u + rows;
    work->direction = work->value + rows;
    work->trial = work->direction + rows;
    work->trial_u = work->trial + rows;
    work->F = work->E + PCS_BLOCK_LU_STRIDE * (int64_t)n;
    double largest = 0.0;
    for (int32_t i = 0; i < n; i++) {
        const int32_t size = W->offset[i + 1] - W->offset[i];
        for (int32_t k = 0; k < size; k++)
            largest = fmax(largest, W->value[W->value_start[W->diagonal[i]] + k * size + k]);
    }
    for (int32_t i = 0; i < n; i++)
        set_contact(work, i, largest > 0.0 ? largest : 1.0);
    PCS_TRY(pcs_block_lu_analyse(arena, W, NULL, &work->lu));
    if (work->problem->watch)
        pcs_block_lu_set_watch(work->lu, *work->problem->watch);
    return PCS_OK;
}

void pcs_newton_set_proximal(pcs_newton_work *work, double delta, double *centre)
{
    work->centre = centre;
    for (int32_t i = 0; i < work->n; i++)
        work->D[i] = centre != NULL ? delta * work->trace[i] : 0.0;
}

// u and |F| at r; `value` gets F
static double compute_merit(const pcs_newton_work *work, const double *r, double *u, double *value)
{
    const int32_t *offset = work->problem->W->offset;
    double sum = 0.0;
    pcs_friction_contact_velocity(work->problem, r, u);
    for (int32_t i = 0; i < work->n; i++) {
        const int32_t first = offset[i];
        for (int32_t k = first; k < offset[i + 1] && work->centre != NULL; k++)
            u[k] += work->D[i] * (r[k] - work->centre[k]);
        if (pcs_is_bilateral(work->problem, i))
            memcpy(value + first, u + first, (size_t)(offset[i + 1] - first) * sizeof *u);
        else
            pcs_contact_function_compute(work->function, &work->contact[i], r + first, u + first,
                                         value + first, NULL, NULL);
    }
    for (int32_t k = 0; k < work->rows; k++)
        sum += value[k] * value[k];
    return sqrt(sum);
}

double pcs_newton_reset(pcs_newton_work *work, const double *r)
{
    const double merit = compute_merit(work, r, work->u, work->value);
    for (int k = 0; k < PCS_NEWTON_MEMORY; k++)
        work->recent[k] = merit;
    work->count = 0;
    return merit;
}

// E = A + B (D + bend), F = B
static void fill_blocks(pcs_newton_work *work, const double *r)
{
    const int32_t *offset = work->problem->W->offset;
    for (int32_t i = 0; i < work->n; i++) {
        const int32_t first = offset[i], size = offset[i + 1] - first;
        double *E = work->E + PCS_BLOCK_LU_STRIDE * (int64_t)i, value[3];
        double *F = work->F + PCS_BLOCK_LU_STRIDE * (int64_t)i;
        if (pcs_is_bilateral(work->problem, i)) {
            memset(E, 0, PCS_BLOCK_LU_STRIDE * sizeof *E);
            memset(F, 0, PCS_BLOCK_LU_STRIDE * sizeof *F);
            for (int32_t k = 0; k < size; k++)
                F[k * size + k] = 1.0;
        } else {
            pcs_contact_function_compute(work->function, &work->contact[i], r + first,
                                         work->u + first, value, E, F);
        }
        for (int32_t k = 0; k < size * size; k++)
            E[k] += F[k] * (work->D[i] + work->bend * work->trace[i]);
    }
}

static bool compute_direction(pcs_newton_work *work, const double *r)
{
    for (;; work->bend = work->bend > 0.0 ? BEND_GROWTH * work->bend : BEND_FIRST) {
        if (work->bend > BEND_MAX) {
            work->bend = 0.0;
            return false;
        }
        fill_blocks(work, r);
        work->factorisations++;
        if (pcs_block_lu_factor(work->lu, work->problem->W, work->E, work->F, NULL) >= 0)
            continue;
        for (int32_t k = 0; k < work->rows; k++)
            work->direction[k] = -work->value[k];
        pcs_block_lu_solve(work->lu, work->direction);
        double sum = 0.0;
        for (int32_t k = 0; k < work->rows; k++)
            sum += work->direction[k] * work->direction[k];
        if (isfinite(sum))
            return true;
    }
}

static double try_step(pcs_newton_work *work, const double *r, double step)
{
    for (int32_t k = 0; k < work->rows; k++)
        work->trial[k] = r[k] + step * work->direction[k];
    return compute_merit(work, work->trial, work->trial_u, work->value);
}

// The slope of |F|^2/2 along the Newton direction is -|F|^2.
static double search_line(pcs_newton_work *work, const double *r, double merit)
{
    double reference = merit, low = 0.0, high = INFINITY, step = 1.0, found = INFINITY;
    if (work->search == PCS_SEARCH_ARMIJO)
        for (int k = 0; k < PCS_NEWTON_MEMORY; k++)
            reference = fmax(reference, work->recent[k]);
    for (int k = 0; k <= MAX_HALVINGS; k++) {
        found = try_step(work, r, step);
        if (work->search == PCS_SEARCH_NONE)
            return found;
        const double square = merit * merit, fall = 0.5 * found * found;
        const bool too_long = !(fall <= 0.5 * reference * reference - DECREASE * step * square);
        const bool too_short = work->search == PCS_SEARCH_GOLDSTEIN_PRICE && step < 1.0 &&
                               fall < 0.5 * square - INCREASE * step * square;
        if (!too_long && !too_short)
            break;
        low = too_short ? step : low;
        high = too_long ? step : high;
        step = isinf(high) ? 2.0 * low : 0.5 * (low + high);
    }
    return found;
}

bool pcs_newton_step(pcs_newton_work *work, double *r, double *merit)
{
    if (!compute_direction(work, r))
        return false;
    // compute_direction leaves F in work->value; the search overwrites it with the trial's
    const double found = search_line(work, r, *merit);
    if (!isfinite(found))
        return false;
    memcpy(r, work->trial, (size_t)work->rows * sizeof *r);
    memcpy(work->u, work->trial_u, (size_t)work->rows * sizeof *r);
    work->recent[work->count++ % PCS_NEWTON_MEMORY] = found;
    *merit = found;
    return true;
}

// out = P_K(r - rho (u + mu |u_T| e_N)), r - rho u for bilateral blocks
static void project_from(const pcs_newton_work *work, const double *r, const double *u,
                         double factor, double *out)
{
    const int32_t *offset = work->problem->W->offset;
    for (int32_t i = 0; i < work->n; i++) {
        const int32_t first = offset[i], size = work->contact[i].size;
        const double rho = factor / work->trace[i], mu = work->contact[i].mu;
        double slip = 0.0;
        for (int32_t k = 0; k < size; k++) {
            out[first + k] = r[first + k] - rho * u[first + k];
            slip += k > 0 ? u[first + k] * u[first + k] : 0.0;
        }
        if (pcs_is_bilateral(work->problem, i))
            continue;
        out[first] -= rho * mu * sqrt(slip);
        pcs_cone_project(mu, size, out + first);
    }
}

static double scaled_distance(const pcs_newton_work *work, const double *a, const double *b,
                              double power)
{
    const int32_t *offset = work->problem->W->offset;
    double sum = 0.0;
    for (int32_t i = 0; i < work->n; i++)
        for (int32_t k = offset[i]; k < offset[i + 1]; k++)
            sum += (a[k] - b[k]) * (a[k] - b[k]) * pow(work->trace[i], power);
    return sqrt(sum);
}

static bool extragradient(pcs_newton_work *work, pcs_monitor *monitor, int32_t iterations,
                          double *r, int32_t *count)
{
    double factor = 1.0;
    for (; *count < iterations; ++*count) {
        pcs_friction_contact_velocity(work->problem, r, work->u);
        double ratio = INFINITY;
        while (ratio > TOO_LONG && factor > DBL_EPSILON) {
            project_from(work, r, work->u, factor, work->trial);
            pcs_friction_contact_velocity(work->problem, work->trial, work->trial_u);
            const double moved = scaled_distance(work, r, work->trial, 1.0);
            ratio = moved > 0.0
                        ? factor * scaled_distance(work, work->u, work->trial_u, -1.0) / moved
                        : 0.0;
            factor *= ratio > TOO_LONG ? SHRINK * fmin(1.0, 1.0 / ratio) : 1.0;
        }
        project_from(work, r, work->trial_u, factor, work->direction);
        memcpy(r, work->direction, (size_t)work->rows * sizeof *r);
        factor *= ratio < TOO_SHORT ? GROW : 1.0;
        if (pcs_monitor_test(monitor, r))
            return true;
    }
    return false;
}

static pcs_status run_start(pcs_newton_work *work, pcs_monitor *monitor, const double *option,
                            pcs_arena *arena, double *r, pcs_solve_info *info, bool *ended)
{
    const int32_t iterations = (int32_t)option[PCS_NEWTON_START_ITERATIONS];
    const bool sweeps = option[PCS_NEWTON_START] == PCS_START_GAUSS_SEIDEL;
    int32_t count = 0;
    if (iterations == 0 || *ended)
        return PCS_OK;
    if (sweeps) {
        pcs_nsgs_work nsgs;
        PCS_TRY(pcs_nsgs_work_init(&nsgs, work->problem, arena));
        *ended = pcs_nsgs_run(&nsgs, monitor, 1.0, iterations, r, &count);
    } else {
        *ended = extragradient(work, monitor, iterations, r, &count);
    }
    pcs_monitor_stage(monitor, info, sweeps ? "gauss-seidel" : "extragradient", count);
    return PCS_OK;
}

static pcs_status solve(pcs_contact_function function, const pcs_friction_contact *problem,
                        const pcs_solve_opts *opts, const double *option, pcs_arena *arena,
                        double *r, double *u, pcs_solve_info *info)
{
    pcs_monitor monitor;
    pcs_newton_work work;
    PCS_TRY(pcs_monitor_init(&monitor, problem, opts, arena, r));
    PCS_TRY(pcs_newton_work_init(&work, problem, function,
                                 (pcs_newton_search)option[PCS_NEWTON_SEARCH], arena));
    bool ended = monitor.done || monitor.stopped;
    PCS_TRY(run_start(&work, &monitor, option, arena, r, info, &ended));
    const int32_t max_steps = opts->max_iterations > 0 ? opts->max_iterations : DEFAULT_STEPS;
    int32_t steps = 0;
    if (!ended) {
        double merit = pcs_newton_reset(&work, r);
        while (steps < max_steps && merit > 0.0 && pcs_newton_step(&work, r, &merit)) {
            steps++;
            if (pcs_monitor_test_with_u(&monitor, r, work.u))
                break;
        }
        (void)pcs_monitor_is_stopped(&monitor); // time may have ended inside a factorisation
        pcs_monitor_stage(&monitor, info, "newton", steps);
    }
    info->factorisations = work.factorisations;
    return pcs_monitor_finish(&monitor, r, u, info);
}

static pcs_status solve_ac(const pcs_friction_contact *problem, const pcs_solve_opts *opts,
                           const double *option, pcs_arena *arena, double *r, double *u,
                           pcs_solve_info *info)
{
    return solve(PCS_FUNCTION_ALART_CURNIER, problem, opts, option, arena, r, u, info);
}

static pcs_status solve_jm(const pcs_friction_contact *problem, const pcs_solve_opts *opts,
                           const double *option, pcs_arena *arena, double *r, double *u,
                           pcs_solve_info *info)
{
    return solve(PCS_FUNCTION_JEAN_MOREAU, problem, opts, option, arena, r, u, info);
}

static pcs_status solve_nm(const pcs_friction_contact *problem, const pcs_solve_opts *opts,
                           const double *option, pcs_arena *arena, double *r, double *u,
                           pcs_solve_info *info)
{
    return solve(PCS_FUNCTION_NATURAL_MAP, problem, opts, option, arena, r, u, info);
}

static pcs_status solve_fb(const pcs_friction_contact *problem, const pcs_solve_opts *opts,
                           const double *option, pcs_arena *arena, double *r, double *u,
                           pcs_solve_info *info)
{
    return solve(PCS_FUNCTION_FISCHER_BURMEISTER, problem, opts, option, arena, r, u, info);
}

const pcs_friction_solver pcs_solver_newton_ac = {"newton-ac",
                                                  "semismooth Newton on the Alart-Curnier function",
                                                  options, PCS_NEWTON_OPTIONS, solve_ac};
const pcs_friction_solver pcs_solver_newton_jm = {"newton-jm",
                                                  "semismooth Newton on the Jean-Moreau function",
                                                  options, PCS_NEWTON_OPTIONS, solve_jm};
const pcs_friction_solver pcs_solver_newton_nm = {
    "newton-nm", "semismooth Newton on the natural map", options, PCS_NEWTON_OPTIONS, solve_nm};
const pcs_friction_solver pcs_solver_newton_fb = {
    "newton-fb", "semismooth Newton on the Fischer-Burmeister function of the cone", options,
    PCS_NEWTON_OPTIONS, solve_fb};
