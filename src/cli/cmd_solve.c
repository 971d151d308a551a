// percuss solve: solve contact problems from files and check the answers independently.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "commands.h"
#include "interrupt.h"
#include "message.h"
#include "model_options.h"
#include "number_options.h"
#include "options.h"
#include "solve_report.h"
#include "solver_choice.h"

enum {
    OPTION_SOLVER,
    OPTION_TOL,
    OPTION_MEASURE,
    OPTION_MAX_TIME,
    OPTION_MAX_ITERATIONS,
    OPTION_SET,
    OPTION_THREADS,
    OPTION_REPORT,
    OPTION_COUNT_SOLUTIONS,
    OPTION_WRITE,
    OPTION_JSON,
    OPTION_COUNT
};

static const cli_option options[OPTION_COUNT] = {
    [OPTION_SOLVER] = {"--solver", "NAME",
                       "solver (percuss list solvers), or all; auto if not given"},
    [OPTION_TOL] = {"--tol", "X", "tolerance of the residual; 1e-8 if not given"},
    [OPTION_MEASURE] = {"--measure", "NAME",
                        "which residual: relative (natural map over max(|q|, |r|, |u|)), scaled\n"
                        "(worst contact, relative to the driving velocity) or unscaled; relative\n"
                        "if not given"},
    [OPTION_MAX_TIME] = {"--max-time", "SECONDS", "stop a solve after this time"},
    [OPTION_MAX_ITERATIONS] = {"--max-iterations", "N",
                               "stop a solve after so many iterations; the solver's own limit if\n"
                               "not given"},
    [OPTION_SET] = {"--set", "KEY=VALUE", "option of the solver; may be repeated"},
    [OPTION_THREADS] = {"--threads", "N",
                        "threads; 1 if not given. The answer has the same bits for any number"},
    [OPTION_REPORT] =
        {"--report", NULL,
         "below each line the sizes, the stages, the state of the contacts, what the\n"
         "check found and, if unsolved, why"},
    [OPTION_COUNT_SOLUTIONS] = {"--count-solutions", NULL,
                                "count the solutions of small problems by enumeration"},
    [OPTION_WRITE] = {"--write", "FILE",
                      "write the problem to a file: FCLIB with the solution if its name ends in\n"
                      ".hdf5 or .h5, the text format otherwise; for one problem and one solver"},
    [OPTION_JSON] = {"--json", NULL, "one JSON object on a line for each file and solver"},
};

static const cli_syntax syntax = {
    .usage = "percuss solve FILE... [OPTION]...",
    .text = "Solves contact problems (LCP, MLCP, friction in local or global form; FCLIB HDF5 or\n"
            "text files) from zero, checks each answer from the data alone and prints a line for\n"
            "each. Ctrl-C stops the solve and prints what there is.",
    .options = options,
    .n_options = OPTION_COUNT,
    .notes =
        "status: solved; rounding (the residual is as small as double allows); unsolved;\n"
        "false (the solver reports success, the check does not confirm it)\n\n"
        "exit code: 0 all solved and verified; 1 some not solved; 2 mistake in an option or a\n"
        "file (the other files are still solved); 3 a solve failed or its output could not be\n"
        "written; 130 interrupted",
};

typedef struct session {
    const char **files;
    int n_files, name_width;
    const char *solver, *write;
    bool report, json, heading; // heading: it was printed
    pcs_solve_opts opts;
    cli_settings settings;
    bool *used; // settings that some solver of the present file knows
    pcs_context *ctx;
} session;

// ---- Command line ----

static bool read_measure(const char *text, pcs_measure *measure)
{
    static const char *const names[] = {"scaled", "unscaled", "relative"};
    static const pcs_measure measures[] = {PCS_MEASURE_SCALED, PCS_MEASURE_UNSCALED,
                                           PCS_MEASURE_RELATIVE};
    for (int i = 0; i < 3; i++) {
        if (strcmp(text, names[i]) == 0) {
            *measure = measures[i];
            return true;
        }
    }
    cli_message("--measure %s: must be relative, scaled or unscaled", text);
    return false;
}

static void take_file(session *run, const char *path)
{
    const int length = (int)strlen(path);
    run->files[run->n_files++] = path;
    run->name_width = length > run->name_width ? length : run->name_width;
}

