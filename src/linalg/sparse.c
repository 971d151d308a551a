// Sparse matrices by columns and the KLU wrapper [DavisNatarajan2010].
#include "linalg/sparse.h"

#include <klu.h>
#include <math.h>
#include <string.h>

// Old pivots are kept while the reciprocal pivot growth max|A| / max|U| stays above this fraction
// of its value when they were chosen: three of 16 digits may be lost, refinement recovers them.
#define GROWTH_LOSS 1e-3
// A diagonal entry is taken as pivot when it is at least this fraction of its column's largest. In
// saddle systems KLU's own 0.001 costs two to three digits, and with them a refinement of every
// solution; 0.1 keeps the backward error at rounding level for one per cent more work.
#define DIAGONAL_PREFERENCE 0.1
// Smallest over largest pivot below which a matrix counts as singular: the unit roundoff, where a
// pivot carries no digit. KLU scales rows to maximum one before, so the ratio is free of row units.
#define PIVOT_RATIO_SINGULAR 1e-16

static pcs_status allocate(pcs_context *ctx, int32_t n_rows, int32_t n_columns, int32_t count,
                           pcs_sparse *out)
{
    memset(out, 0, sizeof *out);
    out->pattern.n_rows = n_rows;
    out->pattern.n_columns = n_columns;
    out->pattern.start = PCS_NEW_ARRAY(ctx, int32_t, n_columns + 1);
    out->pattern.index = PCS_NEW_ARRAY(ctx, int32_t, count);
    out->value = PCS_NEW_ARRAY(ctx, double, count);
    if (out->pattern.start && out->pattern.index && out->value)
        return PCS_OK;
    pcs_sparse_destroy(ctx, out);
    return PCS_ERROR_MEMORY;
}

void pcs_sparse_destroy(pcs_context *ctx, pcs_sparse *A)
{
    pcs_free(ctx, A->pattern.start);
    pcs_free(ctx, A->pattern.index);
    pcs_free(ctx, A->value);
    memset(A, 0, sizeof *A);
}

// start[j] <- first place of key j when `count` items are sorted by key; start has n+1 values
static void count_keys(int32_t n, int32_t count, const int32_t *key, int32_t *start)
{
    memset(start, 0, sizeof(int32_t) * ((size_t)n + 1));
    for (int32_t t = 0; t < count; ++t)
        ++start[key[t] + 1];
    for (int32_t j = 0; j < n; ++j)
        start[j + 1] += start[j];
}

// Stable counting sort of the items item[0..count) (NULL: 0, 1, 2, ...) by key[item]
static void sort_by_key(int32_t n, int32_t count, const int32_t *key, const int32_t *item,
                        int32_t *cursor, int32_t *sorted)
{
    count_keys(n, count, key, cursor);
    for (int32_t t = 0; t < count; ++t) {
        const int32_t i = item ? item[t] : t;
        sorted[cursor[key[i]]++] = i;
    }
}

// Walks the triplets in column-major order, gives equal places one entry; returns the entry count
static int32_t compress(int32_t n_columns, int32_t count, const int32_t *sorted, const int32_t *row,
                        const int32_t *column, const double *value, int32_t *position,
                        pcs_sparse *out)
{
    int32_t entries = 0;
    int32_t *start = out->pattern.start;
    memset(start, 0, sizeof(int32_t) * ((size_t)n_columns + 1));
    for (int32_t s = 0; s < count; ++s) {
        const int32_t t = sorted[s];
        const bool same = s > 0 && row[sorted[s - 1]] == row[t] &&
                          column[sorted[s - 1]] == column[t];
        if (!same) {
            out->pattern.index[entries++] = row[t];
            ++start[column[t] + 1];
        }
        if (value)
            out->value[entries - 1] += value[t];
        if (position)
            position[t] = entries - 1;
    }
    for (int32_t j = 0; j < n_columns; ++j)
        start[j + 1] += start[j];
    return entries;
}

