// One frame of the meshes: what docs/signals.md defines for nodes, groups, results and energies.
#include <math.h>
#include <string.h>

#include "io/result_meshes.h"
#include "model/mesh_numbers.h"

static void put(double *place, int32_t i, pcs_vec3 value)
{
    if (!place)
        return;
    place[3 * i] = value.x;
    place[3 * i + 1] = value.y;
    place[3 * i + 2] = value.z;
}

static void gather_nodes(const pcs_simulation *simulation, int32_t k, pcs_mesh_numbers first,
                         double *const places[PCS_QUANTITY_COUNT])
{
    const pcs_model *model = pcs_simulation_model(simulation);
    const bool turns = pcs_model_mesh_turns(model, k);
    for (int32_t i = 0; i < pcs_model_mesh_node_count(model, k); i++) {
        pcs_body_view view;
        pcs_simulation_mesh_node(simulation, k, i, &view);
        put(places[PCS_QUANTITY_NODE_POSITION], first.node + i, view.position);
        put(places[PCS_QUANTITY_NODE_VELOCITY], first.node + i, view.velocity);
        if (!turns)
            continue;
        const int32_t frame = first.frame + i;
        put(places[PCS_QUANTITY_FRAME_ANGULAR_VELOCITY], frame, view.angular_velocity);
        if (places[PCS_QUANTITY_FRAME_ANGLE])
            places[PCS_QUANTITY_FRAME_ANGLE][frame] = view.angle;
        if (places[PCS_QUANTITY_FRAME_ROTATION]) {
            const pcs_quat r = view.rotation;
            const double rotation[4] = {r.w, r.x, r.y, r.z};
            memcpy(places[PCS_QUANTITY_FRAME_ROTATION] + 4 * frame, rotation, sizeof rotation);
        }
    }
}

// Mean of numbers that stand `width` apart over the nodes of a group.
static double mean(const pcs_mesh_group_view *group, const double *from, int32_t width)
{
    double sum = 0;
    for (int32_t i = 0; i < group->n_nodes; i++)
        sum += from[(int64_t)group->nodes[i] * width];
    return group->n_nodes > 0 ? sum / group->n_nodes : NAN;
}

// Needs the nodes.
static void gather_groups(const pcs_model *model, int32_t k, pcs_mesh_numbers first,
                          double *const places[PCS_QUANTITY_COUNT])
{
    const bool turns = pcs_model_mesh_turns(model, k);
    const double *position = places[PCS_QUANTITY_NODE_POSITION] + 3 * first.node;
    const double *velocity = places[PCS_QUANTITY_NODE_VELOCITY] + 3 * first.node;
    pcs_mesh_group_view group;
    for (int32_t g = 0; (group = pcs_model_mesh_group(model, k, g)).name; g++) {
        const int32_t at = first.group + g;
        for (int32_t x = 0; x < 3; x++) {
            places[PCS_QUANTITY_GROUP_POSITION][3 * at + x] = mean(&group, position + x, 3);
            places[PCS_QUANTITY_GROUP_VELOCITY][3 * at + x] = mean(&group, velocity + x, 3);
            places[PCS_QUANTITY_GROUP_ANGULAR_VELOCITY][3 * at + x] =
                turns ? mean(&group,
                             places[PCS_QUANTITY_FRAME_ANGULAR_VELOCITY] + 3 * first.frame + x, 3)
                      : NAN;
        }
        if (places[PCS_QUANTITY_GROUP_ANGLE])
            places[PCS_QUANTITY_GROUP_ANGLE][at] =
                turns ? mean(&group, places[PCS_QUANTITY_FRAME_ANGLE] + first.frame, 1) : NAN;
    }
}

// Needs the results of the mesh, which begin at `results`.
static void gather_extremes(const pcs_mesh *mesh, const double *results, int32_t first,
                            double *const places[PCS_QUANTITY_COUNT])
{
    const char *name;
    for (int32_t i = 0; (name = pcs_mesh_quantity_name(mesh, i)); i++) {
        const double *of_part = results;
        double least = NAN, most = NAN;
        for (int32_t p = 0; p < mesh->n_parts; p++) {
            const pcs_mesh_part *part = &mesh->parts[p];
            const int32_t n = part->class->n_results, at = pcs_mesh_part_quantity(part, name);
            for (int32_t e = 0; at >= 0 && e < part->n_elements; e++) {
                least = fmin(least, of_part[(int64_t)e * n + at]);
                most = fmax(most, of_part[(int64_t)e * n + at]);
            }
            of_part += (int64_t)part->n_elements * n;
        }
        places[PCS_QUANTITY_EXTREME_MIN][first + i] = least;
        places[PCS_QUANTITY_EXTREME_MAX][first + i] = most;
    }
}

void pcs_result_gather_meshes(const pcs_simulation *simulation,
                              double *const places[PCS_QUANTITY_COUNT])
{
    const pcs_model *model = pcs_simulation_model(simulation);
    for (int32_t k = 0; k < model->meshes.count; k++) {
        const pcs_mesh *mesh = &model->meshes.data[k];
        const pcs_mesh_numbers first = pcs_model_mesh_numbers(model, k);
        const pcs_mesh_energy energy = pcs_simulation_mesh_energy(simulation, k);
        places[PCS_QUANTITY_MESH_KINETIC][k] = energy.kinetic;
        places[PCS_QUANTITY_MESH_STRAIN][k] = energy.strain;
        gather_nodes(simulation, k, first, places);
        gather_groups(model, k, first, places);
        if (!places[PCS_QUANTITY_RESULT_VALUE])
            continue; // no class of the model has results
        double *results = places[PCS_QUANTITY_RESULT_VALUE] + first.result, *to = results;
        for (int32_t p = 0; p < mesh->n_parts; p++) {
            pcs_simulation_mesh_results(simulation, k, p, to);
            to += (int64_t)mesh->parts[p].n_elements * mesh->parts[p].class->n_results;
        }
        gather_extremes(mesh, results, first.quantity, places);
    }
}
