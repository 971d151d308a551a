// Task pool: every piece is done exactly once, whatever the number of threads; runs see the
// caller's data and the caller theirs; nested runs, idle pools and refused memory.
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "base/tasks.h"

enum { PIECES = 1000, RUNS = 2000 };

typedef struct job {
    pcs_tasks *tasks;
    int32_t seen[PIECES]; // plain: a piece done twice, or unseen by the caller, is a data race
    int64_t value;
    atomic_int inner;
} job;

static void count_piece(void *user, int32_t index)
{
    job *j = user;
    j->seen[index] += (int32_t)j->value;
}

static void run_inside(void *user, int32_t index)
{
    (void)index;
    (void)atomic_fetch_add(&((job *)user)->inner, 1);
}

static void nest(void *user, int32_t index)
{
    job *j = user;
    pcs_tasks_run(j->tasks, run_inside, j, 5);
    ++j->seen[index];
}

static void sleep_for(long nanoseconds)
{
    const struct timespec time = {0, nanoseconds};
    (void)nanosleep(&time, NULL);
}

static void sleep_piece(void *user, int32_t index)
{
    sleep_for(index == 0 ? 3000000 : 100000);
    ++((job *)user)->seen[index];
}

static void test_all_pieces_once(void **state)
{
    (void)state;
    static job j;
    pcs_context *ctx = pcs_context_create(NULL);
    for (int32_t threads = 1; threads <= 5; ++threads) {
        assert_int_equal(pcs_tasks_create(ctx, threads, &j.tasks), PCS_OK);
        assert_int_equal(pcs_tasks_threads(j.tasks), threads);
        const uint64_t calls = pcs_context_heap_calls(ctx);
        memset(j.seen, 0, sizeof j.seen);
        int64_t expected[PIECES] = {0};
        for (int32_t run = 0; run < RUNS; ++run) {
            const int32_t count = run % 7 == 0 ? run % PIECES : run % 5;
            j.value = 1 + run % 3;
            pcs_tasks_run(j.tasks, count_piece, &j, count);
            for (int32_t i = 0; i < count; ++i)
                expected[i] += j.value;
            if (run % 500 == 499)
                sleep_for(1000000); // long enough for the workers to fall asleep
        }
        for (int32_t i = 0; i < PIECES; ++i)
            assert_int_equal(j.seen[i], expected[i]);
        assert_true(pcs_context_heap_calls(ctx) == calls);
        pcs_tasks_destroy(j.tasks);
    }
    assert_int_equal((int)pcs_context_heap_bytes(ctx), 0);
    pcs_context_destroy(ctx);
}

static void test_without_pool(void **state)
{
    (void)state;
    static job j;
    j.value = 1;
    pcs_tasks_run(NULL, count_piece, &j, PIECES);
    pcs_tasks_run(NULL, count_piece, &j, 0);
    pcs_tasks_run(NULL, count_piece, &j, -3);
    for (int32_t i = 0; i < PIECES; ++i)
        assert_int_equal(j.seen[i], 1);
    assert_int_equal(pcs_tasks_threads(NULL), 1);
    pcs_tasks_destroy(NULL);
}

static void test_nested_runs(void **state)
{
    (void)state;
    static job j;
    pcs_context *ctx = pcs_context_create(NULL);
    assert_int_equal(pcs_tasks_create(ctx, 3, &j.tasks), PCS_OK);
    pcs_tasks_run(j.tasks, nest, &j, 100);
    for (int32_t i = 0; i < 100; ++i)
        assert_int_equal(j.seen[i], 1);
    assert_int_equal(atomic_load(&j.inner), 500);
    pcs_tasks_destroy(j.tasks);
    pcs_context_destroy(ctx);
}

typedef struct ordered {
    int32_t needs[PIECES], value[PIECES]; // plain: a piece that did not wait is a data race
} ordered;

// 1 + the sum of what was asked for, modulo a prime
static void sum_needed(void *user, int32_t index)
{
    ordered *o = user;
    int64_t sum = 1;
    for (int32_t i = 0; i < o->needs[index]; ++i)
        sum += o->value[i];
    o->value[index] = (int32_t)(sum % 10007);
}

