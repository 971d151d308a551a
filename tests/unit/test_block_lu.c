// Sparse LU of E + F A: solutions are judged by the residual, recomputed from the dense matrix; the
// factorisation by active sets, by repetition (same bits) and by singular and badly scaled data.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/random.h"
#include "linalg/block_lu.h"
#include "linalg/block_lu_front.h"
#include "linalg/dense.h"

typedef struct system {
    pcs_block_matrix A;
    int32_t *offset, *row_start, *column, *diagonal;
    int64_t *value_start;
    int32_t rows;
    double *E, *F;
    uint8_t *active;
    double *J, *b, *x; // dense J with identity rows for inactive blocks
} system_data;

static void *get(int64_t count, size_t size)
{
    void *block = calloc((size_t)count + 1, size);
    assert_non_null(block);
    return block;
}

typedef bool (*edge_fn)(int32_t i, int32_t j, pcs_random *random); // i < j

// n blocks of sizes 1 + i mod 3 (or `size` if positive), edges as the function says
static void system_init(system_data *s, int32_t n, int32_t size, edge_fn edge, uint64_t seed)
{
    memset(s, 0, sizeof *s);
    pcs_random random;
    pcs_random_init(&random, seed);
    uint8_t *linked = get((int64_t)n * n, 1);
    s->offset = get(n + 1, sizeof(int32_t));
    s->row_start = get(n + 1, sizeof(int32_t));
    s->column = get((int64_t)n * n, sizeof(int32_t));
    s->value_start = get((int64_t)n * n, sizeof(int64_t));
    s->diagonal = get(n, sizeof(int32_t));
    s->active = get(n, 1);
    memset(s->active, 1, (size_t)n);
    for (int32_t i = 0; i < n; ++i) {
        s->offset[i + 1] = s->offset[i] +
                           (size > 0 ? size : 1 + (int32_t)(pcs_random_next(&random) % 3));
        linked[i * n + i] = 1;
        for (int32_t j = i + 1; j < n; ++j)
            linked[i * n + j] = linked[j * n + i] = edge(i, j, &random);
    }
    int64_t count = 0;
    int32_t k = 0;
    for (int32_t i = 0; i < n; ++i) {
        for (int32_t j = 0; j < n; ++j) {
            if (!linked[i * n + j])
                continue;
            if (i == j)
                s->diagonal[i] = k;
            s->column[k] = j;
            s->value_start[k++] = count;
            count += (s->offset[i + 1] - s->offset[i]) * (s->offset[j + 1] - s->offset[j]);
        }
        s->row_start[i + 1] = k;
    }
    free(linked);
    s->rows = s->offset[n];
    s->A = (pcs_block_matrix){n,
                              s->offset,
                              s->row_start,
                              s->column,
                              s->value_start,
                              s->diagonal,
                              get(count, sizeof(double))};
    s->E = get((int64_t)n * PCS_BLOCK_LU_STRIDE, sizeof(double));
    s->F = get((int64_t)n * PCS_BLOCK_LU_STRIDE, sizeof(double));
    for (int64_t v = 0; v < count; ++v)
        s->A.value[v] = pcs_random_between(&random, -1.7, 1.7);
    for (int32_t v = 0; v < n * PCS_BLOCK_LU_STRIDE; ++v) {
        s->E[v] = pcs_random_between(&random, -1.3, 1.3);
        s->F[v] = pcs_random_between(&random, -1.1, 1.1);
    }
    s->J = get((int64_t)s->rows * s->rows, sizeof(double));
    s->b = get(s->rows, sizeof(double));
    s->x = get(s->rows, sizeof(double));
    for (int32_t i = 0; i < s->rows; ++i)
        s->b[i] = pcs_random_between(&random, -2.9, 2.9);
}

static void system_free(system_data *s)
{
    free(s->offset);
    free(s->row_start);
    free(s->column);
    free(s->value_start);
    free(s->diagonal);
    free(s->active);
    free(s->A.value);
    free(s->E);
    free(s->F);
    free(s->J);
    free(s->b);
    free(s->x);
}

// Adds `shift` to the diagonal of every E_i: block diagonally dominant systems are well-conditioned
static void shift_diagonal(system_data *s, double shift)
{
    for (int32_t i = 0; i < s->A.n; ++i) {
        const int32_t m = s->offset[i + 1] - s->offset[i];
        for (int32_t q = 0; q < m; ++q)
            s->E[i * PCS_BLOCK_LU_STRIDE + q * (m + 1)] += shift;
    }
}

