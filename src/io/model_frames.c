// Vectors, rotations and frames of model files.
//
// A direction fills one axis of a frame; the other two follow from a reference direction, or are
// any two that complete it. In the plane a frame is a point and an angle: `axis` is the direction
// of its x axis, `normal` that of its y axis.
#include <stdio.h>

#include "io/model_reader.h"

// A quaternion typed with a few digits is meant as a unit quaternion if its norm is this near to 1.
static const double QUATERNION_TOLERANCE = 1e-3;

pcs_status pcs_reader_read_numbers(pcs_model_reader *reader, const pcs_yaml_node *list, int32_t n,
                                   double *numbers)
{
    if (list->kind != PCS_YAML_LIST || list->count != n) {
        char found[32] = "";
        if (list->kind == PCS_YAML_LIST)
            snprintf(found, sizeof found, "%d", list->count);
        return pcs_yaml_error(reader->doc, list->mark,
                              "%s%s%sexpected a list of %d numbers, found %s", list->key ? "'" : "",
                              list->key ? list->key : "", list->key ? "': " : "", n,
                              found[0] ? found : pcs_yaml_kind_name(list));
    }
    for (const pcs_yaml_node *item = list->first; item; item = item->next)
        PCS_TRY(pcs_reader_read_number(reader, item, numbers++));
    return PCS_OK;
}

pcs_status pcs_reader_read_vector(pcs_model_reader *reader, const pcs_yaml_node *list,
                                  pcs_vec3 *vector)
{
    double numbers[3] = {0, 0, 0};
    PCS_TRY(pcs_reader_read_numbers(reader, list, reader->dimension, numbers));
    *vector = pcs_v3_load(numbers);
    return PCS_OK;
}

pcs_status pcs_reader_get_vector(pcs_model_reader *reader, const pcs_yaml_node *map,
                                 const char *key, pcs_vec3 *vector)
{
    const pcs_yaml_node *node = pcs_yaml_child(map, key);
    return node ? pcs_reader_read_vector(reader, node, vector) : PCS_OK;
}

static pcs_status refuse_zero(const pcs_model_reader *reader, const pcs_yaml_node *node,
                              pcs_vec3 vector)
{
    double norm = pcs_v3_norm(vector);
    if (norm > 0 && isfinite(norm))
        return PCS_OK;
    return pcs_yaml_error(reader->doc, node->mark, "'%s' must be a direction, but its length is %g",
                          node->key, norm);
}

pcs_status pcs_reader_get_direction(pcs_model_reader *reader, const pcs_yaml_node *map,
                                    const char *key, pcs_vec3 *direction)
{
    const pcs_yaml_node *node = pcs_yaml_child(map, key);
    if (!node)
        return PCS_OK;
    PCS_TRY(pcs_reader_read_vector(reader, node, direction));
    PCS_TRY(refuse_zero(reader, node, *direction));
    *direction = pcs_v3_scale(1 / pcs_v3_norm(*direction), *direction);
    return PCS_OK;
}

// ---- Rotations ----

// {axis: [x, y, z], angle: a}
static pcs_status read_axis_angle(pcs_model_reader *reader, const pcs_yaml_node *map,
                                  pcs_quat *rotation)
{
    const pcs_yaml_node *axis = pcs_yaml_child(map, "axis");
    double numbers[3], angle = 0;
    PCS_TRY(pcs_reader_read_numbers(reader, axis, 3, numbers));
    pcs_vec3 direction = pcs_v3_load(numbers);
    PCS_TRY(refuse_zero(reader, axis, direction));
    PCS_TRY(pcs_reader_get_number(reader, map, "angle", &angle));
    *rotation = pcs_quat_from_axis_angle(direction, angle);
    return PCS_OK;
}

static pcs_status read_quaternion(pcs_model_reader *reader, const pcs_yaml_node *list,
                                  pcs_quat *rotation)
{
    double p[4];
    if (list->count != 4)
        return pcs_yaml_error(
            reader->doc, list->mark,
            "a rotation is {axis: [x, y, z], angle: a}, a list of such maps, or a "
            "unit quaternion of 4 numbers [w, x, y, z]");
    PCS_TRY(pcs_reader_read_numbers(reader, list, 4, p));
    pcs_quat raw = {p[0], p[1], p[2], p[3]};
    double norm = pcs_quat_norm(raw);
    if (!(fabs(norm - 1) <= QUATERNION_TOLERANCE))
        return pcs_yaml_error(reader->doc, list->mark,
                              "a quaternion [w, x, y, z] must have length 1, but has %g", norm);
    *rotation = pcs_quat_normalize(raw);
    return PCS_OK;
}

