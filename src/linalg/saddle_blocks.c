// The matrix K = [A -B^T; G 0] of large coupled islands in blocks, one for each node and each row
// block, for the multifrontal LU (linalg/block_lu.h). It is held as D K D with powers of two on the
// diagonal of D that bring its entries near one: no rounding, and pivots that can be compared.
//
// Order of elimination: the nodes by minimum degree, for meshes by nested dissection; each row
// block right behind the last of its nodes, where its pivot is G A^{-1} B^T and not zero. A row of
// a hub, a node with many rows, does not wait for the hub if its other nodes can carry it: all rows
// behind the hub would make one large front. Pivots are exchanged inside fronts only. Where that
// fails, the block is postponed: a node without a matrix of its own goes behind the rows that hold
// it, a row behind all its nodes.
#include <float.h>
#include <math.h>
#include <string.h>

#include "linalg/ordering.h"
#include "linalg/saddle_internal.h"

enum {
    HUB_ROWS = 8,        // row blocks that make a node a hub
    DISSECT_FROM = 300,  // nodes; below, minimum degree is as good,
    DISSECT_ONLY = 3000, // from here on it is not worth its memory
    CHAIN_DEGREE = 4,    // mean number of neighbours up to which a graph is one of chains
    ATTEMPTS = 4         // orders tried
};
enum { POSTPONED = 1, ON_TRIAL = 2 }; // ON_TRIAL: until the factorisation succeeds or fails
// Backward error that needs no refinement, and how often to refine: pivots that are chosen inside
// fronts may lose some digits, and each correction gains what is left of them.
#define BACKWARD_ERROR (16.0 * DBL_EPSILON)
#define REFINEMENTS 5

#define GET(type, pointer, count)                               \
    do {                                                        \
        (pointer) = PCS_ARENA_ARRAY(&b->memory, type, (count)); \
        if (!(pointer))                                         \
            return PCS_ERROR_MEMORY;                            \
    } while (0)

struct pcs_kkt_blocks {
    pcs_context *ctx;
    pcs_arena memory;         // all but the factors
    int32_t n_nodes, n_rows;  // blocks: the nodes, then the rows
    const int32_t *node_slot; // by node of the system: block, -1 if not coupled
    pcs_block_matrix K;       // D K D
    int32_t *offset, *row_start, *column, *diagonal;
    int64_t *value_start;
    double *scale;              // by unknown: D
    int64_t *coupling_value[2]; // by coupling: first value of the blocks (i, j) and (j, i)
    int64_t *row_value[2];      // by row and slot: of the blocks (row, node) and (node, row)
    int32_t *row_node;          // by row and slot: block, -1 behind the last
    uint8_t *postponed;         // by block: 0, POSTPONED or ON_TRIAL
    int32_t *rows_of_node;      // how many row blocks touch it
    int32_t *node_order;
    pcs_arena factors;
    pcs_block_lu *lu;
    pcs_tasks *tasks;
};

static int32_t block_size(const pcs_kkt_blocks *b, int32_t i)
{
    return b->offset[i + 1] - b->offset[i];
}

static pcs_status number_blocks(pcs_kkt_blocks *b, const pcs_saddle *s)
{
    const pcs_kkt *kkt = s->kkt;
    const int32_t n = b->n_nodes + b->n_rows;
    int32_t *slot;
    GET(int32_t, slot, s->n_nodes);
    GET(int32_t, b->offset, (int64_t)n + 1);
    GET(int32_t, b->row_node, (int64_t)b->n_rows * PCS_ROW_NODES_MAX);
    GET(int32_t, b->rows_of_node, b->n_nodes);
    GET(uint8_t, b->postponed, n);
    memset(b->postponed, 0, (size_t)n);
    for (int32_t i = 0; i < s->n_nodes; ++i)
        slot[i] = -1;
    b->offset[0] = 0;
    for (int32_t q = 0; q < b->n_nodes; ++q) {
        slot[kkt->node[q]] = q;
        b->offset[q + 1] = b->offset[q] + s->node_size[kkt->node[q]];
        b->rows_of_node[q] = 0;
    }
    for (int32_t q = 0; q < b->n_rows; ++q) {
        const pcs_row_block *row = &s->rows[kkt->row[q]];
        b->offset[b->n_nodes + q + 1] = b->offset[b->n_nodes + q] + row->size;
        for (int32_t k = 0; k < PCS_ROW_NODES_MAX; ++k) {
            const int32_t node = k < row->n_nodes ? slot[row->node[k]] : -1;
            b->row_node[q * PCS_ROW_NODES_MAX + k] = node;
            if (node >= 0)
                ++b->rows_of_node[node];
        }
    }
    b->node_slot = slot;
    return PCS_OK;
}

