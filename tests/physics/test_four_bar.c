// Four-bar linkage and slider-crank of [Haddouni2015, 4.1 and 4.2], from bodies and joints: states
// and constraint forces against the converged references of the digest (RKF and HEM5 with tolerance
// 1e-13 in minimal coordinates), second order in the step.
#include "support/mechanisms.h"
#include "support/near.h"

static void assert_second_order(double coarse, double fine)
{
    assert_near(coarse / fine, 4, 0.5);
}

static double error_of(const double *x, const double *reference, int n)
{
    double error = 0;
    for (int i = 0; i < n; ++i)
        error = fmax(error, fabs(x[i] - reference[i]));
    return error;
}

static void get_state(const scene *s, int n, double *q, double *v)
{
    for (int i = 0; i < n; ++i) {
        pcs_body_view view = scene_view(s, i);
        q[i] = view.angle;
        v[i] = view.angular_velocity.z;
    }
}

// ---- Four-bar, digest 4.1 ----

static void four_bar_errors(double h, double *error_q, double *error_v, double *error_lambda)
{
    scene s;
    mechanism_four_bar(&s);
    scene_finish(&s, h, 2.1);
    for (int i = 0; i < FOUR_BAR_TIMES; ++i) {
        double q[3], v[3];
        pcs_joint_view before, after;
        while (pcs_simulation_time(s.simulation) < four_bar_reference[i].t - 0.5 * h)
            assert_int_equal(scene_step(&s), PCS_OK);
        get_state(&s, 3, q, v);
        error_q[i] = error_of(q, four_bar_reference[i].q, 3);
        error_v[i] = error_of(v, four_bar_reference[i].v, 3);
        // The mean forces of the two steps beside t, which are those at t -+ h/2 to O(h^2).
        pcs_simulation_joint(s.simulation, FOUR_BAR_JOINT_LAMBDA, &before);
        assert_int_equal(scene_step(&s), PCS_OK);
        pcs_simulation_joint(s.simulation, FOUR_BAR_JOINT_LAMBDA, &after);
        const double lambda[2] = {0.5 * (before.force.x + after.force.x),
                                  0.5 * (before.force.y + after.force.y)};
        error_lambda[i] = error_of(lambda, four_bar_reference[i].lambda, 2);
    }
    // The torque is an actuator, so that all energy is accounted for to the order of the scheme.
    assert_at_most(fabs(scene_energy(&s)->numerical), 50 * h * h);
    assert_at_most(pcs_simulation_statistics(s.simulation)->worst_drift, 1e-11);
    scene_end(&s);
}

static void test_four_bar(void **state)
{
    (void)state;
    double q[2][FOUR_BAR_TIMES], v[2][FOUR_BAR_TIMES], lambda[2][FOUR_BAR_TIMES];
    four_bar_errors(1e-4, q[0], v[0], lambda[0]);
    four_bar_errors(5e-5, q[1], v[1], lambda[1]);
    for (int i = 0; i < FOUR_BAR_TIMES; ++i) {
        assert_second_order(q[0][i], q[1][i]);
        assert_second_order(v[0][i], v[1][i]);
        assert_second_order(lambda[0][i], lambda[1][i]);
        assert_at_most(q[1][i], 2e-7);
        assert_at_most(v[1][i], 5e-6);
        assert_at_most(lambda[1][i], 2e-6 * 112); // relative to the largest force
    }
}

static void test_four_bar_start(void **state)
{
    (void)state;
    const double h = 1e-6, acceleration[3] = {53.6392857143, -40.2294642857, 30.1720982143};
    scene s;
    mechanism_four_bar(&s);
    scene_finish(&s, h, 1);
    assert_int_equal(scene_step(&s), PCS_OK);
    assert_at_most(pcs_simulation_statistics(s.simulation)->assembly_moved, 1e-11);
    double q[3], v[3];
    get_state(&s, 3, q, v);
    // From rest, the acceleration changes by O(h^2) in the first step.
    for (int i = 0; i < 3; ++i)
        assert_near(v[i] / h, acceleration[i], 1e-8);
    pcs_joint_view joint;
    pcs_simulation_joint(s.simulation, FOUR_BAR_JOINT_LAMBDA, &joint);
    assert_near(joint.force.x, -1.27830246766, 1e-8);
    assert_near(joint.force.y, 5.35497767857, 1e-8);
    scene_end(&s);
}

// ---- Slider-crank, digest 4.2 ----

static void slider_crank_errors(double h, double error[3])
{
    const double q_reference[2] = {-0.798329936524, 0.366227619014};
    const double v_reference[2] = {-3.35792971716, 1.25498008030};
    const double lambda_reference = 19.5253813957;
    scene s;
    double q[2], v[2];
    pcs_joint_view before, after;
    mechanism_slider_crank(&s);
    scene_finish(&s, h, 1 + h);
    while (pcs_simulation_time(s.simulation) < 1 - 0.5 * h)
        assert_int_equal(scene_step(&s), PCS_OK);
    get_state(&s, 2, q, v);
    error[0] = error_of(q, q_reference, 2);
    error[1] = error_of(v, v_reference, 2);
    pcs_simulation_joint(s.simulation, SLIDER_CRANK_JOINT_LAMBDA, &before);
    assert_int_equal(scene_step(&s), PCS_OK);
    pcs_simulation_joint(s.simulation, SLIDER_CRANK_JOINT_LAMBDA, &after);
    error[2] = fabs(0.5 * (before.force.y + after.force.y) - lambda_reference);
    scene_end(&s);
}

static void test_slider_crank(void **state)
{
    (void)state;
    double coarse[3], fine[3];
    slider_crank_errors(1e-3, coarse);
    slider_crank_errors(5e-4, fine);
    for (int i = 0; i < 3; ++i)
        assert_second_order(coarse[i], fine[i]);
    assert_at_most(fine[0], 2e-5); // 80 h^2
    assert_at_most(fine[1], 2e-5);
    assert_at_most(fine[2], 1e-4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_four_bar_start),
        cmocka_unit_test(test_four_bar),
        cmocka_unit_test(test_slider_crank),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
