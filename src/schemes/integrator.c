// The table of integrators, and what they share: points, error norms, the quintic.
#include "schemes/integrator.h"

#include <float.h>
#include <string.h>

static const pcs_integrator_class *const rows[] = {
    &pcs_integrator_heun,   &pcs_integrator_bs32,         &pcs_integrator_rk4,
    &pcs_integrator_rkf45,  &pcs_integrator_dopri5,       &pcs_integrator_hem5,
    &pcs_integrator_phem56, &pcs_integrator_alpha_index2, &pcs_integrator_alpha_index3,
};
enum { ROW_COUNT = sizeof rows / sizeof *rows };

const pcs_integrator_class *pcs_integrator_row(int32_t i)
{
    return i >= 0 && i < ROW_COUNT ? rows[i] : NULL;
}

const pcs_integrator_class *pcs_integrator_find(const char *name)
{
    for (int i = 0; i < ROW_COUNT; ++i)
        if (strcmp(rows[i]->name, name) == 0)
            return rows[i];
    return NULL;
}

const pcs_integrator_class *pcs_integrator_choose(const char *name, const pcs_model *model,
                                                  const char *fallback)
{
    if (strcmp(name, "auto") != 0)
        return pcs_integrator_find(name);
    return pcs_integrator_find(model->meshes.count > 0 ? "alpha2" : fallback);
}

pcs_integrator_opts pcs_integrator_default(void)
{
    // [Haddouni2015]: Newton 1e-10 (Table 3.1), c = 0.01 (2.128); rho = 0.8 reproduces Table 3.3
    return (pcs_integrator_opts){.rho_infinity = 0.8,
                                 .newton_tolerance = 1e-10,
                                 .newton_iterations = 20,
                                 .estimate_constant = 0.01};
}

pcs_status pcs_integrator_create(const pcs_integrator_class *class, const pcs_integrator_opts *opts,
                                 pcs_context *ctx, const pcs_model *model, pcs_smooth *smooth,
                                 pcs_integrator **out)
{
    *out = NULL;
    pcs_integrator *integrator = pcs_calloc(ctx, 1, class->size);
    if (!integrator)
        return PCS_ERROR_MEMORY;
    integrator->class = class;
    integrator->ctx = ctx;
    integrator->model = model;
    integrator->smooth = smooth;
    integrator->opts = *opts;
    const pcs_status status = class->init(integrator);
    if (status < 0) {
        pcs_integrator_destroy(integrator);
        return status;
    }
    *out = integrator;
    return PCS_OK;
}

void pcs_integrator_destroy(pcs_integrator *integrator)
{
    if (!integrator)
        return;
    pcs_context *ctx = integrator->ctx;
    integrator->class->free(integrator);
    pcs_free(ctx, integrator);
}

// ---- Points ----

pcs_status pcs_smooth_point_init(pcs_context *ctx, const pcs_model *model, pcs_smooth_point *point)
{
    const int32_t rows_max = pcs_smooth_rows_max(model);
    *point = (pcs_smooth_point){0};
    // One block; q stands first and owns it.
    double *data = PCS_NEW_ARRAY(ctx, double,
                                 (int64_t)model->n_q + 3 * (int64_t)model->n_v + rows_max);
    if (!data)
        return PCS_ERROR_MEMORY;
    point->q = data;
    point->v = point->q + model->n_q;
    point->a = point->v + model->n_v;
    point->extra = point->a + model->n_v;
    point->lambda = point->extra + model->n_v;
    return PCS_OK;
}

void pcs_smooth_point_free(pcs_context *ctx, pcs_smooth_point *point)
{
    pcs_free(ctx, point->q);
    *point = (pcs_smooth_point){0};
}

void pcs_smooth_point_copy(const pcs_model *model, pcs_smooth_point *to,
                           const pcs_smooth_point *from)
{
    const size_t n_q = (size_t)model->n_q, n_v = (size_t)model->n_v;
    to->t = from->t;
    memcpy(to->q, from->q, sizeof(double) * n_q);
    memcpy(to->v, from->v, sizeof(double) * n_v);
    memcpy(to->a, from->a, sizeof(double) * n_v);
    memcpy(to->extra, from->extra, sizeof(double) * n_v);
    memcpy(to->lambda, from->lambda, sizeof(double) * (size_t)pcs_smooth_rows_max(model));
    memcpy(to->work, from->work, sizeof to->work);
}

// ---- Errors ----

