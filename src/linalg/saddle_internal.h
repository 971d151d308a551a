// Inside of the saddle system, shared by the files saddle*.c.
//
// The nodes fall into islands: nodes connected by joint rows or by couplings. Each island takes one
// of three ways:
//     free     no rows, no couplings: x = A_ii^{-1} b
//     jointed  rows, no couplings: block elimination through S = G A^{-1} B^T (linalg/schur.h)
//     coupled  couplings: LU of the whole matrix [A -B^T; G 0] of these islands: dense for a few
//              unknowns, KLU, or in blocks (saddle_blocks.c) for meshes and long beams
#ifndef PCS_LINALG_SADDLE_INTERNAL_H
#define PCS_LINALG_SADDLE_INTERNAL_H

#include "linalg/block_lu.h"
#include "linalg/saddle.h"
#include "linalg/schur.h"
#include "linalg/sparse.h"

typedef enum pcs_island_kind {
    PCS_ISLAND_FREE,
    PCS_ISLAND_JOINTED,
    PCS_ISLAND_COUPLED
} pcs_island_kind;

typedef struct pcs_kkt_blocks pcs_kkt_blocks;

// Square matrix with its factorisation: in blocks, sparse or dense
typedef struct pcs_kkt_factor {
    pcs_kkt_blocks *blocks; // NULL: too small. What follows is made when the blocks first fail.
    bool by_blocks;         // the last factorisation
    pcs_sparse matrix;
    int32_t *position; // entry of `matrix` for each value, in the order of assembly
    double *dense;     // size x size; NULL: sparse
    int32_t *pivot;
    pcs_sparse_lu *sparse;
} pcs_kkt_factor;

// The coupled islands
typedef struct pcs_kkt {
    int32_t n, m; // scalar unknowns and rows of the coupled islands
    int32_t n_nodes, n_rows;
    int32_t *node;       // n_nodes: the coupled nodes
    int32_t *place;      // by node of the system: first unknown in the matrix, -1 if not coupled
    int32_t *row;        // n_rows: index into the rows of the system
    int32_t *row_place;  // n_rows: first scalar row, counted from n
    int32_t *own_slot;   // n_rows: slot of a node that no other row touches, -1: none
    pcs_schur search;    // redundant rows, with the weights of the system in place of A^{-1}:
                         // of the rows without such a node
    pcs_schur whole;     // of all rows; made when one of the others depends on itself
    uint8_t *flagged;    // m: redundant by the last search, in the order of the next one
    uint8_t *dropped;    // m: redundant rows, replaced by p = 0
    pcs_kkt_factor full; // [A -B^T; G 0]
    pcs_kkt_factor free; // A alone; in blocks made, else factorised, when first asked for
    bool free_current;
    bool free_singular;
    double *rhs;
    double *work; // PCS_KKT_WORK(n + m, 1)
} pcs_kkt;

// Scratch of pcs_kkt_solve for n_rhs vectors
#define PCS_KKT_WORK(size, n_rhs) ((int64_t)(size) * ((n_rhs) + 2))

typedef struct pcs_saddle_touch {
    int32_t k;    // block of the Schur complement, in elimination order
    int32_t slot; // of the node in the row block
} pcs_saddle_touch;

struct pcs_saddle {
    pcs_context *ctx;
    int32_t n_nodes, n_couplings, n_rows;
    int32_t n, m; // scalar unknowns and rows
    double redundancy_tolerance;
    const pcs_row_block *rows; // G, of the caller
    const pcs_row_block *left; // B, of the caller; NULL: G
    pcs_rank_mode rank;
    int32_t *node_size;
    int32_t *node_offset; // n_nodes+1
    int32_t *row_offset;  // n_rows+1
    int32_t (*coupling)[2];
    int32_t *coupling_first; // n_nodes+1: first coupling of nodes >= i with a higher one
    int64_t *diagonal_start; // n_nodes: first value of the diagonal block
    int64_t *coupling_start; // 2 n_couplings: first value of A_ij and A_ji
    int64_t n_values;
    double *value;

