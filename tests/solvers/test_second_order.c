// Second-order solvers of the friction contact problem: interior point, semismooth Newton, proximal
// point. Problems have a known solution, but a solver is judged by the independent verifier alone.
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "nonsmooth/friction_newton.h"
#include "nonsmooth/interior_point.h"
#include "nonsmooth/nsgs.h"
#include "nonsmooth/problem.h"
#include "nonsmooth/proximal.h"
#include "nonsmooth/second_order_cone.h"
#include "support/contact_problems.h"
#include "support/fixture.h"

static const pcs_friction_solver *const all[] = {&pcs_solver_interior_point,
                                                 &pcs_solver_proximal_newton,
                                                 &pcs_solver_newton_ac,
                                                 &pcs_solver_newton_jm,
                                                 &pcs_solver_newton_fb,
                                                 &pcs_solver_newton_nm,
                                                 &pcs_solver_proximal_gauss_seidel};
enum { ALL = sizeof all / sizeof *all, ROBUST = 2, MAX_OPTIONS = 8 };

typedef struct fixture {
    pcs_test_memory memory;
} fixture;

static int set_up(void **state)
{
    return pcs_test_fixture_create(state, sizeof(fixture));
}

static double residual_of(const pcs_problem *problem, const double *r)
{
    pcs_verdict verdict;
    assert_int_equal(pcs_problem_verify(problem, r, &verdict), PCS_OK);
    return verdict.residual.relative;
}

// Runs a solver from `start` (NULL: zeros), lets the verifier judge; the arena must be as before.
static pcs_status run(fixture *f, const pcs_problem *problem, const pcs_friction_solver *solver,
                      const double *option, const pcs_solve_opts *opts, const double *start,
                      pcs_solve_info *info, double *residual)
{
    pcs_friction_contact view = pcs_problem_local_view(problem);
    const size_t rows = (size_t)pcs_problem_rows(problem);
    double *r = calloc(rows + 1, sizeof *r), *u = calloc(rows + 1, sizeof *u);
    assert_non_null(r);
    assert_non_null(u);
    if (start != NULL)
        memcpy(r, start, rows * sizeof *r);
    const double first = residual_of(problem, r);
    const size_t used = f->memory.arena.used_total;
    pcs_status status = pcs_friction_solve(&view, solver, opts, option, &f->memory.arena, r, u,
                                           info);
    assert_true(status == PCS_OK || status == PCS_NOT_CONVERGED || status == PCS_INTERRUPTED);
    assert_int_equal(f->memory.arena.used_total, used);
    *residual = residual_of(problem, r);
    // the best iterate: never worse than the start, and the status tells the truth; the verifier
    // sums in another order, so that a part of the rounding of W r is allowed
    const double rounding = 64.0 * DBL_EPSILON;
    assert_true(*residual <= first * (1.0 + 1e-6) + rounding);
    if (status == PCS_OK && opts->measure == PCS_MEASURE_RELATIVE)
        assert_true(*residual <= opts->tolerance * (1.0 + 1e-3) + rounding);
    if (status != PCS_OK)
        assert_true(info->reason[0] != '\0');
    free(r);
    free(u);
    return status;
}

static pcs_solve_opts relative_opts(double tolerance)
{
    return (pcs_solve_opts){.tolerance = tolerance, .measure = PCS_MEASURE_RELATIVE, .threads = 1};
}

// Number of `count` seeds of a definition that the solver does not solve
static int unsolved(fixture *f, const contact_problem_def *def, const pcs_friction_solver *solver,
                    double tolerance, uint64_t seed, int count)
{
    int failures = 0;
    for (int k = 0; k < count; k++) {
        contact_problem problem;
        pcs_solve_info info;
        double residual;
        const pcs_solve_opts opts = relative_opts(tolerance);
        assert_int_equal(pcs_test_problem_create(f->memory.ctx, def, seed + (uint64_t)k, &problem),
                         PCS_OK);
        if (run(f, problem.problem, solver, NULL, &opts, NULL, &info, &residual) != PCS_OK) {
            failures++;
            print_message("%s, seed %d: %.3g\n", solver->name, (int)seed + k, residual);
        }
        pcs_test_problem_destroy(f->memory.ctx, &problem);
    }
    return failures;
}

