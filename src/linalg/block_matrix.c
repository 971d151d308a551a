// Block-sparse matrix: products and dense copy.
#include "linalg/block_matrix.h"

#include <string.h>

#include "linalg/kernels.h"

void pcs_block_matrix_multiply_row(const pcs_block_matrix *A, int32_t i, const double *x,
                                   double *y_i)
{
    const int32_t m = A->offset[i + 1] - A->offset[i];
    for (int32_t e = A->row_start[i]; e < A->row_start[i + 1]; ++e) {
        const int32_t j = A->column[e], n = A->offset[j + 1] - A->offset[j];
        const double *block = A->value + A->value_start[e], *x_j = x + A->offset[j];
        if (m == 3 && n == 3) { // the spatial contact
            y_i[0] += block[0] * x_j[0] + block[1] * x_j[1] + block[2] * x_j[2];
            y_i[1] += block[3] * x_j[0] + block[4] * x_j[1] + block[5] * x_j[2];
            y_i[2] += block[6] * x_j[0] + block[7] * x_j[1] + block[8] * x_j[2];
        } else {
            pcs_kernel_vector(1.0, m, n, block, x_j, y_i);
        }
    }
}

void pcs_block_matrix_multiply(const pcs_block_matrix *A, const double *x, double *y)
{
    memset(y, 0, sizeof(double) * (size_t)(A->n > 0 ? A->offset[A->n] : 0));
    for (int32_t i = 0; i < A->n; ++i)
        pcs_block_matrix_multiply_row(A, i, x, y + A->offset[i]);
}

void pcs_block_matrix_to_dense(const pcs_block_matrix *A, double *dense)
{
    const int64_t n = A->n > 0 ? A->offset[A->n] : 0;
    memset(dense, 0, sizeof(double) * (size_t)(n * n));
    for (int32_t i = 0; i < A->n; ++i) {
        const int32_t rows = A->offset[i + 1] - A->offset[i];
        for (int32_t e = A->row_start[i]; e < A->row_start[i + 1]; ++e) {
            const int32_t j = A->column[e], columns = A->offset[j + 1] - A->offset[j];
            for (int32_t r = 0; r < rows; ++r)
                memcpy(dense + (A->offset[i] + r) * n + A->offset[j],
                       A->value + A->value_start[e] + (int64_t)r * columns,
                       sizeof(double) * (size_t)columns);
        }
    }
}
