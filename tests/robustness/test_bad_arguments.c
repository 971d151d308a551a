// Ids, indices and counts that the object does not have: a defined value (NULL, 0, NaN, a view of zeros)
// or a status, never a read outside. The sanitizers run this too.
#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "percuss/analysis.h"
#include "percuss/evidence.h"
#include "percuss/io.h"
#include "support/model_text.h"

// One of everything, so that 7 is beyond the last of each.
static const char scene[] = "dimension: 2\n"
                            "inputs: {push: 0}\n"
                            "bodies:\n"
                            "  ball: {mass: 2.385, inertia: 0.07, position: [0, 0.2]}\n"
                            "  crank: {mass: 1, inertia: 0.1, position: [3, 0.7]}\n"
                            "joints:\n"
                            "  hinge: {type: revolute, bodies: [ground, crank], at: [3, 0]}\n"
                            "contacts:\n"
                            "  tip: {type: sphere-plane, bodies: [ground, ball], at: [0, 0],\n"
                            "        normal: [0, 1], radius: 0.2}\n"
                            "forces:\n"
                            "  wind: {body: ball, force: [input.push, 0]}\n"
                            "systems:\n"
                            "  s:\n"
                            "    coordinates: {x: 0.3, y: 0}\n"
                            "    kinetic: (x.rate^2 + y.rate^2)/2\n"
                            "    constraints: {c: y}\n"
                            "meshes:\n"
                            "  beam:\n"
                            "    line: {from: [5, 0], to: [6, 0], divisions: 2, element: beam}\n"
                            "    material: {young: 2e9, poisson: 0.3, density: 1000}\n"
                            "    section: {rectangle: [0.02, 0.03]}\n"
                            "simulation: {step: 1e-3, end: 0.1}\n";

static const int32_t bad[] = {-1, -2, -7, 7, 1000000, INT_MAX, INT_MIN};

static void test_model(void **state)
{
    model_text *f = *state;
    model_text_read(f, "scene", scene, NULL, 0);
    const pcs_model *m = f->model;
    const pcs_shape_def *shapes;
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        const int32_t i = bad[k];
        if (i == 7 || i < -7 || i > 7) // ground is -1, systems and meshes are counted behind it
            assert_null(pcs_model_body_name(m, i));
        assert_int_equal(pcs_model_body_shapes(m, i, &shapes), 0);
        assert_null(pcs_model_joint_name(m, i));
        assert_int_equal(pcs_model_joint_kind(m, i), PCS_JOINT_KIND_COUNT);
        assert_null(pcs_model_coupling_name(m, i));
        assert_null(pcs_model_system_name(m, i));
        assert_int_equal(pcs_model_system_size(m, i), 0);
        assert_null(pcs_model_system_coordinate(m, i, 0));
        assert_null(pcs_model_system_coordinate(m, 0, i));
        assert_null(pcs_model_system_constraint(m, i, 0));
        assert_null(pcs_model_system_constraint(m, 0, i));
        assert_null(pcs_model_contact_name(m, i));
        assert_null(pcs_model_input_name(m, i));
        if (i < 0 || i > 7)
            assert_null(pcs_model_row_name(m, i));
        assert_null(pcs_model_mesh_name(m, i));
        assert_int_equal(pcs_model_mesh_node_count(m, i), 0);
        assert_true(pcs_model_mesh_mass(m, i) == 0);
        assert_false(pcs_model_mesh_turns(m, i));
        assert_null(pcs_model_mesh_start(m, i));
        assert_int_equal(pcs_model_mesh_part_count(m, i), 0);
        assert_null(pcs_model_mesh_part(m, i, 0).name);
        assert_null(pcs_model_mesh_part(m, 0, i).name);
        assert_null(pcs_model_mesh_group(m, i, 0).name);
        assert_null(pcs_model_mesh_group(m, 0, i).name);
        char path[64];
        if (i < 0 || i > 7)
            assert_false(pcs_model_signal_path(m, i, path, sizeof path));
    }
}

static bool is_zero(const void *bytes, size_t size)
{
    const unsigned char *b = bytes;
    for (size_t i = 0; i < size; i++)
        if (b[i])
            return false;
    return true;
}