static void form_dense(system_data *s, const double *F)
{
    const int32_t n = s->rows;
    memset(s->J, 0, sizeof(double) * (size_t)n * (size_t)n);
    for (int32_t i = 0; i < s->A.n; ++i) {
        const int32_t m = s->offset[i + 1] - s->offset[i], row = s->offset[i];
        if (!s->active[i]) {
            for (int32_t q = 0; q < m; ++q)
                s->J[(row + q) * n + row + q] = 1.0;
            continue;
        }
        for (int32_t k = s->row_start[i]; k < s->row_start[i + 1]; ++k) {
            const int32_t j = s->column[k], c = s->offset[j + 1] - s->offset[j];
            const double *value = s->A.value + s->value_start[k];
            if (!s->active[j])
                continue;
            for (int32_t q = 0; q < m; ++q)
                for (int32_t r = 0; r < c; ++r) {
                    double sum = F ? 0.0 : value[q * c + r];
                    for (int32_t t = 0; F && t < m; ++t)
                        sum += F[i * PCS_BLOCK_LU_STRIDE + q * m + t] * value[t * c + r];
                    if (i == j)
                        sum += s->E[i * PCS_BLOCK_LU_STRIDE + q * m + r];
                    s->J[(row + q) * n + s->offset[j] + r] = sum;
                }
        }
    }
}

// Largest |b - J x|_i / (|J| |x| + |b|)_i: the componentwise backward error
static double backward_error(const system_data *s, const double *x)
{
    double worst = 0.0;
    for (int32_t i = 0; i < s->rows; ++i) {
        double sum = s->b[i], size = fabs(s->b[i]);
        for (int32_t j = 0; j < s->rows; ++j) {
            sum -= s->J[i * s->rows + j] * x[j];
            size += fabs(s->J[i * s->rows + j] * x[j]);
        }
        if (!(fabs(sum) <= worst * size))
            worst = fabs(sum) / size;
    }
    return worst;
}

static bool edge_sparse(int32_t i, int32_t j, pcs_random *random)
{
    return pcs_random_uniform(random) < (j - i < 7 ? 0.3 : 0.02);
}

static bool edge_chain(int32_t i, int32_t j, pcs_random *random)
{
    (void)random;
    return j == i + 1;
}

static bool edge_none(int32_t i, int32_t j, pcs_random *random)
{
    (void)i;
    (void)j;
    (void)random;
    return false;
}

static bool edge_full(int32_t i, int32_t j, pcs_random *random)
{
    (void)i;
    (void)j;
    (void)random;
    return true;
}

static bool edge_islands(int32_t i, int32_t j, pcs_random *random)
{
    return i / 5 == j / 5 && pcs_random_uniform(random) < 0.6;
}

static bool edge_star(int32_t i, int32_t j, pcs_random *random)
{
    (void)random;
    return i == 0 || j == i + 13;
}

static bool edge_grid(int32_t i, int32_t j, pcs_random *random) // 12 wide
{
    (void)random;
    return j == i + 12 || (j == i + 1 && j % 12 != 0);
}

static bool edge_cube(int32_t i, int32_t j, pcs_random *random) // 8 x 8 layers
{
    (void)random;
    return j == i + 64 || (j == i + 8 && j % 64 >= 8) || (j == i + 1 && j % 8 != 0);
}

typedef struct fixture {
    pcs_context *ctx;
    pcs_arena arena;
} fixture;

static int setup(void **state)
{
    fixture *f = get(1, sizeof *f);
    f->ctx = pcs_context_create(NULL);
    pcs_arena_init(&f->arena, f->ctx);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    fixture *f = *state;
    pcs_arena_free(&f->arena);
    assert_int_equal((int)pcs_context_heap_bytes(f->ctx), 0);
    pcs_context_destroy(f->ctx);
    free(f);
    return 0;
}

static void solve(fixture *f, system_data *s, const double *F, const uint8_t *analysed)
{
    pcs_block_lu *lu;
    assert_int_equal(pcs_block_lu_analyse(&f->arena, &s->A, analysed, &lu), PCS_OK);
    assert_int_equal(pcs_block_lu_factor(lu, &s->A, s->E, F, s->active), -1);
    memcpy(s->x, s->b, sizeof(double) * (size_t)s->rows);
    pcs_block_lu_solve(lu, s->x);
}

