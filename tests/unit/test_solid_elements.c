// Solid elements one by one: energy, force and tangents against finite differences, objectivity,
// rank, mass, stresses, messages. Every check runs over three classes (hexahedron with and without
// strain modes, tetrahedron) and both material laws, on distorted elements with large strains and
// rotations.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <lapacke.h>
#include <cmocka.h>

#include "elements/solid.h"
#include "support/near.h"
#include "support/probe.h"

enum { N_CLASSES = 3, CONSTANTS_MAX = 1024, UNKNOWNS = 24, TRIALS = 3 };

static const pcs_fe_class *const classes[N_CLASSES] = {&pcs_fe_hexahedron, &pcs_fe_hexahedron_plain,
                                                       &pcs_fe_tetrahedron};

// An element that a test looks at.
typedef struct sample {
    const pcs_fe_class *class;
    pcs_fe_property property;
    double constants[CONSTANTS_MAX];
    pcs_fe fe;
    pcs_vec3 X[PCS_FE_NODES_MAX];
    pcs_fe_state state;
    int32_t n; // unknowns
} sample;

static pcs_random dice;
static pcs_context *context;

static double between(double low, double high)
{
    return pcs_random_between(&dice, low, high);
}

static pcs_vec3 jitter(double size)
{
    double x = between(-size, size), y = between(-size, size), z = between(-size, size);
    return pcs_v3(x, y, z);
}

static void sample_make(sample *s, const pcs_fe_class *class, pcs_material_law law, double damping)
{
    static const double corner[4][3] = {
        {0, 0, 0}, {1.1, 0.1, 0}, {0.2, 0.9, -0.1}, {0.1, 0.2, 1.2}};
    memset(s, 0, sizeof *s);
    s->class = class;
    s->property = (pcs_fe_property){
        .dimension = 3,
        .material = {
            .law = law, .young = 3.71, .poisson = 0.31, .density = 1.73, .damping = damping}};
    s->n = 3 * class->n_nodes;
    for (int32_t a = 0; a < class->n_nodes; ++a) {
        const double *c = class->n_nodes == 8 ? pcs_solid_signs[a] : corner[a];
        s->X[a] = pcs_v3_add(pcs_v3(0.65 * c[0], 0.41 * c[1], 0.53 * c[2]), jitter(0.08));
    }
    const pcs_mat3 R = pcs_m3_identity();
    assert_true(class->n_constants <= CONSTANTS_MAX);
    assert_int_equal(class->check(context, &s->property), PCS_OK);
    assert_int_equal(class->prepare(context, &s->property, s->X, &R, s->constants), PCS_OK);
    s->fe = (pcs_fe){class, &s->property, s->constants};
}

static pcs_mat3 random_rotation(void)
{
    return pcs_quat_matrix(pcs_so3_exp(jitter(2)));
}

// Strains of some tenths, a large rotation, far from the origin
static void sample_deform(sample *s, double size)
{
    const pcs_mat3 R = random_rotation();
    const pcs_vec3 shift = jitter(3);
    for (int32_t a = 0; a < s->class->n_nodes; ++a) {
        pcs_vec3 x = pcs_v3_add(s->X[a], jitter(size));
        s->state.x[a] = pcs_v3_add(shift, pcs_m3_mul_v3(&R, x));
        s->state.v[a] = jitter(1);
    }
}

static double *coordinate(pcs_vec3 *x, int32_t j)
{
    return (double *)&x[j / 3] + j % 3;
}

// ---- Derivatives ----

