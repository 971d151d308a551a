// Pressure on one face of a surface: it follows the face, normal to where the face is now.
#ifndef PCS_ELEMENTS_FACE_PRESSURE_H
#define PCS_ELEMENTS_FACE_PRESSURE_H

#include <stdint.h>

#include "percuss/math.h"

// x: present places of the n_nodes nodes, counterclockwise seen from outside: 3 or 4 in space; 2 in
// the plane (z is not read), with the body to the left of the way from the first to the second, per
// unit thickness. A positive pressure pushes against the outside normal.
// f (overwritten): 3 n_nodes values (2 nodes: 4). K (overwritten unless NULL) = -df/dx, row-major,
// not symmetric.
void pcs_face_pressure(int32_t n_nodes, const pcs_vec3 *x, double pressure, double *f, double *K);

#endif
