// An estimate of the error of a run.
//
// Some steps are repeated as two of half the length, from the same state, by the same scheme
// [Hairer, Norsett, Wanner 1993, II.4]. With the local order p the step taken is wrong by
// 2^p/(2^p - 1) of the difference, p = 2 where the motion is smooth and p = 1 where contacts change.
// Steps of these two kinds are sampled apart, each sample stands for the steps of its kind, and the
// errors of all steps add up: errors that cancel, and errors that grow by themselves, are not seen.
// A scheme that controls its own steps has estimates of all of them, which add up in their place.
#include <math.h>
#include <string.h>

#include "model/assembly.h"
#include "schemes/start.h"
#include "simulation/monitor.h"

// One step of this many is repeated in each kind, for 5 % more work; but at least a few are.
enum { STEPS_PER_SAMPLE = 40, SAMPLES_LEAST = 4 };
static const double LOCAL_FACTOR[MONITOR_KINDS] = {4.0 / 3, 4.0 / 3, 2};
// A change of velocity so many times the mean of those before is sudden.
static const double SUDDEN = 8;
// The motion is no longer that of the model where the error is a third of it.
static const double HORIZON = 1.0 / 3;

// What moves in the whole run by no more than this part of the size of the model is at rest.
static const double REST = 1e-6;

static double rest_speed(const pcs_simulation *s)
{
    return REST * s->statistics.size / (s->def.end - s->def.start);
}

// ---- Sizes of displacements and velocities ----

double pcs_monitor_measure(const pcs_simulation *s, const pcs_monitor_item *item, const double *d,
                           bool displacement)
{
    const pcs_node *node = pcs_model_node(s->model, item->node);
    const int32_t flat = pcs_node_translations(node->kind);
    double way = 0, turn = 0;
    if (item->coordinate >= 0)
        return fabs(d[node->v + item->coordinate]);
    for (int32_t i = 0; i < node->n_v; ++i)
        *(i < flat ? &way : &turn) += d[node->v + i] * d[node->v + i];
    turn = displacement ? fmin(sqrt(turn), PCS_PI) : sqrt(turn);
    return sqrt(way) + s->monitor->radius[item->node] * turn;
}

static double *item_numbers(const pcs_simulation *s, int32_t i)
{
    return s->monitor->numbers + MONITOR_HEAD + MONITOR_ITEM_NUMBERS * (int64_t)i;
}

static void note_scales(pcs_simulation *s)
{
    pcs_monitor *m = s->monitor;
    pcs_model_difference(s->model, s->state.q, m->start_q, m->d);
    for (int32_t i = 0; i < m->n_items; ++i) {
        double *numbers = item_numbers(s, i);
        numbers[ITEM_WAY] = fmax(numbers[ITEM_WAY],
                                 pcs_monitor_measure(s, &m->items[i], m->d, true));
        numbers[ITEM_SPEED] = fmax(numbers[ITEM_SPEED],
                                   pcs_monitor_measure(s, &m->items[i], s->state.v, false));
    }
}

// The largest of a number over the items of bodies and meshes, and over those of systems.
typedef struct scales {
    double bodies, systems;
} scales;

static scales find_scales(const pcs_simulation *s, int32_t number)
{
    scales largest = {0, 0};
    for (int32_t i = 0; i < s->monitor->n_items; ++i) {
        double *to = s->monitor->items[i].coordinate < 0 ? &largest.bodies : &largest.systems;
        *to = fmax(*to, item_numbers(s, i)[number]);
    }
    return largest;
}

// What the error of an item is measured against. A coordinate that hardly moves has no scale of its
// own.
static double scale_of(const pcs_simulation *s, int32_t i, int32_t number, const scales *largest)
{
    const double coordinate = 1e-3; // of the coordinate that moves most
    const double rest = number == ITEM_WAY ? REST * s->statistics.size : rest_speed(s);
    if (s->monitor->items[i].coordinate < 0)
        return fmax(largest->bodies, rest);
    return fmax(item_numbers(s, i)[number], coordinate * largest->systems);
}

// ---- Sums ----

static double weight(const pcs_monitor *m, int32_t kind)
{
    const double sampled = m->numbers[MONITOR_SAMPLED + kind];
    return sampled > 0 ? m->numbers[MONITOR_SEEN + kind] / sampled : 0;
}

