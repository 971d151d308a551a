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

#ifdef __cplusplus
}
#endif
#endif
