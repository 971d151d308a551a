// Order of runs of nodes (run_order.h).
#include "nonsmooth/run_order.h"

enum { LANES = PCS_TASK_LANES };

// Where a run stands
typedef struct run_place {
    int32_t visit; // in the order
    int32_t lane, index;
} run_place;

typedef struct order_job {
    pcs_run_order *order;
    const int32_t *row_start, *column;
    run_place *place;
} order_job;

// Lane l has the runs from this one on. The last run may be short: later lanes have one more where
// they cannot have as many.
static int32_t lane_start(const pcs_run_order *order, int l)
{
    const int32_t each = order->count / LANES, without_more = LANES - order->count % LANES;
    return each * l + (l > without_more ? l - without_more : 0);
}

static void order_runs(order_job *job)
{
    pcs_run_order *order = job->order;
    int32_t visit = 0;
    for (int32_t step = 0; visit < order->count; step++)
        for (int l = 0; l < LANES; l++) {
            const int32_t run = lane_start(order, l) + step;
            pcs_task_lane *lane = &order->lanes.lane[l];
            if (run >= lane_start(order, l + 1))
                continue;
            job->place[run] = (run_place){visit, l, lane->count};
            lane->piece[lane->count++] = run;
            order->run[visit++] = run;
        }
}

// How far each lane must be: past the runs that touch this one and stand before it.
static void find_needs(void *user, int32_t run)
{
    const order_job *job = user;
    const int32_t length = job->order->length;
    const int32_t first = run * length, last = pcs_run_end(job->order, first);
    int32_t *needs = job->order->lanes.needs[run], begin = 0, end = 0; // nodes of the last run seen
    for (int l = 0; l < LANES; l++)
        needs[l] = 0;
    for (int32_t e = job->row_start[first]; e < job->row_start[last]; e++) {
        const int32_t j = job->column[e];
        if (j >= begin && j < end)
            continue;
        const run_place *other = &job->place[j / length];
        begin = j / length * length;
        end = begin + length;
        if (other->visit < job->place[run].visit && other->index >= needs[other->lane])
            needs[other->lane] = other->index + 1;
    }
}

// Each lane has a thread, and runs all take the same time; end[run] is when it is done.
static double estimate_speed_up(const pcs_run_order *order, const run_place *place, int32_t *end)
{
    int32_t last = 0;
    for (int32_t visit = 0; visit < order->count; visit++) {
        const int32_t run = order->run[visit], *needs = order->lanes.needs[run];
        int32_t start = 0;
        for (int l = 0; l < LANES; l++) {
            const int32_t count = l == place[run].lane ? place[run].index : needs[l];
            const int32_t before = count > 0 ? end[order->lanes.lane[l].piece[count - 1]] : 0;
            start = before > start ? before : start;
        }
        end[run] = start + 1;
        last = end[run] > last ? end[run] : last;
    }
    return last > 0 ? (double)order->count / last : 1.0;
}

static pcs_status make_room(pcs_run_order *order, pcs_arena *arena)
{
    int32_t *pieces = PCS_ARENA_ARRAY(arena, int32_t, order->count);
    order->run = PCS_ARENA_ARRAY(arena, int32_t, order->count);
    order->lanes.needs = pcs_arena_alloc(arena, (size_t)order->count, sizeof *order->lanes.needs);
    if (pieces == NULL || order->run == NULL || order->lanes.needs == NULL)
        return PCS_ERROR_MEMORY;
    for (int l = 0; l < LANES; l++)
        order->lanes.lane[l].piece = pieces + lane_start(order, l);
    return PCS_OK;
}

pcs_status pcs_run_order_compute(pcs_run_order *order, pcs_arena *arena, pcs_tasks *tasks,
                                 int32_t n, const int32_t *row_start, const int32_t *column,
                                 int32_t length)
{
    const int32_t count = n / length + (n % length > 0);
    *order = (pcs_run_order){.n = n, .length = length, .count = count};
    PCS_TRY(make_room(order, arena));
    pcs_arena_mark mark = pcs_arena_get_mark(arena);
    order_job job = {order, row_start, column, PCS_ARENA_ARRAY(arena, run_place, count)};
    int32_t *end = PCS_ARENA_ARRAY(arena, int32_t, count);
    if (job.place == NULL || end == NULL)
        return PCS_ERROR_MEMORY;
    order_runs(&job);
    pcs_tasks_run(tasks, find_needs, &job, count);
    order->speed_up = estimate_speed_up(order, job.place, end);
    pcs_arena_release(arena, mark);
    return PCS_OK;
}

void pcs_run_order_visit(pcs_run_order *order, pcs_tasks *tasks, pcs_task_fn visit, void *user)
{
    if (pcs_tasks_threads(tasks) > 1) {
        pcs_tasks_run_lanes(tasks, visit, user, &order->lanes, true);
        return;
    }
    for (int32_t k = 0; k < order->count; k++)
        visit(user, order->run[k]);
}

void pcs_run_order_visit_freely(pcs_run_order *order, pcs_tasks *tasks, pcs_task_fn visit,
                                void *user)
{
    if (pcs_tasks_threads(tasks) > 1)
        pcs_tasks_run_lanes(tasks, visit, user, &order->lanes, false);
    else
        pcs_tasks_run(NULL, visit, user, order->count);
}
