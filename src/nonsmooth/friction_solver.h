// What the solvers of the friction contact problem share: the table row, and the monitor that
// measures iterates, keeps the best one and watches the limits. A solver reads
//
//     monitor_init; while (...) { iterate; if (pcs_monitor_test(...)) break; } monitor_finish
//
// so that all of them stop on the same residual and none loses a good iterate.
#ifndef PCS_NONSMOOTH_FRICTION_SOLVER_H
#define PCS_NONSMOOTH_FRICTION_SOLVER_H

#include "nonsmooth/friction_contact.h"

// r holds the start (finite; warm or zero) and becomes the solution, u = W r + q. `option` has one
// value for each option of the row. All memory comes from the arena and is given back.
typedef pcs_status (*pcs_friction_solve_fn)(const pcs_friction_contact *problem,
                                            const pcs_solve_opts *opts, const double *option,
                                            pcs_arena *arena, double *r, double *u,
                                            pcs_solve_info *info);

typedef struct pcs_friction_solver {
    const char *name, *help;
    const pcs_option *options;
    int32_t n_options;
    pcs_friction_solve_fn solve;
} pcs_friction_solver;

const pcs_friction_solver *pcs_friction_solver_row(int32_t i); // NULL beyond the last; 0 is "auto"
const pcs_friction_solver *pcs_friction_solver_find(const char *name); // NULL: unknown

// Checks problem, options and start, then runs a row's solver. The one door for all callers:
// `option` NULL takes the row's defaults. n = 0 is solved at once.
pcs_status pcs_friction_solve(const pcs_friction_contact *problem,
                              const pcs_friction_solver *solver, const pcs_solve_opts *opts,
                              const double *option, pcs_arena *arena, double *r, double *u,
                              pcs_solve_info *info) PCS_MUST_CHECK;

// The same inside a step: the context's stop function ends it too, with PCS_ERROR_STOPPED.
pcs_status pcs_friction_solve_inside(const pcs_friction_contact *problem,
                                     const pcs_friction_solver *solver, const pcs_solve_opts *opts,
                                     const double *option, pcs_arena *arena, double *r, double *u,
                                     pcs_solve_info *info) PCS_MUST_CHECK;

// Whether the work on so many blocks is shared by the threads that are asked for. Without a pool in
// problem->tasks a solve then makes one of its own.
bool pcs_friction_solve_shares(const pcs_solve_opts *opts, int32_t blocks);

enum { PCS_SOLVER_OPTIONS_MAX = 16 }; // of one row

// PCS_ERROR_ARGUMENT for limits that make no sense.
pcs_status pcs_solve_opts_check(const pcs_solve_opts *opts, pcs_context *ctx) PCS_MUST_CHECK;
// value[k] becomes given[k], or the default if `given` is NULL; PCS_ERROR_ARGUMENT out of range.
pcs_status pcs_solver_options(const char *name, const pcs_option *table, int32_t count,
                              const double *given, double *value, pcs_context *ctx) PCS_MUST_CHECK;

typedef struct pcs_monitor {
    const pcs_friction_contact *problem;
    const pcs_solve_opts *opts;
    int32_t rows;
    double *best;               // iterate with the smallest measured residual so far
    double *best_u;             // its velocities where has_best_u
    double *u;                  // of the last tested iterate
    double best_value;          // its residual in the chosen measure
    pcs_residual best_residual; // its residual as far as it was measured, the rest is NaN
    double last;                // residual of the last tested iterate in the chosen measure
    double started;             // pcs_timer_now()
    double stage_started;       // end of the last stage
    double deadline;            // 0: none
    bool has_best_u;            // u of the best iterate was computed from W
    bool done;                  // best meets the tolerance
    bool stopped;               // the stop hook or the time limit struck
    bool strict; // velocities count at every test, not only where the tolerance is met
} pcs_monitor;

// Takes storage from the arena and keeps r as the first best iterate, its residual measured: a warm
// start that is good enough shows as monitor->done.
pcs_status pcs_monitor_init(pcs_monitor *monitor, const pcs_friction_contact *problem,
                            const pcs_solve_opts *opts, pcs_arena *arena, const double *r)
    PCS_MUST_CHECK;
// Measures r (u becomes W r + q in monitor->u), keeps it if it is the best so far, and looks at the
// clock and the stop hook; true if the solver should end: done or stopped.
bool pcs_monitor_test(pcs_monitor *monitor, const double *r);
// The same where u = W r + q is at hand.
bool pcs_monitor_test_with_u(pcs_monitor *monitor, const double *r, const double *u);
// From now on, and for the best iterate so far, the relative residual counts as at least the square
// of the scaled one: for methods whose impulses may run away, and whose tests cost little beside
// them.
void pcs_monitor_make_strict(pcs_monitor *monitor);
// Looks at the clock and the hook alone: for inner loops that do not measure.
bool pcs_monitor_is_stopped(pcs_monitor *monitor);
// Whether rounding alone keeps the best iterate above the tolerance.
bool pcs_monitor_is_exact(pcs_monitor *monitor);
// Appends a stage to the info: name, iterations, time since the last one, best residual so far.
void pcs_monitor_stage(pcs_monitor *monitor, pcs_solve_info *info, const char *name,
                       int32_t iterations);
// r becomes the best iterate, u its velocities; fills info (residual, seconds, at_rounding, and the
// reason when unsolved). Returns PCS_OK, PCS_NOT_CONVERGED or PCS_INTERRUPTED.
pcs_status pcs_monitor_finish(pcs_monitor *monitor, double *r, double *u, pcs_solve_info *info);

#endif