// Calls the pair (i, j) of blocks i != j of every coupling and every slot of a row
typedef void (*pair_fn)(pcs_kkt_blocks *b, int32_t i, int32_t j, int32_t *cursor);
static void for_pairs(pcs_kkt_blocks *b, const pcs_saddle *s, pair_fn call, int32_t *cursor)
{
    for (int32_t k = 0; k < s->n_couplings; ++k)
        call(b, b->node_slot[s->coupling[k][0]], b->node_slot[s->coupling[k][1]], cursor);
    for (int32_t k = 0; k < b->n_rows * PCS_ROW_NODES_MAX; ++k)
        if (b->row_node[k] >= 0)
            call(b, b->n_nodes + k / PCS_ROW_NODES_MAX, b->row_node[k], cursor);
}

static void count_pair(pcs_kkt_blocks *b, int32_t i, int32_t j, int32_t *cursor)
{
    (void)b;
    ++cursor[i];
    ++cursor[j];
}

static void list_pair(pcs_kkt_blocks *b, int32_t i, int32_t j, int32_t *cursor)
{
    b->column[cursor[i]++] = j;
    b->column[cursor[j]++] = i;
}

// Block rows with ascending columns: the unsorted rows are read in order and written as columns,
// which the symmetric pattern makes rows again
static pcs_status build_pattern(pcs_kkt_blocks *b, const pcs_saddle *s)
{
    const int32_t n = b->n_nodes + b->n_rows;
    int32_t *cursor, *unsorted;
    GET(int32_t, b->row_start, (int64_t)n + 1);
    GET(int32_t, b->diagonal, n);
    GET(int32_t, cursor, n);
    for (int32_t i = 0; i < n; ++i)
        cursor[i] = 1; // the diagonal block
    for_pairs(b, s, count_pair, cursor);
    int64_t entries = 0;
    for (int32_t i = 0; i < n; ++i)
        entries += cursor[i];
    if (entries > INT32_MAX)
        return pcs_error(b->ctx, PCS_ERROR_MEMORY, "%lld blocks of stiffness are too many",
                         (long long)entries);
    GET(int32_t, b->column, entries);
    GET(int32_t, unsorted, entries);
    GET(int64_t, b->value_start, entries);
    b->row_start[0] = 0;
    for (int32_t i = 0; i < n; ++i) {
        b->row_start[i + 1] = b->row_start[i] + cursor[i];
        cursor[i] = b->row_start[i];
        b->column[cursor[i]++] = i;
    }
    for_pairs(b, s, list_pair, cursor);
    memcpy(unsorted, b->column, sizeof(int32_t) * (size_t)entries);
    memcpy(cursor, b->row_start, sizeof(int32_t) * (size_t)n);
    for (int32_t j = 0; j < n; ++j)
        for (int32_t e = b->row_start[j]; e < b->row_start[j + 1]; ++e) {
            if (unsorted[e] == j)
                b->diagonal[j] = cursor[j];
            b->column[cursor[unsorted[e]]++] = j;
        }
    int64_t values = 0;
    for (int32_t i = 0; i < n; ++i)
        for (int32_t e = b->row_start[i]; e < b->row_start[i + 1]; ++e) {
            b->value_start[e] = values;
            values += (int64_t)block_size(b, i) * block_size(b, b->column[e]);
        }
    b->K = (pcs_block_matrix){.n = n,
                              .offset = b->offset,
                              .row_start = b->row_start,
                              .column = b->column,
                              .value_start = b->value_start,
                              .diagonal = b->diagonal};
    GET(double, b->K.value, values);
    memset(b->K.value, 0, sizeof(double) * (size_t)values);
    GET(double, b->scale, b->offset[n]);
    return PCS_OK;
}

