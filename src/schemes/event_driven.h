// Workspace of the event-driven scheme, shared by its parts:
//     event_driven.c   options, start, the step from one output time to the next
//     event_search.c   event functions on the dense output, location of the earliest event
//     event_impact.c   what happens at an event: impact, new phase
//     event_begin.c    the beginning of a phase on its rows
//     event_jam.c      forces of sliding contacts that go to infinity
//     event_status.c   forces and status of closed contacts at acceleration level
//     event_spare.c    closed contacts that need not carry
//     event_switches.c conditions on the state in formulas, jumps of driven joints
//     event_output.c   the state at output times, impulses and work, memory of a resumed run
// The hybrid scheme (hybrid.c) embeds it.
#ifndef PCS_SCHEMES_EVENT_DRIVEN_H
#define PCS_SCHEMES_EVENT_DRIVEN_H

#include "base/arena.h"
#include "nonsmooth/friction_contact.h"
#include "schemes/event_driven_options.h"
#include "schemes/gap_search.h"
#include "schemes/march.h"
#include "schemes/scheme.h"

// What ends a phase, by slot (and by curve joint behind the slots).
typedef enum pcs_ed_cause {
    ED_NOTHING,
    ED_CLOSING,      // the gap falls to zero
    ED_RELEASE,      // the normal force falls to zero
    ED_STICK_END,    // the friction force reaches the cone
    ED_SLIP_END,     // the sliding velocity falls to zero
    ED_EDGE,         // the contact reaches the end of its face
    ED_INCONSISTENT, // statically indeterminate contacts: no forces in the cones keep the phase
    ED_SETTLED,      // closed and steady in time stepping, whose velocities have its error
    ED_GROUNDED,     // closes again after a flight lower than the rounding of positions
    ED_JAM,          // slides, and its force goes to infinity
    ED_CAUSE_COUNT
} pcs_ed_cause;

// Event functions of a slot; each is positive inside its phase and HUGE_VAL where there is none.
enum { ED_GAP, ED_FORCE, ED_TANGENT, ED_END_OF_FACE, ED_FUNCTIONS };

// Values of all event functions but gaps at one instant.
typedef struct pcs_ed_sample {
    double t;
    bool consistent; // see ED_INCONSISTENT
    double *value;   // ED_FUNCTIONS for each slot, then one for each curve joint
} pcs_ed_sample;

// Contacts of a problem at one instant, packed.
typedef struct pcs_ed_set {
    int32_t n;
    int32_t *slot;
    const pcs_row_block **H;
    int32_t *offset; // of the full rows, n + 1
    uint8_t *slides; // friction follows the normal force along `direction`
    double (*direction)[2];
    double *mu;           // 0 for contacts whose rows have no tangents
    double *mobility;     // W_NN, along the column of a sliding contact
    double (*tangent)[3]; // W_TT of contacts in space: 11, 12, 22
    double *idle;         // acceleration of a contact at rest that carries next to nothing; else -1
    double *r, *u;        // full rows
    double *before;       // forces before, full rows: the choice among several solutions
    double scale;         // largest driving velocity or acceleration of the last solve
    double rounding;      // of the velocities W r of the last solve, as a part of it
} pcs_ed_set;

// Which solution where a problem of few contacts has several.
typedef enum pcs_ed_choice {
    ED_ANY,     // what the iterative solver finds; nothing is counted
    ED_NEAREST, // to `before`
    ED_LARGEST  // the impulse of an impact without collision; the null impulse solves it too
} pcs_ed_choice;

