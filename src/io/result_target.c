#include "io/result_target.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/context.h"

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
