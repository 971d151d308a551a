// The model's data, as the elements and the assembly see it. Immutable once built.
#ifndef PCS_MODEL_MODEL_H
#define PCS_MODEL_MODEL_H

#include "base/array.h"
#include "geometry/curve.h"
#include "linalg/saddle.h"
#include "model/contact.h"
#include "model/coordinate.h"
#include "model/lagrangian.h"
#include "model/mesh.h"
#include "model/surface_contact.h"
#include "percuss/formula.h"
#include "percuss/model.h"

typedef struct pcs_node {
    pcs_node_kind kind;
    int32_t q, v;     // first index in q and v
    int32_t n_q, n_v; // numbers in q and v
} pcs_node;

typedef struct pcs_body {
    char *name;
    int32_t node;
    double mass;
    pcs_mat3 inertia; // about the node, node axes (planar: m[2][2])
    pcs_vec3 center;  // node in the body frame; node axes = body axes
    pcs_shape_def *shapes;
    int32_t n_shapes;
    // Initial state of the body frame.
    pcs_vec3 position, velocity, angular_velocity;
    pcs_quat rotation;
    double angle;
} pcs_body;

// A number or a compiled formula of the configuration's inputs.
typedef struct pcs_expression_value {
    double number;
    pcs_formula *formula; // NULL: the number
} pcs_expression_value;

enum { PCS_JOINT_ROWS_MAX = 6 + PCS_JOINT_COORDINATES_MAX };

typedef struct pcs_joint {
    char *name;
    pcs_joint_kind kind;
    pcs_pair pair;
    int32_t n_rows; // kinematic rows, then one for each prescribed motion
    pcs_coordinate row[PCS_JOINT_ROWS_MAX];
    double target[PCS_JOINT_ROWS_MAX];       // value to keep; motion rows: unused
    pcs_formula *motion[PCS_JOINT_ROWS_MAX]; // of t alone; NULL: constant target
    pcs_formula *motion_rate[PCS_JOINT_ROWS_MAX];
    pcs_formula *motion_acceleration[PCS_JOINT_ROWS_MAX];
    double pitch_per_radian; // screw: row n-1 is  displacement - pitch_per_radian * angle
    int32_t n_coordinates;
    pcs_coordinate coordinate[PCS_JOINT_COORDINATES_MAX];
    int32_t first_row;       // scalar row number
    int32_t row_block;       // index among the row blocks, -1 without rows
    struct pcs_curve *curve; // point on curve: owned; NULL otherwise
    int32_t curve_index;     // among the curve joints: face n_slots + curve_index
    bool hold;               // fixes or links a node of a mesh; behind all others, and not shown
} pcs_joint;

typedef struct pcs_coupling {
    char *name;
    int32_t joint[2], coordinate[2];
    double ratio;
    double target;
    int32_t first_row, row_block;
} pcs_coupling;

// Spring and damper on a coordinate: force -stiffness (x - rest) - damping x'.
typedef struct pcs_spring {
    char *name; // of the spring or joint it belongs to
    pcs_pair pair;
    pcs_coordinate coordinate;
    double stiffness, damping, rest;
} pcs_spring;

// Actuator on a joint coordinate.
typedef struct pcs_actuator {
    int32_t joint, coordinate;
    pcs_expression_value force;
} pcs_actuator;

typedef struct pcs_force {
    char *name;
    int32_t node;
    pcs_vec3 p; // point of application from the node, node axes
    bool body_frame;
    pcs_expression_value force[3], torque[3];
} pcs_force;

// A quantity of the state, or an external input, that formulas use; formula variable i > 0 is
// inputs[i - 1], variable 0 is t.
typedef enum pcs_input_kind {
    PCS_INPUT_COORDINATE, // joint coordinate
    PCS_INPUT_RATE,
    PCS_INPUT_POSITION, // body frame origin
    PCS_INPUT_VELOCITY,
    PCS_INPUT_ANGLE, // planar
    PCS_INPUT_ANGULAR_VELOCITY,
    PCS_INPUT_EXTERNAL, // set by the caller between steps
    PCS_INPUT_SYSTEM,   // coordinate of a Lagrangian system
    PCS_INPUT_SYSTEM_RATE
} pcs_input_kind;

typedef struct pcs_input {
    pcs_input_kind kind;
    int32_t index;     // joint, body, external input or system
    int32_t component; // coordinate number or axis
} pcs_input;

// An input that the caller sets; its value is part of the state.
typedef struct pcs_external {
    char *name;
    double initial;
} pcs_external;

// Row block pattern (sizes and nodes; the Jacobian values live with the scheme).
typedef struct pcs_row_pattern {
    int32_t size, n_nodes;
    int32_t node[PCS_ROW_NODES_MAX];
    int32_t first_row;
} pcs_row_pattern;

typedef PCS_ARRAY(char *) pcs_model_names;

struct pcs_model {
    pcs_context *ctx;
    int32_t dimension;
    pcs_vec3 gravity;
    int32_t n_q, n_v, n_rows, n_slots, n_turns;
    int32_t n_faces; // contact slots, then curve joints: what may be held on a face
    PCS_ARRAY(pcs_node) nodes;
    PCS_ARRAY(pcs_body) bodies;
    PCS_ARRAY(pcs_joint) joints;
    int32_t n_shown_joints; // those that the user has given; the holds of mesh nodes follow
    PCS_ARRAY(pcs_coupling) couplings;
    PCS_ARRAY(pcs_spring) springs;
    PCS_ARRAY(pcs_actuator) actuators;
    PCS_ARRAY(pcs_force) forces;
    PCS_ARRAY(pcs_contact_pair) contact_pairs;
    // By slot, where contacts are given more than once (contact_copies.c), otherwise NULL: the slot
    // that has the contact, and how many slots share it.
    int32_t *stand_in, *times_given;
    PCS_ARRAY(pcs_limit) limits;
    PCS_ARRAY(pcs_mesh) meshes; // their nodes lie between those of bodies and those of systems
    PCS_ARRAY(pcs_mesh_load) mesh_loads;
    PCS_ARRAY(pcs_mesh_surface) surfaces; // that contacts use
    PCS_ARRAY(pcs_surface_contact) surface_contacts;
    int64_t surface_work; // numbers that a configuration keeps for the surfaces
    PCS_ARRAY(pcs_system) systems;
    int64_t system_work; // numbers that a configuration keeps for the systems
    PCS_ARRAY(pcs_input) inputs;
    PCS_ARRAY(pcs_external) externals;
    PCS_ARRAY(pcs_row_pattern) row_blocks;
    pcs_model_names slot_names, row_names;
    pcs_model_names coordinate_names, constraint_names,
        point_names;     // of all systems, "fourbar.phi1"
    int32_t (*pairs)[2]; // node pairs coupled in K or C, sorted, i < j
    int32_t n_pairs;
};

enum { PCS_NODE_NAME_SIZE = 320 };
// "body 'crank'", "node 17 of mesh 'cube'" or "system 'fourbar'"; "?" for no node.
const char *pcs_model_node_name(const pcs_model *model, int32_t node,
                                char text[PCS_NODE_NAME_SIZE]);
// The owner of velocity i: "body 'crank'", or "coordinate 'phi' of system 'fourbar'".
const char *pcs_model_velocity_name(const pcs_model *model, int32_t i,
                                    char text[PCS_NODE_NAME_SIZE]);

static inline const pcs_node *pcs_model_node(const pcs_model *model, int32_t node)
{
    return &model->nodes.data[node];
}

#endif
