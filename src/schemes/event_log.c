#include "schemes/event_log.h"

#include <math.h>
#include <string.h>

#include "base/context.h"

enum { RING_SIZE = 1 << 16 };

pcs_status pcs_event_log_init(pcs_context *ctx, int32_t n_slots, pcs_event_log *log)
{
    *log = (pcs_event_log){.ctx = ctx, .n_slots = n_slots};
    log->state = PCS_NEW_ARRAY(ctx, uint8_t, n_slots);
    log->impact_speed = PCS_NEW_ARRAY(ctx, double, n_slots);
    log->impulse = PCS_NEW_ARRAY(ctx, double, 3 * (int64_t)n_slots);
    log->ring = PCS_NEW_ARRAY(ctx, pcs_event, RING_SIZE);
    return log->state && log->impact_speed && log->impulse && log->ring ? PCS_OK : PCS_ERROR_MEMORY;
}

void pcs_event_log_free(pcs_event_log *log)
{
    if (log->ctx == NULL)
        return;
    pcs_free(log->ctx, log->state);
    pcs_free(log->ctx, log->impact_speed);
    pcs_free(log->ctx, log->impulse);
    pcs_free(log->ctx, log->ring);
    *log = (pcs_event_log){0};
}

void pcs_event_log_reset(pcs_event_log *log, const double *status)
{
    log->written = 0;
    pcs_event_log_rewind(log, 0, status);
}

void pcs_event_log_rewind(pcs_event_log *log, int64_t count, const double *status)
{
    log->count = count;
    for (int32_t i = 0; i < log->n_slots; ++i) {
        log->state[i] = (uint8_t)status[i];
        log->impact_speed[i] = 0;
    }
    memset(log->impulse, 0, 3 * sizeof(double) * (size_t)log->n_slots);
}

void pcs_event_log_impact(pcs_event_log *log, int32_t slot, double speed, const double *impulse,
                          int32_t size)
{
    log->impact_speed[slot] = fmax(log->impact_speed[slot], speed);
    for (int32_t k = 0; k < size; ++k)
        log->impulse[3 * slot + k] += impulse[k];
}

// The event of a change without impact; false: none.
static bool find_kind(pcs_contact_state before, pcs_contact_state after, pcs_event_kind *kind)
{
    if (before == after)
        return false;
    *kind = after == PCS_OPEN    ? PCS_EVENT_OPEN
            : before == PCS_OPEN ? PCS_EVENT_CLOSE
            : after == PCS_STICK ? PCS_EVENT_STICK
                                 : PCS_EVENT_SLIP;
    return true;
}

void pcs_event_log_contacts(pcs_event_log *log, double time, const double *status)
{
    for (int32_t i = 0; i < log->n_slots; ++i) {
        const pcs_contact_state before = (pcs_contact_state)log->state[i];
        const pcs_contact_state after = (pcs_contact_state)(int)status[i];
        pcs_event event = {.time = time, .object = i};
        if (log->impact_speed[i] > 0 || log->impulse[3 * i] > 0) {
            event.kind = PCS_EVENT_IMPACT;
            event.value = log->impact_speed[i];
            memcpy(event.impulse, log->impulse + 3 * i, sizeof event.impulse);
            pcs_event_log_add(log, event);
            log->impact_speed[i] = 0;
            memset(log->impulse + 3 * i, 0, sizeof event.impulse);
        } else if (find_kind(before, after, &event.kind)) {
            pcs_event_log_add(log, event);
        }
        log->state[i] = (uint8_t)after;
    }
}

void pcs_event_log_add(pcs_event_log *log, pcs_event event)
{
    log->ring[log->count++ % RING_SIZE] = event;
    log->written = log->count > log->written ? log->count : log->written;
}

bool pcs_event_log_get(const pcs_event_log *log, int64_t index, pcs_event *event)
{
    if (index < 0 || index >= log->count || index < log->written - RING_SIZE)
        return false;
    *event = log->ring[index % RING_SIZE];
    return true;
}
