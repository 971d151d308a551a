#include "table_text.h"

#include <math.h>

const char *cli_time_text(char text[CLI_TIME_TEXT], double seconds)
{
    if (!isfinite(seconds))
        snprintf(text, CLI_TIME_TEXT, "-");
    else if (seconds < 0.9995e-3)
        snprintf(text, CLI_TIME_TEXT, "%.3g us", 1e6 * seconds);
    else if (seconds < 0.9995)
        snprintf(text, CLI_TIME_TEXT, "%.3g ms", 1e3 * seconds);
    else
        snprintf(text, CLI_TIME_TEXT, seconds < 999 ? "%.3g s" : "%.0f s", seconds);
    return text;
}

void cli_write_quoted(FILE *out, const char *text)
{
    putc('"', out);
    for (; *text; text++) {
        if (*text == '"')
            putc('"', out);
        putc(*text, out);
    }
    putc('"', out);
}
