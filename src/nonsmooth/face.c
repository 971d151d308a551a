// Elimination with complete pivoting settles a regular system, and a singular one that contradicts
// itself. A consistent singular one is x = p + N t with t free, and the inequalities become
//
//     A t + a >= 0,     A = G N,     a = G p + g.
//
// One unknown t: an interval. More: linear programs, first for any point, then for the least and
// the largest c . t of a random c, which on a polyhedron of more than one point differ (or are not
// bounded). They are solved as monotone complementarity problems by Lemke's method,
//
//     c - A^T lambda = 0,     0 <= A t + a \perp lambda >= 0.
#include "nonsmooth/face.h"

#include <math.h>
#include <string.h>

#include "base/random.h"
#include "linalg/kernels.h"
#include "nonsmooth/mlcp_internal.h"

// Pivots below this part of the largest one are zero.
static const double RANK_TOLERANCE = 1e-11;
// Two points of a face further apart than this, relative to their size, are different.
static const double APART = 1e-6;

typedef struct face_work {
    int32_t n, rank, m; // m inequalities
    double *B, *rhs;    // being eliminated
    int32_t *order;     // unknown of each column
    double *N;          // n x (n - rank), row-major
    double *A, *a;      // m x (n - rank)
} face_work;

static pcs_status face_work_init(face_work *k, const pcs_face *face, pcs_arena *arena)
{
    const int32_t n = face->n, m = face->inequalities;
    const int64_t square = (int64_t)n * n, rectangle = (int64_t)m * n;
    *k = (face_work){.n = n, .m = m};
    k->B = PCS_ARENA_ARRAY(arena, double, square);
    k->rhs = PCS_ARENA_ARRAY(arena, double, n);
    k->order = PCS_ARENA_ARRAY(arena, int32_t, n);
    k->N = PCS_ARENA_ARRAY(arena, double, square);
    k->A = PCS_ARENA_ARRAY(arena, double, rectangle);
    k->a = PCS_ARENA_ARRAY(arena, double, m);
    if (!k->B || !k->rhs || !k->order || !k->N || !k->A || !k->a)
        return PCS_ERROR_MEMORY;
    for (int32_t i = 0; i < n; i++) {
        for (int32_t j = 0; j < n; j++)
            k->B[(int64_t)i * n + j] = face->B[(int64_t)i * n + j];
        k->rhs[i] = -face->b[i];
        k->order[i] = i;
    }
    return PCS_OK;
}

static void swap_values(double *a, double *b)
{
    const double a_value = *a;
    *a = *b;
    *b = a_value;
}

// Brings the largest entry of the rows and columns from `first` on to the diagonal; returns it.
static double bring_pivot(face_work *k, int32_t first)
{
    const int32_t n = k->n;
    int32_t r = first, c = first;
    for (int32_t i = first; i < n; i++)
        for (int32_t j = first; j < n; j++)
            if (fabs(k->B[(int64_t)i * n + j]) > fabs(k->B[(int64_t)r * n + c])) {
                r = i;
                c = j;
            }
    for (int32_t j = 0; j < n; j++)
        swap_values(&k->B[(int64_t)r * n + j], &k->B[(int64_t)first * n + j]);
    for (int32_t i = 0; i < n; i++)
        swap_values(&k->B[(int64_t)i * n + c], &k->B[(int64_t)i * n + first]);
    swap_values(&k->rhs[r], &k->rhs[first]);
    const int32_t unknown = k->order[c];
    k->order[c] = k->order[first];
    k->order[first] = unknown;
    return k->B[(int64_t)first * n + first];
}

// B = L U as far as the rank goes; false if the rows beyond it contradict the others.
static bool eliminate(face_work *k)
{
    const int32_t n = k->n;
    double largest = 0.0, size = 0.0;
    for (int32_t i = 0; i < n; i++)
        size = fmax(size, fabs(k->rhs[i]));
    for (k->rank = 0; k->rank < n; k->rank++) {
        const int32_t p = k->rank;
        const double pivot = bring_pivot(k, p);
        largest = fmax(largest, fabs(pivot));
        if (!(fabs(pivot) > RANK_TOLERANCE * largest))
            break;
        for (int32_t i = p + 1; i < n; i++) {
            const double factor = k->B[(int64_t)i * n + p] / pivot;
            for (int32_t j = p; factor != 0.0 && j < n; j++)
                k->B[(int64_t)i * n + j] -= factor * k->B[(int64_t)p * n + j];
            k->rhs[i] -= factor * k->rhs[p];
            size = fmax(size, fabs(k->rhs[i]));
        }
    }
    for (int32_t i = k->rank; i < n; i++)
        if (fabs(k->rhs[i]) > PCS_FACE_TOLERANCE * size)
            return false;
    return true;
}

