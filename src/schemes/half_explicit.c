// Half-explicit Runge-Kutta methods of order 5 for the index-2 form [Haddouni2015, 2.3].
//
// With local coordinates d, d' = T(d)^-1 v, both methods take f, M and B of a stage at (D_i, V_i)
// and choose lambda so that a later velocity satisfies its constraint exactly:
//
// HEM5 [Brasey1992], stages 1..8 and the end as stage 9, a_9j = b_j:
//     D_{i+1} = h sum_{j<=i} a_{i+1,j} D'_j      V_{i+1} = v_n + h sum_{j<=i} a_{i+1,j} V'_j
//     M(Q_i) V'_i = f(Q_i, V_i) + B(Q_i)^T L_i,   G(Q_{i+1}) V_{i+1} = rate
// PHEM56 [Murua1997], stages 2..6 behind the explicit first one, rows ab of the second tableau:
//     D_i = h sum_{j<i} a_ij D'_j     V_i = v_n + h sum_{j<i} a_ij V'_j
//     Db_i = h sum_{j<=i} ab_ij D'_j,  G(Qb_i) (v_n + h sum_{j<=i} ab_ij V'_j) = rate
//     q_{n+1} = Qb_6 and the velocity that belongs to it.
// Both carry v' and lambda of the index-1 equation at the end of the step.
#include <string.h>

#include "schemes/stages.h"

typedef struct half_explicit {
    pcs_integrator base;
    pcs_stages s;
    double *dense[3][4]; // HEM5: polynomials of d, v and lambda
    double *a_ends[2];   // HEM5: v' at the ends of the step, by the index-1 equation
    double *dense_data;
} half_explicit;

static half_explicit *self(pcs_integrator *integrator)
{
    return (half_explicit *)integrator;
}

static pcs_status init(pcs_integrator *integrator)
{
    half_explicit *m = self(integrator);
    const int64_t n = integrator->model->n_v, rows = pcs_smooth_rows_max(integrator->model);
    PCS_TRY(pcs_stages_init(integrator->ctx, integrator->model, &m->s));
    m->dense_data = PCS_NEW_ARRAY(integrator->ctx, double, 10 * n + 4 * rows);
    if (!m->dense_data)
        return PCS_ERROR_MEMORY;
    for (int i = 0; i < 4; ++i) {
        m->dense[0][i] = m->dense_data + i * n;
        m->dense[1][i] = m->dense_data + (4 + i) * n;
        m->dense[2][i] = m->dense_data + 10 * n + i * rows;
    }
    m->a_ends[0] = m->dense_data + 8 * n;
    m->a_ends[1] = m->dense_data + 9 * n;
    return PCS_OK;
}

static void destroy(pcs_integrator *integrator)
{
    half_explicit *m = self(integrator);
    pcs_stages_free(integrator->ctx, &m->s);
    pcs_free(integrator->ctx, m->dense_data);
}

static pcs_status start(pcs_integrator *integrator, pcs_smooth_point *at)
{
    return pcs_stages_start(integrator, &self(integrator)->s, at);
}

// Solves stage i at (D_i, V_i), whose rate is set here: V'_i and L_i such that `w` + weight V'_i
// satisfies the constraint at q_n [+] d_c, time t_c. The configurations stay in s->q and s->q_c.
// The power is computed if asked for.
static pcs_status solve_stage(half_explicit *m, int i, double c, const double *d_c, double c_c,
                              double weight, bool power)
{
    pcs_stages *s = &m->s;
    const pcs_model *model = m->base.model;
    pcs_model_retract(model, s->q_n, s->d[i], s->q);
    pcs_model_retract(model, s->q_n, d_c, s->q_c);
    const pcs_half_explicit_stage stage = {.t = s->t + c * s->h,
                                           .t_c = s->t + c_c * s->h,
                                           .s = weight,
                                           .Q = s->q,
                                           .V = s->v[i],
                                           .Q_c = s->q_c,
                                           .w = s->w};
    return pcs_smooth_half_explicit(m->base.smooth, &stage, s->a[i], s->lambda[i],
                                    power ? s->power[i] : NULL);
}

