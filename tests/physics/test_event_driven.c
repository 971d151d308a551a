// Event-driven integration against closed forms. Tolerances: the integrator's (1e-8 a step, so
// about 1e-8 over these short runs) unless the motion is a polynomial, which PHEM56 integrates
// exactly.
#include "support/event_scenes.h"
#include "support/near.h"

#include "math/vector.h"

static const double g = 9.81;
static const pcs_vec3 zero = {0, 0, 0};
// Polynomial motion: rounding of a few thousand operations on numbers up to 10.
static const double rounding = 1e-11;

// ---- Impacts ----

// Peaks e^(2k) of a ball dropped from 1 m, from the energy in each flight, for any output step.
static void test_bouncing_ball_peaks(void **state)
{
    (void)state;
    static const double steps[] = {0.5, 0.01, 0.0037};
    const double e = 0.8, first = sqrt(2 / g);
    for (int k = 0; k < 3; ++k) {
        scene s;
        scene_bouncing_ball(&s, g, 2.385, 1, 0, e);
        scene_use(&s, "event-driven", steps[k], 3.9);
        while (!pcs_simulation_finished(s.simulation)) {
            scene_step(&s);
            const double t = pcs_simulation_time(s.simulation);
            double landing = first, peak = 1;
            for (int n = 1; t > landing; ++n) {
                peak *= e * e;
                landing += 2 * sqrt(2 * peak / g);
            }
            const double y = pcs_simulation_q(s.simulation)[1];
            const double v = pcs_simulation_v(s.simulation)[1];
            assert_near(y + v * v / (2 * g), peak, 1e-10);
            assert_near(scene_energy(&s)->numerical, 0, 1e-10);
        }
        assert_near(scene_event(&s, PCS_EVENT_IMPACT, 0, 0).time, 0.451523640986, 5e-13);
        assert_near(scene_event(&s, PCS_EVENT_IMPACT, 0, 0).value, sqrt(2 * g), rounding);
        scene_end(&s);
    }
}

// Past the accumulation point (benchmarks 2: 1.35457092296 s for e = 0.5) the ball rests: rebounds
// below velocity_tolerance, or lower than the rounding of positions, are rest. The flights left out
// begin with sqrt(2 g 1e-14 m) = 4.4e-7 m/s and take 2 v / g / (1 - e) = 1.8e-7 s.
static void test_bouncing_ball_rests(void **state)
{
    (void)state;
    scene s;
    scene_bouncing_ball(&s, g, 2.385, 1, 0, 0.5);
    scene_use(&s, "event-driven", 0.1, 2);
    scene_run(&s);
    assert_near(pcs_simulation_q(s.simulation)[1], 0, 1e-12);
    assert_near(pcs_simulation_v(s.simulation)[1], 0, 1e-14);
    assert_near(scene_contact_view(&s, 0).force[0], 2.385 * g, 1e-10);
    const int64_t last = pcs_simulation_statistics(s.simulation)->impacts - 1;
    assert_near(scene_event(&s, PCS_EVENT_IMPACT, 0, last).time, 1.35457092296, 1.8e-7);
    assert_near(pcs_simulation_statistics(s.simulation)->worst_penetration, 0, 1e-8);
    scene_end(&s);
}

// A small disc flies past a fixed one (radii 1 together) with 2 m/s, without forces: one step sees
// both ends open and the gap dipping in between. Near misses are not events, hits are at their
// time.
static void test_grazing(void **state)
{
    (void)state;
    static const double miss[] = {1e-6, -1e-6, -1e-3};
    for (int k = 0; k < 3; ++k) {
        const double height = 1 + miss[k];
        scene s;
        scene_begin(&s, 2, zero);
        pcs_body_id point = scene_point(&s, "point", 1, pcs_v3(-3, height, 0), pcs_v3(2, 0, 0));
        pcs_contact_def def = scene_contact_def("disc", PCS_CONTACT_SPHERE_SPHERE,
                                                scene_frame(PCS_GROUND, zero, zero), point,
                                                (pcs_law){.restitution = 1});
        def.radius_a = 0.75;
        def.radius_b = 0.25;
        scene_contact(&s, &def);
        scene_use(&s, "event-driven", 3, 3);
        scene_run(&s);
        const pcs_event hit = scene_event(&s, PCS_EVENT_IMPACT, 0, 0);
        if (miss[k] > 0) {
            assert_int_equal(pcs_simulation_statistics(s.simulation)->impacts, 0);
        } else {
            const double x = sqrt(1 - height * height); // distance of the hit before the top
            assert_near(hit.time, (3 - x) / 2, 1e-10);  // u_N = 2 x: 1e-12 m of gap
            assert_near(hit.value, 2 * x, 1e-8);
            assert_near(scene_total_energy(&s), 2, rounding);
        }
        scene_end(&s);
    }
}