static void add_up(pcs_simulation *s)
{
    pcs_monitor *m = s->monitor;
    pcs_statistics *st = &s->statistics;
    const scales way = find_scales(s, ITEM_WAY), speed = find_scales(s, ITEM_SPEED);
    const double since = st->error.time;
    st->error = (pcs_extreme){0, since, -1};
    st->error_velocity = st->error_length = 0;
    for (int32_t i = 0; i < m->n_items; ++i) {
        const double *numbers = item_numbers(s, i);
        double length = 0;
        for (int32_t kind = 0; kind < MONITOR_KINDS; ++kind)
            length += weight(m, kind) * numbers[ITEM_ERROR + kind];
        const double scale = scale_of(s, i, ITEM_WAY, &way);
        const double velocity = weight(m, MONITOR_SMOOTH) * numbers[ITEM_VELOCITY_ERROR];
        const double velocity_scale = scale_of(s, i, ITEM_SPEED, &speed);
        if (scale > 0 && length / scale > st->error.value) {
            st->error.value = length / scale;
            st->error.where = pcs_start_owner(s->model, m->items[i].node);
            st->error_length = length;
        }
        if (velocity_scale > 0 && pcs_model_mesh_of_node(s->model, m->items[i].node) < 0)
            st->error_velocity = fmax(st->error_velocity, velocity / velocity_scale);
    }
    const double largest = fmax(fmax(way.bodies, way.systems), fmax(speed.bodies, speed.systems));
    if (!m->whole_steps && largest > 0) {
        st->error.value = m->numbers[MONITOR_OWN_ERROR] / largest;
        st->error_length = m->numbers[MONITOR_OWN_ERROR];
    }
    const double ways = m->numbers[MONITOR_WAYS];
    st->error_step = ways > 0 ? m->numbers[MONITOR_ERRORS] / ways : 0;
    if (!(st->error.value > HORIZON))
        st->error.time = 0;
    else if (since == 0)
        st->error.time = *s->state.t;
}

// ---- Samples ----

// The rate of the motion, from the velocities at the ends and in the middle of the two halves: the
// accelerations differ by omega^2 times what the positions do [Rayleigh's quotient].
static void note_rate(pcs_simulation *s, double h)
{
    pcs_monitor *m = s->monitor;
    const double *v0 = s->before.v, *v1 = m->half_v, *v2 = m->fine.v;
    double change = 0, squares = 0;
    for (int32_t i = 0; i < m->n_items; ++i) {
        const pcs_monitor_item *item = &m->items[i];
        const pcs_node *node = pcs_model_node(s->model, item->node);
        const int32_t flat = pcs_node_translations(node->kind);
        for (int32_t k = 0; k < node->n_v; ++k) {
            if (item->coordinate >= 0 && k != item->coordinate)
                continue;
            const int32_t j = node->v + k;
            const double radius = k < flat ? 1 : m->radius[item->node];
            const double a = radius * 2 * (v2[j] - 2 * v1[j] + v0[j]) / h;
            const double d = radius * h / 8 * (v0[j] + 2 * v1[j] + v2[j]);
            change -= a * d;
            squares += d * d;
        }
    }
    const double largest = find_scales(s, ITEM_SPEED).bodies + find_scales(s, ITEM_SPEED).systems;
    const double part = 1e-2; // of the largest speed: slower motion is near rest, and rounding
    const double slow = fmax(part * largest, rest_speed(s));
    if (sqrt(squares) > h * slow && change > 0)
        s->statistics.rate = fmax(s->statistics.rate, h * sqrt(change / squares));
}

// A smooth step in whose halves contacts change stands for smooth steps, but its velocities jump.
static void note_errors(pcs_simulation *s, double h, int32_t kind)
{
    pcs_monitor *m = s->monitor;
    const int32_t order = m->changed ? MONITOR_CHANGE : kind;
    double largest = 0, way = 0;
    pcs_model_difference(s->model, s->state.q, m->fine.q, m->d);
    for (int32_t i = 0; i < m->n_items; ++i) {
        const double error = LOCAL_FACTOR[order] * pcs_monitor_measure(s, &m->items[i], m->d, true);
        item_numbers(s, i)[ITEM_ERROR + kind] += error;
        largest = fmax(largest, error);
        way = fmax(way, h * pcs_monitor_measure(s, &m->items[i], s->before.v, false));
    }
    ++m->numbers[MONITOR_SAMPLED + kind];
    ++s->statistics.estimates;
    if (order != MONITOR_SMOOTH)
        return; // velocities jump, a moment earlier or later, and rare steps tell nothing of the others
    m->numbers[MONITOR_ERRORS] += largest;
    m->numbers[MONITOR_WAYS] += fmax(way, h * rest_speed(s));
    for (int32_t k = 0; k < s->model->n_v; ++k)
        m->d[k] = s->state.v[k] - m->fine.v[k];
    for (int32_t i = 0; i < m->n_items; ++i)
        item_numbers(s, i)[ITEM_VELOCITY_ERROR] += LOCAL_FACTOR[order] *
                                                   pcs_monitor_measure(s, &m->items[i], m->d,
                                                                       false);
    note_rate(s, h);
}