static contact_problem_def regular(void)
{
    contact_problem_def def = pcs_test_problem_default();
    def.contacts = 7;
    def.bodies = false;
    def.condition = 37.0;
    def.rank_ratio = 1.0;
    def.mu_lowest = 0.23;
    def.mu_highest = 0.61;
    def.degenerate = 0.0;
    return def;
}

// A regular problem is solved by every one of them.
static void test_full_rank(void **state)
{
    contact_problem_def def = regular();
    for (int32_t dimension = 0; dimension <= 3; dimension++) {
        if (dimension == 1)
            continue;
        def.dimension = dimension;
        for (int s = 0; s < ALL; s++)
            assert_int_equal(unsolved(*state, &def, all[s], 1e-8, 100, 5), 0);
    }
}

// Redundant contacts: asked of the robust ones; the others may fail, but honestly.
static void test_rank_deficient(void **state)
{
    contact_problem_def def = pcs_test_problem_default();
    def.rank_ratio = 1.7;
    def.mu_lowest = 0.23;
    def.mu_highest = 0.87;
    for (int s = 0; s < ALL; s++) {
        const int failures = unsolved(*state, &def, all[s], 1e-8, 200, 10);
        assert_true(s >= ROBUST || failures == 0);
        assert_true(failures <= 5);
    }
}

static void test_mixed_and_bilateral(void **state)
{
    contact_problem_def def = regular();
    def.dimension = 0;
    def.contacts = 9;
    def.bilateral_rows = 4;
    for (int s = 0; s < ALL; s++)
        assert_int_equal(unsolved(*state, &def, all[s], 1e-8, 300, 5), 0);
}

static void test_friction_range(void **state)
{
    contact_problem_def def = regular();
    def.mu_lowest = def.mu_highest = 0.0;
    for (int s = 0; s < ALL; s++)
        assert_int_equal(unsolved(*state, &def, all[s], 1e-8, 400, 3), 0);
    def.mu_lowest = def.mu_highest = 5.0;
    for (int s = 0; s < ROBUST; s++)
        assert_int_equal(unsolved(*state, &def, all[s], 1e-8, 500, 5), 0);
}

// The classes by which solvers are judged, to twelve digits by the interior point method.
static void test_interior_point_classes(void **state)
{
    for (int32_t c = 0; c < TEST_PROBLEM_CLASSES; c++)
        for (uint64_t seed = 1; seed <= 5; seed++) {
            const contact_problem_def def = pcs_test_problem_draw(c, seed);
            assert_int_equal(unsolved(*state, &def, &pcs_solver_interior_point, 1e-8, seed, 1), 0);
        }
    contact_problem_def def = regular();
    assert_int_equal(unsolved(*state, &def, &pcs_solver_interior_point, 1e-12, 600, 10), 0);
}

// Both updates of the De Saxce term find the same kind of solution.
static void test_outer_update(void **state)
{
    fixture *f = *state;
    double option[PCS_INTERIOR_POINT_OPTIONS];
    for (int k = 0; k < PCS_INTERIOR_POINT_OPTIONS; k++)
        option[k] = pcs_solver_interior_point.options[k].fallback;
    option[PCS_INTERIOR_POINT_UPDATE] = PCS_INTERIOR_POINT_OUTER;
    contact_problem_def def = regular();
    def.mu_highest = 0.3;
    for (uint64_t seed = 700; seed < 705; seed++) {
        contact_problem problem;
        pcs_solve_info info;
        double residual;
        const pcs_solve_opts opts = relative_opts(1e-8);
        assert_int_equal(pcs_test_problem_create(f->memory.ctx, &def, seed, &problem), PCS_OK);
        assert_int_equal(run(f, problem.problem, &pcs_solver_interior_point, option, &opts, NULL,
                             &info, &residual),
                         PCS_OK);
        pcs_test_problem_destroy(f->memory.ctx, &problem);
    }
}

