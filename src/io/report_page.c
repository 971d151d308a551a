// The report page: the page that the viewer/ folder builds, which is part of the library, with the
// data of the runs in place of its mark.
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/file_error.h"
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

typedef struct page_file {
    pcs_context *ctx;
    const char *path;
    char *part;
    FILE *stream;
} page_file;

static pcs_status cannot(const page_file *file, int error_number)
{
    char words[128];
    return pcs_error(file->ctx, PCS_ERROR_IO, "%s: cannot write the report: %s", file->path,
                     pcs_file_error_text(error_number, words, sizeof words));
}

static pcs_status open_page(page_file *file)
{
    struct stat info;
    size_t size = strlen(file->path) + sizeof ".part";
    if (stat(file->path, &info) == 0 && S_ISDIR(info.st_mode))
        return cannot(file, EISDIR);
    if (stat(file->path, &info) == 0 && !S_ISREG(info.st_mode))
        return pcs_error(file->ctx, PCS_ERROR_IO,
                         "%s: cannot write the report: not a regular file; give another name",
                         file->path);
    file->part = pcs_calloc(file->ctx, size, 1);
    if (!file->part)
        return PCS_ERROR_MEMORY;
    snprintf(file->part, size, "%s.part", file->path);
    file->stream = fopen(file->part, "wb");
    return file->stream ? PCS_OK : cannot(file, errno);
}

static pcs_status put_runs(page_file *file, pcs_result *const *results, const char *const *names,
                           int32_t n)
{
    char generator[64];
    pcs_json json;
    pcs_json_init(&json, file->stream);
    snprintf(generator, sizeof generator, "percuss %s", pcs_version());
    pcs_json_begin_object(&json, NULL);
    pcs_json_integer(&json, "format", 1);
    pcs_json_text(&json, "generator", generator);
    pcs_json_begin_list(&json, "runs");
    for (int32_t i = 0; i < n; i++) {
        pcs_report report = {.ctx = file->ctx,
                             .result = results[i],
                             .json = json,
                             .budget = pcs_report_budget_of(n)};
        pcs_status status = pcs_report_put_run(&report, names[i]);
        json = report.json;
        pcs_report_free(&report);
        PCS_TRY(status);
        if (ferror(file->stream))
            break; // do not go on with a full disk
    }
    pcs_json_end_list(&json);
    pcs_json_end_object(&json);
    return PCS_OK;
}

static pcs_status fill_page(page_file *file, pcs_result *const *results, const char *const *names,
                            int32_t n)
{
    const unsigned char *page = pcs_viewer_page, *end = page + pcs_viewer_page_size;
    const unsigned char *place = pcs_report_find_mark(page, pcs_viewer_page_size);
    if (!place)
        return pcs_error(file->ctx, PCS_ERROR_IO,
                         "%s: the report page that was built in has no place for data; build "
                         "Percuss again",
                         file->path);
    const unsigned char *rest = place + sizeof mark - 1;
    fwrite(page, 1, (size_t)(place - page), file->stream);
    PCS_TRY(put_runs(file, results, names, n));
    fwrite(rest, 1, (size_t)(end - rest), file->stream);
    return PCS_OK;
}

// On disk before the old page goes.
static pcs_status publish(page_file *file)
{
    errno = 0;
    if (ferror(file->stream))
        putc('\n', file->stream); // fails again, and errno has the reason
    bool ok = fflush(file->stream) == 0 && !ferror(file->stream) &&
              fsync(fileno(file->stream)) == 0;
    int error_number = errno != 0 ? errno : EIO;
    if (fclose(file->stream) != 0 && ok) {
        ok = false;
        error_number = errno;
    }
    file->stream = NULL;
    if (ok && rename(file->part, file->path) == 0)
        return PCS_OK;
    return cannot(file, ok ? errno : error_number);
}

static pcs_status check(pcs_context *ctx, int32_t n, const char *path)
{
    if (n < 1 || !path || !*path)
        return pcs_error(ctx, PCS_ERROR_ARGUMENT, "a report needs a result and a file name");
    if (!pcs_report_is_available())
        return pcs_error(ctx, PCS_ERROR_ARGUMENT,
                         "%s: cannot write the report: built without the report page; install "
                         "nodejs and npm and build Percuss again",
                         path);
    return PCS_OK;
}

pcs_status pcs_report_write(pcs_context *ctx, pcs_result *const *results, const char *const *names,
                            int32_t n, const char *path)
{
    PCS_TRY(check(ctx, n, path));
    page_file file = {.ctx = ctx, .path = path};
    pcs_status status = open_page(&file);
    const bool created = file.stream != NULL;
    if (status >= 0)
        status = fill_page(&file, results, names, n);
    if (status >= 0)
        status = publish(&file);
    if (file.stream)
        fclose(file.stream);
    if (status < 0 && created)
        unlink(file.part);
    pcs_free(ctx, file.part);
    return status;
}
