// Dense kernels: small blocks by hand, everything larger through LAPACK. LAPACK works by columns; a
// row-major matrix is its transpose there, so LU factors A^T and solves with the transposed flag,
// and the QR of A^T works on the rows of A without any copying.
#include "linalg/dense.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "linalg/kernels.h"

void pcs_dense_multiply_add(int32_t m, int32_t k, int32_t n, double s, const double *A,
                            const double *B, double *C)
{
    pcs_kernel_product(s, m, k, n, A, k, 1, B, n, C, n);
}

void pcs_dense_multiply_add_transposed(int32_t m, int32_t k, int32_t n, double s, const double *A,
                                       const double *B, double *C)
{
    for (int32_t i = 0; i < m; ++i) // row i of C += s B a_i
        pcs_kernel_vector(s, n, k, B, A + (int64_t)i * k, C + (int64_t)i * n);
}

void pcs_dense_vector_add(int32_t m, int32_t n, double s, const double *A, const double *x,
                          double *y)
{
    pcs_kernel_vector(s, m, n, A, x, y);
}

void pcs_dense_transposed_vector_add(int32_t m, int32_t n, double s, const double *A,
                                     const double *x, double *y)
{
    pcs_kernel_transposed_vector(s, m, n, A, x, y);
}

static double column_maximum(int32_t n, const double *A, int32_t c)
{
    double largest = 0.0;
    for (int32_t i = 0; i < n; ++i)
        if (fabs(A[(int64_t)i * n + c]) > largest)
            largest = fabs(A[(int64_t)i * n + c]);
    return largest;
}

// Row of the largest entry of column c at or below row c
static int32_t pivot_row(int32_t n, const double *A, int32_t c)
{
    int32_t best = c;
    for (int32_t i = c + 1; i < n; ++i)
        if (fabs(A[(int64_t)i * n + c]) > fabs(A[(int64_t)best * n + c]))
            best = i;
    return best;
}

static void swap_rows(int32_t n, double *A, int32_t i, int32_t j)
{
    for (int32_t c = 0; c < n; ++c) {
        const double t = A[(int64_t)i * n + c];
        A[(int64_t)i * n + c] = A[(int64_t)j * n + c];
        A[(int64_t)j * n + c] = t;
    }
}

int32_t pcs_dense_small_factor(int32_t n, double *A, int32_t *pivot)
{
    for (int32_t c = 0; c < n; ++c) {
        const int32_t r = pivot_row(n, A, c);
        double *row_c = A + (int64_t)c * n;
        double scale = 0.0; // largest entry of column c of U
        for (int32_t q = 0; q < c; ++q)
            if (fabs(A[(int64_t)q * n + c]) > scale)
                scale = fabs(A[(int64_t)q * n + c]);
        if (!(fabs(A[(int64_t)r * n + c]) > PCS_DENSE_SINGULAR * scale))
            return c;
        pivot[c] = r;
        if (r != c)
            swap_rows(n, A, r, c);
        const double s = 1.0 / row_c[c];
        for (int32_t i = c + 1; i < n; ++i) { // row i -= l_ic row c; many l are zero in K
            double *row_i = A + (int64_t)i * n;
            if (row_i[c] == 0.0)
                continue;
            row_i[c] *= s;
            pcs_kernel_subtract(n - c - 1, row_i[c], row_c + c + 1, row_i + c + 1);
        }
    }
    return -1;
}

void pcs_dense_small_solve(int32_t n, const double *LU, const int32_t *pivot, double *x)
{
    for (int32_t i = 0; i < n; ++i) { // x <- P x
        const double t = x[pivot[i]];
        x[pivot[i]] = x[i];
        x[i] = t;
    }
    for (int32_t i = 1; i < n; ++i) // x <- L^{-1} x
        x[i] -= pcs_kernel_dot(i, LU + (int64_t)i * n, x);
    for (int32_t i = n - 1; i >= 0; --i) { // x <- U^{-1} x
        const double *row = LU + (int64_t)i * n;
        x[i] = (x[i] - pcs_kernel_dot(n - 1 - i, row + i + 1, x + i + 1)) / row[i];
    }
}

bool pcs_dense_is_symmetric(int32_t n, const double *A)
{
    for (int32_t i = 0; i < n; ++i)
        for (int32_t j = 0; j < i; ++j)
            if (A[(int64_t)i * n + j] != A[(int64_t)j * n + i])
                return false;
    return true;
}

