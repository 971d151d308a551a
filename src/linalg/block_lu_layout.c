// Layout of the sparse LU: which parts of the tree may be done at the same time, and where every
// number lives. Neither depends on the number of threads, so that the bits do not either.
//
// Parts: the heaviest subtree is replaced by its children again and again, its root going to the
// top; of all these divisions the one is kept whose time on a few threads is shortest
// [GeistNg1989].
//
// Memory: an update matrix lives from its front to the parent's. Children of one node have the same
// depth, so that in each part the matrices of even and of odd depth make two stacks, and none has
// ever to be moved.
#include <stdbool.h>
#include <string.h>

#include "linalg/block_lu_internal.h"

enum {
    THREADS = 4,  // for which the division is optimal
    SMALLEST = 32 // a subtree below this fraction of the whole is not divided
};
static const double PARALLEL_COST = 1e5; // below, threads do not pay
static const double GAIN = 1.0 - 1e-6;   // of a division that is not a matter of rounding

#define GET(type, pointer, count)                          \
    do {                                                   \
        (pointer) = PCS_ARENA_ARRAY(arena, type, (count)); \
        if (!(pointer))                                    \
            return PCS_ERROR_MEMORY;                       \
    } while (0)

typedef struct tree {
    const pcs_block_lu *lu;
    int32_t *p, *c;  // by supernode: rows of the front
    double *cost;    // of the front
    double *subtree; // of all fronts of the subtree
    int32_t *from;   // first supernode of the subtree
    int32_t *depth;
    int32_t *heap, n_heap; // roots of the subtrees, the heaviest first
    uint8_t *state;        // IN_PART: below a root, ROOT, TOP
} tree;
enum { IN_PART, ROOT, TOP };

static double front_operations(double p, double c)
{
    return 2.0 / 3.0 * p * p * p + 2.0 * p * p * c + 2.0 * p * c * c;
}

// A fixed part, the entries, the update matrix (cleared, and added to the parent), the operations
double pcs_block_lu_front_cost(double p, double c)
{
    const double fixed = 250.0, update = 2.0, operation = 0.15;
    return fixed + p * p + 2.0 * p * c + update * c * c + operation * front_operations(p, c);
}

static pcs_status measure_tree(pcs_arena *arena, pcs_block_lu *lu, tree *t)
{
    const int32_t n = lu->n_supernodes;
    *t = (tree){.lu = lu};
    GET(int32_t, t->p, n);
    GET(int32_t, t->c, n);
    GET(double, t->cost, n);
    GET(double, t->subtree, n);
    GET(int32_t, t->from, n);
    GET(int32_t, t->depth, n);
    GET(int32_t, t->heap, n);
    GET(uint8_t, t->state, n);
    for (int32_t s = 0; s < n; ++s) {
        t->p[s] = lu->start[lu->first[s + 1]] - lu->start[lu->first[s]];
        t->c[s] = 0;
        for (int32_t k = lu->rest_start[s]; k < lu->rest_start[s + 1]; ++k)
            t->c[s] += lu->size[lu->rest[k]];
        t->cost[s] = t->subtree[s] = pcs_block_lu_front_cost(t->p[s], t->c[s]);
        t->from[s] = lu->child[s] >= 0 ? t->from[lu->child[s]] : s;
        for (int32_t k = lu->child[s]; k >= 0; k = lu->sibling[k])
            t->subtree[s] += t->subtree[k];
        lu->n_entries += (int64_t)t->p[s] * (t->p[s] + 2 * (int64_t)t->c[s]);
        lu->operations += front_operations(t->p[s], t->c[s]);
    }
    for (int32_t s = n - 1; s >= 0; --s)
        t->depth[s] = lu->parent[s] < 0 ? 0 : t->depth[lu->parent[s]] + 1;
    return PCS_OK;
}

static void heap_push(tree *t, int32_t s)
{
    int32_t i = t->n_heap++;
    for (; i > 0 && t->subtree[t->heap[(i - 1) / 2]] < t->subtree[s]; i = (i - 1) / 2)
        t->heap[i] = t->heap[(i - 1) / 2];
    t->heap[i] = s;
}

