#include "support/saddle_model.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "linalg/dense.h"

void *saddle_array(int64_t count, size_t size)
{
    void *block = calloc((size_t)count + 1, size);
    assert_non_null(block);
    return block;
}

saddle_model *saddle_model_create(uint64_t seed)
{
    saddle_model *m = saddle_array(1, sizeof *m);
    m->ctx = pcs_context_create(NULL);
    assert_non_null(m->ctx);
    pcs_random_init(&m->random, seed);
    return m;
}

static void free_rows(int32_t n, pcs_row_block *rows)
{
    for (int32_t r = 0; r < n; ++r)
        for (int32_t s = 0; s < rows[r].n_nodes; ++s)
            free(rows[r].J[s]);
}

void saddle_model_destroy(saddle_model *m)
{
    pcs_saddle_destroy(m->saddle);
    free_rows(m->n_rows, m->rows);
    free_rows(m->two_sided ? m->n_rows : 0, m->left);
    free_rows(m->n_contacts, m->contacts);
    assert_int_equal(pcs_context_heap_bytes(m->ctx), 0);
    pcs_context_destroy(m->ctx);
    free(m);
}

double saddle_between(saddle_model *m, double low, double high)
{
    return pcs_random_between(&m->random, low, high);
}

void saddle_add_node(saddle_model *m, int32_t size)
{
    assert_true(m->n_nodes < SADDLE_NODES_MAX);
    m->node_size[m->n_nodes] = size;
    m->offset[m->n_nodes + 1] = m->offset[m->n_nodes] + size;
    ++m->n_nodes;
}

void saddle_add_coupling(saddle_model *m, int32_t i, int32_t j)
{
    assert_true(m->n_couplings < SADDLE_COUPLINGS_MAX);
    m->coupling[m->n_couplings][0] = i;
    m->coupling[m->n_couplings++][1] = j;
}

void saddle_randomise_row(saddle_model *m, pcs_row_block *row)
{
    for (int32_t s = 0; s < row->n_nodes; ++s)
        for (int32_t e = 0; e < row->size * m->node_size[row->node[s]]; ++e)
            row->J[s][e] = saddle_between(m, -2.385, 2.385);
}

void saddle_init_row(saddle_model *m, pcs_row_block *row, int32_t size, int32_t n_nodes,
                     const int32_t *node)
{
    row->size = size;
    row->n_nodes = n_nodes;
    for (int32_t s = 0; s < n_nodes; ++s) {
        row->node[s] = node[s];
        row->J[s] = saddle_array(size * m->node_size[node[s]], sizeof(double));
    }
    saddle_randomise_row(m, row);
}

pcs_row_block *saddle_add_row(saddle_model *m, int32_t size, int32_t n_nodes, const int32_t *node)
{
    assert_true(m->n_rows < SADDLE_ROWS_MAX);
    pcs_row_block *row = &m->rows[m->n_rows];
    saddle_init_row(m, row, size, n_nodes, node);
    m->row_offset[m->n_rows + 1] = m->row_offset[m->n_rows] + size;
    ++m->n_rows;
    return row;
}

void saddle_add_contact(saddle_model *m, int32_t size, int32_t n_nodes, const int32_t *node)
{
    assert_true(m->n_contacts < SADDLE_CONTACTS_MAX);
    saddle_init_row(m, &m->contacts[m->n_contacts], size, n_nodes, node);
    m->H[m->n_contacts] = &m->contacts[m->n_contacts];
    ++m->n_contacts;
}

pcs_saddle_def saddle_model_def(const saddle_model *m)
{
    pcs_saddle_def def = pcs_saddle_default();
    def.n_nodes = m->n_nodes;
    def.node_size = m->node_size;
    def.n_couplings = m->n_couplings;
    def.coupling = m->coupling;
    def.n_rows = m->n_rows;
    def.rows = m->rows;
    def.left = m->two_sided ? m->left : NULL;
    return def;
}

void saddle_model_finish(saddle_model *m)
{
    const pcs_saddle_def def = saddle_model_def(m);
    assert_int_equal(pcs_saddle_create(m->ctx, &def, &m->saddle), PCS_OK);
}

void saddle_randomise_matrix(saddle_model *m, bool symmetric)
{
    int64_t count;
    double *value = pcs_saddle_values(m->saddle, &count);
    memset(value, 0, sizeof(double) * (size_t)count);
    for (int32_t i = 0; i < m->n_nodes; ++i) {
        const int32_t n = m->node_size[i];
        double *A = pcs_saddle_diagonal(m->saddle, i);
        for (int32_t r = 0; r < n; ++r) {
            for (int32_t c = 0; c < r; ++c) {
                A[r * n + c] = A[c * n + r] = saddle_between(m, -0.17, 0.17);
                if (!symmetric) {
                    const double skew = saddle_between(m, -0.31, 0.31);
                    A[r * n + c] += skew;
                    A[c * n + r] -= skew;
                }
            }
            A[r * (n + 1)] = saddle_between(m, 2.7, 4.7);
        }
    }
    for (int32_t k = 0; k < m->n_couplings; ++k) {
        const int32_t ni = m->node_size[m->coupling[k][0]], nj = m->node_size[m->coupling[k][1]];
        double *Aij = pcs_saddle_coupling(m->saddle, k, false);
        double *Aji = pcs_saddle_coupling(m->saddle, k, true);
        for (int32_t r = 0; r < ni; ++r)
            for (int32_t c = 0; c < nj; ++c) {
                Aij[r * nj + c] = saddle_between(m, -0.13, 0.13);
                Aji[c * ni + r] = symmetric ? Aij[r * nj + c] : saddle_between(m, -0.13, 0.13);
            }
    }
}

