// IFToMM benchmark problems A01 to A04 (smooth motion, joints) with theta = 1/2: the error against
// the reference is of second order in the step, and has the size that the tests state.
//
// References: A01 and A02 elliptic functions (exact); A03 IVP Test Set, PSIDE with tolerance 1e-14;
// A04 reduction to one degree of freedom, |dE| < 3e-10 J, nine digits.
#include <string.h>

#include "support/iftomm_reference.h"
#include "support/mechanisms.h"
#include "support/near.h"

#include "math/rotation.h"

// Errors at two steps h and h/2 of a method of order 2 have the ratio 4 up to terms of higher
// order.
static void assert_second_order(double coarse, double fine)
{
    assert_near(coarse / fine, 4, 0.5);
}

static void run_to(scene *s, double t)
{
    while (pcs_simulation_time(s->simulation) < t - 1e-9)
        assert_int_equal(scene_step(s), PCS_OK);
}

static double distance(pcs_vec3 a, pcs_vec3 b)
{
    return pcs_v3_norm(pcs_v3_sub(a, b));
}

// ---- A01 simple pendulum ----

static const struct {
    double t;
    pcs_vec3 x;
} pendulum_reference[] = {
    {0.5, {0.391048791550546, -0.920369948785192, 0}},
    {1, {-0.986291751131875, -0.165010853125541, 0}},
    {2.5, {0.996334403958282, -0.0855438804888806, 0}},
    {5, {0.942305435043757, -0.334754338414001, 0}},
    {10, {0.275087462576117, -0.961419205099125, 0}},
};
enum { PENDULUM_TIMES = sizeof pendulum_reference / sizeof *pendulum_reference };

static void pendulum_errors(int32_t dimension, pendulum_kind kind, double h, double *error)
{
    scene s;
    pcs_vec3 arm;
    mechanism_pendulum(&s, dimension, kind, &arm);
    scene_finish(&s, h, 10);
    for (int i = 0; i < PENDULUM_TIMES; ++i) {
        run_to(&s, pendulum_reference[i].t);
        pcs_body_view bob = scene_view(&s, 0);
        pcs_vec3 x = pcs_v3_add(bob.position, pcs_quat_rotate(bob.rotation, arm));
        error[i] = distance(x, pendulum_reference[i].x);
    }
    assert_at_most(pcs_simulation_statistics(s.simulation)->worst_drift, 1e-12);
    // Published for Exudyn at h = 0.8e-3: energy drift below 5e-5 J.
    assert_at_most(fabs(scene_total_energy(&s)), 5e-5 * (h / 0.8e-3) * (h / 0.8e-3));
    scene_end(&s);
}

static void pendulum(int32_t dimension, pendulum_kind kind)
{
    double coarse[PENDULUM_TIMES], fine[PENDULUM_TIMES];
    pendulum_errors(dimension, kind, 2e-3, coarse);
    pendulum_errors(dimension, kind, 1e-3, fine);
    for (int i = 0; i < PENDULUM_TIMES; ++i) {
        assert_second_order(coarse[i], fine[i]);
        // A relative error of the period of (omega h)^2/24 with omega = 4.43 rad/s at the bottom.
        assert_at_most(fine[i], 4.43 * 8.2e-7 * pendulum_reference[i].t);
    }
}

static void test_pendulum_point(void **state)
{
    (void)state;
    pendulum(2, PENDULUM_POINT);
    pendulum(3, PENDULUM_POINT);
}

static void test_pendulum_rigid(void **state)
{
    (void)state;
    pendulum(2, PENDULUM_RIGID);
    pendulum(3, PENDULUM_RIGID);
}

// ---- A02 two windows of four-bars ----

enum { WINDOWS_TIMES = sizeof windows_reference / sizeof *windows_reference };

