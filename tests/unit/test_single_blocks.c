// Blocks in single precision: their product is that of the matrix up to rounding its entries, what
// they lack makes it exact, and entries that single precision does not have are refused. Vectors in
// single precision: sums against plain loops, with lengths that are no multiple of the lanes.
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/random.h"
#include "linalg/single_blocks.h"
#include "linalg/single_vectors.h"

enum { N = 40, ENTRIES_MAX = N * 8 };

static uint8_t all[N]; // blocks that are kept: filled in main()

typedef struct matrix {
    pcs_block_matrix A;
    int32_t offset[N + 1], row_start[N + 1], column[ENTRIES_MAX], diagonal[N];
    int64_t value_start[ENTRIES_MAX];
    double value[9 * ENTRIES_MAX], x[3 * N];
} matrix;

// A band with gaps, and x, with entries of size `scale`.
static void make_matrix(matrix *m, double scale)
{
    pcs_random random;
    int32_t entries = 0;
    pcs_random_init(&random, 5);
    for (int32_t i = 0; i < N; i++) {
        m->offset[i] = 3 * i;
        m->row_start[i] = entries;
        for (int32_t j = i - 3 < 0 ? 0 : i - 3; j < N && j <= i + 4; j++) {
            if (j != i && (i + j) % 5 == 2)
                continue;
            if (j == i)
                m->diagonal[i] = entries;
            m->value_start[entries] = 9 * (int64_t)entries;
            for (int k = 0; k < 9; k++)
                m->value[9 * entries + k] = scale * pcs_random_between(&random, -1.0, 1.0) +
                                            (j == i && k % 4 == 0 ? 3.0 * scale : 0.0);
            m->column[entries++] = j;
        }
    }
    m->offset[N] = 3 * N;
    m->row_start[N] = entries;
    for (int32_t k = 0; k < 3 * N; k++)
        m->x[k] = pcs_random_between(&random, -2.0, 3.0);
    m->A = (pcs_block_matrix){N,           m->offset, m->row_start, m->column, m->value_start,
                              m->diagonal, m->value};
}

// Row `row` of A x without the diagonal block, and the sum of the sizes of its terms.
static double multiply(const matrix *m, int32_t row, double *size)
{
    const int32_t i = row / 3;
    double sum = 0.0;
    *size = 0.0;
    for (int32_t e = m->row_start[i]; e < m->row_start[i + 1]; e++)
        for (int k = 0; k < 3 && e != m->diagonal[i]; k++) {
            const double term = m->value[9 * e + row % 3 * 3 + k] * m->x[3 * m->column[e] + k];
            sum += term;
            *size += fabs(term);
        }
    return sum;
}

static void copy_and_rest_are_exact(void **state)
{
    static matrix m;
    pcs_context *ctx = pcs_context_create(NULL);
    pcs_arena arena;
    (void)state;
    pcs_arena_init(&arena, ctx);
    for (int exponent = -20; exponent <= 30; exponent += 10) {
        pcs_single_blocks copy;
        double rest[3 * N] = {0.0};
        make_matrix(&m, pow(10.0, exponent));
        assert_int_equal(pcs_single_blocks_init(&copy, &m.A, &arena), PCS_OK);
        const int32_t before = pcs_single_blocks_count(&m.A, all, 0, N / 3);
        assert_int_equal(before, m.row_start[N / 3]);
        assert_true(pcs_single_blocks_copy(&copy, all, 0, N / 3, 0, m.x, rest));
        assert_true(pcs_single_blocks_copy(&copy, all, N / 3, N, before, m.x, rest));
        for (int32_t i = 0; i < N; i++) {
            double y[3] = {0.0, 0.0, 0.0}, A_ii[9];
            copy.multiply(&copy, i, m.x, y);
            pcs_single_blocks_diagonal(&copy, i, A_ii);
            for (int k = 0; k < 9; k++)
                assert_true(A_ii[k] == (double)(float)m.value[9 * m.diagonal[i] + k]);
            for (int k = 0; k < 3; k++) {
                double size;
                const double exact = multiply(&m, 3 * i + k, &size);
                assert_true(fabs(y[k] - exact) <= 0.5 * (double)FLT_EPSILON * size);
                // some twenty terms, twice
                assert_true(fabs(y[k] + rest[3 * i + k] - exact) <= 40.0 * DBL_EPSILON * size);
            }
        }
    }
    pcs_arena_free(&arena);
    pcs_context_destroy(ctx);
}

