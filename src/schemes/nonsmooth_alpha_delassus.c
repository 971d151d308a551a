// The Delassus operator W = H B H^T of the nonsmooth generalized-alpha scheme. On a mesh it costs
// about as much as a factorisation, and it often comes back: in the next correction, which uses the
// same factors, and in the next step, where M of the velocity problem is the same. A copy is kept
// for each saddle system, with the rows H that it belongs to; the same factors and the same bits of
// H give the same W.
#include <string.h>

#include "schemes/nonsmooth_alpha.h"

// Copies of W and H
static void *copy(pcs_arena *arena, const void *from, int64_t count, size_t size)
{
    void *to = pcs_arena_alloc(arena, (size_t)count, size);
    if (to)
        memcpy(to, from, (size_t)count * size);
    return to;
}

static int64_t value_count(const pcs_block_matrix *W)
{
    int64_t count = 0;
    for (int32_t i = 0; i < W->n; ++i)
        for (int32_t e = W->row_start[i]; e < W->row_start[i + 1]; ++e) {
            const int32_t j = W->column[e];
            const int64_t end = W->value_start[e] + (int64_t)(W->offset[i + 1] - W->offset[i]) *
                                                        (W->offset[j + 1] - W->offset[j]);
            count = end > count ? end : count;
        }
    return count;
}

// The pattern in one arena may serve values in another: it does not change.
static bool copy_values(pcs_arena *arena, const pcs_block_matrix *from, pcs_block_matrix *to)
{
    *to = *from;
    to->value = copy(arena, from->value, value_count(from), sizeof(double));
    return to->value != NULL;
}

static bool copy_matrix(pcs_arena *arena, const pcs_block_matrix *from, pcs_block_matrix *to)
{
    const int32_t n = from->n, entries = from->row_start[n];
    if (!copy_values(arena, from, to))
        return false;
    to->offset = copy(arena, from->offset, n + 1, sizeof(int32_t));
    to->row_start = copy(arena, from->row_start, n + 1, sizeof(int32_t));
    to->column = copy(arena, from->column, entries, sizeof(int32_t));
    to->value_start = copy(arena, from->value_start, entries, sizeof(int64_t));
    to->diagonal = copy(arena, from->diagonal, n, sizeof(int32_t));
    return to->offset && to->row_start && to->column && to->value_start && to->diagonal;
}

static bool copy_rows(const pcs_model *m, pcs_arena *arena, int32_t n,
                      const pcs_row_block *const *H, pcs_row_block *to)
{
    for (int32_t k = 0; k < n; ++k) {
        to[k] = *H[k];
        for (int32_t e = 0; e < to[k].n_nodes; ++e) {
            const int64_t count = to[k].size * pcs_model_node(m, to[k].node[e])->n_v;
            to[k].J[e] = copy(arena, H[k]->J[e], count, sizeof(double));
            if (!to[k].J[e])
                return false;
        }
    }
    return true;
}

static bool is_same(const pcs_model *m, const pcs_row_block *a, const pcs_row_block *b)
{
    bool same = a->size == b->size && a->n_nodes == b->n_nodes;
    for (int32_t e = 0; same && e < a->n_nodes; ++e)
        same = a->node[e] == b->node[e] &&
               memcmp(a->J[e], b->J[e],
                      sizeof(double) * (size_t)(a->size * pcs_model_node(m, a->node[e])->n_v)) == 0;
    return same;
}

static bool is_kept(const nonsmooth_alpha *s, const na_delassus *kept, int32_t n,
                    const pcs_row_block *const *H)
{
    bool same = kept->n == n && kept->factors == pcs_saddle_factorisations(s->used);
    for (int32_t k = 0; same && k < n; ++k)
        same = is_same(s->base.model, &kept->H[k], H[k]);
    return same;
}

static pcs_status keep(nonsmooth_alpha *s, na_delassus *kept, int32_t n,
                       const pcs_row_block *const *H, const pcs_block_matrix *W)
{
    kept->n = 0;
    PCS_TRY(pcs_na_reserve(s, &kept->arena, &kept->reserved, 0));
    kept->H = PCS_ARENA_ARRAY(&kept->arena, pcs_row_block, n);
    if (!kept->H || !copy_rows(s->base.model, &kept->arena, n, H, kept->H) ||
        !copy_matrix(&kept->arena, W, &kept->W))
        return pcs_error(s->base.ctx, PCS_ERROR_MEMORY, "no memory for %d contacts", (int)n);
    kept->n = n;
    kept->factors = pcs_saddle_factorisations(s->used);
    return PCS_OK;
}

pcs_status pcs_na_delassus(nonsmooth_alpha *s, int32_t n, const pcs_row_block *const *H,
                           pcs_block_matrix *W)
{
    na_delassus *kept = &s->kept[s->used != s->saddle];
    if (s->base.model->meshes.count == 0)
        return pcs_saddle_delassus(s->used, n, H, &s->arena, W);
    if (is_kept(s, kept, n, H)) {
        if (!copy_values(&s->arena, &kept->W, W))
            return pcs_error(s->base.ctx, PCS_ERROR_MEMORY, "no memory for %d contacts", (int)n);
        return PCS_OK;
    }
    PCS_TRY(pcs_saddle_delassus(s->used, n, H, &s->arena, W));
    ++s->counts.operators;
    return keep(s, kept, n, H, W);
}
