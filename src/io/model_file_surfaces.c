// Contacts of the types `surface` and `all-surfaces` in a model file: nodes of meshes against
// shapes and faces.
#include <stdio.h>
#include <string.h>

#include "io/model_reader.h"

bool pcs_reader_is_surface_contact(const pcs_yaml_node *contact)
{
    const pcs_yaml_node *type = pcs_yaml_child(contact, "type");
    return type && (strcmp(type->text, "surface") == 0 || strcmp(type->text, "all-surfaces") == 0);
}

static pcs_status refuse_keys(const pcs_model_reader *reader, const pcs_yaml_node *node,
                              const char *const *keys, size_t n_keys, const char *owner)
{
    for (size_t k = 0; k < n_keys; k++)
        PCS_TRY(pcs_reader_refuse_key(reader, node, keys[k], owner));
    return PCS_OK;
}

#define REFUSE_KEYS(reader, node, keys, owner) \
    refuse_keys((reader), (node), (keys), sizeof(keys) / sizeof *(keys), (owner))

// Keys of the declared pairs.
static pcs_status refuse_pair_keys(const pcs_model_reader *reader, const pcs_yaml_node *node)
{
    static const char *const keys[] = {
        "bodies", "at",   "normal", "axis",  "reference", "a",     "b",      "radius",
        "radii",  "size", "length", "width", "vertices",  "curve", "closed", "extent"};
    return REFUSE_KEYS(reader, node, keys, "a contact of surfaces; see 'target'");
}

static pcs_status read_mesh_name(pcs_model_reader *reader, const pcs_yaml_node *node,
                                 pcs_mesh_id *mesh)
{
    int32_t k = pcs_name_table_find(&reader->meshes, node->text);
    if (k < 0)
        return pcs_reader_unknown_name(reader, node, "mesh", &reader->meshes);
    *mesh = reader->meshes.index[k];
    return PCS_OK;
}

// ---- Targets ----

static const struct {
    const char *key;
    pcs_target_kind kind;
} targets[] = {{"plane", PCS_TARGET_PLANE},     {"sphere", PCS_TARGET_SPHERE},
               {"box", PCS_TARGET_BOX},         {"cylinder", PCS_TARGET_CYLINDER},
               {"capsule", PCS_TARGET_CAPSULE}, {"mesh", PCS_TARGET_FACES}};

enum { N_TARGETS = (int)(sizeof targets / sizeof *targets) };

static pcs_status find_target(pcs_model_reader *reader, const pcs_yaml_node *target,
                              pcs_target_kind *kind, const pcs_yaml_node **shape)
{
    *shape = NULL;
    for (int k = 0; k < N_TARGETS; k++) {
        const pcs_yaml_node *found = pcs_yaml_child(target, targets[k].key);
        if (found && *shape)
            return pcs_yaml_error(reader->doc, found->key_mark,
                                  "give either '%s' or '%s', not both", (*shape)->key, found->key);
        if (found) {
            *shape = found;
            *kind = targets[k].kind;
        }
    }
    if (!*shape)
        return pcs_yaml_error(reader->doc, target->mark,
                              "a target needs one of 'plane', 'sphere', 'box', 'cylinder', "
                              "'capsule' and 'mesh'");
    return PCS_OK;
}

// ---- Shapes ----

static pcs_status read_extent(pcs_model_reader *reader, const pcs_yaml_node *target,
                              pcs_vec2 *extent)
{
    const pcs_yaml_node *node = pcs_yaml_child(target, "extent");
    double numbers[2] = {0, 0};
    if (!node)
        return PCS_OK;
    if (reader->dimension == 2)
        return pcs_reader_get_positive(reader, target, "extent", &extent->x);
    PCS_TRY(pcs_reader_read_numbers(reader, node, 2, numbers));
    if (!(numbers[0] > 0) || !(numbers[1] > 0))
        return pcs_yaml_error(reader->doc, node->mark,
                              "the numbers of 'extent' must be greater than 0, but are %g and %g",
                              numbers[0], numbers[1]);
    *extent = (pcs_vec2){numbers[0], numbers[1]};
    return PCS_OK;
}

// A plane's frame: its z axis (in the plane the y axis) along the normal.
static pcs_status read_plane(pcs_model_reader *reader, const pcs_yaml_node *map,
                             const pcs_yaml_node *normal, pcs_quat *rotation)
{
    pcs_vec3 direction = {0, 0, 1}, reference = {0, 0, 0};
    PCS_TRY(pcs_reader_get_direction(reader, map, normal->key, &direction));
    PCS_TRY(pcs_reader_get_direction(reader, map, "reference", &reference));
    if (reader->dimension == 2) {
        const double angle = atan2(-direction.x, direction.y); // y axis (-sin, cos)
        *rotation = (pcs_quat){cos(angle / 2), 0, 0, sin(angle / 2)};
        return PCS_OK;
    }
    if (pcs_yaml_child(map, "reference") && pcs_v3_norm(pcs_v3_cross(direction, reference)) < 1e-9)
        return pcs_yaml_error(reader->doc, pcs_yaml_child(map, "reference")->mark,
                              "'reference' is parallel to the normal of the plane");
    *rotation = pcs_frame_rotation(PCS_AXIS_Z, direction, reference);
    return PCS_OK;
}

