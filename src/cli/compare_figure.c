// The picture of a comparison: for each model the error of q against CPU time and against the
// number of evaluations (work-precision), and the drift against the level; below, the performance
// profile and the table of drifts, the worst over all models.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"
#include "message.h"
#include "plot_draw.h"

enum { GRID_COLUMNS = 3, CELL_SIZE = 64, COLOURS = 7 };

static const double WIDTH = 540, ROW_HEIGHT = 175, TITLE_HEIGHT = 30; // points
static const double PIXELS_IN_POINT = 200.0 / 72;
static const double TAU_SMALLEST_END = 10; // the profile's axis goes at least so far

typedef struct drawing {
    const compare_table *table;
    plot_figure figure;
    plot_table drifts;
    void **owned; // everything from malloc
    int32_t n_owned, room;
    bool failed; // memory is out
} drawing;

static void *take(drawing *d, size_t count, size_t size)
{
    void *memory = calloc(count + 1, size);
    if (d->n_owned == d->room) {
        void **owned = realloc(d->owned, (size_t)(2 * d->room + 16) * sizeof *owned);
        if (owned) {
            d->owned = owned;
            d->room = 2 * d->room + 16;
        }
    }
    if (!memory || d->n_owned == d->room) {
        free(memory);
        d->failed = true;
        return NULL;
    }
    d->owned[d->n_owned++] = memory;
    return memory;
}

// Tolerances that a run has had; there are some also where all schemes have fixed steps, for the
// profile.
static int32_t count_tolerances(const compare_table *table)
{
    for (int32_t s = 0; s < table->n_schemes; s++) {
        if (table->schemes[s].kind == COMPARE_TOLERANCE)
            return table->n_tolerances;
    }
    return 0;
}

// ---- Curves ----

static plot_panel *add_panel(drawing *d, const char *title, int32_t curves)
{
    plot_panel *panel = &d->figure.panels[d->figure.n_panels];
    *panel = (plot_panel){.title = title, .x_name = "", .y_name = "", .x_unit = "", .y_unit = ""};
    panel->curves = take(d, (size_t)curves, sizeof *panel->curves);
    if (!panel->curves)
        return NULL;
    d->figure.n_panels++;
    return panel;
}

// A curve with one point for each level of a scheme; values that are not there break it off.
static void add_curve(drawing *d, plot_panel *panel, int32_t model, int32_t scheme,
                      const char *x_column, const char *y_column)
{
    const double *levels;
    int32_t count = compare_levels(d->table, &d->table->schemes[scheme], &levels), n = 0;
    double *x = take(d, (size_t)count, sizeof *x), *y = take(d, (size_t)count, sizeof *y);
    if (!x || !y)
        return;
    for (int32_t k = 0; k < count; k++) {
        const compare_run *run = compare_find_run(d->table, model, scheme, levels[k]);
        if (!run || run->outcome != COMPARE_FINISHED)
            continue;
        compare_value(run, x_column, &x[n]);
        compare_value(run, y_column, &y[n]);
        n += isfinite(x[n]) && y[n] > 0; // on logarithmic axes
    }
    panel->curves[panel->n_curves++] = (plot_curve){
        .series = {.x = x, .y = y, .count = n},
        .label = "",
        .colour = (int)scheme,
        .dash = (int)scheme / COLOURS,
    };
}

static bool counts_evaluations(const compare_table *table, int32_t model)
{
    for (int32_t r = 0; r < table->n_runs; r++) {
        if (table->runs[r].model == model && table->runs[r].statistics.evaluations > 0)
            return true;
    }
    return false;
}

// Error against work, in a panel with both axes logarithmic.
static void add_work(drawing *d, int32_t model, const char *column, const char *name,
                     const char *unit, const char *title)
{
    static const char *const titles[] = {[COMPARE_ERROR_END] = "error of q, end",
                                         [COMPARE_ERROR_WORST] = "error of q, worst",
                                         [COMPARE_ERROR_L1] = "error of q, L1"};
    plot_panel *panel = add_panel(d, title, d->table->n_schemes);
    if (!panel)
        return;
    panel->log_x = panel->log_y = true;
    panel->x_name = name;
    panel->x_unit = unit;
    panel->y_name = d->table->models[model].reference.exists ? titles[d->table->error]
                                                             : "no reference";
    for (int32_t s = 0; s < d->table->n_schemes; s++)
        add_curve(d, panel, model, s, column, compare_error_column(d->table));
}

