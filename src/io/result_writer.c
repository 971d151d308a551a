// Writes results to HDF5 (layout: io/result_layout.h, docs/result-file.md).
//
// Frames are gathered in memory and appended in batches. What a killed run leaves must open without
// repair, in Percuss and in every HDF5 tool, so the file is flushed at intervals and has the format
// of HDF5 1.8: the newer one, which single-writer-multiple-reader mode needs, leaves a mark in the
// file that only h5clear removes; the older one has no checksums. Metadata that reach the disk
// alone would break the file, so the metadata cache may not evict: between two flushes the disk
// holds the earlier state plus raw data that nothing refers to yet. Chunks are not compressed,
// because a compressed chunk moves when it grows.
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/timer.h"
#include "io/file_error.h"
#include "io/hdf5_driver.h"
#include "io/output_file.h"
#include "io/result_drawings.h"
#include "io/result_events.h"
#include "io/result_layout.h"
#include "io/result_meshes.h"
#include "io/result_target.h"
#include "model/model.h"

// The header of the root group: links with the length of their names, and the bytes of attributes
// beside the texts that they hold. Beyond the largest number of links the group changes its layout.
enum { ROOT_LINKS = 24, ROOT_LINKS_MAX = 64, ROOT_NAME_LENGTH = 12, ROOT_ATTRIBUTE_BYTES = 1000 };

// Frames of one chunk and of one batch: bounded by bytes for large models (few seeks, small memory)
// and by number for small ones (a short run must not make a large file).
enum { CHUNK_FRAMES_MAX = 256, CHUNK_BYTES = 64 * 1024, BATCH_BYTES = 4 * 1024 * 1024 };

struct pcs_result_writer {
    pcs_context *ctx;
    pcs_hdf5_guard guard;
    char *path, *part; // final and temporary name
    int32_t dimension;
    int32_t objects[PCS_OWNER_COUNT];
    pcs_hdf5_note note;
    hid_t driver, file;
    hid_t dataset[PCS_QUANTITY_COUNT]; // negative: not in this model
    double *buffer[PCS_QUANTITY_COUNT];
    pcs_event_store events;
    int32_t batch, buffered; // frames
    int64_t stored;
    double flush_interval, opened, last_flush; // wall clock, s
    bool failed; // an earlier write failed: the file is only closed any more
};

pcs_result_def pcs_result_default(void)
{
    // Half a second: a killed run loses little, and flushing costs below one per cent.
    return (pcs_result_def){.title = "", .model_text = "", .flush_interval = 0.5};
}

static pcs_status cannot(pcs_result_writer *writer, const char *what)
{
    if (writer->note.error_number != 0)
        writer->guard.error_number = writer->note.error_number;
    return pcs_hdf5_error(writer->ctx, &writer->guard, writer->part, what);
}

// ---- The file and its fixed parts ----

