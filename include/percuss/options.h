// Options: a table for each scheme and solver drives defaults, checks, files, --set, --help, docs.
#ifndef PERCUSS_OPTIONS_H
#define PERCUSS_OPTIONS_H

#include "percuss/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum pcs_option_type {
    PCS_OPTION_REAL,
    PCS_OPTION_INTEGER,
    PCS_OPTION_CHOICE // value is the index in `choices`
} pcs_option_type;

typedef struct pcs_option {
    const char *key;
    pcs_option_type type;
    double fallback;            // default value
    double lowest, highest;     // closed range; an open end is named in the help
    const char *const *choices; // NULL-terminated, for PCS_OPTION_CHOICE
    const char *help;
} pcs_option;

// Solver i of the contact problem, NULL beyond the last; `help`, `options` and `n_options` may be
// NULL. Schemes use the first, and the next one with on_failure: next_solver; they set `tolerance`
// and `max_iterations` from their own options solver_tolerance and solver_iterations.
PCS_API const char *pcs_solver_name(int32_t i, const char **help, const pcs_option **options,
                                    int32_t *n_options);

#ifdef __cplusplus
}
#endif
#endif
