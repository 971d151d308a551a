// Runs in long steps against event-driven ones.
#include "support/scene_coarse.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "percuss/evidence.h"
#include "percuss/io.h"

static const double WRONG = 0.1; // of the size of the motion

bool scene_look(const char *path, scene_model *model)
{
    pcs_context *ctx = pcs_context_create(NULL);
    pcs_model_file *file = NULL;
    const bool read = pcs_model_file_read(ctx, path, NULL, 0, &file) >= 0;
    if (read) {
        const pcs_simulation_def def = pcs_model_file_simulation(file);
        memset(model, 0, sizeof *model);
        model->facts = (scene_facts){.dimension = pcs_model_dimension(pcs_model_file_model(file)),
                                     .end = def.end,
                                     .step = def.step,
                                     .length = 1};
    } else {
        fprintf(stderr, "%s\n", pcs_context_error(ctx));
    }
    pcs_model_file_destroy(file);
    pcs_context_destroy(ctx);
    return read;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

int scene_list(const char *folder, const char *only, char **names, int most)
{
    DIR *directory = opendir(folder);
    int n = 0;
    if (!directory)
        return -1;
    for (struct dirent *entry; (entry = readdir(directory)) && n < most;) {
        const size_t length = strlen(entry->d_name);
        if (length > 5 && strcmp(entry->d_name + length - 5, ".yaml") == 0 &&
            (!only || strstr(entry->d_name, only)))
            names[n++] = strdup(entry->d_name);
    }
    closedir(directory);
    qsort(names, (size_t)n, sizeof *names, compare_names);
    return n;
}

// Between two orientations.
static double angle_between(const double *x, const double *y)
{
    double same = 0, opposite = 0;
    for (int c = 0; c < 4; ++c) {
        same += (x[c] - y[c]) * (x[c] - y[c]);
        opposite += (x[c] + y[c]) * (x[c] + y[c]);
    }
    return 4 * asin(fmin(1, 0.5 * sqrt(fmin(same, opposite))));
}

// The largest difference of two samples: of coordinates, m or rad, and of orientations, rad.
typedef struct pair_of_sizes {
    double coordinates, orientations;
} pair_of_sizes;

static void raise_sizes(const run_result *run, const double *x, const double *y,
                        pair_of_sizes *largest)
{
    for (int i = 0; i + 1 < run->n_values; ++i) { // the last one is the energy
        if (!run->quaternion[i]) {
            largest->coordinates = fmax(largest->coordinates, fabs(x[i] - y[i]));
            continue;
        }
        largest->orientations = fmax(largest->orientations, angle_between(x + i, y + i));
        i += 3;
    }
}

// The largest difference at a sample, over the largest displacement from the start; what moves less than
// `rest` is at rest.
static double distance(const run_result *run, const run_result *exact)
{
    const double rest = 1e-6; // m or rad
    pair_of_sizes size = {rest, rest}, off = {0, 0};
    for (int k = 0; k < exact->n_samples; ++k) {
        raise_sizes(exact, exact->sample[k], exact->sample[0], &size);
        raise_sizes(exact, run->sample[k], exact->sample[k], &off);
    }
    return fmax(off.coordinates / size.coordinates, off.orientations / size.orientations);
}

// Steps of the length `step` at most, that meet the samples.
static double count_steps(double end, double step)
{
    const double n = fmax(1, ceil(end / step * (1 - 1e-9)));
    return n <= SCENE_SAMPLES ? n : SCENE_SAMPLES * ceil(n / SCENE_SAMPLES);
}

int scene_coarse(const char *path, const char *scheme, int factors, double seconds,
                 coarse_run *runs)
{
    static scene_model model;
    static run_result exact, run;
    int missed = 0;
    double samples = 0;
    if (!scene_look(path, &model))
        return -1;
    for (int k = 0; k < factors; ++k) {
        const double n = count_steps(model.facts.end, pow(10, k) * model.facts.step);
        if (samples != fmin(n, SCENE_SAMPLES)) {
            samples = fmin(n, SCENE_SAMPLES);
            const run_def best = {
                path, "event-driven", "tolerance=1e-9", model.facts.end / samples, seconds, 0};
            scene_run_model(&model, &best, &exact);
        }
        const run_def def = {path, scheme, "", model.facts.end / n, seconds, 0};
        scene_run_model(&model, &def, &run);
        runs[k] = (coarse_run){.known = exact.outcome == RUN_FINISHED &&
                                        run.outcome == RUN_FINISHED &&
                                        exact.n_samples == run.n_samples};
        if (!runs[k].known)
            continue;
        runs[k].off = distance(&run, &exact);
        runs[k].verdict = run.verdict;
        runs[k].missed = !(runs[k].off <= WRONG) && run.verdict == PCS_LEVEL_GOOD;
        missed += runs[k].missed;
    }
    return missed;
}
