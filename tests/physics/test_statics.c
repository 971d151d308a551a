// Static equilibria against closed forms and against independent solutions of scalar equations.
#include "percuss/analysis.h"

#include <stdio.h>
#include <string.h>

#include "math/vector.h"
#include "support/near.h"
#include "support/scenes.h"

static const pcs_vec3 zero = {0, 0, 0};
static const double g = 9.81;

// The equilibrium leaves an imbalance of 1e-10 of the forces (the option's default): positions of a
// model with a stiffness of the order of its load over its size are right to 1e-10 of that size.
// With a margin for softer directions:
static const double place = 1e-8;

static pcs_static_info equilibrate(scene *s)
{
    pcs_static_opts opts = pcs_static_default();
    pcs_static_info info;
    scene_require(s, pcs_simulation_equilibrate(s->simulation, &opts, &info));
    assert_near(info.load, 1, 0);
    assert_at_most(info.residual, 1e-7);
    assert_at_most(info.drift, 1e-10);
    assert_at_most(info.penetration, 1e-10);
    return info;
}

// The zero of an increasing or decreasing function between two ends.
static double find_zero(double (*f)(double x, const double *data), const double *data, double a,
                        double b)
{
    double fa = f(a, data);
    for (int i = 0; i < 200; ++i) {
        double x = 0.5 * (a + b), fx = f(x, data);
        if ((fx > 0) == (fa > 0)) {
            a = x;
            fa = fx;
        } else
            b = x;
    }
    return 0.5 * (a + b);
}

static void spring_between(scene *s, const char *name, pcs_body_id a, pcs_vec3 pa, pcs_body_id b,
                           pcs_vec3 pb, double stiffness, double rest)
{
    pcs_spring_def def = pcs_spring_default();
    def.name = name;
    def.a = scene_frame(a, pa, zero);
    def.b = scene_frame(b, pb, zero);
    def.stiffness = stiffness;
    def.rest = rest;
    scene_spring(s, &def);
}

// ---- Chains and pendulums ----

enum { LINKS = 5 };
static const double link_mass[LINKS] = {1.31, 0.72, 2.385, 0.43, 1.07};
static const double link_stiffness[LINKS] = {913, 617, 1203, 388, 542};
static const double link_rest[LINKS] = {0.213, 0.171, 0.305, 0.144, 0.228};

// Masses on springs, straight along (dx, dy) at their free lengths.
static void hang_chain(scene *s, double dx, double dy)
{
    double along = 0;
    scene_begin(s, 2, pcs_v3(0, -g, 0));
    for (int i = 0; i < LINKS; ++i) {
        char name[16];
        snprintf(name, sizeof name, "m%d", i);
        along += link_rest[i];
        scene_point(s, name, link_mass[i], pcs_v3(along * dx, along * dy, 0), zero);
        spring_between(s, name, i - 1, zero, i, zero, link_stiffness[i], link_rest[i]);
    }
    scene_finish(s, 1e-3, 0.1);
}

static void check_chain(const scene *s)
{
    double y = 0;
    for (int i = 0; i < LINKS; ++i) {
        double below = 0;
        for (int k = i; k < LINKS; ++k)
            below += link_mass[k] * g;
        y -= link_rest[i] + below / link_stiffness[i];
        pcs_body_view view = scene_view(s, i);
        assert_near(view.position.x, 0, place);
        assert_near(view.position.y, y, place);
    }
}

static void test_hanging_chain(void **state)
{
    (void)state;
    scene s;
    hang_chain(&s, 0, -1);
    equilibrate(&s);
    check_chain(&s);
    scene_end(&s);
    // From the side it has no stiffness against its load at first, and must swing down.
    hang_chain(&s, 0.8, -0.6);
    equilibrate(&s);
    check_chain(&s);
    scene_end(&s);
}

// k theta + m g a cos theta = 0
static double pendulum_torque(double theta, const double *d)
{
    return d[0] * theta + d[1] * cos(theta);
}

