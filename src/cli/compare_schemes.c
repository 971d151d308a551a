// Schemes by name: NAME[:key=value]..., where the name of an integrator means the event-driven
// scheme with it. The tables of the library say which options there are.
#include <stdlib.h>
#include <string.h>

#include "compare.h"
#include "message.h"
#include "options.h"

enum { NAMES_MAX = 64 };

static const char SHORT_FOR[] = "event-driven", INTEGRATOR[] = "integrator";

// Option `key` of a scheme; NULL if it has none.
static const pcs_option *find_option(const char *scheme, const char *key)
{
    const pcs_option *options = NULL;
    const char *name;
    int32_t count = 0;
    for (int32_t i = 0; (name = pcs_scheme_name(i, NULL, &options, &count)); i++) {
        for (int32_t k = 0; strcmp(name, scheme) == 0 && k < count; k++) {
            if (strcmp(options[k].key, key) == 0)
                return &options[k];
        }
    }
    return NULL;
}

// All words that may stand for a scheme.
static int list_names(const char *names[NAMES_MAX])
{
    int count = 0;
    const char *name;
    for (int32_t i = 0; count < NAMES_MAX && (name = pcs_scheme_name(i, NULL, NULL, NULL)); i++)
        names[count++] = name;
    const pcs_option *integrator = find_option(SHORT_FOR, INTEGRATOR);
    for (int i = 0; integrator && integrator->choices[i] && count < NAMES_MAX; i++)
        names[count++] = integrator->choices[i];
    return count;
}

static bool find_name(compare_scheme *scheme, const char *text, const char *where)
{
    const char *names[NAMES_MAX], *name;
    for (int32_t i = 0; (name = pcs_scheme_name(i, NULL, NULL, NULL)); i++) {
        if (strcmp(name, text) == 0) {
            scheme->name = name;
            return true;
        }
    }
    int count = list_names(names);
    for (int i = 0; i < count; i++) {
        if (strcmp(names[i], text) == 0) {
            scheme->name = SHORT_FOR;
            scheme->options[scheme->n_options++] = (pcs_setting){INTEGRATOR, names[i]};
            return true;
        }
    }
    const char *nearest = cli_nearest(text, names, count);
    if (nearest)
        cli_message("%s: unknown scheme '%s'; did you mean '%s'?", where, text, nearest);
    else
        cli_message("%s: unknown scheme '%s' (percuss list schemes)", where, text);
    return false;
}

static bool refuse_option(const compare_scheme *scheme, const char *key, const char *where)
{
    const char *keys[NAMES_MAX], *name;
    const pcs_option *options = NULL;
    int32_t count = 0;
    int n = 0;
    for (int32_t i = 0; (name = pcs_scheme_name(i, NULL, &options, &count)); i++) {
        for (int32_t k = 0; strcmp(name, scheme->name) == 0 && k < count && n < NAMES_MAX; k++)
            keys[n++] = options[k].key;
    }
    const char *nearest = cli_nearest(key, keys, n);
    if (nearest)
        cli_message("%s: scheme '%s' has no option '%s'; did you mean '%s'?", where, scheme->name,
                    key, nearest);
    else
        cli_message("%s: scheme '%s' has no option '%s' (percuss list schemes)", where,
                    scheme->name, key);
    return false;
}

static bool add_option(compare_scheme *scheme, char *text, const char *where)
{
    char *equals = strchr(text, '=');
    if (!equals || equals == text) {
        cli_message("%s: '%s' in '%s' must have the form key=value", where, text, scheme->label);
        return false;
    }
    *equals = '\0';
    if (!find_option(scheme->name, text))
        return refuse_option(scheme, text, where);
    if (scheme->n_options == COMPARE_OPTIONS_MAX) {
        cli_message("%s: '%s' has more than %d options", where, scheme->label, COMPARE_OPTIONS_MAX);
        return false;
    }
    scheme->options[scheme->n_options++] = (pcs_setting){text, equals + 1};
    return true;
}

static compare_level_kind find_kind(const compare_scheme *scheme)
{
    const pcs_option *control = find_option(scheme->name, "step_control");
    if (!control)
        return find_option(scheme->name, "tolerance") ? COMPARE_TOLERANCE : COMPARE_STEP;
    const char *usual = control->choices[(int)control->fallback], *chosen = usual;
    for (int32_t i = 0; i < scheme->n_options; i++)
        if (strcmp(scheme->options[i].key, "step_control") == 0)
            chosen = scheme->options[i].text;
    if (strcmp(chosen, "fixed") != 0)
        return COMPARE_TOLERANCE;
    // Where steps are fixed unless one asks for others (capturing), they are those of the run.
    if (strcmp(usual, "fixed") == 0)
        return COMPARE_STEP;
    return COMPARE_INNER_STEP;
}

bool compare_scheme_read(compare_scheme *scheme, const char *text, const char *where)
{
    *scheme = (compare_scheme){.text = strdup(text)};
    if (!scheme->text) {
        cli_message("out of memory");
        return false;
    }
    if (strlen(text) >= sizeof scheme->label) {
        cli_message("%s: '%s' is too long (at most %d characters)", where, text,
                    COMPARE_LABEL_SIZE - 1);
        return false;
    }
    snprintf(scheme->label, sizeof scheme->label, "%s", text);
    char *next = strchr(scheme->text, ':');
    if (next)
        *next++ = '\0';
    if (!find_name(scheme, scheme->text, where))
        return false;
    while (next) {
        char *option = next;
        next = strchr(option, ':');
        if (next)
            *next++ = '\0';
        if (!add_option(scheme, option, where))
            return false;
    }
    scheme->kind = find_kind(scheme);
    return true;
}

void compare_scheme_free(compare_scheme *scheme)
{
    free(scheme->text);
    scheme->text = NULL;
}
