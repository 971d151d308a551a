// Reading a model file: document, settings, schema, parameters, and then section by section into
// the builder.
#include "io/model_file.h"

#include <stdio.h>
#include <string.h>

#include "io/model_schema.h"
#include "io/yaml_emit.h"
#include "io/yaml_include.h"

// ---- Places for errors that come later ----

// The element that an error text names first, as "joint 'hinge'" or "joint.hinge".
static const pcs_yaml_node *find_element(const pcs_yaml_node *root, const char *text)
{
    static const struct {
        const char *word, *section;
    } rows[] = {{"body", "bodies"},    {"joint", "joints"},   {"coupling", "joints"},
                {"spring", "springs"}, {"force", "forces"},   {"contact", "contacts"},
                {"input", "inputs"},   {"system", "systems"}, {"mesh", "meshes"}};
    const pcs_yaml_node *found = NULL;
    const char *found_at = NULL;
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        size_t length = strlen(rows[k].word);
        const pcs_yaml_node *section = pcs_yaml_child(root, rows[k].section);
        for (const char *at = strstr(text, rows[k].word); at; at = strstr(at + 1, rows[k].word)) {
            const char *name = at + length;
            if (strncmp(name, " '", 2) == 0)
                name += 2;
            else if (*name == '.')
                name++;
            else
                continue;
            char copy[128];
            snprintf(copy, sizeof copy, "%.*s", (int)strcspn(name, "'. "), name);
            const pcs_yaml_node *element = pcs_yaml_child(section, copy);
            if (element && (!found_at || at < found_at)) {
                found = element;
                found_at = at;
            }
        }
    }
    return found;
}

// The value inside an element that the text quotes, as the builder does with formulas.
static const pcs_yaml_node *find_quoted(const pcs_yaml_node *node, const char *text)
{
    if (node->kind == PCS_YAML_SCALAR) {
        size_t length = strlen(node->text);
        for (const char *at = strstr(text, node->text); at && length > 0;
             at = strstr(at + 1, node->text)) {
            if (at > text && at[-1] == '"' && at[length] == '"')
                return node;
        }
        return NULL;
    }
    const pcs_yaml_node *found = NULL;
    for (const pcs_yaml_node *entry = node->first; entry && !found; entry = entry->next)
        found = find_quoted(entry, text);
    return found;
}

// The option of the run that an error text names first, as "stabilisation: ggl".
static const pcs_yaml_node *find_option(const pcs_yaml_node *root, const char *text)
{
    const pcs_yaml_node *section = pcs_yaml_child(root, "simulation");
    for (const pcs_yaml_node *node = section ? section->first : NULL; node; node = node->next) {
        const size_t key = strlen(node->key), value = node->text ? strlen(node->text) : 0;
        if (value > 0 && strncmp(text, node->key, key) == 0 && strncmp(text + key, ": ", 2) == 0 &&
            strncmp(text + key + 2, node->text, value) == 0)
            return node;
    }
    return NULL;
}

pcs_status pcs_model_file_locate(const pcs_model_file *file, pcs_status status)
{
    return pcs_model_file_locate_in(file, file->ctx, status);
}

pcs_status pcs_model_file_locate_in(const pcs_model_file *file, pcs_context *ctx, pcs_status status)
{
    const char *text = pcs_context_error(ctx);
    const pcs_yaml_node *element = find_element(file->root, text);
    const pcs_yaml_node *value = element ? find_quoted(element, text) : NULL;
    const pcs_yaml_node *option = element ? NULL : find_option(file->root, text);
    pcs_yaml_mark mark = {0, 0, 0}; // the file as a whole
    if (value)
        mark = value->mark;
    else if (element)
        mark = element->key_mark;
    else if (option)
        mark = option->mark;
    return pcs_yaml_locate_in(&file->doc, ctx, mark, status);
}

// ---- Building ----

static pcs_status read_dimension(pcs_model_reader *reader)
{
    const pcs_yaml_node *node = pcs_yaml_child(reader->root, "dimension");
    double number;
    PCS_TRY(pcs_reader_read_number(reader, node, &number));
    if (number != 2 && number != 3)
        return pcs_yaml_error(reader->doc, node->mark,
                              "'dimension' must be 2 (planar) or 3 (spatial), but is %g", number);
    reader->dimension = (int32_t)number;
    return PCS_OK;
}

