// The terms of the smooth equations at an instant, for methods that solve them by Newton's method:
//
//     r = M(q) v' - f(t, q, v) - B^T lambda,     g(t, q),     G v - rate
//
// Rows in the order of smooth_system.h.
#ifndef PCS_SCHEMES_SMOOTH_TERMS_H
#define PCS_SCHEMES_SMOOTH_TERMS_H

#include "schemes/smooth_system.h"

// Views into the smooth system, valid until its next evaluation at another instant.
typedef struct pcs_smooth_terms {
    const pcs_configuration *c;
    int32_t n_blocks;           // joints in the order of the model, then closed contacts
    const pcs_row_block *G, *B; // same pattern; equal pointers where nothing slides
    const double *f, *g, *rate;
    pcs_power power; // of f along v
} pcs_smooth_terms;

pcs_smooth_terms pcs_smooth_evaluate(pcs_smooth *smooth, double t, const double *q,
                                     const double *v);
// Powers by account (PCS_WORK_COUNT numbers) at the instant of the terms with these multipliers.
void pcs_smooth_power(pcs_smooth *smooth, const pcs_smooth_terms *terms, const double *lambda,
                      double *power);

#endif
