// The contact solver of the time-stepping schemes: Gauss-Seidel first, which from a warm start
// mostly ends after a sweep or two, then in turn a proximal Newton polish of the best iterate and
// further sweeps. Both stages stop on the one residual, and the best iterate measured so far is
// kept throughout, so that the polish can only improve on the sweeps.
#include <string.h>

#include "nonsmooth/contact_newton.h"

// A start that misleads both stages this often is given up for r = 0; and a problem on which the
// polish failed this often (the batches of sweeps have then grown a thousandfold) is left as it is.
enum { RESTART_AFTER = 3, GIVE_UP_AFTER = 10 };

static pcs_status check_opts(const pcs_friction_opts *opts, pcs_context *ctx)
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

// Newton from r, in arena memory that is given back.
static pcs_status polish(pcs_nsgs_work *work, const pcs_friction_contact *problem,
                         const pcs_friction_opts *opts, pcs_arena *arena, double *r, double *u,
                         pcs_friction_info *info, bool *done)
{
    pcs_arena_mark mark = pcs_arena_get_mark(arena);
    const double before = work->best_residual.scaled;
    pcs_status status = pcs_contact_polish(work, problem, opts, arena, r, u, &info->newton_steps,
                                           done);
    pcs_arena_release(arena, mark);
    if (work->best_residual.scaled < before)
        info->stage = PCS_FRICTION_STAGE_NEWTON;
    return status;
}

// Sweeps and polishes in turn on r until the tolerance, the level of rounding or the last sweep.
static pcs_status alternate(pcs_nsgs_work *work, const pcs_friction_contact *problem,
                            const pcs_friction_opts *opts, pcs_arena *arena, double *r, double *u,
                            pcs_friction_info *info, bool *done)
{
    const pcs_nsgs_opts sweep_opts = {opts->tolerance, opts->max_iterations, 1.0};
    const bool may_polish = opts->newton_iterations > 0 &&
                            problem->W->offset[problem->W->n] <= opts->newton_max_rows;
    int32_t failures = 0, batch = may_polish ? opts->sweeps_before_newton : opts->max_iterations;
    while (!*done && info->sweeps < opts->max_iterations && failures < GIVE_UP_AFTER) {
        const int32_t left = opts->max_iterations - info->sweeps;
        const double before = work->best_residual.scaled;
        *done = pcs_nsgs_run(work, problem, &sweep_opts, batch < left ? batch : left, r, u,
                             &info->sweeps);
        if (work->best_residual.scaled < before)
            info->stage = PCS_FRICTION_STAGE_SWEEPS;
        if (*done || !may_polish)
            break;
        PCS_TRY(polish(work, problem, opts, arena, r, u, info, done));
        batch = batch < opts->max_iterations / 2 ? 2 * batch : opts->max_iterations;
        if (!*done)
            *done = info->at_rounding = work->best_residual.scaled <=
                                        pcs_friction_contact_rounding(problem, work->best);
        if (!*done && ++failures == RESTART_AFTER)
            memset(r, 0, (size_t)problem->W->offset[problem->W->n] * sizeof *r);
    }
    return PCS_OK;
}

pcs_status pcs_friction_solve(const pcs_friction_contact *problem, const pcs_friction_opts *opts,
                              pcs_arena *arena, double *r, double *u, pcs_friction_info *info)
{
    *info = (pcs_friction_info){0, 0, PCS_FRICTION_STAGE_SWEEPS, false, {0.0, 0.0, -1}};
    PCS_TRY(check_opts(opts, arena->ctx));
    PCS_TRY(pcs_friction_contact_check(problem, arena->ctx, r));
    if (problem->W->n == 0)
        return PCS_OK;

    pcs_arena_mark mark = pcs_arena_get_mark(arena);
    pcs_nsgs_work work;
    bool done = false;
    pcs_status status = pcs_nsgs_work_init(&work, problem, arena, r);
    if (status == PCS_OK) {
        status = alternate(&work, problem, opts, arena, r, u, info, &done);
        if (status < 0)
            memcpy(r, work.start, (size_t)problem->W->offset[problem->W->n] * sizeof *r);
        else
            info->residual = pcs_nsgs_finish(&work, problem, r, u);
    }
    pcs_arena_release(arena, mark);
    return status == PCS_OK && !done ? PCS_NOT_CONVERGED : status;
}
