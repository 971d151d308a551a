// Operations of formulas: value, slopes and symbolic rule of each, side by side, and their table.
//
// Slopes at places where a function is not smooth (docs/formulas.md says the same to users):
// min, max, clamp, if: of the branch taken, the first argument at a tie; ramp: 1 at 0; abs: 0 at 0;
// hypot, atan2: 0 at the origin; step, sign, floor, ceil, round, comparisons: 0 everywhere;
// sqrt, cbrt, log, asin: infinite where the curve is vertical, unless the inner derivative is 0.
#include "formula/functions.h"

#include <math.h>
#include <string.h>

#include "base/text.h"

#define LN2 0.693147180559945309417232121458176568
#define LN10 2.30258509299404568401799145468436421

// Short forms for the symbolic rules. `times` is the product of the chain rule.
static int32_t number(pcs_graph *g, double value)
{
    return pcs_graph_constant(g, value);
}

static int32_t call(pcs_graph *g, int32_t op, int32_t a)
{
    return pcs_graph_apply(g, op, a, 0, 0);
}

static int32_t add(pcs_graph *g, int32_t a, int32_t b)
{
    return pcs_graph_apply(g, PCS_OP_ADD, a, b, 0);
}

static int32_t sub(pcs_graph *g, int32_t a, int32_t b)
{
    return pcs_graph_apply(g, PCS_OP_SUB, a, b, 0);
}

static int32_t times(pcs_graph *g, int32_t a, int32_t b)
{
    return pcs_graph_apply(g, PCS_OP_CHAIN, a, b, 0);
}

static int32_t quotient(pcs_graph *g, int32_t a, int32_t b)
{
    return pcs_graph_apply(g, PCS_OP_DIV, a, b, 0);
}

static int32_t inverse(pcs_graph *g, int32_t a)
{
    return quotient(g, PCS_NODE_ONE, a);
}

static int32_t neg(pcs_graph *g, int32_t a)
{
    return call(g, PCS_OP_NEG, a);
}

static int32_t square(pcs_graph *g, int32_t a)
{
    return call(g, PCS_OP_SQUARE, a);
}

static int32_t choose(pcs_graph *g, int32_t condition, int32_t a, int32_t b)
{
    return pcs_graph_apply(g, PCS_OP_SELECT, condition, a, b);
}

// VALUE(name, f(a,b,c)) defines name_value; SLOPE(name, df/da) and RULE(name, node of df/da), for
// functions of one argument, define name_slopes and name_rule. In them a, b, c are the operands and
// f is the function's own value or node.
#define VALUE(name, expression)                    \
    static double name##_value(const double *x)    \
    {                                              \
        const double a = x[0], b = x[1], c = x[2]; \
        (void)a, (void)b, (void)c;                 \
        return expression;                         \
    }
#define SLOPE(name, expression)                                     \
    static void name##_slopes(const double *x, double f, double *d) \
    {                                                               \
        const double a = x[0];                                      \
        (void)a, (void)f;                                           \
        d[0] = expression;                                          \
    }
#define RULE(name, expression)                                                               \
    static int32_t name##_rule(pcs_graph *g, int32_t f, const int32_t *x, const int32_t *dx) \
    {                                                                                        \
        const int32_t a = x[0];                                                              \
        (void)a, (void)f;                                                                    \
        if (dx[0] == PCS_NODE_ZERO)                                                          \
            return PCS_NODE_ZERO;                                                            \
        return times(g, expression, dx[0]);                                                  \
    }

// Arithmetic

VALUE(add, a + b)
VALUE(sub, a - b)
VALUE(mul, a *b)
VALUE(div, a / b)
VALUE(pow, pow(a, b))
VALUE(square, a *a)
VALUE(neg, -a)
VALUE(chain, pcs_chain_product(a, b))

static void add_slopes(const double *x, double f, double *d)
{
    (void)x, (void)f;
    d[0] = 1.0;
    d[1] = 1.0;
}

static int32_t add_rule(pcs_graph *g, int32_t f, const int32_t *x, const int32_t *dx)
{
    (void)f, (void)x;
    return add(g, dx[0], dx[1]);
}

static void sub_slopes(const double *x, double f, double *d)
{
    (void)x, (void)f;
    d[0] = 1.0;
    d[1] = -1.0;
}

static int32_t sub_rule(pcs_graph *g, int32_t f, const int32_t *x, const int32_t *dx)
{
    (void)f, (void)x;
    return sub(g, dx[0], dx[1]);
}

