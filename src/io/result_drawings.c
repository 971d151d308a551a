#include "io/result_drawings.h"

#include <string.h>

#include "base/array.h"
#include "io/hdf5_record.h"
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
    int32_t node_a, node_b; // from 1 on; 0: none, as in older files
} drawing_row;

// ---- Types ----

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

#define SHAPE(field) #field, HOFFSET(shape_row, field)
#define DRAWING(field) #field, HOFFSET(drawing_row, field)

static const pcs_hdf5_member shape_members[] = {
    {SHAPE(body), 1, false, NULL},    {SHAPE(kind), 1, false, shape_kind},
    {SHAPE(size), 3, true, NULL},     {SHAPE(position), 3, true, NULL},
    {SHAPE(rotation), 4, true, NULL},
};
static const pcs_hdf5_member drawing_members[] = {
    {DRAWING(kind), 1, false, drawing_kind}, {DRAWING(owner), 1, false, drawing_owner},
    {DRAWING(object), 1, false, NULL},       {DRAWING(joint_kind), 1, false, joint_kind},
    {DRAWING(closed), 1, false, NULL},       {DRAWING(body_a), 1, false, NULL},
    {DRAWING(position_a), 3, true, NULL},    {DRAWING(rotation_a), 4, true, NULL},
    {DRAWING(body_b), 1, false, NULL},       {DRAWING(position_b), 3, true, NULL},
    {DRAWING(rotation_b), 4, true, NULL},    {DRAWING(size), 3, true, NULL},
    {DRAWING(first_vertex), 1, false, NULL}, {DRAWING(n_vertices), 1, false, NULL},
    {DRAWING(node_a), 1, false, NULL},       {DRAWING(node_b), 1, false, NULL},
};
enum {
    SHAPE_MEMBERS = sizeof shape_members / sizeof *shape_members,
    DRAWING_MEMBERS = sizeof drawing_members / sizeof *drawing_members
};

static hid_t shape_type(bool with_names)
{
    return pcs_hdf5_record_type(shape_members, SHAPE_MEMBERS, sizeof(shape_row), with_names);
}

static hid_t drawing_type(bool with_names)
{
    return pcs_hdf5_record_type(drawing_members, DRAWING_MEMBERS, sizeof(drawing_row), with_names);
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

static pcs_frame get_frame(int32_t body, const double position[3], const double rotation[4],
                           int32_t node)
{
    return (pcs_frame){body,
                       {position[0], position[1], position[2]},
                       {rotation[0], rotation[1], rotation[2], rotation[3]},
                       node};
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
    int32_t first_node; // of meshes in the model
    PCS_ARRAY(drawing_row) rows;
    PCS_ARRAY(const char *) names;
    PCS_ARRAY(pcs_vec2) vertices;
} gathering;

// Number of a node among those of all meshes, from 1 on; 0: the frame is on a body.
static int32_t node_number(const gathering *g, const pcs_frame *frame)
{
    return frame->node > 0 ? frame->node - g->first_node : 0;
}

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
                       .n_vertices = drawing->n_vertices,
                       .node_a = node_number(g, &drawing->a),
                       .node_b = node_number(g, &drawing->b)};
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
    gathering g = {.ctx = ctx, .first_node = pcs_model_body_count(model)};
    pcs_status status = pcs_model_draw(model, gather, &g);
    if (status >= 0)
        status = put_gathered(file, &g);
    PCS_ARRAY_FREE(ctx, &g.rows);
    PCS_ARRAY_FREE(ctx, &g.names);
    PCS_ARRAY_FREE(ctx, &g.vertices);
    return status;
}

// ---- Reading ----

static bool is_body(int32_t body, int32_t n_bodies)
{
    return body >= PCS_GROUND && body < n_bodies;
}

