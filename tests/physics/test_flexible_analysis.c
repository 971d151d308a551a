// Statics and modes of meshes: cantilevers against beam theory, the elastica and the frequencies of
// discretised bars in closed form.
#include "percuss/analysis.h"

#include <stdio.h>
#include <string.h>

#include "math/rotation.h"
#include "percuss/mesh.h"
#include "support/near.h"
#include "support/scenes.h"

static const pcs_vec3 zero = {0, 0, 0};
static const double length = 1.37;

enum { LINE_MAX = 64 };

typedef struct line {
    pcs_element_kind kind;
    int32_t elements;
    bool clamped;
    pcs_material material;
    pcs_section section;
    double tip; // force along y at the far end
} line;

static line steel_beam(pcs_element_kind kind, int32_t elements)
{
    line l = {.kind = kind, .elements = elements, .clamped = true};
    l.material = pcs_material_default();
    l.material.young = 2.07e11;
    l.material.poisson = 0.29;
    l.material.density = 7830;
    l.section = pcs_section_rectangle(0.011, 0.017);
    return l;
}

// A straight beam along x. Its nodes are those of the mesh in the order of x.
static pcs_mesh_id add_line(scene *s, const line *l)
{
    pcs_vec3 nodes[LINE_MAX + 1];
    const bool space = s->dimension == 3;
    int32_t elements[LINE_MAX][2], first[1] = {0}, last[1] = {l->elements};
    for (int32_t i = 0; i <= l->elements; ++i)
        nodes[i] = pcs_v3(length * i / l->elements, 0, 0);
    for (int32_t i = 0; i < l->elements; ++i) {
        elements[i][0] = i;
        elements[i][1] = i + 1;
    }
    pcs_mesh_part_def part = {.kind = l->kind,
                              .nodes = &elements[0][0],
                              .n_elements = l->elements,
                              .material = l->material,
                              .section = l->section};
    const pcs_mesh_group_def groups[] = {{.name = "root", .nodes = first, .n_nodes = 1},
                                         {.name = "tip", .nodes = last, .n_nodes = 1}};
    const pcs_mesh_fixation_def clamp = {.group = "root",
                                         .fixed = {true, true, space, space, space, true}};
    pcs_mesh_load_def load = {.group = "tip", .kind = PCS_MESH_LOAD_TOTAL};
    load.value[1] = pcs_number(l->tip);
    pcs_mesh_def def = pcs_mesh_default();
    def.name = "beam";
    def.nodes = nodes;
    def.n_nodes = l->elements + 1;
    def.parts = &part;
    def.n_parts = 1;
    def.groups = groups;
    def.n_groups = 2;
    def.fixations = &clamp;
    def.n_fixations = l->clamped ? 1 : 0;
    def.loads = &load;
    def.n_loads = l->tip != 0 ? 1 : 0;
    pcs_mesh_id id = -1;
    scene_require(s, pcs_builder_add_mesh(s->builder, &def, &id));
    return id;
}

static pcs_static_info equilibrate(scene *s)
{
    const pcs_static_opts opts = pcs_static_default();
    pcs_static_info info;
    scene_require(s, pcs_simulation_equilibrate(s->simulation, &opts, &info));
    return info;
}

static pcs_modes *find_modes(scene *s, int32_t count, pcs_modes_method method)
{
    pcs_modes_opts opts = pcs_modes_default();
    opts.count = count;
    opts.method = method;
    pcs_modes *modes = NULL;
    scene_require(s, pcs_simulation_start(s->simulation));
    scene_require(s, pcs_modes_create(s->simulation, &opts, &modes));
    return modes;
}

// P L^3 / (3 E I), and rho A g L^4 / (8 E I) under its weight: cubic elements are exact at nodes
// for the first; a consistent line load of the weight would be for the second, nodal weights are to
// (1/n)^2.
static void test_linear_cantilever(void **state)
{
    (void)state;
    const double P = -0.83;
    for (int dimension = 2; dimension <= 3; ++dimension) {
        line l = steel_beam(PCS_ELEMENT_LINEAR_BEAM, 8);
        l.tip = P;
        scene s;
        scene_begin(&s, dimension, zero);
        add_line(&s, &l);
        scene_finish(&s, 1e-3, 0.1);
        const pcs_static_info info = equilibrate(&s);
        const double exact = P * pow(length, 3) / (3 * l.material.young * l.section.inertia[1]);
        assert_near(info.moved, fabs(exact), 1e-8 * fabs(exact));
        assert_string_equal(info.moved_node, "node 8 of mesh 'beam'");
        scene_end(&s);
    }
}

