// Internal face of the context: how the library raises errors, logs and allocates.
#ifndef PCS_BASE_CONTEXT_H
#define PCS_BASE_CONTEXT_H

#include <stdbool.h>

#include "percuss/base.h"

// Records the text (printf style, cut at 1023 characters) and returns `status`, so that a failing
// function reads `return pcs_error(ctx, PCS_ERROR_MODEL, "body '%s': ...", name);`.
pcs_status pcs_error(pcs_context *ctx, pcs_status status, const char *format, ...) PCS_PRINTF(3, 4);
// Puts "prefix: " before the recorded text; used where an outer layer knows the place.
pcs_status pcs_error_prefix(pcs_context *ctx, pcs_status status, const char *format, ...)
    PCS_PRINTF(3, 4);
void pcs_log(pcs_context *ctx, pcs_log_level level, const char *format, ...) PCS_PRINTF(3, 4);

// Whether the caller wants a long computation to end. Once it does, the answer stays until the next
// computation begins, so that every part of this one hears it.
bool pcs_context_stops(pcs_context *ctx);
void pcs_context_begin(pcs_context *ctx);
// PCS_ERROR_STOPPED, with its text, if so. Every loop asks that may last a second.
pcs_status pcs_context_go_on(pcs_context *ctx) PCS_MUST_CHECK;
// The same question as a solver asks it (pcs_stop_fn); `ctx` is the context.
int pcs_context_stop_hook(void *ctx);

// Zeroed memory of count*size bytes. NULL (with the error recorded) when memory is out or the
// product overflows; count*size == 0 gives a valid pointer to free.
void *pcs_calloc(pcs_context *ctx, size_t count, size_t size);
// Grows or shrinks to count*size bytes; new bytes are not set. NULL leaves the old block valid.
void *pcs_realloc(pcs_context *ctx, void *block, size_t count, size_t size);
void pcs_free(pcs_context *ctx, void *block); // NULL is allowed
char *pcs_strdup(pcs_context *ctx, const char *text);
// Copy of the first `length` bytes of `text`, terminated.
char *pcs_strndup(pcs_context *ctx, const char *text, size_t length);

// An array of `length` zeros for each pointer of a list. False when memory is out; those that were
// not made are then NULL.
bool pcs_calloc_list(pcs_context *ctx, double **const *list, size_t count, int64_t length);

#define PCS_NEW(ctx, type) ((type *)pcs_calloc((ctx), 1, sizeof(type)))
#define PCS_NEW_ARRAY(ctx, type, count) ((type *)pcs_calloc((ctx), (size_t)(count), sizeof(type)))
#define PCS_NEW_LIST(ctx, list, length) \
    pcs_calloc_list((ctx), (list), sizeof(list) / sizeof *(list), (length))

// Leaves the enclosing function with the status if it is an error (< 0).
#define PCS_TRY(call)                    \
    do {                                 \
        pcs_status try_status_ = (call); \
        if (try_status_ < 0)             \
            return try_status_;          \
    } while (0)

#endif