pcs_status pcs_reader_get_rotation(pcs_model_reader *reader, const pcs_yaml_node *map,
                                   const char *key, pcs_quat *rotation)
{
    const pcs_yaml_node *node = pcs_yaml_child(map, key);
    if (!node)
        return PCS_OK;
    if (node->kind == PCS_YAML_MAP)
        return read_axis_angle(reader, node, rotation);
    if (!node->first || node->first->kind != PCS_YAML_MAP)
        return read_quaternion(reader, node, rotation);
    // One after the other, about the axes of the surrounding frame: later ones act from the left.
    pcs_quat total = pcs_quat_identity();
    for (const pcs_yaml_node *item = node->first; item; item = item->next) {
        pcs_quat one;
        if (item->kind != PCS_YAML_MAP)
            return pcs_yaml_error(reader->doc, item->mark,
                                  "expected {axis: [x, y, z], angle: a} like the first rotation");
        PCS_TRY(read_axis_angle(reader, item, &one));
        total = pcs_quat_mul(one, total);
    }
    *rotation = pcs_quat_normalize(total);
    return PCS_OK;
}

// ---- Orientations ----

pcs_frame_axis pcs_reader_default_axis(const pcs_model_reader *reader)
{
    return reader->dimension == 2 ? PCS_AXIS_X : PCS_AXIS_Z;
}

pcs_quat pcs_frame_rotation(pcs_frame_axis axis, pcs_vec3 direction, pcs_vec3 reference)
{
    pcs_quat rotation = pcs_quat_from_z_axis(direction, reference);
    if (axis == PCS_AXIS_Z)
        return rotation;
    // Columns (x, y, z) with z the direction, renamed in their cyclic order.
    pcs_mat3 R = pcs_quat_matrix(rotation);
    pcs_vec3 x = pcs_m3_column(&R, 0), y = pcs_m3_column(&R, 1), z = pcs_m3_column(&R, 2);
    pcs_mat3 turned = axis == PCS_AXIS_X ? pcs_m3_from_columns(z, x, y)
                                         : pcs_m3_from_columns(y, z, x);
    return pcs_quat_from_matrix(&turned);
}

static pcs_quat planar_rotation(double angle)
{
    return (pcs_quat){cos(angle / 2), 0, 0, sin(angle / 2)};
}

static pcs_status read_planar_orientation(pcs_model_reader *reader, const pcs_yaml_node *map,
                                          pcs_quat *rotation)
{
    PCS_TRY(pcs_reader_refuse_key(reader, map, "rotation", "a planar model; use 'angle'"));
    PCS_TRY(pcs_reader_refuse_key(reader, map, "reference", "a planar model"));
    pcs_vec3 x = {1, 0, 0}, y = {0, 1, 0};
    double angle = 0;
    PCS_TRY(pcs_reader_get_number(reader, map, "angle", &angle));
    PCS_TRY(pcs_reader_get_direction(reader, map, "axis", &x));
    PCS_TRY(pcs_reader_get_direction(reader, map, "normal", &y));
    if (pcs_yaml_child(map, "axis"))
        angle = atan2(x.y, x.x);
    else if (pcs_yaml_child(map, "normal"))
        angle = atan2(-y.x, y.y); // y axis (-sin, cos)
    *rotation = planar_rotation(angle);
    return PCS_OK;
}

// At most one of the keys that give an orientation.
static pcs_status refuse_two_orientations(const pcs_model_reader *reader, const pcs_yaml_node *map)
{
    static const char *const keys[] = {"axis", "normal", "rotation", "angle"};
    const char *first = NULL;
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
        const pcs_yaml_node *node = pcs_yaml_child(map, keys[k]);
        if (node && first)
            return pcs_yaml_error(reader->doc, node->key_mark, "give either '%s' or '%s', not both",
                                  first, keys[k]);
        if (node)
            first = keys[k];
    }
    return PCS_OK;
}

pcs_status pcs_reader_read_orientation(pcs_model_reader *reader, const pcs_yaml_node *map,
                                       pcs_frame_axis axis, pcs_quat *rotation)
{
    PCS_TRY(refuse_two_orientations(reader, map));
    if (reader->dimension == 2)
        return read_planar_orientation(reader, map, rotation);
    PCS_TRY(pcs_reader_refuse_key(reader, map, "angle", "a model in space; use 'rotation'"));
    *rotation = pcs_quat_identity();
    PCS_TRY(pcs_reader_get_rotation(reader, map, "rotation", rotation));
    const char *key = pcs_yaml_child(map, "axis") ? "axis" : "normal";
    pcs_vec3 direction = {0, 0, 1}, reference = {0, 0, 0};
    PCS_TRY(pcs_reader_get_direction(reader, map, key, &direction));
    PCS_TRY(pcs_reader_get_direction(reader, map, "reference", &reference));
    const pcs_yaml_node *given = pcs_yaml_child(map, key), *hint = pcs_yaml_child(map, "reference");
    if (!given && hint)
        return pcs_yaml_error(reader->doc, hint->key_mark, "'reference' needs 'axis' or 'normal'");
    if (hint && pcs_v3_norm(pcs_v3_cross(direction, reference)) < 1e-9)
        return pcs_yaml_error(reader->doc, hint->mark, "'reference' is parallel to '%s'", key);
    if (given)
        *rotation = pcs_frame_rotation(axis, direction, reference);
    return PCS_OK;
}

