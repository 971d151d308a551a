// Switches of formulas in the event-driven scheme.
//
// Conditions on the state (model/switches.h): a step whose dense output changes the side of one has
// stages on both sides and says little. It is computed again up to a hundredth of its length before
// the switch, where all stages are on the first side; the steps that follow come near the switch by
// such hundredths, and when what is left is beyond the resolution of time, the state goes over it
// and the integrator begins anew. The sides are compared with those just after the start of the
// step, at the samples that contacts have too. A condition that a motion crosses and crosses back
// between two samples is not seen; the error control is what is left there.
//
// Motions: where the rate of a driven joint jumps, its drive gives an impulse p with
//
//     M (v+ - v-) = G^T p,   G v+ = rate+.
//
// Its work is p.G (v+ + v-)/2. Contacts that were closed and are pressed by it do not rebound:
// nothing approached them before [as Moreau's rule u+ = -e u-].
#include <string.h>

#include "schemes/event_driven.h"

// Sides at the start are those after this part of the step, where the motion has left the switch.
#define START_PART 1e-6
// A step up to a switch ends so much of it before: none of its stages is behind it.
#define MARGIN 1e-2
// A switch is reached where so little time is left, s, or this part of the time.
#define RESOLUTION 1e-12
// Relative precision of a located time.
#define PRECISION 1e-13
// Switches that follow each other at once, that is within this part of a step or within zeno_time,
// before they are left to the error control: a force that drives the state back to its switch, such
// as -sign(v), has no end of them. They are located again after so many steps without one.
#define AT_ONCE 1e-2
enum { CHATTER = 20, QUIET = 200 };

pcs_status pcs_ed_init_switches(event_driven *s)
{
    const int64_t n = s->base.switches->n_state;
    for (int k = 0; k < 2; ++k) {
        pcs_free(s->base.ctx, s->sides[k]);
        s->sides[k] = PCS_NEW_ARRAY(s->base.ctx, double, n);
        if (!s->sides[k])
            return PCS_ERROR_MEMORY;
    }
    return PCS_OK;
}

static pcs_status sides_at(event_driven *s, double t, double *side)
{
    pcs_status status;
    const pcs_smooth_point *point = pcs_ed_point(s, t, &status);
    PCS_TRY(status);
    pcs_configuration_update(s->base.model, &s->c, point->t, point->q, point->v, s->turns,
                             s->external);
    pcs_switches_sides(s->base.switches, s->base.model, &s->c, NULL, side, NULL);
    return PCS_OK;
}

// Whether a function has another side at t than at the start; those that are not looked at, in
// branches not taken, have none.
static pcs_status has_changed(event_driven *s, double t, bool *changed)
{
    const double *start = s->sides[0], *here = s->sides[1];
    PCS_TRY(sides_at(s, t, s->sides[1]));
    *changed = false;
    for (int32_t i = 0; i < s->base.switches->n_state; ++i)
        *changed = *changed || here[i] > start[i] || here[i] < start[i]; // false for NAN
    return PCS_OK;
}

// First sample with another side, and the one before it; false: none.
static pcs_status bracket(event_driven *s, double *low, double *high, bool *found)
{
    const double from = s->march->from.t, length = s->march->to.t - from;
    const int32_t samples = s->chatter > CHATTER ? 1 : (int32_t)s->base.options[ED_SAMPLES];
    *found = false;
    *low = from + START_PART * length;
    PCS_TRY(sides_at(s, *low, s->sides[0]));
    for (int32_t k = 1; k <= samples && !*found; ++k) {
        *high = k == samples ? s->march->to.t : from + length * k / samples;
        PCS_TRY(has_changed(s, *high, found));
        if (!*found)
            *low = *high;
    }
    return PCS_OK;
}

static pcs_status locate(event_driven *s, double *low, double *high)
{
    const double width = PRECISION * fmax(fabs(*high), *high - *low);
    while (*high - *low > width) {
        const double middle = 0.5 * (*low + *high);
        bool changed;
        if (!(*low < middle && middle < *high))
            break;
        PCS_TRY(has_changed(s, middle, &changed));
        *(changed ? high : low) = middle;
    }
    return PCS_OK;
}

