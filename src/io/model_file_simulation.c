// The sections `simulation` and `output` of a model file.
#include <stdio.h>
#include <string.h>

#include "io/model_file.h"

enum { KEYS_MOST = 128 };

// ---- Scheme ----

typedef struct scheme_options {
    const char *name;
    const pcs_option *rows;
    int32_t n_rows;
} scheme_options;

static pcs_status find_scheme(pcs_model_reader *reader, const pcs_yaml_node *section,
                              pcs_simulation_def *def, scheme_options *scheme)
{
    const char *names[KEYS_MOST];
    int32_t n = 0, index = 0;
    while (n < KEYS_MOST && (names[n] = pcs_scheme_name(n, NULL, NULL, NULL)) != NULL)
        n++;
    const int32_t n_schemes = n;
    while (n < KEYS_MOST && (names[n] = pcs_scheme_short_name(n - n_schemes, NULL, NULL)) != NULL)
        n++;
    const pcs_yaml_node *node = pcs_yaml_child(section, "scheme");
    if (node)
        PCS_TRY(pcs_reader_read_choice(reader, node, "scheme", names, n, &index));
    else
        while (index < n && strcmp(names[index], def->scheme) != 0)
            index++;
    *scheme = (scheme_options){0};
    if (index >= n)
        return PCS_OK;
    def->scheme = names[index]; // a short name stays: the simulation knows what it means
    const char *full = names[index];
    for (int32_t i = 0;
         index >= n_schemes && pcs_scheme_short_name(i, &full, NULL) != names[index];)
        ++i;
    for (int32_t i = 0; i < n_schemes; i++)
        if (strcmp(names[i], full) == 0)
            scheme->name = pcs_scheme_name(i, NULL, &scheme->rows, &scheme->n_rows);
    return PCS_OK;
}

// ---- Options of the scheme ----

static const char *const own_keys[] = {"scheme", "start", "end", "step", "events", "estimate"};
enum { OWN_KEYS = sizeof own_keys / sizeof *own_keys };

static pcs_status unknown_option(const pcs_model_reader *reader, const pcs_yaml_node *entry,
                                 const scheme_options *scheme)
{
    const char *keys[KEYS_MOST];
    char suggestion[PCS_SUGGESTION_SIZE];
    int32_t n = OWN_KEYS;
    memcpy(keys, own_keys, sizeof own_keys);
    for (int32_t k = 0; k < scheme->n_rows && n < KEYS_MOST; k++)
        keys[n++] = scheme->rows[k].key;
    pcs_schema_suggest(entry->key, keys, n, suggestion);
    return pcs_yaml_error(reader->doc, entry->key_mark,
                          "'%.60s' is not an option of the scheme %s%s", entry->key,
                          scheme->name ? scheme->name : "", suggestion);
}

// True for an option of the file's own scheme when a setting has put another scheme in its place.
// The file need not be changed to try a scheme; a setting for an unknown option is a mistake.
static bool belongs_to_replaced_scheme(const pcs_model_file *file, const pcs_yaml_node *section,
                                       const pcs_yaml_node *entry)
{
    const pcs_yaml_node *chosen = pcs_yaml_child(section, "scheme");
    if (!chosen || chosen->mark.source < file->first_setting ||
        entry->mark.source >= file->first_setting)
        return false;
    const pcs_option *rows;
    int32_t n_rows;
    for (int32_t i = 0; pcs_scheme_name(i, NULL, &rows, &n_rows); i++)
        for (int32_t k = 0; k < n_rows; k++)
            if (strcmp(rows[k].key, entry->key) == 0)
                return true;
    return false;
}

static pcs_status read_option_number(pcs_model_reader *reader, const pcs_yaml_node *entry,
                                     const pcs_option *option, const char **text)
{
    double number;
    PCS_TRY(pcs_reader_read_number(reader, entry, &number));
    if (!(number >= option->lowest && number <= option->highest))
        return pcs_yaml_error(reader->doc, entry->mark, "'%s' must be between %g and %g, but is %g",
                              option->key, option->lowest, option->highest, number);
    if (option->type == PCS_OPTION_INTEGER && number != floor(number))
        return pcs_yaml_error(reader->doc, entry->mark, "'%s' must be a whole number, but is %g",
                              option->key, number);
    char digits[40];
    int length = snprintf(digits, sizeof digits, "%.17g", number);
    *text = pcs_yaml_copy(reader->doc, digits, (size_t)length);
    return *text ? PCS_OK : PCS_ERROR_MEMORY;
}

