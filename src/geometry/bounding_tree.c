// Bounding volume tree: built by halving at the median of the centres along the longest side.
#include "geometry/bounding_tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "math/vector.h"

enum {
    LEAF_ITEMS = 4, // a look at a few boxes costs less than two more nodes
    DEPTH_MAX = 64  // halves of 2^31 items
};

pcs_box pcs_box_join(pcs_box a, pcs_box b)
{
    return (pcs_box){
        pcs_v3(fmin(a.low.x, b.low.x), fmin(a.low.y, b.low.y), fmin(a.low.z, b.low.z)),
        pcs_v3(fmax(a.high.x, b.high.x), fmax(a.high.y, b.high.y), fmax(a.high.z, b.high.z))};
}

static double outside(double low, double high, double x)
{
    return x < low ? low - x : x > high ? x - high : 0.0;
}

double pcs_box_distance(const pcs_box *box, pcs_vec3 p)
{
    return pcs_v3_norm(pcs_v3(outside(box->low.x, box->high.x, p.x),
                              outside(box->low.y, box->high.y, p.y),
                              outside(box->low.z, box->high.z, p.z)));
}

// ---- Building ----

typedef struct centre {
    double x[3], along;
    int32_t item;
} centre;

// Ties by number, so that the tree does not depend on the sort.
static int compare_centres(const void *a, const void *b)
{
    const centre *p = a, *q = b;
    if (p->along != q->along)
        return p->along < q->along ? -1 : 1;
    return p->item < q->item ? -1 : p->item > q->item;
}

static int longest_side(const centre *centres, int32_t count)
{
    int axis = 0;
    double longest = -1.0;
    for (int k = 0; k < 3; k++) {
        double low = centres[0].x[k], high = low;
        for (int32_t i = 1; i < count; i++) {
            low = fmin(low, centres[i].x[k]);
            high = fmax(high, centres[i].x[k]);
        }
        if (high - low > longest) {
            longest = high - low;
            axis = k;
        }
    }
    return axis;
}

static void split(pcs_bounding_tree *tree, centre *centres, int32_t first, int32_t count)
{
    pcs_bounding_node *node = &tree->node[tree->n_nodes++];
    *node = (pcs_bounding_node){first, count, 0};
    if (count <= LEAF_ITEMS)
        return;
    const int axis = longest_side(centres + first, count);
    for (int32_t i = first; i < first + count; i++)
        centres[i].along = centres[i].x[axis];
    qsort(centres + first, (size_t)count, sizeof *centres, compare_centres);
    const int32_t half = count / 2;
    split(tree, centres, first, half);
    node->right = tree->n_nodes;
    split(tree, centres, first + half, count - half);
}

pcs_status pcs_bounding_tree_create(pcs_context *ctx, int32_t n_items, const pcs_box *items,
                                    pcs_bounding_tree **out)
{
    *out = NULL;
    pcs_bounding_tree *tree = PCS_NEW(ctx, pcs_bounding_tree);
    centre *centres = PCS_NEW_ARRAY(ctx, centre, n_items);
    if (tree) {
        tree->item = PCS_NEW_ARRAY(ctx, int32_t, n_items);
        tree->node = PCS_NEW_ARRAY(ctx, pcs_bounding_node, 2 * (int64_t)n_items + 1);
    }
    if (!tree || !centres || !tree->item || !tree->node) {
        pcs_free(ctx, centres);
        pcs_bounding_tree_destroy(ctx, tree);
        return PCS_ERROR_MEMORY;
    }
    for (int32_t i = 0; i < n_items; i++) {
        pcs_v3_store(centres[i].x, pcs_v3_scale(0.5, pcs_v3_add(items[i].low, items[i].high)));
        centres[i].item = i;
    }
    tree->n_items = n_items;
    if (n_items > 0)
        split(tree, centres, 0, n_items);
    for (int32_t i = 0; i < n_items; i++)
        tree->item[i] = centres[i].item;
    pcs_free(ctx, centres);
    *out = tree;
    return PCS_OK;
}

void pcs_bounding_tree_destroy(pcs_context *ctx, pcs_bounding_tree *tree)
{
    if (!tree)
        return;
    pcs_free(ctx, tree->item);
    pcs_free(ctx, tree->node);
    pcs_free(ctx, tree);
}

// ---- Use ----

void pcs_bounding_tree_refit(const pcs_bounding_tree *tree, const pcs_box *items, pcs_box *boxes)
{
    for (int32_t k = tree->n_nodes - 1; k >= 0; k--) { // children first
        const pcs_bounding_node *node = &tree->node[k];
        if (node->right > 0) {
            boxes[k] = pcs_box_join(boxes[k + 1], boxes[node->right]);
            continue;
        }
        boxes[k] = items[tree->item[node->first]];
        for (int32_t i = 1; i < node->count; i++)
            boxes[k] = pcs_box_join(boxes[k], items[tree->item[node->first + i]]);
    }
}

void pcs_bounding_tree_visit(const pcs_bounding_tree *tree, const pcs_box *items,
                             const pcs_box *boxes, pcs_vec3 point, double radius,
                             pcs_bounding_visit_fn visit, void *user)
{
    struct {
        int32_t node;
        double distance;
    } stack[DEPTH_MAX];
    int depth = 0;
    if (tree->n_nodes == 0)
        return;
    stack[depth].node = 0;
    stack[depth++].distance = pcs_box_distance(&boxes[0], point);
    while (depth > 0) {
        const int32_t k = stack[--depth].node;
        if (stack[depth].distance > radius)
            continue;
        const pcs_bounding_node *node = &tree->node[k];
        if (node->right == 0) {
            for (int32_t i = 0; i < node->count; i++) {
                const int32_t item = tree->item[node->first + i];
                if (pcs_box_distance(&items[item], point) <= radius)
                    radius = visit(user, item, radius);
            }
            continue;
        }
        const int32_t child[2] = {k + 1, node->right};
        const double d[2] = {pcs_box_distance(&boxes[child[0]], point),
                             pcs_box_distance(&boxes[child[1]], point)};
        const int far = d[0] > d[1] ? 0 : 1; // looked at last
        stack[depth].node = child[far];
        stack[depth++].distance = d[far];
        stack[depth].node = child[1 - far];
        stack[depth++].distance = d[1 - far];
    }
}
