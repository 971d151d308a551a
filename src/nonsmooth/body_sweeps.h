// Matrix-free Gauss-Seidel for free rigid bodies. A global problem M v = H r + f, u = H^T v + w
// whose M falls apart into bodies of 1 to 6 degrees of freedom, with one or two bodies at each
// contact, is swept with the velocities of the bodies instead of W: memory is linear in the
// contacts, and a visit costs the same however many neighbours a contact has.
#ifndef PCS_NONSMOOTH_BODY_SWEEPS_H
#define PCS_NONSMOOTH_BODY_SWEEPS_H

#include "nonsmooth/nsgs.h"
#include "nonsmooth/problem.h"

// Values of one body's velocity, and of the rows of one contact at one body: 3 x 6, row-major. The
// velocities of a body fill a cache line.
enum { PCS_BODY_DOF = 6, PCS_BODY_STRIDE = 8, PCS_SIDE_STRIDE = 3 * PCS_BODY_DOF };

// With the triangular factors M = L U of each body (U = L^T where M is symmetric) and x = U v, the
// velocities of the contacts and the effect of an impulse are
//     u_i = sum_s R_is x_s + w_i,  R = H^T U^-1,        x_s += L_is^T dr_i,  L_is = (L^-1 H)^T.
typedef struct pcs_body_system {
    int32_t n, bodies, rows;
    const uint8_t *kind;
    int32_t *offset;  // n+1: first row of each block
    int32_t *body;    // 2n: bodies of block i, -1: none
    double *left;     // 2n sides of PCS_SIDE_STRIDE values
    double *right;    // the same array where every M is symmetric
    double *x_free;   // PCS_BODY_STRIDE for each body: x at r = 0
    double *w;        // rows values
    double *diagonal; // W_ii, 9 values for each block, the first size*size row-major
    double *q;        // rows values: u at r = 0
    pcs_one_contact *contact;
    // W_ii alone as a matrix of blocks, with q and mu: for the residual at a known u
    pcs_block_matrix blocks;
    pcs_friction_contact local;
} pcs_body_system;

// Converts a global problem, which must outlive the system; the system points into itself and must
// not be copied. *fits tells whether it is made of such bodies; if not, nothing else is
// to be used. PCS_ERROR_SINGULAR: the mass matrix of a body is not positive definite.
pcs_status pcs_body_system_init(pcs_body_system *system, const pcs_problem *problem,
                                pcs_arena *arena, bool *fits) PCS_MUST_CHECK;
// u_i = sum_s R_is x_s + w_i
void pcs_body_system_contact_velocity(const pcs_body_system *system, int32_t i, const double *x,
                                      double *u_i);
// x of all bodies and u of all contacts at r.
void pcs_body_system_velocity(const pcs_body_system *system, const double *r, double *x, double *u);

// The residual of the reduced problem at r with its u.
pcs_residual pcs_body_system_measure(const pcs_body_system *system, const double *r,
                                     const double *u);

// Sweeps from r (finite) until the residual of the reduced problem meets the tolerance; same
// meaning of r, u, opts and info as pcs_friction_solve_fn. Contacts are coloured from
// PCS_SWEEP_BLOCKS_FROM on.
pcs_status pcs_body_sweeps_solve(const pcs_body_system *system, const pcs_solve_opts *opts,
                                 double relaxation, pcs_arena *arena, double *r, double *u,
                                 pcs_solve_info *info) PCS_MUST_CHECK;

#endif