static void test_views(void **state)
{
    model_text *f = *state;
    model_text_read(f, "scene", scene, NULL, 0);
    model_text_start(f);
    pcs_simulation *s = f->simulation;
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        const int32_t i = bad[k];
        pcs_body_view body = {.angle = 1};
        pcs_joint_view joint = {.coordinate = {1}};
        pcs_system_view system = {.coordinate = &body.angle};
        pcs_contact_view contact = {.gap = 1};
        pcs_event event;
        double numbers[3] = {1, 1, 1};
        pcs_simulation_body(s, i, &body);
        pcs_simulation_joint(s, i, &joint);
        pcs_simulation_system(s, i, &system);
        pcs_simulation_contact(s, i, &contact);
        assert_true(is_zero(&body, sizeof body) && is_zero(&joint, sizeof joint));
        assert_true(is_zero(&system, sizeof system) && is_zero(&contact, sizeof contact));
        assert_true(isnan(pcs_simulation_constraint_force(s, i, 0)));
        assert_true(isnan(pcs_simulation_constraint_force(s, 0, i)));
        body.angle = 1;
        pcs_simulation_mesh_node(s, i, 0, &body);
        assert_true(is_zero(&body, sizeof body));
        body.angle = 1;
        pcs_simulation_mesh_node(s, 0, i, &body);
        assert_true(is_zero(&body, sizeof body));
        pcs_simulation_mesh_nodes(s, i, numbers, numbers);
        pcs_simulation_mesh_results(s, i, 0, numbers);
        pcs_simulation_mesh_results(s, 0, i, numbers);
        assert_true(numbers[0] == 1); // untouched
        assert_true(pcs_simulation_mesh_energy(s, i).kinetic == 0);
        assert_true(isnan(pcs_simulation_input(s, i)));
        assert_int_equal(pcs_simulation_set_input(s, i, 1), PCS_ERROR_ARGUMENT);
        assert_false(pcs_simulation_event(s, i, &event));
        for (int32_t kind = -2; kind < 40; kind++) {
            const double value = pcs_simulation_signal(s, (pcs_signal){kind, i, 0});
            assert_true(isnan(value) ||
                        !isnan(value)); // no object: not a number, or the whole model
        }
    }
    const pcs_signal none = {1, 7, 0};
    double value = 3;
    pcs_simulation_signals(s, &none, -1, &value);
    assert_true(value == 3);
    assert_true(isnan(pcs_simulation_signal(s, none)));
    char small[4];
    assert_true(pcs_simulation_save(s, small, sizeof small) > sizeof small);
    assert_true(pcs_simulation_load(s, small, sizeof small) < 0);
    assert_true(pcs_simulation_load(s, small, 0) < 0);
}

static void test_modes(void **state)
{
    model_text *f = *state;
    model_text_read(f, "scene", scene, NULL, 0);
    model_text_start(f);
    pcs_modes_opts opts = pcs_modes_default();
    pcs_modes *modes = NULL;
    char name[32];
    opts.count = -3;
    assert_true(pcs_modes_create(f->simulation, &opts, &modes) < 0);
    opts.count = 2;
    assert_int_equal(pcs_modes_create(f->simulation, &opts, &modes), PCS_OK);
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        assert_null(pcs_modes_get(modes, bad[k]).shape);
        if (bad[k] != 7)
            assert_false(pcs_modes_component(modes, bad[k], name, sizeof name));
        pcs_modes_show(modes, bad[k], 1, 0);
    }
    pcs_modes_destroy(modes);
}

