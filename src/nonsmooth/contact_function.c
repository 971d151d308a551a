// Equations of one contact for Newton's method. With a = r - rho u, P_R the projection on the disc
// of radius R and [x]+ = max(0, x):
//   Alart-Curnier       r_N = [a_N]+,  r_T = P_R(a_T), R = mu [a_N]+        [AlartCurnier1991]
//   Jean-Moreau         the same with R = mu [r_N]+                         [Jean1999]
//   natural map         r = P_K(r - rho (u + mu |u_T| e_N)), one rho
//   Fischer-Burmeister  x + y - (x o x + y o y)^(1/2) = 0 in the Jordan algebra of the second-order
//                       cone [FukushimaLuoTseng2002],
//                       x = (mu r_N, r_T)/rho, y = (u_N/mu + |u_T|, u_T)
// At a kink one element of the generalised Jacobian is taken; for Fischer-Burmeister it leaves out
// the eigenvector on which the square root is not differentiable, and is (1 - 2^(-1/2)) I at zero.
#include "nonsmooth/contact_function.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "math/cone.h"

typedef struct equations {
    int32_t size;
    double value[3], A[3][3], B[3][3];
} equations;

static double tangent_norm(int32_t size, const double *x)
{
    return size == 1 ? 0.0 : size == 2 ? fabs(x[1]) : sqrt(x[1] * x[1] + x[2] * x[2]);
}

// r_T = P_C(radius)(a_T) / rho_T with d radius = slope_r dr_N + slope_u du_N
static void disc_rows(const pcs_contact_data *data, const double *r, const double *u, double radius,
                      double slope_r, double slope_u, equations *eq)
{
    const int32_t size = data->size;
    const double rho = data->rho_T;
    double a[3] = {0.0, 0.0, 0.0};
    for (int32_t k = 1; k < size; k++)
        a[k] = r[k] - rho * u[k];
    const double norm = tangent_norm(size, a);
    if (radius > 0.0 && norm <= radius) {
        for (int32_t k = 1; k < size; k++) {
            eq->value[k] = u[k];
            eq->B[k][k] = 1.0;
        }
        return;
    }
    const double kappa = norm > 0.0 ? radius / norm : 0.0;
    for (int32_t k = 1; k < size; k++) {
        const double t = norm > 0.0 ? a[k] / norm : 0.0;
        eq->value[k] = (r[k] - radius * t) / rho;
        eq->A[k][0] = -t * slope_r / rho;
        eq->B[k][0] = -t * slope_u / rho;
        for (int32_t l = 1; l < size; l++) {
            const double Q = (k == l ? 1.0 : 0.0) - t * (norm > 0.0 ? a[l] / norm : 0.0);
            eq->A[k][l] = ((k == l ? 1.0 : 0.0) - kappa * Q) / rho;
            eq->B[k][l] = kappa * Q;
        }
    }
}

static void projection_rows(const pcs_contact_data *data, bool moreau, const double *r,
                            const double *u, equations *eq)
{
    const double a_N = r[0] - data->rho_N * u[0];
    const bool closed = a_N > 0.0;
    eq->value[0] = closed ? u[0] : r[0] / data->rho_N;
    eq->A[0][0] = closed ? 0.0 : 1.0 / data->rho_N;
    eq->B[0][0] = closed ? 1.0 : 0.0;
    if (data->size == 1)
        return;
    const double base = moreau ? r[0] : a_N;
    const double slope = base > 0.0 ? data->mu : 0.0;
    disc_rows(data, r, u, data->mu * fmax(0.0, base), slope, moreau ? 0.0 : -slope * data->rho_N,
              eq);
}

// Derivative of u + mu |u_T| e_N in units where its normal part is divided by `divisor`
static void shift_derivative(const pcs_contact_data *data, const double *u, double divisor,
                             double C[3][3])
{
    const double norm = tangent_norm(data->size, u);
    memset(C, 0, 9 * sizeof(double));
    C[0][0] = 1.0 / divisor;
    for (int32_t k = 1; k < data->size; k++) {
        C[0][k] = norm > 0.0 ? data->mu / divisor * u[k] / norm : 0.0;
        C[k][k] = 1.0;
    }
}

static void multiply(int32_t size, double X[3][3], double Y[3][3], double out[3][3])
{
    for (int32_t k = 0; k < size; k++)
        for (int32_t l = 0; l < size; l++) {
            out[k][l] = 0.0;
            for (int32_t m = 0; m < size; m++)
                out[k][l] += X[k][m] * Y[m][l];
        }
}

static void natural_map(const pcs_contact_data *data, const double *r, const double *u,
                        equations *eq)
{
    const int32_t size = data->size;
    const double rho = fmin(data->rho_N, data->rho_T), mu = size > 1 ? data->mu : 0.0;
    double a[3], p[3], DP[3][3] = {{0.0}}, C[3][3];
    for (int32_t k = 0; k < size; k++)
        a[k] = r[k] - rho * u[k];
    a[0] -= rho * mu * tangent_norm(size, u);
    memcpy(p, a, (size_t)size * sizeof *p);
    pcs_cone_project(mu, size, p);
    const double norm = tangent_norm(size, a);
    if (size == 1 ? a[0] > 0.0 : norm <= mu * a[0] && mu > 0.0) {
        for (int32_t k = 0; k < size; k++)
            DP[k][k] = 1.0;
    } else if (size > 1 && mu * norm > -a[0]) { // on the surface; for mu = 0 on the half-line
        const double factor = 1.0 / (1.0 + mu * mu);
        for (int32_t k = 0; k < size; k++) {
            const double s_k = k == 0 ? 1.0 : norm > 0.0 ? mu * a[k] / norm : 0.0;
            for (int32_t l = 0; l < size; l++) {
                const double s_l = l == 0 ? 1.0 : norm > 0.0 ? mu * a[l] / norm : 0.0;
                DP[k][l] = factor * s_k * s_l;
                if (k > 0 && l > 0 && norm > 0.0)
                    DP[k][l] += mu * p[0] / norm * ((k == l) - a[k] * a[l] / (norm * norm));
            }
        }
    }
    shift_derivative(data, u, 1.0, C);
    multiply(size, DP, C, eq->B);
    for (int32_t k = 0; k < size; k++) {
        eq->value[k] = (r[k] - p[k]) / rho;
        for (int32_t l = 0; l < size; l++)
            eq->A[k][l] = ((k == l ? 1.0 : 0.0) - DP[k][l]) / rho;
    }
}

