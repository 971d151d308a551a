// The mechanisms of [Haddouni2015, chapter 3] from formulas, under the
// integrators of smooth phases: reference states, orders, drifts and step
// counts of the digest (4.1, 4.2, 4.3).
#include <stdio.h>

#include "support/example_run.h"
#include "support/mechanisms.h"
#include "support/near.h"

// ---- Four-bar, 4.1 ----

static double coordinate(const example_run *run, int i)
{
    return pcs_simulation_q(run->simulation)[i];
}

static double rate(const example_run *run, int i)
{
    return pcs_simulation_v(run->simulation)[i];
}

static void four_bar_multipliers(const example_run *run, double lambda[2])
{
    lambda[0] = example_signal(run, "system.fourbar.close_x.force");
    lambda[1] = example_signal(run, "system.fourbar.close_y.force");
}

// "reference states at t = 0.5, 1, 2 to the digits given with PHEM56 at tol
// 1e-11"
static void test_four_bar_states(void **unused)
{
    (void)unused;
    example_run run;
    example_begin(&run, "four_bar_formulas.yaml", "phem56", 2, 0.5,
                  "tolerance=1e-11 error_norm=euclidean output=exact");
    for (int k = 0; k < FOUR_BAR_TIMES; ++k) {
        while (pcs_simulation_time(run.simulation) < four_bar_reference[k].t - 1e-9)
            assert_int_equal(pcs_simulation_step(run.simulation), PCS_OK);
        double lambda[2];
        four_bar_multipliers(&run, lambda);
        // The last digit of the reference may be off by one; phi2' at t = 2 is off
        // by two: HEM5 and PHEM56 at tol 1e-13 agree on -2.43664832522. At tol
        // 1e-11 PHEM56 itself has 3e-10 there.
        for (int i = 0; i < 3; ++i) {
            assert_near(coordinate(&run, i), four_bar_reference[k].q[i], 1.5e-10);
            assert_near(rate(&run, i), four_bar_reference[k].v[i],
                        k == 1             ? 1.5e-9
                        : k == 2 && i == 1 ? 2e-10 + 3e-10
                                           : 1.5e-10);
        }
        for (int i = 0; i < 2; ++i)
            assert_near(lambda[i], four_bar_reference[k].lambda[i],
                        1.5 * four_bar_reference[k].digit);
    }
    example_end(&run);
}

// q, v and the multipliers at t = 0.5.
static void four_bar_end(const char *integrator, const char *options, double end[3][3])
{
    example_run run;
    example_begin(&run, "four_bar_formulas.yaml", integrator, 0.5, 0.5, options);
    example_finish(&run);
    for (int i = 0; i < 3; ++i) {
        end[0][i] = coordinate(&run, i);
        end[1][i] = rate(&run, i);
    }
    end[2][2] = 0;
    four_bar_multipliers(&run, end[2]);
    example_end(&run);
}

// Errors of q, v and the multipliers with fixed steps.
static void four_bar_errors(const char *integrator, double h, const double reference[3][3],
                            double error[3])
{
    double end[3][3];
    char options[160];
    snprintf(options, sizeof options, "step_control=fixed first_step=%.17g output=exact", h);
    four_bar_end(integrator, options, end);
    for (int k = 0; k < 3; ++k) {
        error[k] = 0;
        for (int i = 0; i < 3; ++i)
            error[k] = fmax(error[k], fabs(end[k][i] - reference[k][i]));
    }
}

// "fixed-step orders >= 4.8 (HEM5), 4.7 (PHEM56), 3.8 (RKF45), 1.95 (alpha,
// both indices)". The steps are such that the errors lie well above the
// rounding of the reference, 1e-10.
static void test_four_bar_orders(void **unused)
{
    (void)unused;
    static const struct {
        const char *integrator;
        int coarse; // steps
        double order;
        int quantities; // q, v and for the alpha methods the multipliers
    } cases[] = {
        {"hem5", 100, 4.8, 2},    {"phem56", 100, 4.7, 2}, {"rkf45", 800, 3.8, 2},
        {"rk4", 200, 3.8, 2},     {"dopri5", 100, 4.7, 2}, {"alpha2", 400, 1.95, 3},
        {"alpha3", 400, 1.95, 3},
    };
    double reference[3][3];
    four_bar_end("hem5", "tolerance=1e-14", reference);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        double coarse[3], fine[3];
        const double(*exact)[3] = (const double(*)[3])reference;
        four_bar_errors(cases[k].integrator, 0.5 / cases[k].coarse, exact, coarse);
        four_bar_errors(cases[k].integrator, 0.25 / cases[k].coarse, exact, fine);
        for (int i = 0; i < cases[k].quantities; ++i) {
            double order = log2(coarse[i] / fine[i]);
            print_message("four-bar %s: %s of order %.2f (%.2e, %.2e)\n", cases[k].integrator,
                          i == 0   ? "q"
                          : i == 1 ? "v"
                                   : "lambda",
                          order, coarse[i], fine[i]);
            assert_true(order >= cases[k].order);
        }
    }
}

