// Report pages, for `percuss report` and `percuss run --report`.
#ifndef PCS_CLI_REPORT_PAGE_H
#define PCS_CLI_REPORT_PAGE_H

#include <stdio.h>

#include "commands.h"

// "runs/crank.h5" gives "crank.html"; several results give "compare.html". From malloc.
char *cli_report_default_path(int count, const char *first_result);
// False, with a message, if the program was built without the page.
bool cli_report_is_available(void);
// Writes the page of `count` results and says on `out` where it is and how large (NULL: nothing).
cli_exit cli_report_write_page(const char *const *results, int count, const char *page, FILE *out);

#endif
