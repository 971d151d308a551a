// Stages of Runge-Kutta methods: memory, linear combinations, the ends of a step.
#include "schemes/stages.h"

#include <string.h>

pcs_status pcs_stages_init(pcs_context *ctx, const pcs_model *model, pcs_stages *s)
{
    const int64_t n = model->n_v, rows = pcs_smooth_rows_max(model);
    s->data = PCS_NEW_ARRAY(ctx, double, PCS_STAGES_MAX *(4 * n + rows) + 3 * model->n_q + 3 * n);
    if (!s->data)
        return PCS_ERROR_MEMORY;
    double *next = s->data;
    for (int i = 0; i < PCS_STAGES_MAX; ++i) {
        s->d[i] = next;
        s->rate[i] = s->d[i] + n;
        s->v[i] = s->rate[i] + n;
        s->a[i] = s->v[i] + n;
        s->lambda[i] = s->a[i] + n;
        next = s->lambda[i] + rows;
    }
    s->q = next;
    s->q_c = s->q + model->n_q;
    s->q_n = s->q_c + model->n_q;
    s->w = s->q_n + model->n_q;
    s->e = s->w + n;
    s->e_v = s->e + n;
    s->power_t[0] = s->power_t[1] = NAN;
    return PCS_OK;
}

void pcs_stages_free(pcs_context *ctx, pcs_stages *s)
{
    pcs_free(ctx, s->data);
}

// The power at the start of a step: kept from the end of the last one or from an earlier try.
static pcs_status start_power(pcs_integrator *integrator, pcs_stages *s,
                              const pcs_smooth_point *from)
{
    if (from->t == s->power_t[0])
        return PCS_OK;
    s->power_t[0] = from->t;
    if (from->t == s->power_t[1]) {
        memcpy(s->end_power[0], s->end_power[1], sizeof s->end_power[0]);
        return PCS_OK;
    }
    return pcs_smooth_accelerations(integrator->smooth, from->t, from->q, from->v, s->e,
                                    s->lambda[1], s->end_power[0]);
}

pcs_status pcs_stages_begin(pcs_integrator *integrator, pcs_stages *s, const pcs_smooth_point *from,
                            double h)
{
    const pcs_model *model = integrator->model;
    const size_t bytes = sizeof(double) * (size_t)model->n_v;
    s->t = from->t;
    s->h = h;
    PCS_TRY(start_power(integrator, s, from));
    memcpy(s->q_n, from->q, sizeof(double) * (size_t)model->n_q);
    memset(s->d[0], 0, bytes);
    memcpy(s->rate[0], from->v, bytes);
    memcpy(s->v[0], from->v, bytes);
    memcpy(s->a[0], from->a, bytes);
    memcpy(s->lambda[0], from->lambda,
           sizeof(double) * (size_t)pcs_smooth_row_count(integrator->smooth));
    memcpy(s->power[0], s->end_power[0], sizeof s->power[0]);
    return PCS_OK;
}

void pcs_stages_combine(int32_t n, const double *base, double h, int32_t count, const double *c,
                        double *const *x, double *out)
{
    for (int32_t i = 0; i < n; ++i)
        out[i] = 0;
    for (int32_t j = 0; j < count; ++j) {
        const double *x_j = x[j], c_j = c[j];
        if (c_j == 0)
            continue;
        for (int32_t i = 0; i < n; ++i)
            out[i] += c_j * x_j[i];
    }
    for (int32_t i = 0; i < n; ++i)
        out[i] = (base ? base[i] : 0) + h * out[i];
}

void pcs_stages_add_work(const pcs_stages *s, double h, int32_t count, const double *c,
                         double *work)
{
    for (int32_t j = 0; j < count; ++j)
        for (int k = 0; c[j] != 0 && k < PCS_WORK_COUNT; ++k)
            work[k] += h * c[j] * s->power[j][k];
}

pcs_status pcs_stages_end(pcs_integrator *integrator, pcs_stages *s, pcs_smooth_point *point)
{
    pcs_smooth_renew_rank(integrator->smooth);
    s->power_t[1] = NAN;
    PCS_TRY(pcs_smooth_accelerations(integrator->smooth, point->t, point->q, point->v, point->a,
                                     point->lambda, s->end_power[1]));
    s->power_t[1] = point->t;
    return PCS_OK;
}

pcs_status pcs_stages_start(pcs_integrator *integrator, pcs_stages *s, pcs_smooth_point *at)
{
    s->power_t[0] = NAN;
    integrator->stiffness = 0;
    memset(at->extra, 0, sizeof(double) * (size_t)integrator->model->n_v);
    return pcs_stages_end(integrator, s, at);
}
