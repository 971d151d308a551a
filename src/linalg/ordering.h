// Fill-reducing orders of a symmetric graph: approximate minimum degree [AmestoyDavisDuff1996], the
// better one for chains and small graphs, and nested dissection [George1973] for large meshes.
#ifndef PCS_LINALG_ORDERING_H
#define PCS_LINALG_ORDERING_H

#include "base/context.h"
#include "base/watch.h"

// Neighbours of vertex i are neighbour[start[i] .. start[i+1]-1], each edge listed from both ends.
// order[k] is the vertex to eliminate at step k.
pcs_status pcs_ordering_compute(pcs_context *ctx, int32_t n, const int32_t *start,
                                const int32_t *neighbour, int32_t *order) PCS_MUST_CHECK;
// The same by nested dissection; weight[i] is the number of unknowns of vertex i, > 0.
pcs_status pcs_ordering_dissect(pcs_context *ctx, int32_t n, const int32_t *start,
                                const int32_t *neighbour, const int32_t *weight, int32_t *order)
    PCS_MUST_CHECK;
// The same under a watch (NULL: none); PCS_INTERRUPTED: it was over, the order is not complete.
pcs_status pcs_ordering_dissect_within(pcs_context *ctx, int32_t n, const int32_t *start,
                                       const int32_t *neighbour, const int32_t *weight,
                                       const pcs_watch *watch, int32_t *order) PCS_MUST_CHECK;

#endif
