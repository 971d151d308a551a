// The context: byte and call counts, failing requests, error texts, log hook, growing arrays.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/array.h"
#include "base/context.h"

// An allocator that remembers each block's size and checks the old sizes it is told.
typedef struct ledger {
    struct {
        void *block;
        size_t size;
    } entries[64];
    int live;
    size_t bytes;
} ledger;

static void *ledger_resize(void *user, void *block, size_t old_size, size_t new_size)
{
    ledger *book = user;
    int slot = 0;
    while (slot < 64 && book->entries[slot].block != block)
        slot++; // a NULL block finds a free slot
    assert_in_range((uintmax_t)slot, 0, 63);
    assert_int_equal(book->entries[slot].size, old_size);
    book->bytes -= old_size;
    book->bytes += new_size;
    if (new_size == 0) {
        assert_non_null(block);
        free(block);
        book->entries[slot].block = NULL;
        book->entries[slot].size = 0;
        book->live--;
        return NULL;
    }
    void *moved = malloc(new_size); // always moves, so that stale pointers show
    assert_non_null(moved);
    if (block) {
        memcpy(moved, block, old_size < new_size ? old_size : new_size);
        free(block);
    } else {
        book->live++;
    }
    book->entries[slot].block = moved;
    book->entries[slot].size = new_size;
    return moved;
}

static void test_counts_calls_and_bytes(void **state)
{
    (void)state;
    pcs_context *ctx = pcs_context_create(NULL);
    assert_non_null(ctx);
    assert_int_equal(pcs_context_heap_calls(ctx), 0);
    assert_int_equal(pcs_context_heap_bytes(ctx), 0);

    double *a = PCS_NEW_ARRAY(ctx, double, 37);
    assert_non_null(a);
    for (int i = 0; i < 37; i++)
        assert_true(a[i] == 0);
    assert_int_equal((uintptr_t)a % 16, 0);
    assert_int_equal(pcs_context_heap_bytes(ctx), 37 * sizeof(double));
    a[36] = 2.385;

    a = pcs_realloc(ctx, a, 91, sizeof(double));
    assert_non_null(a);
    assert_true(a[36] == 2.385);
    assert_int_equal(pcs_context_heap_bytes(ctx), 91 * sizeof(double));
    a = pcs_realloc(ctx, a, 5, sizeof(double));
    assert_int_equal(pcs_context_heap_bytes(ctx), 5 * sizeof(double));
    assert_int_equal(pcs_context_heap_calls(ctx), 3);

    pcs_free(ctx, NULL);
    assert_int_equal(pcs_context_heap_calls(ctx), 3);
    pcs_free(ctx, a);
    assert_int_equal(pcs_context_heap_calls(ctx), 4);
    assert_int_equal(pcs_context_heap_bytes(ctx), 0);

    void *empty = pcs_calloc(ctx, 0, 8);
    assert_non_null(empty);
    assert_int_equal(pcs_context_heap_bytes(ctx), 0);
    pcs_free(ctx, empty);
    pcs_context_destroy(ctx);
    pcs_context_destroy(NULL);
}

static void test_custom_resize_hears_true_sizes(void **state)
{
    (void)state;
    ledger book = {0};
    pcs_context_def def = pcs_context_default();
    def.resize = ledger_resize;
    def.resize_user = &book;
    pcs_context *ctx = pcs_context_create(&def);
    assert_non_null(ctx);
    size_t own = book.bytes;

    char *text = pcs_strdup(ctx, "percussion");
    char *part = pcs_strndup(ctx, "percussion", 7);
    assert_string_equal(text, "percussion");
    assert_string_equal(part, "percuss");
    int32_t *numbers = pcs_realloc(ctx, NULL, 13, sizeof *numbers);
    numbers[12] = 71;
    numbers = pcs_realloc(ctx, numbers, 1013, sizeof *numbers);
    assert_int_equal(numbers[12], 71);
    assert_int_equal(pcs_context_heap_bytes(ctx), 11 + 8 + 1013 * sizeof *numbers);
    assert_int_equal(book.live, 4);

    pcs_free(ctx, text);
    pcs_free(ctx, numbers);
    pcs_free(ctx, part);
    assert_int_equal(book.bytes, own);
    pcs_context_destroy(ctx);
    assert_int_equal(book.live, 0);
    assert_int_equal(book.bytes, 0);
}