// The elastica: EI theta'' = -P cos theta, theta(0) = 0, theta'(1) = 0, unit length, alpha = P L^2
// / EI. Shooting for theta(1) with RK4 from the tip; x and y of the tip.
static double shoot(double alpha, double tip, double *x, double *y)
{
    enum { STEPS = 4000 };
    const double h = 1.0 / STEPS;
    double q[4] = {tip, 0, 0, 0}; // theta, theta', x, y, backwards from the tip
    for (int i = 0; i < STEPS; ++i) {
        double k[4][4], sum[4] = {0};
        for (int stage = 0; stage < 4; ++stage) {
            const double a = stage == 0 ? 0 : stage == 3 ? h : 0.5 * h;
            double at[4];
            for (int j = 0; j < 4; ++j)
                at[j] = q[j] + (stage > 0 ? a * k[stage - 1][j] : 0);
            k[stage][0] = at[1];
            k[stage][1] = -alpha * cos(at[0]);
            k[stage][2] = cos(at[0]);
            k[stage][3] = sin(at[0]);
            for (int j = 0; j < 4; ++j)
                sum[j] += (stage == 0 || stage == 3 ? 1 : 2) * k[stage][j];
        }
        for (int j = 0; j < 4; ++j)
            q[j] += h / 6 * sum[j];
    }
    *x = q[2];
    *y = q[3];
    return q[0];
}

static void elastica(double alpha, double *x, double *y)
{
    double a = 0, b = 0.5 * PCS_PI;
    for (int i = 0; i < 60; ++i) {
        const double tip = 0.5 * (a + b);
        *(shoot(alpha, tip, x, y) < 0 ? &a : &b) = tip;
    }
}

static pcs_vec3 bent_tip(int32_t elements, double alpha)
{
    line l = steel_beam(PCS_ELEMENT_BEAM, elements);
    l.section.area *= 1e3; // hardly any stretch and shear: the elastica has none
    l.section.shear_area[0] = l.section.shear_area[1] = l.section.area;
    l.tip = alpha * l.material.young * l.section.inertia[1] / (length * length);
    scene s;
    scene_begin(&s, 2, zero);
    // A body welded to the tip shows where it is; there is no gravity.
    pcs_body_def probe = pcs_body_default();
    probe.name = "probe";
    probe.mass = 1;
    probe.inertia.m[2][2] = 1;
    probe.position = pcs_v3(length, 0, 0);
    pcs_body_id body = scene_body(&s, &probe);
    const pcs_mesh_id mesh = add_line(&s, &l);
    pcs_joint_def weld = pcs_joint_default();
    weld.name = "weld";
    weld.kind = PCS_JOINT_FIXED;
    scene_require(&s, pcs_builder_mesh_group_node(s.builder, mesh, "tip", &weld.a.node));
    weld.b.body = body;
    scene_joint(&s, &weld);
    scene_finish(&s, 1e-3, 0.1);
    equilibrate(&s);
    const pcs_vec3 tip = scene_view(&s, body).position;
    scene_end(&s);
    return pcs_v3_scale(1 / length, tip);
}

// Published: alpha = 1 gives (u, w) = (0.05643, 0.30172), alpha = 10 (0.55500, 0.81061)
// [Mattiasson1981, table 1]. Elements with one integration point are of second order: halving them
// divides the error by four, and Richardson's extrapolation leaves the fourth order.
static void test_elastica(void **state)
{
    (void)state;
    double x, y;
    elastica(1, &x, &y);
    assert_digits(1 - x, 0.05643, 1e-5);
    assert_digits(y, 0.30172, 1e-5);
    elastica(10, &x, &y);
    assert_digits(1 - x, 0.55500, 1e-5);
    assert_digits(y, 0.81061, 1e-5);
    const pcs_vec3 coarse = bent_tip(16, 10), fine = bent_tip(32, 10);
    const double ratio = (coarse.y - y) / (fine.y - y);
    assert_near(ratio, 4, 0.2);
    assert_near((4 * fine.y - coarse.y) / 3, y, 2e-5);
    assert_near((4 * fine.x - coarse.x) / 3, x, 2e-5);
}