static void mul_slopes(const double *x, double f, double *d)
{
    (void)f;
    d[0] = x[1];
    d[1] = x[0];
}

static int32_t mul_rule(pcs_graph *g, int32_t f, const int32_t *x, const int32_t *dx)
{
    (void)f;
    return add(g, times(g, dx[0], x[1]), times(g, x[0], dx[1]));
}

static void div_slopes(const double *x, double f, double *d)
{
    d[0] = 1.0 / x[1];
    d[1] = -f / x[1];
}

// (a/b)' = (a' - (a/b) b') / b; where b may vanish, a numerator of zero wins
static int32_t div_rule(pcs_graph *g, int32_t f, const int32_t *x, const int32_t *dx)
{
    int32_t numerator = sub(g, dx[0], times(g, f, dx[1]));
    if (numerator == PCS_NODE_ZERO)
        return PCS_NODE_ZERO;
    int32_t reciprocal = inverse(g, x[1]);
    if (g->nodes.data[reciprocal].result & PCS_RESULT_FINITE)
        return quotient(g, numerator, x[1]);
    return times(g, numerator, reciprocal);
}

// (a^b)' = b a^(b-1) a' + a^b log(a) b'. The first slope is right for negative a and whole b; at
// a = 0 the products take their limits: x^2 has slope 0, 0^y with y > 0 has slope 0.
static void pow_slopes(const double *x, double f, double *d)
{
    d[0] = pcs_chain_product(x[1], pow(x[0], x[1] - 1.0));
    d[1] = pcs_chain_product(f, log(x[0]));
}

static int32_t pow_rule(pcs_graph *g, int32_t f, const int32_t *x, const int32_t *dx)
{
    int32_t sum = PCS_NODE_ZERO;
    if (dx[0] != PCS_NODE_ZERO) {
        int32_t reduced = sub(g, x[1], PCS_NODE_ONE);
        int32_t power = pcs_graph_apply(g, PCS_OP_POW, x[0], reduced, 0);
        sum = times(g, times(g, x[1], power), dx[0]);
    }
    if (dx[1] != PCS_NODE_ZERO)
        sum = add(g, sum, times(g, times(g, f, call(g, PCS_OP_LOG, x[0])), dx[1]));
    return sum;
}

SLOPE(square, 2.0 * a)
RULE(square, times(g, number(g, 2.0), a))
SLOPE(neg, -1.0)

static int32_t neg_rule(pcs_graph *g, int32_t f, const int32_t *x, const int32_t *dx)
{
    (void)f, (void)x;
    return neg(g, dx[0]);
}

// Comparisons, logic, choice. A number is true when it is not zero.

VALUE(lt, a < b)
VALUE(le, a <= b)
VALUE(gt, a > b)
VALUE(ge, a >= b)
VALUE(eq, a == b)
VALUE(ne, a != b)
VALUE(and, a != 0.0 && b != 0.0)
VALUE(or, a != 0.0 || b != 0.0)
VALUE(not, a == 0.0)
VALUE(select, a != 0.0 ? b : c)

static void select_slopes(const double *x, double f, double *d)
{
    (void)f;
    d[0] = 0.0;
    d[1] = x[0] != 0.0;
    d[2] = !(x[0] != 0.0);
}

static int32_t select_rule(pcs_graph *g, int32_t f, const int32_t *x, const int32_t *dx)
{
    (void)f;
    return choose(g, x[0], dx[1], dx[2]);
}

// Trigonometric and hyperbolic functions, exponentials and roots

VALUE(sin, sin(a))
SLOPE(sin, cos(a))
RULE(sin, call(g, PCS_OP_COS, a))

VALUE(cos, cos(a))
SLOPE(cos, -sin(a))
RULE(cos, neg(g, call(g, PCS_OP_SIN, a)))

VALUE(tan, tan(a))
SLOPE(tan, 1.0 + f * f)
RULE(tan, add(g, PCS_NODE_ONE, square(g, f)))

// (1-a)(1+a) instead of 1-a^2: no cancellation near the ends of the domain
static int32_t one_minus_square(pcs_graph *g, int32_t a)
{
    return times(g, sub(g, PCS_NODE_ONE, a), add(g, PCS_NODE_ONE, a));
}

