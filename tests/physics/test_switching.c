// Forces that jump in time: momentum and way against closed forms, under every scheme and
// integrator, for pulses of 1e-5 to 1 s at random and at round places, written in several ways,
// overlapping, and on output instants. Belts, a motion whose rate jumps, conditions on the state.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "support/model_text.h"
#include "support/near.h"

static const char *const schemes[] = {"moreau-jean",
                                      "moreau-jean-adaptive",
                                      "capturing",
                                      "hybrid",
                                      "nonsmooth-alpha",
                                      "phem56",
                                      "hem5",
                                      "dopri5",
                                      "rkf45",
                                      "rk4",
                                      "bs32",
                                      "heun",
                                      "alpha2",
                                      "alpha3"};
enum { SCHEMES = sizeof schemes / sizeof *schemes, TEXT_SIZE = 4096 };

static void run(model_text *f, const char *text)
{
    model_text_read(f, "m.yaml", text, NULL, 0);
    model_text_start(f);
    while (!pcs_simulation_finished(f->simulation))
        if (pcs_simulation_step(f->simulation) != PCS_OK)
            fail_msg("%s\n%s", pcs_context_error(f->ctx), text);
}

// ---- Pulses ----

enum { PULSES = 3, END = 2 };

typedef struct pulse {
    double from, to, force;
} pulse;

static int write_pulse(char *text, size_t size, const pulse *p, int way)
{
    switch (way % 5) {
    case 0:
        return snprintf(text, size, "(t > %.17g && t < %.17g ? %.17g : 0)", p->from, p->to,
                        p->force);
    case 1:
        return snprintf(text, size, "if(t < %.17g, 0, if(t <= %.17g, %.17g, 0))", p->from, p->to,
                        p->force);
    case 2:
        return snprintf(text, size, "%.17g*step(t - %.17g)*step(%.17g - t)", p->force, p->from,
                        p->to);
    case 3:
        return snprintf(text, size, "%.17g/2*(sign(t - %.17g) - sign(t - %.17g))", p->force,
                        p->from, p->to);
    default: // a curve: (t - a)(t - b) < 0
        return snprintf(text, size, "if((t - %.17g)*(t - %.17g) < 0, %.17g, 0)", p->from, p->to,
                        p->force);
    }
}

static void choose_pulses(pcs_random *random, bool round_places, pulse *p)
{
    for (int i = 0; i < PULSES; ++i) {
        const double width = pow(10, pcs_random_between(random, -5, 0));
        p[i].from = pcs_random_between(random, 0, 0.9);
        if (round_places) { // on output instants, and widths that are steps
            p[i].from = floor(10 * p[i].from) / 10;
            p[i].to = p[i].from + (double)(1 + i) / 10;
        } else {
            p[i].to = p[i].from + width;
        }
        p[i].force = pcs_random_between(random, -2, 2) / (p[i].to - p[i].from);
    }
}

static void momentum_and_way(void **state)
{
    model_text *f = *state;
    pcs_random random;
    pcs_random_init(&random, 20);
    enum { CASES = 10 };
    for (int k = 0; k < CASES; ++k) {
        pulse p[PULSES];
        char text[TEXT_SIZE], force[PULSES][256];
        choose_pulses(&random, k % 2 == 0, p);
        double v = 0.1, x = 0.1 * END, size = 1;
        for (int i = 0; i < PULSES; ++i) {
            const double w = p[i].to - p[i].from, rise = p[i].force * w;
            write_pulse(force[i], sizeof force[i], &p[i], k + i);
            v += rise;
            x += rise * (END - 0.5 * (p[i].from + p[i].to));
            size += fabs(rise);
        }
        for (int s = 0; s < SCHEMES; ++s) {
            snprintf(text, sizeof text,
                     "dimension: 2\nbodies: {b: {point: true, mass: 1, velocity: [0.1, 0]}}\n"
                     "forces: {f: {body: b, force: [\"%s + %s + %s\", 0]}}\n"
                     "simulation: {end: %d, step: 0.1, scheme: %s}\n",
                     force[0], force[1], force[2], END, schemes[s]);
            run(f, text);
            // Constant forces between switches are exact to every scheme but for rounding; heun
            // and bs32 choose long steps by their tolerance of 1e-8.
            const double tolerance = 1e-8 * size;
            const double found_v = model_text_signal(f, "body.b.velocity.x");
            const double found_x = model_text_signal(f, "body.b.position.x");
            if (!(fabs(found_v - v) <= tolerance) || !(fabs(found_x - x) <= tolerance))
                fail_msg("v %.12g (%.12g), x %.12g (%.12g) for\n%s", found_v, v, found_x, x, text);
        }
    }
}

