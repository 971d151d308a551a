// Causes of failure that the data show.
//
// A closing contact without mobility: q_N < 0 and W_N. = 0, so u_N = q_N for every r: no solution.
//
// A self-balanced load: if d >= 0 acts along the normals and d^T W = 0, then d . u = d . q for
// every r, and u_N >= 0 asks for d . q >= 0. With d . q < 0 there is no solution (proof); a jammed
// body that is driven on is of this kind. When the iterates blow up, they do so along such a
// direction, so r / |r| is the candidate. With friction in it, nothing follows: problems with a
// solution have such loads too, for d . u may be negative where contacts slip.
//
// Enumeration that found no solution is a proof as well.
#include "nonsmooth/diagnosis.h"

#include <math.h>
#include <stdio.h>

// |d^T W| below this part of |d| |W| counts as zero: the solver's own rounding with some margin.
static const double BALANCED = 1e-8;
// Part of |d| that its tangential components may have for the proof.
static const double NORMAL = 1e-8;
// -d . q over |d| |q| that the proof asks for: below it an r that is 1e4 times what stops q could
// make up for the rest of d^T W.
static const double DRIVEN = 1e-4;

static double row_norm(const pcs_block_matrix *W, int32_t i, int32_t a)
{
    double sum = 0.0;
    for (int32_t e = W->row_start[i]; e < W->row_start[i + 1]; e++) {
        const int32_t columns = W->offset[W->column[e] + 1] - W->offset[W->column[e]];
        const double *B = W->value + W->value_start[e] + (int64_t)a * columns;
        for (int32_t b = 0; b < columns; b++)
            sum += B[b] * B[b];
    }
    return sqrt(sum);
}

int32_t pcs_friction_find_immobile(const pcs_friction_contact *problem)
{
    for (int32_t i = 0; i < problem->W->n; i++)
        if (!pcs_is_bilateral(problem, i) && problem->q[problem->W->offset[i]] < 0.0 &&
            row_norm(problem->W, i, 0) == 0.0)
            return i;
    return -1;
}

// |r^T W| / (|r| |W|_F), |r_T| / |r| and r . q / (|r| |q|)
typedef struct balance {
    double strength, tangent, work;
} balance;

static balance weigh(const pcs_friction_contact *problem, const double *r, const double *u)
{
    const pcs_block_matrix *W = problem->W;
    double rr = 0.0, tt = 0.0, rq = 0.0, qq = 0.0, ww = 0.0, norm2 = 0.0;
    for (int32_t i = 0; i < W->n; i++)
        for (int32_t k = W->offset[i]; k < W->offset[i + 1]; k++) {
            const double w = u[k] - problem->q[k]; // W r; W is symmetric or nearly so
            const double row = row_norm(W, i, k - W->offset[i]);
            rr += r[k] * r[k];
            tt += k > W->offset[i] ? r[k] * r[k] : 0.0;
            rq += r[k] * problem->q[k];
            qq += problem->q[k] * problem->q[k];
            ww += w * w;
            norm2 += row * row;
        }
    if (!(rr > 0.0 && norm2 > 0.0 && qq > 0.0))
        return (balance){1.0, 0.0, 0.0};
    return (balance){sqrt(ww / (rr * norm2)), sqrt(tt / rr), rq / sqrt(rr * qq)};
}

void pcs_friction_diagnose(const pcs_friction_contact *problem, const double *r, const double *u,
                           pcs_solve_info *info)
{
    const int32_t immobile = pcs_friction_find_immobile(problem);
    const balance b = weigh(problem, r, u);
    if (immobile >= 0)
        snprintf(info->reason, sizeof info->reason,
                 "no solution: contact %d closes with u_N = %.3g and no impulse moves it (its row "
                 "of W is zero)",
                 (int)immobile, problem->q[problem->W->offset[immobile]]);
    else if (info->solutions == 0)
        snprintf(info->reason, sizeof info->reason,
                 "no solution: none of the combinations of open, stick and slip is consistent");
    else if (b.strength < BALANCED && b.work < -DRIVEN && b.tangent < NORMAL)
        snprintf(
            info->reason, sizeof info->reason,
            "no solution: the bodies are driven against normals that balance each other (|W d| "
            "= %.1e |W| |d|, d . q < 0); contact %d is worst, residual %.3g relative",
            b.strength, (int)info->residual.worst, info->residual.relative);
    else if (b.strength < BALANCED && b.work < 0.0)
        snprintf(info->reason, sizeof info->reason,
                 "not converged: the impulses grow along a load that W does not resist (|W d| = "
                 "%.1e |W| |d|), which proves nothing; contact %d is worst, residual %.3g relative",
                 b.strength, (int)info->residual.worst, info->residual.relative);
}
