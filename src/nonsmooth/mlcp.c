// The residual of the MLCP, its level of rounding, and the checks of data (definitions in mlcp.h).
#include "nonsmooth/mlcp.h"

#include <float.h>
#include <math.h>

#include "nonsmooth/mlcp_internal.h"

// One row of w = M z + q. Extended precision, so that the residual of a z that is exact to double
// is not drowned in the rounding of the sum.
static double row_product(const pcs_mlcp *problem, int32_t i, const double *z)
{
    const double *row = problem->M + (int64_t)i * problem->n;
    long double sum = problem->q[i];
    for (int32_t j = 0; j < problem->n; j++)
        sum += (long double)row[j] * z[j];
    return (double)sum;
}

void pcs_mlcp_compute_w(const pcs_mlcp *problem, const double *y, double *w)
{
    for (int32_t i = 0; i < problem->n; i++)
        w[i] = row_product(problem, i, y);
}

static double row_rho(const pcs_mlcp *problem, int32_t i)
{
    const double *row = problem->M + (int64_t)i * problem->n;
    double largest = 0.0;
    for (int32_t j = 0; j < problem->n; j++)
        largest = fmax(largest, fabs(row[j]));
    return largest > 0.0 ? 1.0 / largest : 1.0;
}

// |x|_2 without over- or underflow: kept as scale sqrt(sum).
typedef struct norm_sum {
    double scale, sum;
} norm_sum;

static void norm_add(norm_sum *norm, double x)
{
    const double a = fabs(x);
    if (!(a > 0.0)) {
        norm->sum += a; // a NaN stays
    } else if (a > norm->scale) {
        const double ratio = norm->scale / a;
        norm->sum = 1.0 + norm->sum * ratio * ratio;
        norm->scale = a;
    } else {
        const double ratio = a / norm->scale;
        norm->sum += ratio * ratio;
    }
}

static double norm_value(const norm_sum *norm)
{
    return isnan(norm->sum) ? NAN : norm->scale * sqrt(norm->sum);
}

// The residual with F_i(1) = natural[i] given by `value`, and F_i(rho_i)/rho_i by `velocity`.
typedef struct residual_sum {
    norm_sum natural, q;
    double q_max;
    pcs_residual residual;
} residual_sum;

static void residual_add(residual_sum *sum, int32_t i, double natural, double velocity, double q)
{
    norm_add(&sum->natural, natural);
    norm_add(&sum->q, q);
    sum->q_max = fmax(sum->q_max, fabs(q));
    if (sum->residual.worst < 0 || !(fabs(velocity) <= sum->residual.scaled)) {
        sum->residual.scaled = fabs(velocity);
        sum->residual.worst = i;
    }
}

static pcs_residual residual_finish(residual_sum *sum)
{
    const double q = norm_value(&sum->q);
    sum->residual.unscaled = norm_value(&sum->natural);
    sum->residual.relative = sum->residual.unscaled / (q > 0.0 ? q : 1.0);
    sum->residual.scaled /= sum->q_max > 0.0 ? sum->q_max : 1.0;
    return sum->residual;
}

pcs_residual pcs_mlcp_measure(const pcs_mlcp *problem, const double *z, double *w)
{
    residual_sum sum = {.residual = {.worst = -1}};
    for (int32_t i = 0; i < problem->n; i++) {
        const double wi = row_product(problem, i, z);
        double natural = wi, velocity = wi;
        if (!pcs_mlcp_is_equality(problem, i)) {
            natural = isnan(wi) || wi < z[i] ? wi : z[i];
            const double slack = z[i] / row_rho(problem, i); // F_i(rho) / rho = min(z / rho, w)
            velocity = isnan(wi) || wi < slack ? wi : slack;
        }
        residual_add(&sum, i, natural, velocity, problem->q[i]);
        if (w)
            w[i] = wi;
    }
    return residual_finish(&sum);
}

pcs_residual pcs_mlcp_rounding(const pcs_mlcp *problem, const double *z)
{
    residual_sum sum = {.residual = {.worst = -1}};
    for (int32_t i = 0; i < problem->n; i++) {
        const double *row = problem->M + (int64_t)i * problem->n;
        double size = 0.0; // half a unit in the last place of each z_j, through |M_ij|
        for (int32_t j = 0; j < problem->n; j++)
            size += fabs(row[j] * z[j]);
        size *= 0.5 * DBL_EPSILON;
        residual_add(&sum, i, size, size, problem->q[i]);
    }
    return residual_finish(&sum);
}

pcs_status pcs_mlcp_check(const pcs_mlcp *problem, pcs_context *ctx, const double *z)
{
    const int32_t n = problem->n;
    if (n < 0)
        return pcs_error(ctx, PCS_ERROR_ARGUMENT, "complementarity problem: %d rows", n);
    for (int32_t i = 0; i < n; i++) {
        const double *row = problem->M + (int64_t)i * n;
        for (int32_t j = 0; j < n; j++)
            if (!isfinite(row[j]))
                return pcs_error(ctx, PCS_ERROR_NUMERIC,
                                 "complementarity problem: M(%d, %d) is %g; give finite data", i, j,
                                 row[j]);
        if (!isfinite(problem->q[i]))
            return pcs_error(ctx, PCS_ERROR_NUMERIC,
                             "complementarity problem: q(%d) is %g; give finite data", i,
                             problem->q[i]);
        if (z && !isfinite(z[i]))
            return pcs_error(ctx, PCS_ERROR_NUMERIC,
                             "complementarity problem: the start z(%d) is %g; start from zeros", i,
                             z[i]);
    }
    return PCS_OK;
}
