#include "support/formula_bench.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

const char *const formula_names[FORMULA_VARIABLES] = {"x", "y", "z", "t", "joint.hinge.angle"};
const double formula_at[FORMULA_VARIABLES] = {0.7319, -2.385, 1.4142, 5.0617, 0.2863};

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
    for (int32_t i = 0; i < FORMULA_VARIABLES; i++)
        if (is_name(name, length, formula_names[i]))
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
static uint64_t bytes_before;

int formula_set_up(void **state)
{
    (void)state;
    ctx = pcs_context_create(NULL);
    return ctx ? 0 : -1;
}

pcs_context *formula_context(void)
{
    return ctx;
}

int formula_note_bytes(void **state)
{
    (void)state;
    bytes_before = pcs_context_heap_bytes(ctx);
    return 0;
}

int formula_check_bytes(void **state)
{
    (void)state;
    return pcs_context_heap_bytes(ctx) == bytes_before ? 0 : -1;
}

int formula_tear_down(void **state)
{
    (void)state;
    pcs_context_destroy(ctx);
    return 0;
}

pcs_formula *formula_parse(const char *text)
{
    pcs_formula *formula = NULL;
    pcs_status status = pcs_formula_create(ctx, text, resolve, NULL, &formula);
    if (status)
        fail_msg("'%s': %s", text, pcs_context_error(ctx));
    return formula;
}

pcs_formula *formula_derive(const pcs_formula *formula, int32_t variable)
{
    pcs_formula *derivative = NULL;
    pcs_status status = pcs_formula_derivative(formula, variable, &derivative);
    if (status)
        fail_msg("%s", pcs_context_error(ctx));
    return derivative;
}

bool formula_same(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

bool formula_near(double a, double b, double ulps)
{
    return formula_same(a, b) || fabs(a - b) <= ulps * DBL_EPSILON * fmax(fabs(a), fabs(b));
}

double formula_value(const char *text)
{
    pcs_formula *formula = formula_parse(text);
    double value = pcs_formula_evaluate(formula, formula_at);
    pcs_formula_destroy(formula);
    return value;
}

void formula_check_round_trip(const pcs_formula *formula, const double *where)
{
    static char text[70000];
    int length = pcs_formula_print(formula, text, sizeof text);
    assert_int_equal(length, strlen(text));
    pcs_formula *again = formula_parse(text);
    double value = pcs_formula_evaluate(formula, where);
    if (!formula_same(value, pcs_formula_evaluate(again, where)))
        fail_msg("%s reads back as another value", text);
    assert_int_equal(pcs_formula_operations(formula), pcs_formula_operations(again));
    pcs_formula_destroy(again);
}
