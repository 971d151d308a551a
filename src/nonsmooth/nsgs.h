// The sweeps of nonlinear Gauss-Seidel as a part that other solvers use.
#ifndef PCS_NONSMOOTH_NSGS_H
#define PCS_NONSMOOTH_NSGS_H

#include "nonsmooth/friction_contact.h"
#include "nonsmooth/one_contact.h"

typedef struct pcs_nsgs_work {
    pcs_one_contact *contact; // diagonal blocks, prepared once
    double *start;            // what r was
    double *best;             // iterate with the smallest measured residual so far
    pcs_friction_residual best_residual;
    double scale; // |q|_inf or 1
} pcs_nsgs_work;

// Takes storage from the arena, prepares the diagonal blocks and keeps r as the first best iterate
// (its residual unknown, hence infinite).
pcs_status pcs_nsgs_work_init(pcs_nsgs_work *work, const pcs_friction_contact *problem,
                              pcs_arena *arena, const double *r) PCS_MUST_CHECK;
// Measures r, keeps it if it is the best so far; true if it meets the tolerance.
bool pcs_nsgs_keep_best(pcs_nsgs_work *work, const pcs_friction_contact *problem, double tolerance,
                        const double *r, double *u);
// At most `max_sweeps` sweeps on r, counted in *sweeps; true as soon as r meets the tolerance.
bool pcs_nsgs_run(pcs_nsgs_work *work, const pcs_friction_contact *problem,
                  const pcs_nsgs_opts *opts, int32_t max_sweeps, double *r, double *u,
                  int32_t *sweeps);
// Makes r the best iterate and u its velocities; returns its residual.
pcs_friction_residual pcs_nsgs_finish(const pcs_nsgs_work *work,
                                      const pcs_friction_contact *problem, double *r, double *u);

#endif
