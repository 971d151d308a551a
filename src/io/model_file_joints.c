// The section `joints` of a model file: joints first, then the gears and racks that couple them.
#include <stdio.h>
#include <string.h>

#include "io/model_reader.h"

// What a kind of joint takes.
enum {
    AXIS = 1,  // required with world coordinates
    AXIS2 = 2, // required too
    PITCH = 4, // required
    LENGTH = 8,
    TWO_POINTS = 16, // ends apart from each other
    CURVE = 32       // curve, closed; the point is the origin of b
};

static int joint_keys(pcs_joint_kind kind, int32_t dimension)
{
    switch (kind) {
    case PCS_JOINT_FIXED:
    case PCS_JOINT_SPHERICAL:
        return 0;
    case PCS_JOINT_REVOLUTE:
        return dimension == 3 ? AXIS : 0;
    case PCS_JOINT_UNIVERSAL:
        return AXIS | AXIS2;
    case PCS_JOINT_SCREW:
        return AXIS | PITCH;
    case PCS_JOINT_DISTANCE:
        return TWO_POINTS | LENGTH;
    case PCS_JOINT_POINT_ON_CURVE:
        return CURVE;
    default:
        return AXIS;
    }
}

typedef struct joint_reader {
    const pcs_yaml_node *node;
    int keys;
    char owner[64]; // "a revolute joint", for messages
} joint_reader;

// Key by key: required, allowed or refused.
static pcs_status check_keys(pcs_model_reader *reader, const joint_reader *joint)
{
    static const struct {
        const char *key;
        int bit;
        bool required;
    } rows[] = {{"pitch", PITCH, true},
                {"length", LENGTH, false},
                {"axis2", AXIS2, false},
                {"curve", CURVE, true},
                {"closed", CURVE, false}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        if (!(joint->keys & rows[k].bit))
            PCS_TRY(pcs_reader_refuse_key(reader, joint->node, rows[k].key, joint->owner));
        else if (rows[k].required)
            PCS_TRY(pcs_reader_require_key(reader, joint->node, rows[k].key, joint->owner));
    }
    PCS_TRY(pcs_reader_refuse_key(reader, joint->node, "joints", joint->owner));
    return pcs_reader_refuse_key(reader, joint->node, "ratio", joint->owner);
}

// ---- Frames ----

// x of the cross along `axis`, y along `axis2`.
static pcs_status read_cross(pcs_model_reader *reader, const joint_reader *joint,
                             pcs_quat *rotation)
{
    pcs_vec3 x = {1, 0, 0}, y = {0, 1, 0};
    PCS_TRY(pcs_reader_require_key(reader, joint->node, "axis2", joint->owner));
    PCS_TRY(pcs_reader_refuse_key(reader, joint->node, "reference", joint->owner));
    PCS_TRY(pcs_reader_get_direction(reader, joint->node, "axis", &x));
    PCS_TRY(pcs_reader_get_direction(reader, joint->node, "axis2", &y));
    double cosine = pcs_v3_dot(x, y);
    if (fabs(cosine) > 1e-6)
        return pcs_yaml_error(reader->doc, pcs_yaml_child(joint->node, "axis2")->mark,
                              "'axis2' must be perpendicular to 'axis'; the cosine is %g", cosine);
    *rotation = pcs_frame_rotation(PCS_AXIS_X, x, y);
    return PCS_OK;
}

// One frame of the world, the same on both bodies in the initial configuration. A curve lies in
// that frame, and the point on it is the origin of the second body.
static pcs_status read_world_frame(pcs_model_reader *reader, const joint_reader *joint,
                                   const pcs_holder holders[2], pcs_joint_def *def)
{
    if (joint->keys & TWO_POINTS) {
        PCS_TRY(pcs_reader_refuse_key(reader, joint->node, "axis", joint->owner));
        PCS_TRY(pcs_reader_refuse_key(reader, joint->node, "reference", joint->owner));
        return pcs_reader_read_two_points(reader, joint->node, holders, &def->a, &def->b);
    }
    if (joint->keys & AXIS)
        PCS_TRY(pcs_reader_require_key(reader, joint->node, "axis", joint->owner));
    else if (reader->dimension == 2 && !(joint->keys & CURVE))
        PCS_TRY(pcs_reader_refuse_key(reader, joint->node, "axis", joint->owner));
    pcs_vec3 at = {0, 0, 0};
    pcs_quat rotation;
    PCS_TRY(pcs_reader_get_place(reader, joint->node, holders, &at));
    if (joint->keys & AXIS2)
        PCS_TRY(read_cross(reader, joint, &rotation));
    else
        PCS_TRY(pcs_reader_read_orientation(reader, joint->node, pcs_reader_default_axis(reader),
                                            &rotation));
    pcs_status status = pcs_reader_frame_at(reader, holders[0], at, rotation, &def->a);
    def->b.body = holders[1].body;
    def->b.node = holders[1].node;
    if (status >= 0 && !(joint->keys & CURVE))
        status = pcs_reader_frame_at(reader, holders[1], at, rotation, &def->b);
    return status < 0 ? pcs_reader_locate(reader, joint->node, status) : PCS_OK;
}

