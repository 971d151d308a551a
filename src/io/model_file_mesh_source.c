// Where a mesh of a model file comes from: a block, a line or a gmsh file; and its groups by
// geometry.
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "geometry/mesh_generate.h"
#include "io/gmsh_file.h"
#include "io/model_reader.h"

pcs_status pcs_reader_read_whole(pcs_model_reader *reader, const pcs_yaml_node *node,
                                 const char *what, int64_t low, int64_t *number)
{
    const double largest = 9007199254740992.0; // 2^53: beyond it doubles skip integers
    double value;
    PCS_TRY(pcs_reader_read_number(reader, node, &value));
    if (value != floor(value) || value < (double)low || value > largest)
        return pcs_yaml_error(reader->doc, node->mark,
                              "%s must be a whole number from %lld on, but is %g", what,
                              (long long)low, value);
    *number = (int64_t)value;
    return PCS_OK;
}

// ---- Blocks and lines ----

static pcs_status read_block(pcs_model_reader *reader, const pcs_yaml_node *block,
                             pcs_mesh_data *data)
{
    const char *elements[PCS_ELEMENT_KIND_COUNT];
    const pcs_yaml_node *element = pcs_yaml_child(block, "element");
    const pcs_yaml_node *divisions = pcs_yaml_child(block, "divisions");
    int32_t choice = PCS_ELEMENT_HEXAHEDRON, k = 0;
    if (reader->dimension == 2)
        return pcs_yaml_error(reader->doc, block->key_mark,
                              "a planar model has no solid elements, only bars and beams ('line'); "
                              "a block needs 'dimension: 3'");
    pcs_block_def def = {0};
    PCS_TRY(pcs_reader_get_vector(reader, block, "size", &def.size));
    if (divisions->count != 3)
        return pcs_yaml_error(reader->doc, divisions->mark,
                              "'divisions' needs three numbers, along x, y and z, but has %d",
                              divisions->count);
    for (const pcs_yaml_node *item = divisions->first; item; item = item->next)
        PCS_TRY(
            pcs_reader_read_whole(reader, item, "a number of divisions", 1, &def.divisions[k++]));
    for (k = 0; k < PCS_ELEMENT_KIND_COUNT; k++)
        elements[k] = k < PCS_ELEMENT_HEXAHEDRON ? NULL
                                                 : pcs_element_kind_name((pcs_element_kind)k);
    if (element)
        PCS_TRY(pcs_reader_read_choice(reader, element, "element of a block", elements,
                                       PCS_ELEMENT_KIND_COUNT, &choice));
    def.kind = choice == PCS_ELEMENT_TETRAHEDRON ? PCS_CELL_TETRAHEDRON : PCS_CELL_HEXAHEDRON;
    pcs_status status = pcs_mesh_generate_block(data, &def);
    return status < 0 ? pcs_reader_locate(reader, block, status) : PCS_OK;
}

static pcs_status read_points(pcs_model_reader *reader, const pcs_yaml_node *line,
                              pcs_line_def *def)
{
    const pcs_yaml_node *list = pcs_yaml_child(line, "points");
    const pcs_yaml_node *through = pcs_yaml_child(line, "through");
    const char *with = list ? "a line with 'points'" : "a line with 'from' and 'to'";
    pcs_vec3 *points = pcs_yaml_alloc(reader->doc, list ? (size_t)list->count + 1 : 3,
                                      sizeof *points);
    if (!points)
        return PCS_ERROR_MEMORY;
    def->points = points;
    if (!list) {
        PCS_TRY(pcs_reader_require_key(reader, line, "from", "a line without 'points'"));
        PCS_TRY(pcs_reader_require_key(reader, line, "to", "a line without 'points'"));
        PCS_TRY(pcs_reader_refuse_key(reader, line, "closed", with));
        def->arc = through != NULL;
        PCS_TRY(pcs_reader_get_vector(reader, line, "from", &points[def->n_points++]));
        if (through)
            PCS_TRY(pcs_reader_read_vector(reader, through, &points[def->n_points++]));
        return pcs_reader_get_vector(reader, line, "to", &points[def->n_points++]);
    }
    PCS_TRY(pcs_reader_refuse_key(reader, line, "from", with));
    PCS_TRY(pcs_reader_refuse_key(reader, line, "to", with));
    PCS_TRY(pcs_reader_refuse_key(reader, line, "through", with));
    for (const pcs_yaml_node *item = list->first; item; item = item->next)
        PCS_TRY(pcs_reader_read_vector(reader, item, &points[def->n_points++]));
    def->closed = pcs_reader_get_flag(line, "closed");
    return PCS_OK;
}

