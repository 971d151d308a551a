// libyaml's events as a tree. The events come from a state machine without recursion and are put
// together with a stack of PCS_YAML_DEPTH_MAX levels, so depth and size of the input are bounded
// before they cost anything.
#include "io/yaml_document.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "io/yaml_bytes.h"

enum { CHUNK_SIZE = 16 * 1024 };

void pcs_yaml_init(pcs_yaml_document *doc, pcs_context *ctx)
{
    *doc = (pcs_yaml_document){.ctx = ctx};
    pcs_arena_init(&doc->arena, ctx);
}

void pcs_yaml_free(pcs_yaml_document *doc)
{
    PCS_ARRAY_FREE(doc->ctx, &doc->sources);
    pcs_arena_free(&doc->arena);
    pcs_yaml_init(doc, doc->ctx);
}

// The arena's blocks are aligned for vectors; nodes and words are packed into chunks of it.
void *pcs_yaml_alloc(pcs_yaml_document *doc, size_t count, size_t size)
{
    size_t bytes = count * size;
    if (size != 0 && count > CHUNK_SIZE / size) {
        void *block = pcs_arena_alloc(&doc->arena, count, size);
        return block ? memset(block, 0, bytes) : NULL;
    }
    bytes = (bytes + 15) / 16 * 16;
    if (bytes > doc->chunk_left) {
        char *chunk = pcs_arena_alloc(&doc->arena, CHUNK_SIZE, 1);
        if (!chunk)
            return NULL;
        doc->chunk = chunk;
        doc->chunk_left = CHUNK_SIZE;
    }
    void *piece = doc->chunk;
    doc->chunk += bytes;
    doc->chunk_left -= bytes;
    return memset(piece, 0, bytes);
}

const char *pcs_yaml_copy(pcs_yaml_document *doc, const char *text, size_t length)
{
    char *copy = pcs_yaml_alloc(doc, length + 1, 1);
    return copy ? memcpy(copy, text, length) : NULL;
}

pcs_status pcs_yaml_add_source(pcs_yaml_document *doc, const char *name, bool has_lines,
                               int32_t *source)
{
    pcs_yaml_source fresh = {.has_lines = has_lines, .parent = -1};
    fresh.name = pcs_yaml_copy(doc, name, strlen(name));
    if (!fresh.name || !PCS_PUSH(doc->ctx, &doc->sources, fresh))
        return PCS_ERROR_MEMORY;
    *source = doc->sources.count - 1;
    return PCS_OK;
}

// ---- Errors ----

const char *pcs_yaml_place(const pcs_yaml_document *doc, pcs_yaml_mark mark,
                           char place[PCS_YAML_PLACE_SIZE])
{
    const pcs_yaml_source *source = &doc->sources.data[mark.source];
    if (source->has_lines && mark.line > 0)
        snprintf(place, PCS_YAML_PLACE_SIZE, "%.480s:%d:%d", source->name, mark.line, mark.column);
    else
        snprintf(place, PCS_YAML_PLACE_SIZE, "%.480s", source->name);
    return place;
}

pcs_status pcs_yaml_error(const pcs_yaml_document *doc, pcs_yaml_mark mark, const char *format, ...)
{
    char text[1024], place[PCS_YAML_PLACE_SIZE];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return pcs_error(doc->ctx, PCS_ERROR_INPUT, "%s: %s", pcs_yaml_place(doc, mark, place), text);
}

pcs_status pcs_yaml_locate(const pcs_yaml_document *doc, pcs_yaml_mark mark, pcs_status status)
{
    return pcs_yaml_locate_in(doc, doc->ctx, mark, status);
}

