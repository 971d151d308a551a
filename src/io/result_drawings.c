#include "io/result_drawings.h"

#include <string.h>

#include "base/array.h"
#include "io/result_layout.h"

typedef struct shape_row {
    int32_t body;
    int32_t kind; // pcs_shape_kind
    double size[3];
    double position[3];
    double rotation[4];
} shape_row;

typedef struct drawing_row {
    int32_t kind, owner, object, joint_kind, closed;
    int32_t body_a;
    double position_a[3], rotation_a[4];
    int32_t body_b;
    double position_b[3], rotation_b[4];
    double size[3];
    int32_t first_vertex, n_vertices;
} drawing_row;

// ---- Types ----

typedef const char *(*name_fn)(int32_t value);

static const char *shape_kind(int32_t value)
{
    return pcs_shape_kind_name((pcs_shape_kind)value);
}

static const char *drawing_kind(int32_t value)
{
    return pcs_drawing_kind_name((pcs_drawing_kind)value);
}

static const char *drawing_owner(int32_t value)
{
    return pcs_drawing_owner_name((pcs_drawing_owner)value);
}

static const char *joint_kind(int32_t value)
{
    return pcs_joint_kind_name((pcs_joint_kind)value);
}

// A member of a table: one number (`length` 1) or several; a whole number may have names.
typedef struct member {
    const char *name;
    size_t offset;
    hsize_t length;
    bool is_real;
    name_fn names; // NULL: none
} member;

#define SHAPE(field) #field, HOFFSET(shape_row, field)
#define DRAWING(field) #field, HOFFSET(drawing_row, field)

static const member shape_members[] = {
    {SHAPE(body), 1, false, NULL},    {SHAPE(kind), 1, false, shape_kind},
    {SHAPE(size), 3, true, NULL},     {SHAPE(position), 3, true, NULL},
    {SHAPE(rotation), 4, true, NULL},
};
static const member drawing_members[] = {
    {DRAWING(kind), 1, false, drawing_kind}, {DRAWING(owner), 1, false, drawing_owner},
    {DRAWING(object), 1, false, NULL},       {DRAWING(joint_kind), 1, false, joint_kind},
    {DRAWING(closed), 1, false, NULL},       {DRAWING(body_a), 1, false, NULL},
    {DRAWING(position_a), 3, true, NULL},    {DRAWING(rotation_a), 4, true, NULL},
    {DRAWING(body_b), 1, false, NULL},       {DRAWING(position_b), 3, true, NULL},
    {DRAWING(rotation_b), 4, true, NULL},    {DRAWING(size), 3, true, NULL},
    {DRAWING(first_vertex), 1, false, NULL}, {DRAWING(n_vertices), 1, false, NULL},
};
enum {
    SHAPE_MEMBERS = sizeof shape_members / sizeof *shape_members,
    DRAWING_MEMBERS = sizeof drawing_members / sizeof *drawing_members
};

static hid_t enumeration(name_fn names)
{
    hid_t type = H5Tenum_create(H5T_NATIVE_INT32);
    const char *name;
    bool ok = type >= 0;
    for (int32_t k = 0; ok && (name = names(k)); k++)
        ok = H5Tenum_insert(type, name, &k) >= 0;
    if (ok)
        return type;
    pcs_hdf5_close(type);
    return H5I_INVALID_HID;
}

static bool insert_member(hid_t table, const member *m, bool with_names)
{
    hid_t number = m->is_real ? H5T_NATIVE_DOUBLE : H5T_NATIVE_INT32;
    hid_t own = H5I_INVALID_HID;
    if (m->names && with_names)
        own = enumeration(m->names);
    else if (m->length > 1)
        own = H5Tarray_create2(number, 1, &m->length);
    bool has_own = (m->names && with_names) || m->length > 1;
    bool ok = (!has_own || own >= 0) &&
              H5Tinsert(table, m->name, m->offset, has_own ? own : number) >= 0;
    pcs_hdf5_close(own);
    return ok;
}

// The compound type of a table. Files have the kinds as named enumerations; in memory they are plain
// numbers, so that a kind which only a newer program knows can be read and left out.
static hid_t table_type(const member *members, int count, size_t size, bool with_names)
{
    hid_t type = H5Tcreate(H5T_COMPOUND, size);
    bool ok = type >= 0;
    for (int i = 0; ok && i < count; i++)
        ok = insert_member(type, &members[i], with_names);
    if (ok)
        return type;
    pcs_hdf5_close(type);
    return H5I_INVALID_HID;
}

