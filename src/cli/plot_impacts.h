// Impacts of a contact as stems in N s: "contact.NAME.impact" beside the signals of a result.
#ifndef PCS_CLI_PLOT_IMPACTS_H
#define PCS_CLI_PLOT_IMPACTS_H

#include "percuss/io.h"

// The contact whose impacts a path names; -1: none.
int32_t plot_impacts_contact(const pcs_result *result, const char *path);
// Three points for each impact: on the axis, at its normal impulse, and a gap (NaN) behind. Both
// arrays are the caller's to free, and there even if there are no impacts.
pcs_status plot_impacts_read(pcs_result *result, int32_t contact, double **x, double **y,
                             int64_t *count) PCS_MUST_CHECK;

#endif
