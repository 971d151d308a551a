// Global problems of flexible bodies: large sparse M, reduced through its Cholesky or LU factors.
// Against dense algebra; matrices that are symmetric up to rounding, singular or indefinite; limits
// of time; threads; memory that fails; the verifier.
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "linalg/dense.h"
#include "nonsmooth/global_contact.h"
#include "nonsmooth/verify.h"
#include "support/elastic_block.h"
#include "support/near.h"
#include "support/triplet_list.h"

static pcs_context *create_context(void)
{
    pcs_context *ctx = pcs_context_create(NULL);
    assert_non_null(ctx);
    return ctx;
}

static pcs_problem *create_block(pcs_context *ctx, int32_t x, int32_t y, int32_t z,
                                 int32_t contacts, double skew)
{
    elastic_block_def def = pcs_test_elastic_block_default();
    pcs_problem *problem = NULL;
    def.nodes[0] = x;
    def.nodes[1] = y;
    def.nodes[2] = z;
    def.contacts = contacts;
    def.skew = skew;
    assert_int_equal(pcs_test_elastic_block_create(ctx, &def, &problem), PCS_OK);
    return problem;
}

// Columns of A one after the other
static double *to_dense(const pcs_sparse *A)
{
    const int32_t n = A->pattern.n_columns, m = A->pattern.n_rows;
    double *dense = calloc((size_t)n * (size_t)m + 1, sizeof *dense);
    assert_non_null(dense);
    for (int32_t j = 0; j < n; j++)
        for (int32_t e = A->pattern.start[j]; e < A->pattern.start[j + 1]; e++)
            dense[j * m + A->pattern.index[e]] = A->value[e];
    return dense;
}

// W by LAPACK, row-major
static double *dense_W(const pcs_problem *p)
{
    const int32_t n = p->dofs, m = p->rows;
    double *M = to_dense(&p->M), *H = to_dense(&p->H), *X = to_dense(&p->H);
    double *W = calloc((size_t)m * (size_t)m, sizeof *W);
    int32_t *pivot = malloc(sizeof(int32_t) * (size_t)n);
    assert_true(W && pivot);
    for (int32_t i = 0; i < n; i++) // dense algebra takes rows
        for (int32_t j = 0; j < i; j++) {
            const double swap = M[i * n + j];
            M[i * n + j] = M[j * n + i];
            M[j * n + i] = swap;
        }
    assert_int_equal(pcs_dense_lu_factor(n, M, pivot), -1);
    pcs_dense_lu_solve(n, M, pivot, m, X);
    for (int32_t i = 0; i < m; i++)
        for (int32_t j = 0; j < m; j++)
            for (int32_t k = 0; k < n; k++)
                W[i * m + j] += H[i * n + k] * X[j * n + k];
    free(M);
    free(H);
    free(X);
    free(pivot);
    return W;
}

// |M^-1| <= 1 (masses of 1) and |M| <= 1 + 2 * 26 springs, here 200: an error of at most
// 200 dofs eps for columns of H of length one.
static double tolerance_of(const pcs_problem *p)
{
    return 200.0 * p->dofs * DBL_EPSILON;
}

static void against_dense_algebra(void **state)
{
    (void)state;
    static const struct {
        int32_t x, y, z, contacts;
        double skew;
    } blocks[] = {
        {4, 4, 4, 5, 0.0},
        {4, 4, 4, 5, 0.02}, // more degrees of freedom under the contacts than rows
        {3, 3, 6, 40, 0.0},
        {3, 3, 6, 40, 0.02}, // fewer
        {7, 6, 8, 30, 0.0},
        {2, 2, 60, 3, 0.0},
    };
    pcs_context *ctx = create_context();
    for (size_t c = 0; c < sizeof blocks / sizeof *blocks; c++) {
        pcs_problem *problem = create_block(ctx, blocks[c].x, blocks[c].y, blocks[c].z,
                                            blocks[c].contacts, blocks[c].skew);
        pcs_problem *local = NULL;
        const int32_t m = problem->rows;
        double *exact = dense_W(problem), *W = calloc((size_t)m * (size_t)m, sizeof *W);
        assert_non_null(W);
        assert_int_equal(pcs_problem_reduce(problem, &local), PCS_OK);
        pcs_block_matrix_to_dense(&local->W, W);
        for (int32_t i = 0; i < m; i++)
            for (int32_t j = 0; j < m; j++) {
                assert_near(W[i * m + j], exact[i * m + j], tolerance_of(problem));
                if (blocks[c].skew == 0.0)
                    assert_true(W[i * m + j] == W[j * m + i]);
            }
        free(exact);
        free(W);
        pcs_problem_destroy(local);
        pcs_problem_destroy(problem);
    }
    assert_true(pcs_context_heap_bytes(ctx) == 0);
    pcs_context_destroy(ctx);
}

