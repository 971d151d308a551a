// Writes the tree twice: once to count the characters, once to store them.
//
// Maps are written in block style, one entry a line; lists of scalars in brackets on one line,
// other lists with dashes. A scalar is quoted unless it consists of harmless characters.
#include "io/yaml_emit.h"

#include <stdio.h>
#include <string.h>

#include "io/yaml_bytes.h"

typedef struct sink {
    char *text; // NULL: count only
    size_t length;
} sink;

static void put(sink *out, const char *text, size_t length)
{
    if (out->text)
        memcpy(out->text + out->length, text, length);
    out->length += length;
}

static void put_text(sink *out, const char *text)
{
    put(out, text, strlen(text));
}

static void put_indent(sink *out, int32_t depth)
{
    for (int32_t k = 0; k < depth; k++)
        put_text(out, "  ");
}

// Means the same without quotes, also inside brackets.
static bool is_harmless(const char *text)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+^()";
    size_t length = strlen(text);
    for (size_t k = 0; k < length; k++) {
        bool inside = k > 0 && k + 1 < length;
        bool sign = k == 0 && length > 1 && text[1] != '-' && text[1] != ' '; // -9.81
        bool good = strchr(letters, text[k]) || (inside && strchr(" *-", text[k])) ||
                    (sign && text[k] == '-');
        if (!good)
            return false;
    }
    return length > 0 && strcmp(text, "...") != 0 && strcmp(text, "null") != 0 &&
           strcmp(text, "Null") != 0 && strcmp(text, "NULL") != 0;
}

static void put_quoted(sink *out, const char *text)
{
    put_text(out, "\"");
    for (size_t left = strlen(text), length; left > 0; text += length, left -= length) {
        uint32_t c = 0;
        char escape[12];
        length = pcs_yaml_decode(text, left, &c); // the parser let UTF-8 through only
        length = length > 0 ? length : 1;
        bool is_break = c == '\t' || c == '\n' || c == '\r' || c == 0x85 || c == 0x2028 ||
                        c == 0x2029;
        if (is_break || pcs_yaml_is_control(c)) {
            snprintf(escape, sizeof escape, "\\u%04X", (unsigned)c);
            put_text(out, escape);
            continue;
        }
        if (c == '"' || c == '\\')
            put_text(out, "\\");
        put(out, text, length);
    }
    put_text(out, "\"");
}

static void put_scalar(sink *out, const pcs_yaml_node *node)
{
    if (pcs_yaml_is_null(node))
        put_text(out, "null");
    else if (is_harmless(node->text))
        put_text(out, node->text);
    else
        put_quoted(out, node->text);
}

static bool is_flat(const pcs_yaml_node *node)
{
    if (node->kind == PCS_YAML_SCALAR || node->count == 0)
        return true;
    if (node->kind == PCS_YAML_MAP)
        return false;
    for (const pcs_yaml_node *item = node->first; item; item = item->next) {
        if (item->kind == PCS_YAML_MAP || !is_flat(item))
            return false;
    }
    return true;
}

static void put_flat(sink *out, const pcs_yaml_node *node)
{
    if (node->kind == PCS_YAML_SCALAR) {
        put_scalar(out, node);
    } else if (node->kind == PCS_YAML_MAP) {
        put_text(out, "{}");
    } else {
        put_text(out, "[");
        for (const pcs_yaml_node *item = node->first; item; item = item->next) {
            put_flat(out, item);
            if (item->next)
                put_text(out, ", ");
        }
        put_text(out, "]");
    }
}

// One entry a line. The first line of an entry of a list goes on behind its dash.
static void put_block(sink *out, const pcs_yaml_node *node, int32_t depth, bool behind_dash)
{
    for (const pcs_yaml_node *entry = node->first; entry; entry = entry->next) {
        if (!behind_dash)
            put_indent(out, depth);
        behind_dash = false;
        if (node->kind == PCS_YAML_MAP) {
            if (is_harmless(entry->key))
                put_text(out, entry->key);
            else
                put_quoted(out, entry->key);
            put_text(out, ":");
        } else {
            put_text(out, "-");
        }
        if (is_flat(entry)) {
            put_text(out, " ");
            put_flat(out, entry);
            put_text(out, "\n");
        } else if (node->kind == PCS_YAML_MAP) {
            put_text(out, "\n");
            put_block(out, entry, depth + 1, false);
        } else {
            put_text(out, " ");
            put_block(out, entry, depth + 1, true);
        }
    }
}

static void put_document(sink *out, const pcs_yaml_node *root)
{
    if (is_flat(root)) {
        put_flat(out, root);
        put_text(out, "\n");
    } else {
        put_block(out, root, 0, false);
    }
}

const char *pcs_yaml_emit(pcs_yaml_document *doc, const pcs_yaml_node *root)
{
    sink out = {NULL, 0};
    put_document(&out, root);
    out.text = pcs_yaml_alloc(doc, out.length + 1, 1);
    if (!out.text)
        return NULL;
    out.length = 0;
    put_document(&out, root);
    return out.text;
}
