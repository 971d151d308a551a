// Settings of the command line (--set key=value): the value is parsed as YAML and put into the tree
// in place of what the files say. The place of such a value is the setting itself.
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "io/model_file.h"
#include "io/model_schema.h"

enum { PIECES_MOST = 16, PIECE_SIZE = 128 };

typedef struct setting_path {
    char piece[PIECES_MOST][PIECE_SIZE];
    int32_t n;
    const pcs_yaml_node *value; // parsed; its mark is the place of messages
} setting_path;

static pcs_status split_path(const pcs_model_file *file, const char *key, setting_path *path)
{
    path->n = 0;
    for (const char *at = key;; at++) {
        size_t length = strcspn(at, ".");
        if (length == 0 || length >= PIECE_SIZE || path->n == PIECES_MOST)
            return pcs_yaml_error(&file->doc, path->value->mark,
                                  "'%.80s' is not a parameter or a path such as simulation.step",
                                  key);
        memcpy(path->piece[path->n], at, length);
        path->piece[path->n++][length] = '\0';
        at += length;
        if (*at == '\0')
            return PCS_OK;
    }
}

// Nearest of the keys of a map (may be NULL) and of a schema (may be NULL).
static pcs_status unknown_piece(const pcs_model_file *file, const setting_path *path,
                                const pcs_yaml_node *map, const pcs_schema *schema,
                                const char *what, const char *piece)
{
    enum { CANDIDATES_MOST = 1000 };
    const char *names[CANDIDATES_MOST] = {NULL};
    char suggestion[PCS_SUGGESTION_SIZE];
    int32_t n = 0;
    bool is_map = map && map->kind == PCS_YAML_MAP;
    for (const pcs_yaml_node *e = is_map ? map->first : NULL; e && n < CANDIDATES_MOST; e = e->next)
        names[n++] = e->key;
    for (int32_t k = 0; schema && k < schema->n_fields && n < CANDIDATES_MOST; k++)
        names[n++] = schema->fields[k].key;
    pcs_schema_suggest(piece, names, n, suggestion);
    return pcs_yaml_error(&file->doc, path->value->mark, "%s has no %s'%s'%s",
                          map && !schema ? map->key : "the model", what, piece, suggestion);
}

// A parameter by its bare name becomes parameters.<name>; other single names are keys of the file.
static pcs_status complete_path(const pcs_model_file *file, setting_path *path)
{
    if (path->n > 1)
        return PCS_OK;
    const pcs_yaml_node *parameters = pcs_yaml_child(file->root, "parameters");
    const pcs_schema_field *field = pcs_schema_find(&pcs_model_schema, path->piece[0]);
    if (pcs_yaml_child(parameters, path->piece[0])) {
        memcpy(path->piece[1], path->piece[0], PIECE_SIZE);
        snprintf(path->piece[0], PIECE_SIZE, "parameters");
        path->n = 2;
        return PCS_OK;
    }
    if (!field)
        return unknown_piece(file, path, parameters, &pcs_model_schema, "parameter ",
                             path->piece[0]);
    return PCS_OK;
}

// Item of a list by its number from 0.
static pcs_yaml_node *find_item(const pcs_yaml_node *list, const char *piece)
{
    char number[16];
    int32_t k = 0;
    for (pcs_yaml_node *item = list->first; item; item = item->next, k++) {
        snprintf(number, sizeof number, "%d", k);
        if (strcmp(number, piece) == 0)
            return item;
    }
    return NULL;
}

// Entry of a map or list that the path goes through or ends at; a missing entry of a map is added
// (the schema check will tell if the key is wrong), but named things must exist.
static pcs_status step_into(pcs_model_file *file, const setting_path *path, int32_t depth,
                            pcs_yaml_node *parent, pcs_yaml_node **child)
{
    const char *piece = path->piece[depth];
    const pcs_schema_field *section = pcs_schema_find(&pcs_model_schema, path->piece[0]);
    if (depth == 0 && strcmp(piece, "include") == 0)
        return pcs_yaml_error(&file->doc, path->value->mark,
                              "'include' cannot be set; write it in the file");
    if (depth == 0 && !section)
        return unknown_piece(file, path, NULL, &pcs_model_schema, "section ", piece);
    if (parent->kind == PCS_YAML_LIST) {
        *child = find_item(parent, piece);
        if (!*child)
            return pcs_yaml_error(&file->doc, path->value->mark,
                                  "'%s' has %d items; '%s' is not the number of one (from 0)",
                                  path->piece[depth - 1], parent->count, piece);
        return PCS_OK;
    }
    if (parent->kind == PCS_YAML_SCALAR) {
        if (!pcs_yaml_is_null(parent))
            return pcs_yaml_error(&file->doc, path->value->mark,
                                  "'%s' is a single value; it has no '%s'", path->piece[depth - 1],
                                  piece);
        parent->kind = PCS_YAML_MAP;
    }
    *child = pcs_yaml_child(parent, piece);
    if (*child)
        return PCS_OK;
    if (depth == 1 && section->keys != PCS_SCHEMA_FIELDS)
        return unknown_piece(file, path, parent, NULL, "", piece);
    pcs_yaml_node *fresh = pcs_yaml_new_node(&file->doc, PCS_YAML_MAP, path->value->mark);
    if (!fresh)
        return PCS_ERROR_MEMORY;
    fresh->key = pcs_yaml_copy(&file->doc, piece, strlen(piece));
    if (!fresh->key)
        return PCS_ERROR_MEMORY;
    pcs_yaml_append(parent, fresh);
    *child = fresh;
    return PCS_OK;
}

static pcs_status parse_value(pcs_model_file *file, const pcs_setting *setting,
                              pcs_yaml_node **value)
{
    char name[160];
    snprintf(name, sizeof name, "--set %.60s=%.60s%s", setting->key, setting->text,
             strlen(setting->text) > 60 ? "..." : "");
    int32_t source;
    PCS_TRY(pcs_yaml_add_source(&file->doc, name, false, &source));
    return pcs_yaml_parse(&file->doc, source, setting->text, strlen(setting->text), value);
}

static pcs_status apply(pcs_model_file *file, const pcs_setting *setting)
{
    if (!setting->key || !setting->text)
        return pcs_error(file->ctx, PCS_ERROR_ARGUMENT, "a setting without key or text");
    pcs_yaml_node *value = NULL;
    setting_path path;
    PCS_TRY(parse_value(file, setting, &value));
    path.value = value;
    PCS_TRY(split_path(file, setting->key, &path));
    PCS_TRY(complete_path(file, &path));
    pcs_yaml_node *parent = file->root, *child = NULL;
    for (int32_t depth = 0; depth < path.n; depth++) {
        PCS_TRY(step_into(file, &path, depth, parent, &child));
        if (depth + 1 < path.n)
            parent = child;
    }
    value->key_mark = value->mark;
    pcs_yaml_replace(parent, child, value);
    return PCS_OK;
}

pcs_status pcs_model_file_apply_settings(pcs_model_file *file, const pcs_setting *settings,
                                         int32_t n_settings)
{
    file->first_setting = file->doc.sources.count;
    for (int32_t k = 0; k < n_settings; k++)
        PCS_TRY(apply(file, &settings[k]));
    return PCS_OK;
}
