// Frame, ticks, grid and labels of a panel.
#ifdef PERCUSS_HAVE_CAIRO
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "plot_layout.h"

static const double TICK = 3.0, MINOR_TICK = 1.8, LABEL_GAP = 3.0;
static const char *const state_names[] = {"open", "slip", "stick", "closed"};

static void label_of(const plot_frame *frame, int32_t i, char text[PLOT_LABEL_SIZE])
{
    if (frame->panel->states) {
        int64_t state = frame->y.first + i;
        snprintf(text, PLOT_LABEL_SIZE, "%s", state >= 0 && state < 4 ? state_names[state] : "");
    } else
        plot_axis_label(&frame->y, i, text);
}

static double x_at(const plot_frame *frame, double part)
{
    return frame->box.x + part * frame->box.width;
}

static double y_at(const plot_frame *frame, double part)
{
    return frame->box.y + (1 - part) * frame->box.height;
}

static bool labels_fit(cairo_t *cr, const plot_axis *axis, double length)
{
    double end = -HUGE_VAL;
    for (int32_t i = 0; i < axis->count; i++) {
        char text[PLOT_LABEL_SIZE];
        plot_axis_label(axis, i, text);
        double width = plot_text_width(cr, PLOT_TEXT_SIZE, text);
        double x = plot_axis_place(axis, plot_axis_tick(axis, i)) * length;
        if (x - width / 2 < end + PLOT_TEXT_SIZE)
            return false;
        end = x + width / 2;
    }
    return true;
}

plot_axis plot_axes_choose_x(cairo_t *cr, plot_range range, bool log, double length)
{
    int32_t most = (int32_t)(length / 34) + 1;
    most = most > 11 ? 11 : most;
    plot_axis axis = plot_axis_choose(range, log, most);
    while (most > 2 && !labels_fit(cr, &axis, length))
        axis = plot_axis_choose(range, log, --most);
    return axis;
}

plot_axis plot_axes_choose_y(plot_range range, bool log, double length)
{
    int32_t most = (int32_t)(length / (2.0 * PLOT_TEXT_SIZE)) + 1;
    return plot_axis_choose(range, log, most > 9 ? 9 : most);
}

// What stands behind the name: " - 1000 (10^-3 m)" where a number and a factor were taken out of
// the labels. Without it the labels mean nothing.
static void print_scale(const plot_axis *axis, const char *unit, char *text, size_t size)
{
    char factor[PLOT_LABEL_SIZE], offset[PLOT_LABEL_SIZE];
    plot_axis_factor(axis, factor);
    plot_axis_offset(axis, offset);
    bool negative = strncmp(offset, "\xe2\x88\x92", 3) == 0;
    bool has_scale = *factor || *unit;
    const char *sign = !*offset ? "" : negative ? " + " : " \xe2\x88\x92 ";
    bool explain = *offset && *factor && *unit; // which unit the number has
    snprintf(text, size, "%s%s%s%s%s%s%s%s%s", sign, negative ? offset + 3 : offset,
             explain ? " " : "", explain ? unit : "", has_scale ? " (" : "", factor,
             *factor && *unit ? " " : "", unit, has_scale ? ")" : "");
}

// "body.ball.position.y (m)" within a width: smaller type, then a name that has lost its beginning.
static void show_axis_title(cairo_t *cr, double x, double y, double width, const char *name,
                            const char *scale)
{
    char text[512];
    double type = PLOT_TEXT_SIZE;
    snprintf(text, sizeof text, "%.300s%.200s", name, *name ? scale : scale + strspn(scale, " "));
    double wanted = plot_text_width(cr, type, text);
    if (wanted > width)
        type = fmax(type * width / wanted, 0.8 * PLOT_TEXT_SIZE);
    while (*name && plot_text_width(cr, type, text) > width) {
        do
            name++;
        while (((unsigned char)*name & 0xc0) == 0x80);
        snprintf(text, sizeof text, "\xe2\x80\xa6%.300s%.200s", name, scale);
    }
    plot_show_text(cr, type, 0.5, x, y, text);
}

double plot_axes_left(cairo_t *cr, const plot_frame *frame)
{
    double widest = 0;
    for (int32_t i = 0; i < frame->y.count; i++) {
        char text[PLOT_LABEL_SIZE];
        label_of(frame, i, text);
        widest = fmax(widest, plot_text_width(cr, PLOT_TEXT_SIZE, text));
    }
    return widest + LABEL_GAP + TICK + 2 * PLOT_TEXT_SIZE;
}

static void draw_line(cairo_t *cr, double x1, double y1, double x2, double y2)
{
    cairo_move_to(cr, x1, y1);
    cairo_line_to(cr, x2, y2);
}

