// Scale: piles of n^3 touching spheres with about 1e3, 1e4 and 1e5 contacts, to 1e-4 and 1e-6 in
// the relative measure. For each solver the time per contact, its growth from one size to the next,
// the memory, and two threads against one, with the hash of r: the bits must be the same. Each
// solve runs in a process of its own, so that its memory is known; reading in and the forming of W,
// which are the same for all, are not counted in the time.
//     bench_pile [jitter [largest n [seconds for one solve]]]
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/timer.h"
#include "nonsmooth/body_sweeps.h"
#include "support/contact_problems.h"

typedef struct outcome {
    int32_t status, contacts, iterations;
    double seconds, residual, megabytes;
    uint64_t hash;
} outcome;

typedef struct run_def {
    const char *solver; // a name of the table, "mixed sweeps" or "body sweeps"
    int32_t n, threads;
    double jitter, tolerance, limit;
} run_def;

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

// In the child: the memory of the solve is what is resident beyond the problem itself.
static outcome solve_pile(const run_def *run)
{
    pcs_context_def def = pcs_context_default();
    pcs_context *ctx = pcs_context_create(&def);
    pcs_problem *pile = NULL, *local = NULL;
    outcome out = {.status = PCS_ERROR_MEMORY};
    const bool bodies = strcmp(run->solver, "body sweeps") == 0;
    const bool mixed = strcmp(run->solver, "mixed sweeps") == 0;
    const double option[3] = {1.0, PCS_ORDER_AUTO, 5}; // of gauss-seidel with mixing
    if (ctx == NULL || pcs_test_pile_create(ctx, run->n, run->jitter, 1, &pile) < 0 ||
        (!bodies && pcs_problem_reduce(pile, &local) < 0))
        return out;
    const size_t rows = (size_t)pcs_problem_rows(pile);
    double *r = calloc(rows, sizeof *r), *u = calloc(rows, sizeof *u);
    pcs_solve_opts opts = pcs_solve_default();
    pcs_solve_info info = {.iterations = 0};
    opts.tolerance = run->tolerance;
    opts.threads = run->threads;
    opts.max_time = run->limit;
    const double start = pcs_timer_now();
    if (bodies)
        out.status = solve_bodies(ctx, pile, &opts, r, u, &info);
    else
        out.status = pcs_problem_solve(local, mixed ? "gauss-seidel" : run->solver, &opts,
                                       mixed ? option : NULL, r, u, &info);
    out.seconds = pcs_timer_now() - start;
    out.contacts = pcs_problem_contacts(pile);
    out.iterations = info.iterations;
    out.residual = info.residual.relative;
    out.hash = pcs_hash_bytes(PCS_HASH_START, r, rows * sizeof *r);
    out.megabytes = resident_megabytes();
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

static void bench_solver(const char *solver, double jitter, double tolerance, int32_t largest,
                         double limit)
{
    static const int32_t edges[] = {7, 15, 32}; // 931, 9675 and 96256 contacts
    double before = 0.0;
    for (size_t k = 0; k < sizeof edges / sizeof *edges && edges[k] <= largest; k++) {
        run_def run = {solver, edges[k], 1, jitter, tolerance, limit};
        const outcome one = run_in_child(&run);
        run.threads = 2;
        const outcome two = run_in_child(&run);
        const double each = 1e6 * one.seconds / one.contacts;
        printf("%-13s %7.0e %9d %8.3f s %9.2f us", solver, tolerance, (int)one.contacts,
               one.seconds, each);
        if (before > 0.0)
            printf(" %6.2f", each / before);
        else
            printf(" %6s", "-");
        printf(" %7.0f MB %7.0f B %8.3f s %5.2f  %s  %.1e%s\n", one.megabytes,
               1048576.0 * one.megabytes / one.contacts, two.seconds, one.seconds / two.seconds,
               one.hash == two.hash ? "same" : "DIFFER", one.residual,
               one.status == PCS_OK ? "" : "  not solved");
        before = each;
        if (one.status != PCS_OK)
            break;
    }
}

int main(int argc, char **argv)
{
    static const char *const solvers[] = {"auto", "mixed sweeps", "gauss-seidel", "body sweeps"};
    const double jitter = argc > 1 ? atof(argv[1]) : 0.0;
    const int32_t largest = argc > 2 ? atoi(argv[2]) : 32;
    const double limit = argc > 3 ? atof(argv[3]) : 300.0;
    printf("Pile of spheres, jitter %g of the radius\n", jitter);
    printf("%-13s %7s %9s %10s %12s %6s %10s %9s %10s %5s  bits  residual\n", "solver", "to",
           "contacts", "time", "per contact", "growth", "memory", "each", "2 threads", "ratio");
    for (int k = 0; k < 2; k++)
        for (size_t s = 0; s < sizeof solvers / sizeof *solvers; s++)
            bench_solver(solvers[s], jitter, k == 0 ? 1e-4 : 1e-6, largest, limit);
    return 0;
}
