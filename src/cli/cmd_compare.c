// percuss compare: schemes on models at several tolerances or steps; tables, CSV and pictures.
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "commands.h"
#include "compare.h"
#include "interrupt.h"
#include "message.h"
#include "model_options.h"
#include "number_options.h"
#include "options.h"
#include "plot_draw.h"

enum {
    OPTION_SCHEMES,
    OPTION_TOLS,
    OPTION_STEPS,
    OPTION_REFERENCE,
    OPTION_SAMPLES,
    OPTION_ERROR,
    OPTION_SIGNALS,
    OPTION_PROFILE,
    OPTION_BESIDE,
    OPTION_SET,
    OPTION_END,
    OPTION_REPEAT,
    OPTION_MAX_TIME,
    OPTION_OUT,
    OPTION_COUNT
};

static const cli_option options[OPTION_COUNT] = {
    [OPTION_SCHEMES] = {"--schemes", "NAME[:KEY=VALUE]...,...",
                        "schemes with their options (percuss list schemes); the name of an\n"
                        "integrator means the event-driven scheme with it"},
    [OPTION_TOLS] = {"--tols", "X,...",
                     "tolerances of the schemes that choose their own steps; 1e-2,1e-4,1e-6,1e-8\n"
                     "if not given"},
    [OPTION_STEPS] = {"--steps", "SECONDS,...",
                      "steps of the others, and of those with step_control=fixed"},
    [OPTION_REFERENCE] = {"--reference", "SCHEME[@LEVEL]",
                          "what errors are measured against: a scheme with its tolerance or step,\n"
                          "or none; phem56 at a hundredth of the smallest tolerance if not given,\n"
                          "without it the first scheme at a tenth of the smallest step"},
    [OPTION_SAMPLES] = {"--samples", "N",
                        "output times, evenly spread, at which errors are measured; 20 if not "
                        "given"},
    [OPTION_ERROR] =
        {"--error", "end|worst|l1",
         "which error of q the picture and --profile error take: at the end, the worst\n"
         "of the output times, or the relative L1 norm over all of them, which is also\n"
         "printed with the observed orders; end if not given"},
    [OPTION_SIGNALS] =
        {"--signals", "SIGNAL,...",
         "one or two signals (percuss info MODEL --signals) whose L1 errors and orders\n"
         "--error l1 prints in place of those of q and v"},
    [OPTION_PROFILE] = {"--profile", "tolerance|error",
                        "compare times at equal tolerance, or the times to reach an error; if not\n"
                        "given, at equal tolerance unless a scheme has fixed steps"},
    [OPTION_BESIDE] = {"--beside", "FILE",
                       "published values (CSV) to print beside ours; docs/data has tables"},
    [OPTION_SET] = {"--set", "KEY=VALUE", "replace a value of the model files; may be repeated"},
    [OPTION_END] = {"--end", "SECONDS",
                    "simulated time to stop at; short for --set simulation.end=SECONDS"},
    [OPTION_REPEAT] = {"--repeat", "N",
                       "runs, of which the fastest counts; 3 if not given, 1 above 2 s"},
    [OPTION_MAX_TIME] = {"--max-time", "SECONDS",
                         "CPU time after which a run is given up, at an output time; 60 if not\n"
                         "given"},
    [OPTION_OUT] = {"-o", "NAME", "write NAME.csv, NAME.svg and NAME.png"},
};

static const cli_syntax syntax = {
    .usage = "percuss compare MODEL... --schemes NAME,... [OPTION]...",
    .text = "Runs every model with every scheme and tolerance, and measures CPU time, steps,\n"
            "evaluations, errors, drift, penetration and energy: work-precision diagrams,\n"
            "performance profiles and tables. A run that fails is a row with its message.",
    .options = options,
    .n_options = OPTION_COUNT,
    .notes =
        "errors are the lengths of q - q_ref and v - v_ref over all coordinates (rotations in\n"
        "space as rotation vectors), at the end and at the worst output time; in the L1 norm\n"
        "their sums over the output times, over those of q_ref - q(start) and v_ref\n\n"
        "exit code: 0 finished; 1 finished, but some runs failed; 2 mistake in a model, an\n"
        "option or a file; 3 the output could not be written; 130 interrupted, with what was\n"
        "computed printed and written",
};

static const double TIGHTER = 0.01;               // tolerance of the reference
static const double FINER = 0.1;                  // step of the reference
static const double SMALLEST_TOLERANCE = 1e-13;   // below it rounding rules
static const char DEFAULT_REFERENCE[] = "phem56"; // if the library has it

