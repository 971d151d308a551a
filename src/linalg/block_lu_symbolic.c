// Analysis of the sparse LU: minimum degree order of the graph of blocks [AmestoyDavisDuff1996],
// elimination tree, column counts and supernodes [Liu1990], amalgamation of small fronts
// [DuffReid1983], and the layout of all that the numerical phase needs.
#include <amd.h>
#include <stdbool.h>
#include <string.h>

#include "linalg/block_lu_internal.h"
#include "linalg/elimination_tree.h"

typedef struct analysis {
    pcs_arena *arena;
    const pcs_block_matrix *A;
    pcs_block_lu *lu;
    const int32_t *given; // the order of elimination; NULL: minimum degree
    int32_t *rank;        // by block of A: place, -1 for inactive blocks
    int32_t *transpose;   // by entry (i, j) of A: the entry (j, i)
    int32_t *parent;      // by place: elimination tree
    int32_t *count;       // by place: blocks of the column below the diagonal
    int32_t *rows;        // by place: scalar rows of the same
    // by supernode before amalgamation
    int32_t n_basic;
    int32_t *basic_first;  // n_basic + 1
    int32_t *basic_parent; //
    int32_t *merged;       // the supernode it was merged into, -1: none
    int64_t *pivots;       // scalar rows, those of the merged children included
} analysis;

#define GET(type, pointer, count)                             \
    do {                                                      \
        (pointer) = PCS_ARENA_ARRAY(a->arena, type, (count)); \
        if (!(pointer))                                       \
            return PCS_ERROR_MEMORY;                          \
    } while (0)

static void fill(int32_t n, int32_t *array, int32_t value)
{
    for (int32_t i = 0; i < n; ++i)
        array[i] = value;
}

static int32_t block_size(const pcs_block_matrix *A, int32_t i)
{
    return A->offset[i + 1] - A->offset[i];
}

// Rows are ascending and the pattern symmetric exactly if, going through all rows in order, every
// entry (i, j) meets (j, i) as the next one of row j.
static pcs_status check_pattern(analysis *a)
{
    const pcs_block_matrix *A = a->A;
    pcs_context *ctx = a->arena->ctx;
    int32_t *next;
    GET(int32_t, next, A->n);
    for (int32_t i = 0; i < A->n; ++i) {
        next[i] = A->row_start[i];
        if (block_size(A, i) < 1 || (!a->given && block_size(A, i) > 3))
            return pcs_error(ctx, PCS_ERROR_ARGUMENT,
                             "sparse LU: block %d has size %d; sizes 1 to 3 are supported", (int)i,
                             (int)block_size(A, i));
        const int32_t d = A->diagonal[i];
        if (d < A->row_start[i] || d >= A->row_start[i + 1] || A->column[d] != i)
            return pcs_error(ctx, PCS_ERROR_ARGUMENT,
                             "sparse LU: block row %d has no diagonal block; store it, if only "
                             "with zeros",
                             (int)i);
    }
    for (int32_t i = 0; i < A->n; ++i)
        for (int32_t k = A->row_start[i]; k < A->row_start[i + 1]; ++k) {
            const int32_t j = A->column[k];
            if (j < 0 || j >= A->n || next[j] >= A->row_start[j + 1] || A->column[next[j]] != i)
                return pcs_error(
                    ctx, PCS_ERROR_ARGUMENT,
                    "sparse LU: block (%d, %d) of the pattern has no counterpart or is "
                    "out of order; give a symmetric pattern with ascending columns",
                    (int)i, (int)j);
            a->transpose[k] = next[j]++;
        }
    return PCS_OK;
}

