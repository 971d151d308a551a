// Large groups of M (flexible bodies), with the factors M_gg = U^T U or L U. Either all columns of
// H on the group go through the factors at once,
//     W += Y^T Y,  Y = U^-T H_g,
// or, where H touches fewer degrees of freedom than it has columns, the unit vectors E of these do:
// then G = E^T M_gg^-1 E takes the place of the group's inverse. For LU factors likewise.
#include <string.h>

#include "nonsmooth/reduction.h"

// Columns of H on a large group, all of each block that has a piece on it
typedef struct group_columns {
    pcs_reduction *s;
    pcs_sparse H;       // rows: places inside the group
    int32_t *block;     // by column of H
    int32_t *component; // column of the block
} group_columns;

static pcs_status create_columns(group_columns *x, int32_t g)
{
    const pcs_reduction *s = x->s;
    int32_t columns = 0, entries = 0;
    for (int32_t k = s->group_start[g]; k < s->group_start[g + 1]; k++) {
        const pcs_reduction_piece *p = &s->pieces[s->group_piece[k]];
        columns += s->offset[p->block + 1] - s->offset[p->block];
        entries += p->end - p->first;
    }
    x->H.pattern.n_rows = pcs_mass_group_size(s->mass, g);
    x->H.pattern.n_columns = columns;
    x->H.pattern.start = PCS_NEW_ARRAY(s->ctx, int32_t, (int64_t)columns + 1);
    x->H.pattern.index = PCS_NEW_ARRAY(s->ctx, int32_t, entries);
    x->H.value = PCS_NEW_ARRAY(s->ctx, double, entries);
    x->block = PCS_NEW_ARRAY(s->ctx, int32_t, columns);
    x->component = PCS_NEW_ARRAY(s->ctx, int32_t, columns);
    if (!x->H.pattern.start || !x->H.pattern.index || !x->H.value || !x->block || !x->component)
        return PCS_ERROR_MEMORY;
    for (int32_t k = s->group_start[g], j = 0, at = 0; k < s->group_start[g + 1]; k++) {
        const pcs_reduction_piece *p = &s->pieces[s->group_piece[k]];
        const int32_t size = s->offset[p->block + 1] - s->offset[p->block];
        for (int32_t c = 0, e = p->first; c < size; c++, j++) { // entries of a piece are by columns
            x->block[j] = p->block;
            x->component[j] = c;
            for (; e < p->end && s->entries[e].column == c; e++, at++) {
                x->H.pattern.index[at] = s->entries[e].place;
                x->H.value[at] = s->entries[e].value;
            }
            x->H.pattern.start[j + 1] = at;
        }
    }
    return PCS_OK;
}

static void free_columns(group_columns *x)
{
    pcs_sparse_destroy(x->s->ctx, &x->H);
    pcs_free(x->s->ctx, x->block);
    pcs_free(x->s->ctx, x->component);
}

