// The section `bodies` of a model file.
#include <math.h>
#include <string.h>

#include "io/model_reader.h"

// ---- Shapes ----

typedef struct shape_row {
    const char *key;
    pcs_shape_kind kind;
} shape_row;

static const shape_row shape_rows[] = {{"sphere", PCS_SHAPE_SPHERE},
                                       {"box", PCS_SHAPE_BOX},
                                       {"cylinder", PCS_SHAPE_CYLINDER},
                                       {"capsule", PCS_SHAPE_CAPSULE},
                                       {"rod", PCS_SHAPE_ROD}};

enum { SHAPE_KINDS = (int)(sizeof shape_rows / sizeof *shape_rows) };

static pcs_status read_shape_size(pcs_model_reader *reader, const pcs_yaml_node *node,
                                  const shape_row *row, pcs_vec3 *size)
{
    if (row->kind == PCS_SHAPE_SPHERE)
        return pcs_reader_get_positive(reader, node, row->key, &size->x);
    const pcs_yaml_node *value = pcs_yaml_child(node, row->key);
    if (row->kind != PCS_SHAPE_BOX) {
        PCS_TRY(pcs_reader_get_positive(reader, value, "radius", &size->x));
        return pcs_reader_get_positive(reader, value, "length", &size->z);
    }
    double edges[3];
    PCS_TRY(pcs_reader_read_numbers(reader, value, 3, edges));
    *size = pcs_v3_load(edges);
    if (size->x > 0 && size->y > 0 && size->z > 0)
        return PCS_OK;
    return pcs_yaml_error(reader->doc, value->mark,
                          "the edges of a box must be greater than 0, but are %g, %g, %g", size->x,
                          size->y, size->z);
}

// In the plane `angle` turns the shape about z and `axis` lays its z axis into the plane. Rods and
// capsules lie in the plane: along x, unless `axis` or `rotation` says otherwise.
static pcs_status read_shape_rotation(pcs_model_reader *reader, const pcs_yaml_node *node,
                                      pcs_shape_kind kind, pcs_quat *rotation)
{
    if (reader->dimension == 3)
        return pcs_reader_read_orientation(reader, node, PCS_AXIS_Z, rotation);
    static const char *const keys[] = {"angle", "axis", "rotation"};
    const pcs_yaml_node *given[3];
    int n_given = 0;
    for (int k = 0; k < 3; k++) {
        given[k] = pcs_yaml_child(node, keys[k]);
        if (given[k] && n_given++ > 0)
            return pcs_yaml_error(reader->doc, given[k]->key_mark,
                                  "give only one of 'angle', 'axis' and 'rotation'");
    }
    double angle = 0;
    pcs_vec3 axis = {0, 0, 1}, out_of_plane = {0, 0, 1};
    PCS_TRY(pcs_reader_get_number(reader, node, "angle", &angle));
    PCS_TRY(pcs_reader_get_direction(reader, node, "axis", &axis));
    *rotation = pcs_quat_from_axis_angle(out_of_plane, angle);
    if (!given[1] && (kind == PCS_SHAPE_ROD || kind == PCS_SHAPE_CAPSULE))
        axis = (pcs_vec3){cos(angle), sin(angle), 0};
    if (given[1] || axis.z == 0)
        *rotation = pcs_frame_rotation(PCS_AXIS_Z, axis, out_of_plane);
    return pcs_reader_get_rotation(reader, node, "rotation", rotation);
}

static pcs_status read_shape(pcs_model_reader *reader, const pcs_yaml_node *node,
                             pcs_shape_def *shape)
{
    *shape = pcs_shape_default();
    const shape_row *row = NULL;
    for (int k = 0; k < SHAPE_KINDS; k++) {
        const pcs_yaml_node *value = pcs_yaml_child(node, shape_rows[k].key);
        if (value && row)
            return pcs_yaml_error(reader->doc, value->key_mark,
                                  "a shape cannot be a %s and a %s; make a list of 'shapes'",
                                  row->key, shape_rows[k].key);
        if (value)
            row = &shape_rows[k];
    }
    if (!row)
        return pcs_yaml_error(reader->doc, node->mark,
                              "a shape needs one of sphere, box, cylinder, capsule, rod");
    shape->kind = row->kind;
    PCS_TRY(read_shape_size(reader, node, row, &shape->size));
    PCS_TRY(pcs_reader_get_vector(reader, node, "at", &shape->position));
    PCS_TRY(read_shape_rotation(reader, node, shape->kind, &shape->rotation));
    const pcs_yaml_node *density = pcs_yaml_child(node, "density");
    if (density && pcs_yaml_child(node, "mass"))
        return pcs_yaml_error(reader->doc, density->key_mark,
                              "give a shape either 'mass' or 'density', not both");
    PCS_TRY(pcs_reader_get_in_range(reader, node, "density", 0, INFINITY, &shape->density));
    return pcs_reader_get_positive(reader, node, "mass", &shape->mass);
}

