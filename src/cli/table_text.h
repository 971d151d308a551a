// Words and cells of printed tables and CSV files.
#ifndef PCS_CLI_TABLE_TEXT_H
#define PCS_CLI_TABLE_TEXT_H

#include <stdio.h>

enum { CLI_TIME_TEXT = 24 };

// "35.2 us", "1.24 ms", "3.1 s".
const char *cli_time_text(char text[CLI_TIME_TEXT], double seconds);
// A field of a CSV file in quotation marks.
void cli_write_quoted(FILE *out, const char *text);

#endif
