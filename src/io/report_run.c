// One run of a report page: header, drawings, and the parts that the other report files write.
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "io/report_data.h"

pcs_report_budget pcs_report_budget_of(int32_t n)
{
    // In base64 a third is added: 6 and 4 MB are 14 MB of text, which a browser opens in a second.
    enum { FRAME_BYTES = 6000000, SIGNAL_BYTES = 4000000, EVENTS = 40000 };
    const int64_t runs = n > 0 ? n : 1;
    return (pcs_report_budget){.frame_bytes = FRAME_BYTES / runs,
                               .frames = 5000,
                               .signal_bytes = SIGNAL_BYTES / runs,
                               .points_most = 4000,
                               .points_least = 200,
                               .events = EVENTS / runs};
}

pcs_status pcs_report_warn(pcs_report *report, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    char *copy = pcs_strdup(report->ctx, text);
    if (!copy)
        return PCS_ERROR_MEMORY;
    if (PCS_PUSH(report->ctx, &report->warnings, copy))
        return PCS_OK;
    pcs_free(report->ctx, copy);
    return PCS_ERROR_MEMORY;
}

pcs_status pcs_report_each_row(pcs_report *report, const char *quantity, pcs_rows_fn function,
                               void *user)
{
    const int64_t frames = pcs_result_frames(report->result);
    const int64_t width = pcs_result_width(report->result, quantity);
    if (width == 0)
        return PCS_OK;
    int64_t most = width < PCS_REPORT_BLOCK_NUMBERS ? PCS_REPORT_BLOCK_NUMBERS / width : 1;
    most = most < frames ? most : frames;
    double *block = PCS_NEW_ARRAY(report->ctx, double, most *width);
    pcs_status status = block ? PCS_OK : PCS_ERROR_MEMORY;
    for (int64_t first = 0; status >= 0 && first < frames; first += most) {
        pcs_frame_range range = {first, frames - first < most ? frames - first : most, 1};
        status = pcs_result_read(report->result, quantity, range, block);
        if (status >= 0)
            function(user, block, range.count, width);
    }
    pcs_free(report->ctx, block);
    return status;
}

void pcs_report_free(pcs_report *report)
{
    for (int32_t i = 0; i < report->warnings.count; i++)
        pcs_free(report->ctx, report->warnings.data[i]);
    PCS_ARRAY_FREE(report->ctx, &report->warnings);
    pcs_free(report->ctx, report->contact);
    pcs_free(report->ctx, report->contact_place);
    report->contact = report->contact_place = NULL;
    pcs_report_meshes_free(report->ctx, &report->meshes);
}

// ---- Drawings ----

static void put_numbers(pcs_json *json, const char *key, const double *values, int count)
{
    pcs_json_begin_list(json, key);
    for (int i = 0; i < count; i++)
        pcs_json_number(json, NULL, values[i]);
    pcs_json_end_list(json);
}

// A frame on a node of a mesh says which drawn point that is.
static void put_point(pcs_report *report, int32_t node)
{
    for (int32_t k = 0; k < report->meshes.count; k++) {
        const pcs_report_mesh *m = &report->meshes.items[k];
        const int32_t inside = node - m->mesh->first_node;
        if (inside < 0 || inside >= m->mesh->n_nodes)
            continue;
        pcs_json_integer(&report->json, "mesh", k);
        pcs_json_integer(&report->json, "point", m->place[inside]);
    }
}

static void put_frame(pcs_report *report, const char *key, const pcs_frame *f)
{
    pcs_json *json = &report->json;
    const double position[] = {f->position.x, f->position.y, f->position.z};
    const double rotation[] = {f->rotation.w, f->rotation.x, f->rotation.y, f->rotation.z};
    pcs_json_begin_object(json, key);
    pcs_json_integer(json, "body", f->body);
    if (f->node > 0)
        put_point(report, f->node - 1);
    put_numbers(json, "position", position, 3);
    put_numbers(json, "rotation", rotation, 4);
    pcs_json_end_object(json);
}

