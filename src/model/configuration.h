// A configuration: time, q, v and what follows from them for every node. Schemes keep one for each
// instant they look at (start, forecast, end); elements read poses and twists from it.
#ifndef PCS_MODEL_CONFIGURATION_H
#define PCS_MODEL_CONFIGURATION_H

#include "model/coordinate.h"

struct pcs_model;

typedef struct pcs_configuration {
    double t;    // that formulas see
    double load; // factor of weights, applied forces, actuators and mesh loads; 1 but in
                 // statics. Set by the caller; update() leaves it
    double span; // s, > 0: this is the middle of a step of that length along v, and solids have the
                 // mean strain of its ends. Set by the caller; update() leaves it
    const double *q, *v;    // views, set by pcs_configuration_update
    const double *turns;    // reference of each multi-turn angle, for the branch: the caller's, or
                            // `followed`
    double *followed;       // n_turns, where pcs_configuration_follow expects them
    const double *external; // external inputs and the window of time, from the state; NULL: their
                            // initial values, and all times
    const int32_t *face;    // faces that contacts and curve joints are held on, pcs_model.n_faces
                            // numbers, -1 for the nearest; NULL: the nearest for all. Set by the
                            // caller; update() leaves it
    const uint8_t *axis;    // pcs_tangent_choice of each slot; NULL: free for all. As `face`
    pcs_pose *pose;         // n_nodes
    pcs_twist *twist;       // n_nodes
    double *systems;        // work of Lagrangian systems (model/lagrangian.h)
    uint32_t *evaluated;    // stages of each system that are in it
    double *surfaces;       // boxes and normals of mesh surfaces (model/surface_contact.h)
    bool *fitted;           // surfaces that are in it
    double *inputs;         // variables of formulas: inputs[0] = t, then the signals they use
} pcs_configuration;

pcs_status pcs_configuration_init(pcs_context *ctx, const struct pcs_model *model,
                                  pcs_configuration *c) PCS_MUST_CHECK;
void pcs_configuration_free(pcs_context *ctx, pcs_configuration *c);
// Poses, twists and formula inputs at (t, q, v). `turns` and `external` as in the state.
void pcs_configuration_update(const struct pcs_model *model, pcs_configuration *c, double t,
                              const double *q, const double *v, const double *turns,
                              const double *external);
// Rotation of a body in space between two configurations, rad, up to which angles are followed without
// knowing the way.
#define PCS_TURN_MOST 2.0

// Multi-turn angles `turns` at a configuration q, from which they are followed: d is the way from
// there, q [+] d, which may turn a body by any number of revolutions. NULL: the way that q itself
// tells, any number of revolutions in the plane, less than one in space.
typedef struct pcs_turns {
    const double *turns, *q, *d;
} pcs_turns;
// The same with angles that belong to another configuration: turns.c says how they are followed.
void pcs_configuration_follow(const struct pcs_model *model, pcs_configuration *c, double t,
                              const double *q, const double *v, pcs_turns from,
                              const double *external);
// The time that formulas see for t, in the window of `external`, as in the state.
double pcs_configuration_time(const struct pcs_model *model, const double *external, double t);
// Kinematics of a pair of frames.
pcs_pair_state pcs_configuration_pair(const struct pcs_model *model, const pcs_configuration *c,
                                      const pcs_pair *pair);

#endif
