// A resumed run has the bits of an uninterrupted one: all signals, events and statistics, under every
// scheme and integrator. Here windows of the examples in which something happens, and all of them over
// their first steps; over their whole length they are in bench/bench_resume.
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

// With inputs the steps of the march end at the output times and nothing is kept of them but their
// length: forces of time are looked into where the next step is longer than that allows.
static void at_the_end_of_steps(void **state)
{
    // Generalized-alpha has the same motion, but counts one evaluation less where it goes on.
    static const char *const schemes[] = {"event-driven", "hem5",   "rk4",
                                          "rkf45",        "dopri5", "hybrid"};
    (void)state;
    static const char text[] = "dimension: 3\n"
                               "inputs: {u: 0.5}\n"
                               "gravity: [0, 0, -9.81]\n"
                               "bodies: {b: {mass: 1, inertia: 1}}\n"
                               "forces: {f: {body: b, force: [0.5*t^9, 0, 0]}}\n"
                               "simulation: {step: 1e-3}\n";
    char path[] = "/tmp/percuss-resume-XXXXXX";
    const int file = mkstemp(path);
    assert_true(file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text));
    close(file);
    for (int k = 0; k < (int)(sizeof schemes / sizeof *schemes); ++k) {
        const resume_def def = {
            .path = path, .scheme = schemes[k], .end = 6e-3, .times = 6, .frame_every = 1};
        resume_report report;
        resume_check(&def, &report);
        if (report.outcome != RESUME_SAME)
            fail_msg("%s: %s", schemes[k], report.text);
    }
    unlink(path);
}

// ---- Steps that are given up ----

typedef struct patience {
    int64_t asked, until; // the question that is answered with "stop", once
    bool runs;
    int64_t requests, failing; // of memory in steps: the one that is refused, once
} patience;

static bool loses_patience(void *user)
{
    patience *p = user;
    return ++p->asked == p->until;
}

static void *give(void *user, void *block, size_t old_size, size_t new_size)
{
    patience *p = user;
    (void)old_size;
    if (new_size == 0) {
        free(block);
        return NULL;
    }
    return p->runs && ++p->requests == p->failing ? NULL : realloc(block, new_size);
}

// The example up to `end` as saved bytes; steps that are stopped, or lack memory, are taken again.
static char *run_to(const char *path, const char *scheme, double end, patience *p, size_t *size,
                    int *stopped)
{
    const pcs_context_def context = {
        .resize = give, .resize_user = p, .stop = loses_patience, .stop_user = p};
    pcs_context *ctx = pcs_context_create(&context);
    pcs_model_file *file;
    pcs_simulation *simulation;
    const pcs_setting *options, scheme_of = {"simulation.scheme", scheme};
    if (pcs_model_file_read(ctx, path, &scheme_of, 1, &file) < 0)
        fail_msg("%s", pcs_context_error(ctx));
    pcs_simulation_def def = pcs_model_file_simulation(file);
    def.end = end;
    assert_int_equal(pcs_simulation_create(ctx, pcs_model_file_model(file), &def, &simulation),
                     PCS_OK);
    const int32_t n = pcs_model_file_options(file, &options);
    for (int32_t i = 0; i < n; ++i)
        assert_int_equal(pcs_simulation_set(simulation, options[i].key, options[i].text), PCS_OK);
    assert_int_equal(pcs_simulation_start(simulation), PCS_OK);
    p->runs = true;
    while (!pcs_simulation_finished(simulation)) {
        const pcs_status status = pcs_simulation_step(simulation);
        if (status == PCS_ERROR_STOPPED || status == PCS_ERROR_MEMORY)
            ++*stopped;
        else if (status < 0)
            fail_msg("%s, %s: %s", path, scheme, pcs_context_error(ctx));
    }
    p->runs = false;
    *size = pcs_simulation_save(simulation, NULL, 0);
    char *saved = malloc(*size);
    assert_non_null(saved);
    assert_int_equal(pcs_simulation_save(simulation, saved, *size), *size);
    pcs_simulation_destroy(simulation);
    pcs_model_file_destroy(file);
    pcs_context_destroy(ctx);
    return saved;
}

static void given_up(void **state)
{
    (void)state;
    enum { TIMES = 9 };
    const char *schemes[SCHEMES_MAX];
    const int n = list_schemes(schemes);
    char path[PATH_SIZE];
    make_path("block_on_belt.yaml", path);
    for (int k = 0; k < n; ++k) {
        size_t size;
        int stopped = 0;
        patience all = {.until = -1, .failing = -1};
        char *whole = run_to(path, schemes[k], 0.3, &all, &size, &stopped);
        for (int i = 1; i < TIMES; ++i) {
            patience p = {.until = 1 + all.asked * i / TIMES, .failing = -1};
            stopped = 0;
            char *again = run_to(path, schemes[k], 0.3, &p, &size, &stopped);
            if (stopped != 1)
                fail_msg("%s: stopped %d times at question %lld of %lld", schemes[k], stopped,
                         (long long)p.until, (long long)all.asked);
            if (memcmp(whole, again, size) != 0)
                fail_msg("%s: other bits after a step was stopped at question %lld of %lld",
                         schemes[k], (long long)p.until, (long long)all.asked);
            free(again);
        }
        free(whole);
    }
}

// A step whose memory fails is not taken, whatever asked for it: what watches the run does, too, where
// the set of closed contacts is a new one.
static void without_memory(void **state)
{
    (void)state;
    static const char *const schemes[] = {"moreau-jean", "capturing", "nonsmooth-alpha"};
    char path[PATH_SIZE];
    make_path("block_on_belt.yaml", path);
    for (int k = 0; k < (int)(sizeof schemes / sizeof *schemes); ++k) {
        size_t size;
        int stopped = 0, tried = 0;
        patience all = {.until = -1, .failing = -1};
        char *whole = run_to(path, schemes[k], 0.3, &all, &size, &stopped);
        for (int64_t i = 1; i <= all.requests; i += CASE_STRIDE, ++tried) {
            patience p = {.until = -1, .failing = i};
            stopped = 0;
            char *again = run_to(path, schemes[k], 0.3, &p, &size, &stopped);
            if (stopped != 1 || memcmp(whole, again, size) != 0)
                fail_msg("%s: request %lld of %lld: %d steps refused, %s bits", schemes[k],
                         (long long)i, (long long)all.requests, stopped,
                         memcmp(whole, again, size) ? "other" : "same");
            free(again);
        }
        print_message("%s: %d requests\n", schemes[k], tried);
        free(whole);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(through_events),      cmocka_unit_test(every_example),
        cmocka_unit_test(at_the_end_of_steps), cmocka_unit_test(given_up),
        cmocka_unit_test(without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
