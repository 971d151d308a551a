// Values and gradients of the quantities that formulas read.
#include "model/input.h"

#include "model/element.h"

static double component(pcs_vec3 a, int32_t index)
{
    return index == 0 ? a.x : index == 1 ? a.y : a.z;
}

static pcs_vec3 unit(int32_t index)
{
    return pcs_v3(index == 0, index == 1, index == 2);
}

// Arm from a body's node to the origin of its frame, world.
static pcs_vec3 origin_arm(const pcs_body *body, const pcs_pose *pose)
{
    return pcs_v3_scale(-1, pcs_m3_mul_v3(&pose->R, body->center));
}

double pcs_input_value(const pcs_model *model, const pcs_configuration *c, const pcs_input *input)
{
    if (input->kind == PCS_INPUT_EXTERNAL)
        return c->external ? c->external[input->index]
                           : model->externals.data[input->index].initial;
    if (input->kind == PCS_INPUT_SYSTEM || input->kind == PCS_INPUT_SYSTEM_RATE) {
        const pcs_node *node = pcs_model_node(model, model->systems.data[input->index].node);
        return input->kind == PCS_INPUT_SYSTEM ? c->q[node->q + input->component]
                                               : c->v[node->v + input->component];
    }
    if (input->kind == PCS_INPUT_COORDINATE || input->kind == PCS_INPUT_RATE) {
        const pcs_joint *joint = &model->joints.data[input->index];
        const pcs_coordinate *x = &joint->coordinate[input->component];
        pcs_pair_state pair = pcs_configuration_pair(model, c, &joint->pair);
        if (input->kind == PCS_INPUT_COORDINATE)
            return pcs_coordinate_value(x, &pair, x->turn >= 0 ? c->turns[x->turn] : 0);
        pcs_rate_form form = pcs_coordinate_rate_form(x, &pair);
        return pcs_coordinate_rate(&form, &pair);
    }
    const pcs_body *body = &model->bodies.data[input->index];
    const pcs_pose *pose = &c->pose[body->node];
    const pcs_twist *twist = &c->twist[body->node];
    pcs_vec3 arm = origin_arm(body, pose);
    switch (input->kind) {
    case PCS_INPUT_POSITION:
        return component(pcs_v3_add(pose->x, arm), input->component);
    case PCS_INPUT_VELOCITY:
        return component(pcs_v3_add(twist->v, pcs_v3_cross(twist->w, arm)), input->component);
    case PCS_INPUT_ANGLE:
        return c->q[pcs_model_node(model, body->node)->q + 2];
    default:
        return component(twist->w, input->component);
    }
}

static pcs_input_gradient joint_gradient(const pcs_model *model, const pcs_configuration *c,
                                         const pcs_input *input)
{
    const pcs_joint *joint = &model->joints.data[input->index];
    const pcs_coordinate *x = &joint->coordinate[input->component];
    pcs_pair_state pair = pcs_configuration_pair(model, c, &joint->pair);
    pcs_rate_form form = pcs_coordinate_rate_form(x, &pair);
    pcs_input_gradient g = {.of_velocity = input->kind == PCS_INPUT_RATE, .single = -1};
    double row[2][PCS_NODE_V_MAX], K[12][12], turning[12];
    pcs_coordinate_rows(&form, &pair, row[0], row[1]);
    if (g.of_velocity) {
        pcs_coordinate_geometric(x, &pair, 1, K);
        pcs_coordinate_rate_gradient(&pair, (const double(*)[12])K, turning);
    }
    const int32_t node[2] = {joint->pair.a.node, joint->pair.b.node};
    for (int k = 0; k < 2; ++k) {
        if (node[k] < 0)
            continue;
        const pcs_node_kind kind = pcs_model_node(model, node[k])->kind;
        for (int32_t i = 0; i < pcs_node_v_size(kind); ++i) {
            g.row[g.n_nodes][i] = row[k][i];
            if (g.of_velocity)
                g.turning[g.n_nodes][i] = turning[6 * k + pcs_node_place(kind, i)];
        }
        g.node[g.n_nodes++] = node[k];
    }
    return g;
}

