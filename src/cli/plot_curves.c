#include "plot_curves.h"

#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "plot_impacts.h"
#include "plot_units.h"

enum { PATH_LONGEST = 256 };

static cli_exit no_memory(void)
{
    cli_message("out of memory");
    return CLI_EXIT_FAILED;
}

// ---- What is owned ----

static void *own(plot_data *data, void *block)
{
    if (block && data->n_owned == data->owned_room) {
        int32_t room = 2 * data->owned_room + 64;
        void **list = realloc(data->owned, (size_t)room * sizeof *list);
        if (!list) {
            free(block);
            return NULL;
        }
        data->owned = list;
        data->owned_room = room;
    }
    if (block)
        data->owned[data->n_owned++] = block;
    return block;
}

static char *own_text(plot_data *data, const char *text)
{
    char *copy = own(data, malloc(strlen(text) + 1));
    if (copy)
        memcpy(copy, text, strlen(text) + 1);
    return copy;
}

void plot_data_free(plot_data *data)
{
    for (int32_t p = 0; p < data->figure.n_panels; p++)
        free(data->figure.panels[p].curves);
    free(data->figure.panels);
    for (int32_t s = 0; s < data->n_sources; s++)
        pcs_result_destroy(data->sources[s].result);
    for (int32_t i = 0; i < data->n_owned; i++)
        free(data->owned[i]);
    free(data->owned);
    free(data->wishes);
    free(data->sources);
    *data = (plot_data){0};
}

// ---- Results ----

// The file's name without folder and ending.
static void short_name(const char *path, char *name, size_t size)
{
    const char *slash = strrchr(path, '/');
    snprintf(name, size, "%s", slash ? slash + 1 : path);
    char *dot = strrchr(name, '.');
    if (dot && dot != name && (strcmp(dot, ".h5") == 0 || strcmp(dot, ".hdf5") == 0))
        *dot = '\0';
}

// Titles tell results apart if they differ and are there, otherwise file names, last whole paths.
static cli_exit label_sources(plot_data *data)
{
    for (int kind = 0; kind < 3; kind++) {
        bool distinct = true;
        for (int32_t s = 0; s < data->n_sources; s++) {
            char text[PATH_LONGEST];
            plot_source *source = &data->sources[s];
            snprintf(text, sizeof text, "%s",
                     kind == 0 ? pcs_result_title(source->result) : source->path);
            if (kind == 1)
                short_name(source->path, text, sizeof text);
            source->label = own_text(data, text);
            if (!source->label)
                return no_memory();
            distinct = distinct && *text;
            for (int32_t k = 0; k < s; k++)
                distinct = distinct && strcmp(data->sources[k].label, text) != 0;
        }
        if (distinct)
            break;
    }
    return CLI_EXIT_OK;
}

static double *read_values(plot_data *data, plot_source *source, const char *path,
                           pcs_status *status)
{
    double *values = own(data, malloc((size_t)(source->frames + 1) * sizeof *values));
    *status = values ? pcs_result_signal(source->result, path, values) : PCS_ERROR_MEMORY;
    return *status >= 0 ? values : NULL;
}

cli_exit plot_data_open(plot_data *data, pcs_context *ctx, char *const *paths, int32_t count)
{
    data->sources = calloc((size_t)count, sizeof *data->sources);
    if (!data->sources)
        return no_memory();
    bool any = false;
    for (int32_t s = 0; s < count; s++) {
        plot_source *source = &data->sources[data->n_sources];
        source->path = paths[s];
        pcs_status status = pcs_result_open(ctx, paths[s], &source->result);
        if (status < 0)
            return cli_input_error(ctx, status);
        data->n_sources++;
        source->frames = pcs_result_frames(source->result);
        source->time = read_values(data, source, "time", &status);
        if (status < 0)
            return source->time ? cli_input_error(ctx, status) : no_memory();
        any = any || source->frames > 0;
        if (source->frames == 0 && count > 1)
            cli_message("warning: %s has no frames", paths[s]);
    }
    if (!any) {
        cli_message("%s: the result has no frames, there is nothing to draw", paths[0]);
        return CLI_EXIT_BAD_INPUT;
    }
    return label_sources(data);
}

