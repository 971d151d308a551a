// percuss bench solve: times of all solvers on contact problems, performance profiles, and the
// comparison with Siconos where it is built in.
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "commands.h"
#include "interrupt.h"
#include "message.h"
#include "number_options.h"
#include "options.h"
#include "peer.h"
#include "problem_files.h"
#include "solve_table.h"
#include "solver_choice.h"

enum {
    OPTION_SOLVERS,
    OPTION_TOL,
    OPTION_MAX_TIME,
    OPTION_MIN_CONTACTS,
    OPTION_REPEAT,
    OPTION_CSV,
    OPTION_SVG,
    OPTION_NO_PEER,
    OPTION_COUNT
};

static const cli_option options[OPTION_COUNT] = {
    [OPTION_SOLVERS] = {"--solvers", "NAME,...",
                        "our solvers (percuss list solvers); all if not given. The first is the\n"
                        "one that is compared with the peer"},
    [OPTION_TOL] = {"--tol", "X,...", "tolerances; 1e-4,1e-8,1e-12 if not given"},
    [OPTION_MAX_TIME] = {"--max-time", "SECONDS", "limit for one solve; 10 if not given"},
    [OPTION_MIN_CONTACTS] = {"--min-contacts", "N",
                             "smallest problems in the comparison with the peer; 20 if not given"},
    [OPTION_REPEAT] = {"--repeat", "N",
                       "runs of each solve, of which the fastest counts; at least 5 for solves\n"
                       "below 50 ms, 3 below 1 s, 1 above"},
    [OPTION_CSV] = {"--csv", "FILE", "write all measurements to this file"},
    [OPTION_SVG] = {"--svg", "FILE", "draw the performance profiles into this file"},
    [OPTION_NO_PEER] = {"--no-peer", NULL, "leave Siconos out"},
};

static const cli_syntax syntax = {
    .usage = "percuss bench solve FOLDER|FILE... [OPTION]...",
    .text = "Measures solvers on contact problems: the time of the solve alone, from zero, on one\n"
            "thread; the residual is verified from the data in the relative measure, for the peer\n"
            "as well. Folders stand for all .dat, .hdf5 and .h5 files below them.",
    .options = options,
    .n_options = OPTION_COUNT,
    .notes =
        "cells: time/iterations, T/O above the time limit, (residual) not solved, crash, - not\n"
        "run because a looser tolerance took too long, or no solver for the problem\n\n"
        "exit code: 0 finished; 2 mistake in an option or a file (the other files are still\n"
        "measured); 3 the output could not be written; 130 interrupted",
};

static const double SHORT = 0.05;     // s: below this a solve is repeated
static const double AMPLE = 0.02;     // s: so much time is spent on repeating the shortest
static const double NEAR = 1e3;       // a residual so much above the tolerance is a near miss
static const double CHILD_LONG = 1.0; // s: from here on once, and for the peer its child's time
enum { REPEATS_SHORT = 5, REPEATS_MEDIUM = 3, REPEATS_MAX = 200, NAMES_MAX = 32 };

typedef struct session {
    bool named; // what to measure
    cli_file_list files;
    size_t common;                  // length of the folder that all files have in common
    const char *solvers[NAMES_MAX]; // own solvers by name, none: all
    int n_solvers;
    int32_t least_contacts, repeat;
    double limit;
    bool no_peer;
    const char *csv, *svg;
    pcs_output_file *csv_file, *svg_file;
    cli_bench_table table;
    pcs_context *ctx;
} session;

// ---- Command line ----

static bool take_solvers(session *run, char *text)
{
    for (char *name = strtok(text, ","); name; name = strtok(NULL, ",")) {
        if (strcmp(name, "all") == 0)
            continue;
        if (!cli_solver_check(name))
            return false;
        if (run->n_solvers < NAMES_MAX)
            run->solvers[run->n_solvers++] = name;
    }
    return true;
}

static int compare_tolerances(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y); // loose first
}

static bool take_tolerances(session *run, char *text)
{
    cli_bench_table *table = &run->table;
    table->n_tolerances = 0;
    for (char *number = strtok(text, ","); number; number = strtok(NULL, ",")) {
        double value;
        if (!cli_read_positive("--tol", number, &value))
            return false;
        if (table->n_tolerances == CLI_TOLERANCES_MAX) {
            cli_message("--tol: at most %d tolerances", CLI_TOLERANCES_MAX);
            return false;
        }
        table->tolerance[table->n_tolerances++] = value;
    }
    qsort(table->tolerance, (size_t)table->n_tolerances, sizeof *table->tolerance,
          compare_tolerances);
    if (table->n_tolerances == 0)
        cli_message("--tol: no tolerance");
    return table->n_tolerances > 0;
}

