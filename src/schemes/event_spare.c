// Closed contacts that others can do without. Four corners of a box on a floor share the load in
// many ways: their normal rows depend on each other. Motion without friction does not feel the
// difference, but friction that follows the normal forces does, when the corners slide in different
// directions. Then the accelerations are not unique, and the two places that compute them, the
// phase and the problem of the status, would choose differently. So contacts are put aside until
// the rows of the others are independent: with W_N z = 0 and the forces r_N >= 0 of the status, r_N
// - t z stays >= 0 up to the t at which the first of them vanishes; that contact carries nothing
// from then on. Its gap is watched like that of an open one.
//
// Contacts with the same rows, the same law and the same slip are one contact given several times:
// all but the first go at once, since whatever they share moves nothing.
#include <string.h>

#include "base/hash.h"
#include "schemes/event_driven.h"

// Pivots of W_N below this part of its diagonal are zero.
#define DEPENDENT 1e-9

// A vector z with W z = 0, W symmetric positive semidefinite n x n, by elimination with the largest
// diagonal pivots; false if there is none. W is overwritten.
static bool find_null_vector(int32_t n, double *W, int32_t *order, double *z)
{
    int32_t rank = 0;
    double largest = 0;
    for (int32_t i = 0; i < n; ++i) {
        order[i] = i;
        largest = fmax(largest, W[i * n + i]);
    }
    for (; rank < n; ++rank) {
        int32_t best = rank;
        for (int32_t i = rank; i < n; ++i)
            best = W[order[i] * n + order[i]] > W[order[best] * n + order[best]] ? i : best;
        const int32_t swap = order[rank];
        order[rank] = order[best];
        order[best] = swap;
        const int32_t p = order[rank];
        const double pivot = W[p * n + p];
        if (!(pivot > DEPENDENT * largest))
            break;
        for (int32_t i = rank + 1; i < n; ++i) {
            double *row = W + order[i] * n;
            const double factor = row[p] / pivot;
            for (int32_t j = rank + 1; j < n; ++j)
                row[order[j]] -= factor * W[p * n + order[j]];
        }
    }
    if (rank == n)
        return false;
    for (int32_t i = 0; i < n; ++i)
        z[i] = 0;
    z[order[rank]] = 1; // free; the pivots follow from their rows, last first
    for (int32_t i = rank - 1; i >= 0; --i) {
        const double *row = W + order[i] * n;
        double sum = 0;
        for (int32_t j = i + 1; j <= rank; ++j)
            sum += row[order[j]] * z[order[j]];
        z[order[i]] = -sum / row[order[i]];
    }
    return true;
}

// Normal part of the set's W, dense.
static pcs_status normal_matrix(event_driven *s, double *W_N)
{
    const pcs_ed_set *set = &s->set;
    pcs_block_matrix W;
    PCS_TRY(pcs_saddle_delassus(s->saddle, set->n, set->H, &s->arena, &W));
    memset(W_N, 0, sizeof(double) * (size_t)set->n * (size_t)set->n);
    for (int32_t i = 0, k = 0; i < set->n; ++i)
        for (; k < W.row_start[i + 1]; ++k)
            W_N[i * set->n + W.column[k]] = W.value[W.value_start[k]];
    return PCS_OK;
}

static pcs_status find_in_arena(event_driven *s, int32_t *slot)
{
    const pcs_ed_set *set = &s->set;
    double *W_N = PCS_ARENA_ARRAY(&s->arena, double, (int64_t)set->n * set->n);
    double *z = PCS_ARENA_ARRAY(&s->arena, double, set->n);
    int32_t *order = PCS_ARENA_ARRAY(&s->arena, int32_t, set->n);
    if (!W_N || !z || !order)
        return PCS_ERROR_MEMORY;
    PCS_TRY(normal_matrix(s, W_N));
    if (!find_null_vector(set->n, W_N, order, z))
        return PCS_OK;
    double least = HUGE_VAL, most = 0;
    for (int32_t i = 0; i < set->n; ++i)
        most = fmax(most, fabs(z[i]));
    for (int32_t i = 0; i < set->n; ++i) {
        const double way = fmax(s->warm[3 * set->slot[i]], 0) / fabs(z[i]);
        if (fabs(z[i]) > DEPENDENT * most && z[i] > 0 && way < least) {
            least = way;
            *slot = set->slot[i];
        }
    }
    return PCS_OK;
}

