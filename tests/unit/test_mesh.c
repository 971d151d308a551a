// Meshes in a model: forces and tangents of the assembled whole, mass and weight, fixations and
// links, loads, the surface, frames on nodes, and what the builder refuses.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "percuss/mesh.h"
#include "support/element_checks.h"

static pcs_material rubber(double damping)
{
    pcs_material material = pcs_material_default();
    material.young = 43.7;
    material.poisson = 0.31;
    material.density = 1.93;
    material.damping = damping;
    return material;
}

static const pcs_section thin = {
    .area = 0.173, .inertia = {0.0021, 0.0033}, .torsion = 0.0047, .shear_area = {0.14, 0.14}};

// ---- A strip of lines: bars or beams through four points ----

static const pcs_vec3 strip_nodes[4] = {
    {0.1, -0.2, 0}, {0.93, 0.31, 0}, {1.77, -0.17, 0}, {2.41, 0.53, 0}};
static const int32_t strip_lines[] = {0, 1, 1, 2, 2, 3, 0, 2};
static const int32_t strip_end[] = {3}, strip_middle[] = {1, 2};

typedef struct strip {
    pcs_mesh_part_def part;
    pcs_mesh_group_def groups[2];
    pcs_mesh_fixation_def fixation;
    pcs_mesh_load_def loads[2];
    pcs_mesh_def mesh;
} strip;

static void strip_init(strip *s, pcs_element_kind kind, double damping)
{
    *s = (strip){.part = {.kind = kind,
                          .nodes = strip_lines,
                          .n_elements = 4,
                          .material = rubber(damping),
                          .section = thin},
                 .groups = {{.name = "end", .nodes = strip_end, .n_nodes = 1},
                            {.name = "middle", .nodes = strip_middle, .n_nodes = 2}},
                 .fixation = {.group = "end", .fixed = {true, true}},
                 .loads = {{.group = "middle", .value = {{0, "1.3*cos(t)"}, {0.7, NULL}}},
                           {.group = "end",
                            .kind = PCS_MESH_LOAD_TOTAL,
                            .value = {{0, "-k*body.one.position.x*body.one.velocity.y"}}}},
                 .mesh = pcs_mesh_default()};
    s->mesh.name = "strip";
    s->mesh.nodes = strip_nodes;
    s->mesh.n_nodes = 4;
    s->mesh.parts = &s->part;
    s->mesh.n_parts = 1;
    s->mesh.groups = s->groups;
    s->mesh.n_groups = 2;
    s->mesh.loads = s->loads;
    s->mesh.n_loads = 2;
    s->mesh.mass_damping = 0.37;
}

static void begin(probe *p, pcs_random *random, int32_t dimension)
{
    probe_begin(p, dimension);
    probe_must(p, pcs_builder_set_gravity(p->builder, pcs_v3(1.3, -9.7, dimension == 2 ? 0 : 2.1)));
    probe_must(p, pcs_builder_set_parameter(p->builder, "k", 3.7));
    assert_int_equal(probe_add_body(p, random, "one"), 0);
}

static void finish(probe *p, const pcs_mesh_def *mesh)
{
    probe_must(p, pcs_builder_add_mesh(p->builder, mesh, NULL));
    probe_finish(p);
}

static void begin_strip(probe *p, strip *s, pcs_random *random, int32_t dimension,
                        pcs_element_kind kind, double damping)
{
    begin(p, random, dimension);
    strip_init(s, kind, damping);
}

static void check_lines(pcs_element_kind kind, int32_t dimension, bool lumped, double damping,
                        const char *name)
{
    pcs_random random;
    pcs_random_init(&random, (uint64_t)(11 + kind));
    for (int trial = 0; trial < 4; ++trial) {
        probe p;
        strip s;
        begin_strip(&p, &s, &random, dimension, kind, damping);
        s.mesh.lumped = lumped;
        if (dimension == 3)
            s.mesh.rotation = probe_rotation(&random, 3);
        else
            s.mesh.angle = 0.83;
        s.mesh.position = pcs_v3(0.3, -0.4, 0);
        finish(&p, &s.mesh);
        p.t = 0.63;
        probe_randomise(&p, &random, 0.15, 0.9);
        check_tangents(&p, CHECK_BOTH, name);
        check_powers(&p, name);
        check_mass(&p, name);
        probe_end(&p);
    }
}

