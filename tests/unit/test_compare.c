// Statistics of percuss compare: performance profiles, the columns of its tables, published values,
// names of schemes. The files of the program are compiled in, since they belong to no library.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "cli/compare_beside.c"
#include "cli/compare_schemes.c"
#include "cli/compare_table.c"
#include "cli/options.c"
#include "cli/profile.c"
#include "cli/table_text.c"

static char message[512]; // the last one

void cli_message(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
}

// ---- Profiles [DolanMore2002] ----

// Three solvers on four problems; the second fails on two, nobody solves the last.
static void ratios_are_sorted_and_shares_counted(void **state)
{
    (void)state;
    cli_profile profile;
    const double first[] = {2, 6, 1.5, INFINITY}, second[] = {1, INFINITY, INFINITY, INFINITY};
    const double third[] = {8, 3, 1.5, INFINITY};
    assert_true(cli_profile_init(&profile, 3, 4, 1e-4));
    memcpy(cli_profile_add(&profile, "a"), first, sizeof first);
    memcpy(cli_profile_add(&profile, "b"), second, sizeof second);
    memcpy(cli_profile_add(&profile, "c"), third, sizeof third);
    cli_profile_rate(&profile);
    const double sorted[3][4] = {
        {1, 2, 2, INFINITY}, {1, INFINITY, INFINITY, INFINITY}, {1, 1, 8, INFINITY}};
    for (int s = 0; s < 3; s++)
        for (int p = 0; p < 4; p++)
            assert_true(profile.ratio[s * 4 + p] == sorted[s][p]);
    const double at_one[] = {0.25, 0.25, 0.5}, at_two[] = {0.75, 0.25, 0.5};
    const int32_t solved[] = {3, 1, 3};
    for (int s = 0; s < 3; s++) {
        assert_true(cli_profile_at(&profile, s, 1) == at_one[s]);
        assert_true(cli_profile_at(&profile, s, 2) == at_two[s]);
        assert_true(cli_profile_at(&profile, s, 0.99) == 0);
        assert_int_equal(cli_profile_solved(&profile, s), solved[s]);
    }
    cli_profile_free(&profile);
}

static void a_profile_without_problems_is_empty(void **state)
{
    (void)state;
    cli_profile profile;
    assert_true(cli_profile_init(&profile, 1, 0, 0));
    cli_profile_add(&profile, "a");
    cli_profile_rate(&profile);
    assert_true(cli_profile_at(&profile, 0, 5) == 0);
    cli_profile_free(&profile);
}

// Two models, two schemes, two tolerances.
typedef struct example {
    compare_model models[2];
    compare_scheme schemes[2];
    compare_run runs[8];
    compare_table table;
} example;

static void make_example(example *e)
{
    *e = (example){.schemes = {{.label = "hem5"}, {.label = "phem56"}}};
    e->table = (compare_table){.models = e->models,
                               .n_models = 2,
                               .schemes = e->schemes,
                               .n_schemes = 2,
                               .tolerances = {1e-3, 1e-5},
                               .n_tolerances = 2,
                               .runs = e->runs};
    for (int32_t m = 0; m < 2; m++)
        for (int32_t s = 0; s < 2; s++)
            for (int32_t k = 0; k < 2; k++)
                e->runs[e->table.n_runs++] = (compare_run){
                    .model = m,
                    .scheme = s,
                    .level = e->table.tolerances[k],
                    .outcome = COMPARE_FINISHED,
                    .seconds = (s == 0 ? 3.0 : 1.0) * (k + 1), // the second is three times as fast
                    .error_q = (s == 0 ? 1e-4 : 2e-3) / (k == 0 ? 1 : 100)};
}

static void failed_runs_count_as_unsolved(void **state)
{
    (void)state;
    example e;
    cli_profile profile;
    make_example(&e);
    e.runs[2].outcome = COMPARE_FAILED; // phem56, first model, 1e-3
    assert_true(compare_profile(&e.table, &profile));
    assert_int_equal(profile.n_problems, 4);
    assert_true(cli_profile_at(&profile, 0, 1) == 0.25);
    assert_true(cli_profile_at(&profile, 0, 3) == 1);
    assert_true(cli_profile_at(&profile, 1, 1) == 0.75);
    assert_true(cli_profile_at(&profile, 1, 1e300) == 0.75);
    assert_int_equal(cli_profile_solved(&profile, 1), 3);
    cli_profile_free(&profile);
}

// At equal error the slower scheme wins where the faster one needs its tighter tolerance: errors
// 1e-4 and 1e-6 against 2e-3 and 2e-5, times 3 and 6 against 1 and 2. Level 1e-3: hem5 3 s, phem56
// 2 s; level 1e-5: hem5 6 s, phem56 never.
static void profile_by_error_takes_the_fastest_run_that_is_accurate_enough(void **state)
{
    (void)state;
    example e;
    cli_profile profile;
    make_example(&e);
    e.table.by_error = true;
    assert_true(compare_profile(&e.table, &profile));
    const double hem5[] = {1, 1, 1.5, 1.5};
    for (int p = 0; p < 4; p++)
        assert_true(profile.ratio[p] == hem5[p]);
    assert_int_equal(cli_profile_solved(&profile, 1), 2);
    cli_profile_free(&profile);
}

