// Several ways to one motion: a four-bar linkage from bodies and joints, from formulas, and half of
// each; formulas and functions of one's own; a resumed run; a prescribed motion as a constraint.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "percuss/io.h"
#include "percuss/simulation.h"

// ---- Model files ----

typedef struct run {
    pcs_context *ctx;
    pcs_model_file *file;
    pcs_simulation *simulation;
} run;

static void begin(run *r, const char *text, double step)
{
    memset(r, 0, sizeof *r);
    r->ctx = pcs_context_create(NULL);
    if (pcs_model_file_read_memory(r->ctx, "text", text, strlen(text), NULL, 0, &r->file) != PCS_OK)
        fail_msg("%s", pcs_context_error(r->ctx));
    pcs_simulation_def def = pcs_model_file_simulation(r->file);
    def.step = step;
    if (pcs_simulation_create(r->ctx, pcs_model_file_model(r->file), &def, &r->simulation) !=
        PCS_OK)
        fail_msg("%s", pcs_context_error(r->ctx));
}

static void finish(run *r)
{
    while (!pcs_simulation_finished(r->simulation))
        if (pcs_simulation_step(r->simulation) != PCS_OK)
            fail_msg("%s", pcs_context_error(r->ctx));
}

static void end(run *r)
{
    pcs_simulation_destroy(r->simulation);
    pcs_model_file_destroy(r->file);
    assert_int_equal(pcs_context_heap_bytes(r->ctx), 0);
    pcs_context_destroy(r->ctx);
}

static double value(run *r, const char *path)
{
    pcs_signal signal;
    const pcs_model *model = pcs_model_file_model(r->file);
    if (pcs_model_find_signal(r->ctx, model, path, &signal) != PCS_OK)
        fail_msg("%s", pcs_context_error(r->ctx));
    return pcs_simulation_signal(r->simulation, signal);
}

#define PARAMETERS                                                                       \
    "parameters: {m: 1, l1: 0.3, l2: sqrt(0.13), l3: 0.4, d: 0.7, g: 9.81, torque: 6,\n" \
    "  phi10: pi/3, phi20: 0.242563874095, phi30: 2*pi/3}\n"                             \
    "dimension: 2\n"                                                                     \
    "gravity: [0, -g]\n"                                                                 \
    "simulation: {end: 0.4, newton_tolerance: 1e-12}\n"
#define CRANK                                                                        \
    "  crank: {mass: m, shape: {rod: {length: l1}, axis: [1, 0]}, angle: phi10,\n"   \
    "    position: [l1/2*cos(phi10), l1/2*sin(phi10)]}\n"                            \
    "  coupler: {mass: m, shape: {rod: {length: l2}, axis: [1, 0]}, angle: phi20,\n" \
    "    position: [l1*cos(phi10) + l2/2*cos(phi20), l1*sin(phi10) + l2/2*sin(phi20)]}\n"
#define CRANK_JOINTS                                                                 \
    "joints:\n"                                                                      \
    "  motor: {type: revolute, bodies: [ground, crank], a: [0, 0], b: [-l1/2, 0],\n" \
    "    actuator: torque}\n"                                                        \
    "  knee: {type: revolute, bodies: [crank, coupler], a: [l1/2, 0], b: [-l2/2, 0]}\n"

static const char from_bodies[] = PARAMETERS
    "bodies:\n" CRANK
    "  rocker: {mass: m, shape: {rod: {length: l3}, axis: [1, 0]}, angle: phi30,\n"
    "    position: [d + l3/2*cos(phi30), l3/2*sin(phi30)]}\n" CRANK_JOINTS
    "  elbow: {type: revolute, bodies: [coupler, rocker], a: [l2/2, 0], b: [l3/2, 0]}\n"
    "  pivot: {type: revolute, bodies: [ground, rocker], a: [d, 0], b: [-l3/2, 0]}\n";

// Crank and coupler as bodies; the rocker is a system with one angle, pinned to the coupler.
static const char half_each[] = PARAMETERS
    "bodies:\n" CRANK CRANK_JOINTS "systems:\n"
    "  rocker:\n"
    "    coordinates: {phi3: phi30}\n"
    "    kinetic: m*l3^2/6*phi3.rate^2\n"
    "    potential: m*g*l3/2*sin(phi3)\n"
    "    constraints:\n"
    "      pin_x: body.coupler.position.x + l2/2*cos(body.coupler.angle) - d - l3*cos(phi3)\n"
    "      pin_y: body.coupler.position.y + l2/2*sin(body.coupler.angle) - l3*sin(phi3)\n";

