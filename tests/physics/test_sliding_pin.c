// A pin without friction that slides round in its hole: a point on a circle of the clearance c, with
// the speed v, at v/c rad/s. Output steps in which it turns by a hundredth of a radian to many turns:
// the capturing scheme takes steps that resolve it, so that the speed stays and the place is known.
#include <math.h>
#include <stdio.h>

#include "support/model_text.h"
#include "support/near.h"

static void check(model_text *f, double clearance, double speed, double turn)
{
    enum { STEPS = 40 };
    const double rate = speed / clearance, step = turn / rate;
    char text[1024];
    const int n = snprintf(
        text, sizeof text,
        "dimension: 2\n"
        "bodies: {b: {point: true, mass: 0.385, position: [%.17g, 0], velocity: [0, %.17g]}}\n"
        "contacts: {pin: {type: pin-in-hole, bodies: [ground, b], a: [0, 0], b: [0, 0], radii: "
        "[%.17g, 0.01], restitution: 0.3}}\n"
        "simulation: {scheme: capturing, end: %.17g, step: %.17g}\n",
        clearance, speed, 0.01 + clearance, STEPS * step, step);
    assert_in_range(n, 1, sizeof text - 1);
    model_text_read(f, "pin", text, NULL, 0);
    model_text_start(f);
    const double start = model_text_signal(f, "energy.kinetic");
    while (!pcs_simulation_finished(f->simulation))
        assert_int_equal(pcs_simulation_step(f->simulation), PCS_OK);
    // rk4 in steps of at most 0.25 rad is off by 0.25^4/120, or 3.3e-5 of the way, in phase and less
    // in speed, which the projection on the circle does not change to first order.
    const double angle = STEPS * turn, part = pow(fmin(turn, 0.25), 4) / 120;
    const double off = 2 * part * angle + 1e-9;
    assert_near(model_text_signal(f, "energy.kinetic") / start, 1, 2 * off);
    const double x = model_text_signal(f, "body.b.position.x") / clearance,
                 y = model_text_signal(f, "body.b.position.y") / clearance;
    assert_near(hypot(x, y), 1, 1e-11 / clearance);
    assert_near(remainder(atan2(y, x) - angle, 2 * acos(-1)), 0, 2 * off * angle);
}

static void test_turns(void **state)
{
    static const double turns[] = {0.01, 0.1, 0.25, 0.4, 1, 3.2, 10};
    static const double clearances[] = {1e-4, 6.23e-4, 5e-3}, speeds[] = {0.1, 1, 12.3};
    for (int i = 0; i < 7; ++i)
        for (int k = 0; k < 9; ++k)
            check(*state, clearances[k % 3], speeds[k / 3], turns[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_turns, model_text_set_up, model_text_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
