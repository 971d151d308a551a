// Blocks in single precision (single_blocks.h). The row product is compiled for processors with
// vectors of four doubles as well; operations and their order are the same, and so are the bits.
#include "linalg/single_blocks.h"

#include <float.h>

#if defined(__GNUC__) && defined(__x86_64__)
#define HAVE_AVX
#include <immintrin.h>
#endif

enum { AHEAD = 128 }; // entries, some rows, that are asked for in time
enum { PADDING = 3 }; // values that the last column is read with

static void multiply(const pcs_single_blocks *copy, int32_t i, const double *x, double y[3])
{
    for (int32_t e = copy->row_start[i] + 1; e < copy->row_start[i + 1]; e++) {
        const float *b = copy->value + (int64_t)e * 9;
        const double *x_j = x + (int64_t)copy->column[e] * 3;
        for (int k = 0; k < 3; k++)
            y[k] += (double)b[k] * x_j[0] + (double)b[3 + k] * x_j[1] + (double)b[6 + k] * x_j[2];
    }
}

#if defined(HAVE_AVX)
// A column is read with the value behind it, whose products are thrown away.
__attribute__((target("avx"))) static void multiply_avx(const pcs_single_blocks *copy, int32_t i,
                                                        const double *x, double y[3])
{
    const int32_t from = copy->row_start[i] + 1, to = copy->row_start[i + 1];
    const float *b = copy->value + (int64_t)from * 9;
    pcs_prefetch(b + AHEAD * 9, sizeof *b * (size_t)((to - from + 1) * 9));
    __m256d sum = _mm256_set_pd(0.0, y[2], y[1], y[0]);
    for (int32_t e = from; e < to; e++, b += 9) {
        const double *x_j = x + (int64_t)copy->column[e] * 3;
        const __m256d b_0 = _mm256_cvtps_pd(_mm_loadu_ps(b));
        const __m256d b_1 = _mm256_cvtps_pd(_mm_loadu_ps(b + 3));
        const __m256d b_2 = _mm256_cvtps_pd(_mm_loadu_ps(b + 6));
        __m256d product = _mm256_mul_pd(b_0, _mm256_broadcast_sd(x_j));
        product = _mm256_add_pd(product, _mm256_mul_pd(b_1, _mm256_broadcast_sd(x_j + 1)));
        product = _mm256_add_pd(product, _mm256_mul_pd(b_2, _mm256_broadcast_sd(x_j + 2)));
        sum = _mm256_add_pd(sum, product);
    }
    _mm_storeu_pd(y, _mm256_castpd256_pd128(sum));
    _mm_store_sd(y + 2, _mm256_extractf128_pd(sum, 1));
}
#endif

pcs_status pcs_single_blocks_init(pcs_single_blocks *copy, const pcs_block_matrix *A,
                                  pcs_arena *arena)
{
    const int64_t entries = A->row_start[A->n];
    *copy = (pcs_single_blocks){.A = A, .multiply = multiply};
#if defined(HAVE_AVX)
    if (__builtin_cpu_supports("avx"))
        copy->multiply = multiply_avx;
#endif
    copy->row_start = PCS_ARENA_ARRAY(arena, int32_t, A->n + 1);
    copy->column = PCS_ARENA_ARRAY(arena, int32_t, entries);
    copy->value = PCS_ARENA_ARRAY(arena, float, 9 * entries + PADDING);
    if (copy->row_start == NULL || copy->column == NULL || copy->value == NULL)
        return PCS_ERROR_MEMORY;
    copy->row_start[0] = 0;
    return PCS_OK;
}

int32_t pcs_single_blocks_count(const pcs_block_matrix *A, const uint8_t *kept, int32_t first,
                                int32_t last)
{
    int32_t count = 0;
    for (int32_t i = first; i < last; i++)
        for (int32_t e = A->row_start[i]; kept[i] && e < A->row_start[i + 1]; e++)
            count += kept[A->column[e]] != 0;
    return count;
}

// Entries of a semidefinite matrix are at most as large as the diagonal entries they stand between;
// those below the smallest number with all digits then hardly count.
static bool is_large_enough(const double *A_ii)
{
    const double trace = A_ii[0] + A_ii[4] + A_ii[8];
    return trace == 0.0 || trace > (double)FLT_MIN / (double)FLT_EPSILON;
}

// The diagonal block by columns; the return value is 0 unless some value is infinite.
static float copy_diagonal(const double *a, float *b)
{
    float sum = 0.0F;
    for (int k = 0; k < 9; k++) {
        b[k % 3 * 3 + k / 3] = (float)a[k];
        sum += 0.0F * (float)a[k];
    }
    return sum;
}

// The other blocks of a row by columns, as entries from `entry` on, and d += (a - b) x, in sums of
// their own for each column. The return value as above.
static float copy_row(pcs_single_blocks *copy, const uint8_t *kept, int32_t i, int32_t entry,
                      const double *x, double d[3][4])
{
    const pcs_block_matrix *A = copy->A;
    float sum = 0.0F;
    for (int32_t e = A->row_start[i]; e < A->row_start[i + 1]; e++) {
        const int32_t j = A->column[e];
        if (j == i || !kept[j])
            continue;
        const double *a = A->value + (int64_t)e * 9, *x_j = x + (int64_t)j * 3;
        float *b = copy->value + (int64_t)entry * 9;
        copy->column[entry++] = j;
        for (int row = 0; row < 3; row++)
            for (int k = 0; k < 3; k++) {
                const float value = (float)a[3 * row + k];
                b[3 * k + row] = value;
                d[row][k] += (a[3 * row + k] - (double)value) * x_j[k];
                sum += 0.0F * value;
            }
    }
    return sum;
}

