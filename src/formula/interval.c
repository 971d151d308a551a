// Interval extensions of the operations. Functions that rise or fall in each argument take their
// extremes at the ends; the others have a case of their own.
#include "formula/interval.h"

#include <math.h>

#include "formula/functions.h"
#include "math/rotation.h"

typedef pcs_interval interval;

static const interval ALL = {-HUGE_VAL, HUGE_VAL};
static const interval UNIT = {0.0, 1.0};

static interval checked(double low, double high)
{
    return low <= high ? (interval){low, high} : ALL; // false for NaN
}

static interval hull(interval a, interval b)
{
    return checked(fmin(a.low, b.low), fmax(a.high, b.high));
}

static bool is_point(interval a)
{
    return a.low == a.high;
}

static bool contains(interval a, double x)
{
    return a.low <= x && x <= a.high;
}

// ---- Truth: 1 true, 0 false, both at once where it is open ----

static interval truth(interval a)
{
    if (!contains(a, 0.0))
        return (interval){1.0, 1.0};
    return is_point(a) ? (interval){0.0, 0.0} : UNIT;
}

static interval is_less(interval a, interval b, bool or_equal)
{
    if (or_equal ? a.high <= b.low : a.high < b.low)
        return (interval){1.0, 1.0};
    if (or_equal ? a.low > b.high : a.low >= b.high)
        return (interval){0.0, 0.0};
    return UNIT;
}

static interval is_equal(interval a, interval b)
{
    if (a.high < b.low || b.high < a.low)
        return (interval){0.0, 0.0};
    return is_point(a) && is_point(b) ? (interval){1.0, 1.0} : UNIT;
}

static interval opposite(interval a) // of a truth
{
    return (interval){1.0 - a.high, 1.0 - a.low};
}

// ---- Products ----

static interval product(interval a, interval b)
{
    const double p[4] = {pcs_chain_product(a.low, b.low), pcs_chain_product(a.low, b.high),
                         pcs_chain_product(a.high, b.low), pcs_chain_product(a.high, b.high)};
    return checked(fmin(fmin(p[0], p[1]), fmin(p[2], p[3])),
                   fmax(fmax(p[0], p[1]), fmax(p[2], p[3])));
}

static interval magnitude(interval a)
{
    if (contains(a, 0.0))
        return (interval){0.0, fmax(-a.low, a.high)};
    return a.low > 0.0 ? a : (interval){-a.high, -a.low};
}

static interval power(interval a, interval b)
{
    const double n = b.low;
    if (is_point(b) && n == floor(n)) {
        const bool even = fmod(n, 2.0) == 0.0;
        if (n < 0.0 && contains(a, 0.0))
            return ALL;
        const interval base = even ? magnitude(a) : a;
        const double low = pow(base.low, n), high = pow(base.high, n);
        return checked(fmin(low, high), fmax(low, high));
    }
    if (!(a.low > 0.0) && !(a.low == 0.0 && b.low > 0.0))
        return ALL;
    const double p[4] = {pow(a.low, b.low), pow(a.low, b.high), pow(a.high, b.low),
                         pow(a.high, b.high)};
    return checked(fmin(fmin(p[0], p[1]), fmin(p[2], p[3])),
                   fmax(fmax(p[0], p[1]), fmax(p[2], p[3])));
}

// ---- Functions of one argument ----

// f rises or falls between the bounds.
static interval monotone(int op, interval a)
{
    const double low = pcs_operations[op].value((const double[]){a.low, 0.0, 0.0});
    const double high = pcs_operations[op].value((const double[]){a.high, 0.0, 0.0});
    return isnan(low) || isnan(high) ? ALL : checked(fmin(low, high), fmax(low, high));
}

// Sine of a + shift quarter turns: its extremes are where the angle is an odd number of quarters.
static interval sine(interval a, double shift)
{
    const double quarter = 0.5 * PCS_PI, limit = 1e15; // beyond, turns are not resolved
    if (!(a.high - a.low < 4.0 * quarter) || fabs(a.low) > limit || fabs(a.high) > limit)
        return (interval){-1.0, 1.0};
    const double low = sin(a.low + shift * quarter), high = sin(a.high + shift * quarter);
    interval result = {fmin(low, high), fmax(low, high)};
    // Number of turns to the last maximum (at one quarter) and minimum (at three)
    const double from = a.low / quarter + shift, to = a.high / quarter + shift;
    if (floor((to - 1.0) / 4.0) > floor((from - 1.0) / 4.0))
        result.high = 1.0;
    if (floor((to - 3.0) / 4.0) > floor((from - 3.0) / 4.0))
        result.low = -1.0;
    return result;
}

static interval tangent(interval a)
{
    const double from = a.low / PCS_PI + 0.5, to = a.high / PCS_PI + 0.5;
    return floor(from) == floor(to) ? monotone(PCS_OP_TAN, a) : ALL; // no pole between
}

// ---- Functions of several arguments ----

