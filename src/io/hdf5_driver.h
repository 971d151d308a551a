// File driver for results that are being written. HDF5 cannot close a file whose last writes fail
// (full disk): it keeps half-closed objects and may crash at exit. This driver keeps such a failure
// to itself: the first one is noted, everything after it is dropped while HDF5 hears of success,
// and the file on disk stays as the last flush left it. The writer looks at the note.
//
// It also opens files that were cut off, which HDF5 refuses: with the mark `cut_off` it says that
// the file has the length that HDF5 expects, and fails when something beyond the cut is read.
#ifndef PCS_IO_HDF5_DRIVER_H
#define PCS_IO_HDF5_DRIVER_H

#include <hdf5.h>
#include <stdbool.h>

typedef struct pcs_hdf5_note {
    bool write_failed;
    int error_number; // of the failed write, or of the last attempt to open
    bool cut_off;     // set by the caller before opening, for reading alone
    hsize_t size;     // of the file when it was opened
} pcs_hdf5_note;

// A file access property list with this driver; *driver must be closed after the file, the list any
// time. Negative on failure. The note must live as long as the file.
hid_t pcs_hdf5_driver_properties(pcs_hdf5_note *note, hid_t *driver);
void pcs_hdf5_driver_close(hid_t driver);

#endif
