// libFuzzer target: the bytes are a mesh file of gmsh. Whatever they are, reading ends with a mesh
// or with one line of error text, and all memory is given back. A mesh that was read is sound:
// every index is in range, every cell has its sides the right way round, and its boundary can be
// found. Seeds in fuzz/corpus/gmsh_file, words in gmsh_file.dict.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/gmsh_file.h"
#include "support/checks.h"

static void check_indices(const pcs_context *ctx, const int32_t *numbers, int32_t count,
                          int32_t below)
{
    for (int32_t i = 0; i < count; i++) {
        fuzz_require(numbers[i] >= 0 && numbers[i] < below, "an index out of range", ctx);
        fuzz_require(i == 0 || numbers[i] > numbers[i - 1], "indices out of order", ctx);
    }
}

static void check_mesh(pcs_context *ctx, const pcs_mesh_data *data)
{
    const int32_t n = data->nodes.count;
    fuzz_require(n > 0 && data->cells.count > 0, "an empty mesh", ctx);
    fuzz_require(data->tags.count == n, "tags are missing", ctx);
    for (int32_t c = 0; c < data->cells.count; c++) {
        const pcs_mesh_cell *cell = &data->cells.data[c];
        for (int32_t k = 0; k < pcs_cell_node_count(cell->kind); k++)
            fuzz_require(cell->nodes[k] >= 0 && cell->nodes[k] < n, "a cell without node", ctx);
        fuzz_require(pcs_cell_quality(data, cell) > 0, "a cell inside out", ctx);
    }
    for (int32_t g = 0; g < data->groups.count; g++) {
        const pcs_mesh_data_group *group = &data->groups.data[g];
        check_indices(ctx, group->nodes.data, group->nodes.count, n);
        check_indices(ctx, group->cells.data, group->cells.count, data->cells.count);
        for (int32_t f = 0; f < group->faces.count; f++) {
            for (int k = 0; k < PCS_FACE_NODES_MAX; k++) {
                const int32_t node = group->faces.data[f].nodes[k];
                fuzz_require(node < n && (node >= 0 || k == 3), "a face without node", ctx);
            }
        }
    }
    pcs_mesh_faces faces = {0};
    fuzz_require(pcs_mesh_data_boundary(data, &faces) == PCS_OK, "no boundary", ctx);
    PCS_ARRAY_FREE(ctx, &faces);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    pcs_context *ctx = pcs_context_create(NULL);
    if (!ctx)
        return 0;
    pcs_mesh_data mesh;
    pcs_mesh_data_init(&mesh, ctx);
    if (pcs_gmsh_read_memory(ctx, "fuzz", (const char *)data, size, &mesh) < 0)
        fuzz_check_error(ctx);
    else
        check_mesh(ctx, &mesh);
    pcs_mesh_data_free(&mesh);
    fuzz_end(ctx);
    return 0;
}
