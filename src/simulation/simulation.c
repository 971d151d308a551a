// The run: start, steps on the fixed time grid, statistics.
#include "simulation/simulation.h"

#include <float.h>
#include <string.h>

#include "base/text.h"
#include "model/mesh_numbers.h"
#include "simulation/monitor.h"

pcs_simulation_def pcs_simulation_default(void)
{
    return (pcs_simulation_def){.scheme = "moreau-jean", .start = 0, .end = 1, .step = 1e-3};
}

double pcs_simulation_time_rounding(const pcs_simulation_def *def)
{
    const double of_step = 1e-9;              // an end written with nine digits is on the grid
    const double of_time = 4.0 * DBL_EPSILON; // start + n step, two operations, against the end
    double rounding = of_step * def->step + of_time * fmax(fabs(def->start), fabs(def->end));
    return fmin(rounding, 0.25 * def->step); // a step stays a step
}

// ---- Creation ----

static pcs_status check_def(pcs_context *ctx, const pcs_simulation_def *def)
{
    if (!isfinite(def->start) || !isfinite(def->end) || !(def->end >= def->start))
        return pcs_error(ctx, PCS_ERROR_INPUT,
                         "simulation: the end (%g s) must not come before "
                         "the start (%g s)",
                         def->end, def->start);
    if (!isfinite(def->step) || !(def->step > 0))
        return pcs_error(ctx, PCS_ERROR_INPUT, "simulation: the step must be > 0, not %g",
                         def->step);
    const double steps_max = 1e15; // beyond, the time of a step is no longer exact
    if (!((def->end - def->start) / def->step < steps_max) ||
        !(def->start + def->step > def->start) || !(def->end - def->step < def->end))
        return pcs_error(ctx, PCS_ERROR_INPUT, "simulation: a step of %g s is too small for %g s",
                         def->step, def->end - def->start);
    return PCS_OK;
}

// The class, and for a short name the key of the option that it sets (else NULL).
static pcs_status find_scheme(pcs_context *ctx, const char *name, const pcs_scheme_class **class,
                              const char **key)
{
    *key = NULL;
    *class = name ? pcs_scheme_find(name) : NULL;
    const char *short_name, *scheme;
    for (int32_t i = 0; name && !*class && (short_name = pcs_scheme_short_name(i, &scheme, key));
         ++i)
        if (strcmp(short_name, name) == 0)
            *class = pcs_scheme_find(scheme);
    if (*class)
        return PCS_OK;
    enum { NAMES_MAX = 32 };
    const char *names[NAMES_MAX];
    int32_t n = 0;
    while (n < NAMES_MAX && (names[n] = pcs_scheme_name(n, NULL, NULL, NULL)))
        ++n;
    for (int32_t i = 0; n < NAMES_MAX && (names[n] = pcs_scheme_short_name(i, NULL, NULL)); ++i)
        ++n;
    const char *near = pcs_text_nearest(name ? name : "", names, n);
    return pcs_error(ctx, PCS_ERROR_INPUT, "there is no scheme '%s'; %s '%s'", name ? name : "",
                     near ? "did you mean" : "there is", near ? near : names[0]);
}

static pcs_status find_switches(pcs_simulation *s, const pcs_simulation_def *def)
{
    if (def->n_events < 0)
        return pcs_error(s->ctx, PCS_ERROR_ARGUMENT, "there cannot be %d events",
                         (int)def->n_events);
    for (int32_t i = 0; i < def->n_events; ++i)
        if (!isfinite(def->events[i]))
            return pcs_error(s->ctx, PCS_ERROR_INPUT,
                             "simulation: the times in events must be finite, not %g",
                             def->events[i]);
    PCS_TRY(pcs_switches_init(s->ctx, s->model, def->events, def->n_events, def->start, def->end,
                              &s->switches));
    s->def.events = s->switches.times;
    return PCS_OK;
}

