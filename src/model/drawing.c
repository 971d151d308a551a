// What a picture of the model shows: shapes of bodies, glyphs of joints, springs, and the geometry
// of declared contacts. One list for the report page, the exports and everyone else who draws.
#include <string.h>

#include "math/rotation.h"
#include "model/model.h"

const char *pcs_drawing_kind_name(pcs_drawing_kind kind)
{
    static const char *const names[PCS_DRAWING_KIND_COUNT] = {
        [PCS_DRAWING_SPHERE] = "sphere",     [PCS_DRAWING_BOX] = "box",
        [PCS_DRAWING_CYLINDER] = "cylinder", [PCS_DRAWING_CAPSULE] = "capsule",
        [PCS_DRAWING_ROD] = "rod",           [PCS_DRAWING_PLANE] = "plane",
        [PCS_DRAWING_HOLE] = "hole",         [PCS_DRAWING_POINT] = "point",
        [PCS_DRAWING_POLYLINE] = "polyline", [PCS_DRAWING_GUIDE] = "guide",
        [PCS_DRAWING_JOINT] = "joint",       [PCS_DRAWING_LINK] = "link",
        [PCS_DRAWING_SPRING] = "spring",     [PCS_DRAWING_TORSION] = "torsion",
    };
    return (int)kind >= 0 && kind < PCS_DRAWING_KIND_COUNT ? names[kind] : NULL;
}

const char *pcs_drawing_owner_name(pcs_drawing_owner owner)
{
    static const char *const names[PCS_DRAWING_OWNER_COUNT] = {
        [PCS_DRAWING_OF_BODY] = "body",     [PCS_DRAWING_OF_JOINT] = "joint",
        [PCS_DRAWING_OF_SPRING] = "spring", [PCS_DRAWING_OF_CONTACT] = "contact",
        [PCS_DRAWING_OF_SYSTEM] = "system",
    };
    return (int)owner >= 0 && owner < PCS_DRAWING_OWNER_COUNT ? names[owner] : NULL;
}

// The frame of an attachment, from the node's origin to that of the body frame.
static pcs_frame frame_of(const pcs_model *model, const pcs_attachment *at)
{
    pcs_frame frame = {PCS_GROUND, at->p, pcs_quat_from_matrix(&at->R), 0};
    if (at->node >= model->bodies.count) {
        frame.node = at->node + 1;
    } else if (at->node >= 0) { // bodies have the first nodes, in the same order
        frame.body = at->node;
        frame.position = pcs_v3_add(at->p, model->bodies.data[at->node].center);
    }
    return frame;
}

static pcs_drawing item(const pcs_model *model, pcs_drawing_kind kind, pcs_drawing_owner owner,
                        int32_t object, const char *name, const pcs_pair *pair)
{
    return (pcs_drawing){.kind = kind,
                         .owner = owner,
                         .object = object,
                         .name = name,
                         .a = frame_of(model, &pair->a),
                         .b = frame_of(model, &pair->b)};
}

static pcs_drawing draw_shape(const pcs_model *model, int32_t body, int32_t shape)
{
    const pcs_body *b = &model->bodies.data[body];
    const pcs_shape_def *s = &b->shapes[shape];
    pcs_drawing d = {.kind = (pcs_drawing_kind)s->kind,
                     .owner = PCS_DRAWING_OF_BODY,
                     .object = body,
                     .name = b->name,
                     .a = {body, s->position, s->rotation, 0},
                     .size = s->size};
    d.b = d.a;
    return d;
}

static void draw_outline(pcs_drawing *d, const pcs_curve *curve)
{
    d->kind = PCS_DRAWING_POLYLINE;
    d->vertices = curve->outline;
    d->n_vertices = curve->n_outline;
    d->closed = curve->closed;
}

// A point on a curve: the curve, then the point.
static pcs_drawing draw_curve_joint(const pcs_model *model, int32_t i, bool side_b)
{
    const pcs_joint *joint = &model->joints.data[i];
    pcs_drawing d = item(model, PCS_DRAWING_POINT, PCS_DRAWING_OF_JOINT, i, joint->name,
                         &joint->pair);
    d.joint_kind = joint->kind;
    if (side_b)
        d.a = d.b;
    else
        d.b = d.a;
    if (!side_b)
        draw_outline(&d, joint->curve);
    return d;
}

