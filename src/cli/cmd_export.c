// percuss export: a result in the files of other programs.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "commands.h"
#include "interrupt.h"
#include "message.h"
#include "number_options.h"
#include "options.h"

enum {
    OPTION_VTK,
    OPTION_FROM,
    OPTION_TO,
    OPTION_EVERY,
    OPTION_SEGMENTS,
    OPTION_QUIET,
    OPTION_COUNT
};

static const cli_option options[OPTION_COUNT] = {
    [OPTION_VTK] =
        {"--vtk", "FOLDER",
         "ParaView files: bodies.pvd, contacts.pvd, lines.pvd (joints, springs) and\n"
         "meshes.pvd, with the frames below frames/; the folder is made if it is missing"},
    [OPTION_FROM] = {"--from", "SECONDS", "first time"},
    [OPTION_TO] = {"--to", "SECONDS", "last time"},
    [OPTION_EVERY] = {"--every", "N", "every N-th stored frame"},
    [OPTION_SEGMENTS] = {"--segments", "N", "corners around a round shape; 24 if not given"},
    [OPTION_QUIET] = {"--quiet", NULL, "print nothing"},
};

static const cli_syntax syntax = {
    .usage = "percuss export RESULT --vtk FOLDER [OPTION]...",
    .text = "Writes the stored frames of a result as files for ParaView and VTK: the shapes of\n"
            "the bodies with their velocities, the contact points with force, impulse, impacts,\n"
            "gap and state, joints and springs as lines, and the deformed meshes.",
    .options = options,
    .n_options = OPTION_COUNT,
    .notes = "exit code: 0; 2 mistake in an option or the result; 3 the files could not be\n"
             "written; 130 interrupted, no collection was written",
};

typedef struct request {
    const char *path, *folder;
    pcs_vtk_opts vtk;
    bool quiet;
    int64_t frames; // written
} request;

static bool take_argument(void *user, int option, char *value)
{
    request *wish = user;
    switch (option) {
    case CLI_OPERAND:
        if (wish->path)
            cli_message("one result at a time: '%s' or '%s'", wish->path, value);
        else
            wish->path = value;
        return wish->path == value;
    case OPTION_VTK:
        wish->folder = value;
        return true;
    case OPTION_FROM:
        return cli_read_time("--from", value, &wish->vtk.from);
    case OPTION_TO:
        return cli_read_time("--to", value, &wish->vtk.to);
    case OPTION_EVERY:
        return cli_read_integer("--every", value, 1, &wish->vtk.every);
    case OPTION_SEGMENTS:
        return cli_read_integer("--segments", value, 3, &wish->vtk.segments);
    default:
        wish->quiet = true;
        return true;
    }
}

static bool count_frame(void *user, int64_t done, int64_t total)
{
    request *wish = user;
    (void)total;
    wish->frames = done;
    return !cli_interrupted();
}

static cli_exit write_files(request *wish, pcs_context *ctx)
{
    pcs_result *result = NULL;
    pcs_status status = pcs_result_open(ctx, wish->path, &result);
    if (status < 0)
        return cli_input_error(ctx, status);
    wish->vtk.progress = count_frame;
    wish->vtk.progress_user = wish;
    cli_interrupt_install();
    status = pcs_export_vtk(ctx, result, wish->folder, &wish->vtk);
    pcs_result_destroy(result);
    if (status == PCS_ERROR_IO) {
        cli_message("%s", pcs_context_error(ctx));
        return CLI_EXIT_FAILED;
    }
    if (status < 0)
        return cli_input_error(ctx, status);
    if (status == PCS_INTERRUPTED) {
        cli_message("interrupted after %lld frames; no collection was written",
                    (long long)wish->frames);
        return CLI_EXIT_INTERRUPTED;
    }
    if (!wish->quiet)
        printf("%lld frames in %s; open its .pvd files in ParaView\n", (long long)wish->frames,
               wish->folder);
    return CLI_EXIT_OK;
}

cli_exit cli_export(int argc, char **argv)
{
    request wish = {.vtk = pcs_vtk_default()};
    const int parsed = cli_parse(&syntax, argc, argv, take_argument, &wish);
    if (parsed != CLI_END)
        return parsed == CLI_HELP ? CLI_EXIT_OK : CLI_EXIT_BAD_INPUT;
    if (!wish.path || !wish.folder) {
        cli_message("export needs %s: %s", wish.path ? "a format and a folder" : "a result",
                    syntax.usage);
        return CLI_EXIT_BAD_INPUT;
    }
    pcs_context *ctx = cli_context_create();
    if (!ctx)
        return CLI_EXIT_FAILED;
    cli_exit code = write_files(&wish, ctx);
    pcs_context_destroy(ctx);
    return code;
}