// ---- Signals ----

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static cli_exit add_wish(plot_data *data, const char *x, const char *y, const char *label,
                         bool optional)
{
    for (int32_t w = 0; w < data->n_wishes; w++)
        if (same_text(data->wishes[w].x, x) && same_text(data->wishes[w].y, y))
            return CLI_EXIT_OK;
    if ((data->n_wishes + 1) * data->n_sources > PLOT_CURVES_MOST) {
        cli_message("more than %d curves cannot be told apart; name fewer signals or results",
                    (int)PLOT_CURVES_MOST);
        return CLI_EXIT_BAD_INPUT;
    }
    if (data->n_wishes == data->wish_room) {
        int32_t room = 2 * data->wish_room + 16;
        plot_wish *list = realloc(data->wishes, (size_t)room * sizeof *list);
        if (!list)
            return no_memory();
        data->wishes = list;
        data->wish_room = room;
    }
    plot_wish wish = {.optional = optional};
    wish.x = x ? own_text(data, x) : NULL;
    wish.y = own_text(data, y);
    wish.label = label ? own_text(data, label) : NULL;
    if ((x && !wish.x) || !wish.y || (label && !wish.label))
        return no_memory();
    data->wishes[data->n_wishes++] = wish;
    return CLI_EXIT_OK;
}

// Impacts are no signal of the file: a pattern must ask for them.
static cli_exit add_impacts(plot_data *data, const char *pattern, int32_t s, int32_t *found)
{
    char path[PATH_LONGEST];
    const char *end = strrchr(pattern, '.');
    const pcs_result *result = data->sources[s].result;
    for (int32_t i = 0; end && i < pcs_result_contact_count(result); i++) {
        snprintf(path, sizeof path, "contact.%s.impact", pcs_result_contact_name(result, i));
        if (strcmp(end, ".impact") != 0 || fnmatch(pattern, path, 0) != 0)
            continue;
        ++*found;
        cli_exit code = add_wish(data, NULL, path, NULL, true);
        if (code != CLI_EXIT_OK)
            return code;
    }
    return CLI_EXIT_OK;
}

static cli_exit add_matches(plot_data *data, const char *x, const char *pattern)
{
    int32_t found = 0;
    for (int32_t s = 0; s < data->n_sources; s++) {
        char path[PATH_LONGEST];
        for (int32_t i = 0; pcs_result_signal_path(data->sources[s].result, i, path, sizeof path);
             i++) {
            if (fnmatch(pattern, path, 0) != 0 || (!x && strcmp(path, "time") == 0))
                continue;
            found++;
            cli_exit code = add_wish(data, x, path, NULL, true);
            if (code != CLI_EXIT_OK)
                return code;
        }
        cli_exit code = x ? CLI_EXIT_OK : add_impacts(data, pattern, s, &found);
        if (code != CLI_EXIT_OK)
            return code;
    }
    if (found > 0)
        return CLI_EXIT_OK;
    cli_message("no signal fits '%s'; percuss info %s --signals lists all", pattern,
                data->sources[0].path);
    return CLI_EXIT_BAD_INPUT;
}

cli_exit plot_data_add(plot_data *data, const char *argument)
{
    char text[2 * PATH_LONGEST];
    if (strlen(argument) >= sizeof text) {
        cli_message("a signal of %zu characters is too long", strlen(argument));
        return CLI_EXIT_BAD_INPUT;
    }
    snprintf(text, sizeof text, "%s", argument);
    char *label = strchr(text, '=');
    if (label)
        *label++ = '\0';
    char *x = NULL, *y = text, *colon = strchr(text, ':');
    if (colon) {
        *colon = '\0';
        x = text;
        y = colon + 1;
    }
    if (!*y || (x && !*x) || strchr(y, ':')) {
        cli_message(
            "'%s': a signal is PATH or, for a phase plot, X:Y, with =LABEL behind if wanted",
            argument);
        return CLI_EXIT_BAD_INPUT;
    }
    if (x && strpbrk(x, "*?[")) {
        cli_message("'%s': wildcards may stand in the second path of a phase plot alone", argument);
        return CLI_EXIT_BAD_INPUT;
    }
    if (x && strcmp(x, "time") == 0)
        x = NULL;
    if (!strpbrk(y, "*?["))
        return add_wish(data, x, y, label, false);
    if (label) {
        cli_message("'%s': a label needs one signal, not a wildcard", argument);
        return CLI_EXIT_BAD_INPUT;
    }
    return add_matches(data, x, y);
}

// ---- Panels ----

static const char *unit_of(const plot_data *data, const char *path)
{
    return path ? plot_signal_unit(data->sources[0].result, path) : "s";
}

// The part of a path that says what is measured: "position" in body.ball.position.x.
static size_t find_quantity(const char *path, const char **word)
{
    const char *parts[8] = {path};
    int n = 1;
    for (const char *dot = strchr(path, '.'); dot && n < 8; dot = strchr(dot + 1, '.'))
        parts[n++] = dot + 1;
    bool contact = strncmp(path, "contact.", 8) == 0;
    bool scalar = strcmp(parts[n - 1], "gap") == 0 || strcmp(parts[n - 1], "state") == 0 ||
                  strcmp(parts[n - 1], "impact") == 0;
    int k = n < 3 ? 0 : contact ? n - (scalar ? 1 : 2) : 2;
    *word = parts[k];
    return strcspn(parts[k], ".");
}

