// Independent check of a proposed solution r: velocities, natural map, cones, complementarity and
// dissipation from the data of the problem alone, in extended precision. It shares no code with the
// solvers and their residual, so that an error there cannot hide here. With
// uhat = u + mu |u_T| e_N and the Coulomb cone K,
//     F_i(rho) = r_i - P_K(r_i - rho uhat_i)     (bilateral: rho u_i; LCP: min(z_i, rho w_i))
//     local     relative |F(1)| / max(|q|, |r|, |u|): fc3d_compute_error of Siconos 4.4
//     global    relative |M v - H r - f| / max(|f|, |M v|, |H r|) + |F(1)| / max(|u|, |r|)
//     LCP, MLCP relative |F(1)| / |q|: lcp_compute_error
// docs/theory/measures.md has all definitions.
#include "nonsmooth/verify.h"

#include <math.h>
#include <string.h>

typedef long double real; // 64 bits of mantissa on x86, 113 on others; never fewer than double

// One block of rows under judgement.
typedef struct block_view {
    int32_t first, size;
    bool bilateral;
    real mu;
} block_view;

// Sums and maxima over the blocks.
typedef struct tally {
    real map;                 // sum |F_i(1)|^2
    real scaled;              // max |F_i(rho_i)| / rho_i
    real product, impulse;    // sum |r_i . uhat_i|, sum |r_i|
    real cone, dual;          // largest distances
    real bilateral;           // largest |u_k|
    real dissipation;         // sum r_T . u_T
    real r_max, u_max, q_max; // largest |r_i|, |u_i|, |q_i|
    real q_inf;
    int32_t worst;
    int32_t count[3]; // open, stick, slip
} tally;

enum { OPEN, STICK, SLIP };

static real length(int32_t n, const real *x)
{
    real sum = 0.0L;
    for (int32_t k = 0; k < n; k++)
        sum += x[k] * x[k];
    return sqrtl(sum);
}

// z <- P_K(z); returns where z was: in the polar cone, in the cone, or outside both.
static int32_t project(int32_t size, real mu, real *z)
{
    const real tangent = length(size - 1, z + 1);
    if (mu * tangent <= -z[0]) {
        memset(z, 0, sizeof(real) * (size_t)size);
        return OPEN;
    }
    if (tangent <= mu * z[0])
        return STICK;
    const real normal = (z[0] + mu * tangent) / (1.0L + mu * mu);
    for (int32_t k = 1; k < size; k++)
        z[k] *= mu * normal / tangent;
    z[0] = normal;
    return SLIP;
}

// |x - P_K(x)| for K with friction mu; the dual cone K* has 1/mu, and P_K*(x) = x + P_K(-x).
static real cone_distance(const block_view *block, const real *x)
{
    real z[3] = {0.0L, 0.0L, 0.0L};
    memcpy(z, x, sizeof(real) * (size_t)block->size);
    (void)project(block->size, block->mu, z);
    for (int32_t k = 0; k < block->size; k++)
        z[k] = x[k] - z[k];
    return length(block->size, z);
}

static real dual_distance(const block_view *block, const real *uhat)
{
    real z[3] = {0.0L, 0.0L, 0.0L};
    for (int32_t k = 0; k < block->size; k++)
        z[k] = -uhat[k];
    (void)project(block->size, block->mu, z);
    return length(block->size, z);
}

// |r - P_K(r - rho uhat)|
static real natural_map(const block_view *block, real rho, const real *r, const real *uhat,
                        int32_t *state)
{
    real z[3] = {0.0L, 0.0L, 0.0L};
    for (int32_t k = 0; k < block->size; k++)
        z[k] = r[k] - rho * uhat[k];
    *state = project(block->size, block->mu, z);
    for (int32_t k = 0; k < block->size; k++)
        z[k] = r[k] - z[k];
    return length(block->size, z);
}

static void judge_contact(const block_view *block, real rho, const real *r, const real *u,
                          real *scaled, tally *sums)
{
    real uhat[3] = {u[0], 0.0L, 0.0L};
    int32_t state;
    for (int32_t k = 1; k < block->size; k++) {
        uhat[k] = u[k];
        sums->dissipation += r[k] * u[k];
    }
    uhat[0] += block->mu * length(block->size - 1, u + 1);
    const real unit = natural_map(block, 1.0L, r, uhat, &state);
    sums->map += unit * unit;
    *scaled = natural_map(block, rho, r, uhat, &state) / rho;
    sums->count[state]++;
    real product = 0.0L;
    for (int32_t k = 0; k < block->size; k++)
        product += r[k] * uhat[k];
    sums->product += fabsl(product);
    sums->impulse += length(block->size, r);
    sums->cone = fmaxl(sums->cone, cone_distance(block, r));
    sums->dual = fmaxl(sums->dual, dual_distance(block, uhat));
}

