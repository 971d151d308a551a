// The place where a node touches its target.
//
// On faces, two looks into the tree. The first finds the nearest face of all and from it whether
// the node is outside the surface; outside the box of a closed one that is known. The second finds the nearest face that looks at the surface of
// the node (PCS_FACING_COSINE); from outside only faces that the node is in front of count,
// otherwise also those it has gone through, up to half the size of a face. Where several faces meet
// at the nearest place, one whose normal meets the node is taken; beyond the edges of all of them
// the normal is along the way from the edge or corner, unless the surface of the node goes on over
// the face: there an edge crosses the border, and the face reaches as far as the node.
#include "model/contact_touch.h"

#include <math.h>
#include <string.h>

#include "model/contact_pair.h"
#include "model/model.h"

// ---- Surfaces at a configuration ----

typedef struct fitted_surface {
    const pcs_mesh_surface *surface;
    const pcs_box *faces, *boxes; // of the faces and of the nodes of the tree
    const pcs_vec3 *normals;      // of the nodes, times an area
} fitted_surface;

int64_t pcs_mesh_surface_work(const pcs_mesh_surface *surface)
{
    const int64_t boxes = surface->tree ? (int64_t)surface->n_faces + surface->tree->n_nodes : 0;
    return (boxes * (int64_t)sizeof(pcs_box) + surface->n_nodes * (int64_t)sizeof(pcs_vec3)) /
           (int64_t)sizeof(double);
}

static pcs_face load_face(const pcs_mesh_surface *surface, const pcs_configuration *c, int32_t i)
{
    pcs_face face = {.n = 0};
    while (face.n < PCS_FACE_NODES_MAX && surface->face[i][face.n] >= 0) {
        face.x[face.n] = c->pose[surface->face[i][face.n]].x;
        face.n++;
    }
    return face;
}

static void fit(const pcs_mesh_surface *surface, const pcs_configuration *c, pcs_box *faces,
                pcs_box *boxes, pcs_vec3 *normals)
{
    memset(normals, 0, sizeof *normals * (size_t)surface->n_nodes);
    for (int32_t i = 0; i < surface->n_faces; i++) {
        const pcs_face face = load_face(surface, c, i);
        const pcs_vec3 area = pcs_face_area(&face);
        faces[i] = pcs_face_box(&face);
        for (int32_t k = 0; k < face.n; k++) {
            pcs_vec3 *normal = &normals[surface->corner[i][k]];
            *normal = pcs_v3_add(*normal, area);
        }
    }
    if (surface->tree)
        pcs_bounding_tree_refit(surface->tree, faces, boxes);
}

static fitted_surface surface_at(const pcs_model *model, const pcs_configuration *c, int32_t k)
{
    const pcs_mesh_surface *surface = &model->surfaces.data[k];
    pcs_box *faces = (pcs_box *)(void *)(c->surfaces + surface->work);
    pcs_box *boxes = faces + (surface->tree ? surface->n_faces : 0);
    pcs_vec3 *normals = (pcs_vec3 *)(void *)(boxes + (surface->tree ? surface->tree->n_nodes : 0));
    if (!c->fitted[k])
        fit(surface, c, faces, boxes, normals);
    c->fitted[k] = true;
    return (fitted_surface){surface, faces, boxes, normals};
}

// Outward normal of the surface that the node belongs to; false: it has none.
static bool find_facing(const pcs_model *model, const pcs_configuration *c,
                        const pcs_surface_contact *contact, int32_t i, pcs_vec3 *facing)
{
    if (contact->skin < 0 || contact->skin_place[i] < 0)
        return false;
    const fitted_surface skin = surface_at(model, c, contact->skin);
    const pcs_vec3 normal = skin.normals[contact->skin_place[i]];
    const double length = pcs_v3_norm(normal);
    if (!(length > PCS_SHORTEST_DIRECTION))
        return false;
    *facing = pcs_v3_scale(1.0 / length, normal);
    return true;
}

