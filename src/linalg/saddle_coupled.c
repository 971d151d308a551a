// The coupled islands of the saddle system: LU of the whole matrix
//
//     K = [ A  -B^T ]      redundant rows i replaced by p_i = 0,
//         [ G    0  ]
//
// dense up to DENSE_LIMIT, above in blocks (saddle_blocks.c) with a sparse LU (KLU) to fall back
// on. Redundant rows depend on G alone and are found with the weights of saddle_rank.c:
// S is semidefinite whatever A is. Solutions are refined until the componentwise backward error
// max_i |r_i| / (|K||z| + |b|)_i is at rounding level [ArioliDemmelDuff1989].
#include <float.h>
#include <math.h>
#include <string.h>

#include "linalg/dense.h"
#include "linalg/saddle_internal.h"

// Size of K up to which a dense LU is taken. Measured with bench/bench_saddle.c, chains with all
// neighbours coupled, one factorisation and three solutions, dense against blocks: planar bodies
// 4.3 against 5.4 us at 20 and 13.3 against 11.5 at 40, spatial ones 8.5 against 6.8 at 22. KLU in
// place of the blocks takes 0.8 to 1.5 times their time up to size 120, and 20 times in Delassus
// operators.
#define DENSE_LIMIT 32
// Size up to which KLU is asked when the blocks have no usable pivots: it takes seconds for a mesh
// of this size, and minutes for one of ten times as many unknowns.
#define FALL_BACK_LIMIT 4000
// Backward error that needs no refinement, and how often to refine
#define BACKWARD_ERROR (16.0 * DBL_EPSILON)
#define REFINEMENTS 2

// Factor: the sparse matrix of the triplets, and the storage of its LU

typedef struct triplets {
    int32_t count;
    int32_t *row, *column; // NULL while counting
} triplets;

static void add(triplets *t, int32_t row, int32_t column)
{
    if (t->row) {
        t->row[t->count] = row;
        t->column[t->count] = column;
    }
    ++t->count;
}

static void add_block(triplets *t, int32_t row, int32_t n_rows, int32_t column, int32_t n_columns)
{
    for (int32_t r = 0; r < n_rows; ++r)
        for (int32_t c = 0; c < n_columns; ++c)
            add(t, row + r, column + c);
}

// Places of the values of A in the order in which write_matrix() writes them
static void list_matrix(const pcs_saddle *s, triplets *t)
{
    const pcs_kkt *kkt = s->kkt;
    for (int32_t q = 0; q < kkt->n_nodes; ++q) {
        const int32_t i = kkt->node[q], size = s->node_size[i];
        add_block(t, kkt->place[i], size, kkt->place[i], size);
    }
    for (int32_t k = 0; k < s->n_couplings; ++k) {
        const int32_t i = s->coupling[k][0], j = s->coupling[k][1];
        add_block(t, kkt->place[i], s->node_size[i], kkt->place[j], s->node_size[j]);
        add_block(t, kkt->place[j], s->node_size[j], kkt->place[i], s->node_size[i]);
    }
}

// Places of G, -B^T and the diagonal of the rows, in the order of write_rows()
static void list_rows(const pcs_saddle *s, triplets *t)
{
    const pcs_kkt *kkt = s->kkt;
    for (int32_t q = 0; q < kkt->n_rows; ++q) {
        const pcs_row_block *row = &s->rows[kkt->row[q]];
        const int32_t first = kkt->n + kkt->row_place[q];
        for (int32_t slot = 0; slot < row->n_nodes; ++slot) {
            const int32_t column = kkt->place[row->node[slot]];
            for (int32_t r = 0; r < row->size; ++r)
                for (int32_t c = 0; c < s->node_size[row->node[slot]]; ++c) {
                    add(t, first + r, column + c);
                    add(t, column + c, first + r);
                }
        }
        for (int32_t r = 0; r < row->size; ++r)
            add(t, first + r, first + r);
    }
}

static void factor_destroy(pcs_context *ctx, pcs_kkt_factor *f)
{
    pcs_kkt_blocks_destroy(f->blocks);
    pcs_sparse_lu_destroy(f->sparse);
    pcs_sparse_destroy(ctx, &f->matrix);
    pcs_free(ctx, f->position);
    pcs_free(ctx, f->dense);
    pcs_free(ctx, f->pivot);
}

