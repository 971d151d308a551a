// percuss run: simulate a model file, write the result, print the summary.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "commands.h"
#include "dump_problems.h"
#include "file_kind.h"
#include "interrupt.h"
#include "message.h"
#include "model_options.h"
#include "number_options.h"
#include "options.h"
#include "outputs.h"
#include "progress.h"
#include "report_page.h"
#include "run_summary.h"
#include "signals.h"
#include "verify.h"

enum {
    OPTION_SET,
    OPTION_SCHEME,
    OPTION_STEP,
    OPTION_END,
    OPTION_OUT,
    OPTION_NO_RESULT,
    OPTION_OUTPUT_STEP,
    OPTION_CSV,
    OPTION_CSV_FILE,
    OPTION_CHECKPOINT,
    OPTION_CHECKPOINT_EVERY,
    OPTION_RESUME,
    OPTION_START,
    OPTION_DUMP_PROBLEMS,
    OPTION_WHEN,
    OPTION_DUMP_LIMIT,
    OPTION_REPORT,
    OPTION_VERIFY,
    OPTION_ACCEPT,
    OPTION_QUIET,
    OPTION_COUNT
};

static const cli_option options[OPTION_COUNT] = {
    [OPTION_SET] = {"--set", "KEY=VALUE",
                    "replace a value of the model file: a parameter (--set length=0.2) or a\n"
                    "path (--set bodies.ball.mass=2); may be repeated"},
    [OPTION_SCHEME] = {"--scheme", "NAME", "time integration (percuss list schemes)"},
    [OPTION_STEP] = {"--step", "SECONDS", "time step; short for --set simulation.step=SECONDS"},
    [OPTION_END] = {"--end", "SECONDS",
                    "simulated time to stop at; short for --set simulation.end=SECONDS"},
    [OPTION_OUT] = {"--out", "FILE",
                    "result file; if not given, the model's name with .h5, in the current\n"
                    "folder"},
    [OPTION_NO_RESULT] = {"--no-result", NULL, "write no result file"},
    [OPTION_OUTPUT_STEP] =
        {"--output-step", "SECONDS",
         "simulated time between stored frames; 0 stores every step. Frames are\n"
         "stored at the steps nearest to the asked times"},
    [OPTION_CSV] = {"--csv", "SIGNAL,...",
                    "print these signals as CSV on standard output; the summary then goes to\n"
                    "standard error (percuss info MODEL --signals names the signals); * stands\n"
                    "for any text: 'body.ball.*,energy.*'"},
    [OPTION_CSV_FILE] = {"--csv-file", "FILE",
                         "write the CSV to this file; without --csv the signals are those of\n"
                         "'output: signals' in the model file"},
    [OPTION_CHECKPOINT] = {"--checkpoint", "FILE", "keep the state in this file, for --resume"},
    [OPTION_CHECKPOINT_EVERY] = {"--checkpoint-every", "SECONDS",
                                 "simulated time between checkpoints; at the end only if not\n"
                                 "given"},
    [OPTION_RESUME] = {"--resume", "FILE",
                       "continue from a checkpoint, or from the end of a result, of the same\n"
                       "model, scheme and options; the result has the frames from there on"},
    [OPTION_START] = {"--start", "STATE",
                      "where the run starts: model (as the file says, the default) or static (at\n"
                      "rest in the equilibrium that percuss static finds)"},
    [OPTION_DUMP_PROBLEMS] =
        {"--dump-problems", "FOLDER",
         "write the contact problem of a step, with its solution, to\n"
         "FOLDER/step-NUMBER.hdf5 for percuss solve; if --when is not given, of the\n"
         "steps whose problem was not solved to the tolerance"},
    [OPTION_WHEN] = {"--when", "CONDITION",
                     "which problems: 'residual>1e-6' (scaled), 'iterations>100' or 'every 50'\n"
                     "(steps whose number is a multiple and that have contacts)"},
    [OPTION_DUMP_LIMIT] = {"--dump-limit", "N", "write at most N problems; 1000 if not given"},
    [OPTION_REPORT] = {"--report", "[=FILE]",
                       "write the report page when the run is over, as percuss report does; if\n"
                       "FILE is not given, under the result's name with .html"},
    [OPTION_VERIFY] =
        {"--verify", NULL,
         "run again beside it with half the step or a tenth of the tolerance (a small\n"
         "model also with a quarter), and tell how far paths and impacts differ"},
    [OPTION_ACCEPT] = {"--accept", NULL, "exit code 0 also if the verdict is bad"},
    [OPTION_QUIET] = {"--quiet", NULL,
                      "no progress and no summary; still one line if the verdict is bad"},
};

