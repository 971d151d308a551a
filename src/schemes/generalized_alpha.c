// Generalized-alpha [ChungHulbert1993] for constrained motion, on index 3 [ArnoldBruls2007] and on
// index 2 [LunkSimeon2006], on the Lie group for spatial nodes [BrulsCardonaArnold2012]:
//
//     (1 - alpha_m) a_{n+1} + alpha_m a_n = (1 - alpha_f) v'_{n+1} + alpha_f v'_n,    a_0 = v'_0
//     d       = h v_n + h^2 (1/2 - beta) a_n + h^2 beta a_{n+1},     q_{n+1} = q_n [+] d
//     v_{n+1} = v_n + h (1 - gamma) a_n + h gamma a_{n+1}
//     M v'_{n+1} = f + B^T lambda_{n+1}  and  g = 0 (index 3)  or  G v = rate (index 2) at the end
//
// alpha_m = (2 rho - 1)/(rho + 1), alpha_f = rho/(rho + 1), gamma = 1/2 - alpha_m + alpha_f,
// beta = (gamma + 1/2)^2/4, rho the spectral radius at infinite frequency.
#include "schemes/generalized_alpha.h"

#include <float.h>
#include <math.h>
#include <string.h>

// Times that differ by less than this part of a step are the same one, rounded in other ways.
#define SAME_TIME 1e-6

static pcs_generalized_alpha *self(pcs_integrator *integrator)
{
    return (pcs_generalized_alpha *)integrator;
}

// ---- Memory ----

static pcs_status init(pcs_integrator *integrator)
{
    pcs_generalized_alpha *s = self(integrator);
    pcs_context *ctx = integrator->ctx;
    const pcs_model *m = integrator->model;
    const double rho = integrator->opts.rho_infinity;
    if (!(rho >= 0 && rho <= 1))
        return pcs_error(ctx, PCS_ERROR_ARGUMENT, "rho_infinity = %g is not in [0, 1]", rho);
    if (rho == 1 && integrator->class->index == 3)
        return pcs_error(ctx, PCS_ERROR_ARGUMENT,
                         "rho_infinity = 1 damps nothing, and the forces of position constraints "
                         "then oscillate more and more; take less than 1 (0.8), or alpha2");
    s->alpha_m = (2 * rho - 1) / (rho + 1);
    s->alpha_f = rho / (rho + 1);
    s->gamma = 0.5 - s->alpha_m + s->alpha_f;
    s->beta = 0.25 * (s->gamma + 0.5) * (s->gamma + 0.5);
    double **of_q[] = {&s->q, &s->q_from, &s->q_to};
    double **of_v[] = {&s->start_v, &s->start_d, &s->v,        &s->a,      &s->d,
                       &s->shift,   &s->x,       &s->residual, &s->v_from, &s->a_from,
                       &s->v_to,    &s->a_to,    &s->d_to,     &s->d_rate, &s->d_acceleration};
    double **of_rows[] = {&s->lambda, &s->p, &s->row_residual, &s->lambda_from, &s->lambda_to};
    bool good = PCS_NEW_LIST(ctx, of_q, m->n_q);
    good = PCS_NEW_LIST(ctx, of_v, m->n_v) && good;
    good = PCS_NEW_LIST(ctx, of_rows, pcs_smooth_rows_max(m)) && good;
    return good ? PCS_OK : PCS_ERROR_MEMORY;
}

static void destroy(pcs_integrator *integrator)
{
    pcs_generalized_alpha *s = self(integrator);
    void *arrays[] = {
        s->q,      s->q_from, s->q_to,         s->start_v,     s->start_d,  s->v,
        s->a,      s->d,      s->shift,        s->x,           s->residual, s->v_from,
        s->a_from, s->v_to,   s->a_to,         s->d_to,        s->d_rate,   s->d_acceleration,
        s->lambda, s->p,      s->row_residual, s->lambda_from, s->lambda_to};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i)
        pcs_free(integrator->ctx, arrays[i]);
    pcs_generalized_alpha_free_rows(s);
}

