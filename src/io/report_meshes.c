#include "io/report_meshes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char SPEED[] = "speed";

// With more drawn points than this the page gets the first result of each part alone, beside the
// speed, so that room for frames is left.
enum { MANY_POINTS = 1500 };

static bool is_line(const pcs_mesh_part_view *part)
{
    return part->nodes_per_element == 2;
}

// ---- Points ----

static void mark(pcs_report_mesh *m, int32_t node)
{
    if (m->place[node] < 0) {
        m->place[node] = m->n_points;
        m->node[m->n_points++] = node;
    }
}

static const pcs_mesh_group_view *find_surface(const pcs_stored_mesh *mesh)
{
    for (int32_t g = 0; g < mesh->n_groups; g++)
        if (strcmp(mesh->groups[g].name, "surface") == 0)
            return &mesh->groups[g];
    return NULL;
}

static int32_t corners_of(const int32_t face[PCS_FACE_NODES_MAX])
{
    return face[2] < 0 ? 2 : face[3] < 0 ? 3 : 4;
}

static bool add_face(pcs_context *ctx, pcs_report_mesh *m, const int32_t face[PCS_FACE_NODES_MAX])
{
    const int32_t n = corners_of(face);
    bool ok = true;
    for (int32_t i = 0; i < n; i++)
        mark(m, face[i]);
    for (int32_t i = 2; ok && i < n; i++)
        ok = PCS_PUSH(ctx, &m->triangles, m->place[face[0]]) &&
             PCS_PUSH(ctx, &m->triangles, m->place[face[i - 1]]) &&
             PCS_PUSH(ctx, &m->triangles, m->place[face[i]]);
    // Each edge belongs to two faces, in opposite directions: one of them brings it.
    for (int32_t i = 0; ok && n > 2 && i < n; i++) {
        const int32_t a = m->place[face[i]], b = m->place[face[(i + 1) % n]];
        if (a < b)
            ok = PCS_PUSH(ctx, &m->edges, a) && PCS_PUSH(ctx, &m->edges, b);
    }
    return ok;
}

// Nodes that something is attached to are drawn, too, so that pictures of it find their place.
static void mark_anchors(const pcs_result *result, pcs_report_mesh *m)
{
    const pcs_drawing *d;
    for (int32_t i = 0; (d = pcs_result_drawing(result, i)); i++) {
        const int32_t nodes[2] = {d->a.node - 1, d->b.node - 1};
        for (int k = 0; k < 2; k++) {
            const int32_t node = nodes[k] - m->mesh->first_node;
            if (nodes[k] >= 0 && node >= 0 && node < m->mesh->n_nodes)
                mark(m, node);
        }
    }
}

// ---- Elements around the points ----

static pcs_status find_elements(pcs_context *ctx, pcs_report_mesh *m)
{
    const pcs_stored_mesh *mesh = m->mesh;
    m->first = PCS_NEW_ARRAY(ctx, int32_t, m->n_points + 2);
    if (!m->first)
        return PCS_ERROR_MEMORY;
    int32_t *count = m->first + 1; // becomes the place of the next element of each point
    for (int pass = 0; pass < 2; pass++) {
        for (int32_t p = 0; p < mesh->n_parts; p++) {
            const pcs_mesh_part_view *part = &mesh->parts[p].view;
            const int32_t n = part->nodes_per_element;
            for (int32_t i = 0; i < part->n_elements * n; i++) {
                const int32_t point = m->place[part->nodes[i]];
                if (point < 0)
                    continue;
                if (pass == 1) {
                    m->around[count[point]] = mesh->parts[p].first_result +
                                              (int64_t)(i / n) * part->n_results;
                    m->part[count[point]] = p;
                }
                count[point]++;
            }
        }
        if (pass == 1)
            break;
        int32_t sum = 0;
        for (int32_t i = 0; i < m->n_points; i++) {
            const int32_t here = count[i];
            count[i] = sum;
            sum += here;
        }
        m->around = PCS_NEW_ARRAY(ctx, int64_t, sum);
        m->part = PCS_NEW_ARRAY(ctx, int32_t, sum);
        if (!m->around || !m->part)
            return PCS_ERROR_MEMORY;
    }
    return PCS_OK; // count[i] is now the end of point i, and first[i] that of the one before it
}

static pcs_status init_mesh(pcs_context *ctx, const pcs_result *result, pcs_report_mesh *m)
{
    const pcs_stored_mesh *mesh = m->mesh;
    const pcs_mesh_group_view *surface = find_surface(mesh);
    m->place = PCS_NEW_ARRAY(ctx, int32_t, mesh->n_nodes);
    m->node = PCS_NEW_ARRAY(ctx, int32_t, mesh->n_nodes);
    if (!m->place || !m->node)
        return PCS_ERROR_MEMORY;
    for (int32_t i = 0; i < mesh->n_nodes; i++)
        m->place[i] = -1;
    for (int32_t f = 0; surface && f < surface->n_faces; f++)
        if (!add_face(ctx, m, surface->faces[f]))
            return PCS_ERROR_MEMORY;
    for (int32_t p = 0; p < mesh->n_parts; p++) {
        const pcs_mesh_part_view *part = &mesh->parts[p].view;
        for (int32_t i = 0; is_line(part) && i < 2 * part->n_elements; i++)
            mark(m, part->nodes[i]);
    }
    mark_anchors(result, m);
    return find_elements(ctx, m);
}