// ---- The nearest face ----

enum { CANDIDATES_MAX = 16, EDGES_MAX = 16 }; // faces and edges around a corner

// Bodies with flush sides: how far beyond the border of a face, in parts of its size, a node still
// stands on it if an edge of its own surface leads back over the face. The edges touch where they
// cross; the node takes the place of the crossing, so that this is the largest error of the lever.
static const double FLUSH_REACH = 0.05;
// Sine of the angle up to which such an edge lies in the face and two faces are one.
static const double FLUSH_SLOPE = 0.1;

typedef struct candidate {
    int32_t face;
    pcs_face shape;
    pcs_face_foot foot;
    pcs_vec3 normal; // of the face there
    double height;   // of the node above the face
} candidate;

typedef struct face_search {
    const pcs_mesh_surface *surface;
    const pcs_configuration *c;
    int32_t node;
    pcs_vec3 x, facing;
    bool faces_something;         // `facing` is known
    const pcs_mesh_surface *skin; // that the node belongs to, at this place
    int32_t skin_place;
    bool outside;  // of the surface
    bool events;   // ends of faces are events
    double margin; // of faces
    double same;   // distances that differ by less belong to one place
    double depth;  // how far behind a face the node may be
    double nearest, front;
    candidate list[CANDIDATES_MAX];
    int32_t n;
} face_search;

// Faces that cannot be candidates need no nearest point: those that look the same way as the node's
// surface (no normal of a patch is 60 degrees from the mean), and, from outside, those whose mean
// plane through every corner has the node behind it.
static bool looks_away(const face_search *s, const pcs_face *face)
{
    const pcs_vec3 area = pcs_face_area(face);
    if (s->faces_something && pcs_v3_dot(s->facing, area) > 0.5 * pcs_v3_norm(area))
        return true;
    const double depth = s->faces_something ? FLUSH_REACH * pcs_face_size(face) : 0.0;
    const double limit = -depth * pcs_v3_norm(area);
    bool behind = s->outside;
    for (int32_t k = 0; k < face->n && behind; k++)
        behind = pcs_v3_dot(area, pcs_v3_sub(s->x, face->x[k])) < limit;
    return behind;
}

static bool look_at(const face_search *s, int32_t item, double radius, candidate *found)
{
    const int32_t *nodes = s->surface->face[item];
    for (int32_t k = 0; k < PCS_FACE_NODES_MAX; k++)
        if (nodes[k] == s->node)
            return false; // a face does not touch its own corner
    found->face = item;
    found->shape = load_face(s->surface, s->c, item);
    if (looks_away(s, &found->shape))
        return false;
    pcs_face_find(&found->shape, s->x, s->margin, &found->foot);
    if (!(found->foot.distance <= radius))
        return false;
    found->normal = pcs_face_normal(&found->shape, found->foot.s);
    found->height = pcs_v3_dot(found->normal, pcs_v3_sub(s->x, found->foot.point));
    return true;
}

// Whether the way from the node, of a length up to the reach, ends over the face.
static bool leads_over(const face_search *s, const pcs_face *face, pcs_vec3 way, double reach)
{
    pcs_face_foot ahead;
    const double length = pcs_v3_norm(way);
    if (!(length > PCS_SHORTEST_DIRECTION))
        return false;
    pcs_face_find(face, pcs_v3_axpy(s->x, fmin(1.0, reach / length), way), s->margin, &ahead);
    return ahead.kind == PCS_FOOT_INSIDE;
}

