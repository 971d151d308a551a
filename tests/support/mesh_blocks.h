// Small meshes for tests of contacts: a box of solids and a chain of bars or beams.
#ifndef PCS_TESTS_MESH_BLOCKS_H
#define PCS_TESTS_MESH_BLOCKS_H

#include "percuss/mesh.h"

enum { BLOCK_NODES_MAX = 512, BLOCK_CELLS_MAX = 320, CHAIN_NODES_MAX = 16 };

typedef struct mesh_block {
    pcs_vec3 nodes[BLOCK_NODES_MAX];
    int32_t cells[8 * BLOCK_CELLS_MAX], n_nodes, n_cells, per_cell;
    pcs_mesh_part_def part;
    pcs_mesh_def mesh; // for pcs_builder_add_mesh(); may be changed before
} mesh_block;

// nx x ny x nz hexahedra, or five tetrahedra for each, in a box with one corner at `low`.
void mesh_block_init(mesh_block *b, const char *name, pcs_vec3 low, pcs_vec3 size, int nx, int ny,
                     int nz, bool tetrahedra);

typedef struct mesh_chain {
    pcs_vec3 nodes[CHAIN_NODES_MAX];
    int32_t cells[CHAIN_NODES_MAX - 1][2], faces[CHAIN_NODES_MAX - 1][PCS_FACE_NODES_MAX];
    pcs_mesh_part_def part;
    pcs_mesh_group_def group; // "line": its segments as faces
    pcs_mesh_def mesh;
} mesh_chain;

// n elements from a to b.
void mesh_chain_init(mesh_chain *c, const char *name, pcs_element_kind kind, pcs_vec3 a, pcs_vec3 b,
                     int n);

#endif
