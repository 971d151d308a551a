// In the profiles a problem counts as solved if the verified residual is within the tolerance. The
// comparison with a peer is the shifted geometric mean of (t_peer + s)/(t_ours + s), exp(mean(ln)),
// with s = 10 us so that problems of a few microseconds weigh no more than others.
#include "solve_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_WIDTH = 132, CELL_WIDTH = 15, NAME_WIDTH_MAX = 44 };

static const double SHIFT = 1e-5; // s

// ---- Words ----

const char *cli_class_text(char text[CLI_CLASS_TEXT], pcs_problem_class problem_class,
                           int32_t dimension)
{
    const char *name = pcs_problem_class_name(problem_class);
    if (dimension > 1)
        snprintf(text, CLI_CLASS_TEXT, "%s %dD", name, (int)dimension);
    else
        snprintf(text, CLI_CLASS_TEXT, "%s", name);
    return text;
}

double cli_residual_in(const pcs_residual *residual, pcs_measure measure)
{
    return measure == PCS_MEASURE_SCALED     ? residual->scaled
           : measure == PCS_MEASURE_UNSCALED ? residual->unscaled
                                             : residual->relative;
}

const char *cli_outcome_name(cli_outcome outcome)
{
    static const char *const names[] = {
        [CLI_OUTCOME_NOT_RUN] = "not run",   [CLI_OUTCOME_SOLVED] = "solved",
        [CLI_OUTCOME_UNSOLVED] = "unsolved", [CLI_OUTCOME_TIMEOUT] = "timeout",
        [CLI_OUTCOME_CRASHED] = "crashed",
    };
    return names[outcome];
}

// ---- The table ----

void cli_bench_table_free(cli_bench_table *table)
{
    for (int32_t g = 0; g < table->n_groups; g++) {
        for (int32_t p = 0; p < table->group[g].n_rows; p++)
            free(table->group[g].rows[p].trials);
        free(table->group[g].rows);
        free(table->group[g].columns);
    }
    table->n_groups = 0;
}

cli_group *cli_bench_table_find(cli_bench_table *table, pcs_problem_class problem_class,
                                int32_t dimension)
{
    for (int32_t g = 0; g < table->n_groups; g++) {
        cli_group *group = &table->group[g];
        if (group->problem_class == problem_class && group->dimension == dimension)
            return group;
    }
    return NULL;
}

cli_trial *cli_group_trial(const cli_group *group, int32_t row, int32_t tolerance, int32_t column)
{
    return &group->rows[row].trials[tolerance * group->n_columns + column];
}

static int name_width(const cli_group *group)
{
    int width = 8;
    for (int32_t p = 0; p < group->n_rows; p++) {
        int length = (int)strlen(group->rows[p].name);
        width = length > width ? length : width;
    }
    return width < NAME_WIDTH_MAX ? width : NAME_WIDTH_MAX;
}

// The end of a long path says more than its beginning.
static const char *tail(const char *name, int width)
{
    int length = (int)strlen(name);
    return length > width ? name + (length - width) : name;
}

static void print_cell(FILE *out, const cli_trial *trial)
{
    char time[CLI_TIME_TEXT], text[CLI_TIME_TEXT + 16] = "-";
    if (trial->outcome == CLI_OUTCOME_SOLVED)
        snprintf(text, sizeof text, "%s/%d", cli_time_text(time, trial->seconds),
                 (int)trial->iterations);
    else if (trial->outcome == CLI_OUTCOME_TIMEOUT)
        snprintf(text, sizeof text, "T/O");
    else if (trial->outcome == CLI_OUTCOME_UNSOLVED)
        snprintf(text, sizeof text, "(%.0e)", trial->residual);
    else if (trial->outcome == CLI_OUTCOME_CRASHED)
        snprintf(text, sizeof text, "crash");
    fprintf(out, " %*s", CELL_WIDTH - 1, text);
}

