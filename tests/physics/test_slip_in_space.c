// Slip that begins, turns and ends in space, under every integrator of the event-driven scheme and at
// tolerances from 1e-4 to 1e-10: friction has no direction where the sliding velocity is zero, and
// velocities follow it at a rate without bound near there.
#include <stdio.h>
#include <stdlib.h>

#include "base/random.h"
#include "model/model.h"
#include "support/family.h"
#include "support/model_text.h"
#include "support/near.h"

static const char *const integrators[] = {"phem56", "hem5",   "dopri5", "rkf45",
                                          "rk4",    "alpha2", "alpha3"};
enum { INTEGRATORS = sizeof integrators / sizeof *integrators, EXPLICIT = 5 };

enum { SETTINGS_MAX = 24 };

// Settings of a model: parameters by name, the integrator and its tolerance.
typedef struct values {
    pcs_setting setting[SETTINGS_MAX];
    char text[SETTINGS_MAX][40];
    int32_t n;
} values;

static void set_text(values *x, const char *key, const char *value)
{
    assert_true(x->n < SETTINGS_MAX);
    snprintf(x->text[x->n], sizeof x->text[x->n], "%s", value);
    x->setting[x->n] = (pcs_setting){key, x->text[x->n]};
    ++x->n;
}

static void set(values *x, const char *key, double value)
{
    char text[40];
    snprintf(text, sizeof text, "%.17g", value);
    set_text(x, key, text);
}

static pcs_simulation *create(model_text *f, const char *tolerance)
{
    const pcs_simulation_def def = pcs_model_file_simulation(f->file);
    pcs_simulation *simulation = NULL;
    assert_true(pcs_simulation_create(f->ctx, f->model, &def, &simulation) >= 0);
    assert_true(pcs_simulation_set(simulation, "tolerance", tolerance) >= 0);
    return simulation;
}

static void run(model_text *f, const char *text, values x, const char *scheme, double tolerance)
{
    char number[40];
    snprintf(number, sizeof number, "%.17g", tolerance);
    set_text(&x, "simulation.scheme", scheme);
    model_text_read(f, scheme, text, x.setting, x.n);
    f->simulation = create(f, number);
    while (!pcs_simulation_finished(f->simulation))
        if (pcs_simulation_step(f->simulation) < 0)
            fail_msg("%s, tolerance %g: %s", scheme, tolerance, pcs_context_error(f->ctx));
}

static const pcs_statistics *statistics(const model_text *f)
{
    return pcs_simulation_statistics(f->simulation);
}

// ---- Closed form: a ball on a belt ----

// The velocity of the lowest point falls along its own direction at 7/2 mu g, and the ball rolls from
// t = 2 |u_0|/(7 mu g) on with v = v_0 - 2/7 u_0.
static const char ball_text[] =
    "dimension: 3\n"
    "gravity: [0, 0, -9.81]\n"
    "parameters: {m: 1, R: 1, mu: 1, vx: 0, vy: 0, wx: 0, wy: 0, wz: 0, sx: 0, sy: 0}\n"
    "bodies:\n"
    "  ball: {mass: m, inertia: [0.4*m*R^2, 0.4*m*R^2, 0.4*m*R^2], position: [0, 0, R],\n"
    "         velocity: [vx, vy, 0], angular_velocity: [wx, wy, wz]}\n"
    "contacts:\n"
    "  floor: {type: sphere-plane, bodies: [ground, ball], at: [0, 0, 0], normal: [0, 0, 1],\n"
    "          radius: R, friction: mu, surface_speed: [sx, sy]}\n"
    "simulation: {end: 1, step: 0.05}\n";

