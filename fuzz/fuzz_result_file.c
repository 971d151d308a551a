// libFuzzer target: the bytes edit the structure of a right result file (support/hdf5_edit.h), and
// everything that can be read of it is read, drawn into a page and exported. Whatever it is, each call
// ends with what was asked for or with one line of error text; memory and HDF5 identifiers are given
// back.
#include <hdf5.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "percuss/io.h"
#include "support/checks.h"
#include "support/hdf5_edit.h"
#include "support/small_models.h"

enum { MODELS = 2, FRAMES = 8, PATH_SIZE = 256, NUMBERS_MOST = 1 << 20 };

// ---- Right files ----

static fuzz_image store_run(const char *text)
{
    pcs_context *ctx = pcs_context_create(NULL);
    pcs_model_file *file = fuzz_read_model(ctx, text);
    pcs_simulation *s = fuzz_simulate(ctx, file, "moreau-jean", 0);
    pcs_result_writer *writer = NULL;
    pcs_result_def def = pcs_result_default();
    def.path = fuzz_path("run.h5");
    def.title = "a run";
    def.model_text = text;
    fuzz_require(pcs_result_create(ctx, s, &def, &writer) >= 0, "no result", ctx);
    for (int i = 0; i < FRAMES; i++)
        fuzz_require(pcs_result_append(writer, s) >= 0 && pcs_simulation_step(s) >= 0, "no frame",
                     ctx);
    fuzz_require(pcs_result_close(writer, s, true) >= 0, "the result is not closed", ctx);
    pcs_simulation_destroy(s);
    pcs_model_file_destroy(file);
    fuzz_end(ctx);
    return fuzz_image_of_file(fuzz_path("run.h5"));
}

static const fuzz_image *right_file(int model)
{
    static fuzz_image image[MODELS];
    for (int i = 0; i < MODELS && !image[i].bytes; i++)
        image[i] = store_run(fuzz_small_model(i));
    return &image[model];
}

// ---- Reading ----

static void see(pcs_status status, const pcs_context *ctx)
{
    if (status < 0)
        fuzz_check_error(ctx);
}

static void read_signals(pcs_context *ctx, pcs_result *result)
{
    char path[PATH_SIZE];
    const int64_t frames = pcs_result_frames(result);
    double *values = frames <= NUMBERS_MOST ? malloc(((size_t)frames + 1) * sizeof *values) : NULL;
    fuzz_require(frames >= 0, "a negative number of frames", ctx);
    for (int32_t i = 0; values && pcs_result_signal_path(result, i, path, sizeof path); i++) {
        see(pcs_result_signal(result, path, values), ctx);
        (void)pcs_result_signal_unit(result, i);
    }
    free(values);
}

static void read_quantities(pcs_context *ctx, pcs_result *result)
{
    static const char *const names[] = {"body/position", "contact/impulse",  "mesh/position",
                                        "mesh/result",   "joint/coordinate", "time"};
    const int64_t frames = pcs_result_frames(result);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const int64_t width = pcs_result_width(result, names[i]);
        if (width <= 0 || frames > NUMBERS_MOST / width)
            continue;
        double *values = malloc((size_t)(frames * width) * sizeof *values + 1);
        if (values)
            see(pcs_result_read(result, names[i], (pcs_frame_range){0, frames, 1}, values), ctx);
        free(values);
    }
    const int64_t events = pcs_result_event_count(result);
    pcs_event *event = events <= NUMBERS_MOST ? malloc(((size_t)events + 1) * sizeof *event) : NULL;
    if (event)
        see(pcs_result_events(result, 0, events, event), ctx);
    free(event);
}

static size_t length_of(const char *text)
{
    return text ? strlen(text) : 0;
}

