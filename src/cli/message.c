#include "message.h"

#include <stdarg.h>
#include <stdio.h>

#include "interrupt.h"
#include "progress.h"

void cli_message(const char *format, ...)
{
    va_list args;
    cli_progress_clear();
    fputs("percuss: ", stderr);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    putc('\n', stderr);
}

static void print_log(void *user, pcs_log_level level, const char *text)
{
    (void)user;
    if (level == PCS_LOG_WARNING)
        cli_message("warning: %s", text);
}

static bool stop(void *user)
{
    (void)user;
    return cli_interrupted();
}

pcs_context *cli_context_create(void)
{
    pcs_context_def def = pcs_context_default();
    def.log = print_log;
    def.stop = stop;
    pcs_context *ctx = pcs_context_create(&def);
    if (!ctx)
        cli_message("out of memory");
    return ctx;
}

cli_exit cli_input_error(const pcs_context *ctx, pcs_status status)
{
    cli_message("%s", pcs_context_error(ctx));
    // Before the first step, whatever cannot be read or built is bad input.
    return status == PCS_ERROR_MEMORY ? CLI_EXIT_FAILED : CLI_EXIT_BAD_INPUT;
}
