// Datasets of HDF5 files: groups, tables written once, lists of texts, columns that grow, and
// opening what may or may not be there. As in io/hdf5_file.h, the guard has the reason of a
// failure.
#ifndef PCS_IO_HDF5_TABLE_H
#define PCS_IO_HDF5_TABLE_H

#include "io/hdf5_file.h"

bool pcs_hdf5_create_group(hid_t file, const char *path);
// A dataset that is written once; zero rows are allowed.
bool pcs_hdf5_put_table(hid_t file, const char *path, hid_t type, int rank, const hsize_t *size,
                        const void *data);
// Texts of equal stored length, `count` rows in `columns` columns. PCS_ERROR_IO without a message.
pcs_status pcs_hdf5_put_names(pcs_context *ctx, hid_t file, const char *path,
                              const char *const *names, int32_t count, int32_t columns);

// Access properties of datasets that grow: without HDF5's cache of chunks, which keeps small
// datasets back until the file is closed. So the file grows frame by frame, and a file that is cut
// off has lost its last frames alone. Negative on failure.
hid_t pcs_hdf5_growing_access(void);
// Numbers that are stored, whatever the shape declares; and whether these are as many.
hsize_t pcs_hdf5_numbers_stored(hid_t dataset);
bool pcs_hdf5_is_stored(hid_t dataset);

// A dataset of one dimension that grows, with its unit and description; negative on failure.
hid_t pcs_hdf5_create_column(hid_t file, const char *path, hid_t type, hsize_t chunk,
                             const char *unit, const char *description);
// Writes `count` entries behind the first `stored` ones.
bool pcs_hdf5_append_column(hid_t dataset, hid_t type, int64_t stored, int64_t count,
                            const void *data);

// True if every part of the path exists.
bool pcs_hdf5_has_object(hid_t file, const char *path);
// Opens a dataset and gets its extents; negative if it is missing or has another rank (at most 3).
hid_t pcs_hdf5_open_dataset(hid_t file, const char *path, int rank, hsize_t extent[3]);

// For a file of which only the first `size` bytes are there: the number of leading entries of the
// first index, out of `rows`, that lie in them.
int64_t pcs_hdf5_rows_there(hid_t dataset, hsize_t rows, hsize_t size);

#endif
