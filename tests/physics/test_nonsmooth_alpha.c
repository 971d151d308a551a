// Nonsmooth generalized-alpha on small models with closed forms or references of other methods:
// digest of [Galvez2020], benchmarks B0 (bouncing ball), B1 (spinning box), B5 (incline), B7 (block
// on a belt). Every step of every run is checked for convergence, penetration and drift
// (alpha_step).
#include "support/alpha_run.h"
#include "support/alpha_scenes.h"
#include "support/example_run.h"
#include "support/near.h"

#include "math/rotation.h"
#include "math/vector.h"

static const pcs_vec3 zero = {0, 0, 0};

// B0: e = 0.8, drop of 0.8 m, g = 9.8: first impact at 0.404061 s, accumulation at 3.636549 s, then
// rest with a contact force of m g. An impact is seen at the end of its step, up to h late, and
// rebounds with e times the velocity at the beginning of that step, up to g h less than that of the
// impact. A velocity error e g h shortens the flights that follow by 2 e h (1 + e + e^2 + ...) = 2
// e h/(1 - e). The flights that a step cannot show last h/(1 - e) together.
static void test_bouncing_ball(void **state)
{
    (void)state;
    const double h = 1e-4, e = 0.8;
    scene s;
    scene_bouncing_ball(&s, 9.8, 1, 0.8, 0, e);
    s.scheme = "nonsmooth-alpha";
    scene_finish(&s, h, 4.2);
    double rest = 0;
    while (!pcs_simulation_finished(s.simulation)) {
        alpha_step(s.simulation);
        if (fabs(pcs_simulation_v(s.simulation)[1]) > 1e-12)
            rest = pcs_simulation_time(s.simulation);
    }
    const double first = alpha_event(s.simulation, PCS_EVENT_IMPACT, 0, 0);
    assert_true(first >= 0.404061 && first <= 0.404061 + h);
    const double impacts = (double)pcs_simulation_statistics(s.simulation)->impacts;
    print_message("rest from %g s after %g impacts\n", rest, impacts);
    assert_near(rest, 3.636549, (impacts * (1 + 2 * e / (1 - e)) + 1 / (1 - e)) * h);
    assert_near(scene_contact_view(&s, 0).force[0], 9.8, 1e-12);
    assert_near(pcs_simulation_q(s.simulation)[1], 0, 1e-15);
    // A linear problem: one Newton iteration in each of the three, without exception.
    for (int k = 0; k < NA_LEVELS; ++k)
        assert_int_equal(alpha_counts(s.simulation)->most[k], 1);
    scene_end(&s);
}

// B1 against the event-driven reference of the digest: one impact at 0.41528560 s at the body
// corner (+0.05, -0.1, +0.15), impulse 500.757659 N s; at 0.69 s z = 1.60415981 m, v_z = 3.93104998
// m/s, Omega = (2.4800491, 38.5759492, -17.4926754) rad/s. The impact is seen up to a step late,
// when the box has turned by 85 h rad more: lever arm and direction of the impulse P differ by that
// part, v by P/m and Omega by P |r|/J_min times it.
static void test_spinning_box(void **state)
{
    (void)state;
    const double h = 1e-5;
    scene s;
    alpha_scene_box(&s);
    scene_finish(&s, h, 0.69);
    double impulse = 0;
    int32_t corner = -1, loads = 0;
    while (!pcs_simulation_finished(s.simulation)) {
        alpha_step(s.simulation);
        for (int32_t i = 0; i < 8; ++i) {
            if (scene_contact_view(&s, i).impulse[0] > 0) {
                impulse = scene_contact_view(&s, i).impulse[0];
                corner = i;
                ++loads;
            }
        }
    }
    const double *q = pcs_simulation_q(s.simulation), *v = pcs_simulation_v(s.simulation);
    print_message("impulse %.6f at corner %d, z %.8f, v_z %.8f, Omega %.7f %.7f %.7f\n", impulse,
                  corner, q[2], v[2], v[3], v[4], v[5]);
    assert_int_equal(loads, 1);
    const double impact = alpha_event(s.simulation, PCS_EVENT_IMPACT, -1, 0);
    assert_true(impact >= 0.4152856 && impact <= 0.4152856 + h);
    const double turned = hypot(60, 60) * h, P = 500.757659;
    assert_near(impulse, P, turned * P);
    assert_near(v[2], 3.93104998, turned * P / 46.8);
    assert_near(q[2], 1.60415981, (turned * (0.69 - 0.4152856) + h) * P / 46.8);
    static const double Omega[3] = {2.4800491, 38.5759492, -17.4926754};
    for (int i = 0; i < 3; ++i)
        assert_near(v[3 + i], Omega[i], turned * P * 0.187 / 0.195);
    assert_near(q[0], 2.07, 1e-9); // no friction
    scene_end(&s);
}