// order[k] is the k-th active block to eliminate
static pcs_status order_blocks(analysis *a, const int32_t *actives, int32_t *order)
{
    const pcs_block_matrix *A = a->A;
    const int32_t n = a->lu->n;
    int64_t edges = 0;
    for (int32_t v = 0; v < n; ++v)
        for (int32_t k = A->row_start[actives[v]]; k < A->row_start[actives[v] + 1]; ++k)
            edges += a->rank[A->column[k]] >= 0 && A->column[k] != actives[v];
    const int64_t length = edges + edges / 5 + n + 1; // elbow room that AMD advises
    if (length > INT32_MAX)
        return pcs_error(a->arena->ctx, PCS_ERROR_ARGUMENT,
                         "sparse LU: %lld blocks off the diagonal are too many to order",
                         (long long)edges);
    int32_t *work, *index;
    GET(int32_t, work, (int64_t)n * 9);
    GET(int32_t, index, length);
    int32_t *start = work, *degree = work + n, free_place = 0;
    for (int32_t v = 0; v < n; ++v) {
        start[v] = free_place;
        for (int32_t k = A->row_start[actives[v]]; k < A->row_start[actives[v] + 1]; ++k)
            if (a->rank[A->column[k]] >= 0 && A->column[k] != actives[v])
                index[free_place++] = a->rank[A->column[k]];
        degree[v] = free_place - start[v];
    }
    int32_t *part[7];
    for (int i = 0; i < 7; ++i)
        part[i] = work + (int64_t)n * (i + 2);
    amd_2(n, start, index, degree, (int32_t)length, free_place, part[0], part[1], part[2], part[3],
          part[4], part[5], part[6], NULL, NULL);
    for (int32_t k = 0; k < n; ++k) // part[2] is AMD's Last: the order
        order[k] = actives[part[2][k]];
    return PCS_OK;
}

static void set_order(analysis *a, const int32_t *order)
{
    for (int32_t k = 0; k < a->lu->n; ++k) {
        a->lu->block[k] = order[k];
        a->lu->size[k] = block_size(a->A, order[k]);
        a->rank[order[k]] = k;
    }
}

// parent[j]: the smallest place above j in column j of L
static pcs_status elimination_tree(analysis *a)
{
    const pcs_block_matrix *A = a->A;
    const int32_t n = a->lu->n;
    int32_t *ancestor;
    GET(int32_t, ancestor, n);
    for (int32_t j = 0; j < n; ++j) {
        const int32_t i = a->lu->block[j];
        a->parent[j] = ancestor[j] = -1;
        for (int32_t k = A->row_start[i]; k < A->row_start[i + 1]; ++k) {
            int32_t v = a->rank[A->column[k]];
            while (v >= 0 && v < j) { // up to the root found so far; paths are shortened
                const int32_t up = ancestor[v];
                ancestor[v] = j;
                if (up < 0)
                    a->parent[v] = j;
                v = up;
            }
        }
    }
    return PCS_OK;
}

// Renumbers the places in postorder of the tree: subtrees become runs
static pcs_status postorder(analysis *a)
{
    const int32_t n = a->lu->n;
    int32_t *next, *order, *place, *work;
    GET(int32_t, next, n);
    GET(int32_t, order, n);
    GET(int32_t, place, n);
    GET(int32_t, work, 3 * (int64_t)n + 2);
    pcs_tree_postorder(n, a->parent, place, work);
    for (int32_t j = 0; j < n; ++j) {
        order[place[j]] = a->lu->block[j];
        next[place[j]] = a->parent[j] < 0 ? -1 : place[a->parent[j]];
    }
    memcpy(a->parent, next, sizeof(int32_t) * (size_t)n);
    set_order(a, order);
    return PCS_OK;
}

// Row i of L has the columns on the paths from its entries up to i
static pcs_status column_counts(analysis *a)
{
    const pcs_block_matrix *A = a->A;
    const int32_t n = a->lu->n;
    int32_t *mark;
    GET(int32_t, mark, n);
    for (int32_t j = 0; j < n; ++j) {
        const int32_t i = a->lu->block[j];
        a->count[j] = a->rows[j] = 0;
        mark[j] = j;
        for (int32_t k = A->row_start[i]; k < A->row_start[i + 1]; ++k)
            for (int32_t v = a->rank[A->column[k]]; v >= 0 && v < j && mark[v] != j;
                 v = a->parent[v]) {
                mark[v] = j;
                ++a->count[v];
                a->rows[v] += a->lu->size[j];
            }
    }
    return PCS_OK;
}

// Columns join the next one when that is the parent and has the same structure
static pcs_status find_supernodes(analysis *a)
{
    const int32_t n = a->lu->n;
    int32_t *owner;
    GET(int32_t, owner, n);
    a->n_basic = 0;
    for (int32_t j = 0; j < n; ++j) {
        if (j == 0 || a->parent[j - 1] != j || a->count[j - 1] != a->count[j] + 1) {
            a->basic_first[a->n_basic] = j;
            a->pivots[a->n_basic++] = 0;
        }
        owner[j] = a->n_basic - 1;
        a->pivots[owner[j]] += a->lu->size[j];
    }
    a->basic_first[a->n_basic] = n;
    for (int32_t s = 0; s < a->n_basic; ++s) {
        const int32_t up = a->parent[a->basic_first[s + 1] - 1];
        a->basic_parent[s] = up < 0 ? -1 : owner[up];
        a->merged[s] = -1;
    }
    return PCS_OK;
}