bool pcs_dense_inverse3(const double *A, int32_t row_length, double *inverse,
                        int32_t inverse_length)
{
    const double *a = A, *b = A + row_length, *c = A + 2 * (int64_t)row_length;
    const double c00 = b[1] * c[2] - b[2] * c[1]; // cofactors of the first row: b x c
    const double c01 = b[2] * c[0] - b[0] * c[2];
    const double c02 = b[0] * c[1] - b[1] * c[0];
    const double det = a[0] * c00 + a[1] * c01 + a[2] * c02;
    const double norms = (a[0] * a[0] + a[1] * a[1] + a[2] * a[2]) *
                         (b[0] * b[0] + b[1] * b[1] + b[2] * b[2]) *
                         (c[0] * c[0] + c[1] * c[1] + c[2] * c[2]);
    if (!(det * det > PCS_DENSE_SINGULAR * PCS_DENSE_SINGULAR * norms))
        return false;
    const double s = 1.0 / det;
    double *r0 = inverse, *r1 = inverse + inverse_length,
           *r2 = inverse + 2 * (int64_t)inverse_length;
    r0[0] = s * c00; // adj(A) / det
    r1[0] = s * c01;
    r2[0] = s * c02;
    r0[1] = s * (a[2] * c[1] - a[1] * c[2]);
    r1[1] = s * (a[0] * c[2] - a[2] * c[0]);
    r2[1] = s * (a[1] * c[0] - a[0] * c[1]);
    r0[2] = s * (a[1] * b[2] - a[2] * b[1]);
    r1[2] = s * (a[2] * b[0] - a[0] * b[2]);
    r2[2] = s * (a[0] * b[1] - a[1] * b[0]);
    return true;
}

// Inverse of a symmetric positive definite matrix by sweeps of its lower triangle: half the work,
// no pivoting needed. After sweep k the rows and columns up to k hold minus the inverse of the
// leading block, and the rest its Schur complement. False if a pivot is not clearly positive.
static bool sweep_inverse(int32_t n, const double *A, double *inverse, double *column)
{
    memcpy(inverse, A, sizeof(double) * (size_t)n * (size_t)n);
    for (int32_t k = 0; k < n; ++k) {
        double *row_k = inverse + (int64_t)k * n;
        if (!(row_k[k] > PCS_DENSE_SINGULAR * A[(int64_t)k * n + k]))
            return false;
        const double s = 1.0 / row_k[k];
        for (int32_t i = 0; i < k; ++i)
            column[i] = row_k[i];
        for (int32_t i = k + 1; i < n; ++i)
            column[i] = inverse[(int64_t)i * n + k];
        column[k] = 0.0; // leaves row and column k out of the update
        for (int32_t i = 0; i < n; ++i) {
            double *row_i = inverse + (int64_t)i * n;
            const double f = s * column[i];
            for (int32_t j = 0; j <= i; ++j)
                row_i[j] -= f * column[j];
        }
        for (int32_t i = 0; i < k; ++i)
            row_k[i] = s * column[i];
        for (int32_t i = k + 1; i < n; ++i)
            inverse[(int64_t)i * n + k] = s * column[i];
        row_k[k] = -s;
    }
    for (int32_t i = 0; i < n; ++i)
        for (int32_t j = 0; j <= i; ++j) {
            inverse[(int64_t)i * n + j] = -inverse[(int64_t)i * n + j];
            inverse[(int64_t)j * n + i] = inverse[(int64_t)i * n + j];
        }
    return true;
}

// By sweeps where A is symmetric and positive definite; else Gauss-Jordan with partial pivoting on
// [A | I], the identity held in `inverse`
int32_t pcs_dense_small_inverse(int32_t n, const double *A, double *inverse, double *work)
{
    const bool symmetric = pcs_dense_is_symmetric(n, A);
    if (symmetric && sweep_inverse(n, A, inverse, work))
        return -1;
    double *M = work, *scale = work + (int64_t)n * n;
    memcpy(M, A, sizeof(double) * (size_t)n * (size_t)n);
    memset(inverse, 0, sizeof(double) * (size_t)n * (size_t)n);
    for (int32_t c = 0; c < n; ++c) {
        scale[c] = column_maximum(n, A, c);
        inverse[(int64_t)c * n + c] = 1.0;
    }
    for (int32_t c = 0; c < n; ++c) {
        const int32_t r = pivot_row(n, M, c);
        if (!(fabs(M[(int64_t)r * n + c]) > PCS_DENSE_SINGULAR * scale[c]))
            return c;
        if (r != c) {
            swap_rows(n, M, r, c);
            swap_rows(n, inverse, r, c);
        }
        double *Mc = M + (int64_t)c * n, *Ic = inverse + (int64_t)c * n;
        const double s = 1.0 / Mc[c];
        for (int32_t j = c; j < n; ++j)
            Mc[j] *= s;
        for (int32_t j = 0; j < n; ++j)
            Ic[j] *= s;
        for (int32_t i = 0; i < n; ++i) { // row i -= m_ic row c
            double *Mi = M + (int64_t)i * n, *Ii = inverse + (int64_t)i * n;
            const double f = Mi[c];
            if (i == c || f == 0.0)
                continue;
            for (int32_t j = c; j < n; ++j)
                Mi[j] -= f * Mc[j];
            for (int32_t j = 0; j < n; ++j)
                Ii[j] -= f * Ic[j];
        }
    }
    if (symmetric)
        for (int32_t i = 0; i < n; ++i)
            for (int32_t j = 0; j < i; ++j) {
                const double mean = 0.5 *
                                    (inverse[(int64_t)i * n + j] + inverse[(int64_t)j * n + i]);
                inverse[(int64_t)i * n + j] = mean;
                inverse[(int64_t)j * n + i] = mean;
            }
    return -1;
}

