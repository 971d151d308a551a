#include "support/model_tree.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "io/model_schema.h"
#include "percuss/simulation.h"
#include "support/model_templates.h"

enum { SECTIONS = 8, DEEPEST = 6, THINGS_MOST = 24 };

// The sections with named things: key, letter of the rule for one, prefix of the names, and how many of
// 16 values of a record's first byte lead here.
static const struct {
    const char *key;
    char rule, prefix;
    int share;
} sections[SECTIONS] = {{"bodies", 'B', 'b', 4},   {"joints", 'J', 'j', 3},
                        {"contacts", 'K', 'k', 3}, {"springs", 'P', 'p', 1},
                        {"forces", 'F', 'f', 1},   {"systems", 'Y', 's', 1},
                        {"meshes", 'H', 'm', 1},   {"laws", 'N', 'l', 2}};

typedef struct tree {
    char *text;
    size_t length;
    int dimension, count[SECTIONS];
    fuzz_choices c; // of the record at hand
} tree;

static void put(tree *t, const char *format, ...) PCS_PRINTF(2, 3);

static void put(tree *t, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const size_t room = FUZZ_MODEL_SIZE - t->length;
    const int n = vsnprintf(t->text + t->length, room, format, arguments);
    va_end(arguments);
    t->length = n >= 0 && (size_t)n < room ? t->length + (size_t)n : FUZZ_MODEL_SIZE - 1;
}

#define CHOOSE(t, list) (list)[fuzz_pick(&(t)->c, (int)(sizeof(list) / sizeof *(list)))]

// ---- Primitive values ----

// Once in a while: what no model should have.
static const char *const strange[] = {
    "1e300", "-1e300",  "1e-300", "1e19", "-1e-18", "1e9", "0/0",  ".nan", ".inf",     "1/0",
    "-0.0",  "nothing", "t",      "''",   "[1]",    "{}",  "1e-8", "-1e8", "2^53 + 1", "tan(pi/2)"};
enum { STRANGE_ONCE_IN = 250, SCHEMA_ONCE_IN = 96 };

static void put_number(tree *t)
{
    static const char *const plain[] = {"0",    "1",    "-1",   "0.5",    "-0.5",   "2",
                                        "0.25", "-0.3", "0.1",  "1.5",    "p0",     "pi/2",
                                        "-2",   "0.01", "3.71", "-1/300", "sqrt(2)"};
    if (fuzz_once_in(&t->c, STRANGE_ONCE_IN))
        put(t, "%s", CHOOSE(t, strange));
    else if (fuzz_once_in(&t->c, 4))
        put(t, "%g", (fuzz_pick(&t->c, 256) - 128) / 51.2);
    else
        put(t, "%s", CHOOSE(t, plain));
}

static void put_positive(tree *t)
{
    static const char *const plain[] = {"1",  "0.5",  "0.1", "2",   "0.3",  "0.25", "0.01",
                                        "10", "1e-3", "100", "1e4", "0.02", "3.7"};
    if (fuzz_once_in(&t->c, STRANGE_ONCE_IN))
        put(t, "%s", CHOOSE(t, strange));
    else if (fuzz_once_in(&t->c, 4))
        put(t, "%g", (1 + fuzz_pick(&t->c, 256)) / 64.0);
    else
        put(t, "%s", CHOOSE(t, plain));
}

static void put_part(tree *t)
{
    static const char *const parts[] = {"0", "0.5", "1", "0.3", "0.8", "0.999", "1e-3", "0.1"};
    if (fuzz_once_in(&t->c, STRANGE_ONCE_IN))
        put_number(t);
    else
        put(t, "%s", CHOOSE(t, parts));
}

static void put_point(tree *t, int n)
{
    put(t, "[");
    for (int i = 0; i < n; i++) {
        put(t, "%s", i > 0 ? ", " : "");
        put_number(t);
    }
    put(t, "]");
}

