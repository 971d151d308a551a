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
    if (!status && !((*out)->text = pcs_strdup(ctx, text))) {
        pcs_formula_destroy(*out);
        *out = NULL;
        return PCS_ERROR_MEMORY;
    }
    return status;
}

void pcs_formula_destroy(pcs_formula *formula)
{
    if (!formula)
        return;
    pcs_free(formula->ctx, formula->text);
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

const char *pcs_formula_text(const pcs_formula *formula)
{
    return formula->text ? formula->text : "";
}

int32_t pcs_formula_operations(const pcs_formula *formula)
{
    return formula->instruction_count;
}

pcs_status pcs_formula_view(pcs_context *ctx, const pcs_formula *formula, pcs_tape_view *view)
{
    const int32_t first = formula->constant_count + formula->variable_count;
    *view = (pcs_tape_view){.n_constants = formula->constant_count,
                            .n_variables = formula->variable_count,
                            .n_slots = pcs_formula_slots(formula),
                            .n_steps = formula->instruction_count,
                            .n_roots = 1,
                            .constants = formula->constants,
                            .variables = formula->variables,
                            .roots = &formula->last};
    view->steps = PCS_NEW_ARRAY(ctx, pcs_tape_step, view->n_steps);
    if (!view->steps)
        return PCS_ERROR_MEMORY;
    for (int32_t i = 0; i < view->n_steps; i++) {
        const pcs_instruction *from = &formula->instructions[i];
        view->steps[i] = (pcs_tape_step){
            from->op, first + i, {from->operand[0], from->operand[1], from->operand[2]}};
    }
    return PCS_OK;
}

bool pcs_formula_function(int32_t index, const char **signature, const char **meaning)
{
    for (int32_t op = 0; index >= 0 && op < PCS_OP_COUNT; op++) {
        if (!pcs_operations[op].signature || index-- > 0)
            continue;
        *signature = pcs_operations[op].signature;
        *meaning = pcs_operations[op].help;
        return true;
    }
    return false;
}
