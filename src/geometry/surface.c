// Nearest points on faces, and their rates. Letters: X_a = dX/ds_a, r = p - X.
//
// At a foot inside, X_a . r = 0. Its derivative gives the way of the foot,
//   (X_a . X_b - r . X_ab) s_b' = X_a . (p' - sum N_i x_i') + r . sum N_i,a x_i',
// the same matrix as Newton's method for the foot itself. Only a patch has X_12 != 0.
#include "geometry/surface.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "geometry/contact_geometry.h"
#include "math/vector.h"

enum { NEWTON_STEPS = 25 };
// A step of Newton's method this small leaves its square, which is rounding.
static const double SMALL_STEP = 1e-9;

// Places of the corners in s.
static const double TRIANGLE[3][2] = {{0, 0}, {1, 0}, {0, 1}};
static const double SQUARE[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};

static const double *corner_place(const pcs_face *face, int32_t corner)
{
    return face->n == 4 ? SQUARE[corner] : TRIANGLE[corner];
}

static void weights(const pcs_face *face, const double s[2], double *N)
{
    if (face->n == 2) {
        N[0] = 1.0 - s[0];
        N[1] = s[0];
    } else if (face->n == 3) {
        N[0] = 1.0 - s[0] - s[1];
        N[1] = s[0];
        N[2] = s[1];
    } else {
        N[0] = (1.0 - s[0]) * (1.0 - s[1]);
        N[1] = s[0] * (1.0 - s[1]);
        N[2] = s[0] * s[1];
        N[3] = (1.0 - s[0]) * s[1];
    }
}

// N_i,a
static void weight_slopes(const pcs_face *face, const double s[2], double slope[2][4])
{
    static const double OF_SEGMENT[2][4] = {{-1, 1, 0, 0}, {0, 0, 0, 0}};
    static const double OF_TRIANGLE[2][4] = {{-1, 1, 0, 0}, {-1, 0, 1, 0}};
    if (face->n < 4) {
        memcpy(slope, face->n == 2 ? OF_SEGMENT : OF_TRIANGLE, sizeof OF_TRIANGLE);
        return;
    }
    const double of_patch[2][4] = {{s[1] - 1.0, 1.0 - s[1], s[1], -s[1]},
                                   {s[0] - 1.0, -s[0], s[0], 1.0 - s[0]}};
    memcpy(slope, of_patch, sizeof of_patch);
}

static pcs_vec3 sum(const pcs_face *face, const double *weight, const pcs_vec3 *x)
{
    pcs_vec3 out = {0.0, 0.0, 0.0};
    for (int32_t i = 0; i < face->n; i++)
        out = pcs_v3_axpy(out, weight[i], x[i]);
    return out;
}

// X_12 of a patch
static pcs_vec3 twist_of(const pcs_face *face, const pcs_vec3 *x)
{
    static const double of_patch[4] = {1, -1, 1, -1};
    return face->n == 4 ? sum(face, of_patch, x) : pcs_v3(0.0, 0.0, 0.0);
}

static void place_foot(const pcs_face *face, pcs_vec3 p, pcs_face_foot *foot)
{
    weights(face, foot->s, foot->weight);
    foot->point = sum(face, foot->weight, face->x);
    foot->distance = pcs_v3_norm(pcs_v3_sub(p, foot->point));
}

// ---- Inside ----

// Solves the 2 x 2 system; a segment has one unknown.
static void solve(const pcs_face *face, const double A[2][2], const double b[2], double x[2])
{
    if (face->n == 2) {
        x[0] = b[0] / A[0][0];
        x[1] = 0.0;
        return;
    }
    const double det = A[0][0] * A[1][1] - A[0][1] * A[1][0];
    x[0] = (b[0] * A[1][1] - b[1] * A[0][1]) / det;
    x[1] = (A[0][0] * b[1] - A[1][0] * b[0]) / det;
}