typedef struct event_driven {
    pcs_scheme base;
    pcs_march *march;    // created at the start, when the options are known
    pcs_phase phase;     // the present one
    pcs_arena arena;     // problems of events
    pcs_saddle *saddle;  // M with the joint rows
    pcs_row_block *rows; // at `c`
    double *row_values;
    double *convective, *p_row; // by joint row

    pcs_configuration c;   // instant at hand
    pcs_contact *contacts; // at c
    pcs_smooth_point point;
    double *v, *v_minus, *f, *x; // n_v
    double *q;
    double *turns; // multi-turn angles at the end of the last step, and where that is
    double *turns_q;
    double *external;      // inputs of the state, then the window of time of the last step
    double *external_seen; // values that the accelerations at hand belong to
    double *sides[2]; // of switches of the state: at the start of the step, at the instant at hand
    pcs_ed_set set;
    pcs_ed_sample before, after, trial; // of the search
    pcs_gap_search *gaps;               // of open contacts
    pcs_gap_place *place[2];            // by slot, at the ends of the part that is searched
    double too_early;                   // roots before are not located: the step is cut first
    double *root;                       // by event function
    bool *suspect;                      // by event function: found in a longer step
    double (*slip_direction)[2];        // by slot, at the start of the step
    double *curve_edge;                 // by curve joint
    double *gradient[2];                // n_v: rows of a curve joint before and behind a corner
    int32_t *curve_face, *curve_next;

    // The march.
    bool has_step;       // from..to is a step; else `to` alone is an instant
    bool pending;        // an event at to.t waits to be handled
    bool all;            // it asks for the status of all contacts (start, jump of a load)
    uint8_t *cause;      // n_faces, of the pending event
    double *level;       // by slot: gap that an open contact must fall below to close, <= 0
    double *slip_level;  // by slot: the same for the speed along the direction of sliding
    bool *stopping;      // by slot: slides in space and ends at the event at hand
    bool *flying;        // by slot: nearly touches, but moves, before the event at hand
    bool *spare;         // by slot: touches, but others carry its load (event_spare.c)
    bool indeterminate;  // redundant rows of closed contacts: their forces come from the cones
    double *rounding;    // n_v: of the forces at the last event, in models with meshes
    double force_noise;  // forces below are zero
    double gap_noise;    // rounding of gaps
    double *restitution; // packed as the set: e_N u_N, e_T u_T
    double *approach;    // by slot, of the impact at hand
    double *last_impact; // by slot, its time; -HUGE_VAL: none yet
    double *touched;     // by slot, the last event at which it was not in flight; -HUGE_VAL: none

    // Accounts.
    double booked;                // impulses are in the sums up to this time
    double *r_sum, *p_sum;        // impulses since the last output
    double *force;                // of all slots at the instant at hand
    bool sampled, powers_sampled; // at the three nodes of the step
    double *node_force[3], *node_lambda[3], node_power[3][PCS_WORK_COUNT];
    double *warm;                     // last forces, full components by slot
    double *status;                   // pcs_contact_state by slot
    double work_base[PCS_WORK_COUNT]; // accounts without those of the march's points
    int32_t impacts;                  // of the output step
    int32_t solver_iterations;
    double residual, drift, velocity_drift;
    pcs_depth penetration;
    pcs_march_counts counted;  // at the last report
    double kinetic, potential; // at the last output
    int64_t evaluations;       // at the beginning of the output step

    // Zeno guard.
    double zeno_since;
    int64_t zeno_events;
    double last_event;  // its time
    int64_t repeats;    // events at that instant, less one
    int64_t chatter;    // switches of the state that followed each other at once
    int64_t quiet;      // steps without one since the last
    double last_switch; // its time
    double planned;     // length of steps before the way to such a switch; 0: not on it
    double leap;        // time to go straight on to the other side of a switch; 0: none
    bool warned_stiff;
    int64_t painleve; // impacts without collision and choices among several solutions

    bool started;
    bool inside;    // an output step: from the state it was taken up from until it is saved
    double *memory; // last copy of what the state keeps, to see that the state was replaced
    int64_t memory_count;
} event_driven;

// ---- event_driven.c ----
pcs_status pcs_ed_init(event_driven *s) PCS_MUST_CHECK;
void pcs_ed_free(event_driven *s);
pcs_status pcs_ed_start(event_driven *s, pcs_state *state, pcs_statistics *statistics)
    PCS_MUST_CHECK;
// One accepted step of the march with the search for its earliest event, or the handling of the
// event that is pending. The march does not pass `limit`.
pcs_status pcs_ed_advance(event_driven *s, double limit) PCS_MUST_CHECK;
// Before the steps of an output step: takes up the state's memory, inputs and the very first phase.
pcs_status pcs_ed_prepare(event_driven *s, const pcs_state *state) PCS_MUST_CHECK;

// ---- event_search.c ----
// Looks for the earliest event of the last step; if there is one, cuts the step there and sets
// `pending` and `cause`.
pcs_status pcs_ed_search(event_driven *s) PCS_MUST_CHECK;
// Configuration, contacts with rows (and convective terms) at a point, with the phase's faces.
void pcs_ed_look(event_driven *s, const pcs_smooth_point *point, bool convective);

// ---- event_impact.c ----
// Handles the pending event at march->to: impact, status, new phase.
pcs_status pcs_ed_handle(event_driven *s) PCS_MUST_CHECK;

// ---- event_begin.c ----
// Contacts at (to.t, s->q, s->v).
void pcs_ed_look_here(event_driven *s);
// Begins the present phase at (t, s->q, s->v).
pcs_status pcs_ed_begin(event_driven *s, double t) PCS_MUST_CHECK;

