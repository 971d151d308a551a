// Result files: every signal reads back bit by bit, an unfinished file is readable and never stands
// under the final name, and every failure gives a message and leaves nothing open.
#include <hdf5.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "support/result_fixture.h"

enum { FRAMES = 300 }; // more than one batch and one chunk of the writer (256 frames)

// ---- Round trip ----

static int32_t count_signals(const pcs_model *model)
{
    char path[RESULT_PATH_MAX];
    int32_t count = 0;
    while (pcs_model_signal_path(model, count, path, sizeof path))
        count++;
    return count;
}

static void test_every_signal_reads_back(void **state)
{
    result_fixture *f = *state;
    int32_t count = count_signals(f->model);
    double *expected = calloc((size_t)count * FRAMES, sizeof *expected);
    double found[FRAMES];
    char path[RESULT_PATH_MAX];
    assert_true(count > 0);
    pcs_result_writer *writer = result_create(f, 1e9);
    for (int frame = 0; frame < FRAMES; frame++) {
        result_step_and_append(f, writer, 1);
        for (int32_t i = 0; i < count; i++) {
            pcs_signal signal;
            pcs_model_signal_path(f->model, i, path, sizeof path);
            assert_int_equal(pcs_model_find_signal(f->ctx, f->model, path, &signal), PCS_OK);
            expected[i * FRAMES + frame] = pcs_simulation_signal(f->simulation, signal);
        }
    }
    assert_int_equal(pcs_result_close(writer, f->simulation, true), PCS_OK);

    pcs_result *result = result_open(f, f->path);
    assert_int_equal(pcs_result_frames(result), FRAMES);
    for (int32_t i = 0; i < count; i++) {
        pcs_model_signal_path(f->model, i, path, sizeof path);
        if (pcs_result_signal(result, path, found) != PCS_OK)
            fail_msg("%s", pcs_context_error(f->ctx));
        for (int frame = 0; frame < FRAMES; frame++)
            assert_same_bits(found[frame], expected[i * FRAMES + frame]);
    }
    // And the other way round: the result offers nothing that the simulation does not know.
    for (int32_t i = 0; pcs_result_signal_path(result, i, path, sizeof path); i++) {
        pcs_signal signal;
        if (pcs_model_find_signal(f->ctx, f->model, path, &signal) != PCS_OK)
            fail_msg("%s", pcs_context_error(f->ctx));
    }
    pcs_result_destroy(result);
    free(expected);
}

static void test_views_are_stored(void **state)
{
    result_fixture *f = *state;
    pcs_body_view body;
    pcs_joint_view joint;
    pcs_contact_view contact;
    double value[1];
    pcs_result_writer *writer = result_create(f, 1e9);
    assert_true(pcs_simulation_step(f->simulation) >= 0);
    assert_int_equal(pcs_result_append(writer, f->simulation), PCS_OK);
    assert_int_equal(pcs_result_close(writer, f->simulation, true), PCS_OK);
    pcs_simulation_body(f->simulation, 1, &body);
    pcs_simulation_joint(f->simulation, 0, &joint);
    pcs_simulation_contact(f->simulation, 0, &contact);
    const struct {
        const char *path;
        double value;
    } expected[] = {
        {"time", pcs_simulation_time(f->simulation)},
        {"body.ball.position.x", body.position.x},
        {"body.ball.velocity.y", body.velocity.y},
        {"body.ball.angular_velocity.z", body.angular_velocity.z},
        {"joint.hinge.angle", joint.coordinate[0]},
        {"joint.hinge.rate", joint.rate[0]},
        {"joint.hinge.force.x", joint.force.x},
        {"joint.hinge.torque.z", joint.torque.z},
        {"contact.tip.gap", contact.gap},
        {"contact.tip.impulse.t1", contact.impulse[1]},
        {"contact.tip.force.n", contact.force[0]},
        {"contact.tip.state", (double)contact.state},
        {"energy.kinetic", pcs_simulation_statistics(f->simulation)->energy.kinetic},
        {"solver.residual", pcs_simulation_statistics(f->simulation)->last_residual},
    };
    pcs_result *result = result_open(f, f->path);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        if (pcs_result_signal(result, expected[i].path, value) != PCS_OK)
            fail_msg("%s", pcs_context_error(f->ctx));
        assert_same_bits(value[0], expected[i].value);
    }
    assert_int_equal(pcs_result_signal(result, "body.bal.position.x", value), PCS_ERROR_INPUT);
    result_assert_message(f, "did you mean 'body.ball.position.x'?");
    pcs_result_destroy(result);
}

