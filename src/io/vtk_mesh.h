// Drawings of a run as VTK polygons and lines: cells once, points for each frame.
#ifndef PCS_IO_VTK_MESH_H
#define PCS_IO_VTK_MESH_H

#include "base/array.h"
#include "io/vtk_xml.h"
#include "percuss/io.h"

// Poses and motions of all bodies in one frame.
typedef struct pcs_vtk_frame {
    int32_t n_bodies;
    const double *position, *velocity, *angular_velocity; // n_bodies * 3
    const pcs_quat *rotation;
    const double *node_position; // nodes of all meshes
    const pcs_quat *node_rotation;
} pcs_vtk_frame;

// Where the motion takes place, for what has no size of its own.
typedef struct pcs_vtk_extent {
    pcs_vec3 lo, hi;
    double size;  // diagonal, > 0
    double reach; // of the largest shape from the origin of its body; 0: no shapes
} pcs_vtk_extent;

// Points that move together, or between two frames.
typedef struct pcs_vtk_piece {
    int32_t first, count; // points
    pcs_frame a, b;
    bool span; // the points run along x from the origin of a (x = 0) to that of b (x = 1)
} pcs_vtk_piece;

typedef struct pcs_vtk_cells {
    PCS_ARRAY(int32_t) points;
    PCS_ARRAY(int32_t) ends; // one behind the last point of each cell
} pcs_vtk_cells;

typedef enum pcs_vtk_cell_kind {
    PCS_VTK_VERTICES,
    PCS_VTK_LINES,
    PCS_VTK_POLYGONS,
    PCS_VTK_CELL_KIND_COUNT
} pcs_vtk_cell_kind;

// Of a cell: its body (-1: ground), and the drawing that it belongs to.
typedef struct pcs_vtk_source {
    int32_t body, object;
    uint8_t owner, kind;
} pcs_vtk_source;

typedef struct pcs_vtk_mesh {
    PCS_ARRAY(pcs_vec3) points; // in the frames of their pieces
    PCS_ARRAY(pcs_vtk_piece) pieces;
    pcs_vtk_cells cells[PCS_VTK_CELL_KIND_COUNT];
    PCS_ARRAY(pcs_vtk_source) sources[PCS_VTK_CELL_KIND_COUNT];
} pcs_vtk_mesh;

typedef struct pcs_vtk_mesh_def {
    int32_t dimension, n_bodies, segments;
    pcs_vtk_extent extent;
} pcs_vtk_mesh_def;

// Surfaces of the bodies and planes; a body without any gets a point.
pcs_status pcs_vtk_mesh_bodies(pcs_context *ctx, const pcs_result *result,
                               const pcs_vtk_mesh_def *def, pcs_vtk_mesh *mesh) PCS_MUST_CHECK;
// Joints, links, springs, and contact geometry that is a line.
pcs_status pcs_vtk_mesh_lines(pcs_context *ctx, const pcs_result *result,
                              const pcs_vtk_mesh_def *def, pcs_vtk_mesh *mesh) PCS_MUST_CHECK;
void pcs_vtk_mesh_free(pcs_context *ctx, pcs_vtk_mesh *mesh);

int32_t pcs_vtk_mesh_cell_count(const pcs_vtk_mesh *mesh);
const pcs_vtk_source *pcs_vtk_mesh_source(const pcs_vtk_mesh *mesh, int32_t cell);
// World coordinates of all points, 3 for each.
void pcs_vtk_mesh_place(const pcs_vtk_mesh *mesh, const pcs_vtk_frame *frame, float *points);

#endif