static void test_ball_on_belt(void **state)
{
    model_text *f = *state;
    const double g = 9.81, tolerances[] = {1e-4, 1e-7, 1e-10};
    for (uint64_t seed = 1; seed <= 6; seed += CASE_STRIDE) {
        pcs_random random;
        pcs_random_init(&random, seed);
        const double R = pcs_random_between(&random, 0.03, 0.2);
        const double mu = seed == 1 ? 0.5 : pcs_random_between(&random, 0.3, 0.8);
        double v[2], w[3], belt[2], u[2];
        for (int i = 0; i < 2; ++i) {
            v[i] = seed == 1 ? 1 - i : pcs_random_between(&random, -1, 1);
            belt[i] = seed < 3 ? 0 : pcs_random_between(&random, -1, 1);
        }
        for (int i = 0; i < 3; ++i)
            w[i] = seed == 1 ? 0 : pcs_random_between(&random, -5, 5);
        u[0] = v[0] - R * w[1] - belt[0];
        u[1] = v[1] + R * w[0] - belt[1];
        values x = {.n = 0};
        const char *const names[] = {"m", "R", "mu", "vx", "vy", "wx", "wy", "wz", "sx", "sy"};
        const double number[] = {2.385, R, mu, v[0], v[1], w[0], w[1], w[2], belt[0], belt[1]};
        for (int i = 0; i < 10; ++i)
            set(&x, names[i], number[i]);
        for (int i = 0; i < INTEGRATORS; ++i)
            for (int k = 0; k < 3; ++k) {
                run(f, ball_text, x, integrators[i], tolerances[k]);
                // The slip ends within a way of one tolerance.
                const double off = 2 * sqrt(2 * tolerances[k] * 3.5 * mu * g);
                assert_near(model_text_signal(f, "body.ball.velocity.x"), v[0] - 2 * u[0] / 7, off);
                assert_near(model_text_signal(f, "body.ball.velocity.y"), v[1] - 2 * u[1] / 7, off);
                pcs_event event = {0};
                for (int64_t j = 0; pcs_simulation_event(f->simulation, j, &event); ++j)
                    if (event.kind == PCS_EVENT_STICK)
                        break;
                assert_near(event.time, 2 * hypot(u[0], u[1]) / (7 * mu * g), off / (3.5 * mu * g));
            }
    }
}

// ---- Closed form: a point that turns downhill ----

// With gravity a along the plane, c = mu g > a, speed rho_0 and angle phi_0 to the slope the point
// stops at T = rho_0 (c + a cos(phi_0))/(c^2 - a^2), on a plane that moves as on one at rest.
static const char point_text[] =
    "dimension: 3\n"
    "parameters: {m: 1, mu: 1, a: 0, rho: 1, phi: 0, sx: 0, sy: 0}\n"
    "gravity: [a, 0, -9.81]\n"
    "bodies:\n"
    "  p: {mass: m, point: true, position: [0, 0, 0],\n"
    "      velocity: [sx + rho*cos(phi), sy + rho*sin(phi), 0]}\n"
    "contacts:\n"
    "  floor: {type: point-plane, bodies: [ground, p], at: [0, 0, 0], normal: [0, 0, 1],\n"
    "          friction: mu, surface_speed: [sx, sy]}\n"
    "simulation: {end: 1, step: 0.05}\n";

static void test_point_stops(void **state)
{
    model_text *f = *state;
    const double g = 9.81, tolerances[] = {1e-4, 1e-7, 1e-10};
    for (uint64_t seed = 0; seed < 5; seed += CASE_STRIDE) {
        pcs_random random;
        pcs_random_init(&random, seed);
        const double mu = seed == 0 ? 0.5 : pcs_random_between(&random, 0.2, 0.8), c = mu * g;
        const double a = (seed == 0 ? 0.5 : pcs_random_between(&random, 0, 0.9)) * c;
        const double phi = seed == 0 ? 1.5 : pcs_random_between(&random, -3, 3);
        const double sx = seed < 3 ? 0 : pcs_random_between(&random, -1, 1);
        const double stop = pcs_random_between(&random, 0.2, 0.8);
        const double rho = stop * (c * c - a * a) / (c + a * cos(phi));
        values x = {.n = 0};
        const char *const names[] = {"m", "mu", "a", "rho", "phi", "sx", "sy"};
        const double number[] = {0.73, mu, a, rho, phi, sx, -0.7 * sx};
        for (int i = 0; i < 7; ++i)
            set(&x, names[i], number[i]);
        for (int i = 0; i < INTEGRATORS; ++i)
            for (int k = 0; k < 3; ++k) {
                run(f, point_text, x, integrators[i], tolerances[k]);
                pcs_event event = {0};
                for (int64_t j = 0; pcs_simulation_event(f->simulation, j, &event); ++j)
                    if (event.kind == PCS_EVENT_STICK)
                        break;
                // The way of one tolerance at the end, and order 2 of alpha before.
                const double early = 1.5 * sqrt(2 * tolerances[k] / (c - a));
                const double order = i < EXPLICIT ? 0 : pow(tolerances[k], 2.0 / 3);
                assert_near(event.time, stop, early + order);
                assert_near(model_text_signal(f, "body.p.velocity.x"), sx, 1e-12);
                assert_near(model_text_signal(f, "body.p.velocity.y"), -0.7 * sx, 1e-12);
            }
    }
}

