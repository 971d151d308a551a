// Nodes: retraction and difference are inverse, poses and twists belong together, rows are the
// linear forms that they claim to be.
#include <float.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "model/node.h"
#include "support/probe.h"

static const pcs_node_kind KINDS[] = {PCS_NODE_POINT2, PCS_NODE_POINT3, PCS_NODE_PLANAR,
                                      PCS_NODE_SPATIAL};
enum { KIND_COUNT = 4, TRIALS = 50 };

static void random_q(pcs_random *random, pcs_node_kind kind, double *q)
{
    for (int i = 0; i < 3; ++i)
        q[i] = pcs_random_between(random, -2.3, 2.3);
    pcs_quat p = probe_rotation(random, 3);
    if (kind == PCS_NODE_SPATIAL) {
        const double quat[4] = {p.w, p.x, p.y, p.z};
        memcpy(q + 3, quat, sizeof quat);
    }
}

static void random_v(pcs_random *random, double size, double *v)
{
    for (int i = 0; i < PCS_NODE_V_MAX; ++i)
        v[i] = pcs_random_between(random, -size, size);
}

static void sizes(void **state)
{
    (void)state;
    static const int32_t q[] = {2, 3, 3, 7}, v[] = {2, 3, 3, 6};
    for (int k = 0; k < KIND_COUNT; ++k) {
        assert_int_equal(pcs_node_q_size(KINDS[k]), q[k]);
        assert_int_equal(pcs_node_v_size(KINDS[k]), v[k]);
    }
}

// (q [+] d) [-] q = d as long as the rotation stays below half a turn, and q [+] (q2 [-] q) = q2 up
// to the sign of the quaternion.
static void retract_and_difference_are_inverse(void **state)
{
    (void)state;
    pcs_random random;
    pcs_random_init(&random, 4711);
    const double rounding = 64 * DBL_EPSILON;
    for (int trial = 0; trial < KIND_COUNT * TRIALS; ++trial) {
        pcs_node_kind kind = KINDS[trial % KIND_COUNT];
        int32_t n = pcs_node_v_size(kind);
        double q[PCS_NODE_Q_MAX], q2[PCS_NODE_Q_MAX], q3[PCS_NODE_Q_MAX];
        double d[PCS_NODE_V_MAX], back[PCS_NODE_V_MAX];
        random_q(&random, kind, q);
        random_v(&random, trial % 3 == 0 ? 1e-9 : 1.7, d); // 1.7 sqrt(3) < pi
        pcs_node_retract(kind, q, d, q2);
        pcs_node_difference(kind, q2, q, back);
        for (int32_t i = 0; i < n; ++i)
            probe_assert_near(back[i], d[i], rounding, "difference", (int)kind, i);
        random_q(&random, kind, q3);
        pcs_node_difference(kind, q3, q, d);
        pcs_node_retract(kind, q, d, q); // in place
        pcs_pose pose = pcs_node_pose(kind, q), wanted = pcs_node_pose(kind, q3);
        probe_assert_near(pcs_v3_norm(pcs_v3_sub(pose.x, wanted.x)), 0, rounding, "place",
                          (int)kind, 0);
        for (int i = 0; i < 9; ++i)
            probe_assert_near(pose.R.m[i / 3][i % 3], wanted.R.m[i / 3][i % 3], rounding, "axes",
                              i / 3, i % 3);
        if (kind == PCS_NODE_SPATIAL) {
            double norm = sqrt(q[3] * q[3] + q[4] * q[4] + q[5] * q[5] + q[6] * q[6]);
            probe_assert_near(norm, 1, 4 * DBL_EPSILON, "quaternion", 0, 0);
        }
    }
}

// Equal places differ by the rounding of a quaternion product at most.
static void equal_places_do_not_differ(void **state)
{
    (void)state;
    pcs_random random;
    pcs_random_init(&random, 99);
    for (int trial = 0; trial < TRIALS; ++trial) {
        double q[PCS_NODE_Q_MAX], d[PCS_NODE_V_MAX];
        random_q(&random, PCS_NODE_SPATIAL, q);
        pcs_node_difference(PCS_NODE_SPATIAL, q, q, d);
        for (int i = 0; i < 6; ++i)
            probe_assert_near(d[i], 0, 2 * DBL_EPSILON, "difference", trial, i);
    }
}

// A point fixed to the node moves with v + omega x arm: the derivative of x + R a along q [+] s v.
static void twist_is_the_rate_of_the_pose(void **state)
{
    (void)state;
    pcs_random random;
    pcs_random_init(&random, 815);
    for (int trial = 0; trial < KIND_COUNT * TRIALS; ++trial) {
        pcs_node_kind kind = KINDS[trial % KIND_COUNT];
        double q[PCS_NODE_Q_MAX], v[PCS_NODE_V_MAX];
        random_q(&random, kind, q);
        random_v(&random, 2.1, v);
        pcs_vec3 a = probe_vector(&random, kind == PCS_NODE_SPATIAL ? 3 : 2, 1.3);
        double place[3][4];
        for (int k = 0; k < 4; ++k) {
            double d[PCS_NODE_V_MAX], moved[PCS_NODE_Q_MAX], x[3];
            for (int i = 0; i < PCS_NODE_V_MAX; ++i)
                d[i] = probe_place(k, PROBE_STEP) * v[i];
            pcs_node_retract(kind, q, d, moved);
            pcs_pose pose = pcs_node_pose(kind, moved);
            pcs_v3_store(x, pcs_v3_add(pose.x, pcs_m3_mul_v3(&pose.R, a)));
            for (int i = 0; i < 3; ++i)
                place[i][k] = x[i];
        }
        pcs_pose pose = pcs_node_pose(kind, q);
        pcs_twist twist = pcs_node_twist(kind, &pose, v);
        double rate[3];
        pcs_v3_store(rate, pcs_v3_add(twist.v, pcs_v3_cross(twist.w, pcs_m3_mul_v3(&pose.R, a))));
        for (int i = 0; i < 3; ++i)
            probe_assert_near(rate[i], probe_derivative(place[i], PROBE_STEP), PROBE_TOLERANCE,
                              "velocity", (int)kind, i);
    }
}

// row . v = d . v_world + w . omega_world
static void row_is_the_linear_form(void **state)
{
    (void)state;
    pcs_random random;
    pcs_random_init(&random, 31337);
    for (int trial = 0; trial < KIND_COUNT * TRIALS; ++trial) {
        pcs_node_kind kind = KINDS[trial % KIND_COUNT];
        double q[PCS_NODE_Q_MAX], v[PCS_NODE_V_MAX], row[PCS_NODE_V_MAX];
        random_q(&random, kind, q);
        random_v(&random, 2.1, v);
        pcs_vec3 d = probe_vector(&random, 3, 1.9), w = probe_vector(&random, 3, 1.9);
        pcs_pose pose = pcs_node_pose(kind, q);
        pcs_twist twist = pcs_node_twist(kind, &pose, v);
        pcs_node_row(kind, &pose, d, w, row);
        double sum = 0;
        for (int32_t i = 0; i < pcs_node_v_size(kind); ++i)
            sum += row[i] * v[i];
        probe_assert_near(sum, pcs_v3_dot(d, twist.v) + pcs_v3_dot(w, twist.w), 64 * DBL_EPSILON,
                          "row", (int)kind, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes),
        cmocka_unit_test(retract_and_difference_are_inverse),
        cmocka_unit_test(equal_places_do_not_differ),
        cmocka_unit_test(twist_is_the_rate_of_the_pose),
        cmocka_unit_test(row_is_the_linear_form),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
