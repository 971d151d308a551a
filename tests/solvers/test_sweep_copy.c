// The copy of W that sweeps of large problems read: it leads where W leads, the blocks it leaves
// out rest at zero, and they come back when they approach.
#include <float.h>
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
#include "support/fixture.h"

typedef struct fixture {
    pcs_test_memory memory;
    pcs_problem *pile, *local;
    pcs_friction_contact problem;
    double *r, *u;
    int32_t rows;
} fixture;

// Spheres in an aligned grid: the contacts between columns carry nothing. W is large enough for a
// copy.
static int set_up(void **state)
{
    if (pcs_test_fixture_create(state, sizeof(fixture)) != 0)
        return -1;
    fixture *f = *state;
    if (pcs_test_pile_create(f->memory.ctx, 13, 0.0, 1, &f->pile) < 0 ||
        pcs_problem_reduce(f->pile, &f->local) < 0)
        return -1;
    f->problem = pcs_problem_local_view(f->local);
    f->rows = pcs_problem_rows(f->local);
    f->r = calloc((size_t)f->rows, sizeof *f->r);
    f->u = calloc((size_t)f->rows, sizeof *f->u);
    return f->r == NULL || f->u == NULL || !pcs_block_matrix_is_large(f->problem.W) ? -1 : 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    free(f->r);
    free(f->u);
    pcs_problem_destroy(f->local);
    pcs_problem_destroy(f->pile);
    return pcs_test_fixture_destroy(state);
}

static void solve(fixture *f, double tolerance, int32_t threads, pcs_solve_info *info)
{
    pcs_solve_opts opts = pcs_solve_default();
    opts.tolerance = tolerance;
    opts.threads = threads;
    memset(f->r, 0, (size_t)f->rows * sizeof *f->r);
    assert_int_equal(pcs_problem_solve(f->local, "auto", &opts, NULL, f->r, f->u, info), PCS_OK);
}

static void make_copy(fixture *f, pcs_run_order *runs, pcs_sweep_copy *copy)
{
    const pcs_block_matrix *W = f->problem.W;
    assert_int_equal(pcs_run_order_compute(runs, &f->memory.arena, NULL, W->n, W->row_start,
                                           W->column, pcs_sweep_run_length(W->n)),
                     PCS_OK);
    assert_int_equal(pcs_sweep_copy_init(copy, &f->problem, runs, NULL, &f->memory.arena), PCS_OK);
    assert_true(pcs_sweep_copy_make(copy, f->r, NULL, true));
}

// u_i from the copy is that of W.
static void assert_velocities(const fixture *f, const pcs_sweep_copy *copy)
{
    const pcs_block_matrix *W = f->problem.W;
    for (int32_t i = 0; i < W->n; i++) {
        const double *W_ii = W->value + W->value_start[W->diagonal[i]];
        double u[3];
        if (!copy->kept[i])
            continue;
        memcpy(u, copy->q + 3 * i, sizeof u);
        copy->blocks.multiply(&copy->blocks, i, f->r, u);
        for (int a = 0; a < 3; a++) {
            double size = fabs(copy->q[3 * i + a]);
            for (int b = 0; b < 3; b++) {
                u[a] += W_ii[3 * a + b] * f->r[3 * i + b];
                size += fabs(W_ii[3 * a + b] * f->r[3 * i + b]);
            }
            assert_true(fabs(u[a] - f->u[3 * i + a]) <= 100.0 * DBL_EPSILON * size); // 33 terms
        }
    }
}

static void resting_blocks_are_left_out(void **state)
{
    fixture *f = *state;
    pcs_solve_info info;
    pcs_run_order runs;
    pcs_sweep_copy copy;
    int32_t kept = 0, first_left = -1;
    solve(f, 1e-6, 1, &info);
    make_copy(f, &runs, &copy);
    for (int32_t i = 0; i < f->problem.W->n; i++) {
        assert_int_equal(copy.kept[i], f->r[3 * i] != 0.0);
        kept += copy.kept[i];
        first_left = first_left < 0 && !copy.kept[i] ? i : first_left;
    }
    assert_true(kept > 0 && 2 * kept < f->problem.W->n);
    assert_velocities(f, &copy);
    // a contact that approaches comes back, the others stay out
    pcs_friction_contact_velocity(&f->problem, f->r, f->u);
    f->u[3 * first_left] = -1e-3;
    assert_true(pcs_sweep_copy_correct(&copy, f->r, f->u));
    for (int32_t i = 0; i < f->problem.W->n; i++)
        assert_int_equal(copy.kept[i], f->r[3 * i] != 0.0 || i == first_left);
    pcs_friction_contact_velocity(&f->problem, f->r, f->u);
    assert_velocities(f, &copy);
    // and another r is corrected for
    for (int32_t k = 0; k < f->rows; k++)
        f->r[k] *= 1.0 + 1e-3 * (k % 7);
    pcs_friction_contact_velocity(&f->problem, f->r, f->u);
    for (int32_t i = 0; i < f->problem.W->n; i++) // nobody else comes back
        f->u[3 * i] = copy.kept[i] ? f->u[3 * i] : 1.0;
    assert_true(pcs_sweep_copy_correct(&copy, f->r, f->u));
    assert_velocities(f, &copy);
}

// While contacts still close, and where hardly any rests, all are kept.
static void all_blocks_are_kept(void **state)
{
    fixture *f = *state;
    pcs_solve_info info;
    pcs_run_order runs;
    pcs_sweep_copy copy;
    solve(f, 1e-6, 1, &info);
    make_copy(f, &runs, &copy);
    assert_true(pcs_sweep_copy_make(&copy, f->r, NULL, false));
    for (int32_t i = 0; i < f->problem.W->n; i++)
        assert_int_equal(copy.kept[i], 1);
    for (int32_t i = 0; i < f->problem.W->n; i++)
        f->r[3 * i] = i % 5 == 0 ? 0.0 : 1e-3;
    assert_true(pcs_sweep_copy_make(&copy, f->r, NULL, true));
    for (int32_t i = 0; i < f->problem.W->n; i++)
        assert_int_equal(copy.kept[i], 1);
}

// The residual is that of W whatever the sweeps read, and the bits do not depend on the threads.
static void solutions_are_those_of_w(void **state)
{
    fixture *f = *state;
    static const double tolerances[] = {1e-4, 1e-6, 1e-10};
    double *one = malloc((size_t)f->rows * sizeof *one);
    assert_non_null(one);
    for (size_t k = 0; k < sizeof tolerances / sizeof *tolerances; k++) {
        pcs_solve_info info;
        solve(f, tolerances[k], 1, &info);
        memcpy(one, f->r, (size_t)f->rows * sizeof *one);
        const pcs_residual residual = pcs_friction_contact_measure(&f->problem, f->r, NULL);
        assert_true(residual.relative <= tolerances[k]);
        for (int32_t threads = 2; threads <= 5; threads++) {
            solve(f, tolerances[k], threads, &info);
            assert_memory_equal(one, f->r, (size_t)f->rows * sizeof *one);
        }
    }
    free(one);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(resting_blocks_are_left_out, set_up, tear_down),
        cmocka_unit_test_setup_teardown(all_blocks_are_kept, set_up, tear_down),
        cmocka_unit_test_setup_teardown(solutions_are_those_of_w, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
