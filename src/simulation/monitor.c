// Watches a run: memory, and what every step is looked at for.
#include "simulation/monitor.h"

#include <math.h>
#include <string.h>

#include "schemes/start.h"

// A contact that changes so often, never keeping its state for more than the steps, chatters.
enum { CHATTER_STEPS = 3, CHATTER_CHANGES = 20 };

// ---- Creation ----

static int32_t count_items(const pcs_model *model)
{
    int32_t count = 0;
    for (int32_t k = 0; k < model->nodes.count; ++k) {
        const pcs_node *node = pcs_model_node(model, k);
        count += node->kind == PCS_NODE_VECTOR ? node->n_v : 1;
    }
    return count;
}

static void list_items(const pcs_model *model, pcs_monitor_item *items)
{
    for (int32_t k = 0; k < model->nodes.count; ++k) {
        const pcs_node *node = pcs_model_node(model, k);
        const bool vector = node->kind == PCS_NODE_VECTOR;
        for (int32_t i = 0; i < (vector ? node->n_v : 1); ++i)
            *items++ = (pcs_monitor_item){.node = k, .coordinate = vector ? i : -1};
    }
}

static void measure_bodies(const pcs_model *model, pcs_monitor *m)
{
    for (int32_t i = 0; i < model->bodies.count; ++i) {
        const pcs_body *body = &model->bodies.data[i];
        const pcs_mat3 *J = &body->inertia;
        const double largest = fmax(J->m[2][2], fmax(J->m[0][0], J->m[1][1]));
        m->radius[body->node] = body->mass > 0 ? sqrt(largest / body->mass) : 0;
    }
    for (int32_t i = 0; i < model->contact_pairs.count; ++i) {
        const int32_t nodes[2] = {model->contact_pairs.data[i].pair.a.node,
                                  model->contact_pairs.data[i].pair.b.node};
        for (int side = 0; side < 2; ++side)
            if (nodes[side] >= 0)
                m->touches[nodes[side]] = true;
    }
}

pcs_status pcs_monitor_create(pcs_simulation *s)
{
    pcs_context *ctx = s->ctx;
    const pcs_model *model = s->model;
    pcs_monitor *m = s->monitor = PCS_NEW(ctx, pcs_monitor);
    if (!m)
        return PCS_ERROR_MEMORY;
    m->n_items = count_items(model);
    m->count = MONITOR_HEAD + MONITOR_ITEM_NUMBERS * (int64_t)m->n_items +
               MONITOR_SLOT_NUMBERS * (int64_t)model->n_slots;
    const int64_t linear = m->count; // where its numbers begin
    m->count += pcs_monitor_linear_numbers(model);
    m->items = PCS_NEW_ARRAY(ctx, pcs_monitor_item, m->n_items);
    m->radius = PCS_NEW_ARRAY(ctx, double, model->nodes.count);
    m->touches = PCS_NEW_ARRAY(ctx, bool, model->nodes.count);
    m->start_q = PCS_NEW_ARRAY(ctx, double, model->n_q);
    m->d = PCS_NEW_ARRAY(ctx, double, model->n_v);
    m->half_v = PCS_NEW_ARRAY(ctx, double, model->n_v);
    m->numbers = PCS_NEW_ARRAY(ctx, double, m->count);
    m->group = PCS_NEW_ARRAY(ctx, int32_t, model->nodes.count + 1);
    m->momentum = PCS_NEW_ARRAY(ctx, pcs_vec3, model->nodes.count);
    if (!m->items || !m->radius || !m->touches || !m->start_q || !m->d || !m->half_v ||
        !m->numbers || !m->group || !m->momentum)
        return PCS_ERROR_MEMORY;
    list_items(model, m->items);
    pcs_monitor_find_groups(model, m->group);
    measure_bodies(model, m);
    return pcs_monitor_linear_create(s, m->numbers + linear);
}

void pcs_monitor_destroy(pcs_simulation *s)
{
    pcs_monitor *m = s->monitor;
    if (!m)
        return;
    pcs_monitor_linear_destroy(s);
    pcs_state_free(s->ctx, &m->fine);
    void *arrays[] = {m->items,  m->radius,  m->touches, m->start_q,  m->d,
                      m->half_v, m->numbers, m->group,   m->momentum, m};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i)
        pcs_free(s->ctx, arrays[i]);
}

double *pcs_monitor_numbers(const pcs_simulation *s, int64_t *count)
{
    *count = s->monitor->count;
    return s->monitor->numbers;
}

pcs_status pcs_monitor_start(pcs_simulation *s)
{
    pcs_monitor *m = s->monitor;
    const pcs_scheme_class *class = s->scheme->class;
    const pcs_present *now = pcs_simulation_present(s, false);
    double reach = 0;
    for (int32_t k = 0; k < s->model->nodes.count; ++k)
        reach = fmax(reach, m->radius[k]);
    s->statistics.size = fmax(pcs_model_extent(s->model, &now->c), 2 * reach);
    if (s->statistics.size == 0)
        s->statistics.size = 1; // one point: no length stands for the model
    memcpy(m->start_q, s->state.q, sizeof(double) * (size_t)s->model->n_q);
    pcs_monitor_look_at_momentum(s, true);
    m->whole_steps = pcs_scheme_refined_by(s->scheme) == PCS_REFINED_STEP;
    m->estimates = m->whole_steps && !s->def.without_estimate;
    if (!m->estimates)
        return PCS_OK;
    const int64_t memory = class->memory ? class->memory(s->scheme) : 0;
    return pcs_state_init(s->ctx, s->model, memory, &m->fine);
}

// ---- Extremes ----

