// The meshes of a report (viewer/DATA.md): their drawn points in all drawn frames, and fields as
// bytes between the smallest and the largest value of the run.
#include <math.h>
#include <string.h>

#include "io/report_data.h"
#include "math/rotation.h"

enum { FIELD_STEPS = 254, NO_VALUE = 255 };

// Room for one frame.
typedef struct frame_room {
    double *position, *velocity, *results, *rotation;
    double *points;
    uint8_t *bytes;
} frame_room;

static pcs_status make_room(pcs_report *report, frame_room *room)
{
    const pcs_result *result = report->result;
    int64_t most = 1;
    for (int32_t k = 0; k < report->meshes.count; k++)
        most = report->meshes.items[k].n_points > most ? report->meshes.items[k].n_points : most;
    room->position = PCS_NEW_ARRAY(report->ctx, double, 3 * result->objects[PCS_OWNER_NODE]);
    room->velocity = PCS_NEW_ARRAY(report->ctx, double, 3 * result->objects[PCS_OWNER_NODE]);
    room->rotation = PCS_NEW_ARRAY(report->ctx, double, 4 * result->objects[PCS_OWNER_FRAME]);
    room->results = PCS_NEW_ARRAY(report->ctx, double, result->objects[PCS_OWNER_RESULT]);
    room->points = PCS_NEW_ARRAY(report->ctx, double, 4 * most);
    room->bytes = PCS_NEW_ARRAY(report->ctx, uint8_t, most);
    bool ok = room->position && room->velocity && room->rotation && room->results && room->points &&
              room->bytes;
    return ok ? PCS_OK : PCS_ERROR_MEMORY;
}

static void free_room(pcs_report *report, frame_room *room)
{
    void *const all[] = {room->position, room->velocity, room->rotation,
                         room->results,  room->points,   room->bytes};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        pcs_free(report->ctx, all[i]);
}

static pcs_status read_fields(pcs_report *report, int64_t frame, frame_room *room)
{
    PCS_TRY(pcs_report_read_drawn(report, "mesh/velocity", frame, 1, room->velocity));
    if (pcs_result_width(report->result, "mesh/result") == 0)
        return PCS_OK;
    return pcs_report_read_drawn(report, "mesh/result", frame, 1, room->results);
}

// ---- Fields ----

static pcs_status find_ranges(pcs_report *report, frame_room *room)
{
    pcs_report_meshes *meshes = &report->meshes;
    for (int64_t frame = 0; frame < report->drawn; frame++) {
        PCS_TRY(read_fields(report, frame, room));
        for (int32_t i = 0; i < meshes->fields.count; i++) {
            pcs_report_field *field = &meshes->fields.data[i];
            for (int32_t k = 0; k < meshes->count; k++)
                for (int32_t p = 0; p < meshes->items[k].n_points; p++) {
                    const double value = pcs_report_field_value(&meshes->items[k], field, p,
                                                                room->velocity, room->results);
                    if (!isfinite(value))
                        continue;
                    field->least = fmin(field->least, value);
                    field->most = fmax(field->most, value);
                }
        }
    }
    return PCS_OK;
}

static void put_field_list(pcs_report *report)
{
    pcs_json *json = &report->json;
    pcs_json_begin_list(json, "fields");
    for (int32_t i = 0; i < report->meshes.fields.count; i++) {
        const pcs_report_field *field = &report->meshes.fields.data[i];
        const bool known = field->least <= field->most;
        pcs_json_begin_object(json, NULL);
        pcs_json_text(json, "name", field->name);
        pcs_json_text(json, "unit", field->unit);
        pcs_json_number(json, "least", known ? field->least : 0);
        pcs_json_number(json, "most", known ? field->most : 0);
        pcs_json_end_object(json);
    }
    pcs_json_end_list(json);
}

static uint8_t to_byte(const pcs_report_field *field, double value)
{
    const double range = field->most - field->least;
    if (!isfinite(value))
        return NO_VALUE;
    return range > 0 ? (uint8_t)lround(FIELD_STEPS * (value - field->least) / range) : 0;
}

