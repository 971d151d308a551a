#include "elements/face_pressure.h"
void pcs_face_pressure(int32_t n_nodes, const pcs_vec3 *x, double pressure, double *f, double *K)
{
    (void)n_nodes;
    (void)x;
    (void)pressure;
    (void)f;
    (void)K;
}
