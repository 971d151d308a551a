// Hybrid of event-driven integration and Moreau-Jean time stepping [Haddouni2015, 4].
//
// Event-driven is exact between events and at impacts, but impacts that accumulate, friction that
// changes direction and edges of surfaces may ask for events without end. Time stepping passes
// through all of them. A switch to it is made
//     A  when a contact is hit again within h* of its last impact by what forces make in h*, the
//        Zeno guard would stop, or the event-driven part finds no solution;
//     B  when a contact changes between slip and stick again within h* (friction_switch: turning); or,
//        as in the thesis, when a sliding velocity vanishes, when a contact sticks, and in space
//        while a contact has friction at all (friction_switch: sticking);
//     C  when a contact reaches the end of its face (a joint on a curve does not),
// with steps h* = max(h^(p+1), smallest_time_step), not above largest_time_step, h and p the last
// step and the order of the integrator. The thesis repeats the whole step by time stepping; here
// the event-driven step is good up to its event, and time stepping begins there. Back to
// event-driven when no contact has changed its status for some steps, so that each is closed and
// steady or open, and B no longer holds. What rattles on is left to time stepping for longer each
// time, in longer steps (see `patience`).
#include <string.h>

#include "schemes/event_driven.h"
#include "schemes/moreau_jean.h"

enum { BY_IMPACTS, BY_FRICTION, BY_EDGE, REASON_COUNT };
// Numbers of the two in PCS_EVENT_SWITCH
enum { EVENT_DRIVEN, TIME_STEPPING };
// Steps after which contacts that only bear on and off are closed for good: bounces with restitution
// e that have come to flights of four steps end 4/(1 - e) steps later, with e = 0.92 here.
enum { HUMMING_STEPS = 50 };
// Steps at work after which they are twice as long, up to largest_time_step: what lasts so long is no
// event but a motion that rattles, and its cost must be that of time stepping.
enum { LASTING_STEPS = 200 };
// Largest factor of the steps that end the time stepping.
enum { PATIENCE_MAX = 1024 };

typedef struct hybrid {
    event_driven ed;
    pcs_scheme *stepping; // Moreau-Jean
    pcs_state inner;      // its state
    bool at_work;         // time stepping is
    int64_t reason;       // why
    int64_t steady;       // steps without a change of status
    double h;             // length of its steps
    int64_t handled;      // events since the last switch back
    int64_t stretch;      // steps since they have this length
    double entered, left; // times of the last switches to it and back
    // Switches that follow each other faster than the time stepping before them lasted, or between
    // which events are denser than time steps of the largest length, are no events that pass: each
    // doubles the steps that end it and their length. So the steps at work are a large part of all,
    // and the switches few.
    double patience;
    double *turned;  // by slot, its last change between slip and stick; -HUGE_VAL: none yet
    double *bounces; // by slot, its last impacts that followed each other closely (see bounce_step)
    double *before;  // status of the slots before the last step
    double *settled; // status; of a contact that opens for a moment the one before
    double *opened;  // steps since it was closed
    int64_t humming; // steps without a change of `settled`
    double *memory;  // last copy of what follows the event-driven part in the state
    // Of the output step.
    int32_t switched[REASON_COUNT];
    double time;
    int64_t steps;
    pcs_step_report report;
} hybrid;

static hybrid *self(pcs_scheme *scheme)
{
    return (hybrid *)scheme;
}

static void log_switch(hybrid *s, double t, int32_t to)
{
    const pcs_event event = {
        .time = t, .value = (double)s->reason, .kind = PCS_EVENT_SWITCH, .object = to};
    pcs_event_log_add(&s->ed.base.events, event);
}

// ---- To time stepping ----

static double time_step(const hybrid *s)
{
    const pcs_march *march = s->ed.march;
    const double *option = s->ed.base.options;
    const double h = march->h > 0 ? march->h : march->h_next;
    const double of_order = pow(h, march->opts.class->order + 1); // says nothing for h near 1 s
    return fmax(fmin(of_order, option[HY_LARGEST_TIME_STEP]), option[HY_SMALLEST_TIME_STEP]);
}

