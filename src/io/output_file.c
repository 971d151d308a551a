// The one way in which files are written: a stream under a temporary name, brought to the disk and
// renamed when it is whole. Whatever fails, and whenever the process is killed, the name stands for
// the old file or for the new one.
#include "io/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/context.h"
#include "io/file_error.h"

struct pcs_output_file {
    pcs_context *ctx;
    char *path;
    char *part; // NULL: the stream is written in place
    char *what;
    FILE *stream;
    bool failed; // the error is recorded
};

static pcs_status cannot(pcs_output_file *file, int error_number)
{
    char words[128];
    file->failed = true;
    return pcs_error(
        file->ctx, PCS_ERROR_IO, "%s: cannot write %s: %s", file->path, file->what,
        pcs_file_error_text(error_number != 0 ? error_number : EIO, words, sizeof words));
}

static void free_file(pcs_output_file *file)
{
    pcs_free(file->ctx, file->what);
    pcs_free(file->ctx, file->part);
    pcs_free(file->ctx, file->path);
    pcs_free(file->ctx, file);
}

char *pcs_output_part_name(pcs_context *ctx, const char *path)
{
    static const char ending[] = ".part";
    const size_t length = strlen(path);
    char *part = pcs_calloc(ctx, length + sizeof ending, 1);
    if (part) {
        memcpy(part, path, length);
        memcpy(part + length, ending, sizeof ending);
    }
    return part;
}

// ---- Opening ----

static pcs_status open_stream(pcs_output_file *file, const char *path)
{
    struct stat info;
    if (strcmp(path, "-") == 0) {
        file->stream = stdout;
        return PCS_OK;
    }
    const bool exists = stat(path, &info) == 0;
    if (exists && S_ISDIR(info.st_mode))
        return cannot(file, EISDIR);
    if (exists && S_ISREG(info.st_mode) && access(path, W_OK) != 0)
        return cannot(file, errno); // a rename would not ask
    if (!exists || S_ISREG(info.st_mode)) {
        file->part = pcs_output_part_name(file->ctx, path);
        if (!file->part)
            return PCS_ERROR_MEMORY;
    }
    errno = 0;
    file->stream = fopen(file->part ? file->part : path, "wb");
    return file->stream ? PCS_OK : cannot(file, errno);
}

pcs_status pcs_output_file_create(pcs_context *ctx, const char *path, const char *what,
                                  pcs_output_file **out)
{
    *out = NULL;
    if (!*path)
        return pcs_error(ctx, PCS_ERROR_ARGUMENT, "cannot write %s: the file needs a name", what);
    pcs_output_file *file = PCS_NEW(ctx, pcs_output_file);
    if (!file)
        return PCS_ERROR_MEMORY;
    file->ctx = ctx;
    file->path = pcs_strdup(ctx, strcmp(path, "-") == 0 ? "standard output" : path);
    file->what = file->path ? pcs_strdup(ctx, what) : NULL;
    const pcs_status status = file->what ? open_stream(file, path) : PCS_ERROR_MEMORY;
    if (status >= 0)
        *out = file;
    else
        free_file(file);
    return status;
}

FILE *pcs_output_file_stream(const pcs_output_file *file)
{
    return file->stream;
}

pcs_status pcs_output_file_check(pcs_output_file *file)
{
    if (file->failed)
        return PCS_ERROR_IO; // the text of the first failure stays
    if (!ferror(file->stream))
        return PCS_OK;
    errno = 0;
    if (putc('\n', file->stream) != EOF) // fails again, and errno has the reason
        (void)fflush(file->stream);
    return cannot(file, errno);
}

// ---- Closing ----

static bool close_stream(pcs_output_file *file)
{
    const bool good = file->stream == stdout || fclose(file->stream) == 0;
    file->stream = NULL;
    return good;
}

static pcs_status finish(pcs_output_file *file, bool wait_for_disk)
{
    PCS_TRY(pcs_output_file_check(file));
    errno = 0;
    if (fflush(file->stream) != 0)
        return cannot(file, errno);
    if (file->part && wait_for_disk && fsync(fileno(file->stream)) != 0)
        return cannot(file, errno);
    if (!close_stream(file) || (file->part && rename(file->part, file->path) != 0))
        return cannot(file, errno);
    pcs_free(file->ctx, file->part);
    file->part = NULL; // the file is the reader's now
    return PCS_OK;
}

static pcs_status commit(pcs_output_file *file, bool wait_for_disk)
{
    const pcs_status status = finish(file, wait_for_disk);
    pcs_output_file_abandon(file);
    return status;
}

pcs_status pcs_output_file_commit(pcs_output_file *file)
{
    return commit(file, true);
}

pcs_status pcs_output_file_commit_soon(pcs_output_file *file)
{
    return commit(file, false);
}

void pcs_output_file_abandon(pcs_output_file *file)
{
    if (!file)
        return;
    if (file->stream)
        (void)close_stream(file);
    if (file->part)
        unlink(file->part);
    free_file(file);
}

pcs_status pcs_output_publish(pcs_context *ctx, const char *part, const char *path)
{
    char words[128];
    const int file = open(part, O_RDWR | O_CLOEXEC);
    bool ok = file >= 0 && fsync(file) == 0;
    int error_number = errno;
    if (file >= 0 && close(file) != 0 && ok) {
        ok = false;
        error_number = errno;
    }
    if (ok && rename(part, path) == 0)
        return PCS_OK;
    return pcs_error(ctx, PCS_ERROR_IO, "%s: cannot be renamed to %s: %s", part, path,
                     pcs_file_error_text(ok ? errno : error_number, words, sizeof words));
}