// A leftover of a killed run makes way; a file that another run is writing does not (HDF5 holds a
// lock on it, and would cut the file before it looks at the lock).
static pcs_status remove_leftover(pcs_result_writer *writer)
{
    if (access(writer->part, F_OK) != 0)
        return PCS_OK;
    hid_t file = H5Fopen(writer->part, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (file < 0 && writer->guard.error_number == EAGAIN)
        return cannot(writer, "create the result");
    pcs_hdf5_close(file);
    writer->guard.failed = false; // a damaged leftover is no error
    writer->guard.error_number = 0;
    if (unlink(writer->part) != 0 && errno != ENOENT) {
        writer->guard.error_number = errno;
        return cannot(writer, "remove the leftover of an earlier run");
    }
    return PCS_OK;
}

// Keeps metadata in memory until the next flush.
static bool forbid_eviction(hid_t file)
{
    H5AC_cache_config_t config = {.version = H5AC__CURR_CACHE_CONFIG_VERSION};
    if (H5Fget_mdc_config(file, &config) < 0)
        return false;
    config.evictions_enabled = false; // which HDF5 allows only when the size does not adapt
    config.incr_mode = H5C_incr__off;
    config.flash_incr_mode = H5C_flash_incr__off;
    config.decr_mode = H5C_decr__off;
    return H5Fset_mdc_config(file, &config) >= 0;
}

// All of the root group stands in its header, with room for the links that come at the end, so that
// a file which is cut off can still be read. HDF5 takes the room from a number of links.
static bool reserve_header(hid_t creation, const pcs_result_def *def)
{
    size_t texts = (def->title ? strlen(def->title) : 0) +
                   (def->command ? strlen(def->command) : 0);
    size_t links = ROOT_LINKS + (texts + ROOT_ATTRIBUTE_BYTES) / ROOT_NAME_LENGTH;
    links = links < UINT16_MAX ? links : UINT16_MAX;
    return H5Pset_link_phase_change(creation, UINT16_MAX, ROOT_LINKS_MAX) >= 0 &&
           H5Pset_est_link_info(creation, (unsigned)links, ROOT_NAME_LENGTH) >= 0;
}

static pcs_status create_file(pcs_result_writer *writer, const pcs_result_def *def)
{
    hid_t access_properties = pcs_hdf5_driver_properties(&writer->note, &writer->driver);
    hid_t creation = H5Pcreate(H5P_FILE_CREATE);
    // No time stamps: equal runs give equal files.
    if (access_properties >= 0 && creation >= 0 && H5Pset_obj_track_times(creation, false) >= 0 &&
        reserve_header(creation, def) && H5Pset_evict_on_close(access_properties, true) >= 0 &&
        H5Pset_libver_bounds(access_properties, H5F_LIBVER_V18, H5F_LIBVER_V18) >= 0)
        writer->file = H5Fcreate(writer->part, H5F_ACC_EXCL, creation, access_properties);
    pcs_hdf5_close(creation);
    pcs_hdf5_close(access_properties);
    if (writer->file < 0)
        return cannot(writer, "create the result");
    writer->note.error_number = 0; // HDF5 first tries to open a file that is not there
    return forbid_eviction(writer->file) ? PCS_OK : cannot(writer, "create the result");
}

static pcs_status put_names(pcs_result_writer *writer, const char *path, const char *const *names,
                            int32_t count, int32_t columns)
{
    pcs_status status = pcs_hdf5_put_names(writer->ctx, writer->file, path, names, count, columns);
    return status == PCS_ERROR_IO ? cannot(writer, "write the names") : status;
}

static const char *object_name(const pcs_model *model, pcs_owner owner, int32_t i)
{
    switch (owner) {
    case PCS_OWNER_BODY:
        return pcs_model_body_name(model, i);
    case PCS_OWNER_JOINT:
        return pcs_model_joint_name(model, i);
    case PCS_OWNER_INPUT:
        return pcs_model_input_name(model, i);
    case PCS_OWNER_COORDINATE:
        return model->coordinate_names.data[i];
    case PCS_OWNER_CONSTRAINT:
        return model->constraint_names.data[i];
    default:
        return pcs_model_contact_name(model, i);
    }
}

static pcs_status put_object_names(pcs_result_writer *writer, const pcs_model *model)
{
    for (int owner = PCS_OWNER_BODY; owner < PCS_OWNER_MESH; owner++) {
        int32_t count = writer->objects[owner];
        const char **names = PCS_NEW_ARRAY(writer->ctx, const char *, count);
        if (!names)
            return PCS_ERROR_MEMORY;
        for (int32_t i = 0; i < count; i++)
            names[i] = object_name(model, (pcs_owner)owner, i);
        const pcs_owner_row *row = &pcs_owner_table[owner];
        pcs_status status = PCS_OK;
        if (!pcs_hdf5_has_object(writer->file, row->group) && // two owners may share one
            !pcs_hdf5_create_group(writer->file, row->group))
            status = cannot(writer, "write the names");
        if (status >= 0)
            status = put_names(writer, row->names, names, count, 1);
        pcs_free(writer->ctx, names);
        PCS_TRY(status);
    }
    return PCS_OK;
}

static pcs_status put_joint_names(pcs_result_writer *writer, const pcs_model *model)
{
    enum { N = PCS_JOINT_COORDINATES_MAX };
    int32_t count = writer->objects[PCS_OWNER_JOINT];
    const char **names = PCS_NEW_ARRAY(writer->ctx, const char *, (size_t)count *(2 * N + 1));
    if (!names)
        return PCS_ERROR_MEMORY;
    const char **kinds = names, **coordinates = kinds + count, **rates = coordinates + N * count;
    for (int32_t j = 0; j < count; j++) {
        pcs_joint_kind kind = pcs_model_joint_kind(model, j);
        kinds[j] = pcs_joint_kind_name(kind);
        for (int32_t i = 0; i < N; i++) {
            const char *coordinate = pcs_joint_coordinate_name(kind, writer->dimension, i);
            const char *rate = pcs_joint_rate_name(kind, writer->dimension, i);
            coordinates[N * j + i] = coordinate ? coordinate : "";
            rates[N * j + i] = rate ? rate : "";
        }
    }
    pcs_status status = put_names(writer, PCS_RESULT_JOINT_KINDS, kinds, count, 1);
    if (status >= 0)
        status = put_names(writer, PCS_RESULT_JOINT_COORDINATES, coordinates, count, N);
    if (status >= 0)
        status = put_names(writer, PCS_RESULT_JOINT_RATES, rates, count, N);
    pcs_free(writer->ctx, names);
    return status;
}

static pcs_status put_drawings(pcs_result_writer *writer, const pcs_model *model)
{
    pcs_status status = pcs_result_put_shapes(writer->ctx, writer->file, model);
    if (status >= 0)
        status = pcs_result_put_meshes(writer->ctx, writer->file, model);
    if (status >= 0)
        status = pcs_result_put_drawings(writer->ctx, writer->file, model);
    return status == PCS_ERROR_IO ? cannot(writer, "write what is to be drawn") : status;
}

static pcs_status put_header(pcs_result_writer *writer, const pcs_result_def *def)
{
    hid_t file = writer->file;
    const char *title = def->title ? def->title : "";
    const char *text = def->model_text ? def->model_text : "";
    const char *command = def->command ? def->command : "";
    bool ok = pcs_hdf5_put_integer(file, PCS_RESULT_ATTRIBUTE_FORMAT, PCS_RESULT_FORMAT) &&
              pcs_hdf5_put_text(file, PCS_RESULT_ATTRIBUTE_VERSION, pcs_version()) &&
              pcs_hdf5_put_text(file, PCS_RESULT_ATTRIBUTE_TITLE, title) &&
              pcs_hdf5_put_text(file, PCS_RESULT_ATTRIBUTE_COMMAND, command) &&
              pcs_hdf5_put_integer(file, PCS_RESULT_ATTRIBUTE_DIMENSION, writer->dimension) &&
              pcs_hdf5_put_integer(file, PCS_RESULT_ATTRIBUTE_COMPLETE, 0) &&
              pcs_hdf5_put_integer(file, PCS_RESULT_ATTRIBUTE_HEADER, 0) && // not known yet
              pcs_hdf5_create_group(file, "/energy") && pcs_hdf5_create_group(file, "/solver");
    if (!ok)
        return cannot(writer, "write the header");
    return put_names(writer, PCS_RESULT_MODEL, &text, 1, 1);
}

// ---- Datasets that grow ----

// Numbers of one frame; 0 if the model has none.
static int64_t frame_numbers(const pcs_result_writer *writer, pcs_quantity quantity)
{
    const pcs_quantity_row *row = &pcs_quantity_table[quantity];
    if (row->dimension != 0 && row->dimension != writer->dimension)
        return 0;
    return (int64_t)row->width * writer->objects[row->owner];
}

// Extents of `frames` frames of a dataset; returns the rank.
static int get_extent(const pcs_result_writer *writer, pcs_quantity quantity, hsize_t frames,
                      hsize_t extent[3])
{
    const pcs_quantity_row *row = &pcs_quantity_table[quantity];
    int rank = 0;
    extent[rank++] = frames;
    if (row->owner != PCS_OWNER_NONE)
        extent[rank++] = (hsize_t)writer->objects[row->owner];
    if (row->width > 1)
        extent[rank++] = (hsize_t)row->width;
    return rank;
}

static int32_t bounded_frames(int64_t bytes, int64_t numbers)
{
    int64_t frames = bytes / (numbers * (int64_t)sizeof(double));
    return frames < 1 ? 1 : frames > CHUNK_FRAMES_MAX ? CHUNK_FRAMES_MAX : (int32_t)frames;
}

// Creation properties: chunks, no time stamps, and NaN where nothing was written.
static hid_t growing_properties(const pcs_quantity_row *row, int rank, const hsize_t *chunk)
{
    hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
    const double missing = NAN;
    if (creation >= 0 && H5Pset_chunk(creation, rank, chunk) >= 0 &&
        H5Pset_obj_track_times(creation, false) >= 0 &&
        (row->storage == PCS_STORED_BYTE ||
         H5Pset_fill_value(creation, H5T_NATIVE_DOUBLE, &missing) >= 0))
        return creation;
    pcs_hdf5_close(creation);
    return H5I_INVALID_HID;
}

static pcs_status create_dataset(pcs_result_writer *writer, pcs_quantity quantity)
{
    const pcs_quantity_row *row = &pcs_quantity_table[quantity];
    int64_t numbers = frame_numbers(writer, quantity);
    if (numbers == 0)
        return PCS_OK;
    hsize_t size[3], most[3], chunk[3];
    int rank = get_extent(writer, quantity, 0, size);
    get_extent(writer, quantity, H5S_UNLIMITED, most);
    get_extent(writer, quantity, (hsize_t)bounded_frames(CHUNK_BYTES, numbers), chunk);

    hid_t type = row->storage == PCS_STORED_BYTE     ? H5T_STD_U8LE
                 : row->storage == PCS_STORED_SINGLE ? H5T_IEEE_F32LE
                                                     : H5T_IEEE_F64LE;
    hid_t space = H5Screate_simple(rank, size, most);
    hid_t creation = growing_properties(row, rank, chunk);
    hid_t growing = pcs_hdf5_growing_access();
    hid_t dataset = H5I_INVALID_HID;
    if (space >= 0 && creation >= 0 && growing >= 0)
        dataset = H5Dcreate2(writer->file, row->dataset, type, space, H5P_DEFAULT, creation,
                             growing);
    writer->dataset[quantity] = dataset;
    bool ok = dataset >= 0 && pcs_hdf5_put_text(dataset, PCS_RESULT_ATTRIBUTE_UNIT, row->unit) &&
              pcs_hdf5_put_text(dataset, PCS_RESULT_ATTRIBUTE_DESCRIPTION, row->description);
    pcs_hdf5_close(growing);
    pcs_hdf5_close(creation);
    pcs_hdf5_close(space);
    if (!ok)
        return cannot(writer, "create a dataset");
    writer->buffer[quantity] = PCS_NEW_ARRAY(writer->ctx, double, numbers * writer->batch);
    return writer->buffer[quantity] ? PCS_OK : PCS_ERROR_MEMORY;
}

static pcs_status create_datasets(pcs_result_writer *writer)
{
    int64_t numbers = 0;
    for (int k = 0; k < PCS_QUANTITY_COUNT; k++)
        numbers += frame_numbers(writer, (pcs_quantity)k);
    writer->batch = bounded_frames(BATCH_BYTES, numbers);
    for (int k = 0; k < PCS_QUANTITY_COUNT; k++)
        PCS_TRY(create_dataset(writer, (pcs_quantity)k));
    return PCS_OK;
}

// ---- Frames ----

// Where the numbers of object i go in the frame being gathered; NULL if they are not stored.
static double *slot(pcs_result_writer *writer, pcs_quantity quantity, int32_t i)
{
    const pcs_quantity_row *row = &pcs_quantity_table[quantity];
    double *buffer = writer->buffer[quantity];
    if (!buffer)
        return NULL;
    int64_t object = (int64_t)writer->buffered * writer->objects[row->owner] + i;
    return buffer + object * row->width;
}

static void put_number(pcs_result_writer *writer, pcs_quantity quantity, int32_t i, double value)
{
    double *to = slot(writer, quantity, i);
    if (to)
        *to = value;
}

static void put_vector(pcs_result_writer *writer, pcs_quantity quantity, int32_t i, pcs_vec3 value)
{
    double *to = slot(writer, quantity, i);
    if (to) {
        to[0] = value.x;
        to[1] = value.y;
        to[2] = value.z;
    }
}

static void put_three(pcs_result_writer *writer, pcs_quantity quantity, int32_t i,
                      const double value[3])
{
    put_vector(writer, quantity, i, (pcs_vec3){value[0], value[1], value[2]});
}

static void gather_bodies(pcs_result_writer *writer, const pcs_simulation *simulation)
{
    for (int32_t i = 0; i < writer->objects[PCS_OWNER_BODY]; i++) {
        pcs_body_view view;
        pcs_simulation_body(simulation, i, &view);
        put_vector(writer, PCS_QUANTITY_BODY_POSITION, i, view.position);
        put_vector(writer, PCS_QUANTITY_BODY_VELOCITY, i, view.velocity);
        put_vector(writer, PCS_QUANTITY_BODY_ANGULAR_VELOCITY, i, view.angular_velocity);
        put_number(writer, PCS_QUANTITY_BODY_ANGLE, i, view.angle);
        double *rotation = slot(writer, PCS_QUANTITY_BODY_ROTATION, i);
        if (rotation) {
            rotation[0] = view.rotation.w;
            rotation[1] = view.rotation.x;
            rotation[2] = view.rotation.y;
            rotation[3] = view.rotation.z;
        }
    }
}

static void gather_joints(pcs_result_writer *writer, const pcs_simulation *simulation)
{
    const pcs_model *model = pcs_simulation_model(simulation);
    for (int32_t j = 0; j < writer->objects[PCS_OWNER_JOINT]; j++) {
        pcs_joint_kind kind = pcs_model_joint_kind(model, j);
        pcs_joint_view view;
        pcs_simulation_joint(simulation, j, &view);
        for (int32_t i = 0; i < PCS_JOINT_COORDINATES_MAX; i++) {
            if (!pcs_joint_coordinate_name(kind, writer->dimension, i))
                view.coordinate[i] = view.rate[i] = NAN;
        }
        put_three(writer, PCS_QUANTITY_JOINT_COORDINATE, j, view.coordinate);
        put_three(writer, PCS_QUANTITY_JOINT_RATE, j, view.rate);
        put_vector(writer, PCS_QUANTITY_JOINT_FORCE, j, view.force);
        put_vector(writer, PCS_QUANTITY_JOINT_TORQUE, j, view.torque);
    }
}

static void gather_contacts(pcs_result_writer *writer, const pcs_simulation *simulation)
{
    for (int32_t i = 0; i < writer->objects[PCS_OWNER_CONTACT]; i++) {
        pcs_contact_view view;
        pcs_simulation_contact(simulation, i, &view);
        put_number(writer, PCS_QUANTITY_CONTACT_GAP, i, view.gap);
        put_number(writer, PCS_QUANTITY_CONTACT_STATE, i, (double)view.state);
        put_three(writer, PCS_QUANTITY_CONTACT_IMPULSE, i, view.impulse);
        put_three(writer, PCS_QUANTITY_CONTACT_FORCE, i, view.force);
        put_three(writer, PCS_QUANTITY_CONTACT_LOAD, i, view.load);
        put_three(writer, PCS_QUANTITY_CONTACT_FORCE_MAX, i, view.force_max);
        put_three(writer, PCS_QUANTITY_CONTACT_VELOCITY, i, view.velocity);
        put_vector(writer, PCS_QUANTITY_CONTACT_POINT, i, view.point);
        put_vector(writer, PCS_QUANTITY_CONTACT_NORMAL, i, view.normal);
        put_vector(writer, PCS_QUANTITY_CONTACT_TANGENT1, i, view.tangent1);
    }
}

static void gather_inputs(pcs_result_writer *writer, const pcs_simulation *simulation)
{
    for (int32_t i = 0; i < writer->objects[PCS_OWNER_INPUT]; i++)
        put_number(writer, PCS_QUANTITY_INPUT_VALUE, i, pcs_simulation_input(simulation, i));
}

static void gather_systems(pcs_result_writer *writer, const pcs_simulation *simulation)
{
    const pcs_model *model = pcs_simulation_model(simulation);
    int32_t coordinate = 0, constraint = 0;
    for (int32_t k = 0; k < model->systems.count; k++) {
        pcs_system_view view;
        pcs_simulation_system(simulation, k, &view);
        for (int32_t i = 0; i < model->systems.data[k].n; i++, coordinate++) {
            put_number(writer, PCS_QUANTITY_SYSTEM_COORDINATE, coordinate, view.coordinate[i]);
            put_number(writer, PCS_QUANTITY_SYSTEM_RATE, coordinate, view.rate[i]);
            put_number(writer, PCS_QUANTITY_SYSTEM_ACCELERATION, coordinate, view.acceleration[i]);
        }
        for (int32_t i = 0; i < model->systems.data[k].n_constraints; i++)
            put_number(writer, PCS_QUANTITY_SYSTEM_FORCE, constraint++,
                       pcs_simulation_constraint_force(simulation, k, i));
    }
}

static void gather_meshes(pcs_result_writer *writer, const pcs_simulation *simulation)
{
    double *places[PCS_QUANTITY_COUNT] = {NULL};
    if (writer->objects[PCS_OWNER_MESH] == 0)
        return;
    for (int k = PCS_QUANTITY_MESH_KINETIC; k < PCS_QUANTITY_MESH_END; k++)
        places[k] = slot(writer, (pcs_quantity)k, 0);
    pcs_result_gather_meshes(simulation, places);
}

static void gather_scalars(pcs_result_writer *writer, const pcs_simulation *simulation)
{
    const pcs_statistics *statistics = pcs_simulation_statistics(simulation);
    const pcs_energy_account *energy = &statistics->energy;
    put_number(writer, PCS_QUANTITY_TIME, 0, pcs_simulation_time(simulation));
    put_number(writer, PCS_QUANTITY_ENERGY_KINETIC, 0, energy->kinetic);
    put_number(writer, PCS_QUANTITY_ENERGY_POTENTIAL, 0, energy->potential);
    put_number(writer, PCS_QUANTITY_ENERGY_APPLIED, 0, energy->applied);
    put_number(writer, PCS_QUANTITY_ENERGY_ACTUATOR, 0, energy->actuator);
    put_number(writer, PCS_QUANTITY_ENERGY_DRIVER, 0, energy->driver);
    put_number(writer, PCS_QUANTITY_ENERGY_DAMPING, 0, energy->damping);
    put_number(writer, PCS_QUANTITY_ENERGY_FRICTION, 0, energy->friction);
    put_number(writer, PCS_QUANTITY_ENERGY_IMPACT, 0, energy->impact);
    put_number(writer, PCS_QUANTITY_ENERGY_NUMERICAL, 0, energy->numerical);
    put_number(writer, PCS_QUANTITY_ENERGY_TOTAL, 0, energy->kinetic + energy->potential);
    put_number(writer, PCS_QUANTITY_SOLVER_RESIDUAL, 0, statistics->last_residual);
}

// Appends the gathered frames of one quantity to its dataset.
static bool append_quantity(pcs_result_writer *writer, pcs_quantity quantity)
{
    hsize_t start[3] = {(hsize_t)writer->stored}, count[3], whole[3];
    int rank = get_extent(writer, quantity, (hsize_t)writer->buffered, count);
    get_extent(writer, quantity, (hsize_t)(writer->stored + writer->buffered), whole);
    hid_t dataset = writer->dataset[quantity];
    if (H5Dset_extent(dataset, whole) < 0)
        return false;
    hid_t space = H5Dget_space(dataset);
    hid_t memory = H5Screate_simple(rank, count, NULL);
    bool ok = space >= 0 && memory >= 0 &&
              H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL) >= 0 &&
              H5Dwrite(dataset, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT,
                       writer->buffer[quantity]) >= 0;
    pcs_hdf5_close(memory);
    pcs_hdf5_close(space);
    return ok;
}

