// X = H J^{-1} H^T from the factors of the sparse LU, without a single complete solution:
//
//     X = Z^T Y,   Y = L^{-1} P H^T,   Z = U^{-T} H^T.
//
// A front has the columns of H^T that touch its subtree, and no others. Its pivot rows of Y and Z
// add Z_s^T Y_s to X and are forgotten; what they do to later rows goes to the parent like an
// update matrix. The updates make a stack: those of the children lie on top, and the parent's takes
// their place.
#include <string.h>

#include "linalg/block_lu_internal.h"

#define GET(type, pointer, count)                             \
    do {                                                      \
        (pointer) = PCS_ARENA_ARRAY(x->arena, type, (count)); \
        if (!(pointer))                                       \
            return PCS_ERROR_MEMORY;                          \
    } while (0)

typedef struct compression {
    pcs_block_lu *lu;
    pcs_arena *arena;
    const pcs_block_lu_rows *rows;
    int32_t n_rows;
    int32_t *head, *next; // by supernode, by entry of `rows`: lists of the entries; -1: end
    int32_t *place;       // by entry of `rows`
    int32_t *n_columns;   // by supernode; 0: not visited
    int32_t **column;     // ascending
    int64_t *start;       // of the update in the stack
    int64_t stack_size;
    int32_t largest_p, largest_c, largest_n;
    // numbers
    double *stack, *Y[2]; // Y and Z
    double *term, *X;     // Z_s^T Y_s, and the sum of a tree
    int32_t *map;         // by column of a child or a front: column of the parent or of X
    int32_t *mark;        // by row of H
    pcs_front_team team;
} compression;

// Place of each block of A, then the entries by supernode
static pcs_status list_entries(compression *x, int32_t n_blocks, int32_t count)
{
    const pcs_block_lu *lu = x->lu;
    int32_t *rank, *owner;
    GET(int32_t, x->head, lu->n_supernodes);
    GET(int32_t, x->next, count);
    GET(int32_t, x->place, count);
    GET(int32_t, rank, n_blocks);
    GET(int32_t, owner, lu->n);
    for (int32_t j = 0; j < lu->n; ++j)
        rank[lu->block[j]] = j;
    for (int32_t s = 0; s < lu->n_supernodes; ++s) {
        x->head[s] = -1;
        for (int32_t j = lu->first[s]; j < lu->first[s + 1]; ++j)
            owner[j] = s;
    }
    for (int32_t e = count - 1; e >= 0; --e) {
        x->place[e] = rank[x->rows[e].block];
        x->next[e] = x->head[owner[x->place[e]]];
        x->head[owner[x->place[e]]] = e;
    }
    return PCS_OK;
}

// Marks the columns from `first` on that the front has; widens the range
static void mark_columns(compression *x, int32_t s, int32_t first, int32_t last, int32_t range[2])
{
    if (first < range[0])
        range[0] = first;
    if (last > range[1])
        range[1] = last;
    for (int32_t k = first; k <= last; ++k)
        x->mark[k] = s;
}

static pcs_status find_columns(compression *x)
{
    const pcs_block_lu *lu = x->lu;
    GET(int32_t, x->n_columns, lu->n_supernodes);
    GET(int32_t *, x->column, lu->n_supernodes);
    GET(int32_t, x->mark, x->n_rows);
    for (int32_t k = 0; k < x->n_rows; ++k)
        x->mark[k] = -1;
    for (int32_t s = 0; s < lu->n_supernodes; ++s) {
        int32_t range[2] = {x->n_rows, -1}, count = 0;
        for (int32_t e = x->head[s]; e >= 0; e = x->next[e])
            mark_columns(x, s, x->rows[e].first, x->rows[e].first + x->rows[e].count - 1, range);
        for (int32_t child = lu->child[s]; child >= 0; child = lu->sibling[child])
            for (int32_t k = 0; k < x->n_columns[child]; ++k)
                mark_columns(x, s, x->column[child][k], x->column[child][k], range);
        for (int32_t k = range[0]; k <= range[1]; ++k)
            count += x->mark[k] == s;
        x->n_columns[s] = count;
        x->column[s] = NULL;
        if (count == 0)
            continue;
        GET(int32_t, x->column[s], count);
        for (int32_t k = range[0], i = 0; k <= range[1]; ++k)
            if (x->mark[k] == s)
                x->column[s][i++] = k;
    }
    return PCS_OK;
}

