// Result files, CSV and checkpoint files: every signal reads back bit by bit, an unfinished file is
// readable and never stands under the final name, and every failure gives a message and leaves
// nothing open.
#include <hdf5.h>
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "percuss/io.h"

// More than one batch and one chunk of the writer (256 frames).
enum { FRAMES = 300, PATH_MAX_HERE = 256 };

typedef struct fixture {
    char folder[64];
    char path[128], part[PATH_MAX_HERE];
    pcs_context *ctx;
    pcs_model *model;
    pcs_simulation *simulation;
} fixture;

// ---- A small mechanism: pendulum and ball above a floor ----

static void add_bodies(pcs_builder *builder, int dimension, pcs_body_id body[2])
{
    pcs_shape_def shape = pcs_shape_default();
    shape.kind = PCS_SHAPE_SPHERE;
    shape.size = (pcs_vec3){0.1385, 0, 0};
    pcs_body_def def = pcs_body_default();
    def.mass = 2.385;
    def.inertia = (pcs_mat3){{{0.0, 0, 0}, {0, 0.0, 0}, {0, 0, 0.0613}}};
    if (dimension == 3)
        def.inertia.m[0][0] = def.inertia.m[1][1] = 0.0541;
    def.name = "crank";
    def.position = (pcs_vec3){0.731, 2.0, 0};
    assert_int_equal(pcs_builder_add_body(builder, &def, &body[0]), PCS_OK);
    def.name = "ball";
    def.position = (pcs_vec3){3.17, 0.2713, 0};
    def.velocity = (pcs_vec3){0.431, 0, 0};
    def.angular_velocity = (pcs_vec3){0, 0, 1.37};
    def.shapes = &shape;
    def.n_shapes = 1;
    assert_int_equal(pcs_builder_add_body(builder, &def, &body[1]), PCS_OK);
}

static pcs_model *build(pcs_context *ctx, int dimension)
{
    pcs_builder *builder = NULL;
    pcs_model *model = NULL;
    pcs_body_id body[2];
    pcs_joint_id joint_id;
    assert_int_equal(pcs_builder_create(ctx, dimension, &builder), PCS_OK);
    assert_int_equal(pcs_builder_set_gravity(builder, (pcs_vec3){0, -9.81, 0}), PCS_OK);
    add_bodies(builder, dimension, body);

    pcs_joint_def joint = pcs_joint_default();
    joint.name = "hinge";
    joint.kind = PCS_JOINT_REVOLUTE;
    joint.a.position = (pcs_vec3){0, 2.0, 0};
    joint.b.body = body[0];
    joint.b.position = (pcs_vec3){-0.731, 0, 0};
    assert_int_equal(pcs_builder_add_joint(builder, &joint, &joint_id), PCS_OK);

    pcs_contact_def contact = pcs_contact_default();
    contact.name = "tip";
    contact.kind = PCS_CONTACT_SPHERE_PLANE;
    contact.b.body = body[1];
    contact.radius_b = 0.1385;
    contact.law = (pcs_law){.friction = 0.3, .restitution = 0.47};
    if (dimension == 3) // z of the plane's frame along y of the world
        contact.a.rotation = (pcs_quat){sqrt(0.5), -sqrt(0.5), 0, 0};
    assert_int_equal(pcs_builder_add_contact(builder, &contact), PCS_OK);

    assert_int_equal(pcs_builder_finish(builder, &model), PCS_OK);
    pcs_builder_destroy(builder);
    return model;
}

static pcs_simulation *simulate(pcs_context *ctx, const pcs_model *model)
{
    pcs_simulation_def def = pcs_simulation_default();
    pcs_simulation *simulation = NULL;
    def.step = 1e-3;
    def.end = 10;
    assert_int_equal(pcs_simulation_create(ctx, model, &def, &simulation), PCS_OK);
    assert_int_equal(pcs_simulation_start(simulation), PCS_OK);
    return simulation;
}

