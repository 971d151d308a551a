// Vectors and 3x3 matrices: products, inverse, symmetric eigenproblem, tangent frames.
#include <float.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "math/vector.h"

#define assert_near(a, b, tolerance) assert_true(fabs((a) - (b)) <= (tolerance))

static const pcs_mat3 A = {{{2.385, -0.713, 1.09}, {0.331, -3.77, 0.457}, {-1.61, 0.889, 5.03}}};
static const pcs_mat3 B = {{{-0.619, 4.21, 0.173}, {1.93, 0.283, -2.71}, {0.557, -1.37, 0.811}}};

static pcs_mat3 random_matrix(pcs_random *random)
{
    pcs_mat3 M;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++)
            M.m[i][j] = pcs_random_between(random, -1, 1);
    }
    return M;
}

static pcs_vec3 random_unit(pcs_random *random)
{
    for (;;) { // rejection from the cube
        pcs_vec3 a = {pcs_random_between(random, -1, 1), pcs_random_between(random, -1, 1),
                      pcs_random_between(random, -1, 1)};
        double norm = pcs_v3_norm(a);
        if (norm > 0.1 && norm < 1)
            return pcs_v3_scale(1 / norm, a);
    }
}

static double norm_max(const pcs_mat3 *M)
{
    double largest = 0;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++)
            largest = fmax(largest, fabs(M->m[i][j]));
    }
    return largest;
}

static void assert_near_matrix(const pcs_mat3 *M, const pcs_mat3 *N, double tolerance)
{
    pcs_mat3 difference = pcs_m3_add(M, -1, N);
    assert_true(norm_max(&difference) <= tolerance);
}

static void test_products(void **state)
{
    (void)state;
    // Against element-wise sums; the entries are below 6, so a sum of three errs by < 3*36 eps.
    pcs_mat3 AB = pcs_m3_mul(&A, &B), AtB = pcs_m3_tmul(&A, &B), ABt = pcs_m3_mult(&A, &B);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            double ab = 0, atb = 0, abt = 0;
            for (int k = 0; k < 3; k++) {
                ab += A.m[i][k] * B.m[k][j];
                atb += A.m[k][i] * B.m[k][j];
                abt += A.m[i][k] * B.m[j][k];
            }
            assert_near(AB.m[i][j], ab, 108 * DBL_EPSILON);
            assert_near(AtB.m[i][j], atb, 108 * DBL_EPSILON);
            assert_near(ABt.m[i][j], abt, 108 * DBL_EPSILON);
        }
    }
    pcs_vec3 x = {0.617, -2.23, 1.481};
    pcs_vec3 y = pcs_m3_mul_v3(&AB, x), z = pcs_m3_mul_v3(&A, pcs_m3_mul_v3(&B, x));
    assert_near(pcs_v3_norm(pcs_v3_sub(y, z)), 0, 3 * 108 * DBL_EPSILON);
    pcs_mat3 At = pcs_m3_transpose(&A);
    y = pcs_m3_tmul_v3(&A, x);
    z = pcs_m3_mul_v3(&At, x);
    assert_near(pcs_v3_norm(pcs_v3_sub(y, z)), 0, 108 * DBL_EPSILON);
    pcs_mat3 C = pcs_m3_add(&A, -0.37, &B);
    assert_near(C.m[1][2], 0.457 + 0.37 * 2.71, 4 * DBL_EPSILON);

    pcs_vec3 a = {1.31, -0.47, 2.09};
    pcs_mat3 S = pcs_m3_skew(a);
    y = pcs_m3_mul_v3(&S, x);
    z = pcs_v3_cross(a, x);
    assert_near(pcs_v3_norm(pcs_v3_sub(y, z)), 0, 16 * DBL_EPSILON);
    assert_near(pcs_v3_dot(z, a), 0, 32 * DBL_EPSILON);
    pcs_vec3 axpy = pcs_v3_axpy(a, 2.5, x), sum = pcs_v3_add(a, pcs_v3_scale(2.5, x));
    assert_near(pcs_v3_norm(pcs_v3_sub(axpy, sum)), 0, 16 * DBL_EPSILON);

    double stored[3];
    pcs_v3_store(stored, a);
    assert_true(pcs_v3_load(stored).y == -0.47);
    assert_true(pcs_v3_is_finite(a));
    a.z = (double)INFINITY;
    assert_false(pcs_v3_is_finite(a));
}

