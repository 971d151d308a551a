// What many sweeps by runs read in place of W: a copy in single precision of the part between the
// blocks that carry an impulse. The others rest at zero, where they neither change nor act on
// others; they are looked at whenever the velocities are known, and come back when they approach.
#ifndef PCS_NONSMOOTH_SWEEP_COPY_H
#define PCS_NONSMOOTH_SWEEP_COPY_H

#include "linalg/single_blocks.h"
#include "nonsmooth/friction_contact.h"
#include "nonsmooth/run_order.h"
#include "nonsmooth/sweep_mixing.h"

typedef struct pcs_sweep_copy {
    const pcs_friction_contact *problem;
    pcs_run_order *runs;
    pcs_tasks *tasks;
    pcs_single_blocks blocks;
    double *q;      // q with what the copy lacks, of the blocks that are kept
    uint8_t *kept;  // blocks that the sweeps visit
    int32_t *start; // entries before each run
    int32_t *count; // of each run: what was counted last
} pcs_sweep_copy;

// Storage; every block has three rows, and the values of W lie in the order of its entries.
pcs_status pcs_sweep_copy_init(pcs_sweep_copy *copy, const pcs_friction_contact *problem,
                               pcs_run_order *runs, pcs_tasks *tasks, pcs_arena *arena)
    PCS_MUST_CHECK;
// Copies all blocks, or where `settled`, and if these are not nearly all, those with an impulse: in
// r or, where iterates are mixed (else NULL), in one that is remembered. False: W has entries that
// single precision has not.
bool pcs_sweep_copy_make(pcs_sweep_copy *copy, const double *r, const pcs_sweep_mixing *mixing,
                         bool settled);
// When u = W r + q is known: renews what the copy lacks, and the copy itself if blocks come back.
bool pcs_sweep_copy_correct(pcs_sweep_copy *copy, const double *r, const double *u);

#endif
