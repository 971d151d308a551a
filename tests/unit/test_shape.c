// Mass properties of shapes: against integrals over slices, against equimomental points, and the
// combination of parts (parallel axes).
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "geometry/shape.h"
#include "math/rotation.h"

// Some hundred roundings.
static const double ROUNDING = 512.0 * DBL_EPSILON;

static void assert_near(double a, double b, double scale)
{
    if (!(fabs(a - b) <= ROUNDING * scale))
        fail_msg("%.17g and %.17g differ by %g", a, b, a - b);
}

static void assert_near_matrix(const pcs_mat3 *A, const pcs_mat3 *B)
{
    double scale = 0.0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            scale = fmax(scale, fabs(B->m[i][j]));
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            assert_near(A->m[i][j], B->m[i][j], scale);
}

static pcs_shape_def shape_of(pcs_shape_kind kind, double x, double y, double z, double density)
{
    pcs_shape_def shape = pcs_shape_default();
    shape.kind = kind;
    shape.size = pcs_v3(x, y, z);
    shape.density = density;
    return shape;
}

// Radius of the slice at height z of a solid of revolution, squared.
static double slice(const pcs_shape_def *shape, double z)
{
    double r = shape->size.x, beyond = 0.0;
    if (shape->kind == PCS_SHAPE_SPHERE)
        beyond = fabs(z);
    else
        beyond = fmax(fabs(z) - 0.5 * shape->size.z, 0.0);
    return fmax(r * r - beyond * beyond, 0.0);
}

// Simpson's rule over [low, high]: mass, I_x, I_z of the stack of discs with density 1.
static void integrate(const pcs_shape_def *shape, double low, double high, double sum[3])
{
    enum { N = 2000 };
    double h = (high - low) / N;
    for (int i = 0; i <= N; i++) {
        double z = low + i * h, s = slice(shape, z);
        double weight = h / 3.0 * (i == 0 || i == N ? 1.0 : i % 2 ? 4.0 : 2.0);
        sum[0] += weight * PCS_PI * s;
        sum[1] += weight * PCS_PI * (0.25 * s * s + s * z * z);
        sum[2] += weight * PCS_PI * 0.5 * s * s;
    }
}

static void test_solids_of_revolution(void **state)
{
    (void)state;
    const double rho = 7831.5;
    pcs_shape_def shapes[] = {
        shape_of(PCS_SHAPE_SPHERE, 0.2385, 0.0, 0.0, rho),
        shape_of(PCS_SHAPE_CYLINDER, 0.0713, 0.0, 0.4197, rho),
        shape_of(PCS_SHAPE_CAPSULE, 0.0713, 0.0, 0.4197, rho),
    };
    for (size_t i = 0; i < 3; i++) {
        double half = 0.5 * shapes[i].size.z, r = shapes[i].size.x, sum[3] = {0.0, 0.0, 0.0};
        if (half > 0.0)
            integrate(&shapes[i], -half, half, sum);
        if (shapes[i].kind != PCS_SHAPE_CYLINDER) { // the integrands are smooth on each piece
            integrate(&shapes[i], -half - r, -half, sum);
            integrate(&shapes[i], half, half + r, sum);
        }
        pcs_mass_properties m = pcs_shape_mass(&shapes[i]);
        // Simpson: (high - low) h^4 / 180 times the fourth derivative, below 1e-13 here; beside it
        // the rounding of 6000 terms.
        double tolerance = 1e-12;
        assert_true(fabs(m.mass - rho * sum[0]) <= tolerance * m.mass);
        assert_true(fabs(m.inertia.m[0][0] - rho * sum[1]) <= tolerance * m.inertia.m[0][0]);
        assert_true(fabs(m.inertia.m[1][1] - rho * sum[1]) <= tolerance * m.inertia.m[1][1]);
        assert_true(fabs(m.inertia.m[2][2] - rho * sum[2]) <= tolerance * m.inertia.m[2][2]);
        assert_true(m.inertia.m[0][1] == 0.0 && m.inertia.m[1][2] == 0.0);
    }
}

