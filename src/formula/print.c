// Text of a formula as understood. A graph with shared parts can be exponentially long when written
// out, so the text is cut at the length that the parser accepts.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formula/functions.h"
#include "formula/parser.h"
#include "formula/tape.h"

typedef struct printer {
    char *buffer;
    size_t size;
    size_t length; // of the whole text, also beyond the buffer
} printer;

static void put(printer *out, const char *text)
{
    for (; *text; text++, out->length++)
        if (out->length + 1 < out->size)
            out->buffer[out->length] = *text;
}

// Shortest text that reads back as the same number, with '.' whatever the locale says.
static void put_number(printer *out, double value)
{
    char text[64], clean[64];
    if (isnan(value)) {
        put(out, "(0 / 0)");
        return;
    }
    if (isinf(value)) {
        put(out, value > 0.0 ? "(1 / 0)" : "(-1 / 0)");
        return;
    }
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    size_t n = 0;
    for (const char *c = text; *c; c++) {
        if (strchr("0123456789e+-", *c))
            clean[n++] = *c;
        else if (n == 0 || clean[n - 1] != '.') // a decimal point of one or more bytes
            clean[n++] = '.';
    }
    clean[n] = '\0';
    put(out, signbit(value) ? "(" : "");
    put(out, clean);
    put(out, signbit(value) ? ")" : "");
}

// Operations that may stand beside each other without parentheses, from left to right.
static bool chains(int32_t outer, int32_t inner)
{
    switch (outer) {
    case PCS_OP_ADD:
    case PCS_OP_SUB:
        return inner == PCS_OP_ADD || inner == PCS_OP_SUB;
    case PCS_OP_MUL:
    case PCS_OP_DIV:
        return inner == PCS_OP_MUL || inner == PCS_OP_DIV;
    case PCS_OP_AND:
    case PCS_OP_OR:
    case PCS_OP_MIN:
    case PCS_OP_MAX:
    case PCS_OP_HYPOT:
        return inner == outer;
    default:
        return false;
    }
}

// A slot being printed: the next operand, and whether its own brackets are left away because it
// continues a chain.
typedef struct frame {
    int32_t slot;
    int16_t operand;
    bool bare;
} frame;

// What stands before operand k (k = operands: after the last one).
static void put_piece(printer *out, int32_t op, int k, bool bare)
{
    const pcs_operation *row = &pcs_operations[op];
    bool function = row->max_arguments > 0 && op != PCS_OP_SELECT;
    if (k == 0) {
        if (function && !bare)
            put(out, row->name);
        if (!bare)
            put(out, "(");
        if (op == PCS_OP_NEG || op == PCS_OP_NOT)
            put(out, row->name);
    } else if (k == row->operands) {
        if (op == PCS_OP_SQUARE)
            put(out, " ^ 2");
        if (!bare)
            put(out, ")");
    } else if (function) {
        put(out, ", ");
    } else if (op == PCS_OP_SELECT) {
        put(out, k == 1 ? " ? " : " : ");
    } else {
        put(out, " ");
        put(out, row->name);
        put(out, " ");
    }
}

static void put_leaf(printer *out, const pcs_formula *formula, int32_t slot)
{
    char text[16];
    if (slot < formula->constant_count) {
        put_number(out, formula->constants[slot]);
        return;
    }
    snprintf(text, sizeof text, "v%ld", (long)formula->variables[slot - formula->constant_count]);
    put(out, text);
}

int pcs_formula_print(const pcs_formula *formula, char *buffer, size_t size)
{
    frame stack[PCS_FORMULA_SLOT_LIMIT]; // operands come before users: the depth cannot pass it
    printer out = {.buffer = buffer, .size = size};
    int32_t first = formula->constant_count + formula->variable_count;
    int32_t depth = 0;
    stack[depth++] = (frame){.slot = pcs_formula_slots(formula) - 1};
    while (depth > 0 && out.length < PCS_FORMULA_TEXT_LIMIT) {
        frame *top = &stack[depth - 1];
        if (top->slot < first) {
            put_leaf(&out, formula, top->slot);
            depth--;
            continue;
        }
        const pcs_instruction *step = &formula->instructions[top->slot - first];
        put_piece(&out, step->op, top->operand, top->bare);
        if (top->operand == pcs_operations[step->op].operands) {
            depth--;
            continue;
        }
        frame next = {.slot = step->operand[top->operand]};
        next.bare = top->operand == 0 && next.slot >= first &&
                    chains(step->op, formula->instructions[next.slot - first].op);
        top->operand++;
        stack[depth++] = next;
    }
    if (depth > 0)
        put(&out, " ...");
    if (size > 0)
        buffer[out.length < size ? out.length : size - 1] = '\0';
    return (int)out.length;
}
