// Infeasible interior point method for monotone M (a convex QP has M = [Q -A^T; A 0]), Mehrotra's
// predictor and corrector with one step length for z and w, as the complementarity problem needs
// [Wright1997, ch. 8]:
//
//     M dz - dw = -(M z + q - w),     w_i dz_i + z_i dw_i = sigma mu - z_i w_i - (dz_i dw_i)_pred
//
// with dw eliminated; on equality rows w = 0. The limit point has the largest possible number of
// positive z_i and w_i, from which the polish reads the active set.

#include <float.h>
#include <math.h>
#include <string.h>

#include "linalg/dense.h"
#include "nonsmooth/mlcp_internal.h"

enum { STEPS_DEFAULT = 200 };
static const double BOUNDARY = 0.9995;   // part of the step to the boundary that is taken
static const double STEP_LEAST = 1e-9;   // below, the iteration is stuck
static const double REGULARISE = 1e-13;  // of the data's size 1: keeps the matrix regular
static const double POLISH_BELOW = 1e-6; // average z_i w_i from where the active set may be known

typedef struct interior_work {
    const pcs_mlcp *problem;
    int32_t n, complementary;
    double *w, *residual; // M z + q - w
    double *dz, *dw, *target;
    double *A;
    int32_t *pivot;
} interior_work;

static pcs_status interior_init(interior_work *k, const pcs_mlcp *problem, pcs_arena *arena)
{
    const int32_t n = problem->n;
    const int64_t square = (int64_t)n * n;
    *k = (interior_work){.problem = problem, .n = n};
    k->w = PCS_ARENA_ARRAY(arena, double, n);
    k->residual = PCS_ARENA_ARRAY(arena, double, n);
    k->dz = PCS_ARENA_ARRAY(arena, double, n);
    k->dw = PCS_ARENA_ARRAY(arena, double, n);
    k->target = PCS_ARENA_ARRAY(arena, double, n);
    k->A = PCS_ARENA_ARRAY(arena, double, square);
    k->pivot = PCS_ARENA_ARRAY(arena, int32_t, n);
    for (int32_t i = 0; i < n; i++)
        k->complementary += !pcs_mlcp_is_equality(problem, i);
    return k->w && k->residual && k->dz && k->dw && k->target && k->A && k->pivot
               ? PCS_OK
               : PCS_ERROR_MEMORY;
}

// z and w positive, of the size that the start and its w suggest
static void choose_start(interior_work *k, double *z)
{
    double size = 1.0;
    pcs_mlcp_compute_w(k->problem, z, k->w);
    for (int32_t i = 0; i < k->n; i++)
        size = fmax(size, fmax(fabs(z[i]), fabs(k->w[i])));
    for (int32_t i = 0; i < k->n; i++) {
        const bool equality = pcs_mlcp_is_equality(k->problem, i);
        z[i] = equality ? z[i] : size;
        k->w[i] = equality ? 0.0 : size;
    }
}

static double average_gap(const interior_work *k, const double *z)
{
    double sum = 0.0;
    for (int32_t i = 0; i < k->n; i++)
        sum += z[i] * k->w[i]; // w_e = 0
    return sum / fmax(1.0, (double)k->complementary);
}

static bool factor(interior_work *k, const double *z)
{
    const int32_t n = k->n;
    memcpy(k->A, k->problem->M, (size_t)n * (size_t)n * sizeof *k->A);
    for (int32_t i = 0; i < n; i++)
        k->A[(int64_t)i * n + i] += REGULARISE +
                                    (pcs_mlcp_is_equality(k->problem, i) ? 0.0 : k->w[i] / z[i]);
    return pcs_dense_lu_factor(n, k->A, k->pivot) < 0;
}

// (M + W/Z) dz = -residual + target/z, then dw = (target - w dz) / z
static void solve_step(interior_work *k, const double *z)
{
    for (int32_t i = 0; i < k->n; i++) {
        const bool equality = pcs_mlcp_is_equality(k->problem, i);
        k->dz[i] = -k->residual[i] + (equality ? 0.0 : k->target[i] / z[i]);
    }
    pcs_dense_lu_solve(k->n, k->A, k->pivot, 1, k->dz);
    for (int32_t i = 0; i < k->n; i++)
        k->dw[i] = pcs_mlcp_is_equality(k->problem, i) ? 0.0
                                                       : (k->target[i] - k->w[i] * k->dz[i]) / z[i];
}

static double step_length(const interior_work *k, const double *z)
{
    double longest = 1.0 / BOUNDARY;
    for (int32_t i = 0; i < k->n; i++) {
        if (pcs_mlcp_is_equality(k->problem, i))
            continue;
        if (k->dz[i] < 0.0)
            longest = fmin(longest, -z[i] / k->dz[i]);
        if (k->dw[i] < 0.0)
            longest = fmin(longest, -k->w[i] / k->dw[i]);
    }
    return BOUNDARY * longest;
}

