// Meshes of a result, and the columns of single nodes and elements.
#include <stdlib.h>
#include <string.h>

#include "io/result_file.h"

int32_t pcs_result_mesh_count(const pcs_result *result)
{
    return result->meshes.count;
}

static const pcs_stored_mesh *find(const pcs_result *result, int32_t mesh)
{
    return mesh >= 0 && mesh < result->meshes.count ? &result->meshes.items[mesh] : NULL;
}

pcs_result_mesh_view pcs_result_mesh(const pcs_result *result, int32_t mesh)
{
    const pcs_stored_mesh *m = find(result, mesh);
    if (!m)
        return (pcs_result_mesh_view){0};
    return (pcs_result_mesh_view){.name = m->name,
                                  .first_node = m->first_node,
                                  .n_nodes = m->n_nodes,
                                  .first_frame = m->first_frame,
                                  .start = m->start,
                                  .n_parts = m->n_parts,
                                  .n_groups = m->n_groups,
                                  .mass = m->mass};
}

pcs_mesh_part_view pcs_result_mesh_part(const pcs_result *result, int32_t mesh, int32_t part,
                                        int64_t *first_result)
{
    const pcs_stored_mesh *m = find(result, mesh);
    if (!m || part < 0 || part >= m->n_parts)
        return (pcs_mesh_part_view){0};
    if (first_result)
        *first_result = m->parts[part].first_result;
    return m->parts[part].view;
}

pcs_mesh_group_view pcs_result_mesh_group(const pcs_result *result, int32_t mesh, int32_t group)
{
    const pcs_stored_mesh *m = find(result, mesh);
    if (!m || group < 0 || group >= m->n_groups)
        return (pcs_mesh_group_view){0};
    return m->groups[group];
}

bool pcs_result_group_turns(const pcs_result *result, int32_t group)
{
    for (int32_t k = 0; k < result->meshes.count; group -= result->meshes.items[k++].n_groups)
        if (group < result->meshes.items[k].n_groups)
            return result->meshes.items[k].first_frame >= 0;
    return false;
}

// ---- Columns of nodes and elements ----

// "12.rest" gives 12 and "rest"; false if it is no such text or there are not so many.
static bool read_number(const char *text, int32_t count, int32_t *number, const char **rest)
{
    char *end = NULL;
    if (*text < '0' || *text > '9')
        return false;
    const long long value = strtoll(text, &end, 10);
    *number = (int32_t)value;
    *rest = end + 1;
    return *end == '.' && value < count;
}

// The quantity and component of "velocity.y"; false if there is none in this file.
static bool find_quantity(const pcs_result *result, const pcs_stored_mesh *mesh, int32_t node,
                          const char *text, pcs_stored_signal *found)
{
    static const struct {
        const char *name, *axes;
        int quantity;
    } rows[] = {
        {"position", "xyz", PCS_QUANTITY_NODE_POSITION},
        {"velocity", "xyz", PCS_QUANTITY_NODE_VELOCITY},
        {"rotation", "wxyz", PCS_QUANTITY_FRAME_ROTATION},
        {"angle", "", PCS_QUANTITY_FRAME_ANGLE},
        {"angular_velocity", "xyz", PCS_QUANTITY_FRAME_ANGULAR_VELOCITY},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const size_t length = strlen(rows[i].name);
        const bool of_frames = pcs_quantity_table[rows[i].quantity].owner == PCS_OWNER_FRAME;
        if (strncmp(text, rows[i].name, length) != 0 || result->dataset[rows[i].quantity] < 0 ||
            (of_frames && mesh->first_frame < 0))
            continue;
        const int32_t object = node + (of_frames ? mesh->first_frame : mesh->first_node);
        *found = (pcs_stored_signal){rows[i].quantity, object, 0};
        if (!*rows[i].axes && !text[length])
            return true;
        const char axis = text[length] == '.' ? text[length + 1] : '\0';
        const char *at = axis && !text[length + 2] ? strchr(rows[i].axes, axis) : NULL;
        if (!at)
            continue;
        found->component = (int32_t)(at - rows[i].axes);
        if (result->dimension == 3)
            return true;
        return i < 2 ? axis != 'z' : axis == 'z'; // in the plane: x, y; rotations about z
    }
    return false;
}

static bool find_result(const pcs_stored_mesh *mesh, int32_t element, const char *name,
                        pcs_stored_signal *found)
{
    for (int32_t p = 0; p < mesh->n_parts; element -= mesh->parts[p++].view.n_elements) {
        const pcs_stored_part *part = &mesh->parts[p];
        if (element >= part->view.n_elements)
            continue;
        for (int32_t i = 0; i < part->view.n_results; i++) {
            if (strcmp(part->view.results_names[i], name) != 0)
                continue;
            const int64_t at = part->first_result + (int64_t)element * part->view.n_results + i;
            *found = (pcs_stored_signal){PCS_QUANTITY_RESULT_VALUE, (int32_t)at, 0};
            return true;
        }
        return false;
    }
    return false;
}

bool pcs_result_find_mesh_signal(const pcs_result *result, const char *path,
                                 pcs_stored_signal *found)
{
    if (strncmp(path, "mesh.", 5) != 0)
        return false;
    for (int32_t k = 0; k < result->meshes.count; k++) {
        const pcs_stored_mesh *mesh = &result->meshes.items[k];
        const size_t length = strlen(mesh->name);
        const char *rest = path + 5 + length + 1, *tail = NULL;
        int32_t number = 0;
        if (strncmp(path + 5, mesh->name, length) != 0 || path[5 + length] != '.')
            continue;
        if (strncmp(rest, "node.", 5) == 0)
            return read_number(rest + 5, mesh->n_nodes, &number, &tail) &&
                   find_quantity(result, mesh, number, tail, found);
        if (strncmp(rest, "element.", 8) == 0)
            return result->dataset[PCS_QUANTITY_RESULT_VALUE] >= 0 &&
                   read_number(rest + 8, INT32_MAX, &number, &tail) &&
                   find_result(mesh, number, tail, found);
    }
    return false;
}