static void test_pendulum_with_torsion_spring(void **state)
{
    (void)state;
    const double m = 1.73, a = 0.412, k = 5.21;
    scene s;
    scene_begin(&s, 2, pcs_v3(0, -g, 0));
    pcs_body_id rod = scene_box(&s, "rod", m, pcs_v3(2 * a, 0.03, 0), pcs_v3(a, 0, 0), zero, zero);
    pcs_joint_def hinge = pcs_joint_default();
    hinge.name = "hinge";
    hinge.kind = PCS_JOINT_REVOLUTE;
    hinge.b = scene_frame(rod, pcs_v3(-a, 0, 0), zero);
    hinge.drive[0].stiffness = k;
    pcs_joint_id id = scene_joint(&s, &hinge);
    scene_finish(&s, 1e-3, 0.1);
    equilibrate(&s);
    const double data[2] = {k, m * g * a};
    const double theta = find_zero(pendulum_torque, data, -1.5, 0);
    assert_near(scene_view(&s, rod).angle, theta, place);
    pcs_joint_view view;
    pcs_simulation_joint(s.simulation, id, &view);
    assert_near(view.force.x, 0, place * m * g);
    assert_near(view.force.y, m * g, place * m * g);
    scene_end(&s);
}

// ---- Four-bar ----

typedef struct four_bar {
    double ground, length[3], mass[3], stiffness, rest;
    pcs_vec3 anchor;
} four_bar;

static const four_bar bar = {.ground = 1.13,
                             .length = {0.37, 0.96, 0.71},
                             .mass = {1.21, 2.04, 1.57},
                             .stiffness = 173.2,
                             .rest = 0.31,
                             .anchor = {0.52, 1.18, 0}};

// Ends of the coupler for a crank angle: B on the crank, C on the circle about D above the line BD.
static void four_bar_points(double phi, double B[2], double C[2])
{
    B[0] = bar.length[0] * cos(phi);
    B[1] = bar.length[0] * sin(phi);
    const double dx = bar.ground - B[0], dy = -B[1], d2 = dx * dx + dy * dy, d = sqrt(d2);
    const double x = (d2 + bar.length[1] * bar.length[1] - bar.length[2] * bar.length[2]) / (2 * d);
    const double y = sqrt(bar.length[1] * bar.length[1] - x * x);
    C[0] = B[0] + (x * dx - y * dy) / d;
    C[1] = B[1] + (x * dy + y * dx) / d;
}

static double four_bar_energy(double phi)
{
    double B[2], C[2];
    four_bar_points(phi, B, C);
    const double l = hypot(0.5 * (B[0] + C[0]) - bar.anchor.x, 0.5 * (B[1] + C[1]) - bar.anchor.y);
    return g * (bar.mass[0] * B[1] + bar.mass[1] * (B[1] + C[1]) + bar.mass[2] * C[1]) / 2 +
           0.5 * bar.stiffness * (l - bar.rest) * (l - bar.rest);
}

// Fourth-order difference with step 1e-3: error 1e-12 of the energy's fifth derivative, rounding
// 1e-13.
static double four_bar_slope(double phi, const double *data)
{
    (void)data;
    const double h = 1e-3;
    return (8 * (four_bar_energy(phi + h) - four_bar_energy(phi - h)) -
            (four_bar_energy(phi + 2 * h) - four_bar_energy(phi - 2 * h))) /
           (12 * h);
}

static pcs_body_id link_between(scene *s, const char *name, double mass, const double *from,
                                const double *to)
{
    const double dx = to[0] - from[0], dy = to[1] - from[1];
    return scene_box(s, name, mass, pcs_v3(hypot(dx, dy), 0.02, 0),
                     pcs_v3(0.5 * (from[0] + to[0]), 0.5 * (from[1] + to[1]), 0),
                     pcs_v3(0, 0, atan2(dy, dx)), zero);
}

