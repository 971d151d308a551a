// One run of a comparison: CPU time of the steps, statistics, and the distance from the reference,
// |q [-] q_ref| and |v - v_ref| (Euclidean, in m and rad, m/s and rad/s), at the output times. L1
// norm, relative: sum |q [-] q_ref| / sum |q_ref [-] q(start)|, sum |v - v_ref| / sum |v_ref|.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "compare.h"
#include "interrupt.h"
#include "message.h"

static const double ON_TIME = 1e-9;  // rounding of an output time, in intervals
static const double LONG = 2;        // s: a run so long is not repeated
enum { STEPS_BETWEEN_CLOCKS = 256 }; // a look at the clock costs as much as a tenth of a step

static double cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// ---- Simulations ----

static void keep_warning(void *user, pcs_log_level level, const char *text)
{
    char *message = user;
    if (level == PCS_LOG_WARNING && !*message)
        snprintf(message, sizeof(((compare_run *)NULL)->message), "%s", text);
}

// A context whose first warning goes into a message of a run.
static pcs_context *create_context(char *message)
{
    pcs_context_def def = pcs_context_default();
    def.log = keep_warning;
    def.log_user = message;
    return pcs_context_create(&def);
}

static pcs_status set_options(pcs_simulation *simulation, const compare_model *model,
                              const compare_scheme *scheme, double level)
{
    const pcs_setting *options = NULL;
    char text[32];
    pcs_status status = PCS_OK;
    // Options in the file are those of its own scheme.
    pcs_simulation_def def = pcs_model_file_simulation(model->file);
    int32_t count = pcs_model_file_options(model->file, &options);
    for (int32_t i = 0; i < count && status >= 0 && strcmp(def.scheme, scheme->name) == 0; i++)
        status = pcs_simulation_set(simulation, options[i].key, options[i].text);
    for (int32_t i = 0; i < scheme->n_options && status >= 0; i++)
        status = pcs_simulation_set(simulation, scheme->options[i].key, scheme->options[i].text);
    snprintf(text, sizeof text, "%.17g", level);
    if (status >= 0 && scheme->kind != COMPARE_STEP)
        status = pcs_simulation_set(
            simulation, scheme->kind == COMPARE_TOLERANCE ? "tolerance" : "first_step", text);
    return status;
}

static pcs_status create_simulation(pcs_context *ctx, const compare_model *model,
                                    const compare_scheme *scheme, double level, int32_t samples,
                                    pcs_simulation **out)
{
    pcs_simulation_def def = pcs_model_file_simulation(model->file);
    def.scheme = scheme->name;
    def.step = scheme->kind == COMPARE_STEP ? level : (def.end - def.start) / samples;
    pcs_status status = pcs_simulation_create(ctx, pcs_model_file_model(model->file), &def, out);
    return status < 0 ? status : set_options(*out, model, scheme, level);
}

bool compare_check_options(const compare_model *model, const compare_scheme *scheme, double level)
{
    char message[sizeof(((compare_run *)NULL)->message)] = "";
    pcs_context *ctx = create_context(message);
    pcs_simulation *simulation = NULL;
    pcs_simulation_def def = pcs_model_file_simulation(model->file);
    def.scheme = scheme->name;
    pcs_status status = ctx ? pcs_simulation_create(ctx, pcs_model_file_model(model->file), &def,
                                                    &simulation)
                            : PCS_ERROR_MEMORY;
    bool good = true; // a scheme that does not take the model becomes a row of the table
    if (status >= 0 && set_options(simulation, model, scheme, level) < 0) {
        cli_message("scheme '%s': %s", scheme->label, pcs_context_error(ctx));
        good = false;
    }
    pcs_simulation_destroy(simulation);
    pcs_context_destroy(ctx);
    return good;
}

// ---- Watching a run at the output times ----

typedef struct watch {
    const pcs_model *model;
    const pcs_signal *signals;
    int32_t n_signals;
    const compare_reference *reference; // to compare with
    compare_reference *record;          // or to fill; NULL: compare
    compare_run *run;
    double start, interval;
    double *q_start, *d;                 // n_q, n_v
    double sum_q, sum_v, size_q, size_v; // of the L1 norms
    double sum_signal[COMPARE_SIGNALS_MAX], size_signal[COMPARE_SIGNALS_MAX];
} watch;

// Number of the output time that the simulation is at, from 1; 0: between two.
static int32_t find_sample(const watch *w, double time)
{
    double k = (time - w->start) / w->interval;
    return fabs(k - round(k)) <= ON_TIME ? (int32_t)round(k) : 0;
}

static double length(const double *x, int32_t n)
{
    double sum = 0;
    for (int32_t i = 0; i < n; i++)
        sum += x[i] * x[i];
    return sqrt(sum);
}