static pcs_status fail(pcs_result_writer *writer)
{
    writer->failed = true;
    return cannot(writer, "write the result");
}

static pcs_status write_batch(pcs_result_writer *writer)
{
    if (writer->buffered == 0)
        return PCS_OK;
    for (int k = 0; k < PCS_QUANTITY_COUNT; k++) {
        if (writer->dataset[k] >= 0 && !append_quantity(writer, (pcs_quantity)k))
            return fail(writer);
    }
    if (writer->note.write_failed)
        return fail(writer);
    writer->stored += writer->buffered;
    writer->buffered = 0;
    return PCS_OK;
}

static pcs_status take_events(pcs_result_writer *writer, const pcs_simulation *simulation)
{
    if (!pcs_event_store_take(&writer->events, simulation) || writer->note.write_failed)
        return fail(writer);
    return PCS_OK;
}

static pcs_status write_events(pcs_result_writer *writer)
{
    if (!pcs_event_store_write(&writer->events, writer->file) || writer->note.write_failed)
        return fail(writer);
    return PCS_OK;
}

// What the datasets have in the metadata cache goes, now that it is on disk: the index of their chunks
// grows with the frames. They are opened again.
static bool forget_metadata(pcs_result_writer *writer)
{
    const size_t enough = (size_t)1 << 20;
    size_t used = 0;
    if (H5Fget_mdc_size(writer->file, NULL, NULL, &used, NULL) < 0)
        return false;
    if (used < enough)
        return true;
    hid_t growing = pcs_hdf5_growing_access();
    bool ok = growing >= 0;
    for (int k = 0; ok && k < PCS_QUANTITY_COUNT; k++) {
        if (writer->dataset[k] < 0)
            continue;
        pcs_hdf5_close(writer->dataset[k]);
        writer->dataset[k] = H5Dopen2(writer->file, pcs_quantity_table[k].dataset, growing);
        ok = writer->dataset[k] >= 0;
    }
    for (int c = 0; ok && c < PCS_EVENT_COLUMN_COUNT; c++) {
        pcs_hdf5_close(writer->events.dataset[c]);
        writer->events.dataset[c] = H5Dopen2(writer->file, pcs_event_column_table[c].dataset,
                                             growing);
        ok = writer->events.dataset[c] >= 0;
    }
    pcs_hdf5_close(growing);
    return ok;
}

