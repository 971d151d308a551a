// Products with the matrix A that stands in a saddle system.
#ifndef PCS_SIMULATION_BLOCK_PRODUCT_H
#define PCS_SIMULATION_BLOCK_PRODUCT_H

#include "model/model.h"

typedef struct pcs_block_product {
    const pcs_model *model;
    pcs_saddle *saddle;
    const int32_t (*pairs)[2]; // the couplings of the saddle, in their order
    int32_t n_pairs;
} pcs_block_product;

// y = A x, or |A| |x|
void pcs_block_multiply(const pcs_block_product *A, bool absolute, const double *x, double *y);

#endif
