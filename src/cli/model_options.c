#include "model_options.h"

#include <stdlib.h>
#include <string.h>

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

pcs_status cli_load(pcs_context *ctx, const char *path, const cli_settings *settings,
                    pcs_model_file **file, pcs_simulation **simulation)
{
    const pcs_setting *options = NULL;
    pcs_status status = pcs_model_file_read(ctx, path, settings->list, settings->count, file);
    if (status < 0)
        return status;
    pcs_simulation_def def = pcs_model_file_simulation(*file);
    status = pcs_simulation_create(ctx, pcs_model_file_model(*file), &def, simulation);
    int32_t count = status < 0 ? 0 : pcs_model_file_options(*file, &options);
    for (int32_t i = 0; i < count && status >= 0; i++)
        status = pcs_simulation_set(*simulation, options[i].key, options[i].text);
    return status;
}
