#include "plot_axis.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Beyond these, differences and powers of ten would leave the range of double.
static const double LARGEST = 1e300, SMALLEST = 1e-300;
// A range below this part of its values is rounding noise of a constant.
static const double NOISE = 1e-12;

#define MINUS "\xe2\x88\x92"

// ---- Ranges ----

plot_range plot_range_empty(void)
{
    return (plot_range){HUGE_VAL, -HUGE_VAL};
}

bool plot_range_is_empty(plot_range range)
{
    return !(range.lo <= range.hi);
}

static double limited(double value)
{
    return value > LARGEST ? LARGEST : value < -LARGEST ? -LARGEST : value;
}

void plot_range_add(plot_range *range, double value, bool log)
{
    if (!isfinite(value) || (log && !(value > 0)))
        return;
    value = limited(value);
    if (log && value < SMALLEST)
        value = SMALLEST;
    range->lo = value < range->lo ? value : range->lo;
    range->hi = value > range->hi ? value : range->hi;
}

plot_range plot_range_widen(plot_range range, double margin, bool log)
{
    if (plot_range_is_empty(range))
        return log ? (plot_range){0.1, 10} : (plot_range){-1, 1};
    double size = fmax(fabs(range.lo), fabs(range.hi));
    if (log) {
        // A factor of at least two, and no end beyond the powers of ten that there are.
        double spread = log10(range.hi) - log10(range.lo);
        double more = spread > 1e-6 ? margin * spread : 0.15;
        range.lo = fmax(range.lo / pow(10, more), SMALLEST / 10);
        range.hi = fmin(range.hi * pow(10, more), LARGEST * 10);
        return range;
    }
    if (range.hi - range.lo <= NOISE * size || range.hi - range.lo < SMALLEST) {
        double more = size > 0 ? fmax(0.11 * size, SMALLEST) : 1.1;
        return (plot_range){range.lo - more, range.hi + more};
    }
    double more = margin * (range.hi - range.lo);
    return (plot_range){range.lo - more, range.hi + more};
}

// ---- Numbers as text ----

// Digits as superscripts; Unicode has 1, 2 and 3 in another place than the others.
static void print_superscript(char *text, size_t size, int number)
{
    static const char *const digits[] = {
        "\xe2\x81\xb0", "\xc2\xb9",     "\xc2\xb2",     "\xc2\xb3",     "\xe2\x81\xb4",
        "\xe2\x81\xb5", "\xe2\x81\xb6", "\xe2\x81\xb7", "\xe2\x81\xb8", "\xe2\x81\xb9"};
    char plain[16];
    size_t used = 0;
    snprintf(plain, sizeof plain, "%d", number);
    text[0] = '\0';
    for (const char *c = plain; *c; c++) {
        const char *sign = *c == '-' ? "\xe2\x81\xbb" : digits[*c - '0'];
        if (used + strlen(sign) < size)
            used += (size_t)snprintf(text + used, size - used, "%s", sign);
    }
}

static void print_power(char *text, size_t size, int exponent)
{
    char raised[32];
    print_superscript(raised, sizeof raised, exponent);
    snprintf(text, size, "10%s", raised);
}

// number * 10^power, exact.
static void print_scaled(char *text, size_t size, int64_t number, int power)
{
    const char *sign = number < 0 ? MINUS : "";
    unsigned long long digits = (unsigned long long)(number < 0 ? -number : number);
    if (number == 0 && (power > 0 || power < -15))
        power = 0;
    if (power > 12 || power < -15) {
        char factor[32];
        print_power(factor, sizeof factor, power);
        snprintf(text, size, "%s%llu\xc2\xb7%s", sign, digits, factor);
    } else if (power >= 0)
        snprintf(text, size, "%s%llu%.*s", sign, digits, power, "000000000000");
    else {
        unsigned long long unit = 1;
        for (int i = 0; i < -power; i++)
            unit *= 10;
        snprintf(text, size, "%s%llu.%0*llu", sign, digits / unit, -power, digits % unit);
    }
}

static double scaled(int64_t number, int power)
{
    // One rounding: a division by an exact power of ten is correct where a product is not.
    return power < 0 ? (double)number / pow(10, -power) : (double)number * pow(10, power);
}

// ---- Choosing ticks ----

// floor(log10(x)), right also next to the powers of ten.
static int decade_of(double x)
{
    int e = (int)floor(log10(x));
    if (pow(10, e + 1) <= x)
        e++;
    else if (pow(10, e) > x)
        e--;
    return e;
}

// The largest label decides whether a power of a thousand is taken out.
static void choose_exponent(plot_axis *axis)
{
    int64_t last = axis->first + (axis->count - 1) * axis->stride - axis->offset;
    int64_t first = axis->first - axis->offset;
    int64_t most = first < 0 && -first > last ? -first : last < 0 ? -last : last;
    axis->exponent = 0;
    if (most == 0) // zero is the only tick
        most = axis->stride;
    int e = axis->power;
    for (int64_t rest = most; rest >= 10; rest /= 10)
        e++;
    if (e >= 4 || e <= -3)
        axis->exponent = e >= 0 ? e - e % 3 : -3 * ((-e + 2) / 3);
}

