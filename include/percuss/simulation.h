// A simulation: model + state + scheme. Create it, step it or run it to the end, look at signals.
#ifndef PERCUSS_SIMULATION_H
#define PERCUSS_SIMULATION_H

#include "percuss/mesh.h"
#include "percuss/model.h"
#include "percuss/options.h"
#include "percuss/problem.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- Schemes ----

// Scheme i of the library, NULL beyond the last; `options` may be NULL.
PCS_API const char *pcs_scheme_name(int32_t i, const char **help, const pcs_option **options,
                                    int32_t *n_options);
// Short name i for a scheme with one option set, NULL beyond the last: the name of an integrator is
// the scheme event-driven with that integrator. `scheme` and `key` may be NULL; the option's text
// is the name itself.
PCS_API const char *pcs_scheme_short_name(int32_t i, const char **scheme, const char **key);

// ---- Simulation ----

typedef struct pcs_simulation pcs_simulation;

typedef struct pcs_simulation_def {
    const char *scheme; // "moreau-jean", or a short name
    double start, end;  // s
    double step;        // s
    // Times at which forces jump, beside those of formulas, which are found: every scheme ends a
    // step on each of them. Copied.
    const double *events;
    int32_t n_events;
    bool without_estimate; // no step is repeated to estimate the error of the run
} pcs_simulation_def;

PCS_API pcs_simulation_def pcs_simulation_default(void);

// The model must outlive the simulation. The initial state is projected on the joints.
PCS_API pcs_status pcs_simulation_create(pcs_context *ctx, const pcs_model *model,
                                         const pcs_simulation_def *def, pcs_simulation **out)
    PCS_MUST_CHECK;
PCS_API void pcs_simulation_destroy(pcs_simulation *simulation);

// Scheme options by key, before the first step; the text is a number or one of the choices.
PCS_API pcs_status pcs_simulation_set(pcs_simulation *simulation, const char *key, const char *text)
    PCS_MUST_CHECK;
PCS_API pcs_status pcs_simulation_get(const pcs_simulation *simulation, const char *key,
                                      double *value) PCS_MUST_CHECK;

// Projects the initial state on the joints and prepares the scheme; the first step() does it if
// it was not called. Errors name the joint that cannot be closed.
PCS_API pcs_status pcs_simulation_start(pcs_simulation *simulation) PCS_MUST_CHECK;
// One time step, cut short at the end time. PCS_NOT_CONVERGED is a finished step.
PCS_API pcs_status pcs_simulation_step(pcs_simulation *simulation) PCS_MUST_CHECK;
PCS_API bool pcs_simulation_finished(const pcs_simulation *simulation);
PCS_API double pcs_simulation_time(const pcs_simulation *simulation);
PCS_API const pcs_model *pcs_simulation_model(const pcs_simulation *simulation);

// The present coordinates and velocities (layout: docs/theory/notation.md).
PCS_API const double *pcs_simulation_q(const pcs_simulation *simulation);
PCS_API const double *pcs_simulation_v(const pcs_simulation *simulation);

// ---- Inputs: numbers that a control law sets between two steps ----

// Holds the value over the steps that follow, until it is set again. Refused: an index that the
// model does not have, a value that is not finite, a simulation that is at its end.
PCS_API pcs_status pcs_simulation_set_input(pcs_simulation *simulation, int32_t input, double value)
    PCS_MUST_CHECK;
// NaN for an index that the model does not have.
PCS_API double pcs_simulation_input(const pcs_simulation *simulation, int32_t input);

// ---- Signals: any quantity by path ----

typedef struct pcs_signal {
    int32_t kind, index, component;
} pcs_signal;

// "body.crank.position.x", "joint.hinge.angle", "contact.tip.gap", "mesh.beam.node.12.velocity.y",
// "energy.kinetic", "time"... (docs/signals.md). The error suggests the nearest path.
PCS_API pcs_status pcs_model_find_signal(pcs_context *ctx, const pcs_model *model, const char *path,
                                         pcs_signal *out) PCS_MUST_CHECK;
PCS_API double pcs_simulation_signal(const pcs_simulation *simulation, pcs_signal signal);
// Several signals at once.
PCS_API void pcs_simulation_signals(const pcs_simulation *simulation, const pcs_signal *signals,
                                    int32_t n, double *values);
