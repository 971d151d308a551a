// Rows over nodes: the one format of joint rows, joint-limit rows and contact rows. A row block is
// `size` scalar rows that touch a few nodes; for each touched node it has a dense block
// size x dimension(node). An active contact becomes a joint row by being listed, without copying.
#ifndef PCS_LINALG_ROWS_H
#define PCS_LINALG_ROWS_H

#include <stdint.h>

enum { PCS_ROW_NODES_MAX = 5 };

typedef struct pcs_row_block {
    int32_t size;
    int32_t n_nodes;
    int32_t node[PCS_ROW_NODES_MAX]; // distinct, fixed frames (ground) left out
    double *J[PCS_ROW_NODES_MAX];    // row-major, size x dimension of node[k]
} pcs_row_block;

#endif