// Table 3.3: accepted steps. The digest's reproduction (Euclidean norm on q,
// for RKF on (q, v), safety 0.9, growth at most 10, h0 = 1e-3, rho_infinity
// 0.8, phi2(0) as printed) is met to 10 %; the thesis itself differs from it by
// a few per cent, more at tol 1e-2.
static void test_four_bar_counts(void **unused)
{
    (void)unused;
    static const struct {
        const char *integrator;
        double tolerance[5];
        int accepted[5];
    } cases[] = {
        {"phem56", {1e-2, 1e-4, 1e-6, 1e-8, 1e-10}, {32, 53, 121, 282, 702}},
        {"rkf45", {1e-2, 1e-4, 1e-6, 1e-8, 1e-10}, {47, 88, 205, 486, 1207}},
        {"hem5", {1e-2, 1e-4, 1e-6, 1e-8, 1e-10}, {43, 117, 329, 924, 2489}},
        {"alpha2", {1e-2, 1e-4, 1e-6, 1e-8}, {61, 236, 1046, 4827}},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        for (int i = 0; i < 5 && cases[k].accepted[i] > 0; ++i) {
            example_run run;
            char options[160];
            snprintf(options, sizeof options,
                     "tolerance=%g first_step=1e-3 error_norm=euclidean output=exact",
                     cases[k].tolerance[i]);
            example_begin(&run, "four_bar_formulas.yaml", cases[k].integrator, 2, 2, options);
            example_finish(&run);
            const pcs_statistics *st = pcs_simulation_statistics(run.simulation);
            print_message("four-bar %s, tol %.0e: %lld accepted (reproduction %d), "
                          "%lld rejected\n",
                          cases[k].integrator, cases[k].tolerance[i], (long long)st->inner_steps,
                          cases[k].accepted[i], (long long)st->rejected_steps);
            assert_near((double)st->inner_steps, cases[k].accepted[i], 0.1 * cases[k].accepted[i]);
            example_end(&run);
        }
    }
}

// "velocity drift <= 2e-15 for the half-explicit methods at every tolerance"
static void test_four_bar_drift(void **unused)
{
    (void)unused;
    static const char *const integrators[] = {"hem5", "phem56"};
    static const double tolerances[] = {1e-2, 1e-4, 1e-6, 1e-8, 1e-10};
    for (int k = 0; k < 2; ++k) {
        for (int i = 0; i < 5; ++i) {
            example_run run;
            char options[160];
            snprintf(options, sizeof options,
                     "tolerance=%g first_step=1e-3 error_norm=euclidean output=exact",
                     tolerances[i]);
            example_begin(&run, "four_bar_formulas.yaml", integrators[k], 2, 2, options);
            example_finish(&run);
            const pcs_statistics *st = pcs_simulation_statistics(run.simulation);
            print_message("four-bar %s, tol %.0e: drift %.2e, of the velocity %.2e\n",
                          integrators[k], tolerances[i], st->worst_drift, st->worst_velocity_drift);
            assert_at_most(st->worst_velocity_drift, 2e-15);
            example_end(&run);
        }
    }
}

// ---- Slider-crank, 4.2: l2 = 2 m, M22 with a quarter of m2 ----