static void test_determinant(void **state)
{
    (void)state;
    pcs_mat3 AB = pcs_m3_mul(&A, &B);
    double expected = pcs_m3_det(&A) * pcs_m3_det(&B);
    // entries of AB are below 24: six products of three, each with a few roundings
    assert_near(pcs_m3_det(&AB), expected, 6 * 24.0 * 24 * 24 * 4 * DBL_EPSILON);
    pcs_mat3 I = pcs_m3_identity();
    assert_true(pcs_m3_det(&I) == 1);
}

static void test_inverse(void **state)
{
    (void)state;
    pcs_random random;
    pcs_random_init(&random, 2385);
    pcs_mat3 I = pcs_m3_identity();
    for (int trial = 0; trial < 1000; trial++) {
        pcs_mat3 M = random_matrix(&random), X;
        if (!pcs_m3_inverse(&M, &X))
            continue; // a random matrix is singular to rounding with probability ~ eps
        pcs_mat3 MX = pcs_m3_mul(&M, &X);
        double condition = 9 * norm_max(&M) * norm_max(&X); // >= |M||X| in the 1-norm
        // cofactors and det each err by a few eps relative to their terms
        assert_near_matrix(&MX, &I, 8 * DBL_EPSILON * condition * condition);
    }
}

static void test_inverse_scales(void **state)
{
    (void)state;
    // Bad scaling is not singularity, and neither overflow nor underflow may spoil the products.
    pcs_mat3 inertia = {{{3.7e-9, 0, 0}, {0, 2.385e-9, 0}, {0, 0, 1.09}}}, X;
    assert_true(pcs_m3_inverse(&inertia, &X));
    assert_near(X.m[0][0] * 3.7e-9, 1, 4 * DBL_EPSILON);
    assert_near(X.m[1][1] * 2.385e-9, 1, 4 * DBL_EPSILON);
    assert_near(X.m[2][2] * 1.09, 1, 4 * DBL_EPSILON);

    pcs_mat3 reference;
    assert_true(pcs_m3_inverse(&A, &reference));
    const int exponents[] = {-700, 700};
    for (int k = 0; k < 2; k++) {
        pcs_mat3 scaled;
        for (int i = 0; i < 9; i++)
            scaled.m[i / 3][i % 3] = ldexp(A.m[i / 3][i % 3], exponents[k]);
        assert_true(pcs_m3_inverse(&scaled, &X));
        for (int i = 0; i < 9; i++) // powers of two change no bit
            assert_true(X.m[i / 3][i % 3] == ldexp(reference.m[i / 3][i % 3], -exponents[k]));
    }
}

static void test_inverse_refuses_singular(void **state)
{
    (void)state;
    pcs_mat3 X;
    pcs_mat3 zero = {{{0}}};
    assert_false(pcs_m3_inverse(&zero, &X));
    pcs_mat3 rank_two = A;
    for (int j = 0; j < 3; j++) // third row = 0.3 first + 0.7 second, to rounding
        rank_two.m[2][j] = 0.3 * A.m[0][j] + 0.7 * A.m[1][j];
    assert_false(pcs_m3_inverse(&rank_two, &X));
    pcs_mat3 invalid = A;
    invalid.m[1][1] = (double)NAN;
    assert_false(pcs_m3_inverse(&invalid, &X));
    invalid.m[1][1] = (double)INFINITY;
    assert_false(pcs_m3_inverse(&invalid, &X));
}

