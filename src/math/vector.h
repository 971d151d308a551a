// Inline algebra on pcs_vec2, pcs_vec3 and pcs_mat3. Short names without a verb: these are values.
#ifndef PCS_MATH_VECTOR_H
#define PCS_MATH_VECTOR_H

#include <math.h>
#include <stdbool.h>

#include "percuss/math.h"

static inline pcs_vec3 pcs_v3(double x, double y, double z)
{
    return (pcs_vec3){x, y, z};
}

static inline pcs_vec3 pcs_v3_add(pcs_vec3 a, pcs_vec3 b)
{
    return (pcs_vec3){a.x + b.x, a.y + b.y, a.z + b.z};
}

static inline pcs_vec3 pcs_v3_sub(pcs_vec3 a, pcs_vec3 b)
{
    return (pcs_vec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline pcs_vec3 pcs_v3_scale(double s, pcs_vec3 a)
{
    return (pcs_vec3){s * a.x, s * a.y, s * a.z};
}

// a + s b
static inline pcs_vec3 pcs_v3_axpy(pcs_vec3 a, double s, pcs_vec3 b)
{
    return (pcs_vec3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

static inline double pcs_v3_dot(pcs_vec3 a, pcs_vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline pcs_vec3 pcs_v3_cross(pcs_vec3 a, pcs_vec3 b)
{
    return (pcs_vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline double pcs_v3_norm(pcs_vec3 a)
{
    return sqrt(pcs_v3_dot(a, a));
}

static inline bool pcs_v3_is_finite(pcs_vec3 a)
{
    return isfinite(a.x) && isfinite(a.y) && isfinite(a.z);
}

static inline pcs_vec3 pcs_v3_load(const double a[3])
{
    return (pcs_vec3){a[0], a[1], a[2]};
}

static inline void pcs_v3_store(double out[3], pcs_vec3 a)
{
    out[0] = a.x;
    out[1] = a.y;
    out[2] = a.z;
}

// A x
static inline pcs_vec3 pcs_m3_mul_v3(const pcs_mat3 *A, pcs_vec3 x)
{
    return (pcs_vec3){A->m[0][0] * x.x + A->m[0][1] * x.y + A->m[0][2] * x.z,
                      A->m[1][0] * x.x + A->m[1][1] * x.y + A->m[1][2] * x.z,
                      A->m[2][0] * x.x + A->m[2][1] * x.y + A->m[2][2] * x.z};
}

// A^T x
static inline pcs_vec3 pcs_m3_tmul_v3(const pcs_mat3 *A, pcs_vec3 x)
{
    return (pcs_vec3){A->m[0][0] * x.x + A->m[1][0] * x.y + A->m[2][0] * x.z,
                      A->m[0][1] * x.x + A->m[1][1] * x.y + A->m[2][1] * x.z,
                      A->m[0][2] * x.x + A->m[1][2] * x.y + A->m[2][2] * x.z};
}

static inline pcs_vec3 pcs_m3_column(const pcs_mat3 *A, int j)
{
    return (pcs_vec3){A->m[0][j], A->m[1][j], A->m[2][j]};
}

static inline pcs_mat3 pcs_m3_identity(void)
{
    return (pcs_mat3){{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
}

static inline pcs_mat3 pcs_m3_from_columns(pcs_vec3 a, pcs_vec3 b, pcs_vec3 c)
{
    return (pcs_mat3){{{a.x, b.x, c.x}, {a.y, b.y, c.y}, {a.z, b.z, c.z}}};
}

static inline pcs_mat3 pcs_m3_transpose(const pcs_mat3 *A)
{
    return (pcs_mat3){{{A->m[0][0], A->m[1][0], A->m[2][0]},
                       {A->m[0][1], A->m[1][1], A->m[2][1]},
                       {A->m[0][2], A->m[1][2], A->m[2][2]}}};
}

// S(a) with S(a) b = a x b
static inline pcs_mat3 pcs_m3_skew(pcs_vec3 a)
{
    return (pcs_mat3){{{0, -a.z, a.y}, {a.z, 0, -a.x}, {-a.y, a.x, 0}}};
}

pcs_mat3 pcs_m3_mul(const pcs_mat3 *A, const pcs_mat3 *B);           // A B
pcs_mat3 pcs_m3_tmul(const pcs_mat3 *A, const pcs_mat3 *B);          // A^T B
pcs_mat3 pcs_m3_mult(const pcs_mat3 *A, const pcs_mat3 *B);          // A B^T
pcs_mat3 pcs_m3_add(const pcs_mat3 *A, double s, const pcs_mat3 *B); // A + s B
double pcs_m3_det(const pcs_mat3 *A);
// Inverse by cofactors; false when the matrix is singular to rounding (|det| within the rounding
// error of its own expansion, a test that scaling of rows or columns does not change).
bool pcs_m3_inverse(const pcs_mat3 *A, pcs_mat3 *inverse);
// Eigenvalues (ascending) and orthonormal, right-handed eigenvectors (columns) of a symmetric
// matrix, of which the upper triangle is read.
void pcs_m3_eigen_symmetric(const pcs_mat3 *A, double values[3], pcs_mat3 *vectors);
// Two unit vectors so that (n, t1, t2) is right-handed; n must be a unit vector. Continuous in n
// except at one direction (n = -e_z).
void pcs_v3_tangents(pcs_vec3 n, pcs_vec3 *t1, pcs_vec3 *t2);

#endif
