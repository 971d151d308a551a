// Small models with meshes, for tests of what comes out of a run.
#ifndef PERCUSS_TESTS_FLEXIBLE_H
#define PERCUSS_TESTS_FLEXIBLE_H

#include "percuss/io.h"

// In the plane: a clamped beam of four elements (mesh "beam", groups "root" and "tip") with a body
// that hangs on a spring at its tip, and a chain of three bars (mesh "chain", points).
pcs_model *flexible_planar(pcs_context *ctx);
// In space: a block of n x n x n hexahedra on its base (mesh "block", groups "base", "top" and
// "corner") that a spring pulls, and a beam with a frame of its own (mesh "mast").
pcs_model *flexible_spatial(pcs_context *ctx, int32_t n);

// In the plane: a net of bars of 2402 nodes (mesh "net") that falls on a floor, every node a
// contact point of its own.
pcs_model *flexible_net(pcs_context *ctx);

#endif
