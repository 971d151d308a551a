// An order in which runs of consecutive nodes of a graph are visited: nearly that of their numbers,
// along which loads travel far in one sweep, and yet with work for several threads. The runs are
// taken window by window; those of a window are coloured, and visited colour by colour. A run waits
// for the runs before it that touch it and for no others, so that the result is that of one thread.
#ifndef PCS_NONSMOOTH_RUN_ORDER_H
#define PCS_NONSMOOTH_RUN_ORDER_H

#include "base/arena.h"
#include "base/tasks.h"

enum { PCS_RUN_THREADS = 4 };

typedef struct pcs_run_order {
    int32_t n, length, count; // nodes, nodes of a run (the last one may have less), runs
    int32_t *run;             // in the order of visits
    int32_t *needs;           // visits below this one must be done first (pcs_tasks_run_ordered)
    atomic_uchar *done;       // flags for that
    double
        speed_up; // of PCS_RUN_THREADS threads, foreseen: 1 where each run waits for the last one
} pcs_run_order;

// For a graph with a symmetric pattern (CSR; entries (i, i) are ignored).
pcs_status pcs_run_order_compute(pcs_run_order *order, pcs_arena *arena, pcs_tasks *tasks,
                                 int32_t n, const int32_t *row_start, const int32_t *column,
                                 int32_t length) PCS_MUST_CHECK;
// The node behind the last one of the run that begins with `first`.
static inline int32_t pcs_run_end(const pcs_run_order *order, int32_t first)
{
    return order->n - first < order->length ? order->n : first + order->length;
}

#endif
