// Tape of a formula: compilation from the graph, evaluation, gradient by a reverse sweep.
#include "formula/tape.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "formula/functions.h"

// Most formulas fit in the small arrays; the large ones are kept off the common path.
enum { SMALL_SLOTS = 128 };

static int compare_indices(const void *a, const void *b)
{
    int32_t left = *(const int32_t *)a, right = *(const int32_t *)b;
    return (left > right) - (left < right);
}

// slot[i] becomes 1 for the nodes below root, 0 for the others. Returns their number.
static int32_t mark_reachable(const pcs_graph *graph, int32_t root, int32_t *slot)
{
    int32_t count = 0;
    slot[root] = 1;
    for (int32_t i = root; i >= 0; i--) {
        const pcs_node *node = &graph->nodes.data[i];
        count += slot[i];
        for (int k = 0; slot[i] && k < pcs_operations[node->op].operands; k++)
            slot[node->operand[k]] = 1;
    }
    return count;
}

static bool allocate(pcs_formula *formula, const pcs_graph *graph, int32_t root,
                     const int32_t *marked)
{
    for (int32_t i = 0; i <= root; i++) {
        int op = graph->nodes.data[i].op;
        formula->constant_count += marked[i] && op == PCS_OP_CONSTANT;
        formula->variable_count += marked[i] && op == PCS_OP_VARIABLE;
        formula->instruction_count += marked[i] && op != PCS_OP_CONSTANT && op != PCS_OP_VARIABLE;
    }
    formula->constants = PCS_NEW_ARRAY(formula->ctx, double, formula->constant_count);
    formula->variables = PCS_NEW_ARRAY(formula->ctx, int32_t, formula->variable_count);
    formula->instructions = PCS_NEW_ARRAY(formula->ctx, pcs_instruction,
                                          formula->instruction_count);
    return formula->constants && formula->variables && formula->instructions;
}

// Slots of constants and variables, then the instructions in graph order. `slot` comes in with the
// marks and ends as the slot of each marked node.
static void fill(pcs_formula *formula, const pcs_graph *graph, int32_t root, int32_t *slot)
{
    int32_t constants = 0, variables = 0, instructions = 0;
    for (int32_t i = 0; i <= root; i++)
        if (slot[i] && graph->nodes.data[i].op == PCS_OP_VARIABLE)
            formula->variables[variables++] = graph->nodes.data[i].operand[0];
    if (variables > 1)
        qsort(formula->variables, (size_t)variables, sizeof *formula->variables, compare_indices);

    for (int32_t i = 0; i <= root; i++) {
        const pcs_node *node = &graph->nodes.data[i];
        if (!slot[i])
            continue;
        if (node->op == PCS_OP_CONSTANT) {
            formula->constants[constants] = node->value;
            slot[i] = constants++;
        } else if (node->op == PCS_OP_VARIABLE) {
            const int32_t *found = bsearch(&node->operand[0], formula->variables, (size_t)variables,
                                           sizeof *found, compare_indices);
            slot[i] = formula->constant_count + (int32_t)(found - formula->variables);
        } else {
            pcs_instruction *instruction = &formula->instructions[instructions];
            instruction->op = node->op;
            for (int k = 0; k < pcs_operations[node->op].operands; k++)
                instruction->operand[k] = slot[node->operand[k]];
            slot[i] = formula->constant_count + formula->variable_count + instructions++;
        }
    }
}

pcs_status pcs_tape_compile(const pcs_graph *graph, int32_t root, const char *what,
                            pcs_formula **out)
{
    pcs_context *ctx = graph->ctx;
    int32_t *slot = PCS_NEW_ARRAY(ctx, int32_t, root + 1);
    if (!slot)
        return PCS_ERROR_MEMORY;
    int32_t count = mark_reachable(graph, root, slot);
    if (count > PCS_FORMULA_SLOT_LIMIT) {
        pcs_free(ctx, slot);
        return pcs_error(ctx, PCS_ERROR_INPUT,
                         "%s is too large: %ld operations and operands, at most %d", what,
                         (long)count, PCS_FORMULA_SLOT_LIMIT);
    }
    pcs_formula *formula = PCS_NEW(ctx, pcs_formula);
    bool complete = false;
    if (formula) {
        formula->ctx = ctx;
        complete = allocate(formula, graph, root, slot);
    }
    if (complete) {
        fill(formula, graph, root, slot);
        formula->last = pcs_formula_slots(formula) - 1;
    }
    pcs_free(ctx, slot);
    if (!complete) {
        pcs_formula_destroy(formula);
        return PCS_ERROR_MEMORY;
    }
    *out = formula;
    return PCS_OK;
}