pcs_status pcs_simulation_create(pcs_context *ctx, const pcs_model *model,
                                 const pcs_simulation_def *def, pcs_simulation **out)
{
    *out = NULL;
    const pcs_scheme_class *class;
    const char *key;
    PCS_TRY(check_def(ctx, def));
    PCS_TRY(find_scheme(ctx, def->scheme, &class, &key));
    pcs_simulation *s = PCS_NEW(ctx, pcs_simulation);
    if (!s)
        return PCS_ERROR_MEMORY;
    s->ctx = ctx;
    s->model = model;
    s->def = *def;
    s->def.scheme = class->name;
    // The last step is cut to meet the end; a remainder below rounding is not a step.
    double span = def->end - def->start - pcs_simulation_time_rounding(def);
    s->n_steps = (int64_t)ceil(span / def->step);
    s->present = PCS_NEW(ctx, pcs_present);
    pcs_status status = s->present ? PCS_OK : PCS_ERROR_MEMORY;
    if (status == PCS_OK) {
        s->present->contacts = pcs_model_contacts_create(ctx, model);
        status = s->present->contacts ? pcs_configuration_init(ctx, model, &s->present->c)
                                      : PCS_ERROR_MEMORY;
    }
    if (status == PCS_OK) {
        const int64_t n = pcs_model_mesh_numbers(model, model->meshes.count).result;
        s->present->results = PCS_NEW_ARRAY(ctx, double, n);
        status = s->present->results ? PCS_OK : PCS_ERROR_MEMORY;
    }
    if (status == PCS_OK)
        status = find_switches(s, def);
    if (status == PCS_OK)
        status = pcs_scheme_create(ctx, class, model, &s->scheme);
    if (status == PCS_OK && key)
        status = pcs_scheme_set_option(s->scheme, key, def->scheme);
    if (status == PCS_OK) {
        s->scheme->switches = &s->switches;
        int64_t memory = class->memory ? class->memory(s->scheme) : 0;
        status = pcs_state_init(ctx, model, memory, &s->state);
        if (status == PCS_OK)
            status = pcs_state_init(ctx, model, memory, &s->before);
    }
    if (status == PCS_OK)
        status = pcs_monitor_create(s);
    if (status < 0) {
        pcs_simulation_destroy(s);
        return status;
    }
    *out = s;
    return PCS_OK;
}

void pcs_simulation_destroy(pcs_simulation *s)
{
    if (!s)
        return;
    pcs_monitor_destroy(s);
    pcs_scheme_destroy(s->scheme);
    pcs_state_free(s->ctx, &s->state);
    pcs_state_free(s->ctx, &s->before);
    if (s->present) {
        pcs_configuration_free(s->ctx, &s->present->c);
        pcs_model_contacts_destroy(s->ctx, s->present->contacts);
        pcs_free(s->ctx, s->present->results);
    }
    pcs_free(s->ctx, s->present);
    pcs_switches_free(&s->switches);
    pcs_free(s->ctx, s);
}

pcs_status pcs_simulation_set(pcs_simulation *s, const char *key, const char *text)
{
    if (s->started)
        return pcs_error(s->ctx, PCS_ERROR_ARGUMENT, "options are set before the first step");
    return pcs_scheme_set_option(s->scheme, key, text);
}

pcs_status pcs_simulation_get(const pcs_simulation *s, const char *key, double *value)
{
    int32_t i = pcs_scheme_option_index(s->scheme->class, key);
    if (i < 0)
        return pcs_error(s->ctx, PCS_ERROR_ARGUMENT, "scheme '%s' has no option '%s'",
                         s->scheme->class->name, key);
    *value = s->scheme->options[i];
    return PCS_OK;
}

void pcs_simulation_set_problem_hook(pcs_simulation *s, const pcs_problem_hook *hook)
{
    s->problem_hook = hook ? *hook : (pcs_problem_hook){0};
    s->scheme->problem_hook = s->problem_hook.take ? &s->problem_hook : NULL;
}

// ---- Inputs ----

static void forget_present(pcs_simulation *s)
{
    s->present->configuration_valid = false;
    s->present->contacts_valid = false;
    s->present->results_valid = false;
}

