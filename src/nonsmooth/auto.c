// The default solver. It chains, from the cheapest to the safest, and stops as soon as the residual
// meets the tolerance:
//
//     sweeps           Gauss-Seidel while it is about to arrive: easy problems, loose tolerances
//     newton           proximal Newton continuation on the closed contacts: nearly all the rest
//     admm             for a better start where Newton cycles: one factorisation
//     newton           from there
//     interior-point   cold, with the central path followed through its folds
//     newton           from the best of all
//     enumeration      of the states, where they are few
//
// The first two close nearly every gap of the FCLIB problems; the interior point method is slower
// but does not cycle. What none of them solves is looked at for a cause.
#include "nonsmooth/auto.h"

#include <math.h>
#include <string.h>

#include "base/timer.h"
#include "nonsmooth/contact_newton.h"
#include "nonsmooth/diagnosis.h"
#include "nonsmooth/first_order.h"
#include "nonsmooth/friction_enumerate.h"
#include "nonsmooth/interior_point.h"
#include "nonsmooth/nsgs.h"

enum { SWEEPS, NEWTON_STEPS, OPTION_COUNT };

static const pcs_option options[OPTION_COUNT] = {
    [SWEEPS] = {"sweeps", PCS_OPTION_INTEGER, 200, 0, 1e9, NULL,
                "most Gauss-Seidel sweeps; fewer if they are too slow to arrive"},
    [NEWTON_STEPS] = {"newton_steps", PCS_OPTION_INTEGER, 40, 0, 1e9, NULL,
                      "linear solves of Newton's method each time it is tried"},
};

// Sweeps between two looks at their rate, and the sweeps that a Newton continuation is worth: it
// takes some fifteen factorisations, each as dear as several sweeps.
enum { SWEEP_BATCH = 8, SWEEPS_WORTH = 60 };
// ADMM iterations that give Newton a new start.
enum { ADMM_STEPS = 400 };

typedef struct chain {
    pcs_monitor monitor;
    const pcs_friction_contact *problem;
    const pcs_solve_opts *opts;
    pcs_arena *arena;
    pcs_solve_info *info;
    int32_t left; // iterations that may still be spent
    double *r;
} chain;

static bool is_over(const chain *c)
{
    return c->monitor.done || c->monitor.stopped || c->left <= 0;
}

static void end_stage(chain *c, const char *name, int32_t iterations)
{
    c->left -= iterations;
    pcs_monitor_stage(&c->monitor, c->info, name, iterations);
}

// Sweeps in batches for as long as the last batch's rate leads to the tolerance soon.
static pcs_status run_sweeps(chain *c, int32_t most)
{
    pcs_nsgs_work work;
    int32_t sweeps = 0;
    most = most < c->left ? most : c->left;
    PCS_TRY(pcs_nsgs_work_init(&work, c->problem, c->arena));
    while (sweeps < most && !is_over(c)) {
        const int32_t batch = SWEEP_BATCH < most - sweeps ? SWEEP_BATCH : most - sweeps;
        const double before = c->monitor.last;
        const int32_t start = sweeps;
        if (pcs_nsgs_run(&work, &c->monitor, 1.0, batch, c->r, &sweeps) || sweeps - start < batch)
            break; // arrived, or a fixed point
        const double fall = log(c->monitor.last / before), way = log(c->opts->tolerance /
                                                                     c->monitor.last);
        if (start > 0 && !(fall < 0.0 && way / fall * batch <= SWEEPS_WORTH))
            break;
    }
    end_stage(c, "sweeps", sweeps);
    return PCS_OK;
}

static pcs_status run_newton(chain *c, int32_t most)
{
    pcs_contact_newton *newton;
    int32_t steps = 0;
    pcs_contact_newton_opts opts = {.first_delta = 0.0, .max_steps = most < c->left ? most : c->left};
    pcs_arena_mark mark = pcs_arena_get_mark(c->arena);
    PCS_TRY(pcs_contact_newton_create(c->problem, c->arena, &newton));
    PCS_TRY(pcs_contact_newton_run(newton, &c->monitor, &opts, c->r, &steps));
    c->info->factorisations += pcs_contact_newton_factorisations(newton);
    pcs_arena_release(c->arena, mark);
    end_stage(c, "newton", steps);
    return PCS_OK;
}

