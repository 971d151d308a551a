// percuss static: the equilibrium of a model under its loads.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "model_options.h"
#include "number_options.h"
#include "options.h"
#include "run_summary.h"

enum { OPTION_SET, OPTION_STEPS, OPTION_TOLERANCE, OPTION_OUT, OPTION_ALL, OPTION_COUNT };

static const cli_option options[OPTION_COUNT] = {
    [OPTION_SET] = {"--set", "KEY=VALUE", "replace a value of the model file; may be repeated"},
    [OPTION_STEPS] = {"--steps", "N", "load steps, 10 if not given; those that fail are halved"},
    [OPTION_TOLERANCE] = {"--tolerance", "X",
                          "largest imbalance, relative to the forces; 1e-10 if not given"},
    [OPTION_OUT] = {"--out", "FILE",
                    "result file with a frame for each load step; its time is the part of the\n"
                    "load, from 0 to 1"},
    [OPTION_ALL] = {"--all", NULL, "tables of all bodies, joints and contacts, however long"},
};

static const cli_syntax syntax = {
    .usage = "percuss static MODEL [OPTION]...",
    .text = "Finds the equilibrium of the model at its start time. Weights, forces, actuators and\n"
            "loads grow from zero by steps; contacts carry normal forces and have no friction.\n"
            "Prints displacements, joint and contact forces.",
    .options = options,
    .n_options = OPTION_COUNT,
    .notes = "percuss run MODEL --start static begins a run there; percuss modes MODEL --at\n"
             "equilibrium finds the vibrations about it\n\n"
             "exit code: 0 found; 2 mistake in the model or an option, also if something moves\n"
             "without resistance; 3 no equilibrium was found, or the output could not be written",
};

enum { ROWS_SHOWN = 30 };

typedef struct analysis {
    const char *model, *out;
    bool all;
    cli_settings settings;
    pcs_static_opts opts;
    pcs_static_info info;
    pcs_context *ctx;
    pcs_model_file *file;
    pcs_simulation *simulation;
    pcs_result_writer *writer;
    pcs_body_view *start; // bodies at load 0
    int64_t frames;
} analysis;

// ---- The analysis ----

static pcs_status open_result(analysis *a, const pcs_simulation *simulation)
{
    pcs_result_def def = pcs_result_default();
    def.path = a->out;
    def.title = pcs_model_file_title(a->file);
    def.model_text = pcs_model_file_text(a->file);
    def.command = "percuss static";
    return pcs_result_create(a->ctx, simulation, &def, &a->writer);
}

// Called for each load step; the first call is the start.
static pcs_status take_step(void *user, const pcs_simulation *simulation, double load)
{
    analysis *a = user;
    const int32_t count = pcs_model_body_count(pcs_simulation_model(simulation));
    pcs_status status = PCS_OK;
    if (load == 0) {
        a->start = calloc((size_t)count + 1, sizeof *a->start);
        for (int32_t i = 0; i < count && a->start; i++)
            pcs_simulation_body(simulation, i, &a->start[i]);
        status = a->out ? open_result(a, simulation) : PCS_OK;
    }
    if (status >= 0 && a->writer) {
        status = pcs_result_append(a->writer, simulation);
        a->frames++;
    }
    return status;
}

// ---- Report ----

static int32_t rows_shown(const analysis *a, int32_t count)
{
    return a->all || count <= ROWS_SHOWN ? count : ROWS_SHOWN;
}

static void say_rest(const analysis *a, int32_t count)
{
    if (rows_shown(a, count) < count)
        printf("  ... and %d more (--all)\n", (int)(count - rows_shown(a, count)));
}

// Angle of the rotation from one orientation to another, rad
static double turn_between(pcs_quat a, pcs_quat b)
{
    const double w = fabs(a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z);
    const double x = a.w * b.x - a.x * b.w - a.y * b.z + a.z * b.y;
    const double y = a.w * b.y - a.y * b.w - a.z * b.x + a.x * b.z;
    const double z = a.w * b.z - a.z * b.w - a.x * b.y + a.y * b.x;
    return 2 * atan2(sqrt(x * x + y * y + z * z), w);
}

static void print_bodies(const analysis *a, const pcs_model *model)
{
    const int32_t count = pcs_model_body_count(model);
    const bool flat = pcs_model_dimension(model) == 2;
    if (count == 0 || !a->start)
        return;
    printf("\n  %-24s %13s %13s %13s %13s\n", "displacement, m, rad", "x", "y", flat ? "" : "z",
           flat ? "angle" : "turned by");
    for (int32_t i = 0; i < rows_shown(a, count); i++) {
        pcs_body_view now;
        const pcs_body_view *then = &a->start[i];
        pcs_simulation_body(a->simulation, i, &now);
        printf("  %-24s %13.6g %13.6g ", pcs_model_body_name(model, i),
               now.position.x - then->position.x, now.position.y - then->position.y);
        if (flat)
            printf("%13s %13.6g\n", "", now.angle - then->angle);
        else
            printf("%13.6g %13.6g\n", now.position.z - then->position.z,
                   turn_between(then->rotation, now.rotation));
    }
    say_rest(a, count);
}

