// Meshes in model files: what is built agrees with what is written. The checks look at the built
// model from outside: nodes, parts, groups, masses, places of frames.
#include <float.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "elements/finite_element.h"
#include "geometry/mesh_data.h"
#include "support/model_text.h"
#include "support/near.h"

// Files that a text names are relative to the folder of the examples.
static pcs_status try_text(model_text *f, const char *text)
{
    const char *source = getenv("PERCUSS_SOURCE");
    char name[1024];
    assert_non_null(source);
    snprintf(name, sizeof name, "%s/examples/m.yaml", source);
    return model_text_try(f, name, text, NULL, 0);
}

static void read_text(model_text *f, const char *text)
{
    if (try_text(f, text) < 0)
        fail_msg("%s", pcs_context_error(f->ctx));
}

static pcs_mesh_group_view group_of(const model_text *f, const char *name)
{
    for (int32_t g = 0;; g++) {
        pcs_mesh_group_view group = pcs_model_mesh_group(f->model, 0, g);
        if (!group.name)
            fail_msg("there is no group '%s'", name);
        if (strcmp(group.name, name) == 0)
            return group;
    }
}

#define STEEL "material: {young: 2.1e11, poisson: 0.28, density: 7800}"

// ---- Generated meshes ----

static void test_block(void **state)
{
    model_text *f = *state;
    read_text(f,
              "dimension: 3\n"
              "parameters: {n: 3}\n"
              "meshes:\n"
              "  cube:\n"
              "    block: {size: [0.3, 0.2, 0.5], divisions: [n, 2, n + 1], element: tetrahedron}\n"
              "    material: {young: 1e6, poisson: 0.4, density: 1230, law: neo-hookean}\n"
              "    groups:\n"
              "      tip: {nearest: [1, 1, 1]}\n"
              "      band: {box: [[-1, -1, -0.01], [1, 1, 0.3]]}\n"
              "      chosen: {nodes: [7, 5, 0]}\n");
    assert_int_equal(pcs_model_mesh_count(f->model), 1);
    assert_string_equal(pcs_model_mesh_name(f->model, 0), "cube");
    assert_int_equal(pcs_model_mesh_node_count(f->model, 0), 4 * 3 * 5);
    assert_int_equal(pcs_model_mesh_part_count(f->model, 0), 1);
    pcs_mesh_part_view part = pcs_model_mesh_part(f->model, 0, 0);
    assert_int_equal(part.kind, PCS_ELEMENT_TETRAHEDRON);
    assert_int_equal(part.n_elements, 6 * 3 * 2 * 4);
    const double mass = 0.3 * 0.2 * 0.5 * 1230;
    assert_near(pcs_model_mesh_mass(f->model, 0), mass, 1e-13 * mass);
    assert_int_equal(group_of(f, "all").n_nodes, 60);
    assert_int_equal(group_of(f, "surface").n_faces, 2 * 2 * (3 * 2 + 2 * 4 + 3 * 4));
    assert_int_equal(group_of(f, "y_max").n_nodes, 4 * 5);
    assert_int_equal(group_of(f, "y_max").n_faces, 2 * 3 * 4);
    assert_int_equal(group_of(f, "tip").n_nodes, 1);
    assert_int_equal(group_of(f, "tip").nodes[0], 59);
    // three layers of nodes, and the faces between them: the sides of two layers of bricks and the
    // top
    assert_int_equal(group_of(f, "band").n_nodes, 3 * 12);
    assert_int_equal(group_of(f, "band").n_faces, 2 * (2 * 2 * (3 + 2) + 3 * 2));
    assert_int_equal(group_of(f, "chosen").n_nodes, 3);
    assert_int_equal(group_of(f, "chosen").nodes[2], 7);
}

