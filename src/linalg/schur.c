// Numeric block factorisation of S = G A^{-1} B^T (linalg/schur.h has the equations); the symbolic
// part is in schur_symbolic.c.
#include "linalg/schur.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "linalg/kernels.h"

void pcs_node_inverse_apply(const pcs_node_inverse *inverse, bool transposed, int32_t rows,
                            const double *J, double *Y, double *work)
{
    const int32_t size = inverse->size;
    const double *B = inverse->value;
    int32_t first = 0; // first row of the part that is not diagonal
    if (inverse->kind == PCS_INVERSE_DIAGONAL)
        first = size;
    else if (inverse->kind == PCS_INVERSE_SPATIAL)
        first = 3;
    for (int32_t d = 0; d < first; ++d) { // row d of Y = B_dd times column d of J
        const double b = B[(int64_t)d * (size + 1)];
        for (int32_t r = 0; r < rows; ++r)
            Y[d * rows + r] = b * J[r * size + d];
    }
    if (first == size)
        return;
    for (int32_t d = first; d < size; ++d)
        for (int32_t r = 0; r < rows; ++r)
            work[d * rows + r] = J[r * size + d];
    pcs_kernel_general(false, 1.0, size - first, size - first, rows,
                       B + (int64_t)first * (size + 1), transposed ? 1 : size,
                       transposed ? size : 1, work + first * rows, rows, Y + first * rows, rows);
}

void pcs_node_inverse_solve(const pcs_node_inverse *inverse, double *x, double *work)
{
    const int32_t size = inverse->size;
    const double *B = inverse->value;
    if (inverse->kind == PCS_INVERSE_DIAGONAL) {
        for (int32_t d = 0; d < size; ++d)
            x[d] *= B[(int64_t)d * (size + 1)];
    } else if (inverse->kind == PCS_INVERSE_SPATIAL) {
        const double w0 = x[3], w1 = x[4], w2 = x[5];
        x[0] *= B[0];
        x[1] *= B[7];
        x[2] *= B[14];
        x[3] = B[21] * w0 + B[22] * w1 + B[23] * w2;
        x[4] = B[27] * w0 + B[28] * w1 + B[29] * w2;
        x[5] = B[33] * w0 + B[34] * w1 + B[35] * w2;
    } else {
        memcpy(work, x, sizeof(double) * (size_t)size);
        memset(x, 0, sizeof(double) * (size_t)size);
        pcs_kernel_vector(1.0, size, size, B, work, x);
    }
}

// Makes the sides share storage for a symmetric S and part them otherwise
static void set_sides(pcs_schur *S, bool symmetric)
{
    S->symmetric = symmetric;
    for (int side = 0; side < 2; ++side) {
        double *base = S->storage[symmetric ? 0 : side];
        S->off[side] = base;
        S->triangle[side] = base + S->off_size;
        S->product[side] = base + S->off_size + S->triangle_size;
    }
}

// product = A^{-1} B^T and A^{-T} G^T for every row block and node, and the blocks
// S_kk = sum G A^{-1} B^T
static void assemble_diagonal(pcs_schur *S, const pcs_node_inverse *inverse)
{
    for (int32_t k = 0; k < S->n; ++k) {
        const pcs_row_block *row = &S->rows[S->order[k]];
        const pcs_row_block *left = S->left ? &S->left[S->order[k]] : row;
        const int32_t size = row->size;
        double *block = S->diagonal_block + S->triangle_start[k];
        if (row->n_nodes == 0)
            memset(block, 0, sizeof(double) * (size_t)(size * size));
        for (int32_t s = 0; s < row->n_nodes; ++s) {
            const pcs_node_inverse *node = &inverse[row->node[s]];
            const int64_t at = S->slot_value[(int64_t)k * PCS_ROW_NODES_MAX + s];
            pcs_node_inverse_apply(node, false, size, left->J[s], S->product[0] + at, S->work);
            if (!S->symmetric)
                pcs_node_inverse_apply(node, true, size, row->J[s], S->product[1] + at, S->work);
            if (s == 0)
                pcs_kernel_general(false, 1.0, size, node->size, size, row->J[s], node->size, 1,
                                   S->product[0] + at, size, block, size);
            else
                pcs_kernel_product(1.0, size, node->size, size, row->J[s], node->size, 1,
                                   S->product[0] + at, size, block, size);
        }
        for (int32_t r = 0; r < size; ++r)
            S->diagonal[S->offset[k] + r] = block[r * (size + 1)];
    }
}

