// Precedence-climbing parser of formulas.
//
//   expression := binary [ '?' expression ':' expression ]
//   binary     := unary { operator unary }      || , && , comparison (one) , + - , * /
//   unary      := ('-' | '+' | '!') unary | power
//   power      := primary [ '^' unary ]         right associative, binds tighter than a sign
//   primary    := number | name | name '(' expression { ',' expression } ')' | '(' expression ')'
//
// The first error is recorded and turns the current token into the end of the text, from which
// every function returns by itself; so the code below does not test for errors after each call.
#include "formula/parser.h"

#include <math.h>
#include <string.h>

#include "formula/functions.h"
#include "formula/lexer.h"

typedef struct parser {
    pcs_graph *graph;
    pcs_lexer lexer;
    pcs_token token; // the one to be looked at next
    pcs_symbol_fn resolve;
    void *user;
    int depth;
    pcs_status status;
} parser;

static const struct {
    const char *name;
    double value;
} builtins[] = {{"pi", 3.14159265358979323846}, {"tau", 6.28318530717958647693}};

static int32_t parse_expression(parser *p);
static int32_t parse_unary(parser *p);

// Names of any length are cut in messages.
static int shown(size_t length)
{
    return length > 80 ? 80 : (int)length;
}

static void stop(parser *p, pcs_status status)
{
    p->status = status;
    p->token.kind = PCS_TOKEN_END;
}

// Records an error at an offset. Only the first one counts, and running out of memory is one.
#define FAIL(p, offset, format, ...)                                                     \
    do {                                                                                 \
        if (!(p)->status && !(p)->graph->failed)                                         \
            stop((p), pcs_error((p)->graph->ctx, PCS_ERROR_INPUT, "column %zu: " format, \
                                (size_t)(offset) + 1, __VA_ARGS__));                     \
    } while (0)

static void advance(parser *p)
{
    if (p->status)
        return;
    if (p->graph->failed) {
        stop(p, PCS_ERROR_MEMORY);
        return;
    }
    p->token = pcs_lexer_next(&p->lexer);
    if (p->token.kind == PCS_TOKEN_ERROR)
        stop(p, PCS_ERROR_INPUT);
}

// Error "expected <what>" at the current token.
static void fail_expected(parser *p, const char *what)
{
    const pcs_token *token = &p->token;
    if (token->kind == PCS_TOKEN_END)
        FAIL(p, token->start, "expected %s, found the end of the formula", what);
    else
        FAIL(p, token->start, "expected %s, found '%.*s'", what, shown(token->length),
             p->lexer.text + token->start);
}

// Opens one more level of nesting; false at the limit.
static bool enter(parser *p)
{
    if (p->depth == PCS_FORMULA_DEPTH_LIMIT) {
        FAIL(p, p->token.start, "the formula is nested more than %d levels deep",
             PCS_FORMULA_DEPTH_LIMIT);
        return false;
    }
    p->depth++;
    return true;
}

static void leave(parser *p)
{
    p->depth--;
}

static void close_parenthesis(parser *p, size_t open)
{
    if (p->token.kind == PCS_TOKEN_CLOSE) {
        advance(p);
        return;
    }
    const pcs_token *token = &p->token;
    if (token->kind == PCS_TOKEN_END)
        FAIL(p, token->start, "expected ')' to close the '(' of column %zu", open + 1);
    else
        FAIL(p, token->start, "expected ')' to close the '(' of column %zu, found '%.*s'", open + 1,
             shown(token->length), p->lexer.text + token->start);
}

static int32_t unknown_name(parser *p, const pcs_token *name, const char *suggestion)
{
    const char *text = p->lexer.text + name->start;
    int32_t function = pcs_operation_find(text, name->length);
    if (function >= 0) {
        FAIL(p, name->start, "'%s' is a function; write %s", pcs_operations[function].name,
             pcs_operations[function].signature);
        return PCS_NODE_ZERO;
    }
    if (!suggestion && name->length == 2 && (text[0] == 'P' || text[0] == 'p') &&
        (text[1] == 'I' || text[1] == 'i'))
        suggestion = "pi";
    if (suggestion)
        FAIL(p, name->start, "unknown name '%.*s'; did you mean '%s'?", shown(name->length), text,
             suggestion);
    else
        FAIL(p, name->start, "unknown name '%.*s'", shown(name->length), text);
    return PCS_NODE_ZERO;
}

