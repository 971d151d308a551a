// Selected signals as comma-separated values (RFC 4180): a header with the signal paths, then one
// line for each frame. Numbers have 17 digits, so that reading them gives the same bits.
#include <string.h>

#include "base/context.h"
#include "percuss/io.h"

struct pcs_csv_writer {
    pcs_context *ctx;
    pcs_output_file *file;
    pcs_signal *signals;
    int32_t n_signals;
};

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
    pcs_free(writer->ctx, writer);
}

static pcs_status start(pcs_csv_writer *writer, const pcs_model *model, const char *path,
                        const char *const *paths, int32_t count)
{
    const char **header = PCS_NEW_ARRAY(writer->ctx, const char *, count + 1);
    writer->signals = PCS_NEW_ARRAY(writer->ctx, pcs_signal, count + 1);
    pcs_status status = PCS_ERROR_MEMORY;
    if (header && writer->signals)
        status = find_signals(writer, model, paths, count, header);
    if (status >= 0)
        status = pcs_output_file_create(writer->ctx, path, "the signals", &writer->file);
    if (status >= 0) {
        FILE *stream = pcs_output_file_stream(writer->file);
        for (int32_t i = 0; i < writer->n_signals; i++) {
            if (i > 0)
                putc(',', stream);
            write_quoted(stream, header[i]);
        }
        putc('\n', stream);
        status = pcs_output_file_check(writer->file);
    }
    pcs_free(writer->ctx, header);
    return status;
}

pcs_status pcs_csv_create(pcs_context *ctx, const pcs_model *model, const char *path,
                          const char *const *signals, int32_t n_signals, pcs_csv_writer **out)
{
    *out = NULL;
    if (n_signals < 0)
        return pcs_error(ctx, PCS_ERROR_ARGUMENT, "there cannot be %d signals", (int)n_signals);
    pcs_csv_writer *writer = PCS_NEW(ctx, pcs_csv_writer);
    if (!writer)
        return PCS_ERROR_MEMORY;
    writer->ctx = ctx;
    pcs_status status = start(writer, model, path, signals, n_signals);
    if (status >= 0)
        *out = writer;
    else
        pcs_csv_abandon(writer);
    return status;
}

pcs_status pcs_csv_append(pcs_csv_writer *writer, const pcs_simulation *simulation)
{
    FILE *stream = pcs_output_file_stream(writer->file);
    for (int32_t i = 0; i < writer->n_signals; i++) {
        if (i > 0)
            putc(',', stream);
        write_number(stream, pcs_simulation_signal(simulation, writer->signals[i]));
    }
    putc('\n', stream);
    PCS_TRY(pcs_output_file_check(writer->file));
    pcs_simulation_mark_frame(simulation);
    return PCS_OK;
}

pcs_status pcs_csv_close(pcs_csv_writer *writer)
{
    const pcs_status status = pcs_output_file_commit(writer->file);
    free_writer(writer);
    return status;
}

void pcs_csv_abandon(pcs_csv_writer *writer)
{
    if (!writer)
        return;
    pcs_output_file_abandon(writer->file);
    free_writer(writer);
}