// Moreau's simultaneous impact of five touching balls (benchmarks 2): v_0 = (1+e)/5 - e, others
// (1+e)/5. The balls touch and approach at the very start.
static void test_newton_cradle(void **state)
{
    (void)state;
    static const double e[] = {1, 0.9, 0.5, 0};
    for (int k = 0; k < 4; ++k) {
        scene s;
        scene_cradle(&s, 5, 1, e[k]);
        scene_use(&s, "event-driven", 0.01, 0.01);
        scene_run(&s);
        for (int i = 0; i < 5; ++i)
            assert_near(pcs_simulation_v(s.simulation)[2 * i], (1 + e[k]) / 5 - (i == 0 ? e[k] : 0),
                        1e-11);
        scene_end(&s);
    }
}

// A pendulum (point of mass 1 on a rod of 1 m, benchmarks 1: A01) against a stop at its lowest
// point: omega = sqrt(2 g (1 - cos 60)), then e omega, up to the angle that the energy e^2 g / 2
// reaches.
static void test_pendulum_against_stop(void **state)
{
    (void)state;
    const double e = 0.7, angle = M_PI / 3;
    scene s;
    scene_begin(&s, 2, pcs_v3(0, -g, 0));
    pcs_body_def def = pcs_body_default();
    def.name = "bob";
    def.mass = 1;
    def.inertia.m[2][2] = 0.0137;
    def.position = pcs_v3(sin(angle), -cos(angle), 0);
    def.angle = angle;
    pcs_body_id bob = scene_body(&s, &def);
    pcs_joint_def joint = pcs_joint_default();
    joint.name = "pivot";
    joint.kind = PCS_JOINT_REVOLUTE;
    joint.b = scene_frame(bob, pcs_v3(0, 1, 0), zero);
    joint.drive[0].has_lower = true;
    joint.drive[0].lower = 0;
    joint.drive[0].restitution = e;
    scene_joint(&s, &joint);
    scene_use(&s, "event-driven", 0.05, 0.9);
    const double inertia = 1 + 0.0137, energy = g * (1 - cos(angle));
    scene_run(&s);
    const pcs_event hit = scene_event(&s, PCS_EVENT_IMPACT, 0, 0);
    assert_near(hit.value, sqrt(2 * energy / inertia), 1e-7);
    assert_near(scene_total_energy(&s) + g, e * e * energy, 1e-6);
    // After less than half a period it has hit the stop once and is on its way back.
    assert_int_equal(pcs_simulation_statistics(s.simulation)->impacts, 1);
    assert_near(scene_energy(&s)->impact, -(1 - e * e) * energy, 1e-6);
    assert_near(scene_energy(&s)->numerical, 0, 1e-7);
    scene_end(&s);
}

// ---- Rest, release ----

