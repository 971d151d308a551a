// Where a gap first falls to zero along a motion: a search that cannot pass over a contact
// (docs/theory/event-search.md).
//
// From an instant of the motion, the gap of a slot has a lower bound that is concave in time,
//     gap(t + x) >= gap + gap' x - A x^2 / 2    and    gap(t + x) >= gap - L x,
// L and A from the bounds of the relative motion of the two nodes over the part at hand (motion.h);
// so it stays open for a time that is known beforehand, the safe time, forwards and backwards. A
// part between two instants whose safe times meet has no contact in it; any other part is cut. A
// gap that begins at zero and opens is safe for 2 gap'/A, whatever its value.
//
//     planes, spheres, curves, limits, shapes     L and A are true bounds: nothing is missed
//     formulas, faces of meshes                   L and A are estimates from the instants looked at
//
// "Missed" means by more than `tolerance`: a gap that dips less deep than that is grazing.
#ifndef PCS_SCHEMES_GAP_SEARCH_H
#define PCS_SCHEMES_GAP_SEARCH_H

#include "model/contact.h"
#include "schemes/motion.h"

enum { PCS_GAP_BARRIERS = 4 };

// A lower bound of the gap: it falls along n. Rotations add what they do to the arms.
typedef struct pcs_gap_barrier {
    double value, rate;
    pcs_vec3 n;
    double arm_a, arm_b; // from the origins of the nodes, m
    bool turns;          // n turns with node a; arm_a reaches to the point of b then
    bool is_gap;         // it bounds the gap; false: while it is positive there is no contact point
} pcs_gap_barrier;

// A slot at an instant of the motion.
typedef struct pcs_gap_place {
    double t;
    double gap;        // HUGE_VAL: no contact point
    double rate;       // of the gap, of this slot as the motion has it
    double coordinate; // limits: of the joint
    // Bounds: any one of the barriers that is positive keeps the contact open.
    int32_t n_barriers;
    pcs_gap_barrier barrier[PCS_GAP_BARRIERS];
    pcs_vec3 d, d_rate;               // b inside a: of the centres
    double bend;                      // curves: largest curvature towards the free side, 1/m
    double others;                    // curves: distance of all faces but the nearest
    double linear[PCS_MOTION_DEGREE]; // estimates: the gap along the motion with its present row
    double drift;                     // estimates: partial derivative in time
} pcs_gap_place;

typedef struct pcs_gap_search pcs_gap_search;

pcs_status pcs_gap_search_create(pcs_context *ctx, const pcs_model *model, pcs_gap_search **out)
    PCS_MUST_CHECK;
void pcs_gap_search_destroy(pcs_gap_search *search);
// The motion to be searched: fill its c, then pcs_gap_search_begin().
pcs_motion *pcs_gap_search_motion(pcs_gap_search *search);
// Branches of angles at the start, external inputs and held faces are views, as in
// pcs_configuration; `faces` may be NULL.
void pcs_gap_search_begin(pcs_gap_search *search, double t, double h, const double *q,
                          int32_t degree, const double *turns, const double *external,
                          const int32_t *faces);

// The slot at time t of the motion. `near` (or NULL: the start of the motion) is an instant not
// further than half a turn of its angle, which tells the branch.
void pcs_gap_search_look(pcs_gap_search *search, int32_t slot, double t, const pcs_gap_place *near,
                         pcs_gap_place *place);
// True if L and A of the slot are true bounds.
bool pcs_gap_search_is_bounded(const pcs_gap_search *search, int32_t slot);

typedef struct pcs_gap_rules {
    double level;     // the gap closes when it falls below, <= 0
    double noise;     // values of gap - level within are zero
    double tolerance; // dips less deep are grazing, m or rad
    double precision; // of the closing's time; shorter parts of the motion are not cut, s
    double too_early; // a closing before this time need not be located; -HUGE_VAL: none
    bool suspect;     // a slot that has been found closed needs no fall beyond the noise
} pcs_gap_rules;

// A test that needs no look, for gaps known at both ends of the motion: true if they are too far for
// the largest relative speed of the two nodes. Slots of nodes a that turn are not judged.
bool pcs_gap_search_is_far(pcs_gap_search *search, int32_t slot, double gap_start, double gap_end);
// True if the gap surely stays above level - tolerance between two instants.
bool pcs_gap_search_is_clear(pcs_gap_search *search, int32_t slot, const pcs_gap_rules *rules,
                             const pcs_gap_place *a, const pcs_gap_place *b);
// The first closing between the instants *a and *b: true if there is one, with *a the last instant
// known to be open and *b one that is closed; all before *a is clear. The closing is the only one
// between them unless *b is later than *a by less than the precision. False: none, or the slot is
// closed from *a on (*starts_closed).
bool pcs_gap_search_first(pcs_gap_search *search, int32_t slot, const pcs_gap_rules *rules,
                          pcs_gap_place *a, pcs_gap_place *b, bool *starts_closed);
// How far the two sides of a slot can move relative to each other in the motion, m, without a look
// at the slot: a gap above it stays open. HUGE_VAL for formulas; 0 for what a step cannot pass unseen,
// since the far side is closed too (planes, holes, angles), and for faces of meshes, which this
// search would evaluate as a whole for each of their nodes.
double pcs_gap_search_way(pcs_gap_search *search, int32_t slot);
// Instants looked at since creation.
int64_t pcs_gap_search_looks(const pcs_gap_search *search);

#endif
