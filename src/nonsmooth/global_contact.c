// Reduction of the global form to the local one. The part of H that belongs to one block of rows
// and one group of M is a piece; then
//     W_ij = sum over the groups g that blocks i and j share of  H_gi^T M_gg^-1 H_gj,
// block column by block column: X = M_gg^-1 H_gj, then W_ij += H_gi^T X for the blocks i on g.
// Lists of pieces by block and by group make the work proportional to the entries of W. The pattern
// of W is symmetric, and for a symmetric M so are its values, to the last bit.
#include "nonsmooth/global_contact.h"

#include <string.h>

#include "nonsmooth/mass_matrix.h"

// ---- Pieces of H ----

typedef struct piece {
    int32_t block, group;
    int32_t first, end; // entries
} piece;

typedef struct entry {
    int32_t place;  // inside the group
    int32_t column; // inside the block
    double value;
} entry;

typedef struct reduction {
    const pcs_problem *global;
    pcs_context *ctx;
    const pcs_mass_matrix *mass;
    int32_t n, n_pieces;  // blocks, pieces
    piece *pieces;        // by blocks
    entry *entries;       // by pieces
    int32_t *block_start; // n+1: pieces of a block
    int32_t *group_start; // n_groups+1: places in group_piece
    int32_t *group_piece; // pieces of a group, by blocks
    int32_t *mark;        // of blocks or groups
    double *X, *work;     // 3 longest, longest
    // the matrix under construction
    int32_t *offset, *row_start, *column, *diagonal, *cursor, *at;
    int64_t *value_start;
    double *value;
} reduction;

static int32_t block_columns(const pcs_problem *global, int32_t block, int32_t *first)
{
    const int32_t d = global->dimension, contacts = global->contacts;
    *first = block < contacts ? block * d : contacts * d + (block - contacts);
    return block < contacts ? d : 1;
}

// Visits the nonzeros of H block by block. mark[g] is the piece of the current block on group g.
// Pass 0 counts the pieces, pass 1 the entries of each, pass 2 stores the entries.
static void visit_entries(reduction *s, int32_t pass)
{
    const pcs_sparse *H = &s->global->H;
    int32_t count = 0;
    for (int32_t g = 0; g < s->mass->n_groups; g++)
        s->mark[g] = -1;
    for (int32_t i = 0; i < s->n; i++) {
        const int32_t block_first = count;
        int32_t first;
        const int32_t columns = block_columns(s->global, i, &first);
        for (int32_t k = 0; k < columns; k++)
            for (int32_t e = H->pattern.start[first + k]; e < H->pattern.start[first + k + 1];
                 e++) {
                if (H->value[e] == 0.0)
                    continue;
                const int32_t dof = H->pattern.index[e], g = pcs_mass_group_of(s->mass, dof);
                if (s->mark[g] < block_first) {
                    s->mark[g] = count++;
                    if (pass == 1)
                        s->pieces[s->mark[g]] = (piece){.block = i, .group = g};
                }
                piece *p = pass > 0 ? &s->pieces[s->mark[g]] : NULL;
                if (pass == 1)
                    p->end++;
                else if (pass == 2)
                    s->entries[p->end++] = (entry){pcs_mass_place(s->mass, dof), k, H->value[e]};
            }
        s->block_start[i + 1] = count;
    }
    s->n_pieces = count;
}

// group_piece <- pieces sorted by group, stable: ascending blocks inside a group
static void sort_by_group(reduction *s)
{
    const int32_t n = s->mass->n_groups;
    for (int32_t p = 0; p < s->n_pieces; p++)
        s->group_start[s->pieces[p].group + 1]++;
    for (int32_t g = 0; g < n; g++)
        s->group_start[g + 1] += s->group_start[g];
    memcpy(s->mark, s->group_start, sizeof(int32_t) * (size_t)n);
    for (int32_t p = 0; p < s->n_pieces; p++)
        s->group_piece[s->mark[s->pieces[p].group]++] = p;
}

