#include "io/result_meshes.h"

#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "io/hdf5_record.h"
#include "math/rotation.h"
#include "model/mesh_numbers.h"

// Rows of the three tables; numbers count from 0 through all meshes of the file. No row has
// padding, whose bytes would differ from run to run.
typedef struct mesh_row {
    int32_t first_node, n_nodes, first_frame, first_part, n_parts, first_group, n_groups,
        n_elements;
    double mass, rotation[4];
} mesh_row;

typedef struct part_row {
    int32_t mesh, kind, nodes_per_element, n_elements, first_entry, first_result, n_results;
    int32_t first_name, first_element, round;
    double area, drawn[2], y[3];
} part_row;

typedef struct group_row {
    int32_t mesh, first_node, n_nodes, first_face, n_faces;
} group_row;

static const char *kind_name(int32_t value)
{
    return pcs_element_kind_name((pcs_element_kind)value);
}

#define MESH(field) #field, HOFFSET(mesh_row, field)
#define PART(field) #field, HOFFSET(part_row, field)
#define GROUP(field) #field, HOFFSET(group_row, field)

static const pcs_hdf5_member mesh_members[] = {
    {MESH(first_node), 1, false, NULL},  {MESH(n_nodes), 1, false, NULL},
    {MESH(first_frame), 1, false, NULL}, {MESH(first_part), 1, false, NULL},
    {MESH(n_parts), 1, false, NULL},     {MESH(first_group), 1, false, NULL},
    {MESH(n_groups), 1, false, NULL},    {MESH(n_elements), 1, false, NULL},
    {MESH(mass), 1, true, NULL},         {MESH(rotation), 4, true, NULL},
};
static const pcs_hdf5_member part_members[] = {
    {PART(mesh), 1, false, NULL},
    {PART(kind), 1, false, kind_name},
    {PART(nodes_per_element), 1, false, NULL},
    {PART(n_elements), 1, false, NULL},
    {PART(first_entry), 1, false, NULL},
    {PART(first_result), 1, false, NULL},
    {PART(n_results), 1, false, NULL},
    {PART(first_name), 1, false, NULL},
    {PART(first_element), 1, false, NULL},
    {PART(round), 1, false, NULL},
    {PART(area), 1, true, NULL},
    {PART(drawn), 2, true, NULL},
    {PART(y), 3, true, NULL},
};
static const pcs_hdf5_member group_members[] = {
    {GROUP(mesh), 1, false, NULL},    {GROUP(first_node), 1, false, NULL},
    {GROUP(n_nodes), 1, false, NULL}, {GROUP(first_face), 1, false, NULL},
    {GROUP(n_faces), 1, false, NULL},
};

static hid_t mesh_type(bool with_names)
{
    return pcs_hdf5_record_type(mesh_members, sizeof mesh_members / sizeof *mesh_members,
                                sizeof(mesh_row), with_names);
}

static hid_t part_type(bool with_names)
{
    return pcs_hdf5_record_type(part_members, sizeof part_members / sizeof *part_members,
                                sizeof(part_row), with_names);
}

static hid_t group_type(bool with_names)
{
    return pcs_hdf5_record_type(group_members, sizeof group_members / sizeof *group_members,
                                sizeof(group_row), with_names);
}

void pcs_result_count_meshes(const pcs_model *model, int32_t objects[PCS_OWNER_COUNT])
{
    const pcs_mesh_numbers n = pcs_model_mesh_numbers(model, model->meshes.count);
    objects[PCS_OWNER_MESH] = model->meshes.count;
    objects[PCS_OWNER_EXTREME] = n.quantity;
    objects[PCS_OWNER_GROUP] = n.group;
    objects[PCS_OWNER_NODE] = n.node;
    objects[PCS_OWNER_FRAME] = n.frame;
    objects[PCS_OWNER_RESULT] = (int32_t)n.result;
}

// ---- Writing ----

// What the walk over the meshes gathers.
typedef struct gathering {
    pcs_context *ctx;
    hid_t file;
    PCS_ARRAY(mesh_row) meshes;
    PCS_ARRAY(part_row) parts;
    PCS_ARRAY(group_row) groups;
    PCS_ARRAY(int32_t) elements;
    PCS_ARRAY(int32_t) nodes;
    PCS_ARRAY(int32_t) faces;
    PCS_ARRAY(pcs_vec3) start;
    PCS_ARRAY(const char *) mesh_names;
    PCS_ARRAY(const char *) part_names;
    PCS_ARRAY(const char *) result_names;
    PCS_ARRAY(char *) group_names; // "block.tip"
    PCS_ARRAY(char *) extreme_names;
    int32_t results; // so far
} gathering;

