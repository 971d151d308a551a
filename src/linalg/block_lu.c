// Numbers of the sparse LU: fronts are assembled from the blocks of A and the update matrices of
// the children, factored densely, and used once more in the solves [DuffReid1983]. Inactive blocks
// have no rows in the fronts, so that a small active set costs as little as its own factors.
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "linalg/block_lu_internal.h"
#include "linalg/dense.h"
#include "linalg/kernels.h"

// What one factorisation reads
typedef struct values {
    const pcs_block_matrix *A;
    const double *E, *F;
} values;

static int32_t active_size(const pcs_block_lu *lu, int32_t place)
{
    return lu->start[place + 1] - lu->start[place];
}

pcs_front pcs_block_lu_front(const pcs_block_lu *lu, int32_t s)
{
    const int32_t p = lu->n_pivots[s], c = lu->n_rest[s];
    const int64_t ldp = pcs_front_stride(p), ldc = pcs_front_stride(c);
    pcs_front front = {.p = p, .c = c};
    front.inverse = lu->factor + lu->factor_start[s];
    front.F11 = front.inverse + ldp;
    front.F12 = front.F11 + p * ldp;
    front.G = front.F12 + p * ldc;
    front.F22 = lu->update + lu->update_start[s];
    front.pivot = lu->pivot + lu->start[lu->first[s]];
    return front;
}

static pcs_front clear_front(pcs_block_lu *lu, int32_t s, block_lu_part *part)
{
    const int32_t first = lu->first[s], count = lu->first[s + 1] - first;
    const int32_t *rest = lu->rest + lu->rest_start[s];
    const int32_t n_rest = lu->rest_start[s + 1] - lu->rest_start[s];
    int32_t row = 0;
    for (int32_t b = 0; b < count; ++b) {
        part->local[b] = row;
        row += active_size(lu, first + b);
    }
    lu->n_pivots[s] = row;
    for (int32_t b = 0; b < n_rest; ++b) {
        part->local[count + b] = row;
        row += active_size(lu, rest[b]);
    }
    lu->n_rest[s] = row - lu->n_pivots[s];
    const pcs_front front = pcs_block_lu_front(lu, s);
    const size_t ldp = (size_t)pcs_front_stride(front.p), ldc = (size_t)pcs_front_stride(front.c);
    memset(front.F11, 0, sizeof(double) * (size_t)front.p * (ldp + 2 * ldc));
    memset(front.F22, 0, sizeof(double) * (size_t)front.c * ldc);
    return front;
}

// out (rows `row` and columns `column` apart) = F A_ij + E; F NULL: identity, E NULL: zero
static PCS_ALWAYS_INLINE void put_sized(const int32_t m, const int32_t n, const double *F,
                                        const double *restrict A, const double *E,
                                        double *restrict out, int64_t row, int64_t column)
{
    for (int32_t i = 0; i < m; ++i)
        for (int32_t j = 0; j < n; ++j) {
            double sum = A[n * i + j];
            if (F) {
                sum = 0.0;
                for (int32_t q = 0; q < m; ++q)
                    sum += F[m * i + q] * A[n * q + j];
            }
            out[i * row + j * column] = E ? sum + E[m * i + j] : sum;
        }
}

static PCS_ALWAYS_INLINE void put_block(int32_t m, int32_t n, const double *F, const double *A,
                                        const double *E, double *out, int64_t row, int64_t column)
{
    if (m == 3 && n == 3)
        put_sized(3, 3, F, A, E, out, row, column);
    else
        put_sized(m, n, F, A, E, out, row, column);
}

