// The residual that all friction contact solvers stop on: the natural map of
//     K* \ni uhat = u + mu |u_T| e_N  \perp  r \in K   <=>   r = P_K(r - rho uhat),  rho > 0,
// recomputed from W, q and r alone [AcaryBrogliato2008, ch. 13; De Saxce's change of variable].
#include <float.h>
#include <math.h>
#include <stdbool.h>

#include "math/cone.h"
#include "nonsmooth/friction_contact.h"

double pcs_friction_natural_map(int32_t size, double mu, double rho, const double *r,
                                const double *u)
{
    double z[3] = {0.0, 0.0, 0.0}, slip = 0.0, sum = 0.0;
    if (size > 1)
        slip = size == 2 ? fabs(u[1]) : hypot(u[1], u[2]);
    for (int32_t k = 0; k < size; k++)
        z[k] = r[k] - rho * (k == 0 ? u[0] + mu * slip : u[k]);
    pcs_cone_project(size > 1 ? mu : 0.0, size, z);
    for (int32_t k = 0; k < size; k++)
        sum += (r[k] - z[k]) * (r[k] - z[k]);
    return sqrt(sum);
}

// rho_i = 3 / trace(W_ii); 1 for a block without mobility, where no other scale is at hand
static double local_rho(const pcs_block_matrix *W, int32_t i)
{
    const int32_t size = W->offset[i + 1] - W->offset[i];
    const double *W_ii = W->value + W->value_start[W->diagonal[i]];
    double trace = 0.0;
    for (int32_t k = 0; k < size; k++)
        trace += W_ii[k * size + k];
    return trace > 0.0 ? 3.0 / trace : 1.0;
}

double pcs_friction_contact_scale(const pcs_friction_contact *problem)
{
    double largest = 0.0;
    for (int32_t k = 0; k < problem->W->offset[problem->W->n]; k++)
        largest = fmax(largest, fabs(problem->q[k]));
    return largest > 0.0 ? largest : 1.0;
}

pcs_friction_residual pcs_friction_contact_measure(const pcs_friction_contact *problem,
                                                   const double *r, double *u)
{
    const pcs_block_matrix *W = problem->W;
    pcs_friction_residual residual = {0.0, 0.0, -1};
    double sum = 0.0;
    bool is_number = true;
    for (int32_t i = 0; i < W->n; i++) {
        const int32_t first = W->offset[i], size = W->offset[i + 1] - first;
        const double rho = local_rho(W, i);
        double u_i[3] = {0.0, 0.0, 0.0};
        for (int32_t k = 0; k < size; k++)
            u_i[k] = problem->q[first + k];
        pcs_block_matrix_multiply_row(W, i, r, u_i);
        for (int32_t k = 0; u != NULL && k < size; k++)
            u[first + k] = u_i[k];
        double unit = pcs_friction_natural_map(size, problem->mu[i], 1.0, r + first, u_i);
        double scaled = pcs_friction_natural_map(size, problem->mu[i], rho, r + first, u_i) / rho;
        sum += unit * unit;
        if (is_number && (!(scaled <= residual.scaled) || residual.worst < 0)) {
            residual.scaled = scaled;
            residual.worst = i;
            is_number = !isnan(scaled); // the first NaN stays
        }
    }
    residual.scaled /= pcs_friction_contact_scale(problem);
    residual.unscaled = sqrt(sum);
    return residual;
}

double pcs_friction_contact_rounding(const pcs_friction_contact *problem, const double *r)
{
    const pcs_block_matrix *W = problem->W;
    double largest = 0.0;
    for (int32_t i = 0; i < W->n; i++) {
        const int32_t size = W->offset[i + 1] - W->offset[i];
        const double mu = size > 1 ? problem->mu[i] : 0.0;
        for (int32_t a = 0; a < size; a++) {
            double sum = 0.0;
            for (int32_t k = W->row_start[i]; k < W->row_start[i + 1]; k++) {
                const int32_t j = W->column[k], columns = W->offset[j + 1] - W->offset[j];
                const double *B = W->value + W->value_start[k] + a * columns;
                for (int32_t b = 0; b < columns; b++)
                    sum += fabs(B[b] * r[W->offset[j] + b]);
            }
            largest = fmax(largest, (1.0 + mu) * sum);
        }
    }
    return 0.5 * DBL_EPSILON * largest / pcs_friction_contact_scale(problem);
}
