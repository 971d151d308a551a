// Legends: inside the frame where no data lie, otherwise above it in rows.
#ifdef PERCUSS_HAVE_CAIRO
#include <math.h>
#include <stdlib.h>

#include "plot_layout.h"

static const double SAMPLE = 18, PAD = 4, SPACING = 10;
#define ROW (1.45 * PLOT_TEXT_SIZE)
enum { GRID = 64, LABEL_LONGEST = 256 };

bool plot_legend_is_needed(const plot_panel *panel)
{
    for (int32_t i = 0; i < panel->n_curves; i++)
        if (panel->curves[i].label[0])
            return true;
    return false;
}

void plot_set_line(cairo_t *cr, const plot_style *style, const plot_curve *curve)
{
    static const double patterns[][4] = {
        {0, 0, 0, 0}, {4, 2, 4, 2}, {1, 1.6, 1, 1.6}, {6, 2, 1, 2}};
    plot_set_colour(cr, plot_curve_colour(style, curve->colour));
    cairo_set_line_width(cr, 1.0);
    cairo_set_line_join(cr, CAIRO_LINE_JOIN_ROUND);
    int k = curve->dash % 4;
    cairo_set_dash(cr, patterns[k], k == 0 ? 0 : 4, 0);
}

static double label_width(cairo_t *cr, const plot_curve *curve)
{
    return plot_text_width(cr, PLOT_TEXT_SIZE, curve->label);
}

static void draw_entry(cairo_t *cr, const plot_style *style, const plot_curve *curve, double x,
                       double y, double width)
{
    char text[LABEL_LONGEST];
    plot_set_line(cr, style, curve);
    cairo_move_to(cr, x, y - 0.32 * PLOT_TEXT_SIZE);
    cairo_line_to(cr, x + SAMPLE, y - 0.32 * PLOT_TEXT_SIZE);
    cairo_stroke(cr);
    cairo_set_dash(cr, NULL, 0, 0);
    plot_set_colour(cr, style->text);
    plot_fit_text(cr, PLOT_TEXT_SIZE, width, curve->label, text, sizeof text);
    plot_show_text(cr, PLOT_TEXT_SIZE, 0, x + SAMPLE + PAD, y, text);
}

// ---- Inside ----

static void mark_line(unsigned char *cells, double x1, double y1, double x2, double y2)
{
    // Steps of half a cell find every cell on the way, except corners that are cut thinly.
    double length = fmax(fabs(x2 - x1), fabs(y2 - y1)) * GRID;
    int steps = length < 4 * GRID ? (int)(2 * length) + 1 : 8 * GRID;
    for (int k = 0; k <= steps; k++) {
        double x = x1 + (x2 - x1) * k / steps, y = y1 + (y2 - y1) * k / steps;
        if (x >= 0 && x <= 1 && y >= 0 && y <= 1)
            cells[(int)fmin(y * GRID, GRID - 1) * GRID + (int)fmin(x * GRID, GRID - 1)] = 1;
    }
}

static void mark_data(const plot_frame *frame, unsigned char *cells)
{
    for (int32_t c = 0; c < frame->panel->n_curves; c++) {
        const plot_points *p = &frame->points[c];
        for (int64_t i = 0; i < p->count; i++) {
            int64_t before = i > 0 && !isnan(p->x[i - 1]) ? i - 1 : i;
            if (!isnan(p->x[i]))
                mark_line(cells, p->x[before], p->y[before], p->x[i], p->y[i]);
        }
    }
}

static bool is_free(const unsigned char *cells, const plot_frame *frame, plot_box place)
{
    const plot_box *b = &frame->box;
    int left = (int)floor((place.x - b->x) / b->width * GRID);
    int right = (int)ceil((place.x + place.width - b->x) / b->width * GRID);
    int low = (int)floor((b->y + b->height - place.y - place.height) / b->height * GRID);
    int high = (int)ceil((b->y + b->height - place.y) / b->height * GRID);
    for (int y = low < 0 ? 0 : low; y < high && y < GRID; y++)
        for (int x = left < 0 ? 0 : left; x < right && x < GRID; x++)
            if (cells[y * GRID + x])
                return false;
    return true;
}

bool plot_legend_find(cairo_t *cr, const plot_frame *frame, plot_box *place)
{
    // Corners first, then the middles of the edges.
    static const double spots[][2] = {{1, 0},   {0, 0},   {1, 1},   {0, 1},
                                      {0.5, 0}, {0.5, 1}, {1, 0.5}, {0, 0.5}};
    const plot_box *b = &frame->box;
    double widest = 0;
    for (int32_t i = 0; i < frame->panel->n_curves; i++)
        widest = fmax(widest, label_width(cr, &frame->panel->curves[i]));
    place->width = SAMPLE + widest + 3 * PAD;
    place->height = frame->panel->n_curves * ROW + PAD;
    double room_x = b->width - place->width - 2 * PAD, room_y = b->height - place->height - 2 * PAD;
    if (room_x < 0 || room_y < 0)
        return false;
    unsigned char *cells = calloc((size_t)GRID * GRID, 1);
    bool found = false;
    if (!cells)
        return false;
    mark_data(frame, cells);
    for (size_t k = 0; k < sizeof spots / sizeof *spots && !found; k++) {
        place->x = b->x + PAD + spots[k][0] * room_x;
        place->y = b->y + PAD + spots[k][1] * room_y;
        found = is_free(cells, frame, *place);
    }
    free(cells);
    return found;
}

void plot_legend_draw_inside(cairo_t *cr, const plot_style *style, const plot_frame *frame,
                             plot_box place)
{
    plot_colour back = style->background;
    cairo_set_source_rgba(cr, back.r, back.g, back.b, 0.85);
    cairo_rectangle(cr, place.x, place.y, place.width, place.height);
    cairo_fill(cr);
    for (int32_t i = 0; i < frame->panel->n_curves; i++)
        draw_entry(cr, style, &frame->panel->curves[i], place.x + PAD, place.y + (i + 0.85) * ROW,
                   place.width);
}

// ---- Above ----

// Walks the entries row by row; draws them if `style` is given. The number of rows comes back.
static int walk_rows(cairo_t *cr, const plot_style *style, const plot_panel *panel, double left,
                     double top, double width)
{
    int rows = 1;
    double x = 0;
    for (int32_t i = 0; i < panel->n_curves; i++) {
        double most = width - SAMPLE - PAD;
        double text = fmin(label_width(cr, &panel->curves[i]) + 1, most);
        double whole = SAMPLE + PAD + text;
        if (x > 0 && x + whole > width) {
            x = 0;
            rows++;
        }
        if (style)
            draw_entry(cr, style, &panel->curves[i], left + x, top + (rows - 0.4) * ROW, text);
        x += whole + SPACING;
    }
    return rows;
}

double plot_legend_height(cairo_t *cr, const plot_panel *panel, double width)
{
    return walk_rows(cr, NULL, panel, 0, 0, width) * ROW + PAD;
}

void plot_legend_draw_above(cairo_t *cr, const plot_style *style, const plot_frame *frame)
{
    (void)walk_rows(cr, style, frame->panel, frame->box.x, frame->box.y - frame->legend_height,
                    frame->box.width);
}

#else
typedef int plot_legend_needs_cairo; // an empty file is not C
#endif
