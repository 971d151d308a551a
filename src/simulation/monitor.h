// What a run learns about its own quality while it runs: extremes with their time and place, and an
// estimate of its error. The run itself does not depend on it, to the last bit.
#ifndef PCS_SIMULATION_MONITOR_H
#define PCS_SIMULATION_MONITOR_H

#include "schemes/smooth_system.h"
#include "simulation/simulation.h"

// Kinds of steps: nothing happens; velocities change far more than before, as in a pulse or where a
// planet passes its sun; contacts change, and errors have another order. Rare steps with large errors
// are sampled apart from the others.
enum { MONITOR_SMOOTH, MONITOR_SUDDEN, MONITOR_CHANGE, MONITOR_KINDS };

// Numbers that a resumed run needs: these, then MONITOR_ITEM_NUMBERS for each item and
// MONITOR_SLOT_NUMBERS for each contact slot.
enum {
    MONITOR_SEEN,                                    // steps, by kind
    MONITOR_SAMPLED = MONITOR_SEEN + MONITOR_KINDS,  // of them
    MONITOR_TRIED = MONITOR_SAMPLED + MONITOR_KINDS, // also where the halves had no solution
    MONITOR_ERRORS = MONITOR_TRIED +
                     MONITOR_KINDS, // of smooth samples, the largest of each, summed
    MONITOR_WAYS,                   // and their largest ways
    MONITOR_OWN_ERROR,              // sum of the scheme's own estimates
    MONITOR_KICKS,                  // sum of the changes of velocity in steps, m/s
    MONITOR_LARGEST_GAIN,           // work of the impacts of a step, J
    MONITOR_HEAD
};
enum {
    ITEM_WAY, // largest displacement from the start, and largest velocity
    ITEM_SPEED,
    ITEM_VELOCITY_ERROR, // sum over the smooth samples
    ITEM_ERROR,          // sums over the samples, by kind
    MONITOR_ITEM_NUMBERS = ITEM_ERROR + MONITOR_KINDS
};
enum {
    SLOT_CHANGES,
    SLOT_STEP,
    MONITOR_SLOT_NUMBERS
}; // changes in a row, and step of the last one

// What has a displacement of its own: a body or a node of a mesh, with one scale for all of them, or
// a coordinate of a system, which may have any unit.
typedef struct pcs_monitor_item {
    int32_t node, coordinate; // -1: all of the node
} pcs_monitor_item;

typedef struct pcs_monitor_linear pcs_monitor_linear; // monitor_linear.c

typedef struct pcs_monitor {
    bool whole_steps; // of the scheme are those of the run
    bool estimates;   // some of them are repeated
    int32_t n_items;
    pcs_monitor_item *items;
    double *radius;     // of gyration, by node: what a rotation moves
    bool *touches;      // by node: has contacts
    double *start_q;    // n_q
    double *d, *half_v; // n_v
    int32_t *group;     // by node: root of the bodies that it is joined to (monitor_momentum.c)
    pcs_vec3 *momentum; // by root: angular momentum at the start
    int64_t count;
    double *numbers;
    double contact_work;            // before the step
    pcs_state fine;                 // the step as two halves
    int32_t kind;                   // of the step
    bool wanted, repeated, changed; // they were asked for and taken; contacts changed in them
    pcs_monitor_linear *linear;     // NULL: not followed
} pcs_monitor;

pcs_status pcs_monitor_create(pcs_simulation *simulation) PCS_MUST_CHECK;
void pcs_monitor_destroy(pcs_simulation *simulation);
// After the start: sizes of the model and of its bodies.
pcs_status pcs_monitor_start(pcs_simulation *simulation) PCS_MUST_CHECK;
// Before a step, and after it with its report and the number of events that were there before it.
// Only the former can be stopped: a step that is counted has been taken.
pcs_status pcs_monitor_begin(pcs_simulation *simulation) PCS_MUST_CHECK;
void pcs_monitor_end(pcs_simulation *simulation, double h, const pcs_step_report *report,
                     int64_t events);
// Between the two: takes the step to `next` once more if it is a sample. An error is to end the step,
// so that it is taken again as a whole.
pcs_status pcs_monitor_repeat(pcs_simulation *simulation, double h, double next, int64_t events)
    PCS_MUST_CHECK;
// The part of pcs_monitor_end() that estimates errors (monitor_error.c).
void pcs_monitor_estimate(pcs_simulation *simulation, double h, const pcs_step_report *report);
// Of an item, from numbers d like velocities: the coordinate, or how far the points of the body at its
// radius of gyration move; half a turn is as far as a displacement takes them.
double pcs_monitor_measure(const pcs_simulation *simulation, const pcs_monitor_item *item,
                           const double *d, bool displacement);
// The motion linearised along the run (monitor_linear.c): how errors grow, and the highest frequency.
// Its numbers are the last ones of the monitor.
int64_t pcs_monitor_linear_numbers(const pcs_model *model);
pcs_status pcs_monitor_linear_create(pcs_simulation *simulation, double *numbers) PCS_MUST_CHECK;
void pcs_monitor_linear_destroy(pcs_simulation *simulation);
// Contacts changed in the step that was taken.
void pcs_monitor_linear_changed(pcs_simulation *simulation);
// Before a step: looks at the point that the one before has reached, if it is due. Where that is
// stopped nothing has happened, and the step is to end before it begins.
pcs_status pcs_monitor_linear_begin(pcs_simulation *simulation) PCS_MUST_CHECK;
// Components of contact forces that the equations leave open, after a solve at the point of the run
// (monitor_forces.c).
void pcs_monitor_look_at_forces(pcs_simulation *simulation, const pcs_smooth *smooth);
// Groups of bodies and their angular momentum (monitor_momentum.c). `group` has a place for each node
// and one for the ground.
void pcs_monitor_find_groups(const pcs_model *model, int32_t *group);
void pcs_monitor_look_at_momentum(pcs_simulation *simulation, bool start);
// What a resumed run needs of it, beside the statistics.
double *pcs_monitor_numbers(const pcs_simulation *simulation, int64_t *count);

#endif
