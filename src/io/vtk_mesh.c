#include "io/vtk_mesh.h"

#include <math.h>

#include "geometry/tessellate.h"
#include "math/rotation.h"

// Parts of the size of the scene: half length of joint glyphs, depth of planes in planar models,
// radius of torsion springs; and of the present length of a coil: its radius. Turns of the latter.
static const double GLYPH = 0.02, PLANAR_DEPTH = 0.1, SPIRAL = 0.03, COIL_RADIUS = 0.06;
enum { COIL_TURNS = 8, COIL_POINTS_IN_TURN = 12, SPIRAL_TURNS = 2 };

typedef struct builder {
    pcs_context *ctx;
    const pcs_vtk_mesh_def *def;
    pcs_vtk_mesh *mesh;
    bool ok;
    pcs_vtk_source source;
} builder;

// ---- Parts ----

static void begin_piece(builder *b, const pcs_drawing *d, bool span)
{
    pcs_vtk_piece piece = {.first = b->mesh->points.count, .a = d->a, .b = d->b, .span = span};
    b->source = (pcs_vtk_source){.body = d->a.body,
                                 .object = d->object,
                                 .owner = (uint8_t)d->owner,
                                 .kind = (uint8_t)d->kind};
    b->ok = b->ok && PCS_PUSH(b->ctx, &b->mesh->pieces, piece);
}

static void add_point(builder *b, double x, double y, double z)
{
    b->ok = b->ok && PCS_PUSH(b->ctx, &b->mesh->points, pcs_v3(x, y, z));
    if (b->ok)
        b->mesh->pieces.data[b->mesh->pieces.count - 1].count++;
}

static void add_corner(builder *b, pcs_vtk_cell_kind kind, int32_t point)
{
    b->ok = b->ok && PCS_PUSH(b->ctx, &b->mesh->cells[kind].points, point);
}

static void end_cell(builder *b, pcs_vtk_cell_kind kind)
{
    pcs_vtk_cells *cells = &b->mesh->cells[kind];
    b->ok = b->ok && PCS_PUSH(b->ctx, &cells->ends, cells->points.count) &&
            PCS_PUSH(b->ctx, &b->mesh->sources[kind], b->source);
}

// One line through the last `count` points.
static void end_line(builder *b, int32_t count, bool closed)
{
    int32_t first = b->mesh->points.count - count;
    for (int32_t i = 0; i < count; i++)
        add_corner(b, PCS_VTK_LINES, first + i);
    if (closed)
        add_corner(b, PCS_VTK_LINES, first);
    end_cell(b, PCS_VTK_LINES);
}

static void add_segment(builder *b, pcs_vec3 from, pcs_vec3 to)
{
    add_point(b, from.x, from.y, from.z);
    add_point(b, to.x, to.y, to.z);
    end_line(b, 2, false);
}

static void add_triangles(builder *b, const pcs_triangles *triangles)
{
    int32_t first = b->mesh->points.count;
    for (int32_t i = 0; i < triangles->points.count; i++) {
        pcs_vec3 p = triangles->points.data[i];
        add_point(b, p.x, p.y, p.z);
    }
    for (int32_t i = 0; i < triangles->corners.count; i++) {
        add_corner(b, PCS_VTK_POLYGONS, first + triangles->corners.data[i]);
        if (i % 3 == 2)
            end_cell(b, PCS_VTK_POLYGONS);
    }
}

// ---- Surfaces ----

static pcs_status draw_shape(builder *b, const pcs_drawing *d)
{
    pcs_triangles triangles = {0};
    pcs_status status = pcs_tessellate_shape(b->ctx, (pcs_shape_kind)d->kind, d->size,
                                             b->def->segments, &triangles);
    if (status >= 0) {
        begin_piece(b, d, false);
        add_triangles(b, &triangles);
    }
    pcs_triangles_free(b->ctx, &triangles);
    return status;
}

