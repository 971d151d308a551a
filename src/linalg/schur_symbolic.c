// Symbolic part of S = G A^{-1} G^T: which row blocks share a node, the elimination order (minimum
// degree, connected components kept together), the pattern of the factors from the elimination tree
// [Liu1990], and the list of products that assemble S.
#include <string.h>

#include "linalg/ordering.h"
#include "linalg/schur.h"

// Scratch of the analysis. Vertices are the row blocks in the numbering of `selected`.
typedef struct analysis {
    int32_t n, n_nodes;
    const int32_t *selected;
    const pcs_row_block *rows;
    int32_t *touch_start, *touch;       // by node: the vertices that touch it
    int32_t *adjacent_start, *adjacent; // by vertex: the vertices that share a node with it
    int32_t *rank;                      // by vertex: place in the elimination order
    int32_t *parent;                    // elimination tree, by place
    int32_t *mark;                      // by vertex or place
} analysis;

static void analysis_free(pcs_context *ctx, analysis *a)
{
    pcs_free(ctx, a->touch_start);
    pcs_free(ctx, a->touch);
    pcs_free(ctx, a->adjacent_start);
    pcs_free(ctx, a->adjacent);
    pcs_free(ctx, a->rank);
    pcs_free(ctx, a->parent);
    pcs_free(ctx, a->mark);
}

static void fill(int32_t n, int32_t *array, int32_t value)
{
    for (int32_t i = 0; i < n; ++i)
        array[i] = value;
}

static pcs_status list_touching(pcs_context *ctx, analysis *a)
{
    a->touch_start = PCS_NEW_ARRAY(ctx, int32_t, (int64_t)a->n_nodes + 1);
    if (!a->touch_start)
        return PCS_ERROR_MEMORY;
    int32_t total = 0;
    for (int32_t v = 0; v < a->n; ++v) {
        const pcs_row_block *row = &a->rows[a->selected[v]];
        for (int32_t s = 0; s < row->n_nodes; ++s, ++total)
            ++a->touch_start[row->node[s]];
    }
    for (int32_t node = 1; node <= a->n_nodes; ++node) // ends of the lists
        a->touch_start[node] += a->touch_start[node - 1];
    a->touch = PCS_NEW_ARRAY(ctx, int32_t, total);
    if (!a->touch)
        return PCS_ERROR_MEMORY;
    for (int32_t v = a->n - 1; v >= 0; --v) { // filled from behind; the ends become the starts
        const pcs_row_block *row = &a->rows[a->selected[v]];
        for (int32_t s = 0; s < row->n_nodes; ++s)
            a->touch[--a->touch_start[row->node[s]]] = v;
    }
    return PCS_OK;
}

// Neighbours of vertex v into list (NULL: count only); mark must not hold v
static int32_t neighbours(analysis *a, int32_t v, int32_t *list)
{
    const pcs_row_block *row = &a->rows[a->selected[v]];
    int32_t count = 0;
    a->mark[v] = v;
    for (int32_t s = 0; s < row->n_nodes; ++s) {
        const int32_t node = row->node[s];
        for (int32_t t = a->touch_start[node]; t < a->touch_start[node + 1]; ++t) {
            const int32_t u = a->touch[t];
            if (a->mark[u] == v)
                continue;
            a->mark[u] = v;
            if (list)
                list[count] = u;
            ++count;
        }
    }
    return count;
}

static pcs_status build_graph(pcs_context *ctx, analysis *a)
{
    a->adjacent_start = PCS_NEW_ARRAY(ctx, int32_t, a->n + 1);
    if (!a->adjacent_start)
        return PCS_ERROR_MEMORY;
    fill(a->n, a->mark, -1);
    for (int32_t v = 0; v < a->n; ++v)
        a->adjacent_start[v + 1] = a->adjacent_start[v] + neighbours(a, v, NULL);
    a->adjacent = PCS_NEW_ARRAY(ctx, int32_t, a->adjacent_start[a->n]);
    if (!a->adjacent)
        return PCS_ERROR_MEMORY;
    fill(a->n, a->mark, -1);
    for (int32_t v = 0; v < a->n; ++v)
        (void)neighbours(a, v, a->adjacent + a->adjacent_start[v]);
    return PCS_OK;
}

