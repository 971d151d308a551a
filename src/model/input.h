// Inputs: quantities that formulas read (joint coordinates, body positions, coordinates of
// systems..., and the external inputs), with their gradients for exact tangents.
#ifndef PCS_MODEL_INPUT_H
#define PCS_MODEL_INPUT_H

#include "model/model.h"

double pcs_input_value(const pcs_model *model, const pcs_configuration *c, const pcs_input *input);

// Gradient of an input over at most two nodes: with respect to q, or for rates and velocities
// (`of_velocity`) with respect to v, and then `turning` with respect to q at fixed v.
typedef struct pcs_input_gradient {
    int32_t n_nodes;
    int32_t node[2];
    double row[2][PCS_NODE_V_MAX];
    double turning[2][PCS_NODE_V_MAX];
    bool of_velocity;
    int32_t single; // coordinate of a system: the one entry of the row that is 1, and `row` and
                    // `turning` are not used; -1 for the other inputs
} pcs_input_gradient;

pcs_input_gradient pcs_input_get_gradient(const pcs_model *model, const pcs_configuration *c,
                                          const pcs_input *input);
// A function of positions alone.
bool pcs_input_is_position(const pcs_input *input);
// Of such an input: J v, and (dJ/dt) v.
void pcs_input_motion(const pcs_model *model, const pcs_configuration *c, const pcs_input *input,
                      double *rate, double *convective);
// A += s lambda d(J^T)/dq
void pcs_input_add_geometric(const pcs_model *model, const pcs_configuration *c,
                             const pcs_input *input, double s, pcs_saddle *saddle);
// Whether add_geometric() couples the two nodes of the input.
bool pcs_input_is_curved(const pcs_model *model, const pcs_input *input);
// Nodes that an input depends on (for the coupling pattern).
int32_t pcs_input_nodes(const pcs_model *model, const pcs_input *input, int32_t node[2]);

#endif
