// Frequencies and shapes of small vibrations against closed forms, and Lanczos against LAPACK.
#include "percuss/analysis.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "math/rotation.h"
#include "support/near.h"
#include "support/scenes.h"

static const pcs_vec3 zero = {0, 0, 0};
static const double g = 9.81;

static pcs_modes *find_modes(scene *s, int32_t count, pcs_modes_method method, bool closed)
{
    pcs_modes_opts opts = pcs_modes_default();
    opts.count = count;
    opts.method = method;
    opts.closed_contacts = closed;
    pcs_modes *modes = NULL;
    scene_require(s, pcs_simulation_start(s->simulation));
    scene_require(s, pcs_modes_create(s->simulation, &opts, &modes));
    return modes;
}

// Eigenvalues carry the rounding of the largest one, `largest`: n eps of it.
static void check_square(const pcs_modes *modes, int32_t i, double square, double largest)
{
    const int32_t n = pcs_modes_get_info(modes).freedoms;
    const double rounding = (16 + n) * DBL_EPSILON * largest;
    const pcs_mode mode = pcs_modes_get(modes, i);
    assert_near(mode.square, square, rounding);
    assert_int_equal(mode.kind, square == 0  ? PCS_MODE_RIGID
                                : square > 0 ? PCS_MODE_FLEXIBLE
                                             : PCS_MODE_UNSTABLE);
    // The residual of a mode is limited by the same rounding relative to its own omega^2.
    assert_at_most(mode.residual, square == 0 ? 1e-12 : 100 * rounding / fabs(square));
}

static void check_orthogonal(const pcs_modes *modes)
{
    assert_at_most(pcs_modes_get_info(modes).orthogonality, 1e-9);
}

// ---- Chains ----

static const double m = 1.37, k = 2311;

static void add_spring(scene *s, pcs_body_id a, pcs_vec3 pa, pcs_body_id b, double stiffness)
{
    pcs_spring_def def = pcs_spring_default();
    char name[32];
    snprintf(name, sizeof name, "spring%d", (int)b);
    def.name = name;
    def.a = scene_frame(a, pa, zero);
    def.b = scene_frame(b, zero, zero);
    def.stiffness = stiffness;
    scene_spring(s, &def);
}

// n masses along x; `fixed`: the first hangs on the ground; `guided`: on the x axis alone.
static void build_chain(scene *s, int32_t n, bool fixed, bool guided)
{
    scene_begin(s, 2, zero);
    for (int32_t i = 0; i < n; ++i) {
        char name[32];
        snprintf(name, sizeof name, "m%d", (int)i);
        scene_point(s, name, m, pcs_v3(0.1 * (i + 1), 0, 0), zero);
        if (i > 0 || fixed)
            add_spring(s, i - 1, zero, i, k);
        if (!guided)
            continue;
        pcs_joint_def line = pcs_joint_default();
        snprintf(name, sizeof name, "line%d", (int)i);
        line.name = name;
        line.kind = PCS_JOINT_POINT_ON_LINE;
        line.b.body = i;
        scene_joint(s, &line);
    }
    scene_finish(s, 1e-3, 0.1);
}

// omega_j^2 = 4 k/m sin^2(theta_j / 2), theta_j = (2j-1) pi / (2n+1) (fixed), (j-1) pi / n (free)
static double chain_square(int32_t n, int32_t j, bool fixed)
{
    const double theta = fixed ? (2 * j - 1) * PCS_PI / (2 * n + 1) : (j - 1) * PCS_PI / n;
    const double s = sin(0.5 * theta);
    return 4 * k / m * s * s;
}

