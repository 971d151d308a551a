// Rigid bodies and point masses. The node sits at the centre of mass, so M is block diagonal and
// constant: m for translations, J (node axes) for rotations. Forces: weight m g and the gyroscopic
// moment -Omega x J Omega.
#include "model/element.h"

static void mass_multiply(const pcs_model *model, const pcs_configuration *c, const double *x,
                          double *y)
{
    (void)c;
    for (int32_t b = 0; b < model->bodies.count; ++b) {
        const pcs_body *body = &model->bodies.data[b];
        const pcs_node *node = pcs_model_node(model, body->node);
        const double *xb = x + node->v;
        double *yb = y + node->v;
        int32_t flat = pcs_node_translations(node->kind);
        for (int32_t i = 0; i < flat; ++i)
            yb[i] += body->mass * xb[i];
        if (node->kind == PCS_NODE_PLANAR)
            yb[2] += body->inertia.m[2][2] * xb[2];
        if (node->kind == PCS_NODE_SPATIAL) {
            pcs_vec3 L = pcs_m3_mul_v3(&body->inertia, pcs_v3_load(xb + 3));
            yb[3] += L.x;
            yb[4] += L.y;
            yb[5] += L.z;
        }
    }
}

static void mass(const pcs_model *model, const pcs_configuration *c, pcs_saddle *saddle)
{
    (void)c;
    for (int32_t b = 0; b < model->bodies.count; ++b) {
        const pcs_body *body = &model->bodies.data[b];
        pcs_node_kind kind = pcs_model_node(model, body->node)->kind;
        int32_t n = pcs_node_v_size(kind);
        int32_t flat = pcs_node_translations(kind);
        double *A = pcs_saddle_diagonal(saddle, body->node);
        for (int32_t i = 0; i < flat; ++i)
            A[i * n + i] += body->mass;
        if (kind == PCS_NODE_PLANAR)
            A[8] += body->inertia.m[2][2];
        if (kind == PCS_NODE_SPATIAL)
            for (int i = 0; i < 3; ++i)
                for (int j = 0; j < 3; ++j)
                    A[(3 + i) * n + 3 + j] += body->inertia.m[i][j];
    }
}

static void force(const pcs_model *model, const pcs_configuration *c, double *f, pcs_power *power)
{
    (void)power; // weight is conservative, the gyroscopic moment has no power
    const pcs_vec3 gravity = pcs_v3_scale(c->load, model->gravity);
    const double g[3] = {gravity.x, gravity.y, gravity.z};
    for (int32_t b = 0; b < model->bodies.count; ++b) {
        const pcs_body *body = &model->bodies.data[b];
        const pcs_node *node = pcs_model_node(model, body->node);
        int32_t flat = pcs_node_translations(node->kind);
        for (int32_t i = 0; i < flat; ++i)
            f[node->v + i] += body->mass * g[i];
        if (node->kind == PCS_NODE_SPATIAL) {
            pcs_vec3 w = pcs_v3_load(c->v + node->v + 3);
            pcs_vec3 m = pcs_v3_cross(w, pcs_m3_mul_v3(&body->inertia, w));
            f[node->v + 3] -= m.x;
            f[node->v + 4] -= m.y;
            f[node->v + 5] -= m.z;
        }
    }
}

// C_rot = S(Omega) J - S(J Omega)
static void tangent(const pcs_model *model, const pcs_configuration *c, double scale_K,
                    double scale_C, pcs_saddle *saddle)
{
    (void)scale_K;
    if (model->dimension == 2)
        return;
    for (int32_t b = 0; b < model->bodies.count; ++b) {
        const pcs_body *body = &model->bodies.data[b];
        const pcs_node *node = pcs_model_node(model, body->node);
        if (node->kind != PCS_NODE_SPATIAL)
            continue;
        pcs_vec3 w = pcs_v3_load(c->v + node->v + 3);
        pcs_mat3 S = pcs_m3_skew(w);
        pcs_mat3 SJ = pcs_m3_mul(&S, &body->inertia);
        pcs_mat3 SL = pcs_m3_skew(pcs_m3_mul_v3(&body->inertia, w));
        double *A = pcs_saddle_diagonal(saddle, body->node);
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j)
                A[(3 + i) * 6 + 3 + j] += scale_C * (SJ.m[i][j] - SL.m[i][j]);
    }
}

static double kinetic(const pcs_model *model, const pcs_configuration *c)
{
    double T = 0;
    for (int32_t b = 0; b < model->bodies.count; ++b) {
        const pcs_body *body = &model->bodies.data[b];
        const pcs_node *node = pcs_model_node(model, body->node);
        pcs_vec3 v = c->twist[body->node].v;
        T += 0.5 * body->mass * pcs_v3_dot(v, v);
        if (node->kind == PCS_NODE_PLANAR)
            T += 0.5 * body->inertia.m[2][2] * c->v[node->v + 2] * c->v[node->v + 2];
        if (node->kind == PCS_NODE_SPATIAL) {
            pcs_vec3 w = pcs_v3_load(c->v + node->v + 3);
            T += 0.5 * pcs_v3_dot(w, pcs_m3_mul_v3(&body->inertia, w));
        }
    }
    return T;
}

static double potential(const pcs_model *model, const pcs_configuration *c)
{
    double V = 0;
    for (int32_t b = 0; b < model->bodies.count; ++b) {
        const pcs_body *body = &model->bodies.data[b];
        V -= c->load * body->mass * pcs_v3_dot(model->gravity, c->pose[body->node].x);
    }
    return V;
}

const pcs_element_class pcs_body_class = {
    .name = "body",
    .mass_multiply = mass_multiply,
    .mass = mass,
    .force = force,
    .tangent = tangent,
    .kinetic = kinetic,
    .potential = potential,
};