// The first operand says what to measure, the others are files and folders.
static bool take_operand(session *run, char *value)
{
    if (run->named)
        return cli_file_list_add(&run->files, value);
    run->named = strcmp(value, "solve") == 0;
    if (!run->named)
        cli_message("bench measures 'solve', not '%s': %s", value, syntax.usage);
    return run->named;
}

static bool take_argument(void *user, int option, char *value)
{
    session *run = user;
    switch (option) {
    case CLI_OPERAND:
        return take_operand(run, value);
    case OPTION_SOLVERS:
        return take_solvers(run, value);
    case OPTION_TOL:
        return take_tolerances(run, value);
    case OPTION_MAX_TIME:
        return cli_read_positive("--max-time", value, &run->limit);
    case OPTION_MIN_CONTACTS:
        return cli_read_integer("--min-contacts", value, 0, &run->least_contacts);
    case OPTION_REPEAT:
        return cli_read_integer("--repeat", value, 1, &run->repeat);
    case OPTION_CSV:
        run->csv = value;
        break;
    case OPTION_SVG:
        run->svg = value;
        break;
    default:
        run->no_peer = true;
    }
    return true;
}

// CLI_END if all is well, CLI_HELP or CLI_MISTAKE otherwise.
static int parse(session *run, int argc, char **argv)
{
    const int parsed = cli_parse(&syntax, argc, argv, take_argument, run);
    if (parsed != CLI_END)
        return parsed;
    if (run->files.count > 0)
        return CLI_END;
    cli_message("bench needs problem files: %s", syntax.usage);
    return CLI_MISTAKE;
}

// ---- Measuring ----

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int stop_on_interrupt(void *user)
{
    (void)user;
    return cli_interrupted();
}

// How often a solve that takes so long runs in all; the fastest run counts.
static int32_t count_runs(const session *run, double seconds)
{
    int32_t least = seconds < SHORT ? REPEATS_SHORT : seconds < CHILD_LONG ? REPEATS_MEDIUM : 1;
    least = run->repeat > least ? run->repeat : least;
    if (seconds >= SHORT)
        return least;
    double ample = seconds > 0 ? AMPLE / seconds : REPEATS_MAX;
    int32_t most = ample < REPEATS_MAX ? (int32_t)ample : REPEATS_MAX;
    return most > least ? most : least;
}

// The outcome is the verifier's word; what a solver says about itself does not count.
static void judge(const pcs_problem *problem, const double *r, double tolerance, cli_trial *trial)
{
    pcs_verdict verdict;
    trial->residual = NAN;
    if (pcs_problem_verify(problem, r, &verdict) >= 0)
        trial->residual = verdict.residual.relative;
    trial->outcome = trial->residual <= tolerance ? CLI_OUTCOME_SOLVED : CLI_OUTCOME_UNSOLVED;
}

// *measured: it was not stopped before there was something to measure.
static pcs_status solve_once(const session *run, const pcs_problem *problem, const char *solver,
                             double tolerance, double *r, cli_trial *trial, bool *measured)
{
    pcs_solve_opts opts = pcs_solve_default();
    pcs_solve_info info;
    opts.tolerance = tolerance;
    opts.measure = PCS_MEASURE_RELATIVE;
    opts.max_time = run->limit;
    opts.stop = stop_on_interrupt;
    memset(r, 0, (size_t)pcs_problem_rows(problem) * sizeof *r);
    memset(&info, 0, sizeof info);
    double start = seconds_now();
    pcs_status status = pcs_problem_solve(problem, solver, &opts, NULL, r, NULL, &info);
    trial->seconds = seconds_now() - start;
    trial->iterations = info.iterations;
    *measured = status != PCS_INTERRUPTED || !isnan(info.residual.relative);
    return status;
}