// Another solver of the table as a stage, from r = 0, for at most `most` iterations (0: its own
// limit); c->r becomes its answer.
static pcs_status run_solver(chain *c, const pcs_friction_solver *solver, int32_t most)
{
    pcs_solve_opts opts = *c->opts;
    pcs_solve_info info;
    const int32_t rows = c->monitor.rows;
    pcs_arena_mark mark = pcs_arena_get_mark(c->arena);
    double *r = PCS_ARENA_ARRAY(c->arena, double, rows), *u = PCS_ARENA_ARRAY(c->arena, double, rows);
    if (r == NULL || u == NULL)
        return PCS_ERROR_MEMORY;
    memset(r, 0, (size_t)rows * sizeof *r);
    opts.max_iterations = c->opts->max_iterations > 0 && (most == 0 || c->left < most) ? c->left
                                                                                       : most;
    opts.count_solutions = 0;
    if (c->monitor.deadline > 0.0)
        opts.max_time = fmax(1e-9, c->monitor.deadline - pcs_timer_now());
    PCS_TRY(pcs_friction_solve(c->problem, solver, &opts, NULL, c->arena, r, u, &info));
    c->info->factorisations += info.factorisations;
    pcs_monitor_test_with_u(&c->monitor, r, u);
    memcpy(c->r, r, (size_t)rows * sizeof *r);
    pcs_arena_release(c->arena, mark);
    end_stage(c, solver->name, info.iterations);
    return PCS_OK;
}

// Counts the solutions of a small problem and offers the first one. Larger problems pass.
static pcs_status enumerate(chain *c)
{
    int32_t count = -1;
    pcs_arena_mark mark = pcs_arena_get_mark(c->arena);
    double *r = PCS_ARENA_ARRAY(c->arena, double, c->monitor.rows);
    if (r == NULL)
        return PCS_ERROR_MEMORY;
    pcs_status status = pcs_friction_enumerate(c->problem, c->arena, 1, r, &count);
    PCS_TRY(status);
    if (count > 0 && !c->monitor.done)
        pcs_monitor_test(&c->monitor, r);
    if (status == PCS_OK)
        c->info->solutions = count;
    pcs_arena_release(c->arena, mark);
    return PCS_OK;
}

static pcs_status run_chain(chain *c, const double *option)
{
    const int32_t newton_steps = (int32_t)option[NEWTON_STEPS];
    if (!is_over(c) && option[SWEEPS] > 0.0)
        PCS_TRY(run_sweeps(c, (int32_t)option[SWEEPS]));
    if (!is_over(c) && newton_steps > 0)
        PCS_TRY(run_newton(c, newton_steps));
    if (!is_over(c))
        PCS_TRY(run_solver(c, &pcs_solver_admm, ADMM_STEPS));
    if (!is_over(c) && newton_steps > 0)
        PCS_TRY(run_newton(c, newton_steps));
    if (!is_over(c))
        PCS_TRY(run_solver(c, &pcs_solver_interior_point, 0));
    if (!is_over(c) && newton_steps > 0) {
        memcpy(c->r, c->monitor.best, (size_t)c->monitor.rows * sizeof *c->r);
        PCS_TRY(run_newton(c, newton_steps));
    }
    if (!is_over(c)) {
        PCS_TRY(enumerate(c));
        end_stage(c, "enumeration", 0);
    }
    return PCS_OK;
}

static pcs_status solve(const pcs_friction_contact *problem, const pcs_solve_opts *opts,
                        const double *option, pcs_arena *arena, double *r, double *u,
                        pcs_solve_info *info)
{
    chain c = {.problem = problem, .opts = opts, .arena = arena, .info = info, .r = r};
    c.left = opts->max_iterations > 0 ? opts->max_iterations : INT32_MAX;
    PCS_TRY(pcs_monitor_init(&c.monitor, problem, opts, arena, r));
    if (c.monitor.done)
        end_stage(&c, "start", 0);
    PCS_TRY(run_chain(&c, option));
    if (opts->count_solutions && info->solutions < 0)
        PCS_TRY(enumerate(&c));
    pcs_status status = pcs_monitor_finish(&c.monitor, r, u, info);
    if (status == PCS_NOT_CONVERGED)
        pcs_friction_diagnose(problem, r, u, info);
    return status;
}

const pcs_friction_solver pcs_solver_auto = {
    "auto", "sweeps, a proximal Newton method on the closed contacts, an interior point method",
    options, OPTION_COUNT, solve};
