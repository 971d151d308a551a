// What writers share that do not write to a stream: HDF5 makes its files itself.
#ifndef PCS_IO_OUTPUT_FILE_H
#define PCS_IO_OUTPUT_FILE_H

#include "percuss/io.h"

// The temporary name of a file; the caller frees it. NULL when memory is out.
char *pcs_output_part_name(pcs_context *ctx, const char *path);
// Gives the closed file `part` its name, on disk before an old one goes.
pcs_status pcs_output_publish(pcs_context *ctx, const char *part, const char *path) PCS_MUST_CHECK;
// As pcs_output_file_commit(), but does not wait for the disk: for one of thousands of files that can be
// written again.
pcs_status pcs_output_file_commit_soon(pcs_output_file *file) PCS_MUST_CHECK;

#endif