void pcs_dense_symmetric_add(int32_t n, int32_t k, const double *A, const double *B, double *C)
{
    if (n > 0 && k > 0)
        cblas_dsyr2k(CblasRowMajor, CblasLower, CblasTrans, n, k, 1.0, A, n, B, n, 1.0, C, n);
}

int32_t pcs_dense_lu_factor(int32_t n, double *A, int32_t *pivot)
{
    if (n == 0)
        return -1;
    const lapack_int info = LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, n, n, A, n, pivot);
    return info > 0 ? info - 1 : -1;
}

void pcs_dense_lu_solve(int32_t n, const double *LU, const int32_t *pivot, int32_t n_rhs, double *x)
{
    if (n > 0 && n_rhs > 0)
        (void)LAPACKE_dgetrs_work(LAPACK_COL_MAJOR, 'T', n, n_rhs, LU, n, pivot, x, n);
}

int32_t pcs_dense_cholesky_factor(int32_t n, double *A)
{
    if (n == 0)
        return -1;
    // The upper triangle by columns is the lower one by rows.
    const lapack_int info = LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'U', n, A, n);
    return info > 0 ? info - 1 : -1;
}

void pcs_dense_cholesky_solve(int32_t n, const double *L, int32_t n_rhs, double *x)
{
    if (n > 0 && n_rhs > 0)
        (void)LAPACKE_dpotrs_work(LAPACK_COL_MAJOR, 'U', n, n_rhs, L, n, x, n);
}

int32_t pcs_dense_rank_rows_work_size(int32_t m, int32_t n)
{
    const int32_t least = m < n ? m : n;
    return least + 3 * m + 1 + 32 * (m + 1); // tau, and dgeqp3's 2 m + (m + 1) block size
}

int32_t pcs_dense_rank_rows(int32_t m, int32_t n, double *A, double tolerance, uint8_t *dependent,
                            int32_t *index, double *work, int32_t work_size)
{
    const int32_t least = m < n ? m : n;
    for (int32_t i = 0; i < m; ++i) {
        double norm = 0.0, *row = A + (int64_t)i * n;
        for (int32_t j = 0; j < n; ++j)
            norm = hypot(norm, row[j]);
        for (int32_t j = 0; j < n && norm > 0.0; ++j)
            row[j] /= norm;
        dependent[i] = 1;
        index[i] = 0; // all columns free to move
    }
    if (least == 0)
        return 0;
    (void)LAPACKE_dgeqp3_work(LAPACK_COL_MAJOR, n, m, A, n, index, work, work + least,
                              work_size - least);
    int32_t rank = 0; // |R_kk| falls with k
    while (rank < least && fabs(A[(int64_t)rank * n + rank]) > tolerance) {
        dependent[index[rank] - 1] = 0;
        ++rank;
    }
    return rank;
}

int32_t pcs_dense_least_squares_work_size(int32_t m, int32_t n)
{
    const int32_t least = m < n ? m : n, most = m < n ? n : m;
    const int32_t blocks = 2 * least + 32 * (n + 1), minimum = least + 3 * n + 1; // of dgelsy
    return m * n + most + (blocks > minimum ? blocks : minimum);
}

int32_t pcs_dense_least_squares(int32_t m, int32_t n, const double *A, const double *b,
                                double tolerance, double *x, int32_t *index, double *work,
                                int32_t work_size)
{
    const int32_t most = m < n ? n : m;
    double *columns = work, *rhs = work + (int64_t)m * n, *rest = rhs + most;
    if (m == 0 || n == 0) {
        memset(x, 0, sizeof(double) * (size_t)n);
        return 0;
    }
    for (int32_t i = 0; i < m; ++i)
        for (int32_t j = 0; j < n; ++j)
            columns[(int64_t)j * m + i] = A[(int64_t)i * n + j];
    memset(rhs, 0, sizeof(double) * (size_t)most);
    memcpy(rhs, b, sizeof(double) * (size_t)m);
    memset(index, 0, sizeof(int32_t) * (size_t)n);
    lapack_int rank = 0;
    (void)LAPACKE_dgelsy_work(LAPACK_COL_MAJOR, m, n, 1, columns, m, rhs, most, index, tolerance,
                              &rank, rest, work_size - m * n - most);
    memcpy(x, rhs, sizeof(double) * (size_t)n);
    return rank;
}