// ---- A step ----

static void copy(int32_t n, double *to, const double *from)
{
    memcpy(to, from, sizeof(double) * (size_t)n);
}

static pcs_status start(pcs_integrator *integrator, pcs_smooth_point *at)
{
    pcs_generalized_alpha *s = self(integrator);
    PCS_TRY(
        pcs_smooth_accelerations(integrator->smooth, at->t, at->q, at->v, at->a, at->lambda, NULL));
    copy(integrator->model->n_v, at->extra, at->a);
    s->index = integrator->class->index;
    s->ggl = integrator->opts.ggl;
    s->power_known = false; // the multipliers may be those of another phase
    s->terms = pcs_smooth_evaluate(integrator->smooth, at->t, at->q, at->v);
    return pcs_generalized_alpha_set_rows(s, at);
}

// Index 3 makes accelerations of second differences of positions: their rounding is one of eps/c_q in v'
// and lambda, and of c_v eps/c_q in v. In a step up to an event, of 1e-8 s, these are forces of any
// sign and velocities beyond those of rest. A step in which the accelerations have less than
// six digits holds the constraints as velocities and, by a shift of rounding, as positions.
static void choose_level(pcs_generalized_alpha *s)
{
    const pcs_model *m = s->base.model;
    const double least = 1e6; // roundings of positions in c_q v': the digits of v', six
    double acceleration = 0;
    s->index = s->base.class->index;
    s->ggl = s->base.opts.ggl;
    for (int32_t i = 0; i < m->n_v; ++i)
        acceleration = fmax(acceleration, fabs(s->from->a[i]));
    const double length = fmax(1, pcs_generalized_alpha_largest_position(m, s->from->q));
    if (s->index == 3 && s->c_q * acceleration < least * DBL_EPSILON * length) {
        s->index = 2;
        s->ggl = true;
    }
}

// Everything of the end of the step that does not depend on v'_{n+1}, and the predictor v'_{n+1} =
// v'_n, lambda_{n+1} = lambda_n.
static void predict(pcs_generalized_alpha *s, const pcs_smooth_point *from, double h)
{
    const int32_t n = s->base.model->n_v, m = pcs_smooth_row_count(s->base.smooth);
    const double share = (1 - s->alpha_f) / (1 - s->alpha_m);
    s->from = from;
    s->h = h;
    s->c_v = h * s->gamma * share;
    s->c_q = h * h * s->beta * share;
    choose_level(s);
    for (int32_t i = 0; i < n; ++i) {
        // a_{n+1} = share v'_{n+1} + known
        const double a = from->extra[i];
        const double known = (s->alpha_f * from->a[i] - s->alpha_m * a) / (1 - s->alpha_m);
        s->start_v[i] = from->v[i] + h * ((1 - s->gamma) * a + s->gamma * known);
        s->start_d[i] = h * from->v[i] + h * h * ((0.5 - s->beta) * a + s->beta * known);
        s->shift[i] = 0;
    }
    copy(n, s->a, from->a);
    copy(m, s->lambda, from->lambda);
}

// Another beginning for a stiff motion, in which v'_n over a step leads far away: the accelerations
// that keep the velocities, d = h v_n.
static void predict_steady(pcs_generalized_alpha *s)
{
    for (int32_t i = 0; i < s->base.model->n_v; ++i) {
        s->a[i] = (s->h * s->from->v[i] - s->start_d[i]) / s->c_q;
        s->shift[i] = 0;
    }
    copy(pcs_smooth_row_count(s->base.smooth), s->lambda, s->from->lambda);
}

