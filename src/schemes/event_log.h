// What happened and when: impacts, contacts that open, close, stick or slip, steps that were given
// up. A ring of the latest events; it allocates at creation alone, so that a step makes no heap
// call.
#ifndef PCS_SCHEMES_EVENT_LOG_H
#define PCS_SCHEMES_EVENT_LOG_H

#include "percuss/simulation.h"

typedef struct pcs_event_log {
    pcs_context *ctx;
    int32_t n_slots;
    uint8_t *state;       // of each contact slot at the end of the last step
    double *impact_speed; // of the step at hand; 0: no impact
    double *impulse;      // of the impacts of the step at hand, 3 for each slot
    pcs_event *ring;
    int64_t count;   // of all events so far; the ring has the last ones
    int64_t written; // the largest count ever: later events were taken back, but have used the ring
} pcs_event_log;

pcs_status pcs_event_log_init(pcs_context *ctx, int32_t n_slots, pcs_event_log *log) PCS_MUST_CHECK;
void pcs_event_log_free(pcs_event_log *log);
// Forgets all events and takes the contact states (pcs_contact_state as numbers) as the present.
void pcs_event_log_reset(pcs_event_log *log, const double *status);

// Contact `slot` closes with this approach speed (m/s, > 0) in the step at hand, and has this impulse
// of `size` components. Several impacts of a contact in one step are one event: their impulses add
// up.
void pcs_event_log_impact(pcs_event_log *log, int32_t slot, double speed, const double *impulse,
                          int32_t size);
// The end of a step (or of a part of one): books impacts and all changes of the contact states.
void pcs_event_log_contacts(pcs_event_log *log, double time, const double *status);
void pcs_event_log_add(pcs_event_log *log, pcs_event event);
// Takes back all events from number `count` on, for a step that is given up; the contact states are
// again those of the state before it.
void pcs_event_log_rewind(pcs_event_log *log, int64_t count, const double *status);
// Event `index` (from 0); false if it is not there any more or not yet.
bool pcs_event_log_get(const pcs_event_log *log, int64_t index, pcs_event *event);

#endif
