// Formulas: text such as "-k*joint.hinge.angle - c*joint.hinge.rate + 6*sin(2*pi*t)" compiled to a
// small tape, with exact partial derivatives. Grammar and functions: docs/formulas.md.
#ifndef PERCUSS_FORMULA_H
#define PERCUSS_FORMULA_H

#include <stdbool.h>

#include "percuss/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pcs_formula pcs_formula;

typedef enum pcs_symbol_kind {
    PCS_SYMBOL_UNKNOWN,
    PCS_SYMBOL_CONSTANT,
    PCS_SYMBOL_VARIABLE
} pcs_symbol_kind;

// What a name means. CONSTANT: its value is folded into the formula. VARIABLE: an index chosen by
// the resolver, under which evaluate() will find the value. `suggestion`, when the kind is UNKNOWN,
// may point to a near name for the error message (owned by the resolver, may stay NULL).
typedef struct pcs_symbol {
    pcs_symbol_kind kind;
    double value;
    int32_t variable; // >= 0
    const char *suggestion;
} pcs_symbol;

typedef pcs_symbol (*pcs_symbol_fn)(void *user, const char *name, size_t length);

// Parses `text`. The error text says "column N: what is wrong", N counted from 1 in `text`.
PCS_API pcs_status pcs_formula_create(pcs_context *ctx, const char *text, pcs_symbol_fn resolve,
                                      void *user, pcs_formula **out) PCS_MUST_CHECK;
PCS_API void pcs_formula_destroy(pcs_formula *formula);

// True if no variable occurs; then *value (may be NULL) is the result.
PCS_API bool pcs_formula_is_constant(const pcs_formula *formula, double *value);
// The distinct variables that occur, ascending.
PCS_API int32_t pcs_formula_variables(const pcs_formula *formula, const int32_t **variables);

// Value at the given variables (indexed as the resolver said). No heap call; reentrant.
PCS_API double pcs_formula_evaluate(const pcs_formula *formula, const double *variables);
// Value and partial derivatives, in the order of pcs_formula_variables() (reverse sweep).
PCS_API double pcs_formula_gradient(const pcs_formula *formula, const double *variables,
                                    double *gradient);
// The derivative with respect to one variable as a formula of its own (simplified).
PCS_API pcs_status pcs_formula_derivative(const pcs_formula *formula, int32_t variable,
                                          pcs_formula **out) PCS_MUST_CHECK;
// Text of the formula as understood, with full parentheses; for messages and tests. Caller gives
// the buffer; returns the length needed, as snprintf does. Variables print as v<index>. A text of
// more than 64 KiB is cut and ends in " ...".
PCS_API int pcs_formula_print(const pcs_formula *formula, char *buffer, size_t size);
// The text that was given; "" for a derivative.
PCS_API const char *pcs_formula_text(const pcs_formula *formula);
// Number of operations of one evaluation; a repeated subexpression counts once.
PCS_API int32_t pcs_formula_operations(const pcs_formula *formula);
// The functions that formulas know, for help texts: index = 0, 1, ... until false comes back.
// `signature` is like "atan2(y, x)", `meaning` is one line.
PCS_API bool pcs_formula_function(int32_t index, const char **signature, const char **meaning);

#ifdef __cplusplus
}
#endif
#endif