static pcs_status read_shapes(pcs_model_reader *reader, const pcs_yaml_node *node,
                              pcs_shape_def **shapes, int32_t *n_shapes)
{
    const pcs_yaml_node *list = pcs_yaml_child(node, "shapes");
    const pcs_yaml_node *single = pcs_yaml_child(node, "shape");
    if (list && single)
        return pcs_yaml_error(reader->doc, single->key_mark,
                              "give either 'shape' or 'shapes', not both");
    *n_shapes = single ? 1 : list ? list->count : 0;
    *shapes = pcs_yaml_alloc(reader->doc, (size_t)*n_shapes, sizeof **shapes);
    if (!*shapes)
        return PCS_ERROR_MEMORY;
    if (single)
        return read_shape(reader, single, &(*shapes)[0]);
    int32_t k = 0;
    for (const pcs_yaml_node *item = list ? list->first : NULL; item; item = item->next)
        PCS_TRY(read_shape(reader, item, &(*shapes)[k++]));
    return PCS_OK;
}

// ---- Mass properties ----

static pcs_status refuse_inertia(const pcs_model_reader *reader, const pcs_yaml_node *node,
                                 const char *what, double value)
{
    return pcs_yaml_error(reader->doc, node->mark, "%s must be greater than 0, but is %g", what,
                          value);
}

static pcs_status read_inertia(pcs_model_reader *reader, const pcs_yaml_node *node, pcs_mat3 *J)
{
    if (node->kind == PCS_YAML_SCALAR) {
        double value;
        PCS_TRY(pcs_reader_read_number(reader, node, &value));
        if (!(value > 0))
            return refuse_inertia(reader, node, "'inertia'", value);
        for (int i = 0; i < 3; i++)
            J->m[i][i] = reader->dimension == 2 && i < 2 ? 0 : value;
        return PCS_OK;
    }
    if (reader->dimension == 2)
        return pcs_yaml_error(
            reader->doc, node->mark,
            "'inertia' is one number in a planar model: about z, at the centre of "
            "mass");
    if (node->count == 3 && node->first->kind == PCS_YAML_LIST) {
        int row = 0;
        for (const pcs_yaml_node *item = node->first; item; item = item->next)
            PCS_TRY(pcs_reader_read_numbers(reader, item, 3, J->m[row++]));
        return PCS_OK;
    }
    if (node->count != 3)
        return pcs_yaml_error(
            reader->doc, node->mark,
            "'inertia' is a number, a list of 3 numbers (diagonal) or 3 lists of 3 "
            "numbers (matrix)");
    double diagonal[3];
    PCS_TRY(pcs_reader_read_numbers(reader, node, 3, diagonal));
    for (int i = 0; i < 3; i++) {
        if (!(diagonal[i] > 0))
            return refuse_inertia(reader, node, "each of the 'inertia' numbers", diagonal[i]);
        J->m[i][i] = diagonal[i];
    }
    return PCS_OK;
}