// Stable regrouping of the minimum degree order by connected component, which changes no fill.
// component_end[k] <- one past the last place of the component of place k.
static pcs_status order_components(pcs_context *ctx, analysis *a, pcs_schur *S)
{
    int32_t *degree_order = PCS_NEW_ARRAY(ctx, int32_t, 2 * (int64_t)a->n);
    if (!degree_order)
        return PCS_ERROR_MEMORY;
    int32_t *queue = degree_order + a->n;
    const pcs_status status = pcs_ordering_compute(ctx, a->n, a->adjacent_start, a->adjacent,
                                                   degree_order);
    if (status < 0) {
        pcs_free(ctx, degree_order);
        return status;
    }
    fill(a->n, a->mark, -1); // component of a vertex, then first free place of the component
    int32_t n_components = 0, placed = 0;
    for (int32_t k = 0; k < a->n; ++k) {
        if (a->mark[degree_order[k]] >= 0)
            continue;
        int32_t head = 0, tail = 1;
        queue[0] = degree_order[k];
        a->mark[queue[0]] = n_components;
        while (head < tail) {
            const int32_t v = queue[head++];
            for (int32_t e = a->adjacent_start[v]; e < a->adjacent_start[v + 1]; ++e)
                if (a->mark[a->adjacent[e]] < 0) {
                    a->mark[a->adjacent[e]] = n_components;
                    queue[tail++] = a->adjacent[e];
                }
        }
        S->component_end[n_components++] =
            placed; // its first place; the loop below makes it the end
        placed += tail;
    }
    for (int32_t k = 0; k < a->n; ++k) {
        const int32_t v = degree_order[k];
        a->rank[v] = S->component_end[a->mark[v]]++;
        S->order[a->rank[v]] = v; // vertex; turned into the row index at the end
    }
    memcpy(queue, S->component_end, sizeof(int32_t) * (size_t)n_components);
    for (int32_t k = 0; k < a->n; ++k)
        S->component_end[k] = queue[a->mark[S->order[k]]];
    pcs_free(ctx, degree_order);
    return PCS_OK;
}

static void build_tree(analysis *a, const pcs_schur *S)
{
    int32_t *ancestor = a->mark;
    for (int32_t i = 0; i < a->n; ++i) {
        a->parent[i] = -1;
        ancestor[i] = -1;
        const int32_t v = S->order[i];
        for (int32_t e = a->adjacent_start[v]; e < a->adjacent_start[v + 1]; ++e)
            for (int32_t k = a->rank[a->adjacent[e]], next; k != -1 && k < i; k = next) {
                next = ancestor[k]; // path compression
                ancestor[k] = i;
                if (next == -1)
                    a->parent[k] = i;
            }
    }
}

// Block (k, i) is in the factors when k lies on a tree path from a neighbour of i up to i. With
// index NULL only the counts: cursor[k] goes up by one for each entry.
static void walk_rows(analysis *a, const pcs_schur *S, int32_t *cursor, int32_t *index)
{
    fill(a->n, a->mark, -1);
    for (int32_t i = 0; i < a->n; ++i) {
        const int32_t v = S->order[i];
        a->mark[i] = i;
        for (int32_t e = a->adjacent_start[v]; e < a->adjacent_start[v + 1]; ++e)
            for (int32_t k = a->rank[a->adjacent[e]]; k < i && a->mark[k] != i; k = a->parent[k]) {
                a->mark[k] = i;
                if (index)
                    index[cursor[k]] = i;
                ++cursor[k];
            }
    }
}

