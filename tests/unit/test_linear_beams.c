// Linear beams: derivatives, closed forms of statics, frequencies of Euler-Bernoulli, Timoshenko
// and torsion, consistent and lumped mass.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "elements/beam.h"
#include "support/line_mesh.h"
#include "support/near.h"

// As in test_beam_elements.c
#define DERIVATIVES 1e-9
#define ROUNDING 1e-13

enum { TRIALS = 12 };

static const pcs_fe_class *const CLASSES[2] = {&pcs_fe_linear_beam, &pcs_fe_linear_timoshenko};

static line_mesh mesh;

static int setup(void **state)
{
    (void)state;
    line_random_init(1173);
    return 0;
}

// n elements along a line that lies anyhow, with mesh axes that lie anyhow, clamped at node 0.
static void oblique(const pcs_fe_class *class, const pcs_fe_property *property, double length,
                    int32_t n, pcs_mat3 *axes)
{
    const int32_t dimension = property->dimension;
    line_mesh_init(&mesh, class, property);
    mesh.axes = pcs_quat_matrix(line_rotation(dimension));
    pcs_vec3 X = line_vector(dimension, 1), e = line_vector(dimension, 1);
    e = pcs_v3_scale(1 / pcs_v3_norm(e), e);
    for (int32_t i = 0; i <= n; ++i)
        line_mesh_add_node(&mesh, pcs_v3_axpy(X, length * i / n, e));
    for (int32_t i = 0; i < n; ++i)
        line_mesh_add_element(&mesh, i, i + 1);
    line_mesh_reset(&mesh);
    line_mesh_fix_node(&mesh, 0);
    double L;
    assert_int_equal(pcs_beam_axes(NULL, property, mesh.X, &mesh.axes, &L, axes), PCS_OK);
}

static void test_derivatives(void **state)
{
    (void)state;
    pcs_mat3 axes;
    for (int c = 0; c < 2; ++c)
        for (int32_t dimension = 2; dimension <= 3; ++dimension)
            for (int trial = 0; trial < TRIALS; ++trial) {
                pcs_fe_property property = line_property(dimension);
                if (trial % 3 == 1)
                    property.section.y = line_vector(3, 1);
                oblique(CLASSES[c], &property, line_between(0.6, 1.4), 1, &axes);
                // Small displacements are meant, but the derivatives hold for all
                line_mesh_random_state(&mesh, 0.4, trial % 4 == 3 ? 1e-6 : 0.7);
                line_mesh_check_derivatives(&mesh, DERIVATIVES);
            }
}

// ---- Statics ----

