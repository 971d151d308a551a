// Meshes as data: measures of cells, boundary, groups.
#include "geometry/mesh_data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "math/vector.h"

// ---- Cells ----

typedef struct cell_row {
    const char *name;
    int32_t n_nodes, n_faces;
    int32_t face[PCS_CELL_FACES_MAX][PCS_FACE_NODES_MAX]; // counterclockwise seen from outside
} cell_row;

static const cell_row rows[PCS_CELL_KIND_COUNT] = {
    [PCS_CELL_LINE] = {"line", 2, 0, {{0}}},
    [PCS_CELL_TETRAHEDRON] = {"tetrahedron",
                              4,
                              4,
                              {{0, 2, 1, -1}, {0, 1, 3, -1}, {1, 2, 3, -1}, {0, 3, 2, -1}}},
    [PCS_CELL_HEXAHEDRON] =
        {"hexahedron",
         8,
         6,
         {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4}, {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}}},
};

const char *pcs_cell_kind_name(pcs_cell_kind kind)
{
    return rows[kind].name;
}

int32_t pcs_cell_node_count(pcs_cell_kind kind)
{
    return rows[kind].n_nodes;
}

int32_t pcs_cell_face_count(pcs_cell_kind kind)
{
    return rows[kind].n_faces;
}

pcs_mesh_face pcs_cell_face(const pcs_mesh_cell *cell, int32_t face)
{
    pcs_mesh_face out;
    for (int k = 0; k < PCS_FACE_NODES_MAX; k++) {
        int32_t local = rows[cell->kind].face[face][k];
        out.nodes[k] = local < 0 ? -1 : cell->nodes[local];
    }
    return out;
}

static double triple(pcs_vec3 a, pcs_vec3 b, pcs_vec3 c)
{
    return pcs_v3_dot(pcs_v3_cross(a, b), c);
}

// det dx/dxi of the trilinear map at xi in [-1, 1]^3: N_i = (1 + xi.xi_i)... / 8.
static double hexahedron_jacobian(const pcs_vec3 x[8], const double xi[3])
{
    static const double corner[8][3] = {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1},
                                        {-1, -1, 1},  {1, -1, 1},  {1, 1, 1},  {-1, 1, 1}};
    pcs_vec3 J[3] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    for (int i = 0; i < 8; i++) {
        double f[3];
        for (int k = 0; k < 3; k++)
            f[k] = 1 + xi[k] * corner[i][k];
        for (int k = 0; k < 3; k++) {
            double dN = corner[i][k] * f[(k + 1) % 3] * f[(k + 2) % 3] / 8;
            J[k] = pcs_v3_axpy(J[k], dN, x[i]);
        }
    }
    return triple(J[0], J[1], J[2]);
}

// The determinant is of degree 2 in each coordinate, so that two Gauss points integrate it exactly.
static void hexahedron_volume(const pcs_vec3 x[8], double *volume, double *smallest)
{
    const double gauss = 1 / sqrt(3.0);
    *volume = 0;
    *smallest = HUGE_VAL;
    for (int p = 0; p < 8; p++) {
        const double xi[3] = {p & 1 ? gauss : -gauss, p & 2 ? gauss : -gauss,
                              p & 4 ? gauss : -gauss};
        double det = hexahedron_jacobian(x, xi);
        *volume += det;
        *smallest = fmin(*smallest, det);
    }
}

static void measure(const pcs_mesh_data *data, const pcs_mesh_cell *cell, double *size,
                    double *quality)
{
    pcs_vec3 x[PCS_CELL_NODES_MAX];
    for (int32_t i = 0; i < rows[cell->kind].n_nodes; i++)
        x[i] = data->nodes.data[cell->nodes[i]];
    if (cell->kind == PCS_CELL_HEXAHEDRON) {
        hexahedron_volume(x, size, quality);
        return;
    }
    *quality = cell->kind == PCS_CELL_LINE
                   ? pcs_v3_norm(pcs_v3_sub(x[1], x[0]))
                   : triple(pcs_v3_sub(x[1], x[0]), pcs_v3_sub(x[2], x[0]), pcs_v3_sub(x[3], x[0]));
    *size = cell->kind == PCS_CELL_LINE ? *quality : *quality / 6;
}

