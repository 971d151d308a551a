// The motion of a step and its bounds (motion.h).
#include "schemes/motion.h"

#include <math.h>
#include <string.h>

#include "schemes/smooth_system.h"

static const pcs_motion_hull ground = {.from = -HUGE_VAL, .to = HUGE_VAL};

pcs_status pcs_motion_init(pcs_context *ctx, const pcs_model *model, pcs_motion *motion)
{
    *motion = (pcs_motion){.ctx = ctx, .model = model};
    const int64_t n = model->n_v;
    double *data = PCS_NEW_ARRAY(ctx, double, PCS_MOTION_DEGREE *n);
    motion->c[0] = data; // owns the block
    for (int k = 1; data && k < PCS_MOTION_DEGREE; ++k)
        motion->c[k] = data + k * n;
    motion->hull = PCS_NEW_ARRAY(ctx, pcs_motion_hull, model->nodes.count);
    return data && motion->hull ? PCS_OK : PCS_ERROR_MEMORY;
}

void pcs_motion_free(pcs_motion *motion)
{
    pcs_free(motion->ctx, motion->c[0]);
    pcs_free(motion->ctx, motion->hull);
    *motion = (pcs_motion){0};
}

void pcs_motion_begin(pcs_motion *motion, double t, double h, const double *q, int32_t degree)
{
    motion->t = t;
    motion->h = h;
    motion->q = q;
    motion->q_end = motion->v_end = NULL;
    motion->degree = degree;
    for (int32_t i = 0; i < motion->model->nodes.count; ++i) {
        motion->hull[i].from = 1; // not computed
        motion->hull[i].to = 0;
    }
}

// ---- Instants ----

// d and d' of component i at theta.
static void evaluate(const pcs_motion *motion, int32_t i, double theta, double *d, double *rate)
{
    double x = 0, slope = 0;
    for (int32_t k = motion->degree - 1; k >= 0; --k) {
        slope = slope * theta + (k + 1) * motion->c[k][i];
        x = (x + motion->c[k][i]) * theta;
    }
    *d = x;
    *rate = slope / motion->h;
}

// q and v of a node from its local coordinates and their rates.
static void place_node(const pcs_node *node, const double *q_0, const double *d, double *rate,
                       double *q)
{
    if (node->kind == PCS_NODE_VECTOR) {
        for (int32_t i = 0; i < node->n_q; ++i)
            q[i] = q_0[i] + d[i];
        return;
    }
    pcs_node_retract(node->kind, q_0, d, q);
    if (node->kind != PCS_NODE_SPATIAL)
        return;
    const pcs_mat3 T = pcs_so3_tangent(pcs_v3_load(d + 3));
    pcs_v3_store(rate + 3, pcs_m3_mul_v3(&T, pcs_v3_load(rate + 3)));
}

void pcs_motion_node(const pcs_motion *motion, int32_t node, double theta, pcs_pose *pose,
                     pcs_twist *twist)
{
    const pcs_node *at = pcs_model_node(motion->model, node);
    double d[PCS_NODE_V_MAX], v[PCS_NODE_V_MAX], q[PCS_NODE_Q_MAX];
    if (at->kind == PCS_NODE_VECTOR) {
        *pose = pcs_node_pose(at->kind, NULL);
        *twist = pcs_node_twist(at->kind, pose, NULL);
        return;
    }
    if (theta == 1 && motion->q_end) {
        *pose = pcs_node_pose(at->kind, motion->q_end + at->q);
        *twist = pcs_node_twist(at->kind, pose, motion->v_end + at->v);
        return;
    }
    for (int32_t i = 0; i < at->n_v; ++i)
        evaluate(motion, at->v + i, theta, &d[i], &v[i]);
    place_node(at, motion->q + at->q, d, v, q);
    *pose = pcs_node_pose(at->kind, q);
    *twist = pcs_node_twist(at->kind, pose, v);
}

void pcs_motion_state(const pcs_motion *motion, double theta, double *q, double *v)
{
    const pcs_model *model = motion->model;
    if (theta == 1 && motion->q_end) {
        memcpy(q, motion->q_end, sizeof(double) * (size_t)model->n_q);
        memcpy(v, motion->v_end, sizeof(double) * (size_t)model->n_v);
        return;
    }
    for (int32_t k = 0; k < model->nodes.count; ++k) {
        const pcs_node *node = pcs_model_node(model, k);
        double d[PCS_NODE_V_MAX];
        if (node->kind == PCS_NODE_VECTOR) {
            for (int32_t i = 0; i < node->n_v; ++i) {
                evaluate(motion, node->v + i, theta, &d[0], &v[node->v + i]);
                q[node->q + i] = motion->q[node->q + i] + d[0];
            }
            continue;
        }
        for (int32_t i = 0; i < node->n_v; ++i)
            evaluate(motion, node->v + i, theta, &d[i], &v[node->v + i]);
        place_node(node, motion->q + node->q, d, v + node->v, q + node->q);
    }
}

// ---- Bounds ----

