#include "support/flexible.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static pcs_material rubber(void)
{
    pcs_material m = pcs_material_default();
    m.young = 2.385e6;
    m.poisson = 0.31;
    m.density = 1173;
    m.damping = 1.7e-4;
    return m;
}

// Holds all that the nodes can do.
static pcs_mesh_fixation_def clamp(const char *group, bool turns, int32_t dimension)
{
    const bool space = dimension == 3;
    return (pcs_mesh_fixation_def){
        .group = group, .fixed = {true, true, space, turns && space, turns && space, turns}};
}

static pcs_mesh_id add_mesh(pcs_context *ctx, pcs_builder *builder, const pcs_mesh_def *def)
{
    pcs_mesh_id id = -1;
    if (pcs_builder_add_mesh(builder, def, &id) != PCS_OK)
        fail_msg("%s", pcs_context_error(ctx));
    return id;
}

// A line of n elements from a to b, clamped at its first node.
static pcs_mesh_id add_line(pcs_context *ctx, pcs_builder *builder, const char *name,
                            pcs_element_kind kind, pcs_vec3 a, pcs_vec3 b, int32_t n,
                            pcs_section section, int32_t dimension)
{
    enum { MOST = 16 };
    pcs_vec3 nodes[MOST + 1];
    int32_t elements[2 * MOST];
    assert_true(n <= MOST);
    for (int32_t i = 0; i <= n; ++i) {
        const double s = (double)i / n;
        nodes[i] = (pcs_vec3){a.x + s * (b.x - a.x), a.y + s * (b.y - a.y), a.z + s * (b.z - a.z)};
    }
    for (int32_t i = 0; i < n; ++i) {
        elements[2 * i] = i;
        elements[2 * i + 1] = i + 1;
    }
    const int32_t root[] = {0}, tip[] = {n};
    const pcs_mesh_group_def groups[] = {{.name = "root", .nodes = root, .n_nodes = 1},
                                         {.name = "tip", .nodes = tip, .n_nodes = 1}};
    const pcs_mesh_part_def part = {.name = "line",
                                    .kind = kind,
                                    .nodes = elements,
                                    .n_elements = n,
                                    .material = rubber(),
                                    .section = section};
    const pcs_mesh_fixation_def hold = clamp("root", kind != PCS_ELEMENT_BAR, dimension);
    pcs_mesh_def def = pcs_mesh_default();
    def.name = name;
    def.nodes = nodes;
    def.n_nodes = n + 1;
    def.parts = &part;
    def.n_parts = 1;
    def.groups = groups;
    def.n_groups = 2;
    def.fixations = &hold;
    def.n_fixations = 1;
    const pcs_mesh_id id = add_mesh(ctx, builder, &def);
    return id;
}

static void add_spring(pcs_builder *builder, int32_t node, pcs_body_id body, pcs_vec3 at)
{
    pcs_spring_def spring = pcs_spring_default();
    spring.name = "spring";
    spring.a.node = node;
    spring.b.body = body;
    spring.b.position = at;
    spring.stiffness = 183.7;
    spring.rest = 0.05;
    assert_int_equal(pcs_builder_add_spring(builder, &spring), PCS_OK);
}

static pcs_model *finish(pcs_builder *builder)
{
    pcs_model *model = NULL;
    assert_int_equal(pcs_builder_finish(builder, &model), PCS_OK);
    pcs_builder_destroy(builder);
    return model;
}

pcs_model *flexible_planar(pcs_context *ctx)
{
    pcs_builder *builder = NULL;
    pcs_body_id ball;
    int32_t node = 0;
    assert_int_equal(pcs_builder_create(ctx, 2, &builder), PCS_OK);
    assert_int_equal(pcs_builder_set_gravity(builder, (pcs_vec3){0, -9.81, 0}), PCS_OK);
    pcs_body_def body = pcs_body_default();
    body.name = "ball";
    body.mass = 0.173;
    body.inertia = (pcs_mat3){{{0, 0, 0}, {0, 0, 0}, {0, 0, 1.3e-4}}};
    body.position = (pcs_vec3){0.73, -0.11, 0};
    assert_int_equal(pcs_builder_add_body(builder, &body, &ball), PCS_OK);
    const pcs_mesh_id beam = add_line(ctx, builder, "beam", PCS_ELEMENT_BEAM, (pcs_vec3){0, 0, 0},
                                      (pcs_vec3){0.73, 0.13, 0}, 4,
                                      pcs_section_rectangle(0.031, 0.017), 2);
    add_line(ctx, builder, "chain", PCS_ELEMENT_BAR, (pcs_vec3){-0.2, 0, 0},
             (pcs_vec3){-0.2, -0.61, 0}, 3, pcs_section_tube(0.006, 0), 2);
    assert_int_equal(pcs_builder_mesh_group_node(builder, beam, "tip", &node), PCS_OK);
    add_spring(builder, node, ball, (pcs_vec3){0, 0, 0});
    return finish(builder);
}