static pcs_status flush(pcs_result_writer *writer)
{
    PCS_TRY(write_batch(writer));
    PCS_TRY(write_events(writer));
    if (H5Fflush(writer->file, H5F_SCOPE_GLOBAL) < 0 || writer->note.write_failed ||
        !forget_metadata(writer))
        return fail(writer);
    writer->last_flush = pcs_timer_now();
    return PCS_OK;
}

// Often at first, so that a run that is killed early leaves what it has computed too.
static bool is_due(const pcs_result_writer *writer)
{
    const double part = 0.1; // of the time so far
    const double now = pcs_timer_now();
    return now - writer->last_flush >= fmin(writer->flush_interval, part * (now - writer->opened));
}

static pcs_status append(pcs_result_writer *writer, const pcs_simulation *simulation)
{
    PCS_TRY(take_events(writer, simulation));
    gather_scalars(writer, simulation);
    gather_bodies(writer, simulation);
    gather_joints(writer, simulation);
    gather_contacts(writer, simulation);
    gather_inputs(writer, simulation);
    gather_systems(writer, simulation);
    gather_meshes(writer, simulation);
    pcs_simulation_mark_frame(simulation);
    writer->buffered++;
    if (is_due(writer))
        return flush(writer);
    return writer->buffered == writer->batch ? write_batch(writer) : PCS_OK;
}

