// The linear system of a step:
//
//     [ A  -B^T ] [x]   [b]
//     [ G    0  ] [p] = [c]
//
// A is n x n in blocks by node: dense diagonal blocks, and off-diagonal blocks for the node pairs
// that stiffness or damping couples. A need not be symmetric. G are the joint rows (linalg/rows.h);
// they may be redundant. B = G as a rule; a half-explicit stage takes B from another configuration,
// and sliding friction follows the normal force. Elimination: x = A^{-1}(b + B^T p),
// S p = c - G A^{-1} b with S = G A^{-1} B^T.
//
// Symbolic and numeric phases are apart: create() takes the pattern once, factor() the values.
// The multiplier of a redundant row is set to zero, which gives one of the equivalent multiplier
// sets and the unique x and B^T p. Such a row shows as a vanishing pivot of S relative to its own
// diagonal entry, but so does a light body between heavy ones. Small pivots are therefore looked at
// again with weights in place of A^{-1} that do not hold the masses of bodies against each other
// (saddle_rank.c). A system that keeps small pivots is graded: its factors have few digits, so
// solve() refines p on the residual c - G x with a copy of the G of the factorisation. W of
// delassus() is not refined. Mass ratios up to about 1e12 between neighbours are resolved; far
// beyond, the pivots are rounding error, and the residual c - G x stays large.
#ifndef PCS_LINALG_SADDLE_H
#define PCS_LINALG_SADDLE_H

#include "base/arena.h"
#include "base/tasks.h"
#include "linalg/block_matrix.h"
#include "linalg/rows.h"

typedef struct pcs_saddle pcs_saddle;

typedef struct pcs_saddle_def {
    int32_t n_nodes;
    const int32_t *node_size; // scalar unknowns of each node, > 0
    int32_t n_couplings;
    const int32_t (*coupling)[2]; // node pairs (i < j) with blocks A_ij and A_ji, each pair once
    int32_t n_rows;
    const pcs_row_block *rows; // pattern and, at factor(), the values through J; kept by reference
    const pcs_row_block *left; // B, likewise, with the same pattern; NULL: G
    double redundancy_tolerance; // pivot / diagonal of the weighted S of a redundant row, at most
} pcs_saddle_def;

pcs_saddle_def pcs_saddle_default(void); // redundancy_tolerance 1e-11, everything else empty

pcs_status pcs_saddle_create(pcs_context *ctx, const pcs_saddle_def *def, pcs_saddle **out)
    PCS_MUST_CHECK;
void pcs_saddle_destroy(pcs_saddle *saddle);

// Other arrays for G and B (NULL: G) from the next factor() on, with the pattern of the old ones.
void pcs_saddle_set_rows(pcs_saddle *saddle, const pcs_row_block *rows, const pcs_row_block *left);

// When factor() looks for redundant rows. Rows that depend on each other wherever the constraints
// hold are independent, by a little, at the stages of an integrator, which are beside them: there
// the answer of the last consistent configuration must stand.
typedef enum pcs_rank_mode {
    PCS_RANK_DECIDE, // anew at every factorisation
    PCS_RANK_RENEW,  // anew, but a dropped row returns only when it has become clearly independent
    PCS_RANK_HOLD    // never: the rows of the last answer stay dropped
} pcs_rank_mode;
void pcs_saddle_set_rank(pcs_saddle *saddle, pcs_rank_mode mode);

int32_t pcs_saddle_unknowns(const pcs_saddle *saddle);  // scalar unknowns x
int32_t pcs_saddle_row_count(const pcs_saddle *saddle); // scalar rows p

// Storage of A, for the caller to fill before factor(): all values (to clear them in one go), the
// diagonal block of a node, and the two blocks of coupling k. All row-major.
double *pcs_saddle_values(pcs_saddle *saddle, int64_t *count);
double *pcs_saddle_diagonal(pcs_saddle *saddle, int32_t node);
double *pcs_saddle_coupling(pcs_saddle *saddle, int32_t k, bool transposed);
// Number k of the coupling of nodes i < j, -1 if there is none. For definitions whose couplings are
// in ascending order (by i, then by j).
int32_t pcs_saddle_find_coupling(const pcs_saddle *saddle, int32_t i, int32_t j);

// Threads for the large fronts of coupled islands from now on (NULL: none). The bits of the results
// do not depend on their number. The pool must live as long as it is used here.
void pcs_saddle_set_tasks(pcs_saddle *saddle, pcs_tasks *tasks);
// y += |A| x with the absolute values of the present A, x >= 0
void pcs_saddle_absolute_multiply(const pcs_saddle *saddle, const double *x, double *y);

// Factorises the present A and G. PCS_ERROR_SINGULAR when A has no usable factorisation; then
// pcs_saddle_singular_node() names the node. PCS_ERROR_NUMERIC when G is not finite. No heap call
// after the first factorisation, unless pivots of a coupled A have to be chosen anew. The factors
// of large coupled islands are kept where A and G are those of the last factorisation: the mass of
// a mesh is constant.
pcs_status pcs_saddle_factor(pcs_saddle *saddle) PCS_MUST_CHECK;
// Grows with every factor() that did not find all its factors at hand.
int64_t pcs_saddle_factorisations(const pcs_saddle *saddle);
int32_t pcs_saddle_singular_node(const pcs_saddle *saddle);
// One flag for each scalar row, valid after factor().
const uint8_t *pcs_saddle_redundant_rows(const pcs_saddle *saddle);
// Smallest pivot of S = G A^{-1} B^T among the rows that the last factor() kept, as a part of its
// diagonal entry: it falls with the square of the distance to a position in which rows become
// dependent. 1 without rows; rows of coupled islands do not count.
double pcs_saddle_smallest_pivot(const pcs_saddle *saddle);

// In place: x holds b and becomes x, p holds c and becomes p. Uses the factors of the last factor()
// but the present values of G only through them.
void pcs_saddle_solve(pcs_saddle *saddle, double *x, double *p);
// x <- A^{-1} x, joints ignored. NaN where A alone is singular and only the joints hold it. For
// large coupled islands with joints A alone is a second factorisation: the first call takes its
// memory.
void pcs_saddle_solve_free(pcs_saddle *saddle, double *x);

// Delassus operator of the row blocks H under A and G: W = H B H^T with
// B = A^{-1} - A^{-1} G^T S^{-1} G A^{-1} (with B^T for G^T, if given). Block-sparse: blocks (i, j)
// exist where the two row blocks share a free node or sit in one island of joints and couplings.
// Memory from the arena.
pcs_status pcs_saddle_delassus(pcs_saddle *saddle, int32_t n, const pcs_row_block *const *H,
                               pcs_arena *arena, pcs_block_matrix *W) PCS_MUST_CHECK;

#endif