static const pcs_option *find_option(const scheme_options *scheme, const char *key)
{
    for (int32_t k = 0; k < scheme->n_rows; k++)
        if (strcmp(scheme->rows[k].key, key) == 0)
            return &scheme->rows[k];
    return NULL;
}

static pcs_status read_option(pcs_model_reader *reader, const pcs_yaml_node *entry,
                              const pcs_option *option, pcs_setting *setting)
{
    setting->key = option->key;
    if (option->type != PCS_OPTION_CHOICE)
        return read_option_number(reader, entry, option, &setting->text);
    int32_t n = 0, index = 0;
    while (option->choices[n])
        n++;
    PCS_TRY(pcs_reader_read_choice(reader, entry, option->key, option->choices, n, &index));
    setting->text = option->choices[index];
    return PCS_OK;
}

// Times at which forces jump.
static pcs_status read_events(pcs_model_file *file, pcs_model_reader *reader,
                              const pcs_yaml_node *section)
{
    const pcs_yaml_node *list = pcs_yaml_child(section, "events");
    const int32_t n = list ? list->count : 0;
    double *times = pcs_yaml_alloc(&file->doc, (size_t)n, sizeof *times);
    if (!times)
        return PCS_ERROR_MEMORY;
    int32_t k = 0;
    for (const pcs_yaml_node *item = list ? list->first : NULL; item; item = item->next)
        PCS_TRY(pcs_reader_read_number(reader, item, &times[k++]));
    file->simulation.events = times;
    file->simulation.n_events = n;
    return PCS_OK;
}

pcs_status pcs_model_file_read_simulation(pcs_model_file *file, pcs_model_reader *reader)
{
    const pcs_yaml_node *section = pcs_yaml_child(file->root, "simulation");
    pcs_simulation_def *def = &file->simulation;
    *def = pcs_simulation_default();
    scheme_options scheme;
    PCS_TRY(find_scheme(reader, section, def, &scheme));
    if (!section)
        return PCS_OK;
    PCS_TRY(pcs_reader_get_number(reader, section, "start", &def->start));
    PCS_TRY(pcs_reader_get_number(reader, section, "end", &def->end));
    PCS_TRY(pcs_reader_get_positive(reader, section, "step", &def->step));
    const pcs_yaml_node *end = pcs_yaml_child(section, "end");
    if (def->end < def->start)
        return pcs_yaml_error(reader->doc, end ? end->mark : section->key_mark,
                              "the end %g s comes before the start %g s", def->end, def->start);

    file->options = pcs_yaml_alloc(&file->doc, (size_t)section->count, sizeof *file->options);
    if (!file->options)
        return PCS_ERROR_MEMORY;
    PCS_TRY(read_events(file, reader, section));
    static const char *const switches[] = {"on", "off"};
    const pcs_yaml_node *estimate = pcs_yaml_child(section, "estimate");
    int32_t off = 0;
    if (estimate)
        PCS_TRY(pcs_reader_read_choice(reader, estimate, "estimate", switches, 2, &off));
    def->without_estimate = off != 0;
    for (const pcs_yaml_node *entry = section->first; entry; entry = entry->next) {
        bool own = false;
        for (size_t k = 0; k < OWN_KEYS; k++)
            own = own || strcmp(entry->key, own_keys[k]) == 0;
        if (own)
            continue;
        const pcs_option *option = find_option(&scheme, entry->key);
        if (option)
            PCS_TRY(read_option(reader, entry, option, &file->options[file->n_options++]));
        else if (!belongs_to_replaced_scheme(file, section, entry))
            return unknown_option(reader, entry, &scheme);
    }
    return PCS_OK;
}

// ---- Output ----

pcs_status pcs_model_file_read_output(pcs_model_file *file, pcs_model_reader *reader)
{
    const pcs_yaml_node *section = pcs_yaml_child(file->root, "output");
    const pcs_yaml_node *signals = pcs_yaml_child(section, "signals");
    PCS_TRY(pcs_reader_get_in_range(reader, section, "step", 0, INFINITY, &file->output_step));
    int32_t n = signals ? signals->count : 0;
    file->signals = pcs_yaml_alloc(&file->doc, (size_t)n, sizeof *file->signals);
    if (!file->signals)
        return PCS_ERROR_MEMORY;
    for (const pcs_yaml_node *item = signals ? signals->first : NULL; item; item = item->next) {
        pcs_signal signal;
        pcs_status status = pcs_model_find_signal(file->ctx, file->model, item->text, &signal);
        if (status < 0)
            return pcs_yaml_locate(&file->doc, item->mark, status);
        file->signals[file->n_signals++] = item->text;
    }
    return PCS_OK;
}