// Fills all slots.
static void run(const pcs_formula *formula, const double *variables, double *slots)
{
    double *out = slots;
    for (int32_t i = 0; i < formula->constant_count; i++)
        *out++ = formula->constants[i];
    for (int32_t i = 0; i < formula->variable_count; i++)
        *out++ = variables[formula->variables[i]];
    const pcs_instruction *end = formula->instructions + formula->instruction_count;
    for (const pcs_instruction *step = formula->instructions; step < end; step++, out++) {
        double a = slots[step->operand[0]], b = slots[step->operand[1]];
        switch (step->op) {
        case PCS_OP_ADD:
            *out = a + b;
            break;
        case PCS_OP_SUB:
            *out = a - b;
            break;
        case PCS_OP_MUL:
            *out = a * b;
            break;
        case PCS_OP_DIV:
            *out = a / b;
            break;
        case PCS_OP_SQUARE:
            *out = a * a;
            break;
        case PCS_OP_NEG:
            *out = -a;
            break;
        case PCS_OP_SIN:
            *out = sin(a);
            break;
        case PCS_OP_COS:
            *out = cos(a);
            break;
        case PCS_OP_SQRT:
            *out = sqrt(a);
            break;
        case PCS_OP_SELECT:
            *out = a != 0.0 ? b : slots[step->operand[2]];
            break;
        default: {
            const double x[3] = {a, b, slots[step->operand[2]]};
            *out = pcs_operations[step->op].value(x);
            break;
        }
        }
    }
}

// Reverse sweep. adjoint[i] = d result / d slot i, complete when its turn comes, because every user
// of slot i stands behind it. Slots without influence are skipped: a branch not taken may hold
// infinities.
static void sweep(const pcs_formula *formula, const double *slots, double *adjoint)
{
    int32_t count = pcs_formula_slots(formula);
    int32_t first = formula->constant_count + formula->variable_count;
    memset(adjoint, 0, (size_t)count * sizeof *adjoint);
    adjoint[count - 1] = 1.0;
    for (int32_t i = count - 1; i >= first; i--) {
        const pcs_instruction *step = &formula->instructions[i - first];
        const int32_t *operand = step->operand;
        const pcs_operation *row = &pcs_operations[step->op];
        double s = adjoint[i];
        if (s == 0.0 || !row->slopes)
            continue;
        switch (step->op) {
        case PCS_OP_ADD:
            adjoint[operand[0]] += s;
            adjoint[operand[1]] += s;
            break;
        case PCS_OP_SUB:
            adjoint[operand[0]] += s;
            adjoint[operand[1]] -= s;
            break;
        case PCS_OP_MUL:
            adjoint[operand[0]] += pcs_chain_product(s, slots[operand[1]]);
            adjoint[operand[1]] += pcs_chain_product(s, slots[operand[0]]);
            break;
        case PCS_OP_NEG:
            adjoint[operand[0]] -= s;
            break;
        default: {
            const double x[3] = {slots[operand[0]], slots[operand[1]], slots[operand[2]]};
            double slope[3];
            row->slopes(x, slots[i], slope);
            for (int k = 0; k < row->operands; k++)
                adjoint[operand[k]] += pcs_chain_product(s, slope[k]);
            break;
        }
        }
    }
}

static double evaluate_large(const pcs_formula *formula, const double *variables)
{
    double slots[PCS_FORMULA_SLOT_LIMIT];
    run(formula, variables, slots);
    return slots[pcs_formula_slots(formula) - 1];
}

double pcs_formula_evaluate(const pcs_formula *formula, const double *variables)
{
    if (pcs_formula_slots(formula) > SMALL_SLOTS)
        return evaluate_large(formula, variables);
    double slots[SMALL_SLOTS];
    run(formula, variables, slots);
    return slots[pcs_formula_slots(formula) - 1];
}

static double gradient_with(const pcs_formula *formula, const double *variables, double *gradient,
                            double *slots, double *adjoint)
{
    run(formula, variables, slots);
    sweep(formula, slots, adjoint);
    for (int32_t i = 0; i < formula->variable_count; i++)
        gradient[i] = adjoint[formula->constant_count + i];
    return slots[pcs_formula_slots(formula) - 1];
}

static double gradient_large(const pcs_formula *formula, const double *variables, double *gradient)
{
    double slots[PCS_FORMULA_SLOT_LIMIT], adjoint[PCS_FORMULA_SLOT_LIMIT];
    return gradient_with(formula, variables, gradient, slots, adjoint);
}

double pcs_formula_gradient(const pcs_formula *formula, const double *variables, double *gradient)
{
    if (pcs_formula_slots(formula) > SMALL_SLOTS)
        return gradient_large(formula, variables, gradient);
    double slots[SMALL_SLOTS], adjoint[SMALL_SLOTS];
    return gradient_with(formula, variables, gradient, slots, adjoint);
}