static int set_up_dimension(void **state, int dimension)
{
    fixture *f = calloc(1, sizeof *f);
    *state = f;
    snprintf(f->folder, sizeof f->folder, "/tmp/percuss-result-XXXXXX");
    if (!f || !mkdtemp(f->folder))
        return -1;
    snprintf(f->path, sizeof f->path, "%s/run.h5", f->folder);
    snprintf(f->part, sizeof f->part, "%s.part", f->path);
    f->ctx = pcs_context_create(NULL);
    f->model = build(f->ctx, dimension);
    f->simulation = simulate(f->ctx, f->model);
    return 0;
}

static int set_up(void **state)
{
    return set_up_dimension(state, 2);
}

static int set_up_spatial(void **state)
{
    return set_up_dimension(state, 3);
}

static int tear_down(void **state)
{
    fixture *f = *state;
    char command[128];
    pcs_simulation_destroy(f->simulation);
    pcs_model_destroy(f->model);
    assert_int_equal(pcs_context_heap_bytes(f->ctx), 0);
    pcs_context_destroy(f->ctx);
    // Every HDF5 identifier was closed.
    assert_int_equal(H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_ALL), 0);
    snprintf(command, sizeof command, "rm -r '%s'", f->folder);
    int status = system(command);
    free(f);
    return status;
}

static bool exists(const char *path)
{
    return access(path, F_OK) == 0;
}

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    assert_int_equal(fclose(file), 0);
}

static void assert_message(const fixture *f, const char *part)
{
    if (!strstr(pcs_context_error(f->ctx), part))
        fail_msg("'%s' lacks '%s'", pcs_context_error(f->ctx), part);
}

static void assert_same_bits(double a, double b)
{
    if (memcmp(&a, &b, sizeof a) != 0 && !(isnan(a) && isnan(b)))
        fail_msg("%.17g and %.17g differ", a, b);
}

static pcs_result_writer *create(fixture *f, double flush_interval)
{
    pcs_result_def def = pcs_result_default();
    pcs_result_writer *writer = NULL;
    def.path = f->path;
    def.title = "Pendel und Kugel, \xc3\xbc";
    def.model_text = "title: x\n";
    def.command = "percuss run x.yaml";
    def.flush_interval = flush_interval;
    if (pcs_result_create(f->ctx, f->simulation, &def, &writer) != PCS_OK)
        fail_msg("%s", pcs_context_error(f->ctx));
    return writer;
}

static void step_and_append(fixture *f, pcs_result_writer *writer, int frames)
{
    for (int i = 0; i < frames; i++) {
        assert_true(pcs_simulation_step(f->simulation) >= 0);
        assert_int_equal(pcs_result_append(writer, f->simulation), PCS_OK);
    }
}

static pcs_result *open_result(fixture *f, const char *path)
{
    pcs_result *result = NULL;
    if (pcs_result_open(f->ctx, path, &result) != PCS_OK)
        fail_msg("%s", pcs_context_error(f->ctx));
    return result;
}

static int64_t open_and_count(fixture *f)
{
    pcs_result *result = open_result(f, f->path);
    int64_t frames = pcs_result_frames(result);
    pcs_result_destroy(result);
    return frames;
}

// ---- Round trip ----

static int32_t count_signals(const pcs_model *model)
{
    char path[PATH_MAX_HERE];
    int32_t count = 0;
    while (pcs_model_signal_path(model, count, path, sizeof path))
        count++;
    return count;
}