// "mesh.name", to be freed; NULL: memory is out.
static char *joined(pcs_context *ctx, const char *mesh, const char *name)
{
    const size_t size = strlen(mesh) + strlen(name) + 2;
    char *text = pcs_calloc(ctx, size, 1);
    if (text)
        snprintf(text, size, "%s.%s", mesh, name);
    return text;
}

static bool gather_part(gathering *g, int32_t mesh, const pcs_mesh_part *part,
                        int32_t first_element)
{
    const pcs_section *s = &part->property.section;
    const part_row row = {.mesh = mesh,
                          .kind = (int32_t)part->class->kind,
                          .nodes_per_element = part->class->n_nodes,
                          .n_elements = part->n_elements,
                          .first_entry = g->elements.count,
                          .first_result = g->results,
                          .n_results = part->class->n_results,
                          .first_name = g->result_names.count,
                          .first_element = first_element,
                          .round = s->round,
                          .area = s->area,
                          .drawn = {s->drawn.x, s->drawn.y},
                          .y = {s->y.x, s->y.y, s->y.z}};
    bool ok = PCS_PUSH(g->ctx, &g->parts, row) &&
              PCS_PUSH(g->ctx, &g->part_names, part->name ? part->name : "");
    g->results += part->n_elements * part->class->n_results;
    for (int32_t i = 0; ok && i < part->class->n_results; i++)
        ok = PCS_PUSH(g->ctx, &g->result_names, part->class->results_names[i]);
    const int32_t entries = part->n_elements * part->class->n_nodes;
    for (int32_t i = 0; ok && i < entries; i++)
        ok = PCS_PUSH(g->ctx, &g->elements, part->nodes[i]);
    return ok;
}

static bool gather_group(gathering *g, int32_t mesh, const char *mesh_name,
                         const pcs_mesh_group *group)
{
    const group_row row = {mesh, g->nodes.count, group->n_nodes,
                           g->faces.count / PCS_FACE_NODES_MAX, group->n_faces};
    char *name = joined(g->ctx, mesh_name, group->name);
    bool ok = name && PCS_PUSH(g->ctx, &g->group_names, name);
    if (!ok)
        pcs_free(g->ctx, name);
    ok = ok && PCS_PUSH(g->ctx, &g->groups, row);
    for (int32_t i = 0; ok && i < group->n_nodes; i++)
        ok = PCS_PUSH(g->ctx, &g->nodes, group->nodes[i]);
    for (int32_t i = 0; ok && i < group->n_faces * PCS_FACE_NODES_MAX; i++)
        ok = PCS_PUSH(g->ctx, &g->faces,
                      group->faces[i / PCS_FACE_NODES_MAX][i % PCS_FACE_NODES_MAX]);
    return ok;
}

static bool gather_mesh(gathering *g, const pcs_model *model, int32_t k)
{
    const pcs_mesh *mesh = &model->meshes.data[k];
    const pcs_mesh_numbers first = pcs_model_mesh_numbers(model, k);
    const pcs_quat r = pcs_quat_from_matrix(&mesh->R);
    int32_t elements = 0;
    for (int32_t i = 0; i < mesh->n_parts; i++)
        elements += mesh->parts[i].n_elements;
    const mesh_row row = {.first_node = first.node,
                          .n_nodes = mesh->n_nodes,
                          .first_frame = pcs_node_turns(mesh->kind) ? first.frame : -1,
                          .first_part = g->parts.count,
                          .n_parts = mesh->n_parts,
                          .first_group = g->groups.count,
                          .n_groups = mesh->n_groups,
                          .n_elements = elements,
                          .mass = pcs_model_mesh_mass(model, k),
                          .rotation = {r.w, r.x, r.y, r.z}};
    bool ok = PCS_PUSH(g->ctx, &g->meshes, row) && PCS_PUSH(g->ctx, &g->mesh_names, mesh->name);
    for (int32_t i = 0; ok && i < mesh->n_nodes; i++)
        ok = PCS_PUSH(g->ctx, &g->start, mesh->X[i]);
    elements = 0;
    for (int32_t i = 0; ok && i < mesh->n_parts; i++) {
        ok = gather_part(g, k, &mesh->parts[i], elements);
        elements += mesh->parts[i].n_elements;
    }
    for (int32_t i = 0; ok && i < mesh->n_groups; i++)
        ok = gather_group(g, k, mesh->name, &mesh->groups[i]);
    const char *name;
    for (int32_t i = 0; ok && (name = pcs_mesh_quantity_name(mesh, i)); i++) {
        char *full = joined(g->ctx, mesh->name, name);
        ok = full && PCS_PUSH(g->ctx, &g->extreme_names, full);
        if (!ok)
            pcs_free(g->ctx, full);
    }
    return ok;
}

