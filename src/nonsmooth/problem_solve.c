// Solving a problem of any class: the dispatch behind pcs_problem_solve.
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/timer.h"
#include "nonsmooth/body_sweeps.h"
#include "nonsmooth/friction_solver.h"
#include "nonsmooth/global_contact.h"
#include "nonsmooth/problem.h"

pcs_solve_opts pcs_solve_default(void)
{
    return (pcs_solve_opts){.tolerance = 1e-8, .measure = PCS_MEASURE_RELATIVE, .threads = 1};
}

static bool is_friction(pcs_problem_class problem_class)
{
    return problem_class == PCS_PROBLEM_LOCAL || problem_class == PCS_PROBLEM_GLOBAL;
}

const char *pcs_problem_solver(pcs_problem_class problem_class, int32_t i, const char **help,
                               const pcs_option **options, int32_t *n_options)
{
    const pcs_friction_solver *friction = pcs_friction_solver_row(i);
    const pcs_mlcp_solver *mlcp = pcs_mlcp_solver_row(i);
    const bool contacts = is_friction(problem_class);
    if (contacts ? friction == NULL : mlcp == NULL)
        return NULL;
    if (help)
        *help = contacts ? friction->help : mlcp->help;
    if (options)
        *options = contacts ? friction->options : mlcp->options;
    if (n_options)
        *n_options = contacts ? friction->n_options : mlcp->n_options;
    return contacts ? friction->name : mlcp->name;
}

// Index of the row with this name in the table of the class, -1: unknown.
static int32_t find_solver(pcs_problem_class problem_class, const char *name)
{
    const char *row;
    if (name == NULL)
        return 0;
    for (int32_t i = 0; (row = pcs_problem_solver(problem_class, i, NULL, NULL, NULL)); i++)
        if (strcmp(row, name) == 0)
            return i;
    return -1;
}

static pcs_status solve_local(const pcs_problem *local, bool is_reduced, pcs_tasks *tasks,
                              int32_t solver, const pcs_solve_opts *opts, const double *option,
                              pcs_arena *arena, double *r, double *u, pcs_solve_info *info)
{
    pcs_friction_contact view = pcs_problem_local_view(local);
    view.tasks = tasks;
    view.is_reduced = is_reduced;
    return pcs_friction_solve(&view, pcs_friction_solver_row(solver), opts, option, arena, r, u,
                              info);
}

// When a reduction ends early: the limits of the solve that it is part of.
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

// A global problem in the form that is solved: W formed, or for Gauss-Seidel on free bodies the
// velocities of the bodies in its place.
typedef struct reduced_problem {
    pcs_problem *local;        // NULL: bodies
    pcs_delassus_operator *op; // of the same problem, with the factors of M
    pcs_tasks *tasks;
    pcs_body_system bodies;
    double relaxation;
} reduced_problem;

// The sweeps without W know one order and no mixing.
static bool suits_bodies(const pcs_friction_solver *solver, const double *option)
{
    return solver == &pcs_solver_gauss_seidel &&
           (option == NULL || (option[PCS_GAUSS_SEIDEL_ORDER] == PCS_ORDER_AUTO &&
                               option[PCS_GAUSS_SEIDEL_MEMORY] == 0.0));
}

// PCS_INTERRUPTED: time is up.
static pcs_status reduce(const pcs_problem *problem, pcs_tasks *tasks, int32_t solver,
                         const double *option, limits *limit, pcs_arena *arena, const double *r,
                         reduced_problem *out)
{
    const pcs_watch watch = {is_over, limit};
    bool fits = false;
    out->local = NULL;
    if (suits_bodies(pcs_friction_solver_row(solver), option))
        PCS_TRY(pcs_body_system_init(&out->bodies, problem, arena, &fits));
    if (fits) {
        out->relaxation = option != NULL ? option[PCS_GAUSS_SEIDEL_RELAXATION] : 1.0;
        return pcs_friction_contact_check(&out->bodies.local, problem->ctx, r);
    }
    return pcs_problem_reduce_within(problem, tasks, &watch, &out->local, &out->op);
}

static pcs_status solve_reduced(const reduced_problem *reduced, int32_t solver,
                                const pcs_solve_opts *opts, const double *option, pcs_arena *arena,
                                double *r, double *u, pcs_solve_info *info)
{
    if (reduced->local != NULL)
        return solve_local(reduced->local, true, reduced->tasks, solver, opts, option, arena, r, u,
                           info);
    return pcs_body_sweeps_solve(&reduced->bodies, opts, reduced->relaxation, arena, r, u, info);
}

// Whether the rounding of W may show in the residual: W from a sparse factorisation lacks the
// digits of the condition of M, that of bodies a few.
static bool is_worth_correcting(const reduced_problem *reduced, const pcs_solve_opts *opts)
{
    static const double TIGHT = 1e-10;
    return reduced->local != NULL &&
           (opts->tolerance < TIGHT || pcs_delassus_operator_is_sparse(reduced->op));
}