// Elements summed in another order above and below the diagonal: W is symmetric all the same.
static void symmetric_up_to_rounding(void **state)
{
    (void)state;
    pcs_context *ctx = create_context();
    pcs_problem *problem = create_block(ctx, 5, 4, 6, 12, 0.0), *local = NULL;
    double *exact = dense_W(problem);
    const int32_t m = problem->rows;
    double *W = calloc((size_t)m * (size_t)m, sizeof *W);
    assert_non_null(W);
    for (int32_t j = 0; j < problem->dofs; j++)
        for (int32_t e = problem->M.pattern.start[j]; e < problem->M.pattern.start[j + 1]; e++)
            if (problem->M.pattern.index[e] < j)
                problem->M.value[e] *= 1.0 + 3.0 * DBL_EPSILON * (e % 3 - 1);
    assert_int_equal(pcs_problem_reduce(problem, &local), PCS_OK);
    pcs_block_matrix_to_dense(&local->W, W);
    for (int32_t i = 0; i < m; i++)
        for (int32_t j = 0; j < m; j++) {
            assert_near(W[i * m + j], exact[i * m + j], tolerance_of(problem));
            assert_true(W[i * m + j] == W[j * m + i]);
        }
    free(exact);
    free(W);
    pcs_problem_destroy(local);
    pcs_problem_destroy(problem);
    pcs_context_destroy(ctx);
}

static void scale_dof(pcs_problem *p, int32_t dof, double row_and_column, double diagonal)
{
    for (int32_t j = 0; j < p->dofs; j++)
        for (int32_t e = p->M.pattern.start[j]; e < p->M.pattern.start[j + 1]; e++) {
            const int32_t i = p->M.pattern.index[e];
            if (i == dof && j == dof)
                p->M.value[e] *= diagonal;
            else if (i == dof || j == dof)
                p->M.value[e] *= row_and_column;
        }
}

static void unusable_masses(void **state)
{
    (void)state;
    pcs_context *ctx = create_context();
    for (int32_t k = 0; k < 4; k++) {
        pcs_problem *problem = create_block(ctx, 4, 4, 5, 6, k >= 2 ? 0.02 : 0.0), *local = NULL;
        const uint64_t bytes = pcs_context_heap_bytes(ctx);
        if (k % 2 == 0) // a degree of freedom without mass and springs; then a negative one
            scale_dof(problem, 101, 0.0, 0.0);
        else
            scale_dof(problem, 101, 1.0, -1.0);
        assert_int_equal(pcs_problem_reduce(problem, &local), PCS_ERROR_SINGULAR);
        assert_null(local);
        const char *text = strstr(pcs_context_error(ctx), "degree of freedom ");
        assert_non_null(text);
        const int dof = atoi(text + strlen("degree of freedom "));
        assert_in_range(dof, 0, problem->dofs - 1);
        if (k % 2 == 0)
            assert_int_equal(dof, 101);
        assert_true(pcs_context_heap_bytes(ctx) == bytes);
        pcs_problem_destroy(problem);
    }
    pcs_context_destroy(ctx);
}

static int stop_later(void *user)
{
    int32_t *left = user;
    return --*left < 0;
}

