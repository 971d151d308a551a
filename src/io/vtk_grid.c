// All meshes are one piece: points and cells mesh by mesh, part by part. Results of elements are
// cell arrays by name, NaN in cells of parts that do not have them.
#include "io/vtk_grid.h"

#include <math.h>
#include <string.h>

#include "io/result_file.h"

enum { CELL_LINE = 3, CELL_TETRAHEDRON = 10, CELL_HEXAHEDRON = 12 };

typedef struct counts {
    int32_t points, cells;
    int64_t corners;
} counts;

static counts count(const pcs_result *result)
{
    counts n = {0};
    for (int32_t k = 0; k < result->meshes.count; k++) {
        const pcs_stored_mesh *mesh = &result->meshes.items[k];
        n.points += mesh->n_nodes;
        for (int32_t p = 0; p < mesh->n_parts; p++) {
            const pcs_mesh_part_view *part = &mesh->parts[p].view;
            n.cells += part->n_elements;
            n.corners += (int64_t)part->n_elements * part->nodes_per_element;
        }
    }
    return n;
}

size_t pcs_vtk_grid_scratch(const pcs_result *result)
{
    const counts n = count(result);
    const size_t points = 3 * sizeof(double) * (size_t)n.points;
    const size_t corners = sizeof(int32_t) * (size_t)n.corners;
    const size_t cells = sizeof(double) * (size_t)n.cells;
    const size_t most = points > corners ? points : corners;
    return (most > cells ? most : cells) + 1;
}

// Goes through the parts of all meshes in the order of the cells.
typedef struct walk {
    const pcs_result *result;
    int32_t mesh, part;
} walk;

static const pcs_stored_part *next_part(walk *w)
{
    while (w->mesh < w->result->meshes.count) {
        const pcs_stored_mesh *mesh = &w->result->meshes.items[w->mesh];
        if (++w->part < mesh->n_parts)
            return &mesh->parts[w->part];
        w->mesh++;
        w->part = -1;
    }
    return NULL;
}

static walk begin_walk(const pcs_result *result)
{
    return (walk){result, 0, -1};
}

// ---- Points ----

static void put_vectors(pcs_vtk_text *text, const char *name, const pcs_result *result,
                        const double *vectors)
{
    pcs_vtk_array(text, PCS_VTK_FLOAT64, name, 3, 3 * (size_t)result->objects[PCS_OWNER_NODE],
                  vectors);
}

static void put_points(pcs_vtk_text *text, const pcs_result *result,
                       const pcs_vtk_grid_frame *frame, void *scratch)
{
    double *displacement = scratch;
    int32_t *numbers = scratch;
    pcs_vtk_print(text, "<PointData Vectors=\"displacement\">\n");
    for (int32_t k = 0; k < result->meshes.count; k++) {
        const pcs_stored_mesh *mesh = &result->meshes.items[k];
        for (int32_t i = 0; i < mesh->n_nodes; i++) {
            const double *x = frame->position + 3 * (mesh->first_node + i);
            double *u = displacement + 3 * (mesh->first_node + i);
            u[0] = x[0] - mesh->start[i].x;
            u[1] = x[1] - mesh->start[i].y;
            u[2] = x[2] - mesh->start[i].z;
        }
    }
    put_vectors(text, "displacement", result, displacement);
    put_vectors(text, "velocity", result, frame->velocity);
    for (int32_t k = 0; k < result->meshes.count; k++)
        for (int32_t i = 0; i < result->meshes.items[k].n_nodes; i++)
            numbers[result->meshes.items[k].first_node + i] = i;
    pcs_vtk_array(text, PCS_VTK_INT32, "node", 1, (size_t)result->objects[PCS_OWNER_NODE], numbers);
    pcs_vtk_print(text, "</PointData>\n<Points>\n");
    put_vectors(text, "Points", result, frame->position);
    pcs_vtk_print(text, "</Points>\n");
}

// ---- Cells ----

static void put_cells(pcs_vtk_text *text, const pcs_result *result, counts n, void *scratch)
{
    int32_t *numbers = scratch, at = 0, end = 0;
    uint8_t *types = scratch;
    const pcs_stored_part *part;
    pcs_vtk_print(text, "<Cells>\n");
    for (walk w = begin_walk(result); (part = next_part(&w));)
        for (int32_t i = 0; i < part->view.n_elements * part->view.nodes_per_element; i++)
            numbers[at++] = result->meshes.items[w.mesh].first_node + part->view.nodes[i];
    pcs_vtk_array(text, PCS_VTK_INT32, "connectivity", 1, (size_t)n.corners, numbers);
    at = 0;
    for (walk w = begin_walk(result); (part = next_part(&w));)
        for (int32_t e = 0; e < part->view.n_elements; e++)
            numbers[at++] = end += part->view.nodes_per_element;
    pcs_vtk_array(text, PCS_VTK_INT32, "offsets", 1, (size_t)n.cells, numbers);
    at = 0;
    for (walk w = begin_walk(result); (part = next_part(&w));)
        for (int32_t e = 0; e < part->view.n_elements; e++)
            types[at++] = part->view.nodes_per_element == 8   ? CELL_HEXAHEDRON
                          : part->view.nodes_per_element == 4 ? CELL_TETRAHEDRON
                                                              : CELL_LINE;
    pcs_vtk_array(text, PCS_VTK_UINT8, "types", 1, (size_t)n.cells, types);
    pcs_vtk_print(text, "</Cells>\n");
}

