// The saddle system of rigid bodies against dense LAPACK solutions of the same data; reuse of its
// pattern; singular and bad input.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/saddle_model.h"

// Condition numbers of the random systems stay below 1e5 (dominant A, generic rows): cond * eps
#define SOLVE_TOLERANCE 1e-10

// Factorises the present values and compares solve, solve_free and delassus with LAPACK
static void check_against_dense(saddle_model *m)
{
    int32_t rows, contacts;
    const int32_t n = m->offset[m->n_nodes];
    double *A = saddle_dense_matrix(m), *G = saddle_dense_rows(m, m->n_rows, m->rows, &rows);
    double *H = saddle_dense_rows(m, m->n_contacts, m->contacts, &contacts);
    const int32_t size = n + rows;
    assert_int_equal(pcs_saddle_unknowns(m->saddle), n);
    assert_int_equal(pcs_saddle_row_count(m->saddle), rows);
    assert_int_equal(pcs_saddle_factor(m->saddle), PCS_OK);
    const uint8_t *redundant = pcs_saddle_redundant_rows(m->saddle);
    double *z = saddle_array(size, sizeof(double)), *expected = saddle_array(size, sizeof(double));
    for (int32_t i = 0; i < size; ++i)
        z[i] = expected[i] = saddle_between(m, -1.913, 1.913);
    saddle_dense_solve(n, rows, A, G, redundant, 1, expected);
    pcs_saddle_solve(m->saddle, z, z + n);
    saddle_check_close(size, z, expected, SOLVE_TOLERANCE);

    for (int32_t i = 0; i < n; ++i)
        z[i] = expected[i] = saddle_between(m, -0.771, 0.771);
    saddle_dense_solve(n, 0, A, G, NULL, 1, expected);
    pcs_saddle_solve_free(m->saddle, z);
    saddle_check_close(n, z, expected, SOLVE_TOLERANCE);

    // Columns (x; p) of K^{-1} [H^T; 0]
    double *X = saddle_array((int64_t)size * contacts, sizeof(double));
    for (int32_t c = 0; c < contacts; ++c)
        memcpy(X + (int64_t)c * size, H + (int64_t)c * n, sizeof(double) * (size_t)n);
    saddle_dense_solve(n, rows, A, G, redundant, contacts, X);
    double *W = saddle_array((int64_t)contacts * contacts, sizeof(double));
    double *got = saddle_array((int64_t)contacts * contacts, sizeof(double));
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
    saddle_check_close((int64_t)contacts * contacts, got, W, SOLVE_TOLERANCE);
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
static saddle_model *build_mixed(uint64_t seed, bool coupled)
{
    static const int32_t sizes[] = {6, 6, 3, 6, 2, 3, 6, 1, 6, 3, 7, 6, 6, 3};
    saddle_model *m = saddle_model_create(seed);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i)
        saddle_add_node(m, sizes[i]);
    saddle_add_row(m, 5, 2, (int32_t[]){1, 0}); // island 0 1 3 6 with a loop
    saddle_add_row(m, 3, 2, (int32_t[]){1, 3});
    saddle_add_row(m, 2, 2, (int32_t[]){3, 6});
    saddle_add_row(m, 1, 3, (int32_t[]){0, 6, 3});
    saddle_add_row(m, 4, 1, (int32_t[]){6});
    saddle_add_row(m, 2, 2, (int32_t[]){2, 5}); // island 2 4 5 7
    saddle_add_row(m, 1, 4, (int32_t[]){7, 2, 4, 5});
    saddle_add_row(m, 7, 2,
                   (int32_t[]){10, 11}); // island 10 11 12 13: a row block wider than the kernels
    saddle_add_row(m, 2, 2, (int32_t[]){11, 12});
    saddle_add_row(m, 2, 2, (int32_t[]){13, 12});
    if (coupled) { // nodes 8 9 are coupled without rows, 10..13 with rows; the rest is not coupled
        saddle_add_coupling(m, 8, 9);
        saddle_add_coupling(m, 10, 12);
        saddle_add_coupling(m, 11, 13);
    }
    for (int32_t c = 0; c < 12; ++c) {
        const int32_t a = (5 * c + 3) % m->n_nodes, b = (3 * c + 8) % m->n_nodes;
        saddle_add_contact(m, 1 + c % 3, a == b ? 1 : 2, (int32_t[]){a, b});
    }
    saddle_add_contact(m, 3, 4, (int32_t[]){0, 2, 8, 10});
    saddle_add_contact(m, 2, 1, (int32_t[]){9});
    saddle_add_contact(m, 3, 0, (int32_t[]){0});
    saddle_model_finish(m);
    return m;
}

