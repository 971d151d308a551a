// Inside of the modal analysis, shared by modes.c (what is solved) and eigen.c (how).
//
//     K x = omega^2 M x + G^T p,    G x = 0,    K and M symmetric
#ifndef PCS_SIMULATION_MODES_H
#define PCS_SIMULATION_MODES_H

#include "percuss/analysis.h"
#include "simulation/simulation.h"

// The matrices of the problem. `saddle` has K in its values; M is applied by the model.
typedef struct pcs_eigen {
    pcs_context *ctx;
    const pcs_model *model;
    const pcs_configuration *c;
    pcs_saddle *saddle;
    int32_t (*pairs)[2], n_pairs;
    int32_t n_blocks, n_rows; // G: joints, then closed contacts
    const pcs_row_block *rows;
    double *mass; // diagonal of M, n_v
} pcs_eigen;

// y = A x with the values in the saddle
void pcs_eigen_multiply(const pcs_eigen *e, const double *x, double *y);

// The lowest *n modes, at most; *n becomes what there is. `shape` has room for that many vectors,
// one after the other, and gets them with x^T M x = 1; `square` gets omega^2, ascending. *freedoms:
// motions that G allows.
pcs_status pcs_eigen_dense(const pcs_eigen *e, int32_t *n, double *square, double *shape,
                           int32_t *freedoms) PCS_MUST_CHECK;
// The values of the saddle are changed.
pcs_status pcs_eigen_sparse(const pcs_eigen *e, int32_t *n, double *square, double *shape,
                            int32_t *freedoms) PCS_MUST_CHECK;

#endif
