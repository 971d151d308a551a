// A pool hands out what was given back: no request to its parent once every size has been there.
#include "base/pool.h"
#include "support/near.h"

#include <string.h>

static bool stops;

static bool stop(void *user)
{
    (void)user;
    return stops;
}

static void make_and_free(pcs_context *ctx, unsigned char mark)
{
    enum { BLOCKS = 20 };
    unsigned char *block[BLOCKS];
    for (size_t i = 0; i < BLOCKS; ++i) {
        const size_t size = 1 + 37 * i * i;
        block[i] = pcs_calloc(ctx, size, 1);
        assert_non_null(block[i]);
        assert_int_equal(block[i][size - 1], 0); // zeroed, although it was used before
        memset(block[i], mark, size);
    }
    for (size_t i = 0; i < BLOCKS; ++i) {
        const size_t size = 1 + 37 * i * i;
        block[i] = pcs_realloc(ctx, block[i], 3 * size, 1);
        assert_int_equal(block[i][0], mark);
        assert_int_equal(block[i][size - 1], mark);
    }
    for (size_t i = 0; i < BLOCKS; ++i)
        pcs_free(ctx, block[i]);
}

static void test_reuse(void **state)
{
    (void)state;
    pcs_context *parent = pcs_context_create(NULL);
    pcs_pool *pool;
    assert_int_equal(pcs_pool_create(parent, &pool), PCS_OK);
    make_and_free(pcs_pool_context(pool), 0xa5);
    const uint64_t calls = pcs_context_heap_calls(parent);
    for (int i = 0; i < 10; ++i)
        make_and_free(pcs_pool_context(pool), 0x5a);
    assert_int_equal(pcs_context_heap_calls(parent), calls);
    assert_int_equal(pcs_context_heap_bytes(pcs_pool_context(pool)), 0);
    assert_null(pcs_calloc(pcs_pool_context(pool), SIZE_MAX / 2 + 2, 1));
    pcs_pool_destroy(pool);
    pcs_pool_destroy(NULL);
    assert_int_equal(pcs_context_heap_bytes(parent), 0);
    pcs_context_destroy(parent);
}

static void test_stop(void **state)
{
    (void)state;
    const pcs_context_def def = {.stop = stop};
    pcs_context *parent = pcs_context_create(&def);
    pcs_pool *pool;
    assert_int_equal(pcs_pool_create(parent, &pool), PCS_OK);
    stops = false;
    assert_int_equal(pcs_context_go_on(pcs_pool_context(pool)), PCS_OK);
    stops = true;
    assert_int_equal(pcs_context_go_on(pcs_pool_context(pool)), PCS_ERROR_STOPPED);
    pcs_pool_destroy(pool);
    pcs_context_destroy(parent);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_reuse), cmocka_unit_test(test_stop)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