// Time that ends in the reduction is reported as such; the start stays.
static void time_limits(void **state)
{
    (void)state;
    pcs_context *ctx = create_context();
    pcs_problem *problem = create_block(ctx, 8, 8, 8, 20, 0.0);
    const int32_t m = problem->rows;
    double *r = calloc((size_t)m, sizeof *r), *u = calloc((size_t)m, sizeof *u);
    pcs_solve_opts opts = pcs_solve_default();
    pcs_solve_info info;
    assert_true(r && u);
    r[4] = 0.25;
    opts.max_time = 1e-6;
    assert_int_equal(pcs_problem_solve(problem, NULL, &opts, NULL, r, u, &info), PCS_INTERRUPTED);
    assert_true(isnan(info.residual.relative) && isnan(info.residual.scaled) && isnan(u[0]));
    assert_int_equal(info.n_stages, 0);
    assert_non_null(strstr(info.reason, "reduction"));
    for (int32_t k = 0; k < m; k++)
        assert_true(r[k] == (k == 4 ? 0.25 : 0.0));
    opts.max_time = 0.0;
    opts.stop = stop_later;
    pcs_status status = PCS_INTERRUPTED;
    bool in_reduction = true;
    for (int32_t looks = 0; in_reduction; looks++) { // until one ends after the reduction
        int32_t left = looks;
        assert_true(looks < 1000);
        opts.stop_user = &left;
        status = pcs_problem_solve(problem, NULL, &opts, NULL, r, u, &info);
        assert_true(status == PCS_INTERRUPTED || status == PCS_OK);
        in_reduction = isnan(info.residual.relative);
        assert_true(!in_reduction || r[4] == 0.25);
    }
    opts.stop = NULL;
    opts.max_time = 60.0;
    assert_int_equal(pcs_problem_solve(problem, NULL, &opts, NULL, r, u, &info), PCS_OK);
    pcs_verdict verdict;
    assert_int_equal(pcs_problem_verify(problem, r, &verdict), PCS_OK);
    assert_at_most(verdict.residual.relative, 1e-8);
    assert_at_most(verdict.equation, DBL_EPSILON);
    free(r);
    free(u);
    pcs_problem_destroy(problem);
    pcs_context_destroy(ctx);
}

// Enough degrees of freedom for threads in the reduction
static void same_bits_with_threads(void **state)
{
    (void)state;
    pcs_context *ctx = create_context();
    pcs_problem *problem = create_block(ctx, 10, 10, 10, 20, 0.0);
    double r[2][60] = {{0.0}}, u[2][60];
    for (int32_t k = 0; k < 2; k++) {
        pcs_solve_opts opts = pcs_solve_default();
        pcs_solve_info info;
        opts.threads = k + 1;
        assert_int_equal(pcs_problem_solve(problem, NULL, &opts, NULL, r[k], u[k], &info), PCS_OK);
    }
    assert_memory_equal(r[0], r[1], sizeof r[0]);
    assert_memory_equal(u[0], u[1], sizeof u[0]);
    pcs_problem_destroy(problem);
    pcs_context_destroy(ctx);
}

// Of the global and of the local form, which is checked without factors of M
static void same_verdict(void **state)
{
    (void)state;
    pcs_context *ctx = create_context();
    for (int32_t k = 0; k < 4; k++) {
        pcs_problem *problem = create_block(ctx, 5, 5, 6, k < 2 ? 9 : 80, k % 2 ? 0.02 : 0.0);
        pcs_problem *local = NULL;
        double r[240];
        pcs_verdict a, b;
        assert_int_equal(pcs_problem_reduce(problem, &local), PCS_OK);
        for (int32_t i = 0; i < problem->rows; i++)
            r[i] = sin(1.3 * i + k);
        assert_int_equal(pcs_problem_verify(problem, r, &a), PCS_OK);
        assert_int_equal(pcs_problem_verify(local, r, &b), PCS_OK);
        const double tolerance = problem->rows * tolerance_of(problem);
        assert_near(a.residual.unscaled, b.residual.unscaled, tolerance * b.residual.unscaled);
        assert_near(a.residual.scaled, b.residual.scaled, tolerance * b.residual.scaled);
        assert_at_most(a.equation, DBL_EPSILON);
        pcs_problem_destroy(local);
        pcs_problem_destroy(problem);
    }
    pcs_context_destroy(ctx);
}

static void failing_memory(void **state)
{
    (void)state;
    pcs_context *ctx = create_context();
    for (int32_t k = 0; k < 4; k++) {
        pcs_problem *problem = create_block(ctx, 3, 3, 5, k < 2 ? 3 : 30, k % 2 ? 0.02 : 0.0);
        const uint64_t bytes = pcs_context_heap_bytes(ctx);
        pcs_status status = PCS_ERROR_MEMORY;
        pcs_problem *local = NULL;
        for (uint64_t n = 1; status == PCS_ERROR_MEMORY; n++) {
            assert_true(n < 500);
            pcs_context_fail_heap_call(ctx, n);
            status = pcs_problem_reduce(problem, &local);
            if (status < 0) {
                assert_null(local);
                assert_true(pcs_context_heap_bytes(ctx) == bytes);
            }
        }
        assert_int_equal(status, PCS_OK);
        pcs_context_fail_heap_call(ctx, 0);
        pcs_problem_destroy(local);
        pcs_problem_destroy(problem);
    }
    pcs_context_destroy(ctx);
}

enum { LINKS = 40, CHAIN_ROWS = 6 };

