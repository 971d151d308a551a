// Numbers on the command line, with messages that name the option.
#ifndef PCS_CLI_NUMBER_OPTIONS_H
#define PCS_CLI_NUMBER_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

// False, with a message, unless `text` is a finite number above zero.
bool cli_read_positive(const char *name, const char *text, double *value);
// The same for a finite number of seconds of either sign.
bool cli_read_time(const char *name, const char *text, double *value);
// False, with a message, unless `text` is an integer from `lowest` to INT32_MAX.
bool cli_read_integer(const char *name, const char *text, int32_t lowest, int32_t *value);

#endif
