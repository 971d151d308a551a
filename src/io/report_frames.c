// The drawn frames of a report: time, places of bodies, states and forces of contacts; those of
// meshes are in report_mesh_frames.c.
#include <math.h>
#include <string.h>

#include "io/report_data.h"

static int64_t rows_of_block(int64_t width)
{
    int64_t rows = PCS_REPORT_BLOCK_NUMBERS / (width > 0 ? width : 1);
    return rows > 0 ? rows : 1;
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

// ---- Choice ----

// Marks the contacts that are closed in some of the rows of states; `user` has a mark for each.
static void mark_closed(void *user, const double *states, int64_t rows, int64_t contacts)
{
    int32_t *closed = user;
    for (int64_t k = 0; k < rows; k++) {
        for (int64_t i = 0; i < contacts; i++)
            closed[i] |= states[k * contacts + i] > 0;
    }
}

// Frames 0, stride, 2 stride... and the last one: as many as the budget has room for.
static void choose_stride(pcs_report *report, int64_t closed)
{
    enum { BODY_BYTES = 7 * 4, CONTACT_BYTES = 1 + 6 * 4, TIME_BYTES = 8 };
    const int64_t frames = pcs_result_frames(report->result);
    int64_t bytes = TIME_BYTES + BODY_BYTES * (int64_t)pcs_result_body_count(report->result) +
                    CONTACT_BYTES * closed + report->meshes.frame_bytes;
    int64_t most = smaller(report->budget.frame_bytes / bytes, report->budget.frames);
    most = most < 3 ? 3 : most;
    report->stride = 1;
    report->drawn = frames;
    if (frames <= most)
        return;
    report->stride = (frames - 1 + most - 2) / (most - 1); // rounded up: at most `most` drawn ones
    report->drawn = (frames - 1 + report->stride - 1) / report->stride + 1;
}

static int64_t frame_of(const pcs_report *report, int64_t drawn)
{
    return smaller(drawn * report->stride, pcs_result_frames(report->result) - 1);
}

pcs_status pcs_report_read_drawn(pcs_report *report, const char *quantity, int64_t first,
                                 int64_t count, double *values)
{
    int64_t regular = count;
    if (count > 0 && frame_of(report, first + count - 1) != (first + count - 1) * report->stride)
        regular--; // the last frame is out of step
    pcs_frame_range range = {first * report->stride, regular, report->stride};
    if (regular > 0)
        PCS_TRY(pcs_result_read(report->result, quantity, range, values));
    if (regular == count)
        return PCS_OK;
    range = (pcs_frame_range){frame_of(report, first + count - 1), 1, 1};
    return pcs_result_read(report->result, quantity, range,
                           values + regular * pcs_result_width(report->result, quantity));
}

// Keeps the contacts that are closed in a drawn frame.
static pcs_status choose_contacts(pcs_report *report, double *block, int32_t *closed)
{
    const int32_t contacts = pcs_result_contact_count(report->result);
    const int64_t most = rows_of_block(contacts);
    memset(closed, 0, (size_t)contacts * sizeof *closed);
    if (pcs_result_width(report->result, "contact/state") > 0) {
        for (int64_t first = 0; first < report->drawn; first += most) {
            int64_t count = smaller(most, report->drawn - first);
            PCS_TRY(pcs_report_read_drawn(report, "contact/state", first, count, block));
            mark_closed(closed, block, count, contacts);
        }
    }
    for (int32_t i = 0; i < contacts; i++) {
        report->contact_place[i] = closed[i] ? report->contacts : -1;
        if (closed[i])
            report->contact[report->contacts++] = i;
    }
    return PCS_OK;
}

pcs_status pcs_report_choose_frames(pcs_report *report)
{
    const int32_t contacts = pcs_result_contact_count(report->result);
    int64_t count = 0;
    PCS_TRY(pcs_report_meshes_init(report->ctx, report->result, &report->meshes));
    double *block = PCS_NEW_ARRAY(report->ctx, double, rows_of_block(contacts) * contacts);
    int32_t *closed = PCS_NEW_ARRAY(report->ctx, int32_t, contacts);
    report->contact = PCS_NEW_ARRAY(report->ctx, int32_t, contacts);
    report->contact_place = PCS_NEW_ARRAY(report->ctx, int32_t, contacts);
    pcs_status status = PCS_ERROR_MEMORY;
    if (block && closed && report->contact && report->contact_place)
        status = pcs_report_each_row(report, "contact/state", mark_closed, closed);
    if (status >= 0) {
        for (int32_t i = 0; i < contacts; i++)
            count += closed[i];
        choose_stride(report, count);
        status = choose_contacts(report, block, closed);
    }
    pcs_free(report->ctx, closed);
    pcs_free(report->ctx, block);
    if (status >= 0 && report->stride > 1)
        status = pcs_report_warn(
            report,
            "The animation shows %lld of %lld stored frames (one of %lld) to keep "
            "the page small.",
            (long long)report->drawn, (long long)pcs_result_frames(report->result),
            (long long)report->stride);
    return status;
}

// ---- Writing ----

// Turns rows of one or more quantities into what the page gets, `width` numbers for each row.
// Without a function the rows of the first quantity are taken as they are.
typedef struct conversion {
    const char *quantity[3]; // NULL: fewer
    int64_t width;
    void (*convert)(const pcs_report *report, double *const from[3], int64_t rows, double *to);
} conversion;

// Streams all drawn frames of a conversion into the array that is being written.
static pcs_status put_rows(pcs_report *report, const conversion *c, bool as_bytes)
{
    double *from[3] = {NULL, NULL, NULL}, *to = NULL;
    uint8_t *bytes = NULL;
    int64_t widest = c->width;
    pcs_status status = PCS_OK;
    for (int k = 0; k < 3 && c->quantity[k]; k++) {
        int64_t width = pcs_result_width(report->result, c->quantity[k]);
        widest = width > widest ? width : widest;
    }
    const int64_t most = rows_of_block(widest);
    for (int k = 0; k < 3 && c->quantity[k]; k++) {
        from[k] = PCS_NEW_ARRAY(report->ctx, double, most *widest);
        status = from[k] ? status : PCS_ERROR_MEMORY;
    }
    to = PCS_NEW_ARRAY(report->ctx, double, most *widest);
    bytes = PCS_NEW_ARRAY(report->ctx, uint8_t, as_bytes ? most * widest : 0);
    if (!to || !bytes)
        status = PCS_ERROR_MEMORY;
    for (int64_t first = 0; status >= 0 && first < report->drawn; first += most) {
        int64_t rows = smaller(most, report->drawn - first);
        for (int k = 0; status >= 0 && k < 3 && c->quantity[k]; k++)
            status = pcs_report_read_drawn(report, c->quantity[k], first, rows, from[k]);
        if (status < 0)
            break;
        const double *page = c->convert ? to : from[0];
        if (c->convert)
            c->convert(report, from, rows, to);
        const size_t count = (size_t)(rows * c->width);
        for (size_t i = 0; as_bytes && i < count; i++)
            bytes[i] = page[i] >= 0 && page[i] <= UINT8_MAX ? (uint8_t)page[i] : 0;
        if (as_bytes)
            pcs_json_put_u8(&report->json, bytes, count);
        else
            pcs_json_put_f32(&report->json, page, count);
    }
    for (int k = 0; k < 3; k++)
        pcs_free(report->ctx, from[k]);
    pcs_free(report->ctx, bytes);
    pcs_free(report->ctx, to);
    return status;
}

// One array [drawn, objects, width] or, with width 1, [drawn, objects]. What is not in the file,
// such as the quantities of a model without contacts, is an array without numbers.
static pcs_status put_array(pcs_report *report, const char *key, int32_t objects, int64_t width,
                            bool as_bytes, conversion c)
{
    const int64_t shape[3] = {report->drawn, objects, width};
    pcs_json_begin_array(&report->json, key, as_bytes ? PCS_JSON_U8 : PCS_JSON_F32,
                         width > 1 ? 3 : 2, shape);
    c.width = objects * width;
    pcs_status status = objects > 0 ? put_rows(report, &c, as_bytes) : PCS_OK;
    pcs_json_end_array(&report->json);
    return status;
}

// ---- Bodies ----

// The quaternion of a rotation about z.
static void turn_angles(const pcs_report *report, double *const from[3], int64_t rows, double *to)
{
    const int64_t count = rows * pcs_result_body_count(report->result);
    for (int64_t i = 0; i < count; i++) {
        to[4 * i] = cos(0.5 * from[0][i]);
        to[4 * i + 1] = to[4 * i + 2] = 0;
        to[4 * i + 3] = sin(0.5 * from[0][i]);
    }
}

static pcs_status put_bodies(pcs_report *report)
{
    const int32_t bodies = pcs_result_body_count(report->result);
    const bool planar = pcs_result_dimension(report->result) == 2;
    pcs_json_begin_object(&report->json, "bodies");
    pcs_json_begin_list(&report->json, "names");
    for (int32_t b = 0; b < bodies; b++)
        pcs_json_text(&report->json, NULL, pcs_result_body_name(report->result, b));
    pcs_json_end_list(&report->json);
    PCS_TRY(put_array(report, "position", bodies, 3, false,
                      (conversion){.quantity = {"body/position"}}));
    PCS_TRY(put_array(report, "rotation", bodies, 4, false,
                      planar ? (conversion){.quantity = {"body/angle"}, .convert = turn_angles}
                             : (conversion){.quantity = {"body/rotation"}}));
    pcs_json_end_object(&report->json);
    return PCS_OK;
}

// ---- Contacts ----

static void pick_states(const pcs_report *report, double *const from[3], int64_t rows, double *to)
{
    const int64_t all = pcs_result_contact_count(report->result);
    for (int64_t k = 0; k < rows; k++) {
        for (int32_t i = 0; i < report->contacts; i++)
            *to++ = from[0][k * all + report->contact[i]];
    }
}

static void pick_points(const pcs_report *report, double *const from[3], int64_t rows, double *to)
{
    const int64_t all = pcs_result_contact_count(report->result);
    for (int64_t k = 0; k < rows; k++) {
        for (int32_t i = 0; i < report->contacts; i++, to += 3)
            memcpy(to, from[0] + 3 * (k * all + report->contact[i]), 3 * sizeof *to);
    }
}

// Force on body b in world axes: f_n n + f_1 t1 + f_2 (n x t1).
static void turn_forces(const pcs_report *report, double *const from[3], int64_t rows, double *to)
{
    const int64_t all = pcs_result_contact_count(report->result);
    for (int64_t k = 0; k < rows; k++) {
        for (int32_t i = 0; i < report->contacts; i++) {
            const int64_t at = 3 * (k * all + report->contact[i]);
            const double *f = from[0] + at, *n = from[1] + at, *t = from[2] + at;
            for (int x = 0; x < 3; x++) {
                int y = (x + 1) % 3, z = (x + 2) % 3;
                *to++ = f[0] * n[x] + f[1] * t[x] + f[2] * (n[y] * t[z] - n[z] * t[y]);
            }
        }
    }
}

static pcs_status put_contacts(pcs_report *report)
{
    const int32_t contacts = report->contacts;
    pcs_json_begin_object(&report->json, "contacts");
    pcs_json_begin_list(&report->json, "names");
    for (int32_t i = 0; i < contacts; i++)
        pcs_json_text(&report->json, NULL,
                      pcs_result_contact_name(report->result, report->contact[i]));
    pcs_json_end_list(&report->json);
    PCS_TRY(put_array(report, "state", contacts, 1, true,
                      (conversion){.quantity = {"contact/state"}, .convert = pick_states}));
    PCS_TRY(put_array(report, "point", contacts, 3, false,
                      (conversion){.quantity = {"contact/point"}, .convert = pick_points}));
    PCS_TRY(
        put_array(report, "force", contacts, 3, false,
                  (conversion){.quantity = {"contact/force", "contact/normal", "contact/tangent1"},
                               .convert = turn_forces}));
    pcs_json_end_object(&report->json);
    return PCS_OK;
}

pcs_status pcs_report_put_frames(pcs_report *report)
{
    double *time = PCS_NEW_ARRAY(report->ctx, double, report->drawn);
    if (!time)
        return PCS_ERROR_MEMORY;
    pcs_status status = pcs_report_read_drawn(report, "time", 0, report->drawn, time);
    pcs_json_begin_array(&report->json, "time", PCS_JSON_F64, 1, &report->drawn);
    if (status >= 0)
        pcs_json_put_f64(&report->json, time, (size_t)report->drawn);
    pcs_json_end_array(&report->json);
    pcs_free(report->ctx, time);
    PCS_TRY(status);
    PCS_TRY(put_bodies(report));
    return put_contacts(report);
}
