// The hybrid scheme while contacts stick, and while one bears on and off: it comes back to
// event-driven integration. Piles, in which contacts do both all the time, cost what one of its two
// parts costs.
#include <stdio.h>

#include "base/random.h"
#include "support/model_text.h"
#include "support/near.h"
#include "support/scene_run.h"

// ---- Stick and slip ----

// A driven oscillator on a belt: a box on two corners in the plane, a point in space.
static const char planar_text[] =
    "dimension: 2\n"
    "gravity: [0, -9.81]\n"
    "parameters: {m: 1.3, k: 90, f: 4, o: 3, mu: 0.4, s: 0.1}\n"
    "bodies: {b: {shape: {box: [0.2, 0.1, 0.1], mass: m}, position: [0, 0.05]}}\n"
    "springs:\n"
    "  s: {type: point, bodies: [ground, b], a: [-1, 0.05], b: [0, 0], stiffness: k, damping: 2,\n"
    "      rest: 1}\n"
    "forces: {f: {body: b, force: [f*sin(o*t), 0]}}\n"
    "contacts:\n"
    "  floor: {type: box-plane, bodies: [ground, b], at: [0, 0], normal: [0, 1], size: [0.2, "
    "0.1],\n"
    "          friction: mu, surface_speed: s}\n"
    "simulation: {end: 20, step: 0.02}\n";

static const char spatial_text[] =
    "dimension: 3\n"
    "gravity: [0, 0, -9.81]\n"
    "parameters: {m: 1.3, k: 90, f: 4, o: 3, mu: 0.4, s: 0.1}\n"
    "bodies: {b: {mass: m, point: true, position: [0, 0, 0]}}\n"
    "springs:\n"
    "  s: {type: point, bodies: [ground, b], a: [-1, 0, 0], b: [0, 0, 0], stiffness: k, damping: "
    "2,\n"
    "      rest: 1}\n"
    "  t: {type: point, bodies: [ground, b], a: [0, -1, 0], b: [0, 0, 0], stiffness: k, damping: "
    "2,\n"
    "      rest: 1}\n"
    "forces: {f: {body: b, force: [f*sin(o*t), 0.3*f*cos(o*t), 0]}}\n"
    "contacts:\n"
    "  floor: {type: point-plane, bodies: [ground, b], at: [0, 0, 0], normal: [0, 0, 1],\n"
    "          friction: mu, surface_speed: [s, 0.03]}\n"
    "simulation: {end: 20, step: 0.02}\n";

enum { VALUES = 6 };

static const pcs_statistics *run(model_text *f, const char *text, const double *value,
                                 const char *scheme)
{
    static const char *const names[VALUES] = {"m", "k", "f", "o", "mu", "s"};
    pcs_setting settings[VALUES + 1];
    char number[VALUES][40];
    for (int i = 0; i < VALUES; ++i) {
        snprintf(number[i], sizeof number[i], "%.17g", value ? value[i] : 0);
        settings[i] = (pcs_setting){names[i], number[i]};
    }
    settings[VALUES] = (pcs_setting){"simulation.scheme", scheme};
    model_text_read(f, scheme, text, value ? settings : settings + VALUES, value ? VALUES + 1 : 1);
    model_text_start(f);
    while (!pcs_simulation_finished(f->simulation))
        if (pcs_simulation_step(f->simulation) < 0)
            fail_msg("%s: %s", scheme, pcs_context_error(f->ctx));
    return pcs_simulation_statistics(f->simulation);
}

static void stick_and_slip(model_text *f, const char *text)
{
    for (uint64_t seed = 0; seed < 5; ++seed) {
        pcs_random random;
        pcs_random_init(&random, seed);
        double value[VALUES] = {1.3, 90, 4, 3, 0.4, 0.1};
        if (seed > 0) {
            value[0] = pcs_random_between(&random, 0.5, 3);
            value[1] = pcs_random_between(&random, 20, 200);
            value[2] = pcs_random_between(&random, 2, 6);
            value[3] = pcs_random_between(&random, 1, 5);
            value[4] = pcs_random_between(&random, 0.2, 0.6);
            value[5] = pcs_random_between(&random, 0.05, 0.3);
        }
        const double steps = (double)run(f, text, value, "event-driven")->inner_steps;
        const double x = model_text_signal(f, "body.b.position.x");
        const pcs_statistics *s = run(f, text, value, "hybrid");
        // Each change costs a few time steps of 1e-5 to 1e-4 s, with an error of mu g h^2.
        const double changes = (double)s->switches_friction;
        assert_near(model_text_signal(f, "body.b.position.x"), x, 1e-6);
        assert_at_most(s->time_stepping, 1e-3 * (1 + changes));
        assert_at_most((double)s->inner_steps, 1.2 * steps + 100 * (1 + changes));
    }
}

