// The sections `springs` and `forces` of a model file.
#include <string.h>

#include "io/model_reader.h"

static const char *const spring_names[] = {[PCS_SPRING_POINT] = "point",
                                           [PCS_SPRING_TORSION] = "torsion",
                                           [PCS_SPRING_BUSHING] = "bushing"};
static const char *const spring_owners[] = {[PCS_SPRING_POINT] = "a point spring",
                                            [PCS_SPRING_TORSION] = "a torsion spring",
                                            [PCS_SPRING_BUSHING] = "a bushing"};

// ---- Springs ----

static pcs_status read_world_frame(pcs_model_reader *reader, const pcs_yaml_node *node,
                                   const pcs_holder holders[2], pcs_spring_def *def)
{
    pcs_vec3 at = {0, 0, 0};
    pcs_quat rotation;
    if (def->kind == PCS_SPRING_TORSION && reader->dimension == 3)
        PCS_TRY(pcs_reader_require_key(reader, node, "axis", spring_owners[def->kind]));
    PCS_TRY(pcs_reader_get_place(reader, node, holders, &at));
    PCS_TRY(pcs_reader_read_orientation(reader, node, pcs_reader_default_axis(reader), &rotation));
    pcs_status status = pcs_reader_frame_at(reader, holders[0], at, rotation, &def->a);
    if (status >= 0)
        status = pcs_reader_frame_at(reader, holders[1], at, rotation, &def->b);
    return status < 0 ? pcs_reader_locate(reader, node, status) : PCS_OK;
}

static pcs_status read_spring_frames(pcs_model_reader *reader, const pcs_yaml_node *node,
                                     pcs_spring_def *def)
{
    pcs_holder holders[2];
    PCS_TRY(pcs_reader_read_bodies(reader, node, holders));
    pcs_frame_axis axes[2] = {pcs_reader_default_axis(reader), pcs_reader_default_axis(reader)};
    bool given;
    PCS_TRY(pcs_reader_read_frames(reader, node, holders, axes, &def->a, &def->b, &given));
    if (given)
        return PCS_OK;
    if (def->kind != PCS_SPRING_POINT)
        return read_world_frame(reader, node, holders, def);
    PCS_TRY(pcs_reader_refuse_key(reader, node, "axis", spring_owners[def->kind]));
    PCS_TRY(pcs_reader_refuse_key(reader, node, "reference", spring_owners[def->kind]));
    return pcs_reader_read_two_points(reader, node, holders, &def->a, &def->b);
}

// Six numbers: along x, y, z and about x, y, z of frame a; three in the plane: x, y and angle.
static pcs_status read_bushing_numbers(pcs_model_reader *reader, const pcs_yaml_node *node,
                                       const char *key, double numbers[6])
{
    const pcs_yaml_node *list = pcs_yaml_child(node, key);
    if (!list)
        return PCS_OK;
    double raw[6] = {0};
    PCS_TRY(pcs_reader_read_numbers(reader, list, reader->dimension == 2 ? 3 : 6, raw));
    for (int i = 0; i < 6; i++) {
        if (raw[i] < 0)
            return pcs_yaml_error(reader->doc, list->mark, "'%s' must not be negative, but has %g",
                                  key, raw[i]);
        numbers[i] = raw[i];
    }
    if (reader->dimension == 2) {
        numbers[5] = raw[2];
        numbers[2] = 0;
    }
    return PCS_OK;
}

static pcs_status read_spring(pcs_model_reader *reader, const pcs_yaml_node *node)
{
    pcs_spring_def def = pcs_spring_default();
    int32_t kind = 0;
    PCS_TRY(pcs_reader_read_choice(reader, pcs_yaml_child(node, "type"), "spring type",
                                   spring_names, 3, &kind));
    def.name = node->key;
    def.kind = (pcs_spring_kind)kind;
    PCS_TRY(read_spring_frames(reader, node, &def));
    if (!pcs_yaml_child(node, "stiffness") && !pcs_yaml_child(node, "damping"))
        return pcs_yaml_error(reader->doc, node->key_mark,
                              "spring '%s' needs 'stiffness', 'damping' or both", node->key);
    if (def.kind == PCS_SPRING_BUSHING) {
        PCS_TRY(pcs_reader_refuse_key(reader, node, "rest", spring_owners[kind]));
        PCS_TRY(read_bushing_numbers(reader, node, "stiffness", def.stiffness6));
        PCS_TRY(read_bushing_numbers(reader, node, "damping", def.damping6));
    } else {
        PCS_TRY(pcs_reader_get_in_range(reader, node, "stiffness", 0, INFINITY, &def.stiffness));
        PCS_TRY(pcs_reader_get_in_range(reader, node, "damping", 0, INFINITY, &def.damping));
        if (def.kind == PCS_SPRING_POINT)
            PCS_TRY(pcs_reader_get_in_range(reader, node, "rest", 0, INFINITY, &def.rest));
        else
            PCS_TRY(pcs_reader_get_number(reader, node, "rest", &def.rest));
    }
    pcs_status status = pcs_builder_add_spring(reader->builder, &def);
    return status < 0 ? pcs_reader_locate(reader, node, status) : PCS_OK;
}