// Blocks F_i A_ij + (i == j) E_i of part 0, 1, 2: F11, F12, F21
static PCS_ALWAYS_INLINE void assemble_part(const pcs_block_lu *lu, int32_t s, const int part,
                                            const values *v, const pcs_front *front,
                                            const int32_t *local)
{
    const int32_t first = lu->first[s], count = lu->first[s + 1] - first, p = front->p;
    const int32_t *rest = lu->rest + lu->rest_start[s] - count;
    const int64_t ldp = pcs_front_stride(p), ldc = pcs_front_stride(front->c);
    const int64_t end = lu->entry_start[3 * (int64_t)s + part + 1];
    for (int64_t k = lu->entry_start[3 * (int64_t)s + part]; k < end; ++k) {
        const block_lu_entry *e = &lu->entries[k];
        const int32_t i = part == 2 ? rest[e->row] : first + e->row;
        const int32_t j = part == 1 ? rest[e->column] : first + e->column;
        const int32_t m = active_size(lu, i), n = active_size(lu, j);
        if (m == 0 || n == 0)
            continue;
        const int64_t block = lu->block[i], row = local[e->row], column = local[e->column];
        const double *F = v->F ? v->F + block * PCS_BLOCK_LU_STRIDE : NULL;
        const double *E = i == j && v->E ? v->E + block * PCS_BLOCK_LU_STRIDE : NULL;
        const double *A = v->A->value + v->A->value_start[e->entry];
        if (part == 0)
            put_block(m, n, F, A, E, front->F11 + row * ldp + column, ldp, 1);
        else if (part == 1)
            put_block(m, n, F, A, NULL, front->F12 + row * ldc + column - p, ldc, 1);
        else
            put_block(m, n, F, A, NULL, front->G + column * ldc + row - p, 1, ldc);
    }
}

static PCS_ALWAYS_INLINE double larger(double a, double b)
{
    return a > b ? a : b;
}

// Largest entries of the rows and columns of F11 as they come from J; both arrays padded like a row
static void measure_pivots(const pcs_front *front, double *restrict row_scale,
                           double *restrict column_scale)
{
    const int32_t ld = pcs_front_stride(front->p);
    memset(column_scale, 0, sizeof(double) * (size_t)ld);
    for (int32_t i = 0; i < front->p; ++i) {
        const double *restrict row = front->F11 + (int64_t)i * ld;
        double lane[4] = {0.0, 0.0, 0.0, 0.0};
        for (int32_t j = 0; j < ld; j += 4)
            for (int32_t q = 0; q < 4; ++q) {
                const double size = fabs(row[j + q]);
                lane[q] = larger(size, lane[q]);
                column_scale[j + q] = larger(size, column_scale[j + q]);
            }
        row_scale[i] = larger(larger(lane[0], lane[1]), larger(lane[2], lane[3]));
    }
}

static void add(int32_t n, const double *restrict from, double *restrict to)
{
    for (int32_t i = 0; i < n; ++i)
        to[i] += from[i];
}

// Runs of the child's rows that are neighbours in the parent, those of the parent's pivots first.
// Returns the number of runs; *n_pivot_runs of them are in the pivots.
static int32_t find_runs(pcs_block_lu *lu, int32_t child, int32_t p, block_lu_part *part,
                         int32_t *n_pivot_runs)
{
    int32_t count = 0, from = 0;
    *n_pivot_runs = 0;
    for (int32_t t = lu->rest_start[child]; t < lu->rest_start[child + 1]; ++t) {
        const int32_t size = active_size(lu, lu->rest[t]), to = part->local[lu->relative[t]];
        lu->target[t] = to;
        if (size == 0)
            continue;
        if (count > 0 && to != p && part->target[count - 1] + part->length[count - 1] == to) {
            part->length[count - 1] += size;
        } else {
            part->source[count] = from;
            part->target[count] = to;
            part->length[count++] = size;
            *n_pivot_runs += to < p;
        }
        from += size;
    }
    return count;
}

