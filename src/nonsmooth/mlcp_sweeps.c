// Projected Gauss-Seidel and SOR [CottlePangStone2009, 5.2]:
//
//     z_i <- max(0, z_i - omega w_i / M_ii)        (without the bound on an equality row)
//
// row by row, w_i from the new values. They converge for symmetric positive definite M, and
// for dominant positive diagonals; a row without a usable diagonal ends them.
#include <math.h>

#include "linalg/kernels.h"
#include "nonsmooth/mlcp_internal.h"

enum { SWEEPS_DEFAULT = 20000, MEASURE_EVERY = 10 };
static const double DIVERGED = 1e100; // in units where data are about 1

static void sweep(const pcs_mlcp *problem, double omega, double *y)
{
    const int32_t n = problem->n;
    for (int32_t i = 0; i < n; i++) {
        const double *row = problem->M + (int64_t)i * n;
        const double w = problem->q[i] + pcs_kernel_dot(n, row, y);
        const double next = y[i] - omega * w / row[i];
        y[i] = pcs_mlcp_is_equality(problem, i) ? next : fmax(0.0, next);
    }
}

static bool suits(pcs_mlcp_run *run)
{
    const pcs_mlcp *problem = &run->scaled;
    for (int32_t i = 0; i < problem->n; i++) {
        const double diagonal = problem->M[(int64_t)i * problem->n + i];
        if (pcs_mlcp_is_equality(problem, i) ? diagonal == 0.0 : diagonal <= 0.0) {
            pcs_mlcp_explain(run, "row %d: M(%d, %d) = %g gives sweeps no step; use auto or lemke",
                             i, i, i, run->problem->M[(int64_t)i * problem->n + i]);
            return false;
        }
    }
    return true;
}

static bool is_diverged(const pcs_mlcp *problem, const double *y)
{
    for (int32_t i = 0; i < problem->n; i++)
        if (!(fabs(y[i]) <= DIVERGED))
            return true;
    return false;
}

static pcs_status run_sweeps(pcs_mlcp_run *run, double omega, double *y, int32_t *iterations)
{
    const int32_t limit = pcs_mlcp_limit(run, SWEEPS_DEFAULT);
    if (!suits(run))
        return PCS_OK;
    while (*iterations < limit) {
        sweep(&run->scaled, omega, y);
        ++*iterations;
        if (*iterations % MEASURE_EVERY != 0 && *iterations < limit)
            continue;
        if (pcs_mlcp_offer(run, y))
            return PCS_OK;
        if (is_diverged(&run->scaled, y)) {
            pcs_mlcp_explain(run, "the sweeps diverge; they need a definite or dominant M");
            return PCS_OK;
        }
    }
    pcs_mlcp_explain(run, "%d sweeps were not enough; raise max_iterations or use auto", limit);
    return PCS_OK;
}

pcs_status pcs_mlcp_gauss_seidel(pcs_mlcp_run *run, const double *option, double *y,
                                 int32_t *iterations)
{
    (void)option;
    return run_sweeps(run, 1.0, y, iterations);
}

pcs_status pcs_mlcp_sor(pcs_mlcp_run *run, const double *option, double *y, int32_t *iterations)
{
    return run_sweeps(run, option[0], y, iterations);
}
