// Analysis of the sparse Cholesky factorisation: the blocks are ordered (linalg/block_order.h),
// columns with one structure make a front, and small fronts go into their parents.
#include <string.h>

#include "linalg/block_order.h"
#include "linalg/sparse_cholesky_internal.h"

typedef struct analysis {
    pcs_sparse_cholesky *f;
    pcs_arena arena;       // scratch
    pcs_block_order order; //
    int32_t n;             // blocks
    // by supernode: fronts before small ones are merged into their parents
    int32_t n_supernodes;
    int32_t *first, *parent, *merged, *front; // first: n_supernodes+1, steps
    int64_t *pivots;
    int32_t *front_first; // n_fronts+1: first step, in blocks
    int32_t *step;        // n: step of each block with the steps of a front together
    int32_t *vertex;      // n: the inverse
} analysis;

#define GET(type, pointer, count)                              \
    do {                                                       \
        (pointer) = PCS_ARENA_ARRAY(&a->arena, type, (count)); \
        if (!(pointer))                                        \
            return PCS_ERROR_MEMORY;                           \
    } while (0)
#define KEEP(type, pointer, count)                                 \
    do {                                                           \
        (pointer) = PCS_ARENA_ARRAY(&a->f->memory, type, (count)); \
        if (!(pointer))                                            \
            return PCS_ERROR_MEMORY;                               \
    } while (0)

// ---- Fronts ----

// Time of a front in units of moving a value: a fixed part, the entries, the update matrix (cleared
// and added to the parent) and the operations.
static double front_cost(double p, double c)
{
    const double fixed = 250.0, update = 1.5, operation = 0.15;
    const double m = p + c;
    return fixed + p * m + update * c * c + operation * (m * m * m - c * c * c) / 3.0;
}

// A step joins the one before it when that is its child and has the same structure.
static pcs_status find_supernodes(analysis *a)
{
    const pcs_elimination_tree *t = &a->order.tree;
    int32_t *owner;
    GET(int32_t, a->first, (int64_t)a->n + 1);
    GET(int32_t, a->parent, a->n);
    GET(int32_t, a->merged, a->n);
    GET(int32_t, a->front, a->n);
    GET(int64_t, a->pivots, a->n);
    GET(int32_t, owner, a->n);
    for (int32_t k = 0; k < a->n; ++k) {
        if (k == 0 || t->parent[k - 1] != k || t->count[k - 1] != t->count[k] + 1) {
            a->first[a->n_supernodes] = k;
            a->pivots[a->n_supernodes++] = 0;
        }
        owner[k] = a->n_supernodes - 1;
        a->pivots[owner[k]] += a->order.weight[t->order[k]];
    }
    a->first[a->n_supernodes] = a->n;
    for (int32_t s = 0; s < a->n_supernodes; ++s) {
        const int32_t up = t->parent[a->first[s + 1] - 1];
        a->parent[s] = up < 0 ? -1 : owner[up];
        a->merged[s] = -1;
    }
    return PCS_OK;
}

static int64_t rest_rows(const analysis *a, int32_t s)
{
    return a->order.tree.rows[a->first[s + 1] - 1];
}

// A child goes into its parent where one larger front costs less than the two.
static pcs_status merge_supernodes(analysis *a)
{
    int32_t *head, *next;
    GET(int32_t, head, a->n_supernodes);
    GET(int32_t, next, a->n_supernodes);
    for (int32_t s = 0; s < a->n_supernodes; ++s)
        head[s] = -1;
    for (int32_t s = 0; s < a->n_supernodes; ++s) {
        const double c = (double)rest_rows(a, s);
        for (int32_t child = head[s]; child >= 0; child = next[child]) {
            const double p1 = (double)a->pivots[child], p = (double)a->pivots[s];
            if (front_cost(p1 + p, c) <=
                front_cost(p1, (double)rest_rows(a, child)) + front_cost(p, c)) {
                a->merged[child] = s;
                a->pivots[s] += a->pivots[child];
            }
        }
        if (a->parent[s] >= 0) { // the last child first: it is the largest as a rule
            next[s] = head[a->parent[s]];
            head[a->parent[s]] = s;
        }
    }
    return PCS_OK;
}

