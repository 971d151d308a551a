// Workspace of the capturing scheme of any order, shared by its step (capturing.c), what is closed
// and where a step ends (capturing_events.c) and what it leaves in the state (capturing_output.c).
#ifndef PCS_SCHEMES_CAPTURING_H
#define PCS_SCHEMES_CAPTURING_H

#include "schemes/gap_search.h"
#include "schemes/march.h"
#include "schemes/moreau_jean.h"

// Options, behind those of Moreau-Jean.
typedef enum capturing_option {
    CAP_INTEGRATOR = MJ_OPTION_COUNT,
    CAP_STEP_CONTROL,
    CAP_TOLERANCE,
    CAP_FIRST_STEP,
    CAP_SMALLEST_STEP,
    CAP_LARGEST_STEP,
    CAP_SAFETY,
    CAP_GROWTH,
    CAP_STABILISATION,
    CAP_LOCATION_CONSTANT,
    CAP_LOCATION_FLOOR,
    CAP_REST_GAP,
    CAP_EVENTS_MAX,
    CAP_TIME_STEP,
    CAP_OPTION_COUNT
} capturing_option;

// What ends a smooth step before its end.
typedef enum capturing_event {
    CAPTURING_NOTHING,
    CAPTURING_IMPACT,  // an open contact closes
    CAPTURING_RELEASE, // a closed contact would pull
    CAPTURING_EDGE     // a closed contact goes over to another face
} capturing_event;

// What is known of the memory of an implicit method.
typedef enum capturing_memory {
    CAPTURING_NO_MEMORY,
    CAPTURING_PRESENT,      // that of the present state
    CAPTURING_BEFORE_IMPACT // that before a Moreau-Jean step
} capturing_memory;

typedef struct capturing {
    moreau_jean mj; // first, as its functions want it
    pcs_march *march;
    pcs_phase phase;        // contacts that stay closed in the smooth part at hand
    pcs_smooth_point probe; // dense output
    bool *forced;           // by slot: active in the Moreau-Jean step over an impact
    // By slot, at the start and the end of the smooth step at hand.
    double *gap_from, *rate_from, *gap_to, *rate_to;
    int32_t *face_from;
    double *level;       // gap below which an open contact counts as closed in this step
    bool edge;           // a closed contact changes its face in this step
    double *low_flights; // by slot: its last flights, while they were short
    pcs_gap_search *gaps;
    int32_t hit;               // slot that closes first in this step, -1: none
    double hit_time, hit_open; // an instant at which it is closed, and the last open one before
    // Over the whole output step: impulses, for the state.
    double *filter; // 2 n_v: memory of an implicit method and the accelerations it belongs to
    capturing_memory known;
    double damping;        // power of the damping forces that the accelerations belong to
    double *joint_impulse; // of the output step so far
    double *impulse_frame; // impulses of the frame before this output step
    double begin, end;     // of the output step
    double width;          // |t_b - t_a| of an event's interval
} capturing;

// Gaps and normal velocities of all slots at an instant; the contacts stay in mj.contacts_end.
void pcs_capturing_look(capturing *s, const pcs_state *state, double t, const double *q,
                        const double *v, double *gap, double *rate);
// Time between impacts below which they are one.
double pcs_capturing_together(const capturing *s);
// Contacts at (t, q, v) of the state that stay closed, into `phase`; *smooth is false where
// friction or an open question leaves the step to Moreau-Jean; *impact is true where contacts close
// right now with a speed (they are then `forced`). The march has begun unless *smooth is false.
pcs_status pcs_capturing_find_phase(capturing *s, pcs_state *state, bool *smooth, bool *impact)
    PCS_MUST_CHECK;
// Looks at the last step of the march. With an event: its interval [*t_a, *t_b], and `forced`; an
// edge is not located, the interval is the whole step.
pcs_status pcs_capturing_search(capturing *s, const pcs_state *state, capturing_event *event,
                                double *t_a, double *t_b) PCS_MUST_CHECK;
// How much deeper than an impact misplaced by `width` an open contact is at the end of the march's
// last step.
double pcs_capturing_depth(capturing *s, const pcs_state *state);

// The end of the march's last step becomes the state: t, q, v, a, forces, works, status of
// contacts.
void pcs_capturing_store_smooth(capturing *s, pcs_state *state);
// Puts the impulses of the output step into the state, and the energies into the report.
void pcs_capturing_finish(capturing *s, pcs_state *state, pcs_step_report *report);

#endif
