// The section `meshes` of a model file: parts, groups, what holds and loads them.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "geometry/mesh_data.h"
#include "io/model_reader.h"

typedef struct mesh_reader {
    pcs_model_reader *reader;
    const pcs_yaml_node *node;
    pcs_mesh_data data;
    int32_t *owner;        // of each cell: its entry under `parts`, from 1; 0: the mesh itself
    int32_t *connectivity; // of the parts, one after the other
    pcs_mesh_def def;
} mesh_reader;

// Zeroed memory for n things that lives as long as the document.
#define NEW_ITEMS(m, type, n) \
    ((type *)pcs_yaml_alloc((m)->reader->doc, (size_t)(n) + 1, sizeof(type)))

static int32_t entries(const pcs_yaml_node *node)
{
    return node && node->kind != PCS_YAML_SCALAR ? node->count : 0;
}

// ---- Parts ----

static pcs_status assign_cells(mesh_reader *m)
{
    const pcs_model_reader *reader = m->reader;
    const pcs_yaml_node *parts = pcs_yaml_child(m->node, "parts");
    m->owner = PCS_NEW_ARRAY(reader->ctx, int32_t, m->data.cells.count);
    if (!m->owner)
        return PCS_ERROR_MEMORY;
    int32_t index = 0;
    for (const pcs_yaml_node *part = parts ? parts->first : NULL; part; part = part->next) {
        index++;
        const pcs_mesh_data_group *group = pcs_mesh_data_find_group(&m->data, part->key);
        pcs_yaml_node name = {.kind = PCS_YAML_SCALAR, .mark = part->key_mark};
        if (!group)
            return pcs_reader_unknown_group(reader, &name, part->key, &m->data);
        if (group->cells.count == 0)
            return pcs_yaml_error(reader->doc, part->key_mark,
                                  "group '%.80s' has no elements that a part could be made of",
                                  part->key);
        for (int32_t k = 0; k < group->cells.count; k++) {
            int32_t *owner = &m->owner[group->cells.data[k]];
            if (*owner != 0)
                return pcs_yaml_error(reader->doc, part->key_mark,
                                      "an element of '%.80s' belongs to another part as well; make "
                                      "the groups apart from each other",
                                      part->key);
            *owner = index;
        }
    }
    return PCS_OK;
}

// The key of the part, or else of the mesh.
static const pcs_yaml_node *part_key(const mesh_reader *m, const pcs_yaml_node *part,
                                     const char *key)
{
    const pcs_yaml_node *own = part ? pcs_yaml_child(part, key) : NULL;
    return own ? own : pcs_yaml_child(m->node, key);
}

static pcs_cell_kind cell_of(int32_t kind)
{
    return kind < PCS_ELEMENT_HEXAHEDRON     ? PCS_CELL_LINE
           : kind == PCS_ELEMENT_TETRAHEDRON ? PCS_CELL_TETRAHEDRON
                                             : PCS_CELL_HEXAHEDRON;
}

