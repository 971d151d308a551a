// libFuzzer target: the bytes are a contact problem in FCLIB's HDF5 layout. Whatever they are,
// reading ends with a problem or with one line of error text; memory and HDF5 identifiers are given
// back. Seeds in fuzz/corpus/problem_fclib. The bytes go through a file, because HDF5 reads files.
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "percuss/problem.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int condition, const char *what, const pcs_context *ctx)
{
    if (condition)
        return;
    fprintf(stderr, "%s; last error: %s\n", what, pcs_context_error(ctx));
    abort();
}

// A file without a name: reading through /proc leaves nothing behind when the program is killed.
static int open_nameless(void)
{
    char name[] = "/tmp/percuss-fuzz-XXXXXX";
    const int file = mkstemp(name);
    if (file < 0 || unlink(name) != 0)
        abort();
    return file;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const unsigned char signature[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
    if (size < sizeof signature || memcmp(data, signature, sizeof signature) != 0)
        return -1; // text, which has its own target
    static int file = -1;
    if (file < 0)
        file = open_nameless();
    if (ftruncate(file, 0) != 0 || pwrite(file, data, size, 0) != (ssize_t)size)
        abort();
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    pcs_context *ctx = pcs_context_create(NULL);
    if (!ctx)
        return 0;
    pcs_problem *problem = NULL;
    if (pcs_problem_read(ctx, path, &problem) < 0) {
        const char *text = pcs_context_error(ctx);
        require(text[0] != '\0', "an error without text", ctx);
        require(strchr(text, '\n') == NULL, "an error text of several lines", ctx);
        require(problem == NULL, "a problem in spite of an error", ctx);
    }
    pcs_problem_destroy(problem);
    require(pcs_context_heap_bytes(ctx) == 0, "memory is left over", ctx);
    require(H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_ALL) == 0, "open HDF5 objects", ctx);
    pcs_context_destroy(ctx);
    return 0;
}
