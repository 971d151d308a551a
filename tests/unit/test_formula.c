// Formulas: values against closed forms, precedence, special numbers; sharing, folding, variables.
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/formula_bench.h"

#define PI 3.14159265358979323846

// Closed forms and precedence

static void test_values(void **state)
{
    (void)state;
    const double x = formula_at[0], y = formula_at[1], z = formula_at[2], t = formula_at[3],
                 hinge = formula_at[4];
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
        double value = formula_value(rows[i].text);
        if (!formula_near(value, rows[i].value, 8))
            fail_msg("%s = %.17g, should be %.17g", rows[i].text, value, rows[i].value);
    }
}

static void test_digits_beyond_double(void **state)
{
    (void)state;
    // 1 + 2^-53 exactly is a tie and goes to 1; a digit 800 places behind decides for the next.
    char text[1100] = "1.00000000000000011102230246251565404236316680908203125";
    assert_true(formula_value(text) == 1.0);
    size_t length = strlen(text);
    memset(text + length, '0', 1000);
    text[length + 1000] = '\0';
    assert_true(formula_value(text) == 1.0);
    strcat(text, "1");
    assert_true(formula_value(text) == 1.0 + DBL_EPSILON);
    // 900 digits before the point, brought back by the exponent
    memset(text, '7', 900);
    strcpy(text + 900, "e-899");
    assert_true(formula_value(text) == 7.0 + 7.0 / 9.0);
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
    const double values[] = {formula_at[0], formula_at[1], formula_at[2], formula_at[3],
                             formula_at[4], NAN,           INFINITY};
    for (size_t i = 0; i < sizeof nan_rows / sizeof nan_rows[0]; i++) {
        pcs_formula *formula = formula_parse(nan_rows[i]);
        if (!isnan(pcs_formula_evaluate(formula, values)))
            fail_msg("%s is not NaN", nan_rows[i]);
        pcs_formula_destroy(formula);
    }
    assert_true(formula_value("1/0") == INFINITY);
    assert_true(formula_value("-1/0") == -INFINITY);
    assert_true(formula_value("1/0 > 5 ? 2 : 3") == 2.0);
}

// Graph: sharing, folding

static void check_operations(const char *text, int32_t expected)
{
    pcs_formula *formula = formula_parse(text);
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
    pcs_formula *formula = formula_parse("k^2 + sin(pi/6) - e");
    assert_true(pcs_formula_is_constant(formula, &value));
    assert_true(formula_near(value, 3.7 * 3.7 + 0.5 - 0.62, 4));
    assert_true(pcs_formula_is_constant(formula, NULL));
    assert_int_equal(pcs_formula_variables(formula, NULL), 0);
    assert_true(formula_near(pcs_formula_gradient(formula, NULL, NULL), value, 0));
    pcs_formula_destroy(formula);

    formula = formula_parse("nothing*x");
    assert_false(pcs_formula_is_constant(formula, &value));
    pcs_formula *derivative = formula_derive(formula, 0);
    assert_true(pcs_formula_is_constant(derivative, &value));
    assert_true(value == 0.0);
    pcs_formula_destroy(derivative);
    derivative = formula_derive(formula, 77); // not in it
    assert_true(pcs_formula_is_constant(derivative, &value));
    assert_true(value == 0.0);
    pcs_formula_destroy(derivative);
    pcs_formula_destroy(formula);
}

static void test_variables_ascend(void **state)
{
    (void)state;
    pcs_formula *formula = formula_parse("v901*t + x*v17 - t/v901 + joint.hinge.angle");
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
    pcs_formula *formula = formula_parse(text);
    assert_true(formula_near(pcs_formula_evaluate(formula, values), expected, 0));
    assert_true(formula_near(pcs_formula_gradient(formula, values, gradient), expected, 0));
    for (int j = 1; j <= 1000; j++)
        assert_true(gradient[j - 1] == j);
    formula_check_round_trip(formula, values);
    pcs_formula_destroy(formula);
}

static void test_no_heap_call_in_evaluation(void **state)
{
    (void)state;
    pcs_formula *formula = formula_parse("sin(x)*max(y, z, t)^2 + hypot(x, y)");
    uint64_t calls = pcs_context_heap_calls(formula_context());
    double gradient[4];
    char text[100];
    pcs_formula_evaluate(formula, formula_at);
    pcs_formula_gradient(formula, formula_at, gradient);
    pcs_formula_print(formula, text, sizeof text);
    assert_int_equal(pcs_context_heap_calls(formula_context()), calls);
    pcs_formula_destroy(formula);
}

// Each function has a row in the reference page.
static void test_function_list(void **state)
{
    (void)state;
    static char page[65536];
    const char *signature, *meaning;
    char path[1024], row[300];
    int32_t count = 0;
    const char *source = getenv("PERCUSS_SOURCE");
    snprintf(path, sizeof path, "%s/docs/formulas.md", source ? source : ".");
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    page[fread(page, 1, sizeof page - 1, file)] = '\0';
    fclose(file);
    for (; pcs_formula_function(count, &signature, &meaning); count++) {
        assert_non_null(strchr(signature, '('));
        assert_true(strlen(meaning) > 3);
        snprintf(row, sizeof row, "| `%s` | %s |", signature, meaning);
        if (!strstr(page, row))
            fail_msg("docs/formulas.md lacks the row: %s", row);
    }
    assert_int_equal(count, 35);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FORMULA_TEST(test_values),
        FORMULA_TEST(test_digits_beyond_double),
        FORMULA_TEST(test_nan_and_infinity_pass),
        FORMULA_TEST(test_sharing_and_folding),
        FORMULA_TEST(test_constants),
        FORMULA_TEST(test_variables_ascend),
        FORMULA_TEST(test_large_formula),
        FORMULA_TEST(test_no_heap_call_in_evaluation),
        FORMULA_TEST(test_function_list),
    };
    return cmocka_run_group_tests(tests, formula_set_up, formula_tear_down);
}