// The element for cells of one kind: what `element` says, of the part or of the block or line. That
// of the mesh holds for the cells of a file that it fits.
static pcs_status read_kind(const mesh_reader *m, const pcs_yaml_node *part, pcs_cell_kind cells,
                            pcs_element_kind *kind)
{
    static const pcs_element_kind usual[] = {[PCS_CELL_LINE] = PCS_ELEMENT_BEAM,
                                             [PCS_CELL_TETRAHEDRON] = PCS_ELEMENT_TETRAHEDRON,
                                             [PCS_CELL_HEXAHEDRON] = PCS_ELEMENT_HEXAHEDRON};
    const char *names[PCS_ELEMENT_KIND_COUNT];
    const pcs_yaml_node *own = part ? pcs_yaml_child(part, "element") : NULL;
    const pcs_yaml_node *line = pcs_yaml_child(m->node, "line");
    const pcs_yaml_node *block = pcs_yaml_child(m->node, "block");
    if (!own && (line || block))
        own = pcs_yaml_child(line ? line : block, "element");
    const pcs_yaml_node *node = own ? own : pcs_yaml_child(m->node, "element");
    *kind = usual[cells];
    if (!node)
        return PCS_OK;
    for (int32_t k = 0; k < PCS_ELEMENT_KIND_COUNT; k++)
        names[k] = !own || cell_of(k) == cells ? pcs_element_kind_name((pcs_element_kind)k) : NULL;
    int32_t index = 0;
    char what[64];
    snprintf(what, sizeof what, "element for a %s", own ? pcs_cell_kind_name(cells) : "mesh");
    PCS_TRY(pcs_reader_read_choice(m->reader, node, what, names, PCS_ELEMENT_KIND_COUNT, &index));
    if (cell_of(index) == cells)
        *kind = (pcs_element_kind)index;
    return PCS_OK;
}

// What a part of lines or of solids is made of; `part` is NULL for the mesh itself.
static pcs_status read_part(const mesh_reader *m, const pcs_yaml_node *part, pcs_cell_kind cells,
                            pcs_mesh_part_def *def)
{
    const pcs_model_reader *reader = m->reader;
    const pcs_yaml_node *place = part ? part : m->node;
    const pcs_yaml_node *material = part_key(m, part, "material");
    const pcs_yaml_node *section = part_key(m, part, "section");
    if (!material)
        return pcs_yaml_error(reader->doc, place->key_mark,
                              "'%.80s' has elements without material; give 'material' %s",
                              place->key,
                              part ? "here or for the mesh"
                                   : "for the mesh or in "
                                     "'parts'");
    PCS_TRY(pcs_reader_read_material(m->reader, material, &def->material));
    PCS_TRY(read_kind(m, part, cells, &def->kind));
    if (cells != PCS_CELL_LINE) {
        if (reader->dimension == 2)
            return pcs_yaml_error(reader->doc, place->key_mark,
                                  "a planar model has no solid elements, only bars and beams; '%s' "
                                  "needs 'dimension: 3'",
                                  place->key);
        return part ? pcs_reader_refuse_key(reader, part, "section", "solid elements") : PCS_OK;
    }
    if (!section)
        return pcs_yaml_error(reader->doc, place->key_mark,
                              "'%.80s' has %s elements and needs 'section', such as {rectangle: "
                              "[0.02, 0.01]}",
                              place->key, pcs_element_kind_name(def->kind));
    return pcs_reader_read_section(m->reader, section, &def->section);
}

static const char *part_name(mesh_reader *m, const pcs_yaml_node *part, pcs_cell_kind cells,
                             bool mixed)
{
    const char *name = part ? part->key : m->node->key;
    if (!mixed)
        return name;
    const size_t size = strlen(name) + 32;
    char *text = pcs_yaml_alloc(m->reader->doc, size, 1);
    if (text)
        snprintf(text, size, "%s_%s", name, pcs_cell_kind_name(cells));
    return text;
}

// Nodes of the cells of one owner and kind.
static int32_t *list_nodes(const mesh_reader *m, int32_t owner, pcs_cell_kind kind, int32_t *out,
                           int32_t *count)
{
    const int32_t n = pcs_cell_node_count(kind);
    *count = 0;
    for (int32_t c = 0; c < m->data.cells.count; c++) {
        const pcs_mesh_cell *cell = &m->data.cells.data[c];
        if (cell->kind != kind || m->owner[c] != owner)
            continue;
        memcpy(out, cell->nodes, (size_t)n * sizeof *out);
        out += n;
        ++*count;
    }
    return out;
}

// The mesh's own 'section' must be of use to some part.
static pcs_status check_section(const mesh_reader *m)
{
    bool lines = false;
    for (int32_t c = 0; c < m->data.cells.count; c++)
        lines = lines || m->data.cells.data[c].kind == PCS_CELL_LINE;
    if (lines)
        return PCS_OK;
    return pcs_reader_refuse_key(m->reader, m->node, "section", "a mesh of solid elements");
}