static void test_symmetric(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 10; ++seed) {
        saddle_model *m = build_mixed(seed, false);
        saddle_randomise_matrix(m, true);
        check_against_dense(m);
        saddle_model_destroy(m);
    }
}

static void test_unsymmetric(void **state)
{
    (void)state;
    for (uint64_t seed = 11; seed <= 20; ++seed) {
        saddle_model *m = build_mixed(seed, false);
        saddle_randomise_matrix(m, false);
        check_against_dense(m);
        saddle_model_destroy(m);
    }
}

static void test_coupled(void **state)
{
    (void)state;
    for (uint64_t seed = 21; seed <= 30; ++seed) {
        saddle_model *m = build_mixed(seed, true);
        saddle_randomise_matrix(m, seed % 2 == 0);
        check_against_dense(m);
        saddle_model_destroy(m);
    }
}

// The same with few nodes, which takes the dense way
static void test_coupled_small(void **state)
{
    (void)state;
    for (uint64_t seed = 31; seed <= 40; ++seed) {
        saddle_model *m = saddle_model_create(seed);
        saddle_add_node(m, 6);
        saddle_add_node(m, 3);
        saddle_add_node(m, 6);
        saddle_add_node(m, 2);
        saddle_add_coupling(m, 0, 2);
        saddle_add_row(m, 3, 2, (int32_t[]){0, 1});
        saddle_add_row(m, 1, 1, (int32_t[]){2});
        saddle_add_row(m, 1, 1, (int32_t[]){3});
        for (int32_t c = 0; c < 5; ++c)
            saddle_add_contact(m, 3, 2, (int32_t[]){c % 4, (c + 1) % 4});
        saddle_model_finish(m);
        saddle_randomise_matrix(m, seed % 2 == 0);
        check_against_dense(m);
        saddle_model_destroy(m);
    }
}

// A long chain, coupled or not: fill, many blocks, sparse LU
static saddle_model *build_chain(uint64_t seed, int32_t bodies, bool coupled)
{
    saddle_model *m = saddle_model_create(seed);
    for (int32_t i = 0; i < bodies; ++i)
        saddle_add_node(m, 6);
    saddle_add_row(m, 5, 1, (int32_t[]){0});
    for (int32_t i = 1; i < bodies; ++i)
        saddle_add_row(m, 5, 2, (int32_t[]){i - 1, i});
    for (int32_t i = 0; coupled && i + 2 < bodies; i += 2)
        saddle_add_coupling(m, i, i + 2);
    for (int32_t c = 0; c < 4; ++c) {
        const int32_t a = (7 * c + 1) % bodies;
        saddle_add_contact(m, 3, 2, (int32_t[]){a, (a + 3 + c) % bodies});
    }
    saddle_model_finish(m);
    return m;
}

static void test_chain(void **state)
{
    (void)state;
    for (int coupled = 0; coupled < 2; ++coupled) {
        saddle_model *m = build_chain(41, 30, coupled == 1);
        saddle_randomise_matrix(m, false);
        check_against_dense(m);
        saddle_model_destroy(m);
    }
}

// Spatial mass blocks: diagonal translation, 3 x 3 rotation; with and without a gyroscopic part
static void test_body_blocks(void **state)
{
    (void)state;
    for (int gyroscopic = 0; gyroscopic < 2; ++gyroscopic) {
        saddle_model *m = build_chain(43, 8, false);
        for (int32_t i = 0; i < m->n_nodes; ++i) {
            double *A = pcs_saddle_diagonal(m->saddle, i);
            const double mass = 2.37 + saddle_between(m, -1.0, 1.0);
            for (int32_t d = 0; d < 3; ++d) {
                A[7 * d] = mass;
                A[7 * (d + 3)] = 1.41 + saddle_between(m, -0.3, 0.3);
                for (int32_t e = 0; e < d; ++e)
                    A[6 * (d + 3) + e + 3] = A[6 * (e + 3) + d + 3] = saddle_between(m, -0.11,
                                                                                     0.11);
            }
            if (gyroscopic) {
                A[22] += 0.173;
                A[27] -= 0.173;
            }
        }
        check_against_dense(m);
        saddle_model_destroy(m);
    }
}

