// Task pool. The pieces of a run are divided into shares, one for each thread, stretches of the
// whole: runs over the same things then leave the same part of them in the cache of the same
// thread. `run` is the number of the present run with the number of its shares. A thread begins
// with its own share and goes on with shares that nobody has begun, so that nobody waits for a
// thread that sleeps. A run cannot end before all its shares are taken and done: who takes a share
// may read the description of the run, and who comes too late finds none to take. Idle threads look
// at `run` for a short while, because runs often follow one another within microseconds, and then
// sleep on a condition.
#include "base/tasks.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>

#include "base/timer.h"

enum {
    THREADS_MAX = 1024,
    SHARE_BITS = 16, // enough for THREADS_MAX
    CACHE_LINE = 64,
    LOOKS = 64,          // at a variable between two readings of the clock
    HELPFUL_LOOKS = 256, // at a lane before others are helped along, some 5 us
    PATIENT_LOOKS = 4096 // before a thread that may have lost its processor gets ours
};
// Before sleeping: a few times the cost of waking up, then, leaving the processor to others that
// want it, as long as a step of a simulation leaves between two solves.
static const double LOOK_SECONDS = 50e-6, YIELD_SECONDS = 1e-3;

// What belongs to one thread
typedef struct thread_share {
    atomic_uint_least64_t taken; // number of the last run in which its share was taken
    atomic_int_least32_t next; // of a run of free pieces: the first one of its stretch that is left
    struct pcs_tasks *tasks;
    char gap[CACHE_LINE]; // each on a cache line of its own, as below
} thread_share;

