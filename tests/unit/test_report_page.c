// The report page: data that are valid JSON for every model, within their budget, and a file that
// is whole or not there.
#include <hdf5.h>
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
#include <unistd.h>

#include <cmocka.h>

#include "io/report_data.h"
#include "io/report_page.h"
#include "support/json_check.h"
#include "support/scenes.h"

static char folder[64], path[96], page[96];
static const pcs_vec3 none = {0, 0, 0};

static int set_up(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/percuss-page-XXXXXX");
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof path, "%s/run.h5", folder);
    snprintf(page, sizeof page, "%s/run.html", folder);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    unlink(path);
    unlink(page);
    return rmdir(folder) != 0 || H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_ALL) != 0;
}

// Runs to the end with a frame of every step and opens the result.
static pcs_result *run(scene *s, const char *title, bool complete)
{
    pcs_result_def def = pcs_result_default();
    pcs_result_writer *writer = NULL;
    pcs_result *result = NULL;
    def.path = path;
    def.title = title;
    def.model_text = "title: </script>\n";
    scene_require(s, pcs_simulation_start(s->simulation));
    scene_require(s, pcs_result_create(s->ctx, s->simulation, &def, &writer));
    scene_require(s, pcs_result_append(writer, s->simulation));
    while (!pcs_simulation_finished(s->simulation)) {
        scene_require(s, scene_step(s));
        scene_require(s, pcs_result_append(writer, s->simulation));
    }
    scene_require(s, pcs_result_close(writer, s->simulation, complete));
    scene_require(s, pcs_result_open(s->ctx, path, &result));
    return result;
}

// The data of a run as text, which is JSON.
static char *write_data(pcs_result *result, pcs_context *ctx, pcs_report_budget budget)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    pcs_report report = {.ctx = ctx, .result = result, .budget = budget};
    pcs_json_init(&report.json, stream);
    pcs_status status = pcs_report_put_run(&report, "some/folder/run.h5");
    pcs_report_free(&report);
    fclose(stream);
    if (status < 0)
        fail_msg("%s", pcs_context_error(ctx));
    const char *mistake = json_find_mistake(text, size);
    if (mistake)
        fail_msg("not JSON: %.80s", mistake);
    assert_null(strchr(text, '<'));
    return text;
}

static void expect(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("no '%s'", part);
}

static void expect_not(const char *text, const char *part)
{
    if (strstr(text, part))
        fail_msg("'%s' is there", part);
}

// A box that falls on the floor: contacts, impacts, planar and spatial.
static void build_box(scene *s, int dimension)
{
    const pcs_vec3 up = dimension == 3 ? (pcs_vec3){0, 0, 0.3} : (pcs_vec3){0, 0.3, 0};
    const pcs_vec3 size = {0.2, 0.31, dimension == 3 ? 0.17 : 1};
    scene_begin(s, dimension, dimension == 3 ? (pcs_vec3){0, 0, -9.81} : (pcs_vec3){0, -9.81, 0});
    pcs_body_id box = scene_box(s, "box", 1.3, size, up, none, (pcs_vec3){0.4, 0, 0});
    scene_box_on_plane(s, "floor", box, size, none, none,
                       (pcs_law){.friction = 0.3, .restitution = 0.4});
}

// ---- Content ----

static void test_planar_and_spatial_runs(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++) {
        scene s;
        build_box(&s, dimension);
        scene_finish(&s, 1e-3, 0.6);
        pcs_result *result = run(&s, "A </script> & \"B\" \xc3\xbc", true);
        char *text = write_data(result, s.ctx, pcs_report_budget_of(1));
        expect(text, "\"title\":\"A \\u003c/script\\u003e \\u0026 \\\"B\\\" \xc3\xbc\"");
        expect(text, "\"file\":\"run.h5\"");
        expect(text, dimension == 2 ? "\"dimension\":2" : "\"dimension\":3");
        expect(text, "\"complete\":true");
        expect(text, "\"level\":\"good\"");
        expect(text, "\"frames\":{\"stored\":601,\"drawn\":601,\"points\":601}");
        expect(text, "\"position\":{\"type\":\"f32\",\"shape\":[601,1,3]");
        expect(text, "\"rotation\":{\"type\":\"f32\",\"shape\":[601,1,4]");
        expect(text, "\"kinds\":[\"impact\",\"close\",\"open\",\"stick\",\"slip\"");
        expect(text, "\"path\":\"contact.floor.0.force.n\",\"group\":\"Contacts\",\"label\":"
                     "\"floor.0 force n\",\"unit\":\"N\",\"contact\":");
        expect(text, "\"warnings\":[]");
        free(text);
        pcs_result_destroy(result);
        scene_end(&s);
    }
}

