// Limits of time: a solve with 10,000 contacts ends soon after max_time, whatever the solver does at
// that moment: sweeps, Newton steps, factorisations, the reduction.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

#include "percuss/problem.h"

enum { SIDE = 100, CONTACTS = SIDE * SIDE, ROWS = 3 * CONTACTS, ENTRIES_MOST = 5 * ROWS };

static pcs_context *ctx;

static int set_up(void **state)
{
    (void)state;
    ctx = pcs_context_create(NULL);
    return ctx ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    const uint64_t left = pcs_context_heap_bytes(ctx);
    pcs_context_destroy(ctx);
    return left == 0 ? 0 : -1;
}

// Contacts on a square grid, each coupled with its neighbours: a matrix whose factors fill.
typedef struct grid {
    int32_t row[ENTRIES_MOST], column[ENTRIES_MOST], count;
    double value[ENTRIES_MOST], q[ROWS], mu[CONTACTS];
} grid;

static void couple(grid *g, int32_t i, int32_t j, double value)
{
    for (int32_t k = 0; k < 3; k++) {
        g->row[g->count] = 3 * i + k;
        g->column[g->count] = 3 * j + k;
        g->value[g->count++] = value;
    }
}

static void make_grid(grid *g)
{
    g->count = 0;
    for (int32_t i = 0; i < CONTACTS; i++) {
        const int32_t x = i % SIDE, y = i / SIDE;
        couple(g, i, i, 4.0 + 1e-6);
        if (x > 0)
            couple(g, i, i - 1, -1.0);
        if (x < SIDE - 1)
            couple(g, i, i + 1, -1.0);
        if (y > 0)
            couple(g, i, i - SIDE, -1.0);
        if (y < SIDE - 1)
            couple(g, i, i + SIDE, -1.0);
        g->mu[i] = 0.3 + 0.4 * (i % 7) / 7.0;
        g->q[3 * i] = -1.0 + 0.3 * sin(1.7 * i);
        g->q[3 * i + 1] = 0.8 * cos(2.3 * i);
        g->q[3 * i + 2] = 0.5 * sin(3.1 * i);
    }
}

static double processor_seconds(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

// Every solver of the class: with tolerance 0 none of them arrives.
static void expect_in_time(const pcs_problem *problem, pcs_problem_class class)
{
    static double r[ROWS];
    const double limit = 0.1, grace = 1.0;
    const char *solver;
    for (int32_t i = 0; (solver = pcs_problem_solver(class, i, NULL, NULL, NULL)) != NULL; i++) {
        pcs_solve_opts opts = pcs_solve_default();
        pcs_solve_info info;
        opts.tolerance = 0.0;
        opts.max_time = limit;
        for (int32_t k = 0; k < ROWS; k++)
            r[k] = 0.0;
        const double start = processor_seconds();
        const pcs_status status = pcs_problem_solve(problem, solver, &opts, NULL, r, NULL, &info);
        const double taken = processor_seconds() - start;
        if (taken > limit + grace)
            fail_msg("%s: %.2f s with a limit of %g s (%s)", solver, taken, limit, info.reason);
        if (status < 0)
            fail_msg("%s: %s", solver, pcs_context_error(ctx));
        for (int32_t k = 0; k < ROWS; k++)
            assert_true(isfinite(r[k]));
    }
}

static void test_local(void **state)
{
    (void)state;
    grid *g = malloc(sizeof *g);
    assert_non_null(g);
    make_grid(g);
    const pcs_triplets W = {ROWS, ROWS, g->count, g->row, g->column, g->value};
    pcs_problem *problem = NULL;
    assert_int_equal(pcs_problem_create_local(ctx, 3, CONTACTS, 0, &W, g->q, g->mu, &problem),
                     PCS_OK);
    expect_in_time(problem, PCS_PROBLEM_LOCAL);
    pcs_problem_destroy(problem);
    free(g);
}

// M is the matrix of the grid and H the identity: W is full and has 7 GB, which no solver waits for.
static void test_global(void **state)
{
    (void)state;
    grid *g = malloc(sizeof *g);
    assert_non_null(g);
    make_grid(g);
    int32_t *index = malloc(ROWS * sizeof *index);
    double *one = malloc(ROWS * sizeof *one);
    assert_true(index != NULL && one != NULL);
    for (int32_t k = 0; k < ROWS; k++) {
        index[k] = k;
        one[k] = 1.0;
    }
    const pcs_triplets M = {ROWS, ROWS, g->count, g->row, g->column, g->value};
    const pcs_triplets H = {ROWS, ROWS, ROWS, index, index, one};
    pcs_problem *problem = NULL;
    assert_int_equal(
        pcs_problem_create_global(ctx, 3, CONTACTS, 0, &M, &H, g->q, g->q, g->mu, &problem),
        PCS_OK);
    expect_in_time(problem, PCS_PROBLEM_GLOBAL);
    pcs_problem_destroy(problem);
    free(index);
    free(one);
    free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_local, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_global, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
