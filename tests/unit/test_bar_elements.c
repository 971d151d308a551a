// Sections and bars: published torsion constants and shear coefficients, derivatives, forces,
// frequencies of a rod, messages.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/context.h"
#include "elements/beam.h"
#include "support/line_mesh.h"
#include "support/near.h"

// Difference quotients over 1e-3: rounding 1e-13, truncation 3e-14 of fifth derivatives below 1e4
#define DERIVATIVES 1e-9
// A few hundred roundings of numbers of size one
#define ROUNDING 1e-13

enum { TRIALS = 12 };

static line_mesh mesh;

static int setup(void **state)
{
    (void)state;
    line_random_init(2385);
    return 0;
}

// ---- Sections ----

// J/(a b^3) of rectangles a >= b, [TimoshenkoGoodier1970], table of section 109.
static void test_rectangle(void **state)
{
    (void)state;
    static const double TABLE[][3] = {{1, 0.1406, 1e-4}, {1.2, 0.166, 1e-3}, {1.5, 0.196, 1e-3},
                                      {2, 0.229, 1e-3},  {2.5, 0.249, 1e-3}, {3, 0.263, 1e-3},
                                      {4, 0.281, 1e-3},  {5, 0.291, 1e-3},   {10, 0.312, 1e-3}};
    const double b = 0.73;
    for (size_t i = 0; i < sizeof TABLE / sizeof *TABLE; ++i) {
        pcs_section tall = pcs_section_rectangle(b, TABLE[i][0] * b);
        pcs_section flat = pcs_section_rectangle(TABLE[i][0] * b, b);
        assert_digits(tall.torsion / (TABLE[i][0] * pow(b, 4)), TABLE[i][1], TABLE[i][2]);
        assert_true(tall.torsion == flat.torsion && tall.inertia[0] == flat.inertia[1]);
    }
    pcs_section s = pcs_section_rectangle(0.02, 0.05);
    assert_near(s.area, 1e-3, 1e-18);
    assert_near(s.inertia[0], 0.02 * 1.25e-4 / 12, 1e-22); // about y: h along z cubed
    assert_near(s.inertia[1], 0.05 * 8e-6 / 12, 1e-22);
    assert_near(s.shear_area[0], 1e-3 * 5 / 6, 1e-18);
    // A long plate: J -> a b^3/3 (1 - 0.63025 b/a), the constant is 192/pi^5 31/32 zeta(5)
    s = pcs_section_rectangle(1000, 1);
    assert_near(s.torsion, 1000.0 / 3 * (1 - 0.630249e-3), 1000.0 / 3 * 1e-9);
    assert_true(pcs_section_rectangle(-1, -2).area == 0);
}

static void test_tube(void **state)
{
    (void)state;
    pcs_section s = pcs_section_tube(0.3, 0);
    assert_near(s.area, PCS_PI * 0.09, 1e-16);
    assert_near(s.inertia[0], PCS_PI * 0.0081 / 4, 1e-17);
    assert_near(s.torsion, PCS_PI * 0.0081 / 2, 1e-17);
    assert_digits(s.shear_area[0] / s.area, 0.886, 1e-3); // [Cowper1966], table 1, nu = 0.3
    assert_true(s.round && s.drawn.x == 0.6);
    s = pcs_section_tube(0.3, 0.2999999);
    assert_digits(s.shear_area[1] / s.area, 0.531, 1e-3); // thin tube, the same table
    assert_near(s.torsion, 2 * PCS_PI * pow(0.29999995, 3) * 1e-7, 1e-17);
    assert_true(pcs_section_tube(0.1, 0.2).area == 0);
}

// ---- Bars ----

static void test_bar_derivatives(void **state)
{
    (void)state;
    for (int32_t dimension = 2; dimension <= 3; ++dimension)
        for (int trial = 0; trial < TRIALS; ++trial) {
            pcs_fe_property property = line_property(dimension);
            line_mesh_single(&mesh, &pcs_fe_bar, &property);
            line_mesh_random_state(&mesh, 0.2, 0);
            line_mesh_turn(&mesh, line_rotation(dimension), line_vector(dimension, 3));
            line_mesh_check_derivatives(&mesh, DERIVATIVES);
        }
}

