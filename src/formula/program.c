// Terms over one graph, and their compilation to a tape in segments.
#include "formula/program.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "formula/functions.h"
#include "formula/parser.h"
#include "formula/tape.h"

struct pcs_terms {
    pcs_graph graph;
};

// ---- Terms ----

pcs_status pcs_terms_create(pcs_context *ctx, pcs_terms **out)
{
    *out = NULL;
    pcs_terms *terms = PCS_NEW(ctx, pcs_terms);
    if (!terms)
        return PCS_ERROR_MEMORY;
    if (!pcs_graph_init(&terms->graph, ctx)) {
        pcs_free(ctx, terms);
        return PCS_ERROR_MEMORY;
    }
    *out = terms;
    return PCS_OK;
}

void pcs_terms_destroy(pcs_terms *terms)
{
    if (!terms)
        return;
    pcs_context *ctx = terms->graph.ctx;
    pcs_graph_free(&terms->graph);
    pcs_free(ctx, terms);
}

pcs_status pcs_terms_parse(pcs_terms *terms, const char *text, pcs_symbol_fn resolve, void *user,
                           pcs_term *out)
{
    *out = PCS_TERM_ZERO;
    return pcs_formula_parse(&terms->graph, text, resolve, user, out);
}

pcs_term pcs_terms_number(pcs_terms *terms, double value)
{
    return pcs_graph_constant(&terms->graph, value);
}

pcs_term pcs_terms_variable(pcs_terms *terms, int32_t variable)
{
    return pcs_graph_variable(&terms->graph, variable);
}

pcs_term pcs_terms_add(pcs_terms *terms, pcs_term a, pcs_term b)
{
    return pcs_graph_apply(&terms->graph, PCS_OP_ADD, a, b, 0);
}

pcs_term pcs_terms_subtract(pcs_terms *terms, pcs_term a, pcs_term b)
{
    return pcs_graph_apply(&terms->graph, PCS_OP_SUB, a, b, 0);
}

// CHAIN, so that a zero that is found by differentiating wins over anything.
pcs_term pcs_terms_multiply(pcs_terms *terms, pcs_term a, pcs_term b)
{
    return pcs_graph_apply(&terms->graph, PCS_OP_CHAIN, a, b, 0);
}

bool pcs_terms_is_number(const pcs_terms *terms, pcs_term term, double *value)
{
    const pcs_node *node = &terms->graph.nodes.data[term];
    if (node->op != PCS_OP_CONSTANT)
        return false;
    if (value)
        *value = node->value;
    return true;
}

bool pcs_terms_failed(const pcs_terms *terms)
{
    return terms->graph.failed;
}

static pcs_term highest(int32_t n, const pcs_term *terms)
{
    pcs_term top = 0;
    for (int32_t i = 0; i < n; i++)
        top = terms[i] > top ? terms[i] : top;
    return top;
}

// marks |= bits of the users, for all nodes below those already marked; nodes 0 .. top.
static void spread_marks(const pcs_graph *graph, pcs_term top, uint32_t *marks)
{
    for (int32_t i = top; i >= 0; i--) {
        const pcs_node *node = &graph->nodes.data[i];
        for (int k = 0; marks[i] && k < pcs_operations[node->op].operands; k++)
            marks[node->operand[k]] |= marks[i];
    }
}