static void assert_eigen(const pcs_mat3 *M, const double values[3], const pcs_mat3 *V)
{
    // Each of some twenty rotations commits a few eps |M|.
    double tolerance = 32 * DBL_EPSILON;
    assert_true(values[0] <= values[1] && values[1] <= values[2]);
    pcs_mat3 VtV = pcs_m3_tmul(V, V), I = pcs_m3_identity();
    assert_near_matrix(&VtV, &I, tolerance);
    assert_near(pcs_m3_det(V), 1, tolerance);
    for (int k = 0; k < 3; k++) {
        pcs_vec3 v = pcs_m3_column(V, k);
        pcs_vec3 residual = pcs_v3_axpy(pcs_m3_mul_v3(M, v), -values[k], v);
        assert_near(pcs_v3_norm(residual), 0, tolerance * 3 * norm_max(M));
    }
}

static void test_eigen_random(void **state)
{
    (void)state;
    pcs_random random;
    pcs_random_init(&random, 71);
    double values[3];
    pcs_mat3 V;
    for (int trial = 0; trial < 1000; trial++) {
        pcs_mat3 M = random_matrix(&random);
        double scale = pow(10, pcs_random_between(&random, -8, 8));
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j <= i; j++)
                M.m[i][j] = M.m[j][i] = scale * M.m[j][i];
        }
        pcs_m3_eigen_symmetric(&M, values, &V);
        assert_eigen(&M, values, &V);
    }
}

static void test_eigen_special(void **state)
{
    (void)state;
    double values[3];
    pcs_mat3 V;
    pcs_mat3 diagonal = {{{3.7, 0, 0}, {0, -1.09, 0}, {0, 0, 2.385}}};
    pcs_m3_eigen_symmetric(&diagonal, values, &V);
    assert_true(values[0] == -1.09 && values[1] == 2.385 && values[2] == 3.7);
    assert_eigen(&diagonal, values, &V);

    pcs_mat3 sorted = {{{-1.09, 0, 0}, {0, 2.385, 0}, {0, 0, 3.7}}}; // every order of the diagonal
    const int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    for (int k = 0; k < 6; k++) {
        pcs_mat3 M = {{{0}}};
        for (int i = 0; i < 3; i++)
            M.m[i][i] = sorted.m[orders[k][i]][orders[k][i]];
        pcs_m3_eigen_symmetric(&M, values, &V);
        assert_eigen(&M, values, &V);
    }

    pcs_mat3 sphere = {{{2.385, 0, 0}, {0, 2.385, 0}, {0, 0, 2.385}}}, I = pcs_m3_identity();
    pcs_m3_eigen_symmetric(&sphere, values, &V);
    assert_true(values[0] == 2.385 && values[2] == 2.385);
    assert_near_matrix(&V, &I, 0);

    pcs_mat3 zero = {{{0}}};
    pcs_m3_eigen_symmetric(&zero, values, &V);
    assert_true(values[0] == 0 && values[2] == 0);
    assert_near_matrix(&V, &I, 0);

    // rank one (two zero eigenvalues) and a pair of equal eigenvalues: a a^T, |a|^2 I - a a^T
    pcs_vec3 a = {0.613, -1.27, 2.09};
    double aa = pcs_v3_dot(a, a), c[3];
    pcs_mat3 outer;
    pcs_v3_store(c, a);
    for (int i = 0; i < 9; i++)
        outer.m[i / 3][i % 3] = c[i / 3] * c[i % 3];
    pcs_m3_eigen_symmetric(&outer, values, &V);
    assert_eigen(&outer, values, &V);
    assert_near(values[2], aa, 32 * DBL_EPSILON * aa);
    assert_near(values[1], 0, 32 * DBL_EPSILON * aa);
    pcs_mat3 inertia;
    for (int i = 0; i < 9; i++)
        inertia.m[i / 3][i % 3] = (i % 4 == 0 ? aa : 0) - outer.m[i / 3][i % 3];
    pcs_m3_eigen_symmetric(&inertia, values, &V);
    assert_eigen(&inertia, values, &V);
    assert_near(values[2], values[1], 32 * DBL_EPSILON * aa);
}

