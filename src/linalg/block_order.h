// Order of elimination of a sparse matrix by blocks of consecutive unknowns (the displacements of a
// node): block size and order are those with the fewest operations of a Cholesky factorisation
// among a few sizes, minimum degree and, for meshes, nested dissection.
#ifndef PCS_LINALG_BLOCK_ORDER_H
#define PCS_LINALG_BLOCK_ORDER_H

#include "base/watch.h"
#include "linalg/elimination_tree.h"
#include "linalg/sparse.h"

typedef struct pcs_block_order {
    int32_t block;             // unknowns of a block; the last one may have fewer
    int32_t n;                 // blocks
    int32_t *start;            // n+1
    int32_t *neighbour;        // graph of the blocks, without the diagonal, not sorted
    int32_t *weight;           // n: unknowns
    pcs_elimination_tree tree; // in the order chosen
} pcs_block_order;

// Pattern of A + A^T; transposed NULL: that of A is symmetric. All memory comes from the arena.
// PCS_INTERRUPTED: the watch (NULL: none) was over.
pcs_status pcs_block_order_compute(pcs_arena *arena, const pcs_sparse_pattern *A,
                                   const pcs_sparse_pattern *transposed, const pcs_watch *watch,
                                   pcs_block_order *out) PCS_MUST_CHECK;

#endif
