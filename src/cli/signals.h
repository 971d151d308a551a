// The signals of --csv: paths between commas, with wildcards for many at a time.
#ifndef PCS_CLI_SIGNALS_H
#define PCS_CLI_SIGNALS_H

#include "commands.h"

typedef struct cli_signals {
    char **paths; // from malloc, each and all
    int32_t count, room;
} cli_signals;

// Cuts the text at its commas. A part with * ? or [ is replaced by the model's paths that fit it,
// as a shell does with file names; paths that are already there are not repeated. A part without
// wildcards is taken as it is. CLI_EXIT_OK, or a message was printed.
cli_exit cli_signals_select(cli_signals *signals, const pcs_model *model, const char *text);
void cli_signals_free(cli_signals *signals);

#endif
