// Mixed sweeps of problems whose W is larger than the caches, which work with a copy of W in single
// precision: they end at the solution of W itself, with the same bits for any number of threads,
// and do without the copy where the entries of W are beyond single precision.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "nonsmooth/nsgs.h"
#include "nonsmooth/problem.h"
#include "support/contact_problems.h"

enum { EDGE = 13 }; // 6253 contacts

typedef struct fixture {
    pcs_context *ctx;
    pcs_problem *local;
    size_t rows;
    double *r, *u;
} fixture;

static fixture make_pile(double jitter)
{
    pcs_context_def def = pcs_context_default();
    fixture f = {.ctx = pcs_context_create(&def)};
    pcs_problem *pile = NULL;
    assert_int_equal(pcs_test_pile_create(f.ctx, EDGE, jitter, 3, &pile), PCS_OK);
    assert_int_equal(pcs_problem_reduce(pile, &f.local), PCS_OK);
    pcs_problem_destroy(pile);
    f.rows = (size_t)pcs_problem_rows(f.local);
    f.r = calloc(f.rows, sizeof *f.r);
    f.u = calloc(f.rows, sizeof *f.u);
    assert_true(f.r != NULL && f.u != NULL);
    return f;
}

static void destroy(fixture *f)
{
    free(f->r);
    free(f->u);
    pcs_problem_destroy(f->local);
    pcs_context_destroy(f->ctx);
}

static pcs_status solve(const fixture *f, pcs_measure measure, double tolerance, int32_t threads,
                        double *r, pcs_solve_info *info)
{
    const double option[PCS_GAUSS_SEIDEL_OPTIONS] = {1.0, PCS_ORDER_AUTO, 8};
    pcs_solve_opts opts = pcs_solve_default();
    opts.tolerance = tolerance;
    opts.measure = measure;
    opts.threads = threads;
    opts.max_iterations = 400;
    memset(r, 0, f->rows * sizeof *r);
    return pcs_problem_solve(f->local, "gauss-seidel", &opts, option, r, f->u, info);
}

// Entries of W have errors of 6e-8 in the copy; the answer, measured with W, does not.
static void sweeps_are_as_exact_as_W(void **state)
{
    fixture f = make_pile(0.0);
    pcs_solve_info info;
    (void)state;
    assert_int_equal(solve(&f, PCS_MEASURE_RELATIVE, 1e-13, 1, f.r, &info), PCS_OK);
    pcs_friction_contact view = pcs_problem_local_view(f.local);
    const pcs_residual residual = pcs_friction_contact_measure(&view, f.r, NULL);
    assert_true(residual.relative <= 1e-13 && residual.scaled <= 1e-9);
    destroy(&f);
}

static void threads_do_not_change_bits(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        fixture f = make_pile(k == 0 ? 0.0 : 0.2);
        const double tolerance = k == 0 ? 1e-10 : 1e-4;
        double *other = calloc(f.rows, sizeof *other);
        pcs_solve_info one, some;
        assert_true(other != NULL);
        assert_int_equal(solve(&f, PCS_MEASURE_RELATIVE, tolerance, 1, f.r, &one), PCS_OK);
        for (int32_t threads = 2; threads <= 3; threads++) {
            assert_int_equal(solve(&f, PCS_MEASURE_RELATIVE, tolerance, threads, other, &some),
                             PCS_OK);
            assert_int_equal(one.iterations, some.iterations);
            assert_memory_equal(f.r, other, f.rows * sizeof *other);
        }
        free(other);
        destroy(&f);
    }
}

// W times a power of ten has r divided by it, also where single precision ends.
static void extreme_units(void **state)
{
    static const double factors[] = {1e60, 1e-60, 1e38, 1e-38};
    fixture f = make_pile(0.0);
    double *scaled = calloc(f.rows, sizeof *scaled);
    pcs_solve_info info;
    (void)state;
    assert_true(scaled != NULL);
    assert_int_equal(solve(&f, PCS_MEASURE_SCALED, 1e-9, 1, f.r, &info), PCS_OK);
    const pcs_block_matrix *W = pcs_problem_local_view(f.local).W;
    const int64_t values = (int64_t)W->row_start[W->n] * 9;
    double largest = 0.0;
    for (size_t k = 0; k < f.rows; k++)
        largest = fmax(largest, fabs(f.r[k]));
    for (size_t k = 0; k < sizeof factors / sizeof *factors; k++) {
        for (int64_t e = 0; e < values; e++)
            W->value[e] *= factors[k];
        assert_int_equal(solve(&f, PCS_MEASURE_SCALED, 1e-9, 2, scaled, &info), PCS_OK);
        for (size_t row = 0; row < f.rows; row++)
            // loads add up over the layers, and so do errors of the velocities
            assert_true(fabs(scaled[row] * factors[k] - f.r[row]) <= 1e-9 * EDGE * EDGE * largest);
        for (int64_t e = 0; e < values; e++)
            W->value[e] /= factors[k];
    }
    free(scaled);
    destroy(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sweeps_are_as_exact_as_W),
        cmocka_unit_test(threads_do_not_change_bits),
        cmocka_unit_test(extreme_units),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
