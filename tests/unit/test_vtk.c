// ParaView files of a result whose model was built by calls: there is no model text, the table of
// shapes serves. What VTK reads of them is checked by cli.export.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "io/vtk_xml.h"
#include "percuss/io.h"

enum { FRAMES = 6 };

typedef struct fixture {
    char folder[64], path[100], out[100];
    pcs_context *ctx;
    pcs_result *result;
} fixture;

static void add_body(pcs_builder *builder, const char *name, pcs_shape_kind kind, double x)
{
    pcs_shape_def shape = pcs_shape_default();
    pcs_body_def body = pcs_body_default();
    pcs_body_id id;
    shape.kind = kind;
    shape.size = (pcs_vec3){0.1385, 0.2, 0.31};
    shape.position = (pcs_vec3){0.05, 0, -0.02};
    body.name = name;
    body.mass = 2.385;
    body.inertia = (pcs_mat3){{{0.0541, 0, 0}, {0, 0.0613, 0}, {0, 0, 0.0577}}};
    body.position = (pcs_vec3){x, 0, 0.4};
    body.angular_velocity = (pcs_vec3){0.3, 1.7, -0.2};
    body.shapes = &shape;
    body.n_shapes = 1;
    assert_int_equal(pcs_builder_add_body(builder, &body, &id), PCS_OK);
}

static pcs_model *build(pcs_context *ctx)
{
    static const char *const names[] = {"a", "b", "c", "d", "e"};
    pcs_builder *builder = NULL;
    pcs_model *model = NULL;
    pcs_contact_def contact = pcs_contact_default();
    assert_int_equal(pcs_builder_create(ctx, 3, &builder), PCS_OK);
    assert_int_equal(pcs_builder_set_gravity(builder, (pcs_vec3){0, 0, -9.81}), PCS_OK);
    for (int k = 0; pcs_shape_kind_name((pcs_shape_kind)k); k++)
        add_body(builder, names[k], (pcs_shape_kind)k, 0.7 * k);
    contact.name = "tip";
    contact.kind = PCS_CONTACT_SPHERE_PLANE;
    contact.b.body = 0;
    contact.radius_b = 0.1385;
    assert_int_equal(pcs_builder_add_contact(builder, &contact), PCS_OK);
    assert_int_equal(pcs_builder_finish(builder, &model), PCS_OK);
    pcs_builder_destroy(builder);
    return model;
}

static int set_up(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    assert_non_null(f);
    strcpy(f->folder, "/tmp/percuss_vtk_XXXXXX");
    assert_non_null(mkdtemp(f->folder));
    snprintf(f->path, sizeof f->path, "%s/run.h5", f->folder);
    snprintf(f->out, sizeof f->out, "%s/out", f->folder);
    f->ctx = pcs_context_create(NULL);
    pcs_model *model = build(f->ctx);
    pcs_simulation *simulation = NULL;
    pcs_result_writer *writer = NULL;
    pcs_simulation_def def = pcs_simulation_default();
    pcs_result_def result = pcs_result_default();
    def.step = 0.01;
    def.end = 0.05;
    result.path = f->path;
    assert_int_equal(pcs_simulation_create(f->ctx, model, &def, &simulation), PCS_OK);
    assert_int_equal(pcs_result_create(f->ctx, simulation, &result, &writer), PCS_OK);
    assert_int_equal(pcs_result_append(writer, simulation), PCS_OK);
    while (!pcs_simulation_finished(simulation)) {
        assert_true(pcs_simulation_step(simulation) >= 0);
        assert_int_equal(pcs_result_append(writer, simulation), PCS_OK);
    }
    assert_int_equal(pcs_result_close(writer, simulation, true), PCS_OK);
    pcs_simulation_destroy(simulation);
    pcs_model_destroy(model);
    assert_int_equal(pcs_result_open(f->ctx, f->path, &f->result), PCS_OK);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    char command[160];
    pcs_result_destroy(f->result);
    assert_int_equal(pcs_context_heap_bytes(f->ctx), 0);
    pcs_context_destroy(f->ctx);
    snprintf(command, sizeof command, "rm -rf '%s'", f->folder);
    assert_int_equal(system(command), 0);
    free(f);
    return 0;
}

static bool has_file(const fixture *f, const char *name)
{
    char path[200];
    snprintf(path, sizeof path, "%s/%s", f->out, name);
    return access(path, R_OK) == 0;
}

static void test_shapes_without_model_text(void **state)
{
    fixture *f = *state;
    for (int32_t i = 0; i < 5; i++) {
        const pcs_drawing *d = pcs_result_drawing(f->result, i);
        assert_int_equal(d->kind, i);
        assert_int_equal(d->a.body, i);
        assert_true(d->size.x == 0.1385 && d->size.z == 0.31 && d->a.position.z == -0.02);
        assert_true(d->a.rotation.w == 1);
    }
}