static pcs_status read_frames(pcs_model_reader *reader, const joint_reader *joint,
                              pcs_joint_def *def)
{
    pcs_holder holders[2];
    PCS_TRY(pcs_reader_read_bodies(reader, joint->node, holders));
    pcs_frame_axis axes[2] = {pcs_reader_default_axis(reader), pcs_reader_default_axis(reader)};
    if (joint->keys & AXIS2) { // about x of a, then y of b
        axes[0] = PCS_AXIS_X;
        axes[1] = PCS_AXIS_Y;
    }
    bool given;
    PCS_TRY(pcs_reader_read_frames(reader, joint->node, holders, axes, &def->a, &def->b, &given));
    return given ? PCS_OK : read_world_frame(reader, joint, holders, def);
}

// ---- What acts on the coordinates ----

static pcs_status read_limits(pcs_model_reader *reader, const pcs_yaml_node *node,
                              pcs_joint_drive *drive)
{
    drive->has_lower = pcs_yaml_child(node, "lower") != NULL;
    drive->has_upper = pcs_yaml_child(node, "upper") != NULL;
    if (!drive->has_lower && !drive->has_upper)
        return pcs_yaml_error(reader->doc, node->mark, "'limits' needs 'lower', 'upper' or both");
    PCS_TRY(pcs_reader_get_number(reader, node, "lower", &drive->lower));
    PCS_TRY(pcs_reader_get_number(reader, node, "upper", &drive->upper));
    if (drive->has_lower && drive->has_upper && !(drive->lower < drive->upper))
        return pcs_yaml_error(reader->doc, node->mark,
                              "the lower limit %g must be less than the upper limit %g",
                              drive->lower, drive->upper);
    return pcs_reader_get_in_range(reader, node, "restitution", 0, 1, &drive->restitution);
}

static pcs_status read_drive(pcs_model_reader *reader, const pcs_yaml_node *map,
                             pcs_joint_drive *drive)
{
    const pcs_yaml_node *spring = pcs_yaml_child(map, "spring");
    const pcs_yaml_node *actuator = pcs_yaml_child(map, "actuator");
    const pcs_yaml_node *motion = pcs_yaml_child(map, "motion");
    const pcs_yaml_node *limits = pcs_yaml_child(map, "limits");
    if (spring) {
        PCS_TRY(
            pcs_reader_get_in_range(reader, spring, "stiffness", 0, INFINITY, &drive->stiffness));
        PCS_TRY(pcs_reader_get_in_range(reader, spring, "damping", 0, INFINITY, &drive->damping));
        PCS_TRY(pcs_reader_get_number(reader, spring, "rest", &drive->rest));
    }
    if (actuator)
        PCS_TRY(pcs_reader_read_value(reader, actuator, PCS_NAMES_STATE, &drive->actuator));
    if (motion) {
        drive->has_motion = true;
        PCS_TRY(pcs_reader_read_value(reader, motion, PCS_NAMES_TIME, &drive->motion));
    }
    return limits ? read_limits(reader, limits, drive) : PCS_OK;
}

static int32_t coordinate_names(pcs_joint_kind kind, int32_t dimension,
                                const char *names[PCS_JOINT_COORDINATES_MAX])
{
    int32_t n = 0;
    while (n < PCS_JOINT_COORDINATES_MAX &&
           (names[n] = pcs_joint_coordinate_name(kind, dimension, n)) != NULL)
        n++;
    return n;
}

