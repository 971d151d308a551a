// The turning of friction. A contact that slides in space has the friction -mu lambda_N d with
// d = u_T/|u_T|, and d turns with the velocity:
//
//     d(B^T lambda)/dv = -s h h^T,   s = mu lambda_N/|u_T|,   h = (e_1 H_T1 + e_2 H_T2)^T,   e _|_ d.
//
// Where sliding is slow this is a strong damper across d, without bound as a slip begins or ends:
// the velocities follow the direction of the forces within |u_T|/(mu lambda_N w), w = h^T S^-1 h,
// which no explicit method can. It couples nodes that no element does, but has rank one for each
// contact: the solutions of a matrix S, with joints and closed contacts, are corrected by the formula
// of Sherman, Morrison and Woodbury,
//     (S + c sum_k s_k h_k h_k^T) x = b:   x = z - Y w,   Y = S^-1 h,   (1/(c s) + h^T Y) w = h^T z.
#ifndef PCS_SCHEMES_FRICTION_TURNS_H
#define PCS_SCHEMES_FRICTION_TURNS_H

#include "schemes/smooth_system.h"

typedef struct pcs_friction_turns {
    int32_t n, capacity; // contacts at hand, room
    int32_t n_v, rows;
    double *h, *y, *p;         // n_v, n_v and rows for each
    double *strength, *matrix; // s; n x n, factorised
    double *surface;           // velocity of the moving surface along e
    double *convective;        // (dH/dt) v and the surface's acceleration along e
    double *w;
    int32_t *pivot;
} pcs_friction_turns;

// Contacts of the phase that slide in space, with friction.
int32_t pcs_friction_turns_count(const pcs_smooth *smooth);
// Room for the present phase; keeps what is large enough.
pcs_status pcs_friction_turns_reserve(pcs_context *ctx, const pcs_smooth *smooth,
                                      pcs_friction_turns *turns) PCS_MUST_CHECK;
void pcs_friction_turns_free(pcs_context *ctx, pcs_friction_turns *turns);
// h, Y and s at the last instant of the smooth system with the multipliers there; S is `saddle`,
// factorised.
void pcs_friction_turns_set(pcs_friction_turns *turns, const pcs_smooth *smooth,
                            const double *lambda, pcs_saddle *saddle);
// Bound of the rates at which velocities follow the direction of friction, 1/s: sum_k s_k h_k^T Y_k
// for S = M.
double pcs_friction_turns_rate(const pcs_friction_turns *turns);
// For the factor c.
void pcs_friction_turns_factor(pcs_friction_turns *turns, double c);
// Power of the moving surfaces by which the last correction differs: the friction that turns is
// -w e, over the step that c stands for.
double pcs_friction_turns_power(const pcs_friction_turns *turns);
// z, p (multipliers, or NULL) of a solve with S become those with the turning. With `convective` z is
// v' and the velocities across also change by what the motion does to the rows:
//     (1/(c s) + h^T Y) w = h^T z + e^T ((dH/dt) v + surface').
void pcs_friction_turns_correct(const pcs_friction_turns *turns, bool convective, double *z,
                                double *p);

#endif