// The numbers of the element are below 10, their fifth derivatives below 1e4: PROBE_TOLERANCE
// covers them. Strains are kept below those at which the logarithm of J has steeper derivatives.
static void check_gradient(sample *s)
{
    double f[UNKNOWNS];
    const double power = s->class->force(&s->fe, &s->state, f);
    assert_near(power, 0, 0);
    for (int32_t j = 0; j < s->n; ++j) {
        double V[4], *x = coordinate(s->state.x, j), kept = *x;
        for (int k = 0; k < 4; ++k) {
            *x = kept + probe_place(k, PROBE_STEP);
            V[k] = s->class->energy(&s->fe, &s->state);
        }
        *x = kept;
        probe_assert_near(f[j], -probe_derivative(V, PROBE_STEP), PROBE_TOLERANCE, s->class->name,
                          j, -1);
    }
}

static void check_tangent(sample *s, bool of_x)
{
    double A[UNKNOWNS * UNKNOWNS], f[4][UNKNOWNS];
    s->class->tangent(&s->fe, &s->state, of_x, !of_x, A);
    for (int32_t j = 0; j < s->n; ++j) {
        double *x = coordinate(of_x ? s->state.x : s->state.v, j), kept = *x;
        for (int k = 0; k < 4; ++k) {
            *x = kept + probe_place(k, PROBE_STEP);
            s->class->force(&s->fe, &s->state, f[k]);
        }
        *x = kept;
        for (int32_t i = 0; i < s->n; ++i) {
            const double at[4] = {f[0][i], f[1][i], f[2][i], f[3][i]};
            probe_assert_near(A[i * s->n + j], -probe_derivative(at, PROBE_STEP), PROBE_TOLERANCE,
                              s->class->name, i, j);
        }
    }
}

static void test_derivatives(void **state)
{
    (void)state;
    for (int32_t c = 0; c < N_CLASSES; ++c)
        for (int32_t law = 0; law < PCS_MATERIAL_LAW_COUNT; ++law)
            for (int trial = 0; trial < TRIALS; ++trial) {
                sample s;
                sample_make(&s, classes[c], (pcs_material_law)law, 0);
                sample_deform(&s, 0.12);
                check_gradient(&s);
                check_tangent(&s, true);
                sample_make(&s, classes[c], (pcs_material_law)law, 0.37);
                sample_deform(&s, 0.12);
                check_tangent(&s, true);
                check_tangent(&s, false);
            }
}

// scale_K K + scale_C C is linear in the scales, and K of elastic forces exactly symmetric.
// A step: the force at the middle of a way d with the mean strain of its ends does the work of the
// energy, -f.d = V(x + d/2) - V(x - d/2), for large d; the tangent follows the end, x + z and d + 2z.
static void test_steps(void **state)
{
    (void)state;
    for (int32_t c = 0; c < N_CLASSES; ++c)
        for (int trial = 0; trial < TRIALS; ++trial) {
            sample s;
            double f[UNKNOWNS], A[UNKNOWNS * UNKNOWNS], at[4][UNKNOWNS], V[2], work = 0;
            sample_make(&s, classes[c], PCS_MATERIAL_ST_VENANT, 0);
            sample_deform(&s, 0.05);
            const pcs_vec3 turn = jitter(0.4);
            s.state.has_way = true;
            for (int32_t a = 0; a < s.class->n_nodes; ++a) // a turn and a strain
                s.state.way[a] = pcs_v3_add(
                    pcs_v3_cross(turn, pcs_v3_sub(s.state.x[a], s.state.x[0])), jitter(0.05));
            s.class->force(&s.fe, &s.state, f);
            s.class->tangent(&s.fe, &s.state, 1, 0, A);
            for (int32_t j = 0; j < s.n; ++j) {
                double *x = coordinate(s.state.x, j), *d = coordinate(s.state.way, j);
                const double kept[2] = {*x, *d};
                work -= f[j] * *d;
                for (int k = 0; k < 4; ++k) {
                    *x = kept[0] + probe_place(k, PROBE_STEP);
                    *d = kept[1] + 2 * probe_place(k, PROBE_STEP);
                    s.class->force(&s.fe, &s.state, at[k]);
                }
                *x = kept[0];
                *d = kept[1];
                for (int32_t i = 0; i < s.n; ++i) {
                    const double column[4] = {at[0][i], at[1][i], at[2][i], at[3][i]};
                    probe_assert_near(A[i * s.n + j], -probe_derivative(column, PROBE_STEP),
                                      PROBE_TOLERANCE, s.class->name, i, j);
                }
            }
            for (int end = 0; end < 2; ++end) {
                sample there = s;
                there.state.has_way = false;
                there.fe.property = &there.property;
                there.fe.constants = there.constants;
                for (int32_t a = 0; a < s.class->n_nodes; ++a)
                    there.state.x[a] = pcs_v3_axpy(s.state.x[a], end ? 0.5 : -0.5, s.state.way[a]);
                V[end] = there.class->energy(&there.fe, &there.state);
            }
            assert_near(work, V[1] - V[0], 1e-13);
        }
}