void pcs_terms_differentiate(pcs_terms *terms, int32_t n, const pcs_term *of, int32_t variable,
                             pcs_term *out)
{
    pcs_graph *graph = &terms->graph;
    pcs_term top = highest(n, of);
    int32_t *slope = PCS_NEW_ARRAY(graph->ctx, int32_t, top + 1);
    uint32_t *marks = PCS_NEW_ARRAY(graph->ctx, uint32_t, top + 1);
    if (!slope || !marks)
        graph->failed = true;
    for (int32_t i = 0; i < n && !graph->failed; i++)
        marks[of[i]] = 1;
    if (!graph->failed)
        spread_marks(graph, top, marks);
    for (int32_t i = 0; i <= top && !graph->failed; i++) {
        const pcs_node node = graph->nodes.data[i]; // a copy: the graph grows below
        const pcs_operation *row = &pcs_operations[node.op];
        slope[i] = PCS_NODE_ZERO;
        if (!marks[i] || node.op == PCS_OP_CONSTANT)
            continue;
        if (node.op == PCS_OP_VARIABLE) {
            slope[i] = node.operand[0] == variable ? PCS_NODE_ONE : PCS_NODE_ZERO;
            continue;
        }
        int32_t dx[3] = {PCS_NODE_ZERO, PCS_NODE_ZERO, PCS_NODE_ZERO};
        bool depends = false;
        for (int k = 0; k < row->operands; k++) {
            dx[k] = slope[node.operand[k]];
            depends = depends || dx[k] != PCS_NODE_ZERO;
        }
        if (depends && row->rule)
            slope[i] = row->rule(graph, i, node.operand, dx);
    }
    for (int32_t i = 0; i < n; i++)
        out[i] = graph->failed ? PCS_TERM_ZERO : slope[of[i]];
    pcs_free(graph->ctx, slope);
    pcs_free(graph->ctx, marks);
}

bool pcs_terms_contain(pcs_terms *terms, int32_t n, const pcs_term *of, int32_t first, int32_t end,
                       int32_t *which)
{
    pcs_graph *graph = &terms->graph;
    const pcs_term top = highest(n, of);
    uint32_t *marks = PCS_NEW_ARRAY(graph->ctx, uint32_t, top + 1);
    if (!marks) {
        graph->failed = true;
        return false;
    }
    for (int32_t i = 0; i < n; i++)
        marks[of[i]] = 1;
    spread_marks(graph, top, marks);
    int32_t found = end;
    for (int32_t i = 0; i <= top; i++) {
        const pcs_node *node = &graph->nodes.data[i];
        if (marks[i] && node->op == PCS_OP_VARIABLE && node->operand[0] >= first &&
            node->operand[0] < found)
            found = node->operand[0];
    }
    pcs_free(graph->ctx, marks);
    if (which && found < end)
        *which = found;
    return found < end;
}

// ---- Programs ----

// Beside the operations of the table: sine and cosine of one operand, which cost little more than
// one of them. operand[1] is the slot of the cosine.
enum { OP_SINE_COSINE = PCS_OP_COUNT };

typedef struct instruction {
    int32_t op; // pcs_formula_op
    int32_t out;
    int32_t operand[3];
} instruction;

typedef struct segment {
    uint32_t stages; // that need it
    int32_t first, end;
} segment;

struct pcs_program {
    pcs_context *ctx;
    int32_t n_constants, n_variables, n_slots, n_instructions, n_segments, n_outputs;
    double *constants; // slots 0 ..; the first is 0; then the variables, then the results
    instruction *instructions;
    segment *segments;
    int32_t *outputs;
};

// What compile() knows of a node.
typedef struct place {
    int32_t node;
    uint32_t stages;
    int32_t level, op; // longest way from a leaf; operation
} place;

static int count_bits(uint32_t x)
{
    int count = 0;
    for (; x; x &= x - 1)
        count++;
    return count;
}

// Larger sets first; in a set by levels, so that operands come before their users; in a level equal
// operations stand together, which run faster in a row.
static int compare_places(const void *a, const void *b)
{
    const place *p = a, *q = b;
    if (p->stages != q->stages) {
        int difference = count_bits(q->stages) - count_bits(p->stages);
        if (difference != 0)
            return difference;
        return p->stages < q->stages ? -1 : 1;
    }
    if (p->level != q->level)
        return p->level < q->level ? -1 : 1;
    if (p->op != q->op)
        return p->op < q->op ? -1 : 1;
    return (p->node > q->node) - (p->node < q->node);
}

static bool is_leaf(const pcs_node *node)
{
    return node->op == PCS_OP_CONSTANT || node->op == PCS_OP_VARIABLE;
}