static void draw_grid(cairo_t *cr, const plot_style *style, const plot_frame *frame)
{
    const plot_box *b = &frame->box;
    for (int32_t i = 0; i < frame->x.count; i++) {
        double x = x_at(frame, plot_axis_place(&frame->x, plot_axis_tick(&frame->x, i)));
        draw_line(cr, x, b->y, x, b->y + b->height);
    }
    for (int32_t i = 0; i < frame->y.count; i++) {
        double y = y_at(frame, plot_axis_place(&frame->y, plot_axis_tick(&frame->y, i)));
        draw_line(cr, b->x, y, b->x + b->width, y);
    }
    plot_set_colour(cr, style->grid);
    cairo_set_line_width(cr, 0.5);
    cairo_stroke(cr);
}

static void draw_minor_ticks(cairo_t *cr, const plot_frame *frame)
{
    const plot_box *b = &frame->box;
    double value;
    for (int32_t k = 0; plot_axis_minor(&frame->x, k, &value); k++) {
        double part = plot_axis_place(&frame->x, value);
        if (part >= 0 && part <= 1)
            draw_line(cr, x_at(frame, part), b->y + b->height, x_at(frame, part),
                      b->y + b->height + MINOR_TICK);
    }
    for (int32_t k = 0; plot_axis_minor(&frame->y, k, &value); k++) {
        double part = plot_axis_place(&frame->y, value);
        if (part >= 0 && part <= 1)
            draw_line(cr, b->x - MINOR_TICK, y_at(frame, part), b->x, y_at(frame, part));
    }
}

static void draw_ticks(cairo_t *cr, const plot_style *style, const plot_frame *frame)
{
    const plot_box *b = &frame->box;
    char text[PLOT_LABEL_SIZE];
    double bottom = b->y + b->height;
    plot_set_colour(cr, style->axis);
    cairo_set_line_width(cr, 0.6);
    for (int32_t i = 0; i < frame->x.count; i++) {
        double x = x_at(frame, plot_axis_place(&frame->x, plot_axis_tick(&frame->x, i)));
        draw_line(cr, x, bottom, x, bottom + TICK);
    }
    for (int32_t i = 0; i < frame->y.count; i++) {
        double y = y_at(frame, plot_axis_place(&frame->y, plot_axis_tick(&frame->y, i)));
        draw_line(cr, b->x - TICK, y, b->x, y);
    }
    draw_minor_ticks(cr, frame);
    cairo_stroke(cr);
    cairo_rectangle(cr, b->x, b->y, b->width, b->height);
    cairo_stroke(cr);
    plot_set_colour(cr, style->text);
    for (int32_t i = 0; frame->x_labels && i < frame->x.count; i++) {
        double x = x_at(frame, plot_axis_place(&frame->x, plot_axis_tick(&frame->x, i)));
        plot_axis_label(&frame->x, i, text);
        plot_show_text(cr, PLOT_TEXT_SIZE, 0.5, x,
                       bottom + TICK + LABEL_GAP + 0.75 * PLOT_TEXT_SIZE, text);
    }
    for (int32_t i = 0; i < frame->y.count; i++) {
        double y = y_at(frame, plot_axis_place(&frame->y, plot_axis_tick(&frame->y, i)));
        label_of(frame, i, text);
        plot_show_text(cr, PLOT_TEXT_SIZE, 1, b->x - TICK - LABEL_GAP, y + 0.36 * PLOT_TEXT_SIZE,
                       text);
    }
}

static void draw_titles(cairo_t *cr, const plot_frame *frame)
{
    const plot_box *b = &frame->box;
    const plot_panel *panel = frame->panel;
    char scale[256] = "";
    if (frame->x_labels) {
        print_scale(&frame->x, panel->x_unit, scale, sizeof scale);
        show_axis_title(cr, b->x + b->width / 2,
                        b->y + b->height + TICK + LABEL_GAP + 2.2 * PLOT_TEXT_SIZE, b->width,
                        panel->x_name, scale);
    }
    if (panel->states)
        scale[0] = '\0';
    else
        print_scale(&frame->y, panel->y_unit, scale, sizeof scale);
    cairo_save(cr);
    cairo_translate(cr, b->x - frame->left + 0.8 * PLOT_TEXT_SIZE, b->y + b->height / 2);
    cairo_rotate(cr, -acos(-1.0) / 2);
    show_axis_title(cr, 0, 0, b->height + 3, panel->y_name, scale);
    cairo_restore(cr);
}

void plot_axes_draw(cairo_t *cr, const plot_style *style, const plot_frame *frame)
{
    draw_grid(cr, style, frame);
    draw_ticks(cr, style, frame);
    draw_titles(cr, frame);
}

#else
typedef int plot_axes_need_cairo; // an empty file is not C
#endif
