// Kernels on vectors in single precision, computed in double. On processors that have them vectors
// of four doubles are used; the operations and their order are the same, and so are the bits.
#ifndef PCS_LINALG_SINGLE_VECTORS_H
#define PCS_LINALG_SINGLE_VECTORS_H

#include <stdint.h>

// *a = x . y and *b = x . z in one pass
void pcs_single_dot_both(int32_t n, const float *x, const double *y, const double *z, double *a,
                         double *b);
// y -= c x
void pcs_single_subtract(int32_t n, double c, const float *x, double *y);

#endif
