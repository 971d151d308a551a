// Words for the operating system's error numbers, as someone who reads or writes a file needs them.
#ifndef PCS_IO_FILE_ERROR_H
#define PCS_IO_FILE_ERROR_H

#include <stddef.h>

// The reason and, where one is known, the remedy; `text` is used if the system's own words serve.
const char *pcs_file_error_text(int error_number, char *text, size_t size);

#endif
