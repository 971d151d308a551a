// The rank of the rows of a saddle system: which rows are redundant, and the solution without them,
// also where masses differ by many orders of magnitude.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "linalg/dense.h"
#include "support/saddle_model.h"

// Condition numbers of the random systems stay below 1e5 (dominant A, generic rows): cond * eps
#define SOLVE_TOLERANCE 1e-10

// c = G v with random v, so that redundant rows do not contradict; x must equal the solution with a
// maximal set of independent rows that QR chooses, and G x = c must hold for all rows.
static void check_redundant(saddle_model *m, int32_t expected_redundant)
{
    int32_t rows;
    const int32_t n = m->offset[m->n_nodes];
    double *A = saddle_dense_matrix(m), *G = saddle_dense_rows(m, m->n_rows, m->rows, &rows);
    const int32_t size = n + rows;
    double *copy = saddle_array((int64_t)rows * n, sizeof(double)),
           *z = saddle_array(size, sizeof(double)), *expected = saddle_array(size, sizeof(double));
    const int32_t work_size = pcs_dense_rank_rows_work_size(rows, n);
    double *work = saddle_array(work_size, sizeof(double));
    uint8_t *dependent = saddle_array(rows, 1);
    int32_t *index = saddle_array(rows, sizeof *index);
    memcpy(copy, G, sizeof(double) * (size_t)rows * (size_t)n);
    const int32_t rank = pcs_dense_rank_rows(rows, n, copy, 1e-9, dependent, index, work,
                                             work_size);
    assert_int_equal(rows - rank, expected_redundant);

    for (int32_t i = 0; i < n; ++i)
        z[i] = expected[i] = saddle_between(m, -1.27, 1.27);
    for (int32_t i = 0; i < n; ++i) {
        const double v = saddle_between(m, -1.0, 1.0);
        for (int32_t r = 0; r < rows; ++r)
            z[n + r] += G[(int64_t)r * n + i] * v;
    }
    memcpy(expected + n, z + n, sizeof(double) * (size_t)rows);
    double *c = saddle_array(rows, sizeof(double));
    memcpy(c, z + n, sizeof(double) * (size_t)rows);
    saddle_dense_solve(n, rows, A, G, dependent, 1, expected);
    assert_int_equal(pcs_saddle_factor(m->saddle), PCS_OK);
    const uint8_t *redundant = pcs_saddle_redundant_rows(m->saddle);
    int32_t count = 0;
    for (int32_t r = 0; r < rows; ++r)
        count += redundant[r];
    assert_int_equal(count, expected_redundant);
    pcs_saddle_solve(m->saddle, z, z + n);
    saddle_check_close(n, z, expected, SOLVE_TOLERANCE);
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
        saddle_model *m = saddle_model_create(61);
        for (int32_t i = 0; i < (coupled == 2 ? 9 : 4); ++i)
            saddle_add_node(m, 6);
        for (int32_t i = 1; i < m->n_nodes; ++i)
            saddle_add_row(m, 5, 2, (int32_t[]){i - 1, i});
        // the rows of the second joint, mixed
        pcs_row_block *copy = saddle_add_row(m, 5, 2, (int32_t[]){1, 2});
        for (int32_t s = 0; s < 2; ++s)
            for (int32_t r = 0; r < 5; ++r)
                for (int32_t c = 0; c < 6; ++c)
                    copy->J[s][6 * r + c] = 0.73 * m->rows[1].J[s][6 * r + c] -
                                            1.91 * m->rows[1].J[s][6 * ((r + 2) % 5) + c];
        pcs_row_block *zero = saddle_add_row(m, 2, 1, (int32_t[]){3});
        memset(zero->J[0], 0, 12 * sizeof(double));
        saddle_add_row(m, 3, 0, (int32_t[]){0}); // a joint between two fixed frames
        if (coupled) {
            saddle_add_coupling(m, 0, 3);
            saddle_add_coupling(m, 1, 3);
        }
        saddle_model_finish(m);
        saddle_randomise_matrix(m, true);
        check_redundant(m, 10);
        saddle_randomise_matrix(m, false);
        check_redundant(m, 10);
        saddle_model_destroy(m);
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
static saddle_model *build_four_bar(bool coupled)
{
    static const double P[4][3] = {
        {0.0, 0.0, 0.13}, {0.41, 1.07, 0.13}, {3.23, 1.93, 0.13}, {3.71, 0.0, 0.13}};
    double centre[3][3];
    for (int i = 0; i < 3; ++i)
        for (int d = 0; d < 3; ++d)
            centre[i][d] = 0.47 * P[i][d] + 0.53 * P[i + 1][d] + (d == 2 ? 0.029 * i : 0.0);
    saddle_model *m = saddle_model_create(67);
    for (int32_t i = 0; i < 3; ++i)
        saddle_add_node(m, 6);
    set_revolute(saddle_add_row(m, 5, 1, (int32_t[]){0}), centre, P[0]);
    set_revolute(saddle_add_row(m, 5, 2, (int32_t[]){0, 1}), centre, P[1]);
    set_revolute(saddle_add_row(m, 5, 2, (int32_t[]){1, 2}), centre, P[2]);
    set_revolute(saddle_add_row(m, 5, 1, (int32_t[]){2}), centre, P[3]);
    if (coupled)
        saddle_add_coupling(m, 0, 2);
    saddle_model_finish(m);
    return m;
}

static void test_four_bar(void **state)
{
    (void)state;
    for (int coupled = 0; coupled < 2; ++coupled) {
        saddle_model *m = build_four_bar(coupled == 1);
        saddle_randomise_matrix(m, true);
        check_redundant(m, 3);
        saddle_model_destroy(m);
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
static double backward_error(const saddle_model *m, int exponent)
{
    const bool refined = m->n_couplings > 0 || abs(exponent) > 6;
    return 16.0 * 64.0 * 2.2e-16 * (refined ? 1.0 : pow(10.0, abs(exponent)));
}

// Count of redundant rows, x against long double, and G x = c for every row, the redundant too
static void check_graded(saddle_model *m, int exponent, int32_t expected_redundant)
{
    int32_t rows;
    const int32_t n = m->offset[m->n_nodes];
    double *A = saddle_dense_matrix(m), *G = saddle_dense_rows(m, m->n_rows, m->rows, &rows);
    int32_t size = n + rows;
    double *rhs = saddle_array(size, sizeof(double)), *z = saddle_array(size, sizeof(double));
    for (int32_t i = 0; i < n; ++i) { // momenta of random velocities; rows that do not contradict
        const double v = saddle_between(m, -1.27, 1.27), w = saddle_between(m, -1.0, 1.0);
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
    for (int32_t r = 0; r < rows; ++r)
        if (redundant[r])
            rhs[n + r] = 0.0;
    double *K = saddle_dense_system(m, &size);
    check_wide(size, K, rhs, z, n, backward);
    free(A);
    free(G);
    free(K);
    free(rhs);
    free(z);
}

// Planar or spatial body blocks of the given masses, radius of gyration about 0.3; couplings are
// springs of the lighter mass between equal components
static void set_masses(saddle_model *m, const double *mass)
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
static saddle_model *build_links(bool spatial, bool coupled, bool doubled)
{
    double P[LINKS + 1][3], centre[LINKS][3];
    for (int i = 0; i <= LINKS; ++i) {
        P[i][0] = 0.913 * i;
        P[i][1] = 0.37 * sin(2.3 * i);
        P[i][2] = spatial ? 0.29 * cos(1.7 * i) : 0.0;
    }
    saddle_model *m = saddle_model_create(97);
    for (int i = 0; i < LINKS; ++i) {
        saddle_add_node(m, spatial ? 6 : 3);
        for (int d = 0; d < 3; ++d)
            centre[i][d] = 0.47 * P[i][d] + 0.53 * P[i + 1][d];
    }
    for (int32_t i = 0; i < LINKS + (doubled ? 1 : 0); ++i) {
        const int32_t at = i < LINKS ? i : 1;
        pcs_row_block *row = saddle_add_row(m, spatial ? 5 : 2, at == 0 ? 1 : 2,
                                            (int32_t[]){at, at > 0 ? at - 1 : 0});
        if (spatial)
            set_revolute(row, centre, P[at]);
        else
            set_planar_revolute(row, centre, P[at]);
    }
    for (int32_t i = 0; coupled && i + 1 < LINKS; ++i)
        saddle_add_coupling(m, i, i + 1);
    saddle_model_finish(m);
    return m;
}

// Light and heavy links in turn are no rank loss, and do not hide a true one. The same system goes
// through all ratios, so that the remembered set of rows has to follow.
static void test_mass_ratios(void **state)
{
    (void)state;
    for (int kind = 0; kind < 8; ++kind) {
        const bool spatial = kind & 1, coupled = kind & 2, doubled = kind & 4;
        saddle_model *m = build_links(spatial, coupled, doubled);
        uint64_t calls = 0;
        for (int exponent = -10; exponent <= 10; ++exponent) {
            double mass[LINKS];
            for (int i = 0; i < LINKS; ++i)
                mass[i] = (1.31 + 0.17 * i) * (i % 2 == 0 ? 1.0 : pow(10.0, exponent));
            set_masses(m, mass);
            check_graded(m, exponent, !doubled ? 0 : spatial ? 5 : 2);
            assert_true(coupled || calls == 0 || pcs_context_heap_calls(m->ctx) == calls);
            calls = pcs_context_heap_calls(m->ctx);
        }
        saddle_model_destroy(m);
    }
}

// One joint turns from a true duplicate into an independent one and back while the masses stay
static void test_graded_rank_changes(void **state)
{
    (void)state;
    for (int exponent = -9; exponent <= 9; exponent += 3) {
        const double ratio = pow(10.0, exponent), mass[LINKS] = {1.31, ratio, 1.57, ratio, 0.83};
        saddle_model *m = build_links(false, false, true);
        set_masses(m, mass);
        pcs_row_block *last = &m->rows[m->n_rows - 1];
        const double arm = last->J[1][2];
        for (int round = 0; round < 3; ++round) {
            check_graded(m, exponent, 2);
            last->J[1][2] = arm + 0.57; // now the two points hold the bodies against each other
            check_graded(m, exponent, 1);
            last->J[1][2] = arm;
        }
        saddle_model_destroy(m);
    }
}

// The four-bar of test_four_bar with one bar light or heavy
static void test_four_bar_mass_ratios(void **state)
{
    (void)state;
    for (int kind = 0; kind < 6; ++kind) {
        const bool coupled = kind >= 3;
        saddle_model *m = build_four_bar(coupled);
        for (int exponent = -10; exponent <= 10; ++exponent) {
            double mass[3] = {1.31, 0.87, 2.03};
            mass[kind % 3] *= pow(10.0, exponent);
            set_masses(m, mass);
            check_graded(m, exponent, 3);
        }
        saddle_model_destroy(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_duplicate_rows),       cmocka_unit_test(test_four_bar),
        cmocka_unit_test(test_mass_ratios),          cmocka_unit_test(test_graded_rank_changes),
        cmocka_unit_test(test_four_bar_mass_ratios),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
