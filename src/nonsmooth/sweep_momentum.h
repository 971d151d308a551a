// Sweeps with momentum [MazharHeynNegrutTasora2015], restarted [ODonoghueCandes2015]. With one
// sweep r -> G(r),
//
//     y = P_K(x_k + b_k (x_k - x_{k-1})),     x_{k+1} = G(y),     b_k = (k - 1) / (k + 2).
//
// Where the contacts keep their states, G is affine and slow for loads that travel far; b_k near 1
// makes them travel 1/(1 - b_k) times as fast. Sets of states that almost have a solution let
// sweeps drift past them, with a residual that hardly changes. Methods that lower the residual
// (mixing, a line search) come to rest there; momentum only makes the drift faster. k starts again
// where G leads against the momentum, or where the change G(y) - y grows.
#ifndef PCS_NONSMOOTH_SWEEP_MOMENTUM_H
#define PCS_NONSMOOTH_SWEEP_MOMENTUM_H

#include "nonsmooth/nsgs.h"

typedef struct pcs_sweep_momentum {
    pcs_nsgs_work sweeps;
    double *weight;  // of each row: trace(W_ii)
    double *iterate; // x_k
    double *last;    // x_{k-1}
    double *point;   // y, and G(y) after the sweep
    double *part;    // sums of each piece, added in order: the same bits for any number of threads
    int32_t age;     // k: sweeps since the last start
    double factor;   // b_k
    double smallest; // |G(y) - y| since then
} pcs_sweep_momentum;

// Takes storage from the arena.
pcs_status pcs_sweep_momentum_init(pcs_sweep_momentum *momentum,
                                   const pcs_friction_contact *problem, pcs_arena *arena)
    PCS_MUST_CHECK;
// Begins at r, without momentum.
void pcs_sweep_momentum_start(pcs_sweep_momentum *momentum, const double *r);
// At most `max_sweeps` more, counted in *sweeps; r becomes the last iterate. True when the monitor
// says so (done or stopped).
bool pcs_sweep_momentum_run(pcs_sweep_momentum *momentum, pcs_monitor *monitor, int32_t max_sweeps,
                            double *r, int32_t *sweeps);

#endif
