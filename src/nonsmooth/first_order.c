// Kernels of the first-order solvers: weights, projection of a whole vector, norms, the spectral
// radius of the scaled W.
#include "nonsmooth/first_order.h"

#include <math.h>

#include "base/random.h"
#include "math/cone.h"

// The estimate decides on a penalty or a first step that adapts later: a few per cent suffice.
enum { POWER_STEPS = 12 };
// Any fixed number: the same problem has the same start on every machine.
static const uint64_t POWER_SEED = 2385;

static double block_trace(const pcs_block_matrix *W, int32_t i)
{
    const int32_t size = W->offset[i + 1] - W->offset[i];
    const double *W_ii = W->value + W->value_start[W->diagonal[i]];
    double trace = 0.0;
    for (int32_t k = 0; k < size; k++)
        trace += W_ii[k * size + k];
    return trace / size;
}

void pcs_first_order_weights(const pcs_friction_contact *problem, double *weight)
{
    const pcs_block_matrix *W = problem->W;
    double sum = 0.0;
    int32_t mobile = 0;
    for (int32_t i = 0; i < W->n; i++) {
        const double w = block_trace(W, i);
        sum += w > 0.0 ? w : 0.0;
        mobile += w > 0.0;
    }
    const double mean = mobile > 0 ? sum / mobile : 1.0;
    for (int32_t i = 0; i < W->n; i++) {
        const double w = block_trace(W, i);
        for (int32_t k = W->offset[i]; k < W->offset[i + 1]; k++)
            weight[k] = w > 0.0 ? w : mean;
    }
}

void pcs_first_order_project(const pcs_friction_contact *problem, double *r)
{
    const pcs_block_matrix *W = problem->W;
    for (int32_t i = 0; i < W->n; i++) {
        const int32_t first = W->offset[i], size = W->offset[i + 1] - first;
        if (!pcs_is_bilateral(problem, i))
            pcs_cone_project(problem->mu[i], size, r + first);
    }
}

void pcs_first_order_add_slip(const pcs_friction_contact *problem, double sign, const double *u,
                              double *a)
{
    const pcs_block_matrix *W = problem->W;
    for (int32_t i = 0; i < W->n; i++) {
        const int32_t first = W->offset[i], size = W->offset[i + 1] - first;
        if (size == 1 || pcs_is_bilateral(problem, i))
            continue;
        const double *u_i = u + first;
        const double slip = size == 2 ? fabs(u_i[1]) : sqrt(u_i[1] * u_i[1] + u_i[2] * u_i[2]);
        a[first] += sign * problem->mu[i] * slip;
    }
}

double pcs_first_order_dot(int32_t rows, const double *weight, const double *a, const double *b)
{
    double sum = 0.0;
    for (int32_t k = 0; k < rows; k++)
        sum += weight[k] * a[k] * b[k];
    return sum;
}

double pcs_first_order_norm(int32_t rows, const double *weight, const double *a)
{
    return sqrt(pcs_first_order_dot(rows, weight, a, a));
}

double pcs_first_order_spectral_radius(const pcs_friction_contact *problem, const double *weight,
                                       double *x, double *y)
{
    const int32_t rows = problem->W->offset[problem->W->n];
    pcs_random random;
    double radius = 0.0;
    pcs_random_init(&random, POWER_SEED);
    for (int32_t k = 0; k < rows; k++)
        x[k] = pcs_random_between(&random, 0.5, 1.5) / sqrt(weight[k]);
    for (int32_t step = 0; step < POWER_STEPS; step++) {
        const double length = pcs_first_order_norm(rows, weight, x);
        if (!(length > 0.0 && isfinite(length)))
            break;
        for (int32_t k = 0; k < rows; k++)
            x[k] /= length;
        pcs_block_matrix_multiply(problem->W, x, y);
        for (int32_t k = 0; k < rows; k++)
            x[k] = y[k] / weight[k];
        radius = fmax(radius, pcs_first_order_norm(rows, weight, x));
    }
    return radius > 0.0 && isfinite(radius) ? radius : 1.0; // W = 0: any scale serves
}
