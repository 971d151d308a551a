// Selected signals as comma-separated values (RFC 4180): a header with the signal paths, then one
// line for each frame. Numbers have 17 digits, so that reading them gives the same bits. A regular
// file is written under a temporary name and renamed on close.
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/context.h"
#include "io/file_error.h"
#include "percuss/io.h"

struct pcs_csv_writer {
    pcs_context *ctx;
    char *path;
    char *part; // temporary name; NULL: the stream is written in place
    FILE *stream;
    pcs_signal *signals;
    int32_t n_signals;
    bool failed;
};

static pcs_status cannot_write(pcs_csv_writer *writer, int error_number)
{
    char words[128];
    writer->failed = true;
    return pcs_error(writer->ctx, PCS_ERROR_IO, "%s: cannot write the signals: %s", writer->path,
                     pcs_file_error_text(error_number, words, sizeof words));
}

// Standard output, pipes and devices are written in place.
static bool is_in_place(const char *path)
{
    struct stat info;
    return strcmp(path, "-") == 0 || (stat(path, &info) == 0 && !S_ISREG(info.st_mode));
}

static pcs_status open_stream(pcs_csv_writer *writer, const char *path)
{
    if (strcmp(path, "-") == 0) {
        writer->stream = stdout;
        return PCS_OK;
    }
    if (!is_in_place(path)) {
        size_t size = strlen(path) + sizeof ".part";
        writer->part = pcs_calloc(writer->ctx, size, 1);
        if (!writer->part)
            return PCS_ERROR_MEMORY;
        snprintf(writer->part, size, "%s.part", path);
    }
    writer->stream = fopen(writer->part ? writer->part : path, "w");
    return writer->stream ? PCS_OK : cannot_write(writer, errno);
}

static void write_quoted(FILE *stream, const char *text)
{
    if (!strpbrk(text, ",\"\r\n")) {
        fputs(text, stream);
        return;
    }
    putc('"', stream);
    for (const char *c = text; *c; c++) {
        if (*c == '"')
            putc('"', stream);
        putc(*c, stream);
    }
    putc('"', stream);
}

// %.17g with a point, whatever the locale's decimal mark is.
static void write_number(FILE *stream, double value)
{
    char text[64];
    snprintf(text, sizeof text, "%.17g", value);
    bool in_mark = false;
    for (const char *c = text; *c; c++) {
        bool own = (*c >= '0' && *c <= '9') || (*c >= 'a' && *c <= 'z') || *c == '+' || *c == '-';
        if (own)
            putc(*c, stream);
        else if (!in_mark)
            putc('.', stream);
        in_mark = !own;
    }
}

// Resolves the signals; time comes first unless it was asked for in another place.
static pcs_status find_signals(pcs_csv_writer *writer, const pcs_model *model,
                               const char *const *paths, int32_t count, const char **header)
{
    bool has_time = false;
    for (int32_t i = 0; i < count; i++)
        has_time = has_time || strcmp(paths[i], "time") == 0;
    if (!has_time)
        header[writer->n_signals++] = "time";
    for (int32_t i = 0; i < count; i++)
        header[writer->n_signals++] = paths[i];
    for (int32_t i = 0; i < writer->n_signals; i++)
        PCS_TRY(pcs_model_find_signal(writer->ctx, model, header[i], &writer->signals[i]));
    return PCS_OK;
}

static void free_writer(pcs_csv_writer *writer)
{
    pcs_free(writer->ctx, writer->signals);
    pcs_free(writer->ctx, writer->part);
    pcs_free(writer->ctx, writer->path);
    pcs_free(writer->ctx, writer);
}

static pcs_status start(pcs_csv_writer *writer, const pcs_model *model, const char *path,
                        const char *const *paths, int32_t count)
{
    const char **header = PCS_NEW_ARRAY(writer->ctx, const char *, count + 1);
    writer->signals = PCS_NEW_ARRAY(writer->ctx, pcs_signal, count + 1);
    writer->path = pcs_strdup(writer->ctx, strcmp(path, "-") == 0 ? "standard output" : path);
    pcs_status status = PCS_ERROR_MEMORY;
    if (header && writer->signals && writer->path)
        status = find_signals(writer, model, paths, count, header);
    if (status >= 0)
        status = open_stream(writer, path);
    for (int32_t i = 0; status >= 0 && i < writer->n_signals; i++) {
        if (i > 0)
            putc(',', writer->stream);
        write_quoted(writer->stream, header[i]);
    }
    if (status >= 0 && putc('\n', writer->stream) == EOF)
        status = cannot_write(writer, errno);
    pcs_free(writer->ctx, header);
    return status;
}

pcs_status pcs_csv_create(pcs_context *ctx, const pcs_model *model, const char *path,
                          const char *const *signals, int32_t n_signals, pcs_csv_writer **out)
{
    *out = NULL;
    pcs_csv_writer *writer = PCS_NEW(ctx, pcs_csv_writer);
    if (!writer)
        return PCS_ERROR_MEMORY;
    writer->ctx = ctx;
    pcs_status status = start(writer, model, path, signals, n_signals);
    if (status >= 0) {
        *out = writer;
        return status;
    }
    if (writer->stream && writer->stream != stdout) {
        fclose(writer->stream);
        if (writer->part)
            unlink(writer->part);
    }
    free_writer(writer);
    return status;
}

pcs_status pcs_csv_append(pcs_csv_writer *writer, const pcs_simulation *simulation)
{
    errno = 0;
    for (int32_t i = 0; i < writer->n_signals; i++) {
        if (i > 0)
            putc(',', writer->stream);
        write_number(writer->stream, pcs_simulation_signal(simulation, writer->signals[i]));
    }
    if (putc('\n', writer->stream) == EOF || ferror(writer->stream))
        return cannot_write(writer, errno);
    pcs_simulation_mark_frame(simulation);
    return PCS_OK;
}

pcs_status pcs_csv_close(pcs_csv_writer *writer)
{
    errno = 0;
    bool earlier_failure = writer->failed;
    bool ok = fflush(writer->stream) == 0 && !ferror(writer->stream);
    if (ok && writer->part)
        ok = fsync(fileno(writer->stream)) == 0;
    if (writer->stream != stdout && fclose(writer->stream) != 0)
        ok = false;
    if (ok && writer->part)
        ok = rename(writer->part, writer->path) == 0;
    pcs_status status = PCS_OK;
    if (!ok && earlier_failure)
        status = PCS_ERROR_IO; // the text of the first failure stays
    else if (!ok)
        status = cannot_write(writer, errno);
    free_writer(writer);
    return status;
}