static void test_every_signal_reads_back(void **state)
{
    fixture *f = *state;
    int32_t count = count_signals(f->model);
    double *expected = calloc((size_t)count * FRAMES, sizeof *expected);
    double found[FRAMES];
    char path[PATH_MAX_HERE];
    assert_true(count > 0);
    pcs_result_writer *writer = create(f, 1e9);
    for (int frame = 0; frame < FRAMES; frame++) {
        step_and_append(f, writer, 1);
        for (int32_t i = 0; i < count; i++) {
            pcs_signal signal;
            pcs_model_signal_path(f->model, i, path, sizeof path);
            assert_int_equal(pcs_model_find_signal(f->ctx, f->model, path, &signal), PCS_OK);
            expected[i * FRAMES + frame] = pcs_simulation_signal(f->simulation, signal);
        }
    }
    assert_int_equal(pcs_result_close(writer, f->simulation, true), PCS_OK);

    pcs_result *result = open_result(f, f->path);
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
    fixture *f = *state;
    pcs_body_view body;
    pcs_joint_view joint;
    pcs_contact_view contact;
    double value[1];
    pcs_result_writer *writer = create(f, 1e9);
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
    pcs_result *result = open_result(f, f->path);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        if (pcs_result_signal(result, expected[i].path, value) != PCS_OK)
            fail_msg("%s", pcs_context_error(f->ctx));
        assert_same_bits(value[0], expected[i].value);
    }
    assert_int_equal(pcs_result_signal(result, "body.bal.position.x", value), PCS_ERROR_INPUT);
    assert_message(f, "did you mean 'body.ball.position.x'?");
    pcs_result_destroy(result);
}

static void test_header_summary_and_checkpoint(void **state)
{
    fixture *f = *state;
    const void *bytes = NULL;
    size_t size = 0;
    pcs_result_writer *writer = create(f, 1e9);
    step_and_append(f, writer, 17);
    assert_int_equal(pcs_result_close(writer, f->simulation, false), PCS_OK);
    pcs_result *result = open_result(f, f->path);
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
    pcs_simulation *other = simulate(f->ctx, f->model);
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
    fixture *f = *state;
    const void *bytes = NULL;
    size_t size = 0;
    pcs_result_writer *writer = create(f, 0); // flush after every frame
    step_and_append(f, writer, 5);
    assert_false(exists(f->path));
    pcs_result *result = open_result(f, f->part);
    assert_int_equal(pcs_result_frames(result), 5);
    assert_false(pcs_result_is_complete(result));
    assert_int_equal(pcs_result_statistics(result)->steps, 0);
    assert_int_equal(pcs_result_checkpoint(result, &bytes, &size), PCS_ERROR_INPUT);
    assert_message(f, "no checkpoint");
    pcs_result_destroy(result);
    assert_int_equal(pcs_result_close(writer, f->simulation, true), PCS_OK);
    assert_true(exists(f->path));
    assert_false(exists(f->part));
}

static void test_abandon_keeps_the_old_result(void **state)
{
    fixture *f = *state;
    pcs_result_writer *writer = create(f, 1);
    step_and_append(f, writer, 3);
    assert_int_equal(pcs_result_close(writer, f->simulation, true), PCS_OK);
    writer = create(f, 0);
    step_and_append(f, writer, 7);
    pcs_result_abandon(writer);
    assert_false(exists(f->part));
    assert_int_equal(open_and_count(f), 3);
}

static void test_two_writers_do_not_share_a_file(void **state)
{
    fixture *f = *state;
    pcs_result_def def = pcs_result_default();
    pcs_result_writer *second = NULL;
    pcs_result_writer *writer = create(f, 0);
    step_and_append(f, writer, 4);
    def.path = f->path;
    assert_int_equal(pcs_result_create(f->ctx, f->simulation, &def, &second), PCS_ERROR_IO);
    assert_message(f, "another program");
    step_and_append(f, writer, 4);
    assert_int_equal(pcs_result_close(writer, f->simulation, true), PCS_OK);
    assert_int_equal(open_and_count(f), 8);
}

static void test_leftover_of_a_killed_run_makes_way(void **state)
{
    fixture *f = *state;
    write_text(f->part, "not HDF5 at all");
    pcs_result_writer *writer = create(f, 1);
    step_and_append(f, writer, 2);
    assert_int_equal(pcs_result_close(writer, f->simulation, true), PCS_OK);
}

