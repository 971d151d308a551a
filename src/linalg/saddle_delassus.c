// Delassus operator W = H B H^T of contact rows under the saddle system, by islands:
//
//     free and jointed   W_ij = H_i A^{-1} H_j^T - V1_i^T (D^{-1} V0_j),  S = L D U,
//                        V0_j = L^{-1} (G A^{-1} H_j^T),  V1_i = U^{-T} (H_i A^{-1} G^T)^T
//     coupled            W_ij = H_i x_j with K (x_j; p_j) = (H_j^T; 0); in blocks, with K = L U,
//                        W_ij = (U^{-T} H_i^T)^T (L^{-1} H_j^T)
//
// V needs only the forward half of a solve with S, as do the halves of K in blocks. When all blocks
// of A are symmetric, V0 = V1 and the upper half of W is mirrored.
#include <string.h>

#include "linalg/kernels.h"
#include "linalg/saddle_internal.h"

// What one contact brings: its islands, A^{-1} H^T by node and V by jointed island
typedef struct contact {
    const pcs_row_block *row;
    int32_t n_islands;
    int32_t island[PCS_ROW_NODES_MAX];
    bool coupled;                       // touches a coupled island
    double *product[PCS_ROW_NODES_MAX]; // by node: A^{-1} H^T, node size x contact size
    int32_t first[PCS_ROW_NODES_MAX];   // by island: first block of S that V reaches
    double *V[PCS_ROW_NODES_MAX];       // V1 from that block on, rows x contact size
    double *scaled[PCS_ROW_NODES_MAX];  // D^{-1} V0
} contact;

typedef struct delassus {
    pcs_saddle *saddle;
    pcs_arena *arena;
    int32_t n;
    contact *contact;
    int32_t *member_start; // by node standing for an island: contacts that touch the island
    int32_t *member;
    double *work; // products of two blocks
} delassus;

static pcs_status no_memory(delassus *d)
{
    return pcs_error(d->saddle->ctx, PCS_ERROR_MEMORY, "no memory for %d contacts", (int)d->n);
}

static void find_islands(const pcs_saddle *s, contact *c)
{
    c->n_islands = 0;
    c->coupled = false;
    for (int32_t q = 0; q < c->row->n_nodes; ++q) {
        const int32_t island = s->island[c->row->node[q]];
        c->coupled = c->coupled || s->kind[island] == PCS_ISLAND_COUPLED;
        int32_t t = 0;
        while (t < c->n_islands && c->island[t] != island)
            ++t;
        if (t == c->n_islands)
            c->island[c->n_islands++] = island;
    }
}

static pcs_status list_members(delassus *d, const pcs_row_block *const *H)
{
    const int32_t n_nodes = d->saddle->n_nodes;
    d->contact = PCS_ARENA_ARRAY(d->arena, contact, d->n);
    d->member_start = PCS_ARENA_ARRAY(d->arena, int32_t, n_nodes + 1);
    d->member = PCS_ARENA_ARRAY(d->arena, int32_t, (int64_t)d->n * PCS_ROW_NODES_MAX);
    if (!d->contact || !d->member_start || !d->member)
        return no_memory(d);
    memset(d->member_start, 0, sizeof(int32_t) * ((size_t)n_nodes + 1));
    for (int32_t i = 0; i < d->n; ++i) {
        d->contact[i].row = H[i];
        find_islands(d->saddle, &d->contact[i]);
        for (int32_t t = 0; t < d->contact[i].n_islands; ++t)
            ++d->member_start[d->contact[i].island[t]];
    }
    for (int32_t k = 1; k <= n_nodes; ++k)
        d->member_start[k] += d->member_start[k - 1];
    for (int32_t i = d->n - 1; i >= 0; --i) // from behind; the ends become the starts
        for (int32_t t = 0; t < d->contact[i].n_islands; ++t)
            d->member[--d->member_start[d->contact[i].island[t]]] = i;
    return PCS_OK;
}

// Contacts that share an island with contact i, itself included, ascending, without repetition:
// a merge of the sorted member lists. Returns how many.
static int32_t list_partners(const delassus *d, int32_t i, int32_t *list)
{
    const contact *c = &d->contact[i];
    int32_t head[PCS_ROW_NODES_MAX], count = 0;
    for (int32_t t = 0; t < c->n_islands; ++t)
        head[t] = d->member_start[c->island[t]];
    if (c->n_islands == 0) { // touches nothing that moves: a zero diagonal block
        list[0] = i;
        return 1;
    }
    if (c->n_islands == 1) { // the list itself
        count = d->member_start[c->island[0] + 1] - head[0];
        memcpy(list, d->member + head[0], sizeof *list * (size_t)count);
        return count;
    }
    for (;;) {
        int32_t least = INT32_MAX;
        for (int32_t t = 0; t < c->n_islands; ++t)
            if (head[t] < d->member_start[c->island[t] + 1] && d->member[head[t]] < least)
                least = d->member[head[t]];
        if (least == INT32_MAX)
            return count;
        for (int32_t t = 0; t < c->n_islands; ++t)
            if (head[t] < d->member_start[c->island[t] + 1] && d->member[head[t]] == least)
                ++head[t];
        list[count++] = least;
    }
}