// Nodes and elements of a block of n^3 cubes with the edge length `a`.
static void make_block(int32_t n, double a, pcs_vec3 *nodes, int32_t *elements)
{
    const int32_t m = n + 1;
    for (int32_t z = 0; z < m; ++z)
        for (int32_t y = 0; y < m; ++y)
            for (int32_t x = 0; x < m; ++x)
                nodes[(z * m + y) * m + x] = (pcs_vec3){a * x / n, a * y / n, a * z / n};
    for (int32_t e = 0; e < n * n * n; ++e) {
        const int32_t x = e % n, y = e / n % n, z = e / (n * n), o = (z * m + y) * m + x;
        const int32_t corner[8] = {o,         o + 1,         o + 1 + m,         o + m,
                                   o + m * m, o + 1 + m * m, o + 1 + m + m * m, o + m + m * m};
        for (int i = 0; i < 8; ++i)
            elements[8 * e + i] = corner[i];
    }
}

static pcs_mesh_id add_block(pcs_context *ctx, pcs_builder *builder, int32_t n)
{
    const int32_t m = n + 1, count = m * m * m;
    pcs_vec3 *nodes = calloc((size_t)count, sizeof *nodes);
    int32_t *elements = calloc((size_t)(8 * n * n * n), sizeof *elements);
    int32_t *base = calloc((size_t)(2 * m * m), sizeof *base), *top = base + m * m;
    assert_true(nodes && elements && base);
    make_block(n, 0.213, nodes, elements);
    for (int32_t i = 0; i < m * m; ++i) {
        base[i] = i;
        top[i] = count - m * m + i;
    }
    const int32_t corner[] = {count - 1};
    const pcs_mesh_group_def groups[] = {{.name = "base", .nodes = base, .n_nodes = m * m},
                                         {.name = "top", .nodes = top, .n_nodes = m * m},
                                         {.name = "corner", .nodes = corner, .n_nodes = 1}};
    const pcs_mesh_part_def part = {.name = "cubes",
                                    .kind = PCS_ELEMENT_HEXAHEDRON,
                                    .nodes = elements,
                                    .n_elements = n * n * n,
                                    .material = rubber(),
                                    .section = pcs_section_default()};
    const pcs_mesh_fixation_def hold = clamp("base", false, 3);
    pcs_mesh_def def = pcs_mesh_default();
    def.name = "block";
    def.nodes = nodes;
    def.n_nodes = count;
    def.parts = &part;
    def.n_parts = 1;
    def.groups = groups;
    def.n_groups = 3;
    def.fixations = &hold;
    def.n_fixations = 1;
    def.velocity = (pcs_vec3){0, 0, 0};
    const pcs_mesh_id id = add_mesh(ctx, builder, &def);
    free(base);
    free(elements);
    free(nodes);
    return id;
}

pcs_model *flexible_spatial(pcs_context *ctx, int32_t n)
{
    pcs_builder *builder = NULL;
    int32_t node = 0;
    assert_int_equal(pcs_builder_create(ctx, 3, &builder), PCS_OK);
    assert_int_equal(pcs_builder_set_gravity(builder, (pcs_vec3){0, 0, -9.81}), PCS_OK);
    const pcs_mesh_id block = add_block(ctx, builder, n);
    add_line(ctx, builder, "mast", PCS_ELEMENT_BEAM, (pcs_vec3){-0.1, 0, 0},
             (pcs_vec3){-0.35, 0.17, 0.61}, 5, pcs_section_rectangle(0.037, 0.021), 3);
    assert_int_equal(pcs_builder_mesh_group_node(builder, block, "corner", &node), PCS_OK);
    add_spring(builder, node, PCS_GROUND, (pcs_vec3){0.71, 0.33, 0.41});
    return finish(builder);
}

pcs_model *flexible_net(pcs_context *ctx)
{
    enum { ROWS = 2, COLUMNS = 1201, NODES = ROWS * COLUMNS, BARS = 3 * COLUMNS - 2 };
    static pcs_vec3 nodes[NODES];
    static int32_t bars[2 * BARS];
    int32_t n = 0;
    pcs_builder *builder = NULL;
    for (int32_t i = 0; i < COLUMNS; ++i) {
        for (int32_t k = 0; k < ROWS; ++k) {
            nodes[ROWS * i + k] = (pcs_vec3){0.01 * i, 0.013 + 0.01 * k, 0};
            if (i > 0) {
                bars[n++] = ROWS * (i - 1) + k;
                bars[n++] = ROWS * i + k;
            }
        }
        bars[n++] = ROWS * i;
        bars[n++] = ROWS * i + 1;
    }
    assert_int_equal(n, 2 * BARS);
    assert_int_equal(pcs_builder_create(ctx, 2, &builder), PCS_OK);
    assert_int_equal(pcs_builder_set_gravity(builder, (pcs_vec3){0, -9.81, 0}), PCS_OK);
    const pcs_mesh_part_def part = {.name = "threads",
                                    .kind = PCS_ELEMENT_BAR,
                                    .nodes = bars,
                                    .n_elements = BARS,
                                    .material = rubber(),
                                    .section = pcs_section_tube(0.001, 0)};
    pcs_mesh_def def = pcs_mesh_default();
    def.name = "net";
    def.nodes = nodes;
    def.n_nodes = NODES;
    def.parts = &part;
    def.n_parts = 1;
    pcs_surface_contact_def floor = pcs_surface_contact_default();
    floor.name = "floor";
    floor.mesh = add_mesh(ctx, builder, &def);
    floor.target = PCS_TARGET_PLANE;
    if (pcs_builder_add_surface_contact(builder, &floor) != PCS_OK)
        fail_msg("%s", pcs_context_error(ctx));
    return finish(builder);
}