static void test_bar_force(void **state)
{
    (void)state;
    pcs_fe_property property = line_property(3);
    const double L = 1.7, EA = 2.385 * 1.173;
    double f[6], out[2];
    line_mesh_straight(&mesh, &pcs_fe_bar, &property, pcs_v3(0.3, 0, 0), pcs_v3(0.3 + L, 0, 0), 1);
    mesh.x[1] = pcs_v3(0.3, 2.1, 0); // turned by 90 degrees and longer by 0.4
    mesh.v[1] = pcs_v3(-5, 0.37, 2);
    double power = line_mesh_force(&mesh, f), N = EA * (0.4 + 0.173 * 0.37) / L;
    const double expected[6] = {0, N, 0, 0, -N, 0};
    for (int i = 0; i < 6; ++i)
        assert_near(f[i], expected[i], ROUNDING);
    assert_near(power, -EA * 0.173 * 0.37 * 0.37 / L, ROUNDING);
    assert_near(line_mesh_energy(&mesh), EA * 0.16 / (2 * L), ROUNDING);
    line_mesh_results(&mesh, 0, out);
    assert_near(out[0], N, ROUNDING);
    assert_near(out[1], 0.4 / L, ROUNDING);
    mesh.x[1] = mesh.x[0]; // pressed to a point: no direction, but numbers
    double K[36];
    line_mesh_force(&mesh, f);
    line_mesh_tangent(&mesh, 1, 1, K);
    for (int i = 0; i < 36; ++i)
        assert_true(isfinite(K[i]) && isfinite(f[i / 6]));
}

// Fixed-free rod of n elements: omega_k = (2/h) c sqrt(3 (1 - cos a)/(2 (2 + cos a))) for the
// consistent and (2/h) c sin(a/2) for the lumped mass, a = (2 k - 1) pi/(2 n), which tend to c a/h,
// c^2 = E/rho. Across the rod there is no stiffness: those unknowns are fixed.
static void test_bar_frequencies(void **state)
{
    (void)state;
    enum { N = 9 };
    const double L = 2.3, c = sqrt(2.385 / 1.31);
    double omega[LINE_UNKNOWNS_MAX];
    for (int lumped = 0; lumped <= 1; ++lumped) {
        pcs_fe_property property = line_property(2);
        property.lumped = lumped;
        line_mesh_straight(&mesh, &pcs_fe_bar, &property, pcs_v3(0, 0, 0), pcs_v3(0, L, 0), N);
        line_mesh_fix_node(&mesh, 0);
        for (int i = 0; i <= N; ++i)
            mesh.fixed[2 * i] = true;
        assert_int_equal(line_mesh_frequencies(&mesh, omega), N);
        for (int k = 1; k <= N; ++k) {
            double a = (2 * k - 1) * PCS_PI / (2 * N);
            double exact = lumped ? 2 * sin(a / 2) : sqrt(6 * (1 - cos(a)) / (2 + cos(a)));
            assert_near(omega[k - 1], exact * c * N / L, 1e-12 * c * N / L);
        }
        // The first one against the continuum: (2 k - 1) pi c/(2 L) up to a^2/24
        double a = PCS_PI / (2 * N);
        assert_near(omega[0] / (PCS_PI * c / (2 * L)), 1, a * a / 24 + pow(a, 4));
    }
}

// ---- Messages ----

static void expect_error(pcs_context *ctx, const pcs_fe_class *class, const pcs_fe_property *p,
                         const char *text)
{
    assert_int_equal(class->check(ctx, p), PCS_ERROR_MODEL);
    if (!strstr(pcs_context_error(ctx), text))
        fail_msg("'%s' is not in '%s'", text, pcs_context_error(ctx));
}

static void test_bar_checks(void **state)
{
    (void)state;
    pcs_context *ctx = pcs_context_create(NULL);
    const pcs_fe_property good = line_property(3);
    assert_int_equal(pcs_fe_bar.check(ctx, &good), PCS_OK);
    pcs_fe_property p = good;
    p.material.young = 0;
    expect_error(ctx, &pcs_fe_bar, &p, "young");
    p = good;
    p.material.density = -1;
    expect_error(ctx, &pcs_fe_bar, &p, "density");
    p = good;
    p.material.damping = NAN;
    expect_error(ctx, &pcs_fe_bar, &p, "damping");
    p = good;
    p.section.area = INFINITY;
    expect_error(ctx, &pcs_fe_bar, &p, "area");
    pcs_vec3 X[2] = {{1, 2, 3}, {1, 2, 3}};
    pcs_mat3 R = pcs_m3_identity();
    double constants[1];
    assert_int_equal(pcs_fe_bar.prepare(ctx, &good, X, &R, constants), PCS_ERROR_MODEL);
    assert_non_null(strstr(pcs_context_error(ctx), "different places"));
    pcs_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_rectangle, setup),
        cmocka_unit_test_setup(test_tube, setup),
        cmocka_unit_test_setup(test_bar_derivatives, setup),
        cmocka_unit_test_setup(test_bar_force, setup),
        cmocka_unit_test_setup(test_bar_frequencies, setup),
        cmocka_unit_test_setup(test_bar_checks, setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
