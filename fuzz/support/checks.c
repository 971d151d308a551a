#include "support/checks.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Contexts count all memory of the library, and fuzz_end() looks at it; what HDF5 loses over a damaged
// file is not ours, and blocks without bytes, which end where they begin, are taken for lost.
const char *__asan_default_options(void);

const char *__asan_default_options(void)
{
    return "detect_leaks=0";
}

void fuzz_require(bool condition, const char *what, const pcs_context *ctx)
{
    if (condition)
        return;
    fprintf(stderr, "%s; last error: %s\n", what, pcs_context_error(ctx));
    abort();
}

void fuzz_check_error(const pcs_context *ctx)
{
    const char *text = pcs_context_error(ctx);
    fuzz_require(text[0] != '\0', "an error without text", ctx);
    fuzz_require(strchr(text, '\n') == NULL, "an error text of several lines", ctx);
}

void fuzz_end(pcs_context *ctx)
{
    fuzz_require(pcs_context_heap_bytes(ctx) == 0, "memory is left over", ctx);
    pcs_context_destroy(ctx);
}

// ---- Files ----

static char folder[] = "/tmp/percuss-fuzz-XXXXXX";

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *place)
{
    (void)info;
    (void)kind;
    (void)place;
    return remove(path);
}

static void remove_folder(void)
{
    nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

const char *fuzz_path(const char *name)
{
    enum { SIZE = 128 };
    static bool made;
    static char path[SIZE];
    if (!made && (!mkdtemp(folder) || atexit(remove_folder) != 0))
        abort();
    made = true;
    snprintf(path, SIZE, "%s/%s", folder, name);
    return path;
}

const char *fuzz_file(const void *bytes, size_t size)
{
    const char *path = fuzz_path("file");
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(bytes, 1, size, file) != size || fclose(file) != 0)
        abort();
    return path;
}

fuzz_image fuzz_image_of_file(const char *path)
{
    fuzz_image image = {0};
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0)
        abort();
    image.size = (size_t)ftell(file);
    image.bytes = malloc(image.size);
    rewind(file);
    if (!image.bytes || fread(image.bytes, 1, image.size, file) != image.size)
        abort();
    fclose(file);
    return image;
}
