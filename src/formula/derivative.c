// Symbolic derivative: the tape becomes a graph again, and the rule of each operation gives the
// node of its derivative from the nodes and derivatives of its operands, in tape order.
#include "formula/functions.h"
#include "formula/tape.h"

// Nodes and derivatives of all slots. Returns the derivative of the last.
static int32_t differentiate(pcs_graph *graph, const pcs_formula *formula, int32_t variable)
{
    int32_t node[PCS_FORMULA_SLOT_LIMIT], slope[PCS_FORMULA_SLOT_LIMIT];
    int32_t count = 0;
    for (int32_t i = 0; i < formula->constant_count; i++, count++) {
        node[count] = pcs_graph_constant(graph, formula->constants[i]);
        slope[count] = PCS_NODE_ZERO;
    }
    for (int32_t i = 0; i < formula->variable_count; i++, count++) {
        node[count] = pcs_graph_variable(graph, formula->variables[i]);
        slope[count] = formula->variables[i] == variable ? PCS_NODE_ONE : PCS_NODE_ZERO;
    }
    for (int32_t i = 0; i < formula->instruction_count; i++, count++) {
        const pcs_instruction *step = &formula->instructions[i];
        const pcs_operation *row = &pcs_operations[step->op];
        int32_t x[3] = {0, 0, 0}, dx[3] = {PCS_NODE_ZERO, PCS_NODE_ZERO, PCS_NODE_ZERO};
        bool depends = false;
        for (int k = 0; k < row->operands; k++) {
            x[k] = node[step->operand[k]];
            dx[k] = slope[step->operand[k]];
            depends = depends || dx[k] != PCS_NODE_ZERO;
        }
        node[count] = pcs_graph_apply(graph, step->op, x[0], x[1], x[2]);
        slope[count] = depends && row->rule ? row->rule(graph, node[count], x, dx) : PCS_NODE_ZERO;
    }
    return slope[count - 1];
}

pcs_status pcs_formula_derivative(const pcs_formula *formula, int32_t variable, pcs_formula **out)
{
    *out = NULL;
    pcs_context *ctx = formula->ctx;
    if (variable < 0)
        return pcs_error(ctx, PCS_ERROR_ARGUMENT, "derivative: variable %ld is negative",
                         (long)variable);
    pcs_graph graph;
    if (!pcs_graph_init(&graph, ctx))
        return PCS_ERROR_MEMORY;
    int32_t root = differentiate(&graph, formula, variable);
    pcs_status status = PCS_ERROR_MEMORY;
    if (!graph.failed)
        status = pcs_tape_compile(&graph, root, "the derivative", out);
    pcs_graph_free(&graph);
    return status;
}
