// Numbers of a model file. Each may be a formula of the parameters. Parameters are evaluated first,
// in an order found from who needs whom (depth first, with a stack of its own: a long chain of
// parameters costs no recursion).
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "formula/functions.h"
#include "io/model_reader.h"

enum {
    NAME_SIZE = 256,
    PARAMETERS_MOST = 10000 // formulas look them up one by one
};

typedef struct request {
    pcs_model_reader *reader;
    pcs_formula_names names;
} request;

// ---- Formulas ----

// A contact that one of the type all-surfaces brings along: its name begins with that one's.
static bool is_found_contact(const pcs_model_reader *reader, const char *name)
{
    for (int32_t k = 0; k < reader->contacts.count; k++) {
        const pcs_yaml_node *contact = reader->contacts.sorted[k];
        const pcs_yaml_node *type = pcs_yaml_child(contact, "type");
        const size_t length = strlen(contact->key);
        if (type && strcmp(type->text, "all-surfaces") == 0 &&
            strncmp(name, contact->key, length) == 0 && name[length] == '_')
            return true;
    }
    return false;
}

// Refuses names of inputs, bodies, joints, contacts and meshes that the file does not define: the
// place inside the formula is known here. Whether the rest of the path is a signal, the builder
// finds out.
static bool is_signal(pcs_model_reader *reader, const char *name)
{
    const struct {
        const char *prefix, *what;
        const pcs_name_table *table;
    } sections[] = {
        {"input.", "input", &reader->inputs},    {"body.", "body", &reader->bodies},
        {"joint.", "joint", &reader->joints},    {"contact.", "contact", &reader->contacts},
        {"system.", "system", &reader->systems}, {"mesh.", "mesh", &reader->meshes}};
    for (size_t k = 0; k < sizeof sections / sizeof *sections; k++) {
        size_t length = strlen(sections[k].prefix);
        if (strncmp(name, sections[k].prefix, length) != 0)
            continue;
        char owner[NAME_SIZE];
        snprintf(owner, sizeof owner, "%.*s", (int)strcspn(name + length, "."), name + length);
        if (pcs_name_table_find(sections[k].table, owner) >= 0 ||
            (sections[k].table == &reader->contacts && is_found_contact(reader, owner)))
            return true;
        const char *nearest = pcs_name_table_nearest(reader, sections[k].table, owner);
        snprintf(reader->remark, sizeof reader->remark, "unknown %s '%.80s' in '%.80s'%s%.80s%s",
                 sections[k].what, owner, name, nearest ? "; did you mean '" : "",
                 nearest ? nearest : "", nearest ? "'?" : "");
        return false;
    }
    return true;
}

// "x" or "x.rate" for a coordinate of the system whose formulas are being read.
static bool is_own_coordinate(const pcs_model_reader *reader, const char *name)
{
    char copy[NAME_SIZE];
    const size_t length = strcspn(name, ".");
    if (!reader->coordinates || (name[length] && strcmp(name + length, ".rate") != 0))
        return false;
    snprintf(copy, sizeof copy, "%.*s", (int)length, name);
    return pcs_yaml_child(reader->coordinates, copy) != NULL;
}

// A near coordinate for a misspelt name, or else a near parameter.
static const char *suggest(const pcs_model_reader *reader, const char *name)
{
    enum { CANDIDATES_MOST = 256 };
    const char *names[CANDIDATES_MOST];
    int32_t n = 0;
    const pcs_yaml_node *node = reader->coordinates ? reader->coordinates->first : NULL;
    for (; node && n < CANDIDATES_MOST; node = node->next)
        names[n++] = node->key;
    const char *nearest = pcs_text_nearest(name, names, n);
    return nearest ? nearest : pcs_name_table_nearest(reader, &reader->parameters, name);
}