static bool same_quantity(const char *a, const char *b)
{
    const char *word_a, *word_b;
    size_t length_a = find_quantity(a, &word_a), length_b = find_quantity(b, &word_b);
    return length_a == length_b && strncmp(word_a, word_b, length_a) == 0;
}

// A name for a panel with several signals of one unit.
static const char *quantity_name(const char *unit)
{
    static const char *const names[][2] = {
        {"m", "length"},
        {"rad", "angle"},
        {"m/s", "velocity"},
        {"rad/s", "angular velocity"},
        {"N", "force"},
        {"N m", "torque"},
        {"N s", "impulse"},
        {"J", "energy"},
        {"s", "time"},
        {"state", "state"},
        {"N m s", "angular impulse"},
    };
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (strcmp(names[k][0], unit) == 0)
            return names[k][1];
    return "";
}

static bool belongs(const plot_data *data, plot_grouping grouping, const plot_wish *first,
                    const plot_wish *wish)
{
    if (grouping == PLOT_PANELS_EACH || !first->x != !wish->x)
        return false;
    return grouping == PLOT_PANELS_ONE ||
           (strcmp(unit_of(data, first->x), unit_of(data, wish->x)) == 0 &&
            strcmp(unit_of(data, first->y), unit_of(data, wish->y)) == 0);
}

typedef struct group {
    int32_t wishes[PLOT_CURVES_MOST];
    int32_t count;
    bool same_x, same_unit, same_x_unit;
} group;

static group collect(const plot_data *data, plot_grouping grouping, int32_t first, bool *taken)
{
    group g = {.same_x = true, .same_unit = true, .same_x_unit = true};
    const plot_wish *one = &data->wishes[first];
    for (int32_t w = first; w < data->n_wishes; w++) {
        const plot_wish *wish = &data->wishes[w];
        if (taken[w] || (w != first && !belongs(data, grouping, one, wish)))
            continue;
        taken[w] = true;
        g.wishes[g.count++] = w;
        g.same_x = g.same_x && same_text(one->x, wish->x);
        g.same_unit = g.same_unit && strcmp(unit_of(data, one->y), unit_of(data, wish->y)) == 0;
        g.same_x_unit = g.same_x_unit && strcmp(unit_of(data, one->x), unit_of(data, wish->x)) == 0;
    }
    return g;
}

// "signal (unit), result", of which only what tells the curves of the panel apart.
static char *curve_label(plot_data *data, const group *g, const plot_wish *wish,
                         const plot_source *source)
{
    char signal[3 * PATH_LONGEST] = "", text[4 * PATH_LONGEST];
    const char *unit = unit_of(data, wish->y);
    if (g->count > 1 && wish->label)
        snprintf(signal, sizeof signal, "%s", wish->label);
    else if (g->count > 1 && wish->x && !g->same_x)
        snprintf(signal, sizeof signal, "%s over %s", wish->y, wish->x);
    else if (g->count > 1)
        snprintf(signal, sizeof signal, "%s", wish->y);
    if (g->count > 1 && !g->same_unit && *unit && strcmp(unit, "state") != 0) {
        size_t used = strlen(signal);
        snprintf(signal + used, sizeof signal - used, " (%s)", unit);
    }
    bool several = data->n_sources > 1;
    snprintf(text, sizeof text, "%s%s%s", signal, *signal && several ? ", " : "",
             several ? source->label : "");
    return own_text(data, text);
}

// Frames of a source within the window; phase plots show these alone.
static void select_frames(const plot_data *data, const plot_source *source, int64_t *first,
                          int64_t *count)
{
    double from = data->figure.from, to = data->figure.to;
    int64_t end = source->frames;
    *first = 0;
    while (*first < end && !isnan(from) && !(source->time[*first] >= from))
        ++*first;
    while (end > *first && !isnan(to) && !(source->time[end - 1] <= to))
        end--;
    *count = end - *first;
}

// Stems over time, one for each impact.
static pcs_status read_stems(plot_data *data, plot_source *source, int32_t contact,
                             plot_series *series)
{
    double *x, *y;
    pcs_status status = plot_impacts_read(source->result, contact, &x, &y, &series->count);
    if (status < 0)
        return status;
    series->x = own(data, x);
    series->y = own(data, y);
    series->by_time = true;
    return series->x && series->y ? PCS_OK : PCS_ERROR_MEMORY;
}

