// The tables of a comparison: one list of columns drives the CSV file, the values beside published
// ones and the printed tables.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"
#include "table_text.h"

// ---- Columns ----

const char *compare_outcome_name(compare_outcome outcome)
{
    static const char *const names[] = {
        [COMPARE_NOT_RUN] = "not run", [COMPARE_FINISHED] = "finished",
        [COMPARE_REFUSED] = "refused", [COMPARE_FAILED] = "failed",
        [COMPARE_TIMEOUT] = "timeout",
    };
    return names[outcome];
}

typedef double (*column_fn)(const compare_run *run);

static double get_tolerance(const compare_run *run)
{
    return run->level;
}

static double get_seconds(const compare_run *run)
{
    return run->seconds;
}

static double get_time(const compare_run *run)
{
    return run->time;
}

static double get_accepted(const compare_run *run)
{
    return (double)run->statistics.inner_steps;
}

static double get_rejected(const compare_run *run)
{
    return (double)run->statistics.rejected_steps;
}

static double get_evaluations(const compare_run *run)
{
    return run->statistics.evaluations > 0 ? (double)run->statistics.evaluations : NAN;
}

static double get_average_step(const compare_run *run)
{
    return run->average_step;
}

static double get_smallest_step(const compare_run *run)
{
    return run->statistics.smallest_step;
}

static double get_error_q(const compare_run *run)
{
    return run->error_q;
}

static double get_error_v(const compare_run *run)
{
    return run->error_v;
}

static double get_error_q_max(const compare_run *run)
{
    return run->error_q_max;
}

static double get_error_v_max(const compare_run *run)
{
    return run->error_v_max;
}

static double get_error_q_l1(const compare_run *run)
{
    return run->error_q_l1;
}

static double get_error_v_l1(const compare_run *run)
{
    return run->error_v_l1;
}

static double get_error_signal_1(const compare_run *run)
{
    return run->error_signal[0];
}

static double get_error_signal_2(const compare_run *run)
{
    return run->error_signal[1];
}

static double get_drift(const compare_run *run)
{
    return run->statistics.worst_drift;
}

static double get_velocity_drift(const compare_run *run)
{
    return run->statistics.worst_velocity_drift;
}

static double get_penetration(const compare_run *run)
{
    return run->statistics.worst_penetration;
}

static double get_energy_error(const compare_run *run)
{
    return run->energy_error;
}

static double get_impacts(const compare_run *run)
{
    return (double)run->statistics.impacts;
}

static double get_unconverged(const compare_run *run)
{
    return (double)run->statistics.unconverged_steps;
}

static double get_time_stepping(const compare_run *run)
{
    return run->statistics.time_stepping;
}

static double get_switches_zeno(const compare_run *run)
{
    return (double)run->statistics.switches_zeno;
}

static double get_switches_friction(const compare_run *run)
{
    return (double)run->statistics.switches_friction;
}

static double get_switches_edge(const compare_run *run)
{
    return (double)run->statistics.switches_edge;
}

static const struct {
    const char *name;
    column_fn get;
} columns[] = {
    {"level", get_tolerance},
    {"seconds", get_seconds},
    {"accepted", get_accepted},
    {"rejected", get_rejected},
    {"evaluations", get_evaluations},
    {"average_step", get_average_step},
    {"smallest_step", get_smallest_step},
    {"error_q", get_error_q},
    {"error_v", get_error_v},
    {"error_q_max", get_error_q_max},
    {"error_v_max", get_error_v_max},
    {"error_q_l1", get_error_q_l1},
    {"error_v_l1", get_error_v_l1},
    {"error_signal_1", get_error_signal_1},
    {"error_signal_2", get_error_signal_2},
    {"drift", get_drift},
    {"velocity_drift", get_velocity_drift},
    {"penetration", get_penetration},
    {"energy_error", get_energy_error},
    {"impacts", get_impacts},
    {"unconverged", get_unconverged},
    {"time_stepping", get_time_stepping},
    {"switches_zeno", get_switches_zeno},
    {"switches_friction", get_switches_friction},
    {"switches_edge", get_switches_edge},
    {"time_reached", get_time},
};
enum { COLUMNS = sizeof columns / sizeof *columns };