#if defined(HAVE_AVX)
// Three numbers, and a zero.
#define LOAD_THREE(a) _mm256_maskload_pd(a, _mm256_set_epi64x(0, -1, -1, -1))

__attribute__((target("avx"))) static float copy_row_avx(pcs_single_blocks *copy,
                                                         const uint8_t *kept, int32_t i,
                                                         int32_t entry, const double *x,
                                                         double d[3][4])
{
    const pcs_block_matrix *A = copy->A;
    __m256d d_0 = _mm256_setzero_pd(), d_1 = d_0, d_2 = d_0;
    __m128 sum = _mm_setzero_ps();
    for (int32_t e = A->row_start[i]; e < A->row_start[i + 1]; e++) {
        const int32_t j = A->column[e];
        if (j == i || !kept[j])
            continue;
        const double *a = A->value + (int64_t)e * 9;
        const __m256d x_j = LOAD_THREE(x + (int64_t)j * 3);
        const __m256d a_0 = _mm256_loadu_pd(a), a_1 = _mm256_loadu_pd(a + 3);
        const __m256d a_2 = LOAD_THREE(a + 6);
        __m128 b_0 = _mm256_cvtpd_ps(a_0), b_1 = _mm256_cvtpd_ps(a_1), b_2 = _mm256_cvtpd_ps(a_2);
        __m128 b_3 = _mm_setzero_ps();
        const __m256d rest_0 = _mm256_sub_pd(a_0, _mm256_cvtps_pd(b_0));
        const __m256d rest_1 = _mm256_sub_pd(a_1, _mm256_cvtps_pd(b_1));
        const __m256d rest_2 = _mm256_sub_pd(a_2, _mm256_cvtps_pd(b_2));
        d_0 = _mm256_add_pd(d_0, _mm256_mul_pd(rest_0, x_j));
        d_1 = _mm256_add_pd(d_1, _mm256_mul_pd(rest_1, x_j));
        d_2 = _mm256_add_pd(d_2, _mm256_mul_pd(rest_2, x_j));
        const __m128 largest = _mm_add_ps(_mm_add_ps(_mm_mul_ps(b_3, b_0), _mm_mul_ps(b_3, b_1)),
                                          _mm_mul_ps(b_3, b_2));
        sum = _mm_add_ps(sum, largest);
        _MM_TRANSPOSE4_PS(b_0, b_1, b_2, b_3);
        float *b = copy->value + (int64_t)entry * 9;
        copy->column[entry++] = j;
        _mm_storeu_ps(b, b_0); // the fourth value is written over by the next one
        _mm_storeu_ps(b + 3, b_1);
        _mm_storel_pi((__m64 *)(b + 6), b_2);
        _mm_store_ss(b + 8, _mm_movehl_ps(b_2, b_2));
    }
    _mm256_storeu_pd(d[0], d_0);
    _mm256_storeu_pd(d[1], d_1);
    _mm256_storeu_pd(d[2], d_2);
    float lane[4];
    _mm_storeu_ps(lane, sum);
    return (lane[0] + lane[1]) + (lane[2] + lane[3]);
}
#endif

// A row that is kept
static bool copy_kept_row(pcs_single_blocks *copy, const uint8_t *kept, int32_t i, int32_t entry,
                          const double *x, double *y)
{
    const double *A_ii = copy->A->value + (int64_t)copy->A->diagonal[i] * 9;
    double d[3][4] = {{0.0}};
    float sum = copy_diagonal(A_ii, copy->value + (int64_t)entry * 9);
    copy->column[entry++] = i;
#if defined(HAVE_AVX)
    if (copy->multiply == multiply_avx)
        sum += copy_row_avx(copy, kept, i, entry, x, d);
    else
#endif
        sum += copy_row(copy, kept, i, entry, x, d);
    for (int row = 0; row < 3; row++)
        y[(int64_t)i * 3 + row] += (d[row][0] + d[row][1]) + d[row][2];
    return sum == 0.0F && is_large_enough(A_ii);
}

bool pcs_single_blocks_copy(pcs_single_blocks *copy, const uint8_t *kept, int32_t first,
                            int32_t last, int32_t entry, const double *x, double *y)
{
    bool fits = true;
    for (int32_t i = first; i < last; i++) {
        if (kept[i])
            fits = copy_kept_row(copy, kept, i, entry, x, y) && fits;
        entry += pcs_single_blocks_count(copy->A, kept, i, i + 1);
        copy->row_start[i + 1] = entry;
    }
    for (int k = 0; k < PADDING && last == copy->A->n; k++) // what the last column is read with
        copy->value[(int64_t)entry * 9 + k] = 0.0F;
    return fits;
}
