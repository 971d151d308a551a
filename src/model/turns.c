// Angles that count their turns. The orientations at an instant give an angle but for whole turns:
//
//     x in { x_0 + 2 pi k },  k an integer that only the way to the instant tells.
//
// Whoever looks at an instant knows the angles x at another configuration q_0 and the way from there,
// d with q = q_0 [+] d. Along it the angle changes by about
//
//     dx = (J(q_0) d + J(q) d) / 2,    J the rate form of the angle (coordinate.h),
//
// and the angle is the one nearest to x + dx. In the plane J is constant and dx is exact, so that
// any number of turns is counted. In space a joint keeps the axis e fixed to both bodies and d turns
// each about a fixed axis: J d is the same at both ends, and exact if both turn about e. If the whole
// joint tumbles as well, dx has an error, which stays below 0.64 rad while no body turns by more than
// PCS_TURN_MOST; half a turn would be needed to take the wrong branch.
#include <string.h>

#include "model/assembly.h"
#include "model/element.h"
#include "model/model.h"

// The rotation that has led a node here, in its own axes, and its orientation before.
typedef struct turned {
    pcs_vec3 psi;
    pcs_mat3 R_0, R; // before and now, world
} turned;

// Rotation vector of p, whose sign tells rotations by more than half a revolution from the short way
// back: |psi| <= 2 pi.
static pcs_vec3 long_way(pcs_quat p)
{
    const pcs_vec3 v = {p.x, p.y, p.z};
    const double s = pcs_v3_norm(v);
    return s > 0 ? pcs_v3_scale(2 * atan2(s, p.w) / s, v) : v;
}

static pcs_quat orientation(const pcs_node *node, const double *q)
{
    const double *p = q + node->q + 3;
    return (pcs_quat){p[0], p[1], p[2], p[3]};
}

static turned turned_by(const pcs_model *model, const pcs_configuration *c, pcs_turns from,
                        int32_t n)
{
    turned x = {{0, 0, 0}, pcs_m3_identity(), pcs_m3_identity()};
    if (n < 0)
        return x;
    const pcs_node *node = pcs_model_node(model, n);
    x.R_0 = x.R = c->pose[n].R;
    if (node->kind == PCS_NODE_PLANAR)
        x.psi.z = from.d ? from.d[node->v + 2] : c->q[node->q + 2] - from.q[node->q + 2];
    if (node->kind != PCS_NODE_SPATIAL)
        return x;
    const pcs_quat before = orientation(node, from.q);
    x.R_0 = pcs_quat_matrix(before);
    x.psi = from.d ? pcs_v3_load(from.d + node->v + 3)
                   : long_way(pcs_quat_mul(pcs_quat_conjugate(before), orientation(node, c->q)));
    return x;
}

// Whether a node has turned by little, so that its angles are near to what they were. In space both
// p and the way there tell it.
static bool is_near(const pcs_model *model, const pcs_configuration *c, pcs_turns from, int32_t n)
{
    const double little = 0.5; // rad: of both bodies together well below half a turn
    if (n < 0)
        return true;
    const pcs_node *node = pcs_model_node(model, n);
    if (node->kind == PCS_NODE_PLANAR)
        return fabs(from.d ? from.d[node->v + 2] : c->q[node->q + 2] - from.q[node->q + 2]) <
               little;
    if (node->kind != PCS_NODE_SPATIAL)
        return true;
    if (from.d) {
        const pcs_vec3 psi = pcs_v3_load(from.d + node->v + 3);
        return pcs_v3_dot(psi, psi) < little * little;
    }
    const pcs_quat a = orientation(node, from.q), b = orientation(node, c->q);
    const double cosine = a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z; // of half the rotation
    return cosine > 1 - 0.125 * little * little;
}

// J d with the nodes' orientations at one end of the way.
static double form_along(const pcs_coordinate *x, pcs_pair_state *state, const pcs_pair *pair,
                         const pcs_mat3 *R_a, const pcs_mat3 *R_b, const turned *a, const turned *b)
{
    state->R_a = pcs_m3_mul(R_a, &pair->a.R);
    state->R_b = pcs_m3_mul(R_b, &pair->b.R);
    const pcs_rate_form form = pcs_coordinate_rate_form(x, state);
    return pcs_v3_dot(form.w_a, pcs_m3_mul_v3(R_a, a->psi)) +
           pcs_v3_dot(form.w_b, pcs_m3_mul_v3(R_b, b->psi));
}