// Measures r with refined velocities in place of u. Where the tolerance is not met, q takes over
// what W lacks at r: W r + q' are the refined velocities, and another solve from here ends nearer.
static pcs_status correct(reduced_problem *reduced, const pcs_solve_opts *opts, const double *r,
                          double *u, pcs_solve_info *info, bool *good)
{
    pcs_problem *local = reduced->local;
    pcs_friction_contact view = pcs_problem_local_view(local);
    view.is_reduced = true;
    double *refined = PCS_NEW_ARRAY(local->ctx, double, local->rows);
    pcs_status status = refined != NULL ? PCS_OK : PCS_ERROR_MEMORY;
    if (status == PCS_OK)
        status = pcs_delassus_operator_refined_velocity(reduced->op, r, refined);
    if (status == PCS_OK) {
        info->residual = pcs_friction_contact_measure_with_u(&view, r, refined);
        *good = pcs_residual_in(&info->residual, opts->measure) <= opts->tolerance;
        for (int32_t k = 0; k < local->rows; k++) {
            local->q[k] += refined[k] - u[k];
            u[k] = refined[k];
        }
    }
    pcs_free(local->ctx, refined);
    return status;
}

// Appends what a further solve took.
static void add_stage(pcs_solve_info *info, const pcs_solve_info *more, pcs_measure measure)
{
    info->iterations += more->iterations;
    info->factorisations += more->factorisations;
    if (info->n_stages == PCS_SOLVE_STAGES_MAX)
        info->n_stages--;
    info->stage[info->n_stages++] = (pcs_solve_stage){
        .name = "correction",
        .iterations = more->iterations,
        .seconds = more->seconds,
        .residual = pcs_residual_in(&more->residual, measure)};
    info->residual = more->residual;
    info->at_rounding = more->at_rounding;
    memcpy(info->reason, more->reason, sizeof info->reason);
}

static pcs_status end_above(const reduced_problem *reduced, const pcs_solve_opts *opts,
                            const double *r, pcs_solve_info *info)
{
    const pcs_friction_contact view = pcs_problem_local_view(reduced->local);
    const double rounding = pcs_friction_contact_rounding(&view, r);
    info->at_rounding = info->residual.scaled <= rounding && rounding <= PCS_ROUNDING_MAX;
    snprintf(
        info->reason, sizeof info->reason,
        "the residual with velocities from M stays at %.3g, tolerance %.3g: W lacks digits that "
        "M, which is ill-conditioned, has taken",
        pcs_residual_in(&info->residual, opts->measure), opts->tolerance);
    return PCS_NOT_CONVERGED;
}

// What is left of the limits; the reduction counts, and so do the solves before.
static pcs_solve_opts limits_left(const pcs_solve_opts *opts, const limits *limit, int32_t done)
{
    pcs_solve_opts left = *opts;
    if (opts->max_time > 0.0)
        left.max_time = fmax(1e-9, limit->deadline - pcs_timer_now());
    if (opts->max_iterations > 0)
        left.max_iterations = opts->max_iterations > done ? opts->max_iterations - done : 1;
    return left;
}

// Solves with W and, as long as the rounding of W keeps the refined residual above the tolerance,
// again with q corrected.
static pcs_status solve_corrected(reduced_problem *reduced, int32_t solver,
                                  const pcs_solve_opts *opts, const limits *limit,
                                  const double *option, pcs_arena *arena, double *r, double *u,
                                  pcs_solve_info *info)
{
    enum { CORRECTIONS = 3 };
    for (int round = 0;; round++) {
        const pcs_solve_opts inner = limits_left(opts, limit, round > 0 ? info->iterations : 0);
        pcs_solve_info more;
        bool good = false;
        const pcs_status status = solve_reduced(reduced, solver, &inner, option, arena, r, u,
                                                round == 0 ? info : &more);
        if (status < 0)
            return status;
        if (round > 0)
            add_stage(info, &more, opts->measure);
        if (status != PCS_OK || !is_worth_correcting(reduced, opts))
            return status;
        PCS_TRY(correct(reduced, opts, r, u, info, &good));
        if (good)
            return PCS_OK;
        if (round == CORRECTIONS)
            return end_above(reduced, opts, r, info);
    }
}

// The same; an error leaves r as it was.
static pcs_status solve_or_restore(reduced_problem *reduced, int32_t solver,
                                   const pcs_solve_opts *opts, const limits *limit,
                                   const double *option, pcs_arena *arena, int32_t rows, double *r,
                                   double *u, pcs_solve_info *info)
{
    double *start = PCS_ARENA_ARRAY(arena, double, rows);
    if (start == NULL)
        return PCS_ERROR_MEMORY;
    memcpy(start, r, (size_t)rows * sizeof *r);
    const pcs_status status = solve_corrected(reduced, solver, opts, limit, option, arena, r, u,
                                              info);
    if (status < 0)
        memcpy(r, start, (size_t)rows * sizeof *r);
    return status;
}

