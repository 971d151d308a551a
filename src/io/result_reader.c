// Reads results back (layout: io/result_layout.h). Opening checks the whole shape of the file, so
// that later calls can trust it. The shortest dataset counts the frames, which is right for runs
// that were killed between two datasets and for files that were cut off.
#include "io/result_file.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

pcs_status pcs_result_cannot(pcs_result *result, const char *what)
{
    return pcs_hdf5_error(result->ctx, &result->guard, result->path, what);
}

pcs_status pcs_result_damaged(pcs_result *result, const char *what)
{
    return pcs_error(result->ctx, PCS_ERROR_INPUT, "%s: damaged result: %s; repeat the run",
                     result->path, what);
}

// ---- Opening ----

// A look at a result that is still being written is welcome; it shows the frames of the last flush.
// Closes the properties.
static hid_t open_unlocked(const char *path, hid_t access_properties)
{
    hid_t file = H5I_INVALID_HID;
    bool ok = access_properties >= 0;
#if H5_VERSION_GE(1, 10, 7)
    ok = ok && H5Pset_file_locking(access_properties, false, true) >= 0;
#endif
    if (ok)
        file = H5Fopen(path, H5F_ACC_RDONLY, access_properties);
    pcs_hdf5_close(access_properties);
    return file;
}

// HDF5 keeps objects open for ever when it meets the header of a group beyond the cut. Below this
// size nothing is tried; above it the file itself says how long its headers are.
enum { SHORTEST = 64 * 1024 };

static bool is_longer(const char *path, int64_t size)
{
    struct stat info;
    return stat(path, &info) == 0 && (int64_t)info.st_size > size;
}

// Opens the file, also if its end is missing.
static bool open_file(pcs_result *result)
{
    result->file = open_unlocked(result->path, H5Pcreate(H5P_FILE_ACCESS));
    if (result->file >= 0 || !pcs_hdf5_says_cut_off(&result->guard))
        return result->file >= 0;
    result->note.cut_off = true;
    if (!is_longer(result->path, SHORTEST))
        return false;
    result->file = open_unlocked(result->path,
                                 pcs_hdf5_driver_properties(&result->note, &result->driver));
    return result->file >= 0;
}

// A text of the header; missing ones are empty.
static pcs_status read_text(pcs_result *result, const char *name, char **text)
{
    pcs_status status = pcs_hdf5_get_text(result->ctx, result->file, name, text);
    if (status != PCS_ERROR_INPUT)
        return status;
    *text = pcs_strdup(result->ctx, "");
    return *text ? PCS_OK : PCS_ERROR_MEMORY;
}

static bool is_part(const char *path)
{
    static const char ending[] = ".part";
    const size_t length = strlen(path), n = sizeof ending - 1;
    return length > n && strcmp(path + length - n, ending) == 0;
}

// A file of gigabytes of which next to nothing was ever written is no result, whatever it declares.
static pcs_status check_holes(pcs_result *result)
{
    const int64_t small = (int64_t)64 << 20, part = 1024, block = 512;
    struct stat info;
    if (stat(result->path, &info) == 0 && S_ISREG(info.st_mode) && info.st_size > small &&
        info.st_blocks * block < info.st_size / part)
        return pcs_result_damaged(result, "nearly all of it was never written");
    return PCS_OK;
}

