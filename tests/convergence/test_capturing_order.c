// The capturing scheme: the order of its integrator across impacts, accumulations, release, rest.
#include "support/near.h"
#include "support/scenes.h"

// q'' = -q, q >= 0, e = 0.8 from q = 1: impacts at pi/2 + n pi, amplitude 0.8^(n+1) after them
// [digest of AcaryLectures, 4.3].
static double oscillator(double t)
{
    const double pi = 3.14159265358979324;
    double n = floor((t - pi / 2) / pi); // number of the last impact, -1 before the first
    return n < 0 ? cos(t) : pow(0.8, n + 1) * sin(t - pi / 2 - n * pi);
}

// Largest error of q at the step ends up to t = 10.
static double oscillator_error(const char *integrator, double h)
{
    scene s;
    scene_bouncing_ball(&s, 0, 1, 1, 0, 0.8);
    pcs_force_def spring = pcs_force_default();
    spring.name = "spring";
    spring.body = 0;
    spring.force[1] = pcs_expression("-body.ball.position.y");
    scene_force(&s, &spring);
    s.scheme = "capturing";
    scene_finish(&s, h, 10);
    scene_set(&s, "integrator", integrator);
    double worst = 0;
    while (!pcs_simulation_finished(s.simulation)) {
        scene_step(&s);
        double t = pcs_simulation_time(s.simulation);
        worst = fmax(worst, fabs(pcs_simulation_q(s.simulation)[1] - oscillator(t)));
    }
    assert_int_equal(pcs_simulation_statistics(s.simulation)->impacts, 3);
    scene_end(&s);
    return worst;
}

// Acary 4.3 of the digest, largest errors of q. RK2 on this linear system does not depend on which
// method of two stages it is. The last digit of the last number depends on how bisection cuts an
// interval of 1e-11 s: it is met to one unit instead of a half.
static void test_published_errors(void **state)
{
    (void)state;
    static const struct {
        const char *integrator;
        double h, error, tolerance;
    } table[] = {
        {"heun", 0.1, 7.8e-3, 0.5e-4},    {"heun", 0.05, 2.0e-3, 0.5e-4},
        {"heun", 0.0125, 1.3e-4, 0.5e-5}, {"rk4", 0.1, 4.3e-6, 0.5e-7},
        {"rk4", 0.025, 1.6e-8, 0.5e-9},   {"rk4", 0.00625, 5.8e-11, 1e-12},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; ++i) {
        double error = oscillator_error(table[i].integrator, table[i].h);
        print_message("%s, h %g: %.4g (published %g)\n", table[i].integrator, table[i].h, error,
                      table[i].error);
        assert_near(error, table[i].error, table[i].tolerance);
    }
}

static void test_orders(void **state)
{
    (void)state;
    static const struct {
        const char *integrator;
        double order;
    } table[] = {{"heun", 2}, {"bs32", 3}, {"rk4", 4}, {"dopri5", 5}, {"hem5", 5}, {"phem56", 5}};
    enum { STEPS = 5 };
    for (size_t i = 0; i < sizeof table / sizeof *table; ++i) {
        double x_sum = 0, y_sum = 0, xx_sum = 0, xy_sum = 0, h = 0.0973;
        for (int k = 0; k < STEPS; ++k, h /= 1.63) {
            double x = log(h), y = log(oscillator_error(table[i].integrator, h));
            x_sum += x;
            y_sum += y;
            xx_sum += x * x;
            xy_sum += x * y;
        }
        double order = (STEPS * xy_sum - x_sum * y_sum) / (STEPS * xx_sum - x_sum * x_sum);
        print_message("%s: order %.2f\n", table[i].integrator, order);
        // The width of an interval varies between C h^(p+1) / 2 and C h^(p+1) from impact to
        // impact.
        assert_true(order > table[i].order - 0.2);
    }
}

