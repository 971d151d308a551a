// What a file is, by its first bytes.
#ifndef PCS_CLI_FILE_KIND_H
#define PCS_CLI_FILE_KIND_H

typedef enum cli_file_kind {
    CLI_FILE_RESULT, // HDF5
    CLI_FILE_CHECKPOINT,
    CLI_FILE_OTHER // a model, presumably; or it cannot be read, and whoever reads it says why
} cli_file_kind;

cli_file_kind cli_file_find_kind(const char *path);

#endif