static pcs_status open_checked(pcs_result *result)
{
    pcs_context *ctx = result->ctx;
    const char *path = result->path;
    PCS_TRY(check_holes(result));
    htri_t is_hdf5 = H5Fis_hdf5(path);
    if (is_hdf5 < 0 && result->guard.error_number != 0)
        return pcs_result_cannot(result, "read the result");
    if (is_hdf5 <= 0 && is_part(path)) // of a run that was killed before its first frame
        return pcs_error(ctx, PCS_ERROR_INPUT,
                         "%s: the run was killed before it stored anything; repeat it", path);
    if (is_hdf5 <= 0) // negative for an empty file, too
        return pcs_error(ctx, PCS_ERROR_INPUT, "%s: not a result file (not in HDF5 format)", path);
    if (!open_file(result))
        return pcs_result_cannot(result, "read the result");
    int64_t format = 0, dimension = 0, complete = 0, header = 0;
    if (result->note.cut_off &&
        (!pcs_hdf5_get_integer(result->file, PCS_RESULT_ATTRIBUTE_HEADER, &header) || header <= 0 ||
         (hsize_t)header > result->note.size))
        return pcs_result_damaged(result, "the header is cut off");
    if (!pcs_hdf5_get_integer(result->file, PCS_RESULT_ATTRIBUTE_FORMAT, &format) && is_part(path))
        return pcs_error(ctx, PCS_ERROR_INPUT,
                         "%s: the run was killed before it stored anything; repeat it", path);
    if (format == 0)
        return pcs_error(ctx, PCS_ERROR_INPUT, "%s: an HDF5 file, but not a Percuss result", path);
    if (format > PCS_RESULT_FORMAT)
        return pcs_error(ctx, PCS_ERROR_INPUT,
                         "%s: written by a newer Percuss (format %lld; this one reads up to %d); "
                         "update Percuss",
                         path, (long long)format, (int)PCS_RESULT_FORMAT);
    if (!pcs_hdf5_get_integer(result->file, PCS_RESULT_ATTRIBUTE_DIMENSION, &dimension) ||
        (dimension != 2 && dimension != 3))
        return pcs_result_damaged(result, "the dimension is missing");
    if (!pcs_hdf5_get_integer(result->file, PCS_RESULT_ATTRIBUTE_COMPLETE, &complete))
        return pcs_result_damaged(result, "the mark 'complete' is missing");
    result->dimension = (int32_t)dimension;
    result->complete = complete == 1 && !result->note.cut_off;
    PCS_TRY(read_text(result, PCS_RESULT_ATTRIBUTE_COMMAND, &result->command));
    PCS_TRY(read_text(result, PCS_RESULT_ATTRIBUTE_VERSION, &result->version));
    pcs_status status = pcs_hdf5_get_text(ctx, result->file, PCS_RESULT_ATTRIBUTE_TITLE,
                                          &result->title);
    return status == PCS_ERROR_INPUT ? pcs_result_damaged(result, "the title is missing") : status;
}

// ---- Names ----

static const char *get_name(const pcs_name_list *list, int32_t i)
{
    return list->texts + (size_t)i * list->size;
}

// Names in a dataset of `columns` columns; *rows is the number found.
static pcs_status read_names(pcs_result *result, const char *path, int32_t columns, int32_t *rows,
                             pcs_name_list *list)
{
    hsize_t extent[3] = {0, 1, 1};
    hid_t dataset = pcs_hdf5_open_dataset(result->file, path, columns > 1 ? 2 : 1, extent);
    if (dataset < 0)
        return pcs_result_damaged(result, "names are missing");
    pcs_status status = PCS_ERROR_INPUT;
    if (extent[0] <= INT32_MAX / PCS_QUANTITY_WIDTH_MAX && extent[1] == (hsize_t)columns &&
        pcs_hdf5_is_stored(dataset))
        status = pcs_hdf5_read_texts(result->ctx, dataset, (int64_t)extent[0] * columns,
                                     &list->texts, &list->size);
    *rows = status >= 0 ? (int32_t)extent[0] : 0;
    pcs_hdf5_close(dataset);
    return status == PCS_ERROR_INPUT ? pcs_result_damaged(result, "names cannot be read") : status;
}

static pcs_status read_all_names(pcs_result *result)
{
    enum { N = PCS_JOINT_COORDINATES_MAX };
    result->objects[PCS_OWNER_NONE] = 1;
    for (int owner = PCS_OWNER_BODY; owner < PCS_OWNER_COUNT; owner++) {
        // Older files know no inputs and no systems; meshes have a part only where there are some.
        if (!pcs_owner_table[owner].names ||
            (owner >= PCS_OWNER_INPUT &&
             !pcs_hdf5_has_object(result->file, pcs_owner_table[owner].names)))
            continue;
        PCS_TRY(read_names(result, pcs_owner_table[owner].names, 1, &result->objects[owner],
                           &result->names[owner]));
    }
    int32_t joints = result->objects[PCS_OWNER_JOINT], found[2] = {0, 0};
    PCS_TRY(
        read_names(result, PCS_RESULT_JOINT_COORDINATES, N, &found[0], &result->coordinate_names));
    PCS_TRY(read_names(result, PCS_RESULT_JOINT_RATES, N, &found[1], &result->rate_names));
    if (found[0] != joints || found[1] != joints)
        return pcs_result_damaged(result, "names of joint coordinates do not fit");
    return PCS_OK;
}

