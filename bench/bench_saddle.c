// Time of the saddle system: factor and solve of chains of bodies, dense against sparse LU for
// coupled systems, and the Delassus operator. Prints nanoseconds, the best of several batches.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "base/timer.h"
#include "linalg/dense.h"
#include "linalg/saddle.h"
#include "linalg/sparse.h"

enum { BODIES_MAX = 256, CONTACTS_MAX = 64, BATCHES = 200 };
static const double BATCH_SECONDS = 0.001;

typedef struct chain {
    pcs_context *ctx;
    pcs_random random;
    int32_t n_bodies, body_size, row_size;
    int32_t node_size[BODIES_MAX];
    int32_t coupling[BODIES_MAX][2];
    pcs_row_block rows[BODIES_MAX];
    pcs_row_block contacts[CONTACTS_MAX];
    const pcs_row_block *H[CONTACTS_MAX];
    pcs_saddle *saddle;
    double *x, *p;
} chain;

typedef void (*work_fn)(void *user);

static void check(pcs_status status)
{
    if (status != PCS_OK) {
        fprintf(stderr, "bench_saddle: %s\n", pcs_status_name(status));
        exit(EXIT_FAILURE);
    }
}

static void *get(size_t count, size_t size)
{
    void *block = calloc(count + 1, size);
    if (!block)
        exit(EXIT_FAILURE);
    return block;
}

// Nanoseconds of one call: the smallest mean over the batches
static double measure(work_fn work, void *user)
{
    double best = 1e30;
    for (int batch = 0; batch < BATCHES; ++batch) {
        int64_t count = 0;
        const double start = pcs_timer_now();
        double elapsed = 0.0;
        while (elapsed < BATCH_SECONDS) {
            for (int i = 0; i < 16; ++i)
                work(user);
            count += 16;
            elapsed = pcs_timer_now() - start;
        }
        if (elapsed / (double)count < best)
            best = elapsed / (double)count;
    }
    return 1e9 * best;
}

static void init_row(chain *c, pcs_row_block *row, int32_t size, int32_t n_nodes, int32_t a,
                     int32_t b)
{
    row->size = size;
    row->n_nodes = n_nodes;
    row->node[0] = a;
    row->node[1] = b;
    for (int32_t s = 0; s < n_nodes; ++s) {
        const int32_t count = size * c->body_size;
        row->J[s] = get((size_t)count, sizeof(double));
        for (int32_t e = 0; e < count; ++e)
            row->J[s][e] = pcs_random_between(&c->random, -1.7, 1.7);
    }
}

// Mass matrices: diagonal translation, full rotation
static void set_masses(chain *c)
{
    const int32_t n = c->body_size;
    for (int32_t i = 0; i < c->n_bodies; ++i) {
        double *A = pcs_saddle_diagonal(c->saddle, i);
        for (int32_t d = 0; d < n; ++d)
            A[d * (n + 1)] = 2.3 + 0.01 * (double)(d > 2 ? d : 0) + 0.1 * (double)i;
        if (n == 6)
            A[22] = A[27] = 0.17;
    }
}

static void chain_init(chain *c, int32_t n_bodies, int32_t body_size, int32_t row_size,
                       int32_t n_couplings, bool jointed)
{
    memset(c, 0, sizeof *c);
    c->ctx = pcs_context_create(NULL);
    pcs_random_init(&c->random, 2385);
    c->n_bodies = n_bodies;
    c->body_size = body_size;
    c->row_size = row_size;
    for (int32_t i = 0; i < n_bodies; ++i) {
        c->node_size[i] = body_size;
        c->coupling[i][0] = i;
        c->coupling[i][1] = i + 1;
        init_row(c, &c->rows[i], row_size, i == 0 ? 1 : 2, i, i - 1);
    }
    pcs_saddle_def def = pcs_saddle_default();
    def.n_nodes = n_bodies;
    def.node_size = c->node_size;
    def.n_couplings = n_couplings;
    def.coupling = (const int32_t(*)[2])c->coupling;
    def.n_rows = jointed ? n_bodies : 0;
    def.rows = c->rows;
    check(pcs_saddle_create(c->ctx, &def, &c->saddle));
    c->x = get((size_t)(n_bodies * body_size), sizeof(double));
    c->p = get((size_t)(n_bodies * row_size), sizeof(double));
    set_masses(c);
    for (int32_t k = 0; k < n_couplings; ++k)
        for (int32_t e = 0; e < body_size * body_size; ++e)
            pcs_saddle_coupling(c->saddle, k, false)[e] = pcs_saddle_coupling(
                c->saddle, k, true)[e] = pcs_random_between(&c->random, -0.1, 0.1);
}

