// Begin and end of a run of an MLCP solver; the part between is in mlcp_internal.h.
#ifndef PCS_NONSMOOTH_MLCP_RUN_H
#define PCS_NONSMOOTH_MLCP_RUN_H

#include "nonsmooth/mlcp_internal.h"

// Scales the problem, and keeps z as the first best point, its residual measured.
pcs_status pcs_mlcp_run_init(pcs_mlcp_run *run, const pcs_mlcp *problem, const pcs_solve_opts *opts,
                             pcs_arena *arena, const double *z, pcs_solve_info *info)
    PCS_MUST_CHECK;
// z in scaled units
void pcs_mlcp_run_start(const pcs_mlcp_run *run, const double *z, double *y);
// Appends a stage to the info.
void pcs_mlcp_run_stage(pcs_mlcp_run *run, const char *name, int32_t iterations);
// z becomes the best point, w its M z + q; fills the info. PCS_OK, PCS_NOT_CONVERGED or
// PCS_INTERRUPTED.
pcs_status pcs_mlcp_run_finish(pcs_mlcp_run *run, double *z, double *w);

// Row and column scales of M' = R M C for pcs_mlcp_run_init and the enumeration; powers of two.
void pcs_mlcp_equilibrate(const pcs_mlcp *problem, double *row_scale, double *column_scale);
// M', q' = R q / s with s taken up into the column scale, in arena memory.
pcs_status pcs_mlcp_scale(const pcs_mlcp *problem, pcs_arena *arena, double *row_scale,
                          double *column_scale, pcs_mlcp *scaled) PCS_MUST_CHECK;

#endif