// ---- Agreement: mechanisms ----

// A two-link arm whose motors drag a ball, pressed on by a spring, over a belt: it sticks, begins to
// slip, turns and passes zero at a distance.
static const char arm_text[] =
    "dimension: 3\n"
    "gravity: [0, 0, -9.81]\n"
    "parameters: {L: 0.376, h: 0.08, R: 0.04, m: 1, mu: 0.755, f1: 5.882, o1: 3.929, f2: 3.417,\n"
    "             o2: 3.359, k: 358.838, sx: 0.266, sy: -0.135}\n"
    "bodies:\n"
    "  a: {shape: {box: [L, 0.03, 0.03], density: 1400*m}, position: [L/2, 0, 0]}\n"
    "  b: {shape: {box: [L, 0.03, 0.03], density: 1200}, position: [L, L/2, 0],\n"
    "      rotation: {axis: [0, 0, 1], angle: pi/2}}\n"
    "  c: {shape: {sphere: R, density: 1500}, position: [L, L, -h]}\n"
    "joints:\n"
    "  s1: {type: revolute, bodies: [ground, a], at: [0, 0, 0], axis: [0, 0, 1],\n"
    "       actuator: f1*sin(o1*t)}\n"
    "  s2: {type: revolute, bodies: [a, b], at: [L, 0, 0], axis: [0, 0, 1],\n"
    "       actuator: f2*cos(o2*t)}\n"
    "  s3: {type: prismatic, bodies: [b, c], at: [L, L, -h], axis: [0, 0, 1],\n"
    "       spring: {stiffness: k, damping: 5, rest: -0.038}}\n"
    "contacts:\n"
    "  floor: {type: sphere-plane, bodies: [ground, c], at: [0, 0, -h-R], normal: [0, 0, 1],\n"
    "          radius: R, friction: mu, surface_speed: [sx, sy]}\n"
    "simulation: {end: 0.6, step: 0.01}\n";

// A ball at the end of a pendulum on a belt. At the steep one the sliding velocity that begins is
// smaller than what a part of a step leaves undone, and friction changes the normal force much.
static const char pendulum_text[] =
    "dimension: 3\n"
    "gravity: [0.614, -0.8, -9.81]\n"
    "parameters: {L: 0.505, z: 0.42925, x: sqrt(L^2 - z^2), m: 1, mu: 0.529, sx: 0.536, sy: "
    "0.396}\n"
    "bodies:\n"
    "  a: {shape: {box: [L, 0.03, 0.03], density: 3700*m}, position: [x/2, 0, -z/2],\n"
    "      rotation: {axis: [0, 1, 0], angle: asin(z/L)}}\n"
    "  c: {shape: {sphere: 0.05, density: 1023}, position: [x, 0, -z]}\n"
    "joints:\n"
    "  s1: {type: spherical, bodies: [ground, a], at: [0, 0, 0]}\n"
    "  s2: {type: universal, bodies: [a, c], at: [x, 0, -z], axis: [0, 1, 0], axis2: [1, 0, 0]}\n"
    "contacts:\n"
    "  floor: {type: sphere-plane, bodies: [ground, c], at: [0, 0, -z-0.05], normal: [0, 0, 1],\n"
    "          radius: 0.05, friction: mu, surface_speed: [sx, sy]}\n"
    "simulation: {end: 0.62, step: 0.01}\n";

static const char *const place[] = {"body.c.position.x", "body.c.position.y"};

