// The saddle system of flexible bodies: LU in blocks of meshes and beams, against dense LAPACK
// solutions and against residuals recomputed from the data.
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "linalg/dense.h"
#include "linalg/saddle_internal.h"
#include "support/saddle_model.h"

static int32_t choose(saddle_model *m, int32_t n)
{
    return (int32_t)(pcs_random_next(&m->random) % (uint64_t)n);
}

// Springs between the coupled nodes, unsymmetric by `skew`, and `mass` on the diagonal
static void fill_matrix(saddle_model *m, double mass, double skew)
{
    int64_t count;
    double *value = pcs_saddle_values(m->saddle, &count);
    memset(value, 0, sizeof(double) * (size_t)count);
    for (int32_t i = 0; i < m->n_nodes; ++i)
        for (int32_t d = 0; d < m->node_size[i]; ++d)
            pcs_saddle_diagonal(m->saddle, i)[d * (m->node_size[i] + 1)] = mass;
    for (int32_t k = 0; k < m->n_couplings; ++k) {
        const int32_t i = m->coupling[k][0], j = m->coupling[k][1];
        const int32_t rows = m->node_size[i], columns = m->node_size[j];
        double *A_ij = pcs_saddle_coupling(m->saddle, k, false);
        double *A_ji = pcs_saddle_coupling(m->saddle, k, true);
        for (int32_t d = 0; d < rows || d < columns; ++d) {
            if (d < rows)
                pcs_saddle_diagonal(m->saddle, i)[d * (rows + 1)] += 1.37;
            if (d < columns)
                pcs_saddle_diagonal(m->saddle, j)[d * (columns + 1)] += 1.37;
        }
        for (int32_t d = 0; d < rows; ++d)
            for (int32_t e = 0; e < columns; ++e) {
                const double s = (d == e ? -1.37 : 0.0) + skew * saddle_between(m, -1.0, 1.0);
                A_ij[d * columns + e] = s;
                A_ji[e * rows + d] = s + skew * saddle_between(m, -1.0, 1.0);
            }
    }
}

// Beam: a chain of n nodes
static void add_beam(saddle_model *m, int32_t n, int32_t size)
{
    for (int32_t i = 0; i < n; ++i)
        saddle_add_node(m, size);
    for (int32_t i = m->n_nodes - n; i + 1 < m->n_nodes; ++i)
        saddle_add_coupling(m, i, i + 1);
}

// Hexahedra: each node is coupled with its 26 neighbours; couplings in ascending order
static void add_cube(saddle_model *m, int32_t elements)
{
    const int32_t side = elements + 1, face = side * side, first = m->n_nodes;
    for (int32_t i = 0; i < side * face; ++i)
        saddle_add_node(m, 3);
    for (int32_t i = 0; i < side * face; ++i)
        for (int32_t j = i + 1; j < side * face; ++j)
            if (abs(i % side - j % side) <= 1 && abs(i / side % side - j / side % side) <= 1 &&
                abs(i / face - j / face) <= 1)
                saddle_add_coupling(m, first + i, first + j);
}

// Random graph with mixed sizes, connected by a chain
static void add_random_nodes(saddle_model *m, int32_t n, int32_t more)
{
    const int32_t first = m->n_nodes;
    uint8_t *seen = saddle_array((int64_t)n * n, 1);
    for (int32_t i = 0; i < n; ++i)
        saddle_add_node(m, 1 + choose(m, 6));
    for (int32_t i = 0; i + 1 < n; ++i)
        seen[i * n + i + 1] = 1;
    for (int32_t k = 0; k < more; ++k) {
        const int32_t i = choose(m, n), j = choose(m, n);
        if (i < j)
            seen[i * n + j] = 1;
    }
    for (int32_t i = 0; i < n; ++i)
        for (int32_t j = i + 1; j < n; ++j)
            if (seen[i * n + j])
                saddle_add_coupling(m, first + i, first + j);
    free(seen);
}

// Distinct random nodes below `limit`
static void choose_nodes(saddle_model *m, int32_t limit, int32_t n, int32_t *node)
{
    for (int32_t s = 0; s < n; ++s)
        for (bool again = true; again;) {
            node[s] = choose(m, limit);
            again = false;
            for (int32_t q = 0; q < s; ++q)
                again = again || node[q] == node[s];
        }
}

