// Options of the nonsmooth generalized-alpha scheme, in the order of the table in
// nonsmooth_alpha_options.c.
#ifndef PCS_SCHEMES_NONSMOOTH_ALPHA_OPTIONS_H
#define PCS_SCHEMES_NONSMOOTH_ALPHA_OPTIONS_H

#include "schemes/scheme.h"

typedef enum nonsmooth_alpha_option {
    NA_VARIANT,
    NA_RHO_INFINITY,
    NA_CONTACT_SOLVER,
    NA_POSITION_FRICTION,
    NA_RESTING_CONTACTS,
    NA_NEWTON_TOLERANCE,
    NA_FORCE_TOLERANCE,
    NA_CONSTRAINT_TOLERANCE,
    NA_NEWTON_ITERATIONS,
    NA_CONTRACTION,
    NA_LINE_SEARCH,
    NA_SOLVER_TOLERANCE,
    NA_SOLVER_ITERATIONS,
    NA_SCALE_MASS,
    NA_ON_FAILURE,
    NA_IMPACT_SPEED,
    NA_ASSEMBLY_LIMIT,
    NA_OPTION_COUNT
} nonsmooth_alpha_option;

enum { NA_DECOUPLED, NA_NO_FORCES, NA_COUPLED };
enum { NA_SOLVE_NEWTON, NA_SOLVE_COMPLEMENTARITY };
enum { NA_NO, NA_YES };
enum { NA_CORRECTED, NA_IN_SMOOTH };
enum { NA_ACCEPT, NA_SHRINK_STEP, NA_STOP };

extern const pcs_option pcs_na_options[NA_OPTION_COUNT];

#endif
