// What the motion beside the run does: a small deviation w = (d, e) of positions and velocities,
//   d' = e,   e' = [a(q [+] d, v + e) - a(q, v)],
// with the accelerations a of the smooth equations, contacts being open or closed as they are. It is
// followed along the run in steps H of its own, of some steps of the run, with a method of order 4 that
// evaluates the equations at the run's point and beside it, once in a step. It turns into the direction
// that grows most, and with its growth g in a step the error E of the run grows too:  E <- g E + the
// errors of the steps in between (monitor_error.c).
// Growth counts where it is faster than any that a regular motion has: deviations of periods grow in
// proportion to the time, those of drifting energies with its square.
// Impacts, and contacts that open or close, change deviations by a law of their own (Aizerman and
// Gantmakher): growth ends there, and begins anew.
//
// A second vector z, kept in the direction of a(q [+] z, v) - a(q, v), turns into that of the highest
// frequency of the linearised motion, excited or not [power iteration].
#include <math.h>
#include <string.h>

#include "base/pool.h"
#include "model/assembly.h"
#include "simulation/monitor.h"

static const double STEPS_BETWEEN = 30;   // of the scheme: a tenth more work at most,
static const double FREE_WORK = 5000;     // or that of so many evaluations times coordinates: 10 ms
static const double SPAN_PARTS = 1000;    // of the run: no more are worth it where nothing swings
static const double SPAN_OF_PERIOD = 0.1; // rad: longest H where something does
// Correction, over the deviation, of a step that is not resolved; growth does not count where more
// than this part of the steps is not.
static const double CORRECTED = 0.1, UNRESOLVED = 0.5;
static const double HELD = 1e-6;        // part that joints and contacts leave of a deviation
static const double DEVIATION = 1e-6;   // of the size of the model
static const double REGULAR_GROWTH = 3; // power of the time that regular motions stay below
static const double HORIZON = 1.0 / 3;  // of the displacement, as in monitor_error.c
enum {
    FIRST_POWERS = 8,
    POWERS_BETWEEN = 8
}; // power iterations: at first, and then one in so many
enum { ORDER = 4 };

struct pcs_monitor_linear {
    pcs_pool *pool; // of the smooth equations, which are set up anew where contacts have changed
    pcs_smooth *smooth;
    pcs_phase phase;
    double *q, *v, *a, *b, *d, *lambda, *g, *g_rate, *p;
    double *before; // the monitor's numbers, while an evaluation may be given up
    // Views of the monitor's numbers
    double *head, *position, *velocity, *fastest;
    double *rate[ORDER]; // of position and velocity, at the last evaluations, the latest first
};

// Numbers that a resumed run needs, before the vectors.
enum {
    LINEAR_NEXT,     // step of the run in which the next evaluation is due
    LINEAR_STEP,     // H of the last one, s
    LINEAR_HISTORY,  // rates that are known
    LINEAR_COUNT,    // evaluations
    LINEAR_BROKEN,   // contacts changed since
    LINEAR_BEGIN,    // the growth that counts began, s
    LINEAR_LOG,      // its logarithm
    LINEAR_MARK,     // span after which the logarithm was kept last, and the logarithm; and before
    LINEAR_MARK_LOG, //
    LINEAR_OLD,      //
    LINEAR_OLD_LOG,  //
    LINEAR_SPAN,     // longest one over which it grew, s
    LINEAR_FOLLOWED, // steps since it began, and those among them that were not resolved
    LINEAR_UNRESOLVED, //
    LINEAR_LOST,       // the last one was not
    LINEAR_ERROR,      // E, m
    LINEAR_KNOWN,      // of the errors of the steps, m
    LINEAR_UNIT,       // a time that makes velocities comparable to positions, s
    LINEAR_RATE,       // highest frequency, rad/s, and the largest of them
    LINEAR_RATE_MOST,
    LINEAR_HEAD
};