static double norm(int32_t n, const double *A)
{
    double largest = 0.0;
    for (int32_t i = 0; i < n; ++i) {
        double sum = 0.0;
        for (int32_t j = 0; j < n; ++j)
            sum += fabs(A[(int64_t)i * n + j]);
        largest = fmax(largest, sum);
    }
    return largest;
}

// K^{-1} by LAPACK
static double *dense_inverse(int32_t n, const double *K)
{
    double *LU = saddle_array((int64_t)n * n, sizeof(double)),
           *X = saddle_array((int64_t)n * n, sizeof(double));
    double *inverse = saddle_array((int64_t)n * n, sizeof(double));
    int32_t *pivot = saddle_array(n, sizeof(int32_t));
    memcpy(LU, K, sizeof(double) * (size_t)n * (size_t)n);
    assert_int_equal(pcs_dense_lu_factor(n, LU, pivot), -1);
    for (int32_t i = 0; i < n; ++i)
        X[(int64_t)i * n + i] = 1.0;
    pcs_dense_lu_solve(n, LU, pivot, n, X); // vector j is column j of the inverse
    for (int32_t i = 0; i < n; ++i)
        for (int32_t j = 0; j < n; ++j)
            inverse[(int64_t)i * n + j] = X[(int64_t)j * n + i];
    free(LU);
    free(X);
    free(pivot);
    return inverse;
}

// Solves with random data. The residual from the data must be at rounding level: 16 units in the
// last place are what the refinement asks for, and as many more as a row has terms may come from
// forming the residual. The solution differs from LAPACK's by at most both condition errors,
// n eps |K^{-1}| |K| |z| each.
static void check_solution(saddle_model *m)
{
    int32_t size;
    double *K = saddle_dense_system(m, &size);
    const int32_t n = m->offset[m->n_nodes];
    double *z = saddle_array(size, sizeof(double)), *b = saddle_array(size, sizeof(double));
    for (int32_t i = 0; i < size; ++i)
        z[i] = b[i] = i >= n && pcs_saddle_redundant_rows(m->saddle)[i - n]
                          ? 0.0
                          : saddle_between(m, -3.17, 3.17);
    pcs_saddle_solve(m->saddle, z, z + n);
    for (int32_t i = 0; i < size; ++i) {
        double r = b[i], scale = fabs(b[i]);
        int32_t terms = 0;
        for (int32_t j = 0; j < size; ++j) {
            r -= K[(int64_t)i * size + j] * z[j];
            scale += fabs(K[(int64_t)i * size + j] * z[j]);
            terms += K[(int64_t)i * size + j] != 0.0;
        }
        assert_true(fabs(r) <= (16.0 + terms) * DBL_EPSILON * scale);
    }
    double *inverse = dense_inverse(size, K), largest = 0.0;
    for (int32_t i = 0; i < size; ++i)
        largest = fmax(largest, fabs(z[i]));
    const double tolerance = 2.0 * size * DBL_EPSILON * norm(size, inverse) * norm(size, K) *
                             largest;
    assert_true(tolerance < 1e-3 * largest); // so that the comparison means something
    for (int32_t i = 0; i < size; ++i) {
        double expected = 0.0;
        for (int32_t j = 0; j < size; ++j)
            expected += inverse[(int64_t)i * size + j] * b[j];
        assert_true(fabs(z[i] - expected) <= tolerance);
    }
    free(K);
    free(z);
    free(b);
    free(inverse);
}

// Rows of contact k as a dense row of length `size`, row r
static void dense_row(const saddle_model *m, int32_t k, int32_t r, int32_t size, double *h)
{
    memset(h, 0, sizeof(double) * (size_t)size);
    for (int32_t s = 0; s < m->contacts[k].n_nodes; ++s) {
        const int32_t node = m->contacts[k].node[s], width = m->node_size[node];
        for (int32_t c = 0; c < width; ++c)
            h[m->offset[node] + c] += m->contacts[k].J[s][r * width + c];
    }
}

// y = |A| x, or A x
static void multiply(int32_t n, const double *A, bool absolute, const double *x, double *y)
{
    for (int32_t i = 0; i < n; ++i) {
        y[i] = 0.0;
        for (int32_t j = 0; j < n; ++j) {
            const double a = A[(int64_t)i * n + j];
            y[i] += absolute ? fabs(a * x[j]) : a * x[j];
        }
    }
}

