// The motion of a step as a polynomial, and bounds of the velocities and accelerations of its nodes
// over any part of it.
//
//     q(t) = q_0 [+] d(theta),   d = sum_k c_k theta^k, k = 1 .. degree,   theta = (t - t_0) / h
//
// is what the dense output of every integrator is, and, with degree 1 and c_1 = h v, the straight
// and turning motion of one step of time stepping. On a part of the step a polynomial lies in the
// convex hull of its Bernstein coefficients [Farouki2012], so that a norm is largest at one of
// them; differences of two nodes keep that property, so that bodies that travel together have a
// small relative speed. A rotation vector psi has Omega = T(psi) psi' with |T| <= 1 and
// |T'| <= |psi'|/2, hence |Omega| <= |psi'| and |Omega'| <= |psi''| + |psi'|^2/2.
#ifndef PCS_SCHEMES_MOTION_H
#define PCS_SCHEMES_MOTION_H

#include "model/model.h"

enum { PCS_MOTION_DEGREE = 5, PCS_MOTION_SPEEDS = PCS_MOTION_DEGREE };

// Bernstein coefficients over a part of the motion: velocities and accelerations of the node's
// origin (world), and largest angular ones. Planar nodes have those of their angle too.
typedef struct pcs_motion_hull {
    double from, to; // the part, in theta; from > to: not computed
    pcs_vec3 v[PCS_MOTION_SPEEDS], a[PCS_MOTION_SPEEDS - 1];
    double w[PCS_MOTION_SPEEDS], alpha[PCS_MOTION_SPEEDS - 1]; // planar nodes
    double w_most, alpha_most;
} pcs_motion_hull;

typedef struct pcs_motion {
    pcs_context *ctx;
    const pcs_model *model;
    double t, h;     // time of theta = 0, length of theta = 0 .. 1, s
    const double *q; // at theta = 0, a view
    // At theta = 1, views: the end of a step that has been projected since; NULL: the polynomial.
    const double *q_end, *v_end;
    int32_t degree;
    double *c[PCS_MOTION_DEGREE]; // n_v each: c[k] belongs to theta^(k+1)
    pcs_motion_hull *hull;        // by node, of the part asked for last
} pcs_motion;

pcs_status pcs_motion_init(pcs_context *ctx, const pcs_model *model, pcs_motion *motion)
    PCS_MUST_CHECK;
void pcs_motion_free(pcs_motion *motion);
// After the coefficients have been filled: the motion begins at (t, q), and ends where they say.
void pcs_motion_begin(pcs_motion *motion, double t, double h, const double *q, int32_t degree);

// Pose and twist of a node at theta.
void pcs_motion_node(const pcs_motion *motion, int32_t node, double theta, pcs_pose *pose,
                     pcs_twist *twist);
// All of q and v at theta.
void pcs_motion_state(const pcs_motion *motion, double theta, double *q, double *v);
// Bounds of a node over theta in [from, to]; node < 0, the ground: zeros.
const pcs_motion_hull *pcs_motion_bound(pcs_motion *motion, int32_t node, double from, double to);
// Bernstein coefficients over [from, to] of the rate of a scalar x = sum_k c_k theta^k, and of its
// second derivative, in time.
void pcs_motion_scalar(const pcs_motion *motion, const double *c, double from, double to,
                       double *rate, double *acceleration);

#endif
