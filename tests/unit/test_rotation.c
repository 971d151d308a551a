// Quaternions and SO(3) maps, against matrix power series summed in long double:
//   exp(S) = sum S^k/k!,   T = sum (-S)^k/(k+1)!.
#include <float.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "math/rotation.h"

#define assert_near(a, b, tolerance) assert_true(fabs((a) - (b)) <= (tolerance))

// Angles with series, closed forms, both sides of the switch of (a - sin a)/a^3 at a^2 = 2, and the
// surroundings of pi; 2 pi, where T is singular, is tested apart.
static const double ANGLES[] = {
    0,          1e-310, 1e-170, 1.7e-9, 3.1e-8,     2.385e-5,          7.3e-4,
    0.0113,     0.173,  0.871,  1.21,   1.41421356, 1.414213562373095, 1.41421356237310,
    1.41421357, 1.93,   2.385,  3.0211, 3.14159,    3.1415926535897,   3.14159265358980,
    3.1417,     4.19,   5.113,  6.02};
enum { ANGLE_COUNT = sizeof ANGLES / sizeof *ANGLES, AXIS_COUNT = 40 };

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

static pcs_quat random_rotation(pcs_random *random)
{
    return pcs_quat_from_axis_angle(random_unit(random),
                                    pcs_random_between(random, -2 * PCS_PI, 2 * PCS_PI));
}

// sum_k (sign S)^k/(k + shift)!; the largest term at the largest angle here is 6.3^6/6! = 87
static pcs_mat3 power_series(pcs_vec3 psi, int sign, int shift)
{
    pcs_mat3 skew = pcs_m3_skew(psi), result;
    long double term[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    long double sum[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int k = 1; k < 60; k++) {
        long double next[3][3];
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 3; j++) {
                long double t = 0;
                for (int l = 0; l < 3; l++)
                    t += term[i][l] * skew.m[l][j];
                next[i][j] = sign * t / (k + shift);
            }
        }
        for (int i = 0; i < 9; i++) {
            term[i / 3][i % 3] = next[i / 3][i % 3];
            sum[i / 3][i % 3] += next[i / 3][i % 3];
        }
    }
    for (int i = 0; i < 9; i++)
        result.m[i / 3][i % 3] = (double)sum[i / 3][i % 3];
    return result;
}

static double distance(const pcs_mat3 *M, const pcs_mat3 *N)
{
    double largest = 0;
    for (int i = 0; i < 9; i++)
        largest = fmax(largest, fabs(M->m[i / 3][i % 3] - N->m[i / 3][i % 3]));
    return largest;
}

// |p - q| for the nearer sign of q
static double quat_distance(pcs_quat p, pcs_quat q)
{
    double s = p.w * q.w + p.x * q.x + p.y * q.y + p.z * q.z < 0 ? -1 : 1;
    return pcs_quat_norm((pcs_quat){p.w - s * q.w, p.x - s * q.x, p.y - s * q.y, p.z - s * q.z});
}

static double v3_distance(pcs_vec3 a, pcs_vec3 b)
{
    return pcs_v3_norm(pcs_v3_sub(a, b));
}

static void test_exp_against_series(void **state)
{
    (void)state;
    pcs_random random;
    pcs_random_init(&random, 2385);
    for (int i = 0; i < ANGLE_COUNT; i++) {
        for (int trial = 0; trial < AXIS_COUNT; trial++) {
            pcs_vec3 psi = pcs_v3_scale(ANGLES[i], random_unit(&random));
            pcs_quat p = pcs_so3_exp(psi);
            pcs_mat3 R = pcs_quat_matrix(p), expected = power_series(psi, 1, 0);
            // the angle carries 2 eps a, sine and cosine half an ulp, the matrix six products
            assert_near(distance(&R, &expected), 0, (6 + 2 * ANGLES[i]) * DBL_EPSILON);
            assert_near(pcs_quat_norm(p), 1, 4 * DBL_EPSILON);
        }
    }
}

