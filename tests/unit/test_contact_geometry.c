// Contact points of every kind at random placements: gap, points and normal against independent
// descriptions, the gap's rate against finite differences, and degenerate placements.
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "geometry/contact_geometry.h"
#include "math/rotation.h"

// Lengths are of order 1; a gap or a component is the result of some dozen roundings.
static const double ROUNDING = 128.0 * DBL_EPSILON;

static void assert_near(double a, double b, double tolerance)
{
    if (!(fabs(a - b) <= tolerance))
        fail_msg("%.17g and %.17g differ by %g", a, b, a - b);
}

static void assert_near_vector(pcs_vec3 a, pcs_vec3 b, double tolerance)
{
    assert_near(a.x, b.x, tolerance);
    assert_near(a.y, b.y, tolerance);
    assert_near(a.z, b.z, tolerance);
}

typedef struct twist {
    pcs_vec3 v, w;
} twist;

static pcs_vec3 random_vector(pcs_random *random, int32_t dimension, double size)
{
    double x = pcs_random_between(random, -size, size), y = pcs_random_between(random, -size, size);
    double z = pcs_random_between(random, -size, size);
    return pcs_v3(x, y, dimension == 2 ? 0.0 : z);
}

static pcs_vec3 random_rotation(pcs_random *random, int32_t dimension, double size)
{
    pcs_vec3 psi = random_vector(random, 3, size);
    return dimension == 2 ? pcs_v3(0.0, 0.0, psi.z) : psi;
}

static pcs_placement random_placement(pcs_random *random, int32_t dimension)
{
    pcs_placement place;
    place.x = random_vector(random, dimension, 1.3);
    place.R = pcs_quat_matrix(pcs_so3_exp(random_rotation(random, dimension, 3.0)));
    return place;
}

static twist random_twist(pcs_random *random, int32_t dimension)
{
    return (twist){random_vector(random, dimension, 1.0), random_rotation(random, dimension, 1.0)};
}

static pcs_placement moved(const pcs_placement *place, const twist *rate, double t)
{
    pcs_mat3 turn = pcs_quat_matrix(pcs_so3_exp(pcs_v3_scale(t, rate->w)));
    return (pcs_placement){pcs_v3_axpy(place->x, t, rate->v), pcs_m3_mul(&turn, &place->R)};
}

static pcs_vec3 material_velocity(const pcs_placement *place, const twist *rate, pcs_vec3 point)
{
    return pcs_v3_add(rate->v, pcs_v3_cross(rate->w, pcs_v3_sub(point, place->x)));
}

static pcs_vec3 in_frame(const pcs_placement *place, pcs_vec3 point)
{
    return pcs_m3_tmul_v3(&place->R, pcs_v3_sub(point, place->x));
}

// A dented hexagon (two concave vertices), counter-clockwise: its inside is the free side.
static const pcs_vec2 HEXAGON[] = {{-1.03, -0.91}, {0.07, -0.38}, {1.11, -0.87},
                                   {0.72, 0.55},   {0.13, 0.21},  {-0.89, 0.79}};
enum { HEXAGON_COUNT = 6 };

typedef struct kind_case {
    const char *name;
    pcs_contact_points_fn compute;
    int32_t dimension, slots;
    bool companions; // slots that are not a multiple of 3 follow no material point
} kind_case;

static const kind_case CASES[] = {
    {"point-plane", pcs_contact_point_plane, 2, 1, false},
    {"point-plane", pcs_contact_point_plane, 3, 1, false},
    {"sphere-plane", pcs_contact_sphere_plane, 2, 1, false},
    {"sphere-plane", pcs_contact_sphere_plane, 3, 1, false},
    {"sphere-sphere", pcs_contact_sphere_sphere, 2, 1, false},
    {"sphere-sphere", pcs_contact_sphere_sphere, 3, 1, false},
    {"sphere-in-sphere", pcs_contact_sphere_in_sphere, 2, 1, false},
    {"sphere-in-sphere", pcs_contact_sphere_in_sphere, 3, 1, false},
    {"pin-in-hole", pcs_contact_pin_in_hole, 2, 1, false},
    {"pin-in-hole", pcs_contact_pin_in_hole, 3, 1, false},
    {"box-plane", pcs_contact_box_plane, 2, 4, false},
    {"box-plane", pcs_contact_box_plane, 3, 8, false},
    {"cylinder-plane", pcs_contact_cylinder_plane, 3, 6, true},
    {"point-polyline", pcs_contact_point_polyline, 2, 1, false},
    {"slider-guide", pcs_contact_slider_guide, 2, 4, false},
};