static void put_direction(tree *t)
{
    static const char *const plane[] = {"[0, 1]",     "[1, 0]",  "[0, -1]", "[-1, 0]",
                                        "[0.6, 0.8]", "[-1, 1]", "[3, -1]"};
    static const char *const space[] = {"[0, 0, 1]",  "[1, 0, 0]",      "[0, 1, 0]",
                                        "[0, 0, -1]", "[1, 1, 0]",      "[1, 1, 1]",
                                        "[-1, 0, 0]", "[0.3, -2, 0.1]", "[0, 0.6, 0.8]"};
    if (fuzz_once_in(&t->c, STRANGE_ONCE_IN))
        put_point(t, t->dimension);
    else
        put(t, "%s", t->dimension == 2 ? CHOOSE(t, plane) : CHOOSE(t, space));
}

static void put_body(tree *t)
{
    const int n = t->count[0], chosen = fuzz_pick(&t->c, n + 1);
    if (fuzz_once_in(&t->c, STRANGE_ONCE_IN))
        put(t, "%s", fuzz_once_in(&t->c, 2) ? "{mesh: m0, node: 0}" : "nobody");
    else if (chosen == n)
        put(t, "ground");
    else
        put(t, "b%d", chosen);
}

// Two different holders as a rule.
static void put_two_bodies(tree *t)
{
    const int n = t->count[0], first = fuzz_pick(&t->c, n + 1);
    const int second = n > 0 ? (first + 1 + fuzz_pick(&t->c, n)) % (n + 1) : 0;
    if (fuzz_once_in(&t->c, t->count[6] > 0 ? 4 : STRANGE_ONCE_IN)) {
        put(t, "[");
        put_body(t);
        put(t, ", {mesh: m0, %s}]", fuzz_once_in(&t->c, 2) ? "group: end" : "node: 1");
    } else if (first == 0) {
        put(t, "[ground, b%d]", second > 0 ? second - 1 : 0);
    } else if (second == 0) {
        put(t, "[b%d, ground]", first - 1);
    } else {
        put(t, "[b%d, b%d]", first - 1, second - 1);
    }
}

static bool put_primitive(tree *t, char letter)
{
    switch (letter) {
    case 'n':
        put_number(t);
        return true;
    case '+':
        put_positive(t);
        return true;
    case 'u':
        put_part(t);
        return true;
    case 'p':
        put_point(t, t->dimension);
        return true;
    case 'q':
        put_point(t, 2);
        return true;
    case 'd':
        put_direction(t);
        return true;
    case 'b':
        put_body(t);
        return true;
    case '2':
        put_two_bodies(t);
        return true;
    case 'i':
        put(t, "%d", 1 + fuzz_pick(&t->c, 4));
        return true;
    case 'j':
        put(t, "j%d", fuzz_pick(&t->c, 6));
        return true;
    default:
        return false;
    }
}

// ---- Templates ----

// Whether an alternative names something that the model does not have.
static bool names_missing(const tree *t, const char *alternative)
{
    static const struct {
        const char *name;
        int section, needed;
    } names[] = {{"b1", 0, 2}, {"j0", 1, 1}, {"%j", 1, 2}, {"s0", 5, 1},
                 {"m0", 6, 1}, {"m1", 6, 2}, {"l0", 7, 1}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (t->count[names[i].section] < names[i].needed && strstr(alternative, names[i].name))
            return true;
    }
    return false;
}

static const char *choose_alternative(tree *t, char letter)
{
    for (const fuzz_rule *const *rule = fuzz_rules; *rule; rule++) {
        if ((*rule)->letter != letter ||
            ((*rule)->dimension != 0 && (*rule)->dimension != t->dimension))
            continue;
        int n = 0;
        while ((*rule)->alternatives[n])
            n++;
        const char *chosen = (*rule)->alternatives[fuzz_pick(&t->c, n)];
        const bool kept = !names_missing(t, chosen) || fuzz_once_in(&t->c, STRANGE_ONCE_IN);
        return kept ? chosen : (*rule)->alternatives[0];
    }
    return "";
}

static void put_template(tree *t, const char *template, int depth)
{
    for (const char *s = template; *s; s++) {
        if (*s != '%' || !s[1])
            put(t, "%c", *s);
        else if (!put_primitive(t, *++s) && depth < DEEPEST)
            put_template(t, choose_alternative(t, *s), depth + 1);
    }
}

// ---- Keys from the schema ----

static void put_by_schema(tree *t, const pcs_schema *schema, int depth);

