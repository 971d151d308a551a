// Hands the contact problem of a step to the hook of the simulation.
#ifndef PCS_SCHEMES_PROBLEM_HOOK_H
#define PCS_SCHEMES_PROBLEM_HOOK_H

#include "linalg/block_matrix.h"
#include "schemes/scheme.h"

// Asks the hook, which the scheme must have, and gives it u = W r + q with the impulses r found if
// it wants them. All blocks are contacts: of size 1 without friction, or of the model's dimension.
pcs_status pcs_scheme_offer_problem(const pcs_scheme *scheme, const pcs_problem_step *step,
                                    const pcs_block_matrix *W, const double *q, const double *mu,
                                    const double *r) PCS_MUST_CHECK;

#endif
