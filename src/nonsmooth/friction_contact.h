// Friction contact problem in local form [AcaryBrogliato2008, ch. 13; convention of FCLIB]:
//
//     u = W r + q,     K* \ni u + mu |u_T| e_N  \perp  r \in K = { r : |r_T| <= mu r_N }
//
// for n blocks of rows: contacts of 1 (no friction), 2 (planar) or 3 (spatial) components in the
// order (N, T1, T2), and bilateral blocks of 1 to 3 rows, where u = 0 and r is free. Restitution is
// already in q. W need not be symmetric (gyroscopic terms) nor regular (four feet on a floor).
//
// One residual for all solvers, the natural map, in three units: with uhat = u + mu |u_T| e_N,
//     F_i(rho) = r_i - P_K(r_i - rho uhat_i)      (rho u_i for a bilateral block)
//     scaled    max_i |F_i(rho_i)| / (rho_i |q|_inf), rho_i = 3 / trace(W_ii): a velocity error
//               relative to the driving velocity, independent of the units of mass; |q|_inf = 1 if
//               q = 0. The time-stepping schemes stop on it.
//     unscaled  ( sum_i |F_i(1)|^2 )^(1/2)
//     relative  unscaled / max(|q|, |r|, |u|), Euclidean norms: the measure of Siconos 4.4, in
//               which figures of contact problems from files are compared; for the reduced form of
//               a global problem without |q|, as there.
#ifndef PCS_NONSMOOTH_FRICTION_CONTACT_H
#define PCS_NONSMOOTH_FRICTION_CONTACT_H

#include "base/arena.h"
#include "base/tasks.h"
#include "base/watch.h"
#include "linalg/block_matrix.h"
#include "percuss/problem.h"

typedef enum pcs_block_kind { PCS_BLOCK_CONTACT = 0, PCS_BLOCK_BILATERAL = 1 } pcs_block_kind;

typedef struct pcs_friction_contact {
    const pcs_block_matrix *W; // block sizes 1, 2 or 3
    const double *q;
    const double *mu;    // one for each block, >= 0; ignored for contacts of size 1 and bilateral
    const uint8_t *kind; // pcs_block_kind of each block; NULL: all are contacts
    // Velocities at the beginning of the step: those that the start left when it was the solution of
    // the step before. They tell whether it is still one (auto.c); NULL: unknown
    const double *before;
    pcs_tasks *tasks;       // threads for large problems; NULL: one. The bits do not depend on them
    const pcs_watch *watch; // what ends a solve early; NULL: nothing
    bool is_reduced;        // from a global problem: the relative residual leaves |q| out
    bool is_checked;        // sizes, W, q and mu are known to be good; the start is not
} pcs_friction_contact;

static inline bool pcs_is_bilateral(const pcs_friction_contact *problem, int32_t block)
{
    return problem->kind != NULL && problem->kind[block] == PCS_BLOCK_BILATERAL;
}

// Recomputes u = W r + q and the residual from the data alone; u may be NULL. `u` has W's size.
pcs_residual pcs_friction_contact_measure(const pcs_friction_contact *problem, const double *r,
                                          double *u);
// The same where u = W r + q is at hand.
pcs_residual pcs_friction_contact_measure_with_u(const pcs_friction_contact *problem,
                                                 const double *r, const double *u);
// The two halves of a cheap measure: u = W r + q, and one number of the residual at (r, u).
void pcs_friction_contact_velocity(const pcs_friction_contact *problem, const double *r, double *u);
double pcs_friction_contact_error(const pcs_friction_contact *problem, pcs_measure measure,
                                  const double *r, const double *u);
// The same with all that this pass over the contacts finds: the scaled number, its block and the
// size of the impulses, or the two other numbers. The rest is NaN, the block -1.
typedef struct pcs_contact_measure {
    pcs_residual residual;
    double
        impulse; // max_i |r_i|_inf / (rho_i |q|_inf): over q in velocities, the same in all units
} pcs_contact_measure;
pcs_contact_measure pcs_friction_contact_measure_part(const pcs_friction_contact *problem,
                                                      pcs_measure measure, const double *r,
                                                      const double *u);
// u = W r + q and all numbers in one pass over W.
pcs_contact_measure pcs_friction_contact_measure_all(const pcs_friction_contact *problem,
                                                     const double *r, double *u);
// The number of `residual` that `measure` names.
double pcs_residual_in(const pcs_residual *residual, pcs_measure measure);

// |r - P_K(r - rho uhat)|^2 of one contact: zero exactly at its solutions.
double pcs_friction_natural_map2(int32_t size, double mu, double rho, const double *r,
                                 const double *u);
// rho_i = 3 / trace(W_ii); 1 for a block without mobility, where no other scale is at hand.
double pcs_friction_block_rho(const pcs_block_matrix *W, int32_t i);
// |q|_inf or 1 if q = 0: the velocity that the scaled residual is relative to.
double pcs_friction_contact_scale(const pcs_friction_contact *problem);
// The scaled residual that rounding r to double alone may cause,
// (eps/2) max_i (1 + mu_i) (|W| |r|)_i / |q|_inf: about 1e-9 for a mass of 1e6 carried by a mass of
// 1. No solver gets reliably below.
// A level above PCS_ROUNDING_MAX is no excuse: r has run away along the null space of W.
#define PCS_ROUNDING_MAX 1e-6
double pcs_friction_contact_rounding(const pcs_friction_contact *problem, const double *r);
// Block sizes 1..3 and mu >= 0, else PCS_ERROR_ARGUMENT; W, q, mu and the start r (NULL: none)
// finite, else PCS_ERROR_NUMERIC.
pcs_status pcs_friction_contact_check(const pcs_friction_contact *problem, pcs_context *ctx,
                                      const double *r) PCS_MUST_CHECK;

// Exact solution of one contact: u = W r + q, W positive (semi)definite size x size row-major, not
// necessarily symmetric. Never fails: falls back from closed forms to safeguarded root finding, and
// returns the solution with the smallest natural map. Where several solutions exist (Painleve) open
// goes before stick and stick before slip; no history enters.
void pcs_one_contact_solve(int32_t size, const double *W, const double *q, double mu, double *r);

#endif