static void judge_bilateral(const block_view *block, const real *u, real *scaled, tally *sums)
{
    *scaled = length(block->size, u);
    sums->map += *scaled * *scaled;
    for (int32_t k = 0; k < block->size; k++)
        sums->bilateral = fmaxl(sums->bilateral, fabsl(u[k]));
}

static block_view view(const pcs_problem *problem, int32_t i)
{
    block_view block = {i, 1, problem->kind != NULL && problem->kind[i] != 0, 0.0L};
    if (problem->problem_class == PCS_PROBLEM_LOCAL) {
        block.first = problem->W.offset[i];
        block.size = problem->W.offset[i + 1] - block.first;
    } else if (problem->problem_class == PCS_PROBLEM_GLOBAL) {
        const int32_t d = problem->dimension, n = problem->contacts;
        block.first = i < n ? i * d : n * d + (i - n);
        block.size = i < n ? d : 1;
    }
    if (block.size > 1 && !block.bilateral)
        block.mu = (real)problem->mu[i];
    return block;
}

static int32_t block_count(const pcs_problem *problem)
{
    switch (problem->problem_class) {
    case PCS_PROBLEM_LOCAL:
        return problem->W.n;
    case PCS_PROBLEM_GLOBAL:
        return problem->contacts + problem->bilateral_rows;
    default:
        return problem->rows;
    }
}

// rho_i of the scaled residual from the diagonal of W
static real block_rho(const pcs_problem *problem, const block_view *block, const real *mobility)
{
    const bool is_complementarity = problem->problem_class == PCS_PROBLEM_LCP ||
                                    problem->problem_class == PCS_PROBLEM_MLCP;
    real trace = 0.0L;
    for (int32_t k = 0; k < block->size; k++)
        trace += mobility[block->first + k];
    if (!(trace > 0.0L))
        return 1.0L;
    return (is_complementarity ? 1.0L : 3.0L) / trace;
}

static void judge(const pcs_problem *problem, const double *r, const pcs_recomputed *data,
                  tally *sums)
{
    const int32_t blocks = block_count(problem);
    sums->worst = -1;
    for (int32_t i = 0; i < blocks; i++) {
        const block_view block = view(problem, i);
        const real *u = data->u + block.first, *q = data->q + block.first;
        real r_i[3] = {0.0L, 0.0L, 0.0L}, scaled;
        for (int32_t k = 0; k < block.size; k++) {
            r_i[k] = (real)r[block.first + k];
            sums->q_inf = fmaxl(sums->q_inf, fabsl(q[k]));
        }
        if (block.bilateral)
            judge_bilateral(&block, u, &scaled, sums);
        else
            judge_contact(&block, block_rho(problem, &block, data->mobility), r_i, u, &scaled,
                          sums);
        sums->r_max = fmaxl(sums->r_max, length(block.size, r_i));
        sums->u_max = fmaxl(sums->u_max, length(block.size, u));
        sums->q_max = fmaxl(sums->q_max, length(block.size, q));
        if (sums->worst < 0 || scaled > sums->scaled) {
            sums->scaled = scaled;
            sums->worst = i;
        }
    }
}

static real ratio(real numerator, real denominator)
{
    return denominator > 0.0L ? numerator / denominator : numerator;
}

static real relative_measure(const pcs_problem *problem, const double *r,
                             const pcs_recomputed *data, real map)
{
    const real q = length(problem->rows, data->q), u = length(problem->rows, data->u);
    real sum = 0.0L;
    for (int32_t k = 0; k < problem->rows; k++)
        sum += (real)r[k] * (real)r[k];
    switch (problem->problem_class) {
    case PCS_PROBLEM_LOCAL:
        return ratio(map, fmaxl(q, fmaxl(sqrtl(sum), u)));
    case PCS_PROBLEM_GLOBAL:
        return data->equation + ratio(map, fmaxl(sqrtl(sum), u));
    default:
        return ratio(map, q);
    }
}

static pcs_status recompute_mlcp(const pcs_problem *problem, const double *z, pcs_recomputed *out)
{
    const int32_t n = problem->rows;
    for (int32_t i = 0; i < n; i++) {
        const double *row = problem->M_dense + (int64_t)i * n;
        real sum = (real)problem->q[i], largest = 0.0L;
        for (int32_t j = 0; j < n; j++) {
            sum += (real)row[j] * (real)z[j];
            largest = fmaxl(largest, fabsl((real)row[j]));
        }
        out->q[i] = (real)problem->q[i];
        out->u[i] = sum;
        out->mobility[i] = largest;
    }
    return PCS_OK;
}