static void tangent_vectors(const pcs_face *face, const double s[2], pcs_vec3 a[2])
{
    double slope[2][4];
    weight_slopes(face, s, slope);
    a[0] = sum(face, slope[0], face->x);
    a[1] = sum(face, slope[1], face->x);
}

// X_a . X_b - r . X_ab
static void foot_matrix(const pcs_face *face, const pcs_vec3 a[2], pcs_vec3 r, double A[2][2])
{
    A[0][0] = pcs_v3_dot(a[0], a[0]);
    A[1][1] = pcs_v3_dot(a[1], a[1]);
    A[0][1] = A[1][0] = pcs_v3_dot(a[0], a[1]) - pcs_v3_dot(r, twist_of(face, face->x));
}

static bool is_inside(const pcs_face *face, const double s[2], double m)
{
    if (!(s[0] >= -m && s[1] >= -m))
        return false;
    return face->n == 3 ? s[0] + s[1] <= 1.0 + m : s[0] <= 1.0 + m && s[1] <= 1.0 + m;
}

// Newton's method for X_a . r = 0 from the middle. Beyond the centres of curvature of a warped
// patch the matrix is not positive; without r . X_12 it is, and still points downhill. Steps are
// held to the size of the face, and the way to twice its surroundings: a foot there is no foot
// inside.
bool pcs_face_project(const pcs_face *face, pcs_vec3 p, pcs_face_foot *foot)
{
    double *s = foot->s;
    s[0] = s[1] = face->n == 4 ? 0.5 : 1.0 / 3.0;
    if (face->n == 2)
        s[1] = 0.0;
    for (int k = 0; k < NEWTON_STEPS; k++) {
        double N[4], A[2][2], d[2];
        pcs_vec3 a[2];
        weights(face, s, N);
        const pcs_vec3 r = pcs_v3_sub(p, sum(face, N, face->x));
        tangent_vectors(face, s, a);
        foot_matrix(face, a, r, A);
        if (!(A[0][0] * A[1][1] - A[0][1] * A[1][0] > 1e-3 * A[0][0] * A[1][1]) && face->n == 4)
            A[0][1] = A[1][0] = pcs_v3_dot(a[0], a[1]);
        const double b[2] = {pcs_v3_dot(a[0], r), pcs_v3_dot(a[1], r)};
        solve(face, (const double(*)[2])A, b, d);
        const double longest = fmax(fabs(d[0]), fabs(d[1]));
        const double cut = face->n == 4 && longest > 1.0 ? 1.0 / longest : 1.0;
        s[0] += cut * d[0];
        s[1] += cut * d[1];
        if (face->n < 4 || longest <= SMALL_STEP)
            break; // flat: one step is exact
        if (!(fabs(s[0] - 0.5) <= 2.5 && fabs(s[1] - 0.5) <= 2.5))
            return false;
    }
    foot->kind = PCS_FOOT_INSIDE;
    foot->corner = 0;
    place_foot(face, p, foot);
    return true;
}

double pcs_face_edge(const pcs_face *face, const pcs_face_foot *foot, int32_t *edge)
{
    const double *s = foot->s;
    pcs_vec3 a[2];
    tangent_vectors(face, s, a);
    const double area = pcs_v3_norm(pcs_v3_cross(a[0], a[1]));
    const double length[2] = {pcs_v3_norm(a[0]), pcs_v3_norm(a[1])};
    double way[4];
    int32_t n = face->n;
    if (n == 2) {
        way[0] = s[0] * length[0];
        way[1] = (1.0 - s[0]) * length[0];
    } else { // heights over the edges: the area over their lengths, in parts of s
        way[0] = s[1] * area / length[0];
        way[n - 1] = s[0] * area / length[1];
        if (n == 4) {
            way[1] = (1.0 - s[0]) * area / length[1];
            way[2] = (1.0 - s[1]) * area / length[0];
        } else {
            way[1] = (1.0 - s[0] - s[1]) * area / pcs_v3_norm(pcs_v3_sub(a[0], a[1]));
        }
    }
    *edge = 0;
    for (int32_t k = 1; k < n; k++)
        if (way[k] < way[*edge])
            *edge = k;
    return way[*edge];
}