static pcs_status create_pieces(reduction *s)
{
    const int32_t entries = s->global->H.pattern.start[s->global->rows];
    const int32_t groups = s->mass->n_groups, marks = groups > s->n ? groups : s->n;
    s->mark = PCS_NEW_ARRAY(s->ctx, int32_t, marks);
    s->block_start = PCS_NEW_ARRAY(s->ctx, int32_t, (int64_t)s->n + 1);
    s->group_start = PCS_NEW_ARRAY(s->ctx, int32_t, (int64_t)groups + 1);
    s->entries = PCS_NEW_ARRAY(s->ctx, entry, entries);
    if (!s->mark || !s->block_start || !s->group_start || !s->entries)
        return PCS_ERROR_MEMORY;
    visit_entries(s, 0);
    s->pieces = PCS_NEW_ARRAY(s->ctx, piece, s->n_pieces);
    s->group_piece = PCS_NEW_ARRAY(s->ctx, int32_t, s->n_pieces);
    if (!s->pieces || !s->group_piece)
        return PCS_ERROR_MEMORY;
    visit_entries(s, 1);
    for (int32_t p = 0, at = 0; p < s->n_pieces; p++) {
        const int32_t count = s->pieces[p].end;
        s->pieces[p].first = s->pieces[p].end = at;
        at += count;
    }
    visit_entries(s, 2);
    sort_by_group(s);
    return PCS_OK;
}

// ---- Pattern of W ----

// Blocks that share a group with block i; returns their number. The pattern is symmetric: walking
// the rows in ascending order and appending i to the rows of all its neighbours sorts every row.
static int32_t visit_neighbours(reduction *s, int32_t i, bool store)
{
    int32_t count = 1;
    s->mark[i] = i;
    if (store) {
        s->diagonal[i] = s->cursor[i];
        s->column[s->cursor[i]++] = i;
    }
    for (int32_t p = s->block_start[i]; p < s->block_start[i + 1]; p++) {
        const int32_t g = s->pieces[p].group;
        for (int32_t k = s->group_start[g]; k < s->group_start[g + 1]; k++) {
            const int32_t j = s->pieces[s->group_piece[k]].block;
            if (s->mark[j] == i)
                continue;
            s->mark[j] = i;
            count++;
            if (store)
                s->column[s->cursor[j]++] = i;
        }
    }
    return count;
}

static pcs_status create_pattern(reduction *s)
{
    const int32_t n = s->n;
    int64_t entries = 0, values = 0;
    s->offset = PCS_NEW_ARRAY(s->ctx, int32_t, (int64_t)n + 1);
    s->row_start = PCS_NEW_ARRAY(s->ctx, int32_t, (int64_t)n + 1);
    s->diagonal = PCS_NEW_ARRAY(s->ctx, int32_t, n);
    s->cursor = PCS_NEW_ARRAY(s->ctx, int32_t, n);
    s->at = PCS_NEW_ARRAY(s->ctx, int32_t, n);
    if (!s->offset || !s->row_start || !s->diagonal || !s->cursor || !s->at)
        return PCS_ERROR_MEMORY;
    for (int32_t i = 0; i < n; i++)
        s->mark[i] = -1;
    for (int32_t i = 0; i < n; i++) {
        int32_t first;
        s->offset[i + 1] = s->offset[i] + block_columns(s->global, i, &first);
        entries += visit_neighbours(s, i, false);
        if (entries >= INT32_MAX)
            return pcs_error(s->ctx, PCS_ERROR_MEMORY, "reduction: W has more than 2^31 blocks");
        s->row_start[i + 1] = (int32_t)entries;
    }
    s->column = PCS_NEW_ARRAY(s->ctx, int32_t, entries);
    s->value_start = PCS_NEW_ARRAY(s->ctx, int64_t, entries + 1);
    if (!s->column || !s->value_start)
        return PCS_ERROR_MEMORY;
    memcpy(s->cursor, s->row_start, sizeof(int32_t) * (size_t)n);
    for (int32_t i = 0; i < n; i++)
        s->mark[i] = -1;
    for (int32_t i = 0; i < n; i++)
        (void)visit_neighbours(s, i, true);
    for (int32_t i = 0; i < n; i++)
        for (int32_t e = s->row_start[i]; e < s->row_start[i + 1]; e++) {
            const int32_t j = s->column[e];
            s->value_start[e] = values;
            values += (int64_t)(s->offset[i + 1] - s->offset[i]) *
                      (s->offset[j + 1] - s->offset[j]);
        }
    s->value_start[entries] = values;
    s->value = PCS_NEW_ARRAY(s->ctx, double, values);
    return s->value != NULL ? PCS_OK : PCS_ERROR_MEMORY;
}