static void test_exp_small_is_relative(void **state)
{
    (void)state;
    // vector part psi/2 (1 - a^2/24) with all digits, down to where squares underflow
    for (double a = 1e-4; a > 1e-305; a *= 1.7e-3) {
        pcs_vec3 psi = {0.48 * a, -0.6 * a, 0.64 * a};
        pcs_quat p = pcs_so3_exp(psi);
        double factor = 0.5 * (1 - a * a / 24);
        assert_near(p.x, factor * psi.x, 4 * DBL_EPSILON * fabs(psi.x));
        assert_near(p.y, factor * psi.y, 4 * DBL_EPSILON * fabs(psi.y));
        pcs_vec3 back = pcs_so3_log(p);
        assert_near(back.x, psi.x, 4 * DBL_EPSILON * fabs(psi.x));
        assert_near(back.z, psi.z, 4 * DBL_EPSILON * fabs(psi.z));
    }
}

static void test_log_inverts_exp(void **state)
{
    (void)state;
    pcs_random random;
    pcs_random_init(&random, 31);
    for (int i = 0; i < ANGLE_COUNT; i++) {
        double a = ANGLES[i];
        for (int trial = 0; trial < AXIS_COUNT; trial++) {
            pcs_vec3 e = random_unit(&random);
            pcs_vec3 psi = pcs_v3_scale(a, e), back = pcs_so3_log(pcs_so3_exp(psi));
            // beyond pi the short way is a - 2 pi about the same axis; at pi both signs are right
            pcs_vec3 wrapped = pcs_v3_scale(a - 2 * PCS_PI, e);
            double error = v3_distance(back, psi);
            if (a > 3.1415)
                error = a < 3.1416 ? fmin(error, v3_distance(back, wrapped))
                                   : v3_distance(back, wrapped);
            assert_near(error, 0, (2 + 4 * a) * DBL_EPSILON);
            assert_true(pcs_v3_norm(back) <= PCS_PI * (1 + 2 * DBL_EPSILON));
        }
    }
}

static void test_log_near_pi(void **state)
{
    (void)state;
    pcs_vec3 e = {0.48, -0.6, 0.64};
    for (double delta = 0.3; delta > 1e-17; delta *= 0.071) {
        pcs_vec3 below = pcs_v3_scale(PCS_PI - delta, e);
        pcs_vec3 above = pcs_v3_scale(PCS_PI + delta, e);
        // exp and log are both well conditioned here: a few eps pi, with no loss in 1/delta
        double tolerance = 4 * PCS_PI * DBL_EPSILON;
        if (delta > 2 * PCS_PI * DBL_EPSILON) {
            assert_near(v3_distance(pcs_so3_log(pcs_so3_exp(below)), below), 0, tolerance);
            assert_near(
                v3_distance(pcs_so3_log(pcs_so3_exp(above)), pcs_v3_scale(delta - PCS_PI, e)), 0,
                tolerance);
        } else {
            assert_near(pcs_v3_norm(pcs_so3_log(pcs_so3_exp(below))), PCS_PI, tolerance);
        }
    }
    pcs_vec3 half_turn = pcs_so3_log((pcs_quat){0, 0.48, -0.6, 0.64});
    assert_near(v3_distance(half_turn, pcs_v3_scale(PCS_PI, e)), 0, 4 * PCS_PI * DBL_EPSILON);
}

static void test_exp_inverts_log(void **state)
{
    (void)state;
    pcs_random random;
    pcs_random_init(&random, 47);
    for (int trial = 0; trial < 2000; trial++) {
        pcs_quat p = random_rotation(&random);
        pcs_quat q = {-p.w, -p.x, -p.y, -p.z};
        pcs_vec3 psi = pcs_so3_log(p), same = pcs_so3_log(q);
        assert_near(quat_distance(pcs_so3_exp(psi), p), 0, 4 * DBL_EPSILON);
        assert_true(psi.x == same.x && psi.y == same.y && psi.z == same.z); // the short way
        assert_true(pcs_v3_norm(psi) <= PCS_PI * (1 + 2 * DBL_EPSILON));
    }
    pcs_vec3 none = pcs_so3_log((pcs_quat){-1, 0, 0, 0});
    assert_true(pcs_v3_norm(none) == 0);
    none = pcs_so3_log((pcs_quat){0, 0, 0, 0});
    assert_true(pcs_v3_norm(none) == 0);
}