// Small forces and moments along the element's axes at the end of a cantilever, against
//   u_x = F_x L/EA,  u_y = F_y L^3/(3 EI_z) + F_y L/(G A_y) + M_z L^2/(2 EI_z),
//   r_x = M_x L/GJ,  r_z = M_z L/EI_z + F_y L^2/(2 EI_z),  about y with the other sign.
// The elements are exact in their nodes for any number of them; the loads are so small that squares
// of the displacements are rounding, which is 1e-16 of positions of size one.
static void cantilever(int c, int32_t dimension, int32_t n)
{
    const double L = 1.7, E = 2.385, G = E / 2.54, tiny = 1e-8;
    const double EIy = E * 0.817, EIz = E * 1.43, shear = c == 1 ? 1 : 0;
    const double F[3] = {0.31 * tiny, -0.73 * tiny, 0.47 * tiny};
    const double M[3] = {0.19 * tiny, 0.83 * tiny, -0.61 * tiny};
    pcs_fe_property property = line_property(dimension);
    pcs_mat3 axes;
    oblique(CLASSES[c], &property, L, n, &axes);
    pcs_mat3 node_axes = pcs_m3_tmul(&mesh.axes, &axes);
    double load[LINE_UNKNOWNS_MAX] = {0}, u[3], r[3];
    double *end = load + n * line_mesh_node_unknowns(&mesh);
    if (dimension == 3) {
        pcs_v3_store(end, pcs_m3_mul_v3(&axes, pcs_v3_load(F)));
        pcs_v3_store(end + 3, pcs_m3_mul_v3(&node_axes, pcs_v3_load(M)));
    } else {
        pcs_v3_store(end, pcs_m3_mul_v3(&axes, pcs_v3(F[0], F[1], 0)));
        end[2] = M[2];
    }
    assert_true(line_mesh_solve(&mesh, load, 1e-4 * tiny, 1) >= 0);
    pcs_quat turn = pcs_quat_mul(pcs_quat_conjugate(pcs_quat_from_matrix(&mesh.axes)), mesh.p[n]);
    pcs_v3_store(u, pcs_m3_tmul_v3(&axes, pcs_v3_sub(mesh.x[n], mesh.X[n])));
    pcs_v3_store(r, pcs_m3_tmul_v3(&node_axes, pcs_so3_log(turn)));
    const double tolerance = 1e-14;
    assert_near(u[0], F[0] * L / (E * 1.173), tolerance);
    assert_near(u[1],
                F[1] * (L * L * L / (3 * EIz) + shear * L / (G * 0.93)) + M[2] * L * L / (2 * EIz),
                tolerance);
    assert_near(r[2], M[2] * L / EIz + F[1] * L * L / (2 * EIz), tolerance);
    if (dimension == 3) {
        assert_near(u[2],
                    F[2] * (L * L * L / (3 * EIy) + shear * L / (G * 0.71)) -
                        M[1] * L * L / (2 * EIy),
                    tolerance);
        assert_near(r[0], M[0] * L / (G * 1.91), tolerance);
        assert_near(r[1], M[1] * L / EIy - F[2] * L * L / (2 * EIy), tolerance);
    }
    double out[PCS_BEAM_RESULTS], arm = L / (2 * n); // last element: its middle is this far away
    line_mesh_results(&mesh, n - 1, out);
    const bool space = dimension == 3;
    const double expected[PCS_BEAM_RESULTS] = {
        [PCS_BEAM_AXIAL] = F[0],
        [PCS_BEAM_SHEAR_Y] = F[1],
        [PCS_BEAM_SHEAR_Z] = space ? F[2] : 0,
        [PCS_BEAM_TORQUE] = space ? M[0] : 0,
        [PCS_BEAM_MOMENT_Y] = space ? M[1] - F[2] * arm : 0,
        [PCS_BEAM_MOMENT_Z] = M[2] + F[1] * arm,
    };
    for (int i = 1; i < PCS_BEAM_RESULTS; ++i)
        assert_near(out[i], expected[i], 1e-13 * n * n * n); // rounding times 12 EI/h^3
    assert_near(out[PCS_BEAM_BENDING],
                hypot(expected[PCS_BEAM_MOMENT_Y], expected[PCS_BEAM_MOMENT_Z]), 1e-13 * n * n * n);
}

static void test_cantilever(void **state)
{
    (void)state;
    for (int c = 0; c < 2; ++c)
        for (int32_t dimension = 2; dimension <= 3; ++dimension)
            for (int32_t n = 1; n <= 5; n += 2)
                cantilever(c, dimension, n);
}

// The same in the geometrically exact beam: results have the same signs.
static void test_results_as_exact(void **state)
{
    (void)state;
    const double tiny = 1e-7;
    for (int32_t dimension = 2; dimension <= 3; ++dimension) {
        double out[2][PCS_BEAM_RESULTS];
        for (int pass = 0; pass < 2; ++pass) {
            pcs_fe_property property = line_property(dimension);
            pcs_mat3 axes;
            setup(NULL);
            oblique(pass ? &pcs_fe_beam : &pcs_fe_linear_timoshenko, &property, 1.3, 1, &axes);
            double load[12] = {0};
            for (int32_t i = 0; i < line_mesh_node_unknowns(&mesh); ++i)
                load[line_mesh_node_unknowns(&mesh) + i] = line_between(-tiny, tiny);
            assert_true(line_mesh_solve(&mesh, load, 1e-14, 5) >= 0);
            line_mesh_results(&mesh, 0, out[pass]);
        }
        for (int i = 0; i < PCS_BEAM_RESULTS; ++i)
            assert_near(out[1][i], out[0][i], 1e-13); // square of the displacements
    }
}

// A kinked line without stress; translations and small rotations of all of it cost nothing.
static void test_rigid_motions(void **state)
{
    (void)state;
    for (int c = 0; c < 2; ++c)
        for (int32_t dimension = 2; dimension <= 3; ++dimension) {
            pcs_fe_property property = line_property(dimension);
            pcs_mat3 axes;
            oblique(CLASSES[c], &property, 1.1, 2, &axes);
            memset(mesh.fixed, 0, sizeof mesh.fixed);
            line_mesh_add_node(&mesh, pcs_v3_add(mesh.X[2], line_vector(dimension, 1)));
            line_mesh_add_element(&mesh, 2, 3);
            line_mesh_reset(&mesh);
            const int32_t n = line_mesh_unknowns(&mesh), rigid = dimension == 2 ? 3 : 6;
            double f[LINE_UNKNOWNS_MAX], omega[LINE_UNKNOWNS_MAX];
            assert_int_equal(line_mesh_frequencies(&mesh, omega), n);
            assert_true(omega[rigid - 1] < 1e-7 * omega[n - 1]); // square root of rounding
            assert_true(omega[rigid] > 1e-3 * omega[n - 1]);
            const double angle = 1e-6;
            pcs_vec3 axis = dimension == 2 ? pcs_v3(0, 0, 1) : pcs_v3(0.6, 0, -0.8);
            line_mesh_turn(&mesh, pcs_quat_from_axis_angle(axis, angle), line_vector(dimension, 5));
            for (int32_t i = 0; i < mesh.n_nodes; ++i)
                mesh.v[i] = pcs_v3(0.3, -0.7, 0);
            assert_near(line_mesh_force(&mesh, f), 0, ROUNDING);
            for (int32_t i = 0; i < n; ++i)
                assert_near(f[i], 0, 100 * angle * angle);
        }
}

