// Extrapolated Euler steps that are linearly implicit in the turning of friction, on the index-1
// form [HairerWanner1996, IV.9]. A step of length H is made in n = n_1, n_2, ... parts h = H/n:
//
//     v <- v + h (1 - h A)^-1 (v' + h A_q v),   A = dv'/dv ~ -Y diag(s) h^T   (friction_turns.h),
//     d <- d + h T(d)^-1 v,                     work <- work + h power,
//     v <- v + Y_T alpha  such that  u_T = u_T + h u_T'  at the new (t, q)
//
// and the results, whose errors have expansions in powers of h, are extrapolated to h = 0 by the
// scheme of Aitken and Neville: T_jk has the order k. A is computed anew in each part. It is the
// only term that grows without bound; all else may be explicit. The last line is for slips that
// begin: their velocity grows as t^2, so that a defect of h^2 would leave friction without direction
// in every part, however short. The error is T_kk - T_k,k-1, of
// order k - 1, in positions and velocities.
#include "schemes/extrapolation.h"

#include <string.h>

#include "linalg/dense.h"
#include "schemes/friction_turns.h"

// Parts of a step. Five columns make order 5, as the explicit methods have.
enum { COLUMNS = 5 };
static const int32_t parts[COLUMNS] = {1, 2, 3, 4, 5};

// Contacts that slide in space, with what moves them: Y_T = S^-1 H_T^T, W = H_T Y_T.
typedef struct slips {
    int32_t n, capacity;
    int32_t *slot, *pivot;
    double *y, *W, *u; // 2 n_v each; 2n x 2n, factorised; 2 each: u_T at the end of the part
} slips;

typedef struct extrapolation {
    pcs_integrator base;
    pcs_friction_turns turns;
    slips slips;
    double *data;
    double *d[COLUMNS], *v[COLUMNS]; // the last row of the table
    double work[COLUMNS][PCS_WORK_COUNT];
    const pcs_smooth_point *from;
    double *q, *a, *rate, *lambda, *p, *e, *e_v; // of a part
    double *q_n, *v_n, *a_n;                     // start of the last step
    double *d_1, *rate_1, *d2_1;                 // local coordinates at its end
    double t, h;
} extrapolation;

static extrapolation *self(pcs_integrator *integrator)
{
    return (extrapolation *)integrator;
}

static pcs_status init(pcs_integrator *integrator)
{
    extrapolation *s = self(integrator);
    const pcs_model *m = integrator->model;
    const int64_t n = m->n_v, rows = pcs_smooth_rows_max(m);
    double **of_v[] = {&s->a,   &s->rate, &s->e,      &s->e_v, &s->v_n,
                       &s->a_n, &s->d_1,  &s->rate_1, &s->d2_1};
    const int64_t count = (int64_t)(sizeof of_v / sizeof *of_v);
    s->data = PCS_NEW_ARRAY(integrator->ctx, double,
                            (2 * COLUMNS + count) * n + 2 * m->n_q + 2 * rows);
    if (!s->data)
        return PCS_ERROR_MEMORY;
    double *next = s->data;
    for (int j = 0; j < COLUMNS; ++j, next += 2 * n) {
        s->d[j] = next;
        s->v[j] = next + n;
    }
    for (int64_t i = 0; i < count; ++i, next += n)
        *of_v[i] = next;
    s->q = next;
    s->q_n = s->q + m->n_q;
    s->lambda = s->q_n + m->n_q;
    s->p = s->lambda + rows;
    return PCS_OK;
}

static void free_slips(pcs_context *ctx, slips *s)
{
    void *arrays[] = {s->slot, s->pivot, s->y, s->W, s->u};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i)
        pcs_free(ctx, arrays[i]);
    *s = (slips){0};
}