double pcs_cell_measure(const pcs_mesh_data *data, const pcs_mesh_cell *cell)
{
    double size, quality;
    measure(data, cell, &size, &quality);
    return size;
}

double pcs_cell_quality(const pcs_mesh_data *data, const pcs_mesh_cell *cell)
{
    double size, quality;
    measure(data, cell, &size, &quality);
    return quality;
}

// ---- Life and groups ----

void pcs_mesh_data_init(pcs_mesh_data *data, pcs_context *ctx)
{
    *data = (pcs_mesh_data){.ctx = ctx};
}

void pcs_mesh_data_free(pcs_mesh_data *data)
{
    for (int32_t g = 0; g < data->groups.count; g++) {
        pcs_mesh_data_group *group = &data->groups.data[g];
        pcs_free(data->ctx, group->name);
        PCS_ARRAY_FREE(data->ctx, &group->nodes);
        PCS_ARRAY_FREE(data->ctx, &group->faces);
        PCS_ARRAY_FREE(data->ctx, &group->cells);
    }
    PCS_ARRAY_FREE(data->ctx, &data->groups);
    PCS_ARRAY_FREE(data->ctx, &data->cells);
    PCS_ARRAY_FREE(data->ctx, &data->tags);
    PCS_ARRAY_FREE(data->ctx, &data->nodes);
}

pcs_mesh_data_group *pcs_mesh_data_find_group(const pcs_mesh_data *data, const char *name)
{
    for (int32_t g = 0; g < data->groups.count; g++) {
        if (strcmp(data->groups.data[g].name, name) == 0)
            return &data->groups.data[g];
    }
    return NULL;
}

pcs_status pcs_mesh_data_get_group(pcs_mesh_data *data, const char *name, int32_t *index)
{
    const pcs_mesh_data_group *found = pcs_mesh_data_find_group(data, name);
    if (found) {
        *index = (int32_t)(found - data->groups.data);
        return PCS_OK;
    }
    if (data->groups.count >= PCS_MESH_GROUPS_MAX)
        return pcs_error(data->ctx, PCS_ERROR_INPUT,
                         "more than %d groups; name only those that the model uses",
                         PCS_MESH_GROUPS_MAX);
    pcs_mesh_data_group group = {.name = pcs_strdup(data->ctx, name)};
    if (!group.name)
        return PCS_ERROR_MEMORY;
    if (!PCS_PUSH(data->ctx, &data->groups, group)) {
        pcs_free(data->ctx, group.name);
        return PCS_ERROR_MEMORY;
    }
    *index = data->groups.count - 1;
    return PCS_OK;
}

int32_t pcs_mesh_data_find_tag(const pcs_mesh_data *data, int64_t tag)
{
    if (data->tags.count == 0)
        return tag >= 0 && tag < data->nodes.count ? (int32_t)tag : -1;
    int32_t low = 0, high = data->tags.count;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (data->tags.data[middle] < tag)
            low = middle + 1;
        else
            high = middle;
    }
    return low < data->tags.count && data->tags.data[low] == tag ? low : -1;
}

int32_t pcs_mesh_data_nearest(const pcs_mesh_data *data, pcs_vec3 point)
{
    int32_t nearest = -1;
    double least = HUGE_VAL;
    for (int32_t i = 0; i < data->nodes.count; i++) {
        double distance = pcs_v3_norm(pcs_v3_sub(data->nodes.data[i], point));
        if (distance < least) {
            least = distance;
            nearest = i;
        }
    }
    return nearest;
}

// ---- Boundary ----