// W against H K^{-1} H^T. The factors are exact for a matrix that differs from K by n eps |L||U|,
// and each half solves with an error of the same size, so that W_ab differs by at most
// 3 n eps |h_a| |K^{-1}| |L||U| |K^{-1}| |h_b|. |K| stands for |L||U| here, which holds for the
// largest entries but not one by one: the factors do not have the zeros of K^{-1}.
static void check_delassus(saddle_model *m)
{
    int32_t size;
    pcs_arena arena;
    pcs_block_matrix W;
    pcs_arena_init(&arena, m->ctx);
    assert_int_equal(pcs_saddle_delassus(m->saddle, m->n_contacts, m->H, &arena, &W), PCS_OK);
    double *K = saddle_dense_system(m, &size), *inverse = dense_inverse(size, K);
    double *transposed = saddle_array((int64_t)size * size, sizeof(double));
    const int32_t rows = W.offset[W.n];
    double *dense = saddle_array((int64_t)rows * rows, sizeof(double));
    double *H = saddle_array((int64_t)rows * size, sizeof(double));
    double *left = saddle_array((int64_t)rows * size, sizeof(double)); // |h_a| |K^{-1}|
    double *y = saddle_array(size, sizeof(double)), *error = saddle_array(size, sizeof(double));
    double *v = saddle_array(size, sizeof(double));
    pcs_block_matrix_to_dense(&W, dense);
    for (int32_t i = 0; i < size; ++i)
        for (int32_t j = 0; j < size; ++j)
            transposed[(int64_t)j * size + i] = inverse[(int64_t)i * size + j];
    for (int32_t k = 0; k < m->n_contacts; ++k)
        for (int32_t r = 0; r < m->contacts[k].size; ++r) {
            const int64_t at = (int64_t)(W.offset[k] + r) * size;
            dense_row(m, k, r, size, H + at);
            multiply(size, transposed, true, H + at, left + at);
        }
    double largest = 0.0, difference = 0.0;
    for (int32_t b = 0; b < rows; ++b) {
        multiply(size, inverse, false, H + (int64_t)b * size, y);
        multiply(size, inverse, true, H + (int64_t)b * size, v);
        multiply(size, K, true, v, error);
        for (int32_t a = 0; a < rows; ++a) {
            double expected = 0.0, bound = 0.0;
            for (int32_t i = 0; i < size; ++i) {
                expected += H[(int64_t)a * size + i] * y[i];
                bound += left[(int64_t)a * size + i] * error[i];
            }
            largest = fmax(largest, 3.0 * size * DBL_EPSILON * bound);
            difference = fmax(difference, fabs(dense[(int64_t)a * rows + b] - expected));
        }
    }
    assert_true(difference <= largest);
    assert_true(largest < 1e-6 * norm(rows, dense)); // so that the comparison means something
    free(K);
    free(inverse);
    free(transposed);
    free(dense);
    free(H);
    free(left);
    free(y);
    free(error);
    free(v);
    pcs_arena_free(&arena);
}

static bool in_blocks(const saddle_model *m)
{
    return m->saddle->kkt && m->saddle->kkt->full.by_blocks;
}

static void random_patterns_match_dense_solutions(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 12; ++seed) {
        saddle_model *m = saddle_model_create(1913 + seed);
        add_random_nodes(m, 25 + 3 * (int32_t)seed, 60);
        for (int32_t k = 0; k < 8; ++k) {
            int32_t node[PCS_ROW_NODES_MAX];
            const int32_t count = 1 + choose(m, PCS_ROW_NODES_MAX);
            choose_nodes(m, m->n_nodes, count, node);
            saddle_add_row(m, 1 + choose(m, m->node_size[node[0]]), count, node);
        }
        for (int32_t k = 0; k < 12; ++k) {
            int32_t node[2];
            choose_nodes(m, m->n_nodes, 2, node);
            saddle_add_contact(m, 1 + choose(m, 3), 1 + k % 2, node);
        }
        saddle_model_finish(m);
        fill_matrix(m, 0.81, 0.09);
        assert_int_equal(pcs_saddle_factor(m->saddle), PCS_OK);
        assert_true(in_blocks(m));
        check_solution(m);
        check_delassus(m);
        saddle_model_destroy(m);
    }
}

