#include "support/scene_resume.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct side {
    pcs_context *ctx;
    pcs_model_file *file;
    pcs_simulation *simulation;
    double *values;
    int64_t events; // seen
} side;

typedef struct pair {
    const resume_def *def;
    resume_report *report;
    double deadline; // processor time; 0: none
    pcs_signal *signals;
    int32_t n_signals;
    side whole, resumed;
    char *saved[2];
    size_t size; // of a saved state
} pair;

enum { PATH_SIZE = 256 };

static double cpu_seconds(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

static bool is_late(void *user)
{
    const pair *p = user;
    return p->deadline > 0 && cpu_seconds() > p->deadline;
}

const char *resume_outcome_name(resume_outcome outcome)
{
    static const char *const names[] = {"same", "differs", "refused", "stopped", "timeout"};
    return names[outcome];
}

typedef struct file_facts {
    double end, step;
    bool meshes;
} file_facts;

static file_facts look(const char *path)
{
    pcs_context *ctx = pcs_context_create(NULL);
    pcs_model_file *file = NULL;
    if (!ctx || pcs_model_file_read(ctx, path, NULL, 0, &file) < 0) {
        fprintf(stderr, "%s\n", ctx ? pcs_context_error(ctx) : "out of memory");
        exit(EXIT_FAILURE);
    }
    const pcs_simulation_def def = pcs_model_file_simulation(file);
    const file_facts facts = {def.end, def.step,
                              pcs_model_mesh_count(pcs_model_file_model(file)) > 0};
    pcs_model_file_destroy(file);
    pcs_context_destroy(ctx);
    return facts;
}

double resume_end_of(const char *path)
{
    return look(path).end;
}

void resume_begin(resume_def *def, double steps)
{
    const file_facts facts = look(def->path);
    const char *name;
    double parts = 1;
    for (int32_t i = 0; facts.meshes && (name = pcs_scheme_short_name(i, NULL, NULL)); ++i)
        if (strcmp(name, def->scheme) == 0 && strncmp(name, "alpha", 5) != 0)
            parts = 1000;
    def->step = facts.step / parts;
    def->end = steps * def->step;
}

// ---- One side ----

static void side_end(side *s)
{
    pcs_simulation_destroy(s->simulation);
    pcs_model_file_destroy(s->file);
    if (s->ctx)
        pcs_context_destroy(s->ctx);
    free(s->values);
    *s = (side){0};
}

static pcs_status read_model(const resume_def *def, side *s)
{
    char end[32], step[32];
    pcs_setting settings[3];
    int32_t n = 0;
    if (def->scheme)
        settings[n++] = (pcs_setting){"simulation.scheme", def->scheme};
    if (def->end > 0) {
        snprintf(end, sizeof end, "%.17g", def->end);
        settings[n++] = (pcs_setting){"simulation.end", end};
    }
    if (def->step > 0) {
        snprintf(step, sizeof step, "%.17g", def->step);
        settings[n++] = (pcs_setting){"simulation.step", step};
    }
    return pcs_model_file_read(s->ctx, def->path, settings, n, &s->file);
}

static pcs_status side_begin(pair *p, side *s)
{
    const pcs_context_def context = {.stop = is_late, .stop_user = p};
    const pcs_setting *options;
    *s = (side){.ctx = pcs_context_create(&context)};
    if (!s->ctx)
        abort();
    pcs_status status = read_model(p->def, s);
    if (status < 0)
        return status;
    const pcs_simulation_def def = pcs_model_file_simulation(s->file);
    status = pcs_simulation_create(s->ctx, pcs_model_file_model(s->file), &def, &s->simulation);
    const int32_t n = pcs_model_file_options(s->file, &options);
    for (int32_t i = 0; i < n && status >= 0; ++i)
        status = pcs_simulation_set(s->simulation, options[i].key, options[i].text);
    return status;
}

static void find_signals(pair *p)
{
    const pcs_model *model = pcs_model_file_model(p->whole.file);
    char path[PATH_SIZE];
    while (pcs_model_signal_path(model, p->n_signals, path, sizeof path))
        ++p->n_signals;
    p->signals = calloc((size_t)p->n_signals, sizeof *p->signals);
    for (int32_t i = 0; p->signals && i < p->n_signals; ++i)
        if (!pcs_model_signal_path(model, i, path, sizeof path) ||
            pcs_model_find_signal(p->whole.ctx, model, path, &p->signals[i]) < 0)
            abort();
}

// ---- Comparison ----

static void differ(pair *p, const char *what, double a, double b)
{
    resume_report *r = p->report;
    if (r->differs++ == 0)
        snprintf(r->text, sizeof r->text, "t = %.9g: %.255s is %.17g, resumed %.17g",
                 pcs_simulation_time(p->whole.simulation), what, a, b);
    r->outcome = RESUME_DIFFERS;
}

static void compare_signals(pair *p)
{
    side *sides[] = {&p->whole, &p->resumed};
    char path[PATH_SIZE];
    for (int k = 0; k < 2; ++k) {
        if (!sides[k]->values)
            sides[k]->values = calloc((size_t)p->n_signals + 1, sizeof(double));
        if (!sides[k]->values)
            abort();
        pcs_simulation_signals(sides[k]->simulation, p->signals, p->n_signals, sides[k]->values);
    }
    const double *a = p->whole.values, *b = p->resumed.values;
    for (int32_t i = 0; i < p->n_signals; ++i) {
        if (memcmp(&a[i], &b[i], sizeof *a) == 0)
            continue;
        if (!pcs_model_signal_path(pcs_model_file_model(p->whole.file), i, path, sizeof path))
            abort();
        differ(p, path, a[i], b[i]);
    }
}

static bool next_event(side *s, pcs_event *event)
{
    *event = (pcs_event){.object = -1};
    if (!pcs_simulation_event(s->simulation, s->events, event))
        return false;
    ++s->events;
    return true;
}

static void compare_events(pair *p)
{
    pcs_event a, b;
    for (;;) {
        const bool more = next_event(&p->whole, &a), more_resumed = next_event(&p->resumed, &b);
        if (!more && !more_resumed)
            return;
        if (more != more_resumed || a.kind != b.kind || a.object != b.object)
            differ(p, more ? pcs_event_kind_name(a.kind) : "no event", more, more_resumed);
        else if (a.time != b.time)
            differ(p, "time of an event", a.time, b.time);
        else if (memcmp(&a.value, &b.value, sizeof a.value) != 0 ||
                 memcmp(a.impulse, b.impulse, sizeof a.impulse) != 0)
            differ(p, pcs_event_kind_name(a.kind), a.value, b.value);
    }
}

static void save(const side *s, char *saved, size_t size)
{
    if (pcs_simulation_save(s->simulation, saved, size) != size)
        abort();
}

// Everything that a later checkpoint would hold, statistics among it.
static void compare_saved(pair *p)
{
    save(&p->whole, p->saved[0], p->size);
    save(&p->resumed, p->saved[1], p->size);
    for (size_t i = 0; i < p->size; ++i)
        if (p->saved[0][i] != p->saved[1][i]) {
            differ(p, "byte of the saved state", (double)i, (double)p->size);
            return;
        }
}

static void compare(pair *p)
{
    compare_signals(p);
    compare_events(p);
    compare_saved(p);
}

// ---- The run ----

// True if the run is over: an error, which must be the same on both sides, or the time limit.
static bool is_over(pair *p, pcs_status whole, pcs_status resumed)
{
    resume_report *r = p->report;
    const char *a = pcs_context_error(p->whole.ctx), *b = pcs_context_error(p->resumed.ctx);
    if (whole == PCS_ERROR_STOPPED || resumed == PCS_ERROR_STOPPED || is_late(p)) {
        r->outcome = r->outcome == RESUME_DIFFERS ? r->outcome : RESUME_TIMEOUT;
        return true;
    }
    if (whole != resumed || (whole < 0 && strcmp(a, b) != 0))
        differ(p, "status of a step", whole, resumed);
    if (whole < 0 && r->outcome == RESUME_SAME) {
        r->outcome = RESUME_STOPPED;
        snprintf(r->text, sizeof r->text, "%.500s", a);
    }
    return whole < 0 || resumed < 0;
}

// A new simulation that goes on from the present state of the whole run.
static bool resume(pair *p)
{
    side_end(&p->resumed);
    pcs_status status = side_begin(p, &p->resumed);
    if (status >= 0) {
        save(&p->whole, p->saved[0], p->size);
        status = pcs_simulation_load(p->resumed.simulation, p->saved[0], p->size);
    }
    p->whole.events = pcs_simulation_event_count(p->whole.simulation);
    if (status < 0) {
        p->report->outcome = RESUME_REFUSED;
        snprintf(p->report->text, sizeof p->report->text, "%.500s",
                 pcs_context_error(p->resumed.ctx));
    } else {
        compare(p);
    }
    return status >= 0;
}

static int64_t count_steps(const side *s)
{
    const pcs_simulation_def def = pcs_model_file_simulation(s->file);
    return (int64_t)((def.end - def.start) / def.step + 0.5);
}

static void run(pair *p)
{
    const int64_t steps = count_steps(&p->whole);
    int64_t next = 1; // step to save at
    for (int64_t i = 0; !pcs_simulation_finished(p->whole.simulation); ++i) {
        const bool frame = i % p->def->frame_every == 0;
        if (frame)
            pcs_simulation_mark_frame(p->whole.simulation);
        if (frame && p->resumed.simulation)
            pcs_simulation_mark_frame(p->resumed.simulation);
        if (i == next) {
            next += steps / p->def->times > 0 ? steps / p->def->times : 1;
            if (!resume(p))
                return;
        }
        const pcs_status whole = pcs_simulation_step(p->whole.simulation);
        const pcs_status resumed = p->resumed.simulation
                                       ? pcs_simulation_step(p->resumed.simulation)
                                       : whole;
        if (p->resumed.simulation ? is_over(p, whole, resumed) : whole < 0)
            return;
        p->report->reached = pcs_simulation_time(p->whole.simulation);
        if (!p->resumed.simulation)
            continue;
        ++p->report->steps;
        compare(p);
        if (p->report->outcome == RESUME_DIFFERS)
            return;
    }
}

void resume_check(const resume_def *def, resume_report *report)
{
    pair p = {.def = def, .report = report};
    *report = (resume_report){.outcome = RESUME_SAME};
    p.deadline = def->seconds > 0 ? cpu_seconds() + def->seconds : 0;
    pcs_status status = side_begin(&p, &p.whole);
    if (status >= 0)
        status = pcs_simulation_start(p.whole.simulation);
    if (status < 0) {
        report->outcome = RESUME_REFUSED;
        snprintf(report->text, sizeof report->text, "%.500s", pcs_context_error(p.whole.ctx));
    } else {
        find_signals(&p);
        p.size = pcs_simulation_save(p.whole.simulation, NULL, 0);
        p.saved[0] = calloc(2, p.size);
        if (!p.saved[0])
            abort();
        p.saved[1] = p.saved[0] + p.size;
        run(&p);
    }
    side_end(&p.whole);
    side_end(&p.resumed);
    free(p.saved[0]);
    free(p.signals);
}
