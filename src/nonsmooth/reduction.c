// Forming W block column by block column: X = M_gg^-1 H_gj, then W_ij += H_gi^T X for the blocks i
// on g. Lists of pieces by block and by group make the work proportional to the entries of W. The
// pattern of W is symmetric, and for a symmetric M so are its values, to the last bit.
#include "nonsmooth/reduction.h"

#include <string.h>

enum { LOOK_EVERY = 32 }; // block columns between two looks at the clock: some milliseconds

pcs_status pcs_reduction_get_zeros(const pcs_reduction *s, int64_t count, double **out)
{
    enum { PIECE = 1 << 18 }; // two megabytes
    *out = pcs_realloc(s->ctx, NULL, (size_t)count, sizeof(double));
    if (*out == NULL)
        return PCS_ERROR_MEMORY;
    for (int64_t k = 0; k < count; k += PIECE) {
        const int64_t values = count - k < PIECE ? count - k : PIECE;
        memset(*out + k, 0, sizeof(double) * (size_t)values);
        if (pcs_watch_is_over(s->watch))
            return PCS_INTERRUPTED;
    }
    return PCS_OK;
}

// ---- Pieces of H ----

static int32_t block_columns(const pcs_problem *global, int32_t block, int32_t *first)
{
    const int32_t d = global->dimension, contacts = global->contacts;
    *first = block < contacts ? block * d : contacts * d + (block - contacts);
    return block < contacts ? d : 1;
}

// Visits the nonzeros of H block by block. mark[g] is the piece of the current block on group g.
// Pass 0 counts the pieces, pass 1 the entries of each, pass 2 stores the entries.
static void visit_entries(pcs_reduction *s, int32_t pass)
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
                        s->pieces[s->mark[g]] = (pcs_reduction_piece){.block = i, .group = g};
                }
                pcs_reduction_piece *p = pass > 0 ? &s->pieces[s->mark[g]] : NULL;
                if (pass == 1)
                    p->end++;
                else if (pass == 2)
                    s->entries[p->end++] = (pcs_reduction_entry){pcs_mass_place(s->mass, dof), k,
                                                                 H->value[e]};
            }
        s->block_start[i + 1] = count;
    }
    s->n_pieces = count;
}

// group_piece <- pieces sorted by group, stable: ascending blocks inside a group
static void sort_by_group(pcs_reduction *s)
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

static pcs_status create_pieces(pcs_reduction *s)
{
    const int32_t entries = s->global->H.pattern.start[s->global->rows];
    const int32_t groups = s->mass->n_groups, marks = groups > s->n ? groups : s->n;
    s->mark = PCS_NEW_ARRAY(s->ctx, int32_t, marks);
    s->block_start = PCS_NEW_ARRAY(s->ctx, int32_t, (int64_t)s->n + 1);
    s->group_start = PCS_NEW_ARRAY(s->ctx, int32_t, (int64_t)groups + 1);
    s->entries = PCS_NEW_ARRAY(s->ctx, pcs_reduction_entry, entries);
    if (!s->mark || !s->block_start || !s->group_start || !s->entries)
        return PCS_ERROR_MEMORY;
    visit_entries(s, 0);
    s->pieces = PCS_NEW_ARRAY(s->ctx, pcs_reduction_piece, s->n_pieces);
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
static int32_t visit_neighbours(pcs_reduction *s, int32_t i, bool store)
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

static pcs_status create_pattern(pcs_reduction *s)
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
        if (i % LOOK_EVERY == 0 && pcs_watch_is_over(s->watch))
            return PCS_INTERRUPTED;
        s->offset[i + 1] = s->offset[i] + block_columns(s->global, i, &first);
        entries += visit_neighbours(s, i, false);
        if (entries >= INT32_MAX)
            return pcs_error(s->ctx, PCS_ERROR_MEMORY, "reduction: W has more than 2^31 blocks");
        s->row_start[i + 1] = (int32_t)entries;
    }
    // Without zeros, which would take a second without a look: all of both is written below.
    s->column = pcs_realloc(s->ctx, NULL, (size_t)entries, sizeof *s->column);
    s->value_start = pcs_realloc(s->ctx, NULL, (size_t)entries + 1, sizeof *s->value_start);
    if (!s->column || !s->value_start)
        return PCS_ERROR_MEMORY;
    memcpy(s->cursor, s->row_start, sizeof(int32_t) * (size_t)n);
    for (int32_t i = 0; i < n; i++)
        s->mark[i] = -1;
    for (int32_t i = 0; i < n; i++) {
        if (i % LOOK_EVERY == 0 && pcs_watch_is_over(s->watch))
            return PCS_INTERRUPTED;
        (void)visit_neighbours(s, i, true);
    }
    for (int32_t i = 0; i < n; i++) {
        if (i % LOOK_EVERY == 0 && pcs_watch_is_over(s->watch))
            return PCS_INTERRUPTED;
        for (int32_t e = s->row_start[i]; e < s->row_start[i + 1]; e++) {
            const int32_t j = s->column[e];
            s->value_start[e] = values;
            values += (int64_t)(s->offset[i + 1] - s->offset[i]) *
                      (s->offset[j + 1] - s->offset[j]);
        }
    }
    s->value_start[entries] = values;
    return pcs_reduction_get_zeros(s, values, &s->value);
}

