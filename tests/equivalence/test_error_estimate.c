// A run that estimates its error moves as one that does not, to the last bit of all its signals, and
// repeats no more steps than it promises.
#include <string.h>

#include "support/example_run.h"
#include "support/near.h"

static const char *const schemes[] = {"moreau-jean", "capturing", "nonsmooth-alpha"};

enum { PATH_SIZE = 256 };

static void compare_signals(const example_run *a, const example_run *b)
{
    const pcs_model *model = pcs_simulation_model(a->simulation);
    char path[PATH_SIZE];
    for (int32_t i = 0; pcs_model_signal_path(model, i, path, sizeof path); ++i) {
        const double x = example_signal(a, path), y = example_signal(b, path);
        if (memcmp(&x, &y, sizeof x) != 0)
            fail_msg("%s: %.17g with the estimate, %.17g without", path, x, y);
    }
}

static void check(const char *name, const char *scheme, double end, double step)
{
    example_run with, without;
    print_message("%s, %s\n", name, scheme);
    example_begin(&with, name, scheme, end, step, "");
    const pcs_setting off = {"simulation.estimate", "off"};
    example_begin_with(&without, name, &off, 1, scheme, end, step, "");
    while (!pcs_simulation_finished(with.simulation)) {
        const pcs_status status = pcs_simulation_step(with.simulation);
        assert_true(status >= 0);
        assert_int_equal(pcs_simulation_step(without.simulation), status);
    }
    compare_signals(&with, &without);
    const pcs_statistics *a = pcs_simulation_statistics(with.simulation);
    const pcs_statistics *b = pcs_simulation_statistics(without.simulation);
    assert_int_equal(pcs_simulation_event_count(with.simulation),
                     pcs_simulation_event_count(without.simulation));
    assert_int_equal(a->impacts, b->impacts);
    assert_true(a->solver_iterations == b->solver_iterations);
    assert_true(a->estimates > 0 && b->estimates == 0);
    assert_true((double)(2 * a->estimates) <= 0.1 * (double)a->steps + 16); // 8 in short runs
    example_end(&with);
    example_end(&without);
}

static void test_bits(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; ++i) {
        check("woodpecker.yaml", schemes[i], 0.2, 2e-4);
        check("newton_cradle.yaml", schemes[i], 0.5, 1e-3);
        check("bouncing_ball.yaml", schemes[i], 1.2, 1e-3);
        check("slider_crank_clearance.yaml", schemes[i], 0.005, 1e-5);
        check("bead_column_formulas.yaml", schemes[i], 0.6, 1e-3);
        check("block_on_belt.yaml", schemes[i], 1, 1e-3);
        check("ratchet.yaml", schemes[i], 0.2, 1e-3);
        check("disc_in_bowl.yaml", schemes[i], 0.3, 1e-3);
        check("edge_plane_parabola.yaml", schemes[i], 0.5, 1e-3);
        check("impact_oscillator.yaml", schemes[i], 5, 1e-2);
        check("flexible_pendulum.yaml", schemes[i], 0.02, 1e-4);
        check("spinning_box.yaml", schemes[i], 0.5, 1e-3);
        check("three_boxes.yaml", schemes[i], 0.1, 1e-3);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