// First value of block (i, j)
static int64_t find_value(const pcs_kkt_blocks *b, int32_t i, int32_t j)
{
    int32_t low = b->row_start[i], high = b->row_start[i + 1];
    while (high - low > 1) {
        const int32_t middle = low + (high - low) / 2;
        if (b->column[middle] <= j)
            low = middle;
        else
            high = middle;
    }
    return b->value_start[low];
}

static pcs_status find_values(pcs_kkt_blocks *b, const pcs_saddle *s)
{
    const int32_t slots = b->n_rows * PCS_ROW_NODES_MAX;
    for (int side = 0; side < 2; ++side) {
        GET(int64_t, b->coupling_value[side], s->n_couplings);
        GET(int64_t, b->row_value[side], slots);
    }
    for (int32_t k = 0; k < s->n_couplings; ++k) {
        const int32_t i = b->node_slot[s->coupling[k][0]], j = b->node_slot[s->coupling[k][1]];
        b->coupling_value[0][k] = find_value(b, i, j);
        b->coupling_value[1][k] = find_value(b, j, i);
    }
    for (int32_t k = 0; k < slots; ++k) {
        const int32_t i = b->n_nodes + k / PCS_ROW_NODES_MAX, j = b->row_node[k];
        if (j < 0)
            continue;
        b->row_value[0][k] = find_value(b, i, j);
        b->row_value[1][k] = find_value(b, j, i);
    }
    return PCS_OK;
}

// Neighbours of node i in the graph that is ordered: the nodes coupled with it, and those that
// share a row with it. list NULL: count only.
static int32_t list_neighbours(const pcs_kkt_blocks *b, int32_t i, int32_t *mark, int32_t *list)
{
    int32_t count = 0;
    mark[i] = i;
    for (int32_t e = b->row_start[i]; e < b->row_start[i + 1]; ++e) {
        const int32_t j = b->column[e];
        const int32_t *nodes = j < b->n_nodes ? &j
                                              : &b->row_node[(j - b->n_nodes) * PCS_ROW_NODES_MAX];
        const int32_t most = j < b->n_nodes ? 1 : PCS_ROW_NODES_MAX;
        for (int32_t k = 0; k < most && nodes[k] >= 0; ++k)
            if (mark[nodes[k]] != i) {
                mark[nodes[k]] = i;
                if (list)
                    list[count] = nodes[k];
                ++count;
            }
    }
    return count;
}

typedef struct node_graph {
    int32_t *start, *neighbour, *weight;
} node_graph;

static pcs_status build_graph(pcs_kkt_blocks *b, node_graph *g)
{
    int32_t *mark;
    GET(int32_t, g->start, (int64_t)b->n_nodes + 1);
    GET(int32_t, g->weight, b->n_nodes);
    GET(int32_t, mark, b->n_nodes);
    g->start[0] = 0;
    for (int pass = 0; pass < 2; ++pass) {
        for (int32_t i = 0; i < b->n_nodes; ++i)
            mark[i] = -1;
        if (pass == 1)
            GET(int32_t, g->neighbour, g->start[b->n_nodes]);
        for (int32_t i = 0; i < b->n_nodes; ++i) {
            const int32_t count = list_neighbours(b, i, mark,
                                                  pass == 1 ? g->neighbour + g->start[i] : NULL);
            g->start[i + 1] = g->start[i] + count;
        }
    }
    for (int32_t i = 0; i < b->n_nodes; ++i)
        g->weight[i] = block_size(b, i);
    for (int32_t k = 0; k < b->n_rows * PCS_ROW_NODES_MAX; k += PCS_ROW_NODES_MAX)
        g->weight[b->row_node[k]] += block_size(b, b->n_nodes + k / PCS_ROW_NODES_MAX);
    return PCS_OK;
}

