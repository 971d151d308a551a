// Faces and shapes: nearest points against points sampled all over them, normals, distances as
// gradients, and rates against differences.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "geometry/contact_shapes.h"
#include "geometry/surface.h"
#include "math/vector.h"
#include "support/near.h"

static pcs_vec3 random_vector(pcs_random *random, int32_t dimension, double size)
{
    const double x = pcs_random_between(random, -size, size);
    const double y = pcs_random_between(random, -size, size);
    const double z = pcs_random_between(random, -size, size);
    return pcs_v3(x, y, dimension == 2 ? 0.0 : z);
}

// Corners of a regular face, moved at random.
static pcs_face random_face(pcs_random *random, int32_t n, double bend)
{
    static const pcs_vec3 segment[2] = {{-0.6, 0.2, 0}, {0.7, -0.1, 0}};
    static const pcs_vec3 triangle[3] = {{-0.6, -0.5, 0.1}, {0.7, -0.4, 0}, {0.1, 0.8, -0.2}};
    static const pcs_vec3 patch[4] = {
        {-0.6, -0.7, 0.1}, {0.8, -0.5, 0}, {0.6, 0.8, -0.1}, {-0.7, 0.6, 0}};
    const pcs_vec3 *x = n == 2 ? segment : n == 3 ? triangle : patch;
    pcs_face face = {.n = n};
    for (int32_t i = 0; i < n; i++)
        face.x[i] = pcs_v3_add(x[i], random_vector(random, n == 2 ? 2 : 3, bend));
    return face;
}

static pcs_vec3 place(const pcs_face *face, double a, double b)
{
    const double N[3][4] = {{1 - a, a, 0, 0},
                            {1 - a - b, a, b, 0},
                            {(1 - a) * (1 - b), a * (1 - b), a * b, (1 - a) * b}};
    pcs_vec3 x = {0, 0, 0};
    for (int32_t i = 0; i < face->n; i++)
        x = pcs_v3_axpy(x, N[face->n - 2][i], face->x[i]);
    return x;
}

// No sampled point is nearer, and the sampled points come near: with steps 1/n the nearest one is
// at most 2 sizes/n beside the foot.
static void check_nearest(const pcs_face *face, pcs_vec3 p, const pcs_face_foot *foot)
{
    enum { N = 80 };
    double least = HUGE_VAL, weight = 0.0;
    pcs_vec3 sum = {0, 0, 0};
    for (int i = 0; i <= N; i++)
        for (int j = 0; j <= (face->n == 2 ? 0 : face->n == 3 ? N - i : N); j++) {
            const pcs_vec3 x = place(face, (double)i / N, (double)j / N);
            least = fmin(least, pcs_v3_norm(pcs_v3_sub(p, x)));
        }
    assert_true(foot->distance <= least + 1e-12);
    assert_true(least <= foot->distance + 2.0 * pcs_face_size(face) / N);
    for (int32_t i = 0; i < face->n; i++) {
        assert_true(foot->weight[i] >= -2e-6 && foot->weight[i] <= 1 + 2e-6);
        weight += foot->weight[i];
        sum = pcs_v3_axpy(sum, foot->weight[i], face->x[i]);
    }
    assert_near(weight, 1.0, 1e-14);
    assert_near(pcs_v3_norm(pcs_v3_sub(sum, foot->point)), 0.0, 1e-14);
    assert_near(pcs_v3_norm(pcs_v3_sub(p, sum)), foot->distance, 1e-14);
}

static void check_kind(const pcs_face *face, pcs_vec3 p, const pcs_face_foot *foot)
{
    const pcs_vec3 d = pcs_v3_sub(p, foot->point);
    if (foot->kind == PCS_FOOT_INSIDE) { // along the normal
        const pcs_vec3 n = pcs_face_normal(face, foot->s);
        assert_near(pcs_v3_norm(pcs_v3_cross(n, d)), 0.0, 1e-12);
    } else if (foot->kind == PCS_FOOT_EDGE) {
        const pcs_vec3 *x = face->x;
        const pcs_vec3 e = pcs_v3_sub(x[(foot->corner + 1) % face->n], x[foot->corner]);
        assert_near(pcs_v3_dot(e, d), 0.0, 1e-13);
    } else {
        assert_near(foot->weight[foot->corner], 1.0, 1e-15);
    }
}

