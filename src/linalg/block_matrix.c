// Block-sparse matrix: products and dense copy.
#include "linalg/block_matrix.h"

#include <string.h>

#include "linalg/kernels.h"

// The row of a spatial contact; its sums stay in registers, since y_i may not overlap x.
static void multiply_row_3(const pcs_block_matrix *A, int32_t i, const double *x, double *y_i)
{
    double y0 = y_i[0], y1 = y_i[1], y2 = y_i[2];
    for (int32_t e = A->row_start[i]; e < A->row_start[i + 1]; ++e) {
        const int32_t j = A->column[e], n = A->offset[j + 1] - A->offset[j];
        const double *b = A->value + A->value_start[e], *x_j = x + A->offset[j];
        if (n == 3) {
            y0 += b[0] * x_j[0] + b[1] * x_j[1] + b[2] * x_j[2];
            y1 += b[3] * x_j[0] + b[4] * x_j[1] + b[5] * x_j[2];
            y2 += b[6] * x_j[0] + b[7] * x_j[1] + b[8] * x_j[2];
        } else {
            double y[3] = {y0, y1, y2};
            pcs_kernel_vector(1.0, 3, n, b, x_j, y);
            y0 = y[0];
            y1 = y[1];
            y2 = y[2];
        }
    }
    y_i[0] = y0;
    y_i[1] = y1;
    y_i[2] = y2;
}

void pcs_block_matrix_multiply_row(const pcs_block_matrix *A, int32_t i, const double *x,
                                   double *y_i)
{
    const int32_t m = A->offset[i + 1] - A->offset[i];
    if (m == 3) {
        multiply_row_3(A, i, x, y_i);
        return;
    }
    for (int32_t e = A->row_start[i]; e < A->row_start[i + 1]; ++e) {
        const int32_t j = A->column[e], n = A->offset[j + 1] - A->offset[j];
        const double *block = A->value + A->value_start[e], *x_j = x + A->offset[j];
        pcs_kernel_vector(1.0, m, n, block, x_j, y_i);
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
