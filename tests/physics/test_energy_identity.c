// Discrete energy balances of the Moreau-Jean scheme, which hold to rounding for linear systems.
// Source: digest of [AcaryLectures] 3.6, items 1 and 2 and its sharp unit test.
//
//   standard     dE - W = (1/2 - theta) (|dv|_M^2 + |dq|_K^2) + U_{k+theta} P
//   dissipative  dE - W = (1/2 - theta) |dq|_K^2 + U_{k+1/2} P
//
// In the energy account the last term is `impact` (and `friction`), W are the other works, and what
// stands before it is `numerical`.
#include <float.h>

#include "support/near.h"
#include "support/scenes.h"

static const pcs_vec3 zero = {0, 0, 0};

// Linear along its line; the rest length keeps the end points apart.
static void add_spring(scene *s, const char *name, pcs_frame a, pcs_frame b, double k, double c,
                       double rest)
{
    pcs_spring_def def = pcs_spring_default();
    def.name = name;
    def.a = a;
    def.b = b;
    def.stiffness = k;
    def.damping = c;
    def.rest = rest;
    scene_spring(s, &def);
}

// m = k = 1, h = 0.5, q0 = 0 (closed), v0 = -1, no other force. Energy after one step.
static void test_sharp_energy(void **state)
{
    (void)state;
    static const struct {
        double theta, e;
        const char *variant;
        double gain;
    } row[] = {
        {1, 1, "standard", 0.125},
        {1, 0.9, "standard", 0.00625},
        {0.5, 1, "standard", 0},
        {1, 1, "dissipative", 0},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; ++i) {
        scene s;
        scene_bouncing_ball(&s, 0, 1, 0, -1, row[i].e);
        add_spring(&s, "spring", scene_frame(PCS_GROUND, (pcs_vec3){0, -1, 0}, zero),
                   scene_frame(0, zero, zero), 1, 0, 1);
        scene_finish(&s, 0.5, 0.5);
        scene_set_number(&s, "theta", row[i].theta);
        scene_set(&s, "variant", row[i].variant);
        scene_set(&s, "projection", "none");
        assert_int_equal(scene_step(&s), PCS_OK);
        assert_near(scene_total_energy(&s) - 0.5, row[i].gain, 16 * DBL_EPSILON);
        scene_end(&s);
    }
}

// A vertical chain of masses with linear springs, hung from above, the lowest over the floor.
enum { MASSES = 4 };

typedef struct chain {
    double m[MASSES], k[MASSES]; // spring i joins mass i and i + 1, the last one the ceiling
} chain;

static const chain links = {{1.37, 0.61, 2.385, 0.94}, {310.7, 127.3, 219.1, 87.9}};

static void chain_build(scene *s, double restitution)
{
    scene_begin(s, 2, (pcs_vec3){0, -9.81, 0});
    for (int i = 0; i < MASSES; ++i) {
        char name[] = "mass0";
        name[4] = (char)('0' + i);
        scene_point(s, name, links.m[i], (pcs_vec3){0, 0.153 + 0.71 * i, 0},
                    (pcs_vec3){0, -0.9 + 0.37 * i, 0});
    }
    pcs_contact_def def = scene_contact_def("floor", PCS_CONTACT_POINT_PLANE, pcs_frame_default(),
                                            0, (pcs_law){.restitution = restitution});
    scene_contact(s, &def);
}

static void chain_springs(scene *s, double damping)
{
    for (int i = 0; i < MASSES; ++i) {
        char name[] = "link0";
        name[4] = (char)('0' + i);
        pcs_frame above = i + 1 < MASSES ? scene_frame(i + 1, zero, zero)
                                         : scene_frame(PCS_GROUND, (pcs_vec3){0, 3.1, 0}, zero);
        add_spring(s, name, scene_frame(i, zero, zero), above, links.k[i], damping, 0.68);
    }
}

// |x|_M^2 and |x|_K^2 of an increment of the heights.
static double square_M(const double *x)
{
    double sum = 0;
    for (int i = 0; i < MASSES; ++i)
        sum += links.m[i] * x[i] * x[i];
    return sum;
}

static double square_K(const double *x)
{
    double sum = 0;
    for (int i = 0; i < MASSES; ++i) {
        double longer = (i + 1 < MASSES ? x[i + 1] : 0) - x[i];
        sum += links.k[i] * longer * longer;
    }
    return sum;
}