// Free flight is exact in every integrator, so only the instants of the impacts are wrong, by the
// width of their intervals: an accumulation costs no accuracy, whatever the output step. The first
// impact has (1+e) |v| = 3, and each of the following ones repeats the delay of those before it.
static void test_accumulation(void **state)
{
    (void)state;
    static const double output[] = {0.37, 0.1, 0.0123};
    for (int i = 0; i < 3; ++i) {
        scene s;
        scene_bouncing_ball(&s, 2, 1, 1, 0, 0.5);
        s.scheme = "capturing";
        scene_finish(&s, output[i], 4);
        scene_set_number(&s, "location_constant", 1e-9); // the floor decides: 1e-12 s
        double worst = 0, rest = 0;
        while (!pcs_simulation_finished(s.simulation)) {
            scene_step(&s);
            double t = pcs_simulation_time(s.simulation), q = pcs_simulation_q(s.simulation)[1];
            worst = fmax(worst, fabs(q - scene_ball_height(t)));
            if (t > 3.001)
                rest = fmax(rest, fabs(pcs_simulation_v(s.simulation)[1]));
        }
        const pcs_statistics *statistics = pcs_simulation_statistics(s.simulation);
        print_message("ball, output %g: error %.3g, %d impacts, %d steps, remainder %.3g\n",
                      output[i], worst, (int)statistics->impacts, (int)statistics->inner_steps,
                      statistics->energy.numerical);
        assert_at_most(worst, 20 * 1e-12);
        assert_true(rest == 0);
        // Flights are followed down to rest_gap: height 4^-n = 1e-12 after twenty impacts.
        assert_in_range(statistics->impacts, 19, 22);
        assert_true(statistics->time_stepping == 0);
        assert_near(scene_energy(&s)->impact, -2, 1e-10);
        assert_near(scene_contact_view(&s, 0).force_now[0], 2, 1e-12);
        assert_int_equal(scene_contact_view(&s, 0).state, PCS_CLOSED);
        scene_end(&s);
    }
}

// A ball at rest under the force -cos t: the contact carries cos t, lets go at pi/2 (it does not
// pull) and q = t - pi/2 + cos t from there.
static void test_release(void **state)
{
    (void)state;
    double error[2], h = 0.1;
    for (int i = 0; i < 2; ++i, h /= 4) {
        scene s;
        scene_bouncing_ball(&s, 0, 1, 0, 0, 0.5);
        pcs_force_def force = pcs_force_default();
        force.name = "force";
        force.body = 0;
        force.force[1] = pcs_expression("-cos(t)");
        scene_force(&s, &force);
        s.scheme = "capturing";
        scene_finish(&s, h, 3);
        error[i] = 0;
        while (!pcs_simulation_finished(s.simulation)) {
            scene_step(&s);
            double t = pcs_simulation_time(s.simulation), q = pcs_simulation_q(s.simulation)[1];
            bool closed = t < 1.57079632679489662;
            if (closed)
                assert_near(scene_contact_view(&s, 0).force_now[0], cos(t), 1e-12);
            double exact = closed ? 0 : t - 1.57079632679489662 + cos(t);
            error[i] = fmax(error[i], fabs(q - exact));
        }
        print_message("release, h %g: error %.3g\n", h, error[i]);
        assert_int_equal(pcs_simulation_statistics(s.simulation)->impacts, 0);
        pcs_event event;
        bool opened = false;
        for (int64_t k = 0; pcs_simulation_event(s.simulation, k, &event); ++k)
            opened = opened || event.kind == PCS_EVENT_OPEN;
        assert_true(opened);
        scene_end(&s);
    }
    assert_true(log(error[0] / error[1]) / log(4.0) > 3.8);
}

