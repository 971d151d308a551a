// Counts the warnings of a context and keeps the last one.
#ifndef PCS_TESTS_SUPPORT_WARNINGS_H
#define PCS_TESTS_SUPPORT_WARNINGS_H

#include <string.h>

#include "percuss/base.h"

typedef struct warnings {
    int count;
    char last[1024];
} warnings;

static inline void take_warning(void *user, pcs_log_level level, const char *text)
{
    warnings *w = user;
    if (level != PCS_LOG_WARNING)
        return;
    ++w->count;
    strncpy(w->last, text, sizeof w->last - 1);
}

#endif