pcs_status pcs_yaml_locate_in(const pcs_yaml_document *doc, pcs_context *ctx, pcs_yaml_mark mark,
                              pcs_status status)
{
    if (status != PCS_ERROR_ARGUMENT && status != PCS_ERROR_INPUT && status != PCS_ERROR_MODEL &&
        status != PCS_ERROR_NUMERIC && status != PCS_ERROR_SINGULAR)
        return status;
    char place[PCS_YAML_PLACE_SIZE];
    return pcs_error_prefix(ctx, status == PCS_ERROR_ARGUMENT ? PCS_ERROR_INPUT : status, "%s",
                            pcs_yaml_place(doc, mark, place));
}

// ---- Nodes ----

pcs_yaml_node *pcs_yaml_child(const pcs_yaml_node *map, const char *key)
{
    if (!map || map->kind != PCS_YAML_MAP)
        return NULL;
    for (pcs_yaml_node *entry = map->first; entry; entry = entry->next) {
        if (strcmp(entry->key, key) == 0)
            return entry;
    }
    return NULL;
}

bool pcs_yaml_is_null(const pcs_yaml_node *node)
{
    static const char *const words[] = {"", "~", "null", "Null", "NULL"};
    if (node->kind != PCS_YAML_SCALAR || !node->plain)
        return false;
    for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
        if (strcmp(node->text, words[k]) == 0)
            return true;
    }
    return false;
}

const char *pcs_yaml_kind_name(const pcs_yaml_node *node)
{
    if (node->kind == PCS_YAML_LIST)
        return "a list";
    if (node->kind == PCS_YAML_MAP)
        return "a map";
    return pcs_yaml_is_null(node) ? "nothing" : "a single value";
}

void pcs_yaml_append(pcs_yaml_node *parent, pcs_yaml_node *node)
{
    node->next = NULL;
    if (parent->last)
        parent->last->next = node;
    else
        parent->first = node;
    parent->last = node;
    parent->count++;
}

// The pointer that points to `node`, and the entry before it.
static pcs_yaml_node **find_link(pcs_yaml_node *parent, const pcs_yaml_node *node,
                                 pcs_yaml_node **before)
{
    *before = NULL;
    pcs_yaml_node **link = &parent->first;
    while (*link && *link != node) {
        *before = *link;
        link = &(*link)->next;
    }
    return link;
}

void pcs_yaml_remove(pcs_yaml_node *parent, pcs_yaml_node *node)
{
    pcs_yaml_node *before, **link = find_link(parent, node, &before);
    *link = node->next;
    if (parent->last == node)
        parent->last = before;
    node->next = NULL;
    parent->count--;
}

void pcs_yaml_replace(pcs_yaml_node *parent, pcs_yaml_node *old, pcs_yaml_node *fresh)
{
    pcs_yaml_node *before, **link = find_link(parent, old, &before);
    fresh->key = old->key;
    fresh->next = old->next;
    *link = fresh;
    if (parent->last == old)
        parent->last = fresh;
    old->next = NULL;
}

pcs_yaml_node *pcs_yaml_new_node(pcs_yaml_document *doc, pcs_yaml_kind kind, pcs_yaml_mark mark)
{
    pcs_yaml_node *node = pcs_yaml_alloc(doc, 1, sizeof *node);
    if (node) {
        node->kind = kind;
        node->mark = node->key_mark = mark;
        node->offset = -1;
    }
    return node;
}

static int compare_entries(const void *a, const void *b)
{
    const pcs_yaml_node *first = *(pcs_yaml_node *const *)a, *second = *(pcs_yaml_node *const *)b;
    int order = strcmp(first->key, second->key);
    if (order != 0)
        return order;
    if (first->key_mark.line != second->key_mark.line)
        return first->key_mark.line < second->key_mark.line ? -1 : 1;
    return (first->key_mark.column > second->key_mark.column) -
           (first->key_mark.column < second->key_mark.column);
}