VALUE(asin, asin(a))
SLOPE(asin, 1.0 / sqrt((1.0 - a) * (1.0 + a)))
RULE(asin, inverse(g, call(g, PCS_OP_SQRT, one_minus_square(g, a))))

VALUE(acos, acos(a))
SLOPE(acos, -1.0 / sqrt((1.0 - a) * (1.0 + a)))
RULE(acos, neg(g, inverse(g, call(g, PCS_OP_SQRT, one_minus_square(g, a)))))

VALUE(atan, atan(a))
SLOPE(atan, 1.0 / (1.0 + a * a))
RULE(atan, inverse(g, add(g, PCS_NODE_ONE, square(g, a))))

VALUE(sinh, sinh(a))
SLOPE(sinh, cosh(a))
RULE(sinh, call(g, PCS_OP_COSH, a))

VALUE(cosh, cosh(a))
SLOPE(cosh, sinh(a))
RULE(cosh, call(g, PCS_OP_SINH, a))

VALUE(tanh, tanh(a))
SLOPE(tanh, 1.0 / (cosh(a) * cosh(a)))
RULE(tanh, inverse(g, square(g, call(g, PCS_OP_COSH, a))))

VALUE(asinh, asinh(a))
SLOPE(asinh, 1.0 / hypot(1.0, a))
RULE(asinh, inverse(g, pcs_graph_apply(g, PCS_OP_HYPOT, PCS_NODE_ONE, a, 0)))

VALUE(acosh, acosh(a))
SLOPE(acosh, 1.0 / (sqrt(a - 1.0) * sqrt(a + 1.0)))
RULE(acosh, inverse(g, times(g, call(g, PCS_OP_SQRT, sub(g, a, PCS_NODE_ONE)),
                             call(g, PCS_OP_SQRT, add(g, a, PCS_NODE_ONE)))))

VALUE(atanh, atanh(a))
SLOPE(atanh, 1.0 / ((1.0 - a) * (1.0 + a)))
RULE(atanh, inverse(g, one_minus_square(g, a)))

VALUE(exp, exp(a))
SLOPE(exp, f)
RULE(exp, f)

VALUE(log, log(a))
SLOPE(log, 1.0 / a)
RULE(log, inverse(g, a))

VALUE(log10, log10(a))
SLOPE(log10, 1.0 / (LN10 * a))
RULE(log10, inverse(g, times(g, number(g, LN10), a)))

VALUE(log2, log2(a))
SLOPE(log2, 1.0 / (LN2 * a))
RULE(log2, inverse(g, times(g, number(g, LN2), a)))

VALUE(sqrt, sqrt(a))
SLOPE(sqrt, 1.0 / (2.0 * f))
RULE(sqrt, inverse(g, times(g, number(g, 2.0), f)))

VALUE(cbrt, cbrt(a))
SLOPE(cbrt, 1.0 / (3.0 * (f * f)))
RULE(cbrt, inverse(g, times(g, number(g, 3.0), square(g, f))))

VALUE(hypot, hypot(a, b))

static void hypot_slopes(const double *x, double f, double *d)
{
    d[0] = pcs_chain_product(x[0], 1.0 / f);
    d[1] = pcs_chain_product(x[1], 1.0 / f);
}

static int32_t hypot_rule(pcs_graph *g, int32_t f, const int32_t *x, const int32_t *dx)
{
    int32_t sum = add(g, times(g, x[0], dx[0]), times(g, x[1], dx[1]));
    return times(g, sum, inverse(g, f));
}

VALUE(atan2, atan2(a, b))

// d atan2(y, x) = (x dy - y dx) / r^2
static void atan2_slopes(const double *x, double f, double *d)
{
    (void)f;
    double r = hypot(x[0], x[1]);
    d[0] = pcs_chain_product(x[1] / r, 1.0 / r);
    d[1] = -pcs_chain_product(x[0] / r, 1.0 / r);
    if (r == 0.0)
        d[0] = d[1] = 0.0;
}

static int32_t atan2_rule(pcs_graph *g, int32_t f, const int32_t *x, const int32_t *dx)
{
    (void)f;
    int32_t cross = sub(g, times(g, x[1], dx[0]), times(g, x[0], dx[1]));
    if (cross == PCS_NODE_ZERO)
        return PCS_NODE_ZERO;
    int32_t r = pcs_graph_apply(g, PCS_OP_HYPOT, x[0], x[1], 0);
    return times(g, times(g, cross, inverse(g, r)), inverse(g, r));
}

