// Anderson acceleration: QR of the differences with columns added by Gram-Schmidt (twice) and
// removed at the front by Givens rotations.
#include "nonsmooth/anderson.h"

#include <math.h>
#include <string.h>

#include "linalg/kernels.h"

// Smallest ratio of diagonal entries of R: below it the combination is made of rounding errors
// of the differences.
static const double CONDITION = 1e-8;
// A column that loses more than this of its length in Gram-Schmidt is made orthogonal once more.
static const double ORTHOGONAL = 0.5;
// The trust length starts where it does not bind and follows the luck of the steps.
static const double TRUST_START = 1e3, TRUST_NARROW = 4.0, TRUST_WIDEN = 2.0;

pcs_status pcs_anderson_init(pcs_anderson *a, pcs_arena *arena, int32_t rows, int32_t memory,
                             const double *scale)
{
    *a = (pcs_anderson){.rows = rows, .memory = memory, .scale = scale, .trust = TRUST_START};
    a->last_v = PCS_ARENA_ARRAY(arena, double, rows);
    a->last_g = PCS_ARENA_ARRAY(arena, double, rows);
    a->work = PCS_ARENA_ARRAY(arena, double, rows);
    a->step = PCS_ARENA_ARRAY(arena, double, (int64_t)memory *rows);
    a->Q = PCS_ARENA_ARRAY(arena, double, (int64_t)memory *rows);
    a->R = PCS_ARENA_ARRAY(arena, double, (int64_t)memory *memory);
    a->c = PCS_ARENA_ARRAY(arena, double, memory);
    if (a->last_v == NULL || a->last_g == NULL || a->work == NULL || a->step == NULL ||
        a->Q == NULL || a->R == NULL || a->c == NULL)
        return PCS_ERROR_MEMORY;
    return PCS_OK;
}

void pcs_anderson_clear(pcs_anderson *a)
{
    a->count = 0;
    a->head = 0;
    a->has_last = false;
}

// x . y in eight partial sums: the additions do not wait for each other, and their order is fixed.
static double dot(int32_t n, const double *x, const double *y)
{
    double sum[8] = {0.0}, rest = 0.0;
    int32_t k = 0;
#if defined(__GNUC__)
    pcs_kernel_pair s0 = {0.0, 0.0}, s1 = s0, s2 = s0, s3 = s0;
    for (; k + 8 <= n; k += 8) {
        const pcs_kernel_pair *a = (const pcs_kernel_pair *)(x + k);
        const pcs_kernel_pair *b = (const pcs_kernel_pair *)(y + k);
        s0 += a[0] * b[0];
        s1 += a[1] * b[1];
        s2 += a[2] * b[2];
        s3 += a[3] * b[3];
    }
    for (int i = 0; i < 2; i++) {
        sum[i] = s0[i];
        sum[2 + i] = s1[i];
        sum[4 + i] = s2[i];
        sum[6 + i] = s3[i];
    }
#else
    for (; k + 8 <= n; k += 8)
        for (int i = 0; i < 8; i++)
            sum[i] += x[k + i] * y[k + i];
#endif
    for (; k < n; k++)
        rest += x[k] * y[k];
    return ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7])) + rest;
}

// y += s x
static void add_scaled(int32_t n, double s, const double *x, double *y)
{
    int32_t k = 0;
#if defined(__GNUC__)
    for (; k + 4 <= n; k += 4) {
        const pcs_kernel_pair *a = (const pcs_kernel_pair *)(x + k);
        pcs_kernel_pair *b = (pcs_kernel_pair *)(y + k);
        b[0] += s * a[0];
        b[1] += s * a[1];
    }
#endif
    for (; k < n; k++)
        y[k] += s * x[k];
}

// Removes the first column of Q R: R without it is upper Hessenberg; rotations of neighbouring rows
// of R (columns of Q) make it triangular again.
static void drop_oldest(pcs_anderson *a)
{
    const int32_t m = a->memory, n = --a->count;
    for (int32_t i = 0; i <= n; i++) // shift the columns of R to the left
        for (int32_t j = i > 0 ? i - 1 : 0; j < n; j++)
            a->R[i * m + j] = a->R[i * m + j + 1];
    for (int32_t j = 0; j < n; j++) {
        const double p = a->R[j * m + j], s = a->R[(j + 1) * m + j], length = hypot(p, s);
        if (length > 0.0) {
            const double cosine = p / length, sine = s / length;
            for (int32_t k = j; k < n; k++) {
                double *top = &a->R[j * m + k], *low = &a->R[(j + 1) * m + k];
                const double t = cosine * *top + sine * *low;
                *low = cosine * *low - sine * *top;
                *top = t;
            }
            double *q = a->Q + (int64_t)j * a->rows, *next = q + a->rows;
            for (int32_t k = 0; k < a->rows; k++) {
                const double t = cosine * q[k] + sine * next[k];
                next[k] = cosine * next[k] - sine * q[k];
                q[k] = t;
            }
        }
    }
    a->head = (a->head + 1) % m;
}

