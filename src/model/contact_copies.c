// Contacts that are given more than once: the same pair of shapes at the same places, with the same
// law. Their rows H and their cones K are the same, so that all of them together do what one does:
//     r_1, ..., r_n in K,  H^T (r_1 + ... + r_n) = H^T r    with r = sum r_i in K,
// and whatever they share moves nothing. The first one stands for all: the slots of the others have
// no contact point in any scheme (gap HUGE_VAL) and cost nothing. Who asks for the force of one of
// them gets the n-th part.
#include <string.h>

#include "base/hash.h"
#include "geometry/curve.h"
#include "model/model.h"

static bool is_same_attachment(const pcs_attachment *a, const pcs_attachment *b)
{
    return a->node == b->node && memcmp(&a->p, &b->p, sizeof a->p) == 0 &&
           memcmp(&a->R, &b->R, sizeof a->R) == 0;
}

// A formula longer than this is taken for one of its own.
enum { FORMULA_LENGTH = 1024 };

static bool is_same_formula(const pcs_formula *a, const pcs_formula *b)
{
    char text[2][FORMULA_LENGTH];
    if (!a || !b)
        return a == b;
    const int length = pcs_formula_print(a, text[0], FORMULA_LENGTH);
    return length > 0 && length < FORMULA_LENGTH &&
           pcs_formula_print(b, text[1], FORMULA_LENGTH) == length && strcmp(text[0], text[1]) == 0;
}

static bool is_same_surface(const pcs_contact_pair *a, const pcs_contact_pair *b)
{
    for (int k = 0; k < 2; ++k)
        if (!is_same_formula(a->surface[k], b->surface[k]) ||
            (!a->surface[k] && a->surface_number[k] != b->surface_number[k]))
            return false;
    return true;
}

static bool is_same(const pcs_contact_pair *a, const pcs_contact_pair *b)
{
    if (a->kind != b->kind || a->radius_a != b->radius_a || a->radius_b != b->radius_b ||
        a->width != b->width || a->closed != b->closed || a->n_vertices != b->n_vertices ||
        !a->curve != !b->curve || !is_same_attachment(&a->pair.a, &b->pair.a) ||
        !is_same_attachment(&a->pair.b, &b->pair.b))
        return false;
    if (memcmp(&a->size, &b->size, sizeof a->size) != 0 ||
        memcmp(&a->extent, &b->extent, sizeof a->extent) != 0 ||
        memcmp(&a->law, &b->law, sizeof a->law) != 0)
        return false;
    if (a->n_vertices > 0 &&
        memcmp(a->vertices, b->vertices, sizeof *a->vertices * (size_t)a->n_vertices) != 0)
        return false;
    return is_same_surface(a, b) && (!a->curve || pcs_curve_is_same(a->curve, b->curve));
}

static uint64_t hash_pair(const pcs_contact_pair *pair)
{
    const pcs_attachment *ends[2] = {&pair->pair.a, &pair->pair.b};
    uint64_t hash = pcs_hash_bytes(PCS_HASH_START, &pair->kind, sizeof pair->kind);
    for (int k = 0; k < 2; ++k) {
        hash = pcs_hash_bytes(hash, &ends[k]->node, sizeof ends[k]->node);
        hash = pcs_hash_bytes(hash, &ends[k]->p, sizeof ends[k]->p);
        hash = pcs_hash_bytes(hash, &ends[k]->R, sizeof ends[k]->R);
    }
    hash = pcs_hash_bytes(hash, &pair->law, sizeof pair->law);
    return pcs_hash_bytes(hash, &pair->radius_b, sizeof pair->radius_b);
}

// Chains of equal hashes; `next` and `first` have a number for each pair. Returns the copies found.
static int32_t compare_pairs(pcs_model *model, int32_t *first, int32_t *next)
{
    const int32_t n = model->contact_pairs.count;
    pcs_contact_pair *pairs = model->contact_pairs.data;
    int32_t found = 0;
    for (int32_t i = 0; i < n; ++i)
        first[i] = -1;
    for (int32_t i = 0; i < n; ++i) {
        int32_t *chain = &first[hash_pair(&pairs[i]) % (uint64_t)n];
        int32_t other = *chain;
        while (other >= 0 && !is_same(&pairs[other], &pairs[i]))
            other = next[other];
        pairs[i].copy_of = other;
        if (other >= 0) {
            ++found;
            continue;
        }
        next[i] = *chain;
        *chain = i;
    }
    return found;
}

static pcs_status number_copies(pcs_model *model)
{
    const pcs_contact_pair *pairs = model->contact_pairs.data;
    model->stand_in = PCS_NEW_ARRAY(model->ctx, int32_t, model->n_slots);
    model->times_given = PCS_NEW_ARRAY(model->ctx, int32_t, model->n_slots);
    if (!model->stand_in || !model->times_given)
        return PCS_ERROR_MEMORY;
    for (int32_t i = 0; i < model->n_slots; ++i)
        model->stand_in[i] = i;
    for (int32_t i = 0; i < model->contact_pairs.count; ++i)
        for (int32_t k = 0; pairs[i].copy_of >= 0 && k < pairs[i].n_slots; ++k)
            model->stand_in[pairs[i].first_slot + k] = pairs[pairs[i].copy_of].first_slot + k;
    for (int32_t i = 0; i < model->n_slots; ++i) // in the place of the first
        ++model->times_given[model->stand_in[i]];
    for (int32_t i = 0; i < model->n_slots; ++i)
        model->times_given[i] = model->times_given[model->stand_in[i]];
    return PCS_OK;
}

pcs_status pcs_model_find_copies(pcs_model *model)
{
    const int32_t n = model->contact_pairs.count;
    if (n == 0)
        return PCS_OK;
    int32_t *first = PCS_NEW_ARRAY(model->ctx, int32_t, n);
    int32_t *next = PCS_NEW_ARRAY(model->ctx, int32_t, n);
    int32_t found = 0;
    if (first && next)
        found = compare_pairs(model, first, next);
    pcs_status status = !first || !next ? PCS_ERROR_MEMORY : PCS_OK;
    pcs_free(model->ctx, first);
    pcs_free(model->ctx, next);
    return found > 0 ? number_copies(model) : status;
}