// Where a row block goes: behind the node of this rank
static int32_t row_anchor(const pcs_kkt_blocks *b, int32_t q, const int32_t *rank)
{
    const int32_t *nodes = &b->row_node[q * PCS_ROW_NODES_MAX], row = b->n_nodes + q;
    int32_t light = -1, placed = -1, any = -1, capacity = 0;
    for (int32_t k = 0; k < PCS_ROW_NODES_MAX && nodes[k] >= 0; ++k) {
        const int32_t i = nodes[k];
        any = rank[i] > any ? rank[i] : any;
        if (b->postponed[i])
            continue;
        placed = rank[i] > placed ? rank[i] : placed;
        if (b->rows_of_node[i] > HUB_ROWS)
            continue;
        light = rank[i] > light ? rank[i] : light;
        capacity += block_size(b, i);
    }
    if (!b->postponed[row] && capacity >= block_size(b, row))
        return light;
    return placed >= 0 ? placed : any;
}

// The order of all blocks: each key is three times a rank, plus 0 for the node, 1 for the rows
// behind it, 2 for postponed nodes behind these. A row of postponed nodes only goes behind them.
static void place_blocks(const pcs_kkt_blocks *b, int32_t *rank, int32_t *key, int32_t *cursor,
                         int32_t *order)
{
    const int32_t n = b->n_nodes + b->n_rows, keys = 3 * b->n_nodes;
    for (int32_t k = 0; k < b->n_nodes; ++k)
        rank[b->node_order[k]] = k;
    for (int32_t i = 0; i < b->n_nodes; ++i)
        key[i] = 3 * rank[i];
    for (int32_t q = 0; q < b->n_rows; ++q) {
        const int32_t anchor = row_anchor(b, q, rank);
        key[b->n_nodes + q] = 3 * anchor + 1;
        for (int32_t k = q * PCS_ROW_NODES_MAX;
             k < (q + 1) * PCS_ROW_NODES_MAX && b->row_node[k] >= 0; ++k) {
            const int32_t i = b->row_node[k];
            if (b->postponed[i] && key[i] < 3 * anchor + 2)
                key[i] = 3 * anchor + 2;
        }
    }
    for (int32_t q = 0; q < b->n_rows; ++q) {
        int32_t last = -1;
        bool all = true;
        for (int32_t k = q * PCS_ROW_NODES_MAX;
             k < (q + 1) * PCS_ROW_NODES_MAX && b->row_node[k] >= 0; ++k) {
            all = all && b->postponed[b->row_node[k]];
            last = key[b->row_node[k]] > last ? key[b->row_node[k]] : last;
        }
        if (all)
            key[b->n_nodes + q] = last;
    }
    memset(cursor, 0, sizeof(int32_t) * ((size_t)keys + 1));
    for (int32_t i = 0; i < n; ++i)
        ++cursor[key[i] + 1];
    for (int32_t k = 0; k < keys; ++k)
        cursor[k + 1] += cursor[k];
    for (int32_t i = 0; i < n; ++i) // stable: nodes before rows
        order[cursor[key[i]]++] = i;
}

double pcs_kkt_blocks_singular(int32_t size)
{
    return 16.0 * DBL_EPSILON * sqrt((double)size);
}

// Analysis for the present node order and postponed blocks, with its memory in `factors`
static pcs_status analyse(pcs_kkt_blocks *b, pcs_arena *factors, pcs_block_lu **lu)
{
    const pcs_arena_mark mark = pcs_arena_get_mark(&b->memory);
    const int32_t n = b->n_nodes + b->n_rows;
    int32_t *rank, *key, *cursor, *order;
    GET(int32_t, rank, b->n_nodes);
    GET(int32_t, key, n);
    GET(int32_t, cursor, 3 * (int64_t)b->n_nodes + 1);
    GET(int32_t, order, n);
    place_blocks(b, rank, key, cursor, order);
    const pcs_status status = pcs_block_lu_analyse_ordered(factors, &b->K, order, lu);
    if (status == PCS_OK)
        pcs_block_lu_set_tolerance(*lu, pcs_kkt_blocks_singular(b->offset[n]));
    pcs_arena_release(&b->memory, mark);
    return status;
}