pcs_status pcs_simulation_set_input(pcs_simulation *s, int32_t input, double value)
{
    const int32_t count = s->model->externals.count;
    if (input < 0 || input >= count)
        return pcs_error(s->ctx, PCS_ERROR_ARGUMENT, "there is no input %d; the model has %d",
                         input, count);
    const char *name = s->model->externals.data[input].name;
    if (!isfinite(value))
        return pcs_error(s->ctx, PCS_ERROR_ARGUMENT, "input '%s' must be a finite number, not %g",
                         name, value);
    if (pcs_simulation_finished(s))
        return pcs_error(s->ctx, PCS_ERROR_ARGUMENT,
                         "input '%s' is set too late: the simulation is at its end", name);
    s->state.external[input] = value;
    forget_present(s);
    return PCS_OK;
}

double pcs_simulation_input(const pcs_simulation *s, int32_t input)
{
    return input >= 0 && input < s->model->externals.count ? s->state.external[input] : NAN;
}

// ---- Running ----

static void account(pcs_simulation *s, double kinetic, double potential)
{
    const double *w = s->state.work;
    double known = w[PCS_WORK_START_ENERGY] + w[PCS_WORK_APPLIED] + w[PCS_WORK_ACTUATOR] +
                   w[PCS_WORK_DRIVER] + w[PCS_WORK_DAMPING] + w[PCS_WORK_FRICTION] +
                   w[PCS_WORK_IMPACT];
    s->statistics.energy = (pcs_energy_account){
        .kinetic = kinetic,
        .potential = potential,
        .applied = w[PCS_WORK_APPLIED],
        .actuator = w[PCS_WORK_ACTUATOR],
        .driver = w[PCS_WORK_DRIVER],
        .damping = w[PCS_WORK_DAMPING],
        .friction = w[PCS_WORK_FRICTION],
        .impact = w[PCS_WORK_IMPACT],
        .numerical = kinetic + potential - known,
    };
}

// The forces of an equilibrium do not belong to the start of a run.
static void forget_forces(pcs_simulation *s)
{
    const pcs_model *m = s->model;
    pcs_state *state = &s->state;
    *state->h = 0;
    memset(state->p, 0, sizeof(double) * (size_t)m->n_rows);
    memset(state->lambda, 0, sizeof(double) * (size_t)m->n_rows);
    memset(state->r, 0, sizeof(double) * 3 * (size_t)m->n_slots);
    memset(state->force, 0, sizeof(double) * 3 * (size_t)m->n_slots);
    memset(state->status, 0, sizeof(double) * (size_t)m->n_slots);
}

// Times that formulas see over a step.
static void set_window(pcs_simulation *s, pcs_state *state, double from, double to)
{
    pcs_switches_window(&s->switches, from, to, state->external + s->model->externals.count);
}

pcs_status pcs_simulation_start(pcs_simulation *s)
{
    pcs_context_begin(s->ctx);
    if (s->started)
        return PCS_OK;
    *s->state.t = s->def.start;
    pcs_state_begin_frame(&s->state, s->model->n_slots);
    if (s->equilibrated)
        forget_forces(s);
    s->equilibrated = false;
    set_window(s, &s->state, s->def.start, s->def.end);
    const pcs_status status = s->scheme->class->start(s->scheme, &s->state, &s->statistics);
    if (status < 0)
        return pcs_simulation_explain(s, status, s->def.step);
    s->statistics.redundant_most = s->statistics.redundant_rows;
    s->statistics.refined_by = (int32_t)pcs_scheme_refined_by(s->scheme);
    s->started = true;
    forget_present(s);
    const pcs_present *now = pcs_simulation_present(s, false);
    account(s, pcs_model_kinetic(s->model, &now->c), pcs_model_potential(s->model, &now->c));
    return pcs_monitor_start(s);
}

