// A length that stands for the model: its extent, and the arms and lengths of joints and springs.
#include "simulation/statics.h"

double pcs_model_extent(const pcs_model *m, const pcs_configuration *c)
{
    double size = 0;
    pcs_vec3 low = {0, 0, 0}, high = {0, 0, 0};
    bool any = false;
    for (int32_t k = 0; k < m->nodes.count; ++k) {
        if (pcs_model_node(m, k)->kind == PCS_NODE_VECTOR)
            continue;
        const pcs_vec3 x = c->pose[k].x;
        low = any ? pcs_v3(fmin(low.x, x.x), fmin(low.y, x.y), fmin(low.z, x.z)) : x;
        high = any ? pcs_v3(fmax(high.x, x.x), fmax(high.y, x.y), fmax(high.z, x.z)) : x;
        any = true;
    }
    size = pcs_v3_norm(pcs_v3_sub(high, low));
    for (int32_t k = 0; k < m->joints.count + m->springs.count; ++k) {
        const pcs_pair *pair = k < m->joints.count ? &m->joints.data[k].pair
                                                   : &m->springs.data[k - m->joints.count].pair;
        const pcs_pair_state state = pcs_configuration_pair(m, c, pair);
        size = fmax(size, pcs_v3_norm(state.d));
        size = fmax(size, pair->a.node >= 0 ? pcs_v3_norm(state.s_a) : 0);
        size = fmax(size, pair->b.node >= 0 ? pcs_v3_norm(state.s_b) : 0);
    }
    return size;
}

double pcs_statics_model_size(const pcs_model *m, const pcs_configuration *c)
{
    const double extent = pcs_model_extent(m, c);
    return extent > 0 ? extent : 1;
}
