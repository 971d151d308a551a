// Order of the nonsmooth generalized-alpha scheme where contacts stay closed and nothing hits: two,
// in slip and in rolling, in the plane and in space, against the event-driven scheme; energy of a
// steady Euler disc against its start; and the thesis's way (resting_contacts: corrected), which is
// of first order there.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/alpha_run.h"
#include "support/fixture.h"
#include "support/model_text.h"
#include "support/near.h"
#include "support/order_fit.h"

typedef struct subject {
    const char *name, *text, *signal;
    double end;
} subject;

static const subject subjects[] = {
    {"disc rolling in a bowl",
     "dimension: 2\n"
     "gravity: [0, -9.81]\n"
     "bodies:\n"
     "  disc: {mass: 1, inertia: 0.00125, position: [0.45*sin(0.7), -0.45*cos(0.7)]}\n"
     "contacts:\n"
     "  bowl: {type: circle-in-circle, bodies: [ground, disc], a: [0, 0], b: [0, 0],\n"
     "         radii: [0.5, 0.05], friction: 0.5}\n",
     "body.disc.position.x", 0.4},
    {"disc slipping in a bowl",
     "dimension: 2\n"
     "gravity: [0, -9.81]\n"
     "bodies:\n"
     "  disc: {mass: 1.3, inertia: 0.0021, position: [0.45*sin(1.1), -0.45*cos(1.1)]}\n"
     "contacts:\n"
     "  bowl: {type: circle-in-circle, bodies: [ground, disc], a: [0, 0], b: [0, 0],\n"
     "         radii: [0.5, 0.05], friction: 0.05}\n",
     "body.disc.position.x", 0.3},
    {"bead slipping on a parabola",
     "dimension: 2\n"
     "gravity: [0, -9.81]\n"
     "bodies:\n"
     "  bead: {point: true, mass: 0.2, position: [-1, 0.5], velocity: [0.3, -0.3]}\n"
     "contacts:\n"
     "  road: {type: point-curve, bodies: [ground, bead], friction: 0.1,\n"
     "         curve: [{type: parabola, coefficients: [0, 0, 0.5], x: [-2, 2]}]}\n",
     "body.bead.position.x", 0.5},
    {"disc rolling in a cart on a spring",
     "dimension: 2\n"
     "gravity: [0, -9.81]\n"
     "bodies:\n"
     "  cart: {mass: 2, inertia: 0.5, position: [0, 0]}\n"
     "  disc: {mass: 0.4, inertia: 0.0005, position: [0.25*sin(0.9), -0.25*cos(0.9)]}\n"
     "joints:\n"
     "  rail: {type: prismatic, bodies: [ground, cart], axis: [1, 0]}\n"
     "springs:\n"
     "  k: {type: point, bodies: [ground, cart], a: [-1, 0], b: [0, 0], stiffness: 120, rest: 1}\n"
     "contacts:\n"
     "  bowl: {type: circle-in-circle, bodies: [cart, disc], a: [0, 0], b: [0, 0],\n"
     "         radii: [0.3, 0.05], friction: 0.9}\n",
     "body.disc.position.x", 0.3},
    {"ball with side spin on a table",
     "dimension: 3\n"
     "gravity: [0, 0, -9.81]\n"
     "bodies:\n"
     "  ball: {mass: 0.17, shape: {sphere: 0.026}, position: [0, 0, 0.026],\n"
     "         velocity: [2, 0.3, 0], angular_velocity: [40, 55, 10]}\n"
     "contacts:\n"
     "  table: {type: sphere-plane, bodies: [ground, ball], radius: 0.026, friction: 0.2}\n",
     "body.ball.position.y", 0.2},
};

// The signal at the end of a run with n steps, or NAN where a step did not converge.
static double run(model_text *f, const char *text, const char *scheme, const char *key,
                  const char *value, double end, int n, const char *signal)
{
    char whole[2048];
    const int length = snprintf(whole, sizeof whole,
                                "title: contact\n%ssimulation: {end: %.17g, step: %.17g, "
                                "scheme: %s}\n",
                                text, end, end / n, scheme);
    assert_true(length > 0 && length < (int)sizeof whole);
    model_text_read(f, "contact.yaml", whole, NULL, 0);
    const pcs_simulation_def def = pcs_model_file_simulation(f->file);
    assert_int_equal(pcs_simulation_create(f->ctx, f->model, &def, &f->simulation), PCS_OK);
    assert_int_equal(pcs_simulation_set(f->simulation, key, value), PCS_OK);
    while (!pcs_simulation_finished(f->simulation))
        if (pcs_simulation_step(f->simulation) != PCS_OK)
            return NAN;
    return model_text_signal(f, signal);
}

