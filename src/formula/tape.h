// A compiled formula: values in slots, filled in one pass.
//
// Slots: first the constants, then the variables (ascending), then one for each instruction; the
// last slot is the result. Evaluation keeps all slots in an array on the stack (32 KiB at the
// limit, twice that for the gradient), so it makes no heap call and is reentrant.
#ifndef PCS_FORMULA_TAPE_H
#define PCS_FORMULA_TAPE_H

#include "formula/graph.h"
#include "percuss/formula.h"

enum { PCS_FORMULA_SLOT_LIMIT = 4096 };

typedef struct pcs_instruction {
    int32_t op;         // pcs_formula_op
    int32_t operand[3]; // slots; 0 where unused
} pcs_instruction;

// One operation of a formula or a program, whatever its storage: slots[out] = op(slots[operand]).
typedef struct pcs_tape_step {
    int32_t op, out;
    int32_t operand[3];
} pcs_tape_step;

// What a formula or a program computes, for those who look into it: slots of constants first, then
// of variables, then results; steps in an order in which operands come first.
typedef struct pcs_tape_view {
    int32_t n_constants, n_variables, n_slots, n_steps, n_roots;
    const double *constants;
    const int32_t *variables; // index of each variable; NULL: 0, 1, 2...
    const int32_t *roots;     // slots of the results
    pcs_tape_step *steps;     // owned by the caller of get
} pcs_tape_view;

struct pcs_formula {
    pcs_context *ctx;
    int32_t constant_count;
    int32_t variable_count;
    int32_t instruction_count;
    double *constants;
    int32_t *variables; // index that the resolver gave to each variable slot
    pcs_instruction *instructions;
    int32_t last; // slot of the result
    char *text;   // that it was read from; NULL: derived
};

static inline int32_t pcs_formula_slots(const pcs_formula *formula)
{
    return formula->constant_count + formula->variable_count + formula->instruction_count;
}

// Compiles the part of the graph below `root`. `what` names the formula in the error for a graph
// that is too large: "column 1: the formula", "the derivative".
pcs_status pcs_tape_compile(const pcs_graph *graph, int32_t root, const char *what,
                            pcs_formula **out) PCS_MUST_CHECK;

// The view of a formula; its steps are released with pcs_free() of the same context.
pcs_status pcs_formula_view(pcs_context *ctx, const pcs_formula *formula, pcs_tape_view *view)
    PCS_MUST_CHECK;

#endif
