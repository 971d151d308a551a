// Every example under every scheme and integrator beside the same run resumed at several times: all
// signals, events, statistics and saved states must have the same bits.
//
//   bench_resume [--examples FOLDER] [--only TEXT] [--scheme NAME] [--part P] [--times N] [--seconds S]
//
// --part: of each example's length. --seconds: processor time of a case, after which it is given up.
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/scene_resume.h"

enum { EXAMPLES_MAX = 200, SCHEMES_MAX = 32, NAME_SIZE = 512 };

typedef struct options {
    const char *folder, *only, *scheme;
    double part, seconds;
    int32_t times;
} options;

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static int list_examples(const options *o, char **names)
{
    DIR *directory = opendir(o->folder);
    int n = 0;
    if (!directory) {
        fprintf(stderr, "bench_resume: no folder '%s'; --examples names another\n", o->folder);
        exit(EXIT_FAILURE);
    }
    for (struct dirent *entry; (entry = readdir(directory)) && n < EXAMPLES_MAX;) {
        const size_t length = strlen(entry->d_name);
        if (length > 5 && strcmp(entry->d_name + length - 5, ".yaml") == 0 &&
            (!o->only || strstr(entry->d_name, o->only)))
            names[n++] = strdup(entry->d_name);
    }
    closedir(directory);
    qsort(names, (size_t)n, sizeof *names, compare_names);
    return n;
}

static int list_schemes(const options *o, const char **schemes)
{
    int n = 0;
    const char *name;
    for (int32_t i = 0; (name = pcs_scheme_name(i, NULL, NULL, NULL)); ++i)
        schemes[n++] = name;
    for (int32_t i = 0; (name = pcs_scheme_short_name(i, NULL, NULL)); ++i)
        schemes[n++] = name;
    for (int i = 0; o->scheme && i < n; ++i)
        if (strcmp(schemes[i], o->scheme) == 0) {
            schemes[0] = schemes[i];
            return 1;
        }
    return n;
}

static void parse(int argc, char **argv, options *o)
{
    if (argc == 2) {
        printf("usage: bench_resume [--examples FOLDER] [--only TEXT] [--scheme NAME] [--part P]\n"
               "                    [--times N] [--seconds S]\n\n"
               "Every example under every scheme, beside the same run resumed N times (7): all "
               "signals,\nevents, statistics and saved states must have the same bits. P: part of "
               "each example's\nlength (1). S: processor time of a case (20), after which it is "
               "given up.\n");
        exit(EXIT_SUCCESS);
    }
    for (int i = 1; i + 1 < argc; i += 2) {
        const char *value = argv[i + 1];
        if (strcmp(argv[i], "--examples") == 0)
            o->folder = value;
        else if (strcmp(argv[i], "--only") == 0)
            o->only = value;
        else if (strcmp(argv[i], "--scheme") == 0)
            o->scheme = value;
        else if (strcmp(argv[i], "--part") == 0)
            o->part = atof(value);
        else if (strcmp(argv[i], "--times") == 0)
            o->times = atoi(value);
        else if (strcmp(argv[i], "--seconds") == 0)
            o->seconds = atof(value);
    }
}

int main(int argc, char **argv)
{
    options o = {.folder = "examples", .part = 1, .seconds = 20, .times = 7};
    static char *names[EXAMPLES_MAX];
    const char *schemes[SCHEMES_MAX];
    int counts[RESUME_TIMEOUT + 1] = {0};
    parse(argc, argv, &o);
    const int n = list_examples(&o, names), n_schemes = list_schemes(&o, schemes);
    printf("%-32s %-21s %-8s %9s %8s\n", "example", "scheme", "outcome", "t", "steps");
    for (int i = 0; i < n; ++i) {
        char path[NAME_SIZE];
        snprintf(path, sizeof path, "%s/%s", o.folder, names[i]);
        const double end = o.part * resume_end_of(path);
        names[i][strlen(names[i]) - 5] = 0;
        for (int k = 0; k < n_schemes; ++k) {
            const resume_def def = {.path = path,
                                    .scheme = schemes[k],
                                    .end = end,
                                    .times = o.times,
                                    .frame_every = 3,
                                    .seconds = o.seconds};
            resume_report report;
            resume_check(&def, &report);
            ++counts[report.outcome];
            printf("%-32s %-21s %-8s %9.4g %8lld %s\n", names[i], schemes[k],
                   resume_outcome_name(report.outcome), report.reached, (long long)report.steps,
                   report.text);
            fflush(stdout);
        }
        free(names[i]);
    }
    for (int i = 0; i <= RESUME_TIMEOUT; ++i)
        printf("%s %d%s", resume_outcome_name((resume_outcome)i), counts[i],
               i < RESUME_TIMEOUT ? ", " : "\n");
    return counts[RESUME_DIFFERS] > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