// With omega and the arm s turning with the body by theta, e.(v + omega x s) changes by
// theta.((omega x s) x e) and e.omega by theta.(omega x e).
pcs_input_gradient pcs_input_get_gradient(const pcs_model *model, const pcs_configuration *c,
                                          const pcs_input *input)
{
    if (input->kind == PCS_INPUT_COORDINATE || input->kind == PCS_INPUT_RATE)
        return joint_gradient(model, c, input);
    if (input->kind == PCS_INPUT_EXTERNAL)
        return (pcs_input_gradient){.single = -1}; // depends on no node
    if (input->kind == PCS_INPUT_SYSTEM || input->kind == PCS_INPUT_SYSTEM_RATE)
        return (pcs_input_gradient){.n_nodes = 1,
                                    .node = {model->systems.data[input->index].node},
                                    .of_velocity = input->kind == PCS_INPUT_SYSTEM_RATE,
                                    .single = input->component};
    const pcs_body *body = &model->bodies.data[input->index];
    const pcs_pose *pose = &c->pose[body->node];
    const pcs_vec3 omega = c->twist[body->node].w;
    const pcs_node_kind kind = pcs_model_node(model, body->node)->kind;
    const pcs_vec3 e = unit(input->component), zero = {0, 0, 0}, arm = origin_arm(body, pose);
    pcs_input_gradient g = {.n_nodes = 1, .node = {body->node}, .single = -1};
    switch (input->kind) {
    case PCS_INPUT_POSITION:
        pcs_node_row(kind, pose, e, pcs_v3_cross(arm, e), g.row[0]);
        break;
    case PCS_INPUT_VELOCITY:
        g.of_velocity = true;
        pcs_node_row(kind, pose, e, pcs_v3_cross(arm, e), g.row[0]);
        pcs_node_row(kind, pose, zero, pcs_v3_cross(pcs_v3_cross(omega, arm), e), g.turning[0]);
        break;
    case PCS_INPUT_ANGLE:
        pcs_node_row(kind, pose, zero, unit(2), g.row[0]);
        break;
    default: // angular velocity
        g.of_velocity = true;
        pcs_node_row(kind, pose, zero, pcs_v3_cross(omega, e), g.turning[0]);
        pcs_node_row(kind, pose, zero, e, g.row[0]);
        break;
    }
    return g;
}

int32_t pcs_input_nodes(const pcs_model *model, const pcs_input *input, int32_t node[2])
{
    if (input->kind == PCS_INPUT_EXTERNAL)
        return 0;
    if (input->kind == PCS_INPUT_SYSTEM || input->kind == PCS_INPUT_SYSTEM_RATE) {
        node[0] = model->systems.data[input->index].node;
        return 1;
    }
    if (input->kind != PCS_INPUT_COORDINATE && input->kind != PCS_INPUT_RATE) {
        node[0] = model->bodies.data[input->index].node;
        return 1;
    }
    const pcs_pair *pair = &model->joints.data[input->index].pair;
    int32_t n = 0;
    if (pair->a.node >= 0)
        node[n++] = pair->a.node;
    if (pair->b.node >= 0)
        node[n++] = pair->b.node;
    return n;
}

bool pcs_input_is_position(const pcs_input *input)
{
    return input->kind == PCS_INPUT_COORDINATE || input->kind == PCS_INPUT_POSITION ||
           input->kind == PCS_INPUT_ANGLE || input->kind == PCS_INPUT_SYSTEM;
}

// A joint coordinate as it is, and a body's position as the coordinate WORLD of the pair (ground,
// body frame): what is known of coordinates then holds for both. False for the other inputs.
static bool as_coordinate(const pcs_model *model, const pcs_input *input, pcs_pair *pair,
                          pcs_coordinate *x)
{
    if (input->kind == PCS_INPUT_COORDINATE) {
        *pair = model->joints.data[input->index].pair;
        *x = model->joints.data[input->index].coordinate[input->component];
        return true;
    }
    if (input->kind != PCS_INPUT_POSITION)
        return false;
    const pcs_body *body = &model->bodies.data[input->index];
    *pair = (pcs_pair){{-1, {0, 0, 0}, pcs_m3_identity()},
                       {body->node, pcs_v3_scale(-1, body->center), pcs_m3_identity()}};
    *x = (pcs_coordinate){PCS_COORDINATE_WORLD, (int8_t)input->component, 0, -1};
    return true;
}

void pcs_input_motion(const pcs_model *model, const pcs_configuration *c, const pcs_input *input,
                      double *rate, double *convective)
{
    pcs_pair pair;
    pcs_coordinate x;
    *convective = 0;
    if (as_coordinate(model, input, &pair, &x)) {
        pcs_pair_state state = pcs_configuration_pair(model, c, &pair);
        pcs_rate_form form = pcs_coordinate_rate_form(&x, &state);
        *rate = pcs_coordinate_rate(&form, &state);
        *convective = pcs_coordinate_convective(&x, &state);
        return;
    }
    pcs_input_gradient g = pcs_input_get_gradient(model, c, input);
    const pcs_node *node = pcs_model_node(model, g.node[0]);
    *rate = g.single >= 0 ? c->v[node->v + g.single]
                          : pcs_element_dot_row(model, c->v, g.node[0], g.row[0]);
}

void pcs_input_add_geometric(const pcs_model *model, const pcs_configuration *c,
                             const pcs_input *input, double s, pcs_saddle *saddle)
{
    pcs_pair pair;
    pcs_coordinate x;
    if (!as_coordinate(model, input, &pair, &x) || pcs_coordinate_is_flat(&x, model->dimension))
        return;
    pcs_pair_state state = pcs_configuration_pair(model, c, &pair);
    double K[12][12];
    pcs_coordinate_geometric(&x, &state, s, K);
    pcs_element_add_geometric(model, &pair, (const double(*)[12])K, 1, saddle);
}

bool pcs_input_is_curved(const pcs_model *model, const pcs_input *input)
{
    pcs_pair pair;
    pcs_coordinate x;
    return as_coordinate(model, input, &pair, &x) && !pcs_coordinate_is_flat(&x, model->dimension);
}
