// Projections on the Coulomb cone, its dual and the disc: the three cases by hand, and the
// variational characterisation (Moreau's decomposition) for random data.
#include <float.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "math/cone.h"

#define assert_near(a, b, tolerance) assert_true(fabs((a) - (b)) <= (tolerance))

static double tangential_norm(int size, const double *r)
{
    return size == 1 ? 0 : size == 2 ? fabs(r[1]) : hypot(r[1], r[2]);
}

static double dot(int size, const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < size; i++)
        sum += a[i] * b[i];
    return sum;
}

// Moreau: x = P_K(x) + P_{-K*}(x), both parts orthogonal; this alone determines both projections.
static void test_moreau_decomposition(void **state)
{
    (void)state;
    pcs_random random;
    pcs_random_init(&random, 2385);
    int cases[3] = {0, 0, 0};
    for (int trial = 0; trial < 20000; trial++) {
        int size = 1 + trial % 3;
        double mu = trial % 7 == 0 ? 0 : pow(10, pcs_random_between(&random, -3, 1));
        double scale = pow(10, pcs_random_between(&random, -6, 6));
        double x[3], in_K[3], in_dual[3];
        for (int i = 0; i < size; i++) {
            x[i] = scale * pcs_random_between(&random, -1, 1);
            in_K[i] = x[i];
            in_dual[i] = -x[i];
        }
        pcs_cone_project(mu, size, in_K);
        pcs_cone_project_dual(mu, size, in_dual); // P_{-K*}(x) = -P_{K*}(-x)

        // The norm, the ray formula and the scaling round some eight times at the size of x; the
        // cone conditions multiply that by mu.
        double norm = sqrt(dot(size, x, x));
        double tolerance = 8 * DBL_EPSILON * norm;
        double weight = 1 + mu;
        assert_true(tangential_norm(size, in_K) <= mu * in_K[0] + weight * tolerance);
        assert_true(mu * tangential_norm(size, in_dual) <= in_dual[0] + weight * tolerance);
        assert_true(in_K[0] >= 0 && in_dual[0] >= 0);
        assert_near(dot(size, in_K, in_dual), 0, norm * tolerance);
        for (int i = 0; i < size; i++)
            assert_near(in_K[i] - in_dual[i], x[i], tolerance);
        cases[dot(size, in_dual, in_dual) == 0 ? 0 : dot(size, in_K, in_K) == 0 ? 1 : 2]++;
    }
    for (int i = 0; i < 3; i++)
        assert_true(cases[i] > 100); // the data reach all three cases
}

static void test_projection_is_idempotent(void **state)
{
    (void)state;
    pcs_random random;
    pcs_random_init(&random, 17);
    for (int trial = 0; trial < 3000; trial++) {
        int size = 2 + trial % 2;
        double mu = pcs_random_between(&random, 0, 1.5), r[3], once[3];
        for (int i = 0; i < size; i++)
            r[i] = pcs_random_between(&random, -1, 1);
        pcs_cone_project(mu, size, r);
        memcpy(once, r, sizeof r);
        pcs_cone_project(mu, size, r);
        for (int i = 0; i < size; i++)
            assert_near(r[i], once[i], 8 * DBL_EPSILON);
    }
}

static void test_cases_by_hand(void **state)
{
    (void)state;
    double inside[3] = {2.385, 0.3, -0.4}; // |r_T| = 0.5 <= 0.31 * 2.385 = 0.739
    pcs_cone_project(0.31, 3, inside);
    assert_true(inside[0] == 2.385 && inside[1] == 0.3 && inside[2] == -0.4);

    double polar[3] = {-2.385, 3, -4}; // 0.31 * 5 = 1.55 <= 2.385
    pcs_cone_project(0.31, 3, polar);
    assert_true(polar[0] == 0 && polar[1] == 0 && polar[2] == 0);

    double outside[3] = {1.1, 3, -4}; // s = (1.1 + 0.75*5)/(1 + 0.75^2) = 4.85/1.5625 = 3.104
    pcs_cone_project(0.75, 3, outside);
    assert_near(outside[0], 3.104, 8 * DBL_EPSILON);
    assert_near(outside[1], 0.75 * 3.104 * 0.6, 8 * DBL_EPSILON);
    assert_near(outside[2], -0.75 * 3.104 * 0.8, 8 * DBL_EPSILON);

    double dual[2] = {1.1, -5}; // s = (0.75*1.1 + 5)/1.5625 = 3.728
    pcs_cone_project_dual(0.75, 2, dual);
    assert_near(dual[0], 0.75 * 3.728, 8 * DBL_EPSILON);
    assert_near(dual[1], -3.728, 8 * DBL_EPSILON);

    double frictionless[3] = {-0.7, 1.3, 2.9}; // K* is the half space for mu = 0, K the ray
    pcs_cone_project_dual(0, 3, frictionless);
    assert_true(frictionless[0] == 0 && frictionless[1] == 1.3 && frictionless[2] == 2.9);
    double ray[3] = {0.7, 1.3, 2.9};
    pcs_cone_project(0, 3, ray);
    assert_true(ray[0] == 0.7 && ray[1] == 0 && ray[2] == 0);

    double normal = -3.3;
    pcs_cone_project(0.4, 1, &normal);
    assert_true(normal == 0);
    double origin[3] = {0, 0, 0};
    pcs_cone_project(0.4, 3, origin);
    pcs_cone_project_dual(0.4, 3, origin);
    assert_true(origin[0] == 0 && origin[1] == 0 && origin[2] == 0);
}

static void test_nan_is_not_hidden(void **state)
{
    (void)state;
    for (int size = 1; size <= 3; size++) {
        for (int at = 0; at < size; at++) {
            double r[3] = {-0.7, 1.3, 2.9}, u[3] = {-0.7, 1.3, 2.9};
            r[at] = u[at] = (double)NAN;
            pcs_cone_project(0.4, size, r);
            pcs_cone_project_dual(0.4, size, u);
            assert_true(isnan(r[0]) && isnan(u[0]));
        }
    }
}

static void test_disc(void **state)
{
    (void)state;
    double inside[2] = {0.3, -0.4};
    pcs_disc_project(0.51, 2, inside);
    assert_true(inside[0] == 0.3 && inside[1] == -0.4);
    double outside[2] = {3, -4};
    pcs_disc_project(2.385, 2, outside);
    assert_near(outside[0], 2.385 * 0.6, 4 * DBL_EPSILON);
    assert_near(outside[1], -2.385 * 0.8, 4 * DBL_EPSILON);
    double line = -7.1;
    pcs_disc_project(2.385, 1, &line);
    assert_near(line, -2.385, 4 * DBL_EPSILON);
    double point[2] = {1.7, -2.9};
    pcs_disc_project(0, 2, point);
    assert_true(point[0] == 0 && point[1] == 0);
    double origin[2] = {0, 0};
    pcs_disc_project(0, 2, origin);
    assert_true(origin[0] == 0 && origin[1] == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_moreau_decomposition),
        cmocka_unit_test(test_projection_is_idempotent),
        cmocka_unit_test(test_cases_by_hand),
        cmocka_unit_test(test_nan_is_not_hidden),
        cmocka_unit_test(test_disc),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
