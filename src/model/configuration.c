// Kinematics of all nodes at one (t, q, v), and the state signals that formulas read.
#include "model/configuration.h"

#include <string.h>

#include "model/assembly.h"
#include "model/input.h"
#include "model/model.h"

pcs_status pcs_configuration_init(pcs_context *ctx, const pcs_model *model, pcs_configuration *c)
{
    *c = (pcs_configuration){.load = 1};
    c->pose = PCS_NEW_ARRAY(ctx, pcs_pose, model->nodes.count);
    c->twist = PCS_NEW_ARRAY(ctx, pcs_twist, model->nodes.count);
    c->inputs = PCS_NEW_ARRAY(ctx, double, model->inputs.count + 1);
    c->followed = PCS_NEW_ARRAY(ctx, double, model->n_turns);
    c->systems = PCS_NEW_ARRAY(ctx, double, model->system_work);
    c->evaluated = PCS_NEW_ARRAY(ctx, uint32_t, model->systems.count);
    c->surfaces = PCS_NEW_ARRAY(ctx, double, model->surface_work);
    c->fitted = PCS_NEW_ARRAY(ctx, bool, model->surfaces.count);
    if (c->pose && c->twist && c->inputs && c->followed && c->systems && c->evaluated &&
        c->surfaces && c->fitted) {
        for (int32_t i = 0; i < model->systems.count; ++i) {
            const pcs_system *system = &model->systems.data[i];
            if (system->program)
                pcs_program_prepare(system->program, c->systems + system->work);
        }
        return PCS_OK;
    }
    pcs_configuration_free(ctx, c);
    return PCS_ERROR_MEMORY;
}

void pcs_configuration_free(pcs_context *ctx, pcs_configuration *c)
{
    pcs_free(ctx, c->pose);
    pcs_free(ctx, c->twist);
    pcs_free(ctx, c->inputs);
    pcs_free(ctx, c->followed);
    pcs_free(ctx, c->systems);
    pcs_free(ctx, c->evaluated);
    pcs_free(ctx, c->surfaces);
    pcs_free(ctx, c->fitted);
    *c = (pcs_configuration){0};
}

double pcs_configuration_time(const pcs_model *model, const double *external, double t)
{
    if (!external)
        return t;
    const double *window = external + model->externals.count;
    return t < window[0] ? window[0] : t > window[1] ? window[1] : t;
}

static void set_kinematics(const pcs_model *model, pcs_configuration *c, double t, const double *q,
                           const double *v, const double *external)
{
    c->t = pcs_configuration_time(model, external, t);
    c->q = q;
    c->v = v;
    c->external = external;
    for (int32_t i = 0; i < model->nodes.count; ++i) {
        const pcs_node *node = pcs_model_node(model, i);
        c->pose[i] = pcs_node_pose(node->kind, q + node->q);
        c->twist[i] = pcs_node_twist(node->kind, &c->pose[i], v + node->v);
    }
}

// What formulas and systems read, which may be angles.
static void set_inputs(const pcs_model *model, pcs_configuration *c)
{
    c->inputs[0] = c->t;
    for (int32_t i = 0; i < model->inputs.count; ++i)
        c->inputs[i + 1] = pcs_input_value(model, c, &model->inputs.data[i]);
    pcs_systems_start(model, c);
    if (model->surfaces.count > 0)
        memset(c->fitted, 0, sizeof *c->fitted * (size_t)model->surfaces.count);
}

void pcs_configuration_update(const pcs_model *model, pcs_configuration *c, double t,
                              const double *q, const double *v, const double *turns,
                              const double *external)
{
    set_kinematics(model, c, t, q, v, external);
    c->turns = turns;
    set_inputs(model, c);
}

void pcs_configuration_follow(const pcs_model *model, pcs_configuration *c, double t,
                              const double *q, const double *v, pcs_turns from,
                              const double *external)
{
    set_kinematics(model, c, t, q, v, external);
    pcs_model_follow_turns(model, c, from, c->followed);
    c->turns = c->followed;
    set_inputs(model, c);
}

static const pcs_pose ground_pose = {{0, 0, 0}, {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}};

// World position arm and axes of an attachment, with the kinematics of its node.
static void attach(const pcs_model *model, const pcs_configuration *c, const pcs_attachment *at,
                   pcs_node_kind *kind, const pcs_pose **pose, pcs_twist *twist, pcs_vec3 *arm,
                   pcs_mat3 *R)
{
    if (at->node < 0) {
        *kind = model->dimension == 2 ? PCS_NODE_PLANAR : PCS_NODE_SPATIAL;
        *pose = NULL;
        *twist = (pcs_twist){{0, 0, 0}, {0, 0, 0}};
        *arm = at->p;
        *R = at->R;
        return;
    }
    const pcs_pose *p = &c->pose[at->node];
    *kind = pcs_model_node(model, at->node)->kind;
    *pose = p;
    *twist = c->twist[at->node];
    *arm = pcs_m3_mul_v3(&p->R, at->p);
    *R = pcs_m3_mul(&p->R, &at->R);
}

pcs_pair_state pcs_configuration_pair(const pcs_model *model, const pcs_configuration *c,
                                      const pcs_pair *pair)
{
    pcs_pair_state s;
    attach(model, c, &pair->a, &s.kind_a, &s.pose_a, &s.twist_a, &s.s_a, &s.R_a);
    attach(model, c, &pair->b, &s.kind_b, &s.pose_b, &s.twist_b, &s.s_b, &s.R_b);
    const pcs_vec3 x_a = (s.pose_a ? s.pose_a : &ground_pose)->x;
    const pcs_vec3 x_b = (s.pose_b ? s.pose_b : &ground_pose)->x;
    s.bend = 0;
    s.d = pcs_v3_sub(pcs_v3_add(x_b, s.s_b), pcs_v3_add(x_a, s.s_a));
    return s;
}