static const cli_syntax syntax = {
    .usage = "percuss run MODEL [OPTION]...",
    .text =
        "Simulates the model file and writes the result. Ctrl-C ends the run within a second and\n"
        "closes the result properly.",
    .options = options,
    .n_options = OPTION_COUNT,
    .notes =
        "exit code: 0 finished; 1 finished, but the verdict is bad; 2 mistake in the model, an\n"
        "option or an input file; 3 the run failed or its output could not be written; 130\n"
        "interrupted, with the result properly closed",
};

// What the command line asks for, and what the run is made of.
typedef struct session {
    const char *model, *out, *csv, *csv_file, *checkpoint, *resume, *page;
    double checkpoint_every;
    bool no_result, quiet, accept, verify, with_page, from_static;
    cli_settings settings;
    cli_dump dump;
    char *command;       // as stored in the result
    char *default_out;   // from the model's name
    char *default_page;  // from the result's name
    cli_signals signals; // of --csv
    pcs_context *ctx;
    pcs_model_file *file;
    pcs_simulation *simulation;
    cli_outputs outputs;
    cli_verify *finer; // of --verify; NULL: none
    pcs_energy_scale energy;
    double first_time, wall_time;
    bool outputs_are_closed; // and stand under their names
} session;

// ---- Command line ----

static bool read_start(session *run, const char *value)
{
    run->from_static = strcmp(value, "static") == 0;
    if (!run->from_static && strcmp(value, "model") != 0) {
        cli_message("--start %s: must be model or static", value);
        return false;
    }
    return true;
}

static bool take_option(void *user, int option, char *value)
{
    session *run = user;
    const char **texts[OPTION_COUNT] = {
        [OPTION_OUT] = &run->out,           [OPTION_CSV] = &run->csv,
        [OPTION_CSV_FILE] = &run->csv_file, [OPTION_CHECKPOINT] = &run->checkpoint,
        [OPTION_RESUME] = &run->resume,     [OPTION_DUMP_PROBLEMS] = &run->dump.folder,
        [OPTION_REPORT] = &run->page,
    };
    static const char *const keys[OPTION_COUNT] = {
        [OPTION_SCHEME] = "simulation.scheme",
        [OPTION_STEP] = "simulation.step",
        [OPTION_END] = "simulation.end",
        [OPTION_OUTPUT_STEP] = "output.step",
    };
    if (option == OPTION_REPORT)
        run->with_page = true;
    if (texts[option])
        *texts[option] = value;
    else if (keys[option])
        cli_settings_put(&run->settings, keys[option], value);
    else if (option == OPTION_SET)
        return cli_settings_add(&run->settings, value);
    else if (option == OPTION_CHECKPOINT_EVERY)
        return cli_read_positive("--checkpoint-every", value, &run->checkpoint_every);
    else if (option == OPTION_WHEN)
        return cli_dump_read_when(&run->dump, value);
    else if (option == OPTION_START)
        return read_start(run, value);
    else if (option == OPTION_DUMP_LIMIT)
        return cli_read_integer("--dump-limit", value, 1, &run->dump.limit);
    else if (option == OPTION_NO_RESULT)
        run->no_result = true;
    else if (option == OPTION_VERIFY)
        run->verify = true;
    else if (option == OPTION_ACCEPT)
        run->accept = true;
    else if (option == OPTION_QUIET)
        run->quiet = true;
    return true;
}

