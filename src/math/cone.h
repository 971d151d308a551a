// Projections on the sets of contact mechanics. Components in the order (N, T1, T2).
#ifndef PCS_MATH_CONE_H
#define PCS_MATH_CONE_H

#include <math.h>

#include "math/vector.h"

// Coulomb cone K = { r : |r_T| <= mu r_N }, dual K* = { u : u_N >= mu |u_T| }. Size 1 (N only),
// 2 or 3 components, in place. Each cone is the convex hull of one ray turned about the normal, so
// a projection has three cases: inside (nothing to do), in the polar cone (zero), else on the
// nearest ray. A NaN fails the tests and comes out as NaN.
void pcs_cone_project(double mu, int size, double *r);
// The same in the caller's code, for inner loops where the size is a constant.
static inline void pcs_cone_project_inline(double mu, int size, double *r)
{
    if (size == 1) {
        r[0] = r[0] < 0 ? 0 : r[0];
        return;
    }
    const double t = size == 2 ? fabs(r[1]) : sqrt(r[1] * r[1] + r[2] * r[2]);
    if (r[0] >= 0 && t <= mu * r[0]) // the sign decides where mu = 0
        return;
    if (mu * t <= -r[0]) { // the polar cone is -K*
        for (int i = 0; i < size; i++)
            r[i] = 0;
        return;
    }
    // the ray (1, mu): s = (r_N + mu |r_T|)/(1 + mu^2), r = s (1, mu r_T/|r_T|)
    const double s = (r[0] + mu * t) / (1 + mu * mu), part = mu * s / t;
    r[0] = s;
    for (int i = 1; i < size; i++)
        r[i] *= part;
}
void pcs_cone_project_dual(double mu, int size, double *u);
// Disc of radius rho >= 0 in the tangent plane (size 1 or 2).
void pcs_disc_project(double rho, int size, double *r_T);

#endif
