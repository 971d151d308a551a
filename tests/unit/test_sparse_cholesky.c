// Sparse Cholesky and mesh LU factorisation: solutions and compressed inverses against dense
// algebra, defects that are named, interruption, memory that fails, and the same bits for any
// number of threads.
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "linalg/dense.h"
#include "linalg/mesh_lu.h"
#include "linalg/sparse_cholesky.h"
#include "support/near.h"

static pcs_context *create_context(void)
{
    pcs_context *ctx = pcs_context_create(NULL);
    assert_non_null(ctx);
    return ctx;
}

typedef struct grid {
    int32_t n[3], size; // nodes, unknowns of a node
    double spring;
    bool shuffled; // unknowns in a random order: no blocks of consecutive ones
} grid;

static const grid grids[] = {
    {{1, 1, 1}, 1, 2.3, false}, {{3, 2, 1}, 1, 2.3, false},  {{40, 1, 1}, 2, 5.1, false},
    {{4, 5, 3}, 3, 7.9, false}, {{6, 6, 6}, 3, 1.7, false},  {{9, 8, 1}, 6, 3.3, false},
    {{7, 5, 5}, 3, 40.0, true}, {{30, 30, 1}, 1, 9.1, true}, {{2, 2, 70}, 3, 0.6, false},
};
enum { GRIDS = sizeof grids / sizeof *grids };

// Springs with random directions between neighbours, also over the diagonals, and unit masses
static pcs_sparse create_matrix(pcs_context *ctx, const grid *g, pcs_random *random)
{
    const int32_t nodes = g->n[0] * g->n[1] * g->n[2], n = nodes * g->size;
    const int64_t room = (int64_t)nodes * 13 * 4 * g->size * g->size + n;
    int32_t *row = malloc(sizeof(int32_t) * (size_t)room),
            *column = malloc(sizeof(int32_t) * (size_t)room);
    int32_t *label = malloc(sizeof(int32_t) * (size_t)n), count = 0;
    double *value = malloc(sizeof(double) * (size_t)room);
    pcs_sparse A;
    assert_true(row && column && label && value);
    for (int32_t i = 0; i < n; i++)
        label[i] = i;
    for (int32_t i = n - 1; g->shuffled && i > 0; i--) {
        const int32_t j = (int32_t)(pcs_random_uniform(random) * (i + 1)), swap = label[i];
        label[i] = label[j];
        label[j] = swap;
    }
    for (int32_t i = 0; i < n; i++) {
        row[count] = column[count] = i;
        value[count++] = 1.0;
    }
    for (int32_t a = 0; a < nodes; a++)
        for (int32_t k = 0; k < 13; k++) {
            const int32_t x = a % g->n[0] + k % 3 - 1, y = a / g->n[0] % g->n[1] + k / 3 % 3 - 1;
            const int32_t z = a / (g->n[0] * g->n[1]) + k / 9 - 1;
            if (x < 0 || x >= g->n[0] || y < 0 || y >= g->n[1] || z < 0)
                continue;
            const int32_t b = x + g->n[0] * (y + g->n[1] * z);
            double d[6];
            for (int32_t i = 0; i < g->size; i++)
                d[i] = pcs_random_between(random, -1.0, 1.0);
            for (int32_t i = 0; i < g->size; i++)
                for (int32_t j = 0; j < g->size; j++)
                    for (int32_t corner = 0; corner < 4; corner++) {
                        row[count] = label[(corner / 2 ? b : a) * g->size + i];
                        column[count] = label[(corner % 2 ? b : a) * g->size + j];
                        value[count++] = (corner == 1 || corner == 2 ? -1.0 : 1.0) * g->spring *
                                         (d[i] * d[j]);
                    }
        }
    assert_int_equal(pcs_sparse_create(ctx, n, n, count, row, column, value, NULL, &A), PCS_OK);
    for (int32_t j = 0; j < n; j++) // sums in different orders: the same bits on both sides again
        for (int32_t e = A.pattern.start[j]; e < A.pattern.start[j + 1]; e++)
            for (int32_t k = A.pattern.start[A.pattern.index[e]];
                 k < A.pattern.start[A.pattern.index[e] + 1]; k++)
                if (A.pattern.index[k] == j)
                    A.value[k] = A.value[e];
    free(row);
    free(column);
    free(label);
    free(value);
    return A;
}

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