// Whether the surface of a node beyond the border goes on over the face: one of its edges, or beyond
// a corner the way between two of them, leads from the node back over the border within FLUSH_REACH.
// The foot is then that on the face continued. A node that only passes by, as in a slot, has no such
// edge.
static bool reaches_over(const face_search *s, const candidate *at, pcs_face_foot *foot)
{
    if (!s->faces_something || !pcs_face_project(&at->shape, s->x, foot))
        return false;
    const double reach = FLUSH_REACH * pcs_face_size(&at->shape);
    const pcs_vec3 normal = pcs_face_normal(&at->shape, foot->s);
    if (!(pcs_v3_norm(pcs_v3_sub(foot->point, at->foot.point)) <= reach) ||
        !(pcs_v3_dot(normal, pcs_v3_sub(s->x, foot->point)) >= -reach) ||
        pcs_v3_dot(normal, s->facing) >= PCS_FACING_COSINE)
        return false;
    pcs_vec3 edge[EDGES_MAX]; // that lie in the face
    int32_t n = 0;
    const int32_t *first = s->skin->edge_start + s->skin_place;
    for (int32_t k = first[0]; k < first[1] && n < EDGES_MAX; k++) {
        edge[n] = pcs_v3_sub(s->c->pose[s->skin->edge_node[k]].x, s->x);
        const double length = pcs_v3_norm(edge[n]);
        if (!(fabs(pcs_v3_dot(edge[n], normal)) <= FLUSH_SLOPE * length))
            continue;
        if (leads_over(s, &at->shape, edge[n], reach))
            return true;
        edge[n] = pcs_v3_scale(1.0 / length, edge[n]);
        n++;
    }
    for (int32_t k = 0; k < n && at->foot.kind == PCS_FOOT_CORNER; k++)
        for (int32_t l = 0; l < k; l++)
            if (leads_over(s, &at->shape, pcs_v3_scale(reach, pcs_v3_add(edge[k], edge[l])), reach))
                return true;
    return false;
}

// First look: the nearest face, and the sum of the heights where several meet.
static double find_side(void *user, int32_t item, double radius)
{
    face_search *s = user;
    candidate found;
    if (!look_at(s, item, radius, &found))
        return radius;
    if (found.foot.distance < s->nearest - s->same)
        s->front = 0.0;
    s->front += found.height;
    s->nearest = fmin(s->nearest, found.foot.distance);
    return fmin(radius, s->nearest + s->same);
}

// Where ends of faces are events, a contact that has come to an end without a neighbour is over,
// also if rounding has left it this side of the end.
static bool is_over(const face_search *s, const candidate *found)
{
    if (!s->events || found->foot.kind != PCS_FOOT_INSIDE)
        return false;
    int32_t edge;
    pcs_face_foot foot;
    const double way = pcs_face_edge(&found->shape, &found->foot, &edge);
    return way < s->margin * s->surface->size && s->surface->neighbour[found->face][edge] < 0 &&
           !reaches_over(s, found, &foot);
}

// Second look: candidates at the nearest place.
static double find_candidates(void *user, int32_t item, double radius)
{
    face_search *s = user;
    candidate found;
    if (!look_at(s, item, radius, &found))
        return radius;
    if (s->faces_something && pcs_v3_dot(s->facing, found.normal) >= PCS_FACING_COSINE)
        return radius;
    pcs_face_foot foot;
    if (s->outside && found.height < 0.0) {
        // Below a face and beside its body, unless the sides are flush.
        if (found.foot.kind == PCS_FOOT_INSIDE || !reaches_over(s, &found, &foot))
            return radius;
    } else if (found.height < -s->depth || is_over(s, &found)) {
        return radius;
    }
    s->nearest = fmin(s->nearest, found.foot.distance);
    int32_t kept = 0;
    for (int32_t k = 0; k < s->n; k++)
        if (s->list[k].foot.distance <= s->nearest + s->same)
            s->list[kept++] = s->list[k];
    s->n = kept;
    if (s->n < CANDIDATES_MAX)
        s->list[s->n++] = found;
    return fmin(radius, s->nearest + s->same);
}

