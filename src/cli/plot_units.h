// Units of signals as plots show them.
#ifndef PCS_CLI_PLOT_UNITS_H
#define PCS_CLI_PLOT_UNITS_H

#include "percuss/io.h"

// "m", "rad/s"...; "" without a unit; "state" for states of contacts; "?" if the path is unknown.
const char *plot_signal_unit(const pcs_result *result, const char *path);

#endif