static void test_header_summary_and_checkpoint(void **state)
{
    result_fixture *f = *state;
    const void *bytes = NULL;
    size_t size = 0;
    pcs_result_writer *writer = result_create(f, 1e9);
    result_step_and_append(f, writer, 17);
    assert_int_equal(pcs_result_close(writer, f->simulation, false), PCS_OK);
    pcs_result *result = result_open(f, f->path);
    assert_false(pcs_result_is_complete(result));
    assert_string_equal(pcs_result_title(result), "Pendel und Kugel, \xc3\xbc");
    assert_string_equal(pcs_result_model_text(result), "title: x\n");
    const pcs_statistics *stored = pcs_result_statistics(result);
    const pcs_statistics *own = pcs_simulation_statistics(f->simulation);
    assert_int_equal(stored->steps, own->steps);
    assert_int_equal(stored->solver_iterations, own->solver_iterations);
    assert_int_equal(stored->contacts_most, own->contacts_most);
    assert_int_equal(stored->assembly_body, own->assembly_body);
    assert_int_equal(stored->initial_contact, own->initial_contact);
    assert_same_bits(stored->initial_penetration, own->initial_penetration);
    assert_same_bits(stored->worst_residual, own->worst_residual);
    assert_same_bits(stored->energy.impact, own->energy.impact);
    assert_same_bits(stored->energy.numerical, own->energy.numerical);

    // The stored state continues in a new simulation with the same bits.
    assert_int_equal(pcs_result_checkpoint(result, &bytes, &size), PCS_OK);
    pcs_simulation *other = result_simulate(f->ctx, f->model);
    assert_int_equal(pcs_simulation_load(other, bytes, size), PCS_OK);
    for (int i = 0; i < 50; i++) {
        assert_true(pcs_simulation_step(f->simulation) >= 0);
        assert_true(pcs_simulation_step(other) >= 0);
    }
    pcs_body_view a, b;
    pcs_simulation_body(f->simulation, 1, &a);
    pcs_simulation_body(other, 1, &b);
    assert_same_bits(a.position.x, b.position.x);
    assert_same_bits(a.position.y, b.position.y);
    pcs_simulation_destroy(other);
    pcs_result_destroy(result);
}

// ---- Temporary file ----

static void test_unfinished_file_is_readable(void **state)
{
    result_fixture *f = *state;
    const void *bytes = NULL;
    size_t size = 0;
    pcs_result_writer *writer = result_create(f, 0); // flush after every frame
    result_step_and_append(f, writer, 5);
    assert_false(result_exists(f->path));
    pcs_result *result = result_open(f, f->part);
    assert_int_equal(pcs_result_frames(result), 5);
    assert_false(pcs_result_is_complete(result));
    assert_int_equal(pcs_result_statistics(result)->steps, 0);
    assert_int_equal(pcs_result_checkpoint(result, &bytes, &size), PCS_ERROR_INPUT);
    result_assert_message(f, "no checkpoint");
    pcs_result_destroy(result);
    assert_int_equal(pcs_result_close(writer, f->simulation, true), PCS_OK);
    assert_true(result_exists(f->path));
    assert_false(result_exists(f->part));
}

static void test_abandon_keeps_the_old_result(void **state)
{
    result_fixture *f = *state;
    pcs_result_writer *writer = result_create(f, 1);
    result_step_and_append(f, writer, 3);
    assert_int_equal(pcs_result_close(writer, f->simulation, true), PCS_OK);
    writer = result_create(f, 0);
    result_step_and_append(f, writer, 7);
    pcs_result_abandon(writer);
    assert_false(result_exists(f->part));
    assert_int_equal(result_open_and_count(f), 3);
}

static void test_two_writers_do_not_share_a_file(void **state)
{
    result_fixture *f = *state;
    pcs_result_def def = pcs_result_default();
    pcs_result_writer *second = NULL;
    pcs_result_writer *writer = result_create(f, 0);
    result_step_and_append(f, writer, 4);
    def.path = f->path;
    assert_int_equal(pcs_result_create(f->ctx, f->simulation, &def, &second), PCS_ERROR_IO);
    result_assert_message(f, "another program");
    result_step_and_append(f, writer, 4);
    assert_int_equal(pcs_result_close(writer, f->simulation, true), PCS_OK);
    assert_int_equal(result_open_and_count(f), 8);
}

static void test_leftover_of_a_killed_run_makes_way(void **state)
{
    result_fixture *f = *state;
    result_write_text(f->part, "not HDF5 at all");
    pcs_result_writer *writer = result_create(f, 1);
    result_step_and_append(f, writer, 2);
    assert_int_equal(pcs_result_close(writer, f->simulation, true), PCS_OK);
}

