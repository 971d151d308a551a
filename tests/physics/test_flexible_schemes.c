// Every scheme on a flexible model: a cantilever of four beams under a weight that acts all at
// once, and the same beam with a stop under its tip.
//
// The deflections are a thousandth of the length, so that the motion of the finite elements is the
// sum of their modes,
//     d(t) = sum_i x_i a_i (1 - cos(omega_i t)),   a_i = x_i^T M d_s,
// with the static deflection d_s, up to (1e-3)^2 of it. Modes and statics come from the library's
// own analysis, which shares only M, K and f with the schemes. A method of order 2 with steps h is
// late in each mode by the angle c omega^3 h^2 t; c is 1/12 for Moreau-Jean with theta = 1/2. For
// generalized-alpha c = 1/2 is taken, a guess on the safe side that is not derived here.
#include <float.h>
#include <stdio.h>
#include <string.h>

#include "model/assembly.h"
#include "percuss/analysis.h"
#include "percuss/mesh.h"
#include "simulation/simulation.h"
#include "support/flexible_scenes.h"
#include "support/near.h"

enum { ELEMENTS = 4, TIP = ELEMENTS, MODES = 3 * ELEMENTS };
static const double PI = 3.14159265358979323846;
static const double length = 0.73, gravity = 1.37, end_free = 0.3;
// Part of the deflection that (1e-3)^2 of geometry changes, over two periods.
static const double NONLINEAR = 2e-5;

// ---- The model ----

// stop: distance of a plane below the tip, 0 for none.
static void build(scene *s, double stop)
{
    pcs_vec3 nodes[ELEMENTS + 1];
    int32_t lines[2 * ELEMENTS];
    static const int32_t first[1] = {0};
    for (int32_t i = 0; i <= ELEMENTS; ++i)
        nodes[i] = pcs_v3(length * i / ELEMENTS, 0, 0);
    for (int32_t i = 0; i < ELEMENTS; ++i) {
        lines[2 * i] = i;
        lines[2 * i + 1] = i + 1;
    }
    pcs_material material = pcs_material_default();
    material.young = 2.37e8;
    material.poisson = 0.31;
    material.density = 1130;
    const double b = 0.021, height = 0.05;
    pcs_section section = pcs_section_default();
    section.area = b * height;
    section.inertia[0] = section.inertia[1] = b * height * height * height / 12;
    section.torsion = 1e-7;
    const pcs_mesh_group_def start = {.name = "start", .nodes = first, .n_nodes = 1};
    const pcs_mesh_part_def part = {.kind = PCS_ELEMENT_BEAM,
                                    .nodes = lines,
                                    .n_elements = ELEMENTS,
                                    .material = material,
                                    .section = section};
    const pcs_mesh_fixation_def clamp = {.group = "start",
                                         .fixed = {true, true, false, false, false, true}};
    pcs_mesh_def def = pcs_mesh_default();
    def.name = "arm";
    def.nodes = nodes;
    def.n_nodes = ELEMENTS + 1;
    def.parts = &part;
    def.n_parts = 1;
    def.groups = &start;
    def.n_groups = 1;
    def.fixations = &clamp;
    def.n_fixations = 1;
    pcs_mesh_id arm;
    scene_begin(s, 2, pcs_v3(0, -gravity, 0));
    scene_require(s, pcs_builder_add_mesh(s->builder, &def, &arm));
    if (stop > 0)
        scene_node_on_plane(s, "stop", arm, TIP, pcs_v3(length, -stop, 0), pcs_v3(0, 0, 0),
                            (pcs_law){0});
}

static int32_t component(const scene *s, int32_t node)
{
    return pcs_model_node(s->model, node)->v + 1; // y
}

static double height_of(const scene *s, int32_t node)
{
    return s->simulation->state.q[pcs_model_node(s->model, node)->q + 1];
}

static double speed_of(const scene *s, int32_t node)
{
    return s->simulation->state.v[component(s, node)];
}

// ---- The motion as a sum of modes ----

typedef struct modal {
    int32_t n;
    double omega[MODES], at[MODES][ELEMENTS + 1]; // x_i a_i at the nodes, y
} modal;

