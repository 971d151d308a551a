// Dense kernels: every size against plain loops, factorisations against their residuals.
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "linalg/dense.h"

enum { MAX = 13 };

// Products of a dozen numbers of size one
#define PRODUCT_TOLERANCE 1e-13
// Random matrices of these sizes have condition numbers below 1e5
#define SOLVE_TOLERANCE 1e-10

static pcs_random random_state;

static int setup(void **state)
{
    (void)state;
    pcs_random_init(&random_state, 2385);
    return 0;
}

static void randomise(int32_t count, double *array)
{
    for (int32_t i = 0; i < count; ++i)
        array[i] = pcs_random_between(&random_state, -1.3, 1.3);
}

static void assert_close(int32_t count, const double *a, const double *b, double tolerance)
{
    for (int32_t i = 0; i < count; ++i)
        if (!(fabs(a[i] - b[i]) <= tolerance * (1.0 + fabs(b[i]))))
            fail_msg("entry %d: %.17g instead of %.17g", (int)i, a[i], b[i]);
}

static void test_products(void **state)
{
    (void)state;
    double A[MAX * MAX], B[MAX * MAX], Bt[MAX * MAX], C[MAX * MAX], D[MAX * MAX], E[MAX * MAX];
    for (int32_t m = 1; m <= MAX; m += 2)
        for (int32_t k = 0; k <= MAX; ++k)
            for (int32_t n = 1; n <= MAX; ++n) {
                randomise(m * k, A);
                randomise(k * n, B);
                randomise(m * n, C);
                memcpy(D, C, sizeof C);
                memcpy(E, C, sizeof C);
                for (int32_t i = 0; i < m; ++i)
                    for (int32_t j = 0; j < n; ++j)
                        for (int32_t q = 0; q < k; ++q) {
                            C[i * n + j] += -0.73 * A[i * k + q] * B[q * n + j];
                            Bt[j * k + q] = B[q * n + j];
                        }
                pcs_dense_multiply_add(m, k, n, -0.73, A, B, D);
                pcs_dense_multiply_add_transposed(m, k, n, -0.73, A, Bt, E);
                assert_close(m * n, D, C, PRODUCT_TOLERANCE);
                assert_close(m * n, E, C, PRODUCT_TOLERANCE);
            }
}

static void test_vectors(void **state)
{
    (void)state;
    double A[MAX * MAX], x[MAX], z[MAX], y[MAX], w[MAX], expected_y[MAX], expected_w[MAX];
    for (int32_t m = 1; m <= MAX; ++m)
        for (int32_t n = 1; n <= MAX; ++n) {
            randomise(m * n, A);
            randomise(MAX, x);
            randomise(MAX, z);
            randomise(MAX, y);
            randomise(MAX, w);
            memcpy(expected_y, y, sizeof y);
            memcpy(expected_w, w, sizeof w);
            for (int32_t i = 0; i < m; ++i)
                for (int32_t j = 0; j < n; ++j) {
                    expected_y[i] += 1.91 * A[i * n + j] * x[j];
                    expected_w[j] += 1.91 * A[i * n + j] * z[i];
                }
            pcs_dense_vector_add(m, n, 1.91, A, x, y);
            pcs_dense_transposed_vector_add(m, n, 1.91, A, z, w);
            assert_close(MAX, y, expected_y, PRODUCT_TOLERANCE);
            assert_close(MAX, w, expected_w, PRODUCT_TOLERANCE);
        }
}

// x and b = A x for a random x
static void make_system(int32_t n, double *A, double *x, double *b)
{
    randomise(n * n, A);
    randomise(n, x);
    memset(b, 0, sizeof(double) * (size_t)n);
    pcs_dense_vector_add(n, n, 1.0, A, x, b);
}

static void test_lu(void **state)
{
    (void)state;
    double A[MAX * MAX], copy[MAX * MAX], x[MAX], b[2 * MAX];
    int32_t pivot[MAX];
    for (int32_t n = 1; n <= MAX; ++n)
        for (int round = 0; round < 20; ++round) {
            make_system(n, A, x, b);
            if (n > 1)
                A[0] = 0.0; // needs an exchange
            memset(b, 0, sizeof b);
            pcs_dense_vector_add(n, n, 1.0, A, x, b);
            memcpy(b + n, b, sizeof(double) * (size_t)n);
            memcpy(copy, A, sizeof A);
            assert_int_equal(pcs_dense_lu_factor(n, copy, pivot), -1);
            pcs_dense_lu_solve(n, copy, pivot, 2, b);
            assert_close(n, b, x, SOLVE_TOLERANCE);
            assert_close(n, b + n, x, SOLVE_TOLERANCE);
            memset(b, 0, sizeof b);
            pcs_dense_vector_add(n, n, 1.0, A, x, b);
            assert_int_equal(pcs_dense_small_factor(n, A, pivot), -1);
            pcs_dense_small_solve(n, A, pivot, b);
            assert_close(n, b, x, SOLVE_TOLERANCE);
        }
    assert_int_equal(pcs_dense_lu_factor(0, A, pivot), -1);
}

