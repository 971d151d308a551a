// Steps that resolve what depends on time. The estimate of an integrator sees forces by what they
// move. A force on a body that contacts hold moves nothing: the estimate is zero, and a step may be
// as long as many periods of the force, whose releases and slips nobody finds. The same happens
// where a step begins and ends in zeros of a force. So formulas of time are looked at themselves:
// at the state where the step begins, each is a function of t alone, and over a step of length h it
// must be the polynomial that the forces of the step are taken for, to a hundredth of its size
// (docs/theory/event-search.md).
#ifndef PCS_SCHEMES_TIME_RESOLUTION_H
#define PCS_SCHEMES_TIME_RESOLUTION_H

#include "schemes/integrator.h"

typedef struct pcs_time_resolution pcs_time_resolution;

// *out is NULL if nothing depends on time.
pcs_status pcs_time_resolution_create(pcs_context *ctx, const pcs_model *model,
                                      pcs_time_resolution **out) PCS_MUST_CHECK;
void pcs_time_resolution_destroy(pcs_time_resolution *resolution);

// The longest step from the point that is found to resolve all functions, at most `h` and not below
// `least`. `degree` is 1 or 3: of the polynomials in time that forces inside a step are taken for.
double pcs_time_resolution_length(pcs_time_resolution *resolution, const pcs_smooth *smooth,
                                  const pcs_smooth_point *from, double h, double least,
                                  int32_t degree);

#endif