// The candidate at the nearest place. In a concave corner a node may have gone through one face, by
// little, and be still nearer to the other one: the one it has gone through counts.
static const candidate *choose_place(const face_search *s)
{
    const candidate *nearest = NULL, *behind = NULL;
    for (int32_t k = 0; k < s->n; k++) {
        const candidate *other = &s->list[k];
        const double d = other->foot.distance;
        if (!nearest || d < nearest->foot.distance)
            nearest = other;
        if (other->foot.kind == PCS_FOOT_INSIDE && other->height < 0.0 &&
            (!behind || d < behind->foot.distance))
            behind = other;
    }
    return behind && nearest->height >= 0.0 ? behind : nearest;
}

// Keeps the candidates at one place; others are as near by chance.
static void keep_place(face_search *s, pcs_vec3 place)
{
    int32_t kept = 0;
    for (int32_t k = 0; k < s->n; k++)
        if (pcs_v3_norm(pcs_v3_sub(s->list[k].foot.point, place)) <= 2.0 * s->same)
            s->list[kept++] = s->list[k];
    s->n = kept;
}

// Among faces whose normals meet the node the one that looks at it most, then the one with the
// lowest number: a node on an edge between flat faces does not change sides with rounding.
static const candidate *choose_inside(const face_search *s)
{
    static const double ALIKE = 1e-6; // cosines
    const candidate *best = NULL;
    double best_cosine = 0.0;
    for (int32_t k = 0; k < s->n; k++) {
        const candidate *other = &s->list[k];
        if (other->foot.kind != PCS_FOOT_INSIDE)
            continue;
        const double cosine = s->faces_something ? pcs_v3_dot(s->facing, other->normal) : 0.0;
        const bool alike = best && fabs(cosine - best_cosine) <= ALIKE;
        if (!best || (alike ? other->face < best->face : cosine < best_cosine)) {
            best = other;
            best_cosine = cosine;
        }
    }
    return best;
}

// Beyond the border, but with a surface that goes on over the face. Where faces that are not one
// meet at the place, it is a ridge, and the normal turns around it.
static const candidate *choose_flush(face_search *s)
{
    candidate *best = NULL;
    for (int32_t k = 0; k < s->n; k++)
        for (int32_t l = 0; l < k; l++)
            if (pcs_v3_norm(pcs_v3_cross(s->list[k].normal, s->list[l].normal)) > FLUSH_SLOPE)
                return NULL;
    for (int32_t k = 0; k < s->n; k++) {
        candidate *other = &s->list[k];
        pcs_face_foot foot;
        if ((best && best->face < other->face) || !reaches_over(s, other, &foot))
            continue;
        best = other;
        best->foot = foot;
        best->normal = pcs_face_normal(&best->shape, foot.s);
        best->height = pcs_v3_dot(best->normal, pcs_v3_sub(s->x, foot.point));
    }
    return best;
}

// Nearest place on an edge or a corner. In front of the faces there the normal is along the way
// from it to the node. Behind them the node is in the body only if the way lies among the normals,
// as it does at a concave edge; otherwise it has passed the end of an open surface.
static const candidate *choose_border(const face_search *s, double *side)
{
    const candidate *best = NULL;
    double front = 0.0, highest = -HUGE_VAL, widest = 1.0;
    for (int32_t k = 0; k < s->n; k++) {
        const candidate *other = &s->list[k];
        front += other->height;
        highest = fmax(highest, other->height);
        for (int32_t l = 0; l < k; l++)
            widest = fmin(widest, pcs_v3_dot(other->normal, s->list[l].normal));
        if (!best || other->face < best->face)
            best = other;
    }
    *side = 1.0;
    if (!best)
        return NULL;
    if (front > 0.0) // not what the surface of the node looks away from
        return s->faces_something && pcs_v3_dot(s->facing, pcs_v3_sub(s->x, best->foot.point)) >=
                                         PCS_FACING_COSINE * best->foot.distance
                   ? NULL
                   : best;
    *side = -1.0;
    return highest <= -s->nearest * (widest - PCS_FACE_MARGIN) ? best : NULL;
}

