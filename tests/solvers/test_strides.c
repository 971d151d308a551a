// Large problems at tight tolerances: sweeps with momentum, and strides of Newton's method between
// them. The problems are piles of spheres with centres moved at random; W is singular there, and
// sweeps alone take thousands. Answers are judged by the verifier alone.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "nonsmooth/contact_newton.h"
#include "nonsmooth/problem.h"
#include "nonsmooth/strides.h"
#include "nonsmooth/sweep_momentum.h"
#include "support/contact_problems.h"

typedef struct fixture {
    pcs_context *ctx;
    pcs_arena arena;
    pcs_problem *pile, *local;
    pcs_friction_contact problem;
    size_t rows;
    double *r, *u, *other;
} fixture;

static int set_up(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    if (f == NULL)
        return -1;
    f->ctx = pcs_context_create(NULL);
    pcs_arena_init(&f->arena, f->ctx);
    *state = f;
    return f->ctx == NULL ? -1 : 0;
}

static void forget_pile(fixture *f)
{
    pcs_problem_destroy(f->local);
    pcs_problem_destroy(f->pile);
    free(f->r);
    f->local = f->pile = NULL;
    f->r = NULL;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    forget_pile(f);
    pcs_arena_free(&f->arena);
    pcs_context_destroy(f->ctx);
    free(f);
    return 0;
}

static void make_pile(fixture *f, int32_t n, double jitter, uint64_t seed)
{
    forget_pile(f);
    assert_int_equal(pcs_test_pile_create(f->ctx, n, jitter, seed, &f->pile), PCS_OK);
    assert_int_equal(pcs_problem_reduce(f->pile, &f->local), PCS_OK);
    f->problem = pcs_problem_local_view(f->local);
    f->rows = (size_t)pcs_problem_rows(f->pile);
    f->r = calloc(3 * f->rows, sizeof *f->r);
    assert_non_null(f->r);
    f->u = f->r + f->rows;
    f->other = f->u + f->rows;
}

static void assert_solved(fixture *f, double tolerance)
{
    pcs_verdict verdict;
    assert_int_equal(pcs_problem_verify(f->local, f->r, &verdict), PCS_OK);
    assert_true(verdict.residual.relative <= tolerance);
}

// Sweeps to the tolerance, with momentum.
static int32_t count_sweeps(fixture *f, double tolerance, int32_t most)
{
    pcs_solve_opts opts = pcs_solve_default();
    pcs_monitor monitor;
    pcs_sweep_momentum momentum;
    int32_t sweeps = 0;
    opts.tolerance = tolerance;
    memset(f->r, 0, f->rows * sizeof *f->r);
    assert_int_equal(pcs_monitor_init(&monitor, &f->problem, &opts, &f->arena, f->r), PCS_OK);
    assert_int_equal(pcs_sweep_momentum_init(&momentum, &f->problem, &f->arena), PCS_OK);
    pcs_sweep_momentum_start(&momentum, f->r);
    if (pcs_sweep_momentum_run(&momentum, &monitor, most, f->r, &sweeps))
        memcpy(f->r, monitor.best, f->rows * sizeof *f->r);
    return sweeps;
}

// Momentum 1/(1 - b) is worth several sweeps. A factor of two in their number is asked for.
static void momentum_saves_sweeps(void **state)
{
    static const double tolerance = 1e-6;
    fixture *f = *state;
    make_pile(f, 6, 0.23, 907);
    const int32_t with = count_sweeps(f, tolerance, 10000);
    assert_solved(f, tolerance);
    pcs_solve_opts opts = pcs_solve_default();
    pcs_solve_info info;
    opts.tolerance = tolerance;
    memset(f->r, 0, f->rows * sizeof *f->r);
    assert_int_equal(pcs_problem_solve(f->local, "gauss-seidel", &opts, NULL, f->r, f->u, &info),
                     PCS_OK);
    assert_true(2 * with < info.iterations);
}

// A solution is a fixed point of the sweeps: the first one changes nothing but rounding, and
// momentum does not lead away from it.
static void momentum_stays_at_a_solution(void **state)
{
    fixture *f = *state;
    pcs_solve_opts opts = pcs_solve_default();
    pcs_solve_info info;
    pcs_monitor monitor;
    pcs_sweep_momentum momentum;
    int32_t sweeps = 0;
    make_pile(f, 3, 0.11, 31);
    opts.tolerance = 1e-13;
    assert_int_equal(pcs_problem_solve(f->local, "auto", &opts, NULL, f->r, f->u, &info), PCS_OK);
    opts.tolerance = 0.0;
    assert_int_equal(pcs_monitor_init(&monitor, &f->problem, &opts, &f->arena, f->r), PCS_OK);
    assert_int_equal(pcs_sweep_momentum_init(&momentum, &f->problem, &f->arena), PCS_OK);
    pcs_sweep_momentum_start(&momentum, f->r);
    pcs_sweep_momentum_run(&momentum, &monitor, 100, f->r, &sweeps);
    assert_solved(f, 1e-12); // ten times what the start has
}

