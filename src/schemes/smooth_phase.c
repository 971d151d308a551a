// Phases: which contacts are closed, and how (smooth_system.h).
#include <string.h>

#include "schemes/smooth_system.h"

pcs_status pcs_phase_init(pcs_context *ctx, const pcs_model *model, pcs_phase *phase)
{
    phase->mode = PCS_NEW_ARRAY(ctx, uint8_t, model->n_slots);
    phase->direction = pcs_calloc(ctx, (size_t)model->n_slots, sizeof *phase->direction);
    phase->axis = PCS_NEW_ARRAY(ctx, uint8_t, model->n_slots);
    phase->gap = PCS_NEW_ARRAY(ctx, double, model->n_slots);
    phase->face = PCS_NEW_ARRAY(ctx, int32_t, model->n_faces);
    if (!phase->gap || !phase->axis || !phase->mode || !phase->direction || !phase->face) {
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
    pcs_free(ctx, phase->axis);
    pcs_free(ctx, phase->gap);
    pcs_free(ctx, phase->face);
    *phase = (pcs_phase){0};
}

void pcs_phase_copy(const pcs_model *model, pcs_phase *to, const pcs_phase *from)
{
    memcpy(to->mode, from->mode, (size_t)model->n_slots);
    memcpy(to->direction, from->direction, sizeof *to->direction * (size_t)model->n_slots);
    memcpy(to->axis, from->axis, (size_t)model->n_slots);
    memcpy(to->gap, from->gap, sizeof(double) * (size_t)model->n_slots);
    memcpy(to->face, from->face, sizeof(int32_t) * (size_t)model->n_faces);
}