// A name that is no call: pi, tau, or whatever the resolver knows.
static int32_t parse_symbol(parser *p, const pcs_token *name)
{
    const char *text = p->lexer.text + name->start;
    for (size_t i = 0; i < sizeof builtins / sizeof builtins[0]; i++)
        if (strlen(builtins[i].name) == name->length &&
            memcmp(builtins[i].name, text, name->length) == 0)
            return pcs_graph_constant(p->graph, builtins[i].value);

    pcs_symbol symbol = {.kind = PCS_SYMBOL_UNKNOWN};
    if (p->resolve)
        symbol = p->resolve(p->user, text, name->length);
    switch (symbol.kind) {
    case PCS_SYMBOL_CONSTANT:
        if (isfinite(symbol.value))
            return pcs_graph_constant(p->graph, symbol.value);
        FAIL(p, name->start, "the value of '%.*s' is not a finite number", shown(name->length),
             text);
        return PCS_NODE_ZERO;
    case PCS_SYMBOL_VARIABLE:
        if (symbol.variable >= 0)
            return pcs_graph_variable(p->graph, symbol.variable);
        FAIL(p, name->start, "'%.*s' was given the negative index %ld", shown(name->length), text,
             (long)symbol.variable);
        return PCS_NODE_ZERO;
    default:
        return unknown_name(p, name, symbol.suggestion);
    }
}

static void check_arguments(parser *p, const pcs_token *name, int32_t op, int count)
{
    const pcs_operation *row = &pcs_operations[op];
    if (count >= row->min_arguments &&
        (count <= row->max_arguments || row->max_arguments == PCS_ARGUMENTS_ANY))
        return;
    bool any = row->max_arguments == PCS_ARGUMENTS_ANY;
    FAIL(p, name->start, "%s takes %s%d argument%s, found %d; write %s", row->name,
         any ? "at least " : "", row->min_arguments, row->min_arguments == 1 ? "" : "s", count,
         row->signature);
}

static int32_t unknown_function(parser *p, const pcs_token *name)
{
    const char *text = p->lexer.text + name->start;
    const char *near = pcs_operation_nearest(text, name->length);
    if (near)
        FAIL(p, name->start, "unknown function '%.*s'; did you mean '%s'?", shown(name->length),
             text, near);
    else
        FAIL(p, name->start, "unknown function '%.*s'", shown(name->length), text);
    return PCS_NODE_ZERO;
}

static int32_t parse_call(parser *p, const pcs_token *name)
{
    int32_t op = pcs_operation_find(p->lexer.text + name->start, name->length);
    if (op < 0)
        return unknown_function(p, name);

    size_t open = p->token.start;
    bool any = pcs_operations[op].max_arguments == PCS_ARGUMENTS_ANY;
    int32_t argument[3] = {0, 0, 0};
    int count = 0;
    advance(p); // over '('
    bool more = p->token.kind != PCS_TOKEN_CLOSE;
    while (more) {
        int32_t node = parse_expression(p);
        int place = count;
        if (any && count > 1) { // f(x, y, z) = f(f(x, y), z)
            argument[0] = pcs_graph_apply(p->graph, op, argument[0], argument[1], 0);
            place = 1;
        }
        if (place < 3)
            argument[place] = node;
        count++;
        more = p->token.kind == PCS_TOKEN_COMMA;
        if (more)
            advance(p);
    }
    close_parenthesis(p, open);
    check_arguments(p, name, op, count);
    if (p->status)
        return PCS_NODE_ZERO;
    return pcs_graph_apply(p->graph, op, argument[0], argument[1], argument[2]);
}

static int32_t parse_primary(parser *p)
{
    pcs_token token = p->token;
    switch (token.kind) {
    case PCS_TOKEN_NUMBER:
        advance(p);
        return pcs_graph_constant(p->graph, token.value);
    case PCS_TOKEN_NAME:
        advance(p);
        return p->token.kind == PCS_TOKEN_OPEN ? parse_call(p, &token) : parse_symbol(p, &token);
    case PCS_TOKEN_OPEN: {
        advance(p);
        int32_t node = parse_expression(p);
        close_parenthesis(p, token.start);
        return node;
    }
    default:
        fail_expected(p, "a number, a name or '('");
        return PCS_NODE_ZERO;
    }
}

static int32_t parse_power(parser *p)
{
    int32_t base = parse_primary(p);
    if (p->token.kind != PCS_TOKEN_POWER || !enter(p))
        return base;
    advance(p);
    int32_t exponent = parse_unary(p);
    leave(p);
    return pcs_graph_apply(p->graph, PCS_OP_POW, base, exponent, 0);
}

static int32_t parse_unary(parser *p)
{
    pcs_token_kind sign = p->token.kind;
    if (sign != PCS_TOKEN_MINUS && sign != PCS_TOKEN_PLUS && sign != PCS_TOKEN_NOT)
        return parse_power(p);
    if (!enter(p))
        return PCS_NODE_ZERO;
    advance(p);
    int32_t node = parse_unary(p);
    leave(p);
    if (sign == PCS_TOKEN_PLUS)
        return node;
    return pcs_graph_apply(p->graph, sign == PCS_TOKEN_NOT ? PCS_OP_NOT : PCS_OP_NEG, node, 0, 0);
}

enum { LEVEL_NONE, LEVEL_OR, LEVEL_AND, LEVEL_COMPARE, LEVEL_SUM, LEVEL_PRODUCT };