// Several flexible bodies, a rigid body and a free one; contacts inside and between them
static void bodies_of_all_kinds_together(void **state)
{
    (void)state;
    saddle_model *m = saddle_model_create(71);
    add_cube(m, 2);
    saddle_add_node(m, 6);
    add_beam(m, 9, 6);
    saddle_add_node(m, 6);
    add_beam(m, 7, 3);
    for (int32_t i = 0; i < 9; ++i)
        saddle_add_row(m, 3, 1, &i);
    const int32_t joint[2] = {28, 36}, rigid = 27,
                  pairs[6][2] = {{20, 31}, {26, 27}, {26, 37}, {40, 25}, {27, 37}, {31, 33}};
    saddle_add_row(m, 5, 2, joint);
    saddle_add_row(m, 2, 1, &rigid);
    for (int32_t k = 0; k < 6; ++k)
        saddle_add_contact(m, 3, 2, pairs[k]);
    for (int32_t i = 18; i < 27; ++i)
        saddle_add_contact(m, 1, 1, &i);
    saddle_model_finish(m);
    fill_matrix(m, 0.57, 0.04);
    assert_int_equal(pcs_saddle_factor(m->saddle), PCS_OK);
    assert_true(in_blocks(m));
    check_solution(m);
    check_delassus(m);
    saddle_model_destroy(m);
}

static void rows_of_two_sides(void **state)
{
    (void)state;
    saddle_model *m = saddle_model_create(403);
    add_beam(m, 14, 6);
    for (int32_t i = 0; i < 13; i += 3)
        saddle_add_row(m, 3, 2, (const int32_t[2]){i, i + 1});
    m->two_sided = true;
    for (int32_t q = 0; q < m->n_rows; ++q) {
        saddle_init_row(m, &m->left[q], 3, 2, m->rows[q].node);
        for (int32_t s = 0; s < 2; ++s)
            for (int32_t e = 0; e < 18; ++e)
                m->left[q].J[s][e] = m->rows[q].J[s][e] + saddle_between(m, -0.2, 0.2);
    }
    for (int32_t i = 0; i < 14; i += 2)
        saddle_add_contact(m, 3, 1, &i);
    saddle_model_finish(m);
    fill_matrix(m, 0.64, 0.07);
    assert_int_equal(pcs_saddle_factor(m->saddle), PCS_OK);
    check_solution(m);
    check_delassus(m);
    saddle_model_destroy(m);
}

// Rows given twice: the copies are dropped, and come back when they become independent
static void redundant_rows_are_dropped(void **state)
{
    (void)state;
    saddle_model *m = saddle_model_create(88);
    add_cube(m, 2);
    for (int32_t i = 0; i < 4; ++i)
        saddle_add_row(m, 2, 2, (const int32_t[2]){i, i + 9});
    for (int32_t i = 0; i < 2; ++i) {
        const pcs_row_block *from = &m->rows[i];
        pcs_row_block *copy = saddle_add_row(m, 2, 2, from->node);
        for (int32_t s = 0; s < 2; ++s)
            for (int32_t e = 0; e < 6; ++e)
                copy->J[s][e] = 1.7 * from->J[s][e];
    }
    for (int32_t i = 18; i < 27; ++i)
        saddle_add_contact(m, 3, 1, &i);
    saddle_model_finish(m);
    fill_matrix(m, 0.7, 0.05);
    for (int round = 0; round < 2; ++round) {
        assert_int_equal(pcs_saddle_factor(m->saddle), PCS_OK);
        int32_t dropped = 0;
        for (int32_t r = 0; r < m->row_offset[m->n_rows]; ++r)
            dropped += pcs_saddle_redundant_rows(m->saddle)[r];
        assert_int_equal(dropped, round == 0 ? 4 : 2);
        check_solution(m);
        check_delassus(m);
        for (int32_t e = 0; e < 6; ++e)
            m->rows[5].J[0][e] = saddle_between(m, -1.0, 1.0);
    }
    saddle_model_destroy(m);
}