static void test_full_disk(void **state)
{
    fixture *f = *state;
    struct rlimit old, small;
    pcs_status status = PCS_OK;
    write_text(f->path, "an older result");
    pcs_result_writer *writer = create(f, 0);
    step_and_append(f, writer, 2);

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
    pcs_result *result = open_result(f, f->part);
    pcs_result_destroy(result);
}

// ---- Bad files ----

static void change_byte(const char *path, long place, int change)
{
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    assert_int_equal(fseek(file, place, SEEK_SET), 0);
    int old = getc(file);
    assert_int_equal(fseek(file, place, SEEK_SET), 0);
    putc(old ^ change, file);
    fclose(file);
}

static void assert_refused(fixture *f, const char *path, pcs_status expected, const char *message)
{
    pcs_result *result = NULL;
    assert_int_equal(pcs_result_open(f->ctx, path, &result), expected);
    assert_null(result);
    assert_message(f, message);
    assert_message(f, path);
}

static void set_format(const char *path, int64_t format)
{
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    hid_t space = H5Screate(H5S_SCALAR);
    if (H5Aexists(file, "percuss_format") > 0)
        H5Adelete(file, "percuss_format");
    hid_t attribute = H5Acreate2(file, "percuss_format", H5T_STD_I64LE, space, H5P_DEFAULT,
                                 H5P_DEFAULT);
    assert_true(attribute >= 0 && H5Awrite(attribute, H5T_NATIVE_INT64, &format) >= 0);
    H5Aclose(attribute);
    H5Sclose(space);
    assert_true(H5Fclose(file) >= 0);
}

static void test_bad_files_are_refused(void **state)
{
    fixture *f = *state;
    assert_refused(f, f->path, PCS_ERROR_IO, "no such file");
    assert_refused(f, f->folder, PCS_ERROR_IO, "cannot read");
    write_text(f->path, "title: a model\n");
    assert_refused(f, f->path, PCS_ERROR_INPUT, "not a result file");
    write_text(f->path, "");
    assert_refused(f, f->path, PCS_ERROR_INPUT, "not a result file");

    hid_t file = H5Fcreate(f->path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(file >= 0 && H5Fclose(file) >= 0);
    assert_refused(f, f->path, PCS_ERROR_INPUT, "not a Percuss result");

    set_format(f->path, 2);
    assert_refused(f, f->path, PCS_ERROR_INPUT, "newer Percuss");
    set_format(f->path, 1);
    assert_refused(f, f->path, PCS_ERROR_INPUT, "damaged");
}

// Reads all that the file offers.
static void read_damaged(fixture *f)
{
    static double values[FRAMES];
    char path[PATH_MAX_HERE];
    pcs_result *result = NULL;
    if (pcs_result_open(f->ctx, f->path, &result) >= 0 && pcs_result_frames(result) <= FRAMES) {
        for (int32_t i = 0; pcs_result_signal_path(result, i, path, sizeof path); i++)
            (void)!pcs_result_signal(result, path, values);
    }
    pcs_result_destroy(result);
}

// Damaged and cut files may be noticed or not, but must never crash. In a process of its own that
// leaves without exit handlers, because HDF5 itself loses memory over damaged metadata; and not under
// valgrind, which would count that. The function returns whether all is well.
static void assert_in_child(fixture *f, bool (*function)(fixture *f))
{
    int status = 0;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        uint64_t before = pcs_context_heap_bytes(f->ctx);
        bool ok = function(f);
        _exit(ok && pcs_context_heap_bytes(f->ctx) == before ? 0 : 1);
    }
    assert_true(waitpid(child, &status, 0) == child);
    assert_int_equal(status, 0);
}

static bool damage_and_read(fixture *f)
{
    uint32_t random = 2385;
    for (int round = 0; round < 200; round++) {
        random = random * 1664525u + 1013904223u;
        long place = (long)(random >> 8) % 20000; // the metadata come first
        change_byte(f->path, place, (int)(random & 0xff));
        read_damaged(f);
        change_byte(f->path, place, (int)(random & 0xff));
    }
    return true;
}

