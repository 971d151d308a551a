// Signals and whole quantities of a result.
#include "io/result_file.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

static bool add_signal(pcs_result *result, int quantity, int32_t object, int32_t component)
{
    pcs_stored_signal entry = {quantity, object, component};
    return PCS_PUSH(result->ctx, &result->signals, entry);
}

static bool add_signals(pcs_result *result, int quantity, int32_t object)
{
    const pcs_quantity_row *row = &pcs_quantity_table[quantity];
    if (result->dataset[quantity] < 0)
        return true;
    if ((quantity == PCS_QUANTITY_GROUP_ANGLE || quantity == PCS_QUANTITY_GROUP_ANGULAR_VELOCITY) &&
        !pcs_result_group_turns(result, object))
        return true;
    if (row->signal && row->width == 1)
        return add_signal(result, quantity, object, 0);
    for (int32_t c = 0; c < row->width; c++) {
        bool offered = pcs_quantity_has_component((pcs_quantity)quantity, c, result->dimension) ||
                       pcs_result_joint_component(result, quantity, object, c);
        if (offered && !add_signal(result, quantity, object, c))
            return false;
    }
    return true;
}

pcs_status pcs_result_list_signals(pcs_result *result)
{
    // Quantities of one owner stand together in the table: object by object, then its quantities.
    for (int k = 0, end; k < PCS_QUANTITY_COUNT; k = end) {
        pcs_owner owner = pcs_quantity_table[k].owner;
        for (end = k; end < PCS_QUANTITY_COUNT && pcs_quantity_table[end].owner == owner;)
            end++;
        for (int32_t i = 0; i < result->objects[owner]; i++) {
            for (int q = k; q < end; q++) {
                if (!add_signals(result, q, i))
                    return PCS_ERROR_MEMORY;
            }
        }
    }
    return PCS_OK;
}

// Path of a signal; returns the length needed, as snprintf does.
static int print_signal(const pcs_result *result, pcs_stored_signal entry, char *path, size_t size)
{
    const pcs_quantity_row *row = &pcs_quantity_table[entry.quantity];
    if (row->owner == PCS_OWNER_NONE)
        return snprintf(path, size, "%s", row->signal);
    const char *prefix = pcs_owner_table[row->owner].prefix;
    const char *name = pcs_result_object_name(result, row->owner, entry.object);
    const char *own = pcs_result_joint_component(result, entry.quantity, entry.object,
                                                 entry.component);
    if (own)
        return snprintf(path, size, "%s.%s.%s", prefix, name, own);
    if (row->width == 1)
        return snprintf(path, size, "%s.%s%s%s", prefix, name, *row->signal ? "." : "",
                        row->signal);
    return snprintf(path, size, "%s.%s.%s.%s", prefix, name, row->signal,
                    row->component[entry.component]);
}

static bool find_signal(const pcs_result *result, const char *path, pcs_stored_signal *found)
{
    for (int32_t i = 0; i < result->signals.count; i++) {
        char text[256];
        if (print_signal(result, result->signals.data[i], text, sizeof text) >= (int)sizeof text ||
            strcmp(text, path) != 0)
            continue;
        *found = result->signals.data[i];
        return true;
    }
    return false;
}

// The path of a signal nearest to this one; "" if none is near.
static void find_nearest(const pcs_result *result, const char *path, char nearest[256])
{
    int best = PCS_TEXT_LONGEST_WORD;
    nearest[0] = '\0';
    for (int32_t i = 0; i < result->signals.count; i++) {
        char text[256];
        const char *candidate = text;
        if (print_signal(result, result->signals.data[i], text, sizeof text) >= (int)sizeof text ||
            !pcs_text_nearest(path, &candidate, 1))
            continue;
        int distance = pcs_text_distance(path, text);
        if (distance < best) {
            best = distance;
            memcpy(nearest, text, sizeof text);
        }
    }
}