static void test_lines(void **state)
{
    model_text *f = *state;
    read_text(f, "dimension: 2\n"
                 "materials: {steel: {young: 2.1e11, density: 7800}}\n"
                 "meshes:\n"
                 "  arm:\n"
                 "    line: {points: [[0, 0], [0.3, 0.4], [0.9, 0.4]], divisions: [5, 3]}\n"
                 "    material: steel\n"
                 "    section: {tube: [0.05, 0.03]}\n"
                 "    mass: lumped\n");
    assert_int_equal(pcs_model_mesh_node_count(f->model, 0), 9);
    pcs_mesh_part_view part = pcs_model_mesh_part(f->model, 0, 0);
    assert_int_equal(part.kind, PCS_ELEMENT_BEAM);
    const double area = acos(-1.0) * (0.025 * 0.025 - 0.015 * 0.015);
    assert_near(part.section->area, area, 4 * DBL_EPSILON * area);
    assert_near(pcs_model_mesh_mass(f->model, 0), area * 1.1 * 7800, 1e-13 * 10);
    assert_int_equal(group_of(f, "start").nodes[0], 0);
    assert_int_equal(group_of(f, "end").nodes[0], 8);

    read_text(f,
              "dimension: 3\n"
              "meshes:\n"
              "  ring:\n"
              "    line: {points: [[0, 0, 0], [1, 0, 0], [0, 1, 0]], divisions: 4, closed: true, "
              "element: bar}\n"
              "    " STEEL "\n"
              "    section: {area: 2e-4}\n");
    assert_int_equal(pcs_model_mesh_node_count(f->model, 0), 12);
    assert_int_equal(pcs_model_mesh_part(f->model, 0, 0).kind, PCS_ELEMENT_BAR);
    assert_int_equal(pcs_model_velocity_count(f->model), 36);
    assert_near(pcs_model_mesh_mass(f->model, 0), 7800 * 2e-4 * (2 + sqrt(2)), 1e-13 * 10);

    read_text(f, "dimension: 2\n"
                 "meshes:\n"
                 "  arc:\n"
                 "    line: {from: [1, 0], through: [0, 1], to: [-1, 0], divisions: 6}\n"
                 "    " STEEL "\n"
                 "    section: {area: 2e-4, inertia: 3e-9, shear_area: 1.5e-4}\n");
    const double length = 6 * 2 * sin(acos(-1.0) / 12);
    assert_near(pcs_model_mesh_mass(f->model, 0), 7800 * 2e-4 * length, 1e-12);
    part = pcs_model_mesh_part(f->model, 0, 0);
    assert_near(part.section->inertia[1], 3e-9, 0);
    assert_near(part.section->shear_area[0], 1.5e-4, 0);
}

// ---- Files ----

static void test_file(void **state)
{
    model_text *f = *state;
    static const char *const names[] = {"bracket.msh", "bracket_binary.msh",
                                        "bracket_binary_22.msh"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        char text[1024];
        snprintf(
            text, sizeof text,
            "dimension: 3\nmeshes:\n  bracket:\n    file: meshes/%s\n    scale: 1e-3\n"
            "    element: plain-hexahedron\n    " STEEL "\n    fixed: [wall]\n"
            "    loads: [{group: shelf, pressure: 1e5*t}, {group: shelf, total: [0, 0, -9]}]\n",
            names[k]);
        read_text(f, text);
        assert_int_equal(pcs_model_mesh_node_count(f->model, 0), 72);
        pcs_mesh_part_view part = pcs_model_mesh_part(f->model, 0, 0);
        assert_int_equal(part.kind, PCS_ELEMENT_HEXAHEDRON_PLAIN);
        assert_int_equal(part.n_elements, 22);
        const double mass = 7800 * 22 * 0.010 * 0.012 * 0.010;
        assert_near(pcs_model_mesh_mass(f->model, 0), mass, 1e-13 * mass);
        assert_int_equal(group_of(f, "wall").n_nodes, 21);
        assert_int_equal(group_of(f, "wall").n_faces, 12);
        assert_int_equal(group_of(f, "shelf").n_faces, 10);
        assert_int_equal(group_of(f, "bracket").n_nodes, 72);
        assert_int_equal(pcs_model_row_count(f->model), 3 * 21);
    }
}