static int64_t update_size(const compression *x, int32_t s)
{
    return 2 * (int64_t)x->lu->n_rest[s] * pcs_front_stride(x->n_columns[s]);
}

// Places in the stack: over the children while the front is worked on, then in their place
static pcs_status place_updates(compression *x)
{
    const pcs_block_lu *lu = x->lu;
    int64_t top = 0;
    GET(int64_t, x->start, lu->n_supernodes);
    for (int32_t s = 0; s < lu->n_supernodes; ++s) {
        if (x->n_columns[s] == 0)
            continue;
        x->start[s] = top;
        const int64_t size = update_size(x, s);
        x->stack_size = top + size > x->stack_size ? top + size : x->stack_size;
        for (int32_t child = lu->child[s]; child >= 0; child = lu->sibling[child])
            if (x->n_columns[child] > 0) {
                x->start[s] = x->start[child];
                break;
            }
        top = lu->parent[s] < 0 ? 0 : x->start[s] + size;
        x->largest_p = lu->n_pivots[s] > x->largest_p ? lu->n_pivots[s] : x->largest_p;
        x->largest_c = lu->n_rest[s] > x->largest_c ? lu->n_rest[s] : x->largest_c;
        x->largest_n = x->n_columns[s] > x->largest_n ? x->n_columns[s] : x->largest_n;
    }
    return PCS_OK;
}

static pcs_status get_memory(compression *x)
{
    enum { LINE = 8 }; // doubles
    const int64_t width = pcs_front_stride(x->largest_n);
    const int32_t most = x->largest_n > x->largest_c ? x->largest_n : x->largest_c;
    x->team = (pcs_front_team){.kernels = x->lu->parts[0].team.kernels,
                               .tasks = x->lu->tasks,
                               .pack_size = (pcs_front_pack_size(x->largest_p, most) + LINE - 1) /
                                            LINE * LINE,
                               .lanes = PCS_BLOCK_LU_LANES,
                               .watch = &x->lu->watch};
    GET(double, x->team.pack, x->team.pack_size * x->team.lanes);
    GET(double, x->stack, x->stack_size);
    GET(double, x->Y[0], x->largest_p *width);
    GET(double, x->Y[1], x->largest_p *width);
    GET(double, x->term, x->largest_n *width);
    GET(double, x->X, x->largest_n *width);
    GET(int32_t, x->map, x->largest_n);
    return PCS_OK;
}

// map: place of each of `columns` in the list `among`, both ascending
static void map_columns(int32_t n, const int32_t *columns, const int32_t *among, int32_t *map)
{
    for (int32_t k = 0, i = 0; k < n; ++k) {
        while (among[i] != columns[k])
            ++i;
        map[k] = i;
    }
}

static void add_mapped(int32_t n, const int32_t *map, const double *from, double *to)
{
    if (map[n - 1] - map[0] == n - 1) { // neighbours stay neighbours
        to += map[0];
        for (int32_t k = 0; k < n; ++k)
            to[k] += from[k];
        return;
    }
    for (int32_t k = 0; k < n; ++k)
        to[map[k]] += from[k];
}

// Adds the updates of a child to the pivot rows and to the update of the front, both sides
static void extend_add(compression *x, int32_t s, int32_t child, double *update)
{
    const pcs_block_lu *lu = x->lu;
    const int32_t p = lu->n_pivots[s], n = x->n_columns[child];
    const int64_t width = pcs_front_stride(x->n_columns[s]), from_width = pcs_front_stride(n);
    const double *from = x->stack + x->start[child];
    map_columns(n, x->column[child], x->column[s], x->map);
    for (int side = 0; side < 2; ++side) {
        double *W = update + side * (lu->n_rest[s] * width);
        for (int32_t t = lu->rest_start[child]; t < lu->rest_start[child + 1]; ++t) {
            const int32_t size = lu->start[lu->rest[t] + 1] - lu->start[lu->rest[t]];
            for (int32_t i = 0; i < size; ++i, from += from_width) {
                const int32_t row = lu->target[t] + i;
                add_mapped(n, x->map, from,
                           row < p ? x->Y[side] + row * width : W + (row - p) * width);
            }
        }
    }
}