static void read_names(const pcs_context *ctx, const pcs_result *result)
{
    size_t n = length_of(pcs_result_title(result)) + length_of(pcs_result_command(result)) +
               length_of(pcs_result_version(result)) + length_of(pcs_result_model_text(result)) +
               length_of(pcs_result_warning(result));
    for (int32_t i = 0; i < pcs_result_body_count(result); i++)
        n += length_of(pcs_result_body_name(result, i));
    for (int32_t i = 0; i < pcs_result_joint_count(result); i++)
        n += length_of(pcs_result_joint_name(result, i));
    for (int32_t i = 0; i < pcs_result_contact_count(result); i++)
        n += length_of(pcs_result_contact_name(result, i));
    for (int32_t i = 0; i < pcs_result_drawing_count(result); i++) {
        const pcs_drawing *d = pcs_result_drawing(result, i);
        n += length_of(d->name);
        fuzz_require(pcs_drawing_kind_name(d->kind) != NULL, "an unknown drawing", ctx);
        for (int32_t k = 0; k < d->n_vertices; k++)
            n += (size_t)isnan(d->vertices[k].x);
    }
    fuzz_require(n < SIZE_MAX, "", ctx);
}

static void read_meshes(const pcs_context *ctx, const pcs_result *result)
{
    int64_t sum = 0, first = 0;
    for (int32_t m = 0; m < pcs_result_mesh_count(result); m++) {
        const pcs_result_mesh_view mesh = pcs_result_mesh(result, m);
        for (int32_t i = 0; i < mesh.n_nodes; i++)
            sum += isnan(mesh.start[i].x);
        for (int32_t p = 0; p < mesh.n_parts; p++) {
            const pcs_mesh_part_view part = pcs_result_mesh_part(result, m, p, &first);
            sum += (int64_t)length_of(part.name);
        }
        for (int32_t g = 0; g < mesh.n_groups; g++) {
            const pcs_mesh_group_view group = pcs_result_mesh_group(result, m, g);
            for (int32_t i = 0; i < group.n_nodes; i++)
                fuzz_require(group.nodes[i] >= 0 && group.nodes[i] < mesh.n_nodes, "a node", ctx);
        }
    }
    fuzz_require(sum < INT64_MAX, "", ctx);
}

static void read_all(pcs_context *ctx, pcs_result *result, fuzz_choices *c)
{
    read_names(ctx, result);
    read_meshes(ctx, result);
    read_signals(ctx, result);
    read_quantities(ctx, result);
    const void *bytes;
    size_t size;
    see(pcs_result_checkpoint(result, &bytes, &size), ctx);
    const char *name = "run.h5";
    const int more = fuzz_pick(c, 16);
    if (more == 15)
        see(pcs_report_write(ctx, &result, &name, 1, fuzz_path("page.html")), ctx);
    pcs_vtk_opts opts = pcs_vtk_default();
    opts.every = FRAMES / 2;
    opts.segments = 5;
    if (more == 14 && pcs_result_frames(result) <= 2 * FRAMES)
        see(pcs_export_vtk(ctx, result, fuzz_path("vtk"), &opts), ctx);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    // What is done beside reading stands in front, the edits behind it.
    const size_t front = size < 2 ? size : 2;
    fuzz_choices first = {data, front, 0}, edits = {data + front, size - front, 0};
    const fuzz_image *right = right_file(fuzz_pick(&first, MODELS));
    const char *path = fuzz_edit_hdf5(right, &edits);
    const ssize_t open_before = H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_ALL);
    pcs_context *ctx = pcs_context_create(NULL);
    if (!ctx)
        return 0;
    pcs_result *result = NULL;
    if (pcs_result_open(ctx, path, &result) < 0)
        fuzz_check_error(ctx);
    else
        read_all(ctx, result, &first);
    if (getenv("FUZZ_PRINT"))
        fprintf(stderr, "%s\n", pcs_context_error(ctx));
    pcs_result_destroy(result);
    fuzz_require(H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_ALL) == open_before,
                 "open HDF5 objects", ctx);
    fuzz_end(ctx);
    return 0;
}
