// A run beside one that is resumed from its checkpoints: after every step all signals, events,
// statistics and the whole saved state of both must have the same bits.
#ifndef PCS_TESTS_SUPPORT_SCENE_RESUME_H
#define PCS_TESTS_SUPPORT_SCENE_RESUME_H

#include <stdbool.h>
#include <stdint.h>

#include "percuss/io.h"

enum { RESUME_TEXT_SIZE = 512 };

typedef struct resume_def {
    const char *path;   // model file
    const char *scheme; // NULL: that of the file, with its options
    double end, step;   // s; 0: that of the file
    // The run is saved this often, at equal numbers of steps; each time a new simulation goes on from
    // there up to the next.
    int32_t times;
    int32_t frame_every; // steps from frame to frame; checkpoints fall on frames and between them
    double seconds;      // processor time, after which the run is given up; 0: no limit
} resume_def;

typedef enum resume_outcome {
    RESUME_SAME,
    RESUME_DIFFERS,
    RESUME_REFUSED, // the model does not build or start with this scheme, or a checkpoint is refused
    RESUME_STOPPED, // both runs end early, with the same bits and the same message
    RESUME_TIMEOUT  // the same bits up to `reached`
} resume_outcome;

typedef struct resume_report {
    resume_outcome outcome;
    double reached;              // s
    int64_t steps;               // compared
    int64_t differs;             // signals, summed over the steps
    char text[RESUME_TEXT_SIZE]; // the first difference, or why it was refused or stopped
} resume_report;

void resume_check(const resume_def *def, resume_report *report);
// The first `steps` steps of a model file: end and step of its run. Explicit integrators on meshes,
// which take steps of 1e-7 s there, get shorter output steps. A file that cannot be read ends the program.
void resume_begin(resume_def *def, double steps);
// The end of the file's own run, s
double resume_end_of(const char *path);
const char *resume_outcome_name(resume_outcome outcome);

#endif
