// The default solver on 10,000 random friction problems with a known solution: unsolved ones, false
// answers, worst verified residuals and time by class, and the number of every failure, which
// recreates it. An answer is false if the solver calls it solved and its velocities do not have
// half of the digits: the scaled residual, which no size of r excuses, is above the root of the
// tolerance.
//     bench_random_problems [count [first [relative|scaled]]]
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/timer.h"
#include "percuss/problem.h"
#include "support/contact_problems.h"
#include "support/measure.h"

static const double tolerance = 1e-8;

typedef struct class_result {
    int32_t count, unsolved, wrong;
    double worst, worst_scaled, seconds, slowest;
} class_result;

static void require(pcs_context *ctx, pcs_status status)
{
    if (status >= 0)
        return;
    fprintf(stderr, "%s\n", pcs_context_error(ctx));
    exit(EXIT_FAILURE);
}

static void solve(pcs_context *ctx, uint64_t number, pcs_measure measure, class_result *result)
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
    opts.measure =
        measure; // and no limit of time: the solver's own ones are the same on every machine
    const double start = pcs_timer_now();
    const pcs_status status = pcs_problem_solve(known.problem, NULL, &opts, NULL, r, NULL, &info);
    const double seconds = pcs_timer_now() - start;
    require(ctx, status);
    require(ctx, pcs_problem_verify(known.problem, r, &verdict));
    const double scaled = verdict.residual.scaled, relative = verdict.residual.relative;
    const bool met = (measure == PCS_MEASURE_SCALED ? scaled : relative) <= tolerance;
    const bool solved = status == PCS_OK && met;
    const bool wrong = solved && !(scaled <= sqrt(tolerance));
    result->count++;
    result->seconds += seconds;
    result->slowest = fmax(result->slowest, seconds);
    result->worst = fmax(result->worst, relative);
    result->worst_scaled = fmax(result->worst_scaled, scaled);
    result->unsolved += !solved;
    result->wrong += wrong;
    if (!solved || wrong) {
        printf("%s: problem %llu (%s, %d contacts, mu <= %g), residual %.2e relative, %.2e scaled, "
               "after %.3f s%s%s\n",
               solved ? "false" : "unsolved", (unsigned long long)number,
               pcs_test_problem_class_name(problem_class), (int)def.contacts, def.mu_highest,
               relative, scaled, seconds, info.reason[0] != '\0' ? ": " : "", info.reason);
        fflush(stdout);
    }
    free(r);
    pcs_test_problem_destroy(ctx, &known);
}

static void print(const char *name, const class_result *c)
{
    printf("%-20s %6d %9d %6d %9.1e %9.1e %9.3f %11.2f\n", name, (int)c->count, (int)c->unsolved,
           (int)c->wrong, c->worst, c->worst_scaled,
           c->count > 0 ? 1e3 * c->seconds / c->count : 0.0, 1e3 * c->slowest);
}

static class_result sum(const class_result *results)
{
    class_result all = {0};
    for (int32_t c = 0; c < TEST_PROBLEM_CLASSES; c++) {
        all.count += results[c].count;
        all.unsolved += results[c].unsolved;
        all.wrong += results[c].wrong;
        all.seconds += results[c].seconds;
        all.worst = fmax(all.worst, results[c].worst);
        all.worst_scaled = fmax(all.worst_scaled, results[c].worst_scaled);
        all.slowest = fmax(all.slowest, results[c].slowest);
    }
    return all;
}

int main(int argc, char **argv)
{
    const long count = argc > 1 ? atol(argv[1]) : 10000, first = argc > 2 ? atol(argv[2]) : 0;
    const bool scaled = argc > 3 && strcmp(argv[3], "scaled") == 0;
    class_result results[TEST_PROBLEM_CLASSES] = {{0}};
    pcs_context_def def = pcs_context_default();
    pcs_context *ctx = pcs_context_create(&def);
    if (ctx == NULL || count < 0 || first < 0 ||
        (argc > 3 && !scaled && strcmp(argv[3], "relative") != 0)) {
        fprintf(stderr, "usage: bench_random_problems [count [first [relative|scaled]]]\n");
        return EXIT_FAILURE;
    }
    bench_use_one_core();
    for (long p = first; p < first + count; p++)
        solve(ctx, (uint64_t)p, scaled ? PCS_MEASURE_SCALED : PCS_MEASURE_RELATIVE,
              &results[p % TEST_PROBLEM_CLASSES]);
    printf("%ld random problems to %.0e (%s, verified)\n", count, tolerance,
           scaled ? "scaled" : "relative");
    printf("%-20s %6s %9s %6s %9s %9s %9s %11s\n", "class", "count", "unsolved", "false",
           "relative", "scaled", "mean ms", "slowest ms");
    for (int32_t c = 0; c < TEST_PROBLEM_CLASSES; c++)
        print(pcs_test_problem_class_name(c), &results[c]);
    const class_result all = sum(results);
    print("all", &all);
    pcs_context_destroy(ctx);
    return all.unsolved + all.wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