static void test_slider_crank(void **unused)
{
    (void)unused;
    static const double q[2] = {-0.798329936524, 0.366227619014};
    static const double v[2] = {-3.35792971716, 1.25498008030};
    example_run run;
    example_begin(&run, "slider_crank_formulas.yaml", "phem56", 1, 1, "tolerance=1e-12");
    example_finish(&run);
    for (int i = 0; i < 2; ++i) {
        assert_near(coordinate(&run, i), q[i], 5e-11);
        assert_near(rate(&run, i), v[i], 5e-10);
    }
    example_end(&run);
}

// ---- Slider-crank with flexible rod, 4.3 ----

static const double flexible_q[7] = {
    15, -0.3311734988, 0.1697373328, 1.89319290e-4, 2.37575125e-5, -5.32389677e-6, -8.3633133e-6};
static const double flexible_v[7] = {150,        60.2534676, -8.7531163, -.0300554,
                                     -.00550043, 4.97411e-4, 1.105560e-3};

// The printed start is off the constraints by 2.03e-10 m (digest, trap 13).
// Closing it would shift the axial mode by as much, and its 2e4 rad/s make 1e-6
// m/s of that, so the run begins as printed. The digits need errors of 1e-13 m:
// fixed steps, a twentieth of those that stability asks for.
static void test_flexible_rod(void **unused)
{
    (void)unused;
    static const double last_q[7] = {1e-9, 1e-10, 1e-10, 1e-12, 1e-12, 1e-14, 1e-13};
    static const double last_v[7] = {1e-9, 1e-7, 1e-7, 1e-7, 1e-8, 1e-9, 1e-9};
    static const double lambda[3] = {62.32936, 163.7921, -25.29858};
    static const double last_lambda[3] = {1e-5, 1e-4, 1e-5};
    static const char *const force[3] = {"system.crank.loop_y.force", "system.crank.loop_x.force",
                                         "system.crank.drive.force"};
    example_run run;
    example_begin(&run, "slider_crank_flexible.yaml", "phem56", 0.1, 0.1,
                  "step_control=fixed first_step=2.5e-6 projection_tolerance=1e-9");
    example_finish(&run);
    for (int i = 0; i < 7; ++i) {
        assert_near(coordinate(&run, i), flexible_q[i], last_q[i]);
        assert_near(rate(&run, i), flexible_v[i], last_v[i]);
    }
    for (int i = 0; i < 3; ++i)
        assert_near(example_signal(&run, force[i]), lambda[i], last_lambda[i]);
    example_end(&run);
}

// "alpha index 2 beats the half-explicit methods at loose tolerance on 4.3 and
// loses at tight tolerance": evaluations of the equations of motion for the
// same error of x3 at the end, those of alpha2 carried to the error of the
// other by its order 2.
static void test_flexible_rod_work(void **unused)
{
    (void)unused;
    static const char *const integrators[] = {"alpha2", "hem5", "phem56"};
    static const double tolerances[] = {1e-4, 1e-10};
    int64_t work[2][3];
    double error[2][3];
    for (int k = 0; k < 2; ++k) {
        for (int i = 0; i < 3; ++i) {
            example_run run;
            char options[120];
            snprintf(options, sizeof options, "tolerance=%g safety=0.85 error_norm=euclidean",
                     tolerances[k]);
            example_begin(&run, "slider_crank_flexible.yaml", integrators[i], 0.1, 0.1, options);
            example_finish(&run);
            work[k][i] = pcs_simulation_statistics(run.simulation)->evaluations;
            error[k][i] = fabs(coordinate(&run, 2) - flexible_q[2]);
            print_message("flexible rod %s, tol %.0e: %lld evaluations, error of x3 %.1e m\n",
                          integrators[i], tolerances[k], (long long)work[k][i], error[k][i]);
            example_end(&run);
        }
    }
    for (int i = 1; i < 3; ++i) {
        double same[2];
        for (int k = 0; k < 2; ++k)
            same[k] = (double)work[k][0] * sqrt(error[k][0] / error[k][i]);
        assert_true(4 * same[0] < (double)work[0][i]);
        assert_true(same[1] > 2 * (double)work[1][i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_four_bar_states),   cmocka_unit_test(test_four_bar_orders),
        cmocka_unit_test(test_four_bar_counts),   cmocka_unit_test(test_four_bar_drift),
        cmocka_unit_test(test_slider_crank),      cmocka_unit_test(test_flexible_rod),
        cmocka_unit_test(test_flexible_rod_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