// ---- PHEM56 ----

enum { P_STAGES = 6, P_END = 6 }; // the end of the step is kept as a seventh stage

static const double p_c[P_STAGES] = {0, 1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1};
static const double p_a[P_STAGES][P_STAGES] = {
    {0},
    {1.0 / 5},
    {3.0 / 40, 9.0 / 40},
    {44.0 / 45, -56.0 / 15, 32.0 / 9},
    {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
    {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
};
static const double p_cb[P_STAGES] = {0, 3.0 / 10, 3.0 / 8, 5.0 / 7, 1, 1};
static const double p_ab[P_STAGES][P_STAGES] = {
    {0},
    {3.0 / 40, 9.0 / 40},
    {21.0 / 256, 45.0 / 256, 15.0 / 128},
    {19235.0 / 98784, -225.0 / 392, 6235.0 / 6174, 2755.0 / 32928},
    {-293.0 / 1152, 85.0 / 48, -2275.0 / 1908, 35.0 / 32, -2835.0 / 6784},
    {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84},
};
// Of order 4, with the end of the step as seventh stage
static const double p_embedded[P_STAGES + 1] = {
    5179.0 / 57600, 0, 7571.0 / 16695, 393.0 / 640, -92097.0 / 339200, 187.0 / 2100, 1.0 / 40,
};
// Value at P_MIDDLE for the dense output
#define P_MIDDLE (19.0 / 30)
static const double p_middle[P_STAGES + 1] = {
    1812923.0 / 20736000, 0,
    45847.0 / 100170,     56677.0 / 414720,
    -289161.0 / 13568000, -67507.0 / 4536000,
    -3971.0 / 324000,
};
// h |eigenvalue| at the limit of stability. That of Dormand and Prince's method, which is behind
// PHEM56, is 3.3 on the real axis [HairerWanner1996, IV.2] but 1.2 for an oscillation without
// damping, the usual stiff part of a mechanism (measured: a point on a spring, 1e4 rad/s,
// tolerances 1e-3 to 1e-8).
#define P_STABILITY 1.5

static pcs_status phem56_stages(half_explicit *m, const pcs_smooth_point *from)
{
    pcs_stages *s = &m->s;
    const pcs_model *model = m->base.model;
    const int32_t n = model->n_v;
    double *d_end = s->d[P_END];
    for (int i = 1; i < P_STAGES; ++i) {
        pcs_stages_combine(n, NULL, s->h, i, p_a[i], s->rate, s->d[i]);
        pcs_stages_combine(n, from->v, s->h, i, p_a[i], s->a, s->v[i]);
        pcs_smooth_chart_rate(model, s->d[i], s->v[i], s->rate[i]);
        pcs_stages_combine(n, NULL, s->h, i + 1, p_ab[i], s->rate, d_end);
        pcs_stages_combine(n, from->v, s->h, i, p_ab[i], s->a, s->w);
        PCS_TRY(solve_stage(m, i, p_c[i], d_end, p_cb[i], s->h * p_ab[i][i],
                            p_ab[P_STAGES - 1][i] != 0));
    }
    return PCS_OK;
}

static pcs_status phem56_step(pcs_integrator *integrator, const pcs_smooth_point *from, double h,
                              const pcs_error_norm *norm, pcs_smooth_point *to, double *error)
{
    half_explicit *m = self(integrator);
    pcs_stages *s = &m->s;
    const pcs_model *model = integrator->model;
    const int32_t n = model->n_v;
    double *d_end = s->d[P_END], *v_end = s->v[P_END], *rate_end = s->rate[P_END];
    m->base.dense_ready = false;
    PCS_TRY(pcs_stages_begin(integrator, s, from, h));
    PCS_TRY(phem56_stages(m, from));
    const double weight = h * p_ab[P_STAGES - 1][P_STAGES - 1];
    for (int32_t i = 0; i < n; ++i) // as the last stage had it
        v_end[i] = s->w[i] + weight * s->a[P_STAGES - 1][i];
    pcs_smooth_chart_rate(model, d_end, v_end, rate_end);
    pcs_stages_combine(n, NULL, h, P_STAGES + 1, p_embedded, s->rate, s->e);
    for (int32_t i = 0; i < n; ++i)
        s->e[i] -= d_end[i];
    *error = pcs_error_norm_compute(norm, s->e, NULL);
    to->t = from->t + h;
    memcpy(to->q, s->q_c, sizeof(double) * (size_t)model->n_q);
    memcpy(to->v, v_end, sizeof(double) * (size_t)n);
    if (!(*error <= norm->limit))
        return PCS_OK;
    memcpy(to->work, from->work, sizeof to->work);
    pcs_stages_add_work(s, h, P_STAGES, p_ab[P_STAGES - 1], to->work);
    PCS_TRY(pcs_stages_end(integrator, s, to));
    memcpy(s->a[P_END], to->a, sizeof(double) * (size_t)n);
    const int l = P_STAGES - 1; // its node is the end of the step too
    integrator->stiffness = pcs_integrator_stiffness(
                                n, h, (const double *[]){s->d[l], s->v[l], s->rate[l], s->a[l]},
                                (const double *[]){d_end, v_end, rate_end, to->a}) /
                            P_STABILITY;
    return PCS_OK;
}

// Quartic through the values and slopes at both ends and the value at P_MIDDLE, times h where
// needed.
static void quartic(int32_t n, double theta, double h, const double *x_0, const double *slope_0,
                    const double *x_1, const double *slope_1, const double *x_middle, double *out)
{
    const double c = P_MIDDLE, bubble_c = c * c * (1 - c) * (1 - c);
    const double bubble = theta * theta * (1 - theta) * (1 - theta) / bubble_c;
    const double t2 = theta * theta, t3 = t2 * theta, c2 = c * c, c3 = c2 * c;
    const double H[4] = {1 - 3 * t2 + 2 * t3, theta - 2 * t2 + t3, 3 * t2 - 2 * t3, t3 - t2};
    const double C[4] = {1 - 3 * c2 + 2 * c3, c - 2 * c2 + c3, 3 * c2 - 2 * c3, c3 - c2};
    for (int32_t i = 0; i < n; ++i) {
        const double x0 = x_0 ? x_0[i] : 0;
        const double cubic = H[0] * x0 + H[1] * h * slope_0[i] + H[2] * x_1[i] +
                             H[3] * h * slope_1[i];
        const double cubic_c = C[0] * x0 + C[1] * h * slope_0[i] + C[2] * x_1[i] +
                               C[3] * h * slope_1[i];
        out[i] = cubic + bubble * (x_middle[i] - cubic_c);
    }
}

// Positions and velocities at P_MIDDLE.
static void prepare_middle(half_explicit *m)
{
    const pcs_stages *s = &m->s;
    const int32_t n = m->base.model->n_v;
    if (m->base.dense_ready)
        return;
    pcs_stages_combine(n, NULL, s->h, P_STAGES + 1, p_middle, s->rate, m->dense[0][0]);
    pcs_stages_combine(n, s->v[0], s->h, P_STAGES + 1, p_middle, s->a, m->dense[1][0]);
    m->base.dense_ready = true;
}

static pcs_status phem56_path(pcs_integrator *integrator, double *const c[PCS_PATH_DEGREE])
{
    half_explicit *m = self(integrator);
    const pcs_stages *s = &m->s;
    const double x = P_MIDDLE, bubble = x * x * (1 - x) * (1 - x);
    prepare_middle(m);
    for (int32_t i = 0; i < integrator->model->n_v; ++i) {
        const double slope_0 = s->h * s->rate[0][i], slope_1 = s->h * s->rate[P_END][i];
        const double d = s->d[P_END][i];
        const double c2 = -2 * slope_0 + 3 * d - slope_1, c3 = slope_0 - 2 * d + slope_1;
        const double B = (m->dense[0][0][i] - x * (slope_0 + x * (c2 + x * c3))) / bubble;
        c[0][i] = slope_0;
        c[1][i] = c2 + B;
        c[2][i] = c3 - 2 * B;
        c[3][i] = B;
        c[4][i] = 0;
    }
    return PCS_OK;
}

static pcs_status phem56_dense(pcs_integrator *integrator, double theta, pcs_smooth_point *out)
{
    half_explicit *m = self(integrator);
    pcs_stages *s = &m->s;
    const pcs_model *model = integrator->model;
    const int32_t n = model->n_v;
    double *d_middle = m->dense[0][0], *v_middle = m->dense[1][0];
    prepare_middle(m);
    quartic(n, theta, s->h, NULL, s->rate[0], s->d[P_END], s->rate[P_END], d_middle, s->e);
    quartic(n, theta, s->h, s->v[0], s->a[0], s->v[P_END], s->a[P_END], v_middle, out->v);
    pcs_model_retract(model, s->q_n, s->e, out->q);
    out->t = s->t + theta * s->h;
    if (integrator->dense_use == PCS_DENSE_MOTION)
        return PCS_OK;
    return pcs_smooth_accelerations(integrator->smooth, out->t, out->q, out->v, out->a, out->lambda,
                                    NULL);
}

const pcs_integrator_class pcs_integrator_phem56 = {
    .name = "phem56",
    .help = "partitioned half-explicit Runge-Kutta, index 2, order 5, six stages",
    .order = 5,
    .control_order = 5,
    .index = 2,
    .size = sizeof(half_explicit),
    .init = init,
    .free = destroy,
    .start = start,
    .step = phem56_step,
    .dense = phem56_dense,
    .path = phem56_path,
};

// ---- HEM5 ----

enum { H_STAGES = 8, H_END = 8, H_TENTH = 9 };

static const double h_c[H_STAGES + 1] = {
    0, 0.1, 0.15, 0.3614787346573635, 0.08535584335486351, 0.5, 0.8, 1, 1,
};
// Row i gives stage i + 1; the last one is b
static const double h_a[H_STAGES][H_STAGES] = {
    {0.1},
    {0.0375, 0.1125},
    {0.3222169236216038, -1.188883322987607, 1.228145134023366},
    {-0.03501123898129943, 0.3725420601086163, -0.2721053535582034, 0.01993037578575077},
    {-0.5576547055042005, 1.367307289645883, -1.732236360460725, 0.4587772007467548,
     0.9638065755722880},
    {0.08654517193566155, -0.08810082847945416, 0.1981275547329404, -0.4645422679331083,
     0.1615170091109488, 0.9064533606330119},
    {0, 0, 0, 3.624477248753816, -0.4617724189181256, -3.198024628164272, 1.035319798328740},
    {0, 0, 0, 0.2467760667636791, 0.2106594087489728, 0.1769218149125021, 0.3064446444147922,
     0.05919806516005373},
};
// Dense output: the tenth stage, from stages 6, 7 and 9, and the weights of stages 4 to 8 and 10
static const double h_c10 = 0.05;
static const double h_a10[H_STAGES + 1] = {
    0, 0, 0, 0, 0, 0.2519444444444446, -0.3861111111111117, 0, 0.1841666666666670,
};
static const double h_dense[4][H_STAGES + 2] = {
    {0, 0, 0, -0.2661262387118526, -0.4784628694418738, -0.08492247115792709, 0.2500588298423810,
     -0.1047577768468651, 0, 1.684210526316138},
    {0, 0, 0, 2.963408265225625, 5.405521925140019, 0.9129165649477744, -2.963932600778991,
     1.261033213890067, 0, -7.578947368424495},
    {0, 0, 0, -4.141333547260734, -8.533017606960350, -0.8633784567714418, 6.403467289689607,
     -2.971000836599169, 0, 10.10526315790209},
    {0, 0, 0, 1.690827587510642, 3.816617960011145, 0.2123061778941055, -3.383148874338215,
     1.873923464716025, 0, -4.210526315793703},
};
#define H_STABILITY 1.5 // as above; measured 0.9 to 1.6

static pcs_status hem5_stages(half_explicit *m, const pcs_smooth_point *from)
{
    pcs_stages *s = &m->s;
    const pcs_model *model = m->base.model;
    const int32_t n = model->n_v;
    for (int i = 0; i < H_STAGES; ++i) {
        const double weight = s->h * h_a[i][i];
        pcs_smooth_chart_rate(model, s->d[i], s->v[i], s->rate[i]);
        pcs_stages_combine(n, NULL, s->h, i + 1, h_a[i], s->rate, s->d[i + 1]);
        pcs_stages_combine(n, from->v, s->h, i, h_a[i], s->a, s->w);
        PCS_TRY(
            solve_stage(m, i, h_c[i], s->d[i + 1], h_c[i + 1], weight, h_a[H_STAGES - 1][i] != 0));
        for (int32_t k = 0; k < n; ++k)
            s->v[i + 1][k] = s->w[k] + weight * s->a[i][k];
    }
    return PCS_OK;
}

// (2.126)-(2.128): l_1 = |q_{n+1} - Q_8|, l_2 = |q_{n+1} - q_n - h (5/2 V_7 - 3/2 V_8)|,
// error = l_1^2 / (l_1 + c l_2)
static double hem5_error(half_explicit *m, const pcs_error_norm *norm)
{
    pcs_stages *s = &m->s;
    const double *d_end = s->d[H_END];
    for (int32_t i = 0; i < m->base.model->n_v; ++i) {
        s->e[i] = d_end[i] - s->d[H_STAGES - 1][i];
        s->e_v[i] = d_end[i] -
                    s->h * (2.5 * s->rate[H_STAGES - 2][i] - 1.5 * s->rate[H_STAGES - 1][i]);
    }
    const double l1 = pcs_error_norm_compute(norm, s->e, NULL);
    const double l2 = pcs_error_norm_compute(norm, s->e_v, NULL);
    return l1 == 0 ? 0 : l1 * l1 / (l1 + m->base.opts.estimate_constant * l2);
}

static pcs_status hem5_step(pcs_integrator *integrator, const pcs_smooth_point *from, double h,
                            const pcs_error_norm *norm, pcs_smooth_point *to, double *error)
{
    half_explicit *m = self(integrator);
    pcs_stages *s = &m->s;
    const pcs_model *model = integrator->model;
    const int32_t n = model->n_v;
    m->base.dense_ready = false;
    PCS_TRY(pcs_stages_begin(integrator, s, from, h));
    PCS_TRY(hem5_stages(m, from));
    *error = hem5_error(m, norm);
    to->t = from->t + h;
    memcpy(to->q, s->q_c, sizeof(double) * (size_t)model->n_q);
    memcpy(to->v, s->v[H_END], sizeof(double) * (size_t)n);
    if (!(*error <= norm->limit))
        return PCS_OK;
    memcpy(to->work, from->work, sizeof to->work);
    pcs_stages_add_work(s, h, H_STAGES, h_a[H_STAGES - 1], to->work);
    pcs_smooth_chart_rate(model, s->d[H_END], s->v[H_END], s->rate[H_END]);
    PCS_TRY(pcs_stages_end(integrator, s, to));
    memcpy(m->a_ends[0], from->a, sizeof(double) * (size_t)n);
    memcpy(m->a_ends[1], to->a, sizeof(double) * (size_t)n);
    const int l = H_STAGES - 1;
    integrator->stiffness = pcs_integrator_stiffness(
                                n, h, (const double *[]){s->d[l], s->v[l], s->rate[l], s->a[l]},
                                (const double *[]){s->d[H_END], s->v[H_END], s->rate[H_END],
                                                   to->a}) /
                            H_STABILITY;
    return PCS_OK;
}

// Stage 9 with its constraint at stage 10, then stage 10 itself. The dense output takes V'_10 and
// Lambda_10 of a solve at (Q_10, V_10): with those of stage 9, as printed, its order is 2. There
// the index-1 equation serves as well as a half-explicit stage.
static pcs_status hem5_tenth_stage(half_explicit *m)
{
    pcs_stages *s = &m->s;
    const pcs_model *model = m->base.model;
    const int32_t n = model->n_v, rows = pcs_smooth_row_count(m->base.smooth);
    const double weight = s->h * h_a10[H_END];
    pcs_stages_combine(n, NULL, s->h, H_STAGES + 1, h_a10, s->rate, s->d[H_TENTH]);
    pcs_stages_combine(n, s->v[0], s->h, H_STAGES, h_a10, s->a, s->w);
    PCS_TRY(solve_stage(m, H_END, 1, s->d[H_TENTH], h_c10, weight, false));
    for (int32_t i = 0; i < n; ++i)
        s->v[H_TENTH][i] = s->w[i] + weight * s->a[H_END][i];
    pcs_smooth_chart_rate(model, s->d[H_TENTH], s->v[H_TENTH], s->rate[H_TENTH]);
    PCS_TRY(pcs_smooth_accelerations(m->base.smooth, s->t + h_c10 * s->h, s->q_c, s->v[H_TENTH],
                                     s->a[H_TENTH], s->lambda[H_TENTH], NULL));
    for (int i = 0; i < 4; ++i) {
        pcs_stages_combine(n, NULL, 1, H_STAGES + 2, h_dense[i], s->rate, m->dense[0][i]);
        pcs_stages_combine(n, NULL, 1, H_STAGES + 2, h_dense[i], s->a, m->dense[1][i]);
        pcs_stages_combine(rows, NULL, 1, H_STAGES + 2, h_dense[i], s->lambda, m->dense[2][i]);
    }
    m->base.dense_ready = true;
    return PCS_OK;
}

// q and v are quartics, v' and lambda derivatives of quartics. The multipliers of the stages are of
// order 3, which leaves an error of order 4 in v along M^-1 G^T alone: the projection on the
// constraint at q takes it away.
static pcs_status hem5_dense(pcs_integrator *integrator, double theta, pcs_smooth_point *out)
{
    half_explicit *m = self(integrator);
    pcs_stages *s = &m->s;
    const pcs_model *model = integrator->model;
    const int32_t n = model->n_v, rows = pcs_smooth_row_count(integrator->smooth);
    if (!m->base.dense_ready)
        PCS_TRY(hem5_tenth_stage(m));
    const double value[4] = {theta, theta * theta, theta * theta * theta,
                             theta * theta * theta * theta};
    const double slope[4] = {1, 2 * theta, 3 * theta * theta, 4 * theta * theta * theta};
    pcs_stages_combine(n, NULL, s->h, 4, value, m->dense[0], s->e);
    pcs_stages_combine(n, s->v[0], s->h, 4, value, m->dense[1], out->v);
    pcs_stages_combine(n, NULL, 1, 4, slope, m->dense[1], out->a);
    pcs_stages_combine(rows, NULL, 1, 4, slope, m->dense[2], out->lambda);
    pcs_model_retract(model, s->q_n, s->e, out->q);
    out->t = s->t + theta * s->h;
    if (rows == 0 || integrator->dense_use != PCS_DENSE_STATE)
        return PCS_OK;
    return pcs_smooth_project(integrator->smooth, out->t, out->q, out->v, 0, false, true);
}

// The quintic through both ends: the polynomials of the dense output need two more stages.
static pcs_status hem5_path(pcs_integrator *integrator, double *const c[PCS_PATH_DEGREE])
{
    half_explicit *m = self(integrator);
    pcs_stages *s = &m->s;
    const pcs_model *model = integrator->model;
    pcs_smooth_chart_acceleration(model, s->d[H_END], s->rate[H_END], m->a_ends[1], s->e);
    const pcs_quintic quintic = {.h = s->h,
                                 .v_0 = s->v[0],
                                 .a_0 = m->a_ends[0],
                                 .d_1 = s->d[H_END],
                                 .rate_1 = s->rate[H_END],
                                 .acceleration_1 = s->e};
    pcs_quintic_path(&quintic, model->n_v, c);
    return PCS_OK;
}

const pcs_integrator_class pcs_integrator_hem5 = {
    .name = "hem5",
    .help = "half-explicit Runge-Kutta, index 2, order 5, eight stages",
    .order = 5,
    .control_order = 5,
    .index = 2,
    .interpolates_forces = true,
    .size = sizeof(half_explicit),
    .init = init,
    .free = destroy,
    .start = start,
    .step = hem5_step,
    .dense = hem5_dense,
    .path = hem5_path,
};
