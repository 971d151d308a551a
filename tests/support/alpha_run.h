// Runs of the nonsmooth generalized-alpha scheme that are checked step by step: every problem of
// every step converges, no step is repeated, joints and gaps are kept to 1e-10.
#ifndef PCS_TESTS_SUPPORT_ALPHA_RUN_H
#define PCS_TESTS_SUPPORT_ALPHA_RUN_H

#include "schemes/nonsmooth_alpha.h"

// Largest joint error and penetration allowed at the end of any step.
#define ALPHA_KEPT 1e-10

// One step, checked.
void alpha_step(pcs_simulation *simulation);
// Steps to the end of the run.
void alpha_finish(pcs_simulation *simulation);
// Newton iterations of the three problems so far.
const na_counts *alpha_counts(const pcs_simulation *simulation);
// Time of the first event of this kind with number `skip` of the slot (-1: any), NaN without one.
double alpha_event(const pcs_simulation *simulation, pcs_event_kind kind, int32_t slot, int skip);

#endif