static hid_t shape_type(bool with_names)
{
    return table_type(shape_members, SHAPE_MEMBERS, sizeof(shape_row), with_names);
}

static hid_t drawing_type(bool with_names)
{
    return table_type(drawing_members, DRAWING_MEMBERS, sizeof(drawing_row), with_names);
}

// ---- Vectors to rows and back ----

static void put_vector(double to[3], pcs_vec3 v)
{
    to[0] = v.x;
    to[1] = v.y;
    to[2] = v.z;
}

static void put_rotation(double to[4], pcs_quat q)
{
    to[0] = q.w;
    to[1] = q.x;
    to[2] = q.y;
    to[3] = q.z;
}

static pcs_frame get_frame(int32_t body, const double position[3], const double rotation[4])
{
    return (pcs_frame){body,
                       {position[0], position[1], position[2]},
                       {rotation[0], rotation[1], rotation[2], rotation[3]},
                       0};
}

// ---- Writing ----

pcs_status pcs_result_put_shapes(pcs_context *ctx, hid_t file, const pcs_model *model)
{
    hsize_t count = 0;
    const pcs_shape_def *shapes = NULL;
    int32_t bodies = pcs_model_body_count(model);
    for (int32_t b = 0; b < bodies; b++)
        count += (hsize_t)pcs_model_body_shapes(model, b, &shapes);
    shape_row *rows = PCS_NEW_ARRAY(ctx, shape_row, count);
    if (!rows)
        return PCS_ERROR_MEMORY;
    shape_row *row = rows;
    for (int32_t b = 0; b < bodies; b++) {
        int32_t n = pcs_model_body_shapes(model, b, &shapes);
        for (int32_t i = 0; i < n; i++, row++) {
            row->body = b;
            row->kind = (int32_t)shapes[i].kind;
            put_vector(row->size, shapes[i].size);
            put_vector(row->position, shapes[i].position);
            put_rotation(row->rotation, shapes[i].rotation);
        }
    }
    hid_t type = shape_type(true);
    bool ok = type >= 0 && pcs_hdf5_put_table(file, PCS_RESULT_BODY_SHAPES, type, 1, &count, rows);
    pcs_hdf5_close(type);
    pcs_free(ctx, rows);
    return ok ? PCS_OK : PCS_ERROR_IO;
}

// What the walk over the model gathers.
typedef struct gathering {
    pcs_context *ctx;
    PCS_ARRAY(drawing_row) rows;
    PCS_ARRAY(const char *) names;
    PCS_ARRAY(pcs_vec2) vertices;
} gathering;

static pcs_status gather(void *user, const pcs_drawing *drawing)
{
    gathering *g = user;
    drawing_row row = {.kind = (int32_t)drawing->kind,
                       .owner = (int32_t)drawing->owner,
                       .object = drawing->object,
                       .joint_kind = (int32_t)drawing->joint_kind,
                       .closed = drawing->closed,
                       .body_a = drawing->a.body,
                       .body_b = drawing->b.body,
                       .first_vertex = g->vertices.count,
                       .n_vertices = drawing->n_vertices};
    put_vector(row.position_a, drawing->a.position);
    put_rotation(row.rotation_a, drawing->a.rotation);
    put_vector(row.position_b, drawing->b.position);
    put_rotation(row.rotation_b, drawing->b.rotation);
    put_vector(row.size, drawing->size);
    for (int32_t i = 0; i < drawing->n_vertices; i++) {
        if (!PCS_PUSH(g->ctx, &g->vertices, drawing->vertices[i]))
            return PCS_ERROR_MEMORY;
    }
    bool ok = PCS_PUSH(g->ctx, &g->rows, row) && PCS_PUSH(g->ctx, &g->names, drawing->name);
    return ok ? PCS_OK : PCS_ERROR_MEMORY;
}

