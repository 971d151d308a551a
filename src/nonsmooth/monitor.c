// The monitor of a friction contact solve: measures iterates, keeps the best, watches the limits.
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/timer.h"
#include "nonsmooth/friction_solver.h"

// Largest scaled residual of an iterate that counts as a solution in the relative measure.
static const double VELOCITY_ERROR = 0.3;
// Digits that velocities may lack against the relative measure: four, as a factor.
static const double LESS_EXACT = 1e4;

// Copies of r and, unless it is NULL, u in pieces, so that each thread keeps its part.
typedef struct copy_job {
    const double *r, *u;
    double *r_to, *u_to;
    int32_t rows;
} copy_job;

enum { COPIED_ROWS = 4096 };

static void copy_piece(void *user, int32_t piece)
{
    const copy_job *job = user;
    const int32_t first = piece * COPIED_ROWS, left = job->rows - first;
    const size_t bytes = (size_t)(left < COPIED_ROWS ? left : COPIED_ROWS) * sizeof *job->r;
    memcpy(job->r_to + first, job->r + first, bytes);
    if (job->u != NULL)
        memcpy(job->u_to + first, job->u + first, bytes);
}

static void copy_rows(const pcs_monitor *monitor, const double *r, double *r_to, const double *u,
                      double *u_to)
{
    copy_job job = {r, u, r_to, u_to, monitor->rows};
    pcs_tasks_run(monitor->problem->tasks, copy_piece, &job,
                  (monitor->rows + COPIED_ROWS - 1) / COPIED_ROWS);
}

// The start, which is often zero: then u = q.
static void test_start(pcs_monitor *monitor, const double *r)
{
    bool zero = true;
    for (int32_t k = 0; k < monitor->rows && zero; k++)
        zero = r[k] == 0.0;
    if (!zero) {
        pcs_monitor_test(monitor, r);
        return;
    }
    for (int32_t k = 0; k < monitor->rows; k++)
        monitor->u[k] = monitor->problem->q[k];
    pcs_monitor_test_with_u(monitor, r, monitor->u);
}

pcs_status pcs_monitor_init(pcs_monitor *monitor, const pcs_friction_contact *problem,
                            const pcs_solve_opts *opts, pcs_arena *arena, const double *r)
{
    const int32_t rows = problem->W->n > 0 ? problem->W->offset[problem->W->n] : 0;
    *monitor = (pcs_monitor){.problem = problem,
                             .opts = opts,
                             .rows = rows,
                             .best_value = INFINITY,
                             .best_residual = {.scaled = NAN}};
    monitor->best = PCS_ARENA_ARRAY(arena, double, 3 * (int64_t)rows);
    if (monitor->best == NULL)
        return PCS_ERROR_MEMORY;
    monitor->best_u = monitor->best + rows;
    monitor->u = monitor->best + 2 * (int64_t)rows;
    monitor->started = monitor->stage_started = pcs_timer_now();
    monitor->deadline = opts->max_time > 0.0 ? monitor->started + opts->max_time : 0.0;
    test_start(monitor, r);
    if (isinf(monitor->best_value) || isnan(monitor->best_value)) // overflow: keep it all the same
        memcpy(monitor->best, r, (size_t)rows * sizeof *r);
    return PCS_OK;
}

// Whether rounding r to double excuses the scaled residual
static bool is_exact(const pcs_friction_contact *problem, const double *r, double scaled)
{
    const double rounding = pcs_friction_contact_rounding(problem, r);
    return scaled <= rounding && rounding <= PCS_ROUNDING_MAX;
}

// The natural map with rho = 1 is small against max(|q|, |r|, |u|) for every r that is long enough,
// be it that impulses balance each other or that the units make them large numbers, and lost in
// rounding for a very long one. So the velocities may lack four of the digits asked for, or half of
// them, or what rounding takes, and no more: the residual counts as at least the scaled one without
// them. A strict monitor counts it so always, others only where the tolerance is met. What overflows
// has no residual: NaN, which no comparison prefers to another; fmax would forget it.
static double judge(const pcs_monitor *monitor, const double *r, const double *u,
                    pcs_contact_measure *found)
{
    const pcs_friction_contact *problem = monitor->problem;
    const double tolerance = monitor->opts->tolerance;
    const double residual = pcs_residual_in(&found->residual, monitor->opts->measure);
    if (isnan(residual) || !(residual <= tolerance || monitor->strict))
        return residual;
    if (isnan(found->impulse)) {
        const pcs_contact_measure more = pcs_friction_contact_measure_part(
            problem, PCS_MEASURE_SCALED, r, u);
        found->residual.scaled = more.residual.scaled;
        found->residual.worst = more.residual.worst;
        found->impulse = more.impulse;
    }
    if (isnan(found->residual.scaled))
        return NAN;
    if (DBL_EPSILON * found->impulse > VELOCITY_ERROR) // u is made of rounding errors
        return fmax(2.0 * tolerance, fmax(residual, VELOCITY_ERROR));
    if (monitor->opts->measure != PCS_MEASURE_RELATIVE)
        return residual;
    const double scaled = found->residual.scaled;
    const double least = fmin(scaled * scaled, scaled / LESS_EXACT);
    if (scaled <= VELOCITY_ERROR &&
        (least <= fmax(tolerance, residual) || is_exact(problem, r, scaled)))
        return residual;
    // how far it is from being accepted, which tells sweeps when to measure again
    return fmax(scaled / VELOCITY_ERROR * tolerance, fmax(residual, least));
}

