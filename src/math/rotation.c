// Quaternions and the exponential map of SO(3). All coefficients are built from three functions
//   f1(x) = sin x / x,   f2(x) = (1 - cos x)/x^2 = f1(x/2)^2 / 2,   f3(x) = (x - sin x)/x^3,
// of which only f3 loses digits for small x and needs a series.
#include "math/rotation.h"

#include <float.h>

static double f1(double x)
{
    return x == 0 ? 1 : sin(x) / x; // accurate down to the smallest x
}

static double f2(double x)
{
    double f = f1(0.5 * x);
    return 0.5 * f * f;
}

// sum_k (-x^2)^k / (2k+3)!. Below the switch nine terms leave 2^9 3!/21! = 6e-17 relative; above it
// the closed form loses at most a factor sin(x)/(x - sin(x)) = 2.3 of the precision of sin.
static double f3(double x)
{
    const double switch_square = 2;
    double y = x * x;
    if (y >= switch_square)
        return (x - sin(x)) / (x * y);
    double sum = 1;
    for (int k = 8; k > 0; k--)
        sum = 1 - y / ((2 * k + 2) * (2 * k + 3)) * sum;
    return sum / 6;
}

// Scaled by the largest component first, so that any length but zero works; false for zero.
static bool unit_vector(pcs_vec3 a, pcs_vec3 *unit)
{
    double largest = fmax(fabs(a.x), fmax(fabs(a.y), fabs(a.z)));
    if (!(largest > 0 && largest <= DBL_MAX))
        return false;
    pcs_vec3 scaled = {a.x / largest, a.y / largest, a.z / largest};
    *unit = pcs_v3_scale(1 / pcs_v3_norm(scaled), scaled);
    return true;
}

pcs_quat pcs_quat_normalize(pcs_quat a)
{
    double norm = pcs_quat_norm(a);
    if (norm == 0)
        return pcs_quat_identity();
    double s = 1 / norm;
    return (pcs_quat){s * a.w, s * a.x, s * a.y, s * a.z};
}

// R(p) a = a + 2 w (v x a) + 2 v x (v x a), v the vector part
pcs_vec3 pcs_quat_rotate(pcs_quat p, pcs_vec3 a)
{
    pcs_vec3 v = {p.x, p.y, p.z};
    pcs_vec3 t = pcs_v3_scale(2, pcs_v3_cross(v, a));
    return pcs_v3_add(pcs_v3_axpy(a, p.w, t), pcs_v3_cross(v, t));
}

// Shepperd: the largest of 4w^2, 4x^2, 4y^2, 4z^2 (never below 1) gives its component by a square
// root, the others follow by division by it.
pcs_quat pcs_quat_from_matrix(const pcs_mat3 *R)
{
    const double(*r)[3] = R->m;
    double trace = r[0][0] + r[1][1] + r[2][2];
    pcs_quat p; // times a positive factor, which the normalisation removes
    if (trace >= r[0][0] && trace >= r[1][1] && trace >= r[2][2]) {
        p = (pcs_quat){1 + trace, r[2][1] - r[1][2], r[0][2] - r[2][0], r[1][0] - r[0][1]};
    } else if (r[0][0] >= r[1][1] && r[0][0] >= r[2][2]) {
        p = (pcs_quat){r[2][1] - r[1][2], 1 + r[0][0] - r[1][1] - r[2][2], r[0][1] + r[1][0],
                       r[0][2] + r[2][0]};
    } else if (r[1][1] >= r[2][2]) {
        p = (pcs_quat){r[0][2] - r[2][0], r[0][1] + r[1][0], 1 - r[0][0] + r[1][1] - r[2][2],
                       r[1][2] + r[2][1]};
    } else {
        p = (pcs_quat){r[1][0] - r[0][1], r[0][2] + r[2][0], r[1][2] + r[2][1],
                       1 - r[0][0] - r[1][1] + r[2][2]};
    }
    if (p.w < 0)
        p = (pcs_quat){-p.w, -p.x, -p.y, -p.z};
    return pcs_quat_normalize(p);
}

