// The angular momentum of bodies that nothing outside acts on. Joints, springs and contacts join bodies
// to groups; a group that none of them joins to the ground, and that no force acts on, keeps its angular
// momentum about its centre of mass, weight or not.
#include <math.h>

#include "simulation/monitor.h"

static int32_t find_group(const int32_t *group, int32_t node)
{
    while (group[node] != node)
        node = group[node];
    return node;
}

// One group for both; the ground is the node behind the last.
static void join(const pcs_model *model, int32_t *group, int32_t a, int32_t b)
{
    const int32_t ground = model->nodes.count;
    a = find_group(group, a < 0 ? ground : a);
    b = find_group(group, b < 0 ? ground : b);
    group[a < b ? a : b] = a < b ? b : a; // the ground stays the root of its group
}

void pcs_monitor_find_groups(const pcs_model *model, int32_t *group)
{
    const int32_t ground = model->nodes.count;
    for (int32_t k = 0; k <= ground; ++k)
        group[k] = k;
    for (int32_t k = model->bodies.count; k < ground; ++k)
        join(model, group, k, ground); // meshes and systems may be loaded in any way
    for (int32_t i = 0; i < model->joints.count; ++i)
        join(model, group, model->joints.data[i].pair.a.node, model->joints.data[i].pair.b.node);
    for (int32_t i = 0; i < model->springs.count; ++i)
        join(model, group, model->springs.data[i].pair.a.node, model->springs.data[i].pair.b.node);
    for (int32_t i = 0; i < model->contact_pairs.count; ++i)
        join(model, group, model->contact_pairs.data[i].pair.a.node,
             model->contact_pairs.data[i].pair.b.node);
    for (int32_t i = 0; i < model->forces.count; ++i)
        join(model, group, model->forces.data[i].node, ground);
    for (int32_t k = 0; k < ground && model->surface_contacts.count > 0; ++k)
        join(model, group, k, ground);
    for (int32_t k = 0; k < ground; ++k)
        group[k] = find_group(group, k);
}

typedef struct momentum {
    pcs_vec3 sum;
    double size; // sum of the sizes of what is added up
} momentum;

// Of the group whose root is `root`, about its centre of mass.
static momentum measure(const pcs_model *model, const pcs_configuration *c, const int32_t *group,
                        int32_t root)
{
    momentum L = {.size = 0};
    pcs_vec3 x = {0, 0, 0}, v = {0, 0, 0};
    double mass = 0;
    for (int pass = 0; pass < 2; ++pass) {
        for (int32_t i = 0; i < model->bodies.count; ++i) {
            const pcs_body *body = &model->bodies.data[i];
            const pcs_pose *pose = &c->pose[body->node];
            const pcs_twist *twist = &c->twist[body->node];
            if (group[body->node] != root)
                continue;
            if (pass == 0) {
                mass += body->mass;
                x = pcs_v3_add(x, pcs_v3_scale(body->mass, pose->x));
                v = pcs_v3_add(v, pcs_v3_scale(body->mass, twist->v));
                continue;
            }
            const pcs_vec3 own = pcs_m3_mul_v3(
                &pose->R, pcs_m3_mul_v3(&body->inertia, pcs_m3_tmul_v3(&pose->R, twist->w)));
            const pcs_vec3 orbit = pcs_v3_scale(
                body->mass, pcs_v3_cross(pcs_v3_sub(pose->x, x), pcs_v3_sub(twist->v, v)));
            L.sum = pcs_v3_add(L.sum, pcs_v3_add(own, orbit));
            L.size += pcs_v3_norm(own) + pcs_v3_norm(orbit);
        }
        if (pass == 0 && mass > 0) {
            x = pcs_v3_scale(1 / mass, x);
            v = pcs_v3_scale(1 / mass, v);
        }
    }
    return L;
}

void pcs_monitor_look_at_momentum(pcs_simulation *s, bool start)
{
    pcs_monitor *m = s->monitor;
    const pcs_configuration *c = &pcs_simulation_present(s, false)->c;
    for (int32_t k = 0; k < s->model->bodies.count; ++k) {
        if (m->group[k] != k)
            continue; // not the root of a free group
        const momentum L = measure(s->model, c, m->group, k);
        if (start)
            m->momentum[k] = L.sum;
        else if (L.size > 0)
            s->statistics.momentum_drift = fmax(s->statistics.momentum_drift,
                                                pcs_v3_norm(pcs_v3_sub(L.sum, m->momentum[k])) /
                                                    fmax(L.size, pcs_v3_norm(m->momentum[k])));
    }
}