static void test_full_disk(void **state)
{
    result_fixture *f = *state;
    struct rlimit old, small;
    pcs_status status = PCS_OK;
    result_write_text(f->path, "an older result");
    pcs_result_writer *writer = result_create(f, 0);
    result_step_and_append(f, writer, 2);

    // A file size limit stands for the full disk.
    struct stat info;
    assert_int_equal(stat(f->part, &info), 0);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    small = old;
    small.rlim_cur = (rlim_t)info.st_size + 1000;
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    for (int i = 0; i < 4000 && status >= 0; i++)
        status = pcs_result_append(writer, f->simulation);
    assert_int_equal(pcs_result_append(writer, f->simulation), PCS_ERROR_IO);
    pcs_status closing = pcs_result_close(writer, f->simulation, true);
    setrlimit(RLIMIT_FSIZE, &old);
    signal(SIGXFSZ, handler);
    assert_int_equal(status, PCS_ERROR_IO);
    assert_int_equal(closing, PCS_ERROR_IO);

    // The older result stands untouched, and what was flushed can be read.
    char text[32] = {0};
    FILE *file = fopen(f->path, "rb");
    assert_non_null(file);
    assert_true(fread(text, 1, sizeof text - 1, file) > 0);
    fclose(file);
    assert_string_equal(text, "an older result");
    pcs_result *result = result_open(f, f->part);
    pcs_result_destroy(result);
}

// ---- Refusals and failures ----

static void test_impossible_targets_are_refused(void **state)
{
    result_fixture *f = *state;
    char path[RESULT_PATH_MAX];
    pcs_result_def def = pcs_result_default();
    pcs_result_writer *writer = NULL;
    assert_int_equal(pcs_result_create(f->ctx, f->simulation, &def, &writer), PCS_ERROR_ARGUMENT);
    def.path = f->folder;
    assert_int_equal(pcs_result_create(f->ctx, f->simulation, &def, &writer), PCS_ERROR_IO);
    result_assert_message(f, "folder");
    snprintf(path, sizeof path, "%s/nowhere/run.h5", f->folder);
    def.path = path;
    assert_int_equal(pcs_result_create(f->ctx, f->simulation, &def, &writer), PCS_ERROR_IO);
    result_assert_message(f, "no such file or folder");
    def.path = f->path;
    def.flush_interval = NAN;
    assert_int_equal(pcs_result_create(f->ctx, f->simulation, &def, &writer), PCS_ERROR_ARGUMENT);
    assert_null(writer);
}

static pcs_status write_and_read(result_fixture *f, uint64_t failing_call)
{
    pcs_result_def def = pcs_result_default();
    pcs_result_writer *writer = NULL;
    pcs_result *result = NULL;
    const void *bytes = NULL;
    size_t size = 0;
    def.path = f->path;
    pcs_context_fail_heap_call(f->ctx, failing_call);
    pcs_status status = pcs_result_create(f->ctx, f->simulation, &def, &writer);
    if (status >= 0)
        status = pcs_result_append(writer, f->simulation);
    if (writer) {
        pcs_status closing = pcs_result_close(writer, f->simulation, true);
        status = status < 0 ? status : closing;
    }
    if (status >= 0)
        status = pcs_result_open(f->ctx, f->path, &result);
    if (status >= 0)
        status = pcs_result_checkpoint(result, &bytes, &size);
    pcs_result_destroy(result);
    pcs_context_fail_heap_call(f->ctx, 0);
    return status;
}

static void test_memory_failures(void **state)
{
    result_fixture *f = *state;
    uint64_t before = pcs_context_heap_bytes(f->ctx), call = 1;
    pcs_status status = PCS_ERROR_MEMORY;
    for (; call < 1000 && status < 0; call++) {
        status = write_and_read(f, call);
        assert_true(status == PCS_OK || status == PCS_ERROR_MEMORY);
        assert_int_equal(pcs_context_heap_bytes(f->ctx), before);
        assert_int_equal(H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_ALL), 0);
    }
    assert_true(call > 20 && call < 1000);
}

// The error handler of a program that uses HDF5 itself is left as it was.
static void test_error_handler_is_restored(void **state)
{
    result_fixture *f = *state;
    H5E_auto2_t before = NULL, after = NULL;
    void *user = NULL;
    pcs_result *result = NULL;
    H5Eget_auto2(H5E_DEFAULT, &before, &user);
    assert_true(pcs_result_open(f->ctx, "/nowhere/at/all.h5", &result) < 0);
    H5Eget_auto2(H5E_DEFAULT, &after, &user);
    assert_true(before == after);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, result_set_up, result_tear_down)
#define TEST_SPATIAL(name)                                                      \
    {                                                                           \
#name " (spatial)", name, result_set_up_spatial, result_tear_down, NULL \
    }

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_every_signal_reads_back),
        TEST_SPATIAL(test_every_signal_reads_back),
        TEST(test_views_are_stored),
        TEST_SPATIAL(test_views_are_stored),
        TEST(test_header_summary_and_checkpoint),
        TEST(test_unfinished_file_is_readable),
        TEST(test_abandon_keeps_the_old_result),
        TEST(test_two_writers_do_not_share_a_file),
        TEST(test_leftover_of_a_killed_run_makes_way),
        TEST(test_full_disk),
        TEST(test_impossible_targets_are_refused),
        TEST(test_memory_failures),
        TEST(test_error_handler_is_restored),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
