// 3x3 matrices: products, inverse by cofactors, symmetric eigenproblem by cyclic Jacobi rotations;
// the tangent frame of a normal.
#include "math/vector.h"

#include <float.h>

pcs_mat3 pcs_m3_mul(const pcs_mat3 *A, const pcs_mat3 *B)
{
    pcs_mat3 C;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++)
            C.m[i][j] = A->m[i][0] * B->m[0][j] + A->m[i][1] * B->m[1][j] + A->m[i][2] * B->m[2][j];
    }
    return C;
}

pcs_mat3 pcs_m3_tmul(const pcs_mat3 *A, const pcs_mat3 *B)
{
    pcs_mat3 C;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++)
            C.m[i][j] = A->m[0][i] * B->m[0][j] + A->m[1][i] * B->m[1][j] + A->m[2][i] * B->m[2][j];
    }
    return C;
}

pcs_mat3 pcs_m3_mult(const pcs_mat3 *A, const pcs_mat3 *B)
{
    pcs_mat3 C;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++)
            C.m[i][j] = A->m[i][0] * B->m[j][0] + A->m[i][1] * B->m[j][1] + A->m[i][2] * B->m[j][2];
    }
    return C;
}

pcs_mat3 pcs_m3_add(const pcs_mat3 *A, double s, const pcs_mat3 *B)
{
    pcs_mat3 C;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++)
            C.m[i][j] = A->m[i][j] + s * B->m[i][j];
    }
    return C;
}

double pcs_m3_det(const pcs_mat3 *A)
{
    const double(*a)[3] = A->m;
    return a[0][0] * (a[1][1] * a[2][2] - a[1][2] * a[2][1]) -
           a[0][1] * (a[1][0] * a[2][2] - a[1][2] * a[2][0]) +
           a[0][2] * (a[1][0] * a[2][1] - a[1][1] * a[2][0]);
}

// Sum of the absolute values of the six products in the expansion of det A.
static double permanent_of_magnitudes(const double a[3][3])
{
    return fabs(a[0][0]) * (fabs(a[1][1] * a[2][2]) + fabs(a[1][2] * a[2][1])) +
           fabs(a[0][1]) * (fabs(a[1][0] * a[2][2]) + fabs(a[1][2] * a[2][0])) +
           fabs(a[0][2]) * (fabs(a[1][0] * a[2][1]) + fabs(a[1][1] * a[2][0]));
}

bool pcs_m3_inverse(const pcs_mat3 *A, pcs_mat3 *inverse)
{
    double largest = 0;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++)
            largest = fmax(largest, fabs(A->m[i][j]));
    }
    if (!(largest > 0 && largest <= DBL_MAX))
        return false;

    // Scaled by a power of two (exact), so that products of three entries stay in range.
    int exponent;
    (void)frexp(largest, &exponent);
    pcs_mat3 scaled;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++)
            scaled.m[i][j] = ldexp(A->m[i][j], -exponent);
    }
    const double(*a)[3] = (const double(*)[3])scaled.m;

    // Each of the six products passes at most five roundings: two multiplications, one sum inside
    // a cofactor and two between the three terms. Below 5 u perm|A| the sign of det is unknown.
    double det = pcs_m3_det(&scaled);
    if (!(fabs(det) > 2.5 * DBL_EPSILON * permanent_of_magnitudes(a)))
        return false;

    for (int i = 0; i < 3; i++) {
        int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
        for (int j = 0; j < 3; j++) {
            int j1 = (j + 1) % 3, j2 = (j + 2) % 3;
            double cofactor = a[j1][i1] * a[j2][i2] - a[j1][i2] * a[j2][i1];
            inverse->m[i][j] = ldexp(cofactor / det, -exponent);
        }
    }
    return true;
}