// A face of a cell under its sorted nodes, by which the two cells at a face find each other.
typedef struct face_key {
    int32_t sorted[PCS_FACE_NODES_MAX];
    int32_t cell, face;
} face_key;

static void sort_nodes(int32_t *nodes, int32_t n)
{
    for (int32_t i = 1; i < n; i++) {
        int32_t value = nodes[i], k = i;
        for (; k > 0 && nodes[k - 1] > value; k--)
            nodes[k] = nodes[k - 1];
        nodes[k] = value;
    }
}

static int compare_nodes(const int32_t *a, const int32_t *b, int32_t n)
{
    for (int32_t i = 0; i < n; i++) {
        if (a[i] != b[i])
            return a[i] < b[i] ? -1 : 1;
    }
    return 0;
}

static int compare_faces(const void *left, const void *right)
{
    const face_key *a = left, *b = right;
    int order = compare_nodes(a->sorted, b->sorted, PCS_FACE_NODES_MAX);
    if (order == 0)
        order = a->cell != b->cell ? (a->cell < b->cell ? -1 : 1) : a->face - b->face;
    return order;
}

typedef PCS_ARRAY(face_key) face_keys;

// The faces of the boundary in the order of their sorted nodes.
static pcs_status find_boundary(const pcs_mesh_data *data, face_keys *keys)
{
    for (int32_t c = 0; c < data->cells.count; c++) {
        const pcs_mesh_cell *cell = &data->cells.data[c];
        for (int32_t f = 0; f < rows[cell->kind].n_faces; f++) {
            pcs_mesh_face face = pcs_cell_face(cell, f);
            face_key key = {.cell = c, .face = f};
            memcpy(key.sorted, face.nodes, sizeof key.sorted);
            sort_nodes(key.sorted, PCS_FACE_NODES_MAX);
            if (!PCS_PUSH(data->ctx, keys, key))
                return PCS_ERROR_MEMORY;
        }
    }
    if (keys->count > 0)
        qsort(keys->data, (size_t)keys->count, sizeof *keys->data, compare_faces);
    int32_t kept = 0;
    for (int32_t i = 0, next; i < keys->count; i = next) {
        next = i + 1;
        while (next < keys->count && compare_nodes(keys->data[i].sorted, keys->data[next].sorted,
                                                   PCS_FACE_NODES_MAX) == 0)
            next++;
        if (next == i + 1)
            keys->data[kept++] = keys->data[i];
    }
    keys->count = kept;
    return PCS_OK;
}

static int compare_places(const void *left, const void *right)
{
    const face_key *a = left, *b = right;
    return a->cell != b->cell ? (a->cell < b->cell ? -1 : 1) : a->face - b->face;
}

pcs_status pcs_mesh_data_boundary(const pcs_mesh_data *data, pcs_mesh_faces *faces)
{
    face_keys keys = {0};
    pcs_status status = find_boundary(data, &keys);
    if (status >= 0 && keys.count > 0)
        qsort(keys.data, (size_t)keys.count, sizeof *keys.data, compare_places);
    for (int32_t i = 0; i < keys.count && status >= 0; i++) {
        pcs_mesh_face face = pcs_cell_face(&data->cells.data[keys.data[i].cell], keys.data[i].face);
        if (!PCS_PUSH(data->ctx, faces, face))
            status = PCS_ERROR_MEMORY;
    }
    PCS_ARRAY_FREE(data->ctx, &keys);
    return status;
}

static void turn_outward(const pcs_mesh_data *data, const face_keys *keys, pcs_mesh_face *face)
{
    face_key wanted = {.cell = -1};
    memcpy(wanted.sorted, face->nodes, sizeof wanted.sorted);
    sort_nodes(wanted.sorted, PCS_FACE_NODES_MAX);
    int32_t low = 0, high = keys->count;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (compare_nodes(keys->data[middle].sorted, wanted.sorted, PCS_FACE_NODES_MAX) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == keys->count ||
        compare_nodes(keys->data[low].sorted, wanted.sorted, PCS_FACE_NODES_MAX) != 0)
        return;
    *face = pcs_cell_face(&data->cells.data[keys->data[low].cell], keys->data[low].face);
}