enum { CASE_COUNT = sizeof CASES / sizeof CASES[0] };

static pcs_contact_sizes sizes_of(int32_t dimension)
{
    pcs_contact_sizes sizes = {0};
    sizes.dimension = dimension;
    sizes.radius_a = 0.853;
    sizes.radius_b = 0.317;
    sizes.size = pcs_v3(0.731, 0.439, 0.283);
    sizes.width = 0.517;
    sizes.vertices = HEXAGON;
    sizes.n_vertices = HEXAGON_COUNT;
    sizes.closed = true;
    return sizes;
}

// What every kind promises: unit normal, gap n = point_b - point_a.
static void test_points_and_normal(void **state)
{
    (void)state;
    pcs_random random;
    pcs_random_init(&random, 7);
    for (int i = 0; i < CASE_COUNT; i++)
        for (int trial = 0; trial < 500; trial++) {
            pcs_contact_sizes sizes = sizes_of(CASES[i].dimension);
            pcs_placement a = random_placement(&random, sizes.dimension);
            pcs_placement b = random_placement(&random, sizes.dimension);
            pcs_contact_point points[PCS_CONTACT_SLOTS_MAX];
            CASES[i].compute(&sizes, &a, &b, points);
            for (int k = 0; k < CASES[i].slots; k++) {
                const pcs_contact_point *p = &points[k];
                assert_near(pcs_v3_norm(p->normal), 1.0, ROUNDING);
                assert_near_vector(pcs_v3_sub(p->point_b, p->point_a),
                                   pcs_v3_scale(p->gap, p->normal), ROUNDING);
                if (sizes.dimension == 2)
                    assert_true(p->normal.z == 0.0 && p->point_a.z == 0.0 && p->point_b.z == 0.0);
            }
        }
}

// gap' = n . (v_b - v_a) of the material points. Central differences: h^2/6 g''' + eps/h, with
// derivatives below 1e3 unless a radius of curvature is small: where the second difference is above
// 100, or a kink makes it so, the slot is left out (at most one in fifty).
static void test_gap_rate(void **state)
{
    (void)state;
    const double h = 1e-5, tolerance = 1e-7;
    pcs_random random;
    pcs_random_init(&random, 11);
    for (int i = 0; i < CASE_COUNT; i++) {
        int checked = 0, left_out = 0;
        for (int trial = 0; trial < 1000; trial++) {
            pcs_contact_sizes sizes = sizes_of(CASES[i].dimension);
            pcs_placement a = random_placement(&random, sizes.dimension);
            pcs_placement b = random_placement(&random, sizes.dimension);
            twist rate_a = random_twist(&random, sizes.dimension);
            twist rate_b = random_twist(&random, sizes.dimension);
            pcs_placement a0 = moved(&a, &rate_a, -h), a1 = moved(&a, &rate_a, h);
            pcs_placement b0 = moved(&b, &rate_b, -h), b1 = moved(&b, &rate_b, h);
            pcs_contact_point now[PCS_CONTACT_SLOTS_MAX], before[PCS_CONTACT_SLOTS_MAX],
                after[PCS_CONTACT_SLOTS_MAX];
            CASES[i].compute(&sizes, &a, &b, now);
            CASES[i].compute(&sizes, &a0, &b0, before);
            CASES[i].compute(&sizes, &a1, &b1, after);
            for (int k = 0; k < CASES[i].slots; k += CASES[i].companions ? 3 : 1) {
                double slope0 = (now[k].gap - before[k].gap) / h;
                double slope1 = (after[k].gap - now[k].gap) / h;
                if (!(fabs(slope1 - slope0) < 100.0 * h)) {
                    left_out++;
                    continue;
                }
                pcs_vec3 u = pcs_v3_sub(material_velocity(&b, &rate_b, now[k].point_b),
                                        material_velocity(&a, &rate_a, now[k].point_a));
                assert_near(pcs_v3_dot(u, now[k].normal), 0.5 * (slope0 + slope1), tolerance);
                checked++;
            }
        }
        if (left_out * 50 > checked)
            fail_msg("%s: %d of %d left out", CASES[i].name, left_out, checked);
    }
}