static pcs_status sparse_create(const pcs_saddle *s, bool with_rows, pcs_kkt_factor *f)
{
    pcs_context *ctx = s->ctx;
    const int32_t size = s->kkt->n + (with_rows ? s->kkt->m : 0);
    triplets t = {0, NULL, NULL};
    list_matrix(s, &t);
    if (with_rows)
        list_rows(s, &t);
    f->position = PCS_NEW_ARRAY(ctx, int32_t, t.count);
    int32_t *places = PCS_NEW_ARRAY(ctx, int32_t, 2 * (int64_t)t.count);
    if (!f->position || !places) {
        pcs_free(ctx, places);
        return PCS_ERROR_MEMORY;
    }
    t = (triplets){0, places, places + t.count};
    list_matrix(s, &t);
    if (with_rows)
        list_rows(s, &t);
    const pcs_status status = pcs_sparse_create(ctx, size, size, t.count, t.row, t.column, NULL,
                                                f->position, &f->matrix);
    pcs_free(ctx, places);
    PCS_TRY(status);
    if (size > DENSE_LIMIT)
        return pcs_sparse_lu_create(ctx, &f->matrix.pattern, &f->sparse);
    f->dense = PCS_NEW_ARRAY(ctx, double, (int64_t)size *size);
    f->pivot = PCS_NEW_ARRAY(ctx, int32_t, size);
    return f->dense && f->pivot ? PCS_OK : PCS_ERROR_MEMORY;
}

static pcs_status factor_create(const pcs_saddle *s, bool with_rows, pcs_kkt_factor *f)
{
    if (s->kkt->n + s->kkt->m <= DENSE_LIMIT)
        return sparse_create(s, with_rows, f);
    return pcs_kkt_blocks_create(s, with_rows, &f->blocks);
}

// Returns PCS_OK, or PCS_ERROR_SINGULAR with the column
static pcs_status sparse_compute(pcs_kkt_factor *f, int32_t *column)
{
    *column = -1;
    const pcs_sparse_pattern *P = &f->matrix.pattern;
    const int32_t size = P->n_columns;
    if (f->sparse) {
        const pcs_status status = pcs_sparse_lu_factor(f->sparse, f->matrix.value);
        *column = pcs_sparse_lu_singular_column(f->sparse);
        return status;
    }
    memset(f->dense, 0, sizeof(double) * (size_t)size * (size_t)size);
    for (int32_t j = 0; j < size; ++j)
        for (int32_t e = P->start[j]; e < P->start[j + 1]; ++e)
            f->dense[(int64_t)P->index[e] * size + j] = f->matrix.value[e];
    *column = pcs_dense_small_factor(size, f->dense, f->pivot);
    return *column < 0 ? PCS_OK : PCS_ERROR_SINGULAR;
}

static void factor_solve(pcs_kkt_factor *f, int32_t n_rhs, double *z)
{
    const int32_t size = f->matrix.pattern.n_columns;
    if (f->sparse)
        pcs_sparse_lu_solve(f->sparse, n_rhs, z);
    else
        for (int32_t c = 0; c < n_rhs; ++c)
            pcs_dense_small_solve(size, f->dense, f->pivot, z + (int64_t)c * size);
}

// The coupled islands

static pcs_status number_unknowns(pcs_saddle *s)
{
    pcs_kkt *kkt = s->kkt;
    kkt->node = PCS_NEW_ARRAY(s->ctx, int32_t, s->n_nodes);
    kkt->place = PCS_NEW_ARRAY(s->ctx, int32_t, s->n_nodes);
    kkt->row = PCS_NEW_ARRAY(s->ctx, int32_t, s->n_rows);
    kkt->row_place = PCS_NEW_ARRAY(s->ctx, int32_t, s->n_rows);
    if (!kkt->node || !kkt->place || !kkt->row || !kkt->row_place)
        return PCS_ERROR_MEMORY;
    for (int32_t i = 0; i < s->n_nodes; ++i) {
        kkt->place[i] = -1;
        if (s->kind[i] != PCS_ISLAND_COUPLED)
            continue;
        kkt->node[kkt->n_nodes++] = i;
        kkt->place[i] = kkt->n;
        kkt->n += s->node_size[i];
    }
    for (int32_t r = 0; r < s->n_rows; ++r) {
        if (s->rows[r].n_nodes == 0 || s->kind[s->rows[r].node[0]] != PCS_ISLAND_COUPLED)
            continue;
        kkt->row_place[kkt->n_rows] = kkt->m;
        kkt->row[kkt->n_rows++] = r;
        kkt->m += s->rows[r].size;
    }
    return PCS_OK;
}