static pcs_symbol resolve(void *user, const char *text, size_t length)
{
    request *want = user;
    pcs_model_reader *reader = want->reader;
    pcs_symbol symbol = {.kind = PCS_SYMBOL_UNKNOWN};
    char name[NAME_SIZE];
    if (length >= sizeof name)
        return symbol;
    memcpy(name, text, length);
    name[length] = '\0';

    if (want->names == PCS_NAMES_STATE && is_own_coordinate(reader, name)) {
        symbol.kind = PCS_SYMBOL_VARIABLE;
        symbol.variable = 1; // any, as below
        return symbol;
    }
    int32_t parameter = pcs_name_table_find(&reader->parameters, name);
    if (parameter >= 0) {
        symbol.kind = PCS_SYMBOL_CONSTANT;
        symbol.value = reader->parameter_values[parameter];
        return symbol;
    }
    bool is_time = strcmp(name, "t") == 0, is_path = strchr(name, '.') != NULL;
    if (is_time && want->names >= PCS_NAMES_TIME) {
        symbol.kind = PCS_SYMBOL_VARIABLE;
        return symbol;
    }
    bool is_input = strncmp(name, "input.", strlen("input.")) == 0;
    if (is_path &&
        (want->names == PCS_NAMES_STATE || (is_input && want->names == PCS_NAMES_INPUTS))) {
        if (is_signal(reader, name)) {
            symbol.kind = PCS_SYMBOL_VARIABLE;
            symbol.variable = 1; // any: the builder compiles the formula again
        }
        return symbol;
    }
    if (is_time || is_path)
        snprintf(reader->remark, sizeof reader->remark,
                 "'%.100s' cannot be used here; this number may depend on parameters%s", name,
                 want->names == PCS_NAMES_TIME     ? " and t only"
                 : want->names == PCS_NAMES_INPUTS ? ", t and inputs only"
                                                   : " only");
    symbol.suggestion = suggest(reader, name);
    return symbol;
}

// Error of the formula module ("column N: what") with the place in the file instead.
static pcs_status formula_error(const pcs_model_reader *reader, const pcs_yaml_node *node,
                                pcs_status status)
{
    if (status == PCS_ERROR_MEMORY)
        return status;
    char text[1024];
    snprintf(text, sizeof text, "%s", pcs_context_error(reader->ctx));
    int column = 0, used = 0;
    pcs_yaml_mark mark = node->mark;
    const char *what = text;
    bool has_lines = reader->doc->sources.data[mark.source].has_lines;
    if (sscanf(text, "column %d: %n", &column, &used) == 1 && used > 0 && node->offset >= 0 &&
        has_lines) {
        mark.column += node->offset + column - 1;
        what = text + used;
    }
    if (reader->remark[0])
        what = reader->remark;
    return pcs_yaml_error(reader->doc, mark, "%.700s", what);
}

static bool is_word(const char *text, const char *const *words, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        if (strcmp(text, words[k]) == 0)
            return true;
    }
    return false;
}

static pcs_status compile(request *want, const pcs_yaml_node *node, pcs_formula **formula)
{
    static const char *const infinite[] = {".inf", "-.inf", "+.inf", ".Inf", ".INF", "inf",
                                           "-inf", ".nan",  ".NaN",  ".NAN", "nan",  "NaN"};
    pcs_model_reader *reader = want->reader;
    if (node->kind != PCS_YAML_SCALAR || pcs_yaml_is_null(node))
        return pcs_yaml_error(reader->doc, node->mark, "expected a number or formula, not %s",
                              pcs_yaml_kind_name(node));
    if (is_word(node->text, infinite, sizeof infinite / sizeof *infinite) &&
        pcs_name_table_find(&reader->parameters, node->text) < 0)
        return pcs_yaml_error(reader->doc, node->mark, "a number must be finite, not '%s'",
                              node->text);
    reader->remark[0] = '\0';
    pcs_status status = pcs_formula_create(reader->ctx, node->text, resolve, want, formula);
    return status < 0 ? formula_error(reader, node, status) : PCS_OK;
}

static pcs_status refuse_infinite(const pcs_model_reader *reader, const pcs_yaml_node *node,
                                  double number)
{
    if (isfinite(number))
        return PCS_OK;
    return pcs_yaml_error(reader->doc, node->mark, "the value of '%.100s' is not finite (%g)",
                          node->text, number);
}