// Range of the scene along an axis of frame a; a frame on a body has the size of the bodies.
static void project_extent(const builder *b, const pcs_frame *a, pcs_vec3 axis, double *center,
                           double *half)
{
    const pcs_vtk_extent *e = &b->def->extent;
    *center = 0;
    *half = e->reach > 0 ? e->reach : 0.1 * e->size;
    if (a->body != PCS_GROUND || a->node > 0)
        return;
    pcs_vec3 direction = pcs_quat_rotate(a->rotation, axis), middle, edge;
    middle = pcs_v3_scale(0.5, pcs_v3_add(e->lo, e->hi));
    edge = pcs_v3_scale(0.5, pcs_v3_sub(e->hi, e->lo));
    *center = pcs_v3_dot(direction, pcs_v3_sub(middle, a->position));
    *half = fabs(direction.x) * edge.x + fabs(direction.y) * edge.y + fabs(direction.z) * edge.z;
    *half += 0.1 * e->size; // ground is seen around the bodies
}

static pcs_status draw_plane(builder *b, const pcs_drawing *d)
{
    const bool planar = b->def->dimension == 2;
    pcs_triangles triangles = {0};
    pcs_vec2 center = {0, 0}, half = {d->size.x, d->size.y};
    if (half.x == 0)
        project_extent(b, &d->a, pcs_v3(1, 0, 0), &center.x, &half.x);
    if (planar)
        half.y = PLANAR_DEPTH * b->def->extent.size;
    else if (half.y == 0)
        project_extent(b, &d->a, pcs_v3(0, 1, 0), &center.y, &half.y);
    pcs_status status = pcs_tessellate_patch(b->ctx, center, half, &triangles);
    // A planar model's plane is the x axis with normal y: turn z to y about x.
    for (int32_t i = 0; planar && i < triangles.points.count; i++) {
        pcs_vec3 p = triangles.points.data[i];
        triangles.points.data[i] = pcs_v3(p.x, 0, -p.y);
    }
    if (status >= 0) {
        begin_piece(b, d, false);
        add_triangles(b, &triangles);
    }
    pcs_triangles_free(b->ctx, &triangles);
    return status;
}

static void draw_point(builder *b, const pcs_drawing *d)
{
    begin_piece(b, d, false);
    add_point(b, 0, 0, 0);
    add_corner(b, PCS_VTK_VERTICES, b->mesh->points.count - 1);
    end_cell(b, PCS_VTK_VERTICES);
}

pcs_status pcs_vtk_mesh_bodies(pcs_context *ctx, const pcs_result *result,
                               const pcs_vtk_mesh_def *def, pcs_vtk_mesh *mesh)
{
    enum { NOT_DRAWN, STAND_IN, OWN_SHAPE };
    builder b = {.ctx = ctx, .def = def, .mesh = mesh, .ok = true};
    uint8_t *drawn = PCS_NEW_ARRAY(ctx, uint8_t, def->n_bodies);
    pcs_status status = drawn ? PCS_OK : PCS_ERROR_MEMORY;
    // Shapes of the bodies come first in the list; the geometry of a contact stands in for a body
    // that has none.
    for (int32_t i = 0; status >= 0 && i < pcs_result_drawing_count(result); i++) {
        const pcs_drawing *d = pcs_result_drawing(result, i);
        const bool own = d->owner == PCS_DRAWING_OF_BODY;
        const int32_t body = d->a.body;
        if (d->kind == PCS_DRAWING_PLANE)
            status = draw_plane(&b, d);
        if (d->kind > PCS_DRAWING_ROD || (!own && body >= 0 && drawn[body] == OWN_SHAPE))
            continue;
        status = draw_shape(&b, d);
        if (body >= 0)
            drawn[body] = own ? OWN_SHAPE : STAND_IN;
    }
    for (int32_t i = 0; status >= 0 && i < def->n_bodies; i++) {
        pcs_frame frame = {i, {0, 0, 0}, pcs_quat_identity(), 0};
        pcs_drawing d = {.kind = PCS_DRAWING_POINT,
                         .owner = PCS_DRAWING_OF_BODY,
                         .object = i,
                         .a = frame,
                         .b = frame};
        if (drawn[i] == NOT_DRAWN)
            draw_point(&b, &d);
    }
    pcs_free(ctx, drawn);
    return status < 0 ? status : b.ok ? PCS_OK : PCS_ERROR_MEMORY;
}