static bool has_values(const double *values, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        if (isfinite(values[i]))
            return true;
    return false;
}

static cli_exit add_curve(plot_data *data, pcs_context *ctx, const group *g, int32_t w, int32_t s,
                          plot_panel *panel)
{
    const plot_wish *wish = &data->wishes[g->wishes[w]];
    plot_source *source = &data->sources[s];
    const int32_t impacts = wish->x ? -1 : plot_impacts_contact(source->result, wish->y);
    plot_series series = {.x = source->time, .count = source->frames, .by_time = !wish->x};
    pcs_status status = PCS_OK;
    if (impacts >= 0)
        status = read_stems(data, source, impacts, &series);
    else
        series.y = read_values(data, source, wish->y, &status);
    if (series.y && wish->x)
        series.x = read_values(data, source, wish->x, &status);
    if (status == PCS_ERROR_INPUT && wish->optional && data->n_sources > 1)
        return CLI_EXIT_OK;
    if (status < 0)
        return status == PCS_ERROR_MEMORY ? no_memory() : cli_input_error(ctx, status);
    if (!has_values(series.y, series.count) && source->frames > 0)
        cli_message("warning: %s: %s has no %s", source->path, wish->y,
                    impacts >= 0 ? "impacts" : "finite value");
    int64_t first = 0;
    if (wish->x)
        select_frames(data, source, &first, &series.count);
    series.x += first;
    series.y += first;
    series.steps = !wish->x && strcmp(unit_of(data, wish->y), "state") == 0;
    plot_curve *curve = &panel->curves[panel->n_curves++];
    curve->series = series;
    // One signal: results have colours. Several: signals have colours, results have dashes.
    curve->colour = g->count > 1 ? w : s;
    curve->dash = g->count > 1 && data->n_sources > 1 ? s : curve->colour / 7;
    curve->label = curve_label(data, g, wish, source);
    return curve->label ? CLI_EXIT_OK : no_memory();
}

// What the y axis shows: the signal, or what the signals have in common.
static const char *name_of_y(plot_data *data, const group *g)
{
    const plot_wish *first = &data->wishes[g->wishes[0]];
    const char *word = NULL;
    bool same = g->same_unit;
    if (g->count == 1)
        return first->label ? first->label : first->y;
    for (int32_t w = 1; same && w < g->count; w++)
        same = same_quantity(first->y, data->wishes[g->wishes[w]].y);
    if (!same)
        return g->same_unit ? quantity_name(unit_of(data, first->y)) : "";
    size_t length = find_quantity(first->y, &word);
    char *name = own_text(data, word);
    if (!name)
        return "";
    name[length] = '\0';
    for (char *c = name; *c; c++)
        *c = *c == '_' ? ' ' : *c;
    return name;
}

static void name_axes(plot_data *data, const group *g, plot_panel *panel)
{
    const plot_wish *first = &data->wishes[g->wishes[0]];
    const char *x_unit = unit_of(data, first->x), *y_unit = unit_of(data, first->y);
    panel->by_time = !first->x;
    panel->states = g->same_unit && panel->by_time && strcmp(y_unit, "state") == 0;
    panel->y_unit = g->same_unit && strcmp(y_unit, "state") != 0 ? y_unit : "";
    panel->x_unit = g->same_x_unit && strcmp(x_unit, "state") != 0 ? x_unit : "";
    panel->y_name = name_of_y(data, g);
    panel->x_name = !first->x ? "time" : g->same_x ? first->x : quantity_name(x_unit);
}

cli_exit plot_data_group(plot_data *data, pcs_context *ctx, plot_grouping grouping)
{
    bool taken[PLOT_CURVES_MOST] = {false};
    plot_figure *figure = &data->figure;
    figure->panels = calloc((size_t)data->n_wishes, sizeof *figure->panels);
    if (!figure->panels)
        return no_memory();
    for (int32_t first = 0; first < data->n_wishes; first++) {
        if (taken[first])
            continue;
        group g = collect(data, grouping, first, taken);
        plot_panel *panel = &figure->panels[figure->n_panels++];
        panel->curves = calloc((size_t)(g.count * data->n_sources), sizeof *panel->curves);
        if (!panel->curves)
            return no_memory();
        name_axes(data, &g, panel);
        for (int32_t w = 0; w < g.count; w++)
            for (int32_t s = 0; s < data->n_sources; s++) {
                cli_exit code = add_curve(data, ctx, &g, w, s, panel);
                if (code != CLI_EXIT_OK)
                    return code;
            }
    }
    return CLI_EXIT_OK;
}
