// Acceptance of a friction contact problem before a solver touches it.
#include "nonsmooth/friction_contact.h"

#include <math.h>

// The sums stay 0 unless some x is infinite or NaN.
static bool all_finite(const double *x, int64_t count)
{
    double sum[4] = {0.0, 0.0, 0.0, 0.0};
    int64_t k = 0;
    for (; k + 4 <= count; k += 4)
        for (int l = 0; l < 4; l++)
            sum[l] += 0.0 * x[k + l];
    for (; k < count; k++)
        sum[0] += 0.0 * x[k];
    return sum[0] + sum[1] + sum[2] + sum[3] == 0.0;
}

// Values of W in one piece of parallel work, and the most pieces.
enum { PIECE = 1 << 14, PIECES_MAX = 1024 };

typedef struct finite_job {
    const double *value;
    int64_t count, length; // of a piece
    bool finite[PIECES_MAX];
} finite_job;

static void finite_piece(void *user, int32_t piece)
{
    finite_job *job = user;
    const int64_t first = piece * job->length, left = job->count - first;
    job->finite[piece] = all_finite(job->value + first, left < job->length ? left : job->length);
}

static bool all_finite_shared(pcs_tasks *tasks, const double *value, int64_t count)
{
    finite_job job = {.value = value, .count = count, .length = PIECE};
    if (count > (int64_t)PIECE * PIECES_MAX)
        job.length = (count + PIECES_MAX - 1) / PIECES_MAX;
    const int32_t pieces = (int32_t)((count + job.length - 1) / job.length);
    pcs_tasks_run(tasks, finite_piece, &job, pieces);
    for (int32_t k = 0; k < pieces; k++)
        if (!job.finite[k])
            return false;
    return true;
}

// Values of W if they lie one behind the other, as they do in nearly all problems; else 0.
static int64_t count_contiguous(const pcs_block_matrix *W)
{
    int64_t end = 0;
    for (int32_t i = 0; i < W->n; i++) {
        const int32_t size = W->offset[i + 1] - W->offset[i];
        for (int32_t k = W->row_start[i]; k < W->row_start[i + 1]; k++) {
            const int32_t j = W->column[k];
            if (W->value_start[k] != end)
                return 0;
            end += (int64_t)size * (W->offset[j + 1] - W->offset[j]);
        }
    }
    return end;
}

// The first block of W with a value that is not finite.
static pcs_status check_blocks(const pcs_block_matrix *W, pcs_context *ctx)
{
    for (int32_t i = 0; i < W->n; i++) {
        const int32_t size = W->offset[i + 1] - W->offset[i];
        for (int32_t k = W->row_start[i]; k < W->row_start[i + 1]; k++) {
            const int32_t j = W->column[k], columns = W->offset[j + 1] - W->offset[j];
            if (!all_finite(W->value + W->value_start[k], (int64_t)size * columns))
                return pcs_error(ctx, PCS_ERROR_NUMERIC, "contacts %d, %d: W is not finite", (int)i,
                                 (int)j);
        }
    }
    return PCS_OK;
}

pcs_status pcs_friction_contact_check(const pcs_friction_contact *problem, pcs_context *ctx,
                                      const double *r)
{
    const pcs_block_matrix *W = problem->W;
    if (problem->is_checked && (r == NULL || W->n == 0 || all_finite(r, W->offset[W->n])))
        return PCS_OK;
    for (int32_t i = 0; i < W->n; i++) {
        const int32_t first = W->offset[i], size = W->offset[i + 1] - first;
        if (size < 1 || size > 3)
            return pcs_error(ctx, PCS_ERROR_ARGUMENT, "contact %d has %d components, not 1, 2 or 3",
                             (int)i, (int)size);
        if (size > 1 && !pcs_is_bilateral(problem, i) && !isfinite(problem->mu[i]))
            return pcs_error(ctx, PCS_ERROR_NUMERIC, "contact %d: friction is not finite", (int)i);
        if (size > 1 && !pcs_is_bilateral(problem, i) && problem->mu[i] < 0.0)
            return pcs_error(ctx, PCS_ERROR_ARGUMENT, "contact %d: friction %g is negative", (int)i,
                             problem->mu[i]);
        if (!all_finite(problem->q + first, size))
            return pcs_error(ctx, PCS_ERROR_NUMERIC, "contact %d: q is not finite", (int)i);
        if (r != NULL && !all_finite(r + first, size))
            return pcs_error(ctx, PCS_ERROR_NUMERIC, "contact %d: start is not finite", (int)i);
    }
    const int64_t values = count_contiguous(W);
    return values > 0 && all_finite_shared(problem->tasks, W->value, values) ? PCS_OK
                                                                             : check_blocks(W, ctx);
}
