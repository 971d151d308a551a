// Phases: which contacts are closed, and how (smooth_system.h).
#include <math.h>
#include <string.h>

#include "schemes/smooth_system.h"

pcs_status pcs_phase_init(pcs_context *ctx, const pcs_model *model, pcs_phase *phase)
{
    phase->mode = PCS_NEW_ARRAY(ctx, uint8_t, model->n_slots);
    phase->direction = pcs_calloc(ctx, (size_t)model->n_slots, sizeof *phase->direction);
    phase->heading = pcs_calloc(ctx, (size_t)model->n_slots, sizeof *phase->heading);
    phase->axis = PCS_NEW_ARRAY(ctx, uint8_t, model->n_slots);
    phase->face = PCS_NEW_ARRAY(ctx, int32_t, model->n_faces);
    if (!phase->axis || !phase->mode || !phase->direction || !phase->heading || !phase->face) {
        pcs_phase_free(ctx, phase);
        return PCS_ERROR_MEMORY;
    }
    for (int32_t i = 0; i < model->n_faces; ++i)
        phase->face[i] = -1;
    return PCS_OK;
}

void pcs_phase_free(pcs_context *ctx, pcs_phase *phase)
{
    pcs_free(ctx, phase->mode);
    pcs_free(ctx, phase->direction);
    pcs_free(ctx, phase->heading);
    pcs_free(ctx, phase->axis);
    pcs_free(ctx, phase->face);
    *phase = (pcs_phase){0};
}

void pcs_phase_copy(const pcs_model *model, pcs_phase *to, const pcs_phase *from)
{
    memcpy(to->mode, from->mode, (size_t)model->n_slots);
    memcpy(to->direction, from->direction, sizeof *to->direction * (size_t)model->n_slots);
    memcpy(to->heading, from->heading, sizeof *to->heading * (size_t)model->n_slots);
    memcpy(to->axis, from->axis, (size_t)model->n_slots);
    memcpy(to->face, from->face, sizeof(int32_t) * (size_t)model->n_faces);
}

void pcs_heading_set(const pcs_contact *contact, const double d[2], double heading[3])
{
    pcs_vec3 vector = {0, 0, 0};
    if (contact->row.size == 3)
        vector = pcs_v3_axpy(pcs_v3_scale(d[0], contact->tangent1), d[1], contact->tangent2);
    pcs_v3_store(heading, vector);
}

void pcs_heading_get(const pcs_contact *contact, const double d[2], const double heading[3],
                     double direction[2])
{
    const pcs_vec3 vector = pcs_v3_load(heading);
    const double x = pcs_v3_dot(vector, contact->tangent1),
                 y = pcs_v3_dot(vector, contact->tangent2), length = hypot(x, y);
    const bool known = contact->row.size == 3 && length > 0;
    direction[0] = known ? x / length : d[0];
    direction[1] = known ? y / length : d[1];
}