// Takes over the order if it needs fewer operations than the present one
static pcs_status try_order(pcs_kkt_blocks *b, const int32_t *order)
{
    pcs_arena factors;
    pcs_block_lu *lu;
    const size_t size = sizeof(int32_t) * (size_t)b->n_nodes;
    int32_t *before;
    GET(int32_t, before, b->n_nodes);
    memcpy(before, b->node_order, size);
    memcpy(b->node_order, order, size);
    pcs_arena_init(&factors, b->ctx);
    const pcs_status status = analyse(b, &factors, &lu);
    if (status < 0 || (b->lu && pcs_block_lu_operations(b->lu) <= pcs_block_lu_operations(lu))) {
        memcpy(b->node_order, before, size);
        pcs_arena_free(&factors);
        return status;
    }
    pcs_arena_free(&b->factors);
    b->factors = factors;
    b->lu = lu;
    return PCS_OK;
}

static pcs_status order_nodes(pcs_kkt_blocks *b)
{
    GET(int32_t, b->node_order, b->n_nodes);
    const pcs_arena_mark mark = pcs_arena_get_mark(&b->memory);
    node_graph g;
    int32_t *order;
    PCS_TRY(build_graph(b, &g));
    GET(int32_t, order, b->n_nodes);
    const bool dissect = b->n_nodes >= DISSECT_FROM &&
                         g.start[b->n_nodes] > (int64_t)CHAIN_DEGREE * b->n_nodes;
    if (!dissect || b->n_nodes < DISSECT_ONLY) {
        PCS_TRY(pcs_ordering_compute(b->ctx, b->n_nodes, g.start, g.neighbour, order));
        PCS_TRY(try_order(b, order));
    }
    if (dissect) {
        PCS_TRY(pcs_ordering_dissect(b->ctx, b->n_nodes, g.start, g.neighbour, g.weight, order));
        PCS_TRY(try_order(b, order));
    }
    pcs_arena_release(&b->memory, mark);
    return PCS_OK;
}

static pcs_status build(pcs_kkt_blocks *b, const pcs_saddle *s)
{
    PCS_TRY(number_blocks(b, s));
    PCS_TRY(build_pattern(b, s));
    PCS_TRY(find_values(b, s));
    return order_nodes(b);
}

pcs_status pcs_kkt_blocks_create(const pcs_saddle *s, bool with_rows, pcs_kkt_blocks **out)
{
    *out = NULL;
    pcs_kkt_blocks *b = PCS_NEW(s->ctx, pcs_kkt_blocks);
    if (!b)
        return PCS_ERROR_MEMORY;
    b->ctx = s->ctx;
    b->n_nodes = s->kkt->n_nodes;
    b->n_rows = with_rows ? s->kkt->n_rows : 0;
    pcs_arena_init(&b->memory, s->ctx);
    pcs_arena_init(&b->factors, s->ctx);
    const pcs_status status = build(b, s);
    if (status < 0) {
        pcs_kkt_blocks_destroy(b);
        return status;
    }
    *out = b;
    return PCS_OK;
}

void pcs_kkt_blocks_destroy(pcs_kkt_blocks *b)
{
    if (!b)
        return;
    pcs_arena_free(&b->memory);
    pcs_arena_free(&b->factors);
    pcs_free(b->ctx, b);
}

// 2^-k with 2^k near x; 1 for zero and for what is not finite
static double inverse_power(double x, int divisor)
{
    return x > 0.0 && isfinite(x) ? ldexp(1.0, -ilogb(x) / divisor) : 1.0;
}

// out = D_i A D_j for a block of A, or of its transpose. Returns how many entries have changed; one
// that is not a number always has.
static int64_t write_block(int32_t rows, int32_t columns, const double *row_scale,
                           const double *column_scale, const double *A, double *out)
{
    int64_t changes = 0;
    for (int32_t r = 0; r < rows; ++r)
        for (int32_t c = 0; c < columns; ++c) {
            const double value = row_scale[r] * A[r * columns + c] * column_scale[c];
            changes += !(out[r * columns + c] == value);
            out[r * columns + c] = value;
        }
    return changes;
}

