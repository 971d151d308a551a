// The table of friction contact solvers and the one door to them.
#include "nonsmooth/friction_solver.h"

#include <string.h>

#include "base/timer.h"
#include "nonsmooth/auto.h"
#include "nonsmooth/first_order.h"
#include "nonsmooth/friction_newton.h"
#include "nonsmooth/interior_point.h"
#include "nonsmooth/nsgs.h"
#include "nonsmooth/proximal.h"
#include "nonsmooth/sweep.h"

static const pcs_friction_solver *const solvers[] = {
    &pcs_solver_auto,
    &pcs_solver_gauss_seidel,
    &pcs_solver_proximal_newton,
    &pcs_solver_proximal_gauss_seidel,
    &pcs_solver_interior_point,
    &pcs_solver_newton_ac,
    &pcs_solver_newton_jm,
    &pcs_solver_newton_nm,
    &pcs_solver_newton_fb,
    &pcs_solver_admm,
    &pcs_solver_projected_gradient,
    &pcs_solver_extragradient,
    &pcs_solver_fixed_point,
};
enum { SOLVER_COUNT = sizeof solvers / sizeof *solvers };

const pcs_friction_solver *pcs_friction_solver_row(int32_t i)
{
    return i >= 0 && i < SOLVER_COUNT ? solvers[i] : NULL;
}

const pcs_friction_solver *pcs_friction_solver_find(const char *name)
{
    for (int32_t i = 0; i < SOLVER_COUNT; i++)
        if (strcmp(solvers[i]->name, name) == 0)
            return solvers[i];
    return NULL;
}

pcs_status pcs_solve_opts_check(const pcs_solve_opts *opts, pcs_context *ctx)
{
    if (!(opts->tolerance >= 0.0))
        return pcs_error(ctx, PCS_ERROR_ARGUMENT, "solver: the tolerance %g is not >= 0",
                         opts->tolerance);
    if ((int)opts->measure < PCS_MEASURE_SCALED || opts->measure > PCS_MEASURE_RELATIVE)
        return pcs_error(ctx, PCS_ERROR_ARGUMENT, "solver: there is no measure %d",
                         (int)opts->measure);
    if (opts->max_iterations < 0 || !(opts->max_time >= 0.0) || opts->threads < 1)
        return pcs_error(ctx, PCS_ERROR_ARGUMENT,
                         "solver: max_iterations %d, max_time %g or threads %d out of range",
                         (int)opts->max_iterations, opts->max_time, (int)opts->threads);
    return PCS_OK;
}

pcs_status pcs_solver_options(const char *name, const pcs_option *table, int32_t count,
                              const double *given, double *value, pcs_context *ctx)
{
    for (int32_t k = 0; k < count; k++) {
        value[k] = given != NULL ? given[k] : table[k].fallback;
        if (!(value[k] >= table[k].lowest && value[k] <= table[k].highest))
            return pcs_error(ctx, PCS_ERROR_ARGUMENT, "%s: %s = %g is not between %g and %g", name,
                             table[k].key, value[k], table[k].lowest, table[k].highest);
    }
    return PCS_OK;
}

static pcs_status solve_checked(const pcs_friction_contact *problem,
                                const pcs_friction_solver *solver, const pcs_solve_opts *opts,
                                const double *option, pcs_arena *arena, double *r, double *u,
                                pcs_solve_info *info)
{
    double value[PCS_SOLVER_OPTIONS_MAX];
    PCS_TRY(pcs_solver_options(solver->name, solver->options, solver->n_options, option, value,
                               arena->ctx));
    PCS_TRY(pcs_friction_contact_check(problem, arena->ctx, r));
    if (problem->W->n == 0)
        return PCS_OK;

    const size_t bytes = (size_t)problem->W->offset[problem->W->n] * sizeof *r;
    pcs_arena_mark mark = pcs_arena_get_mark(arena);
    double *start = pcs_arena_alloc(arena, bytes, 1);
    pcs_status status = PCS_ERROR_MEMORY;
    if (start != NULL) {
        memcpy(start, r, bytes);
        status = solver->solve(problem, opts, value, arena, r, u, info);
        if (status < 0)
            memcpy(r, start, bytes);
    }
    pcs_arena_release(arena, mark);
    return status;
}

bool pcs_friction_solve_shares(const pcs_solve_opts *opts, int32_t blocks)
{
    return opts->threads > 1 && blocks >= PCS_SWEEP_COLOURED_FROM;
}

// What ends a solve early, for factorisations, which do not see its monitor.
typedef struct limits {
    const pcs_solve_opts *opts;
    double deadline; // 0: none
} limits;

static int is_over(void *user)
{
    const limits *l = user;
    return (l->deadline > 0.0 && pcs_timer_now() > l->deadline) ||
           (l->opts->stop != NULL && l->opts->stop(l->opts->stop_user));
}

pcs_status pcs_friction_solve(const pcs_friction_contact *problem,
                              const pcs_friction_solver *solver, const pcs_solve_opts *opts,
                              const double *option, pcs_arena *arena, double *r, double *u,
                              pcs_solve_info *info)
{
    pcs_friction_contact shared = *problem;
    limits limit = {opts, opts->max_time > 0.0 ? pcs_timer_now() + opts->max_time : 0.0};
    const pcs_watch watch = {is_over, &limit};
    shared.watch = &watch;
    *info = (pcs_solve_info){.solutions = -1, .residual = {.worst = -1}};
    PCS_TRY(pcs_solve_opts_check(opts, arena->ctx));
    if (problem->tasks == NULL && pcs_friction_solve_shares(opts, problem->W->n))
        PCS_TRY(pcs_tasks_create(arena->ctx, opts->threads, &shared.tasks));
    const pcs_status status = solve_checked(&shared, solver, opts, option, arena, r, u, info);
    if (problem->tasks == NULL)
        pcs_tasks_destroy(shared.tasks);
    return status;
}

pcs_status pcs_friction_solve_inside(const pcs_friction_contact *problem,
                                     const pcs_friction_solver *solver, const pcs_solve_opts *opts,
                                     const double *option, pcs_arena *arena, double *r, double *u,
                                     pcs_solve_info *info)
{
    pcs_solve_opts watched = *opts;
    watched.stop = pcs_context_stop_hook;
    watched.stop_user = arena->ctx;
    PCS_TRY(pcs_context_go_on(arena->ctx)); // also where a solve is over before it looks
    const pcs_status status = pcs_friction_solve(problem, solver, &watched, option, arena, r, u,
                                                 info);
    PCS_TRY(pcs_context_go_on(
        arena->ctx)); // a solve cut short may still be good enough, with other bits
    return status;
}