static bool same_islands(const contact *a, const contact *b)
{
    if (a->n_islands == 0 || a->n_islands != b->n_islands)
        return false;
    for (int32_t t = 0; t < a->n_islands; ++t)
        if (a->island[t] != b->island[t])
            return false;
    return true;
}

// A row with ten thousand blocks takes a millisecond.
enum { ROWS_PER_LOOK = 16 };

// Zeros of ten thousand contacts of one body are 7 GB, which take seconds.
static pcs_status clear_rows(const delassus *d, const pcs_block_matrix *W, int64_t values)
{
    int64_t from = 0;
    for (int32_t i = 0; i < W->n; ++i) {
        if (i % ROWS_PER_LOOK == 0)
            PCS_TRY(pcs_context_go_on(d->arena->ctx));
        const int64_t to = i + 1 < W->n ? W->value_start[W->row_start[i + 1]] : values;
        memset(W->value + from, 0, sizeof(double) * (size_t)(to - from));
        from = to;
    }
    return PCS_OK;
}

static pcs_status build_pattern(delassus *d, pcs_block_matrix *W)
{
    const int32_t n = d->n;
    int32_t *offset = PCS_ARENA_ARRAY(d->arena, int32_t, n + 1);
    int32_t *row_start = PCS_ARENA_ARRAY(d->arena, int32_t, n + 1);
    int32_t *diagonal = PCS_ARENA_ARRAY(d->arena, int32_t, n);
    if (!offset || !row_start || !diagonal)
        return no_memory(d);
    offset[0] = row_start[0] = 0;
    int64_t most = 0; // of the entries: contacts with two islands in common would count twice
    for (int32_t i = 0; i < n; ++i) {
        const contact *c = &d->contact[i];
        offset[i + 1] = offset[i] + c->row->size;
        most += c->n_islands == 0;
        for (int32_t t = 0; t < c->n_islands; ++t)
            most += d->member_start[c->island[t] + 1] - d->member_start[c->island[t]];
    }
    if (most > INT32_MAX)
        return no_memory(d);
    int32_t *column = PCS_ARENA_ARRAY(d->arena, int32_t, most);
    int64_t *value_start = PCS_ARENA_ARRAY(d->arena, int64_t, most);
    if (!column || !value_start)
        return no_memory(d);
    int64_t values = 0;
    for (int32_t i = 0; i < n; ++i) {
        int32_t count;
        if (i % ROWS_PER_LOOK == 0)
            PCS_TRY(pcs_context_go_on(d->arena->ctx));
        if (i > 0 && same_islands(&d->contact[i - 1], &d->contact[i])) { // corners of one box
            count = row_start[i] - row_start[i - 1];
            memcpy(column + row_start[i], column + row_start[i - 1],
                   sizeof *column * (size_t)count);
        } else {
            count = list_partners(d, i, column + row_start[i]);
        }
        row_start[i + 1] = row_start[i] + count;
        for (int32_t e = row_start[i]; e < row_start[i + 1]; ++e) {
            if (column[e] == i)
                diagonal[i] = e;
            value_start[e] = values;
            values += (int64_t)d->contact[i].row->size * d->contact[column[e]].row->size;
        }
    }
    double *value = PCS_ARENA_ARRAY(d->arena, double, values);
    if (!value)
        return no_memory(d);
    *W = (pcs_block_matrix){.n = n,
                            .offset = offset,
                            .row_start = row_start,
                            .column = column,
                            .value_start = value_start,
                            .diagonal = diagonal,
                            .value = value};
    return clear_rows(d, W, values);
}

// A^{-1} H^T of a contact for its nodes outside coupled islands
static pcs_status compute_products(delassus *d, contact *c)
{
    const pcs_saddle *s = d->saddle;
    for (int32_t q = 0; q < c->row->n_nodes; ++q) {
        const int32_t node = c->row->node[q];
        if (s->kind[node] == PCS_ISLAND_COUPLED)
            continue;
        c->product[q] = PCS_ARENA_ARRAY(d->arena, double, s->node_size[node] * c->row->size);
        if (!c->product[q])
            return no_memory(d);
        pcs_node_inverse_apply(&s->inverse[node], false, c->row->size, c->row->J[q], c->product[q],
                               d->work);
    }
    return PCS_OK;
}

