// Local coordinates of a step: q = q_n [+] d. Only spatial nodes have a chart that is not flat;
// there the rotation part is psi with R = R_n exp(S(psi)) and Omega = T(psi) psi'
// (math/rotation.h).
#include <string.h>

#include "schemes/smooth_system.h"

void pcs_smooth_chart_rate(const pcs_model *model, const double *d, const double *v, double *rate)
{
    memcpy(rate, v, sizeof(double) * (size_t)model->n_v);
    for (int32_t i = 0; i < model->nodes.count; ++i) {
        const pcs_node *node = pcs_model_node(model, i);
        if (node->kind != PCS_NODE_SPATIAL)
            continue;
        pcs_mat3 T = pcs_so3_tangent_inverse(pcs_v3_load(d + node->v + 3));
        pcs_v3_store(rate + node->v + 3, pcs_m3_mul_v3(&T, pcs_v3_load(v + node->v + 3)));
    }
}

void pcs_smooth_chart_velocity(const pcs_model *model, const double *d, const double *rate,
                               double *v)
{
    memcpy(v, rate, sizeof(double) * (size_t)model->n_v);
    for (int32_t i = 0; i < model->nodes.count; ++i) {
        const pcs_node *node = pcs_model_node(model, i);
        if (node->kind != PCS_NODE_SPATIAL)
            continue;
        pcs_mat3 T = pcs_so3_tangent(pcs_v3_load(d + node->v + 3));
        pcs_v3_store(v + node->v + 3, pcs_m3_mul_v3(&T, pcs_v3_load(rate + node->v + 3)));
    }
}

// f3 = (a - sin a)/a^3 and the derivatives with respect to x = a^2 of f2 = (1 - cos a)/a^2 and f3,
// the coefficients of T. The series of the slopes, sum_k (-1)^(k+1) (k+1) x^k / (2k + n)! with n =
// 4 and 5, has all its digits below the switch with twelve terms; above, the closed forms lose
// little.
static void tangent_slopes(double x, double *f3, double *slope2, double *slope3)
{
    enum { TERMS = 12 };
    const double switch_square = 2;
    if (x >= switch_square) {
        double a = sqrt(x), s = sin(a), c = cos(a);
        *f3 = (a - s) / (x * a);
        *slope2 = (0.5 * a * s - (1 - c)) / (x * x);
        *slope3 = (0.5 * a * (1 - c) - 1.5 * (a - s)) / (x * x * a);
        return;
    }
    double term2 = -1.0 / 24, term3 = -1.0 / 120; // k = 0
    *f3 = 1.0 / 6;
    *slope2 = *slope3 = 0;
    for (int k = 0; k < TERMS; ++k) {
        *slope2 += (k + 1) * term2;
        *slope3 += (k + 1) * term3;
        *f3 += x * term3; // sum_k (-x)^k / (2k + 3)!
        term2 *= -x / ((2 * k + 5) * (2 * k + 6));
        term3 *= -x / ((2 * k + 6) * (2 * k + 7));
    }
}

// (dT/dt) psi' for T = I - f2 S + f3 S^2 with S = S(psi). As S(psi') psi' = 0 and x' = 2 psi.psi',
//     (dT/dt) psi' = x' (-f2' S + f3' S^2) psi' + f3 S(psi') S psi'.
static pcs_vec3 tangent_rate(pcs_vec3 psi, pcs_vec3 rate)
{
    double f3, slope2, slope3;
    tangent_slopes(pcs_v3_dot(psi, psi), &f3, &slope2, &slope3);
    const double x_rate = 2 * pcs_v3_dot(psi, rate);
    const pcs_vec3 S_rate = pcs_v3_cross(psi, rate);
    pcs_vec3 out = pcs_v3_scale(-slope2 * x_rate, S_rate);
    out = pcs_v3_axpy(out, slope3 * x_rate, pcs_v3_cross(psi, S_rate));
    return pcs_v3_axpy(out, f3, pcs_v3_cross(rate, S_rate));
}

void pcs_smooth_chart_acceleration(const pcs_model *model, const double *d, const double *rate,
                                   const double *a, double *out)
{
    memcpy(out, a, sizeof(double) * (size_t)model->n_v);
    for (int32_t i = 0; i < model->nodes.count; ++i) {
        const pcs_node *node = pcs_model_node(model, i);
        if (node->kind != PCS_NODE_SPATIAL)
            continue;
        pcs_vec3 psi = pcs_v3_load(d + node->v + 3), psi_rate = pcs_v3_load(rate + node->v + 3);
        pcs_vec3 b = pcs_v3_sub(pcs_v3_load(a + node->v + 3), tangent_rate(psi, psi_rate));
        pcs_mat3 T = pcs_so3_tangent_inverse(psi);
        pcs_v3_store(out + node->v + 3, pcs_m3_mul_v3(&T, b));
    }
}