typedef struct session {
    compare_table table;
    compare_limits limits;
    cli_settings settings;
    const char **paths; // of the models, into argv
    int32_t n_paths;
    char *schemes; // as given
    const char *reference_text, *profile, *beside_path;
    char *out;
    compare_beside *beside;
    compare_scheme reference;
    double reference_level;
    bool no_reference;
    pcs_context *ctx;
} session;

// ---- Command line ----

static int from_large(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

// "1e-2,1e-4" sorted from large to small, each once.
static bool take_levels(const char *name, char *text, double *levels, int32_t *count)
{
    *count = 0;
    for (char *number = strtok(text, ","); number; number = strtok(NULL, ",")) {
        double value;
        if (!cli_read_positive(name, number, &value))
            return false;
        if (*count == COMPARE_LEVELS_MAX) {
            cli_message("%s: at most %d numbers", name, COMPARE_LEVELS_MAX);
            return false;
        }
        levels[(*count)++] = value;
    }
    if (*count == 0) {
        cli_message("%s: no number", name);
        return false;
    }
    qsort(levels, (size_t)*count, sizeof *levels, from_large);
    int32_t kept = 1;
    for (int32_t i = 1; i < *count; i++) {
        if (levels[i] < levels[kept - 1])
            levels[kept++] = levels[i];
    }
    *count = kept;
    return true;
}

static bool take_error(const char *text, compare_error *error)
{
    static const char *const names[] = {
        [COMPARE_ERROR_END] = "end", [COMPARE_ERROR_WORST] = "worst", [COMPARE_ERROR_L1] = "l1"};
    for (int i = COMPARE_ERROR_END; i <= COMPARE_ERROR_L1; i++) {
        if (strcmp(text, names[i]) == 0) {
            *error = (compare_error)i;
            return true;
        }
    }
    cli_message("--error %s: must be end, worst or l1", text);
    return false;
}

static bool take_signals(compare_table *table, char *text)
{
    table->n_signals = 0;
    for (char *path = strtok(text, ","); path; path = strtok(NULL, ",")) {
        if (table->n_signals == COMPARE_SIGNALS_MAX) {
            cli_message("--signals: at most %d signals", COMPARE_SIGNALS_MAX);
            return false;
        }
        table->signals[table->n_signals++] = path;
    }
    return true;
}

// NAME.csv is as good as NAME.
static char *take_name(char *text)
{
    static const char *const endings[] = {".csv", ".svg", ".png"};
    size_t length = strlen(text);
    for (int i = 0; i < 3; i++) {
        if (length > 4 && strcmp(text + length - 4, endings[i]) == 0)
            text[length - 4] = '\0';
    }
    return text;
}

static bool take_argument(void *user, int option, char *value)
{
    session *run = user;
    compare_table *table = &run->table;
    switch (option) {
    case CLI_OPERAND:
        run->paths[run->n_paths++] = value;
        return true;
    case OPTION_SCHEMES:
        run->schemes = value;
        return true;
    case OPTION_TOLS:
        return take_levels("--tols", value, table->tolerances, &table->n_tolerances);
    case OPTION_STEPS:
        return take_levels("--steps", value, table->steps, &table->n_steps);
    case OPTION_REFERENCE:
        run->reference_text = value;
        return true;
    case OPTION_SAMPLES:
        return cli_read_integer("--samples", value, 1, &run->limits.samples);
    case OPTION_ERROR:
        return take_error(value, &table->error);
    case OPTION_SIGNALS:
        return take_signals(table, value);
    case OPTION_PROFILE:
        run->profile = value;
        if (strcmp(value, "tolerance") == 0 || strcmp(value, "error") == 0)
            return true;
        cli_message("--profile %s: must be tolerance or error", value);
        return false;
    case OPTION_BESIDE:
        run->beside_path = value;
        return true;
    case OPTION_SET:
        return cli_settings_add(&run->settings, value);
    case OPTION_END:
        cli_settings_put(&run->settings, "simulation.end", value);
        return true;
    case OPTION_REPEAT:
        return cli_read_integer("--repeat", value, 1, &run->limits.repeat);
    case OPTION_MAX_TIME:
        return cli_read_positive("--max-time", value, &run->limits.seconds);
    default:
        run->out = take_name(value);
        return true;
    }
}

static bool take_schemes(session *run)
{
    compare_table *table = &run->table;
    int32_t count = 1;
    for (const char *c = run->schemes; *c; c++)
        count += *c == ',';
    table->schemes = calloc((size_t)count, sizeof *table->schemes);
    if (!table->schemes) {
        cli_message("out of memory");
        return false;
    }
    for (char *text = strtok(run->schemes, ","); text; text = strtok(NULL, ",")) {
        for (int32_t i = 0; i < table->n_schemes; i++) {
            if (strcmp(table->schemes[i].label, text) == 0) {
                cli_message("--schemes: '%s' is named twice", text);
                return false;
            }
        }
        if (!compare_scheme_read(&table->schemes[table->n_schemes++], text, "--schemes"))
            return false;
    }
    if (table->n_schemes == 0)
        cli_message("--schemes: no scheme");
    return table->n_schemes > 0;
}

static const compare_scheme *find_kind(const compare_table *table, bool with_tolerance)
{
    for (int32_t i = 0; i < table->n_schemes; i++) {
        if ((table->schemes[i].kind == COMPARE_TOLERANCE) == with_tolerance)
            return &table->schemes[i];
    }
    return NULL;
}

static bool check_levels(session *run)
{
    compare_table *table = &run->table;
    static const double usual[] = {1e-2, 1e-4, 1e-6, 1e-8};
    const compare_scheme *fixed = find_kind(table, false);
    if (fixed && table->n_steps == 0) {
        cli_message("scheme '%s' has fixed steps; give them with --steps", fixed->label);
        return false;
    }
    if (!fixed && table->n_steps > 0) {
        cli_message("--steps: all schemes choose their own steps; --tols is for them");
        return false;
    }
    if (fixed && run->profile && strcmp(run->profile, "tolerance") == 0) {
        cli_message("--profile tolerance: scheme '%s' has none; use --profile error", fixed->label);
        return false;
    }
    if (table->n_tolerances == 0) {
        memcpy(table->tolerances, usual, sizeof usual);
        table->n_tolerances = sizeof usual / sizeof *usual;
    }
    table->by_error = run->profile ? strcmp(run->profile, "error") == 0 : fixed != NULL;
    return true;
}

static double smallest(const double *levels, int32_t count, double fallback)
{
    return count > 0 ? levels[count - 1] : fallback;
}

static double default_level(const session *run, const compare_scheme *scheme)
{
    const compare_table *table = &run->table;
    if (scheme->kind != COMPARE_TOLERANCE)
        return FINER * smallest(table->steps, table->n_steps, 1e-3);
    return fmax(TIGHTER * smallest(table->tolerances, table->n_tolerances, 1e-8),
                SMALLEST_TOLERANCE);
}

static bool has_default_reference(void)
{
    const pcs_option *option = NULL;
    int32_t count = 0;
    const char *name;
    for (int32_t i = 0; (name = pcs_scheme_name(i, NULL, &option, &count)); i++) {
        if (strcmp(name, "event-driven") == 0)
            return true;
    }
    return false;
}

static bool take_reference(session *run)
{
    const char *text = run->reference_text;
    run->no_reference = text && strcmp(text, "none") == 0;
    if (run->no_reference)
        return true;
    if (!text)
        text = has_default_reference() ? DEFAULT_REFERENCE : run->table.schemes[0].label;
    char *name = strdup(text);
    if (!name) {
        cli_message("out of memory");
        return false;
    }
    char *at = strchr(name, '@');
    if (at)
        *at = '\0';
    bool good = compare_scheme_read(&run->reference, name, "--reference");
    if (good)
        run->reference_level = default_level(run, &run->reference);
    if (good && at)
        good = cli_read_positive("--reference: level", at + 1, &run->reference_level);
    free(name);
    return good;
}

// CLI_END if all is well, CLI_HELP or CLI_MISTAKE otherwise.
static int parse(session *run, int argc, char **argv)
{
    const int parsed = cli_parse(&syntax, argc, argv, take_argument, run);
    if (parsed != CLI_END)
        return parsed;
    if (run->n_paths == 0 || !run->schemes) {
        cli_message("compare needs %s: %s", run->n_paths == 0 ? "a model" : "--schemes",
                    syntax.usage);
        return CLI_MISTAKE;
    }
    if (run->table.n_signals > 0 && run->table.error != COMPARE_ERROR_L1) {
        cli_message("--signals needs --error l1");
        return CLI_MISTAKE;
    }
    bool good = take_schemes(run) && check_levels(run) && take_reference(run) &&
                (!run->beside_path || compare_beside_read(run->beside_path, &run->beside));
    return good ? CLI_END : CLI_MISTAKE;
}

// ---- Models ----

static void name_model(compare_model *model)
{
    const char *slash = strrchr(model->path, '/'), *file = slash ? slash + 1 : model->path;
    const char *dot = strrchr(file, '.');
    int length = dot && dot != file ? (int)(dot - file) : (int)strlen(file);
    snprintf(model->name, sizeof model->name, "%.*s", length, file);
}

static bool find_signals(session *run, compare_model *model)
{
    for (int32_t i = 0; i < run->table.n_signals; i++) {
        if (pcs_model_find_signal(run->ctx, pcs_model_file_model(model->file),
                                  run->table.signals[i], &model->signals[i]) < 0) {
            cli_message("--signals: %s: %s", model->path, pcs_context_error(run->ctx));
            return false;
        }
    }
    model->n_signals = run->table.n_signals;
    return true;
}

// Every model is read before the first run, so that a mistake does not come after hours.
static cli_exit read_models(session *run)
{
    compare_table *table = &run->table;
    table->models = calloc((size_t)run->n_paths, sizeof *table->models);
    if (!table->models) {
        cli_message("out of memory");
        return CLI_EXIT_FAILED;
    }
    for (int32_t i = 0; i < run->n_paths; i++) {
        compare_model *model = &table->models[table->n_models++];
        model->path = run->paths[i];
        name_model(model);
        cli_exit code = cli_read_model(run->ctx, model->path, &run->settings, &model->file);
        if (code != CLI_EXIT_OK)
            return code;
        pcs_simulation_def def = pcs_model_file_simulation(model->file);
        if (!(def.end > def.start)) {
            cli_message("%s: nothing to simulate from %g s to %g s", model->path, def.start,
                        def.end);
            return CLI_EXIT_BAD_INPUT;
        }
        if (!find_signals(run, model))
            return CLI_EXIT_BAD_INPUT;
    }
    for (int32_t s = 0; s < table->n_schemes; s++) {
        const double *levels;
        compare_levels(table, &table->schemes[s], &levels);
        if (!compare_check_options(&table->models[0], &table->schemes[s], levels[0]))
            return CLI_EXIT_BAD_INPUT;
    }
    if (!run->no_reference &&
        !compare_check_options(&table->models[0], &run->reference, run->reference_level))
        return CLI_EXIT_BAD_INPUT;
    return CLI_EXIT_OK;
}

static bool plan_runs(compare_table *table)
{
    const double *levels;
    int32_t count = 0;
    for (int32_t s = 0; s < table->n_schemes; s++)
        count += compare_levels(table, &table->schemes[s], &levels);
    table->runs = calloc((size_t)(count * table->n_models) + 1, sizeof *table->runs);
    if (!table->runs) {
        cli_message("out of memory");
        return false;
    }
    for (int32_t m = 0; m < table->n_models; m++) {
        for (int32_t s = 0; s < table->n_schemes; s++) {
            int32_t n = compare_levels(table, &table->schemes[s], &levels);
            for (int32_t k = 0; k < n; k++)
                table->runs[table->n_runs++] = (compare_run){
                    .model = m, .scheme = s, .level = levels[k]};
        }
    }
    return true;
}

// ---- Measuring ----

static void announce(const char *model, const char *scheme, double level)
{
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "%s: %s at %g\n", model, scheme, level);
}