// ---- Lines ----

static void draw_circle(builder *b, const pcs_drawing *d)
{
    const int32_t n = 2 * b->def->segments;
    begin_piece(b, d, false);
    for (int32_t i = 0; i < n; i++) {
        double angle = 2 * PCS_PI * i / n;
        add_point(b, d->size.x * cos(angle), d->size.x * sin(angle), 0);
    }
    end_line(b, n, true);
}

static void draw_polyline(builder *b, const pcs_drawing *d)
{
    begin_piece(b, d, false);
    for (int32_t i = 0; i < d->n_vertices; i++)
        add_point(b, d->vertices[i].x, d->vertices[i].y, 0);
    if (d->n_vertices > 0)
        end_line(b, d->n_vertices, d->closed);
}

static void draw_guide(builder *b, const pcs_drawing *d)
{
    double center, half;
    project_extent(b, &d->a, pcs_v3(1, 0, 0), &center, &half);
    begin_piece(b, d, false);
    for (int side = -1; side <= 1; side += 2)
        add_segment(b, pcs_v3(center - half, side * d->size.y / 2, 0),
                    pcs_v3(center + half, side * d->size.y / 2, 0));
}

static void draw_span(builder *b, const pcs_drawing *d)
{
    begin_piece(b, d, true);
    add_segment(b, pcs_v3(0, 0, 0), pcs_v3(1, 0, 0));
}

// The axes of frame a, and the way from its origin to that of b.
static void draw_joint(builder *b, const pcs_drawing *d)
{
    const double g = GLYPH * b->def->extent.size;
    begin_piece(b, d, false);
    add_segment(b, pcs_v3(-g, 0, 0), pcs_v3(g, 0, 0));
    add_segment(b, pcs_v3(0, -g, 0), pcs_v3(0, g, 0));
    if (b->def->dimension == 3)
        add_segment(b, pcs_v3(0, 0, -g), pcs_v3(0, 0, g));
    draw_span(b, d);
}

static void draw_coil(builder *b, const pcs_drawing *d)
{
    enum { POINTS = COIL_TURNS * COIL_POINTS_IN_TURN + 1 };
    const double ends = 0.1; // straight at both ends
    begin_piece(b, d, true);
    add_point(b, 0, 0, 0);
    for (int i = 0; i < POINTS; i++) {
        double part = (double)i / (POINTS - 1), angle = 2 * PCS_PI * COIL_TURNS * part;
        add_point(b, ends + (1 - 2 * ends) * part, COIL_RADIUS * sin(angle),
                  b->def->dimension == 3 ? COIL_RADIUS * (cos(angle) - 1) : 0);
    }
    add_point(b, 1, 0, 0);
    end_line(b, POINTS + 2, false);
}

static void draw_spiral(builder *b, const pcs_drawing *d)
{
    enum { POINTS = SPIRAL_TURNS * 24 + 1 };
    const double radius = SPIRAL * b->def->extent.size;
    begin_piece(b, d, false);
    for (int i = 0; i < POINTS; i++) {
        double part = (double)i / (POINTS - 1), angle = 2 * PCS_PI * SPIRAL_TURNS * part;
        add_point(b, part * radius * cos(angle), part * radius * sin(angle), 0);
    }
    end_line(b, POINTS, false);
}

pcs_status pcs_vtk_mesh_lines(pcs_context *ctx, const pcs_result *result,
                              const pcs_vtk_mesh_def *def, pcs_vtk_mesh *mesh)
{
    static void (*const draw[PCS_DRAWING_KIND_COUNT])(builder *, const pcs_drawing *) = {
        [PCS_DRAWING_HOLE] = draw_circle,       [PCS_DRAWING_POINT] = draw_point,
        [PCS_DRAWING_POLYLINE] = draw_polyline, [PCS_DRAWING_GUIDE] = draw_guide,
        [PCS_DRAWING_JOINT] = draw_joint,       [PCS_DRAWING_LINK] = draw_span,
        [PCS_DRAWING_SPRING] = draw_coil,       [PCS_DRAWING_TORSION] = draw_spiral,
    };
    builder b = {.ctx = ctx, .def = def, .mesh = mesh, .ok = true};
    for (int32_t i = 0; b.ok && i < pcs_result_drawing_count(result); i++) {
        const pcs_drawing *d = pcs_result_drawing(result, i);
        if ((int)d->kind >= 0 && d->kind < PCS_DRAWING_KIND_COUNT && draw[d->kind])
            draw[d->kind](&b, d);
    }
    return b.ok ? PCS_OK : PCS_ERROR_MEMORY;
}