int64_t pcs_monitor_linear_numbers(const pcs_model *model)
{
    return LINEAR_HEAD + (3 + 2 * ORDER) * (int64_t)model->n_v;
}

void pcs_monitor_linear_destroy(pcs_simulation *s)
{
    pcs_monitor_linear *w = s->monitor->linear;
    if (!w)
        return;
    pcs_smooth_destroy(w->smooth);
    pcs_pool_destroy(w->pool);
    pcs_phase_free(s->ctx, &w->phase);
    double *arrays[] = {w->q, w->v, w->a, w->b, w->d, w->lambda, w->g, w->g_rate, w->p, w->before};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i)
        pcs_free(s->ctx, arrays[i]);
    pcs_free(s->ctx, w);
    s->monitor->linear = NULL;
}

pcs_status pcs_monitor_linear_create(pcs_simulation *s, double *numbers)
{
    pcs_context *ctx = s->ctx;
    const pcs_model *model = s->model;
    const int32_t rows = pcs_smooth_rows_max(model);
    // Meshes have frequencies that no step is to resolve, and are no chaotic motion.
    if (model->meshes.count > 0 || s->def.without_estimate || model->n_v == 0)
        return PCS_OK;
    pcs_monitor_linear *w = s->monitor->linear = PCS_NEW(ctx, pcs_monitor_linear);
    if (!w)
        return PCS_ERROR_MEMORY;
    PCS_TRY(pcs_pool_create(ctx, &w->pool));
    PCS_TRY(pcs_smooth_create(pcs_pool_context(w->pool), model, &w->smooth));
    PCS_TRY(pcs_phase_init(ctx, model, &w->phase));
    double **of_q[] = {&w->q}, **of_v[] = {&w->v, &w->a, &w->b, &w->d};
    double **of_rows[] = {&w->lambda, &w->g, &w->g_rate, &w->p};
    bool complete = true;
    for (size_t i = 0; i < sizeof of_q / sizeof *of_q; ++i)
        complete = (*of_q[i] = PCS_NEW_ARRAY(ctx, double, model->n_q)) && complete;
    for (size_t i = 0; i < sizeof of_v / sizeof *of_v; ++i)
        complete = (*of_v[i] = PCS_NEW_ARRAY(ctx, double, model->n_v)) && complete;
    for (size_t i = 0; i < sizeof of_rows / sizeof *of_rows; ++i)
        complete = (*of_rows[i] = PCS_NEW_ARRAY(ctx, double, rows)) && complete;
    w->before = PCS_NEW_ARRAY(ctx, double, pcs_monitor_linear_numbers(model));
    complete = complete && w->before;
    w->head = numbers;
    w->position = numbers + LINEAR_HEAD;
    w->velocity = w->position + model->n_v;
    w->fastest = w->velocity + model->n_v;
    for (int i = 0; i < ORDER; ++i)
        w->rate[i] = w->fastest + (1 + 2 * i) * (int64_t)model->n_v;
    return complete ? PCS_OK : PCS_ERROR_MEMORY;
}

// ---- Deviations ----

// Of velocities or of small displacements: the largest of an item.
static double norm(const pcs_simulation *s, const double *d)
{
    double most = 0;
    for (int32_t i = 0; i < s->monitor->n_items; ++i)
        most = fmax(most, pcs_monitor_measure(s, &s->monitor->items[i], d, false));
    return most;
}

static void scale(int32_t n, double factor, double *x)
{
    for (int32_t i = 0; i < n; ++i)
        x[i] *= factor;
}

// Any direction, the same in every run.
static void begin_direction(int32_t n, double *x)
{
    const double golden = 0.6180339887498949; // multiples of it fill the unit interval evenly
    for (int32_t i = 0; i < n; ++i)
        x[i] = fmod(golden * (i + 1), 1) - 0.5;
}

static double step_of(const pcs_simulation *s)
{
    return DEVIATION * s->statistics.size;
}