// ---- Border ----

static void find_on_edge(const pcs_face *face, pcs_vec3 p, int32_t from, pcs_face_foot *foot)
{
    const int32_t to = (from + 1) % face->n;
    const pcs_vec3 e = pcs_v3_sub(face->x[to], face->x[from]);
    double t = pcs_v3_dot(pcs_v3_sub(p, face->x[from]), e) / pcs_v3_dot(e, e);
    foot->kind = t > 0.0 && t < 1.0 ? PCS_FOOT_EDGE : PCS_FOOT_CORNER;
    foot->corner = t >= 1.0 ? to : from;
    t = fmin(fmax(t, 0.0), 1.0);
    const double *a = corner_place(face, from), *b = corner_place(face, to);
    for (int k = 0; k < 2; k++)
        foot->s[k] = (1.0 - t) * a[k] + t * b[k];
    place_foot(face, p, foot);
}

void pcs_face_find(const pcs_face *face, pcs_vec3 p, double margin, pcs_face_foot *foot)
{
    const bool inside = pcs_face_project(face, p, foot) && is_inside(face, foot->s, margin);
    if (inside && face->n < 4)
        return;
    const int32_t edges = face->n == 2 ? 1 : face->n;
    bool first = !inside;
    for (int32_t i = 0; i < edges; i++) {
        pcs_face_foot other;
        find_on_edge(face, p, i, &other);
        if (face->n == 2) // the whole face is its edge: beyond its ends
            other.kind = PCS_FOOT_CORNER;
        // A warped patch seen from afar may have a foot that is not the nearest point.
        const double least = inside ? foot->distance * (1.0 - margin) : foot->distance;
        if (first || other.distance < least)
            *foot = other;
        first = false;
    }
}

// ---- Shape ----

static pcs_vec3 normal_vector(const pcs_face *face, const pcs_vec3 a[2])
{
    return face->n == 2 ? pcs_v3(-a[0].y, a[0].x, 0.0) : pcs_v3_cross(a[0], a[1]);
}

pcs_vec3 pcs_face_normal(const pcs_face *face, const double s[2])
{
    pcs_vec3 a[2];
    tangent_vectors(face, s, a);
    pcs_vec3 n = normal_vector(face, a);
    const double length = pcs_v3_norm(n);
    if (length > PCS_SHORTEST_DIRECTION)
        return pcs_v3_scale(1.0 / length, n);
    return face->n == 2 ? pcs_v3(0.0, 1.0, 0.0) : pcs_v3(0.0, 0.0, 1.0);
}

pcs_vec3 pcs_face_area(const pcs_face *face)
{
    const pcs_vec3 *x = face->x;
    if (face->n == 2)
        return pcs_v3(x[0].y - x[1].y, x[1].x - x[0].x, 0.0);
    const pcs_vec3 a = pcs_v3_sub(x[face->n == 4 ? 2 : 1], x[0]); // a patch: its two diagonals
    const pcs_vec3 b = pcs_v3_sub(x[face->n - 1], x[face->n == 4 ? 1 : 0]);
    return pcs_v3_scale(0.5, pcs_v3_cross(a, b));
}

pcs_box pcs_face_box(const pcs_face *face)
{
    pcs_box box = {face->x[0], face->x[0]};
    for (int32_t i = 1; i < face->n; i++)
        box = pcs_box_join(box, (pcs_box){face->x[i], face->x[i]});
    return box; // a patch lies within the hull of its corners
}

double pcs_face_size(const pcs_face *face)
{
    double size = 0.0;
    for (int32_t i = 0; i < face->n; i++)
        for (int32_t j = 0; j < i; j++)
            size = fmax(size, pcs_v3_norm(pcs_v3_sub(face->x[i], face->x[j])));
    return size;
}

// ---- Rates ----

static pcs_vec3 across(pcs_vec3 n, pcs_vec3 v)
{
    return pcs_v3_axpy(v, -pcs_v3_dot(n, v), n);
}

