// Joints eliminated by factorisation against joints in block Gauss-Seidel, on the N-link chain in
// its initial position: S p = c with S = G M^{-1} G^T. Prints the time of factor + solve, and the
// sweeps and the time that Gauss-Seidel needs for the same relative error in G v.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/random.h"
#include "base/timer.h"
#include "linalg/dense.h"
#include "model/assembly.h"
#include "support/mechanisms.h"

static void check(pcs_status status, pcs_context *ctx)
{
    if (status >= 0)
        return;
    fprintf(stderr, "bench_joints: %s\n", pcs_context_error(ctx));
    exit(EXIT_FAILURE);
}

enum { ROWS_MAX = 6, SWEEPS_MAX = 500000 };

// Sweeps of p_i <- p_i + S_ii^{-1} (c_i - (S p)_i) until |c - S p| <= tolerance |c|.
static int64_t gauss_seidel(const pcs_block_matrix *S, const double *c, double *p, double tolerance)
{
    const int32_t n = S->offset[S->n];
    double(*inverse)[ROWS_MAX * ROWS_MAX] = calloc((size_t)S->n, sizeof *inverse);
    double norm_c = 0, norm = HUGE_VAL;
    for (int32_t i = 0; i < n; ++i)
        norm_c = fmax(norm_c, fabs(c[i]));
    for (int32_t i = 0; i < S->n; ++i) {
        const int32_t size = S->offset[i + 1] - S->offset[i];
        double work[ROWS_MAX * (ROWS_MAX + 1)];
        if (pcs_dense_small_inverse(size, S->value + S->value_start[S->diagonal[i]], inverse[i],
                                    work) >= 0)
            exit(EXIT_FAILURE);
    }
    int64_t sweeps = 0;
    for (; norm > tolerance * norm_c && sweeps < SWEEPS_MAX; ++sweeps) {
        norm = 0;
        for (int32_t i = 0; i < S->n; ++i) {
            const int32_t at = S->offset[i], size = S->offset[i + 1] - at;
            double e[ROWS_MAX] = {0};
            pcs_block_matrix_multiply_row(S, i, p, e);
            for (int32_t k = 0; k < size; ++k) {
                e[k] = c[at + k] - e[k];
                norm = fmax(norm, fabs(e[k]));
            }
            for (int32_t k = 0; k < size; ++k)
                for (int32_t l = 0; l < size; ++l)
                    p[at + k] += inverse[i][k * size + l] * e[l];
        }
    }
    free(inverse);
    return sweeps;
}

static void measure(int32_t links)
{
    scene s;
    mechanism_chain(&s, links, 3);
    scene_finish(&s, 1e-3, 1);
    pcs_context *ctx = s.ctx;
    const pcs_model *model = s.model;
    double *q = calloc((size_t)model->n_q, sizeof *q), *v = calloc((size_t)model->n_v, sizeof *v);
    double *turns = calloc((size_t)model->n_turns + 1, sizeof *turns);
    double *c = calloc((size_t)model->n_rows, sizeof *c), *p = calloc((size_t)model->n_rows, 8);
    pcs_configuration conf;
    pcs_row_block *blocks;
    double *values;
    check(pcs_configuration_init(ctx, model, &conf), ctx);
    check(pcs_model_row_blocks_create(ctx, model, &blocks, &values), ctx);
    pcs_model_initial_state(model, q, v);
    pcs_configuration_update(model, &conf, 0, q, v, turns, NULL);
    pcs_rows rows = {blocks, NULL, NULL, NULL};
    pcs_model_rows(model, &conf, &rows);

    int32_t *size = calloc((size_t)model->nodes.count, sizeof *size);
    const pcs_row_block **H = calloc((size_t)model->row_blocks.count, sizeof *H);
    for (int32_t i = 0; i < model->nodes.count; ++i)
        size[i] = pcs_node_v_size(pcs_model_node(model, i)->kind);
    for (int32_t i = 0; i < model->row_blocks.count; ++i)
        H[i] = &blocks[i];
    pcs_saddle_def def = pcs_saddle_default();
    def.n_nodes = model->nodes.count;
    def.node_size = size;
    pcs_saddle *free_bodies, *jointed;
    check(pcs_saddle_create(ctx, &def, &free_bodies), ctx);
    def.n_rows = model->row_blocks.count;
    def.rows = blocks;
    check(pcs_saddle_create(ctx, &def, &jointed), ctx);
    pcs_model_matrix(model, &conf, 0, 0, free_bodies);
    pcs_model_matrix(model, &conf, 0, 0, jointed);

    // In motion every joint asks for a change of velocity.
    const double tolerance = 1e-10;
    pcs_random random;
    pcs_random_init(&random, 42);
    for (int32_t i = 0; i < model->n_rows; ++i)
        c[i] = pcs_random_between(&random, -1, 1);
    check(pcs_saddle_factor(free_bodies), ctx);

    double *x = calloc((size_t)model->n_v, sizeof *x), best = HUGE_VAL;
    for (int i = 0; i < 2000; ++i) {
        memset(x, 0, sizeof *x * (size_t)model->n_v);
        memcpy(p, c, sizeof *p * (size_t)model->n_rows);
        const double start = pcs_timer_now();
        check(pcs_saddle_factor(jointed), ctx);
        pcs_saddle_solve(jointed, x, p);
        best = fmin(best, pcs_timer_now() - start);
    }
    pcs_arena arena;
    pcs_block_matrix S;
    pcs_arena_init(&arena, ctx);
    check(pcs_saddle_delassus(free_bodies, model->row_blocks.count, H, &arena, &S), ctx);
    memset(p, 0, sizeof *p * (size_t)model->n_rows);
    const double start = pcs_timer_now();
    const int64_t sweeps = gauss_seidel(&S, c, p, tolerance);
    const double elapsed = pcs_timer_now() - start;
    printf("%5d %12.1f %14lld %16.1f %10.0f%s\n", links, 1e6 * best, (long long)sweeps,
           1e6 * elapsed, elapsed / best, sweeps == SWEEPS_MAX ? "  (not reached)" : "");

    pcs_arena_free(&arena);
    pcs_saddle_destroy(free_bodies);
    pcs_saddle_destroy(jointed);
    pcs_configuration_free(ctx, &conf);
    pcs_free(ctx, blocks);
    pcs_free(ctx, values);
    scene_end(&s);
    void *arrays[] = {q, v, turns, c, p, size, (void *)H, x};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i)
        free(arrays[i]);
}

int main(void)
{
    printf("joints of the N-link chain: factor + solve, and block Gauss-Seidel to 1e-10\n");
    printf("links  factor, us         sweeps  Gauss-Seidel, us    ratio\n");
    const int32_t links[] = {1, 4, 10, 32};
    for (size_t i = 0; i < sizeof links / sizeof *links; ++i)
        measure(links[i]);
    return 0;
}
