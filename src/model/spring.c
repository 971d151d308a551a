// Springs and dampers on a coordinate x(q): force lambda = -k (x - rest) - c x', generalised force
// J^T lambda. Tangents: K = J^T (k J + c dx'/dq) - K_geo(lambda), C = c J^T J, where dx'/dq = v^T
// K_geo(1) because x' = J(q) v.
#include "model/element.h"

static double spring_force(const pcs_spring *s, const pcs_configuration *c,
                           const pcs_pair_state *pair, const pcs_rate_form *form)
{
    double x = pcs_coordinate_value(&s->coordinate, pair, pcs_element_reference(c, &s->coordinate));
    return -s->stiffness * (x - s->rest) - s->damping * pcs_coordinate_rate(form, pair);
}

static void force(const pcs_model *model, const pcs_configuration *c, double *f, pcs_power *power)
{
    for (int32_t i = 0; i < model->springs.count; ++i) {
        const pcs_spring *s = &model->springs.data[i];
        pcs_pair_state pair = pcs_configuration_pair(model, c, &s->pair);
        pcs_rate_form form = pcs_coordinate_rate_form(&s->coordinate, &pair);
        double lambda = spring_force(s, c, &pair, &form);
        double rate = pcs_element_add_coordinate(model, &s->pair, &pair, &form, lambda, f,
                                                 power ? power->v : NULL);
        if (power)
            power->damping -= s->damping * pcs_coordinate_rate(&form, &pair) * rate;
    }
}

static void tangent(const pcs_model *model, const pcs_configuration *c, double scale_K,
                    double scale_C, pcs_saddle *saddle)
{
    for (int32_t i = 0; i < model->springs.count; ++i) {
        const pcs_spring *s = &model->springs.data[i];
        pcs_pair_state pair = pcs_configuration_pair(model, c, &s->pair);
        pcs_rate_form form = pcs_coordinate_rate_form(&s->coordinate, &pair);
        double lambda = spring_force(s, c, &pair, &form);
        double row_a[PCS_NODE_V_MAX], row_b[PCS_NODE_V_MAX];
        pcs_coordinate_rows(&form, &pair, row_a, row_b);
        const int32_t node[2] = {s->pair.a.node, s->pair.b.node};
        const double *row[2] = {row_a, row_b};
        double scale = scale_K * s->stiffness + scale_C * s->damping;
        for (int k = 0; k < 2; ++k)
            for (int l = 0; l < 2; ++l)
                if (node[k] >= 0 && node[l] >= 0)
                    pcs_element_add_outer(model, saddle, node[k], node[l], scale, row[k], row[l]);
        double K[12][12];
        pcs_coordinate_geometric(&s->coordinate, &pair, 1, K);
        double dx_rate[12];
        pcs_coordinate_rate_gradient(&pair, (const double(*)[12])K, dx_rate);
        // -lambda K_geo + c J^T dx'/dq; J in the 12-layout from the rate form
        double full[12], T[12][12];
        const pcs_mat3 I = pcs_m3_identity();
        pcs_v3_store(full, form.d_a);
        pcs_v3_store(full + 3, pcs_m3_tmul_v3(pair.pose_a ? &pair.pose_a->R : &I, form.w_a));
        pcs_v3_store(full + 6, form.d_b);
        pcs_v3_store(full + 9, pcs_m3_tmul_v3(pair.pose_b ? &pair.pose_b->R : &I, form.w_b));
        for (int k = 0; k < 12; ++k)
            for (int l = 0; l < 12; ++l)
                T[k][l] = -lambda * K[k][l] + s->damping * full[k] * dx_rate[l];
        pcs_element_add_geometric(model, &s->pair, (const double(*)[12])T, scale_K, saddle);
    }
}

static double potential(const pcs_model *model, const pcs_configuration *c)
{
    double V = 0;
    for (int32_t i = 0; i < model->springs.count; ++i) {
        const pcs_spring *s = &model->springs.data[i];
        pcs_pair_state pair = pcs_configuration_pair(model, c, &s->pair);
        double x = pcs_coordinate_value(&s->coordinate, &pair,
                                        pcs_element_reference(c, &s->coordinate));
        V += 0.5 * s->stiffness * (x - s->rest) * (x - s->rest);
    }
    return V;
}

const pcs_element_class pcs_spring_class = {
    .name = "spring",
    .force = force,
    .tangent = tangent,
    .potential = potential,
};