static void test_chain(void **state)
{
    (void)state;
    enum { N = 9 };
    for (int fixed = 0; fixed < 2; ++fixed) {
        scene s;
        build_chain(&s, N, fixed, true);
        pcs_modes *modes = find_modes(&s, 100, PCS_MODES_AUTO, false);
        const pcs_modes_info info = pcs_modes_get_info(modes);
        assert_int_equal(info.count, N);
        assert_int_equal(info.freedoms, N);
        assert_int_equal(info.rigid, fixed ? 0 : 1);
        assert_false(info.sparse);
        check_orthogonal(modes);
        double parts = 0;
        for (int32_t j = 0; j < N; ++j) {
            check_square(modes, j, chain_square(N, j + 1, fixed), 4 * k / m);
            parts += pcs_modes_get(modes, j).effective_mass[0];
            assert_near(pcs_modes_get(modes, j).effective_mass[1], 0, 1e-12);
        }
        assert_near(parts, 1, 1e-12); // all modes together carry the whole mass
        assert_near(info.mass[0], N * m, 1e-12 * N * m);
        pcs_modes_destroy(modes);
        scene_end(&s);
    }
}

// Without guides nothing holds the masses across: as many rigid modes as masses.
static void test_chain_without_guides(void **state)
{
    (void)state;
    enum { N = 6 };
    scene s;
    build_chain(&s, N, true, false);
    pcs_modes *modes = find_modes(&s, 2 * N, PCS_MODES_AUTO, false);
    assert_int_equal(pcs_modes_get_info(modes).rigid, N);
    for (int32_t j = 0; j < N; ++j)
        check_square(modes, N + j, chain_square(N, j + 1, true), 4 * k / m);
    char name[64];
    assert_true(pcs_modes_component(modes, 3, name, sizeof name));
    assert_string_equal(name, "body.m1.y");
    assert_int_equal(pcs_modes_shape_size(modes), 2 * N);
    assert_false(pcs_modes_component(modes, 2 * N, name, sizeof name));
    pcs_modes_destroy(modes);
    scene_end(&s);
}

static void test_long_chain(void **state)
{
    (void)state;
    enum { N = 2000, COUNT = 12 };
    for (int fixed = 0; fixed < 2; ++fixed) {
        scene s;
        build_chain(&s, N, fixed, true);
        pcs_modes *modes = find_modes(&s, COUNT, PCS_MODES_AUTO, false);
        const pcs_modes_info info = pcs_modes_get_info(modes);
        assert_true(info.sparse);
        assert_int_equal(info.count, COUNT);
        assert_int_equal(info.freedoms, N);
        assert_int_equal(info.rigid, fixed ? 0 : 1);
        check_orthogonal(modes);
        for (int32_t j = 0; j < COUNT; ++j)
            check_square(modes, j, chain_square(N, j + 1, fixed), 4 * k / m);
        pcs_modes_destroy(modes);
        scene_end(&s);
    }
}

// ---- Pendulums ----

static void test_pendulum(void **state)
{
    (void)state;
    const double mass = 2.19, a = 0.431, J = 0.173, torsion = 3.7;
    scene s;
    scene_begin(&s, 3, pcs_v3(0, -g, 0));
    pcs_body_def def = pcs_body_default();
    def.name = "rod";
    def.mass = mass;
    def.inertia.m[0][0] = 0.06;
    def.inertia.m[1][1] = 0.13;
    def.inertia.m[2][2] = J;
    def.position = pcs_v3(0, -a, 0);
    pcs_body_id rod = scene_body(&s, &def);
    pcs_joint_def hinge = pcs_joint_default();
    hinge.name = "hinge";
    hinge.kind = PCS_JOINT_REVOLUTE;
    hinge.b = scene_frame(rod, pcs_v3(0, a, 0), zero);
    hinge.drive[0].stiffness = torsion;
    scene_joint(&s, &hinge);
    scene_finish(&s, 1e-3, 0.1);
    pcs_modes *modes = find_modes(&s, 5, PCS_MODES_AUTO, false);
    assert_int_equal(pcs_modes_get_info(modes).count, 1);
    const double square = (mass * g * a + torsion) / (J + mass * a * a);
    check_square(modes, 0, square, square);
    assert_near(pcs_modes_get(modes, 0).frequency, sqrt(square) / (2 * PCS_PI), 1e-12);
    assert_at_most(pcs_modes_get_info(modes).imbalance, 1e-12);
    pcs_modes_destroy(modes);
    scene_end(&s);
}

