// The one table of operations. A row says how an operation is written, evaluated, differentiated
// numerically (slopes for the reverse sweep) and symbolically (rule), and how the user's page
// describes it. Parser, folding, tape, derivative and printing all read it.
#ifndef PCS_FORMULA_FUNCTIONS_H
#define PCS_FORMULA_FUNCTIONS_H

#include "formula/graph.h"

typedef enum pcs_formula_op {
    PCS_OP_CONSTANT,
    PCS_OP_VARIABLE,
    PCS_OP_ADD,
    PCS_OP_SUB,
    PCS_OP_MUL,
    PCS_OP_DIV,
    PCS_OP_POW,
    PCS_OP_SQUARE, // x^2 and x*x: one operand, so that sharing and printing stay linear
    PCS_OP_NEG,
    PCS_OP_LT,
    PCS_OP_LE,
    PCS_OP_GT,
    PCS_OP_GE,
    PCS_OP_EQ,
    PCS_OP_NE,
    PCS_OP_AND,
    PCS_OP_OR,
    PCS_OP_NOT,
    PCS_OP_SELECT, // if(c, a, b) and c ? a : b
    PCS_OP_SIN,
    PCS_OP_COS,
    PCS_OP_TAN,
    PCS_OP_ASIN,
    PCS_OP_ACOS,
    PCS_OP_ATAN,
    PCS_OP_ATAN2,
    PCS_OP_SINH,
    PCS_OP_COSH,
    PCS_OP_TANH,
    PCS_OP_ASINH,
    PCS_OP_ACOSH,
    PCS_OP_ATANH,
    PCS_OP_EXP,
    PCS_OP_LOG,
    PCS_OP_LOG10,
    PCS_OP_LOG2,
    PCS_OP_SQRT,
    PCS_OP_CBRT,
    PCS_OP_HYPOT,
    PCS_OP_ABS,
    PCS_OP_SIGN,
    PCS_OP_FLOOR,
    PCS_OP_CEIL,
    PCS_OP_ROUND,
    PCS_OP_MOD,
    PCS_OP_MIN,
    PCS_OP_MAX,
    PCS_OP_CLAMP,
    PCS_OP_STEP,
    PCS_OP_RAMP,
    PCS_OP_SMOOTHSTEP,
    PCS_OP_SMOOTH5,
    PCS_OP_CHAIN, // the product of the chain rule: zero if a factor is zero, whatever the other is
    PCS_OP_COUNT
} pcs_formula_op;

// What is known of a result when all operands are finite; drives the simplification of CHAIN.
enum {
    PCS_RESULT_FINITE = 1, // no infinity inside the domain, overflow aside
    PCS_RESULT_NONNEGATIVE = 2,
    PCS_RESULT_POSITIVE = 4, // implies NONNEGATIVE
};

// Value at the operands x[0..2] (unused ones hold any number).
typedef double (*pcs_value_fn)(const double *x);
// Partial derivatives d[0..2] at x, where f is the value already computed.
typedef void (*pcs_slopes_fn)(const double *x, double f, double *d);
// Node of the derivative: f is the node itself, x its operands, dx their derivatives.
typedef int32_t (*pcs_rule_fn)(pcs_graph *graph, int32_t f, const int32_t *x, const int32_t *dx);

enum { PCS_ARGUMENTS_ANY = 127 }; // max_arguments of min, max, hypot: folded pair by pair

typedef struct pcs_operation {
    const char *name;     // function name, or operator symbol if max_arguments is 0
    int8_t operands;      // of a node, 0 to 3
    int8_t min_arguments; // of the function in a text
    int8_t max_arguments;
    uint8_t result; // PCS_RESULT_ bits
    pcs_value_fn value;
    pcs_slopes_fn slopes;  // NULL: piecewise constant, derivative 0
    pcs_rule_fn rule;      // NULL exactly when slopes is
    const char *signature; // "atan2(y, x)"; NULL for operators
    const char *help;
} pcs_operation;

extern const pcs_operation pcs_operations[PCS_OP_COUNT];

// Operation of a function name; -1 if there is none.
int32_t pcs_operation_find(const char *name, size_t length);
// What the user may have meant by an unknown function name: text for an error message, or NULL.
const char *pcs_operation_nearest(const char *name, size_t length);

// a*b, where a factor that is exactly zero wins over infinity and NaN. With it a branch that is not
// taken and a singular slope times a vanishing inner derivative contribute nothing.
static inline double pcs_chain_product(double a, double b)
{
    return a == 0.0 || b == 0.0 ? 0.0 : a * b;
}

#endif