// Columns with up to four entries in a part of the rows
static pcs_sparse create_columns(pcs_context *ctx, int32_t n, int32_t columns, pcs_random *random)
{
    int32_t row[4 * 300], column[4 * 300], count = 0;
    double value[4 * 300];
    pcs_sparse H;
    assert_true(columns <= 300);
    for (int32_t j = 0; j < columns; j++)
        for (int32_t k = 0; k < (j % 7 == 6 ? 0 : 4); k++) { // some are empty
            row[count] = (int32_t)(pcs_random_uniform(random) * (1 + n / 3));
            column[count] = j;
            value[count++] = pcs_random_between(random, -1.0, 1.0);
        }
    assert_int_equal(pcs_sparse_create(ctx, n, columns, count, row, column, value, NULL, &H),
                     PCS_OK);
    return H;
}

typedef struct sum {
    int32_t n;
    double *X;
} sum;

static void add_term(void *user, const pcs_cholesky_term *t)
{
    sum *s = user;
    for (int32_t i = 0; i < t->count; i++)
        for (int32_t j = t->first + i; j < t->n; j++)
            s->X[t->column[t->first + i] * s->n + t->column[j]] -= t->term[i * t->row_length + j];
}

// The eigenvalues of A are at least 1 and at most 1 + 26 n_j spring size: the error of a solution
// is below condition * n * eps times its size.
static void against_dense_algebra(void **state)
{
    (void)state;
    pcs_context *ctx = create_context();
    for (int32_t c = 0; c < GRIDS; c++) {
        pcs_random random;
        pcs_random_init(&random, 77 + (uint64_t)c);
        pcs_sparse A = create_matrix(ctx, &grids[c], &random);
        const int32_t n = A.pattern.n_columns, m = n < 100 ? 5 : 290;
        pcs_sparse H = create_columns(ctx, n, m, &random);
        double *dense = to_dense(&A), *Z = to_dense(&H), *b = to_dense(&H),
               *x = malloc(sizeof(double) * (size_t)n);
        double *X = calloc((size_t)m * (size_t)m, sizeof *X);
        int32_t defect = 5;
        pcs_sparse_cholesky *cholesky = NULL;
        assert_true(x && X);
        assert_int_equal(pcs_sparse_cholesky_create(ctx, &A, NULL, NULL, &cholesky, &defect), 0);
        assert_int_equal(defect, -1);
        assert_int_equal(pcs_dense_cholesky_factor(n, dense), -1);
        pcs_dense_cholesky_solve(n, dense, m, Z);
        const double condition = 1.0 + 26.0 * grids[c].spring * grids[c].size;
        const double tolerance = condition * n * DBL_EPSILON;
        const uint64_t calls = pcs_context_heap_calls(ctx);
        memcpy(x, b, sizeof(double) * (size_t)n);
        pcs_sparse_cholesky_solve(cholesky, x);
        assert_true(pcs_context_heap_calls(ctx) == calls);
        for (int32_t i = 0; i < n; i++)
            assert_near(x[i], Z[i], tolerance);
        sum s = {m, X};
        assert_int_equal(pcs_sparse_cholesky_compress(cholesky, &H, NULL, NULL, add_term, &s), 0);
        for (int32_t i = 0; i < m; i++)
            for (int32_t j = i; j < m; j++) {
                double exact = 0.0;
                for (int32_t k = 0; k < n; k++)
                    exact += b[i * n + k] * Z[j * n + k];
                assert_near(X[i * m + j], exact, 16.0 * tolerance);
            }
        pcs_sparse_cholesky_destroy(cholesky);
        pcs_sparse_destroy(ctx, &A);
        pcs_sparse_destroy(ctx, &H);
        free(dense);
        free(Z);
        free(b);
        free(x);
        free(X);
    }
    assert_true(pcs_context_heap_bytes(ctx) == 0);
    pcs_context_destroy(ctx);
}

// X of a tree of the elimination: all pairs
static void put_pairs(void *user, int32_t n, const int32_t *row, const double *X,
                      int32_t row_length)
{
    sum *s = user;
    for (int32_t i = 0; i < n; i++)
        for (int32_t j = 0; j < n; j++)
            s->X[row[i] * s->n + row[j]] += X[i * row_length + j];
}