// The point q [+] eps d, v + eps e; e may be NULL.
static void deviate(const pcs_simulation *s, double eps, const double *d, const double *e)
{
    pcs_monitor_linear *w = s->monitor->linear;
    const int32_t n = s->model->n_v;
    for (int32_t i = 0; i < n; ++i)
        w->d[i] = eps * d[i];
    pcs_model_retract(s->model, s->state.q, w->d, w->q);
    for (int32_t i = 0; i < n; ++i)
        w->v[i] = s->state.v[i] + (e ? eps * e[i] : 0);
}

// d and e onto the tangents of joints and closed contacts, in the metric of M; e may be NULL. With the
// factors of the evaluation at the point of the run.
static void project(pcs_simulation *s, double *d, double *e)
{
    pcs_monitor_linear *w = s->monitor->linear;
    const int32_t rows = pcs_smooth_row_count(w->smooth), n = s->model->n_v;
    const double eps = step_of(s), t = *s->state.t;
    for (int part = 0; part < (e ? 2 : 1) && rows > 0; ++part) {
        double *x = part == 0 ? d : e;
        pcs_smooth_drift(w->smooth, t, s->state.q, s->state.v, w->g, w->g_rate);
        memcpy(w->p, part == 0 ? w->g : w->g_rate, sizeof(double) * (size_t)rows);
        deviate(s, eps, d, e);
        pcs_smooth_drift(w->smooth, t, w->q, w->v, w->g, w->g_rate);
        for (int32_t i = 0; i < rows; ++i)
            w->p[i] = (w->p[i] - (part == 0 ? w->g : w->g_rate)[i]) / eps;
        memset(w->b, 0, sizeof(double) * (size_t)n);
        pcs_saddle_solve(pcs_smooth_saddle(w->smooth), w->b, w->p);
        for (int32_t i = 0; i < n; ++i)
            x[i] += w->b[i];
    }
}

// b = (a(q [+] eps d, v + eps e) - a(q, v))/eps, with a of the last evaluation at the run's point.
static pcs_status differentiate(pcs_simulation *s, const double *d, const double *e)
{
    pcs_monitor_linear *w = s->monitor->linear;
    const double eps = step_of(s);
    deviate(s, eps, d, e);
    PCS_TRY(pcs_smooth_accelerations(w->smooth, *s->state.t, w->q, w->v, w->b, w->lambda, NULL));
    for (int32_t i = 0; i < s->model->n_v; ++i)
        w->b[i] = (w->b[i] - w->a[i]) / eps;
    return PCS_OK;
}

// The rates of position and velocity: d' = e, less omega x d for rotations in the body's frame.
static void find_rates(const pcs_simulation *s, double *rate)
{
    const pcs_monitor_linear *w = s->monitor->linear;
    const int32_t n = s->model->n_v;
    memcpy(rate, w->velocity, sizeof(double) * (size_t)n);
    memcpy(rate + n, w->b, sizeof(double) * (size_t)n);
    for (int32_t k = 0; k < s->model->nodes.count; ++k) {
        const pcs_node *node = pcs_model_node(s->model, k);
        if (node->kind != PCS_NODE_SPATIAL)
            continue;
        const int32_t first = node->v + pcs_node_translations(node->kind);
        const double *o = s->state.v + first, *d = w->position + first;
        rate[first] -= o[1] * d[2] - o[2] * d[1];
        rate[first + 1] -= o[2] * d[0] - o[0] * d[2];
        rate[first + 2] -= o[0] * d[1] - o[1] * d[0];
    }
}

// x <- x + H sum_i c_i rate_i
static void add_rates(const pcs_simulation *s, double H, const double *c, int n_rates,
                      double *position, double *velocity)
{
    const pcs_monitor_linear *w = s->monitor->linear;
    const int32_t n = s->model->n_v;
    for (int i = 0; i < n_rates; ++i)
        for (int32_t k = 0; k < n; ++k) {
            position[k] += H * c[i] * w->rate[i][k];
            velocity[k] += H * c[i] * w->rate[i][n + k];
        }
}

// ---- The run beside ----