// Forces of joints and contacts that hold bodies do no work but for the rounding of positions.
static double held_rounding(const pcs_simulation *s)
{
    const double roundings = 32 * DBL_EPSILON; // of a position, in the solves of a step
    const pcs_state *state = &s->state;
    double force = 0, length = 1;
    for (int32_t i = 0; i < s->model->n_rows; ++i)
        force += fmax(fabs(state->lambda[i]), *state->h > 0 ? fabs(state->p[i]) / *state->h : 0);
    for (int32_t i = 0; i < 3 * s->model->n_slots; ++i)
        force += fabs(state->force[i]);
    for (int32_t i = 0; i < s->model->n_q; ++i)
        length = fmax(length, fabs(state->q[i]));
    return roundings * force * length;
}

static void count_step(pcs_simulation *s, const pcs_step_report *r, pcs_status status)
{
    pcs_statistics *st = &s->statistics;
    ++st->steps;
    st->rejected_steps += r->rejected;
    st->unconverged_steps += status == PCS_NOT_CONVERGED;
    st->impacts += r->impacts;
    st->contact_steps += r->contacts;
    st->contacts_now = r->contacts;
    st->contacts_most = r->contacts > st->contacts_most ? r->contacts : st->contacts_most;
    st->newton_iterations += r->newton_iterations;
    st->solver_iterations += r->solver_iterations;
    st->last_residual = r->residual;
    st->worst_residual = fmax(st->worst_residual, r->residual);
    st->worst_newton = fmax(st->worst_newton, r->newton_residual);
    if (r->penetration.value > st->worst_penetration) {
        st->worst_penetration = r->penetration.value;
        st->penetration_time = r->penetration.time;
        st->penetration_slot = r->penetration.slot;
    }
    st->energy_rounding = fmax(st->energy_rounding, held_rounding(s));
    st->worst_drift = fmax(st->worst_drift, r->drift);
    st->worst_velocity_drift = fmax(st->worst_velocity_drift, r->velocity_drift);
    if (r->redundant_rows > st->redundant_most)
        st->redundant_most = r->redundant_rows;
    st->inner_steps += r->accepted > 0 ? r->accepted : r->accepted < 0 ? 0 : 1;
    st->evaluations += r->evaluations;
    const double smallest = r->smallest_step > 0 ? r->smallest_step : r->h;
    if (st->smallest_step == 0 || smallest < st->smallest_step)
        st->smallest_step = smallest;
    st->time_stepping += r->time_stepping;
    st->switches_zeno += r->switches[0];
    st->switches_friction += r->switches[1];
    st->switches_edge += r->switches[2];
    account(s, r->kinetic, r->potential);
    const double t = *s->state.t;
    if (r->rejected > 0 && r->accepted == 0) // a scheme that chooses its steps rejects some always
        pcs_event_log_add(
            &s->scheme->events,
            (pcs_event){.time = t, .value = r->h, .kind = PCS_EVENT_REJECTED, .object = -1});
    if (status == PCS_NOT_CONVERGED)
        pcs_event_log_add(&s->scheme->events, (pcs_event){.time = t,
                                                          .value = r->residual,
                                                          .kind = PCS_EVENT_UNCONVERGED,
                                                          .object = -1});
}

// A run whose scheme has got to take very many steps is told about before they are taken.
static void warn_of_length(pcs_simulation *s)
{
    const double many = 1e7; // hours even for the smallest models
    const int64_t seen = 1000;
    const pcs_statistics *st = &s->statistics;
    const double done = *s->state.t - s->def.start;
    if (s->told_length || st->inner_steps < seen || st->inner_steps <= st->steps || !(done > 0))
        return;
    s->told_length = true;
    const double total = (double)st->inner_steps * (s->def.end - s->def.start) / done;
    if (total > many)
        pcs_log(s->ctx, PCS_LOG_WARNING,
                "t = %g: the scheme has taken %lld steps so far; the whole run would take about "
                "%.1e. A larger tolerance, an implicit integrator (alpha2) or scheme: "
                "nonsmooth-alpha takes fewer",
                *s->state.t, (long long)st->inner_steps, total);
}