// Runs a finished chain and compares the numerical account of every step with the theta term; the
// impact account with U_{k+a} P.
static void check_identity(scene *s, double theta, bool dissipative)
{
    scene_set_number(s, "theta", theta);
    scene_set(s, "variant", dissipative ? "dissipative" : "standard");
    scene_set(s, "projection", "none");
    assert_int_equal(pcs_simulation_start(s->simulation), PCS_OK);
    double q[MASSES], v[MASSES], dq[MASSES], dv[MASSES], impulses = 0;
    const double a = dissipative ? 0.5 : theta, rounding = 1e-12; // energies are of order 100 J
    pcs_energy_account before = *scene_energy(s);
    for (int i = 0; i < MASSES; ++i) {
        q[i] = pcs_simulation_q(s->simulation)[2 * i + 1];
        v[i] = pcs_simulation_v(s->simulation)[2 * i + 1];
    }
    while (!pcs_simulation_finished(s->simulation)) {
        assert_int_equal(scene_step(s), PCS_OK);
        pcs_energy_account now = *scene_energy(s);
        double u_k = v[0];
        for (int i = 0; i < MASSES; ++i) {
            dq[i] = pcs_simulation_q(s->simulation)[2 * i + 1] - q[i];
            dv[i] = pcs_simulation_v(s->simulation)[2 * i + 1] - v[i];
            q[i] += dq[i];
            v[i] += dv[i];
        }
        double expected = (0.5 - theta) * (square_K(dq) + (dissipative ? 0 : square_M(dv)));
        assert_near(now.numerical - before.numerical, expected, rounding);
        double P = scene_contact_view(s, 0).impulse[0];
        assert_near(now.impact - before.impact, P * ((1 - a) * u_k + a * v[0]), rounding);
        impulses += P;
        before = now;
    }
    assert_true(impulses > 0.1); // the floor took part
}

static const double thetas[] = {0.5, 0.5713, 0.83, 1};
static const double restitutions[] = {0, 0.47, 1};

static void test_chain_identity(void **state)
{
    (void)state;
    for (int i = 0; i < 4; ++i)
        for (int k = 0; k < 3; ++k)
            for (int variant = 0; variant < 2; ++variant) {
                scene s;
                chain_build(&s, restitutions[k]);
                chain_springs(&s, 0);
                scene_finish(&s, 7.3e-3, 2);
                check_identity(&s, thetas[i], variant == 1);
                scene_end(&s);
            }
}

// The same with dampers and a force that changes with time: their works are accounts of their own
// and leave the numerical remainder as it is.
static void check_identity_with_work(bool dissipative)
{
    for (int i = 0; i < 4; ++i) {
        scene s;
        chain_build(&s, 0.47);
        chain_springs(&s, 1.37);
        pcs_force_def force = pcs_force_default();
        force.name = "push";
        force.body = 2;
        force.force[1] = pcs_expression("21.3*sin(5.1*t)");
        scene_force(&s, &force);
        scene_finish(&s, 7.3e-3, 2);
        check_identity(&s, thetas[i], dissipative);
        assert_true(fabs(scene_energy(&s)->applied) > 0.1);
        assert_true(scene_energy(&s)->damping < -0.1);
        scene_end(&s);
    }
}

static void test_chain_identity_with_work(void **state)
{
    (void)state;
    check_identity_with_work(false);
}

// In the variant the works are taken along the displacement h v_{k+1/2}, not along h v_{k+theta}.
static void test_dissipative_identity_with_work(void **state)
{
    (void)state;
    check_identity_with_work(true);
}

// Dissipation: e <= 1 and theta = 1/2, or the variant for every theta, never gain energy; the
// standard scheme may for theta > 1/(1+e) (the sharp test).
static void test_dissipation(void **state)
{
    (void)state;
    for (int i = 0; i < 4; ++i)
        for (int k = 0; k < 3; ++k) {
            scene s;
            chain_build(&s, restitutions[k]);
            chain_springs(&s, 0);
            scene_finish(&s, 7.3e-3, 4);
            scene_set_number(&s, "theta", thetas[i]);
            scene_set(&s, "variant", "dissipative");
            scene_set(&s, "projection", "none");
            assert_int_equal(pcs_simulation_start(s.simulation), PCS_OK);
            double energy = scene_total_energy(&s);
            while (!pcs_simulation_finished(s.simulation)) {
                double u_k = pcs_simulation_v(s.simulation)[1];
                scene_step(&s);
                // With U_k > 0 (a contact pressed shut again before it opened) P U_k / 2 is a gain.
                double pressed = fmax(u_k, 0) * scene_contact_view(&s, 0).impulse[0];
                assert_at_most(scene_total_energy(&s), energy + pressed + 1e-12);
                energy = scene_total_energy(&s);
            }
            assert_at_most(scene_energy(&s)->impact, 1e-12);
            scene_end(&s);
        }
}

