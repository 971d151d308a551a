// The table of MLCP solvers and their options, the door through which all of them are called, and
// `auto`, which chains them and certifies what it returns:
//
//     newton-min from the start, interior point, lemke, a proof of infeasibility, newton-fb from
//     several starts, lemke with other covering vectors, and all bases if they are few.

#include <float.h>
#include <math.h>
#include <string.h>

#include "nonsmooth/mlcp_run.h"

enum { COUNT_MAX = 1000000000 };
// Feasible points further out than this, in units where data are about 1, are no solutions.
static const double OUT_OF_REACH = 1e10;

static const pcs_option auto_options[] = {
    {"enumerate_rows", PCS_OPTION_INTEGER, 14, 0, PCS_ENUMERATE_MAX, NULL,
     "the last stage tries all bases of problems with at most so many complementarity rows"},
};
static const pcs_option lemke_options[] = {
    {"covers", PCS_OPTION_INTEGER, 5, 1, 1000, NULL,
     "covering vectors tried until one ends in a solution; the first is all ones"},
};
static const char *const pivot_rules[] = {"dantzig", "murty", NULL};
static const pcs_option pivot_options[] = {
    {"rule", PCS_OPTION_CHOICE, 0, 0, 1, pivot_rules,
     "dantzig brings rows in one by one (P or monotone M); murty takes the first row (P)"},
};
static const pcs_option sor_options[] = {
    {"relaxation", PCS_OPTION_REAL, 1.3, DBL_MIN, 2.0 - DBL_EPSILON, NULL,
     "factor of each change, above 0 and below 2"},
};
static const pcs_option newton_options[] = {
    {"starts", PCS_OPTION_INTEGER, 10, 1, COUNT_MAX, NULL,
     "starts tried: the given one, zeros, ones, then random ones of growing size"},
};

static pcs_status check_opts(const pcs_solve_opts *opts, pcs_context *ctx)
{
    if (!(opts->tolerance >= 0.0))
        return pcs_error(ctx, PCS_ERROR_ARGUMENT,
                         "complementarity solver: tolerance %g is not a number >= 0",
                         opts->tolerance);
    if (opts->measure != PCS_MEASURE_SCALED && opts->measure != PCS_MEASURE_UNSCALED &&
        opts->measure != PCS_MEASURE_RELATIVE)
        return pcs_error(ctx, PCS_ERROR_ARGUMENT, "complementarity solver: unknown measure %d",
                         (int)opts->measure);
    if (opts->max_iterations < 0 || !(opts->max_time >= 0.0) || opts->threads < 1)
        return pcs_error(ctx, PCS_ERROR_ARGUMENT,
                         "complementarity solver: max_iterations %d, max_time %g, threads %d; they "
                         "must be at least 0, 0 and 1",
                         opts->max_iterations, opts->max_time, opts->threads);
    return PCS_OK;
}

static pcs_status check_option(const pcs_option *row, double value, pcs_context *ctx)
{
    if (!(value >= row->lowest && value <= row->highest) ||
        (row->type != PCS_OPTION_REAL && value != floor(value)))
        return pcs_error(ctx, PCS_ERROR_ARGUMENT,
                         "complementarity solver: option %s = %g; allowed are %g to %g%s", row->key,
                         value, row->lowest, row->highest,
                         row->type == PCS_OPTION_REAL ? "" : ", whole numbers");
    return PCS_OK;
}

static pcs_status count_solutions(const pcs_mlcp *problem, pcs_arena *arena, pcs_solve_info *info)
{
    int32_t count = -1;
    const pcs_status status = pcs_mlcp_enumerate(problem, arena, 0, NULL, &count);
    if (status == PCS_OK)
        info->solutions = count;
    return status < 0 ? status : PCS_OK;
}

enum { OPTIONS_MAX = 4 };

// A method on arena memory; z changes only if all went well.
static pcs_status run_method(const pcs_mlcp *problem, const pcs_solve_opts *opts,
                             const double *option, pcs_arena *arena, const char *name,
                             pcs_mlcp_method_fn method, double *z, double *w, pcs_solve_info *info)
{
    pcs_mlcp_run run;
    int32_t iterations = 0;
    double *y = PCS_ARENA_ARRAY(arena, double, problem->n);
    if (!y)
        return PCS_ERROR_MEMORY;
    PCS_TRY(pcs_mlcp_run_init(&run, problem, opts, arena, z, info));
    pcs_mlcp_run_start(&run, z, y);
    if (run.done) {
        pcs_mlcp_run_stage(&run, "start", 0);
    } else {
        PCS_TRY(method(&run, option, y, &iterations));
        if (method != pcs_mlcp_auto) // which reports its stages itself
            pcs_mlcp_run_stage(&run, name, iterations);
    }
    if (opts->count_solutions && info->solutions < 0)
        PCS_TRY(count_solutions(problem, arena, info));
    return pcs_mlcp_run_finish(&run, z, w);
}

