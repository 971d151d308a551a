// Mesh files of gmsh (.msh) [GeuzaineRemacle2009]: versions 2.2 and 4.1, text and binary, either
// byte order. Points, lines, triangles, quadrangles, tetrahedra and hexahedra of first order are
// read.
//
// Lines, tetrahedra and hexahedra become cells; triangles and quadrangles become faces of the
// groups they belong to. Physical groups become groups under their names; those without a name are
// called point_7, curve_7, surface_7, volume_7 after their number. Physical groups with the same
// name are one group. Nodes that no cell uses are left out.
#ifndef PCS_IO_GMSH_FILE_H
#define PCS_IO_GMSH_FILE_H

#include "geometry/mesh_data.h"

enum { PCS_GMSH_LARGEST_FILE = 1 << 30 }; // bytes: more than any mesh of PCS_MESH_NODES_MAX nodes

// `data` must be empty; free it after an error as well. Messages have the file and the line, in
// binary parts the byte.
pcs_status pcs_gmsh_read_file(pcs_context *ctx, const char *path, pcs_mesh_data *data)
    PCS_MUST_CHECK;
pcs_status pcs_gmsh_read_memory(pcs_context *ctx, const char *name, const char *bytes, size_t size,
                                pcs_mesh_data *data) PCS_MUST_CHECK;

#endif
