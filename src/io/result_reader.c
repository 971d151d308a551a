// Reads results back (layout: io/result_layout.h). Opening checks the whole shape of the file, so
// that later calls can trust it. The shortest dataset counts the frames, which is right for runs
// that were killed between two datasets.
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/text.h"
#include "io/hdf5_file.h"
#include "io/result_blocks.h"

typedef struct stored_signal {
    int32_t quantity, object, component;
} stored_signal;

// Texts of equal size, one behind the other.
typedef struct name_list {
    char *texts;
    size_t size;
} name_list;

struct pcs_result {
    pcs_context *ctx;
    pcs_hdf5_guard guard;
    char *path;
    hid_t file;
    hid_t dataset[PCS_QUANTITY_COUNT]; // negative: not in this file
    int32_t dimension;
    int32_t objects[PCS_OWNER_COUNT];
    name_list names[PCS_OWNER_COUNT];
    name_list coordinate_names, rate_names; // of joint j from PCS_JOINT_COORDINATES_MAX * j on
    int64_t frames;
    bool complete;
    char *title, *model_text;
    pcs_statistics statistics;
    PCS_ARRAY(stored_signal) signals;
    unsigned char *checkpoint;
    size_t checkpoint_size;
};

static pcs_status cannot(pcs_result *result, const char *what)
{
    return pcs_hdf5_error(result->ctx, &result->guard, result->path, what);
}

static pcs_status damaged(pcs_result *result, const char *what)
{
    return pcs_error(result->ctx, PCS_ERROR_INPUT, "%s: damaged result: %s; repeat the run",
                     result->path, what);
}

// ---- Opening ----

// A look at a result that is still being written is welcome; it shows the frames of the last flush.
static hid_t open_file(const char *path)
{
    hid_t access_properties = H5Pcreate(H5P_FILE_ACCESS);
    hid_t file = H5I_INVALID_HID;
#if H5_VERSION_GE(1, 10, 7)
    if (access_properties >= 0 && H5Pset_file_locking(access_properties, false, true) < 0) {
        H5Pclose(access_properties);
        return H5I_INVALID_HID;
    }
#endif
    if (access_properties >= 0)
        file = H5Fopen(path, H5F_ACC_RDONLY, access_properties);
    pcs_hdf5_close(access_properties);
    return file;
}

static pcs_status open_checked(pcs_result *result)
{
    pcs_context *ctx = result->ctx;
    const char *path = result->path;
    htri_t is_hdf5 = H5Fis_hdf5(path);
    if (is_hdf5 < 0 && result->guard.error_number != 0)
        return cannot(result, "read the result");
    if (is_hdf5 <= 0) // negative for an empty file, too
        return pcs_error(ctx, PCS_ERROR_INPUT, "%s: not a result file (not in HDF5 format)", path);
    result->file = open_file(path);
    if (result->file < 0)
        return cannot(result, "read the result");
    int64_t format = 0, dimension = 0, complete = 0;
    if (!pcs_hdf5_get_integer(result->file, PCS_RESULT_ATTRIBUTE_FORMAT, &format))
        return pcs_error(ctx, PCS_ERROR_INPUT, "%s: an HDF5 file, but not a Percuss result", path);
    if (format > PCS_RESULT_FORMAT)
        return pcs_error(ctx, PCS_ERROR_INPUT,
                         "%s: written by a newer Percuss (format %lld; this one reads up to %d); "
                         "update Percuss",
                         path, (long long)format, (int)PCS_RESULT_FORMAT);
    if (!pcs_hdf5_get_integer(result->file, PCS_RESULT_ATTRIBUTE_DIMENSION, &dimension) ||
        (dimension != 2 && dimension != 3))
        return damaged(result, "the dimension is missing");
    if (!pcs_hdf5_get_integer(result->file, PCS_RESULT_ATTRIBUTE_COMPLETE, &complete))
        return damaged(result, "the mark 'complete' is missing");
    result->dimension = (int32_t)dimension;
    result->complete = complete == 1;
    pcs_status status = pcs_hdf5_get_text(ctx, result->file, PCS_RESULT_ATTRIBUTE_TITLE,
                                          &result->title);
    return status == PCS_ERROR_INPUT ? damaged(result, "the title is missing") : status;
}

