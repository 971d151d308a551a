// Bounding volume tree: which of many moving things are near a point, without looking at all.
//
// The tree is binary over axis-parallel boxes. Its shape is found once, from the boxes at the
// start; moving things keep it and only the boxes are fitted anew, in O(items). Boxes live with the
// caller, so that one tree serves many configurations at once.
#ifndef PCS_GEOMETRY_BOUNDING_TREE_H
#define PCS_GEOMETRY_BOUNDING_TREE_H

#include <stdint.h>

#include "base/context.h"
#include "percuss/math.h"

typedef struct pcs_box {
    pcs_vec3 low, high;
} pcs_box;

typedef struct pcs_bounding_node {
    int32_t first, count; // items of the subtree: places in `item`
    int32_t right;        // second child; the first follows its parent. 0: a leaf
} pcs_bounding_node;

typedef struct pcs_bounding_tree {
    int32_t n_items, n_nodes;
    int32_t *item;
    pcs_bounding_node *node; // a parent stands before its children
} pcs_bounding_tree;

pcs_status pcs_bounding_tree_create(pcs_context *ctx, int32_t n_items, const pcs_box *items,
                                    pcs_bounding_tree **out) PCS_MUST_CHECK;
void pcs_bounding_tree_destroy(pcs_context *ctx, pcs_bounding_tree *tree);

// boxes (n_nodes) around the items as they are now
void pcs_bounding_tree_refit(const pcs_bounding_tree *tree, const pcs_box *items, pcs_box *boxes);

// Looks at an item and returns the radius that matters from now on, at most the one it is given.
typedef double (*pcs_bounding_visit_fn)(void *user, int32_t item, double radius);

// Visits every item whose box is within the radius of the point, near ones first as a rule.
void pcs_bounding_tree_visit(const pcs_bounding_tree *tree, const pcs_box *items,
                             const pcs_box *boxes, pcs_vec3 point, double radius,
                             pcs_bounding_visit_fn visit, void *user);

// Box around both; distance of a point from a box (0 inside).
pcs_box pcs_box_join(pcs_box a, pcs_box b);
double pcs_box_distance(const pcs_box *box, pcs_vec3 point);

#endif
