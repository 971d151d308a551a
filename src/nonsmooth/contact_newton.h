// Proximal semismooth Newton: the second-order stage of the default solver.
#ifndef PCS_NONSMOOTH_CONTACT_NEWTON_H
#define PCS_NONSMOOTH_CONTACT_NEWTON_H

#include "base/tasks.h"
#include "nonsmooth/friction_solver.h"

typedef struct pcs_contact_newton pcs_contact_newton;

typedef struct pcs_contact_newton_opts {
    double first_delta; // proximal weight of the first centre, relative to W_ii; 0: from r
    int32_t max_steps;  // linear solves in all
    double aim;         // residual to reach; 0: the tolerance
    bool polish;        // one more centre after that: mostly exact to rounding
} pcs_contact_newton_opts;

// Storage from the arena, which nobody else may use between create and the last run: factorisations
// are laid behind it.
// `tasks` may be NULL; the bits of the answer do not depend on it.
pcs_status pcs_contact_newton_create(const pcs_friction_contact *problem, pcs_tasks *tasks,
                                     pcs_arena *arena, pcs_contact_newton **out) PCS_MUST_CHECK;
// Runs from r until the aim is met, the monitor is stopped, the steps are used up, or no weight
// helps. r becomes the last centre, on the cones; the monitor has the best iterate. Steps are added
// to *steps.
pcs_status pcs_contact_newton_run(pcs_contact_newton *newton, pcs_monitor *monitor,
                                  const pcs_contact_newton_opts *opts, double *r, int32_t *steps)
    PCS_MUST_CHECK;
// One Newton step on the proximal problem with the centre r and the weight delta, at full length
// and whatever the merit says; r becomes the new iterate, on the cones. *usable is false, and r as
// it was, when the matrix is singular.
pcs_status pcs_contact_newton_stride(pcs_contact_newton *newton, double delta, double *r,
                                     bool *usable) PCS_MUST_CHECK;
int32_t pcs_contact_newton_factorisations(const pcs_contact_newton *newton);

#endif