static void put_text(tree *t, const char *key)
{
    static const char *const words[] = {"b0",    "ground", "m0",        "j0",  "l0",     "end",
                                        "body",  "world",  "start",     "all", "lumped", "x",
                                        "beam",  "true",   "alpha2",    "off", "é",      "nobody",
                                        "angle", "y",      "hexahedron"};
    static const char *const types[] = {
        "revolute",  "spherical",      "screw",       "point-on-curve", "gear",
        "rack",      "point",          "torsion",     "bushing",        "sphere-plane",
        "box-plane", "point-polyline", "pin-in-hole", "slider-guide",   "line",
        "spline",    "all-surfaces",   "surface",     "distance",       "universal"};
    if (strcmp(key, "type") == 0)
        put(t, "%s", CHOOSE(t, types));
    else
        put(t, "%s", CHOOSE(t, words));
}

static void put_as(tree *t, const pcs_schema_field *field, uint32_t accepts, int depth)
{
    uint32_t kinds[6], n = 0;
    for (uint32_t bit = PCS_SCHEMA_NUMBER; bit <= PCS_SCHEMA_NULL; bit *= 2) {
        if (accepts & bit)
            kinds[n++] = bit;
    }
    uint32_t kind = n > 0 ? kinds[fuzz_pick(&t->c, (int)n)] : PCS_SCHEMA_NUMBER;
    if (fuzz_once_in(&t->c, 32))
        kind = 1u << fuzz_pick(&t->c, 6);
    if (kind == PCS_SCHEMA_NUMBER) {
        put_number(t);
    } else if (kind == PCS_SCHEMA_TEXT) {
        put_text(t, field->key);
    } else if (kind == PCS_SCHEMA_FLAG) {
        put(t, "%s", fuzz_once_in(&t->c, 2) ? "true" : "false");
    } else if (kind == PCS_SCHEMA_LIST && depth < DEEPEST) {
        const int items = (t->dimension + fuzz_pick(&t->c, 5)) % 5;
        put(t, "[");
        for (int i = 0; i < items; i++) {
            put(t, "%s", i > 0 ? ", " : "");
            put_as(t, field, field->items, depth + 1);
        }
        put(t, "]");
    } else if (kind == PCS_SCHEMA_MAP && field->inside && depth < DEEPEST) {
        if (field->keys != PCS_SCHEMA_FIELDS && depth == 0)
            put(t, "{%s: ", fuzz_once_in(&t->c, 2) ? "angle" : "displacement");
        put_by_schema(t, field->inside, depth + 1);
        if (field->keys != PCS_SCHEMA_FIELDS && depth == 0)
            put(t, "}");
    } else {
        put(t, "null");
    }
}

static void put_field(tree *t, const pcs_schema_field *field, int depth)
{
    put(t, "%s: ", field->key);
    put_as(t, field, field->accepts, depth);
}

// A map with some of the fields.
static void put_by_schema(tree *t, const pcs_schema *schema, int depth)
{
    bool first = true;
    put(t, "{");
    for (int32_t k = 0; k < schema->n_fields; k++) {
        const pcs_schema_field *field = &schema->fields[k];
        if (field->required ? fuzz_once_in(&t->c, 16) : !fuzz_once_in(&t->c, 3))
            continue;
        put(t, "%s", first ? "" : ", ");
        put_field(t, field, depth);
        first = false;
    }
    put(t, "}");
}

// One thing of a section: by template, at times with one key more; or all by the table.
static void put_thing(tree *t, int section, int number)
{
    const pcs_schema *schema = pcs_schema_find(&pcs_model_schema, sections[section].key)->inside;
    put(t, "  %c%d: ", sections[section].prefix, number);
    if (fuzz_once_in(&t->c, SCHEMA_ONCE_IN)) {
        put_by_schema(t, schema, 0);
    } else {
        put_template(t, choose_alternative(t, sections[section].rule), 0);
        if (fuzz_once_in(&t->c, SCHEMA_ONCE_IN) && t->length > 0 && t->text[t->length - 1] == '}') {
            t->length--;
            put(t, ", ");
            put_field(t, &schema->fields[fuzz_pick(&t->c, schema->n_fields)], 0);
            put(t, "}");
        }
    }
    put(t, "\n");
}

// ---- The run ----

