// Block matrix products against the dense copy.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "linalg/block_matrix.h"

// Sizes 1, 2, 3, 3 with a sparse symmetric pattern
static const int32_t offset[] = {0, 1, 3, 6, 9};
static const int32_t row_start[] = {0, 2, 4, 7, 9};
static const int32_t column[] = {0, 2, 1, 3, 0, 2, 3, 1, 2};
static const int64_t value_start[] = {0, 1, 4, 8, 14, 17, 26, 35, 41};
static const int32_t diagonal[] = {0, 2, 5, 8};
enum { N_VALUES = 50, SIZE = 9 };

static void init(double *value, pcs_block_matrix *A)
{
    for (int i = 0; i < N_VALUES; ++i)
        value[i] = sin(2.385 * i + 0.7);
    *A = (pcs_block_matrix){4, offset, row_start, column, value_start, diagonal, value};
}

static void test_dense_copy(void **state)
{
    (void)state;
    double value[N_VALUES], dense[SIZE * SIZE];
    pcs_block_matrix A;
    init(value, &A);
    pcs_block_matrix_to_dense(&A, dense);
    assert_true(dense[0] == value[0]);
    assert_true(dense[4] == value[2]);                 // block (0, 2), column 1
    assert_true(dense[2 * SIZE + 8] == value[8 + 5]);  // block (1, 3), row 1, column 2
    assert_true(dense[5 * SIZE + 3] == value[17 + 6]); // block (2, 2), row 2, column 0
    assert_true(dense[6 * SIZE + 0] == 0.0);
    assert_true(dense[1 * SIZE + 5] == 0.0);
}

static void test_multiply(void **state)
{
    (void)state;
    double value[N_VALUES], dense[SIZE * SIZE], x[SIZE], y[SIZE];
    pcs_block_matrix A;
    init(value, &A);
    pcs_block_matrix_to_dense(&A, dense);
    for (int i = 0; i < SIZE; ++i) {
        x[i] = cos(1.913 * i);
        y[i] = NAN;
    }
    pcs_block_matrix_multiply(&A, x, y);
    for (int i = 0; i < SIZE; ++i) {
        double sum = 0.0;
        for (int j = 0; j < SIZE; ++j)
            sum += dense[SIZE * i + j] * x[j];
        assert_true(fabs(sum - y[i]) <= 1e-14); // nine terms of size one
    }
    double added[3] = {0.31, -1.7, 2.9};
    pcs_block_matrix_multiply_row(&A, 2, x, added);
    assert_true(fabs(added[0] - 0.31 - y[3]) <= 1e-14);
    assert_true(fabs(added[1] + 1.7 - y[4]) <= 1e-14);
    assert_true(fabs(added[2] - 2.9 - y[5]) <= 1e-14);
}

static void test_empty(void **state)
{
    (void)state;
    pcs_block_matrix A = {0};
    double y = 0.37;
    pcs_block_matrix_multiply(&A, &y, &y);
    pcs_block_matrix_to_dense(&A, &y);
    assert_true(y == 0.37);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dense_copy),
        cmocka_unit_test(test_multiply),
        cmocka_unit_test(test_empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