static int32_t heap_pop(tree *t)
{
    const int32_t result = t->heap[0], s = t->heap[--t->n_heap];
    int32_t i = 0;
    for (;;) {
        int32_t k = 2 * i + 1;
        if (k + 1 < t->n_heap && t->subtree[t->heap[k + 1]] > t->subtree[t->heap[k]])
            ++k;
        if (k >= t->n_heap || t->subtree[t->heap[k]] <= t->subtree[s])
            break;
        t->heap[i] = t->heap[k];
        i = k;
    }
    t->heap[i] = s;
    return result;
}

// Divides at most `steps` times; returns the number of divisions after which the time is shortest
static int32_t divide(tree *t, double total, int32_t steps)
{
    const pcs_block_lu *lu = t->lu;
    double top = 0.0, shortest = total;
    int32_t best = 0;
    t->n_heap = 0;
    memset(t->state, IN_PART, (size_t)lu->n_supernodes);
    for (int32_t s = 0; s < lu->n_supernodes; ++s)
        if (lu->parent[s] < 0)
            heap_push(t, s);
    for (int32_t step = 0;; ++step) {
        const double largest = t->n_heap > 0 ? t->subtree[t->heap[0]] : 0.0;
        const double even = (total - top) / THREADS;
        const double time = top + (largest > even ? largest : even);
        if (time < GAIN * shortest) {
            shortest = time;
            best = step;
        }
        if (step == steps || t->n_heap == 0 || largest * SMALLEST < total)
            break;
        const int32_t s = heap_pop(t);
        t->state[s] = TOP;
        top += t->cost[s];
        for (int32_t k = lu->child[s]; k >= 0; k = lu->sibling[k])
            heap_push(t, k);
    }
    for (int32_t i = 0; i < t->n_heap; ++i)
        t->state[t->heap[i]] = ROOT;
    return best;
}

// Neighbouring subtrees are joined up to the smallest weight. Returns the number of parts.
static int32_t list_parts(const tree *t, double total, bool whole, block_lu_part *parts)
{
    int32_t n = 0;
    double weight = 0.0;
    for (int32_t s = 0; s < t->lu->n_supernodes; ++s) {
        if (t->state[s] != ROOT)
            continue;
        weight += t->subtree[s];
        if (n > 0 && (whole || (parts[n - 1].end == t->from[s] && weight * SMALLEST <= total))) {
            parts[n - 1].end = s + 1;
        } else {
            parts[n++] = (block_lu_part){.first = t->from[s], .end = s + 1, .bad = -1};
            weight = t->subtree[s];
        }
    }
    return n;
}

