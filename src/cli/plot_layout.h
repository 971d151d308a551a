// Inside of the drawing: styles, panels with their axes and frames, legends.
#ifndef PCS_CLI_PLOT_LAYOUT_H
#define PCS_CLI_PLOT_LAYOUT_H

#include <cairo.h>

#include "plot_figure.h"

// Points; type sizes as in papers.
#define PLOT_TEXT_SIZE 8.5
#define PLOT_TITLE_SIZE 10.0

typedef struct plot_colour {
    double r, g, b;
} plot_colour;

typedef struct plot_style {
    plot_colour background, text, axis, grid;
    const plot_colour *curves;
    int n_curves;
} plot_style;

const plot_style *plot_style_of(const plot_figure *figure);
plot_colour plot_curve_colour(const plot_style *style, int index);

typedef struct plot_box {
    double x, y, width, height;
} plot_box;

// A panel with everything measured.
typedef struct plot_frame {
    const plot_panel *panel;
    plot_box box; // of the data
    double left;  // room for labels beside it
    plot_axis x, y;
    bool x_labels;       // false: the panel below has them
    plot_points *points; // of each curve
    bool empty;          // no curve has a value to draw
    bool legend_above;
    double legend_height; // if above
} plot_frame;

void plot_set_colour(cairo_t *cr, plot_colour colour);
double plot_text_width(cairo_t *cr, double size, const char *text);
// Text whose middle (align 0.5), left (0) or right (1) end is at x; its base line at y.
void plot_show_text(cairo_t *cr, double size, double align, double x, double y, const char *text);
// Cuts a text with an ellipsis so that it fits.
void plot_fit_text(cairo_t *cr, double size, double width, const char *text, char *out,
                   size_t out_size);

// plot_axes.c
void plot_axes_draw(cairo_t *cr, const plot_style *style, const plot_frame *frame);
// Room that the labels need to the left of the frame.
double plot_axes_left(cairo_t *cr, const plot_frame *frame);
// Chooses ticks whose labels do not touch each other.
plot_axis plot_axes_choose_x(cairo_t *cr, plot_range range, bool log, double length);
plot_axis plot_axes_choose_y(plot_range range, bool log, double length);

// plot_table.c
void plot_table_draw(cairo_t *cr, const plot_style *style, const plot_frame *frame);

// plot_legend.c
bool plot_legend_is_needed(const plot_panel *panel);
// Height of the legend above a frame of this width.
double plot_legend_height(cairo_t *cr, const plot_panel *panel, double width);
// Finds a place inside that covers no data; false if there is none.
bool plot_legend_find(cairo_t *cr, const plot_frame *frame, plot_box *place);
void plot_legend_draw_inside(cairo_t *cr, const plot_style *style, const plot_frame *frame,
                             plot_box place);
void plot_legend_draw_above(cairo_t *cr, const plot_style *style, const plot_frame *frame);
// The line of a curve, for the legend and for the data.
void plot_set_line(cairo_t *cr, const plot_style *style, const plot_curve *curve);

#endif
