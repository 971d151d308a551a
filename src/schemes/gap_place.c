// Slots at instants of a motion, evaluated one by one: gap, rate and the barriers of its bounds.
// Declared pairs and limits need the two nodes of the slot alone; formulas and meshes the whole
// configuration.
#include <math.h>
#include <string.h>

#include "geometry/curve.h"
#include "model/contact_kind.h"
#include "model/contact_pair.h"
#include "model/contact_touch.h"
#include "schemes/gap_terms.h"

// ---- Motion of the two nodes ----

static pcs_pose ground_pose(void)
{
    return (pcs_pose){{0, 0, 0}, pcs_m3_identity()};
}

static void move_node(pcs_gap_search *s, int32_t node, double theta)
{
    if (node >= 0)
        pcs_motion_node(&s->motion, node, theta, &s->c.pose[node], &s->c.twist[node]);
}

static void swap_in(pcs_gap_search *s, const pcs_gap_slot *slot, pcs_gap_pair *pair, bool save)
{
    const int32_t node[2] = {slot->node_a, slot->node_b};
    for (int i = 0; i < 2; ++i) {
        if (node[i] < 0)
            continue;
        if (save) {
            pair->pose[i] = s->c.pose[node[i]];
            pair->twist[i] = s->c.twist[node[i]];
        } else {
            s->c.pose[node[i]] = pair->pose[i];
            s->c.twist[node[i]] = pair->twist[i];
        }
    }
}

static pcs_pose pose_of(const pcs_gap_search *s, int32_t node)
{
    return node < 0 ? ground_pose() : s->c.pose[node];
}

// Velocity of a node's material at a point.
static pcs_vec3 velocity_at(const pcs_gap_search *s, int32_t node, pcs_vec3 point)
{
    if (node < 0)
        return (pcs_vec3){0, 0, 0};
    const pcs_twist *twist = &s->c.twist[node];
    const pcs_vec3 arm = pcs_v3_sub(point, s->c.pose[node].x);
    return pcs_v3_add(twist->v, pcs_v3_cross(twist->w, arm));
}

static double relative(const pcs_gap_search *s, const pcs_gap_slot *slot, pcs_vec3 n, pcs_vec3 a,
                       pcs_vec3 b)
{
    return pcs_v3_dot(n,
                      pcs_v3_sub(velocity_at(s, slot->node_b, b), velocity_at(s, slot->node_a, a)));
}

static void add_barrier(pcs_gap_place *place, pcs_gap_barrier barrier)
{
    place->barrier[place->n_barriers++] = barrier;
}

// ---- Declared pairs ----

// A face of a, whose normal turns with it, against the point p of b.
static pcs_gap_barrier face_barrier(const pcs_gap_search *s, const pcs_gap_slot *slot, pcs_vec3 n,
                                    pcs_vec3 p, double value)
{
    const pcs_vec3 x = pose_of(s, slot->node_a).x;
    return (pcs_gap_barrier){.value = value,
                             .rate = relative(s, slot, n, p, p),
                             .n = n,
                             .arm_a = pcs_v3_norm(pcs_v3_sub(p, x)),
                             .arm_b = slot->arm_b,
                             .turns = true,
                             .is_gap = true};
}

// Beyond the bounds of a face there is no contact: one barrier for each bound, if p is outside.
static void add_extent(const pcs_gap_search *s, const pcs_gap_slot *slot, const pcs_placement *a,
                       pcs_vec3 p, int axis, double extent, pcs_gap_place *place)
{
    if (!(extent > 0))
        return;
    const pcs_vec3 e = pcs_m3_column(&a->R, axis);
    const double x = pcs_v3_dot(e, pcs_v3_sub(p, a->x));
    pcs_gap_barrier barrier = face_barrier(s, slot, pcs_v3_scale(x < 0 ? -1 : 1, e), p,
                                           fabs(x) - extent);
    barrier.is_gap = false;
    if (barrier.value > 0) {
        place->gap = HUGE_VAL;
        add_barrier(place, barrier);
    }
}