// Only contacts that are closed in a drawn frame are in the page.
static void test_contacts_that_never_close_are_left_out(void **state)
{
    (void)state;
    scene s;
    scene_bouncing_ball(&s, 9.81, 1.3, 1, 0, 0.5);
    pcs_contact_def far = scene_contact_def("far", PCS_CONTACT_POINT_PLANE,
                                            scene_frame(PCS_GROUND, (pcs_vec3){0, -9, 0}, none), 0,
                                            (pcs_law){.friction = 0.1});
    scene_contact(&s, &far);
    scene_finish(&s, 1e-3, 3);
    pcs_result *result = run(&s, "", true);
    assert_int_equal(pcs_result_contact_count(result), 2);
    char *text = write_data(result, s.ctx, pcs_report_budget_of(1));
    expect(text, "\"state\":{\"type\":\"u8\",\"shape\":[3001,1]");
    expect(text, "\"path\":\"contact.far.gap\",\"group\":\"Contacts\",\"label\":\"far gap\","
                 "\"unit\":\"m\",\"contact\":-1");
    expect(text, "\"title\":\"run.h5\""); // for want of another
    free(text);
    pcs_result_destroy(result);
    scene_end(&s);
}

static void test_free_body_without_contacts_and_joints(void **state)
{
    (void)state;
    scene s;
    scene_begin(&s, 3, none);
    scene_point(&s, "p", 1, none, (pcs_vec3){1, 0, 0});
    scene_finish(&s, 1e-3, 1e-3);
    pcs_result *result = run(&s, "point", false);
    char *text = write_data(result, s.ctx, pcs_report_budget_of(1));
    expect(text, "\"contacts\":{\"names\":[],\"state\":{\"type\":\"u8\",\"shape\":[2,0],"
                 "\"data\":\"\"}");
    expect(text, "\"drawings\":[]");
    expect(text, "\"complete\":false");
    expect(text, "did not reach its end");
    expect_not(text, "joint drift");
    expect_not(text, "\"label\":\"penetration\"");
    free(text);
    pcs_result_destroy(result);
    scene_end(&s);
}

static void test_no_bodies_at_all(void **state)
{
    (void)state;
    scene s;
    scene_begin(&s, 2, none);
    pcs_model *model = NULL;
    if (pcs_builder_finish(s.builder, &model) < 0) { // then no result can be without
        pcs_builder_destroy(s.builder);
        pcs_context_destroy(s.ctx);
        return;
    }
    s.model = model;
    scene_restart(&s, 1e-3, 3e-3);
    pcs_result *result = run(&s, "nothing", true);
    char *text = write_data(result, s.ctx, pcs_report_budget_of(1));
    expect(text, "\"bodies\":{\"names\":[],\"position\":{\"type\":\"f32\",\"shape\":[4,0,3],"
                 "\"data\":\"\"}");
    free(text);
    pcs_result_destroy(result);
    scene_end(&s);
}

