// Elimination tree of a symmetric graph [Liu1990]: parent[k] is the first later step whose row of
// the factor the column of step k enters. With it, the sizes of the columns of the factor without
// their entries.
#ifndef PCS_LINALG_ELIMINATION_TREE_H
#define PCS_LINALG_ELIMINATION_TREE_H

#include "base/arena.h"

// The graph as in linalg/ordering.h, vertices with `weight` unknowns each.
typedef struct pcs_weighted_graph {
    int32_t n;
    const int32_t *start, *neighbour, *weight;
} pcs_weighted_graph;

typedef struct pcs_elimination_tree {
    int32_t *order;    // n: vertex of step k, in postorder: a subtree is a run of steps
    int32_t *step;     // n: the inverse
    int32_t *parent;   // n: -1 for roots
    int32_t *count;    // n: vertices below the diagonal in the column of step k
    int64_t *rows;     // n: unknowns of these
    double operations; // multiplications and additions of a Cholesky factorisation
} pcs_elimination_tree;

// `order` is any order of elimination; the postorder that replaces it has the same factor. Memory
// for the tree comes from the arena and stays, on success and on failure.
pcs_status pcs_elimination_tree_compute(pcs_arena *arena, const pcs_weighted_graph *graph,
                                        const int32_t *order, pcs_elimination_tree *out)
    PCS_MUST_CHECK;

// Postorder of any forest whose parents come after their children (-1: root): number[k] is the
// place of k, children in ascending order before their parents. work: 3 n + 2.
void pcs_tree_postorder(int32_t n, const int32_t *parent, int32_t *number, int32_t *work);

#endif