static void add_drift(drawing *d, int32_t model)
{
    const bool steps = d->table->n_steps > 0, tolerances = !steps || count_tolerances(d->table) > 0;
    plot_panel *panel = add_panel(d, NULL, 2 * d->table->n_schemes);
    if (!panel)
        return;
    panel->log_x = panel->log_y = true;
    panel->x_name = !steps ? "tolerance" : tolerances ? "tolerance or step" : "step";
    panel->x_unit = tolerances ? "" : "s";
    panel->y_name = "|g| (line), |G v| (dashed)";
    for (int32_t s = 0; s < d->table->n_schemes; s++) {
        add_curve(d, panel, model, s, "level", "drift");
        add_curve(d, panel, model, s, "level", "velocity_drift");
        if (!d->failed)
            panel->curves[panel->n_curves - 1].dash++;
    }
}

// ---- Profile ----

static double profile_end(const cli_profile *profile)
{
    double largest = TAU_SMALLEST_END;
    for (int32_t i = 0; i < profile->n_solvers * profile->n_problems; i++) {
        if (isfinite(profile->ratio[i]))
            largest = fmax(largest, 1.2 * profile->ratio[i]);
    }
    return largest;
}

// Corners of the step function rho_s(tau).
static void add_profile_curve(drawing *d, plot_panel *panel, const cli_profile *profile, int32_t s)
{
    int32_t n = profile->n_problems, count = 0, solved = 0;
    const double *ratio = profile->ratio + (size_t)s * (size_t)n;
    double *x = take(d, 2 * (size_t)n + 2, sizeof *x), *y = take(d, 2 * (size_t)n + 2, sizeof *y);
    if (!x || !y)
        return;
    while (solved < n && ratio[solved] <= 1)
        solved++;
    x[count] = 1;
    y[count++] = (double)solved / n;
    for (; solved < n && isfinite(ratio[solved]); solved++) {
        x[count] = ratio[solved];
        y[count++] = (double)solved / n;
        x[count] = ratio[solved];
        y[count++] = (double)(solved + 1) / n;
    }
    x[count] = profile_end(profile);
    y[count++] = (double)solved / n;
    int32_t scheme = 0; // the colour is that of the scheme
    while (d->table->schemes[scheme].label != profile->names[s])
        scheme++;
    panel->curves[panel->n_curves++] = (plot_curve){
        .series = {.x = x, .y = y, .count = count, .steps = true}, // steps: no dots
        .label = "",
        .colour = (int)scheme,
        .dash = (int)scheme / COLOURS,
    };
}

static void add_profile(drawing *d, const cli_profile *profile)
{
    plot_panel *panel = add_panel(d,
                                  d->table->by_error ? "Performance profile at equal error"
                                                     : "Performance profile at equal tolerance",
                                  profile->n_solvers);
    if (!panel || profile->n_problems == 0)
        return;
    panel->log_x = panel->share_y = true;
    panel->x_name = "tau: time / time of the fastest";
    panel->y_name = "share of the problems";
    for (int32_t s = 0; s < profile->n_solvers && !d->failed; s++)
        add_profile_curve(d, panel, profile, s);
}

// ---- Drift table ----

// "3.1e-07 6.2e-16": |g| and |G v|, the worst over the models.
static void fill_drift(const compare_table *table, int32_t scheme, double level, char *text)
{
    double drift = -1, velocity = -1;
    for (int32_t m = 0; m < table->n_models; m++) {
        const compare_run *run = compare_find_run(table, m, scheme, level);
        if (!run || run->outcome != COMPARE_FINISHED)
            continue;
        drift = fmax(drift, run->statistics.worst_drift);
        velocity = fmax(velocity, run->statistics.worst_velocity_drift);
    }
    if (drift < 0)
        snprintf(text, CELL_SIZE, "\xe2\x80\x93");
    else
        snprintf(text, CELL_SIZE, "%.0e  %.0e", drift, velocity);
}

static char *cell_at(drawing *d, int32_t row, int32_t column)
{
    char **cell = &d->drifts.cells[row * d->drifts.n_columns + column];
    if (!*cell)
        *cell = take(d, CELL_SIZE, 1);
    return *cell;
}

