// Contacts of surfaces: gaps, rows, accelerations, slip and tangents of their slots.
//
// With the weights w_k and points of a touch (contact_touch.h),
//   u_e = e . sum_k w_k V_k + surface,   V_k = v_k + omega_k x (point_k - x_k),   e = n, t1, t2,
// and along a motion with v' = 0
//   convective_e = sum_k ( w_k e' . V_k + w_k' e . V_k + w_k e . (omega_k x (point_k' - v_k)) ).
#include "model/surface_contact.h"

#include <math.h>
#include <string.h>

#include "model/contact_pair.h"
#include "model/contact_touch.h"
#include "model/element.h"

void pcs_mesh_surface_free(pcs_context *ctx, pcs_mesh_surface *surface)
{
    pcs_free(ctx, surface->node);
    pcs_free(ctx, surface->face);
    pcs_free(ctx, surface->corner);
    pcs_free(ctx, surface->neighbour);
    pcs_free(ctx, surface->edge_start);
    pcs_free(ctx, surface->edge_node);
    pcs_bounding_tree_destroy(ctx, surface->tree);
}

void pcs_surface_contact_free(pcs_context *ctx, pcs_surface_contact *contact)
{
    pcs_formula_destroy(contact->surface[0]);
    pcs_formula_destroy(contact->surface[1]);
    pcs_free(ctx, contact->node);
    pcs_free(ctx, contact->skin_place);
    pcs_free(ctx, contact->name);
}

// ---- Gaps and rows ----

int32_t pcs_surface_contact_nodes(const pcs_model *model, int32_t slot, int32_t face,
                                  int32_t node[PCS_ROW_NODES_MAX])
{
    for (int32_t k = 0; k < model->surface_contacts.count; k++) {
        const pcs_surface_contact *contact = &model->surface_contacts.data[k];
        const int32_t i = slot - contact->first_slot;
        if (i < 0 || i >= contact->n_nodes || contact->target < 0)
            continue;
        const pcs_mesh_surface *surface = &model->surfaces.data[contact->target];
        const int32_t place = pcs_touch_face_of(face);
        int32_t n = 0;
        node[n++] = contact->node[i];
        for (int32_t j = 0; j < PCS_FACE_NODES_MAX && place >= 0 && place < surface->n_faces; j++)
            if (surface->face[place][j] >= 0)
                node[n++] = surface->face[place][j];
        return n;
    }
    return 0;
}

static void fill_rows(const pcs_model *model, const pcs_configuration *c, const pcs_touch *touch,
                      pcs_contact *slot)
{
    const pcs_vec3 axis[3] = {slot->normal, slot->tangent1, slot->tangent2};
    pcs_row_block *row = &slot->row;
    row->n_nodes = touch->n_sides;
    for (int32_t k = 0; k < touch->n_sides; k++) {
        const int32_t node = touch->node[k];
        const pcs_pose *pose = &c->pose[node];
        const pcs_node_kind kind = pcs_model_node(model, node)->kind;
        const int32_t stride = pcs_node_v_size(kind);
        const pcs_vec3 arm = pcs_v3_sub(touch->point[k], pose->x);
        row->node[k] = node;
        row->J[k] = slot->J[k];
        for (int32_t i = 0; i < row->size; i++) {
            const pcs_vec3 d = pcs_v3_scale(touch->weight[k], axis[i]);
            pcs_node_row(kind, pose, d, pcs_v3_cross(arm, d), slot->J[k] + i * stride);
        }
    }
}

static bool has_surface_speed(const pcs_surface_contact *contact)
{
    return contact->row_size > 1 &&
           (contact->surface[0] || contact->surface[1] || contact->surface_number[0] != 0.0 ||
            contact->surface_number[1] != 0.0);
}

