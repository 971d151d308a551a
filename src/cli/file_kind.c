#include "file_kind.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "message.h"

cli_file_kind cli_file_find_kind(const char *path)
{
    static const char result[8] = "\211HDF\r\n\032\n";
    static const char checkpoint[] = "PCSCHECK";
    char start[8] = {0};
    FILE *file = fopen(path, "rb");
    if (!file) {
        cli_message("%s: cannot be read: %s", path, strerror(errno));
        return CLI_FILE_UNREADABLE;
    }
    size_t count = fread(start, 1, sizeof start, file);
    bool failed = ferror(file) != 0;
    int error_number = errno;
    fclose(file);
    if (failed) {
        cli_message("%s: cannot be read: %s", path, strerror(error_number));
        return CLI_FILE_UNREADABLE;
    }
    if (count == sizeof start && memcmp(start, result, sizeof start) == 0)
        return CLI_FILE_RESULT;
    if (count == sizeof start && memcmp(start, checkpoint, sizeof start) == 0)
        return CLI_FILE_CHECKPOINT;
    return CLI_FILE_OTHER;
}
