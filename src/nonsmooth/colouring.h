// Orders in which sweeps visit the blocks of a problem: colours, whose members do not touch each
// other and may be visited at the same time, and levels, which follow the load from where it
// enters.
#ifndef PCS_NONSMOOTH_COLOURING_H
#define PCS_NONSMOOTH_COLOURING_H

#include "base/arena.h"

// Colours of one word: a node whose neighbours use them all is left to the serial rest.
enum { PCS_COLOURS_MAX = 64 };

typedef struct pcs_colouring {
    int32_t n_colours; // without the serial rest
    // members of colour c are member[start[c]] .. member[start[c+1]-1], ascending; the serial rest,
    // whose nodes may touch each other, stands at start[n_colours] .. start[n_colours+1]-1
    int32_t start[PCS_COLOURS_MAX + 2];
    int32_t *member;
} pcs_colouring;

// Greedy colouring of a graph with a symmetric pattern (CSR; entries (i, i) are ignored). The nodes
// are taken in their order, and each gets the least used of the colours that are free, a new one
// only if none is: the colours are balanced, and the result depends on nothing but the pattern.
pcs_status pcs_colouring_compute(pcs_colouring *colouring, pcs_arena *arena, int32_t n,
                                 const int32_t *row_start, const int32_t *column) PCS_MUST_CHECK;
// The same for nodes that touch if they share a body: node i has the bodies body[2 i] and
// body[2 i + 1] (-1: none). Linear in n even where one body has all the contacts.
pcs_status pcs_colouring_compute_pairs(pcs_colouring *colouring, pcs_arena *arena, int32_t n,
                                       int32_t bodies, const int32_t *body) PCS_MUST_CHECK;

// Breadth-first order of the same kind of graph, from all nodes with a nonzero `root` at once;
// nodes out of their reach follow in their order.
pcs_status pcs_levels_compute(pcs_arena *arena, int32_t n, const int32_t *row_start,
                              const int32_t *column, const uint8_t *root, int32_t *order)
    PCS_MUST_CHECK;

#endif
