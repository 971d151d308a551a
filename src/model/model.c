// Lifetime of a model and the public look at it.
#include "model/model.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

static void destroy_joints(pcs_context *ctx, pcs_model *model)
{
    for (int32_t i = 0; i < model->joints.count; ++i) {
        pcs_joint *joint = &model->joints.data[i];
        for (int32_t k = 0; k < PCS_JOINT_ROWS_MAX; ++k) {
            pcs_formula_destroy(joint->motion[k]);
            pcs_formula_destroy(joint->motion_rate[k]);
            pcs_formula_destroy(joint->motion_acceleration[k]);
        }
        pcs_curve_destroy(ctx, joint->curve);
        pcs_free(ctx, joint->name);
    }
    PCS_ARRAY_FREE(ctx, &model->joints);
    for (int32_t i = 0; i < model->couplings.count; ++i)
        pcs_free(ctx, model->couplings.data[i].name);
    PCS_ARRAY_FREE(ctx, &model->couplings);
}

static void destroy_actions(pcs_context *ctx, pcs_model *model)
{
    for (int32_t i = 0; i < model->springs.count; ++i)
        pcs_free(ctx, model->springs.data[i].name);
    PCS_ARRAY_FREE(ctx, &model->springs);
    for (int32_t i = 0; i < model->actuators.count; ++i)
        pcs_formula_destroy(model->actuators.data[i].force.formula);
    PCS_ARRAY_FREE(ctx, &model->actuators);
    for (int32_t i = 0; i < model->forces.count; ++i) {
        pcs_force *force = &model->forces.data[i];
        for (int k = 0; k < 3; ++k) {
            pcs_formula_destroy(force->force[k].formula);
            pcs_formula_destroy(force->torque[k].formula);
        }
        pcs_free(ctx, force->name);
    }
    PCS_ARRAY_FREE(ctx, &model->forces);
}

static void destroy_contacts(pcs_context *ctx, pcs_model *model)
{
    for (int32_t i = 0; i < model->contact_pairs.count; ++i) {
        pcs_contact_pair *pair = &model->contact_pairs.data[i];
        pcs_formula_destroy(pair->surface[0]);
        pcs_formula_destroy(pair->surface[1]);
        pcs_free(ctx, pair->vertices);
        pcs_curve_destroy(ctx, pair->curve);
        pcs_free(ctx, pair->name);
    }
    PCS_ARRAY_FREE(ctx, &model->contact_pairs);
    PCS_ARRAY_FREE(ctx, &model->limits);
    for (int32_t i = 0; i < model->surfaces.count; ++i)
        pcs_mesh_surface_free(ctx, &model->surfaces.data[i]);
    PCS_ARRAY_FREE(ctx, &model->surfaces);
    for (int32_t i = 0; i < model->surface_contacts.count; ++i)
        pcs_surface_contact_free(ctx, &model->surface_contacts.data[i]);
    PCS_ARRAY_FREE(ctx, &model->surface_contacts);
}

static void destroy_meshes(pcs_context *ctx, pcs_model *model)
{
    for (int32_t i = 0; i < model->mesh_loads.count; ++i)
        for (int k = 0; k < 3; ++k)
            pcs_formula_destroy(model->mesh_loads.data[i].formula[k]);
    PCS_ARRAY_FREE(ctx, &model->mesh_loads);
    for (int32_t i = 0; i < model->meshes.count; ++i)
        pcs_mesh_free(ctx, &model->meshes.data[i]);
    PCS_ARRAY_FREE(ctx, &model->meshes);
}

