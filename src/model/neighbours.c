#include "model/neighbours.h"

#include <math.h>
#include <string.h>

#include "math/vector.h"
#include "model/model.h"

static bool is_centred(const pcs_attachment *at)
{
    return at->node < 0 || (at->p.x == 0 && at->p.y == 0 && at->p.z == 0);
}

static bool may_be_far(const pcs_contact_pair *pair)
{
    return pair->kind == PCS_CONTACT_SPHERE_SPHERE && pair->copy_of < 0 &&
           is_centred(&pair->pair.a) && is_centred(&pair->pair.b);
}

static void add_pair(pcs_neighbours *n, const pcs_contact_pair *pair)
{
    const pcs_attachment *a = &pair->pair.a, *b = &pair->pair.b;
    n->sphere[n->n_spheres++] = (pcs_sphere_pair){.slot = pair->first_slot,
                                                  .node_a = a->node,
                                                  .node_b = b->node,
                                                  .radius_a = pair->radius_a,
                                                  .radius_b = pair->radius_b,
                                                  .fixed = a->node < 0 ? a->p : b->p};
    n->smallest = fmin(n->smallest, fmin(pair->radius_a, pair->radius_b));
}

static pcs_status find_nodes(pcs_context *ctx, pcs_neighbours *n)
{
    bool *has = PCS_NEW_ARRAY(ctx, bool, n->model->nodes.count);
    if (!has)
        return PCS_ERROR_MEMORY;
    for (int32_t i = 0; i < n->n_spheres; ++i) {
        const int32_t nodes[2] = {n->sphere[i].node_a, n->sphere[i].node_b};
        for (int side = 0; side < 2; ++side)
            if (nodes[side] >= 0 && !has[nodes[side]]) {
                has[nodes[side]] = true;
                n->node[n->n_nodes++] = nodes[side];
            }
    }
    pcs_free(ctx, has);
    return PCS_OK;
}

pcs_status pcs_neighbours_init(pcs_context *ctx, const pcs_model *model, pcs_neighbours *n)
{
    const int32_t pairs = model->contact_pairs.count;
    *n = (pcs_neighbours){.model = model, .smallest = HUGE_VAL};
    n->sphere = PCS_NEW_ARRAY(ctx, pcs_sphere_pair, pairs);
    n->node = PCS_NEW_ARRAY(ctx, int32_t, model->nodes.count);
    n->pair_slot = PCS_NEW_ARRAY(ctx, int32_t, pairs);
    n->far = PCS_NEW_ARRAY(ctx, bool, model->n_slots);
    n->pair = PCS_NEW_ARRAY(ctx, int32_t, pairs);
    n->near = PCS_NEW_ARRAY(ctx, int32_t, model->n_slots);
    if (!n->sphere || !n->node || !n->pair_slot || !n->far || !n->pair || !n->near)
        return PCS_ERROR_MEMORY;
    for (int32_t i = 0; i < pairs; ++i) {
        const pcs_contact_pair *pair = &model->contact_pairs.data[i];
        n->pair_slot[i] = pair->first_slot;
        if (may_be_far(pair))
            add_pair(n, pair);
    }
    return find_nodes(ctx, n);
}

void pcs_neighbours_free(pcs_context *ctx, pcs_neighbours *n)
{
    void *arrays[] = {n->sphere, n->node, n->pair_slot, n->far, n->pair, n->near};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i)
        pcs_free(ctx, arrays[i]);
}

void pcs_neighbours_find(pcs_neighbours *n, const double *gap, const double *r, double reach)
{
    for (int32_t i = 0; i < n->n_spheres; ++i) {
        const int32_t slot = n->sphere[i].slot;
        n->far[slot] = gap[slot] > 2 * reach && r[3 * slot] == 0;
    }
    n->n_pairs = n->n_near = 0;
    for (int32_t i = 0; i < n->model->contact_pairs.count; ++i)
        if (!n->far[n->pair_slot[i]])
            n->pair[n->n_pairs++] = i;
    for (int32_t i = 0; i < n->model->n_slots; ++i)
        if (!n->far[i])
            n->near[n->n_near++] = i;
}

double pcs_neighbours_moved(const pcs_neighbours *n, const pcs_configuration *from,
                            const pcs_configuration *to)
{
    double most = 0, sum = 0;
    for (int32_t i = 0; i < n->n_nodes; ++i) {
        const pcs_vec3 d = pcs_v3_sub(to->pose[n->node[i]].x, from->pose[n->node[i]].x);
        const double square = pcs_v3_dot(d, d);
        most = fmax(most, square);
        sum += square;
    }
    return isfinite(sum) ? sqrt(most) : HUGE_VAL; // the maximum does not see a NaN
}

double pcs_neighbours_speed(const pcs_neighbours *n, const double *v)
{
    double most = 0, sum = 0;
    for (int32_t i = 0; i < n->n_nodes; ++i) {
        const pcs_node *node = pcs_model_node(n->model, n->node[i]);
        double square = 0;
        for (int32_t j = 0; j < node->n_v && j < pcs_node_translations(node->kind); ++j)
            square += v[node->v + j] * v[node->v + j];
        most = fmax(most, square);
        sum += square;
    }
    return isfinite(sum) ? sqrt(most) : HUGE_VAL;
}

void pcs_neighbours_contacts(const pcs_neighbours *n, const pcs_configuration *c, bool rows,
                             pcs_contact *contacts)
{
    pcs_model_contacts_of(n->model, c, rows, n->n_pairs, n->pair, contacts);
}

void pcs_neighbours_gaps(const pcs_neighbours *n, const pcs_configuration *c,
                         const pcs_contact *contacts, double *gap)
{
    for (int32_t k = 0; k < n->n_near; ++k)
        gap[n->near[k]] = contacts[n->near[k]].gap;
    for (int32_t i = 0; i < n->n_spheres; ++i) {
        const pcs_sphere_pair *pair = &n->sphere[i];
        if (!n->far[pair->slot])
            continue;
        const pcs_vec3 a = pair->node_a < 0 ? pair->fixed : c->pose[pair->node_a].x;
        const pcs_vec3 b = pair->node_b < 0 ? pair->fixed : c->pose[pair->node_b].x;
        gap[pair->slot] = pcs_v3_norm(pcs_v3_sub(b, a)) - pair->radius_a - pair->radius_b;
    }
}