static void test_names(void **state)
{
    const char *a, *b;
    (void)state;
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        const int32_t i = bad[k] == 7 ? 70 : bad[k];
        assert_null(pcs_shape_kind_name((pcs_shape_kind)i));
        assert_null(pcs_curve_kind_name((pcs_curve_kind)i));
        assert_null(pcs_joint_kind_name((pcs_joint_kind)i));
        assert_false(pcs_joint_kind_allowed((pcs_joint_kind)i, 3));
        assert_false(pcs_joint_kind_allowed(PCS_JOINT_REVOLUTE, i));
        assert_null(pcs_joint_coordinate_name((pcs_joint_kind)i, 3, 0));
        assert_null(pcs_joint_rate_name(PCS_JOINT_REVOLUTE, 3, i));
        assert_null(pcs_contact_kind_name((pcs_contact_kind)i));
        assert_false(pcs_contact_kind_allowed((pcs_contact_kind)i, 3));
        assert_null(pcs_element_kind_name((pcs_element_kind)i));
        assert_null(pcs_element_kind_help((pcs_element_kind)i));
        assert_false(pcs_element_kind_allowed((pcs_element_kind)i, 3));
        assert_null(pcs_material_law_name((pcs_material_law)i));
        assert_null(pcs_material_law_help((pcs_material_law)i));
        assert_null(pcs_target_kind_name((pcs_target_kind)i));
        assert_null(pcs_mode_kind_name((pcs_mode_kind)i));
        assert_null(pcs_drawing_kind_name((pcs_drawing_kind)i));
        assert_null(pcs_drawing_owner_name((pcs_drawing_owner)i));
        assert_null(pcs_event_kind_name((pcs_event_kind)i));
        assert_non_null(pcs_refinement_option((pcs_refinement)i));
        assert_non_null(pcs_level_name((pcs_level)i));
        assert_non_null(pcs_problem_class_name((pcs_problem_class)i));
        assert_non_null(pcs_status_name((pcs_status)i));
        assert_null(pcs_scheme_name(i, NULL, NULL, NULL));
        assert_null(pcs_scheme_short_name(i, NULL, NULL));
        assert_null(pcs_problem_solver(PCS_PROBLEM_LOCAL, i, NULL, NULL, NULL));
        assert_null(pcs_problem_solver(PCS_PROBLEM_LCP, i, NULL, NULL, NULL));
        assert_false(pcs_formula_function(i, &a, &b));
    }
}

// ---- Building ----

typedef pcs_status (*build_fn)(pcs_builder *builder, int32_t i);

static pcs_status frame_at(pcs_builder *b, int32_t i)
{
    pcs_frame frame;
    return pcs_builder_frame_at(b, i, (pcs_vec3){0}, (pcs_quat){1, 0, 0, 0}, &frame);
}

static pcs_status add_joint(pcs_builder *b, int32_t i)
{
    pcs_joint_def def = pcs_joint_default();
    def.name = "j";
    def.b.body = i;
    return pcs_builder_add_joint(b, &def, NULL);
}

static pcs_status add_joint_kind(pcs_builder *b, int32_t i)
{
    pcs_joint_def def = pcs_joint_default();
    def.name = "j";
    def.kind = (pcs_joint_kind)(i == 7 ? 70 : i);
    def.b.body = 0;
    return pcs_builder_add_joint(b, &def, NULL);
}

static pcs_status add_joint_node(pcs_builder *b, int32_t i)
{
    pcs_joint_def def = pcs_joint_default();
    def.name = "j";
    def.b.node = i;
    return pcs_builder_add_joint(b, &def, NULL);
}

static pcs_status add_coupling(pcs_builder *b, int32_t i)
{
    pcs_coupling_def def = pcs_coupling_default();
    def.name = "c";
    def.joint[1] = i;
    return pcs_builder_add_coupling(b, &def);
}

static pcs_status add_spring(pcs_builder *b, int32_t i)
{
    pcs_spring_def def = pcs_spring_default();
    def.name = "s";
    def.stiffness = 1;
    def.a.body = i;
    def.b.body = 0;
    def.b.position.x = 1;
    return pcs_builder_add_spring(b, &def);
}

static pcs_status add_force(pcs_builder *b, int32_t i)
{
    pcs_force_def def = pcs_force_default();
    def.name = "f";
    def.body = i;
    return pcs_builder_add_force(b, &def);
}

static pcs_status add_contact(pcs_builder *b, int32_t i)
{
    pcs_contact_def def = pcs_contact_default();
    def.name = "c";
    def.b.body = i;
    return pcs_builder_add_contact(b, &def);
}