pcs_yaml_node **pcs_yaml_sorted_entries(const pcs_yaml_document *doc, const pcs_yaml_node *map)
{
    pcs_yaml_node **sorted = PCS_NEW_ARRAY(doc->ctx, pcs_yaml_node *, map->count);
    if (!sorted)
        return NULL;
    size_t n = 0;
    for (pcs_yaml_node *entry = map->first; entry; entry = entry->next)
        sorted[n++] = entry;
    if (n > 1)
        qsort(sorted, n, sizeof *sorted, compare_entries);
    return sorted;
}

pcs_yaml_node *pcs_yaml_sorted_find(pcs_yaml_node *const *sorted, int32_t count, const char *key)
{
    int32_t low = 0, high = count;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        int order = strcmp(sorted[middle]->key, key);
        if (order == 0)
            return sorted[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

// ---- Parsing ----

typedef struct level {
    pcs_yaml_node *node;
    const char *key; // waiting for its value
    pcs_yaml_mark key_mark;
    bool flow; // written with brackets
} level;

typedef struct builder {
    pcs_yaml_document *doc;
    int32_t source;
    level levels[PCS_YAML_DEPTH_MAX];
    int32_t depth;
    pcs_yaml_node *root;
    bool finished; // end of the stream
} builder;

static pcs_yaml_mark convert_mark(const builder *b, yaml_mark_t mark)
{
    return (pcs_yaml_mark){b->source, (int32_t)mark.line + 1, (int32_t)mark.column + 1};
}

// What the user can do about some of libyaml's messages.
static const char *remedy(const char *problem)
{
    static const struct {
        const char *problem, *text;
    } table[] = {
        {"mapping values are not allowed",
         "; check the indentation, and put a text that contains ': ' in quotes"},
        {"block sequence entries are not allowed", "; put a text that starts with '- ' in quotes"},
        {"cannot start any token", "; put a text that starts with @, ` or % in quotes"},
        {"did not find expected key", "; check the indentation and the brackets"},
        {"could not find expected ':'", "; a key is followed by a colon and a space"},
    };
    for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
        if (strstr(problem, table[k].problem))
            return table[k].text;
    }
    return "";
}

static pcs_status syntax_error(const builder *b, const yaml_parser_t *parser)
{
    if (parser->error == YAML_MEMORY_ERROR)
        return pcs_error(b->doc->ctx, PCS_ERROR_MEMORY, "out of memory while reading YAML");
    const char *problem = parser->problem ? parser->problem : "unknown problem";
    pcs_yaml_mark mark = convert_mark(b, parser->problem_mark);
    if (parser->error == YAML_READER_ERROR)
        return pcs_yaml_error(b->doc, convert_mark(b, parser->mark), "not valid YAML: %s", problem);
    if (!parser->context)
        return pcs_yaml_error(b->doc, mark, "not valid YAML: %s%s", problem, remedy(problem));
    return pcs_yaml_error(b->doc, mark, "not valid YAML: %s %s that starts in line %d%s", problem,
                          parser->context, (int)parser->context_mark.line + 1, remedy(problem));
}

static bool has_balanced_parentheses(const char *text)
{
    int open = 0;
    for (; *text; text++) {
        open += (*text == '(') - (*text == ')');
        if (open < 0)
            return false;
    }
    return open == 0;
}

static pcs_status refuse_decoration(const builder *b, pcs_yaml_mark mark, const void *anchor,
                                    const void *tag)
{
    if (anchor)
        return pcs_yaml_error(b->doc, mark,
                              "anchors (&name) are not supported; use 'parameters' or 'include'");
    if (tag)
        return pcs_yaml_error(b->doc, mark, "tags (!name) are not supported; leave the tag out");
    return PCS_OK;
}

// Hangs a finished or opened node into the tree.
static pcs_status attach(builder *b, pcs_yaml_node *node)
{
    if (b->depth == 0) {
        b->root = node;
        return PCS_OK;
    }
    level *top = &b->levels[b->depth - 1];
    if (top->node->kind == PCS_YAML_MAP) {
        if (!top->key)
            return pcs_yaml_error(b->doc, node->mark, "a key must be a text, not %s",
                                  pcs_yaml_kind_name(node));
        node->key = top->key;
        node->key_mark = top->key_mark;
        top->key = NULL;
    }
    pcs_yaml_append(top->node, node);
    return PCS_OK;
}

static pcs_status accept_key(builder *b, level *top, pcs_yaml_mark mark, const char *text,
                             bool plain)
{
    if (plain && strcmp(text, "<<") == 0)
        return pcs_yaml_error(b->doc, mark,
                              "merge keys (<<) are not supported; use 'parameters' or 'include'");
    if (text[0] == '\0')
        return pcs_yaml_error(b->doc, mark, "a key is missing before ':'");
    top->key = text;
    top->key_mark = mark;
    return PCS_OK;
}

static pcs_status count_node(builder *b, pcs_yaml_mark mark)
{
    if (++b->doc->n_nodes > PCS_YAML_NODES_MAX)
        return pcs_yaml_error(b->doc, mark, "more than %d values in one model", PCS_YAML_NODES_MAX);
    return PCS_OK;
}

static pcs_status accept_scalar(builder *b, const yaml_event_t *event)
{
    pcs_yaml_mark mark = convert_mark(b, event->start_mark);
    const char *text = (const char *)event->data.scalar.value;
    size_t length = event->data.scalar.length;
    bool plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    level *top = b->depth > 0 ? &b->levels[b->depth - 1] : NULL;

    PCS_TRY(refuse_decoration(b, mark, event->data.scalar.anchor, event->data.scalar.tag));
    PCS_TRY(count_node(b, mark));
    if (length > PCS_YAML_LONGEST_SCALAR)
        return pcs_yaml_error(b->doc, mark, "a text of %zu bytes; at most %d are allowed", length,
                              PCS_YAML_LONGEST_SCALAR);
    if (memchr(text, '\0', length))
        return pcs_yaml_error(b->doc, mark, "a text must not contain the NUL character");
    if (plain && top && top->flow && !has_balanced_parentheses(text))
        return pcs_yaml_error(b->doc, mark,
                              "parentheses do not match in '%.60s'; put a formula that contains a "
                              "comma in quotes",
                              text);

    const char *copy = pcs_yaml_copy(b->doc, text, length);
    if (!copy)
        return PCS_ERROR_MEMORY;
    if (top && top->node->kind == PCS_YAML_MAP && !top->key)
        return accept_key(b, top, mark, copy, plain);
    pcs_yaml_node *node = pcs_yaml_new_node(b->doc, PCS_YAML_SCALAR, mark);
    if (!node)
        return PCS_ERROR_MEMORY;
    node->text = copy;
    node->plain = plain;
    // Written in one line, every character as it is: columns inside the text are known.
    size_t quotes = plain ? 0 : 2;
    if (event->start_mark.line == event->end_mark.line &&
        event->end_mark.index - event->start_mark.index == length + quotes)
        node->offset = plain ? 0 : 1;
    return attach(b, node);
}

static pcs_status open_level(builder *b, const yaml_event_t *event, pcs_yaml_kind kind)
{
    pcs_yaml_mark mark = convert_mark(b, event->start_mark);
    bool list = kind == PCS_YAML_LIST;
    PCS_TRY(refuse_decoration(
        b, mark, list ? event->data.sequence_start.anchor : event->data.mapping_start.anchor,
        list ? event->data.sequence_start.tag : event->data.mapping_start.tag));
    PCS_TRY(count_node(b, mark));
    if (b->depth == PCS_YAML_DEPTH_MAX)
        return pcs_yaml_error(b->doc, mark, "lists and maps are nested more than %d deep",
                              PCS_YAML_DEPTH_MAX);
    pcs_yaml_node *node = pcs_yaml_new_node(b->doc, kind, mark);
    if (!node)
        return PCS_ERROR_MEMORY;
    PCS_TRY(attach(b, node));
    bool flow = list ? event->data.sequence_start.style == YAML_FLOW_SEQUENCE_STYLE
                     : event->data.mapping_start.style == YAML_FLOW_MAPPING_STYLE;
    b->levels[b->depth++] = (level){.node = node, .flow = flow};
    return PCS_OK;
}

static pcs_status refuse_duplicates(const builder *b, const pcs_yaml_node *map)
{
    if (map->count < 2)
        return PCS_OK;
    pcs_yaml_node **sorted = pcs_yaml_sorted_entries(b->doc, map);
    if (!sorted)
        return PCS_ERROR_MEMORY;
    pcs_status status = PCS_OK;
    for (int32_t k = 1; k < map->count && status == PCS_OK; k++) {
        if (strcmp(sorted[k - 1]->key, sorted[k]->key) == 0)
            status = pcs_yaml_error(b->doc, sorted[k]->key_mark,
                                    "key '%.60s' occurs twice, first in line %d", sorted[k]->key,
                                    sorted[k - 1]->key_mark.line);
    }
    pcs_free(b->doc->ctx, sorted);
    return status;
}

static pcs_status close_level(builder *b)
{
    const pcs_yaml_node *node = b->levels[--b->depth].node;
    return node->kind == PCS_YAML_MAP ? refuse_duplicates(b, node) : PCS_OK;
}

static pcs_status accept_event(builder *b, const yaml_event_t *event)
{
    pcs_yaml_mark mark = convert_mark(b, event->start_mark);
    switch (event->type) {
    case YAML_DOCUMENT_START_EVENT:
        if (b->root)
            return pcs_yaml_error(b->doc, mark,
                                  "a second document starts here; a file holds one (remove '---')");
        return PCS_OK;
    case YAML_ALIAS_EVENT:
        return pcs_yaml_error(
            b->doc, mark,
            "aliases (*%.60s) are not supported; use 'parameters', and put a text "
            "that starts with * in quotes",
            (const char *)event->data.alias.anchor);
    case YAML_SCALAR_EVENT:
        return accept_scalar(b, event);
    case YAML_SEQUENCE_START_EVENT:
        return open_level(b, event, PCS_YAML_LIST);
    case YAML_MAPPING_START_EVENT:
        return open_level(b, event, PCS_YAML_MAP);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        return close_level(b);
    case YAML_STREAM_END_EVENT:
        b->finished = true;
        return PCS_OK;
    default: // start of the stream, end of the document
        return PCS_OK;
    }
}

pcs_status pcs_yaml_parse(pcs_yaml_document *doc, int32_t source, const char *bytes, size_t size,
                          pcs_yaml_node **root)
{
    static const char byte_order_mark[3] = "\xEF\xBB\xBF";
    if (size >= 3 && memcmp(bytes, byte_order_mark, 3) == 0) {
        bytes += 3;
        size -= 3;
    }
    PCS_TRY(pcs_yaml_check_bytes(doc, source, bytes, size));

    yaml_parser_t parser;
    if (!yaml_parser_initialize(&parser))
        return pcs_error(doc->ctx, PCS_ERROR_MEMORY, "out of memory while reading YAML");
    yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser, (const unsigned char *)bytes, size);

    builder b = {.doc = doc, .source = source};
    pcs_status status = PCS_OK;
    while (status == PCS_OK && !b.finished) {
        yaml_event_t event;
        if (!yaml_parser_parse(&parser, &event)) {
            status = syntax_error(&b, &parser);
            break;
        }
        status = accept_event(&b, &event);
        yaml_event_delete(&event);
    }
    yaml_parser_delete(&parser);
    PCS_TRY(status);
    if (!b.root || pcs_yaml_is_null(b.root))
        return pcs_yaml_error(doc, (pcs_yaml_mark){source, 1, 1}, "the %s is empty",
                              doc->sources.data[source].has_lines ? "file" : "value");
    *root = b.root;
    return PCS_OK;
}
