// Derivatives of formulas: gradient sweep and symbolic rules against finite differences and each
// other, at special places and on random formulas.
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "support/formula_bench.h"

// The finite difference is central with Richardson extrapolation over two steps:
//   D = (4 D(h/2) - D(h)) / 3, error O(h^4) from truncation, eps |f| / h from rounding.

enum { STEP_EXPONENT = 10 };

static double finite_difference(const pcs_formula *formula, const double *where, int variable)
{
    double point[FORMULA_VARIABLES], slope[2];
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
    pcs_formula *formula = formula_parse(text);
    const int32_t *variables;
    int32_t count = pcs_formula_variables(formula, &variables);
    double gradient[FORMULA_VARIABLES];
    double value = pcs_formula_gradient(formula, where, gradient);
    assert_true(formula_same(value, pcs_formula_evaluate(formula, where)));
    for (int32_t i = 0; i < count; i++) {
        int32_t variable = variables[i];
        double expected = finite_difference(formula, where, variable);
        pcs_formula *derivative = formula_derive(formula, variable);
        double symbolic = pcs_formula_evaluate(derivative, where);
        double allowed = difference_error(value) * fmax(1.0, fabs(expected));
        if (!(fabs(gradient[i] - expected) <= allowed))
            fail_msg("%s: d/d%s = %.15g by sweep, %.15g by differences", text,
                     formula_names[variable], gradient[i], expected);
        if (!(fabs(symbolic - gradient[i]) <= 64 * DBL_EPSILON * fmax(1.0, fabs(gradient[i]))))
            fail_msg("%s: d/d%s = %.17g by rule, %.17g by sweep", text, formula_names[variable],
                     symbolic, gradient[i]);

        // and once more: the second derivative along the same variable
        pcs_formula *second = formula_derive(derivative, variable);
        expected = finite_difference(derivative, where, variable);
        symbolic = pcs_formula_evaluate(second, where);
        allowed = difference_error(gradient[i]) * fmax(1.0, fabs(expected)) * 10;
        if (!(fabs(symbolic - expected) <= allowed))
            fail_msg("%s: d2/d%s2 = %.15g by rule, %.15g by differences", text,
                     formula_names[variable], symbolic, expected);
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
        check_derivatives(rows[i], formula_at);
}

// Slope with respect to x = value of variable 0, both ways.
static void check_slope(const char *text, double x, double expected)
{
    pcs_formula *formula = formula_parse(text);
    const double values[FORMULA_VARIABLES] = {x, 0.0, 2.0, 0.5, 0.0};
    double gradient[FORMULA_VARIABLES];
    pcs_formula_gradient(formula, values, gradient);
    pcs_formula *derivative = formula_derive(formula, 0);
    double symbolic = pcs_formula_evaluate(derivative, values);
    if (!formula_same(gradient[0], expected) || !formula_same(symbolic, expected))
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

static void test_random_formulas(void **state)
{
    (void)state;
    static char text[40000];
    for (int round = 0; round < 400; round++) {
        write_random(text, sizeof text, 5);
        pcs_formula *formula = formula_parse(text);
        const int32_t *variables;
        int32_t count = pcs_formula_variables(formula, &variables);
        double gradient[FORMULA_VARIABLES];
        double where[FORMULA_VARIABLES];
        for (int i = 0; i < FORMULA_VARIABLES; i++)
            where[i] = pick(1000000) * 4e-6 - 2.0;
        pcs_formula_gradient(formula, where, gradient);
        formula_check_round_trip(formula, where);
        for (int32_t i = 0; i < count; i++) {
            pcs_formula *derivative = formula_derive(formula, variables[i]);
            double symbolic = pcs_formula_evaluate(derivative, where);
            // rounding grows with the number of operations on the way
            double allowed = 1e3 * DBL_EPSILON * fmax(1.0, fabs(gradient[i]));
            if (fabs(gradient[i]) < 1e6 && !(fabs(symbolic - gradient[i]) <= allowed))
                fail_msg("%s: %.17g by rule, %.17g by sweep", text, symbolic, gradient[i]);
            formula_check_round_trip(derivative, where);
            pcs_formula_destroy(derivative);
        }
        pcs_formula_destroy(formula);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FORMULA_TEST(test_derivatives),
        FORMULA_TEST(test_slopes_at_special_places),
        FORMULA_TEST(test_random_formulas),
    };
    return cmocka_run_group_tests(tests, formula_set_up, formula_tear_down);
}