// Gaussian elimination with pivots inside fronts on dominant matrices: growth of order one, so that
// the backward error stays near n eps; the factor 16 covers both triangular solves.
static double tolerance(const system_data *s)
{
    return 16.0 * 2.2e-16 * (double)(s->rows + 1);
}

static const struct {
    const char *name;
    edge_fn edge;
    int32_t n;
} graphs[] = {{"sparse", edge_sparse, 70},   {"chain", edge_chain, 90},
              {"diagonal", edge_none, 20},   {"full", edge_full, 41},
              {"islands", edge_islands, 53}, {"star", edge_star, 60},
              {"grid", edge_grid, 144},      {"two", edge_full, 2},
              {"one", edge_none, 1},         {"none", edge_none, 0}};
enum { N_GRAPHS = sizeof graphs / sizeof graphs[0] };

static void test_against_dense(void **state)
{
    fixture *f = *state;
    for (int g = 0; g < N_GRAPHS; ++g)
        for (int32_t size = 0; size <= 3; ++size)
            for (int with_F = 0; with_F <= 1; ++with_F) {
                system_data s;
                system_init(&s, graphs[g].n, size, graphs[g].edge, 2385 + (uint64_t)(7 * g + size));
                shift_diagonal(&s, 4.0 * sqrt((double)s.rows));
                const double *F = with_F ? s.F : NULL;
                form_dense(&s, F);
                solve(f, &s, F, NULL);
                assert_true(backward_error(&s, s.x) <= tolerance(&s));
                system_free(&s);
                assert_int_equal(pcs_arena_reset(&f->arena), PCS_OK);
            }
}

// Without dominance the pivot search inside fronts has to work; growth between fronts is possible,
// so that the bound is that of a growth factor of 1e4.
static void test_general_values(void **state)
{
    fixture *f = *state;
    for (uint64_t seed = 0; seed < 40; ++seed) {
        system_data s;
        system_init(&s, 60, 0, edge_sparse, 1913 + seed);
        form_dense(&s, s.F);
        solve(f, &s, s.F, NULL);
        assert_true(backward_error(&s, s.x) <= 1e4 * tolerance(&s));
        system_free(&s);
        assert_int_equal(pcs_arena_reset(&f->arena), PCS_OK);
    }
}

static void test_active_sets(void **state)
{
    fixture *f = *state;
    for (int g = 0; g < N_GRAPHS; ++g)
        for (uint64_t seed = 0; seed < 6; ++seed) {
            system_data s;
            pcs_random random;
            pcs_random_init(&random, 313 + seed);
            system_init(&s, graphs[g].n, 0, graphs[g].edge, 991 + seed);
            shift_diagonal(&s, 4.0 * sqrt((double)s.rows));
            for (int32_t i = 0; i < s.A.n; ++i)
                s.active[i] = pcs_random_uniform(&random) < 0.2 * (double)seed;
            form_dense(&s, s.F);
            solve(f, &s, s.F, NULL); // analysed for all, factored for some
            assert_true(backward_error(&s, s.x) <= tolerance(&s));
            double *all = get(s.rows, sizeof(double));
            memcpy(all, s.x, sizeof(double) * (size_t)s.rows);
            solve(f, &s, s.F, s.active); // analysed for the same set
            assert_true(backward_error(&s, s.x) <= tolerance(&s));
            for (int32_t i = 0; i < s.A.n; ++i)
                for (int32_t r = s.offset[i]; r < s.offset[i + 1]; ++r)
                    assert_true(s.active[i] ? fabs(all[r] - s.x[r]) <= 1e-11
                                            : all[r] == s.b[r] && s.x[r] == s.b[r]);
            free(all);
            system_free(&s);
            assert_int_equal(pcs_arena_reset(&f->arena), PCS_OK);
        }
}

// Inactive data may be anything
static void test_inactive_values_unread(void **state)
{
    fixture *f = *state;
    system_data s;
    system_init(&s, 50, 0, edge_sparse, 77);
    shift_diagonal(&s, 40.0);
    for (int32_t i = 0; i < s.A.n; i += 3) {
        s.active[i] = 0;
        for (int32_t k = s.row_start[i]; k < s.row_start[i + 1]; ++k)
            s.A.value[s.value_start[k]] = NAN;
        s.E[i * PCS_BLOCK_LU_STRIDE] = s.F[i * PCS_BLOCK_LU_STRIDE] = NAN;
    }
    form_dense(&s, s.F);
    solve(f, &s, s.F, NULL);
    assert_true(backward_error(&s, s.x) <= tolerance(&s));
    system_free(&s);
}