// Room for the present phase; keeps what is large enough.
static pcs_status reserve(extrapolation *s)
{
    pcs_context *ctx = s->base.ctx;
    const int64_t n = pcs_friction_turns_count(s->base.smooth), n_v = s->base.model->n_v;
    slips *room = &s->slips;
    PCS_TRY(pcs_friction_turns_reserve(ctx, s->base.smooth, &s->turns));
    if (n <= room->capacity)
        return PCS_OK;
    free_slips(ctx, room);
    room->slot = PCS_NEW_ARRAY(ctx, int32_t, n);
    room->pivot = PCS_NEW_ARRAY(ctx, int32_t, 2 * n);
    room->y = PCS_NEW_ARRAY(ctx, double, 2 * n * n_v);
    room->W = PCS_NEW_ARRAY(ctx, double, 4 * n * n);
    room->u = PCS_NEW_ARRAY(ctx, double, 2 * n);
    if (!room->slot || !room->pivot || !room->y || !room->W || !room->u)
        return PCS_ERROR_MEMORY;
    room->capacity = (int32_t)n;
    return PCS_OK;
}

static void destroy(pcs_integrator *integrator)
{
    extrapolation *s = self(integrator);
    free_slips(integrator->ctx, &s->slips);
    pcs_friction_turns_free(integrator->ctx, &s->turns);
    pcs_free(integrator->ctx, s->data);
}

static pcs_status accelerations(extrapolation *s, pcs_smooth_point *at)
{
    pcs_smooth_renew_rank(s->base.smooth);
    return pcs_smooth_accelerations(s->base.smooth, at->t, at->q, at->v, at->a, at->lambda, NULL);
}

static pcs_status start(pcs_integrator *integrator, pcs_smooth_point *at)
{
    integrator->stiffness = 0;
    pcs_smooth_begin_compensation(integrator->smooth, at->t, at->q, at->v, 0);
    memset(at->extra, 0, sizeof(double) * (size_t)integrator->model->n_v);
    return accelerations(self(integrator), at);
}

pcs_status pcs_extrapolation_turn_rate(pcs_integrator *integrator, const pcs_smooth_point *at,
                                       double *rate)
{
    extrapolation *s = self(integrator);
    *rate = 0;
    PCS_TRY(reserve(s));
    if (pcs_friction_turns_count(integrator->smooth) == 0)
        return PCS_OK;
    PCS_TRY(
        pcs_smooth_accelerations(integrator->smooth, at->t, at->q, at->v, s->a, s->lambda, NULL));
    pcs_friction_turns_set(&s->turns, integrator->smooth, s->lambda,
                           pcs_smooth_saddle(integrator->smooth));
    *rate = pcs_friction_turns_rate(&s->turns);
    return PCS_OK;
}

// ---- Velocities of slips ----

// Y_T and W at the instant of the last solve, and u_T at the end of a part h with the accelerations
// x from the velocities v.
static void set_slips(extrapolation *s, double h, const double *v, const double *x)
{
    const double least = 1e-10; // mobility that counts as none, of the largest: locked by joints
    const pcs_model *m = s->base.model;
    const pcs_contact *contacts = pcs_smooth_contacts(s->base.smooth);
    const pcs_phase *phase = pcs_smooth_phase(s->base.smooth);
    slips *slip = &s->slips;
    slip->n = 0;
    for (int32_t i = 0; slip->capacity > 0 && i < m->n_slots; ++i) {
        const pcs_contact *contact = &contacts[i];
        double u[3], a[3];
        if (phase->mode[i] != PCS_MODE_SLIDE || contact->row.size != 3)
            continue;
        const int64_t k = slip->n++;
        slip->slot[k] = i;
        pcs_contact_velocity(m, contact, v, u);
        pcs_contact_velocity(m, contact, x, a);
        for (int32_t j = 0; j < 2; ++j) {
            double *y = slip->y + (2 * k + j) * m->n_v;
            slip->u[2 * k + j] = u[1 + j] + h * (a[1 + j] - contact->surface[1 + j] +
                                                 contact->convective[1 + j]);
            memset(y, 0, sizeof(double) * (size_t)m->n_v);
            for (int32_t e = 0; e < contact->row.n_nodes; ++e) {
                const pcs_node *node = pcs_model_node(m, contact->row.node[e]);
                for (int32_t l = 0; l < node->n_v; ++l)
                    y[node->v + l] += contact->row.J[e][(1 + j) * node->n_v + l];
            }
            memset(s->p, 0, sizeof(double) * (size_t)pcs_smooth_row_count(s->base.smooth));
            pcs_saddle_solve(pcs_smooth_saddle(s->base.smooth), y, s->p);
        }
    }
    const int32_t size = 2 * slip->n;
    double largest = 0;
    for (int32_t i = 0; i < size; ++i)
        for (int32_t j = 0; j < size; ++j) {
            slip->W[i * size + j] = pcs_model_row_multiply(
                m, &contacts[slip->slot[i / 2]].row, 1 + i % 2, slip->y + (int64_t)j * m->n_v);
            largest = i == j ? fmax(largest, fabs(slip->W[i * size + i])) : largest;
        }
    for (int32_t i = 0; i < size; ++i)
        slip->W[i * size + i] += least * largest;
    if (size > 0 && pcs_dense_lu_factor(size, slip->W, slip->pivot) >= 0)
        slip->n = 0; // the defect of h^2 stays
}