// Slots of constants, variables and results; instructions in the order of `order`.
static void number_slots(pcs_program *program, const pcs_graph *graph, int32_t n_nodes,
                         const uint32_t *marks, int32_t n_order, const place *order, int32_t *slot)
{
    int32_t next = 0;
    for (int32_t i = 0; i < n_nodes; i++)
        if (graph->nodes.data[i].op == PCS_OP_CONSTANT && (marks[i] || i == PCS_NODE_ZERO)) {
            program->constants[next] = graph->nodes.data[i].value;
            slot[i] = next++;
        }
    for (int32_t i = 0; i < n_nodes; i++)
        if (graph->nodes.data[i].op == PCS_OP_VARIABLE)
            slot[i] = next + graph->nodes.data[i].operand[0];
    next += program->n_variables;
    for (int32_t k = 0; k < n_order; k++)
        slot[order[k].node] = next++;
    program->n_slots = next;
}

// The node of the cosine for each sine of the same operand and the reverse; 0 for all other nodes.
// Both are then needed by the stages of either. `seen` is scratch.
static void pair_sines(const pcs_graph *graph, int32_t n_nodes, uint32_t *marks, int32_t *partner,
                       int32_t *seen)
{
    for (int32_t i = 0; i < n_nodes; i++) {
        const pcs_node *node = &graph->nodes.data[i];
        if (!marks[i] || (node->op != PCS_OP_SIN && node->op != PCS_OP_COS))
            continue;
        int32_t other = seen[node->operand[0]];
        seen[node->operand[0]] = i;
        if (!other)
            continue;
        partner[i] = other;
        partner[other] = i;
        marks[i] = marks[other] = marks[i] | marks[other];
    }
}

static void emit(pcs_program *program, const pcs_graph *graph, const place *order, int32_t n,
                 const int32_t *slot, const int32_t *partner)
{
    uint32_t present = 0;
    for (int32_t k = 0; k < n; k++) {
        const pcs_node *node = &graph->nodes.data[order[k].node];
        if (order[k].stages != present || program->n_segments == 0) {
            present = order[k].stages;
            program->segments[program->n_segments++] = (segment){present, program->n_instructions,
                                                                 program->n_instructions};
        }
        const int32_t other = partner[order[k].node];
        if (other && other < order[k].node)
            continue; // computed with its partner
        instruction *step = &program->instructions[program->n_instructions++];
        program->segments[program->n_segments - 1].end = program->n_instructions;
        *step = (instruction){.op = node->op, .out = slot[order[k].node]};
        for (int i = 0; i < pcs_operations[node->op].operands; i++)
            step->operand[i] = slot[node->operand[i]];
        if (!other)
            continue;
        bool is_sine = node->op == PCS_OP_SIN;
        step->op = OP_SINE_COSINE;
        step->out = slot[is_sine ? order[k].node : other];
        step->operand[1] = slot[is_sine ? other : order[k].node];
    }
}

static bool allocate(pcs_program *program, const pcs_graph *graph, int32_t n_nodes,
                     const uint32_t *marks, int32_t *n_order)
{
    *n_order = 0;
    for (int32_t i = 0; i < n_nodes; i++) {
        const pcs_node *node = &graph->nodes.data[i];
        program->n_constants += node->op == PCS_OP_CONSTANT && (marks[i] || i == PCS_NODE_ZERO);
        *n_order += marks[i] && !is_leaf(node);
    }
    pcs_context *ctx = program->ctx;
    program->constants = PCS_NEW_ARRAY(ctx, double, program->n_constants);
    program->instructions = PCS_NEW_ARRAY(ctx, instruction, *n_order);
    program->segments = PCS_NEW_ARRAY(ctx, segment, *n_order);
    program->outputs = PCS_NEW_ARRAY(ctx, int32_t, program->n_outputs);
    return program->constants && program->instructions && program->segments && program->outputs;
}

