#include "support/flexible_scenes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "math/rotation.h"

static const double PI = 3.14159265358979323846;
static const double CUBE_HEIGHT = 0.35; // m, of the centroid

void scene_node_on_plane(scene *s, const char *name, pcs_mesh_id mesh, int32_t node,
                         pcs_vec3 origin, pcs_vec3 turn, pcs_law law)
{
    pcs_contact_def def = scene_contact_def(name, PCS_CONTACT_POINT_PLANE,
                                            scene_frame(PCS_GROUND, origin, turn), PCS_GROUND, law);
    scene_require(s, pcs_builder_mesh_node(s->builder, mesh, node, &def.b.node));
    scene_contact(s, &def);
}

// A straight line of n elements from `from` to `to`, with one fixation or none.
static pcs_mesh_id add_line(scene *s, pcs_element_kind kind, int32_t n, pcs_vec3 from, pcs_vec3 to,
                            pcs_material material, pcs_section section, pcs_vec3 velocity,
                            const pcs_mesh_fixation_def *fixation)
{
    enum { ELEMENTS_MAX = 1000 };
    static pcs_vec3 nodes[ELEMENTS_MAX + 1];
    static int32_t lines[2 * ELEMENTS_MAX];
    for (int32_t i = 0; i <= n; ++i)
        nodes[i] = pcs_v3_axpy(from, (double)i / n, pcs_v3_sub(to, from));
    for (int32_t i = 0; i < n; ++i) {
        lines[2 * i] = i;
        lines[2 * i + 1] = i + 1;
    }
    static const int32_t first[1] = {0};
    const pcs_mesh_group_def start = {.name = "start", .nodes = first, .n_nodes = 1};
    const pcs_mesh_part_def part = {
        .kind = kind, .nodes = lines, .n_elements = n, .material = material, .section = section};
    pcs_mesh_def def = pcs_mesh_default();
    def.name = "line";
    def.nodes = nodes;
    def.n_nodes = n + 1;
    def.parts = &part;
    def.n_parts = 1;
    def.groups = &start;
    def.n_groups = 1;
    def.fixations = fixation;
    def.n_fixations = fixation != NULL;
    def.velocity = velocity;
    pcs_mesh_id id;
    scene_require(s, pcs_builder_add_mesh(s->builder, &def, &id));
    return id;
}

void scene_elastic_bar(scene *s)
{
    scene_elastic_bar_of(s, 200);
}

void scene_elastic_bar_of(scene *s, int32_t n)
{
    const double length = 10, distance = 5.005;
    scene_begin(s, 2, pcs_v3(0, 0, 0));
    pcs_material material = pcs_material_default();
    material.young = 900;
    material.density = 1;
    pcs_section section = pcs_section_default();
    section.area = 1;
    section.inertia[0] = section.inertia[1] = 1.0 / 12;
    section.torsion = 0.14;
    // Linear: at the large steps the nodes at the wall pass through each other, as in the thesis.
    pcs_mesh_id bar = add_line(s, PCS_ELEMENT_LINEAR_BEAM, n, pcs_v3(0, 0, 0), pcs_v3(length, 0, 0),
                               material, section, pcs_v3(10, 0, 0), NULL);
    scene_node_on_plane(s, "wall", bar, n, pcs_v3(length + distance, 0, 0), pcs_v3(0, 0, PI / 2),
                        (pcs_law){0});
}

void scene_flexible_pendulum(scene *s)
{
    scene_flexible_pendulum_of(s, 2.1e11, 9.81);
}

void scene_flexible_pendulum_of(scene *s, double young, double gravity)
{
    scene_begin(s, 2, pcs_v3(0, -gravity, 0));
    pcs_material material = pcs_material_default();
    material.young = young;
    material.poisson = 0.3;
    material.density = 7800;
    pcs_section section = pcs_section_default();
    section.area = 1e-4;
    section.inertia[0] = section.inertia[1] = 8.33e-10;
    section.torsion = 1.4e-9;
    const pcs_mesh_fixation_def pin = {.group = "start", .fixed = {true, true}};
    pcs_mesh_id beam = add_line(s, PCS_ELEMENT_BEAM, 8, pcs_v3(0, 0, 0), pcs_v3(1, 0, 0), material,
                                section, pcs_v3(0, 0, 0), &pin);
    scene_node_on_plane(s, "wall", beam, 8, pcs_v3(sqrt(0.5), 0, 0), pcs_v3(0, 0, -PI / 2),
                        (pcs_law){0});
}

void scene_oblique_beam(scene *s)
{
    const double area = 2.5477e-3, theta = 35.2 * PI / 180, distance = 0.1;
    scene_begin(s, 2, pcs_v3(0, 0, 0));
    pcs_material material = pcs_material_default();
    material.young = 1e9;
    material.poisson = 0.3;
    material.density = 7850;
    pcs_section section = pcs_section_default();
    section.area = area;
    section.inertia[0] = section.inertia[1] = 5.40897e-7;
    section.torsion = 9e-7;
    // The wall is x = 0 with its free side at x < 0; the lower end leads.
    const pcs_vec3 low = {-distance, 0, 0};
    const pcs_vec3 high = {-distance - cos(theta), sin(theta), 0};
    pcs_mesh_id beam = add_line(s, PCS_ELEMENT_BEAM, 8, low, high, material, section,
                                pcs_v3(2, 0, 0), NULL);
    const pcs_law rough = {.friction = 0.5};
    scene_node_on_plane(s, "low", beam, 0, pcs_v3(0, 0, 0), pcs_v3(0, 0, PI / 2), rough);
    scene_node_on_plane(s, "high", beam, 8, pcs_v3(0, 0, 0), pcs_v3(0, 0, PI / 2), rough);
}

