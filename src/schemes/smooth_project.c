// What keeps the constraints of a phase: their errors, the compensation of the drift over a step,
// and the projection onto them. smooth_system.h has the equations.
#include <string.h>

#include "schemes/smooth_parts.h"

// ---- Drift ----

void pcs_smooth_drift(pcs_smooth *s, double t, const double *q, const double *v, double *g,
                      double *g_rate)
{
    pcs_smooth_instant *w = &s->instant[s->last = 0];
    if (!pcs_smooth_is_at(s, w, t, q)) {
        pcs_smooth_update(s, w, t, q, v);
        pcs_smooth_evaluate_rows(s, w, false);
    }
    if (g)
        memcpy(g, w->g, sizeof(double) * (size_t)s->n_rows);
    if (!g_rate)
        return;
    pcs_smooth_multiply_rows(s, w, v, g_rate);
    for (int32_t i = 0; i < s->n_rows; ++i)
        g_rate[i] -= w->rate[i];
}

// ---- Compensation ----

void pcs_smooth_set_compensation(pcs_smooth *s, pcs_compensation compensation)
{
    s->compensation = compensation;
    s->compensated = false;
}

pcs_compensation pcs_smooth_get_compensation(const pcs_smooth *s)
{
    return s->compensation;
}

void pcs_smooth_begin_compensation(pcs_smooth *s, double t, const double *q, const double *v,
                                   double h)
{
    s->compensated = s->compensation != PCS_COMPENSATE_NONE && h > 0;
    if (!s->compensated)
        return;
    pcs_smooth_drift(s, t, q, v, s->position_term, s->velocity_term);
    for (int32_t i = 0; i < s->n_rows; ++i) {
        s->position_term[i] /= h;
        s->velocity_term[i] /= h;
    }
}

void pcs_smooth_position_velocity(pcs_smooth *s, const double *v, double *out)
{
    const int32_t n = s->model->n_v;
    memcpy(out, v, sizeof(double) * (size_t)n);
    if (!s->compensated || s->compensation != PCS_COMPENSATE_ALL)
        return;
    const pcs_smooth_instant *w = &s->instant[0];
    pcs_smooth_multiply_rows(s, w, v, s->p);
    for (int32_t i = 0; i < s->n_rows; ++i)
        s->p[i] = w->rate[i] - s->p[i] - s->position_term[i];
    memset(s->x, 0, sizeof(double) * (size_t)n);
    pcs_saddle_solve(s->saddle, s->x, s->p);
    for (int32_t i = 0; i < n; ++i)
        out[i] += s->x[i];
}

// ---- Projection ----

void pcs_smooth_project_to_rounding(pcs_smooth *s, bool to_rounding)
{
    s->to_rounding = to_rounding;
}

static double largest(int32_t n, const double *x)
{
    double most = 0;
    for (int32_t i = 0; i < n; ++i)
        if (!(fabs(x[i]) <= most))
            most = fabs(x[i]);
    return most;
}

// q [+] d with g = 0 and d in the range of M^-1 G^T, both of q: Newton's method with the matrix of
// the beginning. In that range M d is a G^T Lambda, so that each correction has the right-hand side
// (0, -g). Near a singular position it goes on below the tolerance: an error e of g is one of e/x of
// the position and of e/x^2 of the direction of the velocity at the distance x.
static pcs_status project_position(pcs_smooth *s, double t, double *q, const double *v,
                                   double tolerance)
{
    enum { ITERATIONS_MAX = 20 };
    const pcs_model *model = s->model;
    pcs_smooth_instant *w = &s->instant[0], *next = &s->instant[1];
    const double worthwhile = 0.25; // of the error before
    double error = largest(s->n_rows, w->g), last = HUGE_VAL;
    memset(s->d, 0, sizeof(double) * (size_t)model->n_v);
    memcpy(s->p, w->g, sizeof(double) * (size_t)s->n_rows);
    for (int i = 0;
         i < ITERATIONS_MAX && (error > tolerance || (s->to_rounding && error < worthwhile * last));
         ++i) {
        memset(s->x, 0, sizeof(double) * (size_t)model->n_v);
        for (int32_t k = 0; k < s->n_rows; ++k)
            s->p[k] = -s->p[k];
        pcs_saddle_solve(s->saddle, s->x, s->p);
        for (int32_t k = 0; k < model->n_v; ++k)
            s->d[k] += s->x[k];
        pcs_model_retract(model, q, s->d, s->q_try);
        pcs_smooth_update(s, next, t, s->q_try, v);
        pcs_smooth_evaluate_rows(s, next, false);
        last = error;
        memcpy(s->p, next->g, sizeof(double) * (size_t)s->n_rows);
        error = largest(s->n_rows, next->g);
        if (!(error <= 2 * last)) // it leads away
            break;
    }
    if (!(error <= tolerance))
        return PCS_NOT_CONVERGED;
    pcs_model_retract(model, q, s->d, q);
    return PCS_OK;
}

pcs_status pcs_smooth_project(pcs_smooth *s, double t, double *q, double *v, double tolerance,
                              bool position, bool velocity)
{
    enum { PASSES = 2 }; // the second one removes the rounding of the first
    pcs_smooth_instant *w = &s->instant[s->last = 0];
    if (s->n_rows == 0)
        return PCS_OK;
    for (int part = 0; part < 2; ++part) {
        if (part == 0 ? !position : !velocity)
            continue;
        pcs_smooth_update(s, w, t, q, v);
        pcs_smooth_evaluate_rows(s, w, false);
        pcs_model_matrix(s->model, &w->c, 0, 0, s->saddle);
        pcs_saddle_set_rows(s->saddle, w->rows, NULL);
        pcs_saddle_set_rank(s->saddle, s->rank);
        PCS_TRY(pcs_smooth_factor(s, w));
        s->rank = PCS_RANK_HOLD;
        if (part == 0) {
            const pcs_status status = project_position(s, t, q, v, tolerance);
            if (status != PCS_OK)
                return status;
            continue;
        }
        for (int pass = 0; pass < PASSES; ++pass) {
            pcs_smooth_multiply_rows(s, w, v, s->p);
            for (int32_t i = 0; i < s->n_rows; ++i)
                s->p[i] = w->rate[i] - s->p[i];
            memset(s->x, 0, sizeof(double) * (size_t)s->model->n_v);
            pcs_saddle_solve(s->saddle, s->x, s->p);
            for (int32_t i = 0; i < s->model->n_v; ++i)
                v[i] += s->x[i];
        }
    }
    return PCS_OK;
}
