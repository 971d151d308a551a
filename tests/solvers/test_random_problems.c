// Random friction problems with a known solution: the generator keeps its promise, the two
// independent residuals agree, and the default solver solves every problem of a sample of those in
// bench/bench_random_problems.c.
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nonsmooth/friction_contact.h"
#include "nonsmooth/problem.h"
#include "percuss/problem.h"
#include "support/contact_problems.h"
#include "support/family.h"
#include "support/near.h"

enum { KNOWN_PROBLEMS = 200, SAMPLE_STRIDE = 13, PROBLEMS = 2000 };
static const double tolerance = 1e-8;

static pcs_context *create_context(void)
{
    pcs_context_def def = pcs_context_default();
    pcs_context *ctx = pcs_context_create(&def);
    assert_non_null(ctx);
    return ctx;
}

static contact_problem create(pcs_context *ctx, int32_t number)
{
    const int32_t problem_class = number % TEST_PROBLEM_CLASSES;
    const contact_problem_def def = pcs_test_problem_draw(problem_class, (uint64_t)number);
    contact_problem problem;
    assert_int_equal(pcs_test_problem_create(ctx, &def, (uint64_t)number, &problem), PCS_OK);
    return problem;
}

// |W|_F (1 + max mu): by how much an error of r is magnified in uhat
static double magnification(const pcs_problem *problem)
{
    const pcs_block_matrix *W = &problem->W;
    const int64_t count = W->value_start[W->row_start[W->n]];
    double sum = 0.0, mu = 0.0;
    for (int64_t k = 0; k < count; k++)
        sum += W->value[k] * W->value[k];
    for (int32_t i = 0; i < W->n; i++)
        mu = fmax(mu, problem->mu[i]);
    return sqrt(sum) * (1.0 + mu);
}

static double norm(int32_t n, const double *x)
{
    double sum = 0.0;
    for (int32_t k = 0; k < n; k++)
        sum += x[k] * x[k];
    return sqrt(sum);
}

// The known solution: r_T on the cone's edge and q are rounded, nothing else stands between.
static void known_solutions(void **state)
{
    (void)state;
    pcs_context *ctx = create_context();
    int32_t states[3] = {0, 0, 0};
    for (int32_t p = 0; p < KNOWN_PROBLEMS; p++) {
        contact_problem known = create(ctx, p);
        const int32_t rows = pcs_problem_rows(known.problem);
        const double r = norm(rows, known.r), u = norm(rows, known.u);
        const double q = norm(rows, known.problem->q);
        const double rounding = 4.0 * DBL_EPSILON;
        const double spread = rounding * (1.0 + magnification(known.problem));
        pcs_verdict verdict;
        assert_int_equal(pcs_problem_verify(known.problem, known.r, &verdict), PCS_OK);
        assert_at_most(verdict.residual.relative, spread);
        assert_at_most(verdict.cone, rounding);
        assert_at_most(verdict.dissipation, r * spread * fmax(q, fmax(r, u)));
        states[0] += verdict.open;
        states[1] += verdict.stick;
        states[2] += verdict.slip;
        pcs_test_problem_destroy(ctx, &known);
    }
    for (int s = 0; s < 3; s++)
        assert_true(states[s] > KNOWN_PROBLEMS); // all states occur
    assert_true(pcs_context_heap_bytes(ctx) == 0);
    pcs_context_destroy(ctx);
}

// The solvers' residual and the verifier, at the solution displaced by one per cent of |r|. Both
// maps are Lipschitz in u with a constant below 2, and u has the rounding of a sum of n terms.
static void two_residuals_agree(void **state)
{
    (void)state;
    pcs_context *ctx = create_context();
    for (int32_t p = 0; p < KNOWN_PROBLEMS; p++) {
        contact_problem known = create(ctx, p);
        const pcs_problem *problem = known.problem;
        const pcs_friction_contact view = pcs_problem_local_view(problem);
        const double scale = pcs_friction_contact_scale(&view);
        const double length = norm(problem->rows, known.r), W = magnification(problem);
        const double rounding = 2.0 * DBL_EPSILON * problem->rows;
        for (int32_t k = 0; k < problem->rows; k++)
            known.r[k] += 0.01 * length * sin(7.3 * k);
        pcs_verdict verdict;
        assert_int_equal(pcs_problem_verify(problem, known.r, &verdict), PCS_OK);
        const pcs_residual residual = pcs_friction_contact_measure(&view, known.r, NULL);
        assert_near(residual.relative, verdict.residual.relative, rounding * (1.0 + W));
        assert_near(residual.scaled, verdict.residual.scaled,
                    rounding * (1.0 + W * norm(problem->rows, known.r) / scale));
        pcs_test_problem_destroy(ctx, &known);
    }
    pcs_context_destroy(ctx);
}