// ---- Reduction ----

static int compare_integers(const void *left, const void *right)
{
    int32_t a = *(const int32_t *)left, b = *(const int32_t *)right;
    return a < b ? -1 : a > b;
}

// Renumbers with map (< 0: gone), sorts, and keeps each number once; returns the new count.
static int32_t renumber(int32_t *numbers, int32_t count, const int32_t *map)
{
    int32_t kept = 0, unique = 0;
    for (int32_t i = 0; i < count; i++) {
        if (map[numbers[i]] >= 0)
            numbers[kept++] = map[numbers[i]];
    }
    if (kept > 1)
        qsort(numbers, (size_t)kept, sizeof *numbers, compare_integers);
    for (int32_t i = 0; i < kept; i++) {
        if (i == 0 || numbers[i] != numbers[unique - 1])
            numbers[unique++] = numbers[i];
    }
    return unique;
}

// A cell under its sorted nodes; unused places are -1.
typedef struct cell_key {
    int32_t sorted[PCS_CELL_NODES_MAX];
    int32_t cell;
} cell_key;

static int compare_cells(const void *left, const void *right)
{
    const cell_key *a = left, *b = right;
    int order = compare_nodes(a->sorted, b->sorted, PCS_CELL_NODES_MAX);
    return order != 0 ? order : (a->cell < b->cell ? -1 : a->cell > b->cell);
}

// map[c]: the new number of cell c, that of its first twin if it has one.
static pcs_status map_twins(const pcs_mesh_data *data, int32_t *map)
{
    const int32_t n = data->cells.count;
    cell_key *keys = PCS_NEW_ARRAY(data->ctx, cell_key, n);
    if (!keys)
        return PCS_ERROR_MEMORY;
    for (int32_t c = 0; c < n; c++) {
        const pcs_mesh_cell *cell = &data->cells.data[c];
        keys[c].cell = c;
        for (int32_t i = 0; i < PCS_CELL_NODES_MAX; i++)
            keys[c].sorted[i] = i < rows[cell->kind].n_nodes ? cell->nodes[i] : -1;
        sort_nodes(keys[c].sorted, PCS_CELL_NODES_MAX);
    }
    if (n > 0)
        qsort(keys, (size_t)n, sizeof *keys, compare_cells);
    for (int32_t i = 0; i < n; i++) {
        bool twin = i > 0 &&
                    compare_nodes(keys[i].sorted, keys[i - 1].sorted, PCS_CELL_NODES_MAX) == 0;
        map[keys[i].cell] = twin ? map[keys[i - 1].cell] : keys[i].cell;
    }
    pcs_free(data->ctx, keys);
    return PCS_OK;
}

// Moves the cells with map[c] == c to the front and completes the map to their new numbers. A twin
// stands behind its first, whose number is known by then.
static void close_ranks(pcs_mesh_data *data, int32_t *map)
{
    int32_t kept = 0;
    for (int32_t c = 0; c < data->cells.count; c++) {
        if (map[c] == c) {
            data->cells.data[kept] = data->cells.data[c];
            map[c] = kept++;
        } else if (map[c] >= 0) {
            map[c] = map[map[c]];
        }
    }
    data->cells.count = kept;
    for (int32_t g = 0; g < data->groups.count; g++) {
        pcs_mesh_data_group *group = &data->groups.data[g];
        group->cells.count = renumber(group->cells.data, group->cells.count, map);
    }
}

pcs_status pcs_mesh_data_unite_cells(pcs_mesh_data *data)
{
    int32_t *map = PCS_NEW_ARRAY(data->ctx, int32_t, data->cells.count);
    if (!map)
        return PCS_ERROR_MEMORY;
    pcs_status status = map_twins(data, map);
    if (status >= 0)
        close_ranks(data, map);
    pcs_free(data->ctx, map);
    return status;
}