// A slot of each row block whose node no other row block touches
static pcs_status find_own_slots(pcs_saddle *s)
{
    pcs_kkt *kkt = s->kkt;
    kkt->own_slot = PCS_NEW_ARRAY(s->ctx, int32_t, kkt->n_rows);
    int32_t *count = PCS_NEW_ARRAY(s->ctx, int32_t, s->n_nodes);
    if (!kkt->own_slot || !count) {
        pcs_free(s->ctx, count);
        return PCS_ERROR_MEMORY;
    }
    for (int32_t q = 0; q < kkt->n_rows; ++q)
        for (int32_t k = 0; k < s->rows[kkt->row[q]].n_nodes; ++k)
            ++count[s->rows[kkt->row[q]].node[k]];
    for (int32_t q = 0; q < kkt->n_rows; ++q) {
        const pcs_row_block *row = &s->rows[kkt->row[q]];
        kkt->own_slot[q] = -1;
        for (int32_t k = row->n_nodes - 1; k >= 0; --k)
            if (count[row->node[k]] == 1 && s->node_size[row->node[k]] >= row->size)
                kkt->own_slot[q] = k;
    }
    pcs_free(s->ctx, count);
    return PCS_OK;
}

// Search among all rows, or among those without a node of their own
static pcs_status create_schur(pcs_saddle *s, bool all, pcs_schur *schur)
{
    const pcs_kkt *kkt = s->kkt;
    int32_t *selected = PCS_NEW_ARRAY(s->ctx, int32_t, kkt->n_rows), n = 0;
    if (!selected)
        return PCS_ERROR_MEMORY;
    for (int32_t q = 0; q < kkt->n_rows; ++q)
        if (all || kkt->own_slot[q] < 0)
            selected[n++] = kkt->row[q];
    const pcs_status status = pcs_schur_create(s->ctx, s->n_nodes, s->node_size, n, selected,
                                               s->rows, schur);
    pcs_free(s->ctx, selected);
    return status;
}

static pcs_status create_search(pcs_saddle *s)
{
    pcs_kkt *kkt = s->kkt;
    kkt->dropped = PCS_NEW_ARRAY(s->ctx, uint8_t, kkt->m);
    kkt->flagged = PCS_NEW_ARRAY(s->ctx, uint8_t, kkt->m);
    if (!kkt->dropped || !kkt->flagged)
        return PCS_ERROR_MEMORY;
    PCS_TRY(find_own_slots(s));
    return create_schur(s, false, &kkt->search);
}

pcs_status pcs_kkt_create(pcs_saddle *s)
{
    pcs_kkt *kkt = s->kkt = PCS_NEW(s->ctx, pcs_kkt);
    if (!kkt)
        return PCS_ERROR_MEMORY;
    PCS_TRY(number_unknowns(s));
    PCS_TRY(create_search(s));
    PCS_TRY(factor_create(s, true, &kkt->full));
    if (!kkt->full.blocks && kkt->m > 0)
        PCS_TRY(factor_create(s, false, &kkt->free));
    kkt->rhs = PCS_NEW_ARRAY(s->ctx, double, kkt->n + kkt->m);
    kkt->work = PCS_NEW_ARRAY(s->ctx, double, PCS_KKT_WORK(kkt->n + kkt->m, 1));
    return kkt->rhs && kkt->work ? PCS_OK : PCS_ERROR_MEMORY;
}

