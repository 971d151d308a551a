// Drawings of a stored run, from the model text in the result. A result of a model that was built
// by calls has no such text; then the table of shapes serves, without joints, springs and contacts.
#include "io/result_shapes.h"

#include <string.h>

#include "io/hdf5_file.h"
#include "io/model_file.h"
#include "io/result_blocks.h"

typedef struct collector {
    pcs_context *ctx;
    pcs_scene *scene;
} collector;

static pcs_status collect(void *user, const pcs_drawing *drawing)
{
    collector *to = user;
    return PCS_PUSH(to->ctx, &to->scene->drawings, *drawing) ? PCS_OK : PCS_ERROR_MEMORY;
}

// The stored text must give the bodies that the frames have.
static bool fits(const pcs_model *model, const pcs_result *result)
{
    int32_t count = pcs_result_object_count(result, PCS_OWNER_BODY);
    if (pcs_model_body_count(model) != count ||
        pcs_model_dimension(model) != pcs_result_dimension(result))
        return false;
    for (int32_t i = 0; i < count; i++)
        if (strcmp(pcs_model_body_name(model, i),
                   pcs_result_object_name(result, PCS_OWNER_BODY, i)) != 0)
            return false;
    return true;
}

// PCS_ERROR_INPUT or PCS_ERROR_MODEL if the result has no usable text.
static pcs_status read_model(pcs_context *ctx, pcs_result *result, pcs_scene *scene)
{
    const char *text = pcs_result_model_text(result);
    if (!text || !*text)
        return PCS_ERROR_INPUT;
    PCS_TRY(pcs_model_file_read_memory(ctx, pcs_result_path(result), text, strlen(text), NULL, 0,
                                       &scene->file));
    const pcs_model *model = pcs_model_file_model(scene->file);
    collector to = {ctx, scene};
    return fits(model, result) ? pcs_model_draw(model, collect, &to) : PCS_ERROR_INPUT;
}

// ---- The table of shapes ----

static hid_t create_row_type(void)
{
    const hsize_t three = 3, four = 4;
    hid_t vector = H5Tarray_create2(H5T_NATIVE_DOUBLE, 1, &three);
    hid_t quaternion = H5Tarray_create2(H5T_NATIVE_DOUBLE, 1, &four);
    hid_t type = H5Tcreate(H5T_COMPOUND, sizeof(pcs_shape_row));
    bool ok = vector >= 0 && quaternion >= 0 && type >= 0 &&
              H5Tinsert(type, "body", HOFFSET(pcs_shape_row, body), H5T_NATIVE_INT32) >= 0 &&
              H5Tinsert(type, "size", HOFFSET(pcs_shape_row, size), vector) >= 0 &&
              H5Tinsert(type, "position", HOFFSET(pcs_shape_row, position), vector) >= 0 &&
              H5Tinsert(type, "rotation", HOFFSET(pcs_shape_row, rotation), quaternion) >= 0;
    pcs_hdf5_close(vector);
    pcs_hdf5_close(quaternion);
    if (ok)
        return type;
    pcs_hdf5_close(type);
    return H5I_INVALID_HID;
}

// The kinds are an enumeration in the file; they are read by its own numbers.
static bool read_kinds(hid_t dataset, int32_t *kinds)
{
    hid_t stored = H5Dget_type(dataset);
    int member = stored >= 0 ? H5Tget_member_index(stored, "kind") : -1;
    hid_t kind = member >= 0 ? H5Tget_member_type(stored, (unsigned)member) : H5I_INVALID_HID;
    hid_t native = kind >= 0 ? H5Tget_native_type(kind, H5T_DIR_DEFAULT) : H5I_INVALID_HID;
    hid_t type = native >= 0 && H5Tget_size(native) == sizeof *kinds
                     ? H5Tcreate(H5T_COMPOUND, sizeof *kinds)
                     : H5I_INVALID_HID;
    bool ok = type >= 0 && H5Tinsert(type, "kind", 0, native) >= 0 &&
              H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, kinds) >= 0;
    pcs_hdf5_close(type);
    pcs_hdf5_close(native);
    pcs_hdf5_close(kind);
    pcs_hdf5_close(stored);
    return ok;
}