// Adds the column in `work` to Q R; false if it depends on the others to rounding.
static bool add_column(pcs_anderson *a)
{
    const int32_t m = a->memory, n = a->count;
    const double whole = sqrt(dot(a->rows, a->work, a->work));
    double before, after = whole;
    for (int32_t i = 0; i < n; i++)
        a->R[i * m + n] = 0.0;
    for (int32_t pass = 0; pass < 2; pass++) { // twice is enough
        before = after;
        for (int32_t i = 0; i < n; i++) {
            const double *q = a->Q + (int64_t)i * a->rows;
            const double c = dot(a->rows, q, a->work);
            a->R[i * m + n] += c;
            add_scaled(a->rows, -c, q, a->work);
        }
        after = sqrt(dot(a->rows, a->work, a->work));
        if (after > ORTHOGONAL * before)
            break;
    }
    if (!(after > CONDITION * whole))
        return false;
    double *column = a->Q + (int64_t)n * a->rows;
    for (int32_t k = 0; k < a->rows; k++)
        column[k] = a->work[k] / after;
    a->R[n * m + n] = after;
    a->count++;
    return true;
}

static bool is_ill_conditioned(const pcs_anderson *a)
{
    double low = INFINITY, high = 0.0;
    for (int32_t i = 0; i < a->count; i++) {
        const double d = fabs(a->R[i * a->memory + i]);
        low = fmin(low, d);
        high = fmax(high, d);
    }
    return !(low > CONDITION * high);
}

// Takes in the differences to the last pair.
static void add_difference(pcs_anderson *a, const double *v, const double *g)
{
    if (a->count == a->memory)
        drop_oldest(a);
    for (int32_t k = 0; k < a->rows; k++)
        a->work[k] = a->scale[k] * (g[k] - a->last_g[k]);
    if (!add_column(a)) {
        a->count = 0; // nothing new is seen: start afresh from here
        a->head = 0;
        return;
    }
    double *step = a->step + (int64_t)((a->head + a->count - 1) % a->memory) * a->rows;
    for (int32_t k = 0; k < a->rows; k++)
        step[k] = v[k] - a->last_v[k] + g[k] - a->last_g[k];
    while (a->count > 1 && is_ill_conditioned(a))
        drop_oldest(a);
}

void pcs_anderson_judge(pcs_anderson *a, bool good)
{
    if (!good) {
        a->trust = fmax(1.0, fmin(a->trust, a->reach) / TRUST_NARROW);
        pcs_anderson_clear(a);
    } else if (a->reach > a->trust) {
        a->trust *= TRUST_WIDEN;
    }
}

// c = R^-1 Q^T (scale g), with scale g in `work`
static void compute_coefficients(pcs_anderson *a)
{
    for (int32_t i = 0; i < a->count; i++)
        a->c[i] = dot(a->rows, a->Q + (int64_t)i * a->rows, a->work);
    for (int32_t i = a->count - 1; i >= 0; i--) {
        for (int32_t j = i + 1; j < a->count; j++)
            a->c[i] -= a->R[i * a->memory + j] * a->c[j];
        a->c[i] /= a->R[i * a->memory + i];
    }
}

void pcs_anderson_step(pcs_anderson *a, double *v, const double *g)
{
    if (a->has_last)
        add_difference(a, v, g);
    a->has_last = true;
    memcpy(a->last_v, v, (size_t)a->rows * sizeof *v);
    memcpy(a->last_g, g, (size_t)a->rows * sizeof *g);

    for (int32_t k = 0; k < a->rows; k++)
        a->work[k] = a->scale[k] * g[k];
    const double length = sqrt(dot(a->rows, a->work, a->work));
    compute_coefficients(a);
    memset(a->work, 0, (size_t)a->rows * sizeof *a->work);
    for (int32_t j = 0; j < a->count; j++) // the step beyond T(v)
        add_scaled(a->rows, -a->c[j], a->step + (int64_t)((a->head + j) % a->memory) * a->rows,
                   a->work);
    double square = 0.0;
    for (int32_t k = 0; k < a->rows; k++)
        square += a->scale[k] * a->work[k] * a->scale[k] * a->work[k];
    a->reach = length > 0.0 ? sqrt(square) / length : 0.0;
    const double cut = a->reach > a->trust ? a->trust / a->reach : 1.0;
    for (int32_t k = 0; k < a->rows; k++)
        v[k] += g[k] + cut * a->work[k];
}
