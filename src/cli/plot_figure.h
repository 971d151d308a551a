// What a plot shows: curves in panels. Made by cmd_plot.c and compare_figure.c, drawn
// by plot_draw.c.
#ifndef PCS_CLI_PLOT_FIGURE_H
#define PCS_CLI_PLOT_FIGURE_H

#include "plot_series.h"

typedef struct plot_curve {
    plot_series series;
    const char *label; // in the legend
    int colour, dash;
} plot_curve;

// Texts in rows and columns; the first row has the heads, the first column the names.
typedef struct plot_table {
    char **cells; // n_rows x n_columns
    int32_t n_rows, n_columns;
    const plot_curve *keys; // of the rows below the heads: a line before the name, as in a legend
} plot_table;

typedef struct plot_panel {
    const char *title;       // above the frame; NULL: none
    const plot_table *table; // drawn instead of axes and curves; NULL: none
    int32_t span;            // columns of the figure that it takes; 0 counts as 1
    bool log_x, log_y;       // beside those of the figure
    bool share_y;            // y goes from 0 to 1
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
    int32_t columns;      // panels in a row; 0: all, or one if there is a time axis
    const char *title;    // NULL: none
    double width, height; // points, 1/72 inch
    double from, to;      // time axis; NaN: from the data
    bool dark, points, log_x, log_y, equal;
} plot_figure;

#endif