static void put_option(tree *t, const pcs_option *option)
{
    put(t, ", %s: ", option->key);
    if (fuzz_once_in(&t->c, STRANGE_ONCE_IN)) {
        put(t, "%s", CHOOSE(t, strange));
    } else if (option->type == PCS_OPTION_CHOICE) {
        put(t, "%s", option->choices[fuzz_pick(&t->c, (int)option->highest + 1)]);
    } else {
        const double values[] = {option->lowest,         option->highest,     10 * option->fallback,
                                 0.1 * option->fallback, fuzz_pick(&t->c, 8), 1e-6};
        const double value = CHOOSE(t, values);
        if (option->type == PCS_OPTION_INTEGER)
            put(t, "%.0f", value < 1e6 ? value : 1e6);
        else
            put(t, "%.17g", value);
    }
}

static void put_simulation(tree *t)
{
    static const char *const steps[] = {"1e-3", "0.01", "0.1",  "1",
                                        "1e-4", "0.25", "1e-6", "7.3e-3"};
    const pcs_option *options = NULL;
    int32_t n_options = 0, n_schemes = 0, n_names = 0;
    while (pcs_scheme_name(n_schemes, NULL, NULL, NULL))
        n_schemes++;
    while (pcs_scheme_short_name(n_names, NULL, NULL))
        n_names++;
    // A short name is the event-driven scheme with that integrator.
    const int chosen = fuzz_pick(&t->c, 2 * n_schemes + n_names);
    const bool is_short = chosen >= 2 * n_schemes;
    const char *scheme = is_short ? pcs_scheme_short_name(chosen - 2 * n_schemes, NULL, NULL)
                                  : pcs_scheme_name(chosen % n_schemes, NULL, NULL, NULL);
    for (int32_t i = 0; i < n_schemes; i++) {
        const char *name = pcs_scheme_name(i, NULL, NULL, NULL);
        if (strcmp(name, is_short ? "event-driven" : scheme) == 0)
            (void)pcs_scheme_name(i, NULL, &options, &n_options);
    }
    put(t, "simulation: {scheme: %s, step: %s", scheme, CHOOSE(t, steps));
    put(t, "%s", fuzz_once_in(&t->c, 8) ? ", events: [0, 0.0015, 0.2]" : "");
    put(t, "%s", fuzz_once_in(&t->c, 8) ? ", start: 0.5" : "");
    put(t, "%s", fuzz_once_in(&t->c, 8) ? ", end: 2.0005" : ", end: 5");
    const int n = fuzz_pick(&t->c, 4);
    for (int i = 0, k = 0; i < n; i++, k++) {
        k += fuzz_pick(&t->c, 16);
        if (k < n_options)
            put_option(t, &options[k]);
    }
    put(t, "}\n");
}

// ---- The file ----

// Of record r; the first thing is a body, without which there are few models.
static int section_of(const uint8_t *data, size_t r)
{
    int place = r == 1 ? 0 : data[r * FUZZ_RECORD] % 16;
    for (int s = 0; s < SECTIONS; s++) {
        if (place < sections[s].share)
            return s;
        place -= sections[s].share;
    }
    return SECTIONS - 1;
}

size_t fuzz_model_text(const uint8_t *data, size_t size, char text[FUZZ_MODEL_SIZE])
{
    tree t = {.text = text, .c = {data, size < FUZZ_RUN_BYTES ? size : FUZZ_RUN_BYTES, 0}};
    const size_t whole = size / FUZZ_RECORD, most = 1 + THINGS_MOST;
    const size_t records = whole < most ? whole : most;
    for (size_t r = 1; r < records; r++)
        t.count[section_of(data, r)]++;
    t.dimension = 2 + fuzz_pick(&t.c, 2);
    put(&t, "dimension: %d\nparameters: {p0: 0.7}\ninputs: {u0: 0.5}\ngravity: ", t.dimension);
    put_template(&t, "%g", 0);
    put(&t, "\n");
    put_simulation(&t);
    for (int s = 0; s < SECTIONS; s++) {
        if (t.count[s] > 0)
            put(&t, "%s:\n", sections[s].key);
        for (size_t r = 1, number = 0; r < records; r++) {
            const uint8_t *record = data + r * FUZZ_RECORD;
            if (section_of(data, r) != s)
                continue;
            t.c = (fuzz_choices){record + 1, FUZZ_RECORD - 1, 0};
            put_thing(&t, s, (int)number++);
        }
    }
    return t.length;
}