typedef struct binary {
    int level; // higher binds tighter
    int32_t op;
} binary;

static binary binary_operator(pcs_token_kind kind)
{
    static const binary operators[] = {
        [PCS_TOKEN_PLUS] = {LEVEL_SUM, PCS_OP_ADD},
        [PCS_TOKEN_MINUS] = {LEVEL_SUM, PCS_OP_SUB},
        [PCS_TOKEN_STAR] = {LEVEL_PRODUCT, PCS_OP_MUL},
        [PCS_TOKEN_SLASH] = {LEVEL_PRODUCT, PCS_OP_DIV},
        [PCS_TOKEN_LT] = {LEVEL_COMPARE, PCS_OP_LT},
        [PCS_TOKEN_LE] = {LEVEL_COMPARE, PCS_OP_LE},
        [PCS_TOKEN_GT] = {LEVEL_COMPARE, PCS_OP_GT},
        [PCS_TOKEN_GE] = {LEVEL_COMPARE, PCS_OP_GE},
        [PCS_TOKEN_EQ] = {LEVEL_COMPARE, PCS_OP_EQ},
        [PCS_TOKEN_NE] = {LEVEL_COMPARE, PCS_OP_NE},
        [PCS_TOKEN_AND] = {LEVEL_AND, PCS_OP_AND},
        [PCS_TOKEN_OR] = {LEVEL_OR, PCS_OP_OR},
        [PCS_TOKEN_CLOSE] = {LEVEL_NONE, 0}, // last token kind
    };
    return operators[kind];
}

// Operators of `level` and tighter ones. All associate to the left; comparisons do not chain,
// because a < b < c would compare c with 0 or 1.
static int32_t parse_binary(parser *p, int level)
{
    int32_t left = parse_unary(p);
    bool compared = false;
    for (;;) {
        binary infix = binary_operator(p->token.kind);
        if (infix.level == LEVEL_NONE || infix.level < level)
            return left;
        if (infix.level == LEVEL_COMPARE && compared) {
            const char *sign = pcs_operations[infix.op].name;
            FAIL(p, p->token.start,
                 "comparisons do not chain; write a %s b && b %s c or add parentheses", sign, sign);
            return left;
        }
        compared = infix.level == LEVEL_COMPARE;
        advance(p);
        int32_t right = parse_binary(p, infix.level + 1);
        left = pcs_graph_apply(p->graph, infix.op, left, right, 0);
    }
}

static int32_t parse_expression(parser *p)
{
    if (!enter(p))
        return PCS_NODE_ZERO;
    int32_t node = parse_binary(p, LEVEL_OR);
    if (p->token.kind == PCS_TOKEN_QUESTION) {
        size_t question = p->token.start;
        advance(p);
        int32_t a = parse_expression(p);
        if (p->token.kind == PCS_TOKEN_COLON)
            advance(p);
        else
            FAIL(p, p->token.start, "expected ':' to go with the '?' of column %zu", question + 1);
        int32_t b = parse_expression(p);
        node = pcs_graph_apply(p->graph, PCS_OP_SELECT, node, a, b);
    }
    leave(p);
    return node;
}

// The whole was read, but something is left.
static void fail_trailing(parser *p)
{
    const pcs_token *token = &p->token;
    const char *text = p->lexer.text + token->start;
    switch (token->kind) {
    case PCS_TOKEN_CLOSE:
        FAIL(p, token->start, "%s", "this ')' closes nothing");
        break;
    case PCS_TOKEN_NUMBER:
    case PCS_TOKEN_NAME:
    case PCS_TOKEN_OPEN:
        FAIL(p, token->start, "expected an operator before '%.*s' (a product is written a*b)",
             shown(token->length), text);
        break;
    default:
        FAIL(p, token->start, "expected the end of the formula, found '%.*s'", shown(token->length),
             text);
        break;
    }
}

pcs_status pcs_formula_parse(pcs_graph *graph, const char *text, pcs_symbol_fn resolve, void *user,
                             int32_t *root)
{
    const char *end = memchr(text, '\0', PCS_FORMULA_TEXT_LIMIT + 1);
    if (!end)
        return pcs_error(graph->ctx, PCS_ERROR_INPUT,
                         "column %d: the formula is longer than %d characters",
                         PCS_FORMULA_TEXT_LIMIT + 1, PCS_FORMULA_TEXT_LIMIT);
    parser p = {.graph = graph, .resolve = resolve, .user = user, .depth = -1}; // whole: level 0
    p.lexer = (pcs_lexer){.ctx = graph->ctx, .text = text, .length = (size_t)(end - text)};
    advance(&p);
    if (!p.status && p.token.kind == PCS_TOKEN_END)
        FAIL(&p, 0, "%s", "the formula is empty");
    *root = parse_expression(&p);
    if (!p.status && p.token.kind != PCS_TOKEN_END)
        fail_trailing(&p);
    return graph->failed ? PCS_ERROR_MEMORY : p.status;
}