// A box has the mass, centre and inertia of eight points m/8 at +-edge/(2 sqrt 3); a rod those of
// two points m/2 at +-length/(2 sqrt 3).
static void test_equimomental_points(void **state)
{
    (void)state;
    pcs_random random;
    pcs_random_init(&random, 41);
    for (int trial = 0; trial < 20; trial++) {
        pcs_shape_def shape = shape_of(trial % 2 ? PCS_SHAPE_BOX : PCS_SHAPE_ROD, 0.0, 0.0,
                                       pcs_random_between(&random, 0.1, 2.0), 3.71);
        if (shape.kind == PCS_SHAPE_BOX) {
            shape.size.x = pcs_random_between(&random, 0.1, 2.0);
            shape.size.y = pcs_random_between(&random, 0.1, 2.0);
        }
        shape.position = pcs_v3(pcs_random_between(&random, -3.0, 3.0), 1.37, -0.22);
        pcs_vec3 psi = {pcs_random_between(&random, -2.0, 2.0), 0.7, -1.1};
        shape.rotation = pcs_so3_exp(psi);
        pcs_mass_properties m = pcs_shape_mass(&shape), points[8] = {{0}};
        double volume = shape.kind == PCS_SHAPE_BOX ? shape.size.x * shape.size.y * shape.size.z
                                                    : shape.size.z;
        for (int i = 0; i < 8; i++) {
            double s = 0.5 / sqrt(3.0);
            pcs_vec3 local = {(i & 1 ? s : -s) * shape.size.x, (i & 2 ? s : -s) * shape.size.y,
                              (i & 4 ? s : -s) * shape.size.z};
            points[i].mass = shape.density * volume / 8.0;
            points[i].center = pcs_v3_add(shape.position, pcs_quat_rotate(shape.rotation, local));
        }
        pcs_mass_properties sum = pcs_mass_combine(points, 8);
        assert_near(m.mass, sum.mass, sum.mass);
        assert_near(m.center.x, sum.center.x, 3.0);
        assert_near(m.center.y, sum.center.y, 3.0);
        assert_near(m.center.z, sum.center.z, 3.0);
        assert_near_matrix(&m.inertia, &sum.inertia);
    }
}

// A box cut into three slabs. The planar entry on a plate: I_zz = m (a^2 + b^2) / 12, whatever its
// thickness.
static void test_combine_parts(void **state)
{
    (void)state;
    pcs_shape_def whole = shape_of(PCS_SHAPE_BOX, 0.93, 0.41, 1.27, 2.9);
    whole.position = pcs_v3(0.31, -2.2, 5.07);
    whole.rotation = pcs_so3_exp(pcs_v3(0.4, 1.9, -0.6));
    const double cut[4] = {-0.635, -0.2, 0.37, 0.635};
    pcs_mass_properties parts[3];
    for (int i = 0; i < 3; i++) {
        pcs_shape_def slab = whole;
        slab.size.z = cut[i + 1] - cut[i];
        pcs_vec3 local = {0.0, 0.0, 0.5 * (cut[i + 1] + cut[i])};
        slab.position = pcs_v3_add(whole.position, pcs_quat_rotate(whole.rotation, local));
        parts[i] = pcs_shape_mass(&slab);
    }
    pcs_mass_properties sum = pcs_mass_combine(parts, 3), m = pcs_shape_mass(&whole);
    assert_near(sum.mass, m.mass, m.mass);
    assert_near(sum.center.z, m.center.z, 6.0);
    assert_near_matrix(&sum.inertia, &m.inertia);

    pcs_shape_def plate = shape_of(PCS_SHAPE_BOX, 0.93, 0.41, 0.017, 0.0);
    plate.mass = 3.3;
    m = pcs_shape_mass(&plate);
    assert_near(m.inertia.m[2][2], 3.3 * (0.93 * 0.93 + 0.41 * 0.41) / 12.0, 1.0);
}

// Dumb-bell: two spheres on a rod, about the common centre, by hand.
static void test_parallel_axes(void **state)
{
    (void)state;
    const double r = 0.11, l = 0.83, m1 = 2.7, m2 = 1.9, m3 = 0.47;
    pcs_shape_def shapes[3] = {shape_of(PCS_SHAPE_SPHERE, r, 0.0, 0.0, 0.0),
                               shape_of(PCS_SHAPE_SPHERE, r, 0.0, 0.0, 0.0),
                               shape_of(PCS_SHAPE_ROD, 0.0, 0.0, l, 0.0)};
    shapes[0].mass = m1;
    shapes[1].mass = m2;
    shapes[2].mass = m3;
    shapes[0].position.z = 0.5 * l;
    shapes[1].position.z = -0.5 * l;
    pcs_mass_properties parts[3];
    for (int i = 0; i < 3; i++)
        parts[i] = pcs_shape_mass(&shapes[i]);
    pcs_mass_properties sum = pcs_mass_combine(parts, 3);
    double M = m1 + m2 + m3, z = 0.5 * l * (m1 - m2) / M;
    double I = 0.4 * (m1 + m2) * r * r + m3 * l * l / 12.0 + 0.25 * (m1 + m2) * l * l - M * z * z;
    assert_near(sum.mass, M, M);
    assert_near(sum.center.z, z, 1.0);
    assert_near(sum.inertia.m[0][0], I, I);
    assert_near(sum.inertia.m[1][1], I, I);
    assert_near(sum.inertia.m[2][2], 0.4 * (m1 + m2) * r * r, I);
}