static void measure_own(const session *run, const pcs_problem *problem, const char *file,
                        const char *solver, double tolerance, double *r, cli_trial *trial)
{
    bool measured;
    pcs_status status = solve_once(run, problem, solver, tolerance, r, trial, &measured);
    if (status < 0) {
        cli_message("%s: %s: %s", file, solver, pcs_context_error(run->ctx));
        trial->outcome = CLI_OUTCOME_UNSOLVED;
        trial->residual = NAN;
        return;
    }
    if (!measured) {
        trial->outcome = CLI_OUTCOME_TIMEOUT;
        trial->residual = NAN;
        return;
    }
    judge(problem, r, tolerance, trial);
    if (trial->outcome != CLI_OUTCOME_SOLVED) {
        if (status == PCS_INTERRUPTED || trial->seconds >= run->limit)
            trial->outcome = CLI_OUTCOME_TIMEOUT;
        return;
    }
    double best = trial->seconds;
    for (int32_t k = count_runs(run, best); k > 1 && !cli_interrupted(); k--) {
        if (solve_once(run, problem, solver, tolerance, r, trial, &measured) < 0)
            break;
        best = fmin(best, trial->seconds);
    }
    trial->seconds = best;
}

static void measure_peer(const session *run, const pcs_problem *problem, cli_peer *peer, int32_t i,
                         double tolerance, double *r, cli_trial *trial)
{
    cli_peer_run result = {0};
    double asked = tolerance;
    cli_peer_end end = cli_peer_try(peer, i, asked, run->limit, r, &result);
    if (end == CLI_PEER_ENDED)
        judge(problem, r, tolerance, trial);
    // It stops on its own measure, which may be the laxer one: asked once more, more strictly.
    if (end == CLI_PEER_ENDED && trial->residual > tolerance &&
        trial->residual <= NEAR * tolerance) {
        asked = 0.5 * tolerance * tolerance / trial->residual;
        end = cli_peer_try(peer, i, asked, run->limit, r, &result);
    }
    trial->seconds = end == CLI_PEER_TIMEOUT ? run->limit : result.seconds;
    trial->iterations = result.iterations;
    trial->residual = NAN;
    trial->outcome = end == CLI_PEER_TIMEOUT   ? CLI_OUTCOME_TIMEOUT
                     : end == CLI_PEER_CRASHED ? CLI_OUTCOME_CRASHED
                                               : CLI_OUTCOME_NOT_RUN;
    if (end != CLI_PEER_ENDED)
        return;
    judge(problem, r, tolerance, trial);
    if (trial->outcome != CLI_OUTCOME_SOLVED || result.seconds >= CHILD_LONG)
        return;
    double best = INFINITY;
    for (int32_t k = count_runs(run, result.seconds); k > 0 && !cli_interrupted(); k--) {
        cli_peer_solve(peer, i, asked, r, &result);
        best = fmin(best, result.seconds);
    }
    if (!isfinite(best))
        return; // interrupted: the child's time stands
    trial->seconds = best;
    judge(problem, r, tolerance, trial);
}

// All tolerances for one column, from loose to tight, until one takes too long.
static void measure_column(const session *run, const pcs_problem *problem, cli_peer *peer,
                           const cli_group *group, int32_t row, int32_t column, double *r)
{
    int32_t own = 0;
    while (own < group->n_columns && !group->columns[own].is_peer)
        own++;
    for (int32_t k = 0; k < run->table.n_tolerances && !cli_interrupted(); k++) {
        cli_trial *trial = cli_group_trial(group, row, k, column);
        double tolerance = run->table.tolerance[k];
        if (!group->columns[column].is_peer)
            measure_own(run, problem, group->rows[row].name, group->columns[column].name, tolerance,
                        r, trial);
        else if (peer)
            measure_peer(run, problem, peer, column - own, tolerance, r, trial);
        if (trial->outcome == CLI_OUTCOME_TIMEOUT || trial->outcome == CLI_OUTCOME_CRASHED)
            return;
    }
}

// ---- Files ----

static bool add_column(cli_group *group, const char *name, bool is_peer)
{
    size_t count = (size_t)group->n_columns + 1;
    cli_column *columns = realloc(group->columns, count * sizeof *columns);
    if (!columns)
        return false;
    group->columns = columns;
    cli_column *column = &columns[group->n_columns++];
    snprintf(column->name, sizeof column->name, "%s", name);
    snprintf(column->label, sizeof column->label, "%s%s", is_peer ? "S:" : "", column->name);
    column->is_peer = is_peer;
    return true;
}

