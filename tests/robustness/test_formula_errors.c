// Formulas with mistakes: each gets "column N: ..." with the right N and a useful text; nothing
// leaks, whatever fails, the allocator included.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include <math.h>

#include "percuss/formula.h"

static bool is_name(const char *name, size_t length, const char *wanted)
{
    return strlen(wanted) == length && memcmp(name, wanted, length) == 0;
}

// Knows x, y, t, step (also a function's name), v<digits>; suggests crank.angle; misbehaves on
// the names bad.*.
static pcs_symbol resolve(void *user, const char *name, size_t length)
{
    (void)user;
    static const char *const variables[] = {"x", "y", "t", "step", "crank.angle"};
    for (int32_t i = 0; i < 5; i++)
        if (is_name(name, length, variables[i]))
            return (pcs_symbol){.kind = PCS_SYMBOL_VARIABLE, .variable = i};
    int32_t number = 0;
    int used = 0;
    if (length > 1 && length < 6 && name[0] == 'v' && sscanf(name, "v%d%n", &number, &used) == 1)
        return (pcs_symbol){.kind = PCS_SYMBOL_VARIABLE, .variable = number};
    if (is_name(name, length, "bad.constant"))
        return (pcs_symbol){.kind = PCS_SYMBOL_CONSTANT, .value = NAN};
    if (is_name(name, length, "bad.index"))
        return (pcs_symbol){.kind = PCS_SYMBOL_VARIABLE, .variable = -3};
    if (is_name(name, length, "pi")) // must never be asked
        return (pcs_symbol){.kind = PCS_SYMBOL_CONSTANT, .value = 3.0};
    if (is_name(name, length, "crank.angel"))
        return (pcs_symbol){.kind = PCS_SYMBOL_UNKNOWN, .suggestion = "crank.angle"};
    return (pcs_symbol){.kind = PCS_SYMBOL_UNKNOWN};
}

static pcs_context *ctx;

static int set_up(void **state)
{
    (void)state;
    ctx = pcs_context_create(NULL);
    return ctx ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    uint64_t left = pcs_context_heap_bytes(ctx);
    pcs_context_destroy(ctx);
    return left == 0 ? 0 : -1;
}

static void expect_error(const char *text, int column, const char *part)
{
    pcs_formula *formula = (pcs_formula *)&formula; // must become NULL
    pcs_status status = pcs_formula_create(ctx, text, resolve, NULL, &formula);
    char start[40];
    snprintf(start, sizeof start, "column %d: ", column);
    const char *error = pcs_context_error(ctx);
    if (status != PCS_ERROR_INPUT)
        fail_msg("'%.60s' gives status %d", text, (int)status);
    if (strncmp(error, start, strlen(start)) != 0)
        fail_msg("'%.60s': \"%s\" should start with \"%s\"", text, error, start);
    if (!strstr(error, part))
        fail_msg("'%.60s': \"%s\" should contain \"%s\"", text, error, part);
    assert_null(formula);
}

