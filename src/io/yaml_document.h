// YAML texts as a tree of nodes, each with the place (file, line, column) where it was written.
//
// The tree is plain: no anchors, aliases, merge keys or tags, every key a text that occurs once in
// its map, one document in a file. What is not plain, too large or too deep is refused with a
// message. Everything read lives in the document's arena until pcs_yaml_free().
#ifndef PCS_IO_YAML_DOCUMENT_H
#define PCS_IO_YAML_DOCUMENT_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/array.h"

enum {
    PCS_YAML_LARGEST_INPUT = 16 * 1024 * 1024, // bytes, all files of a document together
    PCS_YAML_DEPTH_MAX = 64,                   // lists and maps inside each other
    PCS_YAML_NODES_MAX = 1000000,
    PCS_YAML_LONGEST_SCALAR = 65535 // bytes
};

typedef enum pcs_yaml_kind { PCS_YAML_SCALAR, PCS_YAML_LIST, PCS_YAML_MAP } pcs_yaml_kind;

typedef struct pcs_yaml_mark {
    int32_t source;       // index into the document's sources
    int32_t line, column; // from 1
} pcs_yaml_mark;

typedef struct pcs_yaml_node pcs_yaml_node;

struct pcs_yaml_node {
    pcs_yaml_kind kind;
    bool plain; // a scalar written without quotes
    int32_t
        offset; // column of text[0] minus mark.column; -1 if the text is not one piece of a line
    pcs_yaml_mark mark;
    pcs_yaml_mark key_mark;      // of the key, for an entry of a map
    const char *key;             // NULL unless an entry of a map
    const char *text;            // of a scalar
    int32_t count;               // of the entries of a list or map
    pcs_yaml_node *first, *last; // entries
    pcs_yaml_node *next;         // entry of the same list or map
};

typedef struct pcs_yaml_source {
    const char *name; // as messages show it
    bool has_lines;   // false: the name alone is the place (a setting of the command line)
    bool is_open;     // still being read, together with the files it includes
    bool has_identity;
    uint64_t device, inode; // what file it is, under whatever name
    int32_t parent;         // source that includes it, -1: none
} pcs_yaml_source;

typedef struct pcs_yaml_document {
    pcs_context *ctx;
    pcs_arena arena;
    char *chunk; // room for small pieces, inside the arena
    size_t chunk_left;
    PCS_ARRAY(pcs_yaml_source) sources;
    int32_t n_nodes;
    size_t n_bytes; // read so far
} pcs_yaml_document;

void pcs_yaml_init(pcs_yaml_document *doc, pcs_context *ctx);
void pcs_yaml_free(pcs_yaml_document *doc);

// Zeroed memory that lives as long as the document; NULL when memory is out.
void *pcs_yaml_alloc(pcs_yaml_document *doc, size_t count, size_t size);
const char *pcs_yaml_copy(pcs_yaml_document *doc, const char *text, size_t length);

// Announces a file (or setting) by name; `*source` is its index.
pcs_status pcs_yaml_add_source(pcs_yaml_document *doc, const char *name, bool has_lines,
                               int32_t *source) PCS_MUST_CHECK;
// Reads one YAML text into a tree.
pcs_status pcs_yaml_parse(pcs_yaml_document *doc, int32_t source, const char *bytes, size_t size,
                          pcs_yaml_node **root) PCS_MUST_CHECK;

// ---- Looking at nodes ----

// Entry of a map by key, NULL if there is none (or the node is NULL or not a map).
pcs_yaml_node *pcs_yaml_child(const pcs_yaml_node *map, const char *key);
bool pcs_yaml_is_null(const pcs_yaml_node *node);          // nothing, ~ or null
const char *pcs_yaml_kind_name(const pcs_yaml_node *node); // "a list"

// ---- Changing the tree ----

void pcs_yaml_append(pcs_yaml_node *parent, pcs_yaml_node *node);
// Takes the entry out of its map or list.
void pcs_yaml_remove(pcs_yaml_node *parent, pcs_yaml_node *node);
// Puts `fresh` in the place of `old`, under the same key.
void pcs_yaml_replace(pcs_yaml_node *parent, pcs_yaml_node *old, pcs_yaml_node *fresh);
pcs_yaml_node *pcs_yaml_new_node(pcs_yaml_document *doc, pcs_yaml_kind kind, pcs_yaml_mark mark);
// Entries of a map sorted by key, to be freed with pcs_free; NULL when memory is out.
pcs_yaml_node **pcs_yaml_sorted_entries(const pcs_yaml_document *doc, const pcs_yaml_node *map);
// The entry with that key of a sorted array, or NULL.
pcs_yaml_node *pcs_yaml_sorted_find(pcs_yaml_node *const *sorted, int32_t count, const char *key);

// ---- Errors ----

enum { PCS_YAML_PLACE_SIZE = 512 };

// "file:line:column", or the source's name alone.
const char *pcs_yaml_place(const pcs_yaml_document *doc, pcs_yaml_mark mark,
                           char place[PCS_YAML_PLACE_SIZE]);
// Raises PCS_ERROR_INPUT with the place in front.
pcs_status pcs_yaml_error(const pcs_yaml_document *doc, pcs_yaml_mark mark, const char *format, ...)
    PCS_PRINTF(3, 4);
// Puts the place before the recorded error. PCS_ERROR_ARGUMENT becomes PCS_ERROR_INPUT: the
// argument came from the file. Errors that are not about the input stay as they are.
pcs_status pcs_yaml_locate(const pcs_yaml_document *doc, pcs_yaml_mark mark, pcs_status status);
// The same for an error of another context.
pcs_status pcs_yaml_locate_in(const pcs_yaml_document *doc, pcs_context *ctx, pcs_yaml_mark mark,
                              pcs_status status);

#endif
