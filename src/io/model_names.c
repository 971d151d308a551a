// Names in model files: tables of what the file defines, references to it, and the messages about
// names and keys that do not fit.
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "io/model_reader.h"

static pcs_status make_table(pcs_model_reader *reader, const char *section, pcs_name_table *table)
{
    const pcs_yaml_node *map = pcs_yaml_child(reader->root, section);
    *table = (pcs_name_table){0};
    if (!map || map->kind != PCS_YAML_MAP || map->count == 0)
        return PCS_OK;
    pcs_yaml_node **sorted = pcs_yaml_sorted_entries(reader->doc, map);
    if (!sorted)
        return PCS_ERROR_MEMORY;
    size_t n = (size_t)map->count;
    table->sorted = pcs_yaml_alloc(reader->doc, n, sizeof *sorted);
    table->index = pcs_yaml_alloc(reader->doc, n, sizeof *table->index);
    if (table->sorted && table->index) {
        memcpy(table->sorted, sorted, n * sizeof *sorted);
        table->count = map->count;
    }
    pcs_free(reader->ctx, sorted);
    return table->count > 0 ? PCS_OK : PCS_ERROR_MEMORY;
}

static bool is_coupling(const pcs_yaml_node *joint)
{
    const pcs_yaml_node *type = pcs_yaml_child(joint, "type");
    return type && (strcmp(type->text, "gear") == 0 || strcmp(type->text, "rack") == 0);
}

// The builder counts in the order of adding, which is that of the file.
static void number_entries(const pcs_yaml_node *section, const pcs_name_table *table)
{
    int32_t next = 0;
    for (const pcs_yaml_node *entry = section ? section->first : NULL; entry; entry = entry->next) {
        int32_t k = pcs_name_table_find(table, entry->key);
        table->index[k] = is_coupling(entry) ? PCS_INDEX_COUPLING : next++;
    }
}

pcs_status pcs_reader_make_names(pcs_model_reader *reader)
{
    PCS_TRY(make_table(reader, "parameters", &reader->parameters));
    PCS_TRY(make_table(reader, "inputs", &reader->inputs));
    PCS_TRY(make_table(reader, "bodies", &reader->bodies));
    PCS_TRY(make_table(reader, "materials", &reader->materials));
    PCS_TRY(make_table(reader, "meshes", &reader->meshes));
    PCS_TRY(make_table(reader, "joints", &reader->joints));
    PCS_TRY(make_table(reader, "laws", &reader->laws));
    PCS_TRY(make_table(reader, "contacts", &reader->contacts));
    PCS_TRY(make_table(reader, "systems", &reader->systems));
    number_entries(pcs_yaml_child(reader->root, "bodies"), &reader->bodies);
    number_entries(pcs_yaml_child(reader->root, "meshes"), &reader->meshes);
    number_entries(pcs_yaml_child(reader->root, "joints"), &reader->joints);
    return PCS_OK;
}

int32_t pcs_name_table_find(const pcs_name_table *table, const char *name)
{
    int32_t low = 0, high = table->count;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        int order = strcmp(table->sorted[middle]->key, name);
        if (order == 0)
            return middle;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return -1;
}

const char *pcs_name_table_nearest(const pcs_model_reader *reader, const pcs_name_table *table,
                                   const char *name)
{
    enum { CANDIDATES_MOST = 10000 }; // a message is not worth more time
    int32_t count = table->count < CANDIDATES_MOST ? table->count : CANDIDATES_MOST;
    const char **names = PCS_NEW_ARRAY(reader->ctx, const char *, count);
    if (!names)
        return NULL; // a message without suggestion
    for (int32_t k = 0; k < count; k++)
        names[k] = table->sorted[k]->key;
    const char *nearest = pcs_text_nearest(name, names, count);
    pcs_free(reader->ctx, names);
    return nearest;
}

pcs_status pcs_reader_unknown_name(const pcs_model_reader *reader, const pcs_yaml_node *node,
                                   const char *what, const pcs_name_table *table)
{
    const char *nearest = pcs_name_table_nearest(reader, table, node->text);
    if (nearest)
        return pcs_yaml_error(reader->doc, node->mark, "unknown %s '%.80s'; did you mean '%s'?",
                              what, node->text, nearest);
    return pcs_yaml_error(reader->doc, node->mark, "unknown %s '%.80s'", what, node->text);
}

