// Steps of schemes that do not locate events, over the corners of bilateral curves. A step that
// passes a corner would see one normal at its beginning and another one at its end: Newton's method
// has no solution there, or velocities get the normal of the one face along that of the other,
// which makes energy. Steps are cut at corners instead, where the velocity turns by Glocker's law
// (corner_impact.h), as in the event-driven scheme.
#ifndef PCS_SCHEMES_CORNER_STEPS_H
#define PCS_SCHEMES_CORNER_STEPS_H

#include "schemes/scheme.h"

// For a scheme whose model has corners, which its class does not turn by itself; *out is NULL
// otherwise.
pcs_status pcs_corner_steps_create(const pcs_scheme *scheme, pcs_corner_steps **out) PCS_MUST_CHECK;
void pcs_corner_steps_destroy(pcs_context *ctx, pcs_corner_steps *s);

// As class->step().
pcs_status pcs_corner_steps_take(pcs_scheme *scheme, pcs_state *state, double h,
                                 pcs_step_report *report) PCS_MUST_CHECK;

#endif
