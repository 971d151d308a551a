// Evaluation of contacts: gaps, frames and rows of declared pairs and of joint limits.
//
// With the material points at point_a on a and point_b on b, the relative velocity
//   u = (v_b - v_a) . (n, t1, t2) + surface,   v_k = v_node + omega_node x arm_k,
// is linear in the velocities of the two nodes: for a direction e the form of b is d = e,
// w = arm_b x e, that of a its opposite with arm_a. A surface of a that moves with s (a belt) has
// u_T = (v_b - v_a - s) . t, so the imposed part is -s . t (docs/theory/notation-contacts.md).
#include "model/contact.h"

#include <math.h>
#include <string.h>

#include "model/contact_kind.h"
#include "model/contact_pair.h"
#include "model/model.h"
#include "model/surface_contact.h"

pcs_placement pcs_contact_place(const pcs_configuration *c, const pcs_attachment *at)
{
    if (at->node < 0)
        return (pcs_placement){at->p, at->R};
    const pcs_pose *pose = &c->pose[at->node];
    return (pcs_placement){pcs_v3_add(pose->x, pcs_m3_mul_v3(&pose->R, at->p)),
                           pcs_m3_mul(&pose->R, &at->R)};
}

pcs_tangent_choice pcs_contact_choose_axis(pcs_tangent_choice asked, const pcs_mat3 *R_a,
                                           pcs_vec3 n)
{
    if (asked == PCS_TANGENTS_X || asked == PCS_TANGENTS_Y)
        return asked;
    const pcs_vec3 x = pcs_m3_column(R_a, 0), y = pcs_m3_column(R_a, 1);
    const double along = pcs_v3_dot(n, x);
    const bool near = asked == PCS_TANGENTS_FARTHER
                          ? fabs(along) > fabs(pcs_v3_dot(n, y))
                          : pcs_v3_norm(pcs_v3_axpy(x, -along, n)) < PCS_AXIS_SINE;
    return near ? PCS_TANGENTS_Y : PCS_TANGENTS_X;
}

pcs_vec3 pcs_contact_tangent_axis(const pcs_mat3 *R_a, pcs_tangent_choice axis)
{
    return pcs_m3_column(R_a, axis == PCS_TANGENTS_Y ? 1 : 0);
}

// t2 = n x t1
void pcs_contact_set_tangents(int32_t dimension, pcs_vec3 axis, pcs_contact *contact)
{
    pcs_vec3 n = contact->normal, t;
    if (dimension == 2) {
        t = pcs_v3(n.y, -n.x, 0.0);
    } else {
        t = pcs_v3_axpy(axis, -pcs_v3_dot(n, axis), n);
        t = pcs_v3_scale(1.0 / pcs_v3_norm(t), t);
    }
    contact->tangent1 = t;
    contact->tangent2 = pcs_v3_cross(n, t);
}

// Appends the block of one side to the row; sign -1 for a, +1 for b.
static void add_block(const pcs_model *model, const pcs_configuration *c, int32_t node, double sign,
                      pcs_vec3 point, pcs_contact *contact)
{
    if (node < 0)
        return;
    pcs_row_block *row = &contact->row;
    double *J = contact->J[row->n_nodes];
    row->node[row->n_nodes] = node;
    row->J[row->n_nodes] = J;
    row->n_nodes++;
    const pcs_pose *pose = &c->pose[node];
    pcs_node_kind kind = pcs_model_node(model, node)->kind;
    int32_t stride = pcs_node_v_size(kind);
    pcs_vec3 arm = pcs_v3_sub(point, pose->x);
    const pcs_vec3 axis[3] = {contact->normal, contact->tangent1, contact->tangent2};
    for (int32_t i = 0; i < row->size; i++) {
        pcs_vec3 d = pcs_v3_scale(sign, axis[i]);
        pcs_node_row(kind, pose, d, pcs_v3_cross(arm, d), J + i * stride);
    }
}

pcs_vec3 pcs_contact_surface_velocity(const pcs_configuration *c, pcs_formula *const formula[2],
                                      const double number[2], const pcs_mat3 *R_a)
{
    double s[2];
    for (int i = 0; i < 2; i++)
        s[i] = formula[i] ? pcs_formula_evaluate(formula[i], c->inputs) : number[i];
    return pcs_m3_mul_v3(R_a, pcs_v3(s[0], s[1], 0.0));
}

