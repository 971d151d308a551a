// Task pool. `remaining` is the number of pieces that nobody has taken; who lowers it from r has
// taken piece count - r. The run cannot end before that piece is done, so that the description of
// the run may be read after taking. Idle threads look at `remaining` for a short while, because
// runs often follow one another within microseconds, and then sleep on a condition.
#include "base/tasks.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>

#include "base/timer.h"

enum {
    THREADS_MAX = 1024,
    CACHE_LINE = 64,
    LOOKS = 64, // at a variable between two readings of the clock
    PATIENT_LOOKS =
        4096 // at a piece before its thread, which may have lost its processor, gets ours
};
// Before sleeping: a few times the cost of waking up, then, leaving the processor to others that want
// it, as long as a step of a simulation leaves between two solves.
static const double LOOK_SECONDS = 50e-6, YIELD_SECONDS = 1e-3;

struct pcs_tasks {
    pcs_context *ctx;
    int32_t n_workers; // threads beside the caller
    pthread_t *workers;
    pthread_mutex_t mutex;
    pthread_cond_t work, finished;
    // the run
    pcs_task_fn fn;
    void *user;
    int32_t count;
    atomic_flag busy;
    // each on a cache line of its own
    char gap0[CACHE_LINE];
    atomic_int_least32_t remaining;
    char gap1[CACHE_LINE];
    atomic_int_least32_t done;
    char gap2[CACHE_LINE];
    atomic_int_least32_t sleepers;             // workers that may be asleep
    atomic_bool caller_sleeps, stop, expected; // expected: a run will follow
};