static void chain_free(chain *c)
{
    pcs_saddle_destroy(c->saddle);
    for (int32_t i = 0; i < c->n_bodies; ++i)
        for (int32_t s = 0; s < c->rows[i].n_nodes; ++s)
            free(c->rows[i].J[s]);
    for (int32_t i = 0; i < CONTACTS_MAX; ++i)
        for (int32_t s = 0; s < c->contacts[i].n_nodes; ++s)
            free(c->contacts[i].J[s]);
    free(c->x);
    free(c->p);
    pcs_context_destroy(c->ctx);
}

static void factor(void *user)
{
    check(pcs_saddle_factor(((chain *)user)->saddle));
}

static void solve(void *user)
{
    chain *c = user;
    for (int32_t i = 0; i < c->n_bodies * c->body_size; ++i)
        c->x[i] = 0.37 + 0.01 * (double)i;
    for (int32_t i = 0; i < c->n_bodies * c->row_size; ++i)
        c->p[i] = 0.91 - 0.01 * (double)i;
    pcs_saddle_solve(c->saddle, c->x, c->p);
}

static void bench_chain(const char *name, int32_t n_bodies, int32_t body_size, int32_t row_size,
                        int32_t n_couplings)
{
    static chain c;
    chain_init(&c, n_bodies, body_size, row_size, n_couplings, true);
    const double factor_ns = measure(factor, &c), solve_ns = measure(solve, &c);
    printf("%-36s %4d bodies  factor %10.0f  solve %9.0f  factor + 3 solves %10.0f ns\n", name,
           (int)n_bodies, factor_ns, solve_ns, factor_ns + 3.0 * solve_ns);
    chain_free(&c);
}

// The matrix of a coupled chain of planar bodies, factorised and solved in three ways
typedef struct lu_case {
    int32_t size;
    pcs_sparse matrix;
    pcs_sparse_lu *sparse;
    double *dense, *lu, *x;
    int32_t *pivot;
} lu_case;

static void run_sparse(void *user)
{
    lu_case *c = user;
    check(pcs_sparse_lu_factor(c->sparse, c->matrix.value));
    pcs_sparse_lu_solve(c->sparse, 1, c->x);
}

static void run_small(void *user)
{
    lu_case *c = user;
    memcpy(c->lu, c->dense, sizeof(double) * (size_t)(c->size * c->size));
    (void)pcs_dense_small_factor(c->size, c->lu, c->pivot);
    pcs_dense_small_solve(c->size, c->lu, c->pivot, c->x);
}

static void run_lapack(void *user)
{
    lu_case *c = user;
    memcpy(c->lu, c->dense, sizeof(double) * (size_t)(c->size * c->size));
    (void)pcs_dense_lu_factor(c->size, c->lu, c->pivot);
    pcs_dense_lu_solve(c->size, c->lu, c->pivot, 1, c->x);
}

