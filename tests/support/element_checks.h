// Checks of the force terms of a whole model under a probe: tangents K = -df/dq and C = -df/dv
// against finite differences of the forces, elastic forces against the gradient of the potential,
// powers against f.v, the kinetic energy against v.M v/2.
#ifndef PCS_TESTS_ELEMENT_CHECKS_H
#define PCS_TESTS_ELEMENT_CHECKS_H

#include "support/probe.h"

#define CHECK_ROUNDING 1e-12 // sums of some dozens of terms of size 100

enum { CHECK_K = 1, CHECK_C = 2, CHECK_BOTH = 3 };

void check_tangents(probe *p, unsigned which, const char *name);
// Forces without damping are -dV/dq, weight included.
void check_conservative(probe *p, const char *name);
// What elastic forces and weight take from the motion goes into V, the rest is the sum of the
// powers.
void check_powers(probe *p, const char *name);
// M x by multiplication is that of the matrix.
void check_mass(probe *p, const char *name);

#endif