// Piecewise functions. NaN is passed on.

VALUE(abs, fabs(a))
SLOPE(abs, a > 0.0 ? 1.0 : a < 0.0 ? -1.0 : a)
RULE(abs, call(g, PCS_OP_SIGN, a))

VALUE(sign, a > 0.0 ? 1.0 : a < 0.0 ? -1.0 : a)
VALUE(floor, floor(a))
VALUE(ceil, ceil(a))
VALUE(round, round(a))
VALUE(step, a < 0.0 ? 0.0 : a >= 0.0 ? 1.0 : a)

VALUE(ramp, a < 0.0 ? 0.0 : a)
SLOPE(ramp, step_value((const double[]){a, 0.0, 0.0}))
RULE(ramp, call(g, PCS_OP_STEP, a))

// x - y floor(x/y): the remainder has the sign of y, so that mod(t, T) is periodic through t = 0.
static double mod_value(const double *x)
{
    double remainder = fmod(x[0], x[1]);
    return remainder != 0.0 && (remainder < 0.0) != (x[1] < 0.0) ? remainder + x[1] : remainder;
}

static void mod_slopes(const double *x, double f, double *d)
{
    (void)f;
    d[0] = 1.0;
    d[1] = -floor(x[0] / x[1]);
}

static int32_t mod_rule(pcs_graph *g, int32_t f, const int32_t *x, const int32_t *dx)
{
    (void)f;
    int32_t turns = call(g, PCS_OP_FLOOR, quotient(g, x[0], x[1]));
    return sub(g, dx[0], times(g, turns, dx[1]));
}

VALUE(min, a <= b || isnan(a) ? a : b)
VALUE(max, a >= b || isnan(a) ? a : b)

static void min_slopes(const double *x, double f, double *d)
{
    (void)f;
    d[0] = x[0] <= x[1];
    d[1] = 1.0 - d[0];
}

static int32_t min_rule(pcs_graph *g, int32_t f, const int32_t *x, const int32_t *dx)
{
    (void)f;
    return choose(g, pcs_graph_apply(g, PCS_OP_LE, x[0], x[1], 0), dx[0], dx[1]);
}

static void max_slopes(const double *x, double f, double *d)
{
    (void)f;
    d[0] = x[0] >= x[1];
    d[1] = 1.0 - d[0];
}

static int32_t max_rule(pcs_graph *g, int32_t f, const int32_t *x, const int32_t *dx)
{
    (void)f;
    return choose(g, pcs_graph_apply(g, PCS_OP_GE, x[0], x[1], 0), dx[0], dx[1]);
}

// clamp(x, lo, hi) = min(max(x, lo), hi)
static double clamp_value(const double *x)
{
    double raised = max_value(x);
    return min_value((const double[]){raised, x[2], 0.0});
}

static void clamp_slopes(const double *x, double f, double *d)
{
    (void)f;
    bool free_above = x[0] <= x[2] && x[1] <= x[2];
    d[0] = free_above && x[0] >= x[1];
    d[1] = free_above && !(x[0] >= x[1]);
    d[2] = !free_above;
}

static int32_t clamp_rule(pcs_graph *g, int32_t f, const int32_t *x, const int32_t *dx)
{
    (void)f;
    int32_t raised = pcs_graph_apply(g, PCS_OP_MAX, x[0], x[1], 0);
    int32_t raised_slope = max_rule(g, raised, x, dx);
    return choose(g, pcs_graph_apply(g, PCS_OP_LE, raised, x[2], 0), raised_slope, dx[2]);
}

// Smooth steps: p(s) with s = (x-a)/(b-a) held in [0, 1]; a = b gives a step at a. b < a falls.
//   cubic   p = s^2 (3 - 2s),              p' = 6 s (1-s)
//   quintic p = s^3 (10 - 15 s + 6 s^2),   p' = 30 s^2 (1-s)^2
//   p(s)' = p'(s) (x' - (1-s) a' - s b') / (b-a)
static double step_fraction(const double *x)
{
    double width = x[1] - x[0], s = (x[2] - x[0]) / width;
    if (width == 0.0)
        return step_value((const double[]){x[2] - x[0], 0.0, 0.0});
    return s < 0.0 ? 0.0 : s > 1.0 ? 1.0 : s;
}

static void step_slopes(const double *x, double s, double slope, double *d)
{
    d[2] = pcs_chain_product(slope, 1.0 / (x[1] - x[0]));
    d[0] = pcs_chain_product(-d[2], 1.0 - s);
    d[1] = pcs_chain_product(-d[2], s);
}