// Flights of an accumulation, as a part of a time step, that are left to time stepping. It takes
// approaches of up to h a, those of flights of 2 h, for rest (docs/theory/moreau-jean.md): what is
// handed over must be short against that, or bounces that events resolve lose their restitution.
static const double HANDED_OVER = 0.5;

// Time step to which the next impact of a contact would be left. Flights shorter than those that
// largest_time_step passes over and that come in hundreds are no event that passes, as steps at work
// are (LASTING_STEPS): a damped spring that presses on a stop with e = 1 bounces 1e5 times, ever
// lower, in flights that stay longer than smallest_time_step. So their step doubles too.
static double bounce_step(const hybrid *s, int32_t slot)
{
    const double doublings = floor(s->bounces[slot] / LASTING_STEPS);
    return fmin(time_step(s) * exp2(doublings),
                fmax(time_step(s), s->ed.base.options[HY_LARGEST_TIME_STEP]));
}

// Friction that is left to time stepping in whatever it does.
static bool sticks(const hybrid *s)
{
    const event_driven *ed = &s->ed;
    if ((int)ed->base.options[HY_FRICTION_SWITCH] != HY_STICKING)
        return false;
    for (int32_t i = 0; i < ed->base.model->n_slots; ++i) {
        const pcs_contact *contact = &ed->contacts[i];
        if (ed->phase.mode[i] == PCS_MODE_OPEN || contact->row.size == 1 ||
            contact->law.friction == 0)
            continue;
        if (ed->phase.mode[i] == PCS_MODE_STICK || contact->row.size == 3)
            return true;
    }
    return false;
}

// Whether the contact approaches no faster than what forces make in a time step, which is the approach
// that time stepping takes for rest. Where bodies between others are hit again and again, impacts follow
// ever faster at speeds that no force has made, and their order decides where the bodies go: time
// stepping, which handles all impacts of a step together, would be wrong however short the step.
static bool is_slow(hybrid *s, int32_t slot, double h)
{
    event_driven *ed = &s->ed;
    const pcs_model *model = ed->base.model;
    const pcs_smooth_point *to = &ed->march->to;
    double u[3];
    pcs_ed_look(ed, to, false);
    if (ed->contacts[slot].gap == HUGE_VAL)
        return false;
    for (int32_t i = 0; i < model->n_v; ++i)
        ed->x[i] = to->v[i] + h * to->a[i];
    pcs_contact_velocity(model, &ed->contacts[slot], to->v, u);
    return -u[0] <= pcs_contact_speed_change(model, &ed->contacts[slot], to->v, ed->x);
}

static bool is_friction(int cause)
{
    return cause == ED_SLIP_END || cause == ED_STICK_END || cause == ED_INCONSISTENT;
}

// Why the pending event should be left to time stepping; -1: it should not. Changes between slip and
// stick are events like others, and time stepping leaves them with velocities off by its step, so
// that the next change follows at once: only those that accumulate are its business.
static int64_t judge(hybrid *s)
{
    const event_driven *ed = &s->ed;
    const double *option = ed->base.options, near = HANDED_OVER * time_step(s);
    const bool all = (int)option[HY_FRICTION_SWITCH] == HY_STICKING;
    const double t = ed->march->to.t;
    bool edge = false, friction = false, impacts = false;
    for (int32_t i = 0; i < ed->base.model->n_faces; ++i) {
        const int cause = ed->cause[i];
        const bool slot = i < ed->base.model->n_slots;
        // A joint cannot leave its curve: nothing but its velocity changes, or not even that.
        edge = edge || (cause == ED_EDGE && slot);
        friction = friction || (slot && is_friction(cause) && (all || t - s->turned[i] <= near));
        impacts = impacts || (slot && cause == ED_CLOSING &&
                              t - ed->last_impact[i] <= HANDED_OVER * bounce_step(s, i) &&
                              is_slow(s, i, bounce_step(s, i)));
    }
    impacts = impacts || ed->zeno_events >= (int64_t)option[ED_ZENO_COUNT];
    return impacts ? BY_IMPACTS : friction ? BY_FRICTION : edge ? BY_EDGE : -1;
}