static pcs_status solve(const pcs_mlcp *problem, const pcs_solve_opts *opts, const double *option,
                        pcs_arena *arena, int32_t row, pcs_mlcp_method_fn method, double *z,
                        double *w, pcs_solve_info *info)
{
    const pcs_mlcp_solver *solver = pcs_mlcp_solver_row(row);
    double value[OPTIONS_MAX];
    *info = (pcs_solve_info){.solutions = -1, .residual = {.worst = -1}};
    PCS_TRY(check_opts(opts, arena->ctx));
    for (int32_t i = 0; i < solver->n_options; i++) {
        value[i] = option ? option[i] : solver->options[i].fallback;
        PCS_TRY(check_option(&solver->options[i], value[i], arena->ctx));
    }
    PCS_TRY(pcs_mlcp_check(problem, arena->ctx, z));
    const pcs_arena_mark mark = pcs_arena_get_mark(arena);
    const pcs_status status = run_method(problem, opts, value, arena, solver->name, method, z, w,
                                         info);
    pcs_arena_release(arena, mark);
    return status;
}

enum {
    ROW_AUTO,
    ROW_LEMKE,
    ROW_PIVOT,
    ROW_GAUSS_SEIDEL,
    ROW_SOR,
    ROW_NEWTON_FB,
    ROW_NEWTON_MIN,
    ROW_INTERIOR_POINT,
    ROW_ENUMERATE,
    ROW_COUNT
};

#define DEFINE_SOLVER(name, row, method)                                                 \
    static pcs_status name(const pcs_mlcp *problem, const pcs_solve_opts *opts,          \
                           const double *option, pcs_arena *arena, double *z, double *w, \
                           pcs_solve_info *info)                                         \
    {                                                                                    \
        return solve(problem, opts, option, arena, row, method, z, w, info);             \
    }
DEFINE_SOLVER(solve_auto, ROW_AUTO, pcs_mlcp_auto)
DEFINE_SOLVER(solve_lemke, ROW_LEMKE, pcs_mlcp_lemke)
DEFINE_SOLVER(solve_pivot, ROW_PIVOT, pcs_mlcp_pivot)
DEFINE_SOLVER(solve_gauss_seidel, ROW_GAUSS_SEIDEL, pcs_mlcp_gauss_seidel)
DEFINE_SOLVER(solve_sor, ROW_SOR, pcs_mlcp_sor)
DEFINE_SOLVER(solve_newton_fb, ROW_NEWTON_FB, pcs_mlcp_newton_fb)
DEFINE_SOLVER(solve_newton_min, ROW_NEWTON_MIN, pcs_mlcp_newton_min)
DEFINE_SOLVER(solve_interior_point, ROW_INTERIOR_POINT, pcs_mlcp_interior_point)
DEFINE_SOLVER(solve_enumerate, ROW_ENUMERATE, pcs_mlcp_enumerate_bases)
#undef DEFINE_SOLVER

static const pcs_mlcp_solver solvers[ROW_COUNT] = {
    [ROW_AUTO] = {"auto", "the default: chains the others and certifies the answer", auto_options,
                  1, solve_auto},
    [ROW_LEMKE] = {"lemke", "Lemke's complementary pivoting with lexicographic ties", lemke_options,
                   1, solve_lemke},
    [ROW_PIVOT] = {"pivot", "incremental principal pivoting, for P and monotone matrices",
                   pivot_options, 1, solve_pivot},
    [ROW_GAUSS_SEIDEL] = {"gauss-seidel", "projected Gauss-Seidel sweeps, for definite M", NULL, 0,
                          solve_gauss_seidel},
    [ROW_SOR] = {"sor", "projected sweeps with relaxation, for definite M", sor_options, 1,
                 solve_sor},
    [ROW_NEWTON_FB] = {"newton-fb", "semismooth Newton on the Fischer-Burmeister map",
                       newton_options, 1, solve_newton_fb},
    [ROW_NEWTON_MIN] = {"newton-min", "semismooth Newton on the min map", newton_options, 1,
                        solve_newton_min},
    [ROW_INTERIOR_POINT] = {"interior-point", "primal-dual interior point, for monotone M (QP)",
                            NULL, 0, solve_interior_point},
    [ROW_ENUMERATE] = {"enumerate", "all 2^m bases of small problems; counts the solutions", NULL,
                       0, solve_enumerate},
};

