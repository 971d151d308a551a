// Proximal semismooth Newton, the second stage of pcs_friction_solve.
#ifndef PCS_NONSMOOTH_CONTACT_NEWTON_H
#define PCS_NONSMOOTH_CONTACT_NEWTON_H

#include "nonsmooth/nsgs.h"

// Newton from r, which becomes the last point that it trusts; every point is offered to `work` as a
// best iterate. Counts the linear solves in *steps; *done when the tolerance is met. u is scratch.
// PCS_ERROR_MEMORY leaves everything as it was.
pcs_status pcs_contact_polish(pcs_nsgs_work *work, const pcs_friction_contact *problem,
                              const pcs_friction_opts *opts, pcs_arena *arena, double *r, double *u,
                              int32_t *steps, bool *done) PCS_MUST_CHECK;

#endif
