// What the readers of the two gmsh versions share: numbers from text or binary, nodes and elements
// on their way into the mesh. Nothing is allocated from a count that the file claims, only for data
// that were read, so that a false count costs nothing.
#ifndef PCS_IO_GMSH_READER_H
#define PCS_IO_GMSH_READER_H

#include "geometry/mesh_data.h"
#include "io/problem_scan.h"

// A physical group by dimension and number, and the group of the mesh that it is.
typedef struct pcs_gmsh_physical {
    int32_t dimension;
    int64_t tag;
    int32_t group;
} pcs_gmsh_physical;

// Version 4: a geometric entity and its physical groups, in `entity_groups`.
typedef struct pcs_gmsh_entity {
    int32_t dimension;
    int64_t tag;
    int32_t first, end;
} pcs_gmsh_entity;

typedef struct pcs_gmsh_node {
    int64_t tag;
    pcs_vec3 x;
} pcs_gmsh_node;

typedef struct pcs_gmsh_reader {
    pcs_scan scan;
    bool binary, swapped;
    const char *section; // being read, for messages
    pcs_mesh_data *data;
    PCS_ARRAY(pcs_gmsh_physical) physicals; // sorted
    PCS_ARRAY(pcs_gmsh_entity) entities;    // sorted once all are read
    PCS_ARRAY(int32_t) entity_groups;
    bool has_entities, has_nodes, has_elements;
    PCS_ARRAY(pcs_gmsh_node) nodes;
    int64_t n_surface_elements;
} pcs_gmsh_reader;

// What gmsh calls an element type.
typedef struct pcs_gmsh_type {
    const char *name;
    int32_t number, dimension, n_nodes, order;
} pcs_gmsh_type;

// One element as it was read.
typedef struct pcs_gmsh_element {
    const char *place;
    int64_t tag;
    const pcs_gmsh_type *type;
    const int32_t *groups; // of the mesh
    int32_t n_groups;
    int64_t nodes[PCS_CELL_NODES_MAX]; // their tags
} pcs_gmsh_element;

// Records "file:line: text", in a binary part "file: byte n: text", and returns PCS_ERROR_INPUT.
pcs_status pcs_gmsh_error(const pcs_gmsh_reader *reader, const char *at, const char *format, ...)
    PCS_PRINTF(3, 4);
// The next number: a token of the text or, in a binary file, 4 bytes (int), 8 (size) or 8 (real).
// Outside [low, high] it is an error.
pcs_status pcs_gmsh_int(pcs_gmsh_reader *reader, const char *what, int64_t low, int64_t high,
                        int64_t *value) PCS_MUST_CHECK;
pcs_status pcs_gmsh_size(pcs_gmsh_reader *reader, const char *what, int64_t low, int64_t high,
                         int64_t *value) PCS_MUST_CHECK;
pcs_status pcs_gmsh_real(pcs_gmsh_reader *reader, const char *what, double *value) PCS_MUST_CHECK;
// The same from text, in binary files too.
pcs_status pcs_gmsh_text_int(pcs_gmsh_reader *reader, const char *what, int64_t low, int64_t high,
                             int64_t *value) PCS_MUST_CHECK;
// The rest of the line, where binary data begin behind it.
pcs_status pcs_gmsh_end_line(pcs_gmsh_reader *reader) PCS_MUST_CHECK;

pcs_status pcs_gmsh_point(pcs_gmsh_reader *reader, pcs_vec3 *x) PCS_MUST_CHECK;
pcs_status pcs_gmsh_add_node(pcs_gmsh_reader *reader, int64_t tag, pcs_vec3 x) PCS_MUST_CHECK;
// All nodes are there: sorts them into the mesh.
pcs_status pcs_gmsh_finish_nodes(pcs_gmsh_reader *reader) PCS_MUST_CHECK;
// The row of a type; an error with the remedy for one that is not supported.
pcs_status pcs_gmsh_find_type(const pcs_gmsh_reader *reader, const char *at, int64_t number,
                              const pcs_gmsh_type **type) PCS_MUST_CHECK;
// The group of the mesh under that name, made if need be.
pcs_status pcs_gmsh_group(pcs_gmsh_reader *reader, const char *name, int32_t *group) PCS_MUST_CHECK;
// The group of the mesh for a physical group, made if it has no name; the sign of the tag, which
// stands for a reversed orientation, does not count.
pcs_status pcs_gmsh_physical_group(pcs_gmsh_reader *reader, int32_t dimension, int64_t tag,
                                   int32_t *group) PCS_MUST_CHECK;
pcs_status pcs_gmsh_add_element(pcs_gmsh_reader *reader, const pcs_gmsh_element *element)
    PCS_MUST_CHECK;

// ---- The sections of each version; the scanner stands behind their first word ----

pcs_status pcs_gmsh_v2_nodes(pcs_gmsh_reader *reader) PCS_MUST_CHECK;
pcs_status pcs_gmsh_v2_elements(pcs_gmsh_reader *reader) PCS_MUST_CHECK;
pcs_status pcs_gmsh_v4_entities(pcs_gmsh_reader *reader) PCS_MUST_CHECK;
pcs_status pcs_gmsh_v4_nodes(pcs_gmsh_reader *reader) PCS_MUST_CHECK;
pcs_status pcs_gmsh_v4_elements(pcs_gmsh_reader *reader) PCS_MUST_CHECK;

#endif
