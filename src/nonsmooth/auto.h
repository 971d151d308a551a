// The default solver of the friction contact problem.
#ifndef PCS_NONSMOOTH_AUTO_H
#define PCS_NONSMOOTH_AUTO_H

#include "nonsmooth/friction_solver.h"

extern const pcs_friction_solver pcs_solver_auto;

// Options of the row, in the order of its table.
enum {
    PCS_AUTO_SWEEPS,
    PCS_AUTO_NEWTON_STEPS,
    PCS_AUTO_RESTARTS,
    PCS_AUTO_POLISH,
    PCS_AUTO_PATH_STEPS,
    PCS_AUTO_COVERS,
    PCS_AUTO_DESCENTS,
    PCS_AUTO_OPTIONS
};

#endif