static void assembled_lines(void **state)
{
    (void)state;
    for (int32_t dimension = 2; dimension <= 3; ++dimension)
        for (int lumped = 0; lumped < 2; ++lumped) {
            check_lines(PCS_ELEMENT_BAR, dimension, lumped, 0.21, "bar");
            check_lines(PCS_ELEMENT_BEAM, dimension, lumped, 0.21, "beam");
            check_lines(PCS_ELEMENT_LINEAR_BEAM, dimension, lumped, 0.21, "linear beam");
            check_lines(PCS_ELEMENT_LINEAR_TIMOSHENKO, dimension, lumped, 0.21, "timoshenko");
        }
}

static void conservative_lines(void **state)
{
    (void)state;
    pcs_random random;
    pcs_random_init(&random, 5);
    for (int trial = 0; trial < 8; ++trial) {
        probe p;
        strip s;
        begin_strip(&p, &s, &random, 2 + trial % 2, trial < 4 ? PCS_ELEMENT_BAR : PCS_ELEMENT_BEAM,
                    0);
        s.mesh.n_loads = 0;
        finish(&p, &s.mesh);
        probe_randomise(&p, &random, 0.15, 0);
        check_conservative(&p, "strip");
        probe_end(&p);
    }
}

// ---- Two bricks with a pressure ----

static const pcs_vec3 brick_nodes[12] = {
    {0, 0, 0},     {1.1, 0, 0.1}, {1.2, 0.9, 0}, {-0.1, 1, 0},   {0, 0.1, 0.8}, {1, 0, 0.9},
    {1.1, 1, 0.8}, {0, 0.9, 0.9}, {0.1, 0, 1.7}, {1, -0.1, 1.8}, {1, 0.9, 1.7}, {0, 1.1, 1.9}};
static const int32_t bricks[] = {0, 1, 2, 3, 4, 5, 6, 7, 4, 5, 6, 7, 8, 9, 10, 11};
static const int32_t brick_top[1][PCS_FACE_NODES_MAX] = {{8, 9, 10, 11}};
static const int32_t brick_bottom[] = {0, 1, 2, 3};

typedef struct pile {
    pcs_mesh_part_def part;
    pcs_mesh_group_def groups[2];
    pcs_mesh_fixation_def fixation;
    pcs_mesh_load_def load;
    pcs_mesh_def mesh;
} pile;

static void pile_init(pile *s)
{
    *s = (pile){.part = {.kind = PCS_ELEMENT_HEXAHEDRON,
                         .nodes = bricks,
                         .n_elements = 2,
                         .material = rubber(0.05)},
                .groups = {{.name = "top", .faces = brick_top, .n_faces = 1},
                           {.name = "bottom", .nodes = brick_bottom, .n_nodes = 4}},
                .fixation = {.group = "bottom", .fixed = {true, true, true}},
                .load = {.group = "top",
                         .kind = PCS_MESH_LOAD_PRESSURE,
                         .value = {{0, "1.7 + 0.3*body.one.velocity.z"}}},
                .mesh = pcs_mesh_default()};
    s->mesh.name = "pile";
    s->mesh.nodes = brick_nodes;
    s->mesh.n_nodes = 12;
    s->mesh.parts = &s->part;
    s->mesh.n_parts = 1;
    s->mesh.groups = s->groups;
    s->mesh.n_groups = 2;
    s->mesh.loads = &s->load;
    s->mesh.n_loads = 1;
}