static void set_face(const face_search *s, const candidate *at, double side, double radius,
                     pcs_touch *touch)
{
    const int32_t *nodes = s->surface->face[at->face];
    const bool inside = at->foot.kind == PCS_FOOT_INSIDE;
    const double d = at->foot.distance;
    touch->face = inside ? at->face : -2 - at->face;
    touch->shape = at->shape;
    touch->foot = at->foot;
    touch->gap = inside ? at->height : side * d;
    touch->normal = at->normal;
    if (!inside && d > PCS_SHORTEST_DIRECTION)
        touch->normal = pcs_v3_scale(side / d, pcs_v3_sub(s->x, at->foot.point));
    for (int32_t k = 0; k < at->shape.n; k++) {
        touch->node[1 + k] = nodes[k];
        touch->weight[1 + k] = -at->foot.weight[k];
        touch->point[1 + k] = at->shape.x[k];
    }
    touch->n_sides = 1 + at->shape.n;
    touch->axis_corner = 1;
    touch->axis = pcs_v3_sub(at->shape.x[1], at->shape.x[0]);
    const double along = pcs_v3_dot(touch->axis, touch->normal);
    const double length = pcs_v3_norm(touch->axis);
    if (at->shape.n > 2 &&
        length * length - along * along < PCS_AXIS_SINE * PCS_AXIS_SINE * length * length) {
        touch->axis_corner = at->shape.n - 1;
        touch->axis = pcs_v3_sub(at->shape.x[at->shape.n - 1], at->shape.x[0]);
    }
    touch->gap -= radius;
}

// Whether a held face reaches beyond its end: the node's surface goes on over it, and the face
// behind the end does not look at that surface.
static bool is_flush_end(const face_search *s, const candidate *at, int32_t next)
{
    pcs_face_foot foot;
    if (!s->faces_something)
        return false;
    if (next >= 0) {
        const pcs_face other = load_face(s->surface, s->c, next);
        const pcs_vec3 area = pcs_face_area(&other);
        if (pcs_v3_dot(area, s->facing) < PCS_FACING_COSINE * pcs_v3_norm(area))
            return false;
    }
    candidate border = *at;
    pcs_face_find(&at->shape, s->x, s->margin, &border.foot);
    return reaches_over(s, &border, &foot);
}

// A smooth phase has a contact on one face, and the equations are those of this face also beyond
// its ends; or on an edge or a corner of one.
static void find_on_held_face(const face_search *s, int32_t held, double radius, pcs_touch *touch)
{
    candidate at = {.face = pcs_touch_face_of(held)};
    if (at.face >= s->surface->n_faces)
        return;
    at.shape = load_face(s->surface, s->c, at.face);
    if (held < 0 || !pcs_face_project(&at.shape, s->x, &at.foot))
        pcs_face_find(&at.shape, s->x, s->margin, &at.foot);
    at.normal = pcs_face_normal(&at.shape, at.foot.s);
    at.height = pcs_v3_dot(at.normal, pcs_v3_sub(s->x, at.foot.point));
    set_face(s, &at, at.height < 0.0 ? -1.0 : 1.0, radius, touch);
    if (at.foot.kind == PCS_FOOT_INSIDE && held >= 0) {
        int32_t edge;
        touch->edge = pcs_face_edge(&at.shape, &at.foot, &edge);
        touch->next_face = s->surface->neighbour[at.face][edge];
        if (is_flush_end(s, &at, touch->next_face)) {
            touch->edge += FLUSH_REACH * pcs_face_size(&at.shape);
            touch->next_face = -1;
        }
    }
}

