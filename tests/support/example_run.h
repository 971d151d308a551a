// Runs of the shipped example files with other schemes and options.
#ifndef PCS_TESTS_SUPPORT_EXAMPLE_RUN_H
#define PCS_TESTS_SUPPORT_EXAMPLE_RUN_H

#include "percuss/io.h"
#include "percuss/simulation.h"

typedef struct example_run {
    pcs_context *ctx;
    pcs_model_file *file;
    pcs_simulation *simulation;
} example_run;

// Reads examples/NAME and creates a simulation with the scheme over [0, end] with output every
// `step`. `options` are "key=value" pairs separated by spaces; those of the file are not used.
// Failures end the test with the library's message. Not started.
void example_begin(example_run *run, const char *name, const char *scheme, double end, double step,
                   const char *options);
// The same with other values in the model file.
void example_begin_with(example_run *run, const char *name, const pcs_setting *settings,
                        int32_t n_settings, const char *scheme, double end, double step,
                        const char *options);
// To the end of the run; every step must succeed.
void example_finish(example_run *run);
void example_end(example_run *run);

// Value of a signal now; fails the test for an unknown one.
double example_signal(const example_run *run, const char *path);

#endif