pcs_status pcs_reader_read_all_springs(pcs_model_reader *reader)
{
    const pcs_yaml_node *section = pcs_yaml_child(reader->root, "springs");
    for (const pcs_yaml_node *node = section ? section->first : NULL; node; node = node->next)
        PCS_TRY(read_spring(reader, node));
    return PCS_OK;
}

// ---- Forces ----

// A list with one number or formula for each dimension.
static pcs_status read_components(pcs_model_reader *reader, const pcs_yaml_node *node,
                                  pcs_value values[3])
{
    if (node->kind != PCS_YAML_LIST || node->count != reader->dimension)
        return pcs_yaml_error(reader->doc, node->mark, "'%s' needs a list of %d components",
                              node->key, reader->dimension);
    int k = 0;
    for (const pcs_yaml_node *item = node->first; item; item = item->next)
        PCS_TRY(pcs_reader_read_value(reader, item, PCS_NAMES_STATE, &values[k++]));
    return PCS_OK;
}

// What the force acts on: a body, or a node of a mesh.
static pcs_status read_loaded(pcs_model_reader *reader, const pcs_yaml_node *node,
                              pcs_force_def *def)
{
    const pcs_yaml_node *body = pcs_yaml_child(node, "body");
    if (!body && !pcs_yaml_child(node, "mesh"))
        return pcs_yaml_error(reader->doc, node->key_mark,
                              "a force needs 'body', or 'mesh' with 'node' or 'group'");
    if (!body)
        return pcs_reader_read_node(reader, node, &def->node);
    PCS_TRY(pcs_reader_refuse_key(reader, node, "mesh", "a force with 'body'"));
    PCS_TRY(pcs_reader_refuse_key(reader, node, "node", "a force with 'body'"));
    PCS_TRY(pcs_reader_refuse_key(reader, node, "tag", "a force with 'body'"));
    PCS_TRY(pcs_reader_refuse_key(reader, node, "group", "a force with 'body'"));
    PCS_TRY(pcs_reader_read_body(reader, body, &def->body));
    if (def->body == PCS_GROUND)
        return pcs_yaml_error(reader->doc, body->mark, "a force on 'ground' moves nothing");
    return PCS_OK;
}

static pcs_status read_force(pcs_model_reader *reader, const pcs_yaml_node *node)
{
    static const char *const frames[] = {"world", "body"};
    pcs_force_def def = pcs_force_default();
    def.name = node->key;
    const pcs_yaml_node *force = pcs_yaml_child(node, "force");
    const pcs_yaml_node *torque = pcs_yaml_child(node, "torque");
    const pcs_yaml_node *frame = pcs_yaml_child(node, "frame");
    PCS_TRY(read_loaded(reader, node, &def));
    if (!force && !torque)
        return pcs_yaml_error(reader->doc, node->key_mark, "'%s' needs 'force', 'torque' or both",
                              node->key);
    PCS_TRY(pcs_reader_get_vector(reader, node, "at", &def.position));
    if (force)
        PCS_TRY(read_components(reader, force, def.force));
    if (torque && reader->dimension == 2)
        PCS_TRY(pcs_reader_read_value(reader, torque, PCS_NAMES_STATE, &def.torque[2]));
    else if (torque)
        PCS_TRY(read_components(reader, torque, def.torque));
    int32_t choice = 0;
    if (frame)
        PCS_TRY(pcs_reader_read_choice(reader, frame, "frame", frames, 2, &choice));
    def.body_frame = choice == 1;
    pcs_status status = pcs_builder_add_force(reader->builder, &def);
    return status < 0 ? pcs_reader_locate(reader, node, status) : PCS_OK;
}

pcs_status pcs_reader_read_all_forces(pcs_model_reader *reader)
{
    const pcs_yaml_node *section = pcs_yaml_child(reader->root, "forces");
    for (const pcs_yaml_node *node = section ? section->first : NULL; node; node = node->next)
        PCS_TRY(read_force(reader, node));
    return PCS_OK;
}
