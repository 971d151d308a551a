// Singular positions: loops of joints, nearness, passage between two instants (singular.h).
#include "schemes/singular.h"

#include <float.h>
#include <math.h>

// Part of the largest pivot seen: a distance of about 0.03 rad.
static const double NEAR_PIVOT = 1e-3;
// Part of the way of a step by which an even fall of the distance to zero and its rise behind may be
// missed.
static const double UNEVEN_PART = 0.25;

static int32_t find_root(int32_t *root, int32_t i)
{
    for (; root[i] != i; i = root[i])
        root[i] = root[root[i]];
    return i;
}

pcs_status pcs_singular_find_loops(pcs_context *ctx, const pcs_model *model, bool *has_loops)
{
    const int32_t n = model->nodes.count, ground = n;
    int32_t *root = PCS_NEW_ARRAY(ctx, int32_t, (int64_t)n + 1);
    if (!root)
        return PCS_ERROR_MEMORY;
    for (int32_t i = 0; i <= n; ++i)
        root[i] = i;
    *has_loops = model->couplings.count > 0;
    for (int32_t k = 0; k < model->joints.count; ++k) {
        const pcs_pair *pair = &model->joints.data[k].pair;
        const int32_t a = find_root(root, pair->a.node < 0 ? ground : pair->a.node);
        const int32_t b = find_root(root, pair->b.node < 0 ? ground : pair->b.node);
        *has_loops = *has_loops || a == b;
        root[a] = b;
    }
    pcs_free(ctx, root);
    return PCS_OK;
}

static double distance(pcs_singular *s, double pivot)
{
    s->widest = fmax(s->widest, pivot);
    return sqrt(pivot / fmax(s->widest, DBL_MIN));
}

void pcs_singular_begin(pcs_singular *s, double pivot)
{
    s->distance = distance(s, pivot);
    s->closing = 0;
}

bool pcs_singular_is_near(const pcs_singular *s, double pivot)
{
    return pivot < NEAR_PIVOT * s->widest;
}

bool pcs_singular_step(pcs_singular *s, double h, double pivot)
{
    const double now = distance(s, pivot), before = s->distance, way = s->closing * h;
    const bool passed = before > 0 && way > before &&
                        fabs(now - (way - before)) < UNEVEN_PART * way;
    s->closing = (before - now) / h;
    s->distance = now;
    return passed || pcs_singular_is_near(s, pivot);
}

double pcs_singular_time(const pcs_singular *s)
{
    return s->closing > 0 ? s->distance / s->closing : HUGE_VAL;
}
