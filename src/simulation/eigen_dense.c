// Modes of a small model with LAPACK. With D = diag(M)^{-1/2}, which makes rows and columns
// comparable, and Z an orthonormal basis of the null space of G D,
//
//     x = D Z y,    (Z^T D K D Z) y = omega^2 (Z^T D M D Z) y.
#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "simulation/modes.h"

// A diagonal of R of the pivoted QR below this part of the first is a dependent row of G.
#define RANK_TOLERANCE 1e-9

typedef struct dense {
    int32_t n, m, rank, f; // velocities, rows, independent rows, freedoms
    double *D;             // n
    double *K, *M;         // n x n
    double *Q;             // n x n, columns: range of (G D)^T, then its complement
    double *Z;             // n x f, row-major
    double *T;             // n x f
    double *k, *mm, *w;    // f x f, f x f, f
    double *tau;
    lapack_int *pivot;
} dense;

static void dense_free(pcs_context *ctx, dense *d)
{
    void *arrays[] = {d->D, d->K, d->M, d->Q, d->Z, d->T, d->k, d->mm, d->w, d->tau, d->pivot};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i)
        pcs_free(ctx, arrays[i]);
}

// D A D as a full matrix, A given by its product
static void fill(const pcs_eigen *e, const dense *d, bool mass, double *A, double *x, double *y)
{
    memset(x, 0, sizeof(double) * (size_t)d->n);
    for (int32_t j = 0; j < d->n; ++j) {
        x[j] = d->D[j];
        if (mass)
            pcs_model_mass_multiply(e->model, e->c, x, y);
        else
            pcs_eigen_multiply(e, x, y);
        x[j] = 0;
        for (int32_t i = 0; i < d->n; ++i)
            A[(int64_t)i * d->n + j] = d->D[i] * y[i];
    }
}

// Q and the rank from the QR of (G D)^T with column pivoting
static pcs_status find_null_space(const pcs_eigen *e, dense *d)
{
    const int32_t columns = d->m > d->n ? d->m : d->n; // room for all of Q
    d->Q = PCS_NEW_ARRAY(e->ctx, double, (int64_t)d->n *columns);
    d->tau = PCS_NEW_ARRAY(e->ctx, double, d->n + 1);
    d->pivot = PCS_NEW_ARRAY(e->ctx, lapack_int, d->m + 1);
    if (!d->Q || !d->tau || !d->pivot)
        return PCS_ERROR_MEMORY;
    for (int32_t k = 0, row = 0; k < e->n_blocks; row += e->rows[k++].size)
        for (int32_t s = 0; s < e->rows[k].n_nodes; ++s) {
            const pcs_node *node = pcs_model_node(e->model, e->rows[k].node[s]);
            for (int32_t i = 0; i < e->rows[k].size; ++i)
                for (int32_t j = 0; j < node->n_v; ++j)
                    d->Q[(int64_t)(row + i) * d->n + node->v + j] =
                        d->D[node->v + j] * e->rows[k].J[s][i * node->n_v + j];
        }
    // Column-major n x m: column r is row r of G D, scaled to unit length.
    for (int32_t r = 0; r < d->m; ++r) {
        double square = 0;
        for (int32_t i = 0; i < d->n; ++i)
            square += d->Q[(int64_t)r * d->n + i] * d->Q[(int64_t)r * d->n + i];
        for (int32_t i = 0; i < d->n && square > 0; ++i)
            d->Q[(int64_t)r * d->n + i] /= sqrt(square);
    }
    if (d->m > 0 && LAPACKE_dgeqp3(LAPACK_COL_MAJOR, d->n, d->m, d->Q, d->n, d->pivot, d->tau))
        return pcs_error(e->ctx, PCS_ERROR_NUMERIC, "modes: the joint rows are not finite");
    const int32_t most = d->m < d->n ? d->m : d->n;
    while (d->rank < most &&
           fabs(d->Q[(int64_t)d->rank * d->n + d->rank]) > RANK_TOLERANCE * fabs(d->Q[0]))
        ++d->rank;
    d->f = d->n - d->rank;
    if (LAPACKE_dorgqr(LAPACK_COL_MAJOR, d->n, d->n, d->rank, d->Q, d->n, d->tau))
        return pcs_error(e->ctx, PCS_ERROR_NUMERIC, "modes: the joint rows are not finite");
    return PCS_OK;
}

