// Proximal point method [Rockafellar1976]: a sequence of problems
//     u = W r + q + D (r - c),     D_i = alpha trace(W_ii) / size_i,
// that are regular although W is not; c follows r, and at r = c the problem is the original one for
// every alpha. A small alpha needs few centres, a large one makes each easy: alpha falls after a
// centre that was solved, faster each time, and rises after one that was not. The inner problem is
// left to semismooth Newton on the Alart-Curnier function or to Gauss-Seidel sweeps, and is solved
// to a part of the residual that its centre had.
#include "nonsmooth/proximal.h"

#include <math.h>
#include <string.h>

#include "math/cone.h"
#include "nonsmooth/friction_newton.h"
#include "nonsmooth/nsgs.h"

// Limits of alpha: below the lower one D drowns in the rounding of W, at the upper one a centre
// moves no faster than a sweep. Factors of its fall; the rise after a first centre that failed.
static const double ALPHA_SMALLEST = 1e-11, ALPHA_LARGEST = 10.0;
static const double FASTEST_FALL = 1e-2, SLOWEST_FALL = 0.5, FIRST_RISE = 10.0;
// Part of its first residual to which a centre is solved, and part of the tolerance below which it
// need not go.
static const double CENTRE_PART = 1e-2, FLOOR_PART = 0.1;
enum { DEFAULT_NEWTON = 500, DEFAULT_SWEEPS = 100000, COUNT_MAX = 1000000 };

static const pcs_option newton_options[PCS_PROXIMAL_OPTIONS] = {
    [PCS_PROXIMAL_ALPHA] = {"alpha", PCS_OPTION_REAL, 1e-4, 1e-11, 10, NULL,
                            "first proximal weight over the diagonal of W"},
    [PCS_PROXIMAL_INNER] = {"inner_iterations", PCS_OPTION_INTEGER, 20, 1, COUNT_MAX, NULL,
                            "Newton steps for one centre"},
};
static const pcs_option sweep_options[PCS_PROXIMAL_OPTIONS] = {
    [PCS_PROXIMAL_ALPHA] = {"alpha", PCS_OPTION_REAL, 1e-2, 1e-11, 10, NULL,
                            "first proximal weight over the diagonal of W"},
    [PCS_PROXIMAL_INNER] = {"inner_iterations", PCS_OPTION_INTEGER, 200, 1, COUNT_MAX, NULL,
                            "sweeps for one centre"},
};

typedef struct proximal_work {
    const pcs_friction_contact *problem;
    pcs_monitor *monitor;
    pcs_arena *arena;
    int32_t rows, inner;
    double *centre, *projected;
    int32_t count, max_count; // inner iterations
    pcs_newton_work newton;
    // Gauss-Seidel: the proximal problem with its own matrix values
    pcs_block_matrix W;
    double *q;
    bool with_newton;
} proximal_work;

static pcs_status set_up_sweeps(proximal_work *work)
{
    const pcs_block_matrix *W = work->problem->W;
    int64_t values = 0;
    for (int32_t i = 0; i < W->n; i++)
        for (int32_t k = W->row_start[i]; k < W->row_start[i + 1]; k++) {
            const int32_t j = W->column[k];
            const int64_t end = W->value_start[k] + (int64_t)(W->offset[i + 1] - W->offset[i]) *
                                                        (W->offset[j + 1] - W->offset[j]);
            values = end > values ? end : values;
        }
    work->W = *W;
    work->W.value = PCS_ARENA_ARRAY(work->arena, double, values);
    work->q = PCS_ARENA_ARRAY(work->arena, double, work->rows);
    if (!work->W.value || !work->q)
        return PCS_ERROR_MEMORY;
    memcpy(work->W.value, W->value, (size_t)values * sizeof(double));
    return PCS_OK;
}

// W + D and q - D c
static void set_proximal_data(proximal_work *work, double alpha)
{
    const pcs_block_matrix *W = work->problem->W;
    for (int32_t i = 0; i < W->n; i++) {
        const int32_t size = W->offset[i + 1] - W->offset[i];
        const int64_t at = W->value_start[W->diagonal[i]];
        double trace = 0.0;
        for (int32_t k = 0; k < size; k++)
            trace += W->value[at + k * size + k];
        const double D = alpha * (trace > 0.0 ? trace / (double)size : 1.0);
        for (int32_t k = 0; k < size; k++) {
            const int32_t row = W->offset[i] + k;
            work->W.value[at + k * size + k] = W->value[at + k * size + k] + D;
            work->q[row] = work->problem->q[row] - D * work->centre[row];
        }
    }
}

static bool solve_with_newton(proximal_work *work, double alpha, double *r)
{
    pcs_newton_work *newton = &work->newton;
    pcs_newton_set_proximal(newton, alpha, work->centre);
    double merit = pcs_newton_reset(newton, r);
    // what the merit would be at FLOOR_PART of the tolerance, if both fell alike
    const double part = FLOOR_PART * work->monitor->opts->tolerance / work->monitor->last;
    const double goal = fmax(CENTRE_PART, fmin(part, 1.0)) * merit;
    for (int32_t k = 0; k < work->inner && work->count < work->max_count; k++) {
        if (merit <= goal && k > 0)
            break;
        if (pcs_monitor_is_stopped(work->monitor) || !pcs_newton_step(newton, r, &merit))
            return false;
        work->count++;
    }
    return merit <= goal;
}

