// Acceptance of a friction contact problem before a solver touches it.
#include "nonsmooth/friction_contact.h"

#include <math.h>

static bool all_finite(const double *x, int64_t count)
{
    double sum = 0.0;
    for (int64_t k = 0; k < count; k++)
        sum += 0.0 * x[k]; // stays 0 unless some x is infinite or NaN
    return sum == 0.0;
}

pcs_status pcs_friction_contact_check(const pcs_friction_contact *problem, pcs_context *ctx,
                                      const double *r)
{
    const pcs_block_matrix *W = problem->W;
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
        if (!all_finite(r + first, size))
            return pcs_error(ctx, PCS_ERROR_NUMERIC, "contact %d: start is not finite", (int)i);
        for (int32_t k = W->row_start[i]; k < W->row_start[i + 1]; k++) {
            const int32_t j = W->column[k], columns = W->offset[j + 1] - W->offset[j];
            if (!all_finite(W->value + W->value_start[k], (int64_t)size * columns))
                return pcs_error(ctx, PCS_ERROR_NUMERIC, "contacts %d, %d: W is not finite", (int)i,
                                 (int)j);
        }
    }
    return PCS_OK;
}
