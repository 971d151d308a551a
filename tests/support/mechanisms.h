// Mechanisms with published or computed reference motions, built through the public interface and
// shared by tests and benchmarks. Every function returns a finished model; the parameters and their
// sources stand before the functions in mechanisms.c.
#ifndef PCS_TESTS_MECHANISMS_H
#define PCS_TESTS_MECHANISMS_H

#include "percuss/model.h"

// ---- N-link chain ----

#define CHAIN_LINK_LENGTH 0.25
#define CHAIN_LINK_MASS 0.078125

// Links named link0, link1, ... from the origin along +x, body frames in their middles. Gravity is -z
// with hinges along y in space, -y in the plane.
pcs_status mechanism_chain(pcs_context *ctx, int32_t links, int32_t dimension, pcs_model **out)
    PCS_MUST_CHECK;

#endif
