// Every example in steps of h, 10 h, 100 h and 1000 h, h that of its file, beside an event-driven run: how
// far the motion is off, over its size, and what the run says of itself. Fails where the motion is off
// by more than a tenth of its size and the verdict is good.
//
//   bench_examples_coarse [--examples FOLDER] [--only TEXT] [--scheme NAME] [--seconds S]
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/scene_coarse.h"

enum { EXAMPLES_MAX = 200 };

// Prints the row of the table; the number of runs that are wrong and good.
static int try_example(const char *path, const char *name, const char *scheme, double seconds)
{
    static const char *const verdict[] = {"good", "notice", "bad"};
    coarse_run runs[COARSE_FACTORS];
    const int missed = scene_coarse(path, scheme, COARSE_FACTORS, seconds, runs);
    if (missed < 0)
        return 0;
    printf("%-32s", name);
    for (int k = 0; k < COARSE_FACTORS; ++k)
        if (runs[k].known)
            printf("  %8.1e %-6s%s", runs[k].off, verdict[runs[k].verdict],
                   runs[k].missed ? "!" : "");
        else
            printf("  %8s %-6s", "-", "-");
    printf("\n");
    fflush(stdout);
    return missed;
}

int main(int argc, char **argv)
{
    const char *folder = "examples", *only = NULL, *scheme = "moreau-jean";
    static char *names[EXAMPLES_MAX];
    double seconds = 10;
    for (int i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--examples") == 0)
            folder = argv[i + 1];
        else if (strcmp(argv[i], "--only") == 0)
            only = argv[i + 1];
        else if (strcmp(argv[i], "--scheme") == 0)
            scheme = argv[i + 1];
        else if (strcmp(argv[i], "--seconds") == 0)
            seconds = atof(argv[i + 1]);
    }
    const int n = scene_list(folder, only, names, EXAMPLES_MAX);
    if (n < 0) {
        fprintf(stderr, "bench_examples_coarse: no folder '%s'; --examples names another\n",
                folder);
        return EXIT_FAILURE;
    }
    int failures = 0;
    printf("%-32s  %-15s  %-15s  %-15s  %-15s\n", "off, over the size of the motion", "h", "10 h",
           "100 h", "1000 h");
    for (int i = 0; i < n; ++i) {
        char path[1024];
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        failures += try_example(path, names[i], scheme, seconds);
        free(names[i]);
    }
    printf("%d runs are off by more than a tenth and good (!)\n", failures);
    return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}