static void test_planes(void **state)
{
    (void)state;
    pcs_random random;
    pcs_random_init(&random, 13);
    for (int trial = 0; trial < 200; trial++) {
        int32_t dimension = trial % 2 ? 2 : 3;
        pcs_contact_sizes sizes = sizes_of(dimension);
        pcs_placement a = random_placement(&random, dimension);
        pcs_placement b = random_placement(&random, dimension);
        pcs_vec3 local = in_frame(&a, b.x), n = pcs_m3_column(&a.R, dimension == 2 ? 1 : 2);
        double height = dimension == 2 ? local.y : local.z;
        pcs_contact_point p[8];
        pcs_contact_point_plane(&sizes, &a, &b, p);
        assert_near(p[0].gap, height, ROUNDING);
        assert_near_vector(p[0].normal, n, ROUNDING);
        assert_near_vector(p[0].point_b, b.x, ROUNDING);
        pcs_contact_sphere_plane(&sizes, &a, &b, p);
        assert_near(p[0].gap, height - sizes.radius_b, ROUNDING);
        assert_near(pcs_v3_norm(pcs_v3_sub(p[0].point_b, b.x)), sizes.radius_b, ROUNDING);

        pcs_contact_box_plane(&sizes, &a, &b, p);
        double least = HUGE_VAL;
        for (int i = 0; i < (dimension == 2 ? 4 : 8); i++) {
            pcs_vec3 c = in_frame(&b, p[i].point_b);
            assert_near(c.x, (i & 1 ? 0.5 : -0.5) * sizes.size.x, ROUNDING);
            assert_near(c.y, (i & 2 ? 0.5 : -0.5) * sizes.size.y, ROUNDING);
            assert_near(c.z, dimension == 2 ? 0.0 : (i & 4 ? 0.5 : -0.5) * sizes.size.z, ROUNDING);
            least = fmin(least, p[i].gap);
        }
        // Support function of the box.
        pcs_vec3 m = pcs_m3_tmul_v3(&b.R, n);
        double reach = 0.5 * (fabs(m.x) * sizes.size.x + fabs(m.y) * sizes.size.y +
                              (dimension == 3 ? fabs(m.z) * sizes.size.z : 0.0));
        assert_near(least, height - reach, ROUNDING);
    }
}

// Where the foot leaves the rectangle the gap is HUGE_VAL.
static void test_bounded_plane(void **state)
{
    (void)state;
    pcs_random random;
    pcs_random_init(&random, 17);
    int inside = 0, outside = 0;
    for (int trial = 0; trial < 400; trial++) {
        int32_t dimension = trial % 2 ? 2 : 3;
        pcs_contact_sizes sizes = sizes_of(dimension), unbounded = sizes;
        sizes.extent.x = trial % 8 < 6 ? 0.71 : 0.0;
        sizes.extent.y = trial % 8 < 4 ? 0.58 : 0.0;
        pcs_placement a = random_placement(&random, dimension);
        pcs_placement b = random_placement(&random, dimension);
        pcs_contact_point p[8], free[8];
        const pcs_contact_points_fn kinds[] = {pcs_contact_point_plane, pcs_contact_sphere_plane,
                                               pcs_contact_box_plane};
        const int slots[] = {1, 1, dimension == 2 ? 4 : 8};
        for (int k = 0; k < 3; k++) {
            kinds[k](&sizes, &a, &b, p);
            kinds[k](&unbounded, &a, &b, free);
            for (int i = 0; i < slots[k]; i++) {
                pcs_vec3 foot = in_frame(&a, p[i].point_a);
                bool out = (sizes.extent.x > 0.0 && fabs(foot.x) > sizes.extent.x) ||
                           (dimension == 3 && sizes.extent.y > 0.0 &&
                            fabs(foot.y) > sizes.extent.y);
                assert_true(p[i].gap == (out ? HUGE_VAL : free[i].gap));
                assert_true(pcs_v3_is_finite(p[i].normal) && pcs_v3_is_finite(p[i].point_a));
                *(out ? &outside : &inside) += 1;
            }
        }
    }
    assert_true(inside > 100 && outside > 100);
}