static void test_nearest_point(void **state)
{
    (void)state;
    pcs_random random;
    pcs_random_init(&random, 17);
    for (int32_t n = 2; n <= 4; n++) {
        int32_t kinds[3] = {0};
        for (int trial = 0; trial < 400; trial++) {
            const pcs_face face = random_face(&random, n, 0.3);
            const double far = trial % 2 ? 0.4 : 2.0;
            const pcs_vec3 p = random_vector(&random, n == 2 ? 2 : 3, far);
            pcs_face_foot foot;
            pcs_face_find(&face, p, PCS_FACE_MARGIN, &foot);
            check_nearest(&face, p, &foot);
            check_kind(&face, p, &foot);
            kinds[foot.kind]++;
        }
        assert_true(kinds[PCS_FOOT_INSIDE] > 40 && kinds[PCS_FOOT_CORNER] > 40);
        assert_true(n == 2 ? kinds[PCS_FOOT_EDGE] == 0 : kinds[PCS_FOOT_EDGE] > 40);
    }
}

// The mean normal is the sum of normals times areas, here over many small pieces.
static void test_area(void **state)
{
    (void)state;
    enum { N = 20 };
    pcs_random random;
    pcs_random_init(&random, 29);
    for (int trial = 0; trial < 20; trial++) {
        const pcs_face face = random_face(&random, 4, 0.3);
        pcs_vec3 sum = {0, 0, 0};
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++) {
                const double a = (double)i / N, b = (double)j / N, h = 1.0 / N;
                const pcs_face piece = {4,
                                        {place(&face, a, b), place(&face, a + h, b),
                                         place(&face, a + h, b + h), place(&face, a, b + h)}};
                sum = pcs_v3_add(sum, pcs_face_area(&piece));
            }
        assert_near(pcs_v3_norm(pcs_v3_sub(sum, pcs_face_area(&face))), 0.0, 1e-14);
    }
    const pcs_face triangle = {3, {{0, 0, 0}, {2, 0, 0}, {0, 3, 0}}};
    assert_near(pcs_face_area(&triangle).z, 3.0, 0.0);
    const pcs_face segment = {2, {{0, 0, 0}, {2, 0, 0}}};
    assert_near(pcs_face_area(&segment).y, 2.0, 0.0); // free side on the left
    const double middle[2] = {0.5, 0.0};
    assert_near(pcs_face_normal(&segment, middle).y, 1.0, 0.0);
}

// ---- Rates ----

static void moved(const pcs_face *face, pcs_vec3 p, const pcs_vec3 *v, pcs_vec3 v_p, double t,
                  pcs_face *face_out, pcs_vec3 *p_out)
{
    *face_out = *face;
    for (int32_t i = 0; i < face->n; i++)
        face_out->x[i] = pcs_v3_axpy(face->x[i], t, v[i]);
    *p_out = pcs_v3_axpy(p, t, v_p);
}

static pcs_vec3 contact_normal(const pcs_face *face, pcs_vec3 p, const pcs_face_foot *foot,
                               double *gap)
{
    const pcs_vec3 d = pcs_v3_sub(p, foot->point);
    const pcs_vec3 n = foot->kind == PCS_FOOT_INSIDE ? pcs_face_normal(face, foot->s)
                                                     : pcs_v3_scale(1.0 / foot->distance, d);
    *gap = pcs_v3_dot(n, d);
    return n;
}

typedef struct difference {
    pcs_vec3 normal;
    double weight[4];
    bool same; // foot at all places
} difference;

// Central difference of order 4 along a motion of corners and point.
static difference differ(const pcs_face *face, pcs_vec3 p, const pcs_vec3 *v, pcs_vec3 v_p,
                         const pcs_face_foot *foot, double h)
{
    static const double c[4] = {1.0, -8.0, 8.0, -1.0}, at[4] = {-2, -1, 1, 2};
    difference out = {.same = true};
    for (int k = 0; k < 4; k++) {
        pcs_face face_k;
        pcs_vec3 p_k;
        pcs_face_foot foot_k;
        double gap;
        moved(face, p, v, v_p, at[k] * h, &face_k, &p_k);
        pcs_face_find(&face_k, p_k, PCS_FACE_MARGIN, &foot_k);
        out.same = out.same && foot_k.kind == foot->kind && foot_k.corner == foot->corner;
        out.normal = pcs_v3_axpy(out.normal, c[k] / (12 * h),
                                 contact_normal(&face_k, p_k, &foot_k, &gap));
        for (int32_t i = 0; i < face->n; i++)
            out.weight[i] += c[k] / (12 * h) * foot_k.weight[i];
    }
    return out;
}