static void find_on_faces(const pcs_model *model, const pcs_configuration *c,
                          const pcs_surface_contact *contact, int32_t i, pcs_touch *touch)
{
    const fitted_surface target = surface_at(model, c, contact->target);
    const pcs_mesh_surface *surface = target.surface;
    const int32_t held = c->face ? c->face[contact->first_slot + i] : -1;
    face_search s = {.surface = surface,
                     .c = c,
                     .node = contact->node[i],
                     .x = touch->x,
                     .events = c->face != NULL,
                     .margin = c->face ? PCS_FACE_MARGIN_EVENTS : PCS_FACE_MARGIN,
                     .same = PCS_FACE_MARGIN * surface->size,
                     .depth = 0.5 * surface->size,
                     .nearest = HUGE_VAL};
    s.skin = contact->skin >= 0 ? &model->surfaces.data[contact->skin] : NULL;
    s.skin_place = contact->skin_place[i];
    if (held != -1) {
        s.faces_something = find_facing(model, c, contact, i, &s.facing);
        find_on_held_face(&s, held, contact->node_radius, touch);
        return;
    }
    const double away = pcs_box_distance(&target.boxes[0], s.x);
    if (away > contact->reach)
        return;
    s.outside = surface->closed && away > s.same; // needs no look
    if (!s.outside) {
        pcs_bounding_tree_visit(surface->tree, target.faces, target.boxes, s.x, contact->reach,
                                find_side, &s);
        if (s.nearest == HUGE_VAL)
            return;
        s.outside = s.front > 0.0 && s.nearest > s.same;
        s.nearest = HUGE_VAL;
    }
    s.faces_something = find_facing(model, c, contact, i, &s.facing);
    pcs_bounding_tree_visit(surface->tree, target.faces, target.boxes, s.x, contact->reach,
                            find_candidates, &s);
    if (s.n == 0)
        return;
    double side = 1.0;
    keep_place(&s, choose_place(&s)->foot.point);
    const candidate *at = choose_inside(&s);
    if (!at)
        at = choose_flush(&s);
    if (!at)
        at = choose_border(&s, &side);
    if (at)
        set_face(&s, at, side, contact->node_radius, touch);
}

// ---- Shapes ----

static void find_on_shape(const pcs_model *model, const pcs_configuration *c,
                          const pcs_surface_contact *contact, int32_t i, pcs_touch *touch)
{
    const pcs_placement frame = pcs_contact_place(c, &contact->frame);
    const pcs_mat3 *R = &frame.R;
    const pcs_vec3 local = pcs_m3_tmul_v3(R, pcs_v3_sub(touch->x, frame.x));
    const bool edged = contact->shape.kind == PCS_TARGET_BOX ||
                       contact->shape.kind == PCS_TARGET_CYLINDER;
    pcs_vec3 facing;
    const bool faces_something = edged && find_facing(model, c, contact, i, &facing);
    if (faces_something)
        facing = pcs_m3_tmul_v3(R, facing);
    pcs_shape_foot foot;
    pcs_shape_find(&contact->shape, local, faces_something ? &facing : NULL, &foot);
    touch->gap = foot.distance - contact->node_radius;
    touch->face = foot.face;
    touch->normal = pcs_m3_mul_v3(R, foot.normal);
    touch->axis = pcs_contact_tangent_axis(
        R, pcs_contact_choose_axis(PCS_TANGENTS_FREE, R, touch->normal));
    touch->frame = frame;
    for (int k = 0; k < 2; k++) {
        touch->across[k] = pcs_m3_mul_v3(R, foot.across[k]);
        touch->bend[k] = foot.bend[k];
    }
    if (contact->frame.node >= 0) {
        touch->node[1] = contact->frame.node;
        touch->weight[1] = -1.0;
        touch->point[1] = isfinite(foot.distance)
                              ? pcs_v3_axpy(touch->x, -foot.distance, touch->normal)
                              : touch->x;
        touch->n_sides = 2;
    }
}

