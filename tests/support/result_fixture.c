#include "support/result_fixture.h"

#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

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

pcs_simulation *result_simulate(pcs_context *ctx, const pcs_model *model)
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
    result_fixture *f = calloc(1, sizeof *f);
    *state = f;
    snprintf(f->folder, sizeof f->folder, "/tmp/percuss-result-XXXXXX");
    if (!f || !mkdtemp(f->folder))
        return -1;
    snprintf(f->path, sizeof f->path, "%s/run.h5", f->folder);
    snprintf(f->part, sizeof f->part, "%s.part", f->path);
    f->ctx = pcs_context_create(NULL);
    f->model = build(f->ctx, dimension);
    f->simulation = result_simulate(f->ctx, f->model);
    return 0;
}

int result_set_up(void **state)
{
    return set_up_dimension(state, 2);
}

int result_set_up_spatial(void **state)
{
    return set_up_dimension(state, 3);
}

int result_tear_down(void **state)
{
    result_fixture *f = *state;
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

bool result_exists(const char *path)
{
    return access(path, F_OK) == 0;
}

void result_write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    assert_int_equal(fclose(file), 0);
}

void result_assert_message(const result_fixture *f, const char *part)
{
    if (!strstr(pcs_context_error(f->ctx), part))
        fail_msg("'%s' lacks '%s'", pcs_context_error(f->ctx), part);
}

pcs_result_writer *result_create(result_fixture *f, double flush_interval)
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

void result_step_and_append(result_fixture *f, pcs_result_writer *writer, int frames)
{
    for (int i = 0; i < frames; i++) {
        assert_true(pcs_simulation_step(f->simulation) >= 0);
        assert_int_equal(pcs_result_append(writer, f->simulation), PCS_OK);
    }
}

pcs_result *result_open(result_fixture *f, const char *path)
{
    pcs_result *result = NULL;
    if (pcs_result_open(f->ctx, path, &result) != PCS_OK)
        fail_msg("%s", pcs_context_error(f->ctx));
    return result;
}

int64_t result_open_and_count(result_fixture *f)
{
    pcs_result *result = result_open(f, f->path);
    int64_t frames = pcs_result_frames(result);
    pcs_result_destroy(result);
    return frames;
}

void result_change_byte(const char *path, long place, int change)
{
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    assert_int_equal(fseek(file, place, SEEK_SET), 0);
    int old = getc(file);
    assert_int_equal(fseek(file, place, SEEK_SET), 0);
    putc(old ^ change, file);
    fclose(file);
}
