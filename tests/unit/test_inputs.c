// Inputs: numbers that the caller sets between two steps. What they do is compared with the same
// model with that number written in its formulas, bit for bit; they are part of the checkpoint, of
// the signals and of the result, and every mistake gets a message.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "percuss/io.h"
#include "support/near.h"

// A puck in the plane, a pendulum with a motor and a block on a belt: one input in each formula.
#define SCENE(inputs, push, torque, belt)                                                   \
    "dimension: 2\n"                                                                        \
    "parameters: {k: 1.37}\n" inputs "gravity: [0, -9.81]\n"                                \
    "bodies:\n"                                                                             \
    "  puck: {mass: 2.385, inertia: 0.31, position: [1, 5]}\n"                              \
    "  rod: {mass: 0.8, shape: {rod: {length: 0.4}, axis: [1, 0]}, position: [0.2, 3]}\n"   \
    "  block: {mass: 1.5, shape: {box: [0.2, 0.1, 0.1]}, position: [0, 0.05]}\n"            \
    "joints:\n"                                                                             \
    "  hinge: {type: revolute, bodies: [ground, rod], at: [0, 3], actuator: " torque "}\n"  \
    "forces:\n"                                                                             \
    "  push: {body: puck, force: [" push ", 23.4], torque: " push "/7}\n"                   \
    "contacts:\n"                                                                           \
    "  belt: {type: box-plane, bodies: [ground, block], size: [0.2, 0.1], friction: 0.4,\n" \
    "         surface_speed: " belt "}\n"                                                   \
    "simulation: {end: 0.02, step: 1e-3}\n"

static const char with_inputs[] = SCENE("inputs: {push: k, torque: 0, belt: -0.1}\n",
                                        "input.push*(1 + body.puck.velocity.x)",
                                        "2*input.torque - 0.3*joint.hinge.rate", "input.belt");
static const char with_numbers[] = SCENE("", "0.713*(1 + body.puck.velocity.x)",
                                         "2*1.91 - 0.3*joint.hinge.rate", "0.352");

typedef struct fixture {
    pcs_context *ctx;
    pcs_model_file *file;
    pcs_simulation *simulation;
} fixture;

static int set_up(void **state)
{
    static fixture f;
    f = (fixture){.ctx = pcs_context_create(NULL)};
    *state = &f;
    return f.ctx ? 0 : -1;
}

static void drop(fixture *f)
{
    pcs_simulation_destroy(f->simulation);
    pcs_model_file_destroy(f->file);
    f->simulation = NULL;
    f->file = NULL;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    drop(f);
    int left = pcs_context_heap_bytes(f->ctx) != 0;
    pcs_context_destroy(f->ctx);
    return left;
}

static void require_ok(const fixture *f, pcs_status status)
{
    if (status < 0)
        print_error("%s\n", pcs_context_error(f->ctx));
    assert_true(status >= 0);
}

static void create(fixture *f)
{
    pcs_simulation_def def = pcs_model_file_simulation(f->file);
    require_ok(f,
               pcs_simulation_create(f->ctx, pcs_model_file_model(f->file), &def, &f->simulation));
}

static void read_with(fixture *f, const char *text, const pcs_setting *settings, int32_t n)
{
    drop(f);
    require_ok(
        f, pcs_model_file_read_memory(f->ctx, "m.yaml", text, strlen(text), settings, n, &f->file));
    create(f);
}

static void read_text(fixture *f, const char *text)
{
    read_with(f, text, NULL, 0);
}

static double signal_value(const fixture *f, const char *path)
{
    pcs_signal signal;
    require_ok(f, pcs_model_find_signal(f->ctx, pcs_model_file_model(f->file), path, &signal));
    return pcs_simulation_signal(f->simulation, signal);
}

static void set(const fixture *f, const char *name, double value)
{
    int32_t input = -1;
    require_ok(f, pcs_model_find_input(f->ctx, pcs_model_file_model(f->file), name, &input));
    require_ok(f, pcs_simulation_set_input(f->simulation, input, value));
}