// Adds the update matrix of a child to the front
static void extend_add(pcs_block_lu *lu, int32_t child, const pcs_front *front, block_lu_part *part)
{
    int32_t n_pivot_runs;
    const int32_t p = front->p, n_runs = find_runs(lu, child, p, part, &n_pivot_runs);
    const int32_t *source = part->source, *target = part->target, *length = part->length;
    const int64_t ldp = pcs_front_stride(p), ldc = pcs_front_stride(front->c);
    const int64_t ldu = pcs_front_stride(lu->n_rest[child]);
    const double *update = lu->update + lu->update_start[child];
    for (int32_t a = 0; a < n_runs; ++a)
        for (int32_t i = 0; i < length[a]; ++i) {
            const int32_t row = target[a] + i;
            const double *from = update + (source[a] + i) * ldu;
            double *to = row < p ? front->F12 + row * ldc - p : front->F22 + (row - p) * ldc - p;
            for (int32_t b = 0; b < n_pivot_runs && row < p; ++b)
                add(length[b], from + source[b], front->F11 + row * ldp + target[b]);
            for (int32_t b = n_pivot_runs; b < n_runs; ++b)
                add(length[b], from + source[b], to + target[b]);
        }
    for (int32_t b = 0; b < n_pivot_runs; ++b) // F21, held by columns
        for (int32_t j = 0; j < length[b]; ++j) {
            double *to = front->G + (target[b] + j) * ldc - p;
            for (int32_t a = n_pivot_runs; a < n_runs; ++a) {
                const double *from = update + source[a] * ldu + source[b] + j;
                for (int32_t i = 0; i < length[a]; ++i)
                    to[target[a] + i] += from[i * ldu];
            }
        }
}

// Place of the block that holds pivot `column` of the front
static int32_t place_of_pivot(const pcs_block_lu *lu, int32_t s, int32_t column)
{
    int32_t place = lu->first[s];
    while (lu->start[place + 1] - lu->start[lu->first[s]] <= column)
        ++place;
    return place;
}

// Fronts are many and most are small: asked once in so much work.
static bool is_over(pcs_block_lu *lu, const pcs_front *front)
{
    const double between = 5e6; // ns
    if (lu->tasks)
        return false;
    lu->unwatched += pcs_block_lu_front_cost(front->p, front->c);
    if (lu->unwatched < between)
        return false;
    lu->unwatched = 0;
    return pcs_front_watch_is_over(&lu->watch);
}

// Returns -1, or the place without a usable pivot
static int32_t factor_supernode(pcs_block_lu *lu, int32_t s, const values *v, block_lu_part *part)
{
    const pcs_front front = clear_front(lu, s, part);
    if (is_over(lu, &front))
        return lu->first[s];
    assemble_part(lu, s, 0, v, &front, part->local);
    assemble_part(lu, s, 1, v, &front, part->local);
    assemble_part(lu, s, 2, v, &front, part->local);
    measure_pivots(&front, part->row_scale, part->column_scale);
    for (int32_t k = 0; k < front.p && lu->unusable != 1.0; ++k) {
        part->row_scale[k] *= lu->unusable;
        part->column_scale[k] *= lu->unusable;
    }
    for (int32_t child = lu->child[s]; child >= 0; child = lu->sibling[child])
        extend_add(lu, child, &front, part);
    const int32_t bad = pcs_front_factor(&part->team, &front, part->row_scale, part->column_scale);
    if (lu->watch.over)
        return lu->first[s];
    return bad < 0 ? -1 : place_of_pivot(lu, s, bad);
}

void pcs_block_lu_set_tolerance(pcs_block_lu *lu, double tolerance)
{
    lu->unusable = tolerance / PCS_DENSE_SINGULAR;
}

void pcs_block_lu_set_watch(pcs_block_lu *lu, pcs_watch watch)
{
    lu->watch = (pcs_front_watch){.watch = watch};
}

void pcs_block_lu_set_tasks(pcs_block_lu *lu, pcs_tasks *tasks)
{
    lu->tasks = tasks;
    lu->parts[lu->n_parts].team.tasks = tasks; // in the parts the threads have enough to do
}

typedef struct factor_job {
    pcs_block_lu *lu;
    const values *v;
} factor_job;

static void factor_part(void *user, int32_t index)
{
    const factor_job *job = user;
    block_lu_part *part = &job->lu->parts[index];
    part->bad = -1;
    for (int32_t s = part->first; s < part->end && part->bad < 0; ++s)
        part->bad = factor_supernode(job->lu, s, job->v, part);
}