// Predictor (sigma = 0), then the corrector with sigma from what the predictor reaches; returns the
// length of the step taken, 0 if there is none.
static double take_step(interior_work *k, double *z)
{
    const double mu = average_gap(k, z);
    pcs_mlcp_compute_w(k->problem, z, k->residual);
    for (int32_t i = 0; i < k->n; i++) {
        k->residual[i] -= k->w[i];
        k->target[i] = -z[i] * k->w[i];
    }
    if (!factor(k, z))
        return 0.0;
    solve_step(k, z);
    double step = fmin(1.0, step_length(k, z)), reached = 0.0;
    for (int32_t i = 0; i < k->n; i++)
        reached += (z[i] + step * k->dz[i]) * (k->w[i] + step * k->dw[i]) *
                   (pcs_mlcp_is_equality(k->problem, i) ? 0.0 : 1.0);
    reached /= fmax(1.0, (double)k->complementary);
    const double sigma = mu > 0.0 ? pow(fmax(0.0, reached / mu), 3.0) : 0.0;
    for (int32_t i = 0; i < k->n; i++)
        k->target[i] = sigma * mu - z[i] * k->w[i] - k->dz[i] * k->dw[i];
    solve_step(k, z);
    step = fmin(1.0, step_length(k, z));
    for (int32_t i = 0; i < k->n; i++) {
        if (!isfinite(k->dz[i]) || !isfinite(k->dw[i]))
            return 0.0;
    }
    for (int32_t i = 0; i < k->n; i++) {
        z[i] += step * k->dz[i];
        k->w[i] += step * k->dw[i];
    }
    return step;
}

static pcs_status iterate(interior_work *k, pcs_mlcp_run *run, double *z, int32_t *iterations)
{
    const int32_t limit = pcs_mlcp_limit(run, STEPS_DEFAULT);
    double polished_at = POLISH_BELOW;
    choose_start(k, z);
    while (*iterations < limit) {
        const double step = take_step(k, z);
        ++*iterations;
        run->info->factorisations++;
        if (pcs_mlcp_offer(run, z))
            return PCS_OK;
        if (average_gap(k, z) < polished_at) { // again only when the gap has fallen a good deal
            polished_at = 1e-2 * average_gap(k, z);
            PCS_TRY(pcs_mlcp_polish(run, z));
        }
        if (run->done || run->stopped || step < STEP_LEAST)
            return PCS_OK;
    }
    return PCS_OK;
}

pcs_status pcs_mlcp_is_monotone(const pcs_mlcp *problem, pcs_arena *arena, bool *monotone)
{
    const int32_t n = problem->n;
    const pcs_arena_mark mark = pcs_arena_get_mark(arena);
    const int64_t square = (int64_t)n * n;
    double *S = PCS_ARENA_ARRAY(arena, double, square), largest = 0.0;
    if (!S)
        return PCS_ERROR_MEMORY;
    for (int32_t i = 0; i < n; i++)
        for (int32_t j = 0; j < n; j++) {
            const double a = problem->M[(int64_t)i * n + j], b = problem->M[(int64_t)j * n + i];
            S[(int64_t)i * n + j] = 0.5 * (a + b);
            largest = fmax(largest, fabs(a));
        }
    for (int32_t i = 0; i < n; i++) // data of 16 digits are semidefinite only up to this
        S[(int64_t)i * n + i] += 8.0 * DBL_EPSILON * largest * (double)n;
    *monotone = largest == 0.0 || pcs_dense_cholesky_factor(n, S) < 0;
    pcs_arena_release(arena, mark);
    return PCS_OK;
}

pcs_status pcs_mlcp_interior_point(pcs_mlcp_run *run, const double *option, double *y,
                                   int32_t *iterations)
{
    (void)option;
    const pcs_arena_mark mark = pcs_arena_get_mark(run->arena);
    interior_work work;
    bool monotone = true;
    pcs_status status = interior_init(&work, &run->scaled, run->arena);
    if (status == PCS_OK)
        status = iterate(&work, run, y, iterations);
    if (status == PCS_OK && !run->done) {
        status = pcs_mlcp_is_monotone(&run->scaled, run->arena, &monotone);
        pcs_mlcp_explain(run, monotone
                                  ? "interior point: stuck although M is monotone; the problem may "
                                    "be infeasible"
                                  : "interior point: stuck; M is not monotone");
    }
    pcs_arena_release(run->arena, mark);
    return status;
}