static bool put_rows(hid_t file, const char *path, hid_t type, int32_t count, const void *rows)
{
    const hsize_t size = (hsize_t)count;
    bool ok = type >= 0 && pcs_hdf5_put_table(file, path, type, 1, &size, rows);
    pcs_hdf5_close(type);
    return ok;
}

static bool put_numbers(hid_t file, const char *path, hid_t type, int32_t count, int32_t columns,
                        const void *numbers)
{
    const hsize_t size[2] = {(hsize_t)(count / columns), (hsize_t)columns};
    return pcs_hdf5_put_table(file, path, type, columns > 1 ? 2 : 1, size, numbers);
}

static pcs_status put_gathered(const gathering *g)
{
    hid_t file = g->file;
    bool ok =
        pcs_hdf5_create_group(file, PCS_RESULT_MESH) &&
        put_rows(file, PCS_RESULT_MESH_ITEMS, mesh_type(true), g->meshes.count, g->meshes.data) &&
        put_rows(file, PCS_RESULT_MESH_PARTS, part_type(true), g->parts.count, g->parts.data) &&
        put_rows(file, PCS_RESULT_MESH_GROUPS, group_type(true), g->groups.count, g->groups.data) &&
        put_numbers(file, PCS_RESULT_MESH_ELEMENTS, H5T_NATIVE_INT32, g->elements.count, 1,
                    g->elements.data) &&
        put_numbers(file, PCS_RESULT_MESH_GROUP_NODES, H5T_NATIVE_INT32, g->nodes.count, 1,
                    g->nodes.data) &&
        put_numbers(file, PCS_RESULT_MESH_GROUP_FACES, H5T_NATIVE_INT32, g->faces.count,
                    PCS_FACE_NODES_MAX, g->faces.data) &&
        put_numbers(file, PCS_RESULT_MESH_START, H5T_NATIVE_DOUBLE, 3 * g->start.count, 3,
                    g->start.data);
    if (!ok)
        return PCS_ERROR_IO;
    const struct {
        const char *path;
        const char *const *names;
        int32_t count;
    } lists[] = {
        {pcs_owner_table[PCS_OWNER_MESH].names, g->mesh_names.data, g->mesh_names.count},
        {pcs_owner_table[PCS_OWNER_GROUP].names, (const char *const *)g->group_names.data,
         g->group_names.count},
        {pcs_owner_table[PCS_OWNER_EXTREME].names, (const char *const *)g->extreme_names.data,
         g->extreme_names.count},
        {PCS_RESULT_MESH_PART_NAMES, g->part_names.data, g->part_names.count},
        {PCS_RESULT_MESH_RESULT_NAMES, g->result_names.data, g->result_names.count},
    };
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        PCS_TRY(pcs_hdf5_put_names(g->ctx, file, lists[i].path, lists[i].names, lists[i].count, 1));
    return PCS_OK;
}

pcs_status pcs_result_put_meshes(pcs_context *ctx, hid_t file, const pcs_model *model)
{
    gathering g = {.ctx = ctx, .file = file};
    bool ok = true;
    if (model->meshes.count == 0)
        return PCS_OK;
    for (int32_t k = 0; ok && k < model->meshes.count; k++)
        ok = gather_mesh(&g, model, k);
    pcs_status status = ok ? put_gathered(&g) : PCS_ERROR_MEMORY;
    for (int32_t i = 0; i < g.group_names.count; i++)
        pcs_free(ctx, g.group_names.data[i]);
    for (int32_t i = 0; i < g.extreme_names.count; i++)
        pcs_free(ctx, g.extreme_names.data[i]);
    PCS_ARRAY_FREE(ctx, &g.meshes);
    PCS_ARRAY_FREE(ctx, &g.parts);
    PCS_ARRAY_FREE(ctx, &g.groups);
    PCS_ARRAY_FREE(ctx, &g.elements);
    PCS_ARRAY_FREE(ctx, &g.nodes);
    PCS_ARRAY_FREE(ctx, &g.faces);
    PCS_ARRAY_FREE(ctx, &g.start);
    PCS_ARRAY_FREE(ctx, &g.mesh_names);
    PCS_ARRAY_FREE(ctx, &g.part_names);
    PCS_ARRAY_FREE(ctx, &g.result_names);
    PCS_ARRAY_FREE(ctx, &g.group_names);
    PCS_ARRAY_FREE(ctx, &g.extreme_names);
    return status;
}

