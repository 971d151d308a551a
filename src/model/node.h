// Nodes: places with coordinates q and velocities v.
//
//   kind      q                       v
//   POINT2    x, y                    x', y'
//   POINT3    x, y, z                 x', y', z'
//   PLANAR    x, y, phi               x', y', phi'
//   SPATIAL   x, y, z, w, i, j, k     x', y', z' (world), Omega (body frame)
//   VECTOR    any number of scalars   their rates
//
// A vector has no place in space: its pose is the ground's and nothing can be attached to it.
// A rigid body's node sits at its centre of mass. q' = T(q) v; every update of q goes through
// pcs_node_retract, q [+] d, with d in the layout of v.
#ifndef PCS_MODEL_NODE_H
#define PCS_MODEL_NODE_H

#include "math/rotation.h"
#include "percuss/base.h"

typedef enum pcs_node_kind {
    PCS_NODE_POINT2,
    PCS_NODE_POINT3,
    PCS_NODE_PLANAR,
    PCS_NODE_SPATIAL,
    PCS_NODE_VECTOR // generalised coordinates of a Lagrangian system
} pcs_node_kind;

enum { PCS_NODE_V_MAX = 6, PCS_NODE_Q_MAX = 7 };

typedef struct pcs_pose {
    pcs_vec3 x;
    pcs_mat3 R; // node axes to world
} pcs_pose;

typedef struct pcs_twist {
    pcs_vec3 v;
    pcs_vec3 w; // angular velocity, world frame
} pcs_twist;

// Sizes of the kinds that have a place in space; pcs_node.n_q and n_v have those of any node.
static inline int32_t pcs_node_q_size(pcs_node_kind kind)
{
    return kind == PCS_NODE_SPATIAL ? 7 : kind == PCS_NODE_POINT2 ? 2 : 3;
}

static inline int32_t pcs_node_v_size(pcs_node_kind kind)
{
    return kind == PCS_NODE_SPATIAL ? 6 : kind == PCS_NODE_POINT2 ? 2 : 3;
}

// Components of v that are translations; rotations follow them. All of a vector count as
// translations.
static inline int32_t pcs_node_translations(pcs_node_kind kind)
{
    if (kind == PCS_NODE_VECTOR)
        return INT32_MAX;
    return kind == PCS_NODE_POINT3 || kind == PCS_NODE_SPATIAL ? 3 : 2;
}

static inline bool pcs_node_turns(pcs_node_kind kind)
{
    return kind == PCS_NODE_PLANAR || kind == PCS_NODE_SPATIAL;
}

// Places of the components of v in the spatial layout of six.
static inline int32_t pcs_node_place(pcs_node_kind kind, int32_t component)
{
    return kind == PCS_NODE_PLANAR && component == 2 ? 5 : component;
}

// out = q [+] d; out may be q. Not for vectors, as the next one.
void pcs_node_retract(pcs_node_kind kind, const double *q, const double *d, double *out);
// d with q1 [+] d = q2 (the short way round).
void pcs_node_difference(pcs_node_kind kind, const double *q2, const double *q1, double *d);
pcs_pose pcs_node_pose(pcs_node_kind kind, const double *q);
// Needs the pose because the angular velocity of a spatial node is in body axes.
pcs_twist pcs_node_twist(pcs_node_kind kind, const pcs_pose *pose, const double *v);

// Row of the linear form  d.v + w.omega (world vectors) in the layout of the node's v.
static inline void pcs_node_row(pcs_node_kind kind, const pcs_pose *pose, pcs_vec3 d, pcs_vec3 w,
                                double *row)
{
    row[0] = d.x;
    row[1] = d.y;
    switch (kind) {
    case PCS_NODE_POINT2:
        return;
    case PCS_NODE_POINT3:
        row[2] = d.z;
        return;
    case PCS_NODE_PLANAR:
        row[2] = w.z;
        return;
    case PCS_NODE_VECTOR:
        return;
    case PCS_NODE_SPATIAL:
        row[2] = d.z;
        pcs_v3_store(row + 3, pcs_m3_tmul_v3(&pose->R, w));
        return;
    }
}

#endif
