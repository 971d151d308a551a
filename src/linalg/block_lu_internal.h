// Data of the sparse LU, shared by analysis and numbers. "Place" is the position of a block in the
// elimination order; a supernode is a run of places whose columns share one front. The blocks of a
// front are numbered 0, 1, ...: its pivots, then the rest in the order of their places.
#ifndef PCS_LINALG_BLOCK_LU_INTERNAL_H
#define PCS_LINALG_BLOCK_LU_INTERNAL_H

#include <stdbool.h>

#include "linalg/block_lu.h"
#include "linalg/block_lu_front.h"

// Block `entry` of A goes to (row, column), blocks of the front
typedef struct block_lu_entry {
    int32_t entry, row, column;
} block_lu_entry;

// A run of supernodes that is closed under children: parts are independent of each other. `top` is
// the rest of the tree, done after them.
typedef struct block_lu_part {
    int32_t first, end; // supernodes
    int32_t bad;        // of the last factorisation: place without a usable pivot, -1: none
    // scratch
    int32_t *local;                    // first row of each block in the front
    int32_t *source, *target, *length; // runs of rows of a child that stay together in the parent
    double *row_scale, *column_scale;
    double *w; // solve: the rest of a front
    pcs_front_team team;
} block_lu_part;

struct pcs_block_lu {
    int32_t n; // analysed: places
    int32_t n_supernodes;
    int32_t *block; // n: by place, block of A
    int32_t *size;  // n
    int32_t *from;  // n: first row of the block in A
    int32_t
        *start; // n+1, of the last factorisation: first row of the place; inactive ones are empty

    // by supernode
    int32_t *first;           // n_supernodes+1: first place
    int32_t *parent;          // -1: root
    int32_t *child, *sibling; // first child in the order of elimination, next one; -1: none
    int32_t *rest_start;      // n_supernodes+1, into rest and relative
    int32_t *rest;            // places of the rest
    int32_t *relative;        // the same as blocks of the parent's front
    int64_t *entry_start;     // 3 n_supernodes+1, into entries: blocks of F11, F12, F21
    block_lu_entry *entries;  //
    int64_t *factor_start;    // F11, F12, G and 1 / u_kk in `factor`
    int64_t *update_start;    // F22 in `update`
    double *factor, *update;  //
    int32_t *pivot;           // by row: exchanges
    int32_t *target;  // like rest, of the last factorisation: first row in the parent's front
    int64_t *w_start; // update vector in `w`
    double *w;
    int32_t *n_pivots, *n_rest; // rows of the front in the last factorisation

    pcs_tasks *tasks;
    int32_t n_parts, n_top;
    block_lu_part *parts; // n_parts, and one for the top
    int32_t *top;         // n_top: supernodes
    double *y;            // solve: by row in elimination order
    bool factored;
    pcs_front_watch watch;
    double unwatched; // cost of the fronts since it was asked last
    double unusable;  // tolerance of pivots over PCS_DENSE_SINGULAR

    int64_t n_entries;
    double operations;
};

enum { PCS_BLOCK_LU_LANES = 8 }; // shares of a product of large fronts

// The front of a supernode in the last factorisation
pcs_front pcs_block_lu_front(const pcs_block_lu *lu, int32_t s);
// Estimated time of a front with p pivots and c further rows; the unit is about a nanosecond.
double pcs_block_lu_front_cost(double p, double c);
// Last step of the analysis: parts, places of all numbers in memory, and the memory.
pcs_status pcs_block_lu_lay_out(pcs_arena *arena, pcs_block_lu *lu) PCS_MUST_CHECK;

#endif
