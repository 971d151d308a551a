// Result files that are none, or were damaged or cut off: a message, or the frames that are left;
// never a crash.
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/result_fixture.h"

enum { FRAMES_MAX = 300 };

static void assert_refused(result_fixture *f, const char *path, pcs_status expected,
                           const char *message)
{
    pcs_result *result = NULL;
    assert_int_equal(pcs_result_open(f->ctx, path, &result), expected);
    assert_null(result);
    result_assert_message(f, message);
    result_assert_message(f, path);
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
    result_fixture *f = *state;
    assert_refused(f, f->path, PCS_ERROR_IO, "no such file");
    assert_refused(f, f->folder, PCS_ERROR_IO, "cannot read");
    result_write_text(f->path, "title: a model\n");
    assert_refused(f, f->path, PCS_ERROR_INPUT, "not a result file");
    result_write_text(f->path, "");
    assert_refused(f, f->path, PCS_ERROR_INPUT, "not a result file");

    hid_t file = H5Fcreate(f->path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(file >= 0 && H5Fclose(file) >= 0);
    assert_refused(f, f->path, PCS_ERROR_INPUT, "not a Percuss result");

    set_format(f->path, 3);
    assert_refused(f, f->path, PCS_ERROR_INPUT, "newer Percuss");
    set_format(f->path, 1);
    assert_refused(f, f->path, PCS_ERROR_INPUT, "damaged");
}

// ---- Damaged files ----

// Reads all that the file offers.
static void read_damaged(result_fixture *f)
{
    static double values[FRAMES_MAX];
    char path[RESULT_PATH_MAX];
    pcs_result *result = NULL;
    if (pcs_result_open(f->ctx, f->path, &result) >= 0 && pcs_result_frames(result) <= FRAMES_MAX) {
        for (int32_t i = 0; pcs_result_signal_path(result, i, path, sizeof path); i++)
            (void)!pcs_result_signal(result, path, values);
    }
    pcs_result_destroy(result);
}

// Damaged and cut files may be noticed or not, but must never crash. In a process of its own that
// leaves without exit handlers, because HDF5 itself loses memory over damaged metadata; and not
// under valgrind, which would count that. The function returns whether all is well.
static void assert_in_child(result_fixture *f, bool (*function)(result_fixture *f))
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

static bool damage_and_read(result_fixture *f)
{
    uint32_t random = 2385;
    for (int round = 0; round < 200; round++) {
        random = random * 1664525u + 1013904223u;
        long place = (long)(random >> 8) % 20000; // the metadata come first
        result_change_byte(f->path, place, (int)(random & 0xff));
        read_damaged(f);
        result_change_byte(f->path, place, (int)(random & 0xff));
    }
    return true;
}

static void test_damaged_files_do_no_harm(void **state)
{
    result_fixture *f = *state;
    if (getenv("PERCUSS_UNDER_VALGRIND"))
        return;
    pcs_result_writer *writer = result_create(f, 1);
    result_step_and_append(f, writer, 9);
    assert_int_equal(pcs_result_close(writer, f->simulation, true), PCS_OK);
    assert_in_child(f, damage_and_read);
    assert_int_equal(result_open_and_count(f), 9);
}

// ---- Files that were cut off ----

enum { LONG_RUN = 1500 };

// What can be read of the cut file is the beginning of the whole one. Returns the frames, -1: none.
static int64_t read_cut(result_fixture *f, const double *whole)
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

static bool cut_and_read(result_fixture *f)
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
    result_fixture *f = *state;
    if (getenv("PERCUSS_UNDER_VALGRIND"))
        return;
    pcs_result_writer *writer = result_create(f, 1e9);
    result_step_and_append(f, writer, LONG_RUN);
    assert_int_equal(pcs_result_close(writer, f->simulation, true), PCS_OK);
    assert_in_child(f, cut_and_read);
}

// Datasets that declare what they do not hold cost nothing but the message.
static void test_declared_sizes_are_not_believed(void **state)
{
    result_fixture *f = *state;
    static const char *const frames[] = {"/time", "/energy/kinetic"};
    const hsize_t many = 300000000, huge = 8000000000;
    pcs_result_writer *writer = result_create(f, 1e9);
    result_step_and_append(f, writer, 3);
    assert_int_equal(pcs_result_close(writer, f->simulation, true), PCS_OK);
    hid_t file = H5Fopen(f->path, H5F_ACC_RDWR, H5P_DEFAULT);
    for (size_t i = 0; i < sizeof frames / sizeof *frames; ++i) {
        hid_t dataset = H5Dopen2(file, frames[i], H5P_DEFAULT);
        assert_true(dataset >= 0 && H5Dset_extent(dataset, &many) >= 0);
        H5Dclose(dataset);
    }
    assert_true(H5Fclose(file) >= 0);
    const uint64_t calls = pcs_context_heap_bytes(f->ctx);
    assert_refused(f, f->path, PCS_ERROR_INPUT, "declares more frames than it holds");
    assert_true(pcs_context_heap_bytes(f->ctx) == calls);

    writer = result_create(f, 1e9);
    result_step_and_append(f, writer, 3);
    assert_int_equal(pcs_result_close(writer, f->simulation, true), PCS_OK);
    file = H5Fopen(f->path, H5F_ACC_RDWR, H5P_DEFAULT);
    hid_t space = H5Screate_simple(1, &huge, NULL);
    assert_true(H5Ldelete(file, "/checkpoint", H5P_DEFAULT) >= 0);
    hid_t dataset = H5Dcreate2(file, "/checkpoint", H5T_STD_U8LE, space, H5P_DEFAULT, H5P_DEFAULT,
                               H5P_DEFAULT);
    assert_true(dataset >= 0);
    H5Dclose(dataset);
    H5Sclose(space);
    assert_true(H5Fclose(file) >= 0);
    pcs_result *result;
    const void *bytes;
    size_t size;
    assert_int_equal(pcs_result_open(f->ctx, f->path, &result), PCS_OK);
    assert_int_equal(pcs_result_checkpoint(result, &bytes, &size), PCS_ERROR_INPUT);
    result_assert_message(f, "the checkpoint is not there");
    pcs_result_destroy(result);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, result_set_up, result_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_bad_files_are_refused),
        TEST(test_declared_sizes_are_not_believed),
        TEST(test_cut_files_open_as_far_as_they_go),
        TEST(test_damaged_files_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
