// Gears and racks: x_first + ratio x_second = target, a row over the nodes of two joints.
#include <string.h>

#include "model/element.h"

static void rows(const pcs_model *model, const pcs_configuration *c, const pcs_rows *out)
{
    for (int32_t k = 0; k < model->couplings.count; ++k) {
        const pcs_coupling *coupling = &model->couplings.data[k];
        pcs_row_block *block = out->blocks ? &out->blocks[coupling->row_block] : NULL;
        if (block)
            for (int32_t i = 0; i < block->n_nodes; ++i)
                memset(block->J[i], 0,
                       sizeof(double) * (size_t)pcs_model_node(model, block->node[i])->n_v);
        double g = -coupling->target, convective = 0;
        for (int e = 0; e < 2; ++e) {
            const pcs_joint *joint = &model->joints.data[coupling->joint[e]];
            const pcs_coordinate *x = &joint->coordinate[coupling->coordinate[e]];
            double s = e == 0 ? 1 : coupling->ratio;
            pcs_pair_state pair = pcs_configuration_pair(model, c, &joint->pair);
            g += s * pcs_coordinate_value(x, &pair, pcs_element_reference(c, x));
            if (out->convective)
                convective += s * pcs_coordinate_convective(x, &pair);
            if (!block)
                continue;
            pcs_rate_form form = pcs_coordinate_rate_form(x, &pair);
            double row_a[PCS_NODE_V_MAX], row_b[PCS_NODE_V_MAX];
            pcs_coordinate_rows(&form, &pair, row_a, row_b);
            if (joint->pair.a.node >= 0)
                pcs_element_add_to_row(model, block, 0, joint->pair.a.node, s, row_a);
            if (joint->pair.b.node >= 0)
                pcs_element_add_to_row(model, block, 0, joint->pair.b.node, s, row_b);
        }
        if (out->g)
            out->g[coupling->first_row] = g;
        if (out->rate)
            out->rate[coupling->first_row] = 0;
        if (out->convective)
            out->convective[coupling->first_row] = convective;
    }
}

static void row_tangent(const pcs_model *model, const pcs_configuration *c, const double *lambda,
                        double scale, pcs_saddle *saddle)
{
    for (int32_t k = 0; k < model->couplings.count; ++k) {
        const pcs_coupling *coupling = &model->couplings.data[k];
        for (int e = 0; e < 2; ++e) {
            const pcs_joint *joint = &model->joints.data[coupling->joint[e]];
            const pcs_coordinate *x = &joint->coordinate[coupling->coordinate[e]];
            if (pcs_coordinate_is_flat(x, model->dimension))
                continue;
            const double s = e == 0 ? 1 : coupling->ratio;
            const pcs_pair_state pair = pcs_configuration_pair(model, c, &joint->pair);
            double K[12][12];
            pcs_coordinate_geometric(x, &pair, s * lambda[coupling->first_row], K);
            pcs_element_add_geometric(model, &joint->pair, (const double(*)[12])K, scale, saddle);
        }
    }
}

static void rate_tangent(const pcs_model *model, const pcs_configuration *c, double scale,
                         pcs_row_block *blocks)
{
    for (int32_t k = 0; k < model->couplings.count; ++k) {
        const pcs_coupling *coupling = &model->couplings.data[k];
        for (int e = 0; e < 2; ++e) {
            const pcs_joint *joint = &model->joints.data[coupling->joint[e]];
            const pcs_coordinate *x = &joint->coordinate[coupling->coordinate[e]];
            if (pcs_coordinate_is_flat(x, model->dimension))
                continue;
            const pcs_pair_state pair = pcs_configuration_pair(model, c, &joint->pair);
            pcs_element_add_rate_tangent(model, &joint->pair, &pair, x,
                                         scale * (e == 0 ? 1 : coupling->ratio),
                                         &blocks[coupling->row_block], 0);
        }
    }
}

const pcs_element_class pcs_coupling_class = {
    .name = "coupling",
    .rows = rows,
    .row_tangent = row_tangent,
    .rate_tangent = rate_tangent,
};
