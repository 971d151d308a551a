#include "file_kind.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

cli_file_kind cli_file_find_kind(const char *path)
{
    static const char result[8] = "\211HDF\r\n\032\n";
    static const char checkpoint[] = "PCSCHECK";
    char start[8] = {0};
    struct stat info;
    // What is read from a pipe is gone; only a model may come from one.
    FILE *file = stat(path, &info) == 0 && S_ISREG(info.st_mode) ? fopen(path, "rb") : NULL;
    if (!file)
        return CLI_FILE_OTHER;
    size_t count = fread(start, 1, sizeof start, file);
    fclose(file);
    if (count == sizeof start && memcmp(start, result, sizeof start) == 0)
        return CLI_FILE_RESULT;
    if (count == sizeof start && memcmp(start, checkpoint, sizeof start) == 0)
        return CLI_FILE_CHECKPOINT;
    return CLI_FILE_OTHER;
}
