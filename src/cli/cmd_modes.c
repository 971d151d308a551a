// percuss modes: lowest frequencies and mode shapes of a model.
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "model_options.h"
#include "number_options.h"
#include "options.h"
#include "run_summary.h"

enum {
    OPTION_SET,
    OPTION_MODES,
    OPTION_AT,
    OPTION_CONTACTS,
    OPTION_METHOD,
    OPTION_OUT,
    OPTION_AMPLITUDE,
    OPTION_CSV,
    OPTION_COUNT
};

static const cli_option options[OPTION_COUNT] = {
    [OPTION_SET] = {"--set", "KEY=VALUE", "replace a value of the model file; may be repeated"},
    [OPTION_MODES] = {"--count", "N", "number of modes, 10 if not given"},
    [OPTION_AT] = {"--at", "STATE",
                   "about which state: start (of the model, the default) or equilibrium (the one\n"
                   "that percuss static finds)"},
    [OPTION_CONTACTS] = {"--contacts", "open|closed",
                         "contacts that touch are open (the default) or closed: held along their\n"
                         "normals and free to slide"},
    [OPTION_METHOD] = {"--method", "NAME",
                       "auto, dense (LAPACK) or sparse (ARPACK); auto takes sparse beyond 600\n"
                       "velocities"},
    [OPTION_OUT] = {"--out", "FILE",
                    "result file that shows the shapes: one period of mode K from time K to K+1"},
    [OPTION_AMPLITUDE] =
        {"--amplitude", "X",
         "largest component of a shown shape, m or rad; a twentieth of the model's\n"
         "size if not given"},
    [OPTION_CSV] = {"--csv", "FILE", "write the shapes, x^T M x = 1, as a table"},
};

static const cli_syntax syntax = {
    .usage = "percuss modes MODEL [OPTION]...",
    .text =
        "Finds the lowest modes of small vibrations about a state of the model at rest, on the\n"
        "motions that its joints allow. Dampers and friction do not count.",
    .options = options,
    .n_options = OPTION_COUNT,
    .notes = "exit code: 0 found; 2 mistake in the model or an option; 3 the modes could not be\n"
             "found, or the output could not be written",
};

enum { FRAMES_OF_PERIOD = 24 };

typedef struct analysis {
    const char *model, *out, *csv;
    bool at_equilibrium;
    double amplitude; // 0: not given
    cli_settings settings;
    pcs_modes_opts opts;
    pcs_context *ctx;
    pcs_model_file *file;
    pcs_simulation *simulation;
    pcs_modes *modes;
} analysis;

// ---- Output ----

static void print_note(const analysis *a, const pcs_modes_info *info)
{
    const double tilted = 1e-6, moving = 1e-6;
    if (info->imbalance > moving)
        cli_summary_line(stdout, "note",
                         "this state is not at rest (accelerations up to %.3g); --at equilibrium "
                         "takes one that is",
                         info->imbalance);
    if (info->asymmetry > tilted)
        cli_summary_line(
            stdout, "note",
            "the stiffness is not symmetric (%.2g of its largest entry); its symmetric "
            "part was taken",
            info->asymmetry);
    if (pcs_model_contact_count(pcs_model_file_model(a->file)) > 0 && !a->opts.closed_contacts)
        cli_summary_line(stdout, "note",
                         "contacts are open; --contacts closed holds those that touch");
    if (info->count == info->rigid)
        cli_summary_line(stdout, "note",
                         "all modes shown are rigid: nothing elastic resists these motions");
}