// A contact stands at its first point, if that is in the page.
static int32_t find_object(const pcs_report *report, const pcs_drawing *d)
{
    if (d->owner != PCS_DRAWING_OF_CONTACT)
        return d->object;
    const bool known = d->object >= 0 && d->object < pcs_result_contact_count(report->result);
    return known ? report->contact_place[d->object] : -1;
}

static void put_drawing(pcs_report *report, const pcs_drawing *d)
{
    pcs_json *json = &report->json;
    const double size[] = {d->size.x, d->size.y, d->size.z};
    pcs_json_begin_object(json, NULL);
    pcs_json_text(json, "kind", pcs_drawing_kind_name(d->kind));
    pcs_json_text(json, "owner", pcs_drawing_owner_name(d->owner));
    pcs_json_integer(json, "object", find_object(report, d));
    pcs_json_text(json, "name", d->name);
    put_frame(report, "a", &d->a);
    put_frame(report, "b", &d->b);
    put_numbers(json, "size", size, 3);
    if (d->owner == PCS_DRAWING_OF_JOINT)
        pcs_json_text(json, "joint_kind", pcs_joint_kind_name(d->joint_kind));
    if (d->kind == PCS_DRAWING_POLYLINE) {
        pcs_json_begin_list(json, "vertices");
        for (int32_t i = 0; i < d->n_vertices; i++) {
            const double vertex[] = {d->vertices[i].x, d->vertices[i].y};
            put_numbers(json, NULL, vertex, 2);
        }
        pcs_json_end_list(json);
        pcs_json_boolean(json, "closed", d->closed);
    }
    pcs_json_end_object(json);
}

void pcs_report_put_drawings(pcs_report *report)
{
    const pcs_drawing *d;
    pcs_json_begin_list(&report->json, "drawings");
    for (int32_t i = 0; (d = pcs_result_drawing(report->result, i)); i++)
        put_drawing(report, d);
    pcs_json_end_list(&report->json);
}

// ---- The run ----

static void put_header(pcs_report *report, const char *name)
{
    const pcs_result *result = report->result;
    const char *slash = strrchr(name, '/');
    const char *title = pcs_result_title(result), *file = slash ? slash + 1 : name;
    pcs_json_text(&report->json, "title", *title ? title : file);
    pcs_json_text(&report->json, "file", file);
    pcs_json_text(&report->json, "command", pcs_result_command(result));
    pcs_json_text(&report->json, "version", pcs_result_version(result));
    pcs_json_integer(&report->json, "dimension", pcs_result_dimension(result));
    pcs_json_boolean(&report->json, "complete", pcs_result_is_complete(result));
    pcs_json_text(&report->json, "model", pcs_result_model_text(result));
}

static void put_warnings(pcs_report *report)
{
    pcs_json_begin_list(&report->json, "warnings");
    for (int32_t i = 0; i < report->warnings.count; i++)
        pcs_json_text(&report->json, NULL, report->warnings.data[i]);
    pcs_json_end_list(&report->json);
}

static pcs_status put_parts(pcs_report *report)
{
    const char *warning = pcs_result_warning(report->result);
    if (*warning)
        PCS_TRY(pcs_report_warn(report, "Of this file: %s.", warning));
    PCS_TRY(pcs_report_choose_frames(report));
    PCS_TRY(pcs_report_put_evidence(report));
    PCS_TRY(pcs_report_put_frames(report));
    PCS_TRY(pcs_report_put_meshes(report));
    pcs_report_put_drawings(report);
    PCS_TRY(pcs_report_put_events(report));
    PCS_TRY(pcs_report_put_signals(report));
    put_warnings(report);
    return PCS_OK;
}

pcs_status pcs_report_put_run(pcs_report *report, const char *name)
{
    pcs_json_begin_object(&report->json, NULL);
    put_header(report, name);
    PCS_TRY(put_parts(report));
    pcs_json_end_object(&report->json);
    return PCS_OK;
}
