// Every example to its end under every scheme: a table of what came of it. The end of a run is
// compared with that of the run as the example's file has it, at its own scheme and options.
//
//   bench_examples_schemes [--examples FOLDER] [--only TEXT] [--seconds S] [--csv FILE] [--events yes]
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/scene_coarse.h"

static const char *const schemes[] = {"moreau-jean", "moreau-jean-adaptive",
                                      "capturing",   "event-driven",
                                      "hybrid",      "nonsmooth-alpha",
                                      "rk4",         "rkf45",
                                      "dopri5",      "hem5",
                                      "phem56",      "alpha2",
                                      "alpha3"};
enum { N_SCHEMES = sizeof schemes / sizeof *schemes, EXAMPLES_MAX = 200 };

static double distance_at_end(const run_result *a, const run_result *b)
{
    double most = 0;
    if (a->n_samples == 0 || a->n_samples != b->n_samples)
        return NAN;
    const double *x = a->sample[a->n_samples - 1], *y = b->sample[b->n_samples - 1];
    for (int i = 0; i < a->n_values - 1; ++i) { // the last one is the energy
        const bool turn = a->quaternion[i];
        double same = 0, opposite = 0;
        for (int c = 0; c < (turn ? 4 : 1); ++c) {
            same += (x[i + c] - y[i + c]) * (x[i + c] - y[i + c]);
            opposite += (x[i + c] + y[i + c]) * (x[i + c] + y[i + c]);
        }
        most = fmax(most, turn ? 2 * sqrt(fmin(same, opposite)) : sqrt(same));
        i += turn ? 3 : 0;
    }
    return most;
}

static void print_row(FILE *out, bool csv, const char *name, const char *scheme,
                      const run_result *run, const run_result *own)
{
    static const char *const outcome[] = {"finished", "refused", "stopped", "timeout", "crashed"};
    static const char *const verdict[] = {"good", "notice", "bad"};
    const bool finished = run->outcome == RUN_FINISHED;
    const double energy = run->n_samples ? run->sample[run->n_samples - 1][run->n_values - 1] : NAN;
    fprintf(out,
            csv ? "%s,%s,%s,%g,%.3e,%lld,%.6e,%.1e,%.1e,%.1e,%.1e,%g,%lld,%s,%.2f,\"%s\"\n"
                : "%-30s %-21s %-8s %7.4g %9.1e %7lld %10.3e %8.1e %8.1e %8.1e %8.1e %8.3g %5lld "
                  "%-6s %6.2f %.60s\n",
            name, scheme, outcome[run->outcome], run->reached,
            finished ? distance_at_end(run, own) : NAN, (long long)run->impacts, energy,
            run->energy_gain, run->numerical, run->penetration, run->drift, run->rest_time,
            (long long)run->unconverged, finished ? verdict[run->verdict] : "-", run->seconds,
            finished ? "" : run->message);
    fflush(out);
}

// When what happens first, in a run: the windows of tests/cli/test_schemes.sh come from here.
static void print_events(const char *name, const run_result *run)
{
    printf("%-30s", name);
    for (int kind = 0; kind < PCS_EVENT_KIND_COUNT; ++kind)
        if (run->events[kind] > 0)
            printf(" %s %lld from %.4g,", pcs_event_kind_name((pcs_event_kind)kind),
                   (long long)run->events[kind], run->first_event[kind]);
    printf(" rest from %.4g\n", run->rest_time);
}

int main(int argc, char **argv)
{
    const char *folder = "examples", *only = NULL, *csv_path = NULL;
    double seconds = 60;
    bool events = false;
    for (int i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--examples") == 0)
            folder = argv[i + 1];
        else if (strcmp(argv[i], "--only") == 0)
            only = argv[i + 1];
        else if (strcmp(argv[i], "--csv") == 0)
            csv_path = argv[i + 1];
        else if (strcmp(argv[i], "--events") == 0)
            events = strcmp(argv[i + 1], "yes") == 0;
        else if (strcmp(argv[i], "--seconds") == 0)
            seconds = atof(argv[i + 1]);
    }
    FILE *csv = csv_path ? fopen(csv_path, "w") : NULL;
    static char *names[EXAMPLES_MAX];
    static scene_model model;
    static run_result own, run;
    int crashed = 0;
    const int n = scene_list(folder, only, names, EXAMPLES_MAX);
    if (n < 0) {
        fprintf(stderr, "bench_examples_schemes: no folder '%s'; --examples names another\n",
                folder);
        return EXIT_FAILURE;
    }
    printf("%-30s %-21s %-8s %7s %9s %7s %10s %8s %8s %8s %8s %8s %5s %-6s %6s\n", "example",
           "scheme", "outcome", "t", "end off", "impacts", "energy", "gain", "remaind", "penetr",
           "drift", "rest", "unc", "says", "s");
    if (csv)
        fprintf(csv, "example,scheme,outcome,reached,end_off,impacts,energy,gain,numerical,"
                     "penetration,drift,rest,unconverged,verdict,seconds,message\n");
    for (int i = 0; i < n; ++i) {
        char path[1024];
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        if (!scene_look(path, &model))
            continue;
        names[i][strlen(names[i]) - 5] = 0;
        for (int k = -1; k < N_SCHEMES; ++k) {
            const run_def def = {path, k < 0 ? NULL : schemes[k], "", model.facts.step, seconds, 0};
            scene_run_model(&model, &def, &run);
            if (k < 0)
                own = run;
            crashed += run.outcome == RUN_CRASHED;
            if (events && k >= 0) {
                print_events(schemes[k], &run);
                continue;
            }
            print_row(stdout, false, names[i], k < 0 ? "as in the file" : schemes[k], &run, &own);
            if (csv)
                print_row(csv, true, names[i], k < 0 ? "as in the file" : schemes[k], &run, &own);
        }
        free(names[i]);
    }
    if (csv)
        fclose(csv);
    return crashed ? EXIT_FAILURE : EXIT_SUCCESS;
}