static void add_drift_table(drawing *d)
{
    static const char title[] = "Drift |g| and |G v|, the worst over the models";
    const compare_table *table = d->table;
    int32_t tolerances = count_tolerances(table);
    int32_t levels = tolerances > table->n_steps ? tolerances : table->n_steps;
    plot_panel *panel = add_panel(d, title, table->n_schemes);
    d->drifts.n_rows = table->n_schemes + 1;
    d->drifts.n_columns = levels + 1;
    d->drifts.cells = take(d, (size_t)(d->drifts.n_rows * d->drifts.n_columns), sizeof(char *));
    if (!panel || !d->drifts.cells)
        return;
    for (int32_t i = 0; i < d->drifts.n_rows * d->drifts.n_columns; i++) {
        if (!cell_at(d, i / d->drifts.n_columns, i % d->drifts.n_columns))
            return;
    }
    for (int32_t k = 0; k < levels; k++) {
        size_t used = 0;
        char *head = cell_at(d, 0, k + 1);
        if (k < tolerances)
            used = (size_t)snprintf(head, CELL_SIZE, "tol %g", table->tolerances[k]);
        if (k < table->n_steps)
            snprintf(head + used, CELL_SIZE - used, "%sh %g", used > 0 ? ", " : "",
                     table->steps[k]);
    }
    for (int32_t s = 0; s < table->n_schemes; s++) {
        const double *of_scheme;
        int32_t count = compare_levels(table, &table->schemes[s], &of_scheme);
        snprintf(cell_at(d, s + 1, 0), CELL_SIZE, "%s", table->schemes[s].label);
        panel->curves[s] = (plot_curve){.label = "", .colour = (int)s, .dash = (int)s / COLOURS};
        for (int32_t k = 0; k < count; k++)
            fill_drift(table, s, of_scheme[k], cell_at(d, s + 1, k + 1));
    }
    d->drifts.keys = panel->curves;
    panel->table = &d->drifts;
    panel->span = GRID_COLUMNS - 1;
}

// ---- The picture ----

static void add_model(drawing *d, int32_t m)
{
    const char *title = d->table->models[m].name;
    add_work(d, m, "seconds", "CPU time", "s", title);
    if (counts_evaluations(d->table, m))
        add_work(d, m, "evaluations", "evaluations", "", NULL);
    else
        add_work(d, m, "accepted", "accepted steps", "", NULL);
    add_drift(d, m);
}

static bool make_figure(drawing *d, const cli_profile *profile)
{
    int32_t models = d->table->n_models;
    d->figure.panels = take(d, (size_t)(models * GRID_COLUMNS + 2), sizeof *d->figure.panels);
    for (int32_t m = 0; !d->failed && m < models; m++)
        add_model(d, m);
    if (!d->failed)
        add_profile(d, profile);
    if (!d->failed)
        add_drift_table(d);
    d->figure.columns = GRID_COLUMNS;
    d->figure.points = true;
    d->figure.from = d->figure.to = NAN;
    d->figure.width = WIDTH;
    d->figure.height = TITLE_HEIGHT + ROW_HEIGHT * (models + 1);
    return !d->failed;
}

static bool write_picture(pcs_context *ctx, const plot_figure *figure, const char *name,
                          const char *ending, plot_format format)
{
    char text[512];
    size_t size = strlen(name) + strlen(ending) + 1;
    char *path = malloc(size);
    const char *reason = "out of memory";
    if (path) {
        snprintf(path, size, "%s%s", name, ending);
        reason = plot_write(ctx, figure, path, format, PIXELS_IN_POINT, text, sizeof text);
    }
    if (reason)
        cli_message("%s", reason);
    free(path);
    return !reason;
}

bool compare_draw(pcs_context *ctx, const compare_table *table, const cli_profile *profile,
                  const char *name)
{
    drawing d = {.table = table};
    bool good = make_figure(&d, profile);
    if (!good)
        cli_message("out of memory");
    good = good && write_picture(ctx, &d.figure, name, ".svg", PLOT_SVG) &&
           write_picture(ctx, &d.figure, name, ".png", PLOT_PNG);
    plot_release();
    for (int32_t i = 0; i < d.n_owned; i++)
        free(d.owned[i]);
    free(d.owned);
    return good;
}
