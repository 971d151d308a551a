// Everything that changes during a run. One block of numbers, so that saving, restoring and
// comparing states are copies of memory; the named arrays are views into it.
#ifndef PCS_MODEL_STATE_H
#define PCS_MODEL_STATE_H

#include "model/model.h"

typedef struct pcs_state {
    int64_t count;  // numbers in `data`
    double *data;   // owned
    double *t;      // time, 1 number
    double *q, *v;  // n_q, n_v
    double *turns;  // multi-turn references, n_turns
    double *a;      // accelerations, n_v
    double *p;      // joint impulses over the last step, n_rows
    double *lambda; // joint forces, n_rows
    double *h;      // length of the last step, 1 number
    double *r, *u;  // contact impulses over the last step and velocities, 3 for each slot
    double *force;  // contact forces, 3 for each slot
    double *gap;    // n_slots, at the present configuration
    double *status; // n_slots, a pcs_contact_state
    // Since the last frame (pcs_simulation_mark_frame): time, contact impulses, and the force of the
    // step in which the normal one was largest, 3 for each slot
    double *frame, *impulse, *peak;
    double *impact;   // the part of the impulses that was of impacts, 3 for each slot
    double *work;     // PCS_WORK_COUNT accounts since the start
    double *external; // what formulas read from outside: the inputs that the caller sets, one for
                      // each of the model's externals, then the first and the last time that
                      // formulas see (model/switches.h)
    double *memory;   // what the scheme itself keeps from step to step
    bool given;       // q and turns hold the start; otherwise it comes from the model
} pcs_state;

// a, lambda and force belong to the instant t where the scheme knows them (smooth integrators,
// event-driven); a time-stepping scheme has only means over its last step: a = (v_{k+1} - v_k)/h,
// lambda = p/h, force = r/h.

typedef enum pcs_work {
    PCS_WORK_APPLIED,
    PCS_WORK_ACTUATOR,
    PCS_WORK_DRIVER,
    PCS_WORK_DAMPING,
    PCS_WORK_FRICTION,
    PCS_WORK_IMPACT,
    PCS_WORK_START_ENERGY, // kinetic + potential at the start
    PCS_WORK_COUNT
} pcs_work;

// `memory` numbers are for the scheme.
pcs_status pcs_state_init(pcs_context *ctx, const pcs_model *model, int64_t memory,
                          pcs_state *state) PCS_MUST_CHECK;
void pcs_state_free(pcs_context *ctx, pcs_state *state);
void pcs_state_copy(pcs_state *to, const pcs_state *from);
// A new frame begins.
void pcs_state_begin_frame(pcs_state *state, int32_t n_slots);
// Books the impulses r of a step that is over, or of a part of one, and the forces, if they are.
void pcs_state_book_contacts(pcs_state *state, int32_t n_slots, bool forces);

#endif
