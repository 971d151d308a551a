// Sparse matrices as block matrices for the multifrontal LU.
#include "linalg/mesh_lu.h"

#include <string.h>

#include "linalg/block_order.h"

struct pcs_mesh_lu {
    pcs_context *ctx;
    pcs_arena memory; // the factors
    int32_t n;
    int32_t block; // unknowns of a block; the last one may have fewer
    pcs_block_lu *lu;
};

typedef struct conversion {
    const pcs_sparse *A;
    pcs_arena arena; // scratch
    pcs_block_order order;
    int32_t *offset, *row_start, *column, *diagonal, *cursor, *at;
    int64_t *value_start;
    double *value;
} conversion;

#define GET(type, pointer, count)                              \
    do {                                                       \
        (pointer) = PCS_ARENA_ARRAY(&c->arena, type, (count)); \
        if (!(pointer))                                        \
            return PCS_ERROR_MEMORY;                           \
    } while (0)

// Block rows with ascending columns: block i is appended to the rows of its neighbours, in turn
static pcs_status make_pattern(conversion *c)
{
    const pcs_block_order *o = &c->order;
    const int64_t entries = (int64_t)o->start[o->n] + o->n;
    int64_t values = 0;
    if (entries > INT32_MAX)
        return pcs_error(c->arena.ctx, PCS_ERROR_MEMORY, "sparse LU: more than 2^31 blocks");
    GET(int32_t, c->offset, (int64_t)o->n + 1);
    GET(int32_t, c->row_start, (int64_t)o->n + 1);
    GET(int32_t, c->diagonal, o->n);
    GET(int32_t, c->cursor, o->n);
    GET(int32_t, c->at, o->n);
    GET(int32_t, c->column, entries);
    GET(int64_t, c->value_start, entries + 1);
    c->offset[0] = c->row_start[0] = 0;
    for (int32_t i = 0; i < o->n; ++i) {
        c->offset[i + 1] = c->offset[i] + o->weight[i];
        c->row_start[i + 1] = o->start[i + 1] + i + 1;
        c->cursor[i] = c->row_start[i];
    }
    for (int32_t i = 0; i < o->n; ++i) {
        c->diagonal[i] = c->cursor[i];
        c->column[c->cursor[i]++] = i;
        for (int32_t e = o->start[i]; e < o->start[i + 1]; ++e)
            c->column[c->cursor[o->neighbour[e]]++] = i;
    }
    for (int32_t i = 0; i < o->n; ++i)
        for (int32_t e = c->row_start[i]; e < c->row_start[i + 1]; ++e) {
            c->value_start[e] = values;
            values += (int64_t)o->weight[i] * o->weight[c->column[e]];
        }
    c->value_start[entries] = values;
    GET(double, c->value, values);
    memset(c->value, 0, sizeof(double) * (size_t)values);
    return PCS_OK;
}

static void fill_values(conversion *c)
{
    const pcs_sparse *A = c->A;
    const pcs_block_order *o = &c->order;
    memcpy(c->cursor, c->row_start, sizeof(int32_t) * (size_t)o->n);
    for (int32_t j = 0; j < o->n; ++j) {
        // column j has the rows that row j names; the entries of each row come up in their order
        for (int32_t e = c->row_start[j]; e < c->row_start[j + 1]; ++e)
            c->at[c->column[e]] = c->cursor[c->column[e]]++;
        for (int32_t b = 0; b < o->weight[j]; ++b) {
            const int32_t k = c->offset[j] + b;
            for (int32_t e = A->pattern.start[k]; e < A->pattern.start[k + 1]; ++e) {
                const int32_t i = A->pattern.index[e] / o->block;
                const int32_t a = A->pattern.index[e] - c->offset[i];
                c->value[c->value_start[c->at[i]] + (int64_t)a * o->weight[j] + b] += A->value[e];
            }
        }
    }
}

static pcs_status factor(pcs_mesh_lu *lu, const conversion *c, pcs_tasks *tasks, int32_t *defect)
{
    const pcs_block_matrix matrix = {.n = c->order.n,
                                     .offset = c->offset,
                                     .row_start = c->row_start,
                                     .column = c->column,
                                     .value_start = c->value_start,
                                     .diagonal = c->diagonal,
                                     .value = c->value};
    PCS_TRY(pcs_block_lu_analyse_ordered(&lu->memory, &matrix, c->order.tree.order, &lu->lu));
    pcs_block_lu_set_tasks(lu->lu, tasks);
    const int32_t bad = pcs_block_lu_factor(lu->lu, &matrix, NULL, NULL, NULL);
    pcs_block_lu_set_tasks(lu->lu, NULL);
    *defect = bad >= 0 ? c->offset[bad] : -1;
    if (bad >= 0 && pcs_context_stops(lu->ctx))
        return PCS_INTERRUPTED;
    return bad >= 0 ? PCS_ERROR_SINGULAR : PCS_OK;
}

