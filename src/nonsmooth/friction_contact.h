// Friction contact problem in local form [Acary-Brogliato 2008, ch. 13; convention of FCLIB]:
//
//     u = W r + q,     K* \ni u + mu |u_T| e_N  \perp  r \in K = { r : |r_T| <= mu r_N }
//
// for n contacts of 1 (no friction), 2 (planar) or 3 (spatial) components in the order (N, T1, T2).
// Restitution is already in q: q_N holds e_N times the approach speed, q_T holds e_T U_T.
//
// One residual for all solvers, the natural map: with uhat = u + mu |u_T| e_N,
//     unscaled  ( sum_i | r_i - P_K(r_i - rho_i uhat_i) |^2 )^(1/2) with rho_i = 1,
//     scaled    max_i | u_i - part of u_i that the law allows | / (|q|_inf or 1 if q = 0),
//               computed as max_i | r_i - P_K(r_i - rho_i uhat_i) | / (rho_i |q|_inf),
//               rho_i = 3 / trace(W_ii),
// a velocity error relative to the driving velocity, independent of the units of mass.
#ifndef PCS_NONSMOOTH_FRICTION_CONTACT_H
#define PCS_NONSMOOTH_FRICTION_CONTACT_H

#include "base/arena.h"
#include "linalg/block_matrix.h"

typedef struct pcs_friction_contact {
    const pcs_block_matrix *W; // block sizes 1, 2 or 3
    const double *q;
    const double *mu; // one for each contact, >= 0; ignored for size 1
} pcs_friction_contact;

typedef struct pcs_friction_residual {
    double scaled;
    double unscaled;
    int32_t worst; // contact with the largest scaled part, -1 without contacts
} pcs_friction_residual;

// Recomputes u = W r + q and the residual from the data alone; u may be NULL. `u` has W's size.
pcs_friction_residual pcs_friction_contact_measure(const pcs_friction_contact *problem,
                                                   const double *r, double *u);

// | r - P_K(r - rho uhat) | of one contact: zero exactly at its solutions.
double pcs_friction_natural_map(int32_t size, double mu, double rho, const double *r,
                                const double *u);
// |q|_inf or 1 if q = 0: the velocity that the scaled residual is relative to.
double pcs_friction_contact_scale(const pcs_friction_contact *problem);
// The scaled residual that rounding r to double alone may cause,
// (eps/2) max_i (1 + mu_i) (|W| |r|)_i / |q|_inf: about 1e-9 for a mass of 1e6 carried by a mass of
// 1. No solver gets reliably below.
double pcs_friction_contact_rounding(const pcs_friction_contact *problem, const double *r);
// Block sizes 1..3 and mu >= 0, else PCS_ERROR_ARGUMENT; W, q, mu and r finite, else
// PCS_ERROR_NUMERIC.
pcs_status pcs_friction_contact_check(const pcs_friction_contact *problem, pcs_context *ctx,
                                      const double *r) PCS_MUST_CHECK;

typedef struct pcs_nsgs_opts {
    double tolerance;       // on the scaled residual
    int32_t max_iterations; // sweeps
    double relaxation;      // in (0, 2), 1: none
} pcs_nsgs_opts;

pcs_nsgs_opts pcs_nsgs_default(void); // 1e-10, 10000, 1

typedef struct pcs_solver_info {
    int32_t iterations;
    pcs_friction_residual residual; // measured at the returned r
} pcs_solver_info;

// Nonlinear block Gauss-Seidel: sweeps of exact one-contact solves. r holds the start (warm or
// zero) and becomes the solution, u the velocities. PCS_NOT_CONVERGED keeps the best iterate.
pcs_status pcs_nsgs_solve(const pcs_friction_contact *problem, const pcs_nsgs_opts *opts,
                          pcs_arena *arena, double *r, double *u, pcs_solver_info *info)
    PCS_MUST_CHECK;

typedef enum pcs_friction_stage {
    PCS_FRICTION_STAGE_SWEEPS, // Gauss-Seidel alone
    PCS_FRICTION_STAGE_NEWTON  // a proximal Newton polish gave the returned r
} pcs_friction_stage;

typedef struct pcs_friction_opts {
    double tolerance;             // on the scaled residual; its rounding level if that is larger
    int32_t max_iterations;       // Gauss-Seidel sweeps in all
    int32_t sweeps_before_newton; // sweeps before the first polish; doubles after a failed one
    int32_t newton_iterations;    // linear solves of one polish; 0: never polish
    int32_t newton_max_rows;      // problems with more rows stay with the sweeps (dense LU)
} pcs_friction_opts;

pcs_friction_opts pcs_friction_default(void); // 1e-10, 10000, 30, 60, 1500

typedef struct pcs_friction_info {
    int32_t sweeps;
    int32_t newton_steps;           // linear solves of all polishes
    pcs_friction_stage stage;       // what closed the gap
    bool at_rounding;               // above the tolerance, but within the rounding of r
    pcs_friction_residual residual; // measured at the returned r
} pcs_friction_info;

// The solver of the time-stepping schemes: Gauss-Seidel, and where that is slow (large mass ratios,
// hyperstatic stacks) a proximal semismooth Newton polish from its iterate. r holds the start (warm
// or zero) and becomes the solution, u the velocities. PCS_NOT_CONVERGED keeps the best iterate.
// On an error r is untouched.
pcs_status pcs_friction_solve(const pcs_friction_contact *problem, const pcs_friction_opts *opts,
                              pcs_arena *arena, double *r, double *u, pcs_friction_info *info)
    PCS_MUST_CHECK;

// Exact solution of one contact: u = W r + q, W positive (semi)definite size x size row-major, not
// necessarily symmetric. Never fails: falls back from closed forms to safeguarded root finding, and
// returns the solution with the smallest natural map. Where several solutions exist (Painleve) open
// goes before stick and stick before slip; no history enters.
void pcs_one_contact_solve(int32_t size, const double *W, const double *q, double mu, double *r);

#endif