// A box falls flat, tilted or turning on the floor, without rebound: it comes to rest on both
// (four) corners, whose forces carry it.
static void land(int32_t dimension, double tilt)
{
    const pcs_vec3 size = {0.8, 0.5, 0.4};
    const double height = dimension == 2 ? size.y : size.z, mass = 2.385;
    const pcs_vec3 up = dimension == 2 ? pcs_v3(0, 0.7, 0) : pcs_v3(0, 0, 0.7);
    scene s;
    scene_begin(&s, dimension, dimension == 2 ? pcs_v3(0, -g, 0) : pcs_v3(0, 0, -g));
    pcs_vec3 turn = dimension == 2 ? pcs_v3(0, 0, tilt) : pcs_v3(tilt, 0.6 * tilt, 0);
    pcs_body_id box = scene_box(&s, "box", mass, size, up, turn, zero);
    scene_box_on_plane(&s, "floor", box, size, zero, zero, (pcs_law){.friction = 0.4});
    scene_use(&s, "event-driven", 0.05, 3);
    scene_run(&s);
    double force = 0;
    for (int32_t i = 0; i < pcs_model_contact_count(s.model); ++i) {
        pcs_contact_view view = scene_contact_view(&s, i);
        force += view.force[0];
        assert_true(view.force[0] >= -1e-9);
    }
    const pcs_vec3 position = scene_view(&s, box).position;
    assert_near(force, mass * g, 1e-6);
    assert_near(dimension == 2 ? position.y : position.z, 0.5 * height, 1e-8);
    for (int32_t i = 0; i < pcs_model_velocity_count(s.model); ++i)
        assert_near(pcs_simulation_v(s.simulation)[i], 0, 1e-9);
    assert_true(pcs_simulation_statistics(s.simulation)->worst_penetration <= 1e-8);
    assert_near(scene_energy(&s)->numerical, 0, 1e-6);
    if (tilt == 0)
        assert_near(scene_event(&s, PCS_EVENT_IMPACT, -1, 0).time,
                    sqrt(2 * (0.7 - 0.5 * height) / g), 1e-12);
    scene_end(&s);
}

static void test_box_lands(void **state)
{
    (void)state;
    land(2, 0);
    land(2, 0.3);
    land(3, 0);
    land(3, 0.3);
}

// A point mass slides down a smooth disc (radii 1 together) from rest at the angle a from the top
// and leaves it at cos b = 2/3 cos a.
static void test_leaves_disc(void **state)
{
    (void)state;
    const double a = 0.2, b = acos(2.0 / 3 * cos(a));
    scene s;
    scene_begin(&s, 2, pcs_v3(0, -g, 0));
    pcs_body_id point = scene_point(&s, "point", 2.385, pcs_v3(sin(a), cos(a), 0), zero);
    pcs_contact_def def = scene_contact_def("disc", PCS_CONTACT_SPHERE_SPHERE,
                                            scene_frame(PCS_GROUND, zero, zero), point,
                                            (pcs_law){0});
    def.radius_a = 0.75;
    def.radius_b = 0.25;
    scene_contact(&s, &def);
    scene_use(&s, "event-driven", 0.001, 0.9);
    double open = NAN;
    while (!pcs_simulation_finished(s.simulation) && isnan(open)) {
        scene_step(&s);
        open = scene_event(&s, PCS_EVENT_OPEN, 0, 0).time;
    }
    // Free flight from the release: back to its time gives the angle there.
    const double t = open - pcs_simulation_time(s.simulation);
    const double *q = pcs_simulation_q(s.simulation), *v = pcs_simulation_v(s.simulation);
    const double x = q[0] + v[0] * t, y = q[1] + v[1] * t - 0.5 * g * t * t;
    assert_near(atan2(x, y), b, 1e-7);
    assert_near(hypot(x, y), 1, 1e-8);
    scene_end(&s);
}

// ---- Friction ----

// tan = 0.7, mu = 0.5: after 2 s from rest x = v = 3.214666056 (benchmarks 3); tan = 0.4 stays.
static void incline(int32_t dimension, bool box, double tangent)
{
    const double angle = atan(tangent), mu = 0.5;
    const pcs_vec3 size = {0.4, 0.3, 0.2};
    const pcs_vec3 turn = dimension == 2 ? pcs_v3(0, 0, angle) : pcs_v3(0, -angle, 0);
    const double half = 0.5 * (dimension == 2 ? size.y : size.z);
    const pcs_vec3 normal = dimension == 2 ? pcs_v3(-sin(angle), cos(angle), 0)
                                           : pcs_v3(-sin(angle), 0, cos(angle));
    scene s;
    scene_begin(&s, dimension, dimension == 2 ? pcs_v3(0, -g, 0) : pcs_v3(0, 0, -g));
    pcs_body_id body;
    if (box) {
        body = scene_box(&s, "body", 2.385, size,
                         pcs_v3(half * normal.x, half * normal.y, half * normal.z), turn, zero);
        scene_box_on_plane(&s, "plane", body, size, zero, turn, (pcs_law){.friction = mu});
    } else {
        body = scene_point(&s, "body", 2.385, zero, zero);
        pcs_contact_def def = scene_contact_def("plane", PCS_CONTACT_POINT_PLANE,
                                                scene_frame(PCS_GROUND, zero, turn), body,
                                                (pcs_law){.friction = mu});
        scene_contact(&s, &def);
    }
    const pcs_vec3 start = pcs_v3(box ? half * normal.x : 0, box ? half * normal.y : 0,
                                  box ? half * normal.z : 0);
    scene_use(&s, "event-driven", 0.1, 2);
    scene_run(&s);
    const pcs_vec3 x = scene_view(&s, body).position, v = scene_view(&s, body).velocity;
    const double way = sqrt(pow(x.x - start.x, 2) + pow(x.y - start.y, 2) + pow(x.z - start.z, 2));
    const double speed = sqrt(v.x * v.x + v.y * v.y + v.z * v.z);
    assert_near(way, tangent > mu ? 3.214666056 : 0, tangent > mu ? 5e-10 : 1e-12);
    assert_near(speed, tangent > mu ? 3.214666056 : 0, tangent > mu ? 5e-10 : 1e-12);
    assert_near(scene_energy(&s)->numerical, 0, 1e-8);
    scene_end(&s);
}

