// Hash-consed expression graph with constant folding.
//
// A rewriting is used only if it keeps the IEEE value for every operand, infinities and NaN
// included; the sign of a zero is the one thing it may change. So x*0, x-x and x/x stay as they
// are. The product of the chain rule (PCS_OP_CHAIN) has its own algebra, in which zero wins.
#include "formula/graph.h"

#include <math.h>
#include <string.h>

#include "formula/functions.h"

enum { FIRST_BUCKETS = 64 };

static uint32_t node_hash(const pcs_node *node)
{
    // Constants hash by their bits, so that 0 and -0 stay apart.
    uint64_t bits;
    memcpy(&bits, &node->value, sizeof bits);
    uint64_t h = bits ^ ((uint64_t)node->op << 48);
    for (int k = 0; k < 3; k++) {
        h = (h ^ (uint64_t)(uint32_t)node->operand[k]) * UINT64_C(0x9E3779B97F4A7C15);
        h ^= h >> 29;
    }
    return (uint32_t)(h ^ (h >> 32));
}

static bool same_node(const pcs_node *a, const pcs_node *b)
{
    return a->op == b->op && memcmp(a->operand, b->operand, sizeof a->operand) == 0 &&
           memcmp(&a->value, &b->value, sizeof a->value) == 0;
}

static int32_t find_node(const pcs_graph *graph, const pcs_node *node)
{
    uint32_t mask = (uint32_t)graph->bucket_count - 1;
    for (uint32_t i = node_hash(node) & mask; graph->buckets[i]; i = (i + 1) & mask)
        if (same_node(&graph->nodes.data[graph->buckets[i] - 1], node))
            return graph->buckets[i] - 1;
    return -1;
}

static void link_node(pcs_graph *graph, int32_t index)
{
    uint32_t mask = (uint32_t)graph->bucket_count - 1;
    uint32_t i = node_hash(&graph->nodes.data[index]) & mask;
    while (graph->buckets[i])
        i = (i + 1) & mask;
    graph->buckets[i] = index + 1;
}

static bool grow_buckets(pcs_graph *graph, int32_t bucket_count)
{
    int32_t *buckets = PCS_NEW_ARRAY(graph->ctx, int32_t, bucket_count);
    if (!buckets)
        return false;
    pcs_free(graph->ctx, graph->buckets);
    graph->buckets = buckets;
    graph->bucket_count = bucket_count;
    for (int32_t i = 0; i < graph->nodes.count; i++)
        link_node(graph, i);
    return true;
}

// Index of a node equal to `node`, appended if there is none.
static int32_t intern(pcs_graph *graph, const pcs_node *node)
{
    int32_t found = find_node(graph, node);
    if (found >= 0)
        return found;
    if (graph->failed)
        return PCS_NODE_ZERO;
    if (2 * (graph->nodes.count + 1) > graph->bucket_count &&
        !grow_buckets(graph, 2 * graph->bucket_count)) {
        graph->failed = true;
        return PCS_NODE_ZERO;
    }
    if (!PCS_PUSH(graph->ctx, &graph->nodes, *node)) {
        graph->failed = true;
        return PCS_NODE_ZERO;
    }
    link_node(graph, graph->nodes.count - 1);
    return graph->nodes.count - 1;
}

bool pcs_graph_init(pcs_graph *graph, pcs_context *ctx)
{
    memset(graph, 0, sizeof *graph);
    graph->ctx = ctx;
    if (!grow_buckets(graph, FIRST_BUCKETS))
        return false;
    pcs_graph_constant(graph, 0.0);
    pcs_graph_constant(graph, 1.0);
    if (graph->failed)
        pcs_graph_free(graph);
    return !graph->failed;
}

void pcs_graph_free(pcs_graph *graph)
{
    PCS_ARRAY_FREE(graph->ctx, &graph->nodes);
    pcs_free(graph->ctx, graph->buckets);
    graph->buckets = NULL;
}

int32_t pcs_graph_constant(pcs_graph *graph, double value)
{
    pcs_node node = {.op = PCS_OP_CONSTANT, .value = isnan(value) ? (double)NAN : value};
    if (isfinite(value))
        node.result |= PCS_RESULT_FINITE;
    if (value >= 0.0)
        node.result |= PCS_RESULT_NONNEGATIVE;
    if (value > 0.0)
        node.result |= PCS_RESULT_POSITIVE;
    return intern(graph, &node);
}

