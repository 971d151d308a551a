// Step memory. All sizes are rounded up to the alignment, so that the bytes handed out from several
// blocks fit one merged block of the same total without gaps.
#include "base/arena.h"

enum { ALIGNMENT = 64, SMALLEST_BLOCK = 64 * 1024 };

struct pcs_arena_block {
    pcs_arena_block *previous;
    unsigned char *data; // aligned, inside this heap block
    size_t capacity;
    size_t used;
};

void pcs_arena_init(pcs_arena *arena, pcs_context *ctx)
{
    *arena = (pcs_arena){.ctx = ctx};
}

static void free_blocks(pcs_context *ctx, pcs_arena_block *block)
{
    while (block) {
        pcs_arena_block *previous = block->previous;
        pcs_free(ctx, block);
        block = previous;
    }
}

void pcs_arena_free(pcs_arena *arena)
{
    free_blocks(arena->ctx, arena->head);
    free_blocks(arena->ctx, arena->spare);
    pcs_arena_init(arena, arena->ctx);
}

// An empty block of `capacity` bytes (a multiple of the alignment).
static pcs_arena_block *create_block(pcs_context *ctx, size_t capacity)
{
    size_t overhead = sizeof(pcs_arena_block) + ALIGNMENT;
    // Too large a sum is passed on as it is, so that the context refuses it and records why.
    size_t total = capacity > SIZE_MAX - overhead ? SIZE_MAX : capacity + overhead;
    pcs_arena_block *block = pcs_realloc(ctx, NULL, total, 1);
    if (!block)
        return NULL;
    unsigned char *start = (unsigned char *)(block + 1);
    size_t excess = (size_t)((uintptr_t)start % ALIGNMENT);
    *block = (pcs_arena_block){.data = start + (excess ? ALIGNMENT - excess : 0),
                               .capacity = capacity};
    return block;
}

static size_t total_capacity(const pcs_arena_block *block)
{
    size_t sum = 0;
    for (; block; block = block->previous)
        sum += block->capacity;
    return sum;
}

pcs_status pcs_arena_reset(pcs_arena *arena)
{
    arena->used_total = 0;
    pcs_arena_block *only = arena->head ? arena->head : arena->spare;
    bool single = only && !only->previous && !(arena->head && arena->spare);
    if (!only || (single && only->capacity >= arena->peak_total)) {
        arena->head = only;
        arena->spare = NULL;
        if (only)
            only->used = 0;
        return PCS_OK;
    }
    // Blocks double in size, so their sum leaves room for slow growth; old ones go first, so that
    // the merge does not need both at the same time.
    size_t capacity = total_capacity(arena->head) + total_capacity(arena->spare);
    if (capacity < arena->peak_total)
        capacity = arena->peak_total;
    free_blocks(arena->ctx, arena->head);
    free_blocks(arena->ctx, arena->spare);
    arena->spare = NULL;
    arena->head = create_block(arena->ctx, capacity);
    return arena->head ? PCS_OK : PCS_ERROR_MEMORY;
}

// Puts an empty block with at least `bytes` of room at the head.
static bool add_block(pcs_arena *arena, size_t bytes)
{
    pcs_arena_block *block = arena->spare;
    if (block && block->capacity >= bytes) {
        arena->spare = NULL;
    } else {
        size_t capacity = total_capacity(arena->head);
        if (capacity < SMALLEST_BLOCK)
            capacity = SMALLEST_BLOCK;
        if (capacity < bytes)
            capacity = bytes;
        block = create_block(arena->ctx, capacity);
        if (!block)
            return false;
    }
    block->previous = arena->head;
    block->used = 0;
    arena->head = block;
    return true;
}

void *pcs_arena_alloc(pcs_arena *arena, size_t count, size_t size)
{
    if (size != 0 && count > (SIZE_MAX - ALIGNMENT) / size) {
        (void)pcs_error(arena->ctx, PCS_ERROR_MEMORY,
                        "out of memory: %zu elements of %zu bytes exceed the address space", count,
                        size);
        return NULL;
    }
    size_t bytes = (count * size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (bytes == 0) // an empty array has an address of its own too
        bytes = ALIGNMENT;
    if (!arena->head || arena->head->capacity - arena->head->used < bytes) {
        if (!add_block(arena, bytes))
            return NULL;
    }
    void *result = arena->head->data + arena->head->used;
    arena->head->used += bytes;
    arena->used_total += bytes;
    if (arena->used_total > arena->peak_total)
        arena->peak_total = arena->used_total;
    return result;
}

pcs_arena_mark pcs_arena_get_mark(const pcs_arena *arena)
{
    return (pcs_arena_mark){arena->head, arena->head ? arena->head->used : 0, arena->used_total};
}

void pcs_arena_release(pcs_arena *arena, pcs_arena_mark mark)
{
    // Of the blocks younger than the mark the largest stays at hand: a loop of mark, alloc,
    // release must not go to the heap each time round.
    while (arena->head != mark.block) {
        pcs_arena_block *block = arena->head;
        arena->head = block->previous;
        block->previous = NULL;
        if (!arena->spare || arena->spare->capacity < block->capacity) {
            pcs_free(arena->ctx, arena->spare);
            arena->spare = block;
        } else {
            pcs_free(arena->ctx, block);
        }
    }
    if (arena->head)
        arena->head->used = mark.used;
    arena->used_total = mark.used_total;
}
