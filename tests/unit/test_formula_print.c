// Printing of formulas: the text reads back, derivatives come out simplified, no locale matters.
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "support/formula_bench.h"

static void check_print(const char *text, int32_t variable, const char *expected)
{
    char printed[400];
    pcs_formula *formula = formula_parse(text);
    if (variable >= 0) {
        pcs_formula *derivative = formula_derive(formula, variable);
        pcs_formula_destroy(formula);
        formula = derivative;
    }
    int length = pcs_formula_print(formula, printed, sizeof printed);
    assert_string_equal(printed, expected);
    assert_int_equal(length, strlen(expected));
    formula_check_round_trip(formula, formula_at);
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
    pcs_formula *formula = formula_parse("x + 2.385");
    char small[6] = "#####";
    assert_int_equal(pcs_formula_print(formula, NULL, 0), strlen("(v0 + 2.385)"));
    assert_int_equal(pcs_formula_print(formula, small, sizeof small), strlen("(v0 + 2.385)"));
    assert_string_equal(small, "(v0 +");
    pcs_formula_destroy(formula);

    // Shared parts make the text of repeated derivatives explode; it is cut, not written for ever.
    formula = formula_parse("x^x^x^x^x^x^x^x^x^x");
    for (int order = 0; order < 2; order++) {
        pcs_formula *derivative = formula_derive(formula, 0);
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
    double value = formula_value("2.385e-1 + 1.5");
    check_print("x + 0.25", -1, "(v0 + 0.25)");
    setlocale(LC_NUMERIC, "C");
    assert_true(formula_near(value, 1.7385, 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FORMULA_TEST(test_print),
        FORMULA_TEST(test_print_as_snprintf_does),
        FORMULA_TEST(test_locale_does_not_matter),
    };
    return cmocka_run_group_tests(tests, formula_set_up, formula_tear_down);
}