static pcs_status prepare_builder(pcs_model_reader *reader)
{
    for (int32_t k = 0; k < reader->parameters.count; k++) {
        const pcs_yaml_node *node = reader->parameters.sorted[k];
        pcs_status status = pcs_builder_set_parameter(reader->builder, node->key,
                                                      reader->parameter_values[k]);
        if (status < 0)
            return pcs_yaml_locate(reader->doc, node->key_mark, status);
    }
    const pcs_yaml_node *gravity = pcs_yaml_child(reader->root, "gravity");
    if (!gravity)
        return PCS_OK;
    pcs_vec3 g;
    PCS_TRY(pcs_reader_read_vector(reader, gravity, &g));
    pcs_status status = pcs_builder_set_gravity(reader->builder, g);
    return status < 0 ? pcs_yaml_locate(reader->doc, gravity->mark, status) : PCS_OK;
}

static pcs_status read_inputs(pcs_model_reader *reader)
{
    const pcs_yaml_node *section = pcs_yaml_child(reader->root, "inputs");
    for (const pcs_yaml_node *node = section ? section->first : NULL; node; node = node->next) {
        double value;
        PCS_TRY(pcs_reader_read_number(reader, node, &value));
        pcs_status status = pcs_builder_add_input(reader->builder, node->key, value);
        if (status < 0)
            return pcs_yaml_locate(reader->doc, node->key_mark, status);
    }
    return PCS_OK;
}

static pcs_status build_model(pcs_model_file *file, pcs_model_reader *reader)
{
    PCS_TRY(prepare_builder(reader));
    PCS_TRY(read_inputs(reader));
    PCS_TRY(pcs_reader_read_all_bodies(reader));
    PCS_TRY(pcs_reader_read_all_materials(reader));
    PCS_TRY(pcs_reader_read_all_meshes(reader));
    PCS_TRY(pcs_reader_read_all_joints(reader));
    PCS_TRY(pcs_reader_read_all_springs(reader));
    PCS_TRY(pcs_reader_read_all_forces(reader));
    PCS_TRY(pcs_reader_read_all_contacts(reader));
    PCS_TRY(pcs_reader_read_all_systems(reader));
    PCS_TRY(pcs_model_file_read_simulation(file, reader));
    pcs_status status = pcs_builder_finish(reader->builder, &file->model);
    if (status < 0)
        return pcs_model_file_locate(file, status);
    return pcs_model_file_read_output(file, reader);
}

// From the finished tree to the model.
static pcs_status interpret(pcs_model_file *file)
{
    PCS_TRY(pcs_schema_check(&file->doc, file->root, &pcs_model_schema));
    if (!pcs_yaml_child(file->root, "bodies") && !pcs_yaml_child(file->root, "systems") &&
        !pcs_yaml_child(file->root, "meshes"))
        return pcs_yaml_error(&file->doc, file->root->mark,
                              "a model file needs 'bodies', 'meshes' or 'systems'");
    pcs_model_reader reader = {.ctx = file->ctx, .doc = &file->doc, .root = file->root};
    PCS_TRY(pcs_reader_make_names(&reader));
    PCS_TRY(pcs_reader_read_parameters(&reader));
    PCS_TRY(read_dimension(&reader));
    PCS_TRY(pcs_builder_create(file->ctx, reader.dimension, &reader.builder));
    pcs_status status = build_model(file, &reader);
    pcs_builder_destroy(reader.builder);
    PCS_TRY(status);
    const pcs_yaml_node *title = pcs_yaml_child(file->root, "title");
    file->title = title ? title->text : "";
    file->text = pcs_yaml_emit(&file->doc, file->root);
    return file->text ? PCS_OK : PCS_ERROR_MEMORY;
}

// ---- Reading ----

// A text to be read: a file, or bytes in memory.
typedef struct input {
    const char *name;
    const char *bytes; // NULL: a file
    size_t size;
} input;