// A pulse in every tenth of a second.
static void periodic(void **state)
{
    model_text *f = *state;
    for (int s = 0; s < SCHEMES; ++s) {
        char text[TEXT_SIZE];
        snprintf(text, sizeof text,
                 "parameters: {T: 0.1, w: 0.003}\ndimension: 2\n"
                 "bodies: {b: {point: true, mass: 1}}\n"
                 "forces: {f: {body: b, force: [\"if(mod(t, T) < w, 10, 0)\", 0]}}\n"
                 "simulation: {end: 3, step: 0.07, scheme: %s}\n",
                 schemes[s]);
        run(f, text);
        assert_near(model_text_signal(f, "body.b.velocity.x"), 30 * 10 * 0.003, 1e-8);
    }
}

// ---- Other places of formulas ----

// An oscillator of a Lagrangian system whose force jumps: x = F/w^2 (1 - cos w (t - a)).
static void oscillator(void **state)
{
    model_text *f = *state;
    const double w = 3.1, a = 0.7371, F = 2.3;
    for (int s = 0; s < SCHEMES; ++s) {
        char text[TEXT_SIZE];
        snprintf(text, sizeof text,
                 "dimension: 2\n"
                 "systems: {o: {coordinates: {x: 0}, kinetic: \"x.rate^2/2\",\n"
                 "  potential: \"%.17g*x^2/2\", forces: {x: \"if(t < %.17g, 0, %.17g)\"}}}\n"
                 "simulation: {end: 2, step: 2e-3, scheme: %s}\n",
                 w * w, a, F, schemes[s]);
        run(f, text);
        // Time stepping has order 2, an error of the phase of w^3 t h^2/12 and one of the start of
        // the filter, and nothing for the jump, which would be F h.
        const double error = 2 * F * w * w * 2e-3 * 2e-3;
        assert_near(model_text_signal(f, "system.o.x"), F / (w * w) * (1 - cos(w * (2 - a))),
                    error);
    }
}

// A block on a belt that starts at once: it slides with mu g.
static void belt(void **state)
{
    model_text *f = *state;
    for (int s = 0; s < SCHEMES; ++s) {
        char text[TEXT_SIZE];
        snprintf(text, sizeof text,
                 "dimension: 2\ngravity: [0, -10]\n"
                 "bodies: {b: {point: true, mass: 1, position: [0, 0.1]}}\n"
                 "contacts: {c: {type: circle-plane, bodies: [ground, b], radius: 0.1,\n"
                 "  friction: 0.2, surface_speed: \"if(t < 0.3337, 0, 3)\"}}\n"
                 "simulation: {end: 1, step: 0.01, scheme: %s}\n",
                 schemes[s]);
        run(f, text);
        assert_near(model_text_signal(f, "body.b.velocity.x"), 2 * (1 - 0.3337), 1e-8);
        assert_near(model_text_signal(f, "body.b.position.x"), (1 - 0.3337) * (1 - 0.3337), 1e-8);
    }
}

// A slide whose rate jumps from 0.3 to 2 m/s pulls a mass by a spring. Time stepping is of order 2.
static void kink_of_a_motion(void **state)
{
    model_text *f = *state;
    const double w = sqrt(20), kink = 0.537, rest = 1 - kink;
    const double z = -0.3 / w * sin(w * kink), z_rate = 0.3 * (1 - cos(w * kink)) - 2;
    const double x = 1 + 0.3 * kink + 2 * rest + z * cos(w * rest) + z_rate / w * sin(w * rest);
    for (int s = 0; s < SCHEMES; ++s) {
        char text[TEXT_SIZE];
        snprintf(text, sizeof text,
                 "dimension: 2\n"
                 "bodies: {a: {mass: 1, inertia: 1}, b: {mass: 1, inertia: 1, position: [1, 0]}}\n"
                 "joints: {slide: {type: prismatic, bodies: [ground, a], axis: [1, 0],\n"
                 "  motion: \"if(t < %.17g, 0.3*t, 0.3*%.17g + 2*(t - %.17g))\"}}\n"
                 "springs: {s: {type: point, bodies: [a, b], a: [0, 0], b: [0, 0], "
                 "stiffness: 20, rest: 1}}\n"
                 "simulation: {end: 1, step: 0.01, scheme: %s}\n",
                 kink, kink, kink, schemes[s]);
        run(f, text);
        assert_near(model_text_signal(f, "body.a.velocity.x"), 2, 1e-8);
        assert_near(model_text_signal(f, "body.a.position.x"), 0.3 * kink + 2 * rest, 1e-8);
        assert_near(model_text_signal(f, "body.b.position.x"), x, 2e-4);
        if (strcmp(schemes[s], "phem56") == 0 || strcmp(schemes[s], "dopri5") == 0)
            assert_near(model_text_signal(f, "energy.numerical"), 0, 1e-5); // of 6 J
    }
}