// The row as a drawing. False if it makes no sense.
static bool make_drawing(const drawing_row *row, const pcs_drawing_counts *n, int32_t n_vertices,
                         const pcs_drawing_list *list, pcs_drawing *d)
{
    *d = (pcs_drawing){.kind = (pcs_drawing_kind)row->kind,
                       .owner = (pcs_drawing_owner)row->owner,
                       .object = row->object,
                       .joint_kind = (pcs_joint_kind)row->joint_kind,
                       .closed = row->closed != 0,
                       .a = get_frame(row->body_a, row->position_a, row->rotation_a, row->node_a),
                       .b = get_frame(row->body_b, row->position_b, row->rotation_b, row->node_b),
                       .size = {row->size[0], row->size[1], row->size[2]},
                       .n_vertices = row->n_vertices};
    if (row->n_vertices > 0)
        d->vertices = list->vertices + row->first_vertex;
    return is_body(row->body_a, n->bodies) && is_body(row->body_b, n->bodies) && row->node_a >= 0 &&
           row->node_a <= n->nodes && row->node_b >= 0 && row->node_b <= n->nodes &&
           row->n_vertices >= 0 && row->first_vertex >= 0 &&
           (int64_t)row->first_vertex + row->n_vertices <= n_vertices;
}

static bool is_known(const drawing_row *row)
{
    return drawing_kind(row->kind) && drawing_owner(row->owner) && joint_kind(row->joint_kind);
}

static pcs_status fill_list(pcs_context *ctx, const drawing_row *rows, int32_t count,
                            const pcs_drawing_counts *n, int32_t n_vertices, size_t name_size,
                            pcs_drawing_list *list)
{
    list->items = PCS_NEW_ARRAY(ctx, pcs_drawing, count);
    if (!list->items)
        return PCS_ERROR_MEMORY;
    for (int32_t i = 0; i < count; i++) {
        pcs_drawing *d = &list->items[list->count];
        if (!is_known(&rows[i]))
            continue;
        if (!make_drawing(&rows[i], n, n_vertices, list, d))
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

static pcs_status read_drawings(pcs_context *ctx, hid_t file, const pcs_drawing_counts *n,
                                pcs_drawing_list *list)
{
    hid_t type = drawing_type(false);
    int32_t count = 0, n_vertices = 0;
    size_t name_size = 0;
    void *rows = NULL, *vertices = NULL;
    pcs_status status = pcs_hdf5_read_rows(ctx, file, PCS_RESULT_DRAWING_ITEMS, 1, type, &count,
                                           &rows);
    if (status >= 0)
        status = read_names(ctx, file, count, list, &name_size);
    if (status >= 0)
        status = pcs_hdf5_read_rows(ctx, file, PCS_RESULT_DRAWING_VERTICES, 2, H5T_NATIVE_DOUBLE,
                                    &n_vertices, &vertices);
    list->vertices = vertices;
    if (status >= 0)
        status = fill_list(ctx, rows, count, n, n_vertices, name_size, list);
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
    pcs_status status = pcs_hdf5_read_rows(ctx, file, PCS_RESULT_BODY_SHAPES, 1, type, &count,
                                           &data);
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
        d->a = d->b = get_frame(rows[i].body, rows[i].position, rows[i].rotation, 0);
        d->size = (pcs_vec3){rows[i].size[0], rows[i].size[1], rows[i].size[2]};
    }
    pcs_free(ctx, data);
    pcs_hdf5_close(type);
    return status;
}

pcs_status pcs_result_read_drawings(pcs_context *ctx, hid_t file, const pcs_drawing_counts *n,
                                    pcs_body_name_fn body_name, const void *user,
                                    pcs_drawing_list *list)
{
    *list = (pcs_drawing_list){0};
    pcs_status status = PCS_OK;
    if (pcs_hdf5_has_object(file, PCS_RESULT_DRAWING_ITEMS))
        status = read_drawings(ctx, file, n, list);
    else if (pcs_hdf5_has_object(file, PCS_RESULT_BODY_SHAPES))
        status = read_shapes(ctx, file, n->bodies, body_name, user, list);
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
