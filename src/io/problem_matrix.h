// Matrices in the text formats of Siconos' numerics (docs/problem-file.md), reading.
#ifndef PCS_IO_PROBLEM_MATRIX_H
#define PCS_IO_PROBLEM_MATRIX_H

#include "io/problem_file.h"
#include "io/problem_scan.h"

// Reads a matrix of any storage type, which must have the given size unless that is negative. The
// list, which must be empty, belongs to the caller even if reading fails. Zeros of a dense matrix
// are left out, zeros of blocks and sparse entries are kept.
pcs_status pcs_problem_scan_matrix(pcs_scan *scan, const char *name, int32_t rows, int32_t columns,
                                   pcs_triplet_list *list) PCS_MUST_CHECK;

#endif