void pcs_kkt_destroy(pcs_saddle *s)
{
    pcs_kkt *kkt = s->kkt;
    if (!kkt)
        return;
    factor_destroy(s->ctx, &kkt->full);
    factor_destroy(s->ctx, &kkt->free);
    pcs_schur_destroy(&kkt->search);
    pcs_schur_destroy(&kkt->whole);
    pcs_free(s->ctx, kkt->own_slot);
    pcs_free(s->ctx, kkt->node);
    pcs_free(s->ctx, kkt->place);
    pcs_free(s->ctx, kkt->row);
    pcs_free(s->ctx, kkt->row_place);
    pcs_free(s->ctx, kkt->dropped);
    pcs_free(s->ctx, kkt->flagged);
    pcs_free(s->ctx, kkt->rhs);
    pcs_free(s->ctx, kkt->work);
    pcs_free(s->ctx, kkt);
    s->kkt = NULL;
}

// The search that the present rows need
static pcs_status choose_search(pcs_saddle *s, pcs_schur **search)
{
    pcs_kkt *kkt = s->kkt;
    bool clear = true;
    for (int32_t q = 0; q < kkt->n_rows && clear; ++q)
        clear = kkt->own_slot[q] < 0 ||
                pcs_rank_is_clear(s, &s->rows[kkt->row[q]], kkt->own_slot[q]);
    *search = clear ? &kkt->search : &kkt->whole;
    return clear || kkt->whole.order ? PCS_OK : create_schur(s, true, &kkt->whole);
}

// Sets kkt->dropped and the flags of the system; *changed says whether any differs from before
static pcs_status find_redundant(pcs_saddle *s, bool *changed)
{
    pcs_kkt *kkt = s->kkt;
    pcs_schur *S;
    *changed = false;
    if (s->rank == PCS_RANK_HOLD)
        return PCS_OK;
    PCS_TRY(choose_search(s, &S));
    for (int32_t k = 0; k < S->n; ++k)
        memcpy(kkt->flagged + S->offset[k], s->redundant + s->row_offset[S->order[k]],
               (size_t)S->size[k]);
    PCS_TRY(pcs_rank_search(s, PCS_ISLAND_COUPLED, kkt->flagged, S));
    for (int32_t q = 0; q < kkt->n_rows; ++q)
        memset(s->redundant + s->row_offset[kkt->row[q]], 0, (size_t)s->rows[kkt->row[q]].size);
    for (int32_t k = 0; k < S->n; ++k)
        for (int32_t r = 0; r < S->size[k]; ++r)
            s->redundant[s->row_offset[S->order[k]] + r] = S->inverse_pivot[S->offset[k] + r] ==
                                                           0.0;
    for (int32_t q = 0; q < kkt->n_rows; ++q)
        for (int32_t r = 0; r < s->rows[kkt->row[q]].size; ++r) {
            uint8_t *dropped = &kkt->dropped[kkt->row_place[q] + r];
            const uint8_t now = s->redundant[s->row_offset[kkt->row[q]] + r];
            *changed = *changed || *dropped != now;
            *dropped = now;
        }
    return PCS_OK;
}

// Values of A in the order of list_matrix(); returns the next position
static const int32_t *write_matrix(const pcs_saddle *s, const int32_t *position, double *value)
{
    const pcs_kkt *kkt = s->kkt;
    for (int32_t q = 0; q < kkt->n_nodes; ++q) {
        const int32_t i = kkt->node[q], count = s->node_size[i] * s->node_size[i];
        const double *A = s->value + s->diagonal_start[i];
        for (int32_t e = 0; e < count; ++e)
            value[*position++] = A[e];
    }
    if (s->n_couplings > 0) { // the coupling blocks lie one behind the other
        const double *A = s->value + s->coupling_start[0];
        const int64_t count = s->n_values - s->coupling_start[0];
        for (int64_t e = 0; e < count; ++e)
            value[*position++] = A[e];
    }
    return position;
}

