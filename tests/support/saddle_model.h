// Saddle systems [A -B^T; G 0] with contacts for tests, and the same data as dense matrices.
#ifndef PCS_TESTS_SUPPORT_SADDLE_MODEL_H
#define PCS_TESTS_SUPPORT_SADDLE_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/random.h"
#include "linalg/saddle.h"

enum {
    SADDLE_NODES_MAX = 800,
    SADDLE_ROWS_MAX = 120,
    SADDLE_COUPLINGS_MAX = 8000,
    SADDLE_CONTACTS_MAX = 80
};

// Nodes, couplings, rows and contacts are added first; then the saddle is created, and A is filled.
typedef struct saddle_model {
    pcs_context *ctx;
    pcs_random random;
    int32_t n_nodes, node_size[SADDLE_NODES_MAX], offset[SADDLE_NODES_MAX + 1];
    int32_t n_couplings, coupling[SADDLE_COUPLINGS_MAX][2];
    int32_t n_rows, row_offset[SADDLE_ROWS_MAX + 1];
    pcs_row_block rows[SADDLE_ROWS_MAX], left[SADDLE_ROWS_MAX];
    bool two_sided; // B is `left`, not G
    int32_t n_contacts;
    pcs_row_block contacts[SADDLE_CONTACTS_MAX];
    const pcs_row_block *H[SADDLE_CONTACTS_MAX];
    pcs_saddle *saddle;
} saddle_model;

saddle_model *saddle_model_create(uint64_t seed);
void saddle_model_destroy(saddle_model *m); // asserts that nothing is left on the heap

double saddle_between(saddle_model *m, double low, double high);
void saddle_add_node(saddle_model *m, int32_t size);
void saddle_add_coupling(saddle_model *m, int32_t i, int32_t j);
// Rows start with random entries.
void saddle_init_row(saddle_model *m, pcs_row_block *row, int32_t size, int32_t n_nodes,
                     const int32_t *node);
void saddle_randomise_row(saddle_model *m, pcs_row_block *row);
pcs_row_block *saddle_add_row(saddle_model *m, int32_t size, int32_t n_nodes, const int32_t *node);
void saddle_add_contact(saddle_model *m, int32_t size, int32_t n_nodes, const int32_t *node);

pcs_saddle_def saddle_model_def(const saddle_model *m);
void saddle_model_finish(saddle_model *m); // creates m->saddle

// Diagonally dominant A; unsymmetric: a skew part of the size of the couplings is added.
void saddle_randomise_matrix(saddle_model *m, bool symmetric);

// Zeros; the caller frees them.
void *saddle_array(int64_t count, size_t size);
// A, n x n, and the rows of blocks, total x n.
double *saddle_dense_matrix(const saddle_model *m);
double *saddle_dense_rows(const saddle_model *m, int32_t count, const pcs_row_block *rows,
                          int32_t *total);
// [A -B^T; G 0] with p = 0 in place of the rows that are redundant since the last factor().
double *saddle_dense_system(const saddle_model *m, int32_t *size);
// Solves [A -G^T; G 0] by LAPACK for n_rhs vectors, the rows flagged in `skip` left out (p = 0).
void saddle_dense_solve(int32_t n, int32_t rows, const double *A, const double *G,
                        const uint8_t *skip, int32_t n_rhs, double *z);

// |a - b| <= tolerance max(1, |b|), in the largest norm.
void saddle_check_close(int64_t n, const double *a, const double *b, double tolerance);

#endif