static bool take_argument(void *user, int option, char *value)
{
    session *run = user;
    pcs_solve_opts *opts = &run->opts;
    switch (option) {
    case CLI_OPERAND:
        take_file(run, value);
        break;
    case OPTION_SOLVER:
        run->solver = value;
        return cli_solver_check(value);
    case OPTION_TOL:
        return cli_read_positive("--tol", value, &opts->tolerance);
    case OPTION_MEASURE:
        return read_measure(value, &opts->measure);
    case OPTION_MAX_TIME:
        return cli_read_positive("--max-time", value, &opts->max_time);
    case OPTION_MAX_ITERATIONS:
        return cli_read_integer("--max-iterations", value, 1, &opts->max_iterations);
    case OPTION_SET:
        return cli_settings_add(&run->settings, value);
    case OPTION_THREADS:
        return cli_read_integer("--threads", value, 1, &opts->threads);
    case OPTION_WRITE:
        run->write = value;
        break;
    case OPTION_COUNT_SOLUTIONS:
        opts->count_solutions = 1;
        break;
    case OPTION_REPORT:
        run->report = true;
        break;
    default:
        run->json = true;
    }
    return true;
}

static bool is_same_file(const char *a, const char *b)
{
    struct stat first, second;
    return stat(a, &first) == 0 && stat(b, &second) == 0 && first.st_dev == second.st_dev &&
           first.st_ino == second.st_ino;
}

static bool check_options(const session *run)
{
    if (run->n_files == 0)
        cli_message("solve needs a problem file: %s", syntax.usage);
    else if (run->write && (run->n_files > 1 || strcmp(run->solver, "all") == 0))
        cli_message("--write is for one problem file and one solver");
    else if (run->write && is_same_file(run->write, run->files[0]))
        cli_message("%s: is the problem file; give another name with --write", run->write);
    else if (run->json && run->report)
        cli_message("--json and --report contradict each other: the JSON has it all");
    else
        return true;
    return false;
}

// CLI_END if all is well, CLI_HELP or CLI_MISTAKE otherwise.
static int parse(session *run, int argc, char **argv)
{
    const int parsed = cli_parse(&syntax, argc, argv, take_argument, run);
    if (parsed != CLI_END)
        return parsed;
    return check_options(run) ? CLI_END : CLI_MISTAKE;
}

// ---- One file ----

static int stop_on_interrupt(void *user)
{
    (void)user;
    return cli_interrupted();
}

static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n >= m && strcasecmp(text + (n - m), end) == 0;
}

static cli_exit write_problem(const session *run, const pcs_problem *problem, const double *r)
{
    bool fclib = ends_with(run->write, ".hdf5") || ends_with(run->write, ".h5");
    pcs_status status = pcs_problem_write(
        problem, run->write, fclib ? PCS_PROBLEM_FCLIB : PCS_PROBLEM_TEXT, fclib ? r : NULL);
    if (status >= 0)
        return CLI_EXIT_OK;
    cli_message("%s", pcs_context_error(run->ctx));
    return status == PCS_ERROR_ARGUMENT || status == PCS_ERROR_INPUT ? CLI_EXIT_BAD_INPUT
                                                                     : CLI_EXIT_FAILED;
}

static void print_result(session *run, const cli_solve_result *result)
{
    if (!run->json && !run->heading)
        cli_solve_print_heading(stdout, run->name_width);
    run->heading = true;
    if (run->json)
        cli_solve_print_json(stdout, result);
    else
        cli_solve_print_line(stdout, result, run->name_width);
    if (run->report)
        cli_solve_print_report(stdout, result);
    fflush(stdout);
}

static cli_exit exit_code(const cli_solve_result *result)
{
    const char *word = cli_solve_word(result);
    if (result->status == PCS_ERROR_ARGUMENT || result->status == PCS_ERROR_INPUT)
        return CLI_EXIT_BAD_INPUT;
    if (result->status < 0)
        return CLI_EXIT_FAILED;
    bool good = strcmp(word, "solved") == 0 ||
                (strcmp(word, "rounding") == 0 && result->status == PCS_OK);
    return good ? CLI_EXIT_OK : CLI_EXIT_BAD_VERDICT;
}

static cli_exit solve_with(session *run, const char *file, const pcs_problem *problem, int32_t i,
                           double *r)
{
    const pcs_option *table = NULL;
    int32_t n_options = 0;
    cli_solve_result result = {.file = file, .problem = problem, .opts = &run->opts};
    result.solver = pcs_problem_solver(pcs_problem_get_class(problem), i, NULL, &table, &n_options);
    double *values = cli_solver_values(&run->settings, table, n_options, run->used);
    if (!values)
        return CLI_EXIT_BAD_INPUT;
    memset(r, 0, (size_t)pcs_problem_rows(problem) * sizeof *r);
    result.info.solutions = -1;
    result.status = pcs_problem_solve(problem, result.solver, &run->opts, values, r, NULL,
                                      &result.info);
    free(values);
    if (result.status == PCS_INTERRUPTED && isnan(result.info.residual.unscaled)) {
        // stopped before anything was measured: the check would take longer than was allowed
        result.verdict = (pcs_verdict){.residual = result.info.residual,
                                       .cone = NAN,
                                       .dual = NAN,
                                       .complementarity = NAN,
                                       .bilateral = NAN,
                                       .dissipation = NAN,
                                       .equation = NAN};
    } else if (result.status >= 0) {
        pcs_status check = pcs_problem_verify(problem, r, &result.verdict);
        if (check < 0)
            result.status = check;
    }
    if (result.status < 0) {
        result.error = pcs_context_error(run->ctx);
        cli_message("%s: %s: %s", file, result.solver, result.error);
    }
    print_result(run, &result);
    cli_exit code = exit_code(&result);
    if (result.status >= 0 && run->write) {
        cli_exit written = write_problem(run, problem, r);
        code = written > code ? written : code;
    }
    return code;
}