static pcs_status make_parts(mesh_reader *m)
{
    const pcs_yaml_node *map = pcs_yaml_child(m->node, "parts");
    const int32_t n_owners = entries(map) + 1;
    int64_t n_numbers = 0;
    PCS_TRY(assign_cells(m));
    PCS_TRY(check_section(m));
    for (int32_t c = 0; c < m->data.cells.count; c++)
        n_numbers += pcs_cell_node_count(m->data.cells.data[c].kind);
    m->connectivity = PCS_NEW_ARRAY(m->reader->ctx, int32_t, n_numbers);
    pcs_mesh_part_def *parts = NEW_ITEMS(m, pcs_mesh_part_def,
                                         (int64_t)n_owners * PCS_CELL_KIND_COUNT);
    if (!m->connectivity || !parts)
        return PCS_ERROR_MEMORY;
    int32_t *next = m->connectivity;
    const pcs_yaml_node *part = NULL;
    for (int32_t owner = 0; owner < n_owners; owner++) {
        const int32_t first = m->def.n_parts;
        part = owner == 0 ? NULL : owner == 1 ? map->first : part->next;
        for (int32_t kind = 0; kind < PCS_CELL_KIND_COUNT; kind++) {
            pcs_mesh_part_def *def = &parts[m->def.n_parts];
            def->nodes = next;
            next = list_nodes(m, owner, (pcs_cell_kind)kind, next, &def->n_elements);
            if (def->n_elements == 0)
                continue;
            PCS_TRY(read_part(m, part, (pcs_cell_kind)kind, def));
            def->name = part_name(m, part, (pcs_cell_kind)kind, m->def.n_parts > first);
            if (!def->name)
                return PCS_ERROR_MEMORY;
            m->def.n_parts++;
        }
    }
    m->def.parts = parts;
    return PCS_OK;
}

// ---- Damping and mass ----

static pcs_status read_damping(mesh_reader *m)
{
    pcs_model_reader *reader = m->reader;
    const pcs_yaml_node *damping = pcs_yaml_child(m->node, "damping");
    const pcs_yaml_node *stiffness = damping ? pcs_yaml_child(damping, "stiffness") : NULL;
    if (!damping)
        return PCS_OK;
    double b = 0;
    PCS_TRY(pcs_reader_get_in_range(reader, damping, "mass", 0, INFINITY, &m->def.mass_damping));
    PCS_TRY(pcs_reader_get_in_range(reader, damping, "stiffness", 0, INFINITY, &b));
    pcs_mesh_part_def *parts = (pcs_mesh_part_def *)m->def.parts;
    for (int32_t k = 0; stiffness && k < m->def.n_parts; k++) {
        if (parts[k].material.damping > 0)
            return pcs_yaml_error(reader->doc, stiffness->key_mark,
                                  "the material of part '%.80s' has 'damping' as well; give one of "
                                  "them",
                                  parts[k].name);
        parts[k].material.damping = b;
    }
    return PCS_OK;
}

static pcs_status read_mass(mesh_reader *m)
{
    static const char *const names[] = {"consistent", "lumped"};
    const pcs_yaml_node *mass = pcs_yaml_child(m->node, "mass");
    int32_t index = 0;
    if (mass)
        PCS_TRY(pcs_reader_read_choice(m->reader, mass, "mass matrix", names, 2, &index));
    m->def.lumped = index == 1;
    return PCS_OK;
}

// ---- Groups ----