enum { SIZES = 5 };
static const int steps[SIZES] = {50, 83, 139, 231, 386}; // a common ratio, no common divisor

static double find_order(model_text *f, const subject *s, const char *contacts, double exact,
                         double *last)
{
    order_fit fit = {0};
    for (int i = 0; i < SIZES; ++i) {
        const double x = run(f, s->text, "nonsmooth-alpha", "resting_contacts", contacts, s->end,
                             steps[i], s->signal);
        *last = fabs(x - exact);
        order_add(&fit, s->end / steps[i], *last);
    }
    return order_slope(&fit);
}

static void test_orders(void **state)
{
    model_text *f = *state;
    for (size_t i = 0; i < sizeof subjects / sizeof *subjects; ++i) {
        const subject *s = &subjects[i];
        const double exact = run(f, s->text, "event-driven", "tolerance", "1e-11", s->end, 10,
                                 s->signal);
        double smooth, corrected;
        const double order = find_order(f, s, "smooth", exact, &smooth);
        const double before = find_order(f, s, "corrected", exact, &corrected);
        print_message("%s: order %.2f, last error %.2g; corrected %.2f, %.2g\n", s->name, order,
                      smooth, before, corrected);
        assert_true(order > 1.9);
        assert_true(before > 0.8 && before < 1.3);
        assert_true(smooth < 0.1 * corrected);
    }
}

// Steady rolling of a disc whose centre of mass is at rest: the angular velocity is along the line
// from there to the contact, and its size follows from the balance of moments. Energy stays, and
// the edge of a rim of 1e-7 m slips at first, which costs one step of first order.
static void test_euler_disc(void **state)
{
    static const double tilts[] = {0.1, 0.4};
    model_text *f = *state;
    for (size_t k = 0; k < sizeof tilts / sizeof *tilts; ++k) {
        // 4 g sin(tilt) = a Omega^2 sin^3(tilt), spin Omega sin(tilt) along the line
        const double a = 0.0375, tilt = tilts[k];
        const double precession = sqrt(4 * 9.81 / (a * sin(tilt)));
        const double spin = precession * sin(tilt);
        char text[1024];
        snprintf(text, sizeof text,
                 "dimension: 3\n"
                 "gravity: [0, 0, -9.81]\n"
                 "parameters: {a: %.17g, m: 0.4, al: %.17g}\n"
                 "bodies:\n"
                 "  disc: {mass: m, inertia: [m*a^2/4, m*a^2/4, m*a^2/2],\n"
                 "         position: [0, 0, a*sin(al) + 1e-07/2*cos(al)],\n"
                 "         rotation: {axis: [1, 0, 0], angle: al},\n"
                 "         angular_velocity: [0, %.17g, %.17g]}\n"
                 "contacts:\n"
                 "  floor: {type: cylinder-plane, bodies: [ground, disc], radius: a,\n"
                 "          length: 1e-07, friction: 0.9}\n",
                 a, tilt, spin * cos(tilt), spin * sin(tilt));
        const subject s = {"disc", text, "energy.total", 0.2};
        const double start = run(f, text, "nonsmooth-alpha", "resting_contacts", "smooth", 1e-9, 1,
                                 s.signal);
        double last, lost;
        const double order = find_order(f, &s, "smooth", start, &last);
        const double before = find_order(f, &s, "corrected", start, &lost);
        print_message("Euler disc, %g rad: order of the energy %.2f, last error %.2g of %.2g J; "
                      "corrected %.2f, %.2g J\n",
                      tilt, order, last, start, before, lost);
        assert_true(order > 1.9);
        assert_true(last < 0.02 * lost);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_orders, model_text_set_up, model_text_tear_down),
        cmocka_unit_test_setup_teardown(test_euler_disc, model_text_set_up, model_text_tear_down)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