// The columns of a class: our solvers, then the peer's. NULL: memory is out or there is no room.
static cli_group *make_group(session *run, pcs_problem_class problem_class, int32_t dimension)
{
    if (run->table.n_groups == CLI_GROUPS_MAX)
        return NULL;
    cli_group *group = &run->table.group[run->table.n_groups++];
    const char *name;
    bool ok = true;
    *group = (cli_group){.problem_class = problem_class, .dimension = dimension};
    for (int i = 0; i < run->n_solvers; i++) {
        if (cli_solver_find(problem_class, run->solvers[i]) >= 0)
            ok = ok && add_column(group, run->solvers[i], false);
    }
    for (int32_t i = 0;
         run->n_solvers == 0 && (name = pcs_problem_solver(problem_class, i, NULL, NULL, NULL));
         i++)
        ok = ok && add_column(group, name, false);
    for (int32_t i = 0; run->table.peer && (name = cli_peer_solver(problem_class, dimension, i));
         i++)
        ok = ok && add_column(group, name, true);
    return ok ? group : NULL;
}

static bool add_row(const session *run, cli_group *group, const char *name, int32_t contacts)
{
    size_t trials = (size_t)run->table.n_tolerances * (size_t)group->n_columns;
    cli_row *rows = realloc(group->rows, ((size_t)group->n_rows + 1) * sizeof *rows);
    if (!rows)
        return false;
    group->rows = rows;
    cli_row *row = &rows[group->n_rows];
    *row = (cli_row){name, contacts, calloc(trials + 1, sizeof *row->trials)};
    return row->trials && ++group->n_rows;
}

static cli_exit measure_problem(session *run, const char *file, const pcs_problem *problem)
{
    pcs_problem_class problem_class = pcs_problem_get_class(problem);
    int32_t dimension = pcs_problem_dimension(problem), contacts = pcs_problem_contacts(problem);
    cli_group *group = cli_bench_table_find(&run->table, problem_class, dimension);
    if (!group)
        group = make_group(run, problem_class, dimension);
    double *r = calloc((size_t)pcs_problem_rows(problem) + 1, sizeof *r);
    if (!group || !r || !add_row(run, group, file, contacts)) {
        cli_message("out of memory");
        free(r);
        return CLI_EXIT_FAILED;
    }
    cli_peer *peer = run->table.peer ? cli_peer_create(file, problem) : NULL;
    for (int32_t s = 0; s < group->n_columns && !cli_interrupted(); s++)
        measure_column(run, problem, peer, group, group->n_rows - 1, s, r);
    cli_peer_destroy(peer);
    free(r);
    return CLI_EXIT_OK;
}

// Length of the leading folders that all paths share.
static size_t common_folder(const cli_file_list *files)
{
    const char *first = files->paths[0], *slash = strrchr(first, '/');
    size_t length = slash ? (size_t)(slash - first) + 1 : 0;
    for (int i = 1; i < files->count; i++) {
        while (length > 0 && strncmp(first, files->paths[i], length) != 0) {
            length--;
            while (length > 0 && first[length - 1] != '/')
                length--;
        }
    }
    return length;
}

static cli_exit measure_file(session *run, int i)
{
    const char *file = run->files.paths[i];
    pcs_problem *problem = NULL;
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "%d/%d %s\n", i + 1, run->files.count, file);
    cli_interrupt_pause();
    pcs_status status = pcs_problem_read(run->ctx, file, &problem);
    cli_interrupt_install();
    if (status < 0)
        return cli_input_error(run->ctx, status);
    cli_exit code = measure_problem(run, file + run->common, problem);
    pcs_problem_destroy(problem);
    return code;
}

// ---- Output ----

static void print_profile(const session *run, const cli_group *group, int32_t tolerance)
{
    cli_profile profile;
    char text[CLI_CLASS_TEXT], title[64];
    snprintf(title, sizeof title, "%s, tolerance %g",
             group ? cli_class_text(text, group->problem_class, group->dimension) : "all problems",
             run->table.tolerance[tolerance]);
    if (!cli_profile_create(&profile, &run->table, group, tolerance)) {
        cli_message("out of memory");
        return;
    }
    cli_profile_print(stdout, &profile, title, "solver");
    cli_profile_free(&profile);
}

