// What every fuzz target asks of the library, whatever the bytes were.
#ifndef PERCUSS_FUZZ_CHECKS_H
#define PERCUSS_FUZZ_CHECKS_H

#include "percuss/base.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// Ends the process, which libFuzzer counts as a finding, with the last error of the context.
void fuzz_require(bool condition, const char *what, const pcs_context *ctx);
// Of a status < 0: the error has a text of one line.
void fuzz_check_error(const pcs_context *ctx);
// All memory was given back; destroys the context.
void fuzz_end(pcs_context *ctx);
// A path in a folder of this process, which is removed at its end; valid until the next call.
const char *fuzz_path(const char *name);
// A file with these bytes, the same one for each call. HDF5 opens only files that have a name.
const char *fuzz_file(const void *bytes, size_t size);

// A file in memory, from malloc.
typedef struct fuzz_image {
    void *bytes;
    size_t size;
} fuzz_image;

fuzz_image fuzz_image_of_file(const char *path);

#endif
