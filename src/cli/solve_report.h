// What one solve of a contact problem gave, as a line, as a block for people and as JSON.
#ifndef PCS_CLI_SOLVE_REPORT_H
#define PCS_CLI_SOLVE_REPORT_H

#include <stdio.h>

#include "percuss/problem.h"

typedef struct cli_solve_result {
    const char *file, *solver;
    const pcs_problem *problem;
    const pcs_solve_opts *opts;
    pcs_status status;
    const char *error; // status < 0: the message
    pcs_solve_info info;
    pcs_verdict verdict; // status >= 0
} cli_solve_result;

// "solved", "rounding", "false" (the solver says solved, the check does not), "unsolved",
// "timeout", "interrupted" or "error".
const char *cli_solve_word(const cli_solve_result *result);

void cli_solve_print_heading(FILE *out, int name_width);
void cli_solve_print_line(FILE *out, const cli_solve_result *result, int name_width);
void cli_solve_print_report(FILE *out, const cli_solve_result *result);
// One object on one line. `problem` NULL: the file could not be read, and `error` says why.
void cli_solve_print_json(FILE *out, const cli_solve_result *result);

#endif