void pcs_model_destroy(pcs_model *model)
{
    if (!model)
        return;
    pcs_context *ctx = model->ctx;
    for (int32_t i = 0; i < model->bodies.count; ++i) {
        pcs_free(ctx, model->bodies.data[i].shapes);
        pcs_free(ctx, model->bodies.data[i].name);
    }
    PCS_ARRAY_FREE(ctx, &model->bodies);
    PCS_ARRAY_FREE(ctx, &model->nodes);
    destroy_joints(ctx, model);
    destroy_actions(ctx, model);
    destroy_contacts(ctx, model);
    destroy_meshes(ctx, model);
    for (int32_t i = 0; i < model->systems.count; ++i)
        pcs_system_free(ctx, &model->systems.data[i]);
    PCS_ARRAY_FREE(ctx, &model->systems);
    PCS_ARRAY_FREE(ctx, &model->inputs);
    for (int32_t i = 0; i < model->externals.count; ++i)
        pcs_free(ctx, model->externals.data[i].name);
    PCS_ARRAY_FREE(ctx, &model->externals);
    PCS_ARRAY_FREE(ctx, &model->row_blocks);
    for (int32_t i = 0; i < model->slot_names.count; ++i)
        pcs_free(ctx, model->slot_names.data[i]);
    PCS_ARRAY_FREE(ctx, &model->slot_names);
    for (int32_t i = 0; i < model->row_names.count; ++i)
        pcs_free(ctx, model->row_names.data[i]);
    PCS_ARRAY_FREE(ctx, &model->row_names);
    pcs_model_names *const of_systems[] = {&model->coordinate_names, &model->constraint_names,
                                           &model->point_names};
    for (size_t k = 0; k < sizeof of_systems / sizeof *of_systems; ++k) {
        for (int32_t i = 0; i < of_systems[k]->count; ++i)
            pcs_free(ctx, of_systems[k]->data[i]);
        PCS_ARRAY_FREE(ctx, of_systems[k]);
    }
    pcs_free(ctx, model->pairs);
    pcs_free(ctx, model->stand_in);
    pcs_free(ctx, model->times_given);
    pcs_free(ctx, model);
}

int32_t pcs_model_dimension(const pcs_model *model)
{
    return model->dimension;
}

int32_t pcs_model_body_count(const pcs_model *model)
{
    return model->bodies.count;
}

int32_t pcs_model_place_count(const pcs_model *model)
{
    return model->bodies.count + model->point_names.count;
}

const char *pcs_model_body_name(const pcs_model *model, pcs_body_id body)
{
    if (body < PCS_GROUND) { // as statistics count systems, and meshes after them
        const int32_t i = -2 - body, n = model->systems.count;
        if (i >= 0 && i < n)
            return model->systems.data[i].name;
        return PCS_HAS(&model->meshes, i - n) ? model->meshes.data[i - n].name : NULL;
    }
    if (body >= model->bodies.count) {
        const int32_t point = body - model->bodies.count;
        return PCS_HAS(&model->point_names, point) ? model->point_names.data[point] : NULL;
    }
    return body == PCS_GROUND ? "ground" : model->bodies.data[body].name;
}

int32_t pcs_model_body_shapes(const pcs_model *model, pcs_body_id body,
                              const pcs_shape_def **shapes)
{
    *shapes = NULL;
    if (!PCS_HAS(&model->bodies, body))
        return 0;
    *shapes = model->bodies.data[body].shapes;
    return model->bodies.data[body].n_shapes;
}

int32_t pcs_model_joint_count(const pcs_model *model)
{
    return model->n_shown_joints;
}

const char *pcs_model_joint_name(const pcs_model *model, pcs_joint_id joint)
{
    return PCS_HAS(&model->joints, joint) ? model->joints.data[joint].name : NULL;
}

pcs_joint_kind pcs_model_joint_kind(const pcs_model *model, pcs_joint_id joint)
{
    return PCS_HAS(&model->joints, joint) ? model->joints.data[joint].kind : PCS_JOINT_KIND_COUNT;
}

int32_t pcs_model_coupling_count(const pcs_model *model)
{
    return model->couplings.count;
}

const char *pcs_model_coupling_name(const pcs_model *model, int32_t coupling)
{
    return PCS_HAS(&model->couplings, coupling) ? model->couplings.data[coupling].name : NULL;
}

int32_t pcs_model_system_count(const pcs_model *model)
{
    return model->systems.count;
}

const char *pcs_model_system_name(const pcs_model *model, pcs_system_id system)
{
    return PCS_HAS(&model->systems, system) ? model->systems.data[system].name : NULL;
}

int32_t pcs_model_system_size(const pcs_model *model, pcs_system_id system)
{
    return PCS_HAS(&model->systems, system) ? model->systems.data[system].n : 0;
}