// Values of G, -B^T and the diagonal in the order of list_rows()
static void write_rows(const pcs_saddle *s, const int32_t *position, double *value)
{
    const pcs_kkt *kkt = s->kkt;
    for (int32_t q = 0; q < kkt->n_rows; ++q) {
        const pcs_row_block *row = &s->rows[kkt->row[q]];
        const pcs_row_block *left = s->left ? &s->left[kkt->row[q]] : row;
        const uint8_t *dropped = kkt->dropped + kkt->row_place[q];
        for (int32_t slot = 0; slot < row->n_nodes; ++slot) {
            const double *J = row->J[slot], *B = left->J[slot];
            const int32_t size = s->node_size[row->node[slot]];
            for (int32_t r = 0; r < row->size; ++r)
                for (int32_t c = 0; c < size; ++c) {
                    value[*position++] = dropped[r] ? 0.0 : J[r * size + c];
                    value[*position++] = dropped[r] ? 0.0 : -B[r * size + c];
                }
        }
        for (int32_t r = 0; r < row->size; ++r)
            value[*position++] = dropped[r] ? 1.0 : 0.0;
    }
}

// The node of a column of K; for a column of a row the first node that the row touches
static int32_t node_of_column(const pcs_saddle *s, int32_t column)
{
    const pcs_kkt *kkt = s->kkt;
    for (int32_t q = 0; q < kkt->n_nodes; ++q) {
        const int32_t i = kkt->node[q];
        if (column >= kkt->place[i] && column < kkt->place[i] + s->node_size[i])
            return i;
    }
    for (int32_t q = 0; q < kkt->n_rows; ++q) {
        const pcs_row_block *row = &s->rows[kkt->row[q]];
        const int32_t first = kkt->n + kkt->row_place[q];
        if (column >= first && column < first + row->size)
            return row->node[0];
    }
    return kkt->node[0];
}

static void write_sparse(const pcs_saddle *s, pcs_kkt_factor *f)
{
    const int32_t *position = write_matrix(s, f->position, f->matrix.value);
    write_rows(s, position, f->matrix.value);
}

// In blocks, unless the factors at hand are those of this matrix; where the blocks have no usable
// pivots and K is not too large, sparse
static pcs_status factor_blocks(pcs_saddle *s, pcs_kkt_factor *f, int32_t *column)
{
    if (!pcs_kkt_blocks_write(f->blocks, s) && f->by_blocks)
        return PCS_OK;
    ++s->factorisations;
    const pcs_status status = pcs_kkt_blocks_factor(f->blocks, column);
    f->by_blocks = status == PCS_OK;
    if (status != PCS_ERROR_SINGULAR || s->kkt->n + s->kkt->m > FALL_BACK_LIMIT)
        return status;
    if (!f->sparse)
        PCS_TRY(sparse_create(s, true, f));
    write_sparse(s, f);
    const int32_t bad = *column;
    PCS_TRY(sparse_compute(f, column));
    if (pcs_sparse_lu_pivot_ratio(f->sparse) > pcs_kkt_blocks_singular(s->kkt->n + s->kkt->m))
        return PCS_OK;
    *column = bad; // with other pivots it is singular just the same
    return PCS_ERROR_SINGULAR;
}

static void factor_free(pcs_kkt *kkt)
{
    int32_t column = -1;
    const pcs_status status = kkt->free.blocks ? pcs_kkt_blocks_factor(kkt->free.blocks, &column)
                                               : sparse_compute(&kkt->free, &column);
    kkt->free_singular = status < 0;
    kkt->free_current = true;
}

pcs_status pcs_kkt_factorise(pcs_saddle *s)
{
    pcs_kkt *kkt = s->kkt;
    bool changed = false;
    PCS_TRY(find_redundant(s, &changed));
    if (changed && kkt->full.sparse) // the old pivots belong to another set of rows
        pcs_sparse_lu_forget_pivots(kkt->full.sparse);
    kkt->free_current = false;
    int32_t column = -1;
    pcs_status status;
    if (kkt->full.blocks) {
        status = factor_blocks(s, &kkt->full, &column);
    } else {
        ++s->factorisations;
        write_sparse(s, &kkt->full);
        if (kkt->m > 0)
            (void)write_matrix(s, kkt->free.position, kkt->free.matrix.value);
        status = sparse_compute(&kkt->full, &column);
    }
    if (status == PCS_ERROR_SINGULAR) {
        s->singular_node = node_of_column(s, column);
        return pcs_error(s->ctx, PCS_ERROR_SINGULAR, "matrix is singular at node %d",
                         (int)s->singular_node);
    }
    PCS_TRY(status);
    if (kkt->free.sparse && pcs_sparse_lu_pivot_searches(kkt->free.sparse) == 0)
        factor_free(kkt); // so that the memory of its pivots is taken now and not in a later step
    return PCS_OK;
}

