// An example in steps that are too long for it, beside an event-driven run.
#ifndef PCS_TESTS_SUPPORT_SCENE_COARSE_H
#define PCS_TESTS_SUPPORT_SCENE_COARSE_H

#include "support/scene_run.h"

// The run of a model file: its end, step and dimension. False: it cannot be read, and standard error says
// why.
bool scene_look(const char *path, scene_model *model);

// Model files of a folder whose names have `only` in them (NULL: all), sorted; the names are to be freed.
// Their number, or -1 without a folder.
int scene_list(const char *folder, const char *only, char **names, int most);

enum { COARSE_FACTORS = 4 }; // 1, 10, 100, 1000 times the step of the file

typedef struct coarse_run {
    bool known; // both runs came to their end
    double
        off; // largest difference from the event-driven run at a sample, over the size of the motion
    int verdict; // pcs_level
    bool missed; // off by more than a tenth, and good
} coarse_run;

// The first `factors` of them; `seconds` of CPU time for each run. The number of runs that are missed, or
// -1 if the file cannot be read.
int scene_coarse(const char *path, const char *scheme, int factors, double seconds,
                 coarse_run *runs);

#endif
