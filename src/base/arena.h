// Step memory: one arena with marks. Allocation is a pointer bump; when the arena is too small it
// takes a further block from the heap and, at the next reset, merges all blocks into one, so that
// after warm-up a step makes no heap call.
#ifndef PCS_BASE_ARENA_H
#define PCS_BASE_ARENA_H

#include "base/context.h"

typedef struct pcs_arena_block pcs_arena_block;

typedef struct pcs_arena {
    pcs_context *ctx;
    pcs_arena_block *head;  // block in use; older ones hang behind it
    pcs_arena_block *spare; // released block kept for the next request, or NULL
    size_t used_total;      // bytes handed out since the last reset and not released
    size_t peak_total;      // largest used_total ever, the size needed next time
} pcs_arena;

typedef struct pcs_arena_mark {
    pcs_arena_block *block;
    size_t used;
    size_t used_total;
} pcs_arena_mark;

void pcs_arena_init(pcs_arena *arena, pcs_context *ctx);
void pcs_arena_free(pcs_arena *arena);
// Empties the arena; merges its blocks. Fails only if the merged block cannot be had.
pcs_status pcs_arena_reset(pcs_arena *arena) PCS_MUST_CHECK;
// 64-byte aligned, not zeroed. NULL when memory is out.
void *pcs_arena_alloc(pcs_arena *arena, size_t count, size_t size);
// Release gives back all that was handed out since the mark; a reset makes older marks invalid.
pcs_arena_mark pcs_arena_get_mark(const pcs_arena *arena);
void pcs_arena_release(pcs_arena *arena, pcs_arena_mark mark);

#define PCS_ARENA_ARRAY(arena, type, count) \
    ((type *)pcs_arena_alloc((arena), (size_t)(count), sizeof(type)))

#endif