int32_t pcs_graph_variable(pcs_graph *graph, int32_t variable)
{
    pcs_node node = {.op = PCS_OP_VARIABLE, .result = PCS_RESULT_FINITE, .operand = {variable}};
    return intern(graph, &node);
}

static bool is_constant(const pcs_graph *graph, int32_t i)
{
    return graph->nodes.data[i].op == PCS_OP_CONSTANT;
}

static bool is_value(const pcs_graph *graph, int32_t i, double value)
{
    return is_constant(graph, i) && graph->nodes.data[i].value == value;
}

static bool is_op(const pcs_graph *graph, int32_t i, int32_t op)
{
    return graph->nodes.data[i].op == op;
}

// What is known of a result beyond the row of its operation.
static uint8_t result_bits(const pcs_graph *graph, int32_t op, const int32_t *x)
{
    enum { FIN = PCS_RESULT_FINITE, NON = PCS_RESULT_NONNEGATIVE, POS = PCS_RESULT_POSITIVE };
    const pcs_node *nodes = graph->nodes.data;
    const pcs_operation *row = &pcs_operations[op];
    int a = nodes[x[0]].result, b = nodes[x[1]].result, c = nodes[x[2]].result;
    int all = a & (row->operands > 1 ? b : a) & (row->operands > 2 ? c : a);
    int bits = row->result & ~FIN;
    bool finite = (row->result & FIN) && (all & FIN);

    switch (op) {
    case PCS_OP_ADD:
        bits |= (all & NON) | ((all & NON) ? (a | b) & POS : 0);
        break;
    case PCS_OP_MUL:
    case PCS_OP_CHAIN:
        bits |= all & (NON | POS);
        break;
    case PCS_OP_DIV:
        bits |= all & (NON | POS);
        finite = (all & FIN) &&
                 ((b & POS) || (is_constant(graph, x[1]) && nodes[x[1]].value != 0.0));
        break;
    case PCS_OP_POW:
        bits |= a & (NON | POS);
        finite = (all & FIN) && ((a & POS) || (is_constant(graph, x[1]) && (b & NON)));
        break;
    case PCS_OP_SELECT:
        bits |= b & c & (NON | POS);
        finite = b & c & FIN;
        break;
    case PCS_OP_MIN:
        bits |= all & (NON | POS);
        break;
    case PCS_OP_MAX:
    case PCS_OP_HYPOT:
        bits |= (a | b) & (NON | POS);
        break;
    case PCS_OP_SQUARE:
    case PCS_OP_SQRT:
    case PCS_OP_CBRT:
    case PCS_OP_ABS:
    case PCS_OP_RAMP:
        bits |= a & (NON | POS);
        break;
    default:
        break;
    }
    return (uint8_t)(bits | (finite ? FIN : 0));
}

static int32_t append(pcs_graph *graph, int32_t op, const int32_t *x)
{
    pcs_node node = {.op = (int16_t)op, .operand = {x[0], x[1], x[2]}};
    node.result = result_bits(graph, op, x);
    // Sums and products find their mirror image; the order of the text is kept for printing.
    if (op == PCS_OP_ADD || op == PCS_OP_MUL || op == PCS_OP_CHAIN) {
        pcs_node mirror = node;
        mirror.operand[0] = x[1];
        mirror.operand[1] = x[0];
        int32_t found = find_node(graph, &mirror);
        if (found >= 0)
            return found;
    }
    return intern(graph, &node);
}

static int32_t simplify_sum(pcs_graph *graph, int32_t op, const int32_t *x)
{
    int32_t a = x[0], b = x[1];
    bool add = op == PCS_OP_ADD;
    if (is_value(graph, b, 0.0))
        return a;
    if (is_value(graph, a, 0.0))
        return add ? b : pcs_graph_apply(graph, PCS_OP_NEG, b, 0, 0);
    if (is_op(graph, b, PCS_OP_NEG)) // a + (-y) = a - y and the reverse
        return pcs_graph_apply(graph, add ? PCS_OP_SUB : PCS_OP_ADD, a,
                               graph->nodes.data[b].operand[0], 0);
    if (add && is_op(graph, a, PCS_OP_NEG)) // (-y) + b = b - y
        return pcs_graph_apply(graph, PCS_OP_SUB, b, graph->nodes.data[a].operand[0], 0);
    return append(graph, op, x);
}