static void run(const fixture *f, int steps)
{
    for (int i = 0; i < steps; ++i)
        require_ok(f, pcs_simulation_step(f->simulation));
}

static void set_all(const fixture *f)
{
    set(f, "push", 0.713);
    set(f, "torque", 1.91);
    set(f, "belt", 0.352);
}

static void copy_state(const fixture *f, double *q, double *v)
{
    const pcs_model *model = pcs_model_file_model(f->file);
    memcpy(q, pcs_simulation_q(f->simulation),
           sizeof *q * (size_t)pcs_model_coordinate_count(model));
    memcpy(v, pcs_simulation_v(f->simulation), sizeof *v * (size_t)pcs_model_velocity_count(model));
}

enum { COORDINATES = 9 };

// ---- What an input does ----

static void test_input_is_a_number_in_formulas(void **state)
{
    fixture *f = *state;
    double q[2][COORDINATES], v[2][COORDINATES];
    read_text(f, with_inputs);
    set_all(f);
    run(f, 20);
    copy_state(f, q[0], v[0]);
    assert_near(signal_value(f, "contact.belt.0.velocity.t1"),
                signal_value(f, "body.block.velocity.x") - 0.352, 1e-9);
    read_text(f, with_numbers);
    run(f, 20);
    copy_state(f, q[1], v[1]);
    assert_memory_equal(q[0], q[1], sizeof q[0]);
    assert_memory_equal(v[0], v[1], sizeof v[0]);
}

static const char mass[] = "dimension: 2\n"
                           "inputs: {fx: 0, fy: 2/4}\n"
                           "bodies: {p: {point: true, mass: 2.5}}\n"
                           "forces: {drive: {body: p, force: [input.fx, input.fy]}}\n"
                           "simulation: {end: 1, step: 1e-2}\n";

// Zero-order hold: each step adds f h / m to the speed, with the f set before it.
static void test_held_over_a_step(void **state)
{
    fixture *f = *state;
    read_text(f, mass);
    double speed = 0, work = 0;
    for (int i = 0; i < 100; ++i) {
        double force = sin(0.37 * i) + 0.01 * i, before = speed;
        set(f, "fx", force);
        run(f, 1);
        speed += force * 1e-2 / 2.5;
        work += force * 1e-2 * 0.5 * (before + speed);
        assert_near(signal_value(f, "body.p.velocity.x"), speed, 1e-13);
    }
    assert_near(signal_value(f, "body.p.velocity.y"), 0.5 / 2.5, 1e-13);
    work += 0.5 * 0.5 * 0.5 / 2.5; // fy along y = fy t^2 / (2 m)
    assert_near(signal_value(f, "energy.applied"), work, 1e-13);
    assert_near(signal_value(f, "energy.numerical"), 0, 1e-12);
}

static void test_initial_values(void **state)
{
    fixture *f = *state;
    read_text(f, with_inputs);
    const pcs_model *model = pcs_model_file_model(f->file);
    assert_int_equal(pcs_model_input_count(model), 3);
    assert_string_equal(pcs_model_input_name(model, 1), "torque");
    assert_near(pcs_simulation_input(f->simulation, 0), 1.37, 0);
    assert_near(pcs_simulation_input(f->simulation, 2), -0.1, 0);
    const pcs_setting settings[] = {{"inputs.belt", "0.5*k"}};
    read_with(f, with_inputs, settings, 1);
    assert_near(pcs_simulation_input(f->simulation, 2), 0.685, 1e-15);
    read_text(f, with_numbers);
    assert_int_equal(pcs_model_input_count(pcs_model_file_model(f->file)), 0);
}