// ---- Fields ----

static bool add_field(pcs_context *ctx, pcs_report_meshes *meshes, const char *name,
                      const char *unit)
{
    for (int32_t i = 0; i < meshes->fields.count; i++)
        if (strcmp(meshes->fields.data[i].name, name) == 0)
            return true;
    const pcs_report_field field = {name, unit, INFINITY, -INFINITY};
    return PCS_PUSH(ctx, &meshes->fields, field);
}

// In the plane some results of beams are zero by their nature.
static bool is_of_space(const char *name)
{
    static const char *const names[] = {"shear_z", "torque", "moment_y"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

static bool add_fields(pcs_context *ctx, const pcs_result *result, pcs_report_meshes *meshes,
                       bool all)
{
    bool ok = add_field(ctx, meshes, SPEED, "m/s");
    for (int32_t k = 0; ok && k < meshes->count; k++) {
        const pcs_stored_mesh *mesh = meshes->items[k].mesh;
        for (int32_t p = 0; ok && p < mesh->n_parts; p++) {
            const pcs_mesh_part_view *part = &mesh->parts[p].view;
            for (int32_t i = 0; ok && i < part->n_results && (all || i == 0); i++) {
                const char *name = part->results_names[i];
                if (result->dimension == 3 || !is_of_space(name))
                    ok = add_field(ctx, meshes, name, pcs_mesh_result_unit(name));
            }
        }
    }
    return ok;
}

bool pcs_report_has_field(const pcs_report_mesh *m, const pcs_report_field *field)
{
    if (field->name == SPEED)
        return true;
    for (int32_t p = 0; p < m->mesh->n_parts; p++)
        for (int32_t i = 0; i < m->mesh->parts[p].view.n_results; i++)
            if (strcmp(m->mesh->parts[p].view.results_names[i], field->name) == 0)
                return true;
    return false;
}

static int32_t find_result(const pcs_mesh_part_view *part, const char *name)
{
    for (int32_t i = 0; i < part->n_results; i++)
        if (strcmp(part->results_names[i], name) == 0)
            return i;
    return -1;
}

double pcs_report_field_value(const pcs_report_mesh *m, const pcs_report_field *field,
                              int32_t point, const double *velocity, const double *results)
{
    if (field->name == SPEED) {
        const double *v = velocity + 3 * (m->mesh->first_node + m->node[point]);
        return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    }
    double sum = 0;
    int32_t count = 0;
    for (int32_t i = m->first[point]; i < m->first[point + 1]; i++) {
        const int32_t at = find_result(&m->mesh->parts[m->part[i]].view, field->name);
        if (at < 0)
            continue;
        sum += results[m->around[i] + at];
        count++;
    }
    return count > 0 ? sum / count : NAN;
}

// ---- The whole ----

pcs_status pcs_report_meshes_init(pcs_context *ctx, const pcs_result *result,
                                  pcs_report_meshes *meshes)
{
    enum { POSITION_BYTES = 3 * 4, ROTATION_BYTES = 4 * 4 };
    int64_t points = 0;
    *meshes = (pcs_report_meshes){.count = result->meshes.count};
    if (meshes->count == 0)
        return PCS_OK;
    meshes->items = PCS_NEW_ARRAY(ctx, pcs_report_mesh, meshes->count);
    if (!meshes->items)
        return PCS_ERROR_MEMORY;
    for (int32_t k = 0; k < meshes->count; k++) {
        pcs_report_mesh *m = &meshes->items[k];
        m->mesh = &result->meshes.items[k];
        PCS_TRY(init_mesh(ctx, result, m));
        points += m->n_points;
    }
    if (!add_fields(ctx, result, meshes, points <= MANY_POINTS))
        return PCS_ERROR_MEMORY;
    for (int32_t k = 0; k < meshes->count; k++) {
        const pcs_report_mesh *m = &meshes->items[k];
        int64_t bytes = POSITION_BYTES + (m->mesh->first_frame >= 0 ? ROTATION_BYTES : 0);
        for (int32_t i = 0; i < meshes->fields.count; i++)
            bytes += pcs_report_has_field(m, &meshes->fields.data[i]);
        meshes->frame_bytes += bytes * m->n_points;
    }
    return PCS_OK;
}

void pcs_report_meshes_free(pcs_context *ctx, pcs_report_meshes *meshes)
{
    for (int32_t k = 0; meshes->items && k < meshes->count; k++) {
        pcs_report_mesh *m = &meshes->items[k];
        pcs_free(ctx, m->place);
        pcs_free(ctx, m->node);
        pcs_free(ctx, m->first);
        pcs_free(ctx, m->around);
        pcs_free(ctx, m->part);
        PCS_ARRAY_FREE(ctx, &m->triangles);
        PCS_ARRAY_FREE(ctx, &m->edges);
    }
    pcs_free(ctx, meshes->items);
    PCS_ARRAY_FREE(ctx, &meshes->fields);
    *meshes = (pcs_report_meshes){0};
}
