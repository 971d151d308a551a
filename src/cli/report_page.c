#include "report_page.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "message.h"
#include "run_summary.h"

char *cli_report_default_path(int count, const char *first_result)
{
    static const char compare[] = "compare.html";
    const char *slash = strrchr(first_result, '/');
    const char *name = slash ? slash + 1 : first_result;
    static const char *const endings[] = {".part", ".h5", ".hdf5"};
    int length = (int)strlen(name);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) { // crank.h5.part loses both
        int end = (int)strlen(endings[i]);
        if (length > end && strncmp(name + length - end, endings[i], (size_t)end) == 0)
            length -= end;
    }
    size_t size = (size_t)length + sizeof compare;
    char *path = malloc(size);
    if (path && count > 1)
        snprintf(path, size, "%s", compare);
    else if (path)
        snprintf(path, size, "%.*s.html", length, name);
    return path;
}

bool cli_report_is_available(void)
{
    if (!pcs_report_is_available())
        cli_message("this program was built without the report page; install nodejs and npm and "
                    "build it again");
    return pcs_report_is_available();
}

static bool is_same_file(const char *a, const char *b)
{
    struct stat first, second;
    return stat(a, &first) == 0 && stat(b, &second) == 0 && first.st_dev == second.st_dev &&
           first.st_ino == second.st_ino;
}

static void say_where(FILE *out, const char *page)
{
    struct stat info;
    if (stat(page, &info) != 0)
        return;
    const double bytes = (double)info.st_size, kilo = 1e3, mega = 1e6;
    if (bytes >= mega)
        fprintf(out, "%s, %.1f MB; open it in a browser\n", page, bytes / mega);
    else
        fprintf(out, "%s, %.0f kB; open it in a browser\n", page, bytes / kilo);
}

static cli_exit open_results(pcs_context *ctx, const char *const *paths, int count,
                             const char *page, pcs_result **results)
{
    for (int i = 0; i < count; i++) {
        if (is_same_file(paths[i], page)) {
            cli_message("%s: is a result; give another name for the page with -o", page);
            return CLI_EXIT_BAD_INPUT;
        }
        pcs_status status = pcs_result_open(ctx, paths[i], &results[i]);
        if (status < 0)
            return cli_input_error(ctx, status);
        if (*pcs_result_warning(results[i]))
            cli_message("warning: %s: %s", paths[i], pcs_result_warning(results[i]));
    }
    return CLI_EXIT_OK;
}

cli_exit cli_report_write_page(const char *const *results, int count, const char *page, FILE *out)
{
    if (!cli_report_is_available())
        return CLI_EXIT_BAD_INPUT;
    pcs_context *ctx = cli_context_create();
    pcs_result **opened = calloc((size_t)count, sizeof *opened);
    cli_exit code = CLI_EXIT_FAILED;
    if (ctx && !opened)
        cli_message("out of memory");
    if (ctx && opened)
        code = open_results(ctx, results, count, page, opened);
    else
        count = 0;
    if (code == CLI_EXIT_OK && pcs_report_write(ctx, opened, results, count, page) < 0) {
        cli_message("%s", pcs_context_error(ctx));
        code = CLI_EXIT_FAILED;
    }
    if (code == CLI_EXIT_OK && out)
        say_where(out, page);
    for (int i = 0; i < count; i++)
        pcs_result_destroy(opened[i]);
    free(opened);
    if (ctx)
        pcs_context_destroy(ctx);
    return code;
}
