// Geometric stiffness of contacts, d(H^T r)/dq for fixed r.
//
// A contact with force F = r_N n + r_1 t_1 + r_2 t_2 pushes the two nodes with -+F at arms
// arm_k = point_k - x_k. For a virtual motion with twist (dx_k, w_k) of each node
//   d(force)  = +-F',                                            F' = r_N n' + r_1 t_1' + r_2 t_2'
//   d(torque) = R_k^T (arm_k' x F + arm_k x F' - w_k x (arm_k x F)),   arm_k' = point_k' - dx_k
// with torques in node axes. The rates n', t', point' are those of contact_rates.h, so that the
// curvature of spheres and curves is in it; unit motions give the columns. For a point on a plane
// it is H(w) of [Galvez2020, 4.37].
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/contact_kind.h"
#include "model/contact_pair.h"
#include "model/element.h"
#include "model/surface_contact.h"

static bool is_zero(const double *r)
{
    return r[0] == 0.0 && r[1] == 0.0 && r[2] == 0.0;
}

pcs_twist pcs_contact_unit_twist(pcs_node_kind kind, const pcs_pose *pose, int32_t component)
{
    double v[PCS_NODE_V_MAX] = {0};
    v[component] = 1.0;
    return pcs_node_twist(kind, pose, v);
}

// What a virtual motion does to a contact.
typedef struct variation {
    pcs_vec3 force, force_rate; // on b
    pcs_contact_rate rate;
} variation;

void pcs_contact_force_change(pcs_node_kind kind, const pcs_pose *pose, const pcs_twist *twist,
                              const pcs_contact_push *push, double *column)
{
    pcs_vec3 arm = pcs_v3_sub(push->point, pose->x);
    pcs_vec3 arm_rate = pcs_v3_sub(push->point_rate, twist->v);
    pcs_vec3 torque = pcs_v3_cross(arm, push->force);
    pcs_vec3 change = pcs_v3_add(pcs_v3_cross(arm_rate, push->force),
                                 pcs_v3_cross(arm, push->force_rate));
    pcs_node_row(kind, pose, push->force_rate, pcs_v3_sub(change, pcs_v3_cross(twist->w, torque)),
                 column);
}

typedef struct slot_view {
    const pcs_contact_pair *pair;
    const pcs_contact_motion *geometry; // without rates
    const pcs_contact_point *point;
    const pcs_contact *contact;
    const double *r;
    int32_t slot;
} slot_view;

// Rates of points and axes for twists of the two nodes.
static variation vary(const pcs_model *model, const pcs_configuration *c, const slot_view *s,
                      const pcs_twist twist[2])
{
    const pcs_pair *pair = &s->pair->pair;
    pcs_placement_rate rate[2] = {{{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}},
                                  {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}}};
    if (pair->a.node >= 0)
        rate[0] = pcs_contact_place_rate(&c->pose[pair->a.node], &twist[0], s->geometry->a);
    if (pair->b.node >= 0)
        rate[1] = pcs_contact_place_rate(&c->pose[pair->b.node], &twist[1], s->geometry->b);
    pcs_contact_motion motion = *s->geometry;
    motion.rate_a = &rate[0];
    motion.rate_b = &rate[1];
    variation out;
    pcs_contact_kind_find(s->pair->kind)->rate(&motion, s->slot, s->point, &out.rate);
    pcs_contact_rate_complete(&motion, s->point, &out.rate);

    const pcs_contact *contact = s->contact;
    pcs_vec3 axis_rate[3] = {out.rate.normal};
    pcs_contact_tangent_rates(model->dimension, &motion.a->R, rate[0].w, contact, out.rate.normal,
                              &axis_rate[1], &axis_rate[2]);
    const pcs_vec3 axis[3] = {contact->normal, contact->tangent1, contact->tangent2};
    out.force = out.force_rate = pcs_v3(0.0, 0.0, 0.0);
    for (int32_t i = 0; i < contact->row.size; i++) {
        out.force = pcs_v3_axpy(out.force, s->r[i], axis[i]);
        out.force_rate = pcs_v3_axpy(out.force_rate, s->r[i], axis_rate[i]);
    }
    return out;
}

static void add_slot(const pcs_model *model, const pcs_configuration *c, const slot_view *s,
                     double scale, pcs_saddle *saddle)
{
    const int32_t node[2] = {s->pair->pair.a.node, s->pair->pair.b.node};
    for (int l = 0; l < 2; l++) {
        if (node[l] < 0)
            continue;
        const pcs_node_kind kind = pcs_model_node(model, node[l])->kind;
        const int32_t m = pcs_node_v_size(kind);
        double block[2][PCS_NODE_V_MAX * PCS_NODE_V_MAX];
        for (int32_t j = 0; j < m; j++) {
            pcs_twist twist[2] = {{{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}},
                                  {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}}};
            twist[l] = pcs_contact_unit_twist(kind, &c->pose[node[l]], j);
            variation change = vary(model, c, s, twist);
            for (int k = 0; k < 2; k++) {
                if (node[k] < 0)
                    continue;
                const double sign = k == 0 ? -scale : scale;
                const pcs_contact_push push = {k == 0 ? s->point->point_a : s->point->point_b,
                                               k == 0 ? change.rate.point_a : change.rate.point_b,
                                               pcs_v3_scale(sign, change.force),
                                               pcs_v3_scale(sign, change.force_rate)};
                const pcs_node_kind rows = pcs_model_node(model, node[k])->kind;
                double column[PCS_NODE_V_MAX];
                pcs_contact_force_change(rows, &c->pose[node[k]], &twist[k], &push, column);
                for (int32_t i = 0; i < pcs_node_v_size(rows); i++)
                    block[k][i * m + j] = column[i];
            }
        }
        for (int k = 0; k < 2; k++)
            if (node[k] >= 0)
                pcs_element_add_block(model, saddle, node[k], node[l], block[k]);
    }
}

