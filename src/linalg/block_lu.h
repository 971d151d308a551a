// Sparse LU of matrices  J = E + F A  with A block-sparse of symmetric block pattern and E, F
// block-diagonal: the shape of every linear system of the contact solvers (W + rho I, W + Theta,
// the Newton matrices). Multifrontal [DuffReid1983]: blocks are ordered by minimum degree (AMD on
// the graph of blocks), columns with the same structure share a dense front, fronts are factored
// with partial pivoting inside their pivot rows. Values need not be symmetric.
//
// Analysis and numbers apart: one analysis serves all values of a pattern and all smaller active
// sets. All memory comes from the arena, at analysis; factor and solve allocate nothing.
#ifndef PCS_LINALG_BLOCK_LU_H
#define PCS_LINALG_BLOCK_LU_H

#include "base/arena.h"
#include "base/tasks.h"
#include "base/watch.h"
#include "linalg/block_matrix.h"

typedef struct pcs_block_lu pcs_block_lu;

// Analyses the part of A's pattern whose blocks are active (nonzero; NULL: all). Block sizes 1..3.
// The pattern of A must be symmetric and have all diagonal blocks.
pcs_status pcs_block_lu_analyse(pcs_arena *arena, const pcs_block_matrix *A, const uint8_t *active,
                                pcs_block_lu **out) PCS_MUST_CHECK;
// The same with the order of elimination given, a permutation of all blocks of A, and blocks of any
// size: for matrices J = A, whose factorisation has neither E nor F.
pcs_status pcs_block_lu_analyse_ordered(pcs_arena *arena, const pcs_block_matrix *A,
                                        const int32_t *order, pcs_block_lu **out) PCS_MUST_CHECK;
// Entries of L + U and floating-point operations of one factorisation, as the analysis foresees.
int64_t pcs_block_lu_entries(const pcs_block_lu *lu);
double pcs_block_lu_operations(const pcs_block_lu *lu);

// Threads for factor and solve from now on (NULL: none). The bits of the results do not depend on
// their number. The pool must live as long as it is used here.
void pcs_block_lu_set_tasks(pcs_block_lu *lu, pcs_tasks *tasks);

// Who is asked now and then whether to go on: at analysis the arena's context. Factorisations that are
// given up fail as singular ones do; pcs_block_lu_compress() says PCS_ERROR_STOPPED. With threads it is
// not asked.
void pcs_block_lu_set_watch(pcs_block_lu *lu, pcs_watch watch);

// A pivot is unusable at this fraction of the entries of its row and column or below. At analysis:
// PCS_DENSE_SINGULAR.
void pcs_block_lu_set_tolerance(pcs_block_lu *lu, double tolerance);

// Factors J = E + F A restricted to the active blocks. E and F have PCS_BLOCK_LU_STRIDE values for
// each block of A, the first size*size of them row-major; E NULL: zero, F NULL: identity. `active`
// may mark fewer blocks than at analysis (the others count as rows and columns of the identity),
// never more. Returns -1, or the first block without a usable pivot.
enum { PCS_BLOCK_LU_STRIDE = 9 };
int32_t pcs_block_lu_factor(pcs_block_lu *lu, const pcs_block_matrix *A, const double *E,
                            const double *F, const uint8_t *active);
// x <- J^{-1} x on the active rows (x has the rows of A; other rows are left alone, and all of them
// when the last factorisation failed).
void pcs_block_lu_solve(pcs_block_lu *lu, double *x);

// Compression of the inverse, X = H J^{-1} H^T, for rows H with few blocks. With P J = L U,
// X = (U^{-T} H^T)^T (L^{-1} P H^T): two forward halves, which visit only the fronts from the
// blocks of H to the root, each with the columns of its subtree.
typedef struct pcs_block_lu_rows {
    int32_t block;        // of A
    int32_t first, count; // rows of H
    const double *H;      // count x size of the block, row-major
} pcs_block_lu_rows;
// X of the rows that meet in one tree of the elimination: n of them, row[] ascending, all pairs.
// Pairs that meet in no tree have X = 0.
typedef void (*pcs_block_lu_put_fn)(void *user, int32_t n, const int32_t *row, const double *X,
                                    int32_t row_length);
// n_rows: rows of H; memory from the arena, given back at the end. Needs factors of all blocks.
pcs_status pcs_block_lu_compress(pcs_block_lu *lu, pcs_arena *arena, int32_t count,
                                 const pcs_block_lu_rows *rows, int32_t n_rows,
                                 pcs_block_lu_put_fn put, void *user) PCS_MUST_CHECK;

// Sign of det J of the last factorisation: 1 or -1, 0 without factors.
int pcs_block_lu_sign(const pcs_block_lu *lu);

#endif
