// The default solver of the friction contact problem.
#ifndef PCS_NONSMOOTH_AUTO_H
#define PCS_NONSMOOTH_AUTO_H

#include "nonsmooth/friction_solver.h"

extern const pcs_friction_solver pcs_solver_auto;

#endif
