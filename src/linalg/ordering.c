// Fill-reducing order through SuiteSparse AMD.
#include "linalg/ordering.h"

#include <amd.h>

pcs_status pcs_ordering_compute(pcs_context *ctx, int32_t n, const int32_t *start,
                                const int32_t *neighbour, int32_t *order)
{
    if (n < 3) { // no order can make fill
        for (int32_t i = 0; i < n; ++i)
            order[i] = i;
        return PCS_OK;
    }
    const int result = amd_order(n, start, neighbour, order, NULL, NULL);
    if (result == AMD_OUT_OF_MEMORY)
        return pcs_error(ctx, PCS_ERROR_MEMORY, "no memory to order %d vertices", (int)n);
    if (result == AMD_INVALID)
        return pcs_error(ctx, PCS_ERROR_ARGUMENT, "invalid graph of %d vertices", (int)n);
    return PCS_OK;
}
