// The joint table: which coordinates each kind keeps fixed and which it leaves free.
#ifndef PCS_MODEL_JOINT_H
#define PCS_MODEL_JOINT_H

#include "model/model.h"

typedef struct pcs_joint_row_spec {
    pcs_coordinate_kind kind;
    int8_t axis_a, axis_b;
    const char *name; // for messages
} pcs_joint_row_spec;

typedef struct pcs_joint_coordinate_spec {
    pcs_coordinate_kind kind;
    int8_t axis_a, axis_b;
    const char *name, *rate_name;
} pcs_joint_coordinate_spec;

typedef struct pcs_joint_spec {
    const char *name;
    int32_t n_rows;
    pcs_joint_row_spec row[6];
    int32_t n_coordinates;
    pcs_joint_coordinate_spec coordinate[PCS_JOINT_COORDINATES_MAX];
} pcs_joint_spec;

// NULL where the kind does not exist in this dimension.
const pcs_joint_spec *pcs_joint_get_spec(pcs_joint_kind kind, int32_t dimension);

// Kinematics of a joint's two frames. A point on a curve has frame a at its foot on the curve, x
// along the curve and y along the normal; the piece is the one that the configuration holds or the
// nearest.
pcs_pair_state pcs_joint_pair(const pcs_model *model, const pcs_configuration *c,
                              const pcs_joint *joint);

// Value of kinematic or motion row i against its target, and its rate form and convective term
// (either may be NULL). A screw's last row combines displacement and angle.
double pcs_joint_row(const pcs_joint *joint, int32_t i, const pcs_configuration *c,
                     const pcs_pair_state *pair, pcs_rate_form *form, double *convective);

#endif
