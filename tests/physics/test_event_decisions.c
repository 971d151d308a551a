// What the event-driven scheme has to decide at an instant, where the decision is a narrow one.
// Generated scenes and variations of them (support/scene_generator.h).
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/family.h"
#include "support/near.h"
#include "support/scene_run.h"

static void vary(scene_model *model, const char *from, const char *to)
{
    static char text[SCENE_TEXT_SIZE];
    size_t n = 0;
    const char *rest = model->text;
    for (const char *p; (p = strstr(rest, from)); rest = p + strlen(from)) {
        memcpy(text + n, rest, (size_t)(p - rest));
        n += (size_t)(p - rest);
        n += (size_t)snprintf(text + n, sizeof text - n, "%s", to);
    }
    assert_true(rest != model->text);
    snprintf(text + n, sizeof text - n, "%s", rest);
    memcpy(model->text, text, sizeof text);
}

static void run(const scene_model *model, const char *scheme, const char *options,
                run_result *result)
{
    const run_def def = {.scheme = scheme,
                         .options = options,
                         .step = model->facts.end / (8 * SCENE_SAMPLES),
                         .seconds = 30};
    scene_run_model(model, &def, result);
    if (result->outcome != RUN_FINISHED)
        print_message("%s: %s\n", scheme, result->message);
    assert_int_equal(result->outcome, RUN_FINISHED);
}

// A pin in its hole goes from stick to slip. The slip begins with zero velocity and acceleration, and
// behind the event the steps of heun may be so short (1e-11 s) that its velocity is rounding.
static void test_slip_begins(void **state)
{
    (void)state;
    static scene_model model;
    static run_result exact, coarse;
    static const char *const friction[] = {"0.25", "0.23", "0.2667"};
    for (size_t i = 0; i < sizeof friction / sizeof *friction; i += CASE_STRIDE) {
        char text[40];
        scene_generate(221, &model);
        snprintf(text, sizeof text, "friction: %s", friction[i]);
        vary(&model, "friction: 0.25", text);
        run(&model, "event-driven", "", &exact);
        run(&model, "heun", "tolerance=1e-6", &coarse);
        print_message("mu %s: %lld steps, %.2f s\n", friction[i], (long long)coarse.steps,
                      coarse.seconds);
        // The tolerance is 1e-6 m and some 1e3 steps lie where it decides them.
        for (int k = 1; k <= SCENE_SAMPLES; ++k)
            for (int j = 0; j + 1 < exact.n_values; ++j)
                assert_near(coarse.sample[k][j], exact.sample[k][j], 1e3 * 1e-6);
    }
}

// Discs wedge between walls with mu = 0.88: contacts slide and no forces exist (Painleve), the
// velocities jump without a collision. Six contacts have 4096 impulses to choose from, of which
// an iteration finds the one that is null.
static void test_wedge_jumps(void **state)
{
    (void)state;
    static scene_model model;
    static run_result result;
    static const char *const friction[] = {"0.8834", "0.88", "0.8751", "0.89", "0.9"};
    static const char *const schemes[] = {"event-driven", "bs32"};
    for (size_t i = 0; i < sizeof friction / sizeof *friction; i += CASE_STRIDE)
        for (int k = 0; k < 2; ++k) {
            char text[40];
            scene_generate(610022, &model);
            snprintf(text, sizeof text, "friction: %s", friction[i]);
            vary(&model, "friction: 0.8834", text);
            run(&model, schemes[k], "", &result);
            print_message("mu %s, %s: %lld impacts, rest at %g of %g s, %.2f s\n", friction[i],
                          schemes[k], (long long)result.impacts, result.rest_time, model.facts.end,
                          result.seconds);
            assert_true(result.energy_gain < 1e-12);
            assert_true(result.rest_time < model.facts.end);
        }
}

int main(void)
{
    setenv("OPENBLAS_NUM_THREADS", "1", 0); // runs are processes; threads would be in their way
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slip_begins),
        cmocka_unit_test(test_wedge_jumps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
