// Axes of plots: limits, ticks at 1, 2 or 5 times a power of ten, and their labels. Ticks are whole
// numbers times a power of ten, so that labels are exact and without a trace of rounding.
#ifndef PCS_CLI_PLOT_AXIS_H
#define PCS_CLI_PLOT_AXIS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct plot_range {
    double lo, hi; // lo > hi: no value yet
} plot_range;

typedef struct plot_axis {
    double lo, hi;
    bool log;
    bool decades; // ticks are powers of ten, `first` and `stride` count exponents
    int64_t first, stride;
    int32_t count;
    int power;      // linear ticks: (first + i * stride) * 10^power
    int64_t offset; // linear labels: (first + i * stride - offset) * 10^(power - exponent)
    int exponent;
} plot_axis;

enum { PLOT_LABEL_SIZE = 64, PLOT_TICKS_MOST = 60 };

plot_range plot_range_empty(void);
// Takes in a value; those that are not finite, and on logarithmic axes those below or at zero, are
// left out.
void plot_range_add(plot_range *range, double value, bool log);
bool plot_range_is_empty(plot_range range);
// Room around the data: a constant gets some, too. `margin` is a part of the length on each side.
plot_range plot_range_widen(plot_range range, double margin, bool log);

// Chooses at most `most` ticks (at least two are allowed). The range has lo < hi and, if `log`,
// lo > 0; plot_range_widen() makes it so.
plot_axis plot_axis_choose(plot_range range, bool log, int32_t most);
// Whole numbers lo, lo + 1... as ticks, for states.
plot_axis plot_axis_whole(plot_range range);
double plot_axis_tick(const plot_axis *axis, int32_t i);
void plot_axis_label(const plot_axis *axis, int32_t i, char text[PLOT_LABEL_SIZE]);
// Small ticks between the decades: value k = 0, 1...; false beyond the last.
bool plot_axis_minor(const plot_axis *axis, int32_t k, double *value);
// What was taken out of the labels: "10^-3" as text with raised digits ("" for none), and the
// number to be added to each ("" for none).
void plot_axis_factor(const plot_axis *axis, char text[PLOT_LABEL_SIZE]);
void plot_axis_offset(const plot_axis *axis, char text[PLOT_LABEL_SIZE]);
// Where a value lies: 0 at lo, 1 at hi. NaN for what has no place on the axis.
double plot_axis_place(const plot_axis *axis, double value);

#endif