// The lines of a file, part by part; numbers of nodes as in the file.
static void test_parts(void **state)
{
    model_text *f = *state;
    read_text(f, "dimension: 2\n"
                 "materials:\n"
                 "  steel: {young: 2.1e11, density: 7800}\n"
                 "  wood: {young: 1.1e10, density: 470}\n"
                 "meshes:\n"
                 "  frame:\n"
                 "    file: meshes/frame.msh\n"
                 "    material: steel\n"
                 "    parts:\n"
                 "      columns: {section: {rectangle: [0.1, 0.2]}}\n"
                 "      girder: {section: {circle: 0.3}, material: wood, element: linear-beam}\n"
                 "    fixed: [feet]\n"
                 "joints:\n"
                 "  tie: {type: distance, bodies: [{mesh: frame, tag: 70}, {mesh: frame, tag: "
                 "150}]}\n"
                 "forces: {wind: {mesh: frame, tag: 30, force: [100, 0]}}\n");
    assert_int_equal(pcs_model_mesh_part_count(f->model, 0), 2);
    pcs_mesh_part_view columns = pcs_model_mesh_part(f->model, 0, 0);
    pcs_mesh_part_view girder = pcs_model_mesh_part(f->model, 0, 1);
    assert_string_equal(columns.name, "columns");
    assert_int_equal(columns.n_elements, 12);
    assert_int_equal(columns.kind, PCS_ELEMENT_BEAM);
    assert_int_equal(girder.n_elements, 8);
    assert_int_equal(girder.kind, PCS_ELEMENT_LINEAR_BEAM);
    const double pi = acos(-1.0);
    const double mass = 7800 * 0.02 * 6 + 470 * pi * 0.0225 * 4;
    assert_near(pcs_model_mesh_mass(f->model, 0), mass, 1e-13 * mass);
    assert_int_equal(group_of(f, "feet").n_nodes, 2);
    assert_int_equal(pcs_model_row_count(f->model), 2 * 3 + 1);

    // one part alone, the rest of the file is left out
    read_text(f, "dimension: 2\nmeshes:\n  frame:\n    file: meshes/frame.msh\n    only: [girder]\n"
                 "    section: {circle: 0.3}\n    " STEEL "\n    fixed: [corner]\n");
    assert_int_equal(pcs_model_mesh_node_count(f->model, 0), 9);
    assert_int_equal(group_of(f, "corner").n_nodes, 1);
    assert_int_equal(group_of(f, "columns").n_nodes, 2); // the ends that they share
}

// ---- Placement, holds and frames ----

// A mesh that is turned and moves; joints on its nodes are where the nodes are.
static void test_placement(void **state)
{
    model_text *f = *state;
    read_text(f,
              "dimension: 3\n"
              "bodies:\n"
              "  hub: {mass: 2, inertia: [1, 1, 1], position: [0.5, 0.2, 0.1]}\n"
              "  bob: {mass: 1, inertia: [1, 1, 1], position: [0.5, 1.7, 0.1]}\n"
              "meshes:\n"
              "  arm:\n"
              "    line: {from: [0, 0, 0], to: [1.5, 0, 0], divisions: 5}\n"
              "    " STEEL "\n"
              "    section: {rectangle: [0.02, 0.03], y: [0, 1, 1]}\n"
              "    position: [0.5, 0.2, 0.1]\n"
              "    rotation: {axis: [0, 0, 1], angle: pi/2}\n"
              "    links: [{group: start, body: hub}]\n"
              "    damping: {mass: 0.3, stiffness: 1e-4}\n"
              "joints:\n"
              "  pivot: {type: revolute, bodies: [ground, hub], axis: [0, 0, 1], at: [0.5, 0.2, "
              "0.1]}\n"
              "  tip: {type: revolute, bodies: [{mesh: arm, group: end}, bob], axis: [0, 0, 1]}\n"
              "springs:\n"
              "  cord: {type: point, bodies: [{mesh: arm, node: 1}, {mesh: arm, node: 3}], "
              "stiffness: 10}\n");
    // positions fit the joints: nothing is moved when the simulation starts
    model_text_start(f);
    assert_int_equal(pcs_model_row_count(f->model), 6 + 5 + 5);
    // the bob is where the end of the arm is: at (0.5, 0.2 + 1.5, 0.1)
    assert_near(pcs_simulation_statistics(f->simulation)->assembly_moved, 0, 1e-14);
}

