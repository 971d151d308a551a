// A table of texts in the place of a panel: a line below the heads, columns of numbers to the
// right.
#ifdef PERCUSS_HAVE_CAIRO
#include <math.h>

#include "plot_layout.h"

static const double COLUMN_GAP = 1.1;    // of the type size
static const double LINE_HEIGHT = 1.5;   // of the type size
static const double SMALLEST_TYPE = 3.5; // points: below it nobody reads
static const double KEY = 16, KEY_GAP = 4;

static const char *cell(const plot_table *table, int32_t row, int32_t column)
{
    return table->cells[row * table->n_columns + column];
}

static double column_width(cairo_t *cr, const plot_table *table, int32_t column, double type)
{
    double width = 0;
    for (int32_t row = 0; row < table->n_rows; row++)
        width = fmax(width, plot_text_width(cr, type, cell(table, row, column)));
    return width;
}

static double table_width(cairo_t *cr, const plot_table *table, double type)
{
    double width = COLUMN_GAP * type * (table->n_columns - 1) + (table->keys ? KEY + KEY_GAP : 0);
    for (int32_t column = 0; column < table->n_columns; column++)
        width += column_width(cr, table, column, type);
    return width;
}

// Returns the room that the keys take.
static double draw_keys(cairo_t *cr, const plot_style *style, const plot_frame *frame, double line)
{
    const plot_table *table = frame->panel->table;
    const plot_box *b = &frame->box;
    for (int32_t row = 1; table->keys && row < table->n_rows; row++) {
        double y = b->y + line * (row + 1.3) - 0.22 * line;
        plot_set_line(cr, style, &table->keys[row - 1]);
        cairo_move_to(cr, b->x, y);
        cairo_line_to(cr, b->x + KEY, y);
        cairo_stroke(cr);
        cairo_set_dash(cr, NULL, 0, 0);
    }
    return table->keys ? KEY + KEY_GAP : 0;
}

void plot_table_draw(cairo_t *cr, const plot_style *style, const plot_frame *frame)
{
    const plot_table *table = frame->panel->table;
    const plot_box *b = &frame->box;
    double type = fmin(PLOT_TEXT_SIZE, b->height / (LINE_HEIGHT * (table->n_rows + 1)));
    while (type > SMALLEST_TYPE && table_width(cr, table, type) > b->width)
        type *= 0.97;
    type = fmax(type, SMALLEST_TYPE);
    double line = LINE_HEIGHT * type, x = b->x + draw_keys(cr, style, frame, line);
    for (int32_t column = 0; column < table->n_columns; column++) {
        double wide = column_width(cr, table, column, type);
        bool is_name = column == 0;
        plot_set_colour(cr, style->text);
        for (int32_t row = 0; row < table->n_rows; row++)
            plot_show_text(cr, type, is_name ? 0 : 1, is_name ? x : x + wide,
                           b->y + line * (row + 1 + (row > 0 ? 0.3 : 0)), cell(table, row, column));
        x += wide + COLUMN_GAP * type;
    }
    cairo_move_to(cr, b->x, b->y + 1.35 * line);
    cairo_line_to(cr, x - COLUMN_GAP * type, b->y + 1.35 * line);
    plot_set_colour(cr, style->axis);
    cairo_set_line_width(cr, 0.6);
    cairo_stroke(cr);
}

#else
typedef int plot_table_needs_cairo; // an empty file is not C
#endif