// Entry (i, j) of the pattern of W, which has it
static int32_t find_entry(const pcs_reduction *s, int32_t i, int32_t j)
{
    int32_t low = s->row_start[i], high = s->row_start[i + 1] - 1;
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        if (s->column[middle] < j)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// One row of a term: upper blocks of W, diagonal blocks in full, lower ones where they are not
// mirrored
static void put_row(const group_columns *x, const pcs_cholesky_term *t, int32_t row)
{
    const pcs_reduction *s = x->s;
    const double *term = t->term + (int64_t)(row - t->first) * t->row_length;
    const int32_t i = x->block[t->column[row]], a = x->component[t->column[row]];
    const int32_t size = s->offset[i + 1] - s->offset[i];
    int32_t e = s->diagonal[i];
    for (int32_t k = row; k < t->n; k++) {
        const int32_t j = x->block[t->column[k]], b = x->component[t->column[k]];
        const int32_t columns = s->offset[j + 1] - s->offset[j];
        while (s->column[e] != j)
            e++;
        s->value[s->value_start[e] + a * columns + b] -= term[k];
        if (i == j && a != b)
            s->value[s->value_start[e] + b * columns + a] -= term[k];
        else if (i != j && !s->mass->symmetric)
            s->value[s->value_start[find_entry(s, j, i)] + b * size + a] -= term[k];
    }
}

static void put_term(void *user, const pcs_cholesky_term *term)
{
    for (int32_t i = 0; i < term->count; i++)
        put_row(user, term, term->first + i);
}

// All pairs of some columns, without symmetry
static void put_pairs(void *user, int32_t n, const int32_t *row, const double *X,
                      int32_t row_length)
{
    const group_columns *x = user;
    const pcs_reduction *s = x->s;
    for (int32_t r = 0; r < n; r++) {
        const int32_t i = x->block[row[r]], a = x->component[row[r]];
        int32_t e = s->row_start[i];
        for (int32_t k = 0; k < n; k++) {
            const int32_t j = x->block[row[k]], b = x->component[row[k]];
            const int32_t columns = s->offset[j + 1] - s->offset[j];
            while (s->column[e] != j)
                e++;
            s->value[s->value_start[e] + a * columns + b] += X[(int64_t)r * row_length + k];
        }
    }
}

// All blocks of W that the group takes part in, from all columns of H
static pcs_status add_columns(pcs_reduction *s, int32_t g)
{
    group_columns x = {.s = s};
    const pcs_mass_group *group = &s->mass->group[g];
    pcs_status status = create_columns(&x, g);
    if (status == PCS_OK && group->cholesky != NULL)
        status = pcs_sparse_cholesky_compress(group->cholesky, &x.H, s->tasks, s->watch, put_term,
                                              &x);
    else if (status == PCS_OK)
        status = pcs_mesh_lu_compress(group->lu, &x.H, 0, x.H.pattern.n_columns, put_pairs, &x);
    free_columns(&x);
    return status;
}

static void put_part_term(void *user, const pcs_cholesky_term *t)
{
    const pcs_reduction_part *part = user;
    for (int32_t i = 0; i < t->count; i++) {
        const int64_t a = t->column[t->first + i];
        for (int32_t k = t->first + i; k < t->n; k++) {
            const int64_t b = t->column[k];
            part->G[a * part->n + b] -= t->term[(int64_t)i * t->row_length + k];
            if (a != b)
                part->G[b * part->n + a] -= t->term[(int64_t)i * t->row_length + k];
        }
    }
}

static void put_part_pairs(void *user, int32_t n, const int32_t *row, const double *X,
                           int32_t row_length)
{
    const pcs_reduction_part *part = user;
    for (int32_t i = 0; i < n; i++)
        for (int32_t k = 0; k < n; k++)
            part->G[(int64_t)row[k] * part->n + row[i]] += X[(int64_t)i * row_length + k];
}

// G at the touched places, number[place] >= 0
static pcs_status form_part(pcs_reduction *s, int32_t g, const int32_t *number)
{
    const pcs_mass_group *group = &s->mass->group[g];
    pcs_reduction_part *part = &s->part[g];
    const int32_t n = part->n;
    pcs_sparse E = {.pattern = {.n_rows = group->size, .n_columns = n}};
    E.pattern.start = PCS_NEW_ARRAY(s->ctx, int32_t, (int64_t)n + 1);
    E.pattern.index = PCS_NEW_ARRAY(s->ctx, int32_t, n);
    E.value = PCS_NEW_ARRAY(s->ctx, double, n);
    part->G = PCS_NEW_ARRAY(s->ctx, double, (int64_t)n *n);
    pcs_status status = PCS_ERROR_MEMORY;
    if (E.pattern.start && E.pattern.index && E.value && part->G) {
        for (int32_t place = 0; place < group->size; place++)
            if (number[place] >= 0)
                E.pattern.index[number[place]] = place;
        for (int32_t j = 0; j < n; j++) {
            E.pattern.start[j + 1] = j + 1;
            E.value[j] = 1.0;
        }
        status = group->cholesky != NULL
                     ? pcs_sparse_cholesky_compress(group->cholesky, &E, s->tasks, s->watch,
                                                    put_part_term, part)
                     : pcs_mesh_lu_compress(group->lu, &E, 0, n, put_part_pairs, part);
    }
    pcs_sparse_destroy(s->ctx, &E);
    return status;
}

// number[place] <- the place among those that H touches, -1 for the others; returns their number
static int32_t number_touched(const pcs_reduction *s, int32_t g, int32_t *number)
{
    const int32_t size = s->mass->group[g].size;
    int32_t count = 0;
    for (int32_t place = 0; place < size; place++)
        number[place] = -1;
    for (int32_t k = s->group_start[g]; k < s->group_start[g + 1]; k++) {
        const pcs_reduction_piece *p = &s->pieces[s->group_piece[k]];
        for (int32_t e = p->first; e < p->end; e++)
            number[s->entries[e].place] = 0;
    }
    for (int32_t place = 0; place < size; place++)
        if (number[place] >= 0)
            number[place] = count++;
    return count;
}

pcs_status pcs_reduction_add_large(pcs_reduction *s, int32_t group)
{
    int32_t *number = PCS_NEW_ARRAY(s->ctx, int32_t, s->mass->group[group].size), columns = 0;
    if (number == NULL)
        return PCS_ERROR_MEMORY;
    const int32_t first = s->group_start[group], end = s->group_start[group + 1];
    for (int32_t k = first; k < end; k++) {
        const int32_t block = s->pieces[s->group_piece[k]].block;
        columns += s->offset[block + 1] - s->offset[block];
    }
    pcs_status status;
    s->part[group].n = number_touched(s, group, number);
    if (s->part[group].n >= columns) {
        status = add_columns(s, group);
    } else {
        status = form_part(s, group, number);
        for (int32_t k = first; k < end; k++) {
            const pcs_reduction_piece *p = &s->pieces[s->group_piece[k]];
            for (int32_t e = p->first; e < p->end; e++)
                s->entries[e].place = number[s->entries[e].place];
        }
    }
    pcs_free(s->ctx, number);
    return status;
}
