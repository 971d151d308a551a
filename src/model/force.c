// Applied forces and torques at a point of a body, in world or body axes, constant or formulas.
// Generalised force of the component F_i along the direction e_i (world, or R e_i): F_i times the
// row of e_i.(v + omega x s), s = R p the arm; of the torque component: the row of e_i.omega.
#include "model/element.h"

static pcs_vec3 direction(const pcs_force *force, const pcs_pose *pose, int i)
{
    pcs_vec3 e = pcs_v3(i == 0, i == 1, i == 2);
    return force->body_frame ? pcs_m3_mul_v3(&pose->R, e) : e;
}

// Total force and torque about the node, world axes.
static void resultant(const pcs_force *force, const pcs_configuration *c, pcs_vec3 *F,
                      pcs_vec3 *torque)
{
    const pcs_pose *pose = &c->pose[force->node];
    *F = pcs_v3(0, 0, 0);
    *torque = pcs_v3(0, 0, 0);
    for (int i = 0; i < 3; ++i) {
        pcs_vec3 e = direction(force, pose, i);
        *F = pcs_v3_axpy(*F, c->load * pcs_element_value(&force->force[i], c), e);
        *torque = pcs_v3_axpy(*torque, c->load * pcs_element_value(&force->torque[i], c), e);
    }
}

static void add_forces(const pcs_model *model, const pcs_configuration *c, double *f,
                       pcs_power *power)
{
    for (int32_t i = 0; i < model->forces.count; ++i) {
        const pcs_force *force = &model->forces.data[i];
        const pcs_pose *pose = &c->pose[force->node];
        pcs_vec3 F, torque;
        resultant(force, c, &F, &torque);
        pcs_vec3 arm = pcs_m3_mul_v3(&pose->R, force->p);
        pcs_vec3 moment = pcs_v3_add(torque, pcs_v3_cross(arm, F));
        double row[PCS_NODE_V_MAX];
        pcs_node_row(pcs_model_node(model, force->node)->kind, pose, F, moment, row);
        pcs_element_add_row(model, f, force->node, 1, row);
        if (power)
            power->applied += pcs_element_dot_row(model, power->v, force->node, row);
    }
}

// Change with the node's own rotation (omega = R dtheta). World axes: the moment R^T (s x F + tau)
// changes by R^T ( s x (F x omega) - omega x tau ). Body axes: F turns, dF = omega x F; the moment
// in body axes is constant.
static void add_turning_tangent(const pcs_model *model, const pcs_configuration *c,
                                const pcs_force *force, double scale_K, pcs_saddle *saddle)
{
    const pcs_pose *pose = &c->pose[force->node];
    pcs_node_kind kind = pcs_model_node(model, force->node)->kind;
    if (kind != PCS_NODE_PLANAR && kind != PCS_NODE_SPATIAL)
        return;
    pcs_vec3 F, torque;
    resultant(force, c, &F, &torque);
    pcs_vec3 arm = pcs_m3_mul_v3(&pose->R, force->p);
    double K[6][6] = {{0}};
    for (int j = 0; j < 3; ++j) {
        pcs_vec3 omega = pcs_m3_column(&pose->R, j);
        pcs_vec3 dF = {0, 0, 0}, dm = {0, 0, 0};
        if (force->body_frame)
            dF = pcs_v3_cross(omega, F);
        else
            dm = pcs_m3_tmul_v3(&pose->R, pcs_v3_sub(pcs_v3_cross(arm, pcs_v3_cross(F, omega)),
                                                     pcs_v3_cross(omega, torque)));
        const double column[6] = {dF.x, dF.y, dF.z, dm.x, dm.y, dm.z};
        for (int i = 0; i < 6; ++i)
            K[i][3 + j] = -scale_K * column[i];
    }
    if (kind == PCS_NODE_SPATIAL) {
        pcs_element_add_block(model, saddle, force->node, force->node, &K[0][0]);
        return;
    }
    const double planar[9] = {0, 0, K[0][5], 0, 0, K[1][5], 0, 0, K[5][5]};
    pcs_element_add_block(model, saddle, force->node, force->node, planar);
}

static void tangent(const pcs_model *model, const pcs_configuration *c, double scale_K,
                    double scale_C, pcs_saddle *saddle)
{
    for (int32_t i = 0; i < model->forces.count; ++i) {
        const pcs_force *force = &model->forces.data[i];
        const pcs_pose *pose = &c->pose[force->node];
        pcs_node_kind kind = pcs_model_node(model, force->node)->kind;
        add_turning_tangent(model, c, force, scale_K, saddle);
        pcs_vec3 arm = pcs_m3_mul_v3(&pose->R, force->p), zero = {0, 0, 0};
        for (int k = 0; k < 3; ++k) {
            pcs_vec3 e = direction(force, pose, k);
            double row[1][PCS_NODE_V_MAX];
            if (force->force[k].formula) {
                pcs_node_row(kind, pose, e, pcs_v3_cross(arm, e), row[0]);
                pcs_element_add_formula_tangent(model, c, force->force[k].formula, 1, &force->node,
                                                (const double(*)[PCS_NODE_V_MAX])row,
                                                c->load * scale_K, c->load * scale_C, saddle);
            }
            if (force->torque[k].formula) {
                pcs_node_row(kind, pose, zero, e, row[0]);
                pcs_element_add_formula_tangent(model, c, force->torque[k].formula, 1, &force->node,
                                                (const double(*)[PCS_NODE_V_MAX])row,
                                                c->load * scale_K, c->load * scale_C, saddle);
            }
        }
    }
}

const pcs_element_class pcs_force_class = {
    .name = "force",
    .force = add_forces,
    .tangent = tangent,
};