static void test_nth_request_fails(void **state)
{
    (void)state;
    pcs_context *ctx = pcs_context_create(NULL);
    assert_string_equal(pcs_context_error(ctx), "");

    pcs_context_fail_heap_call(ctx, 3);
    char *first = pcs_calloc(ctx, 7, 3);
    assert_non_null(first);
    memcpy(first, "abcdefg", 8);
    char *second = pcs_calloc(ctx, 5, 1);
    assert_non_null(second);
    pcs_free(ctx, second); // a free is not a request
    assert_null(pcs_realloc(ctx, first, 1234, 1));
    assert_non_null(strstr(pcs_context_error(ctx), "out of memory"));
    assert_non_null(strstr(pcs_context_error(ctx), "1234"));
    assert_string_equal(first, "abcdefg"); // the old block stays valid
    assert_int_equal(pcs_context_heap_bytes(ctx), 21);

    first = pcs_realloc(ctx, first, 1234, 1); // only one request fails
    assert_non_null(first);
    pcs_context_fail_heap_call(ctx, 1);
    assert_null(pcs_strdup(ctx, "text"));
    pcs_context_fail_heap_call(ctx, 1);
    pcs_context_fail_heap_call(ctx, 0); // switched off again
    void *third = pcs_calloc(ctx, 1, 1);
    assert_non_null(third);
    pcs_free(ctx, third);
    pcs_free(ctx, first);
    assert_int_equal(pcs_context_heap_bytes(ctx), 0);
    pcs_context_destroy(ctx);
}

static void test_refuses_overflow(void **state)
{
    (void)state;
    pcs_context *ctx = pcs_context_create(NULL);
    assert_null(pcs_calloc(ctx, SIZE_MAX / 4, 5));
    assert_non_null(strstr(pcs_context_error(ctx), "out of memory"));
    assert_null(pcs_calloc(ctx, SIZE_MAX, 1)); // no room for the header
    assert_null(pcs_realloc(ctx, NULL, SIZE_MAX - 15, 1));
    assert_int_equal(pcs_context_heap_calls(ctx), 0);
    pcs_context_destroy(ctx);
}

static void *refuse(void *user, void *block, size_t old_size, size_t new_size)
{
    (void)user;
    (void)block;
    (void)old_size;
    (void)new_size;
    return NULL;
}

static void test_create_without_memory(void **state)
{
    (void)state;
    pcs_context_def def = {.resize = refuse};
    assert_null(pcs_context_create(&def));
}

static void test_error_texts(void **state)
{
    (void)state;
    pcs_context *ctx = pcs_context_create(NULL);
    assert_int_equal(pcs_error(ctx, PCS_ERROR_MODEL, "body '%s': mass %g", "rod", -2.385),
                     PCS_ERROR_MODEL);
    assert_string_equal(pcs_context_error(ctx), "body 'rod': mass -2.385");
    assert_int_equal(pcs_error_prefix(ctx, PCS_ERROR_INPUT, "%s:%d", "crank.yaml", 17),
                     PCS_ERROR_INPUT);
    assert_string_equal(pcs_context_error(ctx), "crank.yaml:17: body 'rod': mass -2.385");
    // the recorded text may be an argument of the next one
    (void)pcs_error(ctx, PCS_ERROR_INPUT, "[%s]", pcs_context_error(ctx));
    assert_string_equal(pcs_context_error(ctx), "[crank.yaml:17: body 'rod': mass -2.385]");

    char longer[3000];
    memset(longer, 'q', sizeof longer);
    longer[sizeof longer - 1] = '\0';
    (void)pcs_error(ctx, PCS_ERROR_IO, "%s", longer);
    assert_int_equal(strlen(pcs_context_error(ctx)), 1023);
    (void)pcs_error_prefix(ctx, PCS_ERROR_IO, "file");
    assert_int_equal(strlen(pcs_context_error(ctx)), 1023);
    assert_memory_equal(pcs_context_error(ctx), "file: qqq", 9);
    (void)pcs_error_prefix(ctx, PCS_ERROR_IO, "%s", longer);
    assert_int_equal(strlen(pcs_context_error(ctx)), 1023);
    pcs_context_destroy(ctx);
}

