// What the outside sees of meshes at the present state: nodes, element results, energies.
#include <math.h>
#include <string.h>

#include "model/mesh_numbers.h"
#include "simulation/simulation.h"

void pcs_simulation_mesh_node(const pcs_simulation *s, pcs_mesh_id mesh, int32_t node,
                              pcs_body_view *view)
{
    *view = (pcs_body_view){0};
    if (node < 0 || node >= pcs_model_mesh_node_count(s->model, mesh))
        return;
    const pcs_present *now = pcs_simulation_present(s, false);
    const int32_t number = s->model->meshes.data[mesh].first_node + node;
    const pcs_node *of = pcs_model_node(s->model, number);
    const double *q = s->state.q + of->q;
    *view = (pcs_body_view){
        .position = now->c.pose[number].x,
        .rotation = {1, 0, 0, 0},
        .velocity = now->c.twist[number].v,
        .angular_velocity = now->c.twist[number].w,
    };
    if (of->kind == PCS_NODE_PLANAR) {
        view->angle = q[2];
        view->rotation = (pcs_quat){cos(0.5 * q[2]), 0, 0, sin(0.5 * q[2])};
    }
    if (of->kind == PCS_NODE_SPATIAL)
        view->rotation = (pcs_quat){q[3], q[4], q[5], q[6]};
}

void pcs_simulation_mesh_nodes(const pcs_simulation *s, pcs_mesh_id mesh, double *position,
                               double *velocity)
{
    if (!PCS_HAS(&s->model->meshes, mesh))
        return;
    const pcs_present *now = pcs_simulation_present(s, false);
    const pcs_mesh *m = &s->model->meshes.data[mesh];
    for (int32_t i = 0; i < m->n_nodes; ++i) {
        if (position)
            pcs_v3_store(position + 3 * i, now->c.pose[m->first_node + i].x);
        if (velocity)
            pcs_v3_store(velocity + 3 * i, now->c.twist[m->first_node + i].v);
    }
}

const double *pcs_simulation_results(const pcs_simulation *s)
{
    pcs_present *now = s->present;
    (void)pcs_simulation_present(s, false);
    double *out = now->results;
    for (int32_t k = 0; k < s->model->meshes.count && !now->results_valid; ++k) {
        const pcs_mesh *mesh = &s->model->meshes.data[k];
        for (int32_t p = 0; p < mesh->n_parts; ++p) {
            pcs_mesh_part_results(mesh, &mesh->parts[p], &now->c, out);
            out += (int64_t)mesh->parts[p].n_elements * mesh->parts[p].class->n_results;
        }
    }
    now->results_valid = true;
    return now->results;
}

void pcs_simulation_mesh_results(const pcs_simulation *s, pcs_mesh_id mesh, int32_t part,
                                 double *results)
{
    if (part < 0 || part >= pcs_model_mesh_part_count(s->model, mesh))
        return;
    const pcs_mesh *m = &s->model->meshes.data[mesh];
    const double *from = pcs_simulation_results(s) + pcs_model_mesh_numbers(s->model, mesh).result;
    for (int32_t p = 0; p < part; ++p)
        from += (int64_t)m->parts[p].n_elements * m->parts[p].class->n_results;
    const int64_t count = (int64_t)m->parts[part].n_elements * m->parts[part].class->n_results;
    memcpy(results, from, sizeof(double) * (size_t)count);
}

pcs_mesh_energy pcs_simulation_mesh_energy(const pcs_simulation *s, pcs_mesh_id mesh)
{
    if (!PCS_HAS(&s->model->meshes, mesh))
        return (pcs_mesh_energy){0};
    const pcs_present *now = pcs_simulation_present(s, false);
    const pcs_mesh *m = &s->model->meshes.data[mesh];
    return (pcs_mesh_energy){pcs_mesh_kinetic(s->model, m, &now->c),
                             pcs_mesh_strain_energy(m, &now->c)};
}
