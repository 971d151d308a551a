// Anderson mixing of sweeps [Anderson1965; WalkerNi2011]. A sweep is a fixed-point map r -> G(r);
// where the contacts keep their states it is affine, and slow for loads that travel far (a pile).
// With f_k = G(r_k) - r_k of the last iterates the next one is
//     r = G(r_k) - sum_j c_j (G(r_{k-j+1}) - G(r_{k-j})),   c = argmin | f_k - sum_j c_j df_j |,
// in the norm with the weights trace(W_ii), projected on the cones. The sums are formed in pieces
// that do not depend on the threads.
#ifndef PCS_NONSMOOTH_SWEEP_MIXING_H
#define PCS_NONSMOOTH_SWEEP_MIXING_H

#include "base/tasks.h"
#include "nonsmooth/friction_contact.h"

enum { PCS_MIXING_MAX = 10 };

typedef struct pcs_sweep_mixing {
    const pcs_friction_contact *problem;
    pcs_tasks *tasks; // NULL: one thread, the same bits
    int32_t memory, count, next;
    bool has_last;
    double *weight; // of each row
    double *point;  // the iterate before the sweep
    double *last_f, *last_G;
    double *df, *dG; // memory x rows
    double *part;    // sums of each piece
    double gram[PCS_MIXING_MAX * PCS_MIXING_MAX];
    double c[PCS_MIXING_MAX];
    double smallest; // |f| so far, since the last restart
} pcs_sweep_mixing;

// `memory` differences, 1 to PCS_MIXING_MAX.
pcs_status pcs_sweep_mixing_init(pcs_sweep_mixing *mixing, const pcs_friction_contact *problem,
                                 int32_t memory, pcs_tasks *tasks, pcs_arena *arena) PCS_MUST_CHECK;
// A memory that suits a problem of this size. A load travels from layer to layer and a heap of n
// contacts has some cbrt(n/3) layers; a third of them has proved enough.
int32_t pcs_sweep_mixing_memory(int32_t n);
// Around each sweep: before keeps the iterate, after replaces r = G(point) by the next iterate.
void pcs_sweep_mixing_before(pcs_sweep_mixing *mixing, double *r);
void pcs_sweep_mixing_after(pcs_sweep_mixing *mixing, double *r);

#endif