static void test_incline(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; ++dimension)
        for (int box = 0; box < 2; ++box) {
            incline(dimension, box, 0.7);
            incline(dimension, box, 0.4);
        }
}

// Chrono's sliding cube (benchmarks 3): 0.5 m, v0 = 5, mu = 0.5 stops after 2.54841998 m at
// 1.019367992 s and stays.
static void sliding_cube(int32_t dimension)
{
    const pcs_vec3 size = {0.5, 0.5, 0.5};
    scene s;
    scene_begin(&s, dimension, dimension == 2 ? pcs_v3(0, -g, 0) : pcs_v3(0, 0, -g));
    pcs_body_id cube = scene_box(&s, "cube", 1, size,
                                 dimension == 2 ? pcs_v3(0, 0.25, 0) : pcs_v3(0, 0, 0.25), zero,
                                 pcs_v3(5, 0, 0));
    scene_box_on_plane(&s, "floor", cube, size, zero, zero, (pcs_law){.friction = 0.5});
    scene_use(&s, "event-driven", 0.05, 2);
    scene_run(&s);
    assert_near(scene_view(&s, cube).position.x, 2.54841998, 5e-9);
    assert_near(scene_view(&s, cube).velocity.x, 0, 1e-12);
    assert_near(scene_event(&s, PCS_EVENT_STICK, -1, 0).time, 1.019367992, 5e-10);
    assert_near(scene_energy(&s)->friction, -12.5, 1e-9);
    scene_end(&s);
}

static void test_sliding_cube(void **state)
{
    (void)state;
    sliding_cube(2);
    sliding_cube(3);
}

// A ball that slides rolls from t = 2 v0 / (7 mu g) on, with 5/7 v0 (benchmarks 3).
static void test_slide_to_roll(void **state)
{
    (void)state;
    const double v0 = 3.1, mu = 0.23;
    for (int dimension = 2; dimension <= 3; ++dimension) {
        scene s;
        scene_begin(&s, dimension, dimension == 2 ? pcs_v3(0, -g, 0) : pcs_v3(0, 0, -g));
        pcs_body_id ball = scene_sphere(&s, "ball", 2.385, 0.2,
                                        dimension == 2 ? pcs_v3(0, 0.2, 0) : pcs_v3(0, 0, 0.2),
                                        pcs_v3(v0, 0, 0));
        pcs_contact_def def = scene_contact_def("floor", PCS_CONTACT_SPHERE_PLANE,
                                                scene_frame(PCS_GROUND, zero, zero), ball,
                                                (pcs_law){.friction = mu});
        def.radius_b = 0.2;
        scene_contact(&s, &def);
        scene_use(&s, "event-driven", 0.1, 2);
        scene_run(&s);
        assert_near(scene_view(&s, ball).velocity.x, 5.0 / 7 * v0, 1e-9);
        assert_near(scene_event(&s, PCS_EVENT_STICK, 0, 0).time, 2 * v0 / (7 * mu * g), 1e-9);
        assert_near(scene_contact_view(&s, 0).force[1], 0, 1e-9);
        scene_end(&s);
    }
}