pcs_quat pcs_quat_from_axis_angle(pcs_vec3 axis, double angle)
{
    pcs_vec3 e;
    if (!unit_vector(axis, &e))
        return pcs_quat_identity();
    double c = cos(0.5 * angle), s = sin(0.5 * angle);
    return (pcs_quat){c, s * e.x, s * e.y, s * e.z};
}

pcs_quat pcs_quat_from_z_axis(pcs_vec3 axis, pcs_vec3 hint)
{
    // Nearer to parallel than this, half of the digits of the perpendicular part are rounding.
    const double parallel = sqrt(DBL_EPSILON);
    pcs_vec3 x, y, z, h;
    if (!unit_vector(axis, &z))
        return pcs_quat_identity();
    bool has_hint = unit_vector(hint, &h);
    if (has_hint) {
        h = pcs_v3_axpy(h, -pcs_v3_dot(h, z), z);
        has_hint = pcs_v3_norm(h) > parallel;
    }
    if (has_hint) {
        h = pcs_v3_axpy(h, -pcs_v3_dot(h, z), z); // twice is enough for full orthogonality
        x = pcs_v3_scale(1 / pcs_v3_norm(h), h);
        y = pcs_v3_cross(z, x);
    } else {
        pcs_v3_tangents(z, &x, &y);
    }
    pcs_mat3 R = pcs_m3_from_columns(x, y, z);
    return pcs_quat_from_matrix(&R);
}

// exp: w = cos(a/2), v = sin(a/2)/a psi
pcs_quat pcs_so3_exp(pcs_vec3 psi)
{
    double half = 0.5 * pcs_v3_norm(psi);
    double s = 0.5 * f1(half);
    return (pcs_quat){cos(half), s * psi.x, s * psi.y, s * psi.z};
}

// log: psi = 2 atan2(|v|, w)/|v| v. The arc tangent of two arguments is accurate at all angles,
// also near pi, and does not ask for an exact unit norm.
pcs_vec3 pcs_so3_log(pcs_quat p)
{
    if (p.w < 0) // p and -p are one rotation; the short way has w >= 0
        p = (pcs_quat){-p.w, -p.x, -p.y, -p.z};
    pcs_vec3 v = {p.x, p.y, p.z};
    double s = pcs_v3_norm(v);
    if (s == 0)
        return p.w > 0 ? pcs_v3_scale(2 / p.w, v) : pcs_v3(0, 0, 0);
    return pcs_v3_scale(2 * atan2(s, p.w) / s, v);
}

// I + c1 S(psi) + c2 S(psi)^2, with S^2 = psi psi^T - |psi|^2 I
static pcs_mat3 skew_polynomial(pcs_vec3 psi, double c1, double c2)
{
    double xx = c2 * psi.x * psi.x, yy = c2 * psi.y * psi.y, zz = c2 * psi.z * psi.z;
    double xy = c2 * psi.x * psi.y, xz = c2 * psi.x * psi.z, yz = c2 * psi.y * psi.z;
    double x = c1 * psi.x, y = c1 * psi.y, z = c1 * psi.z;
    return (pcs_mat3){{{1 - (yy + zz), xy - z, xz + y},
                       {xy + z, 1 - (xx + zz), yz - x},
                       {xz - y, yz + x, 1 - (xx + yy)}}};
}

// T = I - f2(a) S + f3(a) S^2
pcs_mat3 pcs_so3_tangent(pcs_vec3 psi)
{
    double a = pcs_v3_norm(psi);
    return skew_polynomial(psi, -f2(a), f3(a));
}

