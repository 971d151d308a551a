// Scale: piles of n^3 touching spheres with about 1e3, 1e4 and 1e5 contacts, to 1e-4 and 1e-6 in
// the relative measure. For each solver the time per contact, its growth from one size to the next,
// the memory, and two threads against one, with the hash of r: the bits must be the same. Solves
// with one and with two threads are taken in turns, and so are the sizes, a fixed number of times,
// and the shortest time of each counts; the pile, W and the work memory are there before. Each
// solve of a size runs in a process of its own, so that its memory is known. Behind them a loop
// without memory runs with one thread and with two; where two come to less than twice (column
// `cores`), the machine has no two cores to give, as a virtual one that shares them. A last table
// reads arrays as large as W with one thread and with two: no solver that streams W can gain more
// than that.
//     bench_pile [jitter [largest n [seconds for one solve [solver]]]]
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/tasks.h"
#include "base/timer.h"
#include "nonsmooth/body_sweeps.h"
#include "support/contact_problems.h"

typedef struct outcome {
    int32_t status, contacts, iterations, pairs;
    double seconds[2]; // with one thread, with two
    double loop[2];    // the same of a loop without memory
    uint64_t hash[2];
    double residual, megabytes;
} outcome;

typedef struct run_def {
    const char *solver; // a name of the table, "mixed sweeps" or "body sweeps"
    int32_t n;
    double jitter, tolerance, limit;
} run_def;

typedef struct pile_solve {
    const run_def *run;
    pcs_context *ctx;
    pcs_problem *pile, *local; // local NULL: body sweeps
    double *r, *u;
    size_t rows;
} pile_solve;

static double resident_megabytes(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss / 1024.0; // kilobytes
}

static pcs_status solve_bodies(pcs_context *ctx, const pcs_problem *pile,
                               const pcs_solve_opts *opts, double *r, double *u,
                               pcs_solve_info *info)
{
    pcs_arena arena;
    pcs_body_system system;
    bool fits = false;
    pcs_arena_init(&arena, ctx);
    pcs_status status = pcs_body_system_init(&system, pile, &arena, &fits);
    if (status >= 0 && fits)
        status = pcs_body_sweeps_solve(&system, opts, 1.0, &arena, r, u, info);
    pcs_arena_free(&arena);
    return status;
}

// One solve from zero.
static double solve_once(const pile_solve *job, int32_t threads, outcome *out)
{
    const run_def *run = job->run;
    const bool mixed = strcmp(run->solver, "mixed sweeps") == 0;
    const double option[3] = {1.0, PCS_ORDER_AUTO, 5}; // of gauss-seidel with mixing
    pcs_solve_opts opts = pcs_solve_default();
    pcs_solve_info info = {.iterations = 0};
    opts.tolerance = run->tolerance;
    opts.threads = threads;
    opts.max_time = run->limit;
    memset(job->r, 0, job->rows * sizeof *job->r);
    const double start = pcs_timer_now();
    if (job->local == NULL)
        out->status = solve_bodies(job->ctx, job->pile, &opts, job->r, job->u, &info);
    else
        out->status = pcs_problem_solve(job->local, mixed ? "gauss-seidel" : run->solver, &opts,
                                        mixed ? option : NULL, job->r, job->u, &info);
    const double seconds = pcs_timer_now() - start;
    out->iterations = info.iterations;
    out->residual = info.residual.relative;
    out->hash[threads - 1] = pcs_hash_bytes(PCS_HASH_START, job->r, job->rows * sizeof *job->r);
    return seconds;
}

// Solves in turns with one thread and two, as often as their length allows.
static int32_t count_pairs(double seconds)
{
    return seconds > 3.0 ? 1 : seconds > 0.03 ? 15 : seconds > 0.003 ? 100 : 500;
}

// Multiplications and additions, some 100 us; so many side by side that one thread keeps the units
// of a core busy, and two threads that share a core show.
static void multiply_piece(void *user, int32_t piece)
{
    enum { LANES = 24, ROUNDS_OF_LANES = 50000 };
    double x[LANES], sum = 0.0;
    for (int32_t l = 0; l < LANES; l++)
        x[l] = 1.0 + 1e-9 * (piece + l);
    for (int32_t k = 0; k < ROUNDS_OF_LANES; k++)
        for (int32_t l = 0; l < LANES; l++)
            x[l] = 1e-9 + x[l] * 0.5;
    for (int32_t l = 0; l < LANES; l++)
        sum += x[l];
    ((double *)user)[piece] = sum;
}