// residual = b - K z; returns the componentwise backward error
static double residual(const pcs_sparse *K, const double *b, const double *z, double *r,
                       double *scale)
{
    const pcs_sparse_pattern *P = &K->pattern;
    const int32_t size = P->n_columns;
    for (int32_t i = 0; i < size; ++i) {
        r[i] = b[i];
        scale[i] = fabs(b[i]);
    }
    for (int32_t j = 0; j < size; ++j)
        for (int32_t e = P->start[j]; e < P->start[j + 1]; ++e) {
            const double t = K->value[e] * z[j];
            r[P->index[e]] -= t;
            scale[P->index[e]] += fabs(t);
        }
    double error = 0.0;
    for (int32_t i = 0; i < size; ++i)
        if (fabs(r[i]) > error * scale[i])
            error = fabs(r[i]) / scale[i];
    return error;
}

// Adds corrections K^{-1} r to z while they at least halve the backward error
static void refine(pcs_kkt_factor *f, const double *b, double *z, double *r, double *scale)
{
    const int32_t size = f->matrix.pattern.n_columns;
    double error = residual(&f->matrix, b, z, r, scale);
    for (int step = 0; step < REFINEMENTS && error > BACKWARD_ERROR; ++step) {
        factor_solve(f, 1, r);
        for (int32_t i = 0; i < size; ++i)
            z[i] += r[i];
        const double before = error;
        error = residual(&f->matrix, b, z, r, scale);
        if (!(error <= 0.5 * before))
            return;
    }
}

void pcs_kkt_solve(pcs_kkt *kkt, int32_t n_rhs, double *z, double *work)
{
    const int32_t size = kkt->n + kkt->m;
    double *rhs = work, *r = work + (int64_t)n_rhs * size, *scale = r + size;
    for (int32_t c = 0; c < n_rhs; ++c)
        for (int32_t i = 0; i < kkt->m; ++i)
            if (kkt->dropped[i])
                z[(int64_t)c * size + kkt->n + i] = 0.0;
    if (kkt->full.by_blocks) {
        for (int32_t c = 0; c < n_rhs; ++c)
            pcs_kkt_blocks_solve(kkt->full.blocks, z + (int64_t)c * size, work);
        return;
    }
    memcpy(rhs, z, sizeof(double) * (size_t)size * (size_t)n_rhs);
    factor_solve(&kkt->full, n_rhs, z);
    for (int32_t c = 0; c < n_rhs; ++c)
        refine(&kkt->full, rhs + (int64_t)c * size, z + (int64_t)c * size, r, scale);
}

// A alone in blocks, from the copy of A that the blocks of K have
static pcs_status prepare_free(pcs_saddle *s)
{
    pcs_kkt *kkt = s->kkt;
    if (!kkt->free.blocks) {
        PCS_TRY(pcs_kkt_blocks_create(s, false, &kkt->free.blocks));
        pcs_kkt_blocks_set_tasks(kkt->free.blocks, s->tasks);
    }
    pcs_kkt_blocks_copy_nodes(kkt->full.blocks, kkt->free.blocks);
    return PCS_OK;
}

void pcs_kkt_solve_free(pcs_saddle *s, double *x)
{
    pcs_kkt *kkt = s->kkt;
    if (kkt->m == 0) { // K is A
        pcs_kkt_solve(kkt, 1, x, kkt->work);
        return;
    }
    if (!kkt->free_current && kkt->full.blocks && prepare_free(s) < 0)
        kkt->free_current = kkt->free_singular = true;
    if (!kkt->free_current)
        factor_free(kkt);
    if (kkt->free_singular) {
        for (int32_t i = 0; i < kkt->n; ++i)
            x[i] = NAN;
        return;
    }
    if (kkt->free.blocks) {
        pcs_kkt_blocks_solve(kkt->free.blocks, x, kkt->work);
        return;
    }
    memcpy(kkt->work, x, sizeof(double) * (size_t)kkt->n);
    factor_solve(&kkt->free, 1, x);
    refine(&kkt->free, kkt->work, x, kkt->work + kkt->n, kkt->work + 2 * (int64_t)kkt->n);
}
