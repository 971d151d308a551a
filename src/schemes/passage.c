#include "schemes/passage.h"

#include <string.h>

#include "math/vector.h"

// Part of the step by which it is cut behind the touch, and part of the time from the touch to the
// deepest place, whichever is less: the contact is found penetrated and still approaching.
static const double BEHIND = 1e-3, BEFORE_DEEPEST = 0.05;
// A contact that touches from the start and approaches by less than this part of the way rests.
static const double GRAZING = 1e-3;
// Dips less deep than some tolerances of gaps are grazing.
enum { DIP = 10 };
// Parts of a step shorter than this are not taken: methods that find accelerations from positions
// divide rounding by the square of their length.
static const double LAST = 1e-6;
// Precision of the time of the touch, of the step: a dip may last a small part of it.
static const double PRECISION = 1e-9;

// Whether the next step sees the slot: it is closed and approaches at the end of this one, `b`, and
// still does half a step later, where a forecast looks.
static bool is_seen_next(pcs_gap_search *search, const pcs_passage_step *step, int32_t slot,
                         const pcs_gap_place *b)
{
    if (!(b->gap < 0 && b->rate < 0))
        return false;
    pcs_gap_place later;
    pcs_gap_search_look(search, slot, step->t + 1.5 * step->h, b, &later);
    return later.gap < 0 && later.rate < 0;
}

// Part of the approach speed at the first touch that an impact must have begun with, or the inverse:
// otherwise its normal was taken beside or behind the centre of what is hit.
static const double HEAD_ON = 0.9;

static bool is_hit_right(const pcs_passage_step *step, int32_t slot, double touch_rate)
{
    const double rate = step->rate[slot];
    return step->carries[slot] && rate <= HEAD_ON * touch_rate && HEAD_ON * rate >= touch_rate;
}

// A contact that slides is straight in the step and its surface is not: it dips by up to h/8 times
// what the turning of the normal adds to its rate, and leaves by itself. One that begins the step
// within that depth, turns by less than SLIDES and is open at the end is not passed if it does not
// arrive: it carried a load, or does not approach with the velocities of the start. Then it
// approaches more slowly than its normal turns, which is no impact (docs/theory/moreau-jean.md).
static const double SLIDES = 0.1; // rad

static void begin_along(pcs_gap_search *search, const pcs_passage_step *step, const double *way)
{
    pcs_motion *motion = pcs_gap_search_motion(search);
    memcpy(motion->c[0], way, sizeof(double) * (size_t)motion->model->n_v);
    pcs_gap_search_begin(search, step->t, step->h, step->q, 1, step->turns, step->external, NULL);
}

// Whether a slot that carries nothing approaches with the velocities of the start.
static bool arrives(pcs_gap_search *search, const pcs_passage_step *step, int32_t slot)
{
    pcs_gap_place now;
    begin_along(search, step, step->onwards);
    pcs_gap_search_look(search, slot, step->t, NULL, &now);
    begin_along(search, step, step->way);
    return -now.rate * step->h > step->tolerance;
}

static bool slides_off(pcs_gap_search *search, const pcs_passage_step *step, int32_t slot,
                       const pcs_gap_place *a, const pcs_gap_place *b)
{
    if (step->carries[slot] || a->n_barriers == 0 || b->n_barriers == 0 || !(b->gap >= 0) ||
        b->gap == HUGE_VAL)
        return false;
    const double turned = pcs_v3_norm(pcs_v3_sub(b->barrier[0].n, a->barrier[0].n));
    return turned <= SLIDES && a->gap <= 0.125 * step->h * (b->rate - a->rate) &&
           ((step->load && step->load[3 * slot] > 0) || !arrives(search, step, slot));
}