static void a_run_without_reference_reaches_no_error(void **state)
{
    (void)state;
    example e;
    cli_profile profile;
    make_example(&e);
    e.table.by_error = true;
    for (int i = 0; i < 8; i++)
        e.runs[i].error_q = NAN;
    assert_true(compare_profile(&e.table, &profile));
    assert_int_equal(cli_profile_solved(&profile, 0), 0);
    cli_profile_free(&profile);
}

static void runs_are_found_by_level(void **state)
{
    (void)state;
    example e;
    make_example(&e);
    assert_ptr_equal(compare_find_run(&e.table, 1, 1, 1e-5), &e.runs[7]);
    assert_null(compare_find_run(&e.table, 1, 1, 1e-4));
    e.runs[7].outcome = COMPARE_NOT_RUN;
    assert_null(compare_find_run(&e.table, 1, 1, 1e-5));
}

static void columns_have_names(void **state)
{
    (void)state;
    double value = 0;
    compare_run run = {.level = 1e-3, .statistics = {.inner_steps = 385, .worst_drift = 2e-9}};
    assert_true(compare_value(&run, "accepted", &value) && value == 385);
    assert_true(compare_value(&run, "drift", &value) && value == 2e-9);
    assert_true(compare_value(&run, "evaluations", &value) && isnan(value)); // not counted
    assert_false(compare_value(&run, "acepted", &value));
}

// ---- Published values ----

static char path[] = "/tmp/percuss_beside_XXXXXX";

static void write_file(const char *text)
{
    strcpy(path + sizeof path - 7, "XXXXXX");
    int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    assert_int_equal(write(descriptor, text, strlen(text)), strlen(text));
    close(descriptor);
}

static void published_rows_take_the_largest_of_numbered_columns(void **state)
{
    (void)state;
    compare_beside *beside = NULL;
    write_file("# From a paper.\nscheme,level,accepted,drift_1,drift_2\n"
               "hem5,1e-3,50,8.6e-5,7.9e-5\nhem5,1e-5,,1e-7,3.5e-7\n\n# Why they differ.\n");
    assert_true(compare_beside_read(path, &beside));
    unlink(path);
    assert_int_equal(beside->n_columns, 2);
    assert_int_equal(beside->n_rows, 2);
    const given_row *row = find_given(beside, "hem5", 1e-3);
    assert_non_null(row);
    assert_true(row->values[0] == 50 && row->values[1] == 8.6e-5);
    row = find_given(beside, "hem5", 1e-5);
    assert_true(isnan(row->values[0]) && row->values[1] == 3.5e-7);
    assert_null(find_given(beside, "phem56", 1e-3));
    assert_string_equal(beside->notes, "From a paper.\nWhy they differ.\n");
    compare_beside_free(beside);
}

static void mistakes_in_published_values_are_named(void **state)
{
    (void)state;
    static const struct {
        const char *text, *words;
    } cases[] = {
        {"scheme,level,acepted\n", ":1: unknown column 'acepted'"},
        {"scheme,level,accepted\nhem5,1e-3\n", ":2: 2 of 3 fields"},
        {"scheme,level,accepted\nhem5,1e-3,many\n", ":2: 'many' is not a number"},
        {"scheme,level,accepted\n", "no published values"},
        {"", "no published values"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        compare_beside *beside = NULL;
        write_file(cases[i].text);
        assert_false(compare_beside_read(path, &beside));
        unlink(path);
        assert_non_null(strstr(message, cases[i].words));
        compare_beside_free(beside);
    }
}

// ---- Names of schemes ----

static void schemes_are_read_with_options(void **state)
{
    (void)state;
    compare_scheme scheme;
    assert_true(
        compare_scheme_read(&scheme, "moreau-jean:theta=0.75:projection=none", "--schemes"));
    assert_string_equal(scheme.name, "moreau-jean");
    assert_int_equal(scheme.kind, COMPARE_STEP);
    assert_int_equal(scheme.n_options, 2);
    assert_string_equal(scheme.options[1].key, "projection");
    assert_string_equal(scheme.options[1].text, "none");
    compare_scheme_free(&scheme);
}

static void mistakes_in_schemes_are_named(void **state)
{
    (void)state;
    static const struct {
        const char *text, *words;
    } cases[] = {
        {"moreau-jaen", "unknown scheme 'moreau-jaen'; did you mean 'moreau-jean'?"},
        {"quicksand", "unknown scheme 'quicksand' (percuss list schemes)"},
        {"moreau-jean:thteta=1", "has no option 'thteta'; did you mean 'theta'?"},
        {"moreau-jean:theta", "must have the form key=value"},
        {"moreau-jean:", "must have the form key=value"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        compare_scheme scheme;
        assert_false(compare_scheme_read(&scheme, cases[i].text, "--schemes"));
        assert_non_null(strstr(message, cases[i].words));
        compare_scheme_free(&scheme);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ratios_are_sorted_and_shares_counted),
        cmocka_unit_test(a_profile_without_problems_is_empty),
        cmocka_unit_test(failed_runs_count_as_unsolved),
        cmocka_unit_test(profile_by_error_takes_the_fastest_run_that_is_accurate_enough),
        cmocka_unit_test(a_run_without_reference_reaches_no_error),
        cmocka_unit_test(runs_are_found_by_level),
        cmocka_unit_test(columns_have_names),
        cmocka_unit_test(published_rows_take_the_largest_of_numbered_columns),
        cmocka_unit_test(mistakes_in_published_values_are_named),
        cmocka_unit_test(schemes_are_read_with_options),
        cmocka_unit_test(mistakes_in_schemes_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