static void print_table(const analysis *a, const pcs_modes_info *info)
{
    printf("\n  %4s %14s %14s  %-9s %9s   %s\n", "mode", "frequency, Hz", "period, s", "kind",
           "residual", "effective mass, %: x, y, z");
    for (int32_t i = 0; i < info->count; i++) {
        const pcs_mode mode = pcs_modes_get(a->modes, i);
        char period[32] = "-";
        if (mode.kind == PCS_MODE_FLEXIBLE)
            snprintf(period, sizeof period, "%.6g", 1 / mode.frequency);
        printf("  %4d %14.6g %14s  %-9s %9.1e   %6.2f %6.2f %6.2f", (int)i + 1, mode.frequency,
               period, pcs_mode_kind_name(mode.kind), mode.residual, 100 * mode.effective_mass[0],
               100 * mode.effective_mass[1], 100 * mode.effective_mass[2]);
        if (mode.kind == PCS_MODE_UNSTABLE)
            printf("  grows as exp(%.4g t)", sqrt(-mode.square));
        putchar('\n');
    }
}

static void report(const analysis *a)
{
    const pcs_modes_info info = pcs_modes_get_info(a->modes);
    const char *title = pcs_model_file_title(a->file);
    printf("%s\n", *title ? title : a->model);
    cli_summary_line(stdout, "state", "%s", a->at_equilibrium ? "static equilibrium" : "start");
    cli_summary_line(stdout, "degrees of freedom", "%d%s", (int)info.freedoms,
                     info.sparse ? ", Lanczos" : "");
    if (a->opts.closed_contacts)
        cli_summary_line(stdout, "closed contacts", "%d, held along their normals",
                         (int)info.closed);
    cli_summary_line(stdout, "rigid modes", "%d of the %d found", (int)info.rigid, (int)info.count);
    cli_summary_line(stdout, "orthogonality", "%.1e", info.orthogonality);
    print_note(a, &info);
    print_table(a, &info);
}

// One period of each mode.
static pcs_status write_frames(const analysis *a)
{
    const pcs_modes_info info = pcs_modes_get_info(a->modes);
    const double pi = 3.14159265358979323846;
    const double amplitude = a->amplitude > 0 ? a->amplitude : 0.05 * info.size;
    pcs_result_def def = pcs_result_default();
    pcs_result_writer *writer = NULL;
    def.path = a->out;
    def.title = pcs_model_file_title(a->file);
    def.model_text = pcs_model_file_text(a->file);
    def.command = "percuss modes";
    pcs_status status = pcs_result_create(a->ctx, a->simulation, &def, &writer);
    for (int32_t i = 0; i < info.count && status >= 0; i++)
        for (int32_t k = 0; k < FRAMES_OF_PERIOD && status >= 0; k++) {
            const double phase = (double)k / FRAMES_OF_PERIOD;
            pcs_modes_show(a->modes, i, amplitude * sin(2 * pi * phase), i + 1 + phase);
            status = pcs_result_append(writer, a->simulation);
        }
    if (status < 0) {
        pcs_result_abandon(writer);
        return status;
    }
    return pcs_result_close(writer, a->simulation, true);
}

static void write_table(const analysis *a, FILE *file)
{
    const pcs_modes_info info = pcs_modes_get_info(a->modes);
    fprintf(file, "component");
    for (int32_t i = 0; i < info.count; i++)
        fprintf(file, ",mode %d (%.9g Hz)", (int)i + 1, pcs_modes_get(a->modes, i).frequency);
    putc('\n', file);
    char name[256];
    for (int32_t k = 0; pcs_modes_component(a->modes, k, name, sizeof name); k++) {
        fprintf(file, "%s", name);
        for (int32_t i = 0; i < info.count; i++)
            fprintf(file, ",%.17g", pcs_modes_get(a->modes, i).shape[k]);
        putc('\n', file);
    }
}

static bool write_csv(const analysis *a)
{
    pcs_output_file *file;
    pcs_status status = pcs_output_file_create(a->ctx, a->csv, "the shapes", &file);
    if (status >= 0) {
        write_table(a, pcs_output_file_stream(file));
        status = pcs_output_file_commit(file);
    }
    if (status < 0)
        cli_message("%s", pcs_context_error(a->ctx));
    return status >= 0;
}

// ---- Command line ----

