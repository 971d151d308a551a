// A ball falls on a column of bodies at rest. Each contact below passes the impulse (1 + e) m v on
// to the floor: a part of the impact, an event, while its finite force remains the weight above.
#include <math.h>
#include <stdio.h>

#include "support/model_text.h"
#include "support/near.h"

enum { TEXT_SIZE = 4096, MOST = 4 };

static void test_column(void **state)
{
    model_text *f = *state;
    static const char *const schemes[] = {"phem56", "dopri5", "alpha2", "hybrid"};
    static const double masses[] = {2, 0.37, 11, 1}, es[] = {0.5, 0.81, 0.2}, g = 10;
    for (int i = 0; i < 3 * MOST; ++i) {
        const int n = i % MOST + 1;
        const double e = es[i / MOST], m = i % 2 ? 1 : 0.7, drop = i % 3 ? 0.8 : 0.4321;
        const double v = sqrt(2 * g * drop), end = v / g + 1.5 * e * v / g;
        for (int s = 0; s < 4; ++s) {
            char text[TEXT_SIZE], path[64];
            int at = snprintf(text, sizeof text, "dimension: 2\ngravity: [0, -10]\nbodies:\n");
            for (int k = 0; k < n; ++k)
                at += snprintf(text + at, sizeof text - (size_t)at,
                               "  b%d: {point: true, mass: %.17g}\n", k, masses[k]);
            at += snprintf(text + at, sizeof text - (size_t)at,
                           "  ball: {point: true, mass: %.17g, position: [0, %.17g]}\ncontacts:\n",
                           m, drop);
            for (int k = 0; k < n; ++k) {
                char below[16] = "ground";
                if (k > 0)
                    snprintf(below, sizeof below, "b%d", k - 1);
                at += snprintf(text + at, sizeof text - (size_t)at,
                               "  c%d: {type: point-plane, bodies: [%s, b%d], normal: [0, 1]}\n", k,
                               below, k);
            }
            snprintf(text + at, sizeof text - (size_t)at,
                     "  hit: {type: point-plane, bodies: [b%d, ball], normal: [0, 1], "
                     "restitution: %.17g}\n"
                     "simulation: {end: %.17g, step: %.17g, scheme: %s}\n",
                     n - 1, e, end, end, schemes[s]);
            model_text_read(f, "m.yaml", text, NULL, 0);
            model_text_start(f);
            while (!pcs_simulation_finished(f->simulation))
                assert_int_equal(pcs_simulation_step(f->simulation), PCS_OK);
            double above = 0;
            for (int k = n - 1; k >= 0; --k) {
                above += masses[k] * g;
                snprintf(path, sizeof path, "contact.c%d.load.n", k);
                assert_near(model_text_signal(f, path), above, 1e-6 * above);
                snprintf(path, sizeof path, "contact.c%d.impulse.n", k);
                assert_near(model_text_signal(f, path), above * end + (1 + e) * m * v,
                            1e-6 * (above * end + m * v));
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_column, model_text_set_up, model_text_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