// ---- Frames ----

pcs_status pcs_reader_read_frame(pcs_model_reader *reader, const pcs_yaml_node *node,
                                 pcs_holder holder, pcs_frame_axis axis, pcs_frame *frame)
{
    *frame = (pcs_frame){.body = holder.body, .rotation = pcs_quat_identity(), .node = holder.node};
    if (node->kind == PCS_YAML_LIST)
        return pcs_reader_read_vector(reader, node, &frame->position);
    PCS_TRY(pcs_reader_get_vector(reader, node, "at", &frame->position));
    return pcs_reader_read_orientation(reader, node, axis, &frame->rotation);
}

pcs_status pcs_reader_frame_at(pcs_model_reader *reader, pcs_holder holder, pcs_vec3 position,
                               pcs_quat rotation, pcs_frame *frame)
{
    if (holder.node > 0)
        return pcs_builder_node_frame_at(reader->builder, holder.node, position, rotation, frame);
    return pcs_builder_frame_at(reader->builder, holder.body, position, rotation, frame);
}

pcs_status pcs_reader_get_place(pcs_model_reader *reader, const pcs_yaml_node *element,
                                const pcs_holder holders[2], pcs_vec3 *at)
{
    *at = (pcs_vec3){0, 0, 0};
    const int32_t node = holders[0].node > 0 ? holders[0].node : holders[1].node;
    if (pcs_yaml_child(element, "at") || node == 0)
        return pcs_reader_get_vector(reader, element, "at", at);
    return pcs_builder_node_position(reader->builder, node, at);
}

pcs_status pcs_reader_read_frames(pcs_model_reader *reader, const pcs_yaml_node *element,
                                  const pcs_holder holders[2], const pcs_frame_axis axes[2],
                                  pcs_frame *a, pcs_frame *b, bool *given)
{
    static const char *const world_keys[] = {"at", "axis", "axis2", "normal", "reference"};
    const pcs_yaml_node *first = pcs_yaml_child(element, "a");
    const pcs_yaml_node *second = pcs_yaml_child(element, "b");
    *given = first || second;
    if (!*given)
        return PCS_OK;
    if (!first || !second)
        return pcs_yaml_error(
            reader->doc, first ? first->key_mark : second->key_mark,
            "'a' and 'b' give the two frames in the bodies' own coordinates; '%s' "
            "is missing",
            first ? "b" : "a");
    for (size_t k = 0; k < sizeof world_keys / sizeof *world_keys; k++)
        PCS_TRY(pcs_reader_refuse_key(reader, element, world_keys[k],
                                      "an element with 'a' and 'b'; write it inside these"));
    PCS_TRY(pcs_reader_read_frame(reader, first, holders[0], axes[0], a));
    return pcs_reader_read_frame(reader, second, holders[1], axes[1], b);
}

pcs_status pcs_reader_read_two_points(pcs_model_reader *reader, const pcs_yaml_node *element,
                                      const pcs_holder holders[2], pcs_frame *a, pcs_frame *b)
{
    const pcs_yaml_node *at = pcs_yaml_child(element, "at");
    if (!at && holders[0].node > 0 && holders[1].node > 0) { // from node to node
        *a = *b = pcs_frame_default();
        a->node = holders[0].node;
        b->node = holders[1].node;
        return PCS_OK;
    }
    if (!at)
        return pcs_yaml_error(reader->doc, element->key_mark,
                              "'%s' needs its two ends: 'a' and 'b' in the bodies' coordinates, or "
                              "'at' with two points of the world",
                              element->key);
    if (at->count != 2 || at->first->kind != PCS_YAML_LIST || at->last->kind != PCS_YAML_LIST)
        return pcs_yaml_error(reader->doc, at->mark,
                              "'at' needs two points here, such as [[0, 0], [1, 0]]");
    pcs_vec3 from, to;
    PCS_TRY(pcs_reader_read_vector(reader, at->first, &from));
    PCS_TRY(pcs_reader_read_vector(reader, at->last, &to));
    pcs_quat no_turn = pcs_quat_identity();
    pcs_status status = pcs_reader_frame_at(reader, holders[0], from, no_turn, a);
    if (status >= 0)
        status = pcs_reader_frame_at(reader, holders[1], to, no_turn, b);
    return status < 0 ? pcs_reader_locate(reader, element, status) : PCS_OK;
}
