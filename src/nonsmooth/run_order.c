// Order of runs of nodes (run_order.h). Inside a colour the runs of a window go from the last to the
// first: the first run of a window touches the last one of the window before, which is then long
// done.
#include "nonsmooth/run_order.h"

// Runs of a window, at most 64: half as many threads are busy with a numbering whose neighbours are
// near, and the fewer there are, the farther loads travel.
enum { WINDOW = 16 };
// Threads whose gain is foreseen.
enum { THREADS = PCS_RUN_THREADS };

typedef struct order_job {
    pcs_run_order *order;
    const int32_t *row_start, *column;
    int32_t *place; // visit of each run
} order_job;

// Colours of runs first..last-1 among themselves: the lowest that is free.
static void colour_window(const order_job *job, int32_t first, int32_t last, int32_t *colour)
{
    const int32_t length = job->order->length, begin = first * length;
    for (int32_t run = first; run < last; run++) {
        const int32_t start = run * length, end = pcs_run_end(job->order, start);
        uint64_t taken = 0;
        int32_t seen = start; // the run before that was seen last begins here
        for (int32_t e = job->row_start[start]; e < job->row_start[end]; e++) {
            const int32_t j = job->column[e];
            if (j < begin || j >= start || (j >= seen && j < seen + length))
                continue;
            const int32_t before = (j - begin) / length;
            taken |= (uint64_t)1 << colour[before];
            seen = begin + before * length;
        }
        int32_t own = 0;
        while (taken >> own & 1)
            own++;
        colour[run - first] = own;
    }
}

static void order_window(void *user, int32_t window)
{
    const order_job *job = user;
    const int32_t first = window * WINDOW, left = job->order->count - first;
    const int32_t last = left < WINDOW ? job->order->count : first + WINDOW;
    int32_t colour[WINDOW], visit = first;
    colour_window(job, first, last, colour);
    for (int32_t c = 0; visit < last; c++)
        for (int32_t run = last - 1; run >= first; run--)
            if (colour[run - first] == c) {
                job->order->run[visit] = run;
                job->place[run] = visit++;
            }
}

// The last visit that touches the run of this one and stands before it.
static void find_needs(void *user, int32_t visit)
{
    const order_job *job = user;
    const int32_t length = job->order->length;
    const int32_t first = job->order->run[visit] * length, last = pcs_run_end(job->order, first);
    int32_t needs = 0, begin = 0, end = 0; // nodes of the last run seen
    for (int32_t e = job->row_start[first]; e < job->row_start[last]; e++) {
        const int32_t j = job->column[e];
        if (j >= begin && j < end)
            continue;
        const int32_t run = j / length, place = job->place[run];
        begin = run * length;
        end = begin + length;
        needs = place < visit && place >= needs ? place + 1 : needs;
    }
    job->order->needs[visit] = needs;
}

// Visits are given out in their order to the first of THREADS threads that is free; runs all take
// the same time. end_below[v] is the time when the visits below v are done.
static double estimate_speed_up(const pcs_run_order *order, int32_t *end_below)
{
    int32_t free_at[THREADS] = {0};
    end_below[0] = 0;
    for (int32_t visit = 0; visit < order->count; visit++) {
        int32_t first = 0;
        for (int32_t k = 1; k < THREADS; k++)
            first = free_at[k] < free_at[first] ? k : first;
        const int32_t ready = end_below[order->needs[visit]];
        free_at[first] = (ready > free_at[first] ? ready : free_at[first]) + 1;
        end_below[visit + 1] = free_at[first] > end_below[visit] ? free_at[first]
                                                                 : end_below[visit];
    }
    return order->count > 0 ? (double)order->count / end_below[order->count] : 1.0;
}

pcs_status pcs_run_order_compute(pcs_run_order *order, pcs_arena *arena, pcs_tasks *tasks,
                                 int32_t n, const int32_t *row_start, const int32_t *column,
                                 int32_t length)
{
    const int32_t count = n / length + (n % length > 0);
    *order = (pcs_run_order){.n = n, .length = length, .count = count};
    order->run = PCS_ARENA_ARRAY(arena, int32_t, count);
    order->needs = PCS_ARENA_ARRAY(arena, int32_t, count);
    order->done = PCS_ARENA_ARRAY(arena, atomic_uchar, count);
    pcs_arena_mark mark = pcs_arena_get_mark(arena);
    order_job job = {order, row_start, column, PCS_ARENA_ARRAY(arena, int32_t, count + 1)};
    if (order->run == NULL || order->needs == NULL || order->done == NULL || job.place == NULL)
        return PCS_ERROR_MEMORY;
    pcs_tasks_run(tasks, order_window, &job, (count + WINDOW - 1) / WINDOW);
    pcs_tasks_run(tasks, find_needs, &job, count);
    order->speed_up = estimate_speed_up(order, job.place); // which is needed no more
    pcs_arena_release(arena, mark);
    return PCS_OK;
}
