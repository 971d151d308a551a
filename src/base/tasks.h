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

// Pieces in lanes. The pieces of a lane are done in their order and, as far as possible, by one
// thread, which finds their data in its cache when the same lanes are run again. A piece may need
// pieces of other lanes; those that stand before it in an order of all pieces, or it would wait for
// ever.
enum { PCS_TASK_LANES = 4 };
typedef struct pcs_task_lane {
    int32_t count;
    int32_t *piece;           // numbers of its pieces
    atomic_int_least32_t way; // 2 k: k pieces are done; 2 k + 1: the next one is being done
    char gap[64];             // each on a cache line of its own
} pcs_task_lane;
typedef struct pcs_task_lanes {
    pcs_task_lane lane[PCS_TASK_LANES];
    int32_t (*needs)[PCS_TASK_LANES]; // of each piece: so many of each lane must be done before it
} pcs_task_lanes;

// Calls fn(user, piece) for all pieces and returns when all are done. A piece sees what those that
// it needs wrote; `ordered` false: none needs another. Threads that wait take pieces of others, so
// that one that has lost its processor does not stop the rest.
void pcs_tasks_run_lanes(pcs_tasks *tasks, pcs_task_fn fn, void *user, pcs_task_lanes *lanes,
                         bool ordered);

// A run will follow within microseconds: threads that sleep get ready for it meanwhile. NULL is
// allowed.
void pcs_tasks_wake(pcs_tasks *tasks);

#endif