// A block (m, spring k to the wall) from rest on a belt of speed V: slips backwards with
// x = x0 (1 - cos w t), x0 = mu m g / k, sticks when x' = V, is carried to x = x0, slips on.
static void test_stick_slip_on_belt(void **state)
{
    (void)state;
    const double m = 2.385, k = 31.7, mu = 0.4, V = 0.5;
    const double w = sqrt(k / m), x0 = mu * m * g / k;
    const double stick = asin(V / (x0 * w)) / w, x1 = x0 * (1 - cos(w * stick));
    const double slip = stick + (x0 - x1) / V;
    scene s;
    scene_begin(&s, 2, pcs_v3(0, -g, 0));
    pcs_body_id block = scene_point(&s, "block", m, zero, zero);
    pcs_contact_def def = scene_contact_def("belt", PCS_CONTACT_POINT_PLANE,
                                            scene_frame(PCS_GROUND, zero, zero), block,
                                            (pcs_law){.friction = mu});
    def.surface_speed[0] = pcs_number(V);
    scene_contact(&s, &def);
    pcs_spring_def spring = pcs_spring_default();
    spring.name = "spring";
    spring.kind = PCS_SPRING_POINT;
    spring.a = scene_frame(PCS_GROUND, pcs_v3(-2, 0, 0), zero);
    spring.b = scene_frame(block, zero, zero);
    spring.stiffness = k;
    spring.rest = 2;
    scene_spring(&s, &spring);
    scene_use(&s, "event-driven", 0.02, slip + 0.2);
    scene_set(&s, "tolerance", "1e-10");
    scene_run(&s);
    assert_near(scene_event(&s, PCS_EVENT_STICK, 0, 0).time, stick, 1e-8);
    assert_near(scene_event(&s, PCS_EVENT_SLIP, 0, 0).time, slip, 1e-8);
    const double t = pcs_simulation_time(s.simulation) - slip;
    assert_near(pcs_simulation_q(s.simulation)[0], x0 + V / w * sin(w * t), 1e-7);
    assert_near(scene_energy(&s)->numerical, 0, 1e-7);
    scene_end(&s);
}

// ---- Jumps of forces ----

// A force of 3 N from t = 0.3 to 0.7 on a mass of 2, on a smooth floor: v = 0.6, exactly, when both
// times are declared.
static void test_declared_jumps(void **state)
{
    (void)state;
    scene s;
    scene_begin(&s, 2, pcs_v3(0, -g, 0));
    pcs_body_id body = scene_point(&s, "body", 2, zero, zero);
    pcs_contact_def def = scene_contact_def(
        "floor", PCS_CONTACT_POINT_PLANE, scene_frame(PCS_GROUND, zero, zero), body, (pcs_law){0});
    scene_contact(&s, &def);
    pcs_force_def force = pcs_force_default();
    force.name = "push";
    force.body = body;
    force.force[0] = pcs_expression("3*(step(t - 0.3) - step(t - 0.7))");
    scene_force(&s, &force);
    scene_use(&s, "event-driven", 1, 1);
    const double times[] = {0.7, 0.3};
    pcs_simulation_def run = {
        .scheme = "phem56", .end = 1, .step = 1, .events = times, .n_events = 2};
    pcs_simulation_destroy(s.simulation);
    scene_require(&s, pcs_simulation_create(s.ctx, s.model, &run, &s.simulation));
    scene_run(&s);
    assert_near(pcs_simulation_v(s.simulation)[0], 0.6, rounding);
    assert_near(pcs_simulation_q(s.simulation)[0], 0.5 * 1.5 * 0.16 + 0.6 * 0.3, rounding);
    scene_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bouncing_ball_peaks),
        cmocka_unit_test(test_bouncing_ball_rests),
        cmocka_unit_test(test_grazing),
        cmocka_unit_test(test_newton_cradle),
        cmocka_unit_test(test_pendulum_against_stop),
        cmocka_unit_test(test_leaves_disc),
        cmocka_unit_test(test_stick_slip_on_belt),
        cmocka_unit_test(test_slide_to_roll),
        cmocka_unit_test(test_declared_jumps),
        cmocka_unit_test(test_incline),
        cmocka_unit_test(test_sliding_cube),
        cmocka_unit_test(test_box_lands),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