// From `mass` and `inertia`, from the shapes' densities or masses, or, if a body has one shape
// without density, from `mass` spread evenly over that shape.
static pcs_status read_mass(pcs_model_reader *reader, const pcs_yaml_node *node, pcs_body_def *def,
                            pcs_shape_def *shapes)
{
    const pcs_yaml_node *mass = pcs_yaml_child(node, "mass");
    const pcs_yaml_node *inertia = pcs_yaml_child(node, "inertia");
    bool heavy_shapes = false;
    for (int32_t k = 0; k < def->n_shapes; k++)
        heavy_shapes = heavy_shapes || shapes[k].density > 0 || shapes[k].mass > 0;

    if (!mass && !heavy_shapes)
        return pcs_yaml_error(
            reader->doc, node->key_mark,
            "body '%s' has no mass; give 'mass', or a shape with 'density' or 'mass'", node->key);
    if (mass && heavy_shapes)
        return pcs_yaml_error(reader->doc, mass->key_mark,
                              "body '%s' has its mass twice: from 'mass' and from its shapes",
                              node->key);
    def->mass = 0;
    PCS_TRY(pcs_reader_get_positive(reader, node, "mass", &def->mass));
    bool from_shape = mass && !inertia && !def->point && def->n_shapes == 1;
    if (from_shape) {
        shapes[0].mass = def->mass;
        def->mass = 0;
    }
    if (heavy_shapes || from_shape) {
        const char *owner = "a body that has its mass from its shapes";
        PCS_TRY(pcs_reader_refuse_key(reader, node, "inertia", owner));
        PCS_TRY(pcs_reader_refuse_key(reader, node, "inertia_rotation", owner));
        return pcs_reader_refuse_key(reader, node, "center", owner);
    }
    if (!inertia && !def->point)
        return pcs_yaml_error(reader->doc, node->key_mark,
                              "body '%s' needs 'inertia' (or 'point: true', or one shape)",
                              node->key);
    if (inertia)
        PCS_TRY(read_inertia(reader, inertia, &def->inertia));
    if (reader->dimension == 2)
        PCS_TRY(pcs_reader_refuse_key(reader, node, "inertia_rotation", "a planar model"));
    PCS_TRY(pcs_reader_get_rotation(reader, node, "inertia_rotation", &def->inertia_rotation));
    return pcs_reader_get_vector(reader, node, "center", &def->center);
}

// ---- Configuration and velocity ----

static pcs_status read_motion(pcs_model_reader *reader, const pcs_yaml_node *node,
                              pcs_body_def *def)
{
    PCS_TRY(pcs_reader_get_vector(reader, node, "position", &def->position));
    PCS_TRY(pcs_reader_get_vector(reader, node, "velocity", &def->velocity));
    const pcs_yaml_node *spin = pcs_yaml_child(node, "angular_velocity");
    if (reader->dimension == 2) {
        PCS_TRY(pcs_reader_refuse_key(reader, node, "rotation", "a planar model; use 'angle'"));
        PCS_TRY(pcs_reader_get_number(reader, node, "angle", &def->angle));
        return spin ? pcs_reader_read_number(reader, spin, &def->angular_velocity.z) : PCS_OK;
    }
    PCS_TRY(pcs_reader_refuse_key(reader, node, "angle", "a model in space; use 'rotation'"));
    PCS_TRY(pcs_reader_get_rotation(reader, node, "rotation", &def->rotation));
    return pcs_reader_get_vector(reader, node, "angular_velocity", &def->angular_velocity);
}

static pcs_status read_body(pcs_model_reader *reader, const pcs_yaml_node *node)
{
    static const char *const not_of_points[] = {"inertia",  "inertia_rotation", "angle",
                                                "rotation", "angular_velocity", "center"};
    if (strcmp(node->key, "ground") == 0)
        return pcs_yaml_error(reader->doc, node->key_mark,
                              "'ground' is the fixed world; give the body another name");
    pcs_body_def def = pcs_body_default();
    def.name = node->key;
    def.point = pcs_reader_get_flag(node, "point");
    for (size_t k = 0; def.point && k < sizeof not_of_points / sizeof *not_of_points; k++)
        PCS_TRY(pcs_reader_refuse_key(reader, node, not_of_points[k], "a point mass"));

    pcs_shape_def *shapes = NULL;
    PCS_TRY(read_shapes(reader, node, &shapes, &def.n_shapes));
    PCS_TRY(read_mass(reader, node, &def, shapes));
    PCS_TRY(read_motion(reader, node, &def));
    def.shapes = shapes;
    pcs_body_id id;
    pcs_status status = pcs_builder_add_body(reader->builder, &def, &id);
    return status < 0 ? pcs_reader_locate(reader, node, status) : PCS_OK;
}

pcs_status pcs_reader_read_all_bodies(pcs_model_reader *reader)
{
    const pcs_yaml_node *section = pcs_yaml_child(reader->root, "bodies");
    if (section && section->count == 0)
        return pcs_yaml_error(reader->doc, section->mark, "a model needs at least one body");
    for (const pcs_yaml_node *node = section ? section->first : NULL; node; node = node->next)
        PCS_TRY(read_body(reader, node));
    return PCS_OK;
}