// Work of damping as the step applies it. The kinetic energy changes by the impulse along the mean
// velocity v = (v_n + v_{n+1})/2, and the forces at the end have the weight c_v/h in the impulse:
//     W = c_v f_{n+1}.v + (h - c_v) f_n.v,     f_n.v_{n+1} = f_{n+1}.v_n as C is symmetric.
// Powers at the ends exceed all energy that there is where C h is large against M. Right behind an
// impact the step goes on with the forces before it, and so does the account.
static double damping_work(const pcs_generalized_alpha *s, double begin, double end, double cross)
{
    const double at_start = s->base.after_jump ? s->base.damping_before : 0.5 * (begin + cross);
    return s->c_v * 0.5 * (end + cross) + (s->h - s->c_v) * at_start;
}

// Trapezoidal rule for the other accounts. The powers at the start are those of the end of the last
// step, if that is where this one begins.
static void account(pcs_generalized_alpha *s, pcs_smooth_point *to)
{
    const pcs_model *m = s->base.model;
    const pcs_smooth_point *from = s->from;
    double begin[PCS_WORK_COUNT], end[PCS_WORK_COUNT];
    pcs_smooth_power(s->base.smooth, &s->terms, s->lambda, end);
    pcs_power cross = {.v = from->v};
    if (end[PCS_WORK_DAMPING] != 0)
        pcs_model_powers(m, s->terms.c, s->x, &cross);
    const bool known = s->power_known && fabs(s->t + s->length - from->t) <= SAME_TIME * s->h &&
                       memcmp(s->q_to, from->q, sizeof(double) * (size_t)m->n_q) == 0 &&
                       memcmp(s->v_to, from->v, sizeof(double) * (size_t)m->n_v) == 0;
    if (s->base.resumed) {
        memcpy(begin, s->base.power_from, sizeof begin);
    } else if (known) {
        memcpy(begin, s->power, sizeof begin);
    } else {
        pcs_smooth_terms terms = pcs_smooth_evaluate(s->base.smooth, from->t, from->q, from->v);
        pcs_smooth_power(s->base.smooth, &terms, from->lambda, begin);
    }
    for (int k = 0; k < PCS_WORK_COUNT; ++k)
        to->work[k] = from->work[k] + 0.5 * s->h * (begin[k] + end[k]);
    to->work[PCS_WORK_DAMPING] = from->work[PCS_WORK_DAMPING] +
                                 damping_work(s, begin[PCS_WORK_DAMPING], end[PCS_WORK_DAMPING],
                                              cross.damping);
    s->base.damping = end[PCS_WORK_DAMPING];
    memcpy(s->base.power_from, begin, sizeof begin);
    memcpy(s->power, end, sizeof end);
    s->power_known = true;
}

// Ends of the step, with the derivatives of the local coordinates at its end.
static void remember(pcs_generalized_alpha *s)
{
    const pcs_model *m = s->base.model;
    const int32_t rows = pcs_smooth_row_count(s->base.smooth);
    s->t = s->from->t;
    s->length = s->h;
    copy(m->n_q, s->q_from, s->from->q);
    copy(m->n_v, s->v_from, s->from->v);
    copy(m->n_v, s->a_from, s->from->a);
    copy(rows, s->lambda_from, s->from->lambda);
    copy(m->n_q, s->q_to, s->q);
    copy(m->n_v, s->v_to, s->v);
    copy(m->n_v, s->a_to, s->a);
    copy(m->n_v, s->d_to, s->d);
    copy(rows, s->lambda_to, s->lambda);
    pcs_smooth_chart_rate(m, s->d, s->v, s->d_rate);
    pcs_smooth_chart_acceleration(m, s->d, s->d_rate, s->a, s->d_acceleration);
}

// l = d - h v_n - h^2/3 v'_n - h^2/6 v'_{n+1}                        [Haddouni2015, (2.125)
// corrected]
static double local_error(pcs_generalized_alpha *s, const pcs_error_norm *norm)
{
    const double h = s->h;
    for (int32_t i = 0; i < s->base.model->n_v; ++i)
        s->x[i] = s->d[i] - h * s->from->v[i] - h * h * (s->from->a[i] / 3 + s->a[i] / 6);
    return pcs_error_norm_compute(norm, s->x, NULL);
}

