// Making a mesh of the model from its definition: what builder_mesh.c takes over and checks by
// itself, without the model.
#ifndef PCS_MODEL_MESH_BUILD_H
#define PCS_MODEL_MESH_BUILD_H

#include "model/mesh.h"

// Nodes, parts, groups and the mass matrix; `mesh` is empty before. Errors leave what
// pcs_mesh_free() can take; their text begins with the place inside the mesh.
pcs_status pcs_mesh_build(pcs_context *ctx, const pcs_mesh_def *def, int32_t dimension,
                          pcs_mesh *mesh) PCS_MUST_CHECK;
// Faces that belong to one element only, counterclockwise seen from outside.
pcs_status pcs_mesh_find_surface(pcs_context *ctx, const pcs_mesh *mesh,
                                 int32_t (**faces)[PCS_FACE_NODES_MAX], int32_t *n_faces)
    PCS_MUST_CHECK;

#endif
