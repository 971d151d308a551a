// How near a mechanism is to a singular position, in which rows of its joints depend on each other
// and branches of the motion cross. The smallest pivot of the rows (pcs_saddle_smallest_pivot) falls
// with the square of the distance; measured against the largest one seen, since long chains and
// unequal masses have small ones everywhere.
#ifndef PCS_SCHEMES_SINGULAR_H
#define PCS_SCHEMES_SINGULAR_H

#include "model/model.h"

typedef struct pcs_singular {
    double widest;   // largest pivot at the ends of steps; 0: none yet
    double distance; // sqrt(pivot / widest) at the last one
    double closing;  // how fast it falls, 1/s
} pcs_singular;

// Whether the joints close loops. A tree has independent rows in every position: each joint adds a
// body of its own.
pcs_status pcs_singular_find_loops(pcs_context *ctx, const pcs_model *model, bool *has_loops)
    PCS_MUST_CHECK;
// The first instant, or one behind which the distance does not follow from that before.
void pcs_singular_begin(pcs_singular *singular, double pivot);
bool pcs_singular_is_near(const pcs_singular *singular, double pivot);
// The instant h later; whether it is near a singular position or one lies in between.
bool pcs_singular_step(pcs_singular *singular, double h, double pivot);
// Time to the position ahead if the distance falls on evenly, s; HUGE_VAL: it does not fall.
double pcs_singular_time(const pcs_singular *singular);

#endif
