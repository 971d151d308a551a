// The context: allocator with book-keeping, last error, log hook.
//
// Every heap block carries its payload size in a header in front of it, so that the byte count is
// exact and a caller's resize function always hears the true old size.
#define _DEFAULT_SOURCE // madvise
#include "base/context.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if defined(__linux__)
#include <sys/mman.h>
#endif

#include "base/text.h"

#ifndef PERCUSS_VERSION
#define PERCUSS_VERSION "0.1.0"
#endif

enum { TEXT_CAPACITY = 1024 };

struct pcs_context {
    pcs_context_def def;
    uint64_t heap_calls;
    uint64_t heap_bytes;
    uint64_t calls_until_failure; // 0: the switch is off
    bool stopping;                // def.stop has asked for it
    char error[TEXT_CAPACITY];
};

// Sixteen bytes, so that the payload keeps the alignment that malloc promises.
typedef union block_header {
    size_t size; // of the payload
    _Alignas(16) unsigned char padding[16];
} block_header;

// Memory that is read from end to end again and again is read faster through large pages: asks for
// them where the system gives them on request. The answer does not matter.
static void ask_for_large_pages(void *block, size_t size)
{
#if defined(MADV_HUGEPAGE)
    const size_t large = (size_t)8 << 20; // smaller blocks are in the caches or soon gone
    const uintptr_t page = (uintptr_t)1 << 21, start = (uintptr_t)block;
    const uintptr_t first = (start + page - 1) / page * page, last = (start + size) / page * page;
    if (size >= large && first < last)
        (void)madvise((char *)block + (first - start), last - first, MADV_HUGEPAGE);
#else
    (void)block;
    (void)size;
#endif
}

static void *default_resize(void *user, void *block, size_t old_size, size_t new_size)
{
    (void)user;
    (void)old_size;
    if (new_size == 0) {
        free(block);
        return NULL;
    }
    void *resized = realloc(block, new_size);
    if (resized)
        ask_for_large_pages(resized, new_size);
    return resized;
}

const char *pcs_version(void)
{
    return PERCUSS_VERSION;
}

const char *pcs_status_name(pcs_status status)
{
    switch (status) {
    case PCS_OK:
        return "ok";
    case PCS_NOT_CONVERGED:
        return "not_converged";
    case PCS_INTERRUPTED:
        return "interrupted";
    case PCS_ERROR_MEMORY:
        return "error_memory";
    case PCS_ERROR_ARGUMENT:
        return "error_argument";
    case PCS_ERROR_INPUT:
        return "error_input";
    case PCS_ERROR_MODEL:
        return "error_model";
    case PCS_ERROR_SINGULAR:
        return "error_singular";
    case PCS_ERROR_NUMERIC:
        return "error_numeric";
    case PCS_ERROR_IO:
        return "error_io";
    case PCS_ERROR_STOPPED:
        return "error_stopped";
    }
    return "unknown_status";
}

pcs_context_def pcs_context_default(void)
{
    return (pcs_context_def){.resize = default_resize};
}

pcs_context *pcs_context_create(const pcs_context_def *def)
{
    pcs_context_def chosen = def ? *def : pcs_context_default();
    if (!chosen.resize)
        chosen.resize = default_resize;

    // The context itself is not part of its own traffic: a context without blocks shows 0 bytes.
    pcs_context *ctx = chosen.resize(chosen.resize_user, NULL, 0, sizeof *ctx);
    if (!ctx)
        return NULL;
    memset(ctx, 0, sizeof *ctx);
    ctx->def = chosen;
    return ctx;
}

void pcs_context_destroy(pcs_context *ctx)
{
    if (ctx) {
        pcs_context_def def = ctx->def;
        def.resize(def.resize_user, ctx, sizeof *ctx, 0);
    }
}

const char *pcs_context_error(const pcs_context *ctx)
{
    return ctx->error;
}

uint64_t pcs_context_heap_calls(const pcs_context *ctx)
{
    return ctx->heap_calls;
}

uint64_t pcs_context_heap_bytes(const pcs_context *ctx)
{
    return ctx->heap_bytes;
}

void pcs_context_fail_heap_call(pcs_context *ctx, uint64_t n)
{
    ctx->calls_until_failure = n;
}

pcs_status pcs_error(pcs_context *ctx, pcs_status status, const char *format, ...)
{
    // Formatted aside first: an argument may be the recorded text itself.
    char text[TEXT_CAPACITY];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    pcs_text_mend(text);
    memcpy(ctx->error, text, sizeof text);
    return status;
}