// What the pending event adds to the history of the contacts, before it is handled.
static void note_event(hybrid *s)
{
    const event_driven *ed = &s->ed;
    const double t = ed->march->to.t, near = HANDED_OVER * ed->base.options[HY_LARGEST_TIME_STEP];
    for (int32_t i = 0; i < ed->base.model->n_slots; ++i) {
        if (is_friction(ed->cause[i]))
            s->turned[i] = t;
        if (ed->cause[i] == ED_CLOSING)
            s->bounces[i] = t - ed->last_impact[i] <= near ? s->bounces[i] + 1 : 0;
    }
    s->handled += !ed->all;
}

// The motion at the end of the march, all impulses booked, as the state of the time stepping.
static pcs_status keep(hybrid *s, const pcs_state *state)
{
    event_driven *ed = &s->ed;
    const pcs_model *m = ed->base.model;
    const pcs_smooth_point *to = &ed->march->to;
    pcs_state *x = &s->inner;
    PCS_TRY(pcs_ed_book(ed, to->t));
    *x->t = to->t;
    memcpy(x->q, to->q, sizeof(double) * (size_t)m->n_q);
    memcpy(x->v, to->v, sizeof(double) * (size_t)m->n_v);
    memcpy(x->turns, ed->turns, sizeof(double) * (size_t)m->n_turns);
    memcpy(x->r, ed->r_sum, sizeof(double) * 3 * (size_t)m->n_slots);
    memcpy(x->p, ed->p_sum, sizeof(double) * (size_t)m->n_rows);
    memcpy(x->status, ed->status, sizeof(double) * (size_t)m->n_slots);
    for (int32_t i = 0; i < PCS_WORK_COUNT; ++i)
        x->work[i] = ed->work_base[i] + to->work[i];
    x->work[PCS_WORK_START_ENERGY] = state->work[PCS_WORK_START_ENERGY];
    return PCS_OK;
}

// Time stepping begins at the motion that was kept, with the contact forces ed->force as a first guess.
static void enter(hybrid *s, int64_t reason)
{
    event_driven *ed = &s->ed;
    const pcs_model *m = ed->base.model;
    pcs_state *x = &s->inner;
    const double *option = ed->base.options;
    const double since = *x->t - s->left;
    const bool again = since < s->left - s->entered ||
                       since < (double)s->handled * option[HY_LARGEST_TIME_STEP];
    s->patience = again ? fmin(2 * s->patience, PATIENCE_MAX) : 1;
    s->entered = *x->t;
    s->reason = reason;
    double h = time_step(s);
    for (int32_t i = 0; i < m->n_slots; ++i)
        h = fmax(h, bounce_step(s, i));
    s->h = fmax(fmin(s->patience * h, option[HY_LARGEST_TIME_STEP]), option[HY_SMALLEST_TIME_STEP]);
    s->at_work = true;
    s->steady = s->humming = s->stretch = 0;
    ++s->switched[reason];
    log_switch(s, *x->t, TIME_STEPPING);
    for (int32_t i = 0; i < m->n_slots; ++i) {
        x->gap[i] = ed->contacts[i].gap;
        s->settled[i] = x->status[i];
        s->opened[i] = 0;
    }
    for (int32_t i = 0; i < 3 * m->n_slots; ++i)
        x->r[i] = s->h * ed->force[i];
    pcs_event_log_reset(&s->stepping->events, x->status);
    ed->has_step = ed->pending = ed->all = false;
}

static pcs_status hand_over(hybrid *s, const pcs_state *state, int64_t reason)
{
    event_driven *ed = &s->ed;
    const pcs_smooth_point *to = &ed->march->to;
    PCS_TRY(keep(s, state));
    pcs_ed_look(ed, to, ed->indeterminate);
    PCS_TRY(pcs_ed_forces(ed, to, ed->force));
    enter(s, reason);
    return PCS_OK;
}