static void keep_sample(const watch *w, const pcs_simulation *simulation, int32_t k)
{
    size_t n_q = (size_t)pcs_model_coordinate_count(w->model);
    size_t n_v = (size_t)pcs_model_velocity_count(w->model), at = (size_t)k - 1;
    memcpy(w->record->q + at * n_q, pcs_simulation_q(simulation), n_q * sizeof(double));
    memcpy(w->record->v + at * n_v, pcs_simulation_v(simulation), n_v * sizeof(double));
    pcs_simulation_signals(simulation, w->signals, w->n_signals,
                           w->record->signals + at * (size_t)w->n_signals);
    w->record->known[at] = true;
}

static void compare_signals(watch *w, const pcs_simulation *simulation, size_t at)
{
    const double *f = w->reference->signals + at * (size_t)w->n_signals;
    for (int32_t i = 0; i < w->n_signals; i++) {
        w->sum_signal[i] += fabs(pcs_simulation_signal(simulation, w->signals[i]) - f[i]);
        w->size_signal[i] += fabs(f[i]);
        w->run->error_signal[i] = w->size_signal[i] > 0 ? w->sum_signal[i] / w->size_signal[i]
                                                        : NAN;
    }
}

static void compare_sample(watch *w, const pcs_simulation *simulation, int32_t k)
{
    const compare_reference *reference = w->reference;
    compare_run *run = w->run;
    int32_t n_q = pcs_model_coordinate_count(w->model), n_v = pcs_model_velocity_count(w->model);
    const size_t at = (size_t)k - 1;
    double lost = fabs(pcs_simulation_statistics(simulation)->energy.numerical);
    run->energy_error = fmax(run->energy_error, lost);
    if (!reference->exists || !reference->known[at])
        return;
    const double *q = reference->q + at * (size_t)n_q, *v = reference->v + at * (size_t)n_v;
    pcs_model_difference(w->model, q, w->q_start, w->d);
    w->size_q += length(w->d, n_v);
    w->size_v += length(v, n_v);
    pcs_model_difference(w->model, pcs_simulation_q(simulation), q, w->d);
    double error_q = length(w->d, n_v);
    for (int32_t i = 0; i < n_v; i++)
        w->d[i] = pcs_simulation_v(simulation)[i] - v[i];
    double error_v = length(w->d, n_v);
    compare_signals(w, simulation, at);
    w->sum_q += error_q;
    w->sum_v += error_v;
    run->error_q_l1 = w->size_q > 0 ? w->sum_q / w->size_q : NAN;
    run->error_v_l1 = w->size_v > 0 ? w->sum_v / w->size_v : NAN;
    run->error_q_max = fmax(run->error_q_max, error_q); // fmax: the first one replaces NaN
    run->error_v_max = fmax(run->error_v_max, error_v);
    if (k == reference->samples) {
        run->error_q = error_q;
        run->error_v = error_v;
    }
}

static void look(watch *w, const pcs_simulation *simulation, int32_t samples)
{
    int32_t k = find_sample(w, pcs_simulation_time(simulation));
    if (k < 1 || k > samples)
        return;
    if (w->record)
        keep_sample(w, simulation, k);
    else
        compare_sample(w, simulation, k);
}

// ---- Runs ----

// From the start to the end, the time limit or an interruption.
static compare_outcome walk(watch *w, pcs_simulation *simulation, const compare_limits *limits,
                            double *seconds)
{
    pcs_status status = pcs_simulation_start(simulation);
    if (status < 0)
        return COMPARE_REFUSED;
    memcpy(w->q_start, pcs_simulation_q(simulation),
           (size_t)pcs_model_coordinate_count(w->model) * sizeof(double));
    w->sum_q = w->sum_v = w->size_q = w->size_v = 0;
    for (int32_t i = 0; i < w->n_signals; i++)
        w->sum_signal[i] = w->size_signal[i] = 0;
    double begin = cpu_seconds();
    for (int64_t step = 1; status >= 0 && !pcs_simulation_finished(simulation); step++) {
        status = pcs_simulation_step(simulation);
        if (status >= 0)
            look(w, simulation, limits->samples);
        if (cli_interrupted())
            return COMPARE_NOT_RUN;
        if ((step % STEPS_BETWEEN_CLOCKS == 0 || find_sample(w, pcs_simulation_time(simulation))) &&
            cpu_seconds() - begin > limits->seconds && !pcs_simulation_finished(simulation)) {
            *seconds = cpu_seconds() - begin;
            return COMPARE_TIMEOUT;
        }
    }
    *seconds = cpu_seconds() - begin;
    return status < 0 ? COMPARE_FAILED : COMPARE_FINISHED;
}

static void fill_result(compare_run *run, const pcs_simulation *simulation, double start)
{
    const pcs_statistics *statistics = pcs_simulation_statistics(simulation);
    run->statistics = *statistics;
    run->time = pcs_simulation_time(simulation);
    run->average_step = statistics->inner_steps > 0
                            ? (run->time - start) / (double)statistics->inner_steps
                            : NAN;
}