static pcs_status read_shape_sizes(pcs_model_reader *reader, const pcs_yaml_node *target,
                                   const pcs_yaml_node *shape, pcs_surface_contact_def *def)
{
    double edges[3] = {0, 0, 0};
    switch (def->target) {
    case PCS_TARGET_SPHERE:
        return pcs_reader_get_positive(reader, target, "sphere", &def->radius);
    case PCS_TARGET_BOX:
        PCS_TRY(pcs_reader_read_numbers(reader, shape, reader->dimension, edges));
        for (int32_t k = 0; k < reader->dimension; k++) {
            if (!(edges[k] > 0))
                return pcs_yaml_error(reader->doc, shape->mark,
                                      "the edges of a box must be greater than 0, but one is %g",
                                      edges[k]);
        }
        def->size = pcs_v3_load(edges);
        return PCS_OK;
    case PCS_TARGET_CYLINDER:
    case PCS_TARGET_CAPSULE:
        PCS_TRY(pcs_reader_get_positive(reader, shape, "radius", &def->radius));
        return pcs_reader_get_positive(reader, shape, "length", &def->size.z);
    default:
        return PCS_OK;
    }
}

static pcs_status read_carrier(pcs_model_reader *reader, const pcs_yaml_node *map, pcs_frame *frame)
{
    const pcs_yaml_node *body = pcs_yaml_child(map, "body");
    *frame = pcs_frame_default();
    if (body)
        PCS_TRY(pcs_reader_read_body(reader, body, &frame->body));
    return pcs_reader_get_vector(reader, map, "at", &frame->position);
}

static pcs_status read_shape_target(pcs_model_reader *reader, const pcs_yaml_node *target,
                                    const pcs_yaml_node *shape, pcs_surface_contact_def *def)
{
    static const char *const orientations[] = {"axis", "rotation", "angle"};
    PCS_TRY(pcs_reader_refuse_key(reader, target, "group", "a target without 'mesh'"));
    PCS_TRY(read_carrier(reader, target, &def->frame));
    if (def->target == PCS_TARGET_PLANE) {
        PCS_TRY(REFUSE_KEYS(reader, target, orientations, "a plane; 'plane' is its normal"));
        PCS_TRY(read_extent(reader, target, &def->extent));
        return read_plane(reader, target, shape, &def->frame.rotation);
    }
    PCS_TRY(pcs_reader_refuse_key(reader, target, "extent", "a target that is not a plane"));
    PCS_TRY(read_shape_sizes(reader, target, shape, def));
    return pcs_reader_read_orientation(reader, target, pcs_reader_default_axis(reader),
                                       &def->frame.rotation);
}

static pcs_status read_mesh_target(pcs_model_reader *reader, const pcs_yaml_node *target,
                                   const pcs_yaml_node *mesh, pcs_surface_contact_def *def)
{
    static const char *const keys[] = {"body",     "at",    "axis",  "reference",
                                       "rotation", "angle", "extent"};
    const pcs_yaml_node *group = pcs_yaml_child(target, "group");
    PCS_TRY(REFUSE_KEYS(reader, target, keys, "a target with 'mesh'"));
    PCS_TRY(read_mesh_name(reader, mesh, &def->target_mesh));
    def->target_group = group ? group->text : NULL;
    return PCS_OK;
}

// ---- Contacts ----

static pcs_status read_speed(pcs_model_reader *reader, const pcs_yaml_node *node,
                             pcs_surface_contact_def *def)
{
    const pcs_yaml_node *speed = pcs_yaml_child(node, "surface_speed");
    if (!speed)
        return PCS_OK;
    if (def->target != PCS_TARGET_PLANE)
        return pcs_reader_refuse_key(reader, node, "surface_speed",
                                     "a surface contact whose target is not a plane");
    if (reader->dimension == 2)
        return pcs_reader_read_value(reader, speed, PCS_NAMES_INPUTS, &def->surface_speed[0]);
    if (speed->kind != PCS_YAML_LIST || speed->count != 2)
        return pcs_yaml_error(reader->doc, speed->mark,
                              "'surface_speed' needs two components: along x and y of the plane");
    PCS_TRY(pcs_reader_read_value(reader, speed->first, PCS_NAMES_INPUTS, &def->surface_speed[0]));
    return pcs_reader_read_value(reader, speed->last, PCS_NAMES_INPUTS, &def->surface_speed[1]);
}