// A child goes into its parent where one larger front costs less than the two
static pcs_status amalgamate(analysis *a)
{
    int32_t *head, *next;
    GET(int32_t, head, a->n_basic);
    GET(int32_t, next, a->n_basic);
    fill(a->n_basic, head, -1);
    for (int32_t s = 0; s < a->n_basic; ++s) {
        const double c = (double)a->rows[a->basic_first[s + 1] - 1];
        for (int32_t child = head[s]; child >= 0; child = next[child]) {
            const double p1 = (double)a->pivots[child], p = (double)a->pivots[s];
            const double c1 = (double)a->rows[a->basic_first[child + 1] - 1];
            if (pcs_block_lu_front_cost(p1 + p, c) <=
                pcs_block_lu_front_cost(p1, c1) + pcs_block_lu_front_cost(p, c)) {
                a->merged[child] = s;
                a->pivots[s] += a->pivots[child];
            }
        }
        if (a->basic_parent[s] >= 0) { // the youngest child first
            next[s] = head[a->basic_parent[s]];
            head[a->basic_parent[s]] = s;
        }
    }
    return PCS_OK;
}

// Numbers the merged supernodes and brings the places of each one together. The roots of the merged
// ones are in postorder, and so are the merged ones.
static pcs_status number_supernodes(analysis *a)
{
    pcs_block_lu *lu = a->lu;
    int32_t *group, *order, *next;
    GET(int32_t, group, a->n_basic);
    GET(int32_t, order, lu->n);
    lu->n_supernodes = 0;
    for (int32_t s = 0; s < a->n_basic; ++s)
        group[s] = a->merged[s] < 0 ? lu->n_supernodes++ : -1;
    for (int32_t s = a->n_basic - 1; s >= 0; --s)
        if (a->merged[s] >= 0)
            group[s] = group[a->merged[s]];
    GET(int32_t, next, lu->n_supernodes);
    fill(lu->n_supernodes + 1, lu->first, 0);
    for (int32_t s = 0; s < a->n_basic; ++s)
        lu->first[group[s] + 1] += a->basic_first[s + 1] - a->basic_first[s];
    for (int32_t g = 0; g < lu->n_supernodes; ++g) {
        next[g] = lu->first[g];
        lu->first[g + 1] += lu->first[g];
    }
    lu->rest_start[0] = 0;
    for (int32_t s = 0; s < a->n_basic; ++s) {
        const int32_t g = group[s];
        for (int32_t j = a->basic_first[s]; j < a->basic_first[s + 1]; ++j)
            order[next[g]++] = lu->block[j];
        if (a->merged[s] < 0) {
            lu->parent[g] = a->basic_parent[s] < 0 ? -1 : group[a->basic_parent[s]];
            lu->rest_start[g + 1] = a->count[a->basic_first[s + 1] - 1]; // summed below
        }
    }
    set_order(a, order);
    int64_t total = 0;
    for (int32_t g = 0; g < lu->n_supernodes; ++g) {
        total += lu->rest_start[g + 1];
        if (total > INT32_MAX)
            return pcs_error(a->arena->ctx, PCS_ERROR_MEMORY,
                             "sparse LU: the factors of %d blocks are too large", (int)lu->n);
        lu->rest_start[g + 1] = (int32_t)total;
    }
    return PCS_OK;
}

static void link_children(pcs_block_lu *lu)
{
    fill(lu->n_supernodes, lu->child, -1);
    for (int32_t s = lu->n_supernodes - 1; s >= 0; --s) {
        lu->sibling[s] = -1;
        if (lu->parent[s] >= 0) {
            lu->sibling[s] = lu->child[lu->parent[s]];
            lu->child[lu->parent[s]] = s;
        }
    }
}

// Adds `place` to the rest of supernode s once
static void add_rest(const pcs_block_lu *lu, int32_t s, int32_t place, int32_t *mark, int32_t *list,
                     int32_t *count)
{
    if (place >= lu->first[s + 1] && mark[place] != s) {
        mark[place] = s;
        list[lu->rest_start[s] + (*count)++] = place;
    }
}