// Reads one number of each frame.
static bool read_column(pcs_result *result, pcs_stored_signal entry, double *values)
{
    const pcs_quantity_row *row = &pcs_quantity_table[entry.quantity];
    hsize_t start[3] = {0, 0, 0}, count[3] = {(hsize_t)result->frames, 1, 1};
    int rank = 1;
    if (row->owner != PCS_OWNER_NONE)
        start[rank++] = (hsize_t)entry.object;
    if (row->width > 1)
        start[rank++] = (hsize_t)entry.component;
    hid_t dataset = result->dataset[entry.quantity];
    hid_t space = H5Dget_space(dataset);
    hid_t memory = H5Screate_simple(1, count, NULL);
    bool ok = space >= 0 && memory >= 0 &&
              H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL) >= 0 &&
              H5Dread(dataset, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, values) >= 0;
    pcs_hdf5_close(memory);
    pcs_hdf5_close(space);
    return ok;
}

pcs_status pcs_result_signal(pcs_result *result, const char *path, double *values)
{
    pcs_stored_signal entry = {0, 0, 0};
    if (!pcs_result_find_mesh_signal(result, path, &entry) && !find_signal(result, path, &entry)) {
        char nearest[256];
        find_nearest(result, path, nearest);
        return pcs_error(result->ctx, PCS_ERROR_INPUT, "%s: no signal '%s'%s%s%s", result->path,
                         path, *nearest ? "; did you mean '" : "", nearest, *nearest ? "'?" : "");
    }
    if (result->frames == 0)
        return PCS_OK;
    pcs_hdf5_enter(&result->guard);
    bool ok = read_column(result, entry, values);
    pcs_status status = ok ? PCS_OK : pcs_result_cannot(result, "read the result");
    pcs_hdf5_leave(&result->guard);
    return status;
}

bool pcs_result_signal_path(const pcs_result *result, int32_t index, char *path, size_t size)
{
    if (index < 0 || index >= result->signals.count)
        return false;
    print_signal(result, result->signals.data[index], path, size);
    return true;
}

// Rates of angles are named "rate...", those of lengths "speed...".
static bool is_angle(const pcs_result *result, pcs_stored_signal entry)
{
    const char *rate = pcs_result_joint_component(result, PCS_QUANTITY_JOINT_RATE, entry.object,
                                                  entry.component);
    return rate && strncmp(rate, "rate", 4) == 0;
}

// Whether a contact is the limit of an angle: "hinge.lower", or "ball.rotation_x_upper" where the
// joint has several coordinates.
static bool is_limit_of_angle(const pcs_result *result, int32_t contact)
{
    const char *name = pcs_result_object_name(result, PCS_OWNER_CONTACT, contact);
    const char *limit = strchr(name, '.');
    for (int32_t j = 0; limit && j < result->objects[PCS_OWNER_JOINT]; j++) {
        const char *joint = pcs_result_object_name(result, PCS_OWNER_JOINT, j);
        const size_t length = (size_t)(limit - name);
        if (strlen(joint) != length || strncmp(joint, name, length) != 0)
            continue;
        const bool only = strcmp(limit, ".lower") == 0 || strcmp(limit, ".upper") == 0;
        const char *coordinate = only ? pcs_result_joint_component(
                                            result, PCS_QUANTITY_JOINT_COORDINATE, j, 0)
                                      : limit + 1;
        return coordinate &&
               (strncmp(coordinate, "angle", 5) == 0 || strncmp(coordinate, "rotation", 8) == 0);
    }
    return false;
}

// Units of a contact that is the limit of an angle; NULL: as for others.
static const char *unit_of_limit(int32_t quantity)
{
    switch (quantity) {
    case PCS_QUANTITY_CONTACT_GAP:
        return "rad";
    case PCS_QUANTITY_CONTACT_IMPULSE:
        return "N m s";
    case PCS_QUANTITY_CONTACT_FORCE:
    case PCS_QUANTITY_CONTACT_LOAD:
    case PCS_QUANTITY_CONTACT_FORCE_MAX:
        return "N m";
    case PCS_QUANTITY_CONTACT_VELOCITY:
        return "rad/s";
    default:
        return NULL;
    }
}