static void test_tangent_against_series(void **state)
{
    (void)state;
    pcs_random random;
    pcs_random_init(&random, 53);
    for (int i = 0; i < ANGLE_COUNT; i++) {
        for (int trial = 0; trial < AXIS_COUNT; trial++) {
            pcs_vec3 psi = pcs_v3_scale(ANGLES[i], random_unit(&random));
            pcs_mat3 T = pcs_so3_tangent(psi), expected = power_series(psi, -1, 1);
            // coefficients a f2 <= 0.73 and a^2 f3 <= 1.22, each to a few eps
            assert_near(distance(&T, &expected), 0, 6 * DBL_EPSILON);
        }
    }
}

// (a - sin a)/a^3 by its series
static double reference_f3(double a)
{
    long double y = (long double)a * a, sum = 1;
    for (int k = 20; k > 0; k--)
        sum = 1 - y / ((2 * k + 2) * (2 * k + 3)) * sum;
    return (double)(sum / 6);
}

// (1 - x cot x)/(4 x^2), x = a/2: below 0.3 by its series sum |B_2k|/(2k)! a^(2k-2), k = 1..8
static double reference_inverse_coefficient(double a)
{
    const long double terms[] = {1 / 12.0L,          1 / 720.0L,
                                 1 / 30240.0L,       1 / 1209600.0L,
                                 1 / 47900160.0L,    691 / 1307674368000.0L,
                                 1 / 74724249600.0L, 3617 / 10670622842880000.0L};
    long double x = 0.5L * a, sum = 0;
    if (a > 0.3)
        return (double)((1 - x * cosl(x) / sinl(x)) / (4 * x * x));
    for (int k = 7; k >= 0; k--)
        sum = sum * (4 * x * x) + terms[k];
    return (double)sum;
}

static void assert_coefficients(double a)
{
    // With psi_z = 0 the symmetric part of the xy entries is the quadratic coefficient alone:
    // T_xy + T_yx = 2 f3 psi_x psi_y, so that its relative error can be seen at any angle.
    pcs_vec3 psi = {0.6 * a, 0.8 * a, 0};
    pcs_mat3 T = pcs_so3_tangent(psi), X = pcs_so3_tangent_inverse(psi);
    double f3 = (T.m[0][1] + T.m[1][0]) / (2 * 0.48 * a * a);
    double c = (X.m[0][1] + X.m[1][0]) / (2 * 0.48 * a * a);
    // two roundings each of the angle, the coefficient, the product and this extraction; the
    // inverse has a pole at 2 pi, with condition a/(2 pi - a)
    assert_near(f3 / reference_f3(a), 1, 8 * DBL_EPSILON);
    assert_near(c / reference_inverse_coefficient(a), 1,
                8 * DBL_EPSILON * (1 + a / (2 * PCS_PI - a)));
}

static void test_tangent_coefficients(void **state)
{
    (void)state;
    for (double a = 1e-9; a < 6.2; a *= 1.0371)
        assert_coefficients(a);
    for (double a = 1.4141; a < 1.4143; a += 1.9e-6) // across the switch, T
        assert_coefficients(a);
    for (double a = 2.8283; a < 2.8286; a += 1.9e-6) // and its inverse, which uses a/2
        assert_coefficients(a);

    // continuity: neighbouring arguments on either side of a^2 = 2
    double below = sqrt(2), above = nextafter(below, 2);
    below = nextafter(nextafter(below, 0), 0);
    pcs_mat3 T0 = pcs_so3_tangent(pcs_v3(0, below, 0)), T1 = pcs_so3_tangent(pcs_v3(0, above, 0));
    assert_near(distance(&T0, &T1), 0, 8 * DBL_EPSILON);
    T0 = pcs_so3_tangent_inverse(pcs_v3(0, 2 * below, 0));
    T1 = pcs_so3_tangent_inverse(pcs_v3(0, 2 * above, 0));
    assert_near(distance(&T0, &T1), 0, 8 * DBL_EPSILON / fabs(sin(below) / below));
}