static void add_pair(const pcs_model *model, const pcs_configuration *c,
                     const pcs_contact_pair *pair, const pcs_contact *contacts, const double *r,
                     double scale, pcs_saddle *saddle)
{
    bool any = false;
    for (int32_t i = 0; i < pair->n_slots; i++)
        any = any || !is_zero(r + 3 * i);
    if (!any)
        return;
    pcs_contact_sizes sizes = pcs_contact_pair_sizes(model, c, pair);
    pcs_placement a = pcs_contact_place(c, &pair->pair.a), b = pcs_contact_place(c, &pair->pair.b);
    pcs_contact_point points[PCS_CONTACT_SLOTS_MAX];
    pcs_contact_pair_points(pair, &sizes, &a, &b, points);
    pcs_contact_motion geometry = {&sizes, &a, &b, NULL, NULL};
    for (int32_t i = 0; i < pair->n_slots; i++) {
        if (is_zero(r + 3 * i) || !isfinite(points[i].gap))
            continue;
        slot_view s = {pair, &geometry, &points[i], &contacts[i], r + 3 * i, i};
        add_slot(model, c, &s, scale, saddle);
    }
}

static void add_limit(const pcs_model *model, const pcs_configuration *c, const pcs_limit *limit,
                      double force, pcs_saddle *saddle)
{
    const pcs_joint *joint = &model->joints.data[limit->joint];
    const pcs_coordinate *x = &joint->coordinate[limit->coordinate];
    if (force == 0.0 || pcs_coordinate_is_flat(x, model->dimension))
        return;
    pcs_pair_state pair = pcs_configuration_pair(model, c, &joint->pair);
    double K[12][12];
    pcs_coordinate_geometric(x, &pair, limit->side * force, K);
    pcs_element_add_geometric(model, &joint->pair, (const double(*)[12])K, 1.0, saddle);
}

void pcs_model_contact_tangent(const pcs_model *model, const pcs_configuration *c,
                               const pcs_contact *contacts, const double *r, double scale,
                               pcs_saddle *saddle)
{
    for (int32_t i = 0; i < model->contact_pairs.count; i++) {
        const pcs_contact_pair *pair = &model->contact_pairs.data[i];
        const int32_t first = pair->first_slot;
        add_pair(model, c, pair, contacts + first, r + 3 * first, scale, saddle);
    }
    for (int32_t i = 0; i < model->limits.count; i++) {
        const pcs_limit *limit = &model->limits.data[i];
        add_limit(model, c, limit, scale * r[3 * limit->slot], saddle);
    }
    pcs_surface_contacts_tangent(model, c, contacts, r, scale, saddle);
}

// ---- Pattern ----

static int compare_pairs(const void *a, const void *b)
{
    const int32_t *p = a, *q = b;
    if (p[0] != q[0])
        return p[0] < q[0] ? -1 : 1;
    return p[1] < q[1] ? -1 : p[1] > q[1];
}

static int32_t put_pair(const pcs_pair *pair, int32_t (*list)[2], int32_t n)
{
    const int32_t i = pair->a.node, j = pair->b.node;
    if (i < 0 || j < 0 || i == j)
        return n;
    list[n][0] = i < j ? i : j;
    list[n][1] = i < j ? j : i;
    return n + 1;
}

pcs_status pcs_model_contact_pairs(pcs_context *ctx, const pcs_model *model, int32_t (**pairs)[2],
                                   int32_t *n)
{
    int64_t most = (int64_t)*n + model->contact_pairs.count + model->limits.count;
    for (int32_t k = 0; k < model->surface_contacts.count; k++)
        most += model->surface_contacts.data[k].n_nodes;
    int32_t(*list)[2] = pcs_calloc(ctx, (size_t)most, sizeof *list);
    int32_t count = *n, unique = 0;
    if (!list)
        return PCS_ERROR_MEMORY;
    if (count > 0)
        memcpy(list, *pairs, sizeof *list * (size_t)count);
    for (int32_t i = 0; i < model->contact_pairs.count; i++)
        count = put_pair(&model->contact_pairs.data[i].pair, list, count);
    for (int32_t i = 0; i < model->limits.count; i++) {
        const pcs_limit *limit = &model->limits.data[i];
        const pcs_joint *joint = &model->joints.data[limit->joint];
        if (!pcs_coordinate_is_flat(&joint->coordinate[limit->coordinate], model->dimension))
            count = put_pair(&joint->pair, list, count);
    }
    for (int32_t k = 0; k < model->surface_contacts.count; k++) {
        const pcs_surface_contact *contact = &model->surface_contacts.data[k];
        for (int32_t i = 0; i < contact->n_nodes && contact->target < 0; i++) {
            const pcs_pair pair = {.a = contact->frame, .b = {.node = contact->node[i]}};
            count = put_pair(&pair, list, count);
        }
    }
    if (count > 0)
        qsort(list, (size_t)count, sizeof *list, compare_pairs);
    for (int32_t i = 0; i < count; i++)
        if (unique == 0 || compare_pairs(list[i], list[unique - 1]) != 0)
            memmove(list[unique++], list[i], sizeof *list);
    pcs_free(ctx, *pairs);
    *pairs = list;
    *n = unique;
    return PCS_OK;
}
