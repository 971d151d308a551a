// Projections on the sets of contact mechanics. Components in the order (N, T1, T2).
#ifndef PCS_MATH_CONE_H
#define PCS_MATH_CONE_H

#include "math/vector.h"

// Coulomb cone K = { r : |r_T| <= mu r_N }, dual K* = { u : u_N >= mu |u_T| }. Size 1 (N only),
// 2 or 3 components, in place.
void pcs_cone_project(double mu, int size, double *r);
void pcs_cone_project_dual(double mu, int size, double *u);
// Disc of radius rho >= 0 in the tangent plane (size 1 or 2).
void pcs_disc_project(double rho, int size, double *r_T);

#endif
