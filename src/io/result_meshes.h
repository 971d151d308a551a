// Meshes in result files: what they are made of, written once, and their state in each frame. The
// names of meshes, groups and results ("block.tip", "block.mises") are those of signals.
#ifndef PCS_IO_RESULT_MESHES_H
#define PCS_IO_RESULT_MESHES_H

#include "io/hdf5_table.h"
#include "io/result_layout.h"
#include "percuss/mesh.h"

// Sets the counts of all owners that belong to meshes.
void pcs_result_count_meshes(const pcs_model *model, int32_t objects[PCS_OWNER_COUNT]);
// Writes all that does not change; nothing if the model has no meshes. PCS_ERROR_IO without a
// message.
pcs_status pcs_result_put_meshes(pcs_context *ctx, hid_t file, const pcs_model *model)
    PCS_MUST_CHECK;
// The present state; places[k] is where the numbers of quantity k of the frame go, NULL: not
// stored.
void pcs_result_gather_meshes(const pcs_simulation *simulation,
                              double *const places[PCS_QUANTITY_COUNT]);

typedef struct pcs_stored_part {
    pcs_mesh_part_view view;
    pcs_section section;  // area, y and what is drawn
    int64_t first_result; // among the numbers of all elements
} pcs_stored_part;

typedef struct pcs_stored_mesh {
    const char *name;
    int32_t first_node, n_nodes; // among those of all meshes
    int32_t first_frame;         // among the nodes that turn; -1: they are points
    const pcs_vec3 *start;       // of its nodes
    pcs_quat rotation;           // of the mesh at the start
    double mass;
    const pcs_stored_part *parts;
    int32_t n_parts;
    const pcs_mesh_group_view *groups;
    int32_t n_groups;
} pcs_stored_mesh;

typedef struct pcs_mesh_list {
    pcs_stored_mesh *items;
    int32_t count;
    void *memory[16]; // that the items point into
    int32_t n_memory;
} pcs_mesh_list;

// Reads them and sets the counts of nodes, frames and element results; none if the file has none.
// PCS_ERROR_INPUT without a message if a table is damaged.
pcs_status pcs_result_read_meshes(pcs_context *ctx, hid_t file, int32_t objects[PCS_OWNER_COUNT],
                                  pcs_mesh_list *list) PCS_MUST_CHECK;
void pcs_mesh_list_free(pcs_context *ctx, pcs_mesh_list *list);

#endif
