// Scalar coordinates between two frames a and b: the one building block of joints (rows that keep a
// coordinate at a value), prescribed motions, limits, springs, dampers, actuators and gears.
//
// With d = p_b - p_a, axes e of a and f of b (world), the rate of a coordinate is a linear form
//   x' = d_a.v_a + w_a.omega_a + d_b.v_b + w_b.omega_b,
// and its convective term is the part of x'' without accelerations, (dJ/dt) v.
#ifndef PCS_MODEL_COORDINATE_H
#define PCS_MODEL_COORDINATE_H

#include "model/node.h"

typedef enum pcs_coordinate_kind {
    PCS_COORDINATE_WORLD,    // d . (world axis)
    PCS_COORDINATE_ALONG,    // d . e
    PCS_COORDINATE_DISTANCE, // |d|
    PCS_COORDINATE_DOT,      // e . f
    PCS_COORDINATE_ANGLE,    // angle of b about e, from the next axis of a to the next axis of b
    PCS_COORDINATE_ANGLE_B, // angle about f (an axis of b) in the direction a to b; universal joint
    PCS_COORDINATE_CURVE, // d . (y of a) with frame a at the foot of b's origin on a curve, x along it
    PCS_COORDINATE_ROTATION // component of the rotation vector log(R_a^T R_b), in b's axes
} pcs_coordinate_kind;

typedef struct pcs_coordinate {
    pcs_coordinate_kind kind;
    int8_t axis_a, axis_b; // 0, 1, 2
    int32_t turn;          // place of this angle among the model's multi-turn angles, or -1
} pcs_coordinate;

// Attachment of a frame to a node (node -1: ground, then position and axes are in the world).
typedef struct pcs_attachment {
    int32_t node;
    pcs_vec3 p; // from the node's origin, node axes
    pcs_mat3 R; // frame axes in node axes
} pcs_attachment;

typedef struct pcs_pair {
    pcs_attachment a, b;
} pcs_pair;

// What all coordinates of one pair share, in the world frame.
typedef struct pcs_pair_state {
    pcs_node_kind kind_a, kind_b;
    const pcs_pose *pose_a, *pose_b;
    pcs_twist twist_a, twist_b;
    pcs_vec3 s_a, s_b; // arms from the node origins to the frame origins
    pcs_vec3 d;        // p_b - p_a
    pcs_mat3 R_a, R_b; // frame axes
    double bend;       // CURVE: kappa/(1 - kappa d.y), the curvature of the way of b; 0 otherwise
} pcs_pair_state;

// Linear form of the rate in world vectors.
typedef struct pcs_rate_form {
    pcs_vec3 d_a, w_a, d_b, w_b;
} pcs_rate_form;

// `reference` (used by angles with turn >= 0) selects the branch nearest to it.
double pcs_coordinate_value(const pcs_coordinate *c, const pcs_pair_state *pair, double reference);
pcs_rate_form pcs_coordinate_rate_form(const pcs_coordinate *c, const pcs_pair_state *pair);
double pcs_coordinate_rate(const pcs_rate_form *form, const pcs_pair_state *pair);
double pcs_coordinate_convective(const pcs_coordinate *c, const pcs_pair_state *pair);
// Rows of the Jacobian in the layouts of the two nodes; a row of a ground frame is not written.
void pcs_coordinate_rows(const pcs_rate_form *form, const pcs_pair_state *pair, double *row_a,
                         double *row_b);
// Geometric stiffness: K = d(J^T lambda)/dq for the perturbation q [+] delta, as a 12 x 12
// row-major matrix over (a, b) in spatial layout (6 numbers each: translation in the world,
// rotation in node axes).
void pcs_coordinate_geometric(const pcs_coordinate *c, const pcs_pair_state *pair, double lambda,
                              double K[12][12]);
// Change of the rate x' = J(q) v with q at fixed v: v^T K for K = K_geo(1), in the layout of K.
void pcs_coordinate_rate_gradient(const pcs_pair_state *pair, const double K[12][12],
                                  double out[12]);
// True where the geometric stiffness vanishes identically: angles in the plane.
static inline bool pcs_coordinate_is_flat(const pcs_coordinate *c, int32_t dimension)
{
    return dimension == 2 && c->kind == PCS_COORDINATE_ANGLE;
}

#endif