// The builder's error at the group that it names, if it names one.
static pcs_status locate_error(const pcs_model_reader *reader, const pcs_yaml_node *node,
                               pcs_status status)
{
    const pcs_yaml_node *groups[2] = {pcs_yaml_child(node, "group"),
                                      pcs_yaml_child(pcs_yaml_child(node, "target"), "group")};
    for (int k = 0; k < 2; k++) {
        char text[128];
        if (!groups[k])
            continue;
        snprintf(text, sizeof text, "no group '%.80s'", groups[k]->text);
        if (strstr(pcs_context_error(reader->ctx), text))
            return pcs_yaml_locate(reader->doc, groups[k]->mark, status);
    }
    return pcs_reader_locate(reader, node, status);
}

static pcs_status read_one_surface(pcs_model_reader *reader, const pcs_yaml_node *node)
{
    static const char *const keys[] = {"shapes", "one_pass", "planes"};
    const char *owner = "a surface contact";
    const pcs_yaml_node *target = pcs_yaml_child(node, "target"), *shape;
    const pcs_yaml_node *group = pcs_yaml_child(node, "group");
    pcs_surface_contact_def def = pcs_surface_contact_default();
    def.name = node->key;
    PCS_TRY(REFUSE_KEYS(reader, node, keys, "a surface contact; the type is 'all-surfaces' there"));
    PCS_TRY(pcs_reader_require_key(reader, node, "mesh", owner));
    PCS_TRY(pcs_reader_require_key(reader, node, "target", owner));
    PCS_TRY(read_mesh_name(reader, pcs_yaml_child(node, "mesh"), &def.mesh));
    def.group = group ? group->text : NULL;
    PCS_TRY(find_target(reader, target, &def.target, &shape));
    if (def.target == PCS_TARGET_FACES)
        PCS_TRY(read_mesh_target(reader, target, shape, &def));
    else
        PCS_TRY(read_shape_target(reader, target, shape, &def));
    PCS_TRY(pcs_reader_get_in_range(reader, node, "node_radius", 0, INFINITY, &def.node_radius));
    PCS_TRY(pcs_reader_get_positive(reader, node, "reach", &def.reach));
    PCS_TRY(pcs_reader_read_law(reader, node, &def.law));
    PCS_TRY(read_speed(reader, node, &def));
    pcs_status status = pcs_builder_add_surface_contact(reader->builder, &def);
    return status < 0 ? locate_error(reader, node, status) : PCS_OK;
}

static pcs_status read_all_surfaces(pcs_model_reader *reader, const pcs_yaml_node *node)
{
    static const char *const keys[] = {"mesh", "group", "target", "surface_speed"};
    const pcs_yaml_node *planes = pcs_yaml_child(node, "planes");
    const pcs_yaml_node *shapes = pcs_yaml_child(node, "shapes");
    pcs_auto_contact_def def = pcs_auto_contact_default();
    def.name = node->key;
    PCS_TRY(REFUSE_KEYS(reader, node, keys, "a contact of all surfaces"));
    PCS_TRY(pcs_reader_get_in_range(reader, node, "node_radius", 0, INFINITY, &def.node_radius));
    PCS_TRY(pcs_reader_get_positive(reader, node, "reach", &def.reach));
    PCS_TRY(pcs_reader_read_law(reader, node, &def.law));
    def.one_pass = pcs_reader_get_flag(node, "one_pass");
    def.without_bodies = shapes && !pcs_reader_get_flag(node, "shapes");
    pcs_frame *frames = pcs_yaml_alloc(reader->doc, planes ? (size_t)planes->count + 1 : 1,
                                       sizeof *frames);
    if (!frames)
        return PCS_ERROR_MEMORY;
    for (const pcs_yaml_node *item = planes ? planes->first : NULL; item; item = item->next) {
        pcs_frame *frame = &frames[def.n_planes++];
        PCS_TRY(read_carrier(reader, item, frame));
        PCS_TRY(read_plane(reader, item, pcs_yaml_child(item, "normal"), &frame->rotation));
    }
    def.planes = frames;
    pcs_status status = pcs_builder_add_all_surface_contacts(reader->builder, &def);
    return status < 0 ? pcs_reader_locate(reader, node, status) : PCS_OK;
}

pcs_status pcs_reader_read_surface_contact(pcs_model_reader *reader, const pcs_yaml_node *contact)
{
    PCS_TRY(refuse_pair_keys(reader, contact));
    const bool all = strcmp(pcs_yaml_child(contact, "type")->text, "all-surfaces") == 0;
    return all ? read_all_surfaces(reader, contact) : read_one_surface(reader, contact);
}
