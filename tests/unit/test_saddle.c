// The saddle system against dense LAPACK solutions of the same data.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "linalg/dense.h"
#include "linalg/saddle.h"

enum { NODES_MAX = 40, ROWS_MAX = 40, COUPLINGS_MAX = 40, CONTACTS_MAX = 30 };

// A system with its own storage of Jacobians
typedef struct model {
    pcs_context *ctx;
    pcs_random random;
    int32_t n_nodes, node_size[NODES_MAX], node_offset[NODES_MAX + 1];
    int32_t n_couplings, coupling[COUPLINGS_MAX][2];
    int32_t n_rows;
    pcs_row_block rows[ROWS_MAX];
    int32_t n_contacts;
    pcs_row_block contacts[CONTACTS_MAX];
    const pcs_row_block *H[CONTACTS_MAX];
    pcs_saddle *saddle;
} model;

static double uniform(model *m)
{
    return pcs_random_between(&m->random, -1.0, 1.0);
}

static void model_init(model *m, uint64_t seed)
{
    memset(m, 0, sizeof *m);
    m->ctx = pcs_context_create(NULL);
    assert_non_null(m->ctx);
    pcs_random_init(&m->random, seed);
}

static void model_free(model *m)
{
    pcs_saddle_destroy(m->saddle);
    for (int32_t r = 0; r < m->n_rows; ++r)
        for (int32_t s = 0; s < m->rows[r].n_nodes; ++s)
            free(m->rows[r].J[s]);
    for (int32_t r = 0; r < m->n_contacts; ++r)
        for (int32_t s = 0; s < m->contacts[r].n_nodes; ++s)
            free(m->contacts[r].J[s]);
    assert_int_equal(pcs_context_heap_bytes(m->ctx), 0);
    pcs_context_destroy(m->ctx);
}

static void add_node(model *m, int32_t size)
{
    m->node_size[m->n_nodes] = size;
    m->node_offset[m->n_nodes + 1] = m->node_offset[m->n_nodes] + size;
    ++m->n_nodes;
}

static void randomise_row(model *m, pcs_row_block *row)
{
    for (int32_t s = 0; s < row->n_nodes; ++s)
        for (int32_t e = 0; e < row->size * m->node_size[row->node[s]]; ++e)
            row->J[s][e] = 2.385 * uniform(m);
}

static void init_row(model *m, pcs_row_block *row, int32_t size, int32_t n_nodes,
                     const int32_t *node)
{
    row->size = size;
    row->n_nodes = n_nodes;
    for (int32_t s = 0; s < n_nodes; ++s) {
        row->node[s] = node[s];
        row->J[s] = calloc((size_t)(size * m->node_size[node[s]]), sizeof(double));
        assert_non_null(row->J[s]);
    }
    randomise_row(m, row);
}

static pcs_row_block *add_row(model *m, int32_t size, int32_t n_nodes, const int32_t *node)
{
    init_row(m, &m->rows[m->n_rows], size, n_nodes, node);
    return &m->rows[m->n_rows++];
}

static void add_contact(model *m, int32_t size, int32_t n_nodes, const int32_t *node)
{
    init_row(m, &m->contacts[m->n_contacts], size, n_nodes, node);
    m->H[m->n_contacts] = &m->contacts[m->n_contacts];
    ++m->n_contacts;
}

static void add_coupling(model *m, int32_t i, int32_t j)
{
    m->coupling[m->n_couplings][0] = i;
    m->coupling[m->n_couplings][1] = j;
    ++m->n_couplings;
}

static pcs_saddle_def model_def(const model *m)
{
    pcs_saddle_def def = pcs_saddle_default();
    def.n_nodes = m->n_nodes;
    def.node_size = m->node_size;
    def.n_couplings = m->n_couplings;
    def.coupling = m->coupling;
    def.n_rows = m->n_rows;
    def.rows = m->rows;
    return def;
}

static void model_create(model *m)
{
    const pcs_saddle_def def = model_def(m);
    assert_int_equal(pcs_saddle_create(m->ctx, &def, &m->saddle), PCS_OK);
}

// Diagonally dominant A; unsymmetric: a skew part of the size of the couplings is added
static void randomise_matrix(model *m, bool symmetric)
{
    int64_t count;
    double *value = pcs_saddle_values(m->saddle, &count);
    memset(value, 0, sizeof(double) * (size_t)count);
    for (int32_t i = 0; i < m->n_nodes; ++i) {
        const int32_t n = m->node_size[i];
        double *A = pcs_saddle_diagonal(m->saddle, i);
        for (int32_t r = 0; r < n; ++r) {
            for (int32_t c = 0; c < r; ++c) {
                A[r * n + c] = A[c * n + r] = 0.17 * uniform(m);
                if (!symmetric) {
                    const double skew = 0.31 * uniform(m);
                    A[r * n + c] += skew;
                    A[c * n + r] -= skew;
                }
            }
            A[r * (n + 1)] = 3.7 + uniform(m);
        }
    }
    for (int32_t k = 0; k < m->n_couplings; ++k) {
        const int32_t ni = m->node_size[m->coupling[k][0]], nj = m->node_size[m->coupling[k][1]];
        double *Aij = pcs_saddle_coupling(m->saddle, k, false);
        double *Aji = pcs_saddle_coupling(m->saddle, k, true);
        for (int32_t r = 0; r < ni; ++r)
            for (int32_t c = 0; c < nj; ++c) {
                Aij[r * nj + c] = 0.13 * uniform(m);
                Aji[c * ni + r] = symmetric ? Aij[r * nj + c] : 0.13 * uniform(m);
            }
    }
}

static double *new_array(int64_t count)
{
    double *array = calloc((size_t)count + 1, sizeof(double));
    assert_non_null(array);
    return array;
}