const pcs_mlcp_solver *pcs_mlcp_solver_row(int32_t i)
{
    return i >= 0 && i < ROW_COUNT ? &solvers[i] : NULL;
}

const pcs_mlcp_solver *pcs_mlcp_solver_find(const char *name)
{
    for (int32_t i = 0; i < ROW_COUNT; i++)
        if (strcmp(solvers[i].name, name) == 0)
            return &solvers[i];
    return NULL;
}

static int32_t complementarity_rows(const pcs_mlcp *problem)
{
    int32_t m = 0;
    for (int32_t i = 0; i < problem->n; i++)
        m += !pcs_mlcp_is_equality(problem, i);
    return m;
}

// One stage of `auto`: from zeros, or from the start if it is given.
static pcs_status run_stage(pcs_mlcp_run *run, int32_t row, pcs_mlcp_method_fn method, double value,
                            const double *start, double *y)
{
    int32_t iterations = 0;
    const size_t bytes = (size_t)run->problem->n * sizeof *y;
    if (run->done || run->stopped)
        return PCS_OK;
    if (start)
        memcpy(y, start, bytes);
    else
        memset(y, 0, bytes);
    PCS_TRY(method(run, &value, y, &iterations));
    pcs_mlcp_run_stage(run, solvers[row].name, iterations);
    return PCS_OK;
}

// True if the data prove that there is nothing to find.
static pcs_status prove_infeasible(pcs_mlcp_run *run, bool *proven)
{
    double bound = 0.0;
    *proven = false;
    if (run->done || run->stopped)
        return PCS_OK;
    PCS_TRY(pcs_mlcp_prove_infeasible(&run->scaled, run->arena, &bound));
    pcs_mlcp_run_stage(run, "infeasibility", 0);
    *proven = bound > OUT_OF_REACH;
    if (*proven)
        pcs_mlcp_explain(run,
                         "no solution: z >= 0, w >= 0 is infeasible, by a y >= 0 with M^T y <= 0 "
                         "and q.y < 0; in equilibrated units it proves |z|_1 >= %.1e",
                         bound);
    return PCS_OK;
}

pcs_status pcs_mlcp_auto(pcs_mlcp_run *run, const double *option, double *y, int32_t *iterations)
{
    const size_t bytes = (size_t)run->problem->n * sizeof *y;
    double *start = PCS_ARENA_ARRAY(run->arena, double, run->problem->n);
    bool proven = false;
    (void)iterations; // counted by the stages
    if (!start)
        return PCS_ERROR_MEMORY;
    memcpy(start, y, bytes);
    memset(y, 0, bytes);
    if (pcs_mlcp_offer(run, y)) {
        pcs_mlcp_run_stage(run, "zeros", 0);
        return PCS_OK;
    }
    PCS_TRY(run_stage(run, ROW_NEWTON_MIN, pcs_mlcp_newton_min, 1, start, y));
    PCS_TRY(run_stage(run, ROW_INTERIOR_POINT, pcs_mlcp_interior_point, 0, NULL, y));
    PCS_TRY(run_stage(run, ROW_LEMKE, pcs_mlcp_lemke, 1, NULL, y));
    PCS_TRY(prove_infeasible(run, &proven));
    if (proven)
        return PCS_OK;
    PCS_TRY(
        run_stage(run, ROW_NEWTON_FB, pcs_mlcp_newton_fb, newton_options[0].fallback, start, y));
    PCS_TRY(run_stage(run, ROW_LEMKE, pcs_mlcp_lemke, lemke_options[0].fallback, NULL, y));
    if (complementarity_rows(run->problem) <= (int32_t)option[0])
        return run_stage(run, ROW_ENUMERATE, pcs_mlcp_enumerate_bases, 0, NULL, y);
    if (!run->done)
        pcs_mlcp_explain(run,
                         "no stage found a solution, and none proved that there is none; row %d is "
                         "worst",
                         run->best_residual.worst);
    return PCS_OK;
}