// Rest of each supernode: the neighbours of its pivots and the rests of its children above it,
// sorted by going through the places with the supernodes of each.
static pcs_status find_rests(analysis *a)
{
    const pcs_block_matrix *A = a->A;
    pcs_block_lu *lu = a->lu;
    const int32_t total = lu->rest_start[lu->n_supernodes];
    int32_t *mark, *list, *column_start, *column, *next;
    GET(int32_t, mark, lu->n);
    GET(int32_t, list, total);
    GET(int32_t, column_start, lu->n + 1);
    GET(int32_t, column, total);
    GET(int32_t, next, lu->n_supernodes);
    fill(lu->n, mark, -1);
    fill(lu->n + 1, column_start, 0);
    for (int32_t s = 0; s < lu->n_supernodes; ++s) {
        int32_t count = 0;
        for (int32_t j = lu->first[s]; j < lu->first[s + 1]; ++j)
            for (int32_t k = A->row_start[lu->block[j]]; k < A->row_start[lu->block[j] + 1]; ++k)
                add_rest(lu, s, a->rank[A->column[k]], mark, list, &count);
        for (int32_t c = lu->child[s]; c >= 0; c = lu->sibling[c])
            for (int32_t t = lu->rest_start[c]; t < lu->rest_start[c + 1]; ++t)
                add_rest(lu, s, list[t], mark, list, &count);
        for (int32_t t = lu->rest_start[s]; t < lu->rest_start[s + 1]; ++t)
            ++column_start[list[t] + 1];
        next[s] = lu->rest_start[s];
    }
    for (int32_t j = 0; j < lu->n; ++j)
        column_start[j + 1] += column_start[j];
    for (int32_t j = 0; j < lu->n; ++j)
        mark[j] = column_start[j];
    for (int32_t s = 0; s < lu->n_supernodes; ++s)
        for (int32_t t = lu->rest_start[s]; t < lu->rest_start[s + 1]; ++t)
            column[mark[list[t]]++] = s;
    for (int32_t j = 0; j < lu->n; ++j)
        for (int32_t t = column_start[j]; t < column_start[j + 1]; ++t)
            lu->rest[next[column[t]]++] = j;
    return PCS_OK;
}

static void find_relative(pcs_block_lu *lu)
{
    for (int32_t s = 0; s < lu->n_supernodes; ++s) {
        const int32_t up = lu->parent[s];
        int32_t t = up < 0 ? 0 : lu->rest_start[up];
        for (int32_t k = lu->rest_start[s]; k < lu->rest_start[s + 1]; ++k) {
            const int32_t j = lu->rest[k];
            if (j < lu->first[up + 1]) {
                lu->relative[k] = j - lu->first[up];
                continue;
            }
            while (lu->rest[t] != j)
                ++t;
            lu->relative[k] = lu->first[up + 1] - lu->first[up] + t - lu->rest_start[up];
        }
    }
}

// Where the blocks of A go: each to the front that eliminates the earlier one of its row and
// column; by fronts those of F11, of F12, and of F21, which mirrors F12
static pcs_status list_entries(analysis *a)
{
    const pcs_block_matrix *A = a->A;
    pcs_block_lu *lu = a->lu;
    int32_t *position;
    GET(int32_t, position, lu->n);
    int64_t count = 0;
    for (int32_t s = 0; s < lu->n_supernodes; ++s) {
        const int32_t first = lu->first[s], end = lu->first[s + 1];
        for (int32_t t = lu->rest_start[s]; t < lu->rest_start[s + 1]; ++t)
            position[lu->rest[t]] = end - first + t - lu->rest_start[s];
        for (int part = 0; part < 3; ++part) {
            lu->entry_start[3 * (int64_t)s + part] = count;
            for (int32_t j = first; j < end; ++j)
                for (int32_t k = A->row_start[lu->block[j]]; k < A->row_start[lu->block[j] + 1];
                     ++k) {
                    const int32_t v = a->rank[A->column[k]];
                    if (part == 0 && v >= first && v < end)
                        lu->entries[count++] = (block_lu_entry){k, j - first, v - first};
                    else if (part == 1 && v >= end)
                        lu->entries[count++] = (block_lu_entry){k, j - first, position[v]};
                    else if (part == 2 && v >= end)
                        lu->entries[count++] = (block_lu_entry){a->transpose[k], position[v],
                                                                j - first};
                }
        }
    }
    lu->entry_start[3 * (int64_t)lu->n_supernodes] = count;
    return PCS_OK;
}

// Phases: what stays is taken from the arena before the scratch of the phase, which goes back.