// Rotation in the plane (p, q) that makes a_pq zero, with t = tan of the smaller angle:
//   theta = (a_qq - a_pp)/(2 a_pq),  t = sgn(theta)/(|theta| + sqrt(theta^2 + 1)).
static void jacobi_rotate(double a[3][3], double v[3][3], int p, int q)
{
    double theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
    double t = copysign(1, theta) / (fabs(theta) + sqrt(theta * theta + 1));
    double c = 1 / sqrt(t * t + 1), s = t * c;
    int r = 3 - p - q; // the third index

    a[p][p] -= t * a[p][q];
    a[q][q] += t * a[p][q];
    a[p][q] = a[q][p] = 0;
    double a_rp = a[r][p], a_rq = a[r][q];
    a[r][p] = a[p][r] = c * a_rp - s * a_rq;
    a[r][q] = a[q][r] = s * a_rp + c * a_rq;
    for (int i = 0; i < 3; i++) {
        double v_ip = v[i][p], v_iq = v[i][q];
        v[i][p] = c * v_ip - s * v_iq;
        v[i][q] = s * v_ip + c * v_iq;
    }
}

void pcs_m3_eigen_symmetric(const pcs_mat3 *A, double values[3], pcs_mat3 *vectors)
{
    // Convergence is quadratic: five or six sweeps do; the bound only guards against NaN.
    enum { MAX_SWEEPS = 32 };
    pcs_mat3 D = *A, V = pcs_m3_identity();
    for (int i = 0; i < 3; i++) { // the upper triangle counts
        for (int j = 0; j < i; j++)
            D.m[i][j] = D.m[j][i];
    }
    for (int sweep = 0, rotations = 1; sweep < MAX_SWEEPS && rotations > 0; sweep++) {
        rotations = 0;
        for (int p = 0; p < 2; p++) {
            for (int q = p + 1; q < 3; q++) {
                // Relative to the diagonal, not to |A|: keeps the digits of small eigenvalues of
                // positive definite matrices.
                double scale = sqrt(fabs(D.m[p][p])) * sqrt(fabs(D.m[q][q]));
                if (fabs(D.m[p][q]) > 0.25 * DBL_EPSILON * scale) {
                    jacobi_rotate(D.m, V.m, p, q);
                    rotations++;
                }
            }
        }
    }

    int order[3] = {0, 1, 2};
    for (int i = 1; i < 3; i++) { // insertion sort, stable
        for (int j = i; j > 0 && D.m[order[j]][order[j]] < D.m[order[j - 1]][order[j - 1]]; j--) {
            int swapped = order[j];
            order[j] = order[j - 1];
            order[j - 1] = swapped;
        }
    }
    for (int k = 0; k < 3; k++)
        values[k] = D.m[order[k]][order[k]];

    // V is a rotation; an odd permutation of its columns needs one sign to stay right-handed.
    bool even = (order[1] - order[0] + 3) % 3 == 1;
    pcs_vec3 third = pcs_m3_column(&V, order[2]);
    *vectors = pcs_m3_from_columns(pcs_m3_column(&V, order[0]), pcs_m3_column(&V, order[1]),
                                   even ? third : pcs_v3_scale(-1, third));
}

// The frame (e_x, e_y, e_z) turned by the shortest rotation that takes e_z to n:
//   t1 = e_x - n_x/(1 + n_z) (n + e_z),  t2 = e_y - n_y/(1 + n_z) (n + e_z).
void pcs_v3_tangents(pcs_vec3 n, pcs_vec3 *t1, pcs_vec3 *t2)
{
    if (n.z >= 0) {
        double a = 1 / (1 + n.z);
        double b = -n.x * n.y * a;
        *t1 = pcs_v3(1 - n.x * n.x * a, b, -n.x);
        *t2 = pcs_v3(b, 1 - n.y * n.y * a, -n.y);
        return;
    }
    // 1 + n_z = (n_x^2 + n_y^2)/(1 - n_z) has no cancellation near -e_z.
    double s = hypot(n.x, n.y);
    double cx = s > 0 ? n.x / s : 0, cy = s > 0 ? n.y / s : 1; // at -e_z itself: t1 = e_x
    double a = 1 - n.z;
    *t1 = pcs_v3(1 - a * cx * cx, -a * cx * cy, -n.x);
    *t2 = pcs_v3(-a * cx * cy, 1 - a * cy * cy, -n.y);
}