// Dense A, n x n
static double *dense_matrix(model *m)
{
    const int32_t n = m->node_offset[m->n_nodes];
    double *A = new_array((int64_t)n * n);
    for (int32_t i = 0; i < m->n_nodes; ++i)
        for (int32_t r = 0; r < m->node_size[i]; ++r)
            memcpy(A + (m->node_offset[i] + r) * n + m->node_offset[i],
                   pcs_saddle_diagonal(m->saddle, i) + r * m->node_size[i],
                   sizeof(double) * (size_t)m->node_size[i]);
    for (int32_t k = 0; k < m->n_couplings; ++k)
        for (int side = 0; side < 2; ++side) {
            const int32_t i = m->coupling[k][side], j = m->coupling[k][1 - side];
            for (int32_t r = 0; r < m->node_size[i]; ++r)
                memcpy(A + (m->node_offset[i] + r) * n + m->node_offset[j],
                       pcs_saddle_coupling(m->saddle, k, side == 1) + r * m->node_size[j],
                       sizeof(double) * (size_t)m->node_size[j]);
        }
    return A;
}

// Dense rows, total x n
static double *dense_rows(const model *m, int32_t count, const pcs_row_block *rows, int32_t *total)
{
    const int32_t n = m->node_offset[m->n_nodes];
    *total = 0;
    for (int32_t r = 0; r < count; ++r)
        *total += rows[r].size;
    double *G = new_array((int64_t)*total * n);
    int32_t at = 0;
    for (int32_t k = 0; k < count; at += rows[k++].size)
        for (int32_t s = 0; s < rows[k].n_nodes; ++s)
            for (int32_t r = 0; r < rows[k].size; ++r) {
                const int32_t node = rows[k].node[s];
                memcpy(G + (at + r) * n + m->node_offset[node],
                       rows[k].J[s] + r * m->node_size[node],
                       sizeof(double) * (size_t)m->node_size[node]);
            }
    return G;
}

// Solves [A -G^T; G 0] by LAPACK for n_rhs vectors, the rows flagged in `skip` left out (p = 0)
static void dense_solve(int32_t n, int32_t rows, const double *A, const double *G,
                        const uint8_t *skip, int32_t n_rhs, double *z)
{
    const int32_t size = n + rows;
    double *K = new_array((int64_t)size * size);
    for (int32_t i = 0; i < n; ++i)
        memcpy(K + (int64_t)i * size, A + (int64_t)i * n, sizeof(double) * (size_t)n);
    for (int32_t r = 0; r < rows; ++r) {
        if (skip && skip[r]) {
            K[(int64_t)(n + r) * (size + 1)] = 1.0;
            for (int32_t c = 0; c < n_rhs; ++c)
                z[(int64_t)c * size + n + r] = 0.0;
            continue;
        }
        for (int32_t i = 0; i < n; ++i) {
            K[(int64_t)(n + r) * size + i] = G[(int64_t)r * n + i];
            K[(int64_t)i * size + n + r] = -G[(int64_t)r * n + i];
        }
    }
    int32_t *pivot = calloc((size_t)size + 1, sizeof *pivot);
    assert_int_equal(pcs_dense_lu_factor(size, K, pivot), -1);
    pcs_dense_lu_solve(size, K, pivot, n_rhs, z);
    free(pivot);
    free(K);
}

static void assert_close(int64_t n, const double *a, const double *b, double tolerance)
{
    double scale = 1.0;
    for (int64_t i = 0; i < n; ++i)
        scale = fmax(scale, fabs(b[i]));
    for (int64_t i = 0; i < n; ++i)
        if (!(fabs(a[i] - b[i]) <= tolerance * scale))
            fail_msg("entry %lld: %.17g instead of %.17g", (long long)i, a[i], b[i]);
}

// Condition numbers of the random systems stay below 1e5 (dominant A, generic rows): cond * eps
#define SOLVE_TOLERANCE 1e-10

// Factorises the present values and compares solve, solve_free and delassus with LAPACK
static void check_against_dense(model *m)
{
    int32_t rows, contacts;
    const int32_t n = m->node_offset[m->n_nodes];
    double *A = dense_matrix(m), *G = dense_rows(m, m->n_rows, m->rows, &rows);
    double *H = dense_rows(m, m->n_contacts, m->contacts, &contacts);
    const int32_t size = n + rows;
    assert_int_equal(pcs_saddle_unknowns(m->saddle), n);
    assert_int_equal(pcs_saddle_row_count(m->saddle), rows);
    assert_int_equal(pcs_saddle_factor(m->saddle), PCS_OK);
    const uint8_t *redundant = pcs_saddle_redundant_rows(m->saddle);
    double *z = new_array(size), *expected = new_array(size);
    for (int32_t i = 0; i < size; ++i)
        z[i] = expected[i] = 1.913 * uniform(m);
    dense_solve(n, rows, A, G, redundant, 1, expected);
    pcs_saddle_solve(m->saddle, z, z + n);
    assert_close(size, z, expected, SOLVE_TOLERANCE);

    for (int32_t i = 0; i < n; ++i)
        z[i] = expected[i] = 0.771 * uniform(m);
    dense_solve(n, 0, A, G, NULL, 1, expected);
    pcs_saddle_solve_free(m->saddle, z);
    assert_close(n, z, expected, SOLVE_TOLERANCE);

    double *X = new_array((int64_t)size * contacts); // columns (x; p) of K^{-1} [H^T; 0]
    for (int32_t c = 0; c < contacts; ++c)
        memcpy(X + (int64_t)c * size, H + (int64_t)c * n, sizeof(double) * (size_t)n);
    dense_solve(n, rows, A, G, redundant, contacts, X);
    double *W = new_array((int64_t)contacts * contacts);
    double *got = new_array((int64_t)contacts * contacts);
    for (int32_t r = 0; r < contacts; ++r)
        for (int32_t c = 0; c < contacts; ++c)
            for (int32_t i = 0; i < n; ++i)
                W[r * contacts + c] += H[(int64_t)r * n + i] * X[(int64_t)c * size + i];
    pcs_arena arena;
    pcs_arena_init(&arena, m->ctx);
    pcs_block_matrix blocks;
    assert_int_equal(pcs_saddle_delassus(m->saddle, m->n_contacts, m->H, &arena, &blocks), PCS_OK);
    assert_int_equal(blocks.n, m->n_contacts);
    for (int32_t i = 0; i < blocks.n; ++i) {
        assert_int_equal(blocks.column[blocks.diagonal[i]], i);
        for (int32_t e = blocks.row_start[i] + 1; e < blocks.row_start[i + 1]; ++e)
            assert_true(blocks.column[e - 1] < blocks.column[e]);
    }
    pcs_block_matrix_to_dense(&blocks, got);
    assert_close((int64_t)contacts * contacts, got, W, SOLVE_TOLERANCE);
    pcs_arena_free(&arena);
    free(A);
    free(G);
    free(H);
    free(z);
    free(expected);
    free(X);
    free(W);
    free(got);
}