static pcs_status read_line(pcs_model_reader *reader, const pcs_yaml_node *line,
                            pcs_mesh_data *data)
{
    const pcs_yaml_node *node = pcs_yaml_child(line, "divisions");
    pcs_line_def def = {0};
    PCS_TRY(read_points(reader, line, &def));
    int32_t n_segments = def.arc ? 1 : def.n_points - (def.closed ? 0 : 1), k = 0;
    int64_t *divisions = pcs_yaml_alloc(reader->doc, (size_t)def.n_points + 1, sizeof *divisions);
    if (!divisions)
        return PCS_ERROR_MEMORY;
    def.divisions = divisions;
    if (node->kind == PCS_YAML_LIST) {
        if (node->count != n_segments)
            return pcs_yaml_error(reader->doc, node->mark,
                                  "'divisions' needs one number, or one for each of the %d "
                                  "segments, but has %d",
                                  n_segments, node->count);
        for (const pcs_yaml_node *item = node->first; item; item = item->next)
            PCS_TRY(
                pcs_reader_read_whole(reader, item, "a number of divisions", 1, &divisions[k++]));
    } else {
        PCS_TRY(pcs_reader_read_whole(reader, node, "the number of divisions", 1, &divisions[0]));
        for (k = 1; k < n_segments; k++)
            divisions[k] = divisions[0];
    }
    pcs_status status = pcs_mesh_generate_line(data, &def);
    return status < 0 ? pcs_reader_locate(reader, line, status) : PCS_OK;
}

// ---- Files ----

// The path as seen from the working directory: relative to the file that names it.
static const char *resolve_path(pcs_model_reader *reader, const pcs_yaml_node *node)
{
    const pcs_yaml_source *source = &reader->doc->sources.data[node->mark.source];
    const char *slash = source->has_lines ? strrchr(source->name, '/') : NULL;
    if (node->text[0] == '/' || !slash)
        return node->text;
    size_t folder = (size_t)(slash - source->name) + 1, length = strlen(node->text);
    char *path = pcs_yaml_alloc(reader->doc, folder + length + 1, 1);
    if (path) {
        memcpy(path, source->name, folder);
        memcpy(path + folder, node->text, length);
    }
    return path;
}

static pcs_status read_mesh_file(pcs_model_reader *reader, const pcs_yaml_node *node,
                                 pcs_mesh_data *data)
{
    const char *path = resolve_path(reader, node);
    if (!path)
        return PCS_ERROR_MEMORY;
    struct stat about;
    if (stat(path, &about) == 0 && !S_ISREG(about.st_mode))
        return pcs_yaml_error(reader->doc, node->mark, "cannot read '%.200s': it is %s", path,
                              S_ISDIR(about.st_mode) ? "a folder, not a file"
                                                     : "not a regular file");
    pcs_status status = pcs_gmsh_read_file(reader->ctx, path, data);
    if (status == PCS_ERROR_IO) // which is about the model here
        return pcs_yaml_error(reader->doc, node->mark, "cannot read the mesh %.400s",
                              pcs_context_error(reader->ctx));
    return status < 0 ? pcs_yaml_locate(reader->doc, node->mark, status) : PCS_OK;
}