// A free body without mass: the springs hold it nowhere. With integer stiffness and a power of two
// of nodes the last pivot is zero up to a few roundings, in whatever order.
static void singular_matrices_are_named(void **state)
{
    (void)state;
    saddle_model *m = saddle_model_create(5);
    add_beam(m, 12, 6);
    add_cube(m, 3);
    saddle_model_finish(m);
    fill_matrix(m, 0.7, 0.0);
    assert_int_equal(pcs_saddle_factor(m->saddle), PCS_OK);
    for (int32_t i = 12; i < m->n_nodes; ++i) // take the mass of the cube away
        for (int32_t d = 0; d < 3; ++d)
            pcs_saddle_diagonal(m->saddle, i)[4 * d] -= 0.7;
    assert_int_equal(pcs_saddle_factor(m->saddle), PCS_ERROR_SINGULAR);
    assert_true(pcs_saddle_singular_node(m->saddle) >= 12);
    assert_non_null(strstr(pcs_context_error(m->ctx), "singular at node"));
    pcs_saddle_diagonal(m->saddle, 40)[4] += 0.9; // one spring to the ground in each direction
    pcs_saddle_diagonal(m->saddle, 40)[0] += 0.9;
    pcs_saddle_diagonal(m->saddle, 40)[8] += 0.9;
    assert_int_equal(pcs_saddle_factor(m->saddle), PCS_OK);
    check_solution(m);
    const double before = pcs_saddle_diagonal(m->saddle, 3)[7];
    pcs_saddle_diagonal(m->saddle, 3)[7] = NAN;
    assert_int_equal(pcs_saddle_factor(m->saddle), PCS_ERROR_SINGULAR);
    pcs_saddle_diagonal(m->saddle, 3)[7] = before;
    assert_int_equal(pcs_saddle_factor(m->saddle), PCS_OK);
    assert_true(in_blocks(m));
    check_solution(m);
    saddle_model_destroy(m);
}

// Statics: rigid bodies without a matrix of their own, held by rows alone; the mesh is clamped by
// rows, and A has no mass
static void bodies_without_matrix_are_held_by_rows(void **state)
{
    (void)state;
    saddle_model *m = saddle_model_create(619);
    add_cube(m, 3);
    saddle_add_node(m, 6);
    saddle_add_node(m, 6);
    for (int32_t i = 0; i < 16; ++i)
        saddle_add_row(m, 3, 1, &i);
    saddle_add_row(m, 3, 2, (const int32_t[2]){64, 50});
    saddle_add_row(m, 3, 2, (const int32_t[2]){64, 61});
    saddle_add_row(m, 6, 2, (const int32_t[2]){65, 64}); // between bodies that both have none
    for (int32_t i = 64; i < 66; ++i)
        saddle_add_contact(m, 3, 1, &i);
    saddle_model_finish(m);
    fill_matrix(m, 0.0, 0.0);
    for (int round = 0; round < 2; ++round) {
        assert_int_equal(pcs_saddle_factor(m->saddle), PCS_OK);
        check_solution(m);
        check_delassus(m);
    }
    saddle_model_destroy(m);
}

// K - sigma M with sigma inside the spectrum: symmetric and indefinite
static void indefinite_matrices(void **state)
{
    (void)state;
    for (int32_t k = 0; k < 6; ++k) {
        saddle_model *m = saddle_model_create(2024 + (uint64_t)k);
        add_cube(m, 3);
        for (int32_t i = 0; i < 16; i += 5)
            saddle_add_row(m, 3, 1, &i);
        for (int32_t i = 48; i < 64; i += 3)
            saddle_add_contact(m, 3, 1, &i);
        saddle_model_finish(m);
        fill_matrix(m, -2.3851 * (1 + k), 0.0);
        assert_int_equal(pcs_saddle_factor(m->saddle), PCS_OK);
        check_solution(m);
        check_delassus(m);
        saddle_model_destroy(m);
    }
}

// Stiffness in N/m of steel with masses in kg, joints in metres: units far apart
static void units_far_apart(void **state)
{
    (void)state;
    saddle_model *m = saddle_model_create(12);
    add_beam(m, 16, 6);
    const int32_t ends[2] = {0, 15};
    saddle_add_row(m, 5, 1, ends);
    saddle_add_row(m, 2, 2, ends);
    saddle_model_finish(m);
    fill_matrix(m, 0.3, 0.02);
    int64_t count;
    double *value = pcs_saddle_values(m->saddle, &count);
    for (int64_t e = 0; e < count; ++e)
        value[e] *= 3.1e13;
    assert_int_equal(pcs_saddle_factor(m->saddle), PCS_OK);
    assert_true(in_blocks(m));
    // in units that suit: p is force, a row scaled by the stiffness
    for (int32_t q = 0; q < m->n_rows; ++q)
        for (int32_t s = 0; s < m->rows[q].n_nodes; ++s)
            for (int32_t e = 0; e < m->rows[q].size * 6; ++e)
                m->rows[q].J[s][e] *= 3.1e13;
    assert_int_equal(pcs_saddle_factor(m->saddle), PCS_OK);
    assert_true(in_blocks(m));
    check_solution(m);
    saddle_model_destroy(m);
}

