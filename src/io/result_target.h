// The name of a result, checked before the run.
#ifndef PCS_IO_RESULT_TARGET_H
#define PCS_IO_RESULT_TARGET_H

#include "percuss/base.h"

// What would make the final rename fail or replace something other than a result is found before
// the run, not after it.
pcs_status pcs_result_check_target(pcs_context *ctx, const char *path) PCS_MUST_CHECK;

#endif