// A light free rod that falls on two contacts: masses with springs of stiffness k times that
// between them, so that the inverse of M lacks digits; impulses are small numbers, beside which
// that shows.
static pcs_problem *create_rod(pcs_context *ctx, double k)
{
    enum { DOFS = 3 * LINKS };
    static triplet_list M, H;
    const double mass = 1e-4;
    double f[DOFS], w[CHAIN_ROWS] = {0.0}, mu[2] = {0.7, 0.4};
    pcs_problem *problem = NULL;
    memset(&M, 0, sizeof M);
    memset(&H, 0, sizeof H);
    triplets_begin(&M, DOFS, DOFS);
    triplets_begin(&H, DOFS, CHAIN_ROWS);
    for (int32_t i = 0; i < DOFS; i++) {
        const int32_t neighbours = (i >= 3) + (i < DOFS - 3);
        triplets_add(&M, i, i, mass * (1.0 + k * neighbours));
        if (i >= 3) {
            triplets_add(&M, i, i - 3, -mass * k);
            triplets_add(&M, i - 3, i, -mass * k);
        }
        f[i] = mass * (i % 3 == 0 ? -0.0931 - 0.0007 * i : 0.0131 * (i % 2));
    }
    for (int32_t row = 0; row < CHAIN_ROWS; row++)
        triplets_add(&H, row < 3 ? row : DOFS - CHAIN_ROWS + row, row, 1.0);
    assert_int_equal(pcs_problem_create_global(ctx, 3, 2, 0, &M.A, &H.A, f, w, mu, &problem),
                     PCS_OK);
    return problem;
}

// Velocities from M in extended precision where W r + q has lost digits, against the verifier's,
// which have other factors; and what is called solved is so in these.
static void rounding_of_w_is_corrected(void **state)
{
    (void)state;
    static const double stiffness[] = {1e3, 1e6, 1e9};
    pcs_context *ctx = create_context();
    for (size_t k = 0; k < sizeof stiffness / sizeof *stiffness; k++) {
        pcs_problem *problem = create_rod(ctx, stiffness[k]), *local;
        double r[CHAIN_ROWS] = {0.0}, u[CHAIN_ROWS], from_W[CHAIN_ROWS], worst = 0.0;
        long double exact[CHAIN_ROWS], q[CHAIN_ROWS], mobility[CHAIN_ROWS];
        pcs_recomputed recomputed = {.u = exact, .q = q, .mobility = mobility};
        pcs_solve_opts opts = pcs_solve_default();
        pcs_solve_info info;
        pcs_verdict verdict;
        pcs_delassus_operator *op;
        opts.tolerance = 1e-12;
        assert_int_equal(pcs_problem_solve(problem, NULL, &opts, NULL, r, NULL, &info), PCS_OK);
        assert_true(pcs_problem_verify(problem, r, &verdict) >= 0);
        assert_true(verdict.residual.relative <= opts.tolerance);
        assert_int_equal(pcs_problem_reduce_within(problem, NULL, NULL, &local, &op), PCS_OK);
        assert_true(pcs_delassus_operator_is_sparse(op));
        assert_int_equal(pcs_delassus_operator_refined_velocity(op, r, u), PCS_OK);
        assert_int_equal(pcs_verify_global(problem, r, &recomputed), PCS_OK);
        pcs_block_matrix_multiply(&local->W, r, from_W);
        for (int32_t row = 0; row < CHAIN_ROWS; row++) {
            assert_near(u[row], (double)exact[row], DBL_EPSILON * 0.1); // velocities of 0.1
            worst = fmax(worst, fabs(from_W[row] + local->q[row] - (double)exact[row]));
        }
        print_message("stiffness %g: W r + q is off by up to %.1e, last stage %s\n", stiffness[k],
                      worst, info.stage[info.n_stages - 1].name);
        if (stiffness[k] > 1e8) {
            assert_true(worst > 10.0 * DBL_EPSILON * 0.1);
            assert_string_equal(info.stage[info.n_stages - 1].name, "correction");
        }
        pcs_delassus_operator_destroy(op);
        pcs_problem_destroy(local);
        pcs_problem_destroy(problem);
    }
    pcs_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(against_dense_algebra),
        cmocka_unit_test(symmetric_up_to_rounding),
        cmocka_unit_test(unusable_masses),
        cmocka_unit_test(time_limits),
        cmocka_unit_test(same_bits_with_threads),
        cmocka_unit_test(same_verdict),
        cmocka_unit_test(rounding_of_w_is_corrected),
        cmocka_unit_test(failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
