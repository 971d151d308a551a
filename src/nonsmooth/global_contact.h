// The global form of a friction contact problem,
//     M v = H r + f,     u = H^T v + w,
// and its local form W = H^T M^-1 H, q = H^T M^-1 f + w: formed (pcs_problem_reduce of
// percuss/problem.h), or as an operator that never holds W.
#ifndef PCS_NONSMOOTH_GLOBAL_CONTACT_H
#define PCS_NONSMOOTH_GLOBAL_CONTACT_H

#include "base/watch.h"
#include "nonsmooth/problem.h"

typedef struct pcs_delassus_operator pcs_delassus_operator;

// pcs_problem_reduce with threads (NULL: one) and a watch (NULL: none); *op, unless op is NULL,
// becomes the operator with the factors that were made for it. PCS_INTERRUPTED: the watch was over,
// *out and *op are NULL.
pcs_status pcs_problem_reduce_within(const pcs_problem *global, pcs_tasks *tasks,
                                     const pcs_watch *watch, pcs_problem **out,
                                     pcs_delassus_operator **op) PCS_MUST_CHECK;

// The global problem is kept by reference. PCS_ERROR_SINGULAR: M is singular or not positive
// definite, the text names a degree of freedom.
pcs_status pcs_delassus_operator_create(const pcs_problem *global, pcs_delassus_operator **out)
    PCS_MUST_CHECK;
void pcs_delassus_operator_destroy(pcs_delassus_operator *op);          // NULL is allowed
const double *pcs_delassus_operator_q(const pcs_delassus_operator *op); // rows values

// y = W x, or y = W x + q; x and y have the problem's rows. No heap call.
void pcs_delassus_operator_multiply(pcs_delassus_operator *op, const double *x, double *y);
void pcs_delassus_operator_velocity(pcs_delassus_operator *op, const double *x, double *y);
// v = M^-1 (H r + f)
void pcs_delassus_operator_global_velocity(pcs_delassus_operator *op, const double *r, double *v);

// u = H^T v + w with M v = H r + f solved by refinement in extended precision: what W r + q, whose
// W has the rounding of M^-1, should be.
pcs_status pcs_delassus_operator_refined_velocity(pcs_delassus_operator *op, const double *r,
                                                  double *u) PCS_MUST_CHECK;
// Whether M couples so many degrees of freedom that W comes from a sparse factorisation.
bool pcs_delassus_operator_is_sparse(const pcs_delassus_operator *op);

// pcs_delassus_operator_global_velocity for a single use
pcs_status pcs_global_velocity(const pcs_problem *global, const double *r, double *v)
    PCS_MUST_CHECK;

#endif