static const char from_formulas[] = PARAMETERS
    "systems:\n"
    "  fourbar:\n"
    "    coordinates: {phi1: phi10, phi2: phi20, phi3: phi30}\n"
    "    kinetic: m*l1^2/6*phi1.rate^2 + m*l3^2/6*phi3.rate^2 + m*l2^2/24*phi2.rate^2\n"
    "      + m/2*(l1^2*phi1.rate^2 + (l2/2)^2*phi2.rate^2\n"
    "      + l1*l2*cos(phi1 - phi2)*phi1.rate*phi2.rate)\n"
    "    potential: m*g*(3/2*l1*sin(phi1) + l2/2*sin(phi2) + l3/2*sin(phi3))\n"
    "    forces: {phi1: torque}\n"
    "    constraints:\n"
    "      close_x: l1*cos(phi1) + l2*cos(phi2) - l3*cos(phi3) - d\n"
    "      close_y: l1*sin(phi1) + l2*sin(phi2) - l3*sin(phi3)\n";

static double crank_angle(const char *text, const char *path, double step)
{
    run r;
    begin(&r, text, step);
    finish(&r);
    double angle = value(&r, path);
    end(&r);
    return angle;
}

// The scheme is of order 2: differences between the models fall with the step by a factor of 4.
static void test_four_bar_three_ways(void **state)
{
    (void)state;
    static const char *const texts[3] = {from_bodies, half_each, from_formulas};
    static const char *const paths[3] = {"body.crank.angle", "body.crank.angle",
                                         "system.fourbar.phi1"};
    double angle[3][2];
    for (int k = 0; k < 3; ++k)
        for (int i = 0; i < 2; ++i)
            angle[k][i] = crank_angle(texts[k], paths[k], i == 0 ? 2e-3 : 1e-3);
    for (int k = 0; k < 3; ++k) {
        // Richardson: the error of the finer run is a third of the difference; twice that is
        // allowed.
        const double limit = angle[k][1] + (angle[k][1] - angle[k][0]) / 3;
        const double reference = angle[0][1] + (angle[0][1] - angle[0][0]) / 3;
        const double error = fabs(angle[0][1] - angle[0][0]) + fabs(angle[k][1] - angle[k][0]);
        assert_true(error > 1e-9); // the comparison means something
        if (!(fabs(limit - reference) <= 0.1 * error))
            fail_msg("model %d: %.12g against %.12g, steps differ by %.3g", k, limit, reference,
                     error);
    }
}

// The forces in the pins are the same: that of the rocker's pin is the one of the elbow.
static void test_pin_forces(void **state)
{
    (void)state;
    run a, b;
    begin(&a, from_bodies, 1e-4);
    begin(&b, half_each, 1e-4);
    for (int i = 0; i < 100; ++i) {
        assert_int_equal(pcs_simulation_step(a.simulation), PCS_OK);
        assert_int_equal(pcs_simulation_step(b.simulation), PCS_OK);
    }
    // On the rocker acts minus the force on the coupler, whose constraint counts it positive.
    const double x[2] = {value(&a, "joint.elbow.force.x"), -value(&b, "system.rocker.pin_x.force")};
    const double y[2] = {value(&a, "joint.elbow.force.y"), -value(&b, "system.rocker.pin_y.force")};
    assert_true(fabs(x[0] - x[1]) <= 1e-4 * fabs(x[0])); // (omega h)^2 with some 1e2 rad/s^2
    assert_true(fabs(y[0] - y[1]) <= 1e-4 * fabs(y[0]));
    end(&a);
    end(&b);
}

// ---- Functions of one's own ----

typedef struct pendulum {
    double m, l, g;
} pendulum;

// A pendulum in Cartesian coordinates above a moving floor.
static void mass(void *user, double t, const double *q, double *M)
{
    (void)t;
    (void)q;
    const pendulum *p = user;
    M[0] = M[3] = p->m;
}

static void force(void *user, double t, const double *q, const double *v, double *f)
{
    const pendulum *p = user;
    f[0] = sin(t) - 0.1 * v[0];
    f[1] = -p->m * p->g - 0.2 * q[0] * v[1];
}

static void force_tangent(void *user, double t, const double *q, const double *v, double *f_q,
                          double *f_v)
{
    (void)user;
    (void)t;
    f_q[2] = -0.2 * v[1];
    f_v[0] = -0.1;
    f_v[3] = -0.2 * q[0];
}

