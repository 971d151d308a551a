// Command-line options from one table for each verb: parsing, --help and suggestions.
#ifndef PCS_CLI_OPTIONS_H
#define PCS_CLI_OPTIONS_H

#include <stdbool.h>

typedef struct cli_option {
    const char *name;  // "--step"
    const char *value; // name of the value in the help; NULL: a switch; "[=FILE]": may be left out
    const char *help;  // lines separated by \n
} cli_option;

typedef struct cli_syntax {
    const char *usage; // "percuss run MODEL [OPTION]..."
    const char *text;  // what the verb does
    const cli_option *options;
    int n_options;
    const char *may_be_empty; // the option that takes an empty value too; NULL: none
    const char *notes;        // after the options; NULL: none
} cli_syntax;

// What a verb does with an option (its index and value, NULL if that was left out) or with an
// operand (CLI_OPERAND). Prints a message and returns false if it is wrong.
typedef bool (*cli_take_fn)(void *user, int option, char *value);

enum { CLI_OPERAND = -1, CLI_END = -2, CLI_MISTAKE = -3, CLI_HELP = -4 };

// Hands all arguments to take(), in their order. CLI_END if all are right, CLI_HELP if the help was
// asked for and printed, CLI_MISTAKE if a message was printed.
int cli_parse(const cli_syntax *syntax, int argc, char **argv, cli_take_fn take, void *user);
// The same for a verb that works on one model: the operand goes to *model, options go to take(),
// and it is a mistake to name no model.
int cli_parse_model(const cli_syntax *syntax, int argc, char **argv, const char **model,
                    cli_take_fn take, void *user);

// The word most like `word`, NULL if none is near.
const char *cli_nearest(const char *word, const char *const *words, int count);

#endif