static pcs_drawing draw_joint(const pcs_model *model, int32_t i)
{
    const pcs_joint *joint = &model->joints.data[i];
    const bool link = joint->kind == PCS_JOINT_DISTANCE;
    pcs_drawing d = item(model, link ? PCS_DRAWING_LINK : PCS_DRAWING_JOINT, PCS_DRAWING_OF_JOINT,
                         i, joint->name, &joint->pair);
    d.joint_kind = joint->kind;
    return d;
}

// A bushing is several springs of one name and pair: the first stands for all.
static bool is_first_of_its_name(const pcs_model *model, int32_t i)
{
    const pcs_spring *springs = model->springs.data;
    return i == 0 || strcmp(springs[i].name, springs[i - 1].name) != 0;
}

static pcs_drawing draw_spring(const pcs_model *model, int32_t i)
{
    const pcs_spring *springs = model->springs.data, *s = &springs[i];
    const bool bushing = i + 1 < model->springs.count && strcmp(s->name, springs[i + 1].name) == 0;
    const bool line = !bushing && (s->coordinate.kind == PCS_COORDINATE_DISTANCE ||
                                   s->coordinate.kind == PCS_COORDINATE_ALONG);
    return item(model, line ? PCS_DRAWING_SPRING : PCS_DRAWING_TORSION, PCS_DRAWING_OF_SPRING, i,
                s->name, &s->pair);
}

// The two sides of a declared contact.
static pcs_drawing draw_contact(const pcs_model *model, int32_t i, bool side_b)
{
    const pcs_contact_pair *c = &model->contact_pairs.data[i];
    pcs_drawing d = item(model, PCS_DRAWING_POINT, PCS_DRAWING_OF_CONTACT, c->first_slot, c->name,
                         &c->pair);
    const double radius = side_b ? c->radius_b : c->radius_a;
    d.size.x = radius;
    switch (c->kind) {
    case PCS_CONTACT_POINT_PLANE:
    case PCS_CONTACT_SPHERE_PLANE:
    case PCS_CONTACT_BOX_PLANE:
    case PCS_CONTACT_CYLINDER_PLANE:
        if (!side_b) {
            d.kind = PCS_DRAWING_PLANE;
            d.size = (pcs_vec3){c->extent.x, c->extent.y, 0};
        } else if (c->kind == PCS_CONTACT_SPHERE_PLANE) {
            d.kind = PCS_DRAWING_SPHERE;
        } else if (c->kind != PCS_CONTACT_POINT_PLANE) {
            d.kind = c->kind == PCS_CONTACT_BOX_PLANE ? PCS_DRAWING_BOX : PCS_DRAWING_CYLINDER;
            d.size = c->kind == PCS_CONTACT_BOX_PLANE ? c->size
                                                      : (pcs_vec3){c->radius_b, 0, c->size.z};
        }
        break;
    case PCS_CONTACT_SPHERE_SPHERE:
        d.kind = PCS_DRAWING_SPHERE;
        break;
    case PCS_CONTACT_SPHERE_IN_SPHERE:
    case PCS_CONTACT_PIN_IN_HOLE:
        d.kind = side_b ? PCS_DRAWING_SPHERE : PCS_DRAWING_HOLE;
        break;
    case PCS_CONTACT_POINT_POLYLINE:
        if (!side_b) {
            d.kind = PCS_DRAWING_POLYLINE;
            d.vertices = c->vertices;
            d.n_vertices = c->n_vertices;
            d.closed = c->closed;
        }
        break;
    case PCS_CONTACT_POINT_CURVE:
        if (!side_b)
            draw_outline(&d, c->curve);
        else if (radius > 0)
            d.kind = PCS_DRAWING_SPHERE;
        break;
    case PCS_CONTACT_SLIDER_GUIDE:
        d.kind = side_b ? PCS_DRAWING_BOX : PCS_DRAWING_GUIDE;
        d.size = side_b ? c->size : (pcs_vec3){0, c->width, 0};
        break;
    case PCS_CONTACT_KIND_COUNT:
        break;
    }
    if (side_b)
        d.a = d.b;
    else
        d.b = d.a;
    return d;
}