// T <- G A^{-1} H^T (side 0) or (H A^{-1} G^T)^T (side 1) on the blocks from `first` on
static void start_columns(delassus *d, const contact *c, int32_t island, int side, int32_t first,
                          double *T, uint8_t *reached)
{
    const pcs_saddle *s = d->saddle;
    const pcs_schur *S = &s->schur;
    const int32_t columns = c->row->size;
    for (int32_t q = 0; q < c->row->n_nodes; ++q) {
        const int32_t node = c->row->node[q], size = s->node_size[node];
        if (s->island[node] != island)
            continue;
        for (int32_t r = 0; r < columns; ++r)
            for (int32_t e = 0; e < size; ++e)
                d->work[e * columns + r] = c->row->J[q][r * size + e];
        for (int32_t t = s->touch_start[node]; t < s->touch_start[node + 1]; ++t) {
            const int32_t k = s->touch[t].k;
            const int64_t at = S->slot_value[(int64_t)k * PCS_ROW_NODES_MAX + s->touch[t].slot];
            pcs_kernel_product(1.0, S->size[k], size, columns, S->product[1 - side] + at, 1,
                               S->size[k], d->work, columns,
                               T + (int64_t)(S->offset[k] - S->offset[first]) * columns, columns);
            reached[k - first] = 1;
        }
    }
}

// V1 and D^{-1} V0 of a contact in the t-th of its islands
static pcs_status compute_columns(delassus *d, contact *c, int32_t t)
{
    const pcs_saddle *s = d->saddle;
    const pcs_schur *S = &s->schur;
    const int32_t island = c->island[t];
    int32_t first = S->n;
    for (int32_t q = 0; q < c->row->n_nodes; ++q) {
        const int32_t node = c->row->node[q];
        if (s->island[node] == island && s->touch_start[node] < s->touch_start[node + 1] &&
            s->touch[s->touch_start[node]].k < first)
            first = s->touch[s->touch_start[node]].k;
    }
    const int32_t end = S->component_end[first];
    const int64_t count = (int64_t)(S->offset[end] - S->offset[first]) * c->row->size;
    c->first[t] = first;
    c->V[t] = PCS_ARENA_ARRAY(d->arena, double, count);
    c->scaled[t] = PCS_ARENA_ARRAY(d->arena, double, count);
    const pcs_arena_mark mark = pcs_arena_get_mark(d->arena);
    uint8_t *reached = PCS_ARENA_ARRAY(d->arena, uint8_t, end - first);
    double *unused = s->symmetric ? c->scaled[t] : PCS_ARENA_ARRAY(d->arena, double, count);
    if (!c->V[t] || !c->scaled[t] || !reached || !unused)
        return no_memory(d);
    for (int side = 0; side < (s->symmetric ? 1 : 2); ++side) {
        memset(c->V[t], 0, sizeof(double) * (size_t)count);
        memset(reached, 0, (size_t)(end - first));
        start_columns(d, c, island, side, first, c->V[t], reached);
        pcs_schur_forward(S, side, first, end, c->row->size, c->V[t],
                          side == 0 ? c->scaled[t] : unused, reached);
    }
    pcs_arena_release(d->arena, mark);
    return PCS_OK;
}

static pcs_status prepare_contacts(delassus *d)
{
    const pcs_saddle *s = d->saddle;
    int32_t largest = 1, largest_node = 1;
    for (int32_t i = 0; i < d->n; ++i)
        largest = d->contact[i].row->size > largest ? d->contact[i].row->size : largest;
    for (int32_t k = 0; k < s->n_nodes; ++k)
        largest_node = s->node_size[k] > largest_node ? s->node_size[k] : largest_node;
    d->work = PCS_ARENA_ARRAY(d->arena, double, (int64_t)largest *largest_node);
    if (!d->work)
        return no_memory(d);
    for (int32_t i = 0; i < d->n; ++i) {
        contact *c = &d->contact[i];
        PCS_TRY(compute_products(d, c));
        for (int32_t t = 0; t < c->n_islands; ++t)
            if (s->kind[c->island[t]] == PCS_ISLAND_JOINTED)
                PCS_TRY(compute_columns(d, c, t));
    }
    return PCS_OK;
}

