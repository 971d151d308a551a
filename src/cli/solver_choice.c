#include "solver_choice.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "options.h"

enum { NAMES_MAX = 64, LIST_SIZE = 400 };

static const pcs_problem_class classes[] = {PCS_PROBLEM_LCP, PCS_PROBLEM_MLCP, PCS_PROBLEM_LOCAL,
                                            PCS_PROBLEM_GLOBAL};
enum { CLASSES = sizeof classes / sizeof *classes };

// ---- Names ----

int32_t cli_solver_find(pcs_problem_class problem_class, const char *name)
{
    const char *other;
    for (int32_t i = 0; (other = pcs_problem_solver(problem_class, i, NULL, NULL, NULL)); i++) {
        if (strcmp(name, other) == 0)
            return i;
    }
    return -1;
}

bool cli_solver_check(const char *name)
{
    const char *names[NAMES_MAX] = {"all"}, *other;
    int count = 1;
    if (strcmp(name, "all") == 0)
        return true;
    for (int c = 0; c < CLASSES; c++) {
        if (cli_solver_find(classes[c], name) >= 0)
            return true;
        for (int32_t i = 0; (other = pcs_problem_solver(classes[c], i, NULL, NULL, NULL)); i++) {
            if (count < NAMES_MAX)
                names[count++] = other;
        }
    }
    const char *nearest = cli_nearest(name, names, count);
    if (nearest)
        cli_message("unknown solver '%s'; did you mean '%s'?", name, nearest);
    else
        cli_message("unknown solver '%s' (percuss list solvers)", name);
    return false;
}

bool cli_solver_check_class(const char *path, pcs_problem_class problem_class, const char *name)
{
    if (cli_solver_find(problem_class, name) >= 0)
        return true;
    char list[LIST_SIZE] = "";
    size_t length = 0;
    const char *other;
    for (int32_t i = 0; (other = pcs_problem_solver(problem_class, i, NULL, NULL, NULL)); i++) {
        int added = snprintf(list + length, sizeof list - length, "%s%s", i > 0 ? ", " : "", other);
        if (added < 0 || (size_t)added >= sizeof list - length)
            break;
        length += (size_t)added;
    }
    cli_message("%s: solver '%s' is not for %s problems; there are %s", path, name,
                pcs_problem_class_name(problem_class), list);
    return false;
}

// ---- Options ----

static bool read_choice(const pcs_option *option, const char *text, double *value)
{
    for (int k = 0; option->choices[k]; k++) {
        if (strcmp(text, option->choices[k]) == 0) {
            *value = k;
            return true;
        }
    }
    char list[LIST_SIZE] = "";
    size_t length = 0;
    for (int k = 0; option->choices[k]; k++) {
        int added = snprintf(list + length, sizeof list - length, "%s%s", k > 0 ? ", " : "",
                             option->choices[k]);
        if (added < 0 || (size_t)added >= sizeof list - length)
            break;
        length += (size_t)added;
    }
    cli_message("--set %s=%s: must be one of %s", option->key, text, list);
    return false;
}

static bool read_value(const pcs_option *option, const char *text, double *value)
{
    if (option->type == PCS_OPTION_CHOICE)
        return read_choice(option, text, value);
    char *end = NULL;
    *value = strtod(text, &end);
    bool number = *text && !*end && isfinite(*value);
    if (number && option->type == PCS_OPTION_INTEGER && *value != floor(*value))
        number = false;
    if (number && *value >= option->lowest && *value <= option->highest)
        return true;
    cli_message("--set %s=%s: must be %s from %g to %g", option->key, text,
                option->type == PCS_OPTION_INTEGER ? "an integer" : "a number", option->lowest,
                option->highest);
    return false;
}

double *cli_solver_values(const cli_settings *settings, const pcs_option *options,
                          int32_t n_options, bool *used)
{
    double *values = calloc((size_t)n_options + 1, sizeof *values);
    if (!values) {
        cli_message("out of memory");
        return NULL;
    }
    for (int32_t k = 0; k < n_options; k++) {
        values[k] = options[k].fallback;
        for (int32_t i = 0; i < settings->count; i++) {
            if (strcmp(settings->list[i].key, options[k].key) != 0)
                continue;
            used[i] = true;
            if (!read_value(&options[k], settings->list[i].text, &values[k])) {
                free(values);
                return NULL;
            }
        }
    }
    return values;
}
