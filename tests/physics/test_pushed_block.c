// A block on a rough floor that a force pushes to and fro: it slides, stops, stays or turns round. The
// force is below, at and above the limit of friction, with round numbers and others. Between the
// changes everything is constant, so that the motion is known.
#include <stdio.h>

#include "support/model_text.h"
#include "support/near.h"

typedef struct push {
    double mass, gravity, friction;
    double ratio; // of the force to the limit of friction
    double speed; // at the start
} push;

typedef struct motion {
    double x, v;
} motion;

static const double turn = 0.4, end = 1; // s; the force changes its sign, the run ends

// A time t under the acceleration f of the force and friction of up to c.
static motion slide(motion m, double f, double c, double t)
{
    if (m.v == 0) {
        const double a = fabs(f) > c * (1 + 1e-12) ? f - copysign(c, f) : 0;
        return (motion){m.x + 0.5 * a * t * t, a * t};
    }
    const double a = f - copysign(c, m.v), stop = a * m.v < 0 ? -m.v / a : HUGE_VAL;
    if (t < stop)
        return (motion){m.x + m.v * t + 0.5 * a * t * t, m.v + a * t};
    return slide((motion){m.x + 0.5 * m.v * stop, 0}, f, c, t - stop);
}

static void run_push(model_text *f, const push *p, const char *scheme, double step, double order,
                     double place)
{
    char text[1024];
    const double limit = p->friction * p->mass * p->gravity, force = p->ratio * limit;
    const int n = snprintf(text, sizeof text,
                           "dimension: 2\n"
                           "gravity: [0, %.17g]\n"
                           "bodies: {b: {point: true, mass: %.17g, velocity: [%.17g, 0]}}\n"
                           "forces: {f: {body: b, force: [\"if(t < %.17g, %.17g, %.17g)\", 0]}}\n"
                           "contacts: {floor: {type: point-plane, bodies: [ground, b], "
                           "friction: %.17g}}\n"
                           "simulation: {end: %.17g, step: %.17g, scheme: %s}\n",
                           -p->gravity, p->mass, p->speed, turn, force, -force, p->friction, end,
                           step, scheme);
    assert_in_range(n, 1, sizeof text - 1);
    model_text_read(f, scheme, text, NULL, 0);
    model_text_start(f);
    while (!pcs_simulation_finished(f->simulation))
        if (pcs_simulation_step(f->simulation) < 0)
            fail_msg("%s: %s", scheme, pcs_context_error(f->ctx));
    const double a = force / p->mass, c = limit / p->mass;
    const motion exact = slide(slide((motion){0, p->speed}, a, c, turn), -a, c, end - turn);
    const double x = model_text_signal(f, "body.b.position.x"),
                 v = model_text_signal(f, "body.b.velocity.x");
    // Friction of a step in which the slip turns has the wrong sign for a part of it, twice in a run.
    const double wrong = order * 4 * c * step + 1e-7;
    if (!(fabs(v - exact.v) <= wrong) || !(fabs(x - exact.x) <= wrong * end + place))
        fail_msg("%s, step %g, m = %g, g = %g, mu = %g, %g of the limit, v = %g: x = %.9g and v = "
                 "%.9g, right are %.9g and %.9g",
                 scheme, step, p->mass, p->gravity, p->friction, p->ratio, p->speed, x, v, exact.x,
                 exact.v);
}

static void test_pushed(void **state)
{
    static const double ratios[] = {0, 0.5, 0.999, 1, 1.001, 1.5, 4};
    static const double speeds[] = {0, 0.5, -0.6433};
    static const double frictions[] = {0.06579, 0.25, 0.5};
    // Exact where friction changes its sign, or of first order there; the place where a slip ends is
    // known to the tolerance of the adaptive scheme, at each of two stops.
    static const struct {
        const char *scheme;
        double step, order, place;
    } runs[] = {{"event-driven", 0.0125, 0, 0},
                {"event-driven, output: exact", 0.05, 0, 0},
                {"alpha2", 0.0125, 0, 0},
                {"hybrid", 0.0125, 0, 0},
                {"moreau-jean-adaptive", 0.0125, 0, 2e-4},
                {"moreau-jean-adaptive, tolerance: 1e-7", 0.05, 0, 2e-7},
                {"moreau-jean", 1e-3, 1, 0},
                {"moreau-jean", 0.0125, 1, 0},
                {"capturing", 1e-3, 1, 0},
                {"nonsmooth-alpha", 1e-3, 1, 0}};
    for (size_t i = 0; i < 7 * 3 * 3; ++i) {
        const bool round = i % 2 == 0;
        const push p = {round ? 2 : 0.749, round ? 10 : 9.81, frictions[i / 7 % 3], ratios[i % 7],
                        speeds[i / 21]};
        for (size_t k = 0; k < sizeof runs / sizeof *runs; ++k)
            run_push(*state, &p, runs[k].scheme, runs[k].step, runs[k].order, runs[k].place);
    }
}

// A force that grows in time, F = rate t, moves the block from t_s = mu m g / rate on, wherever in a
// step that is: v = rate (t - t_s)^2 / 2 m.
static void run_ramp(model_text *f, double start, double step, const char *scheme, double order)
{
    const double m = 2, mu = 0.5, g = 10, rate = mu * m * g / start, last = start + 0.37;
    char text[1024];
    const int n = snprintf(text, sizeof text,
                           "dimension: 2\n"
                           "gravity: [0, %.17g]\n"
                           "bodies: {b: {point: true, mass: %.17g}}\n"
                           "forces: {f: {body: b, force: [\"%.17g*t\", 0]}}\n"
                           "contacts: {floor: {type: point-plane, bodies: [ground, b], "
                           "friction: %.17g}}\n"
                           "simulation: {end: %.17g, step: %.17g, scheme: %s}\n",
                           -g, m, rate, mu, last, step, scheme);
    assert_in_range(n, 1, sizeof text - 1);
    model_text_read(f, scheme, text, NULL, 0);
    model_text_start(f);
    while (!pcs_simulation_finished(f->simulation))
        assert_true(pcs_simulation_step(f->simulation) >= 0);
    const double t = pcs_simulation_time(f->simulation) - start, right = rate * t * t / (2 * m);
    const double v = model_text_signal(f, "body.b.velocity.x");
    if (!(fabs(v - right) <= 1e-6 + order * rate * step * step / m))
        fail_msg("%s, step %g, slip from %g s on: v = %.9g, right is %.9g", scheme, step, start, v,
                 right);
}

static void test_ramps(void **state)
{
    static const double starts[] = {0.4, 0.405, 0.41, 0.4213, 0.43, 0.437, 0.4406, 0.4444, 0.449};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; ++i) {
        run_ramp(*state, starts[i], 0.05, "event-driven", 0);
        run_ramp(*state, starts[i], 0.05, "hybrid", 0);
        run_ramp(*state, starts[i], 0.05, "moreau-jean-adaptive, tolerance: 1e-6", 0.01);
        run_ramp(*state, starts[i], 0.05, "moreau-jean-adaptive, tolerance: 1e-9", 1e-3);
        run_ramp(*state, starts[i], 0.005, "moreau-jean-adaptive, tolerance: 1e-9", 1e-3);
        run_ramp(*state, starts[i], 0.005, "moreau-jean", 1);
        run_ramp(*state, starts[i], 0.005, "capturing", 1);
        run_ramp(*state, starts[i], 0.005, "nonsmooth-alpha", 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_pushed, model_text_set_up, model_text_tear_down),
        cmocka_unit_test_setup_teardown(test_ramps, model_text_set_up, model_text_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
