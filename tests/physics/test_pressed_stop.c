// A body on a damped spring that presses it on a stop, or lets it go and presses again.
//
// With e = 1 the bounces end by damping alone. A flight of duration T under the acceleration a loses
// the energy c a^2 T^3/12 of m a^2 T^2/8, so T falls as exp(-t/tau), tau = 3 m/c, and
//
//     n = tau / T                                                                                (1)
//
// bounces lie before the flights have the duration T: hundreds of thousands before they are lower
// than any tolerance.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "support/family.h"
#include "support/near.h"
#include "support/scene_run.h"

static const double upper = 0.1; // m, the stop

static void write_model(scene_model *model, double m, double k, double c, double rest,
                        const char *more, double e)
{
    model->facts = (scene_facts){.kind = "pressed-stop",
                                 .dimension = 2,
                                 .length = upper,
                                 .rate = sqrt(k / m),
                                 .n_bodies = 1,
                                 .mass = {m}};
    snprintf(
        model->text, sizeof model->text,
        "dimension: 2\n"
        "bodies:\n"
        "  b: {mass: %g, inertia: 1, position: [0, 0]}\n"
        "joints:\n"
        "  slide: {type: prismatic, bodies: [ground, b], axis: [1, 0], spring: {stiffness: %g, "
        "damping: %g, rest: %g}, limits: {upper: %g, lower: -0.2, restitution: %g}%s}\n"
        "simulation: {end: 1, step: 1e-3}\n",
        m, k, c, rest, upper, e, more);
}

typedef struct pressed {
    double m, k, c, rest;
} pressed;

// Bounces are followed while they are long for the time stepping that ends them, and then no more than
// some hundreds: `shortest` is that flight, `allowance` these.
static void check_bounces(const pressed *p, const char *scheme, double step, double shortest,
                          double allowance)
{
    static scene_model model;
    static run_result run, exact;
    const double tau = 3 * p->m / p->c, expected = tau / shortest;
    const double first = 2 * sqrt(2 * upper * p->m / (p->k * (p->rest - upper))); // its flight
    write_model(&model, p->m, p->k, p->c, p->rest, "", 1);
    model.facts.step = step;
    model.facts.end = tau * (log(first / shortest) + 3);
    run_def def = {.scheme = scheme, .options = "", .step = step, .seconds = 20};
    scene_run_model(&model, &def, &run);
    print_message("m %g, c %g, %s: %lld bounces, %g expected, rest at %g of %g s, %.2f s\n", p->m,
                  p->c, scheme, (long long)run.impacts, expected, run.rest_time, model.facts.end,
                  run.seconds);
    assert_int_equal(run.outcome, RUN_FINISHED);
    assert_true((double)run.impacts <= 1.1 * expected + allowance);
    assert_true((double)run.impacts >=
                0.8 * expected); // (1) is for flights short against the spring
    assert_true(run.rest_time < model.facts.end);
    assert_near(run.sample[SCENE_SAMPLES][0], 1, 1e-9); // on the stop
    assert_true(run.energy_gain < 1e-9);
    // What comes before is not touched by that; rk4 has order four, and each flight inherits
    // the errors before it.
    def = (run_def){
        .scheme = "event-driven", .options = "tolerance=1e-11", .step = step, .seconds = 20};
    model.facts.end = 10 * first;
    scene_run_model(&model, &def, &exact);
    assert_true(exact.n_impacts > 8 && exact.n_impacts <= run.n_impacts);
    for (int i = 0; i < exact.n_impacts; ++i)
        assert_near(run.impact[i].time, exact.impact[i].time,
                    4 * pow(step * model.facts.rate, 4) * exact.impact[i].time);
}

static void test_lasting_bounces(void **state)
{
    (void)state;
    static const pressed cases[] = {
        {0.25, 2000, 8, 0.15}, {0.25, 2000, 2, 0.15}, {2.385, 9000, 31.7, 0.1713}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i += CASE_STRIDE) {
        // largest_time_step/2, four doublings of 200
        check_bounces(&cases[i], "hybrid", 1e-3, 5e-5, 800);
        // an eighth of the step, events_max
        check_bounces(&cases[i], "capturing", 7e-4, 7e-4 / 8, 1000);
        check_bounces(&cases[i], "capturing", 4e-4, 4e-4 / 8, 1000);
    }
}

// A force of time lets the body go and presses it again. While the stop holds it, all accelerations
// are zero but for rounding, which must not count as iterations that diverge.
static void test_held_at_rest(void **state)
{
    (void)state;
    static scene_model model;
    static run_result run, exact;
    static const char *const schemes[] = {"alpha2", "alpha3"};
    static const double F[] = {1000, 983.7}, W[] = {50, 43.1, 61}, e[] = {0, 0.1, 0.5};
    enum { CASES = 18 };
    for (int i = 0; i < CASES; i += CASE_STRIDE) {
        char more[80];
        const double w = W[i / 2 % 3];
        snprintf(more, sizeof more, ", actuator: %g*cos(%g*t)", F[i % 2], w);
        write_model(&model, 0.25, 2500, 12.5, 0, more, e[i / 6]);
        model.facts.end = 2 * 6.283185307179586 / w;
        const double output = model.facts.end / (8 * SCENE_SAMPLES);
        run_def def = {.scheme = "event-driven", .options = "", .step = output, .seconds = 20};
        scene_run_model(&model, &def, &exact);
        for (int k = 0; k < 2; ++k) {
            def.scheme = schemes[k];
            scene_run_model(&model, &def, &run);
            if (run.outcome != RUN_FINISHED)
                print_message("F %g, W %g, e %g, %s: %s\n", F[i % 2], w, e[i / 6], schemes[k],
                              run.message);
            assert_int_equal(run.outcome, RUN_FINISHED);
            // As support/scene_judge.c: some 1e4 steps, each with the tolerance of 1e-8 m.
            const double allowed = 2 * 1e4 * 1e-8 / upper;
            for (int n = 1; n <= SCENE_SAMPLES; ++n)
                assert_near(run.sample[n][0], exact.sample[n][0], allowed);
        }
    }
}

int main(void)
{
    setenv("OPENBLAS_NUM_THREADS", "1", 0); // runs are processes; threads would be in their way
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lasting_bounces),
        cmocka_unit_test(test_held_at_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