bool compare_value(const compare_run *run, const char *column, double *value)
{
    for (int i = 0; i < COLUMNS; i++) {
        if (strcmp(columns[i].name, column) == 0) {
            *value = columns[i].get(run);
            return true;
        }
    }
    return false;
}

static const char *kind_name(compare_level_kind kind)
{
    return kind == COMPARE_TOLERANCE ? "tolerance" : "step";
}

void compare_write_csv(FILE *out, const compare_table *table)
{
    fputs("model,scheme,outcome,level_is", out);
    for (int i = 0; i < COLUMNS; i++)
        fprintf(out, ",%s", columns[i].name);
    fputs(",message\n", out);
    for (int32_t r = 0; r < table->n_runs; r++) {
        const compare_run *run = &table->runs[r];
        if (run->outcome == COMPARE_NOT_RUN)
            continue;
        cli_write_quoted(out, table->models[run->model].path);
        putc(',', out);
        cli_write_quoted(out, table->schemes[run->scheme].label);
        fprintf(out, ",%s,%s", compare_outcome_name(run->outcome),
                kind_name(table->schemes[run->scheme].kind));
        for (int i = 0; i < COLUMNS; i++) {
            double value = columns[i].get(run);
            if (isnan(value)) // an empty field: there is none
                putc(',', out);
            else
                fprintf(out, ",%.9g", value);
        }
        putc(',', out);
        cli_write_quoted(out, run->message);
        putc('\n', out);
    }
}

// ---- Finding runs ----

int32_t compare_levels(const compare_table *table, const compare_scheme *scheme,
                       const double **levels)
{
    bool tolerance = scheme->kind == COMPARE_TOLERANCE;
    *levels = tolerance ? table->tolerances : table->steps;
    return tolerance ? table->n_tolerances : table->n_steps;
}

const compare_run *compare_find_run(const compare_table *table, int32_t model, int32_t scheme,
                                    double level)
{
    for (int32_t r = 0; r < table->n_runs; r++) {
        const compare_run *run = &table->runs[r];
        if (run->model == model && run->scheme == scheme && run->level == level &&
            run->outcome != COMPARE_NOT_RUN)
            return run;
    }
    return NULL;
}

// ---- The profile ----

const char *compare_error_column(const compare_table *table)
{
    static const char *const names[] = {[COMPARE_ERROR_END] = "error_q",
                                        [COMPARE_ERROR_WORST] = "error_q_max",
                                        [COMPARE_ERROR_L1] = "error_q_l1"};
    return names[table->error];
}

// Time of a scheme for one problem; INFINITY: not solved.
static double profile_time(const compare_table *table, int32_t model, int32_t scheme, double level)
{
    double best = INFINITY;
    for (int32_t r = 0; r < table->n_runs; r++) {
        const compare_run *run = &table->runs[r];
        double error = NAN;
        compare_value(run, compare_error_column(table), &error);
        bool solved = run->outcome == COMPARE_FINISHED &&
                      (table->by_error ? error <= level : run->level == level);
        if (run->model == model && run->scheme == scheme && solved)
            best = fmin(best, run->seconds);
    }
    return best;
}

bool compare_profile(const compare_table *table, cli_profile *profile)
{
    int32_t problems = table->n_models * table->n_tolerances;
    if (!cli_profile_init(profile, table->n_schemes, problems, NAN))
        return false;
    for (int32_t s = 0; s < table->n_schemes; s++) {
        if (!table->by_error && table->schemes[s].kind != COMPARE_TOLERANCE)
            continue;
        double *t = cli_profile_add(profile, table->schemes[s].label);
        for (int32_t m = 0; m < table->n_models; m++) {
            for (int32_t k = 0; k < table->n_tolerances; k++)
                *t++ = profile_time(table, m, s, table->tolerances[k]);
        }
    }
    cli_profile_rate(profile);
    return true;
}

// ---- Printing ----

enum { CELL = 16, SCHEME_WIDTH_LEAST = 12, SCHEME_WIDTH_MOST = 40 };

static const char *number(char text[CELL], const char *format, double value)
{
    if (isnan(value))
        snprintf(text, CELL, "-");
    else
        snprintf(text, CELL, format, value);
    return text;
}

