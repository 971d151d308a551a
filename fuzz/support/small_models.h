// Models that files are made from, with everything that files store.
#ifndef PERCUSS_FUZZ_SMALL_MODELS_H
#define PERCUSS_FUZZ_SMALL_MODELS_H

#include "percuss/io.h"

// The text of model i; NULL beyond the last.
const char *fuzz_small_model(int i);
// A simulation of a model file with its scheme and options, taken `steps` steps; both exist as a rule,
// so that anything else ends the process.
pcs_model_file *fuzz_read_model(pcs_context *ctx, const char *text);
pcs_simulation *fuzz_simulate(pcs_context *ctx, const pcs_model_file *file, const char *scheme,
                              int steps);

#endif