static pcs_status build_pattern(pcs_context *ctx, analysis *a, pcs_schur *S)
{
    build_tree(a, S);
    walk_rows(a, S, S->start + 1, NULL);
    for (int32_t k = 0; k < a->n; ++k)
        S->start[k + 1] += S->start[k];
    const int32_t entries = S->start[a->n];
    S->index = PCS_NEW_ARRAY(ctx, int32_t, entries);
    S->value_start = PCS_NEW_ARRAY(ctx, int64_t, entries);
    int32_t *cursor = PCS_NEW_ARRAY(ctx, int32_t, a->n);
    if (S->index && S->value_start && cursor) {
        memcpy(cursor, S->start, sizeof(int32_t) * (size_t)a->n);
        walk_rows(a, S, cursor, S->index);
    }
    pcs_free(ctx, cursor);
    if (!S->index || !S->value_start || !cursor)
        return PCS_ERROR_MEMORY;
    for (int32_t k = 0; k < a->n; ++k)
        for (int32_t e = S->start[k]; e < S->start[k + 1]; ++e) {
            S->value_start[e] = S->off_size;
            S->off_size += (int64_t)S->size[k] * S->size[S->index[e]];
        }
    return PCS_OK;
}

static int16_t slot_of(const pcs_row_block *row, int32_t node)
{
    int16_t s = 0;
    while (row->node[s] != node)
        ++s;
    return s;
}

// Products J_k A^{-1} J_i^T over shared nodes; pairs NULL: count only
static int32_t list_pairs(analysis *a, const pcs_schur *S, pcs_schur_pair *pairs)
{
    int32_t count = 0;
    for (int32_t k = 0; k < a->n; ++k) {
        const pcs_row_block *row = &a->rows[a->selected[S->order[k]]];
        for (int32_t e = S->start[k]; pairs && e < S->start[k + 1]; ++e)
            a->mark[S->index[e]] = e;
        for (int16_t s = 0; s < row->n_nodes; ++s) {
            const int32_t node = row->node[s];
            for (int32_t t = a->touch_start[node]; t < a->touch_start[node + 1]; ++t) {
                const int32_t v = a->touch[t], i = a->rank[v];
                if (i <= k)
                    continue;
                if (pairs)
                    pairs[count] = (pcs_schur_pair){
                        .k = k,
                        .i = i,
                        .entry = a->mark[i],
                        .slot_k = s,
                        .slot_i = slot_of(&a->rows[a->selected[v]], node)};
                ++count;
            }
        }
    }
    return count;
}

// Sizes and places of the blocks in elimination order; the largest scratch that a kernel needs
static void measure(const analysis *a, pcs_schur *S, const int32_t *node_size, int64_t *work_size)
{
    int32_t largest_row = 1, largest_node = 1;
    for (int32_t k = 0; k < a->n; ++k) {
        const pcs_row_block *row = &a->rows[a->selected[S->order[k]]];
        S->size[k] = row->size;
        S->offset[k + 1] = S->offset[k] + row->size;
        S->triangle_start[k] = S->triangle_size;
        S->triangle_size += (int64_t)row->size * row->size;
        for (int32_t s = 0; s < row->n_nodes; ++s) {
            const int32_t d = node_size[row->node[s]];
            S->slot_value[(int64_t)k * PCS_ROW_NODES_MAX + s] = S->product_size;
            S->product_size += (int64_t)row->size * d;
            largest_node = d > largest_node ? d : largest_node;
        }
        largest_row = row->size > largest_row ? row->size : largest_row;
    }
    S->m = S->offset[a->n];
    const int32_t largest = largest_row > largest_node ? largest_row : largest_node;
    *work_size = (int64_t)largest_row * largest;
}