typedef enum cell_number { NUMBER_MESH, NUMBER_PART, NUMBER_ELEMENT } cell_number;

static void put_numbers(pcs_vtk_text *text, const pcs_result *result, counts n, const char *name,
                        cell_number which, void *scratch)
{
    int32_t *numbers = scratch, at = 0, mesh = -1, element = 0;
    const pcs_stored_part *part;
    for (walk w = begin_walk(result); (part = next_part(&w));) {
        element = w.mesh == mesh ? element : 0;
        mesh = w.mesh;
        for (int32_t e = 0; e < part->view.n_elements; e++, element++)
            numbers[at++] = which == NUMBER_MESH ? w.mesh : which == NUMBER_PART ? w.part : element;
    }
    pcs_vtk_array(text, PCS_VTK_INT32, name, 1, (size_t)n.cells, numbers);
}

static int32_t find_result(const pcs_mesh_part_view *part, const char *name)
{
    for (int32_t i = 0; i < part->n_results; i++)
        if (strcmp(part->results_names[i], name) == 0)
            return i;
    return -1;
}

// Whether a part before this one has brought the name already.
static bool is_repeated(const pcs_result *result, const walk *here, const char *name)
{
    const pcs_stored_part *part;
    for (walk w = begin_walk(result); (part = next_part(&w));) {
        if (w.mesh == here->mesh && w.part == here->part)
            return false;
        if (find_result(&part->view, name) >= 0)
            return true;
    }
    return false;
}

static void put_result(pcs_vtk_text *text, const pcs_result *result, counts n, const char *name,
                       const double *values, void *scratch)
{
    float *numbers = scratch;
    int32_t at = 0;
    const pcs_stored_part *part;
    for (walk w = begin_walk(result); (part = next_part(&w));) {
        const int32_t i = find_result(&part->view, name);
        for (int32_t e = 0; e < part->view.n_elements; e++)
            numbers[at++] =
                i < 0 ? NAN
                      : (float)values[part->first_result + (int64_t)e * part->view.n_results + i];
    }
    pcs_vtk_array(text, PCS_VTK_FLOAT32, name, 1, (size_t)n.cells, numbers);
}

static const char *mesh_name(const void *user, int32_t i)
{
    return ((const pcs_result *)user)->meshes.items[i].name;
}

void pcs_vtk_grid_print(pcs_vtk_text *text, const pcs_result *result,
                        const pcs_vtk_grid_frame *frame, void *scratch)
{
    const counts n = count(result);
    const pcs_stored_part *part;
    pcs_vtk_begin(text, "UnstructuredGrid");
    pcs_vtk_print(text, "<UnstructuredGrid>\n<FieldData>\n"
                        "<DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" "
                        "format=\"ascii\">");
    pcs_vtk_number(text, frame->time);
    pcs_vtk_print(text, "</DataArray>\n");
    pcs_vtk_strings(text, "mesh_names", result->meshes.count, mesh_name, result);
    pcs_vtk_print(text,
                  "</FieldData>\n<Piece NumberOfPoints=\"%d\" NumberOfCells=\"%d\">\n"
                  "<CellData>\n",
                  (int)n.points, (int)n.cells);
    put_numbers(text, result, n, "mesh", NUMBER_MESH, scratch);
    put_numbers(text, result, n, "part", NUMBER_PART, scratch);
    put_numbers(text, result, n, "element", NUMBER_ELEMENT, scratch);
    for (walk w = begin_walk(result); frame->result && (part = next_part(&w));)
        for (int32_t i = 0; i < part->view.n_results; i++)
            if (!is_repeated(result, &w, part->view.results_names[i]))
                put_result(text, result, n, part->view.results_names[i], frame->result, scratch);
    pcs_vtk_print(text, "</CellData>\n");
    put_points(text, result, frame, scratch);
    put_cells(text, result, n, scratch);
    pcs_vtk_print(text, "</Piece>\n</UnstructuredGrid>\n");
    pcs_vtk_end(text);
}