pcs_status pcs_reader_read_body(pcs_model_reader *reader, const pcs_yaml_node *node,
                                pcs_body_id *body)
{
    if (strcmp(node->text, "ground") == 0) {
        *body = PCS_GROUND;
        return PCS_OK;
    }
    int32_t k = pcs_name_table_find(&reader->bodies, node->text);
    if (k < 0)
        return pcs_reader_unknown_name(reader, node, "body", &reader->bodies);
    *body = reader->bodies.index[k];
    return PCS_OK;
}

// ---- Nodes of meshes ----

// A number of a node: its place in the mesh, or under `tag` its number in the file of the mesh.
static pcs_status read_node_number(pcs_model_reader *reader, const pcs_yaml_node *node,
                                   const pcs_mesh_entry *entry, const char *mesh, int32_t *place)
{
    const bool by_tag = strcmp(node->key, "tag") == 0;
    int64_t number;
    PCS_TRY(pcs_reader_read_whole(reader, node, "a number of a node", 0, &number));
    if (by_tag && !entry->tags)
        return pcs_yaml_error(reader->doc, node->key_mark,
                              "mesh '%s' does not come from a file; name its nodes by 'node'",
                              mesh);
    int32_t low = 0, high = entry->n_nodes;
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        if ((by_tag ? entry->tags[middle] : middle) < number)
            low = middle + 1;
        else
            high = middle;
    }
    *place = low;
    const int32_t last = entry->n_nodes - 1;
    if (low <= last && (by_tag ? entry->tags[low] : low) == number)
        return PCS_OK;
    return pcs_yaml_error(reader->doc, node->mark,
                          "mesh '%s' has no node with the %s %lld; they run from %lld to %lld",
                          mesh, by_tag ? "tag" : "number", (long long)number,
                          (long long)(by_tag ? entry->tags[0] : 0),
                          (long long)(by_tag ? entry->tags[last] : last));
}

pcs_status pcs_reader_read_node(pcs_model_reader *reader, const pcs_yaml_node *map, int32_t *id)
{
    static const char *const keys[] = {"node", "tag", "group"};
    const pcs_yaml_node *mesh = pcs_yaml_child(map, "mesh"), *chosen = NULL;
    int32_t n_chosen = 0;
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
        const pcs_yaml_node *found = pcs_yaml_child(map, keys[k]);
        n_chosen += found != NULL;
        chosen = found ? found : chosen;
    }
    if (!mesh || n_chosen != 1)
        return pcs_yaml_error(reader->doc, map->mark,
                              "a node of a mesh is {mesh: M, group: G} for a group with one node, "
                              "{mesh: M, node: 17}, or {mesh: M, tag: 17} with the number in its "
                              "file");
    int32_t k = pcs_name_table_find(&reader->meshes, mesh->text), place = 0;
    if (k < 0)
        return pcs_reader_unknown_name(reader, mesh, "mesh", &reader->meshes);
    const pcs_mesh_id index = reader->meshes.index[k];
    pcs_status status;
    if (strcmp(chosen->key, "group") == 0) {
        status = pcs_builder_mesh_group_node(reader->builder, index, chosen->text, id);
    } else {
        PCS_TRY(read_node_number(reader, chosen, &reader->mesh_entries[index], mesh->text, &place));
        status = pcs_builder_mesh_node(reader->builder, index, place, id);
    }
    return status < 0 ? pcs_yaml_locate(reader->doc, chosen->mark, status) : PCS_OK;
}

static pcs_status read_holder(pcs_model_reader *reader, const pcs_yaml_node *node,
                              pcs_holder *holder)
{
    *holder = (pcs_holder){.body = PCS_GROUND};
    if (node->kind == PCS_YAML_MAP)
        return pcs_reader_read_node(reader, node, &holder->node);
    // A mesh alone is not a place.
    if (pcs_name_table_find(&reader->meshes, node->text) >= 0 &&
        pcs_name_table_find(&reader->bodies, node->text) < 0)
        return pcs_yaml_error(reader->doc, node->mark,
                              "'%s' is a mesh; name one of its nodes: {mesh: %s, group: G} for a "
                              "group with one node, or {mesh: %s, node: 17}",
                              node->text, node->text, node->text);
    return pcs_reader_read_body(reader, node, &holder->body);
}