void pcs_vtk_mesh_free(pcs_context *ctx, pcs_vtk_mesh *mesh)
{
    PCS_ARRAY_FREE(ctx, &mesh->points);
    PCS_ARRAY_FREE(ctx, &mesh->pieces);
    for (int k = 0; k < PCS_VTK_CELL_KIND_COUNT; k++) {
        PCS_ARRAY_FREE(ctx, &mesh->cells[k].points);
        PCS_ARRAY_FREE(ctx, &mesh->cells[k].ends);
        PCS_ARRAY_FREE(ctx, &mesh->sources[k]);
    }
}

// ---- Frames ----

int32_t pcs_vtk_mesh_cell_count(const pcs_vtk_mesh *mesh)
{
    int32_t count = 0;
    for (int k = 0; k < PCS_VTK_CELL_KIND_COUNT; k++)
        count += mesh->sources[k].count;
    return count;
}

const pcs_vtk_source *pcs_vtk_mesh_source(const pcs_vtk_mesh *mesh, int32_t cell)
{
    int k = 0;
    while (cell >= mesh->sources[k].count)
        cell -= mesh->sources[k++].count;
    return &mesh->sources[k].data[cell];
}

static pcs_vec3 to_world(const pcs_frame *at, const pcs_vtk_frame *frame, pcs_vec3 p)
{
    p = pcs_v3_add(at->position, pcs_quat_rotate(at->rotation, p));
    if (at->node > 0)
        return pcs_v3_add(pcs_v3_load(frame->node_position + 3 * (at->node - 1)),
                          pcs_quat_rotate(frame->node_rotation[at->node - 1], p));
    if (at->body == PCS_GROUND)
        return p;
    return pcs_v3_add(pcs_v3_load(frame->position + 3 * at->body),
                      pcs_quat_rotate(frame->rotation[at->body], p));
}

// Points between two origins: x along the line that joins them, y and z across, all in parts of its
// length.
static pcs_vec3 along(pcs_vec3 from, pcs_vec3 to, pcs_vec3 p)
{
    pcs_vec3 x = pcs_v3_sub(to, from), y, z;
    double length = pcs_v3_norm(x);
    if (!(length > 0))
        return from;
    pcs_vec3 direction = pcs_v3_scale(1 / length, x);
    // Across: in the x-y plane where there is such a direction.
    pcs_vec3 up = fabs(direction.z) < 0.999 ? pcs_v3(0, 0, 1) : pcs_v3(0, 1, 0);
    y = pcs_v3_cross(up, direction);
    y = pcs_v3_scale(length / pcs_v3_norm(y), y);
    z = pcs_v3_cross(direction, y);
    return pcs_v3_axpy(pcs_v3_axpy(pcs_v3_axpy(from, p.x, x), p.y, y), p.z, z);
}

void pcs_vtk_mesh_place(const pcs_vtk_mesh *mesh, const pcs_vtk_frame *frame, float *points)
{
    const pcs_vec3 origin = {0, 0, 0};
    for (int32_t i = 0; i < mesh->pieces.count; i++) {
        const pcs_vtk_piece *piece = &mesh->pieces.data[i];
        pcs_vec3 from = to_world(&piece->a, frame, origin), to = to_world(&piece->b, frame, origin);
        for (int32_t k = piece->first; k < piece->first + piece->count; k++) {
            pcs_vec3 p = mesh->points.data[k];
            p = piece->span ? along(from, to, p) : to_world(&piece->a, frame, p);
            points[3 * k] = (float)p.x;
            points[3 * k + 1] = (float)p.y;
            points[3 * k + 2] = (float)p.z;
        }
    }
}
