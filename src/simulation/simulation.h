// Data of a simulation, shared by the run, the views and the checkpoint.
#ifndef PCS_SIMULATION_SIMULATION_H
#define PCS_SIMULATION_SIMULATION_H

#include "model/assembly.h"
#include "model/state.h"
#include "percuss/simulation.h"
#include "schemes/scheme.h"

// Quantities at the present state that only views need; computed when first asked for.
typedef struct pcs_present {
    bool configuration_valid, contacts_valid, results_valid;
    bool frames;    // the caller marks them; otherwise every step is one
    bool new_frame; // the next step begins one
    pcs_configuration c;
    pcs_contact *contacts;
    double *results; // of all elements: mesh by mesh, part by part, element by element
} pcs_present;

struct pcs_simulation {
    pcs_context *ctx;
    const pcs_model *model;
    pcs_simulation_def def;
    pcs_scheme *scheme;
    pcs_state state;
    pcs_state before; // the present step, to take it back
    pcs_statistics statistics;
    int64_t n_steps; // planned
    int64_t step;    // next one
    bool started;
    bool equilibrated; // the state is an equilibrium, or on the way to one (statics.c)
    pcs_present *present;
    struct pcs_monitor *monitor;
    pcs_switches switches;         // of formulas, and the times of def.events
    bool told_length;              // see warn_of_length()
    pcs_problem_hook problem_hook; // the scheme looks at it if there is one
};

// From the state's time to `next`, h later: the scheme's step, cut where formulas of time switch.
pcs_status pcs_simulation_advance(pcs_simulation *simulation, pcs_state *state, double h,
                                  double next, pcs_step_report *report) PCS_MUST_CHECK;
// Extent of the model, and the arms and lengths of joints and springs; 0 for one point.
double pcs_model_extent(const pcs_model *model, const pcs_configuration *c);
// Two times that differ by less are the same point of the grid start + n step.
double pcs_simulation_time_rounding(const pcs_simulation_def *def);
// The configuration and (if `contacts`) the contact points at the present state.
const pcs_present *pcs_simulation_present(const pcs_simulation *simulation, bool contacts);
// The error of a step that failed, or of the start, in words of the model where its cause is found:
// a formula that is not a number, or a motion beyond all bounds. Returns `status`.
pcs_status pcs_simulation_explain(pcs_simulation *simulation, pcs_status status, double h);
// Results of all elements at the present state, in the order of pcs_present.results.
const double *pcs_simulation_results(const pcs_simulation *simulation);
// Along the normal (0) or a tangent (1, 2): mean force since the last frame (of an equilibrium: its
// force), the same without impacts, largest force of a step, and impulse since that frame; 0 before
// the first step.
double pcs_simulation_contact_force(const pcs_simulation *simulation, int32_t slot,
                                    int32_t component);
double pcs_simulation_contact_load(const pcs_simulation *simulation, int32_t slot,
                                   int32_t component);
double pcs_simulation_contact_force_max(const pcs_simulation *simulation, int32_t slot,
                                        int32_t component);
double pcs_simulation_contact_impulse(const pcs_simulation *simulation, int32_t slot,
                                      int32_t component);
// Relative velocity along normal and tangents, closed or open; zero where nothing can touch.
void pcs_simulation_contact_velocity(const pcs_simulation *simulation, int32_t slot,
                                     double velocity[3]);
// The slot whose numbers in the state are those of this one: itself, but for contacts that are given
// again (model/contact_copies.c).
int32_t pcs_simulation_stand_in(const pcs_simulation *simulation, int32_t slot);

#endif
