// Bodies that contacts hold against forces of time, in closed form under every scheme: points that
// are lifted, dragged or driven out of a corner by A sin(w t), at once, later, or never; a corner
// that a point comes back to; a vertex that it slides over. A held body tells an integrator nothing
// about the force, and one that leaves begins with neither speed nor acceleration.
#include <stdio.h>
#include <stdlib.h>

#include "support/model_text.h"
#include "support/near.h"

typedef enum family { EVENTS, STEPS, ADAPTIVE } family;

static const struct scheme {
    const char *name;
    family family;
} schemes[] = {
    {"phem56", EVENTS},
    {"hem5", EVENTS},
    {"dopri5", EVENTS},
    {"rkf45", EVENTS},
    {"rk4", EVENTS},
    {"bs32", EVENTS},
    {"heun", EVENTS},
    {"alpha2", EVENTS},
    {"alpha3", EVENTS},
    {"hybrid", EVENTS},
    {"moreau-jean", STEPS},
    {"capturing", STEPS},
    {"nonsmooth-alpha", STEPS},
    {"moreau-jean-adaptive", ADAPTIVE},
};
enum { SCHEMES = sizeof schemes / sizeof *schemes, TEXT_SIZE = 4096 };

// Periods that divide long steps and samples, and others.
static const double periods[] = {1, 0.5, 0.25, 0.2, 0.5926, 0.03137};
enum { PERIODS = sizeof periods / sizeof *periods };
// Every case runs under every third scheme, every scheme has a third of the cases.
enum { SHARE = 3 };

// Steps of a period, for the schemes with fixed steps.
static const double PARTS = 2000;

static void run(model_text *f, const char *text)
{
    model_text_read(f, "m.yaml", text, NULL, 0);
    model_text_start(f);
    while (!pcs_simulation_finished(f->simulation))
        if (pcs_simulation_step(f->simulation) < 0)
            fail_msg("%s\n%s", pcs_context_error(f->ctx), text);
}

// The run of a scheme: outputs at whole steps do not meet the events.
static void write_run(char *text, size_t size, const struct scheme *s, double end, double T)
{
    snprintf(text, size, "simulation: {end: %.17g, step: %.17g, scheme: %s%s}\n", end,
             s->family == STEPS ? T / PARTS : 0.05 * T, s->name,
             s->family == EVENTS     ? ", tolerance: 1e-9"
             : s->family == ADAPTIVE ? ", tolerance: 1e-7"
                                     : "");
}

// Error of a way that is driven from t_1 on: by release at the end of a step, which is late by up
// to h, a speed of the force in that step; of the tolerances of up to 2000 steps of a method of
// order 2.
static double allowed(const struct scheme *s, double size)
{
    return s->family == STEPS      ? 8 / PARTS * size
           : s->family == ADAPTIVE ? 2e-4 * size + 2e-5
                                   : 1e-5 * size + 2e-6;
}

// Way of a mass under A sin(w t) - resistance since it began to move at t_1, t_0 the last zero of
// the sine.
typedef struct drive {
    double A, w, resistance; // per mass
    double t_0, t_1;
} drive;

static double begins(const drive *d)
{
    return d->t_0 + asin(d->resistance / d->A) / d->w;
}

static double way(const drive *d, double t)
{
    const double first = d->w * (d->t_1 - d->t_0), now = d->w * (t - d->t_0), dt = t - d->t_1;
    return d->A / d->w * cos(first) * dt - d->A / (d->w * d->w) * (sin(now) - sin(first)) -
           0.5 * d->resistance * dt * dt;
}

static void compare(model_text *f, const char *signal, double sign, const struct scheme *s,
                    double expected, double size, const char *text)
{
    const double found = sign * model_text_signal(f, signal);
    if (!(fabs(found - expected) <= allowed(s, size)))
        fail_msg("%s: %.12g instead of %.12g, allowed %.2g\n%s", signal, found, expected,
                 allowed(s, size), text);
}

// ---- Free ----

// From rest, with a force that is zero there and at the ends of round steps.
static void pushed(void **state)
{
    model_text *f = *state;
    const double pi = acos(-1), m = 2.3, A = 5;
    for (int k = 0; k < PERIODS; ++k)
        for (int i = 0; i < SCHEMES; ++i) {
            const double T = periods[k], end = 1.3 * T;
            const drive d = {A, 2 * pi / T, 0, 0, 0};
            char text[TEXT_SIZE], last[256];
            write_run(last, sizeof last, &schemes[i], end, T);
            snprintf(text, sizeof text,
                     "dimension: 2\nbodies: {b: {point: true, mass: %.17g}}\n"
                     "forces: {f: {body: b, force: [\"%.17g*sin(2*pi*t/%.17g)\", 0]}}\n%s",
                     m, m * A, T, last);
            run(f, text);
            compare(f, "body.b.position.x", 1, &schemes[i], way(&d, end), A * T * T / 10, text);
        }
}

