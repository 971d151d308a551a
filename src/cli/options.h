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
    const char *notes; // after the options; NULL: none
} cli_syntax;

typedef struct cli_parser {
    const cli_syntax *syntax;
    int argc, next;
    char **argv;
    bool operands_only; // after "--"
} cli_parser;

// What cli_parse() returns beside the index of an option.
enum { CLI_OPERAND = -1, CLI_END = -2, CLI_MISTAKE = -3, CLI_HELP = -4 };

void cli_parser_init(cli_parser *parser, const cli_syntax *syntax, int argc, char **argv);
// The next argument: an option's index (with its value, NULL if it was left out), CLI_OPERAND (with
// the operand), CLI_END,
// CLI_HELP (the help was printed), or CLI_MISTAKE (a message was printed).
int cli_parse(cli_parser *parser, char **value);
// All arguments of a verb that works on one model: the operand goes to *model, options to take(),
// which prints a message and returns false for a bad value. CLI_END if all is well and a model is
// named, CLI_HELP or CLI_MISTAKE otherwise.
typedef bool (*cli_take_fn)(void *user, int option, char *value);
int cli_parse_model(const cli_syntax *syntax, int argc, char **argv, const char **model,
                    cli_take_fn take, void *user);
void cli_print_help(const cli_syntax *syntax);

// The word most like `word`, NULL if none is near.
const char *cli_nearest(const char *word, const char *const *words, int count);

#endif