// From the solution nothing is done; from near it less than from nothing.
static void test_warm_start(void **state)
{
    fixture *f = *state;
    contact_problem_def def = regular();
    def.contacts = 20;
    contact_problem problem;
    assert_int_equal(pcs_test_problem_create(f->memory.ctx, &def, 800, &problem), PCS_OK);
    const int32_t rows = pcs_problem_rows(problem.problem);
    double *near = calloc((size_t)rows, sizeof *near), residual, size = 0.0;
    assert_non_null(near);
    for (int32_t k = 0; k < rows; k++)
        size = fmax(size, fabs(problem.r[k]));
    for (int32_t k = 0; k < rows; k++)
        near[k] = problem.r[k] + 1e-5 * size * sin(2.385 * k);
    for (int s = 0; s < ALL; s++) {
        pcs_solve_info cold, warm, exact;
        const pcs_solve_opts opts = relative_opts(1e-8);
        assert_int_equal(run(f, problem.problem, all[s], NULL, &opts, NULL, &cold, &residual), 0);
        assert_int_equal(run(f, problem.problem, all[s], NULL, &opts, near, &warm, &residual), 0);
        assert_int_equal(run(f, problem.problem, all[s], NULL, &opts, problem.r, &exact, &residual),
                         0);
        assert_int_equal(exact.iterations, 0);
        assert_true(warm.iterations < cold.iterations);
    }
    free(near);
    pcs_test_problem_destroy(f->memory.ctx, &problem);
}

// Near a solution with distinct states the error of a Newton step is C e^2. For the last 3 errors
// above 1e-13, log(e3/e2) / log(e2/e1) tends to 2, here asked to be 1.7. Planar slip and stick
// are linear, so the contacts are spatial and slip.
static void test_quadratic_order(void **state)
{
    fixture *f = *state;
    contact_problem_def def = regular();
    def.open = 0.2;
    def.slip = 0.7;
    contact_problem problem;
    assert_int_equal(pcs_test_problem_create(f->memory.ctx, &def, 900, &problem), PCS_OK);
    for (int s = ROBUST; s < ROBUST + 4; s++) {
        const double option[PCS_NEWTON_OPTIONS] = {PCS_SEARCH_ARMIJO, PCS_START_GAUSS_SEIDEL, 1.0};
        double e1 = 1.0, e2 = 1.0, order = 0.0;
        for (int32_t steps = 1; steps < 40; steps++) {
            pcs_solve_opts opts = relative_opts(0.0);
            pcs_solve_info info;
            double residual;
            opts.max_iterations = steps;
            (void)run(f, problem.problem, all[s], option, &opts, NULL, &info, &residual);
            if (residual < 1e-13)
                break;
            if (residual < e2 && e2 < e1)
                order = log(residual / e2) / log(e2 / e1);
            e1 = e2;
            e2 = residual;
        }
        print_message("%s: order %.2f\n", all[s]->name, order);
        assert_true(order > 1.7);
    }
    pcs_test_problem_destroy(f->memory.ctx, &problem);
}

// Every search and both starts reach the solution.
static void test_searches_and_starts(void **state)
{
    fixture *f = *state;
    contact_problem_def def = regular();
    contact_problem problem;
    assert_int_equal(pcs_test_problem_create(f->memory.ctx, &def, 950, &problem), PCS_OK);
    for (int search = PCS_SEARCH_NONE; search <= PCS_SEARCH_GOLDSTEIN_PRICE; search++)
        for (int start = PCS_START_GAUSS_SEIDEL; start <= PCS_START_EXTRAGRADIENT; start++) {
            const double option[PCS_NEWTON_OPTIONS] = {search, start, 25.0};
            pcs_solve_info info;
            double residual;
            const pcs_solve_opts opts = relative_opts(1e-10);
            assert_int_equal(run(f, problem.problem, &pcs_solver_newton_ac, option, &opts, NULL,
                                 &info, &residual),
                             PCS_OK);
        }
    pcs_test_problem_destroy(f->memory.ctx, &problem);
}