// Clamped and free: cos(b) cosh(b) = -1; free and free: = 1. omega = b^2 sqrt(E I / (rho A L^4)).
// With n cubic elements of consistent mass the relative error of omega is about (b/n)^4 / 1440.
static void test_beam_frequencies(void **state)
{
    (void)state;
    enum { N = 24 };
    const double clamped_roots[3] = {1.8751040687, 4.6940911330, 7.8547574382};
    const double free_roots[2] = {4.7300407449, 7.8532046241};
    for (int clamped = 0; clamped < 2; ++clamped) {
        line l = steel_beam(PCS_ELEMENT_LINEAR_BEAM, N);
        l.clamped = clamped;
        scene s;
        scene_begin(&s, 3, zero);
        add_line(&s, &l);
        scene_finish(&s, 1e-3, 0.1);
        pcs_modes *modes = find_modes(&s, 10, PCS_MODES_AUTO);
        const pcs_modes_info info = pcs_modes_get_info(modes);
        assert_int_equal(info.rigid, clamped ? 0 : 6);
        int32_t found = 0;
        for (int axis = 0; axis < 2; ++axis)
            for (int k = 0; k < (clamped ? 3 : 2); ++k) {
                const double b = clamped ? clamped_roots[k] : free_roots[k];
                const double omega = b * b *
                                     sqrt(l.material.young * l.section.inertia[axis] /
                                          (l.material.density * l.section.area)) /
                                     (length * length);
                const double slack = pow(b / N, 4) / 700 + 1e-4; // rotary inertia of the section
                for (int32_t i = 0; i < info.count; ++i)
                    if (fabs(2 * PCS_PI * pcs_modes_get(modes, i).frequency / omega - 1) < slack) {
                        ++found;
                        break;
                    }
            }
        assert_int_equal(found, clamped ? 6 : 4);
        pcs_modes_destroy(modes);
        scene_end(&s);
    }
}

// ---- Solids ----

enum { CELLS_MAX = 12, BLOCK_NODES_MAX = (CELLS_MAX + 1) * 25 };

// nx cells along x, n by n across, ends at x = 0 held in x; `guided`: all nodes held in y and z.
static pcs_mesh_id add_block(scene *s, int32_t nx, int32_t n, pcs_vec3 size, bool guided,
                             double poisson, bool free)
{
    static pcs_vec3 nodes[BLOCK_NODES_MAX];
    static int32_t cells[CELLS_MAX * 16][8], root[25], all[BLOCK_NODES_MAX];
    const int32_t across = (n + 1) * (n + 1);
    int32_t count = 0;
    for (int32_t i = 0; i <= nx; ++i)
        for (int32_t j = 0; j <= n; ++j)
            for (int32_t k = 0; k <= n; ++k) {
                const int32_t at = i * across + j * (n + 1) + k;
                nodes[at] = pcs_v3(size.x * i / nx, size.y * j / n, size.z * k / n);
                all[at] = at;
                if (i == 0)
                    root[at] = at;
            }
    for (int32_t i = 0; i < nx; ++i)
        for (int32_t j = 0; j < n; ++j)
            for (int32_t k = 0; k < n; ++k, ++count)
                for (int32_t c = 0; c < 8; ++c) {
                    static const int32_t corner[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0},
                                                         {0, 1, 0}, {0, 0, 1}, {1, 0, 1},
                                                         {1, 1, 1}, {0, 1, 1}};
                    cells[count][c] = (i + corner[c][0]) * across + (j + corner[c][1]) * (n + 1) +
                                      k + corner[c][2];
                }
    pcs_mesh_part_def part = {.kind = PCS_ELEMENT_HEXAHEDRON,
                              .nodes = &cells[0][0],
                              .n_elements = count,
                              .material = pcs_material_default(),
                              .section = pcs_section_default()};
    part.material.young = 7.1e10;
    part.material.poisson = poisson;
    part.material.density = 2710;
    const pcs_mesh_group_def groups[] = {
        {.name = "root", .nodes = root, .n_nodes = across},
        {.name = "whole", .nodes = all, .n_nodes = (nx + 1) * across}};
    const pcs_mesh_fixation_def held[] = {{.group = "root", .fixed = {true, !guided, !guided}},
                                          {.group = "whole", .fixed = {false, true, true}}};
    pcs_mesh_def def = pcs_mesh_default();
    def.name = "block";
    def.nodes = nodes;
    def.n_nodes = (nx + 1) * across;
    def.parts = &part;
    def.n_parts = 1;
    def.groups = groups;
    def.n_groups = 2;
    def.fixations = held;
    def.n_fixations = free ? 0 : guided ? 2 : 1;
    def.position = free ? pcs_v3(0.2, -0.1, 0.013) : zero;
    pcs_mesh_id id = -1;
    scene_require(s, pcs_builder_add_mesh(s->builder, &def, &id));
    return id;
}

// Linear elements with consistent mass, without lateral motion and nu = 0, have for the bar held at
// one end omega_j^2 = 6 E / (rho h^2) (1 - cos t)/(2 + cos t), t = (2j-1) pi / (2n).
static void test_solid_bar(void **state)
{
    (void)state;
    enum { N = 9 };
    const double L = 0.83, h = L / N;
    scene s;
    scene_begin(&s, 3, zero);
    add_block(&s, N, 1, pcs_v3(L, 0.05, 0.07), true, 0, false);
    scene_finish(&s, 1e-3, 0.1);
    pcs_modes *modes = find_modes(&s, 40, PCS_MODES_AUTO);
    const pcs_modes_info info = pcs_modes_get_info(modes);
    assert_int_equal(info.freedoms, 4 * N);
    assert_int_equal(info.rigid, 0);
    for (int j = 1; j <= 3; ++j) {
        const double t = (2 * j - 1) * PCS_PI / (2 * N);
        const double square = 6 * 7.1e10 / (2710 * h * h) * (1 - cos(t)) / (2 + cos(t));
        double nearest = HUGE_VAL;
        for (int32_t i = 0; i < info.count; ++i)
            nearest = fmin(nearest, fabs(pcs_modes_get(modes, i).square / square - 1));
        assert_at_most(nearest, 1e-9);
    }
    pcs_modes_destroy(modes);
    scene_end(&s);
}