static void test_round_pairs(void **state)
{
    (void)state;
    pcs_random random;
    pcs_random_init(&random, 19);
    for (int trial = 0; trial < 200; trial++) {
        int32_t dimension = trial % 2 ? 2 : 3;
        pcs_contact_sizes sizes = sizes_of(dimension);
        pcs_placement a = random_placement(&random, dimension);
        pcs_placement b = random_placement(&random, dimension);
        pcs_vec3 d = pcs_v3_sub(b.x, a.x), local = in_frame(&a, b.x);
        pcs_contact_point p;
        pcs_contact_sphere_sphere(&sizes, &a, &b, &p);
        assert_near(p.gap, pcs_v3_norm(d) - 0.853 - 0.317, ROUNDING);
        assert_true(pcs_v3_dot(p.normal, d) > 0.0);
        assert_near(pcs_v3_norm(pcs_v3_sub(p.point_a, a.x)), 0.853, ROUNDING);
        assert_near(pcs_v3_norm(pcs_v3_sub(p.point_b, b.x)), 0.317, ROUNDING);

        pcs_contact_sphere_in_sphere(&sizes, &a, &b, &p);
        assert_near(p.gap, 0.853 - 0.317 - pcs_v3_norm(d), ROUNDING);
        assert_true(pcs_v3_dot(p.normal, d) < 0.0);
        assert_near(pcs_v3_norm(pcs_v3_sub(p.point_a, a.x)), 0.853, ROUNDING);
        assert_near(pcs_v3_norm(pcs_v3_sub(p.point_b, b.x)), 0.317, ROUNDING);

        pcs_contact_pin_in_hole(&sizes, &a, &b, &p);
        assert_near(p.gap, 0.853 - 0.317 - hypot(local.x, local.y), ROUNDING);
        pcs_vec3 on_a = in_frame(&a, p.point_a);
        assert_near(hypot(on_a.x, on_a.y), 0.853, ROUNDING);
        assert_near(on_a.z, local.z, ROUNDING);
        assert_near(pcs_v3_dot(p.normal, pcs_m3_column(&a.R, 2)), 0.0, ROUNDING);
        assert_near(pcs_v3_norm(pcs_v3_sub(p.point_b, b.x)), 0.317, ROUNDING);
    }
}

// Lowest of 20000 points of each rim: above the true lowest by at most r (step/2)^2 / 2.
static void test_cylinder_rims(void **state)
{
    (void)state;
    enum { N = 20000 };
    pcs_random random;
    pcs_random_init(&random, 23);
    pcs_contact_sizes sizes = sizes_of(3);
    for (int trial = 0; trial < 20; trial++) {
        pcs_placement a = random_placement(&random, 3), b = random_placement(&random, 3);
        pcs_contact_point p[6];
        pcs_contact_cylinder_plane(&sizes, &a, &b, p);
        for (int rim = 0; rim < 2; rim++) {
            double z = (rim ? 0.5 : -0.5) * sizes.size.z, least = HUGE_VAL;
            for (int i = 0; i < N; i++) {
                double angle = 2.0 * PCS_PI * i / N;
                pcs_vec3 local = {0.317 * cos(angle), 0.317 * sin(angle), z};
                pcs_vec3 world = pcs_v3_add(b.x, pcs_m3_mul_v3(&b.R, local));
                least = fmin(least, in_frame(&a, world).z);
            }
            double step = PCS_PI / N;
            assert_true(p[3 * rim].gap <= least + ROUNDING);
            assert_near(p[3 * rim].gap, least, 0.317 * step * step / 2.0 + ROUNDING);
            for (int i = 0; i < 3; i++) { // on the rim, 120 degrees apart
                pcs_vec3 c = in_frame(&b, p[3 * rim + i].point_b);
                pcs_vec3 next = in_frame(&b, p[3 * rim + (i + 1) % 3].point_b);
                assert_near(hypot(c.x, c.y), 0.317, ROUNDING);
                assert_near(c.z, z, ROUNDING);
                assert_near(c.x * next.x + c.y * next.y, -0.5 * 0.317 * 0.317, ROUNDING);
            }
        }
    }
}

