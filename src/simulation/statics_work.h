// Workspace of the statics, shared by its parts:
//     statics.c         memory, load steps, what the simulation shows of them
//     statics_newton.c  terms, corrections and Newton's method at one load
#ifndef PCS_SIMULATION_STATICS_WORK_H
#define PCS_SIMULATION_STATICS_WORK_H

#include "base/arena.h"
#include "linalg/saddle.h"
#include "percuss/analysis.h"
#include "schemes/start.h"
#include "simulation/simulation.h"

typedef struct pcs_statics {
    pcs_context *ctx;
    const pcs_model *model;
    pcs_simulation *simulation;
    pcs_static_opts opts;
    pcs_static_info *info;
    pcs_saddle *saddle;
    int32_t (*pairs)[2], n_pairs;
    pcs_row_block *rows;
    double *row_values;
    pcs_configuration c;
    pcs_arena arena;
    double load, size, inertia_unit;
    double *q, *q_start, *q_kept; // iterate; start of the analysis; before a correction
    double *v;                    // zero
    double *f, *inner;            // forces, and those at load 0
    double *imbalance, *scale;    // f + G^T lambda + H^T r, and the sizes of its parts
    double *least;                // of scale
    double *noise;                // rounding of the imbalance
    double *d, *d_free, *work;    // corrections
    double *g, *lambda, *p, *lambda_kept;
    pcs_contact *contacts;
    int32_t n_active, *active; // slots in the problem of this correction
    bool *is_active;
    pcs_row_block *normal_rows;
    const pcs_row_block **H;
    double *r3;                   // 3 for each slot: r and no friction
    double *r, *r_kept;           // by slot
    double *gap, *force, *u, *mu; // of the active ones
    double turn, move;            // largest rotation and displacement of the last correction
    double rayleigh;              // d^T K d / d^T M d of it
    double norm;                  // (d^T M d)^(1/2) of it
    bool is_long, limited;        // it would go far; it was cut
    bool held_ahead;              // it leads towards a contact
    int32_t worst, freest;        // velocities: largest imbalance, longest move
    double drift, penetration;
    bool snapped;
} pcs_statics;

void pcs_statics_clear_matrix(pcs_statics *w);
// All terms at q, how far joints and gaps are off; returns the relative imbalance.
double pcs_statics_evaluate(pcs_statics *w);
// Back to the last equilibrium, which the simulation's state holds.
void pcs_statics_start_again(pcs_statics *w);
// Newton's method at one load. PCS_NOT_CONVERGED: no equilibrium was reached.
pcs_status pcs_statics_solve_load(pcs_statics *w) PCS_MUST_CHECK;

#endif