// The node of s. The chain product keeps it a number if a = b = x.
static int32_t step_fraction_node(pcs_graph *g, const int32_t *x)
{
    int32_t s = times(g, sub(g, x[2], x[0]), inverse(g, sub(g, x[1], x[0])));
    return pcs_graph_apply(g, PCS_OP_CLAMP, s, PCS_NODE_ZERO, PCS_NODE_ONE);
}

static int32_t step_rule(pcs_graph *g, int32_t s, int32_t slope, const int32_t *x,
                         const int32_t *dx)
{
    int32_t from_a = times(g, sub(g, PCS_NODE_ONE, s), dx[0]), from_b = times(g, s, dx[1]);
    int32_t sum = sub(g, sub(g, dx[2], from_a), from_b);
    return times(g, times(g, slope, sum), inverse(g, sub(g, x[1], x[0])));
}

static double smoothstep_value(const double *x)
{
    double s = step_fraction(x);
    return s * s * (3.0 - 2.0 * s);
}

static void smoothstep_slopes(const double *x, double f, double *d)
{
    (void)f;
    double s = step_fraction(x);
    step_slopes(x, s, 6.0 * s * (1.0 - s), d);
}

static int32_t smoothstep_rule(pcs_graph *g, int32_t f, const int32_t *x, const int32_t *dx)
{
    (void)f;
    int32_t s = step_fraction_node(g, x), t = sub(g, PCS_NODE_ONE, s);
    return step_rule(g, s, times(g, times(g, number(g, 6.0), s), t), x, dx);
}

static double smooth5_value(const double *x)
{
    double s = step_fraction(x);
    return s * s * s * (10.0 + s * (6.0 * s - 15.0));
}

static void smooth5_slopes(const double *x, double f, double *d)
{
    (void)f;
    double s = step_fraction(x), product = s * (1.0 - s);
    step_slopes(x, s, 30.0 * product * product, d);
}

static int32_t smooth5_rule(pcs_graph *g, int32_t f, const int32_t *x, const int32_t *dx)
{
    (void)f;
    int32_t s = step_fraction_node(g, x), t = sub(g, PCS_NODE_ONE, s);
    return step_rule(g, s, times(g, number(g, 30.0), square(g, times(g, s, t))), x, dx);
}

// The same slopes and rule as the ordinary product, whose rule already multiplies by `times`.
#define chain_slopes mul_slopes
#define chain_rule mul_rule

// The table

#define FIN PCS_RESULT_FINITE
#define NON PCS_RESULT_NONNEGATIVE
#define POS (PCS_RESULT_NONNEGATIVE | PCS_RESULT_POSITIVE)
#define ANY PCS_ARGUMENTS_ANY

// SMOOTH rows have slopes and a rule, FLAT rows have slope 0.
#define SMOOTH(id) id##_value, id##_slopes, id##_rule
#define FLAT(id) id##_value, NULL, NULL

