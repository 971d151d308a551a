// Speed of one Gauss-Seidel sweep on problems from files: nanoseconds for each contact and sweep,
// by the order of the sweep, and the sweeps to 1e-4.
//     bench_sweeps FILE...
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nonsmooth/nsgs.h"
#include "nonsmooth/problem.h"
#include "support/measure.h"

enum { SWEEPS = 200, REPEATS = 5 };
static const char *const order_name[] = {"auto",      "natural",  "reversed",
                                         "symmetric", "coloured", "by_graph"};

// Best of several runs of SWEEPS sweeps from r = 0, in CPU time.
static double time_sweeps(const pcs_friction_contact *problem, pcs_sweep_order order,
                          pcs_arena *arena, double *r)
{
    const size_t bytes = sizeof *r * (size_t)problem->W->offset[problem->W->n];
    double best = INFINITY;
    for (int k = 0; k < REPEATS; k++) {
        pcs_arena_mark mark = pcs_arena_get_mark(arena);
        pcs_nsgs_work work;
        if (pcs_nsgs_work_init_order(&work, problem, arena, order, NULL) < 0)
            return NAN;
        memset(r, 0, bytes);
        const double start = bench_cpu_time();
        for (int s = 0; s < SWEEPS; s++)
            (void)pcs_nsgs_sweep(&work, 1.0, r);
        best = fmin(best, bench_cpu_time() - start);
        pcs_arena_release(arena, mark);
    }
    return 1e9 * best / SWEEPS / problem->W->n;
}

static void bench_file(pcs_context *ctx, const char *path)
{
    pcs_problem *problem = NULL, *local = NULL;
    if (pcs_problem_read(ctx, path, &problem) < 0) {
        printf("%s: %s\n", path, pcs_context_error(ctx));
        return;
    }
    if (pcs_problem_get_class(problem) == PCS_PROBLEM_GLOBAL) {
        if (pcs_problem_reduce(problem, &local) >= 0) {
            pcs_problem_destroy(problem);
            problem = local;
        }
    }
    if (pcs_problem_get_class(problem) == PCS_PROBLEM_LOCAL && pcs_problem_rows(problem) > 0) {
        const pcs_friction_contact view = pcs_problem_local_view(problem);
        const char *name = strrchr(path, '/');
        double *r = calloc((size_t)pcs_problem_rows(problem), sizeof *r);
        pcs_solve_opts opts = pcs_solve_default();
        pcs_solve_info info;
        pcs_arena arena;
        pcs_arena_init(&arena, ctx);
        opts.tolerance = 1e-4;
        opts.max_time = 2.0;
        printf("%-36.36s %6d %6.1f", name != NULL ? name + 1 : path, (int)view.W->n,
               (double)view.W->row_start[view.W->n] / view.W->n);
        for (int order = PCS_ORDER_NATURAL; order <= PCS_ORDER_LEVELS; order++) {
            const double option[3] = {1.0, order, 0};
            const double each = time_sweeps(&view, (pcs_sweep_order)order, &arena, r);
            memset(r, 0, sizeof *r * (size_t)pcs_problem_rows(problem));
            const pcs_status status = pcs_problem_solve(problem, "gauss-seidel", &opts, option, r,
                                                        NULL, &info);
            printf(" %5.0f %5d%s", each, (int)info.iterations, status == PCS_OK ? " " : "*");
        }
        printf("\n");
        free(r);
        pcs_arena_free(&arena);
    }
    pcs_problem_destroy(problem);
}

int main(int argc, char **argv)
{
    pcs_context_def def = pcs_context_default();
    pcs_context *ctx = pcs_context_create(&def);
    bench_use_one_core();
    printf("ns for each contact and sweep, and sweeps to 1e-4 relative (* not reached in 2 s)\n");
    printf("%-36s %6s %6s", "file", "blocks", "in row");
    for (int order = PCS_ORDER_NATURAL; order <= PCS_ORDER_LEVELS; order++)
        printf(" %12s", order_name[order]);
    printf("\n");
    for (int k = 1; k < argc; k++)
        bench_file(ctx, argv[k]);
    pcs_context_destroy(ctx);
    return 0;
}