static void test_tangent_inverse(void **state)
{
    (void)state;
    pcs_random random;
    pcs_random_init(&random, 61);
    pcs_mat3 I = pcs_m3_identity();
    for (int i = 0; i < ANGLE_COUNT; i++) {
        for (int trial = 0; trial < AXIS_COUNT; trial++) {
            pcs_vec3 psi = pcs_v3_scale(ANGLES[i], random_unit(&random));
            pcs_mat3 T = pcs_so3_tangent(psi), X = pcs_so3_tangent_inverse(psi);
            pcs_mat3 TX = pcs_m3_mul(&T, &X), XT = pcs_m3_mul(&X, &T);
            // in the plane across psi, |T| = f1(a/2) and |T^{-1}| = 1/f1(a/2)
            double f1 = ANGLES[i] < 1e-3 ? 1 : sin(ANGLES[i] / 2) / (ANGLES[i] / 2);
            assert_near(distance(&TX, &I), 0, 8 * DBL_EPSILON / (f1 * f1));
            assert_near(distance(&XT, &I), 0, 8 * DBL_EPSILON / (f1 * f1));
        }
    }
    // towards the singularity at 2 pi
    for (double delta = 0.1; delta > 1e-6; delta *= 0.093) {
        pcs_vec3 psi = pcs_v3_scale(2 * PCS_PI - delta, pcs_v3(0.48, -0.6, 0.64));
        pcs_mat3 T = pcs_so3_tangent(psi), X = pcs_so3_tangent_inverse(psi);
        pcs_mat3 TX = pcs_m3_mul(&T, &X);
        double f1 = 0.5 * delta / PCS_PI; // sin(pi - delta/2)/pi
        assert_near(distance(&TX, &I), 0, 8 * 2 * PCS_PI * DBL_EPSILON / f1);
    }
}

// d exp(psi) = exp(psi) S(T dpsi): the body-frame increment of exp along d is h T d.
static void test_tangent_by_differences(void **state)
{
    (void)state;
    pcs_random random;
    pcs_random_init(&random, 67);
    const double h = 6e-6; // about eps^(1/3), where both errors of a central difference balance
    for (int i = 0; i < ANGLE_COUNT; i++) {
        pcs_vec3 psi = pcs_v3_scale(ANGLES[i], random_unit(&random)), d = random_unit(&random);
        pcs_quat inverse = pcs_quat_conjugate(pcs_so3_exp(psi));
        pcs_quat plus = pcs_quat_mul(inverse, pcs_so3_exp(pcs_v3_axpy(psi, h, d)));
        pcs_quat minus = pcs_quat_mul(inverse, pcs_so3_exp(pcs_v3_axpy(psi, -h, d)));
        pcs_vec3 difference = pcs_v3_scale(0.5 / h,
                                           pcs_v3_sub(pcs_so3_log(plus), pcs_so3_log(minus)));
        pcs_mat3 T = pcs_so3_tangent(psi);
        double tolerance = (4 + 2 * ANGLES[i]) * DBL_EPSILON / h + h * h;
        assert_near(v3_distance(difference, pcs_m3_mul_v3(&T, d)), 0, tolerance);
    }
}

// Order test of the same identity with larger steps: the error falls as h^2.
static void test_tangent_difference_order(void **state)
{
    (void)state;
    pcs_vec3 psi = {1.31, -2.03, 0.77}, d = {0.48, 0.6, -0.64};
    pcs_mat3 T = pcs_so3_tangent(psi);
    pcs_quat inverse = pcs_quat_conjugate(pcs_so3_exp(psi));
    double errors[2];
    for (int k = 0; k < 2; k++) {
        double h = k == 0 ? 2e-2 : 1e-2;
        pcs_quat plus = pcs_quat_mul(inverse, pcs_so3_exp(pcs_v3_axpy(psi, h, d)));
        pcs_quat minus = pcs_quat_mul(inverse, pcs_so3_exp(pcs_v3_axpy(psi, -h, d)));
        pcs_vec3 difference = pcs_v3_scale(0.5 / h,
                                           pcs_v3_sub(pcs_so3_log(plus), pcs_so3_log(minus)));
        errors[k] = v3_distance(difference, pcs_m3_mul_v3(&T, d));
    }
    assert_near(log2(errors[0] / errors[1]), 2, 1e-2); // 2 + O(h)
}