// The event-driven part has found no solution: neither what it did since the motion was kept, nor its
// phase count.
static void give_up(hybrid *s, int64_t events)
{
    event_driven *ed = &s->ed;
    const pcs_model *m = ed->base.model;
    pcs_smooth_point *to = &ed->march->to;
    const pcs_state *x = &s->inner;
    pcs_log(ed->base.ctx, PCS_LOG_INFO, "time stepping goes on after: %s",
            pcs_context_error(ed->base.ctx));
    pcs_event_log_rewind(&ed->base.events, events, x->status);
    to->t = ed->booked = *x->t;
    memcpy(to->q, x->q, sizeof(double) * (size_t)m->n_q);
    memcpy(to->v, x->v, sizeof(double) * (size_t)m->n_v);
    memcpy(ed->turns, x->turns, sizeof(double) * (size_t)m->n_turns);
    memcpy(ed->turns_q, x->q, sizeof(double) * (size_t)m->n_q);
    memcpy(ed->r_sum, x->r, sizeof(double) * 3 * (size_t)m->n_slots);
    memcpy(ed->p_sum, x->p, sizeof(double) * (size_t)m->n_rows);
    for (int32_t i = 0; i < m->n_faces; ++i)
        ed->phase.face[i] = -1;
    memset(ed->force, 0, sizeof(double) * 3 * (size_t)m->n_slots);
    pcs_ed_look(ed, to, false);
    enter(s, BY_IMPACTS);
}

// ---- Time stepping ----

// Events of the last step go to the log of the run.
static void move_events(hybrid *s)
{
    pcs_event event;
    for (int64_t i = 0; pcs_event_log_get(&s->stepping->events, i, &event); ++i)
        pcs_event_log_add(&s->ed.base.events, event);
    pcs_event_log_reset(&s->stepping->events, s->inner.status);
}

static void count_step(hybrid *s, const pcs_step_report *part)
{
    pcs_step_report *sum = &s->report;
    ++s->steps;
    s->time += part->h;
    sum->impacts += part->impacts;
    sum->newton_iterations += part->newton_iterations;
    sum->solver_iterations += part->solver_iterations;
    sum->rejected += part->rejected;
    sum->smallest_step = sum->smallest_step > 0 ? fmin(sum->smallest_step, part->h) : part->h;
    sum->residual = fmax(sum->residual, part->residual);
    sum->newton_residual = fmax(sum->newton_residual, part->newton_residual);
    sum->penetration = pcs_depth_larger(sum->penetration, part->penetration);
    sum->drift = fmax(sum->drift, part->drift);
    sum->velocity_drift = fmax(sum->velocity_drift, part->velocity_drift);
    sum->kinetic = part->kinetic;
    sum->potential = part->potential;
}

// Friction that keeps the time stepping at work.
static bool still_sticks(const hybrid *s)
{
    const pcs_scheme *base = &s->ed.base;
    if ((int)base->options[HY_FRICTION_SWITCH] != HY_STICKING)
        return false;
    for (int32_t i = 0; i < base->model->n_slots; ++i) {
        const int status = (int)s->inner.status[i];
        if (status == PCS_STICK || (status == PCS_SLIP && base->model->dimension == 3 &&
                                    s->ed.contacts[i].law.friction > 0))
            return true;
    }
    return false;
}

// A contact that bears on and off, step by step, is closed: its impacts have the speed that the
// forces of a step make, which is the error of the velocities here. Bounces that accumulate also
// come to flights of a few steps, but those end within a few dozen steps.
static void settle(hybrid *s)
{
    enum { FLIGHT = 4 }; // steps
    const double *status = s->inner.status;
    bool changed = false;
    for (int32_t i = 0; i < s->ed.base.model->n_slots; ++i) {
        const bool open = (int)status[i] == PCS_OPEN, was_open = (int)s->settled[i] == PCS_OPEN;
        s->opened[i] = open ? fmin(s->opened[i] + 1, FLIGHT) : 0;
        if (open && s->opened[i] < FLIGHT)
            continue;
        changed = changed || open != was_open;
        s->settled[i] = status[i];
    }
    s->humming = changed ? 0 : s->humming + 1;
}

