// percuss report: one page that shows what happened in a run, or in several to compare.
#include <stdio.h>
#include <stdlib.h>

#include "commands.h"
#include "interrupt.h"
#include "message.h"
#include "options.h"
#include "report_page.h"

enum { OPTION_OUT, OPTION_SHORT_OUT, OPTION_COUNT };

static const cli_option options[OPTION_COUNT] = {
    [OPTION_OUT] = {"--out", "FILE",
                    "the page; if not given, the name of the result with .html, or compare.html\n"
                    "for several results, in the current folder"},
    [OPTION_SHORT_OUT] = {"-o", "FILE", "the same"},
};

static const cli_syntax syntax = {
    .usage = "percuss report RESULT... [-o FILE]",
    .text =
        "Writes one html file that shows the motion, the signals, the events and the quality of a\n"
        "run. It needs nothing else: a browser opens it without a network. Several results give\n"
        "a page that compares them.",
    .options = options,
    .n_options = OPTION_COUNT,
    .notes = "exit code: 0; 2 a result cannot be read, or the program was built without the page;\n"
             "3 the page could not be written",
};

static cli_exit write_page(int count, char **paths, const char *out)
{
    char *own = out ? NULL : cli_report_default_path(count, paths[0]);
    const char *target = out ? out : own;
    cli_exit code = CLI_EXIT_FAILED;
    if (!target)
        cli_message("out of memory");
    else
        code = cli_report_write_page((const char *const *)paths, count, target, stdout);
    free(own);
    return code;
}

typedef struct request {
    char **results; // the front of argv, never beyond the argument that was just read
    int count;
    const char *out;
} request;

static bool take_argument(void *user, int option, char *value)
{
    request *wish = user;
    if (option == CLI_OPERAND)
        wish->results[wish->count++] = value;
    else
        wish->out = value;
    return true;
}

cli_exit cli_report(int argc, char **argv)
{
    request wish = {.results = argv};
    const int parsed = cli_parse(&syntax, argc, argv, take_argument, &wish);
    if (parsed != CLI_END)
        return parsed == CLI_HELP ? CLI_EXIT_OK : CLI_EXIT_BAD_INPUT;
    if (wish.count == 0) {
        cli_message("report needs a result: %s", syntax.usage);
        return CLI_EXIT_BAD_INPUT;
    }
    cli_write_signals_ignore();
    return write_page(wish.count, wish.results, wish.out);
}