// One look at the last step: *left is the time from its start to the switch, HUGE_VAL: there is
// none; *behind an instant just behind it.
static pcs_status look_for_switch(event_driven *s, double *left, double *behind)
{
    pcs_march *march = s->march;
    const pcs_dense_use use = march->integrator->dense_use;
    double low = march->from.t;
    bool found = false;
    march->integrator->dense_use = PCS_DENSE_MOTION;
    pcs_status status = bracket(s, &low, behind, &found);
    if (status >= 0 && found && s->chatter <= CHATTER)
        status = locate(s, &low, behind);
    march->integrator->dense_use = use;
    *left = found ? low - march->from.t : HUGE_VAL;
    return status;
}

// A step without a switch.
static void rest(event_driven *s)
{
    s->planned = 0;
    if (++s->quiet >= QUIET)
        s->chatter = 0;
}

// The step ends at a switch.
static void reach(event_driven *s)
{
    pcs_march *march = s->march;
    const double at_once = fmax(AT_ONCE * s->planned, s->base.options[ED_ZENO_TIME]);
    s->chatter = march->to.t - s->last_switch < at_once ? s->chatter + 1 : 0;
    s->last_switch = march->to.t;
    march->h_next = fmax(march->h_next, s->planned);
    s->planned = 0;
}

pcs_status pcs_ed_search_switches(event_driven *s, double *at)
{
    enum { TRIES = 8 }; // a place found on a step over the switch is not yet the right one
    pcs_march *march = s->march;
    *at = HUGE_VAL;
    if (s->base.switches->n_state == 0 || !(march->to.t > march->from.t))
        return PCS_OK;
    for (int i = 0; i < TRIES; ++i) {
        double left, behind;
        PCS_TRY(look_for_switch(s, &left, &behind));
        if (left == HUGE_VAL) {
            if (i == 0)
                rest(s);
            return PCS_OK;
        }
        s->quiet = 0;
        if (s->chatter > CHATTER)
            return PCS_OK;
        if (!(s->planned > 0))
            s->planned = march->h_next;
        if (left <= RESOLUTION * fmax(fabs(behind), 1)) {
            if (behind < march->to.t)
                PCS_TRY(pcs_march_cut_dense(march, behind));
            *at = march->to.t;
            reach(s);
            return PCS_OK;
        }
        PCS_TRY(pcs_march_cut(march, march->from.t + (1 - MARGIN) * left));
        march->h_next = fmin(march->h_next, 2 * (behind - march->to.t));
    }
    return PCS_OK;
}

// ---- Motions whose rates jump ----

static bool is_driven(const pcs_model *model)
{
    for (int32_t k = 0; k < model->joints.count; ++k)
        for (int32_t i = 0; i < model->joints.data[k].n_rows; ++i)
            if (model->joints.data[k].motion[i])
                return true;
    for (int32_t k = 0; k < model->systems.count; ++k)
        if (model->systems.data[k].n_constraints > 0)
            return true;
    return false;
}

pcs_status pcs_ed_drive(event_driven *s)
{
    const pcs_model *model = s->base.model;
    if (!s->all || !is_driven(model))
        return PCS_OK;
    PCS_TRY(pcs_ed_factor(s));
    double *jump = s->p_row, largest = 0;
    pcs_model_prescribed(model, &s->c, s->c.t, jump, NULL);
    pcs_model_rows_multiply(model, s->rows, s->v, s->convective);
    for (int32_t i = 0; i < model->n_rows; ++i) {
        jump[i] -= s->convective[i];
        largest = fmax(largest, fabs(jump[i]));
    }
    if (!(largest > s->base.options[ED_VELOCITY_TOLERANCE]))
        return PCS_OK;
    memset(s->x, 0, sizeof(double) * (size_t)model->n_v);
    pcs_saddle_solve(s->saddle, s->x, s->p_row);
    for (int32_t i = 0; i < model->n_v; ++i) {
        s->v[i] += s->x[i];
        s->x[i] = s->v[i] - 0.5 * s->x[i]; // the mean of before and after
    }
    s->work_base[PCS_WORK_DRIVER] += pcs_model_driven_work(model, s->rows, s->p_row, s->x);
    for (int32_t i = 0; i < model->n_rows; ++i)
        s->p_sum[i] += s->p_row[i];
    for (int32_t i = 0; i < model->n_slots; ++i) {
        double u[3];
        if (s->phase.mode[i] == PCS_MODE_OPEN || s->contacts[i].gap == HUGE_VAL)
            continue;
        pcs_contact_velocity(model, &s->contacts[i], s->v, u);
        if (u[0] < 0)
            s->cause[i] = ED_SETTLED;
    }
    return PCS_OK;
}