const char *pcs_result_signal_unit(const pcs_result *result, int32_t index)
{
    if (index < 0 || index >= result->signals.count)
        return NULL;
    pcs_stored_signal entry = result->signals.data[index];
    const char *unit = unit_of_limit(entry.quantity);
    if (unit && is_limit_of_angle(result, entry.object))
        return unit;
    if (entry.quantity == PCS_QUANTITY_JOINT_COORDINATE)
        return is_angle(result, entry) ? "rad" : "m";
    if (entry.quantity == PCS_QUANTITY_JOINT_RATE)
        return is_angle(result, entry) ? "rad/s" : "m/s";
    if (pcs_quantity_table[entry.quantity].owner == PCS_OWNER_EXTREME) {
        const char *name = pcs_result_object_name(result, PCS_OWNER_EXTREME, entry.object);
        return pcs_mesh_result_unit(strrchr(name, '.') ? strrchr(name, '.') + 1 : name);
    }
    return pcs_quantity_table[entry.quantity].unit;
}

// ---- Whole quantities ----

// The quantity of a dataset, with or without the leading slash; -1 if the file has none.
static int find_quantity(const pcs_result *result, const char *name)
{
    const char *path = *name == '/' ? name + 1 : name;
    for (int k = 0; k < PCS_QUANTITY_COUNT; k++) {
        if (strcmp(pcs_quantity_table[k].dataset + 1, path) == 0)
            return result->dataset[k] >= 0 ? k : -1;
    }
    return -1;
}

static int64_t get_width(const pcs_result *result, int quantity)
{
    const pcs_quantity_row *row = &pcs_quantity_table[quantity];
    return (int64_t)row->width * result->objects[row->owner];
}

int64_t pcs_result_width(const pcs_result *result, const char *quantity)
{
    int k = find_quantity(result, quantity);
    return k < 0 ? 0 : get_width(result, k);
}

static bool is_inside(pcs_frame_range range, int64_t frames)
{
    if (range.first < 0 || range.count < 0 || range.stride < 1 || range.first > frames)
        return false;
    return range.count == 0 ||
           (range.first < frames && range.count - 1 <= (frames - 1 - range.first) / range.stride);
}

static bool read_block(pcs_result *result, int quantity, pcs_frame_range range, double *values)
{
    const pcs_quantity_row *row = &pcs_quantity_table[quantity];
    hsize_t start[3] = {(hsize_t)range.first, 0, 0}, stride[3] = {(hsize_t)range.stride, 1, 1};
    hsize_t count[3] = {(hsize_t)range.count, 1, 1};
    hsize_t numbers = (hsize_t)(range.count * get_width(result, quantity));
    int rank = 1;
    if (row->owner != PCS_OWNER_NONE)
        count[rank++] = (hsize_t)result->objects[row->owner];
    if (row->width > 1)
        count[rank++] = (hsize_t)row->width;
    hid_t dataset = result->dataset[quantity];
    hid_t space = H5Dget_space(dataset);
    hid_t memory = H5Screate_simple(1, &numbers, NULL);
    bool ok = space >= 0 && memory >= 0 &&
              H5Sselect_hyperslab(space, H5S_SELECT_SET, start, stride, count, NULL) >= 0 &&
              H5Dread(dataset, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, values) >= 0;
    pcs_hdf5_close(memory);
    pcs_hdf5_close(space);
    return ok;
}