// ---- Vibrations ----

// Clamped-free and free-free in the plane and in space, (kL)^2 sqrt(EI/(rho A))/L^2 with
// cos kL cosh kL = -1 or +1. Hermite elements: from above, omega is too large by (k h)^4/1440 and
// more.
static void bernoulli_modes(int32_t dimension, bool clamped, bool lumped)
{
    static const double ROOTS[2][3] = {{4.73004074, 7.85320462, 10.9956078},
                                       {1.87510407, 4.69409113, 7.85475744}};
    enum { N = 12 };
    const double L = 3.1, m = 1.31 * 1.173;
    pcs_fe_property property = line_property(dimension);
    pcs_mat3 axes;
    property.lumped = lumped;
    property.section.inertia[0] =
        1.21e-4; // thin: the lumped inertia of the sections does not count
    property.section.inertia[1] = 2.9e-5;
    property.section.torsion = 1e-3;
    oblique(&pcs_fe_linear_beam, &property, L, N, &axes);
    if (!clamped)
        memset(mesh.fixed, 0, sizeof mesh.fixed);
    double omega[LINE_UNKNOWNS_MAX];
    int32_t count = line_mesh_frequencies(&mesh, omega), rigid = dimension == 2 ? 3 : 6;
    for (int axis = dimension == 2 ? 1 : 0; axis < 2; ++axis)
        for (int i = 0; i < 3; ++i) {
            double kL = ROOTS[clamped][i], kh = kL / N, best = 1;
            double exact = kL * kL / (L * L) * sqrt(2.385 * property.section.inertia[axis] / m);
            for (int32_t j = clamped ? 0 : rigid; j < count; ++j)
                if (fabs(omega[j] / exact - 1) < fabs(best))
                    best = omega[j] / exact - 1;
            if (lumped)
                assert_near(best, 0, kh * kh); // the free ends are the coarsest place
            else
                assert_true(best > -1e-7 && best < pow(kh, 4) / 720);
        }
}

static void test_bernoulli_frequencies(void **state)
{
    (void)state;
    for (int32_t dimension = 2; dimension <= 3; ++dimension)
        for (int clamped = 0; clamped < 2; ++clamped)
            for (int lumped = 0; lumped < 2; ++lumped)
                bernoulli_modes(dimension, clamped, lumped);
}

// Supported at both ends: the smaller root o = omega^2 of
//   (G A_s k^2 - rho A o)(EI k^2 + G A_s - rho I o) = (G A_s k)^2,  k = i pi/L.
static double timoshenko_mode(double k, double EI, double S, double m, double J)
{
    double a = m * J, c = S * EI * pow(k, 4), b = S * k * k * J + m * (EI * k * k + S);
    return sqrt(2 * c / (b + sqrt(b * b - 4 * a * c)));
}

static void timoshenko_errors(int32_t n, bool lumped, double error[3])
{
    const double L = 11.3;
    pcs_fe_property property = line_property(2);
    property.lumped = lumped;
    line_mesh_straight(&mesh, &pcs_fe_linear_timoshenko, &property, pcs_v3(0, 0, 0),
                       pcs_v3(L, 0, 0), n);
    for (int32_t i = 0; i <= n; ++i)
        mesh.fixed[3 * i] = true; // bending alone
    mesh.fixed[1] = mesh.fixed[3 * n + 1] = true;
    double omega[LINE_UNKNOWNS_MAX];
    line_mesh_frequencies(&mesh, omega);
    for (int i = 0; i < 3; ++i)
        error[i] = omega[i] / timoshenko_mode((i + 1) * PCS_PI / L, 2.385 * 1.43,
                                              2.385 / 2.54 * 0.93, 1.31 * 1.173, 1.31 * 1.43) -
                   1;
}