// x <- the solution of U x = rhs whose unknowns beyond the rank are zero; x has `stride`.
static void back_substitute(const face_work *k, const double *rhs, int32_t rhs_stride, double sign,
                            double *x, int32_t stride)
{
    const int32_t n = k->n;
    for (int32_t i = k->rank - 1; i >= 0; i--) {
        double sum = sign * rhs[(int64_t)i * rhs_stride];
        for (int32_t j = i + 1; j < k->rank; j++)
            sum -= k->B[(int64_t)i * n + j] * x[(int64_t)k->order[j] * stride];
        x[(int64_t)k->order[i] * stride] = sum / k->B[(int64_t)i * n + i];
    }
}

// Null vector l has unknown rank + l equal to one.
static void compute_null_space(face_work *k)
{
    const int32_t n = k->n, d = n - k->rank;
    memset(k->N, 0, (size_t)n * (size_t)d * sizeof *k->N);
    for (int32_t l = 0; l < d; l++) {
        back_substitute(k, k->B + k->rank + l, n, -1.0, k->N + l, d);
        k->N[(int64_t)k->order[k->rank + l] * d + l] = 1.0;
    }
}

// row . x + constant, and the size of its terms
static double affine(int32_t n, const double *row, const double *x, double constant, double *size)
{
    double sum = constant;
    *size = fmax(1.0, fabs(constant));
    for (int32_t j = 0; j < n; j++) {
        sum += row[j] * x[j];
        *size = fmax(*size, fabs(row[j] * x[j]));
    }
    return sum;
}

static bool holds(const pcs_face *face, const double *x)
{
    double size;
    for (int32_t i = 0; i < face->n; i++)
        if (!(fabs(affine(face->n, face->B + (int64_t)i * face->n, x, face->b[i], &size)) <=
              PCS_FACE_TOLERANCE * size))
            return false;
    for (int32_t i = 0; i < face->inequalities; i++)
        if (!(affine(face->n, face->G + (int64_t)i * face->n, x, face->g[i], &size) >=
              -PCS_FACE_TOLERANCE * size))
            return false;
    return true;
}

// A and a, each row scaled to the size 1; false if a row without t is violated.
static bool compute_inequalities(face_work *k, const pcs_face *face, const double *p)
{
    const int32_t n = k->n, d = n - k->rank;
    for (int32_t i = 0; i < k->m; i++) {
        const double *G = face->G + (int64_t)i * n;
        double *A = k->A + (int64_t)i * d, size, largest = 0.0;
        k->a[i] = affine(n, G, p, face->g[i], &size);
        memset(A, 0, (size_t)d * sizeof *A);
        for (int32_t j = 0; j < n; j++)
            for (int32_t l = 0; G[j] != 0.0 && l < d; l++)
                A[l] += G[j] * k->N[(int64_t)j * d + l];
        for (int32_t l = 0; l < d; l++)
            largest = fmax(largest, fabs(A[l]));
        if (largest <= RANK_TOLERANCE * size) {
            if (k->a[i] < -PCS_FACE_TOLERANCE * size)
                return false;
            memset(A, 0, (size_t)d * sizeof *A);
            k->a[i] = 1.0;
            continue;
        }
        for (int32_t l = 0; l < d; l++)
            A[l] /= largest;
        k->a[i] = (k->a[i] + PCS_FACE_TOLERANCE * size) / largest;
    }
    return true;
}

static pcs_face_kind probe_interval(const face_work *k, double *t)
{
    double low = -INFINITY, high = INFINITY;
    for (int32_t i = 0; i < k->m; i++) {
        if (k->A[i] > 0.0)
            low = fmax(low, -k->a[i] / k->A[i]);
        else if (k->A[i] < 0.0)
            high = fmin(high, -k->a[i] / k->A[i]);
    }
    if (low > high)
        return PCS_FACE_EMPTY;
    if (isfinite(low) && isfinite(high))
        *t = 0.5 * (low + high);
    else if (isfinite(low))
        *t = low + 1.0;
    else
        *t = isfinite(high) ? high - 1.0 : 0.0;
    return high - low > APART * fmax(1.0, fabs(*t)) ? PCS_FACE_MANY : PCS_FACE_POINT;
}

typedef struct linear_program {
    pcs_mlcp problem; // unknowns t, then lambda
    double *M, *q;
    uint8_t *equality;
    double *y;
} linear_program;