static bool check_options(const session *run)
{
    if (run->no_result && run->out)
        cli_message("--no-result and --out contradict each other");
    else if (run->no_result && run->with_page)
        cli_message("--report shows the result, and --no-result writes none");
    else if (run->from_static && run->resume)
        cli_message("--start and --resume contradict each other");
    else if (run->verify && (run->from_static || run->resume))
        cli_message("--verify needs a run from the beginning, without %s",
                    run->resume ? "--resume" : "--start static");
    else if (run->checkpoint_every > 0 && !run->checkpoint)
        cli_message("--checkpoint-every needs --checkpoint FILE");
    else if ((run->dump.when || run->dump.limit > 0) && !run->dump.folder)
        cli_message("%s needs --dump-problems FOLDER", run->dump.when ? "--when" : "--dump-limit");
    else
        return !run->with_page || cli_report_is_available();
    return false;
}

// CLI_END if all is well, CLI_HELP or CLI_MISTAKE otherwise.
static int parse(session *run, int argc, char **argv)
{
    const int parsed = cli_parse_model(&syntax, argc, argv, &run->model, take_option, run);
    if (parsed != CLI_END)
        return parsed;
    return check_options(run) ? CLI_END : CLI_MISTAKE;
}

// The command line as one text.
static char *join_command(int argc, char **argv)
{
    size_t size = sizeof "percuss";
    for (int i = 0; i < argc; i++)
        size += strlen(argv[i]) + 1;
    char *text = malloc(size);
    if (!text)
        return NULL;
    size_t length = (size_t)snprintf(text, size, "percuss");
    for (int i = 0; i < argc; i++)
        length += (size_t)snprintf(text + length, size - length, " %s", argv[i]);
    return text;
}

// "models/crank.yaml" gives "crank.h5".
static char *default_result(const char *model)
{
    const char *name = strrchr(model, '/') ? strrchr(model, '/') + 1 : model;
    const char *dot = strrchr(name, '.');
    int length = dot && dot != name ? (int)(dot - name) : (int)strlen(name);
    size_t size = (size_t)length + sizeof ".h5";
    char *path = malloc(size);
    if (path)
        snprintf(path, size, "%.*s.h5", length, name);
    return path;
}

// ---- The run ----

// Loads the state of a checkpoint file or of the end of a result.
static cli_exit resume(session *run)
{
    pcs_result *result = NULL;
    const void *bytes = NULL;
    size_t size = 0;
    cli_file_kind kind = cli_file_find_kind(run->resume);
    pcs_status status;
    if (kind == CLI_FILE_RESULT) {
        status = pcs_result_open(run->ctx, run->resume, &result);
        if (status >= 0)
            status = pcs_result_checkpoint(result, &bytes, &size);
    } else
        status = pcs_checkpoint_read(run->ctx, run->simulation, run->resume);
    cli_exit code = status < 0 ? cli_input_error(run->ctx, status) : CLI_EXIT_OK;
    if (bytes && pcs_simulation_load(run->simulation, bytes, size) < 0) {
        cli_message("%s: %s", run->resume, pcs_context_error(run->ctx));
        code = CLI_EXIT_BAD_INPUT;
    }
    pcs_result_destroy(result);
    return code;
}

static bool is_same_file(const char *a, const char *b)
{
    struct stat first, second;
    return stat(a, &first) == 0 && stat(b, &second) == 0 && first.st_dev == second.st_dev &&
           first.st_ino == second.st_ino;
}

// What the run writes must not replace what it reads, or another of its outputs.
static bool check_targets(const session *run)
{
    const struct {
        const char *option, *path;
    } target[] = {
        {"--out", run->no_result ? NULL : run->out},
        {"--csv-file", run->csv_file},
        {"--checkpoint", run->checkpoint},
        {"--report", run->page},
    };
    enum { N = sizeof target / sizeof *target };
    for (int i = 0; i < N; i++) {
        if (!target[i].path)
            continue;
        if (is_same_file(target[i].path, run->model)) {
            cli_message("%s: is the model file; give another name with %s", target[i].path,
                        target[i].option);
            return false;
        }
        // A run may renew the checkpoint that it resumes from.
        if (run->resume && target[i].path != run->checkpoint &&
            is_same_file(target[i].path, run->resume)) {
            cli_message("%s: would replace the file that the run resumes from; give another name "
                        "with %s",
                        target[i].path, target[i].option);
            return false;
        }
        for (int k = 0; k < i; k++) {
            if (target[k].path && (strcmp(target[i].path, target[k].path) == 0 ||
                                   is_same_file(target[i].path, target[k].path))) {
                cli_message("%s: both %s and %s would write this file", target[i].path,
                            target[k].option, target[i].option);
                return false;
            }
        }
    }
    return true;
}