static void test_signals(void **state)
{
    fixture *f = *state;
    read_text(f, with_inputs);
    assert_near(signal_value(f, "input.push"), 1.37, 0);
    set_all(f); // before the first step
    assert_near(signal_value(f, "input.push"), 0.713, 0);
    run(f, 3);
    set(f, "belt", 7.25);
    const char *const paths[] = {"input.torque", "input.belt", "time"};
    pcs_signal signals[3];
    double values[3];
    const pcs_model *model = pcs_model_file_model(f->file);
    for (int i = 0; i < 3; ++i)
        require_ok(f, pcs_model_find_signal(f->ctx, model, paths[i], &signals[i]));
    pcs_simulation_signals(f->simulation, signals, 3, values);
    assert_near(values[0], 1.91, 0);
    assert_near(values[1], 7.25, 0);
    assert_near(values[2], 3e-3, 1e-15);
    int found = 0;
    char path[512];
    for (int32_t i = 0; pcs_model_signal_path(model, i, path, sizeof path); ++i)
        found += strncmp(path, "input.", 6) == 0;
    assert_int_equal(found, 3);
}

static void test_no_heap_call(void **state)
{
    fixture *f = *state;
    read_text(f, with_inputs);
    run(f, 10);
    uint64_t calls = pcs_context_heap_calls(f->ctx);
    for (int i = 0; i < 10; ++i) {
        require_ok(f, pcs_simulation_set_input(f->simulation, 1, 0.1 * i));
        run(f, 1);
    }
    assert_int_equal(pcs_context_heap_calls(f->ctx), calls);
}

// ---- Checkpoint and result ----

static void test_checkpoint(void **state)
{
    fixture *f = *state;
    double q[2][COORDINATES], v[2][COORDINATES];
    read_text(f, with_inputs);
    run(f, 5);
    set_all(f);
    size_t size = pcs_simulation_save(f->simulation, NULL, 0);
    void *bytes = malloc(size);
    assert_non_null(bytes);
    assert_int_equal(pcs_simulation_save(f->simulation, bytes, size), size);
    run(f, 10);
    copy_state(f, q[0], v[0]);
    read_text(f, with_inputs);
    require_ok(f, pcs_simulation_load(f->simulation, bytes, size));
    assert_near(signal_value(f, "input.torque"), 1.91, 0);
    run(f, 10);
    copy_state(f, q[1], v[1]);
    assert_memory_equal(q[0], q[1], sizeof q[0]);
    assert_memory_equal(v[0], v[1], sizeof v[0]);

    // Inputs of other names are another model.
    read_text(f, SCENE("inputs: {push: 0, torque: 0, band: 0}\n", "input.push", "input.torque",
                       "input.band"));
    assert_int_equal(pcs_simulation_load(f->simulation, bytes, size), PCS_ERROR_INPUT);
    assert_string_equal(pcs_context_error(f->ctx), "the checkpoint belongs to another model");
    free(bytes);
}

static void test_result(void **state)
{
    fixture *f = *state;
    char folder[] = "/tmp/percuss_inputs_XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/r.h5", folder);
    read_text(f, with_inputs);
    pcs_result_def def = pcs_result_default();
    def.path = path;
    pcs_result_writer *writer = NULL;
    pcs_result *result = NULL;
    require_ok(f, pcs_simulation_start(f->simulation));
    require_ok(f, pcs_result_create(f->ctx, f->simulation, &def, &writer));
    require_ok(f, pcs_result_append(writer, f->simulation));
    for (int i = 0; i < 20; ++i) {
        set(f, "torque", 0.25 * i * i);
        run(f, 1);
        require_ok(f, pcs_result_append(writer, f->simulation));
    }
    require_ok(f, pcs_result_close(writer, f->simulation, true));
    require_ok(f, pcs_result_open(f->ctx, path, &result));
    double torque[21];
    assert_int_equal(pcs_result_frames(result), 21);
    require_ok(f, pcs_result_signal(result, "input.torque", torque));
    assert_near(torque[0], 0, 0);
    for (int i = 0; i < 20; ++i)
        assert_near(torque[i + 1], 0.25 * i * i, 0);
    // All signals of the model are signals of the result.
    char stored[512], expected[512];
    const pcs_model *model = pcs_model_file_model(f->file);
    int found = 0;
    for (int32_t i = 0; pcs_result_signal_path(result, i, stored, sizeof stored); ++i) {
        pcs_signal signal;
        require_ok(f, pcs_model_find_signal(f->ctx, model, stored, &signal));
        found += strncmp(stored, "input.", 6) == 0;
    }
    assert_int_equal(found, 3);
    for (int32_t i = 0; pcs_model_signal_path(model, i, expected, sizeof expected); ++i)
        require_ok(f, pcs_result_signal(result, expected, torque));
    assert_int_equal(pcs_result_signal(result, "input.torqe", torque), PCS_ERROR_INPUT);
    assert_non_null(strstr(pcs_context_error(f->ctx), "did you mean 'input.torque'?"));
    pcs_result_destroy(result);
    unlink(path);
    rmdir(folder);
}