static void pin(scene *s, const char *name, pcs_body_id a, double xa, double ya, pcs_body_id b,
                double xb)
{
    pcs_joint_def def = pcs_joint_default();
    def.name = name;
    def.kind = PCS_JOINT_REVOLUTE;
    def.a = scene_frame(a, pcs_v3(xa, ya, 0), zero);
    def.b = scene_frame(b, pcs_v3(xb, 0, 0), zero);
    scene_joint(s, &def);
}

static void test_four_bar(void **state)
{
    (void)state;
    const double A[2] = {0, 0}, D[2] = {bar.ground, 0}, start = 1.31;
    double B[2], C[2];
    four_bar_points(start, B, C);
    scene s;
    scene_begin(&s, 2, pcs_v3(0, -g, 0));
    pcs_body_id crank = link_between(&s, "crank", bar.mass[0], A, B);
    pcs_body_id coupler = link_between(&s, "coupler", bar.mass[1], B, C);
    pcs_body_id rocker = link_between(&s, "rocker", bar.mass[2], D, C);
    const double *l = bar.length;
    pin(&s, "a", PCS_GROUND, 0, 0, crank, -0.5 * l[0]);
    pin(&s, "b", crank, 0.5 * l[0], 0, coupler, -0.5 * l[1]);
    pin(&s, "c", coupler, 0.5 * l[1], 0, rocker, 0.5 * l[2]);
    pin(&s, "d", PCS_GROUND, bar.ground, 0, rocker, -0.5 * l[2]);
    spring_between(&s, "spring", PCS_GROUND, bar.anchor, coupler, zero, bar.stiffness, bar.rest);
    scene_finish(&s, 1e-3, 0.1);
    equilibrate(&s);
    const double phi = scene_view(&s, crank).angle;
    const double exact = find_zero(four_bar_slope, NULL, phi - 0.05, phi + 0.05);
    assert_near(phi, exact, 1e-7);         // the reference's own differences
    assert_true(fabs(phi - start) > 0.05); // it had a way to go
    assert_true(four_bar_energy(phi) < four_bar_energy(phi + 0.05));
    assert_true(four_bar_energy(phi) < four_bar_energy(phi - 0.05));
    scene_end(&s);
}

// ---- Two equilibria ----

static const double half_span = 1.17, rise = 0.213, truss_stiffness = 8311;

// Upward force of the two springs at height y
static double truss_force(double y)
{
    const double l0 = hypot(half_span, rise), l = hypot(half_span, y);
    return 2 * truss_stiffness * (l0 - l) * y / l;
}

static double truss_imbalance(double y, const double *data)
{
    return truss_force(y) - data[0];
}

static void build_truss(scene *s, double load)
{
    scene_begin(s, 2, zero);
    pcs_body_id node = scene_point(s, "node", 1.9, pcs_v3(0, rise, 0), zero);
    const double l0 = hypot(half_span, rise);
    spring_between(s, "left", PCS_GROUND, pcs_v3(-half_span, 0, 0), node, zero, truss_stiffness,
                   l0);
    spring_between(s, "right", PCS_GROUND, pcs_v3(half_span, 0, 0), node, zero, truss_stiffness,
                   l0);
    pcs_force_def force = pcs_force_default();
    force.name = "load";
    force.body = node;
    force.force[1] = pcs_number(-load);
    scene_force(s, &force);
    scene_finish(s, 1e-3, 0.1);
}

static void test_snap_through(void **state)
{
    (void)state;
    // Largest force where d/dy ((l0 - l) y / l) = 0: l^3 = l0 b^2.
    const double l0 = hypot(half_span, rise), l = cbrt(l0 * half_span * half_span);
    const double top = sqrt(l * l - half_span * half_span), most = truss_force(top);
    scene s;
    double load = 0.93 * most;
    build_truss(&s, load);
    pcs_static_info info = equilibrate(&s);
    assert_int_equal(info.snaps, 0);
    assert_near(scene_view(&s, 0).position.y, find_zero(truss_imbalance, &load, rise, top), place);
    scene_end(&s);
    load = 1.08 * most;
    build_truss(&s, load);
    info = equilibrate(&s);
    assert_near(scene_view(&s, 0).position.y, find_zero(truss_imbalance, &load, -2, -rise), place);
    assert_near(scene_view(&s, 0).position.x, 0, place);
    assert_true(info.snaps >= 1); // and it says where: on the step that passes the largest force
    assert_true(info.snap_load >= 1 / 1.08 && info.snap_load <= 1);
    scene_end(&s);
}