static void begin_pile(probe *p, pile *s, pcs_random *random)
{
    begin(p, random, 3);
    pile_init(s);
}

static void bricks_under_pressure(void **state)
{
    (void)state;
    pcs_random random;
    pcs_random_init(&random, 17);
    for (int trial = 0; trial < 2; ++trial) {
        probe p;
        pile s;
        begin_pile(&p, &s, &random);
        s.mesh.lumped = trial;
        finish(&p, &s.mesh);
        probe_randomise(&p, &random, 0.05, 0.4);
        check_tangents(&p, CHECK_BOTH, "bricks");
        check_powers(&p, "bricks");
        check_mass(&p, "bricks");
        probe_end(&p);
    }
}

// ---- Mass, weight, surface ----

static void weight_and_surface(void **state)
{
    (void)state;
    probe p;
    pile s;
    pcs_random random;
    pcs_random_init(&random, 19);
    begin_pile(&p, &s, &random);
    s.mesh.n_loads = 0;
    finish(&p, &s.mesh);
    double f[PROBE_Q_MAX], weight[3] = {0};
    pcs_model_forces(p.model, &p.c, f, NULL);
    for (int32_t i = 0; i < 12; ++i)
        for (int32_t r = 0; r < 3; ++r)
            weight[r] += f[pcs_model_node(p.model, 1 + i)->v + r];
    const double mass = pcs_model_mesh_mass(p.model, 0);
    probe_assert_near(weight[1], -9.7 * mass, CHECK_ROUNDING, "weight", 1, 0);
    probe_assert_near(weight[2], 2.1 * mass, CHECK_ROUNDING, "weight", 2, 0);
    // Two bricks with one face in common have ten outer faces and twelve nodes on them.
    const pcs_mesh_group_view surface = pcs_model_mesh_group(p.model, 0, 1);
    assert_string_equal(surface.name, "surface");
    assert_int_equal(surface.n_faces, 10);
    assert_int_equal(surface.n_nodes, 12);
    // Outward: the volume by the divergence theorem, (1/3) sum x.n dA over two triangles a face,
    // is positive and that of the mass, the density being 1.93, up to the bend of the faces.
    double volume = 0;
    for (int32_t k = 0; k < surface.n_faces; ++k)
        for (int half = 0; half < 2; ++half) {
            const int32_t *face = surface.faces[k];
            const pcs_vec3 a = brick_nodes[face[0]], b = brick_nodes[face[1 + half]];
            const pcs_vec3 c = brick_nodes[face[2 + half]];
            volume += pcs_v3_dot(a, pcs_v3_cross(b, c)) / 6;
        }
    assert_true(fabs(volume - mass / 1.93) < 0.05 * volume);
    probe_end(&p);
}

// ---- Holds ----

static void holds(void **state)
{
    (void)state;
    probe p;
    strip s;
    pcs_random random;
    pcs_random_init(&random, 23);
    begin_strip(&p, &s, &random, 3, PCS_ELEMENT_BEAM, 0);
    s.mesh.n_loads = 0;
    const pcs_mesh_fixation_def fixations[3] = {
        {.group = "end", .fixed = {true, false, true}},
        {.group = "end", .fixed = {true, true, false, false, true}},
        {.group = "middle", .linked = true, .body = 0}};
    s.mesh.fixations = fixations;
    s.mesh.n_fixations = 3;
    finish(&p, &s.mesh);
    // One joint for the end with x, y, z and the rotation about y, one of six rows for each middle
    // node
    assert_int_equal(p.model->joints.count, 3);
    assert_int_equal(pcs_model_joint_count(p.model), 0);
    assert_int_equal(p.model->n_rows, 4 + 2 * 6);
    double g[PROBE_ROWS_MAX];
    pcs_rows rows = {NULL, g, NULL, NULL};
    pcs_model_rows(p.model, &p.c, &rows);
    for (int32_t i = 0; i < p.model->n_rows; ++i)
        probe_assert_near(g[i], 0, CHECK_ROUNDING, "hold", i, 0);
    // A rigid motion of the body carries the linked nodes along.
    assert_non_null(strstr(p.model->row_names.data[0], "node 3 of mesh 'strip'"));
    probe_end(&p);
}

