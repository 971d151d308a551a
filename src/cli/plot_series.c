#include "plot_series.h"

#include <math.h>
#include <stdlib.h>

// Lines that leave the frame upwards are cut so far outside that nobody sees the bend.
static const double FAR = 1000;

typedef struct spot {
    double x, y;
} spot;

// Collects the points of one column, or of one cell, before they are kept.
typedef struct thinner {
    plot_points *points;
    double columns, rows;
    bool by_column;
    bool failed;
    bool open;     // there is a column to be closed
    double column; // its number
    spot first, low, high, last;
    bool low_before_high;
} thinner;

static void keep(thinner *t, spot s)
{
    plot_points *p = t->points;
    if (p->count == p->room && !t->failed) {
        int64_t room = 2 * p->room + 256;
        double *x = realloc(p->x, (size_t)room * sizeof *x);
        if (x)
            p->x = x;
        double *y = x ? realloc(p->y, (size_t)room * sizeof *y) : NULL;
        if (y)
            p->y = y;
        t->failed = !x || !y;
        p->room = t->failed ? p->room : room;
    }
    if (t->failed)
        return;
    p->x[p->count] = s.x;
    p->y[p->count++] = s.y;
}

static bool same(spot a, spot b)
{
    return a.x == b.x && a.y == b.y;
}

static void keep_new(thinner *t, spot s)
{
    const plot_points *p = t->points;
    if (p->count == 0 || !same(s, (spot){p->x[p->count - 1], p->y[p->count - 1]}))
        keep(t, s);
}

static void close_column(thinner *t)
{
    if (!t->open)
        return;
    keep_new(t, t->first);
    keep_new(t, t->low_before_high ? t->low : t->high);
    keep_new(t, t->low_before_high ? t->high : t->low);
    keep_new(t, t->last);
    t->open = false;
}

static void add_gap(thinner *t)
{
    close_column(t);
    const plot_points *p = t->points;
    if (p->count > 0 && !isnan(p->x[p->count - 1]))
        keep(t, (spot){NAN, NAN});
}

static void add_to_column(thinner *t, spot s)
{
    double column = floor(s.x * t->columns);
    if (t->open && column != t->column)
        close_column(t);
    if (!t->open) {
        t->open = true;
        t->column = column;
        t->first = t->low = t->high = s;
        t->low_before_high = true;
    }
    if (s.y < t->low.y) {
        t->low = s;
        t->low_before_high = false;
    }
    if (s.y > t->high.y) {
        t->high = s;
        t->low_before_high = true;
    }
    t->last = s;
}

// Away from time, what stays within a small cell around the point kept last is not seen.
static void add_to_cell(thinner *t, spot s)
{
    bool near = t->open && fabs(s.x - t->first.x) * t->columns < 1 &&
                fabs(s.y - t->first.y) * t->rows < 1;
    if (!near) {
        if (t->open)
            keep_new(t, t->last);
        keep_new(t, s);
        t->first = t->low = t->high = s;
    }
    t->open = true;
    t->last = s;
}

static void add(thinner *t, spot s)
{
    s.y = s.y > FAR ? FAR : s.y < -FAR ? -FAR : s.y;
    if (t->by_column)
        add_to_column(t, s);
    else
        add_to_cell(t, s);
}

static spot at_x(spot a, spot b, double x)
{
    return (spot){x, a.y + (b.y - a.y) * ((x - a.x) / (b.x - a.x))};
}

// A piece of the line from a to b, of which a was added if it lies inside; x runs from 0 to 1.
static void add_piece(thinner *t, spot a, spot b)
{
    bool enters = a.x < 0 && b.x >= 0, leaves = a.x <= 1 && b.x > 1;
    if (enters)
        add(t, at_x(a, b, 0));
    if (leaves) {
        add(t, at_x(a, b, 1));
        add_gap(t);
    } else if (b.x >= 0 && b.x <= 1)
        add(t, b);
}

static void add_by_time(thinner *t, spot before, spot s, bool steps)
{
    if (isnan(before.x)) {
        if (s.x >= 0 && s.x <= 1)
            add(t, s);
    } else if (steps) {
        spot corner = {before.x, s.y};
        if (corner.x >= 0 && corner.x <= 1)
            add(t, corner);
        add_piece(t, corner, s);
    } else
        add_piece(t, before, s);
}

bool plot_series_place(const plot_series *series, const plot_axis *x, const plot_axis *y,
                       double columns, double rows, plot_points *points)
{
    thinner t = {.points = points, .columns = columns, .rows = rows, .by_column = series->by_time};
    spot before = {NAN, NAN};
    *points = (plot_points){0};
    for (int64_t i = 0; i < series->count && !t.failed; i++) {
        spot s = {plot_axis_place(x, series->x[i]), plot_axis_place(y, series->y[i])};
        if (isnan(s.x) || isnan(s.y)) {
            add_gap(&t);
            before = (spot){NAN, NAN};
            continue;
        }
        if (series->by_time)
            add_by_time(&t, before, s, series->steps);
        else
            add(&t, s);
        before = s;
    }
    close_column(&t);
    return !t.failed;
}

void plot_points_free(plot_points *points)
{
    free(points->x);
    free(points->y);
    *points = (plot_points){0};
}