pcs_status pcs_reader_read_value(pcs_model_reader *reader, const pcs_yaml_node *node,
                                 pcs_formula_names names, pcs_value *value)
{
    request want = {.reader = reader, .names = names};
    pcs_formula *formula = NULL;
    PCS_TRY(compile(&want, node, &formula));
    double number = 0;
    bool is_constant = pcs_formula_is_constant(formula, &number);
    pcs_formula_destroy(formula);
    *value = is_constant ? pcs_number(number) : pcs_expression(node->text);
    return is_constant ? refuse_infinite(reader, node, number) : PCS_OK;
}

pcs_status pcs_reader_read_number(pcs_model_reader *reader, const pcs_yaml_node *node,
                                  double *number)
{
    pcs_value value;
    PCS_TRY(pcs_reader_read_value(reader, node, PCS_NAMES_PARAMETERS, &value));
    *number = value.number;
    return PCS_OK;
}

// ---- Parameters ----

typedef struct parameter {
    int32_t first_edge, end_edge; // parameters that its formula needs
    int32_t next_edge;            // of those, the next to visit
    enum { UNSEEN, ON_STACK, EVALUATED } state;
} parameter;

typedef struct parameters {
    parameter *all; // in the order of the names
    PCS_ARRAY(int32_t) edges;
    int32_t *stack;
    int32_t depth;
    bool out_of_memory;
} parameters;

typedef struct collector {
    request want; // first, so that a pointer to it is one to the collector
    parameters *graph;
} collector;

static pcs_symbol collect(void *user, const char *text, size_t length)
{
    collector *c = user;
    pcs_symbol symbol = resolve(&c->want, text, length);
    if (symbol.kind == PCS_SYMBOL_CONSTANT) {
        char name[NAME_SIZE];
        snprintf(name, sizeof name, "%.*s", (int)length, text);
        int32_t needed = pcs_name_table_find(&c->want.reader->parameters, name);
        if (!PCS_PUSH(c->want.reader->ctx, &c->graph->edges, needed))
            c->graph->out_of_memory = true;
        symbol.value = 1; // not known yet, and only the names matter
    }
    return symbol;
}

static pcs_status refuse_reserved(const pcs_model_reader *reader, const pcs_yaml_node *node)
{
    pcs_formula *formula = NULL;
    pcs_status status = pcs_formula_create(reader->ctx, node->key, NULL, NULL, &formula);
    bool is_builtin = status >= 0; // a constant such as pi: known without a resolver
    pcs_formula_destroy(formula);
    if (status == PCS_ERROR_MEMORY)
        return status;
    if (is_builtin || strcmp(node->key, "t") == 0 ||
        pcs_operation_find(node->key, strlen(node->key)) >= 0)
        return pcs_yaml_error(reader->doc, node->key_mark,
                              "'%s' has a meaning in formulas; give the parameter another name",
                              node->key);
    return PCS_OK;
}

static pcs_status collect_needs(pcs_model_reader *reader, parameters *graph)
{
    for (int32_t k = 0; k < reader->parameters.count; k++) {
        const pcs_yaml_node *node = reader->parameters.sorted[k];
        PCS_TRY(refuse_reserved(reader, node));
        graph->all[k].first_edge = graph->edges.count;
        collector c = {{.reader = reader, .names = PCS_NAMES_PARAMETERS}, graph};
        pcs_formula *formula = NULL;
        reader->remark[0] = '\0';
        pcs_status status = pcs_formula_create(reader->ctx, node->text, collect, &c, &formula);
        pcs_formula_destroy(formula);
        if (graph->out_of_memory)
            return PCS_ERROR_MEMORY;
        if (status < 0)
            return formula_error(reader, node, status);
        graph->all[k].end_edge = graph->edges.count;
        graph->all[k].next_edge = graph->all[k].first_edge;
    }
    return PCS_OK;
}

// "a -> b -> a" for the part of the stack that starts with the parameter `first`.
static pcs_status cycle_error(const pcs_model_reader *reader, const parameters *graph,
                              int32_t first)
{
    char chain[512] = "";
    size_t used = 0;
    int32_t level = graph->depth;
    while (level > 0 && graph->stack[level - 1] != first)
        level--;
    for (int32_t k = level - 1; k < graph->depth && used < sizeof chain; k++)
        used += (size_t)snprintf(chain + used, sizeof chain - used, "%s -> ",
                                 reader->parameters.sorted[graph->stack[k]]->key);
    const pcs_yaml_node *node = reader->parameters.sorted[first];
    return pcs_yaml_error(reader->doc, node->key_mark,
                          "parameters need each other in a circle: %s%s", chain, node->key);
}

