// Blocks and lines.
//
// A brick is cut into six tetrahedra around its diagonal from (0,0,0) to (1,1,1), one for each
// order in which a walk along the edges takes x, y and z (Kuhn's subdivision [Freudenthal1942]).
// Opposite faces are cut along the same diagonal, so that neighbouring bricks fit without
// alternation.
#include "geometry/mesh_generate.h"

#include <math.h>

#include "math/vector.h"

static pcs_status check_count(pcs_context *ctx, double n_nodes, double n_cells)
{
    if (n_nodes > PCS_MESH_NODES_MAX || n_cells > PCS_MESH_CELLS_MAX)
        return pcs_error(ctx, PCS_ERROR_INPUT,
                         "divisions: %.4g nodes and %.4g elements are too many (at most %d and "
                         "%d); use fewer divisions",
                         n_nodes, n_cells, PCS_MESH_NODES_MAX, PCS_MESH_CELLS_MAX);
    return PCS_OK;
}

static pcs_status check_divisions(pcs_context *ctx, int64_t divisions)
{
    if (divisions >= 1)
        return PCS_OK;
    return pcs_error(ctx, PCS_ERROR_INPUT, "divisions: %lld; at least 1 is needed",
                     (long long)divisions);
}

// ---- Block ----

typedef struct grid {
    int32_t n[3]; // bricks along x, y, z
} grid;

static int32_t grid_node(const grid *g, int32_t i, int32_t j, int32_t k)
{
    return i + (g->n[0] + 1) * (j + (g->n[1] + 1) * k);
}

static pcs_status add_block_nodes(pcs_mesh_data *data, const pcs_block_def *def, const grid *g)
{
    for (int32_t k = 0; k <= g->n[2]; k++) {
        for (int32_t j = 0; j <= g->n[1]; j++) {
            for (int32_t i = 0; i <= g->n[0]; i++) {
                // symmetric to the last bit about the centre
                pcs_vec3 x = {def->size.x * (2 * i - g->n[0]) / (2.0 * g->n[0]),
                              def->size.y * (2 * j - g->n[1]) / (2.0 * g->n[1]),
                              def->size.z * (2 * k - g->n[2]) / (2.0 * g->n[2])};
                if (!PCS_PUSH(data->ctx, &data->nodes, x))
                    return PCS_ERROR_MEMORY;
            }
        }
    }
    return PCS_OK;
}

