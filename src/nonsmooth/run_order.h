// An order in which runs of consecutive nodes of a graph are visited, with work for several
// threads: the runs are divided into lanes, stretches of the whole, which go through theirs side by
// side. Inside a lane the order is that of the numbers, along which loads travel far in one sweep.
// A run waits for the runs before it that touch it and for no others, so that the result is that of
// one thread.
#ifndef PCS_NONSMOOTH_RUN_ORDER_H
#define PCS_NONSMOOTH_RUN_ORDER_H

#include "base/arena.h"
#include "base/tasks.h"

typedef struct pcs_run_order {
    int32_t n, length, count; // nodes, nodes of a run (the last one may have less), runs
    int32_t *run;             // in the order of visits
    pcs_task_lanes lanes;     // the same for threads
    double speed_up; // of a thread for each lane, foreseen: 1 where each run waits for the last one
} pcs_run_order;

// For a graph with a symmetric pattern (CSR; entries (i, i) are ignored).
pcs_status pcs_run_order_compute(pcs_run_order *order, pcs_arena *arena, pcs_tasks *tasks,
                                 int32_t n, const int32_t *row_start, const int32_t *column,
                                 int32_t length) PCS_MUST_CHECK;
// Calls visit(user, run) for all runs, in the order or with the same outcome.
void pcs_run_order_visit(pcs_run_order *order, pcs_tasks *tasks, pcs_task_fn visit, void *user);
// The same in any order, each run by the thread that has it in the order.
void pcs_run_order_visit_freely(pcs_run_order *order, pcs_tasks *tasks, pcs_task_fn visit,
                                void *user);
// The node behind the last one of the run that begins with `first`.
static inline int32_t pcs_run_end(const pcs_run_order *order, int32_t first)
{
    return order->n - first < order->length ? order->n : first + order->length;
}

#endif