static pcs_status take_time_step(hybrid *s, double target)
{
    event_driven *ed = &s->ed;
    const pcs_model *m = ed->base.model;
    pcs_state *x = &s->inner;
    pcs_switches *switches = ed->base.switches;
    const double stop = pcs_switches_next(switches, *x->t, target - 2 * switches->rounding);
    const double until = fmin(stop, target), rest = until - *x->t,
                 steps = ceil(rest / s->h - 1e-9); // equal steps to it
    pcs_step_report part;
    pcs_switches_window(switches, *x->t, until, x->external + m->externals.count);
    const size_t bytes = sizeof(double) * (size_t)m->n_slots;
    memcpy(s->before, x->status, bytes);
    pcs_state_begin_frame(x, m->n_slots);
    const pcs_status status = pcs_scheme_step(s->stepping, x, rest / fmax(steps, 1), &part);
    PCS_TRY(status);
    if (steps <= 1)
        *x->t = until;
    count_step(s, &part);
    move_events(s);
    for (int32_t i = 0; i < 3 * m->n_slots; ++i)
        ed->r_sum[i] += x->impulse[i];
    for (int32_t i = 0; i < m->n_rows; ++i)
        ed->p_sum[i] += x->p[i];
    s->steady = memcmp(s->before, x->status, bytes) == 0 ? s->steady + 1 : 0;
    settle(s);
    if (++s->stretch == LASTING_STEPS) {
        s->h = fmax(fmin(2 * s->h, ed->base.options[HY_LARGEST_TIME_STEP]), s->h);
        s->stretch = 0;
    }
    return PCS_OK;
}

// ---- Back to event-driven ----

// `status` are the contacts as event-driven integration is to take them.
static void leave(hybrid *s, const double *status)
{
    event_driven *ed = &s->ed;
    const pcs_model *m = ed->base.model;
    const pcs_state *x = &s->inner;
    pcs_smooth_point *to = &ed->march->to;
    to->t = ed->booked = ed->zeno_since = *x->t;
    memcpy(to->q, x->q, sizeof(double) * (size_t)m->n_q);
    memcpy(to->v, x->v, sizeof(double) * (size_t)m->n_v);
    memcpy(ed->turns, x->turns, sizeof(double) * (size_t)m->n_turns);
    memcpy(ed->turns_q, x->q, sizeof(double) * (size_t)m->n_q);
    for (int32_t i = 0; i < PCS_WORK_COUNT; ++i)
        ed->work_base[i] = x->work[i] - to->work[i];
    ed->work_base[PCS_WORK_START_ENERGY] = 0;
    for (int32_t i = 0; i < m->n_faces; ++i) {
        ed->phase.face[i] = -1;
        ed->cause[i] = ED_NOTHING;
    }
    for (int32_t i = 0; i < m->n_slots; ++i) {
        const bool open = (int)status[i] == PCS_OPEN;
        ed->phase.mode[i] = open ? PCS_MODE_OPEN : PCS_MODE_SLIDE; // decided by the event
        ed->phase.axis[i] = PCS_TANGENTS_FREE;
        ed->cause[i] = open ? ED_NOTHING : ED_SETTLED;
        ed->last_impact[i] = ed->touched[i] = s->turned[i] = -HUGE_VAL;
        s->bounces[i] = 0;
        ed->base.events.state[i] = (uint8_t)x->status[i];
    }
    ed->zeno_events = 0;
    ed->has_step = false;
    ed->pending = ed->all = true;
    s->at_work = false;
    s->left = *x->t;
    s->handled = 0;
    log_switch(s, *x->t, EVENT_DRIVEN);
}

// ---- The step ----

static pcs_status advance_stepping(hybrid *s, double target)
{
    const double steady = s->ed.base.options[HY_STEADY_STEPS];
    PCS_TRY(take_time_step(s, target));
    if (still_sticks(s))
        return PCS_OK;
    if ((double)s->steady >= s->patience * steady)
        leave(s, s->inner.status);
    else if ((double)s->humming >= s->patience * HUMMING_STEPS)
        leave(s, s->settled);
    return PCS_OK;
}