// Evaluates a parameter after all that it needs.
static pcs_status evaluate_from(pcs_model_reader *reader, parameters *graph, int32_t start)
{
    graph->depth = 0;
    graph->stack[graph->depth++] = start;
    graph->all[start].state = ON_STACK;
    while (graph->depth > 0) {
        int32_t top = graph->stack[graph->depth - 1];
        parameter *p = &graph->all[top];
        if (p->next_edge < p->end_edge) {
            int32_t needed = graph->edges.data[p->next_edge++];
            if (graph->all[needed].state == ON_STACK)
                return cycle_error(reader, graph, needed);
            if (graph->all[needed].state == UNSEEN) {
                graph->stack[graph->depth++] = needed;
                graph->all[needed].state = ON_STACK;
            }
            continue;
        }
        PCS_TRY(pcs_reader_read_number(reader, reader->parameters.sorted[top],
                                       &reader->parameter_values[top]));
        p->state = EVALUATED;
        graph->depth--;
    }
    return PCS_OK;
}

static pcs_status evaluate_all(pcs_model_reader *reader, parameters *graph)
{
    PCS_TRY(collect_needs(reader, graph));
    for (int32_t k = 0; k < reader->parameters.count; k++) {
        if (graph->all[k].state == UNSEEN)
            PCS_TRY(evaluate_from(reader, graph, k));
    }
    return PCS_OK;
}

pcs_status pcs_reader_read_parameters(pcs_model_reader *reader)
{
    int32_t n = reader->parameters.count;
    if (n == 0)
        return PCS_OK;
    if (n > PARAMETERS_MOST)
        return pcs_yaml_error(reader->doc, pcs_yaml_child(reader->root, "parameters")->key_mark,
                              "%d parameters; at most %d are allowed", n, PARAMETERS_MOST);
    reader->parameter_values = pcs_yaml_alloc(reader->doc, (size_t)n, sizeof(double));
    parameters graph = {.all = pcs_yaml_alloc(reader->doc, (size_t)n, sizeof(parameter)),
                        .stack = pcs_yaml_alloc(reader->doc, (size_t)n, sizeof(int32_t))};
    if (!reader->parameter_values || !graph.all || !graph.stack)
        return PCS_ERROR_MEMORY;
    pcs_status status = evaluate_all(reader, &graph);
    PCS_ARRAY_FREE(reader->ctx, &graph.edges);
    return status;
}

// ---- Numbers in maps ----

pcs_status pcs_reader_get_number(pcs_model_reader *reader, const pcs_yaml_node *map,
                                 const char *key, double *number)
{
    const pcs_yaml_node *node = pcs_yaml_child(map, key);
    return node ? pcs_reader_read_number(reader, node, number) : PCS_OK;
}

pcs_status pcs_reader_get_positive(pcs_model_reader *reader, const pcs_yaml_node *map,
                                   const char *key, double *number)
{
    const pcs_yaml_node *node = pcs_yaml_child(map, key);
    if (!node)
        return PCS_OK;
    PCS_TRY(pcs_reader_read_number(reader, node, number));
    if (*number > 0)
        return PCS_OK;
    return pcs_yaml_error(reader->doc, node->mark, "'%s' must be greater than 0, but is %g", key,
                          *number);
}

pcs_status pcs_reader_get_in_range(pcs_model_reader *reader, const pcs_yaml_node *map,
                                   const char *key, double lowest, double highest, double *number)
{
    const pcs_yaml_node *node = pcs_yaml_child(map, key);
    if (!node)
        return PCS_OK;
    PCS_TRY(pcs_reader_read_number(reader, node, number));
    if (*number >= lowest && *number <= highest)
        return PCS_OK;
    if (isinf(highest))
        return pcs_yaml_error(reader->doc, node->mark, "'%s' must be at least %g, but is %g", key,
                              lowest, *number);
    return pcs_yaml_error(reader->doc, node->mark, "'%s' must be between %g and %g, but is %g", key,
                          lowest, highest, *number);
}