// A key that no solver in use knows is a typing error.
static bool check_settings(const session *run, const char *file)
{
    for (int32_t i = 0; i < run->settings.count; i++) {
        if (!run->used[i]) {
            cli_message("%s: %s has no option '%s' for this problem (percuss list solvers)", file,
                        strcmp(run->solver, "all") == 0 ? "no solver" : run->solver,
                        run->settings.list[i].key);
            return false;
        }
    }
    return true;
}

// Which of the settings the chosen solvers of this class know.
static void mark_settings(session *run, pcs_problem_class problem_class)
{
    const char *name;
    const pcs_option *table = NULL;
    int32_t count = 0;
    bool all = strcmp(run->solver, "all") == 0;
    for (int32_t i = 0; i < run->settings.count; i++)
        run->used[i] = false;
    for (int32_t s = 0; (name = pcs_problem_solver(problem_class, s, NULL, &table, &count)); s++) {
        if (!all && strcmp(name, run->solver) != 0)
            continue;
        for (int32_t i = 0; i < run->settings.count; i++) {
            for (int32_t k = 0; k < count; k++)
                run->used[i] |= strcmp(run->settings.list[i].key, table[k].key) == 0;
        }
    }
}

static cli_exit solve_problem(session *run, const char *file, const pcs_problem *problem)
{
    pcs_problem_class problem_class = pcs_problem_get_class(problem);
    bool all = strcmp(run->solver, "all") == 0;
    if (!all && !cli_solver_check_class(file, problem_class, run->solver))
        return CLI_EXIT_BAD_INPUT;
    mark_settings(run, problem_class);
    if (!check_settings(run, file))
        return CLI_EXIT_BAD_INPUT;
    double *r = calloc((size_t)pcs_problem_rows(problem) + 1, sizeof *r);
    if (!r) {
        cli_message("out of memory");
        return CLI_EXIT_FAILED;
    }
    cli_exit code = CLI_EXIT_OK;
    int32_t first = all ? 0 : cli_solver_find(problem_class, run->solver);
    for (int32_t i = first; pcs_problem_solver(problem_class, i, NULL, NULL, NULL); i++) {
        cli_exit one = solve_with(run, file, problem, i, r);
        code = one > code ? one : code;
        if (!all || cli_interrupted())
            break;
    }
    free(r);
    return code;
}

static cli_exit solve_file(session *run, const char *file)
{
    pcs_problem *problem = NULL;
    cli_interrupt_pause();
    pcs_status status = pcs_problem_read(run->ctx, file, &problem);
    cli_interrupt_install();
    if (status < 0) {
        cli_solve_result failed = {
            .file = file, .status = status, .error = pcs_context_error(run->ctx)};
        if (run->json)
            cli_solve_print_json(stdout, &failed);
        return cli_input_error(run->ctx, status);
    }
    cli_exit code = solve_problem(run, file, problem);
    pcs_problem_destroy(problem);
    return code;
}

static cli_exit execute(session *run)
{
    cli_exit code = CLI_EXIT_OK;
    for (int i = 0; i < run->n_files && !cli_interrupted(); i++) {
        cli_exit one = solve_file(run, run->files[i]);
        code = one > code ? one : code;
    }
    return cli_interrupted() ? CLI_EXIT_INTERRUPTED : code;
}

cli_exit cli_solve(int argc, char **argv)
{
    session run = {.solver = "auto", .opts = pcs_solve_default(), .name_width = 4};
    cli_exit code = CLI_EXIT_FAILED;
    run.opts.stop = stop_on_interrupt;
    run.ctx = cli_context_create();
    run.files = calloc((size_t)argc + 1, sizeof *run.files);
    run.used = calloc((size_t)argc + 1, sizeof *run.used);
    if (!run.files || !run.used)
        cli_message("out of memory");
    else if (run.ctx && run.files && run.used && cli_settings_init(&run.settings, argc)) {
        int parsed = parse(&run, argc, argv);
        cli_interrupt_install();
        code = parsed == CLI_HELP      ? CLI_EXIT_OK
               : parsed == CLI_MISTAKE ? CLI_EXIT_BAD_INPUT
                                       : execute(&run);
    }
    cli_settings_free(&run.settings);
    pcs_context_destroy(run.ctx);
    free(run.files);
    free(run.used);
    return code;
}