// A table that carries a body stops at once. The drive takes the table's energy at the stop and
// nothing before or behind it, the body slides v^2/(2 mu g), and the impulses of the drive add up to
// all momentum.
static void stop_of_a_motion(void **state)
{
    model_text *f = *state;
    static const struct {
        double M, m, v, stop, mu;
        bool on_grid;
    } cases[] = {{1, 1, 0.5, 0.2, 0.2, true},
                 {3.7, 0.2, 1.1, 0.2337, 0.6, false},
                 {0.05, 8, 0.31, 0.1, 0.11, true}};
    const double h = 1e-3, end = 0.6, g = 10;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k)
        for (int s = 0; s < SCHEMES; ++s) {
            const double M = cases[k].M, m = cases[k].m, v = cases[k].v, stop = cases[k].stop;
            const double energy = 0.5 * (M + m) * v * v;
            // Time stepping has the friction of the step in the impulse of its drive.
            const double of_a_step = cases[k].mu * m * g * v * h;
            double impulse = 0;
            char text[TEXT_SIZE];
            snprintf(text, sizeof text,
                     "dimension: 2\ngravity: [0, -%.17g]\n"
                     "bodies:\n  a: {mass: %.17g, inertia: 1, velocity: [%.17g, 0]}\n"
                     "  b: {point: true, mass: %.17g, velocity: [%.17g, 0]}\n"
                     "joints: {slide: {type: prismatic, bodies: [ground, a], axis: [1, 0],\n"
                     "  motion: \"%.17g*min(t, %.17g)\"}}\n"
                     "contacts: {c: {type: point-plane, bodies: [a, b], normal: [0, 1], "
                     "friction: %.17g}}\n"
                     "simulation: {end: %.17g, step: %.17g, scheme: %s}\n",
                     g, M, v, m, v, v, stop, cases[k].mu, end, h, schemes[s]);
            model_text_read(f, "m.yaml", text, NULL, 0);
            model_text_start(f);
            while (!pcs_simulation_finished(f->simulation)) {
                assert_int_equal(pcs_simulation_step(f->simulation), PCS_OK);
                impulse += h * model_text_signal(f, "joint.slide.force.x");
            }
            assert_near(model_text_signal(f, "energy.driver"), -0.5 * M * v * v, of_a_step);
            assert_near(model_text_signal(f, "energy.numerical"), 0, 1e-6 * energy);
            // The force of a joint is a mean over a step where one step ends at the stop.
            const bool whole = strcmp(schemes[s], "moreau-jean") == 0 ||
                               strcmp(schemes[s], "capturing") == 0 ||
                               strcmp(schemes[s], "nonsmooth-alpha") == 0;
            if (whole && cases[k].on_grid)
                assert_near(impulse, -(M + m) * v, 1e-6 * (M + m) * v);
            assert_near(model_text_signal(f, "body.b.position.x"),
                        v * stop + 0.5 * v * v / (cases[k].mu * g), h * v);
        }
}

// ---- Conditions on the state ----

static const char *const locating[] = {"hybrid", "phem56", "hem5", "dopri5", "rkf45",
                                       "rk4",    "bs32",   "heun", "alpha2", "alpha3"};
enum { LOCATING = sizeof locating / sizeof *locating };