// The same by LU, for matrices with a skew part of half the size of the springs, which leaves the
// condition number below twice the bound: |A^{-1}| <= 1, |A| grows by half.
static void unsymmetric(void **state)
{
    (void)state;
    pcs_context *ctx = create_context();
    for (int32_t c = 0; c < GRIDS; c++) {
        pcs_random random;
        pcs_random_init(&random, 177 + (uint64_t)c);
        pcs_sparse A = create_matrix(ctx, &grids[c], &random);
        const int32_t n = A.pattern.n_columns, m = n < 100 ? 5 : 120;
        for (int32_t j = 0; j < n; j++)
            for (int32_t e = A.pattern.start[j]; e < A.pattern.start[j + 1]; e++)
                A.value[e] *= A.pattern.index[e] < j ? 1.5 : A.pattern.index[e] > j ? 0.5 : 1.0;
        pcs_sparse H = create_columns(ctx, n, m, &random);
        double *dense = to_dense(&A), *Z = to_dense(&H), *b = to_dense(&H),
               *X = calloc((size_t)m * (size_t)m, sizeof *X);
        double *x = malloc(sizeof(double) * (size_t)n);
        int32_t defect = 5, *pivot = malloc(sizeof(int32_t) * (size_t)n);
        pcs_mesh_lu *lu = NULL;
        assert_true(x && X && pivot);
        for (int32_t i = 0; i < n; i++) // dense algebra is by rows, to_dense by columns
            for (int32_t j = 0; j < i; j++) {
                const double swap = dense[i * n + j];
                dense[i * n + j] = dense[j * n + i];
                dense[j * n + i] = swap;
            }
        assert_int_equal(pcs_mesh_lu_create(ctx, &A, NULL, NULL, &lu, &defect), PCS_OK);
        assert_int_equal(defect, -1);
        assert_int_equal(pcs_dense_lu_factor(n, dense, pivot), -1);
        pcs_dense_lu_solve(n, dense, pivot, m, Z);
        const double condition = 1.0 + 26.0 * grids[c].spring * grids[c].size;
        const double tolerance = 2.0 * condition * n * DBL_EPSILON;
        memcpy(x, b, sizeof(double) * (size_t)n);
        pcs_mesh_lu_solve(lu, x);
        for (int32_t i = 0; i < n; i++)
            assert_near(x[i], Z[i], tolerance);
        sum s = {m, X};
        assert_int_equal(pcs_mesh_lu_compress(lu, &H, 0, m, put_pairs, &s), PCS_OK);
        for (int32_t i = 0; i < m; i++)
            for (int32_t j = 0; j < m; j++) {
                double exact = 0.0;
                for (int32_t k = 0; k < n; k++)
                    exact += b[i * n + k] * Z[j * n + k];
                assert_near(X[i * m + j], exact, 16.0 * tolerance);
            }
        pcs_mesh_lu_destroy(lu);
        pcs_sparse_destroy(ctx, &A);
        pcs_sparse_destroy(ctx, &H);
        free(dense);
        free(Z);
        free(b);
        free(x);
        free(X);
        free(pivot);
    }
    assert_true(pcs_context_heap_bytes(ctx) == 0);
    pcs_context_destroy(ctx);
}

static double *diagonal_entry(const pcs_sparse *A, int32_t j)
{
    for (int32_t e = A->pattern.start[j]; e < A->pattern.start[j + 1]; e++)
        if (A->pattern.index[e] == j)
            return &A->value[e];
    return NULL;
}

// A diagonal entry that is zero, negative or not a number makes the matrix indefinite: the column
// that is named is that one or a later one that depends on it.
static void defects(void **state)
{
    (void)state;
    pcs_context *ctx = create_context();
    const double bad[] = {0.0, -3.0, NAN, INFINITY};
    for (int32_t k = 0; k < 4; k++) {
        pcs_random random;
        pcs_random_init(&random, 5);
        pcs_sparse A = create_matrix(ctx, &grids[4], &random);
        pcs_sparse_cholesky *cholesky = NULL;
        int32_t defect = -1;
        *diagonal_entry(&A, 100) = bad[k];
        const uint64_t bytes = pcs_context_heap_bytes(ctx);
        assert_int_equal(pcs_sparse_cholesky_create(ctx, &A, NULL, NULL, &cholesky, &defect),
                         PCS_ERROR_SINGULAR);
        assert_null(cholesky);
        assert_in_range(defect, 0, A.pattern.n_columns - 1);
        assert_true(pcs_context_heap_bytes(ctx) == bytes);
        pcs_sparse_destroy(ctx, &A);
    }
    pcs_context_destroy(ctx);
}

static int count_down(void *user)
{
    int32_t *left = user;
    return --*left < 0;
}

