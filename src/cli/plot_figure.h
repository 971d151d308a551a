// What a plot shows: curves in panels. Made by cmd_plot.c, drawn by plot_draw.c.
#ifndef PCS_CLI_PLOT_FIGURE_H
#define PCS_CLI_PLOT_FIGURE_H

#include "plot_series.h"

typedef struct plot_curve {
    plot_series series;
    const char *label; // in the legend
    int colour, dash;
} plot_curve;

typedef struct plot_panel {
    plot_curve *curves;
    int32_t n_curves;
    bool by_time;                // shares its x axis with the panels above and below
    bool states;                 // y has the states of contacts
    const char *x_name, *y_name; // "" if the legend says it all
    const char *x_unit, *y_unit; // "" without
} plot_panel;

typedef struct plot_figure {
    plot_panel *panels;
    int32_t n_panels;
    const char *title;    // NULL: none
    double width, height; // points, 1/72 inch
    double from, to;      // time axis; NaN: from the data
    bool dark, points, log_x, log_y, equal;
} plot_figure;

#endif