// The model's text is a list of one.
static pcs_status read_model_text(pcs_result *result)
{
    pcs_name_list list = {0};
    int32_t count = 0;
    pcs_status status = read_names(result, PCS_RESULT_MODEL, 1, &count, &list);
    result->model_text = list.texts;
    if (status >= 0 && count != 1)
        status = pcs_result_damaged(result, "the model text is missing");
    return status;
}

const char *pcs_result_joint_component(const pcs_result *result, int quantity, int32_t object,
                                       int32_t component)
{
    const pcs_name_list *list = quantity == PCS_QUANTITY_JOINT_COORDINATE
                                    ? &result->coordinate_names
                                : quantity == PCS_QUANTITY_JOINT_RATE ? &result->rate_names
                                                                      : NULL;
    if (!list)
        return NULL;
    const char *name = get_name(list, PCS_JOINT_COORDINATES_MAX * object + component);
    return *name ? name : NULL;
}

const char *pcs_result_object_name(const pcs_result *result, pcs_owner owner, int32_t i)
{
    return i >= 0 && i < result->objects[owner] ? get_name(&result->names[owner], i) : NULL;
}

// ---- Datasets ----

// Rows of a dataset that are there; negative if it declares more than any run may have left. A run that
// was killed while it stored frames may have left the new shape with the old data.
static int64_t count_rows(const pcs_result *result, hid_t dataset, int rank,
                          const hsize_t extent[3])
{
    const hsize_t in_a_flush = 1000000;
    hsize_t numbers = 1;
    if (result->note.cut_off)
        return pcs_hdf5_rows_there(dataset, extent[0], result->note.size);
    for (int i = 1; i < rank; ++i)
        numbers *= extent[i];
    const hsize_t stored = numbers > 0 ? pcs_hdf5_numbers_stored(dataset) / numbers : extent[0];
    if (stored >= extent[0])
        return (int64_t)extent[0];
    return result->complete || extent[0] - stored > in_a_flush ? -1 : (int64_t)stored;
}

static void warn_of_frames(pcs_result *result, int64_t most)
{
    const long long lost = (long long)(most - result->frames);
    if (result->note.cut_off && lost == 0)
        snprintf(result->warning, sizeof result->warning,
                 "the file is cut off behind its last frame: the summary may be missing; copy it "
                 "again or repeat the run");
    else if (result->note.cut_off)
        snprintf(result->warning, sizeof result->warning,
                 "the file is cut off: its first %lld frames can be read, %lld are lost; copy it "
                 "again or repeat the run",
                 (long long)result->frames, lost);
    else if (lost > 0)
        snprintf(result->warning, sizeof result->warning,
                 "the run was killed while it stored frames: the last %lld are not whole and are "
                 "left out",
                 lost);
}

static pcs_status open_datasets(pcs_result *result)
{
    int64_t most = 0;
    result->frames = -1;
    for (int k = 0; k < PCS_QUANTITY_COUNT; k++) {
        const pcs_quantity_row *row = &pcs_quantity_table[k];
        int rank = 1 + (row->owner != PCS_OWNER_NONE) + (row->width > 1);
        if (!pcs_hdf5_has_object(result->file, row->dataset))
            continue;
        hsize_t extent[3] = {0, 0, 0};
        hid_t dataset = pcs_hdf5_open_dataset(result->file, row->dataset, rank, extent);
        result->dataset[k] = dataset;
        if (dataset < 0 || extent[0] > INT64_MAX / 64 ||
            (row->owner != PCS_OWNER_NONE && extent[1] != (hsize_t)result->objects[row->owner]) ||
            (row->width > 1 && extent[rank - 1] != (hsize_t)row->width))
            return pcs_result_damaged(result, "a dataset has another shape");
        int64_t rows = count_rows(result, dataset, rank, extent);
        if (rows < 0)
            return pcs_result_damaged(result, "it declares more frames than it holds");
        if (result->frames < 0 || rows < result->frames)
            result->frames = rows;
        most = (int64_t)extent[0] > most ? (int64_t)extent[0] : most;
    }
    if (result->dataset[PCS_QUANTITY_TIME] < 0)
        return pcs_result_damaged(result, "no times");
    if (result->note.cut_off && result->frames == 0)
        return pcs_result_damaged(result, "no frame is left");
    warn_of_frames(result, most);
    return PCS_OK;
}

