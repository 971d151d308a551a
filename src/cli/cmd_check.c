// percuss check: build the model, put the initial state on the joints, say what was found.
#include <stdio.h>

#include "commands.h"
#include "message.h"
#include "model_options.h"
#include "options.h"
#include "run_summary.h"

static const cli_option options[] = {
    {"--set", "KEY=VALUE", "replace a value of the model file; may be repeated"},
};

static const cli_syntax syntax = {
    .usage = "percuss check MODEL [--set KEY=VALUE]...",
    .text = "Reads the model file, builds the model and moves the initial state onto the joints;\n"
            "prints what the model holds, what was moved and how deep contacts start. Nothing is\n"
            "simulated or written.",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .notes =
        "exit code: 0 the model can be run; 2 it cannot, with a message that says where; 3 the\n"
        "report could not be written",
};

static void report(const pcs_model_file *file, const pcs_simulation *simulation, const char *path)
{
    const pcs_model *model = pcs_model_file_model(file);
    const pcs_statistics *statistics = pcs_simulation_statistics(simulation);
    pcs_simulation_def def = pcs_model_file_simulation(file);
    const char *title = pcs_model_file_title(file);
    printf("%s\n", *title ? title : path);
    cli_summary_model(stdout, model, statistics->redundant_rows);
    cli_summary_redundant_rows(stdout, simulation);
    cli_summary_assembly(stdout, model, statistics, true);
    cli_summary_initial_contact(stdout, simulation, def.scheme);
    cli_summary_line(stdout, "simulation", "%s, step %g s, from %g s to %g s", def.scheme, def.step,
                     def.start, def.end);
    printf("The model can be run.\n");
}

static cli_exit check(const char *path, const cli_settings *settings)
{
    pcs_context *ctx = cli_context_create();
    if (!ctx)
        return CLI_EXIT_FAILED;
    pcs_model_file *file = NULL;
    pcs_simulation *simulation = NULL;
    cli_exit code = cli_load(ctx, path, settings, &file, &simulation);
    if (code == CLI_EXIT_OK)
        report(file, simulation, path);
    pcs_simulation_destroy(simulation);
    pcs_model_file_destroy(file);
    pcs_context_destroy(ctx);
    return code;
}

static bool take_setting(void *user, int option, char *value)
{
    (void)option; // there is no other
    return cli_settings_add(user, value);
}

cli_exit cli_check(int argc, char **argv)
{
    cli_settings settings;
    const char *path = NULL;
    if (!cli_settings_init(&settings, argc))
        return CLI_EXIT_FAILED;
    const int parsed = cli_parse_model(&syntax, argc, argv, &path, take_setting, &settings);
    const cli_exit code = parsed == CLI_HELP      ? CLI_EXIT_OK
                          : parsed == CLI_MISTAKE ? CLI_EXIT_BAD_INPUT
                                                  : check(path, &settings);
    cli_settings_free(&settings);
    return code;
}
