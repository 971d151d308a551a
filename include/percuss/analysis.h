// Statics and linear modal analysis of a model: what one looks at before a run.
// Both work on a simulation, whose views, signals and result files then show the answer.
#ifndef PERCUSS_ANALYSIS_H
#define PERCUSS_ANALYSIS_H

#include "percuss/simulation.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- Statics ----

// The loads (weights, applied forces, actuators, loads on meshes) grow from 0 to their full size in
// steps; springs, elements, prescribed motions and Lagrangian systems act in full from the start.
// Time stands still at the simulation's start. Contacts carry normal forces and have no friction:
// what friction carries at rest depends on how the rest was reached, which statics does not know.
typedef struct pcs_static_opts {
    int32_t steps;        // load steps if all goes well; a step that fails is halved
    double smallest_step; // part of the load below which a step is not halved any more
    double tolerance;     // imbalance of forces, relative to the forces of the model
    int32_t iterations;   // Newton iterations in a load step
    // Called at the start (load 0, not in equilibrium) and after each load step, with the
    // simulation showing the state reached; its time is the load factor. Negative: ends the
    // analysis. May be NULL.
    pcs_status (*step)(void *user, const pcs_simulation *simulation, double load);
    void *step_user;
} pcs_static_opts;

PCS_API pcs_static_opts pcs_static_default(void);

typedef struct pcs_static_info {
    double load;        // factor reached; 1 after success
    int32_t steps;      // load steps taken
    int32_t halved;     // load steps given up and halved
    int32_t iterations; // Newton iterations in all
    int32_t contacts;   // contact points that carry a force
    double residual;    // imbalance of forces, relative
    double drift;       // largest error of the joints, m or rad
    double penetration; // m
    int32_t snaps;      // load steps on which the model left an unstable state for a far one
    double snap_load;   // load factor at the end of the first of them
    double moved;       // largest displacement of a node from the start, m (a coordinate: its unit)
    char moved_node[128]; // "body 'crank'"
} pcs_static_info;

// Finds the equilibrium at the start time. To be called before pcs_simulation_start(), which then
// starts from it; until then views and signals show it with its joint and contact forces.
// PCS_ERROR_NUMERIC: none was found, and the text has the load factor reached and the worst node.
// PCS_ERROR_MODEL: something moves without resistance, named in the text.
PCS_API pcs_status pcs_simulation_equilibrate(pcs_simulation *simulation,
                                              const pcs_static_opts *opts, pcs_static_info *info)
    PCS_MUST_CHECK;

// ---- Modes ----

// K x = omega^2 M x on the motions that the joints allow, at rest. K has the geometric terms of the
// forces that joints carry there. Dampers, gyroscopic terms and friction do not count.
typedef enum pcs_modes_method {
    PCS_MODES_AUTO,  // dense up to PCS_MODES_DENSE_LIMIT velocities, or where all modes are wanted
    PCS_MODES_DENSE, // LAPACK on a basis of the motions that the joints allow
    PCS_MODES_SPARSE // shift-invert Lanczos (ARPACK)
} pcs_modes_method;

enum { PCS_MODES_DENSE_LIMIT = 600 };

typedef struct pcs_modes_opts {
    int32_t count;        // lowest modes wanted
    bool closed_contacts; // contacts that touch are held along their normals; else they are open
    pcs_modes_method method;
} pcs_modes_opts;

PCS_API pcs_modes_opts pcs_modes_default(void); // 10 modes, contacts open

typedef enum pcs_mode_kind {
    PCS_MODE_RIGID,    // no stiffness: omega = 0
    PCS_MODE_FLEXIBLE, // omega^2 > 0
    PCS_MODE_UNSTABLE  // omega^2 < 0: grows as exp(|omega| t)
} pcs_mode_kind;

PCS_API const char *pcs_mode_kind_name(pcs_mode_kind kind);

typedef struct pcs_mode {
    pcs_mode_kind kind;
    double square;            // omega^2, 1/s^2; 0 for a rigid mode
    double frequency;         // Hz; 0 unless flexible
    double residual;          // of K x = omega^2 M x + G^T p, relative to its terms
    double effective_mass[3]; // along x, y, z, as parts of the mass of the model
    const double *shape;      // layout of the model's v, x^T M x = 1
} pcs_mode;

typedef struct pcs_modes_info {
    int32_t count;        // modes found
    int32_t freedoms;     // motions that the joints and closed contacts allow
    int32_t rigid;        // rigid modes among those found
    int32_t closed;       // contact points held
    bool sparse;          // found by Lanczos
    double orthogonality; // largest |x_i^T M x_j|, i != j
    double asymmetry;     // largest |K_ij - K_ji| over the largest |K_ij|; K is taken symmetric
    double imbalance;     // largest acceleration that the state would start with, m/s^2 or rad/s^2
    double mass[3];       // of the model, along x, y, z
    double size;          // a length that stands for the model, m
} pcs_modes_info;

typedef struct pcs_modes pcs_modes;

// At the present state of the simulation, which must have been started or equilibrated; velocities
// count as zero. Fewer modes than wanted if the model has no more.
PCS_API pcs_status pcs_modes_create(pcs_simulation *simulation, const pcs_modes_opts *opts,
                                    pcs_modes **out) PCS_MUST_CHECK;
PCS_API void pcs_modes_destroy(pcs_modes *modes);
PCS_API pcs_modes_info pcs_modes_get_info(const pcs_modes *modes);
// Mode i from 0, in ascending order of omega^2.
PCS_API pcs_mode pcs_modes_get(const pcs_modes *modes, int32_t i);
// Components of a shape: number, and the name of one, "body.crank.x"; false beyond the last.
PCS_API int32_t pcs_modes_shape_size(const pcs_modes *modes);
PCS_API bool pcs_modes_component(const pcs_modes *modes, int32_t i, char *name, size_t size);
// Shows the state displaced by amplitude * shape / (largest component of the shape) in the views of
// the simulation, at `time`. pcs_modes_destroy() puts the state back.
PCS_API void pcs_modes_show(pcs_modes *modes, int32_t i, double amplitude, double time);

#ifdef __cplusplus
}
#endif
#endif
