// Block-sparse matrix with blocks of varying size, by block rows (CSR of blocks).
// Block (i, j) is row-major, size[i] x size[j], at value[value_start[k]] for the entry k of row i.
#ifndef PCS_LINALG_BLOCK_MATRIX_H
#define PCS_LINALG_BLOCK_MATRIX_H

#include "base/context.h"
#include "base/prefetch.h"

typedef struct pcs_block_matrix {
    int32_t n;                  // block rows = block columns
    const int32_t *offset;      // n+1: first scalar row of a block; size[i] = offset[i+1]-offset[i]
    const int32_t *row_start;   // n+1: entries of block row i are row_start[i] .. row_start[i+1]-1
    const int32_t *column;      // block column of each entry, ascending inside a row
    const int64_t *value_start; // first value of each entry
    const int32_t *diagonal;    // n: entry index of block (i, i)
    double *value;
} pcs_block_matrix;

// y = A x
void pcs_block_matrix_multiply(const pcs_block_matrix *A, const double *x, double *y);
// (A x) restricted to block row i, added to y_i (size[i] values)
void pcs_block_matrix_multiply_row(const pcs_block_matrix *A, int32_t i, const double *x,
                                   double *y_i);
// Whether the values are more than the caches near a processor hold: 4 MB.
static inline bool pcs_block_matrix_is_large(const pcs_block_matrix *A)
{
    enum { LARGE_VALUES = 1 << 19 };
    const int32_t entries = A->n > 0 ? A->row_start[A->n] : 0;
    return entries > 0 && A->value_start[entries - 1] >= LARGE_VALUES;
}
// In a loop over the rows of a large matrix, when it is at row i: asks for the values of a later
// row.
static inline void pcs_block_matrix_expect(const pcs_block_matrix *A, int32_t i)
{
    enum { AHEAD = 4 }; // rows: some hundred nanoseconds
    if (A->n - i <= AHEAD)
        return;
    const int32_t e = A->row_start[i + AHEAD], rows = A->offset[i + 1] - A->offset[i];
    const int32_t entries = A->row_start[i + AHEAD + 1] - e;
    pcs_prefetch(A->value + A->value_start[e], sizeof(double) * (size_t)(entries * rows * rows));
}
// Dense copy, row-major, offset[n] x offset[n]
void pcs_block_matrix_to_dense(const pcs_block_matrix *A, double *dense);

#endif