// The solve ended before there was a problem to measure at: r is still the start.
static pcs_status end_unmeasured(const pcs_problem *problem, const pcs_solve_opts *opts, double *u,
                                 pcs_solve_info *info)
{
    info->residual = (pcs_residual){.scaled = NAN, .unscaled = NAN, .relative = NAN, .worst = -1};
    for (int32_t k = 0; k < problem->rows; k++)
        u[k] = NAN;
    snprintf(info->reason, sizeof info->reason,
             "stopped in the reduction to the local form W = H^T M^-1 H (%d degrees of freedom, %d "
             "rows), before the first iteration%s",
             (int)problem->dofs, (int)problem->rows,
             opts->max_time > 0.0 ? "; give it more time" : "");
    return PCS_INTERRUPTED;
}

static pcs_status solve_global(const pcs_problem *problem, pcs_tasks *tasks, int32_t solver,
                               const pcs_solve_opts *opts, const double *option, pcs_arena *arena,
                               double *r, double *u, pcs_solve_info *info)
{
    const double start = pcs_timer_now();
    limits limit = {opts, opts->max_time > 0.0 ? start + opts->max_time : 0.0};
    reduced_problem reduced = {.tasks = pcs_friction_solve_shares(opts, problem->contacts) ? tasks
                                                                                           : NULL};
    pcs_status status = reduce(problem, tasks, solver, option, &limit, arena, r, &reduced);
    if (status != PCS_OK)
        return status == PCS_INTERRUPTED ? end_unmeasured(problem, opts, u, info) : status;
    status = solve_or_restore(&reduced, solver, opts, &limit, option, arena, problem->rows, r, u,
                              info);
    pcs_problem_destroy(reduced.local);
    pcs_delassus_operator_destroy(reduced.op);
    return status;
}

static pcs_status solve_mlcp(const pcs_problem *problem, const pcs_mlcp_solver *solver,
                             const pcs_solve_opts *opts, const double *option, pcs_arena *arena,
                             double *z, double *w, pcs_solve_info *info)
{
    double value[PCS_SOLVER_OPTIONS_MAX];
    pcs_mlcp view = pcs_problem_mlcp_view(problem);
    PCS_TRY(pcs_solver_options(solver->name, solver->options, solver->n_options, option, value,
                               problem->ctx));
    return solver->solve(&view, opts, value, arena, z, w, info);
}

// From so many coupled degrees of freedom on the reduction of a global problem is worth threads.
enum { SHARED_DOFS = 3000 };

// The threads for a solve, awake by the time they are needed; NULL: it needs none.
static pcs_status prepare_tasks(const pcs_problem *problem, const pcs_solve_opts *opts,
                                pcs_tasks **out)
{
    pcs_problem_work *work = problem->work;
    *out = NULL;
    PCS_TRY(pcs_solve_opts_check(opts, problem->ctx));
    const bool shares = is_friction(problem->problem_class) &&
                        pcs_friction_solve_shares(opts, problem->contacts);
    const bool reduces = problem->problem_class == PCS_PROBLEM_GLOBAL && opts->threads > 1 &&
                         problem->dofs >= SHARED_DOFS &&
                         problem->M.pattern.start[problem->dofs] >
                             (int64_t)PCS_BODY_DOF * problem->dofs;
    if (!shares && !reduces)
        return PCS_OK;
    if (pcs_tasks_threads(work->tasks) != opts->threads) {
        pcs_tasks_destroy(work->tasks);
        PCS_TRY(pcs_tasks_create(problem->ctx, opts->threads, &work->tasks));
    }
    pcs_tasks_wake(work->tasks);
    *out = work->tasks;
    return PCS_OK;
}

pcs_status pcs_problem_solve(const pcs_problem *problem, const char *solver,
                             const pcs_solve_opts *opts, const double *option, double *r, double *u,
                             pcs_solve_info *info)
{
    const int32_t row = find_solver(problem->problem_class, solver);
    const double start = pcs_timer_now();
    *info = (pcs_solve_info){.solutions = -1, .residual = {.worst = -1}};
    if (row < 0)
        return pcs_error(problem->ctx, PCS_ERROR_ARGUMENT,
                         "there is no solver '%s' for the class %s; see percuss list solvers",
                         solver, pcs_problem_class_name(problem->problem_class));
    pcs_arena *arena = &problem->work->arena;
    pcs_tasks *tasks;
    PCS_TRY(prepare_tasks(problem, opts, &tasks));
    PCS_TRY(pcs_arena_reset(arena));
    double *velocity = u != NULL ? u : PCS_ARENA_ARRAY(arena, double, problem->rows);
    pcs_status status = PCS_ERROR_MEMORY;
    if (velocity != NULL) {
        if (problem->problem_class == PCS_PROBLEM_LOCAL) {
            status = solve_local(problem, false, tasks, row, opts, option, arena, r, velocity,
                                 info);
        } else if (problem->problem_class == PCS_PROBLEM_GLOBAL) {
            status = solve_global(problem, tasks, row, opts, option, arena, r, velocity, info);
        } else {
            status = solve_mlcp(problem, pcs_mlcp_solver_row(row), opts, option, arena, r, velocity,
                                info);
        }
    }
    info->seconds = pcs_timer_now() - start;
    return status;
}