static void constraints(void *user, double t, const double *q, double *g, double *G, double *g_t)
{
    const pendulum *p = user;
    const double a = 0.1 * sin(3 * t);
    g[0] = (q[0] - a) * (q[0] - a) + q[1] * q[1] - p->l * p->l;
    G[0] = 2 * (q[0] - a);
    G[1] = 2 * q[1];
    g_t[0] = -2 * (q[0] - a) * 0.3 * cos(3 * t);
}

static void constraint_curvature(void *user, double t, const double *q, const double *v,
                                 double *d2g)
{
    (void)user;
    const double a = 0.1 * sin(3 * t), a_t = 0.3 * cos(3 * t), a_tt = -0.9 * sin(3 * t);
    d2g[0] = 2 * (v[0] - a_t) * (v[0] - a_t) + 2 * v[1] * v[1] - 2 * (q[0] - a) * a_tt;
}

static void gaps(void *user, double t, const double *q, double *g, double *G, double *g_t)
{
    (void)user;
    g[0] = q[1] + 0.95 - 0.01 * sin(5 * t);
    G[1] = 1;
    g_t[0] = -0.05 * cos(5 * t);
    g[1] = q[0];
    G[2] = 1;
}

static void gap_curvature(void *user, double t, const double *q, const double *v, double *d2g)
{
    (void)user;
    (void)q;
    (void)v;
    d2g[0] = 0.25 * sin(5 * t);
}

static const pcs_coordinate_def xy[2] = {{"x", 0.8, 0}, {"y", -0.6, 0}};
static const pcs_constraint_def rod[1] = {{"rod", {0, "(x - 0.1*sin(3*t))^2 + y^2 - l^2"}}};
static const pcs_gap_def floor_gap[1] = {{.name = "floor",
                                          .gap = {0, "y + 0.95 - 0.01*sin(5*t)"},
                                          .tangential = {{0, "x"}},
                                          .n_tangential = 1,
                                          .law = {0.3, 0.6, 0}}};

static pcs_system_def pendulum_def(void)
{
    pcs_system_def def = pcs_system_default();
    def.name = "pendulum";
    def.coordinates = xy;
    def.n_coordinates = 2;
    def.constraints = rod;
    def.n_constraints = 1;
    def.gaps = floor_gap;
    def.n_gaps = 1;
    return def;
}

static pcs_simulation *simulate(pcs_context *ctx, const pcs_system_def *def, const pendulum *p,
                                pcs_model **model)
{
    pcs_builder *builder;
    pcs_simulation *simulation;
    assert_int_equal(pcs_builder_create(ctx, 2, &builder), PCS_OK);
    assert_int_equal(pcs_builder_set_parameter(builder, "m", p->m), PCS_OK);
    assert_int_equal(pcs_builder_set_parameter(builder, "l", p->l), PCS_OK);
    assert_int_equal(pcs_builder_set_parameter(builder, "g", p->g), PCS_OK);
    if (pcs_builder_add_system(builder, def, NULL) != PCS_OK ||
        pcs_builder_finish(builder, model) != PCS_OK)
        fail_msg("%s", pcs_context_error(ctx));
    pcs_builder_destroy(builder);
    pcs_simulation_def settings = pcs_simulation_default();
    settings.end = 2;
    settings.step = 1e-3;
    settings.without_estimate = true; // it takes memory where contacts are closed in a new way
    assert_int_equal(pcs_simulation_create(ctx, *model, &settings, &simulation), PCS_OK);
    return simulation;
}