// Rows and columns in units that differ by 1e-9 .. 1e9 (powers of two: exact) change neither the
// verdict nor, for rows, a single bit of the solution.
static void test_scaling(void **state)
{
    fixture *f = *state;
    system_data s;
    system_init(&s, 64, 3, edge_sparse, 4711);
    shift_diagonal(&s, 9.0);
    form_dense(&s, s.F);
    solve(f, &s, s.F, NULL);
    double *x = get(s.rows, sizeof(double));
    memcpy(x, s.x, sizeof(double) * (size_t)s.rows);
    for (int32_t i = 0; i < s.A.n; ++i)
        for (int32_t q = 0; q < 3; ++q) {
            const double scale = ldexp(1.0, (7 * i + 11 * q) % 61 - 30);
            for (int32_t r = 0; r < 3; ++r) {
                s.E[i * PCS_BLOCK_LU_STRIDE + 3 * q + r] *= scale;
                s.F[i * PCS_BLOCK_LU_STRIDE + 3 * q + r] *= scale;
            }
            s.b[3 * i + q] *= scale;
        }
    form_dense(&s, s.F);
    solve(f, &s, s.F, NULL);
    assert_memory_equal(x, s.x, sizeof(double) * (size_t)s.rows);
    free(x);
    system_free(&s);
}

static void test_same_bits(void **state)
{
    fixture *f = *state;
    system_data s;
    system_init(&s, 144, 0, edge_grid, 5);
    shift_diagonal(&s, 6.0);
    solve(f, &s, s.F, NULL);
    double *x = get(s.rows, sizeof(double));
    memcpy(x, s.x, sizeof(double) * (size_t)s.rows);
    pcs_block_lu *lu;
    assert_int_equal(pcs_block_lu_analyse(&f->arena, &s.A, NULL, &lu), PCS_OK);
    for (int repeat = 0; repeat < 3; ++repeat) {
        assert_int_equal(pcs_block_lu_factor(lu, &s.A, s.E, s.F, NULL), -1);
        memcpy(s.x, s.b, sizeof(double) * (size_t)s.rows);
        pcs_block_lu_solve(lu, s.x);
        assert_memory_equal(x, s.x, sizeof(double) * (size_t)s.rows);
        s.active[17] = 0; // another set in between
        assert_int_equal(pcs_block_lu_factor(lu, &s.A, s.E, s.F, s.active), -1);
    }
    free(x);
    system_free(&s);
}

// Subtrees, shared products and solves give the bits of one thread, also when a pivot fails
static void test_same_bits_with_threads(void **state)
{
    fixture *f = *state;
    static const edge_fn edges[] = {edge_cube, edge_chain, edge_none, edge_sparse};
    for (size_t g = 0; g < sizeof edges / sizeof edges[0]; ++g) {
        system_data s;
        system_init(&s, 512, 3, edges[g], 5);
        shift_diagonal(&s, 12.0);
        pcs_block_lu *lu;
        assert_int_equal(pcs_block_lu_analyse(&f->arena, &s.A, NULL, &lu), PCS_OK);
        double *x = get(s.rows, sizeof(double));
        int32_t failed = -1;
        for (int32_t threads = 1; threads <= 4; ++threads) {
            pcs_tasks *tasks;
            assert_int_equal(pcs_tasks_create(f->ctx, threads, &tasks), PCS_OK);
            pcs_block_lu_set_tasks(lu, tasks);
            const uint64_t calls = pcs_context_heap_calls(f->ctx);
            assert_int_equal(pcs_block_lu_factor(lu, &s.A, s.E, s.F, NULL), -1);
            memcpy(s.x, s.b, sizeof(double) * (size_t)s.rows);
            pcs_block_lu_solve(lu, s.x);
            assert_true(pcs_context_heap_calls(f->ctx) == calls);
            if (threads == 1)
                memcpy(x, s.x, sizeof(double) * (size_t)s.rows);
            assert_memory_equal(x, s.x, sizeof(double) * (size_t)s.rows);
            double *first = &s.E[100 * PCS_BLOCK_LU_STRIDE],
                   *second = &s.E[300 * PCS_BLOCK_LU_STRIDE];
            const double kept[] = {*first, *second};
            *first = *second = NAN;
            const int32_t bad = pcs_block_lu_factor(lu, &s.A, s.E, s.F, NULL);
            failed = threads == 1 ? bad : failed;
            assert_true(bad >= 0 && bad == failed);
            *first = kept[0];
            *second = kept[1];
            pcs_block_lu_set_tasks(lu, NULL);
            pcs_tasks_destroy(tasks);
        }
        form_dense(&s, s.F);
        assert_true(backward_error(&s, x) <= tolerance(&s));
        free(x);
        system_free(&s);
        assert_int_equal(pcs_arena_reset(&f->arena), PCS_OK);
    }
}

