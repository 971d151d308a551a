// The section `systems` of a model file: Lagrangian systems.
#include <string.h>

#include "io/model_reader.h"

static int32_t entries(const pcs_yaml_node *node)
{
    return node && node->kind != PCS_YAML_SCALAR ? node->count : 0;
}

// Zeroed memory for n things that lives as long as the document.
#define NEW_ITEMS(reader, type, n) \
    ((type *)pcs_yaml_alloc((reader)->doc, (size_t)(n) + 1, sizeof(type)))

// ---- Coordinates ----

static pcs_status read_coordinates(pcs_model_reader *reader, const pcs_yaml_node *map,
                                   pcs_system_def *def)
{
    pcs_coordinate_def *coordinates = NEW_ITEMS(reader, pcs_coordinate_def, map->count);
    if (!coordinates)
        return PCS_ERROR_MEMORY;
    for (const pcs_yaml_node *node = map->first; node; node = node->next) {
        if (pcs_name_table_find(&reader->parameters, node->key) >= 0)
            return pcs_yaml_error(reader->doc, node->key_mark,
                                  "'%s' is a parameter and a coordinate; rename one of them",
                                  node->key);
        pcs_coordinate_def *x = &coordinates[def->n_coordinates++];
        x->name = node->key;
        if (node->kind == PCS_YAML_MAP) {
            PCS_TRY(pcs_reader_get_number(reader, node, "initial", &x->initial));
            PCS_TRY(pcs_reader_get_number(reader, node, "rate", &x->rate));
        } else if (!pcs_yaml_is_null(node)) {
            PCS_TRY(pcs_reader_read_number(reader, node, &x->initial));
        }
    }
    def->coordinates = coordinates;
    return PCS_OK;
}

// Place of a coordinate or point in its map.
static pcs_status find_place(const pcs_model_reader *reader, const pcs_yaml_node *map,
                             const char *name, pcs_yaml_mark mark, const char *what, int32_t *place)
{
    enum { CANDIDATES_MOST = 256 };
    const char *names[CANDIDATES_MOST];
    char suggestion[PCS_SUGGESTION_SIZE];
    int32_t n = 0, i = 0;
    for (const pcs_yaml_node *entry = map ? map->first : NULL; entry; entry = entry->next, i++) {
        if (strcmp(entry->key, name) == 0) {
            *place = i;
            return PCS_OK;
        }
        if (n < CANDIDATES_MOST)
            names[n++] = entry->key;
    }
    return pcs_yaml_error(reader->doc, mark, "unknown %s '%.80s'%s", what, name,
                          pcs_schema_suggest(name, names, n, suggestion));
}

// ---- Energies and forces ----

static pcs_status get_formula(pcs_model_reader *reader, const pcs_yaml_node *map, const char *key,
                              pcs_value *value)
{
    const pcs_yaml_node *node = pcs_yaml_child(map, key);
    return node ? pcs_reader_read_value(reader, node, PCS_NAMES_STATE, value) : PCS_OK;
}

static pcs_status read_list(pcs_model_reader *reader, const pcs_yaml_node *list, const char *what,
                            int32_t n, pcs_value *values)
{
    if (list->kind != PCS_YAML_LIST || list->count != n)
        return pcs_yaml_error(reader->doc, list->mark,
                              "%s needs %d entr%s, one for each coordinate, but has %d", what, n,
                              n == 1 ? "y" : "ies", entries(list));
    for (const pcs_yaml_node *item = list->first; item; item = item->next)
        PCS_TRY(pcs_reader_read_value(reader, item, PCS_NAMES_STATE, values++));
    return PCS_OK;
}

static pcs_status read_mass(pcs_model_reader *reader, const pcs_yaml_node *node,
                            pcs_system_def *def)
{
    const int32_t n = def->n_coordinates;
    const pcs_yaml_node *mass = pcs_yaml_child(node, "mass");
    if (!mass)
        return pcs_reader_refuse_key(reader, node, "force",
                                     "a system without 'mass'; generalised forces are 'forces: "
                                     "{coordinate: formula}'");
    PCS_TRY(pcs_reader_refuse_key(reader, node, "kinetic", "a system with 'mass'"));
    PCS_TRY(pcs_reader_refuse_key(reader, node, "forces", "a system with 'mass'; use 'force'"));
    PCS_TRY(pcs_reader_require_key(reader, node, "force", "a system with 'mass'"));
    pcs_value *values = NEW_ITEMS(reader, pcs_value, (int64_t)n * n);
    pcs_value *forces = NEW_ITEMS(reader, pcs_value, n);
    if (!values || !forces)
        return PCS_ERROR_MEMORY;
    if (mass->count != n)
        return pcs_yaml_error(reader->doc, mass->mark,
                              "'mass' needs %d rows, one for each coordinate, but has %d", n,
                              mass->count);
    int32_t i = 0;
    for (const pcs_yaml_node *row = mass->first; row; row = row->next)
        PCS_TRY(read_list(reader, row, "a row of 'mass'", n, values + n * i++));
    def->mass = values;
    def->forces = forces;
    return read_list(reader, pcs_yaml_child(node, "force"), "'force'", n, forces);
}