// ---- Reading ----

// What the file has, before it is checked.
typedef struct tables {
    const mesh_row *meshes;
    const part_row *parts;
    const group_row *groups;
    const int32_t *elements, *nodes;
    const int32_t (*faces)[PCS_FACE_NODES_MAX];
    const pcs_vec3 *start;
    const char *mesh_names, *part_names, *result_names, *group_names;
    size_t mesh_size, part_size, result_size, group_size;
    int32_t n_meshes, n_parts, n_groups, n_elements, n_nodes, n_faces, n_start;
    int32_t n_mesh_names, n_part_names, n_result_names, n_group_names;
} tables;

static void keep(pcs_mesh_list *list, void *memory)
{
    list->memory[list->n_memory++] = memory;
}

static pcs_status read_table(pcs_context *ctx, hid_t file, const char *path, int32_t columns,
                             hid_t type, pcs_mesh_list *list, int32_t *count, const void **data)
{
    void *rows = NULL;
    pcs_status status = pcs_hdf5_read_rows(ctx, file, path, columns, type, count, &rows);
    keep(list, rows);
    *data = rows;
    return status;
}

static pcs_status read_texts(pcs_context *ctx, hid_t file, const char *path, pcs_mesh_list *list,
                             int32_t *count, const char **texts, size_t *size)
{
    hsize_t extent[3] = {0, 0, 0};
    char *block = NULL;
    hid_t dataset = pcs_hdf5_open_dataset(file, path, 1, extent);
    pcs_status status = PCS_ERROR_INPUT;
    if (dataset >= 0 && extent[0] <= INT32_MAX)
        status = pcs_hdf5_read_texts(ctx, dataset, (int64_t)extent[0], &block, size);
    pcs_hdf5_close(dataset);
    keep(list, block);
    *texts = block;
    *count = status >= 0 ? (int32_t)extent[0] : 0;
    return status;
}

static pcs_status read_tables(pcs_context *ctx, hid_t file, pcs_mesh_list *list, tables *t)
{
    const void *meshes = NULL, *parts = NULL, *groups = NULL, *elements = NULL, *nodes = NULL,
               *faces = NULL, *start = NULL;
    const struct {
        const char *path;
        int32_t columns;
        hid_t type;
        bool own;
        int32_t *count;
        const void **data;
    } arrays[] = {
        {PCS_RESULT_MESH_ITEMS, 1, mesh_type(false), true, &t->n_meshes, &meshes},
        {PCS_RESULT_MESH_PARTS, 1, part_type(false), true, &t->n_parts, &parts},
        {PCS_RESULT_MESH_GROUPS, 1, group_type(false), true, &t->n_groups, &groups},
        {PCS_RESULT_MESH_ELEMENTS, 1, H5T_NATIVE_INT32, false, &t->n_elements, &elements},
        {PCS_RESULT_MESH_GROUP_NODES, 1, H5T_NATIVE_INT32, false, &t->n_nodes, &nodes},
        {PCS_RESULT_MESH_GROUP_FACES, PCS_FACE_NODES_MAX, H5T_NATIVE_INT32, false, &t->n_faces,
         &faces},
        {PCS_RESULT_MESH_START, 3, H5T_NATIVE_DOUBLE, false, &t->n_start, &start},
    };
    pcs_status status = PCS_OK;
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        if (status >= 0)
            status = read_table(ctx, file, arrays[i].path, arrays[i].columns, arrays[i].type, list,
                                arrays[i].count, arrays[i].data);
        if (arrays[i].own)
            pcs_hdf5_close(arrays[i].type);
    }
    PCS_TRY(status);
    t->meshes = meshes;
    t->parts = parts;
    t->groups = groups;
    t->elements = elements;
    t->nodes = nodes;
    t->faces = (const int32_t(*)[PCS_FACE_NODES_MAX])faces;
    t->start = start;
    PCS_TRY(read_texts(ctx, file, pcs_owner_table[PCS_OWNER_MESH].names, list, &t->n_mesh_names,
                       &t->mesh_names, &t->mesh_size));
    PCS_TRY(read_texts(ctx, file, pcs_owner_table[PCS_OWNER_GROUP].names, list, &t->n_group_names,
                       &t->group_names, &t->group_size));
    PCS_TRY(read_texts(ctx, file, PCS_RESULT_MESH_PART_NAMES, list, &t->n_part_names,
                       &t->part_names, &t->part_size));
    return read_texts(ctx, file, PCS_RESULT_MESH_RESULT_NAMES, list, &t->n_result_names,
                      &t->result_names, &t->result_size);
}