static void test_no_heap_calls(void **state)
{
    fixture *f = *state;
    system_data s;
    system_init(&s, 120, 3, edge_full, 5);
    shift_diagonal(&s, 60.0);
    pcs_block_lu *lu;
    assert_int_equal(pcs_block_lu_analyse(&f->arena, &s.A, NULL, &lu), PCS_OK);
    const uint64_t calls = pcs_context_heap_calls(f->ctx);
    assert_int_equal(pcs_block_lu_factor(lu, &s.A, s.E, s.F, s.active), -1);
    memcpy(s.x, s.b, sizeof(double) * (size_t)s.rows);
    pcs_block_lu_solve(lu, s.x);
    assert_true(pcs_context_heap_calls(f->ctx) == calls);
    form_dense(&s, s.F);
    assert_true(backward_error(&s, s.x) <= tolerance(&s));
    assert_true(pcs_block_lu_entries(lu) >= (int64_t)s.rows * s.rows);
    assert_true(pcs_block_lu_operations(lu) >= 0.6 * pow((double)s.rows, 3.0));
    // An analysis of the same pattern in warm memory makes no heap call either.
    assert_int_equal(pcs_arena_reset(&f->arena), PCS_OK);
    const uint64_t warm = pcs_context_heap_calls(f->ctx);
    assert_int_equal(pcs_block_lu_analyse(&f->arena, &s.A, NULL, &lu), PCS_OK);
    assert_true(pcs_context_heap_calls(f->ctx) == warm);
    system_free(&s);
}

// One block's row and column vanish, or equal another's
static void test_singular(void **state)
{
    fixture *f = *state;
    for (int32_t bad = 0; bad < 60; bad += 7) {
        system_data s;
        system_init(&s, 60, 3, edge_sparse, 29);
        shift_diagonal(&s, 30.0);
        memset(s.E + bad * PCS_BLOCK_LU_STRIDE, 0, sizeof(double) * PCS_BLOCK_LU_STRIDE);
        for (int32_t i = 0; i < s.A.n; ++i)
            for (int32_t k = s.row_start[i]; k < s.row_start[i + 1]; ++k)
                if (i == bad || s.column[k] == bad)
                    memset(s.A.value + s.value_start[k], 0, sizeof(double) * 9);
        pcs_block_lu *lu;
        assert_int_equal(pcs_block_lu_analyse(&f->arena, &s.A, NULL, &lu), PCS_OK);
        assert_int_equal(pcs_block_lu_factor(lu, &s.A, s.E, s.F, NULL), bad);
        s.active[bad] = 0;
        assert_int_equal(pcs_block_lu_factor(lu, &s.A, s.E, s.F, s.active), -1);
        s.E[((bad + 1) % 60) * PCS_BLOCK_LU_STRIDE] = NAN;
        assert_true(pcs_block_lu_factor(lu, &s.A, s.E, s.F, s.active) >= 0);
        memcpy(s.x, s.b, sizeof(double) * (size_t)s.rows);
        pcs_block_lu_solve(lu, s.x); // no factors: x is left alone
        assert_memory_equal(s.x, s.b, sizeof(double) * (size_t)s.rows);
        system_free(&s);
        assert_int_equal(pcs_arena_reset(&f->arena), PCS_OK);
    }
}