// ---- Contacts given several times ----

static bool slides(const event_driven *s, int32_t slot)
{
    return s->phase.mode[slot] == PCS_MODE_SLIDE && s->contacts[slot].law.friction > 0 &&
           s->contacts[slot].row.size > 1;
}

// Numbers of block k of a contact's row
static size_t block_bytes(const event_driven *s, const pcs_row_block *row, int32_t k)
{
    return sizeof(double) * (size_t)(row->size * pcs_model_node(s->base.model, row->node[k])->n_v);
}

static uint64_t hash_rows(const event_driven *s, const pcs_row_block *row)
{
    uint64_t hash = pcs_hash_bytes(PCS_HASH_START, row->node,
                                   sizeof *row->node * (size_t)row->n_nodes);
    for (int32_t k = 0; k < row->n_nodes; ++k)
        hash = pcs_hash_bytes(hash, row->J[k], block_bytes(s, row, k));
    return hash;
}

static bool are_alike(const event_driven *s, const pcs_contact *a, const pcs_contact *b)
{
    const pcs_row_block *x = &a->row, *y = &b->row;
    const size_t vector = sizeof(double) * (size_t)x->size;
    if (x->size != y->size || x->n_nodes != y->n_nodes || a->law.friction != b->law.friction ||
        memcmp(a->surface, b->surface, vector) != 0 ||
        memcmp(a->convective, b->convective, vector) != 0 ||
        memcmp(x->node, y->node, sizeof *x->node * (size_t)x->n_nodes) != 0)
        return false;
    for (int32_t k = 0; k < x->n_nodes; ++k)
        if (memcmp(x->J[k], y->J[k], block_bytes(s, x, k)) != 0)
            return false;
    return true;
}

// Puts aside each sliding contact that is like an earlier one; chains of equal hashes by slot.
static pcs_status put_copies_aside(event_driven *s, bool *found)
{
    const int32_t slots = s->base.model->n_slots;
    int32_t *first = PCS_ARENA_ARRAY(&s->arena, int32_t, slots);
    int32_t *next = PCS_ARENA_ARRAY(&s->arena, int32_t, slots);
    if (!first || !next)
        return PCS_ERROR_MEMORY;
    for (int32_t i = 0; i < slots; ++i)
        first[i] = -1;
    for (int32_t i = 0; i < slots; ++i) {
        if (!slides(s, i))
            continue;
        int32_t *chain = &first[hash_rows(s, &s->contacts[i].row) % (uint64_t)slots];
        int32_t other = *chain;
        while (other >= 0 && !are_alike(s, &s->contacts[other], &s->contacts[i]))
            other = next[other];
        if (other >= 0) {
            s->spare[i] = *found = true;
            continue;
        }
        next[i] = *chain;
        *chain = i;
    }
    return PCS_OK;
}

// ---- Both ----

static pcs_status find_dependent(event_driven *s, bool *found)
{
    pcs_ed_set_of_phase(s);
    int32_t slot = -1;
    PCS_TRY(find_in_arena(s, &slot));
    if (slot >= 0)
        s->spare[slot] = *found = true;
    return PCS_OK;
}

pcs_status pcs_ed_put_aside(event_driven *s, bool *found)
{
    int32_t sliding = 0;
    *found = false;
    for (int32_t i = 0; i < s->base.model->n_slots; ++i)
        sliding += slides(s, i);
    if (sliding < 2) // all that follow one force slide alike
        return PCS_OK;
    pcs_arena_mark mark = pcs_arena_get_mark(&s->arena);
    pcs_status status = put_copies_aside(s, found);
    if (status >= 0 && !*found)
        status = find_dependent(s, found);
    pcs_arena_release(&s->arena, mark);
    return status;
}