// Off-diagonal blocks: S_ki = sum over shared nodes G_k (A^{-1} B_i^T), S_ik^T = B_k (A^{-T} G_i^T)
static void assemble_off(pcs_schur *S, const pcs_node_inverse *inverse)
{
    const int n_sides = S->symmetric ? 1 : 2;
    for (int side = 0; side < n_sides; ++side)
        memset(S->off[side], 0, sizeof(double) * (size_t)S->off_size);
    for (int32_t t = 0; t < S->n_pairs; ++t) {
        const pcs_schur_pair *pair = &S->pair[t];
        const pcs_row_block *row = &S->rows[S->order[pair->k]];
        const pcs_row_block *left = S->left ? &S->left[S->order[pair->k]] : row;
        const int32_t d = inverse[row->node[pair->slot_k]].size;
        const int32_t columns = S->size[pair->i];
        const int64_t at = S->slot_value[(int64_t)pair->i * PCS_ROW_NODES_MAX + pair->slot_i];
        for (int side = 0; side < n_sides; ++side)
            pcs_kernel_product(1.0, row->size, d, columns,
                               (side == 0 ? row : left)->J[pair->slot_k], d, 1,
                               S->product[side] + at, columns,
                               S->off[side] + S->value_start[pair->entry], columns);
    }
}

// T <- T^{-1} for the unit lower triangle T, row by row: m_r = e_r - sum_{q<r} t_rq m_q
static void invert_triangle(int32_t n, double *T, double *row)
{
    for (int32_t r = 0; r < n; ++r) {
        double *m = T + (int64_t)r * n;
        for (int32_t c = 0; c < r; ++c)
            row[c] = m[c];
        pcs_kernel_general(false, -1.0, 1, r, n, row, 0, 1, T, n, m, n);
        m[r] = 1.0;
    }
}

// S_kk = L D U; the triangles L and U^T are stored inverted. false: not finite.
static bool factor_diagonal(pcs_schur *S, int32_t k, const pcs_schur_rule *rule)
{
    const int32_t n = S->size[k];
    double *M = S->diagonal_block + S->triangle_start[k];
    double *L = S->triangle[0] + S->triangle_start[k], *Ut = S->triangle[1] + S->triangle_start[k];
    double *inverse_pivot = S->inverse_pivot + S->offset[k];
    const double *diagonal = S->diagonal + S->offset[k];
    for (int32_t c = 0; c < n; ++c) {
        const double d = M[c * (n + 1)];
        if (!(fabs(d) <= DBL_MAX))
            return false;
        const double tolerance = rule->flagged && rule->flagged[S->offset[k] + c]
                                     ? rule->flagged_tolerance
                                     : rule->tolerance;
        const bool redundant = !(fabs(d) > tolerance * fabs(diagonal[c])) ||
                               !(fabs(1.0 / d) <= DBL_MAX);
        inverse_pivot[c] = redundant ? 0.0 : 1.0 / d;
        for (int32_t r = c + 1; r < n; ++r) {
            const double l = M[r * n + c] * inverse_pivot[c]; // l_rc = m_rc / d
            L[r * n + c] = l;
            pcs_kernel_subtract(n - c - 1, l, M + c * n + c + 1, M + r * n + c + 1);
        }
        if (!S->symmetric)
            for (int32_t r = c + 1; r < n; ++r)
                Ut[r * n + c] = M[c * n + r] * inverse_pivot[c]; // u_cr = m_cr / d
    }
    invert_triangle(n, L, S->work);
    if (!S->symmetric)
        invert_triangle(n, Ut, S->work);
    return true;
}

// X (n x columns) <- T X for a unit lower triangle T, from the last row up
static PCS_ALWAYS_INLINE void multiply_triangle(int32_t n, const double *T, int32_t columns,
                                                double *X)
{
    for (int32_t r = n - 1; r > 0; --r)
        pcs_kernel_product(1.0, 1, r, columns, T + (int64_t)r * n, 0, 1, X, columns,
                           X + (int64_t)r * columns, columns);
}

static void scale_rows(int32_t n, int32_t columns, const double *factor, const double *X, double *Y)
{
    for (int32_t r = 0; r < n; ++r)
        for (int32_t c = 0; c < columns; ++c)
            Y[r * columns + c] = factor[r] * X[r * columns + c];
}

