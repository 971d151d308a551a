// Axes, thinning and drawing of percuss plot. The files of the program are compiled in, since they
// belong to no library.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "cli/plot_axis.c"
#include "cli/plot_series.c"

#ifdef PERCUSS_HAVE_CAIRO
#include "cli/plot_axes.c"
#include "cli/plot_draw.c"
#include "cli/plot_legend.c"
#include "cli/plot_output.c"
#include "cli/plot_table.c"
#endif

// ---- Ticks ----

static double uniform(void) // 0 to 1, the same in every run
{
    static uint64_t seed = 20161385;
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(seed >> 11) / 9007199254740992.0;
}

// The label read as a number, with factor and offset put back.
static double read_label(const plot_axis *axis, int32_t i)
{
    char text[PLOT_LABEL_SIZE], plain[PLOT_LABEL_SIZE];
    size_t used = 0;
    plot_axis_label(axis, i, text);
    for (const char *c = text; *c; c++) {
        if (strncmp(c, MINUS, 3) == 0) {
            plain[used++] = '-';
            c += 2;
        } else
            plain[used++] = *c;
    }
    plain[used] = '\0';
    char *end = NULL;
    double number = strtod(plain, &end);
    assert_true(*end == '\0'); // digits alone: powers were taken out
    return number * pow(10, axis->exponent) + (double)axis->offset * pow(10, axis->power);
}

static void check_axis(plot_range range, int32_t most)
{
    plot_axis axis = plot_axis_choose(range, false, most);
    char before[PLOT_LABEL_SIZE] = "", text[PLOT_LABEL_SIZE];
    assert_in_range(axis.count, 1, most);
    assert_true(axis.stride == 1 || axis.stride == 2 || axis.stride == 5);
    double step = (double)axis.stride * pow(10, axis.power);
    for (int32_t i = 0; i < axis.count; i++) {
        double tick = plot_axis_tick(&axis, i), place = plot_axis_place(&axis, tick);
        assert_true(place > -1e-6 && place < 1 + 1e-6);
        if (i > 0)
            assert_true(fabs(tick - plot_axis_tick(&axis, i - 1) - step) < 1e-3 * step);
        assert_true(fabs(read_label(&axis, i) - tick) < 1e-3 * step);
        plot_axis_label(&axis, i, text);
        assert_string_not_equal(text, before);
        assert_true(strlen(text) <= 12);
        memcpy(before, text, sizeof text);
    }
    // The next finer step would give too many.
    assert_true((range.hi - range.lo) / step > most / 2.6 - 2);
}

static void test_ticks_of_any_range(void **state)
{
    (void)state;
    for (int k = 0; k < 20000; k++) {
        double size = pow(10, -200 + 400 * uniform()), relative = pow(10, -11 + 12 * uniform());
        double center = (uniform() < 0.2 ? 0 : 2 * uniform() - 1) * size;
        plot_range range = plot_range_empty();
        plot_range_add(&range, center - relative * size, false);
        plot_range_add(&range, center + relative * size, false);
        range = plot_range_widen(range, 0.05, false);
        check_axis(range, 3 + (int32_t)(8 * uniform()));
    }
}

static void expect_labels(double lo, double hi, int32_t most, bool log, const char *expected)
{
    plot_axis axis = plot_axis_choose((plot_range){lo, hi}, log, most);
    char all[512] = "", text[PLOT_LABEL_SIZE];
    for (int32_t i = 0; i < axis.count; i++) {
        plot_axis_label(&axis, i, text);
        strcat(strcat(all, i > 0 ? " " : ""), text);
    }
    plot_axis_factor(&axis, text);
    if (*text)
        strcat(strcat(all, " x"), text);
    plot_axis_offset(&axis, text);
    if (*text)
        strcat(strcat(all, " +"), text);
    assert_string_equal(all, expected);
}

