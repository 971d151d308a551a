// Growing array: capacity doubles, so that n appends cost O(n).
#include "base/array.h"

#include <string.h>

enum { FIRST_CAPACITY = 8 };

bool pcs_array_reserve(pcs_context *ctx, void **data, int32_t *capacity, int32_t needed,
                       size_t element_size)
{
    if (needed <= *capacity && needed >= 0)
        return true;
    if (needed < 0) { // count + 1 beyond INT32_MAX
        (void)pcs_error(ctx, PCS_ERROR_MEMORY, "out of memory: array of more than %ld elements",
                        (long)INT32_MAX);
        return false;
    }
    int64_t grown = *capacity < FIRST_CAPACITY ? FIRST_CAPACITY : 2 * (int64_t)*capacity;
    if (grown < needed)
        grown = needed;
    if (grown > INT32_MAX)
        grown = INT32_MAX;

    // `data` points to a `type *` seen as `void *`; copying its bytes keeps the aliasing rules.
    void *old;
    memcpy(&old, data, sizeof old);
    void *block = pcs_realloc(ctx, old, (size_t)grown, element_size);
    if (!block)
        return false;
    memcpy(data, &block, sizeof block);
    *capacity = (int32_t)grown;
    return true;
}
