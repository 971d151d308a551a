// Workspace of the search for gaps, shared by gap_search.c (bounds and the search) and gap_place.c
// (slots at an instant).
#ifndef PCS_SCHEMES_GAP_TERMS_H
#define PCS_SCHEMES_GAP_TERMS_H

#include "geometry/contact_geometry.h"
#include "schemes/gap_search.h"

// How the gap of a slot is bounded.
typedef enum pcs_gap_mode {
    PCS_GAP_FACE,     // n fixed to a: planes, guides, offsets along an axis, convex shapes
    PCS_GAP_SUPPORT,  // n fixed in space, since all of a lies behind its plane: spheres, distances
    PCS_GAP_INSIDE,   // b inside a circle or sphere of a, distances with an upper limit
    PCS_GAP_CYLINDER, // the lowest points of a rim
    PCS_GAP_CURVE,    // faces of a curve or polyline
    PCS_GAP_ANGLE,    // between two nodes
    PCS_GAP_ROTATION, // component of a rotation vector
    PCS_GAP_ESTIMATE  // a row, whose changes are estimated
} pcs_gap_mode;

typedef enum pcs_gap_source {
    PCS_GAP_OF_PAIR,
    PCS_GAP_OF_LIMIT,
    PCS_GAP_OF_SURFACE,
    PCS_GAP_OF_SYSTEM,
    PCS_GAP_OF_COPY // a contact given again: never closed (model/contact_copies.c)
} pcs_gap_source;

typedef struct pcs_gap_slot {
    pcs_gap_mode mode;
    pcs_gap_source source;
    int32_t index, place; // of the pair, limit, surface contact; among its slots
    int32_t node_a, node_b;
    double arm_a, arm_b; // from the nodes to what touches, m
    bool many_turns;     // an angle that may turn further than half a revolution
} pcs_gap_slot;

// A pair at an instant, for all its slots.
typedef struct pcs_gap_pair {
    int32_t index; // -1: empty
    double t;
    pcs_pose pose[2];
    pcs_twist twist[2];
    pcs_placement a, b;
    pcs_contact_point points[PCS_CONTACT_SLOTS_MAX]; // of unbounded faces
} pcs_gap_pair;

struct pcs_gap_search {
    pcs_context *ctx;
    const pcs_model *model;
    pcs_gap_slot *slots;
    pcs_motion motion;
    pcs_configuration c;
    pcs_contact *contacts; // NULL where no slot needs them
    double *q, *v;         // the same
    const double *turns, *external;
    pcs_gap_pair pairs[2]; // looked at last: both ends of a part
    int32_t oldest;        // of them
    int64_t looks;
};

#endif
