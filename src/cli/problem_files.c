#include "problem_files.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "message.h"

enum { DEPTH_MAX = 16 }; // links may lead round in a circle

static bool append(cli_file_list *list, const char *path)
{
    if (list->count == list->room) {
        int room = 2 * list->room + 16;
        char **paths = realloc(list->paths, (size_t)room * sizeof *paths);
        if (!paths)
            return false;
        list->paths = paths;
        list->room = room;
    }
    list->paths[list->count] = strdup(path);
    return list->paths[list->count] && ++list->count;
}

static bool is_problem_name(const char *name)
{
    static const char *const endings[] = {".dat", ".hdf5", ".h5"};
    const char *dot = strrchr(name, '.');
    for (size_t i = 0; dot && i < sizeof endings / sizeof *endings; i++) {
        if (strcasecmp(dot, endings[i]) == 0)
            return true;
    }
    return false;
}

static bool is_folder(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

static bool add_below(cli_file_list *list, const char *folder, int depth)
{
    struct dirent **entries = NULL;
    int count = scandir(folder, &entries, NULL, alphasort);
    if (count < 0) {
        cli_message("%s: cannot read the folder: %s", folder, strerror(errno));
        return false;
    }
    bool ok = true;
    for (int i = 0; i < count; i++) {
        const char *name = entries[i]->d_name;
        size_t size = strlen(folder) + strlen(name) + 2;
        char *path = ok && name[0] != '.' ? malloc(size) : NULL;
        if (path) {
            bool slash = folder[strlen(folder) - 1] == '/';
            snprintf(path, size, "%s%s%s", folder, slash ? "" : "/", name);
            if (is_folder(path))
                ok = depth >= DEPTH_MAX || add_below(list, path, depth + 1);
            else if (is_problem_name(name) && !append(list, path))
                ok = false;
        }
        free(path);
        free(entries[i]);
    }
    free(entries);
    return ok;
}

bool cli_file_list_add(cli_file_list *list, const char *path)
{
    if (is_folder(path))
        return add_below(list, path, 0);
    if (append(list, path))
        return true;
    cli_message("out of memory");
    return false;
}

void cli_file_list_free(cli_file_list *list)
{
    for (int i = 0; i < list->count; i++)
        free(list->paths[i]);
    free(list->paths);
    *list = (cli_file_list){0};
}
