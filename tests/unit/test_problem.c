// Contact problems from arrays: the block pattern of local ones, and bad arguments.
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "nonsmooth/problem.h"
#include "support/triplet_list.h"

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

static void test_block_pattern(void **state)
{
    (void)state;
    static triplet_list e;
    enum { CONTACTS = 7, BILATERAL = 4, ROWS = 3 * CONTACTS + BILATERAL };
    pcs_random random;
    pcs_random_init(&random, 5);
    double q[ROWS] = {0}, mu[CONTACTS] = {0}, expected[ROWS * ROWS] = {0}, found[ROWS * ROWS];
    triplets_begin(&e, ROWS, ROWS);
    for (int32_t k = 0; k < 30; k++) { // duplicates on purpose, numbers whose sums are exact
        const int32_t i = (int32_t)(ROWS * pcs_random_uniform(&random));
        const int32_t j = (int32_t)(ROWS * pcs_random_uniform(&random));
        for (int32_t twice = 0; twice < 1 + k % 2; twice++) {
            triplets_add(&e, i, j, k + 0.25);
            expected[i * ROWS + j] += k + 0.25;
        }
    }
    pcs_problem *problem = NULL;
    assert_int_equal(pcs_problem_create_local(ctx, 3, CONTACTS, BILATERAL, &e.A, q, mu, &problem),
                     PCS_OK);
    const pcs_block_matrix *W = &problem->W;
    pcs_block_matrix_to_dense(W, found);
    assert_memory_equal(found, expected, sizeof expected);
    assert_int_equal(W->n, CONTACTS + BILATERAL);
    for (int32_t i = 0; i < W->n; i++) {
        assert_int_equal(W->column[W->diagonal[i]], i);
        assert_int_equal(problem->kind[i], i < CONTACTS ? PCS_BLOCK_CONTACT : PCS_BLOCK_BILATERAL);
        for (int32_t e1 = W->row_start[i]; e1 < W->row_start[i + 1]; e1++) {
            const int32_t j = W->column[e1];
            assert_true(e1 == W->row_start[i] || W->column[e1 - 1] < j);
            bool mirrored = false;
            for (int32_t e2 = W->row_start[j]; e2 < W->row_start[j + 1]; e2++)
                mirrored = mirrored || W->column[e2] == i;
            assert_true(mirrored);
        }
    }
    const pcs_friction_contact view = pcs_problem_local_view(problem);
    assert_ptr_equal(view.W, &problem->W);
    pcs_problem_destroy(problem);
    pcs_problem_destroy(NULL);
}

static void test_bad_arguments(void **state)
{
    (void)state;
    const int32_t zero = 0, one = 1, three = 3, minus = -1;
    const double unit = 1.0, nan = NAN, huge = DBL_MAX, q[3] = {-1.0, 0.0, 0.0};
    const double bad_q[3] = {0.0, INFINITY, 0.0}, mu = 0.3, bad_mu = -0.3;
    const int32_t twice[2] = {0, 0};
    const double sum[2] = {huge, huge};
    const pcs_triplets good = {3, 3, 1, &zero, &one, &unit};
    const struct {
        int32_t dimension, contacts;
        pcs_triplets W;
        const double *q, *mu;
        pcs_status status;
        const char *part;
    } cases[] = {
        {3, 1, {3, 3, 1, &zero, &three, &unit}, q, &mu, PCS_ERROR_ARGUMENT, "outside of W"},
        {3, 1, {3, 3, 1, &minus, &zero, &unit}, q, &mu, PCS_ERROR_ARGUMENT, "outside of W"},
        {3, 1, {3, 3, 1, &zero, &zero, &nan}, q, &mu, PCS_ERROR_NUMERIC, "W[0] is not a number"},
        {3, 1, {3, 2, 1, &zero, &zero, &unit}, q, &mu, PCS_ERROR_ARGUMENT, "W is 3 x 2"},
        {3, 1, {3, 3, -1, &zero, &zero, &unit}, q, &mu, PCS_ERROR_ARGUMENT, "missing"},
        {3, 1, {3, 3, 1, NULL, &zero, &unit}, q, &mu, PCS_ERROR_ARGUMENT, "missing"},
        {3, 1, {3, 3, 2, twice, twice, sum}, q, &mu, PCS_ERROR_NUMERIC, "add up to infinity"},
        {3, 1, good, bad_q, &mu, PCS_ERROR_NUMERIC, "q[1] is infinite"},
        {3, 1, good, NULL, &mu, PCS_ERROR_ARGUMENT, "q is missing"},
        {3, 1, good, q, &bad_mu, PCS_ERROR_ARGUMENT, "mu of contact 0"},
        {3, 1, good, q, &nan, PCS_ERROR_NUMERIC, "mu[0]"},
        {4, 1, good, q, &mu, PCS_ERROR_ARGUMENT, "dimension 4"},
        {3, -1, good, q, &mu, PCS_ERROR_ARGUMENT, "-1 contacts"},
        {3, INT32_MAX / 2, good, q, &mu, PCS_ERROR_ARGUMENT, "less than 2^31"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        pcs_problem *problem = (pcs_problem *)&problem;
        assert_int_equal(pcs_problem_create_local(ctx, cases[k].dimension, cases[k].contacts, 0,
                                                  &cases[k].W, cases[k].q, cases[k].mu, &problem),
                         cases[k].status);
        assert_null(problem);
        if (!strstr(pcs_context_error(ctx), cases[k].part))
            fail_msg("case %zu: %s", k, pcs_context_error(ctx));
    }
    pcs_problem *problem = (pcs_problem *)&problem;
    assert_int_equal(pcs_problem_create_mlcp(ctx, 1000000, &good, q, NULL, &problem),
                     PCS_ERROR_ARGUMENT);
    assert_null(problem);
    assert_int_equal(pcs_problem_create_global(ctx, 3, 1, 0, NULL, &good, q, q, &mu, &problem),
                     PCS_ERROR_ARGUMENT);
    assert_int_equal(pcs_problem_create_global(ctx, 3, 1, 1, &good, &good, q, q, &mu, &problem),
                     PCS_ERROR_ARGUMENT);
    assert_non_null(strstr(pcs_context_error(ctx), "H is 3 x 3, not 3 x 4"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_block_pattern, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_bad_arguments, set_up, tear_down)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