// Pieces see those that they asked for, whatever the number of threads.
static void test_ordered_pieces(void **state)
{
    (void)state;
    static ordered one, some;
    static atomic_uchar done[PIECES];
    pcs_context *ctx = pcs_context_create(NULL);
    for (int32_t i = 0; i < PIECES; ++i)
        one.needs[i] = some.needs[i] = i % 7 == 0 ? i : i > 5 ? i - 1 - i % 5 : 0;
    pcs_tasks_run_ordered(NULL, sum_needed, &one, PIECES, one.needs, done);
    for (int32_t threads = 2; threads <= 5; ++threads) {
        pcs_tasks *tasks;
        assert_int_equal(pcs_tasks_create(ctx, threads, &tasks), PCS_OK);
        for (int32_t run = 0; run < 20; ++run) {
            memset(some.value, 0, sizeof some.value);
            pcs_tasks_run_ordered(tasks, sum_needed, &some, PIECES, some.needs, done);
            assert_memory_equal(one.value, some.value, sizeof one.value);
        }
        pcs_tasks_destroy(tasks);
    }
    pcs_context_destroy(ctx);
}

// Pieces that take long: the caller sleeps until the last one wakes it
static void test_long_pieces(void **state)
{
    (void)state;
    static job j;
    pcs_context *ctx = pcs_context_create(NULL);
    assert_int_equal(pcs_tasks_create(ctx, 2, &j.tasks), PCS_OK);
    for (int32_t run = 0; run < 5; ++run)
        pcs_tasks_run(j.tasks, sleep_piece, &j, 2);
    assert_int_equal(j.seen[0], 5);
    assert_int_equal(j.seen[1], 5);
    pcs_tasks_destroy(j.tasks);
    pcs_context_destroy(ctx);
}

// A worker that waits for work uses no processor time
static void test_idle_pool_sleeps(void **state)
{
    (void)state;
    pcs_context *ctx = pcs_context_create(NULL);
    pcs_tasks *tasks;
    assert_int_equal(pcs_tasks_create(ctx, 4, &tasks), PCS_OK);
    const clock_t start = clock();
    sleep_for(100000000);
    assert_true((double)(clock() - start) / CLOCKS_PER_SEC < 0.03); // three workers would use 0.3
    pcs_tasks_destroy(tasks);
    pcs_context_destroy(ctx);
}

// Woken threads do the run that follows; if none does they sleep again.
static void test_wake(void **state)
{
    (void)state;
    static job j;
    pcs_context *ctx = pcs_context_create(NULL);
    pcs_tasks_wake(NULL);
    assert_int_equal(pcs_tasks_create(ctx, 3, &j.tasks), PCS_OK);
    memset(j.seen, 0, sizeof j.seen);
    j.value = 1;
    for (int k = 0; k < 20; ++k) {
        sleep_for(200000); // long enough to fall asleep
        pcs_tasks_wake(j.tasks);
        pcs_tasks_run(j.tasks, count_piece, &j, PIECES);
    }
    for (int i = 0; i < PIECES; ++i)
        assert_int_equal(j.seen[i], 20);
    pcs_tasks_wake(j.tasks);
    const clock_t start = clock();
    sleep_for(100000000);
    assert_true((double)(clock() - start) / CLOCKS_PER_SEC < 0.03); // two workers would use 0.2
    pcs_tasks_destroy(j.tasks);
    pcs_context_destroy(ctx);
}

static void test_bad_creation(void **state)
{
    (void)state;
    pcs_context *ctx = pcs_context_create(NULL);
    pcs_tasks *tasks;
    assert_int_equal(pcs_tasks_create(ctx, -1, &tasks), PCS_ERROR_ARGUMENT);
    assert_null(tasks);
    assert_int_equal(pcs_tasks_create(ctx, 1000000, &tasks), PCS_ERROR_ARGUMENT);
    for (uint64_t n = 1; n <= 2; ++n) {
        pcs_context_fail_heap_call(ctx, n);
        assert_int_equal(pcs_tasks_create(ctx, 2, &tasks), PCS_ERROR_MEMORY);
        assert_null(tasks);
        pcs_context_fail_heap_call(ctx, 0);
        assert_int_equal((int)pcs_context_heap_bytes(ctx), 0);
    }
    assert_int_equal(pcs_tasks_create(ctx, 0, &tasks), PCS_OK); // one for each processor
    assert_true(pcs_tasks_threads(tasks) >= 1);
    pcs_tasks_destroy(tasks);
    pcs_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_pieces_once), cmocka_unit_test(test_without_pool),
        cmocka_unit_test(test_nested_runs),     cmocka_unit_test(test_ordered_pieces),
        cmocka_unit_test(test_long_pieces),     cmocka_unit_test(test_idle_pool_sleeps),
        cmocka_unit_test(test_bad_creation),    cmocka_unit_test(test_wake),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