// All integrators against dopri5 at 1e-11. An error of one tolerance a step grows along a motion that
// forgets nothing between its slips by some 1e3; alpha has order 2 and some 1e3 steps more.
static void compare(model_text *f, const char *text, values x)
{
    const double tolerances[] = {1e-6, 1e-8};
    double exact[2];
    run(f, text, x, "dopri5", 1e-11);
    for (int j = 0; j < 2; ++j)
        exact[j] = model_text_signal(f, place[j]);
    for (int i = 0; i < INTEGRATORS; ++i)
        for (int k = 0; k < 2; ++k) {
            const double tolerance = tolerances[k];
            run(f, text, x, integrators[i], tolerance);
            const double off = i < EXPLICIT ? 1e3 * tolerance : 20 * pow(tolerance, 2.0 / 3);
            for (int j = 0; j < 2; ++j)
                assert_near(model_text_signal(f, place[j]), exact[j], off);
            const pcs_statistics *s = statistics(f);
            assert_at_most(fabs(s->energy.numerical), 1e-3 * (1 + fabs(s->energy.friction)));
            if (i < EXPLICIT) // the crawl had 1e5 steps and more
                assert_at_most((double)s->inner_steps, 4000);
        }
}

static void test_arms(void **state)
{
    for (uint64_t seed = 0; seed < 4; seed += CASE_STRIDE) {
        pcs_random random;
        pcs_random_init(&random, seed);
        values x = {.n = 0};
        if (seed > 0) {
            set(&x, "m", pcs_random_between(&random, 0.4, 3));
            set(&x, "mu", pcs_random_between(&random, 0.2, 0.8));
            set(&x, "f1", pcs_random_between(&random, 2, 8));
            set(&x, "f2", pcs_random_between(&random, 1, 4));
            set(&x, "sx", pcs_random_between(&random, -0.3, 0.3));
            set(&x, "sy", pcs_random_between(&random, -0.3, 0.3));
        }
        compare(*state, arm_text, x);
    }
}

static void test_pendulums(void **state)
{
    for (uint64_t seed = 0; seed < 3; seed += CASE_STRIDE) {
        pcs_random random;
        pcs_random_init(&random, seed);
        values x = {.n = 0};
        if (seed > 0) {
            set(&x, "m", pcs_random_between(&random, 0.2, 1));
            set(&x, "z", pcs_random_between(&random, 0.2, 0.4));
            set(&x, "mu", pcs_random_between(&random, 0.2, 0.7));
            set(&x, "sx", pcs_random_between(&random, -0.6, 0.6));
            set(&x, "sy", pcs_random_between(&random, -0.6, 0.6));
        }
        compare(*state, pendulum_text, x);
    }
}

// The tip of a fast arm passes zero sliding velocity at a distance of 0.1 m/s with some 300 m/s^2:
// that is not the end of a slip, at any tolerance.
static void test_passing_by(void **state)
{
    model_text *f = *state;
    values x = {.n = 0};
    set(&x, "L", 0.378);
    set(&x, "h", 0.148);
    set(&x, "f1", 2.726);
    set(&x, "o1", 1.722);
    set(&x, "f2", 3.811);
    set(&x, "o2", 5.15);
    set(&x, "k", 350.907);
    set(&x, "mu", 0.55);
    set(&x, "sx", 0.017);
    set(&x, "sy", -0.062);
    set(&x, "simulation.end", 1.5);
    for (int i = 0; i < INTEGRATORS; ++i) {
        // Generalized-alpha damps: at 1e-4 it loses 0.2 J.
        run(f, arm_text, x, integrators[i], i < EXPLICIT ? 1e-4 : 1e-5);
        assert_at_most(fabs(statistics(f)->energy.numerical), 0.1); // of 25 J
        // All of the motion: with steps of half a period of its motors alpha2 and alpha3 had an arm
        // that hardly moved.
        assert_near(statistics(f)->energy.friction, -48.455, 0.1);
    }
}

