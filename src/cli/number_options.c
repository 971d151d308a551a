#include "number_options.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "message.h"

bool cli_read_positive(const char *name, const char *text, double *value)
{
    char *end = NULL;
    *value = strtod(text, &end);
    if (*text && !*end && isfinite(*value) && *value > 0)
        return true;
    cli_message("%s %s: must be a positive number", name, text);
    return false;
}

bool cli_read_time(const char *name, const char *text, double *value)
{
    char *end = NULL;
    *value = strtod(text, &end);
    if (*text && !*end && isfinite(*value))
        return true;
    cli_message("%s %s: must be a number of seconds", name, text);
    return false;
}

bool cli_read_integer(const char *name, const char *text, int32_t lowest, int32_t *value)
{
    char *end = NULL;
    errno = 0;
    long long number = strtoll(text, &end, 10);
    if (*text && !*end && errno == 0 && number >= lowest && number <= INT32_MAX) {
        *value = (int32_t)number;
        return true;
    }
    cli_message("%s %s: must be an integer from %d", name, text, (int)lowest);
    return false;
}