static void test_scales_and_symmetry(void **state)
{
    (void)state;
    for (int32_t c = 0; c < N_CLASSES; ++c)
        for (int32_t law = 0; law < PCS_MATERIAL_LAW_COUNT; ++law) {
            double K[UNKNOWNS * UNKNOWNS], C[UNKNOWNS * UNKNOWNS], A[UNKNOWNS * UNKNOWNS];
            sample s;
            sample_make(&s, classes[c], (pcs_material_law)law, 0.37);
            sample_deform(&s, 0.12);
            s.class->tangent(&s.fe, &s.state, 1, 0, K);
            s.class->tangent(&s.fe, &s.state, 0, 1, C);
            s.class->tangent(&s.fe, &s.state, 2.385, -0.71, A);
            for (int32_t i = 0; i < s.n * s.n; ++i)
                assert_near(A[i], 2.385 * K[i] - 0.71 * C[i], 1e-13);
            for (int32_t i = 0; i < s.n; ++i)
                for (int32_t j = 0; j < i; ++j)
                    assert_near(C[i * s.n + j], C[j * s.n + i], 0);
            s.property.material.damping = 0;
            s.class->tangent(&s.fe, &s.state, 1, 0, K);
            for (int32_t i = 0; i < s.n; ++i)
                for (int32_t j = 0; j < i; ++j)
                    assert_near(K[i * s.n + j], K[j * s.n + i], 0);
        }
}

// ---- Objectivity ----

// The state turned by R: the same energy and stresses' invariants, forces turned; velocities of a
// rigid motion bring no viscous force, and the viscous power is never positive.
static void test_objectivity(void **state)
{
    (void)state;
    for (int32_t c = 0; c < N_CLASSES; ++c)
        for (int32_t law = 0; law < PCS_MATERIAL_LAW_COUNT; ++law) {
            sample s;
            double f[UNKNOWNS], g[UNKNOWNS], r[8], q[8];
            sample_make(&s, classes[c], (pcs_material_law)law, 0.37);
            sample_deform(&s, 0.15);
            const double V = s.class->energy(&s.fe, &s.state);
            const double power = s.class->force(&s.fe, &s.state, f);
            s.class->results(&s.fe, &s.state, r);
            assert_true(power < 0);
            double fv = 0;
            for (int32_t j = 0; j < s.n; ++j)
                fv += f[j] * *coordinate(s.state.v, j);
            sample still = s;
            still.property.material.damping = 0;
            still.fe = (pcs_fe){s.fe.class, &still.property, still.constants};
            still.class->force(&still.fe, &still.state, g);
            for (int32_t j = 0; j < s.n; ++j)
                fv -= g[j] * *coordinate(s.state.v, j);
            assert_near(power, fv, 1e-12);

            // turn positions and velocities
            const pcs_mat3 R = random_rotation();
            const pcs_vec3 shift = jitter(5);
            for (int32_t a = 0; a < s.class->n_nodes; ++a) {
                s.state.x[a] = pcs_v3_add(shift, pcs_m3_mul_v3(&R, s.state.x[a]));
                s.state.v[a] = pcs_m3_mul_v3(&R, s.state.v[a]);
            }
            assert_near(s.class->energy(&s.fe, &s.state), V, 1e-12);
            assert_near(s.class->force(&s.fe, &s.state, g), power, 1e-12);
            for (int32_t a = 0; a < s.class->n_nodes; ++a) {
                pcs_vec3 turned = pcs_m3_mul_v3(&R, pcs_v3_load(f + 3 * a));
                for (int32_t i = 0; i < 3; ++i)
                    assert_near(g[3 * a + i], *coordinate(&turned, i), 1e-12);
            }
            s.class->results(&s.fe, &s.state, q);
            assert_near(q[0], r[0], 1e-12);
            assert_near(q[1] + q[2] + q[3], r[1] + r[2] + r[3], 1e-12);

            // rigid velocities
            const pcs_vec3 w = jitter(2), v0 = jitter(2);
            still.state = s.state;
            for (int32_t a = 0; a < s.class->n_nodes; ++a)
                s.state.v[a] = pcs_v3_add(v0, pcs_v3_cross(w, s.state.x[a]));
            assert_near(s.class->force(&s.fe, &s.state, f), 0, 1e-12);
            still.class->force(&still.fe, &still.state, g);
            for (int32_t j = 0; j < s.n; ++j)
                assert_near(f[j], g[j], 1e-12);
        }
}

