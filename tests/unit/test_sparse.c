// Sparse matrices, the ordering and the sparse LU against dense arithmetic.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "linalg/ordering.h"
#include "linalg/sparse.h"

enum { N = 23, TRIPLETS = 160 };

// Diagonally dominant systems: condition below 1e3
#define SOLVE_TOLERANCE 1e-12

typedef struct fixture {
    pcs_context *ctx;
    pcs_random random;
    int32_t row[TRIPLETS], column[TRIPLETS], position[TRIPLETS];
    double value[TRIPLETS];
    double dense[N * N];
    pcs_sparse A;
} fixture;

static double uniform(fixture *f)
{
    return pcs_random_between(&f->random, -1.0, 1.0);
}

// Random triplets with repetitions; the first N are the diagonal
static void init(fixture *f, uint64_t seed)
{
    memset(f, 0, sizeof *f);
    f->ctx = pcs_context_create(NULL);
    pcs_random_init(&f->random, seed);
    for (int32_t t = 0; t < TRIPLETS; ++t) {
        f->row[t] = t < N ? t : (int32_t)(pcs_random_next(&f->random) % N);
        f->column[t] = t < N ? t : (int32_t)(pcs_random_next(&f->random) % N);
        f->value[t] = t < N ? 9.7 + uniform(f) : uniform(f);
    }
    f->row[TRIPLETS - 1] = f->row[TRIPLETS - 2]; // a repetition for certain
    f->column[TRIPLETS - 1] = f->column[TRIPLETS - 2];
    for (int32_t t = 0; t < TRIPLETS; ++t)
        f->dense[f->row[t] * N + f->column[t]] += f->value[t];
    assert_int_equal(
        pcs_sparse_create(f->ctx, N, N, TRIPLETS, f->row, f->column, f->value, f->position, &f->A),
        PCS_OK);
}

static void finish(fixture *f)
{
    pcs_sparse_destroy(f->ctx, &f->A);
    assert_int_equal(pcs_context_heap_bytes(f->ctx), 0);
    pcs_context_destroy(f->ctx);
}

static void test_triplets(void **state)
{
    (void)state;
    fixture f;
    init(&f, 1);
    double seen[N * N] = {0};
    const pcs_sparse_pattern *P = &f.A.pattern;
    for (int32_t j = 0; j < N; ++j)
        for (int32_t e = P->start[j]; e < P->start[j + 1]; ++e) {
            assert_true(e == P->start[j] || P->index[e - 1] < P->index[e]);
            seen[P->index[e] * N + j] = f.A.value[e];
        }
    assert_true(P->start[N] < TRIPLETS);
    for (int32_t i = 0; i < N * N; ++i)
        assert_true(fabs(seen[i] - f.dense[i]) <= 1e-14);
    for (int32_t t = 0; t < TRIPLETS; ++t) {
        assert_int_equal(P->index[f.position[t]], f.row[t]);
        assert_true(P->start[f.column[t]] <= f.position[t]);
        assert_true(f.position[t] < P->start[f.column[t] + 1]);
    }
    finish(&f);
}

static void test_multiply(void **state)
{
    (void)state;
    fixture f;
    init(&f, 2);
    pcs_sparse T;
    assert_int_equal(pcs_sparse_transpose(f.ctx, &f.A, &T), PCS_OK);
    double x[N], y[N], z[N], w[N];
    for (int32_t i = 0; i < N; ++i)
        x[i] = uniform(&f);
    pcs_sparse_multiply(&f.A, x, y);
    pcs_sparse_multiply_transposed(&f.A, x, z);
    pcs_sparse_multiply(&T, x, w);
    for (int32_t i = 0; i < N; ++i) {
        double ax = 0.0, atx = 0.0;
        for (int32_t j = 0; j < N; ++j) {
            ax += f.dense[i * N + j] * x[j];
            atx += f.dense[j * N + i] * x[j];
        }
        assert_true(fabs(ax - y[i]) <= 1e-13);
        assert_true(fabs(atx - z[i]) <= 1e-13);
        assert_true(fabs(atx - w[i]) <= 1e-13);
        for (int32_t e = T.pattern.start[i] + 1; e < T.pattern.start[i + 1]; ++e)
            assert_true(T.pattern.index[e - 1] < T.pattern.index[e]);
    }
    pcs_sparse_destroy(f.ctx, &T);
    finish(&f);
}