// ---- Values of W ----

// The part of block column j that comes through one piece of it
static void add_piece(reduction *s, int32_t j, const piece *p)
{
    const int32_t columns = s->offset[j + 1] - s->offset[j], g = p->group;
    const int32_t size = pcs_mass_group_size(s->mass, g);
    memset(s->X, 0, sizeof(double) * (size_t)size * (size_t)columns);
    for (int32_t e = p->first; e < p->end; e++)
        s->X[(int64_t)s->entries[e].column * size + s->entries[e].place] = s->entries[e].value;
    pcs_mass_matrix_solve_group(s->mass, g, columns, s->X, s->work); // X = M_gg^-1 H_gj
    for (int32_t k = s->group_start[g]; k < s->group_start[g + 1]; k++) {
        const piece *q = &s->pieces[s->group_piece[k]];
        if (s->mass->symmetric && q->block > j)
            break; // the lower triangle is copied
        double *W_ij = s->value + s->value_start[s->at[q->block]];
        for (int32_t e = q->first; e < q->end; e++) {
            const entry *h = &s->entries[e];
            for (int32_t c = 0; c < columns; c++)
                W_ij[h->column * columns + c] += h->value * s->X[(int64_t)c * size + h->place];
        }
    }
}

// The same for a diagonal M, where a group is one degree of freedom
static void add_single(reduction *s, int32_t j, const piece *p)
{
    const int32_t columns = s->offset[j + 1] - s->offset[j], g = p->group;
    for (int32_t k = s->group_start[g]; k < s->group_start[g + 1]; k++) {
        const piece *q = &s->pieces[s->group_piece[k]];
        if (q->block > j)
            break; // the lower triangle is copied
        double *W_ij = s->value + s->value_start[s->at[q->block]];
        for (int32_t e = p->first; e < p->end; e++) {
            const double x = s->mass->inverse[g] * s->entries[e].value;
            const int32_t c = s->entries[e].column;
            for (int32_t f = q->first; f < q->end; f++)
                W_ij[s->entries[f].column * columns + c] += s->entries[f].value * x;
        }
    }
}

// W_ji <- W_ij^T for i < j, and the diagonal block symmetric
static void mirror(reduction *s, int32_t j)
{
    const int32_t size = s->offset[j + 1] - s->offset[j];
    for (int32_t e = s->row_start[j]; e < s->diagonal[j]; e++) {
        const int32_t i = s->column[e], columns = s->offset[i + 1] - s->offset[i];
        const double *W_ij = s->value + s->value_start[s->at[i]];
        double *W_ji = s->value + s->value_start[e];
        for (int32_t a = 0; a < size; a++)
            for (int32_t b = 0; b < columns; b++)
                W_ji[a * columns + b] = W_ij[b * size + a];
    }
    double *W_jj = s->value + s->value_start[s->diagonal[j]];
    for (int32_t a = 0; a < size; a++)
        for (int32_t b = 0; b < a; b++)
            W_jj[a * size + b] = W_jj[b * size + a] = 0.5 *
                                                      (W_jj[a * size + b] + W_jj[b * size + a]);
}