// What a foreign or damaged file may hold.
static void test_odd_names_and_numbers(void **state)
{
    (void)state;
    scene s;
    scene_begin(&s, 2, none);
    scene_point(&s, "abcdefghijk", 1, none, (pcs_vec3){1, 0, 0});
    scene_finish(&s, 1e-3, 5e-3);
    pcs_result_destroy(run(&s, "odd", true));
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    hid_t names = H5Dopen2(file, "/body/names", H5P_DEFAULT), type = H5Dget_type(names);
    char text[16] = "<&\">\xc3\xbc\xff\\";
    assert_true(H5Dwrite(names, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) >= 0);
    hid_t numbers = H5Dopen2(file, "/body/position", H5P_DEFAULT);
    double bad[6][3] = {{NAN, INFINITY, -INFINITY}, {1e300, 0, 0}, {NAN, NAN, NAN}};
    assert_true(H5Dwrite(numbers, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, bad) >= 0);
    hid_t energy = H5Dopen2(file, "/energy/kinetic", H5P_DEFAULT);
    assert_true(H5Dwrite(energy, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, bad) >= 0);
    H5Dclose(energy);
    H5Dclose(numbers);
    H5Tclose(type);
    H5Dclose(names);
    assert_true(H5Fclose(file) >= 0);
    pcs_result *result = NULL;
    scene_require(&s, pcs_result_open(s.ctx, path, &result));
    char *data = write_data(result, s.ctx, pcs_report_budget_of(1));
    expect(data, "\"names\":[\"\\u003c\\u0026\\\"\\u003e\xc3\xbc\\ufffd\\\\\"]");
    free(data);
    pcs_result_destroy(result);
    scene_end(&s);
}

// A run that was killed has no summary: the frames and events speak.
static void test_killed_run(void **state)
{
    (void)state;
    scene s;
    scene_bouncing_ball(&s, 9.81, 1.3, 1, 0, 0.5);
    scene_finish(&s, 1e-3, 1);
    pcs_result_destroy(run(&s, "killed", false));
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    assert_true(H5Ldelete(file, "/summary", H5P_DEFAULT) >= 0);
    assert_true(H5Fclose(file) >= 0);
    pcs_result *result = NULL;
    scene_require(&s, pcs_result_open(s.ctx, path, &result));
    assert_false(pcs_result_has_summary(result));
    char *text = write_data(result, s.ctx, pcs_report_budget_of(1));
    expect(text, "no summary");
    expect(text, "\"label\":\"impacts\",\"value\":");
    expect_not(text, "\"label\":\"impacts\",\"value\":0");
    expect_not(text, "\"label\":\"momentum balance\"");
    expect_not(text, "\"label\":\"steps\"");
    free(text);
    pcs_result_destroy(result);
    scene_end(&s);
}

// ---- Budget ----

static void test_budget(void **state)
{
    (void)state;
    scene s;
    build_box(&s, 3);
    scene_finish(&s, 1e-3, 1.5);
    pcs_result *result = run(&s, "small", true);
    pcs_report_budget budget = {.frame_bytes = 20000,
                                .frames = 100,
                                .signal_bytes = 100 * 40 * 4,
                                .points_most = 400,
                                .points_least = 100,
                                .events = 6};
    char *text = write_data(result, s.ctx, budget);
    expect(text, "\"points\":100}");
    expect(text, "The animation shows");
    expect(text, "thinned to 100 points");
    expect(text, "signals of the group Bodies are left out"); // first to go
    expect(text, "percuss plot");
    expect(text, "\"path\":\"energy.numerical\"");
    expect_not(text, "signals of the group Energy are left out");
    expect(text, "events are shown");
    long drawn = strtol(strstr(text, "\"drawn\":") + 8, NULL, 10);
    assert_true(drawn > 20 && drawn <= 100);
    free(text);

    // Whatever the limits are: never more drawn frames, and the last one is there.
    for (int64_t most = 3; most < 60; most += 7) {
        budget.frames = most;
        text = write_data(result, s.ctx, budget);
        drawn = strtol(strstr(text, "\"drawn\":") + 8, NULL, 10);
        assert_true(drawn >= 2 && drawn <= most);
        free(text);
    }
    pcs_result_destroy(result);
    scene_end(&s);
}