// Chains, a star and free nodes of mixed sizes, so that m < n in every island
static void build_mixed(model *m, uint64_t seed, bool coupled)
{
    static const int32_t sizes[] = {6, 6, 3, 6, 2, 3, 6, 1, 6, 3, 7, 6, 6, 3};
    model_init(m, seed);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i)
        add_node(m, sizes[i]);
    add_row(m, 5, 2, (int32_t[]){1, 0}); // island 0 1 3 6 with a loop
    add_row(m, 3, 2, (int32_t[]){1, 3});
    add_row(m, 2, 2, (int32_t[]){3, 6});
    add_row(m, 1, 3, (int32_t[]){0, 6, 3});
    add_row(m, 4, 1, (int32_t[]){6});
    add_row(m, 2, 2, (int32_t[]){2, 5}); // island 2 4 5 7
    add_row(m, 1, 4, (int32_t[]){7, 2, 4, 5});
    add_row(m, 7, 2, (int32_t[]){10, 11}); // island 10 11 12 13: a row block wider than the kernels
    add_row(m, 2, 2, (int32_t[]){11, 12});
    add_row(m, 2, 2, (int32_t[]){13, 12});
    if (coupled) { // nodes 8 9 are coupled without rows, 10..13 with rows; the rest is not coupled
        add_coupling(m, 8, 9);
        add_coupling(m, 10, 12);
        add_coupling(m, 11, 13);
    }
    for (int32_t c = 0; c < 12; ++c) {
        const int32_t a = (5 * c + 3) % m->n_nodes, b = (3 * c + 8) % m->n_nodes;
        add_contact(m, 1 + c % 3, a == b ? 1 : 2, (int32_t[]){a, b});
    }
    add_contact(m, 3, 4, (int32_t[]){0, 2, 8, 10});
    add_contact(m, 2, 1, (int32_t[]){9});
    add_contact(m, 3, 0, (int32_t[]){0});
    model_create(m);
}

static void test_symmetric(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 10; ++seed) {
        model m;
        build_mixed(&m, seed, false);
        randomise_matrix(&m, true);
        check_against_dense(&m);
        model_free(&m);
    }
}

static void test_unsymmetric(void **state)
{
    (void)state;
    for (uint64_t seed = 11; seed <= 20; ++seed) {
        model m;
        build_mixed(&m, seed, false);
        randomise_matrix(&m, false);
        check_against_dense(&m);
        model_free(&m);
    }
}

static void test_coupled(void **state)
{
    (void)state;
    for (uint64_t seed = 21; seed <= 30; ++seed) {
        model m;
        build_mixed(&m, seed, true);
        randomise_matrix(&m, seed % 2 == 0);
        check_against_dense(&m);
        model_free(&m);
    }
}

// The same with few nodes, which takes the dense way
static void test_coupled_small(void **state)
{
    (void)state;
    for (uint64_t seed = 31; seed <= 40; ++seed) {
        model m;
        model_init(&m, seed);
        add_node(&m, 6);
        add_node(&m, 3);
        add_node(&m, 6);
        add_node(&m, 2);
        add_coupling(&m, 0, 2);
        add_row(&m, 3, 2, (int32_t[]){0, 1});
        add_row(&m, 1, 1, (int32_t[]){2});
        add_row(&m, 1, 1, (int32_t[]){3});
        for (int32_t c = 0; c < 5; ++c)
            add_contact(&m, 3, 2, (int32_t[]){c % 4, (c + 1) % 4});
        model_create(&m);
        randomise_matrix(&m, seed % 2 == 0);
        check_against_dense(&m);
        model_free(&m);
    }
}

// A long chain, coupled or not: fill, many blocks, sparse LU
static void build_chain(model *m, uint64_t seed, int32_t bodies, bool coupled)
{
    model_init(m, seed);
    for (int32_t i = 0; i < bodies; ++i)
        add_node(m, 6);
    add_row(m, 5, 1, (int32_t[]){0});
    for (int32_t i = 1; i < bodies; ++i)
        add_row(m, 5, 2, (int32_t[]){i - 1, i});
    for (int32_t i = 0; coupled && i + 2 < bodies; i += 2)
        add_coupling(m, i, i + 2);
    for (int32_t c = 0; c < 4; ++c) {
        const int32_t a = (7 * c + 1) % bodies;
        add_contact(m, 3, 2, (int32_t[]){a, (a + 3 + c) % bodies});
    }
    model_create(m);
}

