// Time of the sparse LU of contact matrices against KLU on the same matrix in the same run: order
// and analysis, factorisation, solve. The patterns are those of contacts that share a body: a
// chain, a pile of grains, a tower of bricks with many contacts on each pair, a cubic packing.
// Single-thread figures are CPU time, the speed-up of two threads is that of the wall clock.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "base/tasks.h"
#include "base/timer.h"
#include "linalg/block_lu.h"
#include "linalg/sparse.h"
#include "support/measure.h"

enum { REPEATS = 9, SIZE = 3 };
static const double KLU_LIMIT = 2e9; // operations of our factors above which KLU takes minutes

typedef struct contact {
    int32_t a, b; // bodies; b < 0: the ground
} contact;

static void check(pcs_status status, pcs_context *ctx)
{
    if (status != PCS_OK) {
        fprintf(stderr, "bench_block_lu: %s\n", pcs_context_error(ctx));
        exit(EXIT_FAILURE);
    }
}

static void *get(int64_t count, size_t size)
{
    void *block = calloc((size_t)count + 1, size);
    if (!block)
        exit(EXIT_FAILURE);
    return block;
}

static int ascending(const void *a, const void *b)
{
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

// Pattern of W: contacts are neighbours when they share a body
static void form_matrix(int32_t n_bodies, int32_t n, const contact *contacts, pcs_block_matrix *A)
{
    int32_t *start = get(n_bodies + 1, sizeof(int32_t)),
            *touch = get(2 * (int64_t)n, sizeof(int32_t));
    for (int32_t i = 0; i < n; ++i)
        for (int side = 0; side < 2; ++side) {
            const int32_t body = side == 0 ? contacts[i].a : contacts[i].b;
            if (body >= 0)
                ++start[body + 1];
        }
    for (int32_t k = 0; k < n_bodies; ++k)
        start[k + 1] += start[k];
    int32_t *next = get(n_bodies, sizeof(int32_t));
    memcpy(next, start, sizeof(int32_t) * (size_t)n_bodies);
    int64_t bound = 0;
    for (int32_t i = 0; i < n; ++i)
        for (int side = 0; side < 2; ++side) {
            const int32_t body = side == 0 ? contacts[i].a : contacts[i].b;
            if (body < 0)
                continue;
            touch[next[body]++] = i;
            bound += start[body + 1] - start[body];
        }
    int32_t *offset = get(n + 1, sizeof(int32_t)), *row_start = get(n + 1, sizeof(int32_t));
    int32_t *column = get(bound + n, sizeof(int32_t)), *diagonal = get(n, sizeof(int32_t));
    int32_t *mark = get(n, sizeof(int32_t)), count = 0;
    for (int32_t i = 0; i < n; ++i) {
        offset[i + 1] = SIZE * (i + 1);
        for (int side = 0; side < 2; ++side) {
            const int32_t body = side == 0 ? contacts[i].a : contacts[i].b;
            for (int32_t t = body < 0 ? 0 : start[body]; body >= 0 && t < start[body + 1]; ++t)
                if (mark[touch[t]] != i + 1) {
                    mark[touch[t]] = i + 1;
                    column[count++] = touch[t];
                }
        }
        row_start[i + 1] = count;
        qsort(column + row_start[i], (size_t)(count - row_start[i]), sizeof(int32_t), ascending);
        for (int32_t k = row_start[i]; k < count; ++k)
            if (column[k] == i)
                diagonal[i] = k;
    }
    int64_t *value_start = get(count, sizeof(int64_t));
    double *value = get((int64_t)count * SIZE * SIZE, sizeof(double));
    pcs_random random;
    pcs_random_init(&random, 2385);
    for (int64_t k = 0; k < count; ++k)
        value_start[k] = k * SIZE * SIZE;
    for (int64_t k = 0; k < (int64_t)count * SIZE * SIZE; ++k)
        value[k] = pcs_random_between(&random, -1.0, 1.0);
    *A = (pcs_block_matrix){n, offset, row_start, column, value_start, diagonal, value};
    free(start);
    free(touch);
    free(next);
    free(mark);
}

static void free_matrix(pcs_block_matrix *A)
{
    free((void *)A->offset);
    free((void *)A->row_start);
    free((void *)A->column);
    free((void *)A->value_start);
    free((void *)A->diagonal);
    free(A->value);
}

// E = shift I, so that rows dominate and no pivot order is better than another
static double *form_shift(const pcs_block_matrix *A)
{
    double *E = get((int64_t)A->n * PCS_BLOCK_LU_STRIDE, sizeof(double));
    for (int32_t i = 0; i < A->n; ++i) {
        const int32_t size = A->offset[i + 1] - A->offset[i];
        double shift = 0.0;
        for (int64_t v = A->value_start[A->row_start[i]];
             v < A->value_start[A->row_start[i + 1] - 1]; ++v)
            shift += fabs(A->value[v]);
        for (int32_t q = 0; q < size; ++q)
            E[(int64_t)i * PCS_BLOCK_LU_STRIDE + q * (size + 1)] = 1.0 + shift;
    }
    return E;
}

static pcs_status form_scalar(pcs_context *ctx, const pcs_block_matrix *A, const double *E,
                              pcs_sparse *out)
{
    int64_t count = 0;
    const int64_t bound = 9 * (int64_t)A->row_start[A->n];
    int32_t *row = get(bound, sizeof(int32_t)), *column = get(bound, sizeof(int32_t));
    double *value = get(bound, sizeof(double));
    for (int32_t i = 0; i < A->n; ++i)
        for (int32_t k = A->row_start[i]; k < A->row_start[i + 1]; ++k) {
            const int32_t j = A->column[k], m = A->offset[i + 1] - A->offset[i];
            const int32_t c = A->offset[j + 1] - A->offset[j];
            for (int32_t q = 0; q < m; ++q)
                for (int32_t r = 0; r < c; ++r) {
                    row[count] = A->offset[i] + q;
                    column[count] = A->offset[j] + r;
                    value[count++] = A->value[A->value_start[k] + q * c + r] +
                                     (i == j ? E[i * PCS_BLOCK_LU_STRIDE + q * m + r] : 0.0);
                }
        }
    const pcs_status status = pcs_sparse_create(ctx, A->offset[A->n], A->offset[A->n],
                                                (int32_t)count, row, column, value, NULL, out);
    free(row);
    free(column);
    free(value);
    return status;
}

static double residual(const pcs_block_matrix *A, const double *E, const double *x)
{
    const int32_t rows = A->offset[A->n];
    double *y = get(rows, sizeof(double)), worst = 0.0;
    pcs_block_matrix_multiply(A, x, y);
    for (int32_t i = 0; i < A->n; ++i) {
        const int32_t m = A->offset[i + 1] - A->offset[i];
        for (int32_t q = 0; q < m; ++q) {
            double sum = y[A->offset[i] + q] - 1.0;
            for (int32_t r = 0; r < m; ++r)
                sum += E[i * PCS_BLOCK_LU_STRIDE + q * m + r] * x[A->offset[i] + r];
            worst = fmax(worst, fabs(sum));
        }
    }
    free(y);
    return worst;
}

static void fill_ones(int32_t n, double *x)
{
    for (int32_t i = 0; i < n; ++i)
        x[i] = 1.0;
}

// Seconds of factor and solve with KLU, the pivots known
static void measure_klu(pcs_context *ctx, const pcs_block_matrix *A, const double *E, double *x,
                        double *factor, double *solve)
{
    pcs_sparse J;
    pcs_sparse_lu *lu;
    check(form_scalar(ctx, A, E, &J), ctx);
    check(pcs_sparse_lu_create(ctx, &J.pattern, &lu), ctx);
    check(pcs_sparse_lu_factor(lu, J.value), ctx);
    *factor = *solve = 1e30;
    double spent = 0.0;
    for (int repeat = 0; repeat < REPEATS && spent < 1.0; ++repeat) {
        const double t0 = bench_cpu_time();
        check(pcs_sparse_lu_factor(lu, J.value), ctx);
        const double t1 = bench_cpu_time();
        fill_ones(A->offset[A->n], x);
        pcs_sparse_lu_solve(lu, 1, x);
        const double t2 = bench_cpu_time();
        *factor = fmin(*factor, t1 - t0);
        *solve = fmin(*solve, t2 - t1);
        spent += t2 - t0;
    }
    pcs_sparse_lu_destroy(lu);
    pcs_sparse_destroy(ctx, &J);
}

typedef double (*clock_fn)(void); // CPU time for one thread, the wall clock for more

static double measure_factor(pcs_block_lu *lu, const pcs_block_matrix *A, const double *E,
                             clock_fn now)
{
    double best = 1e30;
    for (int repeat = 0; repeat < 3 * REPEATS; ++repeat) {
        const double start = now();
        if (pcs_block_lu_factor(lu, A, E, NULL, NULL) >= 0)
            exit(EXIT_FAILURE);
        best = fmin(best, now() - start);
    }
    return best;
}

static double measure_solve(pcs_block_lu *lu, int32_t rows, double *x, clock_fn now)
{
    double best = 1e30;
    for (int repeat = 0; repeat < 3 * REPEATS; ++repeat) {
        fill_ones(rows, x);
        const double start = now();
        pcs_block_lu_solve(lu, x);
        best = fmin(best, now() - start);
    }
    return best;
}

static void bench(const char *name, const pcs_block_matrix *A)
{
    pcs_context *ctx = pcs_context_create(NULL);
    pcs_arena arena;
    pcs_arena_init(&arena, ctx);
    pcs_block_lu *lu = NULL;
    pcs_tasks *tasks = NULL;
    const int32_t rows = A->offset[A->n];
    double *E = form_shift(A), *x = get(rows, sizeof(double));
    double analyse = 1e30, klu_factor = 0.0, klu_solve = 0.0;
    for (int repeat = 0; repeat < REPEATS; ++repeat) {
        check(pcs_arena_reset(&arena), ctx);
        const double start = bench_cpu_time();
        check(pcs_block_lu_analyse(&arena, A, NULL, &lu), ctx);
        analyse = fmin(analyse, bench_cpu_time() - start);
    }
    const double factor = measure_factor(lu, A, E, bench_cpu_time);
    const double solve = measure_solve(lu, rows, x, bench_cpu_time);
    const double error = residual(A, E, x), flops = pcs_block_lu_operations(lu);
    double factor_ratio = measure_factor(lu, A, E, pcs_timer_now);
    double solve_ratio = measure_solve(lu, rows, x, pcs_timer_now);
    check(pcs_tasks_create(ctx, 2, &tasks), ctx);
    pcs_block_lu_set_tasks(lu, tasks);
    factor_ratio /= measure_factor(lu, A, E, pcs_timer_now);
    solve_ratio /= measure_solve(lu, rows, x, pcs_timer_now);
    if (flops < KLU_LIMIT)
        measure_klu(ctx, A, E, x, &klu_factor, &klu_solve);
    printf("%-20s %6d %9.2f %9.1f %10.1f %6.2f %7.3f %6.2f %9.1f %6.2f %6.2f %6.2f  %.0e\n", name,
           (int)A->n, 1e-6 * flops, 1e6 * analyse, 1e6 * factor, 1e-9 * flops / factor,
           1e6 * factor / A->n, klu_factor / factor, 1e6 * solve, klu_solve / solve, factor_ratio,
           solve_ratio, error);
    pcs_tasks_destroy(tasks);
    free(E);
    free(x);
    pcs_arena_free(&arena);
    pcs_context_destroy(ctx);
}

static void print_heading(void)
{
    printf("microseconds, best of several; KLU: its time divided by ours; 2 threads: speed-up\n"
           "%-20s %6s %9s %9s %10s %6s %7s %6s %9s %6s %6s %6s  %s\n",
           "pattern", "blocks", "Mflop", "analyse", "factor", "Gflop", "a block", "KLU", "solve",
           "KLU", "factor", "solve", "residual");
}

static void bench_contacts(const char *name, int32_t n_bodies, int32_t n, contact *contacts)
{
    pcs_block_matrix A;
    form_matrix(n_bodies, n, contacts, &A);
    bench(name, &A);
    free_matrix(&A);
    free(contacts);
}

static void bench_chain(int32_t n)
{
    contact *contacts = get(n, sizeof(contact));
    for (int32_t i = 0; i < n; ++i)
        contacts[i] = (contact){i, i - 1};
    bench_contacts("chain", n, n, contacts);
}

// Grains in a layer that touch about `degree` neighbours
static void bench_pile(int32_t n_bodies, int32_t n)
{
    contact *contacts = get(n, sizeof(contact));
    pcs_random random;
    pcs_random_init(&random, 313);
    const int32_t side = (int32_t)sqrt((double)n_bodies);
    for (int32_t i = 0; i < n; ++i) {
        const int32_t a = (int32_t)(pcs_random_next(&random) % (uint64_t)n_bodies);
        const int32_t step[] = {1, side, side + 1, -a - 1}; // the last: the ground
        const int32_t b = a + step[pcs_random_next(&random) % 4];
        contacts[i] = (contact){a, b < n_bodies ? b : -1};
    }
    bench_contacts("pile", n_bodies, n, contacts);
}

// Layers of bricks, each brick on two of the layer below with four contacts on each
static void bench_tower(int32_t layers, int32_t width)
{
    contact *contacts = get((int64_t)layers * width * 8, sizeof(contact));
    int32_t n = 0;
    for (int32_t layer = 0; layer < layers; ++layer)
        for (int32_t k = 0; k < width; ++k)
            for (int32_t side = 0; side < 2; ++side)
                for (int32_t corner = 0; corner < 4; ++corner)
                    contacts[n++] = (contact){
                        layer * width + k,
                        layer == 0 ? -1 : (layer - 1) * width + (k + side) % width};
    bench_contacts("tower", layers * width, n, contacts);
}

static void bench_packing(int32_t side)
{
    contact *contacts = get(3 * (int64_t)side * side * side, sizeof(contact));
    int32_t n = 0;
    for (int32_t z = 0; z < side; ++z)
        for (int32_t y = 0; y < side; ++y)
            for (int32_t x = 0; x < side; ++x) {
                const int32_t body = (z * side + y) * side + x;
                contacts[n++] = (contact){body, z > 0 ? body - side * side : -1};
                if (y > 0)
                    contacts[n++] = (contact){body, body - side};
                if (x > 0)
                    contacts[n++] = (contact){body, body - 1};
            }
    bench_contacts("cubic packing", side * side * side, n, contacts);
}

int main(void)
{
    print_heading();
    bench_chain(100);
    bench_chain(1000);
    bench_chain(100000);
    bench_pile(150, 276);
    bench_pile(200, 463);
    bench_tower(8, 9);
    bench_tower(20, 12);
    bench_packing(5);
    bench_packing(8);
    bench_packing(15);
    return 0;
}