// True if every part of the path exists; HDF5 itself wants to be asked part by part.
static bool has_object(hid_t file, const char *path)
{
    char part[64];
    for (const char *end = strchr(path + 1, '/'); end; end = strchr(end + 1, '/')) {
        snprintf(part, sizeof part, "%.*s", (int)(end - path), path);
        if (H5Lexists(file, part, H5P_DEFAULT) <= 0)
            return false;
    }
    return H5Lexists(file, path, H5P_DEFAULT) > 0;
}

// Opens a dataset and gets its extents; negative if it is missing or has another rank.
static hid_t open_dataset(hid_t file, const char *path, int rank, hsize_t extent[3])
{
    if (!has_object(file, path))
        return H5I_INVALID_HID;
    hid_t dataset = H5Dopen2(file, path, H5P_DEFAULT);
    hid_t space = dataset >= 0 ? H5Dget_space(dataset) : H5I_INVALID_HID;
    bool fits = space >= 0 && H5Sget_simple_extent_ndims(space) == rank &&
                H5Sget_simple_extent_dims(space, extent, NULL) == rank;
    pcs_hdf5_close(space);
    if (fits)
        return dataset;
    pcs_hdf5_close(dataset);
    return H5I_INVALID_HID;
}

// ---- Names ----

static const char *get_name(const name_list *list, int32_t i)
{
    return list->texts + (size_t)i * list->size;
}

// Names in a dataset of `columns` columns; *rows is the number found.
static pcs_status read_names(pcs_result *result, const char *path, int32_t columns, int32_t *rows,
                             name_list *list)
{
    hsize_t extent[3] = {0, 1, 1};
    hid_t dataset = open_dataset(result->file, path, columns > 1 ? 2 : 1, extent);
    if (dataset < 0)
        return damaged(result, "names are missing");
    pcs_status status = PCS_ERROR_INPUT;
    if (extent[0] <= INT32_MAX / PCS_QUANTITY_WIDTH_MAX && extent[1] == (hsize_t)columns)
        status = pcs_hdf5_read_texts(result->ctx, dataset, (int64_t)extent[0] * columns,
                                     &list->texts, &list->size);
    *rows = status >= 0 ? (int32_t)extent[0] : 0;
    pcs_hdf5_close(dataset);
    return status == PCS_ERROR_INPUT ? damaged(result, "names cannot be read") : status;
}

static pcs_status read_all_names(pcs_result *result)
{
    enum { N = PCS_JOINT_COORDINATES_MAX };
    result->objects[PCS_OWNER_NONE] = 1;
    for (int owner = PCS_OWNER_BODY; owner < PCS_OWNER_COUNT; owner++) {
        // Older files know no inputs.
        if (owner == PCS_OWNER_INPUT && !has_object(result->file, pcs_owner_table[owner].names))
            continue;
        PCS_TRY(read_names(result, pcs_owner_table[owner].names, 1, &result->objects[owner],
                           &result->names[owner]));
    }
    int32_t joints = result->objects[PCS_OWNER_JOINT], found[2] = {0, 0};
    PCS_TRY(
        read_names(result, PCS_RESULT_JOINT_COORDINATES, N, &found[0], &result->coordinate_names));
    PCS_TRY(read_names(result, PCS_RESULT_JOINT_RATES, N, &found[1], &result->rate_names));
    if (found[0] != joints || found[1] != joints)
        return damaged(result, "names of joint coordinates do not fit");
    return PCS_OK;
}

// The model's text is a list of one.
static pcs_status read_model_text(pcs_result *result)
{
    name_list list = {0};
    int32_t count = 0;
    pcs_status status = read_names(result, PCS_RESULT_MODEL, 1, &count, &list);
    result->model_text = list.texts;
    if (status >= 0 && count != 1)
        status = damaged(result, "the model text is missing");
    return status;
}

// ---- Datasets and signals ----

