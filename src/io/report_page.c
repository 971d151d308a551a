// The report page: the page that the viewer/ folder builds, which is part of the library, with the
// data of the runs in place of its mark.
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "io/report_data.h"
#include "io/report_page.h"

static const char mark[] = "{\"percuss\":\"no data\"}";

bool pcs_report_is_available(void)
{
    return pcs_viewer_page_size > 0;
}

static bool is_space(unsigned char c)
{
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

// The place of the mark: alone in its element, between '>' and '<'. Scripts may mention it, too.
const unsigned char *pcs_report_find_mark(const unsigned char *page, size_t size)
{
    const size_t length = sizeof mark - 1;
    for (size_t i = 0; i + length <= size; i++) {
        if (memcmp(page + i, mark, length) != 0)
            continue;
        size_t before = i, after = i + length;
        while (before > 0 && is_space(page[before - 1]))
            before--;
        while (after < size && is_space(page[after]))
            after++;
        if (before > 0 && page[before - 1] == '>' && after < size && page[after] == '<')
            return page + i;
    }
    return NULL;
}

// ---- Writing ----

static pcs_status put_runs(pcs_context *ctx, pcs_output_file *file, pcs_result *const *results,
                           const char *const *names, int32_t n)
{
    char generator[64];
    pcs_json json;
    pcs_json_init(&json, pcs_output_file_stream(file));
    snprintf(generator, sizeof generator, "percuss %s", pcs_version());
    pcs_json_begin_object(&json, NULL);
    pcs_json_integer(&json, "format", 1);
    pcs_json_text(&json, "generator", generator);
    pcs_json_begin_list(&json, "runs");
    for (int32_t i = 0; i < n; i++) {
        pcs_report report = {
            .ctx = ctx, .result = results[i], .json = json, .budget = pcs_report_budget_of(n)};
        pcs_status status = pcs_report_put_run(&report, names[i]);
        json = report.json;
        pcs_report_free(&report);
        PCS_TRY(status);
        PCS_TRY(pcs_output_file_check(file)); // do not go on with a full disk
    }
    pcs_json_end_list(&json);
    pcs_json_end_object(&json);
    return PCS_OK;
}

static pcs_status fill_page(pcs_context *ctx, pcs_output_file *file, const char *path,
                            pcs_result *const *results, const char *const *names, int32_t n)
{
    const unsigned char *page = pcs_viewer_page, *end = page + pcs_viewer_page_size;
    const unsigned char *place = pcs_report_find_mark(page, pcs_viewer_page_size);
    if (!place)
        return pcs_error(ctx, PCS_ERROR_IO,
                         "%s: the report page that was built in has no place for data; build "
                         "Percuss again",
                         path);
    const unsigned char *rest = place + sizeof mark - 1;
    fwrite(page, 1, (size_t)(place - page), pcs_output_file_stream(file));
    PCS_TRY(put_runs(ctx, file, results, names, n));
    fwrite(rest, 1, (size_t)(end - rest), pcs_output_file_stream(file));
    return PCS_OK;
}

static pcs_status check(pcs_context *ctx, int32_t n, const char *path)
{
    struct stat info;
    if (n < 1 || !path || !*path)
        return pcs_error(ctx, PCS_ERROR_ARGUMENT, "a report needs a result and a file name");
    if (!pcs_report_is_available())
        return pcs_error(ctx, PCS_ERROR_ARGUMENT,
                         "%s: cannot write the report: built without the report page; install "
                         "nodejs and npm and build Percuss again",
                         path);
    if (stat(path, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode))
        return pcs_error(ctx, PCS_ERROR_IO,
                         "%s: cannot write the report: not a regular file; give another name",
                         path);
    return PCS_OK;
}

pcs_status pcs_report_write(pcs_context *ctx, pcs_result *const *results, const char *const *names,
                            int32_t n, const char *path)
{
    PCS_TRY(check(ctx, n, path));
    pcs_output_file *file;
    PCS_TRY(pcs_output_file_create(ctx, path, "the report", &file));
    pcs_status status = fill_page(ctx, file, path, results, names, n);
    if (status >= 0)
        return pcs_output_file_commit(file);
    pcs_output_file_abandon(file);
    return status;
}