struct pcs_tasks {
    pcs_context *ctx;
    int32_t n_workers; // threads beside the caller
    pthread_t *workers;
    thread_share *shares; // for each thread, the caller first
    pthread_mutex_t mutex;
    pthread_cond_t work, finished;
    // the run
    pcs_task_fn share; // does one share
    void *user;
    int32_t count; // of shares
    atomic_flag busy;
    char gap0[CACHE_LINE];
    atomic_uint_least64_t run; // number, and behind it SHARE_BITS of `count`
    char gap1[CACHE_LINE];
    atomic_int_least32_t done; // shares
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

// Whether there is another run than `seen`
static bool worker_needed(pcs_tasks *tasks, uint_least64_t seen)
{
    return atomic_load(&tasks->run) != seen || atomic_load(&tasks->stop);
}

static bool all_done(pcs_tasks *tasks, uint_least64_t run)
{
    (void)run;
    return atomic_load(&tasks->done) == tasks->count;
}

// Looks at the condition for YIELD_SECONDS; false if it did not come true
static bool look(pcs_tasks *tasks, bool (*condition)(pcs_tasks *tasks, uint_least64_t run),
                 uint_least64_t run)
{
    double start = 0.0;
    for (;;) {
        for (int i = 0; i < LOOKS; ++i) {
            if (condition(tasks, run))
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

static bool take_share(pcs_tasks *tasks, uint_least64_t run, int32_t share)
{
    const uint_least64_t number = run >> SHARE_BITS;
    uint_least64_t last = atomic_load(&tasks->shares[share].taken);
    return last < number &&
           atomic_compare_exchange_strong(&tasks->shares[share].taken, &last, number);
}

// The own share, then those that nobody has begun. A thread without a share leaves it at that.
static void work(pcs_tasks *tasks, uint_least64_t run, int32_t own)
{
    const int32_t count = (int32_t)(run & (((uint_least64_t)1 << SHARE_BITS) - 1));
    for (int32_t k = 0; k < count && own < count; ++k) {
        const int32_t share = (own + k) % count;
        if (!take_share(tasks, run, share))
            continue;
        tasks->share(tasks->user, share);
        // After the last share is counted the caller may start the next run at any time.
        if (atomic_fetch_add(&tasks->done, 1) + 1 == count && atomic_load(&tasks->caller_sleeps)) {
            (void)pthread_mutex_lock(&tasks->mutex);
            (void)pthread_cond_signal(&tasks->finished);
            (void)pthread_mutex_unlock(&tasks->mutex);
        }
    }
}

static void *worker_main(void *user)
{
    thread_share *self = user;
    pcs_tasks *tasks = self->tasks;
    const int32_t own = (int32_t)(self - tasks->shares);
    uint_least64_t seen = 0;
    while (!atomic_load(&tasks->stop)) {
        const uint_least64_t run = atomic_load(&tasks->run);
        if (run != seen) {
            seen = run;
            work(tasks, run, own);
        }
        if (look(tasks, worker_needed, seen))
            continue;
        atomic_store(&tasks->expected, false);
        (void)pthread_mutex_lock(&tasks->mutex);
        // Said before looking once more: either this thread sees the new run, or the caller, who
        // sets `run` first, sees the sleeper.
        atomic_fetch_add(&tasks->sleepers, 1);
        while (!worker_needed(tasks, seen) && !atomic_load(&tasks->expected))
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
    if (look(tasks, all_done, 0))
        return;
    (void)pthread_mutex_lock(&tasks->mutex);
    atomic_store(&tasks->caller_sleeps, true); // said before looking, as above
    while (!all_done(tasks, 0))
        (void)pthread_cond_wait(&tasks->finished, &tasks->mutex);
    atomic_store(&tasks->caller_sleeps, false);
    (void)pthread_mutex_unlock(&tasks->mutex);
}

// Whether the pool is free, and now the caller's
static bool claim(pcs_tasks *tasks)
{
    return tasks && tasks->n_workers > 0 && !atomic_flag_test_and_set(&tasks->busy);
}

// Has all shares done by the claimed pool, which is free after that
static void run_shares(pcs_tasks *tasks, pcs_task_fn share, void *user, int32_t count)
{
    tasks->share = share;
    tasks->user = user;
    tasks->count = count;
    atomic_store(&tasks->done, 0);
    const uint_least64_t number = (atomic_load(&tasks->run) >> SHARE_BITS) + 1;
    const uint_least64_t run = number << SHARE_BITS | (uint_least64_t)count;
    atomic_store(&tasks->run, run);
    wake_workers(tasks);
    work(tasks, run, 0);
    wait_until_done(tasks);
    atomic_flag_clear(&tasks->busy);
}

// ---- Pieces in any order ----

typedef struct free_job {
    pcs_task_fn fn;
    void *user;
    int32_t count, shares;
    thread_share *stretch; // of each share
} free_job;

static int32_t stretch_start(const free_job *job, int32_t share)
{
    return (int32_t)((int64_t)job->count * share / job->shares);
}

// The pieces of one share, then what is left of the others
static void do_stretches(void *user, int32_t share)
{
    const free_job *job = user;
    for (int32_t k = 0; k < job->shares; ++k) {
        const int32_t s = (share + k) % job->shares;
        const int32_t end = stretch_start(job, s + 1);
        atomic_int_least32_t *next = &job->stretch[s].next;
        while (atomic_load(next) < end) {
            const int32_t piece = (int32_t)atomic_fetch_add(next, 1);
            if (piece < end)
                job->fn(job->user, piece);
        }
    }
}

void pcs_tasks_run(pcs_tasks *tasks, pcs_task_fn fn, void *user, int32_t count)
{
    if (count <= 1 || !claim(tasks)) {
        for (int32_t i = 0; i < count; ++i)
            fn(user, i);
        return;
    }
    const int32_t threads = tasks->n_workers + 1, shares = threads < count ? threads : count;
    free_job job = {fn, user, count, shares, tasks->shares};
    for (int32_t s = 0; s < shares; ++s)
        atomic_store(&tasks->shares[s].next, stretch_start(&job, s));
    run_shares(tasks, do_stretches, &job, shares);
}

// ---- Pieces in lanes ----

typedef struct lanes_job {
    pcs_task_fn fn;
    void *user;
    pcs_task_lanes *lanes;
    bool ordered;
    int32_t shares; // that the lanes are divided into
} lanes_job;

// How far a thread knows the lanes to be: reading what another thread writes takes long.
typedef struct lanes_seen {
    int_least32_t way[PCS_TASK_LANES];
} lanes_seen;

static bool is_ready(const lanes_job *job, lanes_seen *seen, int32_t piece)
{
    const int32_t *needs = job->lanes->needs[piece];
    for (int l = 0; l < PCS_TASK_LANES; ++l)
        if (seen->way[l] < 2 * needs[l]) {
            seen->way[l] = atomic_load(&job->lanes->lane[l].way);
            if (seen->way[l] < 2 * needs[l])
                return false;
        }
    return true;
}

// Does the next piece of a lane, unless it must wait or somebody else does it
static bool advance(const lanes_job *job, lanes_seen *seen, int32_t l)
{
    pcs_task_lane *lane = &job->lanes->lane[l];
    int_least32_t way = atomic_load(&lane->way);
    if (way % 2 != 0 || way / 2 >= lane->count)
        return false;
    const int32_t piece = lane->piece[way / 2];
    if (job->ordered && !is_ready(job, seen, piece))
        return false;
    if (!atomic_compare_exchange_strong(&lane->way, &way, way + 1))
        return false;
    job->fn(job->user, piece);
    atomic_store(&lane->way, way + 2);
    return true;
}

static bool is_finished(const pcs_task_lanes *lanes, int32_t first, int32_t last)
{
    for (int32_t l = first; l < last; ++l)
        if (atomic_load(&lanes->lane[l].way) < 2 * lanes->lane[l].count)
            return false;
    return true;
}

// One piece of each of the lanes first..last-1, where that can be
static bool advance_each(const lanes_job *job, lanes_seen *seen, int32_t first, int32_t last)
{
    bool advanced = false;
    for (int32_t l = first; l < last; ++l)
        advanced = advance(job, seen, l) || advanced;
    return advanced;
}

static void wait_briefly(unsigned looks)
{
    pause_briefly();
    if (looks % PATIENT_LOOKS == 0)
        (void)sched_yield();
}

// Brings the lanes of one share to their end and waits for the others. Who waits for long does
// pieces of all lanes: the first piece that is not done has what it needs, so that somebody always
// gets on. Not at once, since pieces that change their thread take their data along.
static void do_lanes(void *user, int32_t share)
{
    const lanes_job *job = user;
    const int32_t first = share * PCS_TASK_LANES / job->shares;
    const int32_t last = (share + 1) * PCS_TASK_LANES / job->shares;
    lanes_seen seen = {{0}};
    for (unsigned looks = 1; !is_finished(job->lanes, first, last); ++looks) {
        const bool helps = looks % HELPFUL_LOOKS == 0;
        if (advance_each(job, &seen, helps ? 0 : first, helps ? PCS_TASK_LANES : last))
            looks = 0;
        else
            wait_briefly(looks);
    }
    for (unsigned looks = 1; !is_finished(job->lanes, 0, PCS_TASK_LANES); ++looks)
        if (looks % HELPFUL_LOOKS == 0 && advance_each(job, &seen, 0, PCS_TASK_LANES))
            --looks; // goes on helping
        else
            wait_briefly(looks);
}

void pcs_tasks_run_lanes(pcs_tasks *tasks, pcs_task_fn fn, void *user, pcs_task_lanes *lanes,
                         bool ordered)
{
    const int32_t threads = pcs_tasks_threads(tasks);
    lanes_job job = {.fn = fn, .user = user, .lanes = lanes, .ordered = ordered};
    for (int l = 0; l < PCS_TASK_LANES; ++l)
        atomic_store(&lanes->lane[l].way, 0);
    job.shares = threads < PCS_TASK_LANES ? threads : PCS_TASK_LANES;
    if (claim(tasks)) {
        run_shares(tasks, do_lanes, &job, job.shares);
    } else {
        job.shares = 1;
        do_lanes(&job, 0);
    }
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
        error = pthread_create(&tasks->workers[tasks->n_workers], NULL, worker_main,
                               &tasks->shares[tasks->n_workers + 1]);
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
    thread_share *shares = PCS_NEW_ARRAY(ctx, thread_share, threads);
    if (!tasks || !workers || !shares) {
        pcs_free(ctx, tasks);
        pcs_free(ctx, workers);
        pcs_free(ctx, shares);
        return PCS_ERROR_MEMORY;
    }
    tasks->ctx = ctx;
    tasks->workers = workers;
    tasks->shares = shares;
    for (int32_t i = 0; i < threads; ++i)
        shares[i].tasks = tasks;
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
    pcs_free(tasks->ctx, tasks->shares);
    pcs_free(tasks->ctx, tasks);
}
