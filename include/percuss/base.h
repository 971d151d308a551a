// Base vocabulary shared by every layer: status codes, the context (allocator, last error,
// log hook) and export marks. The library never prints, never exits and keeps no global state:
// what would be global lives in a pcs_context that the caller owns.
#ifndef PERCUSS_BASE_H
#define PERCUSS_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// What all functions of the library take and give:
// - No pointer may be NULL unless the comment says so. Handles (context, builder, model, simulation,
//   result, ...) are what create() or open() gave and are not looked at; destroy() and abandon() take
//   NULL. Arrays of a def may be NULL where their count is 0. Where pcs_builder_add_...() gives an id, and
//   the lists of schemes and solvers their help and options, NULL means: not wanted.
// - An id, index, kind or dimension that the object does not have gives a defined value: NULL, 0, false, NaN
//   or a view of zeros; arrays are left untouched. Functions with a status give an error with its text.
// - Negative counts: an error; a list of values then has none.
#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define PCS_API __attribute__((visibility("default")))
#define PCS_MUST_CHECK __attribute__((warn_unused_result))
#define PCS_PRINTF(format_index, first_arg) __attribute__((format(printf, format_index, first_arg)))
#else
#define PCS_API
#define PCS_MUST_CHECK
#define PCS_PRINTF(format_index, first_arg)
#endif

// Zero is success, positive values are usable results that need a look, negative values are errors.
typedef enum pcs_status {
    PCS_OK = 0,
    PCS_NOT_CONVERGED = 1, // the best iterate was kept; the info says how far it is
    PCS_INTERRUPTED = 2,   // a stop was asked for; everything computed so far is kept
    PCS_ERROR_MEMORY = -1,
    PCS_ERROR_ARGUMENT = -2, // a call with values that make no sense
    PCS_ERROR_INPUT = -3,    // a file or formula with a mistake; the text has file:line:column
    PCS_ERROR_MODEL = -4, // a model that cannot be simulated (contradictory joints, zero mass...)
    PCS_ERROR_SINGULAR = -5, // a matrix without a usable factorisation
    PCS_ERROR_NUMERIC = -6,  // NaN or infinity appeared during a run
    PCS_ERROR_IO = -7,       // the operating system refused to read or write
    PCS_ERROR_STOPPED = -8   // the caller's stop function asked for it, in the middle of a step
} pcs_status;

PCS_API const char *pcs_status_name(pcs_status status);

typedef enum pcs_log_level { PCS_LOG_INFO, PCS_LOG_WARNING } pcs_log_level;
typedef void (*pcs_log_fn)(void *user, pcs_log_level level, const char *text);

// Caller-supplied memory functions. `resize(user, NULL, 0, n)` allocates, `resize(user, p, n, 0)`
// frees.
typedef void *(*pcs_resize_fn)(void *user, void *block, size_t old_size, size_t new_size);

typedef struct pcs_context pcs_context;

typedef struct pcs_context_def {
    pcs_resize_fn resize; // NULL: malloc, realloc, free
    void *resize_user;
    pcs_log_fn log; // NULL: silent
    void *log_user;
    // Asked many times in a second inside steps, solves and factorisations; true ends the step with
    // PCS_ERROR_STOPPED, and the simulation is as it was before the step. NULL: never.
    bool (*stop)(void *user);
    void *stop_user;
} pcs_context_def;

PCS_API pcs_context_def pcs_context_default(void);
// Returns NULL only when memory is out.
PCS_API pcs_context *pcs_context_create(const pcs_context_def *def);
PCS_API void pcs_context_destroy(pcs_context *ctx);

// Text of the last error raised through this context, "" if there was none. Valid until the next
// error. It belongs to statuses < 0 alone: a call that returns PCS_OK, PCS_NOT_CONVERGED or
// PCS_INTERRUPTED leaves the text of an older error as it was; the info or the statistics explain
// it.
PCS_API const char *pcs_context_error(const pcs_context *ctx);

// Heap traffic of this context so far, and a switch that makes the n-th following request fail
// (n = 1 is the next one, 0 switches it off). Tests use both.
PCS_API uint64_t pcs_context_heap_calls(const pcs_context *ctx);
PCS_API uint64_t pcs_context_heap_bytes(const pcs_context *ctx); // bytes in use now
PCS_API void pcs_context_fail_heap_call(pcs_context *ctx, uint64_t n);

PCS_API const char *pcs_version(void);

#ifdef __cplusplus
}
#endif
#endif