static void build_double_pendulum(scene *s, double m1, double m2, double l1, double l2)
{
    scene_begin(s, 2, pcs_v3(0, -g, 0));
    scene_point(s, "upper", m1, pcs_v3(0, -l1, 0), zero);
    scene_point(s, "lower", m2, pcs_v3(0, -l1 - l2, 0), zero);
    for (int i = 0; i < 2; ++i) {
        pcs_joint_def rod = pcs_joint_default();
        rod.name = i == 0 ? "first" : "second";
        rod.kind = PCS_JOINT_DISTANCE;
        rod.a.body = i - 1;
        rod.b.body = i;
        scene_joint(s, &rod);
    }
    scene_finish(s, 1e-3, 0.1);
}

// m1 l1 l2 w^4 - (m1 + m2) g (l1 + l2) w^2 + (m1 + m2) g^2 = 0
static void test_double_pendulum(void **state)
{
    (void)state;
    const double m1 = 1.13, m2 = 0.74, l1 = 0.613, l2 = 0.327;
    scene s;
    build_double_pendulum(&s, m1, m2, l1, l2);
    pcs_modes *modes = find_modes(&s, 4, PCS_MODES_AUTO, false);
    const double a = m1 * l1 * l2, b = (m1 + m2) * g * (l1 + l2), c = (m1 + m2) * g * g;
    const double root = sqrt(b * b - 4 * a * c), largest = (b + root) / (2 * a);
    assert_int_equal(pcs_modes_get_info(modes).count, 2);
    check_square(modes, 0, 2 * c / (b + root), largest);
    check_square(modes, 1, largest, largest);
    check_orthogonal(modes);
    pcs_modes_destroy(modes);
    scene_end(&s);
}

static void test_inverted_pendulum(void **state)
{
    (void)state;
    scene s;
    scene_begin(&s, 2, pcs_v3(0, -g, 0));
    scene_point(&s, "bob", 0.83, pcs_v3(0, 0.714, 0), zero);
    pcs_joint_def rod = pcs_joint_default();
    rod.name = "rod";
    rod.kind = PCS_JOINT_DISTANCE;
    rod.b.body = 0;
    scene_joint(&s, &rod);
    scene_finish(&s, 1e-3, 0.1);
    pcs_modes *modes = find_modes(&s, 1, PCS_MODES_AUTO, false);
    check_square(modes, 0, -g / 0.714, g / 0.714);
    assert_string_equal(pcs_mode_kind_name(pcs_modes_get(modes, 0).kind), "unstable");
    pcs_modes_destroy(modes);
    scene_end(&s);
}

// ---- Bodies in space ----

static const double mount[6] = {3110, 4720, 1930, 61.3, 43.7, 88.1};

