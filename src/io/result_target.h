// The names of a result: the final one, checked before the run, and the temporary one until it is closed.
#ifndef PCS_IO_RESULT_TARGET_H
#define PCS_IO_RESULT_TARGET_H

#include "percuss/base.h"

// What would make the final rename fail or replace something other than a result is found before
// the run, not after it.
pcs_status pcs_result_check_target(pcs_context *ctx, const char *path) PCS_MUST_CHECK;
// Gives the closed file its final name, on disk before the old result goes.
pcs_status pcs_result_publish(pcs_context *ctx, const char *part, const char *path) PCS_MUST_CHECK;

#endif
