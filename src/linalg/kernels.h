// Inline kernels on small row-major blocks. Everything is one pattern, a row of a product:
//
//     c[0..n) += sign * sum_q a[q stride] B[q][0..n)
//
// with n fixed at compile time (1..6), so that the row stays in registers over the whole sum. A B,
// A^T B, triangular solves with many columns and matrix-vector products are all made of it. The
// order of the additions is fixed by the code and does not depend on compiler flags.
#ifndef PCS_LINALG_KERNELS_H
#define PCS_LINALG_KERNELS_H

#include <stdbool.h>
#include <stdint.h>

enum { PCS_KERNEL_WIDTH = 6 }; // widest row kept in registers

#if defined(__GNUC__)
#define PCS_ALWAYS_INLINE inline __attribute__((always_inline))
typedef double pcs_kernel_pair __attribute__((vector_size(16), aligned(8), may_alias));
#else
#define PCS_ALWAYS_INLINE inline
#endif

// One row; `width`, `add` (false: c starts at zero) and `sign` are constants at every call, and the
// branches on them vanish.
static PCS_ALWAYS_INLINE void pcs_kernel_row(const int width, const bool add, const double sign,
                                             int32_t k, const double *a, int32_t stride,
                                             const double *B, int32_t ldb, double *c)
{
#if defined(__GNUC__)
    pcs_kernel_pair c0 = {0.0, 0.0}, c1 = {0.0, 0.0}, c2 = {0.0, 0.0};
    double tail = 0.0;
    if (add && width >= 2)
        c0 = *(const pcs_kernel_pair *)c;
    if (add && width >= 4)
        c1 = *(const pcs_kernel_pair *)(c + 2);
    if (add && width == 6)
        c2 = *(const pcs_kernel_pair *)(c + 4);
    if (add && width % 2 == 1)
        tail = c[width - 1];
    for (int32_t q = 0; q < k; ++q) {
        const double s = sign * a[(int64_t)q * stride];
        const double *b = B + (int64_t)q * ldb;
        if (width >= 2)
            c0 += s * *(const pcs_kernel_pair *)b;
        if (width >= 4)
            c1 += s * *(const pcs_kernel_pair *)(b + 2);
        if (width == 6)
            c2 += s * *(const pcs_kernel_pair *)(b + 4);
        if (width % 2 == 1)
            tail += s * b[width - 1];
    }
    if (width >= 2)
        *(pcs_kernel_pair *)c = c0;
    if (width >= 4)
        *(pcs_kernel_pair *)(c + 2) = c1;
    if (width == 6)
        *(pcs_kernel_pair *)(c + 4) = c2;
    if (width % 2 == 1)
        c[width - 1] = tail;
#else
    for (int i = 0; i < width && !add; ++i)
        c[i] = 0.0;
    for (int32_t q = 0; q < k; ++q) {
        const double s = sign * a[(int64_t)q * stride];
        for (int i = 0; i < width; ++i)
            c[i] += s * B[(int64_t)q * ldb + i];
    }
#endif
}

// C (m x n) += sign * op(A) B with B k x n; op(A)_{iq} = A[i row_stride + q column_stride].
// ldb and ldc are the row lengths in memory of B and C. add false: C = sign * op(A) B.
static PCS_ALWAYS_INLINE void pcs_kernel_general(const bool add, const double sign, int32_t m,
                                                 int32_t k, int32_t n, const double *A,
                                                 int32_t row_stride, int32_t column_stride,
                                                 const double *B, int32_t ldb, double *C,
                                                 int32_t ldc)
{
#define PCS_KERNEL_ROWS(width)                                                              \
    for (int32_t i = 0; i < m; ++i)                                                         \
    pcs_kernel_row(width, add, sign, k, A + (int64_t)i * row_stride, column_stride, B, ldb, \
                   C + (int64_t)i * ldc)
    while (n > PCS_KERNEL_WIDTH) {
        PCS_KERNEL_ROWS(PCS_KERNEL_WIDTH);
        B += PCS_KERNEL_WIDTH;
        C += PCS_KERNEL_WIDTH;
        n -= PCS_KERNEL_WIDTH;
    }
    switch (n) {
    case 1:
        PCS_KERNEL_ROWS(1);
        break;
    case 2:
        PCS_KERNEL_ROWS(2);
        break;
    case 3:
        PCS_KERNEL_ROWS(3);
        break;
    case 4:
        PCS_KERNEL_ROWS(4);
        break;
    case 5:
        PCS_KERNEL_ROWS(5);
        break;
    case 6:
        PCS_KERNEL_ROWS(6);
        break;
    default:
        break;
    }
#undef PCS_KERNEL_ROWS
}