int32_t pcs_block_lu_factor(pcs_block_lu *lu, const pcs_block_matrix *A, const double *E,
                            const double *F, const uint8_t *active)
{
    const values v = {A, E, F};
    factor_job job = {lu, &v};
    lu->factored = false;
    lu->watch.over = false;
    for (int32_t j = 0; j < lu->n; ++j)
        lu->start[j + 1] = lu->start[j] + (!active || active[lu->block[j]] ? lu->size[j] : 0);
    pcs_tasks_run(lu->tasks, factor_part, &job, lu->n_parts);
    for (int32_t k = 0; k < lu->n_parts; ++k) // in the order of elimination
        if (lu->parts[k].bad >= 0)
            return lu->block[lu->parts[k].bad];
    for (int32_t k = 0; k < lu->n_top; ++k) {
        const int32_t bad = factor_supernode(lu, lu->top[k], &v, &lu->parts[lu->n_parts]);
        if (bad >= 0)
            return lu->block[bad];
    }
    lu->factored = true;
    return -1;
}

// w_s <- the children's vectors + L21 y, y <- L11^{-1} P (y - the children's vectors)
static void forward(pcs_block_lu *lu, int32_t s)
{
    const pcs_front front = pcs_block_lu_front(lu, s);
    double *y = lu->y + lu->start[lu->first[s]], *w = lu->w + lu->w_start[s];
    memset(w, 0, sizeof(double) * (size_t)pcs_front_stride(front.c));
    for (int32_t child = lu->child[s]; child >= 0; child = lu->sibling[child]) {
        const double *from = lu->w + lu->w_start[child];
        for (int32_t t = lu->rest_start[child]; t < lu->rest_start[child + 1]; ++t) {
            const int32_t size = active_size(lu, lu->rest[t]), row = lu->target[t];
            for (int32_t i = 0; i < size; ++i, ++from)
                if (row < front.p)
                    y[row + i] -= *from;
                else
                    w[row - front.p + i] += *from;
        }
    }
    if (front.p > 0)
        pcs_front_forward(lu->parts[0].team.kernels, &front, y, w);
}

static void backward(pcs_block_lu *lu, int32_t s, block_lu_part *part)
{
    const pcs_front front = pcs_block_lu_front(lu, s);
    if (front.p == 0)
        return;
    double *w = part->w;
    for (int32_t t = lu->rest_start[s]; t < lu->rest_start[s + 1]; ++t)
        for (int32_t i = lu->start[lu->rest[t]]; i < lu->start[lu->rest[t] + 1]; ++i)
            *w++ = lu->y[i];
    while (w < part->w + pcs_front_stride(front.c))
        *w++ = 0.0;
    pcs_front_backward(part->team.kernels, &front, lu->y + lu->start[lu->first[s]], part->w);
}

static void forward_part(void *user, int32_t index)
{
    pcs_block_lu *lu = user;
    for (int32_t s = lu->parts[index].first; s < lu->parts[index].end; ++s)
        forward(lu, s);
}

static void backward_part(void *user, int32_t index)
{
    pcs_block_lu *lu = user;
    block_lu_part *part = &lu->parts[index];
    for (int32_t s = part->end - 1; s >= part->first; --s)
        backward(lu, s, part);
}

void pcs_block_lu_solve(pcs_block_lu *lu, double *x)
{
    if (!lu->factored)
        return;
    for (int32_t j = 0; j < lu->n; ++j)
        for (int32_t i = lu->start[j]; i < lu->start[j + 1]; ++i)
            lu->y[i] = x[lu->from[j] + i - lu->start[j]];
    pcs_tasks_run(lu->tasks, forward_part, lu, lu->n_parts);
    for (int32_t k = 0; k < lu->n_top; ++k)
        forward(lu, lu->top[k]);
    for (int32_t k = lu->n_top - 1; k >= 0; --k)
        backward(lu, lu->top[k], &lu->parts[lu->n_parts]);
    pcs_tasks_run(lu->tasks, backward_part, lu, lu->n_parts);
    for (int32_t j = 0; j < lu->n; ++j)
        for (int32_t i = lu->start[j]; i < lu->start[j + 1]; ++i)
            x[lu->from[j] + i - lu->start[j]] = lu->y[i];
}

int pcs_block_lu_sign(const pcs_block_lu *lu)
{
    int sign = lu->factored ? 1 : 0;
    for (int32_t s = 0; s < lu->n_supernodes; s++) {
        const pcs_front front = pcs_block_lu_front(lu, s);
        for (int32_t k = 0; k < front.p; k++)
            sign = (front.inverse[k] < 0.0) != (front.pivot[k] != k) ? -sign : sign;
    }
    return sign;
}
