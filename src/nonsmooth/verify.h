// Between the two files of the verifier: what it recomputes from the data before it judges.
#ifndef PCS_NONSMOOTH_VERIFY_H
#define PCS_NONSMOOTH_VERIFY_H

#include "nonsmooth/problem.h"

typedef struct pcs_recomputed {
    long double *u;        // rows: velocities at r
    long double *q;        // rows: velocities at r = 0
    long double *mobility; // rows: W_kk; LCP and MLCP: max_j |M_kj|
    long double equation;  // global: |M v - H r - f| / max(|f|, |M v|, |H r|)
} pcs_recomputed;

// The global class. PCS_ERROR_SINGULAR names the degree of freedom.
pcs_status pcs_verify_global(const pcs_problem *problem, const double *r, pcs_recomputed *out)
    PCS_MUST_CHECK;

#endif