// Numbers the fronts and brings the steps of each together.
static pcs_status number_fronts(analysis *a)
{
    pcs_sparse_cholesky *f = a->f;
    int32_t *next;
    for (int32_t s = 0; s < a->n_supernodes; ++s)
        a->front[s] = a->merged[s] < 0 ? f->n_fronts++ : -1;
    for (int32_t s = a->n_supernodes - 1; s >= 0; --s)
        if (a->merged[s] >= 0)
            a->front[s] = a->front[a->merged[s]];
    KEEP(int32_t, f->parent, f->n_fronts);
    KEEP(int32_t, f->child, f->n_fronts);
    KEEP(int32_t, f->sibling, f->n_fronts);
    GET(int32_t, a->front_first, (int64_t)f->n_fronts + 1);
    GET(int32_t, next, f->n_fronts);
    GET(int32_t, a->step, a->n);
    GET(int32_t, a->vertex, a->n);
    memset(a->front_first, 0, sizeof(int32_t) * ((size_t)f->n_fronts + 1));
    for (int32_t s = 0; s < a->n_supernodes; ++s) {
        a->front_first[a->front[s] + 1] += a->first[s + 1] - a->first[s];
        if (a->merged[s] < 0)
            f->parent[a->front[s]] = a->parent[s] < 0 ? -1 : a->front[a->parent[s]];
    }
    for (int32_t g = 0; g < f->n_fronts; ++g) {
        next[g] = a->front_first[g];
        a->front_first[g + 1] += a->front_first[g];
        f->child[g] = -1;
    }
    for (int32_t s = 0; s < a->n_supernodes; ++s)
        for (int32_t k = a->first[s]; k < a->first[s + 1]; ++k) {
            const int32_t v = a->order.tree.order[k];
            a->step[v] = next[a->front[s]]++;
            a->vertex[a->step[v]] = v;
        }
    for (int32_t g = f->n_fronts - 1; g >= 0; --g) {
        f->sibling[g] = f->parent[g] < 0 ? -1 : f->child[f->parent[g]];
        if (f->parent[g] >= 0)
            f->child[f->parent[g]] = g;
    }
    return PCS_OK;
}

// ---- Structure ----

// Places of the unknowns, and the sizes of the fronts
static pcs_status number_unknowns(analysis *a)
{
    pcs_sparse_cholesky *f = a->f;
    KEEP(int32_t, f->order, f->n);
    KEEP(int32_t, f->place, f->n);
    KEEP(int32_t, f->first, (int64_t)f->n_fronts + 1);
    KEEP(int64_t, f->rest_start, (int64_t)f->n_fronts + 1);
    int32_t count = 0;
    for (int32_t g = 0; g < f->n_fronts; ++g) {
        f->first[g] = count;
        for (int32_t k = a->front_first[g]; k < a->front_first[g + 1]; ++k)
            for (int32_t i = 0; i < a->order.weight[a->vertex[k]]; ++i) {
                const int32_t unknown = a->vertex[k] * a->order.block + i;
                f->place[unknown] = count;
                f->order[count++] = unknown;
            }
    }
    f->first[f->n_fronts] = count;
    f->rest_start[0] = 0;
    for (int32_t s = 0; s < a->n_supernodes; ++s)
        if (a->merged[s] < 0)
            f->rest_start[a->front[s] + 1] = rest_rows(a, s);
    for (int32_t g = 0; g < f->n_fronts; ++g)
        f->rest_start[g + 1] += f->rest_start[g];
    return PCS_OK;
}

// Adds the unknowns of block v to the rest of front g once
static void add_rest(const analysis *a, int32_t g, int32_t v, int32_t *mark, int64_t *count)
{
    const pcs_sparse_cholesky *f = a->f;
    if (a->step[v] < a->front_first[g + 1] || mark[v] == g)
        return;
    mark[v] = g;
    for (int32_t i = 0; i < a->order.weight[v]; ++i)
        f->rest[f->rest_start[g] + (*count)++] = f->place[v * a->order.block + i];
}