// All paths of a model, in order: index from 0; returns false beyond the last. Single nodes and
// elements of meshes are not among them.
PCS_API bool pcs_model_signal_path(const pcs_model *model, int32_t index, char *path, size_t size);

// ---- Bulk views for writers: arrays over bodies, joints, contacts at the present time ----

// The present state is a frame: contact impulses, mean and largest forces count anew from the next
// step on, so that none is lost between two frames. pcs_result_append() and pcs_csv_append() do it.
// In a simulation without frames every step counts anew.
PCS_API void pcs_simulation_mark_frame(const pcs_simulation *simulation);
// Takes the last mark back: what was shown was a look at the run (at its end, or where it is resumed)
// between two of its frames, and the next frame counts from the one before.
PCS_API void pcs_simulation_reopen_frame(const pcs_simulation *simulation);
// Whether the present state is between two frames, as that of a checkpoint may be.
PCS_API bool pcs_simulation_is_between_frames(const pcs_simulation *simulation);

typedef enum pcs_contact_state { PCS_OPEN, PCS_SLIP, PCS_STICK, PCS_CLOSED } pcs_contact_state;

typedef struct pcs_contact_view {
    double gap;
    double impulse[3];   // since the last frame, (N, T1, T2)
    double force[3];     // mean since the last frame: impulse / time
    double load[3];      // the same without impacts
    double force_max[3]; // of the single step since the last frame with the largest normal force
    double force_now[3]; // at the present instant, or mean over the last step (time stepping)
    double velocity[3];  // relative, of open contacts too
    pcs_vec3 point, normal, tangent1, tangent2;
    pcs_contact_state state;
} pcs_contact_view;

typedef struct pcs_body_view {
    pcs_vec3 position; // origin of the body frame
    pcs_quat rotation;
    double angle; // planar, any number of turns
    pcs_vec3 velocity;
    pcs_vec3 angular_velocity; // world frame
} pcs_body_view;

typedef struct pcs_joint_view {
    double coordinate[PCS_JOINT_COORDINATES_MAX];
    double rate[PCS_JOINT_COORDINATES_MAX];
    // Reaction of the joint on body b, mean over the last step, world frame, about the origin of
    // frame a: bilateral rows, prescribed motion included.
    pcs_vec3 force, torque;
} pcs_joint_view;

// Of a Lagrangian system: one number for each coordinate; they stay valid until the next step.
typedef struct pcs_system_view {
    const double *coordinate, *rate, *acceleration;
} pcs_system_view;

PCS_API void pcs_simulation_body(const pcs_simulation *simulation, pcs_body_id body,
                                 pcs_body_view *view);
PCS_API void pcs_simulation_joint(const pcs_simulation *simulation, pcs_joint_id joint,
                                  pcs_joint_view *view);
PCS_API void pcs_simulation_system(const pcs_simulation *simulation, pcs_system_id system,
                                   pcs_system_view *view);
// Multiplier of a constraint: its generalised forces are lambda dg/dq.
PCS_API double pcs_simulation_constraint_force(const pcs_simulation *simulation,
                                               pcs_system_id system, int32_t constraint);
PCS_API void pcs_simulation_contact(const pcs_simulation *simulation, int32_t slot,
                                    pcs_contact_view *view);

// A node of a mesh, as a body whose frame is the node; a point does not turn.
PCS_API void pcs_simulation_mesh_node(const pcs_simulation *simulation, pcs_mesh_id mesh,
                                      int32_t node, pcs_body_view *view);
// Positions and velocities of all nodes of a mesh, three numbers for each; NULL: not wanted.
PCS_API void pcs_simulation_mesh_nodes(const pcs_simulation *simulation, pcs_mesh_id mesh,
                                       double *position, double *velocity);
// Results of the elements of a part, one element after the other: n_results numbers for each, in
// the order of pcs_mesh_part_view.results_names.
PCS_API void pcs_simulation_mesh_results(const pcs_simulation *simulation, pcs_mesh_id mesh,
                                         int32_t part, double *results);

typedef struct pcs_mesh_energy {
    double kinetic, strain; // J
} pcs_mesh_energy;

PCS_API pcs_mesh_energy pcs_simulation_mesh_energy(const pcs_simulation *simulation,
                                                   pcs_mesh_id mesh);

