// Contact problems from and to files. A file that begins with HDF5's signature is FCLIB, any other
// one is text.
#include "io/problem_file.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/file_error.h"
#include "io/output_file.h"

static const unsigned char hdf5_signature[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};

// The buffer of a file grows from here; a file's size is only a hint, for it may be a pipe.
enum { FIRST_BUFFER = 1 << 16 };

static pcs_status cannot_read(pcs_context *ctx, const char *path, int error_number)
{
    char words[128];
    return pcs_error(ctx, PCS_ERROR_IO, "%s: cannot read the contact problem: %s", path,
                     pcs_file_error_text(error_number, words, sizeof words));
}

// ---- Reading ----

typedef struct file_text {
    char *bytes;
    size_t length, capacity;
} file_text;

// Reads on until `limit` bytes are there or the file ends.
static pcs_status load(pcs_context *ctx, FILE *file, const char *path, size_t limit,
                       file_text *text)
{
    while (text->length < limit) {
        if (text->length == text->capacity) {
            const size_t capacity = text->capacity ? 2 * text->capacity : FIRST_BUFFER;
            char *bytes = pcs_realloc(ctx, text->bytes, capacity, 1);
            if (!bytes)
                return PCS_ERROR_MEMORY;
            text->bytes = bytes;
            text->capacity = capacity;
        }
        errno = 0;
        const size_t room = text->capacity - text->length;
        const size_t wanted = limit - text->length < room ? limit - text->length : room;
        const size_t count = fread(text->bytes + text->length, 1, wanted, file);
        text->length += count;
        if (ferror(file))
            return cannot_read(ctx, path, errno);
        if (count < wanted)
            break;
    }
    return PCS_OK;
}

pcs_status pcs_problem_read(pcs_context *ctx, const char *path, pcs_problem **out)
{
    *out = NULL;
    FILE *file = fopen(path, "rb");
    if (!file)
        return cannot_read(ctx, path, errno);
    file_text text = {0};
    pcs_status status = load(ctx, file, path, sizeof hdf5_signature, &text);
    const bool is_hdf5 = status >= 0 && text.length == sizeof hdf5_signature &&
                         memcmp(text.bytes, hdf5_signature, sizeof hdf5_signature) == 0;
    if (status >= 0 && !is_hdf5)
        status = load(ctx, file, path, SIZE_MAX, &text);
    fclose(file);
    if (status >= 0)
        status = is_hdf5 ? pcs_problem_read_fclib(ctx, path, out)
                         : pcs_problem_read_text(ctx, path, text.bytes, text.length, out);
    pcs_free(ctx, text.bytes);
    return status;
}

// ---- Writing ----

// Whether the format can hold the problem, and the place a file.
static pcs_status check_write(const pcs_problem *problem, const char *path,
                              pcs_problem_format format, const double *r)
{
    pcs_context *ctx = problem->ctx;
    const bool has_friction = problem->problem_class == PCS_PROBLEM_LOCAL ||
                              problem->problem_class == PCS_PROBLEM_GLOBAL;
    struct stat info;
    if (!path || !*path)
        return pcs_error(ctx, PCS_ERROR_ARGUMENT, "the contact problem needs a file name");
    if (format != PCS_PROBLEM_TEXT && format != PCS_PROBLEM_FCLIB)
        return pcs_error(ctx, PCS_ERROR_ARGUMENT, "%s: unknown format %d", path, (int)format);
    if (format == PCS_PROBLEM_FCLIB && !has_friction)
        return pcs_error(ctx, PCS_ERROR_ARGUMENT,
                         "%s: FCLIB has friction problems only, no %s; write it as text", path,
                         pcs_problem_class_name(problem->problem_class));
    if (format == PCS_PROBLEM_TEXT && has_friction && problem->bilateral_rows > 0)
        return pcs_error(ctx, PCS_ERROR_ARGUMENT,
                         "%s: the text format has no bilateral rows, the problem has %d; write it "
                         "in FCLIB's format",
                         path, (int)problem->bilateral_rows);
    for (int32_t i = 0; r && format == PCS_PROBLEM_FCLIB && i < problem->rows; i++) {
        if (!isfinite(r[i]))
            return pcs_error(ctx, PCS_ERROR_NUMERIC, "%s: r[%d] of the solution is not finite",
                             path, (int)i);
    }
    if (stat(path, &info) == 0 && !S_ISREG(info.st_mode))
        return pcs_error(ctx, PCS_ERROR_IO,
                         "%s: cannot write the contact problem: not a regular file; give another "
                         "name",
                         path);
    return PCS_OK;
}

static pcs_status write_text(const pcs_problem *problem, const char *path)
{
    pcs_output_file *file;
    PCS_TRY(pcs_output_file_create(problem->ctx, path, "the contact problem", &file));
    pcs_problem_write_text(problem, pcs_output_file_stream(file));
    return pcs_output_file_commit(file);
}

static pcs_status write_fclib(const pcs_problem *problem, const char *path, const double *r)
{
    char *part = pcs_output_part_name(problem->ctx, path);
    if (!part)
        return PCS_ERROR_MEMORY;
    pcs_status status = pcs_problem_write_fclib(problem, path, part, r);
    if (status >= 0)
        status = pcs_output_publish(problem->ctx, part, path);
    if (status < 0)
        unlink(part);
    pcs_free(problem->ctx, part);
    return status;
}

pcs_status pcs_problem_write(const pcs_problem *problem, const char *path,
                             pcs_problem_format format, const double *r)
{
    PCS_TRY(check_write(problem, path, format, r));
    return format == PCS_PROBLEM_TEXT ? write_text(problem, path) : write_fclib(problem, path, r);
}