// Spring, actuator, motion and limits at the joint itself, if it has one coordinate only.
static pcs_status read_only_drive(pcs_model_reader *reader, const joint_reader *joint,
                                  int32_t n_names, const char *const *names, pcs_joint_def *def)
{
    static const char *const keys[] = {"spring", "actuator", "motion", "limits"};
    for (size_t k = 0; k < sizeof keys / sizeof *keys && n_names != 1; k++) {
        const pcs_yaml_node *node = pcs_yaml_child(joint->node, keys[k]);
        if (node && n_names == 0)
            return pcs_reader_refuse_key(reader, joint->node, keys[k], joint->owner);
        if (node)
            return pcs_yaml_error(reader->doc, node->key_mark,
                                  "%s has several coordinates; write coordinates: {%s: {%s: ...}}",
                                  joint->owner, names[0], keys[k]);
    }
    return n_names == 1 ? read_drive(reader, joint->node, &def->drive[0]) : PCS_OK;
}

static pcs_status read_drives(pcs_model_reader *reader, const joint_reader *joint,
                              pcs_joint_def *def)
{
    const char *names[PCS_JOINT_COORDINATES_MAX];
    int32_t n = coordinate_names(def->kind, reader->dimension, names);
    PCS_TRY(read_only_drive(reader, joint, n, names, def));
    const pcs_yaml_node *map = pcs_yaml_child(joint->node, "coordinates");
    if (!map)
        return PCS_OK;
    if (map->kind != PCS_YAML_MAP)
        return pcs_yaml_error(reader->doc, map->mark,
                              "'coordinates' of a joint is a map, such as {%s: {limits: ...}}",
                              n > 0 ? names[0] : "angle");
    for (const pcs_yaml_node *entry = map->first; entry; entry = entry->next) {
        // The key is the text to choose by.
        pcs_yaml_node name = {.kind = PCS_YAML_SCALAR, .text = entry->key, .mark = entry->key_mark};
        int32_t k = 0;
        char what[96];
        snprintf(what, sizeof what, "coordinate of %s", joint->owner);
        PCS_TRY(pcs_reader_read_choice(reader, &name, what, names, n, &k));
        if (entry->kind != PCS_YAML_MAP)
            return pcs_yaml_error(reader->doc, entry->mark, "'%s' must be a map, not %s",
                                  entry->key, pcs_yaml_kind_name(entry));
        PCS_TRY(read_drive(reader, entry, &def->drive[k]));
    }
    return PCS_OK;
}

// ---- Joints and couplings ----

enum { TYPE_GEAR = PCS_JOINT_KIND_COUNT, TYPE_RACK, TYPE_COUNT };

static pcs_status read_type(pcs_model_reader *reader, const pcs_yaml_node *node, int32_t *type)
{
    const char *names[TYPE_COUNT];
    for (int32_t k = 0; k < PCS_JOINT_KIND_COUNT; k++)
        names[k] = pcs_joint_kind_name((pcs_joint_kind)k);
    names[TYPE_GEAR] = "gear";
    names[TYPE_RACK] = "rack";
    const pcs_yaml_node *text = pcs_yaml_child(node, "type");
    PCS_TRY(pcs_reader_read_choice(reader, text, "joint type", names, TYPE_COUNT, type));
    if (*type < PCS_JOINT_KIND_COUNT &&
        !pcs_joint_kind_allowed((pcs_joint_kind)*type, reader->dimension))
        return pcs_yaml_error(reader->doc, text->mark, "a %s joint is not possible in a %s model",
                              text->text, reader->dimension == 2 ? "planar" : "spatial");
    return PCS_OK;
}

static pcs_status read_joint(pcs_model_reader *reader, const pcs_yaml_node *node,
                             pcs_joint_kind kind)
{
    pcs_joint_def def = pcs_joint_default();
    def.name = node->key;
    def.kind = kind;
    joint_reader joint = {.node = node, .keys = joint_keys(kind, reader->dimension)};
    snprintf(joint.owner, sizeof joint.owner, "a %s joint", pcs_joint_kind_name(kind));
    PCS_TRY(check_keys(reader, &joint));
    PCS_TRY(read_frames(reader, &joint, &def));
    PCS_TRY(pcs_reader_get_number(reader, node, "pitch", &def.pitch));
    PCS_TRY(pcs_reader_get_positive(reader, node, "length", &def.length));
    PCS_TRY(pcs_reader_get_curve(reader, node, &def.curve));
    PCS_TRY(read_drives(reader, &joint, &def));
    pcs_joint_id id;
    pcs_status status = pcs_builder_add_joint(reader->builder, &def, &id);
    if (status < 0)
        return pcs_reader_locate(reader, node, status);
    reader->joint_kinds[id] = kind;
    return PCS_OK;
}

