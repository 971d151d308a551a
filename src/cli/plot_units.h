// Units of signals, from their paths (docs/signals.md).
#ifndef PCS_CLI_PLOT_UNITS_H
#define PCS_CLI_PLOT_UNITS_H

#include "percuss/io.h"

// "m", "rad/s"...; "" without a unit; "state" for states of contacts; "?" if the path is unknown.
// The limits of a joint are contacts whose gap may be an angle; the result knows the joint.
const char *plot_signal_unit(const pcs_result *result, const char *path);

#endif
