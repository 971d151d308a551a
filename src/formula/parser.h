// Text of a formula to expression graph.
#ifndef PCS_FORMULA_PARSER_H
#define PCS_FORMULA_PARSER_H

#include "formula/graph.h"
#include "percuss/formula.h"

enum {
    PCS_FORMULA_TEXT_LIMIT = 65536, // bytes
    PCS_FORMULA_DEPTH_LIMIT = 200,  // parentheses, calls, signs and exponents inside each other
};

// Parses `text` into `graph` (already initialised) and gives the node of the whole. Errors are
// recorded as "column N: ...".
pcs_status pcs_formula_parse(pcs_graph *graph, const char *text, pcs_symbol_fn resolve, void *user,
                             int32_t *root) PCS_MUST_CHECK;

#endif