// Standing on either end: three points of one rim at the same height, fixed to the body, whatever
// the spin and a tilt as small as rounding.
static void test_standing_cylinder(void **state)
{
    (void)state;
    pcs_contact_sizes sizes = sizes_of(3);
    pcs_placement a = {{0.0, 0.0, 0.0}, pcs_m3_identity()};
    for (int trial = 0; trial < 50; trial++) {
        double spin = 0.37 * trial, tilt = (trial % 5) * 1e-10;
        pcs_quat turn = pcs_quat_mul(pcs_so3_exp(pcs_v3(tilt, -0.3 * tilt, 0.0)),
                                     pcs_so3_exp(pcs_v3(0.0, 0.0, spin)));
        if (trial % 2)
            turn = pcs_quat_mul(turn, pcs_so3_exp(pcs_v3(PCS_PI, 0.0, 0.0)));
        pcs_placement b = {{0.2, -0.7, 0.5 * sizes.size.z}, pcs_quat_matrix(turn)};
        pcs_contact_point p[6];
        pcs_contact_cylinder_plane(&sizes, &a, &b, p);
        int low = trial % 2 ? 3 : 0;
        for (int i = 0; i < 3; i++) {
            assert_near(p[low + i].gap, 0.0, 0.317 * 2.0 * tilt + ROUNDING);
            assert_near(p[3 - low + i].gap, sizes.size.z, 0.317 * 2.0 * tilt + ROUNDING);
        }
        pcs_vec3 first = in_frame(&b, p[low].point_b);
        assert_near(first.x, 0.317, ROUNDING);
        assert_near(first.y, 0.0, ROUNDING);
    }
}

static void test_slider_guide(void **state)
{
    (void)state;
    pcs_contact_sizes sizes = sizes_of(2);
    const double alpha = 0.731, tilt = 0.0123, offset = 0.019, along = 2.3;
    pcs_placement a = {{0.4, -1.1, 0.0}, pcs_quat_matrix(pcs_so3_exp(pcs_v3(0.0, 0.0, alpha)))};
    pcs_placement b;
    b.x = pcs_v3_add(a.x, pcs_m3_mul_v3(&a.R, pcs_v3(along, offset, 0.0)));
    b.R = pcs_quat_matrix(pcs_so3_exp(pcs_v3(0.0, 0.0, alpha + tilt)));
    // Flores, Leine and Glocker: the corners (-a, b), (a, b) above, (-a, -b), (a, -b) below.
    double ha = 0.5 * sizes.size.x, hb = 0.5 * sizes.size.y, s = sin(tilt), c = cos(tilt);
    const double gaps[4] = {
        0.5 * sizes.width - offset + ha * s - hb * c, 0.5 * sizes.width - offset - ha * s - hb * c,
        0.5 * sizes.width + offset - ha * s - hb * c, 0.5 * sizes.width + offset + ha * s - hb * c};
    pcs_contact_point p[4];
    pcs_contact_slider_guide(&sizes, &a, &b, p);
    for (int i = 0; i < 4; i++) {
        assert_near(p[i].gap, gaps[i], ROUNDING);
        assert_near(pcs_v3_dot(p[i].normal, pcs_m3_column(&a.R, 1)), i < 2 ? -1.0 : 1.0, ROUNDING);
    }
    sizes.extent.x = along; // the front corners stick out of the guide
    pcs_contact_slider_guide(&sizes, &a, &b, p);
    assert_true(p[0].gap < 1.0 && p[2].gap < 1.0);
    assert_true(p[1].gap == HUGE_VAL && p[3].gap == HUGE_VAL);
}

static double segment_distance(pcs_vec2 p, pcs_vec2 v, pcs_vec2 w)
{
    double ex = w.x - v.x, ey = w.y - v.y;
    double s = ((p.x - v.x) * ex + (p.y - v.y) * ey) / (ex * ex + ey * ey);
    s = s < 0.0 ? 0.0 : s > 1.0 ? 1.0 : s;
    return hypot(p.x - v.x - s * ex, p.y - v.y - s * ey);
}

