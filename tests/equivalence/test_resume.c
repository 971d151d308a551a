// A resumed run has the bits of an uninterrupted one: all signals, events and statistics, under every
// scheme and integrator. Here windows of the examples in which something happens, and all of them over
// their first steps; over their whole length they are in bench/bench_resume.
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/family.h"
#include "support/near.h"
#include "support/scene_resume.h"

enum { SCHEMES_MAX = 32, EXAMPLES_MAX = 200, PATH_SIZE = 1024, FIRST_STEPS = 12 };

static int list_schemes(const char **schemes)
{
    int n = 0;
    const char *name;
    for (int32_t i = 0; (name = pcs_scheme_name(i, NULL, NULL, NULL)); ++i)
        schemes[n++] = name;
    for (int32_t i = 0; (name = pcs_scheme_short_name(i, NULL, NULL)); ++i)
        schemes[n++] = name;
    assert_true(n < SCHEMES_MAX);
    return n;
}

static void make_path(const char *name, char *path)
{
    const char *source = getenv("PERCUSS_SOURCE");
    snprintf(path, PATH_SIZE, "%s/examples/%s", source ? source : ".", name);
}

static int check(const char *name, const char *scheme, double end, int32_t times)
{
    char path[PATH_SIZE];
    resume_report report;
    make_path(name, path);
    resume_def def = {.path = path, .scheme = scheme, .end = end, .times = times, .frame_every = 3};
    if (!(end > 0))
        resume_begin(&def, FIRST_STEPS);
    resume_check(&def, &report);
    if (report.outcome == RESUME_SAME || report.outcome == RESUME_STOPPED)
        return 0;
    print_error("%s, %s: %s\n", name, scheme, report.text);
    return 1;
}

// Impacts, accumulation, slip, stick, release, rest, time stepping of hybrid, an edge, a mesh.
static void through_events(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        double end;
    } windows[] = {{"bead_column.yaml", 0.35},         {"bead_column_formulas.yaml", 2.4},
                   {"block_on_belt.yaml", 0.3},        {"bouncing_ball.yaml", 0.7},
                   {"bowling_ball.yaml", 0.2},         {"newton_cradle.yaml", 0.3},
                   {"edge_parabola_plane.yaml", 0.55}, {"ratchet.yaml", 0.2},
                   {"three_boxes.yaml", 0.02},         {"woodpecker.yaml", 0.01},
                   {"pendulum_control.yaml", 0.1}};
    const char *schemes[SCHEMES_MAX];
    const int n = list_schemes(schemes);
    int failures = 0, item = 0;
    for (size_t i = 0; i < sizeof windows / sizeof *windows; ++i)
        for (int k = 0; k < n; ++k)
            if (item++ % CASE_STRIDE == 0)
                failures += check(windows[i].name, schemes[k], windows[i].end, 5);
    assert_int_equal(failures, 0);
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static int list_examples(char **names)
{
    char folder[PATH_SIZE];
    int n = 0;
    make_path("", folder);
    DIR *directory = opendir(folder);
    assert_non_null(directory);
    for (struct dirent *entry; (entry = readdir(directory)) && n < EXAMPLES_MAX;) {
        const size_t length = strlen(entry->d_name);
        if (length > 5 && strcmp(entry->d_name + length - 5, ".yaml") == 0)
            names[n++] = strdup(entry->d_name);
    }
    closedir(directory);
    qsort(names, (size_t)n, sizeof *names, compare_names);
    return n;
}

static void every_example(void **state)
{
    (void)state;
    static char *names[EXAMPLES_MAX];
    const char *schemes[SCHEMES_MAX];
    const int n = list_schemes(schemes), examples = list_examples(names);
    int failures = 0, item = 0;
    assert_true(examples > 40);
    for (int i = 0; i < examples; ++i) {
        for (int k = 0; k < n; ++k)
            if (item++ % CASE_STRIDE == 0)
                failures += check(names[i], schemes[k], 0, 3);
        free(names[i]);
    }
    assert_int_equal(failures, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(through_events),
        cmocka_unit_test(every_example),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