// ---- Lifted ----

static void lifted(void **state)
{
    model_text *f = *state;
    static const double weight[] = {0, 0.5, 0.3183}; // over the largest lift
    const double pi = acos(-1), m = 1.7, A = 3;
    for (int k = 0; k < 2 * 3 * PERIODS; ++k)
        for (int i = (k + k / 6) % SHARE; i < SCHEMES; i += SHARE) {
            const double T = periods[k / 6], part = weight[k / 2 % 3];
            const bool later = k % 2; // pressed first, through half a period
            drive d = {A, 2 * pi / T, part * A, later ? T / 2 : 0, 0};
            d.t_1 = begins(&d);
            const double end = d.t_1 + 0.3 * T;
            char text[TEXT_SIZE], last[256];
            write_run(last, sizeof last, &schemes[i], end, T);
            snprintf(text, sizeof text,
                     "dimension: 2\ngravity: [0, %.17g]\n"
                     "bodies: {b: {point: true, mass: %.17g}}\n"
                     "forces: {f: {body: b, force: [0, \"%s%.17g*sin(2*pi*t/%.17g)\"]}}\n"
                     "contacts: {c: {type: point-plane, bodies: [ground, b], friction: 0.3,\n"
                     "  restitution: 0.4}}\n%s",
                     -part * A, m, later ? "-" : "", m * A, T, last);
            run(f, text);
            compare(f, "body.b.position.y", 1, &schemes[i], way(&d, end), A * T * T / 10, text);
        }
}

// ---- Dragged, or held for ever ----

static void dragged(void **state)
{
    model_text *f = *state;
    const double pi = acos(-1), m = 0.8, mu = 0.4, g = 10;
    for (int k = 0; k < 2 * PERIODS; ++k)
        for (int i = (k + k / 6) % SHARE; i < SCHEMES; i += SHARE) {
            const double T = periods[k / 2], A = 2 * mu * g, sign = k % 2 ? -1 : 1;
            drive d = {A, 2 * pi / T, mu * g, 0, 0};
            d.t_1 = begins(&d);
            const double end = d.t_1 + 0.25 * T;
            char text[TEXT_SIZE], last[256];
            write_run(last, sizeof last, &schemes[i], end, T);
            snprintf(text, sizeof text,
                     "dimension: 2\ngravity: [0, %.17g]\n"
                     "bodies: {b: {point: true, mass: %.17g}}\n"
                     "forces: {f: {body: b, force: [\"%.17g*sin(2*pi*t/%.17g)\", 0]}}\n"
                     "contacts: {c: {type: point-plane, bodies: [ground, b], friction: %.17g}}\n%s",
                     -g, m, sign * m * A, T, mu, last);
            run(f, text);
            compare(f, "body.b.position.x", sign, &schemes[i], way(&d, end), A * T * T / 10, text);
        }
}

static void held(void **state)
{
    model_text *f = *state;
    for (int k = 0; k < PERIODS; ++k)
        for (int i = (k + k / 6) % SHARE; i < SCHEMES; i += SHARE) {
            const double T = periods[k];
            char text[TEXT_SIZE], last[256];
            write_run(last, sizeof last, &schemes[i], 2.5 * T, T);
            snprintf(text, sizeof text,
                     "dimension: 2\ngravity: [0, -10]\nbodies: {b: {point: true, mass: 1}}\n"
                     "forces: {f: {body: b, force: [\"3.9*sin(2*pi*t/%.17g)\", "
                     "\"2*sin(2*pi*t/%.17g)^2\"]}}\n"
                     "contacts: {c: {type: point-plane, bodies: [ground, b], friction: 0.5}}\n%s",
                     T, T, last);
            run(f, text);
            assert_near(model_text_signal(f, "body.b.position.x"), 0, 1e-12);
            assert_near(model_text_signal(f, "body.b.position.y"), 0, 1e-12);
        }
}

// ---- In a corner ----