const pcs_operation pcs_operations[PCS_OP_COUNT] = {
    [PCS_OP_ADD] = {"+", 2, 0, 0, FIN, SMOOTH(add), NULL, NULL},
    [PCS_OP_SUB] = {"-", 2, 0, 0, FIN, SMOOTH(sub), NULL, NULL},
    [PCS_OP_MUL] = {"*", 2, 0, 0, FIN, SMOOTH(mul), NULL, NULL},
    [PCS_OP_DIV] = {"/", 2, 0, 0, 0, SMOOTH(div), NULL, NULL},
    [PCS_OP_POW] = {"^", 2, 0, 0, 0, SMOOTH(pow), NULL, NULL},
    [PCS_OP_SQUARE] = {"^ 2", 1, 0, 0, FIN | NON, SMOOTH(square), NULL, NULL},
    [PCS_OP_NEG] = {"-", 1, 0, 0, FIN, SMOOTH(neg), NULL, NULL},
    [PCS_OP_LT] = {"<", 2, 0, 0, FIN | NON, FLAT(lt), NULL, NULL},
    [PCS_OP_LE] = {"<=", 2, 0, 0, FIN | NON, FLAT(le), NULL, NULL},
    [PCS_OP_GT] = {">", 2, 0, 0, FIN | NON, FLAT(gt), NULL, NULL},
    [PCS_OP_GE] = {">=", 2, 0, 0, FIN | NON, FLAT(ge), NULL, NULL},
    [PCS_OP_EQ] = {"==", 2, 0, 0, FIN | NON, FLAT(eq), NULL, NULL},
    [PCS_OP_NE] = {"!=", 2, 0, 0, FIN | NON, FLAT(ne), NULL, NULL},
    [PCS_OP_AND] = {"&&", 2, 0, 0, FIN | NON, FLAT(and), NULL, NULL},
    [PCS_OP_OR] = {"||", 2, 0, 0, FIN | NON, FLAT(or), NULL, NULL},
    [PCS_OP_NOT] = {"!", 1, 0, 0, FIN | NON, FLAT(not ), NULL, NULL},
    [PCS_OP_SELECT] = {"if", 3, 3, 3, FIN, SMOOTH(select), "if(c, a, b)",
                       "a if c is not zero, else b; the same as c ? a : b"},
    [PCS_OP_SIN] = {"sin", 1, 1, 1, FIN, SMOOTH(sin), "sin(x)", "sine, x in radians"},
    [PCS_OP_COS] = {"cos", 1, 1, 1, FIN, SMOOTH(cos), "cos(x)", "cosine, x in radians"},
    [PCS_OP_TAN] = {"tan", 1, 1, 1, FIN, SMOOTH(tan), "tan(x)", "tangent, x in radians"},
    [PCS_OP_ASIN] = {"asin", 1, 1, 1, FIN, SMOOTH(asin), "asin(x)", "inverse sine, -1 <= x <= 1"},
    [PCS_OP_ACOS] = {"acos", 1, 1, 1, FIN | NON, SMOOTH(acos), "acos(x)",
                     "inverse cosine, -1 <= x <= 1"},
    [PCS_OP_ATAN] = {"atan", 1, 1, 1, FIN, SMOOTH(atan), "atan(x)", "inverse tangent"},
    [PCS_OP_ATAN2] = {"atan2", 2, 2, 2, FIN, SMOOTH(atan2), "atan2(y, x)",
                      "angle of the point (x, y), from -pi to pi"},
    [PCS_OP_SINH] = {"sinh", 1, 1, 1, FIN, SMOOTH(sinh), "sinh(x)", "hyperbolic sine"},
    [PCS_OP_COSH] = {"cosh", 1, 1, 1, FIN | POS, SMOOTH(cosh), "cosh(x)", "hyperbolic cosine"},
    [PCS_OP_TANH] = {"tanh", 1, 1, 1, FIN, SMOOTH(tanh), "tanh(x)", "hyperbolic tangent"},
    [PCS_OP_ASINH] = {"asinh", 1, 1, 1, FIN, SMOOTH(asinh), "asinh(x)", "inverse of sinh"},
    [PCS_OP_ACOSH] = {"acosh", 1, 1, 1, FIN | NON, SMOOTH(acosh), "acosh(x)",
                      "inverse of cosh, x >= 1"},
    [PCS_OP_ATANH] = {"atanh", 1, 1, 1, 0, SMOOTH(atanh), "atanh(x)",
                      "inverse of tanh, -1 < x < 1"},
    [PCS_OP_EXP] = {"exp", 1, 1, 1, FIN | POS, SMOOTH(exp), "exp(x)", "exponential"},
    [PCS_OP_LOG] = {"log", 1, 1, 1, 0, SMOOTH(log), "log(x)", "natural logarithm, x > 0"},
    [PCS_OP_LOG10] = {"log10", 1, 1, 1, 0, SMOOTH(log10), "log10(x)", "decimal logarithm, x > 0"},
    [PCS_OP_LOG2] = {"log2", 1, 1, 1, 0, SMOOTH(log2), "log2(x)", "binary logarithm, x > 0"},
    [PCS_OP_SQRT] = {"sqrt", 1, 1, 1, FIN | NON, SMOOTH(sqrt), "sqrt(x)", "square root, x >= 0"},
    [PCS_OP_CBRT] = {"cbrt", 1, 1, 1, FIN, SMOOTH(cbrt), "cbrt(x)", "cube root, any x"},
    [PCS_OP_HYPOT] = {"hypot", 2, 2, ANY, FIN | NON, SMOOTH(hypot), "hypot(x, y, ...)",
                      "length sqrt(x^2 + y^2 + ...), two or more arguments"},
    [PCS_OP_ABS] = {"abs", 1, 1, 1, FIN | NON, SMOOTH(abs), "abs(x)", "absolute value"},
    [PCS_OP_SIGN] = {"sign", 1, 1, 1, FIN, FLAT(sign), "sign(x)", "-1, 0 or 1"},
    [PCS_OP_FLOOR] = {"floor", 1, 1, 1, FIN, FLAT(floor), "floor(x)", "greatest whole number <= x"},
    [PCS_OP_CEIL] = {"ceil", 1, 1, 1, FIN, FLAT(ceil), "ceil(x)", "least whole number >= x"},
    [PCS_OP_ROUND] = {"round", 1, 1, 1, FIN, FLAT(round), "round(x)",
                      "nearest whole number, halves away from zero"},
    [PCS_OP_MOD] = {"mod", 2, 2, 2, 0, SMOOTH(mod), "mod(x, y)",
                    "x - y*floor(x/y): remainder with the sign of y"},
    [PCS_OP_MIN] = {"min", 2, 2, ANY, FIN, SMOOTH(min), "min(x, y, ...)",
                    "least of two or more arguments"},
    [PCS_OP_MAX] = {"max", 2, 2, ANY, FIN, SMOOTH(max), "max(x, y, ...)",
                    "greatest of two or more arguments"},
    [PCS_OP_CLAMP] = {"clamp", 3, 3, 3, FIN, SMOOTH(clamp), "clamp(x, lo, hi)",
                      "x held between lo and hi: min(max(x, lo), hi)"},
    [PCS_OP_STEP] = {"step", 1, 1, 1, FIN | NON, FLAT(step), "step(x)",
                     "0 for x < 0, 1 for x >= 0"},
    [PCS_OP_RAMP] = {"ramp", 1, 1, 1, FIN | NON, SMOOTH(ramp), "ramp(x)", "max(x, 0)"},
    [PCS_OP_SMOOTHSTEP] = {"smoothstep", 3, 3, 3, FIN | NON, SMOOTH(smoothstep),
                           "smoothstep(a, b, x)",
                           "0 before a, 1 after b, between them the cubic with continuous rate"},
    [PCS_OP_SMOOTH5] = {"smooth5", 3, 3, 3, FIN | NON, SMOOTH(smooth5), "smooth5(a, b, x)",
                        "the same with the quintic, acceleration continuous too"},
    [PCS_OP_CHAIN] = {"chain", 2, 2, 2, FIN, SMOOTH(chain), "chain(x, y)",
                      "x*y, but 0 if x or y is 0 even when the other is infinite; "
                      "printed derivatives use it"},
};

