// Task pool: runs independent pieces of work on a fixed set of threads. Which thread does which
// piece is left to chance; results do not depend on it as long as the pieces are independent.
#ifndef PCS_BASE_TASKS_H
#define PCS_BASE_TASKS_H

#include <stdatomic.h>

#include "base/context.h"

typedef struct pcs_tasks pcs_tasks;
typedef void (*pcs_task_fn)(void *user, int32_t index);

// A pool of `threads` threads, the caller of run() being one of them; 0: one for each processor.
pcs_status pcs_tasks_create(pcs_context *ctx, int32_t threads, pcs_tasks **out) PCS_MUST_CHECK;
void pcs_tasks_destroy(pcs_tasks *tasks); // NULL is allowed
// Threads that work in a run; 1 for NULL.
int32_t pcs_tasks_threads(const pcs_tasks *tasks);
// Calls fn(user, i) for i = 0 .. count-1 and returns when all are done. What the caller wrote
// before is seen by all pieces, what the pieces wrote is seen by the caller. No heap call. With
// tasks NULL, one thread, or a pool that is busy (a run inside a run, or from a second thread) the
// pieces are done one after the other by the caller.
void pcs_tasks_run(pcs_tasks *tasks, pcs_task_fn fn, void *user, int32_t count);

// The same for pieces that depend on each other: piece i begins when the pieces below needs[i] (at
// most i) are done, and sees what they wrote. Pieces are taken in their order, so that the first one
// that is not done can always go on. `done` has room for `count` flags.
void pcs_tasks_run_ordered(pcs_tasks *tasks, pcs_task_fn fn, void *user, int32_t count,
                           const int32_t *needs, atomic_uchar *done);

// A run will follow within microseconds: threads that sleep get ready for it meanwhile. NULL is
// allowed.
void pcs_tasks_wake(pcs_tasks *tasks);

#endif