static void raise_extreme(pcs_extreme *e, double value, double time, int32_t where)
{
    if (value > e->value)
        *e = (pcs_extreme){value, time, where};
}

// The contact with the largest impulse of the impacts among the events from `first` on; -1: none.
static int32_t hardest_impact(const pcs_simulation *s, int64_t first)
{
    pcs_event event;
    int32_t slot = -1;
    double largest = -1;
    for (int64_t i = first; i < s->scheme->events.count; ++i)
        if (pcs_simulation_event(s, i, &event) && event.kind == PCS_EVENT_IMPACT &&
            fabs(event.impulse[0]) > largest) {
            largest = fabs(event.impulse[0]);
            slot = event.object;
        }
    return slot;
}

static bool is_struck(const pcs_simulation *s, int32_t slot, int64_t first)
{
    pcs_event event;
    for (int64_t i = first; i < s->scheme->events.count; ++i)
        if (pcs_simulation_event(s, i, &event) && event.kind == PCS_EVENT_IMPACT &&
            event.object == slot)
            return true;
    return false;
}

// A contact that is struck has its impulse somewhere in the step; any other one that is closed at
// the end carries a force across its gap.
static void look_at_gaps(pcs_simulation *s, int64_t events)
{
    pcs_statistics *st = &s->statistics;
    const pcs_state *x = &s->state;
    for (int32_t i = 0; i < s->model->n_slots; ++i) {
        if (x->gap[i] > st->hover.value && x->gap[i] < HUGE_VAL && x->r[3 * i] > 0 &&
            (int)x->status[i] != PCS_OPEN && !is_struck(s, i, events))
            raise_extreme(&st->hover, x->gap[i], *x->t, i);
    }
}

static void look_at_events(pcs_simulation *s, int64_t first)
{
    pcs_event event;
    double *slots = s->monitor->numbers + MONITOR_HEAD +
                    MONITOR_ITEM_NUMBERS * (int64_t)s->monitor->n_items;
    for (int64_t i = first; i < s->scheme->events.count; ++i) {
        if (!pcs_simulation_event(s, i, &event) ||
            (event.kind != PCS_EVENT_OPEN && event.kind != PCS_EVENT_CLOSE &&
             event.kind != PCS_EVENT_IMPACT))
            continue;
        if (event.kind == PCS_EVENT_IMPACT && !(event.value > 0))
            continue; // at rest, and passes an impact on
        double *slot = slots + MONITOR_SLOT_NUMBERS * (int64_t)event.object;
        const bool soon = (double)s->step - slot[SLOT_STEP] <= CHATTER_STEPS;
        slot[SLOT_CHANGES] = soon ? slot[SLOT_CHANGES] + (slot[SLOT_STEP] < (double)s->step) : 1;
        slot[SLOT_STEP] = (double)s->step;
        if (slot[SLOT_CHANGES] >= CHATTER_CHANGES)
            raise_extreme(&s->statistics.chatter, slot[SLOT_CHANGES], event.time, event.object);
    }
}

static void look_at_speeds(pcs_simulation *s, double h)
{
    pcs_monitor *m = s->monitor;
    const double t = *s->state.t;
    for (int32_t k = 0; k < s->model->nodes.count; ++k) {
        const pcs_node *node = pcs_model_node(s->model, k);
        if (node->kind == PCS_NODE_VECTOR)
            continue;
        const double *v = s->state.v + node->v;
        const int32_t flat = pcs_node_translations(node->kind);
        double speed = 0, spin = 0;
        for (int32_t i = 0; i < node->n_v; ++i)
            *(i < flat ? &speed : &spin) += v[i] * v[i];
        if (spin * h * h > s->statistics.turn.value * s->statistics.turn.value)
            raise_extreme(&s->statistics.turn, h * sqrt(spin), t, pcs_start_owner(s->model, k));
        const double size = 2 * m->radius[k];
        if (m->touches[k] && size > 0 && h * sqrt(speed) > size * s->statistics.way.value)
            raise_extreme(&s->statistics.way, h * sqrt(speed) / size, t,
                          pcs_start_owner(s->model, k));
    }
}

static double contact_work(const pcs_simulation *s)
{
    return s->state.work[PCS_WORK_IMPACT] + s->state.work[PCS_WORK_FRICTION];
}

// Work of the impacts of the step: what the accounts of normal impulses and of friction gained in it. A
// restitution of normal velocities can make friction drive the bodies (Kane's pendulum); friction
// of the step outside impacts takes energy.
static void look_at_impacts(pcs_simulation *s, int64_t events)
{
    pcs_extreme *gain = &s->statistics.impact_gain;
    const double work = contact_work(s) - s->monitor->contact_work;
    if (!(work > 0) || hardest_impact(s, events) < 0)
        return;
    double *largest = s->monitor->numbers + MONITOR_LARGEST_GAIN;
    if (work > *largest) {
        *largest = work;
        gain->time = *s->state.t;
        gain->where = hardest_impact(s, events);
    }
    gain->value += work;
}

// ---- The run ----

pcs_status pcs_monitor_begin(pcs_simulation *s)
{
    s->monitor->contact_work = contact_work(s);
    return pcs_monitor_linear_begin(s);
}

void pcs_monitor_end(pcs_simulation *s, double h, const pcs_step_report *report, int64_t events)
{
    look_at_gaps(s, events);
    look_at_events(s, events);
    look_at_impacts(s, events);
    if (s->monitor->whole_steps)
        look_at_speeds(s, h);
    pcs_monitor_estimate(s, h, report);
    if (s->scheme->events.count > events)
        pcs_monitor_linear_changed(s);
}