pcs_status pcs_reader_read_bodies(pcs_model_reader *reader, const pcs_yaml_node *element,
                                  pcs_holder holders[2])
{
    const pcs_yaml_node *list = pcs_yaml_child(element, "bodies");
    if (!list)
        return pcs_yaml_error(reader->doc, element->key_mark,
                              "'%s' needs 'bodies: [a, b]'; 'ground' is the fixed world",
                              element->key);
    if (list->count != 2)
        return pcs_yaml_error(reader->doc, list->mark,
                              "'bodies' needs two names, but has %d; 'ground' is the fixed world",
                              list->count);
    PCS_TRY(read_holder(reader, list->first, &holders[0]));
    PCS_TRY(read_holder(reader, list->last, &holders[1]));
    if (holders[0].body == holders[1].body && holders[0].node == holders[1].node)
        return pcs_yaml_error(reader->doc, list->last->mark, "'%s' connects '%s' with itself",
                              element->key,
                              list->last->kind == PCS_YAML_MAP ? "a node" : list->last->text);
    return PCS_OK;
}

pcs_status pcs_reader_read_choice(pcs_model_reader *reader, const pcs_yaml_node *node,
                                  const char *what, const char *const *choices, int32_t n_choices,
                                  int32_t *index)
{
    char known[480] = "", suggestion[PCS_SUGGESTION_SIZE];
    size_t used = 0;
    bool first = true;
    for (int32_t k = 0; k < n_choices; k++) {
        if (!choices[k])
            continue;
        if (node->kind == PCS_YAML_SCALAR && strcmp(node->text, choices[k]) == 0) {
            *index = k;
            return PCS_OK;
        }
        if (used < sizeof known)
            used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", first ? "" : ", ",
                                     choices[k]);
        first = false;
    }
    if (node->kind != PCS_YAML_SCALAR || pcs_yaml_is_null(node))
        return pcs_yaml_error(reader->doc, node->mark, "%s must be one of %s, not %s", what, known,
                              pcs_yaml_kind_name(node));
    if (pcs_schema_suggest(node->text, choices, n_choices, suggestion)[0])
        return pcs_yaml_error(reader->doc, node->mark, "unknown %s '%.60s'%s", what, node->text,
                              suggestion);
    return pcs_yaml_error(reader->doc, node->mark, "unknown %s '%.60s'; known are %s", what,
                          node->text, known);
}

bool pcs_reader_get_flag(const pcs_yaml_node *map, const char *key)
{
    const pcs_yaml_node *node = pcs_yaml_child(map, key);
    return node && strcmp(node->text, "true") == 0;
}

pcs_status pcs_reader_refuse_key(const pcs_model_reader *reader, const pcs_yaml_node *element,
                                 const char *key, const char *owner)
{
    const pcs_yaml_node *node = pcs_yaml_child(element, key);
    if (!node)
        return PCS_OK;
    return pcs_yaml_error(reader->doc, node->key_mark, "'%s' has no meaning for %s", key, owner);
}

pcs_status pcs_reader_require_key(const pcs_model_reader *reader, const pcs_yaml_node *element,
                                  const char *key, const char *owner)
{
    if (pcs_yaml_child(element, key))
        return PCS_OK;
    return pcs_yaml_error(reader->doc, element->key_mark, "'%s' needs '%s', as %s", element->key,
                          key, owner);
}

// Whether the text contains the key as a word. Keys that are also common words do not count.
static bool mentions(const char *text, const char *word)
{
    size_t length = strlen(word);
    if (length < 4 || strcmp(word, "point") == 0 || strcmp(word, "type") == 0)
        return false;
    for (const char *at = strstr(text, word); at; at = strstr(at + 1, word)) {
        char before = at == text ? ' ' : at[-1], after = at[length];
        bool starts = !((before >= 'a' && before <= 'z') || before == '_' || before == '\'');
        bool ends = !((after >= 'a' && after <= 'z') || after == '_' || after == '\'');
        if (starts && ends)
            return true;
    }
    return false;
}

pcs_status pcs_reader_locate(const pcs_model_reader *reader, const pcs_yaml_node *element,
                             pcs_status status)
{
    const char *text = pcs_context_error(reader->ctx);
    for (const pcs_yaml_node *entry = element->first; entry; entry = entry->next) {
        if (mentions(text, entry->key))
            return pcs_yaml_locate(reader->doc, entry->mark, status);
    }
    return pcs_yaml_locate(reader->doc, element->key_mark, status);
}