// A rigid motion of the reference shape: no energy, no force, no stress.
static void test_rigid_motion(void **state)
{
    (void)state;
    for (int32_t c = 0; c < N_CLASSES; ++c)
        for (int32_t law = 0; law < PCS_MATERIAL_LAW_COUNT; ++law) {
            sample s;
            double f[UNKNOWNS], r[8];
            sample_make(&s, classes[c], (pcs_material_law)law, 0);
            sample_deform(&s, 0);
            s.class->force(&s.fe, &s.state, f);
            assert_near(s.class->energy(&s.fe, &s.state), 0, 1e-14);
            for (int32_t j = 0; j < s.n; ++j)
                assert_near(f[j], 0, 1e-13);
            s.class->results(&s.fe, &s.state, r);
            for (int32_t i = 0; i < s.class->n_results; ++i)
                assert_near(r[i], 0, 1e-13);
        }
}

// ---- Rank ----

static void eigenvalues(sample *s, double *values)
{
    double K[UNKNOWNS * UNKNOWNS];
    s->class->tangent(&s->fe, &s->state, 1, 0, K);
    assert_int_equal(LAPACKE_dsyev(LAPACK_ROW_MAJOR, 'N', 'U', s->n, K, s->n, values), 0);
}

// Six zero modes at rest, and no other that is nearly one
static void test_rank(void **state)
{
    (void)state;
    for (int32_t c = 0; c < N_CLASSES; ++c)
        for (int32_t law = 0; law < PCS_MATERIAL_LAW_COUNT; ++law) {
            sample s;
            double values[UNKNOWNS];
            sample_make(&s, classes[c], (pcs_material_law)law, 0);
            sample_deform(&s, 0);
            eigenvalues(&s, values);
            for (int32_t i = 0; i < 6; ++i)
                assert_near(values[i], 0, 1e-13);
            assert_true(values[6] > 0.02 * s.property.material.young);
        }
}