static int scheme_width(const compare_table *table)
{
    int width = SCHEME_WIDTH_LEAST;
    for (int32_t s = 0; s < table->n_schemes; s++) {
        int length = (int)strlen(table->schemes[s].label);
        width = length > width ? length : width;
    }
    return width < SCHEME_WIDTH_MOST ? width : SCHEME_WIDTH_MOST;
}

// The message under the row, so that the columns stay readable.
static void print_note(FILE *out, const compare_run *run, int width)
{
    if (run->message[0])
        fprintf(out, "%*s %s\n", width, "", run->message);
}

static void print_work_row(FILE *out, const compare_table *table, const compare_run *run, int width)
{
    char time[CLI_TIME_TEXT], a[CELL], b[CELL], c[CELL], d[CELL], e[CELL], f[CELL];
    fprintf(out, "%-*.*s %9.3g ", width, width, table->schemes[run->scheme].label, run->level);
    if (run->outcome == COMPARE_REFUSED)
        fprintf(out, "%10s\n", "refused");
    else
        fprintf(out, "%10s %9.0f %9.0f %11s %10s %9s %9s %9s %9s%s\n",
                cli_time_text(time, run->seconds), get_accepted(run), get_rejected(run),
                number(a, "%.0f", get_evaluations(run)), number(b, "%.3g", run->average_step),
                number(c, "%.2e", run->error_q), number(d, "%.2e", run->error_v),
                number(e, "%.2e", run->error_q_max), number(f, "%.2e", run->error_v_max),
                run->outcome == COMPARE_FINISHED ? "" : " FAILED");
    print_note(out, run, width);
}

static void print_drift_row(FILE *out, const compare_table *table, const compare_run *run,
                            int width)
{
    char text[CELL];
    fprintf(out, "%-*.*s %9.3g ", width, width, table->schemes[run->scheme].label, run->level);
    fprintf(out, "%10.2e %10.2e %12.2e %12s\n", get_drift(run), get_velocity_drift(run),
            get_penetration(run), number(text, "%.2e", run->energy_error));
}

static void print_share_row(FILE *out, const compare_table *table, const compare_run *run,
                            int width)
{
    const pcs_statistics *s = &run->statistics;
    if (s->time_stepping <= 0 && s->switches_zeno + s->switches_friction + s->switches_edge == 0)
        return;
    pcs_simulation_def def = pcs_model_file_simulation(table->models[run->model].file);
    double share = run->time > def.start ? 100 * s->time_stepping / (run->time - def.start) : 0;
    fprintf(out, "%-*.*s %9.3g ", width, width, table->schemes[run->scheme].label, run->level);
    fprintf(out, "%12.3g %% %10lld %10lld %10lld\n", share, (long long)s->switches_zeno,
            (long long)s->switches_friction, (long long)s->switches_edge);
}

// ---- Observed orders ----

// Of a line through points (log level, log error).
typedef struct line_fit {
    int n;
    double x, xx, y, xy;
} line_fit;

static void add_point(line_fit *fit, double level, double error)
{
    const double x = log(level), y = log(error);
    fit->n++;
    fit->x += x;
    fit->xx += x * x;
    fit->y += y;
    fit->xy += x * y;
}

static double slope(const line_fit *fit)
{
    return fit->n < 2 ? NAN
                      : (fit->n * fit->xy - fit->x * fit->y) / (fit->n * fit->xx - fit->x * fit->x);
}

static void print_order(FILE *out, const double error[2], const double order[2])
{
    char text[4][CELL];
    fprintf(out, "%11s %10s %9s %9s\n", number(text[0], "%.3e", error[0]),
            number(text[1], "%.3e", error[1]), number(text[2], "%.2f", order[0]),
            number(text[3], "%.2f", order[1]));
}

