// libFuzzer target: the bytes are a model file in memory. Whatever they are, reading ends with a
// model or with one line of error text, and all memory is given back. The text of a model that was
// read can be read again and gives itself. Seeds in fuzz/corpus/model_file, words in
// model_file.dict.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/model_file.h"
#include "support/checks.h"

static void check_reread(pcs_context *ctx, const pcs_model_file *first)
{
    const char *text = pcs_model_file_text(first);
    pcs_model_file *second = NULL;
    pcs_status status = pcs_model_file_read_memory(ctx, "again", text, strlen(text), NULL, 0,
                                                   &second);
    fuzz_require(status >= 0, "the text of a model cannot be read again", ctx);
    fuzz_require(strcmp(text, pcs_model_file_text(second)) == 0, "the text changed", ctx);
    pcs_model_file_destroy(second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    pcs_context *ctx = pcs_context_create(NULL);
    if (!ctx)
        return 0;
    pcs_model_file *file = NULL;
    pcs_status status = pcs_model_file_read_memory(ctx, "fuzz", (const char *)data, size, NULL, 0,
                                                   &file);
    if (status < 0)
        fuzz_check_error(ctx);
    else
        check_reread(ctx, file);
    pcs_model_file_destroy(file);
    fuzz_end(ctx);
    return 0;
}