// ---- Closing ----

static bool put_statistics(hid_t group, const pcs_statistics *statistics)
{
    bool ok = true;
    for (int32_t i = 0; ok && i < pcs_statistic_count; i++) {
        const pcs_statistic_row *row = &pcs_statistic_table[i];
        const void *field = (const char *)statistics + row->offset;
        if (row->type == PCS_NUMBER_REAL)
            ok = pcs_hdf5_put_real(group, row->name, *(const double *)field);
        else if (row->type == PCS_NUMBER_INT32)
            ok = pcs_hdf5_put_integer(group, row->name, *(const int32_t *)field);
        else
            ok = pcs_hdf5_put_integer(group, row->name, *(const int64_t *)field);
    }
    return ok;
}

static pcs_status put_summary(pcs_result_writer *writer, const pcs_simulation *simulation)
{
    hid_t group = H5I_INVALID_HID;
    if (pcs_hdf5_create_group(writer->file, PCS_RESULT_SUMMARY))
        group = H5Gopen2(writer->file, PCS_RESULT_SUMMARY, H5P_DEFAULT);
    bool ok = group >= 0 && put_statistics(group, pcs_simulation_statistics(simulation));
    pcs_hdf5_close(group);
    return ok ? PCS_OK : cannot(writer, "write the summary");
}