// `count` entries from `first` on are inside of `all`.
static bool is_inside(int32_t first, int64_t count, int32_t all)
{
    return first >= 0 && count >= 0 && first + count <= all;
}

static bool are_nodes(const int32_t *numbers, int64_t count, int32_t n_nodes, int32_t least)
{
    for (int64_t i = 0; i < count; i++)
        if (numbers[i] < least || numbers[i] >= n_nodes)
            return false;
    return true;
}

static bool make_part(const tables *t, int32_t i, int32_t n_nodes, const char **names,
                      pcs_stored_part *part)
{
    const part_row *row = &t->parts[i];
    const int64_t entries = (int64_t)row->n_elements * row->nodes_per_element;
    if (!kind_name(row->kind) || row->nodes_per_element < 2 || row->nodes_per_element > 8 ||
        row->first_result < 0 || !is_inside(row->first_entry, entries, t->n_elements) ||
        !is_inside(row->first_name, row->n_results, t->n_result_names) ||
        !are_nodes(t->elements + row->first_entry, entries, n_nodes, 0))
        return false;
    for (int32_t k = 0; k < row->n_results; k++)
        names[row->first_name + k] = t->result_names +
                                     (size_t)(row->first_name + k) * t->result_size;
    part->section = (pcs_section){.area = row->area,
                                  .y = {row->y[0], row->y[1], row->y[2]},
                                  .drawn = {row->drawn[0], row->drawn[1]},
                                  .round = row->round != 0};
    part->first_result = row->first_result;
    part->view = (pcs_mesh_part_view){.name = t->part_names + (size_t)i * t->part_size,
                                      .kind = (pcs_element_kind)row->kind,
                                      .nodes_per_element = row->nodes_per_element,
                                      .n_elements = row->n_elements,
                                      .nodes = t->elements + row->first_entry,
                                      .section = &part->section,
                                      .n_results = row->n_results,
                                      .results_names = names + row->first_name};
    return true;
}

static bool make_group(const tables *t, int32_t i, int32_t n_nodes, size_t prefix,
                       pcs_mesh_group_view *group)
{
    const group_row *row = &t->groups[i];
    const char *name = t->group_names + (size_t)i * t->group_size;
    if (!is_inside(row->first_node, row->n_nodes, t->n_nodes) ||
        !is_inside(row->first_face, row->n_faces, t->n_faces) ||
        !are_nodes(t->nodes + row->first_node, row->n_nodes, n_nodes, 0) ||
        (row->n_faces > 0 && !are_nodes(t->faces[row->first_face],
                                        (int64_t)row->n_faces * PCS_FACE_NODES_MAX, n_nodes, -1)) ||
        strlen(name) < prefix)
        return false;
    *group = (pcs_mesh_group_view){.name = name + prefix,
                                   .nodes = t->nodes + row->first_node,
                                   .n_nodes = row->n_nodes,
                                   .faces = t->faces + row->first_face,
                                   .n_faces = row->n_faces};
    return true;
}

