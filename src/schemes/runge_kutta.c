// Explicit Runge-Kutta methods on the index-1 form: y = (d, v), d' = T(d)^-1 v and v' from
// [M -B^T; G 0] (v', lambda) = (f, acceleration) [Haddouni2015, (1.25), A.1].
//
// RK4: classical; the error is the difference between one step h and two steps h/2, which are kept
// [Haddouni2015, (2.115)-(2.120)]. RKF45: [Fehlberg1969], the result of order 4 goes on. DOPRI5:
// [DormandPrince1980], the result of order 5 goes on. Errors are measured in d and v.
#include <string.h>

#include "schemes/stages.h"

enum { STAGES_MAX = 7 };

typedef struct tableau {
    int32_t stages;
    double c[STAGES_MAX];
    double a[STAGES_MAX][STAGES_MAX];
    double b[STAGES_MAX];
    double error[STAGES_MAX]; // b - b of the other order
    int32_t last;             // a stage with c = 1, for the measure of stiffness
    double stability;         // h |eigenvalue| at the limit, of an oscillation where that is less
} tableau;

// c and a of RK4 with its quadrature; no embedded method
static const tableau rk4_table = {
    .stages = 4,
    .c = {0, 0.5, 0.5, 1},
    .a = {{0}, {0.5}, {0, 0.5}, {0, 0, 1}},
    .b = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6},
    .last = 3,
    .stability = 2.7,
};

static const tableau rkf45_table = {
    .stages = 6,
    .c = {0, 1.0 / 4, 3.0 / 8, 12.0 / 13, 1, 1.0 / 2},
    .a = {{0},
          {1.0 / 4},
          {3.0 / 32, 9.0 / 32},
          {1932.0 / 2197, -7200.0 / 2197, 7296.0 / 2197},
          {439.0 / 216, -8, 3680.0 / 513, -845.0 / 4104},
          {-8.0 / 27, 2, -3544.0 / 2565, 1859.0 / 4104, -11.0 / 40}},
    .b = {25.0 / 216, 0, 1408.0 / 2565, 2197.0 / 4104, -1.0 / 5, 0},
    .error = {25.0 / 216 - 16.0 / 135, 0, 1408.0 / 2565 - 6656.0 / 12825,
              2197.0 / 4104 - 28561.0 / 56430, -1.0 / 5 + 9.0 / 50, -2.0 / 55},
    .last = 4,
    .stability = 1.5,
};

static const tableau heun_table = {
    .stages = 2,
    .c = {0, 1},
    .a = {{0}, {1}},
    .b = {1.0 / 2, 1.0 / 2},
    .error = {-1.0 / 2, 1.0 / 2},
    .last = 1,
    .stability = 2,
};

// [BogackiShampine1989]; the end of the step counts as the fourth stage of the estimate
static const tableau bs32_table = {
    .stages = 3,
    .c = {0, 1.0 / 2, 3.0 / 4},
    .a = {{0}, {1.0 / 2}, {0, 3.0 / 4}},
    .b = {2.0 / 9, 1.0 / 3, 4.0 / 9},
    .error = {2.0 / 9 - 7.0 / 24, 1.0 / 3 - 1.0 / 4, 4.0 / 9 - 1.0 / 3, 0, 0, 0, -1.0 / 8},
    .last = 2,
    .stability = 2.5,
};