static void pause_briefly(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

static bool worker_needed(pcs_tasks *tasks)
{
    return atomic_load(&tasks->remaining) > 0 || atomic_load(&tasks->stop);
}

static bool all_done(pcs_tasks *tasks)
{
    return atomic_load(&tasks->done) == tasks->count;
}

// Looks at the condition for YIELD_SECONDS; false if it did not come true
static bool look(pcs_tasks *tasks, bool (*condition)(pcs_tasks *tasks))
{
    double start = 0.0;
    for (;;) {
        for (int i = 0; i < LOOKS; ++i) {
            if (condition(tasks))
                return true;
            pause_briefly();
        }
        const double now = pcs_timer_now();
        if (start == 0.0)
            start = now;
        else if (now - start > YIELD_SECONDS)
            return false;
        else if (now - start > LOOK_SECONDS)
            (void)sched_yield();
    }
}

// Takes pieces as long as there are any
static void work(pcs_tasks *tasks)
{
    int_least32_t left = atomic_load(&tasks->remaining);
    while (left > 0) {
        if (!atomic_compare_exchange_weak(&tasks->remaining, &left, left - 1))
            continue;
        const int32_t count = tasks->count;
        tasks->fn(tasks->user, count - (int32_t)left);
        // After the last piece is counted the caller may start the next run at any time.
        if (atomic_fetch_add(&tasks->done, 1) + 1 == count && atomic_load(&tasks->caller_sleeps)) {
            (void)pthread_mutex_lock(&tasks->mutex);
            (void)pthread_cond_signal(&tasks->finished);
            (void)pthread_mutex_unlock(&tasks->mutex);
        }
        left = atomic_load(&tasks->remaining);
    }
}

static void *worker_main(void *user)
{
    pcs_tasks *tasks = user;
    while (!atomic_load(&tasks->stop)) {
        work(tasks);
        if (look(tasks, worker_needed))
            continue;
        atomic_store(&tasks->expected, false);
        (void)pthread_mutex_lock(&tasks->mutex);
        // Said before looking once more: either this thread sees the new run, or the caller, who
        // sets `remaining` first, sees the sleeper.
        atomic_fetch_add(&tasks->sleepers, 1);
        while (!worker_needed(tasks) && !atomic_load(&tasks->expected))
            (void)pthread_cond_wait(&tasks->work, &tasks->mutex);
        atomic_fetch_sub(&tasks->sleepers, 1);
        (void)pthread_mutex_unlock(&tasks->mutex);
    }
    return NULL;
}

static void wake_workers(pcs_tasks *tasks)
{
    if (atomic_load(&tasks->sleepers) == 0)
        return;
    (void)pthread_mutex_lock(&tasks->mutex);
    (void)pthread_cond_broadcast(&tasks->work);
    (void)pthread_mutex_unlock(&tasks->mutex);
}

static void wait_until_done(pcs_tasks *tasks)
{
    if (look(tasks, all_done))
        return;
    (void)pthread_mutex_lock(&tasks->mutex);
    atomic_store(&tasks->caller_sleeps, true); // said before looking, as above
    while (!all_done(tasks))
        (void)pthread_cond_wait(&tasks->finished, &tasks->mutex);
    atomic_store(&tasks->caller_sleeps, false);
    (void)pthread_mutex_unlock(&tasks->mutex);
}

void pcs_tasks_run(pcs_tasks *tasks, pcs_task_fn fn, void *user, int32_t count)
{
    if (!tasks || tasks->n_workers == 0 || count <= 1 || atomic_flag_test_and_set(&tasks->busy)) {
        for (int32_t i = 0; i < count; ++i)
            fn(user, i);
        return;
    }
    tasks->fn = fn;
    tasks->user = user;
    tasks->count = count;
    atomic_store(&tasks->done, 0);
    atomic_store(&tasks->remaining, count);
    wake_workers(tasks);
    work(tasks);
    wait_until_done(tasks);
    atomic_flag_clear(&tasks->busy);
}

typedef struct ordered_job {
    pcs_task_fn fn;
    void *user;
    const int32_t *needs;
    atomic_uchar *done;
    atomic_int_least32_t first; // all pieces below are done
} ordered_job;

// Who stores `first` has seen the flags below it, and so has, after that, who reads it.
static void wait_for_pieces(ordered_job *job, int32_t end)
{
    int32_t first = atomic_load(&job->first);
    if (first >= end)
        return;
    for (; first < end; ++first)
        for (int looks = 1; !atomic_load(&job->done[first]); ++looks) {
            pause_briefly();
            if (looks % PATIENT_LOOKS == 0)
                (void)sched_yield();
        }
    atomic_store(&job->first, first);
}

static void do_ordered_piece(void *user, int32_t index)
{
    ordered_job *job = user;
    wait_for_pieces(job, job->needs[index]);
    job->fn(job->user, index);
    atomic_store(&job->done[index], 1);
}

void pcs_tasks_run_ordered(pcs_tasks *tasks, pcs_task_fn fn, void *user, int32_t count,
                           const int32_t *needs, atomic_uchar *done)
{
    if (pcs_tasks_threads(tasks) == 1) {
        pcs_tasks_run(NULL, fn, user, count);
        return;
    }
    ordered_job job = {.fn = fn, .user = user, .needs = needs, .done = done};
    for (int32_t i = 0; i < count; ++i)
        atomic_init(&done[i], 0);
    pcs_tasks_run(tasks, do_ordered_piece, &job, count);
}

// The first worker that finds no run in time takes the announcement back and sleeps again.
void pcs_tasks_wake(pcs_tasks *tasks)
{
    if (!tasks)
        return;
    atomic_store(&tasks->expected, true);
    wake_workers(tasks);
}

int32_t pcs_tasks_threads(const pcs_tasks *tasks)
{
    return tasks ? tasks->n_workers + 1 : 1;
}

// Starts the workers with all signals blocked: they belong to the threads of the user
static pcs_status start_workers(pcs_tasks *tasks, int32_t n_workers)
{
    sigset_t all, before;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    int error = 0;
    while (error == 0 && tasks->n_workers < n_workers) {
        error = pthread_create(&tasks->workers[tasks->n_workers], NULL, worker_main, tasks);
        if (error == 0)
            ++tasks->n_workers;
    }
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (error != 0)
        return pcs_error(tasks->ctx, PCS_ERROR_MEMORY,
                         "task pool: the system refused thread %d of %d; ask for fewer threads",
                         (int)tasks->n_workers + 2, (int)n_workers + 1);
    return PCS_OK;
}

pcs_status pcs_tasks_create(pcs_context *ctx, int32_t threads, pcs_tasks **out)
{
    *out = NULL;
    if (threads < 0 || threads > THREADS_MAX)
        return pcs_error(ctx, PCS_ERROR_ARGUMENT, "task pool: %d threads; give 0 to %d",
                         (int)threads, (int)THREADS_MAX);
    if (threads == 0) {
        const long processors = sysconf(_SC_NPROCESSORS_ONLN);
        threads = processors < 1 ? 1 : processors > THREADS_MAX ? THREADS_MAX : (int32_t)processors;
    }
    pcs_tasks *tasks = PCS_NEW(ctx, pcs_tasks);
    pthread_t *workers = PCS_NEW_ARRAY(ctx, pthread_t, threads);
    if (!tasks || !workers) {
        pcs_free(ctx, tasks);
        pcs_free(ctx, workers);
        return PCS_ERROR_MEMORY;
    }
    tasks->ctx = ctx;
    tasks->workers = workers;
    atomic_flag_clear(&tasks->busy);
    (void)pthread_mutex_init(&tasks->mutex, NULL); // cannot fail with default attributes
    (void)pthread_cond_init(&tasks->work, NULL);
    (void)pthread_cond_init(&tasks->finished, NULL);
    const pcs_status status = start_workers(tasks, threads - 1);
    if (status < 0) {
        pcs_tasks_destroy(tasks);
        return status;
    }
    *out = tasks;
    return PCS_OK;
}

void pcs_tasks_destroy(pcs_tasks *tasks)
{
    if (!tasks)
        return;
    atomic_store(&tasks->stop, true);
    wake_workers(tasks);
    for (int32_t i = 0; i < tasks->n_workers; ++i)
        (void)pthread_join(tasks->workers[i], NULL);
    (void)pthread_cond_destroy(&tasks->finished);
    (void)pthread_cond_destroy(&tasks->work);
    (void)pthread_mutex_destroy(&tasks->mutex);
    pcs_free(tasks->ctx, tasks->workers);
    pcs_free(tasks->ctx, tasks);
}