// A chain of springs without support, A = G^T G with G a difference: singular only by cancellation
static void test_singular_by_cancellation(void **state)
{
    fixture *f = *state;
    system_data s;
    system_init(&s, 40, 1, edge_chain, 3);
    memset(s.E, 0, sizeof(double) * 40 * PCS_BLOCK_LU_STRIDE);
    pcs_random random;
    pcs_random_init(&random, 8);
    double previous = 0.0;
    for (int32_t i = 0; i < 40; ++i) {
        const double k = i < 39 ? pcs_random_between(&random, 0.3, 2.1) : 0.0;
        s.A.value[s.diagonal[i]] = previous + k;
        if (i < 39)
            s.A.value[s.diagonal[i] + 1] = s.A.value[s.diagonal[i + 1] - 1] = -k;
        previous = k;
    }
    pcs_block_lu *lu;
    assert_int_equal(pcs_block_lu_analyse(&f->arena, &s.A, NULL, &lu), PCS_OK);
    assert_true(pcs_block_lu_factor(lu, &s.A, s.E, NULL, NULL) >= 0);
    s.E[5 * PCS_BLOCK_LU_STRIDE] = 1e-9; // one weak support
    assert_int_equal(pcs_block_lu_factor(lu, &s.A, s.E, NULL, NULL), -1);
    system_free(&s);
}

static void test_bad_patterns(void **state)
{
    fixture *f = *state;
    pcs_block_lu *lu;
    system_data s;
    system_init(&s, 12, 0, edge_chain, 3);
    s.column[s.row_start[4]] = 1; // (4, 3) becomes (4, 1)
    assert_int_equal(pcs_block_lu_analyse(&f->arena, &s.A, NULL, &lu), PCS_ERROR_ARGUMENT);
    assert_null(lu);
    assert_non_null(strstr(pcs_context_error(f->ctx), "symmetric"));
    s.column[s.row_start[4]] = 55;
    assert_int_equal(pcs_block_lu_analyse(&f->arena, &s.A, NULL, &lu), PCS_ERROR_ARGUMENT);
    s.column[s.row_start[4]] = 3;
    s.diagonal[7] += 1;
    assert_int_equal(pcs_block_lu_analyse(&f->arena, &s.A, NULL, &lu), PCS_ERROR_ARGUMENT);
    s.diagonal[7] -= 1;
    s.offset[12] += 3;
    assert_int_equal(pcs_block_lu_analyse(&f->arena, &s.A, NULL, &lu), PCS_ERROR_ARGUMENT);
    s.offset[12] -= 3;
    assert_int_equal(pcs_block_lu_analyse(&f->arena, &s.A, NULL, &lu), PCS_OK);
    system_free(&s);
}

static void test_failing_allocator(void **state)
{
    fixture *f = *state;
    system_data s;
    system_init(&s, 144, 3, edge_grid, 3);
    shift_diagonal(&s, 30.0);
    form_dense(&s, s.F);
    pcs_block_lu *lu;
    pcs_status status = PCS_ERROR_MEMORY;
    for (uint64_t n = 1; status != PCS_OK; ++n) {
        assert_true(n < 100);
        pcs_arena arena;
        pcs_arena_init(&arena, f->ctx);
        pcs_context_fail_heap_call(f->ctx, n);
        status = pcs_block_lu_analyse(&arena, &s.A, NULL, &lu);
        pcs_context_fail_heap_call(f->ctx, 0);
        assert_true(status == PCS_OK || status == PCS_ERROR_MEMORY);
        assert_true((lu != NULL) == (status == PCS_OK));
        pcs_arena_free(&arena);
        assert_int_equal((int)pcs_context_heap_bytes(f->ctx), 0);
    }
    solve(f, &s, s.F, NULL);
    assert_true(backward_error(&s, s.x) <= tolerance(&s));
    system_free(&s);
}