// A contact that no impulse moves and that approaches: no solution, and nothing is hidden.
static void test_unsolvable(void **state)
{
    fixture *f = *state;
    const int32_t index[] = {0, 1, 2, 3, 4, 5};
    const double value[] = {1.3, 0.9, 1.1, 0.0, 0.0, 0.0}, mu[] = {0.4, 0.7};
    const double q[] = {-0.8, 0.31, -0.12, -0.5, 0.2, 0.1};
    const pcs_triplets W = {6, 6, 6, index, index, value};
    pcs_problem *problem;
    assert_int_equal(pcs_problem_create_local(f->memory.ctx, 3, 2, 0, &W, q, mu, &problem), PCS_OK);
    for (int s = 0; s < ALL; s++) {
        pcs_solve_opts opts = relative_opts(1e-8);
        pcs_solve_info info;
        double residual;
        // not the relative one: |F| / |r| goes to zero while r_N grows without end
        opts.measure = PCS_MEASURE_UNSCALED;
        opts.max_time = 2.0;
        const pcs_status status = run(f, problem, all[s], NULL, &opts, NULL, &info, &residual);
        assert_true(status == PCS_NOT_CONVERGED || status == PCS_INTERRUPTED);
        assert_true(isfinite(residual));
    }
    pcs_problem_destroy(problem);
}

static int stop_at_once(void *user)
{
    ++*(int *)user;
    return 1;
}

static void test_stop_hook(void **state)
{
    fixture *f = *state;
    contact_problem_def def = regular();
    contact_problem problem;
    assert_int_equal(pcs_test_problem_create(f->memory.ctx, &def, 970, &problem), PCS_OK);
    for (int s = 0; s < ALL; s++) {
        int calls = 0;
        double residual;
        pcs_solve_info info;
        pcs_solve_opts opts = relative_opts(1e-12);
        opts.stop = stop_at_once;
        opts.stop_user = &calls;
        assert_int_equal(run(f, problem.problem, all[s], NULL, &opts, NULL, &info, &residual),
                         PCS_INTERRUPTED);
        assert_true(calls > 0);
    }
    pcs_test_problem_destroy(f->memory.ctx, &problem);
}

static double draw(pcs_random *random)
{
    return pcs_random_between(random, -1.0, 1.0);
}

// Jacobians of the four functions against central differences: h = eps^(1/3), whose error is about
// h^2 times the third derivatives, which grow near the kinks; random points are seldom near one.
static void test_function_jacobians(void **state)
{
    (void)state;
    pcs_random random;
    pcs_random_init(&random, 41);
    const double h = 6e-6;
    for (int function = 0; function < 4; function++)
        for (int trial = 0; trial < 300; trial++) {
            const int32_t size = 1 + trial % 3;
            const pcs_contact_data data = {size, trial % 7 == 0 ? 0.0 : 0.37, 0.8, 1.3};
            double x[6], value[3], A[9], B[9];
            for (int k = 0; k < 6; k++)
                x[k] = draw(&random);
            pcs_contact_function_compute((pcs_contact_function)function, &data, x, x + 3, value, A,
                                         B);
            int wrong = 0;
            for (int32_t l = 0; l < 2 * size; l++) {
                const int32_t at = l < size ? l : 3 + l - size;
                double high[3], low[3], keep = x[at];
                x[at] = keep + h;
                pcs_contact_function_compute((pcs_contact_function)function, &data, x, x + 3, high,
                                             NULL, NULL);
                x[at] = keep - h;
                pcs_contact_function_compute((pcs_contact_function)function, &data, x, x + 3, low,
                                             NULL, NULL);
                x[at] = keep;
                for (int32_t k = 0; k < size; k++) {
                    const double difference = (high[k] - low[k]) / (2.0 * h);
                    const double exact = l < size ? A[k * size + l] : B[k * size + l - size];
                    wrong += fabs(difference - exact) > 1e-5;
                }
            }
            assert_int_equal(wrong, 0);
        }
}

// At the kinks of Fischer-Burmeister the chosen element is finite.
static void test_function_kinks(void **state)
{
    (void)state;
    const pcs_contact_data data = {3, 0.5, 1.0, 1.0};
    const double points[][6] = {{0, 0, 0, 0, 0, 0},       {1, 0.3, 0.4, 0, 0, 0},
                                {2, 0.6, 0.8, 0, 0, 0},   {0, 0, 0, 1, 0, 0},
                                {2, 0.6, 0.8, 0, -3, -4}, {0, 0, 0, 0, 3, 4}};
    for (int function = 0; function < 4; function++)
        for (size_t p = 0; p < sizeof points / sizeof *points; p++) {
            double value[3], A[9], B[9], sum = 0.0;
            pcs_contact_function_compute((pcs_contact_function)function, &data, points[p],
                                         points[p] + 3, value, A, B);
            for (int k = 0; k < 9; k++)
                sum += fabs(A[k]) + fabs(B[k]);
            assert_true(isfinite(sum) && sum > 0.0);
            if (p != 5) // all but the last are solutions of the law
                for (int k = 0; k < 3; k++)
                    assert_true(fabs(value[k]) < 1e-15);
        }
}