// Sorts all rests: they are transposed twice, by places and back by fronts.
static pcs_status sort_rests(analysis *a)
{
    pcs_sparse_cholesky *f = a->f;
    const int64_t total = f->rest_start[f->n_fronts];
    int64_t *start, *next;
    int32_t *front;
    GET(int64_t, start, (int64_t)f->n + 1);
    GET(int64_t, next, f->n_fronts);
    GET(int32_t, front, total);
    memset(start, 0, sizeof(int64_t) * ((size_t)f->n + 1));
    for (int64_t k = 0; k < total; ++k)
        ++start[f->rest[k]];
    for (int32_t j = 0; j < f->n; ++j)
        start[j + 1] += start[j];
    for (int32_t g = f->n_fronts - 1; g >= 0; --g) {
        next[g] = f->rest_start[g];
        for (int64_t k = f->rest_start[g]; k < f->rest_start[g + 1]; ++k)
            front[--start[f->rest[k]]] = g;
    }
    start[f->n] = total;
    for (int32_t j = 0; j < f->n; ++j)
        for (int64_t k = start[j]; k < start[j + 1]; ++k)
            f->rest[next[front[k]]++] = j;
    return PCS_OK;
}

// Rest of a front: neighbours of its pivots, and the rests of its children, beyond its pivots
static pcs_status find_rests(analysis *a)
{
    pcs_sparse_cholesky *f = a->f;
    int32_t *mark;
    KEEP(int32_t, f->rest, f->rest_start[f->n_fronts]);
    GET(int32_t, mark, a->n);
    for (int32_t i = 0; i < a->n; ++i)
        mark[i] = -1;
    for (int32_t g = 0; g < f->n_fronts; ++g) {
        int64_t count = 0;
        for (int32_t k = a->front_first[g]; k < a->front_first[g + 1]; ++k)
            for (int32_t e = a->order.start[a->vertex[k]]; e < a->order.start[a->vertex[k] + 1];
                 ++e)
                add_rest(a, g, a->order.neighbour[e], mark, &count);
        for (int32_t child = f->child[g]; child >= 0; child = f->sibling[child])
            for (int64_t k = f->rest_start[child]; k < f->rest_start[child + 1]; ++k)
                add_rest(a, g, f->order[f->rest[k]] / a->order.block, mark, &count);
    }
    return sort_rests(a);
}

// Where the rest of each front stands in its parent, and where U begins
static pcs_status lay_out(analysis *a)
{
    pcs_sparse_cholesky *f = a->f;
    KEEP(int32_t, f->target, f->rest_start[f->n_fronts]);
    KEEP(int64_t, f->start, (int64_t)f->n_fronts + 1);
    f->start[0] = 0;
    for (int32_t g = 0; g < f->n_fronts; ++g) {
        const cholesky_front front = pcs_cholesky_front(f, g);
        const int32_t up = f->parent[g];
        f->start[g + 1] = f->start[g] + (int64_t)front.p * front.ld;
        f->entries += (int64_t)front.p * (front.p + 1) / 2 + (int64_t)front.p * front.c;
        f->largest_p = front.p > f->largest_p ? front.p : f->largest_p;
        f->largest_c = front.c > f->largest_c ? front.c : f->largest_c;
        if (up < 0)
            continue;
        const int32_t p4 = cholesky_round4(f->first[up + 1] - f->first[up]);
        int64_t t = f->rest_start[up];
        for (int64_t k = f->rest_start[g]; k < f->rest_start[g + 1]; ++k) {
            const int32_t j = f->rest[k];
            while (j >= f->first[up + 1] && f->rest[t] != j)
                ++t;
            f->target[k] = j < f->first[up + 1] ? j - f->first[up]
                                                : p4 + (int32_t)(t - f->rest_start[up]);
        }
    }
    return PCS_OK;
}

static pcs_status analyse(analysis *a, const pcs_sparse *A, const pcs_watch *watch)
{
    const pcs_status status = pcs_block_order_compute(&a->arena, &A->pattern, NULL, watch,
                                                      &a->order);
    if (status != PCS_OK)
        return status;
    a->n = a->order.n;
    a->f->operations = a->order.tree.operations;
    PCS_TRY(find_supernodes(a));
    PCS_TRY(merge_supernodes(a));
    PCS_TRY(number_fronts(a));
    PCS_TRY(number_unknowns(a));
    PCS_TRY(find_rests(a));
    return lay_out(a);
}

pcs_status pcs_cholesky_analyse(pcs_sparse_cholesky *cholesky, const pcs_sparse *A,
                                const pcs_watch *watch)
{
    analysis a = {.f = cholesky};
    pcs_arena_init(&a.arena, cholesky->ctx);
    const pcs_status status = analyse(&a, A, watch);
    pcs_arena_free(&a.arena);
    return status;
}
