// percuss run --dump-problems: contact problems of the run's steps as files, for percuss solve.
#ifndef PCS_CLI_DUMP_PROBLEMS_H
#define PCS_CLI_DUMP_PROBLEMS_H

#include <stdio.h>

#include "commands.h"
#include "percuss/simulation.h"

enum { CLI_DUMP_LIMIT = 1000 }; // files, if --dump-limit is not given

typedef enum cli_dump_condition {
    CLI_DUMP_UNSOLVED,
    CLI_DUMP_RESIDUAL,
    CLI_DUMP_ITERATIONS,
    CLI_DUMP_EVERY
} cli_dump_condition;

// One file for each step, written when the step is over: the last of its problems that meets the
// condition. All zeros: nothing is asked for.
typedef struct cli_dump {
    const char *folder; // NULL: no problems are written
    const char *when;   // as given; NULL: the default
    cli_dump_condition condition;
    double bound;  // of the residual
    int64_t count; // of iterations, or of steps
    int32_t limit; // files; 0: the default
    // The run.
    int64_t written;
    bool created, limit_was_met;
    pcs_problem *problem; // of the present step, NULL: none met the condition
    int64_t step;
    double *r;
    char *path;
    size_t path_size;
} cli_dump;

// Reads the text of --when: "residual>X", "iterations>N" or "every N". False, with a message,
// otherwise.
bool cli_dump_read_when(cli_dump *dump, const char *text);
// Makes the folder if it is missing and sets the hook; the dump must then stay where it is. Does
// nothing without a folder.
cli_exit cli_dump_open(cli_dump *dump, pcs_simulation *simulation);
// Removes a folder that cli_dump_open() made, for a run that does not start.
void cli_dump_cancel(const cli_dump *dump);
// After a step, also a failed one: writes its problem if there is one.
pcs_status cli_dump_step(cli_dump *dump) PCS_MUST_CHECK;
void cli_dump_report(FILE *out, const cli_dump *dump);
// Must come before the simulation's context is destroyed.
void cli_dump_free(cli_dump *dump);

#endif
