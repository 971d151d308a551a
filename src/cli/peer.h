// Another program's solvers on the same problems, for percuss bench solve: Siconos' numerics, where
// it is installed (PERCUSS_HAVE_SICONOS). Its answers are judged by pcs_problem_verify() alone.
#ifndef PCS_CLI_PEER_H
#define PCS_CLI_PEER_H

#include <stdbool.h>

#include "percuss/problem.h"

// A problem in the peer's own storage.
typedef struct cli_peer cli_peer;

typedef struct cli_peer_run {
    double seconds;     // of the solver call alone, and of the reduction where it needs one
    int32_t iterations; // as the peer counts them
} cli_peer_run;

typedef enum cli_peer_end {
    CLI_PEER_ENDED,
    CLI_PEER_TIMEOUT,
    CLI_PEER_CRASHED, // or ended the process, or ran out of memory
    CLI_PEER_UNFIT,   // not a solver for this problem
    CLI_PEER_INTERRUPTED
} cli_peer_end;

// Name and version, NULL if the program was built without.
const char *cli_peer_name(void);
// Solver i for problems of this class and dimension, NULL beyond the last.
const char *cli_peer_solver(pcs_problem_class problem_class, int32_t dimension, int32_t i);

// NULL, with a message about `name`, when the problem cannot be handed over.
cli_peer *cli_peer_create(const char *name, const pcs_problem *problem);
void cli_peer_destroy(cli_peer *peer);

// Runs solver i from zero in a child process, which is ended after `limit` seconds: the peer's
// solvers cannot be stopped otherwise, and some end the process.
cli_peer_end cli_peer_try(cli_peer *peer, int32_t i, double tolerance, double limit, double *r,
                          cli_peer_run *run);
// The same in this process and without a limit: only for what ended as a child.
void cli_peer_solve(cli_peer *peer, int32_t i, double tolerance, double *r, cli_peer_run *run);

#endif
