// The four-bar of [Haddouni2015, 4.1] twice: from formulas in three angles,
// and from rigid bodies and joints in nine coordinates. All integrators of
// smooth phases give the same motion for both.
#include <stdio.h>

#include "support/example_run.h"
#include "support/near.h"

// Angles at the end; returns the larger number of steps.
static int64_t run_both(const char *integrator, const char *options, double angle[2][3])
{
    int64_t steps = 0;
    static const char *const paths[2][3] = {
        {"system.fourbar.phi1", "system.fourbar.phi2", "system.fourbar.phi3"},
        {"body.crank.angle", "body.coupler.angle", "body.rocker.angle"},
    };
    static const char *const files[2] = {"four_bar_formulas.yaml", "four_bar.yaml"};
    for (int k = 0; k < 2; ++k) {
        example_run run;
        example_begin(&run, files[k], integrator, 2, 0.1, options);
        example_finish(&run);
        for (int i = 0; i < 3; ++i)
            angle[k][i] = example_signal(&run, paths[k][i]);
        const int64_t inner = pcs_simulation_statistics(run.simulation)->inner_steps;
        steps = inner > steps ? inner : steps;
        example_end(&run);
    }
    return steps;
}

// Every step adds an error of at most the tolerance: together steps x
// tolerance, as errors are not amplified much over these 2 s.
static void test_same_motion(void **unused)
{
    (void)unused;
    static const struct {
        const char *integrator;
        double tolerance;
    } cases[] = {
        {"rk4", 1e-10},    {"rkf45", 1e-10}, {"dopri5", 1e-10}, {"hem5", 1e-10},
        {"phem56", 1e-10}, {"alpha2", 1e-8}, {"alpha3", 1e-8},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        char options[80];
        double angle[2][3];
        snprintf(options, sizeof options, "tolerance=%g", cases[k].tolerance);
        const int64_t steps = run_both(cases[k].integrator, options, angle);
        for (int i = 0; i < 3; ++i) {
            print_message("%s: angle %d, %.12f and %.12f\n", cases[k].integrator, i + 1,
                          angle[0][i], angle[1][i]);
            assert_near(angle[0][i], angle[1][i], (double)steps * cases[k].tolerance);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_motion)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
