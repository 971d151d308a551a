// The keys of model files, for listings and the reference: a walk over the tables of the reader.
#include <stdio.h>

#include "io/model_schema.h"
#include "percuss/io.h"

enum { PATH_SIZE = 256, PART_SIZE = 160, VALUE_SIZE = 2 * PART_SIZE + 16 };

// "a list [...]; each item a number or formula": the value and, in a list or named map, its items.
static void describe_value(const pcs_schema_field *field, char text[VALUE_SIZE])
{
    char value[PART_SIZE], items[PART_SIZE];
    bool list = (field->accepts & PCS_SCHEMA_LIST) != 0;
    pcs_schema_describe(field->accepts, value, sizeof value);
    pcs_schema_describe(field->items, items, sizeof items);
    if (field->keys != PCS_SCHEMA_FIELDS && !list)
        snprintf(text, VALUE_SIZE, "names, each with %s", items);
    else if (field->items == 0)
        snprintf(text, VALUE_SIZE, "%s", value);
    else
        snprintf(text, VALUE_SIZE, "%s; each item %s", value, items);
}

static pcs_status walk(const pcs_schema *schema, const char *prefix, pcs_model_key_fn visit,
                       void *user)
{
    for (int32_t k = 0; k < schema->n_fields; k++) {
        const pcs_schema_field *field = &schema->fields[k];
        char path[PATH_SIZE], value[VALUE_SIZE];
        snprintf(path, sizeof path, "%s%s", prefix, field->key);
        describe_value(field, value);
        pcs_model_key key = {.path = path,
                             .owner = schema->what,
                             .key = field->key,
                             .value = value,
                             .inside = field->inside ? field->inside->what : NULL,
                             .help = field->help ? field->help : "",
                             .required = field->required};
        PCS_TRY(visit(user, &key));
        if (!field->inside)
            continue;
        // A list has a number before the keys of its maps; where a map may stand alone, it has
        // none.
        bool map = (field->accepts & PCS_SCHEMA_MAP) != 0;
        const char *between = field->keys != PCS_SCHEMA_FIELDS ? ".NAME." : map ? "." : ".0.";
        char below[PATH_SIZE];
        snprintf(below, sizeof below, "%.200s%s", path, between);
        PCS_TRY(walk(field->inside, below, visit, user));
    }
    return PCS_OK;
}

pcs_status pcs_model_file_keys(pcs_model_key_fn visit, void *user)
{
    return walk(&pcs_model_schema, "", visit, user);
}