pcs_status pcs_result_read(pcs_result *result, const char *quantity, pcs_frame_range range,
                           double *values)
{
    int k = find_quantity(result, quantity);
    if (k < 0)
        return pcs_error(result->ctx, PCS_ERROR_INPUT, "%s: has no quantity '%s'", result->path,
                         quantity);
    if (!is_inside(range, result->frames))
        return pcs_error(result->ctx, PCS_ERROR_ARGUMENT,
                         "%s: %lld frames from %lld on in steps of %lld are not there: the result "
                         "has %lld",
                         result->path, (long long)range.count, (long long)range.first,
                         (long long)range.stride, (long long)result->frames);
    if (range.count == 0 || get_width(result, k) == 0)
        return PCS_OK;
    pcs_hdf5_enter(&result->guard);
    bool ok = read_block(result, k, range, values);
    pcs_status status = ok ? PCS_OK : pcs_result_cannot(result, "read the result");
    pcs_hdf5_leave(&result->guard);
    return status;
}

// ---- Events ----

int64_t pcs_result_event_count(const pcs_result *result)
{
    return result->events;
}

int64_t pcs_result_events_dropped(const pcs_result *result)
{
    return result->events_dropped;
}

static bool read_event_column(pcs_result *result, pcs_event_column column, int64_t first,
                              int64_t count, hid_t type, void *values)
{
    const hsize_t start = (hsize_t)first, number = (hsize_t)count;
    hid_t space = H5Dget_space(result->event[column]);
    hid_t memory = H5Screate_simple(1, &number, NULL);
    bool ok = space >= 0 && memory >= 0 &&
              H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, NULL, &number, NULL) >= 0 &&
              H5Dread(result->event[column], type, memory, space, H5P_DEFAULT, values) >= 0;
    pcs_hdf5_close(memory);
    pcs_hdf5_close(space);
    return ok;
}

// Reads up to EVENTS_AT_ONCE events through columns on the stack.
enum { EVENTS_AT_ONCE = 512 };

static bool read_events(pcs_result *result, int64_t first, int64_t count, pcs_event *events)
{
    double time[EVENTS_AT_ONCE], value[EVENTS_AT_ONCE];
    int32_t kind[EVENTS_AT_ONCE], object[EVENTS_AT_ONCE];
    if (!read_event_column(result, PCS_EVENT_COLUMN_TIME, first, count, H5T_NATIVE_DOUBLE, time) ||
        !read_event_column(result, PCS_EVENT_COLUMN_KIND, first, count, H5T_NATIVE_INT32, kind) ||
        !read_event_column(result, PCS_EVENT_COLUMN_OBJECT, first, count, H5T_NATIVE_INT32,
                           object) ||
        !read_event_column(result, PCS_EVENT_COLUMN_VALUE, first, count, H5T_NATIVE_DOUBLE, value))
        return false;
    for (int64_t i = 0; i < count; i++)
        events[i] = (pcs_event){.time = time[i],
                                .value = value[i],
                                .kind = (pcs_event_kind)kind[i],
                                .object = object[i]};
    for (int k = 0; k < 3 && result->event[PCS_EVENT_COLUMN_IMPULSE + k] >= 0; k++) {
        if (!read_event_column(result, (pcs_event_column)(PCS_EVENT_COLUMN_IMPULSE + k), first,
                               count, H5T_NATIVE_DOUBLE, value))
            return false;
        for (int64_t i = 0; i < count; i++)
            events[i].impulse[k] = value[i];
    }
    return true;
}

pcs_status pcs_result_events(pcs_result *result, int64_t first, int64_t count, pcs_event *events)
{
    if (first < 0 || count < 0 || first > result->events || count > result->events - first)
        return pcs_error(result->ctx, PCS_ERROR_ARGUMENT,
                         "%s: %lld events from %lld on are not there: the result has %lld",
                         result->path, (long long)count, (long long)first,
                         (long long)result->events);
    pcs_status status = PCS_OK;
    pcs_hdf5_enter(&result->guard);
    for (int64_t i = 0; status >= 0 && i < count; i += EVENTS_AT_ONCE) {
        int64_t n = count - i < EVENTS_AT_ONCE ? count - i : EVENTS_AT_ONCE;
        if (!read_events(result, first + i, n, events + i))
            status = pcs_result_cannot(result, "read the events");
    }
    pcs_hdf5_leave(&result->guard);
    return status;
}