static bool measure(session *run)
{
    compare_table *table = &run->table;
    for (int32_t m = 0; m < table->n_models && !cli_interrupted(); m++) {
        compare_model *model = &table->models[m];
        snprintf(model->reference_note, sizeof model->reference_note, "none");
        if (!run->no_reference) {
            announce(model->name, "reference", run->reference_level);
            if (!compare_make_reference(model, &run->reference, run->reference_level,
                                        &run->limits)) {
                cli_message("out of memory");
                return false;
            }
        }
        for (int32_t r = 0; r < table->n_runs && !cli_interrupted(); r++) {
            compare_run *one = &table->runs[r];
            if (one->model != m)
                continue;
            announce(model->name, table->schemes[one->scheme].label, one->level);
            compare_execute(table, &run->limits, one);
        }
    }
    return true;
}

static bool has_failure(const compare_table *table)
{
    for (int32_t r = 0; r < table->n_runs; r++) {
        if (table->runs[r].outcome > COMPARE_FINISHED)
            return true;
    }
    return false;
}

// ---- Output ----

static char *make_path(const char *name, const char *ending)
{
    size_t size = strlen(name) + strlen(ending) + 1;
    char *path = malloc(size);
    if (path)
        snprintf(path, size, "%s%s", name, ending);
    else
        cli_message("out of memory");
    return path;
}

