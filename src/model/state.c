// The state as one block of numbers with named views.
#include "model/state.h"

#include <math.h>
#include <string.h>

pcs_status pcs_state_init(pcs_context *ctx, const pcs_model *model, int64_t memory,
                          pcs_state *state)
{
    *state = (pcs_state){0};
    const int64_t slots = model->n_slots;
    struct {
        double **view;
        int64_t count;
    } part[] = {
        {&state->t, 1},
        {&state->h, 1},
        {&state->q, model->n_q},
        {&state->v, model->n_v},
        {&state->turns, model->n_turns},
        {&state->a, model->n_v},
        {&state->p, model->n_rows},
        {&state->lambda, model->n_rows},
        {&state->r, 3 * slots},
        {&state->u, 3 * slots},
        {&state->force, 3 * slots},
        {&state->gap, slots},
        {&state->status, slots},
        {&state->frame, 1},
        {&state->impulse, 3 * slots},
        {&state->peak, 3 * slots},
        {&state->impact, 3 * slots},
        {&state->work, PCS_WORK_COUNT},
        {&state->external, model->externals.count + 2},
        {&state->memory, memory},
    };
    for (size_t i = 0; i < sizeof part / sizeof *part; ++i)
        state->count += part[i].count;
    state->data = PCS_NEW_ARRAY(ctx, double, state->count);
    if (!state->data)
        return PCS_ERROR_MEMORY;
    double *next = state->data;
    for (size_t i = 0; i < sizeof part / sizeof *part; ++i) {
        *part[i].view = next;
        next += part[i].count;
    }
    for (int32_t i = 0; i < model->externals.count; ++i)
        state->external[i] = model->externals.data[i].initial;
    state->external[model->externals.count] = -HUGE_VAL;
    state->external[model->externals.count + 1] = HUGE_VAL;
    return PCS_OK;
}

void pcs_state_free(pcs_context *ctx, pcs_state *state)
{
    pcs_free(ctx, state->data);
    *state = (pcs_state){0};
}

void pcs_state_copy(pcs_state *to, const pcs_state *from)
{
    memcpy(to->data, from->data, sizeof(double) * (size_t)from->count);
}

void pcs_state_begin_frame(pcs_state *state, int32_t n_slots)
{
    *state->frame = 0;
    memset(state->impulse, 0, 3 * sizeof(double) * (size_t)n_slots);
    memset(state->peak, 0, 3 * sizeof(double) * (size_t)n_slots);
    memset(state->impact, 0, 3 * sizeof(double) * (size_t)n_slots);
}

void pcs_state_book_contacts(pcs_state *state, int32_t n_slots, bool forces)
{
    for (int32_t i = 0; i < 3 * n_slots; ++i)
        state->impulse[i] += state->r[i];
    for (int32_t i = 0; forces && i < n_slots; ++i)
        if (state->force[3 * i] > state->peak[3 * i])
            memcpy(state->peak + 3 * i, state->force + 3 * i, 3 * sizeof(double));
}
