// Forces that jump in time: momentum and way against closed forms, under every scheme and
// integrator, for pulses of 1e-5 to 1 s at random and at round places, written in several ways,
// overlapping, and on output instants. A motion whose rate jumps.
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

// A damped oscillator of a Lagrangian system, an actuator and a load with a jump against the same
// motion in two runs, of which each has a smooth force.
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
        // x = F/w^2 (1 - cos w (t - a)); time stepping has order 2 with the constant of the
        // midpoint rule, w^3 t h^2/12, and nothing more for the jump.
        const double error = 2 * F / w * w * w * 2e-3 * 2e-3;
        assert_near(model_text_signal(f, "system.o.x"), F / (w * w) * (1 - cos(w * (2 - a))),
                    error);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(momentum_and_way, model_text_set_up, model_text_tear_down),
        cmocka_unit_test_setup_teardown(periodic, model_text_set_up, model_text_tear_down),
        cmocka_unit_test_setup_teardown(oscillator, model_text_set_up, model_text_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
