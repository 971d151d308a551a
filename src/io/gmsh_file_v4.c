// Version 4.1 of gmsh files: nodes and elements stand in blocks, one for each entity of the
// geometry (point, curve, surface, volume), and the physical groups belong to the entities. In
// binary files tags of entities, types and flags are ints; counts and the numbers of nodes and
// elements are sizes.
#include <stdio.h>
#include <stdlib.h>

#include "io/gmsh_reader.h"

// ---- Entities ----

static int compare_entities(const void *left, const void *right)
{
    const pcs_gmsh_entity *a = left, *b = right;
    if (a->dimension != b->dimension)
        return a->dimension < b->dimension ? -1 : 1;
    return a->tag < b->tag ? -1 : a->tag > b->tag;
}

static pcs_status read_entity(pcs_gmsh_reader *reader, int32_t dimension)
{
    pcs_gmsh_entity entity = {.dimension = dimension, .first = reader->entity_groups.count};
    int64_t n_physicals, n_bounding, tag;
    double ignored;
    PCS_TRY(pcs_gmsh_int(reader, "tag of an entity", INT32_MIN, INT32_MAX, &entity.tag));
    for (int k = 0; k < (dimension == 0 ? 3 : 6); k++) // its place or bounding box
        PCS_TRY(pcs_gmsh_real(reader, "a bounding box", &ignored));
    PCS_TRY(pcs_gmsh_size(reader, "number of physical groups of an entity", 0, PCS_MESH_GROUPS_MAX,
                          &n_physicals));
    for (int64_t k = 0; k < n_physicals; k++) {
        int32_t group;
        PCS_TRY(pcs_gmsh_int(reader, "tag of a physical group", INT32_MIN, INT32_MAX, &tag));
        PCS_TRY(pcs_gmsh_physical_group(reader, dimension, tag, &group));
        if (!PCS_PUSH(reader->scan.ctx, &reader->entity_groups, group))
            return PCS_ERROR_MEMORY;
    }
    entity.end = reader->entity_groups.count;
    if (dimension > 0) {
        PCS_TRY(pcs_gmsh_size(reader, "number of bounding entities", 0, INT32_MAX, &n_bounding));
        for (int64_t k = 0; k < n_bounding; k++)
            PCS_TRY(pcs_gmsh_int(reader, "tag of an entity", INT32_MIN, INT32_MAX, &tag));
    }
    return PCS_PUSH(reader->scan.ctx, &reader->entities, entity) ? PCS_OK : PCS_ERROR_MEMORY;
}

pcs_status pcs_gmsh_v4_entities(pcs_gmsh_reader *reader)
{
    static const char *const what[4] = {"number of points", "number of curves",
                                        "number of surfaces", "number of volumes"};
    int64_t count[4];
    if (reader->binary)
        PCS_TRY(pcs_gmsh_end_line(reader));
    for (int k = 0; k < 4; k++)
        PCS_TRY(pcs_gmsh_size(reader, what[k], 0, INT32_MAX, &count[k]));
    for (int32_t k = 0; k < 4; k++) {
        for (int64_t i = 0; i < count[k]; i++)
            PCS_TRY(read_entity(reader, k));
    }
    if (reader->entities.count > 0)
        qsort(reader->entities.data, (size_t)reader->entities.count, sizeof(pcs_gmsh_entity),
              compare_entities);
    reader->has_entities = true;
    return PCS_OK;
}

// The physical groups of an entity. A file without $Entities has none.
static pcs_status find_entity(const pcs_gmsh_reader *reader, const char *place, int32_t dimension,
                              int64_t tag, pcs_gmsh_element *element)
{
    static const char *const names[4] = {"point", "curve", "surface", "volume"};
    element->groups = NULL;
    element->n_groups = 0;
    if (!reader->has_entities)
        return PCS_OK;
    pcs_gmsh_entity wanted = {.dimension = dimension, .tag = tag};
    const pcs_gmsh_entity *found = NULL;
    if (reader->entities.count > 0)
        found = bsearch(&wanted, reader->entities.data, (size_t)reader->entities.count,
                        sizeof wanted, compare_entities);
    if (!found)
        return pcs_gmsh_error(reader, place,
                              "the elements of %s %lld, which $Entities does not list; write the "
                              "file again",
                              names[dimension], (long long)tag);
    element->n_groups = found->end - found->first;
    if (element->n_groups > 0)
        element->groups = reader->entity_groups.data + found->first;
    return PCS_OK;
}

// ---- Blocks ----

// Reads a block of at most `left` nodes or elements; *done is how many it has.
typedef pcs_status (*block_fn)(pcs_gmsh_reader *reader, int64_t left, int64_t *done);