static modal find_modal(void)
{
    scene s;
    build(&s, 0);
    scene_finish(&s, 1e-3, 1);
    const pcs_model *m = s.model;
    double d[64], M_d[64], q[64];
    assert_true(m->n_v <= 64 && m->n_q <= 64);
    pcs_static_opts static_opts = pcs_static_default();
    pcs_static_info info;
    scene_require(&s, pcs_simulation_equilibrate(s.simulation, &static_opts, &info));
    for (int32_t i = 0; i < m->n_q; ++i)
        q[i] = s.simulation->state.q[i];
    pcs_modes_opts opts = pcs_modes_default();
    opts.count = MODES;
    pcs_modes *modes;
    scene_restart(&s, 1e-3, 1);
    scene_require(&s, pcs_simulation_start(s.simulation));
    scene_require(&s, pcs_modes_create(s.simulation, &opts, &modes));
    pcs_model_difference(m, q, s.simulation->state.q, d);
    pcs_model_mass_multiply(m, &pcs_simulation_present(s.simulation, false)->c, d, M_d);
    modal out = {.n = pcs_modes_get_info(modes).count};
    assert_int_equal(out.n, MODES);
    for (int32_t i = 0; i < out.n; ++i) {
        const pcs_mode mode = pcs_modes_get(modes, i);
        double a = 0;
        for (int32_t j = 0; j < m->n_v; ++j)
            a += mode.shape[j] * M_d[j];
        out.omega[i] = 2 * PI * mode.frequency;
        for (int32_t k = 0; k <= ELEMENTS; ++k)
            out.at[i][k] = a * mode.shape[component(&s, k)];
    }
    pcs_modes_destroy(modes);
    scene_end(&s);
    return out;
}

static double modal_height(const modal *m, int32_t node, double t)
{
    double sum = 0;
    for (int32_t i = 0; i < m->n; ++i)
        sum += m->at[i][node] * (1 - cos(m->omega[i] * t));
    return sum;
}

static double modal_speed(const modal *m, int32_t node, double t)
{
    double sum = 0;
    for (int32_t i = 0; i < m->n; ++i)
        sum += m->at[i][node] * m->omega[i] * sin(m->omega[i] * t);
    return sum;
}

static double deflection(const modal *m, int32_t node)
{
    double sum = 0;
    for (int32_t i = 0; i < m->n; ++i)
        sum += m->at[i][node];
    return fabs(sum);
}

// What an angle c omega^3 h^2 t does to the tip; a mode is never off by more than its double.
static double late(const modal *m, double c, double h, double t)
{
    double sum = 0;
    for (int32_t i = 0; i < m->n; ++i)
        sum += fabs(m->at[i][TIP]) * fmin(2, c * pow(m->omega[i], 3) * h * h * t);
    return sum;
}

// ---- Free vibration ----

typedef struct method {
    const char *scheme, *key, *value;
    double h, c; // c = 0: the tolerance makes the error
    double kept; // part of the energy that may be lost or won
} method;

// The lost energy of the others is the error of their positions, relative to the deflection.
static const method methods[] = {
    {"moreau-jean", NULL, NULL, 2e-4, 1.0 / 12, 1e-6},
    {"moreau-jean-adaptive", "tolerance", "1e-8", 2e-3, 0, 1e-2},
    {"capturing", NULL, NULL, 2e-4, 0.5, 1e-2},
    {"capturing", "integrator", "rk4", 1e-4, 0, 1e-6},
    {"nonsmooth-alpha", NULL, NULL, 2e-4, 0.5, 1e-2},
    {"nonsmooth-alpha", "variant", "coupled", 2e-4, 0.5, 1e-2},
    {"event-driven", "tolerance", "1e-10", 1e-2, 0, 1e-4},
    {"hybrid", "tolerance", "1e-10", 1e-2, 0, 1e-4},
    {"rk4", "tolerance", "1e-9", 1e-2, 0, 1e-4},
    {"rkf45", "tolerance", "1e-9", 1e-2, 0, 1e-4},
    {"dopri5", "tolerance", "1e-9", 1e-2, 0, 1e-4},
    {"hem5", "tolerance", "1e-9", 1e-2, 0, 1e-4},
    {"phem56", "tolerance", "1e-9", 1e-2, 0, 1e-4},
    {"alpha2", "tolerance", "1e-10", 1e-2, 0, 1e-4},
    {"alpha3", "tolerance", "1e-10", 1e-2, 0, 1e-4},
};
enum { METHODS = sizeof methods / sizeof *methods };

