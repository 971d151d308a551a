// What the event-driven schemes are told from outside: short names, times at which forces jump,
// inputs.
#include <stdio.h>
#include <string.h>

#include "percuss/io.h"
#include "support/event_scenes.h"
#include "support/near.h"

#include "math/vector.h"

static const char model_text[] = "dimension: 2\n"
                                 "bodies:\n"
                                 "  b: {point: true, mass: 2, position: [0, 0]}\n"
                                 "forces:\n"
                                 "  push: {body: b, force: [\"3*step(t - 0.3)\", 0]}\n"
                                 "simulation: {%s}\n";

static pcs_status read_model(pcs_context *ctx, const char *settings, pcs_model_file **file)
{
    char text[1024];
    snprintf(text, sizeof text, model_text, settings);
    return pcs_model_file_read_memory(ctx, "model.yaml", text, strlen(text), NULL, 0, file);
}

// The integrator's name as the scheme, its options, and the times of the file arrive in the run.
static void test_model_file(void **state)
{
    (void)state;
    pcs_context_def context = pcs_context_default();
    pcs_context *ctx = pcs_context_create(&context);
    pcs_model_file *file = NULL;
    pcs_simulation *simulation = NULL;
    const pcs_setting *options = NULL;
    double integrator = -1;
    assert_int_equal(
        read_model(ctx, "scheme: dopri5, end: 1, step: 0.5, events: [0.3], growth: 5", &file),
        PCS_OK);
    pcs_simulation_def def = pcs_model_file_simulation(file);
    assert_string_equal(def.scheme, "dopri5");
    assert_int_equal(def.n_events, 1);
    assert_near(def.events[0], 0.3, 0);
    assert_int_equal(pcs_model_file_options(file, &options), 1);
    assert_int_equal(pcs_simulation_create(ctx, pcs_model_file_model(file), &def, &simulation),
                     PCS_OK);
    assert_int_equal(pcs_simulation_set(simulation, options[0].key, options[0].text), PCS_OK);
    assert_int_equal(pcs_simulation_get(simulation, "integrator", &integrator), PCS_OK);
    assert_near(integrator, 4, 0); // place among the choices
    while (!pcs_simulation_finished(simulation))
        assert_int_equal(pcs_simulation_step(simulation), PCS_OK);
    assert_near(pcs_simulation_v(simulation)[0], 1.5 * 0.7, 1e-13);
    pcs_simulation_destroy(simulation);
    pcs_model_file_destroy(file);
    pcs_context_destroy(ctx);
}

static void test_mistakes(void **state)
{
    (void)state;
    static const struct {
        const char *settings, *text;
    } bad[] = {
        {"scheme: phem65", "phem56"},
        {"scheme: phem56, toleranc: 1e-3", "tolerance"},
        {"scheme: hem5, events: 0.3", "events"},
        {"scheme: hem5, events: [x]", "x"},
        {"scheme: event-driven, integrator: rk5", "rk4"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
        pcs_context_def context = pcs_context_default();
        pcs_context *ctx = pcs_context_create(&context);
        pcs_model_file *file = NULL;
        assert_true(read_model(ctx, bad[i].settings, &file) < 0);
        if (!strstr(pcs_context_error(ctx), bad[i].text))
            fail_msg("%s: %s", bad[i].settings, pcs_context_error(ctx));
        pcs_model_file_destroy(file);
        pcs_context_destroy(ctx);
    }
}

static void test_short_names(void **state)
{
    (void)state;
    const char *scheme = NULL, *key = NULL;
    int32_t n = 0;
    while (pcs_scheme_short_name(n, &scheme, &key)) {
        assert_string_equal(scheme, "event-driven");
        assert_string_equal(key, "integrator");
        ++n;
    }
    assert_true(n >= 5);
    assert_null(pcs_scheme_short_name(-1, NULL, NULL));
}

// Inputs hold over an output step: steps end on its ends, whatever `output` says.
static void test_inputs(void **state)
{
    (void)state;
    const pcs_vec3 zero = {0, 0, 0};
    scene s;
    scene_begin(&s, 2, zero);
    pcs_body_id body = scene_point(&s, "body", 2, zero, zero);
    scene_require(&s, pcs_builder_add_input(s.builder, "F", 0));
    pcs_force_def force = pcs_force_default();
    force.name = "push";
    force.body = body;
    force.force[0] = pcs_expression("input.F");
    scene_force(&s, &force);
    double v = 0, x = 0;
    static const char *const schemes[] = {"event-driven", "hybrid"};
    for (int k = 0; k < 2; ++k) {
        scene_use(&s, schemes[k], 0.13, 0.13 * 6);
        v = x = 0;
        for (int i = 0; i < 6; ++i) {
            const double F = (i * 7) % 5 - 1.5;
            scene_require(&s, pcs_simulation_set_input(s.simulation, 0, F));
            scene_step(&s);
            x += 0.13 * v + 0.5 * 0.13 * 0.13 * F / 2;
            v += 0.13 * F / 2;
            assert_near(pcs_simulation_v(s.simulation)[0], v, 1e-14);
            assert_near(pcs_simulation_q(s.simulation)[0], x, 1e-14);
        }
    }
    scene_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_model_file),
        cmocka_unit_test(test_mistakes),
        cmocka_unit_test(test_short_names),
        cmocka_unit_test(test_inputs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