// Ticks that lie close together far from zero are labelled by their distance from a round number.
static void choose_offset(plot_axis *axis)
{
    enum { MOST_DIGITS_OF_LABELS = 100000 };
    int64_t first = axis->first, span = axis->count * axis->stride, unit = 10;
    int64_t size = first < 0 ? -first : first;
    axis->offset = 0;
    if (size <= MOST_DIGITS_OF_LABELS)
        return;
    while (unit < span)
        unit *= 10;
    axis->offset = first / unit * unit - (first < 0 && first % unit != 0 ? unit : 0);
}

static void choose_linear(plot_axis *axis, int32_t most)
{
    static const int64_t nice[] = {1, 2, 5};
    double length = axis->hi - axis->lo;
    int power = decade_of(length / most);
    for (int k = 0;; k++) {
        if (k == 3) {
            k = 0;
            power++;
        }
        double step = scaled(nice[k], power);
        // Ends that miss a tick by rounding have it.
        double slack = 1e-9 + 4e-16 * fmax(fabs(axis->lo), fabs(axis->hi)) / step;
        double first = ceil(axis->lo / step - slack), last = floor(axis->hi / step + slack);
        if (last - first + 1 > most)
            continue;
        axis->power = power;
        axis->stride = nice[k];
        axis->first = (int64_t)first * nice[k];
        axis->count = last >= first ? (int32_t)(last - first) + 1 : 0;
        break;
    }
    if (axis->count > 0) {
        choose_offset(axis);
        choose_exponent(axis);
    }
}

static bool choose_decades(plot_axis *axis, int32_t most)
{
    double first = ceil(log10(axis->lo) - 1e-9), last = floor(log10(axis->hi) + 1e-9);
    if (last - first < 1)
        return false;
    int64_t stride = 1, count = (int64_t)(last - first) + 1;
    while ((count + stride - 1) / stride > most)
        stride += stride < 3 ? 1 : stride;
    // Multiples of the stride, so that 1 is among them if it can be.
    int64_t start = (int64_t)first;
    while (start % stride != 0)
        start++;
    axis->decades = true;
    axis->stride = stride;
    axis->first = start;
    axis->count = (int32_t)(((int64_t)last - start) / stride) + 1;
    return axis->count > 0;
}

plot_axis plot_axis_choose(plot_range range, bool log, int32_t most)
{
    plot_axis axis = {.lo = range.lo, .hi = range.hi, .log = log};
    most = most < 2 ? 2 : most > PLOT_TICKS_MOST ? PLOT_TICKS_MOST : most;
    if (!log || !choose_decades(&axis, most)) {
        axis.decades = false;
        choose_linear(&axis, most);
    }
    return axis;
}

plot_axis plot_axis_whole(plot_range range)
{
    plot_axis axis = {.lo = range.lo, .hi = range.hi, .stride = 1};
    axis.first = (int64_t)ceil(range.lo);
    axis.count = (int32_t)((int64_t)floor(range.hi) - axis.first) + 1;
    return axis;
}

// ---- Reading ticks ----

double plot_axis_tick(const plot_axis *axis, int32_t i)
{
    int64_t number = axis->first + i * axis->stride;
    return axis->decades ? pow(10, (double)number) : scaled(number, axis->power);
}

void plot_axis_label(const plot_axis *axis, int32_t i, char text[PLOT_LABEL_SIZE])
{
    int64_t number = axis->first + i * axis->stride;
    if (!axis->decades)
        print_scaled(text, PLOT_LABEL_SIZE, number - axis->offset, axis->power - axis->exponent);
    else if (number == 0 || number == 1)
        snprintf(text, PLOT_LABEL_SIZE, "%d", number == 0 ? 1 : 10);
    else
        print_power(text, PLOT_LABEL_SIZE, (int)number);
}

bool plot_axis_minor(const plot_axis *axis, int32_t k, double *value)
{
    if (!axis->decades || axis->stride != 1 || k > 8 * axis->count + 7)
        return false;
    const int32_t decade = k / 8;
    *value = (k % 8 + 2) * pow(10, (double)(axis->first - 1 + decade));
    return true;
}

void plot_axis_factor(const plot_axis *axis, char text[PLOT_LABEL_SIZE])
{
    text[0] = '\0';
    if (axis->exponent != 0)
        print_power(text, PLOT_LABEL_SIZE, axis->exponent);
}

void plot_axis_offset(const plot_axis *axis, char text[PLOT_LABEL_SIZE])
{
    int64_t number = axis->offset;
    int power = axis->power;
    text[0] = '\0';
    if (number == 0)
        return;
    for (; number % 10 == 0 && power < 0; power++)
        number /= 10;
    print_scaled(text, PLOT_LABEL_SIZE, number, power);
}

double plot_axis_place(const plot_axis *axis, double value)
{
    if (!isfinite(value) || (axis->log && !(value > 0)))
        return NAN;
    value = limited(value);
    if (axis->log && value < SMALLEST)
        value = SMALLEST;
    if (axis->log)
        return (log10(value) - log10(axis->lo)) / (log10(axis->hi) - log10(axis->lo));
    return (value - axis->lo) / (axis->hi - axis->lo);
}