// The floor is struck at the lowest point, with friction and impacts; the pivot is shaken. Formulas
// and functions round differently, and the impacts magnify it: eleven digits are left of sixteen.
static void test_functions_equal_formulas(void **state)
{
    (void)state;
    pendulum p = {1.3, 1, 9.81};
    const pcs_system_functions functions = {.user = &p,
                                            .mass = mass,
                                            .force = force,
                                            .force_tangent = force_tangent,
                                            .constraints = constraints,
                                            .constraint_curvature = constraint_curvature,
                                            .gaps = gaps,
                                            .gap_curvature = gap_curvature};
    const pcs_value right_side[2] = {pcs_expression("sin(t) - 0.1*x.rate"),
                                     pcs_expression("-m*g - 0.2*x*y.rate")};
    pcs_system_def by_formulas = pendulum_def(), by_functions = pendulum_def();
    by_formulas.kinetic = pcs_expression("m/2*(x.rate^2 + y.rate^2)");
    by_formulas.forces = right_side;
    by_functions.functions = &functions;
    pcs_context *ctx = pcs_context_create(NULL);
    pcs_model *models[2];
    pcs_simulation *a = simulate(ctx, &by_formulas, &p, &models[0]);
    pcs_simulation *b = simulate(ctx, &by_functions, &p, &models[1]);
    uint64_t calls = 0;
    for (int i = 0; !pcs_simulation_finished(a); ++i) {
        assert_int_equal(pcs_simulation_step(a), PCS_OK);
        assert_int_equal(pcs_simulation_step(b), PCS_OK);
        for (int k = 0; k < 2; ++k) {
            const double x = pcs_simulation_q(a)[k], y = pcs_simulation_q(b)[k];
            if (!(fabs(x - y) <= 1e-11))
                fail_msg("step %d: %.15g by formulas, %.15g by functions", i, x, y);
        }
        if (i == 1000)
            calls = pcs_context_heap_calls(ctx);
    }
    assert_int_equal(pcs_context_heap_calls(ctx), calls); // no heap call after warm-up
    assert_true(pcs_simulation_statistics(a)->impacts > 2);
    assert_true(pcs_simulation_statistics(a)->worst_drift < 1e-9);
    pcs_simulation_destroy(a);
    pcs_simulation_destroy(b);
    pcs_model_destroy(models[0]);
    pcs_model_destroy(models[1]);
    assert_int_equal(pcs_context_heap_bytes(ctx), 0);
    pcs_context_destroy(ctx);
}

// ---- Resuming ----

static void test_resume(void **state)
{
    (void)state;
    run a, b;
    begin(&a, half_each, 1e-3);
    begin(&b, half_each, 1e-3);
    for (int i = 0; i < 150; ++i)
        assert_int_equal(pcs_simulation_step(a.simulation), PCS_OK);
    size_t size = pcs_simulation_save(a.simulation, NULL, 0);
    void *bytes = malloc(size);
    assert_non_null(bytes);
    pcs_simulation_save(a.simulation, bytes, size);
    if (pcs_simulation_load(b.simulation, bytes, size) != PCS_OK)
        fail_msg("%s", pcs_context_error(b.ctx));
    free(bytes);
    finish(&a);
    finish(&b);
    assert_true(value(&a, "system.rocker.phi3") == value(&b, "system.rocker.phi3"));
    end(&a);
    end(&b);
}

// ---- Prescribed motion ----

#define DRIVEN_HEAD  \
    "dimension: 2\n" \
    "simulation: {end: 1, step: 1e-3}\n"
static const char driven_joint[] = DRIVEN_HEAD
    "bodies: {wheel: {mass: 2, inertia: 0.5}}\n"
    "joints: {axle: {type: revolute, bodies: [ground, wheel], at: [0, 0], motion: sin(2*t)}}\n";
static const char driven_system[] = DRIVEN_HEAD "systems:\n"
                                                "  wheel:\n"
                                                "    coordinates: {phi: {rate: 2}}\n"
                                                "    kinetic: 0.25*phi.rate^2\n"
                                                "    constraints: {drive: phi - sin(2*t)}\n";

// A constraint with time in it is a driver: same motion, torque and work.
static void test_driven(void **state)
{
    (void)state;
    run a, b;
    begin(&a, driven_joint, 1e-3);
    begin(&b, driven_system, 1e-3);
    finish(&a);
    finish(&b);
    static const char *const paths[4][2] = {
        {"joint.axle.angle", "system.wheel.phi"},
        {"joint.axle.rate", "system.wheel.phi.rate"},
        {"joint.axle.torque.z", "system.wheel.drive.force"},
        {"energy.driver", "energy.driver"},
    };
    for (int i = 0; i < 4; ++i) {
        const double x = value(&a, paths[i][0]), y = value(&b, paths[i][1]);
        if (!(fabs(x - y) <= 1e-11))
            fail_msg("%s: %.15g, %s: %.15g", paths[i][0], x, paths[i][1], y);
    }
    end(&a);
    end(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_four_bar_three_ways),
        cmocka_unit_test(test_pin_forces),
        cmocka_unit_test(test_functions_equal_formulas),
        cmocka_unit_test(test_resume),
        cmocka_unit_test(test_driven),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