// The whole of b is not nearer to a face than its node less its reach, however it turns.
static void add_center_of_b(const pcs_gap_search *s, const pcs_gap_slot *slot, pcs_vec3 n,
                            pcs_vec3 origin, double radius, pcs_gap_place *place)
{
    const pcs_vec3 x = pose_of(s, slot->node_b).x;
    if (slot->node_b < 0 || !(slot->arm_b > 0))
        return;
    pcs_gap_barrier barrier = face_barrier(s, slot, n, x, 0);
    barrier.value = pcs_v3_dot(n, pcs_v3_sub(x, origin)) - slot->arm_b - radius;
    barrier.arm_b = 0;
    add_barrier(place, barrier);
}

static void add_centers(const pcs_gap_search *s, const pcs_gap_slot *slot, double radii,
                        pcs_gap_place *place)
{
    const pcs_vec3 a = pose_of(s, slot->node_a).x, b = pose_of(s, slot->node_b).x;
    const pcs_vec3 d = pcs_v3_sub(b, a);
    const double distance = pcs_v3_norm(d);
    if (slot->node_a < 0 || slot->node_b < 0 || !(slot->arm_a + slot->arm_b > 0) || !(distance > 0))
        return;
    const pcs_vec3 n = pcs_v3_scale(1 / distance, d);
    add_barrier(place, (pcs_gap_barrier){.value = distance - slot->arm_a - slot->arm_b - radii,
                                         .rate = relative(s, slot, n, a, b),
                                         .n = n,
                                         .is_gap = true});
}

static void look_at_curve(const pcs_contact_pair *pair, const pcs_placement *a,
                          const pcs_placement *b, const pcs_contact_point *point,
                          pcs_gap_place *place)
{
    const pcs_vec3 local = pcs_m3_tmul_v3(&a->R, pcs_v3_sub(b->x, a->x));
    const pcs_vec2 p = {local.x, local.y};
    const double radius = pair->kind == PCS_CONTACT_POINT_CURVE ? pair->radius_b : 0;
    const double distance = pcs_v3_norm(pcs_v3_sub(b->x, point->point_a)) - radius;
    if (point->gap == HUGE_VAL) // beyond an open end: its distance bounds the way to the curve
        place->barrier[0].value = distance;
    if (pair->kind == PCS_CONTACT_POINT_CURVE) {
        place->others = pcs_curve_clearance(pair->curve, p, point->face, &place->bend) - radius;
    } else {
        place->bend = 0;
        place->others = pcs_contact_polyline_clearance(pair->vertices, pair->n_vertices,
                                                       pair->closed, p, point->face);
    }
}

// The pair at t: kept from another of its slots, or evaluated.
static const pcs_gap_pair *find_pair(pcs_gap_search *s, const pcs_gap_slot *slot, double t,
                                     double theta)
{
    const pcs_contact_pair *def = &s->model->contact_pairs.data[slot->index];
    for (int i = 0; i < 2; ++i)
        if (s->pairs[i].index == slot->index && s->pairs[i].t == t) {
            swap_in(s, slot, &s->pairs[i], false);
            s->oldest = 1 - i;
            return &s->pairs[i];
        }
    pcs_gap_pair *pair = &s->pairs[s->oldest];
    s->oldest = 1 - s->oldest;
    move_node(s, slot->node_a, theta);
    move_node(s, slot->node_b, theta);
    swap_in(s, slot, pair, true);
    pair->index = slot->index;
    pair->t = t;
    pair->a = pcs_contact_place(&s->c, &def->pair.a);
    pair->b = pcs_contact_place(&s->c, &def->pair.b);
    pcs_contact_sizes sizes = pcs_contact_pair_sizes(s->model, &s->c, def);
    sizes.extent = (pcs_vec2){0, 0};
    sizes.held = NULL;
    pcs_contact_pair_points(def, &sizes, &pair->a, &pair->b, pair->points);
    return pair;
}