static void test_damaged_files_do_no_harm(void **state)
{
    fixture *f = *state;
    if (getenv("PERCUSS_UNDER_VALGRIND"))
        return;
    pcs_result_writer *writer = create(f, 1);
    step_and_append(f, writer, 9);
    assert_int_equal(pcs_result_close(writer, f->simulation, true), PCS_OK);
    assert_in_child(f, damage_and_read);
    assert_int_equal(open_and_count(f), 9);
}

// ---- Files that were cut off ----

enum { LONG_RUN = 1500 };

// What can be read of the cut file is the beginning of the whole one. Returns the frames, -1: none.
static int64_t read_cut(fixture *f, const double *whole)
{
    static double values[LONG_RUN];
    pcs_result *result = NULL;
    if (pcs_result_open(f->ctx, f->path, &result) < 0)
        return strstr(pcs_context_error(f->ctx), f->path) ? -1 : -2;
    int64_t frames = pcs_result_frames(result);
    bool ok = frames > 0 && frames <= LONG_RUN && !pcs_result_is_complete(result) &&
              strstr(pcs_result_warning(result), "cut off") &&
              pcs_result_signal(result, "body.ball.position.y", values) >= 0 &&
              memcmp(values, whole, (size_t)frames * sizeof *values) == 0;
    pcs_event event;
    for (int64_t i = 0; ok && i < pcs_result_event_count(result); i++)
        ok = pcs_result_events(result, i, 1, &event) >= 0 && pcs_event_kind_name(event.kind);
    pcs_result_destroy(result);
    return ok ? frames : -2;
}

static bool cut_and_read(fixture *f)
{
    static double whole[LONG_RUN];
    struct stat info;
    pcs_result *result = NULL;
    if (stat(f->path, &info) != 0 || pcs_result_open(f->ctx, f->path, &result) < 0 ||
        pcs_result_signal(result, "body.ball.position.y", whole) < 0)
        return false;
    pcs_result_destroy(result);
    int64_t last = LONG_RUN, readable = 0;
    const off_t piece = info.st_size / 97;
    for (off_t size = info.st_size - 1; size > 0; size -= size > 3 * piece ? piece : 911) {
        if (truncate(f->path, size) != 0)
            return false;
        int64_t frames = read_cut(f, whole);
        if (frames == -2 || frames > last) // a shorter file has no more frames
            return false;
        last = frames;
        readable += frames > 0;
    }
    return readable > 70; // of 97: the header and the first batch take the rest
}

static void test_cut_files_open_as_far_as_they_go(void **state)
{
    fixture *f = *state;
    if (getenv("PERCUSS_UNDER_VALGRIND"))
        return;
    pcs_result_writer *writer = create(f, 1e9);
    step_and_append(f, writer, LONG_RUN);
    assert_int_equal(pcs_result_close(writer, f->simulation, true), PCS_OK);
    assert_in_child(f, cut_and_read);
}

static void test_impossible_targets_are_refused(void **state)
{
    fixture *f = *state;
    char path[PATH_MAX_HERE];
    pcs_result_def def = pcs_result_default();
    pcs_result_writer *writer = NULL;
    assert_int_equal(pcs_result_create(f->ctx, f->simulation, &def, &writer), PCS_ERROR_ARGUMENT);
    def.path = f->folder;
    assert_int_equal(pcs_result_create(f->ctx, f->simulation, &def, &writer), PCS_ERROR_IO);
    assert_message(f, "folder");
    snprintf(path, sizeof path, "%s/nowhere/run.h5", f->folder);
    def.path = path;
    assert_int_equal(pcs_result_create(f->ctx, f->simulation, &def, &writer), PCS_ERROR_IO);
    assert_message(f, "no such file or folder");
    def.path = f->path;
    def.flush_interval = NAN;
    assert_int_equal(pcs_result_create(f->ctx, f->simulation, &def, &writer), PCS_ERROR_ARGUMENT);
    assert_null(writer);
}