static pcs_status advance(hybrid *s, const pcs_state *state, double target, double limit)
{
    event_driven *ed = &s->ed;
    if (s->at_work)
        return advance_stepping(s, target);
    if (!ed->pending && sticks(s))
        return hand_over(s, state, BY_FRICTION);
    const int64_t reason = ed->pending && !ed->all ? judge(s) : -1;
    if (reason >= 0)
        return hand_over(s, state, reason);
    if (ed->pending)
        note_event(s);
    PCS_TRY(keep(s, state));
    const int64_t events = ed->base.events.count;
    const pcs_status status = pcs_ed_advance(ed, limit);
    if (status != PCS_ERROR_NUMERIC)
        return status;
    give_up(s, events);
    return PCS_OK;
}

static bool is_reached(const hybrid *s, double target)
{
    const double t = s->at_work ? *s->inner.t : s->ed.march->to.t;
    return t > target || (t == target && (s->at_work || !s->ed.pending));
}

// The state at the target while time stepping is at work.
static void output_inner(hybrid *s, pcs_state *state)
{
    event_driven *ed = &s->ed;
    const pcs_model *m = ed->base.model;
    const pcs_state *x = &s->inner;
    struct {
        double *to;
        const double *from;
        int64_t n;
    } list[] = {
        {state->t, x->t, 1},
        {state->q, x->q, m->n_q},
        {state->v, x->v, m->n_v},
        {state->a, x->a, m->n_v},
        {state->turns, x->turns, m->n_turns},
        {state->lambda, x->lambda, m->n_rows},
        {state->p, ed->p_sum, m->n_rows},
        {state->u, x->u, 3 * (int64_t)m->n_slots},
        {state->force, x->force, 3 * (int64_t)m->n_slots},
        {state->r, ed->r_sum, 3 * (int64_t)m->n_slots},
        {state->gap, x->gap, m->n_slots},
        {state->status, x->status, m->n_slots},
        {state->work, x->work, PCS_WORK_COUNT},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; ++i)
        memcpy(list[i].to, list[i].from, sizeof(double) * (size_t)list[i].n);
    memset(ed->p_sum, 0, sizeof(double) * (size_t)m->n_rows);
    memset(ed->r_sum, 0, sizeof(double) * 3 * (size_t)m->n_slots);
    pcs_state_book_contacts(state, m->n_slots, true);
    ed->kinetic = s->report.kinetic;
    ed->potential = s->report.potential;
    memcpy(ed->status, x->status, sizeof(double) * (size_t)m->n_slots);
}

static void make_report(hybrid *s, pcs_state *state, double h, pcs_step_report *report)
{
    const pcs_step_report *part = &s->report;
    pcs_ed_report(&s->ed, state, h, report);
    report->accepted = (report->accepted > 0 ? report->accepted : 0) + s->steps;
    if (report->accepted == 0)
        report->accepted = -1;
    report->impacts += part->impacts;
    report->newton_iterations += part->newton_iterations;
    report->solver_iterations += part->solver_iterations;
    report->rejected += part->rejected;
    report->error += part->error;
    if (s->steps > 0)
        report->smallest_step = report->smallest_step > 0
                                    ? fmin(report->smallest_step, part->smallest_step)
                                    : part->smallest_step;
    report->residual = fmax(report->residual, part->residual);
    report->newton_residual = part->newton_residual;
    report->penetration = pcs_depth_larger(report->penetration, part->penetration);
    report->drift = fmax(report->drift, part->drift);
    report->velocity_drift = fmax(report->velocity_drift, part->velocity_drift);
    report->time_stepping = s->time;
    memcpy(report->switches, s->switched, sizeof report->switches);
    if (s->at_work) {
        report->contacts = 0;
        for (int32_t i = 0; i < s->ed.base.model->n_slots; ++i)
            report->contacts += (int)s->inner.status[i] != PCS_OPEN;
    }
}

// ---- Memory: the event-driven part, then this ----

enum { OWN_SCALARS = 10 };

static int64_t own_count(const hybrid *s)
{
    return OWN_SCALARS + 4 * (int64_t)s->ed.base.model->n_slots + s->inner.count;
}

