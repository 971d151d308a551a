// Sweeps with momentum: the loop, and when momentum starts again.
#include "nonsmooth/sweep_momentum.h"

#include <math.h>
#include <string.h>

#include "math/cone.h"

// Growth of |G(y) - y| above its smallest value that restarts; that value is forgotten at the rate
// FORGET, since on the way past a near solution the change is smallest in the middle.
static const double GROWTH = 1.1, FORGET = 1.01;
// Sweeps between two measurements of the residual.
enum { SWEEPS_PER_TEST = 10 };
// Contacts in one piece of parallel work.
enum { PIECE = 1024, SUMS = 2 };

pcs_status pcs_sweep_momentum_init(pcs_sweep_momentum *momentum,
                                   const pcs_friction_contact *problem, pcs_arena *arena)
{
    const pcs_block_matrix *W = problem->W;
    const int32_t rows = W->offset[W->n];
    double *vectors = PCS_ARENA_ARRAY(arena, double, 4 * (int64_t)rows);
    double *part = PCS_ARENA_ARRAY(arena, double, SUMS *(int64_t)(W->n / PIECE + 1));
    if (vectors == NULL || part == NULL)
        return PCS_ERROR_MEMORY;
    *momentum = (pcs_sweep_momentum){.weight = vectors,
                                     .iterate = vectors + rows,
                                     .last = vectors + 2 * (int64_t)rows,
                                     .point = vectors + 3 * (int64_t)rows,
                                     .part = part};
    for (int32_t i = 0; i < W->n; i++)
        for (int32_t k = W->offset[i]; k < W->offset[i + 1]; k++)
            momentum->weight[k] = 1.0 / pcs_friction_block_rho(W, i);
    return pcs_nsgs_work_init_order(&momentum->sweeps, problem, arena, PCS_ORDER_AUTO,
                                    problem->tasks);
}

void pcs_sweep_momentum_start(pcs_sweep_momentum *momentum, const double *r)
{
    const pcs_block_matrix *W = momentum->sweeps.problem->W;
    const size_t bytes = (size_t)W->offset[W->n] * sizeof *r;
    memcpy(momentum->iterate, r, bytes);
    memcpy(momentum->last, r, bytes);
    momentum->age = 0;
    momentum->smallest = INFINITY;
}

static int32_t piece_end(const pcs_sweep_momentum *momentum, int32_t piece)
{
    const int32_t n = momentum->sweeps.problem->W->n;
    return n - piece * PIECE < PIECE ? n : (piece + 1) * PIECE;
}

// y = P_K(x_k + b (x_k - x_{k-1}))
static void extrapolate_piece(void *user, int32_t piece)
{
    pcs_sweep_momentum *momentum = user;
    const pcs_friction_contact *problem = momentum->sweeps.problem;
    const int32_t *offset = problem->W->offset;
    const double *x = momentum->iterate, *last = momentum->last;
    for (int32_t i = piece * PIECE; i < piece_end(momentum, piece); i++) {
        for (int32_t k = offset[i]; k < offset[i + 1]; k++)
            momentum->point[k] = x[k] + momentum->factor * (x[k] - last[k]);
        if (!pcs_is_bilateral(problem, i))
            pcs_cone_project(problem->mu[i], offset[i + 1] - offset[i],
                             momentum->point + offset[i]);
    }
}

// Sums of |g|^2 and g . (x_k - x_{k-1}) with g = G(y) - y, where y is made again from x
static void measure_piece(void *user, int32_t piece)
{
    pcs_sweep_momentum *momentum = user;
    const pcs_friction_contact *problem = momentum->sweeps.problem;
    const int32_t *offset = problem->W->offset;
    const double *x = momentum->iterate, *last = momentum->last;
    double change2 = 0.0, along = 0.0;
    for (int32_t i = piece * PIECE; i < piece_end(momentum, piece); i++) {
        const int32_t first = offset[i], size = offset[i + 1] - first;
        double y[3];
        for (int32_t k = 0; k < size; k++)
            y[k] = x[first + k] + momentum->factor * (x[first + k] - last[first + k]);
        if (!pcs_is_bilateral(problem, i))
            pcs_cone_project(problem->mu[i], size, y);
        for (int32_t k = 0; k < size; k++) {
            const double g = momentum->point[first + k] - y[k], w = momentum->weight[first + k];
            change2 += w * g * g;
            along += w * g * (x[first + k] - last[first + k]);
        }
    }
    momentum->part[SUMS * piece] = change2;
    momentum->part[SUMS * piece + 1] = along;
}

// x_{k-1} <- x_k, x_k <- G(y)
static void shift(pcs_sweep_momentum *momentum)
{
    double *free_vector = momentum->last;
    momentum->last = momentum->iterate;
    momentum->iterate = momentum->point;
    momentum->point = free_vector;
}

// One sweep from the extrapolated point. Returns |G(y) - y|.
static double advance(pcs_sweep_momentum *momentum)
{
    pcs_tasks *tasks = momentum->sweeps.tasks;
    const pcs_block_matrix *W = momentum->sweeps.problem->W;
    const int32_t pieces = (W->n + PIECE - 1) / PIECE;
    double change2 = 0.0, along = 0.0;
    const int32_t k = ++momentum->age;
    momentum->factor = (double)(k - 1) / (double)(k + 2);
    pcs_tasks_run(tasks, extrapolate_piece, momentum, pieces);
    pcs_nsgs_sweep(&momentum->sweeps, 1.0, momentum->point);
    pcs_tasks_run(tasks, measure_piece, momentum, pieces);
    for (int32_t p = 0; p < pieces; p++) {
        change2 += momentum->part[SUMS * p];
        along += momentum->part[SUMS * p + 1];
    }
    const double change = sqrt(change2);
    shift(momentum);
    if (k > 2 && (along < 0.0 || !(change <= GROWTH * momentum->smallest))) {
        momentum->age = 0;
        momentum->smallest = INFINITY;
    } else {
        momentum->smallest = fmin(change, FORGET * momentum->smallest);
    }
    return change;
}

bool pcs_sweep_momentum_run(pcs_sweep_momentum *momentum, pcs_monitor *monitor, int32_t max_sweeps,
                            double *r, int32_t *sweeps)
{
    bool end = monitor->done || monitor->stopped;
    for (int32_t k = 1; k <= max_sweeps && !end; k++) {
        const double change = advance(momentum);
        ++*sweeps;
        if (k % SWEEPS_PER_TEST == 0 || k == max_sweeps || !(change > 0.0)) {
            end = pcs_monitor_test(monitor, momentum->iterate);
            if (!(change > 0.0) || !isfinite(change))
                break; // a fixed point, or no number
        }
    }
    memcpy(r, momentum->iterate, (size_t)monitor->rows * sizeof *r);
    return end;
}