// out = I - L_z^+ L_x for the z with eigenvalues low <= high and axis n
static void burmeister_part(int32_t size, double low, double high, const double *n, const double *x,
                            double out[3][3])
{
    const double f_low = low > DBL_EPSILON * high ? 1.0 / low : 0.0, f_high = 1.0 / high;
    const double f_cross = 2.0 / (low + high);
    for (int32_t k = 0; k < size; k++) {
        double column[3] = {x[k], 0.0, 0.0}; // L_x e_k
        for (int32_t l = 1; l < size; l++)
            column[l] = k == 0 ? x[l] : k == l ? x[0] : 0.0;
        double along = 0.0;
        for (int32_t l = 1; l < size; l++)
            along += n[l] * column[l];
        const double a = 0.5 * f_high * (column[0] + along), b = 0.5 * f_low * (column[0] - along);
        out[0][k] = (k == 0 ? 1.0 : 0.0) - (a + b);
        for (int32_t l = 1; l < size; l++)
            out[l][k] = (k == l ? 1.0 : 0.0) -
                        ((a - b) * n[l] + f_cross * (column[l] - along * n[l]));
    }
}

static void fischer_burmeister(const pcs_contact_data *data, const double *r, const double *u,
                               equations *eq)
{
    const bool friction = data->size > 1 && data->mu > 0.0;
    const int32_t size = friction ? data->size : 1;
    const double mu = friction ? data->mu : 1.0, rho = friction ? data->rho_T : data->rho_N;
    double x[3] = {0.0}, y[3] = {0.0}, w[3] = {0.0}, n[3] = {0.0}, X[3][3], Y[3][3], C[3][3];
    for (int32_t k = 0; k < size; k++) {
        x[k] = (k == 0 ? mu : 1.0) * r[k] / rho;
        y[k] = u[k] / (k == 0 ? mu : 1.0);
    }
    y[0] += tangent_norm(size, u);
    for (int32_t k = 0; k < size; k++) {
        w[0] += x[k] * x[k] + y[k] * y[k];
        w[k] += k > 0 ? 2.0 * (x[0] * x[k] + y[0] * y[k]) : 0.0;
    }
    const double norm = tangent_norm(size, w);
    const double high = sqrt(w[0] + norm), low = size > 1 ? sqrt(fmax(0.0, w[0] - norm)) : high;
    for (int32_t k = 1; k < size; k++)
        n[k] = norm > 0.0 ? w[k] / norm : k == 1 ? 1.0 : 0.0;
    for (int32_t k = 0; k < size; k++)
        eq->value[k] = x[k] + y[k] - (k == 0 ? 0.5 * (high + low) : 0.5 * (high - low) * n[k]);
    if (high > 0.0) {
        burmeister_part(size, low, high, n, x, X);
        burmeister_part(size, low, high, n, y, Y);
    } else {
        memset(X, 0, sizeof X);
        for (int32_t k = 0; k < size; k++)
            X[k][k] = 1.0 - M_SQRT1_2;
        memcpy(Y, X, sizeof X);
    }
    const pcs_contact_data cone = {.size = size, .mu = mu};
    shift_derivative(&cone, u, mu, C);
    multiply(size, Y, C, eq->B);
    for (int32_t k = 0; k < size; k++)
        for (int32_t l = 0; l < size; l++)
            eq->A[k][l] = X[k][l] * (l == 0 ? mu : 1.0) / rho;
    for (int32_t k = size; k < data->size; k++) { // without friction
        eq->value[k] = r[k] / data->rho_T;
        eq->A[k][k] = 1.0 / data->rho_T;
    }
}

void pcs_contact_function_compute(pcs_contact_function function, const pcs_contact_data *data,
                                  const double *r, const double *u, double *value, double *A,
                                  double *B)
{
    equations eq = {.size = data->size};
    switch (function) {
    case PCS_FUNCTION_ALART_CURNIER:
        projection_rows(data, false, r, u, &eq);
        break;
    case PCS_FUNCTION_JEAN_MOREAU:
        projection_rows(data, true, r, u, &eq);
        break;
    case PCS_FUNCTION_NATURAL_MAP:
        natural_map(data, r, u, &eq);
        break;
    case PCS_FUNCTION_FISCHER_BURMEISTER:
        fischer_burmeister(data, r, u, &eq);
        break;
    }
    for (int32_t k = 0; k < data->size; k++) {
        value[k] = eq.value[k];
        for (int32_t l = 0; l < data->size && A != NULL; l++) {
            A[k * data->size + l] = eq.A[k][l];
            B[k * data->size + l] = eq.B[k][l];
        }
    }
}