static bool build(pcs_program *program, const pcs_graph *graph, const pcs_term *outputs,
                  int32_t n_nodes, uint32_t *marks, int32_t *slot)
{
    int32_t n_order, count = 0;
    if (!allocate(program, graph, n_nodes, marks, &n_order))
        return false;
    place *order = PCS_NEW_ARRAY(program->ctx, place, n_order);
    int32_t *partner = PCS_NEW_ARRAY(program->ctx, int32_t, n_nodes);
    int32_t *level = PCS_NEW_ARRAY(program->ctx, int32_t, n_nodes);
    if (!order || !partner || !level) {
        pcs_free(program->ctx, order);
        pcs_free(program->ctx, partner);
        pcs_free(program->ctx, level);
        return false;
    }
    pair_sines(graph, n_nodes, marks, partner, slot); // slot is filled below
    for (int32_t i = 0; i < n_nodes; i++) {
        const pcs_node *node = &graph->nodes.data[i];
        level[i] = 0;
        for (int k = 0; k < pcs_operations[node->op].operands; k++)
            level[i] = level[node->operand[k]] >= level[i] ? level[node->operand[k]] + 1 : level[i];
        if (marks[i] && !is_leaf(node))
            order[count++] = (place){i, marks[i], level[i], node->op};
    }
    if (count > 1)
        qsort(order, (size_t)count, sizeof *order, compare_places);
    number_slots(program, graph, n_nodes, marks, count, order, slot);
    emit(program, graph, order, count, slot, partner);
    for (int32_t i = 0; i < program->n_outputs; i++)
        program->outputs[i] = slot[outputs[i]];
    pcs_free(program->ctx, order);
    pcs_free(program->ctx, partner);
    pcs_free(program->ctx, level);
    return true;
}

pcs_status pcs_program_compile(const pcs_terms *terms, int32_t n_outputs, const pcs_term *outputs,
                               const uint8_t *stage, int32_t n_variables, pcs_program **out)
{
    *out = NULL;
    const pcs_graph *graph = &terms->graph;
    pcs_context *ctx = graph->ctx;
    if (graph->failed)
        return pcs_error(ctx, PCS_ERROR_MEMORY, "out of memory");
    int32_t n_nodes = highest(n_outputs, outputs) + 1;
    pcs_program *program = PCS_NEW(ctx, pcs_program);
    uint32_t *marks = PCS_NEW_ARRAY(ctx, uint32_t, n_nodes);
    int32_t *slot = PCS_NEW_ARRAY(ctx, int32_t, n_nodes);
    bool good = program && marks && slot;
    if (program)
        program->ctx = ctx;
    if (good) {
        for (int32_t i = 0; i < n_outputs; i++)
            marks[outputs[i]] |= UINT32_C(1) << stage[i];
        spread_marks(graph, n_nodes - 1, marks);
        program->n_variables = n_variables;
        program->n_outputs = n_outputs;
        good = build(program, graph, outputs, n_nodes, marks, slot);
    }
    pcs_free(ctx, marks);
    pcs_free(ctx, slot);
    if (!good) {
        pcs_program_destroy(program);
        return PCS_ERROR_MEMORY;
    }
    *out = program;
    return PCS_OK;
}

void pcs_program_destroy(pcs_program *program)
{
    if (!program)
        return;
    pcs_free(program->ctx, program->constants);
    pcs_free(program->ctx, program->instructions);
    pcs_free(program->ctx, program->segments);
    pcs_free(program->ctx, program->outputs);
    pcs_free(program->ctx, program);
}

int32_t pcs_program_slots(const pcs_program *program)
{
    return program->n_slots;
}

int32_t pcs_program_variable(const pcs_program *program, int32_t variable)
{
    return program->n_constants + variable;
}

const int32_t *pcs_program_outputs(const pcs_program *program)
{
    return program->outputs;
}

int32_t pcs_program_zero(const pcs_program *program)
{
    (void)program; // the first constant of every graph
    return 0;
}

int32_t pcs_program_operations(const pcs_program *program, uint32_t stages)
{
    int32_t count = 0;
    for (int32_t i = 0; i < program->n_segments; i++)
        if (program->segments[i].stages & stages)
            count += program->segments[i].end - program->segments[i].first;
    return count;
}

