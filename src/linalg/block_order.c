// Block size and order of elimination with the fewest operations.
#include "linalg/block_order.h"

#include "linalg/ordering.h"

// Entries of the blocks over those of the matrix, at most, for a size of blocks to be tried: the
// factor is denser than the matrix and has most of the blocks' zeros anyway.
#define BLOCK_ZEROS 3.0
// Operations of a factorisation in the order of minimum degree from which nested dissection is
// tried: some 10 ms, as its own time for such graphs.
#define DISSECT_FROM 1e8

typedef struct search {
    pcs_arena *arena;
    const pcs_sparse_pattern *side[2]; // A, and its transpose or NULL
    int32_t *mark;                     // by block
} search;

#define GET(type, pointer, count)                             \
    do {                                                      \
        (pointer) = PCS_ARENA_ARRAY(x->arena, type, (count)); \
        if (!(pointer))                                       \
            return PCS_ERROR_MEMORY;                          \
    } while (0)

// Pairs of different blocks that are coupled, for blocks of so many unknowns; start and neighbour
// (or NULL) get them by blocks.
static int64_t visit_pairs(const search *x, int32_t block, int32_t *start, int32_t *neighbour)
{
    const int32_t unknowns = x->side[0]->n_columns, n = (unknowns + block - 1) / block;
    int64_t count = 0;
    for (int32_t i = 0; i < n; ++i)
        x->mark[i] = -1;
    for (int32_t i = 0; i < n; ++i) {
        const int32_t end = (i + 1) * block < unknowns ? (i + 1) * block : unknowns;
        x->mark[i] = i;
        for (int side = 0; side < 2 && x->side[side] != NULL; ++side) {
            const pcs_sparse_pattern *P = x->side[side];
            for (int32_t e = P->start[i * block]; e < P->start[end]; ++e) {
                const int32_t j = P->index[e] / block;
                if (x->mark[j] == i)
                    continue;
                x->mark[j] = i;
                if (neighbour != NULL)
                    neighbour[count] = j;
                ++count;
            }
        }
        if (start != NULL)
            start[i + 1] = (int32_t)count;
    }
    return count;
}

static pcs_status make_graph(const search *x, int32_t block, int64_t pairs, pcs_block_order *out)
{
    const int32_t unknowns = x->side[0]->n_columns;
    out->block = block;
    out->n = (unknowns + block - 1) / block;
    GET(int32_t, out->start, (int64_t)out->n + 1);
    GET(int32_t, out->neighbour, pairs);
    GET(int32_t, out->weight, out->n);
    out->start[0] = 0;
    (void)visit_pairs(x, block, out->start, out->neighbour);
    for (int32_t i = 0; i < out->n; ++i)
        out->weight[i] = i + 1 < out->n ? block : unknowns - i * block;
    return PCS_OK;
}

// The tree in the order of minimum degree, or by dissection
static pcs_status order_graph(const search *x, bool by_dissection, const pcs_watch *watch,
                              const pcs_block_order *order, pcs_elimination_tree *tree)
{
    const pcs_weighted_graph graph = {order->n, order->start, order->neighbour, order->weight};
    pcs_context *ctx = x->arena->ctx;
    int32_t *steps;
    GET(int32_t, steps, order->n);
    const pcs_status status = by_dissection
                                  ? pcs_ordering_dissect_within(ctx, order->n, order->start,
                                                                order->neighbour, order->weight,
                                                                watch, steps)
                                  : pcs_ordering_compute(ctx, order->n, order->start,
                                                         order->neighbour, steps);
    return status == PCS_OK ? pcs_elimination_tree_compute(x->arena, &graph, steps, tree) : status;
}

// The size of the blocks with the fewest operations, by minimum degree
static pcs_status choose_blocks(const search *x, const pcs_watch *watch, pcs_block_order *out)
{
    static const int32_t sizes[] = {6, 3, 2, 1}; // nodes of a shell, a solid, a plane; none
    const int32_t unknowns = x->side[0]->n_columns;
    const double entries = (double)x->side[0]->start[unknowns];
    out->n = -1;
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; ++k) {
        const int32_t block = sizes[k];
        pcs_block_order trial;
        if (block == 1 && out->n >= 0)
            break;
        if (pcs_watch_is_over(watch))
            return PCS_INTERRUPTED;
        const int64_t pairs = visit_pairs(x, block, NULL, NULL);
        const double filled = (double)block * block * (double)pairs + (double)block * unknowns;
        if (block > 1 && filled > BLOCK_ZEROS * entries)
            continue;
        if (pairs > INT32_MAX)
            return pcs_error(x->arena->ctx, PCS_ERROR_MEMORY,
                             "sparse matrix: more than 2^31 pairs of blocks to order");
        PCS_TRY(make_graph(x, block, pairs, &trial));
        PCS_TRY(order_graph(x, false, watch, &trial, &trial.tree));
        if (out->n < 0 || trial.tree.operations < out->tree.operations)
            *out = trial;
    }
    return pcs_watch_is_over(watch) ? PCS_INTERRUPTED : PCS_OK;
}

static pcs_status order_blocks(search *x, const pcs_watch *watch, pcs_block_order *out)
{
    pcs_elimination_tree other;
    GET(int32_t, x->mark, x->side[0]->n_columns);
    pcs_status status = choose_blocks(x, watch, out);
    if (status != PCS_OK || out->tree.operations < DISSECT_FROM)
        return status;
    status = order_graph(x, true, watch, out, &other);
    if (status == PCS_OK && other.operations < out->tree.operations)
        out->tree = other;
    return status;
}

pcs_status pcs_block_order_compute(pcs_arena *arena, const pcs_sparse_pattern *A,
                                   const pcs_sparse_pattern *transposed, const pcs_watch *watch,
                                   pcs_block_order *out)
{
    search x = {.arena = arena, .side = {A, transposed}};
    return order_blocks(&x, watch, out);
}