static bool open_csv(const session *run, const char *csv, pcs_output_file **file)
{
    if (pcs_output_file_create(run->ctx, csv, "the table", file) >= 0)
        return true;
    cli_message("%s", pcs_context_error(run->ctx));
    return false;
}

// Where the results go is tried before the runs.
static cli_exit check_out(const session *run)
{
    struct stat mine, other;
    pcs_output_file *file = NULL;
    if (!run->out)
        return CLI_EXIT_OK;
    char *csv = make_path(run->out, ".csv");
    cli_exit code = csv ? CLI_EXIT_OK : CLI_EXIT_FAILED;
    if (code == CLI_EXIT_OK && run->beside_path && stat(csv, &mine) == 0 &&
        stat(run->beside_path, &other) == 0 && mine.st_dev == other.st_dev &&
        mine.st_ino == other.st_ino) {
        cli_message("%s: would replace the published values; give another name with -o", csv);
        code = CLI_EXIT_BAD_INPUT;
    }
    if (code == CLI_EXIT_OK && !open_csv(run, csv, &file))
        code = CLI_EXIT_FAILED;
    pcs_output_file_abandon(file);
    free(csv);
    return code;
}

static bool write_csv(const session *run)
{
    char *csv = make_path(run->out, ".csv");
    pcs_output_file *file = NULL;
    bool good = csv && open_csv(run, csv, &file);
    if (good) {
        compare_write_csv(pcs_output_file_stream(file), &run->table);
        good = pcs_output_file_commit(file) >= 0;
        if (!good)
            cli_message("%s", pcs_context_error(run->ctx));
    }
    free(csv);
    return good;
}