// ---- Frames on nodes ----

static void frames_on_nodes(void **state)
{
    (void)state;
    pcs_random random;
    pcs_random_init(&random, 29);
    for (int trial = 0; trial < 4; ++trial) {
        probe p;
        strip s;
        begin_strip(&p, &s, &random, 3, trial % 2 ? PCS_ELEMENT_BEAM : PCS_ELEMENT_BAR, 0.1);
        s.mesh.rotation = probe_rotation(&random, 3);
        s.mesh.n_loads = 0;
        pcs_mesh_id mesh;
        probe_must(&p, pcs_builder_add_mesh(p.builder, &s.mesh, &mesh));
        pcs_spring_def spring = pcs_spring_default();
        spring.name = "spring";
        probe_must(&p, pcs_builder_mesh_group_node(p.builder, mesh, "end", &spring.a.node));
        spring.a.position = pcs_v3(0.1, 0.2, -0.15);
        spring.b = probe_frame(&random, 3, 0);
        spring.b.position.x += 2.9;
        spring.stiffness = 17.3;
        spring.damping = 1.9;
        probe_must(&p, pcs_builder_add_spring(p.builder, &spring));
        pcs_force_def force = pcs_force_default();
        force.name = "push";
        probe_must(&p, pcs_builder_mesh_node(p.builder, mesh, 1, &force.node));
        force.position = pcs_v3(0.3, 0, 0.1);
        force.force[0] = pcs_number(1.7);
        force.body_frame = trial % 2;
        probe_must(&p, pcs_builder_add_force(p.builder, &force));
        // Node, mesh frame and offset give the place at the start.
        const pcs_pose pose = pcs_builder_frame_pose(p.builder, &spring.a);
        const pcs_vec3 place = pcs_quat_rotate(s.mesh.rotation,
                                               pcs_v3_add(strip_nodes[3], spring.a.position));
        probe_assert_near(pcs_v3_norm(pcs_v3_sub(pose.x, place)), 0, CHECK_ROUNDING, "place", 0, 0);
        probe_finish(&p);
        const pcs_pair_state pair = pcs_configuration_pair(p.model, &p.c,
                                                           &p.model->springs.data[0].pair);
        probe_assert_near(pcs_v3_norm(pair.d), p.model->springs.data[0].rest, CHECK_ROUNDING,
                          "rest length", 0, 0);
        probe_randomise(&p, &random, 0.1, 0.7);
        check_tangents(&p, CHECK_BOTH, "frames on nodes");
        check_powers(&p, "frames on nodes");
        probe_end(&p);
    }
}

// ---- Refusals ----

static void refuse(probe *p, const pcs_mesh_def *def, const char *part_of_message)
{
    const int32_t nodes = p->builder->model->nodes.count;
    assert_true(pcs_builder_add_mesh(p->builder, def, NULL) < 0);
    if (!strstr(pcs_context_error(p->ctx), part_of_message))
        fail_msg("\"%s\" is not in \"%s\"", part_of_message, pcs_context_error(p->ctx));
    assert_int_equal(p->builder->model->nodes.count, nodes);
}