// A checkpoint is first written after hours, perhaps; that its folder is missing is said at once.
static bool check_checkpoint_folder(const char *path)
{
    struct stat info;
    const char *slash = strrchr(path, '/');
    size_t length = slash ? (size_t)(slash - path) + 1 : 1;
    char *folder = malloc(length + 1);
    bool ok = false;
    if (!folder) {
        cli_message("out of memory");
        return false;
    }
    memcpy(folder, slash ? path : ".", length);
    folder[length] = '\0';
    if (stat(path, &info) == 0 && S_ISDIR(info.st_mode))
        cli_message("%s: cannot write the checkpoint: that is a folder; give the name of a file",
                    path);
    else if (stat(folder, &info) != 0)
        cli_message("%s: cannot write the checkpoint: there is no folder %s", path, folder);
    else if (access(folder, W_OK | X_OK) != 0)
        cli_message("%s: cannot write the checkpoint: no permission to write in %s", path, folder);
    else
        ok = true;
    free(folder);
    return ok;
}

static cli_exit load(session *run)
{
    if (!run->from_static)
        return cli_load(run->ctx, run->model, &run->settings, &run->file, &run->simulation);
    const pcs_static_opts opts = pcs_static_default();
    pcs_static_info info;
    cli_exit code = cli_load_equilibrium(run->ctx, run->model, &run->settings, &opts, &info,
                                         &run->file, &run->simulation);
    pcs_status status = code == CLI_EXIT_OK ? pcs_simulation_start(run->simulation) : PCS_OK;
    return status < 0 ? cli_input_error(run->ctx, pcs_model_file_locate(run->file, status)) : code;
}

// Everything that can be wrong with the input, before anything is written.
static cli_exit prepare(session *run)
{
    cli_exit code = load(run);
    if (code == CLI_EXIT_OK && !check_targets(run))
        code = CLI_EXIT_BAD_INPUT;
    if (code == CLI_EXIT_OK && run->resume)
        code = resume(run);
    if (code == CLI_EXIT_OK && run->verify)
        run->finer = cli_verify_create(run->ctx, run->model, &run->settings, run->simulation,
                                       &code);
    if (code == CLI_EXIT_OK && run->csv)
        code = cli_signals_select(&run->signals, pcs_model_file_model(run->file), run->csv);
    return code;
}

static cli_exit open_outputs(session *run)
{
    pcs_simulation_def simulation = pcs_model_file_simulation(run->file);
    cli_output_def def = {
        .result = run->no_result ? NULL : run->out,
        .csv = run->csv_file ? run->csv_file
               : run->csv    ? "-"
                             : NULL,
        .signals = (const char *const *)run->signals.paths,
        .n_signals = run->signals.count,
        .checkpoint = run->checkpoint,
        .checkpoint_every = run->checkpoint_every,
        .start = simulation.start,
        .step = simulation.step,
        .frame_every = pcs_model_file_output_step(run->file),
        .title = pcs_model_file_title(run->file),
        .model_text = pcs_model_file_text(run->file),
        .command = run->command,
    };
    if (run->csv_file && !run->csv)
        def.n_signals = pcs_model_file_signals(run->file, &def.signals);
    if (def.csv && def.n_signals == 0) {
        cli_message("no signals to write: name them with --csv or in the model file under "
                    "'output: signals'");
        return CLI_EXIT_BAD_INPUT;
    }
    if (run->checkpoint && !check_checkpoint_folder(run->checkpoint))
        return CLI_EXIT_FAILED;
    cli_exit code = cli_dump_open(&run->dump, run->simulation);
    if (code != CLI_EXIT_OK)
        return code;
    pcs_status status = cli_outputs_open(&run->outputs, run->ctx, &def, run->simulation);
    if (status >= 0)
        return CLI_EXIT_OK;
    cli_message("%s", pcs_context_error(run->ctx));
    cli_dump_cancel(&run->dump);
    return status == PCS_ERROR_INPUT || status == PCS_ERROR_ARGUMENT ? CLI_EXIT_BAD_INPUT
                                                                     : CLI_EXIT_FAILED;
}

