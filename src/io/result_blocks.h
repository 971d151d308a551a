// Stored quantities of a result by frames, for exporters; pcs_result_signal() reads by columns.
#ifndef PCS_IO_RESULT_BLOCKS_H
#define PCS_IO_RESULT_BLOCKS_H

#include <hdf5.h>

#include "io/result_layout.h"

int32_t pcs_result_dimension(const pcs_result *result);
int32_t pcs_result_object_count(const pcs_result *result, pcs_owner owner);
const char *pcs_result_object_name(const pcs_result *result, pcs_owner owner, int32_t i);
bool pcs_result_has_quantity(const pcs_result *result, pcs_quantity quantity);
// All numbers of frames first, first + 1, ..., first + count - 1: count * objects * width.
pcs_status pcs_result_read_frames(pcs_result *result, pcs_quantity quantity, int64_t first,
                                  int64_t count, double *values) PCS_MUST_CHECK;
hid_t pcs_result_hdf5(const pcs_result *result);
const char *pcs_result_path(const pcs_result *result);

#endif