void pcs_touch_find(const pcs_model *model, const pcs_configuration *c,
                    const pcs_surface_contact *contact, int32_t i, pcs_touch *touch)
{
    const bool planar = model->dimension == 2;
    touch->gap = HUGE_VAL;
    touch->face = -1;
    touch->edge = HUGE_VAL;
    touch->next_face = -1;
    touch->normal = planar ? pcs_v3(0.0, 1.0, 0.0) : pcs_v3(0.0, 0.0, 1.0);
    touch->axis = pcs_v3(1.0, 0.0, 0.0);
    touch->n_sides = 1;
    touch->node[0] = contact->node[i];
    touch->weight[0] = 1.0;
    touch->x = c->pose[contact->node[i]].x;
    if (contact->target >= 0)
        find_on_faces(model, c, contact, i, touch);
    else
        find_on_shape(model, c, contact, i, touch);
    touch->point[0] = pcs_v3_axpy(touch->x, -contact->node_radius, touch->normal);
}

// ---- Rates ----

// n' = w_a x n + sum bend (w . m) m for the velocity w of the node seen from the shape; the point
// of the shape is x - distance n.
static pcs_vec3 rate_on_shape(const pcs_configuration *c, const pcs_surface_contact *contact,
                              const pcs_touch *touch, const pcs_twist *twist, pcs_vec3 *axis_rate,
                              pcs_touch_rate *rate)
{
    pcs_placement_rate frame = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    if (touch->n_sides > 1)
        frame = pcs_contact_place_rate(&c->pose[touch->node[1]], &twist[1], &touch->frame);
    const pcs_vec3 fixed = pcs_v3_add(frame.v,
                                      pcs_v3_cross(frame.w, pcs_v3_sub(touch->x, touch->frame.x)));
    const pcs_vec3 w = pcs_v3_sub(twist[0].v, fixed);
    pcs_vec3 n_rate = pcs_v3_cross(frame.w, touch->normal);
    for (int k = 0; k < 2; k++)
        n_rate = pcs_v3_axpy(n_rate, touch->bend[k] * pcs_v3_dot(w, touch->across[k]),
                             touch->across[k]);
    const double distance = touch->gap + contact->node_radius;
    const pcs_vec3 way = pcs_v3_axpy(twist[0].v, -pcs_v3_dot(w, touch->normal), touch->normal);
    rate->weight[1] = 0.0;
    rate->point[1] = pcs_v3_axpy(way, -distance, n_rate);
    *axis_rate = pcs_v3_cross(frame.w, touch->axis);
    return n_rate;
}

static pcs_vec3 rate_on_face(const pcs_surface_contact *contact, const pcs_touch *touch,
                             const pcs_twist *twist, pcs_vec3 *axis_rate, pcs_touch_rate *rate)
{
    pcs_vec3 corner[PCS_FACE_CORNERS_MAX];
    for (int32_t k = 0; k < touch->shape.n; k++)
        corner[k] = rate->point[1 + k] = twist[1 + k].v;
    pcs_face_rate foot;
    pcs_face_rates(&touch->shape, &touch->foot, touch->x, touch->normal,
                   touch->gap + contact->node_radius, corner, twist[0].v, &foot);
    for (int32_t k = 0; k < touch->shape.n; k++)
        rate->weight[1 + k] = -foot.weight[k];
    *axis_rate = pcs_v3_sub(corner[touch->axis_corner], corner[0]);
    return foot.normal;
}

void pcs_touch_rates(const pcs_model *model, const pcs_configuration *c,
                     const pcs_surface_contact *contact, const pcs_touch *touch,
                     const pcs_contact *slot, const pcs_twist *twist, pcs_touch_rate *rate)
{
    pcs_vec3 axis_rate;
    rate->axis[0] = contact->target >= 0
                        ? rate_on_face(contact, touch, twist, &axis_rate, rate)
                        : rate_on_shape(c, contact, touch, twist, &axis_rate, rate);
    pcs_contact_axis_rates(model->dimension, touch->axis, axis_rate, slot, rate->axis[0],
                           &rate->axis[1], &rate->axis[2]);
    rate->weight[0] = 0.0;
    rate->point[0] = pcs_v3_axpy(twist[0].v, -contact->node_radius, rate->axis[0]);
}
