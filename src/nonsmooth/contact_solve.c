// The contact solver of the time-stepping schemes: Gauss-Seidel first, which from a warm start
// mostly ends after a sweep or two, then in turn a proximal Newton polish of the best iterate and
// further sweeps. Both stages stop on the one residual, and the best iterate measured so far is
// kept throughout, so that the polish can only improve on the sweeps.
#include <math.h>
#include <string.h>

#include "nonsmooth/contact_newton.h"

pcs_contact_opts pcs_contact_default(void)
{
    return (pcs_contact_opts){.tolerance = 1e-10,
                              .max_iterations = 10000,
                              .sweeps_before_newton = 30,
                              .newton_iterations = 60,
                              .newton_max_rows = 1500};
}

static pcs_status check_opts(const pcs_contact_opts *opts, pcs_context *ctx)
{
    if (!(opts->tolerance >= 0.0))
        return pcs_error(ctx, PCS_ERROR_ARGUMENT, "contact solver: tolerance %g is negative",
                         opts->tolerance);
    if (opts->max_iterations < 1 || opts->sweeps_before_newton < 1)
        return pcs_error(ctx, PCS_ERROR_ARGUMENT, "contact solver: less than one sweep asked for");
    if (opts->newton_iterations < 0 || opts->newton_max_rows < 0)
        return pcs_error(ctx, PCS_ERROR_ARGUMENT, "contact solver: negative Newton limits");
    return PCS_OK;
}

static pcs_status polish(pcs_nsgs_work *work, const pcs_friction_contact *problem,
                         const pcs_contact_opts *opts, pcs_arena *arena, double *r, double *u,
                         pcs_contact_info *info, bool *done)
{
    pcs_arena_mark mark = pcs_arena_get_mark(arena);
    const double before = work->best_residual.scaled;
    pcs_status status =
        pcs_contact_polish(work, problem, opts, arena, r, u, &info->newton_steps, done);
    pcs_arena_release(arena, mark);
    if (work->best_residual.scaled < before)
        info->stage = PCS_CONTACT_STAGE_NEWTON;
    return status;
}

// Sweeps and polishes in turn on r until the tolerance or the limit of sweeps.
static pcs_status alternate(pcs_nsgs_work *work, const pcs_friction_contact *problem,
                            const pcs_contact_opts *opts, pcs_arena *arena, double *r, double *u,
                            pcs_contact_info *info, bool *done)
{
    const pcs_nsgs_opts sweep_opts = {opts->tolerance, opts->max_iterations, 1.0};
    const int32_t rows = problem->W->offset[problem->W->n];
    const bool may_polish = opts->newton_iterations > 0 && rows <= opts->newton_max_rows;
    int32_t batch = may_polish ? opts->sweeps_before_newton : opts->max_iterations;
    while (info->sweeps < opts->max_iterations) {
        int32_t left = opts->max_iterations - info->sweeps;
        double before = work->best_residual.scaled;
        *done = pcs_nsgs_run(work, problem, &sweep_opts, batch < left ? batch : left, r, u,
                             &info->sweeps);
        if (work->best_residual.scaled < before)
            info->stage = PCS_CONTACT_STAGE_SWEEPS;
        if (*done || !may_polish)
            return PCS_OK;
        before = work->best_residual.scaled;
        PCS_TRY(polish(work, problem, opts, arena, r, u, info, done));
        if (*done)
            return PCS_OK;
        memcpy(r, work->best, (size_t)rows * sizeof *r);
        batch = batch < opts->max_iterations / 2 ? 2 * batch : opts->max_iterations;
    }
    return PCS_OK;
}

pcs_status pcs_contact_solve(const pcs_friction_contact *problem, const pcs_contact_opts *opts,
                             pcs_arena *arena, double *r, double *u, pcs_contact_info *info)
{
    *info = (pcs_contact_info){0, 0, PCS_CONTACT_STAGE_SWEEPS, {0.0, 0.0, -1}};
    PCS_TRY(check_opts(opts, arena->ctx));
    PCS_TRY(pcs_friction_contact_check(problem, arena->ctx, r));
    if (problem->W->n == 0)
        return PCS_OK;

    pcs_arena_mark mark = pcs_arena_get_mark(arena);
    pcs_nsgs_work work;
    bool done = false;
    pcs_status status = pcs_nsgs_work_init(&work, problem, arena, r);
    if (status == PCS_OK)
        status = alternate(&work, problem, opts, arena, r, u, info, &done);
    if (status == PCS_OK) {
        info->residual = pcs_nsgs_finish(&work, problem, r, u);
        status = done ? PCS_OK : PCS_NOT_CONVERGED;
    }
    pcs_arena_release(arena, mark);
    return status;
}
