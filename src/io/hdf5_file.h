// Small helpers over HDF5: one place that turns its errors into messages, and attributes of the few
// types that result files use. Functions that return false or a negative id leave the reason in the
// guard.
#ifndef PCS_IO_HDF5_FILE_H
#define PCS_IO_HDF5_FILE_H

#include <hdf5.h>

#include "base/context.h"

// Between enter and leave HDF5 prints nothing and the first failure is recorded here. The caller's
// own error handler is put back on leave. Guards do not nest.
typedef struct pcs_hdf5_guard {
    unsigned is_version_2; // kind of handler that was installed before
    H5E_auto1_t old_function_1;
    H5E_auto2_t old_function_2;
    void *old_user;
    bool failed;
    int error_number; // of the operating system, 0 if it had no part in the failure
    char text[200];   // HDF5's own innermost words
} pcs_hdf5_guard;

void pcs_hdf5_enter(pcs_hdf5_guard *guard);
void pcs_hdf5_leave(pcs_hdf5_guard *guard);

// Records "path: cannot <what>: reason; remedy" from the guard and returns PCS_ERROR_IO.
pcs_status pcs_hdf5_error(pcs_context *ctx, const pcs_hdf5_guard *guard, const char *path,
                          const char *what);

// True if the failure was that the file is shorter than HDF5 expects.
bool pcs_hdf5_says_cut_off(const pcs_hdf5_guard *guard);

// Fixed-length UTF-8 text of at most `length` bytes and a zero; the caller closes the type.
// Variable-length text would be easier to use, but HDF5 reads a damaged heap of such texts without
// any check and crashes.
hid_t pcs_hdf5_text_type(size_t length);
// Reads `count` texts of a dataset or attribute, joined in one block of count rows with *size bytes
// each, every one terminated. PCS_ERROR_INPUT, without a message, if the object holds no such text.
pcs_status pcs_hdf5_read_texts(pcs_context *ctx, hid_t object, int64_t count, char **out,
                               size_t *size);

bool pcs_hdf5_put_text(hid_t object, const char *name, const char *text);
bool pcs_hdf5_put_integer(hid_t object, const char *name, int64_t value);
bool pcs_hdf5_put_real(hid_t object, const char *name, double value);
bool pcs_hdf5_set_integer(hid_t object, const char *name, int64_t value); // of an existing one
bool pcs_hdf5_get_integer(hid_t object, const char *name, int64_t *value);
bool pcs_hdf5_get_real(hid_t object, const char *name, double *value);
// A copy of the text; PCS_ERROR_INPUT, without a message, if the attribute is missing or not text.
pcs_status pcs_hdf5_get_text(pcs_context *ctx, hid_t object, const char *name, char **out);

// Closes any kind of identifier; negative ones are skipped.
void pcs_hdf5_close(hid_t id);

#endif