static pcs_status make_groups(mesh_reader *m)
{
    pcs_mesh_group_def *groups = NEW_ITEMS(m, pcs_mesh_group_def, m->data.groups.count);
    if (!groups)
        return PCS_ERROR_MEMORY;
    for (int32_t g = 0; g < m->data.groups.count; g++) {
        const pcs_mesh_data_group *from = &m->data.groups.data[g];
        if (from->nodes.count == 0) // what its elements were made of is not used
            continue;
        groups[m->def.n_groups++] = (pcs_mesh_group_def){
            .name = from->name,
            .nodes = from->nodes.data,
            .n_nodes = from->nodes.count,
            .faces = (const int32_t(*)[PCS_FACE_NODES_MAX])from->faces.data,
            .n_faces = from->faces.count};
    }
    m->def.groups = groups;
    return PCS_OK;
}

static bool has_solids(const mesh_reader *m)
{
    for (int32_t k = 0; k < m->def.n_parts; k++) {
        if (m->def.parts[k].kind >= PCS_ELEMENT_HEXAHEDRON)
            return true;
    }
    return false;
}

static bool has_frames(const mesh_reader *m)
{
    return !has_solids(m) && m->def.n_parts > 0 && m->def.parts[0].kind != PCS_ELEMENT_BAR;
}

static pcs_status read_group_name(const mesh_reader *m, const pcs_yaml_node *node,
                                  const char **name)
{
    const pcs_mesh_data_group *group = pcs_mesh_data_find_group(&m->data, node->text);
    *name = node->text;
    if ((group && group->nodes.count > 0) || strcmp(node->text, "all") == 0 ||
        (strcmp(node->text, "surface") == 0 && has_solids(m)))
        return PCS_OK;
    if (group)
        return pcs_yaml_error(m->reader->doc, node->mark,
                              "group '%.80s' has no nodes that the elements of the mesh use",
                              node->text);
    return pcs_reader_unknown_group(m->reader, node, node->text, &m->data);
}

// ---- Fixations and links ----

static const char *const component_names[6] = {"x", "y", "z", "rx", "ry", "rz"};

static pcs_status read_components(const mesh_reader *m, const pcs_yaml_node *list, bool fixed[6])
{
    pcs_model_reader *reader = m->reader;
    for (const pcs_yaml_node *item = list->first; item; item = item->next) {
        int32_t k = 0;
        PCS_TRY(pcs_reader_read_choice(reader, item, "component", component_names, 6, &k));
        if (reader->dimension == 2 && k >= 2 && k <= 4)
            return pcs_yaml_error(reader->doc, item->mark,
                                  "a planar model has the components x, y and rz");
        if (k >= 3 && !has_frames(m))
            return pcs_yaml_error(reader->doc, item->mark,
                                  "the nodes of this mesh are points, which do not turn; fix x, y "
                                  "and z");
        fixed[k] = true;
    }
    if (!list->first)
        return pcs_yaml_error(reader->doc, list->mark,
                              "'components' is empty; leave it out to fix all of them");
    return PCS_OK;
}

static pcs_status read_fixation(mesh_reader *m, const pcs_yaml_node *node,
                                pcs_mesh_fixation_def *def)
{
    const bool map = node->kind == PCS_YAML_MAP;
    const pcs_yaml_node *components = map ? pcs_yaml_child(node, "components") : NULL;
    PCS_TRY(read_group_name(m, map ? pcs_yaml_child(node, "group") : node, &def->group));
    if (components)
        return read_components(m, components, def->fixed);
    const bool turns = has_frames(m), spatial = m->reader->dimension == 3;
    for (int k = 0; k < 6; k++)
        def->fixed[k] = (k < 3 || turns) && (spatial || k < 2 || k == 5);
    return PCS_OK;
}

static pcs_status read_link(mesh_reader *m, const pcs_yaml_node *node, pcs_mesh_fixation_def *def)
{
    const pcs_yaml_node *body = pcs_yaml_child(node, "body");
    def->linked = true;
    PCS_TRY(read_group_name(m, pcs_yaml_child(node, "group"), &def->group));
    PCS_TRY(pcs_reader_read_body(m->reader, body, &def->body));
    if (def->body == PCS_GROUND)
        return pcs_yaml_error(m->reader->doc, body->mark,
                              "a link to 'ground' is a fixation; write it under 'fixed'");
    return PCS_OK;
}

