// The Newton step of the interior point method, shared by the predictor-corrector iteration and by
// the continuation along the central path.
//
// Scaled variables make every cone the second-order cone L and every diagonal block of order one:
// with D = diag(mu, 1, 1), c_i = (size_i / trace W_ii)^(1/2), S = c D^-1, a unit Q of velocity,
//     z = S^-1 r / Q,   V = S W S,   b = S q / Q,   y = (u_N/mu + |u_T|, u_T) c / Q.
// The problem is L \ni z \perp y \in L with V z + b = phi(y), phi(y) = (y_N - |y_T|, y_T): the
// normal velocity is the distance of y from the boundary of L. With |y_T| frozen at s it is the
// convex problem phi(y) = (y_N - s, y_T). The central path is z o y = tau e.
#ifndef PCS_NONSMOOTH_INTERIOR_POINT_WORK_H
#define PCS_NONSMOOTH_INTERIOR_POINT_WORK_H

#include "linalg/block_lu.h"
#include "nonsmooth/friction_solver.h"
#include "nonsmooth/second_order_cone.h"

typedef struct pcs_interior_direction {
    double *z, *y;               // rows values each: dz, dy
    double *z_normal, *y_normal; // per block: d_0 - t . d_T
    double *mixed;               // rows: g = P dz + P^-1 dy
} pcs_interior_direction;

typedef struct pcs_interior_work {
    const pcs_friction_contact *problem;
    int32_t n, rows;
    bool embedded;         // phi with |y_T|, else with the frozen s
    int32_t *cone;         // per block: size of its cone, 0: bilateral
    double *S, *b;         // rows
    double unit;           // Q
    pcs_cone_point *z, *y; // per block; bilateral: z in `free`
    double *free_z;        // rows: z of bilateral blocks
    double *s;             // per block: frozen |y_T|
    double *residual;      // rows: V z + b - phi(y)
    double *r;             // rows: the impulses of z
    pcs_cone_scaling *scaling;
    double *E, *F;                    // PCS_BLOCK_LU_STRIDE per block
    double *rhs, *product, *solution; // rows
    pcs_block_lu *lu;
    double regularisation;
    int32_t cones;
    int32_t factorisations;
} pcs_interior_work;

pcs_status pcs_interior_work_init(pcs_interior_work *work, const pcs_friction_contact *problem,
                                  pcs_arena *arena) PCS_MUST_CHECK;
pcs_status pcs_interior_direction_init(pcs_interior_direction *direction,
                                       const pcs_interior_work *work, pcs_arena *arena)
    PCS_MUST_CHECK;
// z = scale e and y = e / scale, or a centred pair with z o y = tau e near the impulses r.
void pcs_interior_start_cold(pcs_interior_work *work, double scale);
void pcs_interior_start_warm(pcs_interior_work *work, const double *r, double tau);
// Largest entry of the natural map z - P_L(z - y) of the impulses r, in scaled units.
double pcs_interior_error(pcs_interior_work *work, const double *r);
// work->r and work->residual from z and y; returns the largest entry of the residual.
double pcs_interior_evaluate(pcs_interior_work *work);
// Scaling and factors at (z, y); false if the point or the matrix is beyond repair.
bool pcs_interior_factor(pcs_interior_work *work);
// Solves phi' dy - V dz = weight residual (the residual of the caller), P dz + P^-1 dy = g, with g
// in direction->mixed.
void pcs_interior_solve(pcs_interior_work *work, const double *residual, double weight,
                        pcs_interior_direction *direction);
// Largest step of z and y inside their cones.
double pcs_interior_max_step(const pcs_interior_work *work,
                             const pcs_interior_direction *direction);
void pcs_interior_advance(pcs_interior_work *work, const pcs_interior_direction *direction,
                          double step);

// A walk along the path of z o y = theta tau e, V z + b - phi(y) = theta residual_0 from theta = 1
// at the point where it was initialised.
typedef struct pcs_interior_path {
    double theta, tau;             // z o y = theta tau e
    double length;                 // next step, per root of the number of cones
    int orientation;               // sign of the determinant at the start
    int32_t steps;                 // factorisations so far
    double *residual_0, *residual; // rows
    pcs_cone_point *z, *y;         // saved point
    double *free_z;
} pcs_interior_path;

pcs_status pcs_interior_path_init(pcs_interior_path *path, pcs_interior_work *work,
                                  pcs_arena *arena) PCS_MUST_CHECK;
// Walks until the complementarity theta tau is below `goal`, testing every point; false if it
// cannot go on (no steps left, no factors, or the monitor ended it).
bool pcs_interior_path_follow(pcs_interior_path *path, pcs_interior_work *work,
                              pcs_monitor *monitor, pcs_interior_direction *correction,
                              pcs_interior_direction *tangent, double goal, int32_t max_steps);
void pcs_interior_path_save(pcs_interior_path *path, const pcs_interior_work *work);
void pcs_interior_path_restore(const pcs_interior_path *path, pcs_interior_work *work);

#endif
