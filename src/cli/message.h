// One-line messages on standard error, "percuss: " in front.
#ifndef PCS_CLI_MESSAGE_H
#define PCS_CLI_MESSAGE_H

#include "commands.h"

void cli_message(const char *format, ...) PCS_PRINTF(1, 2);

// A context whose warnings go to standard error. NULL, with a message, when memory is out.
pcs_context *cli_context_create(void);
// Prints the context's last error and gives the exit code that fits an error before a run.
cli_exit cli_input_error(const pcs_context *ctx, pcs_status status);

#endif