// ---- Memory failures ----

static pcs_status write_and_read(fixture *f, uint64_t failing_call)
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
    fixture *f = *state;
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
    fixture *f = *state;
    H5E_auto2_t before = NULL, after = NULL;
    void *user = NULL;
    pcs_result *result = NULL;
    H5Eget_auto2(H5E_DEFAULT, &before, &user);
    assert_true(pcs_result_open(f->ctx, "/nowhere/at/all.h5", &result) < 0);
    H5Eget_auto2(H5E_DEFAULT, &after, &user);
    assert_true(before == after);
}

// ---- CSV ----

static void read_line(FILE *file, char *line, size_t size)
{
    assert_non_null(fgets(line, (int)size, file));
    line[strcspn(line, "\n")] = '\0';
}

static void test_csv(void **state)
{
    fixture *f = *state;
    const char *signals[] = {"body.ball.position.x", "energy.kinetic"};
    char line[512], part[PATH_MAX_HERE + 8];
    double expected[20][3];
    pcs_csv_writer *writer = NULL;
    // A comma as decimal mark, where the system has such a locale, must not reach the file.
    char old_locale[64];
    snprintf(old_locale, sizeof old_locale, "%s", setlocale(LC_NUMERIC, NULL));
    (void)!setlocale(LC_NUMERIC, "de_DE.UTF-8");
    assert_int_equal(pcs_csv_create(f->ctx, f->model, f->path, signals, 2, &writer), PCS_OK);
    for (int i = 0; i < 20; i++) {
        pcs_body_view view;
        assert_true(pcs_simulation_step(f->simulation) >= 0);
        assert_int_equal(pcs_csv_append(writer, f->simulation), PCS_OK);
        pcs_simulation_body(f->simulation, 1, &view);
        expected[i][0] = pcs_simulation_time(f->simulation);
        expected[i][1] = view.position.x;
        expected[i][2] = pcs_simulation_statistics(f->simulation)->energy.kinetic;
    }
    assert_false(exists(f->path));
    assert_int_equal(pcs_csv_close(writer), PCS_OK);
    setlocale(LC_NUMERIC, old_locale);
    snprintf(part, sizeof part, "%s.part", f->path);
    assert_false(exists(part));

    FILE *file = fopen(f->path, "r");
    assert_non_null(file);
    read_line(file, line, sizeof line);
    assert_string_equal(line, "time,body.ball.position.x,energy.kinetic");
    for (int i = 0; i < 20; i++) {
        read_line(file, line, sizeof line);
        char *rest = line;
        for (int k = 0; k < 3; k++) {
            assert_same_bits(strtod(rest, &rest), expected[i][k]);
            assert_int_equal(*rest, k < 2 ? ',' : '\0');
            rest++;
        }
    }
    assert_null(fgets(line, sizeof line, file));
    fclose(file);
}

static void test_csv_mistakes(void **state)
{
    fixture *f = *state;
    const char *signals[] = {"time", "body.nobody.position.x"};
    char path[PATH_MAX_HERE];
    pcs_csv_writer *writer = NULL;
    assert_true(pcs_csv_create(f->ctx, f->model, f->path, signals, 2, &writer) < 0);
    assert_false(exists(f->path));
    assert_false(exists(f->part));
    snprintf(path, sizeof path, "%s/nowhere/a.csv", f->folder);
    assert_int_equal(pcs_csv_create(f->ctx, f->model, path, signals, 1, &writer), PCS_ERROR_IO);
    assert_message(f, "no such file or folder");
    if (access("/dev/full", W_OK) == 0) {
        assert_int_equal(pcs_csv_create(f->ctx, f->model, "/dev/full", signals, 1, &writer),
                         PCS_OK);
        assert_int_equal(pcs_csv_append(writer, f->simulation), PCS_OK); // buffered
        assert_int_equal(pcs_csv_close(writer), PCS_ERROR_IO);
        assert_message(f, "disk is full");
    }
}

