// The turning of friction as a correction of solves (friction_turns.h).
#include "schemes/friction_turns.h"

#include <string.h>

#include "linalg/dense.h"

// ---- Memory ----

int32_t pcs_friction_turns_count(const pcs_smooth *smooth)
{
    const pcs_phase *phase = pcs_smooth_phase(smooth);
    const pcs_model *model = pcs_smooth_model(smooth);
    int32_t n = 0;
    for (int32_t i = 0; model->dimension == 3 && i < model->n_slots; ++i)
        n += phase->mode[i] == PCS_MODE_SLIDE && pcs_smooth_slot_size(smooth, i) == 3;
    return n;
}

void pcs_friction_turns_free(pcs_context *ctx, pcs_friction_turns *turns)
{
    void *arrays[] = {turns->h,       turns->y,          turns->p, turns->strength, turns->matrix,
                      turns->surface, turns->convective, turns->w, turns->pivot};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i)
        pcs_free(ctx, arrays[i]);
    *turns = (pcs_friction_turns){0};
}

pcs_status pcs_friction_turns_reserve(pcs_context *ctx, const pcs_smooth *smooth,
                                      pcs_friction_turns *turns)
{
    const int64_t n = pcs_friction_turns_count(smooth), n_v = pcs_smooth_model(smooth)->n_v;
    const int64_t rows = pcs_smooth_row_count(smooth);
    turns->n = 0;
    if (n <= turns->capacity && (n == 0 || rows <= turns->rows))
        return PCS_OK;
    pcs_friction_turns_free(ctx, turns);
    turns->h = PCS_NEW_ARRAY(ctx, double, n *n_v);
    turns->y = PCS_NEW_ARRAY(ctx, double, n *n_v);
    turns->p = PCS_NEW_ARRAY(ctx, double, n *rows);
    turns->strength = PCS_NEW_ARRAY(ctx, double, n);
    turns->matrix = PCS_NEW_ARRAY(ctx, double, n *n);
    turns->surface = PCS_NEW_ARRAY(ctx, double, n);
    turns->convective = PCS_NEW_ARRAY(ctx, double, n);
    turns->w = PCS_NEW_ARRAY(ctx, double, n);
    turns->pivot = PCS_NEW_ARRAY(ctx, int32_t, n);
    if (!turns->h || !turns->y || !turns->p || !turns->strength || !turns->matrix ||
        !turns->surface || !turns->convective || !turns->w || !turns->pivot)
        return PCS_ERROR_MEMORY;
    turns->capacity = (int32_t)n;
    turns->n_v = (int32_t)n_v;
    turns->rows = (int32_t)rows;
    return PCS_OK;
}

// ---- Solves ----

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

void pcs_friction_turns_set(pcs_friction_turns *turns, const pcs_smooth *smooth,
                            const double *lambda, pcs_saddle *saddle)
{
    const pcs_model *m = pcs_smooth_model(smooth);
    const pcs_contact *contacts = pcs_smooth_contacts(smooth);
    turns->n = 0;
    for (int32_t slot = 0; turns->capacity > 0 && slot < m->n_slots; ++slot) {
        double d[2];
        const int32_t row = pcs_smooth_slot_row(smooth, slot);
        const double rate = pcs_smooth_turn_rate(smooth, slot, d);
        if (!(rate > 0) || !(lambda[row] > 0))
            continue;
        const int64_t k = turns->n++;
        double *h = turns->h + k * m->n_v, *y = turns->y + k * m->n_v;
        double *p = turns->p + k * turns->rows;
        fill_row(m, &contacts[slot].row, d, h);
        memcpy(y, h, sizeof(double) * (size_t)m->n_v);
        memset(p, 0, sizeof(double) * (size_t)turns->rows);
        pcs_saddle_solve(saddle, y, p);
        turns->strength[k] = rate * lambda[row];
        turns->surface[k] = d[0] * contacts[slot].surface[2] - d[1] * contacts[slot].surface[1];
        turns->convective[k] = d[0] * contacts[slot].convective[2] -
                               d[1] * contacts[slot].convective[1];
    }
}

double pcs_friction_turns_rate(const pcs_friction_turns *turns)
{
    double sum = 0;
    for (int64_t k = 0; k < turns->n; ++k)
        sum += turns->strength[k] *
               fmax(dot(turns->n_v, turns->h + k * turns->n_v, turns->y + k * turns->n_v), 0);
    return sum;
}

void pcs_friction_turns_factor(pcs_friction_turns *turns, double c)
{
    const int32_t n = turns->n, n_v = turns->n_v;
    for (int32_t i = 0; i < n; ++i)
        for (int32_t j = 0; j < n; ++j)
            turns->matrix[i * n + j] = (i == j ? 1 / (c * turns->strength[i]) : 0) +
                                       dot(n_v, turns->h + (int64_t)i * n_v,
                                           turns->y + (int64_t)j * n_v);
    if (n > 0 && pcs_dense_lu_factor(n, turns->matrix, turns->pivot) >= 0)
        turns->n = 0; // an iteration or a short step may do without them
}

double pcs_friction_turns_power(const pcs_friction_turns *turns)
{
    return dot(turns->n, turns->w, turns->surface);
}

void pcs_friction_turns_correct(const pcs_friction_turns *turns, bool convective, double *z,
                                double *p)
{
    const int32_t n = turns->n, n_v = turns->n_v;
    if (n == 0)
        return;
    for (int32_t k = 0; k < n; ++k)
        turns->w[k] = dot(n_v, turns->h + (int64_t)k * n_v, z) +
                      (convective ? turns->convective[k] : 0);
    pcs_dense_lu_solve(n, turns->matrix, turns->pivot, 1, turns->w);
    for (int32_t k = 0; k < n; ++k) {
        for (int32_t i = 0; i < n_v; ++i)
            z[i] -= turns->y[(int64_t)k * n_v + i] * turns->w[k];
        for (int32_t i = 0; p && i < turns->rows; ++i)
            p[i] -= turns->p[(int64_t)k * turns->rows + i] * turns->w[k];
    }
}
