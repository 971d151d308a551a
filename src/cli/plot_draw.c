// Layout of a figure: panels one below the other (phase plots alone: side by side or in a grid),
// time axes in common, legends where they cover no data.
#include "plot_draw.h"

#ifdef PERCUSS_HAVE_CAIRO
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plot_output.h"

// Points. PANEL_GAP separates stacked panels, X_ROOM has tick labels and the title below a frame.
static const double MARGIN = 7, PANEL_GAP = 9, X_ROOM = 6 + 2.6 * PLOT_TEXT_SIZE, TITLE_ROOM = 18;
static const double PANEL_TITLE_ROOM = 1.8 * PLOT_TEXT_SIZE;
// Finest distinctions in a point: half a line's width along time, less in phase plots.
static const double COLUMNS_IN_POINT = 2, CELLS_IN_POINT = 4;

// ---- Styles ----

// Okabe and Ito's colours, told apart by colour-blind readers, in an order that suits the ground.
static const plot_colour on_light[] = {
    {0, 0.447, 0.698}, {0.835, 0.369, 0},     {0, 0.620, 0.451}, {0.800, 0.475, 0.655},
    {0.902, 0.624, 0}, {0.337, 0.706, 0.914}, {0, 0, 0},
};
static const plot_colour on_dark[] = {
    {0.337, 0.706, 0.914}, {0.902, 0.624, 0},  {0.10, 0.76, 0.58}, {0.88, 0.56, 0.74},
    {0.941, 0.894, 0.259}, {0.93, 0.45, 0.15}, {0.92, 0.92, 0.92},
};
static const plot_style light = {{1, 1, 1},          {0.13, 0.13, 0.13}, {0.35, 0.35, 0.35},
                                 {0.88, 0.88, 0.88}, on_light,           7};
static const plot_style dark = {
    {0.086, 0.098, 0.122}, {0.87, 0.88, 0.90}, {0.60, 0.62, 0.66}, {0.20, 0.22, 0.26}, on_dark, 7};

const plot_style *plot_style_of(const plot_figure *figure)
{
    return figure->dark ? &dark : &light;
}

plot_colour plot_curve_colour(const plot_style *style, int index)
{
    return style->curves[index % style->n_curves];
}

void plot_set_colour(cairo_t *cr, plot_colour colour)
{
    cairo_set_source_rgb(cr, colour.r, colour.g, colour.b);
}

// ---- Text ----

