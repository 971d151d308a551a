// Slider-crank with clearance and friction (digest of [Haddouni 2015] 4.8; data of Flores, Leine,
// Glocker 2010 in benchmarks 2): the hybrid scheme against adaptive Moreau-Jean over 0.2 s, 4.5
// turns of the crank. As in the thesis HEM5, h_min = 1e-7 s and the tolerances of its Table 4.2.
//
// The tolerance is on the error of a step, which for a method of first order at impacts says little
// about the error at the end. Table 4.2 compares average steps at equal tolerance (ratios 44, 2.7,
// 7.1, 12.9, the first of them doubtful by the digest). Here at 1e-2 and 1e-4 adaptive Moreau-Jean
// takes longer steps than the hybrid scheme and is wrong by 1 and 0.01 rad, the hybrid scheme by
// 6e-4 and 4e-5: every impact ends a step of it, some 120 of them. So equal tolerances are compared
// at 1e-6 and 1e-8, and equal errors at all four.
#include "support/event_scenes.h"
#include "support/example_run.h"
#include "support/mechanisms.h"
#include "support/near.h"

static const double end = 0.2;

typedef struct outcome {
    double crank;  // rad, at the end
    double length; // mean of all steps, s
    double violation;
} outcome;

static outcome run(const char *scheme, double tolerance)
{
    scene s;
    mechanism_slider_crank_clearance(&s);
    scene_use(&s, scheme, end, end);
    scene_set_number(&s, "tolerance", tolerance);
    if (scheme[0] == 'h') {
        scene_set(&s, "integrator", "hem5");
        scene_set(&s, "smallest_time_step", "1e-7");
    }
    scene_run(&s);
    const pcs_statistics *statistics = pcs_simulation_statistics(s.simulation);
    outcome result = {scene_view(&s, 0).angle, end / (double)statistics->inner_steps,
                      statistics->worst_penetration};
    scene_end(&s);
    return result;
}

static void test_average_steps(void **state)
{
    (void)state;
    static const double tolerance[] = {1e-2, 1e-4, 1e-6, 1e-8};
    enum { TOLERANCES = 4 };
    const double exact = run("event-driven", 1e-12).crank;
    outcome stepping[TOLERANCES];
    for (int i = 0; i < TOLERANCES; ++i)
        stepping[i] = run("moreau-jean-adaptive", tolerance[i]);
    for (int i = 0; i < TOLERANCES; ++i) {
        const outcome hybrid = run("hybrid", tolerance[i]);
        const double error = fabs(hybrid.crank - exact);
        // The loosest tolerance with which adaptive Moreau-Jean is as good, or the tightest.
        int equal = 0;
        while (equal + 1 < TOLERANCES && fabs(stepping[equal].crank - exact) > 1.5 * error)
            ++equal;
        print_message("%.0e: hybrid %.2e s, error %.1e rad, violation %.1e m; Moreau-Jean %.2e s, "
                      "error %.1e; ratio %.2f, at equal error %.1f\n",
                      tolerance[i], hybrid.length, error, hybrid.violation, stepping[i].length,
                      fabs(stepping[i].crank - exact), hybrid.length / stepping[i].length,
                      hybrid.length / stepping[equal].length);
        assert_true(error < fabs(stepping[i].crank - exact));
        assert_true(hybrid.length >= 2.5 * stepping[equal].length);
        if (tolerance[i] <= 1e-6)
            assert_true(hybrid.length >= 2.5 * stepping[i].length);
    }
}

// The same in three angles: the gaps are strongly curved functions of them. A time step that closes a
// contact must leave it closed; one that measures its velocity at mid-step reopens it with curvature
// x h/2, and the two schemes take turns a thousand times.
static void test_curved_gaps(void **state)
{
    (void)state;
    example_run run;
    example_begin(&run, "slider_crank_clearance_formulas.yaml", "hybrid", end, end,
                  "integrator=hem5 smallest_time_step=1e-7 tolerance=1e-6");
    example_finish(&run);
    const pcs_statistics *statistics = pcs_simulation_statistics(run.simulation);
    const int64_t switches = statistics->switches_zeno + statistics->switches_friction;
    print_message("curved gaps: %lld steps, %lld impacts, %lld switches\n",
                  (long long)statistics->inner_steps, (long long)statistics->impacts,
                  (long long)switches);
    assert_true(switches <= statistics->impacts / 10); // accumulations end series of impacts
    assert_true(statistics->time_stepping < 1e-3 * end);
    example_end(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_average_steps),
                                       cmocka_unit_test(test_curved_gaps)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
