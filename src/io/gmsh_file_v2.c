// Version 2.2 of gmsh files. Text: one node or element in a line; the first tag of an element is
// its physical group. Binary: the counts stay text; nodes are (int, 3 doubles), elements come in
// blocks under a header (type, count, number of tags), all of them ints.
#include "io/gmsh_reader.h"

pcs_status pcs_gmsh_v2_nodes(pcs_gmsh_reader *reader)
{
    int64_t count;
    PCS_TRY(pcs_gmsh_text_int(reader, "number of nodes", 0, PCS_MESH_NODES_MAX, &count));
    if (reader->binary)
        PCS_TRY(pcs_gmsh_end_line(reader));
    for (int64_t i = 0; i < count; i++) {
        int64_t tag;
        pcs_vec3 x;
        PCS_TRY(pcs_gmsh_int(reader, "number of a node", 0, INT64_MAX, &tag));
        PCS_TRY(pcs_gmsh_point(reader, &x));
        PCS_TRY(pcs_gmsh_add_node(reader, tag, x));
    }
    return pcs_gmsh_finish_nodes(reader);
}

// The tags behind an element's type; the first is the physical group, 0: none.
static pcs_status read_tags(pcs_gmsh_reader *reader, int64_t n_tags, int32_t *group,
                            pcs_gmsh_element *element)
{
    element->groups = group;
    element->n_groups = 0;
    for (int64_t k = 0; k < n_tags; k++) {
        int64_t tag;
        PCS_TRY(pcs_gmsh_int(reader, "tag of an element", INT32_MIN, INT32_MAX, &tag));
        if (k > 0 || tag == 0)
            continue;
        PCS_TRY(pcs_gmsh_physical_group(reader, element->type->dimension, tag, group));
        element->n_groups = 1;
    }
    return PCS_OK;
}

static pcs_status read_element_nodes(pcs_gmsh_reader *reader, pcs_gmsh_element *element)
{
    for (int32_t k = 0; k < element->type->n_nodes; k++)
        PCS_TRY(pcs_gmsh_int(reader, "node of an element", 0, INT64_MAX, &element->nodes[k]));
    return pcs_gmsh_add_element(reader, element);
}

// Elements of one type from the header of a block on; in a text every element is a block of its
// own.
static pcs_status read_block(pcs_gmsh_reader *reader, int64_t left, int64_t *done)
{
    pcs_gmsh_element element = {.place = pcs_scan_place(&reader->scan)};
    int64_t type, count = 1, n_tags;
    int32_t group;
    if (reader->binary) {
        element.place = reader->scan.at;
        PCS_TRY(pcs_gmsh_int(reader, "type of an element", 0, INT32_MAX, &type));
        PCS_TRY(pcs_gmsh_int(reader, "number of elements of a block", 1, left, &count));
    } else {
        PCS_TRY(pcs_gmsh_int(reader, "number of an element", 0, INT64_MAX, &element.tag));
        PCS_TRY(pcs_gmsh_int(reader, "type of an element", 0, INT32_MAX, &type));
    }
    PCS_TRY(pcs_gmsh_find_type(reader, element.place, type, &element.type));
    PCS_TRY(pcs_gmsh_int(reader, "number of tags of an element", 0, INT32_MAX, &n_tags));
    for (int64_t i = 0; i < count; i++) {
        if (reader->binary) {
            element.place = reader->scan.at;
            PCS_TRY(pcs_gmsh_int(reader, "number of an element", 0, INT64_MAX, &element.tag));
        }
        PCS_TRY(read_tags(reader, n_tags, &group, &element));
        PCS_TRY(read_element_nodes(reader, &element));
    }
    *done = count;
    return PCS_OK;
}

pcs_status pcs_gmsh_v2_elements(pcs_gmsh_reader *reader)
{
    int64_t count, done;
    PCS_TRY(pcs_gmsh_text_int(reader, "number of elements", 0, PCS_MESH_CELLS_MAX, &count));
    if (reader->binary)
        PCS_TRY(pcs_gmsh_end_line(reader));
    for (int64_t i = 0; i < count; i += done)
        PCS_TRY(read_block(reader, count - i, &done));
    return PCS_OK;
}