static void print_all(const session *run)
{
    const cli_bench_table *table = &run->table;
    for (int32_t k = 0; k < table->n_tolerances; k++) {
        for (int32_t g = 0; g < table->n_groups; g++) {
            cli_bench_print_times(stdout, table, &table->group[g], k);
            print_profile(run, &table->group[g], k);
        }
        if (table->n_groups > 1)
            print_profile(run, NULL, k);
    }
    for (int32_t k = 0; table->peer && k < table->n_tolerances; k++)
        cli_bench_print_comparison(stdout, table, k, run->least_contacts);
}

static void write_svg(const session *run)
{
    cli_profile profiles[CLI_TOLERANCES_MAX];
    char title[64], text[CLI_CLASS_TEXT];
    int32_t count = 0, problems = 0;
    const cli_bench_table *table = &run->table;
    const cli_group *group = table->n_groups == 1 ? &table->group[0] : NULL;
    while (count < table->n_tolerances && cli_profile_create(&profiles[count], table, group, count))
        problems = profiles[count++].n_problems;
    snprintf(title, sizeof title, "Performance profile, %s (%d problems)",
             group ? cli_class_text(text, group->problem_class, group->dimension) : "all classes",
             (int)problems);
    cli_profile_write_svg(pcs_output_file_stream(run->svg_file), profiles, count, title);
    for (int32_t k = 0; k < count; k++)
        cli_profile_free(&profiles[k]);
}

// Open from the start, so that a place that cannot be written is told before hours of solves.
static bool open_output(session *run, const char *path, const char *what, pcs_output_file **file)
{
    if (!path || pcs_output_file_create(run->ctx, path, what, file) >= 0)
        return true;
    cli_message("%s", pcs_context_error(run->ctx));
    return false;
}

static bool close_output(session *run, pcs_output_file **file)
{
    pcs_output_file *const whole = *file;
    *file = NULL;
    if (!whole || pcs_output_file_commit(whole) >= 0)
        return true;
    cli_message("%s", pcs_context_error(run->ctx));
    return false;
}

static void announce(session *run)
{
    if (run->no_peer)
        return;
    run->table.peer = cli_peer_name();
    if (!run->table.peer)
        puts("This program was built without Siconos: no peer to compare with.");
    else
        printf(
            "%s: its solvers (S: in the tables) cannot be stopped, and some end the process; so "
            "each\nfirst runs in a child with the time limit. Those whose answer is verified are "
            "then timed\nin this process, in the same way as ours; above 1 s the child's time "
            "counts. Global problems\nalso go to its local solvers, with the time of the "
            "reduction.\n",
            run->table.peer);
    fflush(stdout);
}

static cli_exit execute(session *run)
{
    if (!open_output(run, run->csv, "the measurements", &run->csv_file) ||
        !open_output(run, run->svg, "the profiles", &run->svg_file))
        return CLI_EXIT_FAILED;
    cli_exit code = CLI_EXIT_OK;
    announce(run);
    run->common = common_folder(&run->files);
    for (int i = 0; i < run->files.count && !cli_interrupted(); i++) {
        cli_exit one = measure_file(run, i);
        code = one > code ? one : code;
    }
    print_all(run);
    if (run->csv_file)
        cli_bench_write_csv(pcs_output_file_stream(run->csv_file), &run->table);
    if (run->svg_file)
        write_svg(run);
    const bool csv_good = close_output(run, &run->csv_file);
    if (!close_output(run, &run->svg_file) || !csv_good)
        return CLI_EXIT_FAILED;
    return cli_interrupted() ? CLI_EXIT_INTERRUPTED : code;
}

cli_exit cli_bench(int argc, char **argv)
{
    session run = {
        .least_contacts = 20,
        .repeat = 1,
        .limit = 10,
        .table = {.n_tolerances = 3, .tolerance = {1e-4, 1e-8, 1e-12}},
        .ctx = cli_context_create(),
    };
    cli_exit code = CLI_EXIT_FAILED;
    if (run.ctx) {
        int parsed = parse(&run, argc, argv);
        cli_interrupt_install();
        code = parsed == CLI_HELP      ? CLI_EXIT_OK
               : parsed == CLI_MISTAKE ? CLI_EXIT_BAD_INPUT
                                       : execute(&run);
    }
    pcs_output_file_abandon(run.svg_file); // where the measurement did not begin
    pcs_output_file_abandon(run.csv_file);
    cli_bench_table_free(&run.table);
    cli_file_list_free(&run.files);
    pcs_context_destroy(run.ctx);
    return code;
}