static void set_font(cairo_t *cr, double size)
{
    cairo_select_font_face(cr, "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(cr, size);
}

double plot_text_width(cairo_t *cr, double size, const char *text)
{
    cairo_text_extents_t extents;
    set_font(cr, size);
    cairo_text_extents(cr, text, &extents);
    return extents.x_advance;
}

void plot_show_text(cairo_t *cr, double size, double align, double x, double y, const char *text)
{
    double width = plot_text_width(cr, size, text);
    cairo_move_to(cr, x - align * width, y);
    cairo_show_text(cr, text);
    cairo_new_path(cr);
}

void plot_fit_text(cairo_t *cr, double size, double width, const char *text, char *out,
                   size_t out_size)
{
    static const char ellipsis[] = "\xe2\x80\xa6";
    size_t length = strlen(text), most = out_size - sizeof ellipsis;
    bool cut = length > most;
    length = cut ? most : length;
    for (;;) {
        while (cut && length > 0 && ((unsigned char)text[length] & 0xc0) == 0x80)
            length--; // not inside a character
        snprintf(out, out_size, "%.*s%s", (int)length, text, cut ? ellipsis : "");
        if (length == 0 || plot_text_width(cr, size, out) <= width)
            return;
        cut = true;
        length--;
    }
}

// ---- Ranges ----

static plot_range time_range(const plot_figure *figure)
{
    plot_range range = plot_range_empty();
    for (int32_t p = 0; p < figure->n_panels; p++)
        for (int32_t c = 0; figure->panels[p].by_time && c < figure->panels[p].n_curves; c++) {
            const plot_series *s = &figure->panels[p].curves[c].series;
            for (int64_t i = 0; i < s->count; i++)
                plot_range_add(&range, s->x[i], figure->log_x);
        }
    if (!isnan(figure->from))
        range.lo = figure->from;
    if (!isnan(figure->to))
        range.hi = figure->to;
    return plot_range_widen(range, 0, figure->log_x);
}

static plot_range value_range(const plot_panel *panel, bool of_x, bool log, plot_range window)
{
    plot_range range = plot_range_empty();
    for (int32_t c = 0; c < panel->n_curves; c++) {
        const plot_series *s = &panel->curves[c].series;
        for (int64_t i = 0; i < s->count; i++) {
            bool inside = !panel->by_time || (s->x[i] >= window.lo && s->x[i] <= window.hi);
            if (inside && isfinite(s->x[i]) && isfinite(s->y[i]))
                plot_range_add(&range, of_x ? s->x[i] : s->y[i], log);
        }
    }
    return range;
}

static void make_equal(plot_range *x, plot_range *y, const plot_box *box)
{
    double unit_x = (x->hi - x->lo) / box->width, unit_y = (y->hi - y->lo) / box->height;
    plot_range *smaller = unit_x < unit_y ? x : y;
    double length = unit_x < unit_y ? unit_y * box->width : unit_x * box->height;
    double more = (length - (smaller->hi - smaller->lo)) / 2;
    smaller->lo -= more;
    smaller->hi += more;
}

// ---- Layout ----

typedef struct layout {
    const plot_figure *figure;
    plot_frame *frames;
    plot_range window; // of the time axis
    bool side_by_side;
} layout;

static void choose_axes(cairo_t *cr, const layout *lay, plot_frame *frame)
{
    const plot_figure *figure = lay->figure;
    const plot_panel *panel = frame->panel;
    bool log_x = figure->log_x || panel->log_x, log_y = figure->log_y || panel->log_y;
    plot_range y = value_range(panel, false, log_y, lay->window);
    plot_range x = lay->window;
    frame->empty = plot_range_is_empty(y);
    if (!panel->by_time)
        x = plot_range_widen(value_range(panel, true, log_x, x), 0.04, log_x);
    if (panel->states) {
        frame->y = plot_axis_whole((plot_range){-0.3, y.hi > 2 ? 3.3 : 2.3});
    } else {
        y = panel->share_y ? (plot_range){-0.02, 1.02} : plot_range_widen(y, 0.05, log_y);
        if (figure->equal && !panel->by_time && !log_x && !log_y)
            make_equal(&x, &y, &frame->box);
        frame->y = plot_axes_choose_y(y, log_y, frame->box.height);
    }
    frame->x = plot_axes_choose_x(cr, x, log_x, frame->box.width);
}

static double top_of(const layout *lay)
{
    return MARGIN + (lay->figure->title ? TITLE_ROOM : 0);
}

// Boxes for a given room at the left of each.
static void stack(const layout *lay, double left)
{
    const plot_figure *figure = lay->figure;
    double free_height = figure->height - top_of(lay) - MARGIN, y = top_of(lay);
    int32_t n = figure->n_panels;
    for (int32_t p = 0; p < n; p++)
        free_height -= lay->frames[p].legend_height + (lay->frames[p].x_labels ? X_ROOM : 0) +
                       (p + 1 < n ? PANEL_GAP : 0);
    for (int32_t p = 0; p < n; p++) {
        plot_frame *frame = &lay->frames[p];
        y += frame->legend_height;
        frame->box = (plot_box){left, y, figure->width - left - 2 * MARGIN,
                                fmax(free_height / n, 1)};
        frame->box.width = fmax(frame->box.width, 1);
        y += frame->box.height + PANEL_GAP + (frame->x_labels ? X_ROOM : 0);
    }
}

// Where panel p begins in a grid: its column, and the row it is in.
static int32_t find_cell(const plot_figure *figure, int32_t p, int32_t *row)
{
    int32_t columns = figure->columns > 0 ? figure->columns : figure->n_panels, next = 0;
    *row = 0;
    for (int32_t i = 0;; i++) {
        int32_t span = figure->panels[i].span > 1 ? figure->panels[i].span : 1;
        if (next > 0 && next + span > columns) {
            next = 0;
            ++*row;
        }
        if (i == p)
            return next;
        next += span;
    }
}

// Legends and titles above the panels of a row.
static double room_above(const layout *lay, int32_t row)
{
    const plot_figure *figure = lay->figure;
    double above = 0;
    for (int32_t p = 0; p < figure->n_panels; p++) {
        int32_t own;
        find_cell(figure, p, &own);
        double title = figure->panels[p].title ? PANEL_TITLE_ROOM : 0;
        if (own == row)
            above = fmax(above, lay->frames[p].legend_height + title);
    }
    return above;
}

static void put_side_by_side(const layout *lay, double left)
{
    const plot_figure *figure = lay->figure;
    int32_t columns = figure->columns > 0 ? figure->columns : figure->n_panels, last;
    double width = (figure->width - MARGIN) / columns;
    find_cell(figure, figure->n_panels - 1, &last);
    double height = (figure->height - top_of(lay) - MARGIN) / (last + 1);
    for (int32_t p = 0; p < figure->n_panels; p++) {
        int32_t row, column = find_cell(figure, p, &row);
        int32_t span = figure->panels[p].span > 1 ? figure->panels[p].span : 1;
        double above = room_above(lay, row);
        double x = column * width + left, y = top_of(lay) + row * height + above;
        lay->frames[p].box = (plot_box){x, y, fmax(span * width - left - MARGIN, 1),
                                        fmax(height - above - X_ROOM, 1)};
    }
}

static void arrange(cairo_t *cr, const layout *lay)
{
    double left = 40;
    for (int pass = 0; pass < 3; pass++) { // the labels need room, which changes the ticks
        double wanted = 0;
        if (lay->side_by_side)
            put_side_by_side(lay, left);
        else
            stack(lay, left);
        for (int32_t p = 0; p < lay->figure->n_panels; p++) {
            if (lay->figure->panels[p].table)
                continue;
            choose_axes(cr, lay, &lay->frames[p]);
            wanted = fmax(wanted, plot_axes_left(cr, &lay->frames[p]) + MARGIN);
        }
        for (int32_t p = 0; p < lay->figure->n_panels; p++)
            lay->frames[p].left = left - MARGIN;
        if (wanted <= left && wanted > left - 1)
            break;
        left = pass < 2 ? wanted : left;
    }
}

static bool place_points(const layout *lay, plot_frame *frame)
{
    for (int32_t c = 0; c < frame->panel->n_curves; c++) {
        double fine = frame->panel->by_time ? COLUMNS_IN_POINT : CELLS_IN_POINT;
        plot_points_free(&frame->points[c]);
        if (!plot_series_place(&frame->panel->curves[c].series, &frame->x, &frame->y,
                               fine * frame->box.width, fine * frame->box.height,
                               &frame->points[c]))
            return false;
    }
    (void)lay;
    return true;
}

// Legends that find no free place inside go above; that moves the frames, so look again.
static bool settle(cairo_t *cr, const layout *lay, plot_box *legends)
{
    bool moved = true;
    for (int pass = 0; pass < 4 && moved; pass++) {
        moved = false;
        arrange(cr, lay);
        for (int32_t p = 0; p < lay->figure->n_panels; p++) {
            plot_frame *frame = &lay->frames[p];
            if (!place_points(lay, frame))
                return false;
            if (!plot_legend_is_needed(frame->panel))
                continue;
            if (!frame->legend_above && !plot_legend_find(cr, frame, &legends[p])) {
                frame->legend_above = true;
                moved = true;
            }
            if (frame->legend_above) {
                double height = plot_legend_height(cr, frame->panel, frame->box.width);
                moved = moved || height != frame->legend_height;
                frame->legend_height = height;
            }
        }
    }
    return true;
}

// ---- Drawing ----

static void draw_dot(cairo_t *cr, double x, double y)
{
    cairo_new_sub_path(cr);
    cairo_arc(cr, x, y, 1.4, 0, 2 * acos(-1.0));
}

// Where --from or --to cut a line, its end is no stored frame.
static bool is_cut(const plot_figure *figure, double x)
{
    return (x == 0 && !isnan(figure->from)) || (x == 1 && !isnan(figure->to));
}

static void draw_curve(cairo_t *cr, const plot_figure *figure, const plot_frame *frame, int32_t c)
{
    const plot_style *style = plot_style_of(figure);
    const plot_points *p = &frame->points[c];
    const plot_box *b = &frame->box;
    const plot_curve *curve = &frame->panel->curves[c];
    plot_set_line(cr, style, curve);
    for (int64_t i = 0; i < p->count; i++) {
        if (isnan(p->x[i]))
            continue;
        double x = b->x + p->x[i] * b->width, y = b->y + (1 - p->y[i]) * b->height;
        if (i == 0 || isnan(p->x[i - 1]))
            cairo_move_to(cr, x, y);
        else
            cairo_line_to(cr, x, y);
    }
    cairo_stroke(cr);
    for (int64_t i = 0; i < p->count; i++) {
        bool alone = (i == 0 || isnan(p->x[i - 1])) && (i + 1 == p->count || isnan(p->x[i + 1]));
        if (!isnan(p->x[i]) &&
            (alone || (figure->points && !curve->series.steps && !is_cut(figure, p->x[i]))))
            draw_dot(cr, b->x + p->x[i] * b->width, b->y + (1 - p->y[i]) * b->height);
    }
    cairo_fill(cr);
    cairo_set_dash(cr, NULL, 0, 0);
}

static void draw_frame(cairo_t *cr, const layout *lay, const plot_frame *frame, plot_box legend)
{
    const plot_style *style = plot_style_of(lay->figure);
    const plot_box *b = &frame->box;
    plot_set_colour(cr, style->text);
    if (frame->panel->title)
        plot_show_text(cr, PLOT_TEXT_SIZE, 0, b->x,
                       b->y - frame->legend_height - 0.6 * PLOT_TEXT_SIZE, frame->panel->title);
    if (frame->panel->table) {
        plot_table_draw(cr, style, frame);
        return;
    }
    plot_axes_draw(cr, style, frame);
    cairo_save(cr);
    // Half a line more, so that lines along the frame are not halved.
    cairo_rectangle(cr, b->x - 0.5, b->y - 0.5, b->width + 1, b->height + 1);
    cairo_clip(cr);
    for (int32_t c = frame->panel->n_curves; c-- > 0;) // the first on top
        draw_curve(cr, lay->figure, frame, c);
    cairo_restore(cr);
    plot_set_colour(cr, style->text);
    if (frame->empty)
        plot_show_text(cr, PLOT_TEXT_SIZE, 0.5, b->x + b->width / 2, b->y + b->height / 2,
                       frame->y.log ? "no values above zero" : "no values");
    if (!plot_legend_is_needed(frame->panel))
        return;
    if (frame->legend_above)
        plot_legend_draw_above(cr, style, frame);
    else
        plot_legend_draw_inside(cr, style, frame, legend);
}

static void draw_title(cairo_t *cr, const layout *lay)
{
    const plot_figure *figure = lay->figure;
    const plot_box *b = &lay->frames[0].box;
    double right = figure->width - 2 * MARGIN;
    char text[320];
    if (!figure->title)
        return;
    plot_set_colour(cr, plot_style_of(figure)->text);
    plot_fit_text(cr, PLOT_TITLE_SIZE, figure->width - 2 * MARGIN, figure->title, text,
                  sizeof text);
    // Above the middle of the frames, but not beyond the edge of the picture.
    double half = plot_text_width(cr, PLOT_TITLE_SIZE, text) / 2, x = (b->x + right) / 2;
    x = fmax(fmin(x, figure->width - MARGIN - half), MARGIN + half);
    plot_show_text(cr, PLOT_TITLE_SIZE, 0.5, x, MARGIN + 0.9 * PLOT_TITLE_SIZE, text);
}

static void init_layout(layout *lay)
{
    const plot_figure *figure = lay->figure;
    lay->side_by_side = figure->n_panels > 1 || figure->columns > 0;
    for (int32_t p = 0; p < figure->n_panels; p++) {
        plot_frame *frame = &lay->frames[p];
        frame->panel = &figure->panels[p];
        lay->side_by_side = lay->side_by_side && !frame->panel->by_time;
        bool next_has = p + 1 < figure->n_panels && figure->panels[p + 1].by_time;
        frame->x_labels = !frame->panel->by_time || !next_has;
    }
    lay->window = time_range(figure);
}

bool plot_draw(cairo_t *cr, const plot_figure *figure)
{
    int32_t n = figure->n_panels;
    layout lay = {.figure = figure};
    plot_box *legends = calloc((size_t)n, sizeof *legends);
    bool ok = legends && (lay.frames = calloc((size_t)n, sizeof *lay.frames));
    for (int32_t p = 0; ok && p < n; p++) {
        lay.frames[p].points = calloc((size_t)figure->panels[p].n_curves + 1, sizeof(plot_points));
        ok = lay.frames[p].points;
    }
    if (ok) {
        cairo_font_options_t *options = cairo_font_options_create();
        cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
        cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
        cairo_set_font_options(cr, options);
        cairo_font_options_destroy(options);
        init_layout(&lay);
        ok = settle(cr, &lay, legends);
    }
    if (ok) {
        plot_set_colour(cr, plot_style_of(figure)->background);
        cairo_paint(cr);
        for (int32_t p = 0; p < n; p++)
            draw_frame(cr, &lay, &lay.frames[p], legends[p]);
        draw_title(cr, &lay);
    }
    for (int32_t p = 0; lay.frames && p < n; p++) {
        for (int32_t c = 0; lay.frames[p].points && c < figure->panels[p].n_curves; c++)
            plot_points_free(&lay.frames[p].points[c]);
        free(lay.frames[p].points);
    }
    free(lay.frames);
    free(legends);
    return ok;
}

#endif