// The velocities of the slips at the end of the part, at t.
static void correct_slips(extrapolation *s, double t, const double *d, double *v)
{
    const pcs_model *m = s->base.model;
    slips *slip = &s->slips;
    if (slip->n == 0)
        return;
    pcs_model_retract(m, s->from->q, d, s->q);
    pcs_smooth_drift(s->base.smooth, t, s->q, v, NULL, NULL);
    for (int32_t k = 0; k < slip->n; ++k) {
        double u[3];
        pcs_contact_velocity(m, &pcs_smooth_contacts(s->base.smooth)[slip->slot[k]], v, u);
        slip->u[2 * k] -= u[1];
        slip->u[2 * k + 1] -= u[2];
    }
    pcs_dense_lu_solve(2 * slip->n, slip->W, slip->pivot, 1, slip->u);
    for (int64_t k = 0; k < 2 * slip->n; ++k)
        for (int32_t i = 0; i < m->n_v; ++i)
            v[i] += slip->u[k] * slip->y[k * m->n_v + i];
}

// ---- A step ----

// The step in n parts, into column j.
static pcs_status run(extrapolation *s, const pcs_smooth_point *from, double length, int32_t n,
                      int32_t j)
{
    const pcs_model *m = s->base.model;
    const double h = length / n;
    double *d = s->d[j], *v = s->v[j], *work = s->work[j], power[PCS_WORK_COUNT];
    memset(d, 0, sizeof(double) * (size_t)m->n_v);
    memcpy(v, from->v, sizeof(double) * (size_t)m->n_v);
    memset(work, 0, sizeof s->work[j]);
    for (int32_t k = 0; k < n; ++k) {
        pcs_model_retract(m, from->q, d, s->q);
        PCS_TRY(pcs_smooth_accelerations(s->base.smooth, from->t + k * h, s->q, v, s->a, s->lambda,
                                         power));
        pcs_friction_turns_set(&s->turns, s->base.smooth, s->lambda,
                               pcs_smooth_saddle(s->base.smooth));
        pcs_friction_turns_factor(&s->turns, h);
        pcs_friction_turns_correct(&s->turns, true, s->a, NULL);
        power[PCS_WORK_DRIVER] += pcs_friction_turns_power(&s->turns);
        set_slips(s, h, v, s->a);
        pcs_smooth_chart_rate(m, d, v, s->rate);
        for (int32_t i = 0; i < m->n_v; ++i) {
            d[i] += h * s->rate[i];
            v[i] += h * s->a[i];
        }
        correct_slips(s, from->t + (k + 1) * h, d, v);
        for (int i = 0; i < PCS_WORK_COUNT; ++i)
            work[i] += h * power[i];
    }
    return PCS_OK;
}

// T_jk = T_j,k-1 + (T_j,k-1 - T_j-1,k-1)/(n_j/n_j-k+1 - 1): the new T_j1 stands in place j, the row
// before in places 0 to j - 1; on return the places 0 to j have T_j,j+1, ..., T_j1.
static void extrapolate(int32_t n, int32_t j, double *const *row)
{
    for (int32_t k = j - 1; k >= 0; --k) {
        const double factor = 1 / ((double)parts[j] / parts[k] - 1);
        for (int32_t i = 0; i < n; ++i)
            row[k][i] = row[k + 1][i] + factor * (row[k + 1][i] - row[k][i]);
    }
}