static void test_chain(void **state)
{
    (void)state;
    for (int coupled = 0; coupled < 2; ++coupled) {
        model m;
        build_chain(&m, 41, 30, coupled == 1);
        randomise_matrix(&m, false);
        check_against_dense(&m);
        model_free(&m);
    }
}

// Spatial mass blocks: diagonal translation, 3 x 3 rotation; with and without a gyroscopic part
static void test_body_blocks(void **state)
{
    (void)state;
    for (int gyroscopic = 0; gyroscopic < 2; ++gyroscopic) {
        model m;
        build_chain(&m, 43, 8, false);
        for (int32_t i = 0; i < m.n_nodes; ++i) {
            double *A = pcs_saddle_diagonal(m.saddle, i);
            const double mass = 2.37 + uniform(&m);
            for (int32_t d = 0; d < 3; ++d) {
                A[7 * d] = mass;
                A[7 * (d + 3)] = 1.41 + 0.3 * uniform(&m);
                for (int32_t e = 0; e < d; ++e)
                    A[6 * (d + 3) + e + 3] = A[6 * (e + 3) + d + 3] = 0.11 * uniform(&m);
            }
            if (gyroscopic) {
                A[22] += 0.173;
                A[27] -= 0.173;
            }
        }
        check_against_dense(&m);
        model_free(&m);
    }
}

static void test_no_rows(void **state)
{
    (void)state;
    for (int coupled = 0; coupled < 2; ++coupled) {
        model m;
        model_init(&m, 47);
        add_node(&m, 6);
        add_node(&m, 3);
        add_node(&m, 6);
        if (coupled)
            add_coupling(&m, 0, 1);
        for (int32_t c = 0; c < 6; ++c)
            add_contact(&m, 3, 2, (int32_t[]){c % 3, (c + 1) % 3});
        model_create(&m);
        randomise_matrix(&m, true);
        check_against_dense(&m);
        model_free(&m);
    }
    model empty;
    model_init(&empty, 48);
    model_create(&empty);
    check_against_dense(&empty);
    model_free(&empty);
}

// The pattern is analysed once; new values of A and G need only factor(), without heap calls
static void test_reuse(void **state)
{
    (void)state;
    for (int coupled = 0; coupled < 2; ++coupled) {
        model m;
        build_mixed(&m, 53, coupled == 1);
        randomise_matrix(&m, true);
        assert_int_equal(pcs_saddle_factor(m.saddle), PCS_OK);
        const uint64_t calls = pcs_context_heap_calls(m.ctx);
        for (int round = 0; round < 5; ++round) {
            randomise_matrix(&m, round % 2 == 0);
            for (int32_t r = 0; r < m.n_rows; ++r)
                randomise_row(&m, &m.rows[r]);
            assert_int_equal(pcs_saddle_factor(m.saddle), PCS_OK);
            assert_int_equal(pcs_context_heap_calls(m.ctx), calls);
        }
        check_against_dense(&m);
        model_free(&m);
    }
}

// Solve uses the G of the last factor(), not later values
static void test_solve_keeps_rows(void **state)
{
    (void)state;
    for (int coupled = 0; coupled < 2; ++coupled) {
        model m;
        build_mixed(&m, 59, coupled == 1);
        randomise_matrix(&m, true);
        assert_int_equal(pcs_saddle_factor(m.saddle), PCS_OK);
        const int32_t n = pcs_saddle_unknowns(m.saddle), size = n + pcs_saddle_row_count(m.saddle);
        double *before = new_array(size), *after = new_array(size);
        for (int32_t i = 0; i < size; ++i)
            before[i] = after[i] = uniform(&m);
        pcs_saddle_solve(m.saddle, before, before + n);
        for (int32_t r = 0; r < m.n_rows; ++r)
            randomise_row(&m, &m.rows[r]);
        pcs_saddle_solve(m.saddle, after, after + n);
        assert_memory_equal(before, after, sizeof(double) * (size_t)size);
        free(before);
        free(after);
        model_free(&m);
    }
}

// c = G v with random v, so that redundant rows do not contradict; x must equal the solution with a
// maximal set of independent rows that QR chooses, and G x = c must hold for all rows.
static void check_redundant(model *m, int32_t expected_redundant)
{
    int32_t rows;
    const int32_t n = m->node_offset[m->n_nodes];
    double *A = dense_matrix(m), *G = dense_rows(m, m->n_rows, m->rows, &rows);
    const int32_t size = n + rows;
    double *copy = new_array((int64_t)rows * n), *z = new_array(size), *expected = new_array(size);
    const int32_t work_size = pcs_dense_rank_rows_work_size(rows, n);
    double *work = new_array(work_size);
    uint8_t *dependent = calloc((size_t)rows, 1);
    int32_t *index = calloc((size_t)rows, sizeof *index);
    memcpy(copy, G, sizeof(double) * (size_t)rows * (size_t)n);
    const int32_t rank = pcs_dense_rank_rows(rows, n, copy, 1e-9, dependent, index, work,
                                             work_size);
    assert_int_equal(rows - rank, expected_redundant);

    for (int32_t i = 0; i < n; ++i)
        z[i] = expected[i] = 1.27 * uniform(m);
    for (int32_t i = 0; i < n; ++i) {
        const double v = uniform(m);
        for (int32_t r = 0; r < rows; ++r)
            z[n + r] += G[(int64_t)r * n + i] * v;
    }
    memcpy(expected + n, z + n, sizeof(double) * (size_t)rows);
    double *c = new_array(rows);
    memcpy(c, z + n, sizeof(double) * (size_t)rows);
    dense_solve(n, rows, A, G, dependent, 1, expected);
    assert_int_equal(pcs_saddle_factor(m->saddle), PCS_OK);
    const uint8_t *redundant = pcs_saddle_redundant_rows(m->saddle);
    int32_t count = 0;
    for (int32_t r = 0; r < rows; ++r)
        count += redundant[r];
    assert_int_equal(count, expected_redundant);
    pcs_saddle_solve(m->saddle, z, z + n);
    assert_close(n, z, expected, SOLVE_TOLERANCE);
    for (int32_t r = 0; r < rows; ++r) {
        double sum = 0.0;
        for (int32_t i = 0; i < n; ++i)
            sum += G[(int64_t)r * n + i] * z[i];
        assert_true(fabs(sum - c[r]) <= SOLVE_TOLERANCE * 10.0);
        if (redundant[r])
            assert_true(z[n + r] == 0.0);
    }
    free(A);
    free(G);
    free(copy);
    free(z);
    free(expected);
    free(work);
    free(dependent);
    free(index);
    free(c);
}