int32_t pcs_operation_find(const char *name, size_t length)
{
    for (int32_t op = 0; op < PCS_OP_COUNT; op++) {
        const pcs_operation *row = &pcs_operations[op];
        if (row->max_arguments > 0 && strlen(row->name) == length &&
            memcmp(row->name, name, length) == 0)
            return op;
    }
    return -1;
}

// Names from other languages, and what they are called here.
static const struct {
    const char *other, *here;
} synonyms[] = {
    {"ln", "log"},         {"pow", "x^y"},     {"power", "x^y"},      {"fabs", "abs"},
    {"sgn", "sign"},       {"signum", "sign"}, {"fmod", "mod"},       {"rem", "mod"},
    {"arcsin", "asin"},    {"arccos", "acos"}, {"arctan", "atan"},    {"arctan2", "atan2"},
    {"heaviside", "step"}, {"fmin", "min"},    {"fmax", "max"},       {"norm", "hypot"},
    {"select", "if"},      {"where", "if"},    {"sqr", "x^2"},        {"square", "x^2"},
    {"int", "floor"},      {"trunc", "floor"}, {"saturate", "clamp"},
};

const char *pcs_operation_nearest(const char *name, size_t length)
{
    char word[32];
    if (length >= sizeof word)
        return NULL;
    memcpy(word, name, length);
    word[length] = '\0';
    for (size_t i = 0; i < sizeof synonyms / sizeof synonyms[0]; i++)
        if (strcmp(word, synonyms[i].other) == 0)
            return synonyms[i].here;
    const char *names[PCS_OP_COUNT] = {NULL};
    for (int32_t op = 0; op < PCS_OP_COUNT; op++)
        if (pcs_operations[op].max_arguments > 0)
            names[op] = pcs_operations[op].name;
    return pcs_text_nearest(word, names, PCS_OP_COUNT);
}