static pcs_status create(pcs_mesh_lu *lu, conversion *c, pcs_tasks *tasks, const pcs_watch *watch,
                         int32_t *defect)
{
    pcs_sparse T;
    PCS_TRY(pcs_sparse_transpose(lu->ctx, c->A, &T));
    pcs_status status = pcs_block_order_compute(&c->arena, &c->A->pattern, &T.pattern, watch,
                                                &c->order);
    pcs_sparse_destroy(lu->ctx, &T);
    if (status != PCS_OK)
        return status;
    lu->block = c->order.block;
    PCS_TRY(make_pattern(c));
    fill_values(c);
    return pcs_watch_is_over(watch) ? PCS_INTERRUPTED : factor(lu, c, tasks, defect);
}

pcs_status pcs_mesh_lu_create(pcs_context *ctx, const pcs_sparse *A, pcs_tasks *tasks,
                              const pcs_watch *watch, pcs_mesh_lu **out, int32_t *defect)
{
    *out = NULL;
    *defect = -1;
    pcs_mesh_lu *lu = PCS_NEW(ctx, pcs_mesh_lu);
    if (lu == NULL)
        return PCS_ERROR_MEMORY;
    conversion c = {.A = A};
    lu->ctx = ctx;
    lu->n = A->pattern.n_columns;
    pcs_arena_init(&lu->memory, ctx);
    pcs_arena_init(&c.arena, ctx);
    const pcs_status status = create(lu, &c, tasks, watch, defect);
    pcs_arena_free(&c.arena);
    if (status == PCS_OK)
        *out = lu;
    else
        pcs_mesh_lu_destroy(lu);
    return status;
}

void pcs_mesh_lu_destroy(pcs_mesh_lu *lu)
{
    if (lu == NULL)
        return;
    pcs_arena_free(&lu->memory);
    pcs_free(lu->ctx, lu);
}

void pcs_mesh_lu_solve(pcs_mesh_lu *lu, double *x)
{
    pcs_block_lu_solve(lu->lu, x);
}

// ---- Compression ----

typedef struct columns {
    pcs_arena arena;
    int32_t count;
    pcs_block_lu_rows *rows;
    double *value;
} columns;

// One row block for each block of unknowns that a column of H touches
static pcs_status make_rows(columns *c, const pcs_mesh_lu *lu, const pcs_sparse *H, int32_t first,
                            int32_t end)
{
    const pcs_sparse_pattern *P = &H->pattern;
    const int64_t entries = P->start[end] - P->start[first];
    GET(pcs_block_lu_rows, c->rows, entries);
    GET(double, c->value, entries * lu->block);
    memset(c->value, 0, sizeof(double) * (size_t)(entries * lu->block));
    c->count = 0;
    for (int32_t j = first; j < end; ++j) {
        int32_t last = -1; // rows of a column ascend, and so do the blocks
        for (int32_t e = P->start[j]; e < P->start[j + 1]; ++e) {
            const int32_t i = P->index[e] / lu->block;
            double *value = c->value + (int64_t)lu->block * c->count;
            if (i != last)
                c->rows[c->count++] = (pcs_block_lu_rows){i, j - first, 1, value};
            else
                value -= lu->block;
            last = i;
            value[P->index[e] - i * lu->block] += H->value[e];
        }
    }
    return PCS_OK;
}

pcs_status pcs_mesh_lu_compress(pcs_mesh_lu *lu, const pcs_sparse *H, int32_t first, int32_t end,
                                pcs_block_lu_put_fn put, void *user)
{
    columns c = {.count = 0};
    pcs_arena_init(&c.arena, lu->ctx);
    pcs_status status = make_rows(&c, lu, H, first, end);
    if (status == PCS_OK)
        status = pcs_block_lu_compress(lu->lu, &c.arena, c.count, c.rows, end - first, put, user);
    pcs_arena_free(&c.arena);
    return status;
}