static pcs_status recompute_local(const pcs_problem *problem, const double *r, pcs_recomputed *out)
{
    const pcs_block_matrix *W = &problem->W;
    for (int32_t i = 0; i < W->n; i++) {
        const int32_t size = W->offset[i + 1] - W->offset[i];
        if (size < 1 || size > 3)
            return pcs_error(problem->ctx, PCS_ERROR_ARGUMENT,
                             "verify: block %d has %d rows, not 1, 2 or 3", (int)i, (int)size);
        for (int32_t a = 0; a < size; a++) {
            const int32_t row = W->offset[i] + a;
            real sum = (real)problem->q[row];
            for (int32_t e = W->row_start[i]; e < W->row_start[i + 1]; e++) {
                const int32_t j = W->column[e], columns = W->offset[j + 1] - W->offset[j];
                const double *entry = W->value + W->value_start[e] + (int64_t)a * columns;
                for (int32_t b = 0; b < columns; b++)
                    sum += (real)entry[b] * (real)r[W->offset[j] + b];
                if (j == i)
                    out->mobility[row] = (real)entry[a];
            }
            out->q[row] = (real)problem->q[row];
            out->u[row] = sum;
        }
    }
    return PCS_OK;
}

static pcs_status recompute(const pcs_problem *problem, const double *r, pcs_recomputed *out)
{
    pcs_status status;
    switch (problem->problem_class) {
    case PCS_PROBLEM_LOCAL:
        status = recompute_local(problem, r, out);
        break;
    case PCS_PROBLEM_GLOBAL:
        status = pcs_verify_global(problem, r, out);
        break;
    default:
        status = recompute_mlcp(problem, r, out);
    }
    if (status == PCS_OK && !isfinite(out->equation))
        status = pcs_error(problem->ctx, PCS_ERROR_NUMERIC,
                           "verify: M, H or f holds values that are not finite numbers");
    for (int32_t k = 0; status == PCS_OK && k < problem->rows; k++)
        if (!isfinite(out->u[k]) || !isfinite(out->q[k]) || !isfinite(out->mobility[k]))
            status = pcs_error(problem->ctx, PCS_ERROR_NUMERIC,
                               "verify: row %d: the velocity is not finite; the problem's data are "
                               "not finite numbers",
                               (int)k);
    return status;
}

static pcs_status check_input(const pcs_problem *problem, const double *r)
{
    const int32_t blocks = block_count(problem);
    for (int32_t k = 0; k < problem->rows; k++)
        if (!isfinite(r[k]))
            return pcs_error(problem->ctx, PCS_ERROR_NUMERIC, "verify: row %d: r is %g", (int)k,
                             r[k]);
    for (int32_t i = 0; i < blocks; i++) {
        const real mu = view(problem, i).mu;
        if (!(mu >= 0.0L) || !isfinite(mu))
            return pcs_error(problem->ctx, PCS_ERROR_ARGUMENT,
                             "verify: contact %d: friction %g is not a number >= 0", (int)i,
                             (double)mu);
    }
    return PCS_OK;
}

static void fill_verdict(const pcs_problem *problem, const double *r, const pcs_recomputed *data,
                         pcs_verdict *verdict)
{
    tally sums = {0};
    judge(problem, r, data, &sums);
    const real map = sqrtl(sums.map), velocity = fmaxl(sums.u_max, sums.q_max);
    *verdict = (pcs_verdict){
        .residual = {.scaled = (double)ratio(sums.scaled, sums.q_inf),
                     .unscaled = (double)map,
                     .relative = (double)relative_measure(problem, r, data, map),
                     .worst = sums.worst},
        .cone = (double)ratio(sums.cone, sums.r_max),
        .dual = (double)ratio(sums.dual, velocity),
        .complementarity = (double)ratio(sums.product, sums.impulse * velocity),
        .bilateral = (double)ratio(sums.bilateral, velocity),
        .dissipation = (double)sums.dissipation,
        .equation = (double)data->equation,
        .open = sums.count[OPEN],
        .stick = sums.count[STICK],
        .slip = sums.count[SLIP],
    };
}

pcs_status pcs_problem_verify(const pcs_problem *problem, const double *r, pcs_verdict *verdict)
{
    pcs_context *ctx = problem->ctx;
    memset(verdict, 0, sizeof *verdict);
    verdict->residual.worst = -1;
    PCS_TRY(check_input(problem, r));
    real *storage = PCS_NEW_ARRAY(ctx, real, 3 * (int64_t)problem->rows);
    if (storage == NULL)
        return PCS_ERROR_MEMORY;
    pcs_recomputed data = {.u = storage,
                           .q = storage + problem->rows,
                           .mobility = storage + 2 * (int64_t)problem->rows};
    pcs_status status = recompute(problem, r, &data);
    if (status == PCS_OK)
        fill_verdict(problem, r, &data, verdict);
    pcs_free(ctx, storage);
    return status;
}