// Time behind a touch at `b`, at most `most`, at which the gap still falls nearly as fast.
static double time_behind(pcs_gap_search *search, int32_t slot, const pcs_gap_place *b, double most)
{
    enum { HALVINGS = 40 };
    double low = 0, high = most / BEFORE_DEEPEST;
    pcs_gap_place now;
    pcs_gap_search_look(search, slot, b->t + high, b, &now);
    if (!(now.rate >= 0))
        return most;
    for (int i = 0; i < HALVINGS && low <= 0.5 * high; ++i) {
        const double middle = 0.5 * (low + high);
        pcs_gap_search_look(search, slot, b->t + middle, b, &now);
        *(now.rate < 0 ? &low : &high) = middle;
    }
    return fmin(most, BEFORE_DEEPEST * (low > 0 ? low : high));
}

// Time just behind the first touch of a slot that the step would pass, HUGE_VAL: none.
static double passes_at(pcs_gap_search *search, const pcs_passage_step *step, int32_t slot,
                        double way)
{
    const pcs_gap_rules rules = {.level = 0,
                                 .noise = step->tolerance,
                                 .tolerance = DIP * step->tolerance,
                                 .precision = PRECISION * step->h,
                                 .too_early = -HUGE_VAL};
    const double rest = fmax(isfinite(way) ? GRAZING * way : 0, rules.tolerance);
    const double behind = BEHIND * step->h;
    pcs_gap_place a, b;
    bool starts_closed = false;
    pcs_gap_search_look(search, slot, step->t, NULL, &a);
    pcs_gap_search_look(search, slot, step->t + step->h, &a, &b);
    if (!step->carries[slot] && is_seen_next(search, step, slot, &b))
        return HUGE_VAL;
    if (slides_off(search, step, slot, &a, &b))
        return HUGE_VAL;
    if (a.gap <= rules.noise && -a.rate * step->h > rest)
        return is_hit_right(step, slot, a.rate) ? HUGE_VAL : step->t + behind;
    if (pcs_gap_search_is_clear(search, slot, &rules, &a, &b) ||
        !pcs_gap_search_first(search, slot, &rules, &a, &b, &starts_closed) || starts_closed)
        return HUGE_VAL;
    return is_hit_right(step, slot, b.rate) ? HUGE_VAL
                                            : b.t + time_behind(search, slot, &b, behind);
}

// The first touch of the slots that have an impact in the step (`hit`), along the way that they would
// have gone on, or of those that carry nothing, along that of the step.
static int32_t first_passed(pcs_gap_search *search, const pcs_passage_step *step, bool hit,
                            double *first)
{
    int32_t found = -1;
    begin_along(search, step, hit ? step->onwards : step->way);
    for (int32_t k = 0; k < step->n_near; ++k) {
        const int32_t i = step->near ? step->near[k] : k;
        if (step->carries[i] != hit || (hit && !(step->rate[i] < 0))) // or rests
            continue;
        const double way = pcs_gap_search_way(search, i);
        if (way == 0 || step->gap[i] > way)
            continue;
        const double t = passes_at(search, step, i, way);
        if (t < *first) {
            *first = t;
            found = i;
        }
    }
    return found;
}

int32_t pcs_passage_find(pcs_gap_search *search, const pcs_passage_step *step, double *cut)
{
    double first = HUGE_VAL;
    bool impacts = false;
    *cut = 0;
    for (int32_t k = 0; k < step->n_near; ++k) {
        const int32_t i = step->near ? step->near[k] : k;
        impacts = impacts || (step->carries[i] && step->rate[i] < 0);
    }
    int32_t found = first_passed(search, step, false, &first);
    const int32_t hit = impacts ? first_passed(search, step, true, &first) : -1;
    found = hit >= 0 ? hit : found;
    const double length = first - step->t;
    if (!(length < (1 - LAST) * step->h))
        return -1;
    *cut = length;
    return found;
}

void pcs_passage_warn(pcs_context *ctx, const pcs_model *model, const pcs_passage_step *step,
                      int32_t slot)
{
    pcs_log(ctx, PCS_LOG_WARNING,
            "t = %g: contact '%s' may have been passed in a step of %g s; take a smaller step",
            step->t, model->slot_names.data[slot], step->h);
}