static void test_mass_replaces_density(void **state)
{
    (void)state;
    for (int kind = PCS_SHAPE_SPHERE; kind <= PCS_SHAPE_ROD; kind++) {
        pcs_shape_def shape = shape_of((pcs_shape_kind)kind, 0.3, 0.4, 0.5, 11.3);
        pcs_mass_properties by_density = pcs_shape_mass(&shape);
        shape.mass = by_density.mass;
        shape.density = 1e9;
        pcs_mass_properties by_mass = pcs_shape_mass(&shape);
        assert_near(by_mass.mass, by_density.mass, by_density.mass);
        assert_near_matrix(&by_mass.inertia, &by_density.inertia);
    }
}

static void test_without_mass(void **state)
{
    (void)state;
    pcs_shape_def drawn = shape_of(PCS_SHAPE_BOX, 1.0, 2.0, 3.0, 0.0);
    drawn.position.x = 4.0;
    pcs_mass_properties parts[2] = {pcs_shape_mass(&drawn), pcs_shape_mass(&drawn)};
    assert_true(parts[0].mass == 0.0 && parts[0].inertia.m[1][1] == 0.0);
    pcs_mass_properties sum = pcs_mass_combine(parts, 2);
    assert_true(sum.mass == 0.0 && sum.center.x == 0.0 && sum.inertia.m[0][0] == 0.0);
    sum = pcs_mass_combine(NULL, 0);
    assert_true(sum.mass == 0.0);
}

static void refuse(pcs_context *ctx, pcs_shape_def shape, const char *text)
{
    assert_int_equal(pcs_shape_check(ctx, &shape), PCS_ERROR_MODEL);
    if (!strstr(pcs_context_error(ctx), text))
        fail_msg("'%s' does not mention '%s'", pcs_context_error(ctx), text);
}

static void test_checks(void **state)
{
    (void)state;
    pcs_context_def def = pcs_context_default();
    pcs_context *ctx = pcs_context_create(&def);
    assert_non_null(ctx);
    static const char *const names[] = {"sphere", "box", "cylinder", "capsule", "rod"};
    for (int kind = PCS_SHAPE_SPHERE; kind <= PCS_SHAPE_ROD; kind++) {
        pcs_shape_def good = shape_of((pcs_shape_kind)kind, 0.3, 0.4, 0.5, 11.3);
        assert_string_equal(pcs_shape_kind_name(good.kind), names[kind]);
        assert_int_equal(pcs_shape_check(ctx, &good), PCS_OK);
        pcs_shape_def bad = good;
        bad.size = pcs_v3(0.0, 0.0, 0.0);
        refuse(ctx, bad, names[kind]);
        bad = good;
        bad.size = pcs_v3(NAN, NAN, NAN);
        refuse(ctx, bad, names[kind]);
        bad = good;
        bad.size = pcs_v3(1e200, 1e200, 1e200);
        refuse(ctx, bad, "finite mass");
        bad = good;
        bad.density = -1.0;
        refuse(ctx, bad, "density");
        bad = good;
        bad.mass = INFINITY;
        refuse(ctx, bad, "mass");
        bad = good;
        bad.position.y = NAN;
        refuse(ctx, bad, "position");
        bad = good;
        bad.rotation = (pcs_quat){0.0, 0.0, 0.0, 0.0};
        refuse(ctx, bad, "rotation");
    }
    pcs_shape_def unknown = shape_of((pcs_shape_kind)5, 1.0, 1.0, 1.0, 1.0);
    assert_null(pcs_shape_kind_name(unknown.kind));
    refuse(ctx, unknown, "unknown kind");
    pcs_shape_def flat = shape_of(PCS_SHAPE_BOX, 1.0, -2.0, 1.0, 1.0);
    refuse(ctx, flat, "edge y must be a number > 0, but is -2");
    pcs_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_solids_of_revolution),
        cmocka_unit_test(test_equimomental_points),
        cmocka_unit_test(test_combine_parts),
        cmocka_unit_test(test_parallel_axes),
        cmocka_unit_test(test_mass_replaces_density),
        cmocka_unit_test(test_without_mass),
        cmocka_unit_test(test_checks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