static void test_labels(void **state)
{
    (void)state;
    expect_labels(0, 1, 6, false, "0.0 0.2 0.4 0.6 0.8 1.0");
    expect_labels(-1, 1, 5, false, MINUS "1.0 " MINUS "0.5 0.0 0.5 1.0");
    expect_labels(0, 0.0021, 5, false, "0.0 0.5 1.0 1.5 2.0 x10\xe2\x81\xbb\xc2\xb3");
    expect_labels(0, 9000, 4, false, "0 5000");
    expect_labels(0, 52000, 6, false, "0 10 20 30 40 50 x10\xc2\xb3");
    expect_labels(1e6, 1e6 + 0.004, 5, false, "0 1 2 3 4 x10\xe2\x81\xbb\xc2\xb3 +1000000");
    expect_labels(0.9, 1200, 6, true, "1 10 10\xc2\xb2 10\xc2\xb3");
    expect_labels(2, 5.1, 4, true, "2 3 4 5"); // no decade inside
    expect_labels(1e-18, 1, 5, true,
                  "10\xe2\x81\xbb\xc2\xb9\xe2\x81\xb8 10\xe2\x81\xbb\xc2\xb9\xc2\xb2 "
                  "10\xe2\x81\xbb\xe2\x81\xb6 1");
}

static void test_odd_ranges(void **state)
{
    (void)state;
    const double odd[][2] = {{0, 0},          {5, 5},           {-3e-7, -3e-7}, {1e308, 1e308},
                             {-1e308, 1e308}, {1e-310, 1e-310}, {5, 5 + 4e-15}};
    for (size_t k = 0; k < sizeof odd / sizeof *odd; k++)
        for (int log = 0; log < 2; log++) {
            plot_range range = plot_range_empty();
            plot_range_add(&range, odd[k][0], log);
            plot_range_add(&range, odd[k][1], log);
            plot_range_add(&range, NAN, log);
            plot_range_add(&range, HUGE_VAL, log);
            range = plot_range_widen(range, 0.05, log);
            assert_true(isfinite(range.lo) && isfinite(range.hi) && range.lo < range.hi);
            plot_axis axis = plot_axis_choose(range, log, 6);
            assert_in_range(axis.count, 1, 7);
            double place = plot_axis_place(&axis, odd[k][1]);
            assert_true(log && odd[k][1] <= 0 ? isnan(place) : place >= -0.01 && place <= 1.01);
        }
    assert_true(plot_range_is_empty(plot_range_empty()));
    assert_true(isnan(plot_axis_place(&(plot_axis){.lo = 0, .hi = 1}, NAN)));
}

// ---- Thinning ----

static plot_points place(const double *x, const double *y, int64_t n, bool by_time, bool steps,
                         plot_range window)
{
    plot_points points;
    plot_series series = {x, y, n, by_time, steps};
    plot_axis horizontal = plot_axis_choose(window, false, 5);
    plot_axis vertical = plot_axis_choose((plot_range){-1, 1}, false, 5);
    assert_true(plot_series_place(&series, &horizontal, &vertical, 500, 300, &points));
    return points;
}

static void test_long_runs_keep_extremes(void **state)
{
    enum { N = 1000000, COLUMNS = 500 };
    double *x = malloc(N * sizeof *x), *y = malloc(N * sizeof *y);
    double low[COLUMNS], high[COLUMNS], kept_low[COLUMNS], kept_high[COLUMNS];
    (void)state;
    assert_non_null(x);
    assert_non_null(y);
    for (int c = 0; c < COLUMNS; c++) {
        low[c] = kept_low[c] = 2;
        high[c] = kept_high[c] = -2;
    }
    for (int i = 0; i < N; i++) {
        x[i] = i / (double)(N - 1);
        y[i] = 0.3 * sin(40 * x[i]) + (uniform() < 1e-4 ? 0.6 * uniform() : 0);
        int c = (int)floor(plot_axis_place(&(plot_axis){.lo = 0, .hi = 1}, x[i]) * COLUMNS);
        c = c < COLUMNS ? c : COLUMNS - 1;
        low[c] = fmin(low[c], y[i]);
        high[c] = fmax(high[c], y[i]);
    }
    clock_t start = clock();
    plot_points p = place(x, y, N, true, false, (plot_range){0, 1});
    assert_true((double)(clock() - start) / CLOCKS_PER_SEC < 2);
    assert_in_range(p.count, 2 * COLUMNS, 4 * COLUMNS + 4);
    for (int64_t i = 0; i < p.count; i++) {
        int c = (int)floor(p.x[i] * COLUMNS);
        c = c < COLUMNS ? c : COLUMNS - 1;
        kept_low[c] = fmin(kept_low[c], 2 * p.y[i] - 1);
        kept_high[c] = fmax(kept_high[c], 2 * p.y[i] - 1);
        assert_true(i == 0 || p.x[i] >= p.x[i - 1]);
    }
    for (int c = 0; c < COLUMNS; c++)
        assert_true(fabs(kept_low[c] - low[c]) < 1e-12 && fabs(kept_high[c] - high[c]) < 1e-12);
    plot_points_free(&p);
    p = place(y, y, N, false, false, (plot_range){-1, 1}); // a phase plot along the diagonal
    assert_true(p.count > 0 && p.count < N / 2);
    plot_points_free(&p);
    free(x);
    free(y);
}