// Sum of squares of e_i / (absolute + relative |x_i|), times absolute^2. A rotation in space has no
// size that its error could be measured against: x counts as zero there.
static double weighted_square(const pcs_error_norm *norm, const double *e, const double *x,
                              bool position)
{
    const pcs_model *model = norm->model;
    double sum = 0;
    for (int32_t k = 0; k < model->nodes.count; ++k) {
        const pcs_node *node = pcs_model_node(model, k);
        const double *x_k = x + (position ? node->q : node->v);
        for (int32_t i = 0; i < node->n_v; ++i) {
            const bool turns = position && node->kind == PCS_NODE_SPATIAL && i >= 3;
            const double size = turns ? 0 : fabs(x_k[i]);
            const double part = e[node->v + i] / (norm->absolute + norm->relative * size);
            sum += part * part;
        }
    }
    return sum * norm->absolute * norm->absolute;
}

double pcs_error_norm_compute(const pcs_error_norm *norm, const double *dq, const double *dv)
{
    const int32_t n = norm->model->n_v;
    double sum = 0;
    if (norm->kind == PCS_NORM_WEIGHTED) {
        sum = weighted_square(norm, dq, norm->q, true);
        if (dv)
            sum += weighted_square(norm, dv, norm->v, false);
        return sqrt(sum / ((dv ? 2 : 1) * (n > 0 ? n : 1)));
    }
    for (int32_t i = 0; i < n; ++i)
        sum += dq[i] * dq[i];
    for (int32_t i = 0; dv && i < n; ++i)
        sum += dv[i] * dv[i];
    return sqrt(sum);
}

double pcs_integrator_stiffness(int32_t n, double h, const double *const first[4],
                                const double *const second[4])
{
    const double roundings = 32 *
                             DBL_EPSILON; // of the points; a rolling body has no more between them
    double change = 0, distance = 0, size = 0;
    for (int32_t i = 0; i < n; ++i) {
        const double d = second[0][i] - first[0][i], v = h * (second[1][i] - first[1][i]);
        const double rate = second[2][i] - first[2][i], a = h * (second[3][i] - first[3][i]);
        distance += d * d + v * v;
        size += second[0][i] * second[0][i] + h * h * second[1][i] * second[1][i];
        change += rate * rate + a * a;
    }
    return distance > roundings * roundings * size ? h * sqrt(change / distance) : 0;
}

// ---- Quintic ----

void pcs_quintic_evaluate(const pcs_quintic *p, int32_t n, double s, double *d, double *rate)
{
    const double s2 = s * s, s3 = s2 * s, s4 = s3 * s, s5 = s4 * s, h = p->h;
    const double H1 = s - 6 * s3 + 8 * s4 - 3 * s5;
    const double H2 = 0.5 * s2 - 1.5 * s3 + 1.5 * s4 - 0.5 * s5;
    const double H3 = 0.5 * s3 - s4 + 0.5 * s5, H4 = -4 * s3 + 7 * s4 - 3 * s5;
    const double H5 = 10 * s3 - 15 * s4 + 6 * s5;
    const double D1 = 1 - 18 * s2 + 32 * s3 - 15 * s4, D2 = s - 4.5 * s2 + 6 * s3 - 2.5 * s4;
    const double D3 = 1.5 * s2 - 4 * s3 + 2.5 * s4, D4 = -12 * s2 + 28 * s3 - 15 * s4;
    const double D5 = 30 * s2 - 60 * s3 + 30 * s4;
    for (int32_t i = 0; i < n; ++i) {
        const double v0 = h * p->v_0[i], a0 = h * h * p->a_0[i];
        const double v1 = h * p->rate_1[i], a1 = h * h * p->acceleration_1[i];
        d[i] = H1 * v0 + H2 * a0 + H3 * a1 + H4 * v1 + H5 * p->d_1[i];
        rate[i] = (D1 * v0 + D2 * a0 + D3 * a1 + D4 * v1 + D5 * p->d_1[i]) / h;
    }
}

void pcs_quintic_path(const pcs_quintic *p, int32_t n, double *const c[PCS_PATH_DEGREE])
{
    const double h = p->h;
    for (int32_t i = 0; i < n; ++i) {
        const double v0 = h * p->v_0[i], a0 = h * h * p->a_0[i], d1 = p->d_1[i];
        const double v1 = h * p->rate_1[i], a1 = h * h * p->acceleration_1[i];
        c[0][i] = v0;
        c[1][i] = 0.5 * a0;
        c[2][i] = -6 * v0 - 1.5 * a0 + 0.5 * a1 - 4 * v1 + 10 * d1;
        c[3][i] = 8 * v0 + 1.5 * a0 - a1 + 7 * v1 - 15 * d1;
        c[4][i] = -3 * v0 - 0.5 * a0 + 0.5 * a1 - 3 * v1 + 6 * d1;
    }
}
