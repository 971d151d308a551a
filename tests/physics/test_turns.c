// Angles over many turns: the turns follow the motion, whatever the step. Wheels with 0.1 to
// 1000 rad/s in the plane and about odd axes in space, against closed forms, under every integrator
// and scheme, with output steps that turn them by up to 12 revolutions; gears, racks, screws and
// prescribed motions; joints that tumble while they turn; resumed runs to the bit.
#include <stdio.h>
#include <string.h>

#include "support/model_text.h"
#include "support/near.h"

#include "math/vector.h"

static const char *const exact[] = {"phem56", "hem5", "dopri5", "rkf45", "rk4", "hybrid"};
static const char *const stepping[] = {
    "alpha2", "alpha3", "moreau-jean", "moreau-jean-adaptive", "capturing", "nonsmooth-alpha"};
enum { EXACT = sizeof exact / sizeof *exact, STEPPING = sizeof stepping / sizeof *stepping };
enum { TEXT = 2000 };

// An axis without zeros, and one of the world.
static const pcs_vec3 axes[] = {{0.36, -0.48, 0.8}, {0, 0, 1}};

// A wheel on an axle of the ground with `drive` at its joint; axis < 0: in the plane.
static void wheel(char text[TEXT], int axis, double speed, const char *drive, double end,
                  double step)
{
    if (axis < 0) {
        snprintf(text, TEXT,
                 "dimension: 2\n"
                 "bodies: {w: {mass: 1, inertia: 1, angular_velocity: %.17g}}\n"
                 "joints: {ax: {type: revolute, bodies: [ground, w], at: [0, 0], %s}}\n"
                 "simulation: {end: %.17g, step: %.17g}\n",
                 speed, drive, end, step);
        return;
    }
    const pcs_vec3 e = axes[axis], w = pcs_v3_scale(speed, e);
    snprintf(text, TEXT,
             "dimension: 3\n"
             "bodies: {w: {mass: 1, inertia: [1, 1, 1], angular_velocity: [%.17g, %.17g, %.17g]}}\n"
             "joints: {ax: {type: revolute, bodies: [ground, w], at: [0, 0, 0], axis: [%.17g, "
             "%.17g, %.17g], %s}}\n"
             "simulation: {end: %.17g, step: %.17g}\n",
             w.x, w.y, w.z, e.x, e.y, e.z, drive, end, step);
}

static void run(model_text *f, const char *text, const char *scheme)
{
    const pcs_setting setting = {"simulation.scheme", scheme};
    model_text_read(f, "turns.yaml", text, &setting, 1);
    model_text_start(f);
    while (!pcs_simulation_finished(f->simulation))
        assert_true(pcs_simulation_step(f->simulation) >= 0);
}

// Angle at the end under all schemes; errors as parts of `size`.
static void expect(model_text *f, const char *text, const char *signal, double right, double size,
                   double of_exact, double of_stepping)
{
    for (int i = 0; i < EXACT; ++i) {
        run(f, text, exact[i]);
        assert_near(model_text_signal(f, signal), right, of_exact * size);
    }
    for (int i = 0; i < STEPPING; ++i) {
        run(f, text, stepping[i]);
        assert_near(model_text_signal(f, signal), right, of_stepping * size);
    }
}

static const double speeds[] = {0.1, -1, 10, -73.19, 1000};
enum { SPEEDS = sizeof speeds / sizeof *speeds };

// A wheel meets its stop after 3 to 30 turns and comes back with e of its speed. Time stepping makes
// the impact at an end of its step, which costs a step's way.
static void test_stops(void **state)
{
    static const double stops[] = {188.5, 20, 31.4159, 171.3, 61.7}, e[] = {0.5, 1, 0, 0.8, 0.3};
    for (int k = 0; k < SPEEDS; ++k) {
        char text[TEXT], drive[200];
        const double w = fabs(speeds[k]), end = 2 * stops[k] / w;
        const double back = speeds[k] > 0 ? stops[k] * (1 - e[k]) : -stops[k] * (1 - e[k]);
        snprintf(drive, sizeof drive, "limits: {%s: %.17g, restitution: %g}",
                 speeds[k] > 0 ? "upper" : "lower", speeds[k] > 0 ? stops[k] : -stops[k], e[k]);
        wheel(text, k % 3 - 1, speeds[k], drive, end, end / (k % 2 ? 23 : 40));
        expect(*state, text, "joint.ax.angle", back, stops[k], 1e-8, 2.0 / 23);
    }
}