static void evaluate(const pcs_model *model, const pcs_configuration *c,
                     const pcs_surface_contact *contact, bool rows, pcs_contact *slots)
{
    const bool driven = rows && has_surface_speed(contact);
    pcs_vec3 speed = {0.0, 0.0, 0.0};
    if (driven) {
        const pcs_placement frame = pcs_contact_place(c, &contact->frame);
        speed = pcs_contact_surface_velocity(c, contact->surface, contact->surface_number,
                                             &frame.R);
    }
    for (int32_t i = 0; i < contact->n_nodes; i++) {
        pcs_contact *slot = &slots[i];
        pcs_touch touch;
        pcs_touch_find(model, c, contact, i, &touch);
        slot->gap = touch.gap;
        slot->face = touch.face;
        slot->edge = touch.edge;
        slot->next_face = touch.next_face;
        slot->point = touch.point[0];
        slot->normal = touch.normal;
        slot->law = contact->law;
        if (!rows)
            continue;
        pcs_contact_set_tangents(model->dimension, touch.axis, slot);
        slot->surface[0] = 0.0;
        slot->surface[1] = driven ? -pcs_v3_dot(speed, slot->tangent1) : 0.0;
        slot->surface[2] = driven ? -pcs_v3_dot(speed, slot->tangent2) : 0.0;
        slot->row.size = contact->row_size;
        fill_rows(model, c, &touch, slot);
    }
}

void pcs_surface_contacts_evaluate(const pcs_model *model, const pcs_configuration *c, bool rows,
                                   pcs_contact *contacts)
{
    for (int32_t k = 0; k < model->surface_contacts.count; k++) {
        const pcs_surface_contact *contact = &model->surface_contacts.data[k];
        evaluate(model, c, contact, rows, contacts + contact->first_slot);
    }
}

// ---- Accelerations ----

static void convective(const pcs_model *model, const pcs_configuration *c,
                       const pcs_surface_contact *contact, int32_t node, pcs_contact *slot)
{
    pcs_touch touch;
    pcs_touch_rate rate;
    pcs_twist twist[PCS_ROW_NODES_MAX];
    pcs_touch_find(model, c, contact, node, &touch);
    memset(slot->convective, 0, sizeof slot->convective);
    if (!isfinite(touch.gap))
        return;
    for (int32_t k = 0; k < touch.n_sides; k++)
        twist[k] = c->twist[touch.node[k]];
    pcs_touch_rates(model, c, contact, &touch, slot, twist, &rate);
    const pcs_vec3 axis[3] = {slot->normal, slot->tangent1, slot->tangent2};
    for (int32_t k = 0; k < touch.n_sides; k++) {
        const pcs_vec3 arm = pcs_v3_sub(touch.point[k], c->pose[touch.node[k]].x);
        const pcs_vec3 velocity = pcs_v3_add(twist[k].v, pcs_v3_cross(twist[k].w, arm));
        const pcs_vec3 change = pcs_v3_cross(twist[k].w, pcs_v3_sub(rate.point[k], twist[k].v));
        for (int32_t i = 0; i < contact->row_size; i++)
            slot->convective[i] += touch.weight[k] * pcs_v3_dot(rate.axis[i], velocity) +
                                   rate.weight[k] * pcs_v3_dot(axis[i], velocity) +
                                   touch.weight[k] * pcs_v3_dot(axis[i], change);
    }
    if (!has_surface_speed(contact))
        return;
    const pcs_mat3 *R = &touch.frame.R;
    const pcs_vec3 w = touch.n_sides > 1 ? twist[1].w : pcs_v3(0.0, 0.0, 0.0);
    const pcs_vec3 speed = pcs_contact_surface_velocity(c, contact->surface,
                                                        contact->surface_number, R);
    const pcs_vec3 speed_rate = pcs_contact_surface_rate(c, contact->surface, R, w, speed);
    for (int32_t i = 1; i < contact->row_size; i++)
        slot->convective[i] -= pcs_v3_dot(axis[i], speed_rate) + pcs_v3_dot(rate.axis[i], speed);
}

void pcs_surface_contacts_convective(const pcs_model *model, const pcs_configuration *c,
                                     pcs_contact *contacts)
{
    for (int32_t k = 0; k < model->surface_contacts.count; k++) {
        const pcs_surface_contact *contact = &model->surface_contacts.data[k];
        for (int32_t i = 0; i < contact->n_nodes; i++)
            convective(model, c, contact, i, &contacts[contact->first_slot + i]);
    }
}

