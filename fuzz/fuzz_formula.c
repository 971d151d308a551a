// Fuzz target for formulas: any bytes are parsed; what parses is evaluated, differentiated both
// ways, printed and read back, and must keep its value. Build with
// clang -fsanitize=fuzzer,address,undefined; seeds in fuzz/corpus/formula, words in formula.dict.
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "percuss/formula.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { VARIABLES = 10 };

static const double points[][VARIABLES] = {
    {0.7319, -2.385, 1.4142, 5.0617, 0.2863, -0.5, 3.1e5, -7.7e-9, 0.0, 1.0},
    {0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0},
    {-1.0, 1e300, -1e300, 1e-310, INFINITY, NAN, -INFINITY, -0.0, 2.0, 0.5},
};

// x, y, z, t, joint.hinge.angle are variables 0..4, v<digit> any of the ten; k and e constants.
static pcs_symbol resolve(void *user, const char *name, size_t length)
{
    (void)user;
    static const char *const names[] = {"x", "y", "z", "t", "joint.hinge.angle"};
    for (int32_t i = 0; i < 5; i++)
        if (strlen(names[i]) == length && memcmp(names[i], name, length) == 0)
            return (pcs_symbol){.kind = PCS_SYMBOL_VARIABLE, .variable = i};
    if (length == 2 && name[0] == 'v' && name[1] >= '0' && name[1] <= '9')
        return (pcs_symbol){.kind = PCS_SYMBOL_VARIABLE, .variable = name[1] - '0'};
    if (length == 1 && (*name == 'k' || *name == 'e'))
        return (pcs_symbol){.kind = PCS_SYMBOL_CONSTANT, .value = *name == 'k' ? 3.7 : 0.62};
    return (pcs_symbol){.kind = PCS_SYMBOL_UNKNOWN, .suggestion = length > 5 ? "x" : NULL};
}

static void require(int condition, const char *what, const char *text)
{
    if (condition)
        return;
    fprintf(stderr, "%s: %s\n", what, text);
    abort();
}

static int same(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

// Prints and reads back. Two limits may stand in the way: printed text has more parentheses, and
// shared parts are written out.
static void check_round_trip(pcs_context *ctx, const pcs_formula *formula)
{
    static char text[70000];
    int length = pcs_formula_print(formula, text, sizeof text);
    require(length > 0 && (size_t)length == strlen(text), "wrong length", text);
    pcs_formula *again = NULL;
    if (pcs_formula_create(ctx, text, resolve, NULL, &again)) {
        const char *error = pcs_context_error(ctx);
        require(length >= 65536 || strstr(error, "nested") != NULL, error, text);
        return;
    }
    for (size_t i = 0; i < sizeof points / sizeof points[0]; i++)
        require(
            same(pcs_formula_evaluate(formula, points[i]), pcs_formula_evaluate(again, points[i])),
            "another value after reading back", text);
    pcs_formula_destroy(again);
}

static void check_formula(pcs_context *ctx, const pcs_formula *formula, const char *text, int order)
{
    double gradient[VARIABLES];
    for (size_t i = 0; i < sizeof points / sizeof points[0]; i++)
        require(same(pcs_formula_evaluate(formula, points[i]),
                     pcs_formula_gradient(formula, points[i], gradient)),
                "evaluate and gradient differ", text);
    check_round_trip(ctx, formula);
    const int32_t *variables;
    int32_t count = pcs_formula_variables(formula, &variables);
    double value;
    require(pcs_formula_is_constant(formula, &value) == (count == 0), "constant?", text);
    for (int32_t i = 0; i < count && order < 2; i++) {
        pcs_formula *derivative = NULL;
        if (pcs_formula_derivative(formula, variables[i], &derivative)) {
            require(strstr(pcs_context_error(ctx), "too large") != NULL, pcs_context_error(ctx),
                    text);
            continue;
        }
        check_formula(ctx, derivative, text, order + 1);
        pcs_formula_destroy(derivative);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    pcs_context *ctx = pcs_context_create(NULL);
    if (!text || !ctx)
        abort();
    memcpy(text, data, size);
    text[size] = '\0';

    pcs_formula *formula = NULL;
    pcs_status status = pcs_formula_create(ctx, text, resolve, NULL, &formula);
    if (status)
        require(strncmp(pcs_context_error(ctx), "column ", 7) == 0, pcs_context_error(ctx), text);
    else
        check_formula(ctx, formula, text, 0);
    pcs_formula_destroy(formula);
    require(strlen(pcs_context_error(ctx)) < 1024, "error text too long", text);
    pcs_context_destroy(ctx);
    free(text);
    return 0;
}
