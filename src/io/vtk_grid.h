// Deformed meshes of a result as an unstructured grid, one text for each frame.
#ifndef PCS_IO_VTK_GRID_H
#define PCS_IO_VTK_GRID_H

#include "io/vtk_xml.h"
#include "percuss/io.h"

// One frame: the quantities mesh/position, mesh/velocity and mesh/result.
typedef struct pcs_vtk_grid_frame {
    double time;
    const double *position, *velocity, *result; // result NULL: none is stored
} pcs_vtk_grid_frame;

// Bytes of scratch that printing needs.
size_t pcs_vtk_grid_scratch(const pcs_result *result);
void pcs_vtk_grid_print(pcs_vtk_text *text, const pcs_result *result,
                        const pcs_vtk_grid_frame *frame, void *scratch);

#endif
