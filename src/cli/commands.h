// The verbs of the program and its exit codes.
#ifndef PCS_CLI_COMMANDS_H
#define PCS_CLI_COMMANDS_H

#include "percuss/io.h"

typedef enum cli_exit {
    CLI_EXIT_OK = 0,
    CLI_EXIT_BAD_VERDICT = 1, // finished, but not to be trusted, or not solved
    CLI_EXIT_BAD_INPUT = 2,   // model, option or file
    CLI_EXIT_FAILED = 3,      // the run failed, or its output could not be written
    CLI_EXIT_INTERRUPTED = 130
} cli_exit;

// Arguments follow the verb; argv[0] is the verb itself.
cli_exit cli_run(int argc, char **argv);
cli_exit cli_check(int argc, char **argv);
cli_exit cli_static(int argc, char **argv);
cli_exit cli_modes(int argc, char **argv);
cli_exit cli_info(int argc, char **argv);
cli_exit cli_plot(int argc, char **argv);
cli_exit cli_export(int argc, char **argv);
cli_exit cli_report(int argc, char **argv);
cli_exit cli_list(int argc, char **argv);
cli_exit cli_solve(int argc, char **argv);
cli_exit cli_bench(int argc, char **argv);
cli_exit cli_compare(int argc, char **argv);

#endif
