// percuss info: what is in a file, be it a model, a result or a checkpoint.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "file_kind.h"
#include "listing_json.h"
#include "message.h"
#include "options.h"
#include "run_summary.h"

enum { OPTION_SIGNALS, OPTION_MODEL, OPTION_DRAWINGS, OPTION_COUNT };

static const cli_option options[OPTION_COUNT] = {
    [OPTION_SIGNALS] = {"--signals", NULL, "list the paths of all signals, one on a line"},
    [OPTION_MODEL] = {"--model", NULL,
                      "print the model file with all includes and settings resolved"},
    [OPTION_DRAWINGS] = {"--drawings", NULL,
                         "what a picture of the model file shows, as JSON: shapes, joints,\n"
                         "springs, contacts, each in the frames of its bodies"},
};

static const cli_syntax syntax = {
    .usage = "percuss info FILE [--signals | --model | --drawings]",
    .text = "Says what is in a model file, a result or a checkpoint; which of them it is, is seen\n"
            "from the content. A result that is still being written can be looked at, too.",
    .options = options,
    .n_options = OPTION_COUNT,
    .notes = "exit code: 0; 2 the file cannot be read; 3 the report could not be written",
};

typedef struct request {
    const char *path;
    bool signals, model, drawings;
} request;

// ---- Results ----

// What the report needs of the frames.
typedef struct history {
    double first, last; // times
    pcs_energy_scale energy;
} history;

static pcs_status read_energies(pcs_result *result, double *kinetic, double *potential, history *h)
{
    const int64_t frames = pcs_result_frames(result);
    pcs_status status = pcs_result_signal(result, "time", kinetic);
    if (status >= 0 && frames > 0) {
        h->first = kinetic[0];
        h->last = kinetic[frames - 1];
    }
    if (status >= 0)
        status = pcs_result_signal(result, "energy.kinetic", kinetic);
    if (status >= 0)
        status = pcs_result_signal(result, "energy.potential", potential);
    for (int64_t i = 0; status >= 0 && i < frames; i++)
        pcs_energy_scale_update(&h->energy, kinetic[i], potential[i]);
    return status;
}

static cli_exit read_history(pcs_context *ctx, pcs_result *result, history *h)
{
    const size_t frames = (size_t)pcs_result_frames(result);
    double *kinetic = malloc((frames + 1) * sizeof *kinetic);
    double *potential = malloc((frames + 1) * sizeof *potential);
    cli_exit code = CLI_EXIT_FAILED;
    if (kinetic && potential) {
        const pcs_status status = read_energies(result, kinetic, potential, h);
        code = status < 0 ? cli_input_error(ctx, status) : CLI_EXIT_OK;
    } else {
        cli_message("out of memory");
    }
    free(potential);
    free(kinetic);
    return code;
}

static void report_meshes(pcs_result *result)
{
    pcs_result_mesh_view mesh;
    for (int32_t i = 0; (mesh = pcs_result_mesh(result, i)).name; i++) {
        int32_t elements = 0;
        for (int32_t p = 0; p < mesh.n_parts; p++)
            elements += pcs_result_mesh_part(result, i, p, NULL).n_elements;
        cli_summary_line(stdout, i == 0 ? "meshes" : "", "%s: %d nodes, %d elements, %.4g kg",
                         mesh.name, (int)mesh.n_nodes, (int)elements, mesh.mass);
    }
}

static const char *name_contact(const void *result, int32_t slot)
{
    return pcs_result_contact_name(result, slot);
}

static const char *name_body(const void *result, int32_t body)
{
    return pcs_result_body_name(result, body);
}

static void report_result(pcs_result *result, const char *path, const history *h)
{
    const long long frames = pcs_result_frames(result);
    const pcs_statistics *statistics = pcs_result_statistics(result);
    const char *title = pcs_result_title(result);
    int32_t signals = 0;
    char text[256];
    while (pcs_result_signal_path(result, signals, text, sizeof text))
        signals++;
    printf("%s\n", *title ? title : path);
    cli_summary_line(stdout, "kind", "result, %s",
                     pcs_result_is_complete(result)
                         ? "complete"
                         : "incomplete (interrupted, failed or running)");
    if (frames > 0)
        cli_summary_line(stdout, "frames", "%lld, from %g s to %g s", frames, h->first, h->last);
    else
        cli_summary_line(stdout, "frames", "0");
    if (pcs_result_event_count(result) > 0)
        cli_summary_line(stdout, "events", "%lld", (long long)pcs_result_event_count(result));
    report_meshes(result);
    cli_summary_line(stdout, "signals", "%d (list them with --signals)", (int)signals);
    if (pcs_result_mesh_count(result) > 0)
        cli_summary_line(
            stdout, "", "and single ones: mesh.NAME.node.0.position.x, mesh.NAME.element.0.RESULT");
    if (*pcs_result_warning(result))
        cli_summary_warning(stdout, pcs_result_warning(result));
    if (!pcs_result_has_summary(result))
        return;
    pcs_run_facts facts = {.statistics = statistics,
                           .energy = h->energy,
                           .contacts = pcs_result_contact_count(result),
                           .joints = pcs_result_joint_count(result) +
                                     pcs_result_constraint_count(result),
                           .contact_name = name_contact,
                           .body_name = name_body,
                           .owner = result};
    cli_summary_statistics(stdout, statistics);
    cli_summary_forces(stdout, &facts);
    cli_summary_energy(stdout, statistics, &h->energy);
    cli_summary_verdict(stdout, &facts, pcs_result_is_complete(result) ? NULL : "is cut off");
}