// Chain of bodies with `body` unknowns and `joint` rows each, neighbours coupled in A
static void bench_lu(int32_t bodies, int32_t body, int32_t joint)
{
    pcs_context *ctx = pcs_context_create(NULL);
    pcs_random random;
    pcs_random_init(&random, 1913);
    lu_case c = {.size = bodies * (body + joint)};
    const int32_t size = c.size, n = bodies * body;
    c.dense = get((size_t)(size * size), sizeof(double));
    c.lu = get((size_t)(size * size), sizeof(double));
    c.x = get((size_t)size, sizeof(double));
    c.pivot = get((size_t)size, sizeof(int32_t));
    for (int32_t i = 0; i < n; ++i)
        for (int32_t j = 0; j < n; ++j)
            if (abs(i / body - j / body) <= 1)
                c.dense[i * size + j] = (i == j ? 4.1 : 0.0) +
                                        pcs_random_between(&random, -0.1, 0.1);
    for (int32_t r = 0; r < bodies * joint; ++r)
        for (int32_t j = 0; j < n; ++j)
            if (j / body == r / joint || j / body + 1 == r / joint) {
                const double g = pcs_random_between(&random, -1.0, 1.0);
                c.dense[(n + r) * size + j] = g;
                c.dense[j * size + n + r] = -g;
            }
    int32_t *row = get((size_t)(size * size), sizeof(int32_t)), count = 0;
    int32_t *column = get((size_t)(size * size), sizeof(int32_t));
    double *value = get((size_t)(size * size), sizeof(double));
    for (int32_t i = 0; i < size; ++i)
        for (int32_t j = 0; j < size; ++j)
            if (c.dense[i * size + j] != 0.0 || i == j) {
                row[count] = i;
                column[count] = j;
                value[count++] = c.dense[i * size + j];
            }
    check(pcs_sparse_create(ctx, size, size, count, row, column, value, NULL, &c.matrix));
    check(pcs_sparse_lu_create(ctx, &c.matrix.pattern, &c.sparse));
    printf("LU of %d bodies %d + %d, size %4d:  KLU %8.0f   own dense %8.0f   LAPACK %8.0f ns\n",
           (int)bodies, (int)body, (int)joint, (int)size, measure(run_sparse, &c),
           measure(run_small, &c), measure(run_lapack, &c));
    pcs_sparse_lu_destroy(c.sparse);
    pcs_sparse_destroy(ctx, &c.matrix);
    free(row);
    free(column);
    free(value);
    free(c.dense);
    free(c.lu);
    free(c.x);
    free(c.pivot);
    pcs_context_destroy(ctx);
}

typedef struct delassus_case {
    chain chain;
    int32_t n_contacts;
    pcs_arena arena;
    int64_t blocks;
} delassus_case;

static void delassus(void *user)
{
    delassus_case *d = user;
    pcs_block_matrix W;
    check(pcs_arena_reset(&d->arena));
    check(pcs_saddle_delassus(d->chain.saddle, d->n_contacts, d->chain.H, &d->arena, &W));
    d->blocks = W.row_start[W.n];
}

static void bench_delassus(const char *name, int32_t n_contacts, bool jointed, int32_t n_couplings)
{
    static delassus_case d;
    chain_init(&d.chain, 10, 6, 5, n_couplings, jointed);
    pcs_arena_init(&d.arena, d.chain.ctx);
    d.n_contacts = n_contacts;
    for (int32_t i = 0; i < n_contacts; ++i) {
        init_row(&d.chain, &d.chain.contacts[i], 3, i % 2 == 0 ? 1 : 2, i % 10, (7 * i + 1) % 10);
        if (d.chain.contacts[i].n_nodes == 2 && i % 10 == (7 * i + 1) % 10)
            d.chain.contacts[i].node[1] = (i + 1) % 10;
        d.chain.H[i] = &d.chain.contacts[i];
    }
    check(pcs_saddle_factor(d.chain.saddle));
    const double ns = measure(delassus, &d);
    printf("Delassus, %-40s %8.0f ns, %lld blocks\n", name, ns, (long long)d.blocks);
    pcs_arena_free(&d.arena);
    chain_free(&d.chain);
}

int main(void)
{
    bench_chain("planar chain, 2 rows", 10, 3, 2, 0);
    bench_chain("spatial chain, 5 rows", 10, 6, 5, 0);
    bench_chain("spatial chain, 3 rows", 10, 6, 3, 0);
    bench_chain("spatial chain, 5 rows", 100, 6, 5, 0);
    bench_chain("spatial chain, coupled neighbours", 10, 6, 5, 9);
    bench_chain("spatial chain, coupled neighbours", 3, 6, 5, 2);
    bench_chain("planar chain, coupled neighbours", 10, 3, 2, 9);
    bench_chain("planar chain, coupled neighbours", 4, 3, 2, 3);
    for (int32_t bodies = 2; bodies <= 14; bodies += 2)
        bench_lu(bodies, 3, 2);
    for (int32_t bodies = 1; bodies <= 8; ++bodies)
        bench_lu(bodies, 6, 5);
    bench_delassus("40 contacts on 10 free bodies", 40, false, 0);
    bench_delassus("4 contacts on a mechanism of 10 bodies", 4, true, 0);
    bench_delassus("4 contacts on a coupled mechanism", 4, true, 9);
    return 0;
}
