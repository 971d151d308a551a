// Steps of a fixed-point iteration v <- T(v) whose T is affine in pieces and nearly non-expansive,
// as those of the first-order contact solvers are. The caller evaluates g = T(v) - v; a step makes
// the next v, by one of
//     none       v + g
//     nesterov   extrapolation from the last two plain steps [GoldsteinEtAl2014]
//     anderson   combination of the last iterates (anderson.h), and gliding
// Accelerated steps are safeguarded: one that lets |g| grow is undone, and the plain step of the
// iterate before it is taken instead.
#ifndef PCS_NONSMOOTH_ACCELERATION_H
#define PCS_NONSMOOTH_ACCELERATION_H

#include "nonsmooth/anderson.h"

typedef enum pcs_acceleration_kind {
    PCS_ACCELERATION_NONE,
    PCS_ACCELERATION_NESTEROV,
    PCS_ACCELERATION_ANDERSON
} pcs_acceleration_kind;

typedef struct pcs_acceleration {
    pcs_acceleration_kind kind;
    int32_t rows;
    const double *scale; // lengths are those of scale_k x_k
    double *plain;       // T(v) of the last iterate that was kept
    double kept;         // |g| of it; infinite without one
    double length;       // |g| of the last step
    double momentum;
    pcs_anderson anderson;
    int32_t steps;       // in all
    int32_t window;      // first step of the window that watches the error
    int32_t glide_left;  // plain steps still to make, 0: not gliding
    double least;        // smallest error in the window
    double least_before; // and before it
    double stride, path, first;
    double *from; // v at the start of a glide
} pcs_acceleration;

pcs_status pcs_acceleration_init(pcs_acceleration *a, pcs_arena *arena, pcs_acceleration_kind kind,
                                 int32_t rows, int32_t memory, const double *scale) PCS_MUST_CHECK;
// To be called when T changes: what was learnt of it is forgotten.
void pcs_acceleration_restart(pcs_acceleration *a);
// v becomes the next iterate. `error` is any measure of v by which a stall shows. False if g is not
// finite and there is no iterate to go back to: the iteration is at its end.
bool pcs_acceleration_step(pcs_acceleration *a, double *v, const double *g, double error);

#endif
