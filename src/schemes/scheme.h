// The seam between the run and the schemes. A scheme is a table row: name, options, functions. It
// sees the model only through the terms of model/assembly.h and model/contact.h.
#ifndef PCS_SCHEMES_SCHEME_H
#define PCS_SCHEMES_SCHEME_H

#include "model/state.h"
#include "model/switches.h"
#include "percuss/simulation.h"
#include "schemes/event_log.h"

// The deepest contact of a step.
typedef struct pcs_depth {
    double value; // m or rad, >= 0
    double time;
    int32_t slot;
} pcs_depth;

static inline void pcs_depth_see(pcs_depth *deepest, double value, int32_t slot, double time)
{
    if (value > deepest->value)
        *deepest = (pcs_depth){value, time, slot};
}

// The deeper of two, the first if they are equal.
static inline pcs_depth pcs_depth_larger(pcs_depth a, pcs_depth b)
{
    return b.value > a.value ? b : a;
}

// What a scheme knows after a step.
typedef struct pcs_step_report {
    double h;         // length of the step
    int32_t contacts; // active contacts
    int32_t impacts;  // closed with an approach speed
    int32_t newton_iterations, solver_iterations;
    int32_t rejected;       // step lengths tried and given up
    int64_t accepted;       // inner steps; 0 counts as one, -1: none
    int64_t evaluations;    // of the equations of motion
    double smallest_step;   // accepted; 0: h
    double time_stepping;   // part of h that a hybrid scheme gave to time stepping
    int32_t switches[3];    // of a hybrid scheme to time stepping: Zeno, friction, edge
    double residual;        // contact problem, scaled; 0 without contacts
    double newton_residual; // momentum balance, relative
    pcs_depth penetration;  // at the end
    double drift, velocity_drift;
    double kinetic, potential;
    int32_t redundant_rows;
    double error; // sum of what the step control of the scheme estimates; 0: it does not
} pcs_step_report;

// The report of a step from those of its parts: sums, the worst, or the last.
void pcs_step_report_add(pcs_step_report *sum, const pcs_step_report *part);

typedef struct pcs_scheme_class pcs_scheme_class;
typedef struct pcs_corner_steps pcs_corner_steps;

// A scheme at work; each class has its own struct with this one first.
typedef struct pcs_scheme {
    const pcs_scheme_class *class;
    pcs_context *ctx;
    const pcs_model *model;
    double *options;                      // in the order of the class's table
    const pcs_problem_hook *problem_hook; // NULL: none
    int64_t step;                         // number of the step at hand, from 1, for the hook
    pcs_switches *switches;               // of the run's formulas, and listed times
    pcs_event_log events;
    pcs_refinement refined_by; // of a scheme inside another one; 0: as the class says
    pcs_corner_steps *corners; // NULL: the model has none, or the class turns them itself
} pcs_scheme;

struct pcs_scheme_class {
    const char *name, *help;
    const pcs_option *options;
    int32_t n_options;
    size_t size;
    // Numbers that the scheme keeps in the state from step to step (pcs_state.memory), so that a
    // resumed run goes on with the same bits; NULL: none. May depend on the model alone.
    int64_t (*memory)(const pcs_scheme *scheme);
    // Memory for the model; all fields are zero before. Errors leave what free() can take.
    pcs_status (*init)(pcs_scheme *scheme);
    void (*free)(pcs_scheme *scheme);
    // Makes the state consistent and measures it; called once, after the options are set.
    pcs_status (*start)(pcs_scheme *scheme, pcs_state *state, pcs_statistics *statistics);
    // Advances the state by h, from one output time to the next; a scheme that chooses its own
    // steps takes as many as it needs. PCS_NOT_CONVERGED: finished, the policy allowed it.
    pcs_status (*step)(pcs_scheme *scheme, pcs_state *state, double h, pcs_step_report *report);
    // What makes its runs more exact, and what does so with `step_control: fixed`.
    pcs_refinement refined_by, fixed_refined_by;
    // Whether steps may pass corners of bilateral curves (corner_steps.h).
    bool turns_corners;
    // The scheme ends its own steps at the switches of formulas; others get steps that end there.
    bool locates_switches;
    // Forces or velocities have jumped at the present state: what the scheme keeps of those before
    // is of no use any more. NULL: it keeps nothing of them.
    pcs_status (*restart)(pcs_scheme *scheme, pcs_state *state);
    // How far the motion has been computed, where that may be ahead of the state; NULL: nowhere.
    void (*reached)(const pcs_scheme *scheme, double *t, const double **q, const double **v);
    // Flags of redundant joint rows found at the last factorisation.
    const uint8_t *(*redundant_rows)(const pcs_scheme *scheme);
};

// Rows of an options table; choices are numbered from 0 to `last`.
#define PCS_REAL_ROW(key, fallback, lowest, highest, help)          \
    {                                                               \
        key, PCS_OPTION_REAL, fallback, lowest, highest, NULL, help \
    }
#define PCS_INTEGER_ROW(key, fallback, lowest, highest, help)          \
    {                                                                  \
        key, PCS_OPTION_INTEGER, fallback, lowest, highest, NULL, help \
    }
#define PCS_CHOICE_ROW(key, fallback, last, choices, help)       \
    {                                                            \
        key, PCS_OPTION_CHOICE, fallback, 0, last, choices, help \
    }

extern const pcs_scheme_class pcs_moreau_jean_class;
extern const pcs_scheme_class pcs_moreau_jean_adaptive_class;
extern const pcs_scheme_class pcs_capturing_class;
extern const pcs_scheme_class pcs_event_driven_class;
extern const pcs_scheme_class pcs_hybrid_class;
extern const pcs_scheme_class pcs_nonsmooth_alpha_class;

// The class with this name, or NULL.
const pcs_scheme_class *pcs_scheme_find(const char *name);
pcs_status pcs_scheme_create(pcs_context *ctx, const pcs_scheme_class *class,
                             const pcs_model *model, pcs_scheme **out) PCS_MUST_CHECK;
void pcs_scheme_destroy(pcs_scheme *scheme);
// A step of the class, cut at the corners of bilateral curves where it cannot pass them.
pcs_status pcs_scheme_step(pcs_scheme *scheme, pcs_state *state, double h, pcs_step_report *report)
    PCS_MUST_CHECK;

// What makes the run more exact, as the options are.
pcs_refinement pcs_scheme_refined_by(const pcs_scheme *scheme);
// The option to make smaller: "step", "tolerance".
const char *pcs_scheme_finer(const pcs_scheme *scheme);

// Sets an option from its text: a number in range or one of the choices. The error names the key,
// what is allowed, and the nearest key for an unknown one.
pcs_status pcs_scheme_set_option(pcs_scheme *scheme, const char *key, const char *text)
    PCS_MUST_CHECK;
// Index of an option in the table, or -1.
int32_t pcs_scheme_option_index(const pcs_scheme_class *class, const char *key);

#endif