static int32_t cube_node(int32_t n, int32_t i, int32_t j, int32_t k)
{
    return i + (n + 1) * (j + (n + 1) * k);
}

// The cube of B4 without contacts, its lower face the nodes 0 to (n+1)^2 - 1 and the group "lower".
static pcs_mesh_id add_cube(scene *s, int32_t n, pcs_element_kind kind, pcs_material_law law,
                            double height, double speed)
{
    const double side = 0.1;
    const int32_t n_nodes = (n + 1) * (n + 1) * (n + 1), n_elements = n * n * n;
    pcs_vec3 *nodes = calloc((size_t)n_nodes, sizeof *nodes);
    int32_t *bricks = calloc((size_t)n_elements, 8 * sizeof *bricks);
    const int32_t n_lower = (n + 1) * (n + 1);
    int32_t *lower = calloc((size_t)n_lower, sizeof *lower);
    if (!nodes || !bricks || !lower)
        abort();
    for (int32_t i = 0; i < n_lower; ++i)
        lower[i] = i;
    for (int32_t k = 0, at = 0; k <= n; ++k)
        for (int32_t j = 0; j <= n; ++j)
            for (int32_t i = 0; i <= n; ++i)
                nodes[at++] = pcs_v3(side * ((double)i / n - 0.5), side * ((double)j / n - 0.5),
                                     side * ((double)k / n - 0.5));
    for (int32_t k = 0, at = 0; k < n; ++k)
        for (int32_t j = 0; j < n; ++j)
            for (int32_t i = 0; i < n; ++i)
                for (int32_t top = 0; top < 2; ++top) {
                    bricks[at++] = cube_node(n, i, j, k + top);
                    bricks[at++] = cube_node(n, i + 1, j, k + top);
                    bricks[at++] = cube_node(n, i + 1, j + 1, k + top);
                    bricks[at++] = cube_node(n, i, j + 1, k + top);
                }
    scene_begin(s, 3, pcs_v3(0, 0, -9.81));
    pcs_material material = pcs_material_default();
    material.law = law;
    material.young = 90;
    material.poisson = 0.3;
    material.density = 1;
    const pcs_mesh_part_def part = {
        .kind = kind, .nodes = bricks, .n_elements = n_elements, .material = material};
    pcs_mesh_def def = pcs_mesh_default();
    const pcs_mesh_group_def face = {.name = "lower", .nodes = lower, .n_nodes = n_lower};
    def.groups = &face;
    def.n_groups = 1;
    def.name = "cube";
    def.nodes = nodes;
    def.n_nodes = n_nodes;
    def.parts = &part;
    def.n_parts = 1;
    def.position = pcs_v3(0, 0, height);
    def.velocity = pcs_v3(0, 0, -speed);
    pcs_mesh_id cube;
    scene_require(s, pcs_builder_add_mesh(s->builder, &def, &cube));
    free(nodes);
    free(bricks);
    free(lower);
    return cube;
}

// The contacts of its lower face, node by node
static void add_floor(scene *s, int32_t n, pcs_mesh_id cube)
{
    for (int32_t i = 0; i < (n + 1) * (n + 1); ++i) {
        char name[32];
        snprintf(name, sizeof name, "floor%d", (int)i);
        scene_node_on_plane(s, name, cube, i, pcs_v3(0, 0, 0), pcs_v3(0, 0, 0), (pcs_law){0});
    }
}

void scene_flexible_cube(scene *s, int32_t n, pcs_element_kind kind)
{
    scene_landing_cube(s, n, kind, CUBE_HEIGHT, 0);
}

void scene_landing_cube(scene *s, int32_t n, pcs_element_kind kind, double height, double speed)
{
    add_floor(s, n, add_cube(s, n, kind, PCS_MATERIAL_ST_VENANT, height, speed));
}

void scene_neo_hookean_cube(scene *s, int32_t n, pcs_element_kind kind)
{
    add_floor(s, n, add_cube(s, n, kind, PCS_MATERIAL_NEO_HOOKEAN, CUBE_HEIGHT, 0));
}

void scene_flexible_cube_surface(scene *s, int32_t n, pcs_element_kind kind)
{
    pcs_surface_contact_def floor = pcs_surface_contact_default();
    floor.name = "floor";
    floor.mesh = add_cube(s, n, kind, PCS_MATERIAL_ST_VENANT, CUBE_HEIGHT, 0);
    floor.group = "lower";
    floor.target = PCS_TARGET_PLANE;
    scene_require(s, pcs_builder_add_surface_contact(s->builder, &floor));
}