static double expected(const pcs_model *model, const pcs_configuration *c, pcs_turns from,
                       const pcs_coordinate *x, const pcs_pair *pair)
{
    const double before = from.turns[x->turn];
    if (is_near(model, c, from, pair->a.node) && is_near(model, c, from, pair->b.node))
        return before;
    const turned a = turned_by(model, c, from, pair->a.node);
    const turned b = turned_by(model, c, from, pair->b.node);
    pcs_pair_state state = pcs_configuration_pair(model, c, pair);
    const double now = form_along(x, &state, pair, &a.R, &b.R, &a, &b);
    if (model->dimension == 2)
        return before + now;
    return before + 0.5 * (now + form_along(x, &state, pair, &a.R_0, &b.R_0, &a, &b));
}

void pcs_model_follow_turns(const pcs_model *model, const pcs_configuration *c, pcs_turns from,
                            double *turns)
{
    if (model->n_turns == 0)
        return;
    for (int32_t k = 0; k < model->joints.count; ++k) {
        const pcs_joint *joint = &model->joints.data[k];
        for (int32_t i = 0; i < joint->n_coordinates; ++i) {
            const pcs_coordinate *x = &joint->coordinate[i];
            if (x->turn >= 0)
                turns[x->turn] = expected(model, c, from, x, &joint->pair);
        }
    }
    for (int32_t k = 0; k < model->springs.count; ++k) {
        const pcs_spring *s = &model->springs.data[k];
        if (s->coordinate.turn >= 0)
            turns[s->coordinate.turn] = expected(model, c, from, &s->coordinate, &s->pair);
    }
}

// The angles at c of the branches nearest to the references.
static void set_turns(const pcs_model *model, const pcs_configuration *c, const double *reference,
                      double *turns)
{
    for (int32_t k = 0; k < model->joints.count; ++k) {
        const pcs_joint *joint = &model->joints.data[k];
        for (int32_t i = 0; i < joint->n_coordinates; ++i) {
            const pcs_coordinate *x = &joint->coordinate[i];
            if (x->turn < 0)
                continue;
            pcs_pair_state pair = pcs_configuration_pair(model, c, &joint->pair);
            turns[x->turn] = pcs_coordinate_value(x, &pair, reference[x->turn]);
        }
    }
    for (int32_t k = 0; k < model->springs.count; ++k) {
        const pcs_spring *s = &model->springs.data[k];
        const pcs_coordinate *x = &s->coordinate;
        if (x->turn < 0)
            continue;
        pcs_pair_state pair = pcs_configuration_pair(model, c, &s->pair);
        turns[x->turn] = pcs_coordinate_value(x, &pair, reference[x->turn]);
    }
}

void pcs_model_update_turns(const pcs_model *model, const pcs_configuration *c, double *turns)
{
    set_turns(model, c, c->turns, turns);
}

// The angle x + 2 pi k inside the limits of a joint coordinate, or x if there is none.
static double turn_within_limits(const pcs_model *model, int32_t joint, int32_t coordinate,
                                 double x)
{
    const double slack = 1e-6; // rad: an angle at its limit stays there in spite of rounding
    double lower = -HUGE_VAL, upper = HUGE_VAL;
    for (int32_t i = 0; i < model->limits.count; ++i) {
        const pcs_limit *limit = &model->limits.data[i];
        if (limit->joint != joint || limit->coordinate != coordinate)
            continue;
        if (limit->side > 0)
            lower = limit->bound - slack;
        else
            upper = limit->bound + slack;
    }
    double turns = 0;
    if (x < lower)
        turns = ceil((lower - x) / (2 * PCS_PI));
    else if (x > upper)
        turns = -ceil((x - upper) / (2 * PCS_PI));
    double inside = x + 2 * PCS_PI * turns;
    return inside >= lower && inside <= upper ? inside : x;
}

void pcs_model_initial_turns(const pcs_model *model, const pcs_configuration *c, double *turns)
{
    memset(turns, 0, sizeof(double) * (size_t)model->n_turns);
    set_turns(model, c, turns, turns);
    for (int32_t k = 0; k < model->joints.count; ++k) {
        const pcs_joint *joint = &model->joints.data[k];
        for (int32_t i = 0; i < joint->n_coordinates; ++i) {
            int32_t turn = joint->coordinate[i].turn;
            if (turn >= 0)
                turns[turn] = turn_within_limits(model, k, i, turns[turn]);
        }
        for (int32_t i = 0; i < joint->n_rows; ++i) {
            const pcs_coordinate *x = &joint->row[i]; // only motion rows count turns
            if (x->turn < 0)
                continue;
            pcs_pair_state pair = pcs_configuration_pair(model, c, &joint->pair);
            double wanted = joint->motion[i] ? pcs_formula_evaluate(joint->motion[i], &c->t)
                                             : joint->target[i];
            turns[x->turn] = pcs_coordinate_value(x, &pair, wanted);
        }
    }
}
