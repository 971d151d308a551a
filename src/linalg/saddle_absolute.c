// |A| x of the saddle system's matrix, for the rounding that cancels in sums of large terms.
#include <math.h>

#include "linalg/saddle_internal.h"

static void add_block(int32_t rows, int32_t columns, const double *A, const double *x, double *y)
{
    for (int32_t i = 0; i < rows; ++i)
        for (int32_t j = 0; j < columns; ++j)
            y[i] += fabs(A[i * columns + j]) * x[j];
}

void pcs_saddle_absolute_multiply(const pcs_saddle *s, const double *x, double *y)
{
    for (int32_t i = 0; i < s->n_nodes; ++i)
        add_block(s->node_size[i], s->node_size[i], s->value + s->diagonal_start[i],
                  x + s->node_offset[i], y + s->node_offset[i]);
    for (int32_t k = 0; k < s->n_couplings; ++k) {
        const int32_t i = s->coupling[k][0], j = s->coupling[k][1];
        add_block(s->node_size[i], s->node_size[j], s->value + s->coupling_start[2 * k],
                  x + s->node_offset[j], y + s->node_offset[i]);
        add_block(s->node_size[j], s->node_size[i], s->value + s->coupling_start[2 * k + 1],
                  x + s->node_offset[i], y + s->node_offset[j]);
    }
}