void cli_bench_print_times(FILE *out, const cli_bench_table *table, const cli_group *group,
                           int32_t tolerance)
{
    char text[CLI_CLASS_TEXT];
    int width = name_width(group);
    int32_t per_line = (LINE_WIDTH - width - 7) / CELL_WIDTH;
    for (int32_t first = 0; first < group->n_columns; first += per_line) {
        int32_t last = first + per_line < group->n_columns ? first + per_line : group->n_columns;
        fprintf(out, "\n%s, tolerance %g%s\n%-*s %6s",
                cli_class_text(text, group->problem_class, group->dimension),
                table->tolerance[tolerance], first > 0 ? ", continued" : "", width, "problem",
                "size");
        for (int32_t s = first; s < last; s++)
            fprintf(out, " %*s", CELL_WIDTH - 1, group->columns[s].label);
        putc('\n', out);
        for (int32_t p = 0; p < group->n_rows; p++) {
            fprintf(out, "%-*s %6d", width, tail(group->rows[p].name, width),
                    (int)group->rows[p].contacts);
            for (int32_t s = first; s < last; s++)
                print_cell(out, cli_group_trial(group, p, tolerance, s));
            putc('\n', out);
        }
    }
}

static double solved_seconds(const cli_trial *trial)
{
    return trial->outcome == CLI_OUTCOME_SOLVED ? trial->seconds : INFINITY;
}

// The fastest of the peer's solvers; *column is -1 if none solved the problem.
static double peer_best(const cli_group *group, int32_t row, int32_t tolerance, int32_t *column)
{
    double best = INFINITY;
    *column = -1;
    for (int32_t s = 0; s < group->n_columns; s++) {
        double seconds = solved_seconds(cli_group_trial(group, row, tolerance, s));
        if (group->columns[s].is_peer && seconds < best) {
            best = seconds;
            *column = s;
        }
    }
    return best;
}

// ---- Comparison with the peer ----

typedef struct comparison {
    int32_t compared, only_ours, only_peer, neither;
    double log_sum, worst;
    const char *worst_name;
} comparison;

static void compare(FILE *out, const cli_group *group, int32_t row, int32_t tolerance, int width,
                    comparison *sum)
{
    char ours_text[CLI_TIME_TEXT], peer_text[CLI_TIME_TEXT];
    int32_t column;
    double ours = solved_seconds(cli_group_trial(group, row, tolerance, 0));
    double peer = peer_best(group, row, tolerance, &column);
    fprintf(out, "%-*s %6d %10s %10s %-12s", width, tail(group->rows[row].name, width),
            (int)group->rows[row].contacts, cli_time_text(ours_text, ours),
            cli_time_text(peer_text, peer), column >= 0 ? group->columns[column].name : "-");
    if (isfinite(ours) && isfinite(peer)) {
        double ratio = peer / ours;
        fprintf(out, " %8.2f\n", ratio);
        sum->compared++;
        sum->log_sum += log((peer + SHIFT) / (ours + SHIFT));
        if (ratio < sum->worst) {
            sum->worst = ratio;
            sum->worst_name = group->rows[row].name;
        }
        return;
    }
    sum->only_ours += isfinite(ours) != 0;
    sum->only_peer += isfinite(peer) != 0;
    sum->neither += !isfinite(ours) && !isfinite(peer);
    fprintf(out, " %8s\n", isfinite(ours) ? "only we" : isfinite(peer) ? "only peer" : "nobody");
}

int32_t cli_bench_print_comparison(FILE *out, const cli_bench_table *table, int32_t tolerance,
                                   int32_t least_contacts)
{
    comparison sum = {.worst = INFINITY};
    int width = 8;
    for (int32_t g = 0; g < table->n_groups; g++) {
        int own = name_width(&table->group[g]);
        width = own > width ? own : width;
    }
    fprintf(out, "\n%s's best solver against %s, tolerance %g, problems of size %d or more\n",
            table->peer, table->n_groups > 0 ? table->group[0].columns[0].name : "auto",
            table->tolerance[tolerance], (int)least_contacts);
    fprintf(out, "%-*s %6s %10s %10s %-12s %8s\n", width, "problem", "size", "ours", "peer", "by",
            "ratio");
    for (int32_t g = 0; g < table->n_groups; g++) {
        for (int32_t p = 0; p < table->group[g].n_rows; p++) {
            if (table->group[g].rows[p].contacts >= least_contacts)
                compare(out, &table->group[g], p, tolerance, width, &sum);
        }
    }
    if (sum.compared > 0)
        fprintf(out,
                "shifted geometric mean of the ratio, exp(mean(ln((peer + s)/(ours + s)))), s = "
                "10 us: %.2f\n"
                "over %d problems; worst ratio %.2f (%s)\n",
                exp(sum.log_sum / sum.compared), (int)sum.compared, sum.worst, sum.worst_name);
    fprintf(out, "solved by us alone %d, by the peer alone %d, by nobody %d\n", (int)sum.only_ours,
            (int)sum.only_peer, (int)sum.neither);
    return sum.compared;
}