static void test_gaps_and_steps(void **state)
{
    const double x[] = {0, 1, 2, 3, 4, 5}, y[] = {0, 0.5, NAN, 0.2, HUGE_VAL, -0.4};
    (void)state;
    plot_points p = place(x, y, 6, true, false, (plot_range){0, 5});
    assert_int_equal(p.count, 6); // 2 points, gap, 1, gap, 1
    assert_true(isnan(p.x[2]) && isnan(p.x[4]));
    plot_points_free(&p);
    p = place(x, y, 6, true, false, (plot_range){0.5, 0.75}); // between two frames
    assert_int_equal(p.count, 3); // the line ends with a gap where it leaves the window
    assert_true(p.x[0] == 0 && p.x[1] == 1);
    assert_true(fabs(p.y[0] - 0.625) < 1e-12 && fabs(p.y[1] - 0.6875) < 1e-12);
    plot_points_free(&p);
    const double state_y[] = {0, 1, 1, 0, 0, 1};
    p = place(x, state_y, 6, true, true, (plot_range){0, 5});
    for (int64_t i = 1; i < p.count; i++) // right angles alone
        assert_true(p.x[i] == p.x[i - 1] || p.y[i] == p.y[i - 1]);
    plot_points_free(&p);
    p = place(x, y, 0, true, false, (plot_range){0, 5});
    assert_int_equal(p.count, 0);
    plot_points_free(&p);
}

// ---- Pictures ----

#ifdef PERCUSS_HAVE_CAIRO

static void draw_odd(const double *x, const double *y, int64_t n, bool by_time, bool log)
{
    plot_curve curves[2] = {{.series = {x, y, n, by_time, false}, .label = "one"},
                            {.series = {x, y, n, by_time, by_time}, .label = "", .colour = 9}};
    plot_panel panel = {.curves = curves,
                        .n_curves = 2,
                        .by_time = by_time,
                        .x_name = "time",
                        .y_name = "a name that is far too long for the height of this picture, "
                                  "and so it must be cut",
                        .x_unit = "s",
                        .y_unit = "m"};
    plot_figure figure = {.panels = &panel,
                          .n_panels = 1,
                          .title = "odd",
                          .width = 120,
                          .height = 90,
                          .from = NAN,
                          .to = NAN,
                          .log_y = log,
                          .log_x = log,
                          .points = true,
                          .equal = true};
    static const char *const names[] = {"plot_odd.svg", "plot_odd.pdf", "plot_odd.png"};
    char folder[] = "/tmp/percuss_plot_XXXXXX", path[64], text[200];
    assert_non_null(mkdtemp(folder));
    pcs_context *ctx = pcs_context_create(NULL);
    for (int format = 0; format < 3; format++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[format]);
        assert_null(plot_write(ctx, &figure, path, (plot_format)format, 2, text, sizeof text));
        assert_int_equal(access(path, R_OK), 0);
        unlink(path);
    }
    pcs_context_destroy(ctx);
    rmdir(folder);
}