static void print_joints(const analysis *a, const pcs_model *model)
{
    const int32_t count = pcs_model_joint_count(model);
    const bool flat = pcs_model_dimension(model) == 2;
    if (count == 0)
        return;
    printf("\n  %-24s %11s %11s %11s %11s %11s %11s\n", "joint force, N, Nm", "x", "y",
           flat ? "" : "z", flat ? "" : "torque x", flat ? "" : "y", flat ? "torque" : "z");
    for (int32_t i = 0; i < rows_shown(a, count); i++) {
        pcs_joint_view view;
        pcs_simulation_joint(a->simulation, i, &view);
        printf("  %-24s %11.5g %11.5g ", pcs_model_joint_name(model, i), view.force.x,
               view.force.y);
        if (flat)
            printf("%11s %11s %11s %11.5g\n", "", "", "", view.torque.z);
        else
            printf("%11.5g %11.5g %11.5g %11.5g\n", view.force.z, view.torque.x, view.torque.y,
                   view.torque.z);
    }
    say_rest(a, count);
}

static void print_contacts(const analysis *a, const pcs_model *model)
{
    const int32_t count = pcs_model_contact_count(model);
    int32_t closed = 0, shown = 0;
    for (int32_t i = 0; i < count; i++) {
        pcs_contact_view view;
        pcs_simulation_contact(a->simulation, i, &view);
        if (!(view.force[0] > 0))
            continue;
        if (closed++ == 0)
            printf("\n  %-24s %13s %13s\n", "contact, N, m", "normal force", "gap");
        if (!a->all && shown == ROWS_SHOWN)
            continue;
        printf("  %-24s %13.6g %13.3g\n", pcs_model_contact_name(model, i), view.force[0],
               view.gap);
        shown++;
    }
    if (shown < closed)
        printf("  ... and %d more (--all)\n", (int)(closed - shown));
    if (count > 0)
        printf("\n  Friction is left out: at rest it depends on how the rest was reached.\n");
}

static void report(const analysis *a)
{
    const pcs_model *model = pcs_model_file_model(a->file);
    const pcs_static_info *info = &a->info;
    const char *title = pcs_model_file_title(a->file);
    printf("%s\n", *title ? title : a->model);
    cli_summary_line(stdout, "equilibrium", "found in %d load step%s, %d iterations%s",
                     (int)info->steps, info->steps == 1 ? "" : "s", (int)info->iterations,
                     info->halved > 0 ? "; some steps were halved" : "");
    cli_summary_line(stdout, "imbalance", "%.2g of the forces", info->residual);
    cli_summary_line(stdout, "joint error", "%.2g, penetration %.2g m", info->drift,
                     info->penetration);
    if (info->moved > 0)
        cli_summary_line(stdout, "largest move", "%.6g at %s", info->moved, info->moved_node);
    if (info->snaps > 0)
        cli_summary_line(stdout, "snapped through",
                         "%d time%s, first below %.4g of the load: the path from there is a jump",
                         (int)info->snaps, info->snaps == 1 ? "" : "s", info->snap_load);
    if (a->out)
        cli_summary_line(stdout, "result", "%s, %lld frames", a->out, (long long)a->frames);
    print_bodies(a, model);
    print_joints(a, model);
    print_contacts(a, model);
}

// ---- Command line ----

static bool take_option(void *user, int option, char *value)
{
    analysis *a = user;
    if (option == OPTION_SET)
        return cli_settings_add(&a->settings, value);
    if (option == OPTION_STEPS)
        return cli_read_integer("--steps", value, 1, &a->opts.steps);
    if (option == OPTION_TOLERANCE)
        return cli_read_positive("--tolerance", value, &a->opts.tolerance);
    if (option == OPTION_OUT)
        a->out = value;
    if (option == OPTION_ALL)
        a->all = true;
    return true;
}

static cli_exit execute(analysis *a)
{
    a->opts.step = take_step;
    a->opts.step_user = a;
    cli_exit code = cli_load_equilibrium(a->ctx, a->model, &a->settings, &a->opts, &a->info,
                                         &a->file, &a->simulation);
    if (code != CLI_EXIT_OK) {
        pcs_result_abandon(a->writer);
        return code;
    }
    if (a->writer && pcs_result_close(a->writer, a->simulation, true) < 0) {
        cli_message("%s", pcs_context_error(a->ctx));
        return CLI_EXIT_FAILED;
    }
    report(a);
    return CLI_EXIT_OK;
}

cli_exit cli_static(int argc, char **argv)
{
    analysis a = {.opts = pcs_static_default(), .ctx = cli_context_create()};
    cli_exit code = CLI_EXIT_FAILED;
    if (a.ctx && cli_settings_init(&a.settings, argc)) {
        int parsed = cli_parse_model(&syntax, argc, argv, &a.model, take_option, &a);
        code = parsed == CLI_HELP      ? CLI_EXIT_OK
               : parsed == CLI_MISTAKE ? CLI_EXIT_BAD_INPUT
                                       : execute(&a);
    }
    free(a.start);
    pcs_simulation_destroy(a.simulation);
    pcs_model_file_destroy(a.file);
    pcs_context_destroy(a.ctx);
    cli_settings_free(&a.settings);
    return code;
}