// One node with a row to each node of a face: the rows must not gather behind it
static void hubs_make_no_dense_factors(void **state)
{
    (void)state;
    saddle_model *m = saddle_model_create(303);
    add_cube(m, 6);
    saddle_add_node(m, 6);
    for (int32_t i = 0; i < 49; ++i) {
        pcs_row_block *row = saddle_add_row(m, 3, 2, (const int32_t[2]){i, 343});
        for (int32_t e = 0; e < 9; ++e)
            row->J[0][e] = e % 4 == 0 ? 1.0 : 0.0;
    }
    saddle_model_finish(m);
    fill_matrix(m, 0.4, 0.03);
    for (int32_t d = 0; d < 6; ++d)
        pcs_saddle_diagonal(m->saddle, 343)[7 * d] = 11.9;
    assert_int_equal(pcs_saddle_factor(m->saddle), PCS_OK);
    const int64_t entries = pcs_block_lu_entries(pcs_kkt_blocks_lu(m->saddle->kkt->full.blocks));
    saddle_model *plain = saddle_model_create(303);
    add_cube(plain, 6);
    saddle_model_finish(plain);
    const int64_t without = pcs_block_lu_entries(
        pcs_kkt_blocks_lu(plain->saddle->kkt->full.blocks));
    // 153 unknowns more in 1029, each in a front of their node and the hub
    assert_true(entries < 2 * without);
    assert_int_equal(m->saddle->kkt->search.n, 0); // each row has a node of its own
    int32_t size;
    double *K = saddle_dense_system(m, &size);
    double *z = saddle_array(size, sizeof(double)), *b = saddle_array(size, sizeof(double));
    for (int32_t i = 0; i < size; ++i)
        z[i] = b[i] = saddle_between(m, -1.0, 1.0);
    pcs_saddle_solve(m->saddle, z, z + m->offset[m->n_nodes]);
    for (int32_t i = 0; i < size; ++i) {
        double r = b[i], scale = fabs(b[i]);
        for (int32_t j = 0; j < size; ++j) {
            r -= K[(int64_t)i * size + j] * z[j];
            scale += fabs(K[(int64_t)i * size + j] * z[j]);
        }
        assert_true(fabs(r) <= (16.0 + 160.0) * DBL_EPSILON * scale); // terms of the hub's row
    }
    free(K);
    free(z);
    free(b);
    saddle_model_destroy(m);
    saddle_model_destroy(plain);
}

static void free_solutions(void **state)
{
    (void)state;
    for (int32_t rows = 0; rows < 4; rows += 3) {
        saddle_model *m = saddle_model_create(930);
        add_cube(m, 2);
        for (int32_t i = 0; i < rows; ++i)
            saddle_add_row(m, 3, 1, &i);
        saddle_model_finish(m);
        fill_matrix(m, 0.91, 0.06);
        double x[81], b[81], r[81];
        for (int round = 0; round < 2; ++round) {
            assert_int_equal(pcs_saddle_factor(m->saddle), PCS_OK);
            for (int32_t i = 0; i < 81; ++i)
                x[i] = b[i] = r[i] = saddle_between(m, -1.0, 1.0);
            pcs_saddle_solve_free(m->saddle, x);
            int32_t size;
            double *K = saddle_dense_system(m, &size);
            for (int32_t i = 0; i < 81; ++i) {
                double scale = fabs(b[i]);
                for (int32_t j = 0; j < 81; ++j) {
                    r[i] -= K[i * size + j] * x[j];
                    scale += fabs(K[i * size + j] * x[j]);
                }
                assert_true(fabs(r[i]) <= (16.0 + 81.0) * DBL_EPSILON * scale);
            }
            free(K);
            fill_matrix(m, 1.3, 0.05);
        }
        fill_matrix(m, 0.0, 0.0); // only the rows hold it
        assert_int_equal(pcs_saddle_factor(m->saddle), rows > 0 ? PCS_OK : PCS_ERROR_SINGULAR);
        if (rows > 0) {
            pcs_saddle_solve_free(m->saddle, x);
            assert_true(isnan(x[0]) && isnan(x[80]));
        }
        saddle_model_destroy(m);
    }
}