static int64_t write_nodes(pcs_kkt_blocks *b, const pcs_saddle *s)
{
    int64_t changes = 0;
    for (int32_t q = 0; q < b->n_nodes; ++q) {
        const int32_t size = block_size(b, q);
        const double *A = s->value + s->diagonal_start[s->kkt->node[q]];
        double *scale = b->scale + b->offset[q], largest = 0.0;
        for (int32_t r = 0; r < size; ++r)
            largest = fmax(largest, fabs(A[r * (size + 1)]));
        for (int32_t r = 0; r < size; ++r) {
            const double a = fabs(A[r * (size + 1)]);
            scale[r] = inverse_power(a > 0.0 ? a : largest, 2);
        }
        changes += write_block(size, size, scale, scale, A,
                               b->K.value + b->value_start[b->diagonal[q]]);
    }
    for (int32_t k = 0; k < s->n_couplings; ++k) {
        const int32_t i = b->node_slot[s->coupling[k][0]], j = b->node_slot[s->coupling[k][1]];
        const double *D_i = b->scale + b->offset[i], *D_j = b->scale + b->offset[j];
        changes += write_block(block_size(b, i), block_size(b, j), D_i, D_j,
                               s->value + s->coupling_start[2 * k],
                               b->K.value + b->coupling_value[0][k]);
        changes += write_block(block_size(b, j), block_size(b, i), D_j, D_i,
                               s->value + s->coupling_start[2 * k + 1],
                               b->K.value + b->coupling_value[1][k]);
    }
    return changes;
}

static int64_t write_value(double value, double *out)
{
    const bool same = *out == value;
    *out = value;
    return !same;
}

// Row block q: its scales, G and -B^T; dropped rows become p = 0. Returns how many entries changed.
static int64_t write_row(pcs_kkt_blocks *b, const pcs_saddle *s, int32_t q)
{
    const pcs_row_block *G = &s->rows[s->kkt->row[q]];
    const pcs_row_block *B = s->left ? &s->left[s->kkt->row[q]] : G;
    const int32_t i = b->n_nodes + q;
    const uint8_t *dropped = s->kkt->dropped + s->kkt->row_place[q];
    double *scale = b->scale + b->offset[i];
    double *diagonal = b->K.value + b->value_start[b->diagonal[i]]; // off its diagonal always zero
    int64_t changes = 0;
    for (int32_t r = 0; r < G->size; ++r) {
        double largest = 0.0;
        for (int32_t k = 0; k < G->n_nodes; ++k) {
            const int32_t j = b->row_node[q * PCS_ROW_NODES_MAX + k], size = block_size(b, j);
            for (int32_t c = 0; c < size; ++c)
                largest = fmax(largest, fabs(G->J[k][r * size + c] * b->scale[b->offset[j] + c]));
        }
        scale[r] = dropped[r] ? 1.0 : inverse_power(largest, 1);
        changes += write_value(dropped[r] ? 1.0 : 0.0, &diagonal[r * (G->size + 1)]);
    }
    for (int32_t k = 0; k < G->n_nodes; ++k) {
        const int32_t slot = q * PCS_ROW_NODES_MAX + k, j = b->row_node[slot];
        const int32_t size = block_size(b, j);
        const double *D_j = b->scale + b->offset[j];
        double *lower = b->K.value + b->row_value[0][slot];
        double *upper = b->K.value + b->row_value[1][slot];
        for (int32_t r = 0; r < G->size; ++r)
            for (int32_t c = 0; c < size; ++c) {
                const double factor = dropped[r] ? 0.0 : scale[r] * D_j[c];
                changes += write_value(factor * G->J[k][r * size + c], &lower[r * size + c]);
                changes += write_value(-factor * B->J[k][r * size + c], &upper[c * G->size + r]);
            }
    }
    return changes;
}