// The step again as two of half its length. Events are taken back.
static pcs_status repeat(pcs_simulation *s, double h, double next)
{
    pcs_monitor *m = s->monitor;
    pcs_scheme *scheme = s->scheme;
    const pcs_problem_hook *hook = scheme->problem_hook;
    const int64_t events = scheme->events.count;
    const double middle = *s->before.t + 0.5 * h;
    pcs_step_report report;
    scheme->problem_hook = NULL;
    pcs_state_copy(&m->fine, &s->before);
    pcs_status status = pcs_simulation_advance(s, &m->fine, 0.5 * h, middle, &report);
    if (status >= 0) {
        *m->fine.t = middle;
        memcpy(m->half_v, m->fine.v, sizeof(double) * (size_t)s->model->n_v);
        status = pcs_simulation_advance(s, &m->fine, 0.5 * h, next, &report);
    }
    m->changed = scheme->events.count > events;
    pcs_event_log_rewind(&scheme->events, events, s->state.status);
    scheme->problem_hook = hook;
    return status;
}

// Samples of a kind are as far apart as the work allows, and the first steps of it.
static bool wants_sample(const pcs_simulation *s, int32_t kind)
{
    const double planned = (double)s->n_steps / STEPS_PER_SAMPLE;
    const double before = s->monitor->numbers[MONITOR_SEEN + kind]; // this step
    const double tried = s->monitor->numbers[MONITOR_TRIED + kind];
    if (planned < SAMPLES_LEAST) // a short run
        return tried * (double)s->n_steps <= SAMPLES_LEAST * before;
    return tried <= before / STEPS_PER_SAMPLE ||
           (kind != MONITOR_SMOOTH && (tried + 1) * STEPS_PER_SAMPLE <= (double)(s->step + 1));
}

// The largest change of velocity in the step that was taken.
static double kick_of(const pcs_simulation *s)
{
    pcs_monitor *m = s->monitor;
    double most = 0;
    for (int32_t k = 0; k < s->model->n_v; ++k)
        m->d[k] = s->state.v[k] - s->before.v[k];
    for (int32_t i = 0; i < m->n_items; ++i)
        most = fmax(most, pcs_monitor_measure(s, &m->items[i], m->d, false));
    return most;
}

static int32_t kind_of(const pcs_simulation *s, int64_t events)
{
    const double mean = s->monitor->numbers[MONITOR_KICKS] / fmax(1, (double)s->step);
    if (s->scheme->events.count > events)
        return MONITOR_CHANGE;
    return kick_of(s) > SUDDEN * fmax(mean, rest_speed(s)) ? MONITOR_SUDDEN : MONITOR_SMOOTH;
}

pcs_status pcs_monitor_repeat(pcs_simulation *s, double h, double next, int64_t events)
{
    pcs_monitor *m = s->monitor;
    m->repeated = m->wanted = false;
    if (!m->estimates)
        return PCS_OK;
    m->kind = kind_of(s, events);
    m->wanted = wants_sample(s, m->kind);
    if (!m->wanted)
        return PCS_OK;
    const pcs_status status = repeat(s, h, next);
    m->repeated = status >= 0;
    // Halves that have no solution tell nothing.
    return status == PCS_ERROR_NUMERIC || status == PCS_ERROR_SINGULAR ? PCS_OK : status;
}

void pcs_monitor_estimate(pcs_simulation *s, double h, const pcs_step_report *report)
{
    pcs_monitor *m = s->monitor;
    const int32_t kind = m->kind;
    ++m->numbers[MONITOR_SEEN + kind];
    if (m->estimates)
        m->numbers[MONITOR_KICKS] += kick_of(s);
    m->numbers[MONITOR_TRIED + kind] += m->wanted;
    m->numbers[MONITOR_OWN_ERROR] += report->error;
    const bool now = m->estimates ? m->wanted : !m->whole_steps && s->step % STEPS_PER_SAMPLE == 1;
    const bool last = s->step == s->n_steps && (m->estimates || !m->whole_steps);
    if (!now && !last)
        return;
    note_scales(s);
    pcs_monitor_look_at_momentum(s, false);
    if (m->estimates && m->repeated)
        note_errors(s, h, kind);
    add_up(s);
}
