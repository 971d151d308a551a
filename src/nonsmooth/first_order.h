// What the first-order solvers of the friction contact problem share. They see it as
//
//     find r \in K :  r = P_K(r - t_i uhat_i),    uhat = u + mu |u_T| e_N,   u = W r + q
//
// with a step t_i for each block. Lengths are taken in the norm |x|^2 = sum_i w_i |x_i|^2, where
// w_i = trace(W_ii) / size: the variables sqrt(w_i) r_i have diagonal blocks of mean 1 whatever the
// units and masses are, and one number for a block keeps a cone a cone.
#ifndef PCS_NONSMOOTH_FIRST_ORDER_H
#define PCS_NONSMOOTH_FIRST_ORDER_H

#include "nonsmooth/friction_solver.h"

enum { PCS_ADMM_PENALTY = 0, PCS_ADMM_PATIENCE = 5 }; // indices of options that auto sets
extern const pcs_friction_solver pcs_solver_admm;
extern const pcs_friction_solver pcs_solver_projected_gradient;
extern const pcs_friction_solver pcs_solver_extragradient;
extern const pcs_friction_solver pcs_solver_fixed_point;

// w_i for every row of block i. A block without mobility takes the mean of the others (1 if there
// are none).
void pcs_first_order_weights(const pcs_friction_contact *problem, double *weight);
// r_i becomes P_K(r_i); bilateral blocks stay.
void pcs_first_order_project(const pcs_friction_contact *problem, double *r);
// Adds the De Saxce term: a_N + sign mu |u_T| for each contact; a and u may be the same vector.
void pcs_first_order_add_slip(const pcs_friction_contact *problem, double sign, const double *u,
                              double *a);
// sum_k w_k a_k b_k
double pcs_first_order_dot(int32_t rows, const double *weight, const double *a, const double *b);
double pcs_first_order_norm(int32_t rows, const double *weight, const double *a);
// Largest |lambda| of W x = lambda diag(w) x from below, by power steps from a fixed start: within
// a few per cent, never zero. x and y: work of W's size.
double pcs_first_order_spectral_radius(const pcs_friction_contact *problem, const double *weight,
                                       double *x, double *y);

#endif
