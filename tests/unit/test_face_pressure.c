// Pressure on faces: tangent against finite differences, resultants of closed surfaces, work on a
// growing body, the plane.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "elements/face_pressure.h"
#include "elements/solid.h"
#include "support/near.h"
#include "support/probe.h"

enum { MAX = 12 };

static pcs_random dice;

static pcs_vec3 random_point(double size)
{
    double x = pcs_random_between(&dice, -size, size), y = pcs_random_between(&dice, -size, size),
           z = pcs_random_between(&dice, -size, size);
    return pcs_v3(x, y, z);
}

static void test_tangent(void **state)
{
    (void)state;
    const double pressure = 2.385;
    for (int32_t n = 2; n <= 4; ++n) {
        const int32_t c = n == 2 ? 2 : 3;
        double K[MAX * MAX], f[4][MAX], alone[MAX];
        pcs_vec3 x[4];
        for (int32_t a = 0; a < n; ++a)
            x[a] = random_point(1.3);
        pcs_face_pressure(n, x, pressure, f[0], K);
        pcs_face_pressure(n, x, pressure, alone, NULL);
        assert_memory_equal(f[0], alone, (size_t)(c * n) * sizeof(double));
        for (int32_t j = 0; j < c * n; ++j) {
            double *value = (double *)&x[j / c] + j % c, kept = *value;
            for (int k = 0; k < 4; ++k) {
                *value = kept + probe_place(k, PROBE_STEP);
                pcs_face_pressure(n, x, pressure, f[k], NULL);
            }
            *value = kept;
            for (int32_t i = 0; i < c * n; ++i) {
                const double at[4] = {f[0][i], f[1][i], f[2][i], f[3][i]};
                probe_assert_near(K[i * c * n + j], -probe_derivative(at, PROBE_STEP),
                                  PROBE_TOLERANCE, "pressure", i, j);
            }
        }
    }
}

// Over the faces of an element, force and moment vanish, and the power on x' = x is -p 3 V.
static void check_closed(const pcs_fe_class *class, const pcs_vec3 *x, double volume)
{
    const double pressure = 1.73;
    pcs_vec3 force = {0, 0, 0}, moment = {0, 0, 0};
    double power = 0;
    for (int32_t i = 0; i < class->n_faces; ++i) {
        pcs_vec3 at[4];
        double f[MAX];
        for (int32_t k = 0; k < class->face_nodes; ++k)
            at[k] = x[class->face[i][k]];
        pcs_face_pressure(class->face_nodes, at, pressure, f, NULL);
        for (int32_t k = 0; k < class->face_nodes; ++k) {
            const pcs_vec3 share = pcs_v3_load(f + 3 * k);
            force = pcs_v3_add(force, share);
            moment = pcs_v3_add(moment, pcs_v3_cross(at[k], share));
            power += pcs_v3_dot(at[k], share);
        }
    }
    assert_near(pcs_v3_norm(force), 0, 1e-14);
    assert_near(pcs_v3_norm(moment), 0, 1e-14);
    assert_near(power, -pressure * 3 * volume, 1e-13);
}

static void test_closed_surfaces(void **state)
{
    (void)state;
    static const pcs_fe_class *const classes[2] = {&pcs_fe_hexahedron, &pcs_fe_tetrahedron};
    pcs_context *ctx = pcs_context_create(NULL);
    for (int32_t c = 0; c < 2; ++c) {
        const pcs_fe_class *class = classes[c];
        const pcs_fe_property property = {.dimension = 3,
                                          .material = {.young = 1, .poisson = 0.2, .density = 1}};
        static const double corner[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
        const pcs_mat3 R = pcs_m3_identity();
        double constants[1024], M[24 * 24], volume = 0;
        pcs_vec3 x[8];
        for (int32_t a = 0; a < class->n_nodes; ++a) {
            const double *s = class->n_nodes == 8 ? pcs_solid_signs[a] : corner[a];
            x[a] = pcs_v3_add(pcs_v3(0.6 * s[0], 0.5 * s[1], 0.7 * s[2]), random_point(0.1));
        }
        assert_int_equal(class->prepare(ctx, &property, x, &R, constants), PCS_OK);
        const pcs_fe fe = {class, &property, constants};
        class->mass(&fe, M);
        for (int32_t a = 0; a < class->n_nodes; ++a)
            for (int32_t b = 0; b < class->n_nodes; ++b)
                volume += M[9 * a * class->n_nodes + 3 * b];
        check_closed(class, x, volume);
    }
    pcs_context_destroy(ctx);
}

// The body is to the left of a line: pressure on the bottom of a square pushes up.
static void test_plane(void **state)
{
    (void)state;
    const pcs_vec3 bottom[2] = {{0.3, 0.1, 0}, {1.1, 0.1, 0}};
    double f[4];
    pcs_face_pressure(2, bottom, 5, f, NULL);
    assert_near(f[0], 0, 0);
    assert_near(f[1], 2, 1e-15);
    assert_near(f[3], 2, 1e-15);
    pcs_vec3 x[5], force = {0, 0, 0};
    for (int32_t a = 0; a < 5; ++a)
        x[a] = random_point(1);
    for (int32_t a = 0; a < 5; ++a) {
        const pcs_vec3 side[2] = {x[a], x[(a + 1) % 5]};
        pcs_face_pressure(2, side, 5, f, NULL);
        force = pcs_v3_add(force, pcs_v3(f[0] + f[2], f[1] + f[3], 0));
    }
    assert_near(pcs_v3_norm(force), 0, 1e-14);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tangent),
        cmocka_unit_test(test_closed_surfaces),
        cmocka_unit_test(test_plane),
    };
    pcs_random_init(&dice, 61);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