static void test_frames_by_block(void **state)
{
    fixture *f = *state;
    double block[FRAMES * 5 * 3], column[FRAMES];
    assert_int_equal(pcs_result_frames(f->result), FRAMES);
    assert_int_equal(
        pcs_result_read(f->result, "body/position", (pcs_frame_range){0, FRAMES, 1}, block),
        PCS_OK);
    assert_int_equal(pcs_result_signal(f->result, "body.c.position.z", column), PCS_OK);
    for (int i = 0; i < FRAMES; i++)
        assert_true(block[(5 * i + 2) * 3 + 2] == column[i]);
    for (int i = 0; i < FRAMES; i++) { // axes of the contact, from which its force is turned
        double normal[3], tangent[3];
        assert_int_equal(
            pcs_result_read(f->result, "contact/normal", (pcs_frame_range){i, 1, 1}, normal),
            PCS_OK);
        assert_int_equal(
            pcs_result_read(f->result, "contact/tangent1", (pcs_frame_range){i, 1, 1}, tangent),
            PCS_OK);
        double square = 0, product = 0;
        for (int k = 0; k < 3; k++) {
            square += tangent[k] * tangent[k];
            product += tangent[k] * normal[k];
        }
        assert_true(fabs(square - 1) < 1e-14 && fabs(product) < 1e-14);
    }
    assert_int_equal(
        pcs_result_read(f->result, "body/position", (pcs_frame_range){FRAMES, 1, 1}, block),
        PCS_ERROR_ARGUMENT);
    assert_int_equal(pcs_result_read(f->result, "body/angle", (pcs_frame_range){0, 1, 1}, block),
                     PCS_ERROR_INPUT); // a spatial model has none
}

static void test_export(void **state)
{
    fixture *f = *state;
    assert_int_equal(pcs_export_vtk(f->ctx, f->result, f->out, NULL), PCS_OK);
    assert_true(has_file(f, "bodies.pvd") && has_file(f, "contacts.pvd"));
    assert_false(has_file(f, "lines.pvd"));
    assert_true(has_file(f, "frames/bodies_00000005.vtp"));
}

static bool stop_at_third(void *user, int64_t done, int64_t total)
{
    *(int64_t *)user = done;
    assert_int_equal(total, FRAMES);
    return done < 3;
}

static void test_interrupt(void **state)
{
    fixture *f = *state;
    int64_t done = 0;
    pcs_vtk_opts opts = pcs_vtk_default();
    assert_int_equal(pcs_export_vtk(f->ctx, f->result, f->out, NULL), PCS_OK);
    opts.progress = stop_at_third;
    opts.progress_user = &done;
    assert_int_equal(pcs_export_vtk(f->ctx, f->result, f->out, &opts), PCS_INTERRUPTED);
    assert_int_equal(done, 3);
    assert_false(has_file(f, "bodies.pvd")); // nor that of the export before
}

static void test_bad_options(void **state)
{
    fixture *f = *state;
    pcs_vtk_opts opts = pcs_vtk_default();
    opts.every = 0;
    assert_int_equal(pcs_export_vtk(f->ctx, f->result, f->out, &opts), PCS_ERROR_ARGUMENT);
    opts = pcs_vtk_default();
    opts.from = NAN;
    assert_int_equal(pcs_export_vtk(f->ctx, f->result, f->out, &opts), PCS_ERROR_ARGUMENT);
    opts = pcs_vtk_default();
    opts.segments = 2;
    assert_int_equal(pcs_export_vtk(f->ctx, f->result, f->out, &opts), PCS_ERROR_ARGUMENT);
    opts = pcs_vtk_default();
    opts.from = 7;
    assert_int_equal(pcs_export_vtk(f->ctx, f->result, f->out, &opts), PCS_ERROR_ARGUMENT);
    assert_int_equal(pcs_export_vtk(f->ctx, f->result, f->path, NULL), PCS_ERROR_IO);
    assert_non_null(strstr(pcs_context_error(f->ctx), "a file has this name"));
}

static void test_failing_memory(void **state)
{
    fixture *f = *state;
    pcs_vtk_opts opts = pcs_vtk_default();
    opts.every = 5;
    opts.segments = 8;
    uint64_t before = pcs_context_heap_bytes(f->ctx);
    bool succeeded = false;
    for (uint64_t n = 1; n < 5000 && !succeeded; n++) {
        pcs_context_fail_heap_call(f->ctx, n);
        pcs_status status = pcs_export_vtk(f->ctx, f->result, f->out, &opts);
        pcs_context_fail_heap_call(f->ctx, 0);
        succeeded = status == PCS_OK;
        if (!succeeded)
            assert_int_equal(status, PCS_ERROR_MEMORY);
        assert_int_equal(pcs_context_heap_bytes(f->ctx), before);
    }
    assert_true(succeeded);
}

static void test_numbers(void **state)
{
    fixture *f = *state;
    pcs_vtk_text text;
    pcs_vtk_init(&text, f->ctx);
    pcs_vtk_number(&text, 0.1);
    assert_string_equal(text.bytes, "0.10000000000000001");
    pcs_vtk_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_shapes_without_model_text, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_frames_by_block, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_export, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_interrupt, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_bad_options, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_failing_memory, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_numbers, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