static void note_energy(session *run)
{
    const pcs_energy_account *energy = &pcs_simulation_statistics(run->simulation)->energy;
    pcs_energy_scale_update(&run->energy, energy->kinetic, energy->potential);
}

// Steps until the end, an error or Ctrl-C; everything written so far is closed in any case.
static cli_exit simulate(session *run)
{
    pcs_simulation *simulation = run->simulation;
    pcs_simulation_def def = pcs_model_file_simulation(run->file);
    cli_progress progress;
    pcs_status status = PCS_OK;
    run->first_time = pcs_simulation_time(simulation);
    cli_progress_init(&progress, run->quiet, run->first_time, def.end);
    note_energy(run);
    while (status >= 0 && !pcs_simulation_finished(simulation) && !cli_interrupted()) {
        status = pcs_simulation_step(simulation);
        if (status < 0)
            status = pcs_model_file_locate(run->file, status);
        else {
            note_energy(run);
            if (run->finer)
                status = cli_verify_step(run->finer, simulation);
            if (status >= 0)
                status = cli_outputs_step(&run->outputs, simulation);
            if (status >= 0)
                status = cli_dump_step(&run->dump);
            cli_progress_update(&progress, simulation);
        }
    }
    cli_progress_clear();
    run->wall_time = cli_wall_clock() - progress.clock_start;
    bool good = status >= 0 || status == PCS_ERROR_STOPPED;
    bool complete = good && pcs_simulation_finished(simulation);
    if (!good)
        cli_message("%s", pcs_context_error(run->ctx));
    // The problem that a failed step leaves behind is the one to look at.
    if (!good && cli_dump_step(&run->dump) < 0)
        cli_message("%s", pcs_context_error(run->ctx));
    pcs_status closing = cli_outputs_close(&run->outputs, simulation, good, complete);
    run->outputs_are_closed = closing >= 0;
    if (closing < 0 && good) // else it is the error that was told
        cli_message("%s", pcs_context_error(run->ctx));
    if (!good || closing < 0)
        return CLI_EXIT_FAILED;
    if (!complete)
        return CLI_EXIT_INTERRUPTED;
    return CLI_EXIT_OK;
}

static void warn_of_output_step(FILE *out, const session *run)
{
    const double rounding = 1e-9; // relative
    const cli_output_def *def = &run->outputs.def;
    double ratio = def->frame_every / def->step;
    if (!(def->frame_every > 0) || (!def->result && !def->csv) ||
        (ratio > 0.5 && fabs(ratio - round(ratio)) <= rounding * ratio))
        return;
    fprintf(out,
            "warning: the output step (%g s) is not a multiple of the step (%g s): frames are "
            "stored at\n"
            "         the steps nearest to the asked times\n",
            def->frame_every, def->step);
}

static void print_summary(FILE *out, const session *run, const pcs_run_facts *facts, cli_exit code)
{
    const pcs_statistics *statistics = pcs_simulation_statistics(run->simulation);
    pcs_simulation_def def = pcs_model_file_simulation(run->file);
    double time = pcs_simulation_time(run->simulation);
    const char *title = pcs_model_file_title(run->file);
    const char *end = code == CLI_EXIT_INTERRUPTED ? ", interrupted"
                      : code == CLI_EXIT_FAILED    ? ", failed"
                                                   : "";
    fprintf(out, "%s\n", *title ? title : run->model);
    cli_summary_line(out, "scheme", "%s, step %g s", def.scheme, def.step);
    cli_summary_line(out, "simulated time", "%g s to %g s%s%s", run->first_time, time,
                     run->resume ? ", resumed" : "", end);
    cli_summary_assembly(out, pcs_model_file_model(run->file), statistics, false);
    cli_summary_statistics(out, statistics);
    cli_summary_meshes(out, run->simulation);
    cli_summary_redundant_rows(out, run->simulation);
    cli_summary_forces(out, facts);
    cli_summary_line(out, "wall time", "%.3g s (%.3g simulated seconds in a second)",
                     run->wall_time,
                     run->wall_time > 0 ? (time - run->first_time) / run->wall_time : 0.0);
    if (!run->no_result && run->outputs_are_closed)
        cli_summary_line(out, "result", "%s, %lld frame%s%s", run->out,
                         (long long)run->outputs.frames, run->outputs.frames == 1 ? "" : "s",
                         *end ? " (marked incomplete)" : "");
    else if (!run->no_result)
        cli_summary_line(out, "result", "%s.part has what could be written", run->out);
    if (run->checkpoint && run->outputs_are_closed)
        cli_summary_line(out, "checkpoint", "%s", run->checkpoint);
    cli_dump_report(out, &run->dump);
    cli_summary_energy(out, statistics, &run->energy);
    warn_of_output_step(out, run);
}

