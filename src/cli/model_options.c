#include "model_options.h"

#include <stdlib.h>
#include <string.h>

#include "file_kind.h"
#include "message.h"

bool cli_settings_init(cli_settings *settings, int argc)
{
    settings->count = 0;
    settings->list = calloc((size_t)argc + 1, sizeof *settings->list);
    if (!settings->list)
        cli_message("out of memory");
    return settings->list != NULL;
}

void cli_settings_free(cli_settings *settings)
{
    free(settings->list);
    settings->list = NULL;
}

void cli_settings_put(cli_settings *settings, const char *key, const char *value)
{
    settings->list[settings->count++] = (pcs_setting){key, value};
}

bool cli_settings_add(cli_settings *settings, char *text)
{
    char *equals = strchr(text, '=');
    if (!equals || equals == text) {
        cli_message("--set %s: must have the form key=value, such as --set simulation.step=1e-4",
                    text);
        return false;
    }
    *equals = '\0';
    cli_settings_put(settings, text, equals + 1);
    return true;
}

// A result or a checkpoint in the place of a model is a likely slip.
static bool is_model(const char *path)
{
    cli_file_kind kind = cli_file_find_kind(path);
    if (kind == CLI_FILE_RESULT)
        cli_message("%s: a result, not a model; percuss info %s --model prints the model it holds",
                    path, path);
    else if (kind == CLI_FILE_CHECKPOINT)
        cli_message("%s: a checkpoint, not a model; continue with percuss run MODEL --resume %s",
                    path, path);
    return kind == CLI_FILE_OTHER;
}

static pcs_status make_simulation(pcs_context *ctx, const pcs_model_file *file,
                                  pcs_simulation **simulation)
{
    const pcs_setting *options = NULL;
    pcs_simulation_def def = pcs_model_file_simulation(file);
    pcs_status status = pcs_simulation_create(ctx, pcs_model_file_model(file), &def, simulation);
    int32_t count = status < 0 ? 0 : pcs_model_file_options(file, &options);
    for (int32_t i = 0; i < count && status >= 0; i++)
        status = pcs_simulation_set(*simulation, options[i].key, options[i].text);
    return status;
}

cli_exit cli_read_model(pcs_context *ctx, const char *path, const cli_settings *settings,
                        pcs_model_file **file)
{
    if (!is_model(path))
        return CLI_EXIT_BAD_INPUT;
    pcs_status status = pcs_model_file_read(ctx, path, settings->list, settings->count, file);
    return status < 0 ? cli_input_error(ctx, status) : CLI_EXIT_OK;
}

cli_exit cli_load(pcs_context *ctx, const char *path, const cli_settings *settings,
                  pcs_model_file **file, pcs_simulation **simulation)
{
    cli_exit code = cli_read_model(ctx, path, settings, file);
    if (code != CLI_EXIT_OK)
        return code;
    pcs_status status = make_simulation(ctx, *file, simulation);
    if (status >= 0)
        status = pcs_simulation_start(*simulation);
    if (status < 0)
        return cli_input_error(ctx, pcs_model_file_locate(*file, status));
    return CLI_EXIT_OK;
}

cli_exit cli_load_equilibrium(pcs_context *ctx, const char *path, const cli_settings *settings,
                              const pcs_static_opts *opts, pcs_static_info *info,
                              pcs_model_file **file, pcs_simulation **simulation)
{
    cli_exit code = cli_read_model(ctx, path, settings, file);
    if (code != CLI_EXIT_OK)
        return code;
    pcs_status status = make_simulation(ctx, *file, simulation);
    if (status >= 0)
        status = pcs_simulation_equilibrate(*simulation, opts, info);
    if (status < 0)
        code = cli_input_error(ctx, pcs_model_file_locate(*file, status));
    return status == PCS_ERROR_NUMERIC || status == PCS_ERROR_IO ? CLI_EXIT_FAILED : code;
}