// P z = P^-1 y = lambda, z . y = |lambda|^2, the step to the boundary, the centred pair, and the
// distance kept through a step that its own size would swamp.
static void test_cone_algebra(void **state)
{
    (void)state;
    pcs_random random;
    pcs_random_init(&random, 43);
    for (int trial = 0; trial < 300; trial++) {
        const int32_t size = 1 + trial % 3;
        pcs_cone_point z, y;
        pcs_cone_scaling scaling;
        double tangent[2] = {draw(&random), draw(&random)}, d[3], image[3], v[3];
        pcs_cone_point_set(size, pow(10.0, 2.0 * draw(&random)), tangent, &z);
        tangent[0] = draw(&random);
        pcs_cone_point_set(size, pow(10.0, 2.0 * draw(&random)), tangent, &y);
        assert_true(pcs_cone_scale(size, &z, &y, &scaling));
        pcs_cone_apply(size, &scaling, z.x, image);
        for (int32_t k = 0; k < size; k++)
            assert_true(fabs(image[k] - scaling.lambda[k]) < 1e-12 * scaling.lambda[0]);
        pcs_cone_apply(size, &scaling, scaling.lambda, image);
        for (int32_t k = 0; k < size; k++)
            assert_true(fabs(image[k] - y.x[k]) < 1e-12 * fmax(1.0, y.x[0]));

        for (int32_t k = 0; k < 3; k++)
            d[k] = v[k] = draw(&random);
        const double normal = pcs_cone_normal(size, &z, d);
        const double step = pcs_cone_max_step(size, &z, d, normal);
        if (isfinite(step)) {
            pcs_cone_point end = z;
            pcs_cone_advance(size, &end, d, normal, step);
            assert_true(fabs(end.distance) < 1e-10 * fmax(1.0, step));
        }
        pcs_cone_split(size, v, 0.01, &z, &y);
        pcs_cone_product(size, z.x, y.x, image);
        assert_true(fabs(image[0] - 0.01) < 1e-14);
        for (int32_t k = 0; k < size; k++) {
            assert_true(fabs(z.x[k] - y.x[k] - v[k]) < 1e-14);
            assert_true(k == 0 || fabs(image[k]) < 1e-14);
        }
    }
    pcs_cone_point thin;
    const double tangent[2] = {0.6, 0.8}, along[3] = {0.5, 0.3, 0.4};
    pcs_cone_point_set(3, 1e-25, tangent, &thin);
    pcs_cone_advance(3, &thin, along, 1e-26, 1.0);
    assert_true(fabs(thin.distance - 1.1e-25) < 1e-38);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cone_algebra),
        cmocka_unit_test(test_function_jacobians),
        cmocka_unit_test(test_function_kinks),
        cmocka_unit_test_setup_teardown(test_full_rank, set_up, pcs_test_fixture_destroy),
        cmocka_unit_test_setup_teardown(test_rank_deficient, set_up, pcs_test_fixture_destroy),
        cmocka_unit_test_setup_teardown(test_mixed_and_bilateral, set_up, pcs_test_fixture_destroy),
        cmocka_unit_test_setup_teardown(test_friction_range, set_up, pcs_test_fixture_destroy),
        cmocka_unit_test_setup_teardown(test_interior_point_classes, set_up,
                                        pcs_test_fixture_destroy),
        cmocka_unit_test_setup_teardown(test_outer_update, set_up, pcs_test_fixture_destroy),
        cmocka_unit_test_setup_teardown(test_warm_start, set_up, pcs_test_fixture_destroy),
        cmocka_unit_test_setup_teardown(test_quadratic_order, set_up, pcs_test_fixture_destroy),
        cmocka_unit_test_setup_teardown(test_searches_and_starts, set_up, pcs_test_fixture_destroy),
        cmocka_unit_test_setup_teardown(test_unsolvable, set_up, pcs_test_fixture_destroy),
        cmocka_unit_test_setup_teardown(test_stop_hook, set_up, pcs_test_fixture_destroy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
