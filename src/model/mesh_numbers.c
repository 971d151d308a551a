#include "model/mesh_numbers.h"

#include <string.h>

int32_t pcs_mesh_part_quantity(const pcs_mesh_part *part, const char *name)
{
    for (int32_t i = 0; i < part->class->n_results; ++i)
        if (strcmp(part->class->results_names[i], name) == 0)
            return i;
    return -1;
}

const char *pcs_mesh_quantity_name(const pcs_mesh *mesh, int32_t i)
{
    for (int32_t p = 0; p < mesh->n_parts; ++p) {
        const pcs_fe_class *class = mesh->parts[p].class;
        for (int32_t k = 0; k < class->n_results; ++k) {
            bool seen = false;
            for (int32_t before = 0; before < p && !seen; ++before)
                seen = pcs_mesh_part_quantity(&mesh->parts[before], class->results_names[k]) >= 0;
            if (!seen && i-- == 0)
                return class->results_names[k];
        }
    }
    return NULL;
}

pcs_mesh_numbers pcs_model_mesh_numbers(const pcs_model *model, int32_t mesh)
{
    pcs_mesh_numbers n = {0};
    for (int32_t k = 0; k < mesh; ++k) {
        const pcs_mesh *m = &model->meshes.data[k];
        n.node += m->n_nodes;
        n.frame += pcs_node_turns(m->kind) ? m->n_nodes : 0;
        n.group += m->n_groups;
        for (int32_t p = 0; p < m->n_parts; ++p) {
            n.element += m->parts[p].n_elements;
            n.result += (int64_t)m->parts[p].n_elements * m->parts[p].class->n_results;
        }
        for (int32_t i = 0; pcs_mesh_quantity_name(m, i); ++i)
            ++n.quantity;
    }
    return n;
}
