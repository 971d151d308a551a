// Descent of the complementarity gap, for small problems with redundant contacts and large
// friction.
#ifndef PCS_NONSMOOTH_GAP_DESCENT_H
#define PCS_NONSMOOTH_GAP_DESCENT_H

#include "nonsmooth/friction_solver.h"

typedef struct pcs_gap_descent pcs_gap_descent;

// Memory is four times rows^2 values, for a dense W and the factors of one step.
pcs_status pcs_gap_descent_create(const pcs_friction_contact *problem, pcs_arena *arena,
                                  pcs_gap_descent **out) PCS_MUST_CHECK;
// One descent, for at most max_steps factorisations, which are added to *steps. The seed chooses
// the start and the weights of the barrier; every other descent starts where the lowest one so far
// ended. r becomes its end, near a solution or at a minimum above zero.
void pcs_gap_descent_run(pcs_gap_descent *descent, uint64_t random, int32_t max_steps,
                         pcs_monitor *monitor, double *r, int32_t *steps);
// Rounds the end of the last descent: contacts that are slower than a threshold stick, others slip
// or open, and r becomes the point with these states, found by a convex problem. Where W is
// redundant, more velocities may be zero than its rank, and descents end with some of them nearly
// so. Ranks 0 and 1: the threshold is 10 and 100 times the error; then the widest gap between the
// speeds, the next one and so on. False if there is no such gap.
bool pcs_gap_descent_round(pcs_gap_descent *descent, int32_t rank, int32_t max_steps, double *r,
                           int32_t *steps);

#endif
