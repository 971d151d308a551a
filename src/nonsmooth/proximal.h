// Proximal point methods for the friction contact problem, around Newton and around Gauss-Seidel.
#ifndef PCS_NONSMOOTH_PROXIMAL_H
#define PCS_NONSMOOTH_PROXIMAL_H

#include "nonsmooth/friction_solver.h"

extern const pcs_friction_solver pcs_solver_proximal_newton, pcs_solver_proximal_gauss_seidel;

// Options of the rows, in the order of their table.
enum { PCS_PROXIMAL_ALPHA, PCS_PROXIMAL_INNER, PCS_PROXIMAL_OPTIONS };

#endif
