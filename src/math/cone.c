// Projections on the Coulomb cone, its dual and the disc.
#include "math/cone.h"

static double tangential_norm(int size, const double *r)
{
    return size == 2 ? fabs(r[1]) : sqrt(r[1] * r[1] + r[2] * r[2]);
}

static void set_zero(int size, double *r)
{
    for (int i = 0; i < size; i++)
        r[i] = 0;
}

static void scale_tangential(double s, int size, double *r)
{
    for (int i = 1; i < size; i++)
        r[i] *= s;
}

void pcs_cone_project(double mu, int size, double *r)
{
    pcs_cone_project_inline(mu, size, r);
}

void pcs_cone_project_dual(double mu, int size, double *u)
{
    if (size == 1) {
        u[0] = u[0] < 0 ? 0 : u[0];
        return;
    }
    double t = tangential_norm(size, u);
    if (mu * t <= u[0])
        return;
    if (t <= -mu * u[0]) { // the polar cone of K* is -K
        set_zero(size, u);
        return;
    }
    // the ray (mu, 1): s = (mu u_N + |u_T|)/(1 + mu^2), u = s (mu, u_T/|u_T|)
    double s = (mu * u[0] + t) / (1 + mu * mu);
    u[0] = mu * s;
    scale_tangential(s / t, size, u);
}

void pcs_disc_project(double rho, int size, double *r_T)
{
    double t = size == 1 ? fabs(r_T[0]) : sqrt(r_T[0] * r_T[0] + r_T[1] * r_T[1]);
    if (t <= rho)
        return;
    for (int i = 0; i < size; i++)
        r_T[i] *= rho / t;
}