// Rows of H^T at the pivots of the front
static void enter_rows(compression *x, int32_t s)
{
    const pcs_block_lu *lu = x->lu;
    const int64_t width = pcs_front_stride(x->n_columns[s]);
    for (int32_t e = x->head[s]; e >= 0; e = x->next[e]) {
        const pcs_block_lu_rows *rows = &x->rows[e];
        const int32_t size = lu->size[x->place[e]];
        const int64_t row = lu->start[x->place[e]] - lu->start[lu->first[s]];
        int32_t at = 0; // the columns of an entry are neighbours in the list
        while (x->column[s][at] != rows->first)
            ++at;
        for (int side = 0; side < 2; ++side)
            for (int32_t c = 0; c < rows->count; ++c)
                for (int32_t i = 0; i < size; ++i)
                    x->Y[side][(row + i) * width + at + c] += rows->H[c * size + i];
    }
}

// X of the tree += Z_s^T Y_s; the kernel subtracts
static void add_term(compression *x, int32_t s, int32_t root)
{
    const int32_t p = x->lu->n_pivots[s], n = x->n_columns[s];
    const int32_t width = pcs_front_stride(n), X_width = pcs_front_stride(x->n_columns[root]);
    memset(x->term, 0, sizeof(double) * (size_t)n * (size_t)width);
    pcs_front_subtract_product(&x->team, p, n, n, x->Y[1], width, x->Y[0], width, x->term, width);
    map_columns(n, x->column[s], x->column[root], x->map);
    for (int32_t i = 0; i < n; ++i) {
        double *to = x->X + (int64_t)x->map[i] * X_width;
        const double *from = x->term + (int64_t)i * width;
        for (int32_t k = 0; k < n; ++k)
            to[x->map[k]] -= from[k];
    }
}

static void visit(compression *x, int32_t s, int32_t root)
{
    pcs_block_lu *lu = x->lu;
    const pcs_front front = pcs_block_lu_front(lu, s);
    const int32_t n = x->n_columns[s], width = pcs_front_stride(n);
    const int64_t half = (int64_t)front.c * width;
    int64_t top = x->start[s];
    for (int32_t child = lu->child[s]; child >= 0; child = lu->sibling[child])
        if (x->n_columns[child] > 0)
            top = x->start[child] + update_size(x, child);
    double *update = x->stack + top;
    memset(update, 0, sizeof(double) * (size_t)(2 * half));
    for (int side = 0; side < 2; ++side)
        memset(x->Y[side], 0, sizeof(double) * (size_t)front.p * (size_t)width);
    enter_rows(x, s);
    for (int32_t child = lu->child[s]; child >= 0; child = lu->sibling[child])
        if (x->n_columns[child] > 0)
            extend_add(x, s, child, update);
    for (int side = 0; side < 2; ++side)
        pcs_front_forward_columns(&x->team, &front, side == 1, n, x->Y[side], width,
                                  update + side * half, width);
    add_term(x, s, root);
    memmove(x->stack + x->start[s], update, sizeof(double) * (size_t)(2 * half));
}

static pcs_status prepare(compression *x, int32_t count)
{
    PCS_TRY(list_entries(x, x->lu->n, count));
    PCS_TRY(find_columns(x));
    PCS_TRY(place_updates(x));
    return get_memory(x);
}

pcs_status pcs_block_lu_compress(pcs_block_lu *lu, pcs_arena *arena, int32_t count,
                                 const pcs_block_lu_rows *rows, int32_t n_rows,
                                 pcs_block_lu_put_fn put, void *user)
{
    compression x = {.lu = lu, .arena = arena, .rows = rows, .n_rows = n_rows};
    const pcs_arena_mark mark = pcs_arena_get_mark(arena);
    if (count == 0 || !lu->factored)
        return PCS_OK;
    PCS_TRY(prepare(&x, count));
    lu->watch.over = false;
    int32_t s = 0;
    for (int32_t root = 0; root < lu->n_supernodes; ++root) {
        if (lu->parent[root] >= 0)
            continue;
        const int32_t n = x.n_columns[root], width = pcs_front_stride(n);
        memset(x.X, 0, sizeof(double) * (size_t)n * (size_t)width);
        for (; s <= root && !lu->watch.over; ++s) // a tree is a run that ends with its root
            if (x.n_columns[s] > 0)
                visit(&x, s, root);
        if (lu->watch.over)
            break;
        if (n > 0)
            put(user, n, x.column[root], x.X, width);
    }
    pcs_arena_release(arena, mark);
    return lu->watch.over ? pcs_error(arena->ctx, PCS_ERROR_STOPPED, "stopped inside a step")
                          : PCS_OK;
}