// Part of W_ij from the free and jointed islands, added to block
static void add_block(const delassus *d, const contact *a, const contact *b, double *block)
{
    const pcs_saddle *s = d->saddle;
    const int32_t rows = a->row->size, columns = b->row->size;
    for (int32_t p = 0; p < a->row->n_nodes; ++p)
        for (int32_t q = 0; q < b->row->n_nodes; ++q) {
            const int32_t node = a->row->node[p], size = s->node_size[node];
            if (node != b->row->node[q] || s->kind[node] == PCS_ISLAND_COUPLED)
                continue;
            if (rows == 3 && columns == 3 && size == 6) // sizes known to the compiler
                pcs_kernel_product(1.0, 3, 6, 3, a->row->J[p], 6, 1, b->product[q], 3, block, 3);
            else
                pcs_kernel_product(1.0, rows, size, columns, a->row->J[p], size, 1, b->product[q],
                                   columns, block, columns);
        }
    for (int32_t p = 0; p < a->n_islands; ++p)
        for (int32_t q = 0; q < b->n_islands; ++q) {
            if (a->island[p] != b->island[q] || s->kind[a->island[p]] != PCS_ISLAND_JOINTED)
                continue;
            const int32_t *offset = s->schur.offset;
            const int32_t first = a->first[p] > b->first[q] ? a->first[p] : b->first[q];
            const int32_t end = offset[s->schur.component_end[first]];
            pcs_kernel_product(
                -1.0, rows, end - offset[first], columns,
                a->V[p] + (int64_t)(offset[first] - offset[a->first[p]]) * rows, 1, rows,
                b->scaled[q] + (int64_t)(offset[first] - offset[b->first[q]]) * columns, columns,
                block, columns);
        }
}

static void transpose_block(int32_t rows, int32_t columns, const double *block, double *transposed)
{
    for (int32_t r = 0; r < rows; ++r)
        for (int32_t c = 0; c < columns; ++c)
            transposed[c * rows + r] = block[r * columns + c];
}

static pcs_status fill_blocks(const delassus *d, int32_t *cursor, pcs_block_matrix *W)
{
    const bool symmetric = d->saddle->symmetric;
    memcpy(cursor, W->row_start, sizeof(int32_t) * (size_t)d->n);
    for (int32_t i = 0; i < d->n; ++i) {
        if (i % ROWS_PER_LOOK == 0)
            PCS_TRY(pcs_context_go_on(d->arena->ctx));
        for (int32_t e = symmetric ? W->diagonal[i] : W->row_start[i]; e < W->row_start[i + 1];
             ++e) {
            const int32_t j = W->column[e];
            double *block = W->value + W->value_start[e];
            add_block(d, &d->contact[i], &d->contact[j], block);
            if (symmetric && j > i) // row j meets its columns i < j in ascending order
                transpose_block(d->contact[i].row->size, d->contact[j].row->size, block,
                                W->value + W->value_start[cursor[j]++]);
        }
    }
    return PCS_OK;
}

// What the compression of K fills
typedef struct coupled_rows {
    int32_t n;
    int32_t *index;          // the contacts that touch coupled islands, ascending
    const pcs_row_block **H; // their rows
    int32_t *first;          // n+1: number of their first row
    int32_t *contact_of_row; // place in `index`
    const pcs_block_matrix *W;
} coupled_rows;

// W_ij += X_ij for the contacts of one tree of the elimination, which are all partners
static void put_compressed(void *user, int32_t n, const int32_t *row, const double *X,
                           int32_t row_length)
{
    const coupled_rows *c = user;
    const pcs_block_matrix *W = c->W;
    for (int32_t a = 0; a < n;) {
        const int32_t p = c->contact_of_row[row[a]], i = c->index[p], rows = c->H[p]->size;
        int32_t e = W->row_start[i];
        for (int32_t b = 0; b < n;) {
            const int32_t q = c->contact_of_row[row[b]], columns = c->H[q]->size;
            while (W->column[e] != c->index[q])
                ++e;
            double *block = W->value + W->value_start[e];
            for (int32_t r = 0; r < rows; ++r)
                for (int32_t k = 0; k < columns; ++k)
                    block[r * columns + k] += X[(int64_t)(a + r) * row_length + b + k];
            b += columns;
        }
        a += rows;
    }
}

