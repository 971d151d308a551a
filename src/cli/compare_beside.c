// Published values beside ours. The file is CSV: the first line names the columns, `scheme`,
// `level` and any columns of our own CSV; several columns NAME_1, NAME_2... stand for the largest
// of them. Lines that begin with # are notes (source, explanations) and are printed below the
// table.
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"
#include "message.h"
#include "table_text.h"

enum { COLUMNS_MAX = 32, NAME_SIZE = 32, LINE_SIZE = 1024, GIVEN_MAX = 512 };
enum { PER_LINE = 3 }; // columns side by side

static const double COUNT_MAX = 1e8; // whole numbers below are printed in full

typedef struct given_row {
    char scheme[NAME_SIZE];
    double level;
    double values[COLUMNS_MAX]; // NaN: none
} given_row;

struct compare_beside {
    char names[COLUMNS_MAX][NAME_SIZE]; // of our columns
    int32_t n_columns;
    given_row *rows;
    int32_t n_rows;
    char *notes;
};

// Columns of the file: which of ours they belong to, -1 for scheme, -2 for level.
typedef struct reading {
    const char *path;
    int line;
    int32_t target[COLUMNS_MAX];
    int32_t n_fields;
} reading;

enum { TARGET_SCHEME = -1, TARGET_LEVEL = -2 };

// Cuts one field off a line; NULL when there is none left.
static char *next_field(char **line)
{
    char *field = *line;
    if (!field)
        return NULL;
    char *comma = strchr(field, ',');
    *line = comma ? comma + 1 : NULL;
    if (comma)
        *comma = '\0';
    field += strspn(field, " \t\"");
    for (size_t n = strlen(field); n > 0 && strchr(" \t\"\r\n", field[n - 1]); n--)
        field[n - 1] = '\0';
    return field;
}

// The column "drift_2" belongs to "drift".
static void cut_number(char *name)
{
    char *end = strrchr(name, '_');
    if (end && end[1] && strspn(end + 1, "0123456789") == strlen(end + 1))
        *end = '\0';
}

static bool read_heads(compare_beside *beside, reading *file, char *line)
{
    compare_run empty = {0};
    double ignored;
    for (char *field; (field = next_field(&line));) {
        if (file->n_fields == COLUMNS_MAX) {
            cli_message("%s:%d: more than %d columns", file->path, file->line, COLUMNS_MAX);
            return false;
        }
        int32_t *target = &file->target[file->n_fields++];
        cut_number(field);
        if (strcmp(field, "scheme") == 0)
            *target = TARGET_SCHEME;
        else if (strcmp(field, "level") == 0 || strcmp(field, "tolerance") == 0)
            *target = TARGET_LEVEL;
        else if (strlen(field) >= NAME_SIZE || !compare_value(&empty, field, &ignored)) {
            cli_message("%s:%d: unknown column '%s'; there are scheme, level and the columns that "
                        "percuss compare writes",
                        file->path, file->line, field);
            return false;
        } else {
            int32_t i = 0;
            while (i < beside->n_columns && strcmp(beside->names[i], field) != 0)
                i++;
            if (i == beside->n_columns)
                snprintf(beside->names[beside->n_columns++], NAME_SIZE, "%s", field);
            *target = i;
        }
    }
    return true;
}

static bool read_number(const reading *file, const char *text, double *value)
{
    char *end = NULL;
    *value = *text ? strtod(text, &end) : NAN;
    if (!*text || (end != text && !*end))
        return true;
    cli_message("%s:%d: '%s' is not a number", file->path, file->line, text);
    return false;
}

static bool read_values(compare_beside *beside, const reading *file, char *line)
{
    given_row *row = &beside->rows[beside->n_rows];
    *row = (given_row){.level = NAN};
    for (int32_t i = 0; i < COLUMNS_MAX; i++)
        row->values[i] = NAN;
    for (int32_t i = 0; i < file->n_fields; i++) {
        char *field = next_field(&line);
        double value;
        if (!field) {
            cli_message("%s:%d: %d of %d fields", file->path, file->line, (int)i,
                        (int)file->n_fields);
            return false;
        }
        if (file->target[i] == TARGET_SCHEME) {
            snprintf(row->scheme, sizeof row->scheme, "%s", field);
            continue;
        }
        if (!read_number(file, field, &value))
            return false;
        double *to = file->target[i] == TARGET_LEVEL ? &row->level : &row->values[file->target[i]];
        *to = fmax(*to, value); // the largest of several; fmax leaves NaN out
    }
    beside->n_rows++;
    return true;
}