double *saddle_dense_matrix(const saddle_model *m)
{
    const int32_t n = m->offset[m->n_nodes];
    double *A = saddle_array((int64_t)n * n, sizeof(double));
    for (int32_t i = 0; i < m->n_nodes; ++i)
        for (int32_t r = 0; r < m->node_size[i]; ++r)
            memcpy(A + (int64_t)(m->offset[i] + r) * n + m->offset[i],
                   pcs_saddle_diagonal(m->saddle, i) + r * m->node_size[i],
                   sizeof(double) * (size_t)m->node_size[i]);
    for (int32_t k = 0; k < m->n_couplings; ++k)
        for (int side = 0; side < 2; ++side) {
            const int32_t i = m->coupling[k][side], j = m->coupling[k][1 - side];
            for (int32_t r = 0; r < m->node_size[i]; ++r)
                memcpy(A + (int64_t)(m->offset[i] + r) * n + m->offset[j],
                       pcs_saddle_coupling(m->saddle, k, side == 1) + r * m->node_size[j],
                       sizeof(double) * (size_t)m->node_size[j]);
        }
    return A;
}

double *saddle_dense_rows(const saddle_model *m, int32_t count, const pcs_row_block *rows,
                          int32_t *total)
{
    const int32_t n = m->offset[m->n_nodes];
    *total = 0;
    for (int32_t r = 0; r < count; ++r)
        *total += rows[r].size;
    double *G = saddle_array((int64_t)*total * n, sizeof(double));
    int32_t at = 0;
    for (int32_t k = 0; k < count; at += rows[k++].size)
        for (int32_t s = 0; s < rows[k].n_nodes; ++s)
            for (int32_t r = 0; r < rows[k].size; ++r) {
                const int32_t node = rows[k].node[s];
                memcpy(G + (int64_t)(at + r) * n + m->offset[node],
                       rows[k].J[s] + r * m->node_size[node],
                       sizeof(double) * (size_t)m->node_size[node]);
            }
    return G;
}

// K of size n + rows; rows flagged in `skip` become p = 0
static double *join(int32_t n, int32_t rows, const double *A, const double *B, const double *G,
                    const uint8_t *skip)
{
    const int32_t size = n + rows;
    double *K = saddle_array((int64_t)size * size, sizeof(double));
    for (int32_t i = 0; i < n; ++i)
        memcpy(K + (int64_t)i * size, A + (int64_t)i * n, sizeof(double) * (size_t)n);
    for (int32_t r = 0; r < rows; ++r) {
        if (skip && skip[r]) {
            K[(int64_t)(n + r) * (size + 1)] = 1.0;
            continue;
        }
        memcpy(K + (int64_t)(n + r) * size, G + (int64_t)r * n, sizeof(double) * (size_t)n);
        for (int32_t i = 0; i < n; ++i)
            K[(int64_t)i * size + n + r] = -B[(int64_t)r * n + i];
    }
    return K;
}

double *saddle_dense_system(const saddle_model *m, int32_t *size)
{
    int32_t rows;
    double *A = saddle_dense_matrix(m), *G = saddle_dense_rows(m, m->n_rows, m->rows, &rows);
    double *B = saddle_dense_rows(m, m->n_rows, m->two_sided ? m->left : m->rows, &rows);
    *size = m->offset[m->n_nodes] + rows;
    double *K = join(*size - rows, rows, A, B, G, pcs_saddle_redundant_rows(m->saddle));
    free(A);
    free(G);
    free(B);
    return K;
}

void saddle_dense_solve(int32_t n, int32_t rows, const double *A, const double *G,
                        const uint8_t *skip, int32_t n_rhs, double *z)
{
    const int32_t size = n + rows;
    double *K = join(n, rows, A, G, G, skip);
    for (int32_t r = 0; r < rows; ++r)
        for (int32_t c = 0; c < n_rhs; ++c)
            if (skip && skip[r])
                z[(int64_t)c * size + n + r] = 0.0;
    int32_t *pivot = saddle_array(size, sizeof *pivot);
    assert_int_equal(pcs_dense_lu_factor(size, K, pivot), -1);
    pcs_dense_lu_solve(size, K, pivot, n_rhs, z);
    free(pivot);
    free(K);
}

void saddle_check_close(int64_t n, const double *a, const double *b, double tolerance)
{
    double scale = 1.0;
    for (int64_t i = 0; i < n; ++i)
        scale = fmax(scale, fabs(b[i]));
    for (int64_t i = 0; i < n; ++i)
        if (!(fabs(a[i] - b[i]) <= tolerance * scale))
            fail_msg("entry %lld: %.17g instead of %.17g", (long long)i, a[i], b[i]);
}