static compare_outcome run_once(watch *w, const compare_model *model, const compare_scheme *scheme,
                                const compare_limits *limits, double *seconds)
{
    compare_run *run = w->run;
    pcs_simulation *simulation = NULL;
    pcs_context *ctx = create_context(run->message);
    compare_outcome outcome = COMPARE_REFUSED;
    *seconds = NAN;
    if (!ctx) {
        snprintf(run->message, sizeof run->message, "out of memory");
        return COMPARE_FAILED;
    }
    if (create_simulation(ctx, model, scheme, run->level, limits->samples, &simulation) >= 0) {
        outcome = walk(w, simulation, limits, seconds);
        fill_result(run, simulation, w->start);
    }
    if (outcome == COMPARE_REFUSED || outcome == COMPARE_FAILED)
        snprintf(run->message, sizeof run->message, "%s", pcs_context_error(ctx));
    else if (outcome == COMPARE_TIMEOUT)
        snprintf(run->message, sizeof run->message, "stopped at t = %.6g s by --max-time %g",
                 run->time, limits->seconds);
    pcs_simulation_destroy(simulation);
    pcs_context_destroy(ctx);
    return outcome;
}

static watch make_watch(const compare_model *model, compare_run *run, int32_t samples)
{
    pcs_simulation_def def = pcs_model_file_simulation(model->file);
    const pcs_model *made = pcs_model_file_model(model->file);
    return (watch){
        .model = made,
        .signals = model->signals,
        .n_signals = model->n_signals,
        .reference = &model->reference,
        .run = run,
        .start = def.start,
        .interval = (def.end - def.start) / samples,
        .q_start = calloc((size_t)pcs_model_coordinate_count(made) + 1, sizeof(double)),
        .d = calloc((size_t)pcs_model_velocity_count(made) + 1, sizeof(double)),
    };
}

static void free_watch(watch *w)
{
    free(w->q_start);
    free(w->d);
}

void compare_execute(const compare_table *table, const compare_limits *limits, compare_run *run)
{
    const compare_model *model = &table->models[run->model];
    const compare_scheme *scheme = &table->schemes[run->scheme];
    watch w = make_watch(model, run, limits->samples);
    run->error_q = run->error_v = run->error_q_max = run->error_v_max = NAN;
    run->error_q_l1 = run->error_v_l1 = NAN;
    for (int i = 0; i < COMPARE_SIGNALS_MAX; i++)
        run->error_signal[i] = NAN;
    run->energy_error = run->average_step = NAN;
    run->outcome = COMPARE_FAILED;
    if (w.q_start && w.d)
        run->outcome = run_once(&w, model, scheme, limits, &run->seconds);
    else
        snprintf(run->message, sizeof run->message, "out of memory");
    double spent = run->seconds, seconds;
    for (int32_t i = 1; i < limits->repeat && run->outcome == COMPARE_FINISHED && spent < LONG;
         i++) {
        if (run_once(&w, model, scheme, limits, &seconds) != COMPARE_FINISHED)
            break; // interrupted: the first time stands
        run->seconds = fmin(run->seconds, seconds);
        spent += seconds;
    }
    free_watch(&w);
}

bool compare_make_reference(compare_model *model, const compare_scheme *scheme, double level,
                            const compare_limits *limits)
{
    const pcs_model *made = pcs_model_file_model(model->file);
    compare_reference *record = &model->reference;
    compare_run run = {.level = level};
    double seconds;
    size_t samples = (size_t)limits->samples;
    watch w = make_watch(model, &run, limits->samples);
    record->samples = limits->samples;
    record->known = calloc(samples, sizeof *record->known);
    record->q = calloc(samples * (size_t)pcs_model_coordinate_count(made) + 1, sizeof(double));
    record->v = calloc(samples * (size_t)pcs_model_velocity_count(made) + 1, sizeof(double));
    record->signals = calloc(samples * (size_t)model->n_signals + 1, sizeof(double));
    bool good = record->known && record->q && record->v && record->signals && w.q_start && w.d;
    if (good) {
        w.record = record;
        compare_outcome outcome = run_once(&w, model, scheme, limits, &seconds);
        record->exists = outcome == COMPARE_FINISHED;
        snprintf(model->reference_note, sizeof model->reference_note, "%s, %s %g%s%s%s",
                 scheme->label, scheme->kind == COMPARE_TOLERANCE ? "tolerance" : "step", level,
                 record->exists ? "" : ": ", record->exists ? "" : compare_outcome_name(outcome),
                 record->exists ? "" : ", so there are no errors to show: ");
        if (!record->exists) {
            size_t used = strlen(model->reference_note);
            snprintf(model->reference_note + used, sizeof model->reference_note - used, "%s",
                     run.message);
        }
    }
    free_watch(&w);
    return good;
}

void compare_reference_free(compare_reference *reference)
{
    free(reference->known);
    free(reference->q);
    free(reference->v);
    free(reference->signals);
    *reference = (compare_reference){0};
}