static pcs_status put_checkpoint(pcs_result_writer *writer, const pcs_simulation *simulation)
{
    size_t size = pcs_simulation_save(simulation, NULL, 0);
    void *bytes = pcs_calloc(writer->ctx, size, 1);
    if (!bytes)
        return PCS_ERROR_MEMORY;
    hsize_t extent = pcs_simulation_save(simulation, bytes, size);
    bool ok = pcs_hdf5_put_table(writer->file, PCS_RESULT_CHECKPOINT, H5T_NATIVE_UINT8, 1, &extent,
                                 bytes);
    pcs_free(writer->ctx, bytes);
    return ok ? PCS_OK : cannot(writer, "write the checkpoint");
}

static pcs_status finish(pcs_result_writer *writer, const pcs_simulation *simulation, bool complete)
{
    PCS_TRY(write_batch(writer));
    PCS_TRY(take_events(writer, simulation));
    PCS_TRY(write_events(writer));
    PCS_TRY(put_summary(writer, simulation));
    PCS_TRY(put_checkpoint(writer, simulation));
    if (!pcs_hdf5_set_integer(writer->file, PCS_RESULT_ATTRIBUTE_COMPLETE, complete))
        return cannot(writer, "write the result");
    return PCS_OK;
}

static bool close_file(pcs_result_writer *writer)
{
    for (int k = 0; k < PCS_QUANTITY_COUNT; k++) {
        pcs_hdf5_close(writer->dataset[k]);
        writer->dataset[k] = H5I_INVALID_HID;
    }
    pcs_event_store_close(&writer->events);
    bool ok = writer->file < 0 || H5Fclose(writer->file) >= 0;
    writer->file = H5I_INVALID_HID;
    pcs_hdf5_driver_close(writer->driver);
    writer->driver = H5I_INVALID_HID;
    return ok && !writer->note.write_failed;
}

