#include "io/file_error.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

const char *pcs_file_error_text(int error_number, char *text, size_t size)
{
    switch (error_number) {
    case ENOSPC:
    case EDQUOT:
        return "the disk is full; free some space or choose another place";
    case EFBIG:
        return "the file exceeds the largest size allowed here; raise the limit (ulimit -f) or "
               "store fewer frames";
    case EACCES:
    case EPERM:
        return "no permission; check the rights of the file and of its folder";
    case EROFS:
        return "the file system is read-only; choose another place";
    case ENOENT:
        return "no such file or folder; check the path";
    case ENOTDIR:
        return "a part of the path is not a folder; check the path";
    case EISDIR:
        return "that is a folder; give the name of a file";
    case EAGAIN:
        return "another program has the file open for writing; wait for it or choose another name";
    case ENAMETOOLONG:
        return "the name is too long";
    default:
        if (strerror_r(error_number, text, size) != 0)
            snprintf(text, size, "system error %d", error_number);
        return text;
    }
}