static void keep_log(void *user, pcs_log_level level, const char *text)
{
    assert_int_equal(level, PCS_LOG_WARNING);
    strcpy(user, text);
}

static void test_log_hook(void **state)
{
    (void)state;
    char heard[64] = "";
    pcs_context_def def = pcs_context_default();
    def.log = keep_log;
    def.log_user = heard;
    pcs_context *ctx = pcs_context_create(&def);
    pcs_log(ctx, PCS_LOG_WARNING, "step %d shrunk to %g", 41, 3.5e-4);
    assert_string_equal(heard, "step 41 shrunk to 0.00035");
    pcs_context_destroy(ctx);

    ctx = pcs_context_create(NULL);
    pcs_log(ctx, PCS_LOG_INFO, "silent");
    pcs_context_destroy(ctx);
}

static void test_names(void **state)
{
    (void)state;
    for (int status = PCS_ERROR_IO; status <= PCS_INTERRUPTED; status++) {
        const char *name = pcs_status_name((pcs_status)status);
        assert_string_not_equal(name, "unknown_status");
        assert_int_equal(strncmp(name, "error_", 6) == 0, status < 0);
    }
    assert_string_equal(pcs_status_name(PCS_NOT_CONVERGED), "not_converged");
    assert_string_equal(pcs_status_name((pcs_status)97), "unknown_status");
    assert_true(pcs_version()[0] >= '0' && pcs_version()[0] <= '9');
}

typedef struct pair {
    int32_t key;
    double value;
} pair;

static void test_array_grows(void **state)
{
    (void)state;
    pcs_context *ctx = pcs_context_create(NULL);
    PCS_ARRAY(pair) pairs = {0};
    for (int32_t i = 0; i < 1000; i++)
        assert_true(PCS_PUSH(ctx, &pairs, ((pair){i, 2.385 * i})));
    assert_int_equal(pairs.count, 1000);
    for (int32_t i = 0; i < 1000; i++) {
        assert_int_equal(pairs.data[i].key, i);
        assert_true(pairs.data[i].value == 2.385 * i);
    }
    assert_in_range(pcs_context_heap_calls(ctx), 1, 8); // 8 * 2^7 = 1024

    // a failing request leaves the array as it was
    while (pairs.count < pairs.capacity)
        assert_true(PCS_PUSH(ctx, &pairs, ((pair){-1, 0})));
    int32_t count = pairs.count;
    pcs_context_fail_heap_call(ctx, 1);
    bool pushed = PCS_PUSH(ctx, &pairs, ((pair){-1, 0}));
    assert_false(pushed);
    assert_int_equal(pairs.count, count);
    assert_int_equal(pairs.data[999].key, 999);

    assert_true(pcs_array_reserve(ctx, (void **)&pairs.data, &pairs.capacity, 5003, sizeof(pair)));
    assert_in_range((uintmax_t)pairs.capacity, 5003, INT32_MAX);
    PCS_ARRAY_FREE(ctx, &pairs);
    assert_null(pairs.data);
    assert_int_equal(pcs_context_heap_bytes(ctx), 0);
    pcs_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts_calls_and_bytes),
        cmocka_unit_test(test_custom_resize_hears_true_sizes),
        cmocka_unit_test(test_nth_request_fails),
        cmocka_unit_test(test_refuses_overflow),
        cmocka_unit_test(test_create_without_memory),
        cmocka_unit_test(test_error_texts),
        cmocka_unit_test(test_log_hook),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_array_grows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