// Where the differences of two widths agree to a tenth of the tolerance: near edges, corners and
// the foci of a warped patch the foot moves fast.
static void test_rates(void **state)
{
    (void)state;
    const double h = 1e-3, tolerance = 1e-7;
    pcs_random random;
    pcs_random_init(&random, 53);
    for (int32_t n = 2; n <= 4; n++) {
        int32_t judged[3] = {0}, all = 0;
        for (int trial = 0; trial < 1000; trial++) {
            const int32_t dimension = n == 2 ? 2 : 3;
            const pcs_face face = random_face(&random, n, 0.3);
            const pcs_vec3 p = random_vector(&random, dimension, 1.1);
            pcs_vec3 v[4], v_p = random_vector(&random, dimension, 1.0);
            for (int32_t i = 0; i < n; i++)
                v[i] = random_vector(&random, dimension, 1.0);
            pcs_face_foot foot;
            pcs_face_find(&face, p, PCS_FACE_MARGIN, &foot);
            const difference coarse = differ(&face, p, v, v_p, &foot, h);
            const difference fine = differ(&face, p, v, v_p, &foot, 0.5 * h);
            all++;
            if (!coarse.same ||
                pcs_v3_norm(pcs_v3_sub(coarse.normal, fine.normal)) > 0.1 * tolerance)
                continue;
            double gap;
            const pcs_vec3 normal = contact_normal(&face, p, &foot, &gap);
            pcs_face_rate rate;
            pcs_face_rates(&face, &foot, p, normal, gap, v, v_p, &rate);
            judged[foot.kind]++;
            assert_near(pcs_v3_norm(pcs_v3_sub(rate.normal, fine.normal)), 0.0, tolerance);
            for (int32_t i = 0; i < n; i++)
                assert_near(rate.weight[i], fine.weight[i], tolerance);
        }
        assert_true(judged[0] + judged[1] + judged[2] > all / 2);
        assert_true(judged[PCS_FOOT_INSIDE] > 30 && judged[PCS_FOOT_CORNER] > 30);
        assert_true(n == 2 || judged[PCS_FOOT_EDGE] > 30);
    }
}

// ---- Rigid shapes ----

static pcs_target_shape shape_of(pcs_target_kind kind, int32_t dimension)
{
    return (pcs_target_shape){kind, dimension, 0.43, {0.71, 0.53, 0.91}, {0, 0}};
}

// Points of the surface, by brute force: the nearest of those that are on it within `skin`.
static double inside_box(const pcs_target_shape *s, pcs_vec3 p)
{
    const double x = fabs(p.x) - 0.5 * s->size.x, y = fabs(p.y) - 0.5 * s->size.y;
    const double z = s->dimension == 2 ? -HUGE_VAL : fabs(p.z) - 0.5 * s->size.z;
    return fmax(x, fmax(y, z));
}

static double inside_cylinder(const pcs_target_shape *s, pcs_vec3 p)
{
    return fmax(sqrt(p.x * p.x + p.y * p.y) - s->radius, fabs(p.z) - 0.5 * s->size.z);
}

static double inside_capsule(const pcs_target_shape *s, pcs_vec3 p)
{
    const double half = 0.5 * s->size.z, z = fmin(fmax(p.z, -half), half);
    return pcs_v3_norm(pcs_v3(p.x, p.y, p.z - z)) - s->radius;
}

static double inside(const pcs_target_shape *s, pcs_vec3 p)
{
    switch (s->kind) {
    case PCS_TARGET_PLANE:
        return s->dimension == 2 ? p.y : p.z;
    case PCS_TARGET_SPHERE:
        return pcs_v3_norm(p) - s->radius;
    case PCS_TARGET_BOX:
        return inside_box(s, p);
    case PCS_TARGET_CYLINDER:
        return inside_cylinder(s, p);
    default:
        return inside_capsule(s, p);
    }
}

// The foot is on the surface, and no point of a ball around p that is smaller is.
static void check_distance(pcs_random *random, const pcs_target_shape *s, pcs_vec3 p,
                           const pcs_shape_foot *foot)
{
    const pcs_vec3 on = pcs_v3_axpy(p, -foot->distance, foot->normal);
    assert_near(pcs_v3_norm(foot->normal), 1.0, 1e-14);
    assert_near(inside(s, on), 0.0, 1e-14);
    assert_true((inside(s, p) < 0) == (foot->distance < 0));
    for (int i = 0; i < 200; i++) {
        pcs_vec3 d = random_vector(random, s->dimension, 1.0);
        const double reach = 0.999 * fabs(foot->distance) / fmax(pcs_v3_norm(d), 1e-3);
        const pcs_vec3 near = pcs_v3_axpy(p, fmin(reach, fabs(foot->distance)), d);
        if (pcs_v3_norm(pcs_v3_sub(near, p)) < fabs(foot->distance))
            assert_true((inside(s, near) < 0) == (foot->distance < 0));
    }
}

