// CSV files: every number reads back bit by bit, in any locale; a failure leaves no file.
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "support/result_fixture.h"

static void read_line(FILE *file, char *line, size_t size)
{
    assert_non_null(fgets(line, (int)size, file));
    line[strcspn(line, "\n")] = '\0';
}

static void test_csv(void **state)
{
    result_fixture *f = *state;
    const char *signals[] = {"body.ball.position.x", "energy.kinetic"};
    char line[512], part[RESULT_PATH_MAX + 8];
    double expected[20][3];
    pcs_csv_writer *writer = NULL;
    // A comma as decimal mark, where the system has such a locale, must not reach the file.
    char old_locale[64];
    snprintf(old_locale, sizeof old_locale, "%s", setlocale(LC_NUMERIC, NULL));
    (void)!setlocale(LC_NUMERIC, "de_DE.UTF-8");
    assert_int_equal(pcs_csv_create(f->ctx, f->model, f->path, signals, 2, &writer), PCS_OK);
    for (int i = 0; i < 20; i++) {
        pcs_body_view view;
        assert_true(pcs_simulation_step(f->simulation) >= 0);
        assert_int_equal(pcs_csv_append(writer, f->simulation), PCS_OK);
        pcs_simulation_body(f->simulation, 1, &view);
        expected[i][0] = pcs_simulation_time(f->simulation);
        expected[i][1] = view.position.x;
        expected[i][2] = pcs_simulation_statistics(f->simulation)->energy.kinetic;
    }
    assert_false(result_exists(f->path));
    assert_int_equal(pcs_csv_close(writer), PCS_OK);
    setlocale(LC_NUMERIC, old_locale);
    snprintf(part, sizeof part, "%s.part", f->path);
    assert_false(result_exists(part));

    FILE *file = fopen(f->path, "r");
    assert_non_null(file);
    read_line(file, line, sizeof line);
    assert_string_equal(line, "time,body.ball.position.x,energy.kinetic");
    for (int i = 0; i < 20; i++) {
        read_line(file, line, sizeof line);
        char *rest = line;
        for (int k = 0; k < 3; k++) {
            assert_same_bits(strtod(rest, &rest), expected[i][k]);
            assert_int_equal(*rest, k < 2 ? ',' : '\0');
            rest++;
        }
    }
    assert_null(fgets(line, sizeof line, file));
    fclose(file);
}

static void test_csv_mistakes(void **state)
{
    result_fixture *f = *state;
    const char *signals[] = {"time", "body.nobody.position.x"};
    char path[RESULT_PATH_MAX];
    pcs_csv_writer *writer = NULL;
    assert_true(pcs_csv_create(f->ctx, f->model, f->path, signals, 2, &writer) < 0);
    assert_false(result_exists(f->path));
    assert_false(result_exists(f->part));
    snprintf(path, sizeof path, "%s/nowhere/a.csv", f->folder);
    assert_int_equal(pcs_csv_create(f->ctx, f->model, path, signals, 1, &writer), PCS_ERROR_IO);
    result_assert_message(f, "no such file or folder");
    if (access("/dev/full", W_OK) == 0) {
        assert_int_equal(pcs_csv_create(f->ctx, f->model, "/dev/full", signals, 1, &writer),
                         PCS_OK);
        assert_int_equal(pcs_csv_append(writer, f->simulation), PCS_OK); // buffered
        assert_int_equal(pcs_csv_close(writer), PCS_ERROR_IO);
        result_assert_message(f, "disk is full");
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, result_set_up, result_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_csv),
        TEST(test_csv_mistakes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
