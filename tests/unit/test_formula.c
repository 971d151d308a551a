// Formulas: values against closed forms, precedence, gradients and symbolic derivatives against
// finite differences and each other, sharing, folding, printing.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include <float.h>
#include <locale.h>
#include <math.h>

#include "percuss/formula.h"

#define PI 3.14159265358979323846

// Variables of the tests: x, y, z, t, joint.hinge.angle = 0..4, and v<index>, as print() writes
// them. Constants: k = 3.7, gain = -0.83, e = 0.62, nothing = 0.
static const char *const variable_names[] = {"x", "y", "z", "t", "joint.hinge.angle"};
enum { VARIABLES = 5 };

static bool is_name(const char *name, size_t length, const char *wanted)
{
    return strlen(wanted) == length && memcmp(name, wanted, length) == 0;
}

static pcs_symbol resolve(void *user, const char *name, size_t length)
{
    (void)user;
    static const struct {
        const char *name;
        double value;
    } constants[] = {{"k", 3.7}, {"gain", -0.83}, {"e", 0.62}, {"nothing", 0.0}};
    for (int i = 0; i < 4; i++)
        if (is_name(name, length, constants[i].name))
            return (pcs_symbol){.kind = PCS_SYMBOL_CONSTANT, .value = constants[i].value};
    for (int32_t i = 0; i < VARIABLES; i++)
        if (is_name(name, length, variable_names[i]))
            return (pcs_symbol){.kind = PCS_SYMBOL_VARIABLE, .variable = i};
    if (length > 1 && length < 9 && name[0] == 'v') {
        int32_t index = 0;
        for (size_t i = 1; i < length; i++) {
            if (name[i] < '0' || name[i] > '9')
                return (pcs_symbol){.kind = PCS_SYMBOL_UNKNOWN};
            index = 10 * index + (name[i] - '0');
        }
        return (pcs_symbol){.kind = PCS_SYMBOL_VARIABLE, .variable = index};
    }
    return (pcs_symbol){.kind = PCS_SYMBOL_UNKNOWN};
}

static pcs_context *ctx;

static int set_up(void **state)
{
    (void)state;
    ctx = pcs_context_create(NULL);
    return ctx ? 0 : -1;
}

// Every test must give back all its memory.
static uint64_t bytes_before;

static int note_bytes(void **state)
{
    (void)state;
    bytes_before = pcs_context_heap_bytes(ctx);
    return 0;
}

static int check_bytes(void **state)
{
    (void)state;
    return pcs_context_heap_bytes(ctx) == bytes_before ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    pcs_context_destroy(ctx);
    return 0;
}

static pcs_formula *parse(const char *text)
{
    pcs_formula *formula = NULL;
    pcs_status status = pcs_formula_create(ctx, text, resolve, NULL, &formula);
    if (status)
        fail_msg("'%s': %s", text, pcs_context_error(ctx));
    return formula;
}

static pcs_formula *derive(const pcs_formula *formula, int32_t variable)
{
    pcs_formula *derivative = NULL;
    pcs_status status = pcs_formula_derivative(formula, variable, &derivative);
    if (status)
        fail_msg("%s", pcs_context_error(ctx));
    return derivative;
}

