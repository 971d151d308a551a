// The table of schemes and their options.
#include "schemes/scheme.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "schemes/corner_steps.h"
#include "schemes/integrator.h"

static const pcs_scheme_class *const classes[] = {
    &pcs_moreau_jean_class, &pcs_moreau_jean_adaptive_class,
    &pcs_capturing_class,   &pcs_event_driven_class,
    &pcs_hybrid_class,      &pcs_nonsmooth_alpha_class,
};
enum { CLASS_COUNT = sizeof classes / sizeof *classes };

const char *pcs_scheme_name(int32_t i, const char **help, const pcs_option **options,
                            int32_t *n_options)
{
    if (i < 0 || i >= CLASS_COUNT)
        return NULL;
    if (help)
        *help = classes[i]->help;
    if (options)
        *options = classes[i]->options;
    if (n_options)
        *n_options = classes[i]->n_options;
    return classes[i]->name;
}

const pcs_scheme_class *pcs_scheme_find(const char *name)
{
    for (int32_t i = 0; i < CLASS_COUNT; ++i)
        if (strcmp(classes[i]->name, name) == 0)
            return classes[i];
    return NULL;
}

void pcs_step_report_add(pcs_step_report *sum, const pcs_step_report *part)
{
    sum->h += part->h;
    sum->contacts = part->contacts;
    sum->impacts += part->impacts;
    sum->newton_iterations += part->newton_iterations;
    sum->solver_iterations += part->solver_iterations;
    sum->rejected += part->rejected;
    sum->evaluations += part->evaluations;
    sum->residual = fmax(sum->residual, part->residual);
    sum->newton_residual = fmax(sum->newton_residual, part->newton_residual);
    sum->penetration = pcs_depth_larger(sum->penetration, part->penetration);
    sum->drift = fmax(sum->drift, part->drift);
    sum->velocity_drift = fmax(sum->velocity_drift, part->velocity_drift);
    sum->kinetic = part->kinetic;
    sum->potential = part->potential;
    sum->redundant_rows = part->redundant_rows;
    sum->error += part->error;
}

const char *pcs_scheme_short_name(int32_t i, const char **scheme, const char **key)
{
    const pcs_integrator_class *integrator = i < 0 ? NULL : pcs_integrator_row(i);
    if (!integrator)
        return NULL;
    if (scheme)
        *scheme = pcs_event_driven_class.name;
    if (key)
        *key = "integrator";
    return integrator->name;
}

pcs_status pcs_scheme_create(pcs_context *ctx, const pcs_scheme_class *class,
                             const pcs_model *model, pcs_scheme **out)
{
    *out = NULL;
    pcs_scheme *scheme = pcs_calloc(ctx, 1, class->size);
    if (!scheme)
        return PCS_ERROR_MEMORY;
    scheme->class = class;
    scheme->ctx = ctx;
    scheme->model = model;
    scheme->options = PCS_NEW_ARRAY(ctx, double, class->n_options);
    pcs_status status = PCS_ERROR_MEMORY;
    if (scheme->options) {
        for (int32_t i = 0; i < class->n_options; ++i)
            scheme->options[i] = class->options[i].fallback;
        status = pcs_event_log_init(ctx, model->n_slots, &scheme->events);
        if (status >= 0)
            status = class->init(scheme);
        if (status >= 0)
            status = pcs_corner_steps_create(scheme, &scheme->corners);
    }
    if (status < 0) {
        pcs_scheme_destroy(scheme);
        return status;
    }
    *out = scheme;
    return PCS_OK;
}

void pcs_scheme_destroy(pcs_scheme *scheme)
{
    if (!scheme)
        return;
    scheme->class->free(scheme);
    pcs_corner_steps_destroy(scheme->ctx, scheme->corners);
    pcs_event_log_free(&scheme->events);
    pcs_free(scheme->ctx, scheme->options);
    pcs_free(scheme->ctx, scheme);
}

pcs_status pcs_scheme_step(pcs_scheme *scheme, pcs_state *state, double h, pcs_step_report *report)
{
    return scheme->corners ? pcs_corner_steps_take(scheme, state, h, report)
                           : scheme->class->step(scheme, state, h, report);
}