static void set_phase(const pcs_simulation *s, pcs_phase *phase)
{
    for (int32_t i = 0; i < s->model->n_slots; ++i) {
        const pcs_contact_state status = (pcs_contact_state)s->state.status[i];
        const double *u = s->state.u + 3 * i, speed = hypot(u[1], u[2]);
        phase->mode[i] = status == PCS_OPEN    ? PCS_MODE_OPEN
                         : status == PCS_STICK ? PCS_MODE_STICK
                                               : PCS_MODE_SLIDE;
        phase->direction[i][0] = speed > 0 ? u[1] / speed : 1;
        phase->direction[i][1] = speed > 0 ? u[2] / speed : 0;
        phase->gap[i] = s->state.gap[i];
    }
}

static void begin_growth(pcs_simulation *s)
{
    pcs_monitor_linear *w = s->monitor->linear;
    double *head = w->head;
    const int32_t n = s->model->n_v;
    const double speed = norm(s, s->state.v), acceleration = norm(s, w->a);
    const double size = s->statistics.size, whole = s->def.end - s->def.start;
    head[LINEAR_BEGIN] = *s->state.t;
    head[LINEAR_LOG] = head[LINEAR_MARK] = head[LINEAR_OLD] = 0;
    head[LINEAR_MARK_LOG] = head[LINEAR_OLD_LOG] = 0;
    head[LINEAR_ERROR] = s->statistics.error_length;
    head[LINEAR_BROKEN] = head[LINEAR_HISTORY] = 0;
    head[LINEAR_FOLLOWED] = head[LINEAR_UNRESOLVED] = head[LINEAR_LOST] = 0;
    head[LINEAR_UNIT] = whole;
    if (speed > 0)
        head[LINEAR_UNIT] = fmin(head[LINEAR_UNIT], size / speed);
    if (acceleration > 0)
        head[LINEAR_UNIT] = fmin(head[LINEAR_UNIT], sqrt(size / acceleration));
    begin_direction(n, w->position);
    memset(w->velocity, 0, sizeof(double) * (size_t)n);
}

// The size of the deviation, which becomes 1.
static double normalise(pcs_simulation *s)
{
    pcs_monitor_linear *w = s->monitor->linear;
    const double size = norm(s, w->position) + w->head[LINEAR_UNIT] * norm(s, w->velocity);
    if (!(size > 0) || !isfinite(size))
        return 0;
    scale(s->model->n_v, 1 / size, w->position);
    scale(s->model->n_v, 1 / size, w->velocity);
    for (int i = 0; i < w->head[LINEAR_HISTORY]; ++i)
        scale(2 * s->model->n_v, 1 / size, w->rate[i]);
    return size;
}

// The logarithm has grown faster than a power of the time, over the last two to four doublings of it.
static bool grows(pcs_simulation *s)
{
    double *head = s->monitor->linear->head;
    const double span = *s->state.t - head[LINEAR_BEGIN];
    if (head[LINEAR_MARK] == 0 || span >= 2 * head[LINEAR_MARK]) {
        head[LINEAR_OLD] = head[LINEAR_MARK];
        head[LINEAR_OLD_LOG] = head[LINEAR_MARK_LOG];
        head[LINEAR_MARK] = span;
        head[LINEAR_MARK_LOG] = head[LINEAR_LOG];
    }
    return head[LINEAR_OLD] > 0 &&
           head[LINEAR_LOG] - head[LINEAR_OLD_LOG] > REGULAR_GROWTH * log(span / head[LINEAR_OLD]);
}