static uint64_t hash(uint64_t h, int64_t n, const double *x)
{
    for (int64_t i = 0; i < n; ++i) {
        uint64_t bits;
        memcpy(&bits, &x[i], sizeof bits);
        h = (h ^ bits) * 0x100000001b3u;
    }
    return h;
}

static uint64_t hash_of_results(saddle_model *m, pcs_arena *arena)
{
    static double x[3 * SADDLE_NODES_MAX], p[3 * SADDLE_ROWS_MAX];
    const int32_t n = pcs_saddle_unknowns(m->saddle), rows = pcs_saddle_row_count(m->saddle);
    pcs_block_matrix W;
    for (int32_t i = 0; i < n; ++i)
        x[i] = 0.37 + 0.013 * (double)(i % 17);
    for (int32_t i = 0; i < rows; ++i)
        p[i] = 0.91 - 0.007 * (double)(i % 11);
    assert_int_equal(pcs_arena_reset(arena), PCS_OK);
    assert_int_equal(pcs_saddle_factor(m->saddle), PCS_OK);
    pcs_saddle_solve(m->saddle, x, p);
    assert_int_equal(pcs_saddle_delassus(m->saddle, m->n_contacts, m->H, arena, &W), PCS_OK);
    const uint64_t h = hash(hash(0xcbf29ce484222325u, n, x), rows, p);
    return hash(h, W.value_start[W.row_start[W.n] - 1], W.value);
}

static saddle_model *clamped_cube(int32_t elements)
{
    const int32_t face = (elements + 1) * (elements + 1);
    saddle_model *m = saddle_model_create(2385);
    add_cube(m, elements);
    for (int32_t i = 0; i < face; ++i)
        saddle_add_row(m, 3, 1, &i);
    for (int32_t i = m->n_nodes - face; i < m->n_nodes; ++i)
        saddle_add_contact(m, 3, 1, &i);
    saddle_model_finish(m);
    fill_matrix(m, 0.43, 0.05);
    return m;
}

// The same bits again, in another system, and for any number of threads; no heap call on the way
static void bits_and_heap_calls(void **state)
{
    (void)state;
    saddle_model *m = clamped_cube(7), *other = clamped_cube(7);
    pcs_arena arena;
    pcs_arena_init(&arena, m->ctx);
    const uint64_t expected = hash_of_results(m, &arena);
    (void)hash_of_results(m, &arena); // merges the arena
    const uint64_t calls = pcs_context_heap_calls(m->ctx);
    assert_true(hash_of_results(m, &arena) == expected);
    assert_int_equal(pcs_context_heap_calls(m->ctx), calls);
    assert_true(hash_of_results(other, &arena) == expected);
    for (int32_t threads = 1; threads <= 4; ++threads) {
        pcs_tasks *tasks;
        assert_int_equal(pcs_tasks_create(m->ctx, threads, &tasks), PCS_OK);
        pcs_saddle_set_tasks(m->saddle, tasks);
        assert_true(hash_of_results(m, &arena) == expected);
        pcs_saddle_set_tasks(m->saddle, NULL);
        pcs_tasks_destroy(tasks);
    }
    pcs_arena_free(&arena);
    saddle_model_destroy(m);
    saddle_model_destroy(other);
}

