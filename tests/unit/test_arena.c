// The step arena: alignment, marks, merging, no heap call after warm-up, failing memory.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"

static int setup(void **state)
{
    *state = pcs_context_create(NULL);
    return *state ? 0 : -1;
}

static int teardown(void **state)
{
    int leaked = pcs_context_heap_bytes(*state) != 0;
    pcs_context_destroy(*state);
    return leaked;
}

static void test_blocks_are_aligned_and_apart(void **state)
{
    enum { COUNT = 200 };
    pcs_arena arena;
    pcs_arena_init(&arena, *state);
    unsigned char *blocks[COUNT];
    for (int i = 0; i < COUNT; i++) {
        blocks[i] = pcs_arena_alloc(&arena, (size_t)i * 17, 3);
        assert_non_null(blocks[i]);
        assert_int_equal((uintptr_t)blocks[i] % 64, 0);
        memset(blocks[i], i, (size_t)i * 51);
    }
    for (int i = 0; i < COUNT; i++) {
        for (int k = 0; k < i * 51; k++)
            assert_int_equal(blocks[i][k], i);
    }
    pcs_arena_free(&arena);
}

// One step: a growing set of arrays, with an inner solver that takes a mark and releases it.
static void take_step(pcs_arena *arena, int size)
{
    double *v = PCS_ARENA_ARRAY(arena, double, 311 * size);
    assert_non_null(v);
    v[311 * size - 1] = 2.385;
    pcs_arena_mark mark = pcs_arena_get_mark(arena);
    for (int i = 0; i < 7; i++) {
        int32_t *work = PCS_ARENA_ARRAY(arena, int32_t, 50021 * size);
        assert_non_null(work);
        work[50021 * size - 1] = i;
    }
    pcs_arena_release(arena, mark);
    double *u = PCS_ARENA_ARRAY(arena, double, 103 * size);
    assert_non_null(u);
    u[103 * size - 1] = -1.09;
    assert_true(v[311 * size - 1] == 2.385);
}

static void test_no_heap_call_after_warm_up(void **state)
{
    pcs_arena arena;
    pcs_arena_init(&arena, *state);
    assert_int_equal(pcs_arena_reset(&arena), PCS_OK); // an arena never used
    take_step(&arena, 3);
    assert_int_equal(pcs_arena_reset(&arena), PCS_OK);
    uint64_t calls = pcs_context_heap_calls(*state);
    for (int step = 0; step < 5; step++) {
        take_step(&arena, 3);
        assert_int_equal(pcs_arena_reset(&arena), PCS_OK);
    }
    assert_int_equal(pcs_context_heap_calls(*state), calls);

    // a larger step warms up again, once; smaller ones then fit
    take_step(&arena, 11);
    assert_int_equal(pcs_arena_reset(&arena), PCS_OK);
    calls = pcs_context_heap_calls(*state);
    take_step(&arena, 11);
    assert_int_equal(pcs_arena_reset(&arena), PCS_OK);
    take_step(&arena, 2);
    assert_int_equal(pcs_arena_reset(&arena), PCS_OK);
    assert_int_equal(pcs_context_heap_calls(*state), calls);
    pcs_arena_free(&arena);
    pcs_arena_free(&arena); // harmless
}

static void test_marks_without_reset_do_not_thrash(void **state)
{
    pcs_arena arena;
    pcs_arena_init(&arena, *state);
    char *kept = pcs_arena_alloc(&arena, 60000, 1);
    assert_non_null(kept);
    memset(kept, 'k', 60000);
    uint64_t calls = pcs_context_heap_calls(*state);
    for (int i = 0; i < 100; i++) {
        pcs_arena_mark mark = pcs_arena_get_mark(&arena);
        char *scratch = pcs_arena_alloc(&arena, 70001, 1); // does not fit the first block
        assert_non_null(scratch);
        memset(scratch, 's', 70001);
        pcs_arena_release(&arena, mark);
    }
    assert_int_equal(pcs_context_heap_calls(*state), calls + 1);
    for (int i = 0; i < 60000; i++)
        assert_int_equal(kept[i], 'k');
    pcs_arena_free(&arena);
}

static void test_mark_of_empty_arena(void **state)
{
    pcs_arena arena;
    pcs_arena_init(&arena, *state);
    pcs_arena_mark mark = pcs_arena_get_mark(&arena);
    void *first = pcs_arena_alloc(&arena, 1009, 8);
    assert_non_null(first);
    pcs_arena_release(&arena, mark);
    assert_int_equal(arena.used_total, 0);
    assert_ptr_equal(pcs_arena_alloc(&arena, 997, 8), first); // the block is used again
    pcs_arena_release(&arena, mark);
    uint64_t calls = pcs_context_heap_calls(*state);
    assert_int_equal(pcs_arena_reset(&arena), PCS_OK);
    assert_ptr_equal(pcs_arena_alloc(&arena, 1009, 8), first);
    assert_int_equal(pcs_context_heap_calls(*state), calls);
    pcs_arena_free(&arena);
}

static void test_memory_failures(void **state)
{
    pcs_arena arena;
    pcs_arena_init(&arena, *state);
    pcs_context_fail_heap_call(*state, 1);
    assert_null(pcs_arena_alloc(&arena, 13, 8));
    assert_non_null(strstr(pcs_context_error(*state), "out of memory"));
    assert_non_null(pcs_arena_alloc(&arena, 13, 8)); // the arena is still usable

    assert_null(pcs_arena_alloc(&arena, SIZE_MAX / 3, 4));
    assert_null(pcs_arena_alloc(&arena, SIZE_MAX, 1));
    assert_null(pcs_arena_alloc(&arena, SIZE_MAX - 64, 1));
    assert_null(pcs_arena_alloc(&arena, SIZE_MAX - 200, 1));

    assert_non_null(pcs_arena_alloc(&arena, 100003, 8)); // a second block
    pcs_context_fail_heap_call(*state, 1);
    assert_int_equal(pcs_arena_reset(&arena), PCS_ERROR_MEMORY); // the merge
    assert_non_null(pcs_arena_alloc(&arena, 13, 8));
    assert_int_equal(pcs_arena_reset(&arena), PCS_OK);
    pcs_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_blocks_are_aligned_and_apart, setup, teardown),
        cmocka_unit_test_setup_teardown(test_no_heap_call_after_warm_up, setup, teardown),
        cmocka_unit_test_setup_teardown(test_marks_without_reset_do_not_thrash, setup, teardown),
        cmocka_unit_test_setup_teardown(test_mark_of_empty_arena, setup, teardown),
        cmocka_unit_test_setup_teardown(test_memory_failures, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