// Coupled islands in blocks: both halves of the factors at once for all contacts
static pcs_status add_compressed(delassus *d, const pcs_block_matrix *W)
{
    int32_t rows = 0;
    coupled_rows c = {.W = W};
    c.index = PCS_ARENA_ARRAY(d->arena, int32_t, d->n);
    c.H = PCS_ARENA_ARRAY(d->arena, const pcs_row_block *, d->n);
    c.first = PCS_ARENA_ARRAY(d->arena, int32_t, d->n + 1);
    c.contact_of_row = PCS_ARENA_ARRAY(d->arena, int32_t, W->offset[d->n]);
    if (!c.index || !c.H || !c.first || !c.contact_of_row)
        return no_memory(d);
    for (int32_t i = 0; i < d->n; ++i) {
        if (!d->contact[i].coupled)
            continue;
        c.index[c.n] = i;
        c.H[c.n] = d->contact[i].row;
        c.first[c.n] = rows;
        for (int32_t r = 0; r < d->contact[i].row->size; ++r)
            c.contact_of_row[rows++] = c.n;
        ++c.n;
    }
    c.first[c.n] = rows;
    return pcs_kkt_blocks_compress(d->saddle->kkt->full.blocks, d->arena, c.n, c.H, c.first,
                                   put_compressed, &c);
}

// Columns of the coupled islands: W_ij += H_i x_j for all partners i of contact j
static pcs_status add_coupled(delassus *d, int32_t *cursor, pcs_block_matrix *W)
{
    const pcs_saddle *s = d->saddle;
    pcs_kkt *kkt = s->kkt;
    const int32_t size = kkt->n + kkt->m;
    memcpy(cursor, W->row_start, sizeof(int32_t) * (size_t)d->n);
    for (int32_t j = 0; j < d->n; ++j) {
        const contact *b = &d->contact[j];
        if (!b->coupled)
            continue;
        if (j % ROWS_PER_LOOK == 0)
            PCS_TRY(pcs_context_go_on(d->arena->ctx));
        const int32_t columns = b->row->size;
        const pcs_arena_mark mark = pcs_arena_get_mark(d->arena);
        double *z = PCS_ARENA_ARRAY(d->arena, double, (int64_t)size *columns);
        double *work = PCS_ARENA_ARRAY(d->arena, double, PCS_KKT_WORK(size, columns));
        if (!z || !work)
            return no_memory(d);
        memset(z, 0, sizeof(double) * (size_t)size * (size_t)columns);
        for (int32_t q = 0; q < b->row->n_nodes; ++q) {
            const int32_t node = b->row->node[q], width = s->node_size[node];
            for (int32_t c = 0; c < columns && kkt->place[node] >= 0; ++c)
                memcpy(z + (int64_t)c * size + kkt->place[node], b->row->J[q] + c * width,
                       sizeof(double) * (size_t)width);
        }
        pcs_kkt_solve(kkt, columns, z, work);
        for (int32_t e = W->row_start[j]; e < W->row_start[j + 1]; ++e) {
            const int32_t i = W->column[e]; // the pattern is symmetric: row i has a column j
            while (W->column[cursor[i]] != j)
                ++cursor[i];
            const pcs_row_block *row = d->contact[i].row;
            double *block = W->value + W->value_start[cursor[i]];
            for (int32_t q = 0; q < row->n_nodes; ++q) {
                const int32_t node = row->node[q], width = s->node_size[node];
                for (int32_t r = 0; r < row->size && kkt->place[node] >= 0; ++r)
                    for (int32_t c = 0; c < columns; ++c)
                        for (int32_t t = 0; t < width; ++t)
                            block[r * columns + c] += row->J[q][r * width + t] *
                                                      z[(int64_t)c * size + kkt->place[node] + t];
            }
        }
        pcs_arena_release(d->arena, mark);
    }
    return PCS_OK;
}

pcs_status pcs_saddle_delassus(pcs_saddle *saddle, int32_t n, const pcs_row_block *const *H,
                               pcs_arena *arena, pcs_block_matrix *W)
{
    memset(W, 0, sizeof *W);
    delassus d = {.saddle = saddle, .arena = arena, .n = n};
    PCS_TRY(list_members(&d, H));
    PCS_TRY(build_pattern(&d, W));
    const pcs_arena_mark mark = pcs_arena_get_mark(arena); // what follows is not part of W
    int32_t *cursor = PCS_ARENA_ARRAY(arena, int32_t, n);
    if (!cursor)
        return no_memory(&d);
    PCS_TRY(prepare_contacts(&d));
    PCS_TRY(fill_blocks(&d, cursor, W));
    if (saddle->kkt && saddle->kkt->full.by_blocks)
        PCS_TRY(add_compressed(&d, W));
    else if (saddle->kkt)
        PCS_TRY(add_coupled(&d, cursor, W));
    pcs_arena_release(arena, mark);
    return PCS_OK;
}
