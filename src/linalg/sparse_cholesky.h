// Sparse Cholesky factorisation P A P^T = U^T U of a symmetric positive definite matrix,
// multifrontal [DuffReid1983]: unknowns are ordered in small blocks, by minimum degree or nested
// dissection, whichever needs fewer operations; columns of U with one structure share a dense
// front. The bits depend on the matrix alone, not on the threads.
#ifndef PCS_LINALG_SPARSE_CHOLESKY_H
#define PCS_LINALG_SPARSE_CHOLESKY_H

#include "base/tasks.h"
#include "base/watch.h"
#include "linalg/sparse.h"

typedef struct pcs_sparse_cholesky pcs_sparse_cholesky;

// A is symmetric in pattern and values, with both triangles; it is not kept. tasks (NULL: one
// thread) and watch (NULL: none) serve this call alone. *defect, when not NULL, is -1 or the column
// whose pivot is not positive: at most PCS_DENSE_SINGULAR times its diagonal entry.
// PCS_ERROR_SINGULAR (without a text: only the caller knows the columns' names) and PCS_INTERRUPTED
// leave *out NULL.
pcs_status pcs_sparse_cholesky_create(pcs_context *ctx, const pcs_sparse *A, pcs_tasks *tasks,
                                      const pcs_watch *watch, pcs_sparse_cholesky **out,
                                      int32_t *defect) PCS_MUST_CHECK;
void pcs_sparse_cholesky_destroy(pcs_sparse_cholesky *cholesky); // NULL is allowed

int64_t pcs_sparse_cholesky_entries(const pcs_sparse_cholesky *cholesky);   // of U
double pcs_sparse_cholesky_operations(const pcs_sparse_cholesky *cholesky); // of the factorisation

// x <- A^{-1} x. No heap call; one thread at a time.
void pcs_sparse_cholesky_solve(pcs_sparse_cholesky *cholesky, double *x);

// Compression of the inverse, X = H^T A^{-1} H = Y^T Y with Y = U^{-T} P H, for a sparse H with as
// many rows as A. Only the fronts from the entries of H to the root are visited, each with the
// columns of H that touch its subtree. X comes as a sum of terms, in strips of rows of the upper
// triangle, with the opposite sign:  X[column[first + i]][column[j]] -= term[i * row_length + j],
// i < count, j >= first + i, j < n; column[] is ascending.
typedef struct pcs_cholesky_term {
    int32_t first, count, n;
    const int32_t *column;
    const double *term;
    int32_t row_length;
} pcs_cholesky_term;
typedef void (*pcs_cholesky_put_fn)(void *user, const pcs_cholesky_term *term);
pcs_status pcs_sparse_cholesky_compress(const pcs_sparse_cholesky *cholesky, const pcs_sparse *H,
                                        pcs_tasks *tasks, const pcs_watch *watch,
                                        pcs_cholesky_put_fn put, void *user) PCS_MUST_CHECK;

#endif
