// Points of a curve as they are drawn: placed in the frame (0 to 1 in both directions), clipped in
// time, expanded to steps, and thinned so that a long run costs no more than the picture can show.
#ifndef PCS_CLI_PLOT_SERIES_H
#define PCS_CLI_PLOT_SERIES_H

#include "plot_axis.h"

typedef struct plot_series {
    const double *x, *y;
    int64_t count;
    bool by_time; // x does not fall: thinned by columns, keeping the smallest and largest y of each
    bool steps;   // y holds between the point before and its own, as states over a step do
} plot_series;

typedef struct plot_points {
    double *x, *y; // from malloc; NaN in both: the line is broken here
    int64_t count, room;
} plot_points;

// `columns` and `rows` are the finest distinctions of the picture in both directions. False when
// memory is out. The caller frees the points also then.
bool plot_series_place(const plot_series *series, const plot_axis *x, const plot_axis *y,
                       double columns, double rows, plot_points *points);
void plot_points_free(plot_points *points);

#endif