static pcs_status step(pcs_integrator *integrator, const pcs_smooth_point *from, double h,
                       const pcs_error_norm *norm, pcs_smooth_point *to, double *error)
{
    pcs_generalized_alpha *s = self(integrator);
    const pcs_model *m = integrator->model;
    predict(s, from, h);
    pcs_status status = pcs_generalized_alpha_newton(s, false);
    if (status == PCS_NOT_CONVERGED) {
        predict_steady(s);
        status = pcs_generalized_alpha_newton(s, true);
    }
    if (status != PCS_OK)
        return status;
    to->t = from->t + h;
    *error = norm->off ? 0 : local_error(s, norm);
    if (*error > norm->limit && !norm->off) // rejected; the rest would be for nothing
        return PCS_OK;
    account(s, to);
    remember(s);
    for (int32_t i = 0; i < m->n_v; ++i)
        to->extra[i] = ((1 - s->alpha_f) * s->a[i] + s->alpha_f * from->a[i] -
                        s->alpha_m * from->extra[i]) /
                       (1 - s->alpha_m);
    copy(m->n_q, to->q, s->q);
    copy(m->n_v, to->v, s->v);
    copy(m->n_v, to->a, s->a);
    copy(pcs_smooth_row_count(integrator->smooth), to->lambda, s->lambda);
    return PCS_OK;
}

// ---- Dense output ----

// Positions and velocities from the quintic through both ends; the acceleration is the derivative
// of the cubic through v and v' at both ends; lambda is linear.
static pcs_status dense(pcs_integrator *integrator, double theta, pcs_smooth_point *out)
{
    pcs_generalized_alpha *s = self(integrator);
    const pcs_model *m = integrator->model;
    const double h = s->length, jump = 6 * theta * (1 - theta) / h;
    const double slope[2] = {1 - theta * (4 - 3 * theta), theta * (3 * theta - 2)};
    const pcs_quintic quintic = {h, s->v_from, s->a_from, s->d_to, s->d_rate, s->d_acceleration};
    pcs_quintic_evaluate(&quintic, m->n_v, theta, s->x, s->residual);
    pcs_model_retract(m, s->q_from, s->x, out->q);
    pcs_smooth_chart_velocity(m, s->x, s->residual, out->v);
    for (int32_t i = 0; i < m->n_v; ++i)
        out->a[i] = jump * (s->v_to[i] - s->v_from[i]) + slope[0] * s->a_from[i] +
                    slope[1] * s->a_to[i];
    for (int32_t i = 0; i < pcs_smooth_row_count(integrator->smooth); ++i)
        out->lambda[i] = (1 - theta) * s->lambda_from[i] + theta * s->lambda_to[i];
    out->t = s->t + theta * h;
    return PCS_OK;
}

static pcs_status path(pcs_integrator *integrator, double *const c[PCS_PATH_DEGREE])
{
    const pcs_generalized_alpha *s = self(integrator);
    const pcs_quintic quintic = {s->length, s->v_from, s->a_from,
                                 s->d_to,   s->d_rate, s->d_acceleration};
    pcs_quintic_path(&quintic, integrator->model->n_v, c);
    return PCS_OK;
}

#define GENERALIZED_ALPHA(label, text, level)                                                     \
    {                                                                                             \
        .name = (label), .help = (text), .order = 2, .control_order = 2, .index = (level),        \
        .implicit = true, .interpolates_forces = true, .size = sizeof(pcs_generalized_alpha),     \
        .init = init, .free = destroy, .start = start, .step = step, .dense = dense, .path = path \
    }

const pcs_integrator_class pcs_integrator_alpha_index2 = GENERALIZED_ALPHA(
    "alpha2", "generalized-alpha, order 2, joints as velocities: for stiff motion", 2);
const pcs_integrator_class pcs_integrator_alpha_index3 = GENERALIZED_ALPHA(
    "alpha3", "generalized-alpha, order 2, joints as positions: no drift of positions", 3);