static pcs_status open_datasets(pcs_result *result)
{
    result->frames = -1;
    for (int k = 0; k < PCS_QUANTITY_COUNT; k++) {
        const pcs_quantity_row *row = &pcs_quantity_table[k];
        int rank = 1 + (row->owner != PCS_OWNER_NONE) + (row->width > 1);
        if (!has_object(result->file, row->dataset))
            continue;
        hsize_t extent[3] = {0, 0, 0};
        hid_t dataset = open_dataset(result->file, row->dataset, rank, extent);
        result->dataset[k] = dataset;
        if (dataset < 0 || extent[0] > INT64_MAX / 64 ||
            (row->owner != PCS_OWNER_NONE && extent[1] != (hsize_t)result->objects[row->owner]) ||
            (row->width > 1 && extent[rank - 1] != (hsize_t)row->width))
            return damaged(result, "a dataset has another shape");
        if (result->frames < 0 || (int64_t)extent[0] < result->frames)
            result->frames = (int64_t)extent[0];
    }
    return result->dataset[PCS_QUANTITY_TIME] >= 0 ? PCS_OK : damaged(result, "no times");
}

static bool add_signal(pcs_result *result, int quantity, int32_t object, int32_t component)
{
    stored_signal entry = {quantity, object, component};
    return PCS_PUSH(result->ctx, &result->signals, entry);
}

// Joint coordinates and rates carry the names of the joint's kind.
static const char *joint_component(const pcs_result *result, int quantity, int32_t object,
                                   int32_t component)
{
    const name_list *list = quantity == PCS_QUANTITY_JOINT_COORDINATE ? &result->coordinate_names
                            : quantity == PCS_QUANTITY_JOINT_RATE     ? &result->rate_names
                                                                      : NULL;
    if (!list)
        return NULL;
    const char *name = get_name(list, PCS_JOINT_COORDINATES_MAX * object + component);
    return *name ? name : NULL;
}

static bool add_signals(pcs_result *result, int quantity, int32_t object)
{
    const pcs_quantity_row *row = &pcs_quantity_table[quantity];
    if (result->dataset[quantity] < 0)
        return true;
    if (row->signal && row->width == 1)
        return add_signal(result, quantity, object, 0);
    for (int32_t c = 0; c < row->width; c++) {
        bool offered = pcs_quantity_has_component((pcs_quantity)quantity, c, result->dimension) ||
                       joint_component(result, quantity, object, c);
        if (offered && !add_signal(result, quantity, object, c))
            return false;
    }
    return true;
}

static pcs_status list_signals(pcs_result *result)
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
static int print_signal(const pcs_result *result, stored_signal entry, char *path, size_t size)
{
    const pcs_quantity_row *row = &pcs_quantity_table[entry.quantity];
    if (row->owner == PCS_OWNER_NONE)
        return snprintf(path, size, "%s", row->signal);
    const char *prefix = pcs_owner_table[row->owner].prefix;
    const char *name = get_name(&result->names[row->owner], entry.object);
    const char *own = joint_component(result, entry.quantity, entry.object, entry.component);
    if (own)
        return snprintf(path, size, "%s.%s.%s", prefix, name, own);
    if (row->width == 1)
        return snprintf(path, size, "%s.%s%s%s", prefix, name, *row->signal ? "." : "",
                        row->signal);
    return snprintf(path, size, "%s.%s.%s.%s", prefix, name, row->signal,
                    row->component[entry.component]);
}

// Finds the signal with this path; otherwise false and the nearest path, "" if none is near.
static bool find_signal(const pcs_result *result, const char *path, stored_signal *found,
                        char nearest[256])
{
    int best = PCS_TEXT_LONGEST_WORD;
    nearest[0] = '\0';
    for (int32_t i = 0; i < result->signals.count; i++) {
        char text[256];
        if (print_signal(result, result->signals.data[i], text, sizeof text) >= (int)sizeof text)
            continue;
        if (strcmp(text, path) == 0) {
            *found = result->signals.data[i];
            return true;
        }
        const char *candidate = text;
        if (!pcs_text_nearest(path, &candidate, 1))
            continue;
        int distance = pcs_text_distance(path, text);
        if (distance < best) {
            best = distance;
            memcpy(nearest, text, sizeof text);
        }
    }
    return false;
}