static bool same(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

// Equal within `ulps` units of rounding of the greater one.
static bool near(double a, double b, double ulps)
{
    return same(a, b) || fabs(a - b) <= ulps * DBL_EPSILON * fmax(fabs(a), fabs(b));
}

static const double at[VARIABLES] = {0.7319, -2.385, 1.4142, 5.0617, 0.2863};

static double evaluate(const char *text)
{
    pcs_formula *formula = parse(text);
    double value = pcs_formula_evaluate(formula, at);
    pcs_formula_destroy(formula);
    return value;
}

// Closed forms and precedence

static void test_values(void **state)
{
    (void)state;
    const double x = at[0], y = at[1], z = at[2], t = at[3], hinge = at[4];
    const struct {
        const char *text;
        double value;
    } rows[] = {
        {"1", 1.0},
        {".5", 0.5},
        {"2.", 2.0},
        {"1e-3", 1e-3},
        {"1.25E+2", 125.0},
        {"0.1", 0.1},
        {"123456789012345678901234567890", 123456789012345678901234567890.0},
        {"4.9406564584124654e-324", 4.9406564584124654e-324},
        {"1.7976931348623157e308", DBL_MAX},
        {"1e-999", 0.0},
        {"0e999", 0.0},
        {"0.000000000000000000000000000000001e33", 1.0},
        {"pi", PI},
        {"tau", 2 * PI},
        {"e", 0.62},
        {"2*e", 2 * 0.62},
        {"x+y*z", x + y * z},
        {"(x+y)*z", (x + y) * z},
        {"x-y-z", (x - y) - z},
        {"x/y/z", (x / y) / z},
        {"x/y*z", (x / y) * z},
        {"-2^2", -4.0},
        {"(-2)^2", 4.0},
        {"2^-2", 0.25},
        {"2^3^2", 512.0},
        {"2**3**2", 512.0},
        {"-x^2", -(x * x)},
        {"2^-x^2", pow(2, -(x * x))},
        {"--x", x},
        {"-+-x", x},
        {"x*-y", x * -y},
        {"1 < 2", 1.0},
        {"x <= y", 0.0},
        {"x > y", 1.0},
        {"2 >= 2", 1.0},
        {"x == x", 1.0},
        {"x != x", 0.0},
        {"!x", 0.0},
        {"!0 + 1", 2.0},
        {"x + 1 < y * 2", 0.0},
        {"x > y && y > z", 0.0},
        {"x > y || y > z", 1.0},
        {"0 || 1 && 0", 0.0},
        {"(0 || 1) && 0", 0.0},
        {"1 || 0 && 0", 1.0},
        {"x > 0 ? y : z", y},
        {"x < 0 ? y : z", z},
        {"x < 0 ? y : z < 0 ? x : t", t},
        {"x > 0 ? z < 0 ? x : t : y", t},
        {"if(x > y, z, t)", z},
        {"1 + (x < 0 ? 5 : 7) * 2", 15.0},
        {" \t\n x \r\n ", x},
        {"-k*joint.hinge.angle + 6*sin(2*pi*t)", -3.7 * hinge + 6 * sin(2 * PI * t)},
        {"sin(x)", sin(x)},
        {"cos(x)", cos(x)},
        {"tan(x)", tan(x)},
        {"asin(x)", asin(x)},
        {"acos(x)", acos(x)},
        {"atan(y)", atan(y)},
        {"atan2(x, y)", atan2(x, y)},
        {"sinh(x)", sinh(x)},
        {"cosh(x)", cosh(x)},
        {"tanh(x)", tanh(x)},
        {"asinh(y)", asinh(y)},
        {"acosh(z)", acosh(z)},
        {"atanh(x)", atanh(x)},
        {"exp(y)", exp(y)},
        {"log(z)", log(z)},
        {"log10(z)", log10(z)},
        {"log2(z)", log2(z)},
        {"sqrt(z)", sqrt(z)},
        {"cbrt(y)", cbrt(y)},
        {"abs(y)", -y},
        {"sign(y) + 10*sign(x) + 100*sign(0)", 9.0},
        {"floor(y)", -3.0},
        {"ceil(y)", -2.0},
        {"round(y)", -2.0},
        {"round(2.5) + 10*round(-2.5)", -27.0},
        {"min(x, y)", y},
        {"max(x, y, z, t, k)", t},
        {"min(t, z, 9, x)", x},
        {"mod(t, x)", t - x * floor(t / x)},
        {"mod(-1, 3)", 2.0},
        {"mod(1, -3)", -2.0},
        {"mod(6, 3)", 0.0},
        {"hypot(x, y)", hypot(x, y)},
        {"hypot(3, 4, 12, 84)", 85.0},
        {"clamp(x, -1, 1)", x},
        {"clamp(y, -1, 1)", -1.0},
        {"clamp(t, -1, 1)", 1.0},
        {"step(y) + 10*step(0) + 100*step(x)", 110.0},
        {"ramp(x) + ramp(y)", x},
        {"smoothstep(0, 2, x)", (x / 2) * (x / 2) * (3 - x)},
        {"smoothstep(1, 2, x)", 0.0},
        {"smoothstep(0, 2, t)", 1.0},
        {"smoothstep(2, 0, t)", 0.0},
        {"smoothstep(1, 1, t) + 10*smoothstep(1, 1, x) + 100*smoothstep(1, 1, 1)", 101.0},
        {"smooth5(0, 2, 1)", 0.5},
        {"smooth5(0, 1, x)", x * x * x * (10 - 15 * x + 6 * x * x)},
        {"chain(x, y)", x * y},
        {"chain(0, 1/0)", 0.0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        double value = evaluate(rows[i].text);
        if (!near(value, rows[i].value, 8))
            fail_msg("%s = %.17g, should be %.17g", rows[i].text, value, rows[i].value);
    }
}

static void test_digits_beyond_double(void **state)
{
    (void)state;
    // 1 + 2^-53 exactly is a tie and goes to 1; a digit 800 places behind decides for the next.
    char text[1100] = "1.00000000000000011102230246251565404236316680908203125";
    assert_true(evaluate(text) == 1.0);
    size_t length = strlen(text);
    memset(text + length, '0', 1000);
    text[length + 1000] = '\0';
    assert_true(evaluate(text) == 1.0);
    strcat(text, "1");
    assert_true(evaluate(text) == 1.0 + DBL_EPSILON);
    // 900 digits before the point, brought back by the exponent
    memset(text, '7', 900);
    strcpy(text + 900, "e-899");
    assert_true(evaluate(text) == 7.0 + 7.0 / 9.0);
}

static void test_nan_and_infinity_pass(void **state)
{
    (void)state;
    static const char *const nan_rows[] = {
        "min(x, v5)",
        "min(v5, x)",
        "max(x, v5)",
        "max(v5, x)",
        "clamp(v5, 0, 1)",
        "sign(v5)",
        "step(v5)",
        "ramp(v5)",
        "v5*0",
        "v5-v5",
        "v6*0",
        "v6-v6",
        "v5/v5",
        "v6/v6",
        "smoothstep(0, 1, v5)",
        "smooth5(0, 1, v5)",
        "sqrt(-1)",
        "0/0",
        "mod(x, 0)",
    };
    const double values[] = {at[0], at[1], at[2], at[3], at[4], NAN, INFINITY};
    for (size_t i = 0; i < sizeof nan_rows / sizeof nan_rows[0]; i++) {
        pcs_formula *formula = parse(nan_rows[i]);
        if (!isnan(pcs_formula_evaluate(formula, values)))
            fail_msg("%s is not NaN", nan_rows[i]);
        pcs_formula_destroy(formula);
    }
    assert_true(evaluate("1/0") == INFINITY);
    assert_true(evaluate("-1/0") == -INFINITY);
    assert_true(evaluate("1/0 > 5 ? 2 : 3") == 2.0);
}

// Derivatives. The finite difference is central with Richardson extrapolation over two steps:
//   D = (4 D(h/2) - D(h)) / 3, error O(h^4) from truncation, eps |f| / h from rounding.

enum { STEP_EXPONENT = 10 };

static double finite_difference(const pcs_formula *formula, const double *where, int variable)
{
    double point[VARIABLES], slope[2];
    memcpy(point, where, sizeof point);
    for (int k = 0; k < 2; k++) {
        double h = ldexp(1.0, -STEP_EXPONENT - k);
        point[variable] = where[variable] + h;
        double above = pcs_formula_evaluate(formula, point);
        point[variable] = where[variable] - h;
        double below = pcs_formula_evaluate(formula, point);
        slope[k] = (above - below) / (2 * h);
    }
    return (4 * slope[1] - slope[0]) / 3;
}

// h^4 |f^(5)| / 480 with |f^(5)| below 1e3 for the rows here, and rounding 4 eps |f| / h.
static double difference_error(double value)
{
    double h = ldexp(1.0, -STEP_EXPONENT);
    return 1e3 * h * h * h * h + 8 * DBL_EPSILON * fmax(1.0, fabs(value)) / h;
}

static void check_derivatives(const char *text, const double *where)
{
    pcs_formula *formula = parse(text);
    const int32_t *variables;
    int32_t count = pcs_formula_variables(formula, &variables);
    double gradient[VARIABLES];
    double value = pcs_formula_gradient(formula, where, gradient);
    assert_true(same(value, pcs_formula_evaluate(formula, where)));
    for (int32_t i = 0; i < count; i++) {
        int32_t variable = variables[i];
        double expected = finite_difference(formula, where, variable);
        pcs_formula *derivative = derive(formula, variable);
        double symbolic = pcs_formula_evaluate(derivative, where);
        double allowed = difference_error(value) * fmax(1.0, fabs(expected));
        if (!(fabs(gradient[i] - expected) <= allowed))
            fail_msg("%s: d/d%s = %.15g by sweep, %.15g by differences", text,
                     variable_names[variable], gradient[i], expected);
        if (!(fabs(symbolic - gradient[i]) <= 64 * DBL_EPSILON * fmax(1.0, fabs(gradient[i]))))
            fail_msg("%s: d/d%s = %.17g by rule, %.17g by sweep", text, variable_names[variable],
                     symbolic, gradient[i]);

        // and once more: the second derivative along the same variable
        pcs_formula *second = derive(derivative, variable);
        expected = finite_difference(derivative, where, variable);
        symbolic = pcs_formula_evaluate(second, where);
        allowed = difference_error(gradient[i]) * fmax(1.0, fabs(expected)) * 10;
        if (!(fabs(symbolic - expected) <= allowed))
            fail_msg("%s: d2/d%s2 = %.15g by rule, %.15g by differences", text,
                     variable_names[variable], symbolic, expected);
        pcs_formula_destroy(second);
        pcs_formula_destroy(derivative);
    }
    pcs_formula_destroy(formula);
}

static void test_derivatives(void **state)
{
    (void)state;
    static const char *const rows[] = {
        "x + y",
        "x - y",
        "x * y",
        "x / y",
        "z ^ y",
        "x^2",
        "y^3",
        "y^-3",
        "z^2.385",
        "2.385^x",
        "-x",
        "!x",
        "x < y",
        "x && y",
        "x > y ? x*z : y",
        "x < y ? x*z : y*z",
        "if(y, x, z)",
        "sin(x)",
        "cos(x)",
        "tan(x)",
        "asin(x)",
        "acos(x)",
        "atan(y)",
        "atan2(x, y)",
        "atan2(y, x)",
        "sinh(x)",
        "cosh(y)",
        "tanh(y)",
        "asinh(y)",
        "acosh(z)",
        "atanh(x)",
        "exp(y)",
        "log(z)",
        "log10(z)",
        "log2(z)",
        "sqrt(z)",
        "cbrt(y)",
        "cbrt(z)",
        "abs(y)",
        "abs(x)",
        "sign(y)",
        "floor(y)",
        "ceil(y)",
        "round(y)",
        "mod(t, z)",
        "mod(t, y)",
        "min(x, y)",
        "max(x, y)",
        "min(x*x, y*y, z*z)",
        "max(x*z, y, z)",
        "hypot(x, y)",
        "hypot(x, y, z)",
        "clamp(x, y, z)",
        "clamp(y, x, z)",
        "clamp(t, y, x*z)",
        "step(x)",
        "ramp(x)*z",
        "ramp(y)",
        "smoothstep(y, z, x)",
        "smoothstep(z, y, x)",
        "smoothstep(x, z, y)",
        "smoothstep(y, x, z)",
        "smooth5(y, z, x)",
        "smooth5(z, y, x)",
        "chain(x, y)",
        "chain(x, log(z))",
        // compositions
        "sin(x*y)*exp(-z*x) + cos(x*y)",
        "sqrt(1 + x^2 + y^2)",
        "x^y^2 / (1 + x^y)",
        "atan2(sin(x) + y, cos(x)*z)",
        "log(cosh(x*y)) * tanh(x/y)",
        "smooth5(0, 2, t - 4)*sin(tau*t)/hypot(x, t)",
        "max(sin(x), cos(x))*min(y, z)^2",
        "(x > 0 ? sqrt(x) : x^2) * (y > 0 ? log(y) : y)",
        "exp(sin(exp(x)))^0.37",
        "-k*joint.hinge.angle - gain*abs(x*y)*y + 6*sin(2*pi*t)",
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        check_derivatives(rows[i], at);
}

// Slope with respect to x = value of variable 0, both ways.
static void check_slope(const char *text, double x, double expected)
{
    pcs_formula *formula = parse(text);
    const double values[VARIABLES] = {x, 0.0, 2.0, 0.5, 0.0};
    double gradient[VARIABLES];
    pcs_formula_gradient(formula, values, gradient);
    pcs_formula *derivative = derive(formula, 0);
    double symbolic = pcs_formula_evaluate(derivative, values);
    if (!same(gradient[0], expected) || !same(symbolic, expected))
        fail_msg("%s at %g: slope %g by sweep, %g by rule, should be %g", text, x, gradient[0],
                 symbolic, expected);
    pcs_formula_destroy(derivative);
    pcs_formula_destroy(formula);
}

static void test_slopes_at_special_places(void **state)
{
    (void)state;
    check_slope("x^2", 0.0, 0.0);
    check_slope("x^1.5", 0.0, 0.0);
    check_slope("x^3", -2.0, 12.0);
    check_slope("x^z", -3.0, -6.0); // z = 2: whole exponent held in a variable
    check_slope("x^z", 0.0, 0.0);
    check_slope("x^(2*t)", 0.0, 1.0); // x^1
    check_slope("z^x", 0.0, log(2.0));
    check_slope("y^x", 1.0, 0.0); // 0^x with x > 0
    check_slope("x^-1", -2.0, -0.25);
    check_slope("sqrt(x)", 0.0, INFINITY);
    check_slope("cbrt(x)", 0.0, INFINITY);
    check_slope("log(x)", 0.0, INFINITY);
    check_slope("asin(x)", 1.0, INFINITY);
    check_slope("acos(x)", -1.0, -INFINITY);
    check_slope("x*sqrt(x)", 0.0, 0.0);
    check_slope("sqrt(x^4)", 0.0, 0.0);
    check_slope("sqrt(x^2)", 0.0, 0.0);
    check_slope("hypot(x, y)", 0.0, 0.0);
    check_slope("atan2(x, y)", 0.0, 0.0);
    check_slope("atan2(y, x)", 0.0, 0.0);
    check_slope("abs(x)", 0.0, 0.0);
    check_slope("x*abs(x)", 0.0, 0.0);
    check_slope("ramp(x)", 0.0, 1.0);
    check_slope("step(x)", 0.0, 0.0);
    check_slope("floor(x)", 2.0, 0.0);
    check_slope("min(x, 2*x)", 0.0, 1.0); // tie: the first argument
    check_slope("max(3*x, 2*x)", 0.0, 3.0);
    check_slope("clamp(x, 0, 1)", 0.0, 1.0);
    check_slope("clamp(x, 0, 1)", 1.0, 1.0);
    check_slope("clamp(x, 0, 1)", 1.5, 0.0);
    check_slope("smoothstep(0, 1, x)", 0.0, 0.0);
    check_slope("smoothstep(0, 0, x)", 0.0, 0.0);
    check_slope("smooth5(0, 1, x)", 1.0, 0.0);
    check_slope("x > 0 ? sqrt(x) : 0", 0.0, 0.0); // the branch not taken has an infinite slope
    check_slope("x != 0 ? sin(x)/x : 1 + 0.25*x", 0.0, 0.25);
    check_slope("x*(y > 0 ? log(y) : 3)", 2.0, 3.0);
}

// Random formulas: the two derivatives agree wherever the result is well scaled.
static uint64_t seed = 20240917;

static int pick(int n)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (int)((seed >> 33) % (uint64_t)n);
}

static size_t write_random(char *text, size_t size, int depth)
{
    static const char *const leaves[] = {"x", "y", "z", "t", "2.385", "0.7", "k", "gain"};
    static const char *const calls[] = {"sin",        "cos",       "atan", "tanh",
                                        "asinh",      "cbrt",      "abs",  "ramp",
                                        "sqrt(1+abs", "log(2+abs", "-",    "exp(-abs"};
    static const char *const infix[] = {" + ", " - ", "*", "/(3 + sin(t)) - ", "*"};
    size_t n = 0;
    int kind = depth == 0 ? 0 : pick(8);
    if (kind == 0) {
        n = (size_t)snprintf(text, size, "%s", leaves[pick(8)]);
    } else if (kind < 4) {
        const char *name = calls[pick(12)];
        n = (size_t)snprintf(text, size, "%s(", name);
        n += write_random(text + n, size - n, depth - 1);
        n += (size_t)snprintf(text + n, size - n, "%s", strchr(name, '(') ? "))" : ")");
    } else if (kind < 7) {
        n = (size_t)snprintf(text, size, "(");
        n += write_random(text + n, size - n, depth - 1);
        n += (size_t)snprintf(text + n, size - n, "%s", infix[pick(5)]);
        n += write_random(text + n, size - n, depth - 1);
        n += (size_t)snprintf(text + n, size - n, ")");
    } else {
        static const char *const names[] = {"if(x < y, ", "max(t, ", "hypot(k, ", "clamp(x, -1, "};
        int which = pick(4);
        n = (size_t)snprintf(text, size, "%s", names[which]);
        n += write_random(text + n, size - n, depth - 1);
        if (which == 0) {
            n += (size_t)snprintf(text + n, size - n, ", ");
            n += write_random(text + n, size - n, depth - 1);
        }
        n += (size_t)snprintf(text + n, size - n, ")");
    }
    return n;
}

static void check_round_trip(const pcs_formula *formula, const double *where)
{
    static char text[70000];
    int length = pcs_formula_print(formula, text, sizeof text);
    assert_int_equal(length, strlen(text));
    pcs_formula *again = parse(text);
    double value = pcs_formula_evaluate(formula, where);
    if (!same(value, pcs_formula_evaluate(again, where)))
        fail_msg("%s reads back as another value", text);
    assert_int_equal(pcs_formula_operations(formula), pcs_formula_operations(again));
    pcs_formula_destroy(again);
}

static void test_random_formulas(void **state)
{
    (void)state;
    static char text[40000];
    for (int round = 0; round < 400; round++) {
        write_random(text, sizeof text, 5);
        pcs_formula *formula = parse(text);
        const int32_t *variables;
        int32_t count = pcs_formula_variables(formula, &variables);
        double gradient[VARIABLES];
        double where[VARIABLES];
        for (int i = 0; i < VARIABLES; i++)
            where[i] = pick(1000000) * 4e-6 - 2.0;
        pcs_formula_gradient(formula, where, gradient);
        check_round_trip(formula, where);
        for (int32_t i = 0; i < count; i++) {
            pcs_formula *derivative = derive(formula, variables[i]);
            double symbolic = pcs_formula_evaluate(derivative, where);
            // rounding grows with the number of operations on the way
            double allowed = 1e3 * DBL_EPSILON * fmax(1.0, fabs(gradient[i]));
            if (fabs(gradient[i]) < 1e6 && !(fabs(symbolic - gradient[i]) <= allowed))
                fail_msg("%s: %.17g by rule, %.17g by sweep", text, symbolic, gradient[i]);
            check_round_trip(derivative, where);
            pcs_formula_destroy(derivative);
        }
        pcs_formula_destroy(formula);
    }
}

// Graph: sharing, folding

static void check_operations(const char *text, int32_t expected)
{
    pcs_formula *formula = parse(text);
    if (pcs_formula_operations(formula) != expected)
        fail_msg("%s: %d operations, should be %d", text, (int)pcs_formula_operations(formula),
                 (int)expected);
    pcs_formula_destroy(formula);
}

static void test_sharing_and_folding(void **state)
{
    (void)state;
    check_operations("x", 0);
    check_operations("sin(x*y) + sin(x*y)", 3); // product, sine, sum
    check_operations("sin(x*y)^2 + cos(y*x)^2", 6);
    check_operations("(x+y)*(y+x)", 2); // one sum, one square
    check_operations("x*x - x^2 + x**2", 3);
    check_operations("2*pi*3", 0);
    check_operations("sqrt(2)*k + sin(gain)", 0);
    check_operations("x + 0 - 0", 0);
    check_operations("1*x/1", 0);
    check_operations("x^1 * x^0", 0);
    check_operations("--x", 0);
    check_operations("x + -y", 1);
    check_operations("-x * -y", 1);
    check_operations("0*x", 1); // x may be infinite
    check_operations("x - x", 1);
    check_operations("1 < 2 ? x : log(x)", 0);
    check_operations("x > 0 ? y : y", 0);
    check_operations("0 && x", 0);
    check_operations("x || 1", 0);
    check_operations("min(x, x)", 0);
    check_operations("max(x, y, z)", 2);
    check_operations("x*0 == 0 || 1", 0);
}

static void test_constants(void **state)
{
    (void)state;
    double value = 0.0;
    pcs_formula *formula = parse("k^2 + sin(pi/6) - e");
    assert_true(pcs_formula_is_constant(formula, &value));
    assert_true(near(value, 3.7 * 3.7 + 0.5 - 0.62, 4));
    assert_true(pcs_formula_is_constant(formula, NULL));
    assert_int_equal(pcs_formula_variables(formula, NULL), 0);
    assert_true(near(pcs_formula_gradient(formula, NULL, NULL), value, 0));
    pcs_formula_destroy(formula);

    formula = parse("nothing*x");
    assert_false(pcs_formula_is_constant(formula, &value));
    pcs_formula *derivative = derive(formula, 0);
    assert_true(pcs_formula_is_constant(derivative, &value));
    assert_true(value == 0.0);
    pcs_formula_destroy(derivative);
    derivative = derive(formula, 77); // not in it
    assert_true(pcs_formula_is_constant(derivative, &value));
    assert_true(value == 0.0);
    pcs_formula_destroy(derivative);
    pcs_formula_destroy(formula);
}

static void test_variables_ascend(void **state)
{
    (void)state;
    pcs_formula *formula = parse("v901*t + x*v17 - t/v901 + joint.hinge.angle");
    const int32_t expected[] = {0, 3, 4, 17, 901};
    const int32_t *variables;
    assert_int_equal(pcs_formula_variables(formula, &variables), 5);
    assert_memory_equal(variables, expected, sizeof expected);
    pcs_formula_destroy(formula);
}

static void test_large_formula(void **state)
{
    (void)state;
    // sum of j*v_j for j = 1..1000: beyond the small arrays; gradient j
    static char text[20000];
    static double values[1001], gradient[1000];
    size_t n = 0;
    double expected = 0.0;
    for (int j = 1; j <= 1000; j++) {
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%d*v%d", j > 1 ? "+" : "", j, j);
        values[j] = sin(j);
        expected += j * values[j];
    }
    pcs_formula *formula = parse(text);
    assert_true(near(pcs_formula_evaluate(formula, values), expected, 0));
    assert_true(near(pcs_formula_gradient(formula, values, gradient), expected, 0));
    for (int j = 1; j <= 1000; j++)
        assert_true(gradient[j - 1] == j);
    check_round_trip(formula, values);
    pcs_formula_destroy(formula);
}

static void test_no_heap_call_in_evaluation(void **state)
{
    (void)state;
    pcs_formula *formula = parse("sin(x)*max(y, z, t)^2 + hypot(x, y)");
    uint64_t calls = pcs_context_heap_calls(ctx);
    double gradient[4];
    char text[100];
    pcs_formula_evaluate(formula, at);
    pcs_formula_gradient(formula, at, gradient);
    pcs_formula_print(formula, text, sizeof text);
    assert_int_equal(pcs_context_heap_calls(ctx), calls);
    pcs_formula_destroy(formula);
}

// Printing

static void check_print(const char *text, int32_t variable, const char *expected)
{
    char printed[400];
    pcs_formula *formula = parse(text);
    if (variable >= 0) {
        pcs_formula *derivative = derive(formula, variable);
        pcs_formula_destroy(formula);
        formula = derivative;
    }
    int length = pcs_formula_print(formula, printed, sizeof printed);
    assert_string_equal(printed, expected);
    assert_int_equal(length, strlen(expected));
    check_round_trip(formula, at);
    pcs_formula_destroy(formula);
}

static void test_print(void **state)
{
    (void)state;
    check_print("x+y*z", -1, "(v0 + (v1 * v2))");
    check_print("x-y+z-(x-y)", -1, "(v0 - v1 + v2 - (v0 - v1))");
    check_print("-x^2", -1, "(-(v0 ^ 2))");
    check_print("x^-k", -1, "(v0 ^ (-3.7))");
    check_print("0.1 + 1e-300*x", -1, "(0.1 + (1e-300 * v0))");
    check_print("x > 0 && !y ? x : y", -1, "(((v0 > 0) && (!v1)) ? v0 : v1)");
    check_print("max(x, y, min(z, t))", -1, "max(v0, v1, min(v2, v3))");
    check_print("atan2(x, y)", -1, "atan2(v0, v1)");
    check_print("1/0", -1, "(1 / 0)");
    check_print("x*(0/0) - 1/0", -1, "((v0 * (0 / 0)) - (1 / 0))");
    check_print("-1/0", -1, "(-1 / 0)");
    check_print("-0", -1, "(-0)");
    // derivatives come out simplified
    check_print("x^2", 0, "(2 * v0)");
    check_print("x^3", 0, "(3 * (v0 ^ 2))");
    check_print("3*x + y", 0, "3");
    check_print("k*sin(2*x)", 0, "(3.7 * (cos((2 * v0)) * 2))");
    check_print("sqrt(1 + x^2)", 0, "(1 / (2 * sqrt((1 + (v0 ^ 2)))) * (2 * v0))");
    check_print("sqrt(x)", 0, "(1 / (2 * sqrt(v0)))");
    check_print("exp(x*y)", 1, "(exp((v0 * v1)) * v0)");
    check_print("floor(x) + step(y)", 0, "0");
}

static void test_print_as_snprintf_does(void **state)
{
    (void)state;
    pcs_formula *formula = parse("x + 2.385");
    char small[6] = "#####";
    assert_int_equal(pcs_formula_print(formula, NULL, 0), strlen("(v0 + 2.385)"));
    assert_int_equal(pcs_formula_print(formula, small, sizeof small), strlen("(v0 + 2.385)"));
    assert_string_equal(small, "(v0 +");
    pcs_formula_destroy(formula);

    // Shared parts make the text of repeated derivatives explode; it is cut, not written for ever.
    formula = parse("x^x^x^x^x^x^x^x^x^x");
    for (int order = 0; order < 2; order++) {
        pcs_formula *derivative = derive(formula, 0);
        pcs_formula_destroy(formula);
        formula = derivative;
    }
    int length = pcs_formula_print(formula, NULL, 0);
    assert_in_range(length, 1000, 65536 + 64);
    pcs_formula_destroy(formula);
}

static void test_locale_does_not_matter(void **state)
{
    (void)state;
    // A locale with a decimal comma, where the machine has one.
    static const char *const names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE.utf8", "nl_NL.UTF-8"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (setlocale(LC_NUMERIC, names[i]))
            break;
    double value = evaluate("2.385e-1 + 1.5");
    check_print("x + 0.25", -1, "(v0 + 0.25)");
    setlocale(LC_NUMERIC, "C");
    assert_true(near(value, 1.7385, 1));
}

static void test_function_list(void **state)
{
    (void)state;
    const char *signature, *meaning;
    int32_t count = 0;
    for (; pcs_formula_function(count, &signature, &meaning); count++) {
        assert_non_null(strchr(signature, '('));
        assert_true(strlen(meaning) > 3);
    }
    assert_int_equal(count, 35);
#ifdef PCS_SOURCE_DIR
    // the reference page names each of them
    static char page[65536];
    FILE *file = fopen(PCS_SOURCE_DIR "/docs/formulas.md", "r");
    assert_non_null(file);
    page[fread(page, 1, sizeof page - 1, file)] = '\0';
    fclose(file);
    for (int32_t i = 0; pcs_formula_function(i, &signature, &meaning); i++) {
        char row[300];
        snprintf(row, sizeof row, "| `%s` | %s |", signature, meaning);
        if (!strstr(page, row))
            fail_msg("docs/formulas.md lacks the row: %s", row);
    }
#endif
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, note_bytes, check_bytes)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_values),
        TEST(test_digits_beyond_double),
        TEST(test_nan_and_infinity_pass),
        TEST(test_derivatives),
        TEST(test_slopes_at_special_places),
        TEST(test_random_formulas),
        TEST(test_sharing_and_folding),
        TEST(test_constants),
        TEST(test_variables_ascend),
        TEST(test_large_formula),
        TEST(test_no_heap_call_in_evaluation),
        TEST(test_print),
        TEST(test_print_as_snprintf_does),
        TEST(test_locale_does_not_matter),
        TEST(test_function_list),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