static void look_at_pair(pcs_gap_search *s, const pcs_gap_slot *slot, double theta,
                         pcs_gap_place *place)
{
    const pcs_model *model = s->model;
    const pcs_contact_pair *pair = &model->contact_pairs.data[slot->index];
    const pcs_gap_pair *at = find_pair(s, slot, place->t, theta);
    const pcs_placement a = at->a, b = at->b;
    const pcs_vec2 extent = pair->extent;
    const pcs_contact_point *point = &at->points[slot->place];
    const pcs_vec3 n = point->normal;
    place->gap = point->gap;
    place->rate = relative(s, slot, n, point->point_a, point->point_b);
    switch (slot->mode) {
    case PCS_GAP_FACE:
    case PCS_GAP_CYLINDER:
        add_barrier(place, face_barrier(s, slot, n, point->point_b, point->gap));
        if (slot->mode == PCS_GAP_CYLINDER)
            place->bend = pcs_v3_norm(pcs_v3_cross(n, pcs_m3_column(&b.R, 2))); // sine of the tilt
        add_extent(s, slot, &a, point->point_b, 0, extent.x, place);
        if (model->dimension == 3)
            add_extent(s, slot, &a, point->point_b, 1, extent.y, place);
        if (place->n_barriers < PCS_GAP_BARRIERS && pair->kind != PCS_CONTACT_SLIDER_GUIDE)
            add_center_of_b(s, slot, n, a.x,
                            pair->kind == PCS_CONTACT_SPHERE_PLANE ? pair->radius_b : 0, place);
        break;
    case PCS_GAP_SUPPORT:
        add_barrier(place, (pcs_gap_barrier){place->gap, place->rate, n, slot->arm_a, slot->arm_b,
                                             false, true});
        add_centers(s, slot, pair->radius_a + pair->radius_b, place);
        break;
    case PCS_GAP_CURVE:
        add_barrier(place, face_barrier(s, slot, n, b.x, point->gap));
        place->barrier[0].rate = place->rate;
        look_at_curve(pair, &a, &b, point, place);
        break;
    default: // inside
        place->d = pcs_v3_sub(b.x, a.x);
        place->d_rate = pcs_v3_sub(velocity_at(s, slot->node_b, b.x),
                                   velocity_at(s, slot->node_a, a.x));
        if (pair->kind == PCS_CONTACT_PIN_IN_HOLE && model->dimension == 3) {
            // In the axes of the hole, across its axis.
            const pcs_vec3 z = pcs_m3_column(&a.R, 2);
            place->d_rate = pcs_v3_sub(velocity_at(s, slot->node_b, b.x),
                                       velocity_at(s, slot->node_a, b.x));
            place->d = pcs_v3_axpy(place->d, -pcs_v3_dot(z, place->d), z);
            place->d_rate = pcs_v3_axpy(place->d_rate, -pcs_v3_dot(z, place->d_rate), z);
            add_barrier(place, face_barrier(s, slot, n, b.x, place->gap));
        } else {
            add_barrier(place, (pcs_gap_barrier){place->gap, place->rate, n, slot->arm_a,
                                                 slot->arm_b, false, true});
        }
        break;
    }
}

// ---- Limits ----

// Reference of the branch of an angle: in the plane the angles of the nodes are those of the
// motion, without branches; in space the value of an instant that is near.
static double branch_of(const pcs_gap_search *s, const pcs_gap_slot *slot, const pcs_coordinate *x,
                        double theta, const pcs_gap_place *near)
{
    const double start = x->turn >= 0 ? s->c.turns[x->turn] : 0;
    if (s->model->dimension == 3)
        return near ? near->coordinate : start;
    double turned = 0;
    for (int side = 0; side < 2; ++side) {
        const int32_t k = side == 0 ? slot->node_a : slot->node_b;
        if (k < 0 || pcs_model_node(s->model, k)->kind != PCS_NODE_PLANAR)
            continue;
        const int32_t i = pcs_model_node(s->model, k)->v + 2;
        double angle = 0;
        for (int32_t j = s->motion.degree - 1; j >= 0; --j)
            angle = (angle + s->motion.c[j][i]) * theta;
        turned += side == 0 ? -angle : angle;
    }
    return start + turned;
}

