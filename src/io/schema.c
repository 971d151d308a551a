// Schema check. The recursion is as deep as the tables, not as the input.
#include "io/schema.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

enum { FIELDS_MOST = 48, LIST_SIZE = 480, NAME_LONGEST = 100 };

const pcs_schema_field *pcs_schema_find(const pcs_schema *schema, const char *key)
{
    for (int32_t k = 0; k < schema->n_fields; k++) {
        if (strcmp(schema->fields[k].key, key) == 0)
            return &schema->fields[k];
    }
    return NULL;
}

const char *pcs_schema_suggest(const char *word, const char *const *candidates, int32_t count,
                               char text[PCS_SUGGESTION_SIZE])
{
    const char *nearest = pcs_text_nearest(word, candidates, count);
    text[0] = '\0';
    if (nearest)
        snprintf(text, PCS_SUGGESTION_SIZE, "; did you mean '%.120s'?", nearest);
    return text;
}

static pcs_status unknown_key(const pcs_yaml_document *doc, const pcs_yaml_node *entry,
                              const pcs_schema *schema)
{
    const char *keys[FIELDS_MOST];
    char suggestion[PCS_SUGGESTION_SIZE], known[LIST_SIZE] = "";
    int32_t n = 0;
    size_t used = 0;
    for (int32_t k = 0; k < schema->n_fields && n < FIELDS_MOST; k++) {
        keys[n++] = schema->fields[k].key;
        if (used < sizeof known)
            used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", k > 0 ? ", " : "",
                                     schema->fields[k].key);
    }
    if (pcs_schema_suggest(entry->key, keys, n, suggestion)[0])
        return pcs_yaml_error(doc, entry->key_mark, "unknown key '%.60s' in %s%s", entry->key,
                              schema->what, suggestion);
    return pcs_yaml_error(doc, entry->key_mark, "unknown key '%.60s' in %s; it may have %s",
                          entry->key, schema->what, known);
}

static bool is_flag(const pcs_yaml_node *node)
{
    return node->plain && (strcmp(node->text, "true") == 0 || strcmp(node->text, "false") == 0);
}

static bool is_accepted(const pcs_yaml_node *node, uint32_t accepts)
{
    if (node->kind == PCS_YAML_LIST)
        return (accepts & PCS_SCHEMA_LIST) != 0;
    if (node->kind == PCS_YAML_MAP)
        return (accepts & PCS_SCHEMA_MAP) != 0;
    if (pcs_yaml_is_null(node))
        return (accepts & PCS_SCHEMA_NULL) != 0;
    if ((accepts & PCS_SCHEMA_FLAG) != 0 && is_flag(node))
        return true;
    return (accepts & (PCS_SCHEMA_NUMBER | PCS_SCHEMA_TEXT)) != 0;
}

const char *pcs_schema_describe(uint32_t accepts, char *text, size_t size)
{
    static const struct {
        uint32_t bit;
        const char *name;
    } names[] = {{PCS_SCHEMA_NUMBER, "a number or formula"},
                 {PCS_SCHEMA_TEXT, "a text"},
                 {PCS_SCHEMA_FLAG, "true or false"},
                 {PCS_SCHEMA_LIST, "a list [...]"},
                 {PCS_SCHEMA_MAP, "a map {key: value}"}};
    size_t used = 0;
    text[0] = '\0';
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        if ((accepts & names[k].bit) && used < size)
            used += (size_t)snprintf(text + used, size - used, "%s%s", used > 0 ? " or " : "",
                                     names[k].name);
    }
    return text;
}

// `owner` is the key of the list for an item that has none of its own.
static pcs_status check_kind(const pcs_yaml_document *doc, const pcs_yaml_node *node,
                             uint32_t accepts, const char *owner)
{
    if (is_accepted(node, accepts))
        return PCS_OK;
    char expected[160], subject[96];
    pcs_schema_describe(accepts, expected, sizeof expected);
    snprintf(subject, sizeof subject, "%s'%.60s'", node->key ? "" : "an item of ",
             node->key ? node->key : owner);
    if (pcs_yaml_is_null(node))
        return pcs_yaml_error(doc, node->key ? node->key_mark : node->mark,
                              "%s has no value; expected %s", subject, expected);
    if (node->kind == PCS_YAML_SCALAR)
        return pcs_yaml_error(doc, node->mark, "%s must be %s, not '%.60s'", subject, expected,
                              node->text);
    // In brackets, YAML reads "a ? b : c" as a map with the key "a ? b".
    bool conditional = node->kind == PCS_YAML_MAP && node->first && strchr(node->first->key, '?');
    return pcs_yaml_error(doc, node->mark, "%s must be %s, not %s%s", subject, expected,
                          pcs_yaml_kind_name(node),
                          conditional ? "; put a formula that contains ': ' in quotes" : "");
}

static bool is_name(const char *text)
{
    for (const char *c = text; *c; c++) {
        bool letter = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || *c == '_';
        bool digit = *c >= '0' && *c <= '9';
        if (!letter && (c == text || !digit))
            return false;
    }
    return text[0] != '\0' && strlen(text) <= NAME_LONGEST;
}

static pcs_status check_name(const pcs_yaml_document *doc, const pcs_yaml_node *entry)
{
    if (is_name(entry->key))
        return PCS_OK;
    return pcs_yaml_error(
        doc, entry->key_mark,
        "'%.60s' is not a name; a name has letters from a to z or A to Z, digits and "
        "_, begins with a letter or _ and has at most %d characters",
        entry->key, NAME_LONGEST);
}

static pcs_status check_value(const pcs_yaml_document *doc, const pcs_yaml_node *node,
                              const pcs_schema_field *field)
{
    PCS_TRY(check_kind(doc, node, field->accepts, field->key));
    bool named = node->kind == PCS_YAML_MAP && field->keys != PCS_SCHEMA_FIELDS;
    if (node->kind == PCS_YAML_MAP && !named)
        return field->inside ? pcs_schema_check(doc, node, field->inside) : PCS_OK;
    for (const pcs_yaml_node *item = node->first; item; item = item->next) {
        if (named && field->keys == PCS_SCHEMA_NAMES)
            PCS_TRY(check_name(doc, item));
        PCS_TRY(check_kind(doc, item, field->items, field->key));
        if (item->kind == PCS_YAML_MAP && field->inside)
            PCS_TRY(pcs_schema_check(doc, item, field->inside));
    }
    return PCS_OK;
}

pcs_status pcs_schema_check(const pcs_yaml_document *doc, const pcs_yaml_node *map,
                            const pcs_schema *schema)
{
    for (const pcs_yaml_node *entry = map->first; entry; entry = entry->next) {
        const pcs_schema_field *field = pcs_schema_find(schema, entry->key);
        if (field)
            PCS_TRY(check_value(doc, entry, field));
        else if (!schema->open)
            return unknown_key(doc, entry, schema);
    }
    for (int32_t k = 0; k < schema->n_fields; k++) {
        const pcs_schema_field *field = &schema->fields[k];
        if (field->required && !pcs_yaml_child(map, field->key))
            return pcs_yaml_error(doc, map->key ? map->key_mark : map->mark, "%s needs '%s'",
                                  schema->what, field->key);
    }
    return PCS_OK;
}
