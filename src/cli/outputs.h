// What a run writes: the result, selected signals as CSV, checkpoints; and when.
#ifndef PCS_CLI_OUTPUTS_H
#define PCS_CLI_OUTPUTS_H

#include "percuss/io.h"

typedef struct cli_output_def {
    const char *result; // NULL: none
    const char *csv;    // NULL: none, "-": standard output
    const char *const *signals;
    int32_t n_signals;
    const char *checkpoint;  // NULL: none
    double checkpoint_every; // simulated s; 0: at the end only
    double start;            // simulated time that frames are counted from, s
    double step;             // of the scheme, s
    double frame_every;      // simulated s; 0: every step, otherwise the steps nearest to the times
    const char *title, *model_text, *command;
} cli_output_def;

typedef struct cli_outputs {
    cli_output_def def;
    pcs_context *ctx;
    pcs_result_writer *result;
    pcs_csv_writer *csv;
    double next_frame, next_checkpoint; // simulated time, s
    double last_frame;
    int64_t frames;
    bool failed; // an output could not be written
} cli_outputs;

// Opens everything and writes the first frame. If that fails, nothing is left behind and nothing is to be
// closed.
pcs_status cli_outputs_open(cli_outputs *outputs, pcs_context *ctx, const cli_output_def *def,
                            const pcs_simulation *simulation) PCS_MUST_CHECK;
// After a step: whatever is due.
pcs_status cli_outputs_step(cli_outputs *outputs, const pcs_simulation *simulation) PCS_MUST_CHECK;
// Writes the last frame and, if `good`, the last checkpoint; closes all. Returns the first error.
pcs_status cli_outputs_close(cli_outputs *outputs, const pcs_simulation *simulation, bool good,
                             bool complete) PCS_MUST_CHECK;

#endif