// An oscillation with an amplitude of many turns, and a wheel that a damper stops.
static void test_springs(void **state)
{
    for (int k = 0; k < SPEEDS; ++k) {
        char text[TEXT], drive[200];
        const double turns = k == 1 ? 7.5 : 40, amplitude = 2 * PCS_PI * turns;
        const double rate = fabs(speeds[k]) / amplitude, end = 4.1 / rate;
        const double side = speeds[k] > 0 ? 1 : -1;
        snprintf(drive, sizeof drive, "spring: {stiffness: %.17g}", rate * rate);
        wheel(text, k % 3 - 1, speeds[k], drive, end, end / 40);
        expect(*state, text, "joint.ax.angle", side * amplitude * sin(4.1), amplitude, 1e-6, 0.01);
        snprintf(drive, sizeof drive, "spring: {stiffness: 0, damping: %.17g}", rate);
        wheel(text, (k + 1) % 3 - 1, speeds[k], drive, end, end / 40);
        expect(*state, text, "joint.ax.angle", side * amplitude * (1 - exp(-4.1)), amplitude, 1e-6,
               0.01);
    }
}

// An actuator that reads the angle, as a formula: the same oscillation.
static void test_actuators(void **state)
{
    for (int axis = -1; axis < 2; ++axis) {
        char text[TEXT];
        wheel(text, axis, -30, "actuator: -0.04*joint.ax.angle", 20, 0.5);
        expect(*state, text, "joint.ax.angle", -150 * sin(4), 150, 1e-6, 0.01);
    }
}

static void test_motions(void **state)
{
    for (int axis = -1; axis < 2; ++axis) {
        char text[TEXT];
        wheel(text, axis, 250, "motion: 250*t + 30*(1 - cos(t))", 3, 0.1);
        expect(*state, text, "joint.ax.angle", 750 + 30 * (1 - cos(3)), 750, 1e-6, 1e-3);
    }
}

// Gears with high ratios: two wheels about different axes.
static void test_gears(void **state)
{
    static const double ratios[] = {2, -3, 100, 0.013};
    for (int k = 0; k < 4; ++k) {
        char text[TEXT];
        const double r = ratios[k], slow = fabs(r) > 1 ? 9.7 : 731, w = -r * slow;
        const pcs_vec3 a = axes[0], b = axes[1];
        const bool space = k % 2 == 1;
        if (space)
            snprintf(text, TEXT,
                     "dimension: 3\n"
                     "bodies:\n"
                     "  p: {mass: 1, inertia: [1, 1, 1], angular_velocity: [%.17g, %.17g, %.17g]}\n"
                     "  q: {mass: 1, inertia: [2, 2, 2], position: [1, 0, 0], angular_velocity: "
                     "[0, 0, %.17g]}\n"
                     "joints:\n"
                     "  a: {type: revolute, bodies: [ground, p], axis: [%.17g, %.17g, %.17g]}\n"
                     "  b: {type: revolute, bodies: [ground, q], at: [1, 0, 0], axis: [0, 0, %g]}\n"
                     "  g: {type: gear, joints: [a, b], ratio: %.17g}\n"
                     "simulation: {end: 3, step: 0.1}\n",
                     w * a.x, w * a.y, w * a.z, slow, a.x, a.y, a.z, b.z, r);
        else
            snprintf(text, TEXT,
                     "dimension: 2\n"
                     "bodies:\n"
                     "  p: {mass: 1, inertia: 1, angular_velocity: %.17g}\n"
                     "  q: {mass: 1, inertia: 2, position: [1, 0], angular_velocity: %.17g}\n"
                     "joints:\n"
                     "  a: {type: revolute, bodies: [ground, p]}\n"
                     "  b: {type: revolute, bodies: [ground, q], at: [1, 0]}\n"
                     "  g: {type: gear, joints: [a, b], ratio: %.17g}\n"
                     "simulation: {end: 3, step: 0.1}\n",
                     w, slow, r);
        expect(*state, text, "joint.a.angle", 3 * w, 3 * fabs(w), 1e-7, 1e-7);
        expect(*state, text, "joint.b.angle", 3 * slow, 3 * slow, 1e-7, 1e-7);
    }
}

static void test_racks_and_screws(void **state)
{
    char text[TEXT];
    snprintf(text, TEXT,
             "dimension: 2\n"
             "bodies:\n"
             "  p: {mass: 1, inertia: 1, angular_velocity: -211}\n"
             "  q: {mass: 1, inertia: 2, position: [0, -1], velocity: [-10.55, 0]}\n"
             "joints:\n"
             "  a: {type: revolute, bodies: [ground, p]}\n"
             "  b: {type: prismatic, bodies: [ground, q], at: [0, -1], axis: [1, 0]}\n"
             "  g: {type: rack, joints: [a, b], ratio: -20}\n"
             "simulation: {end: 2, step: 0.1}\n");
    expect(*state, text, "joint.b.displacement", -21.1, 21.1, 1e-7, 1e-7);
    const double speed = 90, lead = 0.05, rate = speed * lead / (2 * PCS_PI);
    const pcs_vec3 e = axes[0];
    snprintf(text, TEXT,
             "dimension: 3\n"
             "bodies: {p: {mass: 1, inertia: [1, 1, 1], angular_velocity: [%.17g, %.17g, %.17g], "
             "velocity: [%.17g, %.17g, %.17g]}}\n"
             "joints: {a: {type: screw, bodies: [ground, p], axis: [%.17g, %.17g, %.17g], pitch: "
             "%g}}\n"
             "simulation: {end: 2, step: 0.1}\n",
             speed * e.x, speed * e.y, speed * e.z, rate * e.x, rate * e.y, rate * e.z, e.x, e.y,
             e.z, lead);
    expect(*state, text, "body.p.position.x", 2 * rate * e.x, 2 * rate, 1e-7, 1e-7);
    expect(*state, text, "joint.a.angle", 2 * speed, 2 * speed, 1e-7, 1e-7);
}