static pcs_status fill_values(reduction *s)
{
    s->X = PCS_NEW_ARRAY(s->ctx, double, 3 * (int64_t)s->mass->longest);
    s->work = PCS_NEW_ARRAY(s->ctx, double, s->mass->longest);
    if (s->X == NULL || s->work == NULL)
        return PCS_ERROR_MEMORY;
    memcpy(s->cursor, s->row_start, sizeof(int32_t) * (size_t)s->n);
    for (int32_t j = 0; j < s->n; j++) {
        // column j holds the rows that row j names; each row's entries come up in ascending order
        for (int32_t e = s->row_start[j]; e < s->row_start[j + 1]; e++)
            s->at[s->column[e]] = s->cursor[s->column[e]]++;
        for (int32_t p = s->block_start[j]; p < s->block_start[j + 1]; p++)
            if (s->mass->is_diagonal)
                add_single(s, j, &s->pieces[p]);
            else
                add_piece(s, j, &s->pieces[p]);
        if (s->mass->symmetric)
            mirror(s, j);
    }
    return PCS_OK;
}

// ---- Reduction ----

static void free_reduction(reduction *s)
{
    pcs_free(s->ctx, s->pieces);
    pcs_free(s->ctx, s->entries);
    pcs_free(s->ctx, s->block_start);
    pcs_free(s->ctx, s->group_start);
    pcs_free(s->ctx, s->group_piece);
    pcs_free(s->ctx, s->mark);
    pcs_free(s->ctx, s->X);
    pcs_free(s->ctx, s->work);
    pcs_free(s->ctx, s->cursor);
    pcs_free(s->ctx, s->at);
}

// q, mu and kind of the local problem; false when memory is out.
static bool copy_vectors(const pcs_problem *global, const double *q, pcs_problem *local)
{
    const size_t n = (size_t)global->contacts + (size_t)global->bilateral_rows;
    local->q = PCS_NEW_ARRAY(global->ctx, double, global->rows);
    local->mu = PCS_NEW_ARRAY(global->ctx, double, n);
    local->kind = PCS_NEW_ARRAY(global->ctx, uint8_t, n);
    if (!local->q || !local->mu || !local->kind)
        return false;
    memcpy(local->q, q, sizeof(double) * (size_t)global->rows);
    memcpy(local->mu, global->mu, sizeof(double) * n);
    memcpy(local->kind, global->kind, n);
    return true;
}

struct pcs_delassus_operator {
    pcs_context *ctx;
    const pcs_problem *global;
    pcs_mass_matrix *mass;
    double *q;    // rows
    double *v;    // dofs
    double *work; // 2 longest
};

static pcs_status form_W(const pcs_delassus_operator *op, pcs_problem *local)
{
    const pcs_problem *global = op->global;
    reduction s = {.global = global,
                   .ctx = op->ctx,
                   .mass = op->mass,
                   .n = global->contacts + global->bilateral_rows};
    pcs_status status = create_pieces(&s);
    if (status >= 0)
        status = create_pattern(&s);
    if (status >= 0)
        status = fill_values(&s);
    free_reduction(&s);
    local->W = (pcs_block_matrix){.n = s.n,
                                  .offset = s.offset,
                                  .row_start = s.row_start,
                                  .column = s.column,
                                  .value_start = s.value_start,
                                  .diagonal = s.diagonal,
                                  .value = s.value};
    return status;
}

pcs_status pcs_problem_reduce(const pcs_problem *global, pcs_problem **out)
{
    pcs_context *ctx = global->ctx;
    pcs_delassus_operator *op = NULL;
    *out = NULL;
    if (global->problem_class != PCS_PROBLEM_GLOBAL)
        return pcs_error(ctx, PCS_ERROR_ARGUMENT,
                         "reduction: the problem is of class %s; only global ones can be reduced",
                         pcs_problem_class_name(global->problem_class));
    PCS_TRY(pcs_delassus_operator_create(global, &op));
    pcs_problem *local = pcs_problem_new(ctx);
    pcs_status status = local != NULL ? PCS_OK : PCS_ERROR_MEMORY;
    if (status >= 0) {
        local->problem_class = PCS_PROBLEM_LOCAL;
        local->dimension = global->dimension;
        local->contacts = global->contacts;
        local->bilateral_rows = global->bilateral_rows;
        local->rows = global->rows;
        status = copy_vectors(global, op->q, local) ? form_W(op, local) : PCS_ERROR_MEMORY;
    }
    pcs_delassus_operator_destroy(op);
    if (status >= 0) { // good data may overflow in the products
        const pcs_friction_contact view = pcs_problem_local_view(local);
        status = pcs_friction_contact_check(&view, ctx, NULL);
        local->is_checked = status >= 0;
    }
    if (status >= 0)
        *out = local;
    else
        pcs_problem_destroy(local);
    return status;
}