static pcs_status read_holds(mesh_reader *m)
{
    const pcs_yaml_node *fixed = pcs_yaml_child(m->node, "fixed");
    const pcs_yaml_node *links = pcs_yaml_child(m->node, "links");
    pcs_mesh_fixation_def *defs = NEW_ITEMS(m, pcs_mesh_fixation_def,
                                            (int64_t)entries(fixed) + entries(links));
    if (!defs)
        return PCS_ERROR_MEMORY;
    m->def.fixations = defs;
    for (const pcs_yaml_node *item = fixed ? fixed->first : NULL; item; item = item->next)
        PCS_TRY(read_fixation(m, item, &defs[m->def.n_fixations++]));
    for (const pcs_yaml_node *item = links ? links->first : NULL; item; item = item->next)
        PCS_TRY(read_link(m, item, &defs[m->def.n_fixations++]));
    return PCS_OK;
}

// ---- Loads ----

static pcs_status read_load(mesh_reader *m, const pcs_yaml_node *node, pcs_mesh_load_def *def)
{
    static const char *const keys[] = {[PCS_MESH_LOAD_NODAL] = "force",
                                       [PCS_MESH_LOAD_TOTAL] = "total",
                                       [PCS_MESH_LOAD_PRESSURE] = "pressure"};
    pcs_model_reader *reader = m->reader;
    const pcs_yaml_node *value = NULL;
    PCS_TRY(read_group_name(m, pcs_yaml_child(node, "group"), &def->group));
    for (int k = 0; k < 3; k++) {
        const pcs_yaml_node *found = pcs_yaml_child(node, keys[k]);
        if (found && value)
            return pcs_yaml_error(reader->doc, found->key_mark,
                                  "give one of 'force', 'total' and 'pressure'");
        if (found)
            def->kind = (pcs_mesh_load_kind)k;
        value = found ? found : value;
    }
    if (!value)
        return pcs_yaml_error(reader->doc, node->mark,
                              "a load needs one of 'force', 'total' and 'pressure'");
    if (def->kind == PCS_MESH_LOAD_PRESSURE) {
        const pcs_mesh_data_group *group = pcs_mesh_data_find_group(&m->data, def->group);
        if (strcmp(def->group, "surface") != 0 && (!group || group->faces.count == 0))
            return pcs_yaml_error(reader->doc, pcs_yaml_child(node, "group")->mark,
                                  "group '%.80s' has no faces for a pressure to act on; name a "
                                  "group of a surface",
                                  def->group);
    }
    if (def->kind == PCS_MESH_LOAD_PRESSURE)
        return pcs_reader_read_value(reader, value, PCS_NAMES_STATE, &def->value[0]);
    if (value->count != reader->dimension)
        return pcs_yaml_error(reader->doc, value->mark, "'%s' needs a list of %d components",
                              value->key, reader->dimension);
    int k = 0;
    for (const pcs_yaml_node *item = value->first; item; item = item->next)
        PCS_TRY(pcs_reader_read_value(reader, item, PCS_NAMES_STATE, &def->value[k++]));
    return PCS_OK;
}

static pcs_status read_loads(mesh_reader *m)
{
    const pcs_yaml_node *list = pcs_yaml_child(m->node, "loads");
    pcs_mesh_load_def *defs = NEW_ITEMS(m, pcs_mesh_load_def, entries(list));
    if (!defs)
        return PCS_ERROR_MEMORY;
    m->def.loads = defs;
    for (const pcs_yaml_node *item = list ? list->first : NULL; item; item = item->next)
        PCS_TRY(read_load(m, item, &defs[m->def.n_loads++]));
    return PCS_OK;
}