static pcs_status add_polyline(pcs_builder *b, int32_t i)
{
    const pcs_vec2 vertices[2] = {{0, 0}, {1, 0}};
    pcs_contact_def def = pcs_contact_default();
    def.name = "c";
    def.kind = PCS_CONTACT_POINT_POLYLINE;
    def.b.body = 0;
    def.vertices = vertices;
    def.n_vertices = i < 0 ? i : 0;
    return pcs_builder_add_contact(b, &def);
}

static pcs_status add_shapes(pcs_builder *b, int32_t i)
{
    pcs_body_def def = pcs_body_default();
    const pcs_shape_def shape = pcs_shape_default();
    def.name = "with shapes";
    def.mass = 1;
    def.inertia.m[2][2] = 1;
    def.shapes = &shape;
    def.n_shapes = i < 0 ? i : -i;
    return pcs_builder_add_body(b, &def, NULL);
}

static pcs_status mesh_node(pcs_builder *b, int32_t i)
{
    int32_t id;
    return pcs_builder_mesh_node(b, i, 0, &id);
}

static pcs_status mesh_group(pcs_builder *b, int32_t i)
{
    int32_t id;
    return pcs_builder_mesh_group_node(b, i, "all", &id);
}

static pcs_status node_position(pcs_builder *b, int32_t i)
{
    pcs_vec3 position;
    return pcs_builder_node_position(b, i, &position);
}

static pcs_status add_system(pcs_builder *b, int32_t i)
{
    pcs_system_def def = pcs_system_default();
    def.name = "s";
    def.n_coordinates = i < 0 ? i : 0;
    return pcs_builder_add_system(b, &def, NULL);
}

static pcs_status add_mesh(pcs_builder *b, int32_t i)
{
    pcs_mesh_def def = pcs_mesh_default();
    def.name = "m";
    def.n_nodes = i < 0 ? i : -1;
    return pcs_builder_add_mesh(b, &def, NULL);
}

static void test_builder(void **state)
{
    static const build_fn calls[] = {frame_at,      add_joint,  add_joint_kind, add_joint_node,
                                     add_coupling,  add_spring, add_force,      add_contact,
                                     add_polyline,  add_shapes, mesh_node,      mesh_group,
                                     node_position, add_system, add_mesh};
    pcs_context *ctx = pcs_context_create(NULL);
    (void)state;
    for (size_t c = 0; c < sizeof calls / sizeof *calls; c++) {
        for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
            pcs_builder *builder = NULL;
            pcs_body_def def = pcs_body_default();
            pcs_body_id id;
            def.name = "body";
            def.mass = 1;
            def.inertia.m[2][2] = 1;
            assert_int_equal(pcs_builder_create(ctx, 2, &builder), PCS_OK);
            assert_int_equal(pcs_builder_add_body(builder, &def, &id), PCS_OK);
            const bool is_ground = bad[k] == PCS_GROUND;
            if (calls[c](builder, bad[k]) >= 0 && !is_ground)
                fail_msg("call %d takes %d", (int)c, (int)bad[k]);
            pcs_builder_destroy(builder);
        }
    }
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        pcs_builder *builder = NULL;
        assert_int_equal(pcs_builder_create(ctx, bad[k], &builder), PCS_ERROR_ARGUMENT);
    }
    pcs_context_destroy(ctx);
}

// ---- Problems, runs and files ----

