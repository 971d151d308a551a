// A load that falls evenly presses a body on the floor until it is zero, then lifts it: a contact that
// opens after a time of exact rest, in which the steps of the adaptive scheme have become as long as
// the outputs allow. The instant of the opening lies anywhere in a step, also where three quarters of
// it are over and the solutions of a whole step and of two halves agree. With f = s (t - t*) the
// motion is s (t - t*)^3 / (6 m).
#include <math.h>
#include <stdio.h>

#include "support/model_text.h"
#include "support/near.h"

static const double end = 2; // s

static void check(model_text *f, double mass, double slope, double opens, double friction,
                  double step, double tolerance)
{
    char text[1024];
    const int n = snprintf(
        text, sizeof text,
        "dimension: 2\n"
        "bodies: {b: {point: true, mass: %.17g}}\n"
        "forces: {f: {body: b, force: [0, \"%.17g*(t - %.17g)\"]}}\n"
        "contacts: {floor: {type: point-plane, bodies: [ground, b], friction: %.17g}}\n"
        "simulation: {end: %.17g, step: %.17g, scheme: moreau-jean-adaptive, tolerance: %.17g}\n",
        mass, slope * mass, opens, friction, end, step, tolerance);
    assert_in_range(n, 1, sizeof text - 1);
    model_text_read(f, "release", text, NULL, 0);
    model_text_start(f);
    while (!pcs_simulation_finished(f->simulation))
        assert_int_equal(pcs_simulation_step(f->simulation), PCS_OK);
    const double flight = end - opens, v = 0.5 * slope * flight * flight;
    const double error = fabs(model_text_signal(f, "body.b.velocity.y") - v);
    // A step in which the contact opens is accepted if its two solutions differ by less than the
    // tolerance, s h^3/16 where it opens in the first quarter; then the speed is off by s h^2/32.
    // Nothing else is: the midpoint rule is exact for this force.
    const double h = cbrt(16 * tolerance / slope), allowed = 2 * slope * h * h / 32;
    if (!(error <= allowed))
        fail_msg(
            "m = %g, slope %g, opens at %.6g, mu = %g, step %g, tolerance %g: speed off by %g, "
            "not %g",
            mass, slope, opens, friction, step, tolerance, error, allowed);
}

static void test_opens_anywhere(void **state)
{
    static const double steps[] = {0.5, 0.25, 0.1}, slopes[] = {10, 2.385, 40};
    static const double tolerances[] = {1e-4, 1e-6};
    for (int k = 0; k < 3; ++k)
        for (int i = 0; i < 40; ++i) {
            const double opens = 0.5 + 0.5 * (i + 0.5) / 40;
            for (int j = 0; j < 2; ++j)
                check(*state, 1 + 0.7 * k, slopes[(i + k) % 3], opens, i % 2 * 0.5, steps[k],
                      tolerances[j]);
        }
}

// Just before, at and behind three quarters of a step.
static void test_opens_unseen(void **state)
{
    static const double beside[] = {-1e-3, -1e-5, -1e-9, 0, 1e-9, 1e-5, 1e-3};
    static const double steps[] = {1, 0.5, 0.25, 0.1};
    for (int k = 0; k < 4; ++k)
        for (int i = 0; i < 7; ++i)
            check(*state, 1, 10, steps[k] * (1.75 + beside[i]), 0, steps[k], 1e-5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_opens_anywhere, model_text_set_up,
                                        model_text_tear_down),
        cmocka_unit_test_setup_teardown(test_opens_unseen, model_text_set_up, model_text_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