static void test_memory_failures(void **state)
{
    (void)state;
    scene s;
    build_box(&s, 2);
    scene_finish(&s, 1e-3, 0.3);
    pcs_result *result = run(&s, "memory", true);
    const uint64_t before = pcs_context_heap_bytes(s.ctx);
    const pcs_report_budget budget = {20000, 100, 20000, 400, 100, 3};
    pcs_status status = PCS_ERROR_MEMORY;
    uint64_t call = 1;
    for (; call < 1000 && status < 0; call++) {
        FILE *stream = fopen("/dev/null", "w");
        pcs_report report = {.ctx = s.ctx, .result = result, .budget = budget};
        pcs_json_init(&report.json, stream);
        pcs_context_fail_heap_call(s.ctx, call);
        status = pcs_report_put_run(&report, "run.h5");
        pcs_context_fail_heap_call(s.ctx, 0);
        pcs_report_free(&report);
        fclose(stream);
        assert_true(status == PCS_OK || status == PCS_ERROR_MEMORY);
        assert_int_equal(pcs_context_heap_bytes(s.ctx), before);
    }
    assert_true(call > 20 && call < 1000);
    pcs_result_destroy(result);
    scene_end(&s);
}

// ---- The file ----

static void test_place_of_the_data(void **state)
{
    (void)state;
#define MARK "{\"percuss\":\"no data\"}"
    const struct {
        const char *text;
        long place; // -1: none
    } pages[] = {
        {"<script>" MARK "</script>", 8},
        {"<script>x='" MARK "'</script><script> " MARK "\n</script>", 51},
        {"<script>x='" MARK "'</script>", -1},
        {MARK, -1},
        {"", -1},
        {"<script>{\"percuss\":\"no dat", -1},
    };
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++) {
        const unsigned char *text = (const unsigned char *)pages[i].text;
        const unsigned char *found = pcs_report_find_mark(text, strlen(pages[i].text));
        assert_int_equal(found ? (long)(found - text) : -1L, pages[i].place);
    }
}

static pcs_status write_page(scene *s, pcs_result *result, const char *target)
{
    const char *name = "run.h5";
    return pcs_report_write(s->ctx, &result, &name, 1, target);
}

static void assert_message(const scene *s, const char *part)
{
    if (!strstr(pcs_context_error(s->ctx), part))
        fail_msg("'%s' lacks '%s'", pcs_context_error(s->ctx), part);
}

static void test_page_is_whole_or_not_there(void **state)
{
    (void)state;
    scene s;
    build_box(&s, 2);
    scene_finish(&s, 1e-3, 0.3);
    pcs_result *result = run(&s, "page", true);
    char other[128], part[128];
    if (!pcs_report_is_available()) {
        assert_int_equal(write_page(&s, result, page), PCS_ERROR_ARGUMENT);
        assert_message(&s, "install nodejs and npm");
        assert_true(access(page, F_OK) != 0);
    } else {
        snprintf(part, sizeof part, "%s.part", page);
        assert_int_equal(write_page(&s, result, page), PCS_OK);
        assert_true(access(page, F_OK) == 0 && access(part, F_OK) != 0);
        snprintf(other, sizeof other, "%s/nowhere/page.html", folder);
        assert_int_equal(write_page(&s, result, other), PCS_ERROR_IO);
        assert_message(&s, "no such file or folder");
        assert_int_equal(write_page(&s, result, folder), PCS_ERROR_IO);
        assert_message(&s, "folder");
        assert_int_equal(write_page(&s, result, ""), PCS_ERROR_ARGUMENT);

        // A file size limit stands for the full disk; the page of before stays.
        struct rlimit old, small;
        assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
        small = old;
        small.rlim_cur = 3000;
        void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
        pcs_status status = write_page(&s, result, page);
        setrlimit(RLIMIT_FSIZE, &old);
        signal(SIGXFSZ, handler);
        assert_int_equal(status, PCS_ERROR_IO);
        assert_message(&s, "largest size allowed");
        assert_true(access(page, F_OK) == 0 && access(part, F_OK) != 0);
    }
    pcs_result_destroy(result);
    scene_end(&s);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_planar_and_spatial_runs),
        TEST(test_contacts_that_never_close_are_left_out),
        TEST(test_free_body_without_contacts_and_joints),
        TEST(test_no_bodies_at_all),
        TEST(test_odd_names_and_numbers),
        TEST(test_killed_run),
        TEST(test_budget),
        TEST(test_memory_failures),
        TEST(test_place_of_the_data),
        TEST(test_page_is_whole_or_not_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