// Each look at the clock may be the last one.
static void interrupted(void **state)
{
    (void)state;
    static const grid large = {{11, 11, 11}, 3, 2.0, false};
    pcs_context *ctx = create_context();
    pcs_random random;
    pcs_random_init(&random, 9);
    pcs_sparse A = create_matrix(ctx, &large, &random);
    pcs_sparse H = create_columns(ctx, A.pattern.n_columns, 200, &random);
    double *X = calloc(200 * 200, sizeof *X);
    sum s = {200, X};
    const uint64_t bytes = pcs_context_heap_bytes(ctx);
    pcs_status status = PCS_INTERRUPTED;
    int32_t looks = 0;
    for (; status != PCS_OK; looks++) {
        int32_t left = looks;
        const pcs_watch watch = {count_down, &left};
        pcs_sparse_cholesky *cholesky = NULL;
        assert_true(looks < 300);
        status = pcs_sparse_cholesky_create(ctx, &A, NULL, &watch, &cholesky, NULL);
        assert_true(status == PCS_OK || status == PCS_INTERRUPTED);
        assert_true((status == PCS_OK) == (cholesky != NULL));
        if (status == PCS_OK)
            status = pcs_sparse_cholesky_compress(cholesky, &H, NULL, &watch, add_term, &s);
        assert_true(status == PCS_OK || status == PCS_INTERRUPTED);
        pcs_sparse_cholesky_destroy(cholesky);
        assert_true(pcs_context_heap_bytes(ctx) == bytes);
    }
    assert_true(looks > 5);
    free(X);
    pcs_sparse_destroy(ctx, &A);
    pcs_sparse_destroy(ctx, &H);
    pcs_context_destroy(ctx);
}

static void failing_memory(void **state)
{
    (void)state;
    pcs_context *ctx = create_context();
    pcs_random random;
    pcs_random_init(&random, 9);
    pcs_sparse A = create_matrix(ctx, &grids[3], &random);
    pcs_sparse H = create_columns(ctx, A.pattern.n_columns, 20, &random);
    double X[400] = {0.0};
    sum s = {20, X};
    const uint64_t bytes = pcs_context_heap_bytes(ctx);
    pcs_status status = PCS_ERROR_MEMORY;
    for (uint64_t n = 1; status == PCS_ERROR_MEMORY; n++) {
        pcs_sparse_cholesky *cholesky = NULL;
        assert_true(n < 200);
        pcs_context_fail_heap_call(ctx, n);
        status = pcs_sparse_cholesky_create(ctx, &A, NULL, NULL, &cholesky, NULL);
        if (status == PCS_OK)
            status = pcs_sparse_cholesky_compress(cholesky, &H, NULL, NULL, add_term, &s);
        pcs_sparse_cholesky_destroy(cholesky);
        assert_true(pcs_context_heap_bytes(ctx) == bytes);
    }
    assert_int_equal(status, PCS_OK);
    pcs_sparse_destroy(ctx, &A);
    pcs_sparse_destroy(ctx, &H);
    pcs_context_destroy(ctx);
}

static void same_bits_with_threads(void **state)
{
    (void)state;
    static const grid large = {{9, 9, 9}, 3, 2.0, false};
    pcs_context *ctx = create_context();
    pcs_random random;
    pcs_random_init(&random, 21);
    pcs_sparse A = create_matrix(ctx, &large, &random);
    pcs_sparse H = create_columns(ctx, A.pattern.n_columns, 250, &random);
    double *X[2], *x[2];
    for (int32_t k = 0; k < 2; k++) {
        pcs_tasks *tasks = NULL;
        pcs_sparse_cholesky *cholesky = NULL;
        X[k] = calloc(250 * 250, sizeof(double));
        x[k] = calloc((size_t)A.pattern.n_columns, sizeof(double));
        assert_true(X[k] && x[k]);
        x[k][17] = 1.0;
        sum s = {250, X[k]};
        assert_int_equal(pcs_tasks_create(ctx, k == 0 ? 1 : 3, &tasks), PCS_OK);
        assert_int_equal(pcs_sparse_cholesky_create(ctx, &A, tasks, NULL, &cholesky, NULL), 0);
        assert_int_equal(pcs_sparse_cholesky_compress(cholesky, &H, tasks, NULL, add_term, &s), 0);
        pcs_sparse_cholesky_solve(cholesky, x[k]);
        pcs_sparse_cholesky_destroy(cholesky);
        pcs_tasks_destroy(tasks);
    }
    assert_memory_equal(X[0], X[1], sizeof(double) * 250 * 250);
    assert_memory_equal(x[0], x[1], sizeof(double) * (size_t)A.pattern.n_columns);
    for (int32_t k = 0; k < 2; k++) {
        free(X[k]);
        free(x[k]);
    }
    pcs_sparse_destroy(ctx, &A);
    pcs_sparse_destroy(ctx, &H);
    pcs_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(against_dense_algebra),
        cmocka_unit_test(unsymmetric),
        cmocka_unit_test(defects),
        cmocka_unit_test(interrupted),
        cmocka_unit_test(failing_memory),
        cmocka_unit_test(same_bits_with_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
