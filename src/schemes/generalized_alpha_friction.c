// The turning of friction in Newton's matrix of generalized-alpha. A contact that slides in space
// has the friction -mu lambda_N d with d = u_T/|u_T|, and d turns with the velocity:
//
//     d(B^T lambda)/dv = -s h h^T,   s = mu lambda_N/|u_T|,   h = (e_1 H_T1 + e_2 H_T2)^T,   e _|_ d.
//
// Where sliding is slow this is a strong damper across d, and without it the iteration does not
// converge. It couples nodes that no element does, but has rank one for each contact: the solutions
// of the matrix at hand are corrected by the formula of Sherman, Morrison and Woodbury,
//     x = z - Y w,   Y = S^{-1} h,   (1/(c_v s) + h^T Y) w = h^T z,
// with S^{-1} a solve with the joints and contacts. On spatial nodes T(d) ~ 1 is taken in index 3.
#include <string.h>

#include "linalg/dense.h"
#include "schemes/generalized_alpha.h"

pcs_status pcs_generalized_alpha_create_turns(pcs_generalized_alpha *s)
{
    pcs_context *ctx = s->base.ctx;
    const pcs_model *m = s->base.model;
    const int64_t n = m->dimension == 3 ? s->n_blocks - m->row_blocks.count : 0;
    const int64_t rows = pcs_smooth_row_count(s->base.smooth);
    pcs_alpha_turns *turns = &s->turns;
    if (n == 0)
        return PCS_OK;
    turns->h = PCS_NEW_ARRAY(ctx, double, n * m->n_v);
    turns->y = PCS_NEW_ARRAY(ctx, double, n * m->n_v);
    turns->p = PCS_NEW_ARRAY(ctx, double, n *rows);
    turns->matrix = PCS_NEW_ARRAY(ctx, double, n *n);
    turns->w = PCS_NEW_ARRAY(ctx, double, n);
    turns->pivot = PCS_NEW_ARRAY(ctx, int32_t, n);
    const bool good = turns->h && turns->y && turns->p && turns->matrix && turns->w && turns->pivot;
    return good ? PCS_OK : PCS_ERROR_MEMORY;
}

void pcs_generalized_alpha_free_turns(pcs_generalized_alpha *s)
{
    void *arrays[] = {s->turns.h,      s->turns.y, s->turns.p,
                      s->turns.matrix, s->turns.w, s->turns.pivot};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i)
        pcs_free(s->base.ctx, arrays[i]);
    s->turns = (pcs_alpha_turns){0};
}

static double dot(int32_t n, const double *x, const double *y)
{
    double sum = 0;
    for (int32_t i = 0; i < n; ++i)
        sum += x[i] * y[i];
    return sum;
}

// h of a contact that slides along d
static void fill_row(const pcs_model *m, const pcs_row_block *H, const double d[2], double *h)
{
    memset(h, 0, sizeof(double) * (size_t)m->n_v);
    for (int32_t e = 0; e < H->n_nodes; ++e) {
        const pcs_node *node = pcs_model_node(m, H->node[e]);
        for (int32_t i = 0; i < node->n_v; ++i)
            h[node->v + i] += d[0] * H->J[e][2 * node->n_v + i] - d[1] * H->J[e][node->n_v + i];
    }
}

void pcs_generalized_alpha_factor_turns(pcs_generalized_alpha *s)
{
    const pcs_model *m = s->base.model;
    const int32_t n_v = m->n_v, rows = pcs_smooth_row_count(s->base.smooth);
    const pcs_contact *contacts = pcs_smooth_contacts(s->base.smooth);
    pcs_alpha_turns *turns = &s->turns;
    turns->n = 0;
    for (int32_t slot = 0; turns->h && slot < m->n_slots; ++slot) {
        double d[2];
        const int32_t row = pcs_smooth_slot_row(s->base.smooth, slot), k = turns->n;
        const double rate = pcs_smooth_turn_rate(s->base.smooth, slot, d);
        if (!(rate > 0) || !(s->lambda[row] > 0))
            continue;
        double *h = turns->h + (int64_t)k * n_v, *y = turns->y + (int64_t)k * n_v;
        double *p = turns->p + (int64_t)k * rows;
        fill_row(m, &contacts[slot].row, d, h);
        memcpy(y, h, sizeof(double) * (size_t)n_v);
        memset(p, 0, sizeof(double) * (size_t)rows);
        pcs_saddle_solve(s->used->saddle, y, p);
        turns->w[k] = 1 / (s->c_v * rate * s->lambda[row]);
        ++turns->n;
    }
    const int32_t n = turns->n;
    for (int32_t i = 0; i < n; ++i)
        for (int32_t j = 0; j < n; ++j)
            turns->matrix[i * n + j] = (i == j ? turns->w[i] : 0) +
                                       dot(n_v, turns->h + (int64_t)i * n_v,
                                           turns->y + (int64_t)j * n_v);
    if (n > 0 && pcs_dense_lu_factor(n, turns->matrix, turns->pivot) >= 0)
        turns->n = 0; // an iteration without them may still converge
}

void pcs_generalized_alpha_solve(pcs_generalized_alpha *s, double *x, double *p)
{
    const int32_t n_v = s->base.model->n_v, rows = pcs_smooth_row_count(s->base.smooth);
    const pcs_alpha_turns *turns = &s->turns;
    pcs_saddle_solve(s->used->saddle, x, p);
    if (turns->n == 0)
        return;
    for (int32_t k = 0; k < turns->n; ++k)
        turns->w[k] = dot(n_v, turns->h + (int64_t)k * n_v, x);
    pcs_dense_lu_solve(turns->n, turns->matrix, turns->pivot, 1, turns->w);
    for (int32_t k = 0; k < turns->n; ++k) {
        for (int32_t i = 0; i < n_v; ++i)
            x[i] -= turns->y[(int64_t)k * n_v + i] * turns->w[k];
        for (int32_t i = 0; i < rows; ++i)
            p[i] -= turns->p[(int64_t)k * rows + i] * turns->w[k];
    }
}
