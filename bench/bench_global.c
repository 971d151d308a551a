// Global problems of flexible bodies: blocks of n x n x n nodes clamped below, contacts on the
// upper face (tests/support/elastic_block.h). Prints seconds for the reduction to the local form,
// for the solve to 1e-8 that includes it, and for the check, and the peak of the memory.
//     bench_global [NODES CONTACTS]...     along an edge, and of 3 rows each
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "base/timer.h"
#include "nonsmooth/problem.h"
#include "support/elastic_block.h"
#include "support/measure.h"

static const double MAX_TIME = 120.0;

static double peak_megabytes(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss / 1024.0;
}

static void require(pcs_status status, pcs_context *ctx)
{
    if (status < 0) {
        fprintf(stderr, "bench_global: %s\n", pcs_context_error(ctx));
        exit(EXIT_FAILURE);
    }
}

static void bench_block(pcs_context *ctx, int32_t nodes, int32_t contacts)
{
    elastic_block_def def = pcs_test_elastic_block_default();
    pcs_problem *problem = NULL, *local = NULL;
    pcs_solve_opts opts = pcs_solve_default();
    pcs_solve_info info;
    pcs_verdict verdict;
    def.nodes[0] = def.nodes[1] = def.nodes[2] = nodes;
    def.contacts = contacts;
    opts.max_time = MAX_TIME;
    require(pcs_test_elastic_block_create(ctx, &def, &problem), ctx);
    double *r = calloc((size_t)pcs_problem_rows(problem) + 1, sizeof *r);
    if (r == NULL)
        exit(EXIT_FAILURE);
    printf("%6d %8d %6d", (int)nodes, (int)pcs_problem_dofs(problem), (int)contacts);
    fflush(stdout);
    double start = pcs_timer_now();
    require(pcs_problem_reduce(problem, &local), ctx);
    printf(" %9.3f", pcs_timer_now() - start);
    fflush(stdout);
    pcs_problem_destroy(local);
    const pcs_status status = pcs_problem_solve(problem, NULL, &opts, NULL, r, NULL, &info);
    require(status, ctx);
    printf(" %9.3f%s", info.seconds, status == PCS_OK ? " " : "*");
    fflush(stdout);
    start = pcs_timer_now();
    require(pcs_problem_verify(problem, r, &verdict), ctx);
    printf(" %9.3f %9.1e %8.0f\n", pcs_timer_now() - start, verdict.residual.relative,
           peak_megabytes());
    free(r);
    pcs_problem_destroy(problem);
}

int main(int argc, char **argv)
{
    static const int32_t sizes[][2] = {{10, 20},  {15, 100}, {15, 400},
                                       {20, 200}, {25, 400}, {32, 660}};
    pcs_context *ctx = pcs_context_create(NULL);
    bench_use_one_core();
    printf("%6s %8s %6s %9s %9s  %9s %9s %8s\n", "nodes", "dofs", "cont.", "reduce", "solve",
           "check", "residual", "MB");
    for (int k = 1; k + 1 < argc; k += 2)
        bench_block(ctx, (int32_t)atoi(argv[k]), (int32_t)atoi(argv[k + 1]));
    for (size_t k = 0; argc == 1 && k < sizeof sizes / sizeof *sizes; k++)
        bench_block(ctx, sizes[k][0], sizes[k][1]);
    pcs_context_destroy(ctx);
    return 0;
}