// ---- Statistics and checkpoint ----

static pcs_status read_statistics(pcs_result *result)
{
    if (H5Lexists(result->file, PCS_RESULT_SUMMARY, H5P_DEFAULT) <= 0)
        return PCS_OK; // the run was cut off
    hid_t group = H5Gopen2(result->file, PCS_RESULT_SUMMARY, H5P_DEFAULT);
    if (group < 0)
        return damaged(result, "the summary cannot be read");
    for (int32_t i = 0; i < pcs_statistic_count; i++) {
        const pcs_statistic_row *row = &pcs_statistic_table[i];
        void *field = (char *)&result->statistics + row->offset;
        int64_t integer = 0;
        // A statistic that an older file lacks stays zero.
        if (row->type == PCS_NUMBER_REAL)
            (void)pcs_hdf5_get_real(group, row->name, field);
        else if (pcs_hdf5_get_integer(group, row->name, &integer)) {
            if (row->type == PCS_NUMBER_INT32)
                *(int32_t *)field = (int32_t)integer;
            else
                *(int64_t *)field = integer;
        }
    }
    H5Gclose(group);
    return PCS_OK;
}

static pcs_status read_checkpoint(pcs_result *result)
{
    hsize_t extent[3] = {0, 0, 0};
    hid_t dataset = open_dataset(result->file, PCS_RESULT_CHECKPOINT, 1, extent);
    if (dataset < 0)
        return pcs_error(result->ctx, PCS_ERROR_INPUT,
                         "%s: has no checkpoint, because the run was cut off; resume from a "
                         "checkpoint file or repeat the run",
                         result->path);
    unsigned char *bytes = pcs_calloc(result->ctx, (size_t)extent[0], 1);
    pcs_status status = bytes ? PCS_OK : PCS_ERROR_MEMORY;
    if (bytes && H5Dread(dataset, H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes) < 0)
        status = damaged(result, "the checkpoint cannot be read");
    H5Dclose(dataset);
    if (status < 0) {
        pcs_free(result->ctx, bytes);
        return status;
    }
    result->checkpoint = bytes;
    result->checkpoint_size = (size_t)extent[0];
    return PCS_OK;
}

// ---- Public functions ----

static pcs_status read_everything(pcs_result *result)
{
    PCS_TRY(open_checked(result));
    PCS_TRY(read_model_text(result));
    PCS_TRY(read_all_names(result));
    PCS_TRY(open_datasets(result));
    PCS_TRY(list_signals(result));
    return read_statistics(result);
}

pcs_status pcs_result_open(pcs_context *ctx, const char *path, pcs_result **out)
{
    *out = NULL;
    pcs_result *result = PCS_NEW(ctx, pcs_result);
    if (!result)
        return PCS_ERROR_MEMORY;
    result->ctx = ctx;
    result->file = H5I_INVALID_HID;
    for (int k = 0; k < PCS_QUANTITY_COUNT; k++)
        result->dataset[k] = H5I_INVALID_HID;
    result->path = pcs_strdup(ctx, path);
    pcs_status status = result->path ? PCS_OK : PCS_ERROR_MEMORY;
    if (status >= 0) {
        pcs_hdf5_enter(&result->guard);
        status = read_everything(result);
        pcs_hdf5_leave(&result->guard);
    }
    if (status >= 0)
        *out = result;
    else
        pcs_result_destroy(result);
    return status;
}

void pcs_result_destroy(pcs_result *result)
{
    if (!result)
        return;
    pcs_context *ctx = result->ctx;
    pcs_hdf5_enter(&result->guard);
    for (int k = 0; k < PCS_QUANTITY_COUNT; k++)
        pcs_hdf5_close(result->dataset[k]);
    pcs_hdf5_close(result->file);
    pcs_hdf5_leave(&result->guard);
    for (int owner = PCS_OWNER_BODY; owner < PCS_OWNER_COUNT; owner++)
        pcs_free(ctx, result->names[owner].texts);
    pcs_free(ctx, result->coordinate_names.texts);
    pcs_free(ctx, result->rate_names.texts);
    PCS_ARRAY_FREE(ctx, &result->signals);
    pcs_free(ctx, result->checkpoint);
    pcs_free(ctx, result->title);
    pcs_free(ctx, result->model_text);
    pcs_free(ctx, result->path);
    pcs_free(ctx, result);
}