// Rows with a node of their own are not searched, until one of them depends on itself
static void rows_with_a_node_of_their_own(void **state)
{
    (void)state;
    saddle_model *m = clamped_cube(4);
    const int32_t shared = 5;
    for (int32_t q = 0; q < 2; ++q)
        saddle_add_row(m, 1, 1, &shared); // node 5 has three row blocks now, one of them clamps it
    pcs_saddle_destroy(m->saddle);
    saddle_model_finish(m);
    fill_matrix(m, 0.43, 0.05);
    const uint8_t *redundant = pcs_saddle_redundant_rows(m->saddle);
    double kept[3];
    memcpy(kept, m->rows[9].J[0] + 6, sizeof kept);
    for (int round = 0; round < 3; ++round) {
        for (int32_t c = 0; c < 3; ++c) // the third row of block 9, in round 1 made of the others
            m->rows[9].J[0][6 + c] = round == 1
                                         ? 0.7 * m->rows[9].J[0][c] - 1.9 * m->rows[9].J[0][3 + c]
                                         : kept[c];
        assert_int_equal(pcs_saddle_factor(m->saddle), PCS_OK);
        assert_int_equal(m->saddle->kkt->search.n, 3);
        assert_int_equal(m->saddle->kkt->whole.n, round == 0 ? 0 : 27);
        int32_t dropped = 0;
        for (int32_t r = 0; r < 77; ++r)
            dropped += redundant[r];
        assert_int_equal(dropped, round == 1 ? 3 : 2);
        assert_int_equal(redundant[27] + redundant[28] + redundant[29], round == 1);
        check_solution(m);
    }
    saddle_model_destroy(m);
}

static void couplings_are_found(void **state)
{
    (void)state;
    saddle_model *m = clamped_cube(3);
    int32_t k = 0;
    for (int32_t i = 0; i < m->n_nodes; ++i)
        for (int32_t j = i + 1; j < m->n_nodes; ++j) {
            const bool is_next = k < m->n_couplings && m->coupling[k][0] == i &&
                                 m->coupling[k][1] == j;
            assert_int_equal(pcs_saddle_find_coupling(m->saddle, i, j), is_next ? k : -1);
            k += is_next;
        }
    assert_int_equal(k, m->n_couplings);
    saddle_model_destroy(m);
}

// Every heap request fails once; nothing leaks, the error is MEMORY, and the next try succeeds
static void failing_memory(void **state)
{
    (void)state;
    saddle_model *m = saddle_model_create(46);
    add_cube(m, 2);
    saddle_add_node(m, 6);
    saddle_add_row(m, 3, 2, (const int32_t[2]){27, 5});
    saddle_add_row(m, 3, 2, (const int32_t[2]){27, 8});
    for (int32_t i = 0; i < 3; ++i)
        saddle_add_row(m, 3, 1, &i);
    for (int32_t i = 20; i < 26; ++i)
        saddle_add_contact(m, 3, 1, &i);
    const pcs_saddle_def def = saddle_model_def(m);
    pcs_status status = PCS_ERROR_MEMORY;
    for (int32_t n = 1; status != PCS_OK; ++n) {
        pcs_arena arena;
        pcs_arena_init(&arena, m->ctx);
        pcs_block_matrix W;
        pcs_context_fail_heap_call(m->ctx, (uint64_t)n);
        status = pcs_saddle_create(m->ctx, &def, &m->saddle);
        if (status == PCS_OK) {
            fill_matrix(m, 0.0, 0.0);
            status = pcs_saddle_factor(m->saddle);
            if (status != PCS_OK) // the order with postponed blocks could not be had
                assert_int_equal(pcs_saddle_factor(m->saddle), PCS_OK);
        }
        if (status == PCS_OK)
            status = pcs_saddle_delassus(m->saddle, m->n_contacts, m->H, &arena, &W);
        assert_true(status == PCS_OK || status == PCS_ERROR_MEMORY);
        pcs_context_fail_heap_call(m->ctx, 0);
        pcs_saddle_destroy(m->saddle);
        m->saddle = NULL;
        pcs_arena_free(&arena);
        assert_int_equal(pcs_context_heap_bytes(m->ctx), 0);
        assert_true(n < 1000);
    }
    saddle_model_destroy(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_patterns_match_dense_solutions),
        cmocka_unit_test(bodies_of_all_kinds_together),
        cmocka_unit_test(rows_of_two_sides),
        cmocka_unit_test(redundant_rows_are_dropped),
        cmocka_unit_test(singular_matrices_are_named),
        cmocka_unit_test(bodies_without_matrix_are_held_by_rows),
        cmocka_unit_test(indefinite_matrices),
        cmocka_unit_test(units_far_apart),
        cmocka_unit_test(hubs_make_no_dense_factors),
        cmocka_unit_test(free_solutions),
        cmocka_unit_test(bits_and_heap_calls),
        cmocka_unit_test(rows_with_a_node_of_their_own),
        cmocka_unit_test(couplings_are_found),
        cmocka_unit_test(failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