// The shape that the nodes of a surface touch; faces of meshes are drawn with the mesh.
static pcs_drawing draw_target(const pcs_model *model, const pcs_surface_contact *c)
{
    static const pcs_drawing_kind kinds[PCS_TARGET_KIND_COUNT] = {
        [PCS_TARGET_PLANE] = PCS_DRAWING_PLANE,     [PCS_TARGET_SPHERE] = PCS_DRAWING_SPHERE,
        [PCS_TARGET_BOX] = PCS_DRAWING_BOX,         [PCS_TARGET_CYLINDER] = PCS_DRAWING_CYLINDER,
        [PCS_TARGET_CAPSULE] = PCS_DRAWING_CAPSULE,
    };
    const pcs_target_shape *s = &c->shape;
    const pcs_pair pair = {c->frame, c->frame};
    pcs_drawing d = item(model, kinds[s->kind], PCS_DRAWING_OF_CONTACT, c->first_slot, c->name,
                         &pair);
    d.size = s->kind == PCS_TARGET_BOX     ? s->size
             : s->kind == PCS_TARGET_PLANE ? (pcs_vec3){s->extent.x, s->extent.y, 0}
                                           : (pcs_vec3){s->radius, 0, s->size.z};
    return d;
}

// The lines between the points of system k, whose first point is place `first`.
static pcs_status draw_lines(const pcs_model *model, int32_t k, int32_t first, pcs_draw_fn draw,
                             void *user)
{
    const pcs_system *s = &model->systems.data[k];
    for (int32_t i = 0; i < s->n_lines; ++i) {
        const pcs_quat no_turn = {1, 0, 0, 0};
        const pcs_drawing d = {.kind = PCS_DRAWING_LINK,
                               .owner = PCS_DRAWING_OF_SYSTEM,
                               .object = k,
                               .name = s->name,
                               .a = {first + s->line[i][0], {0, 0, 0}, no_turn, 0},
                               .b = {first + s->line[i][1], {0, 0, 0}, no_turn, 0}};
        PCS_TRY(draw(user, &d));
    }
    return PCS_OK;
}

pcs_status pcs_model_draw(const pcs_model *model, pcs_draw_fn draw, void *user)
{
    pcs_drawing d;
    for (int32_t b = 0; b < model->bodies.count; ++b)
        for (int32_t i = 0; i < model->bodies.data[b].n_shapes; ++i) {
            d = draw_shape(model, b, i);
            PCS_TRY(draw(user, &d));
        }
    for (int32_t i = 0; i < model->n_shown_joints; ++i) {
        const bool curve = model->joints.data[i].curve != NULL;
        d = curve ? draw_curve_joint(model, i, false) : draw_joint(model, i);
        PCS_TRY(draw(user, &d));
        if (!curve)
            continue;
        d = draw_curve_joint(model, i, true);
        PCS_TRY(draw(user, &d));
    }
    for (int32_t i = 0; i < model->springs.count; ++i) {
        if (!is_first_of_its_name(model, i))
            continue;
        d = draw_spring(model, i);
        PCS_TRY(draw(user, &d));
    }
    for (int32_t i = 0; i < 2 * model->contact_pairs.count; ++i) {
        d = draw_contact(model, i / 2, i % 2 == 1);
        PCS_TRY(draw(user, &d));
    }
    for (int32_t i = 0; i < model->surface_contacts.count; ++i) {
        const pcs_surface_contact *contact = &model->surface_contacts.data[i];
        if (contact->target >= 0 || contact->hidden)
            continue;
        d = draw_target(model, contact);
        PCS_TRY(draw(user, &d));
    }
    int32_t place = model->bodies.count;
    for (int32_t k = 0; k < model->systems.count; ++k) {
        PCS_TRY(draw_lines(model, k, place, draw, user));
        place += model->systems.data[k].n_points;
    }
    return PCS_OK;
}