// ---- Events: what happened in the steps so far ----

typedef enum pcs_event_kind {
    PCS_EVENT_IMPACT,   // object: contact slot; value: approach speed, m/s
    PCS_EVENT_CLOSE,    // contact slot, without impact
    PCS_EVENT_OPEN,     // contact slot
    PCS_EVENT_STICK,    // contact slot, from slip
    PCS_EVENT_SLIP,     // contact slot, from stick
    PCS_EVENT_REJECTED, // fixed steps: one was repeated with a smaller length; value: the length, s
    PCS_EVENT_UNCONVERGED, // a step was accepted without convergence; value: residual
    PCS_EVENT_SWITCH,      // another integrator takes over; object: its number
    PCS_EVENT_KIND_COUNT
} pcs_event_kind;

typedef struct pcs_event {
    double time; // end of the step, s
    double value;
    pcs_event_kind kind;
    int32_t object;    // -1: the whole model
    double impulse[3]; // of an impact, (N, T1, T2), N s; of time stepping: over the step it fell in
} pcs_event;

PCS_API const char *pcs_event_kind_name(pcs_event_kind kind); // "impact"; NULL beyond the last
// Events so far. Event `index` from 0; false beyond the last and for one that is too old: only the
// latest ones, some ten thousand, are kept.
PCS_API int64_t pcs_simulation_event_count(const pcs_simulation *simulation);
PCS_API bool pcs_simulation_event(const pcs_simulation *simulation, int64_t index,
                                  pcs_event *event);

// ---- Evidence ----

typedef struct pcs_energy_account {
    double kinetic, potential; // now
    // Work since the start.
    double applied;   // forces
    double actuator;  // joint actuators
    double driver;    // prescribed motions and moving surfaces
    double damping;   // <= 0
    double friction;  // tangential contact impulses
    double impact;    // normal contact impulses and joint limits
    double numerical; // what is left: kinetic + potential - start - all of the above
} pcs_energy_account;

// The largest of a quantity, when it was and where: a contact slot, or a body (systems and meshes as
// in pcs_statistics.assembly_body). A value of 0 has neither.
typedef struct pcs_extreme {
    double value, time;
    int32_t where;
} pcs_extreme;
// What makes a run more exact under its scheme: the option to make smaller.
typedef enum pcs_refinement {
    PCS_REFINED_UNKNOWN,
    PCS_REFINED_STEP,         // the step of the run
    PCS_REFINED_TOLERANCE,    // of a scheme that chooses its steps
    PCS_REFINED_FIRST_STEP,   // of such a scheme with fixed steps
    PCS_REFINED_TIME_STEP,    // the time stepping of a hybrid scheme
    PCS_REFINED_HYBRID,       // that and the tolerance,
    PCS_REFINED_HYBRID_FIXED, // or the fixed step
    PCS_REFINED_COUNT
} pcs_refinement;

PCS_API const char *pcs_refinement_option(pcs_refinement refinement); // "step", "tolerance"

