// A mesh as data, before it is part of a model: nodes, cells (lines, tetrahedra, hexahedra) and
// named groups of nodes, faces and cells. Generators (mesh_generate.h) and the gmsh reader
// (io/gmsh_file.h) fill it; the model file turns it into a pcs_mesh_def.
//
// Node order of cells, as gmsh and VTK have it: a hexahedron has 0 1 2 3 around its bottom,
// counterclockwise seen from above, and 4 5 6 7 above them; a tetrahedron has 0 1 2
// counterclockwise seen from 3's far side, so that det(x1 - x0, x2 - x0, x3 - x0) > 0.
#ifndef PCS_GEOMETRY_MESH_DATA_H
#define PCS_GEOMETRY_MESH_DATA_H

#include "base/array.h"
#include "percuss/mesh.h"

// More nodes than this are more unknowns than a direct factorisation has memory for.
enum { PCS_MESH_NODES_MAX = 1000000, PCS_MESH_CELLS_MAX = 8000000, PCS_MESH_GROUPS_MAX = 4096 };

typedef enum pcs_cell_kind {
    PCS_CELL_LINE,
    PCS_CELL_TETRAHEDRON,
    PCS_CELL_HEXAHEDRON,
    PCS_CELL_KIND_COUNT
} pcs_cell_kind;

enum { PCS_CELL_NODES_MAX = 8, PCS_CELL_FACES_MAX = 6 };

typedef struct pcs_mesh_cell {
    pcs_cell_kind kind;
    int32_t nodes[PCS_CELL_NODES_MAX];
} pcs_mesh_cell;

// 3 or 4 nodes, counterclockwise seen from outside; the fourth of 3 is -1.
typedef struct pcs_mesh_face {
    int32_t nodes[PCS_FACE_NODES_MAX];
} pcs_mesh_face;

typedef PCS_ARRAY(pcs_mesh_face) pcs_mesh_faces;

typedef struct pcs_mesh_data_group {
    char *name;
    PCS_ARRAY(int32_t) nodes;
    pcs_mesh_faces faces;
    PCS_ARRAY(int32_t) cells;
} pcs_mesh_data_group;

typedef struct pcs_mesh_data {
    pcs_context *ctx;
    PCS_ARRAY(pcs_vec3) nodes;
    PCS_ARRAY(int64_t) tags; // numbers of the nodes in their file, ascending; empty: 0, 1, ...
    PCS_ARRAY(pcs_mesh_cell) cells;
    PCS_ARRAY(pcs_mesh_data_group) groups;
} pcs_mesh_data;

void pcs_mesh_data_init(pcs_mesh_data *data, pcs_context *ctx);
void pcs_mesh_data_free(pcs_mesh_data *data);

const char *pcs_cell_kind_name(pcs_cell_kind kind); // "tetrahedron"
int32_t pcs_cell_node_count(pcs_cell_kind kind);
int32_t pcs_cell_face_count(pcs_cell_kind kind); // 0 for lines
pcs_mesh_face pcs_cell_face(const pcs_mesh_cell *cell, int32_t face);
// Length or volume; the volume of a cell that is inside out is negative.
double pcs_cell_measure(const pcs_mesh_data *data, const pcs_mesh_cell *cell);
// Smallest det dx/dxi at the points of the 2x2x2 Gauss rule, the length of a line, 6 V of a
// tetrahedron: what must be > 0.
double pcs_cell_quality(const pcs_mesh_data *data, const pcs_mesh_cell *cell);

// The group of that name, NULL if there is none.
pcs_mesh_data_group *pcs_mesh_data_find_group(const pcs_mesh_data *data, const char *name);
// Finds it or adds an empty one; *index is its place.
pcs_status pcs_mesh_data_get_group(pcs_mesh_data *data, const char *name, int32_t *index)
    PCS_MUST_CHECK;
// Place of the node with that number in the file, -1 if there is none.
int32_t pcs_mesh_data_find_tag(const pcs_mesh_data *data, int64_t tag);
int32_t pcs_mesh_data_nearest(const pcs_mesh_data *data, pcs_vec3 point); // -1 without nodes

// Faces that belong to one solid cell alone, outward. *faces must be empty and is the caller's.
pcs_status pcs_mesh_data_boundary(const pcs_mesh_data *data, pcs_mesh_faces *faces) PCS_MUST_CHECK;
// Cells with the same nodes become one, which is in all groups of both.
pcs_status pcs_mesh_data_unite_cells(pcs_mesh_data *data) PCS_MUST_CHECK;
// Keeps the marked cells (NULL: all), the nodes they use, and of the groups what is left of their
// nodes, faces and cells: in ascending order, each once; faces of the boundary are turned outward.
pcs_status pcs_mesh_data_reduce(pcs_mesh_data *data, const bool *keep) PCS_MUST_CHECK;

#endif