static cli_exit inspect_result(pcs_context *ctx, const request *wish)
{
    pcs_result *result = NULL;
    pcs_status status = pcs_result_open(ctx, wish->path, &result);
    if (status < 0)
        return cli_input_error(ctx, status);
    char text[256];
    history h = {0};
    cli_exit code = CLI_EXIT_OK;
    if (wish->model)
        fputs(pcs_result_model_text(result), stdout);
    else if (wish->signals)
        for (int32_t i = 0; pcs_result_signal_path(result, i, text, sizeof text); i++)
            puts(text);
    else if ((code = read_history(ctx, result, &h)) == CLI_EXIT_OK)
        report_result(result, wish->path, &h);
    pcs_result_destroy(result);
    return code;
}

// ---- Models and checkpoints ----

static void report_model_file(const pcs_model_file *file, const char *path)
{
    pcs_simulation_def def = pcs_model_file_simulation(file);
    double interval = pcs_model_file_output_step(file);
    const char *title = pcs_model_file_title(file);
    printf("%s\n", *title ? title : path);
    cli_summary_line(stdout, "kind", "model");
    cli_summary_model(stdout, pcs_model_file_model(file), -1);
    cli_summary_line(stdout, "simulation", "%s, step %g s, from %g s to %g s", def.scheme, def.step,
                     def.start, def.end);
    if (interval > 0)
        cli_summary_line(stdout, "frames", "every %g s", interval);
    else
        cli_summary_line(stdout, "frames", "every step");
    const char *const *signals = NULL;
    int32_t count = pcs_model_file_signals(file, &signals);
    for (int32_t i = 0; i < count; i++)
        cli_summary_line(stdout, i == 0 ? "signals" : "", "%s", signals[i]);
}

static cli_exit inspect_model(pcs_context *ctx, const request *wish)
{
    pcs_model_file *file = NULL;
    pcs_status status = pcs_model_file_read(ctx, wish->path, NULL, 0, &file);
    if (status < 0)
        return cli_input_error(ctx, status);
    char text[256];
    cli_exit code = CLI_EXIT_OK;
    if (wish->drawings) {
        status = cli_drawings_json(pcs_model_file_model(file));
        code = status < 0 ? cli_input_error(ctx, status) : CLI_EXIT_OK;
    } else if (wish->model)
        fputs(pcs_model_file_text(file), stdout);
    else if (wish->signals)
        for (int32_t i = 0; pcs_model_signal_path(pcs_model_file_model(file), i, text, sizeof text);
             i++)
            puts(text);
    else
        report_model_file(file, wish->path);
    pcs_model_file_destroy(file);
    return code;
}

static cli_exit inspect_checkpoint(pcs_context *ctx, const request *wish)
{
    pcs_status status = pcs_checkpoint_check(ctx, wish->path);
    if (status < 0)
        return cli_input_error(ctx, status);
    printf("%s\n", wish->path);
    cli_summary_line(stdout, "kind", "checkpoint; continue with percuss run MODEL --resume %s",
                     wish->path);
    return CLI_EXIT_OK;
}

static cli_exit inspect(const request *wish)
{
    cli_file_kind kind = cli_file_find_kind(wish->path);
    if (kind == CLI_FILE_CHECKPOINT && (wish->signals || wish->model || wish->drawings)) {
        cli_message("%s: a checkpoint holds the state alone; ask the model file", wish->path);
        return CLI_EXIT_BAD_INPUT;
    }
    if (kind == CLI_FILE_RESULT && wish->drawings) {
        cli_message("%s: --drawings is for model files; percuss info %s --model prints that of the "
                    "result",
                    wish->path, wish->path);
        return CLI_EXIT_BAD_INPUT;
    }
    pcs_context *ctx = cli_context_create();
    if (!ctx)
        return CLI_EXIT_FAILED;
    cli_exit code = kind == CLI_FILE_RESULT       ? inspect_result(ctx, wish)
                    : kind == CLI_FILE_CHECKPOINT ? inspect_checkpoint(ctx, wish)
                                                  : inspect_model(ctx, wish);
    pcs_context_destroy(ctx);
    return code;
}

static bool take_argument(void *user, int option, char *value)
{
    request *wish = user;
    if (option == CLI_OPERAND && wish->path) {
        cli_message("one file at a time: '%s' or '%s'", wish->path, value);
        return false;
    }
    if (option == CLI_OPERAND)
        wish->path = value;
    wish->signals = wish->signals || option == OPTION_SIGNALS;
    wish->model = wish->model || option == OPTION_MODEL;
    wish->drawings = wish->drawings || option == OPTION_DRAWINGS;
    return true;
}

cli_exit cli_info(int argc, char **argv)
{
    request wish = {0};
    const int parsed = cli_parse(&syntax, argc, argv, take_argument, &wish);
    if (parsed != CLI_END)
        return parsed == CLI_HELP ? CLI_EXIT_OK : CLI_EXIT_BAD_INPUT;
    if (wish.signals + wish.model + wish.drawings > 1) {
        cli_message("--signals, --model or --drawings, one at a time");
        return CLI_EXIT_BAD_INPUT;
    }
    if (wish.path)
        return inspect(&wish);
    cli_message("info needs a file: %s", syntax.usage);
    return CLI_EXIT_BAD_INPUT;
}