pcs_contact_sizes pcs_contact_pair_sizes(const pcs_model *model, const pcs_configuration *c,
                                         const pcs_contact_pair *pair)
{
    return (pcs_contact_sizes){.dimension = model->dimension,
                               .radius_a = pair->radius_a,
                               .radius_b = pair->radius_b,
                               .size = pair->size,
                               .width = pair->width,
                               .vertices = pair->vertices,
                               .n_vertices = pair->n_vertices,
                               .closed = pair->closed,
                               .extent = pair->extent,
                               .curve = pair->curve,
                               .held = c->face ? c->face + pair->first_slot : NULL};
}

// A kind says only what differs from one face without ends.
void pcs_contact_pair_points(const pcs_contact_pair *pair, const pcs_contact_sizes *sizes,
                             const pcs_placement *a, const pcs_placement *b,
                             pcs_contact_point *points)
{
    memset(points, 0, sizeof *points * (size_t)pair->n_slots); // at once: quicker than one by one
    for (int32_t i = 0; i < pair->n_slots; i++) {
        points[i].edge = HUGE_VAL;
        points[i].next_face = -1;
    }
    pcs_contact_kind_find(pair->kind)->compute(sizes, a, b, points);
}

static void evaluate_pair(const pcs_model *model, const pcs_configuration *c, bool rows,
                          const pcs_contact_pair *pair, pcs_contact *contacts)
{
    pcs_contact_sizes sizes = pcs_contact_pair_sizes(model, c, pair);
    pcs_placement a = pcs_contact_place(c, &pair->pair.a), b = pcs_contact_place(c, &pair->pair.b);
    pcs_contact_point points[PCS_CONTACT_SLOTS_MAX];
    pcs_contact_pair_points(pair, &sizes, &a, &b, points);

    pcs_vec3 surface = {0.0, 0.0, 0.0};
    if (rows && pair->row_size > 1)
        surface = pcs_contact_surface_velocity(c, pair->surface, pair->surface_number, &a.R);
    for (int32_t i = 0; i < pair->n_slots; i++) {
        pcs_contact *contact = &contacts[i];
        contact->gap = points[i].gap;
        contact->face = points[i].face;
        contact->edge = points[i].edge;
        contact->next_face = points[i].next_face;
        contact->point = points[i].point_b;
        contact->normal = points[i].normal;
        contact->law = pair->law;
        if (!rows)
            continue;
        const pcs_tangent_choice asked = c->axis ? c->axis[pair->first_slot + i]
                                                 : PCS_TANGENTS_FREE;
        contact->axis = (uint8_t)pcs_contact_choose_axis(asked, &a.R, contact->normal);
        pcs_contact_set_tangents(model->dimension, pcs_contact_tangent_axis(&a.R, contact->axis),
                                 contact);
        contact->surface[0] = 0.0;
        contact->surface[1] = -pcs_v3_dot(surface, contact->tangent1);
        contact->surface[2] = -pcs_v3_dot(surface, contact->tangent2);
        contact->row.size = pair->row_size;
        contact->row.n_nodes = 0;
        add_block(model, c, pair->pair.a.node, -1.0, points[i].point_a, contact);
        add_block(model, c, pair->pair.b.node, 1.0, points[i].point_b, contact);
    }
}

