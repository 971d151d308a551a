// libFuzzer target: the bytes are a contact problem as text. Whatever they are, reading ends with a
// problem or with one line of error text, and all memory is given back. What is written of a
// problem that was read can be read again and gives itself. Seeds in fuzz/corpus/problem_text,
// words in problem_text.dict.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/problem_file.h"
#include "support/checks.h"

static char *write_text(const pcs_problem *problem, size_t *size)
{
    char *text = NULL;
    FILE *stream = open_memstream(&text, size);
    if (!stream)
        abort();
    pcs_problem_write_text(problem, stream);
    fclose(stream);
    return text;
}

static void check_reread(pcs_context *ctx, const pcs_problem *first)
{
    pcs_problem *second = NULL;
    size_t size, size_again;
    char *text = write_text(first, &size);
    fuzz_require(pcs_problem_read_text(ctx, "again", text, size, &second) >= 0,
                 "the text of a problem cannot be read again", ctx);
    fuzz_require(pcs_problem_get_class(first) == pcs_problem_get_class(second), "another class",
                 ctx);
    char *again = write_text(second, &size_again);
    fuzz_require(size == size_again && memcmp(text, again, size) == 0, "the text changed", ctx);
    free(again);
    free(text);
    pcs_problem_destroy(second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    pcs_context *ctx = pcs_context_create(NULL);
    if (!ctx)
        return 0;
    pcs_problem *problem = NULL;
    if (pcs_problem_read_text(ctx, "fuzz", (const char *)data, size, &problem) < 0)
        fuzz_check_error(ctx);
    else
        check_reread(ctx, problem);
    pcs_problem_destroy(problem);
    fuzz_end(ctx);
    return 0;
}
