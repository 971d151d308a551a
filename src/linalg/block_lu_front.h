// Dense partial factorisation of one front of the sparse LU. A front has p pivots and c further
// rows and columns; it is kept as three arrays of p rows and the update matrix of c rows:
//
//     P [F11 F12] = L11 [U11 U12],   G = F21^T <- U11^{-T} F21^T = L21^T,   F22 <- F22 - L21 U12
//
// All rows are contiguous and padded with zeros to a multiple of four, so that every inner loop is
// made of whole vectors. Each entry is the sum of its terms in the order of the pivots, whatever
// the blocking, the threads and the width of the processor's vectors: the bits depend on the data
// alone.
#ifndef PCS_LINALG_BLOCK_LU_FRONT_H
#define PCS_LINALG_BLOCK_LU_FRONT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/tasks.h"
#include "base/watch.h"

// Length in memory of a row of n values; grows with n.
int32_t pcs_front_stride(int32_t n);

// Inner loops, compiled for more than one instruction set.
typedef struct pcs_front_kernels pcs_front_kernels;
const pcs_front_kernels *pcs_front_kernels_best(void);     // for the processor that runs
const pcs_front_kernels *pcs_front_kernels_portable(void); // same bits, plain instructions

typedef struct pcs_front {
    int32_t p, c;
    double *F11;     // p rows of stride(p)
    double *F12, *G; // p rows of stride(c)
    double *F22;     // c rows of stride(c)
    double *inverse; // p: 1 / u_kk
    int32_t *pivot;  // p: row exchanged with row k at step k
} pcs_front;

// Whoever waits for a factorisation, and whether it was given up: numbers are of no use then.
typedef struct pcs_front_watch {
    pcs_watch watch;
    bool over;
} pcs_front_watch;

// Who works on a front: instruction set, threads (NULL: the caller alone) and `lanes` buffers of
// `pack_size` values, 64-byte aligned, one for each share of a product.
typedef struct pcs_front_team {
    const pcs_front_kernels *kernels;
    pcs_tasks *tasks;
    double *pack;
    int64_t pack_size;      // at least pcs_front_pack_size(p, c), a multiple of 8
    int32_t lanes;          // at least 1
    pcs_front_watch *watch; // asked by large products of one thread; NULL: never
} pcs_front_team;

// Asks; false without a watch.
bool pcs_front_watch_is_over(pcs_front_watch *watch);
int64_t pcs_front_pack_size(int32_t p, int32_t c);

// row_scale, column_scale (p values each): size of the entries that row and column were made of; a
// pivot is usable when it exceeds PCS_DENSE_SINGULAR times the smaller one of its row and column,
// which does not depend on the units of rows and columns. row_scale is permuted.
// Returns -1, or the first column without a usable pivot.
int32_t pcs_front_factor(const pcs_front_team *team, const pcs_front *front, double *row_scale,
                         const double *column_scale);

// y <- L11^{-1} P y (p values), then w (stride(c) values) += L21 y
void pcs_front_forward(const pcs_front_kernels *kernels, const pcs_front *front, double *y,
                       double *w);
// y <- U11^{-1} (y - U12 w), w padded with zeros to stride(c) values
void pcs_front_backward(const pcs_front_kernels *kernels, const pcs_front *front, double *y,
                        const double *w);

// n right-hand sides at once, row-major, rows padded to a multiple of four values:
// Y <- L11^{-1} P Y, W -= L21 Y, or transposed Y <- U11^{-T} Y, W -= U12^T Y.
// The team's buffers must suffice for max(p, c, n).
void pcs_front_forward_columns(const pcs_front_team *team, const pcs_front *front, bool transposed,
                               int32_t n, double *Y, int32_t ldy, double *W, int32_t ldw);
// C (m x n) -= A^T B, A k x m, B k x n; rows of B and C padded to a multiple of four values
void pcs_front_subtract_product(const pcs_front_team *team, int32_t k, int32_t m, int32_t n,
                                const double *A, int32_t lda, const double *B, int32_t ldb,
                                double *C, int32_t ldc);

#endif
