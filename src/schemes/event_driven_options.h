// Options of the event-driven scheme and, behind them in the same table, of the hybrid one that
// embeds it.
#ifndef PCS_SCHEMES_EVENT_DRIVEN_OPTIONS_H
#define PCS_SCHEMES_EVENT_DRIVEN_OPTIONS_H

#include "percuss/options.h"

typedef enum event_driven_option {
    ED_INTEGRATOR,
    ED_TOLERANCE,
    ED_STEP_CONTROL,
    ED_ERROR_NORM,
    ED_RELATIVE,
    ED_FIRST_STEP,
    ED_SMALLEST_STEP,
    ED_LARGEST_STEP,
    ED_SAFETY,
    ED_GROWTH,
    ED_DRIFT_MAX,
    ED_STABILISATION,
    ED_BAUMGARTE_ALPHA,
    ED_BAUMGARTE_BETA,
    ED_PROJECTION_TOLERANCE,
    ED_RHO_INFINITY,
    ED_NEWTON_TOLERANCE,
    ED_NEWTON_ITERATIONS,
    ED_ESTIMATE_CONSTANT,
    ED_LOCATOR,
    ED_EVENT_TOLERANCE,
    ED_SAMPLES,
    ED_GAP_TOLERANCE,
    ED_VELOCITY_TOLERANCE,
    ED_CLUSTER,
    ED_ZENO_COUNT,
    ED_ZENO_TIME,
    ED_OUTPUT,
    ED_SOLVER_TOLERANCE,
    ED_SOLVER_ITERATIONS,
    ED_ASSEMBLY_LIMIT,
    ED_OPTION_COUNT,
    // Of the hybrid scheme alone
    HY_SMALLEST_TIME_STEP = ED_OPTION_COUNT,
    HY_LARGEST_TIME_STEP,
    HY_STEADY_STEPS,
    HY_FRICTION_SWITCH,
    HY_THETA,
    HY_PROJECTION,
    HY_OPTION_COUNT
} event_driven_option;

enum { ED_LINEAR, ED_QUADRATIC, ED_BRACKET };
enum { ED_DENSE, ED_EXACT };
enum { HY_STICKING, HY_TURNING };

extern const pcs_option pcs_ed_options[HY_OPTION_COUNT];

#endif
