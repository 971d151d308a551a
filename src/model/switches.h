// Switches of a model: instants at which formulas of forces, loads, actuators, motions, driven
// surfaces and Lagrangian systems are not smooth, and the times that the user lists.
//
// Over a step formulas see the times of a window, strictly inside two switches: what is evaluated
// at the very instant of a switch, at either end of a step, has the value of the step's side. The
// window stands behind the inputs in pcs_state.external.
#ifndef PCS_MODEL_SWITCHES_H
#define PCS_MODEL_SWITCHES_H

#include "formula/switching.h"
#include "model/model.h"

// Calls `visit` for every formula of forces, actuators, motions, loads and driven surfaces; NULL
// where there is a number instead. Variables are those of pcs_configuration.inputs. Ends at the
// first error.
typedef pcs_status (*pcs_model_formula_fn)(void *user, const pcs_formula *formula);
pcs_status pcs_model_formulas(const pcs_model *model, pcs_model_formula_fn visit, void *user)
    PCS_MUST_CHECK;

// A formula whose switches depend on the state.
typedef struct pcs_state_switch {
    pcs_switching *switching;
    int32_t system; // variables are those of this system's program; -1: the configuration's inputs
    int32_t first;  // number of its first function
} pcs_state_switch;

typedef struct pcs_switches {
    pcs_context *ctx;
    PCS_ARRAY(pcs_switching *) of_time;
    PCS_ARRAY(pcs_state_switch) of_state;
    int32_t n_state; // functions of all state switches
    double *times;   // listed, ascending
    int32_t n_times;
    double rounding; // resolution of time, s
} pcs_switches;

// `times` are the listed ones, in any order; `start` and `end` those of the run.
pcs_status pcs_switches_init(pcs_context *ctx, const pcs_model *model, const double *times,
                             int32_t n_times, double start, double end, pcs_switches *switches)
    PCS_MUST_CHECK;
void pcs_switches_free(pcs_switches *switches);

// Whether anything depends on time in a way that is not smooth.
bool pcs_switches_in_time(const pcs_switches *switches);
// First switching time after t and not after limit; HUGE_VAL: none. No heap call.
double pcs_switches_next(pcs_switches *switches, double t, double limit);
// Whether t is a switching time, to the resolution.
bool pcs_switches_at(pcs_switches *switches, double t);

// The window of a step from `from` to `to`, two numbers; all times if nothing switches in time.
void pcs_switches_window(const pcs_switches *switches, double from, double to, double *window);

// Sides of all state switches at a configuration, and distances as in pcs_switching_sides().
void pcs_switches_sides(pcs_switches *switches, const pcs_model *model, const pcs_configuration *c,
                        const double *from, double *side, double *distance);

#endif
