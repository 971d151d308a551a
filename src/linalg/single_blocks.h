// Copy of a block matrix with blocks of 3 x 3 in single precision, for iterations that read the
// matrix from memory again and again: half the bytes, and by columns, so that a product needs no
// sums across a vector. Rows and columns may be left out whose x is zero and stays so. What is
// multiplied and added is double; what the copy lacks is
//     d = (A - copy) x   without the diagonal blocks,
// which an iteration adds to its right-hand side now and then to end where A itself leads.
#ifndef PCS_LINALG_SINGLE_BLOCKS_H
#define PCS_LINALG_SINGLE_BLOCKS_H

#include <stdbool.h>

#include "base/arena.h"
#include "linalg/block_matrix.h"

typedef struct pcs_single_blocks {
    const pcs_block_matrix *A; // its values lie in the order of the entries
    int32_t *row_start;        // n + 1; a row has its diagonal block first; left out: none
    int32_t *column;           // of each entry
    float *value;              // 9 for each entry; block (i, j) has its columns one after the other
    // y_i += copy x without the diagonal block, of row i
    void (*multiply)(const struct pcs_single_blocks *copy, int32_t i, const double *x,
                     double y_i[3]);
} pcs_single_blocks;

// Storage for a copy of the whole; no value yet.
pcs_status pcs_single_blocks_init(pcs_single_blocks *copy, const pcs_block_matrix *A,
                                  pcs_arena *arena) PCS_MUST_CHECK;
// Entries of the block rows first..last-1 between blocks that are kept (nonzero).
int32_t pcs_single_blocks_count(const pcs_block_matrix *A, const uint8_t *kept, int32_t first,
                                int32_t last);
// Copies these rows as entries from `entry` on, which is the number of entries in the rows before
// them, and adds d to y. False: some entry is too large for single precision, or a diagonal block
// so small that entries would lose digits.
bool pcs_single_blocks_copy(pcs_single_blocks *copy, const uint8_t *kept, int32_t first,
                            int32_t last, int32_t entry, const double *x, double *y);
// The diagonal block of row i, row-major.
static inline void pcs_single_blocks_diagonal(const pcs_single_blocks *copy, int32_t i,
                                              double A_ii[9])
{
    const float *b = copy->value + (int64_t)copy->row_start[i] * 9;
    for (int k = 0; k < 9; k++)
        A_ii[k] = (double)b[k % 3 * 3 + k / 3];
}

#endif