// Updates of the columns j, i > k by block k: S_ji -= (D L_jk^T)^T D^{-1} (D U_ki), i >= j
static void update_columns(pcs_schur *S, int32_t k, int side)
{
    const int32_t n = S->size[k];
    int32_t pivots = 0;
    for (int32_t r = 0; r < n; ++r)
        pivots += S->inverse_pivot[S->offset[k] + r] != 0.0;
    if (pivots == 0) // D^{-1} = 0: many rows of low rank cost their rank, not their number
        return;
    const double *left = S->off[1 - side], *right = S->off[side];
    for (int32_t ej = S->start[k]; ej < S->start[k + 1]; ++ej) {
        const int32_t j = S->index[ej], rows = S->size[j];
        scale_rows(n, rows, S->inverse_pivot + S->offset[k], left + S->value_start[ej], S->work);
        if (side == 0)
            pcs_kernel_product(-1.0, rows, n, rows, S->work, 1, rows, right + S->value_start[ej],
                               rows, S->diagonal_block + S->triangle_start[j], rows);
        int32_t e = S->start[j];
        for (int32_t ei = ej + 1; ei < S->start[k + 1]; ++ei) {
            while (S->index[e] != S->index[ei]) // the pattern of j holds that of k beyond j
                ++e;
            const int32_t columns = S->size[S->index[ei]];
            pcs_kernel_product(-1.0, rows, n, columns, S->work, 1, rows, right + S->value_start[ei],
                               columns, S->off[side] + S->value_start[e], columns);
        }
    }
}

int32_t pcs_schur_factor(pcs_schur *S, const pcs_node_inverse *inverse, bool symmetric,
                         const pcs_schur_rule *rule)
{
    set_sides(S, symmetric);
    assemble_diagonal(S, inverse);
    assemble_off(S, inverse);
    const int n_sides = symmetric ? 1 : 2;
    for (int32_t k = 0; k < S->n; ++k) {
        if (!factor_diagonal(S, k, rule))
            return S->order[k];
        for (int side = 0; side < n_sides; ++side)
            for (int32_t e = S->start[k]; e < S->start[k + 1]; ++e)
                multiply_triangle(S->size[k], S->triangle[side] + S->triangle_start[k],
                                  S->size[S->index[e]], S->off[side] + S->value_start[e]);
        for (int side = 0; side < n_sides; ++side)
            update_columns(S, k, side);
    }
    return -1;
}

void pcs_schur_solve(const pcs_schur *S, double *t)
{
    double *w = S->work;
    for (int32_t k = 0; k < S->n; ++k) { // t <- D^{-1} L^{-1} t
        const int32_t n = S->size[k];
        double *t_k = t + S->offset[k];
        for (int32_t r = 0; r < n; ++r)
            w[r] = 0.0;
        pcs_kernel_vector(1.0, n, n, S->triangle[0] + S->triangle_start[k], t_k, w);
        for (int32_t r = 0; r < n; ++r)
            t_k[r] = S->inverse_pivot[S->offset[k] + r] * w[r];
        for (int32_t e = S->start[k]; e < S->start[k + 1]; ++e) { // L_ik = off[1]^T D^{-1}
            const int32_t i = S->index[e];
            pcs_kernel_transposed_vector(-1.0, n, S->size[i], S->off[1] + S->value_start[e], t_k,
                                         t + S->offset[i]);
        }
    }
    for (int32_t k = S->n - 1; k >= 0; --k) { // t <- U^{-1} t, U_ki = D^{-1} off[0]
        const int32_t n = S->size[k];
        double *t_k = t + S->offset[k];
        for (int32_t r = 0; r < n; ++r)
            w[r] = 0.0;
        for (int32_t e = S->start[k]; e < S->start[k + 1]; ++e) {
            const int32_t i = S->index[e];
            pcs_kernel_vector(1.0, n, S->size[i], S->off[0] + S->value_start[e], t + S->offset[i],
                              w);
        }
        for (int32_t r = 0; r < n; ++r)
            w[r] = t_k[r] - S->inverse_pivot[S->offset[k] + r] * w[r];
        pcs_kernel_general(false, 1.0, 1, n, n, w, 0, 1, S->triangle[1] + S->triangle_start[k], n,
                           t_k, n);
    }
}

void pcs_schur_forward(const pcs_schur *S, int side, int32_t first, int32_t end, int32_t columns,
                       double *T, double *scaled, uint8_t *reached)
{
    const int32_t base = S->offset[first];
    for (int32_t k = first; k < end; ++k) {
        const int32_t n = S->size[k];
        const int64_t at = (int64_t)(S->offset[k] - base) * columns;
        double *T_k = T + at, *scaled_k = scaled + at;
        if (!reached[k - first]) {
            memset(scaled_k, 0, sizeof(double) * (size_t)(n * columns));
            continue;
        }
        multiply_triangle(n, S->triangle[side] + S->triangle_start[k], columns, T_k);
        scale_rows(n, columns, S->inverse_pivot + S->offset[k], T_k, scaled_k);
        for (int32_t e = S->start[k]; e < S->start[k + 1]; ++e) { // T_i -= L_ik T_k
            const int32_t i = S->index[e];
            pcs_kernel_product(-1.0, S->size[i], n, columns, S->off[1 - side] + S->value_start[e],
                               1, S->size[i], scaled_k, columns,
                               T + (int64_t)(S->offset[i] - base) * columns, columns);
            reached[i - first] = 1;
        }
    }
}
