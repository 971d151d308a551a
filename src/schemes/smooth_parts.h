// What the files of the smooth system share: its memory and the evaluation of rows at an instant.
// Seen by smooth_system.c (phases, rows, solves) and smooth_project.c (what keeps the constraints).
#ifndef PCS_SCHEMES_SMOOTH_PARTS_H
#define PCS_SCHEMES_SMOOTH_PARTS_H

#include "schemes/smooth_system.h"

// A configuration with its rows
typedef struct pcs_smooth_instant {
    pcs_configuration c;
    double t;
    double *q;                  // the rows belong to (t, q); the copy is the key of the cache
    bool known;                 // blocks and rate are those of (t, q) and the present phase
    pcs_row_block *rows, *left; // G and B: joint blocks, then closed contacts
    double *values, *left_values;
    pcs_contact *contacts; // by slot
    double *g, *rate, *convective;
} pcs_smooth_instant;

typedef struct pcs_slot_pattern {
    int32_t size, n_nodes;
    int32_t node[PCS_ROW_NODES_MAX];
    int64_t left_start; // first value of the slot's row of B
} pcs_slot_pattern;

struct pcs_smooth {
    pcs_context *ctx;
    const pcs_model *model;
    pcs_phase phase;
    const double *turns, *origin, *external;
    double *no_turns;
    pcs_baumgarte baumgarte;
    pcs_compensation compensation;
    bool compensated;                      // a step has begun
    bool to_rounding;                      // of projections
    double *position_term, *velocity_term; // g_n / h and (G v - rate)_n / h
    pcs_slot_pattern *pattern;             // by slot
    int32_t *closed;                       // slots that are closed, ascending
    int32_t *slot_row;                     // by slot: first row, -1: open
    int32_t n_closed, n_blocks, n_rows;
    int32_t *closed_pairs, n_closed_pairs; // declared pairs with a slot that is closed
    uint8_t *saddle_mode;                  // modes that the saddle was made for
    pcs_saddle *saddle;
    pcs_rank_mode rank; // of the next index-1 solve
    double pivot, least_pivot;
    int32_t dropped; // least number of redundant rows where the rank was decided, with this saddle
    pcs_smooth_instant instant[2];
    int32_t last;              // instant of the last index-1 solve or drift
    double *x, *p, *d, *q_try; // work
    int64_t evaluations;
};

// The configuration of w at (t, q, v); the rows are as before.
void pcs_smooth_update(const pcs_smooth *s, pcs_smooth_instant *w, double t, const double *q,
                       const double *v);
bool pcs_smooth_is_at(const pcs_smooth *s, const pcs_smooth_instant *w, double t, const double *q);
// All of the rows at the configuration of w, whose convective term depends on its velocities.
void pcs_smooth_evaluate_rows(pcs_smooth *s, pcs_smooth_instant *w, bool acceleration);
// out = G v over all rows of an instant
void pcs_smooth_multiply_rows(const pcs_smooth *s, const pcs_smooth_instant *w, const double *v,
                              double *out);
// Factorises the saddle, whose matrix and rows are those of w.
pcs_status pcs_smooth_factor(pcs_smooth *s, pcs_smooth_instant *w) PCS_MUST_CHECK;

#endif
