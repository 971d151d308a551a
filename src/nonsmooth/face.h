// One piece of an enumeration: a square linear system with inequalities,
//     B x + b = 0,     G x + g >= 0,
// whose solutions are none, one, or (B singular) a polyhedron.
#ifndef PCS_NONSMOOTH_FACE_H
#define PCS_NONSMOOTH_FACE_H

#include "base/arena.h"

typedef struct pcs_face {
    int32_t n;            // unknowns and equations
    int32_t inequalities; // rows of G
    const double *B, *b;  // row-major; entries of the size 1
    const double *G, *g;
} pcs_face;

typedef enum pcs_face_kind {
    PCS_FACE_EMPTY,
    PCS_FACE_POINT,
    PCS_FACE_MANY,
    PCS_FACE_UNDECIDED // the linear program for it broke down
} pcs_face_kind;

// Classifies the face; x gets a point of it unless it is empty. Equations and inequalities hold up
// to PCS_FACE_TOLERANCE of the terms in them.
#define PCS_FACE_TOLERANCE 1e-10
pcs_status pcs_face_probe(const pcs_face *face, pcs_arena *arena, double *x, pcs_face_kind *kind)
    PCS_MUST_CHECK;

#endif
