// Contacts that a Moreau-Jean step would pass: closed somewhere on its way q_k [+] s h v_{k+a}, but
// neither where the forecast nor where the end of the step looks, or found behind the centre of what
// they hit, with a normal that points on. The step is then cut just behind the first touch, where
// the contact is seen.
#include "schemes/gap_search.h"
#include "schemes/moreau_jean.h"

// Part of the step by which it is cut behind the touch: the contact is found penetrated by that part
// of the way, which must be thin beside what is hit; if it is not, the shorter step is cut again.
static const double BEHIND = 1e-3;
// Dips less deep than this part of the way are grazing.
static const double GRAZING = 1e-3;

static void begin_search(moreau_jean *s)
{
    pcs_motion *motion = pcs_gap_search_motion(s->search);
    for (int32_t i = 0; i < s->base.model->n_v; ++i)
        motion->c[0][i] = s->h * ((1 - s->a) * s->v_k[i] + s->a * s->v[i]);
    pcs_gap_search_begin(s->search, s->t_k, s->h, s->q_k, 1, s->turns, s->external, NULL);
}

// Time of the first touch of a slot that the step would pass, HUGE_VAL: none. A slot that is closed
// at the end and approaches is seen by the next step.
static double passes_at(moreau_jean *s, int32_t slot, double way)
{
    const double least = 10 * s->base.options[MJ_PROJECTION_TOLERANCE]; // of gaps, in a dip
    pcs_gap_rules rules = {.level = 0,
                           .noise = s->base.options[MJ_PROJECTION_TOLERANCE],
                           .tolerance = fmax(isfinite(way) ? GRAZING * way : 0, least),
                           .precision = 0.1 * BEHIND * s->h,
                           .too_early = -HUGE_VAL};
    pcs_gap_place a, b;
    bool starts_closed = false;
    pcs_gap_search_look(s->search, slot, s->t_k, NULL, &a);
    pcs_gap_search_look(s->search, slot, s->t_k + s->h, &a, &b);
    if (b.gap < 0 && b.rate < 0)
        return HUGE_VAL;
    if (a.gap <= rules.noise && -a.rate * s->h > rules.tolerance)
        return s->t_k;
    if (pcs_gap_search_is_clear(s->search, slot, &rules, &a, &b) ||
        !pcs_gap_search_first(s->search, slot, &rules, &a, &b, &starts_closed) || starts_closed)
        return HUGE_VAL;
    return b.t;
}

int32_t pcs_mj_find_passage(moreau_jean *s, double *cut)
{
    const pcs_model *m = s->base.model;
    int32_t found = -1;
    double first = HUGE_VAL;
    *cut = 0;
    if (m->n_slots == 0)
        return -1;
    bool *carries = s->hit; // free until the next step
    for (int32_t i = 0; i < m->n_slots; ++i)
        carries[i] = false;
    for (int32_t k = 0; k < s->n_active; ++k)
        carries[s->active[k]] = s->r[s->offset[k]] > 0;
    begin_search(s);
    for (int32_t i = 0; i < m->n_slots; ++i) {
        const double way = carries[i] ? 0 : pcs_gap_search_way(s->search, i);
        if (way == 0 || s->gap_k[i] > way) // HUGE_VAL as well: no contact point
            continue;
        const double t = passes_at(s, i, way);
        if (t < first) {
            first = t;
            found = i;
        }
    }
    for (int32_t i = 0; i < m->n_slots; ++i)
        carries[i] = false;
    const double length = first - s->t_k + BEHIND * s->h;
    if (!(length < (1 - BEHIND) * s->h))
        return -1;
    *cut = length;
    return found;
}
