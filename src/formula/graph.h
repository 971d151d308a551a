// Expression graph of a formula while it is built: nodes in topological order (operands have lower
// indices), equal subexpressions stored once, constants folded. Memory failure is sticky: building
// goes on with node 0, and `failed` is looked at once in the end.
#ifndef PCS_FORMULA_GRAPH_H
#define PCS_FORMULA_GRAPH_H

#include "base/array.h"

typedef struct pcs_node {
    int16_t op;         // pcs_formula_op
    uint8_t result;     // PCS_RESULT_ bits known of this node
    int32_t operand[3]; // node indices, 0 where unused; operand[0] is the index of a variable
    double value;       // of a constant
} pcs_node;

typedef struct pcs_graph {
    pcs_context *ctx;
    PCS_ARRAY(pcs_node) nodes;
    int32_t *buckets;     // open addressing: node index + 1, 0 is free
    int32_t bucket_count; // power of two
    bool failed;
} pcs_graph;

enum { PCS_NODE_ZERO = 0, PCS_NODE_ONE = 1 }; // present in every graph

bool pcs_graph_init(pcs_graph *graph, pcs_context *ctx);
void pcs_graph_free(pcs_graph *graph);

int32_t pcs_graph_constant(pcs_graph *graph, double value);
int32_t pcs_graph_variable(pcs_graph *graph, int32_t variable);
// Node of op(x[0], x[1], x[2]), simplified. Unused operands are ignored.
int32_t pcs_graph_apply(pcs_graph *graph, int32_t op, int32_t a, int32_t b, int32_t c);

#endif