const char *pcs_model_system_coordinate(const pcs_model *model, pcs_system_id system, int32_t i)
{
    const pcs_system *s = PCS_HAS(&model->systems, system) ? &model->systems.data[system] : NULL;
    return s && i >= 0 && i < s->n ? s->coordinate[i] : NULL;
}

const char *pcs_model_system_constraint(const pcs_model *model, pcs_system_id system, int32_t i)
{
    const pcs_system *s = PCS_HAS(&model->systems, system) ? &model->systems.data[system] : NULL;
    return s && i >= 0 && i < s->n_constraints ? s->constraint[i] : NULL;
}

// Systems have the last nodes, in their order.
static const pcs_system *system_of(const pcs_model *model, int32_t node)
{
    return &model->systems.data[model->systems.count - (model->nodes.count - node)];
}

const char *pcs_model_node_name(const pcs_model *model, int32_t node, char text[PCS_NODE_NAME_SIZE])
{
    if (node < 0)
        return "?";
    const int32_t mesh = pcs_model_mesh_of_node(model, node);
    if (node < model->bodies.count) // bodies have the first nodes
        snprintf(text, PCS_NODE_NAME_SIZE, "body '%.280s'", model->bodies.data[node].name);
    else if (mesh >= 0)
        snprintf(text, PCS_NODE_NAME_SIZE, "node %d of mesh '%.280s'",
                 (int)(node - model->meshes.data[mesh].first_node), model->meshes.data[mesh].name);
    else
        snprintf(text, PCS_NODE_NAME_SIZE, "system '%.280s'", system_of(model, node)->name);
    return text;
}

const char *pcs_model_velocity_name(const pcs_model *model, int32_t i,
                                    char text[PCS_NODE_NAME_SIZE])
{
    int32_t node = 0;
    while (node < model->nodes.count - 1 && i >= model->nodes.data[node + 1].v)
        ++node;
    if (node < model->bodies.count || pcs_model_mesh_of_node(model, node) >= 0)
        return pcs_model_node_name(model, node, text);
    const pcs_system *s = system_of(model, node);
    snprintf(text, PCS_NODE_NAME_SIZE, "coordinate '%.140s' of system '%.140s'",
             s->coordinate[i - model->nodes.data[node].v], s->name);
    return text;
}

int32_t pcs_model_contact_count(const pcs_model *model)
{
    return model->n_slots;
}

const char *pcs_model_contact_name(const pcs_model *model, int32_t slot)
{
    return PCS_HAS(&model->slot_names, slot) ? model->slot_names.data[slot] : NULL;
}

int32_t pcs_model_input_count(const pcs_model *model)
{
    return model->externals.count;
}

const char *pcs_model_input_name(const pcs_model *model, int32_t input)
{
    return PCS_HAS(&model->externals, input) ? model->externals.data[input].name : NULL;
}

pcs_status pcs_model_find_input(pcs_context *ctx, const pcs_model *model, const char *name,
                                int32_t *input)
{
    const char *nearest = NULL;
    int distance = INT_MAX;
    for (int32_t i = 0; i < model->externals.count; ++i) {
        const char *known = model->externals.data[i].name;
        if (strcmp(known, name) == 0) {
            *input = i;
            return PCS_OK;
        }
        if (pcs_text_distance(name, known) < distance) {
            distance = pcs_text_distance(name, known);
            nearest = known;
        }
    }
    if (!nearest)
        return pcs_error(ctx, PCS_ERROR_INPUT,
                         "there is no input '%s': the model has none; declare it in 'inputs'",
                         name);
    return pcs_error(ctx, PCS_ERROR_INPUT, "there is no input '%s'; did you mean '%s'?", name,
                     nearest);
}

int32_t pcs_model_coordinate_count(const pcs_model *model)
{
    return model->n_q;
}

int32_t pcs_model_velocity_count(const pcs_model *model)
{
    return model->n_v;
}

int32_t pcs_model_row_count(const pcs_model *model)
{
    return model->n_rows;
}

const char *pcs_model_row_name(const pcs_model *model, int32_t row)
{
    return PCS_HAS(&model->row_names, row) ? model->row_names.data[row] : NULL;
}