static void test_inverse(void **state)
{
    (void)state;
    double A[MAX * MAX], inverse[MAX * MAX], product[MAX * MAX], identity[MAX * MAX];
    double work[MAX * MAX + MAX];
    for (int32_t n = 1; n <= MAX; ++n)
        for (int symmetric = 0; symmetric < 2; ++symmetric) {
            randomise(n * n, A);
            memset(identity, 0, sizeof identity);
            for (int32_t i = 0; i < n; ++i) {
                identity[i * (n + 1)] = 1.0;
                A[i * (n + 1)] += 5.7;
                for (int32_t j = 0; symmetric && j < i; ++j)
                    A[i * n + j] = A[j * n + i];
            }
            assert_int_equal(pcs_dense_is_symmetric(n, A), symmetric || n == 1);
            assert_int_equal(pcs_dense_small_inverse(n, A, inverse, work), -1);
            memset(product, 0, sizeof product);
            pcs_dense_multiply_add(n, n, n, 1.0, A, inverse, product);
            assert_close(n * n, product, identity, PRODUCT_TOLERANCE);
            if (symmetric)
                assert_true(pcs_dense_is_symmetric(n, inverse));
            if (n != 3)
                continue;
            assert_true(pcs_dense_inverse3(A, 3, product, 3));
            assert_close(9, product, inverse, PRODUCT_TOLERANCE);
        }
}

// A matrix whose last row depends on the others, with rows and columns of very different units
static void test_singular(void **state)
{
    (void)state;
    double A[MAX * MAX], inverse[MAX * MAX], work[MAX * MAX + MAX];
    int32_t pivot[MAX];
    for (int32_t n = 2; n <= MAX; ++n) {
        randomise(n * n, A);
        for (int32_t j = 0; j < n; ++j) {
            A[(n - 1) * n + j] = 0.37 * A[j] - (n > 2 ? 1.21 * A[n + j] : 0.0);
            for (int32_t i = 0; i < n; ++i)
                A[i * n + j] *= j % 2 == 0 ? 1e-5 : 1e4;
        }
        assert_true(pcs_dense_small_inverse(n, A, inverse, work) >= 0);
        if (n == 3)
            assert_false(pcs_dense_inverse3(A, 3, inverse, 3));
        assert_int_equal(pcs_dense_small_factor(n, A, pivot), n - 1);
    }
    const double zero = 0.0, not_a_number = NAN;
    assert_int_equal(pcs_dense_small_inverse(1, &zero, inverse, work), 0);
    assert_int_equal(pcs_dense_small_inverse(1, &not_a_number, inverse, work), 0);
    A[0] = 0.0;
    assert_int_equal(pcs_dense_lu_factor(1, A, pivot), 0);
}

// The lower triangle of C + A^T B + B^T A against its definition; the upper one is left alone.
static void test_symmetric_add(void **state)
{
    (void)state;
    enum { N = 5, K = 7 };
    double A[K * N], B[K * N], C[N * N], before[N * N];
    for (int32_t i = 0; i < K * N; i++) {
        A[i] = sin(1.7 * i + 0.3);
        B[i] = cos(2.3 * i);
    }
    for (int32_t i = 0; i < N * N; i++)
        before[i] = C[i] = 0.385 * i;
    pcs_dense_symmetric_add(N, K, A, B, C);
    for (int32_t i = 0; i < N; i++)
        for (int32_t j = 0; j < N; j++) {
            double sum = before[i * N + j];
            for (int32_t k = 0; k < K && j <= i; k++)
                sum += A[k * N + i] * B[k * N + j] + B[k * N + i] * A[k * N + j];
            assert_true(fabs(C[i * N + j] - sum) <= 4.0 * K * DBL_EPSILON * (1.0 + fabs(sum)));
        }
}

