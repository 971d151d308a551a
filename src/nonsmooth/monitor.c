// The monitor of a friction contact solve: measures iterates, keeps the best, watches the limits.
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/timer.h"
#include "nonsmooth/friction_solver.h"

pcs_status pcs_monitor_init(pcs_monitor *monitor, const pcs_friction_contact *problem,
                            const pcs_solve_opts *opts, pcs_arena *arena, const double *r)
{
    const int32_t rows = problem->W->n > 0 ? problem->W->offset[problem->W->n] : 0;
    *monitor = (pcs_monitor){.problem = problem, .opts = opts, .rows = rows, .best_value = INFINITY};
    monitor->best = PCS_ARENA_ARRAY(arena, double, 2 * (int64_t)rows);
    if (monitor->best == NULL)
        return PCS_ERROR_MEMORY;
    monitor->u = monitor->best + rows;
    monitor->started = monitor->stage_started = pcs_timer_now();
    monitor->deadline = opts->max_time > 0.0 ? monitor->started + opts->max_time : 0.0;
    pcs_monitor_test(monitor, r);
    if (isinf(monitor->best_value) || isnan(monitor->best_value)) // overflow: keep it all the same
        memcpy(monitor->best, r, (size_t)rows * sizeof *r);
    return PCS_OK;
}

bool pcs_monitor_test_with_u(pcs_monitor *monitor, const double *r, const double *u)
{
    monitor->last = pcs_friction_contact_error(monitor->problem, monitor->opts->measure, r, u);
    if (monitor->last < monitor->best_value) {
        monitor->best_value = monitor->last;
        memcpy(monitor->best, r, (size_t)monitor->rows * sizeof *r);
    }
    monitor->done = monitor->done || monitor->last <= monitor->opts->tolerance;
    return monitor->done || pcs_monitor_is_stopped(monitor);
}

bool pcs_monitor_test(pcs_monitor *monitor, const double *r)
{
    pcs_friction_contact_velocity(monitor->problem, r, monitor->u);
    return pcs_monitor_test_with_u(monitor, r, monitor->u);
}

bool pcs_monitor_is_stopped(pcs_monitor *monitor)
{
    const pcs_solve_opts *opts = monitor->opts;
    if (monitor->deadline > 0.0 && pcs_timer_now() > monitor->deadline)
        monitor->stopped = true;
    if (opts->stop != NULL && opts->stop(opts->stop_user))
        monitor->stopped = true;
    return monitor->stopped;
}

void pcs_monitor_stage(pcs_monitor *monitor, pcs_solve_info *info, const char *name,
                       int32_t iterations)
{
    const double now = pcs_timer_now();
    info->iterations += iterations;
    if (info->n_stages == PCS_SOLVE_STAGES_MAX) { // the last slot collects what does not fit
        info->stage[--info->n_stages].name = name;
        iterations += info->stage[info->n_stages].iterations;
    }
    info->stage[info->n_stages++] = (pcs_solve_stage){.name = name,
                                                      .iterations = iterations,
                                                      .seconds = now - monitor->stage_started,
                                                      .residual = monitor->best_value};
    monitor->stage_started = now;
}

static void explain(const pcs_monitor *monitor, pcs_solve_info *info)
{
    static const char *const measures[] = {"scaled", "unscaled", "relative"};
    snprintf(info->reason, sizeof info->reason,
             "%s with a %s residual of %.3g, tolerance %.3g; contact %d is worst",
             monitor->stopped ? "stopped" : "not converged", measures[monitor->opts->measure],
             monitor->best_value, monitor->opts->tolerance, (int)info->residual.worst);
}

pcs_status pcs_monitor_finish(pcs_monitor *monitor, double *r, double *u, pcs_solve_info *info)
{
    memcpy(r, monitor->best, (size_t)monitor->rows * sizeof *r);
    info->residual = pcs_friction_contact_measure(monitor->problem, r, u);
    info->seconds = pcs_timer_now() - monitor->started;
    if (monitor->done)
        return PCS_OK;
    const double rounding = pcs_friction_contact_rounding(monitor->problem, r);
    info->at_rounding = info->residual.scaled <= rounding && rounding <= PCS_ROUNDING_MAX;
    if (info->reason[0] == '\0')
        explain(monitor, info);
    return monitor->stopped ? PCS_INTERRUPTED : PCS_NOT_CONVERGED;
}