static void add_bushing(scene *s, const char *name, pcs_body_id a, pcs_vec3 pa, pcs_body_id b,
                        pcs_vec3 pb)
{
    pcs_spring_def def = pcs_spring_default();
    def.name = name;
    def.kind = PCS_SPRING_BUSHING;
    def.a = scene_frame(a, pa, zero);
    def.b = scene_frame(b, pb, zero);
    memcpy(def.stiffness6, mount, sizeof mount);
    scene_spring(s, &def);
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void test_body_on_mount(void **state)
{
    (void)state;
    const double mass = 7.31, J[3] = {0.211, 0.307, 0.174};
    scene s;
    scene_begin(&s, 3, zero);
    pcs_body_def def = pcs_body_default();
    def.name = "engine";
    def.mass = mass;
    for (int i = 0; i < 3; ++i)
        def.inertia.m[i][i] = J[i];
    scene_body(&s, &def);
    add_bushing(&s, "mount", PCS_GROUND, zero, 0, zero);
    scene_finish(&s, 1e-3, 0.1);
    pcs_modes *modes = find_modes(&s, 6, PCS_MODES_AUTO, false);
    double square[6];
    for (int i = 0; i < 6; ++i)
        square[i] = i < 3 ? mount[i] / mass : mount[i] / J[i - 3];
    qsort(square, 6, sizeof *square, ascending);
    for (int i = 0; i < 6; ++i)
        check_square(modes, i, square[i], square[5]);
    check_orthogonal(modes);
    pcs_modes_destroy(modes);
    scene_end(&s);
}

// A row of bodies on mounts, every third pair hinged: LAPACK and ARPACK must find the same.
static void test_dense_and_sparse(void **state)
{
    (void)state;
    enum { N = 40, COUNT = 15 };
    scene s;
    scene_begin(&s, 3, pcs_v3(0, 0, -g));
    for (int i = 0; i < N; ++i) {
        char name[32];
        snprintf(name, sizeof name, "b%d", i);
        scene_box(&s, name, 1 + 0.3 * sin(1.3 * i), pcs_v3(0.2, 0.11, 0.07 + 0.02 * cos(2.1 * i)),
                  pcs_v3(0.25 * i, 0, 0), zero, zero);
        const pcs_vec3 from = pcs_v3(i == 0 ? -0.125 : 0.125, 0.01, 0);
        if (i % 3 != 2) {
            add_bushing(&s, name, i - 1, from, i, pcs_v3(-0.125, 0.01, 0));
            continue;
        }
        pcs_joint_def hinge = pcs_joint_default();
        hinge.name = name;
        hinge.kind = PCS_JOINT_REVOLUTE;
        hinge.a = scene_frame(i - 1, from, pcs_v3(0.3, 0, 0));
        hinge.b = scene_frame(i, pcs_v3(-0.125, 0.01, 0), pcs_v3(0.3, 0, 0));
        hinge.drive[0].stiffness = 71.3;
        scene_joint(&s, &hinge);
    }
    scene_finish(&s, 1e-3, 0.1);
    pcs_modes *dense = find_modes(&s, COUNT, PCS_MODES_DENSE, false);
    pcs_modes *sparse = find_modes(&s, COUNT, PCS_MODES_SPARSE, false);
    assert_false(pcs_modes_get_info(dense).sparse);
    assert_true(pcs_modes_get_info(sparse).sparse);
    assert_int_equal(pcs_modes_get_info(dense).freedoms, 6 * N - 5 * (N / 3));
    assert_int_equal(pcs_modes_get_info(sparse).freedoms, pcs_modes_get_info(dense).freedoms);
    for (int32_t i = 0; i < COUNT; ++i) {
        const pcs_mode a = pcs_modes_get(dense, i), b = pcs_modes_get(sparse, i);
        // n eps of the largest omega^2, some 1e6: 1e-8 at omega^2 of the order 1
        assert_near(a.square, b.square, 1e-8 * fmax(1, fabs(a.square)));
        for (int j = 0; j < 3; ++j)
            assert_near(a.effective_mass[j], b.effective_mass[j], 1e-6);
    }
    check_orthogonal(dense);
    check_orthogonal(sparse);
    pcs_modes_destroy(dense);
    pcs_modes_destroy(sparse);
    scene_end(&s);
}

// ---- Contacts ----

// A ball at the bottom of a bowl, without friction: omega^2 = g / (R - r) from the curvature of the
// contact under its force, if the contact is held; nothing if it is open.
static void test_ball_in_bowl(void **state)
{
    (void)state;
    const double bowl = 1.31, ball = 0.17;
    scene s;
    scene_begin(&s, 2, pcs_v3(0, -g, 0));
    scene_sphere(&s, "ball", 0.93, ball, pcs_v3(0, -(bowl - ball), 0), zero);
    pcs_contact_def def = scene_contact_def("bowl", PCS_CONTACT_SPHERE_IN_SPHERE,
                                            scene_frame(PCS_GROUND, zero, zero), 0, (pcs_law){0});
    def.radius_a = bowl;
    def.radius_b = ball;
    scene_contact(&s, &def);
    scene_finish(&s, 1e-3, 0.1);
    const double square = g / (bowl - ball);
    pcs_modes *modes = find_modes(&s, 3, PCS_MODES_AUTO, true);
    assert_int_equal(pcs_modes_get_info(modes).closed, 1);
    assert_int_equal(pcs_modes_get_info(modes).count, 2); // it also spins
    assert_int_equal(pcs_modes_get_info(modes).rigid, 1);
    check_square(modes, 1, square, square);
    pcs_modes_destroy(modes);
    modes = find_modes(&s, 3, PCS_MODES_AUTO, false);
    assert_int_equal(pcs_modes_get_info(modes).closed, 0);
    assert_int_equal(pcs_modes_get_info(modes).rigid, 3);
    pcs_modes_destroy(modes);
    scene_end(&s);
}

// ---- About an equilibrium ----

// A mass on a spring, as a spring pendulum: down omega^2 = k/m, across g / (l + m g / k).
static void test_spring_pendulum(void **state)
{
    (void)state;
    const double mass = 1.81, stiffness = 143.7, l = 0.52;
    scene s;
    scene_begin(&s, 2, pcs_v3(0, -g, 0));
    pcs_body_id id = scene_point(&s, "bob", mass, pcs_v3(0.1, -l, 0), zero);
    pcs_spring_def def = pcs_spring_default();
    def.name = "spring";
    def.b.body = id;
    def.stiffness = stiffness;
    def.rest = l;
    scene_spring(&s, &def);
    scene_finish(&s, 1e-3, 0.1);
    pcs_static_opts opts = pcs_static_default();
    pcs_static_info info;
    scene_require(&s, pcs_simulation_equilibrate(s.simulation, &opts, &info));
    pcs_modes_opts modes_opts = pcs_modes_default();
    pcs_modes *modes = NULL;
    scene_require(&s, pcs_modes_create(s.simulation, &modes_opts, &modes));
    // The equilibrium is known to 1e-10 of the forces.
    assert_near(pcs_modes_get(modes, 0).square, g / (l + mass * g / stiffness), 1e-8);
    assert_near(pcs_modes_get(modes, 1).square, stiffness / mass, 1e-7);
    assert_near(pcs_modes_get(modes, 0).effective_mass[0], 1, 1e-9);
    assert_near(pcs_modes_get(modes, 1).effective_mass[1], 1, 1e-9);
    // A shape can be looked at, and the state comes back.
    const double y = scene_view(&s, id).position.y;
    pcs_modes_show(modes, 0, 0.05, 3.25);
    assert_near(fabs(scene_view(&s, id).position.x), 0.05, 1e-8);
    assert_near(pcs_simulation_time(s.simulation), 3.25, 0);
    pcs_modes_destroy(modes);
    assert_near(scene_view(&s, id).position.y, y, 0);
    assert_near(pcs_simulation_time(s.simulation), 0, 0);
    scene_end(&s);
}

static void test_refusals(void **state)
{
    (void)state;
    scene s;
    build_chain(&s, 3, true, true);
    pcs_modes_opts opts = pcs_modes_default();
    pcs_modes *modes = NULL;
    assert_int_equal(pcs_modes_create(s.simulation, &opts, &modes), PCS_ERROR_ARGUMENT);
    scene_require(&s, pcs_simulation_start(s.simulation));
    opts.count = 0;
    assert_int_equal(pcs_modes_create(s.simulation, &opts, &modes), PCS_ERROR_ARGUMENT);
    assert_null(modes);
    scene_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chain),           cmocka_unit_test(test_chain_without_guides),
        cmocka_unit_test(test_long_chain),      cmocka_unit_test(test_pendulum),
        cmocka_unit_test(test_double_pendulum), cmocka_unit_test(test_inverted_pendulum),
        cmocka_unit_test(test_body_on_mount),   cmocka_unit_test(test_dense_and_sparse),
        cmocka_unit_test(test_ball_in_bowl),    cmocka_unit_test(test_spring_pendulum),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