typedef struct pcs_statistics {
    int64_t steps, rejected_steps, unconverged_steps;
    int64_t impacts;       // contacts that closed with an approach speed
    int64_t contact_steps; // sum of active contacts over the steps
    int32_t contacts_now, contacts_most;
    int64_t newton_iterations, solver_iterations;
    double worst_residual;    // contact problem, scaled
    double worst_newton;      // momentum balance, relative
    double worst_penetration; // m, at step ends
    double penetration_time;  // when, s
    int32_t penetration_slot; // and where
    double worst_drift;       // joints, position level, at step ends
    double worst_velocity_drift;
    double last_residual;
    pcs_energy_account energy;
    double energy_rounding; // J: what rounded positions make of the forces that hold bodies
    int32_t refined_by;     // pcs_refinement
    // Initial projection.
    double assembly_moved;     // largest displacement, m or rad
    pcs_body_id assembly_body; // where, PCS_GROUND if nothing moved; -2 - i for system i
    double assembly_velocity;  // largest velocity change
    pcs_body_id assembly_velocity_body;
    double initial_penetration; // deepest contact in the initial state, m (limit of an angle: rad)
    int32_t initial_contact;    // its slot
    int32_t redundant_rows;     // at the start
    int32_t redundant_most;     // largest number during the run
    // Schemes that choose their own steps.
    int64_t inner_steps;       // accepted; equals `steps` for the others
    int64_t evaluations;       // of the equations of motion; 0 where the scheme does not count them
    double smallest_step;      // accepted, s; 0 before the first
    double time_stepping;      // simulated time that a hybrid scheme gave to time stepping, s
    int64_t switches_zeno;     // switches of a hybrid scheme to time stepping: impacts accumulate,
    int64_t switches_friction; // friction sticks, turns, or acts in space,
    int64_t switches_edge;     // a contact crosses an edge
    // What the run saw of its own quality.
    double size;       // of the model, m
    pcs_extreme hover; // gap of a contact that carries a force at the end of a step, m; contact
    pcs_extreme
        impact_gain;     // J; work of impacts that was positive, summed; of the largest: contact
    pcs_extreme chatter; // changes between open and closed in a row, each after few steps; contact
    pcs_extreme
        free_forces; // components of contact forces that are not unique, most at a time; contact
    int32_t force_components; // of the closed contacts then; 0: none was looked at
    double momentum_drift;    // of bodies that nothing outside acts on, relative
    // Resolution of a scheme whose steps are those of the run; 0: it chooses its own.
    pcs_extreme turn; // angle in a step, rad; body
    pcs_extreme way;  // in a step, over the size of a body that has contacts; body
    double rate;      // of the motion, times the step: h omega
    // Error of the run, from steps that were repeated as two halves or from the scheme's own control.
    int64_t estimates;     // steps repeated
    double error_step;     // of a step, over the motion in it
    pcs_extreme error;     // of positions, all steps together, over the largest displacement; body.
                           // time: since when it is beyond a third of it, 0: never
    double error_length;   // the same, m or rad
    double error_velocity; // over the largest velocity
    // The motion linearised along the run.
    double growth;    // of errors, 1/s, where it is exponential; 0: none was seen
    double horizon;   // s: beyond it errors have grown to the size of the motion; 0: they have not
    double stiffness; // highest frequency, excited or not, times the step: h omega
} pcs_statistics;

PCS_API const pcs_statistics *pcs_simulation_statistics(const pcs_simulation *simulation);
PCS_API bool pcs_simulation_row_is_redundant(const pcs_simulation *simulation, int32_t row);

// ---- The contact problems of the steps, to keep or replay them apart from the model ----

// One solve of a contact problem. A step has several when forces depend on the velocity, when its
// impulses close further contacts or when it is repeated with a smaller length; the last one is
// that of the step as taken.
typedef struct pcs_problem_step {
    int64_t step;       // from 1: the step that ends at start + step h
    double time;        // at the end of the step, s
    double length;      // of the step, s
    int32_t contacts;   // blocks of the problem
    int32_t iterations; // of this solve
    double residual;    // scaled
    pcs_status status;  // PCS_OK or PCS_NOT_CONVERGED
} pcs_problem_step;

typedef struct pcs_problem_hook {
    // Asked first, so that a problem that is not wanted costs nothing; NULL: all are wanted.
    bool (*wants)(void *user, const pcs_problem_step *step);
    // Takes a local problem, which is its own to destroy, and the impulses r found, which are lent.
    // Contacts without friction have the dimension of the model too, with mu = 0 and tangential
    // rows that nothing couples to. A negative status ends the step with it.
    pcs_status (*take)(void *user, const pcs_problem_step *step, pcs_problem *problem,
                       const double *r);
    void *user;
} pcs_problem_hook;

// Calls the hook after each solve of a contact problem; NULL: no more. It must not step, change or
// destroy the simulation. The problems live in the simulation's context.
PCS_API void pcs_simulation_set_problem_hook(pcs_simulation *simulation,
                                             const pcs_problem_hook *hook);

// ---- Checkpoint ----

// The complete state as bytes; load() into a simulation of the same model, scheme and options
// continues bit for bit. save() returns the size needed and writes if the buffer is large enough.
PCS_API size_t pcs_simulation_save(const pcs_simulation *simulation, void *buffer, size_t size);
PCS_API pcs_status pcs_simulation_load(pcs_simulation *simulation, const void *buffer, size_t size)
    PCS_MUST_CHECK;

#ifdef __cplusplus
}
#endif
#endif