// Everything at once along a line: cart A has a prescribed motion, B lies on a belt (friction), C
// has an actuator; springs and dampers between them, a force on B. Linear, so at theta = 1/2 the
// accounts close to rounding.
static void line_build(scene *s)
{
    scene_begin(s, 2, (pcs_vec3){0, -9.81, 0});
    const pcs_vec3 edges = {0.2, 0.1, 0.1};
    static const char *const names[] = {"A", "B", "C"};
    for (int i = 0; i < 3; ++i)
        scene_box(s, names[i], 1.3 + 0.4 * i, edges, (pcs_vec3){1.1 * i, 0.05, 0}, zero, zero);
    for (int i = 0; i < 3; i += 2) {
        pcs_joint_def rail = pcs_joint_default();
        rail.name = i == 0 ? "driven" : "pushed";
        rail.kind = PCS_JOINT_PRISMATIC;
        rail.a.position = (pcs_vec3){1.1 * i, 0.05, 0};
        rail.b.body = i;
        if (i == 0) {
            rail.drive[0].has_motion = true;
            rail.drive[0].motion = pcs_expression("0.07*(1-cos(2.1*t))");
        } else {
            rail.drive[0].actuator = pcs_expression(
                "2.1*sin(2.7*t)-9.3*joint.pushed.displacement-0.9*joint.pushed.speed");
        }
        scene_joint(s, &rail);
    }
    add_spring(s, "AB", scene_frame(0, zero, zero), scene_frame(1, zero, zero), 71.3, 0.83, 1.1);
    add_spring(s, "BC", scene_frame(1, zero, zero), scene_frame(2, zero, zero), 43.7, 0.37, 1.05);
    pcs_contact_def belt = scene_contact_def("belt", PCS_CONTACT_BOX_PLANE, pcs_frame_default(), 1,
                                             (pcs_law){.friction = 0.3});
    belt.size = edges;
    belt.surface_speed[0] = pcs_number(0.23);
    scene_contact(s, &belt);
    pcs_force_def force = pcs_force_default();
    force.name = "wind";
    force.body = 1;
    force.force[0] = pcs_expression("1.7*cos(1.9*t)");
    scene_force(s, &force);
}

static void test_accounts_close(void **state)
{
    (void)state;
    scene s;
    line_build(&s);
    scene_finish(&s, 2.3e-3, 5);
    scene_set(&s, "projection", "none");
    double friction = 0, damping = 0;
    while (!pcs_simulation_finished(s.simulation)) {
        assert_int_equal(scene_step(&s), PCS_OK);
        const pcs_energy_account *now = scene_energy(&s);
        assert_near(now->numerical, 0, 1e-11);
        assert_at_most(now->damping, damping + 1e-15);
        friction = fmin(friction, now->friction);
        damping = now->damping;
    }
    const pcs_energy_account *end = scene_energy(&s);
    print_message(
        "applied %g actuator %g driver %g damping %g friction %g impact %g numerical %g\n",
        end->applied, end->actuator, end->driver, end->damping, end->friction, end->impact,
        end->numerical);
    assert_true(fabs(end->applied) > 0.1 && fabs(end->actuator) > 0.1 && fabs(end->driver) > 0.1);
    assert_true(end->damping < -0.1 && end->friction < -0.1);
    assert_near(end->impact, 0, 1e-12);
    scene_end(&s);
}

// A driven mass: the reaction of the joint is m x''(t_{k+1/2}) up to O(h^2), its work the kinetic
// energy, at every step and with every projection.
static void test_driven_mass(void **state)
{
    (void)state;
    static const char *const projection[] = {"none", "bilateral", "all"};
    const double m = 2.385, w = 1.7, h = 3.1e-3;
    for (int i = 0; i < 3; ++i) {
        scene s;
        scene_begin(&s, 2, zero);
        scene_box(&s, "mass", m, (pcs_vec3){1, 1, 1}, zero, zero, (pcs_vec3){w, 0, 0});
        pcs_joint_def rail = pcs_joint_default();
        rail.name = "rail";
        rail.kind = PCS_JOINT_PRISMATIC;
        rail.b.body = 0;
        rail.drive[0].has_motion = true;
        rail.drive[0].motion = pcs_expression("sin(1.7*t)");
        scene_joint(&s, &rail);
        scene_finish(&s, h, 3);
        scene_set(&s, "projection", projection[i]);
        while (!pcs_simulation_finished(s.simulation)) {
            double before = pcs_simulation_time(s.simulation);
            assert_int_equal(scene_step(&s), PCS_OK);
            double t = 0.5 * (before + pcs_simulation_time(s.simulation));
            double force = scene_signal(&s, "joint.rail.force.x");
            assert_near(force, -m * w * w * sin(w * t), m * w * w * (w * h) * (w * h));
            const pcs_energy_account *now = scene_energy(&s);
            assert_near(now->numerical, 0, 1e-12);
            assert_near(now->driver, now->kinetic - 0.5 * m * w * w, 1e-12);
        }
        scene_end(&s);
    }
}

// With the projection what it moves is in the numerical account too: O(h^2) here.
static void test_accounts_with_projection(void **state)
{
    (void)state;
    double numerical[2];
    for (int i = 0; i < 2; ++i) {
        scene s;
        line_build(&s);
        scene_finish(&s, i == 0 ? 4e-3 : 2e-3, 5);
        assert_int_equal(scene_run(&s), 0);
        numerical[i] = scene_energy(&s)->numerical;
        scene_end(&s);
    }
    print_message("numerical %g and %g\n", numerical[0], numerical[1]);
    assert_true(fabs(numerical[1]) < fabs(numerical[0]) / 3.5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sharp_energy),
        cmocka_unit_test(test_chain_identity),
        cmocka_unit_test(test_chain_identity_with_work),
        cmocka_unit_test(test_dissipative_identity_with_work),
        cmocka_unit_test(test_dissipation),
        cmocka_unit_test(test_accounts_close),
        cmocka_unit_test(test_driven_mass),
        cmocka_unit_test(test_accounts_with_projection),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