// ---- CSV ----

void cli_bench_write_csv(FILE *out, const cli_bench_table *table)
{
    char text[CLI_CLASS_TEXT];
    fputs("problem,class,contacts,tolerance,program,solver,outcome,seconds,iterations,residual\n",
          out);
    for (int32_t g = 0; g < table->n_groups; g++) {
        const cli_group *group = &table->group[g];
        for (int32_t p = 0; p < group->n_rows; p++) {
            for (int32_t k = 0; k < table->n_tolerances; k++) {
                for (int32_t s = 0; s < group->n_columns; s++) {
                    const cli_trial *trial = cli_group_trial(group, p, k, s);
                    if (trial->outcome == CLI_OUTCOME_NOT_RUN)
                        continue;
                    cli_write_quoted(out, group->rows[p].name);
                    fprintf(out, ",%s,%d,%g,%s,%s,%s,%.9g,%d,%.6g\n",
                            cli_class_text(text, group->problem_class, group->dimension),
                            (int)group->rows[p].contacts, table->tolerance[k],
                            group->columns[s].is_peer ? table->peer : "Percuss",
                            group->columns[s].name, cli_outcome_name(trial->outcome),
                            trial->seconds, (int)trial->iterations, trial->residual);
                }
            }
        }
    }
}

// ---- Profiles ----

static int32_t find_column(const cli_group *group, const cli_column *wanted)
{
    for (int32_t s = 0; s < group->n_columns; s++) {
        if (group->columns[s].is_peer == wanted->is_peer &&
            strcmp(group->columns[s].name, wanted->name) == 0)
            return s;
    }
    return -1;
}

static bool has_everywhere(const cli_bench_table *table, const cli_column *column)
{
    for (int32_t g = 0; g < table->n_groups; g++) {
        if (find_column(&table->group[g], column) < 0)
            return false;
    }
    return true;
}

// The times of solver s of the profile, in the order of the problems.
static void take_times(cli_profile *profile, const cli_bench_table *table, const cli_group *only,
                       int32_t tolerance, const cli_column *column)
{
    double *t = cli_profile_add(profile, column ? column->label : "best of the peer");
    for (int32_t g = 0; g < table->n_groups; g++) {
        const cli_group *group = &table->group[g];
        if (only && only != group)
            continue;
        int32_t s = column ? find_column(group, column) : -1, ignored;
        for (int32_t p = 0; p < group->n_rows; p++)
            *t++ = column ? solved_seconds(cli_group_trial(group, p, tolerance, s))
                          : peer_best(group, p, tolerance, &ignored);
    }
}

bool cli_profile_create(cli_profile *profile, const cli_bench_table *table, const cli_group *group,
                        int32_t tolerance)
{
    int32_t problems = 0;
    for (int32_t g = 0; g < table->n_groups; g++) {
        if (!group || group == &table->group[g])
            problems += table->group[g].n_rows;
    }
    const cli_group *source = group ? group : &table->group[0];
    int32_t solvers = table->n_groups > 0 ? source->n_columns + 1 : 1;
    if (!cli_profile_init(profile, solvers, problems, table->tolerance[tolerance]))
        return false;
    for (int32_t s = 0; table->n_groups > 0 && s < source->n_columns; s++) {
        if (group || has_everywhere(table, &source->columns[s]))
            take_times(profile, table, group, tolerance, &source->columns[s]);
    }
    if (!group && table->peer)
        take_times(profile, table, group, tolerance, NULL);
    cli_profile_rate(profile);
    return true;
}