// gap = side (x - bound), row = side J; a limit has no place and no direction in space.
static void evaluate_limit(const pcs_model *model, const pcs_configuration *c, bool rows,
                           const pcs_limit *limit, pcs_contact *contact)
{
    const pcs_joint *joint = &model->joints.data[limit->joint];
    const pcs_coordinate *x = &joint->coordinate[limit->coordinate];
    pcs_pair_state pair = pcs_configuration_pair(model, c, &joint->pair);
    double reference = x->turn >= 0 ? c->turns[x->turn] : 0.0;
    pcs_vec3 zero = {0.0, 0.0, 0.0};
    contact->gap = limit->side * (pcs_coordinate_value(x, &pair, reference) - limit->bound);
    contact->face = 0;
    contact->edge = HUGE_VAL;
    contact->next_face = -1;
    contact->point = contact->normal = contact->tangent1 = contact->tangent2 = zero;
    contact->law = (pcs_law){0.0, limit->restitution, 0.0};
    if (!rows)
        return;
    contact->surface[0] = contact->surface[1] = contact->surface[2] = 0.0;
    pcs_rate_form form = pcs_coordinate_rate_form(x, &pair);
    form.d_a = pcs_v3_scale(limit->side, form.d_a);
    form.w_a = pcs_v3_scale(limit->side, form.w_a);
    form.d_b = pcs_v3_scale(limit->side, form.d_b);
    form.w_b = pcs_v3_scale(limit->side, form.w_b);
    pcs_coordinate_rows(&form, &pair, contact->J[0], contact->J[1]);
    contact->row.size = 1;
    contact->row.n_nodes = 0;
    const int32_t nodes[2] = {joint->pair.a.node, joint->pair.b.node};
    for (int i = 0; i < 2; i++)
        if (nodes[i] >= 0) {
            contact->row.node[contact->row.n_nodes] = nodes[i];
            contact->row.J[contact->row.n_nodes++] = contact->J[i];
        }
}

// ---- Accelerations ----

// With v' = 0 the angular velocity in the world is constant too: omega = R Omega, omega' = omega x
// omega + R Omega' = 0. So u = e.(V_b - V_a) + surface with V_k = v_k + omega_k x (point_k - x_k)
// has
//   convective = e'.(V_b - V_a) + e.(omega_b x (point_b' - v_b) - omega_a x (point_a' - v_a)) + surface'
// (docs/theory/curves.md).

pcs_placement_rate pcs_contact_place_rate(const pcs_pose *pose, const pcs_twist *twist,
                                          const pcs_placement *placement)
{
    pcs_vec3 arm = pcs_v3_sub(placement->x, pose->x);
    return (pcs_placement_rate){pcs_v3_add(twist->v, pcs_v3_cross(twist->w, arm)), twist->w};
}