static void test_components(void **state)
{
    model_text *f = *state;
    read_text(f,
              "dimension: 3\nmeshes:\n  cube:\n"
              "    block: {size: [1, 1, 1], divisions: [1, 1, 1]}\n    " STEEL "\n"
              "    fixed: [{group: x_min, components: [x]}, {group: y_min, components: [y, z]}]\n");
    assert_int_equal(pcs_model_row_count(f->model), 4 + 2 * 4);
    read_text(f, "dimension: 2\nmeshes:\n  arm:\n"
                 "    line: {from: [0, 0], to: [1, 0], divisions: 2}\n    " STEEL "\n"
                 "    section: {circle: 0.1}\n"
                 "    fixed: [start, {group: end, components: [rz]}]\n");
    assert_int_equal(pcs_model_row_count(f->model), 3 + 1);
}

// ---- Contacts of surfaces ----

// Gaps at the start of single nodes against every kind of target.
static void test_surfaces(void **state)
{
    model_text *f = *state;
    read_text(
        f, "dimension: 3\n"
           "laws: {rough: {friction: 0.4}}\n"
           "bodies: {carrier: {mass: 1, inertia: 1, position: [0, 0, -1]}}\n"
           "meshes:\n"
           "  cube: # node 0 at (-0.1, -0.2, 0.2), node 7 at (0.1, 0.2, 0.8)\n"
           "    block: {size: [0.2, 0.4, 0.6], divisions: [1, 1, 1]}\n    " STEEL "\n"
           "    position: [0, 0, 0.5]\n"
           "  slab: # its top at z = -0.3\n"
           "    block: {size: [2, 2, 0.2], divisions: [1, 1, 1]}\n    " STEEL "\n"
           "    position: [0, 0, -0.4]\n"
           "contacts:\n"
           "  floor: {type: surface, mesh: cube, group: z_min, target: {plane: [0, 0, 2], at: [0, "
           "0, 0.3], body: carrier}, law: rough}\n"
           "  ball: {type: surface, mesh: cube, target: {sphere: 0.25, at: [-0.1, -0.2, -1]}}\n"
           "  drum: {type: surface, mesh: cube, target: {cylinder: {radius: 0.3, length: 5}, axis: "
           "[1, 0, 0], at: [0, -0.2, -1]}}\n"
           "  pill: {type: surface, mesh: cube, target: {capsule: {radius: 0.1, length: 5}, "
           "rotation: {axis: [0, 1, 0], angle: pi/2}, at: [0, -0.2, -1]}, node_radius: 0.01}\n"
           "  table: {type: surface, mesh: cube, target: {box: [3, 3, 0.5], at: [0, 0, -0.5]}}\n"
           "  pair: {type: surface, mesh: cube, target: {mesh: slab, group: z_max}, reach: 2}\n"
           "  rest: {type: all-surfaces, shapes: false, planes: [{normal: [1, 0, 0], at: [-0.5, 0, "
           "0]}], one_pass: true, reach: 2}\n");
    model_text_start(f);
    static const struct {
        const char *path;
        double gap;
    } rows[] = {{"contact.floor.0.gap", 0.2 - (-0.7)},  {"contact.ball.0.gap", 1.2 - 0.25},
                {"contact.drum.0.gap", 1.2 - 0.3},      {"contact.pill.0.gap", 1.2 - 0.1 - 0.01},
                {"contact.table.7.gap", 0.8 - (-0.25)}, {"contact.pair.0.gap", 0.2 - (-0.3)},
                {"contact.rest_cube_plane1.7.gap", 0.6}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        assert_near(model_text_signal(f, rows[k].path), rows[k].gap, 16 * DBL_EPSILON);

    read_text(
        f, "dimension: 2\nmeshes:\n  arm:\n"
           "    line: {from: [0, 0.3], to: [1, 0.3], divisions: 2}\n    " STEEL "\n"
           "    section: {circle: 0.1}\n"
           "contacts:\n"
           "  floor: {type: surface, mesh: arm, target: {plane: [0, 1], extent: 3}, node_radius: "
           "0.05, surface_speed: sin(t)}\n"
           "  stop: {type: surface, mesh: arm, group: end, target: {box: [0.2, 0.4], angle: pi/2, "
           "at: [2, 0.3]}}\n");
    model_text_start(f);
    assert_near(model_text_signal(f, "contact.floor.1.gap"), 0.25, 4 * DBL_EPSILON);
    assert_near(model_text_signal(f, "contact.stop.2.gap"), 0.8, 4 * DBL_EPSILON);
}

// The cells of generators and files have their faces as the finite elements have them.
static void test_faces(void **state)
{
    (void)state;
    static const struct {
        pcs_cell_kind cell;
        pcs_element_kind element;
    } rows[] = {{PCS_CELL_TETRAHEDRON, PCS_ELEMENT_TETRAHEDRON},
                {PCS_CELL_HEXAHEDRON, PCS_ELEMENT_HEXAHEDRON},
                {PCS_CELL_HEXAHEDRON, PCS_ELEMENT_HEXAHEDRON_PLAIN}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        const pcs_fe_class *class = pcs_fe_class_find(rows[r].element);
        const pcs_mesh_cell cell = {rows[r].cell, {0, 1, 2, 3, 4, 5, 6, 7}};
        assert_int_equal(class->n_nodes, pcs_cell_node_count(rows[r].cell));
        assert_int_equal(class->n_faces, pcs_cell_face_count(rows[r].cell));
        for (int32_t i = 0; i < class->n_faces; i++) {
            const pcs_mesh_face face = pcs_cell_face(&cell, i);
            bool found = false;
            for (int32_t j = 0; j < class->n_faces; j++) {
                for (int32_t turn = 0; turn < class->face_nodes; turn++) {
                    bool same = true;
                    for (int32_t k = 0; k < class->face_nodes; k++)
                        same = same &&
                               class->face[j][(k + turn) % class->face_nodes] == face.nodes[k];
                    found = found || same;
                }
            }
            assert_true(found);
        }
    }
}

// The text of a model is one that can be read again.
static void test_text(void **state)
{
    model_text *f = *state;
    read_text(f, "dimension: 3\nmeshes:\n  bracket:\n    file: meshes/bracket.msh\n"
                 "    parts: {bracket: {" STEEL "}}\n");
    char *text = strdup(pcs_model_file_text(f->file));
    read_text(f, text);
    assert_string_equal(text, pcs_model_file_text(f->file));
    free(text);
}

static void test_failing_memory(void **state)
{
    model_text *f = *state;
    uint64_t n = 1;
    for (pcs_status status = PCS_ERROR_MEMORY; status < 0; n++) {
        pcs_context_fail_heap_call(f->ctx, n);
        status = try_text(f, "dimension: 3\nmeshes:\n  bracket:\n    file: meshes/bracket.msh\n"
                             "    " STEEL "\n    fixed: [wall]\n");
        pcs_context_fail_heap_call(f->ctx, 0);
        if (status < 0)
            assert_int_equal(status, PCS_ERROR_MEMORY);
    }
    assert_true(n > 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_block, model_text_set_up, model_text_tear_down),
        cmocka_unit_test_setup_teardown(test_lines, model_text_set_up, model_text_tear_down),
        cmocka_unit_test_setup_teardown(test_file, model_text_set_up, model_text_tear_down),
        cmocka_unit_test_setup_teardown(test_parts, model_text_set_up, model_text_tear_down),
        cmocka_unit_test_setup_teardown(test_placement, model_text_set_up, model_text_tear_down),
        cmocka_unit_test_setup_teardown(test_components, model_text_set_up, model_text_tear_down),
        cmocka_unit_test_setup_teardown(test_surfaces, model_text_set_up, model_text_tear_down),
        cmocka_unit_test(test_faces),
        cmocka_unit_test_setup_teardown(test_text, model_text_set_up, model_text_tear_down),
        cmocka_unit_test_setup_teardown(test_failing_memory, model_text_set_up,
                                        model_text_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