static pcs_status program_init(linear_program *p, const face_work *k, pcs_arena *arena)
{
    const int32_t d = k->n - k->rank, size = d + k->m;
    const int64_t square = (int64_t)size * size;
    p->M = PCS_ARENA_ARRAY(arena, double, square);
    p->q = PCS_ARENA_ARRAY(arena, double, size);
    p->equality = PCS_ARENA_ARRAY(arena, uint8_t, size);
    p->y = PCS_ARENA_ARRAY(arena, double, size);
    if (!p->M || !p->q || !p->equality || !p->y)
        return PCS_ERROR_MEMORY;
    p->problem = (pcs_mlcp){size, p->M, p->q, p->equality};
    memset(p->M, 0, (size_t)size * (size_t)size * sizeof *p->M);
    for (int32_t i = 0; i < size; i++) {
        p->equality[i] = i < d;
        p->q[i] = i < d ? 0.0 : k->a[i - d];
        for (int32_t j = 0; i >= d && j < d; j++) {
            const double entry = k->A[(int64_t)(i - d) * d + j];
            p->M[(int64_t)i * size + j] = entry;
            p->M[(int64_t)j * size + i] = -entry;
        }
    }
    return PCS_OK;
}

static pcs_status program_solve(linear_program *p, pcs_arena *arena, pcs_lemke_end *end)
{
    int32_t pivots = 0;
    return pcs_lemke_solve(&p->problem, 0, 0, NULL, arena, p->y, end, &pivots);
}

static pcs_status probe_by_programs(const face_work *k, pcs_arena *arena, double *t,
                                    pcs_face_kind *kind)
{
    const int32_t d = k->n - k->rank;
    double *c = PCS_ARENA_ARRAY(arena, double, d), value[2] = {0.0, 0.0}, size = 1.0;
    linear_program program;
    pcs_random random;
    pcs_lemke_end end;
    PCS_TRY(program_init(&program, k, arena));
    PCS_TRY(program_solve(&program, arena, &end));
    if (!c)
        return PCS_ERROR_MEMORY;
    *kind = end == PCS_LEMKE_RAY ? PCS_FACE_EMPTY : PCS_FACE_UNDECIDED;
    if (end != PCS_LEMKE_SOLVED)
        return PCS_OK;
    memcpy(t, program.y, (size_t)d * sizeof *t);
    pcs_random_init(&random, (uint64_t)d);
    for (int32_t i = 0; i < d; i++)
        c[i] = pcs_random_between(&random, 0.5, 1.5) * (pcs_random_next(&random) % 2 ? 1.0 : -1.0);
    for (int side = 0; side < 2; side++) {
        for (int32_t i = 0; i < d; i++)
            program.q[i] = side == 0 ? c[i] : -c[i];
        PCS_TRY(program_solve(&program, arena, &end));
        if (end != PCS_LEMKE_SOLVED) {
            *kind = end == PCS_LEMKE_RAY ? PCS_FACE_MANY : PCS_FACE_UNDECIDED;
            return PCS_OK;
        }
        value[side] = pcs_kernel_dot(d, c, program.y);
        for (int32_t i = 0; i < d; i++)
            size = fmax(size, fabs(program.y[i]));
    }
    *kind = fabs(value[0] - value[1]) > APART * size ? PCS_FACE_MANY : PCS_FACE_POINT;
    return PCS_OK;
}

static pcs_status probe(const pcs_face *face, pcs_arena *arena, double *x, pcs_face_kind *kind)
{
    face_work k;
    const int32_t n = face->n;
    *kind = PCS_FACE_EMPTY;
    PCS_TRY(face_work_init(&k, face, arena));
    if (!eliminate(&k))
        return PCS_OK;
    memset(x, 0, (size_t)n * sizeof *x);
    back_substitute(&k, k.rhs, 1, 1.0, x, 1);
    const int32_t d = n - k.rank;
    if (d == 0) {
        *kind = holds(face, x) ? PCS_FACE_POINT : PCS_FACE_EMPTY;
        return PCS_OK;
    }
    double *t = PCS_ARENA_ARRAY(arena, double, d);
    if (!t)
        return PCS_ERROR_MEMORY;
    compute_null_space(&k);
    if (!compute_inequalities(&k, face, x))
        return PCS_OK;
    if (d == 1)
        *kind = probe_interval(&k, t);
    else
        PCS_TRY(probe_by_programs(&k, arena, t, kind));
    if (*kind == PCS_FACE_EMPTY || *kind == PCS_FACE_UNDECIDED)
        return PCS_OK;
    for (int32_t i = 0; i < n; i++)
        x[i] += pcs_kernel_dot(d, k.N + (int64_t)i * d, t);
    return PCS_OK;
}

pcs_status pcs_face_probe(const pcs_face *face, pcs_arena *arena, double *x, pcs_face_kind *kind)
{
    const pcs_arena_mark mark = pcs_arena_get_mark(arena);
    const pcs_status status = probe(face, arena, x, kind);
    pcs_arena_release(arena, mark);
    return status;
}