// small = Z^T A Z, symmetric
static void reduce(const dense *d, const double *A, double *small)
{
    for (int32_t i = 0; i < d->n; ++i)
        for (int32_t b = 0; b < d->f; ++b) {
            double sum = 0;
            for (int32_t j = 0; j < d->n; ++j)
                sum += A[(int64_t)i * d->n + j] * d->Z[(int64_t)b * d->n + j];
            d->T[(int64_t)i * d->f + b] = sum;
        }
    for (int32_t a = 0; a < d->f; ++a)
        for (int32_t b = a; b < d->f; ++b) {
            double sum = 0;
            for (int32_t i = 0; i < d->n; ++i)
                sum += d->Z[(int64_t)a * d->n + i] * d->T[(int64_t)i * d->f + b];
            small[(int64_t)a * d->f + b] = small[(int64_t)b * d->f + a] = sum;
        }
}

static pcs_status solve(const pcs_eigen *e, dense *d)
{
    const int64_t square = (int64_t)d->f * d->f;
    d->T = PCS_NEW_ARRAY(e->ctx, double, (int64_t)d->n * d->f);
    d->k = PCS_NEW_ARRAY(e->ctx, double, square);
    d->mm = PCS_NEW_ARRAY(e->ctx, double, square);
    d->w = PCS_NEW_ARRAY(e->ctx, double, d->f);
    if (!d->T || !d->k || !d->mm || !d->w)
        return PCS_ERROR_MEMORY;
    d->Z = d->Q + (int64_t)d->rank * d->n; // columns of Q behind the range
    reduce(d, d->K, d->k);
    reduce(d, d->M, d->mm);
    d->Z = NULL; // part of Q
    const lapack_int info = d->f == 0 ? 0
                                      : LAPACKE_dsygvd(LAPACK_COL_MAJOR, 1, 'V', 'L', d->f, d->k,
                                                       d->f, d->mm, d->f, d->w);
    if (info > d->f)
        return pcs_error(e->ctx, PCS_ERROR_MODEL,
                         "modes: the mass matrix is not positive definite; something that can move "
                         "has no mass or inertia");
    if (info)
        return pcs_error(e->ctx, PCS_ERROR_NUMERIC,
                         "modes: the eigenvalues of the stiffness could not be found; check for "
                         "infinite stiffnesses and masses");
    return PCS_OK;
}

pcs_status pcs_eigen_dense(const pcs_eigen *e, int32_t *n, double *square, double *shape,
                           int32_t *freedoms)
{
    dense d = {.n = e->model->n_v, .m = e->n_rows};
    const int64_t size = (int64_t)d.n * d.n;
    d.D = PCS_NEW_ARRAY(e->ctx, double, d.n);
    d.K = PCS_NEW_ARRAY(e->ctx, double, size);
    d.M = PCS_NEW_ARRAY(e->ctx, double, size);
    double *x = PCS_NEW_ARRAY(e->ctx, double, d.n), *y = PCS_NEW_ARRAY(e->ctx, double, d.n);
    pcs_status status = d.D && d.K && d.M && x && y ? PCS_OK : PCS_ERROR_MEMORY;
    if (status == PCS_OK) {
        for (int32_t i = 0; i < d.n; ++i)
            d.D[i] = e->mass[i] > 0 ? 1 / sqrt(e->mass[i]) : 1;
        fill(e, &d, false, d.K, x, y);
        fill(e, &d, true, d.M, x, y);
        status = find_null_space(e, &d);
    }
    if (status == PCS_OK)
        status = solve(e, &d);
    if (status == PCS_OK) {
        *freedoms = d.f;
        *n = *n < d.f ? *n : d.f;
        const double *Z = d.Q + (int64_t)d.rank * d.n;
        for (int32_t k = 0; k < *n; ++k) {
            square[k] = d.w[k];
            for (int32_t i = 0; i < d.n; ++i) {
                double sum = 0;
                for (int32_t a = 0; a < d.f; ++a)
                    sum += Z[(int64_t)a * d.n + i] * d.k[(int64_t)k * d.f + a];
                shape[(int64_t)k * d.n + i] = d.D[i] * sum;
            }
        }
    }
    pcs_free(e->ctx, x);
    pcs_free(e->ctx, y);
    dense_free(e->ctx, &d);
    return status;
}
