// Progress on standard error: one line that renews itself on a terminal, plain lines at every tenth
// of the run otherwise.
#ifndef PCS_CLI_PROGRESS_H
#define PCS_CLI_PROGRESS_H

#include "percuss/simulation.h"

typedef struct cli_progress {
    bool quiet, terminal;
    double start, end;  // simulated time, s
    double clock_start; // wall clock, s
    double next_update; // wall clock, s: terminal
    int next_tenth;     // plain lines
} cli_progress;

void cli_progress_init(cli_progress *progress, bool quiet, double start, double end);
void cli_progress_update(cli_progress *progress, const pcs_simulation *simulation);
// Takes the line off the terminal, so that something else can be printed.
void cli_progress_clear(void);

double cli_wall_clock(void);

#endif