static interval remainder_of(interval a, interval b)
{
    if (is_point(b) && b.low != 0.0 && floor(a.low / b.low) == floor(a.high / b.low)) {
        const double low = pcs_operations[PCS_OP_MOD].value((const double[]){a.low, b.low, 0.0});
        const double high = pcs_operations[PCS_OP_MOD].value((const double[]){a.high, b.low, 0.0});
        if (low <= high && high - low <= 2.0 * (a.high - a.low)) // the quotient was rounded
            return (interval){low, high};
    }
    if (b.low > 0.0)
        return (interval){0.0, b.high};
    return b.high < 0.0 ? (interval){b.low, 0.0} : ALL;
}

static interval angle_of(interval y, interval x)
{
    if (!(x.low > 0.0 || y.low > 0.0 || y.high < 0.0)) // the origin or the cut
        return (interval){-PCS_PI, PCS_PI};
    const double p[4] = {atan2(y.low, x.low), atan2(y.low, x.high), atan2(y.high, x.low),
                         atan2(y.high, x.high)};
    return checked(fmin(fmin(p[0], p[1]), fmin(p[2], p[3])),
                   fmax(fmax(p[0], p[1]), fmax(p[2], p[3])));
}

// Rises in all arguments.
static interval rising(int op, const interval *x)
{
    const int n = pcs_operations[op].operands;
    const double low[3] = {x[0].low, n > 1 ? x[1].low : 0.0, n > 2 ? x[2].low : 0.0};
    const double high[3] = {x[0].high, n > 1 ? x[1].high : 0.0, n > 2 ? x[2].high : 0.0};
    return checked(pcs_operations[op].value(low), pcs_operations[op].value(high));
}

static interval smooth_step(int op, const interval *x)
{
    if (!is_point(x[0]) || !is_point(x[1]))
        return UNIT;
    const double low = pcs_operations[op].value((const double[]){x[0].low, x[1].low, x[2].low});
    const double high = pcs_operations[op].value((const double[]){x[0].low, x[1].low, x[2].high});
    return checked(fmin(low, high), fmax(low, high));
}

static interval choose(const interval *x)
{
    const interval condition = truth(x[0]);
    if (condition.low == 1.0)
        return x[1];
    return condition.high == 0.0 ? x[2] : hull(x[1], x[2]);
}

static interval apply_logic(int op, const interval *x)
{
    switch (op) {
    case PCS_OP_LT:
        return is_less(x[0], x[1], false);
    case PCS_OP_LE:
        return is_less(x[0], x[1], true);
    case PCS_OP_GT:
        return is_less(x[1], x[0], false);
    case PCS_OP_GE:
        return is_less(x[1], x[0], true);
    case PCS_OP_EQ:
        return is_equal(x[0], x[1]);
    case PCS_OP_NE:
        return opposite(is_equal(x[0], x[1]));
    case PCS_OP_NOT:
        return opposite(truth(x[0]));
    default: {
        const interval a = truth(x[0]), b = truth(x[1]);
        return op == PCS_OP_AND ? (interval){fmin(a.low, b.low), fmin(a.high, b.high)}
                                : (interval){fmax(a.low, b.low), fmax(a.high, b.high)};
    }
    }
}

pcs_interval pcs_interval_apply(int op, const pcs_interval *x)
{
    switch (op) {
    case PCS_OP_ADD:
        return checked(x[0].low + x[1].low, x[0].high + x[1].high);
    case PCS_OP_SUB:
        return checked(x[0].low - x[1].high, x[0].high - x[1].low);
    case PCS_OP_MUL:
    case PCS_OP_CHAIN:
        return product(x[0], x[1]);
    case PCS_OP_DIV:
        if (contains(x[1], 0.0))
            return ALL;
        return product(x[0], (interval){1.0 / x[1].high, 1.0 / x[1].low});
    case PCS_OP_POW:
        return power(x[0], x[1]);
    case PCS_OP_SQUARE:
        return power(x[0], (interval){2.0, 2.0});
    case PCS_OP_LT:
    case PCS_OP_LE:
    case PCS_OP_GT:
    case PCS_OP_GE:
    case PCS_OP_EQ:
    case PCS_OP_NE:
    case PCS_OP_AND:
    case PCS_OP_OR:
    case PCS_OP_NOT:
        return apply_logic(op, x);
    case PCS_OP_SELECT:
        return choose(x);
    case PCS_OP_SIN:
        return sine(x[0], 0.0);
    case PCS_OP_COS:
        return sine(x[0], 1.0);
    case PCS_OP_TAN:
        return tangent(x[0]);
    case PCS_OP_COSH:
        return monotone(op, magnitude(x[0]));
    case PCS_OP_ABS:
        return magnitude(x[0]);
    case PCS_OP_ATAN2:
        return angle_of(x[0], x[1]);
    case PCS_OP_HYPOT: {
        const interval sides[3] = {magnitude(x[0]), magnitude(x[1]), {0.0, 0.0}};
        return rising(op, sides);
    }
    case PCS_OP_MOD:
        return remainder_of(x[0], x[1]);
    case PCS_OP_MIN:
    case PCS_OP_MAX:
    case PCS_OP_CLAMP:
        return rising(op, x);
    case PCS_OP_SMOOTHSTEP:
    case PCS_OP_SMOOTH5:
        return smooth_step(op, x);
    default: // the rest has one argument and rises or falls in it
        return monotone(op, x[0]);
    }
}