// Five-point differences over 1e-3: truncation 3e-14 and rounding 2e-13 of values up to ten; the
// fifth derivatives of T^{-1} at 4.19 are a few hundred.
static void test_second_derivatives(void **state)
{
    (void)state;
    static const double PLACE[4] = {-2, -1, 1, 2}, WEIGHT[4] = {1, -8, 8, -1};
    const double h = 1e-3;
    pcs_random random;
    pcs_random_init(&random, 97);
    for (int k = 0; k < ANGLE_COUNT && ANGLES[k] < 4.2; k++) {
        for (int i = 0; i < AXIS_COUNT; i++) {
            pcs_vec3 psi = pcs_v3_scale(ANGLES[k], random_unit(&random)), a = random_unit(&random);
            pcs_mat3 D = pcs_so3_tangent_inverse_derivative(psi, a);
            pcs_mat3 E = pcs_so3_quarter_tangent_derivative(psi);
            for (int j = 0; j < 3; j++) {
                pcs_vec3 d = {0, 0, 0}, e = {0, 0, 0};
                for (int p = 0; p < 4; p++) {
                    double shift[3] = {0, 0, 0};
                    shift[j] = PLACE[p] * h;
                    pcs_vec3 moved = pcs_v3_add(psi, pcs_v3_load(shift));
                    pcs_mat3 T = pcs_so3_tangent_inverse(moved);
                    d = pcs_v3_axpy(d, WEIGHT[p] / (12 * h), pcs_m3_mul_v3(&T, a));
                    e = pcs_v3_axpy(e, WEIGHT[p] / (12 * h), pcs_so3_quarter_tangent(moved));
                }
                assert_near(v3_distance(pcs_m3_column(&D, j), d), 0, 1e-10);
                assert_near(v3_distance(pcs_m3_column(&E, j), e), 0, 1e-10);
            }
        }
    }
}

static void test_quaternion_algebra(void **state)
{
    (void)state;
    pcs_random random;
    pcs_random_init(&random, 73);
    for (int trial = 0; trial < 1000; trial++) {
        pcs_quat p = random_rotation(&random), q = random_rotation(&random);
        pcs_vec3 a = pcs_v3_scale(2.385, random_unit(&random));
        pcs_mat3 P = pcs_quat_matrix(p), Q = pcs_quat_matrix(q), PQ = pcs_m3_mul(&P, &Q);
        pcs_mat3 R = pcs_quat_matrix(pcs_quat_mul(p, q));
        assert_near(distance(&R, &PQ), 0, 12 * DBL_EPSILON);
        pcs_vec3 rotated = pcs_quat_rotate(p, a);
        assert_near(v3_distance(rotated, pcs_m3_mul_v3(&P, a)), 0, 2.385 * 12 * DBL_EPSILON);
        rotated = pcs_quat_rotate(pcs_quat_conjugate(p), rotated);
        assert_near(v3_distance(rotated, a), 0, 2.385 * 16 * DBL_EPSILON);
    }
    pcs_quat p = pcs_quat_normalize((pcs_quat){2.385, -1.09, 0.77, 3.1});
    assert_near(pcs_quat_norm(p), 1, 2 * DBL_EPSILON);
    assert_near(p.x / p.w, -1.09 / 2.385, 2 * DBL_EPSILON);
    p = pcs_quat_normalize((pcs_quat){0, 0, 0, 0});
    assert_true(p.w == 1 && p.x == 0 && p.y == 0 && p.z == 0);
}

static void test_from_matrix(void **state)
{
    (void)state;
    pcs_random random;
    pcs_random_init(&random, 79);
    for (int trial = 0; trial < 2000; trial++) {
        pcs_quat p = random_rotation(&random);
        pcs_mat3 R = pcs_quat_matrix(p);
        pcs_quat q = pcs_quat_from_matrix(&R);
        // an error eps in R is divided by the chosen component times four, at least 2
        assert_near(quat_distance(p, q), 0, 6 * DBL_EPSILON);
        assert_true(q.w >= 0);
    }
    // half turns about all kinds of axes, where w = 0, and their neighbourhood
    for (int trial = 0; trial < 500; trial++) {
        double e[3] = {0, 0, 0};
        e[trial % 3] = 1;
        pcs_vec3 axis = trial < 6 ? pcs_v3_load(e) : random_unit(&random);
        double delta = trial % 2 ? 0 : pow(10, pcs_random_between(&random, -17, -1));
        pcs_quat p = pcs_quat_from_axis_angle(axis, PCS_PI - delta);
        pcs_mat3 R = pcs_quat_matrix(p);
        assert_near(quat_distance(p, pcs_quat_from_matrix(&R)), 0, 6 * DBL_EPSILON);
    }
    pcs_mat3 I = pcs_m3_identity();
    assert_true(pcs_quat_from_matrix(&I).w == 1);
}

