// Pressure on a face of a mesh.
#ifndef PCS_ELEMENTS_FACE_PRESSURE_H
#define PCS_ELEMENTS_FACE_PRESSURE_H

#include <stdint.h>

#include "percuss/math.h"

void pcs_face_pressure(int32_t n_nodes, const pcs_vec3 *x, double pressure, double *f, double *K);

#endif
