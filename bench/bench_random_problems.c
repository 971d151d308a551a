// The default solver on 10,000 random friction problems with a known solution: unsolved ones,
// worst verified residual and time by class, and the number of every failure, which recreates it.
//     bench_random_problems [count [first]]
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/timer.h"
#include "percuss/problem.h"
#include "support/contact_problems.h"
#include "support/measure.h"

static const double tolerance = 1e-8;
static const double patience = 20.0; // seconds for one problem

typedef struct class_result {
    int32_t count, unsolved;
    double worst, seconds, slowest;
} class_result;

static void require(pcs_context *ctx, pcs_status status)
{
    if (status >= 0)
        return;
    fprintf(stderr, "%s\n", pcs_context_error(ctx));
    exit(EXIT_FAILURE);
}

static void solve(pcs_context *ctx, uint64_t number, class_result *result)
{
    const int32_t problem_class = (int32_t)(number % TEST_PROBLEM_CLASSES);
    const contact_problem_def def = pcs_test_problem_draw(problem_class, number);
    contact_problem known;
    pcs_solve_opts opts = pcs_solve_default();
    pcs_solve_info info;
    pcs_verdict verdict;
    require(ctx, pcs_test_problem_create(ctx, &def, number, &known));
    double *r = calloc((size_t)pcs_problem_rows(known.problem) + 1, sizeof *r);
    if (r == NULL)
        exit(EXIT_FAILURE);
    opts.tolerance = tolerance;
    opts.max_time = patience;
    const double start = pcs_timer_now();
    const pcs_status status = pcs_problem_solve(known.problem, NULL, &opts, NULL, r, NULL, &info);
    const double seconds = pcs_timer_now() - start;
    require(ctx, status);
    require(ctx, pcs_problem_verify(known.problem, r, &verdict));
    const double residual = verdict.residual.relative;
    result->count++;
    result->seconds += seconds;
    result->slowest = fmax(result->slowest, seconds);
    result->worst = fmax(result->worst, residual);
    if (!(residual <= tolerance)) {
        result->unsolved++;
        printf(
            "unsolved: problem %llu (%s, %d contacts, mu <= %g), residual %.2e after %.3f s%s%s\n",
            (unsigned long long)number, pcs_test_problem_class_name(problem_class),
            (int)def.contacts, def.mu_highest, residual, seconds,
            info.reason[0] != '\0' ? ": " : "", info.reason);
        fflush(stdout);
    }
    free(r);
    pcs_test_problem_destroy(ctx, &known);
}

static void print(const char *name, const class_result *c)
{
    printf("%-20s %7d %9d %10.1e %12.4f %12.4f\n", name, (int)c->count, (int)c->unsolved, c->worst,
           c->count > 0 ? 1e3 * c->seconds / c->count : 0.0, 1e3 * c->slowest);
}

int main(int argc, char **argv)
{
    const long count = argc > 1 ? atol(argv[1]) : 10000, first = argc > 2 ? atol(argv[2]) : 0;
    class_result results[TEST_PROBLEM_CLASSES] = {{0}}, all = {0};
    pcs_context_def def = pcs_context_default();
    pcs_context *ctx = pcs_context_create(&def);
    if (ctx == NULL || count < 0 || first < 0) {
        fprintf(stderr, "usage: bench_random_problems [count [first]]\n");
        return EXIT_FAILURE;
    }
    bench_use_one_core();
    for (long p = first; p < first + count; p++)
        solve(ctx, (uint64_t)p, &results[p % TEST_PROBLEM_CLASSES]);
    printf("%ld random problems to %.0e (relative, verified)\n", count, tolerance);
    printf("%-20s %7s %9s %10s %12s %12s\n", "class", "count", "unsolved", "worst", "mean ms",
           "slowest ms");
    for (int32_t c = 0; c < TEST_PROBLEM_CLASSES; c++) {
        print(pcs_test_problem_class_name(c), &results[c]);
        all.count += results[c].count;
        all.unsolved += results[c].unsolved;
        all.seconds += results[c].seconds;
        all.worst = fmax(all.worst, results[c].worst);
        all.slowest = fmax(all.slowest, results[c].slowest);
    }
    print("all", &all);
    pcs_context_destroy(ctx);
    return all.unsolved == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