// ---- Values of W ----

// X = M_gg^-1 H_gj for one piece, where H touches the group if that is all that is known; returns
// the length of a column
static int32_t apply_inverse(pcs_reduction *s, int32_t columns, const pcs_reduction_piece *p)
{
    const bool is_large = pcs_reduction_is_large(s, p->group);
    const pcs_reduction_part *part = is_large ? &s->part[p->group] : NULL;
    const int32_t size = is_large ? part->n : pcs_mass_group_size(s->mass, p->group);
    memset(s->X, 0, sizeof(double) * (size_t)size * (size_t)columns);
    for (int32_t e = p->first; e < p->end; e++) {
        const pcs_reduction_entry *h = &s->entries[e];
        double *x = s->X + (int64_t)h->column * size;
        const double *G = is_large ? part->G + (int64_t)h->place * size : NULL;
        if (!is_large)
            x[h->place] = h->value;
        for (int32_t i = 0; is_large && i < size; i++)
            x[i] += h->value * G[i];
    }
    if (!is_large)
        pcs_mass_matrix_solve_group(s->mass, p->group, columns, s->X, s->work);
    return size;
}

// The part of block column j that comes through one piece of it
static void add_piece(pcs_reduction *s, int32_t j, const pcs_reduction_piece *p)
{
    const int32_t columns = s->offset[j + 1] - s->offset[j], g = p->group;
    const int32_t size = apply_inverse(s, columns, p);
    for (int32_t k = s->group_start[g]; k < s->group_start[g + 1]; k++) {
        const pcs_reduction_piece *q = &s->pieces[s->group_piece[k]];
        if (s->mass->symmetric && q->block > j)
            break; // the lower triangle is copied
        double *W_ij = s->value + s->value_start[s->at[q->block]];
        for (int32_t e = q->first; e < q->end; e++) {
            const pcs_reduction_entry *h = &s->entries[e];
            for (int32_t c = 0; c < columns; c++)
                W_ij[h->column * columns + c] += h->value * s->X[(int64_t)c * size + h->place];
        }
    }
}

// The same for a diagonal M, where a group is one degree of freedom
static void add_single(pcs_reduction *s, int32_t j, const pcs_reduction_piece *p)
{
    const int32_t columns = s->offset[j + 1] - s->offset[j], g = p->group;
    for (int32_t k = s->group_start[g]; k < s->group_start[g + 1]; k++) {
        const pcs_reduction_piece *q = &s->pieces[s->group_piece[k]];
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
static void mirror(pcs_reduction *s, int32_t j)
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

// Large groups, ahead of the others
static pcs_status add_large_groups(pcs_reduction *s)
{
    pcs_status status = PCS_OK;
    for (int32_t g = 0; g < s->mass->n_groups && status == PCS_OK; g++) {
        if (!pcs_reduction_is_large(s, g) || s->group_start[g] == s->group_start[g + 1])
            continue;
        if (s->part == NULL)
            s->part = PCS_NEW_ARRAY(s->ctx, pcs_reduction_part, s->mass->n_groups);
        status = s->part != NULL ? pcs_reduction_add_large(s, g) : PCS_ERROR_MEMORY;
    }
    return status;
}

// Whether add_large_groups has dealt with all blocks of the group
static bool comes_at_once(const pcs_reduction *s, int32_t g)
{
    return pcs_reduction_is_large(s, g) && s->part[g].G == NULL;
}

static pcs_status fill_values(pcs_reduction *s)
{
    const pcs_status status = add_large_groups(s);
    if (status != PCS_OK)
        return status;
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
            else if (!comes_at_once(s, s->pieces[p].group))
                add_piece(s, j, &s->pieces[p]);
        if (s->mass->symmetric)
            mirror(s, j);
        if (j % LOOK_EVERY == 0 && pcs_watch_is_over(s->watch))
            return PCS_INTERRUPTED;
    }
    return PCS_OK;
}

static void free_reduction(pcs_reduction *s)
{
    for (int32_t g = 0; s->part != NULL && g < s->mass->n_groups; g++)
        pcs_free(s->ctx, s->part[g].G);
    pcs_free(s->ctx, s->part);
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

pcs_status pcs_reduction_form(const pcs_problem *global, const pcs_mass_matrix *mass,
                              pcs_tasks *tasks, const pcs_watch *watch, pcs_block_matrix *W)
{
    pcs_reduction s = {.global = global,
                       .ctx = global->ctx,
                       .mass = mass,
                       .tasks = tasks,
                       .watch = watch,
                       .n = global->contacts + global->bilateral_rows};
    pcs_status status = create_pieces(&s);
    if (status == PCS_OK)
        status = create_pattern(&s);
    if (status == PCS_OK)
        status = fill_values(&s);
    free_reduction(&s);
    *W = (pcs_block_matrix){.n = s.n,
                            .offset = s.offset,
                            .row_start = s.row_start,
                            .column = s.column,
                            .value_start = s.value_start,
                            .diagonal = s.diagonal,
                            .value = s.value};
    return status;
}