// The shear strain is constant in an element, so that a thick beam has order 2, at most the error
// of a beam of pure shear, which is a rod: (k h)^2/24, too high with the consistent mass, too low
// with the lumped.
static void test_timoshenko_frequencies(void **state)
{
    (void)state;
    for (int lumped = 0; lumped < 2; ++lumped) {
        double coarse[3], fine[3];
        timoshenko_errors(15, lumped, coarse);
        timoshenko_errors(30, lumped, fine);
        for (int i = 0; i < 3; ++i) {
            double kh = (i + 1) * PCS_PI / 30;
            assert_near(log2(coarse[i] / fine[i]), 2, 0.02);
            assert_near(fine[i], 0, kh * kh / 24);
        }
    }
}

// Axial and torsional modes: as bars, of consistent and of lumped mass.
static void test_rod_frequencies(void **state)
{
    (void)state;
    enum { N = 7 };
    const double L = 1.9, G = 2.385 / 2.54;
    double omega[LINE_UNKNOWNS_MAX];
    for (int pass = 0; pass < 8; ++pass) {
        const bool torsion = pass & 1, lumped = pass & 2;
        pcs_fe_property property = line_property(3);
        property.lumped = lumped;
        line_mesh_straight(&mesh, CLASSES[pass / 4], &property, pcs_v3(0, 0, 0), pcs_v3(L, 0, 0),
                           N);
        for (int32_t i = 0; i < line_mesh_unknowns(&mesh); ++i)
            mesh.fixed[i] = i < 6 || i % 6 != (torsion ? 3 : 0);
        assert_int_equal(line_mesh_frequencies(&mesh, omega), N);
        double c = torsion ? sqrt(G * 1.91 / (1.31 * (0.817 + 1.43))) : sqrt(2.385 / 1.31);
        for (int k = 1; k <= N; ++k) {
            double a = (2 * k - 1) * PCS_PI / (2 * N);
            double exact = lumped ? 2 * sin(a / 2) : sqrt(6 * (1 - cos(a)) / (2 + cos(a)));
            assert_near(omega[k - 1], exact * c * N / L, 1e-12 * c * N / L);
        }
    }
}

// The Hermite mass in numbers: rho A L/420 (156, 22 L, 54, -13 L; 4 L^2, 13 L, -3 L^2) about z,
// with the other signs about y; and rigid motions of both classes have the energy of the rod.
static void test_mass(void **state)
{
    (void)state;
    const double L = 1.7, m = 1.31 * 1.173 * L;
    double M[144];
    pcs_fe_property property = line_property(3);
    line_mesh_straight(&mesh, &pcs_fe_linear_beam, &property, pcs_v3(0, 0, 0), pcs_v3(L, 0, 0), 1);
    line_mesh_mass(&mesh, M);
    const double entries[][3] = {
        {1, 1, 156},    {1, 5, 22 * L},      {1, 7, 54},      {1, 11, -13 * L}, {5, 5, 4 * L * L},
        {5, 7, 13 * L}, {5, 11, -3 * L * L}, {2, 4, -22 * L}, {2, 10, 13 * L},  {4, 10, -3 * L * L},
        {8, 8, 156},    {0, 6, 70},          {1, 2, 0},       {4, 5, 0}};
    for (size_t i = 0; i < sizeof entries / sizeof *entries; ++i) {
        int r = (int)entries[i][0], c = (int)entries[i][1];
        assert_near(M[12 * r + c], m / 420 * entries[i][2], ROUNDING);
        assert_near(M[12 * c + r], M[12 * r + c], ROUNDING);
    }
    for (int c = 0; c < 2; ++c) {
        line_mesh_straight(&mesh, CLASSES[c], &property, pcs_v3(0, 0, 0), pcs_v3(L, 0, 0), 1);
        line_mesh_mass(&mesh, M);
        const double up[12] = {[2] = 1, [8] = 1};
        const double turn[12] = {[2] = L / 2, [8] = -L / 2, [4] = 1, [10] = 1}; // about y
        double twice[2] = {0, 0};
        for (int i = 0; i < 144; ++i) {
            twice[0] += up[i / 12] * M[i] * up[i % 12];
            twice[1] += turn[i / 12] * M[i] * turn[i % 12];
        }
        assert_near(twice[0], m, ROUNDING);
        assert_near(twice[1], m * L * L / 12 + (c == 1 ? 1.31 * L * 0.817 : 0), ROUNDING);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_derivatives, setup),
        cmocka_unit_test_setup(test_cantilever, setup),
        cmocka_unit_test_setup(test_results_as_exact, setup),
        cmocka_unit_test_setup(test_rigid_motions, setup),
        cmocka_unit_test_setup(test_bernoulli_frequencies, setup),
        cmocka_unit_test_setup(test_timoshenko_frequencies, setup),
        cmocka_unit_test_setup(test_rod_frequencies, setup),
        cmocka_unit_test_setup(test_mass, setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
