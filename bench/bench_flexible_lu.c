// The saddle system of flexible bodies: cubes of n x n x n hexahedra with 3 unknowns at each node,
// the lower face clamped by rows, contacts with 3 rows on every node of the upper face. Prints the
// time of analysis, factorisation, solution and Delassus operator, the entries of L + U, the rate,
// and KLU's factor and solve time on the same matrix (n <= 10) over ours. Beams: chains of frames.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "base/timer.h"
#include "linalg/saddle_internal.h"

enum { BEST_OF = 3, KLU_MOST = 10, LINK = 3 };

typedef struct mesh {
    pcs_context *ctx;
    pcs_random random;
    int32_t n_nodes, size; // unknowns of a node
    int32_t *node_size;
    int32_t n_couplings, (*coupling)[2];
    int32_t n_rows, n_contacts;
    pcs_row_block *rows, *contacts;
    const pcs_row_block **H;
    pcs_saddle *saddle;
} mesh;

static void check(pcs_status status)
{
    if (status != PCS_OK) {
        fprintf(stderr, "bench_flexible_lu: %s\n", pcs_status_name(status));
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

// Three rows on one node: displacements in a slightly turned frame
static void init_row(mesh *m, int32_t node, pcs_row_block *row)
{
    row->size = LINK;
    row->n_nodes = 1;
    row->node[0] = node;
    row->J[0] = get(LINK * (int64_t)m->size, sizeof(double));
    for (int32_t r = 0; r < LINK; ++r)
        for (int32_t c = 0; c < m->size; ++c)
            row->J[0][r * m->size + c] = (r == c ? 1.0 : 0.0) +
                                         pcs_random_between(&m->random, -0.03, 0.03);
}

static void create(mesh *m)
{
    pcs_saddle_def def = pcs_saddle_default();
    def.n_nodes = m->n_nodes;
    def.node_size = m->node_size;
    def.n_couplings = m->n_couplings;
    def.coupling = (const int32_t(*)[2])m->coupling;
    def.n_rows = m->n_rows;
    def.rows = m->rows;
    check(pcs_saddle_create(m->ctx, &def, &m->saddle));
}

// A stiffness of springs between all coupled nodes, a little unsymmetric, and a mass
static void fill(mesh *m)
{
    const int32_t size = m->size;
    for (int32_t i = 0; i < m->n_nodes; ++i)
        for (int32_t d = 0; d < size; ++d)
            pcs_saddle_diagonal(m->saddle, i)[d * (size + 1)] = 0.05;
    for (int32_t k = 0; k < m->n_couplings; ++k) {
        double *upper = pcs_saddle_coupling(m->saddle, k, false);
        double *lower = pcs_saddle_coupling(m->saddle, k, true);
        double *A_i = pcs_saddle_diagonal(m->saddle, m->coupling[k][0]);
        double *A_j = pcs_saddle_diagonal(m->saddle, m->coupling[k][1]);
        for (int32_t d = 0; d < size; ++d)
            for (int32_t e = 0; e < size; ++e) {
                const double s = (d == e ? 1.0 : 0.0) + pcs_random_between(&m->random, -0.1, 0.1);
                upper[d * size + e] = -s;
                lower[e * size + d] = -s + pcs_random_between(&m->random, -0.01, 0.01);
                A_i[d * size + e] += s;
                A_j[e * size + d] += s;
            }
    }
}

static void mesh_init(mesh *m, int32_t n_nodes, int32_t size, int64_t most_couplings, int32_t face)
{
    memset(m, 0, sizeof *m);
    m->ctx = pcs_context_create(NULL);
    pcs_random_init(&m->random, 2385);
    m->n_nodes = n_nodes;
    m->size = size;
    m->node_size = get(n_nodes, sizeof(int32_t));
    for (int32_t i = 0; i < n_nodes; ++i)
        m->node_size[i] = size;
    m->coupling = get(most_couplings, sizeof *m->coupling);
    m->rows = get(face, sizeof *m->rows);
    m->contacts = get(face, sizeof *m->contacts);
    m->H = get(face, sizeof(const pcs_row_block *));
}

static void cube(mesh *m, int32_t n)
{
    const int32_t side = n + 1, face = side * side;
    mesh_init(m, side * face, 3, 13 * (int64_t)side * face, face);
    for (int32_t i = 0; i < m->n_nodes; ++i)
        for (int32_t z = 0; z <= 1; ++z)
            for (int32_t y = -1; y <= 1; ++y)
                for (int32_t x = -1; x <= 1; ++x) {
                    const int32_t a = i % side + x, b = i / side % side + y, c = i / face + z;
                    const int32_t j = a + side * (b + side * c);
                    if (j <= i || a < 0 || b < 0 || a >= side || b >= side || c >= side)
                        continue;
                    m->coupling[m->n_couplings][0] = i;
                    m->coupling[m->n_couplings++][1] = j;
                }
    for (int32_t i = 0; i < face; ++i) {
        init_row(m, i, &m->rows[m->n_rows++]);
        init_row(m, m->n_nodes - face + i, &m->contacts[i]);
        m->H[m->n_contacts++] = &m->contacts[i];
    }
    create(m);
    fill(m);
}

static void beam(mesh *m, int32_t n)
{
    mesh_init(m, n, 6, n, 2);
    for (int32_t i = 0; i + 1 < n; ++i) {
        m->coupling[i][0] = i;
        m->coupling[i][1] = i + 1;
    }
    m->n_couplings = n - 1;
    init_row(m, 0, &m->rows[m->n_rows++]);
    init_row(m, n - 1, &m->contacts[0]);
    m->H[m->n_contacts++] = &m->contacts[0];
    create(m);
    fill(m);
}

static void mesh_free(mesh *m)
{
    pcs_saddle_destroy(m->saddle);
    for (int32_t i = 0; i < m->n_rows; ++i)
        free(m->rows[i].J[0]);
    for (int32_t i = 0; i < m->n_contacts; ++i)
        free(m->contacts[i].J[0]);
    free(m->node_size);
    free(m->coupling);
    free(m->rows);
    free(m->contacts);
    free((void *)m->H);
    pcs_context_destroy(m->ctx);
}

typedef struct times {
    double factor, solve, delassus;
} times;

static double lower(double best, double start)
{
    const double elapsed = pcs_timer_now() - start;
    return best == 0.0 || elapsed < best ? elapsed : best;
}

static times run(mesh *m)
{
    times t = {0};
    pcs_arena arena;
    pcs_arena_init(&arena, m->ctx);
    double *x = get(pcs_saddle_unknowns(m->saddle), sizeof(double));
    double *p = get(pcs_saddle_row_count(m->saddle), sizeof(double));
    for (int round = 0; round < BEST_OF; ++round) {
        double start = pcs_timer_now();
        check(pcs_saddle_factor(m->saddle));
        t.factor = lower(t.factor, start);
        for (int32_t i = 0; i < pcs_saddle_unknowns(m->saddle); ++i)
            x[i] = pcs_random_between(&m->random, -1.0, 1.0);
        memset(p, 0, sizeof(double) * (size_t)pcs_saddle_row_count(m->saddle));
        start = pcs_timer_now();
        pcs_saddle_solve(m->saddle, x, p);
        t.solve = lower(t.solve, start);
        pcs_block_matrix W;
        check(pcs_arena_reset(&arena));
        start = pcs_timer_now();
        check(pcs_saddle_delassus(m->saddle, m->n_contacts, m->H, &arena, &W));
        t.delassus = lower(t.delassus, start);
    }
    free(x);
    free(p);
    pcs_arena_free(&arena);
    return t;
}

// Factor and solve times of KLU on the K in blocks, pivots known
static times run_klu(mesh *m)
{
    const pcs_block_matrix *K = pcs_kkt_blocks_matrix(m->saddle->kkt->full.blocks);
    const int32_t size = K->offset[K->n];
    int64_t count = 0;
    for (int32_t i = 0; i < K->n; ++i)
        for (int32_t e = K->row_start[i]; e < K->row_start[i + 1]; ++e)
            count += (int64_t)(K->offset[i + 1] - K->offset[i]) *
                     (K->offset[K->column[e] + 1] - K->offset[K->column[e]]);
    int32_t *row = get(count, sizeof(int32_t)), *column = get(count, sizeof(int32_t)), at = 0;
    for (int32_t i = 0; i < K->n; ++i)
        for (int32_t e = K->row_start[i]; e < K->row_start[i + 1]; ++e)
            for (int32_t r = K->offset[i]; r < K->offset[i + 1]; ++r)
                for (int32_t c = K->offset[K->column[e]]; c < K->offset[K->column[e] + 1]; ++c) {
                    row[at] = r;
                    column[at++] = c;
                }
    times t = {0};
    pcs_sparse matrix;
    pcs_sparse_lu *lu;
    double *x = get(size, sizeof(double));
    // the values of K lie in the order of the triplets
    check(pcs_sparse_create(m->ctx, size, size, at, row, column, K->value, NULL, &matrix));
    check(pcs_sparse_lu_create(m->ctx, &matrix.pattern, &lu));
    check(pcs_sparse_lu_factor(lu, matrix.value));
    double start = pcs_timer_now();
    check(pcs_sparse_lu_factor(lu, matrix.value));
    t.factor = pcs_timer_now() - start;
    for (int32_t i = 0; i < size; ++i)
        x[i] = 1.0;
    start = pcs_timer_now();
    pcs_sparse_lu_solve(lu, 1, x);
    t.solve = pcs_timer_now() - start;
    pcs_sparse_lu_destroy(lu);
    pcs_sparse_destroy(m->ctx, &matrix);
    free(row);
    free(column);
    free(x);
    return t;
}

static void report(const char *name, mesh *m, double create_time, bool with_klu)
{
    const times t = run(m);
    printf("%-12s %6d unknowns  create %7.1f  factor %8.2f  solve %7.2f  Delassus of %4d rows "
           "%8.2f ms",
           name, (int)pcs_saddle_unknowns(m->saddle), 1e3 * create_time, 1e3 * t.factor,
           1e3 * t.solve, (int)(LINK * m->n_contacts), 1e3 * t.delassus);
    if (m->saddle->kkt->full.blocks) {
        const pcs_block_lu *lu = pcs_kkt_blocks_lu(m->saddle->kkt->full.blocks);
        printf("  L+U %9lld  %5.2f Gflop/s", (long long)pcs_block_lu_entries(lu),
               1e-9 * pcs_block_lu_operations(lu) / t.factor);
        if (with_klu) {
            const times klu = run_klu(m);
            printf("  KLU/ours %5.1f, solve %4.1f", klu.factor / t.factor, klu.solve / t.solve);
        }
    }
    printf("\n");
    fflush(stdout);
}

int main(void)
{
    static const int32_t cubes[] = {5, 8, 10, 14, 20}, beams[] = {5, 8, 12, 17, 20, 40, 400};
    mesh m;
    for (size_t k = 0; k < sizeof beams / sizeof *beams; ++k) {
        const double start = pcs_timer_now();
        beam(&m, beams[k]);
        report("beam", &m, pcs_timer_now() - start, true);
        mesh_free(&m);
    }
    for (size_t k = 0; k < sizeof cubes / sizeof *cubes; ++k) {
        char name[16];
        const double start = pcs_timer_now();
        cube(&m, cubes[k]);
        snprintf(name, sizeof name, "cube %d^3", (int)cubes[k]);
        report(name, &m, pcs_timer_now() - start, cubes[k] <= KLU_MOST);
        mesh_free(&m);
    }
    return 0;
}
