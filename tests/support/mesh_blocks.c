#include "support/mesh_blocks.h"

#include <string.h>

#include "math/vector.h"

static pcs_material rubber(void)
{
    pcs_material material = pcs_material_default();
    material.young = 43.7;
    material.poisson = 0.31;
    material.density = 1.93;
    return material;
}

static const int CORNER[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                 {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
// A cube in five tetrahedra. Neighbours mirror each other, so that their faces are cut alike.
static const int CUT[2][5][4] = {
    {{0, 1, 2, 5}, {0, 2, 3, 7}, {0, 5, 7, 4}, {2, 7, 5, 6}, {0, 2, 7, 5}},
    {{1, 0, 4, 3}, {1, 3, 6, 2}, {1, 4, 5, 6}, {3, 6, 7, 4}, {1, 3, 4, 6}}};

static void add_cell(mesh_block *b, const int32_t *at, bool tetrahedra, int which)
{
    for (int t = 0; t < (tetrahedra ? 5 : 1); t++, b->n_cells++)
        for (int c = 0; c < b->per_cell; c++)
            b->cells[b->per_cell * b->n_cells + c] = at[tetrahedra ? CUT[which][t][c] : c];
}

void mesh_block_init(mesh_block *b, const char *name, pcs_vec3 low, pcs_vec3 size, int nx, int ny,
                     int nz, bool tetrahedra)
{
    memset(b, 0, sizeof *b);
    b->per_cell = tetrahedra ? 4 : 8;
    for (int k = 0; k <= nz; k++)
        for (int j = 0; j <= ny; j++)
            for (int i = 0; i <= nx; i++)
                b->nodes[b->n_nodes++] = pcs_v3(low.x + size.x * i / nx, low.y + size.y * j / ny,
                                                low.z + size.z * k / nz);
    for (int k = 0; k < nz; k++)
        for (int j = 0; j < ny; j++)
            for (int i = 0; i < nx; i++) {
                int32_t at[8];
                for (int c = 0; c < 8; c++)
                    at[c] = ((k + CORNER[c][2]) * (ny + 1) + j + CORNER[c][1]) * (nx + 1) + i +
                            CORNER[c][0];
                add_cell(b, at, tetrahedra, (i + j + k) % 2);
            }
    b->part = (pcs_mesh_part_def){.kind = tetrahedra ? PCS_ELEMENT_TETRAHEDRON
                                                     : PCS_ELEMENT_HEXAHEDRON_PLAIN,
                                  .nodes = b->cells,
                                  .n_elements = b->n_cells,
                                  .material = rubber()};
    b->mesh = pcs_mesh_default();
    b->mesh.name = name;
    b->mesh.nodes = b->nodes;
    b->mesh.n_nodes = b->n_nodes;
    b->mesh.parts = &b->part;
    b->mesh.n_parts = 1;
}

void mesh_chain_init(mesh_chain *c, const char *name, pcs_element_kind kind, pcs_vec3 a, pcs_vec3 b,
                     int n)
{
    memset(c, 0, sizeof *c);
    for (int i = 0; i <= n; i++)
        c->nodes[i] = pcs_v3_axpy(a, (double)i / n, pcs_v3_sub(b, a));
    for (int i = 0; i < n; i++) {
        c->cells[i][0] = c->faces[i][0] = i;
        c->cells[i][1] = c->faces[i][1] = i + 1;
        c->faces[i][2] = c->faces[i][3] = -1;
    }
    c->part = (pcs_mesh_part_def){.kind = kind,
                                  .nodes = &c->cells[0][0],
                                  .n_elements = n,
                                  .material = rubber(),
                                  .section = pcs_section_rectangle(0.11, 0.13)};
    c->group = (pcs_mesh_group_def){
        .name = "line", .faces = (const int32_t(*)[PCS_FACE_NODES_MAX])c->faces, .n_faces = n};
    c->mesh = pcs_mesh_default();
    c->mesh.name = name;
    c->mesh.nodes = c->nodes;
    c->mesh.n_nodes = n + 1;
    c->mesh.parts = &c->part;
    c->mesh.n_parts = 1;
    c->mesh.groups = &c->group;
    c->mesh.n_groups = 1;
}