// The end of the step from the last row of the table: velocities on the constraints.
static pcs_status finish(extrapolation *s, const pcs_smooth_point *from, double h,
                         pcs_smooth_point *to)
{
    const pcs_model *m = s->base.model;
    const size_t bytes = sizeof(double) * (size_t)m->n_v;
    const double tolerance = 0; // of positions, which are left alone
    PCS_TRY(pcs_smooth_project(s->base.smooth, to->t, to->q, to->v, tolerance, false, true));
    PCS_TRY(accelerations(s, to));
    memset(to->extra, 0, bytes);
    for (int i = 0; i < PCS_WORK_COUNT; ++i)
        to->work[i] = from->work[i] + s->work[0][i];
    s->t = from->t;
    s->h = h;
    memcpy(s->q_n, from->q, sizeof(double) * (size_t)m->n_q);
    memcpy(s->v_n, from->v, bytes);
    memcpy(s->a_n, from->a, bytes);
    memcpy(s->d_1, s->d[0], bytes);
    pcs_smooth_chart_rate(m, s->d_1, to->v, s->rate_1);
    pcs_smooth_chart_acceleration(m, s->d_1, s->rate_1, to->a, s->d2_1);
    return PCS_OK;
}

static pcs_status step(pcs_integrator *integrator, const pcs_smooth_point *from, double h,
                       const pcs_error_norm *norm, pcs_smooth_point *to, double *error)
{
    extrapolation *s = self(integrator);
    const pcs_model *m = integrator->model;
    double *work[COLUMNS];
    s->from = from;
    pcs_smooth_begin_compensation(integrator->smooth, from->t, from->q, from->v, 0);
    PCS_TRY(reserve(s));
    for (int32_t j = 0; j < COLUMNS; ++j) {
        work[j] = s->work[j];
        PCS_TRY(run(s, from, h, parts[j], j));
        extrapolate(m->n_v, j, s->d);
        extrapolate(m->n_v, j, s->v);
        extrapolate(PCS_WORK_COUNT, j, work);
    }
    for (int32_t i = 0; i < m->n_v; ++i) {
        s->e[i] = s->d[0][i] - s->d[1][i];
        s->e_v[i] = s->v[0][i] - s->v[1][i];
    }
    *error = norm->off ? 0 : pcs_error_norm_compute(norm, s->e, s->e_v);
    to->t = from->t + h;
    if (*error > norm->limit && !norm->off) // rejected; the rest would be for nothing
        return PCS_OK;
    pcs_model_retract(m, from->q, s->d[0], to->q);
    memcpy(to->v, s->v[0], sizeof(double) * (size_t)m->n_v);
    return finish(s, from, h, to);
}

// ---- Dense output ----

static pcs_status dense(pcs_integrator *integrator, double theta, pcs_smooth_point *out)
{
    extrapolation *s = self(integrator);
    const pcs_model *m = integrator->model;
    const pcs_quintic quintic = {s->h, s->v_n, s->a_n, s->d_1, s->rate_1, s->d2_1};
    pcs_quintic_evaluate(&quintic, m->n_v, theta, s->e, s->e_v);
    pcs_model_retract(m, s->q_n, s->e, out->q);
    pcs_smooth_chart_velocity(m, s->e, s->e_v, out->v);
    out->t = s->t + theta * s->h;
    if (integrator->dense_use == PCS_DENSE_MOTION)
        return PCS_OK;
    return pcs_smooth_accelerations(integrator->smooth, out->t, out->q, out->v, out->a, out->lambda,
                                    NULL);
}

static pcs_status path(pcs_integrator *integrator, double *const c[PCS_PATH_DEGREE])
{
    const extrapolation *s = (const extrapolation *)integrator;
    const pcs_quintic quintic = {s->h, s->v_n, s->a_n, s->d_1, s->rate_1, s->d2_1};
    pcs_quintic_path(&quintic, integrator->model->n_v, c);
    return PCS_OK;
}

const pcs_integrator_class pcs_integrator_extrapolation = {
    .name = "extrapolation",
    .help = "extrapolated Euler, linearly implicit in the turning of friction, order 5",
    .order = COLUMNS,
    .control_order = COLUMNS,
    .index = 1,
    .implicit = true,
    .size = sizeof(extrapolation),
    .init = init,
    .free = destroy,
    .start = start,
    .step = step,
    .dense = dense,
    .path = path,
};