static void test_duplicate_rows(void **state)
{
    (void)state;
    for (int coupled = 0; coupled < 3; ++coupled) {
        model m;
        model_init(&m, 61);
        for (int32_t i = 0; i < (coupled == 2 ? 9 : 4); ++i)
            add_node(&m, 6);
        for (int32_t i = 1; i < m.n_nodes; ++i)
            add_row(&m, 5, 2, (int32_t[]){i - 1, i});
        // the rows of the second joint, mixed
        pcs_row_block *copy = add_row(&m, 5, 2, (int32_t[]){1, 2});
        for (int32_t s = 0; s < 2; ++s)
            for (int32_t r = 0; r < 5; ++r)
                for (int32_t c = 0; c < 6; ++c)
                    copy->J[s][6 * r + c] = 0.73 * m.rows[1].J[s][6 * r + c] -
                                            1.91 * m.rows[1].J[s][6 * ((r + 2) % 5) + c];
        pcs_row_block *zero = add_row(&m, 2, 1, (int32_t[]){3});
        memset(zero->J[0], 0, 12 * sizeof(double));
        add_row(&m, 3, 0, (int32_t[]){0}); // a joint between two fixed frames
        if (coupled) {
            add_coupling(&m, 0, 3);
            add_coupling(&m, 1, 3);
        }
        model_create(&m);
        randomise_matrix(&m, true);
        check_redundant(&m, 10);
        randomise_matrix(&m, false);
        check_redundant(&m, 10);
        model_free(&m);
    }
}

// Spatial revolute joint about z at point P between bodies a and b (b < 0: ground), all frames
// parallel: relative velocity of the point and the two other relative angular velocities.
static void set_revolute(pcs_row_block *row, double centre[][3], const double *P)
{
    for (int32_t s = 0; s < row->n_nodes; ++s) {
        const double sign = s == 0 ? 1.0 : -1.0;
        const double *x = centre[row->node[s]];
        const double r[3] = {P[0] - x[0], P[1] - x[1], P[2] - x[2]};
        double *J = row->J[s];
        memset(J, 0, 30 * sizeof(double));
        for (int d = 0; d < 3; ++d)
            J[6 * d + d] = sign;
        J[4] = sign * r[2]; // omega x r
        J[5] = -sign * r[1];
        J[6 + 3] = -sign * r[2];
        J[6 + 5] = sign * r[0];
        J[12 + 3] = sign * r[1];
        J[12 + 4] = -sign * r[0];
        J[18 + 3] = sign;
        J[24 + 4] = sign;
    }
}

// Planar four-bar of spatial revolutes: 18 velocities, 20 rows, one degree of freedom: 3 redundant
static void build_four_bar(model *m, bool coupled)
{
    static const double P[4][3] = {
        {0.0, 0.0, 0.13}, {0.41, 1.07, 0.13}, {3.23, 1.93, 0.13}, {3.71, 0.0, 0.13}};
    double centre[3][3];
    for (int i = 0; i < 3; ++i)
        for (int d = 0; d < 3; ++d)
            centre[i][d] = 0.47 * P[i][d] + 0.53 * P[i + 1][d] + (d == 2 ? 0.029 * i : 0.0);
    model_init(m, 67);
    for (int32_t i = 0; i < 3; ++i)
        add_node(m, 6);
    set_revolute(add_row(m, 5, 1, (int32_t[]){0}), centre, P[0]);
    set_revolute(add_row(m, 5, 2, (int32_t[]){0, 1}), centre, P[1]);
    set_revolute(add_row(m, 5, 2, (int32_t[]){1, 2}), centre, P[2]);
    set_revolute(add_row(m, 5, 1, (int32_t[]){2}), centre, P[3]);
    if (coupled)
        add_coupling(m, 0, 2);
    model_create(m);
}

static void test_four_bar(void **state)
{
    (void)state;
    for (int coupled = 0; coupled < 2; ++coupled) {
        model m;
        build_four_bar(&m, coupled == 1);
        randomise_matrix(&m, true);
        check_redundant(&m, 3);
        model_free(&m);
    }
}

// LU with row exchanges in long double, in place
static void wide_factor(int32_t n, long double *K, int32_t *pivot)
{
    for (int32_t k = 0; k < n; ++k) {
        pivot[k] = k;
        for (int32_t i = k + 1; i < n; ++i)
            if (fabsl(K[i * n + k]) > fabsl(K[pivot[k] * n + k]))
                pivot[k] = i;
        assert_true(K[pivot[k] * n + k] != 0.0L);
        for (int32_t j = 0; j < n; ++j) {
            const long double swap = K[k * n + j];
            K[k * n + j] = K[pivot[k] * n + j];
            K[pivot[k] * n + j] = swap;
        }
        for (int32_t i = k + 1; i < n; ++i) {
            K[i * n + k] /= K[k * n + k];
            for (int32_t j = k + 1; j < n; ++j)
                K[i * n + j] -= K[i * n + k] * K[k * n + j];
        }
    }
}