// Behind the solves, since threads stay awake for a while and would take their time; long enough
// for the system to put a new thread on a processor of its own.
static void time_loops(pcs_context *ctx, double loop[2])
{
    enum { PAIRS = 300 };
    pcs_tasks *tasks;
    double result[2];
    if (pcs_tasks_create(ctx, 2, &tasks) < 0)
        return;
    for (int32_t k = 0; k < 2 * PAIRS; k++) {
        const double start = pcs_timer_now();
        pcs_tasks_run(k % 2 == 0 ? NULL : tasks, multiply_piece, result, 2);
        loop[k % 2] = fmin(loop[k % 2], pcs_timer_now() - start);
    }
    pcs_tasks_destroy(tasks);
}

// In the child. The first solve, which takes the memory, is not timed.
static outcome solve_pile(const run_def *run)
{
    pcs_context_def def = pcs_context_default();
    pile_solve job = {.run = run, .ctx = pcs_context_create(&def)};
    outcome out = {
        .status = PCS_ERROR_MEMORY, .seconds = {INFINITY, INFINITY}, .loop = {INFINITY, INFINITY}};
    const bool bodies = strcmp(run->solver, "body sweeps") == 0;
    if (job.ctx == NULL || pcs_test_pile_create(job.ctx, run->n, run->jitter, 1, &job.pile) < 0 ||
        (!bodies && pcs_problem_reduce(job.pile, &job.local) < 0))
        return out;
    job.rows = (size_t)pcs_problem_rows(job.pile);
    job.r = calloc(job.rows, sizeof *job.r);
    job.u = calloc(job.rows, sizeof *job.u);
    out.contacts = pcs_problem_contacts(job.pile);
    out.pairs = count_pairs(solve_once(&job, 1, &out));
    for (int32_t k = 0; k < 2 * out.pairs; k++) {
        out.seconds[k % 2] = fmin(out.seconds[k % 2], solve_once(&job, k % 2 + 1, &out));
    }
    out.megabytes = resident_megabytes();
    time_loops(job.ctx, out.loop);
    return out;
}

static outcome run_in_child(const run_def *run)
{
    outcome out = {.status = PCS_ERROR_IO};
    int ends[2];
    fflush(stdout);
    if (pipe(ends) != 0)
        return out;
    const pid_t child = fork();
    if (child == 0) {
        out = solve_pile(run);
        _exit(write(ends[1], &out, sizeof out) == (ssize_t)sizeof out ? 0 : 1);
    }
    close(ends[1]);
    if (child < 0 || read(ends[0], &out, sizeof out) != (ssize_t)sizeof out)
        out.status = PCS_ERROR_IO;
    close(ends[0]);
    if (child > 0)
        waitpid(child, NULL, 0);
    return out;
}

enum { SIZES = 3, ROUNDS = 5 };
static const int32_t edges[SIZES] = {7, 15, 32}; // 931, 9675 and 96256 contacts

static double time_for_each(const outcome *out, int thread)
{
    return 1e6 * out->seconds[thread] / out->contacts;
}

// Growth of the time for each contact from the size before, which is NULL for the first
static void print_growth(const outcome *out, const outcome *before, int thread)
{
    if (before != NULL)
        printf(" %6.2f", time_for_each(out, thread) / time_for_each(before, thread));
    else
        printf(" %6s", "-");
}

static void print_outcome(const run_def *run, const outcome *out, const outcome *before)
{
    printf("%-13s %7.0e %9d %8.2f ms %9.2f us", run->solver, run->tolerance, (int)out->contacts,
           1e3 * out->seconds[0], time_for_each(out, 0));
    print_growth(out, before, 0);
    printf(" %7.0f B %8.2f ms", 1048576.0 * out->megabytes / out->contacts, 1e3 * out->seconds[1]);
    print_growth(out, before, 1);
    printf(" %5.2f %5.2f %5d  %s  %d  %.1e%s\n", out->seconds[0] / out->seconds[1],
           out->loop[0] / out->loop[1], (int)out->pairs,
           out->hash[0] == out->hash[1] ? "same" : "DIFFER", (int)out->iterations, out->residual,
           out->status == PCS_OK ? "" : "  not solved");
}