// Crossings of the ray from p in the direction +x.
static bool is_inside(const pcs_vec2 *vertices, int n, pcs_vec2 p)
{
    bool inside = false;
    for (int i = 0; i < n; i++) {
        pcs_vec2 v = vertices[i], w = vertices[(i + 1) % n];
        if ((v.y > p.y) != (w.y > p.y) && p.x < v.x + (p.y - v.y) / (w.y - v.y) * (w.x - v.x))
            inside = !inside;
    }
    return inside;
}

// Random star-shaped polygons, sharp and dented, both ways round: distance over all edges, sign by
// counting crossings.
static void test_closed_polyline(void **state)
{
    (void)state;
    enum { N = 9 };
    pcs_random random;
    pcs_random_init(&random, 29);
    for (int trial = 0; trial < 100; trial++) {
        pcs_vec2 v[N];
        bool clockwise = trial % 2;
        for (int i = 0; i < N; i++) {
            double angle = 2.0 * PCS_PI * (i + pcs_random_between(&random, -0.4, 0.4)) / N;
            double r = pcs_random_between(&random, 0.1, 1.5);
            v[clockwise ? N - 1 - i : i] = (pcs_vec2){r * cos(angle), r * sin(angle)};
        }
        pcs_contact_sizes sizes = sizes_of(2);
        sizes.vertices = v;
        sizes.n_vertices = N;
        pcs_placement a = random_placement(&random, 2), b = random_placement(&random, 2);
        for (int k = 0; k < 300; k++) {
            pcs_vec3 local = random_vector(&random, 2, 1.5);
            if (k % 3 == 0) // near a vertex
                local = pcs_v3_add(pcs_v3(v[k % N].x, v[k % N].y, 0.0),
                                   random_vector(&random, 2, 1e-3));
            b.x = pcs_v3_add(a.x, pcs_m3_mul_v3(&a.R, local));
            double distance = HUGE_VAL;
            for (int i = 0; i < N; i++)
                distance = fmin(
                    distance, segment_distance((pcs_vec2){local.x, local.y}, v[i], v[(i + 1) % N]));
            bool free = is_inside(v, N, (pcs_vec2){local.x, local.y}) != clockwise;
            pcs_contact_point p;
            pcs_contact_point_polyline(&sizes, &a, &b, &p);
            assert_near(p.gap, free ? distance : -distance, ROUNDING);
            assert_near_vector(p.point_b, b.x, 0.0);
        }
    }
}

// An open line with a convex and a concave vertex, free side above.
//
//        1 ____ 2
//         /    \            4
//   0 ___/      \__________/
//                3
static void test_open_polyline(void **state)
{
    (void)state;
    // Travel to the right: the left of it is above.
    static const pcs_vec2 v[] = {{0.0, 0.0}, {1.0, 0.0}, {2.0, 1.0}, {3.0, 0.0}, {5.0, 0.0}};
    const double s = sqrt(0.5);
    static const struct {
        double x, y;
    } points[] = {{0.5, 0.3},  {0.5, -0.2}, {2.0, 1.7},  {1.9, 1.7}, {2.0, 0.6},
                  {0.9, 0.4},  {3.1, -0.2}, {-0.3, 0.4}, {5.3, 0.4}, {-0.3, -0.1},
                  {5.3, -0.1}, {0.0, 0.2},  {5.0, -0.2}, {-0.3, 0.0}};
    const double gaps[] = {0.3, -0.2, 0.7,      hypot(0.1, 0.7), -0.4 * s, 0.5 * s, -0.2,
                           0.5, 0.5,  HUGE_VAL, HUGE_VAL,        0.2,      -0.2,    HUGE_VAL};
    pcs_contact_sizes sizes = {0};
    sizes.dimension = 2;
    sizes.vertices = v;
    sizes.n_vertices = 5;
    pcs_placement a = {{0.0, 0.0, 0.0}, pcs_m3_identity()}, b = a;
    for (size_t i = 0; i < sizeof points / sizeof points[0]; i++) {
        b.x = pcs_v3(points[i].x, points[i].y, 0.0);
        pcs_contact_point p;
        pcs_contact_point_polyline(&sizes, &a, &b, &p);
        if (isinf(gaps[i]))
            assert_true(p.gap == HUGE_VAL);
        else
            assert_near(p.gap, gaps[i], ROUNDING);
        assert_near(pcs_v3_norm(p.normal), 1.0, ROUNDING);
    }
}

