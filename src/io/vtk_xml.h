// VTK's XML files: text in memory with arrays as compressed base64, written at once.
#ifndef PCS_IO_VTK_XML_H
#define PCS_IO_VTK_XML_H

#include "base/context.h"

typedef enum pcs_vtk_type {
    PCS_VTK_UINT8,
    PCS_VTK_INT32,
    PCS_VTK_FLOAT32,
    PCS_VTK_FLOAT64
} pcs_vtk_type;

typedef struct pcs_vtk_text {
    pcs_context *ctx;
    char *bytes;
    size_t size, room;
    unsigned char *packed; // scratch of the compression
    size_t packed_room;
    bool failed; // memory is out; the error is recorded
} pcs_vtk_text;

void pcs_vtk_init(pcs_vtk_text *text, pcs_context *ctx);
void pcs_vtk_free(pcs_vtk_text *text);

void pcs_vtk_print(pcs_vtk_text *text, const char *format, ...) PCS_PRINTF(2, 3);
// A number that reads back to the same bits, with a point in every locale.
void pcs_vtk_number(pcs_vtk_text *text, double value);
// Opening tag of a file of this kind ("PolyData"), with version, byte order and compressor.
void pcs_vtk_begin(pcs_vtk_text *text, const char *kind);
void pcs_vtk_end(pcs_vtk_text *text);
// <DataArray>: `count` numbers in tuples of `components`.
void pcs_vtk_array(pcs_vtk_text *text, pcs_vtk_type type, const char *name, int components,
                   size_t count, const void *values);
// <Array> of texts; left out if there are none.
void pcs_vtk_strings(pcs_vtk_text *text, const char *name, int32_t count,
                     const char *(*get)(const void *user, int32_t i), const void *user);

// Writes the text to a file, which for a frame need not be on the disk at once.
pcs_status pcs_vtk_write(pcs_vtk_text *text, const char *path, bool is_frame) PCS_MUST_CHECK;

#endif