static void look_at_limit(pcs_gap_search *s, const pcs_gap_slot *slot, double theta,
                          const pcs_gap_place *near, pcs_gap_place *place)
{
    const pcs_limit *limit = &s->model->limits.data[slot->index];
    const pcs_joint *joint = &s->model->joints.data[limit->joint];
    const pcs_coordinate *x = &joint->coordinate[limit->coordinate];
    const pcs_pair_state pair = pcs_configuration_pair(s->model, &s->c, &joint->pair);
    const pcs_rate_form form = pcs_coordinate_rate_form(x, &pair);
    const double reference = branch_of(s, slot, x, theta, near), side = limit->side;
    place->coordinate = pcs_coordinate_value(x, &pair, reference);
    place->gap = side * (place->coordinate - limit->bound);
    place->rate = side * pcs_coordinate_rate(&form, &pair);
    place->d = pair.d;
    place->d_rate = pcs_v3_sub(pcs_v3_add(pair.twist_b.v, pcs_v3_cross(pair.twist_b.w, pair.s_b)),
                               pcs_v3_add(pair.twist_a.v, pcs_v3_cross(pair.twist_a.w, pair.s_a)));
    const double reach = pcs_v3_norm(pcs_v3_add(pair.s_a, pair.d));
    add_barrier(place, (pcs_gap_barrier){.value = place->gap,
                                         .rate = place->rate,
                                         .n = pcs_v3_scale(side, form.d_b),
                                         .arm_a = slot->mode == PCS_GAP_FACE ? reach : slot->arm_a,
                                         .arm_b = slot->arm_b,
                                         .turns = slot->mode == PCS_GAP_FACE,
                                         .is_gap = true});
}

// ---- Meshes and formulas ----

// The whole model at theta.
static void update_all(pcs_gap_search *s, double t, double theta)
{
    pcs_motion_state(&s->motion, theta, s->q, s->v);
    pcs_configuration_update(s->model, &s->c, t, s->q, s->v, s->turns, s->external);
}

// A node against a convex shape: the shape lies behind the plane through the foot.
static void look_at_shape(pcs_gap_search *s, const pcs_gap_slot *slot, pcs_gap_place *place)
{
    const pcs_surface_contact *contact = &s->model->surface_contacts.data[slot->index];
    pcs_touch touch;
    pcs_touch_find(s->model, &s->c, contact, slot->place, &touch);
    place->gap = touch.gap;
    place->rate = 0;
    if (touch.gap == HUGE_VAL)
        return;
    add_barrier(place, face_barrier(s, slot, touch.normal, touch.x, touch.gap));
    place->rate = place->barrier[0].rate;
}

// The row of the gap along the motion.
static void look_at_row(pcs_gap_search *s, int32_t slot, pcs_gap_place *place)
{
    const pcs_contact *contact = &s->contacts[slot];
    double u[3] = {0, 0, 0};
    place->gap = contact->gap;
    place->rate = 0;
    if (contact->gap == HUGE_VAL)
        return;
    pcs_contact_velocity(s->model, contact, s->v, u);
    place->rate = u[0];
    place->drift = contact->surface[0];
    memset(place->linear, 0, sizeof place->linear);
    for (int32_t e = 0; e < contact->row.n_nodes; ++e) {
        const pcs_node *node = pcs_model_node(s->model, contact->row.node[e]);
        for (int32_t i = 0; i < node->n_v; ++i)
            for (int32_t k = 0; k < s->motion.degree; ++k)
                place->linear[k] += contact->row.J[e][i] * s->motion.c[k][node->v + i];
    }
}

// ---- A slot at an instant ----

void pcs_gap_search_look(pcs_gap_search *s, int32_t slot, double t, const pcs_gap_place *near,
                         pcs_gap_place *place)
{
    const pcs_gap_slot *kind = &s->slots[slot];
    const double theta = (t - s->motion.t) / s->motion.h;
    ++s->looks;
    place->t = t;
    place->coordinate = 0;
    place->n_barriers = 0;
    if (kind->source == PCS_GAP_OF_SYSTEM || kind->source == PCS_GAP_OF_SURFACE) {
        update_all(s, t, theta);
        if (kind->mode == PCS_GAP_FACE) {
            look_at_shape(s, kind, place);
            return;
        }
        pcs_model_contacts(s->model, &s->c, true, s->contacts);
        look_at_row(s, slot, place);
        return;
    }
    if (kind->source == PCS_GAP_OF_COPY) {
        place->gap = HUGE_VAL;
        place->rate = 0;
        return;
    }
    if (kind->source == PCS_GAP_OF_PAIR) {
        look_at_pair(s, kind, theta, place);
        return;
    }
    move_node(s, kind->node_a, theta);
    move_node(s, kind->node_b, theta);
    look_at_limit(s, kind, theta, near, place);
}