// Dense fronts of every small size and some large ones: P F = L U, recomputed, and the same bits
// from all instruction sets and shares.
static void check_front(int32_t p, int32_t c, pcs_tasks *tasks)
{
    const int32_t m = p + c, ldp = pcs_front_stride(p), ldc = pcs_front_stride(c);
    const int64_t total = (int64_t)p * (ldp + 2 * (int64_t)ldc) + (int64_t)c * ldc;
    double *original = get((int64_t)m * m, sizeof(double));
    double *scale = get(2 * (int64_t)p, sizeof(double));
    const int64_t pack_size = (pcs_front_pack_size(p, c) + 7) / 8 * 8;
    double *pack = aligned_alloc(64, sizeof(double) * 3 * (size_t)pack_size);
    double *data[2];
    int32_t *pivot = get(p, sizeof(int32_t));
    pcs_front front = {.p = p, .c = c, .pivot = pivot};
    pcs_random random;
    pcs_random_init(&random, (uint64_t)(1000 * p + c));
    for (int32_t i = 0; i < m * m; ++i)
        original[i] = pcs_random_between(&random, -1.0, 1.0);
    for (int32_t i = 0; i < m; ++i) // as dominant as to bound the growth
        original[i * m + i] += 2.0 * sqrt((double)m);
    for (int set = 0; set < 2; ++set) {
        data[set] = get(total + p, sizeof(double));
        front.F11 = data[set];
        front.F12 = front.F11 + (int64_t)p * ldp;
        front.G = front.F12 + (int64_t)p * ldc;
        front.F22 = front.G + (int64_t)p * ldc;
        front.inverse = front.F22 + (int64_t)c * ldc;
        for (int32_t i = 0; i < m; ++i)
            for (int32_t j = 0; j < m; ++j) {
                const double v = original[i * m + j];
                if (i < p && j < p)
                    front.F11[i * ldp + j] = v;
                else if (i < p)
                    front.F12[i * ldc + j - p] = v;
                else if (j < p)
                    front.G[j * ldc + i - p] = v;
                else
                    front.F22[(i - p) * ldc + j - p] = v;
            }
        for (int32_t i = 0; i < 2 * p; ++i)
            scale[i] = 1.0;
        const pcs_front_team team = {.kernels = set == 0 ? pcs_front_kernels_portable()
                                                         : pcs_front_kernels_best(),
                                     .tasks = set == 0 ? NULL : tasks,
                                     .pack = pack,
                                     .pack_size = pack_size,
                                     .lanes = 3};
        assert_int_equal(pcs_front_factor(&team, &front, scale, scale + p), -1);
    }
    assert_memory_equal(data[0], data[1], sizeof(double) * (size_t)(total + p));
    for (int32_t k = 0; k < p; ++k)
        for (int32_t j = 0; j < m && pivot[k] != k; ++j) {
            const double t = original[k * m + j];
            original[k * m + j] = original[pivot[k] * m + j];
            original[pivot[k] * m + j] = t;
        }
    for (int32_t i = 0; i < m; ++i)
        for (int32_t j = 0; j < m; ++j) {
            double sum = i >= p && j >= p ? front.F22[(i - p) * ldc + j - p] : 0.0;
            for (int32_t q = 0; q < p && q <= j && q <= i; ++q) {
                const double l = i >= p ? front.G[q * ldc + i - p]
                                        : (q == i ? 1.0 : front.F11[i * ldp + q]);
                sum += l * (j >= p ? front.F12[q * ldc + j - p] : front.F11[q * ldp + j]);
            }
            assert_true(fabs(sum - original[i * m + j]) <= 1e-14 * (double)(m + 3));
        }
    free(original);
    free(scale);
    free(pack);
    free(pivot);
    free(data[0]);
    free(data[1]);
}

static void test_fronts(void **state)
{
    fixture *f = *state;
    pcs_tasks *tasks;
    assert_int_equal(pcs_tasks_create(f->ctx, 2, &tasks), PCS_OK);
    for (int32_t p = 1; p <= 20; ++p)
        for (int32_t c = 0; c <= 20; ++c)
            check_front(p, c, NULL);
    static const int32_t sizes[][2] = {{33, 0},    {48, 70},   {97, 31},
                                       {130, 113}, {260, 120}, {25, 200}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i)
        check_front(sizes[i][0], sizes[i][1], tasks);
    pcs_tasks_destroy(tasks);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_fronts, setup, teardown),
        cmocka_unit_test_setup_teardown(test_against_dense, setup, teardown),
        cmocka_unit_test_setup_teardown(test_general_values, setup, teardown),
        cmocka_unit_test_setup_teardown(test_active_sets, setup, teardown),
        cmocka_unit_test_setup_teardown(test_inactive_values_unread, setup, teardown),
        cmocka_unit_test_setup_teardown(test_scaling, setup, teardown),
        cmocka_unit_test_setup_teardown(test_same_bits, setup, teardown),
        cmocka_unit_test_setup_teardown(test_same_bits_with_threads, setup, teardown),
        cmocka_unit_test_setup_teardown(test_no_heap_calls, setup, teardown),
        cmocka_unit_test_setup_teardown(test_singular, setup, teardown),
        cmocka_unit_test_setup_teardown(test_singular_by_cancellation, setup, teardown),
        cmocka_unit_test_setup_teardown(test_bad_patterns, setup, teardown),
        cmocka_unit_test_setup_teardown(test_failing_allocator, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