static void test_messages(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int column;
        const char *part;
    } rows[] = {
        {"", 1, "empty"},
        {"  \n ", 1, "empty"},
        {"x +", 4, "found the end of the formula"},
        {"x + * y", 5, "expected a number, a name or '(', found '*'"},
        {"*x", 1, "found '*'"},
        {"2x", 2, "expected an operator before 'x' (a product is written a*b)"},
        {"2 (x)", 3, "expected an operator before '('"},
        {"2e", 2, "expected an operator before 'e'"},
        {"1.2.3", 4, "expected an operator before '.3'"},
        {"x y", 3, "expected an operator before 'y'"},
        {"x)", 2, "this ')' closes nothing"},
        {"(x", 3, "expected ')' to close the '(' of column 1"},
        {"y*(x + (t)", 11, "the '(' of column 3"},
        {"(x, y)", 3, "expected ')' to close the '(' of column 1, found ','"},
        {"()", 2, "found ')'"},
        {"sin(x", 6, "expected ')' to close the '(' of column 4"},
        {"sin(x y)", 7, "found 'y'"},
        {"max(x,)", 7, "found ')'"},
        {"max(,x)", 5, "found ','"},
        {"x, y", 2, "expected the end of the formula, found ','"},
        {"1e999", 1, "too large"},
        {"y + 1e309*x", 5, "too large"},
        {"1e99999999999999999999999", 1, "too large"},
        {"1 + nope", 5, "unknown name 'nope'"},
        {"1 + crank.angel", 5, "unknown name 'crank.angel'; did you mean 'crank.angle'?"},
        {"2*PI", 3, "did you mean 'pi'?"},
        {"inf", 1, "unknown name 'inf'"},
        {"nan", 1, "unknown name 'nan'"},
        {"0x1F", 2, "expected an operator before 'x1F'"},
        {"1 + sin", 5, "'sin' is a function; write sin(x)"},
        {"sine(x)", 1, "unknown function 'sine'; did you mean 'sin'?"},
        {"smothstep(0, 1, x)", 1, "did you mean 'smoothstep'?"},
        {"ln(x)", 1, "did you mean 'log'?"},
        {"pow(x, 2)", 1, "did you mean 'x^y'?"},
        {"x(2)", 1, "unknown function 'x'"},
        {"frobnicate(x)", 1, "unknown function 'frobnicate'"},
        {"1 + sin()", 5, "sin takes 1 argument, found 0; write sin(x)"},
        {"sin(x, y)", 1, "sin takes 1 argument, found 2"},
        {"atan2(x)", 1, "atan2 takes 2 arguments, found 1; write atan2(y, x)"},
        {"clamp(1, 2, 3, 4, 5)", 1, "clamp takes 3 arguments, found 5"},
        {"max(x)", 1, "max takes at least 2 arguments, found 1"},
        {"if(x, y)", 1, "if takes 3 arguments, found 2"},
        {"x ? y", 6, "expected ':' to go with the '?' of column 3"},
        {"x ? y : ", 9, "expected a number"},
        {"x : y", 3, "expected the end of the formula, found ':'"},
        {"x < y < t", 7, "comparisons do not chain"},
        {"x == y != t", 8, "comparisons do not chain"},
        {"x = y", 3, "unexpected character '='; to compare, write =="},
        {"x & y", 3, "write && for 'and'"},
        {"|x|", 1, "abs(x)"},
        {"x % y", 3, "mod(x, y)"},
        {"x[2]", 2, "unexpected character '['"},
        {"x # comment", 3, "unexpected character '#'"},
        {"x @ y", 3, "unexpected character '@'"},
        {".", 1, "unexpected character '.'"},
        {"crank.", 7, "expected a name after '.'"},
        {"crank..angle", 7, "expected a name after '.'"},
        {"x \xE2\x88\x92 y", 3, "U+2212 cannot be used; formulas are plain ASCII (the minus"},
        {"2\xC2\xB7x", 2, "U+00B7"},
        {"\xCE\xB1", 1, "U+03B1"},
        {"x + \xF0\x9F\x98\x80", 5, "U+1F600"},
        {"x\xFF", 2, "byte 0xFF"},
        {"x\xE2\x88", 2, "byte 0xE2"},
        {"x\x01", 2, "byte 0x01"},
        {"1 + bad.constant", 5, "'bad.constant' is not a finite number"},
        {"1 + bad.index", 5, "negative index -3"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        expect_error(rows[i].text, rows[i].column, rows[i].part);
}

static void test_names(void **state)
{
    (void)state;
    // pi belongs to the language; a function's name may be a variable where no '(' follows
    pcs_formula *formula = NULL;
    double value = 0.0;
    assert_int_equal(pcs_formula_create(ctx, "pi", resolve, NULL, &formula), PCS_OK);
    assert_true(pcs_formula_is_constant(formula, &value));
    assert_true(value > 3.14);
    pcs_formula_destroy(formula);
    assert_int_equal(pcs_formula_create(ctx, "step*step(step)", resolve, NULL, &formula), PCS_OK);
    pcs_formula_destroy(formula);
    // no resolver: no names
    assert_int_equal(pcs_formula_create(ctx, "2*x", NULL, NULL, &formula), PCS_ERROR_INPUT);
    assert_string_equal(pcs_context_error(ctx), "column 3: unknown name 'x'");
    assert_int_equal(pcs_formula_create(ctx, NULL, NULL, NULL, &formula), PCS_ERROR_ARGUMENT);
    assert_null(formula);
    pcs_formula_destroy(NULL);

    assert_int_equal(pcs_formula_create(ctx, "x", resolve, NULL, &formula), PCS_OK);
    pcs_formula *derivative = formula;
    assert_int_equal(pcs_formula_derivative(formula, -1, &derivative), PCS_ERROR_ARGUMENT);
    assert_null(derivative);
    pcs_formula_destroy(formula);
}

// open...open x close...close, `levels` times
static const char *nest(const char *open, const char *close, int levels)
{
    static char text[20000];
    char *at = text;
    for (int i = 0; i < levels; i++)
        at += sprintf(at, "%s", open);
    at += sprintf(at, "x");
    for (int i = 0; i < levels; i++)
        at += sprintf(at, "%s", close);
    return text;
}

static void test_nesting(void **state)
{
    (void)state;
    static const struct {
        const char *open, *close;
        int column; // of the first level too deep
    } rows[] = {
        {"(", ")", 202}, {"sin(", ")", 805}, {"-", "", 201},    {"!", "", 201},
        {"2^", "", 402}, {"x?1:", "", 803},  {"x?", ":1", 403}, {"+", "", 201},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        pcs_formula *formula = NULL;
        const char *text = nest(rows[i].open, rows[i].close, 200);
        if (pcs_formula_create(ctx, text, resolve, NULL, &formula))
            fail_msg("200 levels of '%s': %s", rows[i].open, pcs_context_error(ctx));
        pcs_formula_destroy(formula);
        expect_error(nest(rows[i].open, rows[i].close, 201), rows[i].column,
                     "nested more than 200 levels deep");
        expect_error(nest(rows[i].open, rows[i].close, 3000), rows[i].column, "nested more than");
    }
}

static void test_sizes(void **state)
{
    (void)state;
    static char text[70000];
    pcs_formula *formula = NULL;

    // 65536 characters are read, one more is refused before anything else
    memset(text, ' ', 65536);
    text[65535] = 'x';
    text[65536] = '\0';
    assert_int_equal(pcs_formula_create(ctx, text, resolve, NULL, &formula), PCS_OK);
    pcs_formula_destroy(formula);
    strcat(text, " ");
    expect_error(text, 65537, "longer than 65536 characters");

    // a long name is cut in the message
    memset(text, 'n', 60000);
    text[60000] = '\0';
    expect_error(text, 1, "unknown name 'nnnn");
    strcat(text, "(x)");
    expect_error(text, 1, "unknown function 'nnnn");

    // too many operations: x + v1*1.5 + v2*1.5 + ...
    size_t n = (size_t)sprintf(text, "x");
    for (int i = 0; i < 3000; i++)
        n += (size_t)sprintf(text + n, "+v%d*1.5", i);
    expect_error(text, 1, "too large");

    // a formula near the limit whose derivative passes it
    n = (size_t)sprintf(text, "1");
    for (int i = 0; i < 1300; i++)
        n += (size_t)sprintf(text + n, "+sin(x*%d)", i + 2);
    assert_int_equal(pcs_formula_create(ctx, text, resolve, NULL, &formula), PCS_ERROR_INPUT);
    n = (size_t)sprintf(text, "1");
    for (int i = 0; i < 900; i++)
        n += (size_t)sprintf(text + n, "+sin(x*%d)", i + 2);
    assert_int_equal(pcs_formula_create(ctx, text, resolve, NULL, &formula), PCS_OK);
    pcs_formula *derivative = formula;
    assert_int_equal(pcs_formula_derivative(formula, 0, &derivative), PCS_ERROR_INPUT);
    assert_non_null(strstr(pcs_context_error(ctx), "the derivative is too large"));
    assert_null(derivative);
    pcs_formula_destroy(formula);
}

// The n-th heap request fails, for every n until all succeeds. Nothing may leak.
static void test_failing_allocator(void **state)
{
    (void)state;
    const char *text = "sin(x*y)*exp(-t)/hypot(x, y, t) + (x > y ? x^y : sqrt(x)) - "
                       "smooth5(x, y, t)*max(x, y, 3)*atan2(y, t)^3 + log(x)*tan(y)";
    uint64_t bytes = pcs_context_heap_bytes(ctx);
    bool done = false;
    for (uint64_t n = 1; !done; n++) {
        assert_true(n < 1000);
        pcs_formula *formula = NULL, *derivative = NULL;
        pcs_context_fail_heap_call(ctx, n);
        pcs_status status = pcs_formula_create(ctx, text, resolve, NULL, &formula);
        if (!status)
            status = pcs_formula_derivative(formula, 1, &derivative);
        pcs_context_fail_heap_call(ctx, 0);
        done = status == PCS_OK;
        if (!done) {
            assert_int_equal(status, PCS_ERROR_MEMORY);
            assert_null(derivative);
            assert_non_null(strstr(pcs_context_error(ctx), "memory"));
        }
        pcs_formula_destroy(derivative);
        pcs_formula_destroy(formula);
        assert_int_equal(pcs_context_heap_bytes(ctx), bytes);
    }
    // a mistake found after the memory ran out does not hide it
    pcs_formula *formula = NULL;
    pcs_context_fail_heap_call(ctx, 3);
    pcs_status status = pcs_formula_create(ctx, "x*y + t*x + x/y + t/x + y/t + nope", resolve, NULL,
                                           &formula);
    pcs_context_fail_heap_call(ctx, 0);
    assert_int_equal(status, PCS_ERROR_MEMORY);
    assert_int_equal(pcs_context_heap_bytes(ctx), bytes);
}

// Every prefix of a good formula, and every single-byte change of it, is answered.
static void test_mutations(void **state)
{
    (void)state;
    const char *good = "-k*crank.angle^2 + if(x<=1e-3, sin(2*pi*t), max(x,y,-.5)) && !(x!=y) ? 1:0";
    char text[128];
    size_t length = strlen(good);
    uint64_t bytes = pcs_context_heap_bytes(ctx);
    for (size_t i = 0; i < length; i++) {
        for (int byte = 0; byte < 256; byte++) {
            pcs_formula *formula = NULL;
            strcpy(text, good);
            text[i] = (char)byte;
            pcs_status status = pcs_formula_create(ctx, text, resolve, NULL, &formula);
            assert_true((status == PCS_OK) == (formula != NULL));
            if (status)
                assert_int_equal(strncmp(pcs_context_error(ctx), "column ", 7), 0);
            pcs_formula_destroy(formula);
        }
    }
    assert_int_equal(pcs_context_heap_bytes(ctx), bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_messages),          cmocka_unit_test(test_names),
        cmocka_unit_test(test_nesting),           cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_failing_allocator), cmocka_unit_test(test_mutations),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
