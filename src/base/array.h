// Growing array: `PCS_ARRAY(type)` declares {type *data; int32_t count, capacity}, PCS_PUSH
// appends.
#ifndef PCS_BASE_ARRAY_H
#define PCS_BASE_ARRAY_H

#include "base/context.h"

#define PCS_ARRAY(type)   \
    struct {              \
        type *data;       \
        int32_t count;    \
        int32_t capacity; \
    }

// Makes room for one more element; false when memory is out (error recorded).
bool pcs_array_reserve(pcs_context *ctx, void **data, int32_t *capacity, int32_t needed,
                       size_t element_size);

// Appends `value`; evaluates to false when memory is out.
#define PCS_PUSH(ctx, array, value)                                                            \
    (pcs_array_reserve((ctx), (void **)&(array)->data, &(array)->capacity, (array)->count + 1, \
                       sizeof *(array)->data)                                                  \
         ? ((array)->data[(array)->count++] = (value), true)                                   \
         : false)

// Whether the array has an element i.
#define PCS_HAS(array, i) ((i) >= 0 && (i) < (array)->count)

#define PCS_ARRAY_FREE(ctx, array)      \
    do {                                \
        pcs_free((ctx), (array)->data); \
        (array)->data = NULL;           \
        (array)->count = 0;             \
        (array)->capacity = 0;          \
    } while (0)

#endif