// The sizes are taken in turns, so that a machine that changes its speed does so for all of them.
static void bench_solver(const char *solver, double jitter, double tolerance, int32_t largest,
                         double limit)
{
    outcome best[SIZES];
    int32_t sizes = 0;
    for (int32_t round = 0; round < ROUNDS; round++)
        for (int32_t k = 0; k < SIZES && edges[k] <= largest; k++) {
            const run_def run = {solver, edges[k], jitter, tolerance, limit};
            if (round > 0 && (k >= sizes || best[k].seconds[0] > 3.0))
                break; // not solved, or too long to be repeated
            outcome out = run_in_child(&run);
            for (int t = 0; round > 0 && t < 2; t++) {
                out.seconds[t] = fmin(best[k].seconds[t], out.seconds[t]);
                out.loop[t] = fmin(best[k].loop[t], out.loop[t]);
            }
            best[k] = out;
            sizes = k + 1 > sizes ? k + 1 : sizes;
            if (out.status != PCS_OK)
                break;
        }
    for (int32_t k = 0; k < sizes; k++) {
        const run_def run = {solver, edges[k], jitter, tolerance, limit};
        print_outcome(&run, &best[k], k > 0 ? &best[k - 1] : NULL);
    }
}

typedef struct read_job {
    const double *value;
    double *sum;
} read_job;

enum { READ_PIECE = 1 << 13 }; // values

static void read_piece(void *user, int32_t piece)
{
    const read_job *job = user;
    const double *x = job->value + (int64_t)piece * READ_PIECE;
    double lane[8] = {0.0};
    for (int32_t k = 0; k < READ_PIECE; k += 8)
        for (int32_t l = 0; l < 8; l++)
            lane[l] += x[k + l];
    job->sum[piece] = ((lane[0] + lane[1]) + (lane[2] + lane[3])) +
                      ((lane[4] + lane[5]) + (lane[6] + lane[7]));
}

// Reads arrays of this many values with one thread and with two.
static void bench_reading(pcs_tasks *tasks, int32_t pieces)
{
    const int32_t repeat = pieces < 200 ? 40000 / pieces : 200; // at least a tenth of a second
    const size_t values = (size_t)pieces * READ_PIECE;
    double *value = malloc(values * sizeof *value), *sum = malloc((size_t)pieces * sizeof *sum);
    double seconds[2] = {INFINITY, INFINITY};
    if (value == NULL || sum == NULL)
        exit(1);
    for (size_t k = 0; k < values; k++)
        value[k] = (double)k;
    read_job job = {value, sum};
    for (int32_t k = 0; k < 2 * repeat; k++) {
        const double start = pcs_timer_now();
        pcs_tasks_run(k % 2 == 0 ? NULL : tasks, read_piece, &job, pieces);
        seconds[k % 2] = fmin(seconds[k % 2], pcs_timer_now() - start);
    }
    const double gigabytes = 1e-9 * (double)(values * sizeof *value);
    printf("reading %6.1f MB: %5.1f GB/s with one thread, %5.1f with two, ratio %.2f\n",
           1e3 * gigabytes, gigabytes / seconds[0], gigabytes / seconds[1],
           seconds[0] / seconds[1]);
    free(value);
    free(sum);
}

static void bench_memory(void)
{
    pcs_context_def def = pcs_context_default();
    pcs_context *ctx = pcs_context_create(&def);
    pcs_tasks *tasks;
    if (ctx == NULL || pcs_tasks_create(ctx, 2, &tasks) < 0)
        exit(1);
    bench_reading(tasks, 11);
    bench_reading(tasks, 116);
    bench_reading(tasks, 1163); // 76 MB, W of the largest pile
    pcs_tasks_destroy(tasks);
    pcs_context_destroy(ctx);
}

int main(int argc, char **argv)
{
    static const char *const solvers[] = {"auto", "mixed sweeps", "gauss-seidel", "body sweeps"};
    const double jitter = argc > 1 ? atof(argv[1]) : 0.0;
    const int32_t largest = argc > 2 ? atoi(argv[2]) : 32;
    const double limit = argc > 3 ? atof(argv[3]) : 300.0;
    printf("Pile of spheres, jitter %g of the radius\n", jitter);
    printf("%-13s %7s %9s %11s %12s %6s %9s %11s %6s %5s %5s %5s  bits  steps residual\n", "solver",
           "to", "contacts", "time", "per contact", "growth", "memory", "2 threads", "growth",
           "ratio", "cores", "pairs");
    for (int k = 0; k < 2; k++)
        for (size_t s = 0; s < sizeof solvers / sizeof *solvers; s++)
            if (argc <= 4 || strcmp(argv[4], solvers[s]) == 0)
                bench_solver(solvers[s], jitter, k == 0 ? 1e-4 : 1e-6, largest, limit);
    bench_memory();
    return 0;
}