// A brick stretched or pressed along z by `stretch`, with sides as in uniaxial stress: the lowest
// eigenvalue of K on the twelve motions that vanish in the mean (hourglasses)
static double hourglass_stiffness(const pcs_fe_class *class, pcs_material_law law, double height,
                                  double stretch)
{
    sample s;
    double A[UNKNOWNS * UNKNOWNS], H[12 * 12], values[12], mode[4][8];
    sample_make(&s, class, law, 0);
    const double side = pow(stretch, -s.property.material.poisson), young = 3.71;
    for (int32_t a = 0; a < 8; ++a) {
        const double *c = pcs_solid_signs[a];
        s.X[a] = pcs_v3(0.5 * c[0], 0.41 * c[1], 0.5 * height * c[2]);
        s.state.x[a] = pcs_v3(side * s.X[a].x, side * s.X[a].y, stretch * s.X[a].z);
        mode[0][a] = c[0] * c[1];
        mode[1][a] = c[1] * c[2];
        mode[2][a] = c[2] * c[0];
        mode[3][a] = c[0] * c[1] * c[2];
    }
    const pcs_mat3 R = pcs_m3_identity();
    assert_int_equal(class->prepare(context, &s.property, s.X, &R, s.constants), PCS_OK);
    s.fe = (pcs_fe){class, &s.property, s.constants};
    class->tangent(&s.fe, &s.state, 1, 0, A);
    for (int32_t i = 0; i < 12; ++i)
        for (int32_t j = 0; j < 12; ++j) {
            H[12 * i + j] = 0;
            for (int32_t a = 0; a < 8; ++a)
                for (int32_t b = 0; b < 8; ++b)
                    H[12 * i + j] += mode[i / 3][a] * mode[j / 3][b] *
                                     A[(3 * a + i % 3) * UNKNOWNS + 3 * b + j % 3] / (8 * young);
        }
    assert_int_equal(LAPACKE_dsyev(LAPACK_ROW_MAJOR, 'N', 'U', 12, H, 12, values), 0);
    return values[0];
}

// Enhanced elements are known for hourglasses under compression. This one has none from 0.65 to 1.6
// of its height: its softest hourglass is that of the plain element at rest, and at least 0.7 times
// as stiff elsewhere.
static void test_hourglasses(void **state)
{
    (void)state;
    static const double stretches[6] = {1.6, 1.3, 1, 0.9, 0.8, 0.65}, heights[2] = {1.2, 4};
    for (int32_t law = 0; law < PCS_MATERIAL_LAW_COUNT; ++law)
        for (int32_t h = 0; h < 2; ++h)
            for (int32_t i = 0; i < 6; ++i) {
                const double modes = hourglass_stiffness(&pcs_fe_hexahedron, (pcs_material_law)law,
                                                         heights[h], stretches[i]);
                const double plain = hourglass_stiffness(
                    &pcs_fe_hexahedron_plain, (pcs_material_law)law, heights[h], stretches[i]);
                assert_true(modes > 0.01);
                assert_true(modes > 0.7 * plain);
            }
}

// ---- Mass ----

static void test_mass(void **state)
{
    (void)state;
    for (int32_t c = 0; c < N_CLASSES; ++c)
        for (int lumped = 0; lumped < 2; ++lumped) {
            sample s;
            double M[UNKNOWNS * UNKNOWNS], values[UNKNOWNS], total = 0, volume = 0;
            sample_make(&s, classes[c], PCS_MATERIAL_ST_VENANT, 0);
            s.property.lumped = lumped;
            s.class->mass(&s.fe, M);
            for (int32_t a = 0; a < s.class->n_nodes; ++a)
                for (int32_t b = 0; b < s.class->n_nodes; ++b) {
                    total += M[3 * a * s.n + 3 * b];
                    if (lumped && a != b)
                        assert_near(M[3 * a * s.n + 3 * b], 0, 0);
                    assert_near(M[3 * a * s.n + 3 * b + 1], 0, 0);
                }
            // volume by the divergence theorem over the faces, cut into triangles about their
            // middle
            for (int32_t i = 0; i < s.class->n_faces; ++i) {
                const int32_t *face = s.class->face[i], n = s.class->face_nodes;
                pcs_vec3 middle = {0, 0, 0};
                for (int32_t k = 0; k < n; ++k)
                    middle = pcs_v3_axpy(middle, 1.0 / n, s.X[face[k]]);
                for (int32_t k = 0; k < n; ++k)
                    volume += pcs_v3_dot(middle,
                                         pcs_v3_cross(s.X[face[k]], s.X[face[(k + 1) % n]])) /
                              6;
            }
            assert_true(volume > 0);
            // A bilinear face and its four triangles enclose the same volume.
            assert_near(total, s.property.material.density * volume, 1e-13);
            assert_int_equal(LAPACKE_dsyev(LAPACK_ROW_MAJOR, 'N', 'U', s.n, M, s.n, values), 0);
            assert_true(values[0] > 0);
        }
}

