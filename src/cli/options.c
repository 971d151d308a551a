#include "options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"

enum { WORD_MAX = 40 };

// ---- Suggestions ----

static int smallest(int a, int b, int c)
{
    int least = a < b ? a : b;
    return least < c ? least : c;
}

// Number of insertions, deletions and replacements that turn a into b, row by row.
static int edit_distance(const char *a, const char *b)
{
    int row[WORD_MAX + 1];
    int n = (int)strlen(a), m = (int)strlen(b);
    if (n > WORD_MAX || m > WORD_MAX)
        return WORD_MAX;
    for (int j = 0; j <= m; j++)
        row[j] = j;
    for (int i = 1; i <= n; i++) {
        int diagonal = row[0];
        row[0] = i;
        for (int j = 1; j <= m; j++) {
            int above = row[j];
            row[j] = smallest(above + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1]));
            diagonal = above;
        }
    }
    return row[m];
}

const char *cli_nearest(const char *word, const char *const *words, int count)
{
    const char *best = NULL;
    int best_distance = WORD_MAX;
    for (int k = 0; k < count; k++) {
        int distance = edit_distance(word, words[k]);
        // One slip in three characters, or a beginning of the word, is a typing error.
        bool near = 3 * distance <= (int)strlen(words[k]);
        bool starts = strlen(word) >= 2 && strncmp(word, words[k], strlen(word)) == 0;
        if ((near || starts) && distance < best_distance) {
            best = words[k];
            best_distance = distance;
        }
    }
    return best;
}

// ---- Help ----

// True for an option that is right with and without a value, which then needs the "=".
static bool may_lack(const cli_option *option)
{
    return option->value && option->value[0] == '[';
}

static void print_option(const cli_option *option)
{
    enum { COLUMN = 28 };
    int width = printf("  %s%s%s", option->name, option->value && !may_lack(option) ? " " : "",
                       option->value ? option->value : "");
    if (width >= COLUMN) {
        putchar('\n');
        width = 0;
    }
    for (const char *line = option->help; line;) {
        int length = (int)strcspn(line, "\n");
        printf("%*s%.*s\n", COLUMN - width, "", length, line);
        line = line[length] == '\n' ? line + length + 1 : NULL;
        width = 0;
    }
}

static void print_help(const cli_syntax *syntax)
{
    static const cli_option help = {"--help", NULL, "this text"};
    printf("usage: %s\n\n%s\n\noptions:\n", syntax->usage, syntax->text);
    for (int k = 0; k < syntax->n_options; k++)
        print_option(&syntax->options[k]);
    print_option(&help);
    if (syntax->notes)
        printf("\n%s\n", syntax->notes);
}

// ---- Parsing ----

typedef struct arguments {
    const cli_syntax *syntax;
    int argc, next;
    char **argv;
    bool operands_only; // after "--"
} arguments;

static int unknown_option(const cli_syntax *syntax, const char *name)
{
    const char *names[64] = {"--help"};
    int count = 1;
    for (int k = 0; k < syntax->n_options && count < 64; k++)
        names[count++] = syntax->options[k].name;
    const char *nearest = cli_nearest(name, names, count);
    if (nearest)
        cli_message("unknown option '%s'; did you mean '%s'?", name, nearest);
    else
        cli_message("unknown option '%s'; see --help", name);
    return CLI_MISTAKE;
}

static bool may_be_empty(const cli_syntax *syntax, const cli_option *option)
{
    return syntax->may_be_empty && strcmp(syntax->may_be_empty, option->name) == 0;
}

static int empty_value(const cli_option *option)
{
    cli_message("option '%s' has an empty value", option->name);
    return CLI_MISTAKE;
}

// The next argument: the index of an option or one of CLI_OPERAND, CLI_END, CLI_HELP, CLI_MISTAKE.
static int next_argument(arguments *from, char **value)
{
    if (from->next >= from->argc)
        return CLI_END;
    char *argument = from->argv[from->next++];
    *value = argument;
    if (argument[0] == '\0') {
        cli_message("an argument is empty: %s", from->syntax->usage);
        return CLI_MISTAKE;
    }
    if (from->operands_only || argument[0] != '-' || argument[1] == '\0')
        return CLI_OPERAND;
    if (strcmp(argument, "--") == 0) {
        from->operands_only = true;
        return next_argument(from, value);
    }
    if (strcmp(argument, "--help") == 0 || strcmp(argument, "-h") == 0) {
        print_help(from->syntax);
        return CLI_HELP;
    }
    size_t length = strcspn(argument, "=");
    bool attached = argument[length] == '='; // --name=value
    argument[length] = '\0';
    const cli_syntax *syntax = from->syntax;
    int k = 0;
    while (k < syntax->n_options && strcmp(syntax->options[k].name, argument) != 0)
        k++;
    if (k == syntax->n_options)
        return unknown_option(syntax, argument);
    const cli_option *option = &syntax->options[k];
    if (!option->value && attached) {
        cli_message("option '%s' takes no value", option->name);
        return CLI_MISTAKE;
    }
    if (!option->value)
        return k;
    if (may_lack(option) && !attached) {
        *value = NULL;
        return k;
    }
    if (!attached && from->next >= from->argc) {
        cli_message("option '%s' needs a value: %s %s", option->name, option->name, option->value);
        return CLI_MISTAKE;
    }
    *value = attached ? argument + length + 1 : from->argv[from->next++];
    return **value || may_be_empty(syntax, option) ? k : empty_value(option);
}

int cli_parse(const cli_syntax *syntax, int argc, char **argv, cli_take_fn take, void *user)
{
    arguments all = {.syntax = syntax, .argc = argc, .argv = argv, .next = 1};
    char *value = NULL;
    int option;
    while ((option = next_argument(&all, &value)) != CLI_END) {
        if (option == CLI_HELP || option == CLI_MISTAKE)
            return option;
        if (!take(user, option, value))
            return CLI_MISTAKE;
    }
    return CLI_END;
}

typedef struct model_request {
    const char **model;
    cli_take_fn take;
    void *user;
} model_request;

static bool take_model(void *user, int option, char *value)
{
    const model_request *request = user;
    if (option != CLI_OPERAND)
        return request->take(request->user, option, value);
    if (*request->model) {
        cli_message("one model file at a time: '%s' or '%s'", *request->model, value);
        return false;
    }
    *request->model = value;
    return true;
}

int cli_parse_model(const cli_syntax *syntax, int argc, char **argv, const char **model,
                    cli_take_fn take, void *user)
{
    model_request request = {model, take, user};
    const int parsed = cli_parse(syntax, argc, argv, take_model, &request);
    if (parsed != CLI_END || *model)
        return parsed;
    const char *verb = strchr(syntax->usage, ' ') + 1; // usage is "percuss VERB ..."
    cli_message("%.*s needs a model file: %s", (int)strcspn(verb, " "), verb, syntax->usage);
    return CLI_MISTAKE;
}