// A force that acts over a short way: its work is F w, wherever the steps lie.
static void zones(void **state)
{
    model_text *f = *state;
    pcs_random random;
    pcs_random_init(&random, 4);
    enum { CASES = 12 };
    for (int k = 0; k < CASES; ++k) {
        const double width = pow(10, pcs_random_between(&random, -5, -1));
        const double from = k % 3 == 0 ? 0.5 : pcs_random_between(&random, 0.1, 0.8);
        const double work = pcs_random_between(&random, -0.4, 2), F = work / width;
        const double v = sqrt(1 + 2 * work), inside = width / (0.5 * (1 + v));
        const double x = from + width + v * (2 - from - inside);
        for (int s = 0; s < LOCATING; ++s) {
            char text[TEXT_SIZE];
            snprintf(text, sizeof text,
                     "dimension: 2\nbodies: {b: {point: true, mass: 1, velocity: [1, 0]}}\n"
                     "forces: {f: {body: b, force: [\"if(body.b.position.x > %.17g && "
                     "body.b.position.x < %.17g, %.17g, 0)\", 0]}}\n"
                     "simulation: {end: 2, step: 0.1, scheme: %s}\n",
                     from, from + width, F, locating[s]);
            run(f, text);
            // Each edge is located to 1e-12 s.
            const double tolerance = 1e-8 + 1e-11 * fabs(F);
            const double found_v = model_text_signal(f, "body.b.velocity.x");
            const double found_x = model_text_signal(f, "body.b.position.x");
            if (!(fabs(found_v - v) <= tolerance) || !(fabs(found_x - x) <= 2 * tolerance))
                fail_msg("v %.12g (%.12g), x %.12g (%.12g) for\n%s", found_v, v, found_x, x, text);
        }
    }
}

// Fixed steps keep their order over a condition on the state: halving the step of rk4 in an
// oscillator that is stiffer on one side.
static void order_of_fixed_steps(void **state)
{
    model_text *f = *state;
    const double pi = acos(-1.0);
    // Half a turn at frequency 1 from x = 1, at 0 with v = -1; then frequency 2: x = -sin(2 t)/2.
    double error[2];
    for (int k = 0; k < 2; ++k) {
        char text[TEXT_SIZE];
        snprintf(text, sizeof text,
                 "dimension: 2\n"
                 "systems: {o: {coordinates: {x: 1}, kinetic: \"x.rate^2/2\",\n"
                 "  forces: {x: \"if(x < 0, -4*x + 0.5, -x)\"}}}\n"
                 "simulation: {end: 2, step: 0.1, scheme: rk4, step_control: fixed, "
                 "first_step: %.17g}\n",
                 k == 0 ? 0.05 : 0.025);
        run(f, text);
        const double t = 2 - pi / 2; // x = 1/8 (1 - cos 2t) - sin(2t)/2
        error[k] = fabs(model_text_signal(f, "system.o.x") -
                        (0.125 * (1 - cos(2 * t)) - 0.5 * sin(2 * t)));
    }
    assert_at_most(error[0], 1e-5);
    assert_at_most(error[1], error[0] / 8); // order 4, less one for the last digits
}

// A force that drives the state back to its switch: the run ends, and the body rests.
static void chatter(void **state)
{
    model_text *f = *state;
    run(f, "dimension: 2\nbodies: {b: {point: true, mass: 1, velocity: [1, 0]}}\n"
           "forces: {f: {body: b, force: [\"-0.5*sign(body.b.velocity.x)\", 0]}}\n"
           "simulation: {end: 4, step: 0.1, scheme: phem56}\n");
    assert_near(model_text_signal(f, "body.b.position.x"), 1, 1e-3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(momentum_and_way, model_text_set_up, model_text_tear_down),
        cmocka_unit_test_setup_teardown(periodic, model_text_set_up, model_text_tear_down),
        cmocka_unit_test_setup_teardown(oscillator, model_text_set_up, model_text_tear_down),
        cmocka_unit_test_setup_teardown(belt, model_text_set_up, model_text_tear_down),
        cmocka_unit_test_setup_teardown(kink_of_a_motion, model_text_set_up, model_text_tear_down),
        cmocka_unit_test_setup_teardown(stop_of_a_motion, model_text_set_up, model_text_tear_down),
        cmocka_unit_test_setup_teardown(zones, model_text_set_up, model_text_tear_down),
        cmocka_unit_test_setup_teardown(order_of_fixed_steps, model_text_set_up,
                                        model_text_tear_down),
        cmocka_unit_test_setup_teardown(chatter, model_text_set_up, model_text_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