static void reduce_nodes(pcs_mesh_data *data, int32_t *map)
{
    for (int32_t i = 0; i < data->nodes.count; i++)
        map[i] = -1;
    for (int32_t c = 0; c < data->cells.count; c++) {
        const pcs_mesh_cell *cell = &data->cells.data[c];
        for (int32_t k = 0; k < rows[cell->kind].n_nodes; k++)
            map[cell->nodes[k]] = 0;
    }
    int32_t kept = 0;
    for (int32_t i = 0; i < data->nodes.count; i++) {
        if (map[i] < 0)
            continue;
        data->nodes.data[kept] = data->nodes.data[i];
        if (data->tags.count > 0)
            data->tags.data[kept] = data->tags.data[i];
        map[i] = kept++;
    }
    data->nodes.count = kept;
    if (data->tags.count > 0)
        data->tags.count = kept;
    for (int32_t c = 0; c < data->cells.count; c++) {
        pcs_mesh_cell *cell = &data->cells.data[c];
        for (int32_t k = 0; k < rows[cell->kind].n_nodes; k++)
            cell->nodes[k] = map[cell->nodes[k]];
    }
}

static int compare_group_faces(const void *left, const void *right)
{
    return compare_nodes(((const pcs_mesh_face *)left)->nodes,
                         ((const pcs_mesh_face *)right)->nodes, PCS_FACE_NODES_MAX);
}

static void reduce_faces(const pcs_mesh_data *data, const int32_t *map, const face_keys *keys,
                         pcs_mesh_faces *faces)
{
    int32_t kept = 0, unique = 0;
    for (int32_t f = 0; f < faces->count; f++) {
        pcs_mesh_face face = faces->data[f];
        bool whole = true;
        for (int k = 0; k < PCS_FACE_NODES_MAX; k++) {
            face.nodes[k] = face.nodes[k] < 0 ? -1 : map[face.nodes[k]];
            whole = whole && (face.nodes[k] >= 0 || k == 3);
        }
        if (!whole || (faces->data[f].nodes[3] >= 0 && face.nodes[3] < 0))
            continue;
        turn_outward(data, keys, &face);
        faces->data[kept++] = face;
    }
    if (kept > 1)
        qsort(faces->data, (size_t)kept, sizeof *faces->data, compare_group_faces);
    for (int32_t f = 0; f < kept; f++) {
        if (f == 0 || compare_group_faces(&faces->data[f], &faces->data[unique - 1]) != 0)
            faces->data[unique++] = faces->data[f];
    }
    faces->count = unique;
}

static pcs_status reduce_groups(pcs_mesh_data *data, const int32_t *map)
{
    face_keys keys = {0};
    pcs_status status = find_boundary(data, &keys);
    for (int32_t g = 0; g < data->groups.count && status >= 0; g++) {
        pcs_mesh_data_group *group = &data->groups.data[g];
        group->nodes.count = renumber(group->nodes.data, group->nodes.count, map);
        reduce_faces(data, map, &keys, &group->faces);
    }
    PCS_ARRAY_FREE(data->ctx, &keys);
    return status;
}

pcs_status pcs_mesh_data_reduce(pcs_mesh_data *data, const bool *keep)
{
    int32_t *cells = PCS_NEW_ARRAY(data->ctx, int32_t, data->cells.count);
    int32_t *nodes = PCS_NEW_ARRAY(data->ctx, int32_t, data->nodes.count);
    pcs_status status = cells && nodes ? PCS_OK : PCS_ERROR_MEMORY;
    if (status >= 0) {
        for (int32_t c = 0; c < data->cells.count; c++)
            cells[c] = !keep || keep[c] ? c : -1;
        close_ranks(data, cells);
        reduce_nodes(data, nodes);
        status = reduce_groups(data, nodes);
    }
    pcs_free(data->ctx, nodes);
    pcs_free(data->ctx, cells);
    return status;
}
