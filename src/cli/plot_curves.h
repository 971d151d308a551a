// From results and signal paths to the panels of a figure: wildcards, reading, grouping, labels.
#ifndef PCS_CLI_PLOT_CURVES_H
#define PCS_CLI_PLOT_CURVES_H

#include "commands.h"
#include "plot_figure.h"

typedef enum plot_grouping { PLOT_PANELS_UNIT, PLOT_PANELS_ONE, PLOT_PANELS_EACH } plot_grouping;

typedef struct plot_source {
    const char *path;
    pcs_result *result;
    char *label; // in legends, if there are several results
    double *time;
    int64_t frames;
} plot_source;

// One signal argument after wildcards: y over time, or y over x.
typedef struct plot_wish {
    char *x, *y;   // x NULL: time
    char *label;   // NULL: the path
    bool optional; // from a wildcard: a result may lack it
} plot_wish;

typedef struct plot_data {
    plot_source *sources;
    int32_t n_sources;
    plot_wish *wishes;
    int32_t n_wishes, wish_room;
    plot_figure figure; // panels and curves point into what follows
    void **owned;       // all values and texts
    int32_t n_owned, owned_room;
} plot_data;

enum { PLOT_CURVES_MOST = 64 };

// Opens the results. Errors are printed; the caller frees in any case.
cli_exit plot_data_open(plot_data *data, pcs_context *ctx, char *const *paths, int32_t count);
// Adds SIGNAL[=LABEL] or X:Y[=LABEL].
cli_exit plot_data_add(plot_data *data, const char *argument);
// Reads everything and fills data->figure.panels; from and to select frames.
cli_exit plot_data_group(plot_data *data, pcs_context *ctx, plot_grouping grouping);
void plot_data_free(plot_data *data);

#endif