// With a tiny weight and the states of a solution at hand, a stride is Newton's method: it takes a
// disturbance of 1e-7 to its square, within rounding.
static void stride_is_a_newton_step(void **state)
{
    fixture *f = *state;
    pcs_solve_opts opts = pcs_solve_default();
    pcs_solve_info info;
    pcs_contact_newton *newton;
    bool usable;
    make_pile(f, 3, 0.17, 77);
    opts.tolerance = 1e-13;
    assert_int_equal(pcs_problem_solve(f->local, "auto", &opts, NULL, f->r, f->u, &info), PCS_OK);
    for (size_t k = 0; k < f->rows; k++)
        f->r[k] *= 1.0 + (k % 7 == 0 ? 1e-7 : -0.6e-7);
    const double before = pcs_friction_contact_measure(&f->problem, f->r, NULL).relative;
    assert_int_equal(pcs_contact_newton_create(&f->problem, NULL, &f->arena, &newton), PCS_OK);
    assert_int_equal(pcs_contact_newton_stride(newton, 1e-7, f->r, &usable), PCS_OK);
    assert_true(usable);
    assert_int_equal(pcs_contact_newton_factorisations(newton), 1);
    assert_true(pcs_friction_contact_measure(&f->problem, f->r, NULL).relative < 1e-3 * before);
}

static void limits_are_kept(void **state)
{
    fixture *f = *state;
    pcs_solve_opts opts = pcs_solve_default();
    pcs_monitor monitor;
    pcs_strides_info info = {0, 0};
    make_pile(f, 5, 0.2, 5);
    opts.tolerance = 1e-15;
    assert_int_equal(pcs_monitor_init(&monitor, &f->problem, &opts, &f->arena, f->r), PCS_OK);
    const pcs_strides_opts few = {.first = 40, .sweeps = 10, .strides = 3, .iterations = 1000};
    assert_int_equal(pcs_strides_run(&f->problem, &monitor, &few, &f->arena, f->r, &info), PCS_OK);
    assert_int_equal(info.factorisations, 3);
    assert_in_range(info.iterations, 4 * 10 + 3 * (1 + 10), 4 * 10 + 3 * (1 + 2 * 10));
    info = (pcs_strides_info){0, 0};
    const pcs_strides_opts short_run = {
        .first = 40, .sweeps = 10, .strides = 100, .iterations = 95};
    assert_int_equal(pcs_strides_run(&f->problem, &monitor, &short_run, &f->arena, f->r, &info),
                     PCS_OK);
    assert_true(info.iterations <= 95);
}

// Tight tolerances in piles of some hundred contacts, and the same bits with two threads.
static void piles_are_solved_to_eight_digits(void **state)
{
    static const struct {
        int32_t n;
        double jitter;
        uint64_t seed;
    } pile[] = {{6, 0.06, 1001}, {6, 0.17, 1002}, {6, 0.29, 1003}, {7, 0.12, 1004}};
    fixture *f = *state;
    for (size_t k = 0; k < sizeof pile / sizeof *pile; k++) {
        pcs_solve_opts opts = pcs_solve_default();
        pcs_solve_info info, again;
        make_pile(f, pile[k].n, pile[k].jitter, pile[k].seed);
        assert_int_equal(pcs_problem_solve(f->local, "auto", &opts, NULL, f->r, f->u, &info),
                         PCS_OK);
        assert_solved(f, 1e-8);
        opts.threads = 2;
        assert_int_equal(pcs_problem_solve(f->local, "auto", &opts, NULL, f->other, f->u, &again),
                         PCS_OK);
        assert_int_equal(again.iterations, info.iterations);
        assert_memory_equal(f->r, f->other, f->rows * sizeof *f->r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(momentum_saves_sweeps, set_up, tear_down),
        cmocka_unit_test_setup_teardown(momentum_stays_at_a_solution, set_up, tear_down),
        cmocka_unit_test_setup_teardown(stride_is_a_newton_step, set_up, tear_down),
        cmocka_unit_test_setup_teardown(limits_are_kept, set_up, tear_down),
        cmocka_unit_test_setup_teardown(piles_are_solved_to_eight_digits, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
