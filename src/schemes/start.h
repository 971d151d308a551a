// Consistent initial state: positions, then velocities, projected on the joints in the metric of M.
#ifndef PCS_SCHEMES_START_H
#define PCS_SCHEMES_START_H

#include "model/assembly.h"
#include "model/state.h"
#include "percuss/simulation.h"

typedef struct pcs_start_opts {
    double tolerance; // on the constraints after projection
    double limit;     // largest move allowed, as a fraction of the model's size (rad for rotations)
} pcs_start_opts;

// Fills t (given), q, v, turns from the model, unless state->given, and projects; the moves go into
// `statistics`. Refuses, naming the worst row, when the joints cannot be closed, when the move is
// larger than the limit, or when prescribed velocities contradict each other. `saddle` and `blocks`
// are the scheme's own.
pcs_status pcs_start_state(pcs_context *ctx, const pcs_model *model, const pcs_start_opts *opts,
                           double t, pcs_saddle *saddle, pcs_row_block *blocks, pcs_state *state,
                           pcs_statistics *statistics) PCS_MUST_CHECK;

// What there is to say of the started state: gaps, the deepest penetration, redundant rows of the
// last factorisation, energy. `c` and `contacts` are storage of the scheme and hold the start
// afterwards.
void pcs_start_measure(const pcs_model *model, const pcs_saddle *saddle, pcs_configuration *c,
                       pcs_contact *contacts, pcs_state *state, pcs_statistics *statistics);

// The body of a node; systems count as -2, -3..., meshes behind them.
pcs_body_id pcs_start_owner(const pcs_model *model, int32_t node);

#endif