static pcs_status add_row(pcs_context *ctx, const pcs_result *result, const pcs_shape_row *row,
                          int32_t kind, pcs_scene *scene)
{
    bool good = pcs_shape_kind_name((pcs_shape_kind)kind) && row->body >= 0 &&
                row->body < pcs_result_object_count(result, PCS_OWNER_BODY);
    for (int k = 0; k < 3; k++)
        good = good && row->size[k] >= 0 && row->size[k] < 1e30;
    if (!good)
        return pcs_error(ctx, PCS_ERROR_INPUT, "%s: damaged result: a shape makes no sense",
                         pcs_result_path(result));
    const double *p = row->position, *r = row->rotation;
    pcs_drawing drawing = {.kind = (pcs_drawing_kind)kind,
                           .owner = PCS_DRAWING_OF_BODY,
                           .object = row->body,
                           .name = pcs_result_object_name(result, PCS_OWNER_BODY, row->body),
                           .a = {row->body, {p[0], p[1], p[2]}, {r[0], r[1], r[2], r[3]}},
                           .size = {row->size[0], row->size[1], row->size[2]}};
    drawing.b = drawing.a;
    return PCS_PUSH(ctx, &scene->drawings, drawing) ? PCS_OK : PCS_ERROR_MEMORY;
}

static pcs_status read_rows(pcs_context *ctx, pcs_result *result, hid_t dataset, pcs_scene *scene)
{
    hid_t space = H5Dget_space(dataset), type = create_row_type();
    hssize_t count = space >= 0 ? H5Sget_simple_extent_npoints(space) : -1;
    pcs_status status = PCS_ERROR_INPUT;
    if (type >= 0 && count >= 0 && count < INT32_MAX) {
        pcs_shape_row *rows = PCS_NEW_ARRAY(ctx, pcs_shape_row, count);
        int32_t *kinds = PCS_NEW_ARRAY(ctx, int32_t, count);
        status = rows && kinds ? PCS_OK : PCS_ERROR_MEMORY;
        if (status >= 0 && count > 0 &&
            (H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, rows) < 0 ||
             !read_kinds(dataset, kinds)))
            status = pcs_error(ctx, PCS_ERROR_INPUT, "%s: damaged result: no shapes can be read",
                               pcs_result_path(result));
        for (hssize_t i = 0; status >= 0 && i < count; i++)
            status = add_row(ctx, result, &rows[i], kinds[i], scene);
        pcs_free(ctx, kinds);
        pcs_free(ctx, rows);
    }
    pcs_hdf5_close(type);
    pcs_hdf5_close(space);
    return status;
}

static pcs_status read_table(pcs_context *ctx, pcs_result *result, pcs_scene *scene)
{
    pcs_hdf5_guard guard = {0};
    pcs_status status = PCS_OK; // a result without the table has bodies without shapes
    pcs_hdf5_enter(&guard);
    hid_t file = pcs_result_hdf5(result);
    if (H5Lexists(file, "/body", H5P_DEFAULT) > 0 &&
        H5Lexists(file, PCS_RESULT_BODY_SHAPES, H5P_DEFAULT) > 0) {
        hid_t dataset = H5Dopen2(file, PCS_RESULT_BODY_SHAPES, H5P_DEFAULT);
        status = dataset >= 0
                     ? read_rows(ctx, result, dataset, scene)
                     : pcs_hdf5_error(ctx, &guard, pcs_result_path(result), "read the shapes");
        pcs_hdf5_close(dataset);
    }
    pcs_hdf5_leave(&guard);
    return status;
}

pcs_status pcs_scene_read(pcs_context *ctx, pcs_result *result, pcs_scene *scene)
{
    *scene = (pcs_scene){0};
    pcs_status status = read_model(ctx, result, scene);
    if (status >= 0 || status == PCS_ERROR_MEMORY)
        return status;
    pcs_scene_free(ctx, scene);
    return read_table(ctx, result, scene);
}

void pcs_scene_free(pcs_context *ctx, pcs_scene *scene)
{
    PCS_ARRAY_FREE(ctx, &scene->drawings);
    pcs_model_file_destroy(scene->file);
    scene->file = NULL;
}