// Events came later than the format: a file without them has none. Their impulses came with format 2.
static pcs_status open_events(pcs_result *result)
{
    int64_t events = INT64_MAX;
    if (!pcs_hdf5_has_object(result->file, PCS_RESULT_EVENT))
        return PCS_OK;
    for (int c = 0; c < PCS_EVENT_COLUMN_COUNT; c++) {
        const char *path = pcs_event_column_table[c].dataset;
        hsize_t extent[3] = {0, 0, 0};
        if (c >= PCS_EVENT_COLUMN_IMPULSE && !pcs_hdf5_has_object(result->file, path))
            continue;
        hid_t dataset = pcs_hdf5_open_dataset(result->file, path, 1, extent);
        result->event[c] = dataset;
        if (dataset < 0 || extent[0] > INT64_MAX / 64)
            return pcs_result_damaged(result, "the events have another shape");
        int64_t rows = count_rows(result, dataset, 1, extent);
        if (rows < 0)
            return pcs_result_damaged(result, "it declares more events than it holds");
        events = rows < events ? rows : events;
    }
    hid_t group = H5Gopen2(result->file, PCS_RESULT_EVENT, H5P_DEFAULT);
    if (group >= 0)
        (void)pcs_hdf5_get_integer(group, PCS_RESULT_ATTRIBUTE_DROPPED, &result->events_dropped);
    pcs_hdf5_close(group);
    result->events = events;
    return PCS_OK;
}

static pcs_status read_meshes(pcs_result *result)
{
    pcs_status status = pcs_result_read_meshes(result->ctx, result->file, result->objects,
                                               &result->meshes);
    return status == PCS_ERROR_INPUT ? pcs_result_damaged(result, "the meshes cannot be read")
                                     : status;
}

static const char *body_name(const void *user, int32_t body)
{
    return pcs_result_object_name(user, PCS_OWNER_BODY, body);
}

static pcs_status read_drawings(pcs_result *result)
{
    const pcs_drawing_counts n = {result->objects[PCS_OWNER_BODY], result->objects[PCS_OWNER_NODE]};
    pcs_status status = pcs_result_read_drawings(result->ctx, result->file, &n, body_name, result,
                                                 &result->drawings);
    return status == PCS_ERROR_INPUT ? pcs_result_damaged(result, "the drawings cannot be read")
                                     : status;
}

// ---- Statistics and checkpoint ----

static pcs_status read_statistics(pcs_result *result)
{
    if (H5Lexists(result->file, PCS_RESULT_SUMMARY, H5P_DEFAULT) <= 0)
        return PCS_OK; // the run was cut off
    hid_t group = H5Gopen2(result->file, PCS_RESULT_SUMMARY, H5P_DEFAULT);
    if (group < 0 && result->note.cut_off)
        return PCS_OK;
    if (group < 0)
        return pcs_result_damaged(result, "the summary cannot be read");
    result->has_summary = true;
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
    hid_t dataset = pcs_hdf5_open_dataset(result->file, PCS_RESULT_CHECKPOINT, 1, extent);
    if (dataset < 0)
        return pcs_error(result->ctx, PCS_ERROR_INPUT,
                         "%s: has no checkpoint, because the run was cut off; resume from a "
                         "checkpoint file or repeat the run",
                         result->path);
    const bool stored = pcs_hdf5_is_stored(dataset);
    unsigned char *bytes = stored ? pcs_calloc(result->ctx, (size_t)extent[0], 1) : NULL;
    pcs_status status = bytes    ? PCS_OK
                        : stored ? PCS_ERROR_MEMORY
                                 : pcs_result_damaged(result, "the checkpoint is not there");
    if (bytes && H5Dread(dataset, H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes) < 0)
        status = pcs_result_damaged(result, "the checkpoint cannot be read");
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
    PCS_TRY(read_meshes(result));
    PCS_TRY(open_datasets(result));
    PCS_TRY(open_events(result));
    PCS_TRY(read_drawings(result));
    PCS_TRY(pcs_result_list_signals(result));
    PCS_TRY(read_statistics(result));
    if (!result->has_summary && !*result->warning)
        snprintf(result->warning, sizeof result->warning,
                 "the run was killed or is still running: there is no summary");
    return PCS_OK;
}