static bool make_mesh(const tables *t, int32_t k, const char **names, pcs_stored_part *parts,
                      pcs_mesh_group_view *groups, pcs_stored_mesh *mesh)
{
    const mesh_row *row = &t->meshes[k];
    if (row->n_nodes < 1 || !is_inside(row->first_node, row->n_nodes, t->n_start) ||
        row->first_frame < -1 || !is_inside(row->first_part, row->n_parts, t->n_parts) ||
        !is_inside(row->first_group, row->n_groups, t->n_groups))
        return false;
    *mesh = (pcs_stored_mesh){
        .name = t->mesh_names + (size_t)k * t->mesh_size,
        .first_node = row->first_node,
        .n_nodes = row->n_nodes,
        .first_frame = row->first_frame,
        .start = t->start + row->first_node,
        .rotation = {row->rotation[0], row->rotation[1], row->rotation[2], row->rotation[3]},
        .mass = row->mass,
        .parts = parts + row->first_part,
        .n_parts = row->n_parts,
        .groups = groups + row->first_group,
        .n_groups = row->n_groups};
    for (int32_t i = 0; i < row->n_parts; i++)
        if (!make_part(t, row->first_part + i, row->n_nodes, names, &parts[row->first_part + i]))
            return false;
    for (int32_t i = 0; i < row->n_groups; i++)
        if (!make_group(t, row->first_group + i, row->n_nodes, strlen(mesh->name) + 1,
                        &groups[row->first_group + i]))
            return false;
    return true;
}

// Counts of what has no names; false if they do not fit together.
static bool count_all(const tables *t, int32_t objects[PCS_OWNER_COUNT])
{
    int64_t frames = 0, results = 0;
    for (int32_t k = 0; k < t->n_meshes; k++)
        frames += t->meshes[k].first_frame >= 0 ? t->meshes[k].n_nodes : 0;
    for (int32_t i = 0; i < t->n_parts; i++)
        results += (int64_t)t->parts[i].n_elements * t->parts[i].n_results;
    for (int32_t k = 0; k < t->n_meshes; k++)
        if (t->meshes[k].first_frame >= 0 &&
            !is_inside(t->meshes[k].first_frame, t->meshes[k].n_nodes, (int32_t)frames))
            return false;
    for (int32_t i = 0; i < t->n_parts; i++)
        if (t->parts[i].first_result + (int64_t)t->parts[i].n_elements * t->parts[i].n_results >
            results)
            return false;
    objects[PCS_OWNER_NODE] = t->n_start;
    objects[PCS_OWNER_FRAME] = (int32_t)frames;
    objects[PCS_OWNER_RESULT] = (int32_t)results;
    return frames <= t->n_start && results <= INT32_MAX;
}

static pcs_status read_meshes(pcs_context *ctx, hid_t file, int32_t objects[PCS_OWNER_COUNT],
                              pcs_mesh_list *list)
{
    tables t = {0};
    PCS_TRY(read_tables(ctx, file, list, &t));
    if (t.n_mesh_names != t.n_meshes || t.n_part_names != t.n_parts ||
        t.n_group_names != t.n_groups)
        return PCS_ERROR_INPUT;
    pcs_stored_mesh *items = PCS_NEW_ARRAY(ctx, pcs_stored_mesh, t.n_meshes);
    pcs_stored_part *parts = PCS_NEW_ARRAY(ctx, pcs_stored_part, t.n_parts);
    pcs_mesh_group_view *groups = PCS_NEW_ARRAY(ctx, pcs_mesh_group_view, t.n_groups);
    const char **names = PCS_NEW_ARRAY(ctx, const char *, t.n_result_names);
    list->items = items;
    keep(list, parts);
    keep(list, groups);
    keep(list, (void *)names);
    if (!items || !parts || !groups || !names)
        return PCS_ERROR_MEMORY;
    for (int32_t k = 0; k < t.n_meshes; k++, list->count++)
        if (!make_mesh(&t, k, names, parts, groups, &items[k]))
            return PCS_ERROR_INPUT;
    return count_all(&t, objects) ? PCS_OK : PCS_ERROR_INPUT;
}

pcs_status pcs_result_read_meshes(pcs_context *ctx, hid_t file, int32_t objects[PCS_OWNER_COUNT],
                                  pcs_mesh_list *list)
{
    *list = (pcs_mesh_list){0};
    if (!pcs_hdf5_has_object(file, PCS_RESULT_MESH_ITEMS))
        return PCS_OK;
    pcs_status status = read_meshes(ctx, file, objects, list);
    if (status < 0)
        pcs_mesh_list_free(ctx, list);
    return status;
}

void pcs_mesh_list_free(pcs_context *ctx, pcs_mesh_list *list)
{
    for (int32_t i = 0; i < list->n_memory; i++)
        pcs_free(ctx, list->memory[i]);
    pcs_free(ctx, list->items);
    *list = (pcs_mesh_list){0};
}
