#include "io/result_target.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/context.h"
#include "io/file_error.h"

pcs_status pcs_result_check_target(pcs_context *ctx, const char *path)
{
    struct stat info;
    if (!path || !*path)
        return pcs_error(ctx, PCS_ERROR_ARGUMENT, "the result needs a file name");
    if (stat(path, &info) != 0)
        return PCS_OK; // does not exist; a missing folder shows when the file is created
    if (S_ISDIR(info.st_mode))
        return pcs_error(ctx, PCS_ERROR_IO,
                         "%s: cannot create the result: that is a folder; give the name of a file",
                         path);
    if (!S_ISREG(info.st_mode))
        return pcs_error(ctx, PCS_ERROR_IO,
                         "%s: cannot create the result: not a regular file; give another name",
                         path);
    if (access(path, W_OK) != 0)
        return pcs_error(ctx, PCS_ERROR_IO,
                         "%s: cannot create the result: the file is write-protected; remove it or "
                         "give another name",
                         path);
    return PCS_OK;
}

pcs_status pcs_result_publish(pcs_context *ctx, const char *part, const char *path)
{
    char words[128];
    int file = open(part, O_RDWR);
    bool ok = file >= 0 && fsync(file) == 0;
    int error_number = errno;
    if (file >= 0)
        close(file);
    if (ok && rename(part, path) == 0)
        return PCS_OK;
    return pcs_error(ctx, PCS_ERROR_IO, "%s: cannot be renamed to %s: %s", part, path,
                     pcs_file_error_text(ok ? errno : error_number, words, sizeof words));
}