// ---- Contacts ----

static void test_box_on_plane(void **state)
{
    (void)state;
    const double m = 3.17, width = 0.62, height = 0.24, shift = 0.083;
    scene s;
    scene_begin(&s, 2, pcs_v3(0, -g, 0));
    pcs_body_def def = pcs_body_default();
    def.name = "box";
    def.mass = m;
    def.inertia.m[2][2] = 0.131;
    def.center = pcs_v3(shift, 0, 0);
    def.position = pcs_v3(0.31, 0.5 * height + 0.137, 0); // above the plane: it comes down
    pcs_body_id box = scene_body(&s, &def);
    pcs_contact_def contact = scene_contact_def("corner", PCS_CONTACT_BOX_PLANE,
                                                scene_frame(PCS_GROUND, zero, zero), box,
                                                (pcs_law){.friction = 0.3});
    contact.size = pcs_v3(width, height, 0);
    scene_contact(&s, &contact);
    scene_finish(&s, 1e-3, 0.05);
    pcs_static_info info = equilibrate(&s);
    assert_int_equal(info.contacts, 2);
    assert_near(scene_view(&s, box).position.y, 0.5 * height, 1e-10);
    assert_near(scene_view(&s, box).angle, 0, 1e-9);
    // Levers: the mass is nearer to the right corners.
    double left = 0, right = 0;
    for (int32_t i = 0; i < pcs_model_contact_count(s.model); ++i) {
        pcs_contact_view view = scene_contact_view(&s, i);
        *(view.point.x < scene_view(&s, box).position.x ? &left : &right) += view.force[0];
    }
    assert_near(left, m * g * (0.5 * width - shift) / width, 1e-8 * m * g);
    assert_near(right, m * g * (0.5 * width + shift) / width, 1e-8 * m * g);
    scene_end(&s);
}

static void test_ball_in_bowl(void **state)
{
    (void)state;
    const double bowl = 1.13, ball = 0.21, m = 0.87;
    for (int dimension = 2; dimension <= 3; ++dimension) {
        scene s;
        const bool flat = dimension == 2;
        scene_begin(&s, dimension, flat ? pcs_v3(0, -g, 0) : pcs_v3(0, 0, -g));
        const double r = bowl - ball, a = 0.83;
        pcs_vec3 at = flat ? pcs_v3(r * sin(a), -r * cos(a), 0)
                           : pcs_v3(r * sin(a), 0.1 * r, -r * cos(a));
        pcs_body_id id = scene_sphere(&s, "ball", m, ball, at, zero);
        pcs_contact_def def = scene_contact_def("bowl", PCS_CONTACT_SPHERE_IN_SPHERE,
                                                scene_frame(PCS_GROUND, zero, zero), id,
                                                (pcs_law){0});
        def.radius_a = bowl;
        def.radius_b = ball;
        scene_contact(&s, &def);
        scene_finish(&s, 1e-3, 0.1);
        equilibrate(&s);
        pcs_vec3 x = scene_view(&s, id).position;
        assert_near(x.x, 0, place);
        assert_near(flat ? x.y : x.z, -r, 1e-9);
        assert_near(flat ? 0 : x.y, 0, place);
        assert_near(scene_contact_view(&s, 0).force[0], m * g, 1e-7 * m * g);
        scene_end(&s);
    }
}