// A section of blocks: how many blocks and things in them, smallest and largest tag (not needed),
// blocks.
static pcs_status read_blocks(pcs_gmsh_reader *reader, const char *things, int64_t most,
                              block_fn read_block)
{
    int64_t n_blocks, count, ignored, total = 0;
    char what[32];
    snprintf(what, sizeof what, "number of %s", things);
    if (reader->binary)
        PCS_TRY(pcs_gmsh_end_line(reader));
    PCS_TRY(pcs_gmsh_size(reader, "number of blocks", 0, INT32_MAX, &n_blocks));
    PCS_TRY(pcs_gmsh_size(reader, what, 0, most, &count));
    PCS_TRY(pcs_gmsh_size(reader, "smallest tag", 0, INT64_MAX, &ignored));
    PCS_TRY(pcs_gmsh_size(reader, "largest tag", 0, INT64_MAX, &ignored));
    for (int64_t b = 0; b < n_blocks; b++) {
        int64_t done;
        PCS_TRY(read_block(reader, count - total, &done));
        total += done;
    }
    if (total == count)
        return PCS_OK;
    return pcs_gmsh_error(reader, reader->scan.at,
                          "the blocks have %lld %s, but %lld are announced; write the file again",
                          (long long)total, things, (long long)count);
}

static pcs_status read_node_block(pcs_gmsh_reader *reader, int64_t left, int64_t *done)
{
    int64_t dimension, tag, parametric, count;
    PCS_TRY(pcs_gmsh_int(reader, "dimension of a block", 0, 3, &dimension));
    PCS_TRY(pcs_gmsh_int(reader, "tag of an entity", INT32_MIN, INT32_MAX, &tag));
    PCS_TRY(pcs_gmsh_int(reader, "mark of parametric nodes", 0, 1, &parametric));
    PCS_TRY(pcs_gmsh_size(reader, "number of nodes of a block", 0, left, &count));
    // The tags of the block come first, then the places of its nodes.
    const int32_t first = reader->nodes.count;
    for (int64_t i = 0; i < count; i++) {
        PCS_TRY(pcs_gmsh_size(reader, "number of a node", 0, INT64_MAX, &tag));
        PCS_TRY(pcs_gmsh_add_node(reader, tag, (pcs_vec3){0, 0, 0}));
    }
    for (int64_t i = 0; i < count; i++) {
        PCS_TRY(pcs_gmsh_point(reader, &reader->nodes.data[first + i].x));
        for (int64_t k = 0; parametric && k < dimension; k++) {
            double ignored;
            PCS_TRY(pcs_gmsh_real(reader, "a parametric coordinate", &ignored));
        }
    }
    *done = count;
    return PCS_OK;
}

pcs_status pcs_gmsh_v4_nodes(pcs_gmsh_reader *reader)
{
    PCS_TRY(read_blocks(reader, "nodes", PCS_MESH_NODES_MAX, read_node_block));
    return pcs_gmsh_finish_nodes(reader);
}

static pcs_status read_element_block(pcs_gmsh_reader *reader, int64_t left, int64_t *done)
{
    int64_t dimension, tag, type, count;
    if (!reader->binary)
        (void)pcs_scan_place(&reader->scan);
    const char *place = reader->scan.at;
    pcs_gmsh_element element = {.place = place};
    PCS_TRY(pcs_gmsh_int(reader, "dimension of a block", 0, 3, &dimension));
    PCS_TRY(pcs_gmsh_int(reader, "tag of an entity", INT32_MIN, INT32_MAX, &tag));
    PCS_TRY(pcs_gmsh_int(reader, "type of the elements", 0, INT32_MAX, &type));
    PCS_TRY(pcs_gmsh_size(reader, "number of elements of a block", 0, left, &count));
    PCS_TRY(pcs_gmsh_find_type(reader, place, type, &element.type));
    PCS_TRY(find_entity(reader, place, (int32_t)dimension, tag, &element));
    for (int64_t i = 0; i < count; i++) {
        if (!reader->binary)
            (void)pcs_scan_place(&reader->scan);
        element.place = reader->scan.at;
        PCS_TRY(pcs_gmsh_size(reader, "number of an element", 0, INT64_MAX, &element.tag));
        for (int32_t k = 0; k < element.type->n_nodes; k++)
            PCS_TRY(pcs_gmsh_size(reader, "node of an element", 0, INT64_MAX, &element.nodes[k]));
        PCS_TRY(pcs_gmsh_add_element(reader, &element));
    }
    *done = count;
    return PCS_OK;
}

pcs_status pcs_gmsh_v4_elements(pcs_gmsh_reader *reader)
{
    return read_blocks(reader, "elements", PCS_MESH_CELLS_MAX, read_element_block);
}
