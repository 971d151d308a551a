// Sweeps with momentum and strides of Newton's method in turns: for large problems at tight
// tolerances.
#ifndef PCS_NONSMOOTH_STRIDES_H
#define PCS_NONSMOOTH_STRIDES_H

#include "nonsmooth/friction_solver.h"

typedef struct pcs_strides_opts {
    int32_t first;      // sweeps before the first stride
    int32_t sweeps;     // after each stride
    int32_t strides;    // at most
    int32_t iterations; // sweeps and strides at most
} pcs_strides_opts;

typedef struct pcs_strides_info {
    int32_t iterations, factorisations; // added to
} pcs_strides_info;

// From the best iterate of the monitor until it says so, or a limit or rounding ends it. r becomes
// the last iterate. Storage comes from the arena and is given back.
pcs_status pcs_strides_run(const pcs_friction_contact *problem, pcs_monitor *monitor,
                           const pcs_strides_opts *opts, pcs_arena *arena, double *r,
                           pcs_strides_info *info) PCS_MUST_CHECK;

#endif