// A disc slides without friction from the top of a fixed one, R apart, at rest at the angle a: it
// leaves where cos = 2/3 cos a and flies on with the horizontal speed sqrt(2/3 g R cos a) 2/3 cos
// a.
static void test_release_from_a_curve(void **state)
{
    (void)state;
    const double g = 9.81, R = 0.7, a = 0.3;
    const double exact = sqrt(2.0 / 3 * g * R * cos(a)) * 2.0 / 3 * cos(a);
    double error[2], h = 0.02;
    for (int i = 0; i < 2; ++i, h /= 4) {
        scene s;
        scene_begin(&s, 2, (pcs_vec3){0, -g, 0});
        const pcs_vec3 zero = {0, 0, 0};
        pcs_body_id disc = scene_sphere(&s, "disc", 1.3, 0.2, (pcs_vec3){R * sin(a), R * cos(a), 0},
                                        zero);
        pcs_contact_def def = scene_contact_def("hill", PCS_CONTACT_SPHERE_SPHERE,
                                                pcs_frame_default(), disc, (pcs_law){0});
        def.radius_a = 0.5;
        def.radius_b = 0.2;
        scene_contact(&s, &def);
        s.scheme = "capturing";
        scene_finish(&s, h, 0.8);
        scene_run(&s);
        error[i] = fabs(scene_view(&s, disc).velocity.x - exact);
        print_message("hill, h %g: error %.3g\n", h, error[i]);
        assert_true(pcs_simulation_statistics(s.simulation)->time_stepping == 0);
        assert_int_equal(scene_contact_view(&s, 0).state, PCS_OPEN);
        scene_end(&s);
    }
    assert_true(log(error[0] / error[1]) / log(4.0) > 3.8);
}

// A block with friction on an incline is left to Moreau-Jean, which is exact here: v = g (sin a -
// mu cos a) t.
static void test_friction_is_left_to_time_stepping(void **state)
{
    (void)state;
    const double angle = 0.6, mu = 0.3, g = 9.81, end = 0.5;
    scene s;
    scene_begin(&s, 2, (pcs_vec3){g * sin(angle), -g * cos(angle), 0});
    const pcs_vec3 size = {0.4, 0.2, 0.1}, zero = {0, 0, 0};
    pcs_body_id box = scene_box(&s, "box", 2, size, (pcs_vec3){0, 0.1, 0}, zero, zero);
    scene_box_on_plane(&s, "floor", box, size, zero, zero, (pcs_law){.friction = mu});
    s.scheme = "capturing";
    scene_finish(&s, 1e-2, end);
    scene_run(&s);
    const pcs_statistics *statistics = pcs_simulation_statistics(s.simulation);
    assert_near(statistics->time_stepping, end, 1e-12);
    assert_near(scene_view(&s, box).velocity.x, g * (sin(angle) - mu * cos(angle)) * end, 1e-9);
    scene_end(&s);
}

// A box that falls flat on a floor without friction: four corners, one redundant, come to rest
// together and slide on as equations of the smooth part.
static void test_box_without_friction(void **state)
{
    (void)state;
    const pcs_vec3 size = {0.41, 0.37, 0.2}, zero = {0, 0, 0};
    scene s;
    scene_begin(&s, 3, (pcs_vec3){0, 0, -9.81});
    pcs_body_id box = scene_box(&s, "box", 2, size, (pcs_vec3){0, 0, 0.35}, zero,
                                (pcs_vec3){1.3, 0.2, 0});
    scene_box_on_plane(&s, "floor", box, size, zero, zero, (pcs_law){.restitution = 0.4});
    s.scheme = "capturing";
    scene_finish(&s, 1e-2, 1.5);
    scene_run(&s);
    const pcs_statistics *statistics = pcs_simulation_statistics(s.simulation);
    print_message("box: %d impacts, time stepping %g s, remainder %.3g\n", (int)statistics->impacts,
                  statistics->time_stepping, statistics->energy.numerical);
    assert_near(scene_view(&s, box).position.z, 0.1, 1e-11);
    assert_near(scene_view(&s, box).position.x, 1.3 * 1.5, 1e-9);
    assert_near(scene_view(&s, box).velocity.z, 0, 1e-12);
    assert_true(statistics->time_stepping == 0);
    double weight = 0;
    for (int i = 0; i < 8; ++i)
        weight += scene_contact_view(&s, i).force[0];
    assert_near(weight, 2 * 9.81, 1e-9);
    scene_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_published_errors),
        cmocka_unit_test(test_orders),
        cmocka_unit_test(test_accumulation),
        cmocka_unit_test(test_release),
        cmocka_unit_test(test_release_from_a_curve),
        cmocka_unit_test(test_friction_is_left_to_time_stepping),
        cmocka_unit_test(test_box_without_friction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
