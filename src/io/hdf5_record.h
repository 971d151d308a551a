// Tables of records in HDF5 files: one compound type for the file and one for memory, from one list
// of members.
#ifndef PCS_IO_HDF5_RECORD_H
#define PCS_IO_HDF5_RECORD_H

#include "io/hdf5_table.h"

// A member of a table: one number (`length` 1) or several; a whole number may have names.
typedef struct pcs_hdf5_member {
    const char *name;
    size_t offset;
    hsize_t length;
    bool is_real;
    const char *(*names)(int32_t value); // NULL: none
} pcs_hdf5_member;

// The compound type of a table. Files have the kinds as named enumerations; in memory they are
// plain numbers, so that a kind which only a newer program knows can be read and left out.
hid_t pcs_hdf5_record_type(const pcs_hdf5_member *members, int count, size_t size, bool with_names);

// All rows of a dataset as an array of `type`; *data is to be freed. Members that the file does not
// have are zero. PCS_ERROR_INPUT without a message if it is missing, has another shape or cannot be
// read.
pcs_status pcs_hdf5_read_rows(pcs_context *ctx, hid_t file, const char *path, int32_t columns,
                              hid_t type, int32_t *count, void **data);

#endif