// Largest error of B0 at the reference times, and the largest energy error at any step.
static double windows_error(double h, double *energy)
{
    scene s;
    double error = 0;
    mechanism_windows(&s, 2);
    scene_finish(&s, h, 10);
    scene_require(&s, pcs_simulation_start(s.simulation));
    const double start = scene_total_energy(&s);
    *energy = 0;
    for (int i = 0; i < WINDOWS_TIMES; ++i) {
        while (pcs_simulation_time(s.simulation) < windows_reference[i].t - 1e-9) {
            assert_int_equal(scene_step(&s), PCS_OK);
            *energy = fmax(*energy, fabs(scene_total_energy(&s) - start));
        }
        pcs_body_view crank = scene_view(&s, 0), last = scene_view(&s, 2);
        double x = cos(crank.angle), y = sin(crank.angle), w = crank.angular_velocity.z;
        const double B0[4] = {x, y, -w * y, w * x};
        for (int j = 0; j < 4; ++j)
            error = fmax(error, fabs(B0[j] - windows_reference[i].x[j]));
        assert_near(crank.angle, last.angle, 1e-7); // no other branch was taken
    }
    assert_at_most(pcs_simulation_statistics(s.simulation)->worst_drift, 1e-11);
    scene_end(&s);
    return error;
}

// Twice a turn all rods lie in one line and two more degrees of freedom open. At the last two times
// the terms of order h^2 and h^3 have opposite signs and nearly cancel, so the error is held
// against the bound C h^2 and the order is read from the energy. Exudyn's energy error is 0.114 J
// at h = 0.01.
static void test_windows(void **state)
{
    (void)state;
    const double h[3] = {1e-3, 5e-4, 2.5e-4};
    double energy[3];
    for (int i = 0; i < 3; ++i)
        assert_at_most(windows_error(h[i], &energy[i]), 50 * h[i] * h[i]);
    assert_second_order(energy[0], energy[1]);
    assert_second_order(energy[1], energy[2]);
    assert_at_most(energy[0], 0.114 * 1e-2);
}

// ---- A03 Andrews' squeezer ----

enum { ANGLES = 7 };

// beta, Theta, gamma, Phi, delta, Omega, epsilon from the angles of K1 .. K7.
static void squeezer_state(const scene *s, double q[ANGLES], double v[ANGLES])
{
    double a[ANGLES], w[ANGLES];
    for (int i = 0; i < ANGLES; ++i) {
        pcs_body_view view = scene_view(s, i);
        a[i] = view.angle;
        w[i] = view.angular_velocity.z;
    }
    const double angles[ANGLES] = {a[0], a[1] - a[0], a[2], a[3] - a[4], a[4], a[5] - a[6], a[6]};
    const double rates[ANGLES] = {w[0], w[1] - w[0], w[2], w[3] - w[4], w[4], w[5] - w[6], w[6]};
    memcpy(q, angles, sizeof angles);
    memcpy(v, rates, sizeof rates);
}

static void test_squeezer_start(void **state)
{
    (void)state;
    scene s;
    double q[ANGLES], v[ANGLES];
    const double h = 1e-7;
    mechanism_squeezer(&s);
    scene_finish(&s, h, 1e-3);
    assert_int_equal(scene_step(&s), PCS_OK);
    const pcs_statistics *statistics = pcs_simulation_statistics(s.simulation);
    assert_at_most(statistics->assembly_moved, 1e-12); // the start is consistent
    assert_int_equal(statistics->redundant_rows, 0);
    squeezer_state(&s, q, v);
    // The mean acceleration over the first step is that at its start to O(h).
    const double acceleration[ANGLES] = {14222.4439199541, -10666.8329399656};
    for (int i = 0; i < ANGLES; ++i)
        assert_near(v[i] / h, acceleration[i], 1e-4);
    // Only the joint of K2 and K3 carries a force at the start.
    pcs_joint_view P3;
    pcs_simulation_joint(s.simulation, SQUEEZER_JOINT_P3, &P3);
    assert_near(P3.force.x, 98.5668703962411, 1e-6);
    assert_near(P3.force.y, -6.12268834425566, 1e-6);
    scene_end(&s);
}

