#include "dump_problems.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "message.h"
#include "run_summary.h"

static const char NAME_FORMAT[] = "%s/step-%08lld.hdf5";
enum { NAME_SIZE = 40 }; // of the longest name in that form, with its slash and end

// ---- The condition ----

static const char *skip_spaces(const char *text)
{
    return text + strspn(text, " \t");
}

// What follows `word`, behind spaces; NULL if the text does not begin with it.
static const char *skip_word(const char *text, const char *word)
{
    size_t length = strlen(word);
    return strncmp(text, word, length) == 0 ? skip_spaces(text + length) : NULL;
}

static const char *skip_above(const char *text, const char *quantity)
{
    text = skip_word(text, quantity);
    return text ? skip_word(text, ">") : NULL;
}

static bool is_end(const char *text)
{
    return !*skip_spaces(text);
}

static bool read_count(const char *text, long long lowest, int64_t *count)
{
    char *end = NULL;
    errno = 0;
    long long number = strtoll(text, &end, 10);
    *count = number;
    return end != text && is_end(end) && errno == 0 && number >= lowest;
}

static bool read_bound(const char *text, double *bound)
{
    char *end = NULL;
    *bound = strtod(text, &end);
    return end != text && is_end(end) && isfinite(*bound) && *bound >= 0;
}

bool cli_dump_read_when(cli_dump *dump, const char *text)
{
    const char *start = skip_spaces(text), *rest;
    bool good = false;
    dump->when = text;
    if ((rest = skip_above(start, "residual"))) {
        dump->condition = CLI_DUMP_RESIDUAL;
        good = read_bound(rest, &dump->bound);
    } else if ((rest = skip_above(start, "iterations"))) {
        dump->condition = CLI_DUMP_ITERATIONS;
        good = read_count(rest, 0, &dump->count);
    } else if ((rest = skip_word(start, "every"))) {
        dump->condition = CLI_DUMP_EVERY;
        good = rest > start + strlen("every") && read_count(rest, 1, &dump->count);
    }
    if (!good)
        cli_message("--when '%s': must be like 'residual>1e-6', 'iterations>100' or 'every 50'",
                    text);
    return good;
}

static bool is_met(const cli_dump *dump, const pcs_problem_step *step)
{
    switch (dump->condition) {
    case CLI_DUMP_RESIDUAL:
        return !(step->residual <= dump->bound); // so that NaN is kept
    case CLI_DUMP_ITERATIONS:
        return step->iterations > dump->count;
    case CLI_DUMP_EVERY:
        return step->step % dump->count == 0;
    default:
        return step->status == PCS_NOT_CONVERGED;
    }
}

// ---- The hook ----

static bool wants(void *user, const pcs_problem_step *step)
{
    cli_dump *dump = user;
    if (!is_met(dump, step))
        return false;
    if (dump->written < dump->limit)
        return true;
    if (!dump->limit_was_met)
        cli_message("step %lld, t = %g s: %s already has %lld contact problem%s of this run; no "
                    "more are written (--dump-limit)",
                    (long long)step->step, step->time, dump->folder, (long long)dump->written,
                    dump->written == 1 ? "" : "s");
    dump->limit_was_met = true;
    return false;
}

static pcs_status take(void *user, const pcs_problem_step *step, pcs_problem *problem,
                       const double *r)
{
    cli_dump *dump = user;
    pcs_problem_destroy(dump->problem); // an earlier solve of the step
    dump->problem = problem;
    dump->step = step->step;
    memcpy(dump->r, r, sizeof *r * (size_t)pcs_problem_rows(problem));
    return PCS_OK;
}

// ---- The run ----

static bool make_folder(cli_dump *dump)
{
    struct stat info;
    dump->created = mkdir(dump->folder, 0777) == 0;
    if (!dump->created && errno != EEXIST)
        cli_message("--dump-problems %s: cannot make the folder: %s", dump->folder,
                    errno == ENOENT ? "the one that it lies in does not exist" : strerror(errno));
    else if (stat(dump->folder, &info) != 0 || !S_ISDIR(info.st_mode))
        cli_message("--dump-problems %s: is a file; give the name of a folder", dump->folder);
    else if (access(dump->folder, W_OK | X_OK) != 0)
        cli_message("--dump-problems %s: no permission to write in this folder", dump->folder);
    else
        return true;
    return false;
}

cli_exit cli_dump_open(cli_dump *dump, pcs_simulation *simulation)
{
    if (!dump->folder)
        return CLI_EXIT_OK;
    const pcs_model *model = pcs_simulation_model(simulation);
    size_t rows = (size_t)pcs_model_dimension(model) * (size_t)pcs_model_contact_count(model);
    dump->path_size = strlen(dump->folder) + NAME_SIZE;
    dump->path = malloc(dump->path_size);
    dump->r = malloc((rows + 1) * sizeof *dump->r);
    if (!dump->path || !dump->r) {
        cli_message("out of memory");
        return CLI_EXIT_FAILED;
    }
    if (!make_folder(dump))
        return CLI_EXIT_FAILED;
    if (dump->limit == 0)
        dump->limit = CLI_DUMP_LIMIT;
    pcs_problem_hook hook = {.wants = wants, .take = take, .user = dump};
    pcs_simulation_set_problem_hook(simulation, &hook);
    return CLI_EXIT_OK;
}

void cli_dump_cancel(const cli_dump *dump)
{
    if (dump->created)
        (void)rmdir(dump->folder);
}

pcs_status cli_dump_step(cli_dump *dump)
{
    if (!dump->problem)
        return PCS_OK;
    snprintf(dump->path, dump->path_size, NAME_FORMAT, dump->folder, (long long)dump->step);
    pcs_status status = pcs_problem_write(dump->problem, dump->path, PCS_PROBLEM_FCLIB, dump->r);
    pcs_problem_destroy(dump->problem);
    dump->problem = NULL;
    if (status >= 0)
        dump->written++;
    return status;
}

// Files in the folder whose names have our form, of this run or another.
static int64_t count_files(const char *folder)
{
    int64_t count = 0;
    DIR *list = opendir(folder);
    const struct dirent *entry;
    while (list && (entry = readdir(list))) {
        int length = 0;
        if (sscanf(entry->d_name, "step-%*[0-9].hdf5%n", &length) >= 0 && length > 0 &&
            !entry->d_name[length])
            count++;
    }
    if (list)
        closedir(list);
    return count;
}

void cli_dump_report(FILE *out, const cli_dump *dump)
{
    if (!dump->folder)
        return;
    int64_t others = count_files(dump->folder) - dump->written;
    char words[64] = "";
    if (others > 0)
        snprintf(words, sizeof words, "; %lld more from other runs", (long long)others);
    if (dump->written > 0)
        cli_summary_line(out, "contact problems", "%lld written to %s%s%s",
                         (long long)dump->written, dump->folder,
                         dump->limit_was_met ? ", then --dump-limit was met" : "", words);
    else if (dump->when)
        cli_summary_line(out, "contact problems", "none written to %s: none had %s%s", dump->folder,
                         dump->when, words);
    else
        cli_summary_line(out, "contact problems", "none written to %s: all were solved%s",
                         dump->folder, words);
}

void cli_dump_free(cli_dump *dump)
{
    pcs_problem_destroy(dump->problem);
    free(dump->r);
    free(dump->path);
    *dump = (cli_dump){0};
}