// ---- Slip ----

static bool has_moved(const pcs_model *model, const pcs_configuration *from,
                      const pcs_configuration *to, const pcs_row_block *row)
{
    for (int32_t k = 0; k < row->n_nodes; k++) {
        const pcs_node *node = pcs_model_node(model, row->node[k]);
        if (memcmp(from->q + node->q, to->q + node->q, sizeof(double) * (size_t)node->n_q) != 0)
            return true;
    }
    return false;
}

// On faces: the place of the node seen from the material that was under it at the start of the
// step, x(to) - sum N_i(from) x_i(to), along the tangents of the end. The weights N are in the
// normal row.
static void slip_on_face(const pcs_model *model, const pcs_configuration *from,
                         const pcs_contact *at_from, const pcs_configuration *to,
                         const pcs_contact *at_to, int32_t node, double *slip)
{
    const pcs_row_block *row = &at_from->row;
    pcs_vec3 way = to->pose[node].x;
    if (!has_moved(model, from, to, row))
        return;
    for (int32_t k = 1; k < row->n_nodes; k++) {
        const double *J = row->J[k], *n = &at_from->normal.x;
        double weight = 0.0;
        for (int32_t j = 0; j < model->dimension; j++)
            weight += J[j] * n[j];
        way = pcs_v3_axpy(way, weight, to->pose[row->node[k]].x);
    }
    slip[0] = pcs_v3_dot(at_to->tangent1, way);
    if (at_to->row.size > 2)
        slip[1] = pcs_v3_dot(at_to->tangent2, way);
}

static void slip_on_shape(const pcs_surface_contact *contact, const pcs_configuration *from,
                          const pcs_contact *at_from, const pcs_configuration *to,
                          const pcs_contact *at_to, double *slip)
{
    const pcs_placement a0 = pcs_contact_place(from, &contact->frame);
    const pcs_placement a1 = pcs_contact_place(to, &contact->frame);
    const pcs_vec3 d0 = pcs_m3_tmul_v3(&a0.R, pcs_v3_sub(at_from->point, a0.x));
    const pcs_vec3 d1 = pcs_m3_tmul_v3(&a1.R, pcs_v3_sub(at_to->point, a1.x));
    const pcs_vec3 way = pcs_m3_mul_v3(&a1.R, pcs_v3_sub(d1, d0));
    slip[0] = pcs_v3_dot(at_to->tangent1, way);
    if (at_to->row.size > 2)
        slip[1] = pcs_v3_dot(at_to->tangent2, way);
}

static bool is_flat_face(const pcs_surface_contact *contact, const pcs_contact *at_from,
                         const pcs_contact *at_to)
{
    return contact->shape.kind == PCS_TARGET_PLANE ||
           (contact->shape.kind == PCS_TARGET_BOX && at_from->face == at_to->face &&
            at_to->face < 2 * contact->shape.dimension);
}

static void slip_of_slot(const pcs_model *model, const pcs_surface_contact *contact, int32_t node,
                         const pcs_configuration *from, const pcs_contact *at_from,
                         const pcs_configuration *to, const pcs_contact *at_to, double *slip)
{
    const bool rolls = contact->node_radius > 0.0 &&
                       pcs_node_turns(pcs_model_node(model, node)->kind);
    if (contact->target >= 0 && !isfinite(at_to->gap))
        return;
    if (contact->target >= 0 && !rolls && isfinite(at_from->gap))
        slip_on_face(model, from, at_from, to, at_to, node, slip);
    else if (contact->target < 0 && !rolls && is_flat_face(contact, at_from, at_to))
        slip_on_shape(contact, from, at_from, to, at_to, slip);
    else
        pcs_contact_slip_by_rows(model, from, at_from, to, at_to, slip);
    pcs_contact_slip_of_surface(from, at_from, to, at_to, slip);
}