static pcs_status solve_with_sweeps(proximal_work *work, double alpha, double *r, bool *solved)
{
    set_proximal_data(work, alpha);
    const pcs_friction_contact inner = {.W = &work->W,
                                        .q = work->q,
                                        .mu = work->problem->mu,
                                        .kind = work->problem->kind,
                                        .tasks = work->problem->tasks};
    pcs_solve_opts opts = *work->monitor->opts;
    pcs_monitor monitor;
    pcs_nsgs_work nsgs;
    pcs_arena_mark mark = pcs_arena_get_mark(work->arena);
    opts.tolerance = fmax(CENTRE_PART * work->monitor->last, FLOOR_PART * opts.tolerance);
    pcs_status status = pcs_monitor_init(&monitor, &inner, &opts, work->arena, r);
    if (status == PCS_OK)
        status = pcs_nsgs_work_init(&nsgs, &inner, work->arena);
    if (status == PCS_OK && !monitor.done) {
        const int32_t left = work->max_count - work->count;
        int32_t sweeps = 0;
        monitor.deadline = work->monitor->deadline;
        pcs_nsgs_run(&nsgs, &monitor, 1.0, left < work->inner ? left : work->inner, r, &sweeps);
        work->count += sweeps;
    }
    *solved = status == PCS_OK && monitor.done;
    pcs_arena_release(work->arena, mark);
    return status;
}

static bool test_projected(proximal_work *work, const double *r)
{
    const int32_t *offset = work->problem->W->offset;
    memcpy(work->projected, r, (size_t)work->rows * sizeof *r);
    for (int32_t i = 0; i < work->problem->W->n; i++)
        if (!pcs_is_bilateral(work->problem, i))
            pcs_cone_project(work->problem->mu[i], offset[i + 1] - offset[i],
                             work->projected + offset[i]);
    return pcs_monitor_test(work->monitor, work->projected);
}

static pcs_status iterate(proximal_work *work, double alpha, double *r)
{
    const size_t bytes = (size_t)work->rows * sizeof *r;
    double fall = FASTEST_FALL;
    bool solved = false, first = true, ended = false;
    memcpy(work->centre, r, bytes);
    while (!ended && work->count < work->max_count && alpha <= ALPHA_LARGEST) {
        const bool solved_before = solved;
        const int32_t count = work->count;
        memcpy(r, work->centre, bytes);
        if (work->with_newton)
            solved = solve_with_newton(work, alpha, r);
        else
            PCS_TRY(solve_with_sweeps(work, alpha, r, &solved));
        ended = test_projected(work, r);
        // sweeps always approach the inner solution: their last iterate is a centre all the same
        if (solved || !work->with_newton)
            memcpy(work->centre, r, bytes);
        if (work->count == count && solved)
            break; // the centre is the solution as far as the inner solver can tell
        if (solved) {
            alpha = fmax(ALPHA_SMALLEST, alpha * fall);
            fall = solved_before ? fmax(FASTEST_FALL, fall * fall) : fall;
        } else {
            alpha = first ? alpha * FIRST_RISE : alpha / fall;
            fall = fmin(SLOWEST_FALL, sqrt(fall));
            if (!work->with_newton)
                alpha = fmin(alpha, ALPHA_LARGEST);
        }
        first = false;
    }
    return PCS_OK;
}

static pcs_status solve(bool with_newton, const pcs_friction_contact *problem,
                        const pcs_solve_opts *opts, const double *option, pcs_arena *arena,
                        double *r, double *u, pcs_solve_info *info)
{
    pcs_monitor monitor;
    proximal_work work = {.problem = problem,
                          .monitor = &monitor,
                          .arena = arena,
                          .rows = problem->W->offset[problem->W->n],
                          .inner = (int32_t)option[PCS_PROXIMAL_INNER],
                          .with_newton = with_newton};
    PCS_TRY(pcs_monitor_init(&monitor, problem, opts, arena, r));
    work.max_count = opts->max_iterations > 0 ? opts->max_iterations
                     : with_newton            ? DEFAULT_NEWTON
                                              : DEFAULT_SWEEPS;
    work.centre = PCS_ARENA_ARRAY(arena, double, 2 * (int64_t)work.rows);
    if (work.centre == NULL)
        return PCS_ERROR_MEMORY;
    work.projected = work.centre + work.rows;
    if (with_newton)
        PCS_TRY(pcs_newton_work_init(&work.newton, problem, PCS_FUNCTION_ALART_CURNIER,
                                     PCS_SEARCH_ARMIJO, arena));
    else
        PCS_TRY(set_up_sweeps(&work));
    if (!monitor.done && !monitor.stopped)
        PCS_TRY(iterate(&work, option[PCS_PROXIMAL_ALPHA], r));
    pcs_monitor_stage(&monitor, info, with_newton ? "proximal newton" : "proximal gauss-seidel",
                      work.count);
    info->factorisations = work.newton.factorisations;
    return pcs_monitor_finish(&monitor, r, u, info);
}

static pcs_status solve_newton(const pcs_friction_contact *problem, const pcs_solve_opts *opts,
                               const double *option, pcs_arena *arena, double *r, double *u,
                               pcs_solve_info *info)
{
    return solve(true, problem, opts, option, arena, r, u, info);
}

static pcs_status solve_sweeps(const pcs_friction_contact *problem, const pcs_solve_opts *opts,
                               const double *option, pcs_arena *arena, double *r, double *u,
                               pcs_solve_info *info)
{
    return solve(false, problem, opts, option, arena, r, u, info);
}

const pcs_friction_solver pcs_solver_proximal_newton = {
    "proximal-newton", "proximal point around semismooth Newton", newton_options,
    PCS_PROXIMAL_OPTIONS, solve_newton};
const pcs_friction_solver pcs_solver_proximal_gauss_seidel = {
    "proximal-gauss-seidel", "proximal point around Gauss-Seidel sweeps", sweep_options,
    PCS_PROXIMAL_OPTIONS, solve_sweeps};