static void rate_inside(const pcs_face *face, const pcs_face_foot *foot, pcs_vec3 p, pcs_vec3 n,
                        const pcs_vec3 *x_rate, pcs_vec3 p_rate, double way[2], pcs_face_rate *rate)
{
    double slope[2][4], A[2][2], b[2];
    pcs_vec3 a[2], a_rate[2];
    const pcs_vec3 r = pcs_v3_sub(p, foot->point);
    const pcs_vec3 relative = pcs_v3_sub(p_rate, sum(face, foot->weight, x_rate));
    weight_slopes(face, foot->s, slope);
    tangent_vectors(face, foot->s, a);
    foot_matrix(face, a, r, A);
    for (int k = 0; k < 2; k++) {
        a_rate[k] = sum(face, slope[k], x_rate);
        b[k] = pcs_v3_dot(a[k], relative) + pcs_v3_dot(r, a_rate[k]);
    }
    solve(face, (const double(*)[2])A, b, way);
    const pcs_vec3 twist = twist_of(face, face->x);
    a_rate[0] = pcs_v3_axpy(a_rate[0], way[1], twist);
    a_rate[1] = pcs_v3_axpy(a_rate[1], way[0], twist);
    pcs_vec3 vector_rate = face->n == 2 ? normal_vector(face, a_rate)
                                        : pcs_v3_add(pcs_v3_cross(a_rate[0], a[1]),
                                                     pcs_v3_cross(a[0], a_rate[1]));
    const double length = pcs_v3_norm(normal_vector(face, a));
    rate->normal = pcs_v3_scale(1.0 / length, across(n, vector_rate));
}

// On an edge e = x_j - x_i: e . (p - X) = 0 gives the way t' along it; a corner stays. n = +-r/|r|.
static void rate_border(const pcs_face *face, const pcs_face_foot *foot, pcs_vec3 p, pcs_vec3 n,
                        double gap, const pcs_vec3 *x_rate, pcs_vec3 p_rate, double way[2],
                        pcs_face_rate *rate)
{
    pcs_vec3 relative = pcs_v3_sub(p_rate, sum(face, foot->weight, x_rate));
    way[0] = way[1] = 0.0;
    if (foot->kind == PCS_FOOT_EDGE) {
        const int32_t i = foot->corner, j = (i + 1) % face->n;
        const pcs_vec3 e = pcs_v3_sub(face->x[j], face->x[i]);
        const pcs_vec3 e_rate = pcs_v3_sub(x_rate[j], x_rate[i]);
        const double t_rate = (pcs_v3_dot(e, relative) +
                               pcs_v3_dot(e_rate, pcs_v3_sub(p, foot->point))) /
                              pcs_v3_dot(e, e);
        const double *a = corner_place(face, i), *b = corner_place(face, j);
        for (int k = 0; k < 2; k++)
            way[k] = t_rate * (b[k] - a[k]);
        relative = pcs_v3_axpy(relative, -t_rate, e);
    }
    rate->normal = fabs(gap) > PCS_SHORTEST_DIRECTION ? pcs_v3_scale(1.0 / gap, across(n, relative))
                                                      : pcs_v3(0.0, 0.0, 0.0);
}

void pcs_face_rates(const pcs_face *face, const pcs_face_foot *foot, pcs_vec3 p, pcs_vec3 normal,
                    double gap, const pcs_vec3 *corner_rate, pcs_vec3 p_rate, pcs_face_rate *rate)
{
    double way[2], slope[2][4];
    if (foot->kind == PCS_FOOT_INSIDE)
        rate_inside(face, foot, p, normal, corner_rate, p_rate, way, rate);
    else
        rate_border(face, foot, p, normal, gap, corner_rate, p_rate, way, rate);
    weight_slopes(face, foot->s, slope);
    for (int32_t i = 0; i < face->n; i++)
        rate->weight[i] = slope[0][i] * way[0] + slope[1][i] * way[1];
}