void pcs_surface_contacts_slip(const pcs_model *model, const pcs_configuration *from,
                               const pcs_contact *at_from, const pcs_configuration *to,
                               const pcs_contact *at_to, double *slip)
{
    for (int32_t k = 0; k < model->surface_contacts.count; k++) {
        const pcs_surface_contact *contact = &model->surface_contacts.data[k];
        for (int32_t i = 0; i < contact->n_nodes && contact->row_size > 1; i++) {
            const int32_t slot = contact->first_slot + i;
            slip_of_slot(model, contact, contact->node[i], from, &at_from[slot], to, &at_to[slot],
                         slip + 2 * slot);
        }
    }
}

// ---- Tangents ----

static void add_column(const pcs_model *model, const pcs_configuration *c,
                       const pcs_surface_contact *contact, const pcs_touch *touch,
                       const pcs_contact *slot, const double *r, const pcs_twist *twist,
                       int32_t stride, double *const *columns)
{
    pcs_touch_rate rate;
    pcs_touch_rates(model, c, contact, touch, slot, twist, &rate);
    const pcs_vec3 axis[3] = {slot->normal, slot->tangent1, slot->tangent2};
    pcs_vec3 force = {0.0, 0.0, 0.0}, force_rate = {0.0, 0.0, 0.0};
    for (int32_t i = 0; i < contact->row_size; i++) {
        force = pcs_v3_axpy(force, r[i], axis[i]);
        force_rate = pcs_v3_axpy(force_rate, r[i], rate.axis[i]);
    }
    for (int32_t k = 0; k < touch->n_sides; k++) {
        const int32_t node = touch->node[k];
        const pcs_node_kind kind = pcs_model_node(model, node)->kind;
        const pcs_contact_push push = {
            touch->point[k], rate.point[k], pcs_v3_scale(touch->weight[k], force),
            pcs_v3_axpy(pcs_v3_scale(touch->weight[k], force_rate), rate.weight[k], force)};
        double column[PCS_NODE_V_MAX];
        pcs_contact_force_change(kind, &c->pose[node], &twist[k], &push, column);
        for (int32_t i = 0; i < pcs_node_v_size(kind); i++)
            columns[k][i * stride] = column[i];
    }
}

static void add_tangent(const pcs_model *model, const pcs_configuration *c,
                        const pcs_surface_contact *contact, int32_t i, const pcs_contact *slot,
                        const double *r, double scale, pcs_saddle *saddle)
{
    pcs_touch touch;
    pcs_touch_find(model, c, contact, i, &touch);
    if (!isfinite(touch.gap))
        return;
    const double scaled[3] = {scale * r[0], scale * r[1], scale * r[2]};
    for (int32_t l = 0; l < touch.n_sides; l++) {
        const pcs_node_kind kind = pcs_model_node(model, touch.node[l])->kind;
        const int32_t m = pcs_node_v_size(kind);
        double block[PCS_ROW_NODES_MAX][PCS_NODE_V_MAX * PCS_NODE_V_MAX];
        for (int32_t j = 0; j < m; j++) {
            pcs_twist twist[PCS_ROW_NODES_MAX] = {{{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}}};
            double *columns[PCS_ROW_NODES_MAX];
            twist[l] = pcs_contact_unit_twist(kind, &c->pose[touch.node[l]], j);
            for (int32_t k = 0; k < touch.n_sides; k++)
                columns[k] = block[k] + j;
            add_column(model, c, contact, &touch, slot, scaled, twist, m, columns);
        }
        for (int32_t k = 0; k < touch.n_sides; k++)
            pcs_element_add_block(model, saddle, touch.node[k], touch.node[l], block[k]);
    }
}

void pcs_surface_contacts_tangent(const pcs_model *model, const pcs_configuration *c,
                                  const pcs_contact *contacts, const double *r, double scale,
                                  pcs_saddle *saddle)
{
    for (int32_t k = 0; k < model->surface_contacts.count; k++) {
        const pcs_surface_contact *contact = &model->surface_contacts.data[k];
        for (int32_t i = 0; i < contact->n_nodes; i++) {
            const int32_t slot = contact->first_slot + i;
            const double *f = r + 3 * slot;
            if (f[0] != 0.0 || f[1] != 0.0 || f[2] != 0.0)
                add_tangent(model, c, contact, i, &contacts[slot], f, scale, saddle);
        }
    }
}