static void free_writer(pcs_result_writer *writer)
{
    for (int k = 0; k < PCS_QUANTITY_COUNT; k++)
        pcs_free(writer->ctx, writer->buffer[k]);
    pcs_free(writer->ctx, writer->part);
    pcs_free(writer->ctx, writer->path);
    pcs_free(writer->ctx, writer);
}

// ---- Public functions ----

static pcs_status open_and_fill(pcs_result_writer *writer, const pcs_simulation *simulation,
                                const pcs_result_def *def)
{
    const pcs_model *model = pcs_simulation_model(simulation);
    PCS_TRY(remove_leftover(writer));
    PCS_TRY(create_file(writer, def));
    PCS_TRY(put_header(writer, def));
    PCS_TRY(put_object_names(writer, model));
    PCS_TRY(put_joint_names(writer, model));
    PCS_TRY(put_drawings(writer, model));
    PCS_TRY(create_datasets(writer));
    if (!pcs_event_store_create(&writer->events, writer->file, simulation))
        return cannot(writer, "create a dataset");
    hsize_t size = 0;
    PCS_TRY(flush(writer));
    if (H5Fget_filesize(writer->file, &size) < 0 ||
        !pcs_hdf5_set_integer(writer->file, PCS_RESULT_ATTRIBUTE_HEADER, (int64_t)size))
        return cannot(writer, "write the header");
    return flush(writer);
}