static void note_growth(pcs_simulation *s, double growth)
{
    double *head = s->monitor->linear->head;
    pcs_statistics *st = &s->statistics;
    const double added = fmax(st->error_length - head[LINEAR_KNOWN], 0);
    head[LINEAR_KNOWN] = st->error_length;
    head[LINEAR_LOG] += log(growth);
    head[LINEAR_ERROR] = growth * head[LINEAR_ERROR] + added;
    if (!grows(s) || head[LINEAR_UNRESOLVED] > UNRESOLVED * head[LINEAR_FOLLOWED])
        return;
    const double span = *s->state.t - head[LINEAR_BEGIN];
    if (span >= head[LINEAR_SPAN])
        st->growth = head[LINEAR_LOG] / span;
    head[LINEAR_SPAN] = fmax(head[LINEAR_SPAN], span);
    const double displacement = st->error.value > 0 ? st->error_length / st->error.value : HUGE_VAL;
    if (st->horizon == 0 && head[LINEAR_ERROR] > HORIZON * displacement)
        st->horizon = *s->state.t;
}

static pcs_status look_at_frequency(pcs_simulation *s)
{
    pcs_monitor_linear *w = s->monitor->linear;
    const int32_t n = s->model->n_v;
    const bool first = w->head[LINEAR_COUNT] == 0;
    if (first)
        begin_direction(n, w->fastest);
    double rate = 0;
    for (int i = 0; i < (first ? FIRST_POWERS : 1); ++i) {
        project(s, w->fastest, NULL);
        const double size = norm(s, w->fastest);
        if (!(size > 0))
            return PCS_OK;
        scale(n, 1 / size, w->fastest);
        PCS_TRY(differentiate(s, w->fastest, NULL));
        PCS_TRY(pcs_smooth_accelerations(w->smooth, *s->state.t, s->state.q, s->state.v, w->a,
                                         w->lambda, NULL)); // factors of the run's point
        double along = 0, squares = 0;
        for (int32_t k = 0; k < n; ++k) {
            along -= w->b[k] * w->fastest[k];
            squares += w->fastest[k] * w->fastest[k];
        }
        rate = along > 0 ? sqrt(along / squares) : 0;
        if (!(norm(s, w->b) > 0))
            break;
        memcpy(w->fastest, w->b, sizeof(double) * (size_t)n);
    }
    w->head[LINEAR_RATE] = rate;
    w->head[LINEAR_RATE_MOST] = fmax(w->head[LINEAR_RATE_MOST], rate);
    s->statistics.stiffness = fmax(s->statistics.stiffness, s->def.step * rate);
    return PCS_OK;
}

// Steps of the run to the next evaluation. Even ones from the start to the end: steps of other lengths would
// begin the method anew, with an order that makes periodic motions grow.
static double plan(const pcs_simulation *s)
{
    const double *head = s->monitor->linear->head;
    const double h = s->def.step, inner = (double)s->statistics.inner_steps;
    const double per_step = fmax(1, inner / (double)(s->step > 0 ? s->step : 1));
    const double free = FREE_WORK / s->model->n_v / (double)s->n_steps; // evaluations in a step
    double most = (s->def.end - s->def.start) / SPAN_PARTS;
    if (head[LINEAR_RATE_MOST] > 0)
        most = fmin(most, SPAN_OF_PERIOD / head[LINEAR_RATE_MOST]);
    return fmax(ceil(1 / fmax(per_step / STEPS_BETWEEN, free)), floor(most / h));
}

