// Piles and stacks come to rest under nonsmooth-alpha, at steps of several lengths, and then their
// forces stay the same, also where no law decides them: discs that jam between walls have a whole set
// of forces. Generated scenes (support/scene_generator.h), by what they show:
//
//     jams         contacts on the border of the cone, others without load
//     wedges       the laws also have a solution that slides ever faster
//     light below  a light body between heavy ones is hit more often than a step has rounds
#include <math.h>
#include <stdlib.h>

#include "support/family.h"
#include "support/near.h"
#include "support/scene_run.h"

static void check(uint64_t seed, int halvings)
{
    static scene_model model;
    static run_result run;
    scene_generate(seed, &model);
    const run_def def = {.scheme = "nonsmooth-alpha",
                         .options = "",
                         .step = model.facts.step / (1 << halvings),
                         .seconds = 60};
    scene_run_model(&model, &def, &run);
    print_message("seed %d, step %g: rest at %g s, ripple %g, numerical remainder %g\n", (int)seed,
                  def.step, run.rest_time, run.force_ripple, run.numerical);
    assert_int_equal(run.outcome, RUN_FINISHED);
    assert_true(run.rest_time < model.facts.end); // kinetic energy below 1e-12 of the largest
    // The forces of the last step are the solution of the next one, and no correction changes them;
    // one that rounding asks for moves what is undetermined by 1e-7.
    assert_true(run.force_ripple >= 0 && run.force_ripple < 1e-6);
    assert_true(run.energy_gain < 1e-12);
    // Of first order at impacts; humming feeds it from step to step.
    assert_true(fabs(run.numerical) < 0.02);
}

static void check_family(const uint64_t *seed, int count)
{
    for (int i = 0; i < count; i += CASE_STRIDE)
        for (int halvings = 0; halvings < 3; ++halvings)
            check(seed[i], halvings);
}

static void test_jams(void **state)
{
    (void)state;
    static const uint64_t seeds[] = {128, 1352, 40070, 540272};
    check_family(seeds, sizeof seeds / sizeof *seeds);
}

static void test_wedges(void **state)
{
    (void)state;
    static const uint64_t seeds[] = {794, 40160};
    check_family(seeds, sizeof seeds / sizeof *seeds);
}

static void test_light_below(void **state)
{
    (void)state;
    static const uint64_t seeds[] = {40104, 540002};
    check_family(seeds, sizeof seeds / sizeof *seeds);
}

int main(void)
{
    setenv("OPENBLAS_NUM_THREADS", "1", 0); // runs are processes; threads would be in their way
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_jams),
        cmocka_unit_test(test_wedges),
        cmocka_unit_test(test_light_below),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
