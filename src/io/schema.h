// Table-driven check of a document tree: which keys a map may have, which it must have and what
// their values look like. Messages name the place and, for a misspelt key, the nearest known one.
#ifndef PCS_IO_SCHEMA_H
#define PCS_IO_SCHEMA_H

#include "io/yaml_document.h"

// What a value may be.
enum {
    PCS_SCHEMA_NUMBER = 1, // or a formula
    PCS_SCHEMA_TEXT = 2,
    PCS_SCHEMA_FLAG = 4, // true or false
    PCS_SCHEMA_LIST = 8,
    PCS_SCHEMA_MAP = 16,
    PCS_SCHEMA_NULL = 32 // may be left empty
};

// How the keys of a map are to be read.
typedef enum pcs_schema_keys {
    PCS_SCHEMA_FIELDS, // from the table
    PCS_SCHEMA_NAMES,  // chosen by the user: letters, digits and _, so that formulas can use them
    PCS_SCHEMA_TEXTS   // any text, such as the name of a group in a mesh file
} pcs_schema_keys;

typedef struct pcs_schema pcs_schema;

typedef struct pcs_schema_field {
    const char *key;
    uint32_t accepts;
    bool required;
    pcs_schema_keys keys;
    const pcs_schema *inside; // of a map with fields, or of each map in a list or named map
    uint32_t items;           // what the items of a list and the entries of a named map may be
    const char *help;         // for the reference: unit, meaning, what holds if it is left out
} pcs_schema_field;

struct pcs_schema {
    const char *what; // "a body"
    const pcs_schema_field *fields;
    int32_t n_fields;
    bool open; // keys beyond the table are checked by the reader
};

pcs_status pcs_schema_check(const pcs_yaml_document *doc, const pcs_yaml_node *map,
                            const pcs_schema *schema) PCS_MUST_CHECK;
// "a number or formula or a list [...]", in `text`.
const char *pcs_schema_describe(uint32_t accepts, char *text, size_t size);
const pcs_schema_field *pcs_schema_find(const pcs_schema *schema, const char *key);

// "; did you mean 'mass'?" for the nearest of the candidates, or "" if none is near.
enum { PCS_SUGGESTION_SIZE = 160 };
const char *pcs_schema_suggest(const char *word, const char *const *candidates, int32_t count,
                               char text[PCS_SUGGESTION_SIZE]);

#endif
