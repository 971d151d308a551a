// A test fixture with a context and an arena: its struct begins with a pcs_test_memory.
//     typedef struct fixture { pcs_test_memory memory; ... } fixture;
#ifndef PCS_TESTS_FIXTURE_H
#define PCS_TESTS_FIXTURE_H

#include <stdlib.h>

#include "base/arena.h"

typedef struct pcs_test_memory {
    pcs_context *ctx;
    pcs_arena arena;
} pcs_test_memory;

// *state becomes a fixture of `size` bytes, zero but for its memory; not 0 on failure, as cmocka
// has it.
static inline int pcs_test_fixture_create(void **state, size_t size)
{
    pcs_test_memory *memory = calloc(1, size);
    if (memory == NULL)
        return -1;
    *state = memory;
    memory->ctx = pcs_context_create(NULL);
    pcs_arena_init(&memory->arena, memory->ctx);
    return memory->ctx == NULL ? -1 : 0;
}

// Not 0 if something was not given back.
static inline int pcs_test_fixture_destroy(void **state)
{
    pcs_test_memory *memory = *state;
    pcs_arena_free(&memory->arena);
    const bool leaked = pcs_context_heap_bytes(memory->ctx) != 0;
    pcs_context_destroy(memory->ctx);
    free(memory);
    return leaked ? -1 : 0;
}

#endif