// Index of `value` among `words`, or -1 with a message.
static int read_choice(const char *option, const char *value, const char *const *words, int count)
{
    for (int i = 0; i < count; i++)
        if (strcmp(value, words[i]) == 0)
            return i;
    cli_message("%s %s: must be %s or %s", option, value, words[0], words[count - 1]);
    return -1;
}

static bool take_option(void *user, int option, char *value)
{
    analysis *a = user;
    static const char *const states[] = {"start", "equilibrium"};
    static const char *const contacts[] = {"open", "closed"};
    static const char *const methods[] = {"auto", "dense", "sparse"};
    int choice = 0;
    switch (option) {
    case OPTION_SET:
        return cli_settings_add(&a->settings, value);
    case OPTION_MODES:
        return cli_read_integer("--count", value, 1, &a->opts.count);
    case OPTION_AMPLITUDE:
        return cli_read_positive("--amplitude", value, &a->amplitude);
    case OPTION_AT:
        choice = read_choice("--at", value, states, 2);
        a->at_equilibrium = choice == 1;
        return choice >= 0;
    case OPTION_CONTACTS:
        choice = read_choice("--contacts", value, contacts, 2);
        a->opts.closed_contacts = choice == 1;
        return choice >= 0;
    case OPTION_METHOD:
        choice = read_choice("--method", value, methods, 3);
        a->opts.method = choice == 1   ? PCS_MODES_DENSE
                         : choice == 2 ? PCS_MODES_SPARSE
                                       : PCS_MODES_AUTO;
        return choice >= 0;
    case OPTION_OUT:
        a->out = value;
        return true;
    default:
        a->csv = value;
        return true;
    }
}

static int parse(analysis *a, int argc, char **argv)
{
    const int parsed = cli_parse_model(&syntax, argc, argv, &a->model, take_option, a);
    if (parsed != CLI_END || a->amplitude <= 0 || a->out)
        return parsed;
    cli_message("--amplitude needs --out FILE");
    return CLI_MISTAKE;
}

static cli_exit load(analysis *a)
{
    if (!a->at_equilibrium)
        return cli_load(a->ctx, a->model, &a->settings, &a->file, &a->simulation);
    const pcs_static_opts opts = pcs_static_default();
    pcs_static_info info;
    return cli_load_equilibrium(a->ctx, a->model, &a->settings, &opts, &info, &a->file,
                                &a->simulation);
}

static cli_exit execute(analysis *a)
{
    cli_exit code = load(a);
    if (code != CLI_EXIT_OK)
        return code;
    pcs_status status = pcs_modes_create(a->simulation, &a->opts, &a->modes);
    if (status < 0)
        return cli_input_error(a->ctx, pcs_model_file_locate(a->file, status));
    report(a);
    if (a->out && write_frames(a) < 0) {
        cli_message("%s", pcs_context_error(a->ctx));
        return CLI_EXIT_FAILED;
    }
    if (a->out)
        printf("\n  The shapes are in %s: mode K from time K to K+1.\n", a->out);
    return a->csv && !write_csv(a) ? CLI_EXIT_FAILED : CLI_EXIT_OK;
}

cli_exit cli_modes(int argc, char **argv)
{
    analysis a = {.opts = pcs_modes_default(), .ctx = cli_context_create()};
    cli_exit code = CLI_EXIT_FAILED;
    if (a.ctx && cli_settings_init(&a.settings, argc)) {
        int parsed = parse(&a, argc, argv);
        code = parsed == CLI_HELP      ? CLI_EXIT_OK
               : parsed == CLI_MISTAKE ? CLI_EXIT_BAD_INPUT
                                       : execute(&a);
    }
    pcs_modes_destroy(a.modes);
    pcs_simulation_destroy(a.simulation);
    pcs_model_file_destroy(a.file);
    pcs_context_destroy(a.ctx);
    cli_settings_free(&a.settings);
    return code;
}