static pcs_status put_gathered(hid_t file, const gathering *g)
{
    const hsize_t rows = (hsize_t)g->rows.count, vertices[2] = {(hsize_t)g->vertices.count, 2};
    hid_t type = drawing_type(true);
    bool ok = type >= 0 && pcs_hdf5_create_group(file, PCS_RESULT_DRAWING) &&
              pcs_hdf5_put_table(file, PCS_RESULT_DRAWING_ITEMS, type, 1, &rows, g->rows.data) &&
              pcs_hdf5_put_table(file, PCS_RESULT_DRAWING_VERTICES, H5T_NATIVE_DOUBLE, 2, vertices,
                                 g->vertices.data);
    pcs_hdf5_close(type);
    if (!ok)
        return PCS_ERROR_IO;
    return pcs_hdf5_put_names(g->ctx, file, PCS_RESULT_DRAWING_NAMES, g->names.data, g->names.count,
                              1);
}

pcs_status pcs_result_put_drawings(pcs_context *ctx, hid_t file, const pcs_model *model)
{
    gathering g = {.ctx = ctx};
    pcs_status status = pcs_model_draw(model, gather, &g);
    if (status >= 0)
        status = put_gathered(file, &g);
    PCS_ARRAY_FREE(ctx, &g.rows);
    PCS_ARRAY_FREE(ctx, &g.names);
    PCS_ARRAY_FREE(ctx, &g.vertices);
    return status;
}

// ---- Reading ----

// All rows of a dataset as an array of `type`; *data is to be freed. PCS_ERROR_INPUT if it is
// missing, has another shape or cannot be read.
static pcs_status read_rows(pcs_context *ctx, hid_t file, const char *path, int32_t columns,
                            hid_t type, int32_t *count, void **data)
{
    hsize_t extent[3] = {0, 1, 1};
    *data = NULL;
    *count = 0;
    if (type < 0)
        return PCS_ERROR_INPUT;
    hid_t dataset = pcs_hdf5_open_dataset(file, path, columns > 1 ? 2 : 1, extent);
    if (dataset < 0)
        return PCS_ERROR_INPUT;
    pcs_status status = PCS_ERROR_INPUT;
    if (extent[0] <= INT32_MAX && extent[1] == (hsize_t)columns) {
        *data = pcs_calloc(ctx, (size_t)(extent[0] * extent[1]), H5Tget_size(type));
        status = *data ? PCS_OK : PCS_ERROR_MEMORY;
        if (*data && extent[0] > 0 &&
            H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, *data) < 0)
            status = PCS_ERROR_INPUT;
        *count = status >= 0 ? (int32_t)extent[0] : 0;
    }
    pcs_hdf5_close(dataset);
    return status;
}

static bool is_body(int32_t body, int32_t n_bodies)
{
    return body >= PCS_GROUND && body < n_bodies;
}

// The row as a drawing. False if it makes no sense.
static bool make_drawing(const drawing_row *row, int32_t n_bodies, int32_t n_vertices,
                         const pcs_drawing_list *list, pcs_drawing *d)
{
    *d = (pcs_drawing){.kind = (pcs_drawing_kind)row->kind,
                       .owner = (pcs_drawing_owner)row->owner,
                       .object = row->object,
                       .joint_kind = (pcs_joint_kind)row->joint_kind,
                       .closed = row->closed != 0,
                       .a = get_frame(row->body_a, row->position_a, row->rotation_a),
                       .b = get_frame(row->body_b, row->position_b, row->rotation_b),
                       .size = {row->size[0], row->size[1], row->size[2]},
                       .n_vertices = row->n_vertices};
    if (row->n_vertices > 0)
        d->vertices = list->vertices + row->first_vertex;
    return is_body(row->body_a, n_bodies) && is_body(row->body_b, n_bodies) &&
           row->n_vertices >= 0 && row->first_vertex >= 0 &&
           (int64_t)row->first_vertex + row->n_vertices <= n_vertices;
}

static bool is_known(const drawing_row *row)
{
    return drawing_kind(row->kind) && drawing_owner(row->owner) && joint_kind(row->joint_kind);
}

static pcs_status fill_list(pcs_context *ctx, const drawing_row *rows, int32_t count,
                            int32_t n_bodies, int32_t n_vertices, size_t name_size,
                            pcs_drawing_list *list)
{
    list->items = PCS_NEW_ARRAY(ctx, pcs_drawing, count);
    if (!list->items)
        return PCS_ERROR_MEMORY;
    for (int32_t i = 0; i < count; i++) {
        pcs_drawing *d = &list->items[list->count];
        if (!is_known(&rows[i]))
            continue;
        if (!make_drawing(&rows[i], n_bodies, n_vertices, list, d))
            return PCS_ERROR_INPUT;
        d->name = list->names + (size_t)i * name_size;
        list->count++;
    }
    return PCS_OK;
}