static int32_t simplify_product(pcs_graph *graph, int32_t op, const int32_t *x)
{
    int32_t a = x[0], b = x[1];
    const pcs_node *nodes = graph->nodes.data;
    if (op == PCS_OP_CHAIN) {
        if (is_value(graph, a, 0.0) || is_value(graph, b, 0.0))
            return PCS_NODE_ZERO;
        bool finite = nodes[a].result & nodes[b].result & PCS_RESULT_FINITE;
        bool scaled = (is_constant(graph, a) && isfinite(nodes[a].value)) ||
                      (is_constant(graph, b) && isfinite(nodes[b].value));
        return finite || scaled ? pcs_graph_apply(graph, PCS_OP_MUL, a, b, 0)
                                : append(graph, op, x);
    }
    if (is_value(graph, b, 1.0))
        return a;
    if (is_value(graph, b, -1.0))
        return pcs_graph_apply(graph, PCS_OP_NEG, a, 0, 0);
    if (op == PCS_OP_MUL && is_value(graph, a, 1.0))
        return b;
    if (op == PCS_OP_MUL && is_value(graph, a, -1.0))
        return pcs_graph_apply(graph, PCS_OP_NEG, b, 0, 0);
    if (is_op(graph, a, PCS_OP_NEG) && is_op(graph, b, PCS_OP_NEG))
        return pcs_graph_apply(graph, op, nodes[a].operand[0], nodes[b].operand[0], 0);
    if (op == PCS_OP_MUL && a == b)
        return pcs_graph_apply(graph, PCS_OP_SQUARE, a, 0, 0);
    return append(graph, op, x);
}

static int32_t simplify_power(pcs_graph *graph, const int32_t *x)
{
    int32_t a = x[0], b = x[1];
    if (is_value(graph, b, 0.0) || is_value(graph, a, 1.0)) // IEEE: even for NaN
        return PCS_NODE_ONE;
    if (is_value(graph, b, 1.0))
        return a;
    if (is_value(graph, b, 2.0))
        return pcs_graph_apply(graph, PCS_OP_SQUARE, a, 0, 0);
    return append(graph, PCS_OP_POW, x);
}

static int32_t simplify_logic(pcs_graph *graph, int32_t op, const int32_t *x)
{
    for (int k = 0; k < 2; k++) {
        if (!is_constant(graph, x[k]))
            continue;
        bool truth = graph->nodes.data[x[k]].value != 0.0;
        if (op == PCS_OP_AND && !truth)
            return PCS_NODE_ZERO;
        if (op == PCS_OP_OR && truth)
            return PCS_NODE_ONE;
    }
    return append(graph, op, x);
}

static int32_t simplify_select(pcs_graph *graph, const int32_t *x)
{
    if (is_constant(graph, x[0]))
        return graph->nodes.data[x[0]].value != 0.0 ? x[1] : x[2];
    if (x[1] == x[2])
        return x[1];
    if (is_op(graph, x[0], PCS_OP_NOT))
        return pcs_graph_apply(graph, PCS_OP_SELECT, graph->nodes.data[x[0]].operand[0], x[2],
                               x[1]);
    return append(graph, PCS_OP_SELECT, x);
}

int32_t pcs_graph_apply(pcs_graph *graph, int32_t op, int32_t a, int32_t b, int32_t c)
{
    const pcs_operation *row = &pcs_operations[op];
    int32_t x[3] = {a, row->operands > 1 ? b : 0, row->operands > 2 ? c : 0};
    bool all_constant = true;
    double value[3] = {0.0, 0.0, 0.0};
    for (int k = 0; k < row->operands; k++) {
        all_constant = all_constant && is_constant(graph, x[k]);
        value[k] = graph->nodes.data[x[k]].value;
    }
    if (all_constant)
        return pcs_graph_constant(graph, row->value(value));

    switch (op) {
    case PCS_OP_ADD:
    case PCS_OP_SUB:
        return simplify_sum(graph, op, x);
    case PCS_OP_MUL:
    case PCS_OP_DIV:
    case PCS_OP_CHAIN:
        return simplify_product(graph, op, x);
    case PCS_OP_POW:
        return simplify_power(graph, x);
    case PCS_OP_AND:
    case PCS_OP_OR:
        return simplify_logic(graph, op, x);
    case PCS_OP_SELECT:
        return simplify_select(graph, x);
    case PCS_OP_NEG:
        return is_op(graph, a, PCS_OP_NEG) ? graph->nodes.data[a].operand[0] : append(graph, op, x);
    case PCS_OP_MIN:
    case PCS_OP_MAX:
        return a == b ? a : append(graph, op, x);
    default:
        return append(graph, op, x);
    }
}