static pcs_status put_field(pcs_report *report, const pcs_report_mesh *m, int32_t number,
                            frame_room *room)
{
    const pcs_report_field *field = &report->meshes.fields.data[number];
    const int64_t shape[2] = {report->drawn, m->n_points};
    pcs_status status = PCS_OK;
    pcs_json_begin_object(&report->json, NULL);
    pcs_json_integer(&report->json, "field", number);
    pcs_json_begin_array(&report->json, "values", PCS_JSON_U8, 2, shape);
    for (int64_t frame = 0; status >= 0 && frame < report->drawn; frame++) {
        status = read_fields(report, frame, room);
        for (int32_t p = 0; status >= 0 && p < m->n_points; p++)
            room->bytes[p] = to_byte(
                field, pcs_report_field_value(m, field, p, room->velocity, room->results));
        if (status >= 0)
            pcs_json_put_u8(&report->json, room->bytes, (size_t)m->n_points);
    }
    pcs_json_end_array(&report->json);
    pcs_json_end_object(&report->json);
    return status;
}

// ---- Points ----

static pcs_status put_positions(pcs_report *report, const pcs_report_mesh *m, frame_room *room)
{
    const int64_t shape[3] = {report->drawn, m->n_points, 3};
    pcs_status status = PCS_OK;
    pcs_json_begin_array(&report->json, "position", PCS_JSON_F32, 3, shape);
    for (int64_t frame = 0; status >= 0 && frame < report->drawn; frame++) {
        status = pcs_report_read_drawn(report, "mesh/position", frame, 1, room->position);
        for (int32_t p = 0; status >= 0 && p < m->n_points; p++)
            memcpy(room->points + 3 * p, room->position + 3 * (m->mesh->first_node + m->node[p]),
                   3 * sizeof(double));
        if (status >= 0)
            pcs_json_put_f32(&report->json, room->points, 3 * (size_t)m->n_points);
    }
    pcs_json_end_array(&report->json);
    return status;
}

static pcs_status put_rotations(pcs_report *report, const pcs_report_mesh *m, frame_room *room)
{
    const int64_t shape[3] = {report->drawn, m->n_points, 4};
    const bool planar = pcs_result_dimension(report->result) == 2;
    pcs_status status = PCS_OK;
    pcs_json_begin_array(&report->json, "rotation", PCS_JSON_F32, 3, shape);
    for (int64_t frame = 0; status >= 0 && frame < report->drawn; frame++) {
        status = pcs_report_read_drawn(report, planar ? "mesh/angle" : "mesh/rotation", frame, 1,
                                       room->rotation);
        for (int32_t p = 0; status >= 0 && p < m->n_points; p++) {
            const int32_t i = m->mesh->first_frame + m->node[p];
            const double half = planar ? 0.5 * room->rotation[i] : 0;
            const double about_z[4] = {cos(half), 0, 0, sin(half)};
            memcpy(room->points + 4 * p, planar ? about_z : room->rotation + 4 * i, sizeof about_z);
        }
        if (status >= 0)
            pcs_json_put_f32(&report->json, room->points, 4 * (size_t)m->n_points);
    }
    pcs_json_end_array(&report->json);
    return status;
}

// ---- Lines ----

// Axes of an element in those of its nodes at the start, as the elements choose them: x along it, y
// as the section says or across z of the mesh.
static void find_axes(const pcs_stored_mesh *mesh, const pcs_stored_part *part, int32_t element,
                      double out[9])
{
    const double parallel = 1e-6;
    const int32_t *nodes = part->view.nodes + 2 * element;
    const pcs_quat back = pcs_quat_conjugate(mesh->rotation);
    pcs_vec3 x = pcs_v3_sub(mesh->start[nodes[1]], mesh->start[nodes[0]]), y = part->section.y;
    x = pcs_quat_rotate(back, pcs_v3_scale(1 / pcs_v3_norm(x), x));
    if (!(pcs_v3_norm(y) > 0))
        y = pcs_v3_cross(pcs_v3(0, 0, 1), x);
    if (!(pcs_v3_norm(y) > parallel))
        y = pcs_v3(0, 1, 0);
    y = pcs_v3_axpy(y, -pcs_v3_dot(y, x), x);
    y = pcs_v3_scale(1 / pcs_v3_norm(y), y);
    pcs_vec3 axes[3] = {x, y, pcs_v3_cross(x, y)};
    for (int i = 0; i < 3; i++) // points have the axes of the world
        pcs_v3_store(out + 3 * i,
                     mesh->first_frame < 0 ? pcs_quat_rotate(mesh->rotation, axes[i]) : axes[i]);
}

