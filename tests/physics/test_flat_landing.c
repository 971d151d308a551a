// Boxes that land flat exactly where a step ends: rounding puts the corners of one box on either side
// of zero, and they must be hit together. A corner that is hit a step later turns the box, and a
// stack of them rocks. Gravity, steps and heights are round, so that impacts fall on the grid.
#include <math.h>
#include <stdio.h>

#include "support/model_text.h"
#include "support/near.h"

static const char *const SCHEMES[] = {"moreau-jean",     "capturing",    "moreau-jean-adaptive",
                                      "nonsmooth-alpha", "event-driven", "hybrid"};
enum { SCHEME_COUNT = sizeof SCHEMES / sizeof *SCHEMES, BOXES_MAX = 4, TEXT_SIZE = 4000 };

// `count` boxes above each other; the first `lying` of them lie on the floor, the next ones fall, `gap`
// apart.
static void write_stack(char *text, int count, int lying, double g, double gap, double e,
                        double step, const char *scheme)
{
    int n = snprintf(text, TEXT_SIZE, "dimension: 2\ngravity: [0, %.17g]\nbodies:\n", -g);
    for (int i = 0; i < count; ++i)
        n += snprintf(
            text + n, (size_t)(TEXT_SIZE - n),
            "  b%d: {shape: {box: [0.2, 0.4, 0.1], density: 500}, position: [0, %.17g]}\n", i,
            0.2 + 0.4 * i + (i < lying ? 0 : gap * (i + 1 - lying)));
    n += snprintf(text + n, (size_t)(TEXT_SIZE - n), "contacts:\n");
    for (int i = 0; i < count; ++i) {
        char below[16] = "ground";
        if (i > 0)
            snprintf(below, sizeof below, "b%d", i - 1);
        n += snprintf(text + n, (size_t)(TEXT_SIZE - n),
                      "  c%d: {type: box-plane, bodies: [%s, b%d], a: [0, %g], size: [0.2, 0.4], "
                      "friction: 0.4, restitution: %g}\n",
                      i, below, i, i > 0 ? 0.2 : 0, e);
    }
    snprintf(text + n, (size_t)(TEXT_SIZE - n), "simulation: {scheme: %s, end: 0.6, step: %.17g}\n",
             scheme, step);
}

static void check(model_text *f, int count, int lying, double g, double gap, double e, double step,
                  const char *scheme)
{
    char text[TEXT_SIZE];
    write_stack(text, count, lying, g, gap, e, step, scheme);
    model_text_read(f, "stack.yaml", text, NULL, 0);
    model_text_start(f);
    double most = 0;
    while (!pcs_simulation_finished(f->simulation)) {
        assert_true(pcs_simulation_step(f->simulation) >= 0);
        for (int i = 0; i < count; ++i) {
            char path[32];
            snprintf(path, sizeof path, "body.b%d.angle", i);
            most = fmax(most, fabs(model_text_signal(f, path)));
        }
    }
    // Speeds below impact_speed, 1e-9 m/s, are zero to the schemes: at a corner 0.1 m from the middle
    // that is 1e-8 rad/s, for 0.6 s. A corner that is hit a step later turns a box by 1e-3 rad.
    if (!(most < 0.6 * 1e-9 / 0.1))
        fail_msg("%s: %d boxes, %d lie, g = %g, gap %g, e = %g, h = %g: turned by %g rad", scheme,
                 count, lying, g, gap, e, step, most);
}

static void test_landing(void **state)
{
    static const double gravity[] = {2, 10}, gaps[] = {0.0025, 0.01}, steps[] = {0.002, 0.001};
    for (int s = 0; s < SCHEME_COUNT; ++s)
        for (int i = 0; i < 16; ++i)
            for (int count = 1; count <= BOXES_MAX; count *= 2)
                check(*state, count, 0, gravity[i & 1], gaps[i >> 1 & 1], i & 8 ? 0.5 : 0,
                      steps[i >> 2 & 1], SCHEMES[s]);
}

// A box falls on a stack that lies. Its later impacts fall on the grid, too, since each flight of e =
// 1/2 takes half as many steps as the last, and the error of a step is a whole number of g h.
static void test_landing_on_stack(void **state)
{
    static const double gravity[] = {2.5, 10}, gaps[] = {0.02, 0.01}, steps[] = {0.0005, 0.001};
    for (int s = 0; s < SCHEME_COUNT; ++s)
        for (int i = 0; i < 8; ++i)
            for (int lying = 2; lying <= 4; lying += 2)
                check(*state, lying + 1, lying, gravity[i & 1], gaps[i >> 1 & 1], 0.5,
                      steps[i >> 2 & 1], SCHEMES[s]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_landing, model_text_set_up, model_text_tear_down),
        cmocka_unit_test_setup_teardown(test_landing_on_stack, model_text_set_up,
                                        model_text_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