static void wide_solve(int32_t n, const long double *LU, const int32_t *pivot, long double *z)
{
    for (int32_t k = 0; k < n; ++k) {
        const long double swap = z[k];
        z[k] = z[pivot[k]];
        z[pivot[k]] = swap;
    }
    for (int32_t i = 0; i < n; ++i)
        for (int32_t j = 0; j < i; ++j)
            z[i] -= LU[i * n + j] * z[j];
    for (int32_t i = n - 1; i >= 0; --i) {
        for (int32_t j = i + 1; j < n; ++j)
            z[i] -= LU[i * n + j] * z[j];
        z[i] /= LU[i * n + i];
    }
}

enum { WIDE_MAX = 96 };

// Compares z with the solution of K z = rhs in long double. A componentwise backward error of
// `backward` gives |error| <= backward |K^{-1}| (|K||z| + |rhs|) (Higham, Accuracy and
// Stability of Numerical Algorithms, Theorem 7.4).
static void check_wide(int32_t size, const double *K, const double *rhs, const double *z,
                       int32_t compared, double backward)
{
    static long double LU[WIDE_MAX * WIDE_MAX];
    long double x[WIDE_MAX], r[WIDE_MAX], scale[WIDE_MAX], bound[WIDE_MAX];
    int32_t pivot[WIDE_MAX];
    assert_true(size <= WIDE_MAX);
    for (int32_t e = 0; e < size * size; ++e)
        LU[e] = K[e];
    wide_factor(size, LU, pivot);
    for (int32_t i = 0; i < size; ++i)
        x[i] = 0.0L;
    for (int round = 0; round < 4; ++round) { // the first round solves, the others refine
        for (int32_t i = 0; i < size; ++i) {
            r[i] = rhs[i];
            scale[i] = fabsl(r[i]);
            for (int32_t j = 0; j < size; ++j) {
                r[i] -= K[i * size + j] * x[j];
                scale[i] += fabsl(K[i * size + j] * x[j]);
            }
        }
        wide_solve(size, LU, pivot, r);
        for (int32_t i = 0; i < size; ++i)
            x[i] += r[i];
    }
    memset(bound, 0, sizeof bound);
    for (int32_t j = 0; j < size; ++j) { // column j of K^{-1}
        for (int32_t i = 0; i < size; ++i)
            r[i] = i == j ? 1.0L : 0.0L;
        wide_solve(size, LU, pivot, r);
        for (int32_t i = 0; i < size; ++i)
            bound[i] += fabsl(r[i]) * scale[j];
    }
    for (int32_t i = 0; i < compared; ++i)
        if (!(fabsl(z[i] - x[i]) <= backward * bound[i]))
            fail_msg("entry %d: %.17g instead of %.17Lg, bound %.3Lg", (int)i, z[i], x[i],
                     backward * bound[i]);
}

// Backward error of a solution. Refinement stops at 16 eps, and the products of
// x = A^{-1}(b + G^T p), up to 16 terms, add about as much: 64 eps. The geometry costs an unrefined
// solution 16 times that, and a mass ratio its own size while it is below 1e6: jointed islands are
// not refined there.
static double backward_error(const model *m, int exponent)
{
    const bool refined = m->n_couplings > 0 || abs(exponent) > 6;
    return 16.0 * 64.0 * 2.2e-16 * (refined ? 1.0 : pow(10.0, abs(exponent)));
}

// Count of redundant rows, x against long double, and G x = c for every row, the redundant too
static void check_graded(model *m, int exponent, int32_t expected_redundant)
{
    int32_t rows;
    const int32_t n = m->node_offset[m->n_nodes];
    double *A = dense_matrix(m), *G = dense_rows(m, m->n_rows, m->rows, &rows);
    const int32_t size = n + rows;
    double *K = new_array((int64_t)size * size), *rhs = new_array(size), *z = new_array(size);
    for (int32_t i = 0; i < n; ++i) { // momenta of random velocities; rows that do not contradict
        const double v = 1.27 * uniform(m), w = uniform(m);
        for (int32_t j = 0; j < n; ++j)
            rhs[j] += A[j * n + i] * v;
        for (int32_t r = 0; r < rows; ++r)
            rhs[n + r] += G[r * n + i] * w;
    }
    memcpy(z, rhs, sizeof(double) * (size_t)size);
    assert_int_equal(pcs_saddle_factor(m->saddle), PCS_OK);
    const uint8_t *redundant = pcs_saddle_redundant_rows(m->saddle);
    pcs_saddle_solve(m->saddle, z, z + n);
    const double backward = backward_error(m, exponent);
    int32_t count = 0;
    for (int32_t r = 0; r < rows; ++r) {
        double residual = rhs[n + r], scale = fabs(rhs[n + r]);
        for (int32_t i = 0; i < n; ++i) {
            residual -= G[r * n + i] * z[i];
            scale = fmax(scale, fabs(z[i]));
        }
        assert_true(fabs(residual) <= 16.0 * backward * scale); // of up to 16 terms
        count += redundant[r];
    }
    assert_int_equal(count, expected_redundant);
    for (int32_t i = 0; i < n; ++i)
        memcpy(K + i * size, A + i * n, sizeof(double) * (size_t)n);
    for (int32_t r = 0; r < rows; ++r) {
        K[(n + r) * (size + 1)] = redundant[r] ? 1.0 : 0.0;
        if (redundant[r])
            rhs[n + r] = 0.0;
        for (int32_t i = 0; i < n && !redundant[r]; ++i) {
            K[(n + r) * size + i] = G[r * n + i];
            K[i * size + n + r] = -G[r * n + i];
        }
    }
    check_wide(size, K, rhs, z, n, backward);
    free(A);
    free(G);
    free(K);
    free(rhs);
    free(z);
}