static void save(hybrid *s, pcs_state *state)
{
    double *own = state->memory + s->ed.memory_count;
    pcs_ed_save(&s->ed, state);
    own[0] = s->at_work;
    own[1] = (double)s->reason;
    own[2] = (double)s->steady;
    own[3] = s->h;
    own[4] = (double)s->humming;
    own[5] = (double)s->stretch;
    own[6] = s->entered;
    own[7] = s->left;
    own[8] = s->patience;
    own[9] = (double)s->handled;
    const size_t n = (size_t)s->ed.base.model->n_slots;
    memcpy(own + OWN_SCALARS, s->settled, sizeof(double) * n);
    memcpy(own + OWN_SCALARS + n, s->opened, sizeof(double) * n);
    memcpy(own + OWN_SCALARS + 2 * n, s->turned, sizeof(double) * n);
    memcpy(own + OWN_SCALARS + 3 * n, s->bounces, sizeof(double) * n);
    memcpy(own + OWN_SCALARS + 4 * n, s->inner.data, sizeof(double) * (size_t)s->inner.count);
    memcpy(s->memory, own, sizeof(double) * (size_t)own_count(s));
}

static pcs_status prepare(hybrid *s, const pcs_state *state)
{
    const double *own = state->memory + s->ed.memory_count;
    const size_t bytes = sizeof(double) * (size_t)own_count(s);
    if (s->ed.inside || memcmp(own, s->memory, bytes) != 0) {
        s->at_work = own[0] != 0;
        s->reason = (int64_t)own[1];
        s->steady = (int64_t)own[2];
        s->h = own[3];
        s->humming = (int64_t)own[4];
        s->stretch = (int64_t)own[5];
        s->entered = own[6];
        s->left = own[7];
        s->patience = own[8];
        s->handled = (int64_t)own[9];
        const size_t n = (size_t)s->ed.base.model->n_slots;
        memcpy(s->settled, own + OWN_SCALARS, sizeof(double) * n);
        memcpy(s->opened, own + OWN_SCALARS + n, sizeof(double) * n);
        memcpy(s->turned, own + OWN_SCALARS + 2 * n, sizeof(double) * n);
        memcpy(s->bounces, own + OWN_SCALARS + 3 * n, sizeof(double) * n);
        memcpy(s->inner.data, own + OWN_SCALARS + 4 * n, sizeof(double) * (size_t)s->inner.count);
        memcpy(s->memory, own, bytes);
        pcs_event_log_reset(&s->stepping->events, s->inner.status);
    }
    PCS_TRY(pcs_ed_prepare(&s->ed, state));
    if (s->at_work)
        s->ed.pending = s->ed.all = false; // inputs that jump are read by the next time step
    memcpy(s->inner.external, state->external,
           sizeof(double) * (size_t)s->ed.base.model->externals.count);
    s->stepping->problem_hook = s->ed.base.problem_hook;
    s->stepping->step = s->ed.base.step;
    memset(s->switched, 0, sizeof s->switched);
    s->time = 0;
    s->steps = 0;
    s->report = (pcs_step_report){0};
    return PCS_OK;
}

static pcs_status step(pcs_scheme *scheme, pcs_state *state, double h, pcs_step_report *report)
{
    hybrid *s = self(scheme);
    const double target = *state->t + h;
    const bool exact = (int)scheme->options[ED_OUTPUT] == ED_EXACT ||
                       scheme->model->externals.count > 0;
    PCS_TRY(prepare(s, state));
    while (!is_reached(s, target))
        PCS_TRY(advance(s, state, target, exact ? target : HUGE_VAL));
    if (s->at_work)
        output_inner(s, state);
    else
        PCS_TRY(pcs_ed_output(&s->ed, state, target));
    make_report(s, state, h, report);
    save(s, state);
    return PCS_OK;
}

// ---- Creation ----