static void test_rectangular(void **state)
{
    (void)state;
    pcs_context *ctx = pcs_context_create(NULL);
    const int32_t row[] = {1, 0, 1}, column[] = {4, 2, 0};
    const double value[] = {2.7, -1.3, 0.9}, x[5] = {0.3, 1.1, 0.7, 1.9, -0.2};
    double y[2];
    pcs_sparse A, T, empty;
    assert_int_equal(pcs_sparse_create(ctx, 2, 5, 3, row, column, value, NULL, &A), PCS_OK);
    pcs_sparse_multiply(&A, x, y);
    assert_true(fabs(y[0] + 1.3 * 0.7) <= 1e-15);
    assert_true(fabs(y[1] - (0.9 * 0.3 - 2.7 * 0.2)) <= 1e-15);
    assert_int_equal(pcs_sparse_transpose(ctx, &A, &T), PCS_OK);
    assert_int_equal(T.pattern.n_rows, 5);
    pcs_sparse_multiply_transposed(&T, x, y);
    assert_true(fabs(y[0] + 1.3 * 0.7) <= 1e-15);
    assert_int_equal(pcs_sparse_create(ctx, 0, 0, 0, NULL, NULL, NULL, NULL, &empty), PCS_OK);
    pcs_sparse_destroy(ctx, &A);
    pcs_sparse_destroy(ctx, &T);
    pcs_sparse_destroy(ctx, &empty);
    pcs_context_destroy(ctx);
}

static void check_solve(fixture *f, pcs_sparse_lu *lu)
{
    double x[3 * N], b[3 * N];
    for (int32_t i = 0; i < 3 * N; ++i)
        x[i] = uniform(f);
    for (int32_t c = 0; c < 3; ++c)
        pcs_sparse_multiply(&f->A, x + c * N, b + c * N);
    pcs_sparse_lu_solve(lu, 3, b);
    for (int32_t i = 0; i < 3 * N; ++i)
        assert_true(fabs(b[i] - x[i]) <= SOLVE_TOLERANCE);
}

static void test_lu(void **state)
{
    (void)state;
    fixture f;
    init(&f, 3);
    pcs_sparse_lu *lu;
    assert_int_equal(pcs_sparse_lu_create(f.ctx, &f.A.pattern, &lu), PCS_OK);
    for (int round = 0; round < 4; ++round) {
        for (int32_t t = N; round > 0 && t < TRIPLETS; ++t)
            f.A.value[f.position[t]] += 0.1 * uniform(&f);
        assert_int_equal(pcs_sparse_lu_factor(lu, f.A.value), PCS_OK);
        assert_int_equal(pcs_sparse_lu_pivot_searches(lu), 1);
        check_solve(&f, lu);
    }
    pcs_sparse_lu_destroy(lu);
    finish(&f);
}

// The diagonal pivots of the first matrix are useless for the second, which is a permutation
static void test_lu_new_pivots(void **state)
{
    (void)state;
    fixture f;
    init(&f, 4);
    pcs_sparse_destroy(f.ctx, &f.A);
    for (int32_t i = 0; i < N; ++i) { // entries (i, i) and (i, i+1 mod N)
        f.row[i] = f.column[i] = f.row[N + i] = i;
        f.column[N + i] = (i + 1) % N;
        f.value[i] = 1.7;
        f.value[N + i] = 0.1;
    }
    assert_int_equal(
        pcs_sparse_create(f.ctx, N, N, 2 * N, f.row, f.column, f.value, f.position, &f.A), PCS_OK);
    pcs_sparse_lu *lu;
    assert_int_equal(pcs_sparse_lu_create(f.ctx, &f.A.pattern, &lu), PCS_OK);
    assert_int_equal(pcs_sparse_lu_factor(lu, f.A.value), PCS_OK);
    check_solve(&f, lu);
    for (int32_t i = 0; i < N; ++i) {
        f.A.value[f.position[i]] = 1e-9 * (1.3 + uniform(&f));
        f.A.value[f.position[N + i]] = 1.9 + 0.3 * uniform(&f);
    }
    assert_int_equal(pcs_sparse_lu_factor(lu, f.A.value), PCS_OK);
    assert_int_equal(pcs_sparse_lu_pivot_searches(lu), 2);
    check_solve(&f, lu);
    pcs_sparse_lu_destroy(lu);
    finish(&f);
}