static pcs_status read_forces(pcs_model_reader *reader, const pcs_yaml_node *node,
                              pcs_system_def *def)
{
    const pcs_yaml_node *map = pcs_yaml_child(node, "forces");
    if (entries(map) == 0)
        return PCS_OK;
    pcs_value *forces = NEW_ITEMS(reader, pcs_value, def->n_coordinates);
    if (!forces)
        return PCS_ERROR_MEMORY;
    for (const pcs_yaml_node *entry = map->first; entry; entry = entry->next) {
        int32_t i = 0;
        PCS_TRY(
            find_place(reader, reader->coordinates, entry->key, entry->key_mark, "coordinate", &i));
        PCS_TRY(pcs_reader_read_value(reader, entry, PCS_NAMES_STATE, &forces[i]));
    }
    def->forces = forces;
    return PCS_OK;
}

// ---- Constraints and contacts ----

static pcs_status read_constraints(pcs_model_reader *reader, const pcs_yaml_node *node,
                                   pcs_system_def *def)
{
    const pcs_yaml_node *map = pcs_yaml_child(node, "constraints");
    pcs_constraint_def *constraints = NEW_ITEMS(reader, pcs_constraint_def, entries(map));
    if (!constraints)
        return PCS_ERROR_MEMORY;
    def->constraints = constraints;
    for (const pcs_yaml_node *entry = map ? map->first : NULL; entry; entry = entry->next) {
        pcs_constraint_def *g = &constraints[def->n_constraints++];
        g->name = entry->key;
        PCS_TRY(pcs_reader_read_value(reader, entry, PCS_NAMES_STATE, &g->value));
    }
    return PCS_OK;
}

static pcs_status read_tangential(pcs_model_reader *reader, const pcs_yaml_node *contact,
                                  pcs_gap_def *gap)
{
    const pcs_yaml_node *node = pcs_yaml_child(contact, "tangential");
    const int32_t needed = reader->dimension - 1;
    if (!node) {
        if (gap->law.friction > 0 || gap->law.tangential_restitution > 0)
            return pcs_yaml_error(
                reader->doc, contact->key_mark,
                "'%s' has friction and needs 'tangential', the displacement along "
                "the surface",
                contact->key);
        return PCS_OK;
    }
    gap->n_tangential = node->kind == PCS_YAML_LIST ? node->count : 1;
    if (gap->n_tangential != needed)
        return pcs_yaml_error(reader->doc, node->mark,
                              "'tangential' needs %d displacement%s in a %s model, but has %d",
                              needed, needed == 1 ? "" : "s", needed == 1 ? "planar" : "spatial",
                              gap->n_tangential);
    if (node->kind != PCS_YAML_LIST)
        return pcs_reader_read_value(reader, node, PCS_NAMES_STATE, &gap->tangential[0]);
    pcs_value *value = gap->tangential;
    for (const pcs_yaml_node *item = node->first; item; item = item->next)
        PCS_TRY(pcs_reader_read_value(reader, item, PCS_NAMES_STATE, value++));
    return PCS_OK;
}

static pcs_status read_gaps(pcs_model_reader *reader, const pcs_yaml_node *node,
                            pcs_system_def *def)
{
    const pcs_yaml_node *map = pcs_yaml_child(node, "contacts");
    pcs_gap_def *gaps = NEW_ITEMS(reader, pcs_gap_def, entries(map));
    if (!gaps)
        return PCS_ERROR_MEMORY;
    def->gaps = gaps;
    for (const pcs_yaml_node *entry = map ? map->first : NULL; entry; entry = entry->next) {
        pcs_gap_def *gap = &gaps[def->n_gaps++];
        gap->name = entry->key;
        PCS_TRY(pcs_reader_read_law(reader, entry, &gap->law));
        PCS_TRY(get_formula(reader, entry, "gap", &gap->gap));
        PCS_TRY(read_tangential(reader, entry, gap));
    }
    return PCS_OK;
}

