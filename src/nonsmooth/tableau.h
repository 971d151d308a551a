// A tableau (dictionary) of pivoting methods: basic variables as affine functions of the others,
//     x_B = T x_N + t,     the constants t in the last column.
#ifndef PCS_NONSMOOTH_TABLEAU_H
#define PCS_NONSMOOTH_TABLEAU_H

#include "base/arena.h"

typedef struct pcs_tableau {
    int32_t rows, columns; // columns without the constants
    double *T;             // rows x (columns + 1), row-major
    int32_t *basic;        // variable of each row
    int32_t *nonbasic;     // variable of each column
} pcs_tableau;

pcs_status pcs_tableau_init(pcs_tableau *tableau, pcs_arena *arena, int32_t rows, int32_t columns)
    PCS_MUST_CHECK;

static inline double *pcs_tableau_row(const pcs_tableau *tableau, int32_t row)
{
    return tableau->T + (int64_t)row * (tableau->columns + 1);
}

static inline double pcs_tableau_constant(const pcs_tableau *tableau, int32_t row)
{
    return pcs_tableau_row(tableau, row)[tableau->columns];
}

// The variables of `row` and `column` change places. The entry must not be zero.
void pcs_tableau_pivot(pcs_tableau *tableau, int32_t row, int32_t column);

// Computes T anew from the data for the present basis of w = A z + b (+ d z0, if d is not NULL; it
// is then the last column at the start), with the variables w_i = i, z_i = rows + i, z0 = 2 rows.
// work: rows (rows + columns + 1) values; pivot: rows. False, with T unchanged, if the basis is
// singular.
bool pcs_tableau_recompute(pcs_tableau *tableau, const double *A, const double *b, const double *d,
                           double *work, int32_t *pivot);

#endif
