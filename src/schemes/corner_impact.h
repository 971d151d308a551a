// A bilateral constraint whose curve has a corner (the normal jumps, C0): the velocity before the
// corner is not admissible behind it. Two laws of Glocker, after [Haddouni2015, 4.3], give the one
// behind it. Both conserve the kinetic energy of a point that was on the curve, and then agree.
//
// With n1, n2 the constraint's gradients on the two faces (oriented alike, of any length) and x = P
// n, P = M^-1 or, with other joints, M^-1 - M^-1 G^T (G M^-1 G^T)^-1 G M^-1, all that happens is in
// the plane of x1 and x2:  v+ = v- + p1 x1 + p2 x2.
//
// For a joint on a curve, n1 and n2 are its row with the one and with the other face held
// (pcs_configuration.face). At a smooth junction they are parallel and nothing happens.
#ifndef PCS_SCHEMES_CORNER_IMPACT_H
#define PCS_SCHEMES_CORNER_IMPACT_H

#include <stdint.h>

#include "model/assembly.h"

typedef struct pcs_corner {
    double a11, a12, a22; // n_i . x_j
    double u1, u2;        // n_i . v-
} pcs_corner;

// From vectors of n_v numbers.
pcs_corner pcs_corner_of(int32_t n_v, const double *n1, const double *n2, const double *x1,
                         const double *x2, const double *v);

// The impulses p along n1 and n2. Parallel gradients give 0.
void pcs_corner_reflection(const pcs_corner *corner, double p[2]);
void pcs_corner_time_scaling(const pcs_corner *corner, double p[2]);

// What a turn works with; the arrays are overwritten.
typedef struct pcs_corner_work {
    pcs_configuration *c;
    pcs_saddle *saddle; // M with the joint rows
    pcs_row_block *rows;
    double *n1, *n2, *x1, *x2; // n_v
    double *p_row;             // n_rows
} pcs_corner_work;

// The velocity v of c, at c's t and q, turns at the corner between the face that `face` holds for
// the joint and the face `next`, which is held from then on. Where the tangent is continuous nothing
// happens. `face` has the model's n_faces numbers.
pcs_status pcs_corner_turn(const pcs_model *model, const pcs_corner_work *w, const pcs_joint *joint,
                           int32_t *face, int32_t next, double *v) PCS_MUST_CHECK;

#endif