// The runs of a scheme, each with the order from the one before, and the slope of all.
static void print_orders(FILE *out, const compare_table *table, int32_t model, int32_t scheme,
                         int width)
{
    static const double none[2] = {NAN, NAN};
    const char *label = table->schemes[scheme].label;
    line_fit all[2] = {{0}, {0}}, pair[2] = {{0}, {0}};
    for (int32_t r = 0; r < table->n_runs; r++) {
        const compare_run *run = &table->runs[r];
        const double error[2] = {table->n_signals > 0 ? run->error_signal[0] : run->error_q_l1,
                                 table->n_signals > 0 ? run->error_signal[1] : run->error_v_l1};
        double order[2];
        if (run->model != model || run->scheme != scheme || run->outcome != COMPARE_FINISHED)
            continue;
        for (int i = 0; i < 2; i++) {
            line_fit here = {0};
            if (error[i] > 0) { // no error at all, or no output time met: no order
                add_point(&here, run->level, error[i]);
                add_point(&pair[i], run->level, error[i]);
                add_point(&all[i], run->level, error[i]);
            }
            order[i] = slope(&pair[i]);
            pair[i] = here;
        }
        fprintf(out, "%-*.*s %9.3g", width, width, label, run->level);
        print_order(out, error, order);
    }
    if (all[0].n > 2 || all[1].n > 2) {
        fprintf(out, "%-*.*s %9s", width, width, label, "fit");
        print_order(out, none, (double[2]){slope(&all[0]), slope(&all[1])});
    }
}

// Relative errors over all output times, of q and v or of the signals asked for.
static void print_l1(FILE *out, const compare_table *table, int32_t model, int width)
{
    const bool of_signals = table->n_signals > 0;
    for (int32_t i = 0; i < table->n_signals; i++)
        fprintf(out, "%s%c: %s\n", i == 0 ? "\n" : "", 'a' + i, table->signals[i]);
    fprintf(out, "%s%-*s %9s%11s %10s %9s %9s\n", of_signals ? "" : "\n", width, "L1 error",
            "level", of_signals ? "a" : "q", of_signals ? "b" : "v",
            of_signals ? "order a" : "order q", of_signals ? "order b" : "order v");
    for (int32_t s = 0; s < table->n_schemes; s++)
        print_orders(out, table, model, s, width);
}

static bool has_hybrid(const compare_table *table, int32_t model)
{
    for (int32_t r = 0; r < table->n_runs; r++) {
        const pcs_statistics *s = &table->runs[r].statistics;
        if (table->runs[r].model == model &&
            (s->time_stepping > 0 ||
             s->switches_zeno + s->switches_friction + s->switches_edge > 0))
            return true;
    }
    return false;
}

typedef void (*row_fn)(FILE *out, const compare_table *table, const compare_run *run, int width);

static void print_rows(FILE *out, const compare_table *table, int32_t model, row_fn print,
                       bool with_refused)
{
    int width = scheme_width(table);
    for (int32_t r = 0; r < table->n_runs; r++) {
        const compare_run *run = &table->runs[r];
        if (run->model == model && run->outcome != COMPARE_NOT_RUN &&
            (with_refused || run->outcome != COMPARE_REFUSED))
            print(out, table, run, width);
    }
}

static void print_model(FILE *out, const compare_table *table, int32_t m)
{
    const compare_model *model = &table->models[m];
    const char *title = pcs_model_file_title(model->file);
    pcs_simulation_def def = pcs_model_file_simulation(model->file);
    int width = scheme_width(table);
    fprintf(out, "%s%s%s%s, %g s to %g s\n", m > 0 ? "\n" : "", model->name, *title ? ": " : "",
            title, def.start, def.end);
    fprintf(out, "reference: %s\n", model->reference_note);
    fprintf(out, "%-*s %9s %10s %9s %9s %11s %10s %9s %9s %9s %9s\n", width, "scheme", "level",
            "CPU time", "accepted", "rejected", "evaluations", "avg step", "q, end", "v, end",
            "q, worst", "v, worst");
    print_rows(out, table, m, print_work_row, true);
    if (table->error == COMPARE_ERROR_L1)
        print_l1(out, table, m, width);
    fprintf(out, "\n%-*s %9s %10s %10s %12s %12s\n", width, "drift", "level", "|g|", "|G v|",
            "penetration", "energy (J)");
    print_rows(out, table, m, print_drift_row, false);
    if (!has_hybrid(table, m))
        return;
    fprintf(out, "\n%-*s %9s %14s %10s %10s %10s\n", width, "time stepping", "level",
            "share of time", "accumulate", "friction", "edge");
    print_rows(out, table, m, print_share_row, false);
}

void compare_print(FILE *out, const compare_table *table)
{
    for (int32_t m = 0; m < table->n_models; m++)
        print_model(out, table, m);
}
