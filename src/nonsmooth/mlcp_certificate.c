// Proof that an MLCP is infeasible, by Farkas' lemma. For every z with z >= 0, w >= 0 (equalities:
// z free, w = 0) and every y with y >= 0 on the complementarity rows
//
//     0 <= y . w = (M^T y) . z + q . y <= e |z|_1 + q . y,
//
// e being the largest (M^T y)_i, or |(M^T y)_e| on equality rows. Hence |z|_1 >= -q . y / e: with
// q . y < 0 and e = 0 there is no such z, and with e at the level of rounding none of sensible
// size. y comes from the ray in which Lemke's method on the linear program of feasibility ends,
//
//     0 <= -M^T y \perp z >= 0,     0 <= M z + q \perp y >= 0,
//
// which is skew, so that a ray means infeasible. Only the recomputed bound counts.
#include <float.h>
#include <math.h>
#include <string.h>

#include "nonsmooth/mlcp_internal.h"

// What y proves, with the rounding of the sums taken against the proof.
static double proven_bound(const pcs_mlcp *problem, double *y)
{
    const int32_t n = problem->n;
    const long double unit = (long double)n * LDBL_EPSILON;
    long double gain = 0.0L, excess = 0.0L;
    for (int32_t i = 0; i < n; i++) {
        if (!pcs_mlcp_is_equality(problem, i))
            y[i] = fmax(0.0, y[i]);
        const long double term = (long double)problem->q[i] * y[i];
        gain += -term - unit * fabsl(term);
    }
    for (int32_t j = 0; j < n; j++) {
        long double sum = 0.0L, size = 0.0L;
        for (int32_t i = 0; i < n; i++) {
            const long double term = (long double)problem->M[(int64_t)i * n + j] * y[i];
            sum += term;
            size += fabsl(term);
        }
        if (pcs_mlcp_is_equality(problem, j))
            sum = fabsl(sum);
        if (sum > 0.0L || size > 0.0L)
            excess = fmaxl(excess, sum + unit * size);
    }
    if (!(gain > 0.0L))
        return 0.0;
    return excess > 0.0L ? (double)(gain / excess) : INFINITY;
}

static pcs_status prove(const pcs_mlcp *problem, pcs_arena *arena, double *bound)
{
    const int32_t n = problem->n, size = 2 * n;
    const int64_t square = (int64_t)size * size;
    double *M = PCS_ARENA_ARRAY(arena, double, square);
    double *q = PCS_ARENA_ARRAY(arena, double, size), *zy = PCS_ARENA_ARRAY(arena, double, size);
    uint8_t *equality = PCS_ARENA_ARRAY(arena, uint8_t, size);
    pcs_lemke_end end;
    int32_t pivots = 0;
    if (!M || !q || !zy || !equality)
        return PCS_ERROR_MEMORY;
    memset(M, 0, (size_t)size * (size_t)size * sizeof *M);
    for (int32_t i = 0; i < n; i++) {
        q[i] = 0.0;
        q[n + i] = problem->q[i];
        equality[i] = equality[n + i] = pcs_mlcp_is_equality(problem, i);
        for (int32_t j = 0; j < n; j++) {
            const double entry = problem->M[(int64_t)i * n + j];
            M[(int64_t)(n + i) * size + j] = entry;
            M[(int64_t)j * size + n + i] = -entry;
        }
    }
    const pcs_mlcp program = {size, M, q, equality};
    PCS_TRY(pcs_lemke_solve(&program, 0, 0, NULL, arena, zy, &end, &pivots));
    *bound = end == PCS_LEMKE_RAY ? proven_bound(problem, zy + n) : 0.0;
    return PCS_OK;
}

pcs_status pcs_mlcp_prove_infeasible(const pcs_mlcp *problem, pcs_arena *arena, double *bound)
{
    const pcs_arena_mark mark = pcs_arena_get_mark(arena);
    *bound = 0.0;
    const pcs_status status = prove(problem, arena, bound);
    pcs_arena_release(arena, mark);
    return status;
}