// Keeps the cells of the groups under `only`.
static pcs_status keep_only(pcs_model_reader *reader, const pcs_yaml_node *list,
                            pcs_mesh_data *data)
{
    bool *keep = PCS_NEW_ARRAY(reader->ctx, bool, data->cells.count);
    if (!keep)
        return PCS_ERROR_MEMORY;
    pcs_status status = PCS_OK;
    for (const pcs_yaml_node *item = list->first; item && status >= 0; item = item->next) {
        const pcs_mesh_data_group *group = pcs_mesh_data_find_group(data, item->text);
        if (!group)
            status = pcs_reader_unknown_group(reader, item, item->text, data);
        else if (group->cells.count == 0)
            status = pcs_yaml_error(reader->doc, item->mark,
                                    "group '%.80s' has no solid and no line elements", item->text);
        for (int32_t k = 0; group && k < group->cells.count; k++)
            keep[group->cells.data[k]] = true;
    }
    if (status >= 0)
        status = pcs_mesh_data_reduce(data, keep);
    pcs_free(reader->ctx, keep);
    return status;
}

// Lines of a file that has solids are the edges of its geometry, unless a part is made of them.
static pcs_status drop_edges(pcs_model_reader *reader, const pcs_yaml_node *mesh,
                             pcs_mesh_data *data)
{
    const pcs_yaml_node *parts = pcs_yaml_child(mesh, "parts");
    bool *keep = PCS_NEW_ARRAY(reader->ctx, bool, data->cells.count);
    if (!keep)
        return PCS_ERROR_MEMORY;
    int32_t n_solids = 0;
    for (int32_t c = 0; c < data->cells.count; c++) {
        keep[c] = data->cells.data[c].kind != PCS_CELL_LINE;
        n_solids += keep[c];
    }
    for (const pcs_yaml_node *part = parts ? parts->first : NULL; part; part = part->next) {
        const pcs_mesh_data_group *group = pcs_mesh_data_find_group(data, part->key);
        for (int32_t k = 0; group && k < group->cells.count; k++)
            keep[group->cells.data[k]] = true;
    }
    pcs_status status = n_solids > 0 ? pcs_mesh_data_reduce(data, keep) : PCS_OK;
    pcs_free(reader->ctx, keep);
    return status;
}

// Names that every mesh has for groups of its own.
static pcs_status refuse_own_names(pcs_model_reader *reader, const pcs_yaml_node *file,
                                   const pcs_mesh_data *data)
{
    static const char *const names[] = {"all", "surface"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        if (pcs_mesh_data_find_group(data, names[k]))
            return pcs_yaml_error(reader->doc, file->mark,
                                  "the file has a physical group '%s', and every mesh has a group "
                                  "of that name; rename the one in the file",
                                  names[k]);
    }
    return PCS_OK;
}

static pcs_status read_file(pcs_model_reader *reader, const pcs_yaml_node *mesh,
                            pcs_mesh_data *data)
{
    const pcs_yaml_node *only = pcs_yaml_child(mesh, "only");
    double scale = 1;
    PCS_TRY(pcs_reader_get_positive(reader, mesh, "scale", &scale));
    PCS_TRY(read_mesh_file(reader, pcs_yaml_child(mesh, "file"), data));
    for (int32_t i = 0; i < data->nodes.count; i++)
        data->nodes.data[i] = pcs_v3_scale(scale, data->nodes.data[i]);
    PCS_TRY(refuse_own_names(reader, pcs_yaml_child(mesh, "file"), data));
    if (only)
        PCS_TRY(keep_only(reader, only, data));
    return drop_edges(reader, mesh, data);
}

// ---- Groups ----