int64_t pcs_result_frames(const pcs_result *result)
{
    return result->frames;
}

bool pcs_result_is_complete(const pcs_result *result)
{
    return result->complete;
}

const char *pcs_result_title(const pcs_result *result)
{
    return result->title;
}

const char *pcs_result_model_text(const pcs_result *result)
{
    return result->model_text;
}

const pcs_statistics *pcs_result_statistics(const pcs_result *result)
{
    return &result->statistics;
}

// Reads one number of each frame.
static bool read_column(pcs_result *result, stored_signal entry, double *values)
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
    stored_signal entry = {0, 0, 0};
    char nearest[256];
    if (!find_signal(result, path, &entry, nearest))
        return pcs_error(result->ctx, PCS_ERROR_INPUT, "%s: no signal '%s'%s%s%s", result->path,
                         path, *nearest ? "; did you mean '" : "", nearest, *nearest ? "'?" : "");
    if (result->frames == 0)
        return PCS_OK;
    pcs_hdf5_enter(&result->guard);
    bool ok = read_column(result, entry, values);
    pcs_status status = ok ? PCS_OK : cannot(result, "read the result");
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

pcs_status pcs_result_checkpoint(pcs_result *result, const void **bytes, size_t *size)
{
    if (!result->checkpoint) {
        pcs_hdf5_enter(&result->guard);
        pcs_status status = read_checkpoint(result);
        pcs_hdf5_leave(&result->guard);
        PCS_TRY(status);
    }
    *bytes = result->checkpoint;
    *size = result->checkpoint_size;
    return PCS_OK;
}

// ---- For exporters (io/result_blocks.h) ----

int32_t pcs_result_dimension(const pcs_result *result)
{
    return result->dimension;
}

int32_t pcs_result_object_count(const pcs_result *result, pcs_owner owner)
{
    return result->objects[owner];
}

const char *pcs_result_object_name(const pcs_result *result, pcs_owner owner, int32_t i)
{
    return get_name(&result->names[owner], i);
}

bool pcs_result_has_quantity(const pcs_result *result, pcs_quantity quantity)
{
    return result->dataset[quantity] >= 0;
}

hid_t pcs_result_hdf5(const pcs_result *result)
{
    return result->file;
}

const char *pcs_result_path(const pcs_result *result)
{
    return result->path;
}

pcs_status pcs_result_read_frames(pcs_result *result, pcs_quantity quantity, int64_t first,
                                  int64_t count, double *values)
{
    const pcs_quantity_row *row = &pcs_quantity_table[quantity];
    const int32_t objects = result->objects[row->owner];
    if (result->dataset[quantity] < 0 || first < 0 || count < 0 || first > result->frames - count)
        return pcs_error(result->ctx, PCS_ERROR_ARGUMENT, "%s: has no %s of frames %lld to %lld",
                         result->path, row->dataset, (long long)first,
                         (long long)(first + count - 1));
    if (count == 0 || objects == 0)
        return PCS_OK;
    hsize_t start[3] = {(hsize_t)first, 0, 0};
    hsize_t extent[3] = {(hsize_t)count, (hsize_t)objects, (hsize_t)row->width};
    if (row->owner == PCS_OWNER_NONE)
        extent[1] = extent[2];
    pcs_hdf5_enter(&result->guard);
    hid_t dataset = result->dataset[quantity];
    hsize_t total = (hsize_t)count * (hsize_t)objects * (hsize_t)row->width;
    hid_t space = H5Dget_space(dataset);
    hid_t memory = H5Screate_simple(1, &total, NULL);
    bool ok = space >= 0 && memory >= 0 &&
              H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, extent, NULL) >= 0 &&
              H5Dread(dataset, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, values) >= 0;
    pcs_hdf5_close(memory);
    pcs_hdf5_close(space);
    pcs_status status = ok ? PCS_OK : cannot(result, "read the result");
    pcs_hdf5_leave(&result->guard);
    return status;
}