// A resumed run makes the same step again, by the method and with the direction that it had.
static void test_resume(void **state)
{
    model_text *f = *state;
    values x = {.n = 0};
    run(f, arm_text, x, "dopri5", 1e-8);
    for (int at = 35; at < 45; at += 3) { // a slip begins at 0.394 s
        pcs_simulation *whole = create(f, "1e-8"), *rest = create(f, "1e-8");
        for (int i = 0; i < at; ++i)
            assert_true(pcs_simulation_step(whole) >= 0);
        const size_t size = pcs_simulation_save(whole, NULL, 0);
        void *bytes = malloc(size);
        assert_non_null(bytes);
        pcs_simulation_save(whole, bytes, size);
        assert_true(pcs_simulation_load(rest, bytes, size) >= 0);
        free(bytes);
        for (int i = 0; i < 8; ++i) {
            assert_true(pcs_simulation_step(whole) >= 0);
            assert_true(pcs_simulation_step(rest) >= 0);
            assert_memory_equal(pcs_simulation_q(whole), pcs_simulation_q(rest),
                                sizeof(double) * (size_t)f->model->n_q);
            assert_memory_equal(pcs_simulation_v(whole), pcs_simulation_v(rest),
                                sizeof(double) * (size_t)f->model->n_v);
        }
        pcs_simulation_destroy(whole);
        pcs_simulation_destroy(rest);
    }
}

// ---- Flights lower than rounding ----

// A chain whose ball drags over a belt while the last joint bounces on its limit: floor (e = 0) and
// limit (e = 0.2) hit each other in turns, ever faster, until the ball leaves the floor by less than
// the rounding of its gap. The run used to go on in steps of 1e-11 s from there.
static const char chain_text[] =
    "dimension: 3\n"
    "gravity: [0, 0, -9.81]\n"
    "parameters: {mu: 0.8, sx: 0.191, wx: 2.4, wy: -2.14, wz: -1.34, e: 0}\n"
    "bodies:\n"
    "  a: {shape: {box: [0.05, 0.05, 0.4], density: 800}, position: [0, 0, -0.2],\n"
    "      angular_velocity: [wx, wy, wz]}\n"
    "  b: {shape: {cylinder: {radius: 0.03, length: 0.4}, density: 800},\n"
    "      position: [0.2, 0, -0.4], rotation: {axis: [0, 1, 0], angle: pi/2}}\n"
    "  c: {shape: {sphere: 0.08, density: 2000}, position: [0.4, 0, -0.5]}\n"
    "joints:\n"
    "  s1: {type: spherical, bodies: [ground, a], at: [0, 0, 0]}\n"
    "  u2: {type: universal, bodies: [a, b], at: [0, 0, -0.4], axis: [0, 1, 0], axis2: [0, 0, 1]}\n"
    "  r3: {type: revolute, bodies: [b, c], at: [0.4, 0, -0.4], axis: [0, 1, 0],\n"
    "       limits: {lower: -1, upper: 1, restitution: 0.2}}\n"
    "contacts:\n"
    "  floor: {type: sphere-plane, bodies: [ground, c], at: [0, 0, -0.75], normal: [0, 0, 1],\n"
    "          radius: 0.08, friction: mu, restitution: e, tangential_restitution: 0.2,\n"
    "          surface_speed: [sx, 0]}\n"
    "simulation: {end: 0.6, step: 0.01}\n";

static void test_low_flights(void **state)
{
    model_text *f = *state;
    static const double cases[][6] = {{0.8, 0.191, 2.4, -2.14, -1.34, 0},
                                      {0.8, 0.925, -0.329, -2.51, 1.6, 0},
                                      {0.5, 0.5, 0, 0, 0, 0.4},
                                      {0.3, -0.4, 1, -2, 0.7, 0}};
    const char *const names[] = {"mu", "sx", "wx", "wy", "wz", "e"};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        double exact[2];
        values x = {.n = 0};
        for (int j = 0; j < 6; ++j)
            set(&x, names[j], cases[k][j]);
        run(f, chain_text, x, "dopri5", 1e-10);
        for (int j = 0; j < 2; ++j)
            exact[j] = model_text_signal(f, place[j]);
        for (int i = 0; i <= INTEGRATORS; ++i) {
            run(f, chain_text, x, i < INTEGRATORS ? integrators[i] : "hybrid", 1e-8);
            const bool order_2 = i >= EXPLICIT && i < INTEGRATORS;
            for (int j = 0; j < 2; ++j)
                assert_near(model_text_signal(f, place[j]), exact[j], order_2 ? 1e-4 : 1e-6);
            assert_at_most((double)statistics(f)->inner_steps, 20000);
        }
    }
}

