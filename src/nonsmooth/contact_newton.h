// Proximal semismooth Newton, the second stage of pcs_contact_solve.
#ifndef PCS_NONSMOOTH_CONTACT_NEWTON_H
#define PCS_NONSMOOTH_CONTACT_NEWTON_H

#include "nonsmooth/nsgs.h"

// Tries to improve the best iterate of `work`, which afterwards is the better of the two. Counts its
// linear solves in *steps; true when the tolerance is met. r and u are scratch of W's size.
// PCS_ERROR_MEMORY leaves the best iterate as it was.
pcs_status pcs_contact_polish(pcs_nsgs_work *work, const pcs_friction_contact *problem,
                              const pcs_contact_opts *opts, pcs_arena *arena, double *r, double *u,
                              int32_t *steps, bool *done) PCS_MUST_CHECK;

#endif