    int32_t *island;           // by node: the node that stands for its island
    uint8_t *kind;             // by node: pcs_island_kind
    pcs_schur schur;           // rows of the jointed islands
    int32_t *schur_offset;     // by block in elimination order: scalar row in the system
    int32_t *touch_start;      // n_nodes+1
    pcs_saddle_touch *touch;   // by node: the blocks of `schur` that touch it, k ascending
    pcs_node_inverse *inverse; // by node; of the free and jointed ones
    double *inverse_value;
    bool symmetric;           // all diagonal blocks of the free and jointed islands, and B = G
    double *multiplier;       // schur.m, elimination order
    pcs_node_inverse *weight; // by node; in place of A^{-1} in the search of redundant rows
    double *weight_value;
    uint8_t *confirmed; // schur.m: redundant by the last search, elimination order
    bool graded; // the last factorisation kept a small pivot: search anew, refine the solutions
    double *graded_J; // schur.product_size: the J of a graded factorisation, laid out as product[]
    double *refinement; // 2 schur.m: right-hand side c and residual of the rows
    double *work;       // largest node: n^2 + n

    pcs_kkt *kkt;     // NULL without couplings
    pcs_tasks *tasks; // of the caller; NULL: none
    int64_t factorisations;

    int32_t singular_node;
    uint8_t *redundant;
};

// Storage of the weights and of the jointed islands' rank decision
pcs_status pcs_rank_create(pcs_saddle *saddle) PCS_MUST_CHECK;
void pcs_rank_destroy(pcs_saddle *saddle);
// Factorises `schur`, whose rows touch islands of `kind` only, with the weights in place of A^{-1}.
// `flagged` (elimination order): the rows that the last search dropped, for PCS_RANK_RENEW.
pcs_status pcs_rank_search(pcs_saddle *saddle, pcs_island_kind kind, const uint8_t *flagged,
                           pcs_schur *schur) PCS_MUST_CHECK;
// Whether the rows are clearly independent by what they have on the node of one slot alone
bool pcs_rank_is_clear(pcs_saddle *saddle, const pcs_row_block *row, int32_t slot);
// Factorises saddle->schur with A^{-1}, the redundant rows decided
pcs_status pcs_rank_factor(pcs_saddle *saddle) PCS_MUST_CHECK;

pcs_status pcs_kkt_create(pcs_saddle *saddle) PCS_MUST_CHECK;
void pcs_kkt_destroy(pcs_saddle *saddle);
pcs_status pcs_kkt_factorise(pcs_saddle *saddle) PCS_MUST_CHECK;
// n_rhs consecutive vectors (x; p) of length n + m. work: PCS_KKT_WORK
void pcs_kkt_solve(pcs_kkt *kkt, int32_t n_rhs, double *z, double *work);
// x <- A^{-1} x for one vector of length n; NaN when A alone is singular
void pcs_kkt_solve_free(pcs_saddle *saddle, double *x);

// K in blocks (with_rows), or A alone
pcs_status pcs_kkt_blocks_create(const pcs_saddle *saddle, bool with_rows, pcs_kkt_blocks **out)
    PCS_MUST_CHECK;
void pcs_kkt_blocks_destroy(pcs_kkt_blocks *blocks);
void pcs_kkt_blocks_set_tasks(pcs_kkt_blocks *blocks, pcs_tasks *tasks);
// Pivot of the scaled K that counts as rounding error. Singular meshes leave pivots of 1 to 8 times
// sqrt(size) eps: the errors of the updates that make a pivot are independent of each other.
double pcs_kkt_blocks_singular(int32_t size);
const pcs_block_lu *pcs_kkt_blocks_lu(const pcs_kkt_blocks *blocks);
const pcs_block_matrix *pcs_kkt_blocks_matrix(const pcs_kkt_blocks *blocks); // scaled K
// Takes the present A, G, B and the dropped rows of the system. False if the scaled K, which is
// what is factorised, has not changed.
bool pcs_kkt_blocks_write(pcs_kkt_blocks *blocks, const pcs_saddle *saddle);
// Takes A from the K that was written last
void pcs_kkt_blocks_copy_nodes(const pcs_kkt_blocks *full, pcs_kkt_blocks *free);
// Factorises what was written. PCS_ERROR_SINGULAR, without a message: no order of the blocks has
// usable pivots; *column is a column of K where it failed. A heap call only for a new order.
pcs_status pcs_kkt_blocks_factor(pcs_kkt_blocks *blocks, int32_t *column) PCS_MUST_CHECK;
// z <- K^{-1} z, refined; work: twice the size
void pcs_kkt_blocks_solve(pcs_kkt_blocks *blocks, double *z, double *work);
// Compression H K^{-1} H^T (linalg/block_lu.h) for n row blocks; first[n+1]: number of their rows
pcs_status pcs_kkt_blocks_compress(pcs_kkt_blocks *blocks, pcs_arena *arena, int32_t n,
                                   const pcs_row_block *const *H, const int32_t *first,
                                   pcs_block_lu_put_fn put, void *user) PCS_MUST_CHECK;

#endif