// Blocks with x = 0 are left out, and the products of the others are the same to the last bit.
static void blocks_are_left_out(void **state)
{
    static matrix m;
    pcs_context *ctx = pcs_context_create(NULL);
    pcs_arena arena;
    pcs_single_blocks whole, part;
    uint8_t kept[N];
    double rest[2][3 * N] = {{0.0}};
    (void)state;
    pcs_arena_init(&arena, ctx);
    make_matrix(&m, 0.7);
    for (int32_t i = 0; i < N; i++) {
        kept[i] = i % 3 != 1 && i < N - 2;
        for (int k = 0; k < 3 && !kept[i]; k++)
            m.x[3 * i + k] = 0.0;
    }
    assert_int_equal(pcs_single_blocks_init(&whole, &m.A, &arena), PCS_OK);
    assert_int_equal(pcs_single_blocks_init(&part, &m.A, &arena), PCS_OK);
    assert_true(pcs_single_blocks_copy(&whole, all, 0, N, 0, m.x, rest[0]));
    assert_true(pcs_single_blocks_copy(&part, kept, 0, N, 0, m.x, rest[1]));
    assert_int_equal(part.row_start[N], pcs_single_blocks_count(&m.A, kept, 0, N));
    for (int32_t i = 0; i < N; i++) {
        double y[2][3] = {{0.0}};
        if (!kept[i]) {
            assert_int_equal(part.row_start[i], part.row_start[i + 1]);
            continue;
        }
        whole.multiply(&whole, i, m.x, y[0]);
        part.multiply(&part, i, m.x, y[1]);
        assert_memory_equal(y[0], y[1], sizeof y[0]);
        assert_memory_equal(rest[0] + 3 * i, rest[1] + 3 * i, sizeof y[0]);
    }
    pcs_arena_free(&arena);
    pcs_context_destroy(ctx);
}

static void extreme_entries_are_refused(void **state)
{
    static const double scales[] = {1e300, 1e40, 1e-40, 1e-300};
    static matrix m;
    pcs_context *ctx = pcs_context_create(NULL);
    pcs_arena arena;
    pcs_single_blocks copy;
    double rest[3 * N] = {0.0};
    (void)state;
    pcs_arena_init(&arena, ctx);
    for (size_t k = 0; k < sizeof scales / sizeof *scales; k++) {
        make_matrix(&m, scales[k]);
        assert_int_equal(pcs_single_blocks_init(&copy, &m.A, &arena), PCS_OK);
        assert_false(pcs_single_blocks_copy(&copy, all, 0, N, 0, m.x, rest));
    }
    make_matrix(&m, 1.0);
    m.value[9 * (m.row_start[N] - 1) + 7] = -1e39; // one entry
    assert_int_equal(pcs_single_blocks_init(&copy, &m.A, &arena), PCS_OK);
    assert_true(pcs_single_blocks_copy(&copy, all, 0, N - 1, 0, m.x, rest));
    assert_false(pcs_single_blocks_copy(&copy, all, N - 1, N, copy.row_start[N - 1], m.x, rest));
    pcs_arena_free(&arena);
    pcs_context_destroy(ctx);
}

static void vectors(void **state)
{
    float x[23];
    double y[23], z[23];
    (void)state;
    for (int32_t k = 0; k < 23; k++) {
        x[k] = 0.37F * (float)k - 2.1F;
        y[k] = 1.0 / (k + 1.3);
        z[k] = sin(k);
    }
    for (int32_t n = 0; n <= 23; n++) {
        double a, b, p = 0.0, q = 0.0, w[23];
        for (int32_t k = 0; k < n; k++) {
            p += (double)x[k] * y[k];
            q += (double)x[k] * z[k];
        }
        pcs_single_dot_both(n, x, y, z, &a, &b);
        assert_true(fabs(a - p) <= 1e-14 && fabs(b - q) <= 1e-14 * 23);
        for (int32_t k = 0; k < 23; k++)
            w[k] = y[k];
        pcs_single_subtract(n, 0.71, x, w);
        for (int32_t k = 0; k < 23; k++)
            assert_true(w[k] == (k < n ? y[k] - 0.71 * (double)x[k] : y[k]));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copy_and_rest_are_exact),
        cmocka_unit_test(blocks_are_left_out),
        cmocka_unit_test(extreme_entries_are_refused),
        cmocka_unit_test(vectors),
    };
    for (int32_t i = 0; i < N; i++)
        all[i] = 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
