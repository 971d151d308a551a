// Generated meshes: blocks of hexahedra or tetrahedra, straight lines, polylines and arcs.
// docs/meshes.md has sketches of their nodes and groups.
#ifndef PCS_GEOMETRY_MESH_GENERATE_H
#define PCS_GEOMETRY_MESH_GENERATE_H

#include "geometry/mesh_data.h"

// A box with its centre at the origin. Node (i, j, k) has the number i + (n_x + 1) (j + (n_y + 1)
// k). Groups x_min, x_max, y_min, ..., with nodes and faces.
typedef struct pcs_block_def {
    pcs_vec3 size;
    int64_t divisions[3];
    pcs_cell_kind kind; // hexahedra, or six tetrahedra in each brick
} pcs_block_def;

// Points joined by straight segments, or three points of an arc: first, between, last. Groups start
// and end, unless closed.
typedef struct pcs_line_def {
    const pcs_vec3 *points;
    int32_t n_points;
    const int64_t *divisions; // of each segment; of an arc one number
    bool arc;
    bool closed; // the last point is joined to the first; its divisions are the last of the list
} pcs_line_def;

// `data` must be empty. An error says what is wrong, without a place; then free `data` all the
// same.
pcs_status pcs_mesh_generate_block(pcs_mesh_data *data, const pcs_block_def *def) PCS_MUST_CHECK;
pcs_status pcs_mesh_generate_line(pcs_mesh_data *data, const pcs_line_def *def) PCS_MUST_CHECK;

#endif