// A mass on a spring above a stop: the stop takes what the spring does not.
static void test_spring_and_stop(void **state)
{
    (void)state;
    const double m = 2.61, k = 61.3, l = 0.7, gap = 0.119;
    scene s;
    scene_begin(&s, 2, pcs_v3(0, -g, 0));
    pcs_body_id id = scene_point(&s, "mass", m, pcs_v3(0, -l, 0), zero);
    spring_between(&s, "spring", PCS_GROUND, zero, id, zero, k, l);
    pcs_contact_def def = scene_contact_def("stop", PCS_CONTACT_POINT_PLANE,
                                            scene_frame(PCS_GROUND, pcs_v3(0, -l - gap, 0), zero),
                                            id, (pcs_law){0});
    scene_contact(&s, &def);
    scene_finish(&s, 1e-3, 0.1);
    equilibrate(&s);
    assert_near(scene_view(&s, id).position.y, -l - gap, 1e-10);
    assert_near(scene_contact_view(&s, 0).force[0], m * g - k * gap, 1e-8 * m * g);
    scene_end(&s);
}

// ---- Where there is no equilibrium ----

static void expect_mechanism(scene *s, const char *name)
{
    pcs_static_opts opts = pcs_static_default();
    pcs_static_info info;
    assert_int_equal(pcs_simulation_equilibrate(s->simulation, &opts, &info), PCS_ERROR_MODEL);
    if (!strstr(pcs_context_error(s->ctx), name) ||
        !strstr(pcs_context_error(s->ctx), "without resistance"))
        fail_msg("%s", pcs_context_error(s->ctx));
}

static void test_mechanisms(void **state)
{
    (void)state;
    scene s;
    scene_begin(&s, 3, pcs_v3(0, 0, -g));
    scene_sphere(&s, "falling", 1.3, 0.2, pcs_v3(0, 0, 1), zero);
    scene_finish(&s, 1e-3, 0.1);
    expect_mechanism(&s, "body 'falling'");
    scene_end(&s);
    // A slope without friction holds nothing.
    scene_begin(&s, 2, pcs_v3(2.1, -g, 0));
    pcs_body_id id = scene_point(&s, "slider", 0.7, pcs_v3(0, 0.1, 0), zero);
    pcs_contact_def def = scene_contact_def("floor", PCS_CONTACT_POINT_PLANE,
                                            scene_frame(PCS_GROUND, zero, zero), id,
                                            (pcs_law){.friction = 0.9});
    scene_contact(&s, &def);
    scene_finish(&s, 1e-3, 0.1);
    expect_mechanism(&s, "body 'slider'");
    assert_non_null(strstr(pcs_context_error(s.ctx), "no friction in statics"));
    scene_end(&s);
}

// ---- Load steps, and runs that start at rest ----

typedef struct history {
    double last, y0, compliance;
    int count;
} history;

static pcs_status note_step(void *user, const pcs_simulation *simulation, double load)
{
    history *h = user;
    pcs_body_view view;
    pcs_simulation_body(simulation, 0, &view);
    assert_true(load > h->last || h->count == 0);
    assert_near(pcs_simulation_time(simulation), load, 0);
    if (h->count == 0)
        h->y0 = view.position.y;
    assert_near(view.position.y, h->y0 - load * h->compliance, place);
    h->last = load;
    ++h->count;
    return PCS_OK;
}

static void test_load_steps(void **state)
{
    (void)state;
    const double m = 1.47, k = 211, push = 7.3;
    scene s;
    scene_begin(&s, 2, pcs_v3(0, -g, 0));
    pcs_body_id id = scene_point(&s, "mass", m, pcs_v3(0, -0.5, 0), zero);
    spring_between(&s, "spring", PCS_GROUND, zero, id, zero, k, 0.5);
    pcs_force_def force = pcs_force_default();
    force.name = "push";
    force.body = id;
    force.force[1] = pcs_expression("-7.3");
    scene_force(&s, &force);
    scene_finish(&s, 1e-3, 0.1);
    history h = {.compliance = (m * g + push) / k};
    pcs_static_opts opts = pcs_static_default();
    opts.steps = 4;
    opts.step = note_step;
    opts.step_user = &h;
    pcs_static_info info;
    scene_require(&s, pcs_simulation_equilibrate(s.simulation, &opts, &info));
    assert_int_equal(h.count, 5);
    assert_int_equal(info.steps, 4);
    assert_near(h.last, 1, 0);
    assert_near(info.moved, h.compliance, place);
    assert_string_equal(info.moved_node, "body 'mass'");
    scene_end(&s);
}