// ---- Checkpoint files ----

static void test_checkpoint_file(void **state)
{
    fixture *f = *state;
    for (int i = 0; i < 120; i++)
        assert_true(pcs_simulation_step(f->simulation) >= 0);
    assert_int_equal(pcs_checkpoint_write(f->ctx, f->simulation, f->path), PCS_OK);
    assert_false(exists(f->part));
    pcs_simulation *other = simulate(f->ctx, f->model);
    if (pcs_checkpoint_read(f->ctx, other, f->path) != PCS_OK)
        fail_msg("%s", pcs_context_error(f->ctx));
    for (int i = 0; i < 200; i++) {
        assert_true(pcs_simulation_step(f->simulation) >= 0);
        assert_true(pcs_simulation_step(other) >= 0);
    }
    pcs_body_view a, b;
    for (int32_t body = 0; body < 2; body++) {
        pcs_simulation_body(f->simulation, body, &a);
        pcs_simulation_body(other, body, &b);
        assert_same_bits(a.position.x, b.position.x);
        assert_same_bits(a.position.y, b.position.y);
        assert_same_bits(a.velocity.y, b.velocity.y);
        assert_same_bits(a.angular_velocity.z, b.angular_velocity.z);
    }
    assert_same_bits(pcs_simulation_time(f->simulation), pcs_simulation_time(other));
    pcs_simulation_destroy(other);
}

static void assert_checkpoint_refused(fixture *f, pcs_status status, const char *message)
{
    assert_int_equal(pcs_checkpoint_read(f->ctx, f->simulation, f->path), status);
    assert_message(f, message);
}

static void test_bad_checkpoints_are_refused(void **state)
{
    fixture *f = *state;
    struct stat info;
    assert_checkpoint_refused(f, PCS_ERROR_IO, "no such file");
    write_text(f->path, "title: a model, and no checkpoint at all\n");
    assert_checkpoint_refused(f, PCS_ERROR_INPUT, "not a checkpoint");
    write_text(f->path, "PCSCHECK");
    assert_checkpoint_refused(f, PCS_ERROR_INPUT, "cut off");
    assert_int_equal(pcs_checkpoint_write(f->ctx, f->simulation, f->path), PCS_OK);
    assert_int_equal(stat(f->path, &info), 0);
    change_byte(f->path, (long)info.st_size - 3, 0x40);
    assert_checkpoint_refused(f, PCS_ERROR_INPUT, "checksum");
    change_byte(f->path, (long)info.st_size - 3, 0x40);
    change_byte(f->path, 8, 0x02);
    assert_checkpoint_refused(f, PCS_ERROR_INPUT, "version");
    change_byte(f->path, 8, 0x02);
    change_byte(f->path, 12, 0x7f);
    assert_checkpoint_refused(f, PCS_ERROR_INPUT, "byte order");
    change_byte(f->path, 12, 0x7f);
    assert_int_equal(truncate(f->path, info.st_size - 1), 0);
    assert_checkpoint_refused(f, PCS_ERROR_INPUT, "bytes of state");
    assert_int_equal(pcs_checkpoint_write(f->ctx, f->simulation, f->path), PCS_OK);
    assert_int_equal(pcs_checkpoint_read(f->ctx, f->simulation, f->path), PCS_OK);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
#define TEST_SPATIAL(name)                                        \
    {                                                             \
#name " (spatial)", name, set_up_spatial, tear_down, NULL \
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
        TEST(test_bad_files_are_refused),
        TEST(test_cut_files_open_as_far_as_they_go),
        TEST(test_damaged_files_do_no_harm),
        TEST(test_impossible_targets_are_refused),
        TEST(test_memory_failures),
        TEST(test_error_handler_is_restored),
        TEST(test_csv),
        TEST(test_csv_mistakes),
        TEST(test_checkpoint_file),
        TEST(test_bad_checkpoints_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
