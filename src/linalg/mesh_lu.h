// LU of a large sparse matrix with a symmetric or nearly symmetric pattern, such as those of
// meshes: its blocks of consecutive unknowns go through the multifrontal LU (linalg/block_lu.h).
// Pivots are exchanged inside fronts only, which suffices where the symmetric part is definite;
// what fails may still have factors by linalg/sparse.h.
#ifndef PCS_LINALG_MESH_LU_H
#define PCS_LINALG_MESH_LU_H

#include "base/watch.h"
#include "linalg/block_lu.h"
#include "linalg/sparse.h"

typedef struct pcs_mesh_lu pcs_mesh_lu;

// A is not kept. tasks (NULL: one thread) and watch (NULL: none; looked at in the analysis and
// before the factorisation) serve this call alone. PCS_ERROR_SINGULAR (without a text) and
// PCS_INTERRUPTED leave *out NULL; *defect is then a column of the block without a usable pivot, or
// -1.
pcs_status pcs_mesh_lu_create(pcs_context *ctx, const pcs_sparse *A, pcs_tasks *tasks,
                              const pcs_watch *watch, pcs_mesh_lu **out, int32_t *defect)
    PCS_MUST_CHECK;
void pcs_mesh_lu_destroy(pcs_mesh_lu *lu); // NULL is allowed

// x <- A^{-1} x. No heap call; one thread at a time.
void pcs_mesh_lu_solve(pcs_mesh_lu *lu, double *x);

// X = H^T A^{-1} H for the columns first .. end-1 of H, given to `put` as linalg/block_lu.h says,
// rows counted from `first`.
pcs_status pcs_mesh_lu_compress(pcs_mesh_lu *lu, const pcs_sparse *H, int32_t first, int32_t end,
                                pcs_block_lu_put_fn put, void *user) PCS_MUST_CHECK;

#endif