bool pcs_kkt_blocks_write(pcs_kkt_blocks *b, const pcs_saddle *s)
{
    int64_t changes = write_nodes(b, s);
    for (int32_t q = 0; q < b->n_rows; ++q)
        changes += write_row(b, s, q);
    return changes > 0;
}

// Block rows of nodes begin with the blocks of other nodes
void pcs_kkt_blocks_copy_nodes(const pcs_kkt_blocks *full, pcs_kkt_blocks *free)
{
    memcpy(free->scale, full->scale, sizeof(double) * (size_t)free->offset[free->n_nodes]);
    for (int32_t i = 0; i < free->n_nodes; ++i) {
        int64_t count = 0;
        for (int32_t e = free->row_start[i]; e < free->row_start[i + 1]; ++e)
            count += (int64_t)block_size(free, i) * block_size(free, free->column[e]);
        memcpy(free->K.value + free->value_start[free->row_start[i]],
               full->K.value + full->value_start[full->row_start[i]],
               sizeof(double) * (size_t)count);
    }
}

static bool has_zero_diagonal(const pcs_kkt_blocks *b, int32_t i)
{
    const int32_t size = block_size(b, i);
    const double *A = b->K.value + b->value_start[b->diagonal[i]];
    for (int32_t r = 0; r < size; ++r)
        if (A[r * (size + 1)] == 0.0)
            return true;
    return false;
}

// Postpones the block without a pivot, and with a node all that have no matrix of their own. False
// if nothing changes.
static bool postpone(pcs_kkt_blocks *b, int32_t bad)
{
    if (b->postponed[bad] || (bad < b->n_nodes && b->rows_of_node[bad] == 0))
        return false;
    b->postponed[bad] = ON_TRIAL;
    for (int32_t i = 0; i < b->n_nodes && bad < b->n_nodes; ++i)
        if (b->rows_of_node[i] > 0 && !b->postponed[i] && has_zero_diagonal(b, i))
            b->postponed[i] = ON_TRIAL;
    b->lu = NULL;
    return true;
}

// Keeps what was postponed on trial, or not: a matrix that is singular in every order must not
// spoil the order for the next one
static void settle(pcs_kkt_blocks *b, bool keep)
{
    for (int32_t i = 0; i < b->K.n; ++i)
        if (b->postponed[i] == ON_TRIAL) {
            b->postponed[i] = keep ? POSTPONED : 0;
            b->lu = keep ? b->lu : NULL;
        }
}

static pcs_status analyse_again(pcs_kkt_blocks *b)
{
    pcs_arena_free(&b->factors);
    PCS_TRY(analyse(b, &b->factors, &b->lu));
    pcs_block_lu_set_tasks(b->lu, b->tasks);
    return PCS_OK;
}

static pcs_status factor_in_some_order(pcs_kkt_blocks *b, int32_t *column)
{
    for (int attempt = 0; attempt < ATTEMPTS; ++attempt) {
        if (!b->lu)
            PCS_TRY(analyse_again(b));
        const int32_t bad = pcs_block_lu_factor(b->lu, &b->K, NULL, NULL, NULL);
        if (bad < 0)
            return PCS_OK;
        PCS_TRY(pcs_context_go_on(b->factors.ctx));
        *column = b->offset[bad];
        if (!postpone(b, bad))
            break;
    }
    return PCS_ERROR_SINGULAR;
}

pcs_status pcs_kkt_blocks_factor(pcs_kkt_blocks *b, int32_t *column)
{
    *column = -1;
    const pcs_status status = factor_in_some_order(b, column);
    settle(b, status == PCS_OK);
    return status;
}

