// Steps of one integrator through a smooth phase: choice of the step length, rejection, drift
// control, stiffness. Whoever looks for events takes one accepted step at a time, asks for dense
// output, and cuts the step where an event lies.
//
//     h_new = safety h (tolerance / error)^(1/p), within [1/10, growth] h     [Haddouni2015, 3.12]
#ifndef PCS_SCHEMES_MARCH_H
#define PCS_SCHEMES_MARCH_H

#include "schemes/integrator.h"
#include "schemes/singular.h"
#include "schemes/time_resolution.h"

typedef enum pcs_stabilisation {
    PCS_STABILISE_NONE,
    PCS_STABILISE_BAUMGARTE,  // index-1 methods
    PCS_STABILISE_PROJECTION, // after every accepted step, q and v
    PCS_STABILISE_COMPENSATION, // index-1 methods: terms frozen over a step [Brogliato2002, (42)-(43)]
    PCS_STABILISE_COMPENSATION_VELOCITY, // the same with (42) alone
    PCS_STABILISE_GGL,                   // generalized-alpha index 2
    PCS_STABILISE_AUTO                   // none; projection from the first singular position on
} pcs_stabilisation;

typedef struct pcs_march_opts {
    const pcs_integrator_class *class;
    pcs_integrator_opts integrator;
    bool fixed;       // steps of length `first_step`, whatever the error
    double tolerance; // of the error of a step
    pcs_norm_kind norm;
    double relative;   // weighted norm: part of |x| in the weight
    double first_step; // 0: chosen from the accelerations
    double smallest_step, largest_step;
    double safety, growth;
    double drift_max; // rejects a step that leaves |g| or |G v - rate| above it; HUGE_VAL: off
    pcs_stabilisation stabilisation;
    pcs_baumgarte baumgarte;
    double projection_tolerance;
} pcs_march_opts;

pcs_march_opts pcs_march_default(void); // PHEM56, tolerance 1e-8, safety 0.9, growth 10, ...

typedef struct pcs_march_counts {
    int64_t accepted, rejected;
    double smallest, sum;         // of the accepted lengths
    double error;                 // sum of the estimates of the accepted steps
    double drift, velocity_drift; // largest after a step (joints and contacts of the phase)
    bool stiff;                   // an explicit method has run at its stability limit
    double stiff_time;            // when that was first seen
    // Singular positions, see approach() in march.c
    pcs_singular position;
    double least_pivot;   // within the last step
    int64_t singular;     // steps near one
    double singular_time; // of the first
} pcs_march_counts;

typedef struct pcs_march {
    pcs_context *ctx;
    const pcs_model *model;
    pcs_march_opts opts;
    pcs_smooth *smooth;
    pcs_integrator *integrator; // at work: one of the three
    pcs_integrator *own;        // of opts.class
    pcs_integrator *crossing;   // of singular positions, or NULL
    pcs_integrator *turning;    // where friction in space turns faster than it follows, or NULL
    double allowed;             // error of the step at hand through a singular position
    bool has_loops;             // joints that close loops may become dependent on each other
    pcs_smooth_point from, to;  // ends of the last accepted step
    double h;                   // its length as computed (to.t - from.t unless it was cut)
    double h_next;              // what the controller proposes
    double h_failed; // of the step at hand: whose error or equations allow no shorter one; 0: none
    double whole; // length of the step whose dense output has made its end; 0: computed up to there
    pcs_smooth_point inner; // dense output of that step
    pcs_march_counts counts;
    // NULL: fixed steps, or nothing depends on time.
    pcs_time_resolution *resolution;
    pcs_phase phase;            // of the present begin()
    double *g, *g_rate, *extra; // work
    bool turn_limits; // the step at hand is as long as its bodies may turn, whatever the tolerance
    int32_t stiff_steps, calm_steps; // steps at the limit of stability, and since then
} pcs_march;

pcs_status pcs_march_create(pcs_context *ctx, const pcs_model *model, const pcs_march_opts *opts,
                            pcs_march **out) PCS_MUST_CHECK;
void pcs_march_destroy(pcs_march *march);

// Begins a phase at (t, q, v): a and lambda, and `to` is complete. h_next is kept if `keep_step`
// and there is one (after an event that hardly changes the motion), else chosen anew.
pcs_status pcs_march_begin(pcs_march *march, const pcs_phase *phase, double t, const double *q,
                           const double *v, bool keep_step) PCS_MUST_CHECK;
// One accepted step: from <- to, new `to`, at most up to t_limit (met exactly when in reach).
pcs_status pcs_march_step(pcs_march *march, double t_limit) PCS_MUST_CHECK;
// The instant t of the last step, from.t <= t <= to.t (q, v, a, lambda, t).
pcs_status pcs_march_dense(pcs_march *march, double t, pcs_smooth_point *out) PCS_MUST_CHECK;
// Ends the last step at t < to.t: computed again from `from` with that length, no estimate. Where
// the equations have no solution there, dense output of the longer step is its end.
pcs_status pcs_march_cut(pcs_march *march, double t) PCS_MUST_CHECK;
// The same by dense output from the first: where the equations are singular at t itself.
pcs_status pcs_march_cut_dense(pcs_march *march, double t) PCS_MUST_CHECK;

// Whether the last step ends, or a phase has begun, so near to a singular position that neither its rows nor accelerations
// have digits there. Steps whose length the march chooses do not.
bool pcs_march_lands(const pcs_march *march);

// What a resumed run needs: from, h, h_next, counts; the step is computed again. `size` numbers.
int64_t pcs_march_memory(const pcs_model *model);
// Copies between the march and its memory, in one order for both ways.
void pcs_march_exchange(pcs_march *march, double *memory, bool save);
void pcs_march_save(const pcs_march *march, double *memory);
pcs_status pcs_march_load(pcs_march *march, const pcs_phase *phase, const double *memory)
    PCS_MUST_CHECK;

#endif