// A free satellite of two spheres tumbles with (1, 2, -2) rad/s while one turns in the other: no
// torque acts along the axle, so that the angle between them grows evenly. The way of each body is
// no turn about the axle.
static void test_tumbling_joint(void **state)
{
    for (int k = 0; k < SPEEDS; ++k) {
        char text[TEXT];
        const pcs_vec3 e = axes[0], w = pcs_v3_axpy(pcs_v3(1, 2, -2), speeds[k], e);
        const double end = fmin(3, 300 / fabs(speeds[k]));
        snprintf(text, TEXT,
                 "dimension: 3\n"
                 "bodies:\n"
                 "  p: {mass: 1, inertia: [2, 2, 2], angular_velocity: [1, 2, -2]}\n"
                 "  q: {mass: 1, inertia: [1, 1, 1], angular_velocity: [%.17g, %.17g, %.17g]}\n"
                 "joints: {a: {type: revolute, bodies: [p, q], axis: [%.17g, %.17g, %.17g]}}\n"
                 "simulation: {end: %.17g, step: %.17g}\n",
                 w.x, w.y, w.z, e.x, e.y, e.z, end, end / 7);
        for (int i = 0; i < EXACT; ++i) {
            run(*state, text, exact[i]);
            assert_near(model_text_signal(*state, "joint.a.angle"), speeds[k] * end,
                        1e-5 * fabs(speeds[k] * end) + 1e-6);
        }
    }
}

// A run taken up again inside a long step goes on with the same bits.
static void resume(const char *text, const char *scheme)
{
    enum { SIZE = 1 << 16 };
    static char saved[SIZE], ends[2][SIZE];
    void *fixture;
    size_t size[2];
    for (int part = 0; part < 2; ++part) {
        assert_int_equal(model_text_set_up(&fixture), 0);
        model_text *f = fixture;
        const pcs_setting setting = {"simulation.scheme", scheme};
        model_text_read(f, "turns.yaml", text, &setting, 1);
        model_text_start(f);
        for (int i = 0; part == 0 && i < 3; ++i)
            assert_true(pcs_simulation_step(f->simulation) >= 0);
        if (part == 0)
            assert_true(pcs_simulation_save(f->simulation, saved, SIZE) <= SIZE);
        else
            assert_int_equal(pcs_simulation_load(f->simulation, saved,
                                                 pcs_simulation_save(f->simulation, NULL, 0)),
                             PCS_OK);
        while (!pcs_simulation_finished(f->simulation))
            assert_true(pcs_simulation_step(f->simulation) >= 0);
        const int32_t n = pcs_model_coordinate_count(f->model);
        const double angle = model_text_signal(f, "joint.ax.angle");
        memcpy(ends[part], pcs_simulation_q(f->simulation), sizeof(double) * (size_t)n);
        memcpy(ends[part] + sizeof(double) * (size_t)n, &angle, sizeof angle);
        size[part] = sizeof(double) * (size_t)(n + 1);
        assert_int_equal(model_text_tear_down(&fixture), 0);
    }
    assert_int_equal(size[0], size[1]);
    assert_memory_equal(ends[0], ends[1], size[0]);
}

static void test_resumed(void **state)
{
    (void)state;
    for (int axis = -1; axis < 2; ++axis) {
        char text[TEXT];
        wheel(text, axis, 31.7, "spring: {stiffness: 0.01}, limits: {upper: 170, restitution: 0.7}",
              20, 1.3);
        for (int i = 0; i < EXACT; ++i)
            resume(text, exact[i]);
        for (int i = 0; i < STEPPING; ++i)
            resume(text, stepping[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_stops, model_text_set_up, model_text_tear_down),
        cmocka_unit_test_setup_teardown(test_springs, model_text_set_up, model_text_tear_down),
        cmocka_unit_test_setup_teardown(test_actuators, model_text_set_up, model_text_tear_down),
        cmocka_unit_test_setup_teardown(test_motions, model_text_set_up, model_text_tear_down),
        cmocka_unit_test_setup_teardown(test_gears, model_text_set_up, model_text_tear_down),
        cmocka_unit_test_setup_teardown(test_racks_and_screws, model_text_set_up,
                                        model_text_tear_down),
        cmocka_unit_test_setup_teardown(test_tumbling_joint, model_text_set_up,
                                        model_text_tear_down),
        cmocka_unit_test(test_resumed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