static pcs_status analyse(pcs_context *ctx, analysis *a, const int32_t *node_size, pcs_schur *S)
{
    PCS_TRY(list_touching(ctx, a));
    PCS_TRY(build_graph(ctx, a));
    PCS_TRY(order_components(ctx, a, S));
    int64_t work_size = 0;
    measure(a, S, node_size, &work_size);
    PCS_TRY(build_pattern(ctx, a, S));
    S->n_pairs = list_pairs(a, S, NULL);
    S->pair = PCS_NEW_ARRAY(ctx, pcs_schur_pair, S->n_pairs);
    if (!S->pair)
        return PCS_ERROR_MEMORY;
    (void)list_pairs(a, S, S->pair);
    for (int32_t k = 0; k < a->n; ++k)
        S->order[k] = a->selected[S->order[k]];
    for (int side = 0; side < 2; ++side) {
        S->storage[side] = PCS_NEW_ARRAY(ctx, double,
                                         S->off_size + S->triangle_size + S->product_size);
        if (!S->storage[side])
            return PCS_ERROR_MEMORY;
    }
    S->diagonal_block = PCS_NEW_ARRAY(ctx, double, S->triangle_size);
    S->diagonal = PCS_NEW_ARRAY(ctx, double, S->m);
    S->inverse_pivot = PCS_NEW_ARRAY(ctx, double, S->m);
    S->work = PCS_NEW_ARRAY(ctx, double, work_size);
    return S->diagonal_block && S->diagonal && S->inverse_pivot && S->work ? PCS_OK
                                                                           : PCS_ERROR_MEMORY;
}

pcs_status pcs_schur_create(pcs_context *ctx, int32_t n_nodes, const int32_t *node_size, int32_t n,
                            const int32_t *selected, const pcs_row_block *rows, pcs_schur *S)
{
    memset(S, 0, sizeof *S);
    S->ctx = ctx;
    S->n = n;
    S->rows = rows;
    S->order = PCS_NEW_ARRAY(ctx, int32_t, n);
    S->size = PCS_NEW_ARRAY(ctx, int32_t, n);
    S->offset = PCS_NEW_ARRAY(ctx, int32_t, n + 1);
    S->component_end = PCS_NEW_ARRAY(ctx, int32_t, n);
    S->start = PCS_NEW_ARRAY(ctx, int32_t, n + 1);
    S->triangle_start = PCS_NEW_ARRAY(ctx, int64_t, n);
    S->slot_value = PCS_NEW_ARRAY(ctx, int64_t, (int64_t)n * PCS_ROW_NODES_MAX);
    analysis a = {.n = n, .n_nodes = n_nodes, .selected = selected, .rows = rows};
    a.rank = PCS_NEW_ARRAY(ctx, int32_t, n);
    a.parent = PCS_NEW_ARRAY(ctx, int32_t, n);
    a.mark = PCS_NEW_ARRAY(ctx, int32_t, n);
    pcs_status status = PCS_ERROR_MEMORY;
    if (S->order && S->size && S->offset && S->component_end && S->start && S->triangle_start &&
        S->slot_value && a.rank && a.parent && a.mark)
        status = analyse(ctx, &a, node_size, S);
    analysis_free(ctx, &a);
    if (status < 0)
        pcs_schur_destroy(S);
    return status;
}

void pcs_schur_destroy(pcs_schur *S)
{
    if (!S->ctx)
        return;
    pcs_free(S->ctx, S->order);
    pcs_free(S->ctx, S->size);
    pcs_free(S->ctx, S->offset);
    pcs_free(S->ctx, S->component_end);
    pcs_free(S->ctx, S->start);
    pcs_free(S->ctx, S->index);
    pcs_free(S->ctx, S->value_start);
    pcs_free(S->ctx, S->triangle_start);
    pcs_free(S->ctx, S->pair);
    pcs_free(S->ctx, S->slot_value);
    pcs_free(S->ctx, S->storage[0]);
    pcs_free(S->ctx, S->storage[1]);
    pcs_free(S->ctx, S->diagonal_block);
    pcs_free(S->ctx, S->diagonal);
    pcs_free(S->ctx, S->inverse_pivot);
    pcs_free(S->ctx, S->work);
    memset(S, 0, sizeof *S);
}
