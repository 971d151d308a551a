// Rotations: quaternions and the exponential map of SO(3).
//
// A rotation increment psi (body frame) acts on the right: R <- R exp(S(psi)). With the left
// trivialised velocity Omega (body frame), psi' = T(psi)^{-1} Omega, where the tangent operator is
//   T(psi) = I - (1-cos a)/a^2 S(psi) + (a - sin a)/a^3 S(psi)^2,  a = |psi|,
// so that d(exp(S(psi))) = exp(S(psi)) S(T(psi) dpsi). Small angles use series (error < 1 ulp).
#ifndef PCS_MATH_ROTATION_H
#define PCS_MATH_ROTATION_H

#include "math/vector.h"

#define PCS_PI 3.14159265358979323846

static inline pcs_quat pcs_quat_identity(void)
{
    return (pcs_quat){1, 0, 0, 0};
}

// a o b: rotate by b, then by a.
static inline pcs_quat pcs_quat_mul(pcs_quat a, pcs_quat b)
{
    return (pcs_quat){a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
                      a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                      a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                      a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}

static inline pcs_quat pcs_quat_conjugate(pcs_quat a)
{
    return (pcs_quat){a.w, -a.x, -a.y, -a.z};
}

static inline double pcs_quat_norm(pcs_quat a)
{
    return sqrt(a.w * a.w + a.x * a.x + a.y * a.y + a.z * a.z);
}

// Rotation matrix of a unit quaternion.
static inline pcs_mat3 pcs_quat_matrix(pcs_quat p)
{
    double xx = p.x * p.x, yy = p.y * p.y, zz = p.z * p.z;
    double xy = p.x * p.y, xz = p.x * p.z, yz = p.y * p.z;
    double wx = p.w * p.x, wy = p.w * p.y, wz = p.w * p.z;
    return (pcs_mat3){{{1 - 2 * (yy + zz), 2 * (xy - wz), 2 * (xz + wy)},
                       {2 * (xy + wz), 1 - 2 * (xx + zz), 2 * (yz - wx)},
                       {2 * (xz - wy), 2 * (yz + wx), 1 - 2 * (xx + yy)}}};
}

pcs_quat pcs_quat_normalize(pcs_quat a); // identity for a zero quaternion
pcs_vec3 pcs_quat_rotate(pcs_quat p, pcs_vec3 a);
pcs_quat pcs_quat_from_matrix(const pcs_mat3 *R);               // R a rotation; result normalised
pcs_quat pcs_quat_from_axis_angle(pcs_vec3 axis, double angle); // axis of any length > 0
// Rotation whose z axis is `axis` and whose x axis is as near to `hint` as possible (any
// perpendicular when the hint is parallel or zero).
pcs_quat pcs_quat_from_z_axis(pcs_vec3 axis, pcs_vec3 hint);

pcs_quat pcs_so3_exp(pcs_vec3 psi);
pcs_vec3 pcs_so3_log(pcs_quat p); // |result| <= pi
pcs_mat3 pcs_so3_tangent(pcs_vec3 psi);
pcs_mat3 pcs_so3_tangent_inverse(pcs_vec3 psi);
// d(T(psi)^{-1} a)/dpsi, a constant. For T^{-T}, which is T^{-1}(-psi), it is minus that of -psi.
pcs_mat3 pcs_so3_tangent_inverse_derivative(pcs_vec3 psi, pcs_vec3 a);
// tan(|psi|/4)/|psi| psi, and its derivative
pcs_vec3 pcs_so3_quarter_tangent(pcs_vec3 psi);
pcs_mat3 pcs_so3_quarter_tangent_derivative(pcs_vec3 psi);

// The angle in (-pi, pi] nearest to `angle` modulo 2 pi.
double pcs_angle_wrap(double angle);

#endif