int32_t pcs_scheme_option_index(const pcs_scheme_class *class, const char *key)
{
    for (int32_t i = 0; i < class->n_options; ++i)
        if (strcmp(class->options[i].key, key) == 0)
            return i;
    return -1;
}

pcs_refinement pcs_scheme_refined_by(const pcs_scheme *scheme)
{
    const pcs_scheme_class *class = scheme->class;
    if (scheme->refined_by != PCS_REFINED_UNKNOWN)
        return scheme->refined_by;
    const int32_t control = pcs_scheme_option_index(class, "step_control");
    if (control < 0)
        return class->refined_by;
    const char *choice = class->options[control].choices[(int)scheme->options[control]];
    return strcmp(choice, "fixed") == 0 ? class->fixed_refined_by : class->refined_by;
}

const char *pcs_scheme_finer(const pcs_scheme *scheme)
{
    return pcs_refinement_option(pcs_scheme_refined_by(scheme));
}

const char *pcs_refinement_option(pcs_refinement refinement)
{
    static const char *const options[PCS_REFINED_COUNT] = {
        [PCS_REFINED_UNKNOWN] = "step or tolerance",
        [PCS_REFINED_STEP] = "step",
        [PCS_REFINED_TOLERANCE] = "tolerance",
        [PCS_REFINED_FIRST_STEP] = "first_step",
        [PCS_REFINED_TIME_STEP] = "largest_time_step",
        [PCS_REFINED_HYBRID] = "tolerance or largest_time_step",
        [PCS_REFINED_HYBRID_FIXED] = "first_step or largest_time_step",
    };
    const bool known = (int)refinement >= 0 && refinement < PCS_REFINED_COUNT;
    return options[known ? refinement : PCS_REFINED_UNKNOWN];
}

static pcs_status unknown_key(pcs_scheme *scheme, const char *key)
{
    enum { KEYS_MAX = 64 };
    const char *keys[KEYS_MAX];
    int32_t n = 0;
    for (; n < scheme->class->n_options && n < KEYS_MAX; ++n)
        keys[n] = scheme->class->options[n].key;
    const char *near = pcs_text_nearest(key, keys, n);
    if (near)
        return pcs_error(scheme->ctx, PCS_ERROR_INPUT,
                         "scheme '%s' has no option '%s'; did you mean '%s'?", scheme->class->name,
                         key, near);
    return pcs_error(scheme->ctx, PCS_ERROR_INPUT,
                     "scheme '%s' has no option '%s'; 'percuss list schemes' shows them",
                     scheme->class->name, key);
}

static pcs_status set_choice(pcs_scheme *scheme, int32_t i, const char *text)
{
    const pcs_option *option = &scheme->class->options[i];
    char allowed[256] = "";
    for (int32_t k = 0; option->choices[k]; ++k) {
        if (strcmp(option->choices[k], text) == 0) {
            scheme->options[i] = k;
            return PCS_OK;
        }
        if (k > 0)
            strncat(allowed, ", ", sizeof allowed - strlen(allowed) - 1);
        strncat(allowed, option->choices[k], sizeof allowed - strlen(allowed) - 1);
    }
    return pcs_error(scheme->ctx, PCS_ERROR_INPUT, "%s: '%s' is not one of %s", option->key, text,
                     allowed);
}

pcs_status pcs_scheme_set_option(pcs_scheme *scheme, const char *key, const char *text)
{
    int32_t i = pcs_scheme_option_index(scheme->class, key);
    if (i < 0)
        return unknown_key(scheme, key);
    const pcs_option *option = &scheme->class->options[i];
    if (option->type == PCS_OPTION_CHOICE)
        return set_choice(scheme, i, text);
    char *end;
    double value = strtod(text, &end);
    if (end == text || *end || !(value >= option->lowest && value <= option->highest))
        return pcs_error(scheme->ctx, PCS_ERROR_INPUT, "%s: '%s' is not a number between %g and %g",
                         option->key, text, option->lowest, option->highest);
    if (option->type == PCS_OPTION_INTEGER && value != (double)(int64_t)value)
        return pcs_error(scheme->ctx, PCS_ERROR_INPUT, "%s: '%s' is not a whole number",
                         option->key, text);
    scheme->options[i] = value;
    return PCS_OK;
}
