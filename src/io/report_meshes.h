// Meshes of a report: what of them is drawn. Of solids that is their surface, of bars and beams
// all.
#ifndef PCS_IO_REPORT_MESHES_H
#define PCS_IO_REPORT_MESHES_H

#include "base/array.h"
#include "io/result_file.h"

// A quantity that colours pictures, of all meshes that have it.
typedef struct pcs_report_field {
    const char *name, *unit;
    double least, most; // over all drawn points and frames
} pcs_report_field;

typedef struct pcs_report_mesh {
    const pcs_stored_mesh *mesh;
    int32_t *place; // of each node among the drawn points; -1: not drawn
    int32_t *node;  // of each drawn point
    int32_t n_points;
    PCS_ARRAY(int32_t) triangles, edges; // three and two points each
    // Elements around each drawn point: those of point i from first[i] to first[i + 1].
    int32_t *first;
    int64_t *around; // place of the results of an element in mesh/result; part in `part`
    int32_t *part;
} pcs_report_mesh;

typedef struct pcs_report_meshes {
    pcs_report_mesh *items;
    int32_t count;
    PCS_ARRAY(pcs_report_field) fields; // speed first
    int64_t frame_bytes;                // in the arrays of one drawn frame
} pcs_report_meshes;

// Chooses points, triangles and edges; the ranges of the fields come later.
pcs_status pcs_report_meshes_init(pcs_context *ctx, const pcs_result *result,
                                  pcs_report_meshes *meshes) PCS_MUST_CHECK;
void pcs_report_meshes_free(pcs_context *ctx, pcs_report_meshes *meshes);
// Value of a field at a drawn point: the speed, or the mean over the elements around it; NaN: none.
double pcs_report_field_value(const pcs_report_mesh *mesh, const pcs_report_field *field,
                              int32_t point, const double *velocity, const double *results);
// Whether a mesh has the field.
bool pcs_report_has_field(const pcs_report_mesh *mesh, const pcs_report_field *field);

#endif