pcs_status pcs_error_prefix(pcs_context *ctx, pcs_status status, const char *format, ...)
{
    char text[TEXT_CAPACITY];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);

    // prefix + ": " + recorded text, cut at the end
    size_t length = strlen(text);
    const char *parts[] = {": ", ctx->error};
    for (int i = 0; i < 2; i++) {
        size_t room = sizeof text - 1 - length;
        size_t part = strlen(parts[i]);
        size_t taken = part < room ? part : room;
        memcpy(text + length, parts[i], taken);
        length += taken;
    }
    text[length] = '\0';
    pcs_text_mend(text);
    memcpy(ctx->error, text, sizeof text);
    return status;
}

bool pcs_context_stops(pcs_context *ctx)
{
    ctx->stopping = ctx->stopping || (ctx->def.stop && ctx->def.stop(ctx->def.stop_user));
    return ctx->stopping;
}

void pcs_context_begin(pcs_context *ctx)
{
    ctx->stopping = false;
}

pcs_status pcs_context_go_on(pcs_context *ctx)
{
    return pcs_context_stops(ctx) ? pcs_error(ctx, PCS_ERROR_STOPPED, "stopped inside a step")
                                  : PCS_OK;
}

int pcs_context_stop_hook(void *ctx)
{
    return pcs_context_stops(ctx);
}

void pcs_log(pcs_context *ctx, pcs_log_level level, const char *format, ...)
{
    if (!ctx->def.log)
        return;
    char text[TEXT_CAPACITY];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    pcs_text_mend(text);
    ctx->def.log(ctx->def.log_user, level, text);
}

// One request to the heap: allocates (block NULL) or resizes to count*size payload bytes.
static void *request(pcs_context *ctx, void *block, size_t count, size_t size)
{
    // The limit is that of pointer differences, half the address space.
    if (size != 0 && count > ((size_t)PTRDIFF_MAX - sizeof(block_header)) / size) {
        (void)pcs_error(ctx, PCS_ERROR_MEMORY,
                        "out of memory: %zu elements of %zu bytes exceed the address space", count,
                        size);
        return NULL;
    }
    size_t payload = count * size;
    block_header *old = block ? (block_header *)block - 1 : NULL;
    size_t old_payload = old ? old->size : 0;
    size_t old_total = old ? old_payload + sizeof *old : 0;

    ctx->heap_calls++;
    bool refused = ctx->calls_until_failure != 0 && --ctx->calls_until_failure == 0;
    block_header *header = NULL;
    if (!refused)
        header = ctx->def.resize(ctx->def.resize_user, old, old_total, payload + sizeof *header);
    if (!header) {
        (void)pcs_error(ctx, PCS_ERROR_MEMORY, "out of memory: %zu bytes requested, %llu in use",
                        payload, (unsigned long long)ctx->heap_bytes);
        return NULL;
    }
    ctx->heap_bytes += payload;
    ctx->heap_bytes -= old_payload;
    header->size = payload;
    return header + 1;
}

void *pcs_calloc(pcs_context *ctx, size_t count, size_t size)
{
    void *block = request(ctx, NULL, count, size);
    if (block)
        memset(block, 0, count * size);
    return block;
}

bool pcs_calloc_list(pcs_context *ctx, double **const *list, size_t count, int64_t length)
{
    bool good = true;
    for (size_t i = 0; i < count; ++i)
        good = (*list[i] = PCS_NEW_ARRAY(ctx, double, length)) && good;
    return good;
}

void *pcs_realloc(pcs_context *ctx, void *block, size_t count, size_t size)
{
    return request(ctx, block, count, size);
}

void pcs_free(pcs_context *ctx, void *block)
{
    if (!block)
        return;
    block_header *header = (block_header *)block - 1;
    ctx->heap_calls++;
    ctx->heap_bytes -= header->size;
    ctx->def.resize(ctx->def.resize_user, header, header->size + sizeof *header, 0);
}

char *pcs_strdup(pcs_context *ctx, const char *text)
{
    return pcs_strndup(ctx, text, strlen(text));
}

char *pcs_strndup(pcs_context *ctx, const char *text, size_t length)
{
    char *copy = request(ctx, NULL, length + 1, 1);
    if (copy) {
        memcpy(copy, text, length);
        copy[length] = '\0';
    }
    return copy;
}
