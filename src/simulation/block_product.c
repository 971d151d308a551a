#include "simulation/block_product.h"

#include <math.h>
#include <string.h>

static void add_block(const double *B, int32_t rows, int32_t columns, bool absolute,
                      const double *x, double *y)
{
    for (int32_t i = 0; i < rows; ++i)
        for (int32_t j = 0; j < columns; ++j) {
            const double part = B[i * columns + j] * x[j];
            y[i] += absolute ? fabs(part) : part;
        }
}

void pcs_block_multiply(const pcs_block_product *A, bool absolute, const double *x, double *y)
{
    const pcs_model *m = A->model;
    memset(y, 0, sizeof(double) * (size_t)m->n_v);
    for (int32_t k = 0; k < m->nodes.count; ++k) {
        const pcs_node *node = pcs_model_node(m, k);
        add_block(pcs_saddle_diagonal(A->saddle, k), node->n_v, node->n_v, absolute, x + node->v,
                  y + node->v);
    }
    for (int32_t k = 0; k < A->n_pairs; ++k) {
        const pcs_node *a = pcs_model_node(m, A->pairs[k][0]);
        const pcs_node *b = pcs_model_node(m, A->pairs[k][1]);
        add_block(pcs_saddle_coupling(A->saddle, k, false), a->n_v, b->n_v, absolute, x + b->v,
                  y + a->v);
        add_block(pcs_saddle_coupling(A->saddle, k, true), b->n_v, a->n_v, absolute, x + a->v,
                  y + b->v);
    }
}