// ---- Mistakes ----

static void assert_error(const fixture *f, pcs_status found, pcs_status status, const char *text)
{
    assert_int_equal(found, status);
    assert_string_equal(pcs_context_error(f->ctx), text);
}

static void test_set_errors(void **state)
{
    fixture *f = *state;
    int32_t input = 77;
    read_text(f, with_inputs);
    const pcs_model *model = pcs_model_file_model(f->file);
    assert_error(f, pcs_model_find_input(f->ctx, model, "torqe", &input), PCS_ERROR_INPUT,
                 "there is no input 'torqe'; did you mean 'torque'?");
    assert_int_equal(input, 77);
    assert_error(f, pcs_simulation_set_input(f->simulation, 3, 0), PCS_ERROR_ARGUMENT,
                 "there is no input 3; the model has 3");
    assert_error(f, pcs_simulation_set_input(f->simulation, -1, 0), PCS_ERROR_ARGUMENT,
                 "there is no input -1; the model has 3");
    assert_error(f, pcs_simulation_set_input(f->simulation, 1, NAN), PCS_ERROR_ARGUMENT,
                 "input 'torque' must be a finite number, not nan");
    assert_error(f, pcs_simulation_set_input(f->simulation, 1, -INFINITY), PCS_ERROR_ARGUMENT,
                 "input 'torque' must be a finite number, not -inf");
    assert_near(pcs_simulation_input(f->simulation, 1), 0, 0);
    assert_true(isnan(pcs_simulation_input(f->simulation, 3)));
    assert_true(isnan(pcs_simulation_input(f->simulation, -1)));
    run(f, 20);
    assert_error(f, pcs_simulation_set_input(f->simulation, 1, 1), PCS_ERROR_ARGUMENT,
                 "input 'torque' is set too late: the simulation is at its end");
    read_text(f, with_numbers);
    assert_error(f, pcs_model_find_input(f->ctx, pcs_model_file_model(f->file), "torque", &input),
                 PCS_ERROR_INPUT,
                 "there is no input 'torque': the model has none; declare it in 'inputs'");
}

static void assert_refused(const fixture *f, const char *text, const char *message)
{
    pcs_model_file *file = NULL;
    assert_true(pcs_model_file_read_memory(f->ctx, "m.yaml", text, strlen(text), NULL, 0, &file) <
                0);
    assert_null(file);
    assert_string_equal(pcs_context_error(f->ctx), message);
}

#define BODY "dimension: 2\nbodies: {p: {mass: 1, inertia: 1}}\n"