static pcs_status number_blocks(analysis *a, const uint8_t *active)
{
    const pcs_block_matrix *A = a->A;
    pcs_block_lu *lu = a->lu;
    int32_t *actives, *order;
    GET(int32_t, lu->block, lu->n);
    GET(int32_t, lu->size, lu->n);
    GET(int32_t, lu->from, lu->n);
    GET(int32_t, lu->start, lu->n + 1);
    GET(int32_t, lu->first, lu->n + 1);
    GET(int32_t, lu->parent, lu->n);
    GET(int32_t, lu->child, lu->n);
    GET(int32_t, lu->sibling, lu->n);
    GET(int32_t, lu->rest_start, lu->n + 1);
    GET(int32_t, a->rank, A->n);
    GET(int32_t, a->transpose, A->row_start[A->n]);
    const pcs_arena_mark mark = pcs_arena_get_mark(a->arena);
    PCS_TRY(check_pattern(a));
    GET(int32_t, actives, lu->n);
    GET(int32_t, order, lu->n);
    int32_t n = 0;
    for (int32_t i = 0; i < A->n; ++i) {
        a->rank[i] = -1;
        if (!active || active[i]) {
            a->rank[i] = n;
            actives[n++] = i;
        }
    }
    if (n > 0 && !a->given)
        PCS_TRY(order_blocks(a, actives, order));
    set_order(a, a->given ? a->given : order);
    pcs_arena_release(a->arena, mark);
    return PCS_OK;
}

static pcs_status make_supernodes(analysis *a)
{
    pcs_block_lu *lu = a->lu;
    const pcs_arena_mark mark = pcs_arena_get_mark(a->arena);
    GET(int32_t, a->parent, lu->n);
    GET(int32_t, a->count, lu->n);
    GET(int32_t, a->rows, lu->n);
    GET(int32_t, a->basic_first, lu->n + 1);
    GET(int32_t, a->basic_parent, lu->n);
    GET(int32_t, a->merged, lu->n);
    GET(int64_t, a->pivots, lu->n);
    PCS_TRY(elimination_tree(a));
    PCS_TRY(postorder(a));
    PCS_TRY(column_counts(a));
    PCS_TRY(find_supernodes(a));
    PCS_TRY(amalgamate(a));
    PCS_TRY(number_supernodes(a));
    link_children(lu);
    pcs_arena_release(a->arena, mark);
    return PCS_OK;
}

static pcs_status make_fronts(analysis *a)
{
    pcs_block_lu *lu = a->lu;
    const int32_t n = lu->n_supernodes, total = lu->rest_start[n];
    GET(int32_t, lu->rest, total);
    GET(int32_t, lu->relative, total);
    GET(int64_t, lu->entry_start, 3 * (int64_t)n + 1);
    GET(block_lu_entry, lu->entries, a->A->row_start[a->A->n]);
    GET(int32_t, lu->target, total);
    lu->start[0] = 0;
    for (int32_t j = 0; j < lu->n; ++j) {
        lu->start[j + 1] = lu->start[j] + lu->size[j];
        lu->from[j] = a->A->offset[lu->block[j]];
    }
    const pcs_arena_mark mark = pcs_arena_get_mark(a->arena);
    PCS_TRY(find_rests(a));
    find_relative(lu);
    PCS_TRY(list_entries(a));
    pcs_arena_release(a->arena, mark);
    return pcs_block_lu_lay_out(a->arena, lu);
}

static pcs_status analyse(analysis *a, const uint8_t *active, pcs_block_lu **out)
{
    const pcs_block_matrix *A = a->A;
    *out = NULL;
    GET(pcs_block_lu, a->lu, 1);
    *a->lu = (pcs_block_lu){.unusable = 1.0};
    for (int32_t i = 0; i < A->n; ++i)
        a->lu->n += !active || active[i];
    PCS_TRY(number_blocks(a, active));
    PCS_TRY(make_supernodes(a));
    PCS_TRY(make_fronts(a));
    *out = a->lu;
    return PCS_OK;
}

pcs_status pcs_block_lu_analyse(pcs_arena *arena, const pcs_block_matrix *A, const uint8_t *active,
                                pcs_block_lu **out)
{
    analysis a = {.arena = arena, .A = A};
    return analyse(&a, active, out);
}

pcs_status pcs_block_lu_analyse_ordered(pcs_arena *arena, const pcs_block_matrix *A,
                                        const int32_t *order, pcs_block_lu **out)
{
    analysis a = {.arena = arena, .A = A, .given = order};
    return analyse(&a, NULL, out);
}

int64_t pcs_block_lu_entries(const pcs_block_lu *lu)
{
    return lu->n_entries;
}

double pcs_block_lu_operations(const pcs_block_lu *lu)
{
    return lu->operations;
}
