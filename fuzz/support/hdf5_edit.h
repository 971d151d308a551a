// Damage to HDF5 files that the library itself does not mind: it is done through HDF5, so that the
// result is a sound file of another structure, and reaches the code that reads it.
#ifndef PERCUSS_FUZZ_HDF5_EDIT_H
#define PERCUSS_FUZZ_HDF5_EDIT_H

#include "support/checks.h"
#include "support/choices.h"

// The path of a file with the image after a few edits: objects dropped, moved, joined or replaced by
// others of another type, rank or extent, numbers and attributes changed.
const char *fuzz_edit_hdf5(const fuzz_image *image, fuzz_choices *c);

#endif