static void test_file_errors(void **state)
{
    fixture *f = *state;
    assert_refused(f, BODY "inputs: {force: 0}\nforces: {a: {body: p, force: [input.fource, 0]}}\n",
                   "m.yaml:4:31: unknown input 'fource' in 'input.fource'; did you mean 'force'?");
    assert_refused(f, BODY "forces: {a: {body: p, force: [input.x, 0]}}\n",
                   "m.yaml:3:31: unknown input 'x' in 'input.x'");
    assert_refused(f,
                   BODY "inputs: {x: 0}\n"
                        "joints: {j: {type: revolute, bodies: [ground, p], motion: input.x}}\n",
                   "m.yaml:4:59: 'input.x' cannot be used here; this number may depend on "
                   "parameters and t only");
    assert_refused(f,
                   BODY "inputs: {x: 0}\n"
                        "contacts: {c: {type: point-plane, bodies: [ground, p], normal: [0, 1],\n"
                        "  surface_speed: body.p.velocity.x}}\n",
                   "m.yaml:5:18: 'body.p.velocity.x' cannot be used here; this number may depend "
                   "on parameters, t and inputs only");
    assert_refused(f, BODY "inputs: {x: 0, y: input.x}\n",
                   "m.yaml:3:19: 'input.x' cannot be used here; this number may depend on "
                   "parameters only");
    assert_refused(f, BODY "inputs: {x: .nan}\n",
                   "m.yaml:3:13: a number must be finite, not '.nan'");
    assert_refused(f, BODY "inputs: {x: 1/0}\n",
                   "m.yaml:3:13: the value of '1/0' is not finite (inf)");
    assert_refused(f, BODY "inputs: [x]\n",
                   "m.yaml:3:9: 'inputs' must be a map {key: value}, not a list");
    assert_refused(f, BODY "inputs: {x: 0, x: 1}\n",
                   "m.yaml:3:16: key 'x' occurs twice, first in line 3");
    assert_refused(f, BODY "inputs: {x: 0}\nforces: {a: {body: p, force: [input.x.y, 0]}}\n",
                   "m.yaml:4:31: force 'a': \"input.x.y\": column 1: unknown name 'input.x.y'");
    read_text(f, BODY "inputs:\n"); // an empty section
}

static void test_builder_errors(void **state)
{
    fixture *f = *state;
    pcs_builder *builder = NULL;
    pcs_model *model = NULL;
    require_ok(f, pcs_builder_create(f->ctx, 2, &builder));
    require_ok(f, pcs_builder_add_input(builder, "a", 1));
    assert_error(f, pcs_builder_add_input(builder, "a", 1), PCS_ERROR_MODEL,
                 "input 'a': the name is taken");
    assert_error(f, pcs_builder_add_input(builder, "b", NAN), PCS_ERROR_MODEL,
                 "input 'b': must be a finite number");
    assert_int_equal(pcs_builder_add_input(builder, "b.c", 0), PCS_ERROR_MODEL);
    assert_int_equal(pcs_builder_add_input(builder, NULL, 0), PCS_ERROR_MODEL);
    pcs_body_def body = pcs_body_default();
    body.name = "p";
    body.mass = 1;
    body.point = true;
    require_ok(f, pcs_builder_add_body(builder, &body, NULL));
    pcs_force_def force = pcs_force_default();
    force.name = "f";
    force.body = 0;
    force.force[0] = pcs_expression("input.a");
    require_ok(f, pcs_builder_add_force(builder, &force));
    require_ok(f, pcs_builder_finish(builder, &model));
    assert_error(f, pcs_builder_add_input(builder, "late", 0), PCS_ERROR_ARGUMENT,
                 "the model is finished already");
    assert_int_equal(pcs_model_input_count(model), 1);
    pcs_model_destroy(model);
    pcs_builder_destroy(builder);
}

static void test_out_of_memory(void **state)
{
    fixture *f = *state;
    bool refused = true;
    for (uint64_t n = 1; refused; ++n) {
        drop(f);
        pcs_context_fail_heap_call(f->ctx, n);
        pcs_status status = pcs_model_file_read_memory(f->ctx, "m.yaml", with_inputs,
                                                       sizeof with_inputs - 1, NULL, 0, &f->file);
        if (status >= 0) {
            pcs_simulation_def def = pcs_model_file_simulation(f->file);
            status = pcs_simulation_create(f->ctx, pcs_model_file_model(f->file), &def,
                                           &f->simulation);
        }
        refused = status < 0;
        if (refused)
            assert_int_equal(status, PCS_ERROR_MEMORY);
    }
    pcs_context_fail_heap_call(f->ctx, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_input_is_a_number_in_formulas, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_held_over_a_step, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_initial_values, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_signals, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_no_heap_call, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_checkpoint, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_result, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_set_errors, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_file_errors, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_builder_errors, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_out_of_memory, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
