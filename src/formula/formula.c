// Public face of formulas: creation, destruction, questions. Evaluation is in tape.c.
#include "percuss/formula.h"

#include "formula/functions.h"
#include "formula/parser.h"
#include "formula/tape.h"

pcs_status pcs_formula_create(pcs_context *ctx, const char *text, pcs_symbol_fn resolve, void *user,
                              pcs_formula **out)
{
    *out = NULL;
    if (!text)
        return pcs_error(ctx, PCS_ERROR_ARGUMENT, "column 1: there is no formula");
    pcs_graph graph;
    if (!pcs_graph_init(&graph, ctx))
        return PCS_ERROR_MEMORY;
    int32_t root = 0;
    pcs_status status = pcs_formula_parse(&graph, text, resolve, user, &root);
    if (!status)
        status = pcs_tape_compile(&graph, root, "column 1: the formula", out);
    pcs_graph_free(&graph);
    return status;
}

void pcs_formula_destroy(pcs_formula *formula)
{
    if (!formula)
        return;
    pcs_free(formula->ctx, formula->constants);
    pcs_free(formula->ctx, formula->variables);
    pcs_free(formula->ctx, formula->instructions);
    pcs_free(formula->ctx, formula);
}

bool pcs_formula_is_constant(const pcs_formula *formula, double *value)
{
    if (formula->variable_count > 0)
        return false;
    if (value)
        *value = pcs_formula_evaluate(formula, NULL);
    return true;
}

int32_t pcs_formula_variables(const pcs_formula *formula, const int32_t **variables)
{
    if (variables)
        *variables = formula->variables;
    return formula->variable_count;
}

int32_t pcs_formula_operations(const pcs_formula *formula)
{
    return formula->instruction_count;
}

bool pcs_formula_function(int32_t index, const char **signature, const char **meaning)
{
    for (int32_t op = 0; op < PCS_OP_COUNT; op++) {
        if (!pcs_operations[op].signature || index-- > 0)
            continue;
        *signature = pcs_operations[op].signature;
        *meaning = pcs_operations[op].help;
        return true;
    }
    return false;
}