// The same seed gives the same bits.
static void seeds(void **state)
{
    (void)state;
    pcs_context *ctx = create_context();
    for (int32_t p = 0; p < 2 * TEST_PROBLEM_CLASSES; p++) {
        contact_problem a = create(ctx, p), b = create(ctx, p);
        const int32_t rows = pcs_problem_rows(a.problem);
        const pcs_block_matrix *W = &a.problem->W;
        const size_t count = (size_t)W->value_start[W->row_start[W->n]];
        assert_int_equal(pcs_problem_rows(b.problem), rows);
        assert_memory_equal(a.problem->q, b.problem->q, sizeof(double) * (size_t)rows);
        assert_memory_equal(W->value, b.problem->W.value, sizeof(double) * count);
        pcs_test_problem_destroy(ctx, &a);
        pcs_test_problem_destroy(ctx, &b);
    }
    pcs_context_destroy(ctx);
}

// In the relative measure, and with half of the digits in the scaled one, which a long r cannot
// fool.
static bool is_solved(pcs_context *ctx, int32_t number)
{
    contact_problem known = create(ctx, number);
    const int32_t rows = pcs_problem_rows(known.problem);
    double *r = calloc((size_t)rows + 1, sizeof *r);
    pcs_solve_opts opts = pcs_solve_default();
    pcs_solve_info info;
    pcs_verdict verdict;
    assert_non_null(r);
    opts.tolerance = tolerance;
    const pcs_status status = pcs_problem_solve(known.problem, NULL, &opts, NULL, r, NULL, &info);
    assert_true(status >= 0);
    assert_int_equal(pcs_problem_verify(known.problem, r, &verdict), PCS_OK);
    const bool solved = verdict.residual.relative <= tolerance &&
                        verdict.residual.scaled <= sqrt(tolerance);
    if (!solved)
        print_error("problem %d (%s, %d contacts): %s, residual %.3g, scaled %.3g. %s\n",
                    (int)number, pcs_test_problem_class_name(number % TEST_PROBLEM_CLASSES),
                    (int)pcs_problem_contacts(known.problem), pcs_status_name(status),
                    verdict.residual.relative, verdict.residual.scaled, info.reason);
    free(r);
    pcs_test_problem_destroy(ctx, &known);
    return solved;
}

static void sample(void **state)
{
    (void)state;
    pcs_context *ctx = create_context();
    int32_t count = 0, unsolved = 0;
    for (int32_t p = 0; p < PROBLEMS; p += SAMPLE_STRIDE * CASE_STRIDE) {
        unsolved += !is_solved(ctx, p);
        count++;
    }
    print_message("%d problems, %d unsolved\n", (int)count, (int)unsolved);
    assert_int_equal(unsolved, 0);
    assert_true(pcs_context_heap_bytes(ctx) == 0);
    pcs_context_destroy(ctx);
}

// Problems that the chain without complementary paths left unsolved: impulses that W does not
// resist lead every merit away, and the central path to infinity.
static void self_balanced(void **state)
{
    (void)state;
    static const int32_t numbers[] = {3605, 8205, 9180};
    pcs_context *ctx = create_context();
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k += CASE_STRIDE)
        assert_true(is_solved(ctx, numbers[k]));
    assert_true(pcs_context_heap_bytes(ctx) == 0);
    pcs_context_destroy(ctx);
}

// Problems with a solution at which more velocities are zero than W has rank: complementary paths
// and the central path lead to infinity beside it, a descent of the gap arrives within a second or
// so.
static void overdetermined(void **state)
{
    (void)state;
    static const int32_t numbers[] = {60159, 85254, 87899};
    pcs_context *ctx = create_context();
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k += CASE_STRIDE)
        assert_true(is_solved(ctx, numbers[k]));
    assert_true(pcs_context_heap_bytes(ctx) == 0);
    pcs_context_destroy(ctx);
}

// Impulses that run away, along a load with friction that W does not resist, prove nothing: no
// solver may say that there is no solution where one is known. The chain is cut short, so that many
// stay unsolved.
static void no_false_certificate(void **state)
{
    (void)state;
    pcs_context *ctx = create_context();
    int32_t unsolved = 0;
    for (int32_t p = 0; p < 500; p += CASE_STRIDE) {
        if (p % TEST_PROBLEM_CLASSES != 4 && p % TEST_PROBLEM_CLASSES != 5)
            continue; // redundant ones alone
        contact_problem known = create(ctx, p);
        const int32_t rows = pcs_problem_rows(known.problem);
        double *r = calloc((size_t)rows + 1, sizeof *r);
        pcs_solve_opts opts = pcs_solve_default();
        pcs_solve_info info;
        assert_non_null(r);
        opts.tolerance = 1e-12;
        opts.max_iterations = 60;
        const pcs_status status = pcs_problem_solve(known.problem, NULL, &opts, NULL, r, NULL,
                                                    &info);
        assert_true(status >= 0);
        unsolved += status != PCS_OK;
        assert_null(strstr(info.reason, "no solution"));
        free(r);
        pcs_test_problem_destroy(ctx, &known);
    }
    assert_true(unsolved > 0);
    pcs_context_destroy(ctx);
}

