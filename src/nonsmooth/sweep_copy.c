// The copy of W that sweeps read (sweep_copy.h).
#include "nonsmooth/sweep_copy.h"

#include <string.h>

// Blocks are left out if at least one in so many rests: fewer gain less than a look at each costs.
enum { WORTH_LEAVING = 4 };

typedef struct copy_job {
    pcs_sweep_copy *copy;
    const double *r, *u;
    const pcs_sweep_mixing *mixing;
} copy_job;

pcs_status pcs_sweep_copy_init(pcs_sweep_copy *copy, const pcs_friction_contact *problem,
                               pcs_run_order *runs, pcs_tasks *tasks, pcs_arena *arena)
{
    const int32_t n = problem->W->n;
    *copy = (pcs_sweep_copy){.problem = problem, .runs = runs, .tasks = tasks};
    PCS_TRY(pcs_single_blocks_init(&copy->blocks, problem->W, arena));
    copy->q = PCS_ARENA_ARRAY(arena, double, 3 * (int64_t)n);
    copy->kept = PCS_ARENA_ARRAY(arena, uint8_t, n);
    copy->start = PCS_ARENA_ARRAY(arena, int32_t, runs->count + 1);
    copy->count = PCS_ARENA_ARRAY(arena, int32_t, runs->count);
    return copy->q != NULL && copy->kept != NULL && copy->start != NULL && copy->count != NULL
               ? PCS_OK
               : PCS_ERROR_MEMORY;
}

static void visit_runs(pcs_sweep_copy *copy, pcs_task_fn visit, copy_job *job)
{
    pcs_run_order_visit_freely(copy->runs, copy->tasks, visit, job);
}

static int64_t sum_counts(const pcs_sweep_copy *copy)
{
    int64_t sum = 0;
    for (int32_t run = 0; run < copy->runs->count; run++)
        sum += copy->count[run];
    return sum;
}

// Keeps the blocks of a run that carry an impulse, or did so not long ago, and counts them.
static void choose_run(void *user, int32_t run)
{
    const copy_job *job = user;
    pcs_sweep_copy *copy = job->copy;
    const int32_t first = run * copy->runs->length, last = pcs_run_end(copy->runs, first);
    for (int32_t i = first; i < last; i++) {
        const double *r = job->r + 3 * (int64_t)i;
        copy->kept[i] = pcs_is_bilateral(copy->problem, i) || r[0] != 0.0 || r[1] != 0.0 ||
                        r[2] != 0.0;
    }
    if (job->mixing != NULL)
        pcs_sweep_mixing_mark(job->mixing, run, copy->kept);
    copy->count[run] = 0;
    for (int32_t i = first; i < last; i++)
        copy->count[run] += copy->kept[i];
}

static void count_run(void *user, int32_t run)
{
    pcs_sweep_copy *copy = ((const copy_job *)user)->copy;
    const int32_t first = run * copy->runs->length;
    copy->count[run] = pcs_single_blocks_count(copy->problem->W, copy->kept, first,
                                               pcs_run_end(copy->runs, first));
}

static void copy_run(void *user, int32_t run)
{
    const copy_job *job = user;
    pcs_sweep_copy *copy = job->copy;
    const int32_t first = run * copy->runs->length, last = pcs_run_end(copy->runs, first);
    memcpy(copy->q + 3 * (int64_t)first, copy->problem->q + 3 * (int64_t)first,
           (size_t)(last - first) * 3 * sizeof *copy->q);
    copy->count[run] = pcs_single_blocks_copy(&copy->blocks, copy->kept, first, last,
                                              copy->start[run], job->r, copy->q)
                           ? 0
                           : 1;
}

// Copies what is kept.
static bool fill(pcs_sweep_copy *copy, copy_job *job)
{
    visit_runs(copy, count_run, job);
    copy->start[0] = 0;
    for (int32_t run = 0; run < copy->runs->count; run++)
        copy->start[run + 1] = copy->start[run] + copy->count[run];
    visit_runs(copy, copy_run, job);
    return sum_counts(copy) == 0;
}

bool pcs_sweep_copy_make(pcs_sweep_copy *copy, const double *r, const pcs_sweep_mixing *mixing,
                         bool settled)
{
    const int32_t n = copy->problem->W->n;
    copy_job job = {.copy = copy, .r = r, .mixing = mixing};
    if (settled)
        visit_runs(copy, choose_run, &job);
    if (!settled || n - sum_counts(copy) < n / WORTH_LEAVING)
        memset(copy->kept, 1, (size_t)n);
    return fill(copy, &job);
}

// The blocks of a run that come back
static void wake_run(void *user, int32_t run)
{
    const copy_job *job = user;
    pcs_sweep_copy *copy = job->copy;
    const int32_t first = run * copy->runs->length, last = pcs_run_end(copy->runs, first);
    copy->count[run] = 0;
    for (int32_t i = first; i < last; i++)
        if (!copy->kept[i] && !(job->u[3 * (int64_t)i] >= 0.0)) {
            copy->kept[i] = 1;
            copy->count[run]++;
        }
}

// q = u - W_ii r_i - (copy r)_i, from u = W r + q
static void correct_run(void *user, int32_t run)
{
    const copy_job *job = user;
    pcs_sweep_copy *copy = job->copy;
    const pcs_block_matrix *W = copy->problem->W;
    const int32_t first = run * copy->runs->length, last = pcs_run_end(copy->runs, first);
    for (int32_t i = first; i < last; i++) {
        const double *r_i = job->r + 3 * (int64_t)i, *u_i = job->u + 3 * (int64_t)i;
        const double *W_ii = W->value + 9 * (int64_t)W->diagonal[i];
        double sum[3] = {0.0, 0.0, 0.0};
        if (!copy->kept[i])
            continue;
        copy->blocks.multiply(&copy->blocks, i, job->r, sum);
        for (int a = 0; a < 3; a++, W_ii += 3)
            copy->q[3 * (int64_t)i + a] = u_i[a] - sum[a] -
                                          (W_ii[0] * r_i[0] + W_ii[1] * r_i[1] + W_ii[2] * r_i[2]);
    }
}

bool pcs_sweep_copy_correct(pcs_sweep_copy *copy, const double *r, const double *u)
{
    copy_job job = {.copy = copy, .r = r, .u = u};
    visit_runs(copy, wake_run, &job);
    if (sum_counts(copy) > 0)
        return fill(copy, &job);
    visit_runs(copy, correct_run, &job);
    return true;
}