// ---- event_status.c ----
void pcs_ed_set_clear(pcs_ed_set *set);
void pcs_ed_set_add(event_driven *s, int32_t slot, bool slides);
// M and the joint rows at c, factorised.
pcs_status pcs_ed_factor(event_driven *s) PCS_MUST_CHECK;
// x += H^T r over the set
void pcs_ed_add_forces(const event_driven *s, double *x);
// Solves u = W r + q over the set (q in set.u on entry), contacts that slide with r_T = -mu d r_N.
// *solutions: 0 none found, 1, more (counted for few contacts only).
pcs_status pcs_ed_solve(event_driven *s, pcs_ed_choice choice, int32_t *solutions) PCS_MUST_CHECK;
// Forces of the set at acceleration level, at c with contacts looked at: set.r, set.u = (a_N, a_T).
pcs_status pcs_ed_accelerations(event_driven *s, pcs_ed_choice choice, int32_t *solutions)
    PCS_MUST_CHECK;
// The impulses of an impact without collision of the set's contacts, where sliding ones have no forces.
// along: sought from the direction of the forces before, which go to infinity.
pcs_status pcs_ed_jump(event_driven *s, bool along, int32_t *solutions) PCS_MUST_CHECK;
// The set of the closed contacts of the phase.
void pcs_ed_set_of_phase(event_driven *s);
// Rounding of the forces at c, before pcs_ed_factor(): the elastic forces of a mesh at rest are
// what the last digits of its positions make of them.
void pcs_ed_find_rounding(event_driven *s);
// New modes of the set's contacts from its accelerations and forces; finds those that are idle.
void pcs_ed_decide(event_driven *s);
// Time to look ahead with the accelerations a: no coordinate moves by more than what leaves its
// change eight digits, and no velocity changes by more than a part of the largest. 0: nothing moves.
double pcs_ed_time_ahead(const event_driven *s, const double *a);
// New modes of the idle ones, from the problem solved since, a little later, if they no longer are.
void pcs_ed_decide_later(event_driven *s);
// True if forces in the cones exist that keep the phase at the point at hand.
pcs_status pcs_ed_consistent(event_driven *s, bool *consistent) PCS_MUST_CHECK;
// Forces (N, T1, T2) of all slots at a point of the phase; contacts are looked at.
pcs_status pcs_ed_forces(event_driven *s, const pcs_smooth_point *point, double *force)
    PCS_MUST_CHECK;

// ---- event_jam.c ----
// Behind a step of the march that no length makes exact: whether forces of sliding contacts go to
// infinity just after to.t; then their causes are set, and the event is pending.
pcs_status pcs_ed_find_jam(event_driven *s, bool *jams) PCS_MUST_CHECK;

// ---- event_switches.c ----
// Memory, once the switches of the run are known.
pcs_status pcs_ed_init_switches(event_driven *s) PCS_MUST_CHECK;
// Cuts the last step before the first switch of a formula of the state. *at: the end of the step,
// if the switch is near enough to go over it, else HUGE_VAL.
pcs_status pcs_ed_search_switches(event_driven *s, double *at) PCS_MUST_CHECK;
// Goes over it.
pcs_status pcs_ed_leap(event_driven *s) PCS_MUST_CHECK;
// Impulses of driven joints whose rates have jumped, at c with contacts looked at.
pcs_status pcs_ed_drive(event_driven *s) PCS_MUST_CHECK;

// ---- event_spare.c ----
// Puts aside contacts that the phase can do without; *found: there were some.
pcs_status pcs_ed_put_aside(event_driven *s, bool *found) PCS_MUST_CHECK;

// ---- event_output.c ----
// The instant t of the last step, or its nearest end.
const pcs_smooth_point *pcs_ed_point(event_driven *s, double t, pcs_status *status);
// Impulses of the last step up to time t, at most to.t.
pcs_status pcs_ed_book(event_driven *s, double t) PCS_MUST_CHECK;
// The state at time t of the last step, or at to.t.
pcs_status pcs_ed_output(event_driven *s, pcs_state *state, double t) PCS_MUST_CHECK;
void pcs_ed_report(event_driven *s, pcs_state *state, double h, pcs_step_report *report);
// Numbers that the scheme keeps in the state.
int64_t pcs_ed_memory(event_driven *s);
void pcs_ed_save(event_driven *s, pcs_state *state);
bool pcs_ed_is_saved(const event_driven *s, const pcs_state *state);
// Takes up a state that is not the one last saved.
pcs_status pcs_ed_load(event_driven *s, const pcs_state *state) PCS_MUST_CHECK;

#endif