// Corners of a brick in the order of a hexahedron.
static void brick_corners(const grid *g, int32_t i, int32_t j, int32_t k, int32_t corner[8])
{
    static const int32_t step[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                       {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
    for (int c = 0; c < 8; c++)
        corner[c] = grid_node(g, i + step[c][0], j + step[c][1], k + step[c][2]);
}

static pcs_status add_brick(pcs_mesh_data *data, pcs_cell_kind kind, const int32_t corner[8])
{
    // From corner 0 to corner 6 in the orders xyz, yzx, zxy, and with the last two exchanged xzy,
    // ...
    static const int32_t tetrahedra[6][4] = {{0, 1, 2, 6}, {0, 3, 7, 6}, {0, 4, 5, 6},
                                             {0, 5, 1, 6}, {0, 2, 3, 6}, {0, 7, 4, 6}};
    if (kind == PCS_CELL_HEXAHEDRON) {
        pcs_mesh_cell cell = {.kind = kind};
        for (int c = 0; c < 8; c++)
            cell.nodes[c] = corner[c];
        return PCS_PUSH(data->ctx, &data->cells, cell) ? PCS_OK : PCS_ERROR_MEMORY;
    }
    for (int t = 0; t < 6; t++) {
        pcs_mesh_cell cell = {.kind = kind};
        for (int c = 0; c < 4; c++)
            cell.nodes[c] = corner[tetrahedra[t][c]];
        if (!PCS_PUSH(data->ctx, &data->cells, cell))
            return PCS_ERROR_MEMORY;
    }
    return PCS_OK;
}

static pcs_status add_block_cells(pcs_mesh_data *data, pcs_cell_kind kind, const grid *g)
{
    for (int32_t k = 0; k < g->n[2]; k++) {
        for (int32_t j = 0; j < g->n[1]; j++) {
            for (int32_t i = 0; i < g->n[0]; i++) {
                int32_t corner[8];
                brick_corners(g, i, j, k, corner);
                PCS_TRY(add_brick(data, kind, corner));
            }
        }
    }
    return PCS_OK;
}

// The side of the block that a node's grid place (i, j, k) is on.
static bool on_side(const grid *g, int32_t node, int32_t side)
{
    const int32_t axis = side / 2, nx = g->n[0] + 1, ny = g->n[1] + 1;
    const int32_t place[3] = {node % nx, node / nx % ny, node / nx / ny};
    return place[axis] == (side % 2 == 0 ? 0 : g->n[axis]);
}

static pcs_status add_side(pcs_mesh_data *data, const grid *g, const pcs_mesh_faces *boundary,
                           int32_t side)
{
    static const char *const names[6] = {"x_min", "x_max", "y_min", "y_max", "z_min", "z_max"};
    int32_t index;
    PCS_TRY(pcs_mesh_data_get_group(data, names[side], &index));
    pcs_mesh_data_group *group = &data->groups.data[index];
    for (int32_t i = 0; i < data->nodes.count; i++) {
        if (on_side(g, i, side) && !PCS_PUSH(data->ctx, &group->nodes, i))
            return PCS_ERROR_MEMORY;
    }
    for (int32_t f = 0; f < boundary->count; f++) {
        const pcs_mesh_face *face = &boundary->data[f];
        bool inside = true;
        for (int k = 0; k < PCS_FACE_NODES_MAX; k++)
            inside = inside && (face->nodes[k] < 0 || on_side(g, face->nodes[k], side));
        if (inside && !PCS_PUSH(data->ctx, &group->faces, *face))
            return PCS_ERROR_MEMORY;
    }
    return PCS_OK;
}

pcs_status pcs_mesh_generate_block(pcs_mesh_data *data, const pcs_block_def *def)
{
    const double size[3] = {def->size.x, def->size.y, def->size.z};
    double n_nodes = 1, n_cells = def->kind == PCS_CELL_HEXAHEDRON ? 1 : 6;
    grid g;
    for (int k = 0; k < 3; k++) {
        PCS_TRY(check_divisions(data->ctx, def->divisions[k]));
        if (!(size[k] > 0) || !isfinite(size[k]))
            return pcs_error(data->ctx, PCS_ERROR_INPUT,
                             "size: the edges of a block must be greater than 0, but one is %g",
                             size[k]);
        n_nodes *= (double)def->divisions[k] + 1;
        n_cells *= (double)def->divisions[k];
    }
    PCS_TRY(check_count(data->ctx, n_nodes, n_cells));
    for (int k = 0; k < 3; k++)
        g.n[k] = (int32_t)def->divisions[k];
    PCS_TRY(add_block_nodes(data, def, &g));
    PCS_TRY(add_block_cells(data, def->kind, &g));
    pcs_mesh_faces boundary = {0};
    pcs_status status = pcs_mesh_data_boundary(data, &boundary);
    for (int32_t side = 0; side < 6 && status >= 0; side++)
        status = add_side(data, &g, &boundary, side);
    PCS_ARRAY_FREE(data->ctx, &boundary);
    return status;
}

// ---- Lines ----

// Points between `from` (without it) and `to`, n steps.
static pcs_status add_straight(pcs_mesh_data *data, pcs_vec3 from, pcs_vec3 to, int32_t n)
{
    for (int32_t i = 1; i <= n; i++) {
        double s = (double)i / n;
        pcs_vec3 x = i == n ? to : pcs_v3_axpy(pcs_v3_scale(1 - s, from), s, to);
        if (!PCS_PUSH(data->ctx, &data->nodes, x))
            return PCS_ERROR_MEMORY;
    }
    return PCS_OK;
}

// The arc from a over b to c: centre m, x(phi) = m + u cos phi + w sin phi with u = a - m. The
// angle at c follows from that at b, which lies before it.
static pcs_status add_arc(pcs_mesh_data *data, const pcs_vec3 p[3], int32_t n)
{
    pcs_vec3 ab = pcs_v3_sub(p[1], p[0]), ac = pcs_v3_sub(p[2], p[0]);
    pcs_vec3 normal = pcs_v3_cross(ab, ac);
    double area2 = pcs_v3_dot(normal, normal);
    double scale = pcs_v3_dot(ab, ab) * pcs_v3_dot(ac, ac);
    if (!(area2 > 1e-18 * scale))
        return pcs_error(data->ctx, PCS_ERROR_INPUT,
                         "through: the three points of the arc lie on a straight line; leave "
                         "'through' out");
    // centre of the circle through three points
    pcs_vec3 toward = pcs_v3_axpy(pcs_v3_scale(pcs_v3_dot(ac, ac), pcs_v3_cross(normal, ab)),
                                  pcs_v3_dot(ab, ab), pcs_v3_cross(ac, normal));
    pcs_vec3 m = pcs_v3_axpy(p[0], 1 / (2 * area2), toward);
    pcs_vec3 u = pcs_v3_sub(p[0], m);
    pcs_vec3 w = pcs_v3_scale(1 / sqrt(area2), pcs_v3_cross(normal, u));
    // counterclockwise about the normal a, b, c follow each other, so that c's angle is in (0, 2
    // pi)
    pcs_vec3 last = pcs_v3_sub(p[2], m);
    double angle = atan2(pcs_v3_dot(last, w), pcs_v3_dot(last, u));
    if (angle <= 0)
        angle += 2 * acos(-1.0);
    for (int32_t i = 1; i <= n; i++) {
        double phi = angle * i / n;
        pcs_vec3 x = pcs_v3_axpy(pcs_v3_axpy(m, cos(phi), u), sin(phi), w);
        if (!PCS_PUSH(data->ctx, &data->nodes, i == n ? p[2] : x))
            return PCS_ERROR_MEMORY;
    }
    return PCS_OK;
}

static pcs_status add_line_nodes(pcs_mesh_data *data, const pcs_line_def *def, int32_t n_segments)
{
    if (!PCS_PUSH(data->ctx, &data->nodes, def->points[0]))
        return PCS_ERROR_MEMORY;
    if (def->arc)
        return add_arc(data, def->points, (int32_t)def->divisions[0]);
    for (int32_t s = 0; s < n_segments; s++) {
        pcs_vec3 from = def->points[s], to = def->points[(s + 1) % def->n_points];
        if (!(pcs_v3_norm(pcs_v3_sub(to, from)) > 0))
            return pcs_error(data->ctx, PCS_ERROR_INPUT,
                             "points %d and %d of the line are the same; leave one of them out", s,
                             (s + 1) % def->n_points);
        PCS_TRY(add_straight(data, from, to, (int32_t)def->divisions[s]));
    }
    if (def->closed)
        data->nodes.count--; // the first point again
    return PCS_OK;
}

static pcs_status add_end(pcs_mesh_data *data, const char *name, int32_t node)
{
    int32_t index;
    PCS_TRY(pcs_mesh_data_get_group(data, name, &index));
    return PCS_PUSH(data->ctx, &data->groups.data[index].nodes, node) ? PCS_OK : PCS_ERROR_MEMORY;
}

pcs_status pcs_mesh_generate_line(pcs_mesh_data *data, const pcs_line_def *def)
{
    if (def->n_points < 2 || (def->closed && def->n_points < 3))
        return pcs_error(data->ctx, PCS_ERROR_INPUT, "points: a %s needs at least %d",
                         def->closed ? "closed line" : "line", def->closed ? 3 : 2);
    const int32_t n_segments = def->arc ? 1 : def->n_points - (def->closed ? 0 : 1);
    double n_cells = 0;
    for (int32_t s = 0; s < n_segments; s++) {
        PCS_TRY(check_divisions(data->ctx, def->divisions[s]));
        n_cells += (double)def->divisions[s];
    }
    PCS_TRY(check_count(data->ctx, n_cells + 1, n_cells));
    PCS_TRY(add_line_nodes(data, def, n_segments));
    for (int32_t c = 0; c < (int32_t)n_cells; c++) {
        pcs_mesh_cell cell = {.kind = PCS_CELL_LINE, .nodes = {c, (c + 1) % data->nodes.count}};
        if (!PCS_PUSH(data->ctx, &data->cells, cell))
            return PCS_ERROR_MEMORY;
    }
    if (def->closed)
        return PCS_OK;
    PCS_TRY(add_end(data, "start", 0));
    return add_end(data, "end", data->nodes.count - 1);
}