// ---- A hinged rod that strikes the floor ----

// Only one direction of the contact can move: velocities that the hinge does not allow have no
// impulse in the cone. The tip rests at the height of the floor whatever the friction. With mu y > x
// a rebound would need an impulse outside the cone: restitution has no solution there, and the tip
// jams.
static const char rod_text[] =
    "dimension: 2\n"
    "gravity: [0, -9.81]\n"
    "parameters: {mu: 1, e: 0, y: 0.6}\n"
    "bodies: {rod: {mass: 1, inertia: 1/12, position: [0.5, 0]}}\n"
    "joints: {hinge: {type: revolute, bodies: [ground, rod], at: [0, 0]}}\n"
    "contacts:\n"
    "  floor: {type: point-plane, bodies: [ground, rod], at: [0, -y], normal: [0, 1], b: [0.5, "
    "0],\n"
    "          friction: mu, restitution: e}\n"
    "simulation: {end: 1.5, step: 1e-2}\n";

static void test_hinged_rod(void **state)
{
    model_text *f = *state;
    const double friction[] = {0.1, 1, 3}, restitution[] = {0, 0.4}, height[] = {0.6, 0.2371};
    for (int i = 0; i < INTEGRATORS; ++i)
        for (int k = 0; k < 12; k += CASE_STRIDE) {
            values x = {.n = 0};
            const double y = height[k / 6], mu = friction[k % 3];
            set(&x, "e", restitution[k / 3 % 2]);
            set(&x, "y", y);
            set(&x, "mu", mu);
            run(f, rod_text, x, integrators[i], 1e-8);
            assert_near(model_text_signal(f, "body.rod.position.y"), -0.5 * y, 1e-6);
            assert_at_most(statistics(f)->energy.kinetic, 1e-12);
            assert_at_most(fabs(statistics(f)->energy.numerical), 1e-4); // of 3 J
        }
}

// Each heap request of a run with a sliding contact fails in turn, also those of the turning of
// friction: the run reports it and leaves nothing behind.
static void test_failing_heap(void **state)
{
    enum { TRIES_MOST = 20000 };
    static const char *const schemes[] = {"phem56", "alpha2"};
    model_text *f = *state;
    for (int i = 0; i < 2; ++i) {
        values x = {.n = 0};
        const char *const names[] = {"m", "mu", "a", "rho", "phi", "sx", "sy"};
        const double number[] = {0.73, 0.5, 2.4, 1.7, 1.5, 0.31, -0.22};
        for (int k = 0; k < 7; ++k)
            set(&x, names[k], number[k]);
        set_text(&x, "simulation.scheme", schemes[i]);
        model_text_read(f, schemes[i], point_text, x.setting, x.n);
        const uint64_t bytes = pcs_context_heap_bytes(f->ctx);
        const pcs_simulation_def def = pcs_model_file_simulation(f->file);
        pcs_status status = PCS_ERROR_MEMORY;
        for (uint64_t n = 1; n < TRIES_MOST && status < 0; ++n) {
            pcs_simulation *simulation = NULL;
            pcs_context_fail_heap_call(f->ctx, n);
            status = pcs_simulation_create(f->ctx, f->model, &def, &simulation);
            for (int k = 0; k < 2 && status >= 0; ++k)
                status = pcs_simulation_step(simulation);
            pcs_context_fail_heap_call(f->ctx, 0);
            pcs_simulation_destroy(simulation);
            assert_true(status >= 0 || status == PCS_ERROR_MEMORY);
            assert_true(pcs_context_heap_bytes(f->ctx) == bytes);
        }
        assert_true(status >= 0);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, model_text_set_up, model_text_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_ball_on_belt), TEST(test_point_stops), TEST(test_arms),
        TEST(test_pendulums),    TEST(test_passing_by),  TEST(test_resume),
        TEST(test_low_flights),  TEST(test_hinged_rod),  TEST(test_failing_heap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