// B5: uphill with 2 m/s; deceleration g (sin + mu cos) = 5.3817 m/s^2, stop at 0.371627 s after
// 0.371627 m; impulses of a step 9.47573e-3 (normal), 2.84272e-3 (sliding), 2.53901e-3 N s (at
// rest, the other way). At h = 1e-3 the digest's own program has rest at 0.372 s, x = 0.371627024
// m, and 0.370089 m without friction at position level: it then creeps while its velocity is zero.
// The force of a contact that stays closed may be part of the smooth problem or not.
static void test_incline(void **state)
{
    (void)state;
    static const double x_end[3] = {0.370089, 0.371627024, 0.371627024};
    static const double last[3] = {1e-6, 1e-9, 1e-9};
    for (int i = 0; i < 3; ++i) {
        scene s;
        alpha_scene_incline(&s);
        scene_finish(&s, 1e-3, 2);
        scene_set(&s, "position_friction", i ? "yes" : "no");
        scene_set(&s, "resting_contacts", i == 2 ? "smooth" : "corrected");
        double stop = 0, x_stop = 0;
        while (!pcs_simulation_finished(s.simulation)) {
            alpha_step(s.simulation);
            const double t = pcs_simulation_time(s.simulation);
            const pcs_contact_view contact = scene_contact_view(&s, 0);
            assert_digits(contact.impulse[0], 9.47573e-3, 1e-8);
            if (fabs(pcs_simulation_v(s.simulation)[0]) > 1e-13) {
                assert_int_equal(contact.state, PCS_SLIP);
                assert_digits(contact.impulse[1], -2.84272e-3, 1e-8);
                continue;
            }
            if (stop == 0) {
                stop = t;
                x_stop = pcs_simulation_q(s.simulation)[0];
                continue; // the step in which it stops is neither
            }
            assert_int_equal(contact.state, PCS_STICK);
            assert_digits(contact.impulse[1], 2.53901e-3, 1e-8);
        }
        assert_near(stop, 0.372, 1e-9);
        assert_digits(pcs_simulation_q(s.simulation)[0], x_end[i], last[i]);
        if (i) // no creep: the rounding of x in each of 1628 steps
            assert_near(pcs_simulation_q(s.simulation)[0], x_stop, 1628 * 1e-16);
        for (int k = 0; k < NA_LEVELS; ++k)
            assert_in_range(alpha_counts(s.simulation)->most[k], 1, i == 2 ? 2 : 1);
        scene_end(&s);
    }
}

// B7 in slip: x swings about l + mu m g/k = 1.5886 m with the amplitude v sqrt(m/k) = 0.24495 m, so
// between 1.3437 and 1.8336 m; the block meets the belt's speed once a period, where a scheme of
// order one may leave the orbit by h times the speed.
static void test_belt(void **state)
{
    (void)state;
    const double h = 1e-3, centre = 1 + 3 * 9.81 / 50, amplitude = sqrt(3.0 / 50);
    example_run run;
    example_begin(&run, "block_on_belt.yaml", "nonsmooth-alpha", 6, h, "");
    double low = 10, high = 0;
    while (!pcs_simulation_finished(run.simulation)) {
        alpha_step(run.simulation);
        if (pcs_simulation_time(run.simulation) < 1.5)
            continue;
        low = fmin(low, example_signal(&run, "body.block.position.x"));
        high = fmax(high, example_signal(&run, "body.block.position.x"));
    }
    print_message("x in [%.5f, %.5f]\n", low, high);
    assert_near(low, centre - amplitude, h);
    assert_near(high, centre + amplitude, h);
    assert_near(centre - amplitude, 1.3437, 1e-4);
    assert_near(centre + amplitude, 1.8336, 1e-4);
    example_end(&run);
}

// An oblique impact in the plane and in space: m = 1, mu = 0.5, tangential and normal speed 1, e =
// 0 give the impulse (-0.5, 1) and half the tangential speed after it.
static void test_oblique_impact(void **state)
{
    (void)state;
    for (int i = 0; i < 2; ++i) {
        scene s;
        scene_begin(&s, i ? 3 : 2, zero);
        s.scheme = "nonsmooth-alpha";
        const pcs_vec3 v = i ? pcs_v3(0.6, 0.8, -1) : pcs_v3(1, -1, 0);
        pcs_body_id body = scene_point(&s, "body", 1, zero, v);
        pcs_contact_def def = scene_contact_def("floor", PCS_CONTACT_POINT_PLANE,
                                                pcs_frame_default(), body,
                                                (pcs_law){.friction = 0.5});
        scene_contact(&s, &def);
        scene_finish(&s, 1e-3, 1e-3);
        alpha_step(s.simulation);
        const pcs_contact_view contact = scene_contact_view(&s, 0);
        assert_near(contact.impulse[0], 1, 1e-12);
        assert_near(hypot(contact.impulse[1], contact.impulse[2]), 0.5, 1e-12);
        const double *after = pcs_simulation_v(s.simulation);
        assert_near(after[0], 0.5 * v.x, 1e-12);
        assert_near(after[1], i ? 0.5 * v.y : 0, 1e-12);
        scene_end(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bouncing_ball),  cmocka_unit_test(test_spinning_box),
        cmocka_unit_test(test_incline),        cmocka_unit_test(test_belt),
        cmocka_unit_test(test_oblique_impact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
