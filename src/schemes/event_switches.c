// Switches of formulas in the event-driven scheme.
//
// Conditions on the state (model/switches.h): a step whose dense output changes the side of one has
// stages on both sides and says little. It is computed again up to a hundredth of its length before
// the switch, where all stages are on the first side; the steps that follow come near the switch by
// such hundredths. Over the last nanosecond the state goes straight on, with the acceleration
// before the switch,
//
//     q [+] (dt v + dt^2/2 a),   v + dt a,
//
// and the integrator begins anew behind it. The sides are compared with those at the start of the
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

// A motion that starts on a switch has the side after this part of the step.
#define START_PART 1e-6
// A step up to a switch ends so much of it before: none of its stages is behind it.
#define MARGIN 1e-2
// A switch is reached where so little time is left, s, or this part of the time: the error of going
// straight on is its square.
#define LEAP 1e-9
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

static void find_sides(event_driven *s, double t, const double *q, const double *v, double *side)
{
    pcs_configuration_update(s->base.model, &s->c, t, q, v, s->turns, s->external);
    pcs_switches_sides(s->base.switches, s->base.model, &s->c, NULL, side, NULL);
}

static pcs_status sides_at(event_driven *s, double t, double *side)
{
    pcs_status status;
    const pcs_smooth_point *point = pcs_ed_point(s, t, &status);
    PCS_TRY(status);
    find_sides(s, point->t, point->q, point->v, side);
    return PCS_OK;
}

static bool are_changed(const event_driven *s)
{
    const double *start = s->sides[0], *here = s->sides[1];
    bool changed = false;
    for (int32_t i = 0; i < s->base.switches->n_state; ++i)
        changed = changed || here[i] > start[i] || here[i] < start[i]; // false for NAN
    return changed;
}

// Whether a function has another side at t than at the start; those that are not looked at, in
// branches not taken, have none.
static pcs_status has_changed(event_driven *s, double t, bool *changed)
{
    PCS_TRY(sides_at(s, t, s->sides[1]));
    *changed = are_changed(s);
    return PCS_OK;
}

// First sample with another side, and the one before it; false: none.
static pcs_status bracket(event_driven *s, double *low, double *high, bool *found)
{
    const double from = s->march->from.t, length = s->march->to.t - from;
    const int32_t samples = s->chatter > CHATTER ? 1 : (int32_t)s->base.options[ED_SAMPLES];
    *found = false;
    *low = from;
    PCS_TRY(sides_at(s, from, s->sides[0]));
    PCS_TRY(sides_at(s, from + START_PART * length, s->sides[1]));
    for (int32_t i = 0; i < s->base.switches->n_state; ++i)
        if (s->sides[0][i] == 0)
            s->sides[0][i] = s->sides[1][i];
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

// The state straight on from the end of the last step, to s->q and s->v.
static void go_straight(event_driven *s, double dt)
{
    const pcs_model *model = s->base.model;
    const pcs_smooth_point *to = &s->march->to;
    for (int32_t i = 0; i < model->n_v; ++i) {
        s->x[i] = dt * (to->v[i] + 0.5 * dt * to->a[i]);
        s->v[i] = to->v[i] + dt * to->a[i];
    }
    pcs_model_retract(model, to->q, s->x, s->q);
}

static bool changes_after(event_driven *s, double dt)
{
    go_straight(s, dt);
    find_sides(s, s->march->to.t + dt, s->q, s->v, s->sides[1]);
    return are_changed(s);
}

// The end of the step, still before the switch, is near enough to go over it: s->leap. The sides
// at the start of the step are at hand.
static void try_leap(event_driven *s, double *at)
{
    pcs_march *march = s->march;
    const double scale = fmax(fabs(march->to.t), 1), most = LEAP * scale;
    double low = 0, high = most;
    if (!changes_after(s, most))
        return;
    while (high - low > PRECISION * scale) {
        const double middle = 0.5 * (low + high);
        *(changes_after(s, middle) ? &high : &low) = middle;
    }
    s->leap = high + PRECISION * scale; // clear of the rounding at the switch
    *at = march->to.t;
    const double at_once = fmax(AT_ONCE * s->planned, s->base.options[ED_ZENO_TIME]);
    s->chatter = march->to.t - s->last_switch < at_once ? s->chatter + 1 : 0;
    s->last_switch = march->to.t;
    march->h_next = fmax(march->h_next, s->planned);
    s->planned = 0;
}

// A step without a switch.
static void rest(event_driven *s)
{
    s->planned = 0;
    if (++s->quiet >= QUIET)
        s->chatter = 0;
}

pcs_status pcs_ed_search_switches(event_driven *s, double *at)
{
    enum { TRIES = 8 }; // a place found on a step over the switch is not yet the right one
    pcs_march *march = s->march;
    *at = HUGE_VAL;
    s->leap = 0;
    if (s->base.switches->n_state == 0 || !(march->to.t > march->from.t))
        return PCS_OK;
    for (int i = 0; i < TRIES; ++i) {
        double left, behind;
        PCS_TRY(look_for_switch(s, &left, &behind));
        if (left < HUGE_VAL)
            s->quiet = 0;
        if (left < HUGE_VAL && s->chatter > CHATTER)
            return PCS_OK;
        if (left == HUGE_VAL) {
            if (s->chatter <= CHATTER)
                try_leap(s, at);
            if (i == 0 && *at == HUGE_VAL)
                rest(s);
            return PCS_OK;
        }
        if (!(s->planned > 0))
            s->planned = march->h_next;
        if (left <= PRECISION * fmax(fabs(behind), 1)) { // at the start of the step
            PCS_TRY(pcs_march_cut_dense(march, fmin(behind, march->to.t)));
            *at = march->to.t;
            ++s->chatter;
            return PCS_OK;
        }
        PCS_TRY(pcs_march_cut(march, march->from.t + (1 - MARGIN) * left));
        march->h_next = fmin(march->h_next, 2 * (behind - march->to.t));
    }
    return PCS_OK;
}

pcs_status pcs_ed_leap(event_driven *s)
{
    const pcs_model *model = s->base.model;
    pcs_smooth_point *to = &s->march->to;
    const double dt = s->leap;
    double power[PCS_WORK_COUNT];
    s->leap = 0;
    if (!(dt > 0))
        return PCS_OK;
    PCS_TRY(
        pcs_smooth_accelerations(s->march->smooth, to->t, to->q, to->v, to->a, to->lambda, power));
    go_straight(s, dt);
    memcpy(to->q, s->q, sizeof(double) * (size_t)model->n_q);
    memcpy(to->v, s->v, sizeof(double) * (size_t)model->n_v);
    for (int32_t i = 0; i < PCS_WORK_COUNT; ++i)
        to->work[i] += dt * power[i];
    to->t += dt;
    s->booked = to->t;
    s->has_step = false;
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