static PCS_ALWAYS_INLINE void pcs_kernel_product(const double sign, int32_t m, int32_t k, int32_t n,
                                                 const double *A, int32_t row_stride,
                                                 int32_t column_stride, const double *B,
                                                 int32_t ldb, double *C, int32_t ldc)
{
    pcs_kernel_general(true, sign, m, k, n, A, row_stride, column_stride, B, ldb, C, ldc);
}

// y[0..n) += sign * A^T x with A k x n: the row pattern with one row.
static PCS_ALWAYS_INLINE void pcs_kernel_transposed_vector(const double sign, int32_t k, int32_t n,
                                                           const double *A, const double *x,
                                                           double *y)
{
    pcs_kernel_product(sign, 1, k, n, x, 0, 1, A, n, y, n);
}

// sum_q a[q] x[q] in a fixed shape: two pairs of running sums, the odd value last
static PCS_ALWAYS_INLINE double pcs_kernel_dot(int32_t k, const double *a, const double *x)
{
    double s0 = 0.0, s1 = 0.0, s2 = 0.0, s3 = 0.0;
    int32_t q = 0;
    for (; q + 3 < k; q += 4) {
        s0 += a[q] * x[q];
        s1 += a[q + 1] * x[q + 1];
        s2 += a[q + 2] * x[q + 2];
        s3 += a[q + 3] * x[q + 3];
    }
    if (q + 1 < k) {
        s0 += a[q] * x[q];
        s1 += a[q + 1] * x[q + 1];
        q += 2;
    }
    if (q < k)
        s2 += a[q] * x[q];
    return (s0 + s1) + (s2 + s3);
}

// y[0..m) += sign * A x with A m x k, as dot products.
static PCS_ALWAYS_INLINE void pcs_kernel_vector(const double sign, int32_t m, int32_t k,
                                                const double *A, const double *x, double *y)
{
#define PCS_KERNEL_DOTS(width)      \
    for (int32_t i = 0; i < m; ++i) \
    y[i] += sign * pcs_kernel_dot(width, A + (int64_t)i * (width), x)
    switch (k) {
    case 1:
        PCS_KERNEL_DOTS(1);
        break;
    case 2:
        PCS_KERNEL_DOTS(2);
        break;
    case 3:
        PCS_KERNEL_DOTS(3);
        break;
    case 5:
        PCS_KERNEL_DOTS(5);
        break;
    case 6:
        PCS_KERNEL_DOTS(6);
        break;
    default:
        PCS_KERNEL_DOTS(k);
        break;
    }
#undef PCS_KERNEL_DOTS
}

// y[0..n) -= s x[0..n)
static PCS_ALWAYS_INLINE void pcs_kernel_subtract(int32_t n, double s, const double *x, double *y)
{
    int32_t i = 0;
#if defined(__GNUC__)
    for (; i + 3 < n; i += 4) {
        *(pcs_kernel_pair *)(y + i) -= s * *(const pcs_kernel_pair *)(x + i);
        *(pcs_kernel_pair *)(y + i + 2) -= s * *(const pcs_kernel_pair *)(x + i + 2);
    }
#endif
    for (; i < n; ++i)
        y[i] -= s * x[i];
}

// y[0..n) <- x[0..n), for the few values of a block. Stored in pairs as pcs_kernel_row loads them:
// a processor cannot forward two single stores to one double load.
static PCS_ALWAYS_INLINE void pcs_kernel_copy(int32_t n, const double *x, double *y)
{
    int32_t i = 0;
#if defined(__GNUC__)
    for (; i + 1 < n; i += 2)
        *(pcs_kernel_pair *)(y + i) = *(const pcs_kernel_pair *)(x + i);
#endif
    for (; i < n; ++i)
        y[i] = x[i];
}

#endif