static const double squeezer_q[ANGLES] = {
    15.81077119629904,  -15.75637105984298, 0.04082224013073101, -0.5347301163226948,
    0.5244099658805304, 0.5347301163226948, 1.048080741042263};
static const double squeezer_v[ANGLES] = {1139.920302151208, -1424.379294994111, 11.03291221937134,
                                          19.29337464421385, 0.5735699284790808, -19.29337464421385,
                                          0.3231791658026955};

static void squeezer_errors(double h, double *error_q, double *error_v)
{
    scene s;
    double q[ANGLES], v[ANGLES];
    mechanism_squeezer(&s);
    scene_finish(&s, h, 0.03);
    assert_int_equal(scene_run(&s), 0);
    squeezer_state(&s, q, v);
    *error_q = *error_v = 0;
    for (int i = 0; i < ANGLES; ++i) {
        *error_q = fmax(*error_q, fabs(q[i] - squeezer_q[i]));
        *error_v = fmax(*error_v, fabs(v[i] - squeezer_v[i]));
    }
    scene_end(&s);
}

static void test_squeezer(void **state)
{
    (void)state;
    double coarse[2], fine[2], finest[2];
    squeezer_errors(2e-6, &coarse[0], &coarse[1]);
    squeezer_errors(1e-6, &fine[0], &fine[1]);
    squeezer_errors(5e-7, &finest[0], &finest[1]);
    for (int i = 0; i < 2; ++i) { // angles, rates
        assert_second_order(coarse[i], fine[i]);
        assert_second_order(fine[i], finest[i]);
    }
    assert_at_most(fine[0], 2e-7);
    assert_at_most(fine[1], 2e-4);
}

// ---- A04 Bricard ----

enum { BRICARD_TIMES = sizeof bricard_reference / sizeof *bricard_reference };

static void bricard_errors(double h, double *error)
{
    scene s;
    mechanism_bricard(&s);
    scene_finish(&s, h, 10);
    for (int i = 0; i < BRICARD_TIMES; ++i) {
        run_to(&s, bricard_reference[i].t);
        error[i] = distance(scene_view(&s, BRICARD_ROD2).position, bricard_reference[i].x);
    }
    // One row of thirty is redundant, always; the run names it.
    const pcs_statistics *statistics = pcs_simulation_statistics(s.simulation);
    assert_int_equal(statistics->redundant_rows, 1);
    assert_int_equal(statistics->redundant_most, 1);
    assert_at_most(statistics->worst_drift, 1e-11);
    int32_t named = 0;
    for (int32_t i = 0; i < pcs_model_row_count(s.model); ++i) {
        if (pcs_simulation_row_is_redundant(s.simulation, i)) {
            assert_non_null(strstr(pcs_model_row_name(s.model, i), "joint.hinge"));
            ++named;
        }
    }
    assert_int_equal(named, 1);
    scene_end(&s);
}

static void test_bricard(void **state)
{
    (void)state;
    double coarse[BRICARD_TIMES], fine[BRICARD_TIMES];
    bricard_errors(4e-3, coarse);
    bricard_errors(2e-3, fine);
    for (int i = 0; i < BRICARD_TIMES; ++i) {
        // At 2.5, 5 and 10 s the mechanism turns back: the errors are small and near the last digit
        // of the reference.
        if (coarse[i] > 2e-6)
            assert_second_order(coarse[i], fine[i]);
        assert_at_most(fine[i], 1e-6 * fmax(1, bricard_reference[i].t));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pendulum_point), cmocka_unit_test(test_pendulum_rigid),
        cmocka_unit_test(test_windows),        cmocka_unit_test(test_squeezer_start),
        cmocka_unit_test(test_squeezer),       cmocka_unit_test(test_bricard),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