// Coordinate of a coupled joint: the named one, the only one, or the one called `usual`.
static pcs_status read_coupled(pcs_model_reader *reader, const pcs_yaml_node *joint,
                               const pcs_yaml_node *name, const char *usual, pcs_joint_id *id,
                               int32_t *coordinate)
{
    int32_t k = pcs_name_table_find(&reader->joints, joint->text);
    if (k < 0)
        return pcs_reader_unknown_name(reader, joint, "joint", &reader->joints);
    *id = reader->joints.index[k];
    if (*id == PCS_INDEX_COUPLING)
        return pcs_yaml_error(reader->doc, joint->mark, "'%s' is a gear or rack, not a joint",
                              joint->text);
    const char *names[PCS_JOINT_COORDINATES_MAX];
    int32_t n = coordinate_names(reader->joint_kinds[*id], reader->dimension, names);
    *coordinate = 0;
    if (name)
        return pcs_reader_read_choice(reader, name, "joint coordinate", names, n, coordinate);
    if (n == 1)
        return PCS_OK;
    for (int32_t i = 0; i < n; i++) {
        if (strcmp(names[i], usual) == 0) {
            *coordinate = i;
            return PCS_OK;
        }
    }
    if (n == 0)
        return pcs_yaml_error(reader->doc, joint->mark, "joint '%s' has no coordinate to couple",
                              joint->text);
    return pcs_yaml_error(reader->doc, joint->mark,
                          "joint '%s' has several coordinates; add coordinates: [..., ...]",
                          joint->text);
}

static pcs_status read_coupling(pcs_model_reader *reader, const pcs_yaml_node *node, bool rack)
{
    static const char *const not_of_couplings[] = {
        "bodies", "at",     "axis",     "axis2",  "reference", "a",     "b",     "pitch",
        "length", "spring", "actuator", "motion", "limits",    "curve", "closed"};
    const char *owner = rack ? "a rack" : "a gear";
    for (size_t k = 0; k < sizeof not_of_couplings / sizeof *not_of_couplings; k++)
        PCS_TRY(pcs_reader_refuse_key(reader, node, not_of_couplings[k], owner));
    PCS_TRY(pcs_reader_require_key(reader, node, "joints", owner));
    PCS_TRY(pcs_reader_require_key(reader, node, "ratio", owner));
    const pcs_yaml_node *joints = pcs_yaml_child(node, "joints");
    const pcs_yaml_node *names = pcs_yaml_child(node, "coordinates");
    if (joints->count != 2)
        return pcs_yaml_error(reader->doc, joints->mark, "'joints' needs two names, but has %d",
                              joints->count);
    if (names && (names->kind != PCS_YAML_LIST || names->count != 2))
        return pcs_yaml_error(reader->doc, names->mark,
                              "'coordinates' of %s is a list of two names, such as [angle, angle]",
                              owner);
    pcs_coupling_def def = pcs_coupling_default();
    def.name = node->key;
    PCS_TRY(read_coupled(reader, joints->first, names ? names->first : NULL, "angle", &def.joint[0],
                         &def.coordinate[0]));
    PCS_TRY(read_coupled(reader, joints->last, names ? names->last : NULL,
                         rack ? "displacement" : "angle", &def.joint[1], &def.coordinate[1]));
    PCS_TRY(pcs_reader_get_number(reader, node, "ratio", &def.ratio));
    pcs_status status = pcs_builder_add_coupling(reader->builder, &def);
    return status < 0 ? pcs_reader_locate(reader, node, status) : PCS_OK;
}

pcs_status pcs_reader_read_all_joints(pcs_model_reader *reader)
{
    const pcs_yaml_node *section = pcs_yaml_child(reader->root, "joints");
    if (!section || section->count == 0)
        return PCS_OK;
    reader->joint_kinds = pcs_yaml_alloc(reader->doc, (size_t)section->count,
                                         sizeof *reader->joint_kinds);
    if (!reader->joint_kinds)
        return PCS_ERROR_MEMORY;
    int32_t type;
    for (const pcs_yaml_node *node = section->first; node; node = node->next) {
        PCS_TRY(read_type(reader, node, &type));
        if (type < PCS_JOINT_KIND_COUNT)
            PCS_TRY(read_joint(reader, node, (pcs_joint_kind)type));
    }
    for (const pcs_yaml_node *node = section->first; node; node = node->next) {
        PCS_TRY(read_type(reader, node, &type));
        if (type >= PCS_JOINT_KIND_COUNT)
            PCS_TRY(read_coupling(reader, node, type == TYPE_RACK));
    }
    return PCS_OK;
}
