// Node kinds: sizes, retraction, difference, poses and twists (layouts in node.h).
#include "model/node.h"

static pcs_quat load_quat(const double *p)
{
    return (pcs_quat){p[0], p[1], p[2], p[3]};
}

static void store_quat(double *out, pcs_quat p)
{
    out[0] = p.w;
    out[1] = p.x;
    out[2] = p.y;
    out[3] = p.z;
}

void pcs_node_retract(pcs_node_kind kind, const double *q, const double *d, double *out)
{
    int32_t flat = kind == PCS_NODE_POINT2 ? 2 : 3; // components that simply add
    for (int32_t i = 0; i < flat; ++i)
        out[i] = q[i] + d[i];
    if (kind == PCS_NODE_SPATIAL) {
        // p <- p o exp(d_rot), then |p| = 1 again to rounding
        pcs_quat p = pcs_quat_mul(load_quat(q + 3), pcs_so3_exp(pcs_v3_load(d + 3)));
        store_quat(out + 3, pcs_quat_normalize(p));
    }
}

void pcs_node_difference(pcs_node_kind kind, const double *q2, const double *q1, double *d)
{
    int32_t flat = kind == PCS_NODE_POINT2 ? 2 : 3;
    for (int32_t i = 0; i < flat; ++i)
        d[i] = q2[i] - q1[i];
    if (kind == PCS_NODE_SPATIAL) {
        pcs_quat p = pcs_quat_mul(pcs_quat_conjugate(load_quat(q1 + 3)), load_quat(q2 + 3));
        pcs_v3_store(d + 3, pcs_so3_log(p));
    }
}

pcs_pose pcs_node_pose(pcs_node_kind kind, const double *q)
{
    switch (kind) {
    case PCS_NODE_VECTOR:
        return (pcs_pose){{0, 0, 0}, pcs_m3_identity()};
    case PCS_NODE_POINT2:
        return (pcs_pose){{q[0], q[1], 0}, pcs_m3_identity()};
    case PCS_NODE_POINT3:
        return (pcs_pose){{q[0], q[1], q[2]}, pcs_m3_identity()};
    case PCS_NODE_PLANAR: {
        double c = cos(q[2]), s = sin(q[2]);
        return (pcs_pose){{q[0], q[1], 0}, {{{c, -s, 0}, {s, c, 0}, {0, 0, 1}}}};
    }
    case PCS_NODE_SPATIAL:
        break;
    }
    return (pcs_pose){{q[0], q[1], q[2]}, pcs_quat_matrix(load_quat(q + 3))};
}

pcs_twist pcs_node_twist(pcs_node_kind kind, const pcs_pose *pose, const double *v)
{
    switch (kind) {
    case PCS_NODE_VECTOR:
        return (pcs_twist){{0, 0, 0}, {0, 0, 0}};
    case PCS_NODE_POINT2:
        return (pcs_twist){{v[0], v[1], 0}, {0, 0, 0}};
    case PCS_NODE_POINT3:
        return (pcs_twist){{v[0], v[1], v[2]}, {0, 0, 0}};
    case PCS_NODE_PLANAR:
        return (pcs_twist){{v[0], v[1], 0}, {0, 0, v[2]}};
    case PCS_NODE_SPATIAL:
        break;
    }
    return (pcs_twist){{v[0], v[1], v[2]}, pcs_m3_mul_v3(&pose->R, pcs_v3_load(v + 3))};
}
