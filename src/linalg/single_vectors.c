// Kernels on vectors in single precision (single_vectors.h). Sums have four lanes, so that the
// additions need not wait for each other.
#include "linalg/single_vectors.h"

#if defined(__GNUC__) && defined(__x86_64__)
#define HAVE_AVX
#include <immintrin.h>
#endif

#if defined(HAVE_AVX)

__attribute__((target("avx"))) static int32_t add_products_avx(int32_t n, const float *x,
                                                               const double *y, const double *z,
                                                               double p[4], double q[4])
{
    __m256d sum_y = _mm256_setzero_pd(), sum_z = _mm256_setzero_pd();
    int32_t k = 0;
    for (; k + 4 <= n; k += 4) {
        const __m256d x_k = _mm256_cvtps_pd(_mm_loadu_ps(x + k));
        sum_y = _mm256_add_pd(sum_y, _mm256_mul_pd(x_k, _mm256_loadu_pd(y + k)));
        sum_z = _mm256_add_pd(sum_z, _mm256_mul_pd(x_k, _mm256_loadu_pd(z + k)));
    }
    _mm256_storeu_pd(p, sum_y);
    _mm256_storeu_pd(q, sum_z);
    return k;
}

__attribute__((target("avx"))) static int32_t subtract_avx(int32_t n, double c, const float *x,
                                                           double *y)
{
    const __m256d factor = _mm256_set1_pd(c);
    int32_t k = 0;
    for (; k + 4 <= n; k += 4) {
        const __m256d product = _mm256_mul_pd(factor, _mm256_cvtps_pd(_mm_loadu_ps(x + k)));
        _mm256_storeu_pd(y + k, _mm256_sub_pd(_mm256_loadu_pd(y + k), product));
    }
    return k;
}

#endif

// The first entries, a multiple of four, in lanes; their number is returned.
static int32_t add_products(int32_t n, const float *x, const double *y, const double *z,
                            double p[4], double q[4])
{
    int32_t k = 0;
    for (int32_t l = 0; l < 4; l++)
        p[l] = q[l] = 0.0;
    for (; k + 4 <= n; k += 4)
        for (int32_t l = 0; l < 4; l++) {
            p[l] += (double)x[k + l] * y[k + l];
            q[l] += (double)x[k + l] * z[k + l];
        }
    return k;
}

void pcs_single_dot_both(int32_t n, const float *x, const double *y, const double *z, double *a,
                         double *b)
{
    double p[4], q[4];
    int32_t k;
#if defined(HAVE_AVX)
    if (__builtin_cpu_supports("avx"))
        k = add_products_avx(n, x, y, z, p, q);
    else
#endif
        k = add_products(n, x, y, z, p, q);
    *a = (p[0] + p[1]) + (p[2] + p[3]);
    *b = (q[0] + q[1]) + (q[2] + q[3]);
    for (; k < n; k++) {
        *a += (double)x[k] * y[k];
        *b += (double)x[k] * z[k];
    }
}

void pcs_single_subtract(int32_t n, double c, const float *x, double *y)
{
    int32_t k = 0;
#if defined(HAVE_AVX)
    if (__builtin_cpu_supports("avx"))
        k = subtract_avx(n, c, x, y);
#endif
    for (; k < n; k++)
        y[k] -= c * (double)x[k];
}