static void test_belt_in_the_plane(void **state)
{
    stick_and_slip(*state, planar_text);
}

static void test_belt_in_space(void **state)
{
    stick_and_slip(*state, spatial_text);
}

// ---- A loose pin on a stop ----

// A spring closes a four-bar whose first hinge is a pin with clearance; its rocker comes to rest on a
// stop. Time stepping bears on and off there.
static const char breaker_text[] =
    "parameters:\n"
    "  {l1: 0.03, l2: 0.06, l3: 0.05, d: 0.07, a0: 150*pi/180, c: 1e-4, pin: 0.004, mu: 0.1,\n"
    "   e: 0.2, bx: l1*cos(a0), by: l1*sin(a0), r: 'hypot(d - bx, by)',\n"
    "   beta: 'atan2(-by, d - bx)', a2: beta + acos((l2^2 + r^2 - l3^2)/(2*l2*r)),\n"
    "   a3: 'atan2(by + l2*sin(a2), bx + l2*cos(a2) - d)'}\n"
    "dimension: 2\n"
    "gravity: [0, -9.81]\n"
    "bodies:\n"
    "  crank: {shape: {rod: {length: l1}, mass: 0.05, at: [l1/2, 0]}, angle: a0}\n"
    "  coupler: {shape: {rod: {length: l2}, mass: 0.06, at: [l2/2, 0]}, position: [bx, by],\n"
    "            angle: a2}\n"
    "  rocker: {shape: {rod: {length: 0.1}, mass: 0.12, at: [0.05, 0]}, position: [d, 0], angle: "
    "a3}\n"
    "joints:\n"
    "  O: {type: revolute, bodies: [ground, crank], a: [0, 0], b: [0, 0]}\n"
    "  C: {type: revolute, bodies: [coupler, rocker], a: [l2, 0], b: [l3, 0]}\n"
    "  D: {type: revolute, bodies: [ground, rocker], a: [d, 0], b: [0, 0]}\n"
    "springs:\n"
    "  closing: {type: point, bodies: [ground, crank], a: [0.05, 0.05], b: [l1, 0], stiffness: "
    "4000,\n"
    "            rest: 0.01}\n"
    "contacts:\n"
    "  B: {type: pin-in-hole, bodies: [crank, coupler], a: [l1, 0], b: [0, 0], radii: [pin + c, "
    "pin],\n"
    "      friction: mu, restitution: e}\n"
    "  stop: {type: circle-plane, bodies: [ground, rocker], at: [0.06, 0], normal: [-1, 0],\n"
    "         b: [0.1, 0], radius: 0.003, restitution: e, friction: mu}\n"
    "simulation: {end: 0.06, step: 1e-4}\n";

static void test_loose_pin_on_a_stop(void **state)
{
    model_text *f = *state;
    (void)run(f, breaker_text, NULL, "event-driven");
    const double force = model_text_signal(f, "contact.stop.force.n");
    const pcs_statistics *s = run(f, breaker_text, NULL, "hybrid");
    assert_at_most(s->time_stepping, 0.01); // up to the end before: 0.04 s
    assert_at_most(s->energy.kinetic, 1e-12);
    // Within the friction of the pin, which rests where it may.
    assert_near(model_text_signal(f, "contact.stop.force.n"), force, 0.05 * force);
}

// ---- Piles ----

// Three to seven spheres or discs that fall into a box and rub on each other and the walls. A change
// between slip and stick that time stepping takes over comes back with velocities that are off by its
// step, and the next change follows at once: thousands of switches, at which these runs were given up
// between 0.4 s and 1 s. What accumulates is time-stepped, at most to the end: its largest steps are
// 1e-4 s, and a switch is worth it, if it saves some steps.
static void test_piles(void **state)
{
    (void)state;
    static const uint64_t seeds[] = {740, 1370, 40016, 530012, 530120, 530282, 530318, 530336};
    static scene_model model;
    static run_result result;
    for (size_t i = 0; i < sizeof seeds / sizeof *seeds; ++i) {
        scene_generate(seeds[i], &model);
        const run_def def = {.scheme = "hybrid",
                             .options = "",
                             .step = model.facts.end / 128,
                             .seconds = 20,
                             .accuracy = 1e-8};
        scene_run_model(&model, &def, &result);
        if (result.outcome != RUN_FINISHED)
            fail_msg("seed %d: %s", (int)seeds[i], result.message);
        assert_at_most((double)result.steps, model.facts.end / 1e-4);
        assert_at_most((double)result.events[PCS_EVENT_SWITCH], (double)result.steps / 4);
        assert_at_most(result.energy_gain, 1e-9);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, model_text_set_up, model_text_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_belt_in_the_plane),
        TEST(test_belt_in_space),
        TEST(test_loose_pin_on_a_stop),
        cmocka_unit_test(test_piles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
