// What results hold for pictures: the table of drawings, and the older one of body shapes.
#ifndef PCS_IO_RESULT_DRAWINGS_H
#define PCS_IO_RESULT_DRAWINGS_H

#include "io/hdf5_table.h"
#include "percuss/io.h"

// Both write their tables; PCS_ERROR_IO without a message when HDF5 fails.
pcs_status pcs_result_put_shapes(pcs_context *ctx, hid_t file, const pcs_model *model);
pcs_status pcs_result_put_drawings(pcs_context *ctx, hid_t file, const pcs_model *model);

typedef struct pcs_drawing_list {
    pcs_drawing *items;
    int32_t count;
    char *names;        // texts that the items refer to; NULL: they are the names of bodies
    pcs_vec2 *vertices; // of all polylines
} pcs_drawing_list;

// Reads the drawings, or those that the shapes give where a file has no others; a file with neither
// has none. Kinds that this program does not know are left out. PCS_ERROR_INPUT without a message
// if a table is damaged.
typedef const char *(*pcs_body_name_fn)(const void *user, int32_t body);
typedef struct pcs_drawing_counts {
    int32_t bodies, nodes; // of all meshes
} pcs_drawing_counts;
pcs_status pcs_result_read_drawings(pcs_context *ctx, hid_t file, const pcs_drawing_counts *n,
                                    pcs_body_name_fn body_name, const void *user,
                                    pcs_drawing_list *list);
void pcs_drawing_list_free(pcs_context *ctx, pcs_drawing_list *list);

#endif