// The seventh stage is the end of the step
static const tableau dopri5_table = {
    .stages = 6,
    .c = {0, 1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1, 1},
    .a = {{0},
          {1.0 / 5},
          {3.0 / 40, 9.0 / 40},
          {44.0 / 45, -56.0 / 15, 32.0 / 9},
          {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
          {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656}},
    .b = {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84},
    .error = {35.0 / 384 - 5179.0 / 57600, 0, 500.0 / 1113 - 7571.0 / 16695,
              125.0 / 192 - 393.0 / 640, -2187.0 / 6784 + 92097.0 / 339200,
              11.0 / 84 - 187.0 / 2100, -1.0 / 40},
    .last = 5,
    .stability = 1.5,
};
// Fifth part of DOPRI5's continuous extension of order 4 [HairerNorsettWanner1993, II.6]
static const double dopri5_dense_weights[STAGES_MAX] = {
    -12715105075.0 / 11282082432,  0,
    87487479700.0 / 32700410799,   -10690763975.0 / 1880347072,
    701980252875.0 / 199316789632, -1453857185.0 / 822651844,
    69997945.0 / 29380423,
};

enum { END = 7, BIG = 8 }; // places behind the stages: end of the step; RK4's result of one step h

typedef struct runge_kutta {
    pcs_integrator base;
    pcs_stages s;
    const tableau *table;
    double *a_n;    // v' at the start of the step, without compensation
    double *d2_end; // d'' at the end
    double *data;
    double h; // of the last set of stages
} runge_kutta;

static runge_kutta *self(pcs_integrator *integrator)
{
    return (runge_kutta *)integrator;
}

static pcs_status init(pcs_integrator *integrator)
{
    runge_kutta *m = self(integrator);
    const int64_t n = integrator->model->n_v;
    m->table = integrator->class == &pcs_integrator_rk4     ? &rk4_table
               : integrator->class == &pcs_integrator_rkf45 ? &rkf45_table
               : integrator->class == &pcs_integrator_heun  ? &heun_table
               : integrator->class == &pcs_integrator_bs32  ? &bs32_table
                                                            : &dopri5_table;
    PCS_TRY(pcs_stages_init(integrator->ctx, integrator->model, &m->s));
    m->data = PCS_NEW_ARRAY(integrator->ctx, double, 2 * n);
    if (!m->data)
        return PCS_ERROR_MEMORY;
    m->a_n = m->data;
    m->d2_end = m->a_n + n;
    return PCS_OK;
}

static void destroy(pcs_integrator *integrator)
{
    runge_kutta *m = self(integrator);
    pcs_stages_free(integrator->ctx, &m->s);
    pcs_free(integrator->ctx, m->data);
}

static pcs_status start(pcs_integrator *integrator, pcs_smooth_point *at)
{
    pcs_smooth_begin_compensation(integrator->smooth, at->t, at->q, at->v, 0);
    return pcs_stages_start(integrator, &self(integrator)->s, at);
}

// v', lambda and d' of stage i at (d_i, v_i)
static pcs_status evaluate(runge_kutta *m, int i, double t)
{
    pcs_stages *s = &m->s;
    const pcs_model *model = m->base.model;
    pcs_model_retract(model, s->q_n, s->d[i], s->q);
    PCS_TRY(pcs_smooth_accelerations(m->base.smooth, t, s->q, s->v[i], s->a[i], s->lambda[i],
                                     m->table->b[i] != 0 ? s->power[i] : NULL));
    pcs_smooth_position_velocity(m->base.smooth, s->v[i], s->w);
    pcs_smooth_chart_rate(model, s->d[i], s->w, s->rate[i]);
    return PCS_OK;
}

// The stages behind the first, over h from (t, d_base, v_base), and the result into place `end`.
static pcs_status stages(runge_kutta *m, double t, double h, const double *d_base,
                         const double *v_base, int end)
{
    pcs_stages *s = &m->s;
    const tableau *table = m->table;
    const int32_t n = m->base.model->n_v;
    m->h = h;
    for (int32_t i = 1; i < table->stages; ++i) {
        pcs_stages_combine(n, d_base, h, i, table->a[i], s->rate, s->d[i]);
        pcs_stages_combine(n, v_base, h, i, table->a[i], s->a, s->v[i]);
        PCS_TRY(evaluate(m, i, t + table->c[i] * h));
    }
    pcs_stages_combine(n, d_base, h, table->stages, table->b, s->rate, s->d[end]);
    pcs_stages_combine(n, v_base, h, table->stages, table->b, s->a, s->v[end]);
    return PCS_OK;
}

// Compensation over h from the point of stage 0, which it changes.
static pcs_status compensate(runge_kutta *m, double t, double h)
{
    pcs_stages *s = &m->s;
    if (pcs_smooth_get_compensation(m->base.smooth) == PCS_COMPENSATE_NONE)
        return PCS_OK;
    pcs_model_retract(m->base.model, s->q_n, s->d[0], s->q);
    pcs_smooth_begin_compensation(m->base.smooth, t, s->q, s->v[0], h);
    return evaluate(m, 0, t);
}

// The end of the step in place END becomes `to`, with v' and lambda.
static pcs_status finish(runge_kutta *m, pcs_smooth_point *to)
{
    pcs_stages *s = &m->s;
    const pcs_model *model = m->base.model;
    const size_t bytes = sizeof(double) * (size_t)model->n_v;
    pcs_smooth_begin_compensation(m->base.smooth, to->t, to->q, to->v, 0);
    PCS_TRY(pcs_stages_end(&m->base, s, to));
    memcpy(s->a[END], to->a, bytes);
    pcs_smooth_chart_rate(model, s->d[END], s->v[END], s->rate[END]);
    const int32_t l = m->table->last;
    m->base.stiffness = pcs_integrator_stiffness(
                            model->n_v, m->h,
                            (const double *[]){s->d[l], s->v[l], s->rate[l], s->a[l]},
                            (const double *[]){s->d[END], s->v[END], s->rate[END], to->a}) /
                        m->table->stability;
    return PCS_OK;
}

static void set_end(runge_kutta *m, const pcs_smooth_point *from, double h, pcs_smooth_point *to)
{
    const pcs_model *model = m->base.model;
    to->t = from->t + h;
    pcs_model_retract(model, m->s.q_n, m->s.d[END], to->q);
    memcpy(to->v, m->s.v[END], sizeof(double) * (size_t)model->n_v);
    memcpy(to->work, from->work, sizeof to->work);
}

static pcs_status begin(runge_kutta *m, const pcs_smooth_point *from, double h)
{
    m->base.dense_ready = false;
    PCS_TRY(pcs_stages_begin(&m->base, &m->s, from, h));
    memcpy(m->a_n, from->a, sizeof(double) * (size_t)m->base.model->n_v);
    return PCS_OK;
}

static pcs_status embedded_step(pcs_integrator *integrator, const pcs_smooth_point *from, double h,
                                const pcs_error_norm *norm, pcs_smooth_point *to, double *error)
{
    runge_kutta *m = self(integrator);
    pcs_stages *s = &m->s;
    const int32_t n = integrator->model->n_v;
    const tableau *table = m->table;
    const bool end_counts = table->error[END - 1] != 0; // its stage is part of the estimate
    PCS_TRY(begin(m, from, h));
    PCS_TRY(compensate(m, from->t, h));
    PCS_TRY(stages(m, from->t, h, s->d[0], s->v[0], END));
    set_end(m, from, h, to);
    pcs_stages_add_work(s, h, table->stages, table->b, to->work);
    if (end_counts)
        PCS_TRY(finish(m, to));
    pcs_stages_combine(n, NULL, h, table->stages, table->error, s->rate, s->e);
    pcs_stages_combine(n, NULL, h, table->stages, table->error, s->a, s->e_v);
    for (int32_t i = 0; end_counts && i < n; ++i) {
        s->e[i] += h * table->error[END - 1] * s->rate[END][i];
        s->e_v[i] += h * table->error[END - 1] * s->a[END][i];
    }
    *error = pcs_error_norm_compute(norm, s->e, s->e_v);
    if (end_counts || !(*error <= norm->limit))
        return PCS_OK;
    return finish(m, to);
}

// One step h, and two steps h/2 that go on unless the steps are fixed.
static pcs_status rk4_step(pcs_integrator *integrator, const pcs_smooth_point *from, double h,
                           const pcs_error_norm *norm, pcs_smooth_point *to, double *error)
{
    runge_kutta *m = self(integrator);
    pcs_stages *s = &m->s;
    const int32_t n = integrator->model->n_v;
    const size_t bytes = sizeof(double) * (size_t)n;
    const double half = 0.5 * h;
    *error = 0;
    PCS_TRY(begin(m, from, h));
    PCS_TRY(compensate(m, from->t, h));
    PCS_TRY(stages(m, from->t, h, s->d[0], s->v[0], norm->off ? END : BIG));
    memcpy(to->work, from->work, sizeof to->work);
    if (norm->off) {
        set_end(m, from, h, to);
        pcs_stages_add_work(s, h, rk4_table.stages, rk4_table.b, to->work);
        return finish(m, to);
    }
    double work[PCS_WORK_COUNT] = {0};
    for (int k = 0; k < 2; ++k) {
        const double t = from->t + k * half;
        if (k == 1) { // from the middle
            memcpy(s->d[0], s->d[END], bytes);
            memcpy(s->v[0], s->v[END], bytes);
            if (pcs_smooth_get_compensation(integrator->smooth) == PCS_COMPENSATE_NONE)
                PCS_TRY(evaluate(m, 0, t));
        }
        PCS_TRY(compensate(m, t, half));
        PCS_TRY(stages(m, t, half, s->d[0], s->v[0], END));
        pcs_stages_add_work(s, half, rk4_table.stages, rk4_table.b, work);
    }
    for (int32_t i = 0; i < n; ++i) {
        s->e[i] = s->d[BIG][i] - s->d[END][i];
        s->e_v[i] = s->v[BIG][i] - s->v[END][i];
    }
    *error = pcs_error_norm_compute(norm, s->e, s->e_v);
    set_end(m, from, h, to);
    for (int k = 0; k < PCS_WORK_COUNT; ++k)
        to->work[k] += work[k];
    // Dense output begins at the start of the whole step.
    memset(s->d[0], 0, bytes);
    memcpy(s->v[0], from->v, bytes);
    memcpy(s->rate[0], from->v, bytes);
    return *error <= norm->limit ? finish(m, to) : PCS_OK;
}

// ---- Dense output ----

static pcs_status at_dense_point(runge_kutta *m, double theta, pcs_smooth_point *out)
{
    pcs_stages *s = &m->s;
    pcs_model_retract(m->base.model, s->q_n, s->e, out->q);
    out->t = s->t + theta * s->h;
    if (m->base.dense_use == PCS_DENSE_MOTION)
        return PCS_OK;
    return pcs_smooth_accelerations(m->base.smooth, out->t, out->q, out->v, out->a, out->lambda,
                                    NULL);
}

static pcs_quintic quintic_of(runge_kutta *m)
{
    pcs_stages *s = &m->s;
    if (!m->base.dense_ready) {
        pcs_smooth_chart_acceleration(m->base.model, s->d[END], s->rate[END], s->a[END], m->d2_end);
        m->base.dense_ready = true;
    }
    return (pcs_quintic){.h = s->h,
                         .v_0 = s->v[0],
                         .a_0 = m->a_n,
                         .d_1 = s->d[END],
                         .rate_1 = s->rate[END],
                         .acceleration_1 = m->d2_end};
}

static pcs_status quintic_dense(pcs_integrator *integrator, double theta, pcs_smooth_point *out)
{
    runge_kutta *m = self(integrator);
    pcs_stages *s = &m->s;
    const pcs_quintic quintic = quintic_of(m);
    pcs_quintic_evaluate(&quintic, integrator->model->n_v, theta, s->e, s->e_v);
    pcs_smooth_chart_velocity(integrator->model, s->e, s->e_v, out->v);
    return at_dense_point(m, theta, out);
}

static pcs_status quintic_path(pcs_integrator *integrator, double *const c[PCS_PATH_DEGREE])
{
    const pcs_quintic quintic = quintic_of(self(integrator));
    pcs_quintic_path(&quintic, integrator->model->n_v, c);
    return PCS_OK;
}

// y(theta) = y_0 + theta (D + (1 - theta) (r_3 + theta (r_4 + (1 - theta) r_5))), D = y_1 - y_0,
// r_3 = h y'_0 - D, r_4 = D - h y'_1 - r_3, r_5 = h sum_i w_i y'_i
static void dopri5_extension(int32_t n, double theta, double h, const double *y_0,
                             const double *y_1, double *const *slope, const double *slope_1,
                             double *out)
{
    const double *w = dopri5_dense_weights, rest = 1 - theta;
    for (int32_t i = 0; i < n; ++i) {
        const double D = y_1[i] - y_0[i], r3 = h * slope[0][i] - D, r4 = D - h * slope_1[i] - r3;
        double r5 = w[END - 1] * slope_1[i];
        for (int j = 0; j < END - 1; ++j)
            r5 += w[j] * slope[j][i];
        out[i] = y_0[i] + theta * (D + rest * (r3 + theta * (r4 + rest * h * r5)));
    }
}

static pcs_status dopri5_dense(pcs_integrator *integrator, double theta, pcs_smooth_point *out)
{
    runge_kutta *m = self(integrator);
    pcs_stages *s = &m->s;
    const int32_t n = integrator->model->n_v;
    dopri5_extension(n, theta, s->h, s->d[0], s->d[END], s->rate, s->rate[END], s->e);
    dopri5_extension(n, theta, s->h, s->v[0], s->v[END], s->a, s->a[END], out->v);
    return at_dense_point(m, theta, out);
}

static pcs_status dopri5_path(pcs_integrator *integrator, double *const c[PCS_PATH_DEGREE])
{
    const pcs_stages *s = &self(integrator)->s;
    const double *w = dopri5_dense_weights, h = s->h;
    for (int32_t i = 0; i < integrator->model->n_v; ++i) {
        const double D = s->d[END][i] - s->d[0][i], r3 = h * s->rate[0][i] - D;
        const double r4 = D - h * s->rate[END][i] - r3;
        double r5 = h * w[END - 1] * s->rate[END][i];
        for (int j = 0; j < END - 1; ++j)
            r5 += h * w[j] * s->rate[j][i];
        c[0][i] = D + r3;
        c[1][i] = r4 + r5 - r3;
        c[2][i] = -r4 - 2 * r5;
        c[3][i] = r5;
        c[4][i] = 0;
    }
    return PCS_OK;
}

const pcs_integrator_class pcs_integrator_rk4 = {
    .name = "rk4",
    .help = "classical Runge-Kutta, index 1, order 4, error by halved steps",
    .order = 4,
    .control_order = 4,
    .index = 1,
    .size = sizeof(runge_kutta),
    .init = init,
    .free = destroy,
    .start = start,
    .step = rk4_step,
    .dense = quintic_dense,
    .path = quintic_path,
};

const pcs_integrator_class pcs_integrator_heun = {
    .name = "heun",
    .help = "Heun, index 1, order 2 with an estimate of order 1; for order studies",
    .order = 2,
    .control_order = 2,
    .index = 1,
    .size = sizeof(runge_kutta),
    .init = init,
    .free = destroy,
    .start = start,
    .step = embedded_step,
    .dense = quintic_dense,
    .path = quintic_path,
};

const pcs_integrator_class pcs_integrator_bs32 = {
    .name = "bs32",
    .help = "Bogacki-Shampine, index 1, order 3 with an estimate of order 2",
    .order = 3,
    .control_order = 3,
    .index = 1,
    .size = sizeof(runge_kutta),
    .init = init,
    .free = destroy,
    .start = start,
    .step = embedded_step,
    .dense = quintic_dense,
    .path = quintic_path,
};

const pcs_integrator_class pcs_integrator_rkf45 = {
    .name = "rkf45",
    .help = "Runge-Kutta-Fehlberg, index 1, order 4 with an estimate of order 5",
    .order = 4,
    .control_order = 4,
    .index = 1,
    .size = sizeof(runge_kutta),
    .init = init,
    .free = destroy,
    .start = start,
    .step = embedded_step,
    .dense = quintic_dense,
    .path = quintic_path,
};

const pcs_integrator_class pcs_integrator_dopri5 = {
    .name = "dopri5",
    .help = "Dormand-Prince, index 1, order 5 with an estimate of order 4",
    .order = 5,
    .control_order = 5,
    .index = 1,
    .size = sizeof(runge_kutta),
    .init = init,
    .free = destroy,
    .start = start,
    .step = embedded_step,
    .dense = dopri5_dense,
    .path = dopri5_path,
};
