// Options that change a model file's values: --set and its short forms.
#ifndef PCS_CLI_MODEL_OPTIONS_H
#define PCS_CLI_MODEL_OPTIONS_H

#include "commands.h"
#include "percuss/analysis.h"

typedef struct cli_settings {
    pcs_setting *list; // from malloc
    int32_t count;
} cli_settings;

// Room for as many settings as there are arguments. False, with a message, when memory is out.
bool cli_settings_init(cli_settings *settings, int argc);
void cli_settings_free(cli_settings *settings);
// "key=value"; splits the text in place. False, with a message, if it has another form.
bool cli_settings_add(cli_settings *settings, char *text);
void cli_settings_put(cli_settings *settings, const char *key, const char *value);

// The model file alone. On failure a message was printed.
cli_exit cli_read_model(pcs_context *ctx, const char *path, const cli_settings *settings,
                        pcs_model_file **file);
// Model file, simulation with the file's scheme options, initial state on the joints. On failure a
// message was printed; the parts made so far are in place and must still be destroyed.
cli_exit cli_load(pcs_context *ctx, const char *path, const cli_settings *settings,
                  pcs_model_file **file, pcs_simulation **simulation);
// The same with a static equilibrium as the initial state, but not started.
cli_exit cli_load_equilibrium(pcs_context *ctx, const char *path, const cli_settings *settings,
                              const pcs_static_opts *opts, pcs_static_info *info,
                              pcs_model_file **file, pcs_simulation **simulation);

#endif
