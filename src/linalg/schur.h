// Block factorisation S = L D U of S = G A^{-1} B^T, where A is block diagonal by node and G and B
// are row blocks over nodes (linalg/rows.h) with the same pattern, B = G as a rule. Used by the
// saddle system on its own (no couplings in A) and for the search of redundant rows.
//
// Blocks are eliminated in a fill-reducing order; the pivots are the scalars of the diagonal blocks
// in their given order. Row k is redundant when the caller says so, or by a pivot
// |d| <= tolerance |S_kk|: 1/d becomes 0, which drops the row and the column from the elimination.
// For a semidefinite S that is exact, because with a zero pivot the rest of its row and column is
// zero too; so it is with two sides when the row depends on the ones before it in G and in B.
//
// Storage in elimination order, block (k, i) with i > k as size_k x size_i, for two sides:
//     side 0:  off[0] = D_k U_ki = L_kk^{-1} S_ki          triangle[0] = L_kk^{-1}
//     side 1:  off[1] = D_k L_ik^T = U_kk^{-T} S_ik^T      triangle[1] = U_kk^{-T}
// The triangles of a few rows are kept inverted, because products do not wait for each other as the
// steps of a substitution do. A symmetric S has equal sides, which then share storage.
#ifndef PCS_LINALG_SCHUR_H
#define PCS_LINALG_SCHUR_H

#include "base/context.h"
#include "linalg/rows.h"

// Inverse of the diagonal block of a node, with the structure that saves work
typedef enum pcs_inverse_kind {
    PCS_INVERSE_FULL,
    PCS_INVERSE_DIAGONAL,
    PCS_INVERSE_SPATIAL // 6 x 6: diagonal translation and a 3 x 3 rotation, nothing between
} pcs_inverse_kind;

typedef struct pcs_node_inverse {
    pcs_inverse_kind kind;
    int32_t size;
    double *value; // size x size, row-major; values off the structure of `kind` are not set
} pcs_node_inverse;

typedef struct pcs_schur_pair {
    int32_t k, i;           // places of the two row blocks in the elimination order, k < i
    int32_t entry;          // of block (k, i)
    int16_t slot_k, slot_i; // slots of the node they share
} pcs_schur_pair;

typedef struct pcs_schur {
    pcs_context *ctx;
    int32_t n;                 // row blocks
    int32_t m;                 // scalar rows
    const pcs_row_block *rows; // G, of the caller
    const pcs_row_block *left; // B, of the caller; NULL: G
    int32_t *order;            // n: index into rows of the k-th block
    int32_t *size;             // n
    int32_t *offset;           // n+1: first scalar row of block k
    int32_t *component_end;    // n: one past the last block connected with k (contiguous)
    int32_t *start;            // n+1: entries (k, i) of block k
    int32_t *index;            // i of each entry, ascending
    int64_t *value_start;      // first value of each entry in off[]
    int64_t *triangle_start;   // n: first value of block (k, k) in triangle[] and diagonal_block
    int32_t n_pairs;
    pcs_schur_pair *pair;
    int64_t *slot_value; // n * PCS_ROW_NODES_MAX: first value of the product of slot s in product[]
    int64_t off_size, triangle_size, product_size;
    bool symmetric;     // of the last factorisation; then [1] of the arrays below equals [0]
    double *storage[2]; // what the sides of the next three point into
    double *off[2];
    double *triangle[2];
    double *product[2]; // A^{-1} B^T (side 0) and A^{-T} G^T (side 1), node size x row size
    double *diagonal_block;
    double *diagonal;      // m: S_kk before elimination
    double *inverse_pivot; // m: 1/d, or 0 for redundant rows
    double *work;
} pcs_schur;

// Pattern of the row blocks rows[selected[0..n)]; `node_size` gives the sizes of all nodes.
pcs_status pcs_schur_create(pcs_context *ctx, int32_t n_nodes, const int32_t *node_size, int32_t n,
                            const int32_t *selected, const pcs_row_block *rows, pcs_schur *out)
    PCS_MUST_CHECK;
void pcs_schur_destroy(pcs_schur *schur); // also of a zeroed struct

// Which rows are dropped: those with |d| <= tolerance |S_kk|, but of the flagged ones (m flags in
// elimination order; NULL: none) those with |d| <= flagged_tolerance |S_kk|. A pivot without a
// finite inverse is dropped all the same.
typedef struct pcs_schur_rule {
    double tolerance, flagged_tolerance;
    const uint8_t *flagged;
} pcs_schur_rule;

// Numeric factorisation with the present J of the rows; `symmetric` (A is, and B = G) saves one of
// the sides. Returns -1, or the index into rows of the block where a pivot is not finite.
int32_t pcs_schur_factor(pcs_schur *schur, const pcs_node_inverse *inverse, bool symmetric,
                         const pcs_schur_rule *rule);

// t (elimination order) <- S^{-1} t, redundant rows zero
void pcs_schur_solve(const pcs_schur *schur, double *t);
// Forward half for `columns` right-hand sides, T row-major m x columns restricted to the blocks
// first .. end-1 (T points to the row of block `first`): side 0 gives L^{-1} T, side 1 U^{-T} T.
// `scaled` gets D^{-1} times the result. reached[k - first] says which blocks of T are not zero.
void pcs_schur_forward(const pcs_schur *schur, int side, int32_t first, int32_t end,
                       int32_t columns, double *T, double *scaled, uint8_t *reached);

// Y (size x rows) = A^{-1} J^T, or A^{-T} J^T, for J rows x size; work: rows * size values
void pcs_node_inverse_apply(const pcs_node_inverse *inverse, bool transposed, int32_t rows,
                            const double *J, double *Y, double *work);
// x <- A^{-1} x; work: size values
void pcs_node_inverse_solve(const pcs_node_inverse *inverse, double *x, double *work);

#endif