static pcs_status read_tree(pcs_model_file *file, const input *in)
{
    if (!in->bytes)
        return pcs_yaml_read_file(&file->doc, in->name, &file->root);
    int32_t source;
    PCS_TRY(pcs_yaml_add_source(&file->doc, in->name, true, &source));
    if (in->size > PCS_YAML_LARGEST_INPUT)
        return pcs_error(file->ctx, PCS_ERROR_INPUT,
                         "%s: %zu bytes are too many for a model (at most %d)", in->name, in->size,
                         PCS_YAML_LARGEST_INPUT);
    PCS_TRY(pcs_yaml_parse(&file->doc, source, in->bytes, in->size, &file->root));
    if (file->root->kind != PCS_YAML_MAP)
        return pcs_yaml_error(&file->doc, file->root->mark, "a model is a map (key: value), not %s",
                              pcs_yaml_kind_name(file->root));
    const pcs_yaml_node *include = pcs_yaml_child(file->root, "include");
    if (include)
        return pcs_yaml_error(&file->doc, include->key_mark,
                              "'include' needs a file; this model is read from memory");
    return PCS_OK;
}

// Texts of the input that a message quotes may contain line breaks; a message is one line.
static void flatten_error(pcs_context *ctx, pcs_status status)
{
    char text[1024];
    snprintf(text, sizeof text, "%s", pcs_context_error(ctx));
    for (char *c = text; *c; c++) {
        if ((unsigned char)*c < 0x20 || *c == 0x7F)
            *c = ' ';
    }
    (void)pcs_error(ctx, status, "%s", text);
}

static pcs_status read_model(pcs_context *ctx, const input *in, const pcs_setting *settings,
                             int32_t n_settings, pcs_model_file **out)
{
    *out = NULL;
    if (n_settings < 0)
        return pcs_error(ctx, PCS_ERROR_ARGUMENT, "there cannot be %d settings", (int)n_settings);
    pcs_model_file *file = PCS_NEW(ctx, pcs_model_file);
    if (!file)
        return PCS_ERROR_MEMORY;
    file->ctx = ctx;
    pcs_yaml_init(&file->doc, ctx);
    pcs_status status = read_tree(file, in);
    if (status >= 0)
        status = pcs_model_file_apply_settings(file, settings, n_settings);
    if (status >= 0)
        status = interpret(file);
    if (status < 0) {
        flatten_error(ctx, status);
        pcs_model_file_destroy(file);
        return status;
    }
    *out = file;
    return PCS_OK;
}

pcs_status pcs_model_file_read(pcs_context *ctx, const char *path, const pcs_setting *settings,
                               int32_t n_settings, pcs_model_file **out)
{
    input in = {.name = path};
    return read_model(ctx, &in, settings, n_settings, out);
}

pcs_status pcs_model_file_read_memory(pcs_context *ctx, const char *name, const char *bytes,
                                      size_t size, const pcs_setting *settings, int32_t n_settings,
                                      pcs_model_file **out)
{
    input in = {name, bytes ? bytes : "", size};
    return read_model(ctx, &in, settings, n_settings, out);
}

void pcs_model_file_destroy(pcs_model_file *file)
{
    if (!file)
        return;
    pcs_model_destroy(file->model);
    pcs_yaml_free(&file->doc);
    pcs_free(file->ctx, file);
}

// ---- Looking at it ----

const pcs_model *pcs_model_file_model(const pcs_model_file *file)
{
    return file->model;
}

const char *pcs_model_file_title(const pcs_model_file *file)
{
    return file->title;
}

pcs_simulation_def pcs_model_file_simulation(const pcs_model_file *file)
{
    return file->simulation;
}

int32_t pcs_model_file_options(const pcs_model_file *file, const pcs_setting **options)
{
    *options = file->options;
    return file->n_options;
}

double pcs_model_file_output_step(const pcs_model_file *file)
{
    return file->output_step;
}

int32_t pcs_model_file_signals(const pcs_model_file *file, const char *const **paths)
{
    *paths = file->signals;
    return file->n_signals;
}

const char *pcs_model_file_text(const pcs_model_file *file)
{
    return file->text;
}