static pcs_result_writer *new_writer(pcs_context *ctx, const pcs_model *model,
                                     const pcs_result_def *def)
{
    pcs_result_writer *writer = PCS_NEW(ctx, pcs_result_writer);
    if (!writer)
        return NULL;
    writer->ctx = ctx;
    writer->path = pcs_strdup(ctx, def->path);
    writer->part = pcs_output_part_name(ctx, def->path);
    writer->dimension = pcs_model_dimension(model);
    writer->objects[PCS_OWNER_NONE] = 1;
    writer->objects[PCS_OWNER_BODY] = pcs_model_place_count(model); // pictures need the points
    writer->objects[PCS_OWNER_JOINT] = pcs_model_joint_count(model);
    writer->objects[PCS_OWNER_CONTACT] = pcs_model_contact_count(model);
    writer->objects[PCS_OWNER_INPUT] = pcs_model_input_count(model);
    writer->objects[PCS_OWNER_COORDINATE] = model->coordinate_names.count;
    writer->objects[PCS_OWNER_CONSTRAINT] = model->constraint_names.count;
    pcs_result_count_meshes(model, writer->objects);
    writer->flush_interval = def->flush_interval;
    writer->opened = pcs_timer_now();
    writer->driver = writer->file = H5I_INVALID_HID;
    pcs_event_store_init(&writer->events);
    for (int k = 0; k < PCS_QUANTITY_COUNT; k++)
        writer->dataset[k] = H5I_INVALID_HID;
    if (writer->path && writer->part)
        return writer;
    free_writer(writer);
    return NULL;
}

pcs_status pcs_result_create(pcs_context *ctx, const pcs_simulation *simulation,
                             const pcs_result_def *def, pcs_result_writer **out)
{
    *out = NULL;
    if (!(def->flush_interval >= 0))
        return pcs_error(ctx, PCS_ERROR_ARGUMENT, "flush_interval must not be negative, but is %g",
                         def->flush_interval);
    PCS_TRY(pcs_result_check_target(ctx, def->path));
    const pcs_model *model = pcs_simulation_model(simulation);
    pcs_result_writer *writer = new_writer(ctx, model, def);
    if (!writer)
        return PCS_ERROR_MEMORY;
    pcs_hdf5_enter(&writer->guard);
    pcs_status status = open_and_fill(writer, simulation, def);
    pcs_hdf5_leave(&writer->guard);
    if (status >= 0)
        *out = writer;
    else
        pcs_result_abandon(writer);
    return status;
}

static pcs_status earlier_failure(const pcs_result_writer *writer)
{
    return pcs_error(writer->ctx, PCS_ERROR_IO, "%s: an earlier write failed", writer->part);
}

pcs_status pcs_result_append(pcs_result_writer *writer, const pcs_simulation *simulation)
{
    if (writer->failed)
        return earlier_failure(writer);
    pcs_hdf5_enter(&writer->guard);
    pcs_status status = append(writer, simulation);
    pcs_hdf5_leave(&writer->guard);
    return status;
}

pcs_status pcs_result_note(pcs_result_writer *writer, const pcs_simulation *simulation)
{
    if (writer->failed)
        return earlier_failure(writer);
    const bool late = (writer->buffered > 0 || writer->events.gathered > 0) && is_due(writer);
    if (writer->events.next == pcs_simulation_event_count(simulation) && !late)
        return PCS_OK; // as after most steps
    pcs_hdf5_enter(&writer->guard);
    pcs_status status = take_events(writer, simulation);
    if (status >= 0 && late)
        status = flush(writer);
    pcs_hdf5_leave(&writer->guard);
    return status;
}

pcs_status pcs_result_close(pcs_result_writer *writer, const pcs_simulation *simulation,
                            bool complete)
{
    pcs_status status = PCS_OK;
    pcs_hdf5_enter(&writer->guard);
    if (writer->failed)
        status = pcs_error(writer->ctx, PCS_ERROR_IO,
                           "%s: an earlier write failed; the file holds what was written before",
                           writer->part);
    else
        status = finish(writer, simulation, complete);
    if (!close_file(writer) && status >= 0)
        status = cannot(writer, "write the result");
    pcs_hdf5_leave(&writer->guard);
    if (status >= 0)
        status = pcs_output_publish(writer->ctx, writer->part, writer->path);
    free_writer(writer);
    return status;
}

void pcs_result_abandon(pcs_result_writer *writer)
{
    if (!writer)
        return;
    // Only a file that this writer created is removed; another one may belong to another run.
    bool created = writer->file >= 0;
    pcs_hdf5_enter(&writer->guard);
    close_file(writer);
    pcs_hdf5_leave(&writer->guard);
    if (created)
        unlink(writer->part);
    free_writer(writer);
}