static void test_problems(void **state)
{
    const int32_t row[1] = {0};
    const double one[3] = {1, 1, 1};
    pcs_context *ctx = pcs_context_create(NULL);
    pcs_problem *p = NULL;
    (void)state;
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        const int32_t i = bad[k];
        const pcs_triplets good = {1, 1, 1, row, row, one};
        const pcs_triplets sizes = {i, i, 1, row, row, one},
                           count = {1, 1, i < 0 ? i : -i, row, row, one};
        const pcs_triplets outside = {1, 1, 1, &i, row, one};
        assert_true(pcs_problem_create_mlcp(ctx, i, &good, one, NULL, &p) < 0);
        assert_true(pcs_problem_create_mlcp(ctx, 1, &sizes, one, NULL, &p) < 0);
        assert_true(pcs_problem_create_mlcp(ctx, 1, &count, one, NULL, &p) < 0);
        assert_true(pcs_problem_create_mlcp(ctx, 1, &outside, one, NULL, &p) < 0);
        assert_true(pcs_problem_create_local(ctx, i, 1, 0, &good, one, one, &p) < 0);
        assert_true(pcs_problem_create_local(ctx, 2, i, 0, &good, one, one, &p) < 0);
        assert_true(pcs_problem_create_local(ctx, 2, 1, i, &good, one, one, &p) < 0);
        assert_true(pcs_problem_create_global(ctx, i, 1, 0, &good, &good, one, one, one, &p) < 0);
        assert_true(pcs_problem_create_global(ctx, 2, i, 0, &good, &good, one, one, one, &p) < 0);
        assert_true(pcs_problem_create_global(ctx, 2, 1, i, &good, &good, one, one, one, &p) < 0);
        assert_null(p);
    }
    const pcs_triplets good = {1, 1, 1, row, row, one};
    double r[1] = {0}, u[1];
    pcs_solve_info info;
    pcs_solve_opts opts = pcs_solve_default();
    assert_int_equal(pcs_problem_create_mlcp(ctx, 1, &good, one, NULL, &p), PCS_OK);
    assert_true(pcs_problem_solve(p, "nobody", &opts, NULL, r, u, &info) < 0);
    assert_true(pcs_problem_write(p, "", PCS_PROBLEM_TEXT, NULL) < 0);
    assert_true(pcs_problem_write(p, "/nowhere/a", (pcs_problem_format)9, NULL) < 0);
    opts.threads = -1;
    assert_true(pcs_problem_solve(p, "auto", &opts, NULL, r, u, &info) < 0);
    pcs_problem_destroy(p);
    pcs_context_destroy(ctx);
}

static void test_runs_and_files(void **state)
{
    model_text *f = *state;
    model_text_read(f, "scene", scene, NULL, 0);
    model_text_start(f);
    pcs_simulation_def def = pcs_simulation_default();
    pcs_simulation *other = NULL;
    pcs_csv_writer *csv = NULL;
    pcs_output_file *file = NULL;
    def.step = 1e-3;
    def.end = 1;
    def.n_events = -1;
    assert_true(pcs_simulation_create(f->ctx, f->model, &def, &other) < 0);
    def.n_events = 0;
    def.scheme = "nobody";
    assert_true(pcs_simulation_create(f->ctx, f->model, &def, &other) < 0);
    assert_null(other);
    assert_int_equal(pcs_report_write(f->ctx, NULL, NULL, 0, "a.html"), PCS_ERROR_ARGUMENT);
    assert_int_equal(pcs_report_write(f->ctx, NULL, NULL, -1, "a.html"), PCS_ERROR_ARGUMENT);
    assert_int_equal(pcs_csv_create(f->ctx, f->model, "-", NULL, -1, &csv), PCS_ERROR_ARGUMENT);
    assert_true(pcs_output_file_create(f->ctx, "", "nothing", &file) < 0);
    pcs_model_file *model = NULL;
    assert_true(pcs_model_file_read_memory(f->ctx, "m", scene, sizeof scene - 1, NULL, -1, &model) <
                0);
    assert_null(model);
}

static void test_nothing_to_destroy(void **state)
{
    (void)state;
    pcs_context_destroy(NULL);
    pcs_builder_destroy(NULL);
    pcs_model_destroy(NULL);
    pcs_simulation_destroy(NULL);
    pcs_modes_destroy(NULL);
    pcs_problem_destroy(NULL);
    pcs_formula_destroy(NULL);
    pcs_model_file_destroy(NULL);
    pcs_result_destroy(NULL);
    pcs_result_abandon(NULL);
    pcs_csv_abandon(NULL);
    pcs_output_file_abandon(NULL);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, model_text_set_up, model_text_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_model),
        TEST(test_views),
        TEST(test_modes),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_builder),
        cmocka_unit_test(test_problems),
        TEST(test_runs_and_files),
        cmocka_unit_test(test_nothing_to_destroy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