static pcs_placement_rate place_rate(const pcs_configuration *c, const pcs_attachment *at,
                                     const pcs_placement *placement)
{
    if (at->node < 0)
        return (pcs_placement_rate){{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    return pcs_contact_place_rate(&c->pose[at->node], &c->twist[at->node], placement);
}

// Velocity of the node's material at a point, and the part omega x (point' - v) of its change.
static void point_motion(const pcs_configuration *c, const pcs_attachment *at, pcs_vec3 point,
                         pcs_vec3 point_rate, pcs_vec3 *velocity, pcs_vec3 *change)
{
    *velocity = *change = pcs_v3(0.0, 0.0, 0.0);
    if (at->node < 0)
        return;
    const pcs_twist *twist = &c->twist[at->node];
    pcs_vec3 arm = pcs_v3_sub(point, c->pose[at->node].x);
    *velocity = pcs_v3_add(twist->v, pcs_v3_cross(twist->w, arm));
    *change = pcs_v3_cross(twist->w, pcs_v3_sub(point_rate, twist->v));
}

void pcs_contact_axis_rates(int32_t dimension, pcs_vec3 axis, pcs_vec3 axis_rate,
                            const pcs_contact *contact, pcs_vec3 n_rate, pcs_vec3 *t1_rate,
                            pcs_vec3 *t2_rate)
{
    pcs_vec3 n = contact->normal, t = contact->tangent1;
    if (dimension == 2) {
        *t1_rate = pcs_v3(n_rate.y, -n_rate.x, 0.0);
    } else {
        double along = pcs_v3_dot(n, axis);
        double length = pcs_v3_norm(pcs_v3_axpy(axis, -along, n));
        pcs_vec3 p_rate = pcs_v3_axpy(
            pcs_v3_axpy(axis_rate, -pcs_v3_dot(n_rate, axis) - pcs_v3_dot(n, axis_rate), n), -along,
            n_rate);
        *t1_rate = pcs_v3_scale(1.0 / length, pcs_v3_axpy(p_rate, -pcs_v3_dot(t, p_rate), t));
    }
    *t2_rate = pcs_v3_add(pcs_v3_cross(n_rate, t), pcs_v3_cross(n, *t1_rate));
}

void pcs_contact_tangent_rates(int32_t dimension, const pcs_mat3 *R_a, pcs_vec3 w_a,
                               const pcs_contact *contact, pcs_vec3 n_rate, pcs_vec3 *t1_rate,
                               pcs_vec3 *t2_rate)
{
    pcs_vec3 axis = pcs_contact_tangent_axis(R_a, contact->axis);
    pcs_contact_axis_rates(dimension, axis, pcs_v3_cross(w_a, axis), contact, n_rate, t1_rate,
                           t2_rate);
}

// Partial derivative in t. External inputs are constant during a step, signals are not allowed.
static double speed_rate(const pcs_configuration *c, const pcs_formula *formula)
{
    enum { VARIABLES_MAX = 256 }; // t and the inputs that the builder allows
    const int32_t *variables;
    double gradient[VARIABLES_MAX];
    int32_t n = formula ? pcs_formula_variables(formula, &variables) : 0;
    if (n == 0 || variables[0] != 0) // ascending: t comes first
        return 0.0;
    pcs_formula_gradient(formula, c->inputs, gradient);
    return gradient[0];
}

pcs_vec3 pcs_contact_surface_rate(const pcs_configuration *c, pcs_formula *const formula[2],
                                  const pcs_mat3 *R_a, pcs_vec3 w_a, pcs_vec3 velocity)
{
    pcs_vec3 growth = {speed_rate(c, formula[0]), speed_rate(c, formula[1]), 0.0};
    return pcs_v3_add(pcs_v3_cross(w_a, velocity), pcs_m3_mul_v3(R_a, growth));
}

static void convective_pair(const pcs_model *model, const pcs_configuration *c,
                            const pcs_contact_pair *pair, pcs_contact *contacts)
{
    const pcs_contact_kind_row *kind = pcs_contact_kind_find(pair->kind);
    pcs_contact_sizes sizes = pcs_contact_pair_sizes(model, c, pair);
    pcs_placement a = pcs_contact_place(c, &pair->pair.a), b = pcs_contact_place(c, &pair->pair.b);
    pcs_placement_rate rate_a = place_rate(c, &pair->pair.a, &a);
    pcs_placement_rate rate_b = place_rate(c, &pair->pair.b, &b);
    pcs_contact_motion motion = {&sizes, &a, &b, &rate_a, &rate_b};
    pcs_contact_point points[PCS_CONTACT_SLOTS_MAX];
    pcs_contact_pair_points(pair, &sizes, &a, &b, points);
    pcs_vec3 surface = {0.0, 0.0, 0.0}, surface_rate = surface;
    if (pair->row_size > 1) {
        surface = pcs_contact_surface_velocity(c, pair->surface, pair->surface_number, &a.R);
        surface_rate = pcs_contact_surface_rate(c, pair->surface, &a.R, rate_a.w, surface);
    }
    for (int32_t i = 0; i < pair->n_slots; i++) {
        pcs_contact *contact = &contacts[i];
        memset(contact->convective, 0, sizeof contact->convective);
        if (!isfinite(points[i].gap))
            continue;
        pcs_contact_rate rate;
        kind->rate(&motion, i, &points[i], &rate);
        pcs_contact_rate_complete(&motion, &points[i], &rate);
        pcs_vec3 velocity_a, velocity_b, change_a, change_b, axis_rate[3] = {rate.normal};
        point_motion(c, &pair->pair.a, points[i].point_a, rate.point_a, &velocity_a, &change_a);
        point_motion(c, &pair->pair.b, points[i].point_b, rate.point_b, &velocity_b, &change_b);
        pcs_contact_tangent_rates(model->dimension, &a.R, rate_a.w, contact, rate.normal,
                                  &axis_rate[1], &axis_rate[2]);
        pcs_vec3 velocity = pcs_v3_sub(velocity_b, velocity_a);
        pcs_vec3 change = pcs_v3_sub(change_b, change_a);
        const pcs_vec3 axis[3] = {contact->normal, contact->tangent1, contact->tangent2};
        for (int32_t k = 0; k < pair->row_size; k++) {
            contact->convective[k] = pcs_v3_dot(axis_rate[k], velocity) +
                                     pcs_v3_dot(axis[k], change);
            if (k > 0)
                contact->convective[k] -= pcs_v3_dot(axis[k], surface_rate) +
                                          pcs_v3_dot(axis_rate[k], surface);
        }
    }
}

void pcs_model_contacts_convective(const pcs_model *model, const pcs_configuration *c,
                                   pcs_contact *contacts)
{
    pcs_model_contacts_convective_of(model, c, model->contact_pairs.count, NULL, contacts);
}

void pcs_model_contacts_convective_of(const pcs_model *model, const pcs_configuration *c,
                                      int32_t n_pairs, const int32_t *pairs, pcs_contact *contacts)
{
    for (int32_t i = 0; i < n_pairs; i++) {
        const pcs_contact_pair *pair = &model->contact_pairs.data[pairs ? pairs[i] : i];
        if (pair->copy_of >= 0)
            continue;
        convective_pair(model, c, pair, contacts + pair->first_slot);
    }
    for (int32_t i = 0; i < model->limits.count; i++) {
        const pcs_limit *limit = &model->limits.data[i];
        const pcs_joint *joint = &model->joints.data[limit->joint];
        pcs_pair_state pair = pcs_configuration_pair(model, c, &joint->pair);
        double *convective = contacts[limit->slot].convective;
        convective[0] = limit->side *
                        pcs_coordinate_convective(&joint->coordinate[limit->coordinate], &pair);
        convective[1] = convective[2] = 0.0;
    }
    pcs_surface_contacts_convective(model, c, contacts);
}

pcs_contact *pcs_model_contacts_create(pcs_context *ctx, const pcs_model *model)
{
    // One block: the contacts, then the rows of systems, which may be longer than pcs_contact.J.
    const int64_t slots = model->n_slots, more = pcs_system_contact_storage(model);
    pcs_contact *contacts = pcs_calloc(
        ctx, 1, sizeof(pcs_contact) * (size_t)slots + sizeof(double) * (size_t)more);
    if (contacts)
        pcs_system_set_contact_storage(model, contacts, (double *)(contacts + slots));
    return contacts;
}

void pcs_model_contacts_destroy(pcs_context *ctx, pcs_contact *contacts)
{
    pcs_free(ctx, contacts);
}

void pcs_model_contacts(const pcs_model *model, const pcs_configuration *c, bool rows,
                        pcs_contact *contacts)
{
    pcs_model_contacts_of(model, c, rows, model->contact_pairs.count, NULL, contacts);
}

void pcs_model_contacts_of(const pcs_model *model, const pcs_configuration *c, bool rows,
                           int32_t n_pairs, const int32_t *pairs, pcs_contact *contacts)
{
    for (int32_t i = 0; i < n_pairs; i++) {
        const pcs_contact_pair *pair = &model->contact_pairs.data[pairs ? pairs[i] : i];
        if (pair->copy_of < 0)
            evaluate_pair(model, c, rows, pair, contacts + pair->first_slot);
        for (int32_t k = 0; pair->copy_of >= 0 && k < pair->n_slots; k++)
            contacts[pair->first_slot + k].gap = HUGE_VAL; // the first of them has the contact
    }
    for (int32_t i = 0; i < model->limits.count; i++) {
        const pcs_limit *limit = &model->limits.data[i];
        evaluate_limit(model, c, rows, limit, contacts + limit->slot);
    }
    pcs_system_contacts(model, c, rows, contacts);
    pcs_surface_contacts_evaluate(model, c, rows, contacts);
}

double pcs_contact_speed_change(const pcs_model *model, const pcs_contact *contact,
                                const double *v_0, const double *v_1)
{
    double speed = 0;
    for (int32_t e = 0; e < contact->row.n_nodes; ++e) {
        const pcs_node *node = pcs_model_node(model, contact->row.node[e]);
        double change = 0;
        for (int32_t j = 0; j < node->n_v; ++j)
            change += contact->row.J[e][j] * (v_1[node->v + j] - v_0[node->v + j]);
        speed += fabs(change);
    }
    return speed;
}

void pcs_contact_velocity(const pcs_model *model, const pcs_contact *contact, const double *v,
                          double *u)
{
    const pcs_row_block *row = &contact->row;
    for (int32_t i = 0; i < row->size; i++)
        u[i] = contact->surface[i];
    for (int32_t k = 0; k < row->n_nodes; k++) {
        const pcs_node *node = pcs_model_node(model, row->node[k]);
        int32_t n = node->n_v;
        const double *v_node = v + node->v;
        for (int32_t i = 0; i < row->size; i++)
            for (int32_t j = 0; j < n; j++)
                u[i] += row->J[k][i * n + j] * v_node[j];
    }
}
