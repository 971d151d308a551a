// Limits of the judgement of a run (evidence.c), which the explanations of its rows name
// (evidence_explain.c): from where on a number is worth a notice, and from where on the run is not to be
// trusted. Where nothing else is said the second one is where an error can be seen in a plot.
#ifndef PCS_IO_EVIDENCE_LIMITS_H
#define PCS_IO_EVIDENCE_LIMITS_H

static const double RESIDUAL_NOTICE = 1e-8, RESIDUAL_BAD = 1e-4;     // relative
static const double PENETRATION_NOTICE = 1e-6;                       // m: below any machined fit
static const double PENETRATION_PART = 1e-4, PENETRATION_BAD = 1e-2; // of the size of the model
static const double DRIFT_NOTICE = 1e-6, DRIFT_BAD = 1e-3;           // m or rad
static const double VELOCITY_NOTICE = 1e-6, VELOCITY_BAD = 1e-2;     // m/s or rad/s
static const double REMAINDER_NOTICE = 1e-2, REMAINDER_BAD = 1e-1;   // of the largest energy
static const double START_LIMIT = 1e-9;                              // m: more than rounding
static const double ASSEMBLY_NOTICE = 1e-3; // m, rad: more than a typed digit
static const double REJECTED_NOTICE = 0.1;  // of the accepted steps
static const double UNCONVERGED_BAD = 0.01; // of the accepted steps
static const double ERROR_NOTICE = 5e-2;    // of the largest displacement: seen in a plot
static const double VELOCITY_ERROR_NOTICE = 0.5;
// Of the motion in a step. Where a step is wrong by half of what moves in it, nothing is resolved.
static const double STEP_ERROR_NOTICE = 0.1, STEP_ERROR_BAD = 0.5;
static const double RATE_NOTICE = 1; // h omega: six steps in a period, 8 % of it lost or gained
static const double STIFF = 2;       // h omega from where on explicit steps are unstable
static const double TURN_NOTICE = 1; // rad in a step: (h omega)^2/12 of a turn is 8 %
static const double WAY_NOTICE = 1;  // own sizes in a step
static const double GAIN_NOTICE = 1e-3, GAIN_BAD = 0.1;         // of the largest energy
static const double MOMENTUM_NOTICE = 1e-3, MOMENTUM_BAD = 0.1; // of the largest momentum

#endif