static pcs_status make_parts(pcs_arena *arena, pcs_block_lu *lu, tree *t)
{
    double total = 0.0;
    for (int32_t s = 0; s < lu->n_supernodes; ++s)
        total += t->cost[s];
    const bool whole = total < PARALLEL_COST;
    (void)divide(t, total, whole ? 0 : divide(t, total, lu->n_supernodes));
    int32_t roots = 0;
    for (int32_t s = 0; s < lu->n_supernodes; ++s) {
        roots += t->state[s] == ROOT;
        lu->n_top += t->state[s] == TOP;
    }
    GET(block_lu_part, lu->parts, (int64_t)roots + 1);
    GET(int32_t, lu->top, lu->n_top);
    lu->n_parts = list_parts(t, total, whole, lu->parts);
    lu->parts[lu->n_parts] = (block_lu_part){.bad = -1};
    for (int32_t s = 0, k = 0; s < lu->n_supernodes; ++s)
        if (t->state[s] == TOP)
            lu->top[k++] = s;
    return PCS_OK;
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

// Largest fronts, and the height of the two stacks of update matrices
typedef struct sizes {
    int64_t blocks, pivots, rest, pack;
    int64_t top[2], peak[2];
} sizes;

static void place_supernode(const pcs_block_lu *lu, const tree *t, int32_t s, sizes *size)
{
    const int32_t own = t->depth[s] % 2;
    lu->update_start[s] = size->top[own];
    size->top[own] += (int64_t)t->c[s] * pcs_front_stride(t->c[s]);
    size->peak[own] = larger(size->peak[own], size->top[own]);
    for (int32_t k = lu->child[s]; k >= 0; k = lu->sibling[k])
        if (t->state[k] == t->state[s] || t->state[s] == ROOT) { // of the same stacks
            size->top[1 - own] = lu->update_start[k];
            break;
        }
    size->blocks = larger(size->blocks, lu->first[s + 1] - lu->first[s] + lu->rest_start[s + 1] -
                                            lu->rest_start[s]);
    size->pivots = larger(size->pivots, t->p[s]);
    size->rest = larger(size->rest, t->c[s]);
    size->pack = larger(size->pack, pcs_front_pack_size(t->p[s], t->c[s]));
}

// Moves the stacks of a part to their place behind those of the parts before
static void raise_supernode(const pcs_block_lu *lu, const tree *t, int32_t s, const sizes *size,
                            int64_t base)
{
    lu->update_start[s] += base + (t->depth[s] % 2 == 1 ? size->peak[0] : 0);
}

static pcs_status get_scratch(pcs_arena *arena, const sizes *size, int32_t lanes,
                              pcs_front_watch *watch, block_lu_part *part)
{
    enum { LINE = 8 }; // doubles
    part->team = (pcs_front_team){.kernels = pcs_front_kernels_best(),
                                  .pack_size = (size->pack + LINE - 1) / LINE * LINE,
                                  .lanes = lanes,
                                  .watch = watch};
    GET(int32_t, part->local, size->blocks + 1);
    GET(int32_t, part->source, size->blocks);
    GET(int32_t, part->target, size->blocks);
    GET(int32_t, part->length, size->blocks);
    GET(double, part->row_scale, size->pivots);
    GET(double, part->column_scale, pcs_front_stride((int32_t)size->pivots));
    GET(double, part->w, pcs_front_stride((int32_t)size->rest));
    GET(double, part->team.pack, part->team.pack_size *lanes);
    return PCS_OK;
}

// Stacks and scratch of all parts; *update gets the size of all stacks
static pcs_status place_updates(pcs_arena *arena, pcs_block_lu *lu, const tree *t, int64_t *update)
{
    *update = 0;
    for (int32_t k = 0; k <= lu->n_parts; ++k) {
        block_lu_part *part = &lu->parts[k];
        const bool is_top = k == lu->n_parts;
        const int32_t count = is_top ? lu->n_top : part->end - part->first;
        sizes size = {0};
        for (int32_t i = 0; i < count; ++i)
            place_supernode(lu, t, is_top ? lu->top[i] : part->first + i, &size);
        for (int32_t i = 0; i < count; ++i)
            raise_supernode(lu, t, is_top ? lu->top[i] : part->first + i, &size, *update);
        *update += size.peak[0] + size.peak[1];
        PCS_TRY(get_scratch(arena, &size, is_top ? PCS_BLOCK_LU_LANES : 1, &lu->watch, part));
    }
    return PCS_OK;
}

pcs_status pcs_block_lu_lay_out(pcs_arena *arena, pcs_block_lu *lu)
{
    const int32_t n = lu->n_supernodes;
    int64_t factor = 0, update, vector = 0;
    tree t;
    lu->watch.watch = (pcs_watch){pcs_context_stop_hook, arena->ctx};
    GET(int64_t, lu->factor_start, n);
    GET(int64_t, lu->update_start, n);
    GET(int64_t, lu->w_start, n);
    GET(int32_t, lu->n_pivots, n);
    GET(int32_t, lu->n_rest, n);
    GET(int32_t, lu->pivot, lu->start[lu->n]);
    GET(double, lu->y, lu->start[lu->n]);
    PCS_TRY(measure_tree(arena, lu, &t));
    PCS_TRY(make_parts(arena, lu, &t));
    PCS_TRY(place_updates(arena, lu, &t, &update));
    for (int32_t s = 0; s < n; ++s) {
        const int64_t ldp = pcs_front_stride(t.p[s]), ldc = pcs_front_stride(t.c[s]);
        lu->factor_start[s] = factor;
        lu->w_start[s] = vector;
        factor += t.p[s] * (ldp + 2 * ldc) + ldp;
        vector += ldc;
    }
    GET(double, lu->factor, factor);
    GET(double, lu->update, update);
    GET(double, lu->w, vector);
    return PCS_OK;
}
