// The method that takes over from explicit ones where friction turns faster than they can follow.
#ifndef PCS_SCHEMES_EXTRAPOLATION_H
#define PCS_SCHEMES_EXTRAPOLATION_H

#include "schemes/integrator.h"

extern const pcs_integrator_class pcs_integrator_extrapolation; // not in the table

// Bound of the rate at which velocities follow the direction of friction at a point, 1/s; 0 where
// nothing slides in space. One evaluation of the equations.
pcs_status pcs_extrapolation_turn_rate(pcs_integrator *integrator, const pcs_smooth_point *at,
                                       double *rate) PCS_MUST_CHECK;

#endif