static pcs_status init(pcs_scheme *scheme)
{
    hybrid *s = self(scheme);
    PCS_TRY(pcs_ed_init(&s->ed));
    PCS_TRY(pcs_scheme_create(scheme->ctx, &pcs_moreau_jean_class, scheme->model, &s->stepping));
    s->stepping->refined_by = PCS_REFINED_TIME_STEP;
    PCS_TRY(pcs_state_init(scheme->ctx, scheme->model, 0, &s->inner));
    s->before = PCS_NEW_ARRAY(scheme->ctx, double, scheme->model->n_slots);
    s->settled = PCS_NEW_ARRAY(scheme->ctx, double, scheme->model->n_slots);
    s->opened = PCS_NEW_ARRAY(scheme->ctx, double, scheme->model->n_slots);
    s->turned = PCS_NEW_ARRAY(scheme->ctx, double, scheme->model->n_slots);
    s->bounces = PCS_NEW_ARRAY(scheme->ctx, double, scheme->model->n_slots);
    s->memory = PCS_NEW_ARRAY(scheme->ctx, double, own_count(s));
    const bool complete = s->before && s->settled && s->opened && s->turned && s->bounces;
    return complete && s->memory ? PCS_OK : PCS_ERROR_MEMORY;
}

static void destroy(pcs_scheme *scheme)
{
    hybrid *s = self(scheme);
    pcs_scheme_destroy(s->stepping);
    pcs_state_free(scheme->ctx, &s->inner);
    pcs_free(scheme->ctx, s->before);
    pcs_free(scheme->ctx, s->settled);
    pcs_free(scheme->ctx, s->opened);
    pcs_free(scheme->ctx, s->turned);
    pcs_free(scheme->ctx, s->bounces);
    pcs_free(scheme->ctx, s->memory);
    pcs_ed_free(&s->ed);
}

static int64_t memory(const pcs_scheme *scheme)
{
    const hybrid *s = (const hybrid *)scheme;
    return s->ed.memory_count + own_count(s);
}

static pcs_status start(pcs_scheme *scheme, pcs_state *state, pcs_statistics *statistics)
{
    hybrid *s = self(scheme);
    double *option = s->stepping->options;
    option[MJ_THETA] = scheme->options[HY_THETA];
    option[MJ_PROJECTION] = scheme->options[HY_PROJECTION];
    option[MJ_PROJECTION_TOLERANCE] = scheme->options[ED_PROJECTION_TOLERANCE];
    option[MJ_SOLVER_ITERATIONS] = scheme->options[ED_SOLVER_ITERATIONS];
    PCS_TRY(pcs_ed_start(&s->ed, state, statistics));
    s->entered = s->left = -HUGE_VAL;
    s->patience = 1;
    s->handled = 0;
    for (int32_t i = 0; i < scheme->model->n_slots; ++i) {
        s->turned[i] = -HUGE_VAL;
        s->bounces[i] = 0;
    }
    save(s, state);
    return PCS_OK;
}

static const uint8_t *redundant_rows(const pcs_scheme *scheme)
{
    return pcs_saddle_redundant_rows(((const hybrid *)scheme)->ed.saddle);
}

static void reached(const pcs_scheme *scheme, double *t, const double **q, const double **v)
{
    const hybrid *s = (const hybrid *)scheme;
    *t = s->at_work ? *s->inner.t : s->ed.march->to.t;
    *q = s->at_work ? s->inner.q : s->ed.march->to.q;
    *v = s->at_work ? s->inner.v : s->ed.march->to.v;
}

const pcs_scheme_class pcs_hybrid_class = {
    .name = "hybrid",
    .help =
        "event-driven, with Moreau-Jean time stepping where impacts accumulate, friction sticks or "
        "turns, or a contact crosses an edge",
    .options = pcs_ed_options,
    .n_options = HY_OPTION_COUNT,
    .size = sizeof(hybrid),
    .memory = memory,
    .init = init,
    .free = destroy,
    .start = start,
    .step = step,
    .turns_corners = true,
    .locates_switches = true,
    .reached = reached,
    .redundant_rows = redundant_rows,
    .refined_by = PCS_REFINED_HYBRID,
    .fixed_refined_by = PCS_REFINED_HYBRID_FIXED,
};
