// percuss run --verify: the run beside finer ones, and how far their paths and events are apart.
#ifndef PCS_CLI_VERIFY_H
#define PCS_CLI_VERIFY_H

#include <stdio.h>

#include "model_options.h"
#include "percuss/evidence.h"

typedef struct cli_verify cli_verify;

// Loads the model again with half the step, or a tenth of the tolerance, of a simulation that is
// started; a small model once more with a quarter of the step. NULL, with `code`, when that failed.
cli_verify *cli_verify_create(pcs_context *ctx, const char *model, const cli_settings *settings,
                              const pcs_simulation *run, cli_exit *code);
// Takes the finer runs to the time of the run, and compares.
pcs_status cli_verify_step(cli_verify *verify, const pcs_simulation *run);
// What was found, and how good that is; `alone` is the verdict of the run without it. NULL: nothing
// is printed.
pcs_level cli_verify_report(FILE *out, const cli_verify *verify, pcs_level alone);
void cli_verify_destroy(cli_verify *verify);

#endif
