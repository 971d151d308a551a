// Solves of contact problems as tables: the words for one solve, and for a benchmark the times of
// many solvers, their performance profiles and the comparison with a peer.
#ifndef PCS_CLI_SOLVE_TABLE_H
#define PCS_CLI_SOLVE_TABLE_H

#include <stdbool.h>
#include <stdio.h>

#include "percuss/problem.h"

#include "profile.h"
#include "table_text.h"

enum { CLI_CLASS_TEXT = 24 };

// "lcp", "local 3D".
const char *cli_class_text(char text[CLI_CLASS_TEXT], pcs_problem_class problem_class,
                           int32_t dimension);
double cli_residual_in(const pcs_residual *residual, pcs_measure measure);

typedef enum cli_outcome {
    CLI_OUTCOME_NOT_RUN, // not a solver for it, or a looser tolerance was already too much
    CLI_OUTCOME_SOLVED,  // the verified residual is within the tolerance
    CLI_OUTCOME_UNSOLVED,
    CLI_OUTCOME_TIMEOUT,
    CLI_OUTCOME_CRASHED // a peer ended its process
} cli_outcome;

const char *cli_outcome_name(cli_outcome outcome);

// One solver on one problem at one tolerance.
typedef struct cli_trial {
    cli_outcome outcome;
    double seconds;
    int32_t iterations;
    double residual; // verified
} cli_trial;

typedef struct cli_column {
    char name[32];
    char label[36]; // the name, with "S:" in front if it is the peer's
    bool is_peer;
} cli_column;

typedef struct cli_row {
    const char *name; // the path without what all have in common
    int32_t contacts;
    cli_trial *trials; // n_tolerances x n_columns
} cli_row;

// Problems of one class and dimension: they have the same solvers.
typedef struct cli_group {
    pcs_problem_class problem_class;
    int32_t dimension;
    int32_t n_columns, n_rows;
    cli_column *columns;
    cli_row *rows;
} cli_group;

enum { CLI_TOLERANCES_MAX = 8, CLI_GROUPS_MAX = 8 };

typedef struct cli_bench_table {
    int32_t n_tolerances, n_groups;
    double tolerance[CLI_TOLERANCES_MAX]; // from loose to tight
    cli_group group[CLI_GROUPS_MAX];
    const char *peer; // its name, NULL: none
} cli_bench_table;

void cli_bench_table_free(cli_bench_table *table);
// The group of this class and dimension; NULL if there is none yet.
cli_group *cli_bench_table_find(cli_bench_table *table, pcs_problem_class problem_class,
                                int32_t dimension);
cli_trial *cli_group_trial(const cli_group *group, int32_t row, int32_t tolerance, int32_t column);

// Rows are problems, columns solvers: time/iterations.
void cli_bench_print_times(FILE *out, const cli_bench_table *table, const cli_group *group,
                           int32_t tolerance);
// Best time of the peer's solvers over the time of our first solver, for problems with at least so
// many contacts. Returns the number of problems compared.
int32_t cli_bench_print_comparison(FILE *out, const cli_bench_table *table, int32_t tolerance,
                                   int32_t least_contacts);
// One line for each problem, tolerance and solver.
void cli_bench_write_csv(FILE *out, const cli_bench_table *table);

// Of one group, or with `group` NULL of all problems; then of the solvers that all groups have, and
// of the peer's best. False when memory is out.
bool cli_profile_create(cli_profile *profile, const cli_bench_table *table, const cli_group *group,
                        int32_t tolerance);

#endif