static void add_part(pcs_step_report *sum, const pcs_step_report *part)
{
    pcs_step_report_add(sum, part);
    sum->accepted += part->accepted > 0 ? part->accepted : 1;
    sum->time_stepping += part->time_stepping;
    const double smallest = part->smallest_step > 0 ? part->smallest_step : part->h;
    sum->smallest_step = sum->smallest_step > 0 ? fmin(sum->smallest_step, smallest) : smallest;
}

// The motion is smooth in each of the parts, as the scheme's order wants it.
pcs_status pcs_simulation_advance(pcs_simulation *s, pcs_state *state, double h, double next,
                                  pcs_step_report *report)
{
    const pcs_scheme_class *class = s->scheme->class;
    if (class->locates_switches || !pcs_switches_in_time(&s->switches))
        return pcs_scheme_step(s->scheme, state, h, report);
    // Switches so near to an end of a part belong to it: no scheme resolves a shorter one.
    const double part_of_step = 1e-10, least = fmax(16 * s->switches.rounding, part_of_step * h);
    pcs_status worst = PCS_OK;
    pcs_step_report sum = {0};
    for (int32_t parts = 0;; ++parts) {
        const double t = *state->t;
        double begin = t, stop = pcs_switches_next(&s->switches, t, next);
        while (stop - t < least) {
            begin = stop;
            stop = pcs_switches_next(&s->switches, begin, next);
        }
        const bool cut = stop < next - least;
        set_window(s, state, begin, fmin(stop, next));
        if (class->restart && t > s->def.start && (begin > t || pcs_switches_at(&s->switches, t)))
            PCS_TRY(class->restart(s->scheme, state));
        const double length = cut ? stop - t : parts > 0 ? next - t : h;
        const pcs_status status = pcs_scheme_step(s->scheme, state, length, report);
        PCS_TRY(status);
        worst = status > worst ? status : worst;
        if (!cut && parts == 0)
            return status; // in one piece
        add_part(&sum, report);
        *state->t = cut ? stop : next;
        if (!cut)
            break;
    }
    *report = sum;
    return worst;
}

// Impulses of the impacts among the events from number `first` on.
static void book_impacts(pcs_simulation *s, int64_t first)
{
    pcs_event event;
    for (int64_t i = first; i < s->scheme->events.count; ++i)
        if (pcs_simulation_event(s, i, &event) && event.kind == PCS_EVENT_IMPACT)
            for (int32_t k = 0; k < 3; ++k)
                s->state.impact[3 * event.object + k] += event.impulse[k];
}

// Numbers of a finished step that no scheme needed to look at: energies, gaps that are neither open
// nor closed, and velocities of belts.
static pcs_status check_finite(pcs_simulation *s, const pcs_step_report *report)
{
    const double t = *s->state.t;
    pcs_status status = PCS_OK;
    if (!isfinite(report->kinetic + report->potential))
        status = pcs_error(s->ctx, PCS_ERROR_NUMERIC,
                           "t = %g: the %s energy is not a finite number", t,
                           isfinite(report->kinetic) ? "potential" : "kinetic");
    for (int32_t i = 0; i < s->model->n_slots && status == PCS_OK; ++i) {
        const double *u = s->state.u + 3 * i;
        if (isnan(s->state.gap[i]) || isnan(u[0] + u[1] + u[2]))
            status = pcs_error(
                s->ctx, PCS_ERROR_NUMERIC, "t = %g: the %s of contact '%s' is not a number", t,
                isnan(s->state.gap[i]) ? "gap" : "relative velocity", s->model->slot_names.data[i]);
    }
    return status < 0 ? pcs_simulation_explain(s, status, 0) : status;
}