static void put_line(pcs_report *report, const pcs_report_mesh *m, const pcs_stored_part *part)
{
    pcs_json *json = &report->json;
    const int32_t n = part->view.n_elements;
    const int64_t shape[2] = {n, 2}, axes_shape[2] = {n, 9};
    const double side = sqrt(part->section.area > 0 ? part->section.area : 0);
    const pcs_vec2 drawn = part->section.drawn;
    pcs_json_begin_object(json, NULL);
    pcs_json_text(json, "kind", pcs_element_kind_name(part->view.kind));
    pcs_json_begin_array(json, "elements", PCS_JSON_I32, 2, shape);
    for (int32_t i = 0; i < 2 * n; i++)
        pcs_json_put_i32(json, &m->place[part->view.nodes[i]], 1);
    pcs_json_end_array(json);
    pcs_json_begin_array(json, "axes", PCS_JSON_F32, 2, axes_shape);
    for (int32_t e = 0; e < n; e++) {
        double axes[9];
        find_axes(m->mesh, part, e, axes);
        pcs_json_put_f32(json, axes, 9);
    }
    pcs_json_end_array(json);
    pcs_json_begin_list(json, "size");
    pcs_json_number(json, NULL, drawn.x > 0 ? drawn.x : side);
    pcs_json_number(json, NULL, drawn.y > 0 ? drawn.y : drawn.x > 0 ? drawn.x : side);
    pcs_json_end_list(json);
    pcs_json_boolean(json, "round", part->section.round);
    pcs_json_end_object(json);
}

static void put_cells(pcs_report *report, const pcs_report_mesh *m)
{
    pcs_json *json = &report->json;
    const int64_t triangles[2] = {m->triangles.count / 3, 3}, edges[2] = {m->edges.count / 2, 2};
    pcs_json_begin_array(json, "triangles", PCS_JSON_I32, 2, triangles);
    pcs_json_put_i32(json, m->triangles.data, (size_t)m->triangles.count);
    pcs_json_end_array(json);
    pcs_json_begin_array(json, "edges", PCS_JSON_I32, 2, edges);
    pcs_json_put_i32(json, m->edges.data, (size_t)m->edges.count);
    pcs_json_end_array(json);
    pcs_json_begin_list(json, "lines");
    for (int32_t p = 0; p < m->mesh->n_parts; p++)
        if (m->mesh->parts[p].view.nodes_per_element == 2)
            put_line(report, m, &m->mesh->parts[p]);
    pcs_json_end_list(json);
}

// ---- The meshes ----

static pcs_status put_mesh(pcs_report *report, const pcs_report_mesh *m, frame_room *room)
{
    pcs_json *json = &report->json;
    int64_t elements = 0;
    for (int32_t p = 0; p < m->mesh->n_parts; p++)
        elements += m->mesh->parts[p].view.n_elements;
    pcs_json_begin_object(json, NULL);
    pcs_json_text(json, "name", m->mesh->name);
    pcs_json_integer(json, "nodes", m->mesh->n_nodes);
    pcs_json_integer(json, "elements", elements);
    PCS_TRY(put_positions(report, m, room));
    if (m->mesh->first_frame >= 0)
        PCS_TRY(put_rotations(report, m, room));
    put_cells(report, m);
    pcs_json_begin_list(json, "fields");
    for (int32_t i = 0; i < report->meshes.fields.count; i++)
        if (pcs_report_has_field(m, &report->meshes.fields.data[i]))
            PCS_TRY(put_field(report, m, i, room));
    pcs_json_end_list(json);
    pcs_json_end_object(json);
    return PCS_OK;
}

static pcs_status put_all(pcs_report *report, frame_room *room)
{
    PCS_TRY(make_room(report, room));
    PCS_TRY(find_ranges(report, room));
    pcs_json_begin_object(&report->json, "meshes");
    put_field_list(report);
    pcs_json_begin_list(&report->json, "items");
    for (int32_t k = 0; k < report->meshes.count; k++)
        PCS_TRY(put_mesh(report, &report->meshes.items[k], room));
    pcs_json_end_list(&report->json);
    pcs_json_end_object(&report->json);
    return PCS_OK;
}

pcs_status pcs_report_put_meshes(pcs_report *report)
{
    frame_room room = {0};
    if (report->meshes.count == 0 || pcs_result_width(report->result, "mesh/position") == 0)
        return PCS_OK;
    pcs_status status = put_all(report, &room);
    free_room(report, &room);
    return status;
}