// A part that the system did not read is not a part that the file does not have. Whatever cannot be read
// in a file that is cut off is missing for that reason.
static pcs_status explain(pcs_result *result, pcs_status status)
{
    if (result->guard.error_number != 0 && status != PCS_ERROR_MEMORY)
        return pcs_result_cannot(result, "read the result");
    if (!result->note.cut_off || status >= 0 || status == PCS_ERROR_MEMORY)
        return status;
    return pcs_error(result->ctx, PCS_ERROR_IO,
                     "%s: cannot read the result: the file is cut off so early that no frame can "
                     "be read; copy it again or repeat the run",
                     result->path);
}

pcs_status pcs_result_open(pcs_context *ctx, const char *path, pcs_result **out)
{
    *out = NULL;
    pcs_result *result = PCS_NEW(ctx, pcs_result);
    if (!result)
        return PCS_ERROR_MEMORY;
    result->ctx = ctx;
    result->driver = result->file = H5I_INVALID_HID;
    for (int k = 0; k < PCS_QUANTITY_COUNT; k++)
        result->dataset[k] = H5I_INVALID_HID;
    for (int c = 0; c < PCS_EVENT_COLUMN_COUNT; c++)
        result->event[c] = H5I_INVALID_HID;
    result->path = pcs_strdup(ctx, path);
    pcs_status status = result->path ? PCS_OK : PCS_ERROR_MEMORY;
    if (status >= 0) {
        pcs_hdf5_enter(&result->guard);
        status = explain(result, read_everything(result));
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
    for (int c = 0; c < PCS_EVENT_COLUMN_COUNT; c++)
        pcs_hdf5_close(result->event[c]);
    pcs_hdf5_close(result->file);
    pcs_hdf5_driver_close(result->driver);
    pcs_hdf5_leave(&result->guard);
    for (int owner = PCS_OWNER_BODY; owner < PCS_OWNER_COUNT; owner++)
        pcs_free(ctx, result->names[owner].texts);
    pcs_free(ctx, result->coordinate_names.texts);
    pcs_free(ctx, result->rate_names.texts);
    PCS_ARRAY_FREE(ctx, &result->signals);
    pcs_free(ctx, result->checkpoint);
    pcs_drawing_list_free(ctx, &result->drawings);
    pcs_mesh_list_free(ctx, &result->meshes);
    pcs_free(ctx, result->title);
    pcs_free(ctx, result->command);
    pcs_free(ctx, result->version);
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

const char *pcs_result_warning(const pcs_result *result)
{
    return result->warning;
}

const char *pcs_result_title(const pcs_result *result)
{
    return result->title;
}

const char *pcs_result_command(const pcs_result *result)
{
    return result->command;
}

const char *pcs_result_version(const pcs_result *result)
{
    return result->version;
}

const char *pcs_result_model_text(const pcs_result *result)
{
    return result->model_text;
}

bool pcs_result_has_summary(const pcs_result *result)
{
    return result->has_summary;
}

const pcs_statistics *pcs_result_statistics(const pcs_result *result)
{
    return &result->statistics;
}

int32_t pcs_result_dimension(const pcs_result *result)
{
    return result->dimension;
}

int32_t pcs_result_body_count(const pcs_result *result)
{
    return result->objects[PCS_OWNER_BODY];
}

const char *pcs_result_body_name(const pcs_result *result, int32_t body)
{
    return pcs_result_object_name(result, PCS_OWNER_BODY, body);
}

int32_t pcs_result_joint_count(const pcs_result *result)
{
    return result->objects[PCS_OWNER_JOINT];
}

const char *pcs_result_joint_name(const pcs_result *result, int32_t joint)
{
    return pcs_result_object_name(result, PCS_OWNER_JOINT, joint);
}

int32_t pcs_result_constraint_count(const pcs_result *result)
{
    return result->objects[PCS_OWNER_CONSTRAINT];
}

int32_t pcs_result_contact_count(const pcs_result *result)
{
    return result->objects[PCS_OWNER_CONTACT];
}

const char *pcs_result_contact_name(const pcs_result *result, int32_t slot)
{
    return pcs_result_object_name(result, PCS_OWNER_CONTACT, slot);
}

int32_t pcs_result_drawing_count(const pcs_result *result)
{
    return result->drawings.count;
}

const pcs_drawing *pcs_result_drawing(const pcs_result *result, int32_t index)
{
    return index >= 0 && index < result->drawings.count ? &result->drawings.items[index] : NULL;
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