static void test_odd_pictures(void **state)
{
    enum { N = 7 };
    const double x[N] = {0, 1, 2, 3, 4, 5, 6};
    const double y[][N] = {{5, 5, 5, 5, 5, 5, 5},
                           {NAN, NAN, NAN, NAN, NAN, NAN, NAN},
                           {1e308, -1e308, 1e300, 0, 1, 2, HUGE_VAL},
                           {1e-310, 2e-310, 0, 0, 5e-324, 0, 0},
                           {-1, -2, -3, NAN, -5, 0, -7},
                           {1e9, 1e9 + 1e-6, 1e9, 1e9 + 2e-6, 1e9, 1e9, 1e9}};
    (void)state;
    for (size_t k = 0; k < sizeof y / sizeof *y; k++)
        for (int log = 0; log < 2; log++)
            for (int64_t n = 0; n <= N; n += n < 2 ? 1 : 5) {
                draw_odd(x, y[k], n, true, log);
                draw_odd(y[k], x, n, false, log);
            }
}

static void test_failed_picture(void **state)
{
    const double x[] = {0, 1};
    plot_curve curve = {.series = {x, x, 2, true, false}, .label = ""};
    plot_panel panel = {.curves = &curve,
                        .n_curves = 1,
                        .by_time = true,
                        .x_name = "",
                        .y_name = "",
                        .x_unit = "",
                        .y_unit = ""};
    plot_figure figure = {
        .panels = &panel, .n_panels = 1, .width = 200, .height = 150, .from = NAN, .to = NAN};
    char text[200];
    (void)state;
    pcs_context *ctx = pcs_context_create(NULL);
    const char *words = plot_write(ctx, &figure, "/nowhere/at/all.svg", PLOT_SVG, 1, text, 200);
    assert_string_equal(words, "/nowhere/at/all.svg: cannot write the picture: no such file or "
                               "folder; check the path");
    pcs_context_destroy(ctx);
}

// A grid of two columns: two panels, one over both that has a table, and one more.
static void test_grid_with_table(void **state)
{
    const double x[] = {1e-8, 1e-4}, y[] = {0.25, 1};
    plot_curve curves[] = {{.series = {x, y, 2, false, false}, .label = ""},
                           {.series = {x, y, 2, false, true}, .label = "", .dash = 1}};
    char *cells[] = {"", "tol 1e-2", "a scheme with a very long name indeed", "3e-07  6e-16"};
    plot_table table = {.cells = cells, .n_rows = 2, .n_columns = 2, .keys = curves};
    plot_panel panels[4];
    for (int i = 0; i < 4; i++)
        panels[i] = (plot_panel){.curves = curves,
                                 .n_curves = 2,
                                 .x_name = "",
                                 .y_name = "y",
                                 .x_unit = "",
                                 .y_unit = "",
                                 .log_x = true,
                                 .share_y = i == 3};
    panels[0].title = "first";
    panels[2] = (plot_panel){.title = "table", .table = &table, .span = 2};
    plot_figure figure = {.panels = panels,
                          .n_panels = 4,
                          .columns = 2,
                          .width = 300,
                          .height = 400,
                          .from = NAN,
                          .to = NAN,
                          .points = true};
    const int32_t rows[] = {0, 0, 1, 2}, columns[] = {0, 1, 0, 0};
    (void)state;
    for (int32_t i = 0; i < 4; i++) {
        int32_t row;
        assert_int_equal(find_cell(&figure, i, &row), columns[i]);
        assert_int_equal(row, rows[i]);
    }
    char folder[] = "/tmp/percuss_plot_XXXXXX", path[64], text[200];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/grid.svg", folder);
    pcs_context *ctx = pcs_context_create(NULL);
    assert_null(plot_write(ctx, &figure, path, PLOT_SVG, 1, text, sizeof text));
    assert_int_equal(access(path, R_OK), 0);
    pcs_context_destroy(ctx);
    unlink(path);
    rmdir(folder);
}

#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ticks_of_any_range), cmocka_unit_test(test_labels),
        cmocka_unit_test(test_odd_ranges),         cmocka_unit_test(test_long_runs_keep_extremes),
        cmocka_unit_test(test_gaps_and_steps),
#ifdef PERCUSS_HAVE_CAIRO
        cmocka_unit_test(test_odd_pictures),       cmocka_unit_test(test_failed_picture),
        cmocka_unit_test(test_grid_with_table),
#endif
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
#ifdef PERCUSS_HAVE_CAIRO
    plot_release();
#endif
    return failed;
}
