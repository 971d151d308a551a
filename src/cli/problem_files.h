// The problem files that operands name: files as they are, folders with all that is below them.
#ifndef PCS_CLI_PROBLEM_FILES_H
#define PCS_CLI_PROBLEM_FILES_H

#include <stdbool.h>

typedef struct cli_file_list {
    char **paths; // from malloc
    int count, room;
} cli_file_list;

// A folder adds its .dat, .hdf5 and .h5 files in alphabetical order. False, with a message, when
// it cannot be read.
bool cli_file_list_add(cli_file_list *list, const char *path);
void cli_file_list_free(cli_file_list *list);

#endif
