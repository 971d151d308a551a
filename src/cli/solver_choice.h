// Which solvers a command asks for, and the values of their options.
#ifndef PCS_CLI_SOLVER_CHOICE_H
#define PCS_CLI_SOLVER_CHOICE_H

#include <stdbool.h>

#include "model_options.h"
#include "percuss/problem.h"

// Index of a solver of the class, -1 if there is none of that name.
int32_t cli_solver_find(pcs_problem_class problem_class, const char *name);
// False, with a message and a suggestion, if no class has a solver of that name ("all" is one).
bool cli_solver_check(const char *name);
// False, with a message, unless the class has it.
bool cli_solver_check_class(const char *path, pcs_problem_class problem_class, const char *name);

// Values for the solver's own options from key=value settings, in the order of its table, from
// malloc; NULL, with a message, when a value is wrong. Settings that the solver does not know are
// left alone; used[i] is set for the others.
double *cli_solver_values(const cli_settings *settings, const pcs_option *options,
                          int32_t n_options, bool *used);

#endif