pcs_status pcs_sparse_create(pcs_context *ctx, int32_t n_rows, int32_t n_columns, int32_t count,
                             const int32_t *row, const int32_t *column, const double *value,
                             int32_t *position, pcs_sparse *out)
{
    PCS_TRY(allocate(ctx, n_rows, n_columns, count, out));
    const int32_t longest = n_rows > n_columns ? n_rows : n_columns;
    int32_t *work = PCS_NEW_ARRAY(ctx, int32_t, 2 * (int64_t)count + longest + 1);
    if (!work) {
        pcs_sparse_destroy(ctx, out);
        return PCS_ERROR_MEMORY;
    }
    int32_t *by_row = work, *sorted = work + count, *cursor = work + 2 * (int64_t)count;
    sort_by_key(n_rows, count, row, NULL, cursor, by_row);
    sort_by_key(n_columns, count, column, by_row, cursor, sorted);
    (void)compress(n_columns, count, sorted, row, column, value, position, out);
    pcs_free(ctx, work);
    return PCS_OK;
}

pcs_status pcs_sparse_transpose(pcs_context *ctx, const pcs_sparse *A, pcs_sparse *out)
{
    const pcs_sparse_pattern *P = &A->pattern;
    const int32_t entries = P->start[P->n_columns];
    PCS_TRY(allocate(ctx, P->n_columns, P->n_rows, entries, out));
    int32_t *start = out->pattern.start;
    count_keys(P->n_rows, entries, P->index, start);
    for (int32_t j = 0; j < P->n_columns; ++j)
        for (int32_t e = P->start[j]; e < P->start[j + 1]; ++e) {
            const int32_t place = start[P->index[e]]++; // becomes the start of the next column
            out->pattern.index[place] = j;
            out->value[place] = A->value[e];
        }
    for (int32_t i = P->n_rows; i > 0; --i)
        start[i] = start[i - 1];
    start[0] = 0;
    return PCS_OK;
}

void pcs_sparse_multiply(const pcs_sparse *A, const double *x, double *y)
{
    const pcs_sparse_pattern *P = &A->pattern;
    memset(y, 0, sizeof(double) * (size_t)P->n_rows);
    for (int32_t j = 0; j < P->n_columns; ++j)
        for (int32_t e = P->start[j]; e < P->start[j + 1]; ++e)
            y[P->index[e]] += A->value[e] * x[j];
}

void pcs_sparse_multiply_transposed(const pcs_sparse *A, const double *x, double *y)
{
    const pcs_sparse_pattern *P = &A->pattern;
    for (int32_t j = 0; j < P->n_columns; ++j) {
        double sum = 0.0;
        for (int32_t e = P->start[j]; e < P->start[j + 1]; ++e)
            sum += A->value[e] * x[P->index[e]];
        y[j] = sum;
    }
}

struct pcs_sparse_lu {
    pcs_context *ctx;
    const pcs_sparse_pattern *pattern;
    klu_common common;
    klu_symbolic *symbolic;
    klu_numeric *numeric; // NULL before the first factorisation and after forget_pivots
    double growth;        // reciprocal pivot growth when the pivots were chosen
    int32_t singular_column;
    int32_t pivot_searches;
};

pcs_status pcs_sparse_lu_create(pcs_context *ctx, const pcs_sparse_pattern *pattern,
                                pcs_sparse_lu **out)
{
    *out = NULL;
    pcs_sparse_lu *lu = PCS_NEW(ctx, pcs_sparse_lu);
    if (!lu)
        return PCS_ERROR_MEMORY;
    lu->ctx = ctx;
    lu->pattern = pattern;
    lu->singular_column = -1;
    klu_defaults(&lu->common);
    lu->common.tol = DIAGONAL_PREFERENCE;
    if (pattern->n_columns > 0) {
        lu->symbolic = klu_analyze(pattern->n_columns, pattern->start, pattern->index, &lu->common);
        if (!lu->symbolic) {
            const bool memory = lu->common.status == KLU_OUT_OF_MEMORY;
            pcs_free(ctx, lu);
            return memory ? pcs_error(ctx, PCS_ERROR_MEMORY, "no memory for a sparse analysis")
                          : pcs_error(ctx, PCS_ERROR_ARGUMENT, "sparse analysis failed");
        }
    }
    *out = lu;
    return PCS_OK;
}