pcs_status pcs_reader_unknown_group(const pcs_model_reader *reader, const pcs_yaml_node *node,
                                    const char *group, const pcs_mesh_data *data)
{
    char suggestion[PCS_SUGGESTION_SIZE], known[320] = "";
    size_t used = 0;
    const int32_t n = data->groups.count;
    const char **names = PCS_NEW_ARRAY(reader->ctx, const char *, n + 2);
    if (!names)
        return PCS_ERROR_MEMORY;
    for (int32_t g = 0; g < n; g++) {
        names[g] = data->groups.data[g].name;
        if (used < sizeof known)
            used += (size_t)snprintf(known + used, sizeof known - used, "%s, ", names[g]);
    }
    if (used >= sizeof known)
        memcpy(known + sizeof known - 6, "..., ", 6);
    names[n] = "all";
    names[n + 1] = "surface";
    pcs_schema_suggest(group, names, n + 2, suggestion);
    pcs_free(reader->ctx, names);
    if (suggestion[0])
        return pcs_yaml_error(reader->doc, node->mark, "the mesh has no group '%.80s'%s", group,
                              suggestion);
    return pcs_yaml_error(reader->doc, node->mark, "the mesh has no group '%.80s'; it has %sall",
                          group, known);
}

// Nodes between the corners, and the faces of the surface with all their nodes there.
static pcs_status fill_box(pcs_mesh_data *data, const pcs_vec3 corner[2],
                           pcs_mesh_data_group *group)
{
    const pcs_vec3 low = {fmin(corner[0].x, corner[1].x), fmin(corner[0].y, corner[1].y),
                          fmin(corner[0].z, corner[1].z)};
    const pcs_vec3 high = {fmax(corner[0].x, corner[1].x), fmax(corner[0].y, corner[1].y),
                           fmax(corner[0].z, corner[1].z)};
    bool *inside = PCS_NEW_ARRAY(data->ctx, bool, data->nodes.count);
    pcs_mesh_faces boundary = {0};
    pcs_status status = inside ? pcs_mesh_data_boundary(data, &boundary) : PCS_ERROR_MEMORY;
    for (int32_t i = 0; i < data->nodes.count && status >= 0; i++) {
        const pcs_vec3 x = data->nodes.data[i];
        inside[i] = x.x >= low.x && x.x <= high.x && x.y >= low.y && x.y <= high.y &&
                    x.z >= low.z && x.z <= high.z;
        if (inside[i] && !PCS_PUSH(data->ctx, &group->nodes, i))
            status = PCS_ERROR_MEMORY;
    }
    for (int32_t f = 0; f < boundary.count && status >= 0; f++) {
        const int32_t *n = boundary.data[f].nodes;
        if (inside[n[0]] && inside[n[1]] && inside[n[2]] && (n[3] < 0 || inside[n[3]]) &&
            !PCS_PUSH(data->ctx, &group->faces, boundary.data[f]))
            status = PCS_ERROR_MEMORY;
    }
    PCS_ARRAY_FREE(data->ctx, &boundary);
    pcs_free(data->ctx, inside);
    return status;
}

// Nodes by their numbers in the mesh or, under `tags`, in its file.
static pcs_status fill_nodes(pcs_model_reader *reader, const pcs_yaml_node *list,
                             pcs_mesh_data *data, pcs_mesh_data_group *group)
{
    const bool by_tag = strcmp(list->key, "tags") == 0;
    if (by_tag && data->tags.count == 0)
        return pcs_yaml_error(reader->doc, list->key_mark,
                              "the mesh does not come from a file; name its nodes by 'nodes'");
    for (const pcs_yaml_node *item = list->first; item; item = item->next) {
        int64_t number = 0;
        PCS_TRY(pcs_reader_read_whole(reader, item, "a number of a node", 0, &number));
        int32_t place = by_tag                       ? pcs_mesh_data_find_tag(data, number)
                        : number < data->nodes.count ? (int32_t)number
                                                     : -1;
        if (place < 0)
            return pcs_yaml_error(reader->doc, item->mark,
                                  "the mesh has no node with the %s %lld; it has %d nodes%s",
                                  by_tag ? "tag" : "number", (long long)number, data->nodes.count,
                                  by_tag ? "" : ", numbered from 0");
        if (!PCS_PUSH(data->ctx, &group->nodes, place))
            return PCS_ERROR_MEMORY;
    }
    return PCS_OK;
}