// T^{-1} = I + 1/2 S + c S^2, c = (1 - x cot x)/(4 x^2) with x = a/2. Because
//   sin x - x cos x = x (1 - cos x) - (x - sin x) = x^3 (f2(x) - f3(x)),
// c = (f2(x) - f3(x))/(4 f1(x)), a difference of about 1/2 - 1/6 without cancellation.
// T itself is singular at a = 2 pi, 4 pi, ...
pcs_mat3 pcs_so3_tangent_inverse(pcs_vec3 psi)
{
    double x = 0.5 * pcs_v3_norm(psi);
    return skew_polynomial(psi, 0.5, 0.25 * (f2(x) - f3(x)) / f1(x));
}

// f4 = (1/2 - f2)/x^2 and f5 = (1/6 - f3)/x^2, by series where f3 has its own: nine terms leave
// 2^9 4!/22! = 1e-17 and less, the differences lose a factor of seven.
static double f4(double x)
{
    double y = x * x, sum = 1;
    if (y >= 2)
        return (0.5 - f2(x)) / y;
    for (int k = 8; k > 0; k--)
        sum = 1 - y / ((2 * k + 3) * (2 * k + 4)) * sum;
    return sum / 24;
}

static double f5(double x)
{
    double y = x * x, sum = 1;
    if (y >= 2)
        return (1.0 / 6.0 - f3(x)) / y;
    for (int k = 8; k > 0; k--)
        sum = 1 - y / ((2 * k + 4) * (2 * k + 5)) * sum;
    return sum / 120;
}

// T^{-1} a = a + 1/2 psi x a + c (psi (psi.a) - |psi|^2 a), c as above. With x = |psi|/2 and
//   f1' = -x (f2 - f3),  f2' = x (2 f4 - f3),  f3' = x (3 f5 - f4),
// c'/|psi| = 1/16 ((3 f4 - f3 - 3 f5)/f1 + ((f2 - f3)/f1)^2): digits are lost once, and only one.
pcs_mat3 pcs_so3_tangent_inverse_derivative(pcs_vec3 psi, pcs_vec3 a)
{
    double x = 0.5 * pcs_v3_norm(psi), g1 = f1(x), g3 = f3(x);
    double r = (f2(x) - g3) / g1, c = 0.25 * r;
    double slope = ((3 * f4(x) - g3 - 3 * f5(x)) / g1 + r * r) / 16;
    double dot = pcs_v3_dot(psi, a), p[3], b[3], s[3];
    pcs_v3_store(p, psi);
    pcs_v3_store(b, a);
    pcs_v3_store(s, pcs_v3_axpy(pcs_v3_scale(dot, psi), -4 * x * x, a)); // S^2 a
    pcs_mat3 D = {{{c * dot, 0.5 * a.z, -0.5 * a.y},
                   {-0.5 * a.z, c * dot, 0.5 * a.x},
                   {0.5 * a.y, -0.5 * a.x, c * dot}}};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            D.m[i][j] += c * (p[i] * b[j] - 2 * b[i] * p[j]) + slope * s[i] * p[j];
    return D;
}

pcs_vec3 pcs_so3_quarter_tangent(pcs_vec3 psi)
{
    double u = 0.25 * pcs_v3_norm(psi);
    return pcs_v3_scale(0.25 * f1(u) / cos(u), psi);
}

// tau I + tau'/|psi| psi psi^T with tau = tan(u)/(4 u), u = |psi|/4, and
//   tau'/|psi| = (2 u - sin 2u)/(128 u^3 cos^2 u) = f3(2 u)/(16 cos^2 u)
pcs_mat3 pcs_so3_quarter_tangent_derivative(pcs_vec3 psi)
{
    double u = 0.25 * pcs_v3_norm(psi), tau = 0.25 * f1(u) / cos(u);
    double slope = f3(2 * u) / (16 * cos(u) * cos(u)), p[3];
    pcs_v3_store(p, psi);
    pcs_mat3 D;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            D.m[i][j] = (i == j ? tau : 0) + slope * p[i] * p[j];
    return D;
}

double pcs_angle_wrap(double angle)
{
    double wrapped = remainder(angle, 2 * PCS_PI); // in [-pi, pi]
    return wrapped == -PCS_PI ? PCS_PI : wrapped;
}