static cli_exit put_out(session *run)
{
    cli_profile profile;
    bool good = compare_profile(&run->table, &profile);
    if (!good) {
        cli_message("out of memory");
        return CLI_EXIT_FAILED;
    }
    compare_print(stdout, &run->table);
    cli_profile_print(stdout, &profile,
                      run->table.by_error ? "time to reach an error of q (--tols)"
                                          : "time at equal tolerance",
                      "scheme");
    if (run->beside)
        compare_beside_print(stdout, run->beside, &run->table);
    if (run->out) {
        good = write_csv(run);
        if (!plot_is_available())
            cli_message("this percuss was built without cairo: no pictures");
        else if (good)
            good = compare_draw(run->ctx, &run->table, &profile, run->out);
        if (good)
            printf("\nwritten: %s.csv%s%s%s%s\n", run->out, plot_is_available() ? ", " : "",
                   plot_is_available() ? run->out : "", plot_is_available() ? ".svg" : "",
                   plot_is_available() ? " and .png" : "");
    }
    cli_profile_free(&profile);
    return good ? CLI_EXIT_OK : CLI_EXIT_FAILED;
}

static cli_exit execute(session *run)
{
    cli_exit code = read_models(run);
    if (code == CLI_EXIT_OK)
        code = check_out(run);
    if (code != CLI_EXIT_OK)
        return code;
    if (!plan_runs(&run->table) || !measure(run))
        return CLI_EXIT_FAILED;
    code = put_out(run);
    if (code != CLI_EXIT_OK)
        return code;
    if (cli_interrupted())
        return CLI_EXIT_INTERRUPTED;
    return has_failure(&run->table) ? CLI_EXIT_BAD_VERDICT : CLI_EXIT_OK;
}

static void release(session *run)
{
    compare_table *table = &run->table;
    for (int32_t i = 0; i < table->n_models; i++) {
        compare_reference_free(&table->models[i].reference);
        pcs_model_file_destroy(table->models[i].file);
    }
    for (int32_t i = 0; i < table->n_schemes; i++)
        compare_scheme_free(&table->schemes[i]);
    compare_scheme_free(&run->reference);
    compare_beside_free(run->beside);
    cli_settings_free(&run->settings);
    pcs_context_destroy(run->ctx);
    free(table->models);
    free(table->schemes);
    free(table->runs);
    free(run->paths);
}

cli_exit cli_compare(int argc, char **argv)
{
    session run = {
        .limits = {.samples = 20, .repeat = 3, .seconds = 60},
        .paths = calloc((size_t)argc + 1, sizeof *run.paths),
        .ctx = cli_context_create(),
    };
    cli_exit code = CLI_EXIT_FAILED;
    if (!run.paths)
        cli_message("out of memory");
    else if (run.ctx && cli_settings_init(&run.settings, argc)) {
        int parsed = parse(&run, argc, argv);
        cli_interrupt_install();
        code = parsed == CLI_HELP      ? CLI_EXIT_OK
               : parsed == CLI_MISTAKE ? CLI_EXIT_BAD_INPUT
                                       : execute(&run);
    }
    release(&run);
    return code;
}