// A point between two walls that close on it at unit speed. Its normals lean by 0.3 rad, within the
// friction: it cannot slip out, and the walls cannot stop. Impulses that balance each other, partly
// by friction, may grow for ever and make the relative figure as small as one likes; that is no
// solution.
static void no_false_solution(void **state)
{
    (void)state;
    const double c = cos(0.3), s = sin(0.3), mu[] = {0.5, 0.5};
    const double H[2][4] = {{c, -s, -c, s}, {s, c, s, c}}, q[] = {-1.0, 0.0, -1.0, 0.0};
    double value[16], r[4] = {0.0};
    int32_t row[16], column[16];
    for (int32_t k = 0; k < 16; k++) {
        row[k] = k / 4;
        column[k] = k % 4;
        value[k] = H[0][row[k]] * H[0][column[k]] + H[1][row[k]] * H[1][column[k]];
    }
    const pcs_triplets W = {4, 4, 16, row, column, value};
    pcs_context *ctx = create_context();
    pcs_problem *problem;
    pcs_solve_opts opts = pcs_solve_default();
    pcs_solve_info info;
    assert_int_equal(pcs_problem_create_local(ctx, 2, 2, 0, &W, q, mu, &problem), PCS_OK);
    opts.tolerance = tolerance;
    assert_int_equal(pcs_problem_solve(problem, NULL, &opts, NULL, r, NULL, &info),
                     PCS_NOT_CONVERGED);
    assert_int_equal(info.solutions, 0);
    // An answer that the relative measure alone accepts, as the start: refused by every solver.
    const double long_r[] = {1e10 * c, -1e10 * s, 1e10 * c, -1e10 * s};
    pcs_verdict verdict;
    assert_int_equal(pcs_problem_verify(problem, long_r, &verdict), PCS_OK);
    assert_at_most(verdict.residual.relative, tolerance);
    assert_true(verdict.residual.scaled > 0.1);
    memcpy(r, long_r, sizeof r);
    opts.max_iterations = 5;
    assert_int_equal(pcs_problem_solve(problem, "gauss-seidel", &opts, NULL, r, NULL, &info),
                     PCS_NOT_CONVERGED);
    pcs_problem_destroy(problem);
    pcs_context_destroy(ctx);
}

// Contacts of the pile, and its equilibrium: with vertical normals alone (no jitter) every column
// of spheres carries its weight, r_N = m g h (number of spheres above and including).
static void pile(void **state)
{
    (void)state;
    enum { N = 4 };
    pcs_context *ctx = create_context();
    pcs_problem *problem = NULL;
    assert_int_equal(pcs_test_pile_create(ctx, N, 0.0, 1, &problem), PCS_OK);
    const int32_t contacts = 3 * N * N * N - 2 * N * N, rows = 3 * contacts;
    assert_int_equal(pcs_problem_contacts(problem), contacts);
    assert_int_equal(pcs_problem_dofs(problem), 6 * N * N * N);
    double *r = calloc((size_t)rows, sizeof *r);
    const double weight = -problem->f[2];
    int32_t contact = 0;
    assert_non_null(r);
    for (int32_t s = 0; s < N * N * N; s++) { // the vertical contact is the first of its sphere
        r[3 * contact] = weight * (N - s / (N * N));
        contact += 1 + (s % N > 0) + (s / N % N > 0);
    }
    pcs_verdict verdict;
    assert_int_equal(pcs_problem_verify(problem, r, &verdict), PCS_OK);
    assert_at_most(verdict.residual.relative, 8.0 * DBL_EPSILON);
    assert_at_most(verdict.equation, DBL_EPSILON);
    pcs_problem_destroy(problem);
    assert_int_equal(pcs_test_pile_create(ctx, N, 0.01, 1, &problem), PCS_OK);
    assert_int_equal(pcs_problem_verify(problem, r, &verdict), PCS_OK);
    assert_true(verdict.residual.relative > 1e-4); // the jitter moved the normals
    pcs_problem_destroy(problem);
    assert_int_equal(pcs_test_pile_create(ctx, 0, 0.0, 1, &problem), PCS_ERROR_ARGUMENT);
    free(r);
    pcs_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_solutions),
        cmocka_unit_test(two_residuals_agree),
        cmocka_unit_test(seeds),
        cmocka_unit_test(pile),
        cmocka_unit_test(sample),
        cmocka_unit_test(self_balanced),
        cmocka_unit_test(overdetermined),
        cmocka_unit_test(no_false_certificate),
        cmocka_unit_test(no_false_solution),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