static void begin(scene *s, const method *m, double stop, double h, double end)
{
    build(s, stop);
    s->scheme = m->scheme;
    scene_finish(s, h, end);
    if (m->key)
        scene_set(s, m->key, m->value);
}

static void test_free_vibration(void **state)
{
    (void)state;
    const modal modes = find_modal();
    const double size = deflection(&modes, TIP);
    assert_near(size, 1.1e-3, 2e-4); // a thousandth of the length, as the header says
    for (int i = 0; i < METHODS; ++i) {
        const method *m = &methods[i];
        scene s;
        begin(&s, m, 0, m->h, end_free);
        assert_int_equal(scene_run(&s), 0);
        const double expected = modal_height(&modes, TIP, end_free);
        const double error = fabs(height_of(&s, TIP) - expected);
        const double bound = NONLINEAR * size +
                             (m->c > 0 ? late(&modes, m->c, m->h, end_free) : 1e-3 * size);
        const pcs_energy_account *energy = scene_energy(&s);
        const double lost = fabs(energy->numerical) / (energy->kinetic + fabs(energy->potential));
        if (error > bound || lost > m->kept)
            print_error("%s %s: error %.3g of %.3g, energy %.3g\n", m->scheme,
                        m->value ? m->value : "", error / size, bound / size, lost);
        assert_at_most(error, bound);
        assert_at_most(lost, m->kept);
        scene_end(&s);
    }
}

// ---- A stop under the tip ----

// First time at which the tip of the modal sum is at -stop, by bisection from a bracket in which it
// falls all the way.
static double first_touch(const modal *m, double stop)
{
    double a = 0, b = 0;
    while (modal_height(m, TIP, b) > -stop)
        b += 1e-4;
    for (int i = 0; i < 60; ++i) {
        const double t = 0.5 * (a + b);
        if (modal_height(m, TIP, t) > -stop)
            a = t;
        else
            b = t;
    }
    return a;
}

static bool find_impact(const scene *s, pcs_event *out)
{
    for (int64_t i = 0; pcs_simulation_event(s->simulation, i, out); ++i)
        if (out->kind == PCS_EVENT_IMPACT)
            return true;
    return false;
}

// Time and speed of the impact are those of the modal sum, to the step of time stepping and to the
// tolerance of the others; the impact leaves the tip at rest on the stop, and takes the energy
// u^2/(2 W) with W = H M^{-1} H^T in all schemes. Above the static deflection the weight presses
// the tip on the stop from then on.
static void test_stop(void **state)
{
    (void)state;
    static const method stops[] = {
        {"event-driven", "tolerance", "1e-11", 0, 0, 0},
        {"phem56", "tolerance", "1e-10", 0, 0, 0},
        {"hybrid", "tolerance", "1e-11", 0, 0, 0},
        {"capturing", NULL, NULL, 2e-5, 0, 0},
        {"moreau-jean", NULL, NULL, 2e-5, 0, 0},
        {"nonsmooth-alpha", NULL, NULL, 2e-5, 0, 0},
    };
    const modal modes = find_modal();
    const double stop = 0.6 * deflection(&modes, TIP), touch = first_touch(&modes, stop);
    const double speed = -modal_speed(&modes, TIP, touch);
    // (1e-3)^2 of nonlinearity is a part of the time and of the speed alike.
    double energy = 0;
    for (size_t i = 0; i < sizeof stops / sizeof *stops; ++i) {
        const method *m = &stops[i];
        const double h = m->h > 0 ? m->h : 1e-3;
        const double end = h * (floor(touch / h) + 2); // just behind the impact
        scene s;
        begin(&s, m, stop, h, end);
        assert_int_equal(scene_run(&s), 0);
        pcs_event impact;
        assert_true(find_impact(&s, &impact));
        assert_near(impact.time, touch, NONLINEAR * touch + m->h);
        assert_at_most(pcs_simulation_statistics(s.simulation)->worst_penetration, 1e-10);
        assert_near(impact.value, speed, 1e-3 * speed + m->h * gravity * 40);
        assert_at_most(fabs(speed_of(&s, TIP)), 1e-9);
        const double loss = -scene_energy(&s)->impact;
        if (i == 0)
            energy = loss;
        assert_near(loss, energy, 0.02 * energy);
        scene_end(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_free_vibration),
        cmocka_unit_test(test_stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