// Between two flanks of 50 degrees: up the right one in the first half of the period, back into the
// corner, where the impact without restitution ends all motion, and up the left one.
static void out_of_a_corner(void **state)
{
    model_text *f = *state;
    const double pi = acos(-1), m = 1.3, g = 9.81, a = 50 * pi / 180;
    for (int k = 0; k < 4 * PERIODS; ++k)
        for (int i = (k + k / 6) % SHARE; i < SCHEMES; i += SHARE) {
            const double T = periods[k / 4], mu = k / 2 % 2 ? 0.1 : 0;
            const bool back = k % 2;
            const double A = 1.1 * g * (sin(a) + mu * cos(a)) / (cos(a) - mu * sin(a));
            drive d = {A * (cos(a) - mu * sin(a)), 2 * pi / T, g * (sin(a) + mu * cos(a)),
                       back ? T / 2 : 0, 0};
            d.t_1 = begins(&d);
            const double end = d.t_1 + 0.1 * T, s = way(&d, end);
            char text[TEXT_SIZE], last[256];
            write_run(last, sizeof last, &schemes[i], end, T);
            snprintf(text, sizeof text,
                     "dimension: 2\ngravity: [0, %.17g]\n"
                     "bodies: {b: {point: true, mass: %.17g}}\n"
                     "forces: {f: {body: b, force: [\"%.17g*sin(2*pi*t/%.17g)\", 0]}}\n"
                     "contacts:\n"
                     "  l: {type: point-plane, bodies: [ground, b], normal: [%.17g, %.17g], "
                     "friction: %.17g}\n"
                     "  r: {type: point-plane, bodies: [ground, b], normal: [%.17g, %.17g], "
                     "friction: %.17g}\n%s",
                     -g, m, m * A, T, sin(a), cos(a), mu, -sin(a), cos(a), mu, last);
            run(f, text);
            compare(f, "body.b.position.x", back ? -1 : 1, &schemes[i], s * cos(a), A * T * T / 10,
                    text);
            compare(f, "body.b.position.y", 1, &schemes[i], s * sin(a), A * T * T / 10, text);
        }
}

// ---- Over a vertex ----

// Up a slope that ends in a tooth's tip, and on in free flight. Places in steps: on a whole one,
// beside it.
static void over_a_vertex(void **state)
{
    model_text *f = *state;
    static const double slope[] = {0, 30, 45, 17.3}, place[] = {0.2, 0.1999, 0.20013};
    const double pi = acos(-1), g = 9.81, v = 4;
    for (int k = 0; k < 2 * 3 * 4; ++k)
        for (int i = (k + k / 6) % SHARE; i < SCHEMES; i += SHARE) {
            const double a = slope[k / 6] * pi / 180, t = place[k / 2 % 3], mu = k % 2 ? 0.2 : 0;
            const double brake = g * (sin(a) + mu * cos(a)), way_up = v * t - 0.5 * brake * t * t;
            const double u = v - brake * t, flight = 0.1;
            char text[TEXT_SIZE], last[256];
            write_run(last, sizeof last, &schemes[i], t + flight, 1);
            snprintf(text, sizeof text,
                     "dimension: 2\ngravity: [0, %.17g]\n"
                     "bodies: {b: {point: true, mass: 0.7, position: [%.17g, %.17g], "
                     "velocity: [%.17g, %.17g]}}\n"
                     "contacts: {c: {type: point-polyline, bodies: [ground, b], friction: %.17g,\n"
                     "  vertices: [[%.17g, %.17g], [0, 0], [0, -5]]}}\n%s",
                     -g, -way_up * cos(a), -way_up * sin(a), v * cos(a), v * sin(a), mu,
                     -5 * cos(a), -5 * sin(a), last);
            run(f, text);
            compare(f, "body.b.position.x", 1, &schemes[i], u * cos(a) * flight, 1, text);
            compare(f, "body.b.position.y", 1, &schemes[i],
                    u * sin(a) * flight - 0.5 * g * flight * flight, 1, text);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(pushed, model_text_set_up, model_text_tear_down),
        cmocka_unit_test_setup_teardown(lifted, model_text_set_up, model_text_tear_down),
        cmocka_unit_test_setup_teardown(dragged, model_text_set_up, model_text_tear_down),
        cmocka_unit_test_setup_teardown(held, model_text_set_up, model_text_tear_down),
        cmocka_unit_test_setup_teardown(out_of_a_corner, model_text_set_up, model_text_tear_down),
        cmocka_unit_test_setup_teardown(over_a_vertex, model_text_set_up, model_text_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