// r = rhs - K z; returns the backward error max |r_a| / (|K||z| + |rhs|)_a. Where the denominator
// is as small as rounding error, as for the unknowns of a clamped node, the size of the whole row
// comes in its place [ArioliDemmelDuff1989]: max |z|, because the rows are scaled to one.
static double residual(const pcs_block_matrix *K, const double *rhs, const double *z, double *r)
{
    const int32_t n = K->offset[K->n];
    const double rounding = 1000.0 * DBL_EPSILON * n;
    double error = 0.0, largest = 0.0;
    for (int32_t a = 0; a < n; ++a)
        largest = fmax(largest, fabs(z[a]));
    for (int32_t i = 0; i < K->n; ++i)
        for (int32_t a = K->offset[i]; a < K->offset[i + 1]; ++a) {
            double sum = rhs[a], scale = fabs(rhs[a]);
            for (int32_t e = K->row_start[i]; e < K->row_start[i + 1]; ++e) {
                const int32_t j = K->column[e], size = K->offset[j + 1] - K->offset[j];
                const double *row = K->value + K->value_start[e] +
                                    (int64_t)(a - K->offset[i]) * size;
                for (int32_t c = 0; c < size; ++c) {
                    const double t = row[c] * z[K->offset[j] + c];
                    sum -= t;
                    scale += fabs(t);
                }
            }
            r[a] = sum;
            if (scale <= rounding * (largest + fabs(rhs[a])))
                scale += largest;
            if (fabs(sum) > error * scale)
                error = fabs(sum) / scale;
        }
    return error;
}

void pcs_kkt_blocks_solve(pcs_kkt_blocks *b, double *z, double *work)
{
    const int32_t size = b->offset[b->K.n];
    double *rhs = work, *r = work + size;
    for (int32_t i = 0; i < size; ++i)
        rhs[i] = z[i] *= b->scale[i];
    pcs_block_lu_solve(b->lu, z);
    double error = residual(&b->K, rhs, z, r);
    for (int step = 0; step < REFINEMENTS && error > BACKWARD_ERROR; ++step) {
        pcs_block_lu_solve(b->lu, r);
        for (int32_t i = 0; i < size; ++i)
            z[i] += r[i];
        const double before = error;
        error = residual(&b->K, rhs, z, r);
        if (!(error <= 0.5 * before))
            break;
    }
    for (int32_t i = 0; i < size; ++i)
        z[i] *= b->scale[i];
}

pcs_status pcs_kkt_blocks_compress(pcs_kkt_blocks *b, pcs_arena *arena, int32_t n,
                                   const pcs_row_block *const *H, const int32_t *first,
                                   pcs_block_lu_put_fn put, void *user)
{
    int32_t count = 0;
    int64_t values = 0;
    for (int32_t k = 0; k < n; ++k)
        for (int32_t q = 0; q < H[k]->n_nodes; ++q) {
            const int32_t i = b->node_slot[H[k]->node[q]];
            count += i >= 0;
            values += i >= 0 ? H[k]->size * block_size(b, i) : 0;
        }
    const pcs_arena_mark mark = pcs_arena_get_mark(arena);
    pcs_block_lu_rows *rows = PCS_ARENA_ARRAY(arena, pcs_block_lu_rows, count);
    double *scaled = PCS_ARENA_ARRAY(arena, double, values);
    if (!rows || !scaled)
        return PCS_ERROR_MEMORY;
    count = 0;
    for (int32_t k = 0; k < n; ++k)
        for (int32_t q = 0; q < H[k]->n_nodes; ++q) {
            const int32_t i = b->node_slot[H[k]->node[q]];
            if (i < 0)
                continue;
            const int32_t size = block_size(b, i);
            rows[count++] = (pcs_block_lu_rows){i, first[k], H[k]->size, scaled};
            for (int32_t e = 0; e < H[k]->size * size; ++e)
                *scaled++ = H[k]->J[q][e] * b->scale[b->offset[i] + e % size];
        }
    const pcs_status status = pcs_block_lu_compress(b->lu, arena, count, rows, first[n], put, user);
    pcs_arena_release(arena, mark);
    return status;
}

const pcs_block_lu *pcs_kkt_blocks_lu(const pcs_kkt_blocks *b)
{
    return b->lu;
}

const pcs_block_matrix *pcs_kkt_blocks_matrix(const pcs_kkt_blocks *b)
{
    return &b->K;
}

void pcs_kkt_blocks_set_tasks(pcs_kkt_blocks *b, pcs_tasks *tasks)
{
    b->tasks = tasks;
    if (b->lu)
        pcs_block_lu_set_tasks(b->lu, tasks);
}