// Planar or spatial body blocks of the given masses, radius of gyration about 0.3; couplings are
// springs of the lighter mass between equal components
static void set_masses(model *m, const double *mass)
{
    int64_t count;
    double *value = pcs_saddle_values(m->saddle, &count);
    memset(value, 0, sizeof(double) * (size_t)count);
    for (int32_t i = 0; i < m->n_nodes; ++i) {
        const int32_t n = m->node_size[i], translations = n == 6 ? 3 : 2;
        double *A = pcs_saddle_diagonal(m->saddle, i);
        for (int32_t r = 0; r < n; ++r)
            A[r * (n + 1)] = mass[i] * (r < translations ? 1.0 : 0.093 + 0.031 * r);
        if (n == 6)
            A[22] = A[27] = 0.0217 * mass[i];
    }
    for (int32_t k = 0; k < m->n_couplings; ++k) {
        const int32_t i = m->coupling[k][0], j = m->coupling[k][1], n = m->node_size[i];
        const double stiffness = 0.137 * fmin(mass[i], mass[j]);
        for (int32_t r = 0; r < n; ++r) {
            pcs_saddle_diagonal(m->saddle, i)[r * (n + 1)] += stiffness;
            pcs_saddle_diagonal(m->saddle, j)[r * (n + 1)] += stiffness;
            pcs_saddle_coupling(m->saddle, k, false)[r * (n + 1)] = -stiffness;
            pcs_saddle_coupling(m->saddle, k, true)[r * (n + 1)] = -stiffness;
        }
    }
}

// Planar revolute joint at P
static void set_planar_revolute(pcs_row_block *row, double centre[][3], const double *P)
{
    for (int32_t s = 0; s < row->n_nodes; ++s) {
        const double sign = s == 0 ? 1.0 : -1.0, *x = centre[row->node[s]];
        const double J[6] = {sign, 0.0, -sign * (P[1] - x[1]), 0.0, sign, sign * (P[0] - x[0])};
        memcpy(row->J[s], J, sizeof J);
    }
}

enum { LINKS = 5 };

// Crooked chain of links from the ground; `doubled` repeats the second joint
static void build_links(model *m, bool spatial, bool coupled, bool doubled)
{
    double P[LINKS + 1][3], centre[LINKS][3];
    for (int i = 0; i <= LINKS; ++i) {
        P[i][0] = 0.913 * i;
        P[i][1] = 0.37 * sin(2.3 * i);
        P[i][2] = spatial ? 0.29 * cos(1.7 * i) : 0.0;
    }
    model_init(m, 97);
    for (int i = 0; i < LINKS; ++i) {
        add_node(m, spatial ? 6 : 3);
        for (int d = 0; d < 3; ++d)
            centre[i][d] = 0.47 * P[i][d] + 0.53 * P[i + 1][d];
    }
    for (int32_t i = 0; i < LINKS + (doubled ? 1 : 0); ++i) {
        const int32_t at = i < LINKS ? i : 1;
        pcs_row_block *row = add_row(m, spatial ? 5 : 2, at == 0 ? 1 : 2,
                                     (int32_t[]){at, at > 0 ? at - 1 : 0});
        if (spatial)
            set_revolute(row, centre, P[at]);
        else
            set_planar_revolute(row, centre, P[at]);
    }
    for (int32_t i = 0; coupled && i + 1 < LINKS; ++i)
        add_coupling(m, i, i + 1);
    model_create(m);
}

// Light and heavy links in turn are no rank loss, and do not hide a true one. The same system goes
// through all ratios, so that the remembered set of rows has to follow.
static void test_mass_ratios(void **state)
{
    (void)state;
    for (int kind = 0; kind < 8; ++kind) {
        const bool spatial = kind & 1, coupled = kind & 2, doubled = kind & 4;
        model m;
        build_links(&m, spatial, coupled, doubled);
        uint64_t calls = 0;
        for (int exponent = -10; exponent <= 10; ++exponent) {
            double mass[LINKS];
            for (int i = 0; i < LINKS; ++i)
                mass[i] = (1.31 + 0.17 * i) * (i % 2 == 0 ? 1.0 : pow(10.0, exponent));
            set_masses(&m, mass);
            check_graded(&m, exponent, !doubled ? 0 : spatial ? 5 : 2);
            assert_true(coupled || calls == 0 || pcs_context_heap_calls(m.ctx) == calls);
            calls = pcs_context_heap_calls(m.ctx);
        }
        model_free(&m);
    }
}

// One joint turns from a true duplicate into an independent one and back while the masses stay
static void test_graded_rank_changes(void **state)
{
    (void)state;
    for (int exponent = -9; exponent <= 9; exponent += 3) {
        const double ratio = pow(10.0, exponent), mass[LINKS] = {1.31, ratio, 1.57, ratio, 0.83};
        model m;
        build_links(&m, false, false, true);
        set_masses(&m, mass);
        pcs_row_block *last = &m.rows[m.n_rows - 1];
        const double arm = last->J[1][2];
        for (int round = 0; round < 3; ++round) {
            check_graded(&m, exponent, 2);
            last->J[1][2] = arm + 0.57; // now the two points hold the bodies against each other
            check_graded(&m, exponent, 1);
            last->J[1][2] = arm;
        }
        model_free(&m);
    }
}

// The four-bar of test_four_bar with one bar light or heavy
static void test_four_bar_mass_ratios(void **state)
{
    (void)state;
    for (int kind = 0; kind < 6; ++kind) {
        const bool coupled = kind >= 3;
        model m;
        build_four_bar(&m, coupled);
        for (int exponent = -10; exponent <= 10; ++exponent) {
            double mass[3] = {1.31, 0.87, 2.03};
            mass[kind % 3] *= pow(10.0, exponent);
            set_masses(&m, mass);
            check_graded(&m, exponent, 3);
        }
        model_free(&m);
    }
}