// ---- Stresses ----

// Homogeneous stretch diag(a, b, c) turned by R: Cauchy stress from the principal values by hand.
static void test_results(void **state)
{
    (void)state;
    const double stretch[3] = {1.213, 0.874, 0.951};
    const double J = stretch[0] * stretch[1] * stretch[2];
    for (int32_t c = 0; c < N_CLASSES; ++c)
        for (int32_t law = 0; law < PCS_MATERIAL_LAW_COUNT; ++law) {
            sample s;
            double r[8], sigma[3], tr = 0;
            sample_make(&s, classes[c], (pcs_material_law)law, 0);
            const pcs_lame lame = pcs_material_lame(&s.property.material);
            for (int32_t i = 0; i < 3; ++i)
                tr += 0.5 * (stretch[i] * stretch[i] - 1);
            for (int32_t i = 0; i < 3; ++i) {
                double l2 = stretch[i] * stretch[i];
                sigma[i] = law == PCS_MATERIAL_ST_VENANT
                               ? l2 * (lame.lambda * tr + lame.mu * (l2 - 1)) / J
                               : (lame.mu * (l2 - 1) + lame.lambda * log(J)) / J;
            }
            const pcs_mat3 R = random_rotation();
            for (int32_t a = 0; a < s.class->n_nodes; ++a)
                s.state.x[a] = pcs_m3_mul_v3(
                    &R,
                    pcs_v3(stretch[0] * s.X[a].x, stretch[1] * s.X[a].y, stretch[2] * s.X[a].z));
            s.class->results(&s.fe, &s.state, r);
            static const int32_t row[6] = {0, 1, 2, 0, 1, 2}, column[6] = {0, 1, 2, 1, 2, 0};
            for (int32_t k = 0; k < 6; ++k) {
                double expected = 0;
                for (int32_t i = 0; i < 3; ++i)
                    expected += R.m[row[k]][i] * sigma[i] * R.m[column[k]][i];
                assert_near(r[1 + k], expected, 1e-13);
            }
            double d0 = sigma[0] - sigma[1], d1 = sigma[1] - sigma[2], d2 = sigma[2] - sigma[0];
            assert_near(r[0], sqrt(0.5 * (d0 * d0 + d1 * d1 + d2 * d2)), 1e-13);
            assert_string_equal(s.class->results_names[0], "mises");
        }
}

// ---- What goes wrong ----

// An element turned inside out says so with NaN and an infinite energy, whatever its law.
static void test_inside_out(void **state)
{
    (void)state;
    for (int32_t c = 0; c < N_CLASSES; ++c)
        for (pcs_material_law law = 0; law < PCS_MATERIAL_LAW_COUNT; ++law) {
            sample s;
            double f[UNKNOWNS], A[UNKNOWNS * UNKNOWNS], r[8];
            sample_make(&s, classes[c], law, 0.2);
            sample_deform(&s, 0);
            for (int32_t a = 0; a < s.class->n_nodes; ++a)
                s.state.x[a].z = -s.state.x[a].z;
            assert_true(isinf(s.class->energy(&s.fe, &s.state)));
            assert_true(isnan(s.class->force(&s.fe, &s.state, f)));
            s.class->tangent(&s.fe, &s.state, 1, 1, A);
            s.class->results(&s.fe, &s.state, r);
            assert_true(isnan(f[0]) && isnan(f[s.n - 1]));
            assert_true(isnan(A[0]) && isnan(A[s.n * s.n - 1]));
            assert_true(isnan(r[0]));
        }
}

