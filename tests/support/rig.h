// A rig: a mechanism built joint by joint at world poses, and its run.
#ifndef PCS_TESTS_RIG_H
#define PCS_TESTS_RIG_H

#include "math/rotation.h"
#include "percuss/simulation.h"

enum { RIG_JOINTS_MAX = 16 };

static const double RIG_DRIFT = 1e-11; // m or rad, the acceptance line
// The projection leaves 1e-12 in position, so tolerance/h = 1e-9 in velocity (two for rounding).
static const double RIG_VELOCITY_DRIFT = 2e-9;

static const pcs_vec3 RIG_DOWN = {0, 0, -9.81}, RIG_DOWN2 = {0, -9.81, 0};
static const pcs_quat RIG_STRAIGHT = {1, 0, 0, 0};

// A pose whose z axis has this direction, and a turn in the plane.
pcs_quat rig_z_along(double x, double y, double z);
pcs_quat rig_turned(double angle);

typedef struct rig {
    pcs_context *ctx;
    pcs_builder *builder;
    pcs_model *model;
    pcs_simulation *simulation;
    int32_t dimension;
    pcs_joint_def joint[RIG_JOINTS_MAX]; // as built, in the order of their ids
    int32_t n_joints;
} rig;

void rig_begin(rig *r, int32_t dimension, pcs_vec3 gravity);
void rig_end(rig *r);
// The status must be PCS_OK; the context's error is shown otherwise.
void rig_must(rig *r, pcs_status status);

// A body of mass m whose node is its frame's origin; principal moments J (planar: J.z).
pcs_body_def rig_body_def(const char *name, double m, pcs_vec3 J, pcs_vec3 position);
pcs_body_id rig_add(rig *r, const pcs_body_def *def);
// A body at rest or turning, with eccentric centre of mass where the joint is not at its node.
pcs_body_id rig_link(rig *r, const char *name, pcs_vec3 position, pcs_vec3 omega);
pcs_body_id rig_add_point(rig *r, const char *name, double m, pcs_vec3 position, pcs_vec3 velocity);

// A joint whose two frames coincide in the initial configuration at the world pose.
pcs_joint_def rig_joint_def(rig *r, const char *name, pcs_joint_kind kind, pcs_body_id a,
                            pcs_body_id b, pcs_vec3 position, pcs_quat rotation);
pcs_joint_id rig_join(rig *r, const pcs_joint_def *def);
pcs_joint_id rig_connect(rig *r, const char *name, pcs_joint_kind kind, pcs_body_id a,
                         pcs_body_id b, pcs_vec3 position, pcs_quat rotation);

// Finishes the model and creates the simulation; does not start it.
void rig_finish(rig *r, double end, double step);
// One step that must succeed and converge.
void rig_step(rig *r);
// No drift in the run, every step converged, and so many redundant rows.
void rig_check_drift(const rig *r, int32_t redundant);

// Place and rotation of frame b of a joint in its frame a, from the views of the bodies.
void rig_relative(const rig *r, pcs_joint_id joint, pcs_vec3 *d, pcs_mat3 *R);
// Coordinates of the joint as its two bodies show them; angles in (-pi, pi]. Returns their number.
int32_t rig_coordinates(const rig *r, pcs_joint_id joint, double *x, bool *is_angle);

#endif