static void refusals(void **state)
{
    (void)state;
    probe p;
    strip s;
    pcs_random random;
    pcs_random_init(&random, 31);
    begin_strip(&p, &s, &random, 2, PCS_ELEMENT_BAR, 0);
    pcs_mesh_def def = s.mesh;

    def.n_nodes = 0;
    refuse(&p, &def, "has no nodes");
    def = s.mesh;
    def.n_parts = 0;
    refuse(&p, &def, "has no elements");
    def = s.mesh;
    pcs_mesh_part_def part = s.part;
    part.kind = PCS_ELEMENT_HEXAHEDRON;
    def.parts = &part;
    refuse(&p, &def, "planar model has no hexahedron");
    part = s.part;
    const int32_t lost[] = {0, 1, 1, 7};
    part.nodes = lost;
    part.n_elements = 2;
    refuse(&p, &def, "there is no node 7");
    part.nodes = strip_lines;
    refuse(&p, &def, "node 3 belongs to no element");
    part = s.part;
    part.material.young = -1;
    refuse(&p, &def, "young");
    const int32_t point[] = {0, 1, 1, 2, 2, 3, 2, 2};
    part = s.part;
    part.nodes = point;
    refuse(&p, &def, "element 3");
    def = s.mesh;
    const pcs_mesh_load_def pressure = {.group = "end", .kind = PCS_MESH_LOAD_PRESSURE};
    def.loads = &pressure;
    def.n_loads = 1;
    refuse(&p, &def, "has no faces");
    const pcs_mesh_load_def misspelt = {.group = "midle"};
    def.loads = &misspelt;
    refuse(&p, &def, "did you mean 'middle'");
    def = s.mesh;
    pcs_mesh_fixation_def fixation = {.group = "end", .fixed = {false}};
    def.fixations = &fixation;
    def.n_fixations = 1;
    refuse(&p, &def, "fixes nothing");
    fixation.fixed[5] = true;
    refuse(&p, &def, "no rotation to fix");
    fixation = (pcs_mesh_fixation_def){.group = "end", .linked = true, .body = 4};
    refuse(&p, &def, "does not exist");
    def = s.mesh;
    def.rotation.w = 0.5;
    refuse(&p, &def, "unit quaternion");
    // After all that the right one is taken, once; a body may not follow.
    probe_must(&p, pcs_builder_add_mesh(p.builder, &s.mesh, NULL));
    refuse(&p, &s.mesh, "the name is taken");
    pcs_body_def body = pcs_body_default();
    body.name = "late";
    body.mass = 1;
    body.inertia.m[2][2] = 1;
    assert_true(pcs_builder_add_body(p.builder, &body, NULL) < 0);
    assert_non_null(strstr(pcs_context_error(p.ctx), "before meshes"));
    int32_t node;
    assert_true(pcs_builder_mesh_node(p.builder, 0, 9, &node) < 0);
    assert_true(pcs_builder_mesh_group_node(p.builder, 0, "middle", &node) < 0);
    assert_non_null(strstr(pcs_context_error(p.ctx), "has 2 nodes"));
    probe_finish(&p);
    probe_end(&p);
}

// A parameter of a load that was forgotten can still be given after finish() refused.
static void finish_can_be_repeated(void **state)
{
    (void)state;
    probe p;
    strip s;
    pcs_random random;
    pcs_random_init(&random, 37);
    begin_strip(&p, &s, &random, 2, PCS_ELEMENT_BEAM, 0);
    s.loads[0].value[0] = pcs_expression("1.3*missing");
    probe_must(&p, pcs_builder_add_mesh(p.builder, &s.mesh, NULL));
    for (int i = 0; i < 3; ++i) {
        assert_true(pcs_builder_finish(p.builder, &p.model) < 0);
        assert_non_null(strstr(pcs_context_error(p.ctx), "load of mesh"));
    }
    probe_must(&p, pcs_builder_set_parameter(p.builder, "missing", 0.71));
    probe_finish(&p);
    assert_int_equal(p.model->nodes.count, 1 + 4);
    assert_int_equal(p.model->n_v, 3 + 4 * 3);
    probe_end(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(assembled_lines),
        cmocka_unit_test(conservative_lines),
        cmocka_unit_test(bricks_under_pressure),
        cmocka_unit_test(weight_and_surface),
        cmocka_unit_test(holds),
        cmocka_unit_test(frames_on_nodes),
        cmocka_unit_test(refusals),
        cmocka_unit_test(finish_can_be_repeated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