static pcs_status read_group(pcs_model_reader *reader, const pcs_yaml_node *node,
                             pcs_mesh_data *data)
{
    const pcs_yaml_node *nearest = pcs_yaml_child(node, "nearest");
    const pcs_yaml_node *box = pcs_yaml_child(node, "box");
    int32_t index;
    if (node->count != 1)
        return pcs_yaml_error(reader->doc, node->key_mark,
                              "group '%s' needs one of 'nearest', 'box', 'nodes' and 'tags'",
                              node->key);
    if (pcs_mesh_data_find_group(data, node->key) || strcmp(node->key, "all") == 0 ||
        strcmp(node->key, "surface") == 0)
        return pcs_yaml_error(reader->doc, node->key_mark,
                              "the mesh has a group '%s' already; choose another name", node->key);
    PCS_TRY(pcs_mesh_data_get_group(data, node->key, &index));
    pcs_mesh_data_group *group = &data->groups.data[index];
    pcs_vec3 point[2] = {{0, 0, 0}, {0, 0, 0}};
    if (nearest) {
        PCS_TRY(pcs_reader_read_vector(reader, nearest, &point[0]));
        int32_t place = pcs_mesh_data_nearest(data, point[0]);
        if (!PCS_PUSH(data->ctx, &group->nodes, place))
            return PCS_ERROR_MEMORY;
    } else if (box) {
        if (box->count != 2)
            return pcs_yaml_error(reader->doc, box->mark,
                                  "'box' needs two corners, such as [[0, 0, 0], [1, 1, 1]]");
        PCS_TRY(pcs_reader_read_vector(reader, box->first, &point[0]));
        PCS_TRY(pcs_reader_read_vector(reader, box->last, &point[1]));
        PCS_TRY(fill_box(data, point, group));
    } else {
        PCS_TRY(fill_nodes(reader, node->first, data, group));
    }
    if (group->nodes.count == 0)
        return pcs_yaml_error(reader->doc, node->key_mark, "group '%s' has no nodes", node->key);
    return PCS_OK;
}

// ---- The whole ----

pcs_status pcs_reader_read_mesh_data(pcs_model_reader *reader, const pcs_yaml_node *mesh,
                                     pcs_mesh_data *data)
{
    static const char *const file_keys[] = {"scale", "only"};
    const pcs_yaml_node *block = pcs_yaml_child(mesh, "block");
    const pcs_yaml_node *line = pcs_yaml_child(mesh, "line");
    const pcs_yaml_node *file = pcs_yaml_child(mesh, "file");
    if ((block != NULL) + (line != NULL) + (file != NULL) != 1)
        return pcs_yaml_error(reader->doc, mesh->key_mark,
                              "mesh '%s' needs one of 'block', 'line' and 'file'", mesh->key);
    for (size_t k = 0; k < sizeof file_keys / sizeof *file_keys && !file; k++)
        PCS_TRY(pcs_reader_refuse_key(reader, mesh, file_keys[k], "a mesh without 'file'"));
    if (!file)
        PCS_TRY(pcs_reader_refuse_key(reader, mesh, "element",
                                      "a mesh without 'file'; write it inside 'block' or 'line'"));
    if (block)
        PCS_TRY(read_block(reader, block, data));
    else if (line)
        PCS_TRY(read_line(reader, line, data));
    else
        PCS_TRY(read_file(reader, mesh, data));
    const pcs_yaml_node *groups = pcs_yaml_child(mesh, "groups");
    for (const pcs_yaml_node *node = groups ? groups->first : NULL; node; node = node->next)
        PCS_TRY(read_group(reader, node, data));
    return PCS_OK;
}
