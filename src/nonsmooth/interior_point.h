// Interior point method for the friction contact problem (docs/theory/second-order-solvers.md).
#ifndef PCS_NONSMOOTH_INTERIOR_POINT_H
#define PCS_NONSMOOTH_INTERIOR_POINT_H

#include "nonsmooth/friction_solver.h"

extern const pcs_friction_solver pcs_solver_interior_point;

// Options of the row, in the order of its table.
enum {
    PCS_INTERIOR_POINT_UPDATE,
    PCS_INTERIOR_POINT_FOLLOW,
    PCS_INTERIOR_POINT_STEPS,
    PCS_INTERIOR_POINT_OPTIONS
};
enum { PCS_INTERIOR_POINT_EMBEDDED, PCS_INTERIOR_POINT_OUTER };
enum {
    PCS_INTERIOR_POINT_FOLLOW_OFF,
    PCS_INTERIOR_POINT_FOLLOW_ON,
    PCS_INTERIOR_POINT_FOLLOW_ONCE
};

#endif