static void test_no_rows(void **state)
{
    (void)state;
    for (int coupled = 0; coupled < 2; ++coupled) {
        saddle_model *m = saddle_model_create(47);
        saddle_add_node(m, 6);
        saddle_add_node(m, 3);
        saddle_add_node(m, 6);
        if (coupled)
            saddle_add_coupling(m, 0, 1);
        for (int32_t c = 0; c < 6; ++c)
            saddle_add_contact(m, 3, 2, (int32_t[]){c % 3, (c + 1) % 3});
        saddle_model_finish(m);
        saddle_randomise_matrix(m, true);
        check_against_dense(m);
        saddle_model_destroy(m);
    }
    saddle_model *empty = saddle_model_create(48);
    saddle_model_finish(empty);
    check_against_dense(empty);
    saddle_model_destroy(empty);
}

// The pattern is analysed once; new values of A and G need only factor(), without heap calls
static void test_reuse(void **state)
{
    (void)state;
    for (int coupled = 0; coupled < 2; ++coupled) {
        saddle_model *m = build_mixed(53, coupled == 1);
        saddle_randomise_matrix(m, true);
        assert_int_equal(pcs_saddle_factor(m->saddle), PCS_OK);
        const uint64_t calls = pcs_context_heap_calls(m->ctx);
        for (int round = 0; round < 5; ++round) {
            saddle_randomise_matrix(m, round % 2 == 0);
            for (int32_t r = 0; r < m->n_rows; ++r)
                saddle_randomise_row(m, &m->rows[r]);
            assert_int_equal(pcs_saddle_factor(m->saddle), PCS_OK);
            assert_int_equal(pcs_context_heap_calls(m->ctx), calls);
        }
        check_against_dense(m);
        saddle_model_destroy(m);
    }
}

// Solve uses the G of the last factor(), not later values
static void test_solve_keeps_rows(void **state)
{
    (void)state;
    for (int coupled = 0; coupled < 2; ++coupled) {
        saddle_model *m = build_mixed(59, coupled == 1);
        saddle_randomise_matrix(m, true);
        assert_int_equal(pcs_saddle_factor(m->saddle), PCS_OK);
        const int32_t n = pcs_saddle_unknowns(m->saddle),
                      size = n + pcs_saddle_row_count(m->saddle);
        double *before = saddle_array(size, sizeof(double)),
               *after = saddle_array(size, sizeof(double));
        for (int32_t i = 0; i < size; ++i)
            before[i] = after[i] = saddle_between(m, -1.0, 1.0);
        pcs_saddle_solve(m->saddle, before, before + n);
        for (int32_t r = 0; r < m->n_rows; ++r)
            saddle_randomise_row(m, &m->rows[r]);
        pcs_saddle_solve(m->saddle, after, after + n);
        assert_memory_equal(before, after, sizeof(double) * (size_t)size);
        free(before);
        free(after);
        saddle_model_destroy(m);
    }
}