// A solid cantilever of 825 velocities: Lanczos and LAPACK agree, and bending is near beam theory
// (Timoshenko's correction and the mesh stay below 3 %).
static void test_solid_cantilever(void **state)
{
    (void)state;
    const pcs_vec3 size = {1.0, 0.062, 0.081};
    scene s;
    scene_begin(&s, 3, zero);
    add_block(&s, 10, 4, size, false, 0.33, false);
    scene_finish(&s, 1e-3, 0.1);
    pcs_modes *sparse = find_modes(&s, 6, PCS_MODES_AUTO);
    pcs_modes *dense = find_modes(&s, 6, PCS_MODES_DENSE);
    assert_true(pcs_modes_get_info(sparse).sparse);
    assert_int_equal(pcs_modes_get_info(sparse).freedoms, pcs_modes_get_info(dense).freedoms);
    assert_int_equal(pcs_modes_get_info(sparse).rigid, 0);
    for (int32_t i = 0; i < 6; ++i) {
        // n eps omega_max^2 / omega_1^2 = 825 * 2e-16 * 1e6 / 1
        assert_near(pcs_modes_get(sparse, i).square / pcs_modes_get(dense, i).square, 1, 1e-7);
        assert_at_most(pcs_modes_get(sparse, i).residual, 1e-6);
    }
    const double b2 = 1.8751040687 * 1.8751040687;
    for (int axis = 0; axis < 2; ++axis) {
        const double edge = axis == 0 ? size.y : size.z;
        const double omega = b2 * edge * sqrt(7.1e10 / (12 * 2710.0)) / (size.x * size.x);
        assert_near(2 * PCS_PI * pcs_modes_get(sparse, axis).frequency / omega, 1, 0.03);
    }
    pcs_modes_destroy(sparse);
    pcs_modes_destroy(dense);
    scene_end(&s);
}

// A block of metal comes down on a plane and lies there: the contact forces carry its weight, and
// the corners of the block are loaded alike. Nothing holds it along the plane, and it does not go
// there.
static void test_block_on_plane(void **state)
{
    (void)state;
    const pcs_vec3 size = {0.3, 0.2, 0.1};
    const double g = 9.81;
    scene s;
    scene_begin(&s, 3, pcs_v3(0, 0, -g));
    pcs_surface_contact_def def = pcs_surface_contact_default();
    def.name = "floor";
    def.mesh = add_block(&s, 3, 2, size, false, 0.33, true);
    def.target = PCS_TARGET_PLANE;
    scene_require(&s, pcs_builder_add_surface_contact(s.builder, &def));
    scene_finish(&s, 1e-3, 0.1);
    const pcs_static_info info = equilibrate(&s);
    const double weight = 2710 * size.x * size.y * size.z * g;
    double sum = 0;
    for (int32_t i = 0; i < pcs_model_contact_count(s.model); ++i)
        sum += scene_contact_view(&s, i).force[0];
    assert_near(sum, weight, 1e-8 * weight);
    assert_int_equal(info.contacts, 12);
    assert_at_most(info.penetration, 1e-10);
    assert_near(info.moved, 0.013,
                1e-6); // it is stiff: its weight strains it by rho g h / E = 4e-8
    scene_end(&s);
}

// A free beam that falls is named.
static void test_free_mesh(void **state)
{
    (void)state;
    line l = steel_beam(PCS_ELEMENT_BEAM, 6);
    l.clamped = false;
    scene s;
    scene_begin(&s, 3, pcs_v3(0, -9.81, 0));
    add_line(&s, &l);
    scene_finish(&s, 1e-3, 0.1);
    const pcs_static_opts opts = pcs_static_default();
    pcs_static_info info;
    assert_int_equal(pcs_simulation_equilibrate(s.simulation, &opts, &info), PCS_ERROR_MODEL);
    assert_non_null(strstr(pcs_context_error(s.ctx), "mesh 'beam' moves without resistance"));
    scene_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_linear_cantilever), cmocka_unit_test(test_elastica),
        cmocka_unit_test(test_beam_frequencies),  cmocka_unit_test(test_solid_bar),
        cmocka_unit_test(test_solid_cantilever),  cmocka_unit_test(test_free_mesh),
        cmocka_unit_test(test_block_on_plane),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
