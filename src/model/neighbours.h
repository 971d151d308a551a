// Which contacts can matter in a step. A pile of n spheres has n (n - 1)/2 declared pairs, of which
// some 3 n are near; all others are known by their gap alone.
//
// The gap of two spheres changes by no more than their centres move: while no centre moves farther
// than `reach`, a pair whose gap at the start is larger than 2 reach stays open. Such a pair is far.
// Pairs of other kinds, limits and contacts of systems and meshes are never far.
#ifndef PCS_MODEL_NEIGHBOURS_H
#define PCS_MODEL_NEIGHBOURS_H

#include "model/contact.h"

// Two spheres whose centres are the origins of their nodes, or fixed.
typedef struct pcs_sphere_pair {
    int32_t slot, node_a, node_b; // node < 0: the ground
    double radius_a, radius_b;
    pcs_vec3 fixed; // centre of the one on the ground
} pcs_sphere_pair;

typedef struct pcs_neighbours {
    const struct pcs_model *model;
    int32_t n_spheres, n_nodes, n_pairs, n_near;
    pcs_sphere_pair *sphere; // pairs that may be far
    int32_t *node;           // with spheres of such pairs
    int32_t *pair_slot;      // first slot of each pair of the model
    bool *far;               // by slot
    int32_t *pair, *near;    // pairs and slots that are not far, ascending
    double smallest;         // radius of those spheres, m; HUGE_VAL: none
} pcs_neighbours;

pcs_status pcs_neighbours_init(pcs_context *ctx, const struct pcs_model *model, pcs_neighbours *n)
    PCS_MUST_CHECK;
void pcs_neighbours_free(pcs_context *ctx, pcs_neighbours *n);
// From the gaps of the slots at the start, and their impulses, 3 each: what carries a load is near.
void pcs_neighbours_find(pcs_neighbours *n, const double *gap, const double *r, double reach);
// Largest distance between the centres of spheres at two configurations.
double pcs_neighbours_moved(const pcs_neighbours *n, const pcs_configuration *from,
                            const pcs_configuration *to);
// Speed of the fastest centre.
double pcs_neighbours_speed(const pcs_neighbours *n, const double *v);
// pcs_model_contacts() of what is near.
void pcs_neighbours_contacts(const pcs_neighbours *n, const pcs_configuration *c, bool rows,
                             pcs_contact *contacts);
// Gaps of all slots: of what is near from `contacts`, of the others at the configuration.
void pcs_neighbours_gaps(const pcs_neighbours *n, const pcs_configuration *c,
                         const pcs_contact *contacts, double *gap);

#endif