pcs_status pcs_simulation_step(pcs_simulation *s)
{
    PCS_TRY(pcs_simulation_start(s));
    if (pcs_simulation_finished(s))
        return pcs_error(s->ctx, PCS_ERROR_ARGUMENT, "the simulation is at its end");
    PCS_TRY(pcs_monitor_begin(s));
    // Times lie on the grid start + n step, free of accumulated rounding.
    double h = s->def.step;
    double next = s->def.start + (double)(s->step + 1) * s->def.step;
    if (s->step + 1 == s->n_steps) {
        next = s->def.end;
        double rest = s->def.end - *s->state.t;
        if (fabs(rest - h) > pcs_simulation_time_rounding(&s->def))
            h = rest;
    }
    const bool new_frame = s->present->new_frame;
    const int64_t events = s->scheme->events.count;
    pcs_step_report report = {0};
    pcs_state_copy(&s->before, &s->state);
    if (new_frame || !s->present->frames)
        pcs_state_begin_frame(&s->state, s->model->n_slots);
    s->present->new_frame = false;
    s->scheme->step = s->step + 1;
    pcs_status status = pcs_simulation_advance(s, &s->state, h, next, &report);
    if (status >= 0) {
        const pcs_status repeated = pcs_monitor_repeat(s, h, next, events);
        status = repeated < 0 ? repeated : status;
    }
    forget_present(s);
    if (status < 0) {
        status = pcs_simulation_explain(s, status, h); // from what the step has left
        pcs_state_copy(&s->state, &s->before);
        if (status == PCS_ERROR_STOPPED) // what a failed step has seen is told
            pcs_event_log_rewind(&s->scheme->events, events, s->state.status);
        s->present->new_frame = new_frame;
        return status;
    }
    *s->state.t = next;
    *s->state.frame += h;
    ++s->step;
    count_step(s, &report, status);
    book_impacts(s, events);
    PCS_TRY(check_finite(s, &report));
    pcs_monitor_end(s, h, &report, events);
    warn_of_length(s);
    return status;
}

void pcs_simulation_mark_frame(const pcs_simulation *s)
{
    s->present->frames = true;
    s->present->new_frame = true;
}

void pcs_simulation_reopen_frame(const pcs_simulation *s)
{
    s->present->new_frame = false;
}

bool pcs_simulation_is_between_frames(const pcs_simulation *s)
{
    return s->present->frames && !s->present->new_frame;
}

bool pcs_simulation_finished(const pcs_simulation *s)
{
    return s->step >= s->n_steps;
}

double pcs_simulation_time(const pcs_simulation *s)
{
    return s->started || s->equilibrated ? *s->state.t : s->def.start;
}

const pcs_model *pcs_simulation_model(const pcs_simulation *s)
{
    return s->model;
}

const double *pcs_simulation_q(const pcs_simulation *s)
{
    return s->state.q;
}

const double *pcs_simulation_v(const pcs_simulation *s)
{
    return s->state.v;
}

const pcs_statistics *pcs_simulation_statistics(const pcs_simulation *s)
{
    return &s->statistics;
}

bool pcs_simulation_row_is_redundant(const pcs_simulation *s, int32_t row)
{
    return s->started && row >= 0 && row < s->model->n_rows &&
           s->scheme->class->redundant_rows(s->scheme)[row];
}

// ---- Events ----

const char *pcs_event_kind_name(pcs_event_kind kind)
{
    static const char *const names[PCS_EVENT_KIND_COUNT] = {
        [PCS_EVENT_IMPACT] = "impact",
        [PCS_EVENT_CLOSE] = "close",
        [PCS_EVENT_OPEN] = "open",
        [PCS_EVENT_STICK] = "stick",
        [PCS_EVENT_SLIP] = "slip",
        [PCS_EVENT_REJECTED] = "rejected step",
        [PCS_EVENT_UNCONVERGED] = "unconverged step",
        [PCS_EVENT_SWITCH] = "switch",
    };
    return (int)kind >= 0 && kind < PCS_EVENT_KIND_COUNT ? names[kind] : NULL;
}

int64_t pcs_simulation_event_count(const pcs_simulation *s)
{
    return s->scheme->events.count;
}

bool pcs_simulation_event(const pcs_simulation *s, int64_t index, pcs_event *event)
{
    return pcs_event_log_get(&s->scheme->events, index, event);
}