pcs_status pcs_program_view(pcs_context *ctx, const pcs_program *program, pcs_tape_view *view)
{
    *view = (pcs_tape_view){.n_constants = program->n_constants,
                            .n_variables = program->n_variables,
                            .n_slots = program->n_slots,
                            .n_roots = program->n_outputs,
                            .constants = program->constants,
                            .roots = program->outputs};
    view->steps = PCS_NEW_ARRAY(ctx, pcs_tape_step, 2 * (int64_t)program->n_instructions);
    if (!view->steps)
        return PCS_ERROR_MEMORY;
    for (int32_t i = 0; i < program->n_instructions; i++) {
        const instruction *from = &program->instructions[i];
        const bool both = from->op == OP_SINE_COSINE;
        const int32_t a = from->operand[0];
        view->steps[view->n_steps++] = (pcs_tape_step){
            both ? PCS_OP_SIN : from->op, from->out, {a, from->operand[1], from->operand[2]}};
        if (both)
            view->steps[view->n_steps++] = (pcs_tape_step){PCS_OP_COS, from->operand[1], {a, 0, 0}};
    }
    return PCS_OK;
}

bool pcs_program_reads(const pcs_program *program, int32_t variable)
{
    const int32_t slot = pcs_program_variable(program, variable); // unused operands are 0
    bool reads = false;
    for (int32_t i = 0; i < program->n_instructions && !reads; i++)
        for (int k = 0; k < 3; k++)
            reads = reads || program->instructions[i].operand[k] == slot;
    for (int32_t i = 0; i < program->n_outputs && !reads; i++)
        reads = program->outputs[i] == slot;
    return reads;
}

void pcs_program_prepare(const pcs_program *program, double *slots)
{
    memcpy(slots, program->constants, sizeof(double) * (size_t)program->n_constants);
}

// Repeats `expression` of a and b for all instructions of the same operation in a row.
#define IN_A_ROW(operation, expression)                                            \
    case operation:                                                                \
        do {                                                                       \
            const double a = slots[step->operand[0]], b = slots[step->operand[1]]; \
            (void)b;                                                               \
            slots[step->out] = (expression);                                       \
            ++step;                                                                \
        } while (step < end && step->op == (operation));                           \
        break

static void run_segment(const instruction *step, const instruction *end, double *slots)
{
    while (step < end) {
        switch (step->op) {
            IN_A_ROW(PCS_OP_ADD, a + b);
            IN_A_ROW(PCS_OP_SUB, a - b);
            IN_A_ROW(PCS_OP_MUL, a * b);
            IN_A_ROW(PCS_OP_DIV, a / b);
            IN_A_ROW(PCS_OP_SQUARE, a * a);
            IN_A_ROW(PCS_OP_NEG, -a);
            IN_A_ROW(PCS_OP_CHAIN, pcs_chain_product(a, b));
            IN_A_ROW(PCS_OP_SIN, sin(a));
            IN_A_ROW(PCS_OP_COS, cos(a));
            IN_A_ROW(PCS_OP_SQRT, sqrt(a));
            IN_A_ROW(PCS_OP_SELECT, a != 0.0 ? b : slots[step->operand[2]]);
        case OP_SINE_COSINE: { // the compiler makes one call of the two
            const double a = slots[step->operand[0]];
            slots[step->out] = sin(a);
            slots[step->operand[1]] = cos(a);
            ++step;
            break;
        }
        default: {
            const double x[3] = {slots[step->operand[0]], slots[step->operand[1]],
                                 slots[step->operand[2]]};
            slots[step->out] = pcs_operations[step->op].value(x);
            ++step;
            break;
        }
        }
    }
}

void pcs_program_run(const pcs_program *program, uint32_t wanted, uint32_t done, double *slots)
{
    const segment *end = program->segments + program->n_segments;
    for (const segment *s = program->segments; s < end; s++)
        if ((s->stages & wanted) && !(s->stages & done))
            run_segment(program->instructions + s->first, program->instructions + s->end, slots);
}
