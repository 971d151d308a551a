// Performance profiles [DolanMore2002]: rho_s(tau) = share of the problems p with
// t(p,s) <= tau min_s t(p,s), where t(p,s) is infinite unless s solved p. rho_s(1) is the share of
// wins, rho_s(infinity) the share solved at all.
#ifndef PCS_CLI_PROFILE_H
#define PCS_CLI_PROFILE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

// For each solver the ratios of its time to that of the fastest, sorted; INFINITY: not solved.
typedef struct cli_profile {
    double tolerance; // in the headings of the panels
    int32_t n_solvers, n_problems;
    const char **names; // n_solvers, lent
    double *ratio;      // n_solvers x n_problems
} cli_profile;

// Room for so many solvers; none is counted yet. False when memory is out.
bool cli_profile_init(cli_profile *profile, int32_t solvers_most, int32_t n_problems,
                      double tolerance);
// The n_problems times of one more solver, to be filled in.
double *cli_profile_add(cli_profile *profile, const char *name);
// Times become ratios to the fastest, sorted for each solver.
void cli_profile_rate(cli_profile *profile);
void cli_profile_free(cli_profile *profile);
// Share of the problems that solver s solves within tau times the time of the fastest.
double cli_profile_at(const cli_profile *profile, int32_t s, double tau);
int32_t cli_profile_solved(const cli_profile *profile, int32_t s);
// `what` heads the column of names: "solver".
void cli_profile_print(FILE *out, const cli_profile *profile, const char *title, const char *what);

// One panel for each profile, side by side, with axes and a legend.
void cli_profile_write_svg(FILE *out, const cli_profile *profiles, int32_t count,
                           const char *title);

#endif
