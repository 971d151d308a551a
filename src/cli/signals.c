#include "signals.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"

enum { PATH_LONGEST = 512 };

static bool add(cli_signals *signals, const char *path, size_t length)
{
    if (signals->count == signals->room) {
        int32_t room = 2 * signals->room + 16;
        char **paths = realloc(signals->paths, (size_t)room * sizeof *paths);
        if (!paths)
            return false;
        signals->paths = paths;
        signals->room = room;
    }
    char *copy = malloc(length + 1);
    if (!copy)
        return false;
    memcpy(copy, path, length);
    copy[length] = '\0';
    signals->paths[signals->count++] = copy;
    return true;
}

static bool is_among(const cli_signals *signals, int32_t count, const char *path)
{
    for (int32_t i = 0; i < count; i++) {
        if (strcmp(signals->paths[i], path) == 0)
            return true;
    }
    return false;
}

// False when memory is out; *found counts the paths that fit.
static bool add_matches(cli_signals *signals, const pcs_model *model, const char *pattern,
                        int32_t *found)
{
    char path[PATH_LONGEST];
    int32_t before = signals->count; // one pattern does not give a path twice
    for (int32_t i = 0; pcs_model_signal_path(model, i, path, sizeof path); i++) {
        if (fnmatch(pattern, path, 0) != 0)
            continue;
        ++*found;
        if (!is_among(signals, before, path) && !add(signals, path, strlen(path)))
            return false;
    }
    return true;
}

static cli_exit select_part(cli_signals *signals, const pcs_model *model, const char *part,
                            size_t length)
{
    char pattern[PATH_LONGEST];
    int32_t found = 0;
    bool ok = true;
    if (length >= sizeof pattern) {
        cli_message("--csv: a path of %zu characters is too long", length);
        return CLI_EXIT_BAD_INPUT;
    }
    memcpy(pattern, part, length);
    pattern[length] = '\0';
    if (strpbrk(pattern, "*?["))
        ok = add_matches(signals, model, pattern, &found);
    else {
        ok = add(signals, part, length);
        found = 1;
    }
    if (!ok) {
        cli_message("out of memory");
        return CLI_EXIT_FAILED;
    }
    if (found == 0) {
        cli_message("no signal fits '%s'; percuss info MODEL --signals lists all", pattern);
        return CLI_EXIT_BAD_INPUT;
    }
    return CLI_EXIT_OK;
}

cli_exit cli_signals_select(cli_signals *signals, const pcs_model *model, const char *text)
{
    static const char separators[] = ", ";
    cli_exit code = CLI_EXIT_OK;
    while (code == CLI_EXIT_OK && *(text += strspn(text, separators))) {
        size_t length = strcspn(text, separators);
        code = select_part(signals, model, text, length);
        text += length;
    }
    return code;
}

void cli_signals_free(cli_signals *signals)
{
    for (int32_t i = 0; i < signals->count; i++)
        free(signals->paths[i]);
    free(signals->paths);
    *signals = (cli_signals){0};
}