// A spatial body on slanted springs and a joint; no closed form, but a run from there stays there:
// the imbalance of 1e-10 m g moves it by 1e-10 g t^2 / 2.
static void test_run_from_equilibrium(void **state)
{
    (void)state;
    static const char *const schemes[] = {"moreau-jean", "dopri5"};
    for (int k = 0; k < 2; ++k) {
        scene s;
        scene_begin(&s, 3, pcs_v3(1.3, -0.4, -g));
        s.scheme = schemes[k];
        pcs_body_id id = scene_box(&s, "box", 2.3, pcs_v3(0.4, 0.3, 0.2), pcs_v3(0.1, 0.2, -0.6),
                                   pcs_v3(0.2, -0.1, 0.3), zero);
        const pcs_vec3 top[3] = {{0.5, 0.1, 0}, {-0.4, 0.5, 0.1}, {-0.3, -0.6, -0.1}};
        const pcs_vec3 corner[3] = {{0.2, 0.1, 0.1}, {-0.2, 0.15, 0.1}, {-0.1, -0.15, 0.1}};
        for (int i = 0; i < 3; ++i) {
            const char *const name[] = {"s0", "s1", "s2"};
            spring_between(&s, name[i], PCS_GROUND, top[i], id, corner[i], 130 + 21 * i, 0.41);
        }
        pcs_joint_def wire = pcs_joint_default();
        wire.name = "wire";
        wire.kind = PCS_JOINT_DISTANCE;
        wire.a = scene_frame(PCS_GROUND, pcs_v3(0.9, 0.2, -0.9), zero);
        wire.b = scene_frame(id, pcs_v3(0.2, -0.1, -0.1), zero);
        scene_joint(&s, &wire);
        scene_finish(&s, 1e-3, 0.05);
        equilibrate(&s);
        const pcs_vec3 x = scene_view(&s, id).position;
        scene_run(&s);
        const pcs_body_view end = scene_view(&s, id);
        assert_at_most(pcs_v3_norm(pcs_v3_sub(end.position, x)), 1e-8);
        assert_at_most(pcs_v3_norm(end.velocity), 1e-7);
        scene_end(&s);
    }
}

static void test_refusals(void **state)
{
    (void)state;
    scene s;
    scene_begin(&s, 2, pcs_v3(0, -g, 0));
    scene_point(&s, "mass", 1, zero, zero);
    scene_finish(&s, 1e-3, 0.1);
    pcs_static_opts opts = pcs_static_default();
    pcs_static_info info;
    opts.steps = 0;
    assert_int_equal(pcs_simulation_equilibrate(s.simulation, &opts, &info), PCS_ERROR_ARGUMENT);
    opts.steps = 1;
    scene_require(&s, pcs_simulation_start(s.simulation));
    assert_int_equal(pcs_simulation_equilibrate(s.simulation, &opts, &info), PCS_ERROR_ARGUMENT);
    scene_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hanging_chain),   cmocka_unit_test(test_pendulum_with_torsion_spring),
        cmocka_unit_test(test_four_bar),        cmocka_unit_test(test_snap_through),
        cmocka_unit_test(test_box_on_plane),    cmocka_unit_test(test_ball_in_bowl),
        cmocka_unit_test(test_spring_and_stop), cmocka_unit_test(test_mechanisms),
        cmocka_unit_test(test_load_steps),      cmocka_unit_test(test_run_from_equilibrium),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