static void test_shapes(void **state)
{
    (void)state;
    static const double h = 2e-4, c[4] = {1.0, -8.0, 8.0, -1.0}, at[4] = {-2, -1, 1, 2};
    pcs_random random;
    pcs_random_init(&random, 71);
    for (int32_t dimension = 2; dimension <= 3; dimension++)
        for (int kind = 0; kind < PCS_TARGET_FACES; kind++) {
            if (dimension == 2 && kind >= PCS_TARGET_CYLINDER)
                continue;
            const pcs_target_shape s = shape_of((pcs_target_kind)kind, dimension);
            int32_t judged = 0;
            for (int trial = 0; trial < 400; trial++) {
                const pcs_vec3 p = random_vector(&random, dimension, 1.1);
                const pcs_vec3 w = random_vector(&random, dimension, 1.0);
                pcs_shape_foot foot;
                pcs_shape_find(&s, p, NULL, &foot);
                check_distance(&random, &s, p, &foot);
                double slope = 0.0, sharpest = fmax(fabs(foot.bend[0]), fabs(foot.bend[1]));
                pcs_vec3 turn = {0, 0, 0}, expected = {0, 0, 0};
                bool same = sharpest < 10.0;
                for (int k = 0; k < 4; k++) {
                    pcs_shape_foot other;
                    pcs_shape_find(&s, pcs_v3_axpy(p, at[k] * h, w), NULL, &other);
                    same = same && other.face == foot.face &&
                           fabs(other.bend[1] - foot.bend[1]) < 0.5 * sharpest + 1e-9;
                    slope += c[k] / (12 * h) * other.distance;
                    turn = pcs_v3_axpy(turn, c[k] / (12 * h), other.normal);
                }
                if (!same)
                    continue;
                for (int k = 0; k < 2; k++)
                    expected = pcs_v3_axpy(expected, foot.bend[k] * pcs_v3_dot(w, foot.across[k]),
                                           foot.across[k]);
                judged++;
                assert_near(slope, pcs_v3_dot(foot.normal, w), 1e-8);
                assert_near(pcs_v3_norm(pcs_v3_sub(turn, expected)), 0.0, 1e-7);
            }
            assert_true(judged > 250);
        }
}

// A corner of one box on the corner of another, to rounding and a little inside: the face is that
// which the surface of the node looks at.
static void test_facing(void **state)
{
    (void)state;
    const pcs_target_shape box = shape_of(PCS_TARGET_BOX, 3);
    const double third = 1.0 / sqrt(3.0);
    const pcs_vec3 corner = pcs_v3_scale(0.5, box.size), down = {third, third, -third};
    const pcs_vec3 moves[] = {
        {0, 0, 0}, {1e-12, -1e-12, -1e-12}, {0, 0, -1e-3}, {-1e-9, 1e-9, -1e-4}};
    for (size_t i = 0; i < sizeof moves / sizeof *moves; i++) {
        pcs_shape_foot foot;
        pcs_shape_find(&box, pcs_v3_add(corner, moves[i]), &down, &foot);
        assert_near(foot.normal.z, 1.0, 0.0);
        assert_near(foot.distance, moves[i].z, 1e-15);
    }
    const pcs_target_shape cylinder = shape_of(PCS_TARGET_CYLINDER, 3);
    const pcs_vec3 rim = {cylinder.radius, 0, 0.5 * cylinder.size.z - 1e-4}, under = {0.6, 0, -0.8};
    pcs_shape_foot foot;
    pcs_shape_find(&cylinder, rim, &under, &foot);
    assert_near(foot.normal.z, 1.0, 0.0);
    assert_near(foot.distance, -1e-4, 1e-15);
    // Inside, with nothing to look at: no contact.
    const pcs_vec3 up = {0, 0, 1};
    pcs_shape_find(&box, pcs_v3(0.0, 0.0, 0.4), &up, &foot);
    assert_true(foot.distance == HUGE_VAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nearest_point), cmocka_unit_test(test_area),
        cmocka_unit_test(test_rates),         cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_facing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