static bool add_note(compare_beside *beside, const char *line)
{
    size_t used = beside->notes ? strlen(beside->notes) : 0;
    char *notes = realloc(beside->notes, used + strlen(line) + 2);
    if (!notes)
        return false;
    line += 1 + (line[1] == ' ');
    memcpy(notes + used, line, strlen(line) + 1);
    beside->notes = notes;
    return true;
}

static bool read_line(compare_beside *beside, reading *file, char *line)
{
    file->line++;
    if (line[0] == '#') {
        if (!add_note(beside, line))
            cli_message("out of memory");
        return beside->notes != NULL;
    }
    if (strspn(line, " \t\r\n") == strlen(line))
        return true;
    if (file->n_fields == 0)
        return read_heads(beside, file, line);
    if (beside->n_rows == GIVEN_MAX) {
        cli_message("%s:%d: more than %d rows", file->path, file->line, GIVEN_MAX);
        return false;
    }
    return read_values(beside, file, line);
}

bool compare_beside_read(const char *path, compare_beside **out)
{
    char line[LINE_SIZE];
    reading file = {.path = path};
    compare_beside *beside = calloc(1, sizeof *beside);
    FILE *in = fopen(path, "r");
    bool good = beside && in && (beside->rows = calloc(GIVEN_MAX, sizeof *beside->rows));
    *out = beside;
    if (!in)
        cli_message("%s: cannot read: %s", path, strerror(errno));
    else if (!good)
        cli_message("out of memory");
    while (good && fgets(line, sizeof line, in))
        good = read_line(beside, &file, line);
    if (good && beside->n_rows == 0) {
        cli_message("%s: no published values; the first line must name the columns (scheme, level, "
                    "accepted...)",
                    path);
        good = false;
    }
    if (in)
        fclose(in);
    return good;
}

void compare_beside_free(compare_beside *beside)
{
    if (!beside)
        return;
    free(beside->rows);
    free(beside->notes);
    free(beside);
}

static const given_row *find_given(const compare_beside *beside, const char *scheme, double level)
{
    for (int32_t i = 0; i < beside->n_rows; i++) {
        const given_row *row = &beside->rows[i];
        if (strcmp(row->scheme, scheme) == 0 && fabs(row->level - level) <= 1e-9 * level)
            return row;
    }
    return NULL;
}

static void print_number(FILE *out, double value)
{
    if (!isfinite(value))
        fprintf(out, " %8s", "-");
    else if (fabs(value) < COUNT_MAX && value == floor(value))
        fprintf(out, " %8.0f", value);
    else
        fprintf(out, " %8.3g", value);
}

static void print_row(FILE *out, const compare_beside *beside, const compare_table *table,
                      const compare_run *run, const given_row *given, int32_t first)
{
    fprintf(out, "%-14.14s %8.1e", table->schemes[run->scheme].label, run->level);
    for (int32_t c = first; c < beside->n_columns && c < first + PER_LINE; c++) {
        double ours = NAN, theirs = given->values[c];
        compare_value(run, beside->names[c], &ours);
        if (run->outcome == COMPARE_REFUSED)
            ours = NAN;
        fputs(" |", out);
        print_number(out, ours);
        print_number(out, theirs);
        print_number(out, theirs > 0 ? ours / theirs : NAN);
    }
    putc('\n', out);
}

// Some columns of all rows. Returns the number of rows.
static int32_t print_block(FILE *out, const compare_beside *beside, const compare_table *table,
                           int32_t first)
{
    int32_t shown = 0;
    fprintf(out, "%-14s %8s", "scheme", "level");
    for (int32_t c = first; c < beside->n_columns && c < first + PER_LINE; c++)
        fprintf(out, " | %-26s", beside->names[c]);
    putc('\n', out);
    for (int32_t r = 0; r < table->n_runs; r++) {
        const compare_run *run = &table->runs[r];
        const given_row *given = find_given(beside, table->schemes[run->scheme].label, run->level);
        if (!given || run->outcome == COMPARE_NOT_RUN)
            continue;
        print_row(out, beside, table, run, given, first);
        shown++;
    }
    return shown;
}

void compare_beside_print(FILE *out, const compare_beside *beside, const compare_table *table)
{
    int32_t shown = 0;
    fputs("\npublished values: ours, published, ours/published\n", out);
    for (int32_t first = 0; first < beside->n_columns; first += PER_LINE)
        shown = print_block(out, beside, table, first);
    if (shown == 0)
        fputs("no run has the scheme and level of a published row\n", out);
    if (beside->notes)
        fputs(beside->notes, out);
}
