// Elimination tree, postorder and column counts [Liu1990].
#include "linalg/elimination_tree.h"

#include <string.h>

static void find_parents(const pcs_weighted_graph *g, pcs_elimination_tree *t, int32_t *ancestor)
{
    for (int32_t k = 0; k < g->n; ++k) {
        const int32_t v = t->order[k];
        t->parent[k] = ancestor[k] = -1;
        for (int32_t e = g->start[v]; e < g->start[v + 1]; ++e)
            for (int32_t i = t->step[g->neighbour[e]], up; i >= 0 && i < k; i = up) {
                up = ancestor[i]; // paths are shortened on the way
                ancestor[i] = k;
                if (up < 0)
                    t->parent[i] = k;
            }
    }
}

void pcs_tree_postorder(int32_t n, const int32_t *parent, int32_t *number, int32_t *work)
{
    int32_t *head = work, *next = head + n + 1, *stack = next + n;
    int32_t depth = 0, count = 0;
    for (int32_t k = 0; k <= n; ++k)
        head[k] = -1;
    for (int32_t k = n - 1; k >= 0; --k) { // lists in ascending order; roots hang at n
        const int32_t up = parent[k] < 0 ? n : parent[k];
        next[k] = head[up];
        head[up] = k;
    }
    stack[0] = n;
    while (depth >= 0) {
        const int32_t top = stack[depth], child = head[top];
        if (child >= 0) {
            head[top] = next[child];
            stack[++depth] = child;
            continue;
        }
        if (top < n)
            number[top] = count++;
        --depth;
    }
}

// The tree in postorder. work: 4 n + 2.
static void renumber(int32_t n, pcs_elimination_tree *t, int32_t *work)
{
    int32_t *number = work, *parent = work + n; // the latter after the former is known
    pcs_tree_postorder(n, t->parent, number, work + n);
    for (int32_t k = 0; k < n; ++k) {
        t->step[t->order[k]] = number[k];
        parent[number[k]] = t->parent[k] < 0 ? -1 : number[t->parent[k]];
    }
    memcpy(t->parent, parent, sizeof(int32_t) * (size_t)n);
    for (int32_t v = 0; v < n; ++v)
        t->order[t->step[v]] = v;
}

// Row k of the factor has the columns on the paths of the tree from its entries up to k.
static void count_columns(const pcs_weighted_graph *g, pcs_elimination_tree *t, int32_t *mark)
{
    memset(t->count, 0, sizeof(int32_t) * (size_t)g->n);
    memset(t->rows, 0, sizeof(int64_t) * (size_t)g->n);
    for (int32_t k = 0; k < g->n; ++k) {
        const int32_t v = t->order[k];
        mark[k] = k;
        for (int32_t e = g->start[v]; e < g->start[v + 1]; ++e)
            for (int32_t i = t->step[g->neighbour[e]]; i < k && mark[i] != k; i = t->parent[i]) {
                mark[i] = k;
                ++t->count[i];
                t->rows[i] += g->weight[v];
            }
    }
    t->operations = 0.0;
    for (int32_t k = 0; k < g->n; ++k) {
        const double p = g->weight[t->order[k]], m = p + (double)t->rows[k];
        t->operations += p * m * m;
    }
}

pcs_status pcs_elimination_tree_compute(pcs_arena *arena, const pcs_weighted_graph *graph,
                                        const int32_t *order, pcs_elimination_tree *out)
{
    const int32_t n = graph->n;
    out->order = PCS_ARENA_ARRAY(arena, int32_t, n);
    out->step = PCS_ARENA_ARRAY(arena, int32_t, n);
    out->parent = PCS_ARENA_ARRAY(arena, int32_t, n);
    out->count = PCS_ARENA_ARRAY(arena, int32_t, n);
    out->rows = PCS_ARENA_ARRAY(arena, int64_t, n);
    const pcs_arena_mark mark = pcs_arena_get_mark(arena);
    int32_t *work = PCS_ARENA_ARRAY(arena, int32_t, 4 * (int64_t)n + 2);
    if (!out->order || !out->step || !out->parent || !out->count || !out->rows || !work)
        return PCS_ERROR_MEMORY;
    for (int32_t k = 0; k < n; ++k) {
        out->order[k] = order[k];
        out->step[order[k]] = k;
    }
    find_parents(graph, out, work);
    renumber(n, out, work);
    count_columns(graph, out, work);
    pcs_arena_release(arena, mark);
    return PCS_OK;
}
