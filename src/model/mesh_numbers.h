// Numbers that count through all meshes of a model, for signals and files: nodes, frames (nodes
// that turn), groups, elements, their results, and the distinct results of each mesh.
#ifndef PCS_MODEL_MESH_NUMBERS_H
#define PCS_MODEL_MESH_NUMBERS_H

#include "model/model.h"

typedef struct pcs_mesh_numbers {
    int32_t node, frame, group, element;
    int32_t quantity; // results of a mesh that differ by name
    int64_t result;   // numbers of all elements
} pcs_mesh_numbers;

// The first ones of a mesh; those of the mesh behind the last are the totals.
pcs_mesh_numbers pcs_model_mesh_numbers(const pcs_model *model, int32_t mesh);
// Name of result i of a mesh, each name once; NULL beyond the last.
const char *pcs_mesh_quantity_name(const pcs_mesh *mesh, int32_t i);
// Which result of the part has this name; -1: none.
int32_t pcs_mesh_part_quantity(const pcs_mesh_part *part, const char *name);

#endif