static void test_from_axis_angle(void **state)
{
    (void)state;
    pcs_vec3 e = {0.48, -0.6, 0.64};
    pcs_quat expected = pcs_so3_exp(pcs_v3_scale(1.93, e));
    const double lengths[] = {1, 2.385, 1e-200, 1e200};
    for (int i = 0; i < 4; i++) {
        pcs_quat p = pcs_quat_from_axis_angle(pcs_v3_scale(lengths[i], e), 1.93);
        assert_near(quat_distance(p, expected), 0, 4 * DBL_EPSILON);
    }
    assert_true(pcs_quat_from_axis_angle(pcs_v3(0, 0, 0), 1.93).w == 1);
}

static void test_from_z_axis(void **state)
{
    (void)state;
    pcs_random random;
    pcs_random_init(&random, 83);
    for (int trial = 0; trial < 1000; trial++) {
        pcs_vec3 z = random_unit(&random), hint = random_unit(&random);
        if (trial % 4 == 1)
            hint = pcs_v3_scale(-3.7, z); // parallel: any perpendicular will do
        if (trial % 4 == 2)
            hint = pcs_v3(0, 0, 0);
        if (trial % 4 == 3)
            hint = pcs_v3_axpy(z, 1e-5, hint); // nearly parallel
        pcs_quat p = pcs_quat_from_z_axis(pcs_v3_scale(2.385, z), hint);
        pcs_mat3 R = pcs_quat_matrix(p);
        assert_near(pcs_quat_norm(p), 1, 4 * DBL_EPSILON);
        assert_near(v3_distance(pcs_m3_column(&R, 2), z), 0, 12 * DBL_EPSILON);
        if (trial % 4 == 0 || trial % 4 == 3) {
            // the hint has no y component and a positive x component
            assert_near(pcs_v3_dot(pcs_m3_column(&R, 1), hint), 0, 12 * DBL_EPSILON);
            assert_true(pcs_v3_dot(pcs_m3_column(&R, 0), hint) > 0);
        }
    }
}

static void test_angle_wrap(void **state)
{
    (void)state;
    assert_true(pcs_angle_wrap(0.71) == 0.71);
    assert_true(pcs_angle_wrap(PCS_PI) == PCS_PI);
    assert_true(pcs_angle_wrap(-PCS_PI) == PCS_PI);
    assert_near(pcs_angle_wrap(2.385 - 14 * PCS_PI), 2.385, 44 * DBL_EPSILON); // |input| < 44
    assert_near(pcs_angle_wrap(-2.385 + 6 * PCS_PI), -2.385, 19 * DBL_EPSILON);
    for (double angle = -50; angle < 50; angle += 0.0173) {
        double wrapped = pcs_angle_wrap(angle);
        assert_true(wrapped > -PCS_PI && wrapped <= PCS_PI);
        assert_near(sin(wrapped), sin(angle), 50 * DBL_EPSILON);
        assert_near(cos(wrapped), cos(angle), 50 * DBL_EPSILON);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exp_against_series),
        cmocka_unit_test(test_exp_small_is_relative),
        cmocka_unit_test(test_log_inverts_exp),
        cmocka_unit_test(test_log_near_pi),
        cmocka_unit_test(test_exp_inverts_log),
        cmocka_unit_test(test_tangent_against_series),
        cmocka_unit_test(test_tangent_coefficients),
        cmocka_unit_test(test_tangent_inverse),
        cmocka_unit_test(test_tangent_by_differences),
        cmocka_unit_test(test_tangent_difference_order),
        cmocka_unit_test(test_second_derivatives),
        cmocka_unit_test(test_quaternion_algebra),
        cmocka_unit_test(test_from_matrix),
        cmocka_unit_test(test_from_axis_angle),
        cmocka_unit_test(test_from_z_axis),
        cmocka_unit_test(test_angle_wrap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