static void test_singular_names_node(void **state)
{
    (void)state;
    for (int coupled = 0; coupled < 2; ++coupled) // nodes 8 ... are coupled, there one singular
        for (int32_t node = 0; node < (coupled ? 8 : 14); ++node) { // block says nothing about A
            model m;
            build_mixed(&m, 71, coupled == 1);
            randomise_matrix(&m, true);
            const int32_t n = m.node_size[node];
            double *A = pcs_saddle_diagonal(m.saddle, node);
            for (int32_t c = 0; c < n; ++c) // last row a multiple of the first, zero for n = 1
                A[(n - 1) * n + c] = n == 1 ? 0.0 : 0.37 * A[c];
            assert_int_equal(pcs_saddle_factor(m.saddle), PCS_ERROR_SINGULAR);
            assert_int_equal(pcs_saddle_singular_node(m.saddle), node);
            randomise_matrix(&m, true);
            check_against_dense(&m); // and recovers
            assert_int_equal(pcs_saddle_singular_node(m.saddle), -1);
            model_free(&m);
        }
    model m; // coupled: two nodes without anything but a spring between them
    model_init(&m, 73);
    for (int32_t i = 0; i < 3; ++i)
        add_node(&m, 1);
    add_coupling(&m, 1, 2);
    model_create(&m);
    *pcs_saddle_diagonal(m.saddle, 0) = 1.3;
    *pcs_saddle_diagonal(m.saddle, 1) = *pcs_saddle_diagonal(m.saddle, 2) = 2.7;
    *pcs_saddle_coupling(m.saddle, 0, false) = *pcs_saddle_coupling(m.saddle, 0, true) = -2.7;
    assert_int_equal(pcs_saddle_factor(m.saddle), PCS_ERROR_SINGULAR);
    assert_int_equal(pcs_saddle_singular_node(m.saddle), 2);
    model_free(&m);
}

static void test_not_finite(void **state)
{
    (void)state;
    for (int coupled = 0; coupled < 2; ++coupled) {
        model m;
        build_mixed(&m, 79, coupled == 1);
        randomise_matrix(&m, true);
        m.rows[8].J[0][3] = NAN;
        assert_int_equal(pcs_saddle_factor(m.saddle), PCS_ERROR_NUMERIC);
        model_free(&m);
    }
}

static void test_bad_definitions(void **state)
{
    (void)state;
    model m;
    model_init(&m, 83);
    add_node(&m, 3);
    add_node(&m, 3);
    add_row(&m, 2, 2, (int32_t[]){0, 1});
    pcs_saddle *saddle;
    m.rows[0].node[1] = 0;
    pcs_saddle_def def = model_def(&m);
    assert_int_equal(pcs_saddle_create(m.ctx, &def, &saddle), PCS_ERROR_ARGUMENT);
    m.rows[0].node[1] = 2;
    assert_int_equal(pcs_saddle_create(m.ctx, &def, &saddle), PCS_ERROR_ARGUMENT);
    m.rows[0].node[1] = 1;
    add_coupling(&m, 1, 0);
    def = model_def(&m);
    assert_int_equal(pcs_saddle_create(m.ctx, &def, &saddle), PCS_ERROR_ARGUMENT);
    assert_null(saddle);
    model_free(&m);
}

// Every heap request of create, factor and delassus fails once; nothing leaks, the error is MEMORY
static void test_failing_allocator(void **state)
{
    (void)state;
    for (int coupled = 0; coupled < 3; ++coupled) {
        model m;
        if (coupled == 2)
            build_chain(&m, 89, 12, true);
        else
            build_mixed(&m, 89, coupled == 1);
        pcs_saddle_destroy(m.saddle);
        m.saddle = NULL;
        bool finished = false;
        for (uint64_t n = 1; !finished; ++n) {
            assert_true(n < 1000);
            const pcs_saddle_def def = model_def(&m);
            pcs_arena arena;
            pcs_arena_init(&arena, m.ctx);
            pcs_context_fail_heap_call(m.ctx, n);
            pcs_status status = pcs_saddle_create(m.ctx, &def, &m.saddle);
            if (status == PCS_OK) {
                randomise_matrix(&m, true);
                status = pcs_saddle_factor(m.saddle);
            }
            pcs_block_matrix W;
            if (status == PCS_OK)
                status = pcs_saddle_delassus(m.saddle, m.n_contacts, m.H, &arena, &W);
            finished = status == PCS_OK;
            if (!finished)
                assert_int_equal(status, PCS_ERROR_MEMORY);
            pcs_context_fail_heap_call(m.ctx, 0);
            pcs_saddle_destroy(m.saddle);
            m.saddle = NULL;
            pcs_arena_free(&arena);
            assert_int_equal(pcs_context_heap_bytes(m.ctx), 0);
        }
        model_free(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_symmetric),
        cmocka_unit_test(test_unsymmetric),
        cmocka_unit_test(test_coupled),
        cmocka_unit_test(test_coupled_small),
        cmocka_unit_test(test_chain),
        cmocka_unit_test(test_body_blocks),
        cmocka_unit_test(test_no_rows),
        cmocka_unit_test(test_reuse),
        cmocka_unit_test(test_solve_keeps_rows),
        cmocka_unit_test(test_duplicate_rows),
        cmocka_unit_test(test_four_bar),
        cmocka_unit_test(test_mass_ratios),
        cmocka_unit_test(test_graded_rank_changes),
        cmocka_unit_test(test_four_bar_mass_ratios),
        cmocka_unit_test(test_singular_names_node),
        cmocka_unit_test(test_not_finite),
        cmocka_unit_test(test_bad_definitions),
        cmocka_unit_test(test_failing_allocator),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