// One step of the method of Adams, Bashforth and Moulton that evaluates once: the rates at the place
// that was predicted correct it, and predict the next one. False: the correction is too large.
static bool advance(pcs_simulation *s, double H)
{
    static const double predictor[ORDER][ORDER] = {{1},
                                                   {1.5, -0.5},
                                                   {23.0 / 12, -16.0 / 12, 5.0 / 12},
                                                   {55.0 / 24, -59.0 / 24, 37.0 / 24, -9.0 / 24}};
    // Moulton's less Bashforth's formula, one step before, over the rates from the latest on.
    static const double corrector[ORDER][ORDER] = {{0},
                                                   {0.5, -0.5},
                                                   {5.0 / 12, -10.0 / 12, 5.0 / 12},
                                                   {9.0 / 24, -27.0 / 24, 27.0 / 24, -9.0 / 24}};
    pcs_monitor_linear *w = s->monitor->linear;
    const int32_t n = s->model->n_v;
    int known = (int)w->head[LINEAR_HISTORY];
    if (w->head[LINEAR_STEP] != H)
        known = 0;
    const int last = known < ORDER ? known : ORDER - 1;
    for (int i = last; i > 0; --i)
        memcpy(w->rate[i], w->rate[i - 1], sizeof(double) * 2 * (size_t)n);
    find_rates(s, w->rate[0]);
    known = last + 1;
    memset(w->d, 0, sizeof(double) * (size_t)n);
    memset(w->v, 0, sizeof(double) * (size_t)n);
    add_rates(s, H, corrector[last], known, w->d, w->v);
    const double corrected = norm(s, w->d) + w->head[LINEAR_UNIT] * norm(s, w->v);
    add_rates(s, H, corrector[last], known, w->position, w->velocity);
    add_rates(s, H, predictor[last], known, w->position, w->velocity);
    w->head[LINEAR_HISTORY] = known;
    w->head[LINEAR_STEP] = H;
    return corrected <= CORRECTED;
}

static pcs_status follow(pcs_simulation *s)
{
    pcs_monitor_linear *w = s->monitor->linear;
    double *head = w->head;
    const double t = *s->state.t;
    set_phase(s, &w->phase);
    pcs_smooth_bind(w->smooth, s->state.turns, s->state.external);
    PCS_TRY(pcs_smooth_set_phase(w->smooth, &w->phase));
    PCS_TRY(pcs_smooth_accelerations(w->smooth, t, s->state.q, s->state.v, w->a, w->lambda, NULL));
    pcs_monitor_look_at_forces(s, w->smooth);
    const bool begins = head[LINEAR_COUNT] == 0 || head[LINEAR_BROKEN] > 0;
    if (fmod(head[LINEAR_COUNT], POWERS_BETWEEN) == 0)
        PCS_TRY(look_at_frequency(s));
    ++head[LINEAR_COUNT];
    if (begins)
        begin_growth(s);
    project(s, w->position, w->velocity);
    const double growth = normalise(s);
    if (!begins && growth > HELD)
        note_growth(s, growth);
    const double steps = plan(s), H = steps * s->def.step;
    head[LINEAR_NEXT] = (double)s->step + steps;
    if (!(growth > HELD)) {
        head[LINEAR_BROKEN] = 1;
        return PCS_OK;
    }
    PCS_TRY(differentiate(s, w->position, w->velocity));
    head[LINEAR_LOST] = !advance(s, H);
    ++head[LINEAR_FOLLOWED];
    head[LINEAR_UNRESOLVED] += head[LINEAR_LOST];
    return PCS_OK;
}

void pcs_monitor_linear_changed(pcs_simulation *s)
{
    if (s->monitor->linear)
        s->monitor->linear->head[LINEAR_BROKEN] = 1;
}

// An evaluation that is given up has not been: what it changed is put back.
pcs_status pcs_monitor_linear_begin(pcs_simulation *s)
{
    pcs_monitor_linear *w = s->monitor->linear;
    if (!w || s->step == 0 || (double)s->step < w->head[LINEAR_NEXT])
        return PCS_OK;
    const size_t bytes = sizeof(double) * (size_t)pcs_monitor_linear_numbers(s->model);
    const pcs_statistics statistics = s->statistics;
    memcpy(w->before, w->head, bytes);
    pcs_context_begin(pcs_pool_context(w->pool));
    const pcs_status status = follow(s);
    if (status >= 0)
        return status;
    if (status != PCS_ERROR_NUMERIC && status != PCS_ERROR_SINGULAR) {
        memcpy(w->head, w->before, bytes);
        s->statistics = statistics;
        return pcs_error(s->ctx, status, "%s", pcs_context_error(pcs_pool_context(w->pool)));
    }
    w->head[LINEAR_BROKEN] = 1; // equations without a solution tell nothing
    w->head[LINEAR_NEXT] = (double)s->step + plan(s);
    return PCS_OK;
}