// ---- The operator ----

pcs_status pcs_delassus_operator_create(const pcs_problem *global, pcs_delassus_operator **out)
{
    pcs_context *ctx = global->ctx;
    *out = NULL;
    pcs_delassus_operator *op = PCS_NEW(ctx, pcs_delassus_operator);
    if (op == NULL)
        return PCS_ERROR_MEMORY;
    op->ctx = ctx;
    op->global = global;
    op->q = PCS_NEW_ARRAY(ctx, double, global->rows);
    op->v = PCS_NEW_ARRAY(ctx, double, global->dofs);
    pcs_status status = op->q != NULL && op->v != NULL ? PCS_OK : PCS_ERROR_MEMORY;
    if (status >= 0)
        status = pcs_mass_matrix_create(ctx, &global->M, &op->mass);
    if (status >= 0) {
        op->work = PCS_NEW_ARRAY(ctx, double, 2 * (int64_t)op->mass->longest);
        status = op->work != NULL ? PCS_OK : PCS_ERROR_MEMORY;
    }
    if (status < 0) {
        pcs_delassus_operator_destroy(op);
        return status;
    }
    memcpy(op->v, global->f, sizeof(double) * (size_t)global->dofs);
    pcs_mass_matrix_solve(op->mass, op->v, op->work);
    pcs_sparse_multiply_transposed(&global->H, op->v, op->q);
    for (int32_t k = 0; k < global->rows; k++)
        op->q[k] += global->q[k];
    *out = op;
    return PCS_OK;
}

void pcs_delassus_operator_destroy(pcs_delassus_operator *op)
{
    if (op == NULL)
        return;
    pcs_mass_matrix_destroy(op->mass);
    pcs_free(op->ctx, op->q);
    pcs_free(op->ctx, op->v);
    pcs_free(op->ctx, op->work);
    pcs_free(op->ctx, op);
}

const double *pcs_delassus_operator_q(const pcs_delassus_operator *op)
{
    return op->q;
}

void pcs_delassus_operator_multiply(pcs_delassus_operator *op, const double *x, double *y)
{
    pcs_sparse_multiply(&op->global->H, x, op->v);
    pcs_mass_matrix_solve(op->mass, op->v, op->work);
    pcs_sparse_multiply_transposed(&op->global->H, op->v, y);
}

void pcs_delassus_operator_velocity(pcs_delassus_operator *op, const double *x, double *y)
{
    pcs_delassus_operator_multiply(op, x, y);
    for (int32_t k = 0; k < op->global->rows; k++)
        y[k] += op->q[k];
}

void pcs_delassus_operator_global_velocity(pcs_delassus_operator *op, const double *r, double *v)
{
    pcs_sparse_multiply(&op->global->H, r, v);
    for (int32_t i = 0; i < op->global->dofs; i++)
        v[i] += op->global->f[i];
    pcs_mass_matrix_solve(op->mass, v, op->work);
}

pcs_status pcs_global_velocity(const pcs_problem *global, const double *r, double *v)
{
    pcs_delassus_operator *op = NULL;
    PCS_TRY(pcs_delassus_operator_create(global, &op));
    pcs_delassus_operator_global_velocity(op, r, v);
    pcs_delassus_operator_destroy(op);
    return PCS_OK;
}