void pcs_monitor_make_strict(pcs_monitor *monitor)
{
    monitor->strict = true;
    if (monitor->done)
        return;
    pcs_friction_contact_velocity(monitor->problem, monitor->best, monitor->u);
    pcs_contact_measure found = pcs_friction_contact_measure_part(
        monitor->problem, monitor->opts->measure, monitor->best, monitor->u);
    monitor->best_value = judge(monitor, monitor->best, monitor->u, &found);
    if (isnan(monitor->best_value)) // a start that overflows: every other iterate is better
        monitor->best_value = INFINITY;
}

// Keeps (r, u) if it is the best so far.
static bool consider(pcs_monitor *monitor, const double *r, const double *u,
                     pcs_contact_measure *found)
{
    monitor->last = judge(monitor, r, u, found);
    if (monitor->last < monitor->best_value) {
        monitor->best_value = monitor->last;
        monitor->best_residual = found->residual;
        monitor->has_best_u = u == monitor->u;
        copy_rows(monitor, r, monitor->best, monitor->has_best_u ? u : NULL, monitor->best_u);
    }
    monitor->done = monitor->done || monitor->last <= monitor->opts->tolerance;
    return monitor->done || pcs_monitor_is_stopped(monitor);
}

bool pcs_monitor_test_with_u(pcs_monitor *monitor, const double *r, const double *u)
{
    pcs_contact_measure found = pcs_friction_contact_measure_part(monitor->problem,
                                                                  monitor->opts->measure, r, u);
    return consider(monitor, r, u, &found);
}

// From MEASURED_AT_ONCE blocks on one pass for all numbers is cheaper than reading W once more.
bool pcs_monitor_test(pcs_monitor *monitor, const double *r)
{
    enum { MEASURED_AT_ONCE = 512 };
    if (monitor->problem->W->n >= MEASURED_AT_ONCE) {
        pcs_contact_measure found = pcs_friction_contact_measure_all(monitor->problem, r,
                                                                     monitor->u);
        return consider(monitor, r, monitor->u, &found);
    }
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

bool pcs_monitor_is_exact(pcs_monitor *monitor)
{
    const double *u = monitor->has_best_u ? monitor->best_u : monitor->u;
    if (!monitor->has_best_u)
        pcs_friction_contact_velocity(monitor->problem, monitor->best, monitor->u);
    const double scaled = pcs_friction_contact_error(monitor->problem, PCS_MEASURE_SCALED,
                                                     monitor->best, u);
    return scaled <= PCS_ROUNDING_MAX && is_exact(monitor->problem, monitor->best, scaled);
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
    if (!monitor->stopped &&
        pcs_residual_in(&info->residual, monitor->opts->measure) <= monitor->opts->tolerance) {
        snprintf(info->reason, sizeof info->reason,
                 "only the %s residual is met (%.3g): large impulses excuse a scaled residual of "
                 "%.3g; contact %d is worst",
                 measures[monitor->opts->measure],
                 pcs_residual_in(&info->residual, monitor->opts->measure), info->residual.scaled,
                 (int)info->residual.worst);
        return;
    }
    snprintf(info->reason, sizeof info->reason,
             "%s with a %s residual of %.3g, tolerance %.3g; contact %d is worst",
             monitor->stopped ? "stopped" : "not converged", measures[monitor->opts->measure],
             monitor->best_value, monitor->opts->tolerance, (int)info->residual.worst);
}

pcs_status pcs_monitor_finish(pcs_monitor *monitor, double *r, double *u, pcs_solve_info *info)
{
    copy_rows(monitor, monitor->best, r, monitor->has_best_u ? monitor->best_u : NULL, u);
    if (!monitor->has_best_u)
        pcs_friction_contact_velocity(monitor->problem, r, u);
    info->residual = monitor->best_residual;
    if (!monitor->has_best_u || isnan(info->residual.scaled) || isnan(info->residual.unscaled))
        info->residual = pcs_friction_contact_measure_with_u(monitor->problem, r, u);
    info->seconds = pcs_timer_now() - monitor->started;
    if (monitor->done)
        return PCS_OK;
    info->at_rounding = is_exact(monitor->problem, r, info->residual.scaled);
    if (info->reason[0] == '\0')
        explain(monitor, info);
    return monitor->stopped ? PCS_INTERRUPTED : PCS_NOT_CONVERGED;
}