static pcs_status read_names(pcs_context *ctx, hid_t file, int32_t count, pcs_drawing_list *list,
                             size_t *size)
{
    hsize_t extent[3] = {0, 0, 0};
    hid_t dataset = pcs_hdf5_open_dataset(file, PCS_RESULT_DRAWING_NAMES, 1, extent);
    if (dataset < 0)
        return PCS_ERROR_INPUT;
    pcs_status status = PCS_ERROR_INPUT;
    if (extent[0] == (hsize_t)count)
        status = pcs_hdf5_read_texts(ctx, dataset, count, &list->names, size);
    pcs_hdf5_close(dataset);
    return status;
}

static pcs_status read_drawings(pcs_context *ctx, hid_t file, int32_t n_bodies,
                                pcs_drawing_list *list)
{
    hid_t type = drawing_type(false);
    int32_t count = 0, n_vertices = 0;
    size_t name_size = 0;
    void *rows = NULL, *vertices = NULL;
    pcs_status status = read_rows(ctx, file, PCS_RESULT_DRAWING_ITEMS, 1, type, &count, &rows);
    if (status >= 0)
        status = read_names(ctx, file, count, list, &name_size);
    if (status >= 0)
        status = read_rows(ctx, file, PCS_RESULT_DRAWING_VERTICES, 2, H5T_NATIVE_DOUBLE,
                           &n_vertices, &vertices);
    list->vertices = vertices;
    if (status >= 0)
        status = fill_list(ctx, rows, count, n_bodies, n_vertices, name_size, list);
    pcs_free(ctx, rows);
    pcs_hdf5_close(type);
    return status;
}

static pcs_status read_shapes(pcs_context *ctx, hid_t file, int32_t n_bodies,
                              pcs_body_name_fn body_name, const void *user, pcs_drawing_list *list)
{
    hid_t type = shape_type(false);
    int32_t count = 0;
    void *data = NULL;
    pcs_status status = read_rows(ctx, file, PCS_RESULT_BODY_SHAPES, 1, type, &count, &data);
    const shape_row *rows = data;
    if (status >= 0)
        list->items = PCS_NEW_ARRAY(ctx, pcs_drawing, count);
    if (status >= 0 && !list->items)
        status = PCS_ERROR_MEMORY;
    for (int32_t i = 0; status >= 0 && i < count; i++) {
        if (rows[i].body < 0 || rows[i].body >= n_bodies || !shape_kind(rows[i].kind)) {
            status = PCS_ERROR_INPUT;
            break;
        }
        pcs_drawing *d = &list->items[list->count++];
        d->kind = (pcs_drawing_kind)rows[i].kind; // the first drawing kinds are those of shapes
        d->owner = PCS_DRAWING_OF_BODY;
        d->object = rows[i].body;
        d->name = body_name(user, rows[i].body);
        d->a = d->b = get_frame(rows[i].body, rows[i].position, rows[i].rotation);
        d->size = (pcs_vec3){rows[i].size[0], rows[i].size[1], rows[i].size[2]};
    }
    pcs_free(ctx, data);
    pcs_hdf5_close(type);
    return status;
}

pcs_status pcs_result_read_drawings(pcs_context *ctx, hid_t file, int32_t n_bodies,
                                    pcs_body_name_fn body_name, const void *user,
                                    pcs_drawing_list *list)
{
    *list = (pcs_drawing_list){0};
    pcs_status status = PCS_OK;
    if (pcs_hdf5_has_object(file, PCS_RESULT_DRAWING_ITEMS))
        status = read_drawings(ctx, file, n_bodies, list);
    else if (pcs_hdf5_has_object(file, PCS_RESULT_BODY_SHAPES))
        status = read_shapes(ctx, file, n_bodies, body_name, user, list);
    if (status < 0)
        pcs_drawing_list_free(ctx, list);
    return status;
}

void pcs_drawing_list_free(pcs_context *ctx, pcs_drawing_list *list)
{
    pcs_free(ctx, list->items);
    pcs_free(ctx, list->names);
    pcs_free(ctx, list->vertices);
    *list = (pcs_drawing_list){0};
}
