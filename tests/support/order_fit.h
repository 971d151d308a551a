// Observed order: slope of a line through the points (log h, log error), by least squares.
#ifndef PCS_TESTS_SUPPORT_ORDER_FIT_H
#define PCS_TESTS_SUPPORT_ORDER_FIT_H

#include <math.h>

typedef struct order_fit {
    int n;
    double x, xx, y, xy;
} order_fit;

static inline void order_add(order_fit *f, double h, double error)
{
    const double x = log(h), y = log(error);
    ++f->n;
    f->x += x;
    f->xx += x * x;
    f->y += y;
    f->xy += x * y;
}

static inline double order_slope(const order_fit *f)
{
    return (f->n * f->xy - f->x * f->y) / (f->n * f->xx - f->x * f->x);
}

#endif