static void test_cholesky(void **state)
{
    (void)state;
    double B[MAX * MAX], A[MAX * MAX], x[MAX], b[MAX];
    for (int32_t n = 1; n <= MAX; ++n) {
        randomise(n * n, B);
        randomise(n, x);
        memset(A, 0, sizeof A);
        memset(b, 0, sizeof b);
        pcs_dense_multiply_add_transposed(n, n, n, 1.0, B, B, A);
        for (int32_t i = 0; i < n; ++i)
            A[i * (n + 1)] += 0.31;
        pcs_dense_vector_add(n, n, 1.0, A, x, b);
        assert_int_equal(pcs_dense_cholesky_factor(n, A), -1);
        pcs_dense_cholesky_solve(n, A, 1, b);
        assert_close(n, b, x, SOLVE_TOLERANCE);
    }
    double indefinite[4] = {1.3, 2.7, 2.7, 1.9};
    assert_int_equal(pcs_dense_cholesky_factor(2, indefinite), 1);
}

// Rows 2 and 5 are combinations of others, row 4 is zero; units of the rows differ by 1e9
static void test_rank(void **state)
{
    (void)state;
    enum { M = 7, N = 9 };
    double A[M * N], work[1000];
    uint8_t dependent[M];
    int32_t index[M];
    randomise(M * N, A);
    for (int32_t j = 0; j < N; ++j) {
        A[2 * N + j] = 0.7 * A[j] + 2.1 * A[N + j];
        A[4 * N + j] = 0.0;
        A[5 * N + j] = 1e9 * A[3 * N + j];
    }
    const int32_t work_size = pcs_dense_rank_rows_work_size(M, N);
    assert_true(work_size <= 1000);
    assert_int_equal(pcs_dense_rank_rows(M, N, A, 1e-10, dependent, index, work, work_size), 4);
    assert_int_equal(dependent[0] + dependent[1] + dependent[2], 1);
    assert_int_equal(dependent[3] + dependent[5], 1);
    assert_int_equal(dependent[4], 1);
    assert_int_equal(dependent[6], 0);
    assert_int_equal(pcs_dense_rank_rows(0, N, A, 1e-10, dependent, index, work, work_size), 0);
    randomise(M * 3, A); // more rows than columns
    assert_int_equal(pcs_dense_rank_rows(M, 3, A, 1e-10, dependent, index, work, work_size), 3);
}

// The residual is orthogonal to the columns; the minimum-norm solution is orthogonal to the kernel
static void test_least_squares(void **state)
{
    (void)state;
    double A[9 * 6], b[9], x[9], r[9], gradient[9] = {0}, zero[9] = {0}, work[1000];
    int32_t index[9];
    randomise(9 * 6, A);
    randomise(9, b);
    for (int32_t i = 0; i < 9; ++i) // rank 5: column 5 = column 1 + column 2
        A[6 * i + 5] = A[6 * i + 1] + A[6 * i + 2];
    const int32_t work_size = pcs_dense_least_squares_work_size(9, 6);
    assert_true(work_size <= 1000);
    assert_int_equal(pcs_dense_least_squares(9, 6, A, b, 1e-10, x, index, work, work_size), 5);
    memcpy(r, b, sizeof r);
    pcs_dense_vector_add(9, 6, -1.0, A, x, r);
    pcs_dense_transposed_vector_add(9, 6, 1.0, A, r, gradient);
    assert_close(6, gradient, zero, PRODUCT_TOLERANCE);
    assert_true(fabs(x[1] + x[2] - x[5]) <= SOLVE_TOLERANCE); // kernel (0, 1, 1, 0, 0, -1)

    randomise(4 * 7, A); // fewer equations than unknowns
    const int32_t wide = pcs_dense_least_squares_work_size(4, 7);
    assert_int_equal(pcs_dense_least_squares(4, 7, A, b, 1e-10, x, index, work, wide), 4);
    memcpy(r, b, sizeof r);
    pcs_dense_vector_add(4, 7, -1.0, A, x, r);
    assert_close(4, r, zero, PRODUCT_TOLERANCE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_products),
        cmocka_unit_test(test_vectors),
        cmocka_unit_test(test_lu),
        cmocka_unit_test(test_inverse),
        cmocka_unit_test(test_singular),
        cmocka_unit_test(test_cholesky),
        cmocka_unit_test(test_symmetric_add),
        cmocka_unit_test(test_rank),
        cmocka_unit_test(test_least_squares),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
