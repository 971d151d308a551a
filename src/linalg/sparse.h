// Sparse matrices by columns (CSC), pattern and values apart, and a sparse LU (SuiteSparse KLU)
// that keeps the symbolic analysis and the pivot order while the pattern stays.
#ifndef PCS_LINALG_SPARSE_H
#define PCS_LINALG_SPARSE_H

#include "base/context.h"

typedef struct pcs_sparse_pattern {
    int32_t n_rows;
    int32_t n_columns;
    int32_t *start; // n_columns+1: entries of column j are start[j] .. start[j+1]-1
    int32_t *index; // row of each entry, ascending inside a column
} pcs_sparse_pattern;

typedef struct pcs_sparse {
    pcs_sparse_pattern pattern;
    double *value;
} pcs_sparse;

// Matrix of `count` triplets (row[t], column[t], value[t]); duplicates are summed. value may be
// NULL (all zero). position, if not NULL, gets the entry that each triplet went to, so that new
// values can be written without sorting again.
pcs_status pcs_sparse_create(pcs_context *ctx, int32_t n_rows, int32_t n_columns, int32_t count,
                             const int32_t *row, const int32_t *column, const double *value,
                             int32_t *position, pcs_sparse *out) PCS_MUST_CHECK;
pcs_status pcs_sparse_transpose(pcs_context *ctx, const pcs_sparse *A, pcs_sparse *out)
    PCS_MUST_CHECK;
void pcs_sparse_destroy(pcs_context *ctx, pcs_sparse *A);

void pcs_sparse_multiply(const pcs_sparse *A, const double *x, double *y);            // y = A x
void pcs_sparse_multiply_transposed(const pcs_sparse *A, const double *x, double *y); // y = A^T x

// Sparse LU of one pattern, which is kept by reference.
typedef struct pcs_sparse_lu pcs_sparse_lu;

pcs_status pcs_sparse_lu_create(pcs_context *ctx, const pcs_sparse_pattern *pattern,
                                pcs_sparse_lu **out) PCS_MUST_CHECK;
void pcs_sparse_lu_destroy(pcs_sparse_lu *lu);
// The first call chooses pivots; later ones keep them (no heap call) unless the factors would be
// bad: a vanishing pivot, or element growth far above that of the factorisation that chose them.
// PCS_ERROR_SINGULAR: pcs_sparse_lu_singular_column() names the column.
pcs_status pcs_sparse_lu_factor(pcs_sparse_lu *lu, const double *value) PCS_MUST_CHECK;
// The next factor() chooses new pivots.
void pcs_sparse_lu_forget_pivots(pcs_sparse_lu *lu);
int32_t pcs_sparse_lu_singular_column(const pcs_sparse_lu *lu); // -1: none
// Smallest over largest pivot of the last factorisation, rows scaled to one
double pcs_sparse_lu_pivot_ratio(const pcs_sparse_lu *lu);
int32_t pcs_sparse_lu_pivot_searches(const pcs_sparse_lu *lu); // how often pivots were chosen
// Each of the n_rhs consecutive vectors in x becomes A^{-1} x.
void pcs_sparse_lu_solve(pcs_sparse_lu *lu, int32_t n_rhs, double *x);

#endif