// Bernstein coefficients on [0, 1] of sum_i p_i s^i, i <= n <= 4:
// b_j = sum_{i <= j} binomial(j, i) / binomial(n, i) p_i.
static void to_bernstein(int32_t n, const double *p, double *b)
{
    static const double binomial[5][5] = {{1}, {1, 1}, {1, 2, 1}, {1, 3, 3, 1}, {1, 4, 6, 4, 1}};
    for (int32_t j = 0; j <= n; ++j) {
        b[j] = 0;
        for (int32_t i = 0; i <= j; ++i)
            b[j] += binomial[j][i] / binomial[n][i] * p[i];
    }
}

void pcs_motion_scalar(const pcs_motion *motion, const double *c, double from, double to,
                       double *rate, double *acceleration)
{
    const double width = to - from;
    const int32_t n = PCS_MOTION_SPEEDS - 1;
    double p[PCS_MOTION_SPEEDS], slope[PCS_MOTION_SPEEDS - 1], power = 1;
    for (int32_t k = 0; k <= n; ++k)
        p[k] = k < motion->degree ? (k + 1) * c[k] / motion->h : 0;
    for (int32_t k = 0; from != 0 && k < n; ++k) // Taylor's shift to `from`, by Horner's scheme
        for (int32_t i = n - 1; i >= k; --i)
            p[i] += from * p[i + 1];
    for (int32_t k = 1; k <= n; ++k) {
        power *= width;
        slope[k - 1] = k * p[k] * power / (width * motion->h);
        p[k] *= power;
    }
    to_bernstein(n, p, rate);
    to_bernstein(n - 1, slope, acceleration);
}

static double *component(pcs_vec3 *x, int32_t i)
{
    return i == 0 ? &x->x : i == 1 ? &x->y : &x->z;
}

static void bound_translation(const pcs_motion *motion, const pcs_node *node, pcs_motion_hull *hull)
{
    const int32_t n = node->n_v < 3 || node->kind == PCS_NODE_PLANAR ? 2 : 3;
    memset(hull->v, 0, sizeof hull->v);
    memset(hull->a, 0, sizeof hull->a);
    for (int32_t i = 0; i < n; ++i) {
        double c[PCS_MOTION_DEGREE], v[PCS_MOTION_SPEEDS], a[PCS_MOTION_SPEEDS - 1];
        for (int32_t k = 0; k < motion->degree; ++k)
            c[k] = motion->c[k][node->v + i];
        pcs_motion_scalar(motion, c, hull->from, hull->to, v, a);
        for (int32_t j = 0; j < PCS_MOTION_SPEEDS; ++j)
            *component(&hull->v[j], i) = v[j];
        for (int32_t j = 0; j < PCS_MOTION_SPEEDS - 1; ++j)
            *component(&hull->a[j], i) = a[j];
    }
}

static void bound_rotation(const pcs_motion *motion, const pcs_node *node, pcs_motion_hull *hull)
{
    const int32_t first = node->kind == PCS_NODE_PLANAR ? 2 : 3, n = node->n_v - first;
    double w[3][PCS_MOTION_SPEEDS] = {{0}}, alpha[3][PCS_MOTION_SPEEDS - 1] = {{0}};
    for (int32_t i = 0; i < n; ++i) {
        double c[PCS_MOTION_DEGREE];
        for (int32_t k = 0; k < motion->degree; ++k)
            c[k] = motion->c[k][node->v + first + i];
        pcs_motion_scalar(motion, c, hull->from, hull->to, w[i], alpha[i]);
    }
    for (int32_t j = 0; j < PCS_MOTION_SPEEDS; ++j) {
        hull->w[j] = w[0][j];
        hull->w_most = fmax(hull->w_most,
                            sqrt(w[0][j] * w[0][j] + w[1][j] * w[1][j] + w[2][j] * w[2][j]));
    }
    for (int32_t j = 0; j < PCS_MOTION_SPEEDS - 1; ++j) {
        hull->alpha[j] = alpha[0][j];
        hull->alpha_most = fmax(hull->alpha_most,
                                sqrt(alpha[0][j] * alpha[0][j] + alpha[1][j] * alpha[1][j] +
                                     alpha[2][j] * alpha[2][j]));
    }
    if (node->kind == PCS_NODE_SPATIAL)
        hull->alpha_most += 0.5 * hull->w_most * hull->w_most;
}

const pcs_motion_hull *pcs_motion_bound(pcs_motion *motion, int32_t node, double from, double to)
{
    if (node < 0)
        return &ground;
    const pcs_node *at = pcs_model_node(motion->model, node);
    if (at->kind == PCS_NODE_VECTOR)
        return &ground;
    pcs_motion_hull *hull = &motion->hull[node];
    if (hull->from == from && hull->to == to)
        return hull;
    hull->from = from;
    hull->to = to;
    hull->w_most = hull->alpha_most = 0;
    memset(hull->w, 0, sizeof hull->w);
    memset(hull->alpha, 0, sizeof hull->alpha);
    bound_translation(motion, at, hull);
    if (pcs_node_turns(at->kind))
        bound_rotation(motion, at, hull);
    return hull;
}