static void expect_message(const pcs_fe_class *class, const pcs_material *material,
                           const char *text)
{
    const pcs_fe_property property = {.dimension = 3, .material = *material};
    assert_int_equal(class->check(context, &property), PCS_ERROR_MODEL);
    if (!strstr(pcs_context_error(context), text))
        fail_msg("'%s' is not in: %s", text, pcs_context_error(context));
}

static void test_materials(void **state)
{
    (void)state;
    const pcs_material steel = pcs_material_default();
    const pcs_fe_property good = {.dimension = 3, .material = steel};
    for (int32_t c = 0; c < N_CLASSES; ++c) {
        assert_int_equal(classes[c]->check(context, &good), PCS_OK);
        pcs_material m = steel;
        m.young = 0;
        expect_message(classes[c], &m, "Young's modulus is 0");
        m.young = INFINITY;
        expect_message(classes[c], &m, "Young's modulus is inf");
        m = steel, m.poisson = 0.5;
        expect_message(classes[c], &m, "Poisson's ratio is 0.5");
        m.poisson = -1;
        expect_message(classes[c], &m, "Poisson's ratio is -1");
        m.poisson = NAN;
        expect_message(classes[c], &m, "Poisson's ratio");
        m = steel, m.density = -7;
        expect_message(classes[c], &m, "density is -7");
        m = steel, m.damping = -1e-3;
        expect_message(classes[c], &m, "damping is -0.001");
        m = steel, m.law = PCS_MATERIAL_LAW_COUNT;
        expect_message(classes[c], &m, "no material law");
    }
    assert_string_equal(pcs_material_law_name(PCS_MATERIAL_NEO_HOOKEAN), "neo-hookean");
    assert_null(pcs_material_law_name(PCS_MATERIAL_LAW_COUNT));
}

// Mirrored, flat and folded elements are refused with the order of the nodes.
static void test_bad_shapes(void **state)
{
    (void)state;
    const pcs_mat3 R = pcs_m3_identity();
    for (int32_t c = 0; c < N_CLASSES; ++c) {
        sample s;
        pcs_vec3 X[PCS_FE_NODES_MAX];
        sample_make(&s, classes[c], PCS_MATERIAL_ST_VENANT, 0);
        for (int kind = 0; kind < 3; ++kind) {
            memcpy(X, s.X, sizeof X);
            for (int32_t a = 0; a < s.class->n_nodes && kind < 2; ++a)
                X[a].y *= kind == 0 ? -1 : 0;
            if (kind == 2) // one node pushed through the element
                X[3] = pcs_v3_axpy(X[3], 2.9, pcs_v3_sub(X[1], X[3]));
            if (kind == 2 && s.class->n_nodes == 4)
                X[3] = pcs_v3(s.X[3].x, s.X[3].y, -s.X[3].z);
            assert_int_equal(s.class->prepare(context, &s.property, X, &R, s.constants),
                             PCS_ERROR_MODEL);
            assert_non_null(
                strstr(pcs_context_error(context), "degenerate or numbered inside out"));
            assert_non_null(strstr(pcs_context_error(context), "counterclockwise"));
        }
    }
}

static int setup(void **state)
{
    (void)state;
    pcs_random_init(&dice, 2385);
    context = pcs_context_create(NULL);
    return context ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    pcs_context_destroy(context);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_derivatives),
        cmocka_unit_test(test_steps),
        cmocka_unit_test(test_scales_and_symmetry),
        cmocka_unit_test(test_objectivity),
        cmocka_unit_test(test_rigid_motion),
        cmocka_unit_test(test_rank),
        cmocka_unit_test(test_hourglasses),
        cmocka_unit_test(test_mass),
        cmocka_unit_test(test_results),
        cmocka_unit_test(test_inside_out),
        cmocka_unit_test(test_materials),
        cmocka_unit_test(test_bad_shapes),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