void pcs_sparse_lu_destroy(pcs_sparse_lu *lu)
{
    if (!lu)
        return;
    pcs_sparse_lu_forget_pivots(lu);
    if (lu->symbolic)
        klu_free_symbolic(&lu->symbolic, &lu->common);
    pcs_free(lu->ctx, lu);
}

void pcs_sparse_lu_forget_pivots(pcs_sparse_lu *lu)
{
    if (lu->numeric)
        klu_free_numeric(&lu->numeric, &lu->common);
}

int32_t pcs_sparse_lu_singular_column(const pcs_sparse_lu *lu)
{
    return lu->singular_column;
}

int32_t pcs_sparse_lu_pivot_searches(const pcs_sparse_lu *lu)
{
    return lu->pivot_searches;
}

double pcs_sparse_lu_pivot_ratio(const pcs_sparse_lu *lu)
{
    return lu->common.rcond;
}

static double reciprocal_growth(pcs_sparse_lu *lu, double *value)
{
    if (!klu_rgrowth(lu->pattern->start, lu->pattern->index, value, lu->symbolic, lu->numeric,
                     &lu->common))
        return 0.0;
    return lu->common.rgrowth;
}

static bool pivots_vanish(pcs_sparse_lu *lu)
{
    return !klu_rcond(lu->symbolic, lu->numeric, &lu->common) ||
           !(lu->common.rcond > PIVOT_RATIO_SINGULAR);
}

// True when the old pivots still give usable factors
static bool refactor(pcs_sparse_lu *lu, double *value)
{
    if (!klu_refactor(lu->pattern->start, lu->pattern->index, value, lu->symbolic, lu->numeric,
                      &lu->common) ||
        lu->common.status != KLU_OK || pivots_vanish(lu))
        return false;
    return reciprocal_growth(lu, value) >= GROWTH_LOSS * lu->growth;
}

pcs_status pcs_sparse_lu_factor(pcs_sparse_lu *lu, const double *value)
{
    lu->singular_column = -1;
    if (!lu->symbolic)
        return PCS_OK;
    double *A = (double *)value; // KLU does not write to it, its interface lacks the const
    if (lu->numeric && refactor(lu, A))
        return PCS_OK;
    pcs_sparse_lu_forget_pivots(lu);
    lu->numeric = klu_factor(lu->pattern->start, lu->pattern->index, A, lu->symbolic, &lu->common);
    ++lu->pivot_searches;
    if (!lu->numeric && lu->common.status == KLU_OUT_OF_MEMORY)
        return pcs_error(lu->ctx, PCS_ERROR_MEMORY, "no memory for sparse factors");
    if (!lu->numeric || pivots_vanish(lu)) {
        lu->singular_column = lu->common.singular_col < lu->pattern->n_columns
                                  ? lu->common.singular_col
                                  : lu->pattern->n_columns - 1;
        pcs_sparse_lu_forget_pivots(lu);
        return pcs_error(lu->ctx, PCS_ERROR_SINGULAR, "sparse matrix singular at column %d",
                         (int)lu->singular_column);
    }
    lu->growth = reciprocal_growth(lu, A);
    return PCS_OK;
}

void pcs_sparse_lu_solve(pcs_sparse_lu *lu, int32_t n_rhs, double *x)
{
    if (lu->symbolic && lu->numeric && n_rhs > 0)
        klu_solve(lu->symbolic, lu->numeric, lu->pattern->n_columns, n_rhs, x, &lu->common);
}