static void test_eigen_graded(void **state)
{
    (void)state;
    // D P D with P well conditioned and D graded: Jacobi keeps the relative accuracy of all
    // eigenvalues of a positive definite matrix, so their product is the determinant.
    pcs_mat3 P = {{{2.385, 0.31, -0.47}, {0.31, 1.73, 0.59}, {-0.47, 0.59, 3.11}}};
    const double d[3] = {1, 0x1p-17, 0x1p-34}; // powers of two: exact
    pcs_mat3 M, V;
    for (int i = 0; i < 9; i++)
        M.m[i / 3][i % 3] = d[i / 3] * P.m[i / 3][i % 3] * d[i % 3];
    double values[3];
    pcs_m3_eigen_symmetric(&M, values, &V);
    assert_eigen(&M, values, &V);
    double expected = pcs_m3_det(&P) * 0x1p-102;
    assert_true(values[0] > 0);
    assert_near(values[0] * values[1] * values[2] / expected, 1, 3 * 32 * DBL_EPSILON);
}

static void assert_frame(pcs_vec3 n, pcs_vec3 t1, pcs_vec3 t2)
{
    double tolerance = 8 * DBL_EPSILON; // three products and a division each
    assert_near(pcs_v3_dot(t1, t1), 1, tolerance);
    assert_near(pcs_v3_dot(t2, t2), 1, tolerance);
    assert_near(pcs_v3_dot(t1, t2), 0, tolerance);
    assert_near(pcs_v3_dot(n, t1), 0, tolerance);
    assert_near(pcs_v3_dot(n, t2), 0, tolerance);
    assert_near(pcs_v3_norm(pcs_v3_sub(pcs_v3_cross(n, t1), t2)), 0, tolerance);
}

static void test_tangents(void **state)
{
    (void)state;
    pcs_random random;
    pcs_random_init(&random, 389);
    pcs_vec3 t1, t2;
    for (int trial = 0; trial < 1000; trial++) {
        pcs_vec3 n = random_unit(&random);
        pcs_v3_tangents(n, &t1, &t2);
        assert_frame(n, t1, t2);
    }
    for (int axis = 0; axis < 6; axis++) {
        double c[3] = {0, 0, 0};
        c[axis % 3] = axis < 3 ? 1 : -1;
        pcs_v3_tangents(pcs_v3_load(c), &t1, &t2);
        assert_frame(pcs_v3_load(c), t1, t2);
    }
    // towards -e_z, where 1 + n_z has no digits left
    for (double s = 1e-2; s > 1e-300; s *= 1e-3) {
        pcs_vec3 n = {s * 0.6, s * 0.8, -sqrt((1 - s) * (1 + s))};
        pcs_v3_tangents(n, &t1, &t2);
        assert_frame(n, t1, t2);
    }
}

static void test_tangents_are_continuous(void **state)
{
    (void)state;
    // Along a circle across the equator, where the formula changes. A frame turned by the shortest
    // rotation moves by at most 2/(1 + n_z) of the step of n.
    const double step = 1e-6;
    pcs_vec3 last1 = {0}, last2 = {0};
    for (int i = -50; i <= 50; i++) {
        double elevation = i * step;
        pcs_vec3 n = {cos(elevation) * cos(0.71), cos(elevation) * sin(0.71), sin(elevation)};
        pcs_vec3 t1, t2;
        pcs_v3_tangents(n, &t1, &t2);
        if (i > -50) {
            assert_true(pcs_v3_norm(pcs_v3_sub(t1, last1)) < 2.1 * step);
            assert_true(pcs_v3_norm(pcs_v3_sub(t2, last2)) < 2.1 * step);
        }
        last1 = t1;
        last2 = t2;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_products),
        cmocka_unit_test(test_determinant),
        cmocka_unit_test(test_inverse),
        cmocka_unit_test(test_inverse_scales),
        cmocka_unit_test(test_inverse_refuses_singular),
        cmocka_unit_test(test_eigen_random),
        cmocka_unit_test(test_eigen_special),
        cmocka_unit_test(test_eigen_graded),
        cmocka_unit_test(test_tangents),
        cmocka_unit_test(test_tangents_are_continuous),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