// Nothing is NaN where a direction is missing, and the answer is the documented one.
static void test_degenerate(void **state)
{
    (void)state;
    pcs_random random;
    pcs_random_init(&random, 31);
    for (int i = 0; i < CASE_COUNT; i++)
        for (int trial = 0; trial < 6; trial++) {
            static const double offsets[] = {0.0, 1e-320, 1e-200, 1e-155, 1e-100, 1e-17};
            pcs_contact_sizes sizes = sizes_of(CASES[i].dimension);
            pcs_placement a = random_placement(&random, sizes.dimension);
            a.x = pcs_v3(0.0, 0.0, 0.0);
            pcs_placement b = a;
            b.x.x += offsets[trial];
            b.x.y -= 0.5 * offsets[trial];
            pcs_contact_point p[PCS_CONTACT_SLOTS_MAX];
            CASES[i].compute(&sizes, &a, &b, p);
            for (int k = 0; k < CASES[i].slots; k++) {
                assert_true(isfinite(p[k].gap));
                assert_near(pcs_v3_norm(p[k].normal), 1.0, ROUNDING);
                assert_true(pcs_v3_is_finite(p[k].point_a) && pcs_v3_is_finite(p[k].point_b));
            }
        }
    pcs_contact_sizes sizes = sizes_of(3);
    pcs_placement a = random_placement(&random, 3), b = random_placement(&random, 3);
    b.x = a.x;
    pcs_vec3 x = pcs_m3_column(&a.R, 0), minus_x = pcs_v3_scale(-1.0, x);
    pcs_contact_point p;
    pcs_contact_sphere_sphere(&sizes, &a, &b, &p);
    assert_near_vector(p.normal, x, 0.0);
    assert_near(p.gap, -0.853 - 0.317, ROUNDING);
    pcs_contact_sphere_in_sphere(&sizes, &a, &b, &p);
    assert_near_vector(p.normal, minus_x, 0.0);
    pcs_contact_pin_in_hole(&sizes, &a, &b, &p);
    assert_near_vector(p.normal, minus_x, 0.0);
    assert_near(p.gap, 0.853 - 0.317, ROUNDING);
}

// A point exactly on a vertex, or within the smallest numbers of it.
static void test_point_on_vertex(void **state)
{
    (void)state;
    pcs_contact_sizes sizes = sizes_of(2);
    pcs_placement a = {{0.0, 0.0, 0.0}, pcs_m3_identity()}, b = a;
    pcs_vec2 v[HEXAGON_COUNT];
    for (int k = 0; k < HEXAGON_COUNT; k++) {
        for (int i = 0; i < HEXAGON_COUNT; i++) // vertex k at the origin: tiny offsets count
            v[i] = (pcs_vec2){HEXAGON[i].x - HEXAGON[k].x, HEXAGON[i].y - HEXAGON[k].y};
        sizes.vertices = v;
        for (int j = 0; j < 27; j++) {
            double scale = j < 9 ? 1e-310 : j < 18 ? 1e-160 : 1e-20;
            b.x = pcs_v3(scale * (j % 3 - 1), scale * (j / 3 % 3 - 1), 0.0);
            pcs_contact_point p;
            pcs_contact_point_polyline(&sizes, &a, &b, &p);
            assert_near(p.gap, 0.0, 2.0 * scale + ROUNDING);
            assert_near(pcs_v3_norm(p.normal), 1.0, ROUNDING);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_points_and_normal),
        cmocka_unit_test(test_gap_rate),
        cmocka_unit_test(test_planes),
        cmocka_unit_test(test_bounded_plane),
        cmocka_unit_test(test_round_pairs),
        cmocka_unit_test(test_cylinder_rims),
        cmocka_unit_test(test_standing_cylinder),
        cmocka_unit_test(test_slider_guide),
        cmocka_unit_test(test_closed_polyline),
        cmocka_unit_test(test_open_polyline),
        cmocka_unit_test(test_degenerate),
        cmocka_unit_test(test_point_on_vertex),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