static void test_singular_names_node(void **state)
{
    (void)state;
    for (int coupled = 0; coupled < 2; ++coupled) // nodes 8 ... are coupled, there one singular
        for (int32_t node = 0; node < (coupled ? 8 : 14); ++node) { // block says nothing about A
            saddle_model *m = build_mixed(71, coupled == 1);
            saddle_randomise_matrix(m, true);
            const int32_t n = m->node_size[node];
            double *A = pcs_saddle_diagonal(m->saddle, node);
            for (int32_t c = 0; c < n; ++c) // last row a multiple of the first, zero for n = 1
                A[(n - 1) * n + c] = n == 1 ? 0.0 : 0.37 * A[c];
            assert_int_equal(pcs_saddle_factor(m->saddle), PCS_ERROR_SINGULAR);
            assert_int_equal(pcs_saddle_singular_node(m->saddle), node);
            saddle_randomise_matrix(m, true);
            check_against_dense(m); // and recovers
            assert_int_equal(pcs_saddle_singular_node(m->saddle), -1);
            saddle_model_destroy(m);
        }
    // coupled: two nodes without anything but a spring between them
    saddle_model *m = saddle_model_create(73);
    for (int32_t i = 0; i < 3; ++i)
        saddle_add_node(m, 1);
    saddle_add_coupling(m, 1, 2);
    saddle_model_finish(m);
    *pcs_saddle_diagonal(m->saddle, 0) = 1.3;
    *pcs_saddle_diagonal(m->saddle, 1) = *pcs_saddle_diagonal(m->saddle, 2) = 2.7;
    *pcs_saddle_coupling(m->saddle, 0, false) = *pcs_saddle_coupling(m->saddle, 0, true) = -2.7;
    assert_int_equal(pcs_saddle_factor(m->saddle), PCS_ERROR_SINGULAR);
    assert_int_equal(pcs_saddle_singular_node(m->saddle), 2);
    saddle_model_destroy(m);
}

static void test_not_finite(void **state)
{
    (void)state;
    for (int coupled = 0; coupled < 2; ++coupled) {
        saddle_model *m = build_mixed(79, coupled == 1);
        saddle_randomise_matrix(m, true);
        m->rows[8].J[0][3] = NAN;
        assert_int_equal(pcs_saddle_factor(m->saddle), PCS_ERROR_NUMERIC);
        saddle_model_destroy(m);
    }
}

static void test_bad_definitions(void **state)
{
    (void)state;
    saddle_model *m = saddle_model_create(83);
    saddle_add_node(m, 3);
    saddle_add_node(m, 3);
    saddle_add_row(m, 2, 2, (int32_t[]){0, 1});
    pcs_saddle *saddle;
    m->rows[0].node[1] = 0;
    pcs_saddle_def def = saddle_model_def(m);
    assert_int_equal(pcs_saddle_create(m->ctx, &def, &saddle), PCS_ERROR_ARGUMENT);
    m->rows[0].node[1] = 2;
    assert_int_equal(pcs_saddle_create(m->ctx, &def, &saddle), PCS_ERROR_ARGUMENT);
    m->rows[0].node[1] = 1;
    saddle_add_coupling(m, 1, 0);
    def = saddle_model_def(m);
    assert_int_equal(pcs_saddle_create(m->ctx, &def, &saddle), PCS_ERROR_ARGUMENT);
    assert_null(saddle);
    saddle_model_destroy(m);
}

// Every heap request of create, factor and delassus fails once; nothing leaks, the error is MEMORY
static void test_failing_allocator(void **state)
{
    (void)state;
    for (int coupled = 0; coupled < 3; ++coupled) {
        saddle_model *m = coupled == 2 ? build_chain(89, 12, true) : build_mixed(89, coupled == 1);
        pcs_saddle_destroy(m->saddle);
        m->saddle = NULL;
        bool finished = false;
        for (uint64_t n = 1; !finished; ++n) {
            assert_true(n < 1000);
            const pcs_saddle_def def = saddle_model_def(m);
            pcs_arena arena;
            pcs_arena_init(&arena, m->ctx);
            pcs_context_fail_heap_call(m->ctx, n);
            pcs_status status = pcs_saddle_create(m->ctx, &def, &m->saddle);
            if (status == PCS_OK) {
                saddle_randomise_matrix(m, true);
                status = pcs_saddle_factor(m->saddle);
            }
            pcs_block_matrix W;
            if (status == PCS_OK)
                status = pcs_saddle_delassus(m->saddle, m->n_contacts, m->H, &arena, &W);
            finished = status == PCS_OK;
            if (!finished)
                assert_int_equal(status, PCS_ERROR_MEMORY);
            pcs_context_fail_heap_call(m->ctx, 0);
            pcs_saddle_destroy(m->saddle);
            m->saddle = NULL;
            pcs_arena_free(&arena);
            assert_int_equal(pcs_context_heap_bytes(m->ctx), 0);
        }
        saddle_model_destroy(m);
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
        cmocka_unit_test(test_singular_names_node),
        cmocka_unit_test(test_not_finite),
        cmocka_unit_test(test_bad_definitions),
        cmocka_unit_test(test_failing_allocator),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
