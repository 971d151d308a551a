// The default solver on contact problems of scenes (support/contact_scenes.h) that no option was
// chosen on: for each family how many are solved to 1e-4, 1e-8 and 1e-12, verified, within a limit
// of time. With a folder the problems are written there, for percuss bench solve and its peer;
// those with a local form in it are every second one.
//     bench_scenes [seed [seconds for a solve [folder]]]
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/timer.h"
#include "support/contact_scenes.h"
#include "support/measure.h"

enum { SIZES = 3, FRICTIONS = 4, MOTIONS = 3, TOLERANCES = 3 };
static const double tolerances[TOLERANCES] = {1e-4, 1e-8, 1e-12};
static const double frictions[FRICTIONS] = {0.0, 0.3, 0.7, 1.5};
static const double masses[MOTIONS] = {1.0, 1e3, 1e-3};

typedef struct tally {
    int32_t count, smallest, largest, solved[TOLERANCES], wrong;
    double seconds[TOLERANCES], slowest[TOLERANCES];
} tally;

static void require(bool good, const char *what, pcs_context *ctx)
{
    if (good)
        return;
    fprintf(stderr, "%s: %s\n", what, pcs_context_error(ctx));
    exit(EXIT_FAILURE);
}

static void solve(pcs_context *ctx, const pcs_problem *problem, const char *name, int32_t which,
                  double limit, tally *t)
{
    double *r = calloc((size_t)pcs_problem_rows(problem), sizeof *r);
    pcs_solve_opts opts = pcs_solve_default();
    pcs_solve_info info;
    pcs_verdict verdict;
    opts.tolerance = tolerances[which];
    opts.max_time = limit;
    require(r != NULL, name, ctx);
    const double start = pcs_timer_now();
    const pcs_status status = pcs_problem_solve(problem, NULL, &opts, NULL, r, NULL, &info);
    const double seconds = pcs_timer_now() - start;
    require(status >= 0 && pcs_problem_verify(problem, r, &verdict) >= 0, name, ctx);
    const bool met = verdict.residual.relative <= opts.tolerance;
    // what rounding r to double leaves counts as solved: no solver gets below
    const bool solved = status == PCS_OK ? met : info.at_rounding != 0;
    t->solved[which] += solved;
    t->wrong += status == PCS_OK && !met;
    t->seconds[which] += seconds;
    t->slowest[which] = seconds > t->slowest[which] ? seconds : t->slowest[which];
    if (!solved)
        printf("unsolved to %.0e: %s, %d contacts, residual %.1e relative, %.1e scaled, %.2f s\n",
               opts.tolerance, name, (int)pcs_problem_contacts(problem), verdict.residual.relative,
               verdict.residual.scaled, seconds);
    free(r);
}

static void run(pcs_context *ctx, const bench_scene_def *def, bool local, double limit,
                const char *folder, tally *t)
{
    char name[80], path[600];
    pcs_problem *problem = bench_scene_create(ctx, def), *reduced = NULL;
    snprintf(name, sizeof name, "%s-%d-%g-%d", bench_scene_family(def->family), (int)def->size,
             def->friction, (int)def->motion);
    require(problem != NULL, name, ctx);
    if (local) {
        require(pcs_problem_reduce(problem, &reduced) >= 0, name, ctx);
        pcs_problem_destroy(problem);
        problem = reduced;
    }
    const int32_t contacts = pcs_problem_contacts(problem);
    t->smallest = t->count == 0 || contacts < t->smallest ? contacts : t->smallest;
    t->largest = contacts > t->largest ? contacts : t->largest;
    t->count++;
    if (folder != NULL) {
        snprintf(path, sizeof path, "%s/%s.hdf5", folder, name);
        for (char *c = path + strlen(folder); *c != '\0'; c++)
            *c = *c == ' ' ? '_' : *c;
        require(pcs_problem_write(problem, path, PCS_PROBLEM_FCLIB, NULL) >= 0, path, ctx);
    } else {
        for (int32_t k = 0; k < TOLERANCES; k++)
            solve(ctx, problem, name, k, limit, t);
    }
    pcs_problem_destroy(problem);
}

static void run_family(pcs_context *ctx, int32_t family, uint64_t seed, double limit,
                       const char *folder, tally *t)
{
    for (int32_t k = 0; k < SIZES * FRICTIONS * MOTIONS; k++) {
        const int32_t motion = k / (SIZES * FRICTIONS);
        const bench_scene_def def = {.family = family,
                                     .size = k % SIZES,
                                     .friction = frictions[k / SIZES % FRICTIONS],
                                     .motion = motion,
                                     .mass = masses[motion],
                                     .seed = 1000 * seed + (uint64_t)k};
        run(ctx, &def, k % 2 == 0, limit, folder, t);
    }
}

static void print(const char *name, const tally *t)
{
    printf("%-12s %5d %5d..%-5d", name, (int)t->count, (int)t->smallest, (int)t->largest);
    for (int32_t k = 0; k < TOLERANCES; k++)
        printf("  %4d %8.2f %8.0f", (int)t->solved[k],
               t->count > 0 ? 1e3 * t->seconds[k] / t->count : 0.0, 1e3 * t->slowest[k]);
    printf("\n");
    fflush(stdout);
}

int main(int argc, char **argv)
{
    const uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    const double limit = argc > 2 ? atof(argv[2]) : 20.0;
    const char *folder = argc > 3 ? argv[3] : NULL;
    int32_t failures = 0;
    pcs_context *ctx = pcs_context_create(NULL);
    if (ctx == NULL || !(limit > 0.0)) {
        fprintf(stderr, "usage: bench_scenes [seed [seconds for a solve [folder]]]\n");
        return EXIT_FAILURE;
    }
    bench_use_one_core();
    printf("for each tolerance (1e-4, 1e-8, 1e-12): solved, mean ms, slowest ms\n");
    printf("%-12s %5s %12s  %4s %8s %8s  %4s %8s %8s  %4s %8s %8s\n", "family", "count", "contacts",
           "1e-4", "mean", "slowest", "1e-8", "mean", "slowest", "-12", "mean", "slowest");
    for (int32_t f = 0; f < bench_scene_families(); f++) {
        tally t = {0};
        run_family(ctx, f, seed, limit, folder, &t);
        print(bench_scene_family(f), &t);
        failures += folder == NULL ? t.count - t.solved[1] + t.wrong : 0;
    }
    pcs_context_destroy(ctx);
    return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
