// Lifetime of a model and the public look at it.
#include "model/model.h"

#include <limits.h>
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
    pcs_free(ctx, model->pairs);
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

const char *pcs_model_body_name(const pcs_model *model, pcs_body_id body)
{
    return body == PCS_GROUND ? "ground" : model->bodies.data[body].name;
}

int32_t pcs_model_body_shapes(const pcs_model *model, pcs_body_id body,
                              const pcs_shape_def **shapes)
{
    *shapes = model->bodies.data[body].shapes;
    return model->bodies.data[body].n_shapes;
}

int32_t pcs_model_joint_count(const pcs_model *model)
{
    return model->joints.count;
}

const char *pcs_model_joint_name(const pcs_model *model, pcs_joint_id joint)
{
    return model->joints.data[joint].name;
}

pcs_joint_kind pcs_model_joint_kind(const pcs_model *model, pcs_joint_id joint)
{
    return model->joints.data[joint].kind;
}

int32_t pcs_model_coupling_count(const pcs_model *model)
{
    return model->couplings.count;
}

const char *pcs_model_coupling_name(const pcs_model *model, int32_t coupling)
{
    return model->couplings.data[coupling].name;
}

int32_t pcs_model_contact_count(const pcs_model *model)
{
    return model->n_slots;
}

const char *pcs_model_contact_name(const pcs_model *model, int32_t slot)
{
    return model->slot_names.data[slot];
}

int32_t pcs_model_input_count(const pcs_model *model)
{
    return model->externals.count;
}

const char *pcs_model_input_name(const pcs_model *model, int32_t input)
{
    return model->externals.data[input].name;
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
    return model->row_names.data[row];
}
