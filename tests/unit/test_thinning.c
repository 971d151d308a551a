// Thinning of signals: no extreme is lost, the order is kept, times fit, whatever the numbers.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "io/thinning.h"

// Thins one column of rows that come in pieces.
static float *thin(pcs_context *ctx, const pcs_thinning *thinning, const double *rows,
                   int64_t width, int64_t column, int64_t piece)
{
    float *values = calloc((size_t)thinning->points + 1, sizeof *values);
    pcs_thinner *thinner = NULL;
    assert_non_null(values);
    assert_int_equal(pcs_thinner_create(ctx, thinning, 1, &column, values, &thinner), PCS_OK);
    for (int64_t i = 0; i < thinning->frames; i += piece) {
        int64_t n = thinning->frames - i < piece ? thinning->frames - i : piece;
        pcs_thinner_add(thinner, rows + i * width, n, width);
    }
    pcs_thinner_destroy(thinner);
    return values;
}

// Both points of an interval against a plain search in it.
static void check_interval(const double *v, int64_t first, int64_t last, const float *point)
{
    int64_t least = -1, most = -1;
    for (int64_t i = first; i <= last; i++) {
        if (isnan(v[i]))
            continue;
        least = least < 0 || v[i] < v[least] ? i : least;
        most = most < 0 || v[i] > v[most] ? i : most;
    }
    if (least < 0) {
        assert_true(isnan(point[0]) && isnan(point[1]));
        return;
    }
    int64_t early = least < most ? least : most, late = least < most ? most : least;
    assert_true(point[0] == (float)v[early]);
    assert_true(point[1] == (float)v[late]);
}

static void test_random_signals(void **state)
{
    pcs_context *ctx = *state;
    pcs_random random;
    pcs_random_init(&random, 2385);
    for (int round = 0; round < 300; round++) {
        int64_t frames = 1 + (int64_t)(900 * pcs_random_uniform(&random));
        int64_t most = (int64_t)(300 * pcs_random_uniform(&random));
        int64_t piece = 1 + (int64_t)(70 * pcs_random_uniform(&random));
        pcs_thinning thinning = pcs_thinning_choose(frames, most);
        double *v = calloc((size_t)frames, sizeof *v);
        for (int64_t i = 0; i < frames; i++) {
            double kind = pcs_random_uniform(&random);
            v[i] = kind < 0.1 ? NAN : kind < 0.3 ? 0.5 : pcs_random_uniform(&random) - 0.5;
        }
        float *points = thin(ctx, &thinning, v, 1, 0, piece);
        assert_true(thinning.points <= frames && thinning.points <= (most < 2 ? 2 : most));
        if (thinning.points == frames) {
            for (int64_t i = 0; i < frames; i++)
                assert_true(points[i] == (float)v[i] || (isnan(points[i]) && isnan(v[i])));
        } else {
            int64_t next = 0;
            for (int64_t k = 0; k < thinning.points; k += 2) {
                int64_t first = pcs_thinning_frame(&thinning, k);
                int64_t last = pcs_thinning_frame(&thinning, k + 1);
                assert_true(first == next && last > first); // no gap, and times that grow
                check_interval(v, first, last, points + k);
                next = last + 1;
            }
            assert_int_equal(next, frames);
        }
        free(points);
        free(v);
    }
}

// One spike among very many equal values stays, at its height.
static void test_spike(void **state)
{
    pcs_context *ctx = *state;
    enum { N = 100000 };
    double *v = calloc(N, sizeof *v);
    pcs_thinning thinning = pcs_thinning_choose(N, 4000);
    assert_int_equal(thinning.points, 4000);
    v[61803] = 2.385e7;
    float *points = thin(ctx, &thinning, v, 1, 0, 4096), largest = 0;
    for (int64_t i = 0; i < thinning.points; i++)
        largest = fmaxf(largest, points[i]);
    assert_true(largest == 2.385e7f);
    free(points);
    free(v);
}

static void test_columns(void **state)
{
    pcs_context *ctx = *state;
    enum { FRAMES = 50, WIDTH = 3 };
    double rows[FRAMES * WIDTH];
    float values[2 * FRAMES];
    const int64_t column[] = {2, 0};
    pcs_thinner *thinner = NULL;
    for (int i = 0; i < FRAMES; i++) {
        for (int c = 0; c < WIDTH; c++)
            rows[i * WIDTH + c] = 100 * c + i;
    }
    pcs_thinning thinning = pcs_thinning_choose(FRAMES, 10);
    assert_int_equal(pcs_thinner_create(ctx, &thinning, 2, column, values, &thinner), PCS_OK);
    pcs_thinner_add(thinner, rows, FRAMES, WIDTH);
    pcs_thinner_destroy(thinner);
    for (int64_t i = 0; i < thinning.points; i++) {
        int64_t frame = pcs_thinning_frame(&thinning, i); // values grow: extremes are at the ends
        assert_true(values[i] == (float)(200 + frame));
        assert_true(values[thinning.points + i] == (float)frame);
    }
}

static void test_no_frames_and_huge_values(void **state)
{
    pcs_context *ctx = *state;
    pcs_thinning thinning = pcs_thinning_choose(0, 4000);
    assert_int_equal(thinning.points, 0);
    free(thin(ctx, &thinning, NULL, 1, 0, 10));
    const double v[] = {1e300, -INFINITY, 2};
    thinning = pcs_thinning_choose(3, 4000);
    float *points = thin(ctx, &thinning, v, 1, 0, 10);
    assert_true(isnan(points[0]) && isnan(points[1]) && points[2] == 2);
    free(points);
}

static void test_memory_failures(void **state)
{
    pcs_context *ctx = *state;
    const pcs_thinning thinning = {100, 10};
    const int64_t column = 0;
    float values[10];
    for (uint64_t call = 1; call <= 2; call++) {
        pcs_thinner *thinner = NULL;
        pcs_context_fail_heap_call(ctx, call);
        assert_int_equal(pcs_thinner_create(ctx, &thinning, 1, &column, values, &thinner),
                         PCS_ERROR_MEMORY);
        assert_null(thinner);
    }
    pcs_context_fail_heap_call(ctx, 0);
}

static int set_up(void **state)
{
    *state = pcs_context_create(NULL);
    return *state ? 0 : -1;
}

static int tear_down(void **state)
{
    int leaked = pcs_context_heap_bytes(*state) != 0;
    pcs_context_destroy(*state);
    return leaked;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_random_signals, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_spike, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_columns, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_no_frames_and_huge_values, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_memory_failures, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
