// Follower pressure [BonetWood2008, ch. 8]: with the tangents x_s, x_t of the face,
//   f_a = -p int N_a x_s x x_t ds dt
//   K_ab = p int N_a (N_b,t S(x_s) - N_b,s S(x_t)) ds dt,   S(u) w = u x w.
// Polynomials of degree 2 in s and in t on four nodes: 2 x 2 points are exact. The area vector of
// a triangle is constant, that of a line in the plane is (y_1 - y_0, x_0 - x_1).
#include "elements/face_pressure.h"

#include <math.h>
#include <string.h>

#include "math/vector.h"

enum { NODES = 4 };

// Shape functions and their slopes at a point of the face, times the weight of the point
typedef struct face_point {
    double weight, N[NODES], slope_s[NODES], slope_t[NODES];
} face_point;

static void add_point(int32_t n, const face_point *point, const pcs_vec3 *x, double pressure,
                      double *f, double *K)
{
    pcs_vec3 x_s = {0, 0, 0}, x_t = {0, 0, 0};
    for (int32_t a = 0; a < n; ++a) { // from the first node, against cancellation
        const pcs_vec3 y = pcs_v3_sub(x[a], x[0]);
        x_s = pcs_v3_axpy(x_s, point->slope_s[a], y);
        x_t = pcs_v3_axpy(x_t, point->slope_t[a], y);
    }
    const double p = pressure * point->weight;
    const pcs_vec3 area = pcs_v3_cross(x_s, x_t);
    for (int32_t a = 0; a < n; ++a) {
        f[3 * a] -= p * point->N[a] * area.x;
        f[3 * a + 1] -= p * point->N[a] * area.y;
        f[3 * a + 2] -= p * point->N[a] * area.z;
    }
    if (!K)
        return;
    for (int32_t b = 0; b < n; ++b) {
        const pcs_vec3 d = pcs_v3_sub(pcs_v3_scale(point->slope_t[b], x_s),
                                      pcs_v3_scale(point->slope_s[b], x_t));
        const pcs_mat3 S = pcs_m3_skew(d);
        for (int32_t a = 0; a < n; ++a)
            for (int32_t i = 0; i < 3; ++i)
                for (int32_t j = 0; j < 3; ++j)
                    K[(3 * a + i) * 3 * n + 3 * b + j] += p * point->N[a] * S.m[i][j];
    }
}

static face_point quadrilateral_point(double s, double t)
{
    static const double sign[NODES][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
    face_point point = {.weight = 1};
    for (int32_t a = 0; a < NODES; ++a) {
        const double u = 1 + sign[a][0] * s, v = 1 + sign[a][1] * t;
        point.N[a] = 0.25 * u * v;
        point.slope_s[a] = 0.25 * sign[a][0] * v;
        point.slope_t[a] = 0.25 * sign[a][1] * u;
    }
    return point;
}

static void line_pressure(const pcs_vec3 *x, double pressure, double *f, double *K)
{
    const double half = 0.5 * pressure;
    for (int32_t a = 0; a < 2; ++a) {
        f[2 * a] = -half * (x[1].y - x[0].y);
        f[2 * a + 1] = half * (x[1].x - x[0].x);
    }
    if (!K)
        return;
    for (int32_t a = 0; a < 2; ++a)
        for (int32_t b = 0; b < 2; ++b) {
            const double s = b == 0 ? -half : half;
            K[2 * a * 4 + 2 * b] = K[(2 * a + 1) * 4 + 2 * b + 1] = 0;
            K[2 * a * 4 + 2 * b + 1] = s;
            K[(2 * a + 1) * 4 + 2 * b] = -s;
        }
}

void pcs_face_pressure(int32_t n_nodes, const pcs_vec3 *x, double pressure, double *f, double *K)
{
    const size_t n = (size_t)(3 * n_nodes);
    if (n_nodes == 2) {
        line_pressure(x, pressure, f, K);
        return;
    }
    memset(f, 0, n * sizeof *f);
    if (K)
        memset(K, 0, n * n * sizeof *K);
    if (n_nodes == 3) {
        const face_point middle = {.weight = 0.5,
                                   .N = {1.0 / 3, 1.0 / 3, 1.0 / 3},
                                   .slope_s = {-1, 1, 0},
                                   .slope_t = {-1, 0, 1}};
        add_point(3, &middle, x, pressure, f, K);
        return;
    }
    const double g = 1 / sqrt(3.0);
    for (int32_t i = 0; i < 4; ++i) {
        const face_point point = quadrilateral_point(i % 2 ? g : -g, i / 2 ? g : -g);
        add_point(4, &point, x, pressure, f, K);
    }
}
