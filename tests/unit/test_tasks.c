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
    pcs_task_lanes lanes;
    int32_t needs[PIECES][PCS_TASK_LANES], piece[PIECES];
    int32_t value[PIECES]; // plain: a piece that did not wait is a data race
} ordered;

// Piece i is in lane i % LANES and needs those below i - (0 .. 12) of the other lanes.
static void make_lanes(ordered *o)
{
    enum { LANES = PCS_TASK_LANES, EACH = PIECES / LANES };
    memset(o, 0, sizeof *o);
    o->lanes.needs = o->needs;
    for (int l = 0; l < LANES; ++l) {
        o->lanes.lane[l].count = EACH;
        o->lanes.lane[l].piece = o->piece + l * EACH;
    }
    for (int32_t i = 0; i < PIECES; ++i) {
        o->piece[i % LANES * EACH + i / LANES] = i;
        for (int32_t l = 0; l < LANES; ++l) {
            const int32_t end = i - i % 13 + (l < i % LANES); // pieces below it
            o->needs[i][l] = end > l ? (end - l + LANES - 1) / LANES : 0;
            o->needs[i][l] = o->needs[i][l] > i / LANES ? i / LANES : o->needs[i][l];
        }
    }
}

// 1 + the sum of what was asked for, modulo a prime
static void sum_needed(void *user, int32_t index)
{
    ordered *o = user;
    int64_t sum = 1;
    for (int l = 0; l < PCS_TASK_LANES; ++l)
        for (int32_t k = 0; k < o->needs[index][l]; ++k)
            sum += o->value[o->lanes.lane[l].piece[k]];
    o->value[index] = (int32_t)(sum % 10007);
}

static void add_one(void *user, int32_t index)
{
    ++((ordered *)user)->value[index];
}

// Pieces in lanes see those that they asked for, whatever the number of threads.
static void test_lanes(void **state)
{
    (void)state;
    static ordered one, some;
    pcs_context *ctx = pcs_context_create(NULL);
    make_lanes(&one);
    make_lanes(&some);
    pcs_tasks_run_lanes(NULL, sum_needed, &one, &one.lanes, true);
    for (int32_t threads = 2; threads <= 6; ++threads) {
        pcs_tasks *tasks;
        assert_int_equal(pcs_tasks_create(ctx, threads, &tasks), PCS_OK);
        for (int32_t run = 0; run < 20; ++run) {
            memset(some.value, 0, sizeof some.value);
            pcs_tasks_run_lanes(tasks, sum_needed, &some, &some.lanes, true);
            assert_memory_equal(one.value, some.value, sizeof one.value);
            pcs_tasks_run_lanes(tasks, add_one, &some, &some.lanes, false);
            for (int32_t i = 0; i < PIECES; ++i)
                assert_int_equal(some.value[i], one.value[i] + 1);
        }
        pcs_tasks_destroy(tasks);
    }
    pcs_context_destroy(ctx);
}

// A lane whose thread sleeps is brought on by the others.
static void sleep_in_lane(void *user, int32_t index)
{
    if (index % PCS_TASK_LANES == 3)
        sleep_for(200000);
    add_one(user, index);
}

static void test_slow_lane(void **state)
{
    (void)state;
    static ordered some;
    pcs_context *ctx = pcs_context_create(NULL);
    pcs_tasks *tasks;
    make_lanes(&some);
    for (int l = 0; l < PCS_TASK_LANES; ++l)
        some.lanes.lane[l].count = 10;
    assert_int_equal(pcs_tasks_create(ctx, 4, &tasks), PCS_OK);
    pcs_tasks_run_lanes(tasks, sleep_in_lane, &some, &some.lanes, true);
    for (int32_t i = 0; i < PIECES; ++i)
        assert_int_equal(some.value[i], i < 10 * PCS_TASK_LANES);
    pcs_tasks_destroy(tasks);
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
        cmocka_unit_test(test_all_pieces_once),
        cmocka_unit_test(test_without_pool),
        cmocka_unit_test(test_nested_runs),
        cmocka_unit_test(test_lanes),
        cmocka_unit_test(test_slow_lane),
        cmocka_unit_test(test_long_pieces),
        cmocka_unit_test(test_idle_pool_sleeps),
        cmocka_unit_test(test_bad_creation),
        cmocka_unit_test(test_wake),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