// Summary and verdict. A run that has ended is as good as its verdict, unless the user accepts it.
static cli_exit conclude(const session *run, cli_exit code)
{
    // Standard output may already be carrying the CSV.
    FILE *out = run->csv && !run->csv_file ? stderr : stdout;
    const pcs_simulation_def def = pcs_model_file_simulation(run->file);
    const pcs_run_facts facts = cli_find_run_facts(run->simulation, def.scheme, &run->energy);
    if (!run->quiet)
        print_summary(out, run, &facts, code);
    else if (code != CLI_EXIT_OK)
        return code; // a message has told why
    const char *unfinished = code == CLI_EXIT_INTERRUPTED ? "was interrupted"
                             : code == CLI_EXIT_FAILED    ? "stopped"
                                                          : NULL;
    pcs_level level = run->quiet ? cli_message_verdict(&facts)
                                 : cli_summary_verdict(out, &facts, unfinished);
    if (run->finer && code == CLI_EXIT_OK) {
        const pcs_level verified = cli_verify_report(run->quiet ? NULL : out, run->finer, level);
        level = verified > level ? verified : level;
    }
    return code == CLI_EXIT_OK && level == PCS_LEVEL_BAD && !run->accept ? CLI_EXIT_BAD_VERDICT
                                                                         : code;
}

// The page of a closed result, also of a run that was interrupted or failed.
static cli_exit write_page(const session *run, cli_exit code)
{
    if (!run->with_page || !run->outputs_are_closed)
        return code;
    FILE *out = run->quiet ? NULL : run->csv && !run->csv_file ? stderr : stdout;
    cli_exit page = cli_report_write_page(&run->out, 1, run->page, out);
    return page == CLI_EXIT_OK ? code : CLI_EXIT_FAILED;
}

static void release(session *run)
{
    cli_dump_free(&run->dump);
    cli_verify_destroy(run->finer);
    pcs_simulation_destroy(run->simulation);
    pcs_model_file_destroy(run->file);
    pcs_context_destroy(run->ctx);
    cli_settings_free(&run->settings);
    cli_signals_free(&run->signals);
    free(run->default_page);
    free(run->default_out);
    free(run->command);
}

static cli_exit execute(session *run)
{
    run->default_out = default_result(run->model);
    if (!run->out)
        run->out = run->default_out;
    run->default_page = run->out ? cli_report_default_path(1, run->out) : NULL;
    if (run->with_page && !run->page)
        run->page = run->default_page;
    if (!run->out || (run->with_page && !run->page)) {
        cli_message("out of memory");
        return CLI_EXIT_FAILED;
    }
    cli_exit code = prepare(run);
    cli_interrupt_install(); // up to here there is nothing to store, and a pipe may never end
    if (code == CLI_EXIT_OK)
        code = open_outputs(run);
    if (code != CLI_EXIT_OK)
        return code;
    code = conclude(run, simulate(run));
    return write_page(run, code);
}

cli_exit cli_run(int argc, char **argv)
{
    session run = {.command = join_command(argc, argv), .ctx = cli_context_create()};
    cli_exit code = CLI_EXIT_FAILED;
    if (run.ctx && run.command && cli_settings_init(&run.settings, argc)) {
        int parsed = parse(&run, argc, argv);
        cli_write_signals_ignore();
        code = parsed == CLI_HELP      ? CLI_EXIT_OK
               : parsed == CLI_MISTAKE ? CLI_EXIT_BAD_INPUT
                                       : execute(&run);
    }
    release(&run);
    return code;
}
