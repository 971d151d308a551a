// Joint actuators: a torque or force u(t, signals) on a joint coordinate, generalised force J^T u.
#include "model/element.h"

static void force(const pcs_model *model, const pcs_configuration *c, double *f, pcs_power *power)
{
    for (int32_t i = 0; i < model->actuators.count; ++i) {
        const pcs_actuator *a = &model->actuators.data[i];
        const pcs_joint *joint = &model->joints.data[a->joint];
        pcs_pair_state pair = pcs_configuration_pair(model, c, &joint->pair);
        pcs_rate_form form = pcs_coordinate_rate_form(&joint->coordinate[a->coordinate], &pair);
        double u = c->load * pcs_element_value(&a->force, c);
        double rate = pcs_element_add_coordinate(model, &joint->pair, &pair, &form, u, f,
                                                 power ? power->v : NULL);
        if (power)
            power->actuator += u * rate;
    }
}

static void tangent(const pcs_model *model, const pcs_configuration *c, double scale_K,
                    double scale_C, pcs_saddle *saddle)
{
    for (int32_t i = 0; i < model->actuators.count; ++i) {
        const pcs_actuator *a = &model->actuators.data[i];
        const pcs_joint *joint = &model->joints.data[a->joint];
        const pcs_coordinate *x = &joint->coordinate[a->coordinate];
        pcs_pair_state pair = pcs_configuration_pair(model, c, &joint->pair);
        if (!pcs_coordinate_is_flat(x, model->dimension)) {
            double K[12][12];
            pcs_coordinate_geometric(x, &pair, c->load * pcs_element_value(&a->force, c), K);
            pcs_element_add_geometric(model, &joint->pair, (const double(*)[12])K, -scale_K,
                                      saddle);
        }
        if (!a->force.formula)
            continue;
        pcs_rate_form form = pcs_coordinate_rate_form(x, &pair);
        double ends[2][PCS_NODE_V_MAX], row[2][PCS_NODE_V_MAX];
        pcs_coordinate_rows(&form, &pair, ends[0], ends[1]);
        const int32_t end_node[2] = {joint->pair.a.node, joint->pair.b.node};
        int32_t node[2], n = 0;
        for (int k = 0; k < 2; ++k) {
            if (end_node[k] < 0)
                continue;
            int32_t size = pcs_model_node(model, end_node[k])->n_v;
            for (int32_t j = 0; j < size; ++j)
                row[n][j] = ends[k][j];
            node[n++] = end_node[k];
        }
        pcs_element_add_formula_tangent(model, c, a->force.formula, n, node,
                                        (const double(*)[PCS_NODE_V_MAX])row, c->load * scale_K,
                                        c->load * scale_C, saddle);
    }
}

const pcs_element_class pcs_actuator_class = {
    .name = "actuator",
    .force = force,
    .tangent = tangent,
};
