// Single steps of the adaptive Moreau-Jean scheme, for those who look at each of them.
#ifndef PCS_SCHEMES_MOREAU_JEAN_ADAPTIVE_H
#define PCS_SCHEMES_MOREAU_JEAN_ADAPTIVE_H

#include "schemes/scheme.h"

// One accepted step of at most `rest` from the state on; adds to the report.
pcs_status pcs_mj_adaptive_advance(pcs_scheme *scheme, pcs_state *state, double rest,
                                   pcs_step_report *report) PCS_MUST_CHECK;

#endif