// ---- Pictures ----

static pcs_status read_points(pcs_model_reader *reader, const pcs_yaml_node *node,
                              pcs_system_def *def)
{
    const pcs_yaml_node *map = pcs_yaml_child(node, "points");
    pcs_point_def *points = NEW_ITEMS(reader, pcs_point_def, entries(map));
    if (!points)
        return PCS_ERROR_MEMORY;
    def->points = points;
    for (const pcs_yaml_node *entry = map ? map->first : NULL; entry; entry = entry->next) {
        pcs_point_def *point = &points[def->n_points++];
        point->name = entry->key;
        if (entry->count != reader->dimension)
            return pcs_yaml_error(reader->doc, entry->mark, "a point needs %d components, not %d",
                                  reader->dimension, entry->count);
        int32_t i = 0;
        for (const pcs_yaml_node *item = entry->first; item; item = item->next)
            PCS_TRY(pcs_reader_read_value(reader, item, PCS_NAMES_STATE, &point->position[i++]));
    }
    return PCS_OK;
}

static pcs_status read_lines(pcs_model_reader *reader, const pcs_yaml_node *node,
                             pcs_system_def *def)
{
    const pcs_yaml_node *list = pcs_yaml_child(node, "lines");
    int32_t(*lines)[2] = pcs_yaml_alloc(reader->doc, (size_t)entries(list) + 1, sizeof *lines);
    if (!lines)
        return PCS_ERROR_MEMORY;
    for (const pcs_yaml_node *line = list ? list->first : NULL; line; line = line->next) {
        if (line->count != 2)
            return pcs_yaml_error(reader->doc, line->mark, "a line needs two points, not %d",
                                  line->count);
        const pcs_yaml_node *end[2] = {line->first, line->last};
        for (int k = 0; k < 2; k++) {
            if (end[k]->kind != PCS_YAML_SCALAR)
                return pcs_yaml_error(reader->doc, end[k]->mark,
                                      "a line needs names of points, not %s",
                                      pcs_yaml_kind_name(end[k]));
            PCS_TRY(find_place(reader, pcs_yaml_child(node, "points"), end[k]->text, end[k]->mark,
                               "point", &lines[def->n_lines][k]));
        }
        def->n_lines++;
    }
    def->lines = (const int32_t(*)[2])lines;
    return PCS_OK;
}

// ---- Systems ----

static pcs_status read_parts(pcs_model_reader *reader, const pcs_yaml_node *node,
                             pcs_system_def *def)
{
    PCS_TRY(read_mass(reader, node, def));
    if (!def->mass)
        PCS_TRY(pcs_reader_require_key(reader, node, "kinetic", "a system without 'mass'"));
    PCS_TRY(get_formula(reader, node, "kinetic", &def->kinetic));
    PCS_TRY(get_formula(reader, node, "potential", &def->potential));
    PCS_TRY(get_formula(reader, node, "dissipation", &def->dissipation));
    PCS_TRY(read_forces(reader, node, def));
    PCS_TRY(read_constraints(reader, node, def));
    PCS_TRY(read_gaps(reader, node, def));
    PCS_TRY(read_points(reader, node, def));
    return read_lines(reader, node, def);
}

static pcs_status read_system(pcs_model_reader *reader, const pcs_yaml_node *node)
{
    pcs_system_def def = pcs_system_default();
    def.name = node->key;
    const pcs_yaml_node *coordinates = pcs_yaml_child(node, "coordinates");
    PCS_TRY(read_coordinates(reader, coordinates, &def));
    reader->coordinates = coordinates;
    pcs_status status = read_parts(reader, node, &def);
    reader->coordinates = NULL;
    PCS_TRY(status);
    status = pcs_builder_add_system(reader->builder, &def, NULL);
    return status < 0 ? pcs_reader_locate(reader, node, status) : PCS_OK;
}

pcs_status pcs_reader_read_all_systems(pcs_model_reader *reader)
{
    const pcs_yaml_node *section = pcs_yaml_child(reader->root, "systems");
    for (const pcs_yaml_node *node = section ? section->first : NULL; node; node = node->next)
        PCS_TRY(read_system(reader, node));
    return PCS_OK;
}