// ---- Placement and motion ----

static pcs_status read_motion(mesh_reader *m)
{
    pcs_model_reader *reader = m->reader;
    pcs_mesh_def *def = &m->def;
    const pcs_yaml_node *spin = pcs_yaml_child(m->node, "angular_velocity");
    PCS_TRY(pcs_reader_get_vector(reader, m->node, "position", &def->position));
    PCS_TRY(pcs_reader_get_vector(reader, m->node, "velocity", &def->velocity));
    if (reader->dimension == 2) {
        PCS_TRY(pcs_reader_refuse_key(reader, m->node, "rotation", "a planar model; use 'angle'"));
        PCS_TRY(pcs_reader_get_number(reader, m->node, "angle", &def->angle));
        return spin ? pcs_reader_read_number(reader, spin, &def->angular_velocity.z) : PCS_OK;
    }
    PCS_TRY(pcs_reader_refuse_key(reader, m->node, "angle", "a model in space; use 'rotation'"));
    PCS_TRY(pcs_reader_get_rotation(reader, m->node, "rotation", &def->rotation));
    return pcs_reader_get_vector(reader, m->node, "angular_velocity", &def->angular_velocity);
}

// ---- Meshes ----

// Keeps the numbers of the nodes for those who name them later.
static pcs_status remember_numbers(const mesh_reader *m, pcs_mesh_id id)
{
    pcs_mesh_entry *entry = &m->reader->mesh_entries[id];
    entry->n_nodes = m->data.nodes.count;
    if (m->data.tags.count == 0)
        return PCS_OK;
    int64_t *tags = pcs_yaml_alloc(m->reader->doc, (size_t)m->data.tags.count, sizeof *tags);
    if (!tags)
        return PCS_ERROR_MEMORY;
    memcpy(tags, m->data.tags.data, (size_t)m->data.tags.count * sizeof *tags);
    entry->tags = tags;
    return PCS_OK;
}

static pcs_status build_mesh(mesh_reader *m)
{
    m->def = pcs_mesh_default();
    m->def.name = m->node->key;
    PCS_TRY(pcs_reader_read_mesh_data(m->reader, m->node, &m->data));
    m->def.nodes = m->data.nodes.data;
    m->def.n_nodes = m->data.nodes.count;
    PCS_TRY(make_parts(m));
    PCS_TRY(make_groups(m));
    PCS_TRY(read_mass(m));
    PCS_TRY(read_damping(m));
    PCS_TRY(read_holds(m));
    PCS_TRY(read_loads(m));
    PCS_TRY(read_motion(m));
    pcs_mesh_id id;
    pcs_status status = pcs_builder_add_mesh(m->reader->builder, &m->def, &id);
    if (status < 0)
        return pcs_reader_locate(m->reader, m->node, status);
    return remember_numbers(m, id);
}

static pcs_status read_mesh(pcs_model_reader *reader, const pcs_yaml_node *node)
{
    mesh_reader m = {.reader = reader, .node = node};
    pcs_mesh_data_init(&m.data, reader->ctx);
    pcs_status status = build_mesh(&m);
    pcs_free(reader->ctx, m.connectivity);
    pcs_free(reader->ctx, m.owner);
    pcs_mesh_data_free(&m.data);
    return status;
}

pcs_status pcs_reader_read_all_meshes(pcs_model_reader *reader)
{
    const pcs_yaml_node *section = pcs_yaml_child(reader->root, "meshes");
    reader->mesh_entries = pcs_yaml_alloc(reader->doc, (size_t)entries(section) + 1,
                                          sizeof *reader->mesh_entries);
    if (!reader->mesh_entries)
        return PCS_ERROR_MEMORY;
    for (const pcs_yaml_node *node = section ? section->first : NULL; node; node = node->next)
        PCS_TRY(read_mesh(reader, node));
    return PCS_OK;
}