static void test_lu_singular(void **state)
{
    (void)state;
    fixture f;
    init(&f, 5);
    pcs_sparse_lu *lu;
    assert_int_equal(pcs_sparse_lu_create(f.ctx, &f.A.pattern, &lu), PCS_OK);
    const pcs_sparse_pattern *P = &f.A.pattern;
    double kept[N];
    for (int32_t e = P->start[7]; e < P->start[8]; ++e) {
        kept[e - P->start[7]] = f.A.value[e];
        f.A.value[e] = 0.0;
    }
    assert_int_equal(pcs_sparse_lu_factor(lu, f.A.value), PCS_ERROR_SINGULAR);
    assert_int_equal(pcs_sparse_lu_singular_column(lu), 7);
    for (int32_t e = P->start[7]; e < P->start[8]; ++e)
        f.A.value[e] = kept[e - P->start[7]];
    assert_int_equal(pcs_sparse_lu_factor(lu, f.A.value), PCS_OK);
    assert_int_equal(pcs_sparse_lu_singular_column(lu), -1);
    check_solve(&f, lu);
    pcs_sparse_lu_destroy(lu);
    finish(&f);
}

// A star must not be eliminated at its centre first; the order is a permutation
static void test_ordering(void **state)
{
    (void)state;
    pcs_context *ctx = pcs_context_create(NULL);
    enum { LEAVES = 12 };
    int32_t start[LEAVES + 2] = {0}, neighbour[2 * LEAVES], order[LEAVES + 1];
    int32_t seen[LEAVES + 1] = {0};
    for (int32_t i = 0; i < LEAVES; ++i) { // vertex 0 is the centre
        neighbour[i] = i + 1;
        neighbour[LEAVES + i] = 0;
        start[i + 1] = LEAVES + i;
    }
    start[LEAVES + 1] = 2 * LEAVES;
    assert_int_equal(pcs_ordering_compute(ctx, LEAVES + 1, start, neighbour, order), PCS_OK);
    for (int32_t k = 0; k <= LEAVES; ++k)
        ++seen[order[k]];
    for (int32_t k = 0; k <= LEAVES; ++k)
        assert_int_equal(seen[k], 1);
    assert_true(order[LEAVES] == 0 || order[LEAVES - 1] == 0);
    assert_int_equal(pcs_ordering_compute(ctx, 0, start, neighbour, order), PCS_OK);
    pcs_context_destroy(ctx);
}

static void test_failing_allocator(void **state)
{
    (void)state;
    fixture f;
    init(&f, 6);
    const uint64_t before = pcs_context_heap_bytes(f.ctx);
    bool finished = false;
    for (uint64_t n = 1; !finished; ++n) {
        assert_true(n < 100);
        pcs_sparse B = {0}, T = {0};
        pcs_sparse_lu *lu = NULL;
        pcs_context_fail_heap_call(f.ctx, n);
        pcs_status status = pcs_sparse_create(f.ctx, N, N, TRIPLETS, f.row, f.column, f.value, NULL,
                                              &B);
        if (status == PCS_OK)
            status = pcs_sparse_transpose(f.ctx, &B, &T);
        if (status == PCS_OK)
            status = pcs_sparse_lu_create(f.ctx, &B.pattern, &lu);
        finished = status == PCS_OK;
        if (!finished)
            assert_int_equal(status, PCS_ERROR_MEMORY);
        pcs_context_fail_heap_call(f.ctx, 0);
        pcs_sparse_lu_destroy(lu);
        pcs_sparse_destroy(f.ctx, &B);
        pcs_sparse_destroy(f.ctx, &T);
        assert_int_equal(pcs_context_heap_bytes(f.ctx), before);
    }
    finish(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_triplets),      cmocka_unit_test(test_multiply),
        cmocka_unit_test(test_rectangular),   cmocka_unit_test(test_lu),
        cmocka_unit_test(test_lu_new_pivots), cmocka_unit_test(test_lu_singular),
        cmocka_unit_test(test_ordering),      cmocka_unit_test(test_failing_allocator),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
